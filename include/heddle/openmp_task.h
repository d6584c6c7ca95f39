/* SPDX-License-Identifier: MIT */
/* heddle/openmp_task.h - macros and functions for the task bodies that heddlec generates, in C11, C++ and CUDA.
 *
 * All threads of a worker run a body. Between two inner parallel regions they take the same path, each with its own copy of
 * local variables; thread 0 alone changes memory (HEDDLE_OMP_ONE), with a barrier on either side. In an inner region they
 * divide loops (HEDDLE_OMP_FOR) and combine results (HEDDLE_OMP_REDUCE). The macros use the thread as hd_thread.
 *
 * How a loop is divided. On the host each thread takes one stretch of the outermost loop, and the loops keep the user's form:
 * with one thread, which takes all, compilers optimise them like the user's. On a GPU neighbouring threads take
 * neighbouring iterations of all loops together, so that loads are coalesced. HEDDLE_OMP_FLAT gives the host the GPU's
 * form, so that emulated threads test it.
 *
 * On a GPU no task data is read through restrict pointers (heddle/task.h says why). */
#ifndef HEDDLE_OPENMP_TASK_H
#define HEDDLE_OPENMP_TASK_H

#include "heddle/openmp.h"
#include "heddle/task.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#if !defined(__CUDA_ARCH__)
#include <sched.h>
#endif

/* No warnings for variables that the user's text leaves unused, or that threads replace by their own. */
#if defined(__CUDACC__)
#pragma nv_diag_suppress 177, 550
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#endif

/* ---- C, C++ and CUDA ------------------------------------------------------------------------------------------------- */

/* Functions of the program, and its constant tables. */
#if defined(__CUDACC__)
#define HEDDLE_OMP_FN static inline __host__ __device__ HEDDLE_UNUSED
#else
#define HEDDLE_OMP_FN static inline HEDDLE_UNUSED
#endif
#if defined(__CUDA_ARCH__)
#define HEDDLE_OMP_CONST __device__
#define HEDDLE_OMP_ON_HOST 0
#else
#define HEDDLE_OMP_CONST
#define HEDDLE_OMP_ON_HOST 1
#endif
#if defined(__CUDACC__)
/* CUDA has memcpy and memset for the device, and no memmove. */
HD_FN void *heddle_omp_move(void *to, const void *from, size_t n)
{
#if defined(__CUDA_ARCH__)
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    if (t <= f)
        for (size_t i = 0; i < n; i++)
            t[i] = f[i];
    else
        while (n-- > 0)
            t[n] = f[n];
    return to;
#else
    return memmove(to, from, n);
#endif
}
#define memmove heddle_omp_move
#endif
/* Stands before the prototype of a function that is compiled with what its caller knows, above all of hd_thread. */
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
#define HEDDLE_OMP_WITHIN __attribute__((always_inline))
#else
#define HEDDLE_OMP_WITHIN
#endif

/* restrict, _Static_assert, and an array of variable length. */
#if defined(__cplusplus)
#define HEDDLE_OMP_RESTRICT
#define HEDDLE_OMP_STATIC_ASSERT static_assert
#define HEDDLE_OMP_ALIGNAS alignas
#define HEDDLE_OMP_VLA(T, name, n, top) \
    T *name = (T *)heddle_omp_push(hd_thread, &hd_params->head, &(top), sizeof(T) * (size_t)(n))
#else
#define HEDDLE_OMP_RESTRICT restrict
#define HEDDLE_OMP_STATIC_ASSERT _Static_assert
#define HEDDLE_OMP_ALIGNAS _Alignas
#define HEDDLE_OMP_VLA(T, name, n, top) T name[(n) > 0 ? (n) : 1]
#endif

/* Stands before a loop that the user declares to have independent iterations. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define HEDDLE_OMP_SIMD _Pragma("GCC ivdep")
#else
#define HEDDLE_OMP_SIMD
#endif

/* Ends the program because a task cannot go on; prints what is wrong at which line of the user's source. */
HD_SELDOM_FN void heddle_omp_trap(const heddle_thread *thread, const char *file, int line, const char *what)
{
#if defined(__CUDA_ARCH__)
    printf("%s:%d: %s (task %u)\n", file, line, what, thread->task);
    __trap();
#else
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s (task %u)\n", file, line, what, thread->task);
    abort();
#endif
}

/* exit in a task. A device cannot end the program with a status, so there it is heddle_omp_trap. */
HD_SELDOM_FN void heddle_omp_leave(const heddle_thread *thread, const char *file, int line, int status)
{
#if defined(__CUDA_ARCH__)
    (void)status;
    heddle_omp_trap(thread, file, line, "exit was called");
#else
    (void)thread, (void)file, (void)line;
    exit(status);
#endif
}

