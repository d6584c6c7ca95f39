/* SPDX-License-Identifier: MIT */
/* tuning.h - a file of how graphs ran best, so that the next process need not try. The profile file of fleets has the same form.
 *
 * The first line names the format. Each further line has words separated by tabs: the hash of a graph's structure (tasks,
 * bodies, edges; not arguments or costs), the device, the settings that left the choice, the choice, and the run's time in
 * ns. A new file is written beside the old one and renamed, so readers find either. Of concurrent writers the last one wins;
 * entries of the others are lost, which costs them new trials. A file with an invalid line is neither used nor
 * overwritten. */
#ifndef HD_TUNING_H
#define HD_TUNING_H

#include "graph/graph.h"

#define HD_TUNING_WORD 128u

typedef struct hd_tuning_key {
    uint64_t graph;
    char device[HD_TUNING_WORD], settings[HD_TUNING_WORD];
} hd_tuning_key;

/* The key of a frozen graph; characters that a line cannot have become blanks. */
void hd_tuning_key_of(hd_tuning_key *out, const hd_graph *g, const char *device, const char *settings);
/* The key of something that is no graph; the settings say what it is. */
void hd_tuning_key_plain(hd_tuning_key *out, const char *device, const char *settings);
/* 1: the remembered choice is in `choice`. 0: none; note says why the file cannot be used, or is "". */
int hd_tuning_find(const char *path, const hd_tuning_key *k, char choice[HD_TUNING_WORD], hd_error *note);
/* Stores a choice, replacing an earlier one of this key. EIO, ENOMEM, EPARSE for a file that is no tuning file. */
heddle_status hd_tuning_keep(const char *path, const hd_tuning_key *k, const char *choice, uint64_t run_ns,
                             hd_error *e);

#endif
