/* SPDX-License-Identifier: MIT */
/* chunk.cpp - spans of loops (core/chunk.h) in the emulator; the test is the host.
 *
 *     emulate_chunk [CASES]        HEDDLE_SEED: run only that case
 *
 * A case is a loop of one or two dimensions that is cut at random tiles of both indices into spans, each of which is a launch. The results equal the
 * plain loop's. Or a body fails: the index and the code are told, and its block ends after that tile. Another block runs all its tiles, or
 * only its first one, if it began after the failure. In a span behind one that failed, each block runs its first one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "kernels.h"

#include "check.h"
#include "gpu/accelerator_bodies.h"

#define STEPS 4000000u

namespace
{
struct test_case {
    uint64_t random;
    char what[160];
    uint32_t n_warps, n_blocks;
    uint64_t tile, tile_2, n_tiles; /* n_tiles: of the first index */
    looped_params params;
    std::vector<float> in, out;
    std::vector<double> sums;
    std::vector<uint32_t> blocks;
    hd_fail fail;
    uint32_t stopped;
    hd_span_launch span;
};
} // namespace

static uint32_t below(test_case *c, uint32_t n) { return (uint32_t)check_below(&c->random, n); }

static void span_code(void *arg) { hd_tiles_of_span<kernel_bodies<0>>(static_cast<const test_case *>(arg)->span); }

/* Tiles first .. last - 1 of the first index, with begin_2 .. end_2 - 1 of the second. */
static void launch_part(test_case *c, uint32_t body, uint64_t first, uint64_t last, uint64_t begin_2, uint64_t end_2,
                        uint64_t seed)
{
    emu_launch l = {};
    hd_span_cut(&c->span, first * c->tile, last == c->n_tiles ? c->params.n : last * c->tile, begin_2, end_2, c->tile,
                c->tile_2);
    c->span.body = body;
    c->span.fail = &c->fail;
    c->span.stopped = &c->stopped;
    memcpy(c->span.params, &c->params, sizeof c->params);
    l.n_blocks = c->n_blocks;
    l.n_threads = 32u * c->n_warps;
    l.shared_bytes = HEDDLE_REDUCE_BYTES + looped.bodies[body].shared_bytes;
    l.seed = seed;
    l.n_steps = STEPS;
    l.what = c->what;
    l.code = span_code;
    l.arg = c;
    n_switches += emu_run(&l);
}

/* With all of the second index. */
static void launch(test_case *c, uint32_t body, uint64_t first, uint64_t last, uint64_t seed)
{
    launch_part(c, body, first, last, 0, c->params.n_2, seed);
}

/* ---- loops -------------------------------------------------------------------------------------------- */

static void make(test_case *c, uint32_t body, uint64_t seed)
{
    looped_params *p = &c->params;
    c->random = seed;
    c->n_warps = 1u + below(c, 4);
    c->n_blocks = 1u + below(c, 5);
    p->n = 1u + below(c, body == looped_cross ? 40 : 3000);
    p->n_2 = body == looped_cross ? 1u + below(c, 200) : 1u;
    c->tile = 1u + below(c, body == looped_cross ? 6 : 400);
    c->tile_2 = body == looped_cross ? 1u + below(c, 90) : 1u;
    c->n_tiles = (p->n + c->tile - 1u) / c->tile;
    c->in.resize(p->n * p->n_2);
    c->out.assign(p->n * p->n_2, -1.0f);
    c->sums.assign(c->n_tiles, -1.0);
    c->blocks.assign(c->n_tiles, 0u);
    for (float &v : c->in)
        v = (float)below(c, 1u << 20) / 7.0f;
    p->in = c->in.data();
    p->out = c->out.data();
    p->sums = c->sums.data();
    p->blocks = c->blocks.data();
    p->by = 1.25f;
    kernel_table = &looped;
    snprintf(c->what, sizeof c->what,
             "HEDDLE_SEED=%llu: body %u, %llu x %llu in tiles of %llu x %llu, %u blocks of %u warps",
             (unsigned long long)seed, body, (unsigned long long)p->n, (unsigned long long)p->n_2,
             (unsigned long long)c->tile, (unsigned long long)c->tile_2, c->n_blocks, c->n_warps);
}

