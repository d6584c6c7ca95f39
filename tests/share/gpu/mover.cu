/* SPDX-License-Identifier: MIT */
/* mover.cu - a plain CUDA program with the static runtime, which knows nothing of heddle share: it copies, computes and checks every
 * word that comes back. smoke.sh runs it with and without heddle share, alone and beside others.
 *
 *   mover rates MIB                       best of three copies of pageable and of pinned memory, and the first one.
 *   mover calls                           A launch, and cheap calls.
 *   mover tasks MIB N KIND                N tasks of a copy in, kernels and a copy out.
 *   mover loop MIB SECONDS KIND WAY       Copies in, out or both until the time is over.
 *   mover small MIB N PERIOD_MS KIND WAY  A copy every so often: median and p99 of its time.
 *   mover threads N ROUNDS                Threads with streams and memory of all kinds.
 *   mover fault MIB                       Copies, and then has a kernel that writes where nothing is. Right is that CUDA says so.
 *
 * KIND is pageable, pinned, or async (pinned, in a stream). Prints lines "name, value, unit" with tabs, and last "right SUM". MOVER_AT is
 * the time (seconds since 1970) at which the work begins, so that several begin together. MOVER_END is a command that is run at the
 * end. */
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_runtime.h>
#include <thread>
#include <unistd.h>
#include <vector>

static void must(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    printf("wrong: %s: %s\n", what, cudaGetErrorString(e));
    fflush(stdout);
    _exit(e == cudaErrorNoDevice || e == cudaErrorInsufficientDriver ? 77 : 1);
}
#define MUST(call) must(call, #call)

static double now_s(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double now() { return now_s(CLOCK_MONOTONIC); }

static void row(const char *name, double value, const char *unit)
{
    printf("%s\t%.3f\t%s\n", name, value, unit);
    fflush(stdout);
}

// ---- data ----

static uint64_t word(size_t i, uint64_t round) { return (i * 0x9e3779b97f4a7c15u) ^ (round * 0xff51afd7ed558ccdu); }
__global__ void add(uint64_t *d, size_t n, uint64_t what)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        d[i] += what;
}
__global__ void nothing() {}

enum kind { PAGEABLE, PINNED, ASYNC };
static kind kind_of(const char *text)
{
    return !strcmp(text, "pageable") ? PAGEABLE : !strcmp(text, "pinned") ? PINNED : ASYNC;
}

static std::atomic<uint64_t> sum{0}; // of all that was checked: the same with and without heddle share

/* A block of the host and one of the device. */
struct block {
    size_t n_bytes, n_words;
    kind how;
    uint64_t *host, *device;
    cudaStream_t stream;
    block(size_t n, kind k) : n_bytes(n), n_words(n / 8), how(k)
    {
        MUST(cudaStreamCreate(&stream));
        MUST(cudaMalloc(&device, n));
        if (k == PAGEABLE)
            host = (uint64_t *)malloc(n);
        else
            MUST(cudaMallocHost(&host, n));
        memset(host, 1, n);
    }
    ~block()
    {
        if (how == PAGEABLE)
            free(host);
        else
            MUST(cudaFreeHost(host));
        MUST(cudaFree(device));
        MUST(cudaStreamDestroy(stream));
    }
    void fill(uint64_t round)
    {
        for (size_t i = 0; i < n_words; i++)
            host[i] = word(i, round);
    }
    void check(uint64_t round, uint64_t added)
    {
        uint64_t s = 0;
        for (size_t i = 0; i < n_words; i++) {
            if (host[i] != word(i, round) + added) {
                printf("wrong: word %zu of %zu, round %llu: %llx\n", i, n_words, (unsigned long long)round,
                       (unsigned long long)host[i]);
                fflush(stdout);
                _exit(1);
            }
            s += host[i];
        }
        sum += s;
    }
    void copy(int out)
    {
        void *to = out ? (void *)host : device, *from = out ? (void *)device : host;
        cudaMemcpyKind way = out ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
        if (how == ASYNC) {
            MUST(cudaMemcpyAsync(to, from, n_bytes, way, stream));
            MUST(cudaStreamSynchronize(stream));
        } else
            MUST(cudaMemcpy(to, from, n_bytes, way));
    }
    void compute(uint64_t what, int times)
    {
        for (int i = 0; i < times; i++)
            add<<<1024, 256, 0, how == ASYNC ? stream : 0>>>(device, n_words, what);
        MUST(cudaGetLastError());
    }
    double timed(int out)
    {
        double begin = now();
        copy(out);
        return now() - begin;
    }
};

