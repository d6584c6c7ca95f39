/* SPDX-License-Identifier: MIT */
/* heddle/openmp.h - what the host code that heddlec generates calls: regions, tasks, dependences, mapped memory.
 *
 * A region is the stretch of a program in which one thread creates tasks (Juggler, PPoPP'18, section 4: the inspection).
 * Their argument records and dependences are appended to a list. At a synchronising point or at the end of the region the
 * list becomes a graph, which is run, and mapped memory is copied back.
 *
 * Batches. Where tasks run on CPU threads on the host's own memory, a list of 131072 tasks is run before that, and each list
 * of 65536 that follows it: the region goes on creating meanwhile, and waits when it is a whole batch ahead. A batch begins
 * when the one before it has ended. Each is a run by itself: for the config's time limit, HEDDLE_OMP_VERBOSE, the trace and
 * the numbers of tasks in sentences. Nothing runs while the region's own code does if there is one worker, or the
 * region was begun with HEDDLE_OMP_NUMBERS, _ALONE or _EXCLUDES: then the region waits for each batch. As under other
 * OpenMP libraries, whoever creates tasks must not hold a lock that these take. Shorter lists, and those of tasks that see
 * copies, run as a whole.
 *
 * Outside of a region heddle_omp_task returns NULL and generated code runs the task's statement at once, which is what
 * OpenMP says of a task that no parallel region surrounds.
 *
 * Where tasks run is for the environment to say (HEDDLE_BACKEND and the others of heddle_ctx_open; HEDDLE_OMP_... below). On
 * serial and cpu, tasks use the host's memory in place, and mapping costs nothing. On cuda a mapped object has a
 * copy on the device; pointers in argument records are host addresses and are translated when the graph is made. A
 * `target` region with a pointer into memory that is not mapped ends the program with a sentence; a region of the host
 * (heddlec --region=parallel) with such a pointer runs on CPU threads instead, and says so once.
 *
 * Errors. OpenMP has no way to return one: these functions print a sentence that names the region's place to stderr and
 * end the program with status 1.
 *
 * Threads. One thread at a time is in a region; another one that begins a region, or enters or leaves data, waits. For
 * threads that are in no region it is as if there were none. Regions do not nest: one inside another is part of it, with
 * maps of its own, and at its end everything that was created has run.
 *
 * Mapped objects do not overlap in part. A pointer past the end of one belongs to it, unless another one begins there. A
 * region's own code is written as if it ran where the tasks run, so objects that a region maps are kept in step with the
 * host: see heddle_omp_sync. heddle_omp_update, and what is done at the ends of target data, always copies.
 *
 * On a GPU graphs run by schedule dynamic, which needs no preparation, unless HEDDLE_SCHEDULE says otherwise; with
 * HEDDLE_TUNING_FILE heddle tries what is best.
 *
 * Environment. OMP_NUM_THREADS=n: at most n workers, as heddle_omp_begin says. HEDDLE_OMP_TRACE=file: the trace of the last run is written there (JSON; HEDDLE_TRACE says how many events a
 * worker keeps). HEDDLE_OMP_TIMELINE=file: its timeline as SVG. In both names %r stands for the region's file and line, so
 * that each region has files of its own. HEDDLE_OMP_VERBOSE=1: a line a run on stderr (tasks, edges, times), and one if
 * lengths of dependences look wrong. HEDDLE_OMP_COPIES=1: tasks on threads see copies of mapped memory, as on a GPU, which shows
 * what a program forgot to map where there is none. */
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

/* A pointer in an argument record: its offset, and what the user calls it. */
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
    uint32_t follows_pointers; /* its tasks go on through addresses that they read in memory, where nothing translates
                                * them: a region of the host with such a task does without copies, on threads */
} heddle_omp_kind;

/* A variable with static storage that task bodies use: they find its address in the application's record. The host can
 * write to it, too. One that the program does not map itself is mapped tofrom by each region that runs tasks.
 * With pointers (`double *a;` outside of functions), bodies may only read it: where tasks see copies it is not mapped, but
 * shown to them as it is when the run begins, its pointers translated like those of argument records. */
typedef struct heddle_omp_global {
    const char *name;
    void *const *address; /* where the host file left it */
    uint64_t n_bytes;
    uint64_t element_bytes; /* n_pointers in each of its elements */
    const heddle_omp_pointer *pointers;
    uint32_t n_pointers;
} heddle_omp_global;

