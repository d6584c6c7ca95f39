/* SPDX-License-Identifier: MIT */
/* choice.c - what heddle chooses on a GPU where the config leaves the choice. It tries and names both styles of plan,
 * writes the choice into the tuning file, and the next context's first run finds it there. A damaged tuning file does
 * no harm; a captured form is kept; one context runs in one way after another. Of a wave it tries all shapes, warps and
 * tiles that the desc leaves open. Every run gives right results. */
#include "gpu/choice_cells.h"
#include "gpu/rig.h"

#include <cuda_runtime.h>
#include <unistd.h>

static char dir[] = "/tmp/heddle_choice_XXXXXX", path[64];

static heddle_config config_of(heddle_schedule d, const char *tuning_file)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = HEDDLE_CUDA;
    c.schedule = d;
    c.time_limit_ms = 20000;
    c.tuning_file = tuning_file;
    return c;
}

static void open_rig(rig *r, heddle_schedule d, const char *tuning_file)
{
    heddle_config c = config_of(d, tuning_file);
    heddle_ctx *ctx;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    rig_open(r, ctx);
    rig_chains(r, 32, 20);
}

static void close_rig(rig *r)
{
    heddle_ctx *ctx = r->ctx;
    rig_close(r);
    heddle_ctx_close(ctx);
}

static int how_has(const rig *r, const char *word) { return strstr(heddle_graph_describe_run(r->g), word) != NULL; }

/* The stats field agrees with the sentence. */
static int is_trying(const rig *r)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    CHECK_OK(r->ctx, heddle_graph_get_stats(r->g, &stats));
    CHECK_MSG(stats.is_trying == (uint32_t)how_has(r, "being tried"), "%s", heddle_graph_describe_run(r->g));
    return (int)stats.is_trying;
}

/* Runs until heddle tries nothing more. */
static uint32_t settle(rig *r, uint32_t n_seen[2])
{
    uint32_t n = 0;
    do {
        rig_run_well(r, "being tried");
        n_seen[0] += how_has(r, "static path,");
        n_seen[1] += how_has(r, "static depth,");
        CHECK(++n < 40);
    } while (is_trying(r));
    CHECK_MSG(how_has(r, "the best of"), "%s", heddle_graph_describe_run(r->g));
    return n;
}

static void test_styles(void)
{
    uint32_t n_seen[2] = {0, 0}, n;
    rig r;
    open_rig(&r, HEDDLE_SCHEDULE_STATIC, NULL);
    n = settle(&r, n_seen);
    CHECK(n >= 3 * 2 + 1 + 3 && n <= 3 * 5 + 1); /* two runs each, then at least three more of the best */
    CHECK(n_seen[0] >= 2 && n_seen[1] >= 2);
    printf("%s\n", heddle_graph_describe_run(r.g));
    CHECK_OK(r.ctx, heddle_graph_replan(r.g, 4)); /* a plan given by the user leaves no choice */
    rig_run_well(&r, "given");
    CHECK_MSG(how_has(&r, "static given, 4 workers") && !how_has(&r, "tried"), "%s", heddle_graph_describe_run(r.g));
    close_rig(&r);
}

static void test_tuning_file(heddle_schedule d)
{
    uint32_t n_seen[2] = {0, 0};
    char best[32];
    rig r;
    open_rig(&r, d, path);
    CHECK(settle(&r, n_seen) > 1);
    snprintf(best, sizeof best, "%.*s", (int)strcspn(heddle_graph_describe_run(r.g), ","),
             heddle_graph_describe_run(r.g));
    close_rig(&r);
    open_rig(&r, d, path);
    rig_run_well(&r, "remembered");
    CHECK_MSG(how_has(&r, "as the tuning_file remembers") &&
                  !strncmp(heddle_graph_describe_run(r.g), best, strlen(best)),
              "%s, then %s", best, heddle_graph_describe_run(r.g));
    rig_run_well(&r, "remembered");
    close_rig(&r);
    open_rig(&r, d, path); /* another graph: nothing is known of it */
    (void)rig_add(&r, faulty_step, 40, 1);
    CHECK_OK(r.ctx, rig_run(&r));
    CHECK_MSG(is_trying(&r), "%s", heddle_graph_describe_run(r.g));
    close_rig(&r);
}

static void test_damaged(void)
{
    uint32_t n_seen[2] = {0, 0};
    FILE *f = fopen(path, "w");
    rig r;
    CHECK(f && fputs("something else\n", f) >= 0 && fclose(f) == 0);
    open_rig(&r, HEDDLE_SCHEDULE_STATIC, path);
    rig_run_well(&r, "damaged");
    CHECK_MSG(is_trying(&r) && how_has(&r, "is damaged"), "%s", heddle_graph_describe_run(r.g));
    (void)settle(&r, n_seen);
    CHECK_MSG(how_has(&r, "is damaged"), "%s", heddle_graph_describe_run(r.g));
    close_rig(&r);
}

