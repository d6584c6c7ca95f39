/* SPDX-License-Identifier: MIT */
/* accelerator.c - a GPU, and a quarter of it, as an accelerator of a fleet, driven as an engine of loops would: rows are copied in,
 * spans run and rows are copied out, in all its queues, with nothing but the declared rows on the GPU. Results equal plain loops bit for
 * bit. Then the times of phases, failures, copies with strides, refusals, memory that is pinned; last, how fast slices go through, and what they cost the
 * host.
 *
 *     accelerator */
#include "accelerator_bodies.h"
#include "backend/backend.h"
#include "check.h"
#include "rig.h"

#include <unistd.h>

#define QUEUES 4u
#define SLICE_ROWS 70000u /* more than any slice of the cases */
#define WAIT_MS 20000.0
#define PIECE_BYTES (16ull << 20)
#define PIECES 64u
#define HOST_PIECES 8u       /* used again and again */
#define MARKS_OFF_NS 100000u /* what the clocks may be apart */

/* What a queue has on the GPU. */
typedef struct slot {
    float *in, *out;
    double *sums;
    uint32_t *blocks;
} slot;

typedef struct looped_case {
    uint32_t body, n_dims;
    uint64_t n, n_2, tile, tile_2, slice; /* slice: indices, a multiple of tile */
} looped_case;

static const hd_backend *backend;
static hd_device *device;
static int is_marked; /* slices are put with marks */

static void *new_memory(const heddle_accelerator *a, uint64_t n_bytes)
{
    void *p = a->mem_new(a->self, n_bytes);
    CHECK_MSG(p, "%llu bytes of %s", (unsigned long long)n_bytes, a->name);
    return p;
}

static void *new_host(uint64_t n_bytes)
{
    void *p = hd_new(n_bytes);
    CHECK_MSG(p, "%llu bytes of the host", (unsigned long long)n_bytes);
    return p;
}

static heddle_status wait_for(const heddle_accelerator *a, uint32_t queue, uint32_t *code, uint64_t *index)
{
    const double until = rig_ms() + WAIT_MS;
    heddle_status s;
    while ((s = a->poll(a->self, queue, code, index)) == HEDDLE_EBUSY)
        CHECK_MSG(rig_ms() < until, "queue %u of %s does not end", queue, a->name);
    return s;
}

static void wait_well(const heddle_accelerator *a, uint32_t queue)
{
    uint32_t code = 0;
    uint64_t index = 0;
    const heddle_status s = wait_for(a, queue, &code, &index);
    CHECK_MSG(s == HEDDLE_OK, "%s: %s, code %u at %llu: %s", a->name, heddle_status_text(s), code,
              (unsigned long long)index, heddle_error_text(NULL));
}

static void copy(const heddle_accelerator *a, uint32_t queue, void *to, const void *from, uint64_t n_bytes,
                 uint32_t is_in)
{
    const heddle_copy c = {to, from, 1, n_bytes, n_bytes, n_bytes, is_in};
    CHECK_OK(NULL, a->copy(a->self, queue, &c));
}

/* ---- loops ---------------------------------------------------------------------------------------------------------- */

static void slots_new(const heddle_accelerator *a, slot *s)
{
    for (uint32_t q = 0; q < QUEUES; q++) {
        s[q].in = new_memory(a, (SLICE_ROWS + 2u) * sizeof(float));
        s[q].out = new_memory(a, SLICE_ROWS * sizeof(float));
        s[q].sums = new_memory(a, SLICE_ROWS * sizeof(double));
        s[q].blocks = new_memory(a, SLICE_ROWS * sizeof(uint32_t));
    }
}

static void slots_free(const heddle_accelerator *a, slot *s)
{
    for (uint32_t q = 0; q < QUEUES; q++) {
        a->mem_free(a->self, s[q].in, (SLICE_ROWS + 2u) * sizeof(float));
        a->mem_free(a->self, s[q].out, SLICE_ROWS * sizeof(float));
        a->mem_free(a->self, s[q].sums, SLICE_ROWS * sizeof(double));
        a->mem_free(a->self, s[q].blocks, SLICE_ROWS * sizeof(uint32_t));
    }
}

