/* SPDX-License-Identifier: MIT */
/* inside.h - shared by the files of heddle_openmp: the region, its lists, messages, memory.
 *
 * A process has one region at a time; the thread in it holds a mutex from its beginning to its end. So nothing here needs
 * another lock, and one thread-local word says whether a thread is in the region. */
#ifndef HD_OMP_INSIDE_H
#define HD_OMP_INSIDE_H

#include "heddle/openmp.h"
#include "openmp/context.h"
#include "openmp/list.h"
#include "openmp/map.h"

/* A mapping by the region, undone at the end of its frame. */
typedef struct hd_omp_use {
    uint64_t begin, end; /* host addresses, within one object of the map */
    uint32_t how;
    uint32_t is_slots; /* slots, which do not outlive the region: never copied back at its end */
    uint32_t pending;  /* the host's bytes are newer: copied to the device before the next run */
} hd_omp_use;

/* A batch: tasks that run while the region creates more. */
typedef struct hd_omp_batch {
    heddle_job *job; /* NULL: none */
    heddle_graph *graph;
    hd_omp_device *device;
    heddle_omp_times times;
} hd_omp_batch;

/* A region, or one nested in it. */
typedef struct hd_omp_frame {
    const heddle_omp_program *program;
    const heddle_omp_place *place;
    hd_omp_device *device; /* of the program's tasks, unless the region fell back to CPU threads */
    uint32_t flags, team_size;
    uint32_t has_globals;        /* the program's globals are mapped */
    uint64_t first_use, n_slots; /* uses and slot blocks of outer frames */
} hd_omp_frame;

typedef struct hd_omp_region {
    const heddle_omp_kind *kinds; /* from the frame: what heddle_omp_task needs, close together */
    uint32_t n_kinds;
    heddle_omp_match match;
    hd_omp_list list;   /* tasks created and not handed over */
    uint64_t most_held; /* list length at which the next task makes a batch */
    hd_omp_batch batch;
    uint32_t takes_turns; /* its own code does not overlap its tasks */
    hd_omp_frame frame;
    hd_omp_buffer frames; /* hd_omp_frame: outer frames */
    hd_omp_buffer uses;   /* hd_omp_use */
    uint32_t most;        /* threads requested by the program, 0 = all */
    uint32_t on_host;     /* it fell back to CPU threads */
    uint64_t since_ns;    /* the region's beginning, or the end of its last run */
} hd_omp_region;

/* The region if this thread is in it, else NULL. */
#define HD_OMP_OWN __attribute__((tls_model("initial-exec")))
extern _Thread_local hd_omp_region *hd_omp_here HD_OMP_OWN;

/* ---- region.c ---- */

/* Sets the number of threads from the next region on. Returns the requested number. */
int hd_omp_ask(int n);
/* n, or the requested number of threads if lower. */
uint32_t hd_omp_bounded(uint32_t n);

/* ---- lock.c ---- */

/* Until hd_omp_leave_alone, only this thread may use the map and the contexts. */
void hd_omp_enter_alone(void);
void hd_omp_leave_alone(void);
/* Do the region's tasks use copies? */
static inline int hd_omp_region_maps(const hd_omp_region *r)
{
    return !r->on_host && hd_omp_device_maps(r->frame.device, r->frame.program);
}

/* ---- data.c ---- */

/* Maps n_bytes at p until the frame ends. */
void hd_omp_data_use(hd_omp_region *r, const void *p, uint64_t n_bytes, uint32_t how, const char *name,
                     uint32_t is_slots);
/* The host writes to this variable of the region. */
void hd_omp_data_host_wrote_slot(hd_omp_region *r, const void *p);
/* hd_omp_data_globals maps unmapped globals, before pointers are translated. hd_omp_data_to copies what the host wrote to the
 * device, before a run. */
