/* SPDX-License-Identifier: MIT */
/* bodies.h - a pool: each text is a task of its own, which counts the words. */
#ifndef BODIES_H
#define BODIES_H

#include "heddle/task.h"

typedef struct words_params {
    int64_t *n_words; /* one a text */
} words_params;

typedef struct words_args {
    const char *text;
    uint64_t n_bytes, number; /* number: which of all texts */
} words_args;

#define WORDS_BODIES(X) X(words_count, 0)
HEDDLE_ENUM(words, WORDS_BODIES)
HEDDLE_DECLARE(words)

#endif
