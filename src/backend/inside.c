/* SPDX-License-Identifier: MIT */
/* inside.c - see inside.h. */
#include "backend/inside.h"

#include <stddef.h>

_Thread_local const hd_inside *hd_inside_top;

void hd_inside_enter(hd_inside *here, const struct hd_device *d)
{
    here->device = d;
    here->outer = hd_inside_top;
    hd_inside_top = here;
}

void hd_inside_leave(const hd_inside *here) { hd_inside_top = here->outer; }

const hd_inside *hd_inside_now(void) { return hd_inside_top; }
void hd_inside_as(const hd_inside *all) { hd_inside_top = all; }
