/* SPDX-License-Identifier: MIT */
/* wave.c - bench_wave [DATA [SCHEDULE]]: waves in every shape and number of warps per block. Fields that are kept, by
 * rows and skewed, beside a kernel that only writes. Tiles of many widths under the schedules for tasks, and what auto
 * chooses. TSV on stdout; each result is checked. SCHEDULE: only this one. DATA has the two phage genomes,
 * smith-waterman/lambda_virus.fa and phage_P1.fasta, or sequences are made up. Proteins need protein_queries.fasta,
 * uniprot_sprot196.fasta and BLOSUM62.txt there. */
#include "app.h"
#include "input.h"
#include "raw.h"
#include "wave_cells.h"
#include "wave_letters.h"
#include "wave_protein_cells.h"
#include "wave_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cells to measure. */
typedef struct kind {
    const heddle_table *table;
    const void *params;
    size_t n_bytes;
} kind;
static const speed_params speed_scores = {2, -1, -1, 0};
static const protein_gaps gaps = {-11, -1};
static const letter_worth letters_worth = {2, -1}; /* the same as speed_scores */
static const letter_params letter_gaps = {-1, 0xffffffffu};
static const kind of_speed = {&speed, &speed_scores, sizeof speed_scores};
#define KIND(rows, columns) {&letters_##rows##_##columns, &letter_gaps, sizeof letter_gaps},
static const kind of_letters[] = {LETTER_SHAPES(KIND)};
#define KIND_OF_TWO(rows, columns) {&pairs_##rows##_##columns, &letter_gaps, sizeof letter_gaps},
static const kind of_pairs[] = {LETTER_SHAPES(KIND_OF_TWO)};
#define KIND_SPARSE(rows, columns) {&sparse_##rows##_##columns, &letter_gaps, sizeof letter_gaps},
static const kind of_sparse[] = {LETTER_SHAPES(KIND_SPARSE)};
static const kind of_proteins = {&protein, &gaps, sizeof gaps};
static int n_wrong;

/* The letters of a FASTA file; NULL if it is missing. */
static uint8_t *letters(const char *folder, const char *name, size_t *n)
{
    char path[512];
    uint8_t *out = malloc(1u << 20);
    int c, in_head = 0;
    FILE *f;
    snprintf(path, sizeof path, "%s/smith-waterman/%s", folder, name);
    f = fopen(path, "r");
    *n = 0;
    while (f && out && (c = fgetc(f)) != EOF && *n < (1u << 20)) {
        in_head = c == '>' || (in_head && c != '\n');
        if (!in_head && c >= 'A')
            out[(*n)++] = (uint8_t)c;
    }
    if (f)
        fclose(f);
    return *n ? out : NULL;
}

/* One word per letter, which is quicker to compare than a byte. */
static uint32_t *as_words(const uint8_t *from, size_t n)
{
    uint32_t *out = malloc(n * 4u);
    for (size_t i = 0; out && i < n; i++)
        out[i] = from[i];
    return out;
}

static uint32_t random_state = 1;
static uint32_t next_random(void) { return random_state = random_state * 1664525u + 1013904223u; }

static double cells_of(const heddle_wave_desc *d)
{
    double n = d->items ? 0 : (double)d->rows * (double)d->cols;
    for (uint32_t i = 0; d->items && i < d->n_items; i++)
        n += (double)d->items[i].rows * (double)d->items[i].cols;
    return n;
}

/* Prints a row; together: fields that share the words of an item. */
static void print_row(const char *what, const heddle_wave_desc *d, uint32_t together, uint64_t ns, const char *right,
                      const char *how)
{
    n_wrong += *right == 'W';
    printf("%s\t%s\tR%u C%u\t%u\t%u\t%.3f\t%.3f\t%s\t%s\n", what, heddle_schedule_name(schedule), d->lane_rows,
           d->step_columns, d->n_warps, d->tile_cols, (double)ns * 1e-6,
           ns ? together * cells_of(d) / (double)ns * 1e-3 : 0.0, right, how);
    fflush(stdout);
}

