/* SPDX-License-Identifier: MIT */
/* matmul.c - the product of two matrices of numbers from -1 to 1, in single precision, or of int32 of any size, which wraps. Rows of A and of
 * C follow the first index; B is read whole. With option parts the columns of A and rows of B are taken a part at a time, as if no more of
 * them had room: one run of the loop a part, which adds to C.
 * As jobs these parts are panels of A and B, each a job, so that the first multiplication begins when the first panel is there. If a device has
 * not enough room for its share, C is cut into a grid of blocks, as coarse as its memory allows with a tenth left for panels.
 *
 * Of a small product each number is checked, of a large one those where some rows and columns cross. And of each row: with a vector
 * x of -1 and 1, C x must be A (B x). Both are exact for int32. In single precision a number may be off by twice as much as roundings of
 * its partial sums allow, as libraries add in another order. What C x may be off by is what independent errors add up to, eight times. With TF32
 * factors have 11 bits. */
#include "loop.h"

#include "matmul_bodies.h"
#include "matmul_library.h"
#include "noise.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SIDE (UINT64_C(1) << 24)
#define PANEL 2048                     /* columns of A in a job: enough for a multiplication to be worth it */
#define MOST_WHOLE (UINT64_C(1) << 27) /* products that are checked one by one */
enum { SAMPLED = 24 };                 /* rows and columns of a large product that are looked at */
enum { A = 1, B, X };                  /* streams of noise */

extern const app app_matmul;

/* A number of either type; whole numbers count modulo 2^32. */
typedef union number {
    double f;
    uint64_t u;
} number;

/* What C should be, where `rows` rows and `cols` columns of it cross. */
typedef struct crossing {
    uint64_t n_rows, n_cols;
    uint32_t *columns; /* those of B, one after another */
    number *want;
    double *off; /* by how much each may differ */
} crossing;

typedef struct matmul_case {
    app_case c;
    uint32_t *a, *b, *product;
    uint64_t k;
    int64_t parts;
    uint64_t each;           /* columns of A in a part */
    matmul_library *library; /* NULL: own bodies */
    int is_float, is_tf32, has_want;
    crossing some;
    number *bx, *abx; /* B x, A (B x) */
    uint64_t differs; /* first crossing, then row, that does */
    matmul_record record;
} matmul_case;

/* ---- prepare ---- */

static void make_up(const matmul_case *p, uint32_t *to, uint64_t stream, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++) {
        const float f = (float)(2 * noise_unit(stream, i) - 1);
        if (p->is_float)
            memcpy(&to[i], &f, sizeof f);
        else
            to[i] = (uint32_t)noise_u64(stream, i);
    }
}

static void make_rows_of_a(void *self, uint64_t begin, uint64_t end)
{
    const matmul_case *p = self;
    make_up(p, p->a, A, begin * p->k, end * p->k);
}

static void make_rows_of_b(void *self, uint64_t begin, uint64_t end)
{
    const matmul_case *p = self;
    make_up(p, p->b, B, begin * p->c.n[1], end * p->c.n[1]);
}

static int make_matrices(matmul_case *p, char *error)
{
    const uint64_t *n = p->c.n;
    p->a = app_alloc(n[0] * p->k, 4, "A", error);
    p->b = p->a ? app_alloc(p->k * n[1], 4, "B", error) : NULL;
    p->product = p->b ? app_alloc(n[0] * n[1], 4, "C", error) : NULL;
    if (!p->product)
        return -1;
    app_spread(n[0], p->k, make_rows_of_a, p);
    app_spread(p->k, n[1], make_rows_of_b, p);
    return 0;
}

static int read_type(matmul_case *p, const app_request *q, char *error)
{
    const char *type = app_opt_text(&app_matmul, q, "type");
    p->is_float = !strcmp(type, "fp32");
    if (p->is_float || !strcmp(type, "int32"))
        return 0;
    snprintf(error, APP_ERROR, "option type: '%.64s' is not fp32 or int32", type);
    return -1;
}

