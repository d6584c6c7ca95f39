/* SPDX-License-Identifier: MIT */
/* launch.c - sums the times of launches (launch.h). */
#include "launch.h"

#include "clock.h"
#include "stage.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 1024 };

typedef struct kernel {
    CUfunction f; /* NULL: none */
    char name[64];
    uint64_t n_blocks, n, ns;
    uint32_t block_threads;
} kernel;

static kernel kernels[MOST_KERNELS];
static uint32_t n_kernels;
int share_launch_is_timed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("HEDDLE_SHARE_TIMED");
    share_launch_is_timed = text && !strcmp(text, "1");
}

uint64_t share_launch_begin(const share_driver *real, CUstream s)
{
    int status = 1;
    if (!real->cuStreamIsCapturing || real->cuStreamIsCapturing(s, &status) != CUDA_SUCCESS || status ||
        share_stage_finish(real, s) != CUDA_SUCCESS)
        return 0;
    return share_now_ns();
}

static void name_kernel(const share_driver *real, kernel *k)
{
    const char *name = NULL;
    if (!real->cuFuncGetName || real->cuFuncGetName(&name, k->f) != CUDA_SUCCESS || !name) {
        snprintf(k->name, sizeof k->name, "kernel-%" PRIu32, n_kernels);
        return;
    }
    for (size_t i = 0; name[i] && i < sizeof k->name - 1; i++)
        k->name[i] = name[i] > ' ' && name[i] < 127 && name[i] != '"' && name[i] != '\\' ? name[i] : '?';
}

/* NULL: there is no room for another one. */
static kernel *find(const share_driver *real, CUfunction f, uint64_t n_blocks, uint32_t block_threads)
{
    kernel *k = kernels;
    for (; k < kernels + n_kernels; k++)
        if (k->f == f && k->n_blocks == n_blocks && k->block_threads == block_threads)
            return k;
    if (n_kernels == MOST_KERNELS)
        return NULL;
    k->f = f, k->n_blocks = n_blocks, k->block_threads = block_threads;
    name_kernel(real, k);
    n_kernels++;
    return k;
}

uint64_t share_launch_end(const share_driver *real, CUfunction f, uint64_t n_blocks, uint32_t block_threads, CUstream s,
                          uint64_t begin_ns)
{
    uint64_t ns;
    kernel *k;
    if (share_stage_finish(real, s) != CUDA_SUCCESS)
        return 0;
    ns = share_now_ns() - begin_ns;
    pthread_mutex_lock(&lock);
    k = find(real, f, n_blocks, block_threads);
    if (k)
        k->n++, k->ns += ns;
    pthread_mutex_unlock(&lock);
    return ns;
}

void share_launch_print(FILE *out)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < n_kernels; i++)
        fprintf(out,
                "%s\n  {\"name\": \"%s\", \"block\": %" PRIu32 ", \"blocks\": %" PRIu64 ", \"n\": %" PRIu64
                ", \"ns\": %" PRIu64 "}",
                i ? "," : "", kernels[i].name, kernels[i].block_threads, kernels[i].n_blocks, kernels[i].n,
                kernels[i].ns);
    pthread_mutex_unlock(&lock);
}
