/* SPDX-License-Identifier: MIT */
/* looped.h - cases of apps that are loops, for tests that run them as loops and as jobs: sizes that no tile divides; a run with the app's
 * check; all bytes that it wrote and found. */
#ifndef LOOPED_H
#define LOOPED_H

#include "check.h"
#include "loop.h"

#include <string.h>

typedef struct subject {
    const char *app;
    uint64_t n[2], b[2];
    app_pair opts[2];
    size_t n_opts;
    const char *input; /* NULL: made up */
} subject;

/* Of 303 rows and 384 columns: it is laid out again and again. */
#define PHOTOGRAPH TEST_SOURCE_DIR "/data/images/coins_384x303.pgm"

static const subject subjects[] = {
    {"blackscholes", {30011, 0}, {0, 0}, {{"tile", "100"}}, 1, NULL},
    {"blackscholes", {1, 0}, {0, 0}, {{"rate", "0"}, {"volatility", "1"}}, 2, NULL},
    {"boxfilter", {301, 217}, {7, 50}, {{NULL, NULL}}, 0, NULL},
    {"boxfilter", {60, 700}, {64, 600}, {{"reach", "0"}}, 1, NULL},
    {"boxfilter", {33, 41}, {5, 8}, {{"reach", "127"}}, 1, NULL},
    {"boxfilter", {700, 1}, {9, 1}, {{"reach", "3"}}, 1, NULL},
    {"boxfilter", {310, 401}, {30, 70}, {{NULL, NULL}}, 0, PHOTOGRAPH},
    {"ep", {300007, 0}, {0, 0}, {{"tile", "1"}}, 1, NULL},
    {"ep", {70, 0}, {0, 0}, {{NULL, NULL}}, 0, NULL},
    {"histogram", {1000003, 0}, {0, 0}, {{"tile", "12"}}, 1, NULL},
    {"histogram", {5, 0}, {0, 0}, {{NULL, NULL}}, 0, NULL},
    {"histogram", {500001, 0}, {0, 0}, {{"tile", "12"}}, 1, PHOTOGRAPH},
    {"hotspot", {97, 130}, {9, 50}, {{"steps", "3"}}, 1, NULL},
    {"hotspot", {65, 1100}, {0, 0}, {{"steps", "5"}}, 1, NULL},
    {"hotspot", {1, 1}, {0, 0}, {{"steps", "1"}}, 1, NULL},
    {"mandel", {90, 71}, {3, 40}, {{"most", "60"}}, 1, NULL},
    {"mandel", {40, 300}, {0, 0}, {{"most", "60"}}, 1, NULL},
    {"matmul", {301, 217}, {64, 50}, {{"k", "77"}}, 1, NULL},
    {"matmul", {300, 260}, {0, 0}, {{"k", "141"}, {"parts", "3"}}, 2, NULL},
    {"matmul", {256, 384}, {0, 0}, {{"k", "96"}, {"parts", "3"}}, 2, NULL},
    {"matmul", {150, 140}, {0, 0}, {{"type", "int32"}, {"parts", "7"}}, 2, NULL},
    {"matmul", {1, 1}, {0, 0}, {{"type", "int32"}}, 1, NULL},
};
/* All that a loop writes and finds. */
typedef struct bytes {
    uint8_t *at;
    size_t n;
} bytes;

static void add(bytes *to, const void *from, size_t n)
{
    to->at = realloc(to->at, to->n + n);
    CHECK(to->at);
    memcpy(to->at + to->n, from, n);
    to->n += n;
}

static bytes take(const app_case *c)
{
    const app_loop_form *f = &c->looping->form;
    bytes all = {NULL, 0};
    for (uint32_t i = 0; i < f->n_rows; i++)
        if (f->rows[i].mode != HEDDLE_MODE_IN)
            add(&all, f->rows[i].host, f->rows[i].n_rows * f->rows[i].row_bytes);
    for (uint32_t i = 0; i < f->n_found; i++)
        add(&all, f->found[i].result, f->found[i].n * 8u);
    CHECK(all.n > 0);
    return all;
}

/* A case of the app's scenario with that engine, not built. pool_bytes: of a device, for jobs; 0: as much as there is. */
static app_case *looped_case(const subject *s, const char *engine, const char *devices, uint64_t pool_bytes)
{
    const app_request q = {.n = {s->n[0], s->n[1]},
                           .b = {s->b[0], s->b[1]},
                           .opts = s->opts,
                           .n_opts = s->n_opts,
                           .inputs = &s->input,
                           .n_inputs = s->input != NULL,
                           .spawning = {.pool_bytes = pool_bytes}};
    const app *a = app_find(s->app);
    char error[APP_ERROR];
    app_case *c = app_new(a, app_scenario_of(a, engine), &q, error);
    CHECK_MSG(c, "%s: %s", s->app, error);
    c->devices = devices;
    return c;
}

static app_case *looped_prepare(const subject *s, const char *engine, const char *devices, uint64_t pool_bytes)
{
    app_case *c = looped_case(s, engine, devices, pool_bytes);
    CHECK_MSG(!c->scenario->build(c, NULL), "%s on %s: %s", s->app, devices, c->error);
    return c;
}

/* Of a case that has run. */
static bytes looped_check(app_case *c, const char *devices)
{
    CHECK_MSG(!c->app->read(c) && !c->app->reference(c), "%s: %s", c->app->name, c->error);
    CHECK_MSG(!c->app->check(c), "%s on %s: %s", c->app->name, devices, c->error);
    return take(c);
}

static bytes looped_run(app_case *c, const char *devices)
{
    CHECK_MSG(!c->scenario->engine->run(c), "%s on %s: %s", c->app->name, devices, c->error);
    return looped_check(c, devices);
}

/* Changes the first result by more than any tolerance allows. */
static void spoil(app_case *c)
{
    const app_loop_form *f = &c->looping->form;
    if (f->n_found)
        ((uint8_t *)f->found[0].result)[6] ^= 1;
    for (uint32_t i = 0; i < f->n_rows; i++)
        if (f->rows[i].mode != HEDDLE_MODE_IN)
            ((uint8_t *)f->rows[i]
                 .host)[f->rows[i].row_bytes == 1 ? 0 : f->rows[i].row_bytes / 4 * 4 - (f->rows[i].row_bytes > 3)] ^=
                64;
}

/* The bytes of one thread. A check finds fault with a case that has not run, and with one wrong byte. */
static bytes looped_serial(const subject *s, const char *engine)
{
    app_case *c = looped_prepare(s, engine, "serial", 0);
    bytes got;
    CHECK(!c->app->read(c) && !c->app->reference(c));
    CHECK_MSG(c->app->check(c), "%s: its check accepts a case that has not run", s->app);
    got = looped_run(c, "serial");
    spoil(c);
    CHECK_MSG(c->app->check(c), "%s: its check accepts a wrong byte", s->app);
    c->app->free(c);
    return got;
}

#endif
