/* SPDX-License-Identifier: MIT */
/* simulate.c - a loop in virtual time (heddle/simulate.h): a heap of events drives the state machine of split.h.
 *
 * A unit asks for slices until it has enough under way; one that got nothing asks again when the split says that something has
 * changed. A slice's way: its bytes come over the link, the unit works on it, it is kept, its bytes go back, it has ended. Each unit
 * works on its slices in the order in which it got them. */
#include "engine/loop/load.h"
#include "engine/loop/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TICK_NS 1000000.0
#define LOOK_NS 50000.0  /* between a unit's looks at the time, while a slice is late */
#define LOOKS 256.0      /* or such a part of the time that it had */
#define PATIENCE 1000.0  /* ideal times, after which a loop that does not end is given up */
#define PATIENCE_NS 1e12 /* and at least so long */
#define MOST_UNITS 1000000u
#define MOST_MODELS (1u << 20)

typedef enum event_kind { EVENT_LOOK, EVENT_WORKED, EVENT_HOME, EVENT_LOST, EVENT_JOIN, EVENT_TICK } event_kind;

typedef struct event {
    double at_ns;
    uint64_t order; /* of events at the same time */
    uint32_t unit, slot;
    event_kind kind;
} event;

typedef struct flight {
    hd_slice slice;
    uint64_t stop; /* the unit stops before this grain */
    double issued_ns;
    double began_ns, times, end_ns; /* of its work: begin; time over that of the load; end, if it is not stopped */
} flight;

typedef struct sim_unit {
    const heddle_simulated_kind *is;
    flight *flights;
    uint64_t random;
    double free_ns, ended_ns;
    uint32_t n_flying;
    int is_waiting;
} sim_unit;

typedef struct simulation {
    const heddle_simulation *d;
    hd_split *split;
    hd_load *load;
    sim_unit *units;
    flight *flights;
    uint32_t *waiting;
    double *in_free, *out_free; /* of links */
    uint64_t *bytes;            /* of links, in and out */
    event *heap;
    hd_split_unit *split_units;
    hd_split_model *models;
    uint32_t n_units, n_models, n_waiting;
    uint64_t n_heap, cap_heap, n_order, n_events, n_flights, seen_changes;
    double ideal_ns;
    int is_last; /* run: its slices are told */
} simulation;

HEDDLE_API const char *heddle_shape_name(heddle_shape shape)
{
    static const char *const names[] = {
#define HEDDLE_X(name, value, text, help) [value] = (text),
        HEDDLE_SHAPE_MAP(HEDDLE_X)
#undef HEDDLE_X
    };
    return (unsigned)shape < HEDDLE_N_SHAPES ? names[(unsigned)shape] : NULL;
}

/* ---- the heap -------------------------------------------------------------------------------------------------------- */

