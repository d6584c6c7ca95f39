/* SPDX-License-Identifier: MIT */
/* body.c - heddle/body.h on a host thread: what atomics return, a warp of one lane, and a body called without heddle. */
#include "heddle/task.h"

#include "check.h"

typedef struct tally {
    uint32_t n;
} tally;
typedef struct step {
    uint32_t by;
} step;

HEDDLE_BODY(count_up, tally, params, step, t)
{
    (void)HEDDLE_ATOMIC_ADD(&((tally *)params)->n, t->by, RELAXED, DEV);
    if (t->by == 7u)
        heddle_task_fail(thread, 42u);
}

static void atomics(void)
{
    uint32_t word = 5u;
    uint64_t wide = 1ull << 40;
    CHECK(HEDDLE_ATOMIC_ADD(&word, 3u, RELAXED, BLOCK) == 5u);
    CHECK(HEDDLE_ATOMIC_SUB(&word, 1u, ACQ_REL, DEV) == 8u);
    HEDDLE_ATOMIC_COUNT(&word, RELEASE, DEV);
    CHECK(HEDDLE_ATOMIC_LOAD(&word, ACQUIRE, DEV) == 8u);
    CHECK(!HEDDLE_ATOMIC_CAS(&word, 7u, 1u, RELAXED, DEV));
    CHECK(HEDDLE_ATOMIC_CAS(&word, 8u, 1u, RELEASE, DEV));
    CHECK(HEDDLE_ATOMIC_EXCHANGE(&word, 2u, RELAXED, DEV) == 1u);
    HEDDLE_ATOMIC_STORE(&word, 9u, RELEASE, SYS);
    CHECK(word == 9u);
    CHECK(HEDDLE_ATOMIC_ADD(&wide, 1u, RELAXED, DEV) == 1ull << 40);
    CHECK(wide == (1ull << 40) + 1u);
}

static void one_thread(void)
{
    uint64_t begin = heddle_clock_ns();
    heddle_pause(0);
    heddle_warp_sync();
    CHECK(heddle_clock_ns() >= begin);
    CHECK(HEDDLE_ON_HOST);
    CHECK(heddle_warp_lane() == 0u);
    CHECK(heddle_warp_width() == 1u);
    CHECK(heddle_warp_ballot(1) == 1u);
    CHECK(heddle_warp_ballot(0) == 0u);
    CHECK(heddle_warp_shuffle(17u, 0u) == 17u);
    CHECK(heddle_popcount(0xf0f0u) == 8u);
}

static void alone(void)
{
    _Alignas(128) unsigned char shared[HEDDLE_REDUCE_BYTES];
    heddle_failure failure = {0};
    heddle_thread thread = heddle_thread_alone(&failure, shared);
    tally t = {1u};
    count_up_body_(&thread, &t, &(step){3u});
    CHECK(t.n == 4u);
    CHECK(failure.code == 0u);
    count_up_body_(&thread, &t, &(step){7u});
    CHECK(failure.code == 42u);
}

int main(void)
{
    atomics();
    one_thread();
    alone();
    return 0;
}
