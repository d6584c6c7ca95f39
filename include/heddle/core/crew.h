/* SPDX-License-Identifier: MIT */
/* core/crew.h - a worker of a pool with several teams at once: the warps of a block, of which one schedules. nvcc only.
 * (The executor warps of Pagoda's MasterKernel: Yeh et al., TOPC 6(4), 2019, section 4.3.)
 *
 * A task gets as many warps of the block as its team needs, not always neighbours, a barrier if it needs one, and block-shared memory.
 * Narrow tasks so fill the block, and tasks of different widths run side by side. If the bodies of a table spawn, a block has one team
 * (core/serve.h), because a body's children take their slots from the block's store, one body after the other.
 *
 * Each lane of the scheduling warp is a seat: it draws a ticket, takes a task, and ends it. All seats do so at once, so that a block
 * takes or ends many tasks in the time of one. The free warps, barriers and places to copy to are bits of words that are the same in
 * all lanes.
 *
 * A block with room draws one ticket, and more only if tasks are waiting: so few tasks are spread over all blocks. If a task needs
 * more warps than are free, the block draws no further ticket until it has begun; meanwhile only tasks that the block has taken
 * already can overtake it.
 *
 * Couriers (core/courier.h) are warps of the last blocks, one each: a multiprocessor has few loads of host memory under way. So a team
 * has at most two warps less than a block.
 *
 * A run ends as the couriers say. They compare the places that were handed out with those that were served: control->outstanding
 * counts the latter down from zero. A task counts as served when it has ended and what it freed is placed. */
#ifndef HEDDLE_CORE_CREW_H
#define HEDDLE_CORE_CREW_H

#include "heddle/core/courier.h"
#include "heddle/core/serving.h"
#include "heddle/core/spawn.h"

#define HD_CREW_BARRIERS 0xfffeu /* bits: those of teams; 0 is that of all threads */
#ifndef HD_CREW_LINGER           /* the model test has fewer */
#define HD_CREW_LINGER 24u       /* looks, of some 30 ns */
#endif
#define HD_SEAT_LONG 512u /* looks at a running task after which the host is told of it */

typedef struct __align__(128) hd_seat
{
    hd_task record;
    hd_serving of;
    uint32_t warps; /* bits */
}
hd_seat;

/* A block's words, in its shared memory. */
typedef struct hd_crew {
    hd_seat seat[HD_SEATS];
    hd_bell bell[HD_SEATS];        /* of each warp: it is called                                           */
    uint32_t seat_of[HD_SEATS];    /* of each warp: the seat that it works for; HD_NONE: it shall leave      */
    uint32_t barrier_of[HD_SEATS]; /* of each barrier: its seat                                            */
    uint32_t stage_of[HD_SEATS];   /* of each place to copy to: its seat                                   */
    uint32_t ended;                /* bits: warps that have ended their part of a body                    */
    hd_worker worker;
    hd_pool pool; /* copies: parameters of the kernel cost a memory access through a pointer */
    hd_run run;
} hd_crew;

/* A team's number: no other that runs has the same. */
static __device__ __forceinline__ uint32_t hd_seat_number(uint32_t seat) { return blockIdx.x * HD_SEATS + seat; }

/* ---- the teams' warps ---------------------------------------------------------------------------- */

/* A warp, until it is told to leave. */
template <typename Bodies>
static __device__ __forceinline__ void hd_crew_warp(const hd_run &r, hd_crew *c, uint8_t *arena)
{
    const uint32_t lane = threadIdx.x & 31u, w = threadIdx.x / 32u;
    heddle_thread thread = hd_block_thread(nullptr, arena, 0, 0);
    uint32_t n, at;
#pragma unroll 1
    for (n = 0;; n++) {
        hd_bell_wait(&c->bell[w], n);
        at = c->seat_of[w];
        if (at == HD_NONE)
            break;
        hd_seat *s = &c->seat[at];
        hd_serving_thread(&s->of, &thread);
        thread.index = 32u * hd_popcount(s->warps & hd_below(w)) + lane;
        thread.worker = hd_seat_number(at);
        thread.shared = arena + at * c->pool.seat_shared;
        hd_serving_run<Bodies>(r, &s->of, &s->record, &thread);
        __syncwarp();
        if (lane == 0)
            (void)HD_ADD(&c->ended, 1u << w, RELEASE, BLOCK);
    }
}

