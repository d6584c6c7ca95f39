/* SPDX-License-Identifier: MIT */
/* core/wire.h - how tasks of a pool get from the host into a kernel that runs: a ring of lines in pinned host memory.
 *
 * A line is a task: 64 bytes in four units of 16. A unit is written by one store and read by one load, and carries a tag, the number
 * of its place in the order of sending, + 1. So a reader that finds its tag has the whole unit, and four such units are the line: no
 * other word says that it is there, so a line takes one trip over the bus. Records of more than HD_WIRE_ARGS bytes, the handles that
 * a task waits for, and its copies (core/copy.h) are elsewhere in pinned memory; the reader fetches them in a second trip.
 *
 * Places are handed out by one addition. A place is used again when its line was taken: couriers (core/courier.h) say up to which
 * place all are.
 *
 * The kernel ends when there has been nothing to do for some time. A thread of the pool notices that: if lines are left, it starts the
 * kernel again; else it sleeps, and the next thread that sends starts it. No line is overlooked: a sender first takes a place, and looks
 * at `sleeps` after its line; the pool's thread sets `sleeps` before it compares the places with what the kernel has taken. */
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

/* What the host asks a kernel: nothing; to end soon; or, any other value, which numbers the stay, not to end until it asks for
 * something else. Once the kernel has answered with that number, it does not end. */
#define HD_ASKED_NOTHING 0u
#define HD_ASKED_END 1u

