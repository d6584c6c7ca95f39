/* SPDX-License-Identifier: MIT */
/* turns.c - see turns.h. All units that are not lost, and do not rest, are asked into a loop; accelerators' managers first, since cores go
 * on by themselves meanwhile. The last one to leave when all is done ends it: a thread that wakes late, and finds nothing to do, holds up
 * nobody. A loop that is too short for waking threads is run by the thread that starts it, if there is no present run; nobody is asked in. */
#include "engine/loop/turns.h"

#include "engine/loop/fleet.h"

#include <errno.h>
#include <time.h>

/* ---- the list ---------------------------------------------------------------------------------------------------------- */

static int is_asked(hd_turn_asked *a) { return (int)__atomic_load_n(&a->is_in, __ATOMIC_RELAXED); }
static void ask(hd_turn_asked *a) { __atomic_store_n(&a->is_in, 1, __ATOMIC_RELAXED); }
static void forget(hd_turn_asked *a)
{
    a->naps = 0;
    __atomic_store_n(&a->is_in, 0, __ATOMIC_RELAXED);
}

/* Units that are cores, or are not. 0: there are none. */
static int ask_some(heddle_fleet *f, int are_cores, int with_resting)
{
    const hd_fleet_turn *t = f->now;
    uint64_t i;
    int any = 0;
    for (i = 0; i < f->units.n; i++) {
        hd_fleet_unit *u = hd_unit_at(f, i);
        if (u->is_core != are_cores || hd_unit_health(u) == HD_UNIT_LOST ||
            (!with_resting && t->kind->rests && t->kind->rests(t->self, u->index)))
            continue;
        ask(&u->asked);
        any = 1;
    }
    return any;
}

static int ask_units(heddle_fleet *f, int with_resting)
{
    const int any = ask_some(f, 0, with_resting);
    return ask_some(f, 1, with_resting) || any;
}

/* Asks in the threads that are to run it. The caller holds the mutex, and calls wake() without it. 0: nobody can. */
static int ask_in(heddle_fleet *f, const hd_fleet_turn *t)
{
    if (t->is_callers)
        return 1;
    if (!t->kind->drive)
        return ask_units(f, 0);
    ask(&f->driver_asked);
    return 1;
}

static void wake_asked(hd_turn_asked *a)
{
    if (is_asked(a))
        (void)pthread_cond_signal(&a->changed);
}

/* Threads that were asked in. To wake one takes microseconds, in which those that are awake must not wait for the mutex. */
static void wake(heddle_fleet *f)
{
    int are_cores;
    uint64_t i;
    wake_asked(&f->driver_asked);
    for (are_cores = 0; are_cores < 2; are_cores++)
        for (i = 0; i < f->units.n; i++)
            if (hd_unit_at(f, i)->is_core == are_cores)
                wake_asked(&hd_unit_at(f, i)->asked);
}

void hd_turns_ask_more(heddle_fleet *f)
{
    (void)pthread_mutex_lock(&f->mutex);
    if (!f->now->is_callers)
        (void)ask_units(f, 1);
    (void)pthread_mutex_unlock(&f->mutex);
    wake(f);
}

void hd_turns_close(heddle_fleet *f)
{
    uint64_t i;
    f->is_closing = 1;
    (void)pthread_cond_signal(&f->driver_asked.changed);
    for (i = 0; i < f->units.n; i++)
        (void)pthread_cond_signal(&hd_unit_at(f, i)->asked.changed);
}

/* The caller holds the mutex. Makes the first one of the list the present one. 0: nobody can run it. */
static int begin(heddle_fleet *f, hd_fleet_turn *t)
{
    t->n_inside = 0;
    t->kind->begin(t->self);
    return ask_in(f, t);
}

static void ask_nobody(heddle_fleet *f)
{
    uint64_t i;
    forget(&f->driver_asked);
    for (i = 0; i < f->units.n; i++)
        forget(&hd_unit_at(f, i)->asked);
}

/* Ends the present run, and those behind it that nobody can run. The caller holds the mutex, which is free while results are put together:
 * nobody else touches the loop or wavefront then. */
static void end(heddle_fleet *f)
{
    hd_fleet_turn *t;
    do {
        t = f->now;
        ask_nobody(f);
        (void)pthread_mutex_unlock(&f->mutex);
        t->kind->end(t->self);
        (void)pthread_mutex_lock(&f->mutex);
        f->now = t->next;
        t->state = HD_TURN_ENDED;
        (void)pthread_cond_broadcast(&f->ended);
    } while (f->now && !begin(f, f->now));
}

void hd_turns_add(hd_fleet_turn *t, int is_callers)
{
    heddle_fleet *f = t->fleet;
    (void)pthread_mutex_lock(&f->mutex);
    t->next = NULL;
    t->is_callers = is_callers;
    t->state = HD_TURN_STARTED;
    if (f->now) {
        f->last->next = t;
        f->last = t;
    } else {
        f->now = f->last = t;
        if (!begin(f, t))
            end(f);
    }
    (void)pthread_mutex_unlock(&f->mutex);
    wake(f);
}

/* So long from now, for waits with a limit. */
static struct timespec until_ns(uint64_t ns)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(ns / 1000000000u);
    t.tv_nsec += (long)(ns % 1000000000u);
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

