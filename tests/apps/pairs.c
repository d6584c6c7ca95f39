/* SPDX-License-Identifier: MIT */
/* pairs.c - Smith-Waterman of all records of one file with all of another. 20 proteins against 196, with affine gaps
 * and BLOSUM62, have the scores of another program. Random records have the scores of the definition, in which gaps
 * start anywhere. Bad input is refused. With --cuda all of it on a GPU, and as tiles on threads. */
#include "apps/answered.h"
#include "apps/known.h"
#include "apps/pairs.h"

#define DATA TEST_SOURCE_DIR "/data/smith-waterman/"
#define QUERIES DATA "protein_queries.fasta"
#define PROTEINS DATA "uniprot_sprot196.fasta"
#define BLOSUM DATA "BLOSUM62.txt"
#define MOST 300u /* letters of a record */
#define LEAST (-1000000)

/* ---- a case ------------------------------------------------------------------------------------------------------ */

/* Runs the request n_runs times; checked: also compares with the app's own reference. */
static void run(const app_request *q, const heddle_config *config, int n_runs, int checked, answered *out)
{
    const app *a = app_find("sw");
    char error[APP_ERROR];
    heddle_ctx *ctx;
    app_case *c = a->prepare(q, error);
    CHECK_MSG(c, "%s", error);
    CHECK_OK(NULL, heddle_ctx_open(&ctx, config));
    c->scenario = app_scenario_of(a, "wave");
    CHECK_MSG(!c->scenario->build(c, ctx), "%s", c->error);
    if (checked)
        CHECK(!a->read(c) && !a->reference(c) && a->check(c) == -1 && strstr(c->error, "the reference has"));
    for (int i = 0; i < n_runs; i++) {
        CHECK_MSG(!c->scenario->reset(c) && !c->scenario->engine->run(c) && !a->read(c), "%s", c->error);
        CHECK_MSG(!checked || !a->check(c), "%s", c->error);
    }
    answered_take(out, c);
    a->free(c);
    heddle_ctx_close(ctx);
}

static heddle_config config_of(heddle_backend backend, uint32_t n_workers, heddle_schedule schedule)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = backend;
    c.n_workers = n_workers;
    c.schedule = schedule;
    return c;
}

/* ---- known scores ------------------------------------------------------------------------------------------------ */

static int64_t number(const json_t *of, const char *key)
{
    const json_t *v = json_object_get(of, key);
    CHECK_MSG(json_is_integer(v), "expected.json has no %s", key);
    return json_integer_value(v);
}

static void check_query(const answered *got, size_t query, const json_t *want)
{
    const int64_t *scores = got->list + query * got->width;
    size_t k, best = 0;
    int64_t sum = 0;
    const json_t *v;
    for (k = 0; k < got->width; k++) {
        best = scores[k] > scores[best] ? k : best;
        sum += scores[k];
    }
    CHECK(sum == number(want, "sum") && scores[best] == number(want, "best"));
    CHECK((int64_t)best == number(want, "best_db_index"));
    json_array_foreach(json_object_get(want, "first8"), k, v) CHECK(scores[k] == json_integer_value(v));
}

/* All queries against all proteins; `gap` for the first letter of a gap, -1 for each further one. */
static void known_proteins(const json_t *known, const char *key, const char *gap, const heddle_config *config)
{
    const app_pair opts[] = {{"gaps", "affine"}, {"gap", gap}, {"extend", "-1"}, {"matrix", BLOSUM}};
    const char *inputs[] = {QUERIES, PROTEINS};
    const app_request q = {{0, 0}, {0, 0}, opts, 4, inputs, 2, {0}};
    const json_t *want = json_object_get(known, key), *one;
    answered got = {0};
    size_t k, at;
    run(&q, config, 1, 0, &got);
    CHECK(got.n == 20 * 196 && got.width == 196 && answered_of(&got, "records_a") == 20 &&
          answered_of(&got, "records_b") == 196);
    CHECK(answered_of(&got, "total") == number(want, "total"));
    CHECK(!strcmp(got.text, json_string_value(json_object_get(want, "scores_sha256_int32le_rowmajor"))));
    json_array_foreach(json_object_get(want, "per_query"), k, one) check_query(&got, k, one);
    at = (size_t)((answered_of(&got, "best_a") - 1) * 196 + answered_of(&got, "best_b") - 1);
    CHECK(k == 20 && at < got.n && got.list[at] == answered_of(&got, "best"));
    answered_free(&got);
}

