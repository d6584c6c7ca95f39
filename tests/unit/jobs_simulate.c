/* SPDX-License-Identifier: MIT */
/* jobs_simulate.c - how well jobs are spread over 1 to 64 GPUs, and how many bytes that moves, in virtual time: no clock is read, so the
 * limits hold on any machine. GPUs, links and costs are about those of a host with H200s; then those of the machines of the paper. The
 * values reached are some thousandths above the limits. With HEDDLE_VERBOSE=1 it prints all of them. */
#include "base/base.h"
#include "check.h"
#include "heddle/simulate.h"

#include <math.h>
#include <string.h>

#define MOST 64u
#define FLOPS 51e3   /* a nanosecond: fp32 matmul on one GPU */
#define CELLS 1428.0 /* the same of hotspot */
#define GRAINS 3e-4  /* the same of ep */
#define GIB (1ull << 30)

typedef struct machine {
    heddle_simulated_gpu gpus[MOST];
    heddle_jobs_simulation d;
} machine;

static int is_verbose;

static machine machine_of(heddle_simulated_job job, uint64_t n, uint32_t n_devices, double rate)
{
    const heddle_jobs_simulation none = HEDDLE_JOBS_SIMULATION_INIT;
    machine m;
    memset(&m, 0, sizeof m);
    m.d = none;
    m.d.job = job;
    m.d.n = n;
    m.d.n_devices = n_devices;
    m.d.memory_ns = 134;
    for (uint32_t i = 0; i < n_devices; i++) {
        m.gpus[i].rate = rate;
        m.gpus[i].in = (heddle_simulated_link){55, 2900};
        m.gpus[i].out = (heddle_simulated_link){50, 2900};
        m.gpus[i].port = (heddle_simulated_link){380, 2900};
    }
    return m;
}

static machine matmul(uint64_t n, uint32_t n_devices)
{
    return machine_of(HEDDLE_SIMULATED_JOB_MATMUL, n, n_devices, FLOPS);
}

static machine hotspot(uint64_t n, uint32_t n_steps, uint32_t n_devices)
{
    machine m = machine_of(HEDDLE_SIMULATED_JOB_HOTSPOT, n, n_devices, CELLS);
    m.d.n_steps = n_steps;
    return m;
}

static machine ep(uint32_t n_devices) { return machine_of(HEDDLE_SIMULATED_JOB_EP, 65536, n_devices, GRAINS); }

static void cut_off(machine *m)
{
    for (uint32_t i = 0; i < m->d.n_devices; i++)
        m->gpus[i].port.bytes_ns = 0;
}

static void set_pools(machine *m, uint64_t n_bytes)
{
    for (uint32_t i = 0; i < m->d.n_devices; i++)
        m->gpus[i].pool_bytes = n_bytes;
}

/* ---- links -------------------------------------------------------------------------------------------------------------- */

#define OVER_MODEL 1.1 /* what a link may carry, over what it has to */

/* What comes to a device that has so much of the result: its rows, what all devices need, and in each step a row at each border, which may be between any
 * two tasks under `fixed`. */
static double least_of(const machine *m, const heddle_simulated_jobs *r, double part)
{
    const double row = 4.0 * (double)m->d.n, all = row * (double)m->d.n, times = m->d.keeps ? 1 : m->d.n_steps;
    const double borders = (m->d.map == HEDDLE_MAP_FIXED ? m->d.n_tasks : m->d.n_devices) - 1.0;
    switch (m->d.job) {
    case HEDDLE_SIMULATED_JOB_MATMUL: return part * r->blocks_2 * all + r->blocks * all;
    case HEDDLE_SIMULATED_JOB_HOTSPOT: return part * 2 * all * times + borders * row * m->d.n_steps;
    default: return 0;
    }
}

/* All bytes cross links of the host once, or as often as devices do not reach one another and pools are small. What a device has of others
 * does not come from the host, too. Where shares were changed, rows of the former ones have come as well. */
