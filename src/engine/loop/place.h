/* SPDX-License-Identifier: MIT */
/* place.h - which processor each thread of a fleet has: managers of accelerators are near their device, each on a core of its own; bodies
 * run on the cores that are left. */
#ifndef HD_LOOP_PLACE_H
#define HD_LOOP_PLACE_H

#include "base/machine.h"
#include "heddle/core/task.h"

typedef struct hd_place {
    const hd_cpus *near;  /* processors near the device; none: it is near nothing, or that is not known */
    uint32_t n_near, cpu; /* set: how many cores these are; the processor that was chosen */
} hd_place;

/* Chooses among n_cores processors, one of each core. There are enough: n_managers + n_bodies <= n_cores. As many managers as possible are
 * near their device. That holds if near sets are like parts of a machine: of two, one has the other, or they have nothing in
 * common. Of equals, managers have the last cores, and bodies the first that are left, in order. */
void hd_place_choose(const uint32_t *cpus, uint32_t n_cores, hd_place *managers, uint32_t n_managers, uint32_t *bodies,
                     uint32_t n_bodies);

#endif
