/* SPDX-License-Identifier: MIT */
/* machine.c - the cores this process may use, which of them are near a device, and pinning threads to them. Uses hwloc when compiled in (one hardware thread
 * of each core first), else the system's list of allowed processors. */
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

static void ask_system(heddle_machine *m)
{
    m->cache_bytes[0] = cache_bytes(_SC_LEVEL1_DCACHE_SIZE);
    m->cache_bytes[1] = cache_bytes(_SC_LEVEL2_CACHE_SIZE);
    m->cache_bytes[2] = cache_bytes(_SC_LEVEL3_CACHE_SIZE);
}

#if HEDDLE_HAVE_HWLOC
/* Hardware threads by cores, from the last hwloc query: loading a topology takes a millisecond, on a large machine many. */
static struct {
    pthread_mutex_t mutex;
    cpu_set_t asked; /* processors allowed at that query */
    uint32_t n, cpu[HD_MAX_CPUS], core[HD_MAX_CPUS];
} seen = {.mutex = PTHREAD_MUTEX_INITIALIZER};

typedef enum beside { NOTHING, CACHES, DEVICES } beside;

static enum hwloc_type_filter_e keep_if(int wanted)
{
    return wanted ? HWLOC_TYPE_FILTER_KEEP_ALL : HWLOC_TYPE_FILTER_KEEP_NONE;
}

/* Loads a topology of cores, and of what is wanted beside. Devices are below what they are near: a package, or a group of cores. 0: there
 * is none. */
