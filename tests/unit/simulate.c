/* SPDX-License-Identifier: MIT */
/* simulate.c - how well loops are divided, in virtual time: no clock is read, so the limits hold on any machine. Fleets of one GPU and
 * cores, of several, of a thousand units; loads of eight shapes; a unit that slows down, dies, hangs, or comes late; the machine of the
 * thesis. The values reached are some thousandths above the limits. With HEDDLE_VERBOSE=1 it prints all of them.
 *
 *     test_unit_simulate --table    prints bench/results/simulator.tsv: a thousand units, by load and way */
#include "base/base.h"
#include "check.h"
#include "heddle/simulate.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define MOST_KINDS 8u
#define N_TIMES 3u
#define MS 1e6

typedef struct fleet {
    const char *name;
    uint32_t n_kinds;
    heddle_simulated_kind kinds[MOST_KINDS];
    double reached
        [N_TIMES]; /* mean efficiency of cut, of loops of 2, 20 and 200 ms: what a prototype reached, less 0.01 */
} fleet;

#define DEVICE(n, model_, rate_, t0, least_)                                                                   \
    {                                                                                                          \
        .n_units = (n), .model = (model_), .rate = (rate_), .t0_ns = (t0), .most_flying = (t0) > 2000 ? 2 : 1, \
        .least = (least_), .may_hang = (t0) > 2000                                                             \
    }
static const fleet one_gpu = {
    "1 gpu 15 cores", 2, {DEVICE(1, 0, .1, 12000, 4096), DEVICE(15, 1, .002, 300, 64)}, {.958, .981, .985}};
static const fleet linked = {"1 gpu at its link 15 cores",
                             2,
                             {DEVICE(1, 0, 2.7, 25000, 65536), DEVICE(15, 1, .15, 300, 1024)},
                             {.950, .982, .988}};
static const fleet four_gpus = {
    "4 gpus 60 cores", 2, {DEVICE(4, 0, 2.7, 25000, 65536), DEVICE(60, 1, .06, 300, 1024)}, {.921, .979, .988}};
static const fleet thousand = {"1000 units",
                               5,
                               {DEVICE(200, 0, .001, 300, 1), DEVICE(200, 1, .002, 1000, 4),
                                DEVICE(200, 2, .005, 5000, 64), DEVICE(200, 3, .02, 12000, 512),
                                DEVICE(200, 4, .1, 25000, 4096)},
                               {0, 0, .98}}; /* the goal is 0.97 */
static const double times[N_TIMES] = {2 * MS, 20 * MS, 200 * MS};

static int is_verbose;

static double rate_of(const fleet *f)
{
    double sum = 0;
    for (uint32_t k = 0; k < f->n_kinds; k++)
        sum += f->kinds[k].rate * f->kinds[k].n_units;
    return sum;
}

static heddle_simulation of_fleet(const fleet *f, double time_ns, heddle_split way, heddle_shape shape)
{
    heddle_simulation d = HEDDLE_SIMULATION_INIT;
    d.kinds = f->kinds;
    d.n_kinds = f->n_kinds;
    d.n_grains = (uint64_t)(rate_of(f) * time_ns);
    d.split = way;
    d.shape = shape;
    return d;
}

/* Efficiency; what happened is in *out. */
static double simulate(const heddle_simulation *d, heddle_simulated *out, const char *name)
{
    const heddle_simulated none = HEDDLE_SIMULATED_INIT;
    double efficiency;
    *out = none;
    CHECK_OK(NULL, heddle_simulate(d, out, NULL, NULL));
    efficiency = out->ideal_ns / (double)out->time_ns;
    CHECK_MSG(efficiency > 0 && efficiency < 1.01, "%s: %.3f", name, efficiency); /* slices differ by their noise */
    if (is_verbose)
        printf("%s %.0f ms %s %s: %.3f, balance %.3f, %llu slices\n", name, out->ideal_ns / MS,
               heddle_shape_name(d->shape), heddle_split_name(d->split), efficiency,
               (double)out->first_ns / (double)out->time_ns, (unsigned long long)out->n_slices);
    return efficiency;
}

