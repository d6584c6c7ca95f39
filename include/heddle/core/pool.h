/* SPDX-License-Identifier: MIT */
/* core/pool.h - the words of a pool: a run without an end. Its tasks come from the host one by one.
 *
 * A pool is a run of an empty graph under dispatch ticket. All its tasks are spawned ones. The first n_host slots of the
 * arena are the host's: the host fills them, and frees them once their tasks have ended. Bodies spawn into the others. A
 * handle names a slot of either kind in the same way, so a task may wait for any other.
 *
 * Each task has a stop word of its own, its fate (hd_fail): a body that fails, a cancelled task and one that is late end
 * alone. A task that waits for one with a fate gets a fate, too, and does not run. The fate of a free slot is zero.
 *
 * Three kinds of words lead back to the host:
 *
 *      told    how the task in a host's slot has ended, with the slot's generation. Written once, after all else
 *      news    a ring of tasks that asked for it (HD_TASK_NOTIFY), in the order of their ends
 *      live    for each worker, how many tasks have ended there, and how many were spawned. A task belongs to one of two
 *              epochs; spawned ones to that of their spawner. The host reads the sums of an epoch: first `ended`, then
 *              `created`. If they balance with what it has spawned itself, no task of that epoch was left when it read
 *              `ended` (as in sleepable RCU: McKenney, 2006)
 *
 * On threads the run has no end. On a GPU each start of the kernel is a run (core/courier.h): it ends when there has been nothing
 * to do for some time, and the next one goes on with the same words. Or there are no workers, and tasks are blocks of ordinary
 * launches (core/batch.h), which write told, news and live themselves. */
#ifndef HEDDLE_CORE_POOL_H
#define HEDDLE_CORE_POOL_H

#include "heddle/core/stop.h"

/* In a told word, below the generation: how the task has ended (HD_STOP_DONE, CANCELED, FAILED, TIMEOUT, SPAWN), or HD_TOLD_LATE, a
 * task over its time limit that still runs. Until then the generation is that of the slot's last task, one less. So the word only
 * grows, modulo 2^32, and the task has ended when it is past HD_TOLD_LATE. */
#define HD_TOLD_BITS 5u
#define HD_TOLD_HOW 31u
#define HD_TOLD_LATE 0u

typedef struct hd_told {
    uint32_t state; /* sys: generation << HD_TOLD_BITS | how                                      */
    uint32_t code;  /* of one that did not end well; written before `state`                      */
} hd_told;

/* By epoch. One writer: its worker, which has a copy of its own: a GPU's load of host memory takes a microsecond. */
typedef struct hd_live {
    uint32_t ended[2];   /* sys                                                                    */
    uint32_t created[2]; /* sys: spawned by bodies                                                 */
} hd_live;

/* A range of host memory that a worker on a GPU copies for a task (core/copy.h). */
typedef struct hd_copy {
    uint64_t host;    /* pinned memory                                                             */
    uint32_t n_bytes; /* takes that many of the worker's memory, rounded up (hd_copy_room)        */
    uint32_t at_mode; /* where its pointer is in the record, << HD_COPY_MODES; HD_COPY_IN, _OUT    */
} hd_copy;
HD_STATIC_ASSERT(sizeof(hd_copy) == 16, "a load of one lane");
#define HD_COPY_IN 1u
#define HD_COPY_OUT 2u
#define HD_COPY_MODES 2u

HD_FN uint32_t hd_copy_room(uint32_t n_bytes) { return (n_bytes + 15u) / 16u * 16u; }
/* Of a traced pool (core/stamp.h): when the task in a slot of the host ran; times of hd_clock. */
typedef struct hd_stamp {
    uint64_t begin, end; /* of its first and last body; end 0: none has run                        */
    uint64_t busy;       /* the time in bodies, of all blocks                                      */
    uint32_t worker;     /* that has ended it                                                     */
    uint32_t pad;
} hd_stamp;
/* The same while the task runs. */
typedef struct hd_stamp_words {
    hd_pair_word not_begin, end, busy, pad; /* dev: not_begin: the largest complement of a begin        */
} hd_stamp_words;

