/* SPDX-License-Identifier: MIT */
/* stream.c - heddle beside other users of the GPU, each case in a process of its own: runs in the user's stream,
 * captured and replayed; several contexts in several threads; beside other kernels, and behind one that fills the card.
 *
 *     stream [CASE] */
#include "gpu/children.h"
#include "gpu/rig.h"
#include "schedules.h"
#include "gpu/spin.h"

#include <pthread.h>

#define CUDA_OK(call)                                               \
    do {                                                            \
        cudaError_t r_ = (call);                                    \
        CHECK_MSG(r_ == cudaSuccess, "%s", cudaGetErrorString(r_)); \
    } while (0)

static void present(void)
{
    if (!heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU here");
}

/* ---- the user's stream ------------------------------------------------------------------------------------------- */

/* Enqueues runs with two app records in turn, the second with cells of its own; nothing waits in between. */
static void enqueue_by_turns(rig *r, cudaStream_t stream, heddle_schedule s)
{
    static const uint64_t zeros[FAULTY_CELLS];
    uint64_t seen[FAULTY_CELLS];
    faulty_params other;
    void *p;
    uint32_t i;
    CHECK_OK(r->ctx, heddle_mem_new(r->ctx, sizeof zeros, &p));
    CHECK_OK(r->ctx, heddle_mem_write(r->ctx, p, zeros, sizeof zeros));
    other.cell = p;
    rig_clear(r);
    for (i = 0; i < 10; i++)
        CHECK_OK(r->ctx, heddle_graph_enqueue(r->ctx, r->g, i % 2 ? &other : &r->params, sizeof other, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    CHECK_OK(r->ctx, heddle_graph_stream_status(r->g));
    rig_expect(r, 5);
    rig_check(r, heddle_schedule_name(s));
    CHECK_OK(r->ctx, heddle_mem_read(r->ctx, seen, p, sizeof seen));
    for (i = 0; i < r->n_chains; i++)
        CHECK_MSG(seen[i] == r->want[i], "%s: cell %u of the second record", heddle_schedule_name(s), i);
    heddle_mem_free(r->ctx, p);
}

/* Ten runs in a stream, without waits; later work of the stream sees their results. Even a graph's very first run may
 * be in a stream. */
static void enqueue_with(heddle_schedule s)
{
    heddle_ctx *ctx = rig_open_ctx(s, 0, 0);
    uint64_t *seen;
    cudaStream_t stream;
    uint32_t i;
    rig r;
    rig_open(&r, ctx);
    rig_chains(&r, 32, 20);
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_OK(cudaMallocHost((void **)&seen, FAULTY_CELLS * 8));
    for (i = 0; i < 10; i++)
        CHECK_OK(ctx, heddle_graph_enqueue(ctx, r.g, &r.params, sizeof r.params, stream));
    CUDA_OK(cudaMemcpyAsync(seen, r.params.cell, FAULTY_CELLS * 8, cudaMemcpyDeviceToHost, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    CHECK_OK(ctx, heddle_graph_stream_status(r.g));
    rig_expect(&r, 10);
    for (i = 0; i < r.n_chains; i++)
        CHECK_MSG(seen[i] == r.want[i], "%s: cell %u", heddle_schedule_name(s), i);
    rig_run_well(&r, heddle_schedule_name(s)); /* and outside of a stream */
    enqueue_by_turns(&r, stream, s);
    CUDA_OK(cudaFreeHost(seen));
    CUDA_OK(cudaStreamDestroy(stream));
    rig_close(&r);
    heddle_ctx_close(ctx);
}

static void enqueue(void)
{
    uint32_t i;
    for (i = 0; i < N_GPU_SCHEDULES; i++)
        enqueue_with(gpu_schedule(i));
}

/* Runs are captured into the user's CUDA graph between two of the user's operations, and replayed a hundred times. */
static void capture_with(heddle_schedule s)
{
    heddle_ctx *ctx = rig_open_ctx(s, 0, 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    uint32_t i;
    rig r;
    rig_open(&r, ctx);
    rig_chains(&r, 32, 20);
    rig_run_well(&r, heddle_schedule_name(s));
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_OK(spin_launch(stream, 4, 32, 0, 1000)); /* loads the kernel: a capture must not */
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CUDA_OK(spin_launch(stream, 4, 32, 0, 1000));
    CHECK_OK(ctx, heddle_graph_enqueue(ctx, r.g, &r.params, sizeof r.params, stream));
    CUDA_OK(spin_launch(stream, 4, 32, 0, 1000));
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
    rig_check(&r, heddle_schedule_name(s)); /* a capture runs nothing */
    for (i = 0; i < 100; i++)
        CUDA_OK(cudaGraphLaunch(exec, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    CHECK_OK(ctx, heddle_graph_stream_status(r.g));
    rig_expect(&r, 100);
    rig_check(&r, heddle_schedule_name(s));
    CUDA_OK(cudaGraphExecDestroy(exec));
    CUDA_OK(cudaGraphDestroy(graph));
    CUDA_OK(cudaStreamDestroy(stream));
    rig_close(&r);
    heddle_ctx_close(ctx);
}

static void capture(void)
{
    uint32_t i;
    for (i = 0; i < N_GPU_SCHEDULES; i++)
        capture_with(gpu_schedule(i));
}

/* heddle_graph_stream_status reports a run in a stream that fails. */
static void enqueue_fails(void)
{
    heddle_ctx *ctx = rig_open_ctx(HEDDLE_SCHEDULE_RINGS, 0, 0);
    cudaStream_t stream;
    heddle_status s;
    rig r;
    rig_open(&r, ctx);
    (void)rig_add(&r, faulty_code, 0, 7);
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK_OK(ctx, heddle_graph_enqueue(ctx, r.g, &r.params, sizeof r.params, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    s = heddle_graph_stream_status(r.g);
    CHECK_MSG(s == HEDDLE_EBODY, "%s", heddle_status_text(s));
    rig_says(ctx, "failed with code 7");
    CUDA_OK(cudaStreamDestroy(stream));
    rig_close(&r);
    rig_usable(ctx, "after a failure in a stream");
    heddle_ctx_close(ctx);
}

/* ---- several at once --------------------------------------------------------------------------------------------- */

static void *live(void *arg)
{
    uint32_t i, id = (uint32_t)(uintptr_t)arg;
    const heddle_schedule s = gpu_schedule(id % N_GPU_SCHEDULES);
    heddle_ctx *ctx = rig_open_ctx(s, heddle_schedule_has_workers(s) ? 40 : 0, 30000);
    rig r;
    rig_open(&r, ctx);
    rig_chains(&r, 40, 30);
    for (i = 0; i < 100; i++)
        rig_run_well(&r, "several contexts");
    rig_close(&r);
    heddle_ctx_close(ctx);
    return NULL;
}

/* Contexts of several threads; their kernels run side by side, or one waits for another. */
static void contexts(void)
{
    pthread_t thread[6];
    uint32_t i;
    for (i = 0; i < 6; i++)
        CHECK(pthread_create(&thread[i], NULL, live, (void *)(uintptr_t)i) == 0);
    for (i = 0; i < 6; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
}

/* Jobs of one context run in the order of submission. */
static void jobs(void)
{
    heddle_ctx *ctx = rig_open_ctx(HEDDLE_SCHEDULE_RINGS, 0, 20000);
    heddle_job *j[8];
    rig r[8];
    uint32_t i, round;
    for (i = 0; i < 8; i++) {
        rig_open(&r[i], ctx);
        rig_chains(&r[i], 16, 10);
    }
    for (round = 0; round < 5; round++) {
        for (i = 0; i < 8; i++)
            CHECK_OK(ctx, heddle_graph_submit(ctx, r[i].g, &r[i].params, sizeof r[i].params, &j[i]));
        for (i = 0; i < 8; i++)
            CHECK_OK(ctx, heddle_job_wait(j[7 - i], HEDDLE_FOREVER));
        for (i = 0; i < 8; i++) {
            heddle_job_free(j[i]);
            rig_expect(&r[i], 1);
            rig_check(&r[i], "jobs");
        }
    }
    for (i = 0; i < 8; i++)
        rig_close(&r[i]);
    heddle_ctx_close(ctx);
}

/* Runs beside another stream's kernels, which come and go on all SMs. */
static void beside(void)
{
    cudaStream_t stream;
    uint32_t i, k;
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (k = 0; k < N_GPU_SCHEDULES; k++) {
        heddle_ctx *ctx = rig_open_ctx(gpu_schedule(k), 0, 20000);
        rig r;
        rig_open(&r, ctx);
        rig_chains(&r, 48, 20);
        for (i = 0; i < 50; i++) {
            CUDA_OK(spin_launch(stream, 1000, 256, 0, 20000));
            rig_run_well(&r, heddle_schedule_name(gpu_schedule(k)));
        }
        rig_close(&r);
        heddle_ctx_close(ctx);
    }
    CUDA_OK(cudaStreamSynchronize(stream));
    CUDA_OK(cudaStreamDestroy(stream));
}

/* ---- the card is full -- */

/* Fills every SM for `ms`. */
static void take_card(cudaStream_t stream, uint64_t ms)
{
    heddle_device d = HEDDLE_DEVICE_INIT;
    CHECK_OK(NULL, heddle_device_get(HEDDLE_CUDA, 0, &d));
    CUDA_OK(spin_launch(stream, d.n_units, 1024, d.shared_bytes, ms * 1000000));
}

/* Without a limit, or with a long one, the run waits for its turn. */
static void waits_for_card(void)
{
    heddle_ctx *ctx = rig_open_ctx(HEDDLE_SCHEDULE_RINGS, 0, 20000);
    cudaStream_t stream;
    double begin;
    rig r;
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    rig_open(&r, ctx);
    rig_chains(&r, 32, 10);
    rig_run_well(&r, "before");
    begin = rig_ms();
    take_card(stream, 500);
    CHECK_OK(ctx, rig_run(&r));
    CHECK_MSG(rig_ms() - begin > 400, "the card was not taken: %.0f ms", rig_ms() - begin);
    rig_expect(&r, 1);
    rig_check(&r, "behind a long kernel");
    CUDA_OK(cudaStreamSynchronize(stream));
    CUDA_OK(cudaStreamDestroy(stream));
    rig_close(&r);
    heddle_ctx_close(ctx);
}

/* With a short limit the sentence distinguishes a run that has not begun from one that hangs; the context stays usable. */
static void limit_before_start(void)
{
    heddle_ctx *ctx = rig_open_ctx(HEDDLE_SCHEDULE_RINGS, 0, 200);
    cudaStream_t stream;
    heddle_status s;
    rig r;
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    rig_open(&r, ctx);
    rig_chains(&r, 32, 10);
    rig_run_well(&r, "before");
    take_card(stream, 1000);
    s = rig_run(&r);
    CHECK_MSG(s == HEDDLE_ETIMEDOUT, "%s: %s", heddle_status_text(s), heddle_error_text(ctx));
    rig_says(ctx, "no worker has started");
    CUDA_OK(cudaStreamSynchronize(stream));
    CUDA_OK(cudaStreamDestroy(stream));
    rig_close(&r);
    rig_usable(ctx, "after a run that found the card taken");
    heddle_ctx_close(ctx);
}

static const child_case cases[] = {{"present", present, 60, 0},
                                   {"enqueue", enqueue, 60, 0},
                                   {"capture", capture, 60, 0},
                                   {"enqueue_fails", enqueue_fails, 30, 0},
                                   {"contexts", contexts, 60, 0},
                                   {"jobs", jobs, 30, 0},
                                   {"beside", beside, 60, 0},
                                   {"waits_for_card", waits_for_card, 30, 0},
                                   {"limit_before_start", limit_before_start, 30, 0}};

int main(int argc, char **argv) { return children_main(argc, argv, cases, sizeof cases / sizeof cases[0]); }