static void row(const char *what, const heddle_wave_desc *d, heddle_best *want)
{
    const char *how, *right = "-";
    const uint64_t ns = measure(of_speed.table, d, of_speed.params, of_speed.n_bytes, &how);
    heddle_best got;
    if (ns && d->found) {
        must(heddle_mem_read(ctx, &got, d->found, sizeof got), "reading");
        if (!want->is_found)
            *want = got;
        right = memcmp(&got, want, sizeof got) ? "WRONG" : "ok";
    }
    print_row(what, d, 1, ns, right, how);
}

/* Does the schedule run waves, not tiles of a range of widths? */
static int goes_whole(void) { return schedule == HEDDLE_SCHEDULE_WAVE || schedule == HEDDLE_SCHEDULE_AUTO; }

/* Sets shape and warps number k; 0: there are no more. Warps 0: the library's choice. Auto leaves all to the library. */
static int choose_shape(const kind *of, heddle_wave_desc *d, uint32_t k)
{
    static const uint32_t warps[] = {0, 1, 2, 3, 4, 6};
    const heddle_wave_info *info = &of->table->waves[d->body];
    const uint32_t n_warps = sizeof warps / sizeof warps[0], s = k / n_warps;
    if (s == info->n_shapes || (k && schedule == HEDDLE_SCHEDULE_AUTO))
        return 0;
    if (schedule == HEDDLE_SCHEDULE_AUTO) {
        d->lane_rows = d->step_columns = d->n_warps = 0;
        return 1;
    }
    d->lane_rows = info->shapes[s].rows;
    d->step_columns = info->shapes[s].columns;
    d->n_warps = warps[k % n_warps];
    return 1;
}

/* Measures all shapes; under auto one row, of its choice. */
static void sweep_shapes(const char *what, heddle_wave_desc *d, heddle_best *want)
{
    for (uint32_t k = 0; choose_shape(&of_speed, d, k); k++)
        row(what, d, want);
}

/* Measures tiles of all widths, in a wave's default shape and number of warps. */
static void sweep_widths(const char *what, heddle_wave_desc *d, heddle_best *want)
{
    for (d->tile_cols = 256; d->tile_cols <= 8192; d->tile_cols *= 2)
        row(what, d, want);
    d->tile_cols = 0;
}

static void sweep(const char *what, heddle_wave_desc *d, heddle_best *want)
{
    if (goes_whole())
        sweep_shapes(what, d, want);
    else
        sweep_widths(what, d, want);
}

/* ---- fields that are kept ---- */

/* Compares cells at some places in two layouts: if the same, both layouts are right, since they share nothing else. */
static int is_same(const heddle_wave_layout *a, const void *cells_a, const heddle_wave_layout *b, const void *cells_b)
{
    for (int n = 0; n < 2000; n++) {
        const uint64_t i = next_random() % a->rows, j = next_random() % a->cols;
        uint32_t one, other;
        must(heddle_mem_read(ctx, &one, (const uint32_t *)cells_a + heddle_wave_index(a, i, j), 4), "reading");
        must(heddle_mem_read(ctx, &other, (const uint32_t *)cells_b + heddle_wave_index(b, i, j), 4), "reading");
        if (one != other)
            return 0;
    }
    return 1;
}

static void *keep(const char *what, heddle_wave_desc *d, uint32_t layout, heddle_wave_layout *out, heddle_best *want)
{
    char how[96];
    d->layout = layout;
    must(heddle_wave_get_layout(ctx, &speed, d, 0, out), "asking for a layout");
    d->cells = to_device(NULL, heddle_wave_cells(out) * 4u);
    snprintf(how, sizeof how, "%s, kept %s", what, layout == HEDDLE_LAYOUT_ROWS ? "by rows" : "skewed");
    row(how, d, want);
    return d->cells;
}

