/* SPDX-License-Identifier: MIT */
/* device.h - an accelerator that another process plays. Opening it forks: no thread may hold a lock then that bodies want. */
#ifndef FOREIGN_DEVICE_H
#define FOREIGN_DEVICE_H

#include "heddle/loop.h"

typedef struct device_config {
    uint64_t memory_bytes, most_copy_bytes;
    double link; /* bytes a second */
    double start_ns,
        each_ns;   /* a span of n indices takes start + n * each, or as long as the process computes if that is more */
    double weight; /* how many cores it is worth, as told; 0: one */
    const heddle_table *table; /* bodies of its own, by the numbers of the loop's; NULL: the loop's */
} device_config;

/* 0: it cannot be had. */
int device_open(const device_config *c, heddle_accelerator *out);

#endif
