/* SPDX-License-Identifier: MIT */
/* soak_bodies.c - implements soak_bodies.h. Thread k spawns child k, so threads spawn at once; where children run in
 * line, thread 0 spawns them all. Thread 0 counts: a worker runs one body at a time, so its cell needs no atomics. */
#include "spawn/soak_bodies.h"

HD_FN soak_cell *cell_of(const heddle_thread *thread, const soak_params *params)
{
    return &params->cells[thread->worker];
}

HD_FN void make(const heddle_thread *thread, uint64_t id, const heddle_handle *after, heddle_handle *out)
{
    soak_long_args a = {{id}, {0}};
    heddle_child c = {soak_node, sizeof a.node, 0, after, after ? 1u : 0u, 0, 0, id % 97u == 1u, out};
    uint32_t i;
    c.args = &a;
    if (SOAK_LONG(id)) {
        for (i = 0; i < 20; i++)
            a.fill[i] = id + i;
        c.body = soak_long;
        c.arg_bytes = sizeof a;
    }
    heddle_task_spawn_child(thread, &c);
}

HD_FN void in_line(const heddle_thread *thread, const soak_params *params, uint64_t id)
{
    heddle_handle last = 0, next;
    uint64_t child = SOAK_FAN * id + 1u, end = child + SOAK_FAN;
    for (; child < end && child < params->n; child++) {
        make(thread, child, child == SOAK_FAN * id + 1u ? 0 : &last, &next);
        last = next;
    }
}

HD_FN void run_node(const heddle_thread *thread, const soak_params *params, uint64_t id)
{
    soak_node_args end = {id};
    soak_cell *c = cell_of(thread, params);
    if (thread->index == 0) {
        c->n++;
        c->sum += id;
        c->squares += id * id;
    }
    if (SOAK_FAN * id + 1u >= params->n)
        return;
    if (SOAK_GOES_ON(id)) {
        if (thread->index == 0)
            heddle_task_continue(thread, soak_end, &end, sizeof end);
        heddle_team_barrier(thread);
    }
    if (SOAK_IN_LINE(id)) {
        if (thread->index == 0)
            in_line(thread, params, id);
        return;
    }
    HEDDLE_EACH (k, SOAK_FAN)
        if (SOAK_FAN * id + 1u + (uint64_t)k < params->n)
            make(thread, SOAK_FAN * id + 1u + (uint64_t)k, 0, 0);
}

HEDDLE_SPAWNER(soak_root, soak_params, params, soak_node_args, a, SOAK_FAN) { run_node(thread, params, a->id); }

HEDDLE_SPAWNER(soak_node, soak_params, params, soak_node_args, a, SOAK_FAN) { run_node(thread, params, a->id); }

HEDDLE_SPAWNER(soak_long, soak_params, params, soak_long_args, a, SOAK_FAN)
{
    soak_cell *c = cell_of(thread, params);
    uint32_t i;
    for (i = 0; i < 20 && thread->index == 0; i++)
        c->n_bad += a->fill[i] != a->node.id + i;
    run_node(thread, params, a->node.id);
}

HEDDLE_BODY(soak_end, soak_params, params, soak_node_args, a)
{
    soak_cell *c = cell_of(thread, params);
    if (thread->index == 0) {
        c->n_ends++;
        c->sum_ends += a->id;
    }
}

HEDDLE_TABLE(soak, soak_params, SOAK_BODIES)
