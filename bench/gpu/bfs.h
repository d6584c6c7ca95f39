/* SPDX-License-Identifier: MIT */
/* bfs.h - breadth-first search level by level, as usually written for a GPU, without heddle. A C interface, implemented
 * with CUDA (bfs.cu), or by a refusal without CUDA (bfs_none.c).
 *
 * All ways keep queues of the vertices of a level, and look at no other vertices. They read the rows of the app bfs,
 * which a GPU fetches by 32 bytes (apps/bfs_bodies.h). Their depths are compared with a serial search's. */
#ifndef BENCH_BFS_H
#define BENCH_BFS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bfs_graph {
    uint64_t n;                     /* vertices                                                         */
    const uint32_t *begin, *column; /* n + 1 row starts; ends of arcs */
    uint32_t source;
} bfs_graph;

#define BFS_WAYS_MAP(X)                                                                                       \
    X(LAUNCHES, "launches", "a launch a level, as many as there are levels, which the host knows beforehand") \
    X(ASKING, "launches, asking", "a launch a level, and the host reads whether there is another")            \
    X(GRAPH, "graph", "the launches captured into one CUDA graph, replayed")                                  \
    X(GRID, "grid.sync", "one cooperative kernel, a barrier of all blocks between levels")                    \
    X(BLOCK, "one block", "one block of 1024 threads, queues in shared memory")

typedef enum bfs_way {
#define BFS_X(name, text, help) BFS_BY_##name,
    BFS_WAYS_MAP(BFS_X)
#undef BFS_X
        BFS_N_WAYS
} bfs_way;

/* us: each way's median of n_runs, without the reset of distances. Returns 0, or -1 with a sentence in error (256
 * bytes); also if depths differ from the serial ones. */
int bfs_baselines(const bfs_graph *g, int n_runs, double us[BFS_N_WAYS], char *error);

#ifdef __cplusplus
}
#endif
#endif
