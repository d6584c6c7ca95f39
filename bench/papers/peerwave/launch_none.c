/* SPDX-License-Identifier: MIT */
/* launch_none.c - launch.h in a build without CUDA. */
#include "launch.h"

#include <stdio.h>

static int refuse(char *error)
{
    snprintf(error, LAUNCH_ERROR, "built without CUDA");
    return -1;
}

int launch_new(uint32_t device, uint64_t n_bytes, void **out, char *error)
{
    (void)device, (void)n_bytes;
    *out = NULL;
    return refuse(error);
}
void launch_free(void *p) { (void)p; }
int launch_fill(peer_app app, const peer_job *job, char *error)
{
    (void)app, (void)job;
    return refuse(error);
}
int launch_run(peer_app app, uint32_t device, peer_job *job, launch_result *out, char *error)
{
    (void)app, (void)device, (void)job, (void)out;
    return refuse(error);
}
int launch_check(peer_app app, const peer_job *job, uint64_t *n_wrong, char *error)
{
    (void)app, (void)job, (void)n_wrong;
    return refuse(error);
}
int launch_sum(const peer_job *job, uint64_t *out, char *error)
{
    (void)job, (void)out;
    return refuse(error);
}
int launch_read(void *to, const void *p, uint64_t n_bytes, char *error)
{
    (void)to, (void)p, (void)n_bytes;
    return refuse(error);
}
int launch_write(void *p, const void *from, uint64_t n_bytes, char *error)
{
    (void)p, (void)from, (void)n_bytes;
    return refuse(error);
}
