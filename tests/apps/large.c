/* SPDX-License-Identifier: MIT */
/* large.c - Smith-Waterman on two whole phage genomes: more than 2^32 cells, so sums, positions and indices need 64
 * bits. On the cpu backend with all cores, and as a wavefront of two devices; one scoring, or all of them when HEDDLE_DATA is set.
 * With --cuda all of them, as waves and wavefronts on a GPU. */
#include "apps/known.h"
#include "loop.h"

#if defined(HEDDLE_TSAN) || defined(HEDDLE_ASAN)
int main(void) { SKIP("4.6e9 cells take too long under a sanitizer"); }
#else

static double cells_of(const json_t *c)
{
    return json_number_value(json_object_get(c, "na")) * json_number_value(json_object_get(c, "nb"));
}

/* All devices have rows. */
static void check_shared(heddle_wavefront *w)
{
    heddle_wavefront_unit u = HEDDLE_WAVEFRONT_UNIT_INIT;
    for (uint32_t i = 0; heddle_wavefront_get_unit(w, i, &u) == HEDDLE_OK; i++)
        CHECK_MSG(u.n_rows > 0, "%s", heddle_wavefront_how(w));
}

/* devices: of a wavefront; NULL: where the context is. */
static void run_whole(const json_t *c, const char *const *inputs, const char *engine, heddle_backend backend,
                      const char *devices)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    char values[3][32];
    app_pair opts[3] = {{"match", values[0]}, {"mismatch", values[1]}, {"gap", values[2]}};
    app_request q = {{0, 0}, {128, 200}, opts, 3, inputs, 2, {0}}; /* na, nb 0: whole sequences */
    known_sink k = {"two whole genomes", c, {0, 0}, 0};
    app_sink sink = {&k, known_u64, known_i64, known_f64, known_text, known_i64s};
    const app *a = app_find("sw");
    char error[APP_ERROR];
    heddle_ctx *ctx;
    app_case *x;
    size_t i;
    for (i = 0; i < 3; i++)
        snprintf(values[i], sizeof values[i], "%lld", (long long)json_integer_value(json_object_get(c, opts[i].key)));
    config.backend = backend;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    x = a->prepare(&q, error);
    CHECK_MSG(x, "%s", error);
    x->scenario = app_scenario_of(a, engine);
    x->devices = devices;
    CHECK_MSG(!x->scenario->build(x, ctx), "%s", x->error);
    CHECK_MSG(!x->scenario->engine->run(x) && !a->read(x), "%s: %s", engine, x->error);
    a->answer(x, &sink);
    CHECK(k.n == 11);
    if (x->looping)
        check_shared(x->looping->front);
    a->free(x);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    const int cuda = known_on_gpu(argc, argv);
    const char *const inputs[] = {TEST_SOURCE_DIR "/data/smith-waterman/lambda_virus.fa",
                                  TEST_SOURCE_DIR "/data/smith-waterman/phage_P1.fasta"};
    json_t *j = known_load(TEST_SOURCE_DIR "/data", "smith-waterman");
    const json_t *c;
    uint32_t n = 0;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(j, "dna_linear_gap"), "cases"), i, c)
    {
        if (cells_of(c) <= 4294967296.0 ||
            (n && !cuda && !getenv("HEDDLE_DATA"))) /* one scoring is enough if time is short */
            continue;
        if (!cuda)
            run_whole(c, inputs, "graph", HEDDLE_CPU, NULL);
        run_whole(c, inputs, "wave", cuda ? HEDDLE_CUDA : HEDDLE_CPU, NULL);
        run_whole(c, inputs, "wavefront", cuda ? HEDDLE_CUDA : HEDDLE_SERIAL, cuda ? NULL : "virtual: cpu:1");
        printf("%.0f cells\n", cells_of(c));
        n++;
    }
    CHECK(n > 0);
    json_decref(j);
    return 0;
}
#endif