/* ---- the scheduling warp ---------------------------------------------------------------------------- */

/* In registers. A seat that waits for room has a task and no warps. */
typedef struct hd_seating {
    uint32_t ticket; /* this seat's, or HD_NONE                                                         */
    uint32_t task;   /* likewise                                                                        */
    uint32_t warps;  /* bits                                                                            */
    uint32_t looks;  /* at its running task                                                              */
    /* the same in all lanes: */
    uint32_t free, barriers, stages; /* bits: those that are free                                        */
    uint32_t all;                    /* bits: the teams' warps                                           */
    uint32_t width;                  /* warps of a task, the mean of those that began last, in 256ths      */
    uint32_t backlog;                /* tasks that no ticket waited for, when the last was drawn          */
    uint32_t next;                   /* a task that an urgent one was taken before, or HD_NONE            */
} hd_seating;

static __device__ __forceinline__ int hd_is_in(uint32_t mask) { return (int)(mask >> (threadIdx.x & 31u) & 1u); }

/* Of `used`, bits: those whose seat is in the mask. */
static __device__ __forceinline__ uint32_t hd_used_by(const uint32_t *seat_of, uint32_t used, uint32_t mask)
{
    return hd_ballot(hd_is_in(used) && mask >> (seat_of[threadIdx.x & 31u] & 31u) & 1u);
}

static __device__ __forceinline__ uint32_t hd_seats_empty(const hd_crew *c, const hd_seating *x)
{
    return hd_ballot(x->ticket == HD_NONE && x->task == HD_NONE && (threadIdx.x & 31u) < c->pool.n_seats);
}

static __device__ __forceinline__ uint32_t hd_seats_pending(const hd_seating *x)
{
    return hd_ballot(x->task != HD_NONE && !x->warps);
}

/* ---- ending ---- */

/* Lane 0: so many tasks of an epoch have ended, and are told. */
static __device__ __forceinline__ void hd_crew_count(const hd_run *r, hd_worker *w, uint32_t odd, uint32_t n)
{
    if (n)
        HD_STORE(&hd_live_at(r->pool, w->id)->ended[odd], w->live.ended[odd] += n, FENCED_RELEASE, SYS);
}

/* Seats in the mask end their tasks, of the host, and hand on those that waited for them. */
static __device__ __forceinline__ void hd_crew_finish(const hd_run *r, hd_crew *c, hd_seating *x, uint32_t mask)
{
    const uint32_t lane = threadIdx.x & 31u, t = x->task, mine = (uint32_t)hd_is_in(mask);
    const hd_task *task = &c->seat[lane].record;
    const uint32_t flags = mine ? task->flags : 0u, v = mine ? task->links.done_word : 0u;
    const uint32_t odd = hd_ballot((flags & HD_TASK_ODD) != 0u);
    uint32_t wrong = 0, waiters = HD_NONE, ready, place;
    if (mine) {
        wrong = hd_went_wrong(r, t);
        if (r->pool->stamps)
            hd_stamp_move(&r->pool->stamps[t - r->n_tasks], &r->pool->stamp_words[t - r->n_tasks], blockIdx.x);
    }
    HD_FENCE_FOR_HOST();
    if (flags & HD_TASK_PINNED)
        waiters = hd_done_word_end(r, &c->worker, t, v, wrong);
    while (hd_ballot(waiters != HD_NONE)) {
        ready = hd_next_waiter(r, &waiters, wrong);
        place = hd_ballot(ready != HD_NONE);
        if (place)
            hd_courier_place(*r, place, ready, ready != HD_NONE ? hd_child_at(r, ready)->flags : 0u);
    }
    if (mine)
        hd_pool_tell(r, t, v >> HD_DONE_WORD_BITS, flags, wrong);
    __syncwarp();
    if (lane == 0) {
        hd_crew_count(r, &c->worker, 0, hd_popcount(mask & ~odd));
        hd_crew_count(r, &c->worker, 1, hd_popcount(mask & odd));
    }
}

