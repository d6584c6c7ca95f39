/* SPDX-License-Identifier: MIT */
/* changed_bodies.c - see changed_bodies.h. */
#include "changed_bodies.h"

HEDDLE_SPAWNER(changed_small, changed_app, app, changed_args, t, 1)
{
    (void)app;
    if (lane->index == 0)
        heddle_spawn(lane, changed_leaf, t, sizeof *t, (const heddle_handle *)0, 0, 0);
}

HEDDLE_BODY(changed_large, changed_app, app, changed_large_args, t)
{
    uint32_t i, sum = 0;
    if (lane->index != 0)
        return;
    for (i = 0; i < CHANGED_LARGE; i++)
        sum += t->value[i];
    app->seen[t->at] = sum;
}

HEDDLE_BODY(changed_leaf, changed_app, app, changed_args, t)
{
    if (lane->index == 0)
        app->seen[t->at] = t->value;
}

HEDDLE_APP(changed, changed_app, CHANGED_BODIES)
