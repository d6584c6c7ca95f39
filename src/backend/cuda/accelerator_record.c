/* SPDX-License-Identifier: MIT */
/* accelerator_record.c - what is put into the queues of several GPUs as a CUDA graph (heddle/fleet.h, from `record_begin` on).
 *
 * The streams of all queues are captured: one begins, all others join it by an event, and at the end it joins all of them. Points are put and
 * followed as usual (accelerator_points.c), with the queue's ring of events; in a capture an event is a place in the graph. Nobody asks
 * whether such an event has passed, since outside of the record its numbers count as passed.
 *
 * A replay is a launch of the graph into the first part's stream for bodies, and an event behind it. Launches of one graph follow one
 * another. When one has ended, the words of all queues are looked at: a code may be of a body in it or in the next one, and the words are
 * whole when that one has ended. The upper half of its index follows from the lowest index of the spans recorded in that queue.
 *
 * If the work of a function (call) cannot be captured, there is no record, and the queues go on as before. */
#include "backend/cuda/accelerator.h"

#include <string.h>

typedef struct hd_record {
    uint32_t n_parts;
    hd_part **parts;
    uint64_t (*lowest)[HD_PART_QUEUES]; /* of each part: index of spans, by queue */
    cudaGraphExec_t exec;
    cudaEvent_t events[HEDDLE_MOST_REPLAYS];
    uint64_t n_put, n_ended;
    uint64_t tell_at; /* a body has failed, which is told when so many have ended; 0: none has */
    int has_told;
} hd_record;

static uint64_t lowest_bytes(uint32_t n) { return (uint64_t)n * HD_PART_QUEUES * sizeof(uint64_t); }

/* ---- the parts ------------------------------------------------------------------------------------------------------------- */

/* Numbers of points begin anew, or go on from where they were. */
static void set_aside(hd_part *p)
{
    uint32_t q;
    p->capture.was_broken = p->is_broken;
    for (q = 0; q < HD_PART_QUEUES; q++) {
        p->capture.last[q] = p->points[q].last;
        p->capture.lowest[q] = HD_NO_SPAN;
        p->points[q].last = p->points[q].passed = p->points[q].told = 0;
        p->points[q].begin = HD_NO_SPAN;
    }
}

static void put_back(hd_part *p)
{
    uint32_t q;
    p->is_broken = p->capture.was_broken;
    for (q = 0; q < HD_PART_QUEUES; q++) {
        p->points[q].last = p->points[q].passed = p->points[q].told = p->capture.last[q];
        p->points[q].begin = HD_NO_SPAN;
    }
}

/* ---- capturing ------------------------------------------------------------------------------------------------------------- */

/* One stream waits for another. The event may go at once. */
static cudaError_t join(const hd_part *waits, uint32_t queue, const hd_part *other, uint32_t other_queue)
{
    cudaEvent_t event = NULL;
    cudaError_t r = cudaSetDevice(other->device->index);
    if (r == cudaSuccess)
        r = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (r == cudaSuccess)
        r = cudaEventRecord(event, other->streams[other_queue]);
    if (r == cudaSuccess)
        r = cudaSetDevice(waits->device->index);
    if (r == cudaSuccess)
        r = cudaStreamWaitEvent(waits->streams[queue], event, 0);
    if (event)
        (void)cudaEventDestroy(event);
    return r;
}

/* All other streams join the first one; or it joins them. */
static cudaError_t join_all(hd_part *const *parts, uint32_t n, int is_end)
{
    cudaError_t r = cudaSuccess;
    uint32_t i, q;
    for (i = 0; i < n; i++)
        for (q = 0; q < HD_PART_QUEUES && r == cudaSuccess; q++)
            if (i + q)
                r = is_end ? join(parts[0], 0, parts[i], q) : join(parts[i], q, parts[0], 0);
    return r;
}

static cudaError_t end_capture(const hd_part *first, cudaGraph_t *graph)
{
    cudaError_t r = cudaSetDevice(first->device->index);
    *graph = NULL;
    if (r == cudaSuccess)
        r = cudaStreamEndCapture(first->streams[0], graph);
    (void)cudaGetLastError();
    return r == cudaSuccess && !*graph ? cudaErrorStreamCaptureInvalidated : r;
}

