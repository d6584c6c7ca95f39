/* SPDX-License-Identifier: MIT */
/* inthist.c - the integral histogram of a grey picture: cell (k, r, c) counts the pixels of bin k above and to the left
 * of (r, c), itself included. Bin = pixel * bins / 256, rounded down.
 *
 * A task is a tile with all its bins; tiles run as a wavefront, each after its neighbours above and to the left. */
#include "picture.h"
#include "inthist_bodies.h"

extern const app app_inthist;

static app_case *prepare(const app_request *q, char *error)
{
    int64_t bins;
    if (app_check_request(&app_inthist, q, 1, error) || app_opt_i64(&app_inthist, q, "bins", 1, 256, &bins, error))
        return NULL;
    return picture_prepare(&app_inthist, q, (uint32_t)bins, error);
}

/* By the sum of a cell and its three neighbours, bin by bin. */
static int reference(app_case *c)
{
    picture *p = (picture *)c;
    const uint64_t cols = c->n[1], n = picture_cells(p);
    const uint32_t bins = p->record.n_planes;
    if (p->want)
        return 0;
    if (picture_want(p))
        return -1;
    for (uint32_t k = 0; k < bins; k++) {
        uint32_t *want = p->want + k * n;
        for (uint64_t at = 0; at < n; at++) {
            uint32_t up = at >= cols ? want[at - cols] : 0, left = at % cols ? want[at - 1] : 0;
            uint32_t corner = at >= cols && at % cols ? want[at - cols - 1] : 0;
            want[at] = (p->pixels[at] * bins / 256 == k) + up + left - corner;
        }
    }
    return 0;
}

static void answer(app_case *c, const app_sink *s)
{
    const picture *p = (const picture *)c;
    const uint64_t n = picture_cells(p), middle = c->n[0] / 2 * c->n[1] + c->n[1] / 2;
    const uint32_t bins = p->record.n_planes;
    int64_t last[256], mid[256];
    char hex[65];
    for (uint32_t k = 0; k < bins; k++) {
        last[k] = p->result[k * n + n - 1];
        mid[k] = p->result[k * n + middle];
    }
    picture_sha256(p, hex);
    s->i64s(s->self, "last_column_value_per_bin", last, bins, 0);
    s->i64s(s->self, "mid_value_per_bin", mid, bins, 0);
    s->u64(s->self, "sum", picture_sum(p));
    if (hex[0])
        s->text(s->self, "sha256", hex);
}

static const app_option options[] = {
    {"bins", "32", "bins of the histogram, 1 to 256"}, APP_OPTION_BODY, {NULL, NULL, NULL}};

const app app_inthist = {
    .name = "inthist",
    .summary = "integral histogram of a grey picture (32-bit integers)",
    .formats = "8-bit PGM (P5)",
    .options = options,
    .table = &inthist,
    .n = {1440, 1440},
    .b = {16, 16},
    .prepare = prepare,
    .build = picture_build,
    .reset = picture_reset,
    .read = picture_read,
    .reference = reference,
    .check = picture_check,
    .tiles = picture_tiles,
    .answer = answer,
    .free = picture_free,
};
