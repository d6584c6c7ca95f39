/* SPDX-License-Identifier: MIT */
/* slu.c - LU decomposition without pivoting, in double precision, of a sparse matrix by blocks: sparselu of the
 * Barcelona OpenMP Tasks Suite. Only non-empty blocks are stored and worked on; empty ones may fill in.
 *
 * Input: a Matrix Market file A, made diagonally dominant (slu_matrix.h), in its own order. Without --input: noise in
 * the blocks of the BOTS pattern.
 *
 * Option how: graph: a symbolic decomposition on the host finds all tasks, which form a graph. spawn: one task finds
 * the others, and fill-in, while they run (slu_spawn_bodies.c). As a pool the host spawns the tasks of the graph one by one, and
 * option order says what keeps them in order (slu_pool.h).
 *
 * Step k: lu0 on the diagonal block, fwd along its row, bdiv down its column, bmod on every pair of these.
 *
 * Check: each number against a plain decomposition row by row, with an allowed error proportional to the sum of the
 * magnitudes that went into it; and M x = M * ones, solved with the factors. */
#include "app.h"
#include "noise.h"
#include "slu_bodies.h"
#include "slu_matrix.h"
#include "slu_pool.h"
#include "slu_solve.h"
#include "slu_spawn.h"
#include "tasks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const app app_slu;

#define MAX_SIDE (1ull << 20)
#define MAX_BLOCK (1ull << 14) /* bodies index a block in an int */
#define MAX_TASKS (1ull << 29) /* the limit of a graph, with room for joins */

typedef struct slu_case {
    app_case c;
    slu_matrix m;
    uint64_t n_stored;     /* entries of A in its file */
    double *result;        /* blocks, as m.start                                        */
    slu_solution solution; /* with the result's factors                                 */
    double *want, *weight; /* the same decomposition; the allowed error, in units of the tolerance */
    app_body body;
    slu_record record;
    int spawns;            /* option how                                                */
    slu_spawn_state spawn; /* if so                                                     */
    slu_pool pool;         /* of scenario slu/pool; option order                        */
} slu_case;

static uint64_t n_numbers(const slu_case *p) { return p->m.n_blocks * p->m.b * p->m.b; }

/* ---- prepare ---- */

/* Lists the numbers of A's non-empty blocks, row by row; only counts them when out is NULL. */
static uint64_t list_entries(uint64_t n, uint64_t b, input_entry *out)
{
    uint64_t n_entries = 0;
    for (uint64_t r = 0; r < n; r++)
        for (uint64_t j = 0; j * b < n; j++)
            if (slu_is_made_up(r / b, j))
                for (uint64_t c = j * b; c < app_smaller(n, (j + 1) * b); c++, n_entries++)
                    if (out)
                        out[n_entries] = (input_entry){(uint32_t)r, (uint32_t)c, 2.0 * noise_unit(5, r * n + c) - 1.0};
    return n_entries;
}

static int make_up(const slu_case *p, input_matrix *out, char *error)
{
    out->n_stored = out->n_entries = list_entries(p->m.n, p->m.b, NULL);
    out->entries = app_alloc(out->n_entries, sizeof *out->entries, "the matrix", error);
    if (!out->entries)
        return -1;
    list_entries(p->m.n, p->m.b, out->entries);
    return 0;
}

/* A matrix is square, and so are its blocks. */
static int shape(slu_case *p, const app_request *q, uint64_t n_input, char *error)
{
    app_case *c = &p->c;
    const uint64_t n[2] = {n_input, n_input};
    if ((q->b[0] != q->b[1] && q->b[0] && q->b[1]) || (q->n[0] != q->n[1] && q->n[0] && q->n[1])) {
        snprintf(error, APP_ERROR, "slu: matrix and blocks must be square");
        return -1;
    }
    if (app_sizes(&app_slu, q, n, MAX_SIDE, 1, c->n, c->b, error))
        return -1;
    c->n[0] = c->n[1] = app_smaller(c->n[0], c->n[1]);
    c->b[0] = c->b[1] = app_smaller(c->b[0], c->b[1]);
    if (c->b[0] > MAX_BLOCK) {
        snprintf(error, APP_ERROR, "slu: blocks have %llu rows at most", MAX_BLOCK);
        return -1;
    }
    p->m.n = c->n[0];
    p->m.b = c->b[0];
    return 0;
}

