/* SPDX-License-Identifier: MIT */
/* loaded.c - a graph on the GPU: loading, starting, waiting, stopping, results.
 *
 *     start: record of params (if changed) -> event -> the form's run -> event; does not wait for the run
 *     wait:  polls the last event until it has happened or the deadline has passed. It makes no synchronising call: a hanging
 *            kernel would block the caller
 *     stop:  copies the reason into the stop word, in another stream: workers never read host memory
 *
 * After a stopped run the words are cleared before the next one. A device error makes the context lost. */
#include "backend/counted.h"
#include "backend/cuda/loaded.h"
#include "backend/cuda/pool.h"
#include "backend/schedule.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LANES_DEFAULT 128u
#define SPIN_NS 200000u /* a waiter polls this long, then sleeps between polls */
#define NAP_NS 20000u   /* between polls */
#define MAX_NOW 8192u   /* workers that the page of hd_now holds */

/* A record of params that a run in the user's stream copies from. In use for ever if captured, else until hd_cuda_synced
 * learns that the run has ended. */
typedef struct hd_app_copy {
    struct hd_app_copy *next;
    void *staged;
    int captured, in_use;
} hd_app_copy;

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static void free_forms(hd_loaded *l)
{
    while (l->forms) {
        hd_form *f = l->forms;
        l->forms = f->next;
        f->free(f);
    }
}

void hd_cuda_unload(hd_loaded *l)
{
    (void)cudaSetDevice(l->device->index);
    hd_cuda_pools_hold(l->device, 1); /* freeing waits for all kernels */
    free_forms(l);
    while (l->copies) {
        hd_app_copy *c = l->copies;
        l->copies = c->next;
        (void)cudaFreeHost(c->staged);
        hd_delete(c, sizeof *c);
    }
    (void)cudaFree(l->blob);
    (void)cudaFree(l->params);
    (void)cudaFreeHost(l->pinned);
    hd_delete(l->told, (l->graph->watched.n + 1) * 4);
    if (l->device->in_pieces == l)
        l->device->in_pieces = NULL;
    pthread_mutex_destroy(&l->mutex);
    if (l->began)
        (void)cudaEventDestroy(l->began);
    if (l->ended)
        (void)cudaEventDestroy(l->ended);
    if (l->done)
        (void)cudaEventDestroy(l->done);
    hd_cuda_pools_hold(l->device, 0);
    hd_delete(l, sizeof *l);
}

static heddle_status load_blob(hd_loaded *l, hd_error *e)
{
    const hd_graph *g = l->graph;
    const hd_blob *b = hd_graph_blob(g);
    size_t free_bytes = 0, total_bytes = 0;
    if (cudaMalloc((void **)&l->blob, b->n_bytes) != cudaSuccess) {
        (void)cudaGetLastError();
        (void)cudaMemGetInfo(&free_bytes, &total_bytes);
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: it needs %llu bytes on the GPU, %llu are free",
                      (unsigned long long)b->n_bytes, (unsigned long long)free_bytes);
    }
    HD_TRY(hd_cuda_copy(l->device, l->blob, g->blob, b->n_bytes, cudaMemcpyHostToDevice, e));
    l->tasks = (const hd_task *)(const void *)(l->blob + sizeof(hd_blob));
    l->edges = (const hd_edge *)(const void *)(l->blob + b->edges_at);
    l->args = l->blob + b->args_at;
    l->roots = (const uint32_t *)(const void *)(l->blob + b->roots_at);
    return HEDDLE_OK;
}

/* Divides the pinned host memory for transfers from and to the device; with `at` NULL only measures. One block, because each
 * allocation costs a system call. */
static uint64_t cut_pinned(hd_loaded *l, uint8_t *at)
{
    uint64_t n_bytes = 0;
#define PART(field, type, size)                            \
    l->field = at ? (type *)(void *)(at + n_bytes) : NULL; \
    n_bytes += ((uint64_t)(size) + HD_LINE - 1) / HD_LINE * HD_LINE
    PART(app_staged, void, l->n_params_bytes + 1u);
    PART(end, hd_end, sizeof(hd_end));
    PART(first, hd_control, sizeof(hd_control));
    PART(stop_word, uint32_t, HD_LINE);
    PART(watched, uint32_t, (l->graph->watched.n + 1) * 4);
    PART(now, hd_now, l->n_now * sizeof(hd_now));
#undef PART
    if (!l->n_now)
        l->now = NULL;
    return n_bytes;
}