/* The queries against one another. */
static void known_queries(const json_t *known, const heddle_config *config)
{
    const app_pair opts[] = {{"gaps", "affine"}, {"gap", "-11"}, {"extend", "-1"}, {"matrix", BLOSUM}};
    const char *inputs[] = {QUERIES, QUERIES};
    const app_request q = {{0, 0}, {0, 0}, opts, 4, inputs, 2, {0}};
    const json_t *rows = json_object_get(json_object_get(known, "query_vs_query_gap_11_1"), "matrix"), *row, *v;
    answered got = {0};
    size_t i, k;
    run(&q, config, 1, 0, &got);
    CHECK(got.n == 400 && got.width == 20 && json_array_size(rows) == 20);
    json_array_foreach(rows, i, row) json_array_foreach(row, k, v)
        CHECK_MSG(got.list[i * 20 + k] == json_integer_value(v), "query %zu with query %zu", i, k);
    CHECK(answered_of(&got, "best") == got.list[399]);
    CHECK(answered_of(&got, "best_a") == 20 && answered_of(&got, "best_b") == 20);
    answered_free(&got);
}

static void test_known(int cuda)
{
    json_t *all = known_load(TEST_SOURCE_DIR "/data", "smith-waterman");
    const json_t *known = json_object_get(all, "protein_affine_blosum62");
    const heddle_config serial = config_of(HEDDLE_SERIAL, 0, HEDDLE_SCHEDULE_AUTO),
                        threads = config_of(HEDDLE_CPU, 0, HEDDLE_SCHEDULE_AUTO),
                        gpu = config_of(HEDDLE_CUDA, 0, HEDDLE_SCHEDULE_AUTO);
    known_proteins(known, "gap_11_1", "-11", cuda ? &gpu : &serial);
    known_proteins(known, "gap_12_1", "-12", cuda ? &gpu : &threads);
    known_queries(known, cuda ? &gpu : &threads);
    json_decref(all);
}

/* ---- expected result --------------------------------------------------------------------------------------------- */

typedef struct scoring {
    int8_t score[6][6];
    int has_matrix, is_affine, match, mismatch, gap, extend;
} scoring;

static int code(char letter)
{
    const char *at = strchr(PAIRS_KNOWN, letter);
    return at ? (int)(at - PAIRS_KNOWN) : 5;
}

static int64_t pair_score(const scoring *s, char a, char b)
{
    return s->has_matrix ? s->score[code(a)][code(b)] : a == b ? s->match : s->mismatch;
}

static int64_t gap_of(const scoring *s, int64_t k) { return s->is_affine ? s->gap + (k - 1) * s->extend : k * s->gap; }

/* By the definition: the best of all alignments that end in cell (i, j), with a gap of any length before it. */
static int64_t define(const scoring *s, const char *a, const char *b)
{
    const int64_t n = (int64_t)strlen(a), m = (int64_t)strlen(b);
    int64_t *h = calloc((size_t)((n + 1) * (m + 1)), sizeof *h), best = 0, i, j, k;
    CHECK(h);
    for (i = 1; i <= n; i++)
        for (j = 1; j <= m; j++) {
            int64_t *cell = &h[i * (m + 1) + j], v = h[(i - 1) * (m + 1) + j - 1] + pair_score(s, a[i - 1], b[j - 1]);
            for (k = 1; k <= i; k++)
                v = h[(i - k) * (m + 1) + j] + gap_of(s, k) > v ? h[(i - k) * (m + 1) + j] + gap_of(s, k) : v;
            for (k = 1; k <= j; k++)
                v = h[i * (m + 1) + j - k] + gap_of(s, k) > v ? h[i * (m + 1) + j - k] + gap_of(s, k) : v;
            *cell = v > 0 ? v : 0;
            best = *cell > best ? *cell : best;
        }
    free(h);
    return best;
}

/* A request, with the texts and files that it points to. */
typedef struct random_case {
    scoring s;
    pairs_records of[2];
    pairs_file matrix;
    char values[4][8];
    app_pair opts[6];
    const char *inputs[2];
    app_request q;
} random_case;

static void add_option(random_case *c, const char *key, int value)
{
    char *text = c->values[c->q.n_opts];
    snprintf(text, sizeof c->values[0], "%d", value);
    c->opts[c->q.n_opts++] = (app_pair){key, text};
}

