/* SPDX-License-Identifier: MIT */
/* spawn_openmp.c - uts and queens with the compiler's OpenMP tasks, with the applications' node code and granularity:
 * the same tasks, with the same records, spawn the same tasks. See libgomp.py.
 *
 *     spawn_openmp uts CHUNK tied|untied RUNS         the tree T1
 *     spawn_openmp queens CUTOFF tied|untied RUNS     13 queens
 *
 * Prints the answer, and the milliseconds of each run. OMP_NUM_THREADS sets the number of threads. */
#include "app.h"
#include "queens_bodies.h"
#include "uts_bodies.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOARD 13
#define SEED 19 /* of T1 */
#define MOST_THREADS 256

/* One cell per thread, as in tally.h; a task adds to it once. */
static tally_cell cells[MOST_THREADS];

static void add(uint64_t v) { cells[omp_get_thread_num()].v[0] += v; }

static uint64_t sum(void)
{
    uint64_t all = 0;
    for (size_t i = 0; i < MOST_THREADS; i++)
        all += cells[i].v[0];
    return all;
}

/* Each task in both kinds, because the clause must be in the source. */
#define TASK(is_untied, call)                \
    do {                                     \
        if (is_untied) {                     \
            _Pragma("omp task untied") call; \
        } else {                             \
            _Pragma("omp task") call;        \
        }                                    \
    } while (0)

static int untied;

/* ---- uts ------------------------------------------------------------------------------------------- */

static uts_params tree;

static void search(const uts_node *node, uint32_t n);

static void spawn_2(const void *batch)
{
    uts_batch_2 b;
    memcpy(&b, batch, sizeof b);
    TASK(untied, search(b.node, b.n));
}

static void spawn_16(const void *batch)
{
    uts_batch_16 b;
    memcpy(&b, batch, sizeof b);
    TASK(untied, search(b.node, b.n));
}

static void spawn_64(const void *batch)
{
    uts_batch_64 b;
    memcpy(&b, batch, sizeof b);
    TASK(untied, search(b.node, b.n));
}

static void spawn(uts_batch_64 *out)
{
    if (out->n <= 2)
        spawn_2(out);
    else if (out->n <= 16)
        spawn_16(out);
    else
        spawn_64(out);
    out->n = 0;
}

static void search(const uts_node *node, uint32_t n)
{
    uint64_t n_made = 0;
    uts_batch_64 out;
    out.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < node[i].n; k++)
            if (uts_child(tree.rows, tree.n_rows, &node[i], k, &out.node[out.n]) && ++out.n == tree.chunk)
                spawn(&out);
        n_made += node[i].n;
    }
    if (out.n)
        spawn(&out);
    add(n_made);
}

static void run_uts(void)
{
    const uint32_t seed[5] = {0, 0, 0, 0, SEED};
    uts_batch_64 root = {.n = 1};
    sha1_words(seed, 5, root.node[0].state);
    root.node[0].n = (uint16_t)uts_children(tree.rows, tree.n_rows, 0, root.node[0].state);
    add(1);
    spawn(&root);
}

/* The application makes the distributions. */
static const void *record_of(const char *app, const char *key, const char *value)
{
    static char error[APP_ERROR];
    app_pair opt = {key, value};
    app_request q = {.n = {!strcmp(app, "queens") ? BOARD : 0, 0}, .opts = &opt, .n_opts = 1};
    heddle_config serial = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    app_case *c = app_find(app)->prepare(&q, error);
    serial.backend = HEDDLE_SERIAL;
    if (!c || heddle_ctx_open(&ctx, &serial) != HEDDLE_OK || c->scenario->build(c, ctx)) {
        fprintf(stderr, "spawn_openmp: %s\n", !c ? error : *c->error ? c->error : "no serial backend");
        exit(2);
    }
    return c->record;
}

/* ---- queens ---------------------------------------------------------------------------------------- */

static queens_params board;

static void place(queens_board at)
{
    const uint32_t open = queens_free(&at, board.n);
    if (at.row >= board.cutoff) {
        add(queens_search(&at, board.n));
        return;
    }
    for (uint32_t k = 0; k < board.n; k++)
        if (open >> k & 1u) {
            const queens_board next = queens_put(&at, 1u << k);
            TASK(untied, place(next));
        }
}

static void run_queens(void)
{
    const queens_board empty = {0, 0, 0, 0};
    place(empty);
}

/* ---- the program ----------------------------------------------------------------------------------- */

static double run_once(void (*run)(void))
{
    const double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    run();
    return 1e3 * (omp_get_wtime() - begin);
}

int main(int argc, char **argv)
{
    int is_uts, runs;
    if (argc != 5 || (strcmp(argv[1], "uts") && strcmp(argv[1], "queens")) || omp_get_max_threads() > MOST_THREADS) {
        fprintf(stderr, "usage: spawn_openmp uts|queens GRAIN tied|untied RUNS\n");
        return 2;
    }
    is_uts = !strcmp(argv[1], "uts");
    untied = !strcmp(argv[3], "untied");
    runs = atoi(argv[4]);
    if (is_uts)
        tree = *(const uts_params *)record_of("uts", "chunk", argv[2]);
    else
        board = *(const queens_params *)record_of("queens", "cutoff", argv[2]);
    for (int i = 0; i < runs; i++) {
        double ms;
        memset(cells, 0, sizeof cells);
        ms = run_once(is_uts ? run_uts : run_queens);
        if (i == 0)
            printf("%llu", (unsigned long long)sum());
        printf(" %.4f", ms);
    }
    puts("");
    return 0;
}
