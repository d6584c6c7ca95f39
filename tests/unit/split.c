/* SPDX-License-Identifier: MIT */
/* split.c - how loops are divided (src/engine/loop). Random sequences of events against every way: slices end, are slow, are refused;
 * units are lost, hang, come late; loops are cancelled. Each grain ends well exactly once, each is always somebody's, and it always
 * ends, though units that were told to wait ask again only when something has changed. Then cases with known answers.
 *
 * HEDDLE_SEQUENCES: sequences of each way (default 8000: three million events each). */
#include "check.h"
#include "engine/loop/model.h"

#include <math.h>
#include <string.h>

#define MOST_UNITS 12u
#define MOST_FLYING 4u
#define MOST_GRAINS 3000u
#define MOST_STEPS 400000u

typedef struct outstanding {
    hd_slice slice;
    uint64_t issued_ns;
    int is_used, is_kept;
} outstanding;

typedef struct player {
    hd_split_unit is;
    outstanding flying[MOST_FLYING];
    uint64_t ended_ns, waits_since; /* changes, when it was told to wait; UINT64_MAX: it does not */
    int is_here;
} player;

typedef struct play {
    hd_split *s;
    player units[MOST_UNITS];
    uint32_t n_units, n_kinds;
    uint64_t n, n_done, now, random, n_events;
    uint8_t done[MOST_GRAINS];
    int is_cancelled;
} play;

static uint64_t total_events;

static uint64_t below(play *p, uint64_t n) { return check_below(&p->random, n); }

