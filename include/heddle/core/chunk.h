/* SPDX-License-Identifier: MIT */
/* core/chunk.h - a span of a loop as a launch: what the kernel takes, and the kernel (nvcc only).
 *
 * A span is some of a loop's indices, and a tile those of one call of the body. There are no records: block k of the launch takes tiles
 * k, k + grid and so on, and all its threads run the body for each. A span must begin at a multiple of `tile`, and of `tile_2`, which the kernel
 * does not check. So a tile has the same indices and the same number in every division of the loop.
 *
 * The loop's params are in the launch, because they differ from launch to launch: no copy must come first, and a body reads them from
 * the constant cache.
 *
 * When a body fails, its block ends after that tile. Blocks that had begun go on: to stop them, each would have to read a word again
 * and again, and a span is short. The words of the failure (hd_fail) are in host memory, so that the host need not copy them back. They are
 * accessed with scope DEV all the same. While the kernel runs, only its own threads access them, and its end shows them to the host.
 * Scope SYS would not be safer: many links to the host have no compare-and-swap. Only a body that fails accesses them: the link takes
 * a quarter of a microsecond for each block that reads such a word, one after the other. So what blocks look at is a word in the GPU's
 * memory. */
#ifndef HEDDLE_CORE_CHUNK_H
#define HEDDLE_CORE_CHUNK_H

#include "heddle/core/task.h"

/* Of one call of a body: indices begin .. end - 1; in loops of two dimensions, with begin_2 .. end_2 - 1 each. */
typedef struct heddle_span {
    uint64_t begin, end;
    uint64_t begin_2, end_2;
    uint64_t tile; /* its number: of the first index's tile; where the body leaves what it found (heddle_reduction) */
} heddle_span;

#define HD_SPAN_PARAMS_MOST 3072u /* bytes of a loop's params */

typedef struct hd_span_launch {
    uint64_t end, end_2; /* of the first index; of the second                                     */
    uint64_t tile, tile_2;
    uint64_t first_tile, first_column; /* its first index / tile; of the second one               */
    uint64_t n_tiles;                  /* of the span                                                           */
    uint64_t n_columns;                /* of these, with the same first index                                   */
    hd_fail *fail;                     /* dev: in pinned host memory, zeros before the first failure             */
    uint32_t *stopped;                 /* dev: 1 after a failure; NULL: spans behind it are run as if there was none */
    uint32_t body, pad[3];
    uint8_t params[HD_SPAN_PARAMS_MOST] __attribute__((aligned(16)));
} hd_span_launch;
HD_STATIC_ASSERT(sizeof(hd_span_launch) <= 4096, "parameters of a kernel");

/* n and a tile may be 2^64 together. */
HD_FN uint64_t hd_span_tiles(uint64_t n, uint64_t tile) { return n / tile + (n % tile != 0); }

/* A span of indices begin .. end - 1, a multiple of tile first, with begin_2 .. end_2 - 1 each, a multiple of tile_2 first. Leaves
 * fail, body and params. */
HD_FN void hd_span_cut(hd_span_launch *l, uint64_t begin, uint64_t end, uint64_t begin_2, uint64_t end_2, uint64_t tile,
                       uint64_t tile_2)
{
    l->end = end;
    l->end_2 = end_2;
    l->tile = tile;
    l->tile_2 = tile_2;
    l->first_tile = begin / tile;
    l->first_column = begin_2 / tile_2;
    l->n_columns = hd_span_tiles(end_2 - begin_2, tile_2);
    l->n_tiles = hd_span_tiles(end - begin, tile) * l->n_columns;
}

/* Its t-th tile. */
HD_FN heddle_span hd_span_tile(const hd_span_launch *l, uint64_t t)
{
    const uint64_t row = l->n_columns == 1u ? t : t / l->n_columns, column = t - row * l->n_columns;
    heddle_span s;
    s.tile = l->first_tile + row;
    s.begin = s.tile * l->tile;
    s.end = l->end - s.begin < l->tile ? l->end : s.begin + l->tile;
    s.begin_2 = (l->first_column + column) * l->tile_2;
    s.end_2 = l->end_2 - s.begin_2 < l->tile_2 ? l->end_2 : s.begin_2 + l->tile_2;
    return s;
}

/* The words of a span's failure, before it: `high` has no such value. */
HD_FN hd_fail hd_span_unfailed(void)
{
    hd_fail f;
    f.stop = HD_STOP_NOT;
    f.code = f.task = 0u;
    f.high = HD_NONE;
    return f;
}

/* The index of a failure. heddle_task_fail leaves only the lower half, which then is the first such index from the span's begin on. */
HD_FN uint64_t hd_span_failed_at(const hd_fail *f, uint64_t begin)
{
    return f->high != HD_NONE ? (uint64_t)f->high << 32 | f->task : begin + (uint32_t)(f->task - (uint32_t)begin);
}

#if defined(__CUDACC__) || defined(HEDDLE_EMULATED_BLOCK)
#include "heddle/core/block.h"

/* Registers of a thread at most, by body (HEDDLE_LOOP_REGISTERS in heddle/loop.h): this one is for bodies that say nothing. */
constexpr int hd_registers_of(...) { return 255; }
#if defined(__CUDACC__)
#define HD_MOST_REGISTERS(n) __maxnreg__(n)
#else
#define HD_MOST_REGISTERS(n)
#endif

/* Between two tiles all threads of the block meet: the next one uses the same block-shared memory, and all threads leave or none, since
 * bodies have barriers. A barrier costs little beside a tile. */
template <typename Bodies>
__global__ HD_MOST_REGISTERS(hd_registers_of((const Bodies *)nullptr)) void hd_tiles_of_span(
    const __grid_constant__ hd_span_launch l)
{
    HD_BLOCK_ARENA(hd_arena);
    heddle_thread thread = hd_block_thread(l.fail, hd_arena, blockDim.x, blockIdx.x);
    uint32_t failed = 0;
    thread.failed = &failed;
    for (uint64_t t = blockIdx.x; t < l.n_tiles; t += gridDim.x) {
        const heddle_span span = hd_span_tile(&l, t);
        thread.task = (uint32_t)span.begin;
        Bodies()(&thread, l.body, l.params, &span);
        /* A span that was put into the stream behind one that failed ends early. A block looks behind its first tile, since before the body the
         * word would take one of its registers; and all threads do, as this, too, takes fewer. */
        if (t == blockIdx.x && l.stopped)
            failed |= HD_LOAD(l.stopped, RELAXED, DEV);
        if (__syncthreads_or((int)failed)) {
            if (threadIdx.x == 0 && l.stopped)
                HD_STORE(l.stopped, 1u, RELAXED, DEV);
            return;
        }
    }
}
#endif

#endif
