/* SPDX-License-Identifier: MIT */
/* ways.h - what a way to divide a loop is, and what it can see: the state of a split (split.h).
 *
 * A way answers one question: how many grains from the cursor does this unit claim now? Everything else is common to all ways:
 * claims run in slices, what lost units had is given to others, models are fitted. doc/split-howto.md shows how to add one.
 *
 * Memory is fixed. What a lost unit had stays in its own record until others have taken it: the claim, and its slices in their slots.
 * A unit that comes back first repeats its own slices as they were. So it never has more pieces than slots and one claim. */
#ifndef HD_LOOP_WAYS_H
#define HD_LOOP_WAYS_H

#include "engine/loop/model.h"

typedef enum hd_slot_state {
    HD_SLOT_FREE,
    HD_SLOT_FLYING,
    HD_SLOT_KEPT,   /* its results are being written home */
    HD_SLOT_GIVEN,  /* its unit is suspected and still at work on it; others may take grains .. loose_end - 1 */
    HD_SLOT_LOOSE,  /* its unit was lost: the same, and nobody is at work on them */
    HD_SLOT_REVOKED /* its unit is at work on it, and somebody else has kept it */
} hd_slot_state;

typedef struct hd_slot {
    uint64_t begin, end, loose_end;
    uint64_t issued_ns;
    double expected_ns; /* its own time; 0: nothing was known */
    hd_slot_state state;
} hd_slot;

typedef enum hd_presence { HD_PRESENT, HD_LOST, HD_SUSPECTED } hd_presence;

typedef struct hd_claimant {
    hd_split_unit is;
    uint64_t begin, end; /* its claim: what of it is in no slice yet */
    hd_slot *slots;      /* is.most_flying */
    void *way;           /* unit_bytes of the way's own */
    hd_presence presence;
    uint64_t suspected_ns; /* since when, last; 0: never */
    uint8_t is_open;       /* its claim may be taken by anybody: it is absent, or far behind */
    uint8_t is_waiting;    /* was told to ask later */
    uint8_t
        gave_up; /* it stopped a slice because quicker units could do all that was left in the time that it had taken */
    uint8_t is_refused; /* was left out at least once, with these times of the loop */
    double without_ns, with_ns;
    hd_samples recent; /* its own slices */
    double each_ns;    /* a grain; 0: unknown */
    double rate;       /* grains a nanosecond, as counted in the split's sum; 0: absent or unknown */
    double free_ns;    /* when its slices under way will have ended, by prediction */
    uint64_t ended_ns; /* its last end */
    uint32_t n_flying;
    uint32_t next_of_kind;
    hd_split_counts counts;
} hd_claimant;

typedef struct hd_kind {
    hd_split_model model;
    hd_samples recent;
    double told_ns;         /* a grain, by earlier loops; 0: there were none */
    double most_ns;         /* a grain of the slice with the dearest grains, in this loop */
    double n, ns, n_slices; /* of all its slices in this loop */
    double usual, usual_ns; /* sums over them, but for the first: a grain's time, weighted with the slice's; weights */
    double times;           /* the usual time over that of the kind that is quickest by data sheet, at its last end */
    uint32_t first, n_present; /* units: a list; those that are here */
    uint64_t refused_at;       /* changes, when a unit of it found no tail worth taking */
} hd_kind;

typedef struct hd_way_to_divide {
    size_t all_bytes, unit_bytes; /* zeroed memory of its own: hd_split's way, and each unit's */
    int is_single;                /* a unit claims again when all slices of its claim have ended */
    /* Grains from the cursor for this unit. 0: nothing for now, because others that are present will take them. It must not be 0
     * for ever. */
    uint64_t (*claim)(hd_split *s, uint32_t unit, uint64_t now_ns);
    /* Grains of the next slice of its claim, which is cut down to what fits. NULL: as many as fit. */
    uint64_t (*slice)(const hd_split *s, uint32_t unit, uint64_t now_ns);
    /* A slice of n grains took so long. NULL: it learns nothing of its own. */
    void (*ended)(hd_split *s, uint32_t unit, uint64_t n, double ns);
    /* Nothing is left to claim: the unit may take the tail of another's claim. 1: it has. NULL: it waits. */
    int (*cut)(hd_split *s, uint32_t unit, uint64_t now_ns);
} hd_way_to_divide;

