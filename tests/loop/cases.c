/* SPDX-License-Identifier: MIT */
/* cases.c - see cases.h. */
#include "loop/cases.h"

#include <stddef.h>

/* Rows of the matrix are further apart than they are long. */
static uint64_t stride_of(const looped_case *c) { return c->n_2 ? c->n_2 + 3u : 1u; }

static heddle_status array(heddle_fleet *f, uint64_t n_rows, uint64_t row_bytes, uint64_t stride, heddle_array **out)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    d.n_rows = n_rows;
    d.row_bytes = row_bytes;
    d.stride_bytes = stride;
    return heddle_array_new(f, &d, out);
}

static heddle_status arrays(looped_rig *r, const looped_case *c)
{
    const uint64_t columns = c->n_2 ? c->n_2 : 1, stride = stride_of(c) * sizeof(float);
    heddle_status s = array(r->fleet, c->n, columns * sizeof(float), stride, &r->a);
    if (!s)
        s = array(r->fleet, c->n, columns * sizeof(float), stride, &r->b);
    if (!s)
        s = array(r->fleet, c->n, columns * sizeof(float), stride, &r->c);
    if (!s)
        s = array(r->fleet, c->n_2 ? c->n_2 : c->n, sizeof(uint32_t), 0, &r->all);
    if (!s)
        s = array(r->fleet, c->n * LOOPED_EACH, sizeof(uint64_t), 0, &r->turned);
    return s;
}

/* What each body touches. */
static uint32_t accesses(const looped_rig *r, const looped_case *c, heddle_access *out)
{
    const heddle_access a = HEDDLE_ROWS(r->a, HEDDLE_MODE_IN, offsetof(looped_params, a), 0, 0),
                        around = HEDDLE_ROWS(r->a, HEDDLE_MODE_IN, offsetof(looped_params, a), 2, 1),
                        b = HEDDLE_ROWS(r->b, HEDDLE_MODE_IN, offsetof(looped_params, b), 0, 0),
                        to = HEDDLE_ROWS(r->c, HEDDLE_MODE_OUT, offsetof(looped_params, c), 0, 0),
                        all = HEDDLE_ALL(r->all, offsetof(looped_params, all)),
                        of_index = HEDDLE_ROWS(r->all, HEDDLE_MODE_IN, offsetof(looped_params, all), 0, 0),
                        turned = {r->turned, HEDDLE_MODE_INOUT, HEDDLE_ACCESS_ROWS, offsetof(looped_params, turned), 0,
                                  0,         LOOPED_EACH};
    switch (c->body) {
    case looped_price:
        out[0] = a;
        out[1] = b;
        out[2] = to;
        return 3;
    case looped_blur:
        out[0] = around;
        out[1] = to;
        return 2;
    case looped_matrix:
        out[0] = a;
        out[1] = all;
        out[2] = to;
        return 3;
    case looped_turn: out[0] = turned; return 1;
    case looped_find:
        out[0] = a;
        out[1] = of_index;
        return 2;
    default: out[0] = to; return 1;
    }
}

heddle_status looped_open_more(looped_rig *r, heddle_fleet *f, const looped_case *c, uint32_t time_limit_ms,
                               uint32_t n_trace)
{
    heddle_access list[4];
    const heddle_reduction found[4] = {{HEDDLE_SUM, HEDDLE_F64, 1, offsetof(looped_params, sum), &r->sum},
                                       {HEDDLE_MIN, HEDDLE_F32, 1, offsetof(looped_params, least), &r->least},
                                       {HEDDLE_SUM, HEDDLE_U32, LOOPED_BINS, offsetof(looped_params, bins), r->bins},
                                       {HEDDLE_MAX, HEDDLE_I64, 1, offsetof(looped_params, most), &r->most}};
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_status s;
    memset(r, 0, sizeof *r);
    r->fleet = f;
    s = arrays(r, c);
    if (s)
        return s;
    d.body = c->body;
    d.n = c->n;
    d.n_2 = c->n_2;
    d.tile = c->tile;
    d.tile_2 = c->tile_2;
    d.split = c->split;
    d.accesses = list;
    d.n_accesses = accesses(r, c, list);
    d.time_limit_ms = time_limit_ms;
    d.n_trace = n_trace;
    d.reductions = found;
    d.n_reductions = c->body == looped_find ? 4 : 0;
    return heddle_loop_new(f, &looped, &d, &r->loop);
}

heddle_status looped_open(looped_rig *r, heddle_fleet *f, const looped_case *c)
{
    return looped_open_more(r, f, c, 0, 0);
}

static void fill(looped_params *p, float *a, float *b, float *c, uint32_t *all, uint64_t *turned, const looped_case *k)
{
    const uint64_t n = k->n * stride_of(k), n_all = k->n_2 ? k->n_2 : k->n;
    uint64_t i, seed = k->seed;
    for (i = 0; i < n; i++) {
        a[i] = (float)(check_random(&seed) % 1000u) / 7.0f;
        b[i] = (float)(check_random(&seed) % 1000u) / 9.0f;
        c[i] = -1.0f;
    }
    for (i = 0; i < n_all; i++)
        all[i] = (uint32_t)check_random(&seed);
    for (i = 0; i < k->n * LOOPED_EACH; i++)
        turned[i] = check_random(&seed);
    p->n = k->n;
    p->n_2 = k->n_2;
    p->stride = stride_of(k);
    p->fail_at = p->fail_at_too = UINT64_MAX;
}