/* A pointer p with p + at * size == memory: row `at` of an array is the first in memory. */
static void *from_row(void *memory, uint64_t at, uint64_t size) { return (void *)((uintptr_t)memory - at * size); }

static void run_span(const heddle_accelerator *a, uint32_t queue, const looped_case *c, const looped_params *params,
                     uint64_t begin, uint64_t end)
{
    const heddle_span_work w = {&looped, c->body, 0,      params,  sizeof *params, c->n_dims, begin,
                                end,     0,       c->n_2, c->tile, c->tile_2,      0};
    CHECK_OK(NULL, a->span(a->self, queue, &w));
}

static void mark(const heddle_accelerator *a, uint32_t queue, heddle_phase phase)
{
    if (is_marked)
        CHECK_OK(NULL, a->mark(a->self, queue, phase));
}

/* Indices begin .. end - 1 go through a queue: rows in (with one on either side in one dimension), span, rows out. */
static void put_slice(const heddle_accelerator *a, uint32_t queue, const slot *s, const looped_case *c,
                      const looped_params *host, uint64_t begin, uint64_t end)
{
    const uint64_t row = c->n_2 * sizeof(float), halo = c->n_dims == 1 ? 1 : 0, first = begin / c->tile,
                   n_tiles = (end - begin + c->tile - 1) / c->tile;
    const uint64_t low = begin < halo ? 0 : begin - halo, high = c->n - end < halo ? c->n : end + halo;
    looped_params p = *host;
    p.in = from_row(s->in, low, row);
    p.out = from_row(s->out, begin, row);
    p.sums = from_row(s->sums, first, sizeof *p.sums);
    p.blocks = from_row(s->blocks, first, sizeof *p.blocks);
    mark(a, queue, HEDDLE_PHASE_IN);
    copy(a, queue, s->in, (const char *)host->in + low * row, (high - low) * row, 1);
    mark(a, queue, HEDDLE_PHASE_BODIES);
    run_span(a, queue, c, &p, begin, end);
    mark(a, queue, HEDDLE_PHASE_HOME);
    copy(a, queue, (char *)host->out + begin * row, s->out, (end - begin) * row, 0);
    if (c->body == looped_sums) {
        copy(a, queue, host->sums + first, s->sums, n_tiles * sizeof *p.sums, 0);
        copy(a, queue, host->blocks + first, s->blocks, n_tiles * sizeof *p.blocks, 0);
    }
    mark(a, queue, HEDDLE_PHASE_NONE);
}

static void compare(const heddle_accelerator *a, const looped_case *c, const looped_params *got,
                    const looped_params *want)
{
    const uint64_t n_tiles = (c->n + c->tile - 1) / c->tile;
    uint64_t i;
    for (i = 0; c->body != looped_sums && i < c->n * c->n_2; i++)
        CHECK_MSG(!memcmp(&got->out[i], &want->out[i], sizeof(float)), "%s, body %u: element %llu is %.9g, not %.9g",
                  a->name, c->body, (unsigned long long)i, (double)got->out[i], (double)want->out[i]);
    for (i = 0; c->body == looped_sums && i < n_tiles; i++)
        CHECK_MSG(!memcmp(&got->sums[i], &want->sums[i], sizeof(double)), "%s: sum %llu is %.17g, not %.17g", a->name,
                  (unsigned long long)i, got->sums[i], want->sums[i]);
}

static void params_new(looped_params *p, const looped_case *c)
{
    const uint64_t n = c->n * c->n_2, n_tiles = (c->n + c->tile - 1) / c->tile;
    memset(p, 0, sizeof *p);
    p->out = new_host(n * sizeof *p->out);
    p->sums = new_host(n_tiles * sizeof *p->sums);
    p->blocks = new_host(n_tiles * sizeof *p->blocks);
    p->n = c->n;
    p->n_2 = c->n_2;
    p->by = 1.37f;
}

static void params_free(looped_params *p, const looped_case *c)
{
    const uint64_t n = c->n * c->n_2, n_tiles = (c->n + c->tile - 1) / c->tile;
    hd_delete(p->out, n * sizeof *p->out);
    hd_delete(p->sums, n_tiles * sizeof *p->sums);
    hd_delete(p->blocks, n_tiles * sizeof *p->blocks);
}

