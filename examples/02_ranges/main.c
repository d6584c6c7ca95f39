/* SPDX-License-Identifier: MIT */
/* 02_ranges - which tasks wait for which. Nothing is run: the graphs are built, frozen and looked at. */
#include "heddle/task.h"

#include <stdio.h>

typedef struct nothing {
    int unused;
} nothing;
#define RANGES_BODIES(X) X(ranges_nothing, 0)
HEDDLE_ENUM(ranges, RANGES_BODIES)
HEDDLE_BODY(ranges_nothing, nothing, params, nothing, args) {}
HEDDLE_TABLE(ranges, nothing, RANGES_BODIES)

/* A matrix of 12 x 12 floats. Ranges are compared, never followed: it need not exist. */
#define N 12
#define STRIDE (N * sizeof(float))
static const void *at(unsigned row, unsigned col)
{
    return (const void *)(uintptr_t)(0x10000u + row * STRIDE + col * sizeof(float));
}
static heddle_range part(unsigned row, unsigned col, unsigned n_rows, unsigned n_cols, heddle_mode mode)
{
    return heddle_range_of(at(row, col), n_cols * sizeof(float), n_rows, STRIDE, mode);
}

static heddle_status add(heddle_graph *graph, const heddle_range *ranges, size_t n_ranges)
{
    nothing args = {0};
    return heddle_graph_add(graph, ranges_nothing, &args, sizeof args, ranges, n_ranges, NULL);
}

/* A graph of two tasks: does the second wait for the first? */
static heddle_status pair(heddle_ctx *ctx, const char *what, heddle_range first, heddle_range second)
{
    heddle_graph *graph;
    size_t n = 0;
    heddle_status s = heddle_graph_new(ctx, &ranges, &graph);
    if (s == HEDDLE_OK)
        s = add(graph, &first, 1);
    if (s == HEDDLE_OK)
        s = add(graph, &second, 1);
    if (s == HEDDLE_OK)
        s = heddle_graph_freeze(graph);
    if (s == HEDDLE_OK)
        s = heddle_graph_get_successors(graph, 0, NULL, 0, &n);
    if (s == HEDDLE_OK)
        printf("%-52s %s\n", what, n ? "waits" : "-");
    heddle_graph_free(graph);
    return s;
}

static heddle_status pairs(heddle_ctx *ctx)
{
    const struct {
        const char *what;
        heddle_range first, second;
    } p[] = {
        {"write a row, read it", part(0, 0, 1, N, HEDDLE_MODE_OUT), part(0, 0, 1, N, HEDDLE_MODE_IN)},
        {"read a row, write it", part(0, 0, 1, N, HEDDLE_MODE_IN), part(0, 0, 1, N, HEDDLE_MODE_OUT)},
        {"write a row, write it", part(0, 0, 1, N, HEDDLE_MODE_OUT), part(0, 0, 1, N, HEDDLE_MODE_OUT)},
        {"read a row, read it", part(0, 0, 1, N, HEDDLE_MODE_IN), part(0, 0, 1, N, HEDDLE_MODE_IN)},
        {"write half a row, read the other half", part(0, 0, 1, 6, HEDDLE_MODE_OUT), part(0, 6, 1, 6, HEDDLE_MODE_IN)},
        {"write half a row, read one element too many", part(0, 0, 1, 7, HEDDLE_MODE_OUT),
         part(0, 6, 1, 6, HEDDLE_MODE_IN)},
        {"write a block, read the block beside it", part(0, 0, 4, 4, HEDDLE_MODE_OUT),
         part(0, 4, 4, 4, HEDDLE_MODE_IN)},
        {"write a block, read the column beside it", part(0, 0, 4, 4, HEDDLE_MODE_OUT),
         part(0, 4, 4, 1, HEDDLE_MODE_IN)},
        {"write a block, read its last column", part(0, 0, 4, 4, HEDDLE_MODE_OUT), part(0, 3, 4, 1, HEDDLE_MODE_IN)},
        {"write a block, read the whole row above it", part(4, 4, 4, 4, HEDDLE_MODE_OUT),
         part(3, 0, 1, N, HEDDLE_MODE_IN)},
        {"write a block, read the whole row through it", part(4, 4, 4, 4, HEDDLE_MODE_OUT),
         part(5, 0, 1, N, HEDDLE_MODE_IN)},
        {"write a block, read a row up to where it begins", part(4, 4, 4, 4, HEDDLE_MODE_OUT),
         part(5, 0, 1, 4, HEDDLE_MODE_IN)},
    };
    heddle_status s = HEDDLE_OK;
    for (size_t i = 0; i < sizeof p / sizeof p[0] && s == HEDDLE_OK; i++)
        s = pair(ctx, p[i].what, p[i].first, p[i].second);
    return s;
}

/* One in-place sweep over 3 x 3 blocks of 4 x 4: each takes its block and one row or column of each neighbour. */
static heddle_status sweep(heddle_ctx *ctx)
{
    heddle_graph *graph;
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    heddle_status s = heddle_graph_new(ctx, &ranges, &graph);
    for (unsigned r = 0; r < N && s == HEDDLE_OK; r += 4)
        for (unsigned c = 0; c < N && s == HEDDLE_OK; c += 4) {
            heddle_range use[5];
            size_t n = 0;
            use[n++] = part(r, c, 4, 4, HEDDLE_MODE_INOUT);
            if (r > 0)
                use[n++] = part(r - 1, c, 1, 4, HEDDLE_MODE_IN);
            if (r + 4 < N)
                use[n++] = part(r + 4, c, 1, 4, HEDDLE_MODE_IN);
            if (c > 0)
                use[n++] = part(r, c - 1, 4, 1, HEDDLE_MODE_IN);
            if (c + 4 < N)
                use[n++] = part(r, c + 4, 4, 1, HEDDLE_MODE_IN);
            s = add(graph, use, n);
        }
    if (s == HEDDLE_OK)
        s = heddle_graph_freeze(graph);
    if (s == HEDDLE_OK)
        s = heddle_graph_get_info(graph, &info);
    if (s == HEDDLE_OK)
        printf("a sweep over 3 x 3 blocks: %u tasks, %u edges, %u levels, at most %u at once\n", (unsigned)info.n_tasks,
               (unsigned)info.n_edges, (unsigned)info.n_levels, (unsigned)info.max_width);
    heddle_graph_free(graph);
    return s;
}

int main(void)
{
    heddle_ctx *ctx;
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_status s;
    config.backend = HEDDLE_SERIAL;
    s = heddle_ctx_open(&ctx, &config);
    if (s == HEDDLE_OK)
        s = pairs(ctx);
    if (s == HEDDLE_OK)
        s = sweep(ctx);
    if (s != HEDDLE_OK)
        fprintf(stderr, "ranges: %s: %s\n", heddle_status_text(s), heddle_error_text(ctx));
    heddle_ctx_close(ctx);
    return s == HEDDLE_OK ? 0 : 1;
}
