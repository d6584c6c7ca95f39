/* SPDX-License-Identifier: MIT */
/* mix.c - tasks of des3, fbank, mandel and mm in turn, as several programs would spawn them into one pool: lengths from
 * microseconds to milliseconds, with and without block-shared memory and barriers. (Pagoda's multi-programmed workload: TOPC 6(4),
 * Table 3.)
 *
 * Each part is a case of its own app, with its defaults: it makes inputs, cuts tasks, and checks its results. The tasks run with one
 * table, which has the four bodies. */
#include "mix_bodies.h"
#include "narrow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TASKS (1u << 20) /* of each part */
#define TILE 64              /* of mandel: rows and columns of a task */

extern const app app_mix, app_des3, app_fbank, app_mandel, app_mm;

/* In the order of the table's bodies. */
static const app *const apps[mix_n_bodies] = {&app_des3, &app_fbank, &app_mandel, &app_mm};

typedef struct mix_case {
    app_case c;
    mix_record record;
    app_case *part[mix_n_bodies];
} mix_case;

static int failed(app_case *c, const app_case *part)
{
    memcpy(c->error, part->error, sizeof c->error);
    return -1;
}

/* ---- prepare and free ---- */

/* n tiles as a rectangle, as square as it can be. */
static void shape(uint64_t n, uint64_t sides[2])
{
    sides[0] = 1;
    for (uint64_t k = 1; k * k <= n; k++)
        sides[0] = n % k ? sides[0] : k;
    sides[1] = n / sides[0];
}

static int prepare_parts(mix_case *p, int64_t n_bytes, char *error)
{
    const uint64_t n = p->c.n[0];
    app_request q[mix_n_bodies] = {{.n = {n, (uint64_t)n_bytes}}, {.n = {n, 0}}, {.b = {TILE, TILE}}, {.n = {n, 0}}};
    shape(n, q[mix_mandel].n);
    q[mix_mandel].n[0] *= TILE;
    q[mix_mandel].n[1] *= TILE;
    for (int k = 0; k < mix_n_bodies; k++) {
        p->part[k] = apps[k]->prepare(&q[k], error);
        if (!p->part[k])
            return -1;
    }
    return 0;
}

/* One of each part in turn; all parts have equally many. */
static int mix_tasks(mix_case *p, char *error)
{
    const uint64_t n = p->c.n[0] * mix_n_bodies;
    tile_rect *args = app_alloc(n, sizeof *args, "the tasks", error);
    uint32_t *bodies = app_alloc(n, sizeof *bodies, "the tasks", error);
    p->c.tasks = (app_tasks){.bodies = bodies, .args = args, .arg_bytes = sizeof *args, .n = n};
    if (!args || !bodies)
        return -1;
    for (uint64_t i = 0; i < n; i++) {
        bodies[i] = (uint32_t)(i % mix_n_bodies);
        args[i] = ((const tile_rect *)p->part[bodies[i]]->tasks.args)[i / mix_n_bodies];
    }
    return 0;
}

static int load(app_case *c, const app_request *q, char *error)
{
    mix_case *p = (mix_case *)c;
    int64_t n_bytes;
    if (app_check_request(&app_mix, q, 0, error) || app_opt_i64(&app_mix, q, "bytes", 8, 1 << 24, &n_bytes, error))
        return -1;
    c->n[0] = q->n[0] ? q->n[0] : app_mix.n[0];
    c->b[0] = 1;
    if (c->n[0] > MAX_TASKS || (q->n[1] && q->n[1] != c->n[0])) {
        snprintf(error, APP_ERROR, "mix has one size, the tasks of each part: %u at most", MAX_TASKS);
        return -1;
    }
    c->record = &p->record;
    c->record_bytes = sizeof p->record;
    return prepare_parts(p, n_bytes, error) || mix_tasks(p, error) ? -1 : 0;
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_mix, sizeof(mix_case), load, q, error);
}

static void free_case(app_case *c)
{
    if (!c)
        return;
    app_tasks_free(c);
    for (int k = 0; k < mix_n_bodies; k++)
        apps[k]->free(((mix_case *)c)->part[k]);
    free(c);
}

/* ---- build and results ---- */

static int begin(app_case *c, heddle_ctx *ctx)
{
    mix_case *p = (mix_case *)c;
    c->ctx = ctx;
    for (int k = 0; k < mix_n_bodies; k++)
        if (narrow_begin(p->part[k], ctx))
            return failed(c, p->part[k]);
    memcpy(&p->record.des3, p->part[mix_des3]->record, sizeof p->record.des3);
    memcpy(&p->record.fbank, p->part[mix_fbank]->record, sizeof p->record.fbank);
    memcpy(&p->record.mandel, p->part[mix_mandel]->record, sizeof p->record.mandel);
    memcpy(&p->record.mm, p->part[mix_mm]->record, sizeof p->record.mm);
    return 0;
}

static int build_graph(app_case *c, heddle_ctx *ctx) { return begin(c, ctx) ? -1 : app_tasks_graph(c); }
static int build_pool(app_case *c, heddle_ctx *ctx) { return begin(c, ctx) ? -1 : app_tasks_pool(c); }

/* What every part does for itself. */
enum { RESET, READ, REFERENCE, CHECK };
static int each(app_case *c, int what)
{
    for (int k = 0; k < mix_n_bodies; k++) {
        app_case *part = ((mix_case *)c)->part[k];
        int (*const does[])(app_case *) = {part->scenario->reset, apps[k]->read, apps[k]->reference, apps[k]->check};
        if (does[what](part))
            return failed(c, part);
    }
    return 0;
}
static int reset(app_case *c) { return each(c, RESET); }
static int read(app_case *c) { return each(c, READ); }
static int reference(app_case *c) { return each(c, REFERENCE); }
static int check(app_case *c) { return each(c, CHECK); }

static void answer(app_case *c, const app_sink *s)
{
    for (int k = 0; k < mix_n_bodies; k++)
        apps[k]->answer(((mix_case *)c)->part[k], s);
}

static const app_option options[] = {{"bytes", "65536", "of the largest packet"}, {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {
    {&app_graph, build_graph, reset, app_tasks_loop}, {&app_pool, build_pool, reset, app_tasks_loop}, {.engine = NULL}};

const app app_mix = {
    .name = "mix",
    .summary = "tasks of des3, fbank, mandel and mm in turn",
    .formats = "none",
    .options = options,
    .table = &mix,
    .scenarios = scenarios,
    .n = {64, 0},
    .b = {0, 0},
    .prepare = prepare,
    .read = read,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