void looped_fill(looped_rig *r, const looped_case *c)
{
    fill(&r->params, heddle_array_host(r->a), heddle_array_host(r->b), heddle_array_host(r->c),
         heddle_array_host(r->all), heddle_array_host(r->turned), c);
}

static looped_bytes join(const void *const *at, const size_t *n)
{
    looped_bytes all = {NULL, 0};
    size_t i, k = 0;
    for (i = 0; i < 6; i++)
        all.n += n[i];
    all.at = malloc(all.n);
    CHECK(all.at != NULL);
    for (i = 0; i < 6; k += n[i++])
        memcpy(all.at + k, at[i], n[i]);
    return all;
}

looped_bytes looped_take(const looped_rig *r)
{
    const void *const at[6] = {
        heddle_array_host(r->c), heddle_array_host(r->turned), &r->sum, &r->least, r->bins, &r->most};
    const size_t n[6] = {r->params.n * r->params.stride * sizeof(float),
                         r->params.n * LOOPED_EACH * sizeof(uint64_t),
                         sizeof r->sum,
                         sizeof r->least,
                         sizeof r->bins,
                         sizeof r->most};
    return join(at, n);
}

void looped_close(looped_rig *r)
{
    heddle_loop_free(r->loop);
    heddle_array_free(r->a);
    heddle_array_free(r->b);
    heddle_array_free(r->c);
    heddle_array_free(r->all);
    heddle_array_free(r->turned);
}

looped_bytes looped_run(heddle_fleet *f, const looped_case *c)
{
    looped_rig r;
    looped_bytes bytes;
    CHECK_OK(NULL, looped_open(&r, f, c));
    looped_fill(&r, c);
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    bytes = looped_take(&r);
    looped_close(&r);
    return bytes;
}

/* ---- plain loops ------------------------------------------------------------------------------------------------------- */

typedef struct plain {
    looped_params params;
    float *a, *b, *c;
    uint32_t *all;
    uint64_t *turned;
    double sum;
    float least;
    uint32_t bins[LOOPED_BINS];
    int64_t most;
} plain;

/* Tile by tile, with the body's 128 partials: floating-point sums depend on their order. */
static void plain_find(plain *p, const looped_case *k)
{
    uint64_t g, i;
    for (g = 0; g * k->tile < k->n; g++) {
        const uint64_t end = (g + 1) * k->tile < k->n ? (g + 1) * k->tile : k->n;
        double part[128] = {0};
        int half;
        for (i = g * k->tile; i < end; i++) {
            part[(i - g * k->tile) % 128u] += (double)p->a[i];
            p->bins[p->all[i] % LOOPED_BINS]++;
            p->most = i == 0 || LOOPED_SIGNED(p->all[i]) > p->most ? LOOPED_SIGNED(p->all[i]) : p->most;
        }
        for (half = 64; half > 0; half /= 2)
            for (int v = 0; v < half; v++)
                part[v] += part[v + half];
        p->sum = g == 0 ? part[0] : p->sum + part[0];
        p->least = g == 0 || (float)(part[0] / 3.0) < p->least ? (float)(part[0] / 3.0) : p->least;
    }
}

static void plain_index(plain *p, const looped_case *k, uint64_t i)
{
    const uint64_t stride = stride_of(k);
    uint64_t j;
    switch (k->body) {
    case looped_price: p->c[i] = p->a[i] * 0.25f + p->b[i] / (1.5f + p->a[i] * p->a[i]); break;
    case looped_blur:
        p->c[i] = (i >= 2 ? p->a[i - 2] : 1.0f) + 3.0f * p->a[i] + (i + 1 < k->n ? p->a[i + 1] : 2.0f);
        break;
    case looped_matrix:
        for (j = 0; j < k->n_2; j++)
            p->c[i * stride + j] = p->a[i * stride + j] + (float)(p->all[j] % 1000u) * (float)(i + 1);
        break;
    case looped_turn:
        for (j = 0; j < LOOPED_EACH; j++)
            p->turned[i * LOOPED_EACH + j] = p->turned[i * LOOPED_EACH + j] * 6364136223846793005u + i + j;
        break;
    default: p->c[i] = 1.0f; break;
    }
}

looped_bytes looped_plain(const looped_case *c)
{
    const uint64_t n = c->n * stride_of(c);
    plain p;
    looped_bytes bytes;
    uint64_t i;
    memset(&p, 0, sizeof p);
    p.a = malloc(n * sizeof *p.a);
    p.b = malloc(n * sizeof *p.b);
    p.c = malloc(n * sizeof *p.c);
    p.all = malloc((c->n_2 ? c->n_2 : c->n) * sizeof *p.all);
    p.turned = malloc(c->n * LOOPED_EACH * sizeof *p.turned);
    CHECK(p.a && p.b && p.c && p.all && p.turned);
    fill(&p.params, p.a, p.b, p.c, p.all, p.turned, c);
    if (c->body == looped_find)
        plain_find(&p, c);
    else
        for (i = 0; i < c->n; i++)
            plain_index(&p, c, i);
    {
        const void *const at[6] = {p.c, p.turned, &p.sum, &p.least, p.bins, &p.most};
        const size_t sizes[6] = {n * sizeof(float), c->n * LOOPED_EACH * sizeof(uint64_t),
                                 sizeof p.sum,      sizeof p.least,
                                 sizeof p.bins,     sizeof p.most};
        bytes = join(at, sizes);
    }
    free(p.a);
    free(p.b);
    free(p.c);
    free(p.all);
    free(p.turned);
    return bytes;
}
