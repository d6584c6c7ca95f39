/* SPDX-License-Identifier: MIT */
/* core/courier.h - the warps of some blocks that bring the host's tasks into a kernel of a pool. nvcc only.
 *
 * A courier is a warp; nobody else reads host memory for tasks. If a block has one team, the warps of the last blocks of the grid
 * (hd_courier_blocks) begin as couriers. If it has several (core/crew.h), one warp of each of these is a courier and nothing else.
 *
 * A courier looks at a chunk of 32 lines of the wire (core/wire.h) and writes the records of those that have come. Then it places their
 * tasks for the workers, as a worker places those that it has freed (core/ticket.h). Chunks are dealt out to the couriers in turn.
 * There are many of them, because a look takes a microsecond and a turn some more.
 *
 * A start of the kernel is a run under dispatch ticket, with the couriers' blocks among the workers. As long as they bring tasks
 * they draw no tickets, so the run does not end. When the couriers have stopped, the blocks go on as workers like any other;
 * then all workers wait, and the run is over as that of a graph is.
 *
 * Couriers stop when all other workers wait and no line has come for linger_ns. After hold_ns, or when the host asks, they look at
 * no further line until all others wait, so that other kernels get the GPU; but if tasks take long, they go on after a while
 * (HD_PATIENCE_NS), unless the host has asked. While the host asks them to stay, they do not stop. To stop, they agree on a place up to which all lines are taken: there the next run
 * begins.
 *
 * A task with predecessors is put into their lists only when all lines before its own have their records. Until then the handle
 * of a predecessor could look like that of a task that has ended. The same holds for the line that releases a held task. */
#ifndef HEDDLE_CORE_COURIER_H
#define HEDDLE_CORE_COURIER_H

#include "heddle/core/block.h"
#include "heddle/core/wire.h"

#if !defined(HD_CHUNK) /* the model test has less, and fewer lanes */
#define HD_CHUNK 32u   /* lines, one for each lane */
#define HD_GROUPS 4u   /* of a chunk: a load of all lanes fetches one */
#endif
#define HD_GROUP (HD_CHUNK / HD_GROUPS)
#define HD_PATIENCE_NS 2500000ull
#define HD_ASK_EVERY 4u       /* looks of the first courier between two at what the host asks */
#define HD_COURIER_REST 1000u /* ns between two looks of a courier, while lines before its chunk are missing */

/* A courier, in registers; the same in all lanes. */
typedef struct hd_courier {
    uint32_t id, at;    /* its chunk                                                          */
    uint32_t got, late; /* of its lines, bits: those taken; of these, those that wait to be put into lists */
    uint32_t eager;     /* lines came at the last look: it fetches the whole chunk                 */
    uint32_t top;       /* behind the last line that it has taken in this round                    */
    uint32_t n, place;  /* couriers; where this round has begun                                   */
    uint32_t met;       /* arrivals at their barrier before the next                               */
} hd_courier;

/* Blocks that begin as couriers, of n_workers of n_threads. */
HD_FN uint32_t hd_courier_blocks(uint32_t n_workers, uint32_t n_threads)
{
    const uint32_t n_warps = n_threads / 32u, n = (HD_COURIERS + n_warps - 1u) / n_warps;
    return n < n_workers / 2u ? n : n_workers / 2u;
}
HD_FN uint32_t hd_n_couriers(uint32_t n_workers, uint32_t n_threads)
{
    const uint32_t n = hd_courier_blocks(n_workers, n_threads) * (n_threads / 32u);
    return n < HD_COURIERS ? n : HD_COURIERS;
}

static __device__ __forceinline__ uint32_t hd_lane_bit(void) { return 1u << (threadIdx.x & 31u); }
static __device__ __forceinline__ uint32_t hd_below(uint32_t n) { return n >= 32u ? 0xffffffffu : (1u << n) - 1u; }

/* ---- a look at the lines ---- */

/* All lanes: the words of this lane's line, if bit `lane` of the result is set: lines of the chunk that have come and were not
 * taken. Lanes fetch units of neighbouring lines together, and pass them on to the lanes of the lines. */
