/* SPDX-License-Identifier: MIT */
/* core/ring.h - a worker's ready ring: many push, the owner pops.
 *
 *      head                 tail
 *       v                    v
 *   [0][7][9][0 reserved][12][0][0][0]     0 = empty; else task + 1
 *
 * A push reserves a slot by moving the tail (compare-and-swap, so that a full ring is seen, never overrun), then writes
 * the slot. The owner waits at its head for the slot to fill, so reservations that are written out of order stay in
 * order. Bounded: full is an answer, not an error (core/rings.h says where the task goes then).
 *
 * The slot is stored with release and loaded with acquire. So a pop acquires what the pusher had acquired and written,
 * which includes the outputs of all of the task's predecessors.
 *
 * Dozing. An owner that wants to park sets HD_RING_DOZE in the tail, by a compare-and-swap that succeeds only while
 * nothing is reserved. A producer's compare-and-swap clears the bit, and the producer then wakes the owner. One word
 * decides, so no wake-up is lost. */
#ifndef HEDDLE_CORE_RING_H
#define HEDDLE_CORE_RING_H

#include "heddle/core/atom.h"
#include "heddle/core/task.h"

#define HD_RING_DOZE 0x80000000u
#define HD_RING_COUNT 0x7fffffffu /* cursors count modulo 2^31                                     */

#define HD_PUSH_FULL 0u
#define HD_PUSH_OK 1u
#define HD_PUSH_WAKE 2u /* pushed, and the owner dozes: unpark it                                   */

/* Reserves one slot: its position, or HD_NONE when the ring is full. *doze: the owner dozed. */
HD_FN uint32_t hd_ring_reserve(hd_cursor *c, uint32_t n_slots, uint32_t *doze)
{
    uint32_t tail = HD_LOAD(&c->tail, RELAXED, DEV);
    for (;;) {
        /* Acquire: the owner emptied these slots before it moved the head past them. */
        uint32_t used = (tail - HD_LOAD(&c->head, ACQUIRE, DEV)) & HD_RING_COUNT;
        if (used == n_slots)
            return HD_NONE;
        /* More than n_slots: the tail is older than the head, others pushed and the owner popped in between. */
        if (used < n_slots && HD_CAS(&c->tail, tail, (tail + 1u) & HD_RING_COUNT, RELAXED, DEV)) {
            *doze = tail & HD_RING_DOZE;
            return tail & HD_RING_COUNT;
        }
        tail = HD_LOAD(&c->tail, RELAXED, DEV);
    }
}

/* One lane, after HD_FENCE_RELEASE. never_full: there are as many slots as tasks and no owner dozes (a GPU), so that
 * one addition reserves. */
HD_FN uint32_t hd_ring_push(hd_cursor *c, uint32_t *slots, uint32_t n_slots, uint32_t task, int never_full)
{
    uint32_t doze = 0;
    uint32_t at = never_full ? HD_ADD(&c->tail, 1u, RELAXED, DEV) : hd_ring_reserve(c, n_slots, &doze);
    if (at == HD_NONE && !never_full)
        return HD_PUSH_FULL;
    HD_STORE(&slots[at & (n_slots - 1u)], task + 1u, FENCED_RELEASE, DEV);
    return doze ? HD_PUSH_WAKE : HD_PUSH_OK;
}

/* Owner only. *head is its private cursor; late: hd_run.late. Returns the task, or HD_NONE when the ring is empty. */
HD_FN uint32_t hd_ring_pop(hd_cursor *c, uint32_t *slots, uint32_t n_slots, uint32_t late, uint32_t *head)
{
    uint32_t *slot = &slots[*head & (n_slots - 1u)];
    const uint32_t word = HD_LOAD(slot, FENCED_ACQUIRE, DEV);
    if (!word)
        return HD_NONE;
    HD_FENCE_ACQUIRE();
    HD_STORE(slot, 0u, RELAXED, DEV);
    *head = (*head + 1u) & HD_RING_COUNT;
    if ((*head & late) == 0u)
        HD_STORE(&c->head, *head, RELEASE, DEV);
    return word - 1u;
}

/* ---- dozing ---- */

/* Owner only: sets the doze bit if nothing is reserved. Returns 1 when it did. */
HD_FN int hd_ring_doze(hd_cursor *c, uint32_t head)
{
    return HD_CAS(&c->tail, head, head | HD_RING_DOZE, RELAXED, DEV);
}

/* Owner only, awake again: clears the bit unless a producer did. */
HD_FN void hd_ring_rouse(hd_cursor *c, uint32_t head)
{
    (void)HD_CAS(&c->tail, head | HD_RING_DOZE, head, RELAXED, DEV);
}

#endif
