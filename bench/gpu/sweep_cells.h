/* SPDX-License-Identifier: MIT */
/* sweep_cells.h - the cells that sweeps.c measures: Gauss-Seidel sums and over-relaxation, of two and of four sweeps
 * that go together. */
#ifndef BENCH_SWEEP_CELLS_H
#define BENCH_SWEEP_CELLS_H

#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2) X(name, 1, 2, 2) X(name, 2, 4, 1) X(name, 3, 1, 2)
#include "heddle/wave.h"

typedef struct sweep_params {
    float omega;
} sweep_params;

#define SWEEP_WAVES(X) X(sweep_heat_4, 0) X(sweep_heat_2, 0) X(sweep_sor_4, 0)
HEDDLE_ENUM(sweep, SWEEP_WAVES)
HEDDLE_DECLARE(sweep)

/* A cell after a sweep; heat ignores omega. */
HEDDLE_FN float sweep_heat_of(float n, float w, float old_e, float old_s) { return 0.25f * (n + old_s + old_e + w); }
HEDDLE_FN float sweep_sor_of(float omega, float n, float w, float old_c, float old_e, float old_s)
{
    return old_c + omega * (0.25f * (n + old_s + old_e + w) - old_c);
}

#endif
