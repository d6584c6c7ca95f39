/* SPDX-License-Identifier: MIT */
/* program.cu - the main program of the twelve (program.h): options, memory, rounds with their times, checks, the barrier.
 * CUDA errors end the program with a sentence, as do those of the barrier. */
#include "program.h"

#include "barrier.h"
#include "noise.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PROGRAM_MAIN /* a test has a main function of its own */
#define PROGRAM_MAIN main
#endif

#define MOST_ROUNDS 1000
#define MOST_BUFFERS 32
#define MOST_THREADS 8
#define MOST_CHANGES 64        /* between copies in, kernels and copies out in a round */
#define CHECK_NS 1000000000ull /* of one core, in all parts of a check */
#define MOST_GROWTH 32.0       /* of steps while they are calibrated */
#define SITS_OUT (-1.0)

static struct {
    double mb, patience_s, calibrate_ms, gap_us;
    uint32_t steps, n_rounds, n_programs;
    int is_cold, only_counts, spoils;
    const char *barrier, *places_text;
    double places[MOST_ROUNDS];
} options = {0, 60, 0, 100, 0, 1, 0, 0, 0, 0, NULL, NULL, {0}};

static __attribute__((format(printf, 1, 2), noreturn)) void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", program_this.name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

static void must(cudaError_t error, const char *doing)
{
    if (error != cudaSuccess)
        fail("%s: %s", doing, cudaGetErrorString(error));
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct buffer {
    unsigned char *at;
    uint64_t n_bytes;
} buffer;
typedef struct buffers {
    buffer each[MOST_BUFFERS];
    uint32_t n;
} buffers;
static buffers results, device_memory;

static void keep(buffers *all, void *at, uint64_t n_bytes)
{
    if (all->n == MOST_BUFFERS)
        fail("more than %d buffers", MOST_BUFFERS);
    all->each[all->n].at = (unsigned char *)at;
    all->each[all->n++].n_bytes = n_bytes;
}

void *program_host(uint64_t n_bytes)
{
    void *at = malloc(n_bytes);
    if (!at)
        fail("no memory for %.1f MB", (double)n_bytes / 1e6);
    return at;
}

void *program_result(uint64_t n_bytes)
{
    void *at = program_host(n_bytes);
    keep(&results, at, n_bytes);
    return at;
}

void *program_device(uint64_t n_bytes)
{
    void *at = NULL;
    if (options.only_counts)
        return at;
    must(cudaMalloc(&at, n_bytes), "allocating on the GPU");
    keep(&device_memory, at, n_bytes);
    return at;
}

/* What a round leaves out must not look like what the round before left. */
static void wipe(void)
{
    for (uint32_t i = 0; i < results.n; i++)
        memset(results.each[i].at, 0xff, results.each[i].n_bytes);
    for (uint32_t i = 0; i < device_memory.n; i++)
        must(cudaMemset(device_memory.each[i].at, 0xff, device_memory.each[i].n_bytes), "wiping the GPU's memory");
    must(cudaDeviceSynchronize(), "wiping the GPU's memory");
}

/* ---- calls of a round -------------------------------------------------------------------------------------------- */

typedef enum phase { NOTHING, COPIES_IN, KERNELS, COPIES_OUT, N_PHASES } phase;
typedef struct calls {
    uint32_t n[N_PHASES], n_tasks;
    uint64_t n_bytes[N_PHASES];
    phase now;
    uint32_t n_changes;
    phase began[MOST_CHANGES]; /* with the event of the same place */
} calls;
static calls seen;
static cudaEvent_t changes[MOST_CHANGES];

static void record(phase p)
{
    if (options.only_counts)
        return;
    if (seen.n_changes == MOST_CHANGES)
        fail("more than %d changes between copies and kernels in a round", MOST_CHANGES);
    must(cudaEventRecord(changes[seen.n_changes], 0), "recording an event");
    seen.began[seen.n_changes++] = p;
}

/* A task is copies in, kernels, copies out; a call against this order begins the next one (figure 4.4). */
static void enter(phase p, uint64_t n_bytes)
{
    if (seen.now == NOTHING || p < seen.now)
        seen.n_tasks++;
    if (p != seen.now)
        record(p);
    seen.now = p;
    seen.n[p]++;
    seen.n_bytes[p] += n_bytes;
}

void program_copy_in(void *device, const void *host, uint64_t n_bytes)
{
    enter(COPIES_IN, n_bytes);
    if (!options.only_counts)
        must(cudaMemcpy(device, host, n_bytes, cudaMemcpyHostToDevice), "copying to the GPU");
}

void program_copy_out(void *host, const void *device, uint64_t n_bytes)
{
    enter(COPIES_OUT, n_bytes);
    if (!options.only_counts)
        must(cudaMemcpy(host, device, n_bytes, cudaMemcpyDeviceToHost), "copying from the GPU");
}

int program_begin_launch(void)
{
    enter(KERNELS, 0);
    return !options.only_counts;
}
void program_end_launch(const char *kernel)
{
    if (!options.only_counts)
        must(cudaGetLastError(), kernel);
}
uint32_t program_steps(void) { return options.steps; }

typedef struct times {
    uint64_t begin_ns, end_ns;
    double ms[N_PHASES];
} times;

static times compute(uint64_t begin_ns)
{
    times t = {begin_ns, 0, {0}};
    memset(&seen, 0, sizeof seen);
    program_this.compute();
    record(NOTHING);
    must(cudaDeviceSynchronize(), "computing");
    t.end_ns = barrier_now();
    for (uint32_t i = 0; i + 1 < seen.n_changes; i++) {
        float ms = 0;
        must(cudaEventElapsedTime(&ms, changes[i], changes[i + 1]), "reading events");
        t.ms[seen.began[i]] += ms;
    }
    return t;
}

/* ---- loops by several threads ------------------------------------------------------------------------------------ */

typedef struct part {
    pthread_t thread;
    uint64_t begin, end, stride, sum, first;
    void (*make)(uint64_t i);
    int (*is_wrong)(uint64_t i);
} part;

static void *do_part(void *self)
{
    part *p = (part *)self;
    for (uint64_t i = p->begin; i < p->end; i += p->stride) {
        if (p->make)
            p->make(i);
        else if (p->is_wrong(i) && p->sum++ == 0)
            p->first = i;
    }
    return NULL;
}

/* Every stride-th of n items, in contiguous parts. Returns the sum, and the first that counts. */
static uint64_t in_parts(uint64_t n, part model, uint64_t *first)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t n_parts = cores < 2 ? 1 : cores < MOST_THREADS ? (uint32_t)cores : MOST_THREADS;
    const uint64_t each = (n / n_parts / model.stride + 1) * model.stride;
    part parts[MOST_THREADS];
    uint64_t sum = 0;
    for (uint32_t k = 0; k < n_parts; k++) {
        parts[k] = model;
        parts[k].begin = model.begin + k * each;
        parts[k].end = (k + 1) * each < n ? (k + 1) * each : n;
        if (pthread_create(&parts[k].thread, NULL, do_part, &parts[k]))
            fail("a thread cannot be started");
    }
    for (uint32_t k = 0; k < n_parts; k++) {
        pthread_join(parts[k].thread, NULL);
        if (sum == 0)
            *first = parts[k].first;
        sum += parts[k].sum;
    }
    return sum;
}

