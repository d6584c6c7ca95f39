/* SPDX-License-Identifier: MIT */
/* turns.c - the loops of a fleet run one after another, in the order of their starts: all units that are not lost enter the present one,
 * and the last to leave ends it. */
#include "engine/loop/fleet.h"

/* The caller holds the mutex. Makes the first loop of the list the present one. 0: nobody can run it. */
static int begin(heddle_fleet *f, heddle_loop *l)
{
    uint64_t i;
    l->number = ++f->n_begun;
    l->n_inside = 0;
    l->start_ns = heddle_host_clock_ns();
    for (i = 0; i < f->units.n; i++) {
        l->runs[i].is_inside = !hd_unit_is_lost(hd_unit_at(f, i));
        l->n_inside += l->runs[i].is_inside;
    }
    (void)pthread_cond_broadcast(&f->wanted);
    return l->n_inside != 0;
}

/* Ends the present loop, and those behind it that nobody can run. The caller holds the mutex, which is free while results are put together:
 * nobody else touches the loop then. */
static void end(heddle_fleet *f)
{
    heddle_loop *l;
    do {
        l = f->now;
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

heddle_loop *hd_turns_enter(heddle_fleet *f, hd_fleet_unit *u)
{
    heddle_loop *l;
    (void)pthread_mutex_lock(&f->mutex);
    while (!(f->now && f->now->runs[u->index].is_inside) && !f->is_closing)
        (void)pthread_cond_wait(&f->wanted, &f->mutex);
    l = f->now && f->now->runs[u->index].is_inside ? f->now : NULL;
    (void)pthread_mutex_unlock(&f->mutex);
    return l;
}

void hd_turns_leave(heddle_fleet *f, hd_fleet_unit *u)
{
    (void)pthread_mutex_lock(&f->mutex);
    f->now->runs[u->index].is_inside = 0;
    if (!--f->now->n_inside)
        end(f);
    (void)pthread_mutex_unlock(&f->mutex);
}
