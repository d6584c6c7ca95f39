/* SPDX-License-Identifier: MIT */
/* peers.c - queues of GPUs, or of the parts of one, that wait for one another without the host. Matrices go through all of them in turn:
 * in, from one to the next, home. Each turns them by a body in two spans, behind a kernel that only takes time; a wait that is missing
 * gives other bytes than a plain loop. Then bodies that fail between points, points that are older than the ring of events, what is
 * refused, and when points were passed; last, rates.
 *
 *     peers GPUS         1: four parts of one; skipped if there are fewer, or if these do not reach one another */
#include "accelerator_bodies.h"
#include "backend/backend.h"
#include "check.h"
#include "rig.h"
#include "spin.h"

#include <unistd.h>

#define MOST_DEVICES 8u
#define BODIES 0u /* queues */
#define IN 1u
#define OUT 2u
#define N_ROUNDS 24u
#define N_ROWS 301u
#define WIDE 520u
#define EDGE 192u /* of the columns, a multiple of TILE_2 */
#define TILE 8u
#define TILE_2 64u
#define STAGE_STRIDE 2304u
#define N_BYTES (N_ROWS * WIDE * sizeof(float))
#define SPIN_NS 300000u
#define WAIT_MS 20000.0
#define RATE_BYTES (64ull << 20)

typedef struct unit {
    hd_device *device;
    heddle_accelerator a;
    uint64_t last[3]; /* points of its queues */
    float *in, *out;
    uint8_t *stage;
} unit;

static const hd_backend *backend;
static unit units[MOST_DEVICES];
static uint32_t n_units;

static void put_point(unit *u, uint32_t queue) { CHECK_OK(NULL, u->a.point(u->a.self, queue, ++u->last[queue])); }

static void follow(const unit *u, uint32_t queue, const unit *other, uint32_t other_queue, uint64_t number)
{
    CHECK_OK(NULL, u->a.follow(u->a.self, queue, other->a.self, other_queue, number));
}

static uint64_t passed(const unit *u, uint32_t queue)
{
    uint64_t number = 0, index;
    uint32_t code;
    CHECK_OK(NULL, u->a.passed(u->a.self, queue, &number, &code, &index));
    return number;
}

static void wait_for(const unit *u, uint32_t queue, uint64_t number)
{
    const double until = rig_ms() + WAIT_MS;
    uint64_t before = 0, now;
    while ((now = passed(u, queue)) < number) {
        CHECK(now >= before);
        before = now;
        CHECK_MSG(rig_ms() < until, "%s, queue %u: %llu of %llu points", u->a.name, queue, (unsigned long long)now,
                  (unsigned long long)number);
    }
    CHECK(now == u->last[queue] || number < u->last[queue]);
}

static void wait_for_all(void)
{
    for (uint32_t i = 0; i < n_units; i++)
        for (uint32_t q = 0; q < 3; q++)
            wait_for(&units[i], q, units[i].last[q]);
}

static void *new_memory(const unit *u, uint64_t n_bytes)
{
    void *p = u->a.mem_new(u->a.self, n_bytes);
    CHECK_MSG(p, "%llu bytes of %s", (unsigned long long)n_bytes, u->a.name);
    return p;
}

/* ---- opening ---------------------------------------------------------------------------------------------------------- */

static void open_units(uint32_t n_gpus)
{
    n_units = n_gpus == 1 ? 4 : n_gpus;
    for (uint32_t i = 0; i < n_units; i++) {
        heddle_config config = HEDDLE_CONFIG_INIT;
        unit *u = &units[i];
        config.device = n_gpus == 1 ? 0 : i;
        CHECK_OK(NULL, backend->open(&u->device, &config, NULL));
        CHECK_OK(NULL, backend->accelerator(u->device, i, n_gpus == 1 ? 4 : 1, &u->a, NULL));
        u->in = new_memory(u, N_BYTES);
        u->out = new_memory(u, N_BYTES);
        u->stage = new_memory(u, N_ROWS * STAGE_STRIDE);
    }
}

static void close_units(void)
{
    for (uint32_t i = 0; i < n_units; i++) {
        unit *u = &units[i];
        u->a.mem_free(u->a.self, u->in, N_BYTES);
        u->a.mem_free(u->a.self, u->out, N_BYTES);
        u->a.mem_free(u->a.self, u->stage, N_ROWS * STAGE_STRIDE);
        u->a.close(u->a.self, 0);
        backend->close(u->device);
    }
}