/* Bytes for a slot of the host, without those of the engine; on a GPU in memory of its own, pinned, and other memory of the host. */
typedef struct hd_slot_bytes {
    uint32_t device, pinned, host;
} hd_slot_bytes;

#ifndef HD_SEATS     /* the model test has fewer */
#define HD_SEATS 32u /* of a worker: the lanes of its scheduling warp (core/crew.h) */
#endif

typedef struct hd_pool {
    hd_fail *fates;             /* one for each slot of the arena                                        */
    hd_told *told;              /* one for each slot of the host                                         */
    uint32_t *news;             /* sys: n_host places, a power of two: a slot + 1, 0 = empty             */
    uint32_t *news_end;         /* dev: the next place to fill                                           */
    uint32_t *urgent;           /* dev: a queue of n_host places: an urgent task + 1, 0 = empty          */
    hd_cursor *urgent_at;       /* its next place to fill, and to take                                 */
    hd_live *live;              /* one for each worker (hd_live_at)                                      */
    hd_copy *copies;            /* most_copies for each slot of the host; NULL: workers make none        */
    uint8_t *stage;             /* device memory: n_stages pieces of stage_bytes for each worker           */
    uint32_t n_host, n_workers; /* n_workers: of live                                             */
    uint32_t n_guests;          /* of these, for threads that are no workers (hd_ticket_help)      */
    uint32_t live_apart;        /* from one worker's to the next: on threads they are on lines of their own  */
    uint32_t most_threads;      /* of a team                                                           */
    uint32_t no_spawns;         /* 1: bodies that spawn cannot run                                     */
    uint32_t no_limits;         /* 1: tasks cannot have time limits                                    */
    uint32_t most_copies, stage_bytes;
    uint32_t pinned_only;        /* 1: of host memory, bodies see what is pinned                          */
    uint32_t n_starts;           /* the host's, atomic: starts of a resident kernel                      */
    hd_stamp *stamps;            /* one for each slot of the host, or NULL: the pool is not traced         */
    hd_stamp_words *stamp_words; /* likewise                                                       */
    uint32_t clock_apart;        /* 1: stamps are of another clock than the host's                 */
    uint32_t by_sm;              /* 1: in stamps a worker is a multiprocessor                      */
    uint32_t n_seats;            /* teams that a worker has at once, at most (core/crew.h); 0: one        */
    uint32_t seat_shared;        /* block-shared bytes of each                                     */
    uint32_t n_stages;           /* tasks with copies that a worker runs at once, at most                  */
    uint32_t team_warps;         /* of a task that does not say                                     */
    hd_slot_bytes slot_bytes;    /* the host's                                                     */
} hd_pool;

/* Numbers of teams are below it: of heddle_thread.worker, and in hd_run.now. */
HD_FN uint32_t hd_pool_n_teams(const hd_pool *p) { return p->n_workers * (p->n_seats ? HD_SEATS : 1u); }

HD_FN const hd_pool *hd_pool_of(const hd_run *r) { return r->pool; }
/* Is it a run without an end? */
HD_FN int hd_is_endless(const hd_run *r) { return HD_HOSTED && r->pool; }

/* Is slot t of the arena the host's? */
HD_FN int hd_is_hosts(const hd_run *r, uint32_t t) { return hd_pool_of(r) && t - r->n_tasks < hd_pool_of(r)->n_host; }

/* ---- fates ---- */

/* The fate of task t; only in a pool. */
HD_FN hd_fail *hd_fate_of(const hd_run *r, uint32_t t) { return &hd_pool_of(r)->fates[t - r->n_tasks]; }

/* How task t has gone wrong so far: HD_STOP_...; 0: it has not, or this is no pool. */
HD_FN uint32_t hd_went_wrong(const hd_run *r, uint32_t t)
{
    return hd_pool_of(r) ? HD_LOAD(&hd_fate_of(r, t)->stop, RELAXED, DEV) : 0u;
}

/* The task that ends with t: of a continuation the one that it continues. */
HD_FN uint32_t hd_owner_of(const hd_run *r, uint32_t t)
{
    const uint32_t ends_for = r->tasks[t].links.ends_for;
    return ends_for != HD_NONE ? ends_for : t;
}

