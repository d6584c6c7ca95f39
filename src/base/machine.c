/* SPDX-License-Identifier: MIT */
/* machine.c - the cores this process may use, and pinning threads to them. hwloc's view when it is compiled in (one
 * hardware thread of each core first), else the system's list of allowed processors. */
#include "base/machine.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#if HEDDLE_HAVE_HWLOC
#include <hwloc.h>
#endif

static uint32_t allowed_cpus(hd_machine *m)
{
    cpu_set_t set;
    uint32_t i, n = 0;
    if (sched_getaffinity(0, sizeof set, &set)) {
        CPU_ZERO(&set);
        CPU_SET(0, &set);
    }
    for (i = 0; i < CPU_SETSIZE && n < HD_MAX_CPUS; i++)
        if (CPU_ISSET(i, &set))
            m->cpu[n++] = i;
    return n;
}

static uint64_t cache_bytes(int name)
{
    long v = sysconf(name);
    return v > 0 ? (uint64_t)v : 0;
}

static void ask_system(hd_machine *m)
{
    m->pub.n_threads = allowed_cpus(m);
    m->pub.n_cores = m->pub.n_threads;
    m->pub.cache_bytes[0] = cache_bytes(_SC_LEVEL1_DCACHE_SIZE);
    m->pub.cache_bytes[1] = cache_bytes(_SC_LEVEL2_CACHE_SIZE);
    m->pub.cache_bytes[2] = cache_bytes(_SC_LEVEL3_CACHE_SIZE);
}

#if HEDDLE_HAVE_HWLOC
/* The k-th allowed hardware thread of each core, cores in order; returns the number found. */
static uint32_t threads_of_cores(hwloc_topology_t topo, const cpu_set_t *allowed, uint32_t k, hd_machine *m, uint32_t n)
{
    hwloc_obj_t core = NULL;
    while ((core = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_CORE, core))) {
        uint32_t seen = 0;
        int cpu;
        hwloc_bitmap_foreach_begin(cpu, core->cpuset)
        {
            if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, allowed) && seen++ == k && n < HD_MAX_CPUS)
                m->cpu[n++] = (uint32_t)cpu;
        }
        hwloc_bitmap_foreach_end();
    }
    return n;
}

static void ask_hwloc(hd_machine *m)
{
    static const hwloc_obj_type_t types[3] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
    hwloc_topology_t topo;
    cpu_set_t allowed;
    uint32_t n, k, before;
    int i;
    /* Where it finds no sysfs (some containers), hwloc says so on stderr; this library never prints. */
    if (access("/sys/devices/system/cpu/cpu0/topology", R_OK) || hwloc_topology_init(&topo))
        return;
    if (!hwloc_topology_load(topo) && !sched_getaffinity(0, sizeof allowed, &allowed)) {
        n = threads_of_cores(topo, &allowed, 0, m, 0);
        m->pub.n_cores = n ? n : m->pub.n_cores;
        for (k = 1, before = 0; n && before != n; k++) {
            before = n;
            n = threads_of_cores(topo, &allowed, k, m, n);
        }
        m->pub.n_threads = n ? n : m->pub.n_threads;
        m->pub.has_hwloc = n > 0;
        for (i = 0; i < 3; i++) {
            hwloc_obj_t cache = hwloc_get_obj_by_type(topo, types[i], 0);
            if (cache)
                m->pub.cache_bytes[i] = cache->attr->cache.size;
        }
    }
    hwloc_topology_destroy(topo);
}
#else
static void ask_hwloc(hd_machine *m) { (void)m; }
#endif

void hd_machine_look(hd_machine *m)
{
    memset(m, 0, sizeof *m);
    ask_system(m);
    ask_hwloc(m);
}

void hd_machine_pin(uint32_t cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set); /* a wish */
}

HEDDLE_API void heddle_machine_get(heddle_machine *out)
{
    hd_machine m;
    hd_machine_look(&m);
    *out = m.pub;
}
