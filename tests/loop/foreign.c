/* SPDX-License-Identifier: MIT */
/* foreign.c - an accelerator of somebody else, which takes small copies only, or none of rows with a stride: it gets what it takes, and all
 * loops give the bytes of plain ones. */
#include "loop/cases.h"

#define MEMORY (32u << 20)

typedef struct device {
    uint64_t most_copy_bytes;
    int takes_strides;
    uint64_t n_copies, n_bad;
    heddle_failure failure;
} device;

static void *mem_new(void *self, uint64_t n_bytes)
{
    (void)self;
    return malloc(n_bytes);
}

static void mem_free(void *self, void *p, uint64_t n_bytes)
{
    (void)self;
    (void)n_bytes;
    free(p);
}

static heddle_status copy(void *self, uint32_t queue, const heddle_copy *c)
{
    device *d = self;
    uint64_t i;
    (void)queue;
    d->n_copies++;
    d->n_bad += !c->n_rows || !c->row_bytes || (c->n_rows > 1 && !d->takes_strides) ||
                (d->most_copy_bytes && c->n_rows * c->row_bytes > d->most_copy_bytes);
    for (i = 0; i < c->n_rows; i++)
        memcpy((char *)c->to + i * c->to_stride, (const char *)c->from + i * c->from_stride, c->row_bytes);
    return HEDDLE_OK;
}

static heddle_status span(void *self, uint32_t queue, const heddle_span_work *w)
{
    static _Alignas(128) uint8_t shared[HEDDLE_REDUCE_BYTES + 16384];
    device *d = self;
    heddle_thread thread = heddle_thread_alone(&d->failure, shared);
    hd_span_launch l;
    uint64_t t;
    (void)queue;
    hd_span_cut(&l, w->begin, w->end, w->n_2, w->tile, w->tile_2);
    for (t = 0; t < l.n_tiles; t++) {
        const heddle_span s = hd_span_tile(&l, t);
        w->table->bodies[w->body].run(&thread, w->params, &s);
    }
    return HEDDLE_OK;
}

static heddle_status ask(void *self, uint32_t queue, uint32_t *code, uint64_t *index)
{
    (void)self;
    (void)queue;
    (void)code;
    (void)index;
    return HEDDLE_OK;
}

static void close_device(void *self, int is_lost)
{
    (void)self;
    CHECK(!is_lost);
}

static heddle_fleet *open_fleet(device *d)
{
    heddle_accelerator a = HEDDLE_ACCELERATOR_INIT;
    heddle_fleet *f = NULL;
    a.self = d;
    a.name = "foreign";
    a.memory_bytes = MEMORY;
    a.most_copy_bytes = d->most_copy_bytes;
    a.n_queues = 2;
    a.takes_strides = (uint32_t)d->takes_strides;
    a.mem_new = mem_new;
    a.mem_free = mem_free;
    a.copy = copy;
    a.span = span;
    a.poll = ask;
    a.close = close_device;
    CHECK_OK(NULL, heddle_fleet_open(&f, "cpu:1", NULL));
    CHECK_OK(NULL, heddle_fleet_add(f, &a));
    return f;
}

static void check_case(heddle_fleet *f, const device *d, uint32_t body)
{
    const int is_2d = body == looped_matrix || body == looped_both;
    const looped_case c = {body, 300, is_2d ? 40u : 0u, 7, 16, HEDDLE_SPLIT_GUIDED, 3};
    const looped_bytes want = looped_plain(&c), got = looped_run(f, &c);
    CHECK_MSG(want.n == got.n && !memcmp(want.at, got.at, want.n), "body %u, copies of %llu bytes, strides %d", body,
              (unsigned long long)d->most_copy_bytes, d->takes_strides);
    free(want.at);
    free(got.at);
}

/* Returns how many copies there were. */
static uint64_t check_device(uint64_t most_copy_bytes, int takes_strides)
{
    device d;
    heddle_fleet *f;
    uint32_t body;
    memset(&d, 0, sizeof d);
    d.most_copy_bytes = most_copy_bytes;
    d.takes_strides = takes_strides;
    f = open_fleet(&d);
    for (body = 0; body < looped_fail; body++)
        check_case(f, &d, body);
    heddle_fleet_close(f);
    CHECK_MSG(!d.n_bad, "%llu copies of %llu are not of the kind that it takes", (unsigned long long)d.n_bad,
              (unsigned long long)d.n_copies);
    return d.n_copies;
}

int main(void)
{
    uint64_t n = 0;
    for (int strides = 0; strides < 2; strides++) {
        n += check_device(0, strides);
        n += check_device(4096, strides);
        n += check_device(90, strides); /* no multiple of a row, and less than many */
    }
    printf("%llu copies\n", (unsigned long long)n);
    CHECK(n > 0);
    return 0;
}
