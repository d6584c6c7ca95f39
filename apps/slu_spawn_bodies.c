/* SPDX-License-Identifier: MIT */
/* slu_spawn_bodies.c - sparse LU as tasks that spawn tasks: fill-in is not known beforehand.
 *
 * slu_spawn_find(k) lists the blocks that step k has by then, adds those that fill in, and registers its products; then
 * it spawns itself for the next step. It touches no numbers, so it runs far ahead of the numeric tasks, and no barrier
 * separates steps. A block waits for find of its own step, after which no more products are added, for the products
 * registered so far, and for its step's lu0. A product waits for its two factors and for the product before it on the
 * same block: numbers receive their updates in ascending order, and all versions give the same bits. The decrement that
 * brings such a count to zero spawns the task.
 *
 * The product before may finish while the next is being registered. Its word `next` is closed when it finishes, and set
 * when there is a next one, whichever comes first. */
#include "slu_blocks.h"
#include "slu_spawn_bodies.h"

TILE_FN uint32_t slu_at(const slu_spawn_record *params, uint32_t i, uint32_t j) { return i * params->n_dim + j; }

/* Spawns the task of block (i, j), which waits for nothing any more. */
TILE_FN void slu_spawn_final(const heddle_thread *thread, const slu_spawn_record *params, uint32_t i, uint32_t j)
{
    const uint32_t k = i < j ? i : j, diag = params->slot[slu_at(params, k, k)];
    slu_spawn_one one;
    slu_spawn_two two;
    if (i == j) {
        one.t.diag = diag;
        one.k = k;
        heddle_task_spawn(thread, slu_spawn_lu0, &one, sizeof one, NULL, 0, 1);
        return;
    }
    two.t.diag = diag;
    two.t.at = params->slot[slu_at(params, i, j)];
    two.k = k;
    two.index = params->index[slu_at(params, i, j)];
    heddle_task_spawn(thread, i < j ? slu_spawn_fwd : slu_spawn_bdiv, &two, sizeof two, NULL, 0, 1);
}

/* Decrements the count of block (i, j). */
TILE_FN void slu_less(const heddle_thread *thread, const slu_spawn_record *params, uint32_t i, uint32_t j)
{
    if (HEDDLE_ATOMIC_SUB(&params->left[slu_at(params, i, j)], 1u, ACQ_REL, DEV) == 1u)
        slu_spawn_final(thread, params, i, j);
}

/* Decrements the count of a product. Products on the way to the next pivot are urgent. */
TILE_FN void slu_less_for(const heddle_thread *thread, const slu_spawn_record *params, uint32_t update)
{
    const slu_spawn_update *u = &params->updates[update];
    if (HEDDLE_ATOMIC_SUB(&params->updates[update].waits, 1u, ACQ_REL, DEV) != 1u)
        return;
    const slu_spawn_step *s = &params->steps[u->k];
    const uint32_t at = update - s->first;
    slu_spawn_three t;
    t.update = update;
    t.row = params->rows[slu_at(params, u->k, at / s->n_cols)];
    t.col = params->cols[slu_at(params, u->k, at % s->n_cols)];
    t.t.left = params->slot[slu_at(params, t.row, u->k)];
    t.t.up = params->slot[slu_at(params, u->k, t.col)];
    t.t.at = params->slot[slu_at(params, t.row, t.col)];
    heddle_task_spawn(thread, slu_spawn_bmod, &t, sizeof t, NULL, 0, (t.row < t.col ? t.row : t.col) == u->k + 1u);
}

/* ---- finding tasks ---- */

/* Lists the rows and columns of step k, in any order, and counts them in n[], which must be 0. */
TILE_FN void slu_list(const heddle_thread *thread, const slu_spawn_record *params, uint32_t k, uint32_t n[2])
{
    HEDDLE_EACH (e, 2u * (params->n_dim - k - 1u)) {
        const uint32_t other = k + 1u + (uint32_t)e / 2u, is_col = (uint32_t)e % 2u;
        const uint32_t at = is_col ? slu_at(params, k, other) : slu_at(params, other, k);
        if (params->slot[at] == SLU_NONE)
            continue;
        params->index[at] = HEDDLE_ATOMIC_ADD(&n[is_col], 1u, RELAXED, BLOCK);
        (is_col ? params->cols : params->rows)[slu_at(params, k, params->index[at])] = other;
    }
}

