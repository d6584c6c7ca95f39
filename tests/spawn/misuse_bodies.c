/* SPDX-License-Identifier: MIT */
/* misuse_bodies.c - implements misuse_bodies.h. Thread 0 spawns. */
#include "misuse_bodies.h"

/* A child that runs misuse_leaf. */
HD_FN heddle_child leaf(const misuse_args *args)
{
    heddle_child c;
    c.body = misuse_leaf;
    c.args = args;
    c.arg_bytes = sizeof *args;
    c.after = (const heddle_handle *)0;
    c.ranges = (const heddle_range *)0;
    c.out = (heddle_handle *)0;
    c.n_after = c.n_ranges = 0;
    c.urgent = 0;
    return c;
}

/* Spawns n children; each waits for the one before by its handle. */
HD_FN void spawn_chain(const heddle_thread *thread, uint32_t n)
{
    heddle_handle handle = 0, last;
    uint32_t i;
    for (i = 0; i < n; i++) {
        const misuse_args args = {i, MISUSE_NOT};
        heddle_child c = leaf(&args);
        last = handle;
        c.after = &last;
        c.n_after = i > 0;
        c.out = &handle;
        heddle_task_spawn_child(thread, &c);
    }
}

HD_FN void continue_with(const heddle_thread *thread)
{
    heddle_task_continue(thread, HEDDLE_BODY_JOIN, (const void *)0, 0);
}

HD_FN void spawn_wrong_range(const heddle_thread *thread, uint32_t how)
{
    const heddle_range range = how == MISUSE_NO_BYTES ? HEDDLE_IN((const void *)64, 0)
                               : how == MISUSE_MODE   ? heddle_range_of((const void *)64, 8, 1, 0, (heddle_mode)9)
                               : how == MISUSE_STRIDE ? HEDDLE_OUT_2D((const void *)64, 8, 2, 7)
                                                      : HEDDLE_INOUT((const void *)~(uintptr_t)0, 2);
    const misuse_args args = {0, MISUSE_NOT};
    heddle_child c = leaf(&args);
    c.ranges = &range;
    c.n_ranges = 1;
    heddle_task_spawn_child(thread, &c);
}

/* Passes NULL with a nonzero size or count. */
HD_FN void spawn_null(const heddle_thread *thread, uint32_t how)
{
    const misuse_args args = {0, MISUSE_NOT};
    heddle_child c = leaf(how == MISUSE_NULL_ARGS ? (const misuse_args *)0 : &args);
    if (how == MISUSE_NULL_SPAWN) {
        heddle_task_spawn(thread, misuse_leaf, (const void *)0, sizeof args, (const heddle_handle *)0, 0, 0);
        return;
    }
    if (how == MISUSE_NULL_CONTINUE) {
        heddle_task_continue(thread, misuse_leaf, (const void *)0, sizeof args);
        return;
    }
    c.n_after = how == MISUSE_NULL_AFTER;
    c.n_ranges = how == MISUSE_NULL_RANGES;
    heddle_task_spawn_child(thread, &c);
}

HD_FN void spawn_wrong_child(const heddle_thread *thread, uint32_t how)
{
    const misuse_args args = {0, how == MISUSE_CHILD};
    heddle_handle handle[HEDDLE_MAX_AFTER + 1];
    heddle_child c = leaf(&args);
    uint32_t i;
    for (i = 0; i <= HEDDLE_MAX_AFTER; i++)
        handle[i] = how == MISUSE_NO_HANDLE ? ~(heddle_handle)0 : 0;
    if (how == MISUSE_NO_SUCH_TASK) {
        c.out = &handle[0];
        heddle_task_spawn_child(thread, &c);
        c.out = (heddle_handle *)0;
        handle[0] += (heddle_handle)1 << 32;
    }
    c.body = how == MISUSE_BODY ? (uint32_t)misuse_n_bodies : (uint32_t)misuse_leaf;
    c.arg_bytes = how == MISUSE_SIZE ? 4u : (uint32_t)sizeof args;
    c.after = handle;
    c.n_after = how == MISUSE_AFTER ? HEDDLE_MAX_AFTER + 1 : how == MISUSE_NO_HANDLE || how == MISUSE_NO_SUCH_TASK;
    heddle_task_spawn_child(thread, &c);
}

HEDDLE_SPAWNER(misuse_root, misuse_params, params, misuse_args, t, MISUSE_CHILDREN)
{
    if (thread->index != 0)
        return;
    switch (t->how) {
    case MISUSE_NOT: spawn_chain(thread, MISUSE_CHILDREN); break;
    case MISUSE_MANY: spawn_chain(thread, MISUSE_CHILDREN + 1); break;
    case MISUSE_LATE:
        spawn_chain(thread, 1);
        continue_with(thread);
        break;
    case MISUSE_TWICE:
        continue_with(thread);
        continue_with(thread);
        break;
    case MISUSE_NULL_ARGS:
    case MISUSE_NULL_SPAWN:
    case MISUSE_NULL_CONTINUE:
    case MISUSE_NULL_AFTER:
    case MISUSE_NULL_RANGES: spawn_null(thread, t->how); break;
    case MISUSE_MODE:
    case MISUSE_NO_BYTES:
    case MISUSE_STRIDE:
    case MISUSE_SPACE: spawn_wrong_range(thread, t->how); break;
    default: spawn_wrong_child(thread, t->how); break;
    }
}

HEDDLE_BODY(misuse_leaf, misuse_params, params, misuse_args, t)
{
    if (thread->index != 0)
        return;
    params->leaf[t->at]++;
    if (t->how != MISUSE_NOT)
        heddle_task_spawn(thread, misuse_leaf, t, sizeof *t, (const heddle_handle *)0, 0, 0);
}

/* Spawns pairs: a leaf, and a misuse_user that gets the leaf's handle and spawns a child that waits for it. */
HEDDLE_SPAWNER(misuse_keeper, misuse_params, params, misuse_args, t, 2 * MISUSE_PAIRS)
{
    uint32_t i;
    if (thread->index != 0)
        return;
    continue_with(thread);
    for (i = 0; i < MISUSE_PAIRS; i++) {
        const misuse_args args = {i, MISUSE_NOT};
        heddle_child c = leaf(&args);
        c.out = &params->kept[i];
        if (i % 2)
            heddle_task_spawn_child(thread, &c);
        else /* these leaves write one range, so they run late */
        {
            const heddle_range range = HEDDLE_INOUT(params->leaf, 4);
            c.ranges = &range;
            c.n_ranges = 1;
            heddle_task_spawn_child(thread, &c);
        }
        heddle_task_spawn(thread, misuse_user, &args, sizeof args, (const heddle_handle *)0, 0, (int32_t)(i % 3));
    }
}

HEDDLE_SPAWNER(misuse_user, misuse_params, params, misuse_args, t, 1)
{
    if (thread->index == 0)
        heddle_task_spawn(thread, misuse_last, t, sizeof *t, &params->kept[t->at], 1, 0);
}

HEDDLE_BODY(misuse_last, misuse_params, params, misuse_args, t)
{
    if (thread->index != 0)
        return;
    params->last[t->at]++;
    if (params->leaf[t->at] != params->last[t->at])
        *params->wrong = t->at + 1;
}

HEDDLE_TABLE(misuse, misuse_params, MISUSE_BODIES)
