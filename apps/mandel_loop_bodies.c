/* SPDX-License-Identifier: MIT */
/* mandel_loop_bodies.c - the body of mandel/loop: cells of some rows and columns, each by itself. */
#include "mandel_loop_bodies.h"
#include "mandel_tile.h"

HEDDLE_LOOP(mandel_rows, mandel_record, params, s)
{
    HEDDLE_SPAN_2D (i, j, s)
        params->counts[i * params->cols + j] = mandel_cell(params, i, j);
}

HEDDLE_LOOP_TABLE(mandel_loop, mandel_record, MANDEL_LOOP_BODIES)