/* ---- ways against each other ----------------------------------------------------------------------------------------- */

/* static is told the true speeds here, which makes it the best way for even loads; of loops of 2 ms cut is 0.03 behind. */
static double allowed(double time_ns, heddle_shape shape)
{
    return shape == HEDDLE_SHAPE_EVEN && time_ns < 10 * MS ? 0.96 : 0.98;
}

/* cut against all others on one load: at least 0.98 of the best. The logarithms of its lead on hdss and guided are added up. */
static double against_others(const fleet *f, double time_ns, heddle_shape shape, double *lead_hdss, double *lead_guided)
{
    heddle_simulated r;
    const heddle_simulation mine = of_fleet(f, time_ns, HEDDLE_SPLIT_CUT, shape);
    const double cut = simulate(&mine, &r, f->name);
    for (uint32_t way = 0; way < HEDDLE_N_SPLITS; way++) {
        const heddle_simulation d = of_fleet(f, time_ns, (heddle_split)way, shape);
        const double other = simulate(&d, &r, f->name);
        CHECK_MSG(cut >= allowed(time_ns, shape) * other, "%s %.0f ms %s: %.3f, %s %.3f", f->name, time_ns / MS,
                  heddle_shape_name(shape), cut, heddle_split_name((heddle_split)way), other);
        if (shape != HEDDLE_SHAPE_EVEN) {
            *lead_hdss += way == HEDDLE_SPLIT_HDSS ? log(cut / other) : 0;
            *lead_guided += way == HEDDLE_SPLIT_GUIDED ? log(cut / other) : 0;
        }
    }
    return cut;
}

static void test_fleet(const fleet *f)
{
    for (uint32_t t = 0; t < N_TIMES; t++) {
        double mean = 0, hdss = 0, guided = 0, unused = 0;
        if (f->reached[t] <= 0)
            continue;
        for (heddle_shape shape = HEDDLE_SHAPE_EVEN; shape <= HEDDLE_SHAPE_ROUGH; shape++)
            mean += log(against_others(f, times[t], shape, &hdss, &guided)) / 4;
        if (t > 0) /* in 2 ms, four GPUs have 0.83 where hguided with its true speeds has 0.87 */
            against_others(f, times[t], HEDDLE_SHAPE_PEAK, &unused, &unused);
        CHECK_MSG(exp(mean) >= f->reached[t], "%s %.0f ms: %.4f", f->name, times[t] / MS, exp(mean));
        CHECK_MSG(exp(hdss / 3) >= 1.15, "%s %.0f ms: %.3f times hdss", f->name, times[t] / MS, exp(hdss / 3));
        CHECK_MSG(exp(guided / 3) >= 1.15, "%s %.0f ms: %.3f times guided", f->name, times[t] / MS, exp(guided / 3));
    }
}

/* Little of it is luck: other noise, other rough loads, later runs that know the speeds. */
static void test_seeds(void)
{
    const fleet *const fleets[] = {&one_gpu, &linked, &four_gpus};
    for (uint32_t i = 0; i < 3 * 8 * 4; i++) {
        heddle_simulated r;
        const fleet *f = fleets[i % 3];
        heddle_simulation d = of_fleet(f, 20 * MS, HEDDLE_SPLIT_CUT, (heddle_shape)(i / 3 % 4));
        double efficiency;
        d.seed = 100 + i;
        d.n_runs = 1 + i % 2;
        efficiency = simulate(&d, &r, f->name);
        CHECK_MSG(efficiency >= (d.shape == HEDDLE_SHAPE_ROUGH ? 0.88 : 0.96), "seed %llu: %.3f",
                  (unsigned long long)d.seed, efficiency);
    }
}

/* Each load, with the part of the time after which the first unit has nothing left; the goal is 0.97. Where grains get dearer, or differ at
 * random, the slowest units are left out at the end: their least slice would be the last to end. */
