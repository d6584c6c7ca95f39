/* SPDX-License-Identifier: MIT */
/* virtual.c - a device that its manager's thread plays. A copy or a span is done inside the call that puts it into a queue, and has ended by the
 * device's own reckoning: each direction of the link and the bodies take one thing at a time, and a queue's things follow one
 * another. poll compares that with the clock. Speeds are not exact; bytes are.
 *
 * Queues that wait for one another do so by that reckoning only: the bytes are there at once, so a wait that is missing shows in the
 * times alone. A queue that follows one of a device that hangs never goes on.
 *
 * Its memory holds a pattern, and is closed but for what slices have declared. Copies read and write what is hidden from bodies; what
 * they have written stays open. */
#include "engine/loop/virtual.h"

#include "base/base.h"
#include "heddle/loop.h"

#include <pthread.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define HAS_HIDDEN 1
#else
#define HAS_HIDDEN 0
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define PATTERN 0xa5
#define N_POINTS 64u     /* of a queue: their times are known; older ones are as late as the oldest of these */
#define NEVER UINT64_MAX /* a time */

enum { LINK_IN, LINK_OUT, BODIES, PEERS, WITHIN, N_RESOURCES };

typedef struct block {
    void *at;
    uint64_t n_bytes;
} block;

typedef struct phase_times {
    uint64_t begin_ns, end_ns; /* end 0: nothing was put */
} phase_times;

/* Of a queue. */
typedef struct points {
    uint64_t last, passed; /* numbers; passed: that was told */
    uint64_t failed;       /* the one behind the body that has failed; 0: none has */
    uint64_t at_ns[N_POINTS];
} points;

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
    points points[HEDDLE_MOST_QUEUES];
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

static int hangs(const hd_virtual *v) { return v->config.hang > 0 && (double)v->n_actions >= v->config.hang; }

/* Something that takes so long on a resource is put into a queue. */
static void book(hd_virtual *v, uint32_t queue, uint32_t resource, double ns)
{
    phase_times *t = &v->times[queue][v->phase[queue]];
    uint64_t begin = heddle_host_clock_ns();
    if (v->config.slow > 0 && (double)v->n_actions >= v->config.slow)
        ns *= 10.0;
    if (v->ends_ns[queue] == NEVER)
        return;
    begin = v->ends_ns[queue] > begin ? v->ends_ns[queue] : begin;
    begin = v->free_ns[resource] > begin ? v->free_ns[resource] : begin;
    v->ends_ns[queue] = v->free_ns[resource] = begin + (uint64_t)ns;
    t->begin_ns = t->end_ns ? t->begin_ns : begin;
    t->end_ns = v->ends_ns[queue];
}

/* From memory of a device, which may be hidden. Under AddressSanitizer memcpy would complain of it; memset finds out whether the target
 * is there. */
#if HAS_HIDDEN
__attribute__((no_sanitize_address)) static void copy_hidden(uint8_t *to, const volatile uint8_t *from, uint64_t n)
{
    memset(to, 0, n);
    for (; n > 0; n--)
        *to++ = *from++;
}
#else
static void copy_hidden(uint8_t *to, const uint8_t *from, uint64_t n) { memcpy(to, from, n); }
#endif

static void copy_rows(const heddle_copy *c, int to_device, int from_device)
{
    uint64_t i;
    for (i = 0; i < c->n_rows; i++) {
        uint8_t *to = (uint8_t *)c->to + i * c->to_stride;
        const uint8_t *from = (const uint8_t *)c->from + i * c->from_stride;
        if (to_device)
            hd_virtual_open(to, c->row_bytes);
        if (from_device)
            copy_hidden(to, from, c->row_bytes);
        else
            memcpy(to, from, c->row_bytes);
    }
}

/* Nanoseconds over a link of that rate; 0: at once. */
static double link_ns(const hd_virtual *v, const heddle_copy *c, double rate)
{
    return v->config.latency * 1e9 + (rate > 0 ? (double)(c->n_rows * c->row_bytes) / rate * 1e9 : 0);
}

static heddle_status copy(void *self, uint32_t queue, const heddle_copy *c)
{
    hd_virtual *v = self;
    HD_TRY(act(v));
    copy_rows(c, (int)c->is_in, !c->is_in);
    book(v, queue, c->is_in ? LINK_IN : LINK_OUT, link_ns(v, c, v->config.link));
    return HEDDLE_OK;
}

/* As a kernel does it (core/chunk.h), one tile after another. */
static void run_tiles(const heddle_span_work *w, heddle_failure *failure)
{
    _Alignas(128) uint8_t shared[HEDDLE_REDUCE_BYTES + HD_CORE_SHARED];
    heddle_thread thread = heddle_thread_alone(failure, shared);
    hd_span_launch l;
    uint64_t t;
    hd_span_cut(&l, w->begin, w->end, w->begin_2, w->end_2, w->tile, w->tile_2);
    for (t = 0; t < l.n_tiles && !failure->code; t++) {
        const heddle_span s = hd_span_tile(&l, t);
        thread.task = (uint32_t)s.begin;
        w->table->bodies[w->body].run(&thread, w->params, &s);
    }
}

static void book_bodies(hd_virtual *v, uint32_t queue, uint64_t began_ns)
{
    book(v, queue, BODIES,
         v->config.latency * 1e9 + (double)(heddle_host_clock_ns() - began_ns) * (1.0 / v->config.speed - 1.0));
}

