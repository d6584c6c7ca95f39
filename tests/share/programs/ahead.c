/* SPDX-License-Identifier: MIT */
/* ahead.c - a program that does with memory and streams what CUDA allows as soon as a copy of pageable memory has returned: writes over
 * its buffer, frees it, puts more into streams, frees the device's memory, ends its context, or itself.
 *
 *   ahead bytes THREADS ROUNDS KBYTES SEED
 *   ahead order|behind|told|own|free|contexts|release|exit|loop KBYTES
 *   ahead several KBYTES N
 *
 * `bytes` has streams of each kind. `order` sees what streams, events and other streams know of a copy that is on its way. `several` makes
 * N blocking copies in a row, then kernels. `behind` sees that a blocking copy begins when a kernel before it has ended; `told` sees the same
 * of events, callbacks and other streams; `own` sees it of kernels where default streams are the threads' own, and another thread copies.
 * `free`, `contexts` and `exit` give memory, the context, or the program away right after a copy. In `release` a user of the context gives it up
 * again and again, while others copy. `loop` copies for ever.
 *
 * Prints "right", how many copies were on their way when their calls had returned, and how many in a row were so at once. */
#include "add.h"
#include "api.h"

#include "check.h"

#include <pthread.h>
#include <unistd.h>

static CUcontext context;
static uint64_t seed;
static size_t most_bytes;
static int n_rounds;
static int n_early; /* an atom */
static int n_at_once;

/* A kernel that takes its time, and then says so in memory of the host. */
static int has_computed; /* an atom */
__attribute__((visibility("default"))) void compute(void **params);
void compute(void **params)
{
    (void)params;
    usleep(100000);
    __atomic_store_n(&has_computed, 1, __ATOMIC_SEQ_CST);
}

typedef struct block {
    unsigned char *host;
    CUdeviceptr device;
    size_t n;
} block;

static unsigned char value(size_t i, uint64_t tint) { return (unsigned char)(i * 7 + (i >> 12) + tint); }

static block new_block(size_t n)
{
    block b = {malloc(n), 0, n};
    TRY(cu.cuMemAlloc(&b.device, n));
    return b;
}

static void set(const block *b, uint64_t tint)
{
    for (size_t i = 0; i < b->n; i++)
        b->host[i] = value(i, tint);
}

static void free_block(block *b)
{
    TRY(cu.cuMemFree(b->device));
    free(b->host);
}

/* The fake's device memory is ours to read, once the program has waited. */
static void check_device(const block *b, uint64_t tint)
{
    const unsigned char *d = (const unsigned char *)(uintptr_t)b->device;
    for (size_t i = 0; i < b->n; i++)
        CHECK_MSG(d[i] == value(i, tint), "byte %zu of %zu is %d", i, b->n, d[i]);
}

static void count_early(CUstream s)
{
    if (cu.cuStreamQuery(s) == CUDA_ERROR_NOT_READY)
        __atomic_add_fetch(&n_early, 1, __ATOMIC_RELAXED);
}

static CUstream default_stream; /* NULL, or the number of the thread's own */

/* What stands in the buffer at the call counts, and nothing that comes later. */
static void copy_set(const block *b, CUstream s, int form)
{
    switch (form) {
    case 0: TRY(cu.cuMemcpyHtoD(b->device, b->host, b->n)); break;
    case 1: TRY(cu.cuMemcpy(b->device, (CUdeviceptr)(uintptr_t)b->host, b->n)); break;
    case 2: TRY(cu.cuMemcpyHtoDAsync(b->device, b->host, b->n, s)); break;
    default: TRY(cu.cuMemcpyAsync(b->device, (CUdeviceptr)(uintptr_t)b->host, b->n, s)); break;
    }
    memset(b->host, 0xee, b->n);
    count_early(form < 2 ? default_stream : s);
}

static void copy_in(const block *b, CUstream s, int form, uint64_t tint)
{
    set(b, tint);
    copy_set(b, s, form);
}

