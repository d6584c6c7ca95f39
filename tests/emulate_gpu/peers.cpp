/* SPDX-License-Identifier: MIT */
/* peers.cpp - the thesis' kernels of bench/papers/peerwave as emulated blocks. With flags and with barriers, in square
 * tiles and hyper-tiles of random sizes, they leave the result of plain loops, and the GPU's own check accepts it. The
 * check refuses a field with a wrong cell. A block that waits for an absent one gives up.
 *
 * emulate_peers [CASES]; HEDDLE_SEED: run only that case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

#include "bench/papers/peerwave/kernels.h"

#include "check.h"

static uint64_t n_cases_run, n_switches;

typedef struct emulated {
    peer_app app;
    peer_job job;
    uint64_t seed;
    uint32_t *want;
    char what[160];
} emulated;

static void code(void *arg)
{
    const emulated *e = (const emulated *)arg;
    unsigned char *room = (unsigned char *)emu_arena();
    peer_with_kernel(e->app, [=](auto k) { peer_block<decltype(k)>(&e->job, room); });
}

static double distance(const emulated *e, uint32_t k, uint32_t i, uint32_t j)
{
    return peer_with_kernel(e->app, [=](auto cell) { return peer_distance<decltype(cell)>(&e->job, k, i, j); });
}

template <class T> static T *room_for(uint64_t n)
{
    void *p = calloc(n ? n : 1, sizeof(T));
    if (!p)
        emu_fail("out of memory");
    return (T *)p;
}

static void make(emulated *e)
{
    uint64_t row = e->seed * 7919u;
    peer_job *job = &e->job;
    peer_tiling *t = &job->tiling;
    const uint32_t shift = 5u + (uint32_t)check_below(&row, 2u);
    peer_layout layout = {0, shift, 0};
    t->rows = 1u + (uint32_t)check_below(&row, 150u);
    t->cols = 1u + (uint32_t)check_below(&row, 150u);
    t->n_planes = peer_problems[e->app].n_planes;
    t->height = 1u << shift;
    t->is_square = (uint32_t)check_below(&row, 2u);
    t->width = 1u + (uint32_t)check_below(&row, check_below(&row, 4u) ? 80u : 4u);
    layout.stride = t->cols + t->height;
    job->params = problem_params(e->app, t->rows, t->cols, layout);
    job->plane_cells = layout.stride * t->height * peer_bands(t);
    job->is_barrier = (uint32_t)check_below(&row, 2u);
    job->n_blocks = 1u + (uint32_t)check_below(&row, 5u);
    job->run = 1;
    job->limit_ns = ~0ull;
    snprintf(e->what, sizeof e->what, "%s, %u x %u, %s of %u x %u, %s, %u blocks", peer_problems[e->app].name, t->rows,
             t->cols, t->is_square ? "square tiles" : "hyper-tiles", t->height, t->width,
             job->is_barrier ? "barriers" : "peers", job->n_blocks);
}

static void give_memory(emulated *e)
{
    peer_job *job = &e->job;
    const peer_tiling *t = &job->tiling;
    int32_t *x = room_for<int32_t>((uint64_t)t->n_planes * t->rows), *y = room_for<int32_t>(t->cols);
    uint8_t *pixels = room_for<uint8_t>(job->plane_cells);
    problem_x(e->app, t->rows, x);
    problem_y(t->cols, y);
    problem_pixels(&job->params, pixels);
    job->x = peer_problems[e->app].has_x ? x : nullptr;
    job->y = peer_problems[e->app].has_y ? y : nullptr;
    job->params.pixels = pixels;
    job->cells = room_for<uint32_t>(t->n_planes * job->plane_cells);
    job->flags = room_for<uint32_t>((uint64_t)peer_bands(t) * t->n_planes * peer_waiting(t));
    job->arrived = room_for<uint32_t>(1);
    job->stop = room_for<uint32_t>(1);
    job->tallies = room_for<peer_tally>(job->n_blocks);
    e->want = room_for<uint32_t>((uint64_t)t->n_planes * t->rows * t->cols);
    problem_want(e->app, t->rows, t->cols, e->want);
    if (peer_problems[e->app].n_sweeps)
        problem_start(&job->params, (float *)job->cells);
}

static void run(emulated *e)
{
    emu_launch l = {};
    l.n_blocks = e->job.n_blocks;
    l.n_threads = e->job.tiling.height;
    l.shared_bytes = peer_shared_bytes(&e->job.tiling);
    l.seed = e->seed;
    l.n_steps = 400000000ull;
    l.what = e->what;
    l.code = code;
    l.arg = e;
    n_switches += emu_run(&l);
}

/* Whether the GPU's check finds all cells right. */
static int looks_right(const emulated *e)
{
    const peer_tiling *t = &e->job.tiling;
    for (uint32_t k = 0; k < t->n_planes; k++)
        for (uint32_t i = 0; i < t->rows; i++)
            for (uint32_t j = 0; j < t->cols; j++)
                if (distance(e, k, i, j) > 0)
                    return 0;
    return 1;
}

