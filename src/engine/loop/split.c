/* SPDX-License-Identifier: MIT */
/* split.c - the state machine of split.h: slots of slices, events, trouble. Claims are claims.c, the ways are in ways/. */
#include "engine/loop/claims.h"

#define SLOW_TIMES 8u /* of the predicted time: the claim of a unit is open to others */
#define SLOW_NS 10000000u
#define HANG_TIMES 128u /* the unit is suspected: a part of a loop may be 100 times as dense as another */
#define WORST_TIMES 4.0 /* the same, of the time by the dearest grains */
#define HANG_NS 100000000u
#define DUE_TIMES 8.0 /* of the predicted time: a slice is due */
#define DUE_NS 20000.0
#define UNSURE_PART 0.25    /* of the time that a slice had: so much may be missing still, whatever was predicted */
#define SHORT_NS 2000.0     /* shorter slices tell only their fixed cost */
#define MOST_AGEING 0.9     /* of the time of the dearest grains, a loop: what was an accident is forgotten */
#define GIVEN_UP_TIMES 2.0  /* of the time that a grain had: so long it is taken to be, if the unit gave it up */
#define TOLD_DEVIATION 0.25 /* of a fixed cost that earlier loops have measured */
#define LAST_TIMES 16u      /* so much more patience with the only unit that is left */
#define LOOKS_OF_REST 32.0  /* so often in the rest of a loop, waiting units look for a tail */
#define LEAST_BETWEEN 1000u /* nanoseconds between such looks */

