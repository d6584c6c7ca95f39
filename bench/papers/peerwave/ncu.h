/* SPDX-License-Identifier: MIT */
/* ncu.h - ncu's counts for the thesis' kernels: it starts this program, which runs each method of an application once. */
#ifndef PEERWAVE_NCU_H
#define PEERWAVE_NCU_H

#include "options.h"

/* Six applications with four methods, on fields of this many rows and columns. */
enum { NCU_LAUNCHES = 24, NCU_SIDE = 11520, NCU_LEAST_SECONDS = 4, NCU_SECONDS = 25 };

typedef struct ncu_counts {
    double misses[NCU_LAUNCHES]; /* read sectors that missed in the L2 cache */
    double bytes[NCU_LAUNCHES];  /* from and to device memory                                              */
    size_t n;                    /* 0: unknown */
    const char *why;
} ncu_counts;

/* Counts all launches, or none, with a reason. Takes at most NCU_SECONDS, and ends before the deadline. */
void ncu_count(ncu_counts *out, const options *o, uint64_t deadline_ns);

#endif
