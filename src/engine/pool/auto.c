/* SPDX-License-Identifier: MIT */
/* auto.c - mode auto of a pool on a GPU: resident, or launches where these were quicker on the program's own tasks.
 *
 * A window is the time from the first spawn after a heddle_pool_wait_all, or after the opening, to the return of the next
 * heddle_pool_wait_all. What a mode takes for a task is the time of a pool's windows divided by their tasks. A short first window is
 * left out: it has one-time costs. The first pool of a table is resident; when it has measured enough, the next one launches, and
 * further ones are what was quicker. The context remembers that, and the tuning file. So a program that never calls
 * heddle_pool_wait_all, or opens one pool only, has it resident.
 *
 * Without a trial a table is resident if its bodies spawn, or if launches cannot have teams as wide. */
#include "engine/pool/pool.h"

#include "backend/tuning.h"

#include <stdio.h>

#define LEAST_TASKS 1024u     /* measured, for a choice */
#define LEAST_NS 1000000u     /* likewise */
#define LONG_NS 20000000u     /* a first window of that length counts */
#define LEAST_GAIN 0.95       /* launches must take no more than that part of resident's time */
#define TASKS_OF_ENTRY 1000.0 /* the tuning file has the time of so many */

enum { RESIDENT, LAUNCHES };

struct hd_pool_trial {
    hd_tuning_key key;
    double ns[2];            /* of a task; 0: not measured */
    uint32_t most_threads;   /* of a team of the resident pool */
    heddle_pool_mode choice; /* AUTO: open */
    int is_remembered;       /* by the tuning file */
    hd_error note;           /* what is wrong with that file, or "" */
};

static hd_pool_trial *trial_of(const heddle_pool *p)
{
    return p->is_tried ? (hd_pool_trial *)p->ctx->pool_trials.at + p->trial : NULL;
}

/* ---- which mode ------------------------------------------------------------------------------------------------------ */

heddle_pool_mode hd_auto_choose(const double ns[2])
{
    if (ns[RESIDENT] <= 0)
        return HEDDLE_POOL_RESIDENT;
    if (ns[LAUNCHES] <= 0)
        return HEDDLE_POOL_LAUNCHES;
    return ns[LAUNCHES] <= ns[RESIDENT] * LEAST_GAIN ? HEDDLE_POOL_LAUNCHES : HEDDLE_POOL_RESIDENT;
}

static int bodies_spawn(const heddle_table *t)
{
    uint32_t i;
    for (i = 0; i < t->n_bodies; i++)
        if (t->bodies[i].n_children)
            return 1;
    return 0;
}

static heddle_status key_of(const heddle_pool *p, hd_tuning_key *out)
{
    heddle_device d = HEDDLE_DEVICE_INIT;
    char settings[HD_TUNING_WORD];
    if (!p->backend->describe)
        return HEDDLE_ENODEV;
    HD_TRY(p->backend->describe(p->ctx->config.device, &d, hd_thread_error()));
    snprintf(settings, sizeof settings, "%u.%u.%u pool of teams of %u trace %u", HEDDLE_VERSION_MAJOR,
             HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH, p->config.team_size, p->config.n_trace != 0);
    hd_tuning_key_of(out, &p->graph->g, d.name, settings);
    return HEDDLE_OK;
}

/* What the tuning file remembers. */
static void look_up(const heddle_pool *p, hd_pool_trial *t)
{
    const char *path = p->ctx->config.tuning_file;
    char choice[HD_TUNING_WORD];
    t->note.text[0] = 0;
    if (!path || !hd_tuning_find(path, &t->key, choice, &t->note))
        return;
    t->choice =
        strcmp(choice, heddle_pool_mode_name(HEDDLE_POOL_LAUNCHES)) ? HEDDLE_POOL_RESIDENT : HEDDLE_POOL_LAUNCHES;
    t->is_remembered = 1;
}

/* Finds the table's trial, or begins one: its number is p->trial. 0: there is no memory, or no device to tell of. */
static int find_trial(heddle_pool *p)
{
    hd_list *all = &p->ctx->pool_trials;
    hd_pool_trial *t = all->at, fresh = {.choice = HEDDLE_POOL_AUTO};
    if (key_of(p, &fresh.key) != HEDDLE_OK)
        return 0;
    for (p->trial = 0; p->trial < all->n; p->trial++)
        if (!memcmp(&t[p->trial].key, &fresh.key, sizeof fresh.key))
            return 1;
    if (hd_list_room(all, 1, sizeof fresh))
        return 0;
    look_up(p, &fresh);
    ((hd_pool_trial *)all->at)[all->n++] = fresh;
    return 1;
}

