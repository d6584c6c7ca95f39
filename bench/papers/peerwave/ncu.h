/* SPDX-License-Identifier: MIT */
/* ncu.h - what ncu counts of the thesis' kernels: it starts this program, which runs each method of each application once. */
#ifndef PEERWAVE_NCU_H
#define PEERWAVE_NCU_H

#include "options.h"

/* Six applications of four methods, on fields of this many rows and columns. */
enum { NCU_LAUNCHES = 24, NCU_SIDE = 11520, NCU_LEAST_SECONDS = 4, NCU_SECONDS = 25 };

typedef struct ncu_counts {
    double misses[NCU_LAUNCHES]; /* sectors read that the L2 cache lacked                                  */
    double bytes[NCU_LAUNCHES];  /* from and to device memory                                              */
    size_t n;                    /* 0: nothing is known                                                    */
    const char *why;
} ncu_counts;

/* All launches, or none with a reason. Takes NCU_SECONDS at most, and no longer than to the deadline. */
void ncu_count(ncu_counts *out, const options *o, uint64_t deadline_ns);

#endif
