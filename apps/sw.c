/* SPDX-License-Identifier: MIT */
/* sw.c - Smith-Waterman of two sequences with a linear gap penalty: inputs, reference, check, answer. With affine gaps,
 * a matrix of scores, or files of several records it is a case of sw_pairs.h.
 *
 * Two FASTA files, or made-up sequences: a random one of ACGT, and a copy of it with one letter in 8 redrawn, one in 32
 * left out and one in 32 doubled. Refuses scores and blocks that the body cannot hold: the portable one has 16-bit
 * differences within a tile (sw_bodies.h). */
#include "border.h"
#include "noise.h"
#include "sw_pairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const app app_sw;

typedef struct sw_case {
    border_case border;
    sw_params params;
    sw_pairs pairs; /* n 0: not a case of pairs; has symbols */
} sw_case;

/* ---- reference --------------------------------------------------------------------------------- */

static void note_best(sw_sums *s, uint64_t i, uint64_t j, int32_t h)
{
    if (h > s->best || s->n_best == 0) {
        s->best = h;
        s->n_best = 0;
        s->end_i = i;
        s->end_j = j;
    }
    s->n_best++;
}

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

static void next_row(const border_case *c, uint64_t i, const int32_t *above, int32_t *row, void *sums)
{
    const sw_scores scores = ((const sw_case *)c)->params.scores;
    const uint32_t row_weight = (uint32_t)((i + 1) % SW_PERIOD * 31);
    const uint64_t m = c->base.n[1];
    const int16_t x = c->x[i], *y = c->y;
    sw_sums *s = sums;
    uint64_t sum = 0, weighted = 0, j;
    uint32_t column = 0;
    int32_t left = 0, both = 0, best = s->best;
    for (j = 0; j < m; j++) {
        int32_t up = above ? above[j] : 0;
        int32_t h = larger(larger(both + (x == y[j] ? scores.match : scores.mismatch), up + scores.gap), 0);
        h = larger(h, left + scores.gap); /* last: its latency is the longest */
        column = column + 1 == SW_PERIOD ? 0 : column + 1;
        sum += (uint64_t)h;
        weighted += (uint64_t)h * ((row_weight + column * 17) % SW_WEIGHTS + 1);
        if (h >= best) {
            note_best(s, i, j, h);
            best = h;
        }
        row[j] = left = h;
        both = up;
    }
    s->sum += sum;
    s->weighted += weighted;
}

/* ---- inputs ------------------------------------------------------------------------------------ */

/* Cuts a file of one record to the requested number of letters. */
static int cut(input_records *r, const char *path, uint64_t n, char *error)
{
    if (n > r->begin[1]) {
        snprintf(error, APP_ERROR, "%.200s: has %" PRIu64 " letters, %" PRIu64 " were asked for", path, r->begin[1], n);
        return -1;
    }
    r->begin[1] = n ? n : r->begin[1];
    return 0;
}

static int read_sequences(sw_case *c, const app_request *q, const uint64_t prefix[2], uint64_t n_input[2], char *error)
{
    int d;
    for (d = 0; d < 2; d++) {
        input_records *r = &c->pairs.of[d];
        if (input_fasta(q->inputs[d], r, error))
            return -1;
        if (r->n > 1 && prefix[d]) {
            snprintf(error, APP_ERROR, "option %s is for a file of one record, %.200s has %" PRIu64, d ? "nb" : "na",
                     q->inputs[d], r->n);
            return -1;
        }
        if (r->n == 1 && cut(r, q->inputs[d], prefix[d] ? prefix[d] : q->n[d], error))
            return -1;
        n_input[d] = r->begin[r->n];
    }
    return 0;
}

static int make_records(sw_case *c, char *error)
{
    int d;
    for (d = 0; d < 2; d++) {
        input_records *r = &c->pairs.of[d];
        r->n = 1;
        r->letters = app_alloc(c->border.base.n[d], 1, "a sequence", error);
        r->begin = app_alloc(2, sizeof *r->begin, "a sequence", error);
        if (!r->letters || !r->begin)
            return -1;
        r->begin[0] = 0;
        r->begin[1] = c->border.base.n[d];
    }
    return 0;
}

static int make_sequences(sw_case *c, uint64_t seed, char *error)
{
    const uint64_t *n = c->border.base.n;
    uint64_t k, from = 0;
    char *x, *y;
    if (make_records(c, error))
        return -1;
    x = c->pairs.of[0].letters;
    y = c->pairs.of[1].letters;
    for (k = 0; k < n[0]; k++)
        x[k] = "ACGT"[noise_u64(seed, k) % 4];
    for (k = 0; k < n[1]; k++) {
        uint64_t r = noise_u64(seed + 1, k);
        y[k] = r % 8 ? x[from % n[0]] : "ACGT"[r / 8 % 4];
        from += r / 32 % 32 == 0 ? 2 : r / 32 % 32 == 1 ? 0 : 1;
    }
    return 0;
}

