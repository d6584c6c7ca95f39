/* SPDX-License-Identifier: MIT */
/* alarm.h - actions at a given time, independent of waiting threads. A context has one thread for them, started with the
 * first alarm; it sleeps between alarms.
 *
 * Calls of `ring` and changes to the same alarms exclude each other: after hd_alarm_unset an alarm's data may be freed. */
#ifndef HD_ALARM_H
#define HD_ALARM_H

#include "base/base.h"

typedef struct hd_alarms hd_alarms;
typedef struct hd_alarm {
    /* Called when due. Returns the time of its next call, or UINT64_MAX for none. Must not set or unset alarms. */
    uint64_t (*ring)(void *self);
    void *self;
    uint64_t at_ns;              /* on heddle_host_clock_ns */
    struct hd_alarm *next, **at; /* list of set alarms; at NULL: not set */
} hd_alarm;

/* Creates *all unless it exists. ENOMEM. */
heddle_status hd_alarms_open(hd_alarms **all, hd_error *e);
void hd_alarms_close(hd_alarms *all); /* ends the thread; NULL is allowed */
/* a must not be set yet. */
void hd_alarm_set(hd_alarms *all, hd_alarm *a, uint64_t at_ns);
/* Afterwards it does not ring. Has no effect on an alarm that is not set. */
void hd_alarm_unset(hd_alarms *all, hd_alarm *a);

#endif
