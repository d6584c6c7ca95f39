/* SPDX-License-Identifier: MIT */
/* wire.c - lines of core/wire.h: records of every size, alone and several at once, over the end of the ring, with handles and copies,
 * held and released. What is unpacked is what was sent, and each unit has its tag. */
#include "check.h"
#include "heddle/core/wire.h"

#include <string.h>

#define N_LINES 8u
#define N_SLOTS 16u
#define MOST 64u /* bytes of a record */
#define N 5u     /* tasks of a call */

static _Alignas(64) hd_wire_line lines[N_LINES];
static _Alignas(16) uint8_t far[N_SLOTS * MOST];
static hd_after after[N_SLOTS];
static hd_copy copies[N_SLOTS * 2u];
static const hd_wire wire = {.lines = lines,
                             .args = far,
                             .after = after,
                             .copies = copies,
                             .n_lines = N_LINES,
                             .args_bytes = MOST,
                             .n_copies = 2};

static const uint64_t names[2] = {77u << 8, 99u};
static const hd_copy copied[2] = {{.host = 5, .n_bytes = 6, .at_mode = 7}, {.host = 8, .n_bytes = 9, .at_mode = 10}};

static void read_line(uint32_t place, uint32_t *w)
{
    const hd_wire_line *line = &lines[place % N_LINES];
    uint32_t k;
    for (k = 0; k < HD_WIRE_UNITS; k++) {
        CHECK(line->unit[k].tag == place + 1u);
        memcpy(w + 3u * k, line->unit[k].word, 12);
    }
}

/* The task at that place is like `like`, with that handle and record. */
static void check_line(uint32_t place, const hd_sent *like, uint64_t handle, const uint8_t *args)
{
    uint8_t want[HD_WIRE_ARGS] = {0};
    uint32_t w[HD_WIRE_WORDS];
    hd_sent s;
    read_line(place, w);
    hd_wire_unpack(&s, w);
    CHECK(s.slot == (uint32_t)handle && s.generation == handle >> 32 && s.n_after == like->n_after);
    CHECK(s.body == like->body && s.flags == like->flags && s.n_blocks == like->n_blocks);
    CHECK(s.arg_bytes == like->arg_bytes && s.held == like->held);
    if (s.arg_bytes > HD_WIRE_ARGS)
        CHECK(memcmp(far + s.slot * MOST, args, s.arg_bytes) == 0);
    else if (s.arg_bytes)
        memcpy(want, args, s.arg_bytes);
    CHECK_MSG(memcmp(w + HD_WIRE_HEAD, want, sizeof want) == 0, "%u bytes", s.arg_bytes);
    CHECK(memcmp(after[s.slot].handle, names, s.n_after * sizeof *names) == 0);
    CHECK(memcmp(&copies[s.slot * 2u], copied, hd_n_copies(s.flags) * sizeof *copied) == 0);
}

static void check_size(uint32_t n_bytes, uint32_t n, uint32_t n_names, uint32_t n_copies, uint32_t held, uint32_t place)
{
    uint8_t args[N * MOST];
    uint64_t handles[N];
    const hd_sent like = {.body = 3,
                          .flags = HD_TASK_PINNED | n_copies << HD_TASK_COPIES,
                          .n_blocks = 4,
                          .arg_bytes = n_bytes,
                          .n_after = n_names,
                          .args = args,
                          .after = names,
                          .copies = copied,
                          .held = held};
    uint32_t i;
    for (i = 0; i < sizeof args; i++)
        args[i] = (uint8_t)(i * 37u + 1u);
    for (i = 0; i < n; i++)
        handles[i] = (uint64_t)(HD_WIRE_GENERATION - i) << 32 | (i * 3u + 1u);
    hd_wire_write(&wire, place, &like, handles, n_bytes, n);
    for (i = 0; i < n; i++)
        check_line(place + i, &like, handles[i], args + i * n_bytes);
}

int main(void)
{
    uint32_t n_bytes, n, more, place = UINT32_MAX - 20u;
    for (n_bytes = 0; n_bytes <= MOST; n_bytes++)
        for (n = 1; n <= N; n++)
            for (more = 0; more < 6u; more++, place += n)
                check_size(n_bytes, n, more & 1u && more < 4u ? 2u : 0u, more & 2u ? 2u : 0u,
                           more == 4u   ? HD_HELD
                           : more == 5u ? HD_RELEASED
                                        : 0u,
                           place);
    return 0;
}
