/* SPDX-License-Identifier: MIT */
/* bodies.c - see bodies.h. */
#include "bodies.h"

HEDDLE_FN uint32_t steps_of(uint64_t number)
{
    uint32_t n = 0;
    for (; number > 1; n++)
        number = number % 2 ? 3 * number + 1 : number / 2;
    return n;
}

HEDDLE_LOOP(steps_count, steps_params, params, s)
{
    HEDDLE_EACH_PARTIAL (v) {
        int64_t most = 0;
        for (uint64_t i = s->begin + (uint64_t)v; i < s->end; i += HEDDLE_N_PARTIALS) {
            params->steps[i] = steps_of(params->number[i]);
            most = (int64_t)params->steps[i] > most ? (int64_t)params->steps[i] : most;
        }
        heddle_team_partial_i64(thread)[v] = most;
    }
    const int64_t most = heddle_team_reduce_i64(thread, HEDDLE_MAX);
    HEDDLE_EACH (k, 1)
        params->most[s->tile] = most;
}

HEDDLE_LOOP_TABLE(steps, steps_params, STEPS_LOOPS)
