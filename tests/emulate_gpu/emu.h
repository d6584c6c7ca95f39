/* SPDX-License-Identifier: MIT */
/* emu.h - thread blocks on a CPU: a fiber a thread, switched at random, so that kernels run without a GPU and whole, with
 * blocks of many warps and graphs of thousands of tasks.
 *
 * A fiber goes on until a point: an access to a shared word, a step of its warp, a barrier, a nap. There any other fiber may
 * go on instead. Who goes on, for how long, which threads and blocks are slow for a while, and when a copy lands come from
 * one seed: the same seed runs the same way again.
 *
 * What ends the program with a sentence, the seed, and where each thread stands: threads of a warp that are not at the same
 * step of the warp; a barrier that a warp comes to twice in a round, or with another count; nobody who can go on; more steps
 * than the launch allows; bytes written behind the block-shared memory.
 *
 * What it says nothing about: the order of memory accesses (each is done at once and seen by all; tests/model and the litmus
 * tests are for that), all interleavings, time. Masks of warp steps must be of all 32 threads. */
#ifndef EMULATE_EMU_H
#define EMULATE_EMU_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define EMU_WARP 32u

typedef struct emu_index {
    uint32_t x;
} emu_index;
/* Of the thread that runs. */
extern emu_index emu_thread, emu_block, emu_block_size;

typedef struct emu_launch {
    uint32_t n_blocks, n_threads; /* threads of a block: whole warps                                    */
    uint32_t shared_bytes;        /* of the kernel's arena                                              */
    uint64_t seed, n_steps;       /* n_steps: switches after which the launch is said to hang           */
    const char *what;             /* for the sentence                                                   */
    void (*code)(void *arg);      /* each thread calls it                                               */
    void *arg;
    void (*beside)(void *arg, uint64_t step); /* called now and then, as the host is beside a kernel; or NULL */
} emu_launch;

/* Runs all threads to their ends; returns the number of switches. */
uint64_t emu_run(const emu_launch *l);

/* Says why, how to repeat it, and where each thread stands; exits. Also for tests that find something wrong. */
__attribute__((format(printf, 1, 2), noreturn)) void emu_fail(const char *format, ...);
/* A random number below n, from the launch's row. */
uint32_t emu_below(uint32_t n);

/* ---- called by the threads ------------------------------------------------------------------------- */

#define EMU_TEXT_(x) #x
#define EMU_TEXT(x) EMU_TEXT_(x)
/* "FILE:LINE|WHAT" */
#define EMU_SITE(what) __FILE__ ":" EMU_TEXT(__LINE__) "|" #what

extern uint32_t emu_left; /* points until the next switch */
void emu_switch(const char *site);
/* Another may go on here. Called outside a launch it does nothing. */
static inline void emu_point(const char *site)
{
    if (emu_left-- == 0)
        emu_switch(site);
}

/* Does not go on for about so long, unless nobody else can. */
void emu_nap(uint32_t ns, const char *site);
uint64_t emu_clock(void);

/* Steps of the whole warp. */
void emu_warp_sync(const char *site);
uint32_t emu_ballot(int flag, const char *site);
uint32_t emu_shuffle(uint32_t v, uint32_t from, const char *site);
uint64_t emu_shuffle64(uint64_t v, uint32_t from, const char *site);
void emu_check_mask(uint32_t mask, const char *site);

/* Barrier `which` of the block, for n threads; all threads of a warp come to it together. 0 is __syncthreads. */
#define EMU_BARRIERS 16u
void emu_bar_sync(uint32_t which, uint32_t n, const char *site);
void emu_bar_arrive(uint32_t which, uint32_t n, const char *site);
int emu_sync_or(int flag, const char *site);

/* The k-th variable of the block that this thread names; poison at first. All threads name the same ones in one order. */
void *emu_shared(uint32_t n_bytes);
void *emu_arena(void);

/* 16 bytes on their way: they land some time before the wait has ended. */
void emu_copy(void *to, const void *from, uint32_t n_bytes, const char *site);
void emu_copy_wait(const char *site);

/* Words. */
#define EMU_WORDS_(type, bits)                                                        \
    static inline type emu_load##bits(const type *p, const char *site)                \
    {                                                                                 \
        type v;                                                                       \
        emu_point(site);                                                              \
        v = __atomic_load_n(p, __ATOMIC_RELAXED);                                     \
        emu_point(site);                                                              \
        return v;                                                                     \
    }                                                                                 \
    static inline void emu_store##bits(type *p, type v, const char *site)             \
    {                                                                                 \
        emu_point(site);                                                              \
        __atomic_store_n(p, v, __ATOMIC_RELAXED);                                     \
        emu_point(site);                                                              \
    }                                                                                 \
    static inline type emu_exchange##bits(type *p, type v, const char *site)          \
    {                                                                                 \
        type old;                                                                     \
        emu_point(site);                                                              \
        old = *p;                                                                     \
        __atomic_store_n(p, v, __ATOMIC_RELAXED);                                     \
        emu_point(site);                                                              \
        return old;                                                                   \
    }                                                                                 \
    static inline type emu_add##bits(type *p, type v, const char *site)               \
    {                                                                                 \
        type old;                                                                     \
        emu_point(site);                                                              \
        old = *p;                                                                     \
        __atomic_store_n(p, (type)(old + v), __ATOMIC_RELAXED);                       \
        emu_point(site);                                                              \
        return old;                                                                   \
    }                                                                                 \
    static inline int emu_cas##bits(type *p, type expected, type v, const char *site) \
    {                                                                                 \
        int is_equal;                                                                 \
        emu_point(site);                                                              \
        is_equal = *p == expected;                                                    \
        if (is_equal)                                                                 \
            __atomic_store_n(p, v, __ATOMIC_RELAXED);                                 \
        emu_point(site);                                                              \
        return is_equal;                                                              \
    }
EMU_WORDS_(uint32_t, 32)
EMU_WORDS_(uint64_t, 64)
#undef EMU_WORDS_

#if defined(__cplusplus)
}
#endif
#endif
