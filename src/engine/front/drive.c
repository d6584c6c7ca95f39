/* SPDX-License-Identifier: MIT */
/* drive.c - a run of a wavefront. Under `cut` all strides are known before the first begins (cut.c). Else the split of loops
 * (engine/loop/split.h) says which unit gets which rows; a claim is a stride. When a unit is lost, all strides from its
 * first one on that has not ended are stopped, and those above end. The rows of the others are divided anew. */
#include "engine/front/front.h"

#include <time.h>

#define OWN_PACE 0.02 /* of the run: a stride that ends so much later than the one above was not held up by it */
#define SAME_SPEED 0.05
#define SPINS 4096u
#define NAP_NS 20000u

typedef struct drive {
    heddle_wavefront *w;
    hd_split *split;    /* NULL: under `cut` */
    hd_list cuts;       /* hd_cut: of strides that are to come */
    uint64_t n_cut;     /* of them, that have come */
    uint64_t base;      /* grains that are done, from the top: the split has those below */
    uint64_t first;     /* stride with which the split begins */
    uint64_t until;     /* strides from here on are stopped: a unit was lost, or a cell failed. UINT64_MAX: none was */
    int is_spoilt;      /* cells at home are half swept over */
    heddle_status fail; /* a cell failed in stride `until`; with this error */
    hd_error error;
} drive;

static uint64_t row_of(const heddle_wavefront *w, uint64_t grain)
{
    return grain == w->n_grains ? w->desc.rows : grain * w->grain;
}

/* ---- speeds ------------------------------------------------------------------------------------------------------------ */

static int is_known(const heddle_wavefront *w)
{
    for (uint32_t i = 0; i < w->n_sites; i++)
        if (w->sites[i].row_ns > 0)
            return 1;
    return 0;
}

/* Stride i's own pace: nothing above held it up. */
static int is_own(const heddle_wavefront *w, uint64_t i)
{
    const hd_stride *s = hd_stride_at(w, i);
    return !i || (double)s->ended_ns - (double)s[-1].ended_ns > OWN_PACE * (double)w->time_ns;
}

/* Of the units of a kind the quickest tells. One that was held up by the one above tells only how slow it is at most. */
static void learn_kind(heddle_wavefront *w, uint32_t kind, double ns, int is_own_pace)
{
    for (uint32_t i = 0; i < w->n_sites; i++) {
        hd_site *s = &w->sites[i];
        const double was = s->row_ns;
        if (s->unit->kind == kind &&
            (!(was > 0) || ns < was * (1 - SAME_SPEED) || (is_own_pace && ns > was * (1 + SAME_SPEED))))
            s->row_ns = ns;
    }
}

/* What this run has told. A unit's first run does not count: kernels are loaded then. */
static void learn(heddle_wavefront *w)
{
    for (uint32_t kind = 0; kind < w->fleet->n_kinds; kind++) {
        double least = 0;
        int own = 0;
        for (uint64_t i = 0; i < w->n_begun; i++) {
            const hd_stride *s = hd_stride_at(w, i);
            const hd_site *site = &w->sites[s->site];
            const double ns = (double)site->busy_ns / (double)site->n_rows;
            if (site->unit->kind != kind || !site->n_runs)
                continue;
            least = least > 0 && least < ns ? least : ns;
            own |= is_own(w, i);
        }
        if (least > 0)
            learn_kind(w, kind, least, own);
    }
    for (uint32_t i = 0; i < w->n_sites; i++)
        w->sites[i].n_runs += w->sites[i].n_strides > 0;
}

/* ---- the split --------------------------------------------------------------------------------------------------------- */

static heddle_status make_split(drive *d)
{
    heddle_wavefront *w = d->w;
    const uint32_t n = w->n_sites;
    hd_split_unit *units = hd_new(n * sizeof *units);
    hd_split_model *models = hd_new(n * sizeof *models);
    const hd_split_config c = {w->n_grains - d->base, w->desc.split, n, n, units, is_known(w) ? models : NULL};
    heddle_status s = units && models ? HEDDLE_OK : HEDDLE_ENOMEM;
    for (uint32_t i = 0; s == HEDDLE_OK && i < n; i++) {
        units[i] = (hd_split_unit){i, 1, 1, c.n, w->sites[i].weight, 0, 0};
        models[i] = (hd_split_model){0, hd_front_row_ns(w, i) * (double)w->grain, 1, 0};
    }
    if (s == HEDDLE_OK)
        s = hd_split_new(&d->split, &c);
    hd_delete(units, n * sizeof *units);
    hd_delete(models, n * sizeof *models);
    if (s != HEDDLE_OK)
        return hd_say(NULL, s, "heddle_wavefront_run: out of memory");
    for (uint32_t i = 0; i < n; i++)
        if (!hd_site_is_in(&w->sites[i]))
            hd_split_lost(d->split, i, heddle_host_clock_ns());
    return HEDDLE_OK;
}