/* One pair with linear gaps: symbols instead of records. */
static int take_symbols(sw_case *c, char *error)
{
    int16_t **to[2] = {&c->border.x, &c->border.y};
    uint64_t k;
    int d;
    for (d = 0; d < 2; d++) {
        const uint64_t n = c->border.base.n[d];
        *to[d] = app_alloc(n, sizeof(int16_t), "a sequence", error);
        if (!*to[d])
            return -1;
        for (k = 0; k < n; k++)
            (*to[d])[k] = c->pairs.of[d].letters[k];
    }
    return 0;
}

static int get_gaps(sw_case *c, const app_request *q, char *error)
{
    const char *gaps = app_opt_text(&app_sw, q, "gaps");
    int64_t extend;
    if (app_opt_i64(&app_sw, q, "extend", -SW_MAX_SCORE, 0, &extend, error))
        return -1;
    c->params.scores.extend = (int32_t)extend;
    c->pairs.matrix = app_opt_text(&app_sw, q, "matrix");
    c->pairs.is_affine = !strcmp(gaps, "affine");
    if (c->pairs.is_affine || !strcmp(gaps, "linear"))
        return 0;
    snprintf(error, APP_ERROR, "option gaps: '%.64s' is not linear or affine", gaps);
    return -1;
}

static int get_options(sw_case *c, const app_request *q, uint64_t prefix[2], int64_t *seed, char *error)
{
    int64_t v[5];
    if (app_opt_i64(&app_sw, q, "match", 1, SW_MAX_SCORE, &v[0], error) ||
        app_opt_i64(&app_sw, q, "mismatch", -SW_MAX_SCORE, 0, &v[1], error) ||
        app_opt_i64(&app_sw, q, "gap", -SW_MAX_SCORE, 0, &v[2], error) ||
        app_opt_i64(&app_sw, q, "na", 0, INT64_MAX, &v[3], error) ||
        app_opt_i64(&app_sw, q, "nb", 0, INT64_MAX, &v[4], error) ||
        app_opt_i64(&app_sw, q, "seed", 0, INT32_MAX, seed, error) || border_options(&c->border, &app_sw, q, error) ||
        get_gaps(c, q, error))
        return -1;
    c->params.scores.match = (int32_t)v[0];
    c->params.scores.mismatch = (int32_t)v[1];
    c->params.scores.gap = (int32_t)v[2];
    prefix[0] = (uint64_t)v[3];
    prefix[1] = (uint64_t)v[4];
    return 0;
}

/* 16-bit differences within a block, and 32-bit sums over one of its diagonals. */
static int portable_fits(const border_case *border, char *error)
{
    const sw_scores *scores = &((const sw_case *)border)->params.scores;
    const uint64_t *b = border->base.b;
    uint64_t diagonal = b[0] < b[1] ? b[0] : b[1];
    int64_t spread = b[0] + b[1] > INT16_MAX ? INT16_MAX : SW_SPREAD(b[0], b[1], scores->match, scores->gap);
    const int is_wide = spread > SW_MAX_SPREAD;
    if (!is_wide && spread * (int64_t)diagonal <= SW_MAX_SUM)
        return 0;
    snprintf(error, APP_ERROR,
             "blocks of %" PRIu64 " x %" PRIu64 " are too large for these scores: %s is %" PRId64
             ", the limit is %" PRId64,
             b[0], b[1], is_wide ? "their difference within one" : "the sum of differences on a diagonal",
             is_wide ? spread : spread * (int64_t)diagonal, is_wide ? (int64_t)SW_MAX_SPREAD : (int64_t)SW_MAX_SUM);
    return -1;
}

static uint64_t largest_score(const border_case *c)
{
    const uint64_t *n = c->base.n;
    return (n[0] < n[1] ? n[0] : n[1]) * (uint64_t)((const sw_case *)c)->params.scores.match;
}

static int tuned_fits(const border_case *c, char *error)
{
    if (!c->sums || largest_score(c) <= SW_MAX_STRIP)
        return 0;
    snprintf(error, APP_ERROR, "with sums, tuned bodies take scores up to %d, these may reach %" PRIu64, SW_MAX_STRIP,
             largest_score(c));
    return -1;
}

