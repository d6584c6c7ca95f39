/* SPDX-License-Identifier: MIT */
/* cut.c - the default. Claims by measured speed, run in slices; a unit that finds nothing left takes the tail of a claim.
 *
 * Claims. While a kind is unknown, they are small and grow; none is predicted to take longer than the loop has run. Then each is half
 * of the unit's share of what is left (factoring with weights, Hummel 1992).
 * Slices. A slice takes a 64th of the time left, or 50 times its fixed cost if that is more, but at most an eighth of the time left:
 * a slice that turns out ten times as long as was predicted must not be the loop. While the fixed cost is unknown, slices grow. Of
 * uneven grains an accelerator's slice has more.
 * Cuts. When the cursor is at the end, a unit takes the tail that lets the loop end soonest: both then end together.
 *
 * A unit is left out while its least slice would take longer than the rest of the loop without it; and while all units of its kind together
 * would save less time than such a slice takes: that is what one slice too many costs at the end. The second does not hold for the
 * kind that is the quickest by data sheet: on an uneven load what was measured in different places misleads. */
#include "engine/loop/ways.h"

#include <math.h>

#define GROWTH 4.0        /* of claims while a kind is unknown */
#define SHARE 2.0         /* a claim is this part of the unit's share */
#define FIXED_TIMES 50.0  /* a slice takes so many fixed costs */
#define PARTS_LEFT 64.0   /* of the time left */
#define FEWEST_PARTS 8.0  /* whatever the fixed cost */
#define PROBE 3.0         /* growth of slices while the fixed cost is unknown */
#define LEAST_OTHERS 0.01 /* of the rate of all: sums are not exact */
#define GAIN_TIMES 2.0    /* a cut must bring so many fixed costs */
#define UNEVEN 2.0        /* the dearest grain over the mean: grains that differ less count as even */
#define MOST_LEASTS 16.0  /* of least slices that a slice has at least, if grains are uneven */

/* Of the least slice of a unit, or of all that is left to claim. */
static double least_ns(const hd_split *s, const hd_split_model *m, uint64_t least)
{
    const uint64_t left = hd_unclaimed(s);
    return m->t0_ns + (double)(least < left ? least : left) * m->each_ns;
}

/* Is there a kind that is quicker with its least slice? If all waited for others, nobody would work: the quickest never does. */
static int is_beaten(const hd_split *s, double ns)
{
    for (uint32_t k = 0; k < s->n_kinds; k++) {
        const hd_kind *kind = &s->kinds[k];
        if (kind->n_present && kind->model.n_seen && least_ns(s, &kind->model, s->units[kind->first].is.least) < ns)
            return 1;
    }
    return 0;
}

/* What all present units of a kind do in a nanosecond. */
static double rate_of_kind(const hd_split *s, uint32_t kind)
{
    return s->kinds[kind].n_present / s->kinds[kind].model.each_ns;
}

/* Is the kind quicker than all others that are here? Of an uneven load it may have seen the dense part so far, and others the rest. */
static int leads(const hd_split *s, uint32_t kind)
{
    for (uint32_t k = 0; k < s->n_kinds; k++)
        if (k != kind && s->kinds[k].n_present && !hd_is_quicker(s, kind, k))
            return 0;
    return 1;
}

/* A loop that nobody is at work on leaves nobody out. */
static int is_left_out(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const hd_claimant *u = &s->units[unit];
    const int is_first = leads(s, u->is.kind);
    const double ns = is_first ? hd_kind_ns(s, u->is.kind, 0) : least_ns(s, hd_model_of(s, unit), u->is.least);
    const double others = s->rate - u->rate;
    const double left = (double)(s->n - s->n_ended), rest = others > 0 ? left / others : ns;
    const double other_kinds = s->rate - rate_of_kind(s, u->is.kind);
    if (s->n_unknown || !s->n_under_way)
        return 0;
    if (ns > rest && is_beaten(s, ns))
        return hd_refuse(s, unit, now_ns, rest, ns);
    if (!is_first && other_kinds > LEAST_OTHERS * s->rate && left / other_kinds - left / s->rate < ns)
        return hd_refuse(s, unit, now_ns, left / other_kinds, left / s->rate + ns);
    return 0;
}

/* Grains of the unit's latest slice that was timed. */
static double latest(const hd_claimant *u)
{
    return u->recent.n_seen ? u->recent.n[(u->recent.n_seen - 1) % HD_N_SAMPLES] : (double)u->is.least;
}

/* While kinds are unknown. */
static uint64_t grown(const hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const hd_claimant *u = &s->units[unit];
    const hd_split_model *m = hd_model_of(s, unit);
    const double run = hd_elapsed_ns(s, now_ns), least = FIXED_TIMES * m->t0_ns;
    const double fits = (run > least ? run : least) / hd_each_ns(s, unit);
    return (uint64_t)(GROWTH * latest(u) < fits ? GROWTH * latest(u) : fits);
}