/* How dependences are matched: sections that overlap; the same first byte (what gcc and LLVM do); the same section. */
typedef enum heddle_omp_match { HEDDLE_OMP_OVERLAP, HEDDLE_OMP_START, HEDDLE_OMP_EXACT } heddle_omp_match;
/* How a GPU gets at the host's data: copies of mapped objects, or the host's memory itself (machines whose GPU reads
 * pageable memory; elsewhere refused with a sentence). */
typedef enum heddle_omp_memory { HEDDLE_OMP_MEMORY_MAP, HEDDLE_OMP_MEMORY_SYSTEM } heddle_omp_memory;

typedef struct heddle_omp_program {
    uint32_t size, version;
    const heddle_table *table;
    const heddle_omp_kind *kinds;
    uint32_t n_kinds; /* the table has one body more, which does nothing, if there are regions with barriers */
    const heddle_omp_global *globals;
    uint32_t n_globals;
    uint64_t stack_bytes; /* of a worker, for variables that its threads share and that fit no block-shared memory; on a
                             * GPU only some schedules have workers */
    uint32_t n_locks;     /* words for critical */
    heddle_backend backend; /* --backend; AUTO leaves it to HEDDLE_BACKEND and what is there */
    heddle_omp_match match;
    heddle_omp_memory memory;
    uint32_t is_recursive; /* what tasks call may recurse: a GPU's threads get larger call stacks than their own 1 KB */
} heddle_omp_program;

/* The record all tasks share begins so; behind it stand n_globals addresses. Bodies see device addresses. */
typedef struct heddle_omp_params {
    char *stack; /* of worker 0; the others' follow, stack_bytes each */
    uint64_t stack_bytes;
    uint32_t *locks;
    uint64_t n_workers; /* no worker's number is as large; on a GPU there may be fewer */
} heddle_omp_params;

/* ---- regions ------------------------------------------------------------------------------------------------------- */

#define HEDDLE_OMP_TARGET 1u    /* the region is of a target construct: it must run where its data is mapped */
#define HEDDLE_OMP_BARRIERS 2u  /* heddle_omp_barrier may be called in it */
#define HEDDLE_OMP_NUMBERS 4u   /* its tasks ask for the number of their thread, which is their worker */
#define HEDDLE_OMP_ALONE 8u     /* its statement is that of a team of one thread */
#define HEDDLE_OMP_EXCLUDES 16u /* its own code may have atomic and critical, which hold among tasks only */

/* Begins a region. n_threads (num_threads): at most so many workers run its tasks; 0 = as heddle_omp_set_threads or
 * OMP_NUM_THREADS says, else all. On a GPU only with HEDDLE_OMP_NUMBERS: elsewhere nobody can tell. In a region of a target
 * construct also the threads of a block, 0 = 256; rounded up to 32, and fewer if that many do not fit the registers of the
 * bodies. program and place must stay. */
HEDDLE_API void heddle_omp_begin(const heddle_omp_program *program, const heddle_omp_place *place, uint32_t flags,
                                 uint32_t n_threads);
/* Runs what was created since the last sync, waits, ends the region: its maps count down, which copies back what is mapped
 * from or tofrom and nobody else maps; its slots are gone. */
HEDDLE_API void heddle_omp_end(void);
/* 1 inside a region. */
HEDDLE_API int heddle_omp_inside(void);

/* Tasks created later run after all created before: a taskwait after which the host reads nothing. Without
 * HEDDLE_OMP_BARRIERS, and outside of a region: heddle_omp_sync. */
HEDDLE_API void heddle_omp_barrier(void);
/* Runs what was created, waits, and copies back what the region maps from or tofrom and tasks were given since it was copied
 * last, also in regions before that left it on the device: a taskwait after which the host reads, or writes a part of, what
 * tasks wrote. With no task created it only copies, so it is also what a region needs before its own code first touches
 * objects that were mapped around it. Copies stay on the device. Outside of a region nothing. */
HEDDLE_API void heddle_omp_sync(void);
/* The host has changed mapped memory since the last sync: objects mapped to or tofrom are copied to the device again before
 * the next run, whole. (Before the first run after heddle_omp_map mapped an object it is copied anyway; one that was
 * mapped before the region is not.) */
HEDDLE_API void heddle_omp_host_wrote(void);

/* ---- tasks --------------------------------------------------------------------------------------------------------- */