static __device__ __forceinline__ uint32_t hd_courier_look(const hd_wire &wire, const hd_courier &c, uint32_t *words)
{
    const uint32_t lane = threadIdx.x & 31u;
    const uint32_t first = c.got == 0xffffffffu ? HD_GROUPS : (hd_lowest(~c.got) / HD_GROUP);
    hd_unit u[HD_GROUPS];
    uint32_t fresh = 0, g, k;
#pragma unroll
    for (g = 0; g < HD_GROUPS; g++) {
        const uint32_t place = c.at + g * HD_GROUP + lane / HD_WIRE_UNITS;
        u[g].tag = place; /* not there */
        if (g == first || (c.eager && (c.got >> g * HD_GROUP & hd_below(HD_GROUP)) != hd_below(HD_GROUP)))
            u[g] = HD_UNIT_LOAD(&wire.lines[place & (wire.n_lines - 1u)].unit[lane % HD_WIRE_UNITS]);
    }
#pragma unroll
    for (g = 0; g < HD_GROUPS; g++) {
        const uint32_t place = c.at + g * HD_GROUP + lane / HD_WIRE_UNITS;
        const uint32_t there = __ballot_sync(0xffffffffu, u[g].tag == place + 1u);
        if (there == 0u)
            continue;
        fresh |= lane / HD_GROUP == g && (there >> lane % HD_GROUP * HD_WIRE_UNITS & 15u) == 15u;
#pragma unroll
        for (k = 0; k < HD_WIRE_WORDS; k++) {
            const uint32_t v = __shfl_sync(0xffffffffu, u[g].word[k % 3u], lane % HD_GROUP * HD_WIRE_UNITS + k / 3u);
            words[k] = lane / HD_GROUP == g ? v : words[k];
        }
    }
    return __ballot_sync(0xffffffffu, fresh) & ~c.got;
}

/* ---- a task ---- */

/* One lane: the arguments, from the line or from where larger ones are. */
static __device__ __forceinline__ void hd_courier_args(const hd_wire &wire, const hd_sent &s, const uint32_t *words,
                                                       void *to)
{
    const uint4 *far = (const uint4 *)(wire.args + (uint64_t)s.slot * wire.args_bytes);
    uint32_t k;
    if (s.arg_bytes > HD_WIRE_ARGS) {
#pragma unroll 4
        for (k = 0; k < (s.arg_bytes + 15u) / 16u; k++)
            ((uint4 *)to)[k] = far[k];
        return;
    }
#pragma unroll
    for (k = 0; k < HD_WIRE_ARGS / 4u; k++)
        ((uint32_t *)to)[k] = words[HD_WIRE_HEAD + k];
}

static __device__ __forceinline__ void hd_courier_after(const hd_run &r, const hd_wire &wire, const hd_sent &s)
{
    uint32_t k;
#pragma unroll
    for (k = 0; k < HD_MAX_AFTER; k++)
        if (k < s.n_after)
            r.after[s.slot].handle[k] = wire.after[s.slot].handle[k];
}

static __device__ __forceinline__ void hd_courier_copies(const hd_run &r, const hd_wire &wire, const hd_sent &s)
{
    const uint4 *far = (const uint4 *)(wire.copies + (uint64_t)s.slot * wire.n_copies);
    const uint32_t n = hd_n_copies(s.flags);
    uint32_t k;
#pragma unroll 1
    for (k = 0; k < n; k++)
        ((uint4 *)(r.pool->copies + (uint64_t)s.slot * wire.n_copies))[k] = far[k];
}

/* All lanes: those in `mask` place the tasks of their slots. */
static __device__ __forceinline__ void hd_courier_place(const hd_run &r, uint32_t mask, uint32_t t, uint32_t flags)
{
    uint32_t what = t;
    if (mask & hd_lane_bit() && flags & HD_TASK_URGENT) {
        hd_urgent_put(&r, t);
        what = HD_PLACE_URGENT - 1u;
    }
    __syncwarp();
    hd_ticket_place(&r, mask, what);
}

/* One lane: takes its line, of a task or of a release. */
static __device__ __forceinline__ void hd_courier_record(const hd_run &r, const hd_wire &wire, const hd_sent &s,
                                                         const uint32_t *words)
{
    if (s.held == HD_RELEASED)
        return;
    hd_courier_args(wire, s, words, hd_send_record(&r, &s));
    hd_courier_after(r, wire, s);
    hd_courier_copies(r, wire, s);
}

