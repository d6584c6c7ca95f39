/* SPDX-License-Identifier: MIT */
/* chart.h - what units did in a traced run of a loop or a wavefront, or among jobs, and when. */
#ifndef HD_LOOP_CHART_H
#define HD_LOOP_CHART_H

#include "engine/loop/turns.h"
#include "heddle/loop.h"

typedef struct hd_chart hd_chart;

#define HD_CHART_PEERS HEDDLE_N_PHASES              /* one more phase: copies between devices, or within one */
#define HD_CHART_PHASES (HEDDLE_N_PHASES - 1u)      /* those of a slice */
#define HD_CHART_JOBS_PHASES (HD_CHART_PHASES + 1u) /* and of jobs */

/* A unit's rows: one of each queue, with its slices, and one of each phase. Without either it has one row with its own name. */
typedef struct hd_chart_unit {
    const char *name;            /* these texts stay as long as the chart */
    uint32_t n_queues, n_phases; /* n_phases: HD_CHART_PHASES, HD_CHART_JOBS_PHASES, or 0 */
} hd_chart_unit;

typedef struct hd_chart_form {
    uint32_t n_trace, n_units;
    const char *title, *way; /* the name of the body; how it was divided */
    const char *bodies;      /* the name of the row of bodies: "bodies" */
    hd_chart_unit (*unit)(const void *self, uint32_t i);
    int is_of_jobs; /* events are of many jobs (hd_chart_note_job) */
} hd_chart_form;

/* What an event is. Of an accelerator without marks, HEDDLE_PHASE_BODIES has the copies in, too. */
typedef struct hd_chart_part {
    uint32_t phase;      /* heddle_phase, or HD_CHART_PEERS */
    uint64_t n_bytes;    /* that were copied, if it is copies */
    uint64_t begin, end; /* indices, or units of the field */
    uint32_t queue;
    uint64_t begin_ns, end_ns;
} hd_chart_part;

/* Of jobs: what else is said of an event. Of copies, begin and end of the part are rows. */
typedef struct hd_chart_job {
    const char *body;        /* its name, which is copied; NULL: copies */
    uint64_t job;            /* its number; UINT64_MAX: of none */
    uint64_t begin_2, end_2; /* of bodies: of the second index; end 0: there is none */
    uint64_t n_runs;         /* replays of so many runs of a sequence; 0: it is no such event */
    uint32_t array, from;    /* of copies: from: the unit that has the bytes, if that is another one */
} hd_chart_job;

/* NULL without memory. */
hd_chart *hd_chart_new(const hd_chart_form *form, const void *self);
void hd_chart_delete(hd_chart *c);
void hd_chart_clear(hd_chart *c);
/* Without a chart (NULL) it does nothing. Each row is written by one thread at a time. */
void hd_chart_note(hd_chart *c, uint32_t unit, const hd_chart_part *p);
/* The same of a chart of jobs. */
void hd_chart_note_job(hd_chart *c, uint32_t unit, const hd_chart_part *p, const hd_chart_job *j);
/* An event is missing: there was no memory to wait for its end. */
void hd_chart_drop(hd_chart *c, uint32_t unit, uint32_t phase);
/* Notes a phase that an accelerator has ended by now, as its marks tell. Its clock may be off a little: the phase is shown behind *since_ns,
 * which becomes its end. */
void hd_chart_note_marked(hd_chart *c, uint32_t unit, const heddle_accelerator *a, const hd_chart_part *p,
                          uint64_t *since_ns, uint64_t now_ns);

/* The run that it shows has ended. time_ns 0: there was none. */
void hd_chart_end(hd_chart *c, uint64_t start_ns, uint64_t time_ns);

/* The slices of a loop, as heddle_loop_get_slices has them. */
heddle_status hd_chart_get_slices(const hd_chart *c, const hd_fleet_turn *t, heddle_loop_slice *out, uint64_t most,
                                  uint64_t *n, const char *call);
/* Writes the chart of a loop, wavefront or job (`what`, for the sentence of `call`), which is not running. t NULL: there is none. */
heddle_status hd_chart_write_trace(const hd_chart *c, const hd_fleet_turn *t, const char *what, const char *path,
                                   const char *call);
heddle_status hd_chart_write_timeline(const hd_chart *c, const hd_fleet_turn *t, const char *what, const char *path,
                                      const char *title, const char *call);

#endif
