/* SPDX-License-Identifier: MIT */
/* sizes.c - implements sizes.h. Least bytes: inputs read once, outputs written once, a field read and written once per
 * sweep; the bound is loose if all fits into L2. Operations: lu counts its multiplications; sw has 5 per cell, dtw 4,
 * and an SM does 64 per cycle. */
#include "sizes.h"

#define SQUARE(n) \
    {             \
        (n), (n)  \
    }
#define CELLS(n) ((double)(n) * (double)(n))
#define CUBE(n) ((double)(n) * (double)(n) * (double)(n))

/* jacobi is bound by bytes: the number of threads, and few workers that share the L2, count most. */
static const char jacobi_settings[] =
    "static:4:128 static:2:320 static:1:704 graph/by-body:0:128 graph+pdl/by-body:0:128 | static:3:192 static:5:96";

#define JACOBI(size, n, sweeps, ...)                                                                                   \
    {                                                                                                                  \
        "jacobi", size, SQUARE(n), {__VA_ARGS__}, "sweeps", #sweeps, jacobi_settings, 8.0 * CELLS(n) * (sweeps), 0, 0, \
            0                                                                                                          \
    }
#define SWEEPS(app, of_waves, size, n, sweeps, ...)                                                             \
    {                                                                                                           \
        app, size, SQUARE(n), {__VA_ARGS__}, "sweeps", #sweeps, NULL, 8.0 * CELLS(n) * (sweeps), of_waves, 0, 0 \
    }
#define HEAT(...) SWEEPS("heat", 0, __VA_ARGS__)
#define SOR(...) SWEEPS("sor", 1, __VA_ARGS__)
#define LU(size, n, ...)                                                                            \
    {                                                                                               \
        "lu", size, SQUARE(n), {__VA_ARGS__}, NULL, NULL, NULL, 8.0 * CELLS(n), 0, CUBE(n) / 3.0, 0 \
    }
#define SAT(size, n, ...)                                                                \
    {                                                                                    \
        "sat", size, SQUARE(n), {__VA_ARGS__}, NULL, NULL, NULL, 5.0 * CELLS(n), 0, 0, 0 \
    }
#define INTHIST(size, n, bins, ...)                                                                              \
    {                                                                                                            \
        "inthist", size, SQUARE(n), {__VA_ARGS__}, "bins", #bins, NULL, (1.0 + 4.0 * (bins)) * CELLS(n), 0, 0, 0 \
    }
#define BORDER(app, ops, size, n, kept, ...)                                                                    \
    {                                                                                                           \
        app, size, SQUARE(n), {__VA_ARGS__}, "keep", #kept, NULL, 4.0 * CELLS(n) * (kept), 0, 0, (ops)*CELLS(n) \
    }

/* The host's work grows with the tasks, 0.3 us each. If a run must be ten times as long, a task has to keep the whole
 * card busy for 3 us. So at L tiles are as large as the graph's parallelism allows, and the stencils make many sweeps,
 * which follow one another through the field. */
const app_size app_sizes_table[] = {
    JACOBI("S", 2048, 8, {32, 128}, {64, 64}, {64, 128}, {32, 256}),
    HEAT("S", 2048, 4, {64, 64}, {32, 32}, {64, 128}),
    SOR("S", 2048, 4, {64, 64}, {32, 32}, {64, 128}),
    LU("S", 1024, {64, 64}, {32, 32}, {128, 128}),
    SAT("S", 2048, {128, 128}, {128, 256}, {64, 128}, {64, 64}),
    INTHIST("S", 512, 32, {32, 32}, {32, 64}, {16, 32}),
    BORDER("sw", 5.0, "S", 4608, 0, {128, 128}, {64, 64}, {128, 256}),
    BORDER("dtw", 4.0, "S", 4608, 0, {128, 128}, {64, 64}, {128, 256}),

    JACOBI("M", 11264, 10, {64, 128}, {64, 256}, {32, 128}),
    HEAT("M", 16384, 4, {64, 128}, {128, 128}),
    SOR("M", 16384, 4, {64, 128}, {128, 128}),
    LU("M", 16384, {128, 128}, {256, 256}),
    SAT("M", 14336, {128, 128}, {128, 256}),
    INTHIST("M", 2816, 32, {32, 64}, {32, 32}, {64, 64}),
    BORDER("sw", 5.0, "M", 16384, 1, {64, 64}, {128, 128}),
    BORDER("dtw", 4.0, "M", 16384, 1, {64, 64}, {128, 128}),

    JACOBI("L", 45056, 8, {1408, 2816}, {64, 128}),
    HEAT("L", 65536, 16, {1024, 768}),
    SOR("L", 65536, 16, {1024, 768}),
    LU("L", 65536, {512, 512}),
    SAT("L", 57344, {512, 512}, {128, 256}),
    INTHIST("L", 11264, 32, {64, 64}),
    BORDER("sw", 5.0, "L", 65536, 1, {512, 512}, {256, 256}),
    BORDER("dtw", 4.0, "L", 65536, 1, {512, 512}, {256, 256}),

    LU("2048", 2048, {64, 64}, {128, 128}),
    LU("3072", 3072, {64, 64}, {128, 128}),
    LU("4096", 4096, {64, 64}, {128, 128}),

    {NULL, NULL, SQUARE(0), {SQUARE(0)}, NULL, NULL, NULL, 0, 0, 0, 0},
};