/* Nothing of the process that other threads do is in the way of a relaxed capture. */
static heddle_status record_begin(void *const *selves, uint32_t n)
{
    hd_part *const *parts = (hd_part *const *)selves;
    cudaGraph_t graph;
    cudaError_t r = cudaSetDevice(parts[0]->device->index);
    uint32_t i;
    if (r == cudaSuccess)
        r = cudaStreamBeginCapture(parts[0]->streams[0], cudaStreamCaptureModeRelaxed);
    if (r != cudaSuccess)
        return hd_cuda_say(NULL, r, "beginning a record");
    r = join_all(parts, n, 0);
    for (i = 0; i < n; i++)
        set_aside(parts[i]);
    if (r == cudaSuccess)
        return HEDDLE_OK;
    for (i = 0; i < n; i++)
        put_back(parts[i]);
    (void)end_capture(parts[0], &graph);
    if (graph)
        (void)cudaGraphDestroy(graph);
    return hd_cuda_say(NULL, r, "beginning a record");
}

/* ---- the record ------------------------------------------------------------------------------------------------------------ */

static int is_whole(const hd_record *x)
{
    uint32_t i;
    for (i = 0; i < x->n_parts; i++)
        if (x->parts[i]->is_broken)
            return 0;
    return 1;
}

/* The host's memory for it. */
static void delete_record(hd_record *x)
{
    hd_delete(x->lowest, x->lowest ? lowest_bytes(x->n_parts) : 0);
    hd_delete(x->parts, x->parts ? x->n_parts * sizeof *x->parts : 0);
    hd_delete(x, sizeof *x);
}

static void record_free(void *recorded)
{
    hd_record *x = recorded;
    uint32_t i;
    if (is_whole(x) && x->n_ended == x->n_put) { /* a replay that never ends would be waited for */
        (void)cudaSetDevice(x->parts[0]->device->index);
        for (i = 0; i < HEDDLE_MOST_REPLAYS; i++)
            if (x->events[i])
                (void)cudaEventDestroy(x->events[i]);
        if (x->exec)
            (void)cudaGraphExecDestroy(x->exec);
    }
    delete_record(x);
}

static hd_record *new_record(hd_part *const *parts, uint32_t n)
{
    hd_record *x = hd_new(sizeof *x);
    uint32_t i;
    if (!x)
        return NULL;
    x->n_parts = n;
    x->parts = hd_new(n * sizeof *x->parts);
    x->lowest = hd_new(lowest_bytes(n));
    if (!x->parts || !x->lowest) {
        delete_record(x);
        return NULL;
    }
    memcpy(x->parts, parts, n * sizeof *x->parts);
    for (i = 0; i < n; i++)
        memcpy(x->lowest[i], parts[i]->capture.lowest, sizeof x->lowest[i]);
    return x;
}

/* The first launch need not bring the graph to the GPUs. */
static cudaError_t make_ready(hd_record *x, cudaGraph_t graph)
{
    const cudaStream_t stream = x->parts[0]->streams[0];
    cudaError_t r = cudaGraphInstantiate(&x->exec, graph, 0);
    uint32_t i;
    for (i = 0; i < HEDDLE_MOST_REPLAYS && r == cudaSuccess; i++)
        r = cudaEventCreateWithFlags(&x->events[i], cudaEventDisableTiming);
    if (r == cudaSuccess)
        r = cudaGraphUpload(x->exec, stream);
    return r == cudaSuccess ? cudaStreamSynchronize(stream) : r;
}

static heddle_status make_record(hd_part *const *parts, uint32_t n, cudaGraph_t graph, void **recorded)
{
    hd_record *x = new_record(parts, n);
    cudaError_t r;
    if (!x)
        return hd_say(NULL, HEDDLE_ENOMEM, "a record: out of memory");
    r = make_ready(x, graph);
    if (r == cudaSuccess) {
        *recorded = x;
        return HEDDLE_OK;
    }
    record_free(x);
    (void)cudaGetLastError();
    return hd_cuda_say(NULL, r, "making a CUDA graph of a record");
}

