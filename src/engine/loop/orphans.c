/* SPDX-License-Identifier: MIT */
/* orphans.c - memory of an accelerator that a freed loop, or stride of a wavefront, had. A silent accelerator may still work on it, so it is freed later. */
#include "engine/loop/fleet.h"

void hd_orphan_add(hd_fleet_unit *u, void *memory, uint64_t n_bytes)
{
    const uint32_t health = hd_unit_health(u);
    if (health == HD_UNIT_WELL)
        u->acc.mem_free(u->acc.self, memory, n_bytes);
    if (health != HD_UNIT_SILENT)
        return;
    (void)pthread_mutex_lock(&u->fleet->mutex);
    if (!hd_list_room(&u->orphans, 1, sizeof(hd_orphan))) /* without memory for the list it stays allocated */
        ((hd_orphan *)u->orphans.at)[u->orphans.n++] = (hd_orphan){memory, n_bytes};
    (void)pthread_mutex_unlock(&u->fleet->mutex);
}

void hd_orphans_free(hd_fleet_unit *u)
{
    uint64_t i;
    (void)pthread_mutex_lock(&u->fleet->mutex);
    for (i = 0; i < u->orphans.n; i++) {
        const hd_orphan *o = (const hd_orphan *)u->orphans.at + i;
        u->acc.mem_free(u->acc.self, o->memory, o->n_bytes);
    }
    u->orphans.n = 0;
    (void)pthread_mutex_unlock(&u->fleet->mutex);
}

void hd_unit_is_back(hd_fleet_unit *u)
{
    hd_orphans_free(u);
    __atomic_store_n(&u->health, HD_UNIT_WELL, __ATOMIC_RELEASE);
}
