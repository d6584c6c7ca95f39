/* SPDX-License-Identifier: MIT */
/* core/wire.h - how tasks of a pool get from the host into a kernel that runs: a ring of lines in pinned host memory.
 *
 * A line is a task: 64 bytes in four units of 16. A unit is written by one store and read by one load, and carries a tag, the number
 * of its place in the order of sending, + 1. So a reader that finds its tag has the whole unit, and four such units are the line: no
 * other word says that it is there, so a line takes one trip over the bus. Records of more than HD_WIRE_ARGS bytes, the handles that
 * a task waits for, and its copies (core/copy.h) are elsewhere in pinned memory; the reader fetches them in a second trip.
 *
 * Places are handed out by one addition. A place is used again when its line was taken: couriers (core/courier.h) say up to which
 * place all are. */
#ifndef HEDDLE_CORE_WIRE_H
#define HEDDLE_CORE_WIRE_H

#include "heddle/core/send.h"

#define HD_WIRE_UNITS 4u
#define HD_WIRE_HEAD 5u /* words before the arguments */
#define HD_WIRE_WORDS (3u * HD_WIRE_UNITS)
#define HD_WIRE_ARGS (4u * (HD_WIRE_WORDS - HD_WIRE_HEAD))
#define HD_WIRE_AHEAD 8u                                /* lines that the host fetches before it writes them */
#define HD_WIRE_GENERATION (UINT32_MAX >> HD_TOLD_BITS) /* bits of a word; the others are n_after, or: */
#define HD_WIRE_HELD 16u                                /* instead, + hd_sent.held */
HD_STATIC_ASSERT(HD_MAX_AFTER < HD_WIRE_HELD && HD_WIRE_HELD + HD_RELEASED < 1u << HD_TOLD_BITS, "different numbers");

typedef struct hd_wire_line {
    hd_unit unit[HD_WIRE_UNITS];
} hd_wire_line;
HD_STATIC_ASSERT(sizeof(hd_wire_line) == 64, "half a line of memory");

#ifndef HD_COURIERS /* the emulator has fewer */
#define HD_COURIERS 20u
#endif
/* What couriers tell one another, in device memory. */
typedef struct hd_couriers {
    uint32_t place;                      /* where the next round begins                                           */
    uint32_t met;                        /* dev: arrivals at their barrier, of all runs                           */
    uint32_t met_before;                 /* of the runs before                                                    */
    uint32_t stops;                      /* dev: 1: they shall stop                                               */
    uint32_t goes_on;                    /* the next round begins                                                 */
    uint32_t news, pad0[26];             /* dev: some line has come                                              */
    uint32_t at[HD_COURIERS];            /* dev: where the chunk of each begins: its lines before that have records */
    uint32_t top[HD_COURIERS], pad1[24]; /* behind the last line that each has taken, when it stops         */
} hd_couriers;

typedef struct hd_wire {
    hd_wire_line *lines; /* pinned, n_lines of them, a power of two                               */
    const uint8_t *args; /* pinned: large records, args_bytes for each slot, a multiple of 16     */
    hd_after *after;     /* pinned: one for each slot                                             */
    hd_copy *copies;     /* pinned: n_copies for each slot                                        */
    uint32_t *taken;     /* sys: all lines before this place are taken                            */
    uint32_t *asked;     /* sys: not 0: the host wants the kernel to end                          */
    hd_couriers *couriers;
    uint64_t linger_ns, hold_ns;
    uint32_t n_lines, args_bytes, n_copies;
} hd_wire;

/* ---- a task in words ---- */

HD_FN void hd_wire_pack(uint32_t *w, const hd_sent *s)
{
    w[0] = s->slot;
    w[1] = s->generation | (s->held ? HD_WIRE_HELD + s->held : s->n_after) << (32u - HD_TOLD_BITS);
    w[2] = s->body | s->flags << 16;
    w[3] = s->n_blocks;
    w[4] = s->arg_bytes;
}

HD_FN void hd_wire_unpack(hd_sent *s, const uint32_t *w)
{
    s->slot = w[0];
    s->generation = w[1] & HD_WIRE_GENERATION;
    s->n_after = w[1] >> (32u - HD_TOLD_BITS);
    s->held = s->n_after > HD_WIRE_HELD ? s->n_after - HD_WIRE_HELD : 0u;
    s->n_after = s->held ? 0u : s->n_after;
    s->body = w[2] & 0xffffu;
    s->flags = w[2] >> 16;
    s->n_blocks = w[3];
    s->arg_bytes = w[4];
    s->args = 0;
    s->after = 0;
    s->copies = 0;
}

/* ---- writing a line ---- */

#if HD_HOSTED && !defined(HEDDLE_MODEL)
/* One store. It is atomic on x86-64 processors with AVX; HD_HAS_UNITS says that the compiler makes such a store. */
#if defined(__x86_64__) && defined(__GNUC__)
#define HD_HAS_UNITS 1
typedef uint32_t hd_unit_vector __attribute__((vector_size(16)));
#else
#define HD_HAS_UNITS 0
#endif
HD_FN void hd_unit_store(hd_unit *p, hd_unit u)
{
    __atomic_thread_fence(__ATOMIC_RELEASE); /* no instruction on x86-64 */
#if HD_HAS_UNITS
    const hd_unit_vector v = {u.tag, u.word[0], u.word[1], u.word[2]};
    *(volatile hd_unit_vector *)(void *)p = v;
#else
    *(volatile hd_unit *)p = u;
#endif
}

#define HD_UNIT_STORE(p, u) hd_unit_store((p), (u))
#endif

#if defined(HD_UNIT_STORE)
HD_STATIC_ASSERT(HD_WIRE_UNITS == 4u, "hd_wire_write writes as many");
HD_FN void hd_wire_unit(hd_wire_line *line, uint32_t k, uint32_t place, const uint32_t *w)
{
    const hd_unit u = {place + 1u, {w[3u * k], w[3u * k + 1u], w[3u * k + 2u]}};
    HD_UNIT_STORE(&line->unit[k], u);
}

/* A thread of the host, which has that place, and has seen that its last line was taken: writes the line of s, and before it what
 * does not fit. */
HD_FN void hd_wire_write(const hd_wire *wire, uint32_t place, const hd_sent *s)
{
    hd_wire_line *line = &wire->lines[place & (wire->n_lines - 1u)];
    uint32_t w[HD_WIRE_WORDS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    __builtin_prefetch(&wire->lines[(place + HD_WIRE_AHEAD) & (wire->n_lines - 1u)], 1); /* the GPU has read it last */
    hd_wire_pack(w, s);
    if (s->arg_bytes > HD_WIRE_ARGS)
        __builtin_memcpy((uint8_t *)(uintptr_t)wire->args + (uint64_t)s->slot * wire->args_bytes, s->args,
                         s->arg_bytes);
    else if (s->arg_bytes)
        __builtin_memcpy(w + HD_WIRE_HEAD, s->args, s->arg_bytes);
    if (s->n_after)
        __builtin_memcpy(wire->after[s->slot].handle, s->after, s->n_after * sizeof *s->after);
    if (hd_n_copies(s->flags))
        __builtin_memcpy(wire->copies + (uint64_t)s->slot * wire->n_copies, s->copies,
                         hd_n_copies(s->flags) * sizeof *s->copies);
    hd_wire_unit(line, 0, place, w);
    hd_wire_unit(line, 1, place, w);
    hd_wire_unit(line, 2, place, w);
    hd_wire_unit(line, 3, place, w);
}
#endif

#endif
