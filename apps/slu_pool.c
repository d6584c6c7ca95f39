/* SPDX-License-Identifier: MIT */
/* slu_pool.c - implements slu_pool.h. */
#include "slu_pool.h"
#include "slu_bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LET_GO 256u /* tasks that are waited for when the table is full */

int slu_pool_choose(slu_pool *s, const char *order, char *error)
{
    static const char *const names[] = {"ranges", "handles", "waves"};
    for (int i = SLU_RANGES; i <= SLU_WAVES; i++)
        if (!strcmp(order, names[i])) {
            s->order = (slu_order)i;
            return 0;
        }
    snprintf(error, APP_ERROR, "option order: '%.64s' is not ranges, handles or waves", order);
    return -1;
}

int slu_pool_new(slu_pool *s, uint64_t n_blocks, app_case *c)
{
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    if (heddle_pool_get_info(c->pool, &info) != HEDDLE_OK)
        return app_failed(c);
    s->n_slots = info.n_slots;
    s->n_blocks = n_blocks;
    s->last = app_alloc(n_blocks, sizeof *s->last, "the last tasks of blocks", c->error);
    s->held = s->last ? app_alloc(s->n_slots, sizeof *s->held, "the tasks of a pool", c->error) : NULL;
    return s->held ? 0 : -1;
}

void slu_pool_clear(slu_pool *s)
{
    free(s->last);
    free(s->held);
}

void slu_pool_begin(slu_pool *s)
{
    memset(s->last, 0, s->n_blocks * sizeof *s->last);
    s->first = s->n_held = 0;
    s->part = 0;
}

/* ---- waves ---- */

static int part_of(uint32_t body) { return body == slu_lu0 ? 0 : body == slu_bmod ? 2 : 1; }

/* Tasks of one part are independent. */
static int wait_between(slu_pool *s, app_case *c, uint32_t body)
{
    const int part = part_of(body), is_new = part != s->part;
    s->part = part;
    return is_new && heddle_pool_wait_all(c->pool, HEDDLE_FOREVER) != HEDDLE_OK ? app_failed(c) : 0;
}

/* ---- handles ---- */

static uint32_t name_last(const slu_pool *s, const uint32_t *blocks, uint32_t n, heddle_handle *after)
{
    uint32_t n_after = 0;
    for (uint32_t i = 0; i < n; i++)
        if (s->last[blocks[i]])
            after[n_after++] = s->last[blocks[i]];
    return n_after;
}

/* Waits for the oldest task, which needs no later one to end, and so gives its slot back. Nobody has to name it any more. */
static int let_go(slu_pool *s, app_case *c)
{
    const slu_held *h = &s->held[s->first++ % s->n_slots];
    s->n_held--;
    if (s->last[h->block] == h->handle)
        s->last[h->block] = 0;
    return heddle_pool_wait(c->pool, h->handle, HEDDLE_FOREVER, NULL) == HEDDLE_OK ? 0 : app_failed(c);
}

/* The table is full: a call that finds no slot has looked for long, so many are given back at once. */
static int let_some_go(slu_pool *s, app_case *c)
{
    for (uint32_t k = 0; k < LET_GO && s->n_held; k++)
        if (let_go(s, c))
            return -1;
    return 0;
}

static void hold(slu_pool *s, heddle_handle handle, uint32_t block)
{
    s->held[(s->first + s->n_held++) % s->n_slots] = (slu_held){handle, block};
    s->last[block] = handle;
}

static int spawn_after(slu_pool *s, app_case *c, heddle_pool_task *t, const uint32_t *blocks, uint32_t n)
{
    heddle_handle after[3], handle;
    heddle_status status;
    t->after = after;
    do {
        t->n_after = name_last(s, blocks, n, after);
        t->flags = s->n_held ? HEDDLE_POOL_TRY : 0;
        status = heddle_pool_spawn_task(c->pool, t, &handle);
        if (status == HEDDLE_EBUSY && s->n_held) {
            if (let_some_go(s, c))
                return -1;
        } else if (status != HEDDLE_OK)
            return app_failed(c);
    } while (status != HEDDLE_OK);
    hold(s, handle, blocks[n - 1]);
    return 0;
}

/* ---- all ---- */

int slu_pool_spawn(slu_pool *s, app_case *c, const heddle_pool_task *task, const uint32_t *blocks, uint32_t n)
{
    heddle_pool_task t = *task;
    if (s->order != SLU_RANGES)
        t.n_ranges = 0;
    if (s->order == SLU_HANDLES)
        return spawn_after(s, c, &t, blocks, n);
    if (s->order == SLU_WAVES && wait_between(s, c, t.body))
        return -1;
    return heddle_pool_spawn_task(c->pool, &t, NULL) == HEDDLE_OK ? 0 : app_failed(c);
}
