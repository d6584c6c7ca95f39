/* SPDX-License-Identifier: MIT */
/* changed_bodies.c - implements changed_bodies.h. */
#include "changed_bodies.h"

HEDDLE_SPAWNER(changed_small, changed_params, params, changed_args, t, 1)
{
    (void)params;
    if (thread->index == 0)
        heddle_task_spawn(thread, changed_leaf, t, sizeof *t, (const heddle_handle *)0, 0, 0);
}

HEDDLE_BODY(changed_large, changed_params, params, changed_large_args, t)
{
    uint32_t i, sum = 0;
    if (thread->index != 0)
        return;
    for (i = 0; i < CHANGED_LARGE; i++)
        sum += t->value[i];
    params->seen[t->at] = sum;
}

HEDDLE_BODY(changed_leaf, changed_params, params, changed_args, t)
{
    if (thread->index == 0)
        params->seen[t->at] = t->value;
}

HEDDLE_TABLE(changed, changed_params, CHANGED_BODIES)