/* lgamma without the variable in which C's function stores the sign. */
HD_FN double heddle_omp_lgamma(double x)
{
#if defined(__CUDA_ARCH__)
    return lgamma(x);
#else
    int sign;
#if !defined(__cplusplus)
    extern double lgamma_r(double, int *); /* which -std=c99 hides */
#endif
    return lgamma_r(x, &sign);
#endif
}

/* omp_get_wtime. */
HD_FN double heddle_omp_seconds(void) { return (double)hd_clock() * 1e-9; }

/* sleep and usleep: the worker does nothing else meanwhile. Never interrupted, so it returns 0. */
HD_SELDOM_FN int heddle_omp_sleep(double ns)
{
    const uint64_t end = hd_clock() + (ns > 0 ? (uint64_t)ns : 0u);
    while (hd_clock() < end)
        HD_PAUSE(4u);
    return 0;
}

/* Outside of inner regions a task sees its worker as its thread. */
HD_FN heddle_thread heddle_omp_worker(const heddle_thread *thread, const heddle_omp_params *params)
{
    heddle_thread worker = *thread;
    worker.index = thread->worker;
    worker.team_size = (uint32_t)params->n_workers;
    return worker;
}

/* ---- bodies ---------------------------------------------------------------------------------------------------------- */

HD_FN heddle_thread heddle_omp_alone(const heddle_thread *thread)
{
    heddle_thread alone = *thread;
    alone.index = 0;
    alone.team_size = 1;
    alone.emulated = NULL;
    return alone;
}
/* Threads of a GPU come in warps: the compiler may drop code for teams of one. */
#if defined(__CUDA_ARCH__)
#define HEDDLE_OMP_SEVERAL(thread) __builtin_assume((thread)->team_size >= 32u)
#else
#define HEDDLE_OMP_SEVERAL(thread) ((void)0)
#endif
/* The body of a task with inner regions; it sees hd_thread, hd_params (a struct hd_params) and hd_t. A worker of the host has
 * one thread, unless a test emulates more. That case gets its own copy of the body, in which the compiler knows so: loops
 * have the user's bounds, and barriers vanish. */
#define HEDDLE_OMP_BODY(name, args)                                                                                 \
    HD_FN HEDDLE_OMP_WITHIN void name##_threads_(const heddle_thread *hd_thread, const struct hd_params *hd_params, \
                                                 const args *hd_t);                                                 \
    HEDDLE_BODY(name, struct hd_params, hd_params, args, hd_t)                                                      \
    {                                                                                                               \
        if (HEDDLE_OMP_ON_HOST && thread->team_size == 1) {                                                         \
            const heddle_thread alone = heddle_omp_alone(thread);                                                   \
            name##_threads_(&alone, hd_params, hd_t);                                                               \
        } else {                                                                                                    \
            HEDDLE_OMP_SEVERAL(thread);                                                                             \
            name##_threads_(thread, hd_params, hd_t);                                                               \
        }                                                                                                           \
    }                                                                                                               \
    HD_FN void name##_threads_(const heddle_thread *hd_thread HEDDLE_UNUSED,                                        \
                               const struct hd_params *hd_params HEDDLE_UNUSED, const args *hd_t HEDDLE_UNUSED)

/* ---- tasks in tasks ---------------------------------------------------------------------------------------------------- */

/* Code that spawns tasks and waits for them is split into steps (fork and join by continuations: no stack waits). A frame
 * holds the variables that live across a wait, and the wait behind which its code resumes. Calls stack frames; the lowest
 * one, the root, belongs to one task. One thread of a worker runs a step. */
#define HEDDLE_OMP_CHILDREN 32u /* that one body spawns; further ones run where they are created */
#define HEDDLE_OMP_DEPTH 256u   /* nesting of tasks: one that waits holds a slot of the arena    */
typedef struct heddle_omp_frame {
    struct heddle_omp_frame *up;  /* the caller's; NULL: the root                           */
    struct heddle_omp_frame *top; /* of the root: the one that resumes; NULL: the task has ended */
    uint32_t code, at;            /* number of the split code; the wait behind which it resumes */
    uint32_t depth;               /* of the root: tasks around it                           */
    void *stack;                  /* blocks of alloca: each begins with the address of the previous one */
} heddle_omp_frame;
typedef struct heddle_omp_go { /* arguments of the body that resumes a task */
    heddle_omp_frame *root;
} heddle_omp_go;
typedef struct heddle_omp_run {
    const heddle_thread *thread;
    heddle_omp_frame *root;
    uint32_t go, n_spawned; /* the number of that body; tasks spawned by this one */
} heddle_omp_run;