/* As long as a slice should take. While the fixed cost is unknown slices grow, because equal ones would never tell. */
static double slice_ns(const hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const hd_claimant *u = &s->units[unit];
    const double rest = (double)(s->n - s->n_ended) / (s->rate > u->rate ? s->rate : u->rate),
                 run = hd_elapsed_ns(s, now_ns);
    const double even = sqrt(2 * hd_model_of(s, unit)->t0_ns * rest),
                 most = even > rest / FEWEST_PARTS ? even : rest / FEWEST_PARTS;
    const double fixed = FIXED_TIMES * hd_model_of(s, unit)->t0_ns, grown = PROBE * latest(u) * hd_each_ns(s, unit);
    const double least = s->kinds[u->is.kind].recent.deviation_ns > 0 ? fixed : grown;
    const double ns = rest / PARTS_LEFT < run ? rest / PARTS_LEFT : run;
    return ns > least ? ns : least < most ? least : most;
}

/* A slice of few grains takes an accelerator as long as its dearest one. So where grains are uneven, it has more of them. */
static uint64_t least_grains(const hd_split *s, uint32_t unit)
{
    const hd_claimant *u = &s->units[unit];
    const hd_split_model *m = hd_model_of(s, unit);
    const double times = m->each_ns > 0 ? m->most_ns / m->each_ns : 1, least = (double)u->is.least;
    const double part = (double)(s->n - s->n_ended) / FEWEST_PARTS;
    if (u->is.most_flying == 1 || times < UNEVEN || part < least)
        return u->is.least;
    return (uint64_t)fmin(least * fmin(times, MOST_LEASTS), part);
}

/* Of a unit of a known kind. On uneven loads the kind may know better than the unit: its last slices may lie elsewhere. */
static uint64_t slice_grains(const hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const double own = hd_each_ns(s, unit), kind = hd_model_of(s, unit)->each_ns;
    const uint64_t n = (uint64_t)(slice_ns(s, unit, now_ns) / (own > kind ? own : kind));
    return n > least_grains(s, unit) ? n : least_grains(s, unit);
}

static uint64_t slice(const hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const hd_claimant *u = &s->units[unit];
    const uint64_t left = u->end - u->begin, n = hd_is_known(s, unit) ? slice_grains(s, unit, now_ns) : u->is.least;
    return n + u->is.least < left ? n : left;
}

static uint64_t claim(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const hd_claimant *u = &s->units[unit];
    uint64_t n = u->is.least;
    if (!hd_is_known(s, unit))
        return n ? n : 1;
    if (is_left_out(s, unit, now_ns))
        return 0;
    if (s->n_unknown)
        return grown(s, unit, now_ns) > n ? grown(s, unit, now_ns) : n ? n : 1;
    n = hd_part(hd_unclaimed(s), u->rate, SHARE * s->rate, slice_grains(s, unit, now_ns));
    return n ? n : 1;
}

/* ---- cuts ------------------------------------------------------------------------------------------------------------ */

typedef struct tail {
    hd_claimant *of;
    uint64_t n;
    double gain_ns;
} tail;

/* The tail of v's claim with which v and the unit, free at start_ns, end together; none if that is not worth it. */
static tail tail_of(const hd_split *s, uint32_t v, double now, double start_ns, double each_ns, uint64_t least)
{
    hd_claimant *u = &s->units[v];
    const double each = hd_each_ns(s, v), n_left = (double)(u->end - u->begin);
    const double end = (u->free_ns > now ? u->free_ns : now) + n_left * each;
    double n = (end - start_ns) / (each + each_ns), both;
    n = n > (double)least ? n : (double)least;
    n = n < n_left ? n : n_left;
    both = end - n * each > start_ns + n * each_ns ? end - n * each : start_ns + n * each_ns;
    return (tail){u, (uint64_t)n, end - both};
}

static tail best_tail(const hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const hd_claimant *u = &s->units[unit];
    const double now = (double)now_ns, t0 = hd_model_of(s, unit)->t0_ns;
    const double start = (u->free_ns > now ? u->free_ns : now) + t0, each = hd_each_ns(s, unit);
    tail best = {.gain_ns = GAIN_TIMES * t0};
    for (uint32_t i = 0; i < s->n_units; i++) {
        const hd_claimant *v = &s->units[i];
        if (i != unit && v->end > v->begin && v->presence == HD_PRESENT && hd_is_known(s, i)) {
            const tail t = tail_of(s, i, now, start, each, u->is.least);
            best = t.n && t.gain_ns > best.gain_ns ? t : best;
        }
    }
    return best;
}

/* Units of a kind are alike: what one did not find before anything changed, others do not look for. */
static int cut(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    hd_claimant *u = &s->units[unit];
    hd_kind *kind = &s->kinds[u->is.kind];
    tail t;
    if (!hd_is_known(s, unit) || (u->is_waiting && kind->refused_at == s->changes))
        return 0;
    t = best_tail(s, unit, now_ns);
    if (!t.of) {
        if (!u->n_flying)
            kind->refused_at = s->changes;
        return 0;
    }
    u->begin = t.of->end - t.n;
    u->end = t.of->end;
    t.of->end -= t.n;
    u->counts.n_cuts++;
    return 1;
}

const hd_way_to_divide hd_way_CUT = {.claim = claim, .slice = slice, .cut = cut};