/* The host's slot of the task that ends with t, or HD_NONE. */
HD_FN uint32_t hd_slot_of(const hd_run *r, uint32_t t)
{
    const uint32_t owner = hd_owner_of(r, t);
    return hd_is_hosts(r, owner) ? owner - r->n_tasks : HD_NONE;
}

/* Task t must not run: a task before it has gone wrong. */
HD_FN void hd_fate_cancel(const hd_run *r, uint32_t t) { (void)hd_stop(hd_fate_of(r, t), HD_STOP_CANCELED); }

/* Task `from`, which went wrong, ends as part of task `to`. */
HD_FN void hd_fate_pass(const hd_run *r, uint32_t from, uint32_t to)
{
    hd_fail *f = hd_fate_of(r, from), *g = hd_fate_of(r, to);
    if (HD_CAS(&g->code, 0u, HD_LOAD(&f->code, RELAXED, DEV), RELAXED, DEV))
        (void)hd_stop(g, HD_LOAD(&f->stop, RELAXED, DEV));
}

/* The slot of t is about to be free. */
HD_FN void hd_fate_clear(const hd_run *r, uint32_t t)
{
    hd_fail *f;
    if (!hd_went_wrong(r, t))
        return;
    f = hd_fate_of(r, t);
    HD_STORE(&f->stop, HD_STOP_NOT, RELAXED, DEV);
    HD_STORE(&f->code, 0u, RELAXED, DEV);
}

/* ---- telling the host ---- */

HD_FN uint32_t hd_told_of(uint32_t generation, uint32_t how) { return generation << HD_TOLD_BITS | how; }

/* One lane, after HD_FENCE_FOR_HOST: task t in a slot of the host has ended, well or `wrong` as those that wait for it have learnt.
 * From the store of `state` on the host may fill the slot again. The watchdog may have said before that the task is late. */
HD_FN void hd_pool_tell(const hd_run *r, uint32_t t, uint32_t generation, uint32_t flags, uint32_t wrong)
{
    const hd_pool *p = hd_pool_of(r);
    hd_told *told = &p->told[t - r->n_tasks];
    if (!wrong) {
        HD_STORE(&told->state, hd_told_of(generation, HD_STOP_DONE), FENCED_RELEASE, SYS);
    } else {
        told->code = HD_LOAD(&hd_fate_of(r, t)->code, RELAXED, DEV);
        hd_fate_clear(r, t);
        HD_STORE(&told->state, hd_told_of(generation, wrong), RELEASE, SYS);
    }
    if (flags & HD_TASK_NOTIFY)
        HD_STORE(&p->news[HD_ADD(p->news_end, 1u, RELAXED, DEV) & (p->n_host - 1u)], t - r->n_tasks + 1u, RELEASE, SYS);
}

HD_FN hd_live *hd_live_at(const hd_pool *p, uint32_t worker) { return &p->live[worker * p->live_apart]; }

/* One lane of a worker, `own` its copy: n more tasks of the epoch in `flags` are spawned, before they are handed on. */
HD_FN void hd_pool_created(const hd_run *r, uint32_t worker, hd_live *own, uint32_t flags, uint32_t n)
{
    const uint32_t odd = (flags & HD_TASK_ODD) != 0u;
    if (hd_pool_of(r))
        HD_STORE(&hd_live_at(hd_pool_of(r), worker)->created[odd], own->created[odd] += n, RELAXED, SYS);
}

/* Likewise: a task has ended. If it was told, what it wrote has been released; the host may see this count before that word. */
HD_FN void hd_pool_ended(const hd_run *r, uint32_t worker, hd_live *own, uint32_t flags, int was_told)
{
    const uint32_t odd = (flags & HD_TASK_ODD) != 0u;
    if (!hd_pool_of(r))
        return;
    own->ended[odd]++;
    if (was_told)
        HD_STORE(&hd_live_at(hd_pool_of(r), worker)->ended[odd], own->ended[odd], FENCED_RELEASE, SYS);
    else
        HD_STORE(&hd_live_at(hd_pool_of(r), worker)->ended[odd], own->ended[odd], RELEASE, SYS);
}

