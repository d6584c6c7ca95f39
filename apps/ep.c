/* SPDX-License-Identifier: MIT */
/* ep.c - the embarrassingly parallel benchmark of NPB: pairs of pseudo-random numbers become Gaussian deviates, which are added up and
 * counted by rings. Its classes are checked against the sums that NPB publishes and counts known for them; other sizes against
 * the plain loop below. Sums differ from NPB's in their last digits, as they are added in another order: NPB allows 1e-8. */
#include "loop.h"

#include "ep_bodies.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST (UINT64_C(1) << 40)
#define BATCH (UINT64_C(1) << 16) /* pairs that the reference takes at a time */

extern const app app_ep;

/* What is found of n pairs. */
typedef struct sums {
    double sx, sy;
    int64_t rings[EP_RINGS];
} sums;

static const struct {
    const char *name;
    uint64_t n;
    sums known;
} classes[] = {
    {"S",
     UINT64_C(1) << 24,
     {-3.247834652034740e+3, -6.958407078382297e+3, {6140517, 5865300, 1100361, 68546, 1648, 17}}},
    {"W",
     UINT64_C(1) << 25,
     {-2.863319731645753e+3, -6.320053679109499e+3, {12281576, 11729692, 2202726, 137368, 3371, 36}}},
    {"A",
     UINT64_C(1) << 28,
     {-4.295875165629892e+3, -1.580732573678431e+4, {98257395, 93827014, 17611549, 1110028, 26536, 245}}},
    {"B",
     UINT64_C(1) << 30,
     {4.033815542441498e+4, -2.660669192809235e+4, {393058470, 375280898, 70460742, 4438852, 105691, 948, 5}}},
    {"C",
     UINT64_C(1) << 32,
     {4.764367927995374e+4, -8.084072988043731e+4, {1572172634, 1501108549, 281805648, 17761221, 424017, 3821, 13}}},
    {"D",
     UINT64_C(1) << 36,
     {1.982481200946593e+5,
      -1.020596636361769e+5,
      {25154622775, 24017899906, 4508609839, 284201296, 6776403, 61541, 197}}},
};
#define N_CLASSES (sizeof classes / sizeof *classes)
#define LOG_TILES 18 /* of large classes */

typedef struct ep_case {
    app_case c;
    sums found, want;
    int has_want;
    sums *batches; /* of the reference */
    ep_record record;
    int64_t tile;
} ep_case;

/* ---- prepare ---- */

static int size_of_class(const char *name, uint64_t *n, char *error)
{
    for (size_t i = 0; i < N_CLASSES; i++)
        if (!strcmp(name, classes[i].name)) {
            *n = classes[i].n;
            return 0;
        }
    snprintf(error, APP_ERROR, "option class: '%.64s' is not S, W, A, B, C or D", name);
    return -1;
}

/* The host adds up what tiles have found. Of class D, in tiles of 16384 pairs, that took a fifteenth as long as the GPU. */
static int64_t usual_tile(uint64_t n)
{
    const uint64_t tile = (n >> LOG_TILES) / EP_EACH;
    return tile < 4 ? 4 : (int64_t)tile;
}

static int load(app_case *c, const app_request *q, char *error)
{
    ep_case *p = (ep_case *)c;
    const char *name;
    if (app_check_request(&app_ep, q, 0, error) || app_opt_i64(&app_ep, q, "tile", 0, 1 << 20, &p->tile, error))
        return -1;
    name = app_opt_text(&app_ep, q, "class");
    c->n[0] = q->n[0] ? q->n[0] : app_ep.n[0];
    if (*name && size_of_class(name, &c->n[0], error))
        return -1;
    if (c->n[0] > MOST || (*name && q->n[0] && q->n[0] != c->n[0])) {
        snprintf(error, APP_ERROR, "-n: %" PRIu64 " pairs are %s", q->n[0],
                 c->n[0] > MOST ? "too many: ep takes 2^40 at most" : "not those of the class");
        return -1;
    }
    p->record.n = c->n[0];
    if (!p->tile)
        p->tile = usual_tile(c->n[0]);
    return 0;
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_ep, sizeof(ep_case), load, q, error);
}

static void free_case(app_case *c)
{
    if (!c)
        return;
    app_loop_close(c);
    free(((ep_case *)c)->batches);
    free(c);
}

/* ---- the loop ---- */

static int build(app_case *c, heddle_ctx *ctx)
{
    ep_case *p = (ep_case *)c;
    app_loop_form f = app_loop_of((c->n[0] + EP_EACH - 1) / EP_EACH);
    app_loop_add_found(&f, (heddle_reduction){HEDDLE_SUM, HEDDLE_F64, 1, offsetof(ep_record, sx), &p->found.sx});
    app_loop_add_found(&f, (heddle_reduction){HEDDLE_SUM, HEDDLE_F64, 1, offsetof(ep_record, sy), &p->found.sy});
    app_loop_add_found(
        &f, (heddle_reduction){HEDDLE_SUM, HEDDLE_I64, EP_RINGS, offsetof(ep_record, rings), p->found.rings});
    f.desc.body = ep_deviates;
    f.desc.tile = (uint64_t)p->tile;
    f.desc.team_size = HEDDLE_N_PARTIALS;
    c->record = &p->record;
    c->record_bytes = sizeof p->record;
    return app_loop_open(c, ctx, &f);
}

