/* SPDX-License-Identifier: MIT */
/* lu.c - LU decomposition without pivoting, fp32, of a matrix of any shape stored by square blocks.
 *
 * Input: a Matrix Market file A, made dense and diagonally dominant: off the diagonal M = A, m_ii = 1 + sum of |a_ij|
 * over j != i. Without --input: a_ij = 2 * noise - 1. Rows and columns are padded to whole blocks with those of the
 * identity, which decompose into themselves and touch nothing else.
 *
 * Step k: lu0 on the diagonal block, fwd along its row, bdiv down its column, bmod on the rest. A task's ranges are
 * whole blocks, each contiguous in memory.
 *
 * Check. Up to MAX_PLAIN multiplications: each number against a plain decomposition in double; the allowed error is
 * proportional to the sum of the magnitudes that went into it. Beyond: L (U x) against M x for random x. */
#include "app.h"
#include "input.h"
#include "lu_bodies.h"
#include "noise.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const app app_lu;

#define MAX_SIDE (1ull << 20)
#define MAX_BLOCK (1ull << 15) /* bodies index a block in an int */
#define MAX_TASKS (1ull << 29) /* the limit of a graph, with room for joins */
#define MAX_PLAIN (1ull << 31)
#define LARGEST 1e30 /* limit of a row's sum */
#define N_VECTORS 4

typedef struct lu_case {
    app_case c;
    uint64_t rows, cols, steps; /* in blocks; steps: the fewer of the two                           */
    double *m;                  /* M, row-major, without padding                                    */
    float *start, *result;      /* by blocks, padded */
    double *want, *weight;      /* decomposition and allowed error, in units of the tolerance; or random x and M x */
    app_body body;
    lu_record record;
} lu_case;

static uint64_t n_numbers(const lu_case *p) { return p->rows * p->cols * p->c.b[0] * p->c.b[0]; }

/* Index of block (i, j); index of number (r, c). */
static uint64_t block(const lu_case *p, uint64_t i, uint64_t j) { return (i * p->cols + j) * p->c.b[0] * p->c.b[0]; }

static uint64_t place(const lu_case *p, uint64_t r, uint64_t c)
{
    uint64_t b = p->c.b[0];
    return block(p, r / b, c / b) + r % b * b + c % b;
}

/* ---- prepare ---- */

/* Parts of loops over rows. */
static void make_up(void *self, uint64_t begin, uint64_t end)
{
    lu_case *p = self;
    for (uint64_t i = begin * p->c.n[1]; i < end * p->c.n[1]; i++)
        p->m[i] = 2.0 * noise_unit(3, i) - 1.0;
}

static void make_dominant(void *self, uint64_t begin, uint64_t end)
{
    lu_case *p = self;
    const uint64_t cols = p->c.n[1];
    for (uint64_t r = begin; r < end; r++) {
        double sum = 1.0;
        for (uint64_t c = 0; c < cols; c++)
            sum += c == r ? 0.0 : fabs(p->m[r * cols + c]);
        p->m[r * cols + r] = sum;
    }
}

/* A diagonal is the sum of its row; within the limit, factors and errors stay in the range of floats. */
static int check_sums(const lu_case *p, char *error)
{
    for (uint64_t r = 0; r < app_smaller(p->c.n[0], p->c.n[1]); r++)
        if (!(p->m[r * p->c.n[1] + r] <= LARGEST)) {
            snprintf(error, APP_ERROR,
                     "lu: row %llu's numbers add up to %.3g; the limit is %g, within which factors are floats",
                     (unsigned long long)r + 1, p->m[r * p->c.n[1] + r], LARGEST);
            return -1;
        }
    return 0;
}

static int fill(lu_case *p, const input_entry *entries, uint64_t n_entries, char *error)
{
    const uint64_t *n = p->c.n;
    p->m = app_alloc(n[0] * n[1], sizeof(double), "the matrix", error);
    if (!p->m)
        return -1;
    if (entries)
        memset(p->m, 0, n[0] * n[1] * sizeof(double));
    else
        app_spread(n[0], n[1], make_up, p);
    for (uint64_t e = 0; e < n_entries; e++)
        p->m[entries[e].row * n[1] + entries[e].col] = entries[e].value;
    app_spread(app_smaller(n[0], n[1]), n[1], make_dominant, p);
    return check_sums(p, error);
}

