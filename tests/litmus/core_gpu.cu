/* SPDX-License-Identifier: MIT */
/* core_gpu.cu - the scheduler core on a GPU: persistent kernels over graphs, and message-passing trials.
 *
 *     core_gpu [SECONDS]
 *
 * Graphs: wavefront, LU, 1000 random ones, 200,000 independent tasks. Dispatch: ticket, and distributed under policies
 * lrr, grr, lf, share. Workers: 1, 2, 7, 132 and as many as fit. Rings: 2, 64 and 1024 slots (a ticket ring has as many
 * as it needs). Also many runs in a row without a reset, a failing body, a cancel from outside. Checked after every run:
 * each task ran once, after what it depends on; the words are those of program order; rings are empty; counters and
 * tallies stand where the next run expects them. Trials: trials.h, SECONDS altogether (30). Exit status 0: all right;
 * 1: a failure, described; 77: no GPU. Every wait has a limit (give_up.h). */
#include "give_up.h"

#include "bodies.h"
#include "graphs.h"
#include "mix.h"
#include "trials.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#define LIMIT_NS 5000000000ull
#define N_THREADS 64u
#define N_BLOCK (N_THREADS + 32u) /* a worker's threads and its scheduling warp */

#define TICKET 0u /* in place of a policy */

static const void *kernel_of(uint32_t policy)
{
    return policy == TICKET ? (const void *)hd_persistent<litmus_dispatch_, HD_DISPATCH_TICKET, 0>
                            : (const void *)hd_persistent<litmus_dispatch_, HD_DISPATCH_RINGS, 0>;
}

/* ---- the device ------------------------------------------------------------------------------------- */

static char what[200]; /* test in progress, for the message */

static void fail(const char *text)
{
    printf("FAILED: %s: %s\n", what, text);
    exit(1);
}

static void cuda(int e, const char *call)
{
    if (e == cudaSuccess)
        return;
    printf("%s: %s\n", call, cudaGetErrorString((cudaError_t)e));
    fail("CUDA said no");
}
#define CUDA(call) cuda((int)(call), #call)

template <typename T> static T *device_new(size_t n)
{
    void *p = nullptr;
    CUDA(cudaMalloc(&p, (n ? n : 1) * sizeof(T)));
    return (T *)p;
}