/* Returns the number of blocks that had a tile, which looped_sums tells. */
static uint32_t run_case(const heddle_accelerator *a, const looped_case *c)
{
    const uint64_t n_tiles = (c->n + c->tile - 1) / c->tile;
    float *in = new_host(c->n * c->n_2 * sizeof *in);
    looped_params got, want;
    slot slots[QUEUES];
    uint64_t begin, i, random = c->n;
    uint32_t q = 0, n_blocks = 0;
    params_new(&got, c);
    params_new(&want, c);
    for (i = 0; i < c->n * c->n_2; i++)
        in[i] = (float)(check_below(&random, 1u << 24)) / 977.0f;
    got.in = want.in = in;
    slots_new(a, slots);
    for (begin = 0; begin < c->n; begin += c->slice, q++) {
        if (q >= QUEUES)
            wait_well(a, q % QUEUES);
        put_slice(a, q % QUEUES, &slots[q % QUEUES], c, &got, begin, c->n - begin < c->slice ? c->n : begin + c->slice);
    }
    for (q = 0; q < QUEUES; q++)
        wait_well(a, q);
    (void)looped_plain(c->body, &want, c->tile, c->tile_2);
    compare(a, c, &got, &want);
    for (i = 0; i < n_tiles; i++)
        n_blocks = got.blocks[i] >= n_blocks ? got.blocks[i] + 1 : n_blocks;
    slots_free(a, slots);
    params_free(&got, c);
    params_free(&want, c);
    hd_delete(in, c->n * c->n_2 * sizeof *in);
    return n_blocks;
}

