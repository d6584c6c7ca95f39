/* SPDX-License-Identifier: MIT */
/* device.c - an emulated accelerator in another process. Both share its memory: one block, at the same address in both. The host's side copies into
 * and out of it, no quicker than the link allows. A span is left in the queue's place; the other process sees it, runs the
 * body, waits until the device would have ended, and says so. Spans run one at a time, whichever queue they are in.
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
#define MOST_PARAMS 3072u
#define HEAD_BYTES (1u << 16)
#define NAP_NS 20000

/* What a queue has to do. The host writes it while it is idle, and sets `state` last. */
typedef struct order {
    _Atomic uint32_t state;
    heddle_span_work work;
    uint64_t from_ns; /* what is to be computed is there */
    heddle_failure failure;
    _Alignas(16) uint8_t params[MOST_PARAMS];
} order;
enum { IDLE, WANTED };

/* The shared block begins with this. */
typedef struct shared {
    order queue[N_QUEUES];
    _Atomic uint32_t is_over;
    device_config config;
    pid_t host;
} shared;

typedef struct device {
    shared *shared;
    size_t n_bytes;
    uint64_t used;              /* of the block; a device with few users needs no more than a mark that grows */
    uint64_t link_ns;           /* when the link will be idle, */
    uint64_t ends_ns[N_QUEUES]; /* and the queue's last copy will have ended */
    pid_t process;
} device;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the other process ---------------------------------------------------------------------------------------------------- */

static void run_bodies(const device_config *c, order *o)
{
    static _Alignas(128) uint8_t room[HEDDLE_REDUCE_BYTES + 16384];
    const heddle_span_work *w = &o->work;
    const heddle_body_info *body = &(c->table ? c->table : w->table)->bodies[w->body];
    heddle_thread thread = heddle_thread_alone(&o->failure, room);
    for (uint64_t i = w->begin; i < w->end && !o->failure.code; i += w->tile)
        for (uint64_t j = w->begin_2; j < w->end_2; j += w->tile_2) {
            const heddle_span s = {i, i + w->tile < w->end ? i + w->tile : w->end, j,
                                   j + w->tile_2 < w->end_2 ? j + w->tile_2 : w->end_2, i / w->tile};
            body->run(&thread, o->params, &s);
        }
}

static void wait_until(uint64_t at_ns)
{
    const struct timespec nap = {0, NAP_NS};
    while (now_ns() + 4 * NAP_NS < at_ns)
        nanosleep(&nap, NULL);
    while (now_ns() < at_ns)
        ; /* a nap may last longer than that */
}

/* *free_ns: when the device has nothing to compute. By its own reckoning it begins a span at once, however late this process sees it. */
static void run_order(const device_config *c, order *o, uint64_t *free_ns)
{
    const uint64_t begin = *free_ns > o->from_ns ? *free_ns : o->from_ns;
    *free_ns = begin + (uint64_t)(c->start_ns + (double)(o->work.end - o->work.begin) * c->each_ns);
    run_bodies(c, o);
    if (now_ns() > *free_ns)
        *free_ns = now_ns();
    wait_until(*free_ns);
    atomic_store(&o->state, IDLE);
}

static void play(shared *s)
{
    const struct timespec nap = {0, NAP_NS};
    uint64_t free_ns = 0;
    while (!atomic_load(&s->is_over) && getppid() == s->host) {
        int any = 0;
        for (uint32_t q = 0; q < N_QUEUES; q++)
            if (atomic_load(&s->queue[q].state) == WANTED) {
                run_order(&s->config, &s->queue[q], &free_ns);
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
    d->link_ns = (d->link_ns > begin ? d->link_ns : begin) +
                 (uint64_t)((double)(c->n_rows * c->row_bytes) / d->shared->config.link * 1e9);
    d->ends_ns[queue] = d->link_ns;
    return HEDDLE_OK;
}

static heddle_status span(void *self, uint32_t queue, const heddle_span_work *w)
{
    device *d = self;
    order *o = &d->shared->queue[queue];
    const uint64_t now = now_ns();
    if (w->params_bytes > MOST_PARAMS)
        return HEDDLE_ERANGE;
    o->work = *w;
    o->from_ns = d->ends_ns[queue] > now ? d->ends_ns[queue] : now;
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
    if (atomic_load(&o->state) != IDLE || now_ns() < d->ends_ns[queue])
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

static void fill_in(const device_config *c, device *d, heddle_accelerator *out)
{
    *out = (heddle_accelerator)HEDDLE_ACCELERATOR_INIT;
    out->self = d;
    out->name = "emulated accelerator";
    out->memory_bytes = c->memory_bytes;
    out->most_copy_bytes = c->most_copy_bytes;
    out->n_queues = N_QUEUES;
    out->takes_strides = 1;
    out->weight = c->weight > 0 ? c->weight : 1;
    out->mem_new = mem_new;
    out->mem_free = mem_free;
    out->copy = copy;
    out->span = span;
    out->poll = ask;
    out->close = close_device;
}

int device_open(const device_config *c, heddle_accelerator *out)
{
    const size_t n_bytes = c->memory_bytes + HEAD_BYTES;
    device *d = calloc(1, sizeof *d);
    void *block = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (d && block != MAP_FAILED) {
        *d = (device){.shared = block, .n_bytes = n_bytes, .used = HEAD_BYTES};
        d->shared->config = *c;
        d->shared->host = getpid();
        d->process = fork();
        if (d->process == 0)
            play(block);
        if (d->process > 0) {
            fill_in(c, d, out);
            return 1;
        }
    }
    if (block != MAP_FAILED)
        munmap(block, n_bytes);
    free(d);
    return 0;
}
