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

/* A set of processors, by system numbers. */
typedef struct hd_cpus {
    uint64_t words[HD_MAX_CPUS / 64u];
} hd_cpus;
static inline void hd_cpus_add(hd_cpus *s, uint32_t cpu) { s->words[cpu / 64u] |= 1ull << cpu % 64u; }
static inline int hd_cpus_has(const hd_cpus *s, uint32_t cpu)
{
    return cpu < HD_MAX_CPUS && (s->words[cpu / 64u] >> cpu % 64u & 1u);
}

/* Finds cores and threads, not caches. Queries the allowed processors at every call, the layout of cores once. */
void hd_machine_look(hd_machine *m);
/* Finds the processors near each of n PCI devices, which are named as "0000:17:00.0". None is near "", or near a device that hwloc does not
 * know; and nothing without hwloc. Takes milliseconds. */
void hd_machine_near(const char *const *pci, uint32_t n, hd_cpus *out);
/* Pins the calling thread; ignores a refusal by the system. */
void hd_machine_pin(uint32_t cpu);

#endif
