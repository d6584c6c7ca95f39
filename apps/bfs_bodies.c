/* SPDX-License-Identifier: MIT */
/* bfs_bodies.c - a part of a breadth-first search. Compiled as C or as CUDA.
 *
 * A task advances from its vertices in steps. A step takes a list of arcs. It issues the atomic minimum at an arc's end
 * and the load of that vertex's record together: a hop costs one trip to memory, not three (row, columns, distance).
 * Arcs out of lowered vertices form the next list, in block-shared memory, with one barrier per step. Lists are first
 * in, first out, so most distances are final when they are set.
 *
 * Vertices for which the next list has no room go to the queue and become new tasks: by then there is more work than
 * one worker can use. */
#include "bfs_bodies.h"
#include "warp.h"

/* *p = min(*p, d); returns the old value. */
TILE_FN uint32_t bfs_lower(uint32_t *p, uint32_t d)
{
#if defined(__CUDA_ARCH__)
    return __nv_atomic_fetch_min(p, d, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
#else
    uint32_t was = HEDDLE_ATOMIC_LOAD(p, RELAXED, DEV);
    while (d < was && !HEDDLE_ATOMIC_CAS(p, was, d, RELAXED, DEV))
        was = HEDDLE_ATOMIC_LOAD(p, RELAXED, DEV);
    return was;
#endif
}

/* Reserves n slots of a counter in block-shared memory; returns the first. */
TILE_FN uint32_t bfs_take(const heddle_thread *thread, uint32_t *next, uint32_t n)
{
#if defined(__CUDA_ARCH__)
    uint32_t first;
    (void)thread;
    /* In PTX: nvcc emits three address-space paths for a pointer of unknown space. */
    asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%1], %2;"
                 : "=r"(first)
                 : "r"((uint32_t)__cvta_generic_to_shared(next)), "r"(n)
                 : "memory");
    return first;
#else
    if (thread->team_size > 1u)
        return HEDDLE_ATOMIC_ADD(next, n, RELAXED, BLOCK);
    *next += n;
    return *next - n;
#endif
}

TILE_FN bfs_row bfs_fetch(const bfs_row *p)
{
    const warp_quad low = warp_load(&p->begin), high = warp_load(&p->near[2]);
    bfs_row r;
    r.begin = low.v[0];
    r.degree = low.v[1];
    r.near[0] = low.v[2];
    r.near[1] = low.v[3];
    for (int i = 0; i < 4; i++)
        r.near[2 + i] = high.v[i];
    return r;
}

/* ---- a block's memory ---- */

typedef struct bfs_block {
    const heddle_thread *thread;
    const bfs_params *params;
    bfs_shared *shared;
    bfs_arc *arcs;     /* two lists                                                                      */
    bfs_long *longs;   /* for the next list */
    uint32_t *waiting; /* for the queue */
    uint32_t n_room;   /* tasks that may still be spawned                                                */
} bfs_block;

TILE_FN void bfs_clear(bfs_found *f) { f->n_arcs = f->n_longs = f->n_waiting = f->n_parts = 0; }

TILE_FN bfs_block bfs_block_of(const heddle_thread *thread, const bfs_params *params)
{
    bfs_block b;
    b.thread = thread;
    b.params = params;
    b.shared = (bfs_shared *)heddle_team_shared(thread);
    b.arcs = (bfs_arc *)(b.shared + 1);
    b.longs = (bfs_long *)(b.arcs + 2u * params->list);
    b.waiting = (uint32_t *)(b.longs + BFS_LONGS(params->list));
    b.n_room = BFS_CHILDREN;
    HEDDLE_EACH (i, 3)
        bfs_clear(&b.shared->found[i]);
    heddle_team_barrier(thread);
    return b;
}

TILE_FN bfs_found *bfs_found_at(const bfs_block *b, uint32_t step) { return &b->shared->found[step % 3u]; }
TILE_FN bfs_arc *bfs_list_at(const bfs_block *b, uint32_t step) { return b->arcs + step % 2u * b->params->list; }
TILE_FN uint32_t bfs_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* ---- the queue of vertices ---- */

/* Reserves n slots at a cursor; returns the first to all lanes. */
TILE_FN uint32_t bfs_places(const bfs_block *b, uint32_t *cursor, uint32_t n)
{
    uint32_t first;
    if (b->thread->index == 0)
        b->shared->first = HEDDLE_ATOMIC_ADD(cursor, n, RELAXED, DEV);
    heddle_team_barrier(b->thread);
    first = b->shared->first;
    heddle_team_barrier(b->thread);
    return first;
}