/* A new task of that kind: its argument record, undefined, for the caller to fill before the next call here; NULL outside
 * of a region. Dependences follow. priority > 0: urgent. */
HEDDLE_API void *heddle_omp_task(uint32_t kind, int priority);
/* The last task created depends on n_bytes at base. 0 bytes: on nothing. */
HEDDLE_API void heddle_omp_depend(heddle_mode mode, const void *base, uint64_t n_bytes);
/* The same of a section: base is the array's first element; in dimension d (outermost first) elements lower .. lower + length
 * - 1 of extent. The innermost dimension is contiguous. 1 <= n_dims <= 8. */
typedef struct heddle_omp_dim {
    int64_t lower, length, extent; /* the outermost extent is not looked at */
} heddle_omp_dim;
HEDDLE_API void heddle_omp_depend_section(heddle_mode mode, const void *base, uint64_t element_bytes, uint32_t n_dims,
                                          const heddle_omp_dim *dims);
/* Zeroed memory for a variable that tasks share and that is declared inside the region; it lives, mapped tofrom, until the
 * region ends. */
HEDDLE_API void *heddle_omp_slot(uint64_t n_bytes);

/* ---- mapped memory ------------------------------------------------------------------------------------------------- */

/* As in OpenMP 4.5, 2.15.5.1: objects are counted; memory is copied when the count becomes 1 (to) or 0 (from), or always
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
/* target enter data, target exit data, and the two ends of target data. program: whose context it is. */
HEDDLE_API void heddle_omp_enter(const heddle_omp_program *program, const heddle_omp_place *place, const void *p,
                                 uint64_t n_bytes, uint32_t how, const char *name);
HEDDLE_API void heddle_omp_exit(const heddle_omp_program *program, const heddle_omp_place *place, const void *p,
                                uint64_t n_bytes, uint32_t how, const char *name);
/* target update to(...) / from(...): HEDDLE_OMP_TO or HEDDLE_OMP_FROM. What is not mapped is left alone. */
HEDDLE_API void heddle_omp_update(const heddle_omp_program *program, const heddle_omp_place *place, const void *p,
                                  uint64_t n_bytes, uint32_t how);

/* ---- taskloop ------------------------------------------------------------------------------------------------------ */

/* Iterations of a loop that covers `distance` by steps > 0. */
static inline int64_t heddle_omp_count(int64_t distance, int64_t step)
{
    return distance > 0 ? (distance + step - 1) / step : 0;
}
/* Tasks that share n iterations when so many are wanted: at least one, none without an iteration. */
static inline int64_t heddle_omp_chunks(int64_t n, int64_t wanted)
{
    return n < 1 ? 0 : wanted < 1 ? 1 : wanted < n ? wanted : n;
}
/* The first iteration of task i when n are shared by n_tasks: the first tasks have one more if they cannot be even. */
static inline int64_t heddle_omp_begin_of(int64_t n, int64_t n_tasks, int64_t i)
{
    return n / n_tasks * i + (i < n % n_tasks ? i : n % n_tasks);
}

/* ---- what the OpenMP library answers (omp_get_... of generated host code) --------------------------------------------- */
HEDDLE_API int heddle_omp_n_workers(const heddle_omp_program *program); /* at most so many run tasks at once */
/* omp_set_num_threads: of regions that begin later. */
HEDDLE_API void heddle_omp_set_threads(int n_threads);
/* Around the statement of a final task that runs at once, 1 before and -1 behind; 0 asks. Returns whether this thread is
 * in one. */
HEDDLE_API int heddle_omp_final(int change);
HEDDLE_API int heddle_omp_team_size(const heddle_omp_program *program); /* omp_get_num_threads() of the host */
HEDDLE_API double heddle_omp_wtime(void);

/* ---- what happened ------------------------------------------------------------------------------------------------- */

/* The last run of this process, of a region or of one of its batches: from the region's beginning (or its run before) until
 * tasks began to become a graph; adding them to it, their pointers translated; laying it down; running it. */
typedef struct heddle_omp_times {
    uint64_t n_tasks, create_ns, add_ns, freeze_ns, run_ns;
    uint64_t reused; /* 1: the tasks and dependences were those of an earlier run, whose graph ran again */
} heddle_omp_times;
/* 1, or 0 before the first run. */
HEDDLE_API int heddle_omp_last_run(heddle_omp_times *out);

#ifdef __cplusplus
}
#endif
#endif