static void make(play *p, heddle_split way, uint64_t seed)
{
    hd_split_unit units[MOST_UNITS];
    hd_split_model models[MOST_UNITS];
    hd_split_config c = {.way = way, .units = units};
    *p = (play){.random = seed, .n_units = 0};
    p->n_units = c.n_units = 1 + (uint32_t)below(p, MOST_UNITS);
    p->n_kinds = c.n_kinds = 1 + (uint32_t)below(p, 4);
    p->n = c.n = below(p, 4) ? below(p, MOST_GRAINS) : below(p, 20);
    for (uint32_t i = 0; i < p->n_units; i++) {
        const uint64_t least = 1 + below(p, 40);
        units[i] = (hd_split_unit){.kind = (uint32_t)below(p, p->n_kinds),
                                   .most_flying = 1 + (uint32_t)below(p, MOST_FLYING),
                                   .least = least,
                                   .most = least + below(p, 2) * below(p, 400),
                                   .weight = 0.5 + (double)below(p, 100),
                                   .may_hang = (uint32_t)below(p, 2),
                                   .copies = (uint32_t)below(p, 2)};
        p->units[i] = (player){.is = units[i], .waits_since = UINT64_MAX, .is_here = 1};
    }
    for (uint32_t k = 0; k < p->n_kinds; k++)
        models[k] = (hd_split_model){(double)below(p, 1000), 1 + (double)below(p, 1000), 1, (double)below(p, 5000)};
    c.models = below(p, 3) ? NULL : models;
    CHECK(hd_split_new(&p->s, &c) == HEDDLE_OK);
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

static void take(play *p, uint32_t unit)
{
    player *u = &p->units[unit];
    hd_slice slice;
    outstanding *o;
    hd_take told;
    if (u->waits_since == hd_split_changes(p->s))
        return;
    told = hd_split_take(p->s, unit, p->now, &slice);
    u->waits_since = told == HD_TAKE_LATER ? hd_split_changes(p->s) : UINT64_MAX;
    if (told != HD_TAKE_SLICE)
        return;
    CHECK(u->is_here && !p->is_cancelled);
    CHECK_MSG(slice.begin < slice.end && slice.end <= p->n && slice.end - slice.begin <= u->is.most, "%llu .. %llu",
              (unsigned long long)slice.begin, (unsigned long long)slice.end);
    CHECK(slice.number < u->is.most_flying);
    o = &u->flying[slice.number];
    CHECK_MSG(!o->is_used, "slot %u of unit %u", slice.number, unit);
    *o = (outstanding){slice, p->now, 1, 0};
}

static void write_home(play *p, uint32_t unit, const hd_slice *slice)
{
    for (uint64_t g = slice->begin; g < slice->end; g++) {
        CHECK_MSG(!p->done[g], "grain %llu ended twice, the second time on unit %u", (unsigned long long)g, unit);
        p->done[g] = 1;
    }
    p->n_done += slice->end - slice->begin;
}

/* The next step of a slice under way: it is kept, or refused and forgotten; or it has ended. */
static void advance(play *p, uint32_t unit, outstanding *o)
{
    player *u = &p->units[unit];
    const uint64_t began = o->issued_ns > u->ended_ns ? o->issued_ns : u->ended_ns;
    hd_slice ran = o->slice;
    if (!o->is_kept && (u->is.may_hang || below(p, 2) == 0)) {
        o->is_kept = o->is_used = hd_split_keep(p->s, unit, &o->slice);
        CHECK(o->is_kept || u->is.may_hang); /* others never get what may be written */
        u->waits_since = UINT64_MAX;
        return;
    }
    if (hd_split_is_due(p->s, unit, &o->slice, p->now) == HD_DUE_NOW || (o->slice.due_ns && below(p, 16) == 0))
        ran.end = ran.begin + below(p, ran.end - ran.begin + 1); /* it has stopped early */
    if (hd_split_stopped(p->s, unit, &o->slice, ran.end, began, p->now))
        write_home(p, unit, &ran);
    else
        CHECK(u->is.may_hang); /* it seemed to hang while it wrote home */
    u->ended_ns = p->now;
    u->waits_since = UINT64_MAX; /* it has room again */
    o->is_used = 0;
}

static void advance_any(play *p, uint32_t unit)
{
    player *u = &p->units[unit];
    const uint32_t from = (uint32_t)below(p, u->is.most_flying);
    for (uint32_t k = 0; k < u->is.most_flying; k++) {
        outstanding *o = &u->flying[(from + k) % u->is.most_flying];
        if (o->is_used) {
            advance(p, unit, o);
            return;
        }
    }
}

static void lose(play *p, uint32_t unit)
{
    hd_split_lost(p->s, unit, p->now);
    memset(p->units[unit].flying, 0, sizeof p->units[unit].flying);
    p->units[unit].is_here = 0;
}

/* A unit that the split has given up begins anew. */
static void join(play *p, uint32_t unit)
{
    hd_split_counts c;
    hd_split_count(p->s, unit, &c);
    if (c.is_lost)
        memset(p->units[unit].flying, 0, sizeof p->units[unit].flying);
    hd_split_join(p->s, unit, p->now);
    p->units[unit].is_here = 1;
    p->units[unit].ended_ns = p->now;
    p->units[unit].waits_since = UINT64_MAX;
}

static void event(play *p)
{
    const uint32_t unit = (uint32_t)below(p, p->n_units);
    const uint64_t what = below(p, 1000);
    p->now += below(p, 50000);
    p->n_events++;
    if (what < 500) {
        take(p, unit);
    } else if (what < 960) {
        advance_any(p, unit);
    } else if (what < 970) {
        lose(p, unit);
    } else if (what < 985) {
        join(p, unit);
    } else {
        p->now += below(p, 3) ? 0 : below(p, 40000000000u);
        hd_split_tick(p->s, p->now);
    }
    if (below(p, 20000) == 0) {
        hd_split_cancel(p->s);
        p->is_cancelled = 1;
    }
}

/* ---- what must hold -------------------------------------------------------------------------------------------------- */

/* What has not ended is somebody's, and what has ended is nobody's. */
static void check_left(const play *p)
{
    uint64_t begin, end, at = 0;
    CHECK(hd_split_n_ended(p->s) == p->n_done);
    while (hd_split_left(p->s, at, &begin, &end)) {
        CHECK(begin >= at && begin < end && end <= p->n);
        for (uint64_t g = at; g < begin; g++)
            CHECK_MSG(p->done[g], "grain %llu is nobody's", (unsigned long long)g);
        for (uint64_t g = begin; g < end; g++)
            CHECK_MSG(!p->done[g], "grain %llu has ended and is left", (unsigned long long)g);
        at = end;
    }
    for (uint64_t g = at; g < p->n; g++)
        CHECK_MSG(p->done[g], "grain %llu is nobody's", (unsigned long long)g);
}

static void check_counts(const play *p)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->n_units; i++) {
        hd_split_counts c;
        hd_split_count(p->s, i, &c);
        n += c.n_grains;
        CHECK(c.n_again <= 100 * p->n);
    }
    CHECK(n == p->n_done);
}

/* From now on nobody is lost, and what is under way comes to its end. At least one unit is here. */
static void finish(play *p)
{
    uint64_t steps = 0;
    join(p, (uint32_t)below(p, p->n_units));
    while (!hd_split_is_over(p->s)) {
        for (uint32_t i = 0; i < p->n_units && !hd_split_is_over(p->s); i++) {
            p->now += 1000;
            advance_any(p, i);
            take(p, i);
            p->n_events++;
        }
        CHECK_MSG(++steps < MOST_STEPS, "%llu of %llu grains have ended", (unsigned long long)p->n_done,
                  (unsigned long long)p->n);
    }
    CHECK(p->is_cancelled || p->n_done == p->n);
}

