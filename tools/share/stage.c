/* SPDX-License-Identifier: MIT */
/* stage.c - rings and their threads (stage.h). A context has a ring set for each direction: a stream, a ring of pinned slots, and threads,
 * the lanes. A job is one copy. Its pieces go through the slots in turn, each as one copy of the driver. Lanes take chunk after chunk, and move
 * them between the program's memory and the slots (cut.h). The lane that has the first chunk of a piece waits for the slot; the one that moves the last
 * chunk gives a piece to the driver. So few threads call the driver, which lets in one at a time, and the ring is small enough for caches.
 * The driver has at most N_SLOTS pieces: the next program does not wait for long behind them. */
#include "stage.h"

#include "clock.h"
#include "cut.h"
#include "nontemporal.h"
#include "pinned.h"
#include "variable.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LANES = 16, MOST_SETS = 32, N_SLOTS = 4, LEAST_CHUNK = 64 << 10, SPIN_NS = 50000 };

typedef struct job {
    const share_copy *copy;
    share_turn *turn;
    char *to; /* the bytes go there; NULL: through the ring */
    share_cut cut;
    size_t next;          /* chunks that have been taken: an atom */
    size_t n_given;       /* pieces that the driver has been given: an atom */
    uint64_t given_bytes; /* an atom, too */
    int may_run;          /* pieces may be given to the driver: an atom, changed under the set's lock */
    int is_ending;        /* the turn has been given on for good, and what is left follows: an atom */
    CUresult result;      /* the first failure: an atom */
    int n_lanes, is_done; /* that work for it; under the lock */
} job;

/* A pinned piece of memory. Numbers of pieces are counted from 1 here; all but the first two are atoms. */
typedef struct slot {
    char *at;
    CUevent event;
    size_t given; /* the piece that the driver was given last */
    size_t ready; /* the piece that lanes may fill or empty */
    size_t left;  /* its chunks that have not been moved */
} slot;

typedef struct ring_set {
    const share_driver *real;
    CUcontext context;
    int direction;
    pthread_mutex_t using; /* one job at a time */
    pthread_mutex_t lock;
    pthread_cond_t go, moved, told; /* lanes wait for a job; for others, or for the turn; the caller waits */
    CUstream stream;
    share_pinned ring;
    slot slots[N_SLOTS];
    size_t chunk_bytes;
    pthread_t lanes[MOST_LANES];
    int n_lanes, n_ready, n_broken, ends;
    int n_waiting; /* lanes that wait for `moved`: an atom */
    int n_users;   /* threads that use it or wait to; under sets_lock */
    job *job;
    uint64_t n_jobs;
} ring_set;

static ring_set *sets[MOST_SETS];
static pthread_mutex_t sets_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t set_is_free = PTHREAD_COND_INITIALIZER;

/* ---- lanes wait for one another ---- */

static int has_failed(job *j) { return __atomic_load_n(&j->result, __ATOMIC_RELAXED) != CUDA_SUCCESS; }

static void wake_all(ring_set *s)
{
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->moved);
    pthread_cond_signal(&s->told);
    pthread_mutex_unlock(&s->lock);
}

static int fail(ring_set *s, job *j, CUresult r)
{
    CUresult none = CUDA_SUCCESS;
    if (r == CUDA_SUCCESS)
        return 0;
    __atomic_compare_exchange_n(&j->result, &none, r, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    wake_all(s);
    return 1;
}

/* n_waiting and the atom are each written before the other is read: one side sees the other. */
static void set(ring_set *s, size_t *atom, size_t to)
{
    __atomic_store_n(atom, to, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&s->n_waiting, __ATOMIC_SEQ_CST))
        wake_all(s);
}

static int is(const size_t *atom, size_t wanted) { return __atomic_load_n(atom, __ATOMIC_SEQ_CST) == wanted; }