/* Sizes that are no multiples of the tile; tiles that are no multiples of a team. */
static void run_cases(const heddle_accelerator *a)
{
    static const looped_case cases[] = {
        {looped_scale, 1, 1, 1, 1024, 1, 1024},        {looped_scale, 1, 1000003, 1, 1024, 1, 65536},
        {looped_scale, 1, 50001, 1, 7, 1, 7 * 311},    {looped_scale, 1, 300000, 1, 999, 1, 999 * 64},
        {looped_cross, 2, 1013, 301, 8, 256, 8 * 16},  {looped_cross, 2, 77, 500, 3, 33, 27},
        {looped_cross, 2, 5, 12001, 1, 256, 5},        {looped_turn, 1, 500009, 1, 1024, 1, 65536},
        {looped_turn, 1, 100000, 1, 33, 1, 33 * 1000}, {looped_sums, 1, 654321, 1, 1024, 1, 65536},
        {looped_sums, 1, 40000, 1, 100, 1, 100 * 100},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
        (void)run_case(a, &cases[i]);
}

/* ---- parts ------------------------------------------------------------------------------------------------------------ */

static heddle_accelerator open_part(uint32_t n_parts)
{
    heddle_accelerator a = HEDDLE_ACCELERATOR_INIT;
    CHECK_OK(NULL, backend->accelerator(device, 0, n_parts, &a, NULL));
    CHECK_MSG(a.n_queues == QUEUES && a.memory_bytes && a.weight > 0, "%s", a.name);
    return a;
}

/* One slice with more tiles than a part has blocks. */
static const looped_case many_tiles = {looped_sums, 1, 65536, 1, 8, 1, 65536};

static uint32_t blocks_of_half(void)
{
    heddle_accelerator a = open_part(2);
    const uint32_t n = run_case(&a, &many_tiles);
    a.close(a.self, 0);
    return n;
}

static void run_quarter(uint64_t whole_bytes)
{
    const uint32_t of_half = blocks_of_half();
    heddle_accelerator a = open_part(4);
    uint32_t n_blocks;
    CHECK_MSG(!strcmp(a.name, "cuda:0/4"), "%s", a.name);
    CHECK_MSG(a.memory_bytes <= whole_bytes / 4 + (1u << 20), "%llu bytes of %llu", (unsigned long long)a.memory_bytes,
              (unsigned long long)whole_bytes);
    run_cases(&a);
    n_blocks = run_case(&a, &many_tiles);
    CHECK_MSG(n_blocks == (of_half + 1) / 2, "%u blocks, and half of the GPU has %u", n_blocks, of_half);
    a.close(a.self, 0);
}

static void refuse(void)
{
    heddle_accelerator a = HEDDLE_ACCELERATOR_INIT;
    CHECK(backend->accelerator(device, 0, 0, &a, NULL) == HEDDLE_EINVAL);
    CHECK(backend->accelerator(device, 0, 1000000, &a, NULL) == HEDDLE_ENODEV);
    rig_says(NULL, "multiprocessors");
}

/* A span that cannot be launched says why, and the accelerator is closed. */
static void refuse_spans(void)
{
    static const char record[4000];
    const heddle_span_work large = {&looped, looped_scale, 0, record, sizeof record, 1, 0, 10, 0, 1, 5, 1, 0};
    const heddle_span_work askew = {&looped, looped_scale, 0, record, sizeof(looped_params), 1, 3, 10, 0, 1, 5, 1, 0};
    const heddle_span_work wide = {&looped, looped_turn, 2048, record, sizeof(looped_params), 1, 0, 10, 0, 1, 5, 1, 0};
    const heddle_span_work bent = {&looped, looped_cross, 0, record, sizeof(looped_params), 2, 0, 10, 3, 20, 5, 2, 0};
    const heddle_span_work *work[] = {&large, &askew, &wide, &bent};
    const char *words[] = {"params", "begins at index 3", "threads", "index 3 of the second"};
    for (uint32_t i = 0; i < 4; i++) {
        heddle_accelerator a = open_part(1);
        const heddle_status s = a.span(a.self, 0, work[i]);
        CHECK_MSG(s == HEDDLE_ERANGE || s == HEDDLE_EINVAL, "%s", heddle_status_text(s));
        rig_says(NULL, words[i]);
        a.close(a.self, 0);
    }
}

/* ---- failures ----------------------------------------------------------------------------------------------------------- */

static void fail_at(const heddle_accelerator *a, uint64_t begin, uint64_t at, uint32_t whole)
{
    const looped_case c = {looped_fails, 1, 0, 1, 1000, 1, 0};
    const uint64_t want = whole ? at / c.tile * c.tile : at;
    looped_params p;
    uint32_t code = 0;
    uint64_t index = 0;
    memset(&p, 0, sizeof p);
    p.fail_at = at;
    p.code = 77;
    p.whole = whole;
    run_span(a, 1, &c, &p, begin, begin + 100500);
    CHECK(wait_for(a, 1, &code, &index) == HEDDLE_EBODY);
    CHECK_MSG(code == 77 && index == want, "code %u at %llu, not at %llu", code, (unsigned long long)index,
              (unsigned long long)want);
    p.fail_at = 0; /* which no span has */
    run_span(a, 1, &c, &p, begin + 1000, begin + 100500);
    wait_well(a, 1);
}

/* Also of indices beyond 32 bits, and where the lower halves wrap within the span. */
static void fail(const heddle_accelerator *a)
{
    const uint64_t begins[] = {0, 5000, (1ull << 33) / 1000 * 1000, ((1ull << 32) - 50000) / 1000 * 1000};
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t whole = 0; whole < 2; whole++) {
            fail_at(a, begins[i], begins[i] + 1, whole);
            fail_at(a, begins[i], begins[i] + 51234, whole);
            fail_at(a, begins[i], begins[i] + 100499, whole);
        }
}

/* ---- copies ----------------------------------------------------------------------------------------------------------------- */

/* Rows of `row` bytes go to the GPU, where they lie side by side or apart, and back into other rows. */
static void copy_rows(const heddle_accelerator *a, uint64_t n, uint64_t row, uint64_t from_stride, uint64_t gpu_stride,
                      uint64_t to_stride)
{
    uint8_t *from = hd_new_sparse(n * from_stride), *to = hd_new_sparse(n * to_stride);
    uint8_t *gpu = new_memory(a, n * gpu_stride);
    const heddle_copy in = {gpu, from, n, row, gpu_stride, from_stride, 1};
    const heddle_copy out = {to, gpu, n, row, to_stride, gpu_stride, 0};
    uint64_t i, k;
    CHECK(from && to);
    for (i = 0; i < n; i++)
        for (k = 0; k < row; k++)
            from[i * from_stride + k] = (uint8_t)(1u + (i * 31u + k) % 255u);
    CHECK_OK(NULL, a->copy(a->self, 0, &in));
    CHECK_OK(NULL, a->copy(a->self, 0, &out));
    wait_well(a, 0);
    for (i = 0; i < n; i++) {
        CHECK_MSG(!memcmp(&to[i * to_stride], &from[i * from_stride], row), "row %llu", (unsigned long long)i);
        for (k = row; k < to_stride && k < row + 64; k++)
            CHECK_MSG(!to[i * to_stride + k], "behind row %llu", (unsigned long long)i);
    }
    a->mem_free(a->self, gpu, n * gpu_stride);
    hd_delete_sparse(from, n * from_stride);
    hd_delete_sparse(to, n * to_stride);
}