static const struct {
    const char *name;
    const hd_way_to_divide *way;
} ways[] = {
#define HEDDLE_X(name, value, text, help) [value] = {text, &hd_way_##name},
    HEDDLE_SPLIT_MAP(HEDDLE_X)
#undef HEDDLE_X
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

HEDDLE_API const char *heddle_split_name(heddle_split way)
{
    return (unsigned)way < N_WAYS ? ways[(unsigned)way].name : NULL;
}

/* ---- making one ------------------------------------------------------------------------------------------------------ */

/* One block: the split, units, kinds, slots, and the way's own. */
typedef struct parts {
    uint64_t units, kinds, slots, way_all, way_units, n_bytes;
} parts;

static double larger(double a, double b) { return a > b ? a : b; }

static uint64_t room(uint64_t *n_bytes, uint64_t more)
{
    const uint64_t at = *n_bytes;
    *n_bytes += (more + 63) / 64 * 64;
    return at;
}

static parts parts_of(const hd_split_config *c, const hd_way_to_divide *way)
{
    parts p = {.n_bytes = 0};
    uint64_t n_slots = 0;
    for (uint32_t i = 0; i < c->n_units; i++)
        n_slots += c->units[i].most_flying;
    room(&p.n_bytes, sizeof(hd_split));
    p.units = room(&p.n_bytes, sizeof(hd_claimant) * (uint64_t)c->n_units);
    p.kinds = room(&p.n_bytes, sizeof(hd_kind) * (uint64_t)c->n_kinds);
    p.slots = room(&p.n_bytes, sizeof(hd_slot) * n_slots);
    p.way_all = room(&p.n_bytes, way->all_bytes);
    p.way_units = room(&p.n_bytes, way->unit_bytes * (uint64_t)c->n_units);
    return p;
}

static void make_kinds(hd_split *s, const hd_split_config *c)
{
    s->has_models = c->models != NULL;
    for (uint32_t k = 0; k < s->n_kinds; k++) {
        s->kinds[k].first = s->n_units;
        s->kinds[k].refused_at = UINT64_MAX;
        if (c->models)
            s->kinds[k].model = c->models[k];
        if (!(s->kinds[k].model.each_ns > 0))
            s->kinds[k].model = (hd_split_model){0};
        s->kinds[k].told_ns = s->kinds[k].model.each_ns;
        s->kinds[k].model.most_ns = larger(s->kinds[k].model.most_ns, s->kinds[k].model.each_ns);
        s->kinds[k].recent.deviation_ns = s->kinds[k].model.t0_ns * TOLD_DEVIATION;
        s->has_models &= s->kinds[k].model.n_seen > 0;
    }
}

/* By data sheet. 0: it has no unit. */
static double weight_of(const hd_split *s, uint32_t kind)
{
    return s->kinds[kind].first < s->n_units ? s->units[s->kinds[kind].first].is.weight : 0;
}

static void make_units(hd_split *s, const hd_split_config *c, const parts *p)
{
    hd_slot *slot = (hd_slot *)((char *)s + p->slots);
    for (uint32_t i = s->n_units; i-- > 0;) {
        hd_claimant *u = &s->units[i];
        u->is = c->units[i];
        u->slots = slot;
        slot += u->is.most_flying;
        u->way = (char *)s + p->way_units + s->way->unit_bytes * i;
        u->next_of_kind = s->kinds[u->is.kind].first;
        s->kinds[u->is.kind].first = i;
        hd_claimant_enters(s, i);
    }
    for (uint32_t k = 1; k < s->n_kinds; k++)
        if (weight_of(s, k) > weight_of(s, s->quickest))
            s->quickest = k;
}

heddle_status hd_split_new(hd_split **out, const hd_split_config *config)
{
    const hd_way_to_divide *way = ways[config->way].way;
    const parts p = parts_of(config, way);
    hd_split *s = hd_new(p.n_bytes);
    *out = s;
    if (!s)
        return HEDDLE_ENOMEM;
    s->n_bytes = p.n_bytes;
    s->n = config->n;
    s->way = way;
    s->n_units = config->n_units;
    s->n_kinds = config->n_kinds;
    s->units = (hd_claimant *)((char *)s + p.units);
    s->kinds = (hd_kind *)((char *)s + p.kinds);
    s->way_all = (char *)s + p.way_all;
    make_kinds(s, config);
    make_units(s, config, &p);
    return HEDDLE_OK;
}

void hd_split_delete(hd_split *s)
{
    if (s)
        hd_delete(s, s->n_bytes);
}

/* ---- slices begin ---------------------------------------------------------------------------------------------------- */

static hd_slot *slot_in(hd_claimant *u, hd_slot_state state)
{
    for (uint32_t k = 0; k < u->is.most_flying; k++)
        if (u->slots[k].state == state)
            return &u->slots[k];
    return NULL;
}

static hd_take later(hd_split *s, hd_claimant *u)
{
    s->n_waiting += !u->is_waiting;
    u->is_waiting = 1;
    return HD_TAKE_LATER;
}

/* When a slice can be due for the first time. In ways that cut it depends on how the others come on. */
static uint64_t due_ns(const hd_split *s, const hd_claimant *u, const hd_slot *slot)
{
    if (u->is.most_flying > 1 || u->begin != slot->end || (!s->way->cut && !(slot->expected_ns > 0)))
        return 0;
    return slot->issued_ns + 1 + (uint64_t)(s->way->cut ? 0 : DUE_TIMES * slot->expected_ns + DUE_NS);
}

static hd_take issue(hd_split *s, uint32_t unit, hd_slot *slot, uint64_t now_ns, hd_slice *out)
{
    hd_claimant *u = &s->units[unit];
    const double now = (double)now_ns;
    slot->state = HD_SLOT_FLYING;
    slot->issued_ns = now_ns;
    slot->expected_ns = hd_is_known(s, unit)
                            ? hd_model_of(s, unit)->t0_ns + (double)(slot->end - slot->begin) * hd_each_ns(s, unit)
                            : 0;
    u->free_ns = (u->free_ns > now ? u->free_ns : now) + slot->expected_ns;
    u->n_flying++;
    s->n_under_way++;
    s->n_waiting -= u->is_waiting;
    u->is_waiting = 0;
    *out = (hd_slice){slot->begin, slot->end, (uint32_t)(slot - u->slots), due_ns(s, u, slot)};
    return HD_TAKE_SLICE;
}

/* A slice is under way no more. When none is, units that were left out may be needed. */
static void lands(hd_split *s)
{
    s->n_under_way--;
    s->changes += !s->n_under_way && s->n_waiting;
}

/* A slice that it had when it was lost. */
static hd_take issue_again(hd_split *s, uint32_t unit, hd_slot *slot, uint64_t now_ns, hd_slice *out)
{
    s->n_loose--;
    slot->end = slot->loose_end;
    return issue(s, unit, slot, now_ns, out);
}

static void begin_at(hd_split *s, hd_claimant *u, uint64_t now_ns)
{
    if (!s->has_begun)
        s->start_ns = now_ns;
    if (!u->counts.n_slices && !u->counts.first_ns)
        u->counts.first_ns = now_ns;
    s->has_begun = 1;
}

hd_take hd_split_take(hd_split *s, uint32_t unit, uint64_t now_ns, hd_slice *out)
{
    hd_claimant *u = &s->units[unit];
    hd_slot *slot = slot_in(u, HD_SLOT_LOOSE);
    begin_at(s, u, now_ns);
    if (!u->recent.n_seen && hd_is_known(s, unit))
        hd_claimant_rated(s, unit); /* its kind's speed is better known than when it was counted in */
    if (u->presence != HD_PRESENT || s->is_cancelled || s->n_ended == s->n)
        return HD_TAKE_OVER;
    if (slot)
        return issue_again(s, unit, slot, now_ns, out);
    slot = slot_in(u, HD_SLOT_FREE);
    if (s->way->is_single && u->n_flying && u->begin == u->end)
        return later(s, u);
    if (u->gave_up && u->begin < u->end && hd_claimant_is_overtaken(s, unit, now_ns)) { /* its claim is for others */
        s->changes += !u->is_open;
        hd_claim_open(s, u);
        return later(s, u);
    }
    if (!slot || (u->begin == u->end && !hd_claim_refill(s, unit, now_ns)))
        return later(s, u);
    slot->begin = u->begin;
    slot->end = slot->begin + hd_claim_slice(s, unit, now_ns);
    return issue(s, unit, slot, now_ns, out);
}

/* ---- slices that a suspected unit keeps ------------------------------------------------------------------------------ */

/* What was taken of slice S lies inside S: claims, and slices of claims. So it can be found by its place. */
static int is_inside(const hd_slot *slot, uint64_t begin, uint64_t end)
{
    return begin < end && begin >= slot->begin && end <= slot->end;
}

/* Grains of the slice that nobody else has kept, or may be writing. */
static uint64_t still_to_have(const hd_split *s, const hd_slot *slot)
{
    uint64_t n = hd_slot_loose(slot);
    for (uint32_t i = 0; i < s->n_units; i++) {
        const hd_claimant *v = &s->units[i];
        n += is_inside(slot, v->begin, v->end) ? v->end - v->begin : 0;
        for (uint32_t k = 0; k < v->is.most_flying; k++) {
            const hd_slot *other = &v->slots[k];
            if (other == slot || !is_inside(slot, other->begin, other->end))
                continue;
            n += hd_slot_loose(other);
            n += other->state == HD_SLOT_FLYING && v->is.may_hang ? other->end - other->begin : 0;
        }
    }
    return n;
}

static void revoke_slot(hd_split *s, hd_claimant *v, hd_slot *other)
{
    s->n_loose -= hd_slot_loose(other) > 0;
    if (other->state == HD_SLOT_FLYING) {
        lands(s);
        v->n_flying--;
    }
    if (other->state == HD_SLOT_FLYING || other->state == HD_SLOT_GIVEN)
        other->state = HD_SLOT_REVOKED;
    else if (other->state == HD_SLOT_LOOSE)
        other->state = HD_SLOT_FREE;
    other->loose_end = other->begin;
}

static void revoke(hd_split *s, const hd_slot *slot)
{
    for (uint32_t i = 0; i < s->n_units; i++) {
        hd_claimant *v = &s->units[i];
        if (is_inside(slot, v->begin, v->end)) {
            hd_claim_close(s, v);
            v->end = v->begin;
        }
        for (uint32_t k = 0; k < v->is.most_flying; k++)
            if (&v->slots[k] != slot && is_inside(slot, v->slots[k].begin, v->slots[k].end))
                revoke_slot(s, v, &v->slots[k]);
    }
}

/* The unit is done with a slice that is not its own any more. */
static int forget(hd_slot *slot)
{
    slot->state = hd_slot_loose(slot) ? HD_SLOT_LOOSE : HD_SLOT_FREE;
    return 0;
}

static int keep_given(hd_split *s, hd_claimant *u, hd_slot *slot)
{
    if (s->is_cancelled || !s->n_present || still_to_have(s, slot) != slot->end - slot->begin)
        return forget(slot);
    s->n_loose -= hd_slot_loose(slot) > 0;
    u->counts.n_again -= slot->end - slot->loose_end;
    revoke(s, slot);
    slot->state = HD_SLOT_KEPT;
    u->n_flying++;
    s->n_under_way++;
    return 1;
}

/* The slot of a slice as it was given out; NULL: the unit was lost since. */
static hd_slot *slot_of(hd_claimant *u, const hd_slice *slice)
{
    hd_slot *slot = slice->number < u->is.most_flying ? &u->slots[slice->number] : NULL;
    return slot && slot->begin == slice->begin && slot->end == slice->end ? slot : NULL;
}

int hd_split_keep(hd_split *s, uint32_t unit, const hd_slice *slice)
{
    hd_claimant *u = &s->units[unit];
    hd_slot *slot = slot_of(u, slice);
    if (!slot || slot->state == HD_SLOT_FREE || slot->state == HD_SLOT_LOOSE)
        return 0;
    if (slot->state == HD_SLOT_GIVEN)
        return keep_given(s, u, slot);
    if (slot->state == HD_SLOT_REVOKED)
        return forget(slot);
    slot->state = HD_SLOT_KEPT;
    return 1;
}

/* ---- slices end ------------------------------------------------------------------------------------------------------ */

static void learn(hd_split *s, uint32_t unit, uint64_t n, double ns, int is_queued)
{
    hd_claimant *u = &s->units[unit];
    hd_kind *kind = &s->kinds[u->is.kind];
    const int was_known = kind->model.n_seen > 0;
    double of_grains;
    hd_samples_add(&u->recent, (double)n, ns, is_queued);
    hd_samples_add(&kind->recent, (double)n, ns, is_queued);
    hd_samples_fit(&kind->recent, &kind->model);
    of_grains = larger(ns - kind->model.t0_ns, ns / 2);
    kind->most_ns = larger(kind->most_ns, of_grains / (double)n);
    /* The first slice pays for what comes once, and a GPU's short ones wait for their dearest tile. */
    if (was_known && n >= u->is.least && ns >= SHORT_NS) {
        kind->usual += of_grains * of_grains / (double)n;
        kind->usual_ns += of_grains;
    }
    if (hd_usual_ns(&s->kinds[s->quickest]) > 0)
        kind->times = hd_usual_ns(kind) / hd_usual_ns(&s->kinds[s->quickest]);
    kind->model.most_ns = larger(larger(kind->model.most_ns, kind->most_ns), kind->model.each_ns);
    kind->n += (double)n;
    kind->ns += ns;
    kind->n_slices++;
    if (was_known) {
        hd_claimant_rated(s, unit);
    } else {
        s->n_unknown -= kind->n_present;
        hd_kind_rated(s, u->is.kind);
        s->changes++;
    }
    if (s->way->ended)
        s->way->ended(s, unit, n, ns);
}

/* Its slices under way follow one another from now on. */
static void expect(hd_claimant *u, uint64_t now_ns)
{
    u->free_ns = (double)now_ns;
    for (uint32_t k = 0; k < u->is.most_flying; k++)
        if (u->slots[k].state == HD_SLOT_FLYING)
            u->free_ns += u->slots[k].expected_ns;
}

/* Units that wait look for a tail again from time to time: what ends last changes. */
static void look_again(hd_split *s, uint64_t now_ns)
{
    double rest;
    if (!s->n_waiting || !s->way->cut || now_ns < s->look_ns)
        return;
    rest = s->rate > 0 ? (double)(s->n - s->n_ended) / s->rate / LOOKS_OF_REST : 0;
    s->look_ns = now_ns + LEAST_BETWEEN + (rest < 1e15 ? (uint64_t)rest : 0);
    s->changes++;
}

static void count_end(hd_claimant *u, uint64_t n, uint64_t busy_ns, uint64_t now_ns)
{
    u->counts.n_slices += n > 0;
    u->counts.n_grains += n;
    u->counts.last_ns = now_ns;
    u->counts.busy_ns += busy_ns;
    u->ended_ns = now_ns;
    u->n_flying--;
}

int hd_split_ended(hd_split *s, uint32_t unit, const hd_slice *slice, uint64_t began_ns, uint64_t now_ns)
{
    hd_claimant *u = &s->units[unit];
    hd_slot *slot = slot_of(u, slice);
    const uint64_t n = slice->end - slice->begin, ns = now_ns > began_ns ? now_ns - began_ns : 0;
    int is_queued;
    if (!slot || !hd_split_keep(s, unit, slice))
        return 0;
    is_queued = slot->issued_ns < u->ended_ns && u->counts.n_slices;
    slot->state = HD_SLOT_FREE;
    lands(s);
    s->n_ended += n;
    count_end(u, n, ns, now_ns);
    if (u->presence == HD_PRESENT)
        hd_claim_close(s, u);
    learn(s, unit, n ? n : 1, n ? (double)ns : GIVEN_UP_TIMES * (double)ns, is_queued);
    expect(u, now_ns);
    look_again(s, now_ns);
    s->changes += s->n_ended == s->n;
    return 1;
}

hd_due hd_split_is_due(const hd_split *s, uint32_t unit, const hd_slice *slice, uint64_t now_ns)
{
    const hd_slot *slot = slot_of(&s->units[unit], slice);
    double late, rest;
    if (!slot || !slice->due_ns || now_ns < slice->due_ns)
        return HD_DUE_NOT;
    late = (double)now_ns - (double)slot->issued_ns;
    rest = late < slot->expected_ns ? larger(slot->expected_ns - late, UNSURE_PART * late) : late;
    if (s->way->cut && rest > hd_quicker_ns(s, unit))
        return HD_DUE_NOW;
    return slot->expected_ns > 0 && late > DUE_TIMES * slot->expected_ns + DUE_NS ? HD_DUE_BETWEEN : HD_DUE_NOT;
}

/* Its claim goes on where its slice ends, since it has no other slice: so the claim can take grains back. */
int hd_split_stopped(hd_split *s, uint32_t unit, const hd_slice *slice, uint64_t at, uint64_t began_ns, uint64_t now_ns)
{
    hd_claimant *u = &s->units[unit];
    hd_slot *slot = slot_of(u, slice);
    hd_slice done = *slice;
    u->gave_up |= at < slice->end && hd_split_is_due(s, unit, slice, now_ns) == HD_DUE_NOW;
    u->counts.has_given_up |= u->gave_up;
    if (slot && (slot->state == HD_SLOT_FLYING || slot->state == HD_SLOT_KEPT) && at < slice->end) {
        slot->end = done.end = u->begin = at;
        if (u->presence != HD_PRESENT)
            hd_claim_open(s, u);
        s->changes++;
    }
    return hd_split_ended(s, unit, &done, began_ns, now_ns);
}

/* ---- trouble --------------------------------------------------------------------------------------------------------- */

static void lose_slot(hd_split *s, hd_slot *slot)
{
    if (slot->state == HD_SLOT_FLYING || slot->state == HD_SLOT_KEPT) {
        slot->state = HD_SLOT_LOOSE;
        slot->loose_end = slot->end;
        s->n_loose++;
        lands(s);
    } else if (slot->state == HD_SLOT_GIVEN || slot->state == HD_SLOT_REVOKED) {
        forget(slot);
    }
}

void hd_split_lost(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    hd_claimant *u = &s->units[unit];
    for (uint32_t k = 0; k < u->is.most_flying; k++)
        lose_slot(s, &u->slots[k]);
    u->n_flying = 0;
    u->free_ns = (double)now_ns;
    if (u->presence == HD_PRESENT)
        hd_claimant_leaves(s, unit, HD_LOST);
    u->presence = HD_LOST;
    u->counts.is_lost = 1;
}

void hd_split_join(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    hd_claimant *u = &s->units[unit];
    if (u->presence == HD_PRESENT)
        return;
    hd_claimant_enters(s, unit);
    u->ended_ns = now_ns;
    u->counts.is_lost = u->counts.is_suspected = 0;
    expect(u, now_ns);
}

static void suspect(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    hd_claimant *u = &s->units[unit];
    u->suspected_ns = now_ns;
    for (uint32_t k = 0; k < u->is.most_flying; k++)
        if (u->slots[k].state == HD_SLOT_FLYING) {
            u->slots[k].state = HD_SLOT_GIVEN;
            u->slots[k].loose_end = u->slots[k].end;
            u->n_flying--;
            s->n_loose++;
            lands(s);
        }
    s->has_suspects = u->counts.is_suspected = 1;
    hd_claimant_leaves(s, unit, HD_SUSPECTED);
}

/* What a slice of n grains takes if nothing is known of its unit: on the slowest that are known. */
static double slowest_ns(const hd_split *s, double n)
{
    double most = 0;
    for (uint32_t k = 0; k < s->n_kinds; k++) {
        const hd_split_model *m = &s->kinds[k].model;
        const double ns = m->n_seen ? m->t0_ns + n * m->each_ns : 0;
        most = ns > most ? ns : most;
    }
    return most;
}

/* The slice that its unit is at work on: of those under way the one that was issued first. */
static const hd_slot *oldest(const hd_claimant *u)
{
    const hd_slot *found = NULL;
    for (uint32_t k = 0; k < u->is.most_flying; k++) {
        const hd_slot *slot = &u->slots[k];
        if ((slot->state == HD_SLOT_FLYING || slot->state == HD_SLOT_KEPT) &&
            (!found || slot->issued_ns < found->issued_ns))
            found = slot;
    }
    return found;
}

/* A suspected unit goes on to write home what it had kept. If that hangs, too, others run it again: it has the same results. */
static void suspect_more(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    if (s->units[unit].presence == HD_SUSPECTED)
        hd_split_lost(s, unit, now_ns);
    else
        suspect(s, unit, now_ns);
}

static void watch(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    hd_claimant *u = &s->units[unit];
    const hd_slot *slot = oldest(u);
    const double patience = s->n_present > 1 ? 1 : LAST_TIMES;
    double expected, late, dearest;
    uint64_t since;
    if (!slot)
        return;
    expected = slot->expected_ns > 0 ? slot->expected_ns : slowest_ns(s, (double)(slot->end - slot->begin));
    since = slot->issued_ns > u->ended_ns ? slot->issued_ns : u->ended_ns;
    since = u->suspected_ns > since ? u->suspected_ns : since; /* what it keeps has as long again */
    late = (double)now_ns - (double)since;
    if (!(expected > 0) || late <= SLOW_TIMES * expected + SLOW_NS)
        return;
    if (u->presence == HD_PRESENT)
        hd_claim_open(s, u);
    dearest = WORST_TIMES * (double)(slot->end - slot->begin) * hd_model_of(s, unit)->most_ns;
    if (u->is.may_hang && late > patience * (larger(HANG_TIMES * expected, dearest) + HANG_NS))
        suspect_more(s, unit, now_ns);
}

void hd_split_tick(hd_split *s, uint64_t now_ns)
{
    for (uint32_t i = 0; i < s->n_units; i++)
        if (s->units[i].presence != HD_LOST)
            watch(s, i, now_ns);
    s->changes += s->n_waiting > 0;
}

void hd_split_cancel(hd_split *s)
{
    s->is_cancelled = 1;
    s->changes++;
}

/* ---- what is known --------------------------------------------------------------------------------------------------- */

uint64_t hd_split_changes(const hd_split *s) { return s->changes; }

int hd_split_is_over(const hd_split *s)
{
    return s->n_ended == s->n || ((s->is_cancelled || !s->n_present) && !s->n_under_way);
}

uint64_t hd_split_n_ended(const hd_split *s) { return s->n_ended; }

/* Moves *begin down to the interval b .. e - 1, as far as it lies behind `from`; joins it if it continues *begin .. *end - 1. */
static int nearer(uint64_t from, uint64_t b, uint64_t e, uint64_t *begin, uint64_t *end)
{
    b = b > from ? b : from;
    if (b >= e)
        return 0;
    if (b < *begin) {
        *begin = b;
        *end = e;
        return 1;
    }
    if (b <= *end && e > *end) {
        *end = e;
        return 1;
    }
    return 0;
}

int hd_split_left(const hd_split *s, uint64_t from, uint64_t *begin, uint64_t *end)
{
    int moved = 1;
    *begin = *end = UINT64_MAX;
    while (moved) {
        moved = nearer(from, s->cursor, s->n, begin, end);
        for (uint32_t i = 0; i < s->n_units; i++) {
            const hd_claimant *u = &s->units[i];
            moved |= nearer(from, u->begin, u->end, begin, end);
            for (uint32_t k = 0; k < u->is.most_flying; k++) {
                const hd_slot *slot = &u->slots[k];
                const int flies = slot->state == HD_SLOT_FLYING || slot->state == HD_SLOT_KEPT;
                moved |= nearer(from, slot->begin, flies ? slot->end : slot->begin + hd_slot_loose(slot), begin, end);
            }
        }
    }
    return *begin != UINT64_MAX;
}

void hd_split_count(const hd_split *s, uint32_t unit, hd_split_counts *out) { *out = s->units[unit].counts; }

/* The latest speed would be that of the loop's end, where an uneven load may have next to no work. */
static double mean_ns(const hd_kind *k) { return larger(k->ns - k->n_slices * k->model.t0_ns, k->ns / 2) / k->n; }

void hd_split_model_of(const hd_split *s, uint32_t kind, hd_split_model *out)
{
    const hd_kind *k = &s->kinds[kind], *quickest = &s->kinds[s->quickest];
    *out = k->model;
    out->most_ns = larger(k->most_ns, MOST_AGEING * out->most_ns);
    if (k->n > 0)
        out->each_ns = k->times > 0 ? mean_ns(quickest) * k->times : mean_ns(k);
}

int hd_split_left_out(const hd_split *s, uint32_t unit, double *without_ns, double *with_ns)
{
    const hd_claimant *u = &s->units[unit];
    *without_ns = u->without_ns;
    *with_ns = u->with_ns;
    return u->is_refused && !u->counts.n_slices && !u->n_flying;
}
