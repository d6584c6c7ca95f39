/* SPDX-License-Identifier: MIT */
/* accelerator_clock.c - when an event of a GPU was passed, by the host's clock (heddle_host_clock_ns). For traces.
 *
 * CUDA tells only how long after another event an event was passed. So there is a base: an event in a stream of its own, which is empty, for
 * which the host's clock was read before and after. A base serves for a second. Times are off by half of what lay between the two
 * readings, the narrowest of some tries (some 10 us between them); by the drift of the clocks since the base; and by CUDA's steps, half a
 * microsecond and a ten-millionth of the time since the base. */
#include "backend/cuda/accelerator.h"

#define BASE_NS 1000000000ull /* a base serves so long */
#define BASE_TRIES 4u
#define TRY_NS 1000000ull /* a try that takes longer has met other work */

static cudaError_t make(hd_part_clock *c)
{
    cudaError_t r = cudaSuccess;
    if (!c->stream)
        r = cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking);
    if (r == cudaSuccess && !c->base)
        r = cudaEventCreate(&c->base);
    return r == cudaSuccess && !c->next ? cudaEventCreate(&c->next) : r;
}

void hd_part_clock_end(hd_part_clock *c)
{
    if (c->base)
        (void)cudaEventDestroy(c->base);
    if (c->next)
        (void)cudaEventDestroy(c->next);
    if (c->stream)
        (void)cudaStreamDestroy(c->stream);
}

/* Puts an event into the stream, and waits until it is passed, but not long. *took_ns: how long that took at most. */
static cudaError_t try_base(const hd_part_clock *c, uint64_t *since_ns, uint64_t *took_ns)
{
    cudaError_t r;
    *since_ns = heddle_host_clock_ns();
    r = cudaEventRecord(c->next, c->stream);
    do {
        if (r == cudaSuccess)
            r = cudaEventQuery(c->next);
        *took_ns = heddle_host_clock_ns() - *since_ns;
        if (r != cudaErrorNotReady)
            return r;
        (void)cudaGetLastError();
        r = cudaSuccess;
    } while (*took_ns < TRY_NS);
    return cudaSuccess;
}

cudaError_t hd_part_clock_find(hd_part_clock *c)
{
    uint64_t since, took, best = TRY_NS;
    cudaError_t r;
    uint32_t i;
    if (c->base_ns && heddle_host_clock_ns() - c->base_ns < BASE_NS)
        return cudaSuccess;
    r = make(c);
    c->base_ns = 0;
    for (i = 0; i < BASE_TRIES && r == cudaSuccess; i++) {
        r = try_base(c, &since, &took);
        if (r == cudaSuccess && took < best) {
            const cudaEvent_t passed = c->next;
            c->next = c->base;
            c->base = passed;
            c->base_ns = since + took / 2u;
            best = took;
        }
    }
    return r;
}

cudaError_t hd_part_clock_of(const hd_part_clock *c, cudaEvent_t event, uint64_t *ns)
{
    float ms = 0;
    cudaError_t r = cudaErrorNotReady;
    if (c->base_ns)
        r = cudaEventElapsedTime(&ms, c->base, event);
    *ns = c->base_ns + (uint64_t)(int64_t)((double)ms * 1e6); /* before the base: less than nothing is added */
    return r;
}
