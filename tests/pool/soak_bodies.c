/* SPDX-License-Identifier: MIT */
/* soak_bodies.c - see soak_bodies.h. */
#include "pool/soak_bodies.h"

HEDDLE_BODY(soaked_count, soaked_params, params, soaked_args, t)
{
    soaked_cell *cell = &params->cells[t->word[0] % SOAKED_CELLS];
    uint32_t i, all = 0;
    if (thread->index != 0)
        return;
    for (i = 0; i + 1u < SOAKED_WORDS; i++)
        all ^= t->word[i];
    if (all != t->word[SOAKED_WORDS - 1u])
        (void)HEDDLE_ATOMIC_ADD(&cell->torn, 1u, RELAXED, DEV);
    (void)HEDDLE_ATOMIC_ADD(&cell->n, 1u, RELAXED, DEV);
    (void)HEDDLE_ATOMIC_ADD(&cell->sum, t->word[0], RELAXED, DEV);
}

HEDDLE_POOL_TABLE(soaked, soaked_params, SOAKED_BODIES)
