/* SPDX-License-Identifier: MIT */
/* launch_none.c - launch.h in a build without CUDA. */
#include "launch.h"

#include <stdio.h>

static int refuse(char *error)
{
    snprintf(error, LAUNCH_ERROR, "built without CUDA");
    return -1;
}

int launch_fill(peer_app app, uint32_t device, const peer_job *job, char error[LAUNCH_ERROR])
{
    (void)app, (void)device, (void)job;
    return refuse(error);
}
int launch_run(peer_app app, uint32_t device, peer_job *job, launch_result *out, char error[LAUNCH_ERROR])
{
    (void)app, (void)device, (void)job, (void)out;
    return refuse(error);
}
int launch_check(peer_app app, const peer_job *job, uint64_t *n_wrong, char error[LAUNCH_ERROR])
{
    (void)app, (void)job, (void)n_wrong;
    return refuse(error);
}
int launch_sum(const peer_job *job, uint64_t *out, char error[LAUNCH_ERROR])
{
    (void)job, (void)out;
    return refuse(error);
}
