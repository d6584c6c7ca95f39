/* SPDX-License-Identifier: MIT */
/* core/block.h - the parts of a worker on a GPU. nvcc only.
 *
 * A block has one or two warps more than its team needs. The team runs bodies and nothing else; the others schedule.
 * This file has what every block has, and the block of the dynamic dispatches: its records, and how the scheduling warp
 * fetches them. core/resident.h has their kernel, core/planned.h that of dispatch plan. */
#ifndef HEDDLE_CORE_BLOCK_H
#define HEDDLE_CORE_BLOCK_H

#include "heddle/core/ticket.h"

/* Barriers of a block: 0 for all threads, 1 for the team (heddle_team_barrier); READY and DONE of dispatch plan have
 * two each. */
#define HD_BAR_READY 2u
#define HD_BAR_DONE 4u
#define HD_BAR_FREE 6u /* from here on they are free for bodies with barriers of their own */

/* Memory of the block. The emulator of blocks has its own (tests/emulate_gpu/cuda.h). */
#if !defined(HD_BLOCK_SHARED)
#define HD_BLOCK_SHARED(type, name) __shared__ type name
#define HD_BLOCK_ARENA(name) extern __shared__ __align__(128) unsigned char name[]
#endif

/* The model test of the warps of a block defines these itself (tests/model/cuda.h). */
#if !defined(HEDDLE_MODEL)

#define HD_FEW_POLLS 32u

static __device__ __forceinline__ void hd_bar_block(void) { asm volatile("bar.sync 0;" ::: "memory"); }
/* The barrier numbers are literals: a number in a register costs the hardware more. */
static __device__ __forceinline__ void hd_bar_team(uint32_t n) { asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory"); }
#define HD_BAR_PAIR_(name, op, first, second)                               \
    static __device__ __forceinline__ void name(uint32_t i, uint32_t n)     \
    {                                                                       \
        if (i & 1u)                                                         \
            asm volatile("bar." op " " second ", %0;" ::"r"(n) : "memory"); \
        else                                                                \
            asm volatile("bar." op " " first ", %0;" ::"r"(n) : "memory");  \
    }
HD_BAR_PAIR_(hd_ready_sync, "sync", "2", "3")
HD_BAR_PAIR_(hd_ready_arrive, "arrive", "2", "3")
HD_BAR_PAIR_(hd_done_sync, "sync", "4", "5")
HD_BAR_PAIR_(hd_done_arrive, "arrive", "4", "5")
#undef HD_BAR_PAIR_

/* Words between the warps of a block, in shared memory. hd_set_word releases what the warp wrote before. hd_mark is for
 * words that only say that a barrier is past, which has ordered everything already. */
static __device__ __forceinline__ uint32_t hd_word(const uint32_t *p)
{
    uint32_t v;
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
                 : "=r"(v)
                 : "r"((uint32_t)__cvta_generic_to_shared(p))
                 : "memory");
    return v;
}
static __device__ __forceinline__ void hd_set_word(uint32_t *p, uint32_t v)
{
    asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(p)), "r"(v) : "memory");
}
static __device__ __forceinline__ void hd_mark(uint32_t *p, uint32_t v)
{
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(p)), "r"(v) : "memory");
}
/* The n-th fruitless poll of such a word: a polling warp takes issue slots from the warps that compute. */
static __device__ __forceinline__ void hd_word_pause(uint32_t n)
{
    if (n > HD_FEW_POLLS)
        __nanosleep(32);
}

#endif

/* A bell tells a warp of the block that there is something for it; what was written before is released to that warp. A warp that
 * waits takes no issue slots where the hardware has barriers to sleep on. */
