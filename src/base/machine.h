/* SPDX-License-Identifier: MIT */
/* machine.h - the cores this process may use. */
#ifndef HD_MACHINE_H
#define HD_MACHINE_H

#include "base/base.h"

#define HD_MAX_CPUS 1024u

typedef struct hd_machine {
    heddle_machine pub;
    uint32_t cpu[HD_MAX_CPUS]; /* pub.n_threads numbers of the system, one a core first */
} hd_machine;

/* Cores and threads, not caches. What this process may use is asked each time, how that lies in cores once. */
void hd_machine_look(hd_machine *m);
/* Pins the calling thread; without complaint if the system refuses. */
void hd_machine_pin(uint32_t cpu);

#endif
