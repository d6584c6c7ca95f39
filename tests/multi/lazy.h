/* SPDX-License-Identifier: MIT */
/* lazy.h - accelerators that do what is in their queues as late as they may, in any order that points allow: a wait that is missing shows in the
 * bytes. They can record, and find out whether the rules for that are kept (heddle/fleet.h). */
#ifndef MULTI_LAZY_H
#define MULTI_LAZY_H

#include "heddle/fleet.h"

typedef struct lazy_config {
    uint32_t n;
    uint64_t seed;
    int records;      /* they can record */
    int refuses;      /* a record that was begun cannot be ended */
    uint64_t lose_at; /* copies and spans that the first one does before it is lost; 0: it is not */
} lazy_config;

typedef struct lazy_counts {
    uint64_t n_records, n_replays, n_done; /* that were made; that have ended; copies and spans of the first one */
} lazy_counts;

/* They join the fleet. *counts is kept up to date, by another thread, while the fleet is there. */
void lazy_add(heddle_fleet *f, const lazy_config *c, lazy_counts *counts);

#endif
