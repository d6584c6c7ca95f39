/* SPDX-License-Identifier: MIT */
/* heddle/openmp.h - what the host code that heddlec generates calls: regions, tasks, dependences, mapped memory.
 *
 * A region is the stretch of a program in which one thread creates tasks (Juggler, PPoPP'18, section 4: the inspection).
 * Their argument records and dependences are appended to a list. At a synchronising point or at the end of the region the
 * list becomes a graph, which is run, and mapped memory is copied back.
 *
 * Batches. Where tasks run on CPU threads in the host's own memory, a list is run early: the first at 131072 tasks, later ones
 * at 65536. The region goes on creating tasks meanwhile, and waits when it is a whole batch ahead. A batch begins when the
 * previous one has ended. Each batch is a run of its own: for the config's time limit, HEDDLE_OMP_VERBOSE, the trace, and
 * task numbers in sentences. The region waits for each batch, so that no task runs beside its own code, if there is one
 * worker or it was begun with HEDDLE_OMP_NUMBERS, _ALONE or _EXCLUDES. As under other OpenMP libraries, the creating
 * thread must not hold a lock that its tasks take. Shorter lists, and lists of tasks that see copies, run as a whole.
 *
 * Outside of a region heddle_omp_task returns NULL, and generated code runs the task's statement at once, as OpenMP
 * requires of a task outside of any parallel region.
 *
 * Environment variables select where tasks run (HEDDLE_BACKEND and the others of heddle_ctx_open; HEDDLE_OMP_... below). On
 * serial and cpu, tasks use the host's memory in place, and mapping costs nothing. On cuda a mapped object has a copy on the
 * device; argument records hold host addresses, which are translated when the graph is made. If a pointer leads to
 * memory that is not mapped, a `target` region ends the program with a sentence; a region of the host
 * (heddlec --region=parallel) runs on CPU threads instead, and says so once.
 *
 * Errors. OpenMP has no way to return one: these functions print a sentence that names the region's place to stderr and
 * end the program with status 1.
 *
 * Threads. One thread at a time is in a region; another thread that begins a region, or enters or leaves data, waits. For
 * threads outside of it, calls act as if there were no region. Regions do not nest: an inner region is part of the outer
 * one, with maps of its own, and at its end all tasks created have run.
 *
 * Mapped objects do not overlap in part. A pointer to the end of an object belongs to it, unless another object begins there.
 * A region's own code is written as if it ran where the tasks run, so heddle keeps objects that a region maps in step with
 * the host: see heddle_omp_sync. heddle_omp_update and the ends of target data copy whether or not tasks used the object.
 *
 * On a GPU graphs run under schedule dynamic, which needs no preparation. HEDDLE_SCHEDULE selects another one; with
 * HEDDLE_TUNING_FILE heddle tries several and keeps the quickest.
 *
 * Environment. OMP_NUM_THREADS=n: at most n workers (heddle_omp_begin). HEDDLE_OMP_TRACE=file: the last run's trace (JSON;
 * HEDDLE_TRACE: events that a worker keeps). HEDDLE_OMP_TIMELINE=file: its timeline as SVG. In both names %r stands for the
 * region's file and line, so each region can have its own files. HEDDLE_OMP_VERBOSE=1: a line a run on stderr (tasks,
 * edges, times), and one if lengths of dependences look wrong. HEDDLE_OMP_COPIES=1: tasks on threads see copies of mapped
 * memory, as on a GPU, so missing maps show without one. */
#ifndef HEDDLE_OPENMP_H
#define HEDDLE_OPENMP_H

#include "heddle.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_OMP_VERSION 1u /* of the structs below; checked when a program's first region begins */

/* A place in the user's source. */
typedef struct heddle_omp_place {
    const char *file;
    uint32_t line;
} heddle_omp_place;

/* A pointer in an argument record: its offset, and the user's name for it. */
typedef struct heddle_omp_pointer {
    uint32_t at;
    const char *name;
} heddle_omp_pointer;

/* What tasks of one pragma have in common. Kind k has body k of the table. */
typedef struct heddle_omp_kind {
    const char *name; /* function and line: "lu0:68" */
    heddle_omp_place place;
    uint32_t arg_bytes, n_pointers;
    const heddle_omp_pointer *pointers;
    uint32_t follows_pointers; /* its tasks follow pointers stored in memory, which are not translated: a region of the
                                * host with such a task runs on threads, without copies */
} heddle_omp_kind;

/* A variable with static storage that task bodies use; heddle_omp_params leads to it. The host may write it, too. If the
 * program does not map it, each region that runs tasks maps it tofrom.
 * Bodies may only read a variable with pointers (`double *a;` outside of functions). Where tasks see copies, it is not mapped:
 * they see its value at the beginning of the run, with its pointers translated like those of argument records. */
