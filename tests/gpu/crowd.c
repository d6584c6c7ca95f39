/* SPDX-License-Identifier: MIT */
/* crowd.c - a wave with more blocks than can be resident beside another kernel. The wave takes its bands in order, by
 * one ticket: so the few resident blocks go through all bands, and later blocks help or find nothing left. A fixed
 * assignment of bands would wait for blocks that are not resident.
 *
 * First all SMs but a few are taken until the wave has ended; then all SMs for a while; then kernels come and go. Each
 * time the last row and column equal those of plain loops. A run that hangs ends at its time limit with an error. */
#include "children.h"
#include "crowd_cells.h"
#include "rig.h"
#include "spin.h"

#include <unistd.h>

#define BANDS 700u /* of a warp each: more than fit beside a hog, about as many as fit without */
#define ROWS (128u * BANDS)
#define COLS 600u
#define HOG_MS 700u
#define CUDA_OK(call)                                                           \
    do {                                                                        \
        cudaError_t cuda_ok_ = (call);                                          \
        CHECK_MSG(cuda_ok_ == cudaSuccess, "%s", cudaGetErrorString(cuda_ok_)); \
    } while (0)

typedef struct crowd_run {
    heddle_ctx *ctx;
    heddle_graph *g;
    uint32_t *row, *col; /* the context's memory */
    cudaStream_t stream;
    uint32_t n_units, shared_bytes;
} crowd_run;

static uint32_t want_row[COLS], want_col[ROWS], got_row[COLS], got_col[ROWS];

static void solve(uint32_t by)
{
    memset(want_row, 0, sizeof want_row);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t w = 0, nw = 0;
        for (uint32_t j = 0; j < COLS; j++) {
            const uint32_t n = want_row[j];
            w = want_row[j] = crowd_of(n, w, nw, by);
            nw = n;
        }
        want_col[i] = w;
    }
}

static void open_run(crowd_run *r)
{
    heddle_device d = HEDDLE_DEVICE_INIT;
    heddle_wave_desc desc = HEDDLE_WAVE_INIT;
    void *row, *col;
    if (!heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
    CHECK_OK(NULL, heddle_device_get(HEDDLE_CUDA, 0, &d));
    r->n_units = d.n_units;
    r->shared_bytes = d.shared_bytes;
    r->ctx = rig_open_ctx(HEDDLE_SCHEDULE_WAVE, 0, 20000);
    CUDA_OK(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    CHECK_OK(r->ctx, heddle_mem_new(r->ctx, sizeof want_row, &row));
    CHECK_OK(r->ctx, heddle_mem_new(r->ctx, sizeof want_col, &col));
    r->row = row;
    r->col = col;
    desc.body = crowd_cell;
    desc.rows = ROWS;
    desc.cols = COLS;
    desc.last_row = row;
    desc.last_col = col;
    desc.n_warps = 1;
    CHECK_OK(r->ctx, heddle_wave_new(r->ctx, &crowd, &desc, &r->g));
}

static void close_run(crowd_run *r)
{
    CUDA_OK(cudaStreamSynchronize(r->stream));
    CUDA_OK(cudaStreamDestroy(r->stream));
    heddle_graph_free(r->g);
    heddle_mem_free(r->ctx, r->row);
    heddle_mem_free(r->ctx, r->col);
    heddle_ctx_close(r->ctx);
}

/* Runs the wave; `what` names the case in messages. Returns the host's milliseconds. */
static double run_well(crowd_run *r, uint32_t by, const char *what)
{
    const crowd_params params = {by};
    const double begin = rig_ms();
    double ms;
    heddle_status s = heddle_graph_run(r->ctx, r->g, &params, sizeof params);
    ms = rig_ms() - begin;
    CHECK_MSG(s == HEDDLE_OK, "%s: %s: %s", what, heddle_status_text(s), heddle_error_text(r->ctx));
    solve(by);
    CHECK_OK(r->ctx, heddle_mem_read(r->ctx, got_row, r->row, sizeof got_row));
    CHECK_OK(r->ctx, heddle_mem_read(r->ctx, got_col, r->col, sizeof got_col));
    CHECK_MSG(memcmp(got_row, want_row, sizeof got_row) == 0, "%s: the last row is wrong", what);
    CHECK_MSG(memcmp(got_col, want_col, sizeof got_col) == 0, "%s: the last column is wrong", what);
    return ms;
}

/* Starts a kernel that fills n SMs; returns when it is resident. */
static void hog(crowd_run *r, uint32_t n, uint32_t ms)
{
    CUDA_OK(spin_launch(r->stream, n, 1024, r->shared_bytes, (uint64_t)ms * 1000000u));
    (void)usleep(30000);
}

/* Few SMs are left; the others stay taken until the wave has ended. */
static void few_sms(void)
{
    static const uint32_t left[] = {1, 2, 5};
    crowd_run r;
    open_run(&r);
    printf("%.1f ms with the card to itself\n", run_well(&r, 1, "alone"));
    for (size_t i = 0; i < sizeof left / sizeof left[0] && left[i] < r.n_units; i++) {
        double ms;
        hog(&r, r.n_units - left[i], HOG_MS);
        ms = run_well(&r, (uint32_t)i + 2u, "beside a kernel that has nearly all SMs");
        CHECK_MSG(ms < HOG_MS, "%u SMs left: %.1f ms, so the wave waited for the other kernel", left[i], ms);
        printf("%.1f ms with %u of %u SMs\n", ms, left[i], r.n_units);
        CUDA_OK(cudaStreamSynchronize(r.stream));
    }
    close_run(&r);
}

/* No SM is left: the wave waits for its turn. */
static void no_sm(void)
{
    crowd_run r;
    double ms;
    open_run(&r);
    (void)run_well(&r, 1, "alone");
    hog(&r, r.n_units, 400);
    ms = run_well(&r, 2, "behind a kernel that has all SMs");
    CHECK_MSG(ms > 200, "the card was not taken: %.1f ms", ms);
    close_run(&r);
}

/* Blocks of another stream come and go on all SMs, so the wave's blocks start in any order. */
static void coming_and_going(void)
{
    crowd_run r;
    open_run(&r);
    for (uint32_t i = 0; i < 10; i++) {
        CUDA_OK(spin_launch(r.stream, 4000, 512, 0, 20000 + 7000 * i));
        (void)run_well(&r, i, "beside kernels that come and go");
    }
    close_run(&r);
}

static const child_case cases[] = {
    {"few_sms", few_sms, 60, 0}, {"no_sm", no_sm, 60, 0}, {"coming_and_going", coming_and_going, 60, 0}};

int main(int argc, char **argv) { return children_main(argc, argv, cases, sizeof cases / sizeof cases[0]); }
