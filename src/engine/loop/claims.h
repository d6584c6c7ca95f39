/* SPDX-License-Identifier: MIT */
/* claims.h - which units are here, what each claims, and what anybody may take: the part of a split that does not depend on the way. */
#ifndef HD_LOOP_CLAIMS_H
#define HD_LOOP_CLAIMS_H

#include "engine/loop/ways.h"

/* Counts the unit in or out. What an absent one claims is open to all; its slots are the caller's. */
void hd_claimant_enters(hd_split *s, uint32_t unit);
void hd_claimant_leaves(hd_split *s, uint32_t unit, hd_presence p);
/* The unit's rate in the sum is what is known now. */
void hd_claimant_rated(hd_split *s, uint32_t unit);
/* The same for all units of a kind of which something has become known. */
void hd_kind_rated(hd_split *s, uint32_t kind);

/* What all units of a kind that is quicker than the unit's need for all that is left; HUGE_VAL: there is none, or nothing is known of it. */
double hd_quicker_ns(const hd_split *s, uint32_t unit);
/* Would a quicker kind be done with all that is left before the unit is with its least slice, if its grains are the dearest that were
 * seen? Or has the unit given up a slice because of that? Then it gets no claim. Never true of the quickest kind. Only in ways that cut. */
int hd_claimant_is_overtaken(hd_split *s, uint32_t unit, uint64_t now_ns);

/* Opens the claim to all, or closes it. An empty claim is never open. */
void hd_claim_open(hd_split *s, hd_claimant *u);
void hd_claim_close(hd_split *s, hd_claimant *u);
/* A unit without a claim gets one: of what is loose, from the cursor, or of another's claim. 0: there is nothing for it. */
int hd_claim_refill(hd_split *s, uint32_t unit, uint64_t now_ns);
/* Cuts the next slice off a claim that is not empty. */
uint64_t hd_claim_slice(hd_split *s, uint32_t unit, uint64_t now_ns);

/* Grains of a slot that anybody may take. */
static inline uint64_t hd_slot_loose(const hd_slot *slot)
{
    return slot->state == HD_SLOT_LOOSE || slot->state == HD_SLOT_GIVEN ? slot->loose_end - slot->begin : 0;
}

#endif
