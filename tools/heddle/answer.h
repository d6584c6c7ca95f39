/* SPDX-License-Identifier: MIT */
/* answer.h - an app's answer as keys and JSON values, to be printed or put into an object; and two JSON values that
 * need care. */
#ifndef ANSWER_H
#define ANSWER_H

#include "app.h"

#include <stdio.h>

typedef struct answer {
    struct answer_item {
        char *key, *json;
    } * items;
    size_t n;
    int failed; /* memory ran out */
} answer;

/* A sink that appends to the answer. */
app_sink answer_sink(answer *a);
void answer_free(answer *a);

/* A quoted string. Invalid UTF-8 (file names may hold any bytes) becomes U+FFFD. */
void json_string(FILE *out, const char *text);
/* The shortest form that reads back as the same number; null for NaN and infinities, which JSON does not have. */
void json_f64(FILE *out, double v);

#endif