static heddle_status pin(hd_loaded *l, hd_error *e)
{
    uint64_t n_bytes = cut_pinned(l, NULL);
    HD_CUDA_TRY(cudaHostAlloc((void **)&l->pinned, n_bytes, cudaHostAllocDefault), e, "loading a graph");
    memset(l->pinned, 0, n_bytes);
    (void)cut_pinned(l, l->pinned);
    return HEDDLE_OK;
}

static heddle_status load_words(hd_loaded *l, hd_error *e)
{
    const hd_graph *g = l->graph;
    l->n_params_bytes = g->table->params_bytes;
    HD_CUDA_TRY(cudaMalloc(&l->params, l->n_params_bytes + 1u), e, "loading a graph");
    HD_CUDA_TRY(cudaMemsetAsync(l->params, 0, l->n_params_bytes + 1u, l->device->side), e, "loading a graph");
    HD_CUDA_TRY(cudaStreamSynchronize(l->device->side), e, "loading a graph"); /* zero like app_staged (put_app) */
    l->n_now = l->device->config.time_limit_ms ? MAX_NOW : 0;
    HD_TRY(pin(l, e));
    l->told = hd_new((g->watched.n + 1) * 4);
    if (!l->told)
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    HD_CUDA_TRY(cudaEventCreate(&l->began), e, "loading a graph");
    HD_CUDA_TRY(cudaEventCreate(&l->ended), e, "loading a graph");
    HD_CUDA_TRY(cudaEventCreateWithFlags(&l->done, cudaEventDisableTiming), e, "loading a graph");
    return HEDDLE_OK;
}

heddle_status hd_cuda_load(hd_loaded **out, hd_device *d, const hd_work *work, hd_watcher watcher, hd_error *e)
{
    const hd_graph *g = work->desc;
    hd_loaded *l;
    heddle_status s;
    *out = NULL;
    HD_TRY(hd_cuda_use(d, e));
    l = hd_new(sizeof *l);
    if (!l)
        return hd_say(e, HEDDLE_ENOMEM, "loading a graph: out of memory");
    l->device = d;
    l->graph = g;
    l->watcher = watcher;
    pthread_mutex_init(&l->mutex, NULL);
    l->team_size = d->config.team_size ? d->config.team_size : g->team_size ? g->team_size : LANES_DEFAULT;
    l->shared_bytes = hd_graph_blob(g)->shared_bytes;
    s = load_blob(l, e);
    if (s == HEDDLE_OK)
        s = load_words(l, e);
    if (s != HEDDLE_OK)
        hd_cuda_unload(l);
    else
        *out = l;
    return s;
}

static void lose(hd_loaded *l, const char *text)
{
    if (!l->lost)
        snprintf(l->complaint, sizeof l->complaint, "%s", text);
    l->lost = 1;
}

