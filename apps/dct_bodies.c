/* SPDX-License-Identifier: MIT */
/* dct_bodies.c - the blocks of 8 x 8 pixels that begin in a tile, each transformed down its columns and then along its rows. Blocks
 * at the edge go on with the picture's outermost pixels. Pixels count from -128.
 *
 * A transform of eight numbers splits them into sums and differences of opposite ones: 22 products instead of 64. One
 * thread takes block by block. Many threads take strips of 16 blocks: a column each; a barrier; then a row of a block each.
 * Strips alternate between two places in block-shared memory, so that one barrier a strip suffices. There rows are four
 * words longer than a strip: eight neighbours, which have the rows of a block, read all banks once. The plain body has no such
 * memory: columns are where the results will be. */
#include "dct_bodies.h"
#include "quad.h"

/* Half the cosine of k pi / 16. */
#define C1 0.490392640201615f
#define C2 0.461939766255643f
#define C3 0.415734806151273f
#define C4 0.353553390593274f
#define C5 0.277785116509801f
#define C6 0.191341716182545f
#define C7 0.097545161008064f

TILE_FN void eight(float x[DCT_EDGE])
{
    const float s0 = x[0] + x[7], s1 = x[1] + x[6], s2 = x[2] + x[5], s3 = x[3] + x[4];
    const float d0 = x[0] - x[7], d1 = x[1] - x[6], d2 = x[2] - x[5], d3 = x[3] - x[4];
    const float e0 = s0 + s3, e1 = s1 + s2, e2 = s0 - s3, e3 = s1 - s2;
    x[0] = C4 * (e0 + e1);
    x[1] = C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3;
    x[2] = C2 * e2 + C6 * e3;
    x[3] = C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3;
    x[4] = C4 * (e0 - e1);
    x[5] = C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3;
    x[6] = C6 * e2 - C2 * e3;
    x[7] = C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3;
}

/* The block's column of pixels, transformed. */
TILE_FN void column(const dct_record *params, uint64_t row, uint64_t col, float x[DCT_EDGE])
{
    const uint64_t c = col < params->cols ? col : params->cols - 1u;
    QUAD_UNROLL
    for (uint64_t i = 0; i < DCT_EDGE; i++) {
        const uint64_t r = row + i < params->rows ? row + i : params->rows - 1u;
        x[i] = (float)params->pixels[r * params->cols + c] - 128.0f;
    }
    eight(x);
}

TILE_FN void alone(const dct_record *params, uint64_t row, uint64_t col)
{
    float block[DCT_EDGE][DCT_EDGE]; /* [column][row] */
    for (uint64_t j = 0; j < DCT_EDGE; j++)
        column(params, row, col + j, block[j]);
    for (uint64_t i = 0; i < DCT_EDGE; i++) {
        float *out = params->out + (row + i) * params->stride + col, x[DCT_EDGE];
        for (int j = 0; j < DCT_EDGE; j++)
            x[j] = block[j][i];
        eight(x);
        for (int j = 0; j < DCT_EDGE; j++)
            out[j] = x[j];
    }
}

/* Row i of a block of the strip. */
TILE_FN void row_of(const float *from, float *to)
{
    float x[DCT_EDGE];
    quad_get(x, quad_load(from));
    quad_get(x + 4, quad_load(from + 4));
    eight(x);
    quad_store(to, quad_of(x));
    quad_store(to + 4, quad_of(x + 4));
}

/* `cols` columns of whole blocks. Rows of the stage are ld apart. */
TILE_FN void strip(const heddle_thread *thread, const dct_record *params, float *stage, uint64_t ld, uint64_t row,
                   uint64_t col, int cols)
{
    HEDDLE_EACH (c, cols) {
        float x[DCT_EDGE];
        column(params, row, col + (uint64_t)c, x);
        QUAD_UNROLL
        for (int i = 0; i < DCT_EDGE; i++)
            stage[(uint64_t)i * ld + (uint64_t)c] = x[i];
    }
    heddle_team_barrier(thread);
    HEDDLE_EACH (k, cols) {
        const int i = k % DCT_EDGE, c = k - i;
        row_of(stage + (uint64_t)i * ld + (uint64_t)c,
               params->out + (row + (uint64_t)i) * params->stride + col + (uint64_t)c);
    }
}

/* The first block that begins at a pixel or after it, in pixels. */
TILE_FN uint64_t whole(uint64_t pixel) { return (pixel + DCT_EDGE - 1u) / DCT_EDGE * DCT_EDGE; }

TILE_FN void transform(const heddle_thread *thread, const dct_record *params, const tile_rect *t, int is_plain)
{
    const uint64_t row_end = whole(t->row + t->rows), col_begin = whole(t->col), col_end = whole(t->col + t->cols),
                   ld = is_plain ? params->stride : DCT_LD;
    float *shared = is_plain ? NULL : quad_shared(thread);
    int turn = 0;
    for (uint64_t row = whole(t->row); row < row_end; row += DCT_EDGE) {
#if !defined(__CUDA_ARCH__)
        if (thread->team_size == 1) {
            for (uint64_t col = col_begin; col < col_end; col += DCT_EDGE)
                alone(params, row, col);
            continue;
        }
#endif
        for (uint64_t col = col_begin; col < col_end; col += DCT_STRIP, turn = !turn) {
            const uint64_t left = col_end - col;
            float *stage = is_plain ? params->out + row * ld + col : shared + turn * (DCT_EDGE * DCT_LD);
            strip(thread, params, stage, ld, row, col, left < DCT_STRIP ? (int)left : DCT_STRIP);
        }
    }
}

TILE_FN void dct_of(const heddle_thread *thread, const dct_record *params, const tile_rect *t)
{
    transform(thread, params, t, 0);
}

HEDDLE_BODY(dct_plain_tile, dct_record, params, tile_rect, t) { transform(thread, params, t, 1); }
HEDDLE_BODY(dct_tile, dct_record, params, tile_rect, t) { dct_of(thread, params, t); }
TILE_APART(dct_apart_tile, dct_record, dct_record, dct_of)

HEDDLE_POOL_TABLE(dct, dct_record, DCT_BODIES)
HEDDLE_POOL_TABLE(dct_plain, dct_record, DCT_PLAIN_BODIES)
HEDDLE_POOL_TABLE(dct_apart, dct_record, DCT_APART_BODIES)
