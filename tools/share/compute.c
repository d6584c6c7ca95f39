/* SPDX-License-Identifier: MIT */
/* compute.c - which gate a launch comes behind (compute.h). What a slot is used for stands in a table; a number tells whether it is still
 * so. From looking a gate up until the word "done" stands behind the launch, a lock of the slot is held: marks in a stream come in the
 * order of their numbers. It is the slot's, because a launch may wait for the GPU, and that for launches of other threads. */
#include "compute.h"

#include "copy.h"

#include <errno.h>
#include <pthread.h>

typedef struct use {
    CUcontext context;
    CUstream stream;
    uint32_t thread; /* of a stream that is each thread's own; else 0 */
    uint32_t task, first;
    CUdeviceptr page;
} use;

static use uses[SHARE_N_GATES];
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t slots[SHARE_N_GATES];
static uint32_t n_threads;
static _Thread_local uint32_t thread;

__attribute__((constructor)) static void make_locks(void)
{
    for (int i = 0; i < SHARE_N_GATES; i++)
        pthread_mutex_init(&slots[i], NULL);
}

static uint32_t number_of_thread(void)
{
    if (!thread)
        thread = __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED);
    return thread;
}

static int is_same_stream(const use *a, const use *b)
{
    return a->context == b->context && a->stream == b->stream && a->thread == b->thread;
}

/* The slot of this stream's last gate, or -1, and what it was used for. */
static int find(const use *wanted, use *found)
{
    int slot = -1;
    pthread_mutex_lock(&table);
    for (int i = 0; i < SHARE_N_GATES; i++)
        if (uses[i].first && is_same_stream(&uses[i], wanted) &&
            (slot < 0 || (int32_t)(uses[i].first - found->first) > 0)) {
            slot = i;
            *found = uses[i];
        }
    pthread_mutex_unlock(&table);
    return slot;
}

/* 1: the launch comes behind the stream's last gate, and the slot of it is locked. That of an earlier task is closed. */
static int join(const use *wanted, share_gate *g)
{
    use found = {.first = 0};
    int slot = find(wanted, &found);
    if (slot < 0)
        return 0;
    if (found.task != wanted->task) {
        share_gate_close(slot, found.first);
        return 0;
    }
    pthread_mutex_lock(&slots[slot]);
    g->slot = slot, g->first = found.first, g->page = found.page;
    if (share_gate_more(slot, found.first, &g->seq))
        return 1;
    pthread_mutex_unlock(&slots[slot]);
    return 0;
}

static int begin_gate(const share_driver *real, int gpu, const use *wanted, share_gate *g)
{
    use mine = *wanted;
    if (!share_gate_put(real, wanted->stream, gpu, SHARE_KERNELS, 0, g))
        return 0;
    mine.first = g->first, mine.page = g->page;
    pthread_mutex_lock(&slots[g->slot]);
    pthread_mutex_lock(&table);
    uses[g->slot] = mine;
    pthread_mutex_unlock(&table);
    return 1;
}

static int begin(const share_driver *real, CUstream s, share_gate *g)
{
    use wanted = {.stream = s, .thread = s == CU_STREAM_PER_THREAD ? number_of_thread() : 0};
    int gpu = share_client_gpu(real), is_gated;
    if (!share_client_kernels_ask_on(gpu))
        return 0;
    wanted.task = share_client_task_now();
    is_gated = !share_copy_captures(real, s) && real->cuCtxGetCurrent(&wanted.context) == CUDA_SUCCESS &&
               (join(&wanted, g) || begin_gate(real, gpu, &wanted, g));
    share_compute_count(is_gated);
    return is_gated;
}

int share_compute_begin(const share_driver *real, CUstream s, share_gate *g)
{
    int before = errno, is_gated = begin(real, s, g);
    errno = before;
    return is_gated;
}

void share_compute_end(const share_driver *real, CUstream s, const share_gate *g)
{
    int before = errno;
    share_gate_mark(real, s, g);
    pthread_mutex_unlock(&slots[g->slot]);
    errno = before;
}

/* A context that comes to the same place has other streams. */
void share_compute_forget(CUcontext c)
{
    if (share_client_is_inert()) /* the lock may be held for ever */
        return;
    pthread_mutex_lock(&table);
    for (int i = 0; i < SHARE_N_GATES; i++)
        if (uses[i].first && (!c || uses[i].context == c)) {
            share_gate_close(i, uses[i].first);
            uses[i].first = 0;
        }
    pthread_mutex_unlock(&table);
}

void share_compute_count(int is_gated)
{
    share_page *p = share_client_page();
    __atomic_add_fetch(is_gated ? &p->n_kernels_gated : &p->n_kernels_passed, 1, __ATOMIC_RELAXED);
}
