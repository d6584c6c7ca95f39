/* SPDX-License-Identifier: MIT */
/* choice.c - chooses the form of the next run.
 *
 * A schedule named in the config is used; static leaves the plan's style open, unless the graph has a plan. A choice is first
 * looked up in the tuning file. Otherwise the candidates run in turn (tries.h), each on the user's own runs; nothing runs a
 * second time just to be measured. The quickest stays and is written into the tuning file; the others are freed. A candidate
 * that this graph or device cannot have is skipped, unless it is the only one. A form with a captured run stays, because the
 * capture may be replayed at any time. */
#include "backend/arena.h"
#include "backend/schedule.h"
#include "backend/cuda/cuda.h"
#include "backend/cuda/loaded.h"
#include "backend/tuning.h"
#include "backend/tries.h"

#include <stdio.h>
#include <string.h>

typedef struct candidate {
    heddle_schedule schedule;
    hd_plan_style style;
    uint32_t one; /* one worker per SM, not as many as fit */
} candidate;

/* In order of trial. */
static const candidate candidates[] = {
    {HEDDLE_SCHEDULE_STATIC, HD_PLAN_PATH, 0},    {HEDDLE_SCHEDULE_STATIC, HD_PLAN_DEPTH, 0},
    {HEDDLE_SCHEDULE_STATIC, HD_PLAN_PATH, 1},    {HEDDLE_SCHEDULE_DYNAMIC, HD_PLAN_PATH, 0},
    {HEDDLE_SCHEDULE_DYNAMIC, HD_PLAN_PATH, 1},   {HEDDLE_SCHEDULE_RINGS, HD_PLAN_PATH, 0},
    {HEDDLE_SCHEDULE_GRAPH_PDL, HD_PLAN_PATH, 0}, {HEDDLE_SCHEDULE_GRAPH, HD_PLAN_PATH, 0}};
#define N_CANDIDATES (sizeof candidates / sizeof candidates[0])

static int is_form(const hd_form *f, const candidate *c)
{
    return f->schedule == c->schedule && f->style == c->style && f->one == c->one;
}

/* "static depth one an SM", "graph". */
static void name_of(const candidate *c, char out[HD_TUNING_WORD])
{
    const int is_static = c->schedule == HEDDLE_SCHEDULE_STATIC;
    snprintf(out, HD_TUNING_WORD, "%s%s%s%s", heddle_schedule_name(c->schedule), is_static ? " " : "",
             is_static ? hd_plan_style_name(c->style) : "", c->one ? " one an SM" : "");
}

static heddle_status make(hd_form **out, hd_loaded *l, const candidate *c, hd_error *e)
{
    hd_form *f = NULL;
    heddle_status s;
    uint64_t begin = heddle_host_clock_ns();
    *out = NULL;
    for (f = l->forms; f && !is_form(f, c); f = f->next)
        continue;
    if (!f) {
        s = hd_way_of(c->schedule, HEDDLE_CUDA)->kind == HD_WAY_WORKERS
                ? hd_form_workers(&f, l, c->schedule, c->style, c->one, e)
                : hd_form_launches(&f, l, c->schedule, e);
        if (s != HEDDLE_OK)
            return s;
        f->next = l->forms;
        l->forms = f;
        l->cost.load_ns += heddle_host_clock_ns() - begin;
    }
    *out = f;
    return HEDDLE_OK;
}

/* Spawned tasks need a dynamic dispatch. Only rings and plans keep tasks on the workers that they are bound to. */
static int suits(const hd_loaded *l, const candidate *c)
{
    const int binds = hd_graph_blob(l->graph)->n_placed != 0;
    if (hd_arena_is_needed(l->graph))
        return c->schedule == (binds ? HEDDLE_SCHEDULE_RINGS : HEDDLE_SCHEDULE_DYNAMIC);
    return c->schedule != HEDDLE_SCHEDULE_RINGS && !(binds && c->schedule == HEDDLE_SCHEDULE_DYNAMIC);
}

/* Do the config and the graph allow candidate c? */
static int allowed(const hd_loaded *l, const candidate *c)
{
    const heddle_config *cfg = &l->device->config;
    if (cfg->schedule == HEDDLE_SCHEDULE_AUTO ? !suits(l, c) : cfg->schedule != c->schedule)
        return 0; /* a named but unsuitable schedule is refused when its form is made */
    if (c->style != HD_PLAN_PATH && l->graph->plan)
        return 0;
    if (c->one && (cfg->n_workers || l->graph->plan))
        return 0;
    return !(c->one && c->schedule == HEDDLE_SCHEDULE_STATIC && l->graph->n_tasks <= (uint64_t)l->device->n_sms);
}

/* 1: the config names *out without a choice, or the graph does (a wave runs in order or not at all). */
static int named(const hd_loaded *l, candidate *out)
{
    const heddle_config *cfg = &l->device->config;
    if (cfg->schedule == HEDDLE_SCHEDULE_AUTO && l->graph->in_order) {
        *out = (candidate){HEDDLE_SCHEDULE_WAVE, HD_PLAN_PATH, 0};
        return 1;
    }
    *out = (candidate){cfg->schedule, HD_PLAN_PATH, 0};
    return cfg->schedule != HEDDLE_SCHEDULE_AUTO && (cfg->schedule != HEDDLE_SCHEDULE_STATIC || l->graph->plan);
}

/* ---- the tuning file -------------------------------------------------------------------------------------------------- */

