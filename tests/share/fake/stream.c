/* SPDX-License-Identifier: MIT */
/* stream.c - contexts, streams and events of the fake driver. A stream is a thread that takes operations in order; an
 * operation names the marks of other streams that it comes after, and CUDA's rules are nothing but such marks. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STREAMS = 1024 };

struct CUstream_st {
    CUcontext context;
    int is_blocking, is_capturing, is_broken, is_destroyed;
    uint64_t n_issued, n_done, n_nodes;
    fake_op *first, *last;
    pthread_t thread;
};
struct CUctx_st {
    CUdevice device;
    int is_primary, n_users, is_destroyed;
    CUstream legacy, streams[MOST_STREAMS]; /* the legacy one is not among them */
    size_t n_streams;
};
struct CUevent_st {
    fake_mark marks[1];
    size_t n_marks;
    int is_captured;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static CUcontext primary[FAKE_MOST_DEVICES];
static _Thread_local CUcontext current;
static _Thread_local CUstream own;
static _Thread_local int capture_mode;

/* ---- threads ---- */

static int all_done(const fake_op *op)
{
    for (size_t i = 0; i < op->n_waits; i++)
        if (op->waits[i].stream->n_done < op->waits[i].count)
            return 0;
    return 1;
}

static void *stream_main(void *self)
{
    CUstream s = self;
    pthread_mutex_lock(&lock);
    for (;;) {
        fake_op *op = s->first;
        if (!op || !all_done(op)) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        s->first = op->next;
        pthread_mutex_unlock(&lock);
        op->run(op);
        free(op->waits);
        free(op);
        pthread_mutex_lock(&lock);
        s->n_done++;
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

static CUstream new_stream(CUcontext c, int is_blocking)
{
    CUstream s = calloc(1, sizeof *s);
    pthread_attr_t detached;
    if (!s)
        return NULL;
    s->context = c, s->is_blocking = is_blocking;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&s->thread, &detached, stream_main, s))
        abort();
    pthread_attr_destroy(&detached);
    return s;
}

static CUstream add_stream(CUcontext c, int is_blocking)
{
    CUstream s = new_stream(c, is_blocking);
    pthread_mutex_lock(&lock);
    if (c->n_streams == MOST_STREAMS)
        abort();
    c->streams[c->n_streams++] = s;
    pthread_mutex_unlock(&lock);
    return s;
}

CUstream fake_stream_of(CUstream s, int is_per_thread)
{
    if (!current)
        return NULL;
    if (s == CU_STREAM_LEGACY || (!s && !is_per_thread))
        return current->legacy;
    if (s && s != CU_STREAM_PER_THREAD)
        return s;
    if (!own || own->context != current)
        own = add_stream(current, 1);
    return own;
}

int fake_stream_device(CUstream s) { return s->context->device; }

/* ---- what comes after what ---- */

static void add_wait(fake_op *op, CUstream s, uint64_t count)
{
    if (s->n_done < count)
        op->waits[op->n_waits++] = (fake_mark){s, count};
}

/* Marks that a new operation of s comes after, by the rules of the legacy stream. */
static void legacy_rules(fake_op *op, CUstream s)
{
    CUcontext c = s->context;
    if (s == c->legacy)
        for (size_t i = 0; i < c->n_streams; i++) {
            if (c->streams[i]->is_blocking)
                add_wait(op, c->streams[i], c->streams[i]->n_issued);
        }
    else if (s->is_blocking)
        add_wait(op, c->legacy, c->legacy->n_issued);
}

static CUresult capture_rules(CUstream s)
{
    CUcontext c = s->context;
    if (s->is_capturing) {
        s->n_nodes++;
        return CUDA_SUCCESS;
    }
    for (size_t i = 0; s == c->legacy && i < c->n_streams; i++)
        if (c->streams[i]->is_capturing && c->streams[i]->is_blocking) {
            c->streams[i]->is_broken = 1;
            return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        }
    return CUDA_ERROR_NOT_READY; /* not a capture */
}

static CUresult may_issue(CUstream s) { return s->is_destroyed ? CUDA_ERROR_INVALID_HANDLE : capture_rules(s); }

static void append(CUstream s, fake_op *op)
{
    if (s->first)
        s->last->next = op;
    else
        s->first = op;
    s->last = op;
    s->n_issued++;
    pthread_cond_broadcast(&changed);
}

CUresult fake_enqueue(CUstream s, const fake_op *op)
{
    fake_op *mine;
    CUresult r;
    if (!s)
        return CUDA_ERROR_INVALID_CONTEXT;
    mine = malloc(sizeof *mine);
    if (!mine)
        abort();
    *mine = *op;
    mine->next = NULL;
    pthread_mutex_lock(&lock);
    r = may_issue(s);
    if (r == CUDA_ERROR_NOT_READY) {
        mine->waits = calloc(s->context->n_streams + 2 + op->n_waits, sizeof *mine->waits);
        mine->n_waits = 0;
        for (size_t i = 0; i < op->n_waits; i++)
            add_wait(mine, op->waits[i].stream, op->waits[i].count);
        legacy_rules(mine, s);
        mine->device = s->context->device;
        append(s, mine);
        r = CUDA_SUCCESS;
    } else
        free(mine);
    pthread_mutex_unlock(&lock);
    return r;
}

static void nothing(fake_op *op) { (void)op; }

/* Synchronising is an error while anybody captures, unless the thread has said that it knows. */
static CUresult may_wait(CUstream s)
{
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    if (s->is_capturing) {
        s->is_broken = 1;
        r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    pthread_mutex_unlock(&lock);
    return r;
}

/* Waits for what was issued into s, and for nothing else that its next operation would come after. */
static CUresult finish_issued(CUstream s)
{
    uint64_t count;
    CUresult r = s ? may_wait(s) : CUDA_ERROR_INVALID_CONTEXT;
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&lock);
    r = may_issue(s);
    for (count = s->n_issued; r == CUDA_ERROR_NOT_READY && s->n_done < count;)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return r == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : r;
}

/* An operation is put behind all that s holds, and waited for: thus the legacy stream waits for the blocking ones. */
CUresult fake_finish(CUstream s)
{
    fake_op op = {.run = nothing};
    CUresult r = s ? may_wait(s) : CUDA_ERROR_INVALID_CONTEXT;
    if (r == CUDA_SUCCESS)
        r = fake_enqueue(s, &op);
    return r == CUDA_SUCCESS ? finish_issued(s) : r;
}

/* ---- contexts ---- */

CUresult cuInit(unsigned flags)
{
    (void)flags;
    ENTER(cuInit);
    return CUDA_SUCCESS;
}

static CUcontext new_context(CUdevice d, int is_primary)
{
    CUcontext c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->device = d, c->is_primary = is_primary;
    c->legacy = new_stream(c, 1);
    return c;
}

CUresult cuCtxCreate_v2(CUcontext *c, unsigned flags, CUdevice d)
{
    (void)flags;
    ENTER(cuCtxCreate_v2);
    *c = current = new_context(d, 0);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d)
{
    ENTER(cuDevicePrimaryCtxRetain);
    pthread_mutex_lock(&lock);
    if (!primary[d])
        primary[d] = new_context(d, 1);
    primary[d]->n_users++;
    *c = primary[d];
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* Streams stay in memory: marks name them. What is put into one afterwards is lost. */
static CUresult destroy(CUcontext c)
{
    if (!c || c->is_destroyed)
        return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&lock);
    c->is_destroyed = 1;
    for (size_t i = 0; i < c->n_streams; i++)
        c->streams[i]->is_destroyed = 1;
    pthread_mutex_unlock(&lock);
    fake_release_of(c);
    if (current == c)
        current = NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext c)
{
    ENTER(cuCtxDestroy_v2);
    return destroy(c);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice d)
{
    CUcontext c = primary[d];
    ENTER(cuDevicePrimaryCtxReset_v2);
    primary[d] = NULL;
    return c ? destroy(c) : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d)
{
    ENTER(cuDevicePrimaryCtxRelease_v2);
    if (!primary[d])
        return CUDA_ERROR_INVALID_CONTEXT;
    return --primary[d]->n_users ? CUDA_SUCCESS : cuDevicePrimaryCtxReset_v2(d);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice d, unsigned *flags, int *is_active)
{
    ENTER(cuDevicePrimaryCtxGetState);
    *flags = 0, *is_active = primary[d] != NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext c)
{
    ENTER(cuCtxSetCurrent);
    current = c;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *c)
{
    ENTER(cuCtxGetCurrent);
    *c = current;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *d)
{
    ENTER(cuCtxGetDevice);
    if (!current)
        return CUDA_ERROR_INVALID_CONTEXT;
    *d = current->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize_v2(CUcontext c)
{
    ENTER(cuCtxSynchronize_v2);
    return c == current ? cuCtxSynchronize() : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuCtxSynchronize(void)
{
    CUresult r;
    size_t n;
    ENTER(cuCtxSynchronize);
    if (!current)
        return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&lock);
    n = current->n_streams;
    pthread_mutex_unlock(&lock);
    r = fake_finish(current->legacy);
    for (size_t i = 0; r == CUDA_SUCCESS && i < n; i++) {
        r = fake_finish(current->streams[i]);
        if (r == CUDA_ERROR_INVALID_HANDLE) /* another thread has destroyed it, and waited for it */
            r = CUDA_SUCCESS;
    }
    return r;
}

/* ---- streams ---- */

CUresult cuStreamCreate(CUstream *s, unsigned flags)
{
    ENTER(cuStreamCreate);
    if (!current)
        return CUDA_ERROR_INVALID_CONTEXT;
    *s = add_stream(current, !(flags & CU_STREAM_NON_BLOCKING));
    return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream s, unsigned *flags)
{
    ENTER(cuStreamGetFlags);
    s = fake_stream_of(s, 0);
    *flags = s->is_blocking ? 0 : CU_STREAM_NON_BLOCKING;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream s)
{
    ENTER(cuStreamDestroy_v2);
    fake_finish(s);
    pthread_mutex_lock(&lock);
    s->is_destroyed = 1;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

#define SYNCHRONIZE(name, is_per_thread)                        \
    CUresult name(CUstream s)                                   \
    {                                                           \
        ENTER(name);                                            \
        return finish_issued(fake_stream_of(s, is_per_thread)); \
    }
SYNCHRONIZE(cuStreamSynchronize, 0)
SYNCHRONIZE(cuStreamSynchronize_ptsz, 1)

CUresult cuStreamQuery(CUstream s)
{
    int is_done;
    ENTER(cuStreamQuery);
    s = fake_stream_of(s, 0);
    pthread_mutex_lock(&lock);
    is_done = s->n_done == s->n_issued;
    pthread_mutex_unlock(&lock);
    return is_done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

#define CAPTURE(begin, end, is_per_thread)                              \
    CUresult begin(CUstream s, int mode)                                \
    {                                                                   \
        (void)mode;                                                     \
        ENTER(begin);                                                   \
        s = fake_stream_of(s, is_per_thread);                           \
        pthread_mutex_lock(&lock);                                      \
        s->is_capturing = 1, s->is_broken = 0, s->n_nodes = 0;          \
        pthread_mutex_unlock(&lock);                                    \
        return CUDA_SUCCESS;                                            \
    }                                                                   \
    /* The graph is the number of its nodes. */                         \
    CUresult end(CUstream s, CUgraph *g)                                \
    {                                                                   \
        CUresult r;                                                     \
        ENTER(end);                                                     \
        s = fake_stream_of(s, is_per_thread);                           \
        pthread_mutex_lock(&lock);                                      \
        r = !s->is_capturing ? CUDA_ERROR_INVALID_VALUE                 \
            : s->is_broken   ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED    \
                             : CUDA_SUCCESS;                              \
        s->is_capturing = 0;                                            \
        *g = r == CUDA_SUCCESS ? (CUgraph)(uintptr_t)s->n_nodes : NULL; \
        pthread_mutex_unlock(&lock);                                    \
        return r;                                                       \
    }
CAPTURE(cuStreamBeginCapture_v2, cuStreamEndCapture, 0)
CAPTURE(cuStreamBeginCapture_v2_ptsz, cuStreamEndCapture_ptsz, 1)

CUresult cuStreamIsCapturing(CUstream s, int *status)
{
    ENTER(cuStreamIsCapturing);
    s = fake_stream_of(s, 0);
    if (!s)
        return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&lock);
    *status = s->is_capturing;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(int *mode)
{
    int before = capture_mode;
    ENTER(cuThreadExchangeStreamCaptureMode);
    capture_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

/* ---- events ---- */

CUresult cuEventCreate(CUevent *e, unsigned flags)
{
    (void)flags;
    ENTER(cuEventCreate);
    *e = calloc(1, sizeof **e);
    return *e ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy_v2(CUevent e)
{
    ENTER(cuEventDestroy_v2);
    free(e);
    return CUDA_SUCCESS;
}

static CUresult record(CUevent e, CUstream s)
{
    fake_op op = {.run = nothing};
    CUresult r = fake_enqueue(s, &op);
    if (r == CUDA_SUCCESS) {
        pthread_mutex_lock(&lock);
        e->is_captured = s->is_capturing;
        e->marks[0] = (fake_mark){s, s->n_issued};
        e->n_marks = 1;
        pthread_mutex_unlock(&lock);
    }
    return r;
}

#define RECORD(name, with_flags, is_per_thread)                \
    CUresult name(CUevent e, CUstream s)                       \
    {                                                          \
        ENTER(name);                                           \
        return record(e, fake_stream_of(s, is_per_thread));    \
    }                                                          \
    CUresult with_flags(CUevent e, CUstream s, unsigned flags) \
    {                                                          \
        (void)flags;                                           \
        ENTER(with_flags);                                     \
        return record(e, fake_stream_of(s, is_per_thread));    \
    }
RECORD(cuEventRecord, cuEventRecordWithFlags, 0)
RECORD(cuEventRecord_ptsz, cuEventRecordWithFlags_ptsz, 1)

static CUresult event_state(CUevent e, int wait)
{
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    if (e->is_captured) {
        pthread_mutex_unlock(&lock);
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    for (size_t i = 0; i < e->n_marks; i++) {
        fake_mark *m = &e->marks[i];
        while (m->stream->n_done < m->count && r == CUDA_SUCCESS)
            if (wait)
                pthread_cond_wait(&changed, &lock);
            else
                r = CUDA_ERROR_NOT_READY;
    }
    pthread_mutex_unlock(&lock);
    return r;
}

CUresult cuEventSynchronize(CUevent e)
{
    ENTER(cuEventSynchronize);
    return event_state(e, 1);
}

CUresult cuEventQuery(CUevent e)
{
    ENTER(cuEventQuery);
    return event_state(e, 0);
}

#define WAIT_EVENT(name, is_per_thread)                             \
    CUresult name(CUstream s, CUevent e, unsigned flags)            \
    {                                                               \
        fake_op op = {.run = nothing};                              \
        (void)flags;                                                \
        ENTER(name);                                                \
        op.waits = e->marks, op.n_waits = e->n_marks;               \
        return fake_enqueue(fake_stream_of(s, is_per_thread), &op); \
    }
WAIT_EVENT(cuStreamWaitEvent, 0)
WAIT_EVENT(cuStreamWaitEvent_ptsz, 1)

/* ---- devices ---- */

CUresult cuDeviceGetCount(int *n)
{
    ENTER(cuDeviceGetCount);
    *n = (int)fake_number("FAKE_CUDA_DEVICES", 1);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *d, int i)
{
    ENTER(cuDeviceGet);
    if (i < 0 || i >= (int)fake_number("FAKE_CUDA_DEVICES", 1))
        return 101;
    *d = i;
    return CUDA_SUCCESS;
}

/* CUDA_VISIBLE_DEVICES=1 makes the second card the first device. */
CUresult cuDeviceGetUuid(CUuuid *u, CUdevice d)
{
    ENTER(cuDeviceGetUuid);
    memset(u, 'f', sizeof *u);
    u->bytes[15] = (char)(d + (int)fake_number("CUDA_VISIBLE_DEVICES", 0));
    return CUDA_SUCCESS;
}
