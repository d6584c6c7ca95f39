/* SPDX-License-Identifier: MIT */
/* pool_base.c - what the modes of a pool on a GPU have in common (pool.h), and which pools a device has.
 *
 * A task that runs gets its fate by a copy. The copy may come after the task's end; the slot is then dirty, and its fate is cleared
 * before its next task is sent. */
#include "backend/cuda/pool.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const uint32_t hd_pool_class_threads[HD_POOL_CLASSES] = {32, 64, 128, 256, 512, 992};

uint32_t hd_pool_class(uint32_t team_size)
{
    uint32_t k = 0;
    while (hd_pool_class_threads[k] < team_size)
        k++;
    return k;
}

uint32_t hd_pool_how_ended(const hd_cuda_pool *p, uint64_t handle)
{
    const uint32_t v = HD_LOAD(&p->words.told[(uint32_t)handle].state, ACQUIRE, SYS);
    return v >> HD_TOLD_BITS == handle >> 32 ? v & HD_TOLD_HOW : 0u;
}

void hd_pool_lose(hd_loaded *l, const char *text)
{
    if (!l->lost)
        snprintf(l->complaint, sizeof l->complaint, "%s", text);
    l->lost = 1;
    l->pool->is_over = 1;
}

void hd_pool_check_device(hd_loaded *l)
{
    hd_error e;
    const cudaError_t r = cudaStreamQuery(l->pool->side);
    if (r == cudaSuccess || r == cudaErrorNotReady) {
        (void)cudaGetLastError();
        return;
    }
    (void)hd_cuda_say(&e, r, "the GPU failed while it ran tasks");
    hd_pool_lose(l, e.text);
}

void hd_pool_nap(hd_cuda_pool *p, uint32_t ns)
{
    pthread_mutex_unlock(&p->mutex);
    if (ns)
        (void)nanosleep(&(struct timespec){0, ns}, NULL);
    else
        HD_PAUSE(0);
    pthread_mutex_lock(&p->mutex);
}

static heddle_status clear_fate(hd_loaded *l, uint32_t slot, hd_error *e)
{
    const hd_cuda_pool *p = l->pool;
    HD_TRY(hd_cuda_use(l->device, e));
    HD_CUDA_TRY(cudaMemsetAsync(&p->fates[slot], 0, sizeof(hd_fail), p->side), e, "clearing a task's fate");
    HD_CUDA_TRY(cudaStreamSynchronize(p->side), e, "clearing a task's fate");
    return HEDDLE_OK;
}

void hd_pool_clean(hd_loaded *l, uint32_t slot)
{
    hd_error e;
    if (!l->pool->dirty[slot])
        return;
    l->pool->dirty[slot] = 0;
    __atomic_sub_fetch(&l->pool->n_dirty, 1, __ATOMIC_RELAXED);
    if (clear_fate(l, slot, &e) != HEDDLE_OK)
        hd_pool_lose(l, e.text);
}

/* Divides the pinned block between the words that all pools have, and returns where others may begin; with `at` NULL only
 * measures. */
static uint64_t cut_pinned(hd_cuda_pool *p, uint8_t *at)
{
    const uint64_t n = p->words.n_host;
    uint64_t n_bytes = 0;
#define PART(field, type, count)                           \
    p->field = at ? (type *)(void *)(at + n_bytes) : NULL; \
    n_bytes += ((uint64_t)(count) * sizeof(type) + HD_LINE - 1) / HD_LINE * HD_LINE
    PART(words.told, hd_told, n);
    PART(words.news, uint32_t, n);
    PART(words.live, hd_live, p->words.n_workers);
    PART(no_fate, hd_fail, 1);
    PART(args, uint8_t, n * p->args_bytes);
    PART(words.stamps, hd_stamp, p->words.stamp_words ? n : 0);
#undef PART
    if (!p->words.stamp_words)
        p->words.stamps = NULL;
    return n_bytes;
}

static void count_slot(hd_cuda_pool *p)
{
    hd_slot_bytes *b = &p->words.slot_bytes;
    b->pinned += (uint32_t)(sizeof *p->words.told + sizeof *p->words.news + p->args_bytes);
    b->device += sizeof *p->fates;
    b->host += sizeof *p->dirty;
    if (p->words.stamps) {
        b->pinned += sizeof *p->words.stamps;
        b->device += sizeof *p->words.stamp_words;
    }
}

heddle_status hd_pool_pin(hd_cuda_pool *p, uint64_t n_bytes, uint8_t **more, hd_error *e)
{
    n_bytes += cut_pinned(p, NULL);
    HD_CUDA_TRY(cudaHostAlloc((void **)&p->pinned, n_bytes, cudaHostAllocDefault), e, "opening a pool");
    memset(p->pinned, 0, n_bytes);
    *more = p->pinned + cut_pinned(p, p->pinned);
    count_slot(p);
    return HEDDLE_OK;
}

/* ---- beside other work of the device ------------------------------------------------------------------------------------- */

static void hold(hd_cuda_pool *p, int begins)
{
    if (!p->way->hold)
        return;
    pthread_mutex_lock(&p->mutex);
    p->way->hold(p->loaded, begins);
    pthread_mutex_unlock(&p->mutex);
}

void hd_cuda_pools_join(hd_device *d, hd_cuda_pool *p)
{
    uint32_t i;
    pthread_mutex_lock(&d->pools_mutex);
    p->next = d->pools;
    d->pools = p;
    for (i = 0; i < d->n_holds; i++)
        hold(p, 1);
    pthread_mutex_unlock(&d->pools_mutex);
}

void hd_cuda_pools_leave(hd_device *d, hd_cuda_pool *p)
{
    hd_cuda_pool **at;
    pthread_mutex_lock(&d->pools_mutex);
    for (at = &d->pools; *at && *at != p; at = &(*at)->next)
        ;
    if (*at)
        *at = p->next;
    pthread_mutex_unlock(&d->pools_mutex);
}

void hd_cuda_pools_hold(hd_device *d, int begins)
{
    hd_cuda_pool *p;
    pthread_mutex_lock(&d->pools_mutex);
    d->n_holds += begins ? 1u : ~0u;
    for (p = d->pools; p; p = p->next)
        hold(p, begins);
    pthread_mutex_unlock(&d->pools_mutex);
}
