/* SPDX-License-Identifier: MIT */
/* cut.c - the default. Claims by measured speed, run in slices; a unit that finds nothing left takes the tail of a claim.
 *
 * Slices. A slice takes a 16th of the time left, or 50 times its fixed cost if that is more, but at most an eighth of the time left:
 * a slice that turns out ten times as long as was predicted must not be the loop. While the fixed cost is unknown, slices grow. Of
 * uneven grains an accelerator's slice has more. An accelerator that nobody helps has nothing to share: its slices are large, if nothing
 * is to be copied beside them, and else still as long as lets copies overlap.
 * Slices of a 64th would end closer together. But each has a fixed cost, and where nothing is left to claim, units cut tails off: so the
 * end is smoother than a slice is long. What simulations of one and four GPUs with cores reach, of the ideal speed, means over four loads: with
 * a 16th and an eighth 0.95 to 0.97 in 2 ms, 0.991 to 0.995 in 20 ms, 0.999 in 200 ms. With a 64th for both it is 0.92 to 0.96,
 * 0.983 to 0.990, and 0.997 to 0.998.
 * Claims. In a loop's first run a claim is a slice, so that all units are about the same place, and their speeds can be compared. While
 * a kind is unknown, claims are small and grow. Slower kinds are trusted less: what they get is to take an eighth of the time that
 * the loop has run. In later runs the claims of the kind that is the quickest by data sheet are half of its share of what is left
 * (factoring with weights, Hummel 1992).
 * Cuts. When the cursor is at the end, a unit takes the tail that lets the loop end soonest: both then end together.
 *
 * A unit is left out while its least slice would take longer than the rest of the loop without it; and while its kind and those that
 * are no quicker would save less than a twentieth of that rest, if the loop ends a least slice later because of them. The second does
 * not hold for the kind that is the quickest by data sheet. In a first run it does not hold either for a kind that saves 32 times as much as
 * its least slice takes. There, speeds that uneven loads have told may be wrong by a third, and what is left out is not measured again. */
#include "engine/loop/ways.h"

#include <math.h>

#define GROWTH 4.0       /* of claims while a kind is unknown */
#define SHARE 2.0        /* a claim is this part of the unit's share */
#define FIXED_TIMES 50.0 /* a slice takes so many fixed costs */
#define PARTS_LEFT 16.0  /* of the time left */
#define FEWEST_PARTS 8.0 /* whatever the fixed cost */
#define LONE_PARTS 2.0   /* of what is left for one accelerator, without copies; */
#define LONE_NS 50e6     /* but not longer: it may be lost, or the loop be cancelled */
#define FIRST_PARTS 8.0  /* of the time that the first run has taken: so much a slower kind is trusted with, */
#define FIRST_NS 5000.0  /* or so much: shorter slices tell only their fixed cost */
#define PROBE 3.0        /* growth of slices while the fixed cost is unknown */
#define WORTH 0.05       /* of the time without it: a kind that saves less is left out */
#define CHEAP_TIMES 32.0 /* of its least slice, that a kind must save to stay in a first run */
#define LATE_NS 100000.0 /* after which units that have not asked are not waited for */
#define GAIN_TIMES 2.0   /* a cut must bring so many fixed costs */
#define UNEVEN 2.0       /* the dearest grain over the mean: grains that differ less count as even */
#define MOST_LEASTS 16.0 /* of least slices that a slice has at least, if grains are uneven */

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

/* Is the kind quicker than all others that are here? Of an uneven load it may have seen the dense part so far, and others the rest. */
static int leads(const hd_split *s, uint32_t kind)
{
    for (uint32_t k = 0; k < s->n_kinds; k++)
        if (k != kind && s->kinds[k].n_present && !hd_is_quicker(s, kind, k))
            return 0;
    return 1;
}

/* ---- leaving units out ----------------------------------------------------------------------------------------------- */