static int check_body(const slu_case *p, char *error)
{
    if (p->body != APP_BODY_TUNED || p->m.b == SLU_EDGE)
        return 0;
    snprintf(error, APP_ERROR, "slu: tuned bodies take blocks of %d rows, not of %llu", SLU_EDGE,
             (unsigned long long)p->m.b);
    return -1;
}

static int load_how(slu_case *p, const app_request *q, char *error)
{
    const char *how = app_opt_text(&app_slu, q, "how");
    p->spawns = !strcmp(how, "spawn");
    if (p->spawns || !strcmp(how, "graph"))
        return 0;
    snprintf(error, APP_ERROR, "option how: '%.64s' is not graph or spawn", how);
    return -1;
}

static int check_tasks(const slu_case *p, char *error)
{
    const slu_counts *c = &p->m.counts;
    if (p->spawns && p->m.n_dim > SLU_SPAWN_MAX_BLOCKS) {
        snprintf(error, APP_ERROR, "slu: how=spawn takes %d blocks a dimension at most, not %llu", SLU_SPAWN_MAX_BLOCKS,
                 (unsigned long long)p->m.n_dim);
        return -1;
    }
    if (c->bmod <= MAX_TASKS && p->m.n_blocks < SLU_NONE)
        return 0;
    snprintf(error, APP_ERROR, "slu: %llu products of blocks are too many tasks; the limit is %llu",
             (unsigned long long)c->bmod, MAX_TASKS);
    return -1;
}

static int load(app_case *c, const app_request *q, char *error)
{
    slu_case *p = (slu_case *)c;
    input_matrix a = {0, 0, 0, NULL};
    int failed;
    if (app_check_request(&app_slu, q, 1, error) || app_opt_body(&app_slu, q, &p->body, error) ||
        load_how(p, q, error) || slu_pool_choose(&p->pool, app_opt_text(&app_slu, q, "order"), error) ||
        (q->n_inputs && input_matrix_market(q->inputs[0], &a, error)))
        return -1;
    failed = shape(p, q, a.n, error) || check_body(p, error) || (!a.entries && make_up(p, &a, error)) ||
             slu_matrix_make(&p->m, a.entries, a.n_entries, error) || check_tasks(p, error);
    p->n_stored = a.n_stored;
    free(a.entries);
    p->result = failed ? NULL : app_alloc(n_numbers(p), sizeof(double), "the result", error);
    return p->result ? 0 : -1;
}

static void free_case(app_case *c)
{
    slu_case *p = (slu_case *)c;
    if (!p)
        return;
    app_tasks_free(c);
    if (c->ctx)
        heddle_mem_free(c->ctx, p->record.a);
    slu_pool_clear(&p->pool);
    slu_spawn_clear(&p->spawn, c->ctx);
    slu_matrix_clear(&p->m);
    free(p->result);
    free(p->want);
    free(p->weight);
    free(p);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_slu, sizeof(slu_case), load, q, error);
}

/* ---- all tasks, in program order ---- */

/* Called with each task: its body, its blocks (slots; the last one is changed), and the step. */
typedef struct slu_task {
    uint32_t body, n, slot[3];
    uint64_t k;
    int is_next; /* step k + 1 begins with the changed block */
} slu_task;
typedef int (*task_fn)(slu_case *p, const slu_task *t);

