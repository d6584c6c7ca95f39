/* SPDX-License-Identifier: MIT */
/* virtual.c - a device that its manager's thread plays. A copy or a span is done inside the call that puts it into a queue, and has ended by the
 * device's own reckoning: each direction of the link and the bodies take one thing at a time, and a queue's things follow one
 * another. poll compares that with the clock. Speeds are not exact; bytes are.
 *
 * Its memory holds a pattern, and is closed but for what slices have declared. */
#include "engine/loop/virtual.h"

#include "base/base.h"
#include "heddle/loop.h"

#include <pthread.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define PATTERN 0xa5

enum { LINK_IN, LINK_OUT, BODIES, N_RESOURCES };

typedef struct block {
    void *at;
    uint64_t n_bytes;
} block;

typedef struct phase_times {
    uint64_t begin_ns, end_ns; /* end 0: nothing was put */
} phase_times;

typedef struct hd_virtual {
    hd_virtual_config config;
    pthread_mutex_t mutex; /* of the blocks: two threads may ask for memory */
    hd_list blocks;        /* block: its memory, of which a lost device is never asked to free any */
    uint64_t n_actions;
    uint64_t free_ns[N_RESOURCES];
    uint64_t ends_ns[HEDDLE_MOST_QUEUES];
    heddle_failure failure[HEDDLE_MOST_QUEUES];
    uint64_t begins[HEDDLE_MOST_QUEUES]; /* of the last span */
    heddle_phase phase[HEDDLE_MOST_QUEUES];
    phase_times times[HEDDLE_MOST_QUEUES][HEDDLE_N_PHASES];
} hd_virtual;

void hd_virtual_open(void *p, uint64_t n_bytes) { ASAN_UNPOISON_MEMORY_REGION(p, n_bytes); }

void hd_virtual_hide(void *p, uint64_t n_bytes) { ASAN_POISON_MEMORY_REGION(p, n_bytes); }

void hd_virtual_close(void *p, uint64_t n_bytes)
{
    ASAN_UNPOISON_MEMORY_REGION(p, n_bytes);
    memset(p, PATTERN, n_bytes);
    ASAN_POISON_MEMORY_REGION(p, n_bytes);
}

static int add_block(hd_virtual *v, void *p, uint64_t n_bytes)
{
    int r;
    (void)pthread_mutex_lock(&v->mutex);
    r = hd_list_room(&v->blocks, 1, sizeof(block));
    if (!r)
        ((block *)v->blocks.at)[v->blocks.n++] = (block){p, n_bytes};
    (void)pthread_mutex_unlock(&v->mutex);
    return r;
}

static void *mem_new(void *self, uint64_t n_bytes)
{
    hd_virtual *v = self;
    void *p = (double)n_bytes <= v->config.memory ? hd_new(n_bytes) : NULL;
    if (!p)
        return NULL;
    if (add_block(v, p, n_bytes)) {
        hd_delete(p, n_bytes);
        return NULL;
    }
    hd_virtual_close(p, n_bytes);
    return p;
}

static void free_block(void *p, uint64_t n_bytes)
{
    hd_virtual_open(p, n_bytes);
    hd_delete(p, n_bytes);
}

static void mem_free(void *self, void *p, uint64_t n_bytes)
{
    hd_virtual *v = self;
    uint64_t i;
    (void)pthread_mutex_lock(&v->mutex);
    for (i = 0; i < v->blocks.n; i++) {
        block *b = (block *)v->blocks.at + i;
        if (b->at == p) {
            *b = ((block *)v->blocks.at)[--v->blocks.n];
            break;
        }
    }
    (void)pthread_mutex_unlock(&v->mutex);
    free_block(p, n_bytes);
}

/* Counts an action: is the device still there? */
static heddle_status act(hd_virtual *v)
{
    v->n_actions++;
    if (v->config.fail > 0 && (double)v->n_actions >= v->config.fail)
        return hd_say(NULL, HEDDLE_EDEVICE, "a virtual device is lost at its action %llu",
                      (unsigned long long)v->n_actions);
    return HEDDLE_OK;
}

/* Something that takes so long on a resource is put into a queue. */
static void book(hd_virtual *v, uint32_t queue, uint32_t resource, double ns)
{
    phase_times *t = &v->times[queue][v->phase[queue]];
    uint64_t begin = heddle_host_clock_ns();
    if (v->config.slow > 0 && (double)v->n_actions >= v->config.slow)
        ns *= 10.0;
    begin = v->ends_ns[queue] > begin ? v->ends_ns[queue] : begin;
    begin = v->free_ns[resource] > begin ? v->free_ns[resource] : begin;
    v->ends_ns[queue] = v->free_ns[resource] = begin + (uint64_t)ns;
    t->begin_ns = t->end_ns ? t->begin_ns : begin;
    t->end_ns = v->ends_ns[queue];
}