static void test_thousand(void)
{
    static const double balance[] = {0.97, 0.94, 0.97, 0.55};
    for (uint32_t shape = HEDDLE_SHAPE_EVEN; shape <= HEDDLE_SHAPE_ROUGH; shape++) {
        heddle_simulated r;
        const heddle_simulation d = of_fleet(&thousand, 200 * MS, HEDDLE_SPLIT_CUT, (heddle_shape)shape);
        const double efficiency = simulate(&d, &r, thousand.name);
        CHECK_MSG(efficiency >= 0.98, "%s: %.3f", heddle_shape_name(d.shape), efficiency);
        CHECK_MSG((double)r.first_ns >= balance[shape] * (double)r.time_ns, "%s: the first unit ends after %.3f",
                  heddle_shape_name(d.shape), (double)r.first_ns / (double)r.time_ns);
    }
}

/* A row of bench/results/simulator.tsv. The time is the processor's, because the machine may be busy. */
static void print_row(heddle_shape shape, heddle_split way)
{
    heddle_simulated r;
    const heddle_simulation d = of_fleet(&thousand, 200 * MS, way, shape);
    const clock_t begin = clock();
    const double efficiency = simulate(&d, &r, thousand.name), s = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%s\t%s\t%.4f\t%.4f\t%llu\t%llu\t%.4g\n", heddle_shape_name(shape), heddle_split_name(way), efficiency,
           (double)r.first_ns / (double)r.time_ns, (unsigned long long)r.n_slices, (unsigned long long)r.n_events,
           (double)r.n_events / s);
}

static void print_table(void)
{
    puts("load\tway\tefficiency\tbalance\tslices\tevents\tevents_s");
    for (uint32_t shape = HEDDLE_SHAPE_EVEN; shape <= HEDDLE_SHAPE_ROUGH; shape++)
        for (uint32_t way = 0; way < HEDDLE_N_SPLITS; way++)
            print_row((heddle_shape)shape, (heddle_split)way);
}

/* ---- trouble --------------------------------------------------------------------------------------------------------- */

typedef enum trouble { SLOW, DIE, HANG, JOIN } trouble;

/* The first unit of the fleet has it half-way. */
static double in_trouble(const fleet *f, double time_ns, trouble what, heddle_simulated *r)
{
    fleet g = *f;
    heddle_simulation d;
    if (f->kinds[0].n_units > 1) {
        memmove(&g.kinds[1], &f->kinds[0], f->n_kinds * sizeof *f->kinds);
        g.kinds[0].n_units = 1;
        g.kinds[1].n_units--;
        g.n_kinds++;
    }
    g.kinds[0].slow_ns = what == SLOW ? (uint64_t)(time_ns / 2) : 0;
    g.kinds[0].slow_to = 0.5;
    g.kinds[0].die_ns = what == DIE ? (uint64_t)(time_ns / 2) : 0;
    g.kinds[0].hang_ns = what == HANG ? (uint64_t)(time_ns / 2) : 0;
    g.kinds[0].join_ns = what == JOIN ? (uint64_t)(time_ns / 2) : 0;
    d = of_fleet(&g, time_ns, HEDDLE_SPLIT_CUT, HEDDLE_SHAPE_EVEN);
    return simulate(&d, r, f->name);
}

static void test_trouble(void)
{
    const fleet *const fleets[] = {&one_gpu, &linked, &four_gpus};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t t = 1; t < N_TIMES; t++) {
            heddle_simulated r;
            CHECK(in_trouble(fleets[i], times[t], SLOW, &r) >= 0.93);
            CHECK(in_trouble(fleets[i], times[t], DIE, &r) >= 0.90 && r.n_lost == 1);
            CHECK(in_trouble(fleets[i], times[t], JOIN, &r) >= 0.93);
        }
}

/* It is noticed after 128 times the predicted time and 100 ms; so much longer the loop takes, and no more. */
static void test_hang(void)
{
    heddle_simulated r;
    in_trouble(&four_gpus, 200 * MS, HANG, &r);
    CHECK_MSG(r.n_lost == 1 && r.n_again > 0 && (double)r.time_ns < 1.1 * r.ideal_ns + 128 * 10 * MS + 110 * MS,
              "%.1f ms", (double)r.time_ns / MS);
}

/* ---- the thesis ------------------------------------------------------------------------------------------------------ */

