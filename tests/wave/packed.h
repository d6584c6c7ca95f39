/* SPDX-License-Identifier: MIT */
/* packed.h - a body that calls each function of heddle/body.h on parts of words, for tests of their results. */
#ifndef WAVE_PACKED_H
#define WAVE_PACKED_H

#include "heddle/task.h"

enum {
    PACKED_ADD_MAX,
    PACKED_ADD_MAX_0,
    PACKED_ADD_DOT4,
    PACKED_PICK_BYTES,
    PACKED_PICK_2X16, /* picks two bytes as halves */
    PACKED_ADD_2X16,
    PACKED_MAX_2X16,
    PACKED_ADD_MAX_2X16,
    PACKED_ADD_MAX_0_2X16,
    PACKED_2X16, /* halves taken apart and swapped */
    PACKED_RESULTS
};

typedef struct packed_in {
    uint32_t a, b, c;
} packed_in;
typedef struct packed_params {
    const packed_in *in;
    uint32_t (*out)[PACKED_RESULTS];
} packed_params;
typedef struct packed_args {
    uint32_t n;
} packed_args;

#define PACKED_BODIES(X) X(packed_all, 0)
HEDDLE_ENUM(packed, PACKED_BODIES)
HEDDLE_DECLARE(packed)

/* Runs on a context of this backend; exits if a result differs from that of plain loops. */
void packed_check(heddle_backend backend, uint64_t seed);

#endif
