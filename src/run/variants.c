/* SPDX-License-Identifier: MIT */
/* variants.c - see variants.h. */
#include "run/variants.h"

#include <stdio.h>
#include <string.h>

hd_variants *hd_variants_new(const hd_variants_kind *kind, void *self, heddle_graph *own, uint32_t n)
{
    hd_variants *v = hd_new(sizeof *v);
    if (!v)
        return NULL;
    v->kind = kind;
    v->self = self;
    v->n = n;
    v->is_noted = 1;
    v->at[0].graph = own;
    return v;
}

/* Excludes variant i from trials and drops its graph, unless it is the user's own. */
static void leave_out(hd_variants *v, uint32_t i)
{
    v->at[i].is_out = 1;
    if (i && v->at[i].graph)
        v->kind->drop(v->at[i].graph);
    if (i)
        v->at[i].graph = NULL;
}

void hd_variants_free(hd_variants *v)
{
    uint32_t i;
    if (!v)
        return;
    for (i = 1; i < v->n; i++)
        leave_out(v, i);
    v->kind->free_self(v->self);
    hd_delete(v, sizeof *v);
}

/* ---- the rule ------------------------------------------------------------------------------------------------------ */

/* The variant to try next; v->n: enough trials. */
static uint32_t pick(const hd_variants *v)
{
    hd_tried tried[HD_MOST_VARIANTS];
    uint32_t at[HD_MOST_VARIANTS], i, n = 0;
    size_t k;
    for (i = 0; i < v->n; i++)
        if (!v->at[i].is_out) {
            at[n] = i;
            tried[n++] = v->at[i].tried;
        }
    k = n ? hd_next_try(tried, n) : 0;
    return k < n ? at[k] : v->n;
}

/* The quickest variant not excluded; 0 when none has run. */
static uint32_t find_best(const hd_variants *v)
{
    uint64_t least = 0;
    uint32_t i, best = 0;
    for (i = 0; i < v->n; i++)
        if (!v->at[i].is_out && v->at[i].tried.best_ns && (!least || v->at[i].tried.best_ns < least)) {
            least = v->at[i].tried.best_ns;
            best = i;
        }
    return best;
}

/* Drops variants that were tried and are not near the best: hd_next_try would not choose them again. */
static void drop_slow(hd_variants *v)
{
    const uint64_t least = v->at[find_best(v)].tried.best_ns;
    uint32_t i;
    for (i = 0; i < v->n; i++)
        if (!v->at[i].is_out && v->at[i].tried.n_runs >= HD_TRIES && v->at[i].tried.best_ns - least > least / 10)
            leave_out(v, i);
    if (!v->at[v->now].graph)
        v->now = 0;
}

void hd_variants_hold(hd_variants *v, const char *why)
{
    if (!v->is_settled) {
        v->best = find_best(v);
        v->is_settled = 1;
        v->why = why;
    }
    v->now = v->best;
}

/* After the choice: drops all but the best, once. */
static void drop_others(hd_variants *v)
{
    uint32_t i;
    for (i = 0; i < v->n && !v->is_alone; i++)
        if (i != v->best)
            leave_out(v, i);
    v->is_alone = 1;
}

static heddle_status have(hd_variants *v, uint32_t i)
{
    return v->at[i].graph ? HEDDLE_OK : v->kind->make(v->self, i, &v->at[i].graph);
}

heddle_status hd_variants_next(hd_variants *v)
{
    heddle_status s;
    uint32_t i;
    if (!v->is_settled)
        drop_slow(v);
    while (!v->is_settled && (i = pick(v)) < v->n) {
        s = have(v, i);
        if (s == HEDDLE_EDEVICE)
            return s;
        if (s == HEDDLE_OK) {
            v->now = i;
            return HEDDLE_OK;
        }
        leave_out(v, i);
    }
    hd_variants_hold(v, NULL);
    drop_others(v);
    return HEDDLE_OK;
}

int hd_variants_refuse(hd_variants *v, heddle_status s)
{
    uint32_t i;
    if (v->is_settled || s == HEDDLE_EDEVICE || s == HEDDLE_EBUSY)
        return 0;
    leave_out(v, v->now);
    v->now = 0;
    for (i = 0; i < v->n; i++)
        if (!v->at[i].is_out)
            return 1;
    return 0;
}

void hd_variants_began(hd_variants *v) { v->is_noted = 0; }

void hd_variants_note(hd_variants *v, uint64_t ns, int is_trying)
{
    hd_tried *t = &v->at[v->now].tried;
    if (v->is_noted)
        return;
    v->is_noted = 1;
    t->n_runs += !is_trying;
    if (!t->best_ns || ns < t->best_ns)
        t->best_ns = ns ? ns : 1;
}

void hd_variants_use_own(hd_variants *v) { v->now = 0; }

/* ---- how and why --------------------------------------------------------------------------------------------------- */

/* Appends "; the best of wave R4 C2, 2 warps 480.1 us, ...", as far as it fits. */
static void say_times(hd_variants *v, size_t at)
{
    char name[HD_VARIANT_NAME];
    uint32_t i, n = 0;
    for (i = 0; i < v->n && at < sizeof v->how; i++)
        if (v->at[i].tried.best_ns) {
            v->kind->name(v->self, i, name);
            at += (size_t)snprintf(v->how + at, sizeof v->how - at, "%s %s %.1f us", n++ ? "," : "; the best of", name,
                                   (double)v->at[i].tried.best_ns / 1e3);
        }
}

const char *hd_variants_say(hd_variants *v, const char *how)
{
    char name[HD_VARIANT_NAME];
    size_t at;
    v->kind->name(v->self, v->now, name);
    at = (size_t)snprintf(v->how, sizeof v->how, "%s: %.280s", name, how ? how : "");
    if (!v->is_settled || v->why)
        snprintf(v->how + at, sizeof v->how - at, "; %s", v->is_settled ? v->why : "being tried");
    else
        say_times(v, at);
    return v->how;
}
