/* SPDX-License-Identifier: MIT */
/* sweeps.c - the cells of sweeps.h. Compiled as C, as C++ for the emulator of blocks, or as CUDA. */
#include "wave/sweeps.h"

#define SWEEP(name, together, neighbours)                                                                     \
    HEDDLE_SWEEP(name, mix_params, params, uint32_t, together, neighbours)                                    \
    {                                                                                                         \
        return sweep_of(neighbours, params->by, in->n, in->w, in->old_c, in->old_e, in->old_s, in->i, in->j); \
    }
SWEEP_CELLS(SWEEP)
SWEEP_MORE(SWEEP)

HEDDLE_SWEEP(sweep_pairs, mix_params, params, sweep_pair, 3,
             HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)
{
    return sweep_pair_of(params->by, in->n, in->w, in->old_c, in->old_e, in->old_s);
}

HEDDLE_WAVES(sweeps, mix_params, SWEEP_WAVES)