/* Waits until the atom is that. It mostly is within microseconds, in which nobody could be woken. 0: the job has failed. */
static int until(ring_set *s, job *j, const size_t *atom, size_t wanted)
{
    const uint64_t end_ns = is(atom, wanted) ? 0 : share_now_ns() + SPIN_NS;
    while (!is(atom, wanted) && !has_failed(j) && share_now_ns() < end_ns)
        sched_yield();
    if (is(atom, wanted) || has_failed(j))
        return !has_failed(j);
    pthread_mutex_lock(&s->lock);
    __atomic_add_fetch(&s->n_waiting, 1, __ATOMIC_SEQ_CST);
    while (!is(atom, wanted) && !has_failed(j))
        pthread_cond_wait(&s->moved, &s->lock);
    __atomic_sub_fetch(&s->n_waiting, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&s->lock);
    return !has_failed(j);
}

/* Returns when a piece may be given to the driver. The lane that first sees that the turn is over stops all; one that has just gone past
 * here gives one more. */
static void await(ring_set *s, job *j)
{
    if (__atomic_load_n(&j->is_ending, __ATOMIC_ACQUIRE) ||
        (__atomic_load_n(&j->may_run, __ATOMIC_ACQUIRE) && !share_turn_is_over(j->turn)))
        return;
    pthread_mutex_lock(&s->lock);
    if (j->may_run && !j->is_ending && share_turn_is_over(j->turn)) {
        __atomic_store_n(&j->may_run, 0, __ATOMIC_RELEASE);
        pthread_cond_signal(&s->told);
    }
    while (!j->may_run && !j->is_ending && !has_failed(j))
        pthread_cond_wait(&s->moved, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* ---- a lane's work ---- */

/* The turn may end: what is left is on its way, or will be before the next program's first piece is. */
static int is_nearly_given(job *j)
{
    const size_t n = __atomic_load_n(&j->n_given, __ATOMIC_ACQUIRE);
    return has_failed(j) || (n && n + N_SLOTS / 2 >= j->cut.n_pieces);
}

static size_t piece_bytes(const job *j, size_t p)
{
    return share_cut_at(&j->cut, share_cut_first(&j->cut, p + 1)) - share_cut_at(&j->cut, share_cut_first(&j->cut, p));
}

static CUresult give(ring_set *s, const job *j, size_t p)
{
    const slot *k = &s->slots[p % N_SLOTS];
    const CUdeviceptr there = j->copy->device + share_cut_at(&j->cut, share_cut_first(&j->cut, p));
    CUresult r = s->direction == SHARE_IN ? s->real->cuMemcpyHtoDAsync_v2(there, k->at, piece_bytes(j, p), s->stream)
                                          : s->real->cuMemcpyDtoHAsync_v2(k->at, there, piece_bytes(j, p), s->stream);
    return r == CUDA_SUCCESS ? s->real->cuEventRecord(k->event, s->stream) : r;
}

/* Gives a piece to the driver, when there is a turn. */
static void give_piece(ring_set *s, job *j, size_t p)
{
    await(s, j);
    if (has_failed(j))
        return;
    share_turn_issues(j->turn);
    if (fail(s, j, give(s, j, p)))
        return;
    if (s->direction == SHARE_IN)
        share_turn_beat(j->turn, piece_bytes(j, p));
    __atomic_add_fetch(&j->given_bytes, piece_bytes(j, p), __ATOMIC_RELAXED);
    __atomic_add_fetch(&j->n_given, 1, __ATOMIC_RELEASE);
    set(s, &s->slots[p % N_SLOTS].given, p + 1);
    if (is_nearly_given(j))
        wake_all(s);
}

/* The lane that has the first chunk of a piece waits for the driver, for all. A slot can be filled when the piece before has been copied
 * from it, and emptied when its piece has been copied to it. */
static void open_piece(ring_set *s, job *j, size_t p)
{
    slot *k = &s->slots[p % N_SLOTS];
    const size_t given = s->direction == SHARE_IN ? p + 1 - N_SLOTS : p + 1;
    if (s->direction == SHARE_OUT && p == 0)
        for (size_t i = 0; i < N_SLOTS && i < j->cut.n_pieces; i++)
            give_piece(s, j, i);
    if (s->direction == SHARE_OUT || p >= N_SLOTS)
        if (!until(s, j, &k->given, given) || fail(s, j, s->real->cuEventSynchronize(k->event)))
            return;
    __atomic_store_n(&k->left, share_cut_first(&j->cut, p + 1) - share_cut_first(&j->cut, p), __ATOMIC_RELAXED);
    set(s, &k->ready, p + 1);
}

/* All its chunks have been moved. */
static void end_piece(ring_set *s, job *j, size_t p)
{
    if (s->direction == SHARE_IN) {
        give_piece(s, j, p);
        return;
    }
    share_turn_beat(j->turn, piece_bytes(j, p));
    if (p + N_SLOTS < j->cut.n_pieces)
        give_piece(s, j, p + N_SLOTS);
}

static void carry(ring_set *s, job *j, size_t chunk)
{
    const size_t p = share_cut_piece(&j->cut, chunk), first = share_cut_first(&j->cut, p),
                 at = share_cut_at(&j->cut, chunk), n = share_cut_at(&j->cut, chunk + 1) - at;
    slot *k = &s->slots[p % N_SLOTS];
    char *mine = k->at + (at - share_cut_at(&j->cut, first)), *theirs = (char *)j->copy->host + at;
    if (chunk == first)
        open_piece(s, j, p);
    if (!until(s, j, &k->ready, p + 1))
        return;
    if (s->direction == SHARE_IN)
        memcpy(mine, theirs, n);
    else
        share_copy_nontemporal(theirs, mine, n);
    if (__atomic_sub_fetch(&k->left, 1, __ATOMIC_ACQ_REL) == 0)
        end_piece(s, j, p);
}

static void carry_there(const job *j, size_t chunk)
{
    const size_t at = share_cut_at(&j->cut, chunk);
    memcpy(j->to + at, (const char *)j->copy->host + at, share_cut_at(&j->cut, chunk + 1) - at);
}

static void work(ring_set *s, job *j)
{
    size_t chunk;
    while (!has_failed(j) && (chunk = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED)) < j->cut.n_chunks)
        if (j->to)
            carry_there(j, chunk);
        else
            carry(s, j, chunk);
}

/* ---- a lane's life ---- */

/* The next job, or NULL: the set ends. A job that others have done by now has gone. */
static job *next_job(ring_set *s, uint64_t *n_seen)
{
    job *j = NULL;
    pthread_mutex_lock(&s->lock);
    while (!s->ends && (!s->job || s->n_jobs == *n_seen))
        pthread_cond_wait(&s->go, &s->lock);
    *n_seen = s->n_jobs;
    if (!s->ends) {
        j = s->job;
        j->n_lanes++;
    }
    pthread_mutex_unlock(&s->lock);
    return j;
}

/* All chunks have been taken. The last lane that works for the job ends it. */
static void leave(ring_set *s, job *j)
{
    int is_last;
    pthread_mutex_lock(&s->lock);
    is_last = --j->n_lanes == 0;
    if (is_last)
        s->job = NULL;
    pthread_mutex_unlock(&s->lock);
    if (!is_last)
        return;
    if (!j->to) {
        (void)fail(s, j, s->real->cuStreamSynchronize(s->stream));
        share_turn_landed(j->turn);
    }
    pthread_mutex_lock(&s->lock);
    j->is_done = 1;
    pthread_cond_signal(&s->told);
    pthread_mutex_unlock(&s->lock);
}

static void lane_ready(ring_set *s, int is_broken)
{
    pthread_mutex_lock(&s->lock);
    s->n_ready++;
    s->n_broken += is_broken;
    pthread_cond_signal(&s->told);
    pthread_mutex_unlock(&s->lock);
}

static int enter_context(const ring_set *s)
{
    int relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (s->real->cuCtxSetCurrent(s->context) != CUDA_SUCCESS)
        return -1;
    if (s->real->cuThreadExchangeStreamCaptureMode)
        s->real->cuThreadExchangeStreamCaptureMode(&relaxed);
    return 0;
}

static void *lane_main(void *self)
{
    ring_set *s = self;
    uint64_t n_seen = 0;
    job *j;
    lane_ready(s, enter_context(s));
    while ((j = next_job(s, &n_seen))) {
        work(s, j);
        leave(s, j);
    }
    return NULL;
}

/* ---- ring sets ---- */

/* As many as the program may have cores, up to 8. */
static int wanted_lanes(void)
{
    int n = (int)share_setting(SHARE_SET_LANES);
    cpu_set_t cores;
    if (n)
        return n;
    n = sched_getaffinity(0, sizeof cores, &cores) ? (int)sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&cores);
    return n < 1 ? 1 : n < 8 ? n : 8;
}