/* body=library is for jobs, and of numbers that cuBLAS multiplies. */
static int read_body(matmul_case *p, const app_request *q, app_body *body, char *error)
{
    int64_t tf32;
    *body = APP_BODY_AUTO;
    if (app_opt_i64(&app_matmul, q, "tf32", 0, 1, &tf32, error))
        return -1;
    p->is_tf32 = (int)tf32;
    if (strcmp(app_opt_text(&app_matmul, q, "body"), "library") != 0) {
        if (tf32)
            snprintf(error, APP_ERROR, "option tf32: only body=library has it");
        return tf32 ? -1 : app_opt_body(&app_matmul, q, body, error);
    }
    if (!p->is_float) {
        snprintf(error, APP_ERROR, "option body: the library multiplies fp32 only");
        return -1;
    }
    p->library = matmul_library_new(p->is_tf32);
    if (!p->library)
        snprintf(error, APP_ERROR, "out of memory for the library");
    return p->library ? 0 : -1;
}

static int load(app_case *c, const app_request *q, char *error)
{
    matmul_case *p = (matmul_case *)c;
    int64_t k;
    app_body body;
    if (app_check_request(&app_matmul, q, 0, error) || read_type(p, q, error) ||
        app_opt_i64(&app_matmul, q, "k", 0, MOST_SIDE, &k, error) ||
        app_opt_i64(&app_matmul, q, "parts", 0, 1 << 20, &p->parts, error) || read_body(p, q, &body, error) ||
        app_sizes(&app_matmul, q, (const uint64_t[2]){0, 0}, MOST_SIDE, 1, c->n, c->b, error))
        return -1;
    p->k = k ? (uint64_t)k : c->n[1];
    p->record = (matmul_record){.a_stride = p->k * 4,
                                .b_stride = c->n[1] * 4,
                                .c_stride = c->n[1] * 4,
                                .to = p->k,
                                .tuned = body != APP_BODY_PORTABLE};
    return make_matrices(p, error);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_matmul, sizeof(matmul_case), load, q, error);
}

static void free_case(app_case *c)
{
    matmul_case *p = (matmul_case *)c;
    if (!c)
        return;
    matmul_library_free(p->library);
    app_loop_close(c);
    free(p->a);
    free(p->b);
    free(p->product);
    free(p->some.columns);
    free(p->some.want);
    free(p->some.off);
    free(p->bx);
    free(p->abx);
    free(p);
}

/* ---- the loop ---- */

static uint64_t share(uint64_t n, uint64_t parts) { return (n + parts - 1) / parts; }

/* Part number `run` of the columns of A. */
static void take_part(app_case *c, uint64_t run)
{
    matmul_case *p = (matmul_case *)c;
    p->record.from = app_smaller(run * p->each, p->k);
    p->record.to = app_smaller(p->record.from + p->each, p->k);
    p->record.adds = run > 0;
}

static app_rows rows_of(uint32_t *host, uint64_t n_rows, uint64_t n_cols, heddle_mode mode, size_t field, size_t stride)
{
    return (app_rows){.host = host,
                      .n_rows = n_rows,
                      .row_bytes = n_cols * 4,
                      .mode = mode,
                      .field = field,
                      .stride = stride,
                      .column_bytes = 4};
}

static app_loop_form form_of(matmul_case *p)
{
    const uint64_t *n = p->c.n;
    app_loop_form f = app_loop_of(n[0]);
    app_loop_add_rows(
        &f, rows_of(p->a, n[0], p->k, HEDDLE_MODE_IN, offsetof(matmul_record, a), offsetof(matmul_record, a_stride)));
    app_loop_add_rows(
        &f, rows_of(p->b, p->k, n[1], HEDDLE_MODE_IN, offsetof(matmul_record, b), offsetof(matmul_record, b_stride)));
    app_loop_add_rows(&f, rows_of(p->product, n[0], n[1], HEDDLE_MODE_OUT, offsetof(matmul_record, c),
                                  offsetof(matmul_record, c_stride)));
    f.desc.body = p->is_float ? matmul_f32 : matmul_i32;
    f.desc.n_2 = n[1];
    f.desc.tile = p->c.b[0];
    f.desc.tile_2 = p->c.b[1];
    f.desc.team_size = MATMUL_TEAM;
    f.turn = take_part;
    p->c.record = &p->record;
    p->c.record_bytes = sizeof p->record;
    return f;
}

