/* SPDX-License-Identifier: MIT */
/* slu_matrix.c - blocks of a sparse matrix, its fill-in, and the number of its tasks. See slu_matrix.h. */
#include "slu_matrix.h"
#include "app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int slu_is_made_up(uint64_t i, uint64_t j)
{
    const uint64_t apart = i > j ? i - j : j - i;
    if (apart <= 1)
        return 1;
    return i % 2 == 0 && j % 2 == 0 && (i < j ? i : j) % 3 == 0;
}

/* ---- which blocks there are ---- */

static void add_block(slu_matrix *m, uint64_t i, uint64_t j)
{
    uint32_t *slot = &m->slot[i * m->n_dim + j];
    if (*slot == SLU_NONE)
        *slot = (uint32_t)m->n_blocks++;
}

uint32_t slu_rows(const slu_matrix *m, uint64_t k, uint32_t *rows)
{
    uint32_t n = 0;
    for (uint64_t i = k + 1; i < m->n_dim; i++)
        if (slu_slot(m, i, k) != SLU_NONE)
            rows[n++] = (uint32_t)i;
    return n;
}

uint32_t slu_cols(const slu_matrix *m, uint64_t k, uint32_t *cols)
{
    uint32_t n = 0;
    for (uint64_t j = k + 1; j < m->n_dim; j++)
        if (slu_slot(m, k, j) != SLU_NONE)
            cols[n++] = (uint32_t)j;
    return n;
}

static void count_step(slu_counts *c, uint64_t n_rows, uint64_t n_cols)
{
    c->lu0++;
    c->bdiv += n_rows;
    c->fwd += n_cols;
    c->bmod += n_rows * n_cols;
    c->widest = n_rows * n_cols > c->widest ? n_rows * n_cols : c->widest;
}

static uint32_t more(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* depth: for each block, the longest chain of tasks that ends with the last one on it so far. */
static void eliminate(slu_matrix *m, uint64_t k, uint32_t *depth, uint32_t *rows, uint32_t *cols)
{
    const uint64_t n = m->n_dim;
    const uint32_t n_rows = slu_rows(m, k, rows), n_cols = slu_cols(m, k, cols), diag = ++depth[k * n + k];
    count_step(&m->counts, n_rows, n_cols);
    m->counts.path = more((uint32_t)m->counts.path, diag);
    for (uint32_t c = 0; c < n_cols; c++) {
        const uint32_t up = depth[k * n + cols[c]] = more(depth[k * n + cols[c]], diag) + 1;
        m->counts.path = more((uint32_t)m->counts.path, up);
    }
    for (uint32_t r = 0; r < n_rows; r++) {
        const uint64_t i = rows[r];
        const uint32_t left = depth[i * n + k] = more(depth[i * n + k], diag) + 1;
        m->counts.path = more((uint32_t)m->counts.path, left);
        for (uint32_t c = 0; c < n_cols; c++) {
            uint32_t *at = &depth[i * n + cols[c]], up = depth[k * n + cols[c]];
            *at = more(*at, more(left, up)) + 1;
            add_block(m, i, cols[c]);
        }
    }
}

static int find_blocks(slu_matrix *m, const input_entry *entries, uint64_t n_entries, char *error)
{
    const uint64_t n = m->n_dim;
    uint32_t *depth = app_alloc((n + 2) * n, sizeof *depth, "the pattern", error);
    m->slot = depth ? app_alloc(n * n, sizeof *m->slot, "the blocks' numbers", error) : NULL;
    if (!m->slot) {
        free(depth);
        return -1;
    }
    memset(m->slot, 0xff, n * n * sizeof *m->slot);
    memset(depth, 0, (n + 2) * n * sizeof *depth);
    for (uint64_t k = 0; k < n; k++)
        add_block(m, k, k);
    for (uint64_t e = 0; e < n_entries; e++)
        add_block(m, entries[e].row / m->b, entries[e].col / m->b);
    m->n_initial = m->n_blocks;
    for (uint64_t k = 0; k < n; k++)
        eliminate(m, k, depth, depth + n * n, depth + n * n + n);
    free(depth);
    return 0;
}

/* ---- numbers ---- */

static void fill(slu_matrix *m, const input_entry *entries, uint64_t n_entries)
{
    for (uint64_t r = 0; r < m->n_dim * m->b; r++)
        m->start[slu_place(m, r, r)] = 1.0;
    m->sum = (double)m->n;
    for (uint64_t e = 0; e < n_entries; e++) {
        const input_entry *a = &entries[e];
        if (a->row == a->col)
            continue;
        m->start[slu_place(m, a->row, a->col)] = a->value + 0.0; /* no -0: less 0 it may be another */
        m->start[slu_place(m, a->row, a->row)] += fabs(a->value);
        m->sum += a->value + fabs(a->value);
    }
}

/* A diagonal is the sum of its row; within the limit, factors, errors and residuals stay in the range of doubles. */
static int check_sums(const slu_matrix *m, char *error)
{
    for (uint64_t r = 0; r < m->n; r++)
        if (!(m->start[slu_place(m, r, r)] <= SLU_LARGEST)) {
            snprintf(error, APP_ERROR,
                     "slu: row %llu's numbers add up to %.3g; the limit is %g, within which factors are doubles",
                     (unsigned long long)r + 1, m->start[slu_place(m, r, r)], SLU_LARGEST);
            return -1;
        }
    return 0;
}

int slu_matrix_make(slu_matrix *m, const input_entry *entries, uint64_t n_entries, char *error)
{
    m->n_dim = (m->n + m->b - 1) / m->b;
    if (m->n_dim > SLU_MAX_BLOCKS) {
        snprintf(error, APP_ERROR, "slu: %llu rows are more than %u blocks of %llu", (unsigned long long)m->n,
                 SLU_MAX_BLOCKS, (unsigned long long)m->b);
        return -1;
    }
    if (find_blocks(m, entries, n_entries, error))
        return -1;
    m->start = app_alloc(m->n_blocks * m->b, m->b * sizeof *m->start, "the blocks", error);
    if (!m->start)
        return -1;
    memset(m->start, 0, m->n_blocks * m->b * m->b * sizeof *m->start);
    fill(m, entries, n_entries);
    return check_sums(m, error);
}

void slu_matrix_clear(slu_matrix *m)
{
    free(m->slot);
    free(m->start);
    m->slot = NULL;
    m->start = NULL;
}
