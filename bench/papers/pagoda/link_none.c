/* SPDX-License-Identifier: MIT */
/* link_none.c - link.h in a build without CUDA. */
#include "link.h"

#include <stdio.h>

int link_time(uint64_t in_bytes, uint64_t out_bytes, double *ms, char error[LINK_ERROR])
{
    (void)in_bytes, (void)out_bytes, (void)ms;
    snprintf(error, LINK_ERROR, "built without CUDA");
    return -1;
}
