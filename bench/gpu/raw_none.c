/* SPDX-License-Identifier: MIT */
/* raw_none.c - raw.h in a build without CUDA: refuses everything. */
#include "raw.h"

static int refuse(void) { return -1; }

const char *raw_error(void) { return "built without CUDA"; }
int raw_open(raw_card *out, int device)
{
    (void)out;
    (void)device;
    return refuse();
}
int raw_ticks_per_ns(double *out)
{
    (void)out;
    return refuse();
}
int raw_copy_rate(double *out)
{
    (void)out;
    return refuse();
}
int raw_fma_rate(double *out)
{
    (void)out;
    return refuse();
}
int raw_copy_us(size_t n_bytes, double *out)
{
    (void)n_bytes;
    (void)out;
    return refuse();
}
int raw_write_us(size_t n_bytes, double *out)
{
    (void)n_bytes;
    (void)out;
    return refuse();
}
int raw_handover_us(int a, int b, double *out)
{
    (void)a;
    (void)b;
    (void)out;
    return refuse();
}
int raw_ring_us(raw_ring how, double *out)
{
    (void)how;
    (void)out;
    return refuse();
}
int raw_blocks_us(uint32_t n, double *out)
{
    (void)n;
    (void)out;
    return refuse();
}
int raw_getrf_us(int n, double *out)
{
    (void)n;
    (void)out;
    return refuse();
}
int raw_stream_new(void **out)
{
    *out = NULL;
    return refuse();
}
void raw_stream_free(void *stream) { (void)stream; }
int raw_stamp(void *stream, int which)
{
    (void)stream;
    (void)which;
    return refuse();
}
int raw_between_us(void *stream, double *out)
{
    (void)stream;
    (void)out;
    return refuse();
}
void *raw_stream_handle(void *stream)
{
    (void)stream;
    return NULL;
}
