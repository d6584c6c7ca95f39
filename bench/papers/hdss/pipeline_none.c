/* SPDX-License-Identifier: MIT */
/* pipeline_none.c - the pipeline of hand.h in a build without CUDA. */
#include "hand.h"

#include <stdio.h>

static int refuse(char *error)
{
    snprintf(error, HAND_ERROR, "built without CUDA");
    return -1;
}

int pipeline_pin(const hand *h, char error[HAND_ERROR])
{
    (void)h;
    return refuse(error);
}

void pipeline_unpin(const hand *h) { (void)h; }

int pipeline_open(pipeline **out, const hand *h, uint64_t chunk, uint32_t n_streams, char error[HAND_ERROR])
{
    (void)h, (void)chunk, (void)n_streams;
    *out = NULL;
    return refuse(error);
}

void pipeline_close(pipeline *p) { (void)p; }

int pipeline_run(pipeline *p, char error[HAND_ERROR])
{
    (void)p;
    return refuse(error);
}