/* Blocks are square, and not larger than the matrix. */
static int shape(lu_case *p, const app_request *q, const uint64_t n_input[2], char *error)
{
    app_case *c = &p->c;
    if (q->b[0] != q->b[1] && q->b[0] && q->b[1]) {
        snprintf(error, APP_ERROR, "lu: blocks must be square, not %llux%llu", (unsigned long long)q->b[0],
                 (unsigned long long)q->b[1]);
        return -1;
    }
    if (app_sizes(&app_lu, q, n_input, MAX_SIDE, 1, c->n, c->b, error))
        return -1;
    c->b[0] = c->b[1] = app_smaller(c->b[0], c->b[1]);
    if (c->b[0] > MAX_BLOCK) {
        snprintf(error, APP_ERROR, "lu: blocks have %llu rows at most", MAX_BLOCK);
        return -1;
    }
    p->rows = (c->n[0] + c->b[0] - 1) / c->b[0];
    p->cols = (c->n[1] + c->b[0] - 1) / c->b[0];
    p->steps = app_smaller(p->rows, p->cols);
    if (p->rows * p->cols > MAX_TASKS / p->steps) {
        snprintf(error, APP_ERROR, "lu: %llux%llu blocks make more than the limit of %llu tasks",
                 (unsigned long long)p->rows, (unsigned long long)p->cols, MAX_TASKS);
        return -1;
    }
    return 0;
}

static int check_body(const lu_case *p, char *error)
{
    if (p->body != APP_BODY_TUNED || p->c.b[0] % LU_MULTIPLE == 0)
        return 0;
    snprintf(error, APP_ERROR, "lu: tuned bodies take blocks of a multiple of %d rows, not of %llu", LU_MULTIPLE,
             (unsigned long long)p->c.b[0]);
    return -1;
}

static int load(lu_case *p, const app_request *q, char *error)
{
    input_matrix a = {0, 0, 0, NULL};
    if (app_opt_body(&app_lu, q, &p->body, error))
        return -1;
    if (q->n_inputs && input_matrix_market(q->inputs[0], &a, error))
        return -1;
    const uint64_t n[2] = {a.n, a.n};
    int failed = shape(p, q, n, error) || check_body(p, error) || fill(p, a.entries, a.n_entries, error);
    free(a.entries);
    return failed ? -1 : 0;
}

/* Stores row r in the padded blocks. */
static void put_row(const lu_case *p, uint64_t r)
{
    const uint64_t b = p->c.b[0], *n = p->c.n;
    for (uint64_t j = 0; j < p->cols; j++) {
        float *to = p->start + place(p, r, j * b);
        for (uint64_t k = 0, c = j * b; k < b; k++, c++)
            to[k] = r < n[0] && c < n[1] ? (float)p->m[r * n[1] + c] : (float)(r == c);
    }
}

static void put_rows(void *self, uint64_t begin, uint64_t end)
{
    for (uint64_t r = begin; r < end; r++)
        put_row(self, r);
}

static int make_blocks(lu_case *p, char *error)
{
    p->start = app_alloc(n_numbers(p), sizeof(float), "the blocks", error);
    p->result = p->start ? app_alloc(n_numbers(p), sizeof(float), "the result", error) : NULL;
    if (!p->result)
        return -1;
    app_spread(p->rows * p->c.b[0], p->cols * p->c.b[0], put_rows, p);
    return 0;
}

static void free_case(app_case *c)
{
    lu_case *p = (lu_case *)c;
    if (!p)
        return;
    if (c->ctx)
        heddle_mem_free(c->ctx, p->record.a);
    heddle_graph_free(c->graph);
    free(p->m);
    free(p->start);
    free(p->result);
    free(p->want);
    free(p->weight);
    free(p);
}

static int load_case(app_case *c, const app_request *q, char *error)
{
    lu_case *p = (lu_case *)c;
    return app_check_request(&app_lu, q, 1, error) || load(p, q, error) || make_blocks(p, error) ? -1 : 0;
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_lu, sizeof(lu_case), load_case, q, error);
}

/* ---- graph ---- */

static int reset(app_case *c)
{
    lu_case *p = (lu_case *)c;
    if (heddle_mem_write(c->ctx, p->record.a, p->start, n_numbers(p) * sizeof(float)) != HEDDLE_OK)
        return app_heddle_error(c, "writing the matrix");
    return 0;
}

static int read_back(app_case *c)
{
    lu_case *p = (lu_case *)c;
    if (heddle_mem_read(c->ctx, p->result, p->record.a, n_numbers(p) * sizeof(float)) != HEDDLE_OK)
        return app_heddle_error(c, "reading the matrix");
    return 0;
}

static heddle_range whole(const lu_case *p, uint64_t at, heddle_mode mode)
{
    uint64_t b = p->c.b[0];
    return heddle_range_of(p->record.a + at, b * b * sizeof(float), 1, 0, mode);
}

