/* SPDX-License-Identifier: MIT */
/* mm_bodies.c - the body of mm: see mm_tile.h. The plain one, which has no block-shared memory, takes a number of C after another. */
#include "mm_tile.h"

HEDDLE_BODY(mm_products, mm_record, params, tile_rect, t) { mm_tile(thread, params, t); }

TILE_FN void plain(const heddle_thread *thread, const mm_record *params, const tile_rect *t)
{
    const int order = (int)params->order, cols = (int)t->cols;
    for (uint64_t p = t->row; p < t->row + t->rows; p++) {
        const uint64_t matrix = p * params->order * params->order;
        const float *a = params->a + matrix, *b = params->b + matrix + t->col;
        float *c = params->c + matrix + t->col;
        HEDDLE_EACH (i, order * cols) {
            const int row = i / cols, col = i % cols;
            float sum = 0.0f;
            for (int k = 0; k < order; k++)
                sum += a[row * order + k] * b[k * order + col];
            c[row * order + col] = sum;
        }
    }
}

HEDDLE_BODY(mm_plain_products, mm_record, params, tile_rect, t) { plain(thread, params, t); }

TILE_APART(mm_apart_products, mm_record, mm_record, mm_tile)

HEDDLE_POOL_TABLE(mm, mm_record, MM_BODIES)
HEDDLE_POOL_TABLE(mm_plain, mm_record, MM_PLAIN_BODIES)
HEDDLE_POOL_TABLE(mm_apart, mm_record, MM_APART_BODIES)
