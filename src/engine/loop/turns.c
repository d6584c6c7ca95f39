/* SPDX-License-Identifier: MIT */
/* turns.c - the loops of a fleet run one after another, in the order of their starts. All units that are not lost are asked into the present
 * one. The last one to leave when all is done ends it: a thread that wakes late, and finds nothing to do, holds up nobody. A loop that is
 * too short for waking threads is run by the thread that starts it, if no other loop is the present one; no unit is asked in. */
#include "engine/loop/fleet.h"

/* The caller holds the mutex. Makes the first loop of the list the present one. 0: nobody can run it. */
static int begin(heddle_fleet *f, heddle_loop *l)
{
    int any = 0;
    uint64_t i;
    l->n_inside = 0;
    l->start_ns = heddle_host_clock_ns();
    for (i = 0; i < f->units.n; i++) {
        l->runs[i].is_asked_in = hd_unit_health(hd_unit_at(f, i)) != HD_UNIT_LOST;
        any |= l->runs[i].is_asked_in;
    }
    (void)pthread_cond_broadcast(&f->wanted);
    return any;
}

/* Ends the present loop, and those behind it that nobody can run. The caller holds the mutex, which is free while results are put together:
 * nobody else touches the loop then. */
static void end(heddle_fleet *f)
{
    heddle_loop *l;
    uint64_t i;
    do {
        l = f->now;
        for (i = 0; i < f->units.n; i++)
            l->runs[i].is_asked_in = 0;
        (void)pthread_mutex_unlock(&f->mutex);
        hd_loop_end(l);
        (void)pthread_mutex_lock(&f->mutex);
        f->now = l->next;
        l->state = HD_LOOP_ENDED;
        (void)pthread_cond_broadcast(&f->ended);
    } while (f->now && !begin(f, f->now));
}

void hd_turns_add(heddle_fleet *f, heddle_loop *l)
{
    (void)pthread_mutex_lock(&f->mutex);
    l->next = NULL;
    l->state = HD_LOOP_STARTED;
    if (f->now) {
        f->last->next = l;
        f->last = l;
    } else {
        f->now = f->last = l;
        if (!begin(f, l))
            end(f);
    }
    (void)pthread_mutex_unlock(&f->mutex);
}

int hd_turns_enter_alone(heddle_fleet *f, heddle_loop *l)
{
    int is_free;
    (void)pthread_mutex_lock(&f->mutex);
    is_free = !f->now;
    if (is_free) {
        f->now = f->last = l;
        l->next = NULL;
        l->state = HD_LOOP_STARTED;
        l->start_ns = heddle_host_clock_ns();
        l->n_inside = 1;
    }
    (void)pthread_mutex_unlock(&f->mutex);
    return is_free;
}

static int is_asked_in(const heddle_fleet *f, const hd_fleet_unit *u)
{
    return f->now && f->now->runs[u->index].is_asked_in;
}

heddle_loop *hd_turns_enter(heddle_fleet *f, hd_fleet_unit *u)
{
    heddle_loop *l = NULL;
    (void)pthread_mutex_lock(&f->mutex);
    while (!is_asked_in(f, u) && !f->is_closing)
        (void)pthread_cond_wait(&f->wanted, &f->mutex);
    if (is_asked_in(f, u)) {
        l = f->now;
        l->runs[u->index].is_asked_in = 0;
        l->n_inside++;
    }
    (void)pthread_mutex_unlock(&f->mutex);
    return l;
}

void hd_turns_leave(heddle_fleet *f)
{
    (void)pthread_mutex_lock(&f->mutex);
    if (!--f->now->n_inside && hd_is_over(f->now))
        end(f);
    (void)pthread_mutex_unlock(&f->mutex);
}

hd_loop_state hd_turns_state(const heddle_loop *l)
{
    hd_loop_state state;
    (void)pthread_mutex_lock(&l->fleet->mutex);
    state = l->state;
    (void)pthread_mutex_unlock(&l->fleet->mutex);
    return state;
}