static void sequence(heddle_split way, uint64_t seed)
{
    static play p;
    uint64_t n_events;
    make(&p, way, seed);
    n_events = below(&p, 1500);
    for (uint64_t i = 0; i < n_events && !hd_split_is_over(p.s); i++) {
        event(&p);
        if (i % 64 == 0)
            check_left(&p);
    }
    check_left(&p);
    if (!p.is_cancelled || !hd_split_is_over(p.s))
        finish(&p);
    check_left(&p);
    check_counts(&p);
    total_events += p.n_events;
    hd_split_delete(p.s);
}

static void test_sequences(void)
{
    const char *text = getenv("HEDDLE_SEQUENCES");
    const uint64_t n = text ? strtoull(text, NULL, 0) : CHECK_IS_SLOW ? 1000 : 8000;
    uint64_t seed = check_seed(777);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t way = 0; way < HEDDLE_N_SPLITS; way++) {
            const uint64_t own = check_random(&seed);
            sequence((heddle_split)way, own);
        }
    printf("%llu events\n", (unsigned long long)total_events);
}

/* ---- known answers --------------------------------------------------------------------------------------------------- */

#define ALIKE(kind_, most_flying_, weight_, hangs)                    \
    {                                                                 \
        (kind_), (most_flying_), 1, UINT64_MAX, (weight_), (hangs), 0 \
    }

static hd_split *make_plain(heddle_split way, uint64_t n, const hd_split_unit *units, uint32_t n_units,
                            const hd_split_model *models)
{
    hd_split_config c = {.n = n, .way = way, .n_units = n_units, .units = units, .models = models};
    hd_split *s;
    for (uint32_t i = 0; i < n_units; i++)
        c.n_kinds = units[i].kind >= c.n_kinds ? units[i].kind + 1 : c.n_kinds;
    CHECK(hd_split_new(&s, &c) == HEDDLE_OK);
    return s;
}

static hd_slice must_take(hd_split *s, uint32_t unit, uint64_t now)
{
    hd_slice slice = {0, 0, 0, 0};
    CHECK_MSG(hd_split_take(s, unit, now, &slice) == HD_TAKE_SLICE, "unit %u", unit);
    return slice;
}

/* Runs all that the unit gets until it is told to wait or that it is over; each grain takes each_ns. Grains that it ran. */
static uint64_t run_alone(hd_split *s, uint32_t unit, uint64_t *now, uint64_t each_ns)
{
    hd_slice slice;
    uint64_t n = 0;
    while (hd_split_take(s, unit, *now, &slice) == HD_TAKE_SLICE) {
        const uint64_t began = *now;
        *now += each_ns * (slice.end - slice.begin);
        CHECK(hd_split_keep(s, unit, &slice));
        hd_split_ended(s, unit, &slice, began, *now);
        n += slice.end - slice.begin;
    }
    return n;
}

static void test_static(void)
{
    const hd_split_unit units[] = {ALIKE(0, 1, 3, 0), {1, 1, 1, 30, 1, 0, 0}};
    hd_split *s = make_plain(HEDDLE_SPLIT_STATIC, 400, units, 2, NULL);
    const hd_slice first = must_take(s, 0, 0);
    hd_slice second;
    CHECK(first.begin == 0 && first.end == 300);
    for (uint64_t at = 300; at < 400; at += 30) { /* its claim is longer than it has room for */
        second = must_take(s, 1, at);
        CHECK(second.begin == at && second.end == (at + 30 < 400 ? at + 30 : 400));
        hd_split_ended(s, 1, &second, at, at + 1);
    }
    CHECK(hd_split_take(s, 1, 500, &second) == HD_TAKE_LATER);
    hd_split_ended(s, 0, &first, 0, 600);
    CHECK(hd_split_is_over(s) && hd_split_take(s, 0, 600, &second) == HD_TAKE_OVER);
    hd_split_delete(s);
}

static void test_cut(void)
{
    const hd_split_unit units[] = {ALIKE(0, 1, 1, 0), ALIKE(0, 1, 1, 0)};
    const hd_split_model known = {0, 1000, 1, 0};
    hd_split *s = make_plain(HEDDLE_SPLIT_CUT, 100000, units, 2, &known);
    const hd_slice first = must_take(s, 0, 0); /* its claim: half of half */
    hd_slice slice;
    uint64_t now = 0, left;
    for (slice = must_take(s, 1, now); slice.begin >= 25000; slice = must_take(s, 1, now)) { /* until it cuts */
        const uint64_t began = now;
        now += 1000 * (slice.end - slice.begin);
        hd_split_ended(s, 1, &slice, began, now);
    }
    left = 25000 - first.end;
    CHECK_MSG(slice.begin > 25000 - left / 2 - 200 && slice.begin < 25000 - left / 2 + 200, "%llu of %llu left",
              (unsigned long long)(25000 - slice.begin), (unsigned long long)left);
    hd_split_delete(s);
}