static void begin_together()
{
    const char *at = getenv("MOVER_AT");
    while (at && now_s(CLOCK_REALTIME) < atof(at))
        usleep(200);
}

// ---- what it can do ----

/* In, changed by a kernel, and out again: both ways are checked. */
static void rates_of(const char *name, size_t n, kind how)
{
    block b(n, how);
    char text[64];
    double best[2] = {1e9, 1e9}, first[2] = {0, 0};
    for (uint64_t round = 0; round < 3; round++) {
        b.fill(round);
        for (int out = 0; out < 2; out++) {
            double t;
            MUST(cudaDeviceSynchronize());
            t = b.timed(out);
            first[out] = round ? first[out] : t;
            best[out] = std::min(best[out], t);
            if (!out) {
                b.compute(round + 7, 1);
                memset(b.host, 0, 4096);
            }
        }
        b.check(round, round + 7);
    }
    for (int out = 0; out < 2; out++) {
        snprintf(text, sizeof text, "%s %s", name, out ? "out" : "in");
        row(text, (double)n / best[out] / 1e9, "GB/s");
        snprintf(text, sizeof text, "%s %s, first", name, out ? "out" : "in");
        row(text, first[out] * 1e3, "ms");
    }
}

static int rates(size_t n)
{
    rates_of("pageable", n, PAGEABLE);
    rates_of("pageable 64 MiB", 64 << 20, PAGEABLE);
    rates_of("pageable 16 MiB", 16 << 20, PAGEABLE);
    rates_of("pinned", n, PINNED);
    return 0;
}

typedef int (*event_fn)(cudaEvent_t);
typedef int (*stream_fn)(cudaStream_t);
template <typename F> static F driver_function(const char *name)
{
    void *p = NULL;
    cudaDriverEntryPointQueryResult found;
    MUST(cudaGetDriverEntryPointByVersion(name, &p, 12000, cudaEnableDefault, &found));
    return (F)p;
}

static int calls()
{
    enum { N_LAUNCHES = 100000, N_CALLS = 2000000 };
    std::vector<double> launch;
    cudaEvent_t e;
    cudaStream_t s;
    MUST(cudaEventCreate(&e));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (int k = 0; k < 6; k++) {
        double begin = now();
        for (int i = 0; i < N_LAUNCHES; i++)
            nothing<<<1, 32>>>();
        MUST(cudaDeviceSynchronize());
        launch.push_back(now() - begin);
    }
    row("launch", *std::min_element(launch.begin() + 1, launch.end()) / N_LAUNCHES * 1e6, "us");
    event_fn event =
        driver_function<event_fn>("cuEventSynchronize"); // of an event that was never recorded: nothing is waited for
    stream_fn stream = driver_function<stream_fn>("cuStreamSynchronize");
    for (int k = 0; k < 2; k++) {
        double best = 1e9;
        for (int again = 0; again < 5; again++) {
            double begin = now();
            for (int i = 0; i < N_CALLS / (k ? 10 : 1); i++)
                if (k ? stream(s) : event(e))
                    must(cudaErrorUnknown, "a cheap call");
            best = std::min(best, (now() - begin) / (N_CALLS / (k ? 10 : 1)));
        }
        row(k ? "cuStreamSynchronize" : "cuEventSynchronize", best * 1e6, "us");
    }
    return 0;
}

static int tasks(size_t n, int n_tasks, kind how)
{
    block b(n, how);
    double begin, took = 0;
    begin_together();
    for (int i = 0; i < n_tasks; i++) {
        b.fill((uint64_t)i);
        begin = now();
        b.copy(0);
        b.compute(3, 20);
        b.copy(1);
        took += now() - begin;
        b.check((uint64_t)i, 60);
    }
    row("tasks", took * 1e3, "ms");
    return 0;
}