/* Converts from skewed to rows, once; the time includes making its graph. */
static void convert(const char *what, const heddle_wave_desc *d, const heddle_wave_layout *from, const void *cells,
                    const heddle_wave_layout *to, void *rows)
{
    const uint64_t begin = heddle_clock_ns();
    must(heddle_wave_convert(ctx, &speed, d->body, from, cells, to, rows), "converting");
    printf("%s, skewed to rows\t-\tR%u C%u\t-\t-\t%.3f\t-\t%s\t\n", what, d->lane_rows, d->step_columns,
           (double)(heddle_clock_ns() - begin) * 1e-6, is_same(to, rows, from, cells) ? "ok" : "WRONG");
}

static void sweep_layouts(const char *what, heddle_wave_desc *d, heddle_best *want)
{
    const heddle_wave_info *info = &speed.waves[d->body];
    double us = 0;
    if (schedule != HEDDLE_SCHEDULE_WAVE)
        return;
    if (raw_write_us(d->rows * d->cols / 4u * 16u, &us))
        printf("# a plain kernel: %s\n", raw_error());
    printf("%s, a kernel that writes as much\t-\t-\t-\t-\t%.3f\t-\t-\t\n", what, us * 1e-3);
    for (uint32_t s = 0; s < info->n_shapes; s++) {
        heddle_wave_layout rows, skewed;
        void *by_rows, *by_steps;
        d->n_warps = 0;
        d->lane_rows = info->shapes[s].rows;
        d->step_columns = info->shapes[s].columns;
        by_rows = keep(what, d, HEDDLE_LAYOUT_ROWS, &rows, want);
        by_steps = keep(what, d, HEDDLE_LAYOUT_SKEWED, &skewed, want);
        if (!is_same(&rows, by_rows, &skewed, by_steps)) {
            printf("# %s, R%u C%u: the layouts have different cells\n", what, d->lane_rows, d->step_columns);
            n_wrong++;
        }
        convert(what, d, &skewed, by_steps, &rows, by_rows);
        heddle_mem_free(ctx, by_rows);
        heddle_mem_free(ctx, by_steps);
    }
    d->cells = NULL;
    d->layout = HEDDLE_LAYOUT_ROWS;
}

/* One traced run after a first one, in each shape: what bands lose in their steady part. Letters are random. */
static void lose(const char *what, uint32_t body, uint64_t rows, uint64_t cols)
{
    const heddle_wave_info *info = &of_speed.table->waves[body];
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    uint32_t *letters = malloc((rows + cols) * 4u);
    for (uint64_t i = 0; letters && i < rows + cols; i++)
        letters[i] = "ACGT"[next_random() >> 30];
    d.body = body;
    d.rows = rows;
    d.cols = cols;
    d.x = to_device(letters, rows * 4u);
    d.y = to_device(letters + rows, cols * 4u);
    for (uint32_t s = 0; s < info->n_shapes; s++) {
        heddle_stats stats = HEDDLE_STATS_INIT;
        heddle_graph *g;
        char text[96];
        steady part;
        d.lane_rows = info->shapes[s].rows;
        d.step_columns = info->shapes[s].columns;
        must(heddle_wave_new(ctx, of_speed.table, &d, &g), "a traced wave");
        for (int run = 0; run < 2; run++)
            must(heddle_graph_run(ctx, g, of_speed.params, of_speed.n_bytes), "a traced run");
        must(heddle_graph_get_stats(g, &stats), "statistics");
        part = steady_of(g, cols);
        snprintf(text, sizeof text, "wait %.2f %%, wait + hand-over %.2f %% of the steady part of a band",
                 100 * part.wait, 100 * part.lost);
        print_row(what, &d, 1, stats.run_ns, stats.n_dropped ? "WRONG" : "ok", text);
        heddle_graph_free(g);
    }
    free(letters);
}

/* In a context that traces. */
static void traced(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = HEDDLE_CUDA;
    c.schedule = HEDDLE_SCHEDULE_WAVE;
    c.n_trace = 1u << 15;
    must(heddle_ctx_open(&ctx, &c), "opening the GPU");
    lose("sw pair, score and place, traced", speed_sw, 48502, 94481);
    lose("sw 65536, cells alone, traced", speed_sw_plain, 65536, 65536);
    heddle_ctx_close(ctx);
}

