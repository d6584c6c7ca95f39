/* SPDX-License-Identifier: MIT */
/* pool.h - pools on a GPU. backend.c puts the functions of pool.c into the backend's struct; backend.h specifies them. A pool has a
 * mode, which knows how tasks get to the GPU: resident (pool_resident.c) or launches (pool_launches.c). */
#ifndef HD_CUDA_POOL_H
#define HD_CUDA_POOL_H

#include "backend/cuda/cuda.h"
#include "heddle/core/send.h"

#define HD_POOL_CLASSES 6u /* sizes of teams, ascending: what a launch's blocks have */
extern const uint32_t hd_pool_class_threads[HD_POOL_CLASSES];
/* The smallest class for such a team. */
uint32_t hd_pool_class(uint32_t team_size);

typedef struct hd_cuda_pool hd_cuda_pool;

typedef struct hd_pool_way {
    /* Finds the kernel and makes the words. l->pool->mode is set; free_mode is called after an error, too. */
    heddle_status (*make)(hd_loaded *l, const hd_pool_work *work, hd_error *e);
    void (*free_mode)(hd_loaded *l);
    /* Sends tasks; any thread. */
    void (*send)(hd_loaded *l, const hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n);
    void (*flush)(hd_loaded *l); /* optional: backend.h's pool_flush */
    /* The pool's thread, with the mutex: one round of its work, which may wait and then gives up the mutex meanwhile. */
    void (*serve)(hd_loaded *l);
    /* Has nothing been left on the GPU? With the mutex, when the pool ends. */
    int (*is_idle)(hd_loaded *l);
    /* With the mutex: the task in that slot was marked in host memory, and must be given its fate only if this returns 1. */
    int (*on_gpu)(hd_loaded *l, uint32_t slot);
    uint32_t (*task_of)(hd_loaded *l, uint32_t worker); /* its slot, or HD_NONE; with the mutex */
    void (*hold)(hd_loaded *l, int begins); /* optional: other work wants the GPU; or: it has been launched */
    /* Optional: whatever must be launched for the task of that handle has been when this returns. EBUSY: it cannot. */
    heddle_status (*stay)(hd_loaded *l, uint64_t handle, hd_error *e);
} hd_pool_way;
extern const hd_pool_way hd_pool_resident, hd_pool_launches;

/* What both modes have. */
struct hd_cuda_pool {
    const hd_pool_way *way;
    void *mode; /* the way's own */
    hd_pool words;
    hd_cuda_pool *next; /* of the device's pools */
    hd_loaded *loaded;
    uint8_t *pinned;  /* host words, one block */
    hd_fail *fates;   /* device */
    uint8_t *args;    /* pinned: larger records, args_bytes for each slot; or NULL */
    uint8_t *dirty;   /* of each slot: its fate was written by the host, perhaps after its task's end */
    hd_fail *no_fate; /* pinned: HD_STOP_... to copy, or nothing */
    cudaStream_t side;
    uint32_t args_bytes;
    uint32_t n_dirty; /* atomic */
    uint32_t sleeps;  /* atomic: the thread sleeps until something is sent, or is about to */
    uint8_t pad[HD_LINE];
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t woken;
    pthread_t thread;
    int has_thread, ends, is_over;
    char how[160];
};

/* ---- pool_base.c: for the modes ---- */

/* Gives the pool its pinned block: of the words that all pools have, and n_bytes more, at *more. words.n_workers is set. Adds to
 * words.slot_bytes what all pools have. */
heddle_status hd_pool_pin(hd_cuda_pool *p, uint64_t n_bytes, uint8_t **more, hd_error *e);
/* The context is lost, for this reason. */
void hd_pool_lose(hd_loaded *l, const char *text);
/* Before a slot is used again: clears a fate that came after the end of its last task. */
void hd_pool_clean(hd_loaded *l, uint32_t slot);
/* How the task of that handle has ended; 0: it has not. */
uint32_t hd_pool_how_ended(const hd_cuda_pool *p, uint64_t handle);
/* A kernel that has failed makes every call fail: notices it while nothing is told. */
void hd_pool_check_device(hd_loaded *l);
/* Gives up the mutex for so long. */
void hd_pool_nap(hd_cuda_pool *p, uint32_t ns);

/* ---- pool_base.c: the pools of a device; any thread, which has no pool's mutex ---- */

void hd_cuda_pools_join(hd_device *d, hd_cuda_pool *p);
void hd_cuda_pools_leave(hd_device *d, hd_cuda_pool *p); /* it need not have joined */
/* Other work of the device is about to be launched, or has been: resident kernels of pools end soon, and are not started meanwhile. */
void hd_cuda_pools_hold(hd_device *d, int begins);

/* ---- pool.c: for the backend's struct ---- */

heddle_status hd_cuda_pool_load(hd_loaded **out, hd_device *d, const hd_work *work, hd_error *e);
void hd_cuda_pool_unload(hd_loaded *l);
heddle_status hd_cuda_pool_start(hd_loaded *l, const void *params, hd_error *e);
heddle_status hd_cuda_pool_wait(hd_loaded *l, uint64_t deadline_ns);
void hd_cuda_pool_stop(hd_loaded *l);
int hd_cuda_pool_doing(const hd_loaded *l, uint32_t worker, hd_doing *out);
const hd_pool *hd_cuda_pool_words(const hd_loaded *l);
const char *hd_cuda_pool_how(const hd_loaded *l);
void hd_cuda_pool_send(hd_loaded *l, const hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n);
void hd_cuda_pool_flush(hd_loaded *l);
void hd_cuda_pool_stop_task(hd_loaded *l, uint32_t slot, uint32_t why);
heddle_status hd_cuda_pool_pin(hd_loaded *l, void *p, uint64_t n_bytes, hd_error *e);
void hd_cuda_pool_unpin(hd_loaded *l, void *p);
heddle_status hd_cuda_pool_event(hd_loaded *l, void *event);
heddle_status hd_cuda_pool_stream_wait(hd_loaded *l, uint32_t slot, uint32_t generation, void *stream, hd_error *e);

#endif