static heddle_status record_end(void *const *selves, uint32_t n, void **recorded)
{
    hd_part *const *parts = (hd_part *const *)selves;
    const cudaError_t joined = join_all(parts, n, 1);
    cudaGraph_t graph;
    const cudaError_t r = end_capture(parts[0], &graph);
    heddle_status s;
    uint32_t i;
    *recorded = NULL;
    for (i = 0; i < n; i++)
        put_back(parts[i]);
    if (joined != cudaSuccess || r != cudaSuccess)
        s = hd_cuda_say(NULL, r != cudaSuccess ? r : joined, "ending a record");
    else
        s = make_record(parts, n, graph, recorded);
    if (graph)
        (void)cudaGraphDestroy(graph);
    return s;
}

/* ---- replays --------------------------------------------------------------------------------------------------------------- */

/* Resident kernels of pools make way, as they do for a span. */
static void hold_pools(const hd_record *x, int begins)
{
    uint32_t i;
    for (i = 0; i < x->n_parts; i++)
        hd_cuda_pools_hold(x->parts[i]->device, begins);
}

static heddle_status replay(void *recorded)
{
    hd_record *x = recorded;
    hd_part *first = x->parts[0];
    cudaError_t r;
    if (x->n_put - x->n_ended >= HEDDLE_MOST_REPLAYS)
        return hd_say(NULL, HEDDLE_EBUSY, "%s: %u replays of a record are under way", first->name, HEDDLE_MOST_REPLAYS);
    hold_pools(x, 1);
    r = cudaSetDevice(first->device->index);
    if (r == cudaSuccess)
        r = cudaGraphLaunch(x->exec, first->streams[0]);
    if (r == cudaSuccess)
        r = cudaEventRecord(x->events[x->n_put % HEDDLE_MOST_REPLAYS], first->streams[0]);
    hold_pools(x, 0);
    if (r != cudaSuccess)
        return hd_cuda_say(NULL, r, "launching a record");
    x->n_put++;
    return HEDDLE_OK;
}

static cudaError_t look(hd_record *x)
{
    cudaError_t r = cudaSetDevice(x->parts[0]->device->index);
    while (r == cudaSuccess && x->n_ended < x->n_put) {
        r = cudaEventQuery(x->events[x->n_ended % HEDDLE_MOST_REPLAYS]);
        x->n_ended += r == cudaSuccess;
    }
    if (r == cudaErrorNotReady) {
        (void)cudaGetLastError();
        r = cudaSuccess;
    }
    return r;
}

/* The words of a queue that have a code; NULL: none have. */
static const hd_fail *failed(const hd_record *x, uint32_t *which, uint32_t *queue)
{
    for (*which = 0; *which < x->n_parts; ++*which)
        for (*queue = 0; *queue < HD_PART_QUEUES; ++*queue) {
            const hd_fail *f = &x->parts[*which]->words[*queue].fail;
            if (HD_LOAD(&f->code, ACQUIRE, SYS))
                return f;
        }
    return NULL;
}

static void forget(hd_record *x)
{
    uint32_t i, q;
    for (i = 0; i < x->n_parts; i++)
        for (q = 0; q < HD_PART_QUEUES; q++)
            hd_part_unfail(x->parts[i], q);
    x->tell_at = 0;
    x->has_told = 0;
}

static heddle_status replayed(void *recorded, uint64_t *n, uint32_t *which, uint32_t *code, uint64_t *index)
{
    hd_record *x = recorded;
    const cudaError_t r = look(x);
    heddle_status s = HEDDLE_OK;
    const hd_fail *f;
    uint32_t queue;
    if (r != cudaSuccess)
        return hd_cuda_say(NULL, r, "the GPUs failed while they replayed a record");
    *n = x->n_ended;
    f = failed(x, which, &queue);
    if (f && !x->tell_at)
        x->tell_at = x->n_ended < x->n_put ? x->n_ended + 1u : x->n_ended;
    if (f && !x->has_told && x->n_ended >= x->tell_at) {
        *code = f->code;
        *index = hd_span_failed_at(f, x->lowest[*which][queue]);
        x->has_told = 1;
        s = HEDDLE_EBODY;
    }
    if (x->has_told && x->n_ended == x->n_put)
        forget(x);
    return s;
}

void hd_part_record_functions(heddle_accelerator *out)
{
    out->record_begin = record_begin;
    out->record_end = record_end;
    out->replay = replay;
    out->replayed = replayed;
    out->record_free = record_free;
}
