/* SPDX-License-Identifier: MIT */
/* ahead.c - the arena and its pieces (ahead.h). A piece has the bytes of one copy, in one range of the arena. */
#include "ahead.h"

#include "clock.h"
#include "gate.h"
#include "pinned.h"
#include "stage.h"
#include "variable.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PIECES = 256, GRAIN = 4096, SPIN_NS = 100000 };

typedef enum piece_state { FREE, FILLING, FLYING } piece_state;
typedef struct piece {
    piece_state state;
    size_t at, n_bytes;
    CUcontext context;
    uintptr_t stream; /* its name */
    CUevent event;    /* behind its copy; NULL: it could not be had, and the piece is lost until its context ends */
    uint32_t n_users; /* threads that wait for the event */
    uint64_t number;
} piece;

uintptr_t share_ahead_last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static share_pinned arena; /* made in `owner`, for all contexts */
static size_t arena_bytes;
static CUcontext owner; /* NULL: there is no arena */
static int is_refused;  /* it cannot be had */
static piece pieces[MOST_PIECES];
static uint32_t n_flying;     /* an atom */
static uint32_t n_forgetting; /* threads that give the arena back: no piece is taken from it */
static uint64_t n_pieces;

static size_t wanted_bytes(void)
{
    uint64_t n = share_setting(SHARE_SET_AHEAD);
    return (size_t)(n == SHARE_AHEAD_AS_DAEMON ? __atomic_load_n(&share_client_page()->ahead_bytes, __ATOMIC_RELAXED)
                                               : n) /
           GRAIN * GRAIN;
}

int share_ahead_is_on(void) { return wanted_bytes() != 0; }

/* A name for a stream of a context: the threads' own streams have the same number. */
static uintptr_t name_of(CUstream s)
{
    static _Thread_local char own;
    return s == CU_STREAM_PER_THREAD ? (uintptr_t)&own : (uintptr_t)s;
}

int share_ahead_follows(const share_driver *real, CUstream s)
{
    CUcontext c = NULL;
    uintptr_t key;
    if (real->cuCtxGetCurrent(&c) != CUDA_SUCCESS)
        return 0;
    key = (uintptr_t)c ^ name_of(s); /* the legacy stream has the same number in each context */
    return __atomic_exchange_n(&share_ahead_last, key, __ATOMIC_SEQ_CST) == key;
}

/* ---- pieces; under the lock ---- */

static void free_piece(const share_driver *real, piece *p)
{
    if (p->state == FLYING)
        __atomic_sub_fetch(&n_flying, 1, __ATOMIC_RELAXED);
    if (p->event)
        real->cuEventDestroy_v2(p->event);
    memset(p, 0, sizeof *p);
    pthread_cond_broadcast(&changed);
}

/* A copy of which the driver says neither that it has ended nor that it has not may still read its piece. */
static void reap(const share_driver *real)
{
    for (piece *p = pieces; p < pieces + MOST_PIECES; p++)
        if (p->state == FLYING && p->event && !p->n_users && real->cuEventQuery(p->event) == CUDA_SUCCESS)
            free_piece(real, p);
}

static int is_free(size_t at, size_t n_bytes)
{
    for (const piece *p = pieces; p < pieces + MOST_PIECES; p++)
        if (p->state != FREE && at < p->at + p->n_bytes && p->at < at + n_bytes)
            return 0;
    return n_bytes <= arena_bytes && at <= arena_bytes - n_bytes;
}

/* A free range, at the begin or behind a piece: 1, and where. */
static int find_room(size_t n_bytes, size_t *at)
{
    *at = 0;
    if (is_free(0, n_bytes))
        return 1;
    for (const piece *p = pieces; p < pieces + MOST_PIECES; p++) {
        *at = p->at + p->n_bytes;
        if (p->state != FREE && is_free(*at, n_bytes))
            return 1;
    }
    return 0;
}

static int make_arena(const share_driver *real, CUcontext c)
{
    if (!owner && !is_refused) {
        arena_bytes = wanted_bytes();
        is_refused = share_pinned_new(real, arena_bytes, &arena) != 0;
        owner = is_refused ? NULL : c;
    }
    return owner ? 0 : -1;
}

static piece *new_piece(const share_driver *real, size_t n_bytes)
{
    size_t whole = (n_bytes + GRAIN - 1) / GRAIN * GRAIN, at;
    reap(real);
    if (!find_room(whole, &at))
        return NULL;
    for (piece *p = pieces; p < pieces + MOST_PIECES; p++)
        if (p->state == FREE) {
            *p = (piece){.state = FILLING, .at = at, .n_bytes = whole, .number = ++n_pieces};
            return p;
        }
    return NULL;
}

/* ---- a copy ---- */

