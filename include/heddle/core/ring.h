/* SPDX-License-Identifier: MIT */
/* core/ring.h - a worker's ready ring: many push, the owner pops.
 *
 *      head                 tail
 *       v                    v
 *   [0][7d][9][0 reserved][12][0][0][0]     0 = empty; else task + 1, and HD_SLOT_DIRECT
 *
 * Pushing reserves a slot by moving the tail (compare-and-swap, so that a full ring is seen, never
 * overrun), then writes the slot; the owner waits at its head for the slot to fill, so reservations
 * that are written out of order stay in order. Bounded: full is an answer, not an error (core/worker.h
 * tells where the task goes then).
 *
 * What is released where. A task with several predecessors was counted by read-modify-writes that
 * release each predecessor's outputs; its slot is written relaxed, and the owner acquires the counter
 * (hd_acquire in core/worker.h). A task with one predecessor has no counter: its slot is written with
 * release (HD_SLOT_DIRECT says so) and acquired itself.
 *
 * Dozing. An owner that wants to park sets HD_RING_DOZE in the tail, by a compare-and-swap that succeeds
 * only while nothing is reserved. The producer's own compare-and-swap takes the bit away and so tells it
 * that the owner must be woken. One word decides, so no wake-up is lost.
 *
 * Stealing. Where workers steal, a thief takes a task by a compare-and-swap of its slot to HD_SLOT_STOLEN. The slot stays
 * reserved; the owner, who takes by an exchange, passes it by when its head comes there. `next` tells thieves how far the
 * slots are stolen. It is a hint, which only those move on who have stolen the slot before it: between the head and it no
 * task is left that may be stolen, or else it is behind and they look at some slots in vain.
 *
 * Boxes (a GPU only). A box is one word a worker: 0 while it has something to do, HD_BOX_OPEN while it has nothing, and a
 * task, as in a slot, when somebody has handed it one. Opened and emptied by its owner, filled by one compare-and-swap:
 * who fills it knows that the task waits behind no other, and needs one trip to memory instead of two. */
#ifndef HEDDLE_CORE_RING_H
#define HEDDLE_CORE_RING_H

#include "heddle/core/atom.h"
#include "heddle/core/task.h"

#define HD_RING_DOZE 0x80000000u
#define HD_RING_COUNT 0x7fffffffu /* cursors count modulo 2^31                                     */
#define HD_SLOT_DIRECT 0x80000000u

#define HD_SLOT_STOLEN 0x7ffffffeu /* its task is gone, the owner has not been there since               */

#define HD_BOX_OPEN 0x7fffffffu

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
        /* More than that: the tail is from before others pushed and the owner popped. */
        if (used < n_slots && HD_CAS(&c->tail, tail, (tail + 1u) & HD_RING_COUNT, RELAXED, DEV)) {
            *doze = tail & HD_RING_DOZE;
            return tail & HD_RING_COUNT;
        }
        tail = HD_LOAD(&c->tail, RELAXED, DEV);
    }
}

/* Owner only, who has written the head itself: reserves up to n slots, as long as no more than `most` are used. The first
 * position; *got: how many. */
HD_FN uint32_t hd_ring_reserve_some(hd_cursor *c, uint32_t most, uint32_t n, uint32_t *got)
{
    uint32_t tail, used, room;
    do {
        tail = HD_LOAD(&c->tail, RELAXED, DEV);
        used = (tail - HD_LOAD(&c->head, RELAXED, DEV)) & HD_RING_COUNT;
        room = used < most ? most - used : 0u;
        *got = n < room ? n : room;
    } while (*got && !HD_CAS(&c->tail, tail, (tail + *got) & HD_RING_COUNT, RELAXED, DEV));
    return tail;
}

HD_FN void hd_slot_fill(uint32_t *slot, uint32_t task, uint32_t direct)
{
    if (direct)
        HD_STORE(slot, (task + 1u) | HD_SLOT_DIRECT, RELEASE, DEV);
    else
        HD_STORE(slot, task + 1u, RELAXED, DEV);
}

/* never_full: there are as many slots as tasks and nobody dozes (a GPU), so that one addition reserves. */
HD_FN uint32_t hd_ring_push(hd_cursor *c, uint32_t *slots, uint32_t n_slots, uint32_t task, uint32_t direct,
                            int never_full)
{
    uint32_t doze = 0;
    uint32_t at = never_full ? HD_ADD(&c->tail, 1u, RELAXED, DEV) : hd_ring_reserve(c, n_slots, &doze);
    if (at == HD_NONE && !never_full)
        return HD_PUSH_FULL;
    hd_slot_fill(&slots[at & (n_slots - 1u)], task, direct);
    return doze ? HD_PUSH_WAKE : HD_PUSH_OK;
}

