/* SPDX-License-Identifier: MIT */
/* parts.c - implements parts.h, and app_new. */
#include "parts.h"
#include "tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 32u   /* irregular tasks of one team that follow one another */
#define UNSCALED 128u /* threads of the team for which b holds */

int parts_failed(app_case *c, const app_case *part)
{
    memcpy(c->error, part->error, sizeof c->error);
    return -1;
}

/* ---- what every part does for itself ---- */

enum { RESET, READ, REFERENCE, CHECK };
static int each(app_case *c, int what)
{
    for (int k = 0; k < PARTS; k++) {
        app_case *part = ((parts *)c)->part[k];
        int (*const does[])(app_case *) = {part->scenario->reset, part->app->read, part->app->reference,
                                           part->app->check};
        if (does[what](part))
            return parts_failed(c, part);
    }
    return 0;
}
int parts_reset(app_case *c) { return each(c, RESET); }
int parts_read(app_case *c) { return each(c, READ); }
int parts_reference(app_case *c) { return each(c, REFERENCE); }
int parts_check(app_case *c) { return each(c, CHECK); }

void parts_answer(app_case *c, const app_sink *s)
{
    for (int k = 0; k < PARTS; k++)
        ((parts *)c)->part[k]->app->answer(((parts *)c)->part[k], s);
}

void parts_free(app_case *c)
{
    parts *p = (parts *)c;
    if (!c)
        return;
    app_tasks_free(c);
    for (int k = 0; k < PARTS; k++)
        if (p->part[k])
            p->part[k]->app->free(p->part[k]);
    free(p);
}

/* ---- tasks ---- */

static uint64_t n_tasks(const parts *p)
{
    uint64_t n = 0;
    for (int k = 0; k < PARTS; k++)
        n += p->part[k]->tasks.n;
    return n;
}

/* Parts may have different numbers of tasks, and then some end earlier. */
static void take_turns(parts *p, uint64_t run, int own_bodies)
{
    heddle_pool_task *to = p->c.tasks.each, *end = to + p->c.tasks.n;
    for (uint64_t at = 0; to < end; at += run)
        for (uint32_t k = 0; k < PARTS; k++)
            for (uint64_t i = at; i < at + run && i < p->part[k]->tasks.n; i++) {
                *to = p->part[k]->tasks.each[i];
                to->body = own_bodies ? k : to->body;
                to->team_size = p->part[k]->spawning.team_size ? p->part[k]->spawning.team_size : to->team_size;
                to++;
            }
}

int parts_apart(app_case *c, heddle_ctx *ctx, heddle_pool *pool, uint64_t run, int own_bodies)
{
    parts *p = (parts *)c;
    for (int k = 0; k < PARTS; k++)
        if (p->part[k]->app->set_apart(p->part[k], ctx, pool))
            return parts_failed(c, p->part[k]);
    c->ctx = ctx;
    c->tasks.n = n_tasks(p);
    c->tasks.each = app_alloc(c->tasks.n, sizeof *c->tasks.each, "the tasks", c->error);
    if (!c->tasks.each)
        return -1;
    take_turns(p, run, own_bodies);
    return 0;
}

/* ---- sizes ---- */

/* n tiles as a rectangle, as square as it can be. */
static void shape(uint64_t n, uint64_t sides[2])
{
    sides[0] = 1;
    for (uint64_t k = 1; k * k <= n; k++)
        sides[0] = n % k ? sides[0] : k;
    sides[1] = n / sides[0];
}

static uint64_t scaled(uint64_t side, uint32_t scale)
{
    const uint64_t v = side * (scale ? scale : UNSCALED) / UNSCALED;
    return v ? v : 1;
}

/* Tasks stand one below the other if they take whole rows, or if rows go with them. */
app_request parts_request(const app *a, const app_request *q)
{
    const app_spawning *s = &q->spawning;
    const int has_rows = a->b[1] == a->n[1];
    app_request r = *q;
    uint64_t sides[2] = {s->n_tasks, 1};
    if (!a->b[0]) {
        r.n[0] = s->n_tasks ? s->n_tasks / a->table->n_bodies : r.n[0];
        return r;
    }
    for (int d = 0; d < 2; d++)
        r.b[d] = scaled(q->b[d] ? q->b[d] : a->b[d], d || !has_rows ? s->scale : 0);
    r.b[0] *= s->n_blocks ? s->n_blocks : 1;
    if (!s->n_tasks) {
        r.b[1] = s->copies && !q->b[1] ? UINT32_MAX : r.b[1];
        return r;
    }
    if (!has_rows && !s->copies)
        shape(s->n_tasks, sides);
    r.n[0] = sides[0] * r.b[0];
    r.n[1] = sides[1] * r.b[1];
    return r;
}