/* While a run is captured heddle must try nothing: the capture may be replayed for ever. */
static void test_captured(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    uint32_t i;
    rig r;
    open_rig(&r, HEDDLE_SCHEDULE_STATIC, NULL);
    rig_run_well(&r, "before");
    CHECK(!cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(!cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_OK(r.ctx, heddle_graph_enqueue(r.ctx, r.g, &r.params, sizeof r.params, stream));
    CHECK(!cudaStreamEndCapture(stream, &graph) && !cudaGraphInstantiate(&exec, graph, 0));
    for (i = 0; i < 8; i++) {
        rig_run_well(&r, "beside a captured run");
        CHECK(!cudaGraphLaunch(exec, stream) && !cudaStreamSynchronize(stream));
        rig_expect(&r, 1);
        rig_check(&r, "a replay");
    }
    CHECK_MSG(how_has(&r, "captured"), "%s", heddle_graph_describe_run(r.g));
    CHECK(!cudaGraphExecDestroy(exec) && !cudaGraphDestroy(graph) && !cudaStreamDestroy(stream));
    close_rig(&r);
}

static void test_ways(void)
{
    static const heddle_schedule schedules[] = {HEDDLE_SCHEDULE_LEVELS,    HEDDLE_SCHEDULE_GRAPH,
                                                HEDDLE_SCHEDULE_DYNAMIC,   HEDDLE_SCHEDULE_LEVELS_SYNC,
                                                HEDDLE_SCHEDULE_TASKGRAPH, HEDDLE_SCHEDULE_AUTO};
    uint32_t i;
    rig r;
    open_rig(&r, HEDDLE_SCHEDULE_TICKET, NULL);
    for (i = 0; i < 12; i++) {
        heddle_config c = config_of(HEDDLE_SCHEDULE_AUTO, NULL);
        rig_run_well(&r, "in turn");
        c.schedule = schedules[i % 6];
        c.n_trace = i % 2 ? 1000 : 0;
        CHECK_OK(r.ctx, heddle_ctx_reconfigure(r.ctx, &c));
        CHECK(!strcmp(heddle_graph_describe_run(r.g), ""));
    }
    rig_run_well(&r, "in turn");
    close_rig(&r);
}

/* ---- waves ------------------------------------------------------------------------------------------------------- */

#define ROWS 3000u
#define COLS 2500u

typedef struct wave {
    heddle_ctx *ctx;
    heddle_graph *g;
    heddle_wave_desc desc;
    choice_params params;
    uint32_t want[COLS], n_tiles, n_wave; /* n_tiles, n_wave: runs as tiles, as a wave */
} wave;

/* Computes the last row with plain loops. */
static void expect(wave *w)
{
    uint32_t i, j, nw, left, n;
    memset(w->want, 0, sizeof w->want);
    for (i = 0; i < ROWS; i++)
        for (j = 0, nw = left = 0; j < COLS; j++, nw = n) {
            n = w->want[j];
            w->want[j] = left = choice_of(n, left, nw, w->params.by);
        }
}

static void open_wave(wave *w, heddle_schedule s, uint32_t rows, uint32_t columns, uint32_t n_warps, uint32_t tile_cols)
{
    memset(w, 0, sizeof *w);
    w->ctx = rig_open_ctx(s, 0, 20000);
    w->desc = (heddle_wave_desc)HEDDLE_WAVE_INIT;
    w->desc.body = choice_cell;
    w->desc.rows = ROWS;
    w->desc.cols = COLS;
    w->desc.lane_rows = rows;
    w->desc.step_columns = columns;
    w->desc.n_warps = n_warps;
    w->desc.tile_cols = tile_cols;
    w->params.by = 7;
    expect(w);
    CHECK_OK(w->ctx, heddle_mem_new(w->ctx, sizeof w->want, &w->desc.last_row));
    CHECK_OK(w->ctx, heddle_wave_new(w->ctx, &choice, &w->desc, &w->g));
}

static void close_wave(wave *w)
{
    heddle_graph_free(w->g);
    heddle_mem_free(w->ctx, w->desc.last_row);
    heddle_ctx_close(w->ctx);
}

static void clear_row(wave *w)
{
    static const uint32_t zeros[COLS];
    CHECK_OK(w->ctx, heddle_mem_write(w->ctx, w->desc.last_row, zeros, sizeof zeros));
}

static void check_row(const wave *w)
{
    static uint32_t got[COLS];
    CHECK_OK(w->ctx, heddle_mem_read(w->ctx, got, w->desc.last_row, sizeof got));
    CHECK_MSG(!memcmp(got, w->want, sizeof got), "%s", heddle_graph_describe_run(w->g));
}

/* Runs once and checks the row. Returns 1 while other ways are still to be tried. */
static int run_wave(wave *w)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    clear_row(w);
    CHECK_OK(w->ctx, heddle_graph_run(w->ctx, w->g, &w->params, sizeof w->params));
    check_row(w);
    CHECK_OK(w->ctx, heddle_graph_get_stats(w->g, &stats));
    *(stats.schedule == HEDDLE_SCHEDULE_WAVE ? &w->n_wave : &w->n_tiles) += 1u;
    return (int)stats.is_trying;
}

/* Does the report of what was tried name this way, with its time? */
static int was_tried(const wave *w, const char *name)
{
    const char *why = strstr(heddle_graph_describe_run(w->g), "the best of");
    return why && strstr(why, name);
}

static void settle_wave(wave *w)
{
    uint32_t n = 1;
    while (run_wave(w))
        CHECK(++n < 400);
    printf("%u runs: %s\n", n, heddle_graph_describe_run(w->g));
}

static void test_wave(void)
{
    static const char *const names[] = {"wave R4 C2, 1 warp ",  "wave R4 C2, 2 warps", "wave R4 C2, 3 warps",
                                        "wave R4 C2, 4 warps",  "wave R8 C2, 1 warp ", "wave R8 C2, 4 warps",
                                        "tiles of 256 columns", "tiles of 512 columns"};
    heddle_config c = config_of(HEDDLE_SCHEDULE_WAVE, NULL);
    wave w;
    open_wave(&w, HEDDLE_SCHEDULE_AUTO, 0, 0, 0, 0);
    settle_wave(&w);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CHECK_MSG(was_tried(&w, names[i]), "%s: %s", names[i], heddle_graph_describe_run(w.g));
    CHECK(w.n_wave >= 16 && w.n_tiles >= 8);
    CHECK(!run_wave(&w) && !run_wave(&w));
    CHECK(heddle_graph_replan(w.g, 4) == HEDDLE_EINVAL);
    CHECK_OK(w.ctx, heddle_ctx_reconfigure(w.ctx, &c)); /* now the wave as first built runs */
    CHECK(!run_wave(&w) && !strchr(heddle_graph_describe_run(w.g), ':'));
    c.schedule = HEDDLE_SCHEDULE_AUTO;
    CHECK_OK(w.ctx, heddle_ctx_reconfigure(w.ctx, &c));
    CHECK(!run_wave(&w) && was_tried(&w, names[0]));
    close_wave(&w);
}

/* What the user fixes is not varied. */
static void test_fixed_wave(void)
{
    wave w;
    open_wave(&w, HEDDLE_SCHEDULE_AUTO, 8, 2, 2, 320);
    settle_wave(&w);
    CHECK(was_tried(&w, "wave R8 C2, 2 warps") && was_tried(&w, "tiles of 320 columns"));
    CHECK(!was_tried(&w, "R4") && !was_tried(&w, " 1 warp ") && !was_tried(&w, " 256 "));
    close_wave(&w);
    open_wave(&w, HEDDLE_SCHEDULE_WAVE, 0, 0, 0, 0);
    CHECK(!run_wave(&w) && !run_wave(&w) && w.n_wave == 2);
    close_wave(&w);
}

/* A captured wave may be replayed for ever. */
static void test_captured_wave(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    wave w;
    open_wave(&w, HEDDLE_SCHEDULE_AUTO, 0, 0, 0, 0);
    for (int i = 0; i < 5; i++)
        CHECK(run_wave(&w));
    CHECK(!cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(!cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_OK(w.ctx, heddle_graph_enqueue(w.ctx, w.g, &w.params, sizeof w.params, stream));
    CHECK(!cudaStreamEndCapture(stream, &graph) && !cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 4; i++) {
        CHECK(!run_wave(&w) && strstr(heddle_graph_describe_run(w.g), "put into a stream"));
        clear_row(&w);
        CHECK(!cudaGraphLaunch(exec, stream) && !cudaStreamSynchronize(stream));
        check_row(&w);
    }
    CHECK(!cudaGraphExecDestroy(exec) && !cudaGraphDestroy(graph) && !cudaStreamDestroy(stream));
    close_wave(&w);
}

int main(void)
{
    if (!heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    CHECK(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/tuning_file", dir);
    test_styles();
    test_tuning_file(HEDDLE_SCHEDULE_STATIC);
    test_tuning_file(HEDDLE_SCHEDULE_AUTO);
    test_damaged();
    test_captured();
    test_ways();
    test_wave();
    test_fixed_wave();
    test_captured_wave();
    CHECK(unlink(path) == 0 && rmdir(dir) == 0);
    return 0;
}