void program_fill(uint64_t n, void (*make)(uint64_t i))
{
    part model = {0, 0, 0, 1, 0, 0, make, NULL};
    uint64_t none;
    (void)in_parts(n, model, &none);
}

uint64_t program_wrong(const char *what, uint64_t n, uint64_t cost_ns, int (*is_wrong)(uint64_t i))
{
    static uint64_t n_checks;
    const uint64_t stride = n * cost_ns / CHECK_NS + 1;
    /* Another check looks at other ones. A part's end is a multiple of the stride, so that each stride has one. */
    part model = {0, noise_u64(1, n_checks++) % (stride < n ? stride : n), 0, stride, 0, 0, NULL, is_wrong};
    uint64_t first = 0, n_wrong = in_parts(n, model, &first);
    if (n_wrong)
        fprintf(stderr, "%s: %llu of %llu %s are wrong, the first is number %llu\n", program_this.name,
                (unsigned long long)n_wrong, (unsigned long long)((n + stride - 1) / stride), what,
                (unsigned long long)first);
    return n_wrong;
}

int program_is_near(double got, double wanted, double tolerance)
{
    return fabs(got - wanted) <= tolerance * (1 + fabs(wanted));
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static const buffer *digested;
static uint64_t word_sums[MOST_THREADS], digest_seed;

/* A word's share depends on its place, so that exchanged words count. */
static uint64_t digest_of(uint64_t begin, uint64_t end)
{
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t word;
        memcpy(&word, digested->at + 8 * i, 8);
        word = (word ^ ((i + digest_seed) * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
        sum += word ^ (word >> 32);
    }
    return sum;
}

static void digest_part(uint64_t k)
{
    const uint64_t n = digested->n_bytes / 8;
    word_sums[k] = digest_of(n * k / MOST_THREADS, n * (k + 1) / MOST_THREADS);
}

static uint64_t digest(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < results.n; i++) {
        digested = &results.each[i];
        digest_seed = (uint64_t)i << 40;
        program_fill(MOST_THREADS, digest_part);
        for (uint32_t k = 0; k < MOST_THREADS; k++)
            sum += word_sums[k];
        for (uint64_t at = digested->n_bytes / 8 * 8; at < digested->n_bytes; at++)
            sum = sum * 0x94d049bb133111ebu + digested->at[at];
    }
    return sum;
}

/* Inverts four bytes of a result, in another place each time. */
static void spoil(void)
{
    static uint64_t n;
    const buffer *b = &results.each[n % results.n];
    unsigned char *at = b->at + noise_u64(2, n++) % (b->n_bytes / 4) * 4;
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)~at[i];
}

