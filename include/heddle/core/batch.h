/* SPDX-License-Identifier: MIT */
/* core/batch.h - tasks of a pool as blocks of ordinary launches: what the host hands to a GPU, and the kernels (nvcc only).
 *
 * A batch is what the host has sent at once into a stream: a launch with a block for each of some tasks of one block; a launch with
 * all blocks of one task; or a CUDA graph of such launches. A block reads its task's record from host memory (16 bytes a thread, one
 * trip) and runs the body with as many threads as the task wants. It tells the host the end itself (core/pool.h). The last task of a
 * batch also tells how many tasks have ended in its stream, which is all that the host has to know of the launch. If the host copies
 * results in the stream, behind the task, the stream's next launch tells its end.
 *
 * The slots of the tasks are parameters (hd_pool_batch), or a list in device memory, or only one (hd_pool_grid). */
#ifndef HEDDLE_CORE_BATCH_H
#define HEDDLE_CORE_BATCH_H

#include "heddle/core/stamp.h"

#define HD_POOL_BATCH_MOST 896u /* tasks: their slots are parameters of the kernel, 4 KB at most */

/* hd_posted.flags, besides those of hd_task */
#define HD_POSTED_CANCELED 0x10000u /* it must not run */

/* A task's record in pinned host memory, one for each slot of the host. */
typedef struct hd_posted {
    uint32_t generation, body, flags, n_blocks, team_size, arg_bytes, pad[2];
    uint8_t args[HD_INLINE_ARGS]; /* larger ones are elsewhere, args_bytes for each slot */
} hd_posted;
HD_STATIC_ASSERT(sizeof(hd_posted) == 96, "six threads read it at once");

/* Of a stream: its batches run one after another. In device memory. */
typedef struct hd_stream_words {
    uint32_t ended[2]; /* dev: tasks that have ended in this stream, by epoch                     */
    uint32_t done;     /* dev: tasks of this batch that have ended                                */
    uint32_t pad;
} hd_stream_words;

/* What each block has to know, besides its task. */
typedef struct hd_batch_words {
    const hd_posted *posted;
    const uint8_t *args; /* pinned host memory: large records                                     */
    const void *params;
    hd_fail *fates;   /* device                                                                   */
    uint32_t *closed; /* dev: of each slot's task: blocks that have ended                         */
    hd_told *told;
    uint32_t *news, *news_end;
    hd_stream_words *stream;
    hd_live *live;    /* of this stream                                                        */
    hd_stamp *stamps; /* as in hd_pool                                                 */
    hd_stamp_words *stamp_words;
    uint32_t args_bytes; /* of a slot                                                             */
    uint32_t n_host;
    uint32_t n_tasks;  /* of the batch                                                          */
    uint32_t n_blocks; /* of the one task of this launch; 0: it has tasks of one block            */
} hd_batch_words;

typedef struct hd_pool_batch {
    hd_batch_words words;
    uint32_t slot[HD_POOL_BATCH_MOST];
} hd_pool_batch;
HD_STATIC_ASSERT(sizeof(hd_pool_batch) <= 4096, "parameters of a kernel");

/* A task with copies of results, which are behind its launch in the stream. So that launch does not tell the end: the next one does. */
typedef struct hd_untold {
    uint32_t number; /* of its slot, + 1; 0: there is none                                          */
    uint32_t generation, flags;
} hd_untold;

/* Few parameters: each node of a CUDA graph has its own. */
typedef struct hd_pool_grid {
    hd_batch_words words;
    const uint32_t *slots; /* device: of each block; NULL: all blocks are of `slot`                 */
    uint32_t slot;         /* HD_NONE: the launch only tells `before`                               */
    uint32_t leaves;       /* 1: the end of its task, of one block, is left to the next launch       */
    hd_untold before;
} hd_pool_grid;

#if defined(__CUDACC__) || defined(HEDDLE_EMULATED_BLOCK)
#include "heddle/core/block.h"

/* One thread, when the body has ended on all threads: tells the host. The task's stamp is there. */
static __device__ __forceinline__ void hd_batch_tell(const hd_batch_words &b, uint32_t slot, uint32_t generation,
                                                     uint32_t flags, int skipped)
{
    hd_fail *fate = &b.fates[slot];
    uint32_t how = HD_LOAD(&fate->stop, RELAXED, DEV);
    const uint32_t code = HD_LOAD(&fate->code, RELAXED, DEV), odd = (flags & HD_TASK_ODD) != 0u;
    if (how != HD_STOP_NOT) {
        HD_STORE(&fate->stop, HD_STOP_NOT, RELAXED, DEV);
        HD_STORE(&fate->code, 0u, RELAXED, DEV);
    }
    how = how != HD_STOP_NOT ? how : skipped ? HD_STOP_CANCELED : HD_STOP_DONE;
    b.told[slot].code = code;
    HD_STORE(&b.told[slot].state, hd_told_of(generation, how), RELEASE, SYS);
    if (flags & HD_TASK_NOTIFY)
        HD_STORE(&b.news[HD_ADD(b.news_end, 1u, RELAXED, DEV) & (b.n_host - 1u)], slot + 1u, RELEASE, SYS);
    (void)HD_ADD(&b.stream->ended[odd], 1u, RELEASE, DEV);
}

