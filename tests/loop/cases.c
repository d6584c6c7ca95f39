/* SPDX-License-Identifier: MIT */
/* cases.c - see cases.h. */
#include "loop/cases.h"

#include <stddef.h>

/* ---- arrays ------------------------------------------------------------------------------------------------------------- */

/* Rows of a matrix are further apart than they are long. */
typedef struct shape {
    uint64_t n_rows, n_columns, stride; /* columns and stride in numbers */
} shape;

/* Of a and c. */
static shape shape_of(const looped_case *c)
{
    switch (c->body) {
    case looped_columns: return (shape){LOOPED_TALL, c->n, c->n + 3u};
    case looped_both: return (shape){c->n + LOOPED_ROW + 3u, c->n_2 + LOOPED_COLUMN + 3u, c->n_2 + LOOPED_COLUMN + 5u};
    case looped_parts: return (shape){c->n, 4, LOOPED_WIDE};
    default: return c->n_2 ? (shape){c->n, c->n_2, c->n_2 + 3u} : (shape){c->n, 1, 1};
    }
}

static shape shape_of_b(const looped_case *c)
{
    return c->body == looped_both ? (shape){c->n_2, c->n, c->n + 3u} : shape_of(c);
}

static shape shape_of_turned(const looped_case *c)
{
    return c->body == looped_columns ? (shape){LOOPED_TALL, c->n * LOOPED_EACH, c->n * LOOPED_EACH}
                                     : (shape){c->n * LOOPED_EACH, 1, 1};
}

static shape shape_of_all(const looped_case *c) { return (shape){c->n_2 ? c->n_2 : c->n, 1, 1}; }

static size_t bytes_of(shape s, size_t each) { return s.n_rows * s.stride * each; }

static heddle_status array(heddle_fleet *f, shape s, size_t each, heddle_array **out)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    d.n_rows = s.n_rows;
    d.row_bytes = s.n_columns * each;
    d.stride_bytes = s.stride * each;
    return heddle_array_new(f, &d, out);
}

static heddle_status arrays(looped_rig *r, const looped_case *c)
{
    heddle_status s = array(r->fleet, shape_of(c), sizeof(float), &r->a);
    if (!s)
        s = array(r->fleet, shape_of_b(c), sizeof(float), &r->b);
    if (!s)
        s = array(r->fleet, shape_of(c), sizeof(float), &r->c);
    if (!s)
        s = array(r->fleet, shape_of_all(c), sizeof(uint32_t), &r->all);
    if (!s)
        s = array(r->fleet, shape_of_turned(c), sizeof(uint64_t), &r->turned);
    r->n = c->n;
    r->c_bytes = bytes_of(shape_of(c), sizeof(float));
    r->turned_bytes = bytes_of(shape_of_turned(c), sizeof(uint64_t));
    return s;
}

/* ---- what each body touches ----------------------------------------------------------------------------------------------- */

#define AT(name) offsetof(looped_params, name)

/* One array is read by one access and written by another. */
static void columns(const looped_rig *r, heddle_access *out)
{
    out[0] = (heddle_access)HEDDLE_COLUMNS(r->a, HEDDLE_MODE_IN, AT(a), sizeof(float), 2, 1);
    out[1] = (heddle_access)HEDDLE_COLUMNS(r->c, HEDDLE_MODE_OUT, AT(c), sizeof(float), 0, 0);
    out[2] = (heddle_access)HEDDLE_COLUMNS(r->turned, HEDDLE_MODE_IN, AT(turned), sizeof(uint64_t), 0, 0);
    out[3] = (heddle_access)HEDDLE_COLUMNS(r->turned, HEDDLE_MODE_OUT, AT(turned), sizeof(uint64_t), 0, 0);
    out[2].n_each = out[3].n_each = LOOPED_EACH;
    out[4] = (heddle_access)HEDDLE_ROWS(r->all, HEDDLE_MODE_IN, AT(all), 0, 0);
}

static void both(const looped_rig *r, heddle_access *out)
{
    out[0] = (heddle_access)HEDDLE_BOTH(r->a, HEDDLE_MODE_IN, AT(a), 1, 1, sizeof(float), 1, 2);
    out[1] = (heddle_access)HEDDLE_BOTH(r->c, HEDDLE_MODE_OUT, AT(c), 0, 0, sizeof(float), 0, 0);
    out[0].first = out[1].first = LOOPED_ROW;
    out[0].first_2 = out[1].first_2 = LOOPED_COLUMN;
    out[2] = (heddle_access)HEDDLE_COLUMNS(r->b, HEDDLE_MODE_IN, AT(b), sizeof(float), 0, 0);
}

/* The first column, of rows from the other end; the second one. */
static uint64_t parts_of_a(void *rig, uint64_t begin, uint64_t end, heddle_range *out, uint64_t most)
{
    const looped_rig *r = rig;
    const float *a = heddle_array_host(r->a);
    if (most >= 1)
        out[0] = HEDDLE_IN_2D(a + (r->n - end) * LOOPED_WIDE, sizeof *a, end - begin, LOOPED_WIDE * sizeof *a);
    return 1;
}

