/* SPDX-License-Identifier: MIT */
/* flat.c - the bodies of bodies.c that do not spawn, in a table of their own: a file has the code for one table. */
#define POOLED_FLAT
#include "bodies.c"
