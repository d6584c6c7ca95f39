/* SPDX-License-Identifier: MIT */
/* kernels.c - a program with kernels that tell on a page which program computes. All programs that are started with one folder have the same page.
 *
 *   kernels FOLDER MODE ROUNDS [GO]   it copies once, waits for the file FOLDER/GO (go), then, so often:
 *      rounds   copies in, runs kernels in two streams, copies out and checks; by turns from each kind of memory
 *      hold     runs a kernel that ends when the file FOLDER/let is there
 *      pause    launches a kernel, and waits for it when the file FOLDER/on is there
 *      meet     runs a kernel that ends when two are inside, be it of another program
 *      both     the same, with two kernels of its own
 *      capture  captures two kernels, and checks that the graph has these two and nothing else
 *
 * Prints "right", how often a kernel ran beside one of another program, and how many waits the driver saw in streams. */
#include "api.h"

#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { N_BYTES = 1 << 18, HALF = N_BYTES / 2, MOST_RUNS = 4096, TRIES = 30000 };

typedef struct page {
    uint64_t owner; /* process << 32 | its kernels inside */
    uint32_t n_beside, n_inside, n_runs;
    uint32_t runs[MOST_RUNS]; /* processes, in the order in which their kernels began */
} page;

static page *shared;
static const char *folder;

static int is_there(const char *name)
{
    char path[4096];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return !stat(path, &s);
}

static void rest(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }

static void await_file(const char *name)
{
    for (int i = 0; !is_there(name); i++, rest())
        if (i == TRIES) {
            printf("%s never came\n", name);
            fflush(stdout);
            _exit(4);
        }
}

/* ---- kernels ---- */

