/* SPDX-License-Identifier: MIT */
/* slu_matrix.h - the matrix of slu by square blocks, storing only non-empty ones; its fill-in (symbolic factorisation),
 * and the number of its tasks. */
#ifndef SLU_MATRIX_H
#define SLU_MATRIX_H

#include "input.h"

#define SLU_NONE 0xffffffffu
#define SLU_MAX_BLOCKS 4096u /* a dimension; each place has a word */
#define SLU_LARGEST 1e300    /* limit of a row's sum */

/* Tasks by body. */
typedef struct slu_counts {
    uint64_t lu0, fwd, bdiv, bmod, path; /* path: tasks of the longest chain                             */
    uint64_t widest;                     /* most bmods in a step */
} slu_counts;

typedef struct slu_matrix {
    uint64_t n, b, n_dim;         /* rows; rows of a block; blocks a dimension                          */
    uint64_t n_initial, n_blocks; /* non-empty blocks: of M, and in the end */
    uint32_t *slot;               /* n_dim x n_dim: the number of a block or SLU_NONE; M's come first */
    double *start;                /* M, block after block, each row-major; zeros for fill-in */
    double sum;                   /* of all numbers of M, padding left out                              */
    slu_counts counts;
} slu_matrix;

/* Makes M from entries of A, sorted by rows, without duplicates. M equals A off the diagonal, m_ii = 1 + the sum of
 * |a_ij| over j != i, and is padded with the identity to whole blocks. A block with an entry, even 0, is non-empty; so
 * is every diagonal block. The caller sets m->n and m->b. 0, or -1 with the sentence; slu_matrix_clear in both cases. */
int slu_matrix_make(slu_matrix *m, const input_entry *entries, uint64_t n_entries, char *error);
void slu_matrix_clear(slu_matrix *m);

/* Whether block (i, j) of a made-up matrix has numbers: the pattern of BOTS' sparselu. */
int slu_is_made_up(uint64_t i, uint64_t j);

static inline uint32_t slu_slot(const slu_matrix *m, uint64_t i, uint64_t j) { return m->slot[i * m->n_dim + j]; }

/* Rows i > k with a block (i, k), or columns j > k with a block (k, j); returns their number. */
uint32_t slu_rows(const slu_matrix *m, uint64_t k, uint32_t *rows);
uint32_t slu_cols(const slu_matrix *m, uint64_t k, uint32_t *cols);

/* Index of number (r, c) in an array of blocks; its block must exist. */
static inline uint64_t slu_place(const slu_matrix *m, uint64_t r, uint64_t c)
{
    return (slu_slot(m, r / m->b, c / m->b) * m->b + r % m->b) * m->b + c % m->b;
}

#endif