/* Of what was granted, all must be right; the rest is tested where it is granted. */
static void check_reach(void)
{
    for (uint32_t i = 0; i < n_units; i++)
        for (uint32_t k = 0; k < n_units; k++) {
            heddle_peer p = HEDDLE_PEER_NO;
            if (units[i].a.reaches(units[i].a.self, units[k].a.self))
                continue;
            CHECK_OK(NULL, heddle_device_get_peer(HEDDLE_CUDA, i, k, &p));
            CHECK_MSG(p != HEDDLE_PEER_VERIFIED, "%s and %s", units[i].a.name, units[k].a.name);
            if (p == HEDDLE_PEER_WRONG)
                SKIP("what %s copies from %s arrives wrong on this machine", units[i].a.name, units[k].a.name);
            SKIP("%s does not reach %s", units[i].a.name, units[k].a.name);
        }
}

/* ---- matrices through all units ------------------------------------------------------------------------------------------ */

static heddle_status spin(void *user, void *stream, const heddle_span_work *w)
{
    const unit *u = user;
    CHECK_MSG(u->a.name[5] == (char)('0' + w->device) && w->n_dims == 2, "device %u", w->device);
    return spin_launch(stream, 1, 32, 0, SPIN_NS) == cudaSuccess ? HEDDLE_OK : HEDDLE_EDEVICE;
}

static heddle_span_work cross_work(const looped_params *p, uint64_t begin_2, uint64_t end_2)
{
    const heddle_span_work w = {&looped, looped_cross, 0, p, sizeof *p, 2, 0, N_ROWS, begin_2, end_2, TILE, TILE_2, 0};
    return w;
}

/* Columns begin .. end - 1 of a matrix from the unit before. */
static void take_columns(unit *u, const unit *before, uint64_t begin, uint64_t end)
{
    const heddle_copy c = {u->in + begin,        before->out + begin,  N_ROWS, (end - begin) * sizeof(float),
                           WIDE * sizeof(float), WIDE * sizeof(float), 0};
    CHECK_OK(NULL, u->a.copy_peer(u->a.self, IN, &c, before->a.self));
}

/* By way of rows with another stride, within the unit. */
static void take_in(unit *u, const float *home)
{
    const uint64_t row = WIDE * sizeof(float);
    const heddle_copy in = {u->stage, home, N_ROWS, row, STAGE_STRIDE, row, 1},
                      within = {u->in, u->stage, N_ROWS, row, row, STAGE_STRIDE, 0};
    CHECK_OK(NULL, u->a.copy(u->a.self, IN, &in));
    CHECK_OK(NULL, u->a.copy_peer(u->a.self, IN, &within, u->a.self));
}

/* A matrix comes in when the body of the round before has read the last one. */
static void put_in(unit *u, uint64_t round, const float *home)
{
    follow(u, IN, u, BODIES, round);
    if (u == units) {
        take_in(u, home);
    } else {
        follow(u, IN, u - 1, BODIES, round + 1);
        take_columns(u, u - 1, 0, 100);
        take_columns(u, u - 1, 100, WIDE);
    }
    put_point(u, IN);
}

/* The body writes when the next unit, or the copy home, has read what it wrote in the round before. */
static void put_bodies(unit *u, uint64_t round)
{
    looped_params p = {.in = u->in, .out = u->out, .n = N_ROWS, .n_2 = WIDE, .by = 0.75f};
    const heddle_span_work left = cross_work(&p, 0, EDGE), right = cross_work(&p, EDGE, WIDE);
    follow(u, BODIES, u, IN, round + 1);
    if (u == units + n_units - 1)
        follow(u, BODIES, u, OUT, round);
    else
        follow(u, BODIES, u + 1, IN, round);
    CHECK_OK(NULL, u->a.call(u->a.self, BODIES, spin, u, &left));
    CHECK_OK(NULL, u->a.span(u->a.self, BODIES, &left));
    CHECK_OK(NULL, u->a.span(u->a.self, BODIES, &right));
    put_point(u, BODIES);
}

static void put_home(unit *u, uint64_t round, float *home)
{
    const heddle_copy c = {home, u->out, 1, N_BYTES, N_BYTES, N_BYTES, 0};
    follow(u, OUT, u, BODIES, round + 1);
    CHECK_OK(NULL, u->a.copy(u->a.self, OUT, &c));
    put_point(u, OUT);
}