static void launch(const char *name, const block *b, CUstream s, uint64_t by)
{
    CUfunction f;
    uint64_t n = b->n;
    CUdeviceptr d = b->device;
    void *params[] = {&d, &n, &by, NULL};
    TRY(cu.cuModuleGetFunction(&f, NULL, name));
    TRY(cu.cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, params, NULL));
}

/* ---- bytes ---- */

/* One way to wait for the stream. */
static void finish(CUstream s, int way)
{
    CUevent e;
    switch (way) {
    case 0: TRY(cu.cuStreamSynchronize(s)); break;
    case 1: TRY(cu.cuCtxSynchronize()); break;
    case 2:
        while (cu.cuStreamQuery(s) == CUDA_ERROR_NOT_READY)
            usleep(50);
        break;
    default:
        TRY(cu.cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
        TRY(cu.cuEventRecord(e, s));
        TRY(cu.cuEventSynchronize(e));
        TRY(cu.cuEventDestroy(e));
    }
}

static void one_round(uint64_t *state)
{
    int kind = (int)check_below(state, 3), form = (int)check_below(state, 4), n = 1 + (int)check_below(state, 3);
    CUstream s = NULL;
    block b[3];
    uint64_t tint = check_random(state), by = check_below(state, 255);
    if (kind)
        TRY(cu.cuStreamCreate(&s, kind == 1 ? 0 : CU_STREAM_NON_BLOCKING));
    if (kind == 2 && form < 2) /* nothing orders such a stream and the default one */
        form = 2;
    for (int i = 0; i < n; i++) {
        b[i] = new_block(check_below(state, most_bytes) + 1);
        copy_in(&b[i], s, form, tint + (uint64_t)i);
        launch("add_to_bytes", &b[i], s, by);
    }
    finish(s, (int)check_below(state, 4));
    for (int i = 0; i < n; i++) {
        check_device(&b[i], tint + (uint64_t)i + by);
        TRY(cu.cuMemcpyDtoH(b[i].host, b[i].device, b[i].n)); /* by another stream */
        for (size_t k = 0; k < b[i].n; k++)
            CHECK(b[i].host[k] == value(k, tint + (uint64_t)i + by));
        free_block(&b[i]);
    }
    if (s)
        TRY(cu.cuStreamDestroy(s));
}

static void *work(void *number)
{
    uint64_t state = seed * 1000 + (uint64_t)(uintptr_t)number;
    TRY(cu.cuCtxSetCurrent(context));
    for (int i = 0; i < n_rounds; i++)
        one_round(&state);
    return NULL;
}

static void bytes(int n)
{
    pthread_t threads[16];
    CHECK(n <= 16);
    for (int i = 1; i < n; i++)
        CHECK(!pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i));
    work(NULL);
    for (int i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
}

/* ---- one thing at a time ---- */

static void order(void)
{
    block b = new_block(most_bytes), small = new_block(100);
    CUstream blocking, other;
    CUevent e;
    TRY(cu.cuStreamCreate(&blocking, 0));
    TRY(cu.cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    TRY(cu.cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    copy_in(&b, NULL, 0, 1); /* a kernel of a stream that the legacy one orders */
    launch("add_to_bytes", &b, blocking, 5);
    TRY(cu.cuStreamSynchronize(blocking));
    check_device(&b, 6);
    copy_in(&b, blocking, 2, 2); /* an event behind it, for a stream that nothing else orders */
    TRY(cu.cuEventRecord(e, blocking));
    TRY(cu.cuStreamWaitEvent(other, e, 0));
    launch("add_to_bytes", &b, other, 3);
    TRY(cu.cuStreamSynchronize(other));
    check_device(&b, 5);
    copy_in(&b, other, 2, 3); /* a small copy, which is the driver's */
    TRY(cu.cuMemcpyHtoDAsync(small.device, small.host, small.n, other));
    check_device(&b, 3);
    copy_in(&b, NULL, 0, 4); /* a copy out, which comes behind it */
    TRY(cu.cuMemcpyDtoH(b.host, b.device, b.n));
    CHECK(b.host[b.n - 1] == value(b.n - 1, 4));
    free_block(&b), free_block(&small);
}

/* Read while the copy may be on its way. */
__attribute__((no_sanitize("thread"))) static int has_arrived(const block *b, uint64_t tint)
{
    const volatile unsigned char *d = (const volatile unsigned char *)(uintptr_t)b->device;
    return d[b->n - 1] == value(b->n - 1, tint);
}

static void several(int n)
{
    block b[16];
    CHECK(n <= 16);
    for (int i = 0; i < n; i++) {
        b[i] = new_block(most_bytes);
        set(&b[i], (uint64_t)i);
    }
    for (int i = 0; i < n; i++)
        copy_set(&b[i], NULL, 0);
    for (int i = 0; i < n; i++)
        n_at_once += !has_arrived(&b[i], (uint64_t)i);
    for (int i = 0; i < n; i++)
        launch("add_to_bytes", &b[i], NULL, 1);
    TRY(cu.cuCtxSynchronize());
    for (int i = 0; i < n; i++) {
        check_device(&b[i], (uint64_t)i + 1);
        free_block(&b[i]);
    }
}

static void behind(void)
{
    block b = new_block(most_bytes);
    copy_in(&b, NULL, 0, 1);
    launch("compute", &b, NULL, 0);
    copy_in(&b, NULL, 0, 2);
    CHECK(__atomic_load_n(&has_computed, __ATOMIC_SEQ_CST));
    TRY(cu.cuCtxSynchronize());
    check_device(&b, 2);
    free_block(&b);
}

static void say_so(CUstream s, CUresult status, void *unused)
{
    (void)s, (void)unused;
    CHECK(status == CUDA_SUCCESS);
    __atomic_store_n(&has_computed, 1, __ATOMIC_SEQ_CST);
}

/* A blocking copy waits for what was put into its stream before, and a program can see that by an event, a callback, and other streams. */
static void told(void)
{
    block b = new_block(most_bytes), other = new_block(most_bytes);
    CUevent e;
    CUstream s;
    TRY(cu.cuStreamCreate(&s, 0));
    TRY(cu.cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    copy_in(&b, NULL, 0, 1);
    TRY(cu.cuEventRecord(e, NULL));
    copy_in(&b, NULL, 0, 2);
    CHECK(cu.cuEventQuery(e) == CUDA_SUCCESS);
    TRY(cu.cuEventRecordWithFlags(e, NULL, 0));
    copy_in(&b, NULL, 0, 3);
    CHECK(cu.cuEventQuery(e) == CUDA_SUCCESS);
    TRY(cu.cuStreamAddCallback(NULL, say_so, NULL, 0));
    copy_in(&b, NULL, 0, 4);
    CHECK(__atomic_load_n(&has_computed, __ATOMIC_SEQ_CST));
    copy_in(&other, s, 2, 5);
    copy_in(&b, NULL, 0, 6);
    CHECK(cu.cuStreamQuery(s) == CUDA_SUCCESS);
    TRY(cu.cuCtxSynchronize());
    check_device(&b, 6);
    check_device(&other, 5);
    free_block(&b), free_block(&other);
}

static int n_others, has_ended; /* copies of another thread: an atom */

static void *copy_on(void *unused)
{
    block b;
    (void)unused;
    TRY(cu.cuCtxSetCurrent(context));
    b = new_block(most_bytes);
    while (!__atomic_load_n(&has_ended, __ATOMIC_SEQ_CST)) {
        copy_set(&b, NULL, 0);
        __atomic_add_fetch(&n_others, 1, __ATOMIC_SEQ_CST);
    }
    TRY(cu.cuStreamSynchronize(NULL));
    free_block(&b);
    return NULL;
}

static void own(void)
{
    block b = new_block(most_bytes);
    pthread_t other;
    int before;
    CHECK(!pthread_create(&other, NULL, copy_on, NULL));
    copy_in(&b, NULL, 0, 1);
    launch("compute", &b, NULL, 0);
    before = __atomic_load_n(&n_others, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&n_others, __ATOMIC_SEQ_CST) < before + 2)
        usleep(100);
    copy_in(&b, NULL, 0, 2);
    CHECK(__atomic_load_n(&has_computed, __ATOMIC_SEQ_CST));
    TRY(cu.cuStreamSynchronize(NULL));
    check_device(&b, 2);
    __atomic_store_n(&has_ended, 1, __ATOMIC_SEQ_CST);
    pthread_join(other, NULL);
    free_block(&b);
}

static void free_at_once(void)
{
    for (int i = 0; i < 6; i++) {
        block b = new_block(most_bytes);
        copy_in(&b, NULL, i & 1, (uint64_t)i);
        free_block(&b);
    }
    several(1);
}

static void contexts(void)
{
    CUcontext first = context;
    for (int i = 0; i < 3; i++) {
        CUcontext c;
        block b;
        TRY(cu.cuCtxCreate(&c, 0, 0));
        b = new_block(most_bytes);
        copy_in(&b, NULL, 0, (uint64_t)i);
        if (i == 1) { /* another context has a copy on its way meanwhile */
            TRY(cu.cuCtxSetCurrent(first));
            several(1);
        }
        TRY(cu.cuCtxDestroy(c));
        free(b.host);
        TRY(cu.cuCtxSetCurrent(first));
    }
    several(2);
}

static int n_copying; /* an atom */

static void *copy_some(void *number)
{
    block b;
    CUstream s;
    TRY(cu.cuCtxSetCurrent(context));
    TRY(cu.cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    b = new_block(most_bytes);
    for (uint64_t i = 0; i < (CHECK_IS_SLOW ? 5 : 20); i++) {
        copy_in(&b, s, 2, i + (uintptr_t)number);
        TRY(cu.cuStreamSynchronize(s));
        check_device(&b, i + (uintptr_t)number);
    }
    free_block(&b);
    TRY(cu.cuStreamDestroy(s));
    __atomic_sub_fetch(&n_copying, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void release(void)
{
    enum { N = 4 };
    pthread_t threads[N];
    n_copying = N;
    for (int i = 0; i < N; i++)
        CHECK(!pthread_create(&threads[i], NULL, copy_some, (void *)(uintptr_t)i));
    while (__atomic_load_n(&n_copying, __ATOMIC_SEQ_CST)) {
        CUcontext again;
        TRY(cu.cuDevicePrimaryCtxRetain(&again, 0));
        TRY(cu.cuDevicePrimaryCtxRelease(0));
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
}

static void loop(void)
{
    for (uint64_t i = 0;; i++) {
        block b = new_block(most_bytes);
        copy_in(&b, NULL, 0, i);
        copy_in(&b, NULL, 0, i + 1);
        TRY(cu.cuCtxSynchronize());
        check_device(&b, i + 1);
        free_block(&b);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    int is_bytes = !strcmp(what, "bytes") && argc > 5;
    if (!strcmp(what, "own"))
        default_stream = CU_STREAM_PER_THREAD;
    api_load(default_stream ? "lookup-own" : "lookup", NULL, 0);
    TRY(cu.cuInit(0));
    TRY(cu.cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cu.cuCtxSetCurrent(context));
    most_bytes = (size_t)atoi(argv[is_bytes ? 4 : 2]) << 10;
    if (is_bytes) {
        n_rounds = atoi(argv[3]), seed = strtoull(argv[5], NULL, 0);
        bytes(atoi(argv[2]));
    } else if (!strcmp(what, "order"))
        order();
    else if (!strcmp(what, "several") && argc > 3)
        several(atoi(argv[3]));
    else if (!strcmp(what, "behind"))
        behind();
    else if (!strcmp(what, "told"))
        told();
    else if (!strcmp(what, "own"))
        own();
    else if (!strcmp(what, "free"))
        free_at_once();
    else if (!strcmp(what, "contexts"))
        contexts();
    else if (!strcmp(what, "release"))
        release();
    else if (!strcmp(what, "loop"))
        loop();
    else if (!strcmp(what, "exit")) {
        block b = new_block(most_bytes);
        copy_in(&b, NULL, 0, 1);
    } else
        return 2;
    printf("right; early %d; at once %d; waits in streams %llu\n", n_early, n_at_once,
           (unsigned long long)cu.calls("cuStreamWaitValue32_v2"));
    return 0;
}