static void test_left_out(void)
{
    const hd_split_unit units[] = {ALIKE(0, 1, 1, 0), {1, 1, 100, UINT64_MAX, 1, 0, 0}};
    const hd_split_model known[] = {{0, 10, 1, 0}, {1e6, 1e6, 1, 0}};
    hd_split *s = make_plain(HEDDLE_SPLIT_CUT, 100000, units, 2, known);
    const hd_slice first = must_take(s, 0, 0);
    hd_slice slice;
    uint64_t now = 10 * (first.end - first.begin);
    double without, with;
    CHECK(hd_split_take(s, 1, 0, &slice) == HD_TAKE_LATER);
    hd_split_ended(s, 0, &first, 0, now);
    CHECK(run_alone(s, 0, &now, 10) + first.end == 100000 && hd_split_is_over(s));
    CHECK(hd_split_left_out(s, 1, &without, &with) && without < with && with > 1e6);
    CHECK(!hd_split_left_out(s, 0, &without, &with));
    hd_split_delete(s);
}

/* A core that is `part` of a GPU; even grains, known speeds. Is it left out, if it asks first? The times are those that are said then. */
static int is_left_out(double part, double *without, double *with)
{
    const hd_split_unit units[] = {{0, 3, 100, UINT64_MAX, 64, 1, 0}, ALIKE(1, 1, 1, 0)};
    const hd_split_model known[] = {{0, 10, 1, 0}, {0, 10 / part, 1, 0}};
    hd_split *s = make_plain(HEDDLE_SPLIT_CUT, 1000000, units, 2, known);
    hd_slice slice;
    const hd_take told = hd_split_take(s, 1, 0, &slice);
    CHECK(told != HD_TAKE_OVER);
    if (told == HD_TAKE_LATER) { /* so the GPU has nothing to share */
        CHECK(hd_split_left_out(s, 1, without, with));
        CHECK(must_take(s, 0, 1).end > 400000 && must_take(s, 0, 1).end > 900000 && must_take(s, 0, 1).end == 1000000);
    }
    hd_split_delete(s);
    return told == HD_TAKE_LATER;
}

/* What saves less than a twentieth is not worth it. If the quicker unit does not ask, the slower one begins after a while. */
static void test_worth(void)
{
    const hd_split_unit units[] = {{0, 3, 100, UINT64_MAX, 64, 1, 0}, ALIKE(1, 1, 1, 0)};
    const hd_split_model known[] = {{0, 10, 1, 0}, {0, 1000, 1, 0}};
    hd_split *s = make_plain(HEDDLE_SPLIT_CUT, 1000000, units, 2, known);
    hd_slice slice;
    double without = 0, with = 0;
    CHECK(is_left_out(0.045, &without, &with) && without == 10e6 && with > 9.5e6 && with < 9.6e6);
    CHECK(!is_left_out(0.06, &without, &with));
    CHECK(hd_split_take(s, 1, 1000, &slice) == HD_TAKE_LATER);
    CHECK(hd_split_take(s, 1, 201000, &slice) == HD_TAKE_SLICE);
    hd_split_delete(s);
}

/* A core had cheap grains only, and the GPU, which was at them at the same time, dear ones later: a cheap grain takes it 1 us, a dear one
 * 100, and the core 50 times as long. Their speeds are compared where both were. */
static void test_compared(void)
{
    const hd_split_unit units[] = {{0, 1, 10, UINT64_MAX, 64, 1, 0}, ALIKE(1, 1, 1, 0)};
    hd_split *s = make_plain(HEDDLE_SPLIT_CUT, 100000, units, 2, NULL);
    hd_split_model gpu, core;
    uint64_t now[2] = {0, 0}, at = 0;
    while (!hd_split_is_over(s)) {
        const uint32_t unit = at < 3000 && now[1] < now[0];
        const hd_slice slice = must_take(s, unit, now[unit]);
        const uint64_t began = now[unit], each = (slice.begin < 5000 ? 1000u : 100000u) * (unit ? 50u : 1u);
        now[unit] += (slice.end - slice.begin) * each;
        CHECK(hd_split_ended(s, unit, &slice, began, now[unit]));
        at = slice.end;
    }
    hd_split_model_of(s, 0, &gpu);
    hd_split_model_of(s, 1, &core);
    CHECK_MSG(gpu.each_ns > 90000 && core.each_ns > 30 * gpu.each_ns && core.each_ns < 80 * gpu.each_ns, "%.1f, %.1f",
              gpu.each_ns, core.each_ns);
    hd_split_delete(s);
}