static void compare(const float *in, const float *got, uint64_t round)
{
    float *a = hd_new(N_BYTES), *b = hd_new(N_BYTES), *other;
    CHECK(a && b);
    memcpy(a, in, N_BYTES);
    for (uint32_t i = 0; i < n_units; i++) {
        looped_params p = {.in = a, .out = b, .n = N_ROWS, .n_2 = WIDE, .by = 0.75f};
        (void)looped_plain(looped_cross, &p, TILE, TILE_2);
        other = a;
        a = b;
        b = other;
    }
    for (uint64_t i = 0; i < N_ROWS * WIDE; i++)
        CHECK_MSG(!memcmp(&a[i], &got[i], sizeof *a), "round %llu, element %llu: %.9g, not %.9g",
                  (unsigned long long)round, (unsigned long long)i, (double)got[i], (double)a[i]);
    hd_delete(a, N_BYTES);
    hd_delete(b, N_BYTES);
}

static void relay(void)
{
    const uint64_t n = N_ROWS * WIDE, all = N_ROUNDS * N_BYTES;
    float *in = hd_new(all), *out = hd_new(all);
    uint64_t random = 5;
    double since;
    CHECK(in && out);
    for (uint64_t i = 0; i < N_ROUNDS * n; i++)
        in[i] = (float)check_below(&random, 1u << 24) / 977.0f;
    CHECK_OK(NULL, backend->host_pin(units->device, in, all, NULL));
    CHECK_OK(NULL, backend->host_pin(units->device, out, all, NULL));
    since = rig_ms();
    for (uint64_t r = 0; r < N_ROUNDS; r++) {
        for (uint32_t i = 0; i < n_units; i++) {
            put_in(&units[i], r, in + r * n);
            put_bodies(&units[i], r);
        }
        put_home(&units[n_units - 1], r, out + r * n);
    }
    printf("%u matrices through %u units: put in %.2f ms", N_ROUNDS, n_units, rig_ms() - since);
    wait_for_all();
    printf(", ended after %.2f ms; at least %.2f ms by what the bodies wait\n", rig_ms() - since,
           (N_ROUNDS + n_units - 1) * SPIN_NS / 1e6);
    for (uint64_t r = 0; r < N_ROUNDS; r++)
        compare(in + r * n, out + r * n, r);
    backend->host_unpin(units->device, in);
    backend->host_unpin(units->device, out);
    hd_delete(in, all);
    hd_delete(out, all);
}

/* ---- failures --------------------------------------------------------------------------------------------------------- */

static void put_failing(unit *u, looped_params *p, uint64_t begin)
{
    const heddle_span_work w = {&looped, looped_fails, 0, p, sizeof *p, 1, begin, begin + 20000, 0, 1, 1000, 1, 0};
    CHECK_OK(NULL, u->a.span(u->a.self, BODIES, &w));
    put_point(u, BODIES);
}

/* Of some spans, one fails: that is told once, with its index, when no point behind it has been told. */
static void fail(unit *u, uint64_t base, uint32_t n_spans, uint32_t which, uint32_t whole)
{
    const double until = rig_ms() + WAIT_MS;
    const uint64_t before = u->last[BODIES], at = base + which * 20000u + 7777u, want = whole ? at / 1000 * 1000 : at;
    looped_params p = {.n = UINT64_MAX, .n_2 = 1, .fail_at = at, .code = 9, .whole = whole};
    uint64_t number = 0, index = 0;
    uint32_t code = 0;
    heddle_status s;
    for (uint32_t i = 0; i < n_spans; i++)
        put_failing(u, &p, base + (uint64_t)i * 20000u);
    while ((s = u->a.passed(u->a.self, BODIES, &number, &code, &index)) == HEDDLE_OK) {
        CHECK_MSG(number <= before + which, "point %llu is told before its failure", (unsigned long long)number);
        CHECK_MSG(rig_ms() < until, "no failure is told");
    }
    CHECK_MSG(s == HEDDLE_EBODY, "%s", heddle_error_text(NULL));
    CHECK_MSG(code == 9 && index == want && number <= before + which, "code %u at %llu, not at %llu", code,
              (unsigned long long)index, (unsigned long long)want);
    wait_for(u, BODIES, u->last[BODIES]);
    p.fail_at = 0; /* which no span has */
    put_failing(u, &p, base + 1000);
    wait_for(u, BODIES, u->last[BODIES]);
}

