/* SPDX-License-Identifier: MIT */
/* wave.c - bench_wave [DATA [SCHEDULE]]: waves in every shape and number of warps a block; fields that are kept, by rows and
 * skewed, beside a kernel that only writes; and tiles of many widths under the schedules for tasks, as TSV on stdout. Each
 * result is checked. SCHEDULE: this one only. DATA has the two phage genomes as smith-waterman/lambda_virus.fa and
 * phage_P1.fasta; without them sequences are made up. Proteins are in protein_queries.fasta, uniprot_sprot196.fasta and
 * BLOSUM62.txt there, and left out without. */
#include "app.h"
#include "input.h"
#include "raw.h"
#include "wave_cells.h"
#include "wave_protein_cells.h"
#include "wave_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whose cells are measured. */
typedef struct kind {
    const heddle_table *table;
    const void *params;
    size_t n_bytes;
} kind;
static const speed_params speed_scores = {2, -1, -1, 0};
static const protein_gaps gaps = {-11, -1};
static const kind of_speed = {&speed, &speed_scores, sizeof speed_scores};
static const kind of_proteins = {&protein, &gaps, sizeof gaps};
static int n_wrong;

/* The letters of a FASTA file; NULL without one. */
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

/* A word each, which is quicker to compare than a byte. */
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

/* A row of the table. */
static void print_row(const char *what, const heddle_wave_desc *d, uint64_t ns, const char *right, const char *how)
{
    n_wrong += *right == 'W';
    printf("%s\t%s\tR%u C%u\t%u\t%u\t%.3f\t%.3f\t%s\t%s\n", what, heddle_schedule_name(schedule), d->lane_rows,
           d->step_columns, d->n_warps, d->tile_cols, (double)ns * 1e-6, ns ? cells_of(d) / (double)ns * 1e-3 : 0.0,
           right, how);
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
    print_row(what, d, ns, right, how);
}

/* Shape and warps number k of all; 0: that was the last. Warps 0: the library's choice. */
static int choose_shape(const kind *of, heddle_wave_desc *d, uint32_t k)
{
    static const uint32_t warps[] = {0, 1, 2, 3, 4, 6};
    const heddle_wave_info *info = &of->table->waves[d->body];
    const uint32_t n_warps = sizeof warps / sizeof warps[0], s = k / n_warps;
    if (s == info->n_shapes)
        return 0;
    d->lane_rows = info->shapes[s].rows;
    d->step_columns = info->shapes[s].columns;
    d->n_warps = warps[k % n_warps];
    return 1;
}

/* In all shapes. */
static void sweep_shapes(const char *what, heddle_wave_desc *d, heddle_best *want)
{
    for (uint32_t k = 0; choose_shape(&of_speed, d, k); k++)
        row(what, d, want);
}

/* In tiles of all widths: in the shape that waves take, and with as many warps a block. */
static void sweep_widths(const char *what, heddle_wave_desc *d, heddle_best *want)
{
    for (d->tile_cols = 256; d->tile_cols <= 8192; d->tile_cols *= 2)
        row(what, d, want);
    d->tile_cols = 0;
}

static void sweep(const char *what, heddle_wave_desc *d, heddle_best *want)
{
    if (schedule == HEDDLE_SCHEDULE_WAVE)
        sweep_shapes(what, d, want);
    else
        sweep_widths(what, d, want);
}

/* ---- fields that are kept ---- */

/* The same cells at some places, of which one layout is right because the other is: they have nothing in common but the cells. */
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

/* From skewed to rows, once: with the making of its graph. */
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

static void sequences(const char *data)
{
    size_t n, m;
    uint8_t *a = letters(data, "lambda_virus.fa", &n), *b = letters(data, "phage_P1.fasta", &m);
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_best want = {38707, 1, 48501, 75979}; /* of two places the one of the smaller column */
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

#define PAIRS 1024u
#define PAIR 4096u

/* What fills the GPU: one pair that is long enough, and many at once. */
static void many(void)
{
    static heddle_wave_item items[PAIRS];
    const size_t n = (size_t)PAIRS * PAIR;
    uint32_t *letters = malloc(n * 4u);
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_best want = {0, 0, 0, 0};
    for (size_t i = 0; i < n; i++)
        letters[i] = next_random() >> 30;
    d.body = speed_sw;
    d.x = to_device(letters, n * 4u);
    d.y = to_device(letters + 1, (n - 1u) * 4u);
    d.found = to_device(NULL, sizeof(heddle_best));
    d.rows = d.cols = 262144;
    sweep("sw 262144, score and place", &d, &want);
    for (uint32_t i = 0; i < PAIRS; i++) {
        items[i].rows = PAIR;
        items[i].cols = i + 1u < PAIRS ? PAIR : PAIR - 1u;
        items[i].x_at = items[i].y_at = (uint64_t)i * PAIR;
    }
    d.rows = d.cols = 0;
    d.items = items;
    d.n_items = PAIRS;
    want.is_found = 0;
    sweep("sw 1024 x 4096, the best score", &d, &want);
    free(letters);
}

/* ---- proteins ------------------------------------------------------------------------------------------------------- */

#define QUERIES 20u
#define PROTEINS 196u
#define CODES 256 /* letters that a matrix lacks have its X */

typedef struct proteins {
    input_records of[2];
    input_scores scores;
    uint32_t code[CODES];
} proteins;

/* 0: they are not there. */
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

/* Rows of the table for each letter. */
static const int8_t **put_rows(const proteins *p, const input_records *r)
{
    static int8_t table[PROTEIN_LETTERS][PROTEIN_LETTERS];
    const uint64_t n = r->begin[r->n];
    const int8_t **rows = malloc(n * sizeof *rows), *far_table;
    for (uint32_t k = 0; k < p->scores.n; k++)
        memcpy(table[k], p->scores.score[k], sizeof p->scores.score[k]);
    far_table = to_device(table, sizeof table);
    for (uint64_t k = 0; k < n; k++)
        rows[k] = far_table + p->code[(uint8_t)r->letters[k]] * PROTEIN_LETTERS;
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

/* Their sum, and one that knows their order, by query and protein. */
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
    d.found_each = to_device(NULL, QUERIES * PROTEINS * sizeof(protein_found));
    for (uint32_t k = 0; choose_shape(&of_proteins, &d, k); k++) {
        const uint64_t ns = measure(of_proteins.table, &d, of_proteins.params, of_proteins.n_bytes, &how);
        print_row(what, &d, ns, ns ? check_scores(&d, x->n != QUERIES) : "-", how);
    }
}

/* Rows are of the queries, or of the proteins: bands of the first are full, those of the others long. */
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
    static const heddle_schedule schedules[] = {HEDDLE_SCHEDULE_WAVE,    HEDDLE_SCHEDULE_STATIC,
                                                HEDDLE_SCHEDULE_DYNAMIC, HEDDLE_SCHEDULE_LEVELS,
                                                HEDDLE_SCHEDULE_GRAPH,   HEDDLE_SCHEDULE_GRAPH_PDL};
    raw_card card;
    printf("what\tschedule\tshape\twarps\ttile\tms\tTcell/s\tcheck\twhy not\n");
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
        if (schedule == HEDDLE_SCHEDULE_WAVE) {
            many();
            align_proteins(argc > 1 ? argv[1] : ".");
        }
        heddle_ctx_close(ctx);
    }
    return n_wrong != 0;
}
