/* SPDX-License-Identifier: MIT */
/* uts_bodies.c - one batch of nodes of an unbalanced tree: makes and counts their children. Children with children of
 * their own are spawned in batches, each as a task. Children beyond a task's limit are passed on with their node.
 *
 * One lane goes through the batch and spawns each new batch once it is full. Many lanes take a child each, of any node,
 * and collect new batches in shared memory. */
#include "uts_bodies.h"

/* A batch of any size: it has room for params->chunk nodes. */
typedef uts_batch_64 uts_batch;

HEDDLE_FN void uts_spawn(const heddle_thread *thread, const void *from, uint32_t n)
{
    const void *batch = __builtin_assume_aligned(from, 4); /* a GPU would copy it byte by byte */
    if (n <= 2u)
        heddle_task_spawn(thread, uts_2, batch, sizeof(uts_batch_2), NULL, 0, 0);
    else if (n <= 16u)
        heddle_task_spawn(thread, uts_16, batch, sizeof(uts_batch_16), NULL, 0, 0);
    else
        heddle_task_spawn(thread, uts_64, batch, sizeof(uts_batch_64), NULL, 0, 0);
}

HEDDLE_FN void uts_count(const heddle_thread *thread, const uts_params *params, uint32_t n_nodes, uint32_t n_leaves,
                         uint32_t deepest)
{
    tally_cell *cell = tally_of(thread, params->cells);
    if (!cell)
        return;
    cell->v[UTS_NODES] += n_nodes;
    cell->v[UTS_LEAVES] += n_leaves;
    if (cell->v[UTS_DEPTH] < deepest)
        cell->v[UTS_DEPTH] = deepest;
}

/* ---- one lane ------------------------------------------------------------------------------------ */

/* Commits a node to a batch; spawns a full one. */
HEDDLE_FN void uts_append(const heddle_thread *thread, const uts_params *params, uts_batch *out)
{
    if (++out->n < params->chunk)
        return;
    uts_spawn(thread, out, out->n);
    out->n = 0;
}

HEDDLE_FN void uts_alone(const heddle_thread *thread, const uts_params *params, const uts_node *node, uint32_t n)
{
    const uint32_t most = (UTS_SPAWNS - 2u) * params->chunk; /* children made here */
    uint32_t n_made = 0, n_leaves = 0, deepest = 0, i, k;
    uts_batch out;
    out.n = 0;
    for (i = 0; i < n; i++) {
        const uint32_t left = most - n_made, take = node[i].n < left ? node[i].n : left;
        for (k = 0; k < take; k++)
            if (uts_child(params->rows, params->n_rows, &node[i], node[i].from + k, &out.node[out.n]))
                uts_append(thread, params, &out);
            else
                n_leaves++;
        n_made += take;
        if (take && node[i].depth >= deepest)
            deepest = node[i].depth + 1u;
        if (take < node[i].n) {
            out.node[out.n] = node[i];
            out.node[out.n].from = (uint16_t)(node[i].from + take);
            out.node[out.n].n = (uint16_t)(node[i].n - take);
            uts_append(thread, params, &out);
        }
    }
    if (out.n)
        uts_spawn(thread, &out, out.n);
    uts_count(thread, params, n_made, n_leaves, deepest);
}

/* ---- many lanes ---------------------------------------------------------------------------------- */

/* In shared memory: the lanes' common counters; behind them the children to be made, as (node, child) pairs, and the
 * new batches. */
typedef struct uts_board {
    uint32_t n_items, n_out, n_leaves, deepest;
} uts_board;

HEDDLE_FN uint32_t *uts_items(uts_board *board) { return (uint32_t *)(board + 1); }
HEDDLE_FN uint32_t *uts_batch_at(const uts_params *params, uts_board *board, uint32_t b)
{
    return uts_items(board) + UTS_ITEMS(params->chunk) + b * (UTS_BATCH_BYTES(params->chunk) / 4u);
}
/* Reserves one more node. */
HEDDLE_FN uts_node *uts_place(const uts_params *params, uts_board *board)
{
    const uint32_t at = HEDDLE_ATOMIC_ADD(&board->n_out, 1u, RELAXED, BLOCK);
    return (uts_node *)(uts_batch_at(params, board, at / params->chunk) + 1) + at % params->chunk;
}