/* NULL when there is no memory. */
HD_FN heddle_omp_frame *heddle_omp_frame_new(uint64_t n_bytes, uint32_t code)
{
    heddle_omp_frame *f = (heddle_omp_frame *)malloc(n_bytes);
    if (f) {
        f->up = NULL;
        f->top = f;
        f->code = code;
        f->at = 0;
        f->depth = 0;
        f->stack = NULL;
    }
    return f;
}
HD_FN void heddle_omp_frame_free(heddle_omp_frame *f)
{
    while (f->stack) {
        void *before = *(void **)f->stack;
        free(f->stack);
        f->stack = before;
    }
    free(f);
}
HD_FN void *heddle_omp_alloca(const heddle_thread *thread, heddle_omp_frame *f, uint64_t n_bytes)
{
    char *p = (char *)malloc(16 + n_bytes);
    if (!p)
        heddle_omp_trap(thread, __FILE__, __LINE__, "no memory for alloca");
    *(void **)p = f->stack;
    f->stack = p;
    return p + 16;
}
HD_FN int heddle_omp_may_spawn(const heddle_omp_run *run)
{
    return run->n_spawned < HEDDLE_OMP_CHILDREN && run->root->depth < HEDDLE_OMP_DEPTH;
}
/* Empty ranges of the n_ranges are left out. */
HD_FN void heddle_omp_spawn(heddle_omp_run *run, heddle_omp_frame *f, int urgent, heddle_range *ranges,
                            uint32_t n_ranges)
{
    heddle_omp_go args, own;
    heddle_child child = {run->go, (uint32_t)sizeof args, &args, NULL, 0, 0, ranges, (uint32_t)(urgent != 0), NULL};
    args.root = f;
    own.root = run->root;
    f->depth = run->root->depth + 1u;
    if (run->n_spawned++ == 0)
        heddle_task_continue(run->thread, run->go, &own, sizeof own);
    for (uint32_t i = 0; i < n_ranges; i++)
        if (ranges[i].row_bytes && ranges[i].n_rows)
            ranges[child.n_ranges++] = ranges[i];
    heddle_task_spawn_child(run->thread, &child);
}
/* Each returns the frame to run next, or NULL: the body ends. */
HD_FN heddle_omp_frame *heddle_omp_wait(const heddle_omp_run *run, heddle_omp_frame *f, uint32_t at)
{
    f->at = at;
    run->root->top = f;
    return NULL;
}
HD_FN heddle_omp_frame *heddle_omp_call(heddle_omp_frame *f, heddle_omp_frame *callee, uint32_t at)
{
    f->at = at;
    callee->up = f;
    return callee;
}
HD_FN heddle_omp_frame *heddle_omp_return(const heddle_omp_run *run, heddle_omp_frame *f)
{
    heddle_omp_frame *up = f->up;
    if (f == run->root && run->n_spawned)
        f->top = NULL; /* freed when the tasks that it spawned have ended */
    else
        heddle_omp_frame_free(f);
    return up;
}
HD_FN heddle_omp_frame *heddle_omp_awake(heddle_omp_frame *root)
{
    heddle_omp_frame *f = root->top;
    if (!f)
        heddle_omp_frame_free(root);
    return f;
}
/* The unsplit body of a split task, for when there is no frame. */
#define HEDDLE_OMP_PART(name, params_type, params, arg_type, args)                                        \
    HEDDLE_OMP_FN void name##_part_(const heddle_thread *thread, const params_type *params HEDDLE_UNUSED, \
                                    const arg_type *args HEDDLE_UNUSED)

/* ---- variables that threads share -------------------------------------------------------------------------------------- */

#define HEDDLE_OMP_UP(n_bytes) (((uint64_t)(n_bytes) + 15u) & ~(uint64_t)15u)

/* Where the worker's stack begins. A body uses block-shared memory instead if all its variables fit. */
HD_FN char *heddle_omp_stack(const heddle_thread *thread, const heddle_omp_params *params)
{
    return params->stack + thread->worker * params->stack_bytes;
}

/* The lower half of the stack holds variables that threads share or that thread 0 alone has; behind the middle each thread of
 * an inner region has a slice of its own. */
HD_FN char *heddle_omp_middle(const heddle_thread *thread, const heddle_omp_params *params)
{
    return heddle_omp_stack(thread, params) + params->stack_bytes / 32u * 16u;
}
HD_FN uint64_t heddle_omp_slice_bytes(const heddle_thread *thread, const heddle_omp_params *params)
{
    return params->stack_bytes / 2u < 32u ? 0 : (params->stack_bytes / 2u - 32u) / thread->team_size / 16u * 16u;
}
HD_FN char *heddle_omp_slice(const heddle_thread *thread, const heddle_omp_params *params)
{
    return heddle_omp_middle(thread, params) + 16 + thread->index * heddle_omp_slice_bytes(thread, params);
}