struct hd_split {
    uint64_t n, cursor, n_ended; /* grains; from the cursor on nobody has claimed them */
    const hd_way_to_divide *way;
    void *way_all;
    hd_claimant *units;
    hd_kind *kinds;
    uint32_t n_units, n_kinds;
    uint32_t quickest;             /* kind, by data sheet */
    uint32_t n_present, n_unknown; /* units; of them: of kinds that nothing is known of */
    uint32_t n_waiting;
    uint32_t n_loose;     /* intervals that anybody may take: open claims and slots */
    uint32_t n_under_way; /* slices that must end before a cancelled loop is over */
    double rate, weight;  /* sums over the units that are present */
    uint64_t n_rates;     /* changes of it */
    uint64_t start_ns, look_ns, changes;
    int has_begun, is_cancelled, has_suspects, has_models; /* models: of all kinds, from earlier loops */
    uint64_t n_bytes;
};

#define HEDDLE_X(name, value, text, help) extern const hd_way_to_divide hd_way_##name;
HEDDLE_SPLIT_MAP(HEDDLE_X)
#undef HEDDLE_X

static inline const hd_split_model *hd_model_of(const hd_split *s, uint32_t unit)
{
    return &s->kinds[s->units[unit].is.kind].model;
}
static inline int hd_is_known(const hd_split *s, uint32_t unit) { return hd_model_of(s, unit)->n_seen > 0; }
static inline uint64_t hd_unclaimed(const hd_split *s) { return s->n - s->cursor; }

/* Nanoseconds that a grain takes on this unit: by its own latest slices, else by its kind's. Its kind is known. */
static inline double hd_each_ns(const hd_split *s, uint32_t unit) { return s->units[unit].each_ns; }

/* By data sheets, a kind is at least twice as quick as another: of two kinds at most one is, whatever parts of an uneven load they have seen. */
int hd_is_quicker(const hd_split *s, uint32_t kind, uint32_t other);
/* What all units of a known kind that are here need for n grains. Less than a least slice takes as long as that. On uneven loads what
 * the latest slices say may be too much: earlier loops may know better. */
double hd_kind_ns(const hd_split *s, uint32_t kind, double n);
/* Nanoseconds that a grain takes a kind where most of its time goes. 0: unknown. */
static inline double hd_usual_ns(const hd_kind *k) { return k->usual_ns > 0 ? k->usual / k->usual_ns : 0; }
/* The time of a grain, to compare kinds by. On uneven loads they had different grains, so that their means do not tell. But when a kind
 * ended its last slice, the others had come as far as it. Earlier loops know best.
 * 0: unknown. */
static inline double hd_compared_ns(const hd_split *s, uint32_t kind)
{
    const hd_kind *k = &s->kinds[kind];
    const double ns = k->times * hd_usual_ns(&s->kinds[s->quickest]);
    return s->has_models ? k->told_ns : ns;
}
/* The unit is left out: if it took part, the rest of the loop would take with_ns instead of without_ns. Returns 1. */
int hd_refuse(hd_split *s, uint32_t unit, uint64_t now_ns, double without_ns, double with_ns);

/* Since the loop began. */
static inline double hd_elapsed_ns(const hd_split *s, uint64_t now_ns)
{
    return now_ns > s->start_ns ? (double)(now_ns - s->start_ns) : 0;
}

/* The part of x that belongs to the unit by weight w of a sum; at least `least`. */
static inline uint64_t hd_part(uint64_t x, double w, double sum, uint64_t least)
{
    const double share = sum > 0 ? w / sum : 0; /* sums are not exact */
    const uint64_t part = share < 1 ? (uint64_t)((double)x * share) : x;
    return part > least ? part : least;
}

#endif
