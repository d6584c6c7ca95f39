/* SPDX-License-Identifier: MIT */
/* soak.c - many spawned tasks: none is lost and none runs twice. The trees have threads that spawn at once, handles,
 * continuations, urgent tasks, records larger than a slot, and arenas smaller than the tree's breadth. Each run's tasks
 * are counted and summed (their numbers and squares) against closed forms.
 *
 *     soak BACKEND [SECONDS [TASKS]]      BACKEND serial, cpu or cuda; TASKS: of the largest tree */
#include "check.h"
#include "heddle.h"
#include "spawn/soak_bodies.h"

#include <string.h>
#include <time.h>

#define MAX_CELLS 4096u

typedef struct way {
    heddle_schedule schedule;
    heddle_policy policy;
    uint32_t n_arena;
} way;

static const way ways[] = {
    {HEDDLE_SCHEDULE_RINGS, HEDDLE_POLICY_DEFAULT, 0},    {HEDDLE_SCHEDULE_RINGS, HEDDLE_POLICY_LRR, 0},
    {HEDDLE_SCHEDULE_RINGS, HEDDLE_POLICY_DEFAULT, 3000}, {HEDDLE_SCHEDULE_RINGS, HEDDLE_POLICY_GRR, 6000},
    {HEDDLE_SCHEDULE_TICKET, HEDDLE_POLICY_DEFAULT, 0},   {HEDDLE_SCHEDULE_TICKET, HEDDLE_POLICY_DEFAULT, 6000},
    {HEDDLE_SCHEDULE_IQS, HEDDLE_POLICY_LRR, 0}};
#define N_WAYS (sizeof ways / sizeof ways[0])

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static heddle_backend backend_of(const char *name)
{
    int b;
    for (b = 1; b < HEDDLE_N_BACKENDS; b++)
        if (!strcmp(name, heddle_backend_name((heddle_backend)b)))
            return (heddle_backend)b;
    return HEDDLE_AUTO;
}

/* The sum of all cells. */
static soak_cell total(heddle_ctx *ctx, const soak_params *params)
{
    static soak_cell cells[MAX_CELLS];
    soak_cell all = {0};
    uint32_t i;
    CHECK_OK(ctx, heddle_mem_read(ctx, cells, params->cells, sizeof cells));
    for (i = 0; i < MAX_CELLS; i++) {
        all.n += cells[i].n;
        all.sum += cells[i].sum;
        all.squares += cells[i].squares;
        all.n_ends += cells[i].n_ends;
        all.sum_ends += cells[i].sum_ends;
        all.n_bad += cells[i].n_bad;
    }
    return all;
}

static void check_total(const soak_cell *c, uint64_t n)
{
    uint64_t sum = 0, squares = 0, n_ends = 0, sum_ends = 0, id;
    for (id = 0; id < n; id++) {
        sum += id;
        squares += id * id;
    }
    for (id = 7; SOAK_FAN * id + 1 < n; id += 61) { /* SOAK_GOES_ON */
        n_ends++;
        sum_ends += id;
    }
    CHECK_MSG(c->n == n, "%llu of %llu tasks have run", (unsigned long long)c->n, (unsigned long long)n);
    CHECK_MSG(c->sum == sum && c->squares == squares, "some ran twice, and others not at all");
    CHECK_MSG(c->n_ends == n_ends && c->sum_ends == sum_ends, "%llu of %llu continuations have run",
              (unsigned long long)c->n_ends, (unsigned long long)n_ends);
    CHECK_MSG(c->n_bad == 0, "%llu words of large records are wrong", (unsigned long long)c->n_bad);
}

static void run_tree(heddle_ctx *ctx, heddle_graph *g, soak_params *params, uint64_t n)
{
    static const soak_cell zero[MAX_CELLS];
    heddle_stats s = HEDDLE_STATS_INIT;
    soak_cell c;
    params->n = n;
    CHECK_OK(ctx, heddle_mem_write(ctx, params->cells, zero, sizeof zero));
    CHECK_OK(ctx, heddle_graph_run(ctx, g, params, sizeof *params));
    c = total(ctx, params);
    check_total(&c, n);
    CHECK_OK(ctx, heddle_graph_get_stats(g, &s));
    CHECK(s.n_tasks == c.n + c.n_ends);
}

/* Runs trees for some seconds in one way; returns the number of tasks. */
static uint64_t soak_way(heddle_backend b, const way *w, double seconds, uint64_t n_most, uint64_t seed)
{
    heddle_config cfg = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    soak_params params = {NULL, 0};
    soak_node_args root = {0};
    uint64_t n_all = 0, n = 1;
    double begin = now_s(), took;
    cfg.backend = b;
    cfg.schedule = b == HEDDLE_SERIAL ? HEDDLE_SCHEDULE_AUTO : w->schedule;
    cfg.expert.policy = b == HEDDLE_SERIAL ? HEDDLE_POLICY_DEFAULT : w->policy;
    cfg.n_arena = b == HEDDLE_CUDA && w->n_arena ? w->n_arena * 100 : w->n_arena;
    cfg.n_workers = b == HEDDLE_CPU ? 1 + (uint32_t)(check_random(&seed) % 4) : 0;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &cfg));
    CHECK_OK(ctx, heddle_mem_new(ctx, sizeof(soak_cell) * MAX_CELLS, (void **)&params.cells));
    CHECK_OK(ctx, heddle_graph_new(ctx, &soak, &g));
    CHECK_OK(ctx, heddle_graph_set_team_size(g, 32));
    CHECK_OK(ctx, heddle_graph_add(g, soak_root, &root, sizeof root, NULL, 0, NULL));
    do {
        run_tree(ctx, g, &params, n);
        n_all += n;
        n = n * 7 + check_random(&seed) % 100;
        n = n < n_most ? n : n_most;
        took = now_s() - begin;
    } while (took < seconds);
    printf("%s %s, arena %u: %llu tasks, %.1f M/s with checks; %s\n", heddle_schedule_name(cfg.schedule),
           heddle_policy_name(cfg.expert.policy), cfg.n_arena, (unsigned long long)n_all, (double)n_all / took / 1e6,
           heddle_graph_describe_run(g));
    heddle_graph_free(g);
    heddle_mem_free(ctx, params.cells);
    heddle_ctx_close(ctx);
    return n_all;
}

int main(int argc, char **argv)
{
    heddle_backend b = backend_of(argc > 1 ? argv[1] : "cpu");
    double seconds = argc > 2 ? atof(argv[2]) : 2;
    uint64_t n_most = argc > 3 ? strtoull(argv[3], NULL, 0) : 300000, seed = check_seed(0x50a), n_all = 0;
    size_t i, n = b == HEDDLE_SERIAL ? 1 : N_WAYS;
    if (!heddle_backend_is_present(b))
        SKIP("no device of backend %s", heddle_backend_name(b));
    for (i = 0; i < n; i++)
        n_all += soak_way(b, &ways[i], seconds / (double)n, n_most, check_random(&seed));
    printf("%llu tasks, none lost, none twice\n", (unsigned long long)n_all);
    return 0;
}
