/* SPDX-License-Identifier: MIT */
/* uneven.c - a loop of which each grain takes a core a hundred times as long as a quick device takes for all. The core gives its grain up half-way:
 * the loop ends long before the core would have had it, and all bytes are right. A loop that reads what it writes goes on to the
 * end of the grain, and has the right bytes, too. Later the cores are left out, and rest. When the device is lost, both run the loop.
 *
 * The device is played by its manager's thread. The body sleeps on a core, and does not on the device. */
#include "check.h"
#include "heddle/loop.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define ROWS 60u
#define COLUMNS 64u
#define NAP_NS 4000000  /* of an index on a core: a grain takes 256 ms */
#define SPAN_NS 1000000 /* of a slice on the device */
#define GRAIN_NS (1.0 * NAP_NS * COLUMNS)
#define MOST_TRIES 5

typedef struct params {
    uint64_t *out;
} params;

static _Thread_local int is_device;
static long nap_ns = NAP_NS;
static int fails; /* the device does, from now on */

static void sleep_on_core(void)
{
    const struct timespec nap = {0, nap_ns};
    if (!is_device)
        (void)nanosleep(&nap, NULL);
}

HEDDLE_LOOP(slow_line, params, p, s)
{
    (void)thread;
    for (uint64_t i = s->begin; i < s->end; i++) {
        sleep_on_core();
        p->out[i] = 3 * i + 1;
    }
}

HEDDLE_LOOP(slow_field, params, p, s)
{
    (void)thread;
    for (uint64_t i = s->begin; i < s->end; i++)
        for (uint64_t j = s->begin_2; j < s->end_2; j++) {
            sleep_on_core();
            p->out[i * COLUMNS + j] = 3 * (i * COLUMNS + j) + 1;
        }
}

HEDDLE_LOOP(slow_sums, params, p, s)
{
    (void)thread;
    for (uint64_t i = s->begin; i < s->end; i++) {
        sleep_on_core();
        p->out[i] += 3 * i + 1;
    }
}

#define SLOW_LOOPS(X) X(slow_line, 0) X(slow_field, 0) X(slow_sums, 0)
HEDDLE_ENUM(slow, SLOW_LOOPS)
HEDDLE_LOOP_TABLE(slow, params, SLOW_LOOPS)

/* ---- the device ------------------------------------------------------------------------------------------------------- */

static void *memory; /* its buffer for slices, which the fleet does not free when it is lost */

static void *mem_new(void *self, uint64_t n_bytes)
{
    (void)self;
    CHECK(!memory);
    return memory = malloc(n_bytes);
}

static void mem_free(void *self, void *p, uint64_t n_bytes)
{
    (void)self, (void)n_bytes;
    CHECK(p == memory);
    free(memory);
    memory = NULL;
}

static heddle_status copy(void *self, uint32_t queue, const heddle_copy *c)
{
    uint64_t i;
    (void)self, (void)queue;
    for (i = 0; i < c->n_rows; i++)
        memcpy((char *)c->to + i * c->to_stride, (const char *)c->from + i * c->from_stride, c->row_bytes);
    return HEDDLE_OK;
}

static heddle_status span(void *self, uint32_t queue, const heddle_span_work *w)
{
    heddle_failure failure = {0};
    heddle_thread thread = heddle_thread_alone(&failure, NULL);
    const heddle_span s = {w->begin, w->end, w->begin_2, w->end_2, w->begin / w->tile};
    (void)self, (void)queue;
    if (fails)
        return HEDDLE_EDEVICE;
    (void)nanosleep(&(struct timespec){0, SPAN_NS}, NULL); /* the core's thread wakes meanwhile */
    is_device = 1;
    w->table->bodies[w->body].run(&thread, w->params, &s);
    is_device = 0;
    return HEDDLE_OK;
}

static heddle_status poll_queue(void *self, uint32_t queue, uint32_t *code, uint64_t *index)
{
    (void)self, (void)queue, (void)code, (void)index;
    return HEDDLE_OK;
}

static void close_device(void *self, int is_lost)
{
    CHECK(is_lost || !memory);
    mem_free(self, memory, 0);
}

static heddle_fleet *open_fleet(const char *cores)
{
    heddle_accelerator a = HEDDLE_ACCELERATOR_INIT;
    heddle_fleet *f = NULL;
    a.name = "quick";
    a.memory_bytes = 1 << 22;
    a.takes_strides = 1;
    a.weight = 1000;
    a.mem_new = mem_new;
    a.mem_free = mem_free;
    a.copy = copy;
    a.span = span;
    a.poll = poll_queue;
    a.close = close_device;
    CHECK_OK(NULL, heddle_fleet_open(&f, cores, NULL));
    CHECK_OK(NULL, heddle_fleet_add(f, &a));
    return f;
}

