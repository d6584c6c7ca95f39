/* SPDX-License-Identifier: MIT */
/* slu_bodies.c - lu0 decomposes a diagonal block; fwd solves L X = A for a block to the right of it, bdiv X U = A for a
 * block below it; bmod subtracts a product (sparselu of the Barcelona OpenMP Tasks Suite). lu0 fails with code k + 1 when
 * pivot k is 0 or not a number. */
#include "slu_blocks.h"

HEDDLE_BODY(slu_lu0, slu_record, params, slu_one, t) { slu_do_lu0(thread, params, t); }
HEDDLE_BODY(slu_fwd, slu_record, params, slu_two, t) { slu_do_fwd(thread, params, t); }
HEDDLE_BODY(slu_bdiv, slu_record, params, slu_two, t) { slu_do_bdiv(thread, params, t); }
HEDDLE_BODY(slu_bmod, slu_record, params, slu_three, t) { slu_do_bmod(thread, params, t); }

/* Its bodies for a GPU have barriers of their own. */
HEDDLE_POOL_TABLE_WARPS(slu, slu_record, SLU_BODIES, 0)
