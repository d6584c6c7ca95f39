/* SPDX-License-Identifier: MIT */
/* spawn_dense.c - the bodies of spawn_bodies.c in their other table: a file has the code for one table. */
#define SPAWN_DENSE
#include "spawn_bodies.c"
