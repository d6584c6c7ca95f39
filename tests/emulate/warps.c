/* SPDX-License-Identifier: MIT */
/* warps.c - the tuned bodies of sat, inthist, sw and dtw on emulated blocks of one, two and four warps: tiles of one panel
 * and of several, of one band of columns, of several and of several groups, with and without columns missing at the end;
 * each cell as the plain reference has it. Under ThreadSanitizer: no race between lanes, nor between steps of warps. */
#include "border.h"
#include "check.h"
#include "picture.h"
#include "prefix_tuned.h"

#include <string.h>

typedef struct test_case {
    const char *app;
    uint64_t n[2], b[2];
    uint32_t n_lanes;
    app_pair opts[3];
} test_case;

static const test_case cases[] = {
    {"sat", {70, 300}, {40, 150}, 64, {{NULL, NULL}}},  /* two panels; no four columns in aligned bytes       */
    {"sat", {66, 264}, {36, 132}, 64, {{NULL, NULL}}},  /* two chunks, the second of four columns             */
    {"sat", {65, 140}, {64, 128}, 128, {{NULL, NULL}}}, /* a panel of all warps, and one of one row           */
    {"sat", {17, 9}, {17, 4}, 32, {{NULL, NULL}}},
    {"inthist", {40, 140}, {33, 132}, 64, {{"bins", "5"}}}, /* planes of two panels and two chunks            */
    {"inthist", {20, 70}, {10, 32}, 32, {{"bins", "3"}}},   /* one chunk: the pixels are kept                 */
    {"inthist", {9, 40}, {8, 20}, 128, {{"bins", "7"}}},    /* warps without rows                             */
    {"sw", {40, 130}, {20, 65}, 32, {{"keep", "1"}}},       /* one band, columns missing                      */
    {"sw", {50, 300}, {30, 270}, 32, {{NULL, NULL}}},       /* groups                                         */
    {"sw", {70, 300}, {66, 270}, 64, {{"keep", "1"}}},      /* two bands of eight columns a lane              */
    {"sw", {70, 256}, {66, 256}, 64, {{"match", "5"}, {"gap", "-3"}}}, /* two bands of four, none missing     */
    {"sw", {50, 280}, {30, 270}, 128, {{"sums", "0"}}},                /* three bands                         */
    {"sw", {1, 77}, {3, 10}, 32, {{"match", "1"}}},
    {"sw", {70, 30}, {64, 1}, 32, {{"seed", "3"}}},
    {"dtw", {40, 130}, {20, 65}, 32, {{"keep", "1"}}},
    {"dtw", {50, 300}, {30, 270}, 32, {{NULL, NULL}}},
    {"dtw", {50, 300}, {30, 280}, 64, {{"keep", "1"}, {"sums", "0"}}},
    {"dtw", {40, 280}, {20, 270}, 128, {{NULL, NULL}}},
};

static uint32_t is_tuned(const app_case *x)
{
    if (!strcmp(x->app->name, "sat") || !strcmp(x->app->name, "inthist"))
        return ((const picture *)x)->record.tuned;
    return ((const border_case *)x)->grid->tuned;
}

static void run_case(const test_case *t)
{
    const app *a = app_find(t->app);
    app_pair opts[4];
    app_request q = {{t->n[0], t->n[1]}, {t->b[0], t->b[1]}, opts, 0, NULL, 0};
    heddle_config c = HEDDLE_CONFIG_INIT;
    char error[APP_ERROR];
    heddle_ctx *ctx;
    app_case *x;
    int run;
    for (q.n_opts = 0; q.n_opts < 3 && t->opts[q.n_opts].key; q.n_opts++)
        opts[q.n_opts] = t->opts[q.n_opts];
    opts[q.n_opts].key = "body";
    opts[q.n_opts++].value = "tuned";
    c.backend = HEDDLE_SERIAL;
    c.n_lanes = t->n_lanes;
    CHECK_OK(NULL, heddle_open(&ctx, &c));
    x = a->prepare(&q, error);
    CHECK_MSG(x, "%s: %s", a->name, error);
    CHECK_MSG(!a->build(x, ctx) && !a->reference(x), "%s: %s", a->name, x->error);
    CHECK_MSG(is_tuned(x), "%s does not run tuned", a->name);
    for (run = 0; run < 2; run++) {
        CHECK_MSG(!a->reset(x), "%s: %s", a->name, x->error);
        CHECK_OK(ctx, heddle_run(ctx, x->graph, x->record, x->record_bytes));
        CHECK_MSG(!a->read(x) && !a->check(x), "%s, case %d, run %d: %s", a->name, (int)(t - cases), run, x->error);
    }
    a->free(x);
    heddle_close(ctx);
}

/* Every bin of every number of bins against every pixel, at each of four places with other pixels beside it. */
static void test_hits(void)
{
    uint32_t n, k, pixel, place;
    for (n = 1; n <= 256; n++)
        for (k = 0; k < n; k++) {
            const prefix_bin bin = prefix_bin_of(k, n);
            for (pixel = 0; pixel < 256; pixel++) {
                uint32_t beside = pixel * 0x9e3779b1u, bit;
                place = 8u * ((pixel + k) % 4u);
                bit = prefix_hits((beside & ~(0xffu << place)) | pixel << place, &bin) >> place & 0xffu;
                CHECK_MSG(bit == (pixel * n / 256u == k), "bin %u of %u has %u for pixel %u", k, n, bit, pixel);
            }
        }
}

int main(void)
{
    size_t i;
    test_hits();
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_case(&cases[i]);
    return 0;
}