/* ---- reference and check ---- */

/* NPB's own arithmetic: numbers of 46 bits as doubles. */
static double next(uint64_t *state)
{
    *state = *state * EP_FACTOR & EP_MASK;
    return 2 * ((double)*state * 0x1p-46) - 1;
}

static void add_pair(sums *to, uint64_t *state)
{
    const double x = next(state), y = next(state), t = x * x + y * y;
    if (t <= 1) {
        const double scale = sqrt(-2 * log(t) / t), dx = x * scale, dy = y * scale;
        to->sx += dx;
        to->sy += dy;
        to->rings[(int)fmax(fabs(dx), fabs(dy))]++;
    }
}

static void add_batches(void *self, uint64_t begin, uint64_t end)
{
    ep_case *p = self;
    for (uint64_t b = begin; b < end; b++) {
        uint64_t state = ep_state(b * BATCH);
        p->batches[b] = (sums){0};
        for (uint64_t i = b * BATCH; i < app_smaller((b + 1) * BATCH, p->c.n[0]); i++)
            add_pair(&p->batches[b], &state);
    }
}

static int compute(ep_case *p)
{
    const uint64_t n = (p->c.n[0] + BATCH - 1) / BATCH;
    p->batches = app_alloc(n, sizeof *p->batches, "the reference", p->c.error);
    if (!p->batches)
        return -1;
    app_spread(n, BATCH * 16, add_batches, p);
    for (uint64_t b = 0; b < n; b++) {
        p->want.sx += p->batches[b].sx;
        p->want.sy += p->batches[b].sy;
        for (uint32_t k = 0; k < EP_RINGS; k++)
            p->want.rings[k] += p->batches[b].rings[k];
    }
    return 0;
}

static int reference(app_case *c)
{
    ep_case *p = (ep_case *)c;
    if (p->has_want)
        return 0;
    for (size_t i = 0; i < N_CLASSES; i++)
        if (classes[i].n == c->n[0]) {
            p->want = classes[i].known;
            p->has_want = 1;
            return 0;
        }
    if (compute(p))
        return -1;
    p->has_want = 1;
    return 0;
}

/* Of few pairs the sums may be near 0, so their size is not what rounding is measured by. */
static int is_near(double got, double want) { return fabs(got - want) <= 1e-8 * fmax(fabs(want), 1e-2); }

static int check(app_case *c)
{
    const ep_case *p = (const ep_case *)c;
    for (uint32_t k = 0; k < EP_RINGS; k++)
        if (p->found.rings[k] != p->want.rings[k]) {
            snprintf(c->error, APP_ERROR, "ep: ring %u has %" PRId64 " pairs, the reference %" PRId64, k,
                     p->found.rings[k], p->want.rings[k]);
            return -1;
        }
    if (is_near(p->found.sx, p->want.sx) && is_near(p->found.sy, p->want.sy))
        return 0;
    snprintf(c->error, APP_ERROR, "ep: the sums are %.16g and %.16g, the reference has %.16g and %.16g", p->found.sx,
             p->found.sy, p->want.sx, p->want.sy);
    return -1;
}

static void answer(app_case *c, const app_sink *s)
{
    const ep_case *p = (const ep_case *)c;
    int64_t n = 0;
    for (uint32_t k = 0; k < EP_RINGS; k++)
        n += p->found.rings[k];
    s->f64(s->self, "sx", p->found.sx);
    s->f64(s->self, "sy", p->found.sy);
    s->i64(s->self, "gaussian_pairs", n);
    s->i64s(s->self, "q", p->found.rings, EP_RINGS, 0);
}

static const app_scenario scenarios[] = {{.engine = &app_loop, .build = build, .reset = app_loop_reset},
                                         {.engine = &app_jobs, .build = build, .reset = app_loop_reset},
                                         {.engine = NULL}};
static const app_option options[] = {
    {"class", "", "of NPB, instead of -n: S, W, A, B, C or D"},
    {"tile", "0", "of a call of the body, in 4096 pairs; 0: 4, or so many that there are 2^18 tiles"},
    {NULL, NULL, NULL}};

const app app_ep = {
    .name = "ep",
    .summary = "sums and counts of Gaussian deviates (NPB's EP, fp64)",
    .formats = "none",
    .options = options,
    .table = &ep,
    .loops = &ep,
    .scenarios = scenarios,
    .n = {1u << 24},
    .prepare = prepare,
    .read = app_loop_fetch,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
