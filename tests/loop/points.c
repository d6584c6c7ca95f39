/* SPDX-License-Identifier: MIT */
/* points.c - queues of virtual devices that wait for one another. Which points are passed when; bodies that fail between points; copies
 * between devices and within one. Calls of host functions; tiles of a part of the second index; what is refused. */
#include "check.h"
#include "engine/loop/virtual.h"
#include "heddle/loop.h"

#include <time.h>

#define MS 1000000ull
#define N_ROWS 5u
#define WIDE 64u

typedef struct params {
    uint32_t *seen; /* N_ROWS x WIDE: how often a body had that pair of indices */
    uint64_t fail_at;
} params;

HEDDLE_LOOP(points_mark, params, params, s)
{
    HEDDLE_SPAN_2D (i, j, s) {
        params->seen[i * WIDE + j]++;
        if (i * WIDE + j == params->fail_at)
            heddle_span_fail(thread, i, 7);
    }
}
#define POINTS_LOOPS(X) X(points_mark, 0)
HEDDLE_ENUM(points, POINTS_LOOPS)
HEDDLE_LOOP_TABLE(points, params, POINTS_LOOPS)

static heddle_accelerator open_device(const char *word)
{
    heddle_accelerator a;
    hd_word w;
    CHECK(hd_word_read(&word, &w) == 1 && w.kind == HD_WORD_VIRTUAL);
    CHECK_OK(NULL, hd_virtual_new(&w.virt, &a));
    return a;
}

static void close_device(const heddle_accelerator *a) { a->close(a->self, 0); }

static void put_point(const heddle_accelerator *a, uint32_t queue, uint64_t number)
{
    CHECK_OK(NULL, a->point(a->self, queue, number));
}

static void copy_in(const heddle_accelerator *a, uint32_t queue, void *to, const void *from, uint64_t n_bytes)
{
    const heddle_copy c = {to, from, 1, n_bytes, n_bytes, n_bytes, 1};
    CHECK_OK(NULL, a->copy(a->self, queue, &c));
}

static uint64_t passed(const heddle_accelerator *a, uint32_t queue)
{
    uint64_t number = UINT64_MAX, index;
    uint32_t code;
    CHECK_OK(NULL, a->passed(a->self, queue, &number, &code, &index));
    return number;
}

/* Waits until the queue has passed the point; returns the time. */
static uint64_t wait_for(const heddle_accelerator *a, uint32_t queue, uint64_t number)
{
    while (passed(a, queue) < number)
        (void)nanosleep(&(struct timespec){0, 100000}, NULL);
    return heddle_host_clock_ns();
}

static void nap(uint64_t ns) { (void)nanosleep(&(struct timespec){0, (long)ns}, NULL); }

/* ---- order ------------------------------------------------------------------------------------------------------------ */

/* Many points, more than are remembered: each is passed after its copy, none before. */
static void check_order(void)
{
    const heddle_accelerator a = open_device("virtual:latency=1e-4");
    uint8_t byte = 1, *p = a.mem_new(a.self, 256);
    const uint64_t begin = heddle_host_clock_ns();
    uint64_t n, last = 0;
    CHECK(passed(&a, 0) == 0);
    for (n = 1; n <= 300; n++) {
        copy_in(&a, 0, p, &byte, 1);
        put_point(&a, 0, n);
    }
    while (last < 300) {
        const uint64_t now = passed(&a, 0);
        CHECK(now >= last && now * 100000u <= heddle_host_clock_ns() - begin);
        last = now;
    }
    CHECK(passed(&a, 0) == 300 && passed(&a, 1) == 0);
    a.mem_free(a.self, p, 256);
    close_device(&a);
}

/* A queue waits for one of another device, that for a third one; a fourth waits for nothing. */
static void check_follow(void)
{
    const heddle_accelerator a = open_device("virtual:latency=1"), b = open_device("virtual:latency=0.001");
    uint8_t byte = 1, *on_a = a.mem_new(a.self, 256), *on_b = b.mem_new(b.self, 256);
    const uint64_t begin = heddle_host_clock_ns();
    copy_in(&a, 0, on_a, &byte, 1);
    put_point(&a, 0, 1);
    CHECK_OK(NULL, b.follow(b.self, 1, a.self, 0, 1));
    put_point(&b, 1, 1);
    CHECK_OK(NULL, b.follow(b.self, 2, b.self, 1, 1));
    put_point(&b, 2, 1);
    copy_in(&b, 0, on_b, &byte, 1);
    put_point(&b, 0, 1);
    CHECK_OK(NULL, b.follow(b.self, 0, a.self, 2, 0)); /* no point */
    CHECK(wait_for(&b, 0, 1) - begin < 1000 * MS);
    CHECK(wait_for(&b, 2, 1) - begin >= 1000 * MS);
    CHECK(passed(&a, 0) == 1 && passed(&b, 1) == 1);
    a.mem_free(a.self, on_a, 256);
    b.mem_free(b.self, on_b, 256);
    close_device(&a);
    close_device(&b);
}

