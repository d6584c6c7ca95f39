/* SPDX-License-Identifier: MIT */
/* answered.h - keeps an app's answers for tests: whole numbers by key, the last text and the last list. Fractions are
 * ignored. */
#ifndef ANSWERED_H
#define ANSWERED_H

#include "app.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { ANSWERED_NUMBERS = 32 };

/* Initialize with {0}. Keys are the app's. */
typedef struct answered {
    const char *keys[ANSWERED_NUMBERS];
    int64_t numbers[ANSWERED_NUMBERS];
    size_t n_numbers;
    char text[65];
    int64_t *list;
    size_t n, width; /* of the list: numbers in all, and per row */
} answered;

static inline void answered_i64(void *self, const char *key, int64_t v)
{
    answered *a = self;
    CHECK(a->n_numbers < ANSWERED_NUMBERS);
    a->keys[a->n_numbers] = key;
    a->numbers[a->n_numbers++] = v;
}
static inline void answered_u64(void *self, const char *key, uint64_t v) { answered_i64(self, key, (int64_t)v); }
static inline void answered_f64(void *self, const char *key, double v) { (void)self, (void)key, (void)v; }
static inline void answered_text(void *self, const char *key, const char *v)
{
    answered *a = self;
    (void)key;
    snprintf(a->text, sizeof a->text, "%s", v);
}
static inline void answered_i64s(void *self, const char *key, const int64_t *v, size_t n, size_t width)
{
    answered *a = self;
    (void)key;
    a->list = realloc(a->list, (n ? n : 1) * sizeof *v);
    CHECK(a->list);
    memcpy(a->list, v, n * sizeof *v);
    a->n = n;
    a->width = width;
}

static inline void answered_free(answered *a)
{
    free(a->list);
    memset(a, 0, sizeof *a);
}

/* Replaces the content by the answers of a case. */
static inline void answered_take(answered *a, app_case *c)
{
    const app_sink sink = {a, answered_u64, answered_i64, answered_f64, answered_text, answered_i64s};
    answered_free(a);
    c->app->answer(c, &sink);
}

static inline int64_t answered_of(const answered *a, const char *key)
{
    size_t k;
    for (k = 0; k < a->n_numbers && strcmp(a->keys[k], key) != 0; k++)
        continue;
    CHECK_MSG(k < a->n_numbers, "there is no answer %s", key);
    return a->numbers[k];
}

#endif
