/* SPDX-License-Identifier: MIT */
/* cases.h - loops that the tests run on different fleets: each leaves all that it has written in one block of bytes. */
#ifndef LOOP_CASES_H
#define LOOP_CASES_H

#include "loop/bodies.h"

#include "check.h"

#include <string.h>

typedef struct looped_case {
    uint32_t body;
    uint64_t n, n_2, tile, tile_2;
    heddle_split split;
    uint64_t seed;
} looped_case;

typedef struct looped_bytes {
    uint8_t *at;
    size_t n;
} looped_bytes;

/* A loop with its arrays. */
typedef struct looped_rig {
    heddle_fleet *fleet;
    heddle_array *a, *b, *c, *all, *turned;
    uint64_t n;
    size_t c_bytes, turned_bytes;
    looped_params params;
    double sum;
    float least;
    uint32_t bins[LOOPED_BINS];
    int64_t most;
    heddle_loop *loop;
} looped_rig;

/* Makes it: the status of what failed first. looped_close may always follow. */
heddle_status looped_open(looped_rig *r, heddle_fleet *f, const looped_case *c);
/* The loop's accesses, at most LOOPED_MOST_ACCESSES: returns how many. */
#define LOOPED_MOST_ACCESSES 5u
uint32_t looped_accesses(looped_rig *r, const looped_case *c, heddle_access *out);
/* With these fields of the loop's description, too. */
heddle_status looped_open_more(looped_rig *r, heddle_fleet *f, const looped_case *c, uint32_t time_limit_ms,
                               uint32_t n_trace);
/* Everything that it writes, with fresh input. */
void looped_fill(looped_rig *r, const looped_case *c);
looped_bytes looped_take(const looped_rig *r);
void looped_close(looped_rig *r);

/* Runs the case on a fleet; the bytes are the caller's. */
looped_bytes looped_run(heddle_fleet *f, const looped_case *c);
/* The same by plain loops over indices. */
looped_bytes looped_plain(const looped_case *c);
/* How often a file has this text. */
int looped_count_in(const char *path, const char *what);

#endif