/* Table 3.1: the GPU is 36, 73 and 81 cores. Its speed rises up to blocks of 2.7 million (section 3.4.4), from where on doubling
 * them brings 1 %: a ramp of 54,000. Axel thinks too well of the GPU, as described there; static is told the truth; the engine's
 * qilin pays for its training.
 *
 * The fixed cost is 4 ms, and the load even, so cut loses a twentieth to slices that only uneven loads need. With few cores that is more
 * than these bring.
 *
 * Its figure 3.9: hdss is the one way that is never below the GPU alone, and the best; here that holds, too. The incremental ways lie
 * below. Of the static ones, true weights show what is lost to wrong ones: the thesis has no such row. */
static void test_thesis(void)
{
    static const double cores[] = {36, 73, 81};
    for (uint32_t app = 0; app < 3; app++)
        for (uint32_t n = 1; n < 64; n = 2 * n + 1) {
            const fleet f = {
                "thesis",
                2,
                {{.n_units = 1,
                  .rate = .013,
                  .t0_ns = 50000,
                  .ramp = 54000,
                  .least = 1024,
                  .may_hang = 1,
                  .weight = 4 * cores[app]},
                 {.n_units = n, .model = 1, .rate = .013 / cores[app], .t0_ns = 5000, .least = 1024, .weight = 1}},
                {0}};
            double e[HEDDLE_N_SPLITS];
            heddle_simulated r;
            for (uint32_t way = 0; way < HEDDLE_N_SPLITS; way++) {
                heddle_simulation d = of_fleet(&f, 62e6 / rate_of(&f), (heddle_split)way, HEDDLE_SHAPE_EVEN);
                e[way] = simulate(&d, &r, f.name);
                if (way == HEDDLE_SPLIT_HDSS || way == HEDDLE_SPLIT_CUT)
                    CHECK_MSG((double)r.time_ns < (way == HEDDLE_SPLIT_CUT ? 1.05 : 1.01) * r.best_ns,
                              "%s, %u cores: %.3f of the GPU alone", heddle_split_name((heddle_split)way), n,
                              r.best_ns / (double)r.time_ns);
            }
            CHECK_MSG(e[HEDDLE_SPLIT_HDSS] >= 0.96 && e[HEDDLE_SPLIT_HDSS] > e[HEDDLE_SPLIT_LINEAR] &&
                          e[HEDDLE_SPLIT_HDSS] > e[HEDDLE_SPLIT_AXEL] && e[HEDDLE_SPLIT_HDSS] > e[HEDDLE_SPLIT_QILIN] &&
                          e[HEDDLE_SPLIT_HDSS] > e[HEDDLE_SPLIT_EXPONENTIAL] &&
                          e[HEDDLE_SPLIT_CUT] >= 0.93 * e[HEDDLE_SPLIT_HDSS],
                      "%u cores: hdss %.3f linear %.3f axel %.3f qilin %.3f exponential %.3f cut %.3f", n,
                      e[HEDDLE_SPLIT_HDSS], e[HEDDLE_SPLIT_LINEAR], e[HEDDLE_SPLIT_AXEL], e[HEDDLE_SPLIT_QILIN],
                      e[HEDDLE_SPLIT_EXPONENTIAL], e[HEDDLE_SPLIT_CUT]);
        }
}

/* ---- the simulator itself -------------------------------------------------------------------------------------------- */

typedef struct seen {
    uint64_t n, sum;
} seen;

static void see(void *arg, uint32_t unit, uint64_t begin, uint64_t end, uint64_t began_ns, uint64_t ended_ns)
{
    seen *s = arg;
    CHECK(unit < 16 && begin < end && began_ns <= ended_ns);
    s->n += end - begin;
    s->sum = s->sum * 31 + ended_ns + unit;
}

/* Few grains, of which a core takes longer than all cores together can save: they are left out, and the loop is no slower than without
 * them. (mandel on one H100 and 15 cores: a grain of two rows takes a core 0.6 ms, the GPU all in 3 ms.) */