void hd_omp_data_globals(hd_omp_region *r);
void hd_omp_data_to(hd_omp_region *r);
/* Copies back data that is mapped from and was handed to tasks since the last copy; or (all) everything the region maps. */
void hd_omp_data_back(hd_omp_region *r, int all);
/* Ends the frame's mappings. */
void hd_omp_data_end(hd_omp_region *r);
/* The object that a pointer of tasks points into; k: the tasks' kind or NULL. If none, prints a message and returns NULL, or
 * exits in a region of a target construct. *hint: the object found last. */
hd_omp_object *hd_omp_object_of(const hd_omp_region *r, hd_omp_object **hint, const heddle_omp_kind *k,
                                const char *name, uint64_t value);
/* Counts [begin, end) up in the map; exits if it is mapped in part only. name NULL: "an object". */
hd_omp_object *hd_omp_data_up(uint64_t begin, uint64_t end, const char *name, const heddle_omp_place *place);
/* Exits with "WHAT NAME: sentence" unless the map's status is OK. */
void hd_omp_data_must(heddle_status s, const heddle_omp_place *place, const char *what, const char *name);

/* ---- slots.c ---- */

/* The number of blocks of variables; hd_omp_slots_end drops those made since there were n. */
uint64_t hd_omp_slots_count(void);
void hd_omp_slots_end(uint64_t n);

/* ---- pointers.c ---- */

/* Replaces host addresses in argument records by device addresses. 0: one is in no mapped object, or a task follows pointers
 * in memory. Records are then unchanged, and a message was printed or the program has exited. */
int hd_omp_pointers(hd_omp_region *r);

/* ---- views.c ---- */

/* Can all pointers in globals be translated? 0: as hd_omp_pointers. */
int hd_omp_views_check(hd_omp_region *r);
/* Writes views of globals with pointers to the device, before a run. */
void hd_omp_views_show(const hd_omp_region *r, hd_omp_device *d);
/* The address of global i's view for bodies, or NULL: it has none. */
const void *hd_omp_view(const hd_omp_region *r, const hd_omp_device *d, uint32_t i);

/* ---- cached.c ---- */

#define HD_OMP_CACHED_TASKS (1ull << 17) /* of all cached graphs together */
/* take: the graph of the created tasks, a cached one or a new one. Afterwards cache or drop it. Caching may exchange the
 * buffers of the region's list, which must then be cleared. */
heddle_status hd_omp_graph_take(heddle_graph **out, const hd_omp_region *r, const hd_omp_device *d,
                                heddle_omp_times *t);
void hd_omp_graph_cache(hd_omp_region *r);
/* A graph that the caller frees; never cached. */
heddle_status hd_omp_graph_make(heddle_graph **out, const hd_omp_region *r, const hd_omp_device *d,
                                heddle_omp_times *t);
void hd_omp_graph_drop(void);
/* Drops all cached graphs of that device. */
void hd_omp_graphs_forget(const hd_omp_device *d);

/* ---- run.c ---- */

/* Runs the created tasks and waits. */
void hd_omp_run(hd_omp_region *r);
/* Tasks in a region's first batch; tests use small ones. */
extern uint64_t hd_omp_batch_tasks;
/* The list length for a batch; UINT64_MAX: no batches in this region. */
uint64_t hd_omp_most_held(const hd_omp_region *r);
/* Makes a batch of the created tasks, which starts when the previous one has ended. */
void hd_omp_hand_over(hd_omp_region *r);
/* Waits for the batch, if there is one. */
void hd_omp_land(hd_omp_region *r);

/* ---- notes.c ---- */

/* Prints warnings about the list; is_new: of a new graph. */
void hd_omp_note_list(const hd_omp_region *r, int is_new);
/* HEDDLE_OMP_VERBOSE, _TRACE, _TIMELINE: reports on a run that has just ended well. */
void hd_omp_note(const hd_omp_region *r, const hd_omp_device *d, heddle_graph *g, const heddle_omp_times *t);

#endif
