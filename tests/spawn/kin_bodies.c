/* SPDX-License-Identifier: MIT */
/* kin_bodies.c - a parent spawns its children in order, each by another lane; each child looks by plain loads whether those
 * before it have run, reads, and writes bytes that depend on what it read. Some do so through children and continuations
 * of their own, whose end is theirs. */
#include "kin_bodies.h"

/* Not inlined into every body of some twenty kernels: that is what compiling would spend its time on. */
#if defined(__CUDACC__)
#define KIN_FN static __host__ __device__ __noinline__
#else
#define KIN_FN static
#endif

HD_FN uint8_t *bytes_of(const kin_app *app, const kin_args *t) { return app->bytes + app->family[t->family].byte; }
HD_FN uint64_t *parts_of(const kin_app *app, const kin_args *t) { return app->part + t->child * KIN_PARTS; }

/* Lane 0, as the child begins. */
KIN_FN void look(const kin_app *app, uint32_t child)
{
    const kin_child *c = &app->child[child];
    const uint64_t until = c->pause_ns ? hd_clock() + c->pause_ns : 0;
    uint32_t i;
    for (i = 0; i < c->n_before; i++)
        if (app->ran[app->before[c->before + i]] != app->run)
            *app->wrong = child + 1;
    if (app->ran[child] != app->run - 1)
        *app->wrong = child + 1;
    while (until && hd_clock() < until)
        continue;
}

KIN_FN void finish(const heddle_lane *lane, const kin_app *app, const kin_args *t)
{
    const kin_child *c = &app->child[t->child];
    kin_write_share(bytes_of(app, t), c, t->child, parts_of(app, t), lane->index, lane->count);
    if (lane->index == 0)
        app->ran[t->child] = app->run;
}

KIN_FN void spawn_child(const heddle_lane *lane, const kin_app *app, uint32_t family, uint32_t i)
{
    heddle_handle *handle = (heddle_handle *)heddle_shared(lane), after[HEDDLE_MAX_AFTER];
    const uint32_t body[KIN_KINDS] = {kin_leaf, kin_fork, kin_twice, kin_deep};
    const kin_child *c = &app->child[app->family[family].child + i];
    const kin_args args = {family, app->family[family].child + i};
    heddle_range range[KIN_RANGES];
    heddle_child what;
    uint32_t k;
    for (k = 0; k < c->n_ranges; k++)
        range[k] = heddle_range_of(bytes_of(app, &args) + c->range[k].at, c->range[k].row_bytes, c->range[k].n_rows,
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
    what.priority = c->priority;
    what.out = c->named ? &handle[i] : (heddle_handle *)0;
    heddle_spawn_task(lane, &what);
}

HEDDLE_SPAWNER(kin_parent, kin_app, app, kin_args, t, HEDDLE_MAX_CHILDREN)
{
    uint32_t i;
    if (app->family[t->family].joins && lane->index == 0)
        heddle_continue(lane, kin_joined, t, sizeof *t);
    heddle_barrier(lane);
    for (i = 0; i < app->family[t->family].n_children; i++) {
        if (lane->index == i % lane->count)
            spawn_child(lane, app, t->family, i);
        heddle_barrier(lane);
    }
}

/* Have all children of a family run? */
KIN_FN void look_at_all(const heddle_lane *lane, const kin_app *app, uint32_t family)
{
    const kin_family *f = &app->family[family];
    HEDDLE_EACH (i, f->n_children)
        if (app->ran[f->child + (uint32_t)i] != app->run)
            *app->wrong = f->child + (uint32_t)i + 1;
}

/* The continuation of a family: all children have ended. */
HEDDLE_BODY(kin_joined, kin_app, app, kin_args, t)
{
    look_at_all(lane, app, t->family);
    if (lane->index == 0)
        app->n_joined[t->family]++;
}

/* A successor of the family in the graph waits for its continuation. */
HEDDLE_BODY(kin_after, kin_app, app, kin_args, t)
{
    if (!app->family[t->family].joins)
        return;
    look_at_all(lane, app, t->family);
    if (lane->index == 0 && app->n_joined[t->family] != app->run)
        *app->wrong = app->family[t->family].child + 1;
}

HEDDLE_BODY(kin_leaf, kin_app, app, kin_args, t)
{
    if (lane->index == 0)
        look(app, t->child);
    heddle_barrier(lane);
    HEDDLE_EACH (i, KIN_PARTS)
        parts_of(app, t)[i] = kin_read(bytes_of(app, t), &app->child[t->child], (uint32_t)i);
    heddle_barrier(lane);
    finish(lane, app, t);
}

/* Parts first .. end - 1, by all lanes at once, after what lane 0 did before. */
HD_FN void spawn_parts(const heddle_lane *lane, const kin_args *t, uint32_t first, uint32_t end)
{
    heddle_barrier(lane);
    HEDDLE_EACH (i, end - first) {
        const kin_part_args args = {t->family, t->child, first + (uint32_t)i};
        heddle_spawn(lane, kin_part, &args, sizeof args, (const heddle_handle *)0, 0, 0);
    }
}

HEDDLE_SPAWNER(kin_fork, kin_app, app, kin_args, t, KIN_PARTS)
{
    if (lane->index == 0) {
        look(app, t->child);
        heddle_continue(lane, kin_write, t, sizeof *t);
    }
    spawn_parts(lane, t, 0, KIN_PARTS);
}

HEDDLE_SPAWNER(kin_twice, kin_app, app, kin_args, t, KIN_PARTS / 2)
{
    if (lane->index == 0) {
        look(app, t->child);
        heddle_continue(lane, kin_second, t, sizeof *t);
    }
    spawn_parts(lane, t, 0, KIN_PARTS / 2);
}

HEDDLE_SPAWNER(kin_second, kin_app, app, kin_args, t, KIN_PARTS / 2)
{
    if (lane->index == 0)
        heddle_continue(lane, kin_write, t, sizeof *t);
    spawn_parts(lane, t, KIN_PARTS / 2, KIN_PARTS);
}

HEDDLE_SPAWNER(kin_deep, kin_app, app, kin_args, t, 1)
{
    if (lane->index == 0) {
        heddle_continue(lane, HEDDLE_BODY_JOIN, (const void *)0, 0);
        heddle_spawn(lane, kin_fork, t, sizeof *t, (const heddle_handle *)0, 0, 0);
    }
}

HEDDLE_BODY(kin_part, kin_app, app, kin_part_args, t)
{
    if (lane->index == 0)
        app->part[t->child * KIN_PARTS + t->part] =
            kin_read(app->bytes + app->family[t->family].byte, &app->child[t->child], t->part);
}

HEDDLE_BODY(kin_write, kin_app, app, kin_args, t) { finish(lane, app, t); }

HEDDLE_APP(kin, kin_app, KIN_BODIES)
