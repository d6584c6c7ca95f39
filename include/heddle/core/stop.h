/* SPDX-License-Identifier: MIT */
/* core/stop.h - how a run ends: all done, a body failed, or a stop from outside.
 *
 * The end is exact: `outstanding` holds the tasks created and not yet given back as done. A worker gives back what it
 * has finished when it runs out of work (one read-modify-write for many tasks). The subtraction that brings the word to
 * zero ends the run. Tasks made by running tasks must be added before they are published; then the word never reads
 * zero while a task is left. */
#ifndef HEDDLE_CORE_STOP_H
#define HEDDLE_CORE_STOP_H

#include "heddle/core/atom.h"
#include "heddle/core/task.h"

/* Sets the stop word; the first reason wins. Returns 1 when it was this one. */
HD_FN int hd_stop(hd_fail *f, uint32_t why) { return HD_CAS(&f->stop, HD_STOP_NOT, why, RELAXED, DEV); }

HD_FN void hd_unpark(const hd_run *r, uint32_t worker)
{
    const hd_host *host = hd_host_of(r);
    if (host)
        host->unpark(host->self, worker);
}

/* Parked workers look at the stop word when they wake. */
HD_FN void hd_wake_all(const hd_run *r)
{
    uint32_t w;
    for (w = 0; hd_host_of(r) && w < r->n_workers; w++)
        hd_unpark(r, w);
}

/* Relaxed: hd_leave passes on what was written before the stop. */
HD_FN uint32_t hd_stopped(const hd_run *r) { return HD_LOAD(&r->control->fail.stop, RELAXED, DEV); }

/* A body fails with `code` (0 counts as 1): the first failure is kept, and the run stops. Its own worker wakes the
 * parked ones when it reads the stop word. Returns 1 when this failure was the first. */
HD_FN int hd_fail_at(hd_fail *f, uint32_t task, uint32_t code)
{
    if (!HD_CAS(&f->code, 0u, code ? code : 1u, RELAXED, DEV))
        return 0;
    HD_STORE(&f->task, task, RELAXED, DEV);
    (void)hd_stop(f, HD_STOP_FAILED);
    return 1;
}

/* The same for the body that this thread runs; its worker stops, too. */
HD_FN int hd_thread_fail(const heddle_thread *thread, uint32_t code)
{
    if (thread->failed)
        *thread->failed = 1u;
    return hd_fail_at(thread->fail, thread->task, code);
}

/* Gives back n finished tasks; the subtraction that reaches zero ends the run. */
HD_FN void hd_credit_return(const hd_run *r, uint32_t n)
{
    if (n && HD_SUB(&r->control->outstanding, n, RELAXED, DEV) == n && hd_stop(&r->control->fail, HD_STOP_DONE))
        hd_wake_all(r);
}

/* A worker leaves. Returns 1 to the last one, which then sees everything that all of them wrote. The others must not
 * touch r again: the last one ends the run, and its owner may free r before this function returns. */
HD_FN int hd_leave(const hd_run *r)
{
    uint32_t n = r->n_workers + r->n_schedulers;
    return HD_ADD(&r->control->out, 1u, ACQ_REL, DEV) + 1u == n;
}

/* The last worker out, or the host before the first run: resets the words for run `run`. After a run that did not end
 * with HD_STOP_DONE, counters and rings must be cleared too (and run restarts at 1). */
HD_FN void hd_rearm(const hd_run *r, uint32_t run)
{
    hd_control *s = r->control;
    HD_STORE(&s->outstanding, r->n_tasks, RELAXED, DEV);
    HD_STORE(&s->next_root, 0u, RELAXED, DEV);
    HD_STORE(&s->asking, 0u, RELAXED, DEV);
    HD_STORE(&s->out, 0u, RELAXED, DEV);
    HD_STORE(&s->ticket, 0u, RELAXED, DEV);
    HD_STORE(&s->tail, 0u, RELAXED, DEV);
    HD_PAIR_STORE(&s->places, 0, RELAXED);
    HD_STORE(&s->fail.stop, r->n_tasks || r->pool ? HD_STOP_NOT : HD_STOP_DONE, RELAXED, DEV);
    HD_STORE(&s->fail.code, 0u, RELAXED, DEV);
    HD_STORE(&s->run, run, RELAXED, DEV);
}

#endif
