/* SPDX-License-Identifier: MIT */
/* pinned.h - pinned memory of ours: huge pages of the system that the driver is told of. Several threads may do so at once: the driver
 * takes one thread after the other for memory of its own, and small pages take longer. */
#ifndef SHARE_PINNED_H
#define SHARE_PINNED_H

#include "driver.h"

typedef struct share_pinned {
    char *at;  /* NULL: none */
    void *map; /* what to give back to the system */
    size_t n_map_bytes;
} share_pinned;

/* 0, or -1: there is none to be had, and *p is empty. A context is current. */
int share_pinned_new(const share_driver *real, size_t n_bytes, share_pinned *p);
void share_pinned_free(const share_driver *real, share_pinned *p);

#endif
