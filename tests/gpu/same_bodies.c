/* SPDX-License-Identifier: MIT */
/* same_bodies.c - a body hashes its number, its arguments and the bytes it reads into the bytes it writes. A task that
 * runs too early, too late, twice or not at all therefore changes the result. Threads divide the bytes; each read byte
 * counts with its place, in a sum that does not depend on order, so the number of threads makes no difference. Each
 * task also checks by plain loads that its predecessors have run in this run. */
#include "same_bodies.h"

HD_FN uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Offset of byte i of a range, counted along its rows. */
HD_FN uint32_t place(const same_range *r, uint32_t i)
{
    return r->at + i / r->row_bytes * r->stride_bytes + i % r->row_bytes;
}

HD_FN void look(const heddle_thread *thread, const same_params *params, uint32_t t)
{
    const same_task *task = &params->task[t];
    HEDDLE_EACH (i, task->n_before)
        if (params->ran[params->before[task->before + (uint32_t)i]] != params->run)
            *params->wrong = t + 1;
    if (thread->index == 0 && params->ran[t] != params->run - 1)
        *params->wrong = t + 1;
}

HD_FN uint64_t read_all(const heddle_thread *thread, const same_params *params, uint32_t t, const uint8_t *args)
{
    const same_task *task = &params->task[t];
    uint64_t h = mix(0xcbf29ce484222325u, t);
    for (uint32_t i = 0; i < task->arg_bytes; i++)
        h = mix(h, args[i]);
    HEDDLE_EACH_PARTIAL (v) {
        int64_t sum = 0;
        for (uint32_t k = 0; k < task->n_ranges; k++) {
            const same_range *r = &task->range[k];
            if (r->mode & HEDDLE_MODE_IN)
                for (uint32_t i = (uint32_t)v; i < r->row_bytes * r->n_rows; i += HEDDLE_N_PARTIALS)
                    sum += (int64_t)(mix(place(r, i), params->arena[place(r, i)]) >> 20);
        }
        heddle_team_partial_i64(thread)[v] = sum;
    }
    return mix(h, (uint64_t)heddle_team_reduce_i64(thread, HEDDLE_SUM));
}

/* A byte's new value depends only on its place and the task, so ranges of a task may overlap. */
HD_FN void write_all(const heddle_thread *thread, const same_params *params, uint32_t t, uint64_t h)
{
    const same_task *task = &params->task[t];
    for (uint32_t k = 0; k < task->n_ranges; k++) {
        const same_range *r = &task->range[k];
        if (r->mode & HEDDLE_MODE_OUT)
            HEDDLE_EACH (i, r->row_bytes * r->n_rows)
                params->arena[place(r, (uint32_t)i)] = (uint8_t)(mix(h, place(r, (uint32_t)i)) >> 32);
    }
}

/* Not inlined into thirteen bodies of some twenty kernels each, which would dominate compile time. */
#if defined(__CUDACC__)
#define SAME_FN static __host__ __device__ __noinline__
#else
#define SAME_FN static
#endif

SAME_FN void run(const heddle_thread *thread, const same_params *params, const void *args)
{
    uint32_t t = params->index[thread->task];
    uint64_t h, until;
    if (t == 0xffffffffu || (uintptr_t)args % 16) {
        *params->wrong = 1;
        return;
    }
    look(thread, params, t);
    h = read_all(thread, params, t, (const uint8_t *)args); /* its barriers separate reads from writes */
    until = hd_clock() + params->task[t].pause_ns;
    while (params->task[t].pause_ns && hd_clock() < until)
        continue;
    write_all(thread, params, t, h);
    if (thread->index == 0)
        params->ran[t] = params->run;
}

#define SAME_BODY(n) \
    HEDDLE_BODY(same_##n, same_params, params, same_args_##n, t) { run(thread, params, t); }
SAME_BODY(0)
SAME_BODY(1)
SAME_BODY(4)
SAME_BODY(8)
SAME_BODY(16)
SAME_BODY(40)
SAME_BODY(63)
SAME_BODY(64)
SAME_BODY(65)
SAME_BODY(100)
SAME_BODY(128)
SAME_BODY(200)
SAME_BODY(300)
HEDDLE_TABLE(same, same_params, SAME_BODIES)
