/* SPDX-License-Identifier: MIT */
/* depth.c - an order in which each task runs soon after its inputs were written: depth first from the tasks without
 * successors ("ends"), each task after its predecessors.
 *
 * The order of the ends decides how much work lies between a write and its reads. Ends that share a predecessor are
 * neighbours. They are taken in clusters that grow from neighbour to neighbour, each new cluster beside the last one. In a
 * stencil, a block of tiles thus goes through all sweeps while it is in the cache; otherwise each sweep would cross the whole
 * field. */
#include "graph/plan.h"

#include <string.h>

#define CLUSTER 8u /* ends */

enum { ALONE, QUEUED, TAKEN }; /* an end: not seen, beside the cluster, in a cluster */

typedef struct walk {
    const hd_graph *g;
    hd_preds preds;
    uint64_t *rank;                   /* n_tasks for the first task of the order, 1 for the last; 0: not ranked */
    uint64_t left;                    /* the rank of the next */
    uint32_t *stack, *looked, *queue; /* looked: per task, predecessors visited */
    uint8_t *state;                   /* of ends */
    uint32_t head, tail;
} walk;

static int is_end(const walk *k, uint32_t t) { return hd_graph_task(k->g, t)->n_succ == 0; }

/* Ranks all unranked predecessors of t, direct and indirect, then t. */
static void take(walk *k, uint32_t t)
{
    uint32_t n = 0;
    k->stack[n++] = t;
    while (n) {
        uint32_t top = k->stack[n - 1];
        uint64_t at = k->preds.at[top] + k->looked[top];
        if (at < k->preds.at[top + 1]) {
            k->looked[top]++;
            if (!k->rank[k->preds.from[at]] && !k->looked[k->preds.from[at]])
                k->stack[n++] = k->preds.from[at];
            continue;
        }
        n--;
        if (!k->rank[top])
            k->rank[top] = k->left--;
    }
}

/* Queues the ends that share a predecessor with t. */
static void queue_neighbours(walk *k, uint32_t t)
{
    uint64_t i;
    uint32_t s;
    for (i = k->preds.at[t]; i < k->preds.at[t + 1]; i++) {
        const hd_task *task = hd_graph_task(k->g, k->preds.from[i]);
        for (s = 0; s < task->n_succ; s++) {
            uint32_t other = hd_graph_edge(k->g, task, s).task;
            if (is_end(k, other) && k->state[other] == ALONE) {
                k->state[other] = QUEUED;
                k->queue[k->tail++] = other;
            }
        }
    }
}

/* Takes a cluster of at most n ends around t. Returns an end beside it, or HD_NONE. */
static uint32_t take_cluster(walk *k, uint32_t t, uint32_t n)
{
    uint32_t i, beside;
    k->head = k->tail = 0;
    k->state[t] = QUEUED;
    k->queue[k->tail++] = t;
    while (n-- && k->head < k->tail) {
        t = k->queue[k->head++];
        k->state[t] = TAKEN;
        take(k, t);
        queue_neighbours(k, t);
    }
    beside = k->head < k->tail ? k->queue[k->head] : HD_NONE;
    for (i = k->head; i < k->tail; i++)
        k->state[k->queue[i]] = ALONE;
    return beside;
}

static void take_all(walk *k)
{
    uint32_t t, next;
    for (t = 0; t < k->g->n_tasks; t++)
        for (next = is_end(k, t) && k->state[t] == ALONE ? t : HD_NONE; next != HD_NONE;)
            next = take_cluster(k, next, CLUSTER);
}

static void walk_clear(walk *k)
{
    uint64_t n = k->g->n_tasks;
    hd_preds_clear(&k->preds);
    hd_delete(k->stack, (n + 1) * sizeof *k->stack);
    hd_delete(k->looked, n * sizeof *k->looked);
    hd_delete(k->queue, (n + 1) * sizeof *k->queue);
    hd_delete(k->state, n);
}

int hd_depth_ranks(const hd_graph *g, uint64_t *rank)
{
    uint64_t n = g->n_tasks;
    walk k;
    int done;
    memset(&k, 0, sizeof k);
    k.g = g;
    k.rank = rank;
    k.left = n;
    k.stack = hd_new((n + 1) * sizeof *k.stack);
    k.looked = hd_new(n * sizeof *k.looked);
    k.queue = hd_new((n + 1) * sizeof *k.queue);
    k.state = hd_new(n);
    done = k.stack && k.looked && k.queue && k.state && !hd_preds_of(&k.preds, g);
    if (done) {
        memset(rank, 0, n * sizeof *rank);
        take_all(&k);
    }
    walk_clear(&k);
    return done ? 0 : -1;
}
