/* SPDX-License-Identifier: MIT */
/* machine.h - the cores this process may use. */
#ifndef HD_MACHINE_H
#define HD_MACHINE_H

#include "base/base.h"

#define HD_MAX_CPUS 1024u

typedef struct hd_machine {
    heddle_machine pub;
    uint32_t cpu[HD_MAX_CPUS]; /* pub.n_threads system numbers, one per core first */
} hd_machine;

/* Finds cores and threads, not caches. Queries the allowed processors at every call, the layout of cores once. */
void hd_machine_look(hd_machine *m);
/* Pins the calling thread; ignores a refusal by the system. */
void hd_machine_pin(uint32_t cpu);

#endif
