/* SPDX-License-Identifier: MIT */
/* ending.c - the end of a run: what was found by tiles is put together, the outcome becomes a status and a sentence, and speeds are learnt. */
#include "engine/loop/fleet.h"

#include <inttypes.h>
#include <stdio.h>

#define FIRST_TIMES 2.0  /* what it costs to try a kind that was left out: after so long for the first time, */
#define MOST_TIMES 128.0 /* and after twice as long each time, up to this */

/* ---- what was found --------------------------------------------------------------------------------------------------- */

/* Loops of their own, so that compilers make vector code of them. */
#define COMBINE(type)                                            \
    do {                                                         \
        type *into = r->result;                                  \
        const type *from = (const type *)(const void *)row;      \
        uint32_t i;                                              \
        if (r->op == HEDDLE_SUM)                                 \
            for (i = 0; i < r->n; i++)                           \
                into[i] = (type)(into[i] + from[i]);             \
        else if (r->op == HEDDLE_MIN)                            \
            for (i = 0; i < r->n; i++)                           \
                into[i] = from[i] < into[i] ? from[i] : into[i]; \
        else                                                     \
            for (i = 0; i < r->n; i++)                           \
                into[i] = from[i] > into[i] ? from[i] : into[i]; \
    } while (0)

static void combine(const heddle_reduction *r, const uint8_t *row)
{
    switch (r->type) {
    case HEDDLE_I64:
        if (r->op == HEDDLE_SUM)
            COMBINE(uint64_t); /* sums wrap */
        else
            COMBINE(int64_t);
        break;
    case HEDDLE_U32: COMBINE(uint32_t); break;
    case HEDDLE_F64: COMBINE(double); break;
    case HEDDLE_F32: COMBINE(float); break;
    }
}

void hd_founds_combine(const heddle_loop *l)
{
    uint64_t k, g;
    for (k = 0; k < l->founds.n; k++) {
        const hd_found *f = (const hd_found *)l->founds.at + k;
        memcpy(f->desc.result, f->partials->host, f->partials->row_bytes);
        for (g = 1; g < l->n_grains; g++)
            combine(&f->desc, f->partials->host + g * f->partials->stride);
    }
}

/* ---- the outcome ------------------------------------------------------------------------------------------------------ */

static heddle_status say_left(heddle_loop *l)
{
    const hd_left *first = hd_left_at(l, 0);
    return hd_say(&l->turn.error, HEDDLE_EDEVICE,
                  "loop %s: no device is left; %" PRIu64 " of %" PRIu64 " indices are done, and %" PRIu64
                  " intervals are not, %" PRIu64 " to %" PRIu64 " first",
                  l->table->bodies[l->desc.body].name, l->desc.n - hd_left_n_indices(l), l->desc.n, l->left.n,
                  hd_grain_begin(l, first->begin), hd_grain_begin(l, first->end) - 1u);
}

static heddle_status say_spoilt(heddle_loop *l)
{
    const hd_slice *last = (const hd_slice *)l->spoilt.at + (l->spoilt.n - 1u);
    const char *name = l->table->bodies[l->desc.body].name;
    const uint64_t begin = hd_grain_begin(l, last->begin), end = hd_grain_begin(l, last->end) - 1u;
    if (l->may_come_late)
        return hd_say(&l->turn.error, HEDDLE_EDEVICE,
                      "loop %s: %s does not answer, and may still write the results of indices %" PRIu64 " to %" PRIu64
                      " home",
                      name, l->fail_unit, begin, end);
    return hd_say(&l->turn.error, HEDDLE_EDEVICE,
                  "loop %s: %s was lost while it wrote the results of indices %" PRIu64 " to %" PRIu64
                  ", which the loop also reads, so that nobody else can compute them",
                  name, l->fail_unit, begin, end);
}

static heddle_status outcome(heddle_loop *l)
{
    if (l->fail_code)
        return hd_say(&l->turn.error, HEDDLE_EBODY, "loop %s failed at index %" PRIu64 " with code %u, on %s",
                      l->table->bodies[l->desc.body].name, l->fail_index, l->fail_code, l->fail_unit);
    if (l->spoilt.n)
        return say_spoilt(l);
    if (hd_split_n_ended(l->split) == l->n_grains)
        return HEDDLE_OK;
    if (l->is_canceled)
        return hd_say(&l->turn.error, HEDDLE_ECANCELED, "loop %s was cancelled", l->table->bodies[l->desc.body].name);
    return say_left(l);
}

/* ---- in words --------------------------------------------------------------------------------------------------------- */

/* What it had, and others ran. */
static void tell_relief(heddle_loop *l, const hd_split_counts *c)
{
    if (c->has_given_up)
        hd_how_add(&l->how, "; gave up a slice: quicker units could run all that was left in the time for its rest");
    if (c->n_relieved)
        hd_how_add(&l->how, "; slowed down: others took %" PRIu64 " indices of its claim",
                   c->n_relieved * l->desc.tile);
    if (c->n_again)
        hd_how_add(&l->how, "; others ran %" PRIu64 " indices that it had begun", c->n_again * l->desc.tile);
}