/* Seats in the mask are empty: their tasks have ended, or other places will end them. */
static __device__ __forceinline__ void hd_crew_served(const hd_run *r, hd_seating *x, uint32_t mask)
{
    if (hd_is_in(mask)) {
        if (x->looks >= HD_SEAT_LONG)
            hd_now_task_at(*r, hd_seat_number(threadIdx.x & 31u), HD_NONE);
        x->task = HD_NONE;
        x->warps = x->looks = 0;
    }
    if ((threadIdx.x & 31u) == 0) /* behind the fence of what they freed (hd_ticket_place) */
        (void)HD_SUB(&r->control->outstanding, hd_popcount(mask), RELAXED, DEV);
}

/* ---- blocks of a task ---- */

/* One lane, with a place: no further block shall run, and the place is used up. 1: the task has ended. */
static __device__ __forceinline__ int hd_blocks_drop(hd_task *task)
{
    const uint32_t n = task->cost_ns, k = HD_EXCH(hd_blocks_next(task), n, RELAXED, DEV), left = k < n ? n - k : 0u;
    return HD_SUB(hd_blocks_open(task), left + 1u, ACQ_REL, DEV) == left + 1u;
}

/* Seats in the mask have a task of several blocks: others that wait shall help. */
static __device__ __forceinline__ void hd_crew_share(const hd_run *r, const hd_seating *x, uint32_t mask)
{
    int32_t waiting = 0;
    if ((threadIdx.x & 31u) == 0)
        waiting = hd_waiting_now(r);
    waiting = (int32_t)hd_shuffle((uint32_t)waiting, 0);
    if (waiting <= 0)
        return;
    mask = hd_ballot(hd_is_in(mask) && (int32_t)hd_popcount(mask & hd_below(threadIdx.x & 31u)) < waiting);
    if (hd_is_in(mask))
        hd_blocks_share(hd_child_at(r, x->task));
    __syncwarp();
    hd_ticket_place(r, mask, x->task);
}

/* Seats in the mask take the next block of their task. Returns those with one; adds to *ended those with tasks that have ended. */
static __device__ __forceinline__ uint32_t hd_crew_blocks(const hd_run *r, hd_crew *c, const hd_seating *x,
                                                          uint32_t mask, uint32_t *ended)
{
    hd_seat *s = &c->seat[threadIdx.x & 31u];
    hd_task *task = hd_is_in(mask) ? hd_child_at(r, x->task) : nullptr;
    uint32_t over = 0, k = HD_NONE, with;
    if (hd_is_in(mask)) {
        if (hd_went_wrong(r, x->task))
            over = (uint32_t)hd_blocks_drop(task);
        else if ((k = hd_blocks_take(task)) == HD_NONE)
            over = (uint32_t)hd_blocks_close(task);
        s->of.block = k;
    }
    *ended |= hd_ballot(over != 0u);
    with = hd_ballot(k != HD_NONE);
    k = hd_ballot(k != HD_NONE && k + 1u < s->of.n_blocks);
    if (k)
        hd_crew_share(r, x, k);
    return with;
}

/* ---- beginning ---- */

/* All warps in the mask, bits, are called. */
static __device__ __forceinline__ void hd_crew_call(hd_crew *c, uint32_t warps)
{
    __syncwarp();
    if (hd_is_in(warps))
        hd_bell_ring(&c->bell[threadIdx.x & 31u]);
}

