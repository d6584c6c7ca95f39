/* SPDX-License-Identifier: MIT */
/* copy.c - decides what becomes of a copy (copy.h). */
#include "copy.h"

#include "ahead.h"
#include "clock.h"
#include "gate.h"
#include "own.h"
#include "record.h"
#include "stage.h"
#include "task.h"
#include "variable.h"

#include <errno.h>

size_t share_large = SIZE_MAX; /* until the settings are read: then nothing is looked at */
static uint64_t part_bytes;
static int stages;

__attribute__((constructor)) static void read_settings(void)
{
    share_driver_begin();
    share_setting_load();
    stages = (int)share_setting(SHARE_SET_STAGE);
    part_bytes = share_setting(SHARE_SET_PART);
    share_large = share_setting_is_off() ? SIZE_MAX : (size_t)share_setting(SHARE_SET_LARGE);
}

/* ---- memory ---- */

enum { UNKNOWN, PAGEABLE, PINNED, DEVICE };

/* Memory that the driver does not know is pageable. Managed memory moves by itself. Several attributes are asked for at once, because
 * then such memory is no error: tools that watch a program's calls would report it. */
static int kind_at(const share_driver *real, CUdeviceptr p)
{
    unsigned type = 0, is_managed = 0;
    int attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void *values[] = {&type, &is_managed};
    if (real->cuPointerGetAttributes(2, attributes, values, p) != CUDA_SUCCESS || !type)
        return PAGEABLE;
    if (is_managed)
        return UNKNOWN;
    return type == CU_MEMORYTYPE_HOST ? PINNED : type == CU_MEMORYTYPE_DEVICE ? DEVICE : UNKNOWN;
}

/* The first and the last byte are of one kind. */
static int kind_of(const share_driver *real, CUdeviceptr p, size_t n)
{
    int kind = kind_at(real, p);
    return kind == kind_at(real, p + n - 1) ? kind : UNKNOWN;
}

int share_copy_find(const share_driver *real, share_copy *c, CUdeviceptr to, CUdeviceptr from)
{
    int kind_to, kind_from;
    if (!real->cuPointerGetAttributes)
        return 0;
    kind_to = kind_at(real, to), kind_from = kind_at(real, from);
    if ((kind_to == DEVICE) == (kind_from == DEVICE) || kind_to == UNKNOWN || kind_from == UNKNOWN)
        return 0;
    c->direction = kind_to == DEVICE ? SHARE_IN : SHARE_OUT;
    c->device = kind_to == DEVICE ? to : from;
    c->host = (void *)(uintptr_t)(kind_to == DEVICE ? from : to);
    return 1;
}

/* In a capture, or while anybody captures, calls of ours could end it. */
int share_copy_captures(const share_driver *real, CUstream s)
{
    int status = 0;
    if (share_task_captures() || !real->cuStreamIsCapturing)
        return 1;
    return real->cuStreamIsCapturing(s, &status) != CUDA_SUCCESS || status;
}

/* ---- the ways of a copy ---- */

/* A copy of pinned memory is given to the driver in pieces, two at a time: when the turn is given on, the last one is on its way, so that
 * the next program finds a link that is busy until it has begun. */
typedef struct parts {
    const share_driver *real;
    const share_copy *copy;
    share_turn *turn;
    share_own own;
    uint64_t at, given; /* bytes that the driver has been given; up to the last end of a turn */
} parts;

static CUresult issue(parts *p, size_t n, CUevent e)
{
    char *h = (char *)p->copy->host + p->at;
    CUdeviceptr d = p->copy->device + p->at;
    CUresult r;
    share_turn_issues(p->turn);
    r = p->copy->direction == SHARE_IN ? p->real->cuMemcpyHtoDAsync_v2(d, h, n, p->own.stream)
                                       : p->real->cuMemcpyDtoHAsync_v2(h, d, n, p->own.stream);
    share_turn_beat(p->turn, n);
    p->at += n;
    return r == CUDA_SUCCESS ? p->real->cuEventRecord(e, p->own.stream) : r;
}