/* Whether the results are right. */
static int judge(uint64_t *sum)
{
    static uint64_t right_sum;
    static int is_known;
    if (options.spoils)
        spoil();
    *sum = digest();
    if (is_known && *sum == right_sum)
        return 1;
    if (program_this.check())
        return 0;
    right_sum = *sum, is_known = 1;
    return 1;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static uint64_t meet(void)
{
    char error[BARRIER_ERROR];
    const uint64_t go_ns = barrier_meet(error);
    if (!go_ns)
        fail("%s", error);
    return go_ns;
}

static int report(uint32_t number, const times *t)
{
    uint64_t sum;
    const int is_right = judge(&sum);
    printf("round\t%s\t%u\t%llu\t%llu\t%.3f\t%.3f\t%.3f\t%.3f\t%016llx\t%s\n", program_this.name, number,
           (unsigned long long)t->begin_ns, (unsigned long long)t->end_ns, (double)(t->end_ns - t->begin_ns) / 1e6,
           t->ms[COPIES_IN], t->ms[KERNELS], t->ms[COPIES_OUT], (unsigned long long)sum, is_right ? "right" : "wrong");
    fflush(stdout);
    return !is_right;
}

/* 1 if its results are wrong. */
static int play(uint32_t number)
{
    const double place = number ? options.places[number - 1] : 0;
    const int meets = number && options.barrier;
    uint64_t begin_ns = barrier_now();
    times t = {0, 0, {0}};
    if (place != SITS_OUT)
        wipe();
    if (meets)
        begin_ns = meet() + (uint64_t)(place > 0 ? place * options.gap_us * 1000 : 0);
    if (place != SITS_OUT) {
        barrier_wait_until(begin_ns);
        t = compute(meets ? begin_ns : barrier_now());
    }
    if (meets)
        meet();
    return place != SITS_OUT ? report(number, &t) : 0;
}

static int play_all(void)
{
    int is_wrong = 0;
    char error[BARRIER_ERROR];
    puts("what\tprogram\tround\tbegin_ns\tend_ns\tms\tin_ms\tkernels_ms\tout_ms\tdigest\tresult");
    if (options.barrier) {
        if (barrier_join(options.barrier, options.n_programs, options.patience_s, error))
            fail("%s", error);
        atexit(barrier_leave);
    }
    for (uint32_t number = options.is_cold ? 1 : 0; number <= options.n_rounds; number++)
        is_wrong |= play(number);
    return is_wrong;
}

static double kernels_ms(uint32_t steps)
{
    options.steps = steps;
    wipe();
    return compute(barrier_now()).ms[KERNELS];
}

/* Few steps hide behind memory, so that the time is no line through all of them: the last two points make the next one. */
static int calibrate(void)
{
    double wanted = options.calibrate_ms, x0 = 0, x1 = 16, y0, y1;
    kernels_ms(0); /* loads the code */
    y0 = kernels_ms(0);
    if (wanted <= y0) {
        printf("work\t%s\t0\t%.3f\n", program_this.name, y0);
        return 0;
    }
    y1 = kernels_ms((uint32_t)x1);
    for (int i = 0; i < 20 && x1 < 1e9 && !program_is_near(y1, wanted, 0.01); i++) {
        const double slope = (y1 - y0) / (x1 - x0), next = slope > 0 ? x1 + (wanted - y1) / slope : MOST_GROWTH * x1;
        x0 = x1, y0 = y1;
        x1 = floor(next > MOST_GROWTH * x1 ? MOST_GROWTH * x1 : next < x1 / MOST_GROWTH ? x1 / MOST_GROWTH : next);
        if (x1 == x0)
            break;
        y1 = kernels_ms((uint32_t)x1);
    }
    printf("work\t%s\t%.0f\t%.3f\n", program_this.name, x1, y1);
    return 0;
}

/* Program, calls and MB in, calls and MB out, launches, tasks. */
static int count(void)
{
    program_this.compute();
    printf("%s\t%u\t%.1f\t%u\t%.1f\t%u\t%u\n", program_this.name, seen.n[COPIES_IN],
           (double)seen.n_bytes[COPIES_IN] / 1e6, seen.n[COPIES_OUT], (double)seen.n_bytes[COPIES_OUT] / 1e6,
           seen.n[KERNELS], seen.n_tasks);
    return 0;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static double number(const char *name, const char *text, double least, double most)
{
    char *end;
    const double v = strtod(text, &end);
    if (end == text || *end || !(v >= least && v <= most))
        fail("--%s takes a number from %g to %g, not %s", name, least, most, text);
    return v;
}
static uint32_t whole(const char *name, const char *text, double least, double most)
{
    const double v = number(name, text, least, most);
    if (v != floor(v))
        fail("--%s takes a whole number, not %s", name, text);
    return (uint32_t)v;
}

static void read_places(void)
{
    char *text = strdup(options.places_text), *rest = text, *word;
    uint32_t n = 0;
    while ((word = strsep(&rest, ","))) {
        if (n == options.n_rounds)
            break;
        options.places[n++] = strcmp(word, "-") == 0 ? SITS_OUT : number("places", word, 0, 1e6);
    }
    if (word || n < options.n_rounds)
        fail("--places needs as many places as there are rounds (%u), separated by commas", options.n_rounds);
    free(text);
}

static void help(void)
{
    printf("%s [--mb N] [--work N] [--rounds K] [--cold] [--calibrate MS] [--count] [--spoil]\n"
           "    [--barrier FILE|NAME --programs N [--places P,P,...] [--gap US]] [--patience S]\n%s.\n",
           program_this.name, program_this.what);
    exit(0);
}

static void take(int option, const char *text)
{
    switch (option) {
    case 'm': options.mb = number("mb", text, 0.01, 100000); break;
    case 'w': options.steps = whole("work", text, 0, 2e9); break;
    case 'r': options.n_rounds = whole("rounds", text, 1, MOST_ROUNDS); break;
    case 'c': options.is_cold = 1; break;
    case 'b': options.barrier = text; break;
    case 'n': options.n_programs = whole("programs", text, 1, 1000); break;
    case 'p': options.places_text = text; break;
    case 'g': options.gap_us = number("gap", text, 0, 1e6); break;
    case 't': options.patience_s = number("patience", text, 0.01, 1e6); break;
    case 'k': options.calibrate_ms = number("calibrate", text, 0.001, 1e6); break;
    case 'o': options.only_counts = 1; break;
    case 's': options.spoils = 1; break;
    case 'h': help(); break;
    }
}

static void read_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"mb", 1, NULL, 'm'},       {"work", 1, NULL, 'w'},      {"rounds", 1, NULL, 'r'}, {"cold", 0, NULL, 'c'},
        {"barrier", 1, NULL, 'b'},  {"programs", 1, NULL, 'n'},  {"places", 1, NULL, 'p'}, {"gap", 1, NULL, 'g'},
        {"patience", 1, NULL, 't'}, {"calibrate", 1, NULL, 'k'}, {"count", 0, NULL, 'o'},  {"spoil", 0, NULL, 's'},
        {"help", 0, NULL, 'h'},     {NULL, 0, NULL, 0}};
    int option;
    options.mb = program_this.mb_in;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == '?')
            fail("the option %s is unknown or lacks its value; --help names all", argv[optind - 1]);
        take(option, optarg);
    }
    if (optind < argc)
        fail("%s is no option; --help names all", argv[optind]);
    if (!options.barrier != !options.n_programs)
        fail("--barrier and --programs belong together");
    if (options.places_text && !options.barrier)
        fail("--places needs a --barrier");
    if (options.places_text)
        read_places();
}

static int has_gpu(void)
{
    int n = 0;
    const cudaError_t error = cudaGetDeviceCount(&n);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)
        return 0;
    must(error, "looking for a GPU");
    return n > 0;
}

int PROGRAM_MAIN(int argc, char **argv)
{
    read_options(argc, argv);
    if (!options.only_counts && !has_gpu()) {
        fprintf(stderr, "%s: skipped: there is no GPU here, or no driver for this program's CUDA\n", program_this.name);
        return 77;
    }
    program_this.shape(options.mb * 1e6);
    if (options.only_counts)
        return count();
    for (int i = 0; i < MOST_CHANGES; i++)
        must(cudaEventCreate(&changes[i]), "making an event");
    program_this.fill();
    return options.calibrate_ms > 0 ? calibrate() : play_all();
}
