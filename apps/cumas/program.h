/* SPDX-License-Identifier: MIT */
/* program.h - what the twelve programs of the thesis on CuMAS have in common (Belviranli 2016, Table 4.1). Each is a plain
 * CUDA program: pageable memory, blocking copies, launches in the default stream, nothing of heddle.
 *
 *     PROGRAM [--mb N] [--work N] [--rounds K] [--cold] [--barrier FILE|NAME --programs N [--places LIST] [--gap US]]
 *             [--patience S] [--calibrate MS] [--count] [--spoil]
 *
 * A program makes its input by itself, then computes it in K rounds (1). A round copies the input in, runs the kernels,
 * copies the results out and synchronises. Round 0 comes before: it loads the code, and a reference on the CPU checks its
 * results; --cold leaves it out. Before each round all memory of results, on both sides, is filled with 0xff. A later round
 * is right if its bytes are those of a round that was found right, else the reference decides.
 *
 *      --mb N         copies N MB in (10^6 bytes, in all) instead of the table's
 *      --work N       each thread of each kernel does N steps of arithmetic more
 *      --calibrate MS prints the --work with which the kernels of a round take MS ms on this GPU
 *      --count        prints calls, MB, launches and tasks of a round; needs no GPU
 *      --spoil        changes a result of each round, which the check must find
 *
 * Programs side by side: --barrier names a page where --programs N of them meet before each round and after it, so that
 * nobody checks while others compute (barrier.h; all need the same K). --places P1,P2,... has a number for each round: the
 * program begins P x --gap US (100) after the others may; `-` sits the round out. Thus any number of orders of arrival need
 * one start. --patience S (60): how long to wait for the others.
 *
 * Standard output has a line of names, then a line a round, with tabs between: `round`, program, number of the round; begin
 * and end (CLOCK_MONOTONIC, ns), ms between them; ms of copies in, kernels, copies out by CUDA's events, with what they
 * waited; a digest of all result bytes; `right` or `wrong`.
 *
 * Exit status: 0; 1 when a result was wrong; 2 with a sentence for a bad option, a barrier or a CUDA error; 77 without a GPU. */
#ifndef CUMAS_PROGRAM_H
#define CUMAS_PROGRAM_H

#include <stdint.h>

typedef struct program {
    const char *name; /* as in the table */
    const char *what;
    double mb_in;                /* copied in by a round, in the table */
    void (*shape)(double bytes); /* chooses sizes for so many bytes copied in, and allocates */
    void (*fill)(void);          /* makes the input */
    void (*compute)(void);       /* a round */
    uint64_t (*check)(void);     /* by the reference: how many of the results that it looked at are wrong */
} program;
/* The one of this executable. */
extern const program program_this;

/* ---- memory: never freed; the result of malloc is not touched ---------------------------------------------------- */

void *program_host(uint64_t n_bytes);
void *program_result(uint64_t n_bytes); /* on the host; copied out in each round */
void *program_device(uint64_t n_bytes);
#define PROGRAM_NEW(kind, type, n) ((type *)program_##kind((uint64_t)(n) * sizeof(type)))

/* ---- what a round does -------------------------------------------------------------------------------------------- */

void program_copy_in(void *device, const void *host, uint64_t n_bytes);
void program_copy_out(void *host, const void *device, uint64_t n_bytes);

/* Blocks of `size` threads for n of them. */
static inline uint32_t program_blocks(uint64_t n, uint32_t size) { return (uint32_t)((n + size - 1) / size); }
#ifndef PROGRAM_START /* else an emulation of CUDA has its own */
#define PROGRAM_START(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#endif
/* A launch. The kernel's last argument, not named here, is the number of steps for program_lengthen. */
#define PROGRAM_LAUNCH(kernel, grid, block, ...)                              \
    do {                                                                      \
        if (program_begin_launch())                                           \
            PROGRAM_START(kernel, grid, block, __VA_ARGS__, program_steps()); \
        program_end_launch(#kernel);                                          \
    } while (0)
int program_begin_launch(void); /* 0: it is only counted */
void program_end_launch(const char *kernel);
uint32_t program_steps(void);

/* Arithmetic for nothing. Compilers would leave it out without the store, which never happens. */
static __device__ float program_rest;
static inline __device__ void program_lengthen(uint32_t n_steps)
{
    float x = (float)threadIdx.x;
    for (uint32_t i = 0; i < n_steps; i++)
        x = x * 0.999f + 1;
    if (x < 0)
        program_rest = x;
}

/* ---- filling and checking, by several threads ---------------------------------------------------------------------- */

/* Calls make(i) for each i below n. */
void program_fill(uint64_t n, void (*make)(uint64_t i));
/* The number of i below n for which is_wrong(i) is not 0. Looks at all if n x cost_ns is about a second of one core, else
 * at evenly spread ones. The first wrong one is named on stderr. */
uint64_t program_wrong(const char *what, uint64_t n, uint64_t cost_ns, int (*is_wrong)(uint64_t i));
/* Whether a result is near enough to the reference's; a NaN is not. */
int program_is_near(double got, double wanted, double tolerance);

#endif