static void test_few_grains(void)
{
    const fleet few = {"few grains", 2, {DEVICE(1, 0, 5.7e-4, 120000, 33), DEVICE(15, 1, 1.56e-6, 300, 1)}, {0, 0, 0}};
    for (uint32_t shape = 0; shape < HEDDLE_N_SHAPES; shape++) {
        heddle_simulation d = of_fleet(&few, 3 * MS, HEDDLE_SPLIT_CUT, (heddle_shape)shape);
        heddle_simulated both, alone;
        d.n_runs = 3;
        (void)simulate(&d, &both, few.name);
        d.n_kinds = 1;
        (void)simulate(&d, &alone, "alone");
        CHECK_MSG((double)both.time_ns <= 1.04 * (double)alone.time_ns, "%s: %.3f ms, %.3f ms alone",
                  heddle_shape_name(d.shape), (double)both.time_ns / MS, (double)alone.time_ns / MS);
    }
}

/* A GPU of 200 to 600 cores and few grains, of which some take a core as long as the GPU takes for all: never slower than the GPU alone, but
 * for what a first run has to find out. */
typedef struct uneven {
    double cores; /* that the GPU is as quick as */
    uint64_t n;   /* grains */
    double ms;    /* of the GPU alone */
    uint32_t n_cores;
    heddle_shape shape;
} uneven;

/* The time of the GPU alone over that of all. */
static double against_alone(const uneven *u, uint32_t n_runs, uint64_t seed)
{
    const double rate = (double)u->n / (u->ms * MS);
    fleet f = {"uneven", 2, {DEVICE(1, 0, rate, 10000, 33), DEVICE(0, 1, rate / u->cores, 300, 1)}, {0, 0, 0}};
    heddle_simulation d = HEDDLE_SIMULATION_INIT;
    heddle_simulated both, alone;
    f.kinds[0].least = u->n < 1000 ? 9 : 33;
    f.kinds[0].most_flying = 3;
    f.kinds[1].n_units = u->n_cores;
    d.kinds = f.kinds;
    d.n_kinds = 2;
    d.n_grains = u->n;
    d.shape = u->shape;
    d.n_runs = n_runs;
    d.seed = seed;
    (void)simulate(&d, &both, f.name);
    d.n_kinds = 1;
    (void)simulate(&d, &alone, "alone");
    return (double)alone.time_ns / (double)both.time_ns;
}

static void check_uneven(const uneven *u, uint32_t n_runs, uint64_t seed)
{
    const double part = against_alone(u, n_runs, seed);
    if (is_verbose)
        printf("uneven %s, a gpu of %.0f cores, %.0f ms, %llu grains, %u cores, run %u: %.3f\n",
               heddle_shape_name(u->shape), u->cores, u->ms, (unsigned long long)u->n, u->n_cores, n_runs, part);
    CHECK_MSG(part >= (n_runs == 1 ? 0.95 : 0.98),
              "%s, a gpu of %.0f cores, %.0f ms, %llu grains, %u cores, run %u, seed %llu: %.3f",
              heddle_shape_name(u->shape), u->cores, u->ms, (unsigned long long)u->n, u->n_cores, n_runs,
              (unsigned long long)seed, part);
}

static void test_uneven(void)
{
    static const double cores[] = {200, 600}, ms[] = {8, 60, 1000};
    static const uint64_t n[] = {128, 1024, 4096};
    for (uint32_t i = 0; i < 2u * 3u * 3u * 2u * HEDDLE_N_SHAPES; i += CHECK_IS_SLOW ? 5 : 1) {
        const uneven u = {cores[i % 2], n[i / 2 % 3], ms[i / 6 % 3], i / 18 % 2 ? 30 : 15, (heddle_shape)(i / 36)};
        for (uint32_t n_runs = 1; n_runs <= 4; n_runs++)
            check_uneven(&u, n_runs, 1 + i % 3);
    }
}

/* Rows of the Mandelbrot set, on a GPU and on 15 cores, which are 3 to 8 % of it. A slice takes the GPU at least as long as its dearest row
 * by itself. The results may cross a link. */
typedef struct wide {
    double cores, ms, width, t0_ns;
    uint64_t n, least;
} wide;