/* A unit hangs with a slice; the tick sees it. What becomes of the slice depends on what others did until it is back. */
typedef enum until { UNTIL_NOBODY, UNTIL_UNDER_WAY, UNTIL_KEPT } until;

static void hang(until what, int other_hangs)
{
    const hd_split_unit units[] = {ALIKE(0, 1, 1, 1), ALIKE(1, 1, 1, (uint32_t)other_hangs)};
    const hd_split_model known[] = {{0, 1000, 1, 0}, {0, 1000, 1, 0}};
    hd_split *s = make_plain(HEDDLE_SPLIT_STATIC, 20, units, 2, known);
    const hd_slice hung = must_take(s, 0, 0), own = must_take(s, 1, 0);
    const uint64_t late = 1000000000;
    hd_split_counts counts;
    hd_slice slice;
    hd_split_ended(s, 1, &own, 0, 10000);
    CHECK(hd_split_take(s, 1, 10000, &slice) == HD_TAKE_LATER);
    hd_split_tick(s, 10001);
    hd_split_count(s, 0, &counts);
    CHECK(!counts.is_suspected);
    hd_split_tick(s, late);
    hd_split_count(s, 0, &counts);
    CHECK(counts.is_suspected && !hd_split_is_over(s));
    CHECK(hd_split_take(s, 0, late, &slice) == HD_TAKE_OVER);
    if (what != UNTIL_NOBODY) {
        slice = must_take(s, 1, late);
        CHECK(slice.begin >= hung.begin && slice.end <= hung.end);
    }
    if (what == UNTIL_KEPT)
        CHECK(hd_split_keep(s, 1, &slice));
    if (what == UNTIL_NOBODY || (what == UNTIL_UNDER_WAY && other_hangs)) { /* the first that keeps it has it */
        CHECK(hd_split_keep(s, 0, &hung));
        CHECK(what == UNTIL_NOBODY || !hd_split_keep(s, 1, &slice));
        hd_split_ended(s, 0, &hung, 0, late + 1);
    } else {
        uint64_t now = late;
        CHECK(!hd_split_keep(s, 0, &hung));
        hd_split_ended(s, 1, &slice, late, late + 1);
        run_alone(s, 1, &now, 1);
        hd_split_count(s, 0, &counts);
        CHECK(counts.n_again == 10 && counts.n_grains == 0);
    }
    CHECK(hd_split_is_over(s) && hd_split_n_ended(s) == 20);
    hd_split_delete(s);
}

/* A core finds its slice far denser than predicted and stops: what it has not run is its claim's, and the next slice begins there. */
static void test_stopped(void)
{
    const hd_split_unit units[] = {ALIKE(0, 1, 1, 0), ALIKE(1, 2, 1, 1)};
    const hd_split_model models[] = {{0, 1000, 1, 0}, {0, 1000, 1, 0}};
    hd_split *s = make_plain(HEDDLE_SPLIT_CUT, 1000, units, 2, models);
    const hd_slice first = must_take(s, 0, 1000000), other = must_take(s, 1, 1000000);
    const uint64_t n = first.end - first.begin, late = 1000000 + 8 * n * 1000 + 20000;
    hd_slice next;
    CHECK(n > 2 && first.due_ns && !other.due_ns); /* slices in queues cannot stop */
    CHECK(hd_split_is_due(s, 0, &first, late - 2) == HD_DUE_NOT &&
          hd_split_is_due(s, 0, &first, late + 2) == HD_DUE_BETWEEN);
    CHECK(hd_split_is_due(s, 1, &other, late + 2) == HD_DUE_NOT);
    CHECK(hd_split_stopped(s, 0, &first, first.begin + 2, 1000000, late));
    CHECK(hd_split_n_ended(s) == 2);
    next = must_take(s, 0, late);
    CHECK(next.begin == first.begin + 2);
    hd_split_delete(s);
}