static int build(app_case *c, heddle_ctx *ctx)
{
    matmul_case *p = (matmul_case *)c;
    app_loop_form f = form_of(p);
    if (p->library) {
        snprintf(c->error, APP_ERROR, "option body: only matmul/jobs calls the library");
        return -1;
    }
    f.n_runs = p->parts ? (uint64_t)p->parts : 1;
    p->each = share(p->k, f.n_runs);
    f.rows[1].is_all = 1;
    if (f.n_runs > 1)
        f.rows[2].mode = HEDDLE_MODE_INOUT;
    return app_loop_open(c, ctx, &f);
}

/* ---- jobs ---- */

/* A tile of C needs a panel of A with its rows, and one of B with its columns. The first job only writes C. */
static void set_panels(const app_case *c, uint64_t kind, app_rows rows[APP_MOST_ROWS])
{
    const matmul_case *p = (const matmul_case *)c;
    const uint64_t from = kind * p->each, n = app_smaller(p->each, p->k - from);
    rows[0].first_2 = from;
    rows[0].n_columns = n;
    rows[1].first = from;
    rows[1].n_of = n;
    rows[2].mode = kind ? HEDDLE_MODE_INOUT : HEDDLE_MODE_OUT;
}

/* The devices with memory of their own. */
typedef struct devices {
    uint64_t n, least_bytes; /* for arrays */
    int has_gpu;
} devices;

static devices devices_of(const app_case *c)
{
    heddle_fleet_unit u = HEDDLE_UNIT_INIT;
    devices d = {0, UINT64_MAX, 0};
    for (uint32_t i = 0; heddle_fleet_get_unit(c->looping->fleet, i, &u) == HEDDLE_OK; i++) {
        const uint64_t some = u.memory_bytes / 3 * 2; /* the pool is some more, if nobody says how large */
        if (!u.memory_bytes)
            continue;
        d.n++;
        d.least_bytes = app_smaller(d.least_bytes, c->spawning.pool_bytes ? c->spawning.pool_bytes : some);
        d.has_gpu = d.has_gpu || u.ctx;
    }
    return d;
}

typedef struct grid {
    uint64_t rows, cols; /* blocks of C */
} grid;

/* Numbers of a block, which consists of whole tiles. */
static grid block_of(const app_case *c, grid g)
{
    const uint64_t *n = c->n, *b = c->b;
    return (grid){share(share(n[0], b[0]), g.rows) * b[0], share(share(n[1], b[1]), g.cols) * b[1]};
}

/* Bytes of a row of so many numbers where it lies packed. */
static uint64_t packed(uint64_t n) { return share(n * 4, 16) * 16; }

/* What a block needs with so many panels of A and B of k, and some for alignment. */
static uint64_t room_of(grid block, uint64_t k, uint64_t n_panels)
{
    return block.rows * packed(block.cols) + n_panels * (block.rows * packed(k) + k * packed(block.cols)) +
           (1 + 2 * n_panels) * 512;
}

/* Columns of A in a job, with so many jobs; panels begin at addresses that suit vectors, and large ones are whole stages of blocks. */
static uint64_t each_of(const matmul_case *p, uint64_t parts)
{
    const uint64_t each = share(p->k, parts), unit = each < 4 ? 1 : each < PANEL ? 4 : MATMUL_EDGE;
    return share(each, unit) * unit;
}

/* The user's, or as few as are worth a job. */
static uint64_t least_panel(const matmul_case *p)
{
    return p->parts ? each_of(p, (uint64_t)p->parts) : app_smaller(p->k, 4);
}

static int has_room(const matmul_case *p, const devices *d, grid g)
{
    const grid block = block_of(&p->c, g);
    return block.rows * packed(block.cols) <= d->least_bytes / 10 * 9 &&
           room_of(block, least_panel(p), 1) <= d->least_bytes;
}

/* Columns of A in a panel: three panels have room beside a block of C, if that can be. */
static uint64_t panel_of(const matmul_case *p, const devices *d, grid block)
{
    const uint64_t n_panels = room_of(block, app_smaller(p->k, 4), 3) <= d->least_bytes ? 3 : 1;
    uint64_t k = app_smaller(p->k, 4), step;
    for (step = UINT64_C(1) << 24; step >= 4; step /= 2)
        while (k + step <= p->k && room_of(block, k + step, n_panels) <= d->least_bytes)
            k += step;
    return k < PANEL || k == p->k ? k : k / MATMUL_EDGE * MATMUL_EDGE;
}

/* A grid of p x q brings A q times, and B p times. Of those that bring the same, 2 x 2 and 3 x 1, the one with the wider panels: rows of a
 * narrow one are copied slowly, and each panel reads and writes all of C. */