static int load(hwloc_topology_t *topo, beside wanted)
{
    /* Without sysfs (some containers) hwloc prints to stderr; this library never prints. */
    if (access("/sys/devices/system/cpu/cpu0/topology", R_OK) || hwloc_topology_init(topo))
        return 0;
    hwloc_topology_set_all_types_filter(*topo, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(*topo, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_cache_types_filter(*topo, keep_if(wanted == CACHES));
    hwloc_topology_set_type_filter(*topo, HWLOC_OBJ_PCI_DEVICE, keep_if(wanted == DEVICES));
    hwloc_topology_set_type_filter(*topo, HWLOC_OBJ_PACKAGE, keep_if(wanted == DEVICES));
    hwloc_topology_set_type_filter(*topo, HWLOC_OBJ_GROUP,
                                   wanted == DEVICES ? HWLOC_TYPE_FILTER_KEEP_STRUCTURE : HWLOC_TYPE_FILTER_KEEP_NONE);
#if HWLOC_API_VERSION >= 0x00020100 /* x86 moves this thread across processors to learn what sysfs has */
    (void)hwloc_topology_set_components(*topo, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
#if HWLOC_API_VERSION >= 0x00020800 /* these are not used here */
    (void)hwloc_topology_set_flags(*topo, HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                                              HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
#endif
    if (!hwloc_topology_load(*topo))
        return 1;
    hwloc_topology_destroy(*topo);
    return 0;
}

/* The caller holds the mutex. */
static void see(const cpu_set_t *allowed)
{
    hwloc_topology_t topo;
    hwloc_obj_t core = NULL;
    uint32_t n_cores = 0;
    seen.n = 0;
    seen.asked = *allowed;
    if (!load(&topo, NOTHING))
        return;
    for (; (core = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_CORE, core)); n_cores++) {
        int cpu;
        hwloc_bitmap_foreach_begin(cpu, core->cpuset)
        {
            if (cpu < CPU_SETSIZE && seen.n < HD_MAX_CPUS) {
                seen.cpu[seen.n] = (uint32_t)cpu;
                seen.core[seen.n++] = n_cores;
            }
        }
        hwloc_bitmap_foreach_end();
    }
    hwloc_topology_destroy(topo);
}

/* Is a processor allowed that was not at the last query? */
static int has_news(const cpu_set_t *allowed)
{
    cpu_set_t both;
    CPU_AND(&both, allowed, &seen.asked);
    return !CPU_EQUAL(&both, allowed);
}

/* Appends the k-th allowed hardware thread of each core, cores in order; returns the new count. */
static uint32_t threads_of_cores(const cpu_set_t *allowed, uint32_t k, hd_machine *m, uint32_t n)
{
    uint32_t i, of_core = 0;
    for (i = 0; i < seen.n; i++) {
        of_core = i && seen.core[i] == seen.core[i - 1] ? of_core : 0;
        if (CPU_ISSET(seen.cpu[i], allowed) && of_core++ == k)
            m->cpu[n++] = seen.cpu[i];
    }
    return n;
}

static void ask_hwloc(hd_machine *m)
{
    cpu_set_t allowed;
    uint32_t n, k, before;
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return;
    pthread_mutex_lock(&seen.mutex);
    if (has_news(&allowed))
        see(&allowed);
    n = threads_of_cores(&allowed, 0, m, 0);
    m->pub.n_cores = n ? n : m->pub.n_cores;
    for (k = 1, before = 0; n && before != n; k++) {
        before = n;
        n = threads_of_cores(&allowed, k, m, n);
    }
    pthread_mutex_unlock(&seen.mutex);
    m->pub.n_threads = n ? n : m->pub.n_threads;
    m->pub.has_hwloc = n > 0;
}

static void ask_caches(heddle_machine *m)
{
    static const hwloc_obj_type_t types[3] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
    hwloc_topology_t topo;
    int i;
    if (!m->has_hwloc || !load(&topo, CACHES))
        return;
    for (i = 0; i < 3; i++) {
        hwloc_obj_t cache = hwloc_get_obj_by_type(topo, types[i], 0);
        if (cache)
            m->cache_bytes[i] = cache->attr->cache.size;
    }
    hwloc_topology_destroy(topo);
}

static void add_near(hwloc_topology_t topo, const char *pci, hd_cpus *out)
{
    hwloc_obj_t o = *pci ? hwloc_get_pcidev_by_busidstring(topo, pci) : NULL;
    int cpu;
    o = o ? hwloc_get_non_io_ancestor_obj(topo, o) : NULL;
    if (!o)
        return;
    hwloc_bitmap_foreach_begin(cpu, o->cpuset)
    {
        if (cpu < (int)HD_MAX_CPUS)
            hd_cpus_add(out, (uint32_t)cpu);
    }
    hwloc_bitmap_foreach_end();
}

static void ask_near(const char *const *pci, uint32_t n, hd_cpus *out)
{
    hwloc_topology_t topo;
    uint32_t i, n_named = 0;
    for (i = 0; i < n; i++)
        n_named += *pci[i] != 0;
    if (!n_named || !load(&topo, DEVICES))
        return;
    for (i = 0; i < n; i++)
        add_near(topo, pci[i], &out[i]);
    hwloc_topology_destroy(topo);
}
#else
static void ask_hwloc(hd_machine *m) { (void)m; }
static void ask_caches(heddle_machine *m) { (void)m; }
static void ask_near(const char *const *pci, uint32_t n, hd_cpus *out)
{
    (void)pci;
    (void)n;
    (void)out;
}
#endif

void hd_machine_near(const char *const *pci, uint32_t n, hd_cpus *out)
{
    memset(out, 0, n * sizeof *out);
    ask_near(pci, n, out);
}

void hd_machine_look(hd_machine *m)
{
    memset(m, 0, sizeof *m);
    m->pub.n_threads = m->pub.n_cores = allowed_cpus(m);
    ask_hwloc(m);
}

void hd_machine_pin(uint32_t cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set); /* best effort */
}

HEDDLE_API void heddle_machine_get(heddle_machine *out)
{
    hd_machine m;
    hd_machine_look(&m);
    ask_system(&m.pub);
    ask_caches(&m.pub);
    *out = m.pub;
}
