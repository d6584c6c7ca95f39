/* SPDX-License-Identifier: MIT */
/* core/atom.h - every access to a shared word, in one vocabulary.
 *
 *     HD_LOAD(p, order, scope)            HD_STORE(p, v, order, scope)
 *     HD_ADD(p, v, order, scope)          HD_SUB, HD_EXCH: old value
 *     HD_COUNT(p, order, scope): adds 1 and returns nothing
 *     HD_CAS(p, expected, v, order, scope): nonzero if *p was `expected` and became v (relaxed if not)
 *     HD_PAUSE(n): the n-th fruitless poll in a row; HD_YIELD(n): the same, but leaves more time to others
 *
 *     HD_PAIR_LOAD(p, order), HD_PAIR_STORE, HD_PAIR_ADD, HD_PAIR_CAS: the same for a word of two halves (core/ticket.h), DEV
 *     HD_PAIR_ADD_FIRST(p, v): all scheduling lanes call it and lane 0 adds, relaxed; the others get 0
 *     HD_BORDER_LOAD(p), HD_BORDER_STORE(p, v): a pair word that carries its own flag (core/wave.h), relaxed. In device or shared
 *         memory; a store also in the host's, or another device's, where HD_OUTER_LOAD(p) reads it. HD_BORDER_STORE_TWO(p, v, w):
 *         two of them, at an even index. They order nothing, and the compiler may move other accesses past them
 *     HD_UNIT_LOAD(p): 16 bytes in one piece, which carry their own flag (core/wire.h): relaxed, SYS. A GPU's; the host stores them
 *     HD_FENCE_RELEASE(), HD_FENCE_ACQUIRE(): go with accesses of a fenced order
 *     HD_FENCE_HOST(): what the host wrote before something that was seen relaxed is seen, too
 *     HD_FENCE_FOR_HOST(): as HD_FENCE_RELEASE, and for the host, too
 *     HD_COPY16(to, from), HD_COPY4(to, from): start a copy of 16, 4 bytes from global into block-shared memory
 *     HD_COPY_WAIT(): waits for these copies
 *
 * order: RELAXED ACQUIRE RELEASE ACQ_REL, among threads of the host SEQ_CST; scope: BLOCK (threads of one worker), DEV (workers of one device, CPU
 * threads) or SYS (host and running kernel). Both are tokens, because nvcc's built-ins want literals. Words are plain
 * uint32_t and are touched only through these macros. Each word has one scope for life, named in the field's comment.
 *
 * Fenced orders. FENCED_RELEASE, FENCED_ACQUIRE and FENCED_ACQ_REL are ordered accesses on threads and in the model. On
 * a GPU they are relaxed, and one fence serves several of them: HD_FENCE_RELEASE() stands before the first releasing
 * access, HD_FENCE_ACQUIRE() after the last acquiring one. There releasing accesses by several lanes wait for one
 * another (1,200 clocks for two on an H200, with one fence 430). Each acquiring load empties the SM's cache.
 * ThreadSanitizer and the model do not understand fences; they see the ordered accesses.
 *
 * Three machines: nvcc's scoped built-ins on the device (CUDA >= 12.8), __atomic on the host, and under HEDDLE_MODEL a
 * shim where each access is a scheduling point (tests/model/shim.h). */
#ifndef HEDDLE_CORE_ATOM_H
#define HEDDLE_CORE_ATOM_H

#include "heddle/core/port.h"

typedef struct hd_unit {
    uint32_t tag, word[3];
} hd_unit;

#if defined(HEDDLE_MODEL)
#include "shim.h"
#elif defined(__CUDA_ARCH__)