static void tell_unit(heddle_loop *l, uint32_t i)
{
    const hd_fleet_unit *u = hd_unit_at(l->fleet, i);
    const hd_split_counts *c = &l->counts[i];
    const uint32_t asker = !c->n_slices && hd_loop_left_out(l, i) ? hd_unit_first(l->fleet, i) : i; /* others rested */
    double without = 0, with = 0;
    hd_how_add(&l->how, "%s: %.1f %% of the indices in %" PRIu64 " slices", u->name,
               100.0 * (double)c->n_grains / (double)l->n_grains, c->n_slices);
    if (hd_split_left_out(l->split, asker, &without, &with))
        hd_how_add(&l->how, "; left out as not worth it: the loop would take %.3g ms with it, and %.3g ms without",
                   with / 1e6, without / 1e6);
    tell_relief(l, c);
    if (*l->runs[i].trouble)
        hd_how_add(&l->how, "; lost: %s", l->runs[i].trouble);
    else if (hd_unit_is_lost(u))
        hd_how_add(&l->how, "; lost earlier");
    hd_how_add(&l->how, "\n");
}

static void tell_all(heddle_loop *l)
{
    uint64_t n_cuts = 0;
    uint32_t i;
    l->how.n = 0;
    hd_how_add(&l->how, "split %s over %" PRIu64 " units%s\n", heddle_split_name(l->desc.split), l->fleet->units.n,
               l->is_alone ? ": too short to be shared, run by the calling thread" : "");
    for (i = 0; i < l->fleet->units.n; i++) {
        tell_unit(l, i);
        n_cuts += l->counts[i].n_cuts;
    }
    if (n_cuts)
        hd_how_add(&l->how, "%" PRIu64 " cuts: units with nothing left took the tails of others' claims\n", n_cuts);
}

/* ---- what was learnt -------------------------------------------------------------------------------------------------- */

/* What a run with a kind that this one has left out may take: as long as this one, and a slice of the kind. 0: the kind took part. */
static double trial_ns(const heddle_loop *l, uint32_t kind)
{
    const hd_split_model *m = &l->models[kind];
    double without, with, most = 0;
    uint32_t i;
    for (i = 0; i < l->fleet->units.n; i++) {
        if (hd_unit_at(l->fleet, i)->kind != kind)
            continue;
        if (l->counts[i].n_slices)
            return 0;
        if (hd_split_left_out(l->split, i, &without, &with))
            most = (double)l->time_ns + m->t0_ns + (double)l->split_units[i].least * m->each_ns;
    }
    return most;
}

/* It took part. If that was because nothing was known of it, the next run shows whether it is worth it. */
static void end_absence(hd_absence *a)
{
    if (!a->is_tried)
        a->after_times = FIRST_TIMES;
    a->idle_ns = 0;
    a->is_tried = 0;
}

/* 1: that was long enough for a trial that costs trial_ns. */
static int is_missed(hd_absence *a, double run_ns, double trial_ns)
{
    a->idle_ns += run_ns;
    a->after_times = a->after_times > FIRST_TIMES ? a->after_times : FIRST_TIMES;
    if (a->idle_ns <= a->after_times * trial_ns)
        return 0;
    a->idle_ns = 0;
    a->is_tried = 1;
    a->after_times = a->after_times < MOST_TIMES ? 2 * a->after_times : MOST_TIMES;
    return 1;
}

/* A kind that is left out shows nothing new, and what is thought of it may come from slices that were interrupted. So it is forgotten, and
 * tried again, when that costs little beside the runs since: soon at first, and later the more often it was found to be not worth it. */
static void learn(heddle_loop *l)
{
    uint32_t k;
    for (k = 0; k < l->fleet->n_kinds; k++) {
        const double ns = trial_ns(l, k);
        hd_split_model_of(l->split, k, &l->models[k]);
        if (!(ns > 0))
            end_absence(&l->absences[k]);
        else if (is_missed(&l->absences[k], (double)l->time_ns, ns))
            l->models[k] = (hd_split_model){0};
    }
}

void hd_loop_end(heddle_loop *l)
{
    uint32_t i;
    l->time_ns = heddle_host_clock_ns() - l->start_ns;
    hd_chart_end(l->chart, l->start_ns, l->time_ns);
    hd_left_note(l);
    (void)pthread_mutex_lock(&l->asking); /* another thread may cancel */
    l->turn.status = outcome(l);
    (void)pthread_mutex_unlock(&l->asking);
    if (l->turn.status == HEDDLE_OK)
        hd_founds_combine(l);
    for (i = 0; i < l->fleet->units.n; i++)
        hd_split_count(l->split, i, &l->counts[i]);
    tell_all(l);
    learn(l);
    (void)pthread_mutex_lock(&l->asking);
    hd_split_delete(l->split);
    l->split = NULL;
    (void)pthread_mutex_unlock(&l->asking);
}