/* What all present units of a kind do in a nanosecond, whichever grains they had. 0: unknown. */
static double rate_of_kind(const hd_split *s, uint32_t kind)
{
    const hd_kind *k = &s->kinds[kind];
    const double ns = hd_compared_ns(s, kind);
    return ns > 0 ? k->n_present / ns : 0;
}

static double rate_of_all(const hd_split *s)
{
    double sum = 0;
    for (uint32_t k = 0; k < s->n_kinds; k++)
        sum += rate_of_kind(s, k);
    return sum;
}

/* The part of the loop that is for this kind and those that are no quicker, by their speeds. 1: all, or nothing is known. */
static double part_of(const hd_split *s, uint32_t kind)
{
    double sum = 0;
    if (!(hd_compared_ns(s, kind) > 0))
        return 1;
    for (uint32_t k = 0; k < s->n_kinds; k++)
        sum += s->kinds[k].n_present && hd_compared_ns(s, k) >= hd_compared_ns(s, kind) ? rate_of_kind(s, k) : 0;
    return sum / rate_of_all(s);
}

/* The shortest least slice of the kinds that are quicker. */
static double others_least_ns(const hd_split *s, uint32_t kind)
{
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < s->n_kinds; k++)
        if (s->kinds[k].n_present && hd_compared_ns(s, k) < hd_compared_ns(s, kind))
            least = fmin(least, hd_kind_ns(s, k, 0));
    return least;
}

typedef struct times {
    double without, with;
} times;

/* Of the rest of the loop: without this kind and those that are no quicker, and with them, if it ends ns later because of them. */
static times times_of(const hd_split *s, uint32_t kind, double ns)
{
    const double part = part_of(s, kind), rest = (double)(s->n - s->n_ended) / s->rate;
    return (times){part < 1 ? fmax(rest / (1 - part), others_least_ns(s, kind)) : HUGE_VAL, rest + ns};
}

static int is_worth(times t) { return t.with <= (1 - WORTH) * t.without; }

static double least_of_kind_ns(const hd_split *s, uint32_t kind)
{
    return least_ns(s, &s->kinds[kind].model, s->units[s->kinds[kind].first].is.least);
}

static times times_at_least(const hd_split *s, uint32_t kind) { return times_of(s, kind, least_of_kind_ns(s, kind)); }

/* An accelerator beside which no other kind is worth it. */
static int is_lone(const hd_split *s, uint32_t unit)
{
    const uint32_t own = s->units[unit].is.kind;
    if (s->n_unknown || s->units[unit].is.most_flying == 1 || s->kinds[own].n_present > 1 ||
        !(hd_compared_ns(s, own) > 0))
        return 0;
    for (uint32_t k = 0; k < s->n_kinds; k++)
        if (k != own && s->kinds[k].n_present && is_worth(times_at_least(s, k)))
            return 0;
    return 1;
}

/* A loop that nobody is at work on leaves nobody out. But when it begins, the quickest kind may be about to ask. */
static int others_work(const hd_split *s, uint32_t unit, uint64_t now_ns)
{
    return s->n_under_way || (s->units[unit].is.kind != s->quickest && s->kinds[s->quickest].n_present &&
                              hd_elapsed_ns(s, now_ns) < LATE_NS);
}

/* The unit would take longer for its least slice than others for all that is left. Of the quickest kind that is judged by what can be compared:
 * of an uneven load it may have seen the dense part so far, and others the rest. */
static int is_too_slow(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const hd_claimant *u = &s->units[unit];
    const double each = hd_compared_ns(s, u->is.kind), left = (double)(s->n - s->n_ended);
    const int is_first = leads(s, u->is.kind);
    const double ns = is_first ? hd_model_of(s, unit)->t0_ns + (double)u->is.least * each
                               : least_ns(s, hd_model_of(s, unit), u->is.least);
    const double others = is_first ? rate_of_all(s) - 1 / each : s->rate - u->rate,
                 rest = others > 0 ? left / others : ns;
    return each > 0 && ns > rest && is_beaten(s, ns) && hd_refuse(s, unit, now_ns, rest, ns);
}

