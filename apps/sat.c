/* SPDX-License-Identifier: MIT */
/* sat.c - the summed area table of a grey picture: cell (r, c) is the sum of the pixels in rows 0..r and columns 0..c,
 * modulo 2^32 (exact for any picture below 2^24 pixels; box sums below 2^32 are right in any).
 *
 * A task is a tile, and tiles run as a wavefront: each needs its neighbours above and to the left. Two passes, sums
 * along rows then down columns, would have 90 tiles to run from start to end, where a wavefront has at most 90. But
 * they write and read the whole table twice, and a summed area table is bound by memory. */
#include "picture.h"
#include "sat_bodies.h"
#include "sat_wave_bodies.h"

extern const app app_sat;

static app_case *prepare(const app_request *q, char *error)
{
    return app_check_request(&app_sat, q, 1, error) ? NULL : picture_prepare(&app_sat, q, 1, error);
}

static void next_row(const picture *p, uint32_t plane, uint64_t r, const uint32_t *above, uint32_t *row)
{
    const uint64_t cols = p->c.n[1];
    uint32_t sum = 0;
    (void)plane;
    for (uint64_t k = 0; k < cols; k++) {
        sum += p->pixels[r * cols + k];
        row[k] = sum + (above ? above[k] : 0);
    }
}

static int reference(app_case *c) { return picture_reference(c, next_row); }

static void answer(app_case *c, const app_sink *s)
{
    const picture *p = (const picture *)c;
    const uint64_t h = c->n[0], w = c->n[1];
    const uint64_t cells[5][2] = {{0, 0}, {h / 3, w / 4}, {h / 2, w - 1}, {h - 1, w / 2}, {h - 1, w - 1}};
    int64_t points[15];
    char hex[65];
    for (int i = 0; i < 5; i++) {
        points[3 * i] = (int64_t)cells[i][0];
        points[3 * i + 1] = (int64_t)cells[i][1];
        points[3 * i + 2] = p->result[cells[i][0] * w + cells[i][1]];
    }
    picture_sha256(p, hex);
    s->i64s(s->self, "points_[row,col,value]", points, 15, 3);
    s->u64(s->self, "sum_mod_2^64", picture_sum(p));
    if (hex[0])
        s->text(s->self, "sha256_int32le", hex);
}

static const app_option options[] = {APP_OPTION_BODY, {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {{&app_graph, picture_build, picture_reset, picture_tiles},
                                         {&app_wave, picture_wave_build, picture_reset, NULL},
                                         {.engine = NULL}};

const app app_sat = {
    .name = "sat",
    .summary = "summed area table of a grey picture (32-bit integers)",
    .formats = MOSAIC_FORMATS,
    .options = options,
    .table = &sat,
    .cells = &sat_wave,
    .scenarios = scenarios,
    .n = {5760, 5760},
    .b = {64, 64},
    .prepare = prepare,
    .read = picture_read,
    .reference = reference,
    .check = picture_check,
    .answer = answer,
    .free = picture_free,
};
