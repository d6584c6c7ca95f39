/* SPDX-License-Identifier: MIT */
/* sw_pairs.c - see sw_pairs.h. Affine gaps by Gotoh's recurrence (J. Mol. Biol. 162, 1982, 705-708). Refuses letters
 * that the matrix lacks if it has no X, scores beyond a byte, and options only for one pair with linear gaps. */
#include "sw_pairs.h"

#include "heddle/wave.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*-";
HEDDLE_STATIC_ASSERT(sizeof letters - 1 == INPUT_SCORES && INPUT_SCORES <= SW_LETTERS,
                     "there is a code for each letter");

static uint64_t length_of(const input_records *r, uint64_t k) { return r->begin[k + 1] - r->begin[k]; }

/* ---- scores ---------------------------------------------------------------------------------------------------- */

static int score_equals(sw_pairs *p, const sw_scores *scores, char *error)
{
    uint32_t k, l;
    if (scores->match > INT8_MAX || scores->mismatch < INT8_MIN) {
        snprintf(error, APP_ERROR, "pairs take scores from -128 to 127, not match %" PRId32 " and mismatch %" PRId32,
                 scores->match, scores->mismatch);
        return -1;
    }
    for (k = 0; k < INPUT_SCORES; k++) {
        p->code[(unsigned char)letters[k]] = (uint8_t)k;
        for (l = 0; l < INPUT_SCORES; l++)
            p->table[k][l] = (int8_t)(k == l ? scores->match : scores->mismatch);
    }
    return 0;
}

/* Letters that the matrix lacks score as its X. */
static int score_by_matrix(sw_pairs *p, char *error)
{
    input_scores matrix;
    uint32_t k, x;
    if (input_score_matrix(p->matrix, &matrix, error))
        return -1;
    x = input_score_of(&matrix, 'X');
    for (k = 0; k < matrix.n; k++)
        memcpy(p->table[k], matrix.score[k], sizeof matrix.score[k]);
    for (k = 0; k < INPUT_SCORES; k++) {
        const uint32_t code = input_score_of(&matrix, letters[k]);
        p->code[(unsigned char)letters[k]] = (uint8_t)(code < matrix.n ? code : x < matrix.n ? x : SW_LETTERS);
    }
    return 0;
}

/* Replaces letters by their codes. */
static int encode(sw_pairs *p, input_records *r, const char *which, char *error)
{
    uint64_t k, i;
    for (k = 0; k < r->n; k++)
        for (i = r->begin[k]; i < r->begin[k + 1]; i++) {
            const uint8_t code = p->code[(unsigned char)r->letters[i]];
            if (code == SW_LETTERS) {
                snprintf(error, APP_ERROR,
                         "%.200s: has no score for letter %c (record %" PRIu64
                         " of the %s sequences), and no X for others",
                         p->matrix, r->letters[i], k + 1, which);
                return -1;
            }
            r->letters[i] = (char)code;
        }
    return 0;
}

/* ---- options --------------------------------------------------------------------------------------------------- */

static int check_options(const sw_pairs *p, const border_case *c, char *error)
{
    const int is_many = p->of[0].n > 1 || p->of[1].n > 1;
    const char *why = p->is_affine ? "affine gaps" : *p->matrix ? "a matrix" : "files of several records";
    if (c->keep) {
        snprintf(error, APP_ERROR, "option keep is for one pair with linear gaps, not for %s", why);
        return -1;
    }
    if (is_many && p->of[0].n > UINT32_MAX / p->of[1].n) {
        snprintf(error, APP_ERROR, "%" PRIu64 " times %" PRIu64 " records are too many pairs", p->of[0].n, p->of[1].n);
        return -1;
    }
    return 0;
}

static uint64_t longest_of(const input_records *r)
{
    uint64_t k, most = 0;
    for (k = 0; k < r->n; k++)
        most = length_of(r, k) > most ? length_of(r, k) : most;
    return most;
}

static int check_range(const sw_pairs *p, char *error)
{
    const uint64_t most = app_smaller(longest_of(&p->of[0]), longest_of(&p->of[1]));
    if (most * INT8_MAX <= INT32_MAX - INT16_MAX)
        return 0;
    snprintf(error, APP_ERROR, "scores of sequences of %" PRIu64 " letters may pass 2^31", most);
    return -1;
}

int sw_pairs_prepare(sw_pairs *p, const border_case *c, sw_scores *scores, char *error)
{
    if (check_options(p, c, error) || check_range(p, error) ||
        (*p->matrix ? score_by_matrix(p, error) : score_equals(p, scores, error)) ||
        encode(p, &p->of[0], "first", error) || encode(p, &p->of[1], "second", error))
        return -1;
    /* The longer ones become columns: bands then begin and end less often. */
    p->rows = c->base.n[0] * p->of[1].n > c->base.n[1] * p->of[0].n;
    if (!p->is_affine)
        scores->extend = scores->gap;
    p->n = p->of[0].n * p->of[1].n;
    return 0;
}