static void check_links(const machine *m, const heddle_simulated_jobs *r, const heddle_simulated_gpu_use *uses)
{
    const double times = m->d.keeps ? 1 : m->d.n_steps;
    uint64_t peers = 0, sent = 0;
    CHECK_MSG((double)r->bytes_in <= OVER_MODEL * times * (double)r->least_in, "%s: in %.3f of %.3f GB",
              heddle_simulated_job_name(m->d.job), (double)r->bytes_in / 1e9, times * (double)r->least_in / 1e9);
    for (uint32_t i = 0; i < m->d.n_devices; i++) {
        const heddle_simulated_gpu_use *u = &uses[i];
        const double came = (double)(u->bytes_in + u->bytes_peers);
        const double least = least_of(m, r, (double)u->bytes_out / (double)r->bytes_out);
        CHECK_MSG(r->n_moves || came <= OVER_MODEL * least, "%s on %u, %s: in %.3f, from others %.3f of %.3f GB",
                  heddle_simulated_job_name(m->d.job), m->d.n_devices, heddle_map_name(m->d.map),
                  (double)u->bytes_in / 1e9, (double)u->bytes_peers / 1e9, least / 1e9);
        peers += u->bytes_peers;
        sent += u->bytes_sent;
    }
    CHECK(peers == r->bytes_peers && sent == peers);
}

/* What devices did is in uses, if it is not NULL. */
static heddle_simulated_jobs simulate(machine *m, heddle_simulated_gpu_use *uses)
{
    heddle_simulated_jobs r = HEDDLE_SIMULATED_JOBS_INIT;
    heddle_simulated_gpu_use all[MOST];
    m->d.devices = m->gpus;
    CHECK_OK(NULL, heddle_simulate_jobs(&m->d, &r, all));
    check_links(m, &r, all);
    if (uses)
        memcpy(uses, all, m->d.n_devices * sizeof *uses);
    CHECK_MSG((double)r.time_ns >= 0.999 * r.rates_ns, "%.3f of %.3f ms", (double)r.time_ns / 1e6, r.rates_ns / 1e6);
    if (is_verbose)
        printf("%s %llu on %u, %s, %u tasks: %.2f ms, %.4f of the bound (%.4f of the rates), in %.3f of %.3f GB, out "
               "%.3f, "
               "peers %.3f, %llu slices, %llu moves, %llu ops\n",
               heddle_simulated_job_name(m->d.job), (unsigned long long)m->d.n, m->d.n_devices,
               heddle_map_name(m->d.map), m->d.n_tasks, (double)r.time_ns / 1e6, r.bound_ns / (double)r.time_ns,
               r.rates_ns / (double)r.time_ns, (double)r.bytes_in / 1e9, (double)r.least_in / 1e9,
               (double)r.bytes_out / 1e9, (double)r.bytes_peers / 1e9, (unsigned long long)r.n_slices,
               (unsigned long long)r.n_moves, (unsigned long long)r.n_ops);
    return r;
}

static double time_of(machine *m) { return (double)simulate(m, NULL).time_ns; }

static void check_bound(const char *what, uint32_t n, const heddle_simulated_jobs *r, double least)
{
    const double part = r->bound_ns / (double)r->time_ns;
    CHECK_MSG(part >= least, "%s on %u: %.4f of the bound, %.4f expected", what, n, part, least);
}

/* ---- matmul ------------------------------------------------------------------------------------------------------------- */

/* Each byte of A, B and C goes over a link of the host once. */
static void test_matmul(void)
{
    static const struct {
        uint32_t n_devices;
        double least;
    } rows[] = {{1, 0.99}, {2, 0.98}, {4, 0.97}, {16, 0.90}, {64, 0.90}};
    const uint64_t all = 32768ull * 32768 * 4;
    double one = 0;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        machine m = matmul(32768, rows[i].n_devices);
        const heddle_simulated_jobs r = simulate(&m, NULL);
        check_bound("matmul", rows[i].n_devices, &r, rows[i].least);
        CHECK_MSG(r.bytes_in == 2 * all && r.bytes_out == all, "in %llu, out %llu", (unsigned long long)r.bytes_in,
                  (unsigned long long)r.bytes_out);
        CHECK(r.bytes_peers == (rows[i].n_devices - 1ull) * all);
        one = i ? one : (double)r.time_ns;
        CHECK_MSG(rows[i].n_devices != 2 || one / (double)r.time_ns >= 1.9, "%.3f times", one / (double)r.time_ns);
        CHECK_MSG(rows[i].n_devices != 4 || one / (double)r.time_ns >= 3.75, "%.3f times", one / (double)r.time_ns);
    }
}

