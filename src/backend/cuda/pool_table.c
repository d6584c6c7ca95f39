/* SPDX-License-Identifier: MIT */
/* pool_table.c - the spawn path of Pagoda (TOPC 6(4), 2019, section 4) in front of the resident kernel, for comparison. One
 * cudaMemcpyAsync brings a task's entry to the GPU, and with it the word that says that the entry before is complete. So a task begins
 * when the next one is spawned, or the program waits. Ends are known when they are copied back, because the program waits, or the table
 * is full.
 *
 * An entry is a line of the wire (core/wire.h), in a ring in device memory that couriers read. A copy begins at the last unit of the line
 * before. The host writes lines into the wire's pinned memory.
 *
 * What differs from the paper: a task is bound to a block when the block has room for it, not when it is spawned. Long records and the
 * handles that a task waits for stay in pinned memory, and so do notices of ends. */
#include "backend/cuda/pool_table.h"

static const char doing[] = "copying a task to the GPU";

static heddle_status make(hd_loaded *l, const hd_wire *wire, hd_pool_table *t, hd_error *e)
{
    static const char opening[] = "opening a pool";
    const hd_pool *words = &l->pool->words;
    const uint64_t lines = wire->n_lines * sizeof *t->lines, told = words->n_host * sizeof *t->told,
                   live = words->n_workers * sizeof *t->live;
    HD_CUDA_TRY(cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking), e, "making a stream");
    HD_CUDA_TRY(cudaMalloc((void **)&t->lines, lines), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&t->told, told), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&t->live, live), e, opening);
    HD_CUDA_TRY(cudaMemset(t->lines, 0, lines), e, opening);
    HD_CUDA_TRY(cudaMemset(t->told, 0, told), e, opening);
    HD_CUDA_TRY(cudaMemset(t->live, 0, live), e, opening);
    return HEDDLE_OK;
}

heddle_status hd_pool_table_new(hd_loaded *l, const hd_wire *wire, hd_pool_table **out, hd_error *e)
{
    hd_pool_table *t = *out = hd_new(sizeof *t);
    if (!t)
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: out of memory");
    pthread_mutex_init(&t->mutex, NULL);
    return make(l, wire, t, e);
}

void hd_pool_table_delete(hd_pool_table *t)
{
    if (!t)
        return;
    if (t->stream)
        (void)cudaStreamDestroy(t->stream);
    (void)cudaFree(t->lines);
    (void)cudaFree(t->told);
    (void)cudaFree(t->live);
    pthread_mutex_destroy(&t->mutex);
    hd_delete(t, sizeof *t);
}

static void lose(hd_loaded *l, cudaError_t r)
{
    hd_error e;
    if (r == cudaSuccess)
        return;
    (void)hd_cuda_say(&e, r, doing);
    hd_pool_lose(l, e.text);
}

/* n units from unit k of the ring on. */
static cudaError_t copy(const hd_pool_table *t, const hd_wire *wire, uint32_t k, uint32_t n)
{
    return cudaMemcpyAsync(&t->lines->unit[0] + k, &wire->lines->unit[0] + k, n * sizeof(hd_unit),
                           cudaMemcpyHostToDevice, t->stream);
}

/* The last unit of the line of that place. */
static cudaError_t complete(const hd_pool_table *t, const hd_wire *wire, uint32_t place)
{
    return copy(t, wire, (place & (wire->n_lines - 1u)) * HD_WIRE_UNITS + HD_WIRE_UNITS - 1u, 1);
}

void hd_pool_table_put(hd_loaded *l, hd_pool_table *t, const hd_wire *wire, uint32_t place)
{
    const uint32_t k = (place & (wire->n_lines - 1u)) * HD_WIRE_UNITS;
    cudaError_t r = cudaSetDevice(l->device->index);
    if (r == cudaSuccess && !k) /* the line before is at the ring's other end */
        r = complete(t, wire, place - 1u);
    if (r == cudaSuccess)
        r = k ? copy(t, wire, k - 1u, HD_WIRE_UNITS) : copy(t, wire, 0, HD_WIRE_UNITS - 1u);
    __atomic_store_n(&t->whole, place, __ATOMIC_SEQ_CST);
    lose(l, r);
}

/* Counts come first: a task that they have is told by then. */
void hd_pool_table_flush(hd_loaded *l, hd_pool_table *t, const hd_wire *wire, uint32_t next)
{
    const hd_pool *words = &l->pool->words;
    cudaError_t r = cudaSetDevice(l->device->index);
    if (r == cudaSuccess && t->whole != next)
        r = complete(t, wire, next - 1u);
    __atomic_store_n(&t->whole, next, __ATOMIC_SEQ_CST);
    if (r == cudaSuccess)
        r = cudaMemcpyAsync(words->live, t->live, words->n_workers * sizeof *t->live, cudaMemcpyDeviceToHost,
                            t->stream);
    if (r == cudaSuccess)
        r = cudaMemcpyAsync(words->told, t->told, words->n_host * sizeof *t->told, cudaMemcpyDeviceToHost, t->stream);
    if (r == cudaSuccess)
        r = cudaStreamSynchronize(t->stream);
    lose(l, r);
}