/* A core is at its first grain still when a unit by far quicker has done the rest: it gives the grain up, and gets no other one. */
static void test_given_up(void)
{
    const hd_split_unit units[] = {{0, 1, 1, 100, 64, 1, 0}, ALIKE(1, 1, 1, 0)};
    hd_split *s = make_plain(HEDDLE_SPLIT_CUT, 1000, units, 2, NULL);
    const hd_slice grain = must_take(s, 1, 0);
    hd_split_counts counts;
    hd_split_model m;
    hd_slice none;
    uint64_t now = 0;
    CHECK(grain.end == grain.begin + 1 && hd_split_is_due(s, 1, &grain, 1000000) == HD_DUE_NOT); /* nothing is known */
    CHECK(run_alone(s, 0, &now, 10) == 999);
    CHECK(hd_split_is_due(s, 1, &grain, 8) == HD_DUE_NOT && hd_split_is_due(s, 1, &grain, now) == HD_DUE_NOW);
    CHECK(hd_split_stopped(s, 1, &grain, grain.begin, 0, now));
    CHECK(hd_split_take(s, 1, now, &none) == HD_TAKE_LATER && hd_split_n_ended(s) == 999);
    CHECK(run_alone(s, 0, &now, 10) == 1 && hd_split_is_over(s));
    hd_split_count(s, 1, &counts);
    CHECK(counts.has_given_up);
    hd_split_model_of(s, 1, &m);
    CHECK(m.n_seen == 1 && m.most_ns >= 2 * 9990); /* it is remembered */
    hd_split_delete(s);
    s = make_plain(HEDDLE_SPLIT_CUT, 1000, units, 2, (hd_split_model[]){{0, 10, 1, 10}, m});
    CHECK(run_alone(s, 1, &now, 10) == 0 && run_alone(s, 0, &now, 10) == 1000);
    hd_split_delete(s);
}

/* What several cores have given up side by side is one slice of the quicker unit. */
static void test_given_up_together(void)
{
    const hd_split_unit units[] = {{0, 1, 9, 100, 64, 1, 0}, ALIKE(1, 1, 1, 0), ALIKE(1, 1, 1, 0), ALIKE(1, 1, 1, 0)};
    hd_split *s = make_plain(HEDDLE_SPLIT_CUT, 1000, units, 4, NULL);
    hd_slice grains[4], slice;
    uint64_t now = 0;
    for (uint32_t i = 1; i < 4; i++)
        grains[i] = must_take(s, i, 0);
    CHECK(run_alone(s, 0, &now, 10) == 997);
    for (uint32_t i = 1; i < 4; i++) {
        CHECK(hd_split_stopped(s, i, &grains[i], grains[i].begin, 0, now));
        CHECK(hd_split_take(s, i, now, &slice) == HD_TAKE_LATER);
    }
    slice = must_take(s, 0, now);
    CHECK(slice.begin == 0 && slice.end == 3);
    CHECK(hd_split_ended(s, 0, &slice, now, now + 1) && hd_split_is_over(s));
    hd_split_delete(s);
}

/* The quicker unit is lost: the core takes up again what it has given up. */
static void test_taken_up(void)
{
    const hd_split_unit units[] = {{0, 1, 1, 100, 64, 1, 0}, ALIKE(1, 1, 1, 0)};
    hd_split *s = make_plain(HEDDLE_SPLIT_CUT, 1000, units, 2, NULL);
    const hd_slice grain = must_take(s, 1, 0);
    uint64_t now = 0;
    CHECK(run_alone(s, 0, &now, 10) == 999);
    CHECK(hd_split_stopped(s, 1, &grain, grain.begin, 0, now));
    hd_split_lost(s, 0, now);
    CHECK(run_alone(s, 1, &now, 10) == 1 && hd_split_is_over(s));
    hd_split_delete(s);
}

/* A unit keeps a slice and hangs. In the end others run it. */
static void test_hangs_at_home(void)
{
    const hd_split_unit units[] = {ALIKE(0, 1, 1, 1), ALIKE(1, 1, 1, 0)};
    hd_split *s = make_plain(HEDDLE_SPLIT_STATIC, 100, units, 2, NULL);
    hd_slice kept, other, again;
    uint64_t at;
    CHECK(hd_split_take(s, 0, 0, &kept) == HD_TAKE_SLICE && hd_split_take(s, 1, 0, &other) == HD_TAKE_SLICE);
    CHECK(hd_split_ended(s, 1, &other, 0, 50000));
    CHECK(hd_split_keep(s, 0, &kept));
    CHECK(hd_split_take(s, 1, 60000, &again) == HD_TAKE_LATER);
    hd_split_tick(s, 10000000000u); /* it is suspected; what it had kept is its own still */
    CHECK(hd_split_take(s, 1, 10000000000u, &again) == HD_TAKE_LATER);
    hd_split_tick(s, 20000000000u);
    for (at = kept.end; at > kept.begin; at = again.begin) { /* from the end on, in parts */
        CHECK(hd_split_take(s, 1, 20000000000u, &again) == HD_TAKE_SLICE && again.end == at);
        CHECK(hd_split_ended(s, 1, &again, 20000000000u, 20000001000u));
    }
    CHECK(!hd_split_ended(s, 0, &kept, 0, 20000001000u)); /* too late */
    CHECK(at == kept.begin && hd_split_is_over(s));
    hd_split_delete(s);
}