typedef struct heddle_omp_global {
    const char *name;
    void *const *address; /* where the host file stored it */
    uint64_t n_bytes;
    uint64_t element_bytes; /* n_pointers in each of its elements */
    const heddle_omp_pointer *pointers;
    uint32_t n_pointers;
} heddle_omp_global;

/* Which dependences match: overlapping sections; equal first bytes (as in gcc and LLVM); equal sections. */
typedef enum heddle_omp_match { HEDDLE_OMP_OVERLAP, HEDDLE_OMP_START, HEDDLE_OMP_EXACT } heddle_omp_match;
/* How a GPU reaches the host's data: through copies of mapped objects, or in place (a GPU that cannot read pageable memory
 * refuses with a sentence). */
typedef enum heddle_omp_memory { HEDDLE_OMP_MEMORY_MAP, HEDDLE_OMP_MEMORY_SYSTEM } heddle_omp_memory;

typedef struct heddle_omp_program {
    uint32_t size, version;
    const heddle_table *table;
    const heddle_omp_kind *kinds;
    uint32_t n_kinds; /* the table has one body more, which does nothing, if there are regions with barriers */
    const heddle_omp_global *globals;
    uint32_t n_globals;
    uint64_t stack_bytes; /* of a worker, for variables that its threads share and that do not fit block-shared memory;
                             * on a GPU only some schedules have workers */
    uint32_t n_locks;     /* words for critical */
    heddle_backend backend; /* --backend; AUTO leaves it to HEDDLE_BACKEND and what is there */
    heddle_omp_match match;
    heddle_omp_memory memory;
    uint32_t is_recursive; /* functions that tasks call may recurse: GPU threads get call stacks of more than 1 KB */
} heddle_omp_program;

/* The record that all tasks share begins with this; n_globals addresses follow. Bodies see device addresses. */
typedef struct heddle_omp_params {
    char *stack; /* of worker 0; the others' follow, stack_bytes each */
    uint64_t stack_bytes;
    uint32_t *locks;
    uint64_t n_workers; /* above every worker's number; a GPU may have fewer workers */
} heddle_omp_params;

/* ---- regions ------------------------------------------------------------------------------------------------------- */

#define HEDDLE_OMP_TARGET 1u    /* the region is of a target construct: it must run where its data is mapped */
#define HEDDLE_OMP_BARRIERS 2u  /* heddle_omp_barrier may be called in it */
#define HEDDLE_OMP_NUMBERS 4u   /* its tasks use their thread's number, which is their worker's */
#define HEDDLE_OMP_ALONE 8u     /* its team has one thread */
#define HEDDLE_OMP_EXCLUDES 16u /* its own code may have atomic and critical, which hold among tasks only */

/* Begins a region. n_threads (num_threads): the most workers that run its tasks; 0 = as heddle_omp_set_threads or
 * OMP_NUM_THREADS says, else all. On a GPU the limit holds only with HEDDLE_OMP_NUMBERS: other tasks cannot tell. In a
 * target region n_threads also gives the threads of a block, 0 = 256: rounded up to 32, and fewer if the registers of the
 * bodies do not allow so many. program and place must stay valid. */
HEDDLE_API void heddle_omp_begin(const heddle_omp_program *program, const heddle_omp_place *place, uint32_t flags,
                                 uint32_t n_threads);
/* Runs the tasks created since the last sync, waits, and ends the region. Its maps count down: an object mapped from or tofrom
 * is copied back when no other map holds it. Its slots are gone. */
HEDDLE_API void heddle_omp_end(void);
/* 1 inside a region. */
HEDDLE_API int heddle_omp_inside(void);

/* Tasks created later run after all created before: a taskwait after which the host reads nothing. In a region without
 * HEDDLE_OMP_BARRIERS: heddle_omp_sync. Outside of a region nothing. */
HEDDLE_API void heddle_omp_barrier(void);
/* Runs the tasks created, waits, and copies back objects that the region maps from or tofrom, if tasks were given them since
 * the last copy, also in earlier regions: a taskwait after which the host reads, or writes a part of, what tasks wrote. With
 * no task created it only copies: a region needs that before its own code first touches objects mapped around it.
 * Copies stay on the device. Outside of a region nothing. */
HEDDLE_API void heddle_omp_sync(void);
/* The host has changed mapped memory since the last sync: before the next run, objects mapped to or tofrom are copied to the
 * device again, whole. (The first run after heddle_omp_map copies an object that it mapped anyway, but not one that
 * was mapped before the region.) */
HEDDLE_API void heddle_omp_host_wrote(void);

/* ---- tasks --------------------------------------------------------------------------------------------------------- */

/* Creates a task of that kind and returns its argument record, zeroed, to be filled before the next call here; NULL outside of
 * a region. Dependences follow. priority > 0: urgent. */