static void make_case(random_case *c, uint64_t seed)
{
    uint64_t random = seed * 7919u;
    memset(c, 0, sizeof *c);
    c->s.has_matrix = check_below(&random, 2) == 1;
    c->s.is_affine = check_below(&random, 4) != 0;
    c->s.match = 1 + (int)check_below(&random, 9);
    c->s.mismatch = -(int)check_below(&random, 5);
    c->s.gap = -(int)check_below(&random, 12);
    c->s.extend = -(int)check_below(&random, 4);
    pairs_matrix(&c->matrix, &random, c->s.score);
    for (int d = 0; d < 2; d++) {
        const int is_long = check_below(&random, 3) == 0;
        pairs_make(&c->of[d], &random, is_long ? 3u : PAIRS_RECORDS, is_long ? MOST : 40u);
        c->inputs[d] = c->of[d].file.path;
    }
    add_option(c, "match", c->s.match);
    add_option(c, "mismatch", c->s.mismatch);
    add_option(c, "gap", c->s.gap);
    add_option(c, "extend", c->s.extend);
    c->opts[c->q.n_opts++] = (app_pair){"gaps", c->s.is_affine ? "affine" : "linear"};
    c->opts[c->q.n_opts] = (app_pair){"matrix", c->matrix.path};
    c->q.n_opts += c->s.has_matrix;
    c->q.opts = c->opts;
    c->q.inputs = c->inputs;
    c->q.n_inputs = 2;
}

static int is_of_pairs(const random_case *c)
{
    return c->s.has_matrix || c->s.is_affine || c->of[0].n > 1 || c->of[1].n > 1;
}

static void check_scores(const random_case *c, const answered *got, uint64_t seed)
{
    CHECK(got->width == c->of[1].n && got->n == (size_t)c->of[0].n * c->of[1].n);
    for (uint32_t i = 0; i < c->of[0].n; i++)
        for (uint32_t k = 0; k < c->of[1].n; k++) {
            const int64_t want = define(&c->s, c->of[0].letters[i], c->of[1].letters[k]);
            CHECK_MSG(got->list[i * got->width + k] == want, "HEDDLE_SEED=%llu: record %u with %u: %lld, not %lld",
                      (unsigned long long)seed, i, k, (long long)got->list[i * got->width + k], (long long)want);
        }
}