/* ---- the wave ---------------------------------------------------------------------------------------------------- */

static uint64_t best_bytes(const sw_pairs *p) { return p->n * sizeof(int32_t); }

/* The scores of each letter of rows with those of columns. */
static int put_table(border_case *c, const sw_pairs *p)
{
    int8_t table[SW_LETTERS][SW_LETTERS];
    uint32_t k, l;
    for (k = 0; k < SW_LETTERS; k++)
        for (l = 0; l < SW_LETTERS; l++)
            table[k][l] = p->rows ? p->table[l][k] : p->table[k][l];
    return border_put(c, p->memory.table, table, sizeof table);
}

static int put_rows(border_case *c, const sw_pairs *p)
{
    const input_records *r = &p->of[p->rows];
    const uint64_t n = r->begin[r->n];
    const int8_t **x = app_alloc(n, sizeof *x, "rows of scores", c->base.error);
    uint64_t k;
    int failed;
    for (k = 0; x && k < n; k++)
        x[k] = p->memory.table + (size_t)r->letters[k] * SW_LETTERS;
    failed = !x || border_put(c, p->memory.x, x, n * sizeof *x);
    free(x);
    return failed ? -1 : 0;
}

static int put_columns(border_case *c, const sw_pairs *p)
{
    const input_records *r = &p->of[!p->rows];
    const uint64_t n = r->begin[r->n];
    uint32_t *y = app_alloc(n, sizeof *y, "columns of scores", c->base.error);
    uint64_t k;
    int failed;
    for (k = 0; y && k < n; k++)
        y[k] = (uint32_t)r->letters[k];
    failed = !y || border_put(c, p->memory.y, y, n * sizeof *y);
    free(y);
    return failed ? -1 : 0;
}

static int make_memory(border_case *c, sw_pairs *p)
{
    const uint64_t *n = c->base.n;
    p->best = app_alloc(p->n, sizeof *p->best, "scores of pairs", c->base.error);
    if (!p->best || border_new_memory(c, sizeof p->table, &p->memory.table) ||
        border_new_memory(c, n[p->rows] * sizeof *p->memory.x, &p->memory.x) ||
        border_new_memory(c, n[!p->rows] * sizeof *p->memory.y, &p->memory.y) ||
        border_new_memory(c, best_bytes(p), &p->memory.best))
        return -1;
    return put_table(c, p) || put_rows(c, p) || put_columns(c, p) ? -1 : 0;
}

static heddle_wave_item *make_items(border_case *c, const sw_pairs *p)
{
    heddle_wave_item *items = app_alloc(p->n, sizeof *items, "pairs", c->base.error);
    uint64_t k;
    for (k = 0; items && k < p->n; k++) {
        const uint64_t record[2] = {k / p->of[1].n, k % p->of[1].n}, row = record[p->rows], column = record[!p->rows];
        items[k] = (heddle_wave_item){.rows = length_of(&p->of[p->rows], row),
                                      .cols = length_of(&p->of[!p->rows], column),
                                      .x_at = p->of[p->rows].begin[row],
                                      .y_at = p->of[!p->rows].begin[column]};
    }
    return items;
}

static int new_wave(border_case *c, const sw_pairs *p)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_wave_item *items = make_items(c, p);
    heddle_status s;
    if (!items)
        return -1;
    d.body = sw_cell_affine;
    d.x = p->memory.x;
    d.y = p->memory.y;
    d.found_each = p->memory.best;
    d.items = items;
    d.n_items = (uint32_t)p->n;
    s = heddle_wave_new(c->base.ctx, c->base.app->cells, &d, &c->base.graph);
    free(items);
    return s == HEDDLE_OK ? 0 : app_heddle_error(&c->base, "making the wave");
}

int sw_pairs_build(border_case *c, sw_pairs *p, heddle_ctx *ctx)
{
    c->base.ctx = ctx;
    c->base.record = c->of_cell.p;
    c->base.record_bytes = c->of_cell.n_bytes;
    c->base.b[0] = c->base.b[1] = 0;
    return border_refuse_body(c) || make_memory(c, p) || sw_pairs_reset(c, p) || new_wave(c, p) ? -1 : 0;
}

/* 0xff: below any score. */
int sw_pairs_reset(border_case *c, sw_pairs *p)
{
    memset(p->best, 0xff, best_bytes(p));
    return border_put(c, p->memory.best, p->best, best_bytes(p));
}

int sw_pairs_read(border_case *c, sw_pairs *p) { return border_get(c, p->best, p->memory.best, best_bytes(p)); }

