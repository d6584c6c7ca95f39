/* SPDX-License-Identifier: MIT */
/* spin.h - a kernel that only takes time, for tests of heddle beside other work. */
#ifndef GPU_SPIN_H
#define GPU_SPIN_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif
/* n_blocks of n_threads, each spinning for ns, with shared_bytes of shared memory, so that they can fill an SM. */
cudaError_t spin_launch(cudaStream_t stream, uint32_t n_blocks, uint32_t n_threads, uint32_t shared_bytes, uint64_t ns);
/* Each block writes the number of its SM into memory of the GPU. */
cudaError_t spin_launch_seen(cudaStream_t stream, uint32_t n_blocks, uint32_t n_threads, uint64_t ns, uint32_t *sms);
#if defined(__cplusplus)
}
#endif

#endif
