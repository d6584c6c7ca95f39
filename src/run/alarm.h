/* SPDX-License-Identifier: MIT */
/* alarm.h - what is to be done at a time, whoever waits or not: one thread of a context, which is started when the first alarm
 * is set, and sleeps between.
 *
 * A call of `ring` and a change of the same alarms exclude each other: what an alarm looks at may go after hd_alarm_unset. */
#ifndef HD_ALARM_H
#define HD_ALARM_H

#include "base/base.h"

typedef struct hd_alarms hd_alarms;
typedef struct hd_alarm {
    /* Its time has come. Returns when it shall be called next; UINT64_MAX: never. It sets and unsets none itself. */
    uint64_t (*ring)(void *self);
    void *self;
    uint64_t at_ns;              /* of heddle_host_clock_ns */
    struct hd_alarm *next, **at; /* among those that are set; at NULL: it is not */
} hd_alarm;

/* Makes *all unless it is there. ENOMEM. */
heddle_status hd_alarms_open(hd_alarms **all, hd_error *e);
/* Ends the thread. NULL is allowed. */
void hd_alarms_close(hd_alarms *all);
/* The alarm is one that is not set. */
void hd_alarm_set(hd_alarms *all, hd_alarm *a, uint64_t at_ns);
/* Afterwards it does not ring. Allowed for one that is not set. */
void hd_alarm_unset(hd_alarms *all, hd_alarm *a);

#endif