static void fail_all(unit *u)
{
    const uint64_t bases[] = {1000, (1ull << 33) / 1000 * 1000};
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t whole = 0; whole < 2; whole++)
            for (uint32_t which = 0; which < 4; which++) {
                fail(u, bases[b], which + 1, which, whole);
                fail(u, bases[b], 4, which, whole);
                fail(u, bases[b], 40, which, whole);
            }
}

/* poll sees the failure, too, and passed then has nothing to tell. */
static void fail_by_poll(unit *u)
{
    looped_params p = {.n = UINT64_MAX, .n_2 = 1, .fail_at = 12345, .code = 9};
    uint64_t index = 0;
    uint32_t code = 0;
    heddle_status s;
    put_failing(u, &p, 1000);
    while ((s = u->a.poll(u->a.self, BODIES, &code, &index)) == HEDDLE_EBUSY)
        ;
    CHECK(s == HEDDLE_EBODY && code == 9 && index == 12345);
    CHECK(passed(u, BODIES) == u->last[BODIES]);
}

/* ---- many points, and what is refused ----------------------------------------------------------------------------------- */

static void check_ring(unit *u, unit *other)
{
    looped_params p = {.in = u->in, .out = u->out, .n = N_ROWS, .n_2 = WIDE, .by = 1};
    const heddle_span_work w = cross_work(&p, 0, EDGE);
    const uint64_t first = u->last[BODIES] + 1;
    CHECK_OK(NULL, u->a.call(u->a.self, BODIES, spin, u, &w));
    for (uint32_t i = 0; i < 700; i++) {
        if (i % 100 == 0)
            CHECK_OK(NULL, u->a.call(u->a.self, BODIES, spin, u, &w));
        put_point(u, BODIES);
    }
    follow(other, IN, u, BODIES, first); /* older than the ring */
    put_point(other, IN);
    wait_for(other, IN, other->last[IN]);
    CHECK(passed(u, BODIES) >= first);
    wait_for(u, BODIES, u->last[BODIES]);
}

static void refuse(unit *u, unit *other)
{
    CHECK(u->a.point(u->a.self, OUT, u->last[OUT] + 2) == HEDDLE_EINVAL);
    rig_says(NULL, "of a queue");
    CHECK(u->a.point(u->a.self, OUT, u->last[OUT]) == HEDDLE_EINVAL);
    CHECK(other->a.follow(other->a.self, OUT, u->a.self, OUT, u->last[OUT] + 1) == HEDDLE_EINVAL);
    put_point(u, OUT); /* nothing is lost */
    wait_for(u, OUT, u->last[OUT]);
}

/* ---- when ------------------------------------------------------------------------------------------------------------- */

static uint64_t time_of(const unit *u, uint32_t queue, uint64_t number)
{
    uint64_t ns = 0;
    CHECK_OK(NULL, u->a.passed_at(u->a.self, queue, number, &ns));
    return ns;
}

static int is_timed(const unit *u, uint32_t queue, uint64_t number)
{
    uint64_t ns;
    return u->a.passed_at(u->a.self, queue, number, &ns) == HEDDLE_OK;
}

/* A body of SPIN_NS, behind which another unit's queue goes on: times lie between what the host saw, and in the order of the queues. They
 * are the same by the clock of a later second. */