static heddle_status divide(drive *d)
{
    d->cuts.n = d->n_cut = 0;
    hd_front_leave_out(d->w);
    return d->w->desc.split == HEDDLE_SPLIT_CUT ? hd_front_cut(d->w, d->w->n_grains - d->base, &d->cuts)
                                                : make_split(d);
}

/* Nothing more is to begin. */
static int is_over(const drive *d) { return d->split ? hd_split_is_over(d->split) : d->n_cut == d->cuts.n; }

/* The next stride for a site, or 0. */
static int take(drive *d, uint32_t site, hd_slice *out)
{
    const hd_cut *c = (const hd_cut *)d->cuts.at + d->n_cut;
    if (d->split)
        return !d->w->sites[site].n_flying &&
               hd_split_take(d->split, site, heddle_host_clock_ns(), out) == HD_TAKE_SLICE;
    if (d->n_cut == d->cuts.n || c->site != site)
        return 0;
    *out = (hd_slice){c->begin, c->end, 0, 0};
    d->n_cut++;
    return 1;
}

/* ---- a unit is lost ------------------------------------------------------------------------------------------------------ */

/* Sweeps cannot be done again over cells at home that they have changed: cores do so at once, others when their results leave. */
static int has_changed_home(const heddle_wavefront *w, const hd_stride *s)
{
    return hd_front_sweeps(w) && s->state >= (w->sites[s->site].is_host ? HD_STRIDE_RUNS : HD_STRIDE_LEAVES);
}

static void stop(drive *d, uint64_t i, uint64_t end)
{
    heddle_wavefront *w = d->w;
    for (; i < end; i++) {
        hd_stride *s = hd_stride_at(w, i);
        hd_site *site = &w->sites[s->site];
        d->is_spoilt |= has_changed_home(w, s);
        if (s->state == HD_STRIDE_ENDED) {
            site->n_strides--;
            site->n_rows -= s->end - s->begin;
        }
        hd_stride_stop(w, i);
    }
}

/* The first stride above i that has not ended, and of which the unit is lost; i: there is none. */
static uint64_t first_lost(const drive *d, uint64_t i)
{
    for (uint64_t k = d->first; k < i; k++)
        if (hd_stride_at(d->w, k)->state != HD_STRIDE_ENDED && d->w->sites[hd_stride_at(d->w, k)->site].is_lost)
            return k;
    return i;
}

/* Strides from i on are stopped. A unit that does not answer then is lost, too, and so on: returns the first stride that is stopped. */
static uint64_t stop_from(drive *d, uint64_t i)
{
    uint64_t end = d->w->n_begun;
    while (i < end) {
        stop(d, i, end);
        end = i;
        i = first_lost(d, i);
    }
    return i;
}

/* Units of strides from i on are lost, and what they have not brought home. */
static heddle_status give_again(drive *d, uint64_t i)
{
    heddle_wavefront *w = d->w;
    w->n_again += (d->until < w->n_begun ? d->until : w->n_begun) - i;
    d->until = i;
    d->fail = HEDDLE_OK; /* it is found again, or one before it */
    if (d->is_spoilt)
        return hd_say(NULL, HEDDLE_EDEVICE,
                      "wavefront %s: %s was lost when cells of rows from %llu on had been swept over, and nobody can "
                      "do that again",
                      w->table->bodies[w->desc.body].name, w->sites[hd_stride_at(w, i)->site].name,
                      (unsigned long long)hd_stride_at(w, i)->begin);
    return HEDDLE_OK;
}

/* The unit of stride i is lost. */
static heddle_status lose(drive *d, uint64_t i)
{
    hd_site_lose(&d->w->sites[hd_stride_at(d->w, i)->site]);
    return give_again(d, stop_from(d, first_lost(d, i)));
}

