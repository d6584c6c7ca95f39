/* SPDX-License-Identifier: MIT */
/* core/copy.h - host memory of a task of a pool that a worker on a GPU keeps in device memory while the body runs: the team copies it in
 * before the body, and out after it. nvcc only. So the body may read it as often as it likes, and no call of CUDA is made.
 *
 * The memory is the worker's, one piece for all its tasks (hd_pool.stage), so nothing is allocated for a task. The record's pointer to
 * the range is set to that memory. Ranges that do not fit are left to the host, which lets the body use host memory itself. */
#ifndef HEDDLE_CORE_COPY_H
#define HEDDLE_CORE_COPY_H

#include "heddle/core/block.h"

/* A lane's share of a copy in units of one type. */
template <typename Unit>
static __device__ __forceinline__ void hd_copy_units(void *to, const void *from, uint32_t begin, uint32_t n,
                                                     const heddle_thread *thread)
{
    uint32_t k;
#pragma unroll 4
    for (k = begin + thread->index; k < n; k += thread->team_size)
        ((Unit *)to)[k] = ((const Unit *)from)[k];
}

/* All threads of a team: the other side of the copy is a multiple of 16. */
static __device__ __forceinline__ void hd_copy_bytes(void *to, const void *from, uint64_t host, uint32_t n,
                                                     const heddle_thread *thread)
{
    const uint32_t unit = host % 16u == 0u ? 16u : host % 4u == 0u ? 4u : 1u, whole = n / unit;
    if (unit == 16u)
        hd_copy_units<uint4>(to, from, 0, whole, thread);
    else if (unit == 4u)
        hd_copy_units<uint32_t>(to, from, 0, whole, thread);
    hd_copy_units<uint8_t>(to, from, unit == 1u ? 0u : whole * unit, n, thread);
}

/* All threads of a team, before the body: copies in, and sets the pointers of the record. */
static __device__ __forceinline__ void hd_copies_in(const hd_copy *copies, uint32_t n, uint8_t *stage, void *record,
                                                    const heddle_thread *thread)
{
    uint32_t k;
    for (k = 0; k < n; k++) {
        const hd_copy c = copies[k];
        if (c.at_mode & HD_COPY_IN)
            hd_copy_bytes(stage, (const void *)(uintptr_t)c.host, c.host, c.n_bytes, thread);
        if (thread->index == 0)
            *(uint64_t *)((char *)record + (c.at_mode >> HD_COPY_MODES)) = (uint64_t)(uintptr_t)stage;
        stage += hd_copy_room(c.n_bytes);
    }
    hd_team_meet(thread);
}

/* All threads of a team, after the body. */
static __device__ __forceinline__ void hd_copies_out(const hd_copy *copies, uint32_t n, const uint8_t *stage,
                                                     const heddle_thread *thread)
{
    uint32_t k;
    hd_team_meet(thread);
    for (k = 0; k < n; k++) {
        const hd_copy c = copies[k];
        if (c.at_mode & HD_COPY_OUT)
            hd_copy_bytes((void *)(uintptr_t)c.host, stage, c.host, c.n_bytes, thread);
        stage += hd_copy_room(c.n_bytes);
    }
}
#endif
