/* SPDX-License-Identifier: MIT */
/* sweeps.h - cells for sweeps in place: one to seven sweeps go together; each mixes all that it may read. */
#ifndef WAVE_SWEEPS_H
#define WAVE_SWEEPS_H

#include "wave/cells.h"

typedef struct sweep_pair {
    uint32_t a, b;
} sweep_pair;

/* name, sweeps that go together, neighbours */
#define SWEEP_CELLS(X)                                                              \
    X(sweep_1, 1, HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S) \
    X(sweep_2, 2, HEDDLE_OLD_C | HEDDLE_OLD_S)                                      \
    X(sweep_4, 4, HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S) \
    X(sweep_7, 7, HEDDLE_N | HEDDLE_W | HEDDLE_OLD_E | HEDDLE_OLD_S)
/* With SWEEPS_ALL every other set of neighbours, too, which nvcc would take minutes for: one to four sweeps together. */
#if defined(SWEEPS_ALL)
#define SWEEP_OLD(X, old, olds)            \
    X(sweep_##old, 2, olds)                \
    X(sweep_n_##old, 3, (olds) | HEDDLE_N) \
    X(sweep_w_##old, 1, (olds) | HEDDLE_W) \
    X(sweep_nw_##old, 4, (olds) | HEDDLE_N | HEDDLE_W)
#define SWEEP_MORE(X)                             \
    SWEEP_OLD(X, c, HEDDLE_OLD_C)                 \
    SWEEP_OLD(X, e, HEDDLE_OLD_E)                 \
    SWEEP_OLD(X, s, HEDDLE_OLD_S)                 \
    SWEEP_OLD(X, ce, HEDDLE_OLD_C | HEDDLE_OLD_E) \
    SWEEP_OLD(X, cs, HEDDLE_OLD_C | HEDDLE_OLD_S) \
    SWEEP_OLD(X, es, HEDDLE_OLD_E | HEDDLE_OLD_S) \
    SWEEP_OLD(X, ces, HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)
#define SWEEP_NAMES(X, old) X(sweep_##old, 0) X(sweep_n_##old, 0) X(sweep_w_##old, 0) X(sweep_nw_##old, 0)
#define SWEEP_MORE_WAVES(X) \
    SWEEP_NAMES(X, c)       \
    SWEEP_NAMES(X, e)       \
    SWEEP_NAMES(X, s) SWEEP_NAMES(X, ce) SWEEP_NAMES(X, cs) SWEEP_NAMES(X, es) SWEEP_NAMES(X, ces)
#else
#define SWEEP_MORE(X)
#define SWEEP_MORE_WAVES(X)
#endif
#define SWEEP_WAVES(X) X(sweep_1, 0) X(sweep_2, 0) X(sweep_4, 0) X(sweep_7, 0) SWEEP_MORE_WAVES(X) X(sweep_pairs, 0)
HEDDLE_ENUM(sweeps, SWEEP_WAVES)
HEDDLE_DECLARE(sweeps)

/* A cell after a sweep, from the neighbours of the mask. */
HEDDLE_FN uint32_t sweep_of(uint32_t mask, uint32_t by, uint32_t n, uint32_t w, uint32_t old_c, uint32_t old_e,
                            uint32_t old_s, uint32_t i, uint32_t j)
{
    uint32_t h = mix_in(mix_in(mix_in(2166136261u, by), i), j);
    h = mask & HEDDLE_N ? mix_in(h, n) : h;
    h = mask & HEDDLE_W ? mix_in(h, w) : h;
    h = mask & HEDDLE_OLD_C ? mix_in(h, old_c) : h;
    h = mask & HEDDLE_OLD_E ? mix_in(h, old_e) : h;
    return mask & HEDDLE_OLD_S ? mix_in(h, old_s) : h;
}

HEDDLE_FN sweep_pair sweep_pair_of(uint32_t by, sweep_pair n, sweep_pair w, sweep_pair old_c, sweep_pair old_e,
                                   sweep_pair old_s)
{
    sweep_pair v;
    v.a = mix_in(mix_in(mix_in(by, n.a), w.b), old_c.a);
    v.b = mix_in(mix_in(v.a, old_e.b), old_s.a);
    return v;
}

#endif
