/* SPDX-License-Identifier: MIT */
/* border.c - graph, memory and check of apps that keep only the borders of tiles. */
#include "border.h"

#include "loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which body ------------------------------------------------------------------------------- */

void border_begin(border_case *c, const border_kind *kind, border_grid *grid, border_record of_tile,
                  border_record of_cell)
{
    c->kind = kind;
    c->grid = grid;
    c->of_tile = of_tile;
    c->of_cell = of_cell;
}

int border_options(border_case *c, const app *a, const app_request *q, char *error)
{
    int64_t keep, sums;
    if (app_opt_i64(a, q, "keep", 0, 1, &keep, error) || app_opt_i64(a, q, "sums", 0, 1, &sums, error) ||
        app_opt_body(a, q, &c->body, error))
        return -1;
    c->keep = (int)keep;
    c->sums = (int)sums;
    return 0;
}

static int portable_fits(const border_case *c, char *error)
{
    return c->kind->portable_fits ? c->kind->portable_fits(c, error) : 0;
}

static int tuned_fits(const border_case *c, char *error)
{
    const uint64_t *b = c->base.b;
    if (b[0] > STRIP_MAX_ROWS || b[1] > INT32_MAX / b[0]) {
        snprintf(error, APP_ERROR,
                 "blocks of %" PRIu64 " x %" PRIu64
                 " are too large: tuned bodies take %u rows and 2^31 - 1 cells at most",
                 b[0], b[1], STRIP_MAX_ROWS);
        return -1;
    }
    return c->kind->tuned_fits ? c->kind->tuned_fits(c, error) : 0;
}

/* auto is resolved once there is a context; until then the blocks must suit at least one version. */
int border_check_fit(const border_case *c, char *error)
{
    if (c->body == APP_BODY_TUNED)
        return tuned_fits(c, error);
    if (c->body == APP_BODY_PORTABLE)
        return portable_fits(c, error);
    return tuned_fits(c, error) && portable_fits(c, error) ? -1 : 0;
}

/* A warp takes 128 or 256 columns. */
static uint32_t threads_for(uint64_t w) { return w <= 128 ? 32 : w <= 256 ? 64 : 128; }

/* Chooses the version and sets the block-shared bytes it needs. Workers of one thread always run the portable body. */
static int choose_body(border_case *c, uint32_t *shared_bytes)
{
    const uint32_t h = (uint32_t)c->base.b[0], w = (uint32_t)c->base.b[1];
    heddle_config k = HEDDLE_CONFIG_INIT;
    int on_gpu, fits;
    if (heddle_ctx_get_config(c->base.ctx, &k) != HEDDLE_OK)
        return app_heddle_error(&c->base, "asking for the backend");
    on_gpu = k.backend == HEDDLE_CUDA;
    fits = k.team_size <= STRIP_MAX_WARPS * TILE_WARP && !tuned_fits(c, c->base.error);
    if (c->body == APP_BODY_TUNED && on_gpu && !fits) {
        if (k.team_size > STRIP_MAX_WARPS * TILE_WARP)
            snprintf(c->base.error, APP_ERROR, "tuned bodies take %u threads at most", STRIP_MAX_WARPS * TILE_WARP);
        return -1;
    }
    c->grid->tuned = fits && app_is_tuned(c->base.ctx, c->body);
    c->grid->sums = (uint32_t)c->sums;
    *shared_bytes = c->grid->tuned ? STRIP_SHARED_BYTES(h) : 0;
    if (c->grid->tuned && on_gpu)
        return 0;
    if (c->kind->shared_bytes(h, w) > *shared_bytes)
        *shared_bytes = c->kind->shared_bytes(h, w);
    return portable_fits(c, c->base.error);
}

/* ---- memory ----------------------------------------------------------------------------------- */

int border_new_memory(border_case *c, uint64_t n_bytes, void *out)
{
    void *p;
    if (heddle_mem_new(c->base.ctx, n_bytes, &p) != HEDDLE_OK)
        return app_heddle_error(&c->base, "making memory");
    memcpy(out, &p, sizeof p);
    return 0;
}

int border_put(border_case *c, const void *dst, const void *host, uint64_t n_bytes)
{
    if (heddle_mem_write(c->base.ctx, (void *)(uintptr_t)dst, host, n_bytes) != HEDDLE_OK)
        return app_heddle_error(&c->base, "copying the inputs");
    return 0;
}