static int is_sooner(const event *a, const event *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

/* Never more than a slice has once it is under way, and few a unit besides: there is room. */
static void put(simulation *x, event e)
{
    uint64_t at = x->n_heap++;
    e.order = x->n_order++;
    for (; at && is_sooner(&e, &x->heap[(at - 1) / 2]); at = (at - 1) / 2)
        x->heap[at] = x->heap[(at - 1) / 2];
    x->heap[at] = e;
}

static event get(simulation *x)
{
    const event first = x->heap[0], last = x->heap[--x->n_heap];
    uint64_t at = 0, below;
    while ((below = 2 * at + 1) < x->n_heap) {
        below += below + 1 < x->n_heap && is_sooner(&x->heap[below + 1], &x->heap[below]);
        if (!is_sooner(&x->heap[below], &last))
            break;
        x->heap[at] = x->heap[below];
        at = below;
    }
    x->heap[at] = last;
    return first;
}

/* ---- units and links ------------------------------------------------------------------------------------------------- */

static double larger(double a, double b) { return a > b ? a : b; }

/* Is the unit dead or hanging at this time? */
static int is_gone(const heddle_simulated_kind *k, double ns)
{
    return (k->die_ns && ns >= (double)k->die_ns) || (k->hang_ns && ns >= (double)k->hang_ns);
}

/* When work that begins now is done. */
static double done_at(const heddle_simulated_kind *k, double now, double work)
{
    const double slow = (double)k->slow_ns;
    if (!k->slow_ns || now + work / k->rate <= slow)
        return now + work / k->rate;
    if (now < slow) {
        work -= (slow - now) * k->rate;
        now = slow;
    }
    return now + work / (k->rate * k->slow_to);
}

/* A transfer over a link that is free from *free_ns on: when it has arrived. */
static double carry(const heddle_simulated_link *l, double now, double bytes, double *free_ns)
{
    *free_ns = larger(now, *free_ns) + bytes / l->bytes_ns;
    return *free_ns + (double)l->latency_ns;
}

/* When the unit has done the grains of the slice before this one. */
static double grain_ns(const simulation *x, const sim_unit *u, const flight *f, uint64_t grain)
{
    const double work = hd_load_work(x->load, f->slice.begin, grain);
    return done_at(u->is, f->began_ns, work * f->times + u->is->ramp);
}

/* The grain that it is at. */
static uint64_t grain_at(const simulation *x, const sim_unit *u, const flight *f, double now)
{
    uint64_t low = f->slice.begin, high = f->slice.end;
    while (low + 1 < high) {
        const uint64_t at = low + (high - low) / 2;
        if (grain_ns(x, u, f, at) <= now)
            low = at;
        else
            high = at;
    }
    return low;
}

/* The next event of a slice that is under way: its end, or a look at the time. */
static void go_on(simulation *x, uint32_t unit, uint32_t slot, double now)
{
    sim_unit *u = &x->units[unit];
    const flight *f = &u->flights[slot];
    const double due = (double)f->slice.due_ns;
    const double next = larger(due, now + larger(LOOK_NS, (now - f->issued_ns) / LOOKS));
    const int looks = f->slice.due_ns && f->stop == f->slice.end && next < f->end_ns;
    const event e = {looks ? next : f->end_ns, 0, unit, slot, looks ? EVENT_LOOK : EVENT_WORKED};
    u->free_ns = f->end_ns;
    if (!is_gone(u->is, e.at_ns))
        put(x, e);
}

static void begin_slice(simulation *x, uint32_t unit, double now, const hd_slice *slice)
{
    sim_unit *u = &x->units[unit];
    const heddle_simulation *d = x->d;
    const double n = (double)(slice->end - slice->begin);
    const double dearest = u->is->width > 0 ? u->is->width * hd_load_dearest(x->load, slice->begin, slice->end) : 0;
    double at = now, fixed, times;
    if (u->is->link) {
        x->bytes[2 * (u->is->link - 1)] += (uint64_t)(n * d->bytes_in);
        at = carry(&d->links[u->is->link - 1], now, n * d->bytes_in, &x->in_free[u->is->link - 1]);
    }
    fixed = u->is->t0_ns * (u->free_ns > at ? d->behind : 1) * (1 + fabs(d->noise * hd_random_normal(&u->random)));
    times = fabs(1 + d->noise * hd_random_normal(&u->random));
    at = larger(at, u->free_ns) + fixed;
    u->flights[slice->number] = (flight){*slice, slice->end, now, at, times, 0};
    u->flights[slice->number].end_ns =
        larger(grain_ns(x, u, &u->flights[slice->number], slice->end), done_at(u->is, at, dearest));
    u->n_flying++;
    go_on(x, unit, slice->number, now);
}

/* ---- asking ---------------------------------------------------------------------------------------------------------- */

static void ask(simulation *x, uint32_t unit, double now)
{
    sim_unit *u = &x->units[unit];
    const uint32_t most = u->is->most_flying ? u->is->most_flying : 1;
    hd_slice slice;
    if (is_gone(u->is, now))
        return;
    while (u->n_flying < most) {
        const hd_take told = hd_split_take(x->split, unit, (uint64_t)now, &slice);
        if (told == HD_TAKE_SLICE) {
            begin_slice(x, unit, now, &slice);
            continue;
        }
        if (told == HD_TAKE_LATER && !u->is_waiting)
            x->waiting[x->n_waiting++] = unit;
        u->is_waiting |= told == HD_TAKE_LATER;
        return;
    }
}

/* Those that wait, if something has changed since they last did. */
static void ask_again(simulation *x, double now)
{
    const uint32_t n = x->n_waiting;
    if (hd_split_changes(x->split) == x->seen_changes)
        return;
    x->seen_changes = hd_split_changes(x->split);
    x->n_waiting = 0;
    for (uint32_t i = 0; i < n; i++) { /* writes no further than it has read */
        const uint32_t unit = x->waiting[i];
        x->units[unit].is_waiting = 0;
        ask(x, unit, now);
    }
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

static void home(simulation *x, const event *e)
{
    sim_unit *u = &x->units[e->unit];
    const flight *f = &u->flights[e->slot];
    const double began = larger(f->issued_ns, u->ended_ns);
    (void)hd_split_stopped(x->split, e->unit, &f->slice, f->stop, (uint64_t)began, (uint64_t)e->at_ns);
    if (x->is_last && x->d->ended && f->stop > f->slice.begin)
        x->d->ended(x->d->arg, e->unit, f->slice.begin, f->stop, (uint64_t)began, (uint64_t)e->at_ns);
    u->ended_ns = e->at_ns;
    u->n_flying--;
    ask(x, e->unit, e->at_ns);
}

static void worked(simulation *x, const event *e)
{
    sim_unit *u = &x->units[e->unit];
    const hd_slice *slice = &u->flights[e->slot].slice;
    event back = {e->at_ns, 0, e->unit, e->slot, EVENT_HOME};
    if (!hd_split_keep(x->split, e->unit, slice)) {
        u->n_flying--;
        ask(x, e->unit, e->at_ns);
        return;
    }
    if (!u->is->link) {
        home(x, &back);
        return;
    }
    {
        const uint32_t l = u->is->link - 1;
        const double bytes = (double)(slice->end - slice->begin) * x->d->bytes_out;
        x->bytes[2 * l + 1] += (uint64_t)bytes;
        back.at_ns = bytes > 0 ? carry(&x->d->links[l], e->at_ns, bytes, &x->out_free[l]) : e->at_ns;
    }
    put(x, back);
}

static void look(simulation *x, const event *e)
{
    sim_unit *u = &x->units[e->unit];
    flight *f = &u->flights[e->slot];
    const hd_due due = hd_split_is_due(x->split, e->unit, &f->slice, (uint64_t)e->at_ns);
    if (due != HD_DUE_NOT) {
        f->stop = grain_at(x, u, f, e->at_ns) + (due == HD_DUE_BETWEEN);
        f->end_ns = due == HD_DUE_NOW ? e->at_ns : grain_ns(x, u, f, f->stop);
    }
    go_on(x, e->unit, e->slot, e->at_ns);
}

static void join(simulation *x, uint32_t unit, double now)
{
    hd_split_join(x->split, unit, (uint64_t)now);
    x->units[unit].free_ns = x->units[unit].ended_ns = now;
    ask(x, unit, now);
}

static void happen(simulation *x, const event *e)
{
    x->n_events++;
    switch (e->kind) {
    case EVENT_LOOK: look(x, e); break;
    case EVENT_WORKED: worked(x, e); break;
    case EVENT_HOME:
        if (!is_gone(x->units[e->unit].is, e->at_ns))
            home(x, e);
        break;
    case EVENT_LOST: hd_split_lost(x->split, e->unit, (uint64_t)e->at_ns); break;
    case EVENT_JOIN: join(x, e->unit, e->at_ns); break;
    default: hd_split_tick(x->split, (uint64_t)e->at_ns); put(x, (event){e->at_ns + TICK_NS, 0, 0, 0, EVENT_TICK});
    }
    ask_again(x, e->at_ns);
}

static void start(simulation *x)
{
    for (uint32_t i = 0; i < x->n_units; i++) {
        const heddle_simulated_kind *k = x->units[i].is;
        if (k->join_ns) {
            hd_split_lost(x->split, i, 0);
            put(x, (event){(double)k->join_ns, 0, i, 0, EVENT_JOIN});
        }
        if (k->die_ns)
            put(x, (event){(double)(k->die_ns + x->d->notice_ns), 0, i, 0, EVENT_LOST});
    }
    put(x, (event){TICK_NS, 0, 0, 0, EVENT_TICK});
    for (uint32_t i = 0; i < x->n_units; i++)
        if (!x->units[i].is->join_ns)
            ask(x, i, 0);
}

/* *now_ns: the time of the last event. Units that join may still come when nobody is left. */
static heddle_status run(simulation *x, double *now_ns)
{
    const double most = larger(PATIENCE * x->ideal_ns, PATIENCE_NS);
    uint32_t n_joining = 0;
    for (uint32_t i = 0; i < x->n_units; i++)
        n_joining += x->units[i].is->join_ns > 0;
    start(x);
    while (!hd_split_is_over(x->split) || (n_joining && hd_split_n_ended(x->split) < x->d->n_grains)) {
        const event e = get(x);
        *now_ns = e.at_ns;
        if (e.at_ns > most)
            return hd_say(NULL, HEDDLE_ETIMEDOUT,
                          "the loop does not end: a unit hangs, and nobody may take its slices");
        n_joining -= e.kind == EVENT_JOIN;
        happen(x, &e);
    }
    if (hd_split_n_ended(x->split) < x->d->n_grains)
        return hd_say(NULL, HEDDLE_EDEVICE, "no unit is left after %.3f ms", *now_ns / 1e6);
    return HEDDLE_OK;
}

/* ---- the ideal time -------------------------------------------------------------------------------------------------- */

static double rate_at(const heddle_simulated_kind *k, double ns)
{
    if (is_gone(k, ns) || (k->join_ns && ns < (double)k->join_ns))
        return 0;
    return k->rate * (k->slow_ns && ns >= (double)k->slow_ns ? k->slow_to : 1);
}

/* Grains a nanosecond that a link can carry. */
static double link_rate(const heddle_simulation *d, uint32_t link)
{
    const double bytes = larger(d->bytes_in, d->bytes_out);
    return bytes > 0 ? d->links[link].bytes_ns / bytes : HUGE_VAL;
}

/* Of all units at a time: those behind a link have no more than it carries. */
static double rate_of_all(const heddle_simulation *d, double ns)
{
    double sum = 0;
    for (uint32_t l = 0; l <= d->n_links; l++) {
        double behind = 0;
        for (uint32_t k = 0; k < d->n_kinds; k++)
            behind += d->kinds[k].link == l ? rate_at(&d->kinds[k], ns) * d->kinds[k].n_units : 0;
        sum += l && behind > link_rate(d, l - 1) ? link_rate(d, l - 1) : behind;
    }
    return sum;
}

/* The next time after ns at which something changes; HUGE_VAL: never. */
static double next_change(const heddle_simulation *d, double ns)
{
    double next = HUGE_VAL;
    for (uint32_t k = 0; k < d->n_kinds; k++) {
        const heddle_simulated_kind *kind = &d->kinds[k];
        const uint64_t times[] = {kind->slow_ns, kind->die_ns, kind->hang_ns, kind->join_ns};
        for (uint32_t i = 0; i < sizeof times / sizeof *times; i++)
            if ((double)times[i] > ns && (double)times[i] < next)
                next = (double)times[i];
    }
    return next;
}

/* HUGE_VAL: the units never do all. */
static double ideal_ns(const heddle_simulation *d)
{
    double left = (double)d->n_grains, now = 0;
    while (now < HUGE_VAL) {
        const double rate = rate_of_all(d, now), next = next_change(d, now);
        if (rate > 0 && left <= rate * (next - now))
            return now + left / rate;
        left -= next < HUGE_VAL ? rate * (next - now) : 0;
        now = next;
    }
    return HUGE_VAL;
}

static double best_ns(const heddle_simulation *d)
{
    double best = 0;
    for (uint32_t k = 0; k < d->n_kinds; k++) {
        const double linked = d->kinds[k].link ? link_rate(d, d->kinds[k].link - 1) : HUGE_VAL;
        const double rate = d->kinds[k].rate < linked ? d->kinds[k].rate : linked;
        best = larger(best, rate);
    }
    return (double)d->n_grains / best;
}

/* ---- descriptions ---------------------------------------------------------------------------------------------------- */

static heddle_status check_kind(const heddle_simulation *d, uint32_t k)
{
    const heddle_simulated_kind *kind = &d->kinds[k];
    if (!(kind->rate > 0) || !(kind->rate < HUGE_VAL) || !(kind->t0_ns >= 0) || !(kind->ramp >= 0) ||
        !(kind->width >= 0) || !(kind->weight >= 0))
        return hd_say(NULL, HEDDLE_EINVAL,
                      "kind %u: a rate above 0, and fixed cost, ramp, width and weight from 0 on are expected", k);
    if (kind->link > d->n_links)
        return hd_say(NULL, HEDDLE_EINVAL, "kind %u: there is no link %u", k, kind->link);
    if (kind->slow_ns && !(kind->slow_to > 0))
        return hd_say(NULL, HEDDLE_EINVAL, "kind %u: a part above 0 of its rate is left when it slows down", k);
    if (kind->most && kind->most < kind->least)
        return hd_say(NULL, HEDDLE_EINVAL, "kind %u: its longest slice is shorter than its shortest", k);
    if (kind->model >= MOST_MODELS || kind->most_flying > MOST_UNITS)
        return hd_say(NULL, HEDDLE_ERANGE, "kind %u: model or slices under way are beyond their limits", k);
    return HEDDLE_OK;
}

static heddle_status check(const heddle_simulation *d)
{
    uint64_t n_units = 0;
    if (!heddle_split_name(d->split) || !heddle_shape_name(d->shape))
        return hd_say(NULL, HEDDLE_EINVAL, "unknown way to divide, or shape");
    if (!(d->bytes_in >= 0) || !(d->bytes_out >= 0) || !(d->noise >= 0) || !(d->noise < 1) || !(d->behind >= 0))
        return hd_say(NULL, HEDDLE_EINVAL, "bytes, noise and the part of t0 are not below 0, and noise is below 1");
    for (uint32_t l = 0; l < d->n_links; l++)
        if (!(d->links[l].bytes_ns > 0))
            return hd_say(NULL, HEDDLE_EINVAL, "link %u: a rate above 0 is expected", l + 1);
    for (uint32_t k = 0; k < d->n_kinds; k++) {
        HD_TRY(check_kind(d, k));
        n_units += d->kinds[k].n_units;
    }
    if (!n_units || n_units > MOST_UNITS)
        return hd_say(NULL, HEDDLE_EINVAL, "a fleet of 1 to %u units is expected", MOST_UNITS);
    return HEDDLE_OK;
}

/* ---- one run --------------------------------------------------------------------------------------------------------- */

static void count_units(simulation *x)
{
    for (uint32_t k = 0; k < x->d->n_kinds; k++) {
        const heddle_simulated_kind *kind = &x->d->kinds[k];
        x->n_units += kind->n_units;
        x->n_flights += (uint64_t)kind->n_units * (kind->most_flying ? kind->most_flying : 1);
        x->n_models = kind->model >= x->n_models ? kind->model + 1 : x->n_models;
    }
    x->cap_heap = x->n_flights + 4 * (uint64_t)x->n_units + 16;
}

static int make_room(simulation *x)
{
    count_units(x);
    x->load = hd_new(sizeof *x->load);
    x->units = hd_new(sizeof *x->units * x->n_units);
    x->flights = hd_new(sizeof *x->flights * x->n_flights);
    x->waiting = hd_new(sizeof *x->waiting * x->n_units);
    x->in_free = hd_new(sizeof *x->in_free * (2 * x->d->n_links + 1));
    x->bytes = hd_new(sizeof *x->bytes * (2 * x->d->n_links + 1));
    x->heap = hd_new(sizeof *x->heap * x->cap_heap);
    x->split_units = hd_new(sizeof *x->split_units * x->n_units);
    x->models = hd_new(sizeof *x->models * x->n_models);
    return x->load && x->units && x->flights && x->waiting && x->in_free && x->bytes && x->heap && x->split_units &&
           x->models;
}

static void free_room(simulation *x)
{
    hd_delete(x->load, sizeof *x->load);
    hd_delete(x->units, sizeof *x->units * x->n_units);
    hd_delete(x->flights, sizeof *x->flights * x->n_flights);
    hd_delete(x->waiting, sizeof *x->waiting * x->n_units);
    hd_delete(x->in_free, sizeof *x->in_free * (2 * x->d->n_links + 1));
    hd_delete(x->bytes, sizeof *x->bytes * (2 * x->d->n_links + 1));
    hd_delete(x->heap, sizeof *x->heap * x->cap_heap);
    hd_delete(x->split_units, sizeof *x->split_units * x->n_units);
    hd_delete(x->models, sizeof *x->models * x->n_models);
}

static void place_unit(simulation *x, uint32_t i, const heddle_simulated_kind *k, flight *flights)
{
    x->units[i] = (sim_unit){.is = k, .flights = flights, .random = x->d->seed + i * 0x1000003u};
    x->split_units[i] = (hd_split_unit){.kind = k->model,
                                        .most_flying = k->most_flying ? k->most_flying : 1,
                                        .least = k->least ? k->least : 1,
                                        .most = k->most ? k->most : UINT64_MAX,
                                        .copies = k->link && x->d->bytes_in + x->d->bytes_out > 0,
                                        .weight = k->weight > 0 ? k->weight : k->rate,
                                        .may_hang = k->may_hang};
}

static void place_units(simulation *x)
{
    flight *flights = x->flights;
    uint32_t i = 0;
    for (uint32_t k = 0; k < x->d->n_kinds; k++)
        for (uint32_t j = 0; j < x->d->kinds[k].n_units; j++, i++) {
            place_unit(x, i, &x->d->kinds[k], flights);
            flights += x->split_units[i].most_flying;
        }
    x->out_free = x->in_free + x->d->n_links;
    for (uint32_t l = 0; l < 2 * x->d->n_links; l++) {
        x->in_free[l] = 0;
        x->bytes[l] = 0;
    }
    x->n_heap = x->n_waiting = 0;
    x->seen_changes = UINT64_MAX;
}

static heddle_status run_once(simulation *x, int has_models, double *now_ns)
{
    const hd_split_config c = {.n = x->d->n_grains,
                               .way = x->d->split,
                               .n_units = x->n_units,
                               .n_kinds = x->n_models,
                               .units = x->split_units,
                               .models = has_models ? x->models : NULL};
    place_units(x);
    if (hd_split_new(&x->split, &c))
        return hd_say(NULL, HEDDLE_ENOMEM, "no memory to simulate %u units", x->n_units);
    x->n_events = 0;
    return run(x, now_ns);
}

static void tell_unit(const simulation *x, uint32_t i, heddle_simulated *sum, heddle_simulated_unit *out)
{
    hd_split_counts c;
    double without, with;
    const int is_left_out = hd_split_left_out(x->split, i, &without, &with);
    hd_split_count(x->split, i, &c);
    sum->n_slices += c.n_slices;
    sum->n_cuts += c.n_cuts;
    sum->n_again += c.n_again;
    sum->n_left_out += (uint32_t)is_left_out;
    sum->n_lost += c.is_lost || c.is_suspected;
    if (c.last_ns > sum->time_ns)
        sum->time_ns = c.last_ns;
    if (c.n_slices && !c.is_lost && !c.is_suspected && (!sum->first_ns || c.last_ns < sum->first_ns))
        sum->first_ns = c.last_ns;
    if (out)
        *out = (heddle_simulated_unit){c.n_grains,
                                       c.n_slices,
                                       c.n_cuts,
                                       c.n_again,
                                       c.busy_ns,
                                       c.last_ns,
                                       (uint32_t)(x->units[i].is - x->d->kinds),
                                       (uint32_t)is_left_out,
                                       (uint32_t)c.is_lost,
                                       (uint32_t)c.is_suspected};
}

static void tell(const simulation *x, heddle_simulated *out, heddle_simulated_unit *units, uint64_t *link_bytes)
{
    heddle_simulated sum = {
        .n_units = x->n_units, .n_events = x->n_events, .ideal_ns = x->ideal_ns, .best_ns = best_ns(x->d)};
    for (uint32_t i = 0; i < x->n_units; i++)
        tell_unit(x, i, &sum, units ? &units[i] : NULL);
    hd_copy_known(out, &sum, sizeof sum);
    for (uint32_t l = 0; link_bytes && l < 2 * x->d->n_links; l++)
        link_bytes[l] = x->bytes[l];
}

static heddle_status run_all(simulation *x, heddle_simulated *out, heddle_simulated_unit *units, uint64_t *link_bytes)
{
    const uint32_t n_runs = x->d->n_runs ? x->d->n_runs : 1;
    heddle_status status = HEDDLE_OK;
    hd_load_make(x->load, x->d->n_grains, x->d->shape, x->d->seed);
    for (uint32_t r = 0; r < n_runs && !status; r++) {
        double now = 0;
        x->is_last = r + 1 == n_runs;
        status = run_once(x, r > 0, &now);
        if (!x->split)
            return status;
        for (uint32_t k = 0; k < x->n_models; k++)
            hd_split_model_of(x->split, k, &x->models[k]);
        if (x->is_last || status)
            tell(x, out, units, link_bytes);
        hd_split_delete(x->split);
        x->split = NULL;
    }
    return status;
}

HEDDLE_API heddle_status heddle_simulate(const heddle_simulation *d, heddle_simulated *out,
                                         heddle_simulated_unit *units, uint64_t *link_bytes)
{
    heddle_simulation known = HEDDLE_SIMULATION_INIT;
    simulation x = {.d = &known};
    heddle_status status;
    if (!d || !out)
        return hd_say(NULL, HEDDLE_EINVAL, "a description and room for the result are expected");
    hd_copy_known(&known, d, d->size);
    HD_TRY(check(&known));
    x.ideal_ns = ideal_ns(&known);
    status = make_room(&x) ? run_all(&x, out, units, link_bytes)
                           : hd_say(NULL, HEDDLE_ENOMEM, "no memory to simulate %u units", x.n_units);
    free_room(&x);
    return status;
}