template <typename T> static std::vector<T> to_host(const T *p, size_t n)
{
    std::vector<T> v(n);
    CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

extern "C" uint64_t heddle_host_clock_ns(void); /* the library's */

/* A graph on the device, with room for n_workers_max workers and rings of N_SLOTS_MAX slots. */
struct loaded {
    const litmus_graph *graph;
    const hd_blob *blob;
    uint8_t *d_blob;
    litmus_params params; /* holds device pointers */
    litmus_params *d_app;
    uint32_t *d_stamps; /* ran, begin, end, clock: cleared by one memset */
    hd_run run;
    uint32_t number;                           /* the next run's */
    std::vector<std::vector<uint32_t>> oracle; /* by salt */
};
#define N_SALTS 3u

static uint32_t n_workers_max;
#define N_SLOTS_MAX 1024u

/* Slots of a ring. A ticket ring has a place for each task and for each worker's end. */
static uint32_t ring_length(const loaded *l, uint32_t policy, uint32_t n_workers, uint32_t n_slots)
{
    uint32_t n = 2;
    if (policy != TICKET)
        return n_slots;
    while (n < l->run.n_tasks + n_workers)
        n *= 2u;
    return n;
}

static void load(loaded *l, const litmus_graph *g)
{
    const uint8_t *host = (const uint8_t *)g->blob;
    size_t n = g->n_tasks;
    l->graph = g;
    l->blob = (const hd_blob *)g->blob;
    l->d_blob = device_new<uint8_t>(g->blob_bytes);
    CUDA(cudaMemcpy(l->d_blob, host, g->blob_bytes, cudaMemcpyHostToDevice));
    l->params.cells = device_new<uint32_t>((size_t)g->n_cells * LITMUS_CELL);
    l->d_stamps = device_new<uint32_t>(3 * n + 1);
    l->params.ran = l->d_stamps;
    l->params.begin = l->d_stamps + n;
    l->params.end = l->d_stamps + 2 * n;
    l->params.clock = l->d_stamps + 3 * n;
    l->d_app = device_new<litmus_params>(1);
    memset(&l->run, 0, sizeof l->run);
    l->run.tasks = (const hd_task *)(l->d_blob + sizeof(hd_blob));
    l->run.edges = (const hd_edge *)(l->d_blob + l->blob->edges_at);
    l->run.args = l->d_blob + l->blob->args_at;
    l->run.roots = (const uint32_t *)(l->d_blob + l->blob->roots_at);
    l->run.params = l->d_app;
    l->run.n_tasks = l->blob->n_tasks;
    l->run.n_roots = l->blob->n_roots;
    l->run.has_urgent = l->blob->n_urgent != 0;
    l->run.has_placed = l->blob->n_placed != 0;
    l->run.control = device_new<hd_control>(1);
    l->run.count = device_new<uint32_t>(l->run.n_tasks);
    l->run.link = device_new<uint32_t>(l->run.n_tasks);
    l->run.cursors = device_new<hd_cursor>(2 * (size_t)n_workers_max);
    l->run.slots = device_new<uint32_t>(
        std::max(2 * (size_t)n_workers_max * N_SLOTS_MAX, 2 * (size_t)ring_length(l, TICKET, n_workers_max, 0)));
    l->run.tallies = device_new<hd_tally>(n_workers_max);
    l->oracle.assign(N_SALTS, std::vector<uint32_t>());
    for (uint32_t salt = 0; salt < N_SALTS; salt++) {
        l->oracle[salt].resize((size_t)g->n_cells * LITMUS_CELL);
        litmus_oracle(g, salt, l->oracle[salt].data());
    }
}

static void unload(loaded *l)
{
    void *all[] = {l->d_blob,    l->params.cells, l->d_stamps,    l->d_app,     l->run.control,
                   l->run.count, l->run.link,     l->run.cursors, l->run.slots, l->run.tallies};
    for (void *p : all)
        CUDA(cudaFree(p));
    CUDA(cudaFreeHost(l->run.end));
}

static size_t slot_words(const loaded *l)
{
    return l->run.dispatch == HD_DISPATCH_TICKET ? 2u * (size_t)l->run.n_slots
                                                 : 2u * (size_t)l->run.n_workers * l->run.n_slots;
}

/* Initializes the words as the host leaves them before run 1. */
static void configure(loaded *l, uint32_t policy, uint32_t n_workers, uint32_t n_slots)
{
    hd_control first;
    hd_run host;
    l->run.policy = policy == TICKET ? HD_POLICY_LF : policy;
    l->run.dispatch = policy == TICKET ? HD_DISPATCH_TICKET : HD_DISPATCH_RINGS;
    l->run.n_workers = n_workers;
    l->run.n_slots = ring_length(l, policy, n_workers, n_slots);
    l->run.late = hd_policy_late(&l->run);
    l->run.n_local = 1;
    memset(&first, 0, sizeof first);
    host = l->run;
    host.control = &first;
    hd_rearm(&host, 1u);
    CUDA(cudaMemcpy(l->run.control, &first, sizeof first, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(l->run.count, 0, l->run.n_tasks * 4u));
    CUDA(cudaMemset(l->run.cursors, 0, 2u * n_workers * sizeof(hd_cursor)));
    CUDA(cudaMemset(l->run.slots, 0, slot_words(l) * 4u));
    l->number = 1;
}

/* Resets the user's data for a run, but nothing of the scheduler's. */
static void prepare(loaded *l, uint32_t failing)
{
    uint32_t one = 1;
    l->params.salt = l->number % N_SALTS;
    l->params.failing = failing;
    CUDA(cudaMemset(l->params.cells, 0xa5, (size_t)l->graph->n_cells * LITMUS_CELL * 4u));
    CUDA(cudaMemset(l->d_stamps, 0, (3 * (size_t)l->graph->n_tasks + 1) * 4u));
    CUDA(cudaMemcpy(l->params.clock, &one, 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(l->d_app, &l->params, sizeof l->params, cudaMemcpyHostToDevice));
}

static uint32_t policy_of(const loaded *l) { return l->run.dispatch == HD_DISPATCH_TICKET ? TICKET : l->run.policy; }

/* Starts the kernel in `stream`. */
static void launch(loaded *l, cudaStream_t stream)
{
    give_up_after<<<1, 1, 0, stream>>>(LIMIT_NS, &l->run.control->fail, 1, 0);
    CUDA(cudaGetLastError());
    if (!l->run.end)
        CUDA(cudaHostAlloc((void **)&l->run.end, sizeof *l->run.end, cudaHostAllocDefault));
    void *args[1] = {&l->run};
    CUDA(cudaLaunchCooperativeKernel(kernel_of(policy_of(l)), dim3(l->run.n_workers), dim3(N_BLOCK), args,
                                     l->blob->shared_bytes, stream));
}

/* ---- checks ------------------------------------------------------------------------------------------- */

static void print_words(const loaded *l, const hd_control &s)
{
    std::vector<hd_cursor> c = to_host(l->run.cursors, 2 * (size_t)l->run.n_workers);
    std::vector<uint32_t> n = to_host(l->run.count, l->run.n_tasks);
    std::vector<hd_task> t = to_host(l->run.tasks, l->run.n_tasks);
    printf("stop %u code %u task %u outstanding %u of %u seed %u of %u out %u of %u run %u\n", s.fail.stop, s.fail.code,
           s.fail.task, s.outstanding, l->run.n_tasks, s.next_root, l->run.n_roots, s.out, l->run.n_workers, s.run);
    for (uint32_t i = 0, k = 0; i < c.size() && k < 16; i++)
        if (c[i].tail != c[i].head && ++k)
            printf("  ring %u: tail 0x%x head 0x%x\n", i, c[i].tail, c[i].head);
    for (uint32_t i = 0, k = 0; i < n.size() && k < 16; i++)
        if (t[i].n_in > 1 && n[i] != l->number * t[i].n_in && ++k)
            printf("  task %u: counter %u, wanted %u\n", i, n[i], l->number * t[i].n_in);
}

static void check_end(const loaded *l, const hd_control &s, uint32_t why)
{
    int rearmed = s.fail.stop == HD_STOP_NOT && s.outstanding == l->run.n_tasks && s.next_root == 0 && s.out == 0 &&
                  s.run == l->number + 1u;
    if (why == HD_STOP_DONE ? rearmed : s.fail.stop == why)
        return;
    print_words(l, s);
    fail(s.fail.stop == HD_STOP_TIMEOUT ? "the run did not end in time" : "the run did not end as it should");
}

/* Rings must be empty, counters and tallies exact. */
static void check_words(const loaded *l)
{
    std::vector<uint32_t> slots = to_host(l->run.slots, slot_words(l));
    std::vector<hd_cursor> c = to_host(l->run.cursors, 2 * (size_t)l->run.n_workers);
    std::vector<uint32_t> n = to_host(l->run.count, l->run.n_tasks);
    std::vector<hd_tally> w = to_host(l->run.tallies, l->run.n_workers);
    const hd_task *t = (const hd_task *)((const uint8_t *)l->graph->blob + sizeof(hd_blob));
    uint32_t sum = 0, placed = 0;
    for (uint32_t v : slots)
        if (v)
            fail("a slot is not empty after the run");
    for (const hd_cursor &v : c)
        if (v.tail != v.head)
            fail("a ring's cursors differ after the run");
    for (uint32_t i = 0; i < l->run.n_tasks; i++)
        if (n[i] != (t[i].n_in > 1u ? l->number * t[i].n_in : 0u))
            fail("a counter is not at run x in-degree");
    for (const hd_tally &v : w) {
        sum += v.n_tasks;
        placed += v.n_kept + v.n_pushed;
    }
    if (sum != l->graph->n_tasks || placed != l->run.n_tasks - l->run.n_roots)
        fail("the tallies do not add up");
}

static void check_tasks(const loaded *l, int stopped)
{
    size_t n = l->graph->n_tasks;
    std::vector<uint32_t> stamps = to_host(l->d_stamps, 3 * n);
    const char *bad = litmus_check(l->graph, &stamps[0], &stamps[n], &stamps[2 * n], stopped);
    if (bad)
        fail(bad);
    if (!stopped && to_host(l->params.cells, (size_t)l->graph->n_cells * LITMUS_CELL) != l->oracle[l->params.salt])
        fail("the words differ from those of program order");
}

/* One run with all its checks; the next run needs no reset. */
static void run_once(loaded *l)
{
    prepare(l, HD_NONE);
    launch(l, 0);
    CUDA(cudaDeviceSynchronize());
    check_end(l, to_host(l->run.control, 1)[0], HD_STOP_DONE);
    check_words(l);
    check_tasks(l, 0);
    l->number++;
}

/* ---- graphs ------------------------------------------------------------------------------------------- */

#define N_POLICIES 5u
static const uint32_t policies[N_POLICIES] = {TICKET, HD_POLICY_LRR, HD_POLICY_GRR, HD_POLICY_LF, HD_POLICY_SHARE};
static uint64_t n_runs, n_tasks_run;

static void run_many(loaded *l, const char *name, uint32_t policy, uint32_t n_workers, uint32_t n_slots, uint32_t n)
{
    snprintf(what, sizeof what, "%s, policy %u, %u workers, rings of %u", name, policy, n_workers, n_slots);
    configure(l, policy, n_workers, n_slots);
    for (uint32_t i = 0; i < n; i++)
        run_once(l);
    n_runs += n;
    n_tasks_run += (uint64_t)n * l->graph->n_tasks;
}

static void say(const char *name, double began)
{
    printf("%-24s %8llu runs %12llu tasks  %6.1f s  ok\n", name, (unsigned long long)n_runs,
           (unsigned long long)n_tasks_run, seconds() - began);
    fflush(stdout);
    n_runs = n_tasks_run = 0;
}

/* Every policy, number of workers and ring size. */
static void test_combinations(const litmus_graph *g, const char *name)
{
    const uint32_t workers[] = {1, 2, 7, 132, n_workers_max}, slots[] = {2, 64, 1024};
    double began = seconds();
    loaded l;
    load(&l, g);
    for (uint32_t p : policies)
        for (uint32_t w : workers)
            for (uint32_t s : slots)
                if (w <= n_workers_max)
                    run_many(&l, name, p, w, s, w < 7u ? 3u : 12u);
    unload(&l);
    say(name, began);
}

/* 500 runs in a row; only the last is checked: counters go on, nothing is reset. */
static void test_replay(const litmus_graph *g, const char *name)
{
    double began = seconds();
    loaded l;
    load(&l, g);
    snprintf(what, sizeof what, "%s, 500 runs without a look", name);
    configure(&l, HD_POLICY_LF, n_workers_max < 132u ? n_workers_max : 132u, 64);
    prepare(&l, HD_NONE);
    for (; l.number < 500u; l.number++)
        launch(&l, 0);
    CUDA(cudaDeviceSynchronize());
    run_once(&l);
    n_runs = 500;
    n_tasks_run = 500ull * g->n_tasks;
    unload(&l);
    say(name, began);
}

static void test_random(uint32_t n)
{
    const uint32_t workers[] = {1, 2, 3, 7, 16, 64, 132, n_workers_max}, slots[] = {2, 4, 64};
    double began = seconds();
    for (uint32_t i = 0; i < n; i++) {
        litmus_graph g;
        loaded l;
        uint32_t w = workers[i % 8u];
        char name[40];
        snprintf(name, sizeof name, "random graph %u", i);
        litmus_random(&g, i);
        load(&l, &g);
        run_many(&l, name, policies[i / 8u % N_POLICIES], w < n_workers_max ? w : n_workers_max,
                 slots[i / (8u * N_POLICIES) % 3u], 3);
        unload(&l);
        litmus_free(&g);
    }
    say("random", began);
}

static void test_independent(const litmus_graph *g)
{
    const uint32_t workers[] = {7, 132, n_workers_max};
    double began = seconds();
    loaded l;
    load(&l, g);
    for (uint32_t p : policies)
        for (uint32_t w : workers)
            run_many(&l, "independent", p, w < n_workers_max ? w : n_workers_max, 64, 3);
    unload(&l);
    say("independent", began);
}

/* A body fails half way; configure() resets the words, and the graph runs again. */
static void test_failing(const litmus_graph *g)
{
    double began = seconds();
    loaded l;
    load(&l, g);
    for (uint32_t i = 0; i < 30u; i++) {
        uint32_t task = (i * 167u + 1u) % g->n_tasks;
        hd_control s;
        snprintf(what, sizeof what, "task %u fails", task);
        configure(&l, policies[i % N_POLICIES], i % 2u ? 7u : n_workers_max, 64);
        prepare(&l, task);
        launch(&l, 0);
        CUDA(cudaDeviceSynchronize());
        s = to_host(l.run.control, 1)[0];
        check_end(&l, s, HD_STOP_FAILED);
        check_tasks(&l, 1);
        /* Joins would shift the task numbers; a wavefront has none. */
        if (s.fail.code != LITMUS_FAIL_CODE || s.fail.task != task)
            fail("another failure was noted");
        run_many(&l, "after a failure", policies[i % N_POLICIES], 7, 64, 1);
    }
    unload(&l);
    say("a body fails", began);
}

static __global__ void cancel(hd_run r) { (void)hd_stop(&r.control->fail, HD_STOP_CANCELED); }

/* Another kernel cancels the run; with few workers there is room for it. */
static void test_cancel(const litmus_graph *g)
{
    double began = seconds();
    cudaStream_t a, b;
    uint32_t n_stopped = 0;
    loaded l;
    load(&l, g);
    configure(&l, HD_POLICY_LF, 7, 64);
    cancel<<<1, 1>>>(l.run); /* loads the kernel now: loading it later would wait for the other kernel */
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    for (uint32_t i = 0; i < 10u; i++) {
        hd_control s;
        snprintf(what, sizeof what, "a run is cancelled");
        configure(&l, policies[i % N_POLICIES], 7, 64);
        prepare(&l, HD_NONE);
        CUDA(cudaDeviceSynchronize());
        launch(&l, a);
        cancel<<<1, 1, 0, b>>>(l.run);
        CUDA(cudaDeviceSynchronize());
        s = to_host(l.run.control, 1)[0];
        check_end(&l, s, HD_STOP_CANCELED);
        check_tasks(&l, 1);
        n_stopped += s.out == l.run.n_workers; /* else the cancel came after the end, and hit the next run's words */
        run_many(&l, "after a cancel", HD_POLICY_LF, 7, 64, 1);
    }
    CUDA(cudaStreamDestroy(a));
    CUDA(cudaStreamDestroy(b));
    unload(&l);
    if (n_stopped == 0)
        fail("10 cancels came after the end of the run");
    say("cancel", began);
}

static void test_graphs(void)
{
    litmus_graph g;
    litmus_wavefront(&g, 72, 72);
    test_combinations(&g, "wavefront 72 x 72");
    test_replay(&g, "wavefront, replayed");
    test_failing(&g);
    litmus_free(&g);
    litmus_lu(&g, 20);
    test_combinations(&g, "lu 20 x 20 blocks");
    litmus_free(&g);
    test_random(1000);
    litmus_independent(&g, 200000);
    test_independent(&g);
    test_cancel(&g);
    litmus_free(&g);
}

/* ---- trials ------------------------------------------------------------------------------------------- */

/* Thread 0 of each block takes part. The others read the data all the time: this keeps old lines in the L1 cache, where
 * a reader without an acquire would find them. */
static __global__ void trials_kernel(litmus_group *groups, const hd_task *tasks, uint32_t kind, uint32_t first,
                                     uint32_t n)
{
    __shared__ uint32_t over;
    uint32_t members = litmus_members(kind), who = blockIdx.x % members;
    litmus_group *g = groups + blockIdx.x / members;
    if (threadIdx.x == 0)
        over = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        litmus_take_part(g, tasks, kind, who, first, n);
        *(volatile uint32_t *)&over = 1;
    } else if (threadIdx.x >= 32u) {
        const uint32_t *word = &g->data[0][threadIdx.x % (LITMUS_PRODUCERS * LITMUS_DATA)];
        uint32_t v, sum = 0;
        while (!*(volatile uint32_t *)&over) {
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
            sum += v;
        }
        if (sum == 1u) /* keeps the loads from being optimized away */
            over = 2;
    }
}

/* The same hand-over with relaxed orders: shows what the trials would see if core did not order. It may see nothing. */
static __global__ void control_kernel(litmus_group *groups, uint32_t n)
{
    litmus_group *g = groups + blockIdx.x / 2u;
    const hd_run run = litmus_run_of(g, nullptr, LITMUS_SLOTS), *r = &run;
    for (uint32_t i = 0; i < n && threadIdx.x == 0; i++) {
        uint32_t k = i % LITMUS_DATA, polls = 0;
        if (blockIdx.x % 2u == 0) {
            while (HD_LOAD(&g->consumed, ACQUIRE, DEV) != i)
                litmus_pause(r, polls++);
            g->data[0][k] = i + 1u;
            HD_STORE(&g->round, i + 1u, RELAXED, DEV);
        } else {
            while (HD_LOAD(&g->round, RELAXED, DEV) != i + 1u)
                litmus_pause(r, polls++);
            litmus_expect(g, g->data[0][k], i + 1u);
            HD_STORE(&g->consumed, i + 1u, RELEASE, DEV);
        }
    }
}

static void launch_trials(const void *kernel, uint32_t n_blocks, void **args, litmus_group *groups, uint32_t n_groups)
{
    give_up_after<<<1, 1>>>(LIMIT_NS, &groups->control.fail, n_groups, (uint32_t)sizeof *groups);
    CUDA(cudaGetLastError());
    CUDA(cudaLaunchCooperativeKernel(kernel, dim3(n_blocks), dim3(N_THREADS), args, 0, 0));
    CUDA(cudaDeviceSynchronize());
}

static uint32_t n_bad(const litmus_group *groups, uint32_t n)
{
    uint32_t sum = 0;
    for (const litmus_group &g : to_host(groups, n)) {
        sum += g.bad;
        if (g.control.fail.stop != HD_STOP_NOT)
            fail("a trial did not end in time");
    }
    return sum;
}

/* As many blocks as fit, at most `per_sm` per SM, rounded down to a multiple of `members`. */
static uint32_t n_blocks_of(const void *kernel, uint32_t per_sm, uint32_t members)
{
    int fit = 0, sms = 0;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, (int)N_THREADS, 0));
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    fit = fit < (int)per_sm ? fit : (int)per_sm;
    return (uint32_t)(fit * sms) / members * members;
}

