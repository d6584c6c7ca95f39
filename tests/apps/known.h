/* SPDX-License-Identifier: MIT */
/* known.h - runs a case of an app on a context and compares its answer with an object of an expected.json. For the
 * tests of known answers. */
#ifndef KNOWN_H
#define KNOWN_H

#include "app.h"
#include "check.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* Allowed distance of floating-point numbers: the folder's README explains what fp32 can hold. */
typedef struct known_near {
    double relative, absolute;
} known_near;

typedef struct known_sink {
    const char *what; /* the case, for messages */
    const json_t *expected;
    known_near near;
    uint32_t n; /* keys compared */
} known_sink;

/* Finds key "0,0" of "pts" for "pts.0,0". */
static inline const json_t *known_of(known_sink *k, const char *key)
{
    const json_t *v = !strncmp(key, "pts.", 4) ? json_object_get(json_object_get(k->expected, "pts"), key + 4)
                                               : json_object_get(k->expected, key);
    CHECK_MSG(v, "%s: expected.json has no %s", k->what, key);
    k->n++;
    return v;
}

static inline void known_i64(void *self, const char *key, int64_t got)
{
    known_sink *k = self;
    const json_t *v = known_of(k, key);
    CHECK_MSG(json_is_integer(v) && json_integer_value(v) == got, "%s: %s is %lld, not %lld", k->what, key,
              (long long)got, (long long)json_integer_value(v));
}

static inline void known_u64(void *self, const char *key, uint64_t got) { known_i64(self, key, (int64_t)got); }

static inline void known_f64(void *self, const char *key, double got)
{
    known_sink *k = self;
    double want = json_number_value(known_of(k, key)), off = fabs(got - want);
    CHECK_MSG(off <= k->near.relative * fabs(want) || off <= k->near.absolute, "%s: %s is %.10g, not %.10g", k->what,
              key, got, want);
}

static inline void known_text(void *self, const char *key, const char *got)
{
    known_sink *k = self;
    const char *want = json_string_value(known_of(k, key));
    CHECK_MSG(want && !strcmp(want, got), "%s: %s is %s, not %s", k->what, key, got, want ? want : "a text");
}

static inline size_t known_flat(const json_t *v, int64_t *out, size_t n_max)
{
    size_t i, n = 0;
    if (!json_is_array(v)) {
        *out = json_integer_value(v);
        return 1;
    }
    for (i = 0; i < json_array_size(v) && n < n_max; i++)
        n += known_flat(json_array_get(v, i), out + n, n_max - n);
    return n;
}

static inline void known_i64s(void *self, const char *key, const int64_t *got, size_t n, size_t width)
{
    known_sink *k = self;
    int64_t want[512];
    size_t i;
    CHECK_MSG(known_flat(known_of(k, key), want, 512) == n, "%s: %s has %zu numbers", k->what, key, n);
    CHECK_MSG(json_array_size(json_array_get(known_of(k, key), 0)) == width, "%s: rows of %s have %zu numbers", k->what,
              key, width);
    for (i = 0; i < n; i++)
        CHECK_MSG(got[i] == want[i], "%s: number %zu of %s is %lld, not %lld", k->what, i, key, (long long)got[i],
                  (long long)want[i]);
}

/* Runs one case by one scenario on one context, or on the devices of a fleet, twice: the answer must recur. n_keys: keys that must be
 * compared. */
static inline void known_run(const app *a, const app_scenario *s, const app_request *q, heddle_ctx *ctx,
                             const char *devices, known_sink *k, uint32_t n_keys)
{
    app_sink sink = {k, known_u64, known_i64, known_f64, known_text, known_i64s};
    char error[APP_ERROR];
    app_case *c = app_new(a, s, q, error);
    uint32_t run;
    CHECK_MSG(c, "%s: %s", k->what, error);
    c->devices = devices;
    CHECK_MSG(!s->build(c, ctx), "%s: %s", k->what, c->error);
    for (run = 0; run < 2; run++) {
        CHECK_MSG(!run || !s->reset(c), "%s: %s", k->what, c->error);
        CHECK_MSG(!s->engine->run(c), "%s: %s", k->what, c->error);
        CHECK_MSG(!a->read(c), "%s: %s", k->what, c->error);
        k->n = 0;
        a->answer(c, &sink);
        CHECK_MSG(k->n >= n_keys, "%s: only %u answers", k->what, k->n);
    }
    a->free(c);
}

/* Is --cuda asked for? Without a GPU it is skipped. */
static inline int known_on_gpu(int argc, char **argv)
{
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    return cuda;
}

/* root/folder/expected.json, or NULL. */
static inline json_t *known_load(const char *root, const char *folder)
{
    char path[512];
    json_error_t why;
    json_t *j;
    snprintf(path, sizeof path, "%s/%s/expected.json", root, folder);
    j = json_load_file(path, 0, &why);
    CHECK_MSG(j, "%s:%d: %s", path, why.line, why.text);
    return j;
}

#endif