static void test_matmul_apart(void)
{
    for (uint32_t n = 1; n <= 16; n *= 2) {
        machine m = matmul(16384, n);
        heddle_simulated_jobs r;
        cut_off(&m);
        r = simulate(&m, NULL);
        CHECK_MSG(r.bytes_in == (n + 1ull) * GIB && !r.bytes_peers, "%u: %llu", n, (unsigned long long)r.bytes_in);
        check_bound("matmul without peers", n, &r, 0.89);
    }
}

/* A pool of an eighth of the data. */
static void test_matmul_out_of_core(void)
{
    for (uint32_t n = 1; n <= 4; n *= 2) {
        machine m = matmul(32768, n);
        heddle_simulated_gpu_use uses[MOST];
        heddle_simulated_jobs r;
        double words;
        set_pools(&m, 12 * GIB / 8 / n);
        r = simulate(&m, uses);
        words = (double)(r.blocks + r.blocks_2) * 32768.0 * 32768.0;
        CHECK_MSG((double)r.bytes_in <= 1.1 * 4 * words, "%.3f GB of %.3f", (double)r.bytes_in / 1e9, 4 * words / 1e9);
        CHECK(r.blocks * r.blocks_2 > 1 || n > 1);
        CHECK_MSG(r.rates_ns >= (n == 1 ? 0.967 : 0.88) * (double)r.time_ns, "%u: %.4f", n,
                  r.rates_ns / (double)r.time_ns);
        CHECK(r.bytes_out == 4 * GIB && uses[0].n_left > 0);
    }
}

/* What the next jobs use does not go home meanwhile: hardly more than C goes out. */
static void test_small_pools(void)
{
    static const uint64_t parts[] = {16, 32};
    for (uint32_t i = 0; i < 2; i++) {
        machine m = matmul(32768, 1);
        heddle_simulated_jobs r;
        set_pools(&m, 12 * GIB / parts[i]);
        r = simulate(&m, NULL);
        CHECK_MSG(r.rates_ns >= 0.91 * (double)r.time_ns, "a %uth: %.4f", (unsigned)parts[i],
                  r.rates_ns / (double)r.time_ns);
        CHECK_MSG((double)r.bytes_in <= 1.1 * (double)r.least_in && (double)r.bytes_out <= 1.2 * (double)(4 * GIB),
                  "a %uth: in %.3f of %.3f GB, out %.3f", (unsigned)parts[i], (double)r.bytes_in / 1e9,
                  (double)r.least_in / 1e9, (double)r.bytes_out / 1e9);
    }
}

/* ---- hotspot ------------------------------------------------------------------------------------------------------------ */

/* During steps nothing goes home, and of the peers come rows at the borders only. */
static void test_hotspot(void)
{
    double one = 0;
    for (uint32_t n = 1; n <= 4; n *= 2) {
        machine m = hotspot(32768, 1000, n);
        const uint64_t all = 32768ull * 32768 * 4, row = 32768ull * 4;
        const heddle_simulated_jobs r = simulate(&m, NULL);
        CHECK_MSG(r.bytes_in == 2 * all && r.bytes_out == all && !r.bytes_steps, "in %llu out %llu steps %llu",
                  (unsigned long long)r.bytes_in, (unsigned long long)r.bytes_out, (unsigned long long)r.bytes_steps);
        CHECK_MSG(r.bytes_peers <= 2 * (n - 1) * row * 1000, "%llu", (unsigned long long)r.bytes_peers);
        CHECK(!r.n_moves);
        check_bound("hotspot", n, &r, 0.97);
        one = n == 1 ? (double)(r.steps_ns - (uint64_t)r.first_ns) : one;
        CHECK_MSG(n != 4 || one / (double)(r.steps_ns - (uint64_t)r.first_ns) >= 3.6, "%.3f times",
                  one / (double)(r.steps_ns - (uint64_t)r.first_ns));
    }
}

