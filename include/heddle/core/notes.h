/* SPDX-License-Identifier: MIT */
/* core/notes.h - what a traced worker notes of the bands of a wave.
 *
 * A band is one body that goes along all of its columns, so an event a body would say nothing of what happens in it. A
 * *stretch* is 1/64 of a band's columns, in whole granules (core/wave.h) or tiles (core/tile.h), and an event (hd_event) of
 * its own. It says how long the band has waited in it: for the band above, for room below, for a border, for another pass.
 *
 * One lane of a band notes. heddle_thread.notes of all others is NULL, as it is in a run without a trace. On a GPU that is
 * known when a kernel is compiled, so kernels that do not trace have none of this. */
#ifndef HEDDLE_CORE_NOTES_H
#define HEDDLE_CORE_NOTES_H

#include "heddle/core/atom.h"
#include "heddle/core/task.h"

#define HD_STRETCHES 64u /* of a band, at most */

/* Where the bands of a worker leave their events, and what is known of the stretch that goes on. */
typedef struct hd_notes {
    hd_event *events; /* room for n_most                                              */
    hd_tally *tally;  /* its n_events, n_dropped: BLOCK, because warps of a block share them */
    uint32_t n_most, is_open;
    uint32_t lane, column;
    uint64_t begin, waited, since;
} hd_notes;

HD_FN hd_notes hd_notes_for(hd_event *events, uint32_t n_most, hd_tally *tally)
{
    hd_notes n;
    n.events = events;
    n.tally = tally;
    n.n_most = n_most;
    n.is_open = n.lane = n.column = 0;
    n.begin = n.waited = n.since = 0;
    return n;
}

/* How many events have been noted, kept or not. */
HD_FN uint32_t hd_n_noted(const hd_tally *t) { return t->n_events + t->n_dropped; }

/* How many of a band's n granules or tiles a stretch has. */
HD_FN uint32_t hd_stretch_of(uint32_t n) { return (n + HD_STRETCHES - 1u) / HD_STRETCHES; }

/* The stretch that goes on ends at `end`. */
HD_FN void hd_note_stretch(hd_notes *n, uint32_t task, uint64_t end)
{
    const uint32_t at = HD_ADD(&n->tally->n_events, 1u, RELAXED, BLOCK);
    hd_event *e = n->events + at;
    n->is_open = 0;
    if (at >= n->n_most) {
        (void)HD_SUB(&n->tally->n_events, 1u, RELAXED, BLOCK);
        (void)HD_ADD(&n->tally->n_dropped, 1u, RELAXED, BLOCK);
        return;
    }
    e->begin = n->begin;
    e->end = end;
    e->task = task | HD_EVENT_STRETCH;
    e->idle = n->waited < 0xffffffffu ? (uint32_t)n->waited : 0xffffffffu;
    e->queue = n->lane;
    e->dep = n->column;
}

HD_FN void hd_note_begin(const heddle_thread *thread, uint32_t lane, uint32_t column)
{
    hd_notes *n = thread->notes;
    const uint64_t now = hd_clock();
    if (n->is_open)
        hd_note_stretch(n, thread->task, now);
    n->is_open = 1;
    n->lane = lane;
    n->column = column;
    n->begin = now;
    n->waited = 0;
}

/* A band begins, of those that its part has the one of number `lane`. */
HD_FN void hd_note_band(const heddle_thread *thread, uint32_t lane)
{
    if (thread->notes)
        hd_note_begin(thread, lane, 0);
}

/* A band comes to the `at`-th of the n granules or tiles that have columns of its own, each of so many columns. */
HD_FN void hd_note_at(const heddle_thread *thread, uint32_t at, uint32_t n, uint32_t columns)
{
    if (thread->notes && at && at < n && at % hd_stretch_of(n) == 0)
        hd_note_begin(thread, thread->notes->lane, at * columns);
}

/* A part has ended, or a band that others follow. */
HD_FN void hd_note_end(const heddle_thread *thread)
{
    if (thread->notes && thread->notes->is_open)
        hd_note_stretch(thread->notes, thread->task, hd_clock());
}

/* A look at what a band waits for was fruitless, for the n-th time; counted from 0. */
HD_FN void hd_note_waits(const heddle_thread *thread, uint32_t n)
{
    if (thread->notes && n == 0)
        thread->notes->since = hd_clock();
}

/* After n fruitless looks it has come. */
HD_FN void hd_note_waited(const heddle_thread *thread, uint32_t n)
{
    if (thread->notes && n)
        thread->notes->waited += hd_clock() - thread->notes->since;
}

#endif