/* Owner only: has emptied the slot at its head, and moves on. late: see hd_run. */
HD_FN void hd_ring_moved(hd_cursor *c, uint32_t late, uint32_t *head)
{
    *head = (*head + 1u) & HD_RING_COUNT;
    if ((*head & late) == 0u)
        HD_STORE(&c->head, *head, RELEASE, DEV);
}

/* Owner only: empties the slot at its head, which it has found full, and moves on. */
HD_FN void hd_ring_empty(hd_cursor *c, uint32_t *slots, uint32_t n_slots, uint32_t late, uint32_t *head)
{
    HD_STORE(&slots[*head & (n_slots - 1u)], 0u, RELAXED, DEV);
    hd_ring_moved(c, late, head);
}

/* Owner only. *head is its private cursor. Returns the slot's word, or 0 when there is nothing. */
HD_FN uint32_t hd_ring_pop(hd_cursor *c, uint32_t *slots, uint32_t n_slots, uint32_t late, uint32_t *head)
{
    uint32_t *slot = &slots[*head & (n_slots - 1u)];
    uint32_t word = HD_LOAD(slot, RELAXED, DEV);
    if (!word)
        return 0;
    if (word & HD_SLOT_DIRECT)
        word = HD_LOAD(slot, ACQUIRE, DEV); /* the same word: nobody else writes a full slot         */
    hd_ring_empty(c, slots, n_slots, late, head);
    return word;
}

/* Owner only, where others steal: the same. Passes stolen slots by. */
HD_FN uint32_t hd_ring_pop_first(hd_cursor *c, uint32_t *slots, uint32_t n_slots, uint32_t *head)
{
    uint32_t word = HD_SLOT_STOLEN;
    while (word == HD_SLOT_STOLEN) {
        uint32_t *slot = &slots[*head & (n_slots - 1u)];
        if (!HD_LOAD(slot, RELAXED, DEV))
            return 0;
        word = HD_EXCH(slot, 0u, ACQUIRE, DEV); /* a thief may have been quicker                  */
        hd_ring_moved(c, 0u, head);
    }
    return word;
}

/* A thief: where the tasks begin that nobody has stolen. */
HD_FN uint32_t hd_ring_next(hd_cursor *c, uint32_t n_slots)
{
    uint32_t head = HD_LOAD(&c->head, RELAXED, DEV), next = HD_LOAD(&c->next, RELAXED, DEV);
    return ((next - head) & HD_RING_COUNT) <= n_slots ? next : head;
}

/* A thief, who has seen `word` in the slot at a position: 1 when its task is the thief's now. */
HD_FN int hd_ring_steal(hd_cursor *c, uint32_t *slot, uint32_t at, uint32_t word)
{
    if (!HD_CAS(slot, word, HD_SLOT_STOLEN, ACQUIRE, DEV))
        return 0;
    HD_STORE(&c->next, (at + 1u) & HD_RING_COUNT, RELAXED, DEV);
    return 1;
}

/* ---- boxes ---- */

HD_FN int hd_box_is_full(uint32_t word) { return word != 0u && word != HD_BOX_OPEN; }

/* 1: it was open, and the task is its owner's now. */
HD_FN int hd_box_put(uint32_t *box, uint32_t task, uint32_t direct)
{
    return direct ? HD_CAS(box, HD_BOX_OPEN, (task + 1u) | HD_SLOT_DIRECT, RELEASE, DEV)
                  : HD_CAS(box, HD_BOX_OPEN, task + 1u, RELAXED, DEV);
}

/* Owner only: empties and closes it. Returns the task's word, or 0 when there is none. */
HD_FN uint32_t hd_box_take(uint32_t *box)
{
    uint32_t word = HD_LOAD(box, RELAXED, DEV);
    if (!hd_box_is_full(word))
        return 0;
    if (word & HD_SLOT_DIRECT)
        word = HD_LOAD(box, ACQUIRE, DEV); /* the same word: nobody else writes a full box          */
    HD_STORE(box, 0u, RELAXED, DEV);
    return word;
}

/* Owner only, who has found something elsewhere: closes it, whether or not somebody has filled it. As above. */
HD_FN uint32_t hd_box_close(uint32_t *box)
{
    uint32_t word = HD_EXCH(box, 0u, ACQUIRE, DEV);
    return hd_box_is_full(word) ? word : 0u;
}

/* ---- dozing ---- */

/* Owner only: 1 when nothing is reserved and the doze bit now stands, else 0. */
HD_FN int hd_ring_doze(hd_cursor *c, uint32_t head)
{
    return HD_CAS(&c->tail, head, head | HD_RING_DOZE, RELAXED, DEV);
}

/* Owner only, awake again: takes the bit away unless a producer did. */
HD_FN void hd_ring_rouse(hd_cursor *c, uint32_t head)
{
    (void)HD_CAS(&c->tail, head | HD_RING_DOZE, head, RELAXED, DEV);
}

#endif
