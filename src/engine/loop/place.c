/* SPDX-License-Identifier: MIT */
/* place.c - chooses processors for the threads of a fleet (place.h). It knows nothing of fleets and machines.
 *
 * A manager with fewer cores near its device chooses earlier, since the others find another core more easily. A manager with none, or with
 * none that is free, chooses last. */
#include "engine/loop/place.h"

typedef struct choice {
    const uint32_t *cpus;
    uint32_t n_cores;
    hd_cpus taken;
} choice;

static uint32_t count_near(const choice *c, const hd_cpus *near)
{
    uint32_t i, n = 0;
    for (i = 0; i < c->n_cores; i++)
        n += (uint32_t)hd_cpus_has(near, c->cpus[i]);
    return n;
}

/* The last free processor, of those near or (NULL) of all. HD_NONE: there is none. */
static uint32_t take_last(choice *c, const hd_cpus *near)
{
    uint32_t i;
    for (i = c->n_cores; i-- > 0;)
        if (!hd_cpus_has(&c->taken, c->cpus[i]) && (!near || hd_cpus_has(near, c->cpus[i]))) {
            hd_cpus_add(&c->taken, c->cpus[i]);
            return c->cpus[i];
        }
    return HD_NONE;
}

void hd_place_choose(const uint32_t *cpus, uint32_t n_cores, hd_place *managers, uint32_t n_managers, uint32_t *bodies,
                     uint32_t n_bodies)
{
    choice c = {cpus, n_cores, {{0}}};
    uint32_t size, i, k;
    for (i = 0; i < n_managers; i++)
        managers[i] = (hd_place){managers[i].near, count_near(&c, managers[i].near), HD_NONE};
    for (size = 1; size <= n_cores; size++)
        for (i = 0; i < n_managers; i++)
            if (managers[i].n_near == size)
                managers[i].cpu = take_last(&c, managers[i].near);
    for (i = 0; i < n_managers; i++)
        if (managers[i].cpu == HD_NONE)
            managers[i].cpu = take_last(&c, NULL);
    for (i = k = 0; i < n_cores && k < n_bodies; i++)
        if (!hd_cpus_has(&c.taken, cpus[i]))
            bodies[k++] = cpus[i];
}