static void sequences(const char *data)
{
    size_t n, m;
    uint8_t *a = letters(data, "lambda_virus.fa", &n), *b = letters(data, "phage_P1.fasta", &m);
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_best want = {38707, 1, 48501, 75979}; /* of two places, the one with the smaller column */
    const int made_up = !a || !b;
    if (made_up) {
        n = 48502, m = 94481;
        a = malloc(n), b = malloc(m);
        for (size_t i = 0; i < n; i++)
            a[i] = (uint8_t) "ACGT"[next_random() >> 30];
        for (size_t j = 0; j < m; j++)
            b[j] = next_random() >> 29 ? a[j % n] : (uint8_t) "ACGT"[next_random() >> 30];
    }
    if (made_up)
        want.is_found = 0;
    d.x = to_device(as_words(a, n), n * 4u);
    d.y = to_device(as_words(b, m), m * 4u);
    d.rows = n;
    d.cols = m;
    d.found = to_device(NULL, sizeof(heddle_best));
    d.body = speed_sw;
    sweep("sw pair, score and place", &d, &want);
    sweep_layouts("sw pair, score and place", &d, &want);
    d.body = speed_sw_plain;
    d.found = NULL;
    sweep("sw pair, cells alone", &d, &want);
    sweep_layouts("sw pair", &d, &want);
    d.rows = d.cols = 4608;
    d.body = speed_sw;
    d.found = to_device(NULL, sizeof(heddle_best));
    want.is_found = 0;
    sweep("sw 4608, score and place", &d, &want);
}

/* ---- full GPUs: one long pair, and many pairs at once ---- */

#define PAIRS 1024u
#define PAIR 4096u
#define LONG 262144u

/* Letters 0 to 3: a pair's rows, and one further its columns. The last pair has one column less. */
static uint8_t *some_letters(void)
{
    const size_t n = (size_t)PAIRS * PAIR;
    uint8_t *letters = malloc(n);
    for (size_t i = 0; letters && i < n; i++)
        letters[i] = (uint8_t)(next_random() >> 30);
    return letters;
}

static uint32_t columns_of(uint32_t pair) { return pair + 1u < PAIRS ? PAIR : PAIR - 1u; }

/* Letter j of a pair's columns, or LETTER_NONE. */
static uint32_t column_letter(const uint8_t *letters, uint32_t pair, uint32_t j)
{
    return j < columns_of(pair) ? letters[(size_t)pair * PAIR + j + 1u] : LETTER_NONE;
}

/* Makes items of `together` pairs each. */
static void set_items(heddle_wave_desc *d, heddle_wave_item *items, uint32_t together)
{
    for (uint32_t i = 0; i < PAIRS / together; i++) {
        items[i].rows = PAIR;
        items[i].cols = columns_of(i * together);
        items[i].x_at = items[i].y_at = (uint64_t)i * PAIR;
    }
    d->rows = d->cols = 0;
    d->items = items;
    d->n_items = PAIRS / together;
}

/* The pairs' results must equal plain loops in some of the pairs, and earlier results in all. */
static const char *check_pairs(const uint8_t *letters, const int32_t *got)
{
    static int32_t known[PAIRS];
    static int is_known;
    int is_right = !is_known || !memcmp(got, known, sizeof known);
    for (uint32_t i = 0; !is_known && i < PAIRS; i += i % 128u == 0 ? 127u : 1u) {
        const uint8_t *x = letters + (size_t)i * PAIR;
        is_right &= got[i] == letters_best(letters_worth, letter_gaps.gap, x, PAIR, x + 1, columns_of(i));
    }
    memcpy(known, got, sizeof known);
    is_known = 1;
    return is_right ? "ok" : "WRONG";
}