/* Appends the block's n waiting vertices. A slot may still hold its vertex of the previous round; then the lane waits. */
TILE_FN void bfs_put(const bfs_block *b, uint32_t n)
{
    const heddle_thread *thread = b->thread;
    const uint32_t first = bfs_places(b, &b->params->cursors->tail, n);
    HEDDLE_EACH (i, n) {
        uint32_t *place = &b->params->queue[(first + (uint32_t)i) & b->params->mask], polls = 0;
        while (HEDDLE_ATOMIC_LOAD(place, RELAXED, DEV))
            heddle_pause(polls++);
        HEDDLE_ATOMIC_STORE(place, b->waiting[i] + 1u, RELEASE, DEV);
    }
}

/* Takes vertex number i; the task is responsible for its distance from then on. The queue has a vertex for every one
 * promised to a task, but another block may have reserved its slot and not stored the vertex yet. */
TILE_FN uint32_t bfs_get(const bfs_params *params, uint32_t i)
{
    uint32_t *place = &params->queue[i & params->mask], v, polls = 0;
    while (!(v = HEDDLE_ATOMIC_LOAD(place, ACQUIRE, DEV)))
        heddle_pause(polls++);
    HEDDLE_ATOMIC_STORE(place, 0u, RELAXED, DEV);
    (void)HEDDLE_ATOMIC_EXCHANGE(&params->waits[v - 1u], 0u, ACQ_REL, DEV);
    return v - 1u;
}

/* ---- within a step ---- */

/* Queues a lowered vertex for a later task. A vertex that waits already is skipped: the task that takes it will see its
 * new distance. */
TILE_FN void bfs_pass_on(const bfs_block *b, bfs_found *f, uint32_t vertex)
{
    if (!HEDDLE_ATOMIC_EXCHANGE(&b->params->waits[vertex], 1u, ACQ_REL, DEV))
        b->waiting[bfs_take(b->thread, &f->n_waiting, 1)] = vertex;
}

TILE_FN bfs_args bfs_args_of(uint32_t kind, uint32_t begin, uint32_t end, uint32_t dist)
{
    bfs_args a;
    a.kind = kind;
    a.begin = begin;
    a.end = end;
    a.dist = dist;
    return a;
}

TILE_FN void bfs_add_part(const bfs_block *b, bfs_found *f, uint32_t begin, uint32_t end, uint32_t dist)
{
    b->shared->parts[bfs_take(b->thread, &f->n_parts, 1)] = bfs_args_of(BFS_PART, begin, end, dist);
}

/* Reserves n arcs of the next list. BFS_NONE: no room; the list's remaining arcs are marked as empty. */
TILE_FN uint32_t bfs_room(const bfs_block *b, bfs_found *f, bfs_arc *list, uint32_t n)
{
    const uint32_t at = bfs_take(b->thread, &f->n_arcs, n);
    if (at + n <= b->params->list)
        return at;
    for (uint32_t i = at; i < b->params->list; i++)
        list[i].vertex = BFS_NONE;
    return BFS_NONE;
}

TILE_FN void bfs_set(bfs_arc *a, uint32_t vertex, uint32_t from, uint32_t dist)
{
    a->vertex = vertex;
    a->from = from;
    a->dist = dist;
}

/* Appends the arcs of a vertex of low degree, except the one back. */
TILE_FN void bfs_near(const bfs_block *b, bfs_found *f, bfs_arc *list, const bfs_row *r, const bfs_arc *a, uint32_t by)
{
    uint32_t n = 0, at;
    WARP_UNROLL
    for (uint32_t j = 0; j < BFS_NEAR; j += by)
        n += j < r->degree * by && r->near[j] != a->from;
    if (!n)
        return;
    at = bfs_room(b, f, list, n);
    if (at == BFS_NONE) {
        bfs_pass_on(b, f, a->vertex);
        return;
    }
    WARP_UNROLL
    for (uint32_t j = 0; j < BFS_NEAR; j += by)
        if (j < r->degree * by && r->near[j] != a->from)
            bfs_set(&list[at++], r->near[j], a->vertex, a->dist + (by == 1u ? 1u : r->near[j + by - 1u]));
}