/* What follows a device that hangs never goes on; what was put before is passed. */
static void check_hang(void)
{
    const heddle_accelerator a = open_device("virtual:hang=2"), b = open_device("virtual:");
    uint8_t byte = 1, *p = a.mem_new(a.self, 256);
    copy_in(&a, 0, p, &byte, 1);
    put_point(&a, 0, 1);
    copy_in(&a, 0, p, &byte, 1);
    put_point(&a, 0, 2);
    CHECK_OK(NULL, b.follow(b.self, 0, a.self, 0, 1));
    put_point(&b, 0, 1);
    CHECK_OK(NULL, b.follow(b.self, 0, a.self, 0, 2));
    put_point(&b, 0, 2);
    (void)wait_for(&b, 0, 1);
    nap(5 * MS);
    CHECK(passed(&a, 0) == 1 && passed(&b, 0) == 1);
    a.mem_free(a.self, p, 256);
    close_device(&a);
    close_device(&b);
}

/* ---- copies ----------------------------------------------------------------------------------------------------------- */

/* Rows of 7 bytes with other strides go from one device to the next, within that, and home; nothing beside them is touched. */
static void check_copies(void)
{
    const heddle_accelerator a = open_device("virtual:"), b = open_device("virtual:peer=1e6");
    uint8_t home[N_ROWS * 11], back[N_ROWS * 9 * 2], *on_a = a.mem_new(a.self, 4096), *on_b = b.mem_new(b.self, 4096);
    const heddle_copy in = {on_a, home, N_ROWS, 7, 16, 11, 1}, over = {on_b + 3, on_a, N_ROWS, 7, 32, 16, 0},
                      within = {on_b + 1024, on_b + 3, N_ROWS, 7, 24, 32, 0},
                      out = {back, on_b + 1024, N_ROWS, 7, 9, 24, 0};
    const uint64_t begin = heddle_host_clock_ns();
    for (uint32_t i = 0; i < sizeof home; i++)
        home[i] = (uint8_t)(i + 1u);
    memset(back, 0, sizeof back);
    CHECK_OK(NULL, a.copy(a.self, 1, &in));
    put_point(&a, 1, 1);
    hd_virtual_hide(on_a, 4096);
    CHECK_OK(NULL, b.follow(b.self, 1, a.self, 1, 1));
    CHECK_OK(NULL, b.copy_peer(b.self, 1, &over, a.self));
    CHECK_OK(NULL, b.copy_peer(b.self, 1, &within, b.self));
    hd_virtual_hide(on_b, 4096);
    CHECK_OK(NULL, b.copy(b.self, 1, &out));
    put_point(&b, 1, 1);
    CHECK(wait_for(&b, 1, 1) - begin >= N_ROWS * 7 * 1000u); /* a microsecond a byte */
    for (uint32_t i = 0; i < N_ROWS; i++) {
        CHECK(!memcmp(back + i * 9, home + i * 11, 7) && !back[i * 9 + 7] && !back[i * 9 + 8]);
        hd_virtual_open(on_b + 3 + i * 32 + 8, 16);
        CHECK(on_b[3 + i * 32 + 8] == 0xa5); /* between the rows */
    }
    hd_virtual_open(on_b, 4096);
    a.mem_free(a.self, on_a, 4096);
    b.mem_free(b.self, on_b, 4096);
    close_device(&a);
    close_device(&b);
}

/* ---- bodies ----------------------------------------------------------------------------------------------------------- */

static heddle_span_work work_of(const params *p, uint64_t begin, uint64_t end, uint64_t begin_2, uint64_t end_2)
{
    const heddle_span_work w = {.table = &points,
                                .params = p,
                                .params_bytes = sizeof *p,
                                .n_dims = 2,
                                .begin = begin,
                                .end = end,
                                .begin_2 = begin_2,
                                .end_2 = end_2,
                                .tile = 2,
                                .tile_2 = 8};
    return w;
}

/* Spans of parts of both indices, which together are all of them but the last columns. */
static void check_part_of_columns(void)
{
    const heddle_accelerator a = open_device("virtual:");
    params p = {a.mem_new(a.self, N_ROWS * WIDE * sizeof *p.seen), UINT64_MAX};
    const uint64_t n_bytes = N_ROWS * WIDE * sizeof *p.seen, edges[] = {0, 8, 40, 61};
    hd_virtual_open(p.seen, n_bytes);
    memset(p.seen, 0, n_bytes);
    for (uint32_t k = 0; k < 3; k++)
        for (uint64_t i = 0; i < N_ROWS; i += 4) {
            const heddle_span_work w = work_of(&p, i, i + 4 < N_ROWS ? i + 4 : N_ROWS, edges[k], edges[k + 1]);
            CHECK_OK(NULL, a.span(a.self, 0, &w));
        }
    for (uint64_t i = 0; i < N_ROWS; i++)
        for (uint64_t j = 0; j < WIDE; j++)
            CHECK(p.seen[i * WIDE + j] == (j < 61));
    a.mem_free(a.self, p.seen, n_bytes);
    close_device(&a);
}

