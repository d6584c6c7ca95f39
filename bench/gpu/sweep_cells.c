/* SPDX-License-Identifier: MIT */
/* sweep_cells.c - implements sweep_cells.h. */
#include "sweep_cells.h"

#define HEAT(name, together)                                                                                     \
    HEDDLE_SWEEP(name, sweep_params, params, float, together, HEDDLE_N | HEDDLE_W | HEDDLE_OLD_E | HEDDLE_OLD_S) \
    {                                                                                                            \
        return sweep_heat_of(in->n, in->w, in->old_e, in->old_s);                                                \
    }
HEAT(sweep_heat_4, 4)
HEAT(sweep_heat_2, 2)

HEDDLE_SWEEP(sweep_sor_4, sweep_params, params, float, 4,
             HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)
{
    return sweep_sor_of(params->omega, in->n, in->w, in->old_c, in->old_e, in->old_s);
}

HEDDLE_WAVES(sweep, sweep_params, SWEEP_WAVES)
