/* SPDX-License-Identifier: MIT */
/* behind.c - one thread puts copies of pinned memory into a stream; another makes blocking copies of pinned memory, which by the rules
 * of the legacy stream come behind those. Beside other programs the copies in the stream wait at gates.
 *
 *   behind N  copies of a MiB by each; prints "right" */
#include "api.h"

#include "check.h"

#include <pthread.h>

enum { N_BYTES = 1 << 20 };

static CUcontext context;
static int n_copies;

typedef struct block {
    unsigned char *host;
    CUdeviceptr device;
} block;

static block new_block(unsigned char value)
{
    block b;
    void *p;
    TRY(cu.cuMemHostAlloc(&p, N_BYTES, 0));
    TRY(cu.cuMemAlloc(&b.device, N_BYTES));
    b.host = p;
    memset(b.host, value, N_BYTES);
    return b;
}

static void check_block(const block *b, unsigned char value)
{
    const unsigned char *d = (const unsigned char *)(uintptr_t)b->device; /* the fake's device memory is ours */
    for (size_t i = 0; i < N_BYTES; i++)
        CHECK_MSG(d[i] == value, "byte %zu is %d", i, d[i]);
}

static void *in_stream(void *unused)
{
    block b;
    CUstream s;
    (void)unused;
    TRY(cu.cuCtxSetCurrent(context));
    b = new_block(3);
    TRY(cu.cuStreamCreate(&s, 0));
    for (int i = 0; i < n_copies; i++) {
        TRY(cu.cuMemcpyHtoDAsync(b.device, b.host, N_BYTES, s));
        TRY(cu.cuStreamSynchronize(s));
    }
    check_block(&b, 3);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t other;
    block b;
    n_copies = argc > 1 ? atoi(argv[1]) : 0;
    api_load("lookup", NULL, 0);
    TRY(cu.cuInit(0));
    TRY(cu.cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cu.cuCtxSetCurrent(context));
    b = new_block(5);
    CHECK(!pthread_create(&other, NULL, in_stream, NULL));
    for (int i = 0; i < n_copies; i++)
        TRY(cu.cuMemcpyHtoD(b.device, b.host, N_BYTES));
    pthread_join(other, NULL);
    check_block(&b, 5);
    puts("right");
    return 0;
}