static heddle_status copy(void *self, uint32_t queue, const heddle_copy *c)
{
    hd_virtual *v = self;
    uint64_t i;
    HD_TRY(act(v));
    for (i = 0; i < c->n_rows; i++) {
        if (c->is_in)
            hd_virtual_open((uint8_t *)c->to + i * c->to_stride, c->row_bytes);
        memcpy((uint8_t *)c->to + i * c->to_stride, (const uint8_t *)c->from + i * c->from_stride, c->row_bytes);
    }
    book(v, queue, c->is_in ? LINK_IN : LINK_OUT,
         v->config.latency * 1e9 +
             (v->config.link > 0 ? (double)(c->n_rows * c->row_bytes) / v->config.link * 1e9 : 0));
    return HEDDLE_OK;
}

/* As a kernel does it (core/chunk.h), one tile after another. */
static void run_tiles(const heddle_span_work *w, heddle_failure *failure)
{
    _Alignas(128) uint8_t shared[HEDDLE_REDUCE_BYTES + HD_CORE_SHARED];
    heddle_thread thread = heddle_thread_alone(failure, shared);
    hd_span_launch l;
    uint64_t t;
    hd_span_cut(&l, w->begin, w->end, w->n_2, w->tile, w->tile_2);
    for (t = 0; t < l.n_tiles && !failure->code; t++) {
        const heddle_span s = hd_span_tile(&l, t);
        thread.task = (uint32_t)s.begin;
        w->table->bodies[w->body].run(&thread, w->params, &s);
    }
}

static heddle_status span(void *self, uint32_t queue, const heddle_span_work *w)
{
    hd_virtual *v = self;
    const uint64_t began = heddle_host_clock_ns();
    HD_TRY(act(v));
    v->failure[queue] = hd_span_unfailed();
    v->begins[queue] = w->begin;
    run_tiles(w, &v->failure[queue]);
    book(v, queue, BODIES,
         v->config.latency * 1e9 + (double)(heddle_host_clock_ns() - began) * (1.0 / v->config.speed - 1.0));
    return HEDDLE_OK;
}

static heddle_status poll(void *self, uint32_t queue, uint32_t *code, uint64_t *index)
{
    hd_virtual *v = self;
    heddle_failure *f = &v->failure[queue];
    if (v->config.hang > 0 && (double)v->n_actions >= v->config.hang)
        return HEDDLE_EBUSY;
    if (heddle_host_clock_ns() < v->ends_ns[queue])
        return HEDDLE_EBUSY;
    if (!f->code)
        return HEDDLE_OK;
    *code = f->code;
    *index = hd_span_failed_at(f, v->begins[queue]);
    f->code = 0;
    return HEDDLE_EBODY;
}

static heddle_status mark(void *self, uint32_t queue, heddle_phase phase)
{
    hd_virtual *v = self;
    v->phase[queue] = phase;
    v->times[queue][phase] = (phase_times){0, 0};
    return HEDDLE_OK;
}

static heddle_status marked(void *self, uint32_t queue, heddle_phase phase, uint64_t *begin_ns, uint64_t *end_ns)
{
    const phase_times *t = &((hd_virtual *)self)->times[queue][phase];
    *begin_ns = t->begin_ns;
    *end_ns = t->end_ns;
    return HEDDLE_OK;
}

static void close_virtual(void *self, int is_lost)
{
    hd_virtual *v = self;
    uint64_t i;
    (void)is_lost;
    for (i = 0; i < v->blocks.n; i++)
        free_block(((block *)v->blocks.at)[i].at, ((block *)v->blocks.at)[i].n_bytes);
    hd_list_clear(&v->blocks);
    (void)pthread_mutex_destroy(&v->mutex);
    hd_delete(v, sizeof *v);
}

heddle_status hd_virtual_new(const hd_virtual_config *c, heddle_accelerator *out)
{
    hd_virtual *v = hd_new(sizeof *v);
    if (!v)
        return hd_say(NULL, HEDDLE_ENOMEM, "a fleet: no memory for a virtual device");
    v->config = *c;
    (void)pthread_mutex_init(&v->mutex, NULL);
    *out = (heddle_accelerator)HEDDLE_ACCELERATOR_INIT;
    out->self = v;
    out->memory_bytes = (uint64_t)c->memory;
    out->n_queues = 3;
    out->takes_strides = 1;
    out->weight = c->speed;
    out->mem_new = mem_new;
    out->mem_free = mem_free;
    out->copy = copy;
    out->span = span;
    out->poll = poll;
    out->close = close_virtual;
    out->mark = mark;
    out->marked = marked;
    return HEDDLE_OK;
}