typedef struct hd_wire {
    hd_wire_line *lines; /* pinned, n_lines of them, a power of two                               */
    const uint8_t *args; /* pinned: large records, args_bytes for each slot, a multiple of 16     */
    hd_after *after;     /* pinned: one for each slot                                             */
    hd_copy *copies;     /* pinned: n_copies for each slot                                        */
    uint32_t *taken;     /* sys: all lines before this place are taken                            */
    uint32_t *asked;     /* sys: what the host wants: HD_ASKED_...                               */
    uint32_t *stays;     /* sys: the number of the last stay that the kernel has begun            */
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
HD_STATIC_ASSERT(HD_WIRE_UNITS == 4u && HD_WIRE_ARGS == 28u, "hd_wire_line_write writes as many");
HD_FN void hd_wire_unit(hd_wire_line *line, uint32_t k, uint32_t place, uint32_t a, uint32_t b, uint32_t c)
{
    const hd_unit u = {place + 1u, {a, b, c}};
    HD_UNIT_STORE(&line->unit[k], u);
}

/* Two words of the n bytes at `from`, beginning with byte `at`; 0 behind them. n is a multiple of 4. */
HD_FN uint64_t hd_wire_two(const uint8_t *from, uint32_t at, uint32_t n)
{
    uint64_t v = 0;
    if (n >= at + 8u)
        __builtin_memcpy(&v, from + at, 8);
    else if (n > at)
        __builtin_memcpy(&v, from + at, 4);
    return v;
}

/* head: of hd_wire_pack, but for the handle. args: n bytes, a multiple of 4, which fit. */
HD_FN void hd_wire_line_write(hd_wire_line *line, uint32_t place, uint64_t handle, const uint32_t *head,
                              const uint8_t *args, uint32_t n)
{
    const uint64_t first = hd_wire_two(args, 0, n), second = hd_wire_two(args, 8, n);
    uint64_t third = 0, last = 0;
    hd_wire_unit(line, 0, place, (uint32_t)handle, (uint32_t)(handle >> 32) | head[1], head[2]);
    hd_wire_unit(line, 1, place, head[3], head[4], (uint32_t)first);
    hd_wire_unit(line, 2, place, (uint32_t)(first >> 32), (uint32_t)second, (uint32_t)(second >> 32));
    if (n > 16u) {
        third = hd_wire_two(args, 16, n);
        last = hd_wire_two(args, 24, n);
    }
    hd_wire_unit(line, 3, place, (uint32_t)third, (uint32_t)(third >> 32), (uint32_t)last);
}

/* What does not fit into the line. */
HD_FN void hd_wire_apart_write(const hd_wire *wire, const hd_sent *s)
{
    if (s->arg_bytes > HD_WIRE_ARGS)
        __builtin_memcpy((uint8_t *)(uintptr_t)wire->args + (uint64_t)s->slot * wire->args_bytes, s->args,
                         s->arg_bytes);
    if (s->n_after)
        __builtin_memcpy(wire->after[s->slot].handle, s->after, s->n_after * sizeof *s->after);
    if (hd_n_copies(s->flags))
        __builtin_memcpy(wire->copies + (uint64_t)s->slot * wire->n_copies, s->copies,
                         hd_n_copies(s->flags) * sizeof *s->copies);
}

/* A thread of the host, which has n places from that one on, and has seen that their last lines were taken: writes n tasks like
 * that one, of generation 0, with these handles; the k-th record is k * stride bytes behind its own. */
HD_FN void hd_wire_write(const hd_wire *wire, uint32_t place, const hd_sent *like, const uint64_t *handles,
                         uint64_t stride, uint32_t n)
{
    hd_wire_line *lines = wire->lines;
    const uint32_t mask = wire->n_lines - 1u, n_bytes = like->arg_bytes <= HD_WIRE_ARGS ? like->arg_bytes : 0u;
    const int has_more = n_bytes != like->arg_bytes || n_bytes % 4u || like->n_after || hd_n_copies(like->flags);
    const uint8_t *args = (const uint8_t *)like->args, *from;
    uint8_t whole[HD_WIRE_ARGS] = {0};
    uint32_t head[HD_WIRE_HEAD], i;
    hd_wire_pack(head, like);
    for (i = 0; i < n; i++) {
        from = args + i * stride;
        if (__builtin_expect(has_more, 0)) {
            const hd_sent s = hd_sent_like(like, handles[i], i * stride);
            hd_wire_apart_write(wire, &s);
            from = n_bytes ? (const uint8_t *)__builtin_memcpy(whole, from, n_bytes) : whole;
        }
        __builtin_prefetch(&lines[(place + i + HD_WIRE_AHEAD) & mask], 1); /* the GPU has read it last */
        hd_wire_line_write(&lines[(place + i) & mask], place + i, handles[i], head, from, (n_bytes + 3u) / 4u * 4u);
    }
}

/* ---- places, and the kernel's start ---- */

/* Of all threads that send. */
typedef struct hd_places {
    uint32_t next; /* sys: the place of the next line                                                     */
    uint32_t seen; /* sys: `taken` at the last look: the word itself changes often, and is then in no cache */
} hd_places;

HD_FN uint32_t hd_wire_taken(const hd_wire *wire) { return HD_LOAD(wire->taken, ACQUIRE, SYS); }

/* A thread takes n places; returns the first. */
HD_FN uint32_t hd_wire_reserve(hd_places *p, uint32_t n) { return HD_ADD(&p->next, n, SEQ_CST, SYS); }

/* Were the lines before the one of that place taken that are as far as the ring is long? As seen at the last look. */
HD_FN int hd_wire_seems_free(const hd_wire *wire, hd_places *p, uint32_t place)
{
    return (int32_t)(place - HD_LOAD(&p->seen, ACQUIRE, SYS)) < (int32_t)wire->n_lines;
}
/* The same, as it is. */
HD_FN int hd_wire_is_free(const hd_wire *wire, hd_places *p, uint32_t place)
{
    const uint32_t taken = hd_wire_taken(wire);
    HD_STORE(&p->seen, taken, RELEASE, SYS);
    return (int32_t)(place - taken) < (int32_t)wire->n_lines;
}

/* The pool's thread, when no kernel runs: have lines before that place not been taken? */
HD_FN int hd_wire_is_left(const hd_wire *wire, const uint32_t *next)
{
    return HD_LOAD((uint32_t *)(uintptr_t)next, SEQ_CST, SYS) != hd_wire_taken(wire);
}
/* Likewise, with the lock that a sender takes before it starts the kernel: 1: it may sleep, and senders know. */
HD_FN int hd_wire_may_sleep(const hd_wire *wire, const uint32_t *next, uint32_t *sleeps)
{
    HD_STORE(sleeps, 1u, SEQ_CST, SYS);
    return !hd_wire_is_left(wire, next);
}
/* A sender, after its lines: must it start the kernel? */
HD_FN int hd_wire_must_rouse(const uint32_t *sleeps)
{
    return HD_LOAD((uint32_t *)(uintptr_t)sleeps, SEQ_CST, SYS) != 0u;
}
#endif

#endif
