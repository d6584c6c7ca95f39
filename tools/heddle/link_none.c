/* SPDX-License-Identifier: MIT */
/* link_none.c - link.h in a build without CUDA. */
#include "link.h"

#include <stdio.h>

static int refuse(char *error)
{
    snprintf(error, LINK_ERROR, "built without CUDA");
    return -1;
}

int link_time(link_flow *f, int n, uint64_t chunk_bytes, char error[LINK_ERROR])
{
    (void)f, (void)n, (void)chunk_bytes;
    return refuse(error);
}

int link_latency(const link_flow *f, double *us, char error[LINK_ERROR])
{
    (void)f, (void)us;
    return refuse(error);
}