#define HD_SCOPE_DEV __NV_THREAD_SCOPE_DEVICE
#define HD_SCOPE_SYS __NV_THREAD_SCOPE_SYSTEM
#define HD_SCOPE_BLOCK __NV_THREAD_SCOPE_BLOCK
#define HD_ORDER_RELAXED __NV_ATOMIC_RELAXED
#define HD_ORDER_ACQUIRE __NV_ATOMIC_ACQUIRE
#define HD_ORDER_RELEASE __NV_ATOMIC_RELEASE
#define HD_ORDER_ACQ_REL __NV_ATOMIC_ACQ_REL
#define HD_ORDER_FENCED_ACQUIRE __NV_ATOMIC_RELAXED
#define HD_ORDER_FENCED_RELEASE __NV_ATOMIC_RELAXED
#define HD_ORDER_FENCED_ACQ_REL __NV_ATOMIC_RELAXED
#define HD_LOAD(p, order, scope) __nv_atomic_load_n((p), HD_ORDER_##order, HD_SCOPE_##scope)
#define HD_STORE(p, v, order, scope) __nv_atomic_store_n((p), (v), HD_ORDER_##order, HD_SCOPE_##scope)
#define HD_ADD(p, v, order, scope) __nv_atomic_fetch_add((p), (v), HD_ORDER_##order, HD_SCOPE_##scope)
#define HD_SUB(p, v, order, scope) __nv_atomic_fetch_sub((p), (v), HD_ORDER_##order, HD_SCOPE_##scope)
#define HD_EXCH(p, v, order, scope) __nv_atomic_exchange_n((p), (v), HD_ORDER_##order, HD_SCOPE_##scope)
#define HD_PAIR_LOAD(p, order) __nv_atomic_load_n((p), HD_ORDER_##order, HD_SCOPE_DEV)
#define HD_PAIR_STORE(p, v, order) __nv_atomic_store_n((p), (v), HD_ORDER_##order, HD_SCOPE_DEV)
#define HD_PAIR_ADD(p, v, order) hd_pair_add((p), (v))         /* a fenced order, or relaxed */
#define HD_PAIR_CAS(p, e, v, order) hd_pair_cas((p), (e), (v)) /* likewise */
/* PTX, because for the built-in with a generic pointer nvcc also emits a case for block-shared memory. */
HD_FN hd_pair_word hd_pair_add(hd_pair_word *p, hd_pair_word v)
{
    hd_pair_word old;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0,[%1],%2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
    return old;
}
/* Predicated, not branched, so that the code after it does not wait for the old value. The address depends on the
 * lane, because with a uniform address ptxas elects one lane that adds for all. */
HD_FN hd_pair_word hd_pair_add_first(hd_pair_word *p, hd_pair_word v)
{
    hd_pair_word old;
    uint32_t lane;
    asm volatile("mov.u32 %0,%%laneid;" : "=r"(lane));
    asm volatile("{.reg .pred q; setp.eq.u32 q,%3,0; mov.u64 %0,0; @q atom.relaxed.gpu.global.add.u64 %0,[%1],%2;}"
                 : "=&l"(old)
                 : "l"(p + lane), "l"(v), "r"(lane)
                 : "memory");
    return old;
}
#define HD_PAIR_ADD_FIRST(p, v) hd_pair_add_first((p), (v))
HD_FN int hd_pair_cas(hd_pair_word *p, hd_pair_word e, hd_pair_word v)
{
    hd_pair_word old;
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0,[%1],%2,%3;" : "=l"(old) : "l"(p), "l"(e), "l"(v) : "memory");
    return old == e;
}
HD_FN hd_pair_word hd_border_load(const hd_pair_word *p)
{
    hd_pair_word v;
    asm volatile("ld.relaxed.gpu.b64 %0,[%1];" : "=l"(v) : "l"(p));
    return v;
}
HD_FN hd_pair_word hd_outer_load(const hd_pair_word *p)
{
    hd_pair_word v;
    asm volatile("ld.relaxed.sys.b64 %0,[%1];" : "=l"(v) : "l"(p));
    return v;
}
/* Of scope SYS, which costs no more: such a store goes to the L2 cache in any case. */
HD_FN void hd_border_store(hd_pair_word *p, hd_pair_word v)
{
    asm volatile("st.relaxed.sys.b64 [%0],%1;" ::"l"(p), "l"(v));
}
HD_FN void hd_border_store_two(hd_pair_word *p, hd_pair_word v0, hd_pair_word v1)
{
    asm volatile("st.relaxed.sys.v2.b64 [%0],{%1,%2};" ::"l"(p), "l"(v0), "l"(v1));
}
#define HD_BORDER_LOAD(p) hd_border_load(p)
#define HD_OUTER_LOAD(p) hd_outer_load(p)
#define HD_BORDER_STORE(p, v) hd_border_store((p), (v))
#define HD_BORDER_STORE_TWO(p, v0, v1) hd_border_store_two((p), (v0), (v1))
HD_FN hd_unit hd_unit_load(const hd_unit *p)
{
    hd_unit u;
    uint64_t v, w;
    asm volatile("{.reg .b128 t; ld.relaxed.sys.global.b128 t,[%2]; mov.b128 {%0,%1},t;}"
                 : "=l"(v), "=l"(w)
                 : "l"(p)
                 : "memory");
    u.tag = (uint32_t)v;
    u.word[0] = (uint32_t)(v >> 32);
    u.word[1] = (uint32_t)w;
    u.word[2] = (uint32_t)(w >> 32);
    return u;
}
#define HD_UNIT_LOAD(p) hd_unit_load(p)
/* Release: what this thread wrote and knows of is in the L2 cache. Acquire: the SM's L1 cache is emptied. From sm_90 on
 * there is a fence for either half. */