static heddle_simulation of_wide(const wide *w, heddle_simulated_kind kinds[2], const heddle_simulated_link *link)
{
    const double rate = (double)w->n / (w->ms * MS);
    heddle_simulation d = HEDDLE_SIMULATION_INIT;
    kinds[0] = (heddle_simulated_kind)DEVICE(1, 0, rate, w->t0_ns, w->least);
    kinds[1] = (heddle_simulated_kind)DEVICE(15, 1, rate / w->cores, 300, 1);
    kinds[0].width = w->width;
    kinds[0].most_flying = 3;
    kinds[0].link = link != NULL;
    d.kinds = kinds;
    d.n_kinds = 2;
    d.n_grains = w->n;
    d.shape = HEDDLE_SHAPE_HILL;
    d.links = link;
    d.n_links = link != NULL;
    d.bytes_out = 4.0 * (double)w->n; /* a square */
    return d;
}

static void check_wide(const wide *w, const heddle_simulated_link *link, uint32_t n_runs, uint64_t seed)
{
    heddle_simulated_kind kinds[2];
    heddle_simulation d = of_wide(w, kinds, link);
    heddle_simulated both, alone;
    double part;
    d.n_runs = n_runs;
    d.seed = seed;
    (void)simulate(&d, &both, "wide");
    d.n_kinds = 1;
    (void)simulate(&d, &alone, "alone");
    part = (double)alone.time_ns / (double)both.time_ns;
    if (is_verbose)
        printf("wide, a gpu of %.0f cores, %.0f ms, %llu rows, width %.0f%s, run %u: %.3f, %.2f ms alone\n", w->cores,
               w->ms, (unsigned long long)w->n, w->width, link ? ", linked" : "", n_runs, part,
               (double)alone.time_ns / MS);
    CHECK_MSG(part >= (n_runs == 1 ? 0.95 : 0.98),
              "a gpu of %.0f cores, %.0f ms, %llu rows, width %.0f, run %u, seed %llu: %.3f", w->cores, w->ms,
              (unsigned long long)w->n, w->width, n_runs, (unsigned long long)seed, part);
    CHECK_MSG(n_runs == 1 || link || alone.n_slices <= 8, "%llu slices", (unsigned long long)alone.n_slices);
}

static void test_wide(void)
{
    static const wide all[] = {{500, 12, 33, 15000, 8192, 33}, {500, 12, 66, 15000, 8192, 33},
                               {200, 12, 66, 15000, 8192, 33}, {350, 12, 66, 5000, 8192, 33},
                               {500, 12, 66, 50000, 8192, 33}, {500, 48, 17, 15000, 16384, 17},
                               {500, 190, 18, 15000, 32768, 9}};
    static const heddle_simulated_link link = {55, 5000};
    for (uint32_t i = 0; i < 2 * sizeof all / sizeof *all; i++)
        for (uint32_t n_runs = 1; n_runs <= 4; n_runs++)
            for (uint64_t seed = 1; seed <= (CHECK_IS_SLOW ? 1 : 4); seed++)
                check_wide(&all[i / 2], i % 2 ? &link : NULL, n_runs, seed);
}

/* On an even load 15 cores that are 10 % or more of a GPU take part in all runs, those that are 4 % in none but the first. */
static void test_worth(void)
{
    static const double parts[] = {0.04, 0.1, 0.25, 0.5};
    for (uint32_t i = 0; i < 4 * 3; i++) {
        const double part = parts[i / 3];
        const fleet f = {
            "worth", 2, {DEVICE(1, 0, .003, 15000, 256), DEVICE(15, 1, .003 * part / 15, 300, 1)}, {0, 0, 0}};
        heddle_simulation d = of_fleet(&f, 20 * MS, HEDDLE_SPLIT_CUT, HEDDLE_SHAPE_EVEN);
        heddle_simulated r;
        double efficiency;
        d.n_runs = 1 + i % 3;
        efficiency = simulate(&d, &r, f.name);
        CHECK_MSG(efficiency >= (part > 0.05 ? 0.98 : 0.95), "%.2f, run %u: %.3f", part, d.n_runs, efficiency);
        CHECK_MSG(r.n_left_out == (part < 0.05 && d.n_runs > 1 ? 15 : 0), "%.2f, run %u: %u are left out", part,
                  d.n_runs, r.n_left_out);
    }
}