static int check_range(const sw_case *c, char *error)
{
    const uint64_t *n = c->border.base.n;
    if (largest_score(&c->border) > INT32_MAX - INT16_MAX) {
        snprintf(error, APP_ERROR, "scores of sequences of %" PRIu64 " letters may pass 2^31",
                 n[0] < n[1] ? n[0] : n[1]);
        return -1;
    }
    return border_check_fit(&c->border, error);
}

/* Decides between pairs and the one pair that also has blocks. */
static int choose_kind(sw_case *c, char *error)
{
    const sw_pairs *p = &c->pairs;
    if (p->is_affine || *p->matrix || p->of[0].n > 1 || p->of[1].n > 1)
        return sw_pairs_prepare(&c->pairs, &c->border, &c->params.scores, error);
    return check_range(c, error) || take_symbols(c, error) ? -1 : 0;
}

static int prepare(sw_case *c, const app_request *q, char *error)
{
    app_case *base = &c->border.base;
    uint64_t prefix[2], n_input[2];
    int64_t seed;
    if (app_check_request(&app_sw, q, 2, error) || get_options(c, q, prefix, &seed, error))
        return -1;
    if (q->n_inputs == 1) {
        snprintf(error, APP_ERROR, "sw takes two FASTA files, one was given");
        return -1;
    }
    memcpy(n_input, prefix, sizeof n_input);
    if (q->n_inputs && read_sequences(c, q, prefix, n_input, error))
        return -1;
    if (app_sizes(&app_sw, q, n_input, BORDER_MAX_N, 1, base->n, base->b, error) ||
        (!q->n_inputs && make_sequences(c, (uint64_t)seed, error)))
        return -1;
    return choose_kind(c, error);
}

/* ---- the app ----------------------------------------------------------------------------------- */

static uint32_t shared_bytes(uint32_t h, uint32_t w) { return SW_SHARED_BYTES(h, w); }

/* Rows of tiles come in order: the first cell stays. */
static void add_sums(void *sums, const void *more)
{
    sw_sums *all = sums;
    const sw_sums *s = more;
    all->sum += s->sum;
    all->weighted += s->weighted;
    if (s->n_best == 0 || s->best < all->best)
        return;
    if (s->best > all->best || all->n_best == 0) {
        all->best = s->best;
        all->n_best = 0;
        all->end_i = s->end_i;
        all->end_j = s->end_j;
    }
    all->n_best += s->n_best;
}

static void take(void *sums, const void *found, int has_sums)
{
    sw_sums *s = sums;
    const sw_found_sums *f = found;
    s->best = f->best.best;
    s->n_best = cell_sum_of(f->best.n);
    s->end_i = f->best.i;
    s->end_j = f->best.j;
    s->sum = has_sums ? cell_sum_of(f->sum) : 0;
    s->weighted = has_sums ? cell_sum_of(f->weighted) : 0;
}

static const border_kind kind = {.body = sw_tile,
                                 .shared_bytes = shared_bytes,
                                 .portable_fits = portable_fits,
                                 .tuned_fits = tuned_fits,
                                 .outside = 0,
                                 .add = add_sums,
                                 .cells = {sw_cell, sw_cell_sums},
                                 .take = take,
                                 .next_row = next_row};

static int load(app_case *base, const app_request *q, char *error)
{
    sw_case *c = (sw_case *)base;
    border_begin(&c->border, &kind, &c->params.grid, BORDER_RECORD(c->params), BORDER_RECORD(c->params.scores));
    return prepare(c, q, error);
}

static app_case *new_case(const app_request *q, char *error)
{
    return app_prepare(&app_sw, sizeof(sw_case), load, q, error);
}

static sw_pairs *pairs_of(app_case *base)
{
    sw_case *c = (sw_case *)base;
    return c && c->pairs.n ? &c->pairs : NULL;
}

static int refuse_tiles(app_case *base)
{
    snprintf(base->error, APP_ERROR,
             "sw/%s aligns one pair of sequences with linear gaps and options match and mismatch; sw/wave takes affine "
             "gaps, a matrix, and files of several records",
             base->scenario->engine->name);
    return -1;
}

static int build_tiles(app_case *base, heddle_ctx *ctx)
{
    return pairs_of(base) ? refuse_tiles(base) : border_build(base, ctx);
}

static int build_wave(app_case *base, heddle_ctx *ctx)
{
    return pairs_of(base) ? sw_pairs_build((border_case *)base, pairs_of(base), ctx) : border_wave_build(base, ctx);
}

static int build_front(app_case *base, heddle_ctx *ctx)
{
    if (!pairs_of(base))
        return border_front_build(base, ctx);
    snprintf(base->error, APP_ERROR, "sw/wavefront takes one pair with linear gaps; sw/wave has many, and affine ones");
    return -1;
}