void hd_cuda_changed(hd_loaded *l, uint32_t task)
{
    const hd_task *t = hd_graph_task(l->graph, task);
    const hd_blob *b = hd_graph_blob(l->graph);
    uint64_t at = (const uint8_t *)t - l->graph->blob;
    hd_error e;
    hd_form *f;
    heddle_status s = HEDDLE_OK;
    cudaError_t r = cudaSetDevice(l->device->index);
    if (r == cudaSuccess)
        r = cudaMemcpy(l->blob + at, t, sizeof *t, cudaMemcpyHostToDevice);
    at = b->args_at + t->args_at * 16ull;
    if (r == cudaSuccess && t->arg_bytes > HD_INLINE_ARGS)
        r = cudaMemcpy(l->blob + at, l->graph->blob + at, t->arg_bytes, cudaMemcpyHostToDevice);
    if (r != cudaSuccess)
        s = hd_cuda_say(&e, r, "changing the arguments of a task");
    for (f = l->forms; f && s == HEDDLE_OK; f = f->next)
        s = f->changed(f, task, &e);
    if (s != HEDDLE_OK)
        lose(l, e.text);
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

/* Copies the record of params to the device, unless it is there. */
static heddle_status put_app(hd_loaded *l, const void *params, cudaStream_t stream, hd_error *e)
{
    if (!l->n_params_bytes || (!l->captured && !memcmp(l->app_staged, params, l->n_params_bytes)))
        return HEDDLE_OK;
    memcpy(l->app_staged, params, l->n_params_bytes);
    HD_CUDA_TRY(cudaMemcpyAsync(l->params, l->app_staged, l->n_params_bytes, cudaMemcpyHostToDevice, stream), e,
                "copying the record of params");
    return HEDDLE_OK;
}

static void blank_page(hd_loaded *l)
{
    hd_now none = {HD_NONE, HD_NONE, 0, 0, 0, {0, 0, 0}};
    uint32_t i;
    for (i = 0; i < l->n_now && i < l->form->n_workers; i++)
        l->now[i] = none;
}

static heddle_status prepare(hd_loaded *l, hd_error *e)
{
    cudaStream_t stream = l->device->stream;
    if (l->lost)
        return hd_say(e, HEDDLE_EDEVICE, "%s", l->complaint);
    HD_TRY(hd_cuda_use(l->device, e));
    if (l->dirty && l->form) {
        HD_CUDA_TRY(cudaStreamSynchronize(l->device->side), e, "after a stopped run");
        HD_TRY(l->form->clear(l->form, stream, e));
        HD_CUDA_TRY(cudaStreamSynchronize(stream), e, "after a stopped run"); /* the next run may use another stream */
    }
    l->dirty = 0;
    HD_TRY(hd_choose(l, e));
    /* Run numbers restart after a stopped run: old entries must neither look new nor hide new ones. */
    memset(l->watched, 0, l->graph->watched.n * 4);
    memset(l->told, 0, l->graph->watched.n * 4);
    blank_page(l);
    return HEDDLE_OK;
}

/* Enqueues the run, or a piece of it, and what follows it. A stopped run has no further pieces. */
static heddle_status put_piece(hd_loaded *l, hd_error *e)
{
    cudaStream_t stream = l->device->stream;
    if (l->dirty) { /* in this stream, so that fetch sees it */
        l->form->n_left = 0;
        HD_CUDA_TRY(cudaMemcpyAsync(l->form->stop_word, l->stop_word, 4, cudaMemcpyHostToDevice, stream), e,
                    "stopping a run");
    } else {
        HD_TRY(l->form->start(l->form, stream, e));
    }
    if (!l->form->n_left) {
        HD_CUDA_TRY(cudaEventRecord(l->ended, stream), e, "starting a run");
        if (l->form->fetch)
            HD_TRY(l->form->fetch(l->form, stream, e));
    }
    HD_CUDA_TRY(cudaEventRecord(l->done, stream), e, "starting a run");
    return HEDDLE_OK;
}

/* Jobs run in order of submission: enqueues the remaining pieces of the last run before another. */
static heddle_status put_pieces_left(hd_device *d, hd_error *e)
{
    hd_loaded *l = d->in_pieces;
    heddle_status s = HEDDLE_OK;
    d->in_pieces = NULL;
    if (!l || l->lost)
        return HEDDLE_OK;
    pthread_mutex_lock(&l->mutex);
    while (s == HEDDLE_OK && l->form->n_left)
        s = put_piece(l, e);
    pthread_mutex_unlock(&l->mutex);
    return s;
}

heddle_status hd_cuda_start(hd_loaded *l, const void *params, int help, uint64_t limit_ns, hd_error *e)
{
    cudaStream_t stream = l->device->stream;
    heddle_status s;
    (void)help;
    (void)limit_ns;
    HD_TRY(put_pieces_left(l->device, e));
    HD_TRY(prepare(l, e));
    HD_TRY(put_app(l, params, stream, e));
    l->begin_ns = heddle_host_clock_ns();
    HD_CUDA_TRY(cudaEventRecord(l->began, stream), e, "starting a run");
    l->form->n_left = 0;
    hd_cuda_pools_hold(l->device, 1);
    s = put_piece(l, e);
    hd_cuda_pools_hold(l->device, 0); /* a resident kernel comes back behind this run */
    HD_TRY(s);
    l->device->in_pieces = l->form->n_left ? l : NULL;
    __atomic_store_n(&l->running, 1, __ATOMIC_RELEASE);
    return HEDDLE_OK;
}

/* Reports watched tasks that were done since the last call. */
static void tell_watcher(hd_loaded *l)
{
    uint64_t i;
    for (i = 0; i < l->graph->watched.n; i++) {
        uint32_t run = __atomic_load_n(&l->watched[i], __ATOMIC_ACQUIRE);
        if (__atomic_exchange_n(&l->told[i], run, __ATOMIC_RELAXED) == run)
            continue;
        l->watcher.done(l->watcher.self, hd_task_of_watch(l->graph, i));
    }
}

/* Queries the last event. If it has happened but pieces remain, enqueues the next one and returns "not ready". */
static cudaError_t ask(hd_loaded *l)
{
    hd_error e;
    cudaError_t r;
    pthread_mutex_lock(&l->mutex);
    r = cudaEventQuery(l->done);
    if (r == cudaSuccess && l->form->n_left) {
        r = cudaErrorNotReady;
        if (hd_cuda_use(l->device, &e) != HEDDLE_OK || put_piece(l, &e) != HEDDLE_OK)
            lose(l, e.text);
    }
    pthread_mutex_unlock(&l->mutex);
    return r;
}

/* May a waiter sleep? It wakes up some 0.1 ms late. So it does not sleep at first, nor near the expected end, taken from the
 * best earlier run. */
static int may_nap(const hd_loaded *l, uint64_t waited_ns)
{
    uint64_t expected = l->form->best_ns;
    if (l->device->in_pieces == l) /* the next piece must not be late */
        return 0;
    return waited_ns > SPIN_NS && (waited_ns < expected - expected / 16 || waited_ns > expected + expected / 16);
}

heddle_status hd_cuda_wait(hd_loaded *l, uint64_t deadline_ns)
{
    uint64_t began = heddle_host_clock_ns(), now = began;
    struct timespec nap = {0, NAP_NS};
    hd_error e;
    cudaError_t r = cudaSuccess;
    if (!__atomic_load_n(&l->running, __ATOMIC_ACQUIRE))
        return HEDDLE_OK;
    while (!l->lost && (r = ask(l)) == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* "not ready" counts as an error, which the caller would find */
        tell_watcher(l);
        now = heddle_host_clock_ns();
        if (now >= deadline_ns)
            return HEDDLE_EBUSY;
        if (may_nap(l, now - began))
            nanosleep(&nap, NULL);
    }
    if (r != cudaSuccess) {
        (void)hd_cuda_say(&e, r, "the GPU failed during a run");
        lose(l, e.text);
    }
    tell_watcher(l);
    __atomic_store_n(&l->running, 0, __ATOMIC_RELEASE);
    return HEDDLE_OK;
}

void hd_cuda_stop(hd_loaded *l, uint32_t why)
{
    if (!__atomic_load_n(&l->running, __ATOMIC_ACQUIRE) || l->lost || !l->form->stop_word)
        return;
    pthread_mutex_lock(&l->mutex);
    l->dirty = 1;
    *l->stop_word = why;
    (void)cudaSetDevice(l->device->index);
    (void)cudaMemcpyAsync(l->form->stop_word, l->stop_word, 4, cudaMemcpyHostToDevice, l->device->side);
    pthread_mutex_unlock(&l->mutex);
}

/* ---- afterwards --------------------------------------------------------------------------------------------------- */

static void say_way(const hd_loaded *l, hd_outcome *out)
{
    const heddle_schedule s = l->form ? l->form->schedule : HEDDLE_SCHEDULE_AUTO;
    out->how = l->how;
    out->schedule = s;
    out->policy =
        hd_way_of(s, HEDDLE_CUDA)->takes & HD_TAKES_POLICY ? l->device->config.expert.policy : HEDDLE_POLICY_DEFAULT;
    out->team_size = l->team_size;
}

static void lost_result(hd_loaded *l, hd_outcome *out)
{
    memset(out, 0, sizeof *out);
    out->stop = HD_STOP_LOST;
    say_way(l, out);
}

/* timed: started by hd_cuda_start, between events. */
static void settle(hd_loaded *l, int timed, hd_outcome *out)
{
    hd_error e;
    float ms = 0;
    if (l->lost || l->form->result(l->form, out, &e) != HEDDLE_OK) {
        lose(l, l->lost ? "" : e.text);
        lost_result(l, out);
        return;
    }
    if (out->code && out->stop != HD_STOP_DONE && out->stop != HD_STOP_SPAWN)
        out->stop = HD_STOP_FAILED; /* a body failed before the run was stopped */
    l->dirty |= out->stop != HD_STOP_DONE;
    say_way(l, out);
    out->is_trying = !l->settled;
    out->cost = l->cost;
    if (timed && !l->device->config.n_trace && cudaEventElapsedTime(&ms, l->began, l->ended) == cudaSuccess) {
        out->begin_ns = 0; /* without a trace no other clock must agree */
        out->end_ns = (uint64_t)((double)ms * 1e6);
    }
    if (timed && out->stop == HD_STOP_DONE)
        hd_choice_note(l, out->end_ns - out->begin_ns);
}

/* May be called repeatedly for a run; the first call reads the result. */
void hd_cuda_result(const hd_loaded *loaded, hd_outcome *out)
{
    hd_loaded *l = (hd_loaded *)(uintptr_t)loaded;
    if (l->begin_ns) {
        settle(l, 1, &l->last);
        l->begin_ns = 0;
    }
    *out = l->last;
}

int hd_cuda_doing(const hd_loaded *l, uint32_t worker, hd_doing *out)
{
    hd_doing d = {HD_NONE, HD_NONE, 0, 0, 0};
    const hd_now *n;
    if (!l->form || !l->now || !heddle_schedule_has_workers(l->form->schedule) || worker >= l->form->n_workers ||
        worker >= l->n_now)
        return 0;
    n = &l->now[worker];
    d.here = __atomic_load_n(&n->came, __ATOMIC_RELAXED) != 0;
    d.task = __atomic_load_n(&n->task, __ATOMIC_RELAXED);
    d.waits = __atomic_load_n(&n->waits, __ATOMIC_RELAXED);
    d.seen = __atomic_load_n(&n->seen, __ATOMIC_RELAXED);
    d.need = __atomic_load_n(&n->need, __ATOMIC_RELAXED);
    *out = d;
    return 1;
}

/* Copies words of a run in progress, in the side stream. A copy into pageable memory is complete when the call returns, and
 * it passes a resident kernel (doc/cuda-beside.md). */
static int peek(const hd_device *d, void *host, const void *device, uint64_t n_bytes)
{
    return cudaMemcpyAsync(host, device, n_bytes, cudaMemcpyDeviceToHost, d->side) == cudaSuccess;
}

uint32_t hd_cuda_waiting(hd_loaded *l, hd_doing *out, uint32_t n_max)
{
    uint64_t n_bytes = l->graph->n_tasks * 4ull;
    uint32_t run = 0, n = 0, *count;
    if (l->lost || !l->form || !l->form->count || !(count = hd_new(n_bytes)))
        return 0;
    (void)cudaSetDevice(l->device->index);
    if (peek(l->device, &run, l->form->run, sizeof run) && peek(l->device, count, l->form->count, n_bytes))
        n = hd_counted(l->graph, count, run, out, n_max);
    hd_delete(count, n_bytes);
    return n;
}

const char *hd_cuda_complaint(const hd_loaded *l) { return l->complaint; }

/* ---- into the user's stream ---------------------------------------------------------------------------------------- */

/* An unused record of params, or a new one. */
static heddle_status find_app_copy(hd_app_copy **out, hd_loaded *l, hd_error *e)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    hd_app_copy *c;
    cudaError_t r;
    for (c = l->copies; c && c->in_use; c = c->next)
        continue;
    *out = c;
    if (c)
        return HEDDLE_OK;
    c = hd_new(sizeof *c);
    if (!c)
        return hd_say(e, HEDDLE_ENOMEM, "heddle_graph_enqueue: out of memory");
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    r = cudaHostAlloc(&c->staged, l->n_params_bytes, cudaHostAllocDefault);
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    if (r != cudaSuccess) {
        hd_delete(c, sizeof *c);
        return hd_cuda_say(e, r, "heddle_graph_enqueue");
    }
    c->next = l->copies;
    *out = l->copies = c;
    return HEDDLE_OK;
}

