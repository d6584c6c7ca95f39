/* SPDX-License-Identifier: MIT */
/* mix.c - tasks of des3, fbank, mandel and mm in turn, as several programs would spawn them into one pool: lengths from
 * microseconds to milliseconds, with and without block-shared memory and barriers. (Pagoda's multi-programmed workload: TOPC 6(4),
 * Table 3.)
 *
 * Each part is a case of its own app, with its defaults: it makes inputs, cuts tasks, and checks its results. The tasks run with one
 * table, which has the four bodies. */
#include "mix_bodies.h"
#include "narrow.h"
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TASKS (1u << 20) /* of each part */

extern const app app_mix, app_des3, app_fbank, app_mandel, app_mm;

/* In the order of the table's bodies. */
static const app *const apps[mix_n_bodies] = {&app_des3, &app_fbank, &app_mandel, &app_mm};

typedef struct mix_case {
    parts p;
    mix_record record;
} mix_case;

/* ---- prepare ---- */

/* Part k has n tasks, of des3 with packets of up to n_bytes. */
static app_request part_request(const mix_case *p, int k, int64_t n_bytes)
{
    app_request q = {.spawning = p->p.c.spawning};
    q.spawning.n_tasks = p->p.c.n[0];
    q.spawning.team_size = 0;
    q.b[1] = k == mix_des3 ? (uint64_t)n_bytes : 0;
    return parts_request(apps[k], &q);
}

static int prepare_parts(mix_case *p, int64_t n_bytes, char *error)
{
    for (int k = 0; k < mix_n_bodies; k++) {
        const app_request q = part_request(p, k, n_bytes);
        p->p.part[k] = apps[k]->prepare(&q, error);
        if (!p->p.part[k])
            return -1;
    }
    return 0;
}

/* One of each part in turn; all parts have equally many. */
static int mix_tasks(mix_case *p, char *error)
{
    const uint64_t n = p->p.c.n[0] * mix_n_bodies;
    tile_rect *args = app_alloc(n, sizeof *args, "the tasks", error);
    uint32_t *bodies = app_alloc(n, sizeof *bodies, "the tasks", error);
    p->p.c.tasks = (app_tasks){.bodies = bodies, .args = args, .arg_bytes = sizeof *args, .n = n};
    if (!args || !bodies)
        return -1;
    for (uint64_t i = 0; i < n; i++) {
        bodies[i] = (uint32_t)(i % mix_n_bodies);
        args[i] = ((const tile_rect *)p->p.part[bodies[i]]->tasks.args)[i / mix_n_bodies];
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

/* ---- build ---- */

static int begin(app_case *c, heddle_ctx *ctx)
{
    mix_case *p = (mix_case *)c;
    app_case *const *part = p->p.part;
    c->ctx = ctx;
    for (int k = 0; k < mix_n_bodies; k++)
        if (narrow_begin(part[k], ctx))
            return parts_failed(c, part[k]);
    memcpy(&p->record.des3, part[mix_des3]->record, sizeof p->record.des3);
    memcpy(&p->record.fbank, part[mix_fbank]->record, sizeof p->record.fbank);
    memcpy(&p->record.mandel, part[mix_mandel]->record, sizeof p->record.mandel);
    memcpy(&p->record.mm, part[mix_mm]->record, sizeof p->record.mm);
    return 0;
}

static int build_graph(app_case *c, heddle_ctx *ctx) { return begin(c, ctx) ? -1 : app_tasks_graph(c); }

static int build_pool(app_case *c, heddle_ctx *ctx)
{
    if (app_is_apart(c))
        return app_pool_apart(c, ctx);
    return begin(c, ctx) ? -1 : app_tasks_pool(c);
}

static int set_apart(app_case *c, heddle_ctx *ctx, heddle_pool *pool) { return parts_apart(c, ctx, pool, 1, 1); }

static const app_option options[] = {{"bytes", "65536", "of the largest packet"}, {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {{&app_graph, build_graph, parts_reset, app_tasks_loop},
                                         {&app_pool, build_pool, parts_reset, app_tasks_loop},
                                         {.engine = NULL}};

const app app_mix = {
    .name = "mix",
    .summary = "tasks of des3, fbank, mandel and mm in turn",
    .formats = "none",
    .options = options,
    .table = &mix,
    .apart = &mix_apart,
    .set_apart = set_apart,
    .scenarios = scenarios,
    .n = {64, 0},
    .b = {0, 0},
    .prepare = prepare,
    .read = parts_read,
    .reference = parts_reference,
    .check = parts_check,
    .answer = parts_answer,
    .free = parts_free,
};