static int is_better(const matmul_case *p, const devices *d, grid a, grid b)
{
    if (a.rows + a.cols != b.rows + b.cols)
        return a.rows + a.cols < b.rows + b.cols;
    return panel_of(p, d, block_of(&p->c, a)) > panel_of(p, d, block_of(&p->c, b));
}

/* The coarsest grid with blocks of C in nine tenths of the memory, and a block or more for each device. */
static grid coarsest(const matmul_case *p, const devices *d)
{
    const uint64_t *n = p->c.n, *b = p->c.b;
    const grid most = {share(n[0], b[0]), share(n[1], b[1])};
    grid best = most, g;
    if (!has_room(p, d, most))
        return most; /* the library says what there is and what it takes */
    for (g.rows = 1; g.rows <= most.rows && g.rows < best.rows + best.cols; g.rows++) {
        g.cols = app_smaller(share(d->n, g.rows), most.cols);
        while (g.cols < most.cols && g.rows + g.cols <= best.rows + best.cols && !has_room(p, d, g))
            g.cols++;
        if (has_room(p, d, g) && is_better(p, d, g, best))
            best = g;
    }
    return best;
}

/* Whether rows of C and A, in equal shares, and all of B have room. */
static int is_in_core(const matmul_case *p, const devices *d)
{
    const double n = (double)p->c.n[0], m = (double)p->c.n[1], k = (double)p->k;
    return !d->n || 4 * ((n * m + n * k) / (double)d->n + k * m) < 0.9 * (double)d->least_bytes;
}

/* The first multiplication waits for a panel, and each panel reads and writes all of C: with n panels a product takes a/n + b n more than it
 * must. On one H200 a was 39 and 156 ms at 16384 and 32768, and b 1.5 and 6 ms: 5 are best; of more GPUs, more. */
static uint64_t most_parts(uint64_t k) { return k / PANEL < 2 ? 1 : app_smaller(k / PANEL, 6); }

/* A user's parts and tasks come first. */
static void set_cut(matmul_case *p, app_loop_form *f, const devices *d)
{
    const app_spawning *s = &p->c.spawning;
    uint64_t parts = most_parts(p->k);
    if (!is_in_core(p, d)) {
        const grid g = s->n_tasks ? (grid){s->n_tasks, s->n_tasks_2 ? s->n_tasks_2 : 1} : coarsest(p, d);
        parts = share(p->k, panel_of(p, d, block_of(&p->c, g)));
        f->n_tasks = (uint32_t)g.rows;
        f->n_tasks_2 = (uint32_t)g.cols;
    }
    p->each = each_of(p, p->parts ? (uint64_t)p->parts : parts);
    f->n_runs = f->n_kinds = share(p->k, p->each);
}

static int cut(app_case *c)
{
    matmul_case *p = (matmul_case *)c;
    const devices d = devices_of(c);
    if (p->library && d.has_gpu && matmul_library_load(p->library)) {
        snprintf(c->error, APP_ERROR, "option body: cuBLAS is not here");
        return -1;
    }
    set_cut(p, &c->looping->form, &d);
    return 0;
}

static int build_jobs(app_case *c, heddle_ctx *ctx)
{
    matmul_case *p = (matmul_case *)c;
    app_loop_form f = form_of(p);
    for (uint32_t i = 0; i < f.n_rows; i++)
        f.rows[i].is_rect = 1;
    f.kind = set_panels;
    f.cut = cut;
    f.call = p->library ? matmul_library_call : NULL;
    f.call_user = p->library;
    return app_loop_open(c, ctx, &f);
}

/* ---- reference ---- */

static number add(const matmul_case *p, number sum, uint32_t word, number by)
{
    float f;
    if (p->is_float) {
        memcpy(&f, &word, sizeof f);
        sum.f += (double)f * by.f;
    } else {
        sum.u += word * by.u;
    }
    return sum;
}

static number one(const matmul_case *p, uint32_t word)
{
    const number zero = {.u = 0}, by = {.u = 1}, by_f = {.f = 1};
    return add(p, zero, word, p->is_float ? by_f : by);
}

static number x_of(const matmul_case *p, uint64_t i)
{
    const int is_minus = noise_u64(X, i) & 1;
    number x = {.u = is_minus ? UINT64_MAX : 1};
    if (p->is_float)
        x.f = is_minus ? -1 : 1;
    return x;
}

