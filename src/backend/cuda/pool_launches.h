/* SPDX-License-Identifier: MIT */
/* pool_launches.h - a pool as launches: pool_launches.c decides when which tasks go, a policy (pool_policy.c) how. */
#ifndef HD_CUDA_POOL_LAUNCHES_H
#define HD_CUDA_POOL_LAUNCHES_H

#include "backend/cuda/pool.h"

#include "heddle/core/batch.h"

#define HD_POOL_STREAMS 32u /* at most */

/* Of a slot's task. */
typedef struct hd_pool_note {
    uint32_t generation;
    uint8_t where, class, is_wide, is_held; /* is_wide: it has several blocks */
    uint16_t n_after;
    uint32_t next; /* in the list of sent tasks, of waiting ones, or of ready ones */
} hd_pool_note;

typedef struct hd_pool_list {
    uint32_t first, last, n; /* slots */
} hd_pool_list;

typedef struct hd_pool_stream {
    cudaStream_t stream;
    uint32_t n_sent; /* tasks launched in it, modulo 2^32 */
    uint32_t n_last; /* of the last batch, with their slots; pinned */
    uint32_t *last;
    uint32_t *list;      /* device: the same for a grid; or NULL */
    cudaGraph_t graph;   /* of n_nodes nodes, a task each; or NULL */
    cudaGraphExec_t run; /* of it */
    CUgraphNode *nodes;
    uint32_t n_nodes;
    uint8_t *stage;   /* device: for copies of one task; or NULL */
    hd_untold untold; /* the last task, until a launch tells it */
} hd_pool_stream;

typedef struct hd_pool_policy {
    const char *what; /* batches are, in the plural */
    uint32_t variant; /* of the kernel: HD_POOL_... */
    uint32_t n_streams;
    uint32_t most;      /* tasks of a batch; 0: as many as there are slots */
    uint8_t in_turn;    /* streams are used in turn, whether they have something to do or not */
    uint8_t is_filled;  /* a batch has at most as many tasks as the GPU holds at once */
    uint8_t is_mixed;   /* a batch has teams of several sizes */
    uint8_t takes_wide; /* and tasks of several blocks among others */
    uint8_t is_lazy;    /* tasks go when the program waits */
    uint8_t copies;     /* a task's copies are made in its stream */
    /* Hands the tasks of stream s's last batch to the GPU: of one class unless the policy is mixed; one task if it is wide, unless the
     * policy takes those. */
    heddle_status (*launch)(hd_loaded *l, uint32_t s, hd_error *e);
} hd_pool_policy;
/* Of HEDDLE_POOL_... */
const hd_pool_policy *hd_pool_policy_of(uint32_t mode);
/* What the policy needs in stream s, and frees. */
heddle_status hd_pool_policy_make(hd_loaded *l, uint32_t s, hd_error *e);
void hd_pool_policy_free(hd_loaded *l, uint32_t s);
/* Nothing else is launched now: tells the ends that are left to later launches. 1: there were some. */
int hd_pool_policy_settle(hd_loaded *l);

/* Guarded by the pool's mutex, but for `sent`, `wanted` and the posts of tasks that are about to be sent. */
typedef struct hd_pool_launcher {
    const hd_pool_policy *policy;
    hd_posted *posted;           /* pinned */
    uint32_t *closed, *news_end; /* device */
    hd_stream_words *stream_words;
    hd_pool_note *notes;
    uint64_t (*after)[HD_MAX_AFTER];
    hd_copy *copies; /* most_copies of each slot; or NULL */
    CUfunction function;
    hd_pool_stream streams[HD_POOL_STREAMS];
    uint32_t next;  /* if streams are used in turn */
    uint32_t most;  /* tasks of a batch */
    uint32_t usual; /* the class of the config's team */
    uint64_t since; /* there has been nothing to do; 0: there has */
    hd_pool_list waiting, ready[HD_POOL_CLASSES], wide;
    uint8_t pad[HD_LINE];
    uint32_t sent;   /* atomic: the slot sent last + 1, linked to those before; 0 = none */
    uint32_t wanted; /* atomic: the program waits */
} hd_pool_launcher;

static inline hd_pool_launcher *hd_launcher_of(const hd_loaded *l) { return l->pool->mode; }

/* Of a posted task: its record, and its copies. */
static inline uint8_t *hd_posted_args(const hd_loaded *l, uint32_t slot)
{
    hd_posted *task = &hd_launcher_of(l)->posted[slot];
    return task->arg_bytes <= HD_INLINE_ARGS ? task->args : l->pool->args + (uint64_t)slot * l->pool->args_bytes;
}
static inline hd_copy *hd_posted_copies(const hd_loaded *l, uint32_t slot)
{
    return hd_launcher_of(l)->copies + (uint64_t)slot * l->pool->words.most_copies;
}

#endif