/* Registers product number `update`, of step k, on the block at `at`, which may be new. */
TILE_FN void slu_lay_down(const slu_spawn_record *params, uint32_t k, uint32_t update, uint32_t at)
{
    slu_spawn_update *u = &params->updates[update];
    const uint32_t before = params->last[at];
    if (params->slot[at] == SLU_NONE)
        params->slot[at] = HEDDLE_ATOMIC_ADD(params->n_blocks, 1u, RELAXED, DEV);
    u->k = k;
    HEDDLE_ATOMIC_STORE(&u->next, SLU_NONE, RELAXED, DEV);
    HEDDLE_ATOMIC_STORE(&u->waits, before == SLU_NONE ? 2u : 3u, RELAXED, DEV);
    (void)HEDDLE_ATOMIC_ADD(&params->left[at], 1u, RELAXED, DEV);
    params->last[at] = update;
    if (before == SLU_NONE || HEDDLE_ATOMIC_CAS(&params->updates[before].next, SLU_NONE, update, RELEASE, DEV))
        return;
    (void)HEDDLE_ATOMIC_LOAD(&params->updates[before].next, ACQUIRE, DEV); /* closed: acquires its effects */
    HEDDLE_ATOMIC_STORE(&u->waits, 2u, RELAXED, DEV);
}

HEDDLE_SPAWNER(slu_spawn_find, slu_spawn_record, params, slu_spawn_find_args, t, 2)
{
    uint32_t *n = (uint32_t *)heddle_team_shared(thread);
    const uint32_t k = t->k;
    slu_spawn_step *s = &params->steps[k];
    if (thread->index == 0)
        n[0] = n[1] = 0;
    heddle_team_barrier(thread);
    slu_list(thread, params, k, n);
    heddle_team_barrier(thread);
    if (thread->index == 0) {
        s->n_rows = n[0];
        s->n_cols = n[1];
        s->first = k ? s[-1].first + s[-1].n_rows * s[-1].n_cols : 0;
    }
    heddle_team_barrier(thread);
    HEDDLE_EACH (e, s->n_rows * s->n_cols) {
        const uint32_t i = params->rows[slu_at(params, k, (uint32_t)e / s->n_cols)];
        const uint32_t j = params->cols[slu_at(params, k, (uint32_t)e % s->n_cols)];
        slu_lay_down(params, k, s->first + (uint32_t)e, slu_at(params, i, j));
    }
    HEDDLE_EACH (r, s->n_rows)
        slu_less(thread, params, params->rows[slu_at(params, k, (uint32_t)r)], k);
    HEDDLE_EACH (c, s->n_cols)
        slu_less(thread, params, k, params->cols[slu_at(params, k, (uint32_t)c)]);
    heddle_team_barrier(thread);
    if (thread->index == 0) {
        const slu_spawn_find_args after = {k + 1u};
        if (after.k < params->n_dim)
            heddle_task_spawn(thread, slu_spawn_find, &after, sizeof after, NULL, 0, 1);
        slu_less(thread, params, k, k);
    }
}

/* ---- numeric tasks ---- */

HEDDLE_SPAWNER(slu_spawn_lu0, slu_spawn_record, params, slu_spawn_one, t, 2 * SLU_SPAWN_MAX_ROW)
{
    const slu_spawn_step *s = &params->steps[t->k];
    slu_do_lu0(thread, &params->blocks, &t->t);
    heddle_team_barrier(thread);
    HEDDLE_EACH (r, s->n_rows)
        slu_less(thread, params, params->rows[slu_at(params, t->k, (uint32_t)r)], t->k);
    HEDDLE_EACH (c, s->n_cols)
        slu_less(thread, params, t->k, params->cols[slu_at(params, t->k, (uint32_t)c)]);
}

HEDDLE_SPAWNER(slu_spawn_fwd, slu_spawn_record, params, slu_spawn_two, t, SLU_SPAWN_MAX_ROW)
{
    const slu_spawn_step *s = &params->steps[t->k];
    slu_do_fwd(thread, &params->blocks, &t->t);
    heddle_team_barrier(thread);
    HEDDLE_EACH (r, s->n_rows)
        slu_less_for(thread, params, s->first + (uint32_t)r * s->n_cols + t->index);
}

HEDDLE_SPAWNER(slu_spawn_bdiv, slu_spawn_record, params, slu_spawn_two, t, SLU_SPAWN_MAX_ROW)
{
    const slu_spawn_step *s = &params->steps[t->k];
    slu_do_bdiv(thread, &params->blocks, &t->t);
    heddle_team_barrier(thread);
    HEDDLE_EACH (c, s->n_cols)
        slu_less_for(thread, params, s->first + t->index * s->n_cols + (uint32_t)c);
}

HEDDLE_SPAWNER(slu_spawn_bmod, slu_spawn_record, params, slu_spawn_three, t, 2)
{
    slu_do_bmod(thread, &params->blocks, &t->t);
    heddle_team_barrier(thread);
    if (thread->index == 0) {
        const uint32_t next = HEDDLE_ATOMIC_EXCHANGE(&params->updates[t->update].next, SLU_CLOSED, ACQ_REL, DEV);
        if (next != SLU_NONE)
            slu_less_for(thread, params, next);
        slu_less(thread, params, t->row, t->col);
    }
}

HEDDLE_TABLE(slu_spawn, slu_spawn_record, SLU_SPAWN_BODIES)
