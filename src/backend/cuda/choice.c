/* SPDX-License-Identifier: MIT */
/* choice.c - which form runs next.
 *
 * What the config names is taken. Where it leaves a choice, the candidates run in turn, each TRIES times, each on the
 * user's own runs; then the quickest stays and the others are freed. Nothing is run twice for the sake of measuring. A
 * candidate that this graph or device cannot have is left out, unless it is the only one. */
#include "backend/cuda/cuda.h"

#include <stdio.h>
#include <string.h>

#define TRIES 2u

typedef struct candidate {
    heddle_executor executor;
    heddle_dispatch dispatch;
} candidate;

/* In the order of trying. */
static const candidate candidates[] = {{HEDDLE_EXECUTOR_PERSISTENT, HEDDLE_DISPATCH_PLAN},
                                       {HEDDLE_EXECUTOR_PERSISTENT, HEDDLE_DISPATCH_DISTRIBUTED},
                                       {HEDDLE_EXECUTOR_CUDAGRAPH_PDL, HEDDLE_DISPATCH_DEFAULT},
                                       {HEDDLE_EXECUTOR_CUDAGRAPH, HEDDLE_DISPATCH_DEFAULT}};
#define N_CANDIDATES (sizeof candidates / sizeof candidates[0])

static heddle_status make(hd_form **out, hd_loaded *l, candidate c, hd_error *e)
{
    const heddle_config *cfg = &l->device->config;
    hd_form *f = NULL;
    heddle_status s;
    *out = NULL;
    for (f = l->forms; f; f = f->next)
        if (f->executor == c.executor && f->dispatch == c.dispatch)
            break;
    if (!f) {
        s = c.executor == HEDDLE_EXECUTOR_PERSISTENT
                ? hd_form_persistent(&f, l, c.dispatch, cfg->policy, e)
                : hd_form_launches(&f, l, c.executor, cfg->by_body, (int)cfg->sync, e);
        if (s != HEDDLE_OK)
            return s;
        f->next = l->forms;
        l->forms = f;
    }
    *out = f;
    return HEDDLE_OK;
}

/* Does the config leave c as a candidate? */
static int allowed(const heddle_config *cfg, candidate c)
{
    if (cfg->executor != HEDDLE_EXECUTOR_AUTO && cfg->executor != c.executor)
        return 0;
    return cfg->dispatch == HEDDLE_DISPATCH_DEFAULT || cfg->dispatch == c.dispatch;
}

/* What the config names without a choice: 1 and *out. */
static int named(const heddle_config *cfg, candidate *out)
{
    out->executor = cfg->executor;
    out->dispatch = cfg->dispatch;
    if (cfg->dispatch != HEDDLE_DISPATCH_DEFAULT)
        out->executor = HEDDLE_EXECUTOR_PERSISTENT;
    else if (cfg->executor == HEDDLE_EXECUTOR_PERSISTENT && cfg->policy != HEDDLE_POLICY_DEFAULT)
        out->dispatch = HEDDLE_DISPATCH_DISTRIBUTED;
    return out->executor != HEDDLE_EXECUTOR_AUTO &&
           (out->executor != HEDDLE_EXECUTOR_PERSISTENT || out->dispatch != HEDDLE_DISPATCH_DEFAULT);
}

/* The quickest of the forms that have run; the others are freed. */
static void keep_best(hd_loaded *l)
{
    hd_form *f, *best = NULL, **at;
    size_t used;
    for (f = l->forms; f; f = f->next)
        if (f->best_ns && (!best || f->best_ns < best->best_ns))
            best = f;
    if (!best)
        return;
    used = (size_t)snprintf(l->how, sizeof l->how, "%s; the best of", best->how);
    for (f = l->forms; f && used < sizeof l->how; f = f->next)
        used += (size_t)snprintf(l->how + used, sizeof l->how - used, "%s %.24s %.1f us", f == l->forms ? "" : ",",
                                 f->how, (double)f->best_ns / 1e3);
    for (at = &l->forms; *at;) {
        f = *at;
        if (f == best) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        f->free(f);
    }
    l->form = best;
    l->settled = 1;
}

/* The next candidate that still has tries left. NULL: all have run. */
static heddle_status next_candidate(hd_loaded *l, hd_form **out, hd_error *e)
{
    heddle_status s, last = HEDDLE_OK;
    size_t i;
    *out = NULL;
    for (i = 0; i < N_CANDIDATES; i++) {
        hd_form *f;
        if (!allowed(&l->device->config, candidates[i]))
            continue;
        s = make(&f, l, candidates[i], e);
        if (s == HEDDLE_EDEVICE)
            return s;
        if (s != HEDDLE_OK) {
            last = s;
        } else if (f->n_runs < TRIES) {
            *out = f;
            return HEDDLE_OK;
        }
    }
    return l->forms ? HEDDLE_OK : last;
}

heddle_status hd_choose(hd_loaded *l, hd_error *e)
{
    candidate c;
    hd_form *f;
    if (l->settled)
        return HEDDLE_OK;
    if (named(&l->device->config, &c)) {
        HD_TRY(make(&l->form, l, c, e));
        snprintf(l->how, sizeof l->how, "%s", l->form->how);
        l->settled = 1;
        return HEDDLE_OK;
    }
    HD_TRY(next_candidate(l, &f, e));
    if (!f) {
        keep_best(l);
        return HEDDLE_OK;
    }
    l->form = f;
    snprintf(l->how, sizeof l->how, "%s; being tried", f->how);
    return HEDDLE_OK;
}

void hd_choice_note(hd_loaded *l, uint64_t run_ns)
{
    hd_form *f = l->form;
    f->n_runs++;
    if (!f->best_ns || run_ns < f->best_ns)
        f->best_ns = run_ns ? run_ns : 1;
}