/* Our threads take no signals of the program. */
static int start_lanes(ring_set *s)
{
    sigset_t all, before;
    int n = wanted_lanes();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (s->n_lanes = 0; s->n_lanes < n; s->n_lanes++)
        if (pthread_create(&s->lanes[s->n_lanes], NULL, lane_main, s))
            break;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_lock(&s->lock);
    while (s->n_ready < s->n_lanes)
        pthread_cond_wait(&s->told, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return s->n_lanes && !s->n_broken ? 0 : -1;
}

static int make_ring(ring_set *s)
{
    const size_t piece_bytes = s->chunk_bytes << SHARE_CUT_RAMP;
    if (s->real->cuStreamCreate(&s->stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
        share_pinned_new(s->real, N_SLOTS * piece_bytes, &s->ring))
        return -1;
    for (size_t i = 0; i < N_SLOTS; i++) {
        s->slots[i].at = s->ring.at + i * piece_bytes;
        if (s->real->cuEventCreate(&s->slots[i].event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
            return -1;
    }
    return 0;
}

static void free_ring(ring_set *s)
{
    for (int i = 0; i < N_SLOTS; i++)
        if (s->slots[i].event)
            s->real->cuEventDestroy_v2(s->slots[i].event);
    if (s->stream)
        s->real->cuStreamDestroy_v2(s->stream);
    share_pinned_free(s->real, &s->ring);
}

static void free_set(ring_set *s)
{
    pthread_mutex_lock(&s->lock);
    s->ends = 1;
    pthread_cond_broadcast(&s->go);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < s->n_lanes; i++)
        pthread_join(s->lanes[i], NULL);
    free_ring(s);
    pthread_mutex_destroy(&s->using);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->go);
    pthread_cond_destroy(&s->moved);
    pthread_cond_destroy(&s->told);
    free(s);
}

/* Chunks have a whole number of lines of a cache. */
static size_t chunk_of(size_t piece_bytes)
{
    const size_t n = (piece_bytes >> SHARE_CUT_RAMP) / 4096 * 4096;
    return n ? n : 4096;
}

static ring_set *new_set(const share_driver *real, CUcontext c, int direction)
{
    ring_set *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->real = real, s->context = c, s->direction = direction;
    s->chunk_bytes = chunk_of(share_setting(SHARE_SET_PIECE));
    pthread_mutex_init(&s->using, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->go, NULL);
    pthread_cond_init(&s->moved, NULL);
    pthread_cond_init(&s->told, NULL);
    if (make_ring(s) || start_lanes(s)) {
        free_set(s);
        return NULL;
    }
    return s;
}

/* The set of this context, held for one job; made when it is the first. NULL: it cannot be had. */
static ring_set *hold_set(const share_driver *real, CUcontext c, int direction)
{
    int at, empty = -1;
    ring_set *s = NULL;
    pthread_mutex_lock(&sets_lock);
    for (at = 0; at < MOST_SETS; at++) {
        if (sets[at] && sets[at]->context == c && sets[at]->direction == direction)
            s = sets[at];
        if (!sets[at] && empty < 0)
            empty = at;
    }
    if (!s && empty >= 0)
        s = sets[empty] = new_set(real, c, direction);
    if (s)
        s->n_users++;
    pthread_mutex_unlock(&sets_lock);
    if (s)
        pthread_mutex_lock(&s->using); /* not under sets_lock: copies of the other direction go on */
    return s;
}

static void let_go(ring_set *s)
{
    pthread_mutex_unlock(&s->using);
    pthread_mutex_lock(&sets_lock);
    s->n_users--;
    pthread_cond_broadcast(&set_is_free);
    pthread_mutex_unlock(&sets_lock);
}

static int is_of(const ring_set *s, CUcontext c) { return s && (!c || s->context == c); }

/* Copies of other threads end first. */
void share_stage_forget(CUcontext c)
{
    pthread_mutex_lock(&sets_lock);
    for (int i = 0; i < MOST_SETS; i++) {
        while (is_of(sets[i], c) && sets[i]->n_users)
            pthread_cond_wait(&set_is_free, &sets_lock);
        if (is_of(sets[i], c)) {
            free_set(sets[i]);
            sets[i] = NULL;
        }
    }
    pthread_mutex_unlock(&sets_lock);
}

/* ---- a copy ---- */

/* An event of the stream stands behind all that it waits for. For the legacy stream these are the blocking streams, too. */
CUresult share_stage_finish(const share_driver *real, CUstream s)
{
    CUevent e;
    CUresult r;
    if (s != CU_STREAM_LEGACY)
        return real->cuStreamSynchronize(s);
    r = real->cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
    if (r != CUDA_SUCCESS)
        return r;
    r = real->cuEventRecord(e, s);
    if (r == CUDA_SUCCESS)
        r = real->cuEventSynchronize(e);
    real->cuEventDestroy_v2(e);
    return r;
}

/* Small copies have small chunks, so that all lanes have some. */
static void cut(const ring_set *s, job *j)
{
    const size_t n = j->copy->n_bytes, even = (n / (size_t)(2 * s->n_lanes) / LEAST_CHUNK + 1) * LEAST_CHUNK;
    share_cut_new(&j->cut, n, even < s->chunk_bytes ? even : s->chunk_bytes, s->direction == SHARE_OUT);
}

static void begin(ring_set *s, job *j)
{
    for (int i = 0; i < N_SLOTS; i++)
        s->slots[i].given = s->slots[i].ready = 0;
    pthread_mutex_lock(&s->lock);
    s->job = j;
    s->n_jobs++;
    pthread_cond_broadcast(&s->go);
    pthread_mutex_unlock(&s->lock);
}

static void run(ring_set *s, job *j)
{
    pthread_mutex_lock(&s->lock);
    __atomic_store_n(&j->may_run, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

static void end(ring_set *s, const job *j)
{
    pthread_mutex_lock(&s->lock);
    while (!j->is_done)
        pthread_cond_wait(&s->told, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* 1: lanes rest, or will before their next piece. 0: nearly all has been given to the driver; the rest goes on without a turn. */
static int rests(ring_set *s, job *j)
{
    pthread_mutex_lock(&s->lock);
    while (!is_nearly_given(j) && j->may_run)
        pthread_cond_wait(&s->told, &s->lock);
    if (is_nearly_given(j)) {
        __atomic_store_n(&j->is_ending, 1, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&s->moved);
    }
    pthread_mutex_unlock(&s->lock);
    return !j->is_ending;
}

static uint64_t bytes_given(job *j) { return __atomic_load_n(&j->given_bytes, __ATOMIC_RELAXED); }

/* The link is given on when the last pieces are with the driver or about to be: the next program's first piece comes behind them. It
 * takes a while to be told. */
static void drive(ring_set *s, job *j)
{
    uint64_t before = 0;
    for (;;) {
        share_turn_wait(j->turn);
        run(s, j);
        if (!rests(s, j))
            break;
        share_turn_give(j->turn, bytes_given(j) - before);
        before = bytes_given(j);
        share_turn_ask(j->turn, j->copy->n_bytes - before);
    }
    share_turn_give(j->turn, bytes_given(j) - before);
    end(s, j);
}

int share_stage_copy(const share_driver *real, const share_copy *c, share_turn *turn, CUresult *r)
{
    job j = {.copy = c, .turn = turn};
    CUcontext context = NULL;
    ring_set *s;
    if (real->cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context)
        return 0;
    s = hold_set(real, context, c->direction);
    if (!s)
        return 0;
    cut(s, &j);
    share_turn_ask(turn, c->n_bytes);
    begin(s, &j);
    drive(s, &j);
    let_go(s);
    *r = j.result;
    return 1;
}

int share_stage_fill(const share_driver *real, const void *from, void *to, size_t n_bytes)
{
    share_copy c = {.direction = SHARE_IN, .host = (void *)(uintptr_t)from, .n_bytes = n_bytes};
    job j = {.copy = &c, .to = to};
    CUcontext context = NULL;
    ring_set *s = NULL;
    if (real->cuCtxGetCurrent(&context) == CUDA_SUCCESS && context)
        s = hold_set(real, context, SHARE_IN);
    if (!s)
        return 0;
    cut(s, &j);
    begin(s, &j);
    end(s, &j);
    let_go(s);
    return 1;
}