static __device__ __forceinline__ void hd_batch_stamp(const hd_batch_words &b, uint32_t slot)
{
    if (b.stamps)
        hd_stamp_move(&b.stamps[slot], &b.stamp_words[slot], hd_block_sm());
}

/* One thread: a task was told. The last one of the batch tells the end of that. */
static __device__ __forceinline__ void hd_batch_count(const hd_batch_words &b)
{
    if (HD_ADD(&b.stream->done, 1u, ACQ_REL, DEV) + 1u != b.n_tasks)
        return;
    HD_STORE(&b.stream->done, 0u, RELAXED, DEV);
    HD_STORE(&b.live->ended[0], HD_LOAD(&b.stream->ended[0], ACQUIRE, DEV), RELEASE, SYS);
    HD_STORE(&b.live->ended[1], HD_LOAD(&b.stream->ended[1], ACQUIRE, DEV), RELEASE, SYS);
}

/* One thread: a block has ended; its body began then (hd_stamp_add), or 0: it was skipped, or there is no trace. The last one of a task
 * tells its end. */
static __device__ __forceinline__ void hd_batch_end(const hd_batch_words &b, uint32_t slot, const hd_posted *task,
                                                    int skipped, uint64_t began)
{
    if (began)
        hd_stamp_add(&b.stamp_words[slot], began);
    if (b.n_blocks && HD_ADD(&b.closed[slot], 1u, ACQ_REL, DEV) + 1u != b.n_blocks)
        return;
    if (b.n_blocks)
        HD_STORE(&b.closed[slot], 0u, RELAXED, DEV);
    hd_batch_stamp(b, slot);
    hd_batch_tell(b, slot, task->generation, task->flags, skipped);
    hd_batch_count(b);
}

/* The same for a task that a later launch of the stream tells: its fate says how it has ended. */
static __device__ __forceinline__ void hd_batch_leave(const hd_batch_words &b, uint32_t slot, int skipped,
                                                      uint64_t began)
{
    hd_fail *fate = &b.fates[slot];
    if (began)
        hd_stamp_add(&b.stamp_words[slot], began);
    hd_batch_stamp(b, slot);
    if (skipped && HD_LOAD(&fate->stop, RELAXED, DEV) == HD_STOP_NOT)
        HD_STORE(&fate->stop, HD_STOP_CANCELED, RELAXED, DEV);
}

/* All threads of a block, which has room for the task's record and block-shared memory. */
template <typename Bodies>
static __device__ __forceinline__ void hd_batch_block(const hd_batch_words &b, uint32_t slot, int leaves,
                                                      hd_posted &task, unsigned char *arena)
{
    heddle_thread thread;
    uint64_t began;
    int skipped;
    if (threadIdx.x < sizeof(hd_posted) / 16u)
        ((uint4 *)&task)[threadIdx.x] = ((const uint4 *)&b.posted[slot])[threadIdx.x];
    __syncthreads();
    thread = hd_block_thread(&b.fates[slot], arena, task.team_size, slot);
    thread.task = slot;
    thread.block = b.n_blocks ? blockIdx.x : 0u;
    thread.n_blocks = task.n_blocks;
    /* All threads or none: the word may change between their loads. */
    skipped = __syncthreads_or((task.flags & HD_POSTED_CANCELED) ||
                               HD_LOAD(&b.fates[slot].stop, RELAXED, DEV) != HD_STOP_NOT);
    began = b.stamps && !skipped ? hd_clock() : 0u;
    if (!skipped && threadIdx.x < task.team_size && task.body != HD_BODY_JOIN)
        Bodies()(&thread, task.body, b.params,
                 task.arg_bytes <= HD_INLINE_ARGS ? (const void *)task.args : b.args + (uint64_t)slot * b.args_bytes);
    __syncthreads();
    if (threadIdx.x == 0 && leaves)
        hd_batch_leave(b, slot, skipped, began);
    else if (threadIdx.x == 0)
        hd_batch_end(b, slot, &task, skipped, began);
}

template <typename Bodies> __global__ void hd_tasks_of_batch(const __grid_constant__ hd_pool_batch b)
{
    HD_BLOCK_ARENA(hd_arena);
    HD_BLOCK_SHARED(hd_posted, task);
    hd_batch_block<Bodies>(b.words, b.slot[b.words.n_blocks ? 0u : blockIdx.x], 0, task, hd_arena);
}

template <typename Bodies> __global__ void hd_tasks_of_grid(const __grid_constant__ hd_pool_grid g)
{
    HD_BLOCK_ARENA(hd_arena);
    HD_BLOCK_SHARED(hd_posted, task);
    /* No block of this task can end it before the first one has got here. */
    if (g.before.number && blockIdx.x == 0 && threadIdx.x == 0) {
        hd_batch_tell(g.words, g.before.number - 1u, g.before.generation, g.before.flags, 0);
        hd_batch_count(g.words);
    }
    if (g.slot != HD_NONE)
        hd_batch_block<Bodies>(g.words, g.slots ? g.slots[blockIdx.x] : g.slot, (int)g.leaves, task, hd_arena);
}
#endif

#endif
