/* SPDX-License-Identifier: MIT */
/* spin.cu - implements spin.h. */
#include "spin.h"

static __global__ void spin(uint64_t ns, uint32_t *sms)
{
    uint64_t begin, now;
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sms && !threadIdx.x)
        sms[blockIdx.x] = sm;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
}

extern "C" cudaError_t spin_launch(cudaStream_t stream, uint32_t n_blocks, uint32_t n_threads, uint32_t shared_bytes,
                                   uint64_t ns)
{
    cudaError_t r =
        cudaFuncSetAttribute((const void *)spin, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
    if (r != cudaSuccess)
        return r;
    spin<<<n_blocks, n_threads, shared_bytes, stream>>>(ns, NULL);
    return cudaGetLastError();
}

extern "C" cudaError_t spin_launch_seen(cudaStream_t stream, uint32_t n_blocks, uint32_t n_threads, uint64_t ns,
                                        uint32_t *sms)
{
    spin<<<n_blocks, n_threads, 0, stream>>>(ns, sms);
    return cudaGetLastError();
}