/* The lowest n bits. */
static __device__ __forceinline__ uint32_t hd_lowest_of(uint32_t bits, uint32_t n)
{
    uint32_t some = 0;
    for (; n; n--) {
        some |= bits & (0u - bits);
        bits &= bits - 1u;
    }
    return some;
}

/* Seat k's task begins, if there is room. */
static __device__ __forceinline__ void hd_crew_begin(hd_crew *c, hd_seating *x, uint32_t k)
{
    hd_seat *s = &c->seat[k];
    const uint32_t lane = threadIdx.x & 31u, width = s->of.team / 32u;
    const uint32_t barrier = width > 1u ? x->barriers & (0u - x->barriers) : 0u;
    const uint32_t stage = s->of.n_copies ? x->stages & (0u - x->stages) : 0u;
    uint32_t warps;
    if (hd_popcount(x->free) < width || (width > 1u && !barrier) || (s->of.n_copies && !stage))
        return;
    warps = hd_lowest_of(x->free, width);
    x->free &= ~warps;
    x->barriers &= ~barrier;
    x->stages &= ~stage;
    x->width += (uint32_t)(((int32_t)(width << 8) - (int32_t)x->width) / 8);
    if (lane == k) {
        x->warps = warps;
        s->warps = warps;
        s->of.barrier = barrier ? hd_lowest(barrier) : 0u;
        s->of.stage = c->pool.stage +
                      (uint64_t)(blockIdx.x * c->pool.n_stages + (stage ? hd_lowest(stage) : 0u)) * c->pool.stage_bytes;
    }
    if (warps >> lane & 1u)
        c->seat_of[lane] = k;
    if (barrier >> lane & 1u)
        c->barrier_of[lane] = k;
    if (stage >> lane & 1u)
        c->stage_of[lane] = k;
    hd_crew_call(c, warps);
}

/* Tasks that wait for room begin, as far as there is any. */
static __device__ __forceinline__ void hd_crew_begin_all(hd_crew *c, hd_seating *x)
{
    uint32_t left = hd_seats_pending(x);
    for (; left && x->free; left &= left - 1u)
        hd_crew_begin(c, x, hd_lowest(left));
}

/* ---- after a body ---- */

/* Ends the bodies of teams that are through: their seats go on with another block of their task, or end it. 0: there are none. */
static __device__ __forceinline__ int hd_crew_end(const hd_run *r, hd_crew *c, hd_seating *x)
{
    const uint32_t ended = hd_shuffle(hd_word(&c->ended), 0);
    const hd_seat *s = &c->seat[threadIdx.x & 31u];
    const uint32_t over = hd_ballot(x->warps && !(x->warps & ~ended));
    uint32_t many, again = 0, finished, warps;
    if (!over)
        return 0;
    __syncwarp();
    warps = hd_used_by(c->seat_of, ended, over);
    many = hd_ballot(hd_is_in(over) && s->of.n_blocks > 1u);
    finished = over & ~many;
    if (hd_is_in(many))
        (void)hd_blocks_close(hd_child_at(r, x->task));
    if (many)
        again = hd_crew_blocks(r, c, x, many, &finished);
    if ((threadIdx.x & 31u) == 0)
        (void)HD_SUB(&c->ended, warps, RELAXED, BLOCK);
    if (again)
        hd_crew_call(c, hd_used_by(c->seat_of, warps, again));
    x->free |= hd_used_by(c->seat_of, warps, over & ~again);
    x->barriers |= hd_used_by(c->barrier_of, HD_CREW_BARRIERS & ~x->barriers, over & ~again);
    x->stages |= hd_used_by(c->stage_of, hd_below(c->pool.n_stages) & ~x->stages, over & ~again);
    if (finished)
        hd_crew_finish(r, c, x, finished);
    if (over & ~again)
        hd_crew_served(r, x, over & ~again);
    return 1;
}

/* ---- taking ---- */