static void test_random(uint64_t seed, int cuda)
{
    const heddle_config all[] = {config_of(HEDDLE_SERIAL, 0, HEDDLE_SCHEDULE_AUTO),
                                 config_of(HEDDLE_CPU, 1u + (uint32_t)(seed % 4u), HEDDLE_SCHEDULE_AUTO),
                                 config_of(HEDDLE_CPU, 2, HEDDLE_SCHEDULE_RINGS),
                                 config_of(HEDDLE_CUDA, 0, HEDDLE_SCHEDULE_AUTO)};
    random_case c;
    answered got = {0};
    make_case(&c, seed);
    for (int k = cuda ? 3 : 0; is_of_pairs(&c) && k < (cuda ? 4 : 3); k++) {
        run(&c.q, &all[k], 3, 1, &got);
        check_scores(&c, &got, seed);
    }
    answered_free(&got);
    pairs_free(&c.of[0]);
    pairs_free(&c.of[1]);
    close(c.matrix.fd);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* One record per file, made up, with affine gaps. */
static void test_made_up(void)
{
    const app_pair opts[] = {{"gaps", "affine"}, {"gap", "-5"}};
    const app_request q = {{70, 90}, {0, 0}, opts, 2, NULL, 0, {0}};
    const heddle_config config = config_of(HEDDLE_CPU, 2, HEDDLE_SCHEDULE_AUTO);
    answered got = {0};
    run(&q, &config, 2, 1, &got);
    CHECK(got.n == 1 && got.width == 1 && answered_of(&got, "best") > 70);
    CHECK(answered_of(&got, "best") == answered_of(&got, "total"));
    CHECK(answered_of(&got, "best_a") == 1 && answered_of(&got, "best_b") == 1);
    answered_free(&got);
}

static void test_cut(void)
{
    const app_pair opts[] = {{"gaps", "affine"}, {"na", "4"}, {"nb", "3"}};
    pairs_file f;
    const char *inputs[] = {f.path, f.path};
    const app_request q = {{0, 0}, {0, 0}, opts, 3, inputs, 2, {0}};
    const heddle_config config = config_of(HEDDLE_SERIAL, 0, HEDDLE_SCHEDULE_AUTO);
    answered got = {0};
    pairs_text(&f, ">a\nACGTACGT\n");
    run(&q, &config, 1, 1, &got);
    CHECK(answered_of(&got, "best") == 6);
    answered_free(&got);
    close(f.fd);
}

typedef struct refusal {
    const char *a, *b; /* the files */
    app_pair opts[2];
    const char *sentence;
} refusal;

#define ONE ">a\nACGT\n"
#define TWO ">a\nACGT\n>b\nAC\n"
static const refusal refusals[] = {
    {ONE, ONE, {{"gaps", "affin"}}, "option gaps: 'affin' is not linear or affine"},
    {ONE, ONE, {{"gaps", "affine"}, {"extend", "1"}}, "option extend: 1 is not in -1024 ... 0"},
    {ONE,
     ONE,
     {{"gaps", "affine"}, {"keep", "1"}},
     "option keep is for one pair with linear gaps, not for affine gaps"},
    {TWO, ONE, {{"keep", "1"}}, "not for files of several records"},
    {TWO, ONE, {{"na", "3"}}, "option na is for a file of one record"},
    {ONE, TWO, {{"nb", "2"}}, "option nb is for a file of one record"},
    {ONE, ONE, {{"gaps", "affine"}, {"na", "9"}}, "has 4 letters, 9 were asked for"},
    {ONE, ONE, {{"gaps", "affine"}, {"match", "128"}}, "pairs take scores from -128 to 127, not match 128"},
    {TWO, ONE, {{"mismatch", "-129"}}, "pairs take scores from -128 to 127"},
    {TWO, ">a\n\n>b\nA\n", {{NULL, NULL}}, "record 1 is empty"},
    {TWO, ">a\nA\n>b\nA1\n", {{NULL, NULL}}, "'1' (byte 49) is no letter of a sequence"},
    {ONE, ONE, {{"matrix", "/nowhere/matrix"}}, "/nowhere/matrix: No such file"},
};

static void refused(const app_request *q, const char *sentence)
{
    char error[APP_ERROR] = "";
    CHECK_MSG(!app_find("sw")->prepare(q, error), "taken: %s", sentence);
    CHECK_MSG(strstr(error, sentence), "\"%s\" does not say \"%s\"", error, sentence);
}

static void test_refused(const refusal *r)
{
    pairs_file a, b;
    const char *inputs[] = {a.path, b.path};
    app_request q = {{0, 0}, {0, 0}, r->opts, 0, inputs, 2, {0}};
    pairs_text(&a, r->a);
    pairs_text(&b, r->b);
    while (q.n_opts < 2 && r->opts[q.n_opts].key)
        q.n_opts++;
    refused(&q, r->sentence);
    close(a.fd);
    close(b.fd);
}

/* Letters without a score in the matrix. */
static void test_lacking(void)
{
    pairs_file a, b, m;
    const char *inputs[] = {a.path, b.path};
    const app_pair opts[] = {{"matrix", m.path}};
    const app_request q = {{0, 0}, {0, 0}, opts, 1, inputs, 2, {0}};
    pairs_text(&a, ">a\nAC\n>b\nAAG\n");
    pairs_text(&b, ">a\nAC\n");
    pairs_text(&m, "A C\nA 1 0\nC 0 1\n");
    refused(&q, "has no score for letter G (record 2 of the first sequences), and no X for others");
    close(m.fd);
    pairs_text(&m, "A C\nA 1 0\n");
    refused(&q, "has 1 rows of scores for 2 letters");
    close(a.fd);
    close(b.fd);
    close(m.fd);
}

/* Options that a scenario refuses when it is built. */
static void not_built(const char *engine, const app_pair *opts, size_t n_opts, const char *sentence)
{
    const app_request q = {{10, 10}, {0, 0}, opts, n_opts, NULL, 0, {0}};
    const heddle_config config = config_of(HEDDLE_SERIAL, 0, HEDDLE_SCHEDULE_AUTO);
    const app *a = app_find("sw");
    char error[APP_ERROR];
    app_case *c = a->prepare(&q, error);
    heddle_ctx *ctx;
    CHECK_MSG(c, "%s", error);
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    c->scenario = app_scenario_of(a, engine);
    CHECK_MSG(c->scenario->build(c, ctx) && strstr(c->error, sentence), "\"%s\"", c->error);
    a->free(c);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    const app_pair opts[] = {{"gaps", "affine"}, {"body", "tuned"}};
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    const uint64_t first = check_seed(1);
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    for (uint64_t seed = first; seed < first + 40u; seed++)
        test_random(seed, cuda);
    test_made_up();
    test_cut();
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++)
        test_refused(&refusals[k]);
    test_lacking();
    not_built("graph", opts, 1, "sw/wave takes affine gaps, a matrix, and files of several records");
    not_built("wave", opts, 2, "option body chooses how tiles are computed");
    if (!CHECK_IS_SLOW) /* 1.8e9 cells each */
        test_known(cuda);
    return 0;
}
