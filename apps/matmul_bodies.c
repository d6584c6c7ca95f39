/* SPDX-License-Identifier: MIT */
/* matmul_bodies.c - the bodies of matmul. Plain version: matmul_plain.h. Tuned version: matmul_tuned.h. */
#include "matmul_plain.h"
#include "matmul_tuned.h"

TILE_FN void matmul_any(const heddle_thread *thread, const matmul_record *p, const heddle_span *s, int is_float)
{
#if HEDDLE_ON_HOST
    if (thread->team_size == 1u) {
        matmul_alone(p, s, is_float);
        return;
    }
#endif
    if (p->tuned && thread->team_size == MATMUL_TEAM)
        matmul_pieces(thread, p, s, is_float);
    else
        matmul_together(thread, p, s, is_float);
}

HEDDLE_LOOP(matmul_f32, matmul_record, params, s) { matmul_any(thread, params, s, 1); }
HEDDLE_LOOP(matmul_i32, matmul_record, params, s) { matmul_any(thread, params, s, 0); }

/* Two blocks of MATMUL_TEAM threads in a multiprocessor; the inner loop still fits. */
HEDDLE_LOOP_REGISTERS(matmul_f32, 128)
HEDDLE_LOOP_REGISTERS(matmul_i32, 128)
HEDDLE_LOOP_TABLE(matmul, matmul_record, MATMUL_BODIES)
