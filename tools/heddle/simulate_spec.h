/* SPDX-License-Identifier: MIT */
/* simulate_spec.h - the words by which `heddle simulate` is told of fleets, links and loops (its help has them all). */
#ifndef SIMULATE_SPEC_H
#define SIMULATE_SPEC_H

#include "heddle/simulate.h"

enum { SPEC_MOST = 64, SPEC_NAME = 24 }; /* kinds, or links; bytes of a name */

typedef struct simulate_spec {
    heddle_simulation d; /* points into this struct */
    heddle_simulated_kind kinds[SPEC_MOST];
    char kind_names[SPEC_MOST][SPEC_NAME];
    heddle_simulated_link links[SPEC_MOST];
    char link_names[SPEC_MOST][SPEC_NAME];
    double time_ns; /* that the loop should take, ideally; 0: speeds are as told */
} simulate_spec;

extern const char simulate_help[];

/* fleet: "[N*]NAME[:KEY=VALUE,...] ..."; links and loop may be NULL. CLI_OK, or CLI_BAD with the sentence printed. */
int simulate_spec_read(simulate_spec *s, const char *fleet, const char *links, const char *loop);

#endif
