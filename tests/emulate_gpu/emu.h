/* SPDX-License-Identifier: MIT */
/* emu.h - thread blocks on a CPU: one fiber per thread, switched at random. Kernels run without a GPU and complete,
 * with blocks of many warps and graphs of thousands of tasks.
 *
 * A fiber runs up to a point: an access to a shared word, a step of its warp, a barrier, a nap. There any other fiber
 * may go on. One seed decides which one does and for how long, which threads and blocks are slow for a while, and when
 * a copy lands: the same seed gives the same run.
 *
 * These end the program with a message, the seed, and the place of each thread: threads of a warp at different steps of
 * the warp; a warp that comes to a barrier twice in a round or with another count; a deadlock; more steps than the
 * launch allows; writes behind the block-shared memory.
 *
 * Not tested: the order of memory accesses (each takes effect at once; tests/model and the litmus tests cover orders),
 * all interleavings, and time. Masks of warp steps must have all 32 threads. */
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
/* Those of the running thread. */
extern emu_index emu_thread, emu_block, emu_block_size, emu_grid_size;

typedef struct emu_launch {
    uint32_t n_blocks, n_threads; /* threads of a block: whole warps                                    */
    uint32_t shared_bytes;        /* of the kernel's arena                                              */
    uint64_t seed, n_steps;       /* n_steps: switches after which the launch counts as hanging */
    uint64_t since_ns;            /* added to the clock, which begins at 1 ms */
    const char *what;             /* names the launch in messages */
    void (*code)(void *arg);      /* every thread runs it */
    void *arg;
    void (*beside)(void *arg, uint64_t step); /* acts as the host beside the kernel, now and then; or NULL */
} emu_launch;

/* Runs all threads to their ends; returns the number of switches. */
uint64_t emu_run(const emu_launch *l);

/* Prints the reason, how to repeat the run, and where each thread stands; exits. Tests may call it, too. */
__attribute__((format(printf, 1, 2), noreturn)) void emu_fail(const char *format, ...);
/* A random number below n from the launch's sequence. */
uint32_t emu_below(uint32_t n);

/* ---- called by the threads ------------------------------------------------------------------------- */

#define EMU_TEXT_(x) #x
#define EMU_TEXT(x) EMU_TEXT_(x)
/* "FILE:LINE|WHAT" */
#define EMU_SITE(what) __FILE__ ":" EMU_TEXT(__LINE__) "|" #what

extern uint32_t emu_left; /* points until the next switch */
void emu_switch(const char *site);
/* A point: another fiber may go on here. Does nothing outside a launch. */
static inline void emu_point(const char *site)
{
    if (emu_left-- == 0)
        emu_switch(site);
}

/* The fiber sleeps for about `ns`, or less if no other can go on. */
void emu_nap(uint32_t ns, const char *site);
uint64_t emu_clock(void);

/* Steps of the whole warp. */
void emu_warp_sync(const char *site);
uint32_t emu_ballot(int flag, const char *site);
uint32_t emu_shuffle(uint32_t v, uint32_t from, const char *site);
uint64_t emu_shuffle64(uint64_t v, uint32_t from, const char *site);
void emu_check_mask(uint32_t mask, const char *site);

/* Barrier `which` of the block for n threads; all threads of a warp come together. 0 is __syncthreads. */
#define EMU_BARRIERS 16u
void emu_bar_sync(uint32_t which, uint32_t n, const char *site);
void emu_bar_arrive(uint32_t which, uint32_t n, const char *site);
int emu_sync_or(int flag, const char *site);

/* The next variable of the block; poisoned at first. All threads must name the same ones in the same order. */
void *emu_shared(uint32_t n_bytes);
void *emu_arena(void);

/* Asynchronous copy: lands at some time before the wait ends. */
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