/* The best of each pair, from words of one pair or halves of words. */
static const char *check_each(const heddle_wave_desc *d, const uint8_t *letters)
{
    static uint32_t words[PAIRS];
    static int32_t got[PAIRS];
    const uint32_t together = PAIRS / d->n_items;
    must(heddle_mem_read(ctx, words, d->found_each, d->n_items * sizeof words[0]), "reading");
    for (uint32_t i = 0; i < PAIRS; i++)
        got[i] = together == 1u ? (int32_t)words[i]
                 : i % 2u       ? heddle_high16(words[i / 2u])
                                : heddle_low16(words[i / 2u]);
    return check_pairs(letters, got);
}

/* Measures all shapes, each of which has a table. best: that of the only pair; NULL: many pairs of these letters. */
static void sweep_letters(const char *what, const kind *of, heddle_wave_desc *d, const uint8_t *letters,
                          const int32_t *best)
{
    static const int32_t none[PAIRS];
    const char *how;
    int32_t got;
    d->found_each = to_device(NULL, sizeof none);
    for (size_t t = 0; t < sizeof of_letters / sizeof of_letters[0]; t++)
        for (uint32_t k = 0; choose_shape(&of[t], d, k); k++) {
            uint64_t ns;
            must(heddle_mem_write(ctx, d->found_each, none, sizeof none), "copying");
            ns = measure(of[t].table, d, of[t].params, of[t].n_bytes, &how);
            must(heddle_mem_read(ctx, &got, d->found_each, sizeof got), "reading");
            print_row(what, d, letters ? PAIRS / d->n_items : 1u, ns,
                      !ns            ? "-"
                      : !best        ? check_each(d, letters)
                      : got == *best ? "ok"
                                     : "WRONG",
                      how);
        }
}

/* Two pairs per word. After the letters comes a column without any, which sparse cells need. */
static void many_of_two(const uint8_t *letters)
{
    static heddle_wave_item items[PAIRS / 2u];
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    letter_pair_row *rows = malloc((size_t)PAIRS / 2u * PAIR * sizeof *rows);
    uint32_t *columns = malloc((size_t)PAIRS / 2u * (PAIR + 1u) * sizeof *columns);
    set_items(&d, items, 2);
    for (uint32_t i = 0; i < d.n_items; i++) {
        const uint8_t *first = letters + 2u * (size_t)i * PAIR, *second = first + PAIR;
        items[i].y_at = (uint64_t)i * (PAIR + 1u);
        for (uint32_t k = 0; k < PAIR; k++)
            rows[items[i].x_at + k] = letter_row_of_pair(letters_worth, first[k], second[k]);
        for (uint32_t k = 0; k <= PAIR; k++)
            columns[items[i].y_at + k] =
                letter_column_of_pair(column_letter(letters, 2u * i, k), column_letter(letters, 2u * i + 1u, k));
    }
    d.x = to_device(rows, (size_t)PAIRS / 2u * PAIR * sizeof *rows);
    d.y = to_device(columns, (size_t)PAIRS / 2u * (PAIR + 1u) * sizeof *columns);
    sweep_letters("sw 1024 x 4096, two pairs in a word", of_pairs, &d, letters, NULL);
    for (uint32_t i = 0; i < d.n_items; i++)
        items[i].cols++;
    sweep_letters("sw 1024 x 4096, two pairs, sparse", of_sparse, &d, letters, NULL);
    free(rows);
    free(columns);
}

/* long_best: best score of the long pair. */
static void many_of_letters(const uint8_t *letters, int32_t long_best)
{
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    const size_t n = (size_t)PAIRS * PAIR;
    uint32_t *rows = malloc(n * sizeof *rows), *columns = malloc(n * sizeof *columns);
    static heddle_wave_item items[PAIRS];
    for (size_t k = 0; k < n; k++) {
        rows[k] = letter_row(letters[k]);
        columns[k] = letter_scores(letters_worth, k + 1u < n ? letters[k + 1u] : LETTER_NONE);
    }
    d.x = to_device(rows, n * sizeof *rows);
    d.y = to_device(columns, n * sizeof *columns);
    d.rows = d.cols = LONG;
    sweep_letters("sw 262144, four letters", of_letters, &d, NULL, &long_best);
    set_items(&d, items, 1);
    sweep_letters("sw 1024 x 4096, four letters", of_letters, &d, letters, NULL);
    free(rows);
    free(columns);
}