/* Copies the records of the tasks of seats in the mask, which have been acquired. */
static __device__ __forceinline__ void hd_crew_fetch(const hd_run *r, hd_crew *c, const hd_seating *x, uint32_t mask)
{
    const uint32_t lane = threadIdx.x & 31u;
    __syncwarp();
    while (mask) { /* eight lanes a record */
        const uint32_t some = hd_lowest_of(mask, hd_warp_width() / 8u);
        uint32_t bits = some, i, k, t;
        for (i = 0; i < lane / 8u; i++)
            bits &= bits - 1u;
        k = bits ? hd_lowest(bits) : 0u;
        t = hd_shuffle(x->task, k);
        if (bits)
            ((uint4 *)&c->seat[k].record)[lane & 7u] = ((const uint4 *)hd_task_at(r, t))[lane & 7u];
        mask &= ~some;
    }
    __syncwarp();
}

/* Seats in the mask have taken tasks. Those that must not run, and joins, end at once. */
static __device__ __forceinline__ void hd_crew_took(const hd_run *r, hd_crew *c, hd_seating *x, uint32_t mask)
{
    hd_seat *s = &c->seat[threadIdx.x & 31u];
    uint32_t wrong = 0, many, with, ended, served;
    if (hd_is_in(mask))
        wrong = hd_went_wrong(r, x->task); /* under way while the record is fetched */
    hd_crew_fetch(r, c, x, mask);
    if (hd_is_in(mask))
        hd_serving_fill(r, &s->of, &s->record, x->task, x->task, 32u);
    many = hd_ballot(hd_is_in(mask) && s->of.n_blocks > 1u);
    ended = hd_ballot(hd_is_in(mask & ~many) && (wrong || s->record.body == HD_BODY_JOIN));
    served = ended;
    if (many) {
        with = hd_crew_blocks(r, c, x, many, &ended);
        served |= many & ~with;
    }
    if (ended)
        hd_crew_finish(r, c, x, ended);
    if (served)
        hd_crew_served(r, x, served);
}

/* This seat, which found `what` in its place: a task, or HD_NONE if the urgent one was taken before. */
static __device__ __forceinline__ uint32_t hd_seat_got(const hd_run *r, uint32_t what)
{
    uint32_t t;
    if (what != HD_PLACE_URGENT)
        return what - 1u;
    t = hd_urgent_take(r, 1);
    if (t == HD_NONE) {
        HD_FENCE_ACQUIRE();
        (void)HD_SUB(&r->control->outstanding, 1u, RELAXED, DEV);
    }
    return t;
}

/* An urgent task is there, and seats in the mask have found others: it goes before one of them. Its own place is still to be served,
 * so the run must not end before that, nor before the task has ended. */
static __device__ __forceinline__ void hd_crew_hurry(const hd_run *r, hd_seating *x, uint32_t mask)
{
    const uint32_t k = hd_lowest(mask);
    uint32_t t = HD_NONE;
    if ((threadIdx.x & 31u) == k) {
        (void)HD_ADD(&r->control->outstanding, 1u, RELAXED, DEV);
        HD_FENCE_RELEASE(); /* before the taker of its place can find it taken (hd_seat_got) */
        t = hd_urgent_take(r, 0);
        if (t == HD_NONE)
            (void)HD_SUB(&r->control->outstanding, 1u, RELAXED, DEV);
    }
    t = hd_shuffle(t, k);
    if (t == HD_NONE)
        return;
    x->next = hd_shuffle(x->task, k);
    if ((threadIdx.x & 31u) == k)
        x->task = t;
}

