/* SPDX-License-Identifier: MIT */
/* api.c - the functions of OpenMP 4.5 that host code of a translated program may call without an OpenMP library.
 *
 * A program may also be linked with an OpenMP library, for code that heddlec leaves alone. That library then answers outside
 * of heddle's regions: whichever comes first on the command line, these functions look for another definition and call it. In
 * a region the calling thread is thread 0 of as many as there are workers.
 *
 * Locks work among threads that the program creates itself. Lock types are those of the program's omp.h; only the first 4
 * bytes of a lock, and 16 of a nestable one, are used here. */
#include "openmp/inside.h"

#include <dlfcn.h>
#include <sched.h>
#include <string.h>

/* The program's next definition after this one, looked up once; NULL: none. */
static void *other(void **known, const char *name)
{
    static char none;
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        found = found ? found : &none;
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found == &none ? NULL : found;
}

/* Calls name(params) of another library unless `ours` holds; else evaluates `own`. Weak: a definition in the program always
 * wins. DO is the same for functions without a result. */
#define ANSWER(type, name, params, args, ours, own) FUNCTION(type, name, params, args, ours, own, return )
#define DO(name, params, args, own) FUNCTION(void, name, params, args, NEVER, own, (void))
#define FUNCTION(type, name, params, args, ours, own, result) \
    HEDDLE_API __attribute__((weak)) type name params;        \
    HEDDLE_API __attribute__((weak)) type name params         \
    {                                                         \
        static void *known;                                   \
        void *found = other(&known, #name);                   \
        type(*next) params;                                   \
        memcpy(&next, &found, sizeof next);                   \
        if (found && !(ours))                                 \
            result next args;                                 \
        else                                                  \
            result(own);                                      \
    }
#define NEVER 0

#define INSIDE (hd_omp_here != NULL)

/* ---- values --------------------------------------------------------------------------------------------------------- */

static int device, nested, dynamic, levels = 1, schedule = 1, chunk;

static int workers(void)
{
    const hd_omp_device *d = hd_omp_device_last();
    heddle_machine m;
    if (d)
        return (int)hd_omp_bounded(hd_omp_device_workers(d, hd_omp_here ? hd_omp_here->frame.team_size : 256u));
    heddle_machine_get(&m);
    return (int)hd_omp_bounded(m.n_threads);
}

static int team(void) { return INSIDE && !(hd_omp_here->frame.flags & HEDDLE_OMP_ALONE) ? workers() : 1; }

static int procs(void)
{
    heddle_machine m;
    heddle_machine_get(&m);
    return (int)m.n_threads;
}

static int n_devices(void)
{
    heddle_device info = HEDDLE_DEVICE_INIT;
    int n = 0;
    while (heddle_backend_is_present(HEDDLE_CUDA) && heddle_device_get(HEDDLE_CUDA, (uint32_t)n, &info) == HEDDLE_OK)
        n++;
    return n;
}

static int set(int *what, int value)
{
    *what = value;
    return value;
}

/* ---- threads and teams ---------------------------------------------------------------------------------------------- */

ANSWER(int, omp_get_thread_num, (void), (), INSIDE, 0)
ANSWER(int, omp_get_num_threads, (void), (), INSIDE, team())
ANSWER(int, omp_get_max_threads, (void), (), INSIDE, workers())
ANSWER(int, omp_get_num_procs, (void), (), NEVER, procs())
ANSWER(int, omp_in_parallel, (void), (), INSIDE, INSIDE)
ANSWER(int, omp_get_level, (void), (), INSIDE, INSIDE)
ANSWER(int, omp_get_active_level, (void), (), INSIDE, INSIDE)
ANSWER(int, omp_get_ancestor_thread_num, (int level), (level), INSIDE, level == 0 || (INSIDE && level == 1) ? 0 : -1)
ANSWER(int, omp_get_team_size, (int level), (level), INSIDE, level == 0 ? 1 : INSIDE && level == 1 ? team() : -1)
DO(omp_set_num_threads, (int n), (n), hd_omp_ask(n))
/* omp_set_num_threads may be another library's. */
void heddle_omp_set_threads(int n)
{
    hd_omp_ask(n);
    omp_set_num_threads(n);
}
DO(omp_set_dynamic, (int on), (on), set(&dynamic, on != 0))
ANSWER(int, omp_get_dynamic, (void), (), NEVER, dynamic)
DO(omp_set_nested, (int on), (on), set(&nested, on != 0))
ANSWER(int, omp_get_nested, (void), (), NEVER, nested)
DO(omp_set_max_active_levels, (int n), (n), set(&levels, n))
ANSWER(int, omp_get_max_active_levels, (void), (), NEVER, levels)
ANSWER(int, omp_get_thread_limit, (void), (), NEVER, 0x7fffffff)
ANSWER(int, omp_get_cancellation, (void), (), NEVER, 0)
ANSWER(int, omp_in_final, (void), (), heddle_omp_final(0), heddle_omp_final(0))
ANSWER(int, omp_get_max_task_priority, (void), (), NEVER, 1)
DO(omp_set_schedule, (int kind, int n), (kind, n), set(&schedule, kind) + set(&chunk, n))
DO(omp_get_schedule, (int *kind, int *n), (kind, n), set(kind, schedule) + set(n, chunk))
ANSWER(int, omp_get_num_teams, (void), (), NEVER, 1)
ANSWER(int, omp_get_team_num, (void), (), NEVER, 0)

/* ---- places: none are reported -------------------------------------------------------------------------------------- */

ANSWER(int, omp_get_proc_bind, (void), (), NEVER, 0)
ANSWER(int, omp_get_num_places, (void), (), NEVER, 0)
ANSWER(int, omp_get_place_num_procs, (int place), (place), NEVER, 0)
DO(omp_get_place_proc_ids, (int place, int *ids), (place, ids), 0)
ANSWER(int, omp_get_place_num, (void), (), NEVER, -1)
ANSWER(int, omp_get_partition_num_places, (void), (), NEVER, 0)
DO(omp_get_partition_place_nums, (int *places), (places), 0)

/* ---- devices: heddle's, not those of another library ---------------------------------------------------------------- */

ANSWER(int, omp_get_num_devices, (void), (), 1, n_devices())
ANSWER(int, omp_get_initial_device, (void), (), 1, n_devices())
ANSWER(int, omp_is_initial_device, (void), (), 1, 1)
FUNCTION(void, omp_set_default_device, (int number), (number), 1, set(&device, number), (void))
ANSWER(int, omp_get_default_device, (void), (), 1, device)

/* ---- time ----------------------------------------------------------------------------------------------------------- */

ANSWER(double, omp_get_wtime, (void), (), NEVER, heddle_omp_wtime())
ANSWER(double, omp_get_wtick, (void), (), NEVER, 1e-9)

/* ---- locks ---------------------------------------------------------------------------------------------------------- */

typedef struct nest_lock {
    uint64_t owner; /* 0 = nobody */
    uint32_t depth; /* the owner's */
} nest_lock;

static int lock_clear(int *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    return 0;
}

static int lock_try(int *lock) { return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); }

