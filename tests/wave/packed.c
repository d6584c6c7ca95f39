/* SPDX-License-Identifier: MIT */
/* packed.c - implements packed.h: plain loops over the bytes and halves of random words and of words at ends of ranges. */
#include "wave/packed.h"

#include "check.h"

#include <string.h>

#define WORDS 4096u

static int32_t half_of(uint32_t word, uint32_t k) { return (int32_t)((word >> 16u * k & 0xffffu) ^ 0x8000u) - 0x8000; }
static int32_t byte_of(uint32_t word, uint32_t k) { return (int32_t)((word >> 8u * k & 0xffu) ^ 0x80u) - 0x80; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* The sum wrapped to `bits` bits. */
static int64_t wrapped(int64_t sum, uint32_t bits)
{
    const int64_t all = (int64_t)1 << bits;
    sum = (sum % all + all) % all;
    return sum >= all / 2 ? sum - all : sum;
}

static uint32_t want_pick(const packed_in *v)
{
    uint32_t out = 0;
    for (uint32_t k = 0; k < 4u; k++) {
        const uint32_t digit = v->c >> 4u * k & 15u, from = digit % 8u;
        const int32_t byte = byte_of(from < 4u ? v->a : v->b, from % 4u);
        out |= (digit < 8u ? (uint32_t)byte & 255u : byte < 0 ? 255u : 0u) << 8u * k;
    }
    return out;
}

static void want_halves(const packed_in *v, uint32_t *out)
{
    for (uint32_t k = 0; k < 2u; k++) {
        const int64_t a = half_of(v->a, k), b = half_of(v->b, k), c = half_of(v->c, k), sum = wrapped(a + b, 16);
        const uint32_t from = k ? v->c >> 29 : v->c & 7u, shift = 16u * k;
        out[PACKED_PICK_2X16] |= ((uint32_t)byte_of(from < 4u ? v->a : v->b, from % 4u) & 0xffffu) << shift;
        out[PACKED_ADD_2X16] |= ((uint32_t)sum & 0xffffu) << shift;
        out[PACKED_MAX_2X16] |= ((uint32_t)larger(a, b) & 0xffffu) << shift;
        out[PACKED_ADD_MAX_2X16] |= ((uint32_t)larger(sum, c) & 0xffffu) << shift;
        out[PACKED_ADD_MAX_0_2X16] |= ((uint32_t)larger(larger(sum, c), 0) & 0xffffu) << shift;
        out[PACKED_2X16] |= ((uint32_t)a & 0xffffu) << (16u - shift);
    }
}

static void want_all(const packed_in *v, uint32_t *out)
{
    const int64_t sum = wrapped((int64_t)(int32_t)v->a + (int32_t)v->b, 32), best = larger(sum, (int32_t)v->c);
    int64_t dot = (int32_t)v->c;
    memset(out, 0, PACKED_RESULTS * sizeof *out);
    for (uint32_t k = 0; k < 4u; k++)
        dot += byte_of(v->a, k) * byte_of(v->b, k);
    out[PACKED_ADD_MAX] = (uint32_t)best;
    out[PACKED_ADD_MAX_0] = (uint32_t)larger(best, 0);
    out[PACKED_ADD_DOT4] = (uint32_t)dot;
    out[PACKED_PICK_BYTES] = want_pick(v);
    want_halves(v, out);
}

/* A random word; often one at which something wraps, repeats or changes sign. */
static uint32_t some_word(uint64_t *row)
{
    static const uint32_t ends[] = {0u,          1u,          0xffffffffu, 0x80008000u, 0x7fff7fffu, 0x80000000u,
                                    0x7fffffffu, 0x0000ffffu, 0xffff0000u, 0x80808080u, 0x7f7f7f7fu, 0x00018000u};
    const uint64_t k = check_below(row, 3u * sizeof ends / sizeof ends[0]);
    return k < sizeof ends / sizeof ends[0] ? ends[k] : (uint32_t)check_random(row);
}

static void check_results(const packed_in *in, uint32_t (*got)[PACKED_RESULTS])
{
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t want[PACKED_RESULTS];
        want_all(&in[i], want);
        for (uint32_t k = 0; k < PACKED_RESULTS; k++)
            CHECK_MSG(got[i][k] == want[k], "function %u of %08x, %08x, %08x: %08x, not %08x", k, in[i].a, in[i].b,
                      in[i].c, got[i][k], want[k]);
    }
}

static void run_body(heddle_ctx *ctx, const packed_params *params)
{
    const packed_args args = {WORDS};
    heddle_graph *g;
    heddle_task t;
    CHECK_OK(ctx, heddle_graph_new(ctx, &packed, &g));
    CHECK_OK(ctx, heddle_graph_add(g, packed_all, &args, sizeof args,
                                   HEDDLE_RANGES(HEDDLE_OUT(params->out, WORDS * sizeof *params->out)), &t));
    CHECK_OK(ctx, heddle_graph_run(ctx, g, params, sizeof *params));
    heddle_graph_free(g);
}

void packed_check(heddle_backend backend, uint64_t seed)
{
    static packed_in in[WORDS];
    static uint32_t got[WORDS][PACKED_RESULTS];
    heddle_config config = HEDDLE_CONFIG_INIT;
    packed_params params;
    heddle_ctx *ctx;
    void *near, *out;
    config.backend = backend;
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = (packed_in){some_word(&seed), some_word(&seed), some_word(&seed)};
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    CHECK_OK(ctx, heddle_mem_new(ctx, sizeof in, &near));
    CHECK_OK(ctx, heddle_mem_new(ctx, sizeof got, &out));
    CHECK_OK(ctx, heddle_mem_write(ctx, near, in, sizeof in));
    params.in = near;
    params.out = out;
    run_body(ctx, &params);
    CHECK_OK(ctx, heddle_mem_read(ctx, got, out, sizeof got));
    check_results(in, got);
    heddle_mem_free(ctx, near);
    heddle_mem_free(ctx, out);
    heddle_ctx_close(ctx);
}
