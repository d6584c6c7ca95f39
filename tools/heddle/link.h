/* SPDX-License-Identifier: MIT */
/* link.h - what the links of a machine can do, measured without heddle: for `heddle info --links`, and for bounds in figures. */
#ifndef LINK_H
#define LINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LINK_ERROR = 160, LINK_HOST = -1, LINK_FLOWS = 2 };

/* Bytes that go one way: from a GPU, or from pinned memory of the host, to another of these; in one piece (row_bytes 0), or as rows of a
 * matrix that has LINK_PITCH bytes a row, which lie packed at the other end. */
typedef struct link_flow {
    int from, to; /* numbers of GPUs; LINK_HOST */
    uint64_t n_bytes;
    double ms; /* written: from the common begin to its own end */
    uint64_t row_bytes;
} link_flow;
#define LINK_PITCH 65536u

/* Times up to LINK_FLOWS flows that are under way at once and have a GPU in common, in copies of chunk_bytes, at most 64 MiB, with their
 * pitch. Of seven runs, it is the one that ended first. These functions return nonzero if that is not possible; why not is in error. */
int link_time(link_flow *f, int n, uint64_t chunk_bytes, char error[LINK_ERROR]);
/* Microseconds from the call of a copy of 64 bytes until the host knows of its end: the median of many. n_bytes is not used. */
int link_latency(const link_flow *f, double *us, char error[LINK_ERROR]);

#ifdef __cplusplus
}
#endif

#endif
