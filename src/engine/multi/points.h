/* SPDX-License-Identifier: MIT */
/* points.h - the queues of devices: what each was given, what it has done, and what it already waits for.
 *
 * A device has four queues, and each does its ops in order. Two are for bodies, so that one begins while the last blocks of the other still run.
 * The n-th op of a queue is its point n, counted from 1; 0 is no point.
 * An op waits for points of other queues. Waits that are known to be passed are left out: points that are done, those of the same
 * queue, and those that the queue waits for already.
 *
 * What a queue waits for is known from its own waits, and from those of the other queues of the same device that it follows. It is not
 * inferred through another device: that one may be lost, and then nobody waits for its points.
 *
 * A mark is the highest point of a queue that touched a piece of memory. Memory of device d is touched by the queues IN of all devices,
 * and by the queues BODIES, OUT and BODIES_2 of d: it has n + 3 marks, in this order. Home is touched by the queues IN and OUT of all
 * devices. */
#ifndef HD_MULTI_POINTS_H
#define HD_MULTI_POINTS_H

#include "base/base.h"

#define HD_HOME UINT32_MAX /* the host's memory, where it stands for a device */

/* By what they do: bodies; copies into the device, from home, from peers, within it; copies home; bodies. Queue HD_N_ROLES * device + role. */
typedef enum hd_seg_role { HD_QUEUE_BODIES, HD_QUEUE_IN, HD_QUEUE_OUT, HD_QUEUE_BODIES_2, HD_N_ROLES } hd_seg_role;
#define HD_LEAST_ROLES 3u /* a device may lack the last one */

typedef struct hd_seg_point {
    uint32_t queue;
    uint64_t number;
} hd_seg_point;

typedef struct hd_clocks {
    uint32_t n_devices, n_queues;
    uint64_t *given, *done; /* of each queue */
    uint64_t *held;         /* done, but not to be believed yet */
    int is_held;
    uint64_t *known; /* [queue][other]: the highest op of the other queue that this one waits for ... */
    uint64_t *since; /* ... and the op of this queue that does so                                     */
    uint64_t *wait;  /* of each queue: what the next op has to wait for                               */
} hd_clocks;

/* -1 without memory. */
int hd_clocks_open(hd_clocks *c, uint32_t n_devices);
void hd_clocks_close(hd_clocks *c);
/* Gives the queue its next op, and clears c->wait. Writes to `waits` (room for all queues) what the op really has to wait for. */
hd_seg_point hd_clocks_give(hd_clocks *c, uint32_t queue, hd_seg_point *waits, uint32_t *n_waits);
/* The queue has passed the point, and all before it. */
void hd_clocks_done(hd_clocks *c, hd_seg_point p);
/* 1: points that are done from now on count as not done, until this is called with 0. */
void hd_clocks_hold(hd_clocks *c, int is_held);
/* What the host has to wait for; clears c->wait. */
uint32_t hd_clocks_host(hd_clocks *c, hd_seg_point *waits);

static inline uint32_t hd_seg_queue(uint32_t device, hd_seg_role role) { return HD_N_ROLES * device + (uint32_t)role; }
static inline int hd_queue_is_of_bodies(uint32_t queue)
{
    return queue % HD_N_ROLES == HD_QUEUE_BODIES || queue % HD_N_ROLES == HD_QUEUE_BODIES_2;
}
static inline int hd_seg_point_is_done(const hd_clocks *c, hd_seg_point p) { return p.number <= c->done[p.queue]; }
/* The next op waits for the point. */
static inline void hd_clocks_need(hd_clocks *c, hd_seg_point p)
{
    if (p.number > c->wait[p.queue])
        c->wait[p.queue] = p.number;
}

/* There is room for those of any memory; the rest are 0. */
static inline uint32_t hd_n_marks(uint32_t n_devices) { return n_devices > 3 ? 2 * n_devices : n_devices + 3; }
/* The mark that a queue leaves in memory of a device or HD_HOME, and the queue that left a mark there. */
static inline uint32_t hd_mark_of(const hd_clocks *c, uint32_t memory, uint32_t queue)
{
    const uint32_t role = queue % HD_N_ROLES, device = queue / HD_N_ROLES;
    if (role == HD_QUEUE_IN)
        return device;
    if (memory == HD_HOME)
        return c->n_devices + device;
    return c->n_devices + role - (role > HD_QUEUE_IN ? 1u : 0u); /* without IN */
}
static inline uint32_t hd_marking_queue(const hd_clocks *c, uint32_t memory, uint32_t mark)
{
    if (mark < c->n_devices)
        return hd_seg_queue(mark, HD_QUEUE_IN);
    mark -= c->n_devices;
    if (memory == HD_HOME)
        return hd_seg_queue(mark, HD_QUEUE_OUT);
    return hd_seg_queue(memory, (hd_seg_role)(mark + (mark >= HD_QUEUE_IN ? 1u : 0u)));
}
static inline void hd_mark_raise(uint64_t *marks, uint32_t mark, uint64_t number)
{
    if (number > marks[mark])
        marks[mark] = number;
}

/* `to` has the marks of both. */
void hd_marks_join(const hd_clocks *c, uint64_t *to, const uint64_t *from);
/* Marks that are done need not be kept. */
void hd_marks_clear(const hd_clocks *c, uint32_t memory, uint64_t *marks);
/* The next op waits for all marks. */
void hd_marks_need(hd_clocks *c, uint32_t memory, const uint64_t *marks);
/* How many are not done. */
uint32_t hd_marks_open(const hd_clocks *c, uint32_t memory, const uint64_t *marks);

#endif
