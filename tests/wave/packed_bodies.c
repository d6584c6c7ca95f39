/* SPDX-License-Identifier: MIT */
/* packed_bodies.c - implements packed.h. Compiled as C, or as CUDA. */
#include "wave/packed.h"

HEDDLE_BODY(packed_all, packed_params, params, packed_args, args)
{
    HEDDLE_EACH (i, args->n) {
        const packed_in v = params->in[i];
        uint32_t *out = params->out[i];
        out[PACKED_ADD_MAX] = (uint32_t)heddle_add_max((int32_t)v.a, (int32_t)v.b, (int32_t)v.c);
        out[PACKED_ADD_MAX_0] = (uint32_t)heddle_add_max_0((int32_t)v.a, (int32_t)v.b, (int32_t)v.c);
        out[PACKED_ADD_DOT4] = (uint32_t)heddle_add_dot4((int32_t)v.c, v.a, v.b);
        out[PACKED_PICK_BYTES] = heddle_pick_bytes(v.a, v.b, v.c);
        out[PACKED_PICK_2X16] = heddle_pick_bytes(v.a, v.b, heddle_which_2x16(v.c & 7u, v.c >> 29));
        out[PACKED_ADD_2X16] = heddle_add_2x16(v.a, v.b);
        out[PACKED_MAX_2X16] = heddle_max_2x16(v.a, v.b);
        out[PACKED_ADD_MAX_2X16] = heddle_add_max_2x16(v.a, v.b, v.c);
        out[PACKED_ADD_MAX_0_2X16] = heddle_add_max_0_2x16(v.a, v.b, v.c);
        out[PACKED_2X16] = heddle_2x16(heddle_high16(v.a), heddle_low16(v.a));
    }
}

HEDDLE_TABLE(packed, packed_params, PACKED_BODIES)
