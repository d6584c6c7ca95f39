/* SPDX-License-Identifier: MIT */
/* fill_bodies.c - implements fill.h. Compiled as C or as CUDA. */
#include "front/fill.h"

HEDDLE_LOOP(fill_x, fill_params, params, s)
{
    HEDDLE_SPAN (i, s) {
        uint64_t h = i;
        for (uint32_t k = 0; k < params->n_rounds; k++)
            h = h * 6364136223846793005u + 1u;
        params->x[i] = fill_of(params->seed, i) + (h == params->seed); /* so that the rounds are not left out */
    }
}
HEDDLE_LOOP_TABLE(fill, fill_params, FILL_LOOPS)