/* The seats look at their places. 0: nothing was found. */
static __device__ __forceinline__ int hd_crew_look(const hd_run *r, hd_crew *c, hd_seating *x)
{
    uint32_t what = 0, urgent = 0, got, normal;
    if (!hd_ballot(x->ticket != HD_NONE))
        return 0;
    if ((threadIdx.x & 31u) == 0)
        urgent = (uint32_t)hd_urgent_is_there(r); /* on its way together with the place */
    if (x->ticket != HD_NONE)
        what = hd_place_take(r, x->ticket);
    if (!hd_ballot(what != 0u))
        return 0;
    if (what) {
        x->ticket = HD_NONE;
        x->task = hd_seat_got(r, what);
    }
    normal = hd_ballot(what && what != HD_PLACE_URGENT);
    if (normal && x->next == HD_NONE && hd_shuffle(urgent, 0))
        hd_crew_hurry(r, x, normal);
    got = hd_ballot(what && x->task != HD_NONE);
    if (got)
        hd_crew_took(r, c, x, got);
    return 1;
}

/* Seats that are empty draw tickets, if warps are free: one, or more if tasks are waiting. */
static __device__ __forceinline__ void hd_crew_draw(const hd_run *r, const hd_crew *c, hd_seating *x)
{
    const uint32_t lane = threadIdx.x & 31u, empty = hd_seats_empty(c, x),
                   room = (hd_popcount(x->free) << 8) / x->width;
    const uint32_t share = 1u + x->backlog / r->n_workers;
    uint32_t seats, n;
    hd_pair_word v = 0;
    if (!empty || !room || hd_ballot(x->ticket != HD_NONE) || hd_seats_pending(x))
        return;
    n = share < room ? share : room;
    seats = hd_lowest_of(empty, n < hd_popcount(empty) ? n : hd_popcount(empty));
    n = hd_popcount(seats);
    if (lane == 0)
        v = HD_PAIR_ADD(&r->control->places, n, RELAXED);
    v = __shfl_sync(0xffffffffu, v, 0);
    if (hd_is_in(seats))
        x->ticket = hd_places_in(v) + (uint32_t)hd_waiting_in(v) + hd_popcount(seats & hd_below(lane));
    x->backlog = hd_waiting_in(v) < 0 ? (uint32_t)-hd_waiting_in(v) : 0u;
}

/* A seat that is empty takes the task that an urgent one was taken before. 0: there is none, or no seat. */
static __device__ __forceinline__ int hd_crew_take_next(const hd_run *r, hd_crew *c, hd_seating *x)
{
    const uint32_t empty = x->next != HD_NONE ? hd_seats_empty(c, x) : 0u;
    if (!empty)
        return 0;
    if ((threadIdx.x & 31u) == hd_lowest(empty))
        x->task = x->next;
    x->next = HD_NONE;
    hd_crew_took(r, c, x, empty & (0u - empty));
    return 1;
}

/* ---- the loop ---- */

/* Nothing has happened, for the n-th time in a row. */
static __device__ __forceinline__ void hd_crew_rest(const hd_run *r, const hd_seating *x, uint32_t n)
{
    if (x->free != x->all)
        hd_word_pause(n);
    else if (r->polite || n > HD_EAGER_POLLS)
        hd_wait(r, n);
}

/* Tasks that run for long are told to the host. */
static __device__ __forceinline__ void hd_crew_note(const hd_run *r, hd_seating *x)
{
    if (x->warps && ++x->looks == HD_SEAT_LONG)
        hd_now_task_at(*r, hd_seat_number(threadIdx.x & 31u), x->task - r->n_tasks);
}

static __device__ __forceinline__ hd_seating hd_seating_begin(const hd_crew *c, uint32_t warps)
{
    hd_seating x = {HD_NONE, HD_NONE, 0, 0, 0, 0, 0, 0, 1, 0, HD_NONE};
    x.free = x.all = warps;
    x.barriers = HD_CREW_BARRIERS;
    x.stages = hd_below(c->pool.n_stages);
    x.width = c->pool.team_warps << 8;
    return x;
}