/* 1: the GPU is this program's, as far as the page knows. */
static int enter(void)
{
    uint64_t mine = (uint64_t)getpid() << 32, now = __atomic_load_n(&shared->owner, __ATOMIC_ACQUIRE);
    uint32_t n = __atomic_fetch_add(&shared->n_runs, 1, __ATOMIC_ACQ_REL);
    if (n < MOST_RUNS)
        __atomic_store_n(&shared->runs[n], (uint32_t)getpid(), __ATOMIC_RELEASE);
    do
        if (now && now >> 32 != (uint64_t)getpid()) {
            __atomic_add_fetch(&shared->n_beside, 1, __ATOMIC_ACQ_REL);
            return 0;
        }
    while (!__atomic_compare_exchange_n(&shared->owner, &now, (now ? now : mine) + 1, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
    return 1;
}

static void leave(void)
{
    uint64_t now = __atomic_load_n(&shared->owner, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&shared->owner, &now, (uint32_t)now == 1 ? 0 : now - 1, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        ;
}

static void meet(void)
{
    __atomic_add_fetch(&shared->n_inside, 1, __ATOMIC_ACQ_REL);
    for (int i = 0; __atomic_load_n(&shared->n_inside, __ATOMIC_ACQUIRE) < 2; i++, rest())
        if (i == TRIES) {
            puts("nobody came");
            fflush(stdout);
            _exit(4);
        }
}

/* The driver calls it by its name: adds 1 to each byte of a half. */
void compute(void **params)
{
    unsigned char *data = *(unsigned char **)params[0];
    uint64_t mode = *(uint64_t *)params[1];
    int has_gpu = enter();
    if (mode == 'r')
        rest(); /* so that others would be met */
    if (mode == 'h')
        await_file("let");
    if (mode == 'm')
        meet();
    for (size_t i = 0; i < HALF; i++)
        data[i] = (unsigned char)(data[i] + 1);
    if (has_gpu)
        leave();
}

/* ---- the program ---- */

static CUdeviceptr device;
static CUstream streams[2];
static CUfunction function;
static unsigned char *memory[2]; /* pageable, pinned */

static void launch(int stream, uint64_t mode)
{
    CUdeviceptr half = device + (CUdeviceptr)stream * HALF;
    void *params[] = {&half, &mode, NULL};
    CUlaunchConfig config = {{1, 1, 1}, {32, 1, 1}, 0, streams[stream]};
    if (stream)
        TRY(cu.cuLaunchKernelEx(&config, function, params, NULL));
    else
        TRY(cu.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, streams[0], params, NULL));
}

static void one_round(int round)
{
    unsigned char *host = memory[round % 2];
    memset(host, round, N_BYTES);
    if (round % 2)
        for (int i = 0; i < 2; i++)
            TRY(cu.cuMemcpyHtoDAsync(device + (CUdeviceptr)i * HALF, host + i * HALF, HALF, streams[i]));
    else
        TRY(cu.cuMemcpyHtoD(device, host, N_BYTES));
    for (int i = 0; i < 4; i++)
        launch(i % 2, 'r');
    if (round % 3 == 0)
        TRY(cu.cuStreamSynchronize(streams[0])); /* what follows is another task */
    launch(1, 'r');
    for (int i = 0; round % 2 && i < 2; i++)
        TRY(cu.cuMemcpyDtoHAsync(host + i * HALF, device + (CUdeviceptr)i * HALF, HALF, streams[i]));
    if (round % 2)
        TRY(cu.cuCtxSynchronize());
    else {
        TRY(cu.cuStreamSynchronize(streams[1])); /* the default stream does not wait for it */
        TRY(cu.cuMemcpyDtoH(host, device, N_BYTES));
    }
    for (size_t i = 0; i < N_BYTES; i++)
        CHECK_MSG(host[i] == (unsigned char)(round + (i < HALF ? 2 : 3)), "round %d, byte %zu is %d", round, i,
                  host[i]);
}

static void one_launch(uint64_t mode, int n)
{
    const unsigned char *d = (const unsigned char *)(uintptr_t)device; /* the fake's device memory is ours */
    unsigned char before = d[0];
    for (int i = 0; i < n; i++)
        launch(i, mode == 'b' ? 'm' : mode);
    if (mode == 'p')
        await_file("on");
    TRY(cu.cuCtxSynchronize());
    for (size_t i = 0; i < (size_t)n * HALF; i++)
        CHECK_MSG(d[i] == (unsigned char)(before + 1), "byte %zu is %d", i, d[i]);
}

static void capture(void)
{
    CUgraph graph;
    TRY(cu.cuStreamBeginCapture(streams[0], 0));
    launch(0, 0);
    launch(0, 0);
    TRY(cu.cuStreamEndCapture(streams[0], &graph));
    CHECK_MSG((uintptr_t)graph == 2, "the graph has %u nodes", (unsigned)(uintptr_t)graph);
}

static void share_page_of(const char *path)
{
    char name[4096];
    int fd;
    void *p;
    folder = path;
    snprintf(name, sizeof name, "%s/page", folder);
    fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && !ftruncate(fd, sizeof(page)));
    p = mmap(NULL, sizeof(page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED);
    shared = p;
}

static void begin(void)
{
    CUcontext c;
    void *pinned;
    TRY(cu.cuInit(0));
    TRY(cu.cuDevicePrimaryCtxRetain(&c, 0));
    TRY(cu.cuCtxSetCurrent(c));
    TRY(cu.cuMemAlloc(&device, N_BYTES));
    TRY(cu.cuMemHostAlloc(&pinned, N_BYTES, 0));
    TRY(cu.cuModuleGetFunction(&function, NULL, "compute"));
    for (int i = 0; i < 2; i++)
        TRY(cu.cuStreamCreate(&streams[i], i ? CU_STREAM_NON_BLOCKING : 0));
    memory[0] = calloc(1, N_BYTES), memory[1] = pinned;
    memset(pinned, 0, N_BYTES);
    TRY(cu.cuMemcpyHtoD(device, memory[0], N_BYTES));
    TRY(cu.cuCtxSynchronize());
}

int main(int argc, char **argv)
{
    char mode = argc > 3 ? argv[2][0] : 0;
    if (!mode)
        return 2;
    share_page_of(argv[1]);
    api_load("lookup", NULL, 0);
    begin();
    await_file(argc > 4 ? argv[4] : "go");
    for (int round = 0; round < atoi(argv[3]); round++)
        if (mode == 'r')
            one_round(round);
        else if (mode == 'c')
            capture();
        else
            one_launch((uint64_t)mode, mode == 'b' ? 2 : 1);
    printf("right; beside others %u; waits in streams %llu\n", __atomic_load_n(&shared->n_beside, __ATOMIC_ACQUIRE),
           (unsigned long long)cu.calls("cuStreamWaitValue32_v2"));
    fflush(stdout);
    if (is_there("stay"))
        await_file("leave");
    return 0;
}