/* The key: everything that the choice may depend on. */
static heddle_status key_of(const hd_loaded *l, hd_tuning_key *out, hd_error *e)
{
    const heddle_config *c = &l->device->config;
    heddle_device d = HEDDLE_DEVICE_INIT;
    char settings[HD_TUNING_WORD];
    HD_TRY(hd_cuda_describe((uint32_t)l->device->index, &d, e));
    snprintf(settings, sizeof settings, "%u.%u.%u %s %u workers %u threads by_body %u trace %u plan %u",
             HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH, heddle_schedule_name(c->schedule),
             c->n_workers, l->team_size, c->expert.by_body, c->n_trace != 0, l->graph->plan != NULL);
    hd_tuning_key_of(out, l->graph, d.name, settings);
    return HEDDLE_OK;
}

/* The form that the tuning file names, or NULL: no entry, or not possible here. */
static hd_form *remembered(hd_loaded *l)
{
    const char *path = l->device->config.tuning_file;
    char choice[HD_TUNING_WORD], name[HD_TUNING_WORD];
    hd_tuning_key key;
    hd_form *f = NULL;
    size_t i;
    if (!path || key_of(l, &key, &l->note) != HEDDLE_OK || !hd_tuning_find(path, &key, choice, &l->note))
        return NULL;
    for (i = 0; i < N_CANDIDATES && !f; i++) {
        name_of(&candidates[i], name);
        if (allowed(l, &candidates[i]) && !strcmp(name, choice))
            (void)make(&f, l, &candidates[i], &l->note);
    }
    return f;
}

static void remember(hd_loaded *l, const hd_form *best)
{
    candidate c = {best->schedule, best->style, best->one};
    const char *path = l->device->config.tuning_file;
    char name[HD_TUNING_WORD];
    hd_tuning_key key;
    name_of(&c, name);
    if (path && key_of(l, &key, &l->note) == HEDDLE_OK)
        (void)hd_tuning_keep(path, &key, name, best->best_ns, &l->note);
}

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

/* Composes l->how: the form, the reason, and any complaint about the tuning file. */
static void say_how(hd_loaded *l, const char *how, const char *why)
{
    snprintf(l->how, sizeof l->how, "%.160s%s%s%s%.250s", how, *why ? "; " : "", why, l->note.text[0] ? "; " : "",
             l->note.text);
}

static void settle(hd_loaded *l, hd_form *f, const char *why)
{
    l->form = f;
    l->settled = 1;
    say_how(l, f->how, why);
}

static void free_others(hd_loaded *l, const hd_form *kept)
{
    hd_form *f, **at;
    for (at = &l->forms; *at;) {
        f = *at;
        if (f == kept) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        f->free(f);
    }
}

/* Keeps the quickest form that has run and frees the others. */
static void keep_best(hd_loaded *l)
{
    hd_form *f, *best = NULL;
    char why[256] = "the best of";
    size_t used = strlen(why);
    for (f = l->forms; f; f = f->next)
        if (f->best_ns && (!best || f->best_ns < best->best_ns))
            best = f;
    if (!best)
        return;
    for (f = l->forms; f && used < sizeof why; f = f->next)
        used += (size_t)snprintf(why + used, sizeof why - used, "%s %.*s %.1f us", f == l->forms ? "" : ",",
                                 (int)strcspn(f->how, ","), f->how, (double)f->best_ns / 1e3);
    remember(l, best);
    settle(l, best, why);
    free_others(l, best);
}

/* The next candidate to try. NULL: enough trials. */
static heddle_status next_candidate(hd_loaded *l, hd_form **out, hd_error *e)
{
    hd_form *forms[N_CANDIDATES];
    hd_tried tried[N_CANDIDATES];
    heddle_status s, last = HEDDLE_OK;
    size_t i, n = 0;
    *out = NULL;
    for (i = 0; i < N_CANDIDATES; i++) {
        if (!allowed(l, &candidates[i]))
            continue;
        s = make(&forms[n], l, &candidates[i], e);
        if (s == HEDDLE_EDEVICE)
            return s;
        if (s != HEDDLE_OK) {
            last = s;
            continue;
        }
        tried[n] = (hd_tried){forms[n]->n_runs, forms[n]->best_ns};
        if (forms[n++]->n_runs < HD_TRIES) /* later candidates need not be made yet */
            break;
    }
    i = hd_next_try(tried, n);
    *out = i < n ? forms[i] : NULL;
    return l->forms ? HEDDLE_OK : last;
}

static heddle_status choose_freely(hd_loaded *l, hd_error *e)
{
    hd_form *f = l->forms ? NULL : remembered(l);
    if (f) {
        settle(l, f, "as the tuning_file remembers");
        return HEDDLE_OK;
    }
    HD_TRY(next_candidate(l, &f, e));
    if (!f) {
        keep_best(l);
        return HEDDLE_OK;
    }
    l->form = f;
    say_how(l, f->how, "being tried");
    return HEDDLE_OK;
}

heddle_status hd_choose(hd_loaded *l, hd_error *e)
{
    candidate c;
    hd_form *f;
    if (l->settled)
        return HEDDLE_OK;
    if (l->captured) {
        settle(l, l->form, "kept because a run of it was captured");
        return HEDDLE_OK;
    }
    if (!named(l, &c))
        return choose_freely(l, e);
    HD_TRY(make(&f, l, &c, e));
    settle(l, f, "");
    return HEDDLE_OK;
}

void hd_choice_note(hd_loaded *l, uint64_t run_ns)
{
    hd_form *f = l->form;
    f->n_runs++;
    if (!f->best_ns || run_ns < f->best_ns)
        f->best_ns = run_ns ? run_ns : 1;
}
