/* SPDX-License-Identifier: MIT */
/* split.h - which unit runs which part of a loop: a state machine without clock, threads or devices. Events go in, with their
 * times; decisions come out. It is driven by the threads of a fleet, by the simulator and by tests.
 *
 * A loop has n grains, numbered from 0: the least parts that are given away. A unit is a core or an accelerator. It claims an
 * interval of grains and runs it in slices; an accelerator has several slices under way at once. How much a unit claims is up to a
 * way to divide (HEDDLE_SPLIT_MAP). Units of one kind share a model: a slice of m grains takes t0 + m * each.
 *
 * Guarantees. Each grain belongs to exactly one slice that is kept. A unit that is lost, or suspected to hang, has its slices
 * that were not kept given to others. The loop is over when all grains have ended well, when it was cancelled and no slice is
 * under way, or when no unit is left.
 *
 * Calls are made by one thread at a time. Nothing is allocated after hd_split_new. */
#ifndef HD_SPLIT_H
#define HD_SPLIT_H

#include "base/base.h"
#include "heddle/loop.h" /* heddle_split: the ways to divide */

typedef struct hd_split hd_split;

/* A slice of m grains takes t0_ns + m * each_ns. */
typedef struct hd_split_model {
    double t0_ns, each_ns;
    uint32_t n_seen; /* slices that it was made from; 0: nothing is known */
    double most_ns;  /* of a grain in the slice with the dearest ones; 0: as each_ns */
} hd_split_model;

typedef struct hd_split_unit {
    uint32_t kind;        /* below n_kinds */
    uint32_t most_flying; /* slices under way at once */
    uint64_t least, most; /* grains of a slice: it is not worth less; it has no room for more */
    double weight;        /* speed by data sheet, of any dimension, > 0: for the ways that want one */
    uint32_t
        may_hang; /* 1: its slices may be given to others while it still works on them: it writes nothing before it keeps a slice */
    uint32_t copies; /* 1: its slices have bytes to move, beside the work on other slices */
} hd_split_unit;

typedef struct hd_split_config {
    uint64_t n; /* grains */
    heddle_split way;
    uint32_t n_units, n_kinds;
    const hd_split_unit *units;   /* copied */
    const hd_split_model *models; /* of each kind, from earlier loops; or NULL */
} hd_split_config;

typedef struct hd_slice {
    uint64_t begin, end; /* grains */
    uint32_t number;     /* of this slice among those of its unit that are under way: below most_flying */
    uint64_t due_ns;     /* from then on the unit asks hd_split_is_due between parts of the slice; 0: it need not */
} hd_slice;

typedef enum hd_due {
    HD_DUE_NOT,
    HD_DUE_BETWEEN, /* the unit had better stop (hd_split_stopped) where a grain ends */
    HD_DUE_NOW /* anywhere: of a grain that it has begun it forgets what it did; a quicker unit is sooner done with all of it */
} hd_due;

typedef enum hd_take {
    HD_TAKE_SLICE, /* run it */
    HD_TAKE_LATER, /* nothing for now. Ask again when hd_split_changes has moved, or after a while */
    HD_TAKE_OVER   /* nothing any more for this unit */
} hd_take;

/* ENOMEM. */
heddle_status hd_split_new(hd_split **out, const hd_split_config *config);
void hd_split_delete(hd_split *s);

/* The unit has room for another slice. */
hd_take hd_split_take(hd_split *s, uint32_t unit, uint64_t now_ns, hd_slice *out);
/* The slice's bodies have ended well, and its results may be written home. 1: do so, then call hd_split_ended. 0: others have it by
 * now; forget it. Units without may_hang need not ask. */
int hd_split_keep(hd_split *s, uint32_t unit, const hd_slice *slice);
/* It is done: its results are home. 0: others have it by now, or will run it again. It was at work on it from began_ns on (with several under way: since the one before ended). */
int hd_split_ended(hd_split *s, uint32_t unit, const hd_slice *slice, uint64_t began_ns, uint64_t now_ns);
/* Had the unit better stop? Only units with one slice at a time are told so.
 *
 * BETWEEN: 8 times the predicted time and 20 us have passed. NOW: the unit will take longer for the rest of the slice than a quicker
 * kind for all that is left of the loop. What it will take is what was predicted, and at least a fourth of the time that it has
 * had; once that time has passed, as long again. The unit gets nothing more while units of such a kind are here. Only in ways that cut. */
hd_due hd_split_is_due(const hd_split *s, uint32_t unit, const hd_slice *slice, uint64_t now_ns);
/* The same for a unit that has stopped before a grain, which may be its first: those from it on belong to its claim again, where others may
 * find them. So a slice in a region that is far denser than predicted is not the whole loop. Only if the slice has a due_ns. */
int hd_split_stopped(hd_split *s, uint32_t unit, const hd_slice *slice, uint64_t at, uint64_t began_ns,
                     uint64_t now_ns);
/* The unit is lost: what it has is given to others. A slice that it had kept is run again, too. */
void hd_split_lost(hd_split *s, uint32_t unit, uint64_t now_ns);
/* A unit that was away from the beginning, or lost, is here (again). */
void hd_split_join(hd_split *s, uint32_t unit, uint64_t now_ns);
/* Time has passed: units that are far behind what was predicted lose the tail of their claim; those that seem to hang are
 * suspected: as lost, but a slice that they keep first counts. Call it from time to time.
 *
 * Far behind: 8 times the predicted time of its slice and 10 ms. Suspected, if it may hang: 128 times and 100 ms; the only unit that is
 * left, 16 times as long. Slices that were kept are not given away while their results may be on the way home; if that takes so
 * long, too, the unit counts as lost. If nothing is known of any unit, nothing is predicted: a time limit is the caller's. A
 * suspected unit stays out until it joins. */
void hd_split_tick(hd_split *s, uint64_t now_ns);
/* No further slices. */
void hd_split_cancel(hd_split *s);

/* Moves when a unit that was told HD_TAKE_LATER might get something. */
uint64_t hd_split_changes(const hd_split *s);
int hd_split_is_over(const hd_split *s);
/* Grains that have ended well. */
uint64_t hd_split_n_ended(const hd_split *s);
/* Of the grains that have not: the first interval from `from` on; 0: there is none. For messages. */
int hd_split_left(const hd_split *s, uint64_t from, uint64_t *begin, uint64_t *end);

typedef struct hd_split_counts {
    uint64_t n_slices, n_grains, n_cuts; /* of a unit: kept and ended; tails that it took from others' claims */
    uint64_t n_again;                    /* grains that it did not finish, and others ran */
    uint64_t n_relieved;                 /* grains of its claims that others took because it was far behind */
    int has_given_up;                    /* it stopped within a slice, since quicker units were sooner done with all */
    uint64_t first_ns, last_ns;          /* its first take, and its last end */
    uint64_t busy_ns;
    int is_lost, is_suspected;
} hd_split_counts;
void hd_split_count(const hd_split *s, uint32_t unit, hd_split_counts *out);
/* What is known of a kind by now, for later loops: if it ran anything, the mean of all grains of this loop, also if it had cheap ones only. */
void hd_split_model_of(const hd_split *s, uint32_t kind, hd_split_model *out);
/* Was this unit left out because it would slow the loop down, or save too little? With the predicted times of the loop without and with it. */
int hd_split_left_out(const hd_split *s, uint32_t unit, double *without_ns, double *with_ns);

#endif
