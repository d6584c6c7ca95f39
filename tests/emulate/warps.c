/* SPDX-License-Identifier: MIT */
/* warps.c - the tuned bodies of sat, inthist, sw, dtw, jacobi, heat and lu on emulated blocks of one, two and four
 * warps. Tiles have one panel or several; one band of columns, several, or several groups; all columns, or some missing
 * at the end. Each cell equals the plain reference's; lu has the portable bodies' bits and failures. Under
 * ThreadSanitizer: no race between lanes, nor between steps of warps. */
#include "border.h"
#include "check.h"
#include "heat_bodies.h"
#include "jacobi_bodies.h"
#include "lu_tuned.h"
#include "noise.h"
#include "picture.h"
#include "prefix_tuned.h"
#include "slu_bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_case {
    const char *app;
    uint64_t n[2], b[2];
    uint32_t team_size;
    app_pair opts[3];
} test_case;

static const test_case cases[] = {
    {"sat", {70, 300}, {40, 150}, 64, {{NULL, NULL}}},  /* two panels; no aligned group of four columns */
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
    {"jacobi", {41, 72}, {16, 32}, 32, {{"sweeps", "3"}}},   /* partial quads only beside the border */
    {"jacobi", {34, 52}, {9, 14}, 64, {{"sweeps", "3"}}},    /* partial quads everywhere */
    {"jacobi", {30, 45}, {12, 16}, 32, {{NULL, NULL}}},      /* rows at any alignment */
    {"jacobi", {95, 150}, {90, 140}, 64, {{"sweeps", "1"}}}, /* two panels, more rows than the ring has      */
    {"heat", {41, 72}, {16, 32}, 32, {{"sweeps", "3"}}},     /* a column a lane                                   */
    {"heat", {70, 132}, {64, 64}, 128, {{"sweeps", "2"}}},
    {"heat", {30, 250}, {17, 128}, 64, {{NULL, NULL}}},      /* four columns a lane, the last tile partial */
    {"heat", {25, 61}, {3, 29}, 32, {{"sweeps", "2"}}},      /* rows at any alignment, fewer than lanes */
    {"heat", {185, 142}, {176, 140}, 32, {{"sweeps", "1"}}}, /* parts beside and below one another           */
    {"lu", {45, 45}, {16, 16}, 128, {{NULL, NULL}}},
    {"lu", {90, 50}, {48, 48}, 128, {{NULL, NULL}}},
    {"lu", {81, 160}, {80, 80}, 128, {{NULL, NULL}}}, /* two panels, the second of 16                        */
    {"slu", {80, 80}, {32, 32}, 128, {{"how", "spawn"}}},
    {"slu", {150, 150}, {32, 32}, 128, {{NULL, NULL}}}, /* all operations, and padding                       */
};

static uint32_t is_tuned(const app_case *x)
{
    if (!strcmp(x->app->name, "sat") || !strcmp(x->app->name, "inthist"))
        return ((const picture *)x)->record.tuned;
    if (!strcmp(x->app->name, "lu"))
        return ((const lu_record *)x->record)->tuned;
    if (!strcmp(x->app->name, "slu"))
        return ((const slu_record *)x->record)->tuned;
    if (!strcmp(x->app->name, "jacobi"))
        return ((const jacobi_record *)x->record)->tuned;
    if (!strcmp(x->app->name, "heat"))
        return ((const heat_record *)x->record)->tuned;
    return ((const border_case *)x)->grid->tuned;
}

static void run_case(const test_case *t)
{
    const app *a = app_find(t->app);
    app_pair opts[4];
    app_request q = {{t->n[0], t->n[1]}, {t->b[0], t->b[1]}, opts, 0, NULL, 0, {0}};
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
    c.team_size = t->team_size;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    x = a->prepare(&q, error);
    CHECK_MSG(x, "%s: %s", a->name, error);
    CHECK_MSG(!x->scenario->build(x, ctx) && !a->reference(x), "%s: %s", a->name, x->error);
    CHECK_MSG(is_tuned(x), "%s does not run tuned", a->name);
    for (run = 0; run < 2; run++) {
        CHECK_MSG(!x->scenario->reset(x), "%s: %s", a->name, x->error);
        CHECK_OK(ctx, heddle_graph_run(ctx, x->graph, x->record, x->record_bytes));
        CHECK_MSG(!a->read(x) && !a->check(x), "%s, case %d, run %d: %s", a->name, (int)(t - cases), run, x->error);
    }
    a->free(x);
    heddle_ctx_close(ctx);
}

/* ---- lu ---------------------------------------------------------------------------------------------------------- */