int border_get(border_case *c, void *host, const void *src, uint64_t n_bytes)
{
    if (heddle_mem_read(c->base.ctx, host, src, n_bytes) != HEDDLE_OK)
        return app_heddle_error(&c->base, "copying the results");
    return 0;
}

int border_new_results(border_case *c)
{
    const uint64_t *n = c->base.n;
    char *error = c->base.error;
    c->row = app_alloc(n[1], sizeof(int32_t), "a row of the matrix", error);
    c->column = app_alloc(n[0], sizeof(int32_t), "a column of the matrix", error);
    if (c->row && c->column && c->keep)
        c->matrix = app_alloc(n[0] * n[1], sizeof(int32_t), "the matrix", error);
    return c->row && c->column && (c->matrix || !c->keep) ? 0 : -1;
}

int border_new_cells(border_case *c)
{
    const uint64_t *n = c->base.n;
    if (border_new_results(c) || border_new_memory(c, border_bytes(n[1]), &c->grid->row))
        return -1;
    return c->keep ? border_new_memory(c, border_bytes(n[0] * n[1]), &c->grid->matrix) : 0;
}

int border_put_outside(border_case *c)
{
    uint64_t i;
    for (i = 0; i < c->base.n[1]; i++)
        c->row[i] = c->kind->outside;
    for (i = 0; i < c->base.n[0]; i++)
        c->column[i] = c->kind->outside;
    return border_put(c, c->grid->row, c->row, border_bytes(c->base.n[1]));
}

static int make_memory(border_case *c)
{
    const uint64_t *n = c->base.n, *b = c->base.b;
    char *error = c->base.error;
    c->n_records = (n[0] + b[0] - 1) / b[0];
    /* Whole cache lines, so that neighbouring rows of tiles share none. */
    c->record_bytes =
        (BORDER_SUMS_BYTES + border_bytes(b[0] + 1) + HEDDLE_LINE_BYTES - 1) / HEDDLE_LINE_BYTES * HEDDLE_LINE_BYTES;
    c->records = app_alloc(c->n_records, c->record_bytes, "a column of the matrix", error);
    c->shared =
        aligned_alloc(HEDDLE_LINE_BYTES, (HEDDLE_REDUCE_BYTES + c->kind->shared_bytes((uint32_t)b[0], (uint32_t)b[1]) +
                                          HEDDLE_LINE_BYTES - 1) /
                                             HEDDLE_LINE_BYTES * HEDDLE_LINE_BYTES);
    if (!c->records)
        return -1;
    if (!c->shared) {
        snprintf(error, APP_ERROR, "out of memory for the scratch of a block");
        return -1;
    }
    return border_new_memory(c, c->n_records * c->record_bytes, &c->grid->records) ||
                   border_new_memory(c, n[0] * sizeof(int16_t), &c->grid->x) ||
                   border_new_memory(c, n[1] * sizeof(int16_t), &c->grid->y)
               ? -1
               : 0;
}

/* Sets the sums to 0 and the borders beside the matrix to their initial values. */
int border_reset(app_case *base)
{
    border_case *c = (border_case *)base;
    uint64_t r, i;
    memset(c->records, 0, c->n_records * c->record_bytes);
    for (r = 0; r < c->n_records; r++) {
        int32_t *cells = (int32_t *)(void *)(c->records + r * c->record_bytes + BORDER_SUMS_BYTES);
        for (i = 0; i <= base->b[0]; i++)
            cells[i] = c->kind->outside;
        if (r == 0)
            cells[0] = 0;
    }
    return border_put_outside(c) || border_put(c, c->grid->records, c->records, c->n_records * c->record_bytes) ? -1
                                                                                                                : 0;
}

/* Sums up the records' sums and joins their cells into one column. */
static int read_records(border_case *c)
{
    const uint64_t n = c->base.n[0], b = c->base.b[0];
    uint64_t r;
    if (border_get(c, c->records, c->grid->records, c->n_records * c->record_bytes))
        return -1;
    memset(c->sums_read, 0, sizeof c->sums_read);
    for (r = 0; r < c->n_records; r++) {
        const unsigned char *record = c->records + r * c->record_bytes;
        c->kind->add(c->sums_read, record);
        memcpy(c->column + r * b, record + BORDER_SUMS_BYTES + border_bytes(1),
               border_bytes(app_smaller(b, n - r * b)));
    }
    return 0;
}