/* How many blocks has task t? In records of spawned tasks that word may be a link. */
HD_FN uint32_t hd_n_blocks(const hd_run *r, uint32_t t) { return hd_is_hosts(r, t) ? r->tasks[t].cost_ns : 1u; }

/* ---- urgent tasks ----
 *
 * An urgent task is put into a queue of its own, and into the ring goes HD_PLACE_URGENT in place of it. A worker that takes
 * another task looks at that queue first, and runs that task after the urgent one: so each is delayed by one. */

/* What is in the place of number k: the task and whether the round is odd. A place that its last taker has not emptied yet is of
 * the round before. */
HD_FN uint32_t hd_urgent_word(const hd_pool *p, uint32_t k, uint32_t t)
{
    return (t + 1u) | (k / p->n_host & 1u) << 31;
}

/* Any thread. There are never more such tasks than places. */
HD_FN void hd_urgent_put(const hd_run *r, uint32_t t)
{
    const hd_pool *p = hd_pool_of(r);
    const uint32_t k = HD_ADD(&p->urgent_at->tail, 1u, RELAXED, DEV);
    uint32_t n = 0;
    while (!HD_CAS(&p->urgent[k & (p->n_host - 1u)], 0u, hd_urgent_word(p, k, t), RELEASE, DEV))
        HD_PAUSE(n++); /* its last taker is about to empty it */
}

/* One lane: is there an urgent task? */
HD_FN int hd_urgent_is_there(const hd_run *r)
{
    const hd_cursor *at = hd_pool_of(r)->urgent_at;
    return HD_LOAD((uint32_t *)&at->head, RELAXED, DEV) != HD_LOAD((uint32_t *)&at->tail, RELAXED, DEV);
}

/* One lane: takes the oldest urgent task, or HD_NONE. `all`: waits for one that is about to be put, so that HD_NONE means that
 * all have been taken. */
HD_FN uint32_t hd_urgent_take(const hd_run *r, int all)
{
    const hd_pool *p = hd_pool_of(r);
    uint32_t n = 0;
    for (;;) {
        const uint32_t k = HD_LOAD(&p->urgent_at->head, RELAXED, DEV);
        uint32_t *at = &p->urgent[k & (p->n_host - 1u)];
        const uint32_t v = HD_LOAD(at, ACQUIRE, DEV), t = (v & 0x7fffffffu) - 1u;
        const int is_there = v && v == hd_urgent_word(p, k, t);
        if (is_there && HD_CAS(&p->urgent_at->head, k, k + 1u, RELAXED, DEV)) {
            HD_STORE(at, 0u, RELAXED, DEV);
            return t;
        }
        if (!is_there && (!all || HD_LOAD(&p->urgent_at->tail, RELAXED, DEV) == k))
            return HD_NONE;
        HD_PAUSE(n++);
    }
}

/* ---- tasks of several blocks ----
 *
 * Such a task is handed to several workers, and each takes blocks until none is left. `open` counts its blocks and the
 * places where it was handed on, so that it has not ended while some queue still has it. */

/* The task's words. A task of the host is no continuation and has no spawner, which leaves these fields unused. */
HD_FN uint32_t *hd_blocks_next(hd_task *task) { return &task->links.pinned_next; } /* dev */
HD_FN uint32_t *hd_blocks_open(hd_task *task) { return &task->links.open; }        /* dev */

/* One lane: another place has the task. Not after its last one was used up. */
HD_FN void hd_blocks_share(hd_task *task) { (void)HD_ADD(hd_blocks_open(task), 1u, RELAXED, DEV); }
/* One lane: takes a block, or HD_NONE. */
HD_FN uint32_t hd_blocks_take(hd_task *task)
{
    const uint32_t k = HD_ADD(hd_blocks_next(task), 1u, RELAXED, DEV);
    return k < task->cost_ns ? k : HD_NONE;
}
/* One lane: a block has ended, or a place is used up. 1: it was the last, and the task has ended. */
HD_FN int hd_blocks_close(hd_task *task) { return HD_SUB(hd_blocks_open(task), 1u, ACQ_REL, DEV) == 1u; }

#endif