void sw_pairs_free(border_case *c, sw_pairs *p)
{
    int d;
    if (c->base.ctx) {
        heddle_mem_free(c->base.ctx, p->memory.table);
        heddle_mem_free(c->base.ctx, p->memory.x);
        heddle_mem_free(c->base.ctx, p->memory.y);
        heddle_mem_free(c->base.ctx, p->memory.best);
    }
    for (d = 0; d < 2; d++) {
        free(p->of[d].begin);
        free(p->of[d].letters);
    }
    free(p->best);
    free(p->true_best);
}

/* ---- reference and check ----------------------------------------------------------------------------------------- */

typedef struct gotoh {
    const sw_pairs *p;
    sw_scores scores;
    uint64_t failed; /* the first pair with no memory */
} gotoh;

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

/* h, f: H and F (best score ending in a vertical gap) of the row above. */
static int32_t align(const gotoh *g, const char *a, uint64_t n, const char *b, uint64_t m, int32_t *h, int32_t *f)
{
    const int32_t never = INT32_MIN / 2;
    int32_t best = 0;
    uint64_t i, j;
    for (j = 0; j < m; j++) {
        h[j] = 0;
        f[j] = never;
    }
    for (i = 0; i < n; i++) {
        const int8_t *row = g->p->table[(uint8_t)a[i]];
        int32_t before = 0, left = 0, e = never;
        for (j = 0; j < m; j++) {
            const int32_t both = before + row[(uint8_t)b[j]];
            before = h[j];
            f[j] = larger(f[j] + g->scores.extend, before + g->scores.gap);
            e = larger(e + g->scores.extend, left + g->scores.gap);
            h[j] = left = larger(larger(both, 0), larger(e, f[j]));
            best = larger(best, left);
        }
    }
    return best;
}

static void align_pairs(void *self, uint64_t begin, uint64_t end)
{
    gotoh *g = self;
    const input_records *a = &g->p->of[0], *b = &g->p->of[1];
    const uint64_t most = longest_of(b);
    int32_t *rows = malloc(2 * most * sizeof *rows);
    uint64_t k;
    for (k = begin; rows && k < end; k++) {
        const uint64_t i = k / b->n, j = k % b->n;
        g->p->true_best[k] = align(g, a->letters + a->begin[i], length_of(a, i), b->letters + b->begin[j],
                                   length_of(b, j), rows, rows + most);
    }
    if (!rows)
        app_least(&g->failed, begin);
    free(rows);
}

int sw_pairs_reference(border_case *c, sw_pairs *p, const sw_scores *scores)
{
    gotoh g = {p, *scores, UINT64_MAX};
    if (p->true_best)
        return 0;
    p->true_best = app_alloc(p->n, sizeof *p->true_best, "scores of the reference", c->base.error);
    if (!p->true_best)
        return -1;
    app_spread(p->n, c->base.n[0] * c->base.n[1] / p->n, align_pairs, &g);
    if (g.failed == UINT64_MAX)
        return 0;
    snprintf(c->base.error, APP_ERROR, "out of memory for rows of the reference");
    free(p->true_best);
    p->true_best = NULL;
    return -1;
}

int sw_pairs_check(border_case *c, const sw_pairs *p)
{
    uint64_t k;
    for (k = 0; k < p->n && p->best[k] == p->true_best[k]; k++)
        continue;
    if (k == p->n)
        return 0;
    snprintf(c->base.error, APP_ERROR,
             "record %" PRIu64 " with record %" PRIu64 " scores %" PRId32 ", the reference has %" PRId32,
             k / p->of[1].n + 1, k % p->of[1].n + 1, p->best[k], p->true_best[k]);
    return -1;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void answer_scores(const sw_pairs *p, const app_sink *s)
{
    int64_t *scores = malloc(p->n * sizeof *scores);
    uint64_t k;
    for (k = 0; scores && k < p->n; k++)
        scores[k] = p->best[k];
    if (scores)
        s->i64s(s->self, "scores", scores, p->n, p->of[1].n);
    free(scores);
}

void sw_pairs_answer(const sw_pairs *p, const sw_scores *scores, const app_sink *s)
{
    uint64_t k, first = 0;
    int64_t total = 0;
    char hex[65];
    for (k = 0; k < p->n; k++) {
        total += p->best[k];
        first = p->best[k] > p->best[first] ? k : first;
    }
    app_sha256(p->best, best_bytes(p), hex);
    s->u64(s->self, "records_a", p->of[0].n);
    s->u64(s->self, "records_b", p->of[1].n);
    s->i64(s->self, "gap", scores->gap);
    s->i64(s->self, "extend", scores->extend);
    s->i64(s->self, "best", p->best[first]);
    s->u64(s->self, "best_a", first / p->of[1].n + 1);
    s->u64(s->self, "best_b", first % p->of[1].n + 1);
    s->i64(s->self, "total", total);
    if (hex[0])
        s->text(s->self, "scores_sha256_int32le_rowmajor", hex);
    answer_scores(p, s);
}
