/* SPDX-License-Identifier: MIT */
/* ranges.c - the cost of adding a task with irregular ranges: they overlap in part, come in all sizes, and hardly ever
 * recur. One line per case (TSV): tasks, ns of processor time per task for adding and freezing, edges per task, joins,
 * and the graph's largest size in bytes per task. Nothing is run, no address is dereferenced.
 *
 *     overhead_ranges CASE [TASKS]        CASE "list": the cases */
#include "heddle.h"
#include "heddle/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct no_params {
    int none;
} no_params;
typedef struct no_args {
    int none;
} no_args;

#define RANGES_BODIES(X) X(ranges_nothing, 0)
HEDDLE_ENUM(ranges, RANGES_BODIES)
HEDDLE_BODY(ranges_nothing, no_params, params, no_args, t)
{
    (void)params;
    (void)t;
}
HEDDLE_TABLE(ranges, no_params, RANGES_BODIES)

static uint64_t seed = 20260301;

static uint64_t below(uint64_t n)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % n;
}

/* Rows of `row_bytes` from (row, col) of a matrix with this stride. */
static heddle_range block(uint64_t stride, uint64_t row, uint64_t col, uint64_t rows, uint64_t cols, heddle_mode mode)
{
    return heddle_range_of((const void *)(uintptr_t)((1ull << 40) + row * stride + col), cols, rows, stride, mode);
}

/* The side of a square that n blocks of 32 x 32 cover once on average. */
static uint64_t side_of(uint64_t n)
{
    static uint64_t last_n, side;
    if (n == last_n)
        return side;
    for (last_n = n, side = 64; side * side < n * 1024;)
        side += 64;
    return side;
}

/* A block of random shape at a random place. Two of three are read. */
static heddle_range random_block(uint64_t stride, uint64_t side)
{
    heddle_mode mode = below(3) ? HEDDLE_MODE_IN : HEDDLE_MODE_INOUT;
    uint64_t rows = 2 + below(63), cols = 1 + below(64);
    return block(stride, below(side), below(side), rows, cols, mode);
}

/* The ranges of the i-th of n tasks, at most five. */
static uint32_t blocks(heddle_range *r, uint64_t i, uint64_t n)
{
    (void)i;
    r[0] = random_block(1 << 20, side_of(n));
    return 1;
}

static uint32_t dense(heddle_range *r, uint64_t i, uint64_t n)
{
    (void)i;
    (void)n;
    r[0] = random_block(1 << 20, 4096);
    return 1;
}

static uint32_t writes(heddle_range *r, uint64_t i, uint64_t n)
{
    blocks(r, i, n);
    r[0].mode = HEDDLE_MODE_INOUT;
    return 1;
}

/* Eight matrices in turn, each with a stride of its own. */
static uint32_t matrices(heddle_range *r, uint64_t i, uint64_t n)
{
    uint64_t k = i % 8;
    r[0] = random_block((1 << 20) + 64 * k, side_of(n / 8));
    r[0].base = (const char *)r[0].base + (k << 42);
    return 1;
}

/* One stretch of memory with eight strides. */
static uint32_t strides(heddle_range *r, uint64_t i, uint64_t n)
{
    uint64_t stride = 4096 + 64 * (i % 8);
    r[0] = random_block(stride, 4000);
    r[0] = block(stride, below(n / 4 + 1), below(4000), 2 + below(7), 1 + below(64), r[0].mode);
    return 1;
}

/* Each task has a stride of its own, and a block at a random place. */
static uint32_t lone(heddle_range *r, uint64_t i, uint64_t n)
{
    r[0] =
        block(128 + i, 0, below(n) << 24, 2 + below(7), 1 + below(64), below(3) ? HEDDLE_MODE_IN : HEDDLE_MODE_INOUT);
    return 1;
}

/* Prefixes are read; the last task writes everything. */
static uint32_t prefixes(heddle_range *r, uint64_t i, uint64_t n)
{
    r[0] = heddle_range_of((const void *)(1ull << 40), 8 * (i + 1), 1, 0, i + 1 < n ? HEDDLE_MODE_IN : HEDDLE_MODE_OUT);
    return 1;
}

static heddle_range window(uint64_t i, heddle_mode mode)
{
    return heddle_range_of((const void *)(uintptr_t)((1ull << 40) + 8 * i), 8 * 2600, 1, 0, mode);
}

static uint32_t windows(heddle_range *r, uint64_t i, uint64_t n)
{
    (void)n;
    r[0] = window(i, HEDDLE_MODE_INOUT);
    return 1;
}

static uint32_t read_windows(heddle_range *r, uint64_t i, uint64_t n)
{
    (void)n;
    r[0] = window(i, HEDDLE_MODE_IN);
    return 1;
}

/* Steps over two copies of a grid of 64 x 64 tiles: a tile is written from the other copy's tile and a border of one. */
static uint32_t borders(heddle_range *r, uint64_t i, uint64_t n)
{
    uint64_t tile = i % 4096, step = i / 4096, row = 1 + tile / 64 * 32, col = 1 + tile % 64 * 32;
    uint64_t from = (step % 2) * 8192, to = 8192 - from;
    (void)n;
    r[0] = block(1 << 20, row - 1, from + col - 1, 34, 34, HEDDLE_MODE_IN);
    r[1] = block(1 << 20, row, to + col, 32, 32, HEDDLE_MODE_OUT);
    return 2;
}

