/* SPDX-License-Identifier: MIT */
/* tuning.h - a file that remembers how graphs ran best, so that the next process need not try.
 *
 * Lines of words between tabs, after a first line that names the format: the hash of a graph's structure (tasks, bodies,
 * edges; not arguments or costs), the device, the settings that left the choice, what was chosen, and the run's time in ns.
 * A file is written beside the old one and renamed: readers find the old one or the new one. Of several writers at the same
 * time the last one stays, and what the others added is lost, which costs them their tries again. A file with a line that is
 * none is neither used nor overwritten. */
#ifndef HD_TUNING_H
#define HD_TUNING_H

#include "graph/graph.h"

#define HD_TUNING_WORD 128u

typedef struct hd_tuning_key {
    uint64_t graph;
    char device[HD_TUNING_WORD], settings[HD_TUNING_WORD];
} hd_tuning_key;

/* The key of a frozen graph; what a line cannot have becomes a blank. */
void hd_tuning_key_of(hd_tuning_key *out, const hd_graph *g, const char *device, const char *settings);
/* 1: what was chosen, into choice. 0: nothing is known; note tells if the file is there and cannot be used, else is "". */
int hd_tuning_find(const char *path, const hd_tuning_key *k, char choice[HD_TUNING_WORD], hd_error *note);
/* Remembers a choice, in place of an earlier one of this key. EIO, ENOMEM, EPARSE for a file that is none. */
heddle_status hd_tuning_keep(const char *path, const hd_tuning_key *k, const char *choice, uint64_t run_ns,
                             hd_error *e);

#endif