/* With nobody else there, it takes longer until a unit is suspected; then the loop is over. */
static void test_last_unit_hangs(void)
{
    const hd_split_unit unit = ALIKE(0, 1, 1, 1);
    const hd_split_model known = {0, 1000, 1, 0};
    hd_split *s = make_plain(HEDDLE_SPLIT_STATIC, 10, &unit, 1, &known);
    const hd_slice slice = must_take(s, 0, 0);
    hd_split_tick(s, 1000000000);
    CHECK(!hd_split_is_over(s));
    hd_split_tick(s, 2000000000);
    CHECK(hd_split_is_over(s) && hd_split_n_ended(s) == 0);
    CHECK(!hd_split_keep(s, 0, &slice));
    hd_split_delete(s);
}

/* A unit that is slow, and is no device that hangs: others get its claim, but not what it is at work on. */
static void test_slow(void)
{
    const hd_split_unit units[] = {{0, 1, 1, 10, 1, 0, 0}, ALIKE(0, 1, 1, 0)};
    const hd_split_model known = {0, 1000, 1, 0};
    hd_split *s = make_plain(HEDDLE_SPLIT_STATIC, 200, units, 2, &known);
    const hd_slice slow = must_take(s, 0, 0), own = must_take(s, 1, 0);
    hd_split_counts counts;
    hd_slice none;
    uint64_t now = 100000, late = 1000000000;
    hd_split_ended(s, 1, &own, 0, now);
    CHECK(hd_split_take(s, 1, now, &none) == HD_TAKE_LATER);
    hd_split_tick(s, late);
    CHECK(run_alone(s, 1, &late, 1) == 90);
    CHECK(!hd_split_is_over(s));
    hd_split_ended(s, 0, &slow, 0, late);
    CHECK(hd_split_is_over(s));
    hd_split_count(s, 0, &counts);
    CHECK(counts.n_relieved == 90 && !counts.has_given_up);
    hd_split_delete(s);
}

static void test_join(void)
{
    const hd_split_unit units[] = {ALIKE(0, 1, 1, 0), ALIKE(1, 1, 1, 0)};
    hd_slice slice;
    for (uint32_t way = 0; way < HEDDLE_N_SPLITS; way++) {
        hd_split *s = make_plain((heddle_split)way, 10000, units, 2, NULL);
        uint64_t now = 0, n;
        hd_split_lost(s, 1, 0);
        CHECK(hd_split_take(s, 1, 0, &slice) == HD_TAKE_OVER);
        slice = must_take(s, 0, 0);
        hd_split_join(s, 1, 10);
        n = run_alone(s, 1, &now, 5);
        hd_split_ended(s, 0, &slice, 0, now + 1);
        n += run_alone(s, 0, &now, 5) + slice.end - slice.begin;
        n += run_alone(s, 1, &now, 5);
        CHECK_MSG(n == 10000 && hd_split_is_over(s), "%s: %llu", heddle_split_name((heddle_split)way),
                  (unsigned long long)n);
        hd_split_delete(s);
    }
}

static void test_lost(void)
{
    const hd_split_unit units[] = {ALIKE(0, 2, 1, 0), ALIKE(1, 1, 1, 0)};
    hd_split *s = make_plain(HEDDLE_SPLIT_HGUIDED, 1000, units, 2, NULL);
    hd_split_counts counts;
    uint64_t now = 10, n;
    const hd_slice slice = must_take(s, 0, 0);
    CHECK(hd_split_keep(s, 0, &slice));
    hd_split_lost(s, 0, 5);
    CHECK(!hd_split_keep(s, 0, &slice)); /* it comes too late */
    n = run_alone(s, 1, &now, 1);
    CHECK_MSG(n == 1000 && hd_split_is_over(s), "%llu", (unsigned long long)n);
    hd_split_count(s, 0, &counts);
    CHECK(counts.n_again == slice.end - slice.begin && counts.is_lost);
    hd_split_delete(s);
    s = make_plain(HEDDLE_SPLIT_HGUIDED, 1000, units, 2, NULL);
    hd_split_lost(s, 0, 0);
    hd_split_lost(s, 1, 0);
    CHECK(hd_split_is_over(s) && hd_split_n_ended(s) == 0);
    hd_split_delete(s);
}