/* Room for all of it, or NULL. */
static piece *take(const share_driver *real, const share_copy *c)
{
    CUcontext context = NULL;
    piece *p = NULL;
    if (!real->cuEventQuery || real->cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context)
        return NULL;
    pthread_mutex_lock(&lock);
    if (c->n_bytes <= wanted_bytes() && !n_forgetting && !make_arena(real, context))
        p = new_piece(real, c->n_bytes);
    if (p) {
        p->context = context, p->stream = name_of(c->stream);
        if (real->cuEventCreate(&p->event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
            p->event = NULL;
            free_piece(real, p);
            p = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return p;
}

/* What was put into the stream ends before the piece is used again. */
static void seal(const share_driver *real, piece *p, CUstream s, size_t n_issued)
{
    int has_event = n_issued && real->cuEventRecord(p->event, s) == CUDA_SUCCESS;
    int has_ended = !n_issued || (!has_event && real->cuStreamSynchronize(s) == CUDA_SUCCESS);
    pthread_mutex_lock(&lock);
    if (has_ended)
        free_piece(real, p);
    else {
        if (!has_event) {
            real->cuEventDestroy_v2(p->event);
            p->event = NULL;
        }
        p->state = FLYING;
        __atomic_add_fetch(&n_flying, 1, __ATOMIC_RELAXED);
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* 1: in the stream, *r is its code. */
static int issue(const share_driver *real, const share_copy *part, int gpu, CUresult *r)
{
    if (share_client_asks(gpu)) {
        if (share_gate_copy(real, part, gpu, part->n_bytes, r))
            return 1;
        *r = CUDA_SUCCESS;
        return 0;
    }
    *r = real->cuMemcpyHtoDAsync_v2(part->device, part->host, part->n_bytes, part->stream);
    return 1;
}

/* Each part is filled before it is put into the stream: no part that has the link ever waits for us, and between parts the link may pass
 * to others. */
size_t share_ahead_copy(const share_driver *real, const share_copy *c, int gpu, CUresult *r)
{
    size_t most = (size_t)share_setting(SHARE_SET_PART), at = 0;
    piece *p = take(real, c);
    *r = CUDA_SUCCESS;
    if (!p)
        return 0;
    while (at < c->n_bytes && *r == CUDA_SUCCESS) {
        size_t rest = c->n_bytes - at;
        share_copy part = *c;
        part.device += at, part.host = arena.at + p->at + at, part.n_bytes = rest < most ? rest : most;
        if (!share_stage_fill(real, (const char *)c->host + at, part.host, part.n_bytes) || !issue(real, &part, gpu, r))
            break;
        at += part.n_bytes;
    }
    seal(real, p, c->stream, at);
    return at;
}

/* ---- waiting ---- */

static piece *last_of(CUcontext c, CUstream s)
{
    piece *last = NULL;
    for (piece *p = pieces; p < pieces + MOST_PIECES; p++)
        if (p->state == FLYING && p->event && p->context == c && (!s || p->stream == name_of(s)) &&
            (!last || p->number > last->number))
            last = p;
    return last;
}

/* When the event was last seen not to have come; 0: never. A thread that only waited could wake late, and kernels behind the copy would
 * seem shorter than they are. */
static uint64_t watch_end(const share_driver *real, CUevent e)
{
    uint64_t begin = share_now_ns(), now = begin, last = 0;
    for (; real->cuEventQuery(e) == CUDA_ERROR_NOT_READY; now = share_now_ns()) {
        last = now;
        if (now - begin > SPIN_NS)
            usleep(20);
    }
    return last;
}

uint64_t share_ahead_land(const share_driver *real, CUstream s)
{
    CUcontext c = NULL;
    piece *p;
    uint64_t last_ns;
    if (!__atomic_load_n(&n_flying, __ATOMIC_RELAXED) || real->cuCtxGetCurrent(&c) != CUDA_SUCCESS || !c)
        return 0;
    pthread_mutex_lock(&lock);
    p = last_of(c, s);
    if (p)
        p->n_users++;
    pthread_mutex_unlock(&lock);
    if (!p)
        return 0;
    last_ns = watch_end(real, p->event);
    pthread_mutex_lock(&lock);
    p->n_users--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return last_ns;
}

/* Of a context that is broken the wait fails; its copies are over all the same. */
static void end_piece(const share_driver *real, piece *p)
{
    while (p->state == FILLING || p->n_users)
        pthread_cond_wait(&changed, &lock);
    if (p->event)
        real->cuEventSynchronize(p->event);
    if (p->state != FREE)
        free_piece(real, p);
}

void share_ahead_forget(const share_driver *real, CUcontext c)
{
    CUcontext before = NULL;
    uint32_t is_all;
    pthread_mutex_lock(&lock);
    is_all = owner && (!c || c == owner);
    n_forgetting += is_all;
    if (is_all || c) {
        real->cuCtxGetCurrent(&before);
        for (piece *p = pieces; owner && p < pieces + MOST_PIECES; p++)
            if (p->state != FREE && (is_all || p->context == c)) {
                real->cuCtxSetCurrent(p->context);
                end_piece(real, p);
            }
        if (is_all) {
            real->cuCtxSetCurrent(owner);
            share_pinned_free(real, &arena);
            owner = NULL;
        }
        real->cuCtxSetCurrent(before);
    }
    n_forgetting -= is_all;
    pthread_mutex_unlock(&lock);
}
