/* SPDX-License-Identifier: MIT */
/* inside.h - what the files of heddle_openmp share: the region, its lists, sentences, memory.
 *
 * One region exists in a process at a time; the thread that is in it holds a mutex from its beginning to its end. So
 * nothing here needs another lock, and a thread knows from one word of its own whether it is in the region. */
#ifndef HD_OMP_INSIDE_H
#define HD_OMP_INSIDE_H

#include "heddle/openmp.h"
#include "openmp/context.h"
#include "openmp/list.h"
#include "openmp/map.h"

/* What the region maps; undone when the frame ends that it belongs to. */
typedef struct hd_omp_use {
    uint64_t begin, end; /* host addresses, within one object of the map */
    uint32_t how;
    uint32_t is_slots; /* of variables that are gone at the region's end: never copied back then */
    uint32_t pending;  /* the host's bytes are newer: copied to the device before the next run */
} hd_omp_use;

/* A batch: tasks that run while the region creates more. */
typedef struct hd_omp_batch {
    heddle_job *job; /* NULL: there is none */
    heddle_graph *graph;
    hd_omp_device *device;
    heddle_omp_times times;
} hd_omp_batch;

/* A region, or a region inside of one. */
typedef struct hd_omp_frame {
    const heddle_omp_program *program;
    const heddle_omp_place *place;
    hd_omp_device *device; /* where the program's tasks run unless the region fell back to CPU threads */
    uint32_t flags, team_size;
    uint32_t has_globals;        /* the program's globals are mapped */
    uint64_t first_use, n_slots; /* uses and slot blocks of the frames around it */
} hd_omp_frame;

typedef struct hd_omp_region {
    const heddle_omp_kind *kinds; /* of the frame: what heddle_omp_task needs, close together */
    uint32_t n_kinds;
    heddle_omp_match match;
    hd_omp_list list;   /* created and not handed over */
    uint64_t most_held; /* tasks in the list, of which the next one makes a batch */
    hd_omp_batch batch;
    uint32_t takes_turns; /* its own code does not run beside its tasks */
    hd_omp_frame frame;
    hd_omp_buffer frames; /* hd_omp_frame: those around it */
    hd_omp_buffer uses;   /* hd_omp_use */
    uint32_t most;        /* threads that the program asked for, 0 = all */
    uint32_t on_host;     /* fell back to CPU threads */
    uint64_t since_ns;    /* the region's beginning, or the end of its last run */
} hd_omp_region;

/* The region if this thread is in it, else NULL. */
#define HD_OMP_OWN __attribute__((tls_model("initial-exec")))
extern _Thread_local hd_omp_region *hd_omp_here HD_OMP_OWN;

/* ---- region.c ---- */

/* So many threads from the next region on. Returns n. */
int hd_omp_ask(int n);
/* n, or the threads that are asked for, where those are fewer. */
uint32_t hd_omp_bounded(uint32_t n);

/* ---- lock.c ---- */

/* From here to hd_omp_leave_alone this thread alone is at the map and the contexts. */
void hd_omp_enter_alone(void);
void hd_omp_leave_alone(void);
/* Do the region's tasks see copies? */
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
/* Before pointers are translated: globals that nobody mapped. Before a run: what the host wrote, to the device. */
void hd_omp_data_globals(hd_omp_region *r);
void hd_omp_data_to(hd_omp_region *r);
/* Copies back what is mapped from and was handed to tasks since it was copied last; or all that the region maps. */
void hd_omp_data_back(hd_omp_region *r, int all);
/* The frame's maps end. */
void hd_omp_data_end(hd_omp_region *r);
/* The object that a pointer of tasks leads to, k their kind or NULL; NULL, as above, when it is in none. *hint: the one
 * found last. */
hd_omp_object *hd_omp_object_of(const hd_omp_region *r, hd_omp_object **hint, const heddle_omp_kind *k,
                                const char *name, uint64_t value);
/* Counts [begin, end) up in the map; not if an object there has only a part of it. name NULL: an object. */
hd_omp_object *hd_omp_data_up(uint64_t begin, uint64_t end, const char *name, const heddle_omp_place *place);
/* The status of a call on the map is good, or the way out: "WHAT NAME: sentence". */
void hd_omp_data_must(heddle_status s, const heddle_omp_place *place, const char *what, const char *name);

/* ---- slots.c ---- */

/* How many blocks of variables there are; those made since there were n are gone. */
uint64_t hd_omp_slots_count(void);
void hd_omp_slots_end(uint64_t n);

/* ---- pointers.c ---- */

/* Host addresses in argument records become the device's. 0: one is in no mapped object, and all are as they were; the
 * region has been told, or has ended the program. */
int hd_omp_pointers(hd_omp_region *r);

/* ---- views.c ---- */

/* Can all pointers in globals be translated? 0: as hd_omp_pointers. */
int hd_omp_views_check(hd_omp_region *r);
/* What bodies see of globals with pointers goes to the device; before a run. */
void hd_omp_views_show(const hd_omp_region *r, hd_omp_device *d);
/* The address of global i as the bodies see it. */
const void *hd_omp_view(const hd_omp_region *r, const hd_omp_device *d, uint32_t i);

/* ---- cached.c ---- */

#define HD_OMP_CACHED_TASKS (1ull << 17) /* of all graphs of earlier runs */
/* The graph of what was created: that of an earlier run, or a new one. Afterwards it is kept, or dropped. Keeping may
 * exchange the buffers of the region's list, which is then to be cleared. */
heddle_status hd_omp_graph_take(heddle_graph **out, const hd_omp_region *r, const hd_omp_device *d,
                                heddle_omp_times *t);
void hd_omp_graph_cache(hd_omp_region *r);
/* The caller's, who frees it: it is never cached. */
heddle_status hd_omp_graph_make(heddle_graph **out, const hd_omp_region *r, const hd_omp_device *d,
                                heddle_omp_times *t);
void hd_omp_graph_drop(void);
/* None is left of that device. */
void hd_omp_graphs_forget(const hd_omp_device *d);

/* ---- run.c ---- */

/* Runs what was created and waits. */
void hd_omp_run(hd_omp_region *r);
/* Tasks that make a region's first batch; tests have small ones. */
extern uint64_t hd_omp_batch_tasks;
/* UINT64_MAX: no batches are made of this region's tasks. */
uint64_t hd_omp_most_held(const hd_omp_region *r);
/* What was created becomes a batch, which begins when the one before it has ended. */
void hd_omp_hand_over(hd_omp_region *r);
/* Waits for the batch, if there is one. */
void hd_omp_land(hd_omp_region *r);

/* ---- notes.c ---- */

/* What there is to say of the list, of a graph that is new or known. */
void hd_omp_note_list(const hd_omp_region *r, int is_new);
/* HEDDLE_OMP_VERBOSE, _TRACE, _TIMELINE: what there is to say of a run that has just ended well. */
void hd_omp_note(const hd_omp_region *r, const hd_omp_device *d, heddle_graph *g, const heddle_omp_times *t);

#endif