static void test_cancel(void)
{
    const hd_split_unit units[] = {ALIKE(0, 1, 1, 0), ALIKE(0, 1, 1, 0)};
    hd_split *s = make_plain(HEDDLE_SPLIT_CUT, 100, units, 2, NULL);
    const hd_slice slice = must_take(s, 0, 0);
    hd_slice none;
    uint64_t begin, end;
    hd_split_cancel(s);
    CHECK(hd_split_take(s, 1, 1, &none) == HD_TAKE_OVER && !hd_split_is_over(s));
    hd_split_ended(s, 0, &slice, 0, 10);
    CHECK(hd_split_is_over(s) && hd_split_n_ended(s) == slice.end - slice.begin);
    CHECK(hd_split_left(s, 0, &begin, &end) && begin == slice.end && end == 100);
    CHECK(!hd_split_left(s, 100, &begin, &end));
    hd_split_delete(s);
}

/* Few grains, many units. */
static void test_few(void)
{
    hd_split_unit units[20];
    for (uint32_t i = 0; i < 20; i++)
        units[i] = (hd_split_unit){i % 3, 1 + i % 2, 7, 50, 1 + i, i % 2, 0};
    for (uint32_t way = 0; way < HEDDLE_N_SPLITS; way++)
        for (uint64_t n = 0; n < 25; n++) {
            hd_split *s = make_plain((heddle_split)way, n, units, 20, NULL);
            uint64_t now = 0, ran = 0;
            for (uint32_t round = 0; round < 40 && !hd_split_is_over(s); round++)
                for (uint32_t i = 0; i < 20; i++)
                    ran += run_alone(s, i, &now, 3);
            CHECK_MSG(ran == n && hd_split_is_over(s), "%s: %llu of %llu", heddle_split_name((heddle_split)way),
                      (unsigned long long)ran, (unsigned long long)n);
            hd_split_delete(s);
        }
}

/* The model finds fixed cost and speed, and follows when they change. */
static void test_model(void)
{
    const hd_split_unit unit = ALIKE(0, 1, 1, 0);
    hd_split *s = make_plain(HEDDLE_SPLIT_EXPONENTIAL, 1u << 22, &unit, 1, NULL);
    hd_samples samples = {.n_seen = 0};
    hd_split_model m;
    uint64_t now = 0;
    for (uint32_t i = 0; i < 16; i++) {
        const hd_slice slice = must_take(s, 0, now);
        const uint64_t began = now;
        now += 10000 + 5 * (slice.end - slice.begin);
        hd_split_ended(s, 0, &slice, began, now);
    }
    hd_split_model_of(s, 0, &m);
    CHECK_MSG(m.t0_ns > 9000 && m.t0_ns < 11000 && m.each_ns > 4.9 && m.each_ns < 5.5, "%.1f %.3f", m.t0_ns, m.each_ns);
    hd_split_delete(s);
    for (uint32_t i = 0; i < 20; i++) /* longer and longer, and from a time on twice as slow */
        hd_samples_add(&samples, 10000 << (i % 8), 10000 + (i < 12 ? 5 : 10) * (10000 << (i % 8)), 0);
    CHECK_MSG(fabs(hd_samples_each(&samples, 10000) - 10) < 0.01, "%.3f", hd_samples_each(&samples, 10000));
    hd_samples_fit(&samples, &m);
    CHECK_MSG(m.t0_ns <= 10100 && fabs(m.each_ns - 10) < 0.5, "%.1f %.3f", m.t0_ns, m.each_ns);
}

static void test_memory(void)
{
    const hd_split_unit unit = ALIKE(0, 1, 1, 0);
    const hd_split_config c = {.n = 10, .way = HEDDLE_SPLIT_HDSS, .n_units = 1, .n_kinds = 1, .units = &unit};
    const uint64_t held = hd_held_bytes();
    hd_split *s;
    hd_fail_alloc_at(1);
    CHECK(hd_split_new(&s, &c) == HEDDLE_ENOMEM && !s);
    hd_fail_alloc_at(0);
    CHECK(hd_split_new(&s, &c) == HEDDLE_OK && s);
    hd_split_delete(s);
    hd_split_delete(NULL);
    CHECK(hd_held_bytes() == held);
}

int main(void)
{
    CHECK(!strcmp(heddle_split_name(HEDDLE_SPLIT_CUT), "cut") && !heddle_split_name(HEDDLE_N_SPLITS));
    test_static();
    test_cut();
    test_left_out();
    test_worth();
    test_compared();
    for (until what = UNTIL_NOBODY; what <= UNTIL_KEPT; what++)
        for (int other = 0; other < 2; other++)
            hang(what, other);
    test_stopped();
    test_given_up();
    test_given_up_together();
    test_taken_up();
    test_hangs_at_home();
    test_last_unit_hangs();
    test_slow();
    test_join();
    test_lost();
    test_cancel();
    test_few();
    test_model();
    test_memory();
    test_sequences();
    return 0;
}
