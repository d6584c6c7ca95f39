/* SPDX-License-Identifier: MIT */
/* pattern.h - the task graphs of Task Bench (Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating
 * Parallel Runtime Performance", SC'20, table 2), rewritten: the tasks of a step, and which tasks of the step before
 * each of them reads. Parameters have the original's meaning, so its command lines can be repeated here; but
 * random_nearest uses a generator of its own.
 *
 * A task is named by its step and its point (column). Common C and C++: hosts build graphs with it, and bodies on a GPU
 * check their inputs with it. */
#ifndef TASK_BENCH_PATTERN_H
#define TASK_BENCH_PATTERN_H

#include "heddle/body.h"

/* Name, and which points of the step before point i reads. W = width, s = dependence set of the step. */
#define TB_PATTERN_MAP(X)                                                 \
    X(TRIVIAL, "trivial", "none")                                         \
    X(NO_COMM, "no_comm", "i")                                            \
    X(STENCIL_1D, "stencil_1d", "i-1 to i+1")                             \
    X(STENCIL_1D_PERIODIC, "stencil_1d_periodic", "i-1 to i+1, modulo W") \
    X(DOM, "dom", "i-1, i; a sweep of anti-diagonals over a square")      \
    X(TREE, "tree", "i/2; the width doubles each step up to W")           \
    X(FFT, "fft", "i-2^s, i, i+2^s; s goes round over the bits of W")     \
    X(ALL_TO_ALL, "all_to_all", "all")                                    \
    X(NEAREST, "nearest", "the `radix` points about i")                   \
    X(SPREAD, "spread", "`radix` points spread over W, shifted by s")     \
    X(RANDOM_NEAREST, "random_nearest", "i, and each of the `radix` points about it with chance `fraction`")

typedef enum tb_pattern {
#define TB_X(name, text, help) TB_##name,
    TB_PATTERN_MAP(TB_X)
#undef TB_X
        TB_N_PATTERNS
} tb_pattern;

typedef struct tb_graph {
    uint32_t pattern, steps, width;
    uint32_t radix;    /* of nearest, spread, random_nearest                              */
    uint32_t period;   /* steps after which spread and random_nearest repeat              */
    uint32_t fraction; /* random_nearest: chance of an edge, of 2^16                      */
    uint32_t fields;   /* outputs kept per column; a step overwrites that of the step `fields` before */
} tb_graph;

#define TB_NONE 0xffffffffu

HEDDLE_FN uint32_t tb_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Points of a step: tb_width of them, from tb_first on. */
HEDDLE_FN uint32_t tb_width(const tb_graph *g, uint32_t step)
{
    if (g->pattern == TB_DOM)
        return tb_least(g->width, tb_least(step + 1u, g->steps - step));
    if (g->pattern == TB_TREE)
        return step < 31u ? tb_least(g->width, 1u << step) : g->width;
    return g->width;
}
HEDDLE_FN uint32_t tb_first(const tb_graph *g, uint32_t step)
{
    return g->pattern == TB_DOM && step + g->width > g->steps ? step + g->width - g->steps : 0u;
}

/* The dependence set of a step: steps of one set have the same edges. */
HEDDLE_FN uint32_t tb_set(const tb_graph *g, uint32_t step)
{
    uint32_t n_sets = 1u;
    if (g->pattern == TB_SPREAD || g->pattern == TB_RANDOM_NEAREST)
        return step % g->period;
    if (g->pattern != TB_FFT)
        return 0u;
    while (n_sets < 31u && 1u << n_sets < g->width)
        n_sets++;
    return (step + n_sets - 1u) % n_sets;
}

/* 32 random bits for three numbers (the finaliser of MurmurHash3). */
HEDDLE_FN uint32_t tb_random(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t h = ((uint64_t)a << 32 | b) + 0x9e3779b97f4a7c15u * (c + 1u);
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(h >> 32);
}

/* The number of candidates per point; some may be none. */
HEDDLE_FN uint32_t tb_n_candidates(const tb_graph *g)
{
    switch (g->pattern) {
    case TB_TRIVIAL: return 0u;
    case TB_NO_COMM:
    case TB_TREE: return 1u;
    case TB_DOM: return 2u;
    case TB_ALL_TO_ALL: return g->width;
    case TB_NEAREST:
    case TB_SPREAD:
    case TB_RANDOM_NEAREST: return g->radix;
    default: return 3u;
    }
}

/* Candidate k by the pattern alone, ignoring the graph's border: may be negative, or beyond the width. */
HEDDLE_FN int64_t tb_candidate(const tb_graph *g, uint32_t set, uint32_t point, uint32_t k)
{
    const int64_t i = point, near = i - g->radix / 2u + k;
    switch (g->pattern) {
    case TB_STENCIL_1D: return i - 1 + k;
    case TB_STENCIL_1D_PERIODIC: return (i + g->width - 1 + k) % g->width;
    case TB_DOM: return i - 1 + k;
    case TB_TREE: return i / 2;
    case TB_FFT: return i + ((int64_t)k - 1) * ((int64_t)1 << set);
    case TB_ALL_TO_ALL: return k;
    case TB_NEAREST: return near;
    case TB_SPREAD: return (i + (int64_t)k * g->width / g->radix + (k ? set : 0u)) % g->width;
    case TB_RANDOM_NEAREST: return near == i || tb_random(set, point, (uint32_t)near) >> 16 < g->fraction ? near : -1;
    default: return i;
    }
}

/* What the tasks of a step choose their inputs from: the points of the step before, [first, end), by the step's set. */
typedef struct tb_before {
    uint32_t set, first, end;
} tb_before;

HEDDLE_FN tb_before tb_before_of(const tb_graph *g, uint32_t step)
{
    tb_before b;
    b.set = tb_set(g, step);
    b.first = step ? tb_first(g, step - 1u) : 0u;
    b.end = step ? b.first + tb_width(g, step - 1u) : 0u;
    return b;
}

/* Input k of a task: a point of the step before, or TB_NONE. k is below tb_n_candidates; no two inputs are equal. */
HEDDLE_FN uint32_t tb_input(const tb_graph *g, const tb_before *b, uint32_t point, uint32_t k)
{
    const int64_t input = tb_candidate(g, b->set, point, k);
    uint32_t i;
    if (input < b->first || input >= b->end)
        return TB_NONE;
    if (g->pattern == TB_STENCIL_1D_PERIODIC && g->width < 3u) /* around a short circle some points recur */
        for (i = 0; i < k; i++)
            if (tb_candidate(g, b->set, point, i) == input)
                return TB_NONE;
    return (uint32_t)input;
}

/* The index of a task's output among width * fields. */
HEDDLE_FN uint32_t tb_cell(const tb_graph *g, uint32_t step, uint32_t point)
{
    return step % g->fields * g->width + point;
}

#endif