/* Reserves room for the arcs of a vertex of high degree; all lanes copy them later. */
TILE_FN void bfs_far(const bfs_block *b, bfs_found *f, bfs_arc *list, const bfs_row *r, const bfs_arc *a)
{
    uint32_t at = r->degree <= b->params->list ? bfs_room(b, f, list, r->degree) : BFS_NONE;
    bfs_long *l;
    if (at == BFS_NONE) {
        bfs_pass_on(b, f, a->vertex);
        return;
    }
    l = &b->longs[bfs_take(b->thread, &f->n_longs, 1)];
    l->begin = r->begin;
    l->n = r->degree;
    l->at = at;
    l->from = a->vertex;
    l->dist = a->dist;
}

/* Continues from a->vertex, which has been lowered to a->dist. */
TILE_FN void bfs_go_on(const bfs_block *b, bfs_found *f, bfs_arc *list, const bfs_row *r, const bfs_arc *a)
{
    if (b->params->costs && r->degree <= BFS_NEAR / 2u)
        bfs_near(b, f, list, r, a, 2);
    else if (!b->params->costs && r->degree <= BFS_NEAR)
        bfs_near(b, f, list, r, a, 1);
    else
        bfs_far(b, f, list, r, a);
}

/* ---- after a step ---- */

/* Copies part of a row of arcs that start at `dist` to a list. */
TILE_FN void bfs_copy(const bfs_params *params, const bfs_long *l, bfs_arc *list, uint32_t first, uint32_t step)
{
    for (uint32_t i = first; i < l->n; i += step)
        bfs_set(&list[l->at + i], params->columns[l->begin + i], l->from,
                l->dist + (params->costs ? params->costs[l->begin + i] : 1u));
}

TILE_FN void bfs_copy_longs(const bfs_block *b, bfs_arc *list, uint32_t n)
{
    const tile_share s = tile_share_of(b->thread);
    for (uint32_t i = (uint32_t)s.row; i < n; i += (uint32_t)s.row_step)
        bfs_copy(b->params, &b->longs[i], list, (uint32_t)s.col, (uint32_t)s.col_step);
}

/* Spawns tasks for the waiting vertices and parts of rows, one task per lane. */
TILE_FN void bfs_spawn(bfs_block *b, const bfs_found *f)
{
    const heddle_thread *thread = b->thread;
    const uint32_t chunk = b->params->chunk, n_tasks = (f->n_waiting + chunk - 1u) / chunk;
    if (f->n_waiting)
        bfs_put(b, f->n_waiting);
    heddle_team_barrier(thread);
    HEDDLE_EACH (i, n_tasks + f->n_parts) {
        const uint32_t k = (uint32_t)i;
        const bfs_args a = k < n_tasks ? bfs_args_of(BFS_QUEUED, 0, bfs_least(f->n_waiting - k * chunk, chunk), 0)
                                       : b->shared->parts[k - n_tasks];
        heddle_task_spawn(thread, bfs_part, &a, sizeof a, NULL, 0, 0);
    }
    b->n_room -= n_tasks + f->n_parts;
}

/* Completes the list of a step, between barriers; returns its number of arcs. */
TILE_FN uint32_t bfs_settle(bfs_block *b, uint32_t step, int *overflown)
{
    const bfs_found f = *bfs_found_at(b, step);
    if (f.n_longs)
        bfs_copy_longs(b, bfs_list_at(b, step), f.n_longs);
    if (f.n_waiting + f.n_parts)
        bfs_spawn(b, &f);
    if (f.n_longs + f.n_waiting + f.n_parts)
        heddle_team_barrier(b->thread);
    *overflown = f.n_arcs > b->params->list;
    return bfs_least(f.n_arcs, b->params->list);
}

/* ---- steps ---- */

/* Arcs in flight per lane. */
#define BFS_AT_ONCE 2

TILE_FN void bfs_step(const bfs_block *b, uint32_t step, uint32_t n)
{
    const bfs_arc *from = bfs_list_at(b, step);
    bfs_arc *to = bfs_list_at(b, step + 1u), a[BFS_AT_ONCE];
    bfs_found *f = bfs_found_at(b, step + 1u);
    const uint32_t count = b->thread->team_size;
    for (uint32_t i = b->thread->index; i < n; i += BFS_AT_ONCE * count) {
        uint32_t was[BFS_AT_ONCE];
        bfs_row r[BFS_AT_ONCE];
        WARP_UNROLL
        for (uint32_t k = 0; k < BFS_AT_ONCE; k++) {
            was[k] = 0;
            a[k].vertex = BFS_NONE;
            if (i + k * count < n)
                a[k] = from[i + k * count];
            if (a[k].vertex != BFS_NONE) {
                was[k] = bfs_lower(&b->params->dist[a[k].vertex], a[k].dist);
                r[k] = bfs_fetch(&b->params->rows[a[k].vertex]);
            }
        }
        WARP_UNROLL
        for (uint32_t k = 0; k < BFS_AT_ONCE; k++)
            if (a[k].vertex != BFS_NONE && a[k].dist < was[k])
                bfs_go_on(b, f, to, &r[k], &a[k]);
    }
}