static void check_times(unit *u, unit *other)
{
    looped_params p = {.in = u->in, .out = u->out, .n = N_ROWS, .n_2 = WIDE, .by = 1};
    const heddle_span_work w = cross_work(&p, 0, EDGE);
    const uint64_t slack_ns = 100000;
    uint64_t put_ns, seen_ns, a, b;
    CHECK(!is_timed(u, BODIES, 0) && !is_timed(other, IN, 0) && !is_timed(u, BODIES, u->last[BODIES]));
    put_point(u, BODIES);
    wait_for(u, BODIES, u->last[BODIES]);
    put_ns = heddle_host_clock_ns();
    CHECK_OK(NULL, u->a.call(u->a.self, BODIES, spin, u, &w));
    put_point(u, BODIES);
    follow(other, IN, u, BODIES, u->last[BODIES]);
    put_point(other, IN);
    wait_for(other, IN, other->last[IN]);
    wait_for(u, BODIES, u->last[BODIES]);
    seen_ns = heddle_host_clock_ns();
    a = time_of(u, BODIES, u->last[BODIES]);
    b = time_of(other, IN, other->last[IN]);
    printf("of %.1f us a body of %.1f us had ended after %.1f, what followed after %.1f",
           1e-3 * (double)(seen_ns - put_ns), 1e-3 * SPIN_NS, 1e-3 * (double)(int64_t)(a - put_ns),
           1e-3 * (double)(int64_t)(b - put_ns));
    CHECK(a + slack_ns > put_ns + SPIN_NS && a < b + slack_ns && b < seen_ns + slack_ns);
    CHECK(time_of(u, BODIES, u->last[BODIES] - 1u) < a);
    (void)usleep(1100000);
    b = time_of(u, BODIES, u->last[BODIES]);
    printf("; a second later by %.1f us\n", 1e-3 * (double)(int64_t)(b - a));
    CHECK(a < b + slack_ns && b < a + slack_ns);
    for (uint32_t i = 0; i < 256; i++)
        put_point(u, BODIES);
    wait_for(u, BODIES, u->last[BODIES]);
    CHECK(!is_timed(u, BODIES, u->last[BODIES] - 256u) && is_timed(u, BODIES, u->last[BODIES] - 255u));
}

/* ---- rates -------------------------------------------------------------------------------------------------------------- */

static double rate_of(unit *u, unit *from, const heddle_copy *c)
{
    const uint32_t n = 8;
    double since;
    CHECK_OK(NULL, u->a.copy_peer(u->a.self, IN, c, from->a.self));
    put_point(u, IN);
    wait_for(u, IN, u->last[IN]);
    since = rig_ms();
    for (uint32_t i = 0; i < n; i++)
        CHECK_OK(NULL, u->a.copy_peer(u->a.self, IN, c, from->a.self));
    put_point(u, IN);
    wait_for(u, IN, u->last[IN]);
    return 1e-6 * n * (double)(c->n_rows * c->row_bytes) / (rig_ms() - since);
}

static void measure(unit *u, unit *from)
{
    uint8_t *to_at = new_memory(u, RATE_BYTES), *from_at = new_memory(from, RATE_BYTES);
    const uint64_t rows[] = {65536, 4096, 512};
    const heddle_copy whole = {to_at, from_at, 1, RATE_BYTES, RATE_BYTES, RATE_BYTES, 0};
    double since;
    printf("from %s to %s: %.1f GB/s", from->a.name, u->a.name, rate_of(u, from, &whole));
    for (uint32_t i = 0; i < 3; i++) {
        const heddle_copy c = {to_at, from_at, RATE_BYTES / (2 * rows[i]), rows[i], 2 * rows[i], 2 * rows[i], 0};
        printf(", in rows of %u bytes %.1f", (unsigned)rows[i], rate_of(u, from, &c));
    }
    since = rig_ms();
    for (uint32_t i = 0; i < 200; i++) {
        put_point(from, OUT);
        follow(u, IN, from, OUT, from->last[OUT]);
        (void)passed(from, OUT);
    }
    printf("; %.2f us of the host for point, follow and passed\n", (rig_ms() - since) * 1e3 / 200);
    put_point(u, IN);
    wait_for(u, IN, u->last[IN]);
    u->a.mem_free(u->a.self, to_at, RATE_BYTES);
    from->a.mem_free(from->a.self, from_at, RATE_BYTES);
}

int main(int argc, char **argv)
{
    const uint32_t n_gpus = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
    CHECK(n_gpus >= 1 && n_gpus <= MOST_DEVICES);
    backend = hd_backend_of(HEDDLE_CUDA);
    if (!backend || backend->count() < n_gpus)
        SKIP("%u GPUs are here, not %u", backend ? backend->count() : 0, n_gpus);
    open_units(n_gpus);
    check_reach();
    relay();
    fail_all(&units[n_units - 1]);
    fail_by_poll(&units[0]);
    check_ring(&units[0], &units[1]);
    refuse(&units[0], &units[1]);
    check_times(&units[0], &units[1]);
    measure(&units[1], &units[0]);
    measure(&units[0], &units[0]);
    close_units();
    puts("queues wait for one another  ok");
    return 0;
}
