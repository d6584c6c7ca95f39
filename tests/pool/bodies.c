/* SPDX-License-Identifier: MIT */
/* bodies.c - see bodies.h. With POOLED_FLAT: those that do not spawn. */
#include "pool/bodies.h"

HEDDLE_BODY(pooled_mix, pooled_params, params, pooled_mix_args, t)
{
    uint32_t i;
    if (thread->index == 0) {
        (void)HEDDLE_ATOMIC_ADD(&params->ran[t->task], 1u, RELAXED, DEV);
        for (i = 0; i < t->n_cells; i++)
            params->cells[t->cell[i]] = params->cells[t->cell[i]] * 31u + t->task + 1u;
    }
    if (t->code)
        heddle_task_fail(thread, t->code);
}

HEDDLE_BODY(pooled_gate, pooled_params, params, pooled_gate_args, t)
{
    uint32_t n = 0;
    if (thread->index == 0)
        (void)HEDDLE_ATOMIC_ADD(params->began, 1u, RELAXED, DEV); /* few GPUs have atomics on host memory for both */
    while (t->until_canceled ? !heddle_task_is_canceled(thread) : !HEDDLE_ATOMIC_LOAD(params->gate, ACQUIRE, SYS))
        heddle_pause(n++);
}

HEDDLE_BODY(pooled_joined, pooled_params, params, pooled_tree_args, t)
{
    if (thread->index == 0)
        (void)HEDDLE_ATOMIC_ADD(&params->cells[t->task], 1u, RELAXED, DEV);
}

HEDDLE_BODY(pooled_block, pooled_params, params, pooled_block_args, t)
{
    if (thread->index == 0)
        (void)HEDDLE_ATOMIC_ADD(&params->blocks[t->first + thread->block], thread->n_blocks, RELAXED, DEV);
    if (t->fail_at == thread->block + 1u)
        heddle_task_fail(thread, 9u);
}

HEDDLE_BODY(pooled_large, pooled_params, params, pooled_large_args, t)
{
    uint32_t i, sum = 0;
    for (i = 0; i < 47; i++)
        sum += t->by[i];
    if (thread->index == 0)
        params->cells[t->task] = sum;
}

/* Block-shared memory, barriers and a reduction. */
HEDDLE_BODY(pooled_sum, pooled_params, params, pooled_mix_args, t)
{
    uint32_t *shared = (uint32_t *)heddle_team_shared(thread);
    int64_t *partial = heddle_team_partial_i64(thread), sum;
    HEDDLE_EACH (i, 64)
        shared[i] = (uint32_t)i * t->task;
    heddle_team_barrier(thread);
    HEDDLE_EACH_PARTIAL (v)
        partial[v] = v < 64 ? shared[63 - v] : 0;
    sum = heddle_team_reduce_i64(thread, HEDDLE_SUM);
    if (thread->index == 0)
        params->cells[t->cell[0]] = (uint32_t)sum;
}

/* When it began and when it ended. Many tasks may have one number. */
HEDDLE_BODY(pooled_stamp, pooled_params, params, pooled_stamp_args, t)
{
    uint32_t n;
    if (thread->index == 0) {
        (void)HEDDLE_ATOMIC_ADD(&params->ran[t->task], 1u, RELAXED, DEV);
        HEDDLE_ATOMIC_STORE(&params->cells[2u * t->task], HEDDLE_ATOMIC_ADD(params->began, 1u, RELAXED, DEV), RELAXED,
                            DEV);
        for (n = 0; n < t->n_pauses; n++)
            heddle_pause(n);
        HEDDLE_ATOMIC_STORE(&params->cells[2u * t->task + 1u], HEDDLE_ATOMIC_ADD(params->began, 1u, RELAXED, DEV),
                            RELAXED, DEV);
    }
    if (t->code)
        heddle_task_fail(thread, t->code);
}

/* Changes n bytes, each block a part of them. */
HEDDLE_BODY(pooled_copy, pooled_params, params, pooled_copy_args, t)
{
    uint8_t *out = t->out ? t->out : (uint8_t *)(uintptr_t)t->in;
    uint32_t i;
    (void)params;
    for (i = thread->block * thread->team_size + thread->index; i < t->n; i += thread->n_blocks * thread->team_size)
        out[i] = (uint8_t)(t->in[i] * 3u + 1u);
    if (t->code)
        heddle_task_fail(thread, t->code);
}

#if defined(POOLED_FLAT)
HEDDLE_POOL_TABLE_WARPS(pooled_flat, pooled_params, POOLED_FLAT_BODIES, 48)
#else
HEDDLE_SPAWNER(pooled_tree, pooled_params, params, pooled_tree_args, t, POOLED_WIDTH)
{
    uint32_t i;
    if (thread->index == 0)
        (void)HEDDLE_ATOMIC_ADD(&params->ran[t->task], 1u, RELAXED, DEV);
    if (t->fail_at == t->task + 1u)
        heddle_task_fail(thread, 7u);
    if (t->joins && thread->index == 0)
        heddle_task_continue(thread, pooled_joined, t, sizeof *t);
    for (i = 0; t->depth && i < t->width && thread->index == 0; i++) {
        pooled_tree_args child = *t;
        child.depth--;
        child.task = t->task * POOLED_WIDTH + 1u + i;
        heddle_task_spawn(thread, pooled_tree, &child, sizeof child, NULL, 0, 0);
    }
}

/* Declares more children than a small arena has room for. */
HEDDLE_SPAWNER(pooled_greedy, pooled_params, params, pooled_gate_args, t, HEDDLE_MAX_CHILDREN)
{
    if (thread->index == 0)
        (void)HEDDLE_ATOMIC_ADD(params->began, 1u + t->until_canceled, RELAXED, DEV);
}

HEDDLE_POOL_TABLE(pooled, pooled_params, POOLED_BODIES)
#endif