/* Tasks have begun, and no others wait: a short one ends before a ticket were drawn, which takes a microsecond. */
static __device__ __forceinline__ void hd_crew_linger(const hd_crew *c, const hd_seating *x)
{
    uint32_t n;
    for (n = 0; n < HD_CREW_LINGER && !x->backlog && !hd_shuffle(hd_word(&c->ended), 0); n++)
        hd_word_pause(n);
}

/* warps: bits, those of teams. */
static __device__ __forceinline__ void hd_crew_schedule(hd_crew *c, uint32_t warps)
{
    const hd_run *r = &c->run;
    hd_seating x = hd_seating_begin(c, warps);
    uint32_t n = 0, stop, moved, began;
#pragma unroll 1
    for (;;) {
        stop = hd_stopped(r); /* on its way meanwhile */
        moved = x.free != x.all && hd_crew_end(r, c, &x);
        moved |= (uint32_t)hd_crew_take_next(r, c, &x);
        hd_crew_begin_all(c, &x);
        hd_crew_draw(r, c, &x);
        moved |= (uint32_t)hd_crew_look(r, c, &x);
        began = x.free;
        hd_crew_begin_all(c, &x);
        if (x.free != began)
            hd_crew_linger(c, &x);
        hd_crew_note(r, &x);
        if (hd_shuffle(stop, 0) != HD_STOP_NOT && x.free == x.all)
            break;
        n = moved ? 0u : n + 1u;
        if (!moved)
            hd_crew_rest(r, &x, n);
    }
    if (hd_is_in(x.all))
        c->seat_of[threadIdx.x & 31u] = HD_NONE;
    hd_crew_call(c, x.all);
}

/* All threads: the block's words. */
static __device__ __forceinline__ void hd_crew_come(const hd_run &r, hd_crew *c)
{
    const uint32_t *from = (const uint32_t *)&r;
    uint32_t i;
    for (i = threadIdx.x; i < sizeof(hd_run) / 4u; i += blockDim.x)
        ((uint32_t *)&c->run)[i] = from[i];
    if (threadIdx.x < HD_SEATS) {
        hd_bell_new(&c->bell[threadIdx.x]);
        c->seat_of[threadIdx.x] = c->barrier_of[threadIdx.x] = c->stage_of[threadIdx.x] = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        c->ended = 0;
        c->pool = *r.pool;
        c->run.pool = &c->pool;
        hd_worker_begin(&r, &c->worker, blockIdx.x);
        if (blockIdx.x == 0)
            r.control->began = hd_clock();
    }
    __syncthreads();
}

/* All lanes of a courier. The first one ends the run: all workers have nothing to do. */
static __device__ __forceinline__ void hd_crew_bring(const hd_run &r, const hd_wire &wire, uint32_t id)
{
    hd_courier k = {id, 0, 0, 0, 0, 0, 0, 0, 0};
    k.n = r.n_workers < HD_COURIERS ? r.n_workers : HD_COURIERS;
    k.met = wire.couriers->met_before;
    hd_courier_serve(r, wire, k);
    if (id == 0u && (threadIdx.x & 31u) == 0)
        (void)hd_stop(&r.control->fail, HD_STOP_DONE);
}

/* All threads. */
template <typename Bodies>
static __device__ __forceinline__ void hd_crew_serve(const hd_run &r, const hd_wire &wire, hd_crew *c, uint8_t *arena)
{
    const uint32_t courier = r.n_workers - 1u - blockIdx.x, has_courier = courier < HD_COURIERS;
    hd_turn none = hd_turn_begin();
    hd_crew_come(r, c);
    if (threadIdx.x < 32u && has_courier)
        hd_crew_bring(r, wire, courier);
    else if (threadIdx.x < blockDim.x - 32u)
        hd_crew_warp<Bodies>(r, c, arena);
    else
        hd_crew_schedule(c, hd_below(blockDim.x / 32u - 1u) & ~has_courier);
    __syncthreads();
    if (threadIdx.x == 0)
        hd_block_leave(r, c->worker.run, hd_worker_end(&r, &c->worker, &none));
}

#endif