static CUresult give_turn(parts *p)
{
    CUresult r;
    share_turn_give(p->turn, p->at - p->given);
    p->given = p->at;
    r = p->real->cuStreamSynchronize(p->own.stream);
    share_turn_landed(p->turn);
    return r;
}

static void ask_turn(parts *p)
{
    share_turn_ask(p->turn, p->copy->n_bytes - p->at);
    share_turn_wait(p->turn);
}

static CUresult copy_parts(parts *p)
{
    CUresult r = CUDA_SUCCESS, last;
    size_t most = (size_t)(part_bytes / 2);
    ask_turn(p);
    for (int e = 0; r == CUDA_SUCCESS && p->at < p->copy->n_bytes; e = !e) {
        uint64_t rest = p->copy->n_bytes - p->at;
        r = p->real->cuEventSynchronize(p->own.events[e]);
        if (r == CUDA_SUCCESS && share_turn_is_over(p->turn)) {
            r = give_turn(p);
            ask_turn(p);
        }
        if (r == CUDA_SUCCESS)
            r = issue(p, rest < most ? (size_t)rest : most, p->own.events[e]);
    }
    last = give_turn(p);
    return r == CUDA_SUCCESS ? last : r;
}

static void count(uint64_t *word) { __atomic_add_fetch(word, 1, __ATOMIC_RELAXED); }

static _Thread_local uint64_t begin_ns; /* of the copy; 0: it is not known */

void share_copy_waits(const share_driver *real, CUstream s)
{
    int before = errno;
    if (!share_client_is_inert() && !share_task_captures())
        share_task_landed(share_ahead_land(real, s));
    errno = before;
}

/* All that the copy comes behind has ended: before a copy out that is what its task computed. */
static CUresult finish(const share_driver *real, const share_copy *c)
{
    CUresult r;
    share_copy_waits(real, c->stream);
    r = share_stage_finish(real, c->stream);
    if (r == CUDA_SUCCESS)
        share_task_waited(c->stream, 1);
    if (r == CUDA_SUCCESS && c->direction == SHARE_OUT)
        share_task_computed();
    begin_ns = share_now_ns();
    return r;
}

static int by_rings(const share_driver *real, const share_copy *c, CUresult *r)
{
    share_turn t;
    int gpu = share_client_gpu(real), made;
    *r = finish(real, c);
    if (*r != CUDA_SUCCESS)
        return 1;
    share_turn_begin(&t, gpu, c->direction);
    made = share_stage_copy(real, c, &t, r);
    share_turn_end(&t);
    if (made)
        count(&share_client_page()->n_staged);
    return made;
}

static CUresult rest_of(const share_driver *real, const share_copy *c, size_t n_made)
{
    share_copy rest = *c;
    CUresult r;
    rest.device += n_made, rest.host = (char *)rest.host + n_made, rest.n_bytes -= n_made;
    if (by_rings(real, &rest, &r))
        return r;
    return real->cuMemcpyHtoDAsync_v2(rest.device, rest.host, rest.n_bytes, rest.stream);
}

/* CUDA documents that a blocking copy begins when its stream has ended. That may include asynchronous copies of other streams: these count as
 * others. */
static int by_arena(const share_driver *real, const share_copy *c, CUresult *r)
{
    size_t n = 0;
    *r = CUDA_SUCCESS;
    if (!c->may_return && !share_ahead_follows(real, c->stream))
        *r = finish(real, c);
    if (*r == CUDA_SUCCESS)
        n = share_ahead_copy(real, c, share_client_gpu(real), r);
    if (c->may_return)
        share_ahead_others();
    if (n)
        share_task_ahead();
    count(n == c->n_bytes ? &share_client_page()->n_ahead : &share_client_page()->n_not_ahead);
    if (*r == CUDA_SUCCESS && n && n < c->n_bytes)
        *r = rest_of(real, c, n);
    return n || *r != CUDA_SUCCESS;
}

