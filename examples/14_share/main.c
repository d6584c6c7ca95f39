/* SPDX-License-Identifier: MIT */
/* main.c - 14_share NAME IN WORK OUT: a plain CUDA program. Copies IN MB to the GPU, computes OUT MB of them, WORK times, and copies these back;
 * all of it three times. It knows nothing of heddle: run.sh starts three of them side by side. */
#include "gpu.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, MB = 1 << 20, THREADS = 256 };

static int is_right(const unsigned char *bytes, uint64_t n, int expected)
{
    for (uint64_t i = 0; i < n; i++)
        if (bytes[i] != expected)
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    uint64_t n_in = (uint64_t)atoi(argv[2]) * MB, n_out = (uint64_t)atoi(argv[4]) * MB;
    unsigned char *in = malloc(n_in), *out = malloc(n_out); /* ordinary memory: the driver copies it slowly */
    CUfunction kernel = gpu_open();
    CUdeviceptr from, to;
    void *params[] = {&from, &n_in, &to, &n_out, NULL};
    int right = 1;
    must("cuMemAlloc", cu.MemAlloc(&from, n_in));
    must("cuMemAlloc", cu.MemAlloc(&to, n_out));
    for (int round = 0; round < ROUNDS; round++) {
        memset(in, round, n_in);
        must("cuMemcpyHtoD", cu.MemcpyHtoD(from, in, n_in));
        for (int i = 0; i < atoi(argv[3]); i++)
            must("cuLaunchKernel",
                 cu.LaunchKernel(kernel, (unsigned)(n_out / THREADS), 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
        must("cuMemcpyDtoH", cu.MemcpyDtoH(out, to, n_out));
        right &= is_right(out, n_out, round + 1);
    }
    printf("%s: %s\n", argv[1], right ? "right" : "wrong");
    return !right;
}
