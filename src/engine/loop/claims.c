/* SPDX-License-Identifier: MIT */
/* claims.c - claims: from the cursor, or from the tails of what others do not run. All ways share this (claims.h). */
#include "engine/loop/claims.h"

#include <math.h>

#define QUICKER_TIMES 2.0        /* a kind so much quicker is a quicker one: of two kinds at most one is */
#define RATES_UNTIL_SUMMED 4096u /* small errors of the sum do not add up */

/* ---- presence -------------------------------------------------------------------------------------------------------- */

static void sum_rates(hd_split *s)
{
    s->rate = 0;
    for (uint32_t i = 0; i < s->n_units; i++)
        s->rate += s->units[i].rate;
}

void hd_claimant_rated(hd_split *s, uint32_t unit)
{
    hd_claimant *u = &s->units[unit];
    const hd_split_model *m = hd_model_of(s, unit);
    const double before = u->rate;
    u->each_ns = u->recent.n_seen ? hd_samples_each(&u->recent, m->t0_ns) : m->n_seen ? m->each_ns : 0;
    u->rate = u->presence == HD_PRESENT && u->each_ns > 0 && !u->gave_up ? 1 / u->each_ns : 0;
    s->rate += u->rate - before;
    if (++s->n_rates % RATES_UNTIL_SUMMED == 0)
        sum_rates(s);
}

void hd_kind_rated(hd_split *s, uint32_t kind)
{
    for (uint32_t i = s->kinds[kind].first; i < s->n_units; i = s->units[i].next_of_kind)
        hd_claimant_rated(s, i);
}

static void count_presence(hd_split *s, uint32_t unit, int sign)
{
    hd_claimant *u = &s->units[unit];
    s->n_present += (uint32_t)sign;
    s->kinds[u->is.kind].n_present += (uint32_t)sign;
    s->n_unknown += hd_is_known(s, unit) ? 0 : (uint32_t)sign;
    s->weight += sign * u->is.weight;
    s->changes++;
    hd_claimant_rated(s, unit);
    sum_rates(s); /* else what is left of a fast unit's rate would be larger than the slow ones' */
}

void hd_claimant_enters(hd_split *s, uint32_t unit)
{
    s->units[unit].presence = HD_PRESENT;
    hd_claim_close(s, &s->units[unit]);
    count_presence(s, unit, 1);
}

void hd_claimant_leaves(hd_split *s, uint32_t unit, hd_presence p)
{
    hd_claimant *u = &s->units[unit];
    u->presence = p;
    hd_claim_open(s, u);
    count_presence(s, unit, -1);
    s->n_waiting -= u->is_waiting;
    u->is_waiting = 0;
}

/* ---- too slow -------------------------------------------------------------------------------------------------------- */

int hd_refuse(hd_split *s, uint32_t unit, uint64_t now_ns, double without_ns, double with_ns)
{
    hd_claimant *u = &s->units[unit];
    u->is_refused = 1;
    u->without_ns = hd_elapsed_ns(s, now_ns) + without_ns;
    u->with_ns = hd_elapsed_ns(s, now_ns) + with_ns;
    return 1;
}

int hd_is_quicker(const hd_split *s, uint32_t kind, uint32_t other)
{
    return s->units[s->kinds[kind].first].is.weight >= QUICKER_TIMES * s->units[s->kinds[other].first].is.weight;
}

double hd_kind_ns(const hd_split *s, uint32_t kind, double n)
{
    const hd_kind *k = &s->kinds[kind];
    const double share = n / k->n_present, least = (double)s->units[k->first].is.least;
    const double each = k->told_ns > 0 ? fmin(k->told_ns, k->model.each_ns) : k->model.each_ns;
    return k->model.t0_ns + fmax(share, least) * each;
}

double hd_quicker_ns(const hd_split *s, uint32_t unit)
{
    double best = HUGE_VAL;
    for (uint32_t k = 0; k < s->n_kinds; k++)
        if (s->kinds[k].n_present && s->kinds[k].model.n_seen && hd_is_quicker(s, k, s->units[unit].is.kind))
            best = fmin(best, hd_kind_ns(s, k, (double)(s->n - s->n_ended)));
    return best;
}

int hd_claimant_is_overtaken(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const hd_split_model *m = hd_model_of(s, unit);
    const double ns = m->t0_ns + (double)s->units[unit].is.least * m->most_ns;
    const double quicker = s->way->cut && m->n_seen ? hd_quicker_ns(s, unit) : HUGE_VAL;
    s->units[unit].gave_up &= quicker < HUGE_VAL;
    return (s->units[unit].gave_up || ns > quicker) && hd_refuse(s, unit, now_ns, quicker, ns);
}

