/* SPDX-License-Identifier: MIT */
/* asking.c - a loop's split, asked and told by several threads: one lock, and the clock. */
#include "engine/loop/fleet.h"

#include <stdio.h>
#include <time.h>

#define SPINS 64u

/* Once in a run. */
static void ask_more(heddle_loop *l)
{
    if (__atomic_load_n(&l->has_resting, __ATOMIC_RELAXED) && __atomic_exchange_n(&l->has_resting, 0, __ATOMIC_RELAXED))
        hd_turns_ask_more(l->fleet);
}

/* Where the first unit of a kind finds something to do, the others will. */
hd_take hd_ask(heddle_loop *l, uint32_t unit, hd_slice *out)
{
    hd_take t;
    pthread_mutex_lock(&l->asking);
    t = hd_split_take(l->split, unit, heddle_host_clock_ns(), out);
    pthread_mutex_unlock(&l->asking);
    if (t == HD_TAKE_SLICE && hd_loop_left_out(l, unit))
        ask_more(l);
    return t;
}

static void tick(heddle_loop *l)
{
    pthread_mutex_lock(&l->asking);
    hd_split_tick(l->split, heddle_host_clock_ns());
    pthread_mutex_unlock(&l->asking);
}

int hd_ask_pause(heddle_loop *l, uint32_t n)
{
    if (n < SPINS) {
        HD_PAUSE(n);
        return 0;
    }
    tick(l);
    return 1;
}

void hd_ask_rest(heddle_loop *l, uint32_t n)
{
    const struct timespec nap = {0, HD_NAP_NS};
    if (!hd_ask_pause(l, n))
        return;
    (void)nanosleep(&nap, NULL);
}

int hd_tell_ended(heddle_loop *l, uint32_t unit, const hd_slice *s, uint64_t began_ns)
{
    int counts;
    pthread_mutex_lock(&l->asking);
    counts = hd_split_ended(l->split, unit, s, began_ns, heddle_host_clock_ns());
    pthread_mutex_unlock(&l->asking);
    return counts;
}

void hd_tell_stopped(heddle_loop *l, uint32_t unit, const hd_slice *s, uint64_t at, uint64_t began_ns)
{
    pthread_mutex_lock(&l->asking);
    (void)hd_split_stopped(l->split, unit, s, at, began_ns, heddle_host_clock_ns());
    pthread_mutex_unlock(&l->asking);
}

hd_due hd_ask_due(heddle_loop *l, uint32_t unit, const hd_slice *s)
{
    hd_due due;
    pthread_mutex_lock(&l->asking);
    due = hd_split_is_due(l->split, unit, s, heddle_host_clock_ns());
    pthread_mutex_unlock(&l->asking);
    return due;
}

int hd_tell_keep(heddle_loop *l, uint32_t unit, const hd_slice *s)
{
    int keeps;
    pthread_mutex_lock(&l->asking);
    keeps = hd_split_keep(l->split, unit, s);
    pthread_mutex_unlock(&l->asking);
    return keeps;
}

/* Of the failures that are seen before all units have left, the one with the lowest index is reported. */
void hd_tell_failed(heddle_loop *l, hd_fleet_unit *u, uint32_t code, uint64_t index)
{
    pthread_mutex_lock(&l->asking);
    if (!l->fail_code || index < l->fail_index) {
        l->fail_code = code;
        l->fail_index = index;
        memcpy(l->fail_unit, u->name, sizeof l->fail_unit);
    }
    hd_split_cancel(l->split);
    pthread_mutex_unlock(&l->asking);
}

static void note_trouble(heddle_loop *l, hd_fleet_unit *u, uint32_t health)
{
    __atomic_store_n(&u->health, health, __ATOMIC_RELEASE);
    (void)snprintf(l->runs[u->index].trouble, sizeof l->runs->trouble, "%.199s", hd_thread_error()->text);
}

void hd_tell_lost(heddle_loop *l, hd_fleet_unit *u)
{
    note_trouble(l, u, HD_UNIT_LOST);
    pthread_mutex_lock(&l->asking);
    hd_split_lost(l->split, u->index, heddle_host_clock_ns());
    pthread_mutex_unlock(&l->asking);
    ask_more(l);
}

void hd_tell_silent(heddle_loop *l, hd_fleet_unit *u) { note_trouble(l, u, HD_UNIT_SILENT); }

void hd_tell_back(heddle_loop *l, hd_fleet_unit *u)
{
    hd_unit_is_back(u);
    pthread_mutex_lock(&l->asking);
    hd_split_join(l->split, u->index, heddle_host_clock_ns());
    pthread_mutex_unlock(&l->asking);
}

int hd_loop_reads_results(const heddle_loop *l)
{
    uint64_t i;
    for (i = 0; i < l->pieces.n && !(hd_piece_at(l, i)->reads && hd_piece_at(l, i)->writes); i++)
        ;
    return i < l->pieces.n;
}

void hd_tell_half_home(heddle_loop *l, hd_fleet_unit *u, const hd_slice *s, int is_silent)
{
    if (!is_silent && !hd_loop_reads_results(l))
        return;
    pthread_mutex_lock(&l->asking);
    l->may_come_late = is_silent;
    if (l->spoilt.n < l->spoilt.cap) /* always: nothing begins after the first */
        ((hd_slice *)l->spoilt.at)[l->spoilt.n++] = *s;
    if (!l->fail_code) /* else the unit of the body that failed */
        memcpy(l->fail_unit, u->name, sizeof l->fail_unit);
    hd_split_cancel(l->split);
    pthread_mutex_unlock(&l->asking);
}

int hd_is_over(heddle_loop *l)
{
    int is_over;
    pthread_mutex_lock(&l->asking);
    is_over = hd_split_is_over(l->split);
    pthread_mutex_unlock(&l->asking);
    return is_over;
}