static void check_well(const test_case *c, uint32_t body)
{
    std::vector<float> out(c->out.size(), -1.0f);
    std::vector<double> sums(c->sums.size(), -1.0);
    std::vector<uint32_t> blocks(c->blocks.size(), 0u);
    looped_params want = c->params;
    want.out = out.data();
    want.sums = sums.data();
    want.blocks = blocks.data();
    if (looped_plain(body, &want, c->tile, c->tile_2) || c->fail.code || c->fail.stop)
        emu_fail("%s: a body has failed", c->what);
    if (memcmp(out.data(), c->out.data(), out.size() * sizeof(float)))
        emu_fail("%s: another result than the plain loop's", c->what);
    if (memcmp(sums.data(), c->sums.data(), sums.size() * sizeof(double)))
        emu_fail("%s: other sums than the plain loop's", c->what);
}

static void run_well(uint64_t seed)
{
    const uint32_t body = (uint32_t)(seed % looped_fails);
    test_case *c = new test_case();
    uint64_t first = 0, last, edge;
    make(c, body, seed);
    for (; first < c->n_tiles; first = last) {
        last = first + 1u + below(c, (uint32_t)(c->n_tiles - first));
        edge = c->tile_2 * below(c, (uint32_t)((c->params.n_2 + c->tile_2 - 1u) / c->tile_2));
        if (edge)
            launch_part(c, body, first, last, 0, edge, seed + first);
        launch_part(c, body, first, last, edge, c->params.n_2, seed + first);
    }
    check_well(c, body);
    n_tasks_run += c->n_tiles;
    delete c;
}

/* ---- failures ----------------------------------------------------------------------------------------- */

/* The last of the block's tiles that must have been run; the ones behind it must not. n: of the span. */
static uint64_t last_of(const test_case *c, uint64_t first, uint64_t n, uint32_t block, uint64_t failed)
{
    const uint64_t second = block + (uint64_t)c->n_blocks;
    if ((failed - first) % c->n_blocks == block)
        return failed - first;
    return second < n && !c->blocks[first + second] ? block : n - 1u;
}

/* Of a span from tile `first` on, in which tile `failed` fails. */
static void check_tiles(const test_case *c, uint64_t first, uint64_t failed)
{
    const uint64_t n = c->n_tiles - first;
    for (uint64_t t = 0; t < n; t++) {
        const uint32_t block = (uint32_t)(t % c->n_blocks);
        if (c->blocks[first + t] != (t <= last_of(c, first, n, block, failed) ? block + 1u : 0u))
            emu_fail("%s: tile %llu was run by block %d, and %llu failed", c->what, (unsigned long long)(first + t),
                     (int)c->blocks[first + t] - 1, (unsigned long long)failed);
    }
}

static void check_failure(const test_case *c, uint64_t failed)
{
    const looped_params *p = &c->params;
    const uint64_t at = p->whole ? failed * c->tile : p->fail_at;
    if (c->fail.stop != HD_STOP_FAILED || c->fail.code != p->code || c->fail.task != at ||
        c->fail.high != (p->whole ? HD_NONE : 0u))
        emu_fail("%s: code %u at %u, not %u at %llu", c->what, c->fail.code, c->fail.task, p->code,
                 (unsigned long long)at);
}

static void check_behind(const test_case *c)
{
    for (uint64_t t = 0; t < c->n_tiles; t++)
        if (c->blocks[t] != (t < c->n_blocks ? (uint32_t)t + 1u : 0u))
            emu_fail("%s: behind a span that failed, tile %llu: block %d", c->what, (unsigned long long)t,
                     (int)c->blocks[t] - 1);
}

static void run_failing(uint64_t seed)
{
    test_case *c = new test_case();
    uint64_t first;
    make(c, looped_fails, seed);
    first = below(c, (uint32_t)c->n_tiles);
    c->params.fail_at = first * c->tile + check_below(&c->random, c->params.n - first * c->tile);
    c->params.code = 1u + below(c, 9);
    c->params.whole = below(c, 2);
    c->fail.high = HD_NONE;
    launch(c, looped_fails, first, c->n_tiles, seed);
    check_failure(c, c->params.fail_at / c->tile);
    check_tiles(c, first, c->params.fail_at / c->tile);
    c->blocks.assign(c->n_tiles, 0u);
    launch(c, looped_fails, 0, c->n_tiles, seed);
    check_behind(c);
    n_tasks_run += c->n_tiles;
    delete c;
}

static void run_case(uint64_t seed, uint32_t)
{
    run_well(seed);
    if (seed % 2u)
        run_failing(seed);
}

int main(int argc, char **argv)
{
    kernel_cases(argc, argv, HD_DISPATCH_TICKET, run_case, 400u);
    return 0;
}
