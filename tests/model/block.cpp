/* SPDX-License-Identifier: MIT */
/* block.cpp - the model test of a thread block runs the functions of core/block.h, resident.h and planned.h themselves.
 * Warps are fibers of the explorer (warp.h), barriers and words are the explorer's, plain shared memory is watched.
 *
 *     heddle_model_block [--most N] [plan|dynamic|pool [CASE]]     at most N preemptions
 *
 * Prints a line for each part, or the schedule that fails. Not modelled: another order of the threads in a warp than by
 * number (warp.h), knowledge of one thread apart from its warp's, and late loads of the lanes. */
#include "block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* core/port.h's functions, for warps and for single threads. */
uint32_t hd_warp_lane(void) { return warp_thread.x % warp_width(); }
uint32_t hd_warp_width(void) { return warp_width(); }
uint32_t hd_ballot(int flag) { return warp_width() > 1u ? warp_ballot(flag) : (uint32_t)(flag != 0); }
uint32_t hd_shuffle(uint32_t v, uint32_t from) { return warp_width() > 1u ? warp_shuffle(v, from) : v; }
void hd_warp_sync(void)
{
    if (warp_width() > 1u)
        warp_sync();
}

uint64_t block_n_schedules;
warp_index warp_block_size;
uint32_t warp_threads_of_block = WARP_LANES + WARP_WIDTH;
hd_unit warp_units[WARP_MAX_UNITS];
uint32_t warp_n_units;
uint64_t block_clock_step;
const char *block_case = "";

static uint32_t random_state = 12345;
uint32_t block_random(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

extern "C" uint64_t heddle_host_clock_ns(void)
{
    static uint64_t now;
    if (block_clock_step) /* a warp that looks at the clock waits for something */
        warp_rest(MODEL_SITE(clock));
    return now += block_clock_step ? block_clock_step : 1u;
}

int block_explore(model_test t, const block_order *o)
{
    uint64_t n;
    int failed;
    t.n_preempt = o->n_preempt;
    t.n_stale = o->n_stale;
    failed = model_explore(&t, &n);
    block_n_schedules += n;
    return failed;
}

void block_check_barriers(void)
{
    uint32_t i;
    for (i = 0; i < MODEL_MAX_BARRIERS; i++)
        if (model_barrier_left(i))
            model_fail("%u threads are left at barrier %u", model_barrier_left(i), i);
}

static int run_tests(const char *name, int (*tests)(uint32_t most, uint32_t deeper), uint32_t most)
{
    const char *more = getenv("HEDDLE_MODEL_DEEPER");
    struct timespec t0, t1;
    int failed;
    block_n_schedules = 0;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    failed = tests(most, more ? (uint32_t)strtoul(more, nullptr, 10) : 0u);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("%-16s strict  %9llu schedules  %5.2f s  %s\n", name, (unsigned long long)block_n_schedules,
           (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec), failed ? "FAILED" : "ok");
    return failed;
}

static const struct part {
    const char *name;
    int (*tests)(uint32_t most, uint32_t deeper);
} parts[] = {{"plan", block_test_plan}, {"dynamic", block_test_dynamic}, {"pool", block_test_pool}};

int main(int argc, char **argv)
{
    uint32_t most = 2;
    const char *which = "";
    int i;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--most") == 0 && i + 1 < argc)
            most = (uint32_t)strtoul(argv[++i], nullptr, 10);
        else
            *(*which ? &block_case : &which) = argv[i];
    }
    for (const auto &p : parts)
        if ((!*which || strcmp(which, p.name) == 0) && run_tests(p.name, p.tests, most))
            return 1;
    return 0;
}