/* Takes n_bytes more of the part of the stack that `top` is in. Threads that share them all call it. */
HD_FN void *heddle_omp_push(const heddle_thread *thread, const heddle_omp_params *params, char **top, uint64_t n_bytes)
{
    char *at = *top, *end = heddle_omp_middle(thread, params);
    if (at > end)
        end = heddle_omp_slice(thread, params) + heddle_omp_slice_bytes(thread, params);
    if (HEDDLE_OMP_UP(n_bytes) > (uint64_t)(end - at))
        heddle_omp_trap(thread, __FILE__, __LINE__, "the arrays of a task are too large for the stack of its worker");
    *top = at + HEDDLE_OMP_UP(n_bytes);
    return at;
}

/* Thread 0 alone runs the statement that follows. */
#define HEDDLE_OMP_ONE if (hd_thread->index == 0)
/* The same for an expression, and for a condition, which the other threads read from `told`, a variable that all share. */
#define HEDDLE_OMP_BY_ONE(e) (heddle_team_barrier(hd_thread), hd_thread->index == 0 ? (void)(e) : (void)0)
#define HEDDLE_OMP_TOLD(told, e) (HEDDLE_OMP_BY_ONE((told) = (e) ? 1 : 0), heddle_team_barrier(hd_thread), (told) != 0)
/* Section k of a sections construct. */
#define HEDDLE_OMP_SECTION(k) if (hd_thread->index == (k) % hd_thread->team_size)

/* ---- loops ----------------------------------------------------------------------------------------------------------- */

/* Iterations of for (i = a; i < b; i += s); s > 0. */
HD_FN int64_t heddle_omp_trips(int64_t a, int64_t b, int64_t s)
{
    return a < b ? (int64_t)(((uint64_t)b - (uint64_t)a - 1u) / (uint64_t)s) + 1 : 0;
}
#define HEDDLE_OMP_TRIPS(a, b, s) heddle_omp_trips((int64_t)(a), (int64_t)(b), (int64_t)(s))

#if defined(__CUDA_ARCH__) || defined(HEDDLE_OMP_FLAT)

