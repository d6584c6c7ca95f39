/* SPDX-License-Identifier: MIT */
/* apps.c - the bodies of all apps on emulated blocks of 1, 3 and 8 threads, small odd sizes. Each passes its check and
 * gives the same answer for every number of threads. Under ThreadSanitizer: no race between threads. */
#include "app.h"
#include "check.h"

#include <string.h>

static const uint32_t thread_counts[] = {1, 3, 8};

/* The answer as text. */
typedef struct text {
    char s[8192];
    size_t n;
} text;

#define PUT(t, ...) (t)->n += (size_t)snprintf((t)->s + (t)->n, sizeof(t)->s - (t)->n, __VA_ARGS__)
static void put_u64(void *self, const char *key, uint64_t v)
{
    PUT((text *)self, "%s=%llu ", key, (unsigned long long)v);
}
static void put_i64(void *self, const char *key, int64_t v) { PUT((text *)self, "%s=%lld ", key, (long long)v); }
static void put_f64(void *self, const char *key, double v) { PUT((text *)self, "%s=%a ", key, v); }
static void put_text(void *self, const char *key, const char *v) { PUT((text *)self, "%s=%s ", key, v); }
static void put_i64s(void *self, const char *key, const int64_t *v, size_t n, size_t width)
{
    size_t i;
    (void)width;
    for (i = 0; i < n; i++)
        put_i64(self, key, v[i]);
}

static void run_case(const app *a, const app_scenario *s, const app_request *q, uint32_t team_size, text *out)
{
    app_sink sink = {out, put_u64, put_i64, put_f64, put_text, put_i64s};
    heddle_config c = HEDDLE_CONFIG_INIT;
    char error[APP_ERROR];
    heddle_ctx *ctx;
    app_case *x;
    c.backend = HEDDLE_SERIAL;
    c.team_size = team_size;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    x = a->prepare(q, error);
    CHECK_MSG(x, "%s: %s", a->name, error);
    x->scenario = s;
    CHECK_MSG(!s->build(x, ctx), "%s: %s", a->name, x->error);
    CHECK_MSG(!s->engine->run(x), "%s/%s: %s", a->name, s->engine->name, x->error);
    CHECK_MSG(!a->read(x) && !a->reference(x), "%s: %s", a->name, x->error);
    CHECK_MSG(!a->check(x), "%s on %u threads, %llux%llu in %llux%llu: %s", a->name, team_size,
              (unsigned long long)x->n[0], (unsigned long long)x->n[1], (unsigned long long)x->b[0],
              (unsigned long long)x->b[1], x->error);
    out->n = 0;
    a->answer(x, &sink);
    CHECK(out->n > 0 && out->n < sizeof out->s);
    a->free(x);
    heddle_ctx_close(ctx);
}

/* Sizes: rows, columns, of the problem and of a block; lu uses the square ones. */
static const uint64_t sizes[][4] = {{37, 37, 8, 8}, {29, 29, 10, 10}, {45, 31, 16, 7}, {23, 60, 5, 33},
                                    {9, 9, 64, 64}, {1, 1, 1, 1},     {3, 40, 1, 9}};
static int fits(const app *a, const uint64_t *s) { return !strstr(a->name, "lu") || (s[0] == s[1] && s[2] == s[3]); }

static void test_scenario(const app *a, const app_scenario *s)
{
    static text first, other;
    app_pair sweeps = {"sweeps", "3"}, keep = {"keep", "1"}, how = {"how", "spawn"};
    app_pair back = {"way", "decrypt"}, chain = {"mode", "cbc"}, order = {"order", "handles"};
    size_t i, l;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        app_request q = {{sizes[i][0], sizes[i][1]}, {sizes[i][2], sizes[i][3]}, NULL, 0, NULL, 0, {0}};
        if (!fits(a, sizes[i]))
            continue;
        if (!strncmp(a->name, "heat", 4) || !strcmp(a->name, "jacobi") || !strcmp(a->name, "sor"))
            q.opts = &sweeps;
        else if (i % 2 && (!strcmp(a->name, "sw") || !strcmp(a->name, "dtw")))
            q.opts = &keep;
        else if (i % 2 && !strcmp(a->name, "slu"))
            q.opts = s->engine == &app_pool ? &order : &how;
        else if (!strcmp(a->name, "des3"))
            q.opts = i % 2 ? &back : sizes[i][3] >= sizes[i][1] ? &chain : NULL;
        q.n_opts = q.opts != NULL;
        run_case(a, s, &q, 1, &first);
        for (l = 0; l < sizeof thread_counts / sizeof thread_counts[0]; l++) {
            run_case(a, s, &q, thread_counts[l], &other);
            CHECK_MSG(!strcmp(first.s, other.s), "%s: %u threads give\n%s\n1 thread gives\n%s", a->name,
                      thread_counts[l], other.s, first.s);
        }
    }
}

int main(void)
{
    const app_scenario *s;
    uint32_t n;
    for (n = 0; app_list[n]; n++)
        for (s = app_list[n]->scenarios; s->engine; s++)
            if (app_list[n]->n[1]) /* apps of one size: spawned.c */
                test_scenario(app_list[n], s);
    CHECK(n >= 8);
    return 0;
}