/* All lanes: those in `fresh` take their lines. Tasks that wait for nothing are placed. */
static __device__ __forceinline__ void hd_courier_take(const hd_run &r, const hd_wire &wire, hd_courier &c,
                                                       uint32_t fresh, const uint32_t *words)
{
    hd_sent s;
    uint32_t waits = 0, goes = 0;
    HD_FENCE_HOST();
    hd_wire_unpack(&s, words);
    if (fresh & hd_lane_bit()) {
        hd_courier_record(r, wire, s, words);
        waits = s.n_after != 0u || s.held == HD_RELEASED;
        goes = !waits && !s.held;
    }
    __syncwarp();
    waits = __ballot_sync(0xffffffffu, waits);
    goes = __ballot_sync(0xffffffffu, goes);
    c.got |= fresh;
    c.late |= waits;
    if (goes)
        hd_courier_place(r, goes, r.n_tasks + s.slot, s.flags);
}

/* ---- what couriers know of one another ---- */

/* All lanes: the least, or the greatest, of each courier's words, seen from `from`. */
static __device__ __forceinline__ int32_t hd_courier_extreme(const hd_courier &c, uint32_t *words, uint32_t from,
                                                             int greatest)
{
    const uint32_t lane = threadIdx.x & 31u;
    const int32_t mine = lane < c.n ? (int32_t)(HD_LOAD(&words[lane], ACQUIRE, DEV) - from) : 0;
    int32_t all = (int32_t)hd_shuffle((uint32_t)mine, 0);
    uint32_t k;
    for (k = 1; k < c.n; k++) {
        const int32_t v = (int32_t)hd_shuffle((uint32_t)mine, k);
        all = (greatest ? v > all : v < all) ? v : all;
    }
    return all;
}

/* All lanes: all couriers meet. */
static __device__ __forceinline__ void hd_couriers_meet(hd_couriers *all, hd_courier &c)
{
    uint32_t n = 0;
    c.met += c.n;
    __syncwarp();
    if ((threadIdx.x & 31u) == 0) {
        (void)HD_ADD(&all->met, 1u, RELEASE, DEV);
        while ((int32_t)(HD_LOAD(&all->met, ACQUIRE, DEV) - c.met) < 0)
            HD_PAUSE(n++);
    }
    __syncwarp();
}

/* All lanes: puts tasks of the chunk into the lists of those that they wait for, if all lines before theirs have records. If they
 * have ended, the task is placed. slot: of the task in this lane's line. */
static __device__ __forceinline__ void hd_courier_link(const hd_run &r, hd_couriers *all, hd_courier &c, uint32_t slot)
{
    const int32_t own = c.got == 0xffffffffu ? (int32_t)HD_CHUNK : (int32_t)hd_lowest(~c.got);
    const int32_t others = hd_courier_extreme(c, all->at, c.at, 0); /* with this one's, 0 */
    const uint32_t mine = others < 0 ? 0u : c.late & hd_below((uint32_t)own);
    uint32_t ready = 0;
    if (!mine)
        return;
    if (mine & hd_lane_bit())
        ready = !hd_wait_on(&r, r.n_tasks + slot);
    ready = __ballot_sync(0xffffffffu, ready);
    c.late &= ~mine;
    if (ready)
        hd_courier_place(r, ready, r.n_tasks + slot, r.tasks[r.n_tasks + slot].flags);
}

/* ---- when they stop ---- */

/* What the first courier remembers. */
typedef struct hd_tiring {
    uint64_t began, since; /* the run; the last line that came */
    uint32_t said, n;      /* the last `taken`; looks          */
    uint32_t stay;         /* its number; 0: it need not stay  */
} hd_tiring;

/* One lane: what the host asks. */
static __device__ __forceinline__ uint32_t hd_courier_asked(const hd_wire &wire, hd_tiring *t)
{
    const uint32_t asked = HD_LOAD(wire.asked, RELAXED, SYS);
    const uint32_t stay = asked > HD_ASKED_END ? asked : 0u;
    if (stay && stay != t->stay)
        HD_STORE(wire.stays, stay, RELAXED, SYS);
    t->stay = stay;
    return asked;
}

/* Have all other workers nothing to do? Those of several teams may hold several tickets: of these the places tell that were handed
 * out, and served; in this order, since a task frees others before it counts as served. */