static int add_one(lu_case *p, uint64_t diag)
{
    lu_one t = {diag};
    return heddle_graph_add(p->c.graph, lu_lu0, &t, sizeof t, HEDDLE_RANGES(whole(p, diag, HEDDLE_MODE_INOUT)), NULL);
}

static int add_two(lu_case *p, uint32_t body, uint64_t diag, uint64_t at)
{
    lu_two t = {diag, at};
    heddle_range in = whole(p, diag, HEDDLE_MODE_IN), inout = whole(p, at, HEDDLE_MODE_INOUT);
    return heddle_graph_add(p->c.graph, body, &t, sizeof t, HEDDLE_RANGES(in, inout), NULL);
}

static int add_three(lu_case *p, uint64_t left, uint64_t up, uint64_t at)
{
    lu_three t = {left, up, at};
    heddle_range in0 = whole(p, left, HEDDLE_MODE_IN), in1 = whole(p, up, HEDDLE_MODE_IN);
    heddle_range inout = whole(p, at, HEDDLE_MODE_INOUT);
    return heddle_graph_add(p->c.graph, lu_bmod, &t, sizeof t, HEDDLE_RANGES(in0, in1, inout), NULL);
}

static int add_step(lu_case *p, uint64_t k)
{
    uint64_t diag = block(p, k, k);
    if (add_one(p, diag))
        return -1;
    for (uint64_t j = k + 1; j < p->cols; j++)
        if (add_two(p, lu_fwd, diag, block(p, k, j)))
            return -1;
    for (uint64_t i = k + 1; i < p->rows; i++)
        if (add_two(p, lu_bdiv, diag, block(p, i, k)))
            return -1;
    for (uint64_t i = k + 1; i < p->rows; i++)
        for (uint64_t j = k + 1; j < p->cols; j++)
            if (add_three(p, block(p, i, k), block(p, k, j), block(p, i, j)))
                return -1;
    return 0;
}

/* Chooses the version and its threads and shared memory. A context's memory is aligned to 128 bytes at least; hence so
 * is each block when its edge is a multiple of LU_MULTIPLE. */
static int new_graph(lu_case *p, heddle_ctx *ctx)
{
    const uint32_t b = p->record.b, tuned = b % LU_MULTIPLE == 0 && app_is_tuned(ctx, p->body);
    p->record.tuned = tuned;
    if (app_new_graph(&p->c, &lu) || app_choose_shared(&p->c, lu_n_bodies, tuned ? LU_SHARED : 0))
        return -1;
    if (tuned && heddle_graph_set_team_size(p->c.graph, b < 128 ? LU_MIN_THREADS : LU_MAX_THREADS) != HEDDLE_OK)
        return app_heddle_error(&p->c, "choosing the threads");
    return 0;
}

static int build(app_case *c, heddle_ctx *ctx)
{
    lu_case *p = (lu_case *)c;
    void *a;
    c->ctx = ctx;
    if (heddle_mem_new(ctx, n_numbers(p) * sizeof(float), &a) != HEDDLE_OK)
        return app_heddle_error(c, "memory for the matrix");
    p->record.a = a;
    p->record.b = (uint32_t)c->b[0];
    c->record = &p->record;
    c->record_bytes = sizeof p->record;
    if (reset(c) || new_graph(p, ctx))
        return -1;
    for (uint64_t k = 0; k < p->steps; k++)
        if (add_step(p, k))
            return app_heddle_error(c, "adding a task");
    return 0;
}

static void call(const lu_case *p, const heddle_thread *thread, uint32_t body, const void *args)
{
    lu.bodies[body].run(thread, &p->record, args);
}

static void tile_step(const lu_case *p, const heddle_thread *thread, uint64_t k)
{
    uint64_t diag = block(p, k, k);
    call(p, thread, lu_lu0, &(lu_one){diag});
    for (uint64_t j = k + 1; j < p->cols; j++)
        call(p, thread, lu_fwd, &(lu_two){diag, block(p, k, j)});
    for (uint64_t i = k + 1; i < p->rows; i++)
        call(p, thread, lu_bdiv, &(lu_two){diag, block(p, i, k)});
    for (uint64_t i = k + 1; i < p->rows; i++)
        for (uint64_t j = k + 1; j < p->cols; j++)
            call(p, thread, lu_bmod, &(lu_three){block(p, i, k), block(p, k, j), block(p, i, j)});
}