static int reset_wave(app_case *base)
{
    return pairs_of(base) ? sw_pairs_reset((border_case *)base, pairs_of(base)) : border_wave_reset(base);
}

static int read_result(app_case *base)
{
    return pairs_of(base) ? sw_pairs_read((border_case *)base, pairs_of(base)) : border_read(base);
}

static int reference(app_case *base)
{
    const sw_case *c = (const sw_case *)base;
    if (pairs_of(base))
        return sw_pairs_reference((border_case *)base, pairs_of(base), &c->params.scores);
    return border_reference(base);
}

static int check_sums(border_case *c)
{
    app_case *base = &c->base;
    sw_sums got, want;
    memcpy(&got, c->sums_read, sizeof got);
    memcpy(&want, c->true_sums, sizeof want);
    if (got.best == want.best && got.n_best == want.n_best && got.end_i == want.end_i && got.end_j == want.end_j &&
        (!c->sums || (got.sum == want.sum && got.weighted == want.weighted)))
        return 0;
    snprintf(base->error, APP_ERROR,
             "best %" PRId32 " at (%" PRIu64 ", %" PRIu64 ") in %" PRIu64 " cells, sums %" PRIu64 " and %" PRIu64
             "; the reference has %" PRId32 " at (%" PRIu64 ", %" PRIu64 ") in %" PRIu64 " cells, %" PRIu64
             " and %" PRIu64,
             got.best, got.end_i + 1, got.end_j + 1, got.n_best, got.sum, got.weighted, want.best, want.end_i + 1,
             want.end_j + 1, want.n_best, want.sum, want.weighted);
    return -1;
}

static int check(app_case *base)
{
    if (pairs_of(base))
        return sw_pairs_check((border_case *)base, pairs_of(base));
    return border_check(base) || check_sums((border_case *)base) ? -1 : 0;
}

static void answer_sums(const sw_case *c, const app_sink *s)
{
    const app_case *base = &c->border.base;
    sw_sums all;
    memcpy(&all, c->border.sums_read, sizeof all);
    s->u64(s->self, "na", base->n[0]);
    s->u64(s->self, "nb", base->n[1]);
    s->i64(s->self, "match", c->params.scores.match);
    s->i64(s->self, "mismatch", c->params.scores.mismatch);
    s->i64(s->self, "gap", c->params.scores.gap);
    s->i64(s->self, "best", all.best);
    s->u64(s->self, "end_i", all.end_i + 1);
    s->u64(s->self, "end_j", all.end_j + 1);
    s->u64(s->self, "n_best_cells", all.n_best);
    if (!c->border.sums)
        return;
    s->u64(s->self, "sum_H", all.sum);
    s->u64(s->self, "wsum_H", all.weighted);
}

static void answer(app_case *base, const app_sink *s)
{
    const sw_case *c = (const sw_case *)base;
    if (c->pairs.n)
        sw_pairs_answer(&c->pairs, &c->params.scores, s);
    else
        answer_sums(c, s);
}

static void free_case(app_case *base)
{
    sw_case *c = (sw_case *)base;
    if (!c)
        return;
    heddle_graph_free(base->graph); /* before its memory */
    base->graph = NULL;
    sw_pairs_free(&c->border, &c->pairs);
    border_free(base);
}

static const app_option options[] = {
    {"match", "2", "score of two equal letters"},
    {"mismatch", "-1", "score of two others"},
    {"gap", "-1", "score of a letter left out; with affine gaps: of the first of several"},
    {"gaps", "linear", "linear, or affine: letters behind a gap's first have a score of their own"},
    {"extend", "-1", "that score"},
    {"matrix", "", "file of scores as NCBI's BLOSUM62, instead of match and mismatch"},
    {"na", "0", "letters of the first sequence, 0 = all"},
    {"nb", "0", "letters of the second sequence, 0 = all"},
    {"seed", "1", "of the sequences that are made up when there is no input"},
    BORDER_OPTIONS,
    {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {{&app_graph, build_tiles, border_reset, border_tiles},
                                         {&app_wave, build_wave, reset_wave, NULL},
                                         {&app_wavefront, build_front, border_front_reset, NULL},
                                         {.engine = NULL}};

const app app_sw = {
    .name = "sw",
    .summary = "Smith-Waterman: best local alignment of two sequences, or of all pairs of two sets",
    .formats = "two FASTA files; with several records (sw/wave) all of the first against all of the second",
    .options = options,
    .table = &sw,
    .cells = &sw_wave,
    .scenarios = scenarios,
    .n = {4608, 4608},
    .b = {64, 64},
    .prepare = new_case,
    .read = read_result,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