static __device__ __forceinline__ int hd_others_wait(const hd_run &r)
{
    if (r.pool->n_seats)
        return 0u - HD_LOAD(&r.control->outstanding, ACQUIRE, DEV) ==
               hd_places_in(HD_PAIR_LOAD(&r.control->places, RELAXED));
    return hd_waiting_now(&r) == (int32_t)(r.n_workers - hd_courier_blocks(r.n_workers, blockDim.x));
}

/* All lanes of the first courier, after each look: shall they stop? Says to the host up to where all lines are taken. */
static __device__ __forceinline__ int hd_couriers_tire(const hd_run &r, const hd_wire &wire, const hd_courier &c,
                                                       hd_tiring *t)
{
    hd_couriers *all = wire.couriers;
    const uint64_t now = hd_clock();
    int stop = 0;
    if (t->n++ % HD_ASK_EVERY == 0) {
        const uint32_t taken = t->said + (uint32_t)hd_courier_extreme(c, all->at, t->said, 0);
        if ((threadIdx.x & 31u) == 0) {
            if (taken != t->said)
                HD_STORE(wire.taken, taken, RELEASE, SYS);
            stop = hd_courier_asked(wire, t) == HD_ASKED_END || (now > t->began + wire.hold_ns && !t->stay);
        }
        t->said = taken;
    }
    if ((threadIdx.x & 31u) != 0)
        return 0;
    if (HD_LOAD(&all->news, RELAXED, DEV)) {
        HD_STORE(&all->news, 0u, RELAXED, DEV);
        t->since = now;
    }
    return stop || (now > t->since + wire.linger_ns && !t->stay && hd_others_wait(r));
}

/* One lane, when no courier takes lines: waits until all others wait, too. 0: tasks take too long, the couriers shall go on. */
static __device__ __forceinline__ uint32_t hd_couriers_may_leave(const hd_run &r, const hd_wire &wire)
{
    const uint64_t began = hd_clock();
    uint32_t n = 0;
    while (!hd_others_wait(r)) {
        if (hd_stopped(&r) != HD_STOP_NOT)
            return 1;
        if (hd_clock() > began + HD_PATIENCE_NS && HD_LOAD(wire.asked, RELAXED, SYS) != HD_ASKED_END)
            return 0;
        HD_YIELD(n++);
    }
    return 1;
}

/* ---- a courier ---- */