typedef struct hd_bell {
    uint64_t word;
} hd_bell;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void hd_bell_new(hd_bell *b)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"((uint32_t)__cvta_generic_to_shared(b)) : "memory");
}
static __device__ __forceinline__ void hd_bell_ring(hd_bell *b)
{
    asm volatile("{.reg .b64 t; mbarrier.arrive.shared.b64 t, [%0];}" ::"r"((uint32_t)__cvta_generic_to_shared(b))
                 : "memory");
}
/* All lanes of the warp: until it has been rung n + 1 times. */
static __device__ __forceinline__ void hd_bell_wait(hd_bell *b, uint32_t n)
{
    uint32_t there = 0;
    while (!there)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(there)
                     : "r"((uint32_t)__cvta_generic_to_shared(b)), "r"(n & 1u)
                     : "memory");
    __syncwarp();
}
#else /* a word that counts */
static __device__ __forceinline__ void hd_bell_new(hd_bell *b) { hd_set_word((uint32_t *)&b->word, 0u); }
static __device__ __forceinline__ void hd_bell_ring(hd_bell *b)
{
    hd_set_word((uint32_t *)&b->word, hd_word((uint32_t *)&b->word) + 1u);
}
static __device__ __forceinline__ void hd_bell_wait(hd_bell *b, uint32_t n)
{
    uint32_t polls = 0;
    while (hd_shuffle(hd_word((uint32_t *)&b->word), 0) == n)
        hd_word_pause(polls++);
    __syncwarp();
}
#endif

static __device__ __forceinline__ heddle_thread hd_block_thread(hd_fail *fail, void *arena, uint32_t team_size,
                                                                uint32_t worker)
{
    heddle_thread thread;
    thread.index = threadIdx.x;
    thread.team_size = team_size;
    thread.worker = worker;
    thread.task = HD_NONE;
    thread.shared = arena;
    thread.fail = fail;
    thread.emulated = nullptr;
    thread.failed = nullptr;
    thread.spawn_buffer = nullptr;
    thread.in_order = thread.block = 0;
    thread.n_blocks = thread.barrier = 1;
    thread.notes = nullptr;
    return thread;
}

/* The multiprocessor that this block is on. */
static __device__ __forceinline__ uint32_t hd_block_sm(void)
{
    uint32_t sm = 0;
#if defined(__CUDA_ARCH__)
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
#endif
    return sm;
}

/* ---- what the host sees of a worker, and how a run ends ---- */

/* A worker writes host memory only when it has waited long, because a later release waits for such a store. So the host
 * learns of tasks that have run for some time, not of each. */
static __device__ __forceinline__ void hd_now_task_at(const hd_run &r, uint32_t worker, uint32_t task)
{
    if (r.now)
        HD_STORE(&r.now[worker].task, task, RELAXED, SYS);
}
static __device__ __forceinline__ void hd_now_task(const hd_run &r, uint32_t task)
{
    hd_now_task_at(r, blockIdx.x, task);
}

static __device__ __forceinline__ void hd_now_waits(const hd_run &r, uint32_t task, uint32_t seen, uint32_t need)
{
    if (!r.now)
        return;
    HD_STORE(&r.now[blockIdx.x].seen, seen, RELAXED, SYS);
    HD_STORE(&r.now[blockIdx.x].need, need, RELAXED, SYS);
    HD_STORE(&r.now[blockIdx.x].waits, task, RELAXED, SYS);
}

static __device__ __forceinline__ void hd_block_came(const hd_run &r, uint32_t run)
{
    if (blockIdx.x == 0)
        r.control->began = hd_clock();
    if (r.now) {
        HD_STORE(&r.now[blockIdx.x].waits, HD_NONE, RELAXED, SYS);
        HD_STORE(&r.now[blockIdx.x].task, HD_NONE, RELAXED, SYS);
        HD_STORE(&r.now[blockIdx.x].came, run, RELAXED, SYS);
    }
}

/* One lane, when the worker has left. last: all workers are out; reports how the run ended and prepares the next. */
static __device__ __forceinline__ void hd_block_leave(const hd_run &r, uint32_t run, int last)
{
    hd_fail *f = &r.control->fail;
    uint32_t why;
    if (!last)
        return;
    why = HD_LOAD(&f->stop, RELAXED, DEV);
    r.end->stop = why == HD_STOP_NOT ? HD_STOP_DONE : why;
    r.end->code = HD_LOAD(&f->code, RELAXED, DEV);
    r.end->task = HD_LOAD(&f->task, RELAXED, DEV);
    r.end->begin_ns = r.control->began;
    r.end->end_ns = hd_clock();
    if (why <= HD_STOP_DONE)
        hd_rearm(&r, run + 1u);
    HD_STORE(&r.end->run, run, RELEASE, SYS);
}