static void test_links(void)
{
    fleet f = one_gpu;
    const heddle_simulated_link links[] = {{10, 5000}};
    heddle_simulation d = of_fleet(&f, 20 * MS, HEDDLE_SPLIT_CUT, HEDDLE_SHAPE_RAMP);
    heddle_simulated_unit units[16];
    heddle_simulated a = HEDDLE_SIMULATED_INIT;
    uint64_t bytes[2], again[2];
    seen one = {0, 0}, two = {0, 0};
    f.kinds[0].link = 1;
    f.kinds[0].most_flying = 3;
    d.links = links;
    d.n_links = 1;
    d.bytes_in = 200; /* the link lets the GPU have half of its speed */
    d.bytes_out = 8;
    d.ended = see;
    d.arg = &one;
    CHECK_OK(NULL, heddle_simulate(&d, &a, units, bytes));
    CHECK(one.n == d.n_grains && bytes[0] == 200 * units[0].n_grains && bytes[1] == 8 * units[0].n_grains);
    CHECK_MSG(a.ideal_ns > 1.5 * 20 * MS && (double)a.time_ns < a.ideal_ns / 0.9, "%.1f of %.1f ms",
              (double)a.time_ns / MS, a.ideal_ns / MS);
    d.arg = &two;
    CHECK_OK(NULL, heddle_simulate(&d, &a, units, again));
    CHECK(!memcmp(&one, &two, sizeof one) && !memcmp(bytes, again, sizeof bytes));
    two = (seen){0, 0};
    d.seed++;
    CHECK_OK(NULL, heddle_simulate(&d, &a, units, again));
    CHECK(one.sum != two.sum);
}

static void test_refused(void)
{
    fleet f = one_gpu;
    heddle_simulated r = HEDDLE_SIMULATED_INIT;
    heddle_simulation d = of_fleet(&f, 2 * MS, HEDDLE_SPLIT_CUT, HEDDLE_SHAPE_EVEN), none = HEDDLE_SIMULATION_INIT;
    CHECK(heddle_simulate(NULL, &r, NULL, NULL) == HEDDLE_EINVAL &&
          heddle_simulate(&none, &r, NULL, NULL) == HEDDLE_EINVAL);
    f.kinds[0].rate = NAN;
    CHECK(heddle_simulate(&d, &r, NULL, NULL) == HEDDLE_EINVAL);
    f = one_gpu;
    f.kinds[0].link = 1;
    CHECK(heddle_simulate(&d, &r, NULL, NULL) == HEDDLE_EINVAL);
    f = one_gpu;
    f.kinds[0].die_ns = f.kinds[1].die_ns = 1000;
    CHECK(heddle_simulate(&d, &r, NULL, NULL) == HEDDLE_EDEVICE && r.n_lost == 16);
    f = one_gpu;
    f.kinds[1].hang_ns = 1000;
    CHECK(heddle_simulate(&d, &r, NULL, NULL) == HEDDLE_ETIMEDOUT);
    f = one_gpu;
    for (uint64_t n = 1; n < 11; n++) {
        hd_fail_alloc_at(n);
        CHECK(heddle_simulate(&d, &r, NULL, NULL) == HEDDLE_ENOMEM);
    }
    hd_fail_alloc_at(0);
    CHECK_OK(NULL, heddle_simulate(&d, &r, NULL, NULL));
    CHECK(!heddle_shape_name(HEDDLE_N_SHAPES));
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--table")) {
        print_table();
        return 0;
    }
    is_verbose = getenv("HEDDLE_VERBOSE") != NULL;
    test_fleet(&one_gpu);
    test_fleet(&linked);
    test_fleet(&four_gpus);
    test_fleet(&thousand);
    test_thousand();
    test_seeds();
    test_trouble();
    test_hang();
    test_thesis();
    test_few_grains();
    test_uneven();
    test_wide();
    test_worth();
    test_links();
    test_refused();
    return 0;
}