int border_read(app_case *base)
{
    border_case *c = (border_case *)base;
    const int is_here = base->looping != NULL; /* a fleet leaves its results in the host's memory */
    if ((!is_here && border_get(c, c->row, c->grid->row, border_bytes(base->n[1]))) || c->read_more(c))
        return -1;
    return c->matrix && !is_here ? border_get(c, c->matrix, c->grid->matrix, border_bytes(base->n[0] * base->n[1])) : 0;
}

void border_free(app_case *base)
{
    border_case *c = (border_case *)base;
    if (!c)
        return;
    app_loop_close(base);
    free(c->front.x);
    free(c->front.y);
    if (base->ctx) {
        heddle_graph_free(base->graph);
        heddle_mem_free(base->ctx, c->grid->row);
        heddle_mem_free(base->ctx, c->grid->records);
        heddle_mem_free(base->ctx, c->grid->matrix);
        heddle_mem_free(base->ctx, (void *)(uintptr_t)c->grid->x);
        heddle_mem_free(base->ctx, (void *)(uintptr_t)c->grid->y);
        heddle_mem_free(base->ctx, c->wave.column);
        heddle_mem_free(base->ctx, c->wave.x);
        heddle_mem_free(base->ctx, c->wave.y);
        heddle_mem_free(base->ctx, c->wave.found);
    }
    free(c->x);
    free(c->y);
    free(c->row);
    free(c->column);
    free(c->records);
    free(c->matrix);
    free(c->shared);
    free(c->true_row);
    free(c->true_column);
    free(c);
}

/* ---- tiles ------------------------------------------------------------------------------------ */

static border_tile tile_at(const border_case *c, uint64_t i, uint64_t j)
{
    const uint64_t *n = c->base.n, *b = c->base.b;
    border_tile t;
    memset(&t, 0, sizeof t);
    t.i = i;
    t.j = j;
    t.record = i / b[0] * c->record_bytes;
    t.h = (uint32_t)(n[0] - i < b[0] ? n[0] - i : b[0]);
    t.w = (uint32_t)(n[1] - j < b[1] ? n[1] - j : b[1]);
    return t;
}

/* Names no range of the kept matrix: a task's cells there belong to no other task, so they order nothing. */
static int add_tile(border_case *c, const border_tile *t)
{
    const border_grid *g = c->grid;
    heddle_range row = HEDDLE_INOUT(g->row + t->j, border_bytes(t->w));
    heddle_range record = HEDDLE_INOUT(g->records + t->record, BORDER_SUMS_BYTES + border_bytes(t->h + 1));
    if (heddle_graph_add(c->base.graph, c->kind->body, t, sizeof *t, HEDDLE_RANGES(row, record), NULL) != HEDDLE_OK)
        return app_heddle_error(&c->base, "adding a task");
    return 0;
}

static int add_tiles(border_case *c)
{
    const uint64_t *n = c->base.n, *b = c->base.b;
    uint64_t i, j;
    for (i = 0; i < n[0]; i += b[0])
        for (j = 0; j < n[1]; j += b[1]) {
            border_tile t = tile_at(c, i, j);
            if (add_tile(c, &t))
                return -1;
        }
    return 0;
}

int border_build(app_case *base, heddle_ctx *ctx)
{
    border_case *c = (border_case *)base;
    uint32_t shared_bytes = 0;
    base->ctx = ctx;
    base->record = c->of_tile.p;
    base->record_bytes = c->of_tile.n_bytes;
    c->read_more = read_records;
    c->grid->m = base->n[1];
    if (choose_body(c, &shared_bytes) || border_new_cells(c) || make_memory(c) || border_reset(base) ||
        border_put(c, c->grid->x, c->x, base->n[0] * sizeof(int16_t)) ||
        border_put(c, c->grid->y, c->y, base->n[1] * sizeof(int16_t)))
        return -1;
    if (heddle_graph_new(ctx, base->app->table, &base->graph) != HEDDLE_OK ||
        heddle_graph_set_shared_bytes(base->graph, c->kind->body, shared_bytes) != HEDDLE_OK ||
        (c->grid->tuned && heddle_graph_set_team_size(base->graph, threads_for(base->b[1])) != HEDDLE_OK))
        return app_heddle_error(base, "making the graph");
    return add_tiles(c);
}

