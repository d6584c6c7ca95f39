/* SPDX-License-Identifier: MIT */
/* task.c - counts the tasks of this process, and tells of them (task.h). Threads of a program share its tasks. */
#include "task.h"

#include "client.h"
#include "clock.h"
#include "record.h"

#include <errno.h>
#include <pthread.h>

enum { NONE, IN, KERNELS, OUT };
enum { MANY_TASKS = 64, REST_NS = 10000000 };

static uint32_t stage; /* of the task; an atom */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint32_t number;
    int gpu, is_async, is_ahead, is_told; /* the last two are atoms, written under the lock */
    uint64_t first_bytes, copied[SHARE_N_WAYS], begin_ns, p_ns;
    uint64_t kernels_ns; /* of those that were timed */
} task = {.gpu = -1, .is_told = 1};
static _Thread_local uint32_t n_untold;
/* The stream that has kernels which nobody has waited for; 0: none has; MANY: several may have. An atom, written under the lock. */
static uintptr_t outstanding;
#define MANY UINTPTR_MAX
static int is_blocking; /* of that one; an atom as well */
static int n_captures;  /* an atom */

/* Of a program that has many tasks now and then one is enough: they are alike, and the daemon has others to hear. */
static int is_worth_telling(void)
{
    static uint64_t last_ns;
    uint64_t now = share_now_ns();
    if (task.is_told || task.gpu < 0 || (task.number > MANY_TASKS && now - last_ns < REST_NS))
        return 0;
    last_ns = now;
    return 1;
}

static int is_span_kernels(void) { return !task.is_async && !task.is_ahead; }

static void tell(void)
{
    int before = errno;
    if (is_worth_telling())
        share_client_tell_task((uint32_t)task.gpu, task.number, task.first_bytes, task.copied, task.begin_ns,
                               is_span_kernels() ? task.p_ns : task.kernels_ns);
    __atomic_store_n(&task.is_told, 1, __ATOMIC_RELAXED);
    errno = before;
}

static void record(void) { share_record_task(is_span_kernels() || !task.kernels_ns ? task.p_ns : task.kernels_ns); }

static void begin(void)
{
    uint32_t number = task.number + 1;
    tell();
    record();
    task.number = number, task.gpu = -1, task.is_async = 0;
    __atomic_store_n(&task.is_ahead, 0, __ATOMIC_RELAXED);
    task.first_bytes = task.copied[0] = task.copied[1] = task.begin_ns = task.p_ns = task.kernels_ns = 0;
    share_client_task(number, 0);
    __atomic_add_fetch(&share_client_page()->n_tasks, 1, __ATOMIC_RELAXED);
}

