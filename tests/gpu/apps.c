/* SPDX-License-Identifier: MIT */
/* apps.c - every scenario on small odd sizes, on a GPU, in every way of running (gpu/ways.h). It leaves exactly the
 * bytes of the serial backend in the context's memory, passes its own check, and does so again after a reset. One graph
 * also runs in every way in turn (heddle_ctx_reconfigure).
 *
 *     apps [--small | --sizes N]   the first N sizes
 *
 * The linker redirects an app's calls of heddle_mem_new here (--wrap). So all its memory is compared, and is cleared
 * first, since its initial contents are undefined. */
#include "app.h"
#include "gpu/ways.h"

#define MAX_BLOCKS 32u

typedef struct block {
    void *p;
    size_t n_bytes;
} block;

/* The allocations of one case, in order. */
typedef struct blocks {
    block all[MAX_BLOCKS];
    uint32_t n;
} blocks;
static blocks *watching;

heddle_status __real_heddle_mem_new(heddle_ctx *ctx, size_t n_bytes, void **out);
heddle_status __wrap_heddle_mem_new(heddle_ctx *ctx, size_t n_bytes, void **out);
heddle_status __wrap_heddle_mem_new(heddle_ctx *ctx, size_t n_bytes, void **out)
{
    heddle_status s = __real_heddle_mem_new(ctx, n_bytes, out);
    void *zeros;
    if (s != HEDDLE_OK || !watching)
        return s;
    CHECK(watching->n < MAX_BLOCKS);
    watching->all[watching->n].p = *out;
    watching->all[watching->n++].n_bytes = n_bytes;
    zeros = calloc(1, n_bytes);
    CHECK(zeros);
    s = heddle_mem_write(ctx, *out, zeros, n_bytes);
    free(zeros);
    return s;
}

/* ---- a case ------------------------------------------------------------------------------------------------------ */

typedef struct subject {
    app_case *c;
    heddle_ctx *ctx;
    blocks b;
    const char *name;
} subject;

static void subject_open(subject *x, const app *a, const app_scenario *s, const app_request *q, heddle_ctx *ctx,
                         const char *name)
{
    char error[APP_ERROR];
    memset(x, 0, sizeof *x);
    x->ctx = ctx;
    x->name = name;
    x->c = a->prepare(q, error);
    CHECK_MSG(x->c, "%s: %s", a->name, error);
    x->c->scenario = s;
    watching = &x->b;
    CHECK_MSG(!x->c->scenario->build(x->c, ctx), "%s, %s: %s", a->name, name, x->c->error);
    watching = NULL;
    if (s->engine == &app_wave)
        x->b.n--; /* the last one is the wave's own: it differs from way to way */
    CHECK(x->b.n > 0);
}

static void subject_run(subject *x)
{
    const app *a = x->c->app;
    CHECK_MSG(!x->c->scenario->engine->run(x->c), "%s, %s: %s", a->name, x->name, x->c->error);
    CHECK_MSG(!a->read(x->c) && !a->reference(x->c), "%s, %s: %s", a->name, x->name, x->c->error);
    CHECK_MSG(!a->check(x->c), "%s, %llux%llu in %llux%llu, %s: %s", a->name, (unsigned long long)x->c->n[0],
              (unsigned long long)x->c->n[1], (unsigned long long)x->c->b[0], (unsigned long long)x->c->b[1], x->name,
              x->c->error);
}

static uint8_t *fetch(const subject *x, uint32_t i)
{
    uint8_t *p = malloc(x->b.all[i].n_bytes);
    CHECK(p);
    CHECK_OK(x->ctx, heddle_mem_read(x->ctx, p, x->b.all[i].p, x->b.all[i].n_bytes));
    return p;
}

static uint64_t compare(const subject *serial, const subject *gpu)
{
    uint64_t n_bytes = 0, k;
    uint32_t i;
    CHECK_MSG(serial->b.n == gpu->b.n, "%s: %u blocks of memory, serial has %u", gpu->name, gpu->b.n, serial->b.n);
    for (i = 0; i < gpu->b.n; i++) {
        uint8_t *want = fetch(serial, i), *got = fetch(gpu, i);
        CHECK(serial->b.all[i].n_bytes == gpu->b.all[i].n_bytes);
        for (k = 0; k < gpu->b.all[i].n_bytes && want[k] == got[k]; k++)
            continue;
        CHECK_MSG(k == gpu->b.all[i].n_bytes, "%s, %llux%llu in %llux%llu, %s: block %u differs at byte %llu of %zu",
                  gpu->c->app->name, (unsigned long long)gpu->c->n[0], (unsigned long long)gpu->c->n[1],
                  (unsigned long long)gpu->c->b[0], (unsigned long long)gpu->c->b[1], gpu->name, i,
                  (unsigned long long)k, gpu->b.all[i].n_bytes);
        n_bytes += k;
        free(want);
        free(got);
    }
    return n_bytes;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* Rows, columns, of the problem and of a block. lu uses the square ones. */
static const uint64_t sizes[][4] = {{129, 129, 32, 32}, {65, 65, 64, 64},  {100, 100, 16, 16}, {129, 67, 16, 50},
                                    {7, 7, 1, 1},       {33, 200, 40, 13}, {1, 77, 3, 10},     {64, 64, 64, 64}};
#define N_SIZES (sizeof sizes / sizeof sizes[0])

static uint64_t n_cases, n_bytes;

static void run_way(const app *a, const app_request *q, const subject *serial, way *w)
{
    uint32_t i, n_runs = w->config.schedule == HEDDLE_SCHEDULE_AUTO     ? 12
                         : w->config.schedule == HEDDLE_SCHEDULE_STATIC ? 5
                                                                        : 2;
    subject gpu;
    subject_open(&gpu, a, serial->c->scenario, q, ways_open(w), w->name);
    for (i = 0; i < n_runs; i++) {
        CHECK_MSG(!i || !gpu.c->scenario->reset(gpu.c), "%s: %s", a->name, gpu.c->error);
        subject_run(&gpu);
        n_bytes += compare(serial, &gpu);
    }
    a->free(gpu.c);
    n_cases++;
}

/* Runs one case in every way in turn, on one context. */
static void run_moving(const app *a, const app_request *q, const subject *serial, const ways *w)
{
    heddle_ctx *ctx;
    subject gpu;
    uint32_t i;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &w->all[0].config));
    subject_open(&gpu, a, serial->c->scenario, q, ctx, w->all[0].name);
    for (i = 0; i < w->n; i++) {
        gpu.name = w->all[i].name;
        CHECK_OK(ctx, heddle_ctx_reconfigure(ctx, &w->all[i].config));
        CHECK_MSG(!i || !gpu.c->scenario->reset(gpu.c), "%s: %s", a->name, gpu.c->error);
        subject_run(&gpu);
        n_bytes += compare(serial, &gpu);
        n_cases++;
    }
    a->free(gpu.c);
    heddle_ctx_close(ctx);
}