int border_tiles(app_case *base)
{
    border_case *c = (border_case *)base;
    const heddle_body_info *body = &base->app->table->bodies[c->kind->body];
    heddle_failure fail;
    heddle_thread thread = heddle_thread_alone(&fail, c->shared);
    uint64_t i, j;
    if (portable_fits(c, base->error))
        return -1;
    memset(&fail, 0, sizeof fail);
    for (i = 0; i < base->n[0]; i += base->b[0])
        for (j = 0; j < base->n[1]; j += base->b[1]) {
            border_tile t = tile_at(c, i, j);
            body->run(&thread, base->record, &t);
        }
    return 0;
}

/* ---- reference and check ----------------------------------------------------------------------- */

int border_reference(app_case *base)
{
    border_case *c = (border_case *)base;
    int32_t *rows[2], *column;
    uint64_t i;
    if (c->true_row)
        return 0;
    rows[0] = app_alloc(base->n[1], sizeof(int32_t), "a row of the reference", base->error);
    rows[1] = app_alloc(base->n[1], sizeof(int32_t), "a row of the reference", base->error);
    column = app_alloc(base->n[0], sizeof(int32_t), "a column of the reference", base->error);
    if (!rows[0] || !rows[1] || !column) {
        free(rows[0]);
        free(rows[1]);
        free(column);
        return -1;
    }
    memset(c->true_sums, 0, sizeof c->true_sums);
    for (i = 0; i < base->n[0]; i++) {
        c->kind->next_row(c, i, i ? rows[(i + 1) % 2] : NULL, rows[i % 2], c->true_sums);
        column[i] = rows[i % 2][base->n[1] - 1];
    }
    free(rows[base->n[0] % 2]);
    c->true_row = rows[(base->n[0] + 1) % 2];
    c->true_column = column;
    return 0;
}

static int differs(border_case *c, uint64_t i, uint64_t j, int32_t got, int32_t want)
{
    snprintf(c->base.error, APP_ERROR, "cell (%" PRIu64 ", %" PRIu64 ") is %" PRId32 ", the reference has %" PRId32, i,
             j, got, want);
    return -1;
}

typedef struct comparison {
    const border_case *c;
    uint64_t first; /* differing row, or a row with no memory to check it */
} comparison;

static int row_differs(const border_case *c, uint64_t i, int32_t *want)
{
    const uint64_t n = c->base.n[1];
    const int32_t *got = c->matrix + i * n;
    uint64_t sums[BORDER_SUMS_BYTES / 8] = {0};
    c->kind->next_row(c, i, i ? got - n : NULL, want, sums);
    return memcmp(got, want, border_bytes(n)) != 0;
}

static void compare_rows(void *self, uint64_t begin, uint64_t end)
{
    comparison *x = self;
    int32_t *want = malloc(border_bytes(x->c->base.n[1]));
    uint64_t i;
    for (i = begin; i < end && want && !row_differs(x->c, i, want); i++)
        continue;
    if (i < end)
        app_least(&x->first, i);
    free(want);
}

/* Computes each row from the kept row above: by induction this checks the whole matrix, without a second one. */
static int check_matrix(border_case *c)
{
    const uint64_t *n = c->base.n;
    comparison x = {c, UINT64_MAX};
    int32_t *want = app_alloc(n[1], sizeof(int32_t), "a row of the reference", c->base.error);
    uint64_t j = 0;
    if (!want)
        return -1;
    app_spread(n[0], n[1], compare_rows, &x);
    if (x.first != UINT64_MAX && row_differs(c, x.first, want)) {
        while (c->matrix[x.first * n[1] + j] == want[j])
            j++;
        differs(c, x.first, j, c->matrix[x.first * n[1] + j], want[j]);
    } else if (x.first != UINT64_MAX) {
        snprintf(c->base.error, APP_ERROR, "out of memory for a row of the reference");
    }
    free(want);
    return x.first == UINT64_MAX ? 0 : -1;
}

int border_check(app_case *base)
{
    border_case *c = (border_case *)base;
    uint64_t i, *n = base->n;
    if (c->matrix && check_matrix(c))
        return -1;
    for (i = 0; i < n[1]; i++)
        if (c->row[i] != c->true_row[i])
            return differs(c, n[0] - 1, i, c->row[i], c->true_row[i]);
    for (i = 0; i < n[0]; i++)
        if (c->column[i] != c->true_column[i])
            return differs(c, i, n[1] - 1, c->column[i], c->true_column[i]);
    return 0;
}
