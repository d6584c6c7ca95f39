/* SPDX-License-Identifier: MIT */
/* answer.h - what an app answers, kept as keys and JSON values, to be shown to a reader or put into an object; and the
 * two JSON leaves that need care. */
#ifndef ANSWER_H
#define ANSWER_H

#include "app.h"

#include <stdio.h>

typedef struct answer {
    struct answer_item {
        char *key, *json;
    } * items;
    size_t n;
    int failed; /* no memory on the way */
} answer;

/* A sink that appends to the answer. */
app_sink answer_sink(answer *a);
void answer_free(answer *a);

/* A quoted string. Bytes that are no UTF-8 (file names may hold any) become U+FFFD. */
void json_string(FILE *out, const char *text);
/* The shortest form that reads back as the same number; null for NaN and infinities, which JSON does not have. */
void json_f64(FILE *out, double v);

#endif