/* ---- irregular tasks ---- */

typedef struct irregular {
    parts p;
    app app;
} irregular;

static int set_apart(app_case *c, heddle_ctx *ctx, heddle_pool *pool) { return parts_apart(c, ctx, pool, AT_ONCE, 0); }

/* Its parts would give the same keys. */
static void no_answer(app_case *c, const app_sink *s)
{
    (void)c;
    (void)s;
}

static const app_scenario irregular_scenario = {&app_pool, app_pool_apart, parts_reset, app_tasks_loop};

static uint64_t default_tasks(const app *a)
{
    uint64_t n = a->b[0] ? 1 : a->n[0] * a->table->n_bodies;
    for (int d = 0; d < 2 && a->b[0]; d++)
        n *= (a->n[d] + a->b[d] - 1) / a->b[d];
    return n;
}

static int add_parts(irregular *p, const app *a, const app_scenario *s, const app_request *q, char *error)
{
    const uint64_t n = q->spawning.n_tasks ? q->spawning.n_tasks : default_tasks(a);
    app_request part = *q;
    for (uint32_t k = 0; k < PARTS; k++) {
        part.spawning.n_tasks = n / PARTS;
        part.spawning.team_size = part.spawning.scale = 32u << k;
        const app_request r = parts_request(a, &part);
        p->p.part[k] = a->prepare(&r, error);
        if (!p->p.part[k])
            return -1;
        p->p.part[k]->scenario = s;
    }
    return 0;
}

static app_case *new_irregular(const app *a, const app_scenario *s, const app_request *q, char *error)
{
    irregular *p = app_alloc(1, sizeof *p, "the case", error);
    if (!p)
        return NULL;
    memset(p, 0, sizeof *p);
    p->app = (app){.name = a->name,
                   .table = a->table,
                   .apart = a->apart,
                   .set_apart = set_apart,
                   .read = parts_read,
                   .reference = parts_reference,
                   .check = parts_check,
                   .answer = no_answer,
                   .free = parts_free};
    p->p.c.app = &p->app;
    p->p.c.scenario = &irregular_scenario;
    p->p.c.spawning = q->spawning;
    if (!add_parts(p, a, s, q, error)) {
        p->p.c.n[0] = n_tasks(&p->p);
        return &p->p.c;
    }
    parts_free(&p->p.c);
    return NULL;
}

/* ---- requests ---- */

static int refuse(const char *sentence, const app *a, char *error)
{
    snprintf(error, APP_ERROR, "%s: %s", a->name, sentence);
    return -1;
}

/* Of mix in parts, of irregular tasks, of both. */
static int check_number(const app *a, const app_request *q, char *error)
{
    const uint64_t unit = (a->b[0] ? 1 : a->table->n_bodies) * (q->spawning.irregular ? PARTS : 1u);
    if (q->spawning.n_tasks % unit == 0)
        return 0;
    snprintf(error, APP_ERROR, "%s: %llu tasks; a multiple of %llu is expected", a->name,
             (unsigned long long)q->spawning.n_tasks, (unsigned long long)unit);
    return -1;
}

static int check_spawning(const app *a, const app_scenario *engine, const app_request *q, char *error)
{
    const app_spawning *s = &q->spawning;
    if (engine->engine != &app_pool)
        return refuse(
            "--tasks is for pools and jobs, and --blocks, --copies, --threads, --at-once and --irregular are for pools",
            a, error);
    if (!a->apart)
        return refuse(
            "its tasks come after others: it takes none of --tasks, --blocks, --copies, --threads, --at-once, "
            "--irregular",
            a, error);
    if ((s->n_tasks || s->irregular) && (q->n[0] || q->n_inputs))
        return refuse("--tasks and --irregular make up the size: they take no -n and no --input", a, error);
    return check_number(a, q, error);
}

app_case *app_new(const app *a, const app_scenario *s, const app_request *q, char *error)
{
    const app_spawning *how = &q->spawning;
    const int is_pool = s->engine != &app_jobs;
    app_request r = *q;
    app_case *c;
    if ((how->n_tasks && is_pool) || how->n_blocks || how->n_threads || how->at_once || how->copies || how->irregular) {
        if (check_spawning(a, s, q, error))
            return NULL;
        if (how->irregular)
            return new_irregular(a, s, q, error);
        r = parts_request(a, q);
    }
    c = a->prepare(&r, error);
    if (c)
        c->scenario = s;
    return c;
}