/* Atomic maximum by exchange: a lane that took out a larger number than its own puts it back. */
HEDDLE_FN void uts_raise(uint32_t *word, uint32_t mine)
{
    while (HEDDLE_ATOMIC_LOAD(word, RELAXED, BLOCK) < mine) {
        const uint32_t was = HEDDLE_ATOMIC_EXCHANGE(word, mine, RELAXED, BLOCK);
        if (was <= mine)
            return;
        mine = was;
    }
}

/* One lane: the children of node i become items; those without room are passed on with the node. */
HEDDLE_FN void uts_list(const uts_params *params, uts_board *board, const uts_node *node, uint32_t i)
{
    const uint32_t most = UTS_ITEMS(params->chunk), at = HEDDLE_ATOMIC_ADD(&board->n_items, node->n, RELAXED, BLOCK);
    const uint32_t left = at < most ? most - at : 0u, take = node->n < left ? node->n : left;
    uint32_t k;
    for (k = 0; k < take; k++)
        uts_items(board)[at + k] = i << 16 | k;
    if (take)
        uts_raise(&board->deepest, node->depth + 1u);
    if (take < node->n) {
        uts_node *rest = uts_place(params, board);
        *rest = *node;
        rest->from = (uint16_t)(node->from + take);
        rest->n = (uint16_t)(node->n - take);
    }
}

HEDDLE_FN void uts_make_all(const heddle_thread *thread, const uts_params *params, uts_board *board,
                            const uts_node *node, uint32_t n_items)
{
    uint32_t n_leaves = 0;
    HEDDLE_EACH (k, n_items) {
        const uint32_t item = uts_items(board)[k];
        const uts_node *parent = &node[item >> 16];
        uts_node child;
        if (uts_child(params->rows, params->n_rows, parent, parent->from + (item & 0xffffu), &child))
            *uts_place(params, board) = child;
        else
            n_leaves++;
    }
    if (n_leaves)
        (void)HEDDLE_ATOMIC_ADD(&board->n_leaves, n_leaves, RELAXED, BLOCK);
}

HEDDLE_FN void uts_together(const heddle_thread *thread, const uts_params *params, const uts_node *node, uint32_t n)
{
    uts_board *board = (uts_board *)heddle_team_shared(thread);
    uint32_t n_items, n_out;
    if (thread->index == 0)
        board->n_items = board->n_out = board->n_leaves = board->deepest = 0;
    heddle_team_barrier(thread);
    HEDDLE_EACH (i, n)
        uts_list(params, board, &node[i], (uint32_t)i);
    heddle_team_barrier(thread);
    n_items = board->n_items < UTS_ITEMS(params->chunk) ? board->n_items : UTS_ITEMS(params->chunk);
    uts_make_all(thread, params, board, node, n_items);
    heddle_team_barrier(thread);
    n_out = board->n_out;
    HEDDLE_EACH (b, (n_out + params->chunk - 1u) / params->chunk) {
        const uint32_t before = (uint32_t)b * params->chunk, left = n_out - before;
        uint32_t *batch = uts_batch_at(params, board, (uint32_t)b);
        *batch = left < params->chunk ? left : params->chunk;
        uts_spawn(thread, batch, *batch);
    }
    if (thread->index == 0)
        uts_count(thread, params, n_items, board->n_leaves, board->deepest);
}

/* ---- the bodies ---------------------------------------------------------------------------------- */

HEDDLE_FN void uts_search(const heddle_thread *thread, const uts_params *params, const uts_node *node, uint32_t n)
{
    if (HEDDLE_ON_HOST && thread->team_size == 1u) /* a block has more lanes */
        uts_alone(thread, params, node, n);
    else
        uts_together(thread, params, node, n);
}

HEDDLE_SPAWNER(uts_2, uts_params, params, uts_batch_2, batch, UTS_SPAWNS)
{
    uts_search(thread, params, batch->node, batch->n);
}
HEDDLE_SPAWNER(uts_16, uts_params, params, uts_batch_16, batch, UTS_SPAWNS)
{
    uts_search(thread, params, batch->node, batch->n);
}
HEDDLE_SPAWNER(uts_64, uts_params, params, uts_batch_64, batch, UTS_SPAWNS)
{
    uts_search(thread, params, batch->node, batch->n);
}

HEDDLE_TABLE(uts, uts_params, UTS_BODIES)