/* The usual case: tiles of a grid that recur exactly. */
static uint32_t tiles(heddle_range *r, uint64_t i, uint64_t n)
{
    uint64_t tile = i % 4096, row = tile / 64 * 32, col = tile % 64 * 32;
    (void)n;
    r[0] = block(1 << 20, row, (col + 32) % 2048, 32, 32, HEDDLE_MODE_IN);
    r[1] = block(1 << 20, row, col, 32, 32, HEDDLE_MODE_INOUT);
    return 2;
}

/* Tiles that are used once. */
static uint32_t once(heddle_range *r, uint64_t i, uint64_t n)
{
    (void)n;
    r[0] = block(1 << 20, i / 1024 * 32, i % 1024 * 32, 32, 32, HEDDLE_MODE_OUT);
    return 1;
}

/* A sweep over a grid with smaller tiles at the border: a tile is updated from the four beside it. */
static heddle_range inner_tile(uint64_t i, uint64_t j, uint64_t side, heddle_mode mode)
{
    uint64_t row = i ? i * 32 : 1, col = j ? j * 32 : 1;
    return block(1 << 20, row, col, (i + 1) * 32 - row - (i + 1 == side), (j + 1) * 32 - col - (j + 1 == side), mode);
}

static uint32_t sweep(heddle_range *r, uint64_t k, uint64_t n)
{
    uint64_t side = (uint64_t)1 << 9, i = k / side % side, j = k % side;
    uint32_t m = 0;
    (void)n;
    r[m++] = inner_tile(i, j, side, HEDDLE_MODE_INOUT);
    if (i > 0)
        r[m++] = inner_tile(i - 1, j, side, HEDDLE_MODE_IN);
    if (i + 1 < side)
        r[m++] = inner_tile(i + 1, j, side, HEDDLE_MODE_IN);
    if (j > 0)
        r[m++] = inner_tile(i, j - 1, side, HEDDLE_MODE_IN);
    if (j + 1 < side)
        r[m++] = inner_tile(i, j + 1, side, HEDDLE_MODE_IN);
    return m;
}

typedef struct ranges_case {
    const char *name;
    uint64_t n;
    uint32_t (*put)(heddle_range *r, uint64_t i, uint64_t n);
} ranges_case;

static const ranges_case cases[] = {
    {"blocks", 1000000, blocks},     {"dense", 100000, dense},      {"writes", 1000000, writes},
    {"matrices", 1000000, matrices}, {"strides", 1000000, strides}, {"lone", 1000000, lone},
    {"prefixes", 20000, prefixes},   {"windows", 100000, windows},  {"read_windows", 100000, read_windows},
    {"borders", 200000, borders},    {"tiles", 1000000, tiles},     {"once", 1000000, once},
    {"sweep", 262144, sweep},
};
#define N_CASES (sizeof cases / sizeof cases[0])

static heddle_status add_all(heddle_graph *g, const ranges_case *c, uint64_t n)
{
    no_args args = {0};
    heddle_range r[5];
    heddle_status s = HEDDLE_OK;
    for (uint64_t i = 0; i < n && s == HEDDLE_OK; i++) {
        uint32_t n_ranges = c->put(r, i, n);
        s = heddle_graph_add(g, ranges_nothing, &args, sizeof args, r, n_ranges, NULL);
    }
    return s;
}

/* Time of this thread on its processor, so that other load counts less. */
static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static heddle_status measure(heddle_ctx *ctx, const ranges_case *c, uint64_t n)
{
    heddle_graph_info i = HEDDLE_GRAPH_INFO_INIT;
    heddle_graph *g = NULL;
    double begin, added;
    heddle_status s = heddle_graph_new(ctx, &ranges, &g);
    begin = cpu_ns();
    s = s == HEDDLE_OK ? add_all(g, c, n) : s;
    added = cpu_ns();
    s = s == HEDDLE_OK ? heddle_graph_freeze(g) : s;
    s = s == HEDDLE_OK ? heddle_graph_get_info(g, &i) : s;
    if (s == HEDDLE_OK)
        printf("%s\t%llu\t%.0f\t%.0f\t%.2f\t%llu\t%.0f\n", c->name, (unsigned long long)n, (added - begin) / (double)n,
               (double)i.freeze_ns / (double)n, (double)i.n_edges / (double)n, (unsigned long long)i.n_joins,
               (double)i.peak_bytes / (double)n);
    fflush(stdout);
    heddle_graph_free(g);
    return s;
}

static int usage(void)
{
    for (size_t i = 0; i < N_CASES; i++)
        printf("%s\n", cases[i].name);
    return 2;
}

int main(int argc, char **argv)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx = NULL;
    heddle_status s;
    config.backend = HEDDLE_SERIAL;
    s = heddle_ctx_open(&ctx, &config);
    printf("case\ttasks\tadd_ns\tfreeze_ns\tedges_a_task\tjoins\tpeak_bytes_a_task\n");
    for (size_t i = 0; i < N_CASES && s == HEDDLE_OK; i++)
        if (argc < 2 || !strcmp(argv[1], "all") || !strcmp(argv[1], cases[i].name))
            s = measure(ctx, &cases[i], argc > 2 ? strtoull(argv[2], NULL, 0) : cases[i].n);
        else if (!strcmp(argv[1], "list"))
            return usage();
    if (s != HEDDLE_OK)
        fprintf(stderr, "ranges: %s\n", heddle_error_text(ctx));
    heddle_ctx_close(ctx);
    return s == HEDDLE_OK ? 0 : 1;
}