static void many(void)
{
    static heddle_wave_item items[PAIRS];
    const size_t n = (size_t)PAIRS * PAIR;
    uint8_t *letters = some_letters();
    uint32_t *words = as_words(letters, n);
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_best want = {0, 0, 0, 0};
    d.body = speed_sw;
    d.x = to_device(words, n * 4u);
    d.y = to_device(words + 1, (n - 1u) * 4u);
    d.found = to_device(NULL, sizeof(heddle_best));
    d.rows = d.cols = LONG;
    sweep("sw 262144, score and place", &d, &want);
    many_of_letters(letters, want.rank);
    set_items(&d, items, 1);
    want.is_found = 0;
    sweep("sw 1024 x 4096, the best score", &d, &want);
    many_of_two(letters);
    free(letters);
    free(words);
}

/* ---- proteins ---------------------------------------------------------------------------------------------------- */

#define QUERIES 20u
#define PROTEINS 196u
#define CODES 256 /* letters missing in a matrix get its X */

typedef struct proteins {
    input_records of[2];
    input_scores scores;
    uint32_t code[CODES];
} proteins;

/* Returns 0 if the files are missing. */
static int read_proteins(proteins *p, const char *folder)
{
    static const char *const names[] = {"protein_queries.fasta", "uniprot_sprot196.fasta", "BLOSUM62.txt"};
    char path[3][512], error[APP_ERROR];
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s/smith-waterman/%s", folder, names[i]);
    if (input_fasta(path[0], &p->of[0], error) || input_fasta(path[1], &p->of[1], error) ||
        input_score_matrix(path[2], &p->scores, error) || p->of[0].n != QUERIES || p->of[1].n != PROTEINS)
        return 0;
    for (int c = 0; c < CODES; c++) {
        p->code[c] = input_score_of(&p->scores, (char)c);
        if (p->code[c] == p->scores.n)
            p->code[c] = input_score_of(&p->scores, 'X');
    }
    return 1;
}

/* The matrix's row for each letter. */
static const int8_t **put_rows(const proteins *p, const input_records *r)
{
    static int8_t table[SW_LETTERS][SW_LETTERS];
    const uint64_t n = r->begin[r->n];
    const int8_t **rows = malloc(n * sizeof *rows), *far_table;
    for (uint32_t k = 0; k < p->scores.n; k++)
        memcpy(table[k], p->scores.score[k], sizeof p->scores.score[k]);
    far_table = to_device(table, sizeof table);
    for (uint64_t k = 0; k < n; k++)
        rows[k] = far_table + p->code[(uint8_t)r->letters[k]] * SW_LETTERS;
    return to_device(rows, n * sizeof *rows);
}

static uint32_t *put_columns(const proteins *p, const input_records *r)
{
    const uint64_t n = r->begin[r->n];
    uint32_t *columns = malloc(n * sizeof *columns);
    for (uint64_t k = 0; k < n; k++)
        columns[k] = p->code[(uint8_t)r->letters[k]];
    return to_device(columns, n * sizeof *columns);
}

/* The scores' sum, and one that depends on their order, by query and protein. */
static const char *check_scores(const heddle_wave_desc *d, int is_turned)
{
    static int32_t got[QUERIES * PROTEINS];
    uint64_t sum = 0, ordered = 0;
    must(heddle_mem_read(ctx, got, d->found_each, sizeof got), "reading");
    for (uint32_t k = 0; k < QUERIES * PROTEINS; k++) {
        const int32_t v = got[is_turned ? k % PROTEINS * QUERIES + k / PROTEINS : k];
        sum += (uint64_t)v;
        ordered += (k % 1009u + 1u) * (uint64_t)v;
    }
    return sum == 138961u && ordered == 69820736u ? "ok" : "WRONG";
}