/* A cell of stride i has failed. One above it may fail, too, and is the first then. */
static heddle_status fail(drive *d, uint64_t i)
{
    uint64_t first;
    d->fail = HEDDLE_EBODY;
    d->error = *hd_thread_error();
    first = stop_from(d, i);
    if (first < i)
        return give_again(d, first);
    d->until = i;
    return HEDDLE_OK;
}

/* ---- strides begin ----------------------------------------------------------------------------------------------------- */

static void drop_from(heddle_wavefront *w, uint64_t i)
{
    while (w->strides.n > i)
        hd_stride_free(w, hd_stride_at(w, --w->strides.n));
}

/* Not kept when that fails: the next run would take it for made. */
static heddle_status make(heddle_wavefront *w, uint64_t i)
{
    const heddle_status s = hd_stride_make(w, i);
    const hd_error e = *hd_thread_error();
    if (s != HEDDLE_OK) {
        drop_from(w, i);
        *hd_thread_error() = e;
    }
    return s;
}

static int is_same(const heddle_wavefront *w, const hd_stride *s, const hd_stride *want)
{
    return s->site == want->site && s->lane == want->lane && s->begin == want->begin && s->end == want->end &&
           !hd_stride_is_stale(w, s);
}

/* The next stride from the top: that of the last run, if it is the same. */
static heddle_status prepare(drive *d, uint32_t site, const hd_slice *slice)
{
    heddle_wavefront *w = d->w;
    hd_site *of = &w->sites[site];
    const uint64_t i = w->n_begun;
    const hd_stride want = {.site = site,
                            .lane = of->n_prepared++ % of->n_lanes,
                            .begin = row_of(w, d->base + slice->begin),
                            .end = row_of(w, d->base + slice->end)};
    hd_stride *s = hd_stride_at(w, i);
    if (i == w->strides.n || !is_same(w, s, &want)) {
        drop_from(w, i);
        if (hd_list_room(&w->strides, 1, sizeof *s))
            return hd_say(NULL, HEDDLE_ENOMEM, "heddle_wavefront_run: out of memory");
        s = hd_stride_at(w, w->strides.n++);
        *s = want;
        HD_TRY(make(w, i));
    }
    s->slice = *slice;
    s->state = HD_STRIDE_IDLE;
    w->n_begun++;
    return HEDDLE_OK;
}

/* Strides for all units that can have more. All are made before one of them begins: so memory that lacks is known before. */
static heddle_status begin_more(drive *d, int *moved)
{
    heddle_wavefront *w = d->w;
    uint64_t i = w->n_begun, n;
    hd_slice slice;
    do {
        n = w->n_begun;
        for (uint32_t k = 0; k < w->n_sites; k++)
            if (hd_site_is_in(&w->sites[w->order[k]]) && take(d, w->order[k], &slice))
                HD_TRY(prepare(d, w->order[k], &slice));
    } while (!d->split && n < w->n_begun);
    *moved |= i < w->n_begun;
    for (; i < w->n_begun; i++)
        hd_stride_begin(w, hd_stride_at(w, i));
    return HEDDLE_OK;
}

/* ---- strides end ------------------------------------------------------------------------------------------------------- */

static void count_end(drive *d, hd_stride *s)
{
    hd_site *site = &d->w->sites[s->site];
    s->ended_ns = site->last_ns = heddle_host_clock_ns();
    hd_site_idle(site, s->ended_ns);
    site->n_strides++;
    site->n_rows += s->end - s->begin;
    if (d->split)
        (void)hd_split_ended(d->split, s->site, &s->slice, s->began_ns, s->ended_ns);
}

/* Stride i waits for nobody. */
static heddle_status check_limit(const drive *d, uint64_t i)
{
    const heddle_wavefront *w = d->w;
    const hd_stride *s = hd_stride_at(w, i);
    const uint64_t since = i && s[-1].ended_ns > s->began_ns ? s[-1].ended_ns : s->began_ns;
    if (!w->desc.time_limit_ms || heddle_host_clock_ns() - since < w->desc.time_limit_ms * 1000000ull)
        return HEDDLE_OK;
    return hd_say(NULL, HEDDLE_EDEVICE, "%s had a stride for longer than the time limit of %u ms",
                  w->sites[s->site].name, w->desc.time_limit_ms);
}