/* Bodies behind one that has failed are not run until that is told. */
static heddle_status span(void *self, uint32_t queue, const heddle_span_work *w)
{
    hd_virtual *v = self;
    const uint64_t began = heddle_host_clock_ns();
    HD_TRY(act(v));
    if (!v->points[queue].failed) {
        v->failure[queue] = hd_span_unfailed();
        v->begins[queue] = w->begin;
        run_tiles(w, &v->failure[queue]);
        v->points[queue].failed = v->failure[queue].code ? v->points[queue].last + 1u : 0;
    }
    book_bodies(v, queue, began);
    return HEDDLE_OK;
}

static heddle_status tell_failure(hd_virtual *v, uint32_t queue, uint32_t *code, uint64_t *index)
{
    *code = v->failure[queue].code;
    *index = hd_span_failed_at(&v->failure[queue], v->begins[queue]);
    v->points[queue].failed = 0;
    return HEDDLE_EBODY;
}

static heddle_status poll(void *self, uint32_t queue, uint32_t *code, uint64_t *index)
{
    hd_virtual *v = self;
    if (hangs(v) || heddle_host_clock_ns() < v->ends_ns[queue])
        return HEDDLE_EBUSY;
    return v->points[queue].failed ? tell_failure(v, queue, code, index) : HEDDLE_OK;
}

/* ---- queues that wait for one another --------------------------------------------------------------------------------- */

static heddle_status out_of_order(uint64_t number, uint64_t last)
{
    return hd_say(NULL, HEDDLE_EINVAL, "a virtual device: point %llu of a queue, of which %llu were put",
                  (unsigned long long)number, (unsigned long long)last);
}

static heddle_status point(void *self, uint32_t queue, uint64_t number)
{
    hd_virtual *v = self;
    points *p = &v->points[queue];
    if (number != p->last + 1u)
        return out_of_order(number, p->last);
    p->last = number;
    p->at_ns[number % N_POINTS] = hangs(v) ? NEVER : v->ends_ns[queue];
    return HEDDLE_OK;
}

static uint64_t time_of(const points *p, uint64_t number)
{
    const uint64_t oldest = p->last > N_POINTS ? p->last - N_POINTS + 1u : 1u;
    return p->at_ns[(number > oldest ? number : oldest) % N_POINTS];
}

static heddle_status passed(void *self, uint32_t queue, uint64_t *number, uint32_t *code, uint64_t *index)
{
    hd_virtual *v = self;
    points *p = &v->points[queue];
    const uint64_t now_ns = heddle_host_clock_ns();
    while (p->passed < p->last && time_of(p, p->passed + 1u) <= now_ns) {
        if (p->passed + 1u == p->failed) {
            *number = p->passed;
            return tell_failure(v, queue, code, index);
        }
        p->passed++;
    }
    *number = p->passed;
    return HEDDLE_OK;
}

static heddle_status passed_at(void *self, uint32_t queue, uint64_t number, uint64_t *ns)
{
    *ns = time_of(&((const hd_virtual *)self)->points[queue], number);
    return HEDDLE_OK;
}

static heddle_status follow(void *self, uint32_t queue, void *other, uint32_t other_queue, uint64_t number)
{
    hd_virtual *v = self;
    const points *p = &((const hd_virtual *)other)->points[other_queue];
    uint64_t at_ns;
    if (number > p->last)
        return out_of_order(number, p->last);
    at_ns = number ? time_of(p, number) : 0;
    v->ends_ns[queue] = at_ns > v->ends_ns[queue] ? at_ns : v->ends_ns[queue];
    return HEDDLE_OK;
}

static int reaches(void *self, void *other)
{
    const hd_virtual *v = self, *o = other;
    return v == o || (v->config.peers >= 1.0 && o->config.peers >= 1.0);
}

static heddle_status copy_peer(void *self, uint32_t queue, const heddle_copy *c, void *other)
{
    hd_virtual *v = self;
    if (!reaches(self, other))
        return hd_say(NULL, HEDDLE_EINVAL, "a virtual device: it does not reach the other's memory");
    HD_TRY(act(v));
    copy_rows(c, 1, 1);
    if (other == self)
        book(v, queue, WITHIN, 0);
    else
        book(v, queue, PEERS, link_ns(v, c, v->config.peer));
    return HEDDLE_OK;
}

static heddle_status call(void *self, uint32_t queue, heddle_call_fn fn, void *user, const heddle_span_work *w)
{
    hd_virtual *v = self;
    const uint64_t began = heddle_host_clock_ns();
    heddle_span_work work = *w;
    HD_TRY(act(v));
    work.device = UINT32_MAX;
    HD_TRY(fn(user, NULL, &work));
    book_bodies(v, queue, began);
    return HEDDLE_OK;
}

/* ---- marks, opening and closing --------------------------------------------------------------------------------------- */

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
    out->n_queues = 4;
    out->takes_strides = 1;
    out->n_threads = (uint64_t)c->least;
    out->weight = c->speed;
    out->mem_new = mem_new;
    out->mem_free = mem_free;
    out->copy = copy;
    out->span = span;
    out->poll = poll;
    out->close = close_virtual;
    out->mark = mark;
    out->marked = marked;
    out->point = point;
    out->passed = passed;
    out->follow = follow;
    out->reaches = reaches;
    out->copy_peer = copy_peer;
    out->call = call;
    out->passed_at = passed_at;
    return HEDDLE_OK;
}
