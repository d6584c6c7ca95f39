/* SPDX-License-Identifier: MIT */
/* bfs_case.h - gives benches the graph of a bfs case, to feed other programs. */
#ifndef BFS_CASE_H
#define BFS_CASE_H

#include "app.h"
#include "input.h"

/* Owned by the case, valid as long as it is. */
const input_graph *bfs_graph_of(const app_case *c, uint32_t *source);

#endif
