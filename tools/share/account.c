/* SPDX-License-Identifier: MIT */
/* account.c - memory of devices that this process has (account.h). Small allocations do not count. */
#include "account.h"

#include "client.h"
#include "clock.h"
#include "variable.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { N_BUCKETS = 1024, LEAST_BYTES = 64 << 10, SETTLE_MS = 1000, ROUND_TRIP_MS = 5, MOST_DEVICES = 64 };

typedef struct share_account {
    uint64_t key;
    size_t n_bytes;
    CUcontext context; /* NULL: it outlives any */
    uint64_t number;
    int gpu;
    struct share_account *next;
} entry;

static CUcontext primaries[MOST_DEVICES]; /* atoms */
static entry *buckets[N_BUCKETS];
static uint64_t n_entries; /* that there ever were; an atom */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lines[SHARE_MOST_GPUS];
static int is_admitted[SHARE_MOST_GPUS];   /* written under the GPU's lock */
static _Thread_local uint64_t admitted_ms; /* after it stood in line; 0: it did not */

static entry **bucket_of(uint64_t key) { return &buckets[(key * 0x9e3779b97f4a7c15u) >> 54]; }

/* The client's number of the GPU. -1: there is none; or off, or a child: nothing is counted and nothing asked. */
static int gpu_of(const share_driver *real, const share_wish *w)
{
    if (w->n_bytes < LEAST_BYTES || share_setting_is_off() || share_client_is_inert())
        return -1;
    return w->is_elsewhere ? share_client_gpu_of(real, w->device) : share_client_gpu(real);
}

__attribute__((constructor)) static void make_locks(void)
{
    for (int g = 0; g < SHARE_MOST_GPUS; g++)
        pthread_mutex_init(&lines[g], NULL);
}

/* One thread stands for all: what others allocated meanwhile would be memory of a program that has no place yet. */
static void stand_in_line(int gpu, size_t n_bytes)
{
    uint64_t begin_ms = share_now_ms(), end_ms;
    pthread_mutex_lock(&lines[gpu]);
    if (!is_admitted[gpu])
        share_client_memory(gpu, n_bytes, 1);
    __atomic_store_n(&is_admitted[gpu], 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lines[gpu]);
    end_ms = share_now_ms();
    admitted_ms = end_ms > begin_ms + ROUND_TRIP_MS ? end_ms : 0;
}

void share_account_begin(const share_driver *real, const share_wish *w)
{
    int before = errno, gpu = gpu_of(real, w);
    if (gpu >= 0 && share_setting(SHARE_SET_MEM) && !__atomic_load_n(&is_admitted[gpu], __ATOMIC_ACQUIRE))
        stand_in_line(gpu, w->n_bytes);
    errno = before;
}

/* Memory of a program that has ended is free a little after its connection has: a thread that was told to try, or admitted behind others,
 * has a second for it. */
static int answer_of(int gpu, size_t n_bytes, uint64_t *told_ms)
{
    int said = share_client_memory(gpu, n_bytes, 0);
    uint64_t now = share_now_ms();
    if (said == SHARE_MEM_TRY)
        *told_ms = now;
    else if (now < *told_ms + SETTLE_MS) {
        usleep(10000);
        said = SHARE_MEM_TRY;
    }
    return said;
}

int share_account_again(const share_driver *real, const share_wish *w, unsigned n_tries)
{
    static _Thread_local uint64_t end_ms, told_ms;
    int before = errno, gpu = gpu_of(real, w), again = 0;
    if (!n_tries) {
        end_ms = share_now_ms() + share_setting(SHARE_SET_MEM_WAIT);
        told_ms = admitted_ms;
    }
    if (gpu >= 0 && share_now_ms() < end_ms)
        again = answer_of(gpu, w->n_bytes, &told_ms) == SHARE_MEM_TRY && share_client_is_connected();
    errno = before;
    return again;
}

static void put(entry *e)
{
    pthread_mutex_lock(&lock);
    e->next = *bucket_of(e->key);
    *bucket_of(e->key) = e;
    pthread_mutex_unlock(&lock);
}

static entry *new_entry(const share_driver *real, int gpu, uint64_t key, const share_wish *w)
{
    entry *e = gpu >= 0 ? calloc(1, sizeof *e) : NULL;
    if (!e)
        return NULL;
    e->key = key, e->n_bytes = w->n_bytes, e->gpu = gpu;
    e->number = __atomic_add_fetch(&n_entries, 1, __ATOMIC_RELAXED);
    if (w->is_of_context)
        real->cuCtxGetCurrent(&e->context);
    return e;
}

void share_account_add(const share_driver *real, uint64_t key, const share_wish *w)
{
    int before = errno, gpu = gpu_of(real, w);
    entry *e = new_entry(real, gpu, key, w);
    if (e) {
        put(e);
        share_client_used(gpu, (int64_t)w->n_bytes);
    }
    errno = before;
}

void share_account_put_back(entry *e)
{
    if (e)
        put(e);
}

entry *share_account_take(uint64_t key)
{
    entry *found = NULL;
    if (share_client_is_inert())
        return NULL;
    pthread_mutex_lock(&lock);
    for (entry **at = bucket_of(key); *at; at = &(*at)->next)
        if ((*at)->key == key) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

void share_account_freed(entry *e)
{
    int before = errno;
    if (e)
        share_client_used(e->gpu, -(int64_t)e->n_bytes);
    free(e);
    errno = before;
}

/* ---- contexts ---- */

void share_account_primary_is(CUdevice d, CUcontext c)
{
    if (d >= 0 && d < MOST_DEVICES)
        __atomic_store_n(&primaries[d], c, __ATOMIC_RELAXED);
}

CUcontext share_account_primary(CUdevice d)
{
    return d >= 0 && d < MOST_DEVICES ? __atomic_load_n(&primaries[d], __ATOMIC_RELAXED) : NULL;
}

uint64_t share_account_count(void) { return __atomic_load_n(&n_entries, __ATOMIC_RELAXED); }

/* Takes out all entries of the context up to this one. */
static entry *take_all(CUcontext c, uint64_t until)
{
    entry *all = NULL;
    pthread_mutex_lock(&lock);
    for (size_t b = 0; b < N_BUCKETS; b++)
        for (entry **at = &buckets[b], *e; (e = *at);)
            if (e->context == c && e->number <= until) {
                *at = e->next;
                e->next = all;
                all = e;
            } else
                at = &e->next;
    pthread_mutex_unlock(&lock);
    return all;
}

/* A context of another kind may come to the place of a primary one. */
static void forget_primary(CUcontext c)
{
    for (int d = 0; d < MOST_DEVICES; d++) {
        CUcontext is = c;
        __atomic_compare_exchange_n(&primaries[d], &is, NULL, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

void share_account_forget(CUcontext c, uint64_t until)
{
    entry *e = c && !share_client_is_inert() ? take_all(c, until) : NULL;
    if (c)
        forget_primary(c);
    while (e) {
        entry *next = e->next;
        share_account_freed(e);
        e = next;
    }
}