/* Runs the statement that follows once, for one value of i. */
#define HEDDLE_OMP_WITH_(T, i, value) \
    for (T i HEDDLE_UNUSED = (T)(value), hd_once_##i = 1; hd_once_##i; hd_once_##i = 0)

/* for (T i = a; i < b; i += s), and i > b; i -= s; T is int or wider. */
#define HEDDLE_OMP_EACH_(T, i, n) \
    for (T hd_k_##i = (T)hd_thread->index, hd_n_##i = (T)(n); hd_k_##i < hd_n_##i; hd_k_##i += (T)hd_thread->team_size)
#define HEDDLE_OMP_FOR(T, i, a, b, s)                 \
    HEDDLE_OMP_EACH_(T, i, HEDDLE_OMP_TRIPS(a, b, s)) \
    HEDDLE_OMP_WITH_(T, i, (a) + hd_k_##i * (T)(s))
#define HEDDLE_OMP_DOWN(T, i, a, b, s)                \
    HEDDLE_OMP_EACH_(T, i, HEDDLE_OMP_TRIPS(b, a, s)) \
    HEDDLE_OMP_WITH_(T, i, (a)-hd_k_##i *(T)(s))

/* Two loops together: row of the outer one, column of the inner. Stepping by the number of threads takes no division. */
#define HEDDLE_OMP_NEST_(bits)                                                                           \
    typedef struct heddle_omp_nest##bits {                                                               \
        int##bits##_t row, column, n_rows, n_columns, by_rows, by_columns;                               \
    } heddle_omp_nest##bits;                                                                             \
    HD_FN heddle_omp_nest##bits heddle_omp_nest##bits##_begin(const heddle_thread *thread, int64_t rows, \
                                                              int64_t columns)                           \
    {                                                                                                    \
        heddle_omp_nest##bits at = {0, 0, 0, (int##bits##_t)columns, 0, 0};                              \
        if (columns > 0) {                                                                               \
            at.n_rows = (int##bits##_t)rows;                                                             \
            at.row = (int##bits##_t)thread->index / at.n_columns;                                        \
            at.column = (int##bits##_t)thread->index % at.n_columns;                                     \
            at.by_rows = (int##bits##_t)thread->team_size / at.n_columns;                                \
            at.by_columns = (int##bits##_t)thread->team_size % at.n_columns;                             \
        }                                                                                                \
        return at;                                                                                       \
    }                                                                                                    \
    HD_FN void heddle_omp_nest##bits##_next(heddle_omp_nest##bits *at)                                   \
    {                                                                                                    \
        at->row += at->by_rows;                                                                          \
        at->column += at->by_columns;                                                                    \
        if (at->column >= at->n_columns) {                                                               \
            at->column -= at->n_columns;                                                                 \
            at->row++;                                                                                   \
        }                                                                                                \
    }
HEDDLE_OMP_NEST_(32)
HEDDLE_OMP_NEST_(64)
#undef HEDDLE_OMP_NEST_
#define HEDDLE_OMP_BOTH_(bits, i, rows, columns)                                                    \
    for (heddle_omp_nest##bits hd_at_##i = heddle_omp_nest##bits##_begin(hd_thread, rows, columns); \
         hd_at_##i.row < hd_at_##i.n_rows; heddle_omp_nest##bits##_next(&hd_at_##i))

/* for (T i = a; i < b; i += s) for (U j = c; j < d; j += t), and with a third loop; bits: 64 when one has so many. */
#define HEDDLE_OMP_FOR2(bits, T, i, a, b, s, U, j, c, d, t)                         \
    HEDDLE_OMP_BOTH_(bits, i, HEDDLE_OMP_TRIPS(a, b, s), HEDDLE_OMP_TRIPS(c, d, t)) \
    HEDDLE_OMP_WITH_(T, i, (a) + (T)hd_at_##i.row * (T)(s))                         \
    HEDDLE_OMP_WITH_(U, j, (c) + (U)hd_at_##i.column * (U)(t))
#define HEDDLE_OMP_FOR3(bits, T, i, a, b, s, U, j, c, d, t, V, k, e, f, u)                                      \
    HEDDLE_OMP_BOTH_(bits, i, HEDDLE_OMP_TRIPS(a, b, s), HEDDLE_OMP_TRIPS(c, d, t) * HEDDLE_OMP_TRIPS(e, f, u)) \
    HEDDLE_OMP_WITH_(T, i, (a) + (T)hd_at_##i.row * (T)(s))                                                     \
    HEDDLE_OMP_WITH_(U, j, (c) + (U)(hd_at_##i.column / (int##bits##_t)HEDDLE_OMP_TRIPS(e, f, u)) * (U)(t))     \
    HEDDLE_OMP_WITH_(V, k, (e) + (V)(hd_at_##i.column % (int##bits##_t)HEDDLE_OMP_TRIPS(e, f, u)) * (V)(u))

/* Does this thread run the last of n iterations of the outermost loop, each with `inner` iterations of the others? */
#define HEDDLE_OMP_HAS_LAST(n, inner) \
    ((n) * (inner) > 0 && hd_thread->index == (uint64_t)((n) * (inner)-1) % hd_thread->team_size)

#else

/* The first iteration of a thread's stretch of n. */
HD_FN int64_t heddle_omp_share(const heddle_thread *thread, uint32_t index, int64_t n)
{
    return n / thread->team_size * index + n % thread->team_size * index / thread->team_size;
}
/* Values of i with which the stretch begins and ends. */
HD_FN int64_t heddle_omp_first(const heddle_thread *thread, int64_t a, int64_t n, int64_t s)
{
    return thread->team_size == 1 ? a : a + heddle_omp_share(thread, thread->index, n) * s;
}
HD_FN int64_t heddle_omp_last(const heddle_thread *thread, int64_t a, int64_t n, int64_t s, int64_t b)
{
    return thread->index + 1 == thread->team_size ? b : a + heddle_omp_share(thread, thread->index + 1, n) * s;
}

#define HEDDLE_OMP_FOR(T, i, a, b, s)                                                                              \
    for (T i = (T)heddle_omp_first(hd_thread, (int64_t)(a), HEDDLE_OMP_TRIPS(a, b, s), (int64_t)(s)),              \
           hd_end_##i =                                                                                            \
               (T)heddle_omp_last(hd_thread, (int64_t)(a), HEDDLE_OMP_TRIPS(a, b, s), (int64_t)(s), (int64_t)(b)); \
         i < hd_end_##i; i += (T)(s))
#define HEDDLE_OMP_DOWN(T, i, a, b, s)                                                                              \
    for (T i = (T)heddle_omp_first(hd_thread, (int64_t)(a), HEDDLE_OMP_TRIPS(b, a, s), -(int64_t)(s)),              \
           hd_end_##i =                                                                                             \
               (T)heddle_omp_last(hd_thread, (int64_t)(a), HEDDLE_OMP_TRIPS(b, a, s), -(int64_t)(s), (int64_t)(b)); \
         i > hd_end_##i; i -= (T)(s))
#define HEDDLE_OMP_PLAIN_(T, i, a, b, s) for (T i = (T)(a), hd_end_##i = (T)(b); i < hd_end_##i; i += (T)(s))
#define HEDDLE_OMP_FOR2(bits, T, i, a, b, s, U, j, c, d, t) \
    HEDDLE_OMP_FOR(T, i, a, b, s)                           \
    HEDDLE_OMP_PLAIN_(U, j, c, d, t)
#define HEDDLE_OMP_FOR3(bits, T, i, a, b, s, U, j, c, d, t, V, k, e, f, u) \
    HEDDLE_OMP_FOR(T, i, a, b, s)                                          \
    HEDDLE_OMP_PLAIN_(U, j, c, d, t)                                       \
    HEDDLE_OMP_PLAIN_(V, k, e, f, u)
#define HEDDLE_OMP_HAS_LAST(n, inner)                                         \
    ((inner) > 0 && heddle_omp_share(hd_thread, hd_thread->index, n) < (n) && \
     heddle_omp_share(hd_thread, hd_thread->index + 1, n) == (n))

#endif

/* ---- reductions ------------------------------------------------------------------------------------------------------ */

/* Combines x of all threads by `combined`, an expression of hd_a and hd_b, and gives each the result. All threads call it;
 * what they wrote before is visible after. */
#if defined(__CUDA_ARCH__)
#define HEDDLE_OMP_REDUCE(T, x, combined)                                                       \
    do {                                                                                        \
        T *const hd_partial = (T *)hd_thread->shared;                                           \
        for (int hd_by = 16; hd_by > 0; hd_by /= 2) {                                           \
            const T hd_a = (x), hd_b = (T)__shfl_down_sync(0xffffffffu, hd_a, (unsigned)hd_by); \
            (x) = (T)(combined);                                                                \
        }                                                                                       \
        if (hd_thread->index % 32u == 0)                                                        \
            hd_partial[hd_thread->index / 32u] = (x);                                           \
        heddle_team_barrier(hd_thread);                                                         \
        (x) = hd_partial[0];                                                                    \
        for (uint32_t hd_warp = 1; hd_warp < hd_thread->team_size / 32u; hd_warp++) {           \
            const T hd_a = (x), hd_b = hd_partial[hd_warp];                                     \
            (x) = (T)(combined);                                                                \
        }                                                                                       \
        heddle_team_barrier(hd_thread);                                                         \
    } while (0)
#else
/* The largest power of two below n; 0 for 1. */
HD_FN uint32_t heddle_omp_half(uint32_t n)
{
    uint32_t half = 1;
    if (n < 2)
        return 0;
    while (half * 2 < n)
        half *= 2;
    return half;
}
/* Threads beyond the room for partial results combine theirs with those of the first threads. */
#define HEDDLE_OMP_REDUCE(T, x, combined)                                                                            \
    do {                                                                                                             \
        const uint32_t hd_room = HEDDLE_REDUCE_BYTES / sizeof(T), hd_own = hd_thread->index % hd_room;               \
        const uint32_t hd_n = hd_thread->team_size < hd_room ? hd_thread->team_size : hd_room;                       \
        T *const hd_partial = (T *)hd_thread->shared;                                                                \
        for (uint32_t hd_from = 0; hd_from < hd_thread->team_size && hd_thread->team_size > 1; hd_from += hd_room) { \
            if (hd_thread->index / hd_room * hd_room == hd_from) {                                                   \
                const T hd_a = hd_from ? hd_partial[hd_own] : (x), hd_b = (x);                                       \
                hd_partial[hd_own] = hd_from ? (T)(combined) : hd_a;                                                 \
            }                                                                                                        \
            heddle_team_barrier(hd_thread);                                                                          \
        }                                                                                                            \
        for (uint32_t hd_half = heddle_omp_half(hd_n); hd_half > 0; hd_half /= 2) {                                  \
            if (hd_thread->index < hd_half && hd_thread->index + hd_half < hd_n) {                                   \
                const T hd_a = hd_partial[hd_own], hd_b = hd_partial[hd_own + hd_half];                              \
                hd_partial[hd_own] = (T)(combined);                                                                  \
            }                                                                                                        \
            heddle_team_barrier(hd_thread);                                                                          \
        }                                                                                                            \
        if (hd_thread->team_size > 1) {                                                                              \
            (x) = hd_partial[0];                                                                                     \
            heddle_team_barrier(hd_thread);                                                                          \
        }                                                                                                            \
    } while (0)
#endif

/* ---- one after the other --------------------------------------------------------------------------------------------- */

/* When lanes of a warp reach a critical statement together, the first takes the lock for all; then one lane after the other
 * runs the statement. So a lock of all workers changes hands once a warp, and not once a lane. */
typedef struct heddle_omp_turns {
    uint32_t lanes, left; /* bits: lanes that came; lanes that have yet to run */
} heddle_omp_turns;

HD_FN uint32_t heddle_omp_lowest(uint32_t lanes) { return lanes & (~lanes + 1u); }

HD_FN int heddle_omp_is_me(uint32_t lane)
{
#if defined(__CUDA_ARCH__)
    return lane == 1u << (threadIdx.x & 31u);
#else
    return lane == 1u;
#endif
}

HD_FN heddle_omp_turns heddle_omp_lock(uint32_t *lock)
{
    heddle_omp_turns t;
#if defined(__CUDA_ARCH__)
    t.lanes = t.left = __activemask();
    if (heddle_omp_is_me(heddle_omp_lowest(t.lanes)))
        for (uint32_t n = 0; HD_LOAD(lock, RELAXED, DEV) || !HD_CAS(lock, 0u, 1u, ACQUIRE, DEV); n++)
            HD_PAUSE(n); /* polled by hundreds of warps, the word would be slow for its owner, too */
    __syncwarp(t.lanes);
#else
    t.lanes = t.left = 1u;
    while (!HD_CAS(lock, 0u, 1u, ACQUIRE, DEV))
        sched_yield();
#endif
    return t;
}

/* One lane has run the statement. After the last turn the first lane releases the lock: its next owner sees all writes. */
HD_FN void heddle_omp_turn_over(heddle_omp_turns *t, uint32_t *lock)
{
#if defined(__CUDA_ARCH__)
    __syncwarp(t->lanes);
#endif
    t->left &= t->left - 1u;
    if (!t->left && heddle_omp_is_me(heddle_omp_lowest(t->lanes)))
        HD_STORE(lock, 0u, RELEASE, DEV);
}

/* One thread of all workers at a time runs the statement that follows. */
#define HEDDLE_OMP_CRITICAL(lock)                                                                                 \
    for (heddle_omp_turns hd_turns = heddle_omp_lock(lock); hd_turns.left; heddle_omp_turn_over(&hd_turns, lock)) \
        if (heddle_omp_is_me(heddle_omp_lowest(hd_turns.left)))

/* ---- atomics --------------------------------------------------------------------------------------------------------- */

/* `ordered`: a constant, 1 when the construct also orders other accesses (seq_cst, acquire, release). */
HD_FN void heddle_omp_flush(void)
{
#if defined(__CUDA_ARCH__)
    __threadfence();
#else
    __sync_synchronize();
#endif
}

#if defined(__CUDA_ARCH__)
#define HEDDLE_OMP_WORD_(bits, U)                                                                            \
    HD_FN uint##bits##_t heddle_omp_load_##bits(uint##bits##_t *p, int ordered)                              \
    {                                                                                                        \
        uint##bits##_t v = __nv_atomic_load_n(p, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);             \
        if (ordered)                                                                                         \
            heddle_omp_flush();                                                                              \
        return v;                                                                                            \
    }                                                                                                        \
    HD_FN void heddle_omp_store_##bits(uint##bits##_t *p, uint##bits##_t v, int ordered)                     \
    {                                                                                                        \
        if (ordered)                                                                                         \
            heddle_omp_flush();                                                                              \
        __nv_atomic_store_n(p, v, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);                            \
    }                                                                                                        \
    HD_FN int heddle_omp_swap_##bits(uint##bits##_t *p, uint##bits##_t *seen, uint##bits##_t v, int ordered) \
    {                                                                                                        \
        uint##bits##_t was;                                                                                  \
        if (ordered)                                                                                         \
            heddle_omp_flush();                                                                              \
        was = (uint##bits##_t)atomicCAS((U *)p, (U)*seen, (U)v);                                             \
        if (ordered)                                                                                         \
            heddle_omp_flush();                                                                              \
        if (was == *seen)                                                                                    \
            return 1;                                                                                        \
        *seen = was;                                                                                         \
        return 0;                                                                                            \
    }
#define HEDDLE_OMP_FETCH_(name, T, U, device, host)   \
    HD_FN T heddle_omp_##name(T *p, T v, int ordered) \
    {                                                 \
        T was;                                        \
        if (ordered)                                  \
            heddle_omp_flush();                       \
        was = (T)device((U *)p, (U)v);                \
        if (ordered)                                  \
            heddle_omp_flush();                       \
        return was;                                   \
    }
#else
#define HEDDLE_OMP_ORDER_(order) (ordered ? __ATOMIC_##order : __ATOMIC_RELAXED)
#define HEDDLE_OMP_WORD_(bits, U)                                                                                  \
    HD_FN uint##bits##_t heddle_omp_load_##bits(uint##bits##_t *p, int ordered)                                    \
    {                                                                                                              \
        return __atomic_load_n(p, HEDDLE_OMP_ORDER_(SEQ_CST));                                                     \
    }                                                                                                              \
    HD_FN void heddle_omp_store_##bits(uint##bits##_t *p, uint##bits##_t v, int ordered)                           \
    {                                                                                                              \
        __atomic_store_n(p, v, HEDDLE_OMP_ORDER_(SEQ_CST));                                                        \
    }                                                                                                              \
    HD_FN int heddle_omp_swap_##bits(uint##bits##_t *p, uint##bits##_t *seen, uint##bits##_t v, int ordered)       \
    {                                                                                                              \
        return __atomic_compare_exchange_n(p, seen, v, 0, HEDDLE_OMP_ORDER_(SEQ_CST), HEDDLE_OMP_ORDER_(SEQ_CST)); \
    }
#define HEDDLE_OMP_FETCH_(name, T, U, device, host) \
    HD_FN T heddle_omp_##name(T *p, T v, int ordered) { return host(p, v, HEDDLE_OMP_ORDER_(SEQ_CST)); }
#endif
HEDDLE_OMP_WORD_(32, unsigned)
HEDDLE_OMP_WORD_(64, unsigned long long)
HEDDLE_OMP_FETCH_(add_32, uint32_t, unsigned, atomicAdd, __atomic_fetch_add)
HEDDLE_OMP_FETCH_(add_64, uint64_t, unsigned long long, atomicAdd, __atomic_fetch_add)
HEDDLE_OMP_FETCH_(and_32, uint32_t, unsigned, atomicAnd, __atomic_fetch_and)
HEDDLE_OMP_FETCH_(and_64, uint64_t, unsigned long long, atomicAnd, __atomic_fetch_and)
HEDDLE_OMP_FETCH_(or_32, uint32_t, unsigned, atomicOr, __atomic_fetch_or)
HEDDLE_OMP_FETCH_(or_64, uint64_t, unsigned long long, atomicOr, __atomic_fetch_or)
HEDDLE_OMP_FETCH_(xor_32, uint32_t, unsigned, atomicXor, __atomic_fetch_xor)
HEDDLE_OMP_FETCH_(xor_64, uint64_t, unsigned long long, atomicXor, __atomic_fetch_xor)
#undef HEDDLE_OMP_WORD_
#undef HEDDLE_OMP_FETCH_
#undef HEDDLE_OMP_ORDER_

/* Atomically replaces the number at `at`, of type T and `bits` bits, by `value`, an expression of hd_old; then runs `then`,
 * which may use hd_old and hd_new. */
#define HEDDLE_OMP_UPDATE(T, bits, at, value, then, ordered)                    \
    do {                                                                        \
        uint##bits##_t *const hd_word = (uint##bits##_t *)(at), hd_next = 0;    \
        uint##bits##_t hd_seen = heddle_omp_load_##bits(hd_word, ordered);      \
        T hd_old, hd_new;                                                       \
        do {                                                                    \
            memcpy(&hd_old, &hd_seen, sizeof hd_old);                           \
            hd_new = (T)(value);                                                \
            memcpy(&hd_next, &hd_new, sizeof hd_new);                           \
        } while (!heddle_omp_swap_##bits(hd_word, &hd_seen, hd_next, ordered)); \
        then;                                                                   \
    } while (0)
#define HEDDLE_OMP_READ(T, bits, at, into, ordered)                                             \
    do {                                                                                        \
        const uint##bits##_t hd_seen = heddle_omp_load_##bits((uint##bits##_t *)(at), ordered); \
        T hd_old;                                                                               \
        memcpy(&hd_old, &hd_seen, sizeof hd_old);                                               \
        into = hd_old;                                                                          \
    } while (0)
#define HEDDLE_OMP_WRITE(T, bits, at, value, ordered)                      \
    do {                                                                   \
        const T hd_new = (T)(value);                                       \
        uint##bits##_t hd_next;                                            \
        memcpy(&hd_next, &hd_new, sizeof hd_next);                         \
        heddle_omp_store_##bits((uint##bits##_t *)(at), hd_next, ordered); \
    } while (0)

/* Adds to a float or double, by the GPU's instruction for it. Returns the old value. */
#if defined(__CUDA_ARCH__)
#define HEDDLE_OMP_ADD_(name, T, bits)                \
    HD_FN T heddle_omp_##name(T *p, T v, int ordered) \
    {                                                 \
        T was;                                        \
        if (ordered)                                  \
            heddle_omp_flush();                       \
        was = atomicAdd(p, v);                        \
        if (ordered)                                  \
            heddle_omp_flush();                       \
        return was;                                   \
    }
#else
#define HEDDLE_OMP_ADD_(name, T, bits)                                    \
    HD_FN T heddle_omp_##name(T *p, T v, int ordered)                     \
    {                                                                     \
        T was;                                                            \
        HEDDLE_OMP_UPDATE(T, bits, p, hd_old + v, was = hd_old, ordered); \
        return was;                                                       \
    }
#endif
HEDDLE_OMP_ADD_(add_f32, float, 32)
HEDDLE_OMP_ADD_(add_f64, double, 64)
#undef HEDDLE_OMP_ADD_

#endif