static int each_of_step(slu_case *p, uint64_t k, uint32_t *rows, uint32_t *cols, task_fn fn)
{
    const slu_matrix *m = &p->m;
    const uint32_t n_rows = slu_rows(m, k, rows), n_cols = slu_cols(m, k, cols), diag = slu_slot(m, k, k);
    if (fn(p, &(slu_task){slu_lu0, 1, {diag}, k, 0}))
        return -1;
    for (uint32_t c = 0; c < n_cols; c++)
        if (fn(p, &(slu_task){slu_fwd, 2, {diag, slu_slot(m, k, cols[c])}, k, 0}))
            return -1;
    for (uint32_t r = 0; r < n_rows; r++)
        if (fn(p, &(slu_task){slu_bdiv, 2, {diag, slu_slot(m, rows[r], k)}, k, 0}))
            return -1;
    for (uint32_t r = 0; r < n_rows; r++)
        for (uint32_t c = 0; c < n_cols; c++) {
            const uint64_t i = rows[r], j = cols[c];
            slu_task t = {slu_bmod, 3, {slu_slot(m, i, k), slu_slot(m, k, j), slu_slot(m, i, j)}, k, 0};
            t.is_next = app_smaller(i, j) == k + 1;
            if (fn(p, &t))
                return -1;
        }
    return 0;
}

static int each_task(slu_case *p, task_fn fn)
{
    const uint64_t n = p->m.n_dim;
    uint32_t *list = app_alloc(2 * n, sizeof *list, "a step", p->c.error);
    int failed = list == NULL;
    for (uint64_t k = 0; k < n && !failed; k++)
        failed = each_of_step(p, k, list, list + n, fn);
    free(list);
    return failed ? -1 : 0;
}

/* ---- graph ---- */

static int reset(app_case *c)
{
    slu_case *p = (slu_case *)c;
    if (heddle_mem_write(c->ctx, p->record.a, p->m.start, n_numbers(p) * sizeof(double)) != HEDDLE_OK)
        return app_heddle_error(c, "writing the matrix");
    return p->spawns ? slu_spawn_put(&p->spawn, c) : 0;
}

/* Moves blocks from the slots that the run gave them to their slots in m. */
static int sort_blocks(slu_case *p)
{
    const slu_matrix *m = &p->m;
    const uint64_t n_bytes = m->b * m->b * sizeof(double);
    double *sorted = app_alloc(m->n_blocks, n_bytes, "the result", p->c.error);
    if (!sorted || slu_spawn_get(&p->spawn, &p->c)) {
        free(sorted);
        return -1;
    }
    memset(sorted, 0, m->n_blocks * n_bytes);
    for (uint64_t i = 0; i < m->n_dim; i++)
        for (uint64_t j = 0; j < m->n_dim; j++) {
            const uint32_t to = slu_slot(m, i, j), from = slu_spawn_slot(&p->spawn, i, j);
            if (to != SLU_NONE && from < m->n_blocks)
                memcpy(sorted + to * m->b * m->b, p->result + from * m->b * m->b, n_bytes);
        }
    free(p->result);
    p->result = sorted;
    return 0;
}

static int read_back(app_case *c)
{
    slu_case *p = (slu_case *)c;
    if (heddle_mem_read(c->ctx, p->result, p->record.a, n_numbers(p) * sizeof(double)) != HEDDLE_OK)
        return app_heddle_error(c, "reading the matrix");
    if (p->spawns && sort_blocks(p))
        return -1;
    return slu_solve(&p->m, p->result, &p->solution, c->error);
}

/* A task's cost, for plans: clocks of the longest chain for tuned bodies, multiplications for plain ones. */
static uint32_t cost_ns(const slu_case *p, uint32_t body)
{
    static const uint32_t tuned[slu_n_bodies] = {2600, 900, 1200, 800};
    const uint64_t n = p->m.b * p->m.b * p->m.b;
    const uint64_t plain[slu_n_bodies] = {n / 3, n / 2, n / 2, n};
    return p->record.tuned ? tuned[body] : (uint32_t)app_smaller(plain[body] / 2 + 100, 1u << 30);
}

/* Of the task's blocks. Returns their number. */
static uint32_t ranges_of(const slu_case *p, const slu_task *t, heddle_range r[3])
{
    const uint64_t n = p->m.b * p->m.b;
    for (uint32_t i = 0; i < t->n; i++)
        r[i] = heddle_range_of(p->record.a + t->slot[i] * n, n * sizeof(double), 1, 0,
                               i + 1 < t->n ? HEDDLE_MODE_IN : HEDDLE_MODE_INOUT);
    return t->n;
}