static int by_parts(const share_driver *real, const share_copy *c, CUresult *r)
{
    share_turn t;
    parts p = {.real = real, .copy = c, .turn = &t};
    int gpu = share_client_gpu(real);
    if ((!share_client_asks(gpu) && !share_record_is_on()) || share_own_find(real, c->direction, &p.own)) {
        if (c->direction == SHARE_OUT)
            finish(real, c); /* its failure is the copy's, too */
        return 0;
    }
    *r = finish(real, c);
    if (*r != CUDA_SUCCESS)
        return 1;
    share_turn_begin(&t, gpu, c->direction);
    *r = copy_parts(&p);
    share_turn_end(&t);
    return 1;
}

static int by_gate(const share_driver *real, const share_copy *c, CUresult *r)
{
    int gpu = share_client_gpu(real), made;
    if (!share_client_asks(gpu))
        return 0;
    made = share_gate_copy(real, c, gpu, (size_t)part_bytes, r);
    count(made ? &share_client_page()->n_gated : &share_client_page()->n_passed);
    if (made)
        share_ahead_others();
    return made;
}

/* A program that is recorded computes and copies one after the other: what it launched has ended before the next copy, which may be of the
 * next task. */
static void settle(const share_driver *real)
{
    if (share_record_is_on() && real->cuCtxSynchronize && real->cuCtxSynchronize() == CUDA_SUCCESS) {
        share_task_waited(NULL, 0);
        share_task_computed();
    }
}

static int make(const share_driver *real, const share_copy *c, CUresult *r)
{
    int host;
    if (share_client_is_inert() || !real->cuPointerGetAttributes || share_copy_captures(real, c->stream) ||
        kind_of(real, c->device, c->n_bytes) != DEVICE)
        return 0;
    host = kind_of(real, (CUdeviceptr)(uintptr_t)c->host, c->n_bytes);
    settle(real);
    share_task_copy(share_client_gpu(real), c->direction, c->n_bytes, c->may_return && host == PINNED);
    if (host == PINNED && c->may_return && !share_record_is_on())
        return by_gate(real, c, r);
    if (host == PINNED || (host == PAGEABLE && !stages && share_record_is_on()))
        return by_parts(real, c, r);
    if (host != PAGEABLE || !stages)
        return 0;
    if (c->direction == SHARE_IN && share_ahead_is_on() && !share_record_is_on() && by_arena(real, c, r))
        return 1;
    return by_rings(real, c, r);
}

int share_copy_make(const share_driver *real, const share_copy *c, CUresult *r)
{
    int before = errno, made;
    begin_ns = 0;
    made = make(real, c, r);
    if (made && begin_ns)
        share_task_copied(c->direction, share_now_ns() - begin_ns);
    errno = before;
    return made;
}

/* ---- copies that the driver makes in one call ---- */

static int take_turn(const share_driver *real, const share_copy *c, share_turn *t)
{
    int is_ours = !share_client_is_inert() && !share_copy_captures(real, c->stream);
    int gpu = is_ours ? share_client_gpu(real) : -1;
    if (is_ours)
        settle(real);
    share_task_copy(gpu, c->direction, c->n_bytes, 0);
    if (!(share_client_asks(gpu) || (is_ours && share_record_is_on())) || finish(real, c) != CUDA_SUCCESS)
        return 0;
    share_turn_begin(t, gpu, c->direction);
    share_turn_ask(t, c->n_bytes);
    share_turn_wait(t);
    begin_ns = share_now_ns();
    return 1;
}

int share_copy_turn(const share_driver *real, const share_copy *c, share_turn *t)
{
    int before = errno, has_turn = 0;
    if (!c->may_return || share_record_is_on())
        has_turn = take_turn(real, c, t);
    errno = before;
    return has_turn;
}

void share_copy_turned(const share_driver *real, const share_copy *c, share_turn *t)
{
    int before = errno;
    if (c->may_return)
        share_stage_finish(real, c->stream);
    share_task_copied(c->direction, share_now_ns() - begin_ns);
    share_turn_beat(t, c->n_bytes);
    share_turn_give(t, c->n_bytes);
    share_turn_end(t);
    errno = before;
}

void share_copy_forget(const share_driver *real, CUcontext c)
{
    int before = errno;
    if (!share_client_is_inert()) {
        share_ahead_forget(real, c);
        share_stage_forget(c);
        share_gate_forget(real, c);
        share_own_forget(c);
    }
    errno = before;
}