/* By these times. */
static int is_worthless(hd_split *s, uint32_t unit, uint64_t now_ns, times t)
{
    const uint32_t kind = s->units[unit].is.kind;
    const times told = times_at_least(s, kind);
    return !leads(s, kind) && !is_worth(t) && hd_refuse(s, unit, now_ns, told.without, told.with);
}

/* What the kind may cost, its least slice, is nothing beside what it saves. */
static int is_cheap(const hd_split *s, uint32_t kind)
{
    const times t = times_of(s, kind, 0);
    return !s->has_models && t.without - t.with >= CHEAP_TIMES * least_of_kind_ns(s, kind);
}

static int is_left_out(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const uint32_t kind = s->units[unit].is.kind;
    return !s->n_unknown && others_work(s, unit, now_ns) &&
           (is_too_slow(s, unit, now_ns) ||
            (!is_cheap(s, kind) && is_worthless(s, unit, now_ns, times_at_least(s, kind))));
}

/* ---- claims and slices ----------------------------------------------------------------------------------------------- */

/* Grains of the unit's latest slice that was timed. */
static double latest(const hd_claimant *u)
{
    return u->recent.n_seen ? u->recent.n[(u->recent.n_seen - 1) % HD_N_SAMPLES] : (double)u->is.least;
}

/* The time by prediction that the unit is trusted with. */
static double trusted_ns(const hd_split *s, uint32_t unit, uint64_t now_ns)
{
    if (s->has_models || leads(s, s->units[unit].is.kind))
        return HUGE_VAL;
    return fmax(hd_elapsed_ns(s, now_ns) / FIRST_PARTS, FIRST_NS);
}

/* While kinds are unknown. */
static uint64_t grown(const hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const hd_claimant *u = &s->units[unit];
    const double ns = fmax(hd_elapsed_ns(s, now_ns), FIXED_TIMES * hd_model_of(s, unit)->t0_ns);
    return (uint64_t)fmin(GROWTH * latest(u), fmin(ns, trusted_ns(s, unit, now_ns)) / hd_each_ns(s, unit));
}

/* As long as the slices of an accelerator alone should be. With copies they are short at both ends of the loop; in a first run they grow. */
static double lone_ns(const hd_split *s, uint32_t unit, double rest, double run)
{
    const uint32_t copies = s->units[unit].is.copies;
    return fmin(rest / (copies ? FEWEST_PARTS : LONE_PARTS), s->has_models && !copies ? LONE_NS : run);
}

/* As long as a slice should take. While the fixed cost is unknown slices grow, because equal ones would never tell. */
static double slice_ns(const hd_split *s, uint32_t unit, uint64_t now_ns)
{
    const hd_claimant *u = &s->units[unit];
    const double t0 = hd_model_of(s, unit)->t0_ns, run = hd_elapsed_ns(s, now_ns);
    const double rest = (double)(s->n - s->n_ended) / fmax(s->rate, u->rate);
    const double most = fmax(sqrt(2 * t0 * rest), rest / FEWEST_PARTS);
    const double least =
        s->kinds[u->is.kind].recent.deviation_ns > 0 ? FIXED_TIMES * t0 : PROBE * latest(u) * hd_each_ns(s, unit);
    double ns = fmin(rest / PARTS_LEFT, run);
    if (is_lone(s, unit))
        ns = fmax(ns, lone_ns(s, unit, rest, run));
    return fmin(fmax(ns, fmin(least, most)), trusted_ns(s, unit, now_ns));
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
    if (is_lone(s, unit))
        return hd_unclaimed(s);
    n = slice_grains(s, unit, now_ns);
    if (s->has_models && leads(s, u->is.kind))
        n = hd_part(hd_unclaimed(s), u->rate, SHARE * s->rate, n);
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
    if (!s->n_unknown && others_work(s, unit, now_ns) && is_worthless(s, unit, now_ns, times_of(s, u->is.kind, 0)))
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