/* Row of so many numbers times a vector. */
static number times(const matmul_case *p, const uint32_t *row, const number *vector, uint64_t n)
{
    number sum = {.u = 0};
    for (uint64_t i = 0; i < n; i++)
        sum = add(p, sum, row[i], vector ? vector[i] : x_of(p, i));
    return sum;
}

static void fill_bx(void *self, uint64_t begin, uint64_t end)
{
    matmul_case *p = self;
    for (uint64_t i = begin; i < end; i++)
        p->bx[i] = times(p, p->b + i * p->c.n[1], NULL, p->c.n[1]);
}

static void fill_abx(void *self, uint64_t begin, uint64_t end)
{
    matmul_case *p = self;
    for (uint64_t i = begin; i < end; i++)
        p->abx[i] = times(p, p->a + i * p->k, p->bx, p->k);
}

/* Which row or column of n is number i of the n_some that are looked at: the first and the last, and evenly between. */
static uint64_t some_of(uint64_t i, uint64_t n_some, uint64_t n) { return n_some < 2 ? 0 : i * (n - 1) / (n_some - 1); }

static void take_columns(matmul_case *p)
{
    crossing *s = &p->some;
    for (uint64_t k = 0; k < p->k; k++)
        for (uint64_t j = 0; j < s->n_cols; j++)
            s->columns[j * p->k + k] = p->b[k * p->c.n[1] + some_of(j, s->n_cols, p->c.n[1])];
}

static void cross(const matmul_case *p, const uint32_t *row, const uint32_t *column, number *want, double *off)
{
    number sum = {.u = 0};
    double sizes = 0, products = 0;
    for (uint64_t k = 0; k < p->k; k++) {
        sum = add(p, sum, row[k], one(p, column[k]));
        sizes += p->is_float ? fabs(sum.f) : 0;
        products += p->is_tf32 ? fabs(add(p, (number){.f = 0}, row[k], one(p, column[k])).f) : 0;
    }
    *want = sum;
    *off = 0x1p-23 * sizes + 0x1p-10 * products;
}

static void cross_rows(void *self, uint64_t begin, uint64_t end)
{
    matmul_case *p = self;
    const crossing *s = &p->some;
    for (uint64_t i = begin; i < end; i++)
        for (uint64_t j = 0; j < s->n_cols; j++)
            cross(p, p->a + some_of(i, s->n_rows, p->c.n[0]) * p->k, s->columns + j * p->k, &s->want[i * s->n_cols + j],
                  &s->off[i * s->n_cols + j]);
}

static int reference_room(matmul_case *p)
{
    crossing *s = &p->some;
    const uint64_t *n = p->c.n;
    const int is_whole = (double)n[0] * (double)n[1] * (double)p->k <= (double)MOST_WHOLE;
    s->n_rows = is_whole ? n[0] : app_smaller(SAMPLED, n[0]);
    s->n_cols = is_whole ? n[1] : app_smaller(SAMPLED, n[1]);
    s->columns = app_alloc(s->n_cols * p->k, 4, "the reference", p->c.error);
    s->want = app_alloc(s->n_rows * s->n_cols, sizeof *s->want, "the reference", p->c.error);
    s->off = app_alloc(s->n_rows * s->n_cols, sizeof *s->off, "the reference", p->c.error);
    p->bx = app_alloc(p->k, sizeof *p->bx, "the reference", p->c.error);
    p->abx = app_alloc(n[0], sizeof *p->abx, "the reference", p->c.error);
    return s->columns && s->want && s->off && p->bx && p->abx ? 0 : -1;
}

static int reference(app_case *c)
{
    matmul_case *p = (matmul_case *)c;
    if (p->has_want)
        return 0;
    if (reference_room(p))
        return -1;
    take_columns(p);
    app_spread(p->some.n_rows, p->some.n_cols * p->k, cross_rows, p);
    app_spread(p->k, c->n[1], fill_bx, p);
    app_spread(c->n[0], p->k, fill_abx, p);
    p->has_want = 1;
    return 0;
}

/* ---- check ---- */

static int is_near(const matmul_case *p, number got, number want, double off)
{
    return p->is_float ? fabs(got.f - want.f) <= off : (uint32_t)got.u == (uint32_t)want.u;
}

