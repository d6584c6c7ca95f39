/* SPDX-License-Identifier: MIT */
/* variants.h - a graph with several possible layouts. Each variant is a separate graph, made when first tried. The user's
 * runs use them in turn by the rule of tries.h, and the quickest stays.
 *
 * Variant 0 is the user's own graph. It exists from the start and is never dropped, so there is always one to run. The kind
 * (hd_variants_kind) makes and drops the others. A variant that cannot be made or started is excluded. A variant that is a
 * tenth slower than the best is dropped after its trials, to free its memory. A run in which a variant tries ways of its own
 * (is_trying) does not count as a trial.
 *
 * Not thread-safe: only calls that start a run use it, while none is in flight. */
#ifndef HD_VARIANTS_H
#define HD_VARIANTS_H

#include "backend/tries.h"
#include "base/base.h"

#define HD_MOST_VARIANTS 64u
#define HD_VARIANT_NAME 40u

typedef struct hd_variants_kind {
    heddle_status (*make)(void *self, uint32_t i, heddle_graph **out); /* not for variant 0 */
    void (*name)(const void *self, uint32_t i, char out[HD_VARIANT_NAME]);
    void (*drop)(heddle_graph *g);
    void (*free_self)(void *self);
} hd_variants_kind;

typedef struct hd_variant {
    heddle_graph *graph; /* NULL: not made yet, or dropped */
    hd_tried tried;
    int is_out; /* excluded: impossible, or too slow */
} hd_variant;

typedef struct hd_variants {
    const hd_variants_kind *kind;
    void *self; /* the kind's; freed with the variants */
    uint32_t n, now, best;
    int is_settled, is_noted; /* is_noted: the last run's time is known */
    int is_alone;             /* the others have been dropped */
    const char *why;          /* the reason, if the choice was not by speed */
    hd_variant at[HD_MOST_VARIANTS];
    char how[640];
} hd_variants;

/* Variant 0 of n (at most HD_MOST_VARIANTS) is `own`. NULL without memory; the caller then keeps self. */
hd_variants *hd_variants_new(const hd_variants_kind *kind, void *self, heddle_graph *own, uint32_t n);
/* Also frees all graphs but the user's own. NULL is allowed. */
void hd_variants_free(hd_variants *v);

/* Chooses and makes `now`, the variant that runs next. EDEVICE: the device is lost. */
heddle_status hd_variants_next(hd_variants *v);
/* `now` could not be started, with status s: excludes it. 0: s does not justify that, or none is left; the call returns s. */
int hd_variants_refuse(hd_variants *v, heddle_status s);
/* A run of `now` has begun. */
void hd_variants_began(hd_variants *v);
/* That run ended well after ns; only the first call per run counts. */
void hd_variants_note(hd_variants *v, uint64_t ns, int is_trying);
/* Ends trials: the best so far becomes `now`; why: in words. The next hd_variants_next frees the others, not this call, because a
 * stream that is being captured forbids to free memory of the device. */
void hd_variants_hold(hd_variants *v, const char *why);
/* Runs only the user's own graph until the next hd_variants_next. */
void hd_variants_use_own(hd_variants *v);
/* Describes how `now` ran, given the backend's words, and why. Valid until the next call. */
const char *hd_variants_say(hd_variants *v, const char *how);

#endif