/* Ends the task: its list goes to the queue. */
TILE_FN void bfs_leave(bfs_block *b, uint32_t step, uint32_t n)
{
    const bfs_arc *from = bfs_list_at(b, step);
    bfs_found *f = bfs_found_at(b, step + 1u);
    int overflown;
    for (uint32_t i = b->thread->index; i < n; i += b->thread->team_size)
        if (from[i].vertex != BFS_NONE && from[i].dist < bfs_lower(&b->params->dist[from[i].vertex], from[i].dist))
            bfs_pass_on(b, f, from[i].vertex);
    heddle_team_barrier(b->thread);
    bfs_settle(b, step + 1u, &overflown);
}

/* ---- the first list ---- */

TILE_FN void bfs_start_from(const bfs_block *b, uint32_t vertex)
{
    bfs_found *f = bfs_found_at(b, 0);
    const bfs_row r = bfs_fetch(&b->params->rows[vertex]);
    bfs_arc a;
    bfs_set(&a, vertex, BFS_NONE, HEDDLE_ATOMIC_LOAD(&b->params->dist[vertex], RELAXED, DEV));
    if (r.degree > b->params->list)
        bfs_add_part(b, f, r.begin, r.begin + r.degree, a.dist);
    else
        bfs_go_on(b, f, bfs_list_at(b, 0), &r, &a);
}

TILE_FN void bfs_start_queued(const bfs_block *b, uint32_t n)
{
    const heddle_thread *thread = b->thread;
    const uint32_t first = bfs_places(b, &b->params->cursors->head, n);
    HEDDLE_EACH (i, n)
        bfs_start_from(b, bfs_get(b->params, first + (uint32_t)i));
}

/* Part of a row: into the list, or cut into smaller parts. */
TILE_FN void bfs_start_part(const bfs_block *b, const bfs_args *t)
{
    const heddle_thread *thread = b->thread;
    const uint32_t n = t->end - t->begin, most = n / BFS_PARTS + 1u;
    bfs_found *f = bfs_found_at(b, 0);
    bfs_long row;
    if (n > b->params->list) {
        HEDDLE_EACH (i, BFS_PARTS) {
            const uint32_t first = bfs_least((uint32_t)i * most, n), end = bfs_least(first + most, n);
            if (first < end)
                bfs_add_part(b, f, t->begin + first, t->begin + end, t->dist);
        }
        return;
    }
    row.begin = t->begin;
    row.n = n;
    row.at = 0;
    row.from = BFS_NONE;
    row.dist = t->dist;
    bfs_copy(b->params, &row, bfs_list_at(b, 0), thread->index, thread->team_size);
    if (thread->index == 0)
        f->n_arcs = n;
}

TILE_FN void bfs_start(const bfs_block *b, const bfs_args *t)
{
    if (t->kind == BFS_PART)
        bfs_start_part(b, t);
    else if (t->kind == BFS_QUEUED)
        bfs_start_queued(b, t->end);
    else if (b->thread->index == 0)
        bfs_start_from(b, t->begin);
    heddle_team_barrier(b->thread);
}

HEDDLE_SPAWNER(bfs_part, bfs_params, params, bfs_args, t, BFS_CHILDREN)
{
    bfs_block b = bfs_block_of(thread, params);
    const uint32_t most = (params->list + params->chunk - 1u) / params->chunk; /* tasks that a list can make */
    uint32_t n, last = t->kind == BFS_FIRST && params->hops ? UINT32_MAX : params->hops;
    int overflown;
    bfs_start(&b, t);
    for (uint32_t step = 0; (n = bfs_settle(&b, step, &overflown)) != 0; step++) {
        if (overflown && last == UINT32_MAX)
            last = step + params->hops;
        if (step >= last || b.n_room < 2u * most) {
            bfs_leave(&b, step, n);
            return;
        }
        if (thread->index == 0)
            bfs_clear(bfs_found_at(&b, step + 2u));
        bfs_step(&b, step, n);
        heddle_team_barrier(thread);
    }
}

HEDDLE_TABLE(bfs, bfs_params, BFS_BODIES)
