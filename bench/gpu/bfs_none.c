/* SPDX-License-Identifier: MIT */
/* bfs_none.c - bfs.h in a build without CUDA: refuses. */
#include "bfs.h"

#include <stdio.h>

int bfs_baselines(const bfs_graph *g, int n_runs, double us[BFS_N_WAYS], char *error)
{
    (void)g;
    (void)n_runs;
    (void)us;
    snprintf(error, 256, "built without CUDA");
    return -1;
}
