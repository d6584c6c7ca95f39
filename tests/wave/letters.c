/* SPDX-License-Identifier: MIT */
/* letters.c - functions on parts of words return what plain loops return. The cells that use them (bench/gpu/
 * wave_letter_cells.h) find the best scores of random pairs, and of pieces of the two phage genomes if HEDDLE_DATA has
 * them. One pair an item and two; on threads, or with --cuda on a GPU, in every shape. HEDDLE_WAVES: how many. */
#include "app.h"
#include "input.h"
#include "wave/letter_cases.h"
#include "wave/packed.h"

#include <string.h>

#define PIECE 1500u

#define KINDS 3
#define SHAPE(rows, columns) {&letters_##rows##_##columns, &pairs_##rows##_##columns, &sparse_##rows##_##columns},
static const heddle_table *const shapes[][KINDS] = {LETTER_SHAPES(SHAPE)};
#define N_SHAPES (sizeof shapes / sizeof shapes[0])

static void run(letter_case *c, heddle_ctx *ctx, const heddle_table *table)
{
    heddle_graph *g;
    letter_case_lay_out(c, ctx, table);
    CHECK_OK(ctx, heddle_wave_new(ctx, table, &c->desc, &g));
    for (int i = 0; i < 2; i++) {
        letter_case_reset(c);
        CHECK_OK(ctx, heddle_graph_run(ctx, g, &c->params, sizeof c->params));
        letter_case_check(c, table->name);
    }
    heddle_graph_free(g);
    letter_case_lift(c);
}

static void run_all(letter_case *c, heddle_backend backend, uint64_t seed)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    config.backend = backend;
    config.n_workers = backend == HEDDLE_CPU ? 1u + (uint32_t)(seed % 4u) : 0u;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    for (int k = 0; k < KINDS; k++)
        run(c, ctx, shapes[seed % N_SHAPES][k]);
    heddle_ctx_close(ctx);
}

static void test_random(heddle_backend backend, uint64_t seed)
{
    letter_case c;
    letter_case_make(&c, seed, backend == HEDDLE_SERIAL ? 150u : 700u);
    run_all(&c, backend, seed);
    letter_case_free(&c);
}

/* ---- pieces of genomes ------------------------------------------------------------------------------------------- */

static int read_genome(const char *folder, const char *name, input_records *out)
{
    char path[512], error[APP_ERROR];
    snprintf(path, sizeof path, "%s/smith-waterman/%s", folder, name);
    if (input_fasta(path, out, error))
        return 0;
    for (uint64_t i = 0; i < out->begin[out->n]; i++) {
        const char *at = strchr("ACGT", out->letters[i]);
        CHECK(at && *at);
        out->letters[i] = (char)(at - "ACGT");
    }
    return 1;
}

static const uint8_t *piece(const input_records *r, uint64_t *row)
{
    return (const uint8_t *)r->letters + check_below(row, r->begin[r->n] - PIECE);
}

static void test_pieces(heddle_backend backend, const char *folder)
{
    uint64_t row = 7;
    input_records genomes[2];
    letter_case c;
    memset(&c, 0, sizeof c);
    c.worth.match = 2;
    c.worth.mismatch = c.params.gap = -1;
    c.params.gaps = heddle_2x16(-1, -1);
    if (!folder || !read_genome(folder, "lambda_virus.fa", &genomes[0]) ||
        !read_genome(folder, "phage_P1.fasta", &genomes[1])) {
        printf("without genomes: HEDDLE_DATA has none\n");
        return;
    }
    while (c.n < LETTER_PAIRS)
        letter_case_add(&c, piece(&genomes[0], &row), PIECE, piece(&genomes[1], &row), PIECE - c.n);
    for (uint64_t s = 0; s < N_SHAPES; s++)
        run_all(&c, backend, s);
    letter_case_free(&c);
    for (int i = 0; i < 2; i++) {
        free(genomes[i].begin);
        free(genomes[i].letters);
    }
}

/* Tables without found values refuse a desc that wants them. */
static void test_refused(heddle_backend backend)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    uint32_t words[16] = {0};
    heddle_ctx *ctx;
    heddle_graph *g;
    config.backend = backend;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    for (int k = 0; k < 3; k++) {
        heddle_wave_desc d = HEDDLE_WAVE_INIT;
        d.rows = d.cols = 4;
        d.x = d.y = words;
        d.cells = k == 0 ? words : NULL;
        d.last_row = k == 1 ? words : NULL;
        d.last_col = k == 2 ? words : NULL;
        CHECK(heddle_wave_new(ctx, &letters_8_2, &d, &g) == HEDDLE_EINVAL && !g);
        CHECK_MSG(strstr(heddle_error_text(ctx), "HEDDLE_WAVE_FOUND_ONLY"), "%s", heddle_error_text(ctx));
    }
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_WAVES");
    const uint64_t first = check_seed(1), n = asked ? strtoull(asked, NULL, 0) : 60u;
    const heddle_backend backend = argc > 1 && !strcmp(argv[1], "--cuda") ? HEDDLE_CUDA : HEDDLE_CPU;
    if (!heddle_backend_is_present(backend))
        SKIP("no GPU");
    test_refused(backend);
    packed_check(backend, first);
    for (uint64_t seed = first; seed < first + n; seed++) {
        test_random(backend, seed);
        if (backend == HEDDLE_CPU)
            test_random(HEDDLE_SERIAL, seed);
    }
    test_pieces(backend, getenv("HEDDLE_DATA"));
    printf("%llu times some pairs\n", (unsigned long long)n);
    return 0;
}