/* ---- the block of the dynamic dispatches ---- */

#define HD_AHEAD 4u /* successors of a task with records fetched while it runs */
#define HD_RECORDS (HD_AHEAD + 1u)

typedef struct __align__(128) hd_block
{
    hd_task record
        [2]
        [HD_RECORDS]; /* of the running task and of those that may be next, halves in turns; last: fetched when taken */
    uint32_t at;      /* index of the record that runs; HD_NONE: the run is over        */
    uint32_t name;    /* of its task, in messages                                       */
    uint32_t ended;   /* by thread 0: bodies that it has ended; others are about to */
    uint32_t failed;  /* a body has failed: none after it runs                          */
    uint64_t begin, end; /* tracing: of the last body                                      */
    hd_worker worker;
}
hd_block;

/* Hides the pointer's origin from the compiler, which otherwise recomputes it at every use, from the block's position
 * in its cluster. */
template <typename T> static __device__ __forceinline__ T *hd_where(T *p)
{
#if defined(HEDDLE_MODEL)
    return p;
#else
    uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("" : "+r"(at));
    return (T *)__cvta_shared_to_generic(at);
#endif
}

static __device__ __forceinline__ hd_block *hd_block_of(hd_worker *w)
{
    return (hd_block *)((char *)w - __builtin_offsetof(hd_block, worker));
}

/* The scheduling warp: copies task t's record. x->hit: index of its prefetched record, if there is one. */
static __device__ __forceinline__ const hd_task *hd_block_fetch(const hd_run *r, hd_worker *w, hd_turn *x, uint32_t t)
{
    const uint32_t lane = threadIdx.x & 31u, at = x->hit < x->ahead ? x->hit : HD_AHEAD;
    hd_task *record = &hd_block_of(w)->record[x->half][at];
    if (at != HD_AHEAD)
        HD_COPY_WAIT();
    else if (lane < 8u)
        ((uint4 *)record)[lane] = ((const uint4 *)hd_task_at(r, t))[lane];
    __syncwarp();
    x->at = x->half * HD_RECORDS + at;
    return record;
}

/* The scheduling warp, when a body begins: starts to fetch the records of its task's first successors; or, if it has
 * none, that of the youngest task of the deque. */
static __device__ __forceinline__ void hd_block_ahead(const hd_run *r, hd_worker *w, hd_turn *x, int spawns)
{
    const uint32_t lane = threadIdx.x & 31u, k = lane / 8u, n = x->n_succ;
    uint32_t t = __shfl_sync(0xffffffffu, x->edge.task, (int)k);
    HD_COPY_WAIT(); /* of the turn before the last: that half is used again */
    x->half ^= 1u;
    x->next_at = HD_NONE; /* of a task that still waits to be run the record is overwritten */
    x->ahead = n < HD_AHEAD ? n : HD_AHEAD;
    x->guess = HD_OVER;
    if (spawns && n == 0u && r->dispatch == HD_DISPATCH_TICKET) {
        const uint32_t has = __shfl_sync(0xffffffffu, w->by.ticket.n_deque, 0);
        if (has)
            x->guess = t = *hd_deque_at(&w->by.ticket, has - 1u);
        x->ahead = has != 0u;
    }
    if (k < x->ahead)
        HD_COPY16((uint4 *)&hd_block_of(w)->record[x->half][k] + (lane & 7u),
                  (const uint4 *)hd_task_at(r, t) + (lane & 7u));
    x->stop = __shfl_sync(0xffffffffu, x->asked, 0); /* loaded since the last turn, so nothing waits for it */
    x->asked = hd_stopped(r);
}

#endif
