/* SPDX-License-Identifier: MIT */
/* device.c - an emulated accelerator in another process. Both share its memory: one block, at the same address in both. The host's side copies into
 * and out of it, no quicker than the link allows. A span is left in the queue's place; the other process sees it, runs the
 * body, and says so.
 *
 * The body's code is in both processes, because the device is a fork of this one. A device with code of its own would find a
 * kernel by the table's name and the number of the body. */
#include "device.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_QUEUES 2u
#define MOST_COPY (250u << 20)
#define MOST_PARAMS 3072u
#define HEAD_BYTES (1u << 16)

/* What a queue has to do. The host writes it while it is idle, and sets `state` last. */
typedef struct order {
    _Atomic uint32_t state;
    heddle_span_work work;
    heddle_failure failure;
    _Alignas(16) uint8_t params[MOST_PARAMS];
} order;
enum { IDLE, WANTED };

/* The shared block begins with this. */
typedef struct shared {
    order queue[N_QUEUES];
    _Atomic uint32_t is_over;
} shared;

typedef struct device {
    shared *shared;
    size_t n_bytes;
    uint64_t used; /* of the block; a device with few users needs no more than a mark that grows */
    double link;
    uint64_t free_ns; /* when the link will be idle */
    pid_t process;
} device;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the other process ---------------------------------------------------------------------------------------------------- */

static void run_order(order *o)
{
    static _Alignas(128) uint8_t room[HEDDLE_REDUCE_BYTES + 16384];
    const heddle_span_work *w = &o->work;
    heddle_thread thread = heddle_thread_alone(&o->failure, room);
    for (uint64_t i = w->begin; i < w->end && !o->failure.code; i += w->tile)
        for (uint64_t j = 0; j < w->n_2; j += w->tile_2) {
            const heddle_span s = {i, i + w->tile < w->end ? i + w->tile : w->end, j,
                                   j + w->tile_2 < w->n_2 ? j + w->tile_2 : w->n_2, i / w->tile};
            w->table->bodies[w->body].run(&thread, o->params, &s);
        }
}

static void play(shared *s)
{
    const struct timespec nap = {0, 20000};
    while (!atomic_load(&s->is_over) && getppid() != 1) {
        int any = 0;
        for (uint32_t q = 0; q < N_QUEUES; q++)
            if (atomic_load(&s->queue[q].state) == WANTED) {
                run_order(&s->queue[q]);
                atomic_store(&s->queue[q].state, IDLE);
                any = 1;
            }
        if (!any)
            nanosleep(&nap, NULL);
    }
    _exit(0);
}

/* ---- the host's side --------------------------------------------------------------------------------------------------------- */

static void *mem_new(void *self, uint64_t n_bytes)
{
    device *d = self;
    const uint64_t at = d->used;
    if (n_bytes > d->n_bytes - at)
        return NULL;
    d->used += (n_bytes + 255u) / 256u * 256u;
    return (uint8_t *)d->shared + at;
}

static void mem_free(void *self, void *p, uint64_t n_bytes)
{
    (void)self; /* all of it goes when the device is closed */
    (void)p;
    (void)n_bytes;
}

/* The link takes its time: copies are done at once, and have ended when poll says so. */
static heddle_status copy(void *self, uint32_t queue, const heddle_copy *c)
{
    device *d = self;
    const uint64_t begin = now_ns();
    if (atomic_load(&d->shared->queue[queue].state) != IDLE)
        return HEDDLE_EDEVICE; /* the fleet polls first */
    for (uint64_t i = 0; i < c->n_rows; i++)
        memcpy((char *)c->to + i * c->to_stride, (const char *)c->from + i * c->from_stride, c->row_bytes);
    d->free_ns =
        (d->free_ns > begin ? d->free_ns : begin) + (uint64_t)((double)(c->n_rows * c->row_bytes) / d->link * 1e9);
    return HEDDLE_OK;
}

static heddle_status span(void *self, uint32_t queue, const heddle_span_work *w)
{
    order *o = &((device *)self)->shared->queue[queue];
    if (w->params_bytes > MOST_PARAMS)
        return HEDDLE_ERANGE;
    o->work = *w;
    memset(&o->failure, 0, sizeof o->failure);
    memcpy(o->params, w->params, w->params_bytes);
    atomic_store(&o->state, WANTED);
    return HEDDLE_OK;
}

static heddle_status ask(void *self, uint32_t queue, uint32_t *code, uint64_t *index)
{
    device *d = self;
    order *o = &d->shared->queue[queue];
    if (waitpid(d->process, NULL, WNOHANG) != 0)
        return HEDDLE_EDEVICE; /* the process has ended */
    if (atomic_load(&o->state) != IDLE || now_ns() < d->free_ns)
        return HEDDLE_EBUSY;
    if (!o->failure.code)
        return HEDDLE_OK;
    *code = o->failure.code;
    *index = (uint64_t)o->failure.high << 32 | o->failure.task;
    o->failure.code = 0;
    return HEDDLE_EBODY;
}

static void close_device(void *self, int is_lost)
{
    device *d = self;
    atomic_store(&d->shared->is_over, 1);
    if (is_lost)
        kill(d->process, SIGKILL);
    waitpid(d->process, NULL, 0);
    munmap(d->shared, d->n_bytes);
    free(d);
}

int device_open(uint64_t memory_bytes, double link, heddle_accelerator *out)
{
    const size_t n_bytes = memory_bytes + HEAD_BYTES;
    device *d = calloc(1, sizeof *d);
    void *block = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!d || block == MAP_FAILED)
        return 0;
    *d = (device){block, n_bytes, HEAD_BYTES, link, 0, fork()};
    if (d->process < 0)
        return 0;
    if (d->process == 0)
        play(block);
    *out = (heddle_accelerator)HEDDLE_ACCELERATOR_INIT;
    out->self = d;
    out->name = "emulated accelerator";
    out->memory_bytes = memory_bytes;
    out->most_copy_bytes = MOST_COPY;
    out->n_queues = N_QUEUES;
    out->takes_strides = 1;
    out->mem_new = mem_new;
    out->mem_free = mem_free;
    out->copy = copy;
    out->span = span;
    out->poll = ask;
    out->close = close_device;
    return 1;
}