/* Moves strides on. *n_flying: those that have not ended. */
static heddle_status look_at_all(drive *d, uint64_t *n_flying, int *moved)
{
    heddle_wavefront *w = d->w;
    *n_flying = 0;
    for (uint64_t i = d->first; i < w->n_begun && i < d->until; i++) {
        hd_stride *s = hd_stride_at(w, i);
        heddle_status status = HEDDLE_OK;
        if (s->state == HD_STRIDE_ENDED)
            continue;
        status = hd_stride_look(w, i, moved);
        if (status == HEDDLE_OK && s->state != HD_STRIDE_ENDED && !(*n_flying)++)
            status = check_limit(d, i);
        if (status != HEDDLE_OK)
            HD_TRY(status == HEDDLE_EBODY ? fail(d, i) : status == HEDDLE_EDEVICE ? lose(d, i) : status);
        if (s->state == HD_STRIDE_ENDED)
            count_end(d, s);
    }
    return HEDDLE_OK;
}

/* ---- a run ------------------------------------------------------------------------------------------------------------- */

static heddle_status check_canceled(const heddle_wavefront *w)
{
    if (!__atomic_load_n(&w->is_canceled, __ATOMIC_ACQUIRE))
        return HEDDLE_OK;
    return hd_say(NULL, HEDDLE_ECANCELED, "wavefront %s was cancelled", w->table->bodies[w->desc.body].name);
}

static void rest(uint32_t n)
{
    const struct timespec nap = {0, NAP_NS};
    if (n < SPINS)
        HD_PAUSE(n);
    else
        (void)nanosleep(&nap, NULL);
}

/* Until all is done, or a unit was lost or a cell failed and strides above have ended. */
static heddle_status go_on(drive *d)
{
    uint64_t n_flying = 1;
    uint32_t n_idle = 0;
    while (n_flying || (d->until == UINT64_MAX && !is_over(d))) {
        int moved = 0;
        HD_TRY(check_canceled(d->w));
        if (d->until == UINT64_MAX)
            HD_TRY(begin_more(d, &moved));
        HD_TRY(look_at_all(d, &n_flying, &moved));
        n_idle = moved ? 0 : n_idle + 1u;
        if (!moved)
            rest(n_idle);
    }
    if (d->fail != HEDDLE_OK)
        *hd_thread_error() = d->error;
    return d->fail;
}

static heddle_status drive_from(drive *d)
{
    heddle_wavefront *w = d->w;
    heddle_status s;
    d->first = w->n_begun;
    d->until = UINT64_MAX;
    HD_TRY(divide(d));
    s = is_over(d) ? hd_say(NULL, HEDDLE_EDEVICE, "wavefront %s: no unit is left; rows from %llu on are not done",
                            w->table->bodies[w->desc.body].name, (unsigned long long)row_of(w, d->base))
                   : go_on(d);
    if (s != HEDDLE_OK) {
        const hd_error e = *hd_thread_error();
        stop(d, 0, w->n_begun);
        *hd_thread_error() = e;
    }
    d->base = d->until == UINT64_MAX ? w->n_grains : d->base + hd_stride_at(w, d->until)->slice.begin;
    w->n_begun = d->until == UINT64_MAX ? w->n_begun : d->until;
    hd_split_delete(d->split);
    d->split = NULL;
    return s;
}

static void merge_found(heddle_wavefront *w)
{
    if (!w->desc.found)
        return;
    memset(w->desc.found, 0, w->info->found_bytes);
    for (uint64_t i = 0; i < w->n_begun; i++)
        w->info->merge(w->desc.found, hd_stride_at(w, i)->found);
}

heddle_status hd_front_drive(heddle_wavefront *w)
{
    drive d = {.w = w};
    heddle_status s = HEDDLE_OK;
    w->n_begun = w->n_again = 0;
    hd_front_order(w);
    while (s == HEDDLE_OK && d.base < w->n_grains)
        s = drive_from(&d);
    hd_list_clear(&d.cuts);
    HD_TRY(s);
    w->time_ns = heddle_host_clock_ns() - w->start_ns;
    merge_found(w);
    if (!w->n_again)
        learn(w);
    return HEDDLE_OK;
}