static int tiles(app_case *c)
{
    const lu_case *p = (const lu_case *)c;
    heddle_failure fail = {0};
    _Alignas(128) unsigned char shared[HEDDLE_REDUCE_BYTES];
    heddle_thread thread = heddle_thread_alone(&fail, shared);
    for (uint64_t k = 0; k < p->steps; k++)
        tile_step(p, &thread, k);
    return 0;
}

/* ---- reference and check ---- */

static int is_plain(const lu_case *p)
{
    const uint64_t *n = p->c.n;
    return n[0] * n[1] <= MAX_PLAIN / app_smaller(n[0], n[1]);
}

/* Row by row: row r subtracts all rows of U above it. The weight of a number bounds its error in units of one rounding:
 * of M's number, of each product's factors, of the pivot. */
static void decompose(double *a, double *weight, const uint64_t n[2])
{
    const uint64_t cols = n[1];
    for (uint64_t i = 0; i < n[0] * cols; i++)
        weight[i] = fabs(a[i]);
    for (uint64_t r = 1; r < n[0]; r++)
        for (uint64_t k = 0; k < app_smaller(r, cols); k++) {
            double *row = a + r * cols, *w = weight + r * cols;
            const double *up = a + k * cols, *w_up = weight + k * cols;
            double l = row[k] / up[k], w_l = (w[k] + fabs(l) * w_up[k]) / fabs(up[k]);
            row[k] = l;
            w[k] = w_l;
            for (uint64_t c = k + 1; w_l != 0 && c < cols; c++) {
                row[c] -= l * up[c];
                w[c] += w_l * fabs(up[c]) + fabs(l) * w_up[c];
            }
        }
}

/* Rows of M x, for all x. */
static void multiply_rows(void *self, uint64_t begin, uint64_t end)
{
    const lu_case *p = self;
    const uint64_t *n = p->c.n;
    for (uint64_t r = begin; r < end; r++)
        for (uint64_t v = 0; v < N_VECTORS; v++) {
            const double *m = p->m + r * n[1], *x = p->want + v * n[1];
            double sum = 0;
            for (uint64_t c = 0; c < n[1]; c++)
                sum += m[c] * x[c];
            p->weight[v * n[0] + r] = sum;
        }
}

/* Pairs of vectors: x = +1 or -1, and M x. */
static void multiply(lu_case *p)
{
    for (uint64_t i = 0; i < N_VECTORS * p->c.n[1]; i++)
        p->want[i] = noise_u64(4, i) & 1 ? 1.0 : -1.0;
    app_spread(p->c.n[0], N_VECTORS * p->c.n[1], multiply_rows, p);
}

static int reference(app_case *c)
{
    lu_case *p = (lu_case *)c;
    const uint64_t *n = c->n;
    int plain = is_plain(p);
    if (p->weight)
        return 0;
    p->want = p->want ? p->want : app_alloc(plain ? n[0] * n[1] : N_VECTORS * n[1], sizeof(double), "x", c->error);
    p->weight = p->want ? app_alloc(plain ? n[0] * n[1] : N_VECTORS * n[0], sizeof(double), "M x", c->error) : NULL;
    if (!p->weight)
        return -1;
    if (plain) {
        memcpy(p->want, p->m, n[0] * n[1] * sizeof(double));
        decompose(p->want, p->weight, n);
    } else {
        multiply(p);
    }
    return 0;
}

/* Rounding errors add up like a random walk over the terms of a number. */
static double tolerance(const lu_case *p)
{
    return 2.0 * FLT_EPSILON * (2.0 + sqrt((double)app_smaller(p->c.n[0], p->c.n[1])));
}

static int check_plain(lu_case *p)
{
    const uint64_t *n = p->c.n;
    for (uint64_t r = 0; r < n[0]; r++)
        for (uint64_t c = 0; c < n[1]; c++) {
            double got = (double)p->result[place(p, r, c)], want = p->want[r * n[1] + c];
            if (fabs(got - want) <= tolerance(p) * p->weight[r * n[1] + c] + (double)FLT_MIN)
                continue;
            snprintf(p->c.error, APP_ERROR, "lu: number %llu,%llu is %.9g, the reference has %.9g",
                     (unsigned long long)r, (unsigned long long)c, got, want);
            return -1;
        }
    return 0;
}

/* Sum of numbers begin .. end - 1 of row r of the result, each times x; adds the magnitudes, times size_of, to *size. */
static double times_row(const lu_case *p, uint64_t r, uint64_t begin, uint64_t end, const double *x,
                        const double *size_of, double *size)
{
    const uint64_t b = p->c.b[0];
    double sum = 0;
    for (uint64_t c = begin, stop; c < end; c = stop) {
        const float *at = p->result + place(p, r, c);
        stop = app_smaller((c / b + 1) * b, end);
        for (uint64_t k = c; k < stop; k++) {
            double v = (double)at[k - c];
            sum += v * x[k];
            *size += fabs(v * size_of[k]);
        }
    }
    return sum;
}