static void pin(void)
{
    const uint64_t n = 1u << 20;
    uint8_t *p = new_host(n);
    CHECK_OK(NULL, backend->host_pin(device, p, n, NULL));
    CHECK(backend->host_pin(device, p, n, NULL) == HEDDLE_EINVAL);
    rig_says(NULL, "pinned already");
    backend->host_unpin(device, p);
    CHECK_OK(NULL, backend->host_pin(device, p, n, NULL)); /* so it was unpinned */
    backend->host_unpin(device, p);
    backend->host_unpin(device, p); /* nothing happens */
    hd_delete(p, n);
}

/* ---- marks ------------------------------------------------------------------------------------------------------------------ */

/* The phases of a slice follow one another, between two readings of the host's clock. Returns how long its copy in took. */
static uint64_t check_phases(const heddle_accelerator *a, uint32_t queue, uint64_t since_ns, uint64_t until_ns)
{
    uint64_t begin = 0, end = 0, before = since_ns - MARKS_OFF_NS, in_ns = 0;
    uint32_t i;
    for (i = HEDDLE_PHASE_IN; i < HEDDLE_N_PHASES; i++) {
        CHECK_OK(NULL, a->marked(a->self, queue, (heddle_phase)i, &begin, &end));
        CHECK_MSG(before <= begin && begin <= end && end <= until_ns + MARKS_OFF_NS,
                  "phase %u: %lld to %lld us, of %lld", i, (long long)(begin - since_ns) / 1000,
                  (long long)(end - since_ns) / 1000, (long long)(until_ns - since_ns) / 1000);
        in_ns = i == HEDDLE_PHASE_IN ? end - begin : in_ns;
        before = end;
    }
    return in_ns;
}

/* In all queues at once, twice: the second time the base of the times is too old. A link of more than 1000 GB/s is not believed. */
static void check_marks(const heddle_accelerator *a)
{
    const looped_case c = {looped_scale, 1, 3ull * SLICE_ROWS, 1, 1000, 1, SLICE_ROWS};
    float *in = new_host(c.n * sizeof *in);
    looped_params host;
    slot slots[QUEUES];
    uint64_t since, in_ns = 0;
    uint32_t k, q;
    params_new(&host, &c);
    host.in = in;
    slots_new(a, slots);
    is_marked = 1;
    for (k = 0; k < 2; k++) {
        since = heddle_host_clock_ns();
        for (q = 0; q < QUEUES; q++)
            put_slice(a, q, &slots[q], &c, &host, q * c.slice, (q + 1) * c.slice);
        for (q = 0; q < QUEUES; q++) {
            wait_well(a, q);
            in_ns = check_phases(a, q, since, heddle_host_clock_ns());
            CHECK_MSG(in_ns >= c.slice * sizeof *in / 1000, "%llu ns", (unsigned long long)in_ns);
        }
        (void)usleep(1100000);
    }
    is_marked = 0;
    printf("%s: a copy in of %u bytes takes %llu ns\n", a->name, (uint32_t)(c.slice * sizeof *in),
           (unsigned long long)in_ns);
    slots_free(a, slots);
    params_free(&host, &c);
    hd_delete(in, c.n * sizeof *in);
}

/* ---- speed ------------------------------------------------------------------------------------------------------------------ */

typedef struct timing {
    double calls_ms, poll_ms; /* of the host: in the calls of slices; in the polls that found one ended */
} timing;

