/* SPDX-License-Identifier: MIT */
/* sizes.c - see sizes.h. Least bytes: every input read once, every output written once, and a field once read and once
 * written a sweep; where all fits the L2 that bound is loose. Operations: lu by its multiplications; sw 5 and dtw 4 a
 * cell, of which an SM does 64 a cycle. */
#include "sizes.h"

#define SQUARE(n) \
    {             \
        (n), (n)  \
    }
#define CELLS(n) ((double)(n) * (double)(n))
#define CUBE(n) ((double)(n) * (double)(n) * (double)(n))

/* jacobi moves bytes and does little else: how many threads there are, and how few workers share the L2, is what counts. */
static const char jacobi_settings[] =
    "static:4:128 static:2:320 static:1:704 graph/by-body:0:128 graph+pdl/by-body:0:128 | static:3:192 static:5:96";

#define JACOBI(size, n, sweeps, ...)                                                                                  \
    {                                                                                                                 \
        "jacobi", size, SQUARE(n), {__VA_ARGS__}, "sweeps", #sweeps, jacobi_settings, 8.0 * CELLS(n) * (sweeps), 0, 0 \
    }
#define HEAT(size, n, sweeps, ...)                                                                       \
    {                                                                                                    \
        "heat", size, SQUARE(n), {__VA_ARGS__}, "sweeps", #sweeps, NULL, 8.0 * CELLS(n) * (sweeps), 0, 0 \
    }
#define LU(size, n, ...)                                                                         \
    {                                                                                            \
        "lu", size, SQUARE(n), {__VA_ARGS__}, NULL, NULL, NULL, 8.0 * CELLS(n), CUBE(n) / 3.0, 0 \
    }
#define SAT(size, n, ...)                                                             \
    {                                                                                 \
        "sat", size, SQUARE(n), {__VA_ARGS__}, NULL, NULL, NULL, 5.0 * CELLS(n), 0, 0 \
    }
#define INTHIST(size, n, bins, ...)                                                                           \
    {                                                                                                         \
        "inthist", size, SQUARE(n), {__VA_ARGS__}, "bins", #bins, NULL, (1.0 + 4.0 * (bins)) * CELLS(n), 0, 0 \
    }
#define BORDER(app, ops, size, n, kept, ...)                                                                 \
    {                                                                                                        \
        app, size, SQUARE(n), {__VA_ARGS__}, "keep", #kept, NULL, 4.0 * CELLS(n) * (kept), 0, (ops)*CELLS(n) \
    }

/* What the host does for a graph grows with its tasks, 0.3 us each: where a run shall be ten times as long as that, a task
 * has to keep the whole card busy for 3 us. So at L tiles are as large as the parallelism of the graph allows, and the
 * stencils make many sweeps, which follow one another through the field. */
const app_size app_sizes_table[] = {
    JACOBI("S", 2048, 8, {32, 128}, {64, 64}, {64, 128}, {32, 256}),
    HEAT("S", 2048, 4, {64, 64}, {32, 32}, {64, 128}),
    LU("S", 1024, {64, 64}, {32, 32}, {128, 128}),
    SAT("S", 2048, {128, 128}, {128, 256}, {64, 128}, {64, 64}),
    INTHIST("S", 512, 32, {32, 32}, {32, 64}, {16, 32}),
    BORDER("sw", 5.0, "S", 4608, 0, {128, 128}, {64, 64}, {128, 256}),
    BORDER("dtw", 4.0, "S", 4608, 0, {128, 128}, {64, 64}, {128, 256}),

    JACOBI("M", 11264, 10, {64, 128}, {64, 256}, {32, 128}),
    HEAT("M", 16384, 4, {64, 128}, {128, 128}),
    LU("M", 16384, {128, 128}, {256, 256}),
    SAT("M", 14336, {128, 128}, {128, 256}),
    INTHIST("M", 2816, 32, {32, 64}, {32, 32}, {64, 64}),
    BORDER("sw", 5.0, "M", 16384, 1, {64, 64}, {128, 128}),
    BORDER("dtw", 4.0, "M", 16384, 1, {64, 64}, {128, 128}),

    JACOBI("L", 45056, 8, {1408, 2816}, {64, 128}),
    HEAT("L", 65536, 16, {1024, 768}),
    LU("L", 65536, {512, 512}),
    SAT("L", 57344, {512, 512}, {128, 256}),
    INTHIST("L", 11264, 32, {64, 64}),
    BORDER("sw", 5.0, "L", 65536, 1, {512, 512}, {256, 256}),
    BORDER("dtw", 4.0, "L", 65536, 1, {512, 512}, {256, 256}),

    LU("2048", 2048, {64, 64}, {128, 128}),
    LU("3072", 3072, {64, 64}, {128, 128}),
    LU("4096", 4096, {64, 64}, {128, 128}),

    {NULL, NULL, SQUARE(0), {SQUARE(0)}, NULL, NULL, NULL, 0, 0, 0},
};