/* One of the pairs: y = U x, then L y against M x. */
typedef struct product {
    const lu_case *p;
    const double *x, *mx;
    double *y, *y_size; /* and the magnitudes that went into it */
    uint64_t first;     /* wrong row */
} product;

static void times_u(void *self, uint64_t begin, uint64_t end)
{
    const product *q = self;
    for (uint64_t r = begin; r < end; r++) {
        q->y_size[r] = 0;
        q->y[r] = times_row(q->p, r, r, q->p->c.n[1], q->x, q->x, &q->y_size[r]);
    }
}

/* Row r of L y, the 1 on the diagonal of L included. */
static double times_l(const product *q, uint64_t r, double *size)
{
    uint64_t n = app_smaller(q->p->c.n[0], q->p->c.n[1]);
    double sum = times_row(q->p, r, 0, app_smaller(r, n), q->y, q->y_size, size);
    *size += r < n ? q->y_size[r] : 0;
    return sum + (r < n ? q->y[r] : 0);
}

static void check_rows(void *self, uint64_t begin, uint64_t end)
{
    product *q = self;
    for (uint64_t r = begin; r < end; r++) {
        double size = 0, sum = times_l(q, r, &size);
        if (!(fabs(sum - q->mx[r]) <= tolerance(q->p) * size)) {
            app_least(&q->first, r);
            return;
        }
    }
}

static int check_product(lu_case *p, uint64_t v, double *y, uint64_t n)
{
    product q = {p, p->want + v * p->c.n[1], p->weight + v * p->c.n[0], y, y + n, UINT64_MAX};
    double size = 0;
    app_spread(n, p->c.n[1], times_u, &q);
    app_spread(p->c.n[0], n, check_rows, &q);
    if (q.first == UINT64_MAX)
        return 0;
    snprintf(p->c.error, APP_ERROR, "lu: row %llu of L (U x) is %.9g, that of M x is %.9g", (unsigned long long)q.first,
             times_l(&q, q.first, &size), q.mx[q.first]);
    return -1;
}

static int check_products(lu_case *p)
{
    uint64_t n = app_smaller(p->c.n[0], p->c.n[1]);
    double *y = app_alloc(2 * n, sizeof(double), "U x", p->c.error);
    int failed = y == NULL;
    for (uint64_t v = 0; !failed && v < N_VECTORS; v++)
        failed = check_product(p, v, y, n);
    free(y);
    return failed ? -1 : 0;
}

static int check(app_case *c)
{
    lu_case *p = (lu_case *)c;
    return is_plain(p) ? check_plain(p) : check_products(p);
}

/* The known answers are for M padded with the identity to a multiple of 32, independent of the block size here. */
static double answer_padding(const app_case *c) { return (double)((32 - app_smaller(c->n[0], c->n[1]) % 32) % 32); }

static void answer(app_case *c, const app_sink *s)
{
    const lu_case *p = (const lu_case *)c;
    double log_det = 0, sign = 1, l = 0, diag = answer_padding(c), u = diag, squares = diag;
    for (uint64_t r = 0; r < c->n[0]; r++)
        for (uint64_t k = 0; k < c->n[1]; k++) {
            double x = (double)p->result[place(p, r, k)];
            squares += x * x;
            if (r > k) {
                l += fabs(x);
                continue;
            }
            u += fabs(x);
            if (r == k) {
                diag += x;
                log_det += log(fabs(x));
                sign = x < 0 ? -sign : sign;
            }
        }
    s->f64(s->self, "logabsdet", log_det);
    s->f64(s->self, "det_sign", sign);
    s->f64(s->self, "sum_diag_U", diag);
    s->f64(s->self, "sum_abs_U", u);
    s->f64(s->self, "sum_abs_L_strict", l);
    s->f64(s->self, "fro_LU_packed", sqrt(squares));
}

static const app_option options[] = {APP_OPTION_BODY, {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {{&app_graph, build, reset, tiles}, {.engine = NULL}};

const app app_lu = {
    .name = "lu",
    .summary = "LU decomposition without pivoting of a diagonally dominant matrix (fp32), by blocks",
    .formats = "Matrix Market coordinate, real or integer, general or symmetric",
    .options = options,
    .table = &lu,
    .scenarios = scenarios,
    .n = {960, 960},
    .b = {64, 64},
    .prepare = prepare,
    .read = read_back,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