heddle_pool_mode hd_auto_begin(heddle_pool *p)
{
    const hd_pool_trial *t;
    heddle_pool_mode mode;
    p->window_ns = HD_UNMEASURED;
    if (p->config.mode != HEDDLE_POOL_AUTO || !p->backend->pool_how || bodies_spawn(p->graph->g.table))
        return p->config.mode;
    p->is_tried = find_trial(p);
    t = trial_of(p);
    if (!t)
        return HEDDLE_POOL_AUTO;
    mode = t->choice ? t->choice : hd_auto_choose(t->ns);
    return mode == HEDDLE_POOL_RESIDENT ? HEDDLE_POOL_AUTO : mode; /* where it cannot be resident, it launches */
}

static void say_how(heddle_pool *p, const hd_pool_trial *t)
{
    const int n = snprintf(p->how, sizeof p->how, "%.200s; ", p->backend->pool_how(p->loaded));
    char *at = p->how + n;
    const size_t room = sizeof p->how - (size_t)n;
    if (t->is_remembered)
        snprintf(at, room, "as the tuning_file remembers");
    else if (t->ns[RESIDENT] > 0 && t->ns[LAUNCHES] > 0)
        snprintf(at, room, "the best of resident %.1f ns, launches %.1f ns a task", t->ns[RESIDENT], t->ns[LAUNCHES]);
    else if (t->choice)
        snprintf(at, room, "launches cannot have teams as wide");
    else
        snprintf(at, room, "launches %s%s%.200s", p->words->no_spawns ? "are being tried" : "were not tried so far",
                 t->note.text[0] ? "; " : "", t->note.text);
}

int hd_auto_suits(heddle_pool *p, heddle_pool_mode mode, heddle_status s)
{
    hd_pool_trial *t = trial_of(p);
    const int launches = s == HEDDLE_OK && p->words->no_spawns;
    if (!t || (mode == HEDDLE_POOL_AUTO && (s != HEDDLE_OK || launches))) {
        p->is_tried = 0;
        return 1;
    }
    if (mode == HEDDLE_POOL_AUTO)
        t->most_threads = p->words->most_threads;
    else if (s != HEDDLE_OK || p->words->most_threads < t->most_threads) {
        t->choice = HEDDLE_POOL_RESIDENT;
        return 0;
    }
    p->window_ns = t->choice ? HD_UNMEASURED : 0;
    say_how(p, t);
    return 1;
}

/* ---- windows --------------------------------------------------------------------------------------------------------- */

static uint64_t n_spawned(const heddle_pool *p)
{
    uint64_t n = 0;
    uint32_t k;
    for (k = 0; k < p->n_posts; k++)
        n += __atomic_load_n(&p->posts[k].n_spawned[0], __ATOMIC_RELAXED) +
             __atomic_load_n(&p->posts[k].n_spawned[1], __ATOMIC_RELAXED);
    return n;
}

void hd_window_begin(heddle_pool *p) { __atomic_store_n(&p->window_ns, heddle_host_clock_ns(), __ATOMIC_RELAXED); }

void hd_window_end(heddle_pool *p)
{
    const uint64_t began = __atomic_load_n(&p->window_ns, __ATOMIC_RELAXED), ns = heddle_host_clock_ns() - began;
    const uint64_t n = n_spawned(p);
    if (began <= HD_UNMEASURED)
        return;
    if (p->n_windows++ || ns > LONG_NS) {
        p->windows_ns += ns;
        p->window_tasks += n - p->before_window;
    }
    p->before_window = n;
    __atomic_store_n(&p->window_ns, 0, __ATOMIC_RELAXED);
}

/* ---- the outcome ----------------------------------------------------------------------------------------------------- */

static void remember(const heddle_pool *p, hd_pool_trial *t)
{
    const char *path = p->ctx->config.tuning_file;
    const double ns = t->ns[t->choice == HEDDLE_POOL_LAUNCHES ? LAUNCHES : RESIDENT];
    if (path)
        (void)hd_tuning_keep(path, &t->key, heddle_pool_mode_name(t->choice), (uint64_t)(ns * TASKS_OF_ENTRY),
                             &t->note);
}

void hd_auto_end(heddle_pool *p)
{
    hd_pool_trial *t = trial_of(p);
    if (!t || t->choice || p->window_tasks < LEAST_TASKS || p->windows_ns < LEAST_NS)
        return;
    t->ns[p->words->no_spawns ? LAUNCHES : RESIDENT] = (double)p->windows_ns / (double)p->window_tasks;
    if (t->ns[RESIDENT] <= 0 || t->ns[LAUNCHES] <= 0)
        return;
    t->choice = hd_auto_choose(t->ns);
    remember(p, t);
}