HEDDLE_API void *heddle_omp_task(uint32_t kind, int priority);
/* The last task created depends on n_bytes at base. 0 bytes: on nothing. */
HEDDLE_API void heddle_omp_depend(heddle_mode mode, const void *base, uint64_t n_bytes);
/* The same for a section: base is the array's first element; dimension d (outermost first) has elements lower .. lower +
 * length - 1 of extent. The innermost dimension is contiguous. 1 <= n_dims <= 8. */
typedef struct heddle_omp_dim {
    int64_t lower, length, extent; /* the outermost extent is ignored */
} heddle_omp_dim;
HEDDLE_API void heddle_omp_depend_section(heddle_mode mode, const void *base, uint64_t element_bytes, uint32_t n_dims,
                                          const heddle_omp_dim *dims);
/* Zeroed memory for a variable that tasks share and that is declared inside the region. It stays, mapped tofrom, until the
 * region ends. Only inside a region. */
HEDDLE_API void *heddle_omp_slot(uint64_t n_bytes);

/* ---- mapped memory ------------------------------------------------------------------------------------------------- */

/* As in OpenMP 4.5, 2.15.5.1: an object counts its maps; memory is copied when the count becomes 1 (to) or 0 (from), or always
 * with HEDDLE_OMP_ALWAYS. NULL and 0 bytes: nothing. `name` is for messages. */
#define HEDDLE_OMP_ALLOC 0u
#define HEDDLE_OMP_TO 1u
#define HEDDLE_OMP_FROM 2u
#define HEDDLE_OMP_TOFROM 3u
#define HEDDLE_OMP_ALWAYS 4u
#define HEDDLE_OMP_RELEASE 8u /* exit only: counted down, not copied */
#define HEDDLE_OMP_DELETE 16u /* exit only: gone, whatever the count */
/* In a region: maps until its end. Data the region's host code writes before the first run is copied, too. */
HEDDLE_API void heddle_omp_map(const void *p, uint64_t n_bytes, uint32_t how, const char *name);
/* target enter data, target exit data, and the two ends of target data. program selects the context. */
HEDDLE_API void heddle_omp_enter(const heddle_omp_program *program, const heddle_omp_place *place, const void *p,
                                 uint64_t n_bytes, uint32_t how, const char *name);
HEDDLE_API void heddle_omp_exit(const heddle_omp_program *program, const heddle_omp_place *place, const void *p,
                                uint64_t n_bytes, uint32_t how, const char *name);
/* target update to(...) / from(...): HEDDLE_OMP_TO or HEDDLE_OMP_FROM. Memory that is not mapped is left alone. */
HEDDLE_API void heddle_omp_update(const heddle_omp_program *program, const heddle_omp_place *place, const void *p,
                                  uint64_t n_bytes, uint32_t how);

/* ---- taskloop ------------------------------------------------------------------------------------------------------ */

/* Iterations of a loop over `distance` in steps of `step`, which is above 0. */
static inline int64_t heddle_omp_count(int64_t distance, int64_t step)
{
    return distance > 0 ? (distance + step - 1) / step : 0;
}
/* How many tasks share n iterations: `wanted`, but at least 1 and at most n; 0 without iterations. */
static inline int64_t heddle_omp_chunks(int64_t n, int64_t wanted)
{
    return n < 1 ? 0 : wanted < 1 ? 1 : wanted < n ? wanted : n;
}
/* The first iteration of task i when n_tasks share n; if n does not divide evenly, the first tasks have one more. */
static inline int64_t heddle_omp_begin_of(int64_t n, int64_t n_tasks, int64_t i)
{
    return n / n_tasks * i + (i < n % n_tasks ? i : n % n_tasks);
}

/* ---- what the OpenMP library answers (omp_get_... of generated host code) --------------------------------------------- */
HEDDLE_API int heddle_omp_n_workers(const heddle_omp_program *program); /* at most so many run tasks at once */
/* omp_set_num_threads: for regions that begin later. */
HEDDLE_API void heddle_omp_set_threads(int n_threads);
/* Called with 1 before and -1 after the statement of a final task that runs at once; 0 changes nothing. Returns whether this
 * thread is in one. */
HEDDLE_API int heddle_omp_final(int change);
HEDDLE_API int heddle_omp_team_size(const heddle_omp_program *program); /* omp_get_num_threads() of the host */
HEDDLE_API double heddle_omp_wtime(void);

/* ---- what happened ------------------------------------------------------------------------------------------------- */

/* The last run of this process, of a region or of one of its batches. create_ns: from the region's beginning, or its previous
 * run, until tasks began to become a graph; add_ns: translating their pointers and adding them; freeze_ns; run_ns. */
typedef struct heddle_omp_times {
    uint64_t n_tasks, create_ns, add_ns, freeze_ns, run_ns;
    uint64_t reused; /* 1: tasks and dependences equalled those of an earlier run; its graph ran again */
} heddle_omp_times;
/* 1, or 0 before the first run. */
HEDDLE_API int heddle_omp_last_run(heddle_omp_times *out);

#ifdef __cplusplus
}
#endif
#endif