/* All lanes: one look. Lines from `end_bits` on are left. */
static __device__ __forceinline__ void hd_courier_turn(const hd_run &r, const hd_wire &wire, hd_courier &c,
                                                       uint32_t *slot, uint32_t end_bits)
{
    hd_couriers *all = wire.couriers;
    uint32_t words[HD_WIRE_WORDS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint32_t fresh = hd_courier_look(wire, c, words) & end_bits;
    c.eager = fresh != 0u;
    if (fresh) {
        hd_courier_take(r, wire, c, fresh, words);
        *slot = fresh & hd_lane_bit() ? words[0] : *slot;
        c.top = c.at + 32u - (uint32_t)__clz((int)c.got);
        if ((threadIdx.x & 31u) == 0)
            HD_STORE(&all->news, 1u, RELAXED, DEV);
    }
    if (c.late)
        hd_courier_link(r, all, c, *slot);
    if (c.got != hd_below(HD_CHUNK) || c.late)
        return;
    c.at += HD_CHUNK * c.n;
    c.got = 0;
    c.eager = 1;
    __syncwarp();
    if ((threadIdx.x & 31u) == 0)
        HD_STORE(&all->at[c.id], c.at, RELEASE, DEV);
}

/* All lanes, when nothing has come: rests while lines before its chunk are missing, so that the bus is free. */
static __device__ __forceinline__ void hd_courier_rest(const hd_couriers *all, const hd_courier &c)
{
    const uint32_t before = c.id ? c.id - 1u : c.n - 1u;
    int is_next = 1;
    if (c.n > 1u && (threadIdx.x & 31u) == 0)
        is_next = (int32_t)(HD_LOAD((uint32_t *)&all->at[before], RELAXED, DEV) - c.at) > 0;
    if (!hd_shuffle((uint32_t)is_next, 0))
        __nanosleep(HD_COURIER_REST);
}

/* All lanes: the courier's first chunk from the place on where this round begins. */
static __device__ __forceinline__ void hd_courier_begin(hd_couriers *all, hd_courier &c)
{
    const uint32_t chunk = all->place / HD_CHUNK, ahead = (c.id + c.n - chunk % c.n) % c.n;
    c.place = all->place;
    c.at = (chunk + ahead) * HD_CHUNK;
    c.got = ahead ? 0u : hd_below(all->place % HD_CHUNK);
    c.late = c.eager = 0;
    c.top = c.place;
    __syncwarp();
    if ((threadIdx.x & 31u) == 0)
        HD_STORE(&all->at[c.id], c.at, RELAXED, DEV);
    hd_couriers_meet(all, c);
}

/* All lanes: takes lines until the couriers stop. */
static __device__ __forceinline__ void hd_courier_work(const hd_run &r, const hd_wire &wire, hd_courier &c,
                                                       uint32_t *slot, hd_tiring *t)
{
    hd_couriers *all = wire.couriers;
    for (;;) { /* both words are on their way during the look */
        const uint32_t stops = HD_LOAD(&all->stops, RELAXED, DEV), over = hd_stopped(&r);
        hd_courier_turn(r, wire, c, slot, 0xffffffffu);
        if (hd_shuffle(stops | (over != HD_STOP_NOT), 0))
            return; /* before the host is answered that they stay */
        if (c.id == 0u && hd_couriers_tire(r, wire, c, t))
            HD_STORE(&all->stops, 1u, RELAXED, DEV);
        if (!c.eager)
            hd_courier_rest(all, c);
    }
}

/* All lanes: they agree where they stop, and take the lines before that. Returns the place. */
static __device__ __forceinline__ uint32_t hd_courier_stop(const hd_run &r, const hd_wire &wire, hd_courier &c,
                                                           uint32_t *slot)
{
    hd_couriers *all = wire.couriers;
    uint32_t end;
    if ((threadIdx.x & 31u) == 0)
        HD_STORE(&all->top[c.id], c.top, RELAXED, DEV);
    hd_couriers_meet(all, c);
    end = c.place + (uint32_t)hd_courier_extreme(c, all->top, c.place, 1);
    c.eager = 1;
    while (hd_shuffle(hd_stopped(&r), 0) == HD_STOP_NOT) {
        const int32_t left = (int32_t)(end - c.at);
        const uint32_t bits = left <= 0 ? 0u : hd_below((uint32_t)left);
        if (!(bits & ~c.got) && !c.late)
            break;
        hd_courier_turn(r, wire, c, slot, bits);
    }
    return end;
}

/* All lanes of a courier. */
static __device__ __forceinline__ void hd_courier_serve(const hd_run &r, const hd_wire &wire, hd_courier &c)
{
    hd_couriers *all = wire.couriers;
    const uint64_t now = hd_clock();
    hd_tiring t = {now, now, all->place, 0, 0};
    uint32_t slot = 0, end;
    do {
        hd_courier_begin(all, c);
        hd_courier_work(r, wire, c, &slot, &t);
        end = hd_courier_stop(r, wire, c, &slot);
        hd_couriers_meet(all, c);
        if (c.id == 0u && (threadIdx.x & 31u) == 0) {
            HD_STORE(wire.taken, end, RELEASE, SYS);
            HD_STORE(&all->stops, 0u, RELAXED, DEV);
            all->place = end;
            all->goes_on = !hd_couriers_may_leave(r, wire);
        }
        hd_couriers_meet(all, c);
        t.began = t.since = hd_clock();
        t.said = end;
    } while (all->goes_on);
    if (c.id == 0u && (threadIdx.x & 31u) == 0)
        all->met_before = c.met;
}

/* All threads of a block: if its warps are to be couriers, they bring tasks until there have been none for long. */
static __device__ __forceinline__ void hd_couriers_serve(const hd_run &r, const hd_wire &wire)
{
    const uint32_t n_blocks = hd_courier_blocks(r.n_workers, blockDim.x), first = r.n_workers - n_blocks;
    hd_courier c = {(blockIdx.x - first) * (blockDim.x / 32u) + threadIdx.x / 32u, 0, 0, 0, 0, 0, 0, 0, 0};
    if (blockIdx.x < first)
        return;
    c.n = hd_n_couriers(r.n_workers, blockDim.x);
    c.met = wire.couriers->met_before;
    if (c.id < c.n)
        hd_courier_serve(r, wire, c);
    __syncthreads();
}

#endif