static uint64_t parts_of_b(void *rig, uint64_t begin, uint64_t end, heddle_range *out, uint64_t most)
{
    const uint64_t n = parts_of_a(rig, begin, end, out, most);
    if (most >= 1)
        out[0].base = (const float *)out[0].base + 1;
    return n;
}

/* Even rows, and odd ones. */
static uint64_t parts_of_c(void *rig, uint64_t begin, uint64_t end, heddle_range *out, uint64_t most)
{
    const looped_rig *r = rig;
    const float *c = (const float *)heddle_array_host(r->c) + begin * LOOPED_WIDE + 1;
    const uint64_t n = end - begin, stride = 2 * LOOPED_WIDE * sizeof *c;
    if (most >= 1)
        out[0] = HEDDLE_OUT_2D(c, 2 * sizeof *c, (n + 1) / 2, stride);
    if (most >= 2 && n >= 2)
        out[1] = HEDDLE_OUT_2D(c + LOOPED_WIDE, 2 * sizeof *c, n / 2, stride);
    return n >= 2 ? 2 : 1;
}

/* One for each index. */
static uint64_t parts_of_all(void *rig, uint64_t begin, uint64_t end, heddle_range *out, uint64_t most)
{
    const looped_rig *r = rig;
    const uint32_t *all = heddle_array_host(r->all);
    uint64_t i;
    for (i = begin; i < end && i - begin < most; i++)
        out[i - begin] = HEDDLE_IN(all + i * 7u % r->n, sizeof *all);
    return end - begin;
}

/* None if the indices have no numbers. */
static uint64_t parts_of_turned(void *rig, uint64_t begin, uint64_t end, heddle_range *out, uint64_t most)
{
    const looped_rig *r = rig;
    const uint64_t *turned = heddle_array_host(r->turned), first = looped_first(begin), last = looped_first(end);
    if (most >= 1 && last > first)
        out[0] = HEDDLE_INOUT(turned + first, (last - first) * sizeof *turned);
    return last > first;
}

static void parts(looped_rig *r, heddle_access *out)
{
    out[0] = (heddle_access)HEDDLE_PARTS(r->a, HEDDLE_MODE_IN, AT(a), parts_of_a, r);
    out[4] = (heddle_access)HEDDLE_PARTS(r->a, HEDDLE_MODE_IN, AT(b), parts_of_b, r);
    out[1] = (heddle_access)HEDDLE_PARTS(r->c, HEDDLE_MODE_OUT, AT(c), parts_of_c, r);
    out[2] = (heddle_access)HEDDLE_PARTS(r->all, HEDDLE_MODE_IN, AT(all), parts_of_all, r);
    out[3] = (heddle_access)HEDDLE_PARTS(r->turned, HEDDLE_MODE_INOUT, AT(turned), parts_of_turned, r);
}

uint32_t looped_accesses(looped_rig *r, const looped_case *c, heddle_access *out)
{
    const heddle_access a = HEDDLE_ROWS(r->a, HEDDLE_MODE_IN, AT(a), 0, 0),
                        around = HEDDLE_ROWS(r->a, HEDDLE_MODE_IN, AT(a), 2, 1),
                        b = HEDDLE_ROWS(r->b, HEDDLE_MODE_IN, AT(b), 0, 0),
                        to = HEDDLE_ROWS(r->c, HEDDLE_MODE_OUT, AT(c), 0, 0), all = HEDDLE_ALL(r->all, AT(all)),
                        of_index = HEDDLE_ROWS(r->all, HEDDLE_MODE_IN, AT(all), 0, 0),
                        old = HEDDLE_ROWS(r->turned, HEDDLE_MODE_IN, AT(turned), 0, 0),
                        turned = HEDDLE_ROWS(r->turned, HEDDLE_MODE_OUT, AT(turned), 0, 0);
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
    case looped_turn:
        out[0] = turned;
        out[1] = old;
        out[0].n_each = out[1].n_each = LOOPED_EACH;
        return 2;
    case looped_columns: columns(r, out); return 5;
    case looped_both: both(r, out); return 3;
    case looped_parts: parts(r, out); return 5;
    case looped_find:
        out[0] = a;
        out[1] = of_index;
        return 2;
    default: out[0] = to; return 1;
    }
}

/* ---- loops -------------------------------------------------------------------------------------------------------------- */