static void align(const proteins *p, const char *what, const input_records *x, const input_records *y)
{
    static heddle_wave_item items[QUERIES * PROTEINS];
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    const char *how;
    for (uint32_t k = 0; k < QUERIES * PROTEINS; k++) {
        const uint64_t a = k / y->n, b = k % y->n;
        items[k].rows = x->begin[a + 1u] - x->begin[a];
        items[k].cols = y->begin[b + 1u] - y->begin[b];
        items[k].x_at = x->begin[a];
        items[k].y_at = y->begin[b];
    }
    d.body = protein_sw;
    d.x = put_rows(p, x);
    d.y = put_columns(p, y);
    d.items = items;
    d.n_items = QUERIES * PROTEINS;
    d.found_each = to_device(NULL, QUERIES * PROTEINS * sizeof(sw_found_score));
    for (uint32_t k = 0; choose_shape(&of_proteins, &d, k); k++) {
        const uint64_t ns = measure(of_proteins.table, &d, of_proteins.params, of_proteins.n_bytes, &how);
        print_row(what, &d, 1, ns, ns ? check_scores(&d, x->n != QUERIES) : "-", how);
    }
}

/* Rows are the queries', or the proteins': with queries bands are full, with proteins long. */
static void align_proteins(const char *folder)
{
    proteins p = {0};
    if (!read_proteins(&p, folder))
        return;
    align(&p, "sw, 20 x 196 proteins, affine", &p.of[0], &p.of[1]);
    align(&p, "sw, 196 x 20 proteins, affine", &p.of[1], &p.of[0]);
    for (int i = 0; i < 2; i++) {
        free(p.of[i].begin);
        free(p.of[i].letters);
    }
}

static void warping(void)
{
    static float series[2][65536];
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    const float far = 1e30f;
    heddle_best none = {0, 0, 0, 0};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 65536; i++)
            series[s][i] = (float)(next_random() >> 20);
    d.body = speed_dtw;
    d.rows = d.cols = 65536;
    d.x = to_device(series[0], sizeof series[0]);
    d.y = to_device(series[1], sizeof series[1]);
    d.north.constant = d.west.constant = &far;
    sweep("dtw 65536, distance", &d, &none);
    sweep_layouts("dtw 65536", &d, &none);
    d.rows = d.cols = 4608;
    sweep("dtw 4608, distance", &d, &none);
}

int main(int argc, char **argv)
{
    static const heddle_schedule schedules[] = {
        HEDDLE_SCHEDULE_WAVE,  HEDDLE_SCHEDULE_STATIC,    HEDDLE_SCHEDULE_DYNAMIC, HEDDLE_SCHEDULE_LEVELS,
        HEDDLE_SCHEDULE_GRAPH, HEDDLE_SCHEDULE_GRAPH_PDL, HEDDLE_SCHEDULE_AUTO};
    raw_card card;
    printf("what\tschedule\tshape\twarps\ttile\tms\tTcell/s\tcheck\twhy not, or what auto chose\n");
    for (size_t i = 0; i < sizeof schedules / sizeof schedules[0]; i++) {
        heddle_config c = HEDDLE_CONFIG_INIT;
        if (argc > 2 && strcmp(argv[2], heddle_schedule_name(schedules[i])))
            continue;
        c.backend = HEDDLE_CUDA;
        c.schedule = schedule = schedules[i];
        must(heddle_ctx_open(&ctx, &c), "opening the GPU");
        if (raw_open(&card, 0))
            printf("# %s\n", raw_error());
        sequences(argc > 1 ? argv[1] : ".");
        warping();
        if (goes_whole()) {
            many();
            align_proteins(argc > 1 ? argv[1] : ".");
        }
        heddle_ctx_close(ctx);
        if (schedule == HEDDLE_SCHEDULE_WAVE)
            traced();
    }
    return n_wrong != 0;
}
