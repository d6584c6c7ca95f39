/* SPDX-License-Identifier: MIT */
/* slu_solve.h - solves a system of equations with the factors of a run of slu: M x = M * ones, with the solution all
 * ones. This check needs no other decomposition. */
#ifndef SLU_SOLVE_H
#define SLU_SOLVE_H

#include "slu_matrix.h"

typedef struct slu_solution {
    double error;    /* the largest |x_i - 1|                                                          */
    double residual; /* the largest |(M * ones - M x)_i|, over the largest sum of a row's |m_ij| |x_j|       */
} slu_solution;

/* lu: L and U, by blocks as m->start. 0, or -1 with the sentence. */
int slu_solve(const slu_matrix *m, const double *lu, slu_solution *out, char *error);

#endif
