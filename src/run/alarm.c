/* SPDX-License-Identifier: MIT */
/* alarm.c - see alarm.h. There is one alarm per run in flight: few, so the list is unordered. A new alarm wakes the thread
 * only if it is due before the time until which the thread sleeps. */
#include "run/alarm.h"

#include <pthread.h>

struct hd_alarms {
    pthread_t thread;
    pthread_mutex_t mutex; /* guards the fields below, and all alarms */
    pthread_cond_t changed;
    hd_alarm *first;
    uint64_t wakes_ns;
    int end;
};

static void insert(hd_alarms *all, hd_alarm *a)
{
    a->next = all->first;
    a->at = &all->first;
    if (a->next)
        a->next->at = &a->next;
    all->first = a;
}

static void take_out(hd_alarm *a)
{
    if (!a->at)
        return;
    *a->at = a->next;
    if (a->next)
        a->next->at = a->at;
    a->at = NULL;
}

/* Calls the alarms that are due. Returns the time of the next one. */
static uint64_t ring_due(hd_alarms *all)
{
    uint64_t next_ns = UINT64_MAX, now = heddle_host_clock_ns();
    hd_alarm *a, *after;
    for (a = all->first; a; a = after) {
        after = a->next;
        if (a->at_ns <= now)
            a->at_ns = a->ring(a->self);
        if (a->at_ns == UINT64_MAX)
            take_out(a);
        else if (a->at_ns < next_ns)
            next_ns = a->at_ns;
    }
    return next_ns;
}

static void *thread_main(void *arg)
{
    hd_alarms *all = arg;
    pthread_mutex_lock(&all->mutex);
    while (!all->end) {
        all->wakes_ns = ring_due(all);
        if (all->wakes_ns == UINT64_MAX) {
            pthread_cond_wait(&all->changed, &all->mutex);
        } else {
            const uint64_t t = all->wakes_ns;
            const struct timespec until = {(time_t)(t / 1000000000u), (long)(t % 1000000000u)};
            (void)pthread_cond_timedwait(&all->changed, &all->mutex, &until);
        }
    }
    pthread_mutex_unlock(&all->mutex);
    return NULL;
}

static void forget(hd_alarms *all)
{
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->mutex);
    hd_delete(all, sizeof *all);
}

heddle_status hd_alarms_open(hd_alarms **out, hd_error *e)
{
    hd_alarms *all;
    pthread_condattr_t monotonic;
    if (*out)
        return HEDDLE_OK;
    all = hd_new(sizeof *all);
    if (!all)
        return hd_say(e, HEDDLE_ENOMEM, "a time limit: out of memory");
    pthread_mutex_init(&all->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&all->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&all->thread, NULL, thread_main, all)) {
        forget(all);
        return hd_say(e, HEDDLE_ENOMEM, "a time limit: the thread that watches the clock could not be started");
    }
    *out = all;
    return HEDDLE_OK;
}

void hd_alarms_close(hd_alarms *all)
{
    if (!all)
        return;
    pthread_mutex_lock(&all->mutex);
    all->end = 1;
    pthread_cond_signal(&all->changed);
    pthread_mutex_unlock(&all->mutex);
    pthread_join(all->thread, NULL);
    forget(all);
}

void hd_alarm_set(hd_alarms *all, hd_alarm *a, uint64_t at_ns)
{
    pthread_mutex_lock(&all->mutex);
    a->at_ns = at_ns;
    insert(all, a);
    if (at_ns < all->wakes_ns)
        pthread_cond_signal(&all->changed);
    pthread_mutex_unlock(&all->mutex);
}

void hd_alarm_unset(hd_alarms *all, hd_alarm *a)
{
    if (!all)
        return;
    pthread_mutex_lock(&all->mutex);
    take_out(a);
    pthread_mutex_unlock(&all->mutex);
}