static void put_piece(const heddle_accelerator *a, uint32_t k, const slot *s, const looped_params *host, timing *t)
{
    const looped_case c = {looped_scale, 1, HOST_PIECES * (PIECE_BYTES / 4), 1, 4096, 1, 0};
    const uint64_t n = PIECE_BYTES / 4, begin = k % HOST_PIECES * n;
    const double since = rig_ms();
    put_slice(a, k % QUEUES, &s[k % QUEUES], &c, host, begin, begin + n);
    t->calls_ms += rig_ms() - since;
}

static void end_piece(const heddle_accelerator *a, uint32_t queue, timing *t)
{
    uint32_t code;
    uint64_t index;
    double since;
    heddle_status s;
    do {
        since = rig_ms();
        s = a->poll(a->self, queue, &code, &index);
    } while (s == HEDDLE_EBUSY);
    t->poll_ms += rig_ms() - since;
    CHECK_OK(NULL, s);
}

static void put_pieces(const heddle_accelerator *a, const slot *s, const looped_params *host)
{
    timing t = {0, 0};
    const double since = rig_ms();
    double ms;
    uint32_t k;
    for (k = 0; k < PIECES; k++) {
        if (k >= QUEUES)
            end_piece(a, k % QUEUES, &t);
        put_piece(a, k, s, host, &t);
    }
    for (; k < PIECES + QUEUES; k++)
        end_piece(a, k % QUEUES, &t);
    ms = rig_ms() - since;
    printf("%s: %u slices of %llu MiB in and out: %.1f GB/s each way; the host is busy for %.1f us with the calls of a "
           "slice, for %.2f us with a poll\n",
           a->name, PIECES, (unsigned long long)(PIECE_BYTES >> 20), PIECES * (double)PIECE_BYTES / 1e6 / ms,
           t.calls_ms * 1e3 / PIECES, t.poll_ms * 1e3 / PIECES);
}

static void measure(const heddle_accelerator *a)
{
    const uint64_t n_bytes = HOST_PIECES * PIECE_BYTES;
    looped_params host = {0};
    slot s[QUEUES] = {{0}};
    uint32_t q;
    float *in = new_host(n_bytes), *out = new_host(n_bytes);
    host.in = in;
    host.out = out;
    host.n = n_bytes / 4;
    host.n_2 = 1;
    CHECK_OK(NULL, backend->host_pin(device, in, n_bytes, NULL));
    CHECK_OK(NULL, backend->host_pin(device, out, n_bytes, NULL));
    for (q = 0; q < QUEUES; q++) {
        s[q].in = new_memory(a, PIECE_BYTES + 8);
        s[q].out = new_memory(a, PIECE_BYTES);
    }
    put_pieces(a, s, &host); /* warms up */
    put_pieces(a, s, &host);
    for (q = 0; q < QUEUES; q++) {
        a->mem_free(a->self, s[q].in, PIECE_BYTES + 8);
        a->mem_free(a->self, s[q].out, PIECE_BYTES);
    }
    backend->host_unpin(device, in);
    backend->host_unpin(device, out);
    hd_delete(in, n_bytes);
    hd_delete(out, n_bytes);
}

int main(void)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_accelerator a;
    uint64_t whole_bytes;
    uint32_t n_blocks;
    backend = hd_backend_of(HEDDLE_CUDA);
    if (!backend || !backend->count())
        SKIP("no GPU here");
    CHECK_OK(NULL, backend->open(&device, &config, NULL));
    refuse();
    a = open_part(1);
    whole_bytes = a.memory_bytes;
    run_cases(&a);
    n_blocks = run_case(&a, &many_tiles);
    check_marks(&a);
    fail(&a);
    copy_rows(&a, 1000, 37, 101, 37, 64);
    copy_rows(&a, 1000, 37, 37, 48, 41);
    copy_rows(&a, 1, 999, 5000, 4000, 2000);
    copy_rows(&a, 3, 4096, 3ull << 30, 4096, 5000); /* a stride that CUDA's copies of rows refuse */
    pin();
    measure(&a);
    a.close(a.self, 0);
    run_quarter(whole_bytes);
    refuse_spans();
    backend->close(device);
    printf("%u blocks of looped_sums  ok\n", n_blocks);
    return 0;
}
