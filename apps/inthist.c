/* SPDX-License-Identifier: MIT */
/* inthist.c - the integral histogram of a grey picture: cell (k, r, c) counts the pixels of bin k in rows 0..r and
 * columns 0..c. Bin = pixel * bins / 256, rounded down.
 *
 * A task is a tile with all its bins; tiles run as a wavefront, each after its neighbours above and to the left. */
#include "picture.h"
#include "inthist_bodies.h"
#include "inthist_wave_bodies.h"

extern const app app_inthist;

static app_case *prepare(const app_request *q, char *error)
{
    int64_t bins;
    if (app_check_request(&app_inthist, q, 1, error) || app_opt_i64(&app_inthist, q, "bins", 1, 256, &bins, error))
        return NULL;
    return picture_prepare(&app_inthist, q, (uint32_t)bins, error);
}

static void next_row(const picture *p, uint32_t bin, uint64_t r, const uint32_t *above, uint32_t *row)
{
    const uint64_t cols = p->c.n[1];
    const uint32_t bins = p->record.n_planes;
    uint32_t count = 0;
    for (uint64_t k = 0; k < cols; k++) {
        count += p->pixels[r * cols + k] * bins / 256 == bin;
        row[k] = count + (above ? above[k] : 0);
    }
}

static int reference(app_case *c) { return picture_reference(c, next_row); }

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

static const app_scenario scenarios[] = {{&app_graph, picture_build, picture_reset, picture_tiles},
                                         {&app_wave, picture_wave_build, picture_reset, NULL},
                                         {.engine = NULL}};

const app app_inthist = {
    .name = "inthist",
    .summary = "integral histogram of a grey picture (32-bit integers)",
    .formats = MOSAIC_FORMATS,
    .options = options,
    .table = &inthist,
    .cells = &inthist_wave,
    .scenarios = scenarios,
    .n = {1440, 1440},
    .b = {16, 16},
    .prepare = prepare,
    .read = picture_read,
    .reference = reference,
    .check = picture_check,
    .answer = answer,
    .free = picture_free,
};
