/* SPDX-License-Identifier: MIT */
/* turns.h - runs of one fleet's loops and wavefronts follow one another, in the order of their starts.
 *
 * A run that was started is an entry of the fleet's list; the first one is the present one. Of three kinds of threads somebody runs it:
 * the fleet's units, which share a loop out; the fleet's driver, one thread for all wavefronts that were started; or the thread that
 * started it. The last of them to leave the run ends it, and makes the next one the present. */
#ifndef HD_LOOP_TURNS_H
#define HD_LOOP_TURNS_H

#include "base/base.h"
#include "heddle/fleet.h"
#include "heddle/task.h"

#include <pthread.h>
#include <time.h>

/* A thread of the fleet is asked into the present run. Each has a condition of its own: a thread that is not needed sleeps on. */
#define HD_NAP_NS 50000u
typedef struct hd_turn_asked {
    uint32_t is_in; /* written under fleet.mutex; atomic, since threads are woken without it */
    int naps;       /* it has left the present run, and comes again after HD_NAP_NS; guarded by fleet.mutex */
    pthread_cond_t changed;
} hd_turn_asked;

typedef enum hd_turn_state { HD_TURN_IDLE, HD_TURN_STARTED, HD_TURN_ENDED } hd_turn_state;

/* What is run. `self` is the loop or the wavefront. */
typedef struct hd_turn_kind {
    /* Is the array one that it touches, or writes? The caller holds the mutex. */
    int (*has)(const void *self, const heddle_array *a, int only_writes);
    void (*begin)(void *self); /* it is the present one from now on; the caller holds the mutex */
    /* The unit is not asked in at first, but by hd_turns_ask_more. NULL: none rests. */
    int (*rests)(const void *self, uint32_t unit);
    int (*is_over)(void *self);         /* nobody has anything left to do */
    heddle_status (*drive)(void *self); /* all of it, by one thread, which is left its sentence; NULL: units do it */
    void (*end)(void *self);            /* the last thread has left it, or nobody can run it */
} hd_turn_kind;

typedef struct hd_fleet_turn {
    heddle_fleet *fleet;
    const hd_turn_kind *kind;
    void *self;
    heddle_status status; /* of the last run; written before it has ended */
    hd_error error;
    /* guarded by fleet.mutex: */
    struct hd_fleet_turn *next; /* in the fleet's list */
    hd_turn_state state;
    uint32_t n_inside; /* threads */
    int is_callers;    /* the thread that has started it runs it: nobody else is asked in */
} hd_fleet_turn;

/* May it be started with these params? `call` is for the sentence. EINVAL, EDEVICE, EBUSY. */
heddle_status hd_turns_check_start(const hd_fleet_turn *t, const char *call, const heddle_table *table,
                                   const void *params, size_t params_bytes);
/* Puts it behind the others. */
void hd_turns_add(hd_fleet_turn *t, int is_callers);
/* Makes it the present one, which only the calling thread is in. 0: there is a present one. */
int hd_turns_enter_alone(hd_fleet_turn *t);
/* The thread that has started it waits until it is the present one, and enters it. */
void hd_turns_enter_own(hd_fleet_turn *t);
/* A thread of the fleet waits until it is asked in, or has slept enough, and enters the present one; NULL: the fleet is being closed. */
hd_fleet_turn *hd_turns_enter(heddle_fleet *f, hd_turn_asked *asked);
/* For a thread that is in the present one: asks in the units that rest, too. */
void hd_turns_ask_more(heddle_fleet *f);
/* The fleet is being closed: all threads hear of it. The caller holds the mutex. */
void hd_turns_close(heddle_fleet *f);
/* The thread has nothing left to do in the present one. naps: or nothing for now; if the run has not ended by then, it comes again after a nap.
 * It is outside meanwhile, so that the run's end does not wait for it. NULL: it does not come again by itself. */
void hd_turns_leave(heddle_fleet *f, hd_turn_asked *naps);
/* Runs all of one that the thread has entered, and leaves. */
void hd_turns_drive(hd_fleet_turn *t);
hd_turn_state hd_turns_state(const hd_fleet_turn *t);
/* For waits with a limit. */
struct timespec hd_turns_until(uint32_t timeout_ms);
/* EBUSY after timeout_ms, else how the run ended, with its sentence; EDEVICE in a forked process. */
heddle_status hd_turns_wait(hd_fleet_turn *t, const char *call, uint32_t timeout_ms);

/* driver.c: starts the fleet's driver, if there is none; stops it. ENOMEM. */
heddle_status hd_driver_start(heddle_fleet *f);
void hd_driver_stop(heddle_fleet *f);

#endif