/* Copies params to the device in the user's stream. Uses a separate record, because earlier runs may not have copied theirs
 * yet and replays copy it again. */
static heddle_status put_app_copy(hd_loaded *l, const void *params, cudaStream_t stream, int capturing, hd_error *e)
{
    hd_app_copy *c;
    if (!l->n_params_bytes || (!capturing && !l->captured && !memcmp(l->app_staged, params, l->n_params_bytes)))
        return HEDDLE_OK;
    HD_TRY(find_app_copy(&c, l, e));
    memcpy(c->staged, params, l->n_params_bytes);
    c->captured = capturing;
    c->in_use = 1;
    HD_CUDA_TRY(cudaMemcpyAsync(l->params, c->staged, l->n_params_bytes, cudaMemcpyHostToDevice, stream), e,
                "heddle_graph_enqueue");
    if (!capturing)
        memcpy(l->app_staged, params, l->n_params_bytes);
    return HEDDLE_OK;
}

heddle_status hd_cuda_enqueue(hd_loaded *l, const void *params, void *stream, hd_error *e)
{
    cudaStream_t s = stream;
    int capturing = hd_cuda_capturing(s);
    if (capturing && !l->form)
        return hd_say(e, HEDDLE_EINVAL, "heddle_graph_enqueue: run the graph once before its run is captured");
    if (!capturing)
        HD_TRY(prepare(l, e));
    HD_TRY(put_app_copy(l, params, s, capturing, e));
    l->captured |= capturing;
    l->form->n_left = 0;
    do
        HD_TRY(l->form->start(l->form, s, e));
    while (l->form->n_left);
    return l->form->fetch ? l->form->fetch(l->form, s, e) : HEDDLE_OK;
}

void hd_cuda_synced(hd_loaded *l, hd_outcome *out)
{
    hd_app_copy *c;
    for (c = l->copies; c; c = c->next)
        c->in_use = c->captured;
    settle(l, 0, &l->last);
    *out = l->last;
}