/* The second of three bodies fails: that is told once, in front of its point, and later bodies are well again. */
static void check_failure(void)
{
    const heddle_accelerator a = open_device("virtual:");
    params p = {a.mem_new(a.self, N_ROWS * WIDE * sizeof *p.seen), 3 * WIDE};
    const uint64_t n_bytes = N_ROWS * WIDE * sizeof *p.seen;
    uint64_t number = 9, index = 0;
    uint32_t code = 0;
    hd_virtual_open(p.seen, n_bytes);
    for (uint64_t i = 0; i < 3; i++) {
        const heddle_span_work w = work_of(&p, 2 * i, 2 * i + 1 + (i < 2), 0, WIDE);
        CHECK_OK(NULL, a.span(a.self, 0, &w));
        put_point(&a, 0, i + 1);
    }
    CHECK(a.passed(a.self, 0, &number, &code, &index) == HEDDLE_EBODY);
    CHECK(number == 1 && code == 7 && index == 3);
    CHECK(passed(&a, 0) == 3);
    p.fail_at = 0;
    CHECK_OK(NULL, a.span(a.self, 0,
                          &(heddle_span_work){.table = &points,
                                              .params = &p,
                                              .params_bytes = sizeof p,
                                              .n_dims = 2,
                                              .end = 1,
                                              .end_2 = 1,
                                              .tile = 1,
                                              .tile_2 = 1}));
    CHECK(a.poll(a.self, 0, &code, &index) == HEDDLE_EBODY && index == 0);
    put_point(&a, 0, 4);
    CHECK(passed(&a, 0) == 4);
    a.mem_free(a.self, p.seen, n_bytes);
    close_device(&a);
}

static heddle_status count_call(void *user, void *stream, const heddle_span_work *w)
{
    const params *p = w->params;
    CHECK(!stream && w->device == UINT32_MAX && w->begin == 2 && w->end_2 == 8);
    p->seen[0]++;
    return *(const heddle_status *)user;
}

static void check_call(void)
{
    const heddle_accelerator a = open_device("virtual:");
    params p = {a.mem_new(a.self, 256), 0};
    const heddle_span_work w = work_of(&p, 2, 4, 0, 8);
    heddle_status says = HEDDLE_OK;
    hd_virtual_open(p.seen, 256);
    p.seen[0] = 0;
    CHECK_OK(NULL, a.call(a.self, 0, count_call, &says, &w));
    put_point(&a, 0, 1);
    CHECK(passed(&a, 0) == 1);
    says = HEDDLE_EBODY;
    CHECK(a.call(a.self, 0, count_call, &says, &w) == HEDDLE_EBODY && p.seen[0] == 2);
    a.mem_free(a.self, p.seen, 256);
    close_device(&a);
}

/* ---- what is refused -------------------------------------------------------------------------------------------------- */

static void check_refused(void)
{
    const heddle_accelerator a = open_device("virtual:"), b = open_device("virtual:peers=0");
    uint8_t *p = a.mem_new(a.self, 256), *q = b.mem_new(b.self, 256);
    const heddle_copy c = {p, q, 1, 8, 8, 8, 0};
    CHECK(a.point(a.self, 0, 2) == HEDDLE_EINVAL);
    put_point(&a, 0, 1);
    CHECK(a.point(a.self, 0, 1) == HEDDLE_EINVAL);
    CHECK(b.follow(b.self, 0, a.self, 0, 2) == HEDDLE_EINVAL);
    CHECK(b.follow(b.self, 0, a.self, 1, 1) == HEDDLE_EINVAL);
    CHECK(a.reaches(a.self, a.self) && b.reaches(b.self, b.self));
    CHECK(!a.reaches(a.self, b.self) && !b.reaches(b.self, a.self));
    CHECK(a.copy_peer(a.self, 0, &c, b.self) == HEDDLE_EINVAL);
    a.mem_free(a.self, p, 256);
    b.mem_free(b.self, q, 256);
    close_device(&a);
    close_device(&b);
}

int main(void)
{
    check_order();
    check_follow();
    check_hang();
    check_copies();
    check_part_of_columns();
    check_failure();
    check_call();
    check_refused();
    puts("queues wait for one another");
    return 0;
}
