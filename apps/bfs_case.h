/* SPDX-License-Identifier: MIT */
/* bfs_case.h - what benches want of a case of app bfs: its graph, to give it to other programs. */
#ifndef BFS_CASE_H
#define BFS_CASE_H

#include "app.h"
#include "input.h"

/* The case's own, for as long as it lives. */
const input_graph *bfs_graph_of(const app_case *c, uint32_t *source);

#endif