static void run_size(const app *a, const app_scenario *scenario, const uint64_t *s, uint32_t turn,
                     heddle_ctx *serial_ctx, ways *w)
{
    app_pair sweeps = {"sweeps", turn % 2 ? "2" : "5"}, keep = {"keep", "1"}, bins = {"bins", turn % 3 ? "32" : "5"};
    app_request q = {{s[0], s[1]}, {s[2], s[3]}, NULL, 0, NULL, 0, {0}};
    subject serial;
    uint32_t i;
    if (!a->n[1] || app_engine_has_fleet(scenario->engine) || (strstr(a->name, "lu") && (s[0] != s[1] || s[2] != s[3])))
        return;
    if (!strncmp(a->name, "heat", 4) || !strcmp(a->name, "jacobi") || !strcmp(a->name, "sor"))
        q.opts = &sweeps;
    else if (!strcmp(a->name, "inthist"))
        q.opts = &bins;
    else if (turn % 2 && (!strcmp(a->name, "sw") || !strcmp(a->name, "dtw")))
        q.opts = &keep;
    if (!strcmp(a->name, "mm") && q.n[0] > 9) /* each row is a product of matrices */
        q.n[0] = 9;
    q.n_opts = q.opts != NULL;
    subject_open(&serial, a, scenario, &q, serial_ctx, "serial");
    subject_run(&serial);
    for (i = 0; i < w->n; i++)
        run_way(a, &q, &serial, &w->all[i]);
    if (!turn && scenario->engine == &app_graph) /* a wave is laid out for its team, and a pool has no schedule */
        run_moving(a, &q, &serial, w);
    a->free(serial.c);
}

/* Waves run under schedule wave or auto, with several numbers of workers. */
static void make_wave_ways(ways *w)
{
    static const uint32_t n_workers[] = {0, 1, 2, 7};
    uint32_t i;
    memset(w, 0, sizeof *w);
    for (i = 0; i < 6; i++)
        ways_add(w, i % 2 ? HEDDLE_SCHEDULE_AUTO : HEDDLE_SCHEDULE_WAVE, HEDDLE_POLICY_DEFAULT,
                 n_workers[i % (sizeof n_workers / sizeof n_workers[0])], 0);
}

/* A pool goes its own way under any schedule. */
static void make_pool_ways(ways *w)
{
    memset(w, 0, sizeof *w);
    ways_add(w, HEDDLE_SCHEDULE_AUTO, HEDDLE_POLICY_DEFAULT, 0, 0);
}

int main(int argc, char **argv)
{
    static ways w, wave_ways, pool_ways;
    heddle_config plain = HEDDLE_CONFIG_INIT;
    heddle_ctx *serial;
    const app_scenario *s;
    int small = argc > 1 && !strcmp(argv[1], "--small");
    size_t n_sizes = argc > 2 && !strcmp(argv[1], "--sizes") ? strtoull(argv[2], NULL, 10) : small ? 1 : N_SIZES;
    uint32_t n;
    size_t i;
    ways_need_gpu();
    ways_make(&w, small);
    make_wave_ways(&wave_ways);
    make_pool_ways(&pool_ways);
    plain.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&serial, &plain));
    for (n = 0; app_list[n]; n++)
        for (s = app_list[n]->scenarios; s->engine; s++)
            for (i = 0; i < n_sizes && i < N_SIZES; i++)
                run_size(app_list[n], s, sizes[i], (uint32_t)i, serial,
                         s->engine == &app_wave   ? &wave_ways
                         : s->engine == &app_pool ? &pool_ways
                                                  : &w);
    printf("%llu cases in %u ways, %llu bytes compared\n", (unsigned long long)n_cases, w.n,
           (unsigned long long)n_bytes);
    CHECK(n >= 8 && n_cases >= 8 * w.n);
    ways_close(&w);
    ways_close(&wave_ways);
    ways_close(&pool_ways);
    heddle_ctx_close(serial);
    return 0;
}