heddle_status looped_open_more(looped_rig *r, heddle_fleet *f, const looped_case *c, uint32_t time_limit_ms,
                               uint32_t n_trace)
{
    heddle_access list[LOOPED_MOST_ACCESSES];
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
    d.n_accesses = looped_accesses(r, c, list);
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
    const uint64_t n = shape_of(k).n_rows * shape_of(k).stride, n_b = shape_of_b(k).n_rows * shape_of_b(k).stride,
                   n_all = shape_of_all(k).n_rows, n_turned = bytes_of(shape_of_turned(k), 1);
    uint64_t i, seed = k->seed;
    for (i = 0; i < n; i++) {
        a[i] = (float)(check_random(&seed) % 1000u) / 7.0f;
        c[i] = -1.0f;
    }
    for (i = 0; i < n_b; i++)
        b[i] = (float)(check_random(&seed) % 1000u) / 9.0f;
    for (i = 0; i < n_all; i++)
        all[i] = (uint32_t)check_random(&seed);
    for (i = 0; i < n_turned; i++)
        turned[i] = check_random(&seed);
    p->n = k->n;
    p->n_2 = k->n_2;
    p->stride = shape_of(k).stride;
    p->stride_b = shape_of_b(k).stride;
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
    const size_t n[6] = {r->c_bytes, r->turned_bytes, sizeof r->sum, sizeof r->least, sizeof r->bins, sizeof r->most};
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

static void plain_turn(plain *p, uint64_t row, uint64_t i)
{
    for (uint64_t j = 0; j < LOOPED_EACH; j++) {
        uint64_t *x = &p->turned[row + i * LOOPED_EACH + j];
        *x = *x * 6364136223846793005u + i + j;
    }
}

static void plain_columns(plain *p, const looped_case *k, uint64_t i)
{
    const uint64_t stride = shape_of(k).stride;
    for (uint64_t r = 0; r < LOOPED_TALL; r++) {
        const float *a = p->a + r * stride;
        p->c[r * stride + i] =
            (i >= 2 ? a[i - 2] : 1.0f) + 3.0f * a[i] + (i + 1 < k->n ? a[i + 1] : 2.0f) + (float)(p->all[i] % 100u);
        plain_turn(p, r * k->n * LOOPED_EACH, i);
    }
}

static void plain_both(plain *p, const looped_case *k, uint64_t i)
{
    const uint64_t stride = shape_of(k).stride, stride_b = shape_of_b(k).stride;
    for (uint64_t j = 0; j < k->n_2; j++)
        p->c[(i + LOOPED_ROW) * stride + j + LOOPED_COLUMN] =
            p->a[(i + LOOPED_ROW - 1) * stride + j + LOOPED_COLUMN - 1] +
            p->a[(i + LOOPED_ROW + 1) * stride + j + LOOPED_COLUMN + 2] * 3.0f + p->b[j * stride_b + i];
}

static void plain_parts(plain *p, const looped_case *k, uint64_t i)
{
    const float *a = p->a + (k->n - 1 - i) * LOOPED_WIDE;
    p->c[i * LOOPED_WIDE + 1] = a[0] * 2.0f;
    p->c[i * LOOPED_WIDE + 2] = a[1] + (float)(p->all[i * 7u % k->n] % 1000u);
    for (uint64_t t = looped_first(i); t < looped_first(i + 1); t++)
        p->turned[t] = p->turned[t] * 6364136223846793005u + i;
}

static void plain_index(plain *p, const looped_case *k, uint64_t i)
{
    const uint64_t stride = shape_of(k).stride;
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
    case looped_turn: plain_turn(p, 0, i); break;
    case looped_columns: plain_columns(p, k, i); break;
    case looped_both: plain_both(p, k, i); break;
    case looped_parts: plain_parts(p, k, i); break;
    default: p->c[i] = 1.0f; break;
    }
}

looped_bytes looped_plain(const looped_case *c)
{
    const size_t c_bytes = bytes_of(shape_of(c), sizeof(float));
    plain p;
    looped_bytes bytes;
    uint64_t i;
    memset(&p, 0, sizeof p);
    p.a = malloc(c_bytes);
    p.b = malloc(bytes_of(shape_of_b(c), sizeof *p.b));
    p.c = malloc(c_bytes);
    p.all = malloc(bytes_of(shape_of_all(c), sizeof *p.all));
    p.turned = malloc(bytes_of(shape_of_turned(c), sizeof *p.turned));
    CHECK(p.a && p.b && p.c && p.all && p.turned);
    fill(&p.params, p.a, p.b, p.c, p.all, p.turned, c);
    if (c->body == looped_find)
        plain_find(&p, c);
    else
        for (i = 0; i < c->n; i++)
            plain_index(&p, c, i);
    {
        const void *const at[6] = {p.c, p.turned, &p.sum, &p.least, p.bins, &p.most};
        const size_t sizes[6] = {c_bytes,       bytes_of(shape_of_turned(c), sizeof *p.turned),
                                 sizeof p.sum,  sizeof p.least,
                                 sizeof p.bins, sizeof p.most};
        bytes = join(at, sizes);
    }
    free(p.a);
    free(p.b);
    free(p.c);
    free(p.all);
    free(p.turned);
    return bytes;
}

int looped_count_in(const char *path, const char *what)
{
    static char text[1 << 20];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    const char *at = text;
    int found = 0;
    CHECK(f && !fclose(f));
    text[n] = 0;
    for (; (at = strstr(at, what)); at++)
        found++;
    return found;
}
