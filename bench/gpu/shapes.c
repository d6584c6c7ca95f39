/* SPDX-License-Identifier: MIT */
/* shapes.c - implements shapes.h. */
#include "shapes.h"

#include <math.h>
#include <stdlib.h>

uint64_t shape_tasks(const shape *s)
{
    uint64_t n = s->n;
    return s->kind == SHAPE_WAVE ? n * n : s->kind == SHAPE_LU ? n * (n + 1) * (2 * n + 1) / 6 : n;
}

uint64_t shape_cells(const shape *s)
{
    uint64_t n = s->n;
    return s->kind == SHAPE_CHAIN ? 1 : s->kind == SHAPE_FREE ? n : n * n;
}

uint64_t shape_path(const shape *s)
{
    uint64_t n = s->n;
    return s->kind == SHAPE_CHAIN ? n : s->kind == SHAPE_FREE ? 1 : s->kind == SHAPE_WAVE ? 2 * n - 1 : 3 * n - 2;
}

/* ---- the steps, in program order ---- */

typedef struct walk {
    const shape *shape;
    void (*step)(struct walk *w, const timed_args *t);
    uint32_t id;
    heddle_graph *graph;
    heddle_status status;
    uint64_t *cells;
} walk;

static void step(walk *w, uint32_t n_in, uint32_t in0, uint32_t in1, uint32_t inout)
{
    timed_args t = {{in0, in1}, inout, n_in, w->id, w->shape->task_ns ? w->shape->task_ns[w->id] : 0};
    w->step(w, &t);
    w->id++;
}

static void walk_line(walk *w, uint32_t n, int chained)
{
    for (uint32_t i = 0; i < n; i++)
        step(w, 0, 0, 0, chained ? 0 : i);
}

static void walk_wave(walk *w, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            uint32_t at = i * n + j, up = at - n, left = at - 1;
            step(w, (i != 0) + (j != 0), i ? up : left, left, at);
        }
}

static void walk_lu(walk *w, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t diagonal = k * n + k;
        step(w, 0, 0, 0, diagonal);
        for (uint32_t i = k + 1; i < n; i++) {
            step(w, 1, diagonal, 0, k * n + i);
            step(w, 1, diagonal, 0, i * n + k);
        }
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = k + 1; j < n; j++)
                step(w, 2, i * n + k, k * n + j, i * n + j);
    }
}

static void walk_all(walk *w)
{
    switch (w->shape->kind) {
    case SHAPE_CHAIN: walk_line(w, w->shape->n, 1); break;
    case SHAPE_FREE: walk_line(w, w->shape->n, 0); break;
    case SHAPE_WAVE: walk_wave(w, w->shape->n); break;
    case SHAPE_LU: walk_lu(w, w->shape->n); break;
    }
}

/* ---- uses of the steps ---- */

static heddle_range range_of(uint32_t cell, heddle_mode mode)
{
    return heddle_range_of((const void *)((uintptr_t)(cell + 1u) * 8u), 8, 1, 0, mode);
}

static void add_step(walk *w, const timed_args *t)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    heddle_range ranges[3];
    if (w->status != HEDDLE_OK)
        return;
    for (uint32_t i = 0; i < t->n_in; i++)
        ranges[d.n_ranges++] = range_of(t->in[i], HEDDLE_MODE_IN);
    ranges[d.n_ranges++] = range_of(t->inout, HEDDLE_MODE_INOUT);
    d.body = w->shape->body;
    d.args = t;
    d.arg_bytes = sizeof *t;
    d.ranges = ranges;
    d.cost_ns = w->shape->cost_ns ? w->shape->cost_ns[t->id] : 0;
    d.place = w->shape->place[t->id & 1u];
    w->status = heddle_graph_add_task(w->graph, &d, NULL);
}

heddle_status shape_add(const shape *s, heddle_graph *g)
{
    walk w = {s, add_step, 0, g, HEDDLE_OK, NULL};
    walk_all(&w);
    if (w.status == HEDDLE_OK && s->shared_bytes)
        w.status = heddle_graph_set_shared_bytes(g, s->body, s->shared_bytes);
    return w.status;
}

static void mix_step(walk *w, const timed_args *t) { w->cells[t->inout] = timed_mixed(w->cells, t); }

void shape_mix(const shape *s, uint64_t *cells)
{
    walk w = {s, mix_step, 0, NULL, HEDDLE_OK, cells};
    walk_all(&w);
}

/* A cell holds the end of its last writer, which begins when all its inputs are there. A later writer also waits for
 * the cell's readers; but in these graphs a cell is not written after it was read, so that adds nothing. */
static void path_step(walk *w, const timed_args *t)
{
    uint64_t begin = w->cells[t->inout];
    for (uint32_t i = 0; i < t->n_in; i++)
        begin = w->cells[t->in[i]] > begin ? w->cells[t->in[i]] : begin;
    w->cells[t->inout] = begin + t->ns;
}

uint64_t shape_path_ns(const shape *s)
{
    uint64_t n = shape_cells(s), most = 0;
    walk w = {s, path_step, 0, NULL, HEDDLE_OK, calloc(n, sizeof(uint64_t))};
    if (!w.cells)
        return 0;
    walk_all(&w);
    for (uint64_t i = 0; i < n; i++)
        most = w.cells[i] > most ? w.cells[i] : most;
    free(w.cells);
    return most;
}

/* The i-th number of a sequence, uniform in (0, 1). */
static double uniform(uint64_t seed, uint64_t i)
{
    uint64_t x = (seed << 40) + i + 1;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return ((double)((x ^ (x >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

void shape_uneven(uint32_t *task_ns, uint64_t n, double mean_ns, uint64_t seed)
{
    const double sigma = 0.7, two_pi = 6.283185307179586;
    for (uint64_t i = 0; i < n; i++) {
        double normal = sqrt(-2.0 * log(uniform(seed, 2 * i))) * cos(two_pi * uniform(seed, 2 * i + 1));
        task_ns[i] = (uint32_t)(mean_ns * exp(sigma * normal - sigma * sigma / 2));
    }
}