/* Tasks on the way to the next pivot are urgent: all but products, and products that the next step begins with. */
static int is_urgent(const slu_task *t) { return t->body != slu_bmod || t->is_next; }

static int add(slu_case *p, const slu_task *t)
{
    heddle_range r[3];
    heddle_task_desc d = HEDDLE_TASK_INIT;
    d.body = t->body;
    d.args = t->slot; /* the bodies' records are plain arrays of slots */
    d.arg_bytes = t->n * sizeof t->slot[0];
    d.ranges = r;
    d.n_ranges = ranges_of(p, t, r);
    d.urgent = is_urgent(t);
    d.cost_ns = cost_ns(p, t->body);
    if (heddle_graph_add_task(p->c.graph, &d, NULL) != HEDDLE_OK)
        return app_heddle_error(&p->c, "adding a task");
    return 0;
}

static int new_graph(slu_case *p)
{
    if (app_new_graph(&p->c, p->spawns ? &slu_spawn : &slu))
        return -1;
    return p->record.tuned ? 0 : app_choose_shared(&p->c, slu_n_bodies, 0); /* the first bodies are the same in both */
}

static int add_root(slu_case *p)
{
    const slu_spawn_find_args first = {0};
    if (heddle_graph_add(p->c.graph, slu_spawn_find, &first, sizeof first, NULL, 0, NULL) != HEDDLE_OK)
        return app_heddle_error(&p->c, "adding a task");
    return 0;
}

/* Memory and record of params, for any engine. */
static int begin(slu_case *p, heddle_ctx *ctx)
{
    app_case *c = &p->c;
    void *a;
    c->ctx = ctx;
    if (heddle_mem_new(ctx, n_numbers(p) * sizeof(double), &a) != HEDDLE_OK)
        return app_heddle_error(c, "memory for the matrix");
    p->record = (slu_record){a, (uint32_t)p->m.b, p->m.b == SLU_EDGE && app_is_tuned(ctx, p->body)};
    c->record = p->spawns ? (const void *)&p->spawn.record : &p->record;
    c->record_bytes = p->spawns ? sizeof p->spawn.record : sizeof p->record;
    return (p->spawns && slu_spawn_new(&p->spawn, &p->m, &p->record, c)) || reset(c) ? -1 : 0;
}

static int build(app_case *c, heddle_ctx *ctx)
{
    slu_case *p = (slu_case *)c;
    if (begin(p, ctx) || new_graph(p))
        return -1;
    return p->spawns ? add_root(p) : each_task(p, add);
}

/* ---- pool ---- */

static int spawn_task(slu_case *p, const slu_task *t)
{
    heddle_range r[3];
    heddle_pool_task task = HEDDLE_POOL_TASK_INIT;
    task.body = t->body;
    task.args = t->slot;
    task.arg_bytes = t->n * sizeof t->slot[0];
    task.ranges = r;
    task.n_ranges = ranges_of(p, t, r);
    task.urgent = is_urgent(t);
    return slu_pool_spawn(&p->pool, &p->c, &task, t->slot, t->n);
}

static int spawn_all(app_case *c)
{
    slu_case *p = (slu_case *)c;
    slu_pool_begin(&p->pool);
    return each_task(p, spawn_task);
}

static int build_pool(app_case *c, heddle_ctx *ctx)
{
    slu_case *p = (slu_case *)c;
    const slu_counts *n = &p->m.counts;
    if (p->spawns) {
        snprintf(c->error, APP_ERROR, "option how: the tasks of slu/pool are spawned by the host, not by tasks");
        return -1;
    }
    c->tasks = (app_tasks){.n = n->lu0 + n->fwd + n->bdiv + n->bmod, .spawn = spawn_all};
    return begin(p, ctx) || app_tasks_pool(c) || slu_pool_new(&p->pool, p->m.n_blocks, c) ? -1 : 0;
}

