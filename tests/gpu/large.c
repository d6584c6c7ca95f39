/* SPDX-License-Identifier: MIT */
/* large.c - every app on a gigabyte or more, in each way that executor auto tries. The app checks each run: all cells
 * against plain serial loops on the host, lu by L (U x) = M x for random x. Before that, large copies: every byte
 * arrives, from and to any address, and no other byte changes.
 *
 *     large [APP...] */
#include "app.h"
#include "gpu/ways.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One graph is moved from way to way. */
static const heddle_schedule large_ways[] = {HEDDLE_SCHEDULE_STATIC, HEDDLE_SCHEDULE_RINGS, HEDDLE_SCHEDULE_DYNAMIC,
                                             HEDDLE_SCHEDULE_GRAPH_PDL, HEDDLE_SCHEDULE_GRAPH};
#define N_WAYS (sizeof large_ways / sizeof large_ways[0])

/* rows and columns, those of a block, an option, and the least bytes of the result */
typedef struct size {
    const char *app;
    uint64_t n, b;
    app_pair opt;
    uint64_t n_bytes;
} size;
static const size sizes[] = {
    {"sat", 16411, 128, {NULL, NULL}, 1ull << 30},     {"inthist", 2903, 64, {"bins", "32"}, 1ull << 30},
    {"heat", 16411, 128, {"sweeps", "3"}, 1ull << 30}, {"jacobi", 16411, 128, {"sweeps", "3"}, 1ull << 30},
    {"sw", 16411, 128, {"keep", "1"}, 1ull << 30},     {"dtw", 16411, 128, {"keep", "1"}, 1ull << 30},
    {"lu", 16411, 128, {NULL, NULL}, 1ull << 30}};
#define N_SIZES (sizeof sizes / sizeof sizes[0])

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static app_case *open_case(const size *s, heddle_ctx *ctx)
{
    app_request q = {{s->n, s->n}, {s->b, s->b}, &s->opt, s->opt.key != NULL, NULL, 0, {0}};
    const app *a = app_find(s->app);
    char error[APP_ERROR];
    app_case *c;
    CHECK(a);
    c = a->prepare(&q, error);
    CHECK_MSG(c, "%s: %s", s->app, error);
    CHECK_MSG(!c->scenario->build(c, ctx), "%s: %s", s->app, c->error);
    return c;
}

static heddle_config config_of(size_t way)
{
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    cfg.backend = HEDDLE_CUDA;
    cfg.schedule = large_ways[way];
    cfg.time_limit_ms = 60000;
    return cfg;
}

static void run_way(const size *s, heddle_ctx *ctx, app_case *c, size_t way)
{
    const app *a = c->app;
    heddle_config cfg = config_of(way);
    heddle_stats st = HEDDLE_STATS_INIT;
    heddle_status status;
    double begin = now_s();
    CHECK_OK(ctx, heddle_ctx_reconfigure(ctx, &cfg));
    CHECK_MSG(!way || !c->scenario->reset(c), "%s: %s", s->app, c->error);
    status = heddle_graph_run(ctx, c->graph, c->record, c->record_bytes);
    CHECK_MSG(status == HEDDLE_OK, "%s: %s: %s", s->app, heddle_status_text(status), heddle_error_text(ctx));
    CHECK_MSG(!a->read(c) && !a->reference(c), "%s: %s", s->app, c->error);
    CHECK_MSG(!a->check(c), "%s, %s: %s", s->app, heddle_graph_describe_run(c->graph), c->error);
    CHECK_OK(ctx, heddle_graph_get_stats(c->graph, &st));
    printf("%-8s %llu MiB in blocks of %llu: run %.3f ms, with loading and check %.1f s; %s\n", s->app,
           (unsigned long long)(s->n_bytes >> 20), (unsigned long long)s->b, 1e-6 * (double)st.run_ns, now_s() - begin,
           heddle_graph_describe_run(c->graph));
    fflush(stdout);
}

static void run_size(const size *s, heddle_ctx *ctx)
{
    app_case *c = open_case(s, ctx);
    size_t way;
    for (way = 0; way < N_WAYS; way++)
        run_way(s, ctx, c, way);
    c->app->free(c);
}

/* Sizes next to the thresholds and steps by which copies are divided among threads. */
static void copies(heddle_ctx *ctx)
{
    static const size_t n_bytes[] = {1, (8u << 20) - 1, 8u << 20, (9u << 20) + 12345, (100u << 20) + 1};
    const size_t room = 128u << 20;
    unsigned char *from = malloc(room), *to = malloc(room);
    uint64_t seed = 1;
    void *at;
    size_t i, k;
    CHECK(from && to);
    for (k = 0; k < room; k++)
        from[k] = (unsigned char)check_random(&seed);
    CHECK_OK(ctx, heddle_mem_new(ctx, room, &at));
    for (i = 0; i < sizeof n_bytes / sizeof n_bytes[0]; i++) {
        memset(to, 0, room);
        CHECK_OK(ctx, heddle_mem_write(ctx, (unsigned char *)at + 3, from + 5, n_bytes[i]));
        CHECK_OK(ctx, heddle_mem_read(ctx, to + 7, (unsigned char *)at + 3, n_bytes[i]));
        CHECK_MSG(!memcmp(to + 7, from + 5, n_bytes[i]), "%zu bytes", n_bytes[i]);
        for (k = 0; k < 7; k++)
            CHECK(!to[k] && !to[7 + n_bytes[i] + k]);
    }
    heddle_mem_free(ctx, at);
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    heddle_config cfg = config_of(0);
    heddle_ctx *ctx;
    size_t i, n = 0;
    int k;
    ways_need_gpu();
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &cfg));
    copies(ctx);
    for (i = 0; i < N_SIZES; i++) {
        int wanted = argc == 1;
        for (k = 1; k < argc; k++)
            wanted |= !strcmp(argv[k], sizes[i].app);
        if (!wanted)
            continue;
        run_size(&sizes[i], ctx);
        n++;
    }
    heddle_ctx_close(ctx);
    CHECK(n > 0);
    return 0;
}