/* As a number that printf takes. */
static double shown(const matmul_case *p, number v) { return p->is_float ? v.f : (double)(int32_t)(uint32_t)v.u; }

static uint64_t place_of(const matmul_case *p, uint64_t at)
{
    const crossing *s = &p->some;
    return some_of(at / s->n_cols, s->n_rows, p->c.n[0]) * p->c.n[1] + some_of(at % s->n_cols, s->n_cols, p->c.n[1]);
}

static void compare(void *self, uint64_t begin, uint64_t end)
{
    matmul_case *p = self;
    for (uint64_t i = begin; i < end; i++)
        if (!is_near(p, one(p, p->product[place_of(p, i)]), p->some.want[i], p->some.off[i])) {
            app_least(&p->differs, i);
            return;
        }
}

static int check_crossings(matmul_case *p)
{
    uint64_t at;
    p->differs = UINT64_MAX;
    app_spread(p->some.n_rows * p->some.n_cols, 1, compare, p);
    if (p->differs == UINT64_MAX)
        return 0;
    at = place_of(p, p->differs);
    snprintf(p->c.error, APP_ERROR, "matmul: C at %" PRIu64 ",%" PRIu64 " is %.10g, the reference has %.10g",
             at / p->c.n[1], at % p->c.n[1], shown(p, one(p, p->product[at])), shown(p, p->some.want[p->differs]));
    return -1;
}

static void compare_rows(void *self, uint64_t begin, uint64_t end)
{
    matmul_case *p = self;
    const double off = 8 * 0x1p-25 * (double)p->k * sqrt((double)p->c.n[1]) +
                       (p->is_tf32 ? 8 * 0x1p-11 * sqrt((double)p->k * (double)p->c.n[1]) : 0);
    for (uint64_t i = begin; i < end; i++)
        if (!is_near(p, times(p, p->product + i * p->c.n[1], NULL, p->c.n[1]), p->abx[i], off)) {
            app_least(&p->differs, i);
            return;
        }
}

static int check(app_case *c)
{
    matmul_case *p = (matmul_case *)c;
    number got;
    if (check_crossings(p))
        return -1;
    app_spread(c->n[0], c->n[1], compare_rows, p);
    if (p->differs == UINT64_MAX)
        return 0;
    got = times(p, p->product + p->differs * c->n[1], NULL, c->n[1]);
    snprintf(c->error, APP_ERROR, "matmul: row %" PRIu64 " of C x is %.10g, of A (B x) %.10g", p->differs,
             shown(p, got), shown(p, p->abx[p->differs]));
    return -1;
}

static void answer(app_case *c, const app_sink *s)
{
    const matmul_case *p = (const matmul_case *)c;
    double sum = 0, least = INFINITY, largest = -INFINITY;
    for (uint64_t i = 0; i < c->n[0] * c->n[1]; i++) {
        const double v = shown(p, one(p, p->product[i]));
        sum += v;
        least = fmin(least, v);
        largest = fmax(largest, v);
    }
    s->f64(s->self, "sum", sum);
    s->f64(s->self, "least", least);
    s->f64(s->self, "largest", largest);
}

static const app_scenario scenarios[] = {{.engine = &app_loop, .build = build, .reset = app_loop_reset},
                                         {.engine = &app_jobs, .build = build_jobs, .reset = app_loop_reset},
                                         {.engine = NULL}};
static const app_option options[] = {
    {"type", "fp32", "of the numbers: fp32 or int32"},
    {"k", "0", "columns of A and rows of B; 0: as many as C has columns"},
    {"parts", "0", "in which the columns of A are taken, one run of the loop or job each; 0: one, of jobs as suits"},
    {"body", "auto",
     "auto, portable or tuned: plain loops, or what is fast on thread blocks; library: cuBLAS, in jobs"},
    {"tf32", "0", "1: the library may use products of fewer bits"},
    {NULL, NULL, NULL}};

const app app_matmul = {
    .name = "matmul",
    .summary = "the product of two matrices (fp32 or int32)",
    .formats = "none",
    .options = options,
    .table = &matmul,
    .loops = &matmul,
    .scenarios = scenarios,
    .n = {1024, 1024},
    .b = {MATMUL_EDGE, MATMUL_EDGE},
    .prepare = prepare,
    .read = app_loop_fetch,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