static void check(emulated *e)
{
    const peer_tiling *t = &e->job.tiling;
    const uint64_t n = (uint64_t)t->n_planes * t->rows * t->cols;
    uint32_t *cell = (uint32_t *)peer_cell(&e->job, (uint32_t *)e->job.cells, t->rows / 2u, t->cols / 2u);
    uint64_t at = problem_differs(e->app, &e->job.params, (uint32_t *)e->job.cells, e->job.plane_cells, e->want);
    uint64_t n_tiles = 0;
    if (at < n)
        emu_fail("%s: cell (%u, %u) of plane %u is wrong", e->what, (uint32_t)(at / t->cols % t->rows),
                 (uint32_t)(at % t->cols), (uint32_t)(at / t->cols / t->rows));
    for (uint32_t b = 0; b < e->job.n_blocks; b++)
        n_tiles += e->job.tallies[b].n_tiles;
    if (n_tiles != (uint64_t)peer_bands(t) * peer_tiles(t) * t->n_planes)
        emu_fail("%s: %llu tiles have run", e->what, (unsigned long long)n_tiles);
    if (peer_problems[e->app].n_sweeps > 1)
        return;
    if (!looks_right(e))
        emu_fail("%s: the check refuses what is right", e->what);
    *cell ^= 0x00400000u;
    if (looks_right(e))
        emu_fail("%s: the check lets a wrong cell pass", e->what);
}

static void release(emulated *e)
{
    peer_job *job = &e->job;
    void *const all[] = {(void *)job->x, (void *)job->y, (void *)job->params.pixels,
                         job->cells,     job->flags,     job->arrived,
                         job->stop,      job->tallies,   e->want};
    for (void *p : all)
        free(p);
}

static void run_case(uint64_t seed)
{
    emulated e = {};
    e.seed = seed;
    e.app = (peer_app)(seed % PEER_APPS);
    make(&e);
    give_memory(&e);
    for (uint32_t s = 0; s < (peer_problems[e.app].n_sweeps ? peer_problems[e.app].n_sweeps : 1u); s++) {
        *e.job.arrived = 0;
        for (uint32_t b = 0; b < e.job.n_blocks; b++)
            e.job.tallies[b] = peer_tally();
        run(&e);
        e.job.run++;
        if (*e.job.stop)
            emu_fail("%s: a wait had no end", e.what);
    }
    check(&e);
    release(&e);
    n_cases_run++;
}

/* One block of two, as if the other were not resident: it waits at a band or at a barrier, and must give up. */
static void test_waits_in_vain(uint32_t is_barrier)
{
    emulated e = {};
    e.seed = 7;
    e.app = PEER_SW;
    make(&e);
    e.job.tiling.rows = 3u * e.job.tiling.height;
    e.job.params.rows = e.job.tiling.rows;
    e.job.plane_cells *= 3u;
    e.job.is_barrier = is_barrier;
    e.job.n_blocks = 1;
    give_memory(&e);
    e.job.n_blocks = 2;
    e.job.limit_ns = 1000;
    {
        emulated one = e;
        emu_launch l = {};
        l.n_blocks = 1;
        l.n_threads = e.job.tiling.height;
        l.shared_bytes = peer_shared_bytes(&e.job.tiling);
        l.seed = 1;
        l.n_steps = 400000000ull;
        l.what = "half of the blocks";
        l.code = code;
        l.arg = &one;
        n_switches += emu_run(&l);
    }
    if (!*e.job.stop)
        emu_fail("%s: half of the blocks have ended without the other half", e.what);
    release(&e);
}

int main(int argc, char **argv)
{
    const char *one = getenv("HEDDLE_SEED");
    const uint64_t n = argc > 1 ? strtoull(argv[1], nullptr, 0) : 140u;
    if (one)
        run_case(strtoull(one, nullptr, 0));
    for (uint64_t seed = 0; !one && seed < n; seed++)
        run_case(seed);
    test_waits_in_vain(0);
    test_waits_in_vain(1);
    printf("%llu cases, %llu switches\n", (unsigned long long)n_cases_run, (unsigned long long)n_switches);
    return 0;
}
