/* SPDX-License-Identifier: MIT */
/* pool.c - a pool on a GPU: its mode, and the thread of the library that serves it, which launches, or looks for the end of a resident
 * kernel. */
#include "backend/cuda/pool.h"

#include "heddle/pool.h"

#include <time.h>

#define CHECK_EVERY 4096u /* rounds of the thread between two looks at the device */

/* ---- the thread ------------------------------------------------------------------------------------------------------ */

static void *thread_main(void *arg)
{
    hd_loaded *l = arg;
    hd_cuda_pool *p = l->pool;
    uint32_t n = 0;
    (void)cudaSetDevice(l->device->index);
    pthread_mutex_lock(&p->mutex);
    while (!(p->ends && p->way->is_idle(l)) && !p->is_over) {
        p->way->serve(l);
        if (++n % CHECK_EVERY == 0)
            hd_pool_check_device(l);
    }
    p->is_over = 1;
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* ---- a pool --------------------------------------------------------------------------------------------------------------- */

const hd_pool *hd_cuda_pool_words(const hd_loaded *l) { return &l->pool->words; }
const char *hd_cuda_pool_how(const hd_loaded *l) { return l->pool->how; }

void hd_cuda_pool_send(hd_loaded *l, const hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n)
{
    l->pool->way->send(l, like, handles, stride, n);
}

void hd_cuda_pool_flush(hd_loaded *l)
{
    if (l->pool->way->flush)
        l->pool->way->flush(l);
}

void hd_cuda_pool_stop_task(hd_loaded *l, uint32_t slot, uint32_t why)
{
    hd_cuda_pool *p = l->pool;
    pthread_mutex_lock(&p->mutex);
    if (p->way->on_gpu(l, slot) && !p->is_over) {
        (void)cudaSetDevice(l->device->index);
        __atomic_add_fetch(&p->n_dirty, p->dirty[slot] ? 0u : 1u, __ATOMIC_RELAXED);
        p->dirty[slot] = 1;
        p->no_fate->stop = why;
        (void)cudaMemcpyAsync(&p->fates[slot].stop, &p->no_fate->stop, 4, cudaMemcpyHostToDevice, p->side);
        (void)cudaStreamSynchronize(p->side);
    }
    pthread_mutex_unlock(&p->mutex);
}

static uint32_t largest_record(const heddle_table *t)
{
    uint32_t i, most = 0;
    for (i = 0; i < t->n_bodies; i++)
        most = t->bodies[i].arg_bytes > most ? t->bodies[i].arg_bytes : most;
    return (most + 15u) / 16u * 16u;
}

/* In device memory; the modes pin the stamps that the host reads. */
static heddle_status make_stamp_words(hd_cuda_pool *p, hd_error *e)
{
    const uint64_t n_bytes = p->words.n_host * sizeof *p->words.stamp_words;
    p->words.clock_apart = 1;
    HD_CUDA_TRY(cudaMalloc((void **)&p->words.stamp_words, n_bytes), e, "opening a pool");
    HD_CUDA_TRY(cudaMemset(p->words.stamp_words, 0, n_bytes), e, "opening a pool");
    return HEDDLE_OK;
}

/* Mode auto takes launches where tasks cannot be sent to a kernel that runs. */
static heddle_status make_way(hd_loaded *l, const hd_pool_work *w, hd_error *e)
{
    hd_cuda_pool *p = l->pool;
    heddle_status s;
    p->way = w->mode == HEDDLE_POOL_AUTO || w->mode == HEDDLE_POOL_RESIDENT || w->mode == HEDDLE_POOL_MODE_TABLE
                 ? &hd_pool_resident
                 : &hd_pool_launches;
    s = p->way->make(l, w, e);
    if (s != HEDDLE_ENODEV || w->mode != HEDDLE_POOL_AUTO)
        return s;
    p->way->free_mode(l);
    p->way = &hd_pool_launches;
    p->words.most_threads = p->words.most_copies = p->words.stage_bytes = 0;
    return p->way->make(l, w, e);
}

static heddle_status make(hd_loaded *l, const hd_pool_work *w, hd_error *e)
{
    hd_cuda_pool *p = l->pool;
    HD_TRY(hd_cuda_use(l->device, e));
    p->args_bytes = largest_record(l->graph->table);
    p->dirty = hd_new_sparse(w->n_host);
    if (!p->dirty)
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: no memory for %u slots", w->n_host);
    HD_CUDA_TRY(cudaMalloc(&l->params, l->graph->table->params_bytes + 1u), e, "opening a pool");
    HD_CUDA_TRY(cudaStreamCreateWithFlags(&p->side, cudaStreamNonBlocking), e, "making a stream");
    if (w->is_traced)
        HD_TRY(make_stamp_words(p, e));
    return make_way(l, w, e);
}

heddle_status hd_cuda_pool_load(hd_loaded **out, hd_device *d, const hd_work *work, hd_error *e)
{
    const hd_pool_work *w = work->desc;
    hd_loaded *l = hd_new(sizeof *l);
    heddle_status s;
    *out = NULL;
    if (l)
        l->pool = hd_new(sizeof *l->pool);
    if (!l || !l->pool) {
        hd_delete(l, sizeof *l);
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: out of memory");
    }
    l->device = d;
    l->graph = w->graph;
    l->shared_bytes = hd_graph_blob(w->graph)->shared_bytes;
    l->pool->loaded = l;
    l->pool->words.n_host = w->n_host;
    l->pool->words.live_apart = 1;
    l->pool->words.pinned_only = 1;
    pthread_mutex_init(&l->pool->mutex, NULL);
    pthread_cond_init(&l->pool->woken, NULL);
    s = make(l, w, e);
    if (s == HEDDLE_OK) {
        hd_cuda_pools_join(d, l->pool);
        *out = l;
    } else {
        hd_cuda_pool_unload(l);
    }
    return s;
}

void hd_cuda_pool_unload(hd_loaded *l)
{
    hd_cuda_pool *p = l->pool;
    hd_cuda_pools_leave(l->device, p);
    (void)cudaSetDevice(l->device->index);
    if (p->way)
        p->way->free_mode(l);
    if (p->side)
        (void)cudaStreamDestroy(p->side);
    (void)cudaFree(p->fates);
    (void)cudaFree(p->words.stamp_words);
    (void)cudaFree(l->params);
    (void)cudaFreeHost(p->pinned);
    hd_delete_sparse(p->dirty, p->words.n_host);
    pthread_cond_destroy(&p->woken);
    pthread_mutex_destroy(&p->mutex);
    hd_delete(p, sizeof *p);
    hd_delete(l, sizeof *l);
}

heddle_status hd_cuda_pool_start(hd_loaded *l, const void *params, hd_error *e)
{
    const uint32_t n_bytes = l->graph->table->params_bytes;
    HD_TRY(hd_cuda_use(l->device, e));
    if (n_bytes)
        HD_CUDA_TRY(cudaMemcpy(l->params, params, n_bytes, cudaMemcpyHostToDevice), e, "opening a pool");
    if (pthread_create(&l->pool->thread, NULL, thread_main, l))
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: its thread could not be started");
    l->pool->has_thread = 1;
    return HEDDLE_OK;
}

heddle_status hd_cuda_pool_wait(hd_loaded *l, uint64_t deadline_ns)
{
    hd_cuda_pool *p = l->pool;
    int over, ends;
    pthread_mutex_lock(&p->mutex);
    over = p->is_over || !p->has_thread;
    ends = p->ends;
    pthread_mutex_unlock(&p->mutex);
    if (!over && !ends)
        return HEDDLE_EBUSY;
    if (p->has_thread && ends && deadline_ns == UINT64_MAX) {
        pthread_join(p->thread, NULL);
        p->has_thread = 0;
    }
    return HEDDLE_OK;
}

void hd_cuda_pool_stop(hd_loaded *l)
{
    hd_cuda_pool *p = l->pool;
    pthread_mutex_lock(&p->mutex);
    p->ends = 1;
    pthread_cond_signal(&p->woken);
    pthread_mutex_unlock(&p->mutex);
}

int hd_cuda_pool_doing(const hd_loaded *l, uint32_t worker, hd_doing *out)
{
    hd_cuda_pool *p = l->pool;
    hd_doing d = {HD_NONE, HD_NONE, 0, 0, 1};
    if (worker >= hd_pool_n_teams(&p->words))
        return 0;
    pthread_mutex_lock(&p->mutex);
    d.task = p->way->task_of((hd_loaded *)(uintptr_t)l, worker);
    pthread_mutex_unlock(&p->mutex);
    *out = d;
    return 1;
}

heddle_status hd_cuda_pool_pin(hd_loaded *l, void *p, uint64_t n_bytes, hd_error *e)
{
    void *seen = NULL;
    cudaError_t r;
    HD_TRY(hd_cuda_host_pin(l->device, p, n_bytes, e));
    r = cudaHostGetDevicePointer(&seen, p, 0);
    if (r == cudaSuccess && seen == p)
        return HEDDLE_OK;
    hd_cuda_host_unpin(l->device, p);
    HD_CUDA_TRY(r, e, "pinning host memory");
    return hd_say(e, HEDDLE_ENODEV, "this GPU sees pinned memory at another address than the host does");
}

void hd_cuda_pool_unpin(hd_loaded *l, void *p) { hd_cuda_host_unpin(l->device, p); }

/* ---- the program's events and streams ------------------------------------------------------------------------------------- */

heddle_status hd_cuda_pool_event(hd_loaded *l, void *event)
{
    cudaError_t r;
    (void)cudaSetDevice(l->device->index);
    r = cudaEventQuery(event);
    if (r != cudaSuccess)
        (void)cudaGetLastError();
    return r == cudaSuccess ? HEDDLE_OK : r == cudaErrorNotReady ? HEDDLE_EBUSY : HEDDLE_EDEVICE;
}

/* The told word only grows (core/pool.h). */
heddle_status hd_cuda_pool_stream_wait(hd_loaded *l, uint32_t slot, uint32_t generation, void *stream, hd_error *e)
{
    static const char doing[] = "letting a stream wait for a task";
    const uint32_t *at = &l->pool->words.told[slot].state, value = hd_told_of(generation, HD_TOLD_LATE) + 1u;
    const hd_driver *d = &l->device->driver;
    CUresult r;
    if (!l->pool->way->stay)
        return HEDDLE_EBUSY;
    HD_TRY(hd_cuda_use(l->device, e));
    HD_TRY(l->pool->way->stay(l, (uint64_t)generation << 32 | slot, e));
    r = d->cuStreamWaitValue32(stream, (CUdeviceptr)(uintptr_t)at, value, CU_STREAM_WAIT_VALUE_GEQ);
    if (r == CUDA_ERROR_NOT_SUPPORTED)
        return HEDDLE_EBUSY;
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(d, e, r, doing);
}