/* In a child the lock may be held for ever; it is nobody's client. */
static void enter(uint32_t next)
{
    uint32_t now = __atomic_load_n(&stage, __ATOMIC_RELAXED);
    if (now == next || share_client_is_inert())
        return;
    pthread_mutex_lock(&lock);
    now = __atomic_load_n(&stage, __ATOMIC_RELAXED);
    if (now == NONE || now > next)
        begin();
    if (next == KERNELS)
        task.begin_ns = task.begin_ns ? task.begin_ns : share_now_ns();
    __atomic_store_n(&stage, next, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

void share_task_copy(int gpu, int way, uint64_t n_bytes, int is_async)
{
    if (share_client_is_inert())
        return;
    enter(way ? OUT : IN);
    pthread_mutex_lock(&lock);
    if (!task.first_bytes) {
        task.first_bytes = n_bytes;
        share_client_task(task.number, n_bytes);
    }
    task.gpu = gpu;
    task.copied[way] += n_bytes;
    task.is_async |= is_async;
    __atomic_store_n(&task.is_told, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

void share_task_copied(int way, uint64_t ns)
{
    if (!share_record_is_on() || share_client_is_inert())
        return;
    pthread_mutex_lock(&lock);
    share_record_copy(way, ns);
    pthread_mutex_unlock(&lock);
}

void share_task_ahead(void)
{
    pthread_mutex_lock(&lock);
    __atomic_store_n(&task.is_ahead, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

void share_task_landed(uint64_t last_ns)
{
    if (!__atomic_load_n(&task.is_ahead, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&lock);
    if (task.begin_ns && last_ns > task.begin_ns)
        task.begin_ns = last_ns;
    __atomic_store_n(&task.is_ahead, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

/* Streams that are each thread's own have one name for all: the thread tells them apart. */
static uintptr_t key_of(CUstream s)
{
    return s == CU_STREAM_PER_THREAD ? (uintptr_t)&n_untold : (uintptr_t)(const void *)s;
}

/* The legacy stream comes behind it. */
static int blocks(CUstream s)
{
    const share_driver *real = share_driver_loaded();
    unsigned flags = CU_STREAM_NON_BLOCKING;
    if (s == CU_STREAM_LEGACY || s == CU_STREAM_PER_THREAD)
        return 1;
    return real && real->cuStreamGetFlags && real->cuStreamGetFlags(s, &flags) == CUDA_SUCCESS &&
           !(flags & CU_STREAM_NON_BLOCKING);
}

/* A capture may begin in a way that is not known: its end is then one too many. */
void share_task_capture(int more)
{
    int now = __atomic_load_n(&n_captures, __ATOMIC_SEQ_CST);
    while (now + more >= 0 &&
           !__atomic_compare_exchange_n(&n_captures, &now, now + more, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
}

int share_task_captures(void) { return __atomic_load_n(&n_captures, __ATOMIC_SEQ_CST) > 0; }

/* The driver is asked before the lock is taken, and so is whether there is anything to be done. */
static void compute_in(CUstream s)
{
    uintptr_t key = key_of(s);
    int is_behind;
    if (__atomic_load_n(&outstanding, __ATOMIC_RELAXED) == MANY || share_client_is_inert() || share_task_captures())
        return;
    is_behind = blocks(s);
    pthread_mutex_lock(&lock);
    if (!outstanding) {
        __atomic_store_n(&is_blocking, is_behind, __ATOMIC_RELAXED);
        share_client_computes();
    }
    __atomic_store_n(&outstanding, !outstanding || outstanding == key ? key : MANY, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

/* All that is outstanding has ended. */
static int is_waited(CUstream s, int is_joined)
{
    uintptr_t now = __atomic_load_n(&outstanding, __ATOMIC_RELAXED);
    return now &&
           (!s || now == key_of(s) ||
            (is_joined && s == CU_STREAM_LEGACY && now != MANY && __atomic_load_n(&is_blocking, __ATOMIC_RELAXED)));
}

void share_task_waited(CUstream s, int is_joined)
{
    if (!is_waited(s, is_joined) || share_client_is_inert())
        return;
    pthread_mutex_lock(&lock);
    if (is_waited(s, is_joined)) {
        __atomic_store_n(&outstanding, 0, __ATOMIC_RELAXED);
        share_client_computed();
    }
    pthread_mutex_unlock(&lock);
}

/* Told in lots: an atom that threads share would be dear. */
void share_task_launch(CUstream s)
{
    enter(KERNELS);
    if (__atomic_load_n(&outstanding, __ATOMIC_RELAXED) != key_of(s))
        compute_in(s);
    if (++n_untold == 64) {
        n_untold = 0;
        __atomic_add_fetch(&share_client_page()->n_launches, 64, __ATOMIC_RELAXED);
    }
}

void share_task_kernel(uint64_t ns)
{
    if (!ns || share_client_is_inert())
        return;
    pthread_mutex_lock(&lock);
    task.kernels_ns += ns;
    pthread_mutex_unlock(&lock);
}

void share_task_computed(void)
{
    if (share_client_is_inert())
        return;
    pthread_mutex_lock(&lock);
    if (task.begin_ns && !task.p_ns)
        task.p_ns = share_now_ns() - task.begin_ns;
    tell();
    pthread_mutex_unlock(&lock);
}

void share_task_synchronised(void)
{
    if (!__atomic_load_n(&task.is_told, __ATOMIC_RELAXED) || share_record_is_on())
        share_task_computed();
    __atomic_store_n(&stage, NONE, __ATOMIC_RELAXED);
    if (n_untold)
        __atomic_add_fetch(&share_client_page()->n_launches, n_untold, __ATOMIC_RELAXED);
    n_untold = 0;
}

__attribute__((destructor)) static void end(void)
{
    if (share_client_is_inert() || !share_record_is_on())
        return;
    pthread_mutex_lock(&lock);
    record();
    share_record_end();
    pthread_mutex_unlock(&lock);
}