/* ---- cases ------------------------------------------------------------------------------------------------------------ */

static heddle_loop *make_loop(heddle_fleet *f, uint32_t body, heddle_array **out)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_loop_desc loop = HEDDLE_LOOP_INIT;
    heddle_access access;
    heddle_loop *l = NULL;
    const int is_field = body == slow_field;
    d.n_rows = is_field ? ROWS : ROWS * COLUMNS;
    d.row_bytes = sizeof(uint64_t) * (is_field ? COLUMNS : 1);
    CHECK_OK(NULL, heddle_array_new(f, &d, out));
    access = (heddle_access)HEDDLE_ROWS(*out, body == slow_sums ? HEDDLE_MODE_INOUT : HEDDLE_MODE_OUT,
                                        offsetof(params, out), 0, 0);
    loop.body = body;
    loop.n = d.n_rows;
    loop.n_2 = is_field ? COLUMNS : 0;
    loop.tile = is_field ? 1 : COLUMNS;
    loop.tile_2 = is_field ? 1 : 0;
    loop.accesses = &access;
    loop.n_accesses = 1;
    CHECK_OK(NULL, heddle_loop_new(f, &slow, &loop, &l));
    return l;
}

/* Was it over so early, and without the core? */
static int run(heddle_loop *l, heddle_array *out, double most_ns)
{
    uint64_t *x = heddle_array_host(out), i;
    heddle_loop_stats stats = HEDDLE_LOOP_STATS_INIT;
    heddle_loop_unit core = HEDDLE_LOOP_UNIT_INIT;
    params p = {NULL};
    memset(x, 0, sizeof *x * ROWS * COLUMNS);
    CHECK_OK(NULL, heddle_loop_run(l, &p, sizeof p));
    CHECK_OK(NULL, heddle_loop_get_stats(l, &stats));
    CHECK_OK(NULL, heddle_loop_get_unit(l, 0, &core));
    for (i = 0; i < ROWS * COLUMNS; i++)
        CHECK_MSG(x[i] == 3 * i + 1, "index %llu: %llu", (unsigned long long)i, (unsigned long long)x[i]);
    if (core.n_slices == 0 && (double)stats.time_ns < most_ns)
        return 1;
    printf("%.1f ms instead of %.1f: %s", (double)stats.time_ns / 1e6, most_ns / 1e6, heddle_loop_how(l));
    return 0;
}

/* Two runs; the second one knows the core. */
static int is_given_up(uint32_t body)
{
    heddle_fleet *f = open_fleet("cpu:1");
    heddle_array *out = NULL;
    heddle_loop *l = make_loop(f, body, &out);
    const int is_first = run(l, out, 0.8 * GRAIN_NS), is_second = run(l, out, 0.4 * GRAIN_NS);
    heddle_loop_free(l);
    heddle_array_free(out);
    heddle_fleet_close(f);
    return is_first && is_second;
}

/* Where other programs have the processors, a thread may be late. */
static void check(uint32_t body)
{
    int n = 0;
    while (n < MOST_TRIES && !is_given_up(body))
        n++;
    CHECK(n < MOST_TRIES);
}

/* ---- cores that rest -------------------------------------------------------------------------------------------------- */

static uint64_t n_slices(const heddle_loop *l, uint32_t unit)
{
    heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
    CHECK_OK(NULL, heddle_loop_get_unit(l, unit, &u));
    return u.n_slices;
}

static int are_told(const heddle_loop *l)
{
    const char *how = heddle_loop_how((heddle_loop *)l), *first = strstr(how, "left out");
    return strstr(how, "each of cpu:0 to 1") || (first && strstr(first + 1, "left out"));
}

static void check_rest(void)
{
    heddle_fleet *f = open_fleet("cpu:2");
    heddle_array *out = NULL;
    heddle_loop *l = make_loop(f, slow_line, &out);
    int n = 0;
    while (n < MOST_TRIES && !(run(l, out, HUGE_VAL) && n_slices(l, 1) == 0 && run(l, out, HUGE_VAL) && are_told(l)))
        n++;
    CHECK_MSG(n < MOST_TRIES, "%s", heddle_loop_how(l));
    nap_ns = 20000;
    fails = 1;
    (void)run(l, out, HUGE_VAL);
    CHECK_MSG(n_slices(l, 0) && n_slices(l, 1), "%s", heddle_loop_how(l));
    heddle_loop_free(l);
    heddle_array_free(out);
    heddle_fleet_close(f);
}

int main(void)
{
    check(slow_field);
    check(slow_line);
    (void)is_given_up(slow_sums);
    check_rest();
    return 0;
}