#if __CUDA_ARCH__ >= 900
#define HD_FENCE_HOST() asm volatile("fence.acquire.sys;" ::: "memory")
#define HD_FENCE_FOR_HOST() asm volatile("fence.release.sys;" ::: "memory")
#define HD_FENCE_RELEASE() asm volatile("fence.release.gpu;" ::: "memory")
#define HD_FENCE_ACQUIRE() asm volatile("fence.acquire.gpu;" ::: "memory")
#else
#define HD_FENCE_HOST() asm volatile("fence.acq_rel.sys;" ::: "memory")
#define HD_FENCE_FOR_HOST() asm volatile("fence.acq_rel.sys;" ::: "memory")
#define HD_FENCE_RELEASE() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#define HD_FENCE_ACQUIRE() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#endif
#if __CUDA_ARCH__ >= 800
HD_FN void hd_copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}
HD_FN void hd_copy4(void *to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}
#define HD_COPY_WAIT() asm volatile("cp.async.wait_all;" ::: "memory")
#else
HD_FN void hd_copy16(void *to, const void *from) { *(uint4 *)to = *(const uint4 *)from; }
HD_FN void hd_copy4(void *to, const void *from) { *(uint32_t *)to = *(const uint32_t *)from; }
#define HD_COPY_WAIT() ((void)0)
#endif
#define HD_COPY16(to, from) hd_copy16((to), (from))
#define HD_COPY4(to, from) hd_copy4((to), (from))
#define HD_CAS(p, e, v, order, scope) hd_cas_##order##_##scope((p), (e), (v))
#define HD_CAS_FN(order, scope)                                                                          \
    HD_FN int hd_cas_##order##_##scope(uint32_t *p, uint32_t e, uint32_t v)                              \
    {                                                                                                    \
        return __nv_atomic_compare_exchange_n(p, &e, v, false, __NV_ATOMIC_##order, __NV_ATOMIC_RELAXED, \
                                              HD_SCOPE_##scope);                                         \
    }
#define HD_COUNT(p, order, scope) hd_count_##order##_##scope(p)
/* PTX, because for the built-in nvcc emits an instruction that waits for the old value. */
HD_FN void hd_count_RELEASE_DEV(uint32_t *p)
{
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
}
HD_CAS_FN(RELAXED, DEV)
HD_CAS_FN(ACQUIRE, DEV)
HD_CAS_FN(RELEASE, DEV)
HD_CAS_FN(ACQ_REL, DEV)
#define hd_cas_FENCED_ACQ_REL_DEV(p, e, v) hd_cas_RELAXED_DEV((p), (e), (v))
#undef HD_CAS_FN

/* Short and bounded: 32 ns doubling to 512 ns, so that a poller finds work at most half a hop late. */
HD_FN void hd_pause(uint32_t n) { __nanosleep(32u << (n < 4u ? n : 4u)); }
#define HD_PAUSE(n) hd_pause(n)
/* Up to 8 us. */
HD_FN void hd_yield_for(uint32_t n) { __nanosleep(128u << (n < 6u ? n : 6u)); }
#define HD_YIELD(n) hd_yield_for(n)

#else

#define HD_ORDER_RELAXED __ATOMIC_RELAXED
#define HD_ORDER_ACQUIRE __ATOMIC_ACQUIRE
#define HD_ORDER_RELEASE __ATOMIC_RELEASE
#define HD_ORDER_ACQ_REL __ATOMIC_ACQ_REL
#define HD_ORDER_SEQ_CST __ATOMIC_SEQ_CST
#define HD_ORDER_FENCED_ACQUIRE __ATOMIC_ACQUIRE
#define HD_ORDER_FENCED_RELEASE __ATOMIC_RELEASE
#define HD_ORDER_FENCED_ACQ_REL __ATOMIC_ACQ_REL
#define HD_LOAD(p, order, scope) __atomic_load_n((p), HD_ORDER_##order)
#define HD_STORE(p, v, order, scope) __atomic_store_n((p), (v), HD_ORDER_##order)
#define HD_ADD(p, v, order, scope) __atomic_fetch_add((p), (v), HD_ORDER_##order)
#define HD_SUB(p, v, order, scope) __atomic_fetch_sub((p), (v), HD_ORDER_##order)
#define HD_EXCH(p, v, order, scope) __atomic_exchange_n((p), (v), HD_ORDER_##order)
#define HD_COUNT(p, order, scope) ((void)__atomic_fetch_add((p), 1u, HD_ORDER_##order))
#define HD_CAS(p, e, v, order, scope) hd_cas_host((p), (e), (v), HD_ORDER_##order)
#define HD_PAIR_LOAD(p, order) __atomic_load_n((p), HD_ORDER_##order)
#define HD_PAIR_STORE(p, v, order) __atomic_store_n((p), (v), HD_ORDER_##order)
#define HD_PAIR_ADD(p, v, order) __atomic_fetch_add((p), (v), HD_ORDER_##order)
#define HD_PAIR_CAS(p, e, v, order) hd_pair_cas((p), (e), (v), HD_ORDER_##order)
#define HD_PAIR_ADD_FIRST(p, v) (hd_warp_lane() == 0 ? HD_PAIR_ADD((p), (v), RELAXED) : 0)
#define HD_BORDER_LOAD(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define HD_OUTER_LOAD(p) HD_BORDER_LOAD(p)
#define HD_BORDER_STORE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define HD_BORDER_STORE_TWO(p, v0, v1) (HD_BORDER_STORE((p), (v0)), HD_BORDER_STORE((p) + 1, (v1)))
#define HD_UNIT_LOAD(p) (*(p)) /* only a GPU reads units */
#define HD_FENCE_HOST() ((void)0)
#define HD_FENCE_FOR_HOST() ((void)0)
#define HD_FENCE_RELEASE() ((void)0)
#define HD_FENCE_ACQUIRE() ((void)0)
#define HD_COPY16(to, from) ((void)__builtin_memcpy((to), (from), 16))
#define HD_COPY4(to, from) ((void)__builtin_memcpy((to), (from), 4))
#define HD_COPY_WAIT() ((void)0)

HD_FN int hd_pair_cas(hd_pair_word *p, hd_pair_word e, hd_pair_word v, int order)
{
    return __atomic_compare_exchange_n(p, &e, v, 0, order, __ATOMIC_RELAXED);
}

HD_FN int hd_cas_host(uint32_t *p, uint32_t e, uint32_t v, int order)
{
    return __atomic_compare_exchange_n(p, &e, v, 0, order, __ATOMIC_RELAXED);
}

HD_FN void hd_pause(uint32_t n)
{
    (void)n;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb"); /* `yield` is a no-op on most cores; isb stalls for some tens of cycles */
#endif
}
#define HD_PAUSE(n) hd_pause(n)
#define HD_YIELD(n) hd_pause(n)

#endif
#endif
