/* SPDX-License-Identifier: MIT */
/* spread.c - the host's loops over large data treat each item once for every number of threads. heat's reference by
 * several threads has the bits of a plain loop. A wrong cell of a large result is found, and the first one is reported. */
#include "app.h"
#include "check.h"
#include "field.h"

#include <string.h>

typedef struct count {
    uint8_t *seen;
    uint64_t n, least;
} count;

static void see(void *self, uint64_t begin, uint64_t end)
{
    count *x = self;
    CHECK(begin < end || x->n == 0);
    for (uint64_t i = begin; i < end; i++)
        __atomic_add_fetch(&x->seen[i], 1, __ATOMIC_RELAXED);
    app_least(&x->least, begin);
}

static void test_items(void)
{
    static const uint64_t sizes[][2] = {{0, 1}, {1, 1}, {7, 1}, {2, 1u << 24}, {1000, 1u << 20}, {9000001, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        count x = {calloc(1, sizes[i][0] + 1), sizes[i][0], UINT64_MAX};
        app_spread(x.n, sizes[i][1], see, &x);
        for (uint64_t k = 0; k < x.n; k++)
            CHECK_MSG(x.seen[k] == 1, "item %llu of %llu", (unsigned long long)k, (unsigned long long)x.n);
        CHECK(!x.seen[x.n] && x.least == 0);
        free(x.seen);
    }
    CHECK(app_threads(1) == 1 && app_threads(1ull << 40) <= 64);
}

static field *prepare_heat(void)
{
    app_pair sweeps = {"sweeps", "2"};
    app_request q = {.n = {4099, 4201}, .b = {512, 512}, .opts = &sweeps, .n_opts = 1};
    char error[APP_ERROR];
    app_case *c = app_find("heat")->prepare(&q, error);
    CHECK_MSG(c, "%s", error);
    return (field *)c;
}

static void plain_sweep(float *x, uint64_t rows, uint64_t cols)
{
    for (uint64_t r = 1; r + 1 < rows; r++)
        for (uint64_t c = 1; c + 1 < cols; c++) {
            float *at = x + r * cols + c;
            *at = 0.25f * (*(at - cols) + at[cols] + at[1] + at[-1]);
        }
}

static void test_heat(void)
{
    field *f = prepare_heat();
    const app *a = f->c.app;
    size_t n = (size_t)(f->c.n[0] * f->c.n[1]);
    CHECK(!a->reference(&f->c));
    memcpy(f->result, f->start, n * sizeof(float));
    for (int s = 0; s < 2; s++)
        plain_sweep(f->result, f->c.n[0], f->c.n[1]);
    CHECK_MSG(!a->check(&f->c), "%s", f->c.error);
    f->result[n - 2] += 1;
    f->result[4201 * 3000 + 17] += 1;
    f->result[4201 * 3001] += 1;
    CHECK(a->check(&f->c) && strstr(f->c.error, "cell 3000,17 "));
    a->free(&f->c);
}

int main(void)
{
    test_items();
    test_heat();
    return 0;
}