static int lock_take(int *lock)
{
    while (!lock_try(lock))
        sched_yield();
    return 0;
}

/* The new depth; 0 = another thread holds the lock. */
static uint32_t nest_try(nest_lock *lock)
{
    static _Thread_local char mine;
    uint64_t me = (uint64_t)(uintptr_t)&mine, nobody = 0;
    if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == me)
        return ++lock->depth;
    if (!__atomic_compare_exchange_n(&lock->owner, &nobody, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return 0;
    return lock->depth = 1;
}

static int nest_take(nest_lock *lock)
{
    while (!nest_try(lock))
        sched_yield();
    return 0;
}

static int nest_clear(nest_lock *lock)
{
    __atomic_store_n(&lock->owner, 0, __ATOMIC_RELEASE);
    return 0;
}

static int nest_leave(nest_lock *lock) { return --lock->depth ? 0 : nest_clear(lock); }

DO(omp_init_lock, (int *lock), (lock), lock_clear(lock))
DO(omp_init_lock_with_hint, (int *lock, int hint), (lock, hint), lock_clear(lock))
DO(omp_destroy_lock, (int *lock), (lock), lock_clear(lock))
DO(omp_set_lock, (int *lock), (lock), lock_take(lock))
DO(omp_unset_lock, (int *lock), (lock), lock_clear(lock))
ANSWER(int, omp_test_lock, (int *lock), (lock), NEVER, lock_try(lock))
DO(omp_init_nest_lock, (nest_lock * lock), (lock), nest_clear(lock))
DO(omp_init_nest_lock_with_hint, (nest_lock * lock, int hint), (lock, hint), nest_clear(lock))
DO(omp_destroy_nest_lock, (nest_lock * lock), (lock), nest_clear(lock))
DO(omp_set_nest_lock, (nest_lock * lock), (lock), nest_take(lock))
DO(omp_unset_nest_lock, (nest_lock * lock), (lock), nest_leave(lock))
ANSWER(int, omp_test_nest_lock, (nest_lock * lock), (lock), NEVER, nest_try(lock))