/* ---- loops ---- */

static int call(slu_case *p, const slu_task *t)
{
    heddle_failure fail = {0};
    _Alignas(128) unsigned char shared[HEDDLE_REDUCE_BYTES];
    heddle_thread thread = heddle_thread_alone(&fail, shared);
    slu.bodies[t->body].run(&thread, &p->record, t->slot);
    return 0;
}

static int tiles(app_case *c)
{
    slu_case *p = (slu_case *)c;
    if (each_task(p, call))
        return -1;
    return p->spawns ? slu_spawn_put_end(&p->spawn, &p->m, c) : 0;
}

/* ---- reference and check ---- */

/* The weight of a number bounds its error in units of one rounding: of M's number, of each product's factors, of the pivot. */
typedef struct row {
    double *number, *weight;
} row;

static row row_of(const slu_case *p, uint64_t r, uint64_t c)
{
    const uint64_t at = slu_place(&p->m, r, c);
    return (row){p->want + at, p->weight + at};
}

/* Subtracts l times row k of U from row r, from column k + 1 on. */
static void subtract(const slu_case *p, uint64_t r, uint64_t k, double l, double w_l)
{
    const slu_matrix *m = &p->m;
    for (uint64_t j = k / m->b; j < m->n_dim; j++) {
        const uint64_t first = j * m->b > k ? 0 : k + 1 - j * m->b;
        if (slu_slot(m, k / m->b, j) == SLU_NONE)
            continue;
        row up = row_of(p, k, j * m->b), at = row_of(p, r, j * m->b);
        for (uint64_t c = first; c < m->b; c++) {
            at.number[c] -= l * up.number[c];
            at.weight[c] += w_l * fabs(up.number[c]) + fabs(l) * up.weight[c];
        }
    }
}

static void decompose_row(const slu_case *p, uint64_t r)
{
    const slu_matrix *m = &p->m;
    for (uint64_t k = 0; k < r; k++) {
        if (k % m->b == 0 && slu_slot(m, r / m->b, k / m->b) == SLU_NONE) {
            k += m->b - 1;
            continue;
        }
        row x = row_of(p, r, k), up = row_of(p, k, k);
        const double l = *x.number / *up.number;
        const double w_l = (*x.weight + fabs(l) * *up.weight) / fabs(*up.number);
        *x.number = l;
        *x.weight = w_l;
        if (w_l != 0)
            subtract(p, r, k, l, w_l);
    }
}

static int reference(app_case *c)
{
    slu_case *p = (slu_case *)c;
    const uint64_t n = n_numbers(p);
    if (p->weight)
        return 0;
    p->want = p->want ? p->want : app_alloc(n, sizeof(double), "the reference", c->error);
    p->weight = p->want ? app_alloc(n, sizeof(double), "the errors allowed", c->error) : NULL;
    if (!p->weight)
        return -1;
    for (uint64_t i = 0; i < n; i++) {
        p->want[i] = p->m.start[i];
        p->weight[i] = fabs(p->m.start[i]);
    }
    for (uint64_t r = 1; r < p->m.n_dim * p->m.b; r++)
        decompose_row(p, r);
    return 0;
}

/* Rounding errors add up like a random walk over the terms of a number. */
static double tolerance(const slu_case *p) { return 2.0 * DBL_EPSILON * (2.0 + sqrt((double)p->m.n)); }

/* M's diagonal dominates its rows, so factors do not grow, and an error in them shows. */
static int check_solution(const slu_case *p, char *error)
{
    if (p->solution.residual <= tolerance(p))
        return 0;
    snprintf(error, APP_ERROR, "slu: the system solved with these factors has a residual of %.3g, relative to M",
             p->solution.residual);
    return -1;
}