/* ---- what is loose --------------------------------------------------------------------------------------------------- */

void hd_claim_open(hd_split *s, hd_claimant *u)
{
    s->n_loose += !u->is_open && u->end > u->begin;
    u->is_open = u->end > u->begin;
}

void hd_claim_close(hd_split *s, hd_claimant *u)
{
    s->n_loose -= u->is_open;
    u->is_open = 0;
}

/* Of n loose grains half of the unit's share, so that several units divide what a fast one had. */
static uint64_t share_of_loose(const hd_split *s, uint32_t unit, uint64_t n)
{
    const hd_claimant *u = &s->units[unit];
    const uint64_t part = u->rate > 0 && !s->n_unknown ? hd_part(n, u->rate, 2 * s->rate, u->is.least)
                                                       : hd_part(n, u->is.weight, 2 * s->weight, u->is.least);
    return part + u->is.least < n ? part : n;
}

static void claim(hd_claimant *u, uint64_t begin, uint64_t end)
{
    u->begin = begin;
    u->end = end;
}

/* Takes an open claim of no more than a least slice that begins or ends where the unit's does. */
static int take_neighbour(hd_split *s, uint32_t unit)
{
    hd_claimant *u = &s->units[unit];
    for (uint32_t i = 0; i < s->n_units; i++) {
        hd_claimant *v = &s->units[i];
        if (i == unit || !v->is_open || v->end - v->begin > u->is.least || (v->end != u->begin && v->begin != u->end))
            continue;
        claim(u, v->begin < u->begin ? v->begin : u->begin, v->end > u->end ? v->end : u->end);
        claim(v, v->begin, v->begin); /* where its slice ends: it may take grains of that back */
        hd_claim_close(s, v);
        return 1;
    }
    return 0;
}

/* What several cores gave up, a grain each, is together a slice that is worth it to a GPU. Claims that lie in a suspected unit's slice stay
 * apart, since it may keep that yet. */
static int take_open_claim(hd_split *s, uint32_t unit, hd_claimant *from)
{
    const uint64_t n = share_of_loose(s, unit, from->end - from->begin);
    claim(&s->units[unit], from->end - n, from->end);
    from->end -= n;
    from->counts.n_relieved += from->presence == HD_PRESENT ? n : 0;
    if (from->end == from->begin)
        hd_claim_close(s, from);
    while (!s->has_suspects && s->units[unit].end - s->units[unit].begin < s->units[unit].is.least &&
           take_neighbour(s, unit))
        ;
    return 1;
}

static int take_of_slot(hd_split *s, uint32_t unit, hd_claimant *from, hd_slot *slot)
{
    const uint64_t n = share_of_loose(s, unit, hd_slot_loose(slot));
    claim(&s->units[unit], slot->loose_end - n, slot->loose_end);
    slot->loose_end -= n;
    from->counts.n_again += n;
    if (slot->loose_end > slot->begin)
        return 1;
    s->n_loose--;
    if (slot->state == HD_SLOT_LOOSE)
        slot->state = HD_SLOT_FREE;
    return 1;
}

/* Its own slots are left to the unit itself, which may be at work on them. */
static int take_loose(hd_split *s, uint32_t unit)
{
    for (uint32_t i = 0; i < s->n_units; i++) {
        hd_claimant *v = &s->units[i];
        if (i == unit)
            continue;
        if (v->is_open)
            return take_open_claim(s, unit, v);
        for (uint32_t k = 0; k < v->is.most_flying; k++)
            if (hd_slot_loose(&v->slots[k]))
                return take_of_slot(s, unit, v, &v->slots[k]);
    }
    return 0;
}

/* ---- claims and slices ----------------------------------------------------------------------------------------------- */

int hd_claim_refill(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const uint64_t left = hd_unclaimed(s);
    uint64_t n;
    if (hd_claimant_is_overtaken(s, unit, now_ns))
        return 0;
    if (s->n_loose && take_loose(s, unit))
        return 1;
    if (!left)
        return s->way->cut && s->way->cut(s, unit, now_ns);
    n = s->way->claim(s, unit, now_ns);
    n = n < left ? n : left;
    claim(&s->units[unit], s->cursor, s->cursor + n);
    s->cursor += n;
    return n > 0;
}

uint64_t hd_claim_slice(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    hd_claimant *u = &s->units[unit];
    uint64_t n = u->end - u->begin;
    if (s->way->slice) {
        const uint64_t wanted = s->way->slice(s, unit, now_ns);
        n = wanted < n ? wanted : n;
    }
    n = n < u->is.most ? n : u->is.most;
    n = n ? n : 1;
    u->begin += n;
    if (u->begin == u->end)
        hd_claim_close(s, u);
    return n;
}
