/* SPDX-License-Identifier: MIT */
/* sequence.h - sequences of jobs: what the files that run them share. sequence.c has the public calls, sequence_turn.c the driver's part of a start, kept.c
 * what one run puts into the queues, replay.c how that is put there again.
 *
 * A start has its turn when the line is empty and nothing is under way. Requests that come later are held until it has ended. Its first
 * runs go through the line, and what they put into the queues is kept. Meanwhile no point counts as done, so that a run waits for the one
 * before, and plans do not depend on how quickly devices are. When two runs in a row have put the same, all others are replays: the list
 * with the numbers of its points shifted. The directory does not see them. It is told at the end that the queues have passed those
 * points.
 *
 * Whole runs are replayed, also if the sequence is cancelled or a body fails, so that pieces are where the directory has them.
 *
 * Only the driver's thread touches a sequence while a start of it is not over, but for what jobs.mutex guards. */
#ifndef HD_MULTI_SEQUENCE_H
#define HD_MULTI_SEQUENCE_H

#include "engine/multi/jobs.h"

/* An op of a run. */
typedef struct hd_kept_op {
    hd_seg_op op;   /* its waits are in the run's list */
    uint32_t entry; /* which job of the sequence it is of; HD_NONE: of none */
    uint32_t n_places;
    uint64_t first_place;
    hd_grains block;
} hd_kept_op;

/* What a run has put into the queues, in that order. */
struct hd_kept {
    uint32_t n_queues;
    hd_list ops, waits, places; /* hd_kept_op, hd_seg_point, hd_seg_place */
    hd_list base, counts;       /* uint64_t of each queue: its last point before; its points */
    int is_short;               /* something is missing: no memory, or a device was lost */
};
typedef struct hd_kept hd_kept;

typedef struct hd_sequence_job {
    heddle_multi *multi;
    uint8_t *params;
} hd_sequence_job;

/* A record of some runs, made by accelerators. */
typedef struct hd_sequence_record {
    void *recorded;
    uint64_t n_runs;           /* 0: there is none */
    uint64_t n_put, n_replays; /* begun; that have ended, since it was made */
} hd_sequence_record;

typedef enum hd_sequence_phase {
    HD_SEQUENCE_JOBS,    /* all runs go through the line, some ahead */
    HD_SEQUENCE_KEEPS,   /* one after the other does, and is kept     */
    HD_SEQUENCE_SETTLES, /* two were alike: waits until nothing is under way */
    HD_SEQUENCE_LIST,
    HD_SEQUENCE_RECORDS,
    HD_SEQUENCE_ENDS /* nothing begins any more */
} hd_sequence_phase;

struct heddle_sequence {
    heddle_fleet *fleet;
    hd_jobs *jobs; /* NULL: a fleet of cores */
    hd_list list;  /* hd_sequence_job */
    heddle_replay most;
    /* guarded by jobs.mutex, or that of a fleet of cores: */
    uint32_t n_starts; /* that have not ended */
    heddle_status status;
    hd_error error;
    heddle_sequence_stats stats;
    uint32_t is_canceled; /* of a fleet of cores; atomic */
    /* the driver's, of the start at work: */
    hd_sequence_phase phase;
    uint64_t n_left, n_begun; /* runs that have not begun; that have */
    uint32_t n_in_line;       /* jobs */
    uint32_t n_kept;          /* runs, since the last that was not like others */
    uint32_t n_tries;
    uint64_t n_moves; /* of shares, when the last run was kept */
    uint64_t begin_ns, launch_ns;
    heddle_status end;
    hd_error end_error;
    int has_replayed, has_lost, is_telling; /* has_lost: a device, among replays; is_telling: the line hears of it */
    hd_kept kept[2];                        /* the last runs; kept[now] is the newest */
    uint32_t now;
    hd_kept recorded; /* what the records were made of */
    hd_sequence_record many, one;
    uint64_t n_by_list, n_by_record, n_calls;
    char why[200]; /* there are no replays, or none by record */
    hd_list how;
};

static inline hd_sequence_job *hd_sequence_at(const heddle_sequence *s, uint64_t i)
{
    return (hd_sequence_job *)s->list.at + i;
}
static inline hd_kept *hd_sequence_kept(heddle_sequence *s) { return &s->kept[s->now]; }

/* What is replayed. */
static inline hd_kept *hd_sequence_replayed(heddle_sequence *s)
{
    return s->n_by_record ? &s->recorded : hd_sequence_kept(s);
}

/* ---- kept.c ----------------------------------------------------------------------------------------------------------- */

/* Begins a list anew. -1 without memory. */
int hd_kept_begin(hd_kept *k, const hd_jobs *j);
void hd_kept_clear(hd_kept *k);
/* Have all queues got the same from both, and did each op wait for the same, seen from the run's begin? */
int hd_kept_are_alike(const hd_kept *a, const hd_kept *b);
/* Nothing comes from the host or goes there. */
int hd_kept_stays(const hd_kept *k);
/* For each device, and then home: the devices that its bytes may depend on after any number of runs. */
void hd_kept_depends(const hd_kept *k, uint32_t n_devices, uint64_t *depends);
static inline hd_kept_op *hd_kept_at(const hd_kept *k, uint64_t i) { return (hd_kept_op *)k->ops.at + i; }
static inline uint64_t hd_kept_number(const hd_list *of, uint32_t queue) { return ((const uint64_t *)of->at)[queue]; }

/* ---- replay.c --------------------------------------------------------------------------------------------------------- */

/* Runs are replayed from now on: by which way. */
hd_sequence_phase hd_replay_begin(hd_jobs *j, heddle_sequence *s);
/* Puts some more replays, and looks at those that are under way. 1: something went on. */
int hd_replay_turn(hd_jobs *j, heddle_sequence *s);
int hd_replay_is_over(const heddle_sequence *s); /* all that were put have ended, those by record */
/* A device was lost: nobody knows what it has done. */
void hd_replay_lost(hd_jobs *j, heddle_sequence *s);
void hd_replay_free(heddle_sequence *s); /* its records */

/* ---- sequence.c ------------------------------------------------------------------------------------------------------- */

/* Its start has ended: so it did. */
void hd_sequence_over(hd_jobs *j, hd_request *r, heddle_status status, const hd_error *e);

#endif