/* The first and the last round are checked; what lies between keeps the link busy. */
static int loop(size_t n, double seconds, kind how, const char *way)
{
    block b(n, how);
    std::vector<double> each;
    double begin, end;
    uint64_t n_copies = 0;
    b.fill(1);
    b.copy(0);
    b.copy(1);
    begin_together();
    begin = now();
    do {
        if (strcmp(way, "out"))
            each.push_back(b.timed(0)), n_copies++;
        if (strcmp(way, "in"))
            each.push_back(b.timed(1)), n_copies++;
        end = now();
    } while (end - begin < seconds);
    std::sort(each.begin(), each.end());
    row("copied", (double)n * (double)n_copies / (end - begin) / 1e9, "GB/s");
    row("copies", (double)n_copies, "");
    row("a copy, median", each[each.size() / 2] * 1e3, "ms");
    row("a copy, longest", each.back() * 1e3, "ms");
    b.copy(1);
    b.check(1, 0);
    return 0;
}

static int small(size_t n, int n_copies, double period_ms, kind how, const char *way)
{
    block b(n, how);
    std::vector<double> each;
    double next;
    b.fill(2);
    for (int i = 0; i < 20; i++)
        b.copy(0), b.copy(1);
    begin_together();
    next = now();
    for (int i = 0; i < n_copies; i++, next += period_ms * 1e-3) {
        double wait = next - now();
        if (wait > 0)
            usleep((useconds_t)(wait * 1e6));
        each.push_back(b.timed(!strcmp(way, "out")));
    }
    std::sort(each.begin(), each.end());
    row("median", each[each.size() / 2] * 1e3, "ms");
    row("p99", each[std::min(each.size() - 1, each.size() * 99 / 100)] * 1e3, "ms");
    row("longest", each.back() * 1e3, "ms");
    b.copy(1);
    b.check(2, 0);
    return 0;
}

/* Copies of all kinds in one process at a time: a stream that waits at a gate, rings, and blocking copies of pinned memory. */
static void one_thread(int number, int n_rounds)
{
    size_t n = (size_t)(3 + 5 * (number % 4)) << 20;
    block b(n + 8 * (size_t)number, (kind)(number % 3));
    for (int i = 0; i < n_rounds; i++) {
        uint64_t round = (uint64_t)(number * 1000 + i);
        b.fill(round);
        b.copy(0);
        b.compute(5, 2);
        memset(b.host, 0, b.n_bytes);
        b.copy(1);
        b.check(round, 10);
    }
}

static int threads(int n, int n_rounds)
{
    std::vector<std::thread> all;
    double begin;
    MUST(cudaFree(0));
    begin_together();
    begin = now();
    for (int i = 0; i < n; i++)
        all.emplace_back(one_thread, i, n_rounds);
    for (auto &t : all)
        t.join();
    row("threads", (now() - begin) * 1e3, "ms");
    return 0;
}

__global__ void wrong(uint64_t *d) { *d = 1; }

static int fault(size_t n)
{
    block b(n, PAGEABLE);
    cudaError_t e;
    begin_together();
    b.fill(1);
    b.copy(0);
    wrong<<<1, 1>>>((uint64_t *)(uintptr_t)64);
    e = cudaDeviceSynchronize();
    printf("fault\t%s\n", cudaGetErrorName(e));
    fflush(stdout);
    _exit(e == cudaErrorIllegalAddress ? 0 : 1); // the context is lost: there is nothing that could be freed
}

static int work(int argc, char **argv)
{
    const char *what = argv[1];
    size_t mib = argc > 2 ? (size_t)atoi(argv[2]) : 0;
    if (!strcmp(what, "rates") && argc == 3)
        return rates(mib << 20);
    if (!strcmp(what, "calls") && argc == 2)
        return calls();
    if (!strcmp(what, "tasks") && argc == 5)
        return tasks(mib << 20, atoi(argv[3]), kind_of(argv[4]));
    if (!strcmp(what, "loop") && argc == 6)
        return loop(mib << 20, atof(argv[3]), kind_of(argv[4]), argv[5]);
    if (!strcmp(what, "small") && argc == 7)
        return small(mib << 20, atoi(argv[3]), atof(argv[4]), kind_of(argv[5]), argv[6]);
    if (!strcmp(what, "fault") && argc == 3)
        return fault(mib << 20);
    if (!strcmp(what, "threads") && argc == 4)
        return threads((int)mib, atoi(argv[3]));
    return 2;
}

int main(int argc, char **argv)
{
    const char *end = getenv("MOVER_END");
    int status = argc > 1 ? work(argc, argv) : 2;
    if (!status) {
        MUST(cudaDeviceSynchronize());
        if (end && system(end))
            printf("wrong: %s\n", end);
        printf("right %llx\n", (unsigned long long)sum.load());
    }
    return status;
}