/* Runs a body of lu on the blocks at 0 (diagonal), b * b and 2 b * b; stores the sentence if it fails. */
static void run_lu(uint32_t body, uint32_t b, uint32_t tuned, float *blocks, char *sentence)
{
    const size_t n = (size_t)b * b, n_bytes = 3 * n * sizeof(float);
    const lu_one one = {0};
    const lu_two two = {0, n};
    const lu_three three = {0, n, 2 * n};
    const void *args[] = {&one, &two, &two, &three};
    const size_t arg_bytes[] = {sizeof one, sizeof two, sizeof two, sizeof three};
    lu_record record = {NULL, b, tuned};
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_graph *g;
    heddle_ctx *ctx;
    void *p;
    c.backend = HEDDLE_SERIAL;
    c.team_size = tuned ? 128 : 1;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    CHECK_OK(ctx, heddle_mem_new(ctx, n_bytes, &p));
    record.a = p;
    CHECK_OK(ctx, heddle_mem_write(ctx, p, blocks, n_bytes));
    CHECK_OK(ctx, heddle_graph_new(ctx, &lu, &g));
    CHECK_OK(ctx,
             heddle_graph_add(g, body, args[body], arg_bytes[body], HEDDLE_RANGES(HEDDLE_INOUT(p, n_bytes)), NULL));
    snprintf(sentence, APP_ERROR, "%s",
             heddle_graph_run(ctx, g, &record, sizeof record) == HEDDLE_OK ? "" : heddle_error_text(ctx));
    CHECK_OK(ctx, heddle_mem_read(ctx, blocks, p, n_bytes));
    heddle_graph_free(g);
    heddle_mem_free(ctx, p);
    heddle_ctx_close(ctx);
}

/* Noise with a dominant diagonal in the first block, and `odd` in one place. */
static float *lu_blocks(uint32_t b, uint32_t place, float odd)
{
    const size_t n = (size_t)b * b;
    float *x = malloc(3 * n * sizeof(float));
    size_t i;
    CHECK(x);
    for (i = 0; i < 3 * n; i++)
        x[i] = (float)(noise_unit(7, i) - 0.5 + (i < n && i % (b + 1) == 0 ? b : 0));
    if (place < n)
        x[place] = odd;
    return x;
}

/* Both give the same sentence, or without one the same bits. */
static void compare_lu(uint32_t body, uint32_t b, uint32_t place, float odd, int fails)
{
    float *x[2] = {lu_blocks(b, place, odd), lu_blocks(b, place, odd)};
    const size_t n = 3 * (size_t)b * b;
    char sentence[2][APP_ERROR];
    size_t i;
    run_lu(body, b, 0, x[0], sentence[0]);
    run_lu(body, b, 1, x[1], sentence[1]);
    CHECK_MSG(!strcmp(sentence[0], sentence[1]) && (sentence[0][0] != 0) == fails, "'%s', tuned '%s'", sentence[0],
              sentence[1]);
    for (i = 0; i < n && !fails; i++)
        CHECK_MSG(!memcmp(&x[0][i], &x[1][i], sizeof(float)), "%s of %u, number %zu: %a, tuned %a",
                  lu.bodies[body].name, b, i, (double)x[0][i], (double)x[1][i]);
    free(x[0]);
    free(x[1]);
}

static void test_lu(void)
{
    static const uint32_t sizes[] = {16, 32, 48, 64, 80, 128};
    uint32_t body, i;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (body = 0; body < lu_n_bodies; body++)
            compare_lu(body, sizes[i], UINT32_MAX, 0, 0);
    compare_lu(lu_bdiv, 32, 5 * 33, 1e-39f, 0); /* quotients that only a true division gets right */
    compare_lu(lu_bdiv, 32, 32 * 32 + 7, 1e-30f, 0);
    compare_lu(lu_bdiv, 32, 32 * 32 + 7, -0.0f, 0);
    compare_lu(lu_lu0, 16, 0, 0.0f, 1);
    compare_lu(lu_lu0, 64, 1, nanf(""), 1); /* not a number in the second pivot */
    compare_lu(lu_lu0, 80, 0, -0.0f, 1);
}

/* The quotient by an inverse has the bits of a division, for moderate and extreme numbers. */
static void test_quotients(void)
{
    uint32_t i, k;
    for (i = 0; i < 2000000; i++) {
        uint32_t bits[2];
        float v[2], got, want;
        for (k = 0; k < 2; k++) {
            bits[k] = (uint32_t)(noise_u64(8 + k, i) >> 32);
            if (i % 4)
                bits[k] = (bits[k] & 0x807fffffu) | (127u - 3u + bits[k] / 256u % 7u) << 23;
            memcpy(&v[k], &bits[k], sizeof(float));
        }
        want = v[0] / v[1];
        got = lu_quotient(v[0], v[1], 1.0f / v[1]);
        CHECK_MSG(!memcmp(&got, &want, sizeof got) || (got != got && want != want), "%a / %a is %a, not %a",
                  (double)v[0], (double)v[1], (double)want, (double)got);
    }
}

/* ---- bins -------------------------------------------------------------------------------------------------------- */

/* Every bin of every number of bins against every pixel, at each of four places beside other pixels. */
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
#if !defined(HEDDLE_TSAN) /* they have one lane */
    test_hits();
    test_quotients();
#endif
    test_lu();
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_case(&cases[i]);
    return 0;
}
