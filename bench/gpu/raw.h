/* SPDX-License-Identifier: MIT */
/* raw.h - measurements without heddle: the card, its clocks, the least cost of a hand-over between two SMs, rates of
 * copies and arithmetic, libraries for the same job; and streams with time stamps. A C interface, implemented with CUDA
 * (raw.cu), or by refusals without it (raw_none.c).
 *
 * Functions that return int give 0, or -1 with a sentence in raw_error(). Each wait in a kernel ends after at most two
 * seconds of the device's clock. */
#ifndef RAW_H
#define RAW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct raw_card {
    char name[256];
    int n_sms, driver, runtime;
    size_t shared_per_sm, shared_per_block, shared_reserved, memory;
} raw_card;

const char *raw_error(void);
int raw_open(raw_card *out, int device);

/* SM cycles per nanosecond on a busy card. */
int raw_ticks_per_ns(double *out);
/* Bytes per second of a device copy, reads and writes counted; multiply-adds per second in fp32. */
int raw_copy_rate(double *out);
int raw_fma_rate(double *out);
/* A copy of n_bytes within the device, in us. */
int raw_copy_us(size_t n_bytes, double *out);
/* A kernel that does nothing but write n_bytes, a multiple of 16, in us. */
int raw_write_us(size_t n_bytes, double *out);
/* One way from SM a to SM b: wait for a flag, barrier, a store by each of 128 threads, barrier, release. */
int raw_handover_us(int a, int b, double *out);
/* One hop of 32 words around all SMs, one block of a warp each. FLAG: a store by each lane, and a flag with release.
 * TAG: words that are their own flags, value and tag in 64 bits. CLUSTER: the same in clusters of eight blocks; within
 * a cluster words go to the next block's shared memory. Each received value is checked. */
typedef enum raw_ring { RAW_RING_FLAG, RAW_RING_TAG, RAW_RING_CLUSTER } raw_ring;
int raw_ring_us(raw_ring how, double *out);
/* One plain launch of n empty blocks. */
int raw_blocks_us(uint32_t n, double *out);
/* cuSOLVER's getrf without pivoting of an n x n matrix, fp32. */
int raw_getrf_us(int n, double *out);

/* A stream of its own with two time stamps. */
int raw_stream_new(void **out);
void raw_stream_free(void *stream);
int raw_stamp(void *stream, int which);
/* Waits for the stream; the time from stamp 0 to stamp 1. */
int raw_between_us(void *stream, double *out);
/* The stream's own handle, a cudaStream_t. */
void *raw_stream_handle(void *stream);

#ifdef __cplusplus
}
#endif
#endif
