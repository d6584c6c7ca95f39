/* SPDX-License-Identifier: MIT */
/* inside.c - see inside.h. */
#include "backend/inside.h"

#include <stddef.h>

static _Thread_local const hd_inside *now;

void hd_inside_enter(hd_inside *here, const struct hd_device *d)
{
    here->device = d;
    here->outer = now;
    now = here;
}

void hd_inside_leave(const hd_inside *here) { now = here->outer; }

int hd_is_inside(const struct hd_device *d)
{
    const hd_inside *i;
    for (i = now; i; i = i->outer)
        if (i->device == d)
            return 1;
    return 0;
}

const hd_inside *hd_inside_now(void) { return now; }
void hd_inside_as(const hd_inside *all) { now = all; }