/* ---- threads come and go ------------------------------------------------------------------------------------------------ */

int hd_turns_enter_alone(hd_fleet_turn *t)
{
    heddle_fleet *f = t->fleet;
    int is_free;
    (void)pthread_mutex_lock(&f->mutex);
    is_free = !f->now;
    if (is_free) {
        f->now = f->last = t;
        t->next = NULL;
        t->is_callers = 1;
        t->state = HD_TURN_STARTED;
        (void)begin(f, t);
        t->n_inside = 1;
    }
    (void)pthread_mutex_unlock(&f->mutex);
    return is_free;
}

void hd_turns_enter_own(hd_fleet_turn *t)
{
    (void)pthread_mutex_lock(&t->fleet->mutex);
    while (t->fleet->now != t)
        (void)pthread_cond_wait(&t->fleet->ended, &t->fleet->mutex);
    t->n_inside++;
    (void)pthread_mutex_unlock(&t->fleet->mutex);
}

/* The caller holds the mutex. */
static void sleep_until_asked(heddle_fleet *f, hd_turn_asked *a)
{
    struct timespec until;
    if (!a->naps) {
        (void)pthread_cond_wait(&a->changed, &f->mutex);
        return;
    }
    until = until_ns(HD_NAP_NS);
    if (pthread_cond_timedwait(&a->changed, &f->mutex, &until) == ETIMEDOUT && a->naps)
        ask(a);
}

hd_fleet_turn *hd_turns_enter(heddle_fleet *f, hd_turn_asked *asked)
{
    hd_fleet_turn *t = NULL;
    (void)pthread_mutex_lock(&f->mutex);
    while (!is_asked(asked) && !f->is_closing)
        sleep_until_asked(f, asked);
    if (is_asked(asked)) {
        t = f->now;
        forget(asked);
        t->n_inside++;
    }
    (void)pthread_mutex_unlock(&f->mutex);
    return t;
}

void hd_turns_leave(heddle_fleet *f, hd_turn_asked *naps)
{
    int is_last;
    (void)pthread_mutex_lock(&f->mutex);
    is_last = !--f->now->n_inside && f->now->kind->is_over(f->now->self);
    if (is_last)
        end(f);
    else if (naps)
        naps->naps = 1;
    (void)pthread_mutex_unlock(&f->mutex);
    if (is_last)
        wake(f);
}

void hd_turns_drive(hd_fleet_turn *t)
{
    t->status = t->kind->drive(t->self);
    if (t->status != HEDDLE_OK)
        t->error = *hd_thread_error();
    hd_turns_leave(t->fleet, NULL);
}

/* ---- what callers ask ------------------------------------------------------------------------------------------------------ */

heddle_status hd_fleet_check_process(const heddle_fleet *f, const char *call)
{
    if (!hd_fleet_is_forked(f))
        return HEDDLE_OK;
    return hd_say(NULL, HEDDLE_EDEVICE, "%s: the fleet belongs to the process that forked this one", call);
}

heddle_status hd_turns_check_start(const hd_fleet_turn *t, const char *call, const heddle_table *table,
                                   const void *params, size_t params_bytes)
{
    if (params_bytes != table->params_bytes || (params_bytes && !params))
        return hd_say(NULL, HEDDLE_EINVAL, "%s: params of %zu bytes%s; table %s takes %u", call, params_bytes,
                      params ? "" : ", NULL", table->name, table->params_bytes);
    HD_TRY(hd_fleet_check_process(t->fleet, call));
    if (hd_turns_state(t) != HD_TURN_IDLE)
        return hd_say(NULL, HEDDLE_EBUSY, "%s: the last run has not been waited for", call);
    return HEDDLE_OK;
}

hd_turn_state hd_turns_state(const hd_fleet_turn *t)
{
    hd_turn_state state;
    (void)pthread_mutex_lock(&t->fleet->mutex);
    state = t->state;
    (void)pthread_mutex_unlock(&t->fleet->mutex);
    return state;
}

struct timespec hd_turns_until(uint32_t timeout_ms) { return until_ns(timeout_ms * UINT64_C(1000000)); }

/* The caller holds the mutex. 0: it has not ended. */
static int wait_for_end(hd_fleet_turn *t, uint32_t timeout_ms)
{
    const struct timespec limit = hd_turns_until(timeout_ms);
    heddle_fleet *f = t->fleet;
    int r = 0;
    while (t->state == HD_TURN_STARTED && r != ETIMEDOUT)
        r = timeout_ms == HEDDLE_FOREVER ? pthread_cond_wait(&f->ended, &f->mutex)
                                         : pthread_cond_timedwait(&f->ended, &f->mutex, &limit);
    return t->state != HD_TURN_STARTED;
}

heddle_status hd_turns_wait(hd_fleet_turn *t, const char *call, uint32_t timeout_ms)
{
    heddle_status s = HEDDLE_EBUSY;
    HD_TRY(hd_fleet_check_process(t->fleet, call));
    (void)pthread_mutex_lock(&t->fleet->mutex);
    if (wait_for_end(t, timeout_ms)) {
        t->state = HD_TURN_IDLE;
        s = t->status;
        if (s != HEDDLE_OK)
            (void)hd_say(NULL, s, "%s", t->error.text);
    }
    (void)pthread_mutex_unlock(&t->fleet->mutex);
    return s;
}
