/* SPDX-License-Identifier: MIT */
/* slu_spawn.c - the shared words of a run of slu with tasks that spawn tasks. See slu_spawn.h. */
#include "slu_spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Offsets of the tables, in units of n_dim * n_dim words. */
enum { SLOT, LEFT, LAST, INDEX, ROWS, COLS, N_TABLES };

static uint64_t n_table(const slu_matrix *m) { return m->n_dim * m->n_dim; }
static uint64_t n_step_words(const slu_matrix *m) { return m->n_dim * sizeof(slu_spawn_step) / sizeof(uint32_t); }
static uint64_t n_update_words(const slu_matrix *m)
{
    return m->counts.bmod * sizeof(slu_spawn_update) / sizeof(uint32_t);
}
static uint64_t n_words(const slu_matrix *m) { return N_TABLES * n_table(m) + n_step_words(m) + n_update_words(m) + 1; }

static void set_record(slu_spawn_record *r, const slu_matrix *m, uint32_t *words)
{
    const uint64_t n = n_table(m);
    r->n_dim = (uint32_t)m->n_dim;
    r->slot = words + SLOT * n;
    r->left = words + LEFT * n;
    r->last = words + LAST * n;
    r->index = words + INDEX * n;
    r->rows = words + ROWS * n;
    r->cols = words + COLS * n;
    r->steps = (slu_spawn_step *)(words + N_TABLES * n);
    r->updates = (slu_spawn_update *)(words + N_TABLES * n + n_step_words(m));
    r->n_blocks = words + n_words(m) - 1;
}

/* A block waits for find of its step and, off the diagonal, for lu0. */
static void make_start(slu_spawn_state *s, const slu_matrix *m)
{
    const uint64_t n = n_table(m);
    memset(s->start, 0, s->n_words * sizeof *s->start);
    for (uint64_t at = 0; at < n; at++) {
        const uint32_t slot = m->slot[at];
        s->start[SLOT * n + at] = slot < m->n_initial ? slot : SLU_NONE;
        s->start[LEFT * n + at] = at / m->n_dim == at % m->n_dim ? 1 : 2;
        s->start[LAST * n + at] = SLU_NONE;
    }
    s->start[s->n_words - 1] = (uint32_t)m->n_initial;
}

int slu_spawn_new(slu_spawn_state *s, const slu_matrix *m, const slu_record *blocks, app_case *c)
{
    s->n_words = n_words(m);
    s->start = app_alloc(s->n_words, sizeof *s->start, "the words of a run", c->error);
    s->words = s->start ? app_alloc(s->n_words, sizeof *s->words, "the words of a run", c->error) : NULL;
    if (!s->words)
        return -1;
    make_start(s, m);
    if (heddle_mem_new(c->ctx, s->n_words * sizeof *s->start, &s->memory) != HEDDLE_OK)
        return app_heddle_error(c, "memory for the words of a run");
    s->record.blocks = *blocks;
    set_record(&s->record, m, s->memory);
    return 0;
}

void slu_spawn_clear(slu_spawn_state *s, heddle_ctx *ctx)
{
    if (ctx)
        heddle_mem_free(ctx, s->memory);
    free(s->start);
    free(s->words);
}

static int put(slu_spawn_state *s, const uint32_t *words, app_case *c)
{
    if (heddle_mem_write(c->ctx, s->memory, words, s->n_words * sizeof *words) != HEDDLE_OK)
        return app_heddle_error(c, "writing the words of a run");
    return 0;
}

int slu_spawn_put(slu_spawn_state *s, app_case *c) { return put(s, s->start, c); }

int slu_spawn_put_end(slu_spawn_state *s, const slu_matrix *m, app_case *c)
{
    memset(s->words, 0, s->n_words * sizeof *s->words);
    memcpy(s->words, m->slot, n_table(m) * sizeof *m->slot);
    s->words[s->n_words - 1] = (uint32_t)m->n_blocks;
    return put(s, s->words, c);
}

static int refuse(app_case *c, const char *what, uint64_t at, uint64_t n)
{
    snprintf(c->error, APP_ERROR, "slu: %s (%llu of %llu)", what, (unsigned long long)at, (unsigned long long)n);
    return -1;
}

int slu_spawn_get(slu_spawn_state *s, app_case *c)
{
    if (heddle_mem_read(c->ctx, s->words, s->memory, s->n_words * sizeof *s->words) != HEDDLE_OK)
        return app_heddle_error(c, "reading the words of a run");
    return 0;
}

int slu_spawn_check(const slu_spawn_state *s, const slu_matrix *m, app_case *c)
{
    slu_spawn_record r;
    set_record(&r, m, s->words);
    if (*r.n_blocks != m->n_blocks)
        return refuse(c, "so many blocks were made", *r.n_blocks, m->n_blocks);
    for (uint64_t at = 0; at < n_table(m); at++) {
        if ((m->slot[at] == SLU_NONE) != (r.slot[at] == SLU_NONE))
            return refuse(c, "fill-in is not where it should be", at, n_table(m));
        if (m->slot[at] != SLU_NONE && (r.left[at] || r.slot[at] >= m->n_blocks))
            return refuse(c, "a block was not finished once", at, n_table(m));
    }
    for (uint64_t u = 0; u < m->counts.bmod; u++)
        if (r.updates[u].waits)
            return refuse(c, "a product was not taken off once", u, m->counts.bmod);
    return 0;
}

uint32_t slu_spawn_slot(const slu_spawn_state *s, uint64_t i, uint64_t j)
{
    return s->words[SLOT * (uint64_t)s->record.n_dim * s->record.n_dim + i * s->record.n_dim + j];
}