static uint64_t test_trials(uint32_t kind, const char *name, double limit)
{
    static hd_task tasks[LITMUS_DATA];
    uint32_t members = litmus_members(kind), n = 64u * LITMUS_DATA, first = 0;
    uint32_t n_blocks = n_blocks_of((const void *)trials_kernel, 8, members), n_groups = n_blocks / members;
    litmus_group *groups = device_new<litmus_group>(n_groups);
    hd_task *d_tasks = device_new<hd_task>(LITMUS_DATA);
    void *args[] = {&groups, &d_tasks, &kind, &first, &n};
    double began = seconds();
    uint64_t done = 0;
    snprintf(what, sizeof what, "%s trials, %u groups", name, n_groups);
    for (hd_task &t : tasks)
        t.n_in = 2;
    CUDA(cudaMemcpy(d_tasks, tasks, sizeof tasks, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(groups, 0, n_groups * sizeof *groups));
    for (; seconds() - began < limit && first < 0x40000000u; first += n) {
        launch_trials((const void *)trials_kernel, n_blocks, args, groups, n_groups);
        done += (uint64_t)n_groups * litmus_trials(kind, n);
        if (n_bad(groups, n_groups))
            fail("an old value was received");
    }
    printf("%-24s %12llu trials, %u groups at once  %6.1f s  0 bad\n", name, (unsigned long long)done, n_groups,
           seconds() - began);
    fflush(stdout);
    CUDA(cudaFree(groups));
    CUDA(cudaFree(d_tasks));
    return done;
}

static void print_control(void)
{
    uint32_t n = 4096, n_blocks = n_blocks_of((const void *)control_kernel, 8, 2);
    litmus_group *groups = device_new<litmus_group>(n_blocks / 2u);
    void *args[] = {&groups, &n};
    snprintf(what, sizeof what, "control");
    CUDA(cudaMemset(groups, 0, n_blocks / 2u * sizeof *groups));
    launch_trials((const void *)control_kernel, n_blocks, args, groups, n_blocks / 2u);
    printf("%-24s %12llu trials, %u old values seen\n", "control, not ordered", (unsigned long long)n_blocks / 2u * n,
           n_bad(groups, n_blocks / 2u));
    CUDA(cudaFree(groups));
}

int main(int argc, char **argv)
{
    static const char *const names[] = {LITMUS_NAMES};
    double limit = argc > 1 ? atof(argv[1]) : 30.0, began = seconds();
    int n_devices = 0, per_sm = 0, sms = 0;
    uint64_t n_trials = 0;
    cudaFuncAttributes info;
    if (cudaGetDeviceCount(&n_devices) != cudaSuccess || n_devices == 0) {
        printf("skipped: no CUDA device\n");
        return 77;
    }
    snprintf(what, sizeof what, "start");
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    n_workers_max = 0xffffffffu;
    for (uint32_t policy : {TICKET, HD_POLICY_LRR}) {
        CUDA(cudaFuncGetAttributes(&info, kernel_of(policy)));
        CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel_of(policy), (int)N_BLOCK,
                                                           HEDDLE_REDUCE_BYTES + 256u));
        n_workers_max = std::min(n_workers_max, (uint32_t)(per_sm * sms));
        printf("%d SMs, %d workers of %u threads fit, kernel: %d registers, %d bytes shared\n", sms, per_sm * sms,
               N_BLOCK, info.numRegs, (int)info.sharedSizeBytes);
    }
    for (uint32_t kind = 0; kind < LITMUS_KINDS; kind++)
        n_trials += test_trials(kind, names[kind], limit / LITMUS_KINDS);
    print_control();
    printf("%llu trials altogether\n", (unsigned long long)n_trials);
    test_graphs();
    printf("all right, %.1f s\n", seconds() - began);
    return 0;
}