static int check(app_case *c)
{
    const slu_case *p = (const slu_case *)c;
    if (p->spawns && slu_spawn_check(&p->spawn, &p->m, c))
        return -1;
    for (uint64_t i = 0; i < n_numbers(p); i++) {
        if (fabs(p->result[i] - p->want[i]) <= tolerance(p) * p->weight[i])
            continue;
        snprintf(c->error, APP_ERROR, "slu: number %llu of block %llu is %.17g, the reference has %.17g",
                 (unsigned long long)(i % (p->m.b * p->m.b)), (unsigned long long)(i / (p->m.b * p->m.b)), p->result[i],
                 p->want[i]);
        return -1;
    }
    return check_solution(p, c->error);
}

/* ---- answer ---- */

typedef struct sums {
    double log_det, sign, diag, u, l, squares;
} sums;

static void add_number(sums *s, uint64_t r, uint64_t c, double x)
{
    s->squares += x * x;
    if (r > c)
        s->l += fabs(x);
    else
        s->u += fabs(x);
    if (r == c) {
        s->diag += x;
        s->log_det += log(fabs(x));
        s->sign = x < 0 ? -s->sign : s->sign;
    }
}

static sums sums_of(const slu_case *p)
{
    const slu_matrix *m = &p->m;
    sums s = {0, 1, 0, 0, 0, 0};
    for (uint64_t r = 0; r < m->n_dim * m->b; r++)
        for (uint64_t j = 0; j < m->n_dim; j++)
            if (slu_slot(m, r / m->b, j) != SLU_NONE)
                for (uint64_t c = j * m->b; c < (j + 1) * m->b; c++)
                    add_number(&s, r, c, p->result[slu_place(m, r, c)]);
    return s;
}

static void answer_tasks(const slu_case *p, const app_sink *s)
{
    const slu_matrix *m = &p->m;
    const slu_counts *c = &m->counts;
    s->u64(s->self, "n", m->n);
    s->u64(s->self, "stored_entries", p->n_stored);
    s->u64(s->self, "blocks_per_dim", m->n_dim);
    s->u64(s->self, "nonzero_blocks_initial", m->n_initial);
    s->u64(s->self, "nonzero_blocks_after_fill", m->n_blocks);
    s->u64(s->self, "lu0", c->lu0);
    s->u64(s->self, "fwd", c->fwd);
    s->u64(s->self, "bdiv", c->bdiv);
    s->u64(s->self, "bmod", c->bmod);
    s->u64(s->self, "total", c->lu0 + c->fwd + c->bdiv + c->bmod);
    s->u64(s->self, "critical_path_tasks", c->path);
    s->u64(s->self, "max_bmod_in_one_step", c->widest);
}

static void answer(app_case *c, const app_sink *s)
{
    const slu_case *p = (const slu_case *)c;
    const sums x = sums_of(p);
    answer_tasks(p, s);
    s->f64(s->self, "b_sum", p->m.sum);
    s->f64(s->self, "logabsdet", x.log_det);
    s->f64(s->self, "det_sign", x.sign);
    s->f64(s->self, "sum_diag_U", x.diag);
    s->f64(s->self, "sum_abs_U", x.u);
    s->f64(s->self, "sum_abs_L_strict", x.l);
    s->f64(s->self, "fro_LU_packed", sqrt(x.squares));
    s->f64(s->self, "solution_error", p->solution.error);
}

static const app_option options[] = {
    {"how", "graph", "graph: all tasks are found before; or spawn: tasks make tasks where blocks fill in"},
    {"order", "ranges", "of a pool's tasks: by ranges, by handles, or in waves that the host waits for"},
    APP_OPTION_BODY,
    {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {
    {&app_graph, build, reset, tiles}, {&app_pool, build_pool, reset, tiles}, {.engine = NULL}};

const app app_slu = {
    .name = "slu",
    .summary = "LU decomposition without pivoting of a sparse, diagonally dominant matrix (fp64), by blocks",
    .formats = "Matrix Market coordinate, real or integer, general or symmetric",
    .options = options,
    .table = &slu,
    .scenarios = scenarios,
    .n = {1600, 1600},
    .b = {SLU_EDGE, SLU_EDGE},
    .prepare = prepare,
    .read = read_back,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
