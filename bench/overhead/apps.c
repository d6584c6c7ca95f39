/* SPDX-License-Identifier: MIT */
/* apps.c - how the applications scale. Each line `APP N BLOCK KEY=VALUE` (KEY: an option, or -) makes one round of
 *
 *      one=<ns>    the graph on one worker          tiles=<ns>  the bodies called by plain loops, no graph
 *      two=<ns>    the graph on two workers         copy1=, copy2=<ns>  a memory copy by one thread, by two
 *
 * in turn, so that a disturbance of the machine meets all of them. An app's first line prepares its cases and checks
 * the two-worker result against the serial reference. A failed check or call is a sentence on stderr and exit status 2.
 * Inputs are reset before each timing. */
#include "app.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COPY_BYTES ((size_t)128 << 20)

static char error[APP_ERROR];

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

/* ---- an app on one and on two workers ----------------------------------------------------------- */

typedef struct side {
    heddle_ctx *ctx;
    app_case *c;
} side;
static side sides[2]; /* on one worker, on two */

static void open_side(side *s, const app *a, uint32_t n_workers, const app_request *q)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    config.backend = HEDDLE_CPU;
    config.n_workers = n_workers;
    if (heddle_ctx_open(&s->ctx, &config))
        fail(a->name, heddle_error_text(NULL));
    s->c = a->prepare(q, error);
    if (!s->c)
        fail(a->name, error);
    if (s->c->scenario->build(s->c, s->ctx))
        fail(a->name, s->c->error);
    if (heddle_graph_freeze(s->c->graph))
        fail(a->name, heddle_error_text(s->ctx));
}

static void close_side(side *s)
{
    if (s->c)
        s->c->app->free(s->c);
    heddle_ctx_close(s->ctx);
    memset(s, 0, sizeof *s);
}

static double time_graph(side *s)
{
    double begin;
    if (s->c->scenario->reset(s->c))
        fail(s->c->app->name, s->c->error);
    begin = now_ns();
    if (heddle_graph_run(s->ctx, s->c->graph, s->c->record, s->c->record_bytes))
        fail(s->c->app->name, heddle_error_text(s->ctx));
    return now_ns() - begin;
}

static double time_tiles(side *s)
{
    double begin;
    if (s->c->scenario->reset(s->c))
        fail(s->c->app->name, s->c->error);
    begin = now_ns();
    if (s->c->scenario->tiles(s->c))
        fail(s->c->app->name, s->c->error);
    return now_ns() - begin;
}

static void open_app(const char *name, uint64_t n, uint64_t b, char *option)
{
    const app *a = app_find(name);
    char *value = strchr(option, '=');
    app_pair pair = {option, value ? value + 1 : ""};
    app_request q = {.n = {n, n}, .b = {b, b}, .opts = &pair, .n_opts = value ? 1 : 0};
    if (!a)
        fail(name, "no such app");
    if (value)
        *value = 0;
    for (uint32_t i = 0; i < 2; i++)
        open_side(&sides[i], a, i + 1, &q);
    time_graph(&sides[0]);
    time_graph(&sides[1]);
    if (a->read(sides[1].c) || a->reference(sides[1].c) || a->check(sides[1].c))
        fail(name, sides[1].c->error);
}

/* ---- the plain copy ------------------------------------------------------------------------------ */

static char *copy_from, *copy_to;

static void *copy_half(void *half)
{
    size_t at = *(int *)half ? COPY_BYTES / 2 : 0;
    memcpy(copy_to + at, copy_from + at, COPY_BYTES / 2);
    return NULL;
}

static double time_copy(int n_threads)
{
    static int halves[2] = {0, 1};
    pthread_t helper;
    double begin = now_ns();
    if (n_threads == 2 && pthread_create(&helper, NULL, copy_half, &halves[1]))
        fail("copy", "cannot start a thread");
    copy_half(&halves[0]);
    if (n_threads == 2)
        pthread_join(helper, NULL);
    else
        copy_half(&halves[1]);
    return now_ns() - begin;
}

static void open_copy(void)
{
    copy_from = malloc(COPY_BYTES);
    copy_to = malloc(COPY_BYTES);
    if (!copy_from || !copy_to)
        fail("copy", "out of memory");
    memset(copy_from, 1, COPY_BYTES);
    memset(copy_to, 2, COPY_BYTES);
}

static void answer_round(void)
{
    double one = time_graph(&sides[0]), two = time_graph(&sides[1]), tiles = time_tiles(&sides[0]);
    double copy1 = time_copy(1), copy2 = time_copy(2);
    printf("one=%.0f two=%.0f tiles=%.0f copy1=%.0f copy2=%.0f\n", one, two, tiles, copy1, copy2);
    fflush(stdout);
}

int main(void)
{
    char line[128], last[128] = "", name[16], option[32];
    unsigned long n, b;
    open_copy();
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%15s %lu %lu %31s", name, &n, &b, option) != 4)
            fail("expected: app n block option", line);
        if (strcmp(line, last)) {
            close_side(&sides[0]);
            close_side(&sides[1]);
            open_app(name, n, b, option);
            strcpy(last, line);
        }
        answer_round();
    }
    close_side(&sides[0]);
    close_side(&sides[1]);
    free(copy_from);
    free(copy_to);
    return 0;
}
