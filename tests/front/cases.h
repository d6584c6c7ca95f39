/* SPDX-License-Identifier: MIT */
/* cases.h - wavefronts that the tests run on different fleets, and what plain loops leave. */
#ifndef FRONT_CASES_H
#define FRONT_CASES_H

#include "front/bodies.h"
#include "heddle/wavefront.h"

#include "check.h"

typedef struct front_case {
    uint32_t body, rows, cols, sweeps;
    heddle_split split;
    uint64_t seed;
    int has_borders, keeps; /* borders are arrays; cells are kept */
    uint32_t fail_row, fail_col, time_limit_ms, n_trace;
} front_case;

typedef struct front_bytes {
    uint8_t *at;
    size_t n;
} front_bytes;

/* A wavefront with its arrays. */
typedef struct front_rig {
    const front_case *c;
    uint32_t cell_words;
    heddle_array *x, *y, *north, *west, *cells, *last_row, *last_col;
    front_found found;
    heddle_best best;
    front_params params;
    heddle_wavefront *w;
} front_rig;

/* Makes it: the status of what failed first. front_close may always follow. */
heddle_status front_open(front_rig *r, heddle_fleet *f, const front_case *c);
void front_close(front_rig *r);
/* Everything that it writes, with fresh input. */
void front_fill(front_rig *r);
front_bytes front_take(const front_rig *r);
/* The same by plain loops. */
front_bytes front_plain(const front_case *c);
/* Exits if these differ. Frees both. */
void front_compare(front_bytes want, front_bytes got, const front_case *c, const char *how);
/* Of up to front_most_rows rows. */
extern uint32_t front_most_rows;
front_case front_random(uint64_t *seed, uint32_t body);

#endif