/* Steps of 47 us: what is between a step and the next shows. */
static void test_short_steps(void)
{
    machine one = hotspot(8192, 1000, 1), two = hotspot(8192, 1000, 2), four = hotspot(8192, 1000, 4);
    const double alone = time_of(&one);
    CHECK_MSG(alone / time_of(&two) >= 1.8, "%.3f times", alone / time_of(&two));
    CHECK_MSG(alone / time_of(&four) >= 1.9, "%.3f times", alone / time_of(&four));
}

/* If nothing is kept, all data cross the links at each step. */
static void test_forgetting(void)
{
    machine kept = hotspot(4096, 50, 2), fresh = kept;
    heddle_simulated_jobs r;
    const double time = time_of(&kept);
    const uint64_t all = 4096ull * 4096 * 4;
    fresh.d.keeps = 0;
    fresh.d.map = HEDDLE_MAP_FREE;
    r = simulate(&fresh, NULL);
    CHECK_MSG(r.bytes_out == 50 * all && r.bytes_in >= 50 * 2 * all, "%llu", (unsigned long long)r.bytes_in);
    CHECK((double)r.time_ns > 5 * time);
}

/* Both kinds of jobs, there and back, have the same mapping. */
static void test_fixed(void)
{
    machine m = hotspot(8192, 300, 2);
    heddle_simulated_jobs r;
    m.d.map = HEDDLE_MAP_FIXED;
    m.d.n_tasks = 16;
    m.gpus[1].rate /= 2;
    r = simulate(&m, NULL);
    CHECK_MSG(r.bytes_peers <= 300ull * 2 * 16 * 8192 * 4, "%llu", (unsigned long long)r.bytes_peers);
    CHECK(!r.bytes_steps);
}

/* ---- ep ------------------------------------------------------------------------------------------------------------------- */

static void test_ep(void)
{
    machine one = ep(1);
    const double alone = time_of(&one);
    for (uint32_t n = 2; n <= MOST; n *= 4) {
        machine m = ep(n);
        const heddle_simulated_jobs r = simulate(&m, NULL);
        CHECK(!r.bytes_in && !r.bytes_peers && r.bytes_out == 65536 * 96);
        CHECK_MSG(alone / (double)r.time_ns >= (n < 32 ? 0.975 : 0.9) * n, "%u: %.3f times", n,
                  alone / (double)r.time_ns);
    }
}

/* ---- unequal devices -------------------------------------------------------------------------------------------------------- */

static void slow_down(machine *m, double part, int says_so)
{
    m->gpus[1].rate *= part;
    m->gpus[0].weight = 1;
    m->gpus[1].weight = says_so ? part : 1;
}

/* Of two devices, where the data sheet says how they differ, or not: against equal halves, and the faster one alone. */
static void check_unequal(machine m, double part, int says_so, double allowed)
{
    machine halves = m, alone = m;
    double settled, equal;
    slow_down(&m, part, says_so);
    slow_down(&halves, part, says_so);
    halves.d.map = HEDDLE_MAP_STATIC;
    alone.d.n_devices = 1;
    settled = time_of(&m);
    equal = time_of(&halves);
    CHECK_MSG(settled <= allowed * 2 * part / (1 + part) * equal, "%s 1 : %.2f: %.3f of equal halves, %.3f expected",
              heddle_simulated_job_name(m.d.job), part, settled / equal, allowed * 2 * part / (1 + part));
    CHECK_MSG(settled <= 1.001 * time_of(&alone), "%s 1 : %.2f: slower than one", heddle_simulated_job_name(m.d.job),
              part);
}

static void test_unequal(void)
{
    static const double parts[] = {0.5, 0.25};
    for (uint32_t i = 0; i < 2; i++) {
        check_unequal(matmul(16384, 2), parts[i], 1, 1.08);
        check_unequal(matmul(32768, 2), parts[i], 1, 1.05);
        check_unequal(ep(2), parts[i], 1, 1.05);
        check_unequal(hotspot(32768, 3000, 2), parts[i], 0, 1.12); /* the first fetch is the same for all */
        check_unequal(hotspot(32768, 3000, 2), parts[i], 1, 1.12);
    }
}

