/* SPDX-License-Identifier: MIT */
/* kin_bodies.c - a parent spawns its children in order, each from another thread. A child checks by plain loads that
 * earlier children have run where they must, reads, and writes bytes that depend on what it read. Some work through
 * children and continuations of their own and end with those. */
#include "kin_bodies.h"

/* Not inlined into every body of some twenty kernels, which would dominate compile time. */
#if defined(__CUDACC__)
#define KIN_FN static __host__ __device__ __noinline__
#else
#define KIN_FN static
#endif

HD_FN uint8_t *bytes_of(const kin_params *params, const kin_args *t)
{
    return params->bytes + params->family[t->family].byte;
}
HD_FN uint64_t *parts_of(const kin_params *params, const kin_args *t) { return params->part + t->child * KIN_PARTS; }

/* Thread 0 checks the predecessors when the child begins. */
KIN_FN void look(const kin_params *params, uint32_t child)
{
    const kin_child *c = &params->child[child];
    const uint64_t until = c->pause_ns ? hd_clock() + c->pause_ns : 0;
    uint32_t i;
    for (i = 0; i < c->n_before; i++)
        if (params->ran[params->before[c->before + i]] != params->run)
            *params->wrong = child + 1;
    if (params->ran[child] != params->run - 1)
        *params->wrong = child + 1;
    while (until && hd_clock() < until)
        continue;
}

KIN_FN void finish(const heddle_thread *thread, const kin_params *params, const kin_args *t)
{
    const kin_child *c = &params->child[t->child];
    kin_write_share(bytes_of(params, t), c, t->child, parts_of(params, t), thread->index, thread->team_size);
    if (thread->index == 0)
        params->ran[t->child] = params->run;
}

KIN_FN void spawn_child(const heddle_thread *thread, const kin_params *params, uint32_t family, uint32_t i)
{
    heddle_handle *handle = (heddle_handle *)heddle_team_shared(thread), after[HEDDLE_MAX_AFTER];
    const uint32_t body[KIN_KINDS] = {kin_leaf, kin_fork, kin_twice, kin_deep};
    const kin_child *c = &params->child[params->family[family].child + i];
    const kin_args args = {family, params->family[family].child + i};
    heddle_range range[KIN_RANGES];
    heddle_child what;
    uint32_t k;
    for (k = 0; k < c->n_ranges; k++)
        range[k] = heddle_range_of(bytes_of(params, &args) + c->range[k].at, c->range[k].row_bytes, c->range[k].n_rows,
                                   c->range[k].stride_bytes, c->range[k].mode);
    for (k = 0; k < c->n_after; k++)
        after[k] = handle[c->after[k]];
    what.body = body[c->kind];
    what.args = &args;
    what.arg_bytes = sizeof args;
    what.after = after;
    what.n_after = c->n_after;
    what.ranges = range;
    what.n_ranges = c->n_ranges;
    what.urgent = c->urgent;
    what.out = c->named ? &handle[i] : (heddle_handle *)0;
    heddle_task_spawn_child(thread, &what);
}

HEDDLE_SPAWNER(kin_parent, kin_params, params, kin_args, t, HEDDLE_MAX_CHILDREN)
{
    uint32_t i;
    if (params->family[t->family].joins && thread->index == 0)
        heddle_task_continue(thread, kin_joined, t, sizeof *t);
    heddle_team_barrier(thread);
    for (i = 0; i < params->family[t->family].n_children; i++) {
        if (thread->index == i % thread->team_size)
            spawn_child(thread, params, t->family, i);
        heddle_team_barrier(thread);
    }
}

/* Checks that all children of a family have run. */
KIN_FN void look_at_all(const heddle_thread *thread, const kin_params *params, uint32_t family)
{
    const kin_family *f = &params->family[family];
    HEDDLE_EACH (i, f->n_children)
        if (params->ran[f->child + (uint32_t)i] != params->run)
            *params->wrong = f->child + (uint32_t)i + 1;
}

/* The continuation of a family runs after all children have ended. */
HEDDLE_BODY(kin_joined, kin_params, params, kin_args, t)
{
    look_at_all(thread, params, t->family);
    if (thread->index == 0)
        params->n_joined[t->family]++;
}

/* A successor of the family in the graph runs after its continuation. */
HEDDLE_BODY(kin_after, kin_params, params, kin_args, t)
{
    if (!params->family[t->family].joins)
        return;
    look_at_all(thread, params, t->family);
    if (thread->index == 0 && params->n_joined[t->family] != params->run)
        *params->wrong = params->family[t->family].child + 1;
}

HEDDLE_BODY(kin_leaf, kin_params, params, kin_args, t)
{
    if (thread->index == 0)
        look(params, t->child);
    heddle_team_barrier(thread);
    HEDDLE_EACH (i, KIN_PARTS)
        parts_of(params, t)[i] = kin_read(bytes_of(params, t), &params->child[t->child], (uint32_t)i);
    heddle_team_barrier(thread);
    finish(thread, params, t);
}

/* All threads spawn parts first .. end - 1 at once, ordered after what thread 0 did before. */
HD_FN void spawn_parts(const heddle_thread *thread, const kin_args *t, uint32_t first, uint32_t end)
{
    heddle_team_barrier(thread);
    HEDDLE_EACH (i, end - first) {
        const kin_part_args args = {t->family, t->child, first + (uint32_t)i};
        heddle_task_spawn(thread, kin_part, &args, sizeof args, (const heddle_handle *)0, 0, 0);
    }
}

HEDDLE_SPAWNER(kin_fork, kin_params, params, kin_args, t, KIN_PARTS)
{
    if (thread->index == 0) {
        look(params, t->child);
        heddle_task_continue(thread, kin_write, t, sizeof *t);
    }
    spawn_parts(thread, t, 0, KIN_PARTS);
}

HEDDLE_SPAWNER(kin_twice, kin_params, params, kin_args, t, KIN_PARTS / 2)
{
    if (thread->index == 0) {
        look(params, t->child);
        heddle_task_continue(thread, kin_second, t, sizeof *t);
    }
    spawn_parts(thread, t, 0, KIN_PARTS / 2);
}

HEDDLE_SPAWNER(kin_second, kin_params, params, kin_args, t, KIN_PARTS / 2)
{
    if (thread->index == 0)
        heddle_task_continue(thread, kin_write, t, sizeof *t);
    spawn_parts(thread, t, KIN_PARTS / 2, KIN_PARTS);
}

HEDDLE_SPAWNER(kin_deep, kin_params, params, kin_args, t, 1)
{
    if (thread->index == 0) {
        heddle_task_continue(thread, HEDDLE_BODY_JOIN, (const void *)0, 0);
        heddle_task_spawn(thread, kin_fork, t, sizeof *t, (const heddle_handle *)0, 0, 0);
    }
}

HEDDLE_BODY(kin_part, kin_params, params, kin_part_args, t)
{
    if (thread->index == 0)
        params->part[t->child * KIN_PARTS + t->part] =
            kin_read(params->bytes + params->family[t->family].byte, &params->child[t->child], t->part);
}

HEDDLE_BODY(kin_write, kin_params, params, kin_args, t) { finish(thread, params, t); }

HEDDLE_TABLE(kin, kin_params, KIN_BODIES)