/* Equal devices do not change shares because of what differs by chance. */
static void test_settled(void)
{
    for (uint32_t tasks = 0; tasks <= 8; tasks += 4) {
        machine m = hotspot(16384, 300, 4);
        m.d.n_tasks = tasks;
        CHECK_MSG(simulate(&m, NULL).n_moves <= 2, "%u tasks", tasks);
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------------- */

/* 2, 4, ... 128 slices a job: the last of these against the best. */
static void check_tasks(machine m, double allowed)
{
    double best = HUGE_VAL, last = 0;
    for (m.d.n_tasks = 2; m.d.n_tasks <= 128; m.d.n_tasks *= 2) {
        last = time_of(&m);
        best = last < best ? last : best;
    }
    CHECK_MSG(last <= allowed * best, "%s: %.3f of the best", heddle_simulated_job_name(m.d.job), last / best);
}

static void test_tasks(void)
{
    for (uint32_t n = 1; n <= 4; n *= 2) {
        machine whole = matmul(8192, n);
        whole.d.panels = 1;
        check_tasks(whole, 1.05);
        whole.d.map = HEDDLE_MAP_FREE;
        check_tasks(whole, 1.05);
    }
    check_tasks(matmul(16384, 4), 1.05);
    check_tasks(ep(4), 1.05);
    check_tasks(hotspot(32768, 100, 4), 1.15); /* 32 slices of 6 us each, and the ops for them */
}

/* Devices as 1 : 1/2 : 1/4, of which that is known or not. */
static machine unequal(machine m, int is_known, heddle_map map)
{
    for (uint32_t i = 0; i < m.d.n_devices; i++) {
        m.gpus[i].weight = is_known ? 0 : 1;
        m.gpus[i].rate /= (double)(1u << i);
    }
    m.d.map = map;
    return m;
}

/* Shares are kept, their ends are taken over: so it ends evenly from the first job on, and little moves. With 24 tasks the quickest one has
 * 14 of 13.7; two would be nearer. */
static void test_free(void)
{
    const uint64_t row = 8192 * 4;
    for (int is_known = 0; is_known < 2; is_known++) {
        machine once = unequal(ep(3), is_known, HEDDLE_MAP_FREE);
        machine panels = unequal(matmul(16384, 3), is_known, HEDDLE_MAP_FREE);
        machine step = unequal(hotspot(8192, 1, 3), is_known, HEDDLE_MAP_FREE);
        machine steps = unequal(hotspot(8192, 20, 3), is_known, HEDDLE_MAP_FREE), kept = steps;
        heddle_simulated_jobs r = simulate(&once, NULL);
        check_bound("ep, free", 3, &r, 0.975);
        r = simulate(&panels, NULL);
        check_bound("matmul, free", 3, &r, is_known ? 0.93 : 0.88);
        r = simulate(&step, NULL);
        check_bound("hotspot, free", 3, &r, 0.97);
        kept.d.map = HEDDLE_MAP_SETTLE;
        r = simulate(&steps, NULL);
        CHECK_MSG(r.bytes_peers <= 20 * 6 * row, "%llu", (unsigned long long)r.bytes_peers);
        CHECK((double)r.time_ns < 1.1 * time_of(&kept));
    }
}

/* ---- the paper's machines --------------------------------------------------------------------------------------------------- */

/* TITAN and GTX 680: `part` is how many times as quick the second one is, from the paper's times. They cannot reach one another. */
static machine titan(machine m, double rate, double part)
{
    m.d.memory_ns = 25;
    m.d.op_ns = 5000;
    m.d.hop_ns = 10000;
    m.d.body_ns = 5000;
    for (uint32_t i = 0; i < 2; i++) {
        m.gpus[i].rate = i ? rate * part : rate;
        m.gpus[i].weight = 1; /* of which their scheduler knows nothing */
        m.gpus[i].in = m.gpus[i].out = (heddle_simulated_link){10, 10000};
        m.gpus[i].port.bytes_ns = 0;
    }
    return m;
}

static void check_paper(const char *what, machine m, heddle_map map, uint32_t n_tasks, double paper)
{
    machine original = m;
    double part;
    original.d.map = HEDDLE_MAP_STATIC;
    original.d.n_tasks = 2;
    m.d.map = map;
    m.d.n_tasks = n_tasks;
    part = time_of(&m) / time_of(&original);
    if (is_verbose)
        printf("%s, %s: %.3f of the original's time, in the paper %.2f\n", what, heddle_map_name(map), part, paper);
    CHECK_MSG(fabs(part - paper) <= 0.06, "%s: %.3f, in the paper %.2f", what, part, paper);
}

static void test_paper(void)
{
    machine product = titan(matmul(8192, 2), 500, 0.613), none = titan(ep(2), 2.2e-6, 0.25);
    machine heat = titan(hotspot(8192, 200, 2), 16, 0.80), plain = heat;
    product.d.panels = 1;
    check_paper("matmul", product, HEDDLE_MAP_FREE, 8, 0.76);
    check_paper("ep", none, HEDDLE_MAP_FREE, 16, 0.40);
    check_paper("hotspot", heat, HEDDLE_MAP_SETTLE, 16, 0.89);
    plain.d.keeps = 0;
    plain.d.map = HEDDLE_MAP_FREE;
    plain.d.n_tasks = 8;
    CHECK(time_of(&plain) > 3 * time_of(&heat)); /* figure 14 c */
}

/* ---- what is refused ---------------------------------------------------------------------------------------------------------- */

static heddle_status status_of(const machine *m)
{
    heddle_simulated_jobs r = HEDDLE_SIMULATED_JOBS_INIT;
    heddle_jobs_simulation d = m->d;
    d.devices = m->gpus;
    return heddle_simulate_jobs(&d, &r, NULL);
}

static void test_refused(void)
{
    heddle_simulated_jobs r = HEDDLE_SIMULATED_JOBS_INIT;
    machine good = matmul(1024, 2), m = good;
    CHECK(heddle_simulate_jobs(NULL, &r, NULL) == HEDDLE_EINVAL);
    CHECK(heddle_simulate_jobs(&good.d, &r, NULL) == HEDDLE_EINVAL); /* no devices */
    CHECK(status_of(&good) == HEDDLE_OK);
    m.d.n = 0;
    CHECK(status_of(&m) == HEDDLE_EINVAL);
    m = good;
    m.gpus[1].rate = NAN;
    CHECK(status_of(&m) == HEDDLE_EINVAL);
    m = good;
    m.d.n_devices = 65;
    CHECK(status_of(&m) == HEDDLE_EINVAL);
    m = good;
    m.d.blocks = m.d.panels = 1;
    set_pools(&m, 1 << 16); /* a row of A and of C, and B */
    CHECK(status_of(&m) == HEDDLE_ERANGE && strstr(heddle_error_text(NULL), "more than a pool has"));
    CHECK(!heddle_simulated_job_name(HEDDLE_N_SIMULATED_JOBS));
}

/* The n-th allocation fails; nothing is lost. */
static void test_memory(void)
{
    machine m = hotspot(256, 4, 2);
    heddle_status s = HEDDLE_ENOMEM;
    uint64_t n;
    for (n = 1; n < 400 && s == HEDDLE_ENOMEM; n++) {
        hd_fail_alloc_at(n);
        s = status_of(&m);
    }
    hd_fail_alloc_at(0);
    CHECK_MSG(s == HEDDLE_OK && n > 20, "%llu: %s", (unsigned long long)n, heddle_status_text(s));
}

/* The same again. */
static void test_repeated(void)
{
    machine m = hotspot(8192, 50, 3);
    const heddle_simulated_jobs a = simulate(&m, NULL), b = simulate(&m, NULL);
    CHECK(!memcmp(&a, &b, sizeof a));
}

int main(void)
{
    is_verbose = getenv("HEDDLE_VERBOSE") != NULL;
    test_refused();
    test_memory();
    test_repeated();
    test_matmul();
    test_matmul_apart();
    test_matmul_out_of_core();
    test_small_pools();
    test_hotspot();
    test_short_steps();
    test_forgetting();
    test_fixed();
    test_ep();
    test_unequal();
    test_settled();
    test_tasks();
    test_free();
    test_paper();
    return 0;
}
