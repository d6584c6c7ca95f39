/* SPDX-License-Identifier: MIT */
/* stage.c - rings and their threads (stage.h). A context has a ring set for each direction: lanes, each a thread with a stream of
 * its own and two pinned pieces. A job is one copy. Lanes that are awake join it, and take piece after piece; nobody waits for one that wakes
 * when all pieces have been taken. */
#include "stage.h"

#include "clock.h"
#include "nontemporal.h"
#include "pinned.h"
#include "variable.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LANES = 16, MOST_SETS = 32, SMALLEST_PIECE = 64 << 10, TAPERED_PIECE = 1 << 20, SPIN_NS = 50000 };

typedef struct job {
    const share_copy *copy;
    share_turn *turn;
    char *to;                        /* the pieces go there; NULL: through rings */
    size_t piece_bytes, small_bytes; /* of a piece; of one of the first round, the second has twice as much */
    size_t n_round, n_pieces;        /* pieces of such a round; of all */
    size_t next;                     /* pieces that have been taken: an atom */
    int may_run;                     /* pieces may be given to the driver: an atom, changed under the set's lock */
    int is_ending;                   /* the turn has been given on for good, and what is left follows: an atom */
    CUresult result;                 /* the first failure: an atom */
    int n_issuing, n_in;             /* lanes that have pieces to give to the driver; that have joined, an atom */
} job;

typedef struct lane {
    struct ring_set *set;
    pthread_t thread;
    CUstream stream;
    CUevent events[2];
    share_pinned ring;
    char *buffers[2];
} lane;

typedef struct ring_set {
    const share_driver *real;
    CUcontext context;
    int direction;
    pthread_mutex_t using; /* one job at a time */
    pthread_mutex_t lock;
    pthread_cond_t go, told; /* lanes wait for go; the caller is told */
    lane lanes[MOST_LANES];
    int n_lanes, n_ready, n_broken, ends;
    int n_users; /* threads that use it or wait to; under sets_lock */
    size_t piece_bytes;
    job *job;
    uint64_t n_jobs; /* an atom */
} ring_set;

static ring_set *sets[MOST_SETS];
static pthread_mutex_t sets_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t set_is_free = PTHREAD_COND_INITIALIZER;

/* ---- a lane's work ---- */

static int has_failed(job *j) { return __atomic_load_n(&j->result, __ATOMIC_RELAXED) != CUDA_SUCCESS; }

static int fail(job *j, CUresult r)
{
    CUresult none = CUDA_SUCCESS;
    if (r != CUDA_SUCCESS)
        __atomic_compare_exchange_n(&j->result, &none, r, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return r != CUDA_SUCCESS;
}

/* Pieces at one end are small. Copies in begin there, and the link is soon busy. Copies out end there, and little is left to be done
 * when the link has ended. */
static size_t begin_of(const job *j, size_t p)
{
    size_t small = j->small_bytes, round = j->n_round, at;
    if (p <= round)
        at = p * small;
    else if (p <= 2 * round)
        at = round * small + (p - round) * 2 * small;
    else
        at = 3 * round * small + (p - 2 * round) * j->piece_bytes;
    return at < j->copy->n_bytes ? at : j->copy->n_bytes;
}

/* The next piece: 1, and where it is. */
static int take(job *j, size_t *at, size_t *n)
{
    size_t p = has_failed(j) ? j->n_pieces : __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED);
    if (p >= j->n_pieces)
        return 0;
    if (j->copy->direction == SHARE_OUT)
        p = j->n_pieces - 1 - p;
    *at = begin_of(j, p);
    *n = begin_of(j, p + 1) - *at;
    return 1;
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
    while (!j->may_run && !j->is_ending)
        pthread_cond_wait(&s->go, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

static int all_taken(job *j) { return has_failed(j) || __atomic_load_n(&j->next, __ATOMIC_RELAXED) >= j->n_pieces; }

/* From now on this lane gives the driver nothing more. */
static void issued(ring_set *s, job *j)
{
    pthread_mutex_lock(&s->lock);
    j->n_issuing--;
    pthread_cond_signal(&s->told);
    pthread_mutex_unlock(&s->lock);
}

/* A lane has one piece on its way at a time, while it fills or empties the other buffer: the next program does not wait for long behind
 * pieces that the driver has already. */
static void carry_in(lane *l, job *j)
{
    const share_driver *real = l->set->real;
    size_t at, n;
    for (int b = 0; take(j, &at, &n); b = !b) {
        memcpy(l->buffers[b], (const char *)j->copy->host + at, n);
        if (fail(j, real->cuEventSynchronize(l->events[!b])))
            break;
        await(l->set, j);
        share_turn_issues(j->turn);
        if (fail(j, real->cuMemcpyHtoDAsync_v2(j->copy->device + at, l->buffers[b], n, l->stream)) ||
            fail(j, real->cuEventRecord(l->events[b], l->stream)))
            break;
        share_turn_beat(j->turn, n);
    }
    issued(l->set, j);
    fail(j, real->cuStreamSynchronize(l->stream));
    share_turn_landed(j->turn);
}

static void carry_there(job *j)
{
    size_t at, n;
    while (take(j, &at, &n))
        memcpy(j->to + at, (const char *)j->copy->host + at, n);
}

typedef struct landing {
    size_t at, n; /* n 0: none */
} landing;

static void land(lane *l, job *j, int b, const landing *p)
{
    if (!p->n || has_failed(j))
        return;
    share_copy_nontemporal((char *)j->copy->host + p->at, l->buffers[b], p->n);
    share_turn_beat(j->turn, p->n);
}

static void carry_out(lane *l, job *j)
{
    const share_driver *real = l->set->real;
    landing last = {0, 0}, now;
    int b = 0;
    for (; take(j, &now.at, &now.n); b = !b, last = now) {
        if (fail(j, real->cuEventSynchronize(l->events[!b])))
            break;
        await(l->set, j);
        share_turn_issues(j->turn);
        if (fail(j, real->cuMemcpyDtoHAsync_v2(l->buffers[b], j->copy->device + now.at, now.n, l->stream)) ||
            fail(j, real->cuEventRecord(l->events[b], l->stream)))
            break;
        land(l, j, !b, &last);
    }
    issued(l->set, j);
    fail(j, real->cuStreamSynchronize(l->stream));
    share_turn_landed(j->turn);
    land(l, j, !b, &last);
}

/* ---- a lane's life ---- */

static int lane_open(lane *l)
{
    const share_driver *real = l->set->real;
    size_t n = l->set->piece_bytes;
    int relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (real->cuCtxSetCurrent(l->set->context) != CUDA_SUCCESS)
        return -1;
    if (real->cuThreadExchangeStreamCaptureMode)
        real->cuThreadExchangeStreamCaptureMode(&relaxed);
    if (real->cuStreamCreate(&l->stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
        real->cuEventCreate(&l->events[0], CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS ||
        real->cuEventCreate(&l->events[1], CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS ||
        share_pinned_new(real, 2 * n, &l->ring))
        return -1;
    l->buffers[0] = l->ring.at, l->buffers[1] = l->ring.at + n;
    return 0;
}

static void lane_close(lane *l)
{
    const share_driver *real = l->set->real;
    for (int i = 0; i < 2; i++)
        if (l->events[i])
            real->cuEventDestroy_v2(l->events[i]);
    if (l->stream)
        real->cuStreamDestroy_v2(l->stream);
    share_pinned_free(real, &l->ring);
}

static void lane_ready(ring_set *s, int is_broken)
{
    pthread_mutex_lock(&s->lock);
    s->n_ready++;
    s->n_broken += is_broken;
    pthread_cond_signal(&s->told);
    pthread_mutex_unlock(&s->lock);
}

/* Programs make one copy after the other, and a thread that sleeps takes as long to wake as a megabyte to be copied. So a wait begins with
 * looking for some time. */
static int may_look(uint64_t *end_ns)
{
    const uint64_t now = share_now_ns();
    *end_ns = *end_ns ? *end_ns : now + SPIN_NS;
    sched_yield();
    return now < *end_ns;
}

/* Under the lock. */
static job *join(ring_set *s)
{
    job *j = s->job;
    if (!j || all_taken(j))
        return NULL;
    j->n_issuing++;
    __atomic_add_fetch(&j->n_in, 1, __ATOMIC_RELAXED);
    return j;
}

/* The next job, which the lane has joined; or NULL: the set ends. */
static job *next_job(ring_set *s, uint64_t *n_seen)
{
    uint64_t end_ns = 0;
    job *j = NULL;
    while (__atomic_load_n(&s->n_jobs, __ATOMIC_RELAXED) == *n_seen && may_look(&end_ns))
        ;
    pthread_mutex_lock(&s->lock);
    while (!s->ends && !j) {
        while (!s->ends && s->n_jobs == *n_seen)
            pthread_cond_wait(&s->go, &s->lock);
        *n_seen = s->n_jobs;
        j = join(s);
    }
    pthread_mutex_unlock(&s->lock);
    return j;
}

static void *lane_main(void *self)
{
    lane *l = self;
    ring_set *s = l->set;
    uint64_t n_seen = 0;
    job *j;
    lane_ready(s, lane_open(l) != 0);
    while ((j = next_job(s, &n_seen))) {
        if (j->to)
            carry_there(j);
        else if (s->direction == SHARE_IN)
            carry_in(l, j);
        else
            carry_out(l, j);
        pthread_mutex_lock(&s->lock);
        __atomic_sub_fetch(&j->n_in, 1, __ATOMIC_RELEASE);
        pthread_cond_signal(&s->told);
        pthread_mutex_unlock(&s->lock);
    }
    lane_close(l);
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

/* Our threads take no signals of the program, but for those that a thread causes itself: lanes touch the program's memory, and it may have
 * a handler that makes this possible. */
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

static int start_lanes(ring_set *s)
{
    sigset_t before;
    int n = wanted_lanes();
    block_signals(&before);
    for (s->n_lanes = 0; s->n_lanes < n; s->n_lanes++) {
        s->lanes[s->n_lanes].set = s;
        if (pthread_create(&s->lanes[s->n_lanes].thread, NULL, lane_main, &s->lanes[s->n_lanes]))
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_lock(&s->lock);
    while (s->n_ready < s->n_lanes)
        pthread_cond_wait(&s->told, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return s->n_lanes && !s->n_broken ? 0 : -1;
}

static void free_set(ring_set *s)
{
    pthread_mutex_lock(&s->lock);
    s->ends = 1;
    pthread_cond_broadcast(&s->go);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < s->n_lanes; i++)
        pthread_join(s->lanes[i].thread, NULL);
    pthread_mutex_destroy(&s->using);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->go);
    pthread_cond_destroy(&s->told);
    free(s);
}

static ring_set *new_set(const share_driver *real, CUcontext c, int direction)
{
    ring_set *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->real = real, s->context = c, s->direction = direction;
    s->piece_bytes = share_setting(SHARE_SET_PIECE);
    pthread_mutex_init(&s->using, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->go, NULL);
    pthread_cond_init(&s->told, NULL);
    if (start_lanes(s)) {
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

/* An event of the stream stands behind all that it waits for: of the legacy stream these are the blocking streams, too, and of a blocking
 * stream the legacy one. Synchronising a stream waits only for what was put into it. */
CUresult share_stage_finish(const share_driver *real, CUstream s)
{
    CUevent e;
    CUresult r = real->cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
    if (r != CUDA_SUCCESS)
        return r;
    r = real->cuEventRecord(e, s);
    if (r == CUDA_SUCCESS)
        r = real->cuEventSynchronize(e);
    real->cuEventDestroy_v2(e);
    return r;
}

static size_t over(size_t n, size_t by) { return (n + by - 1) / by; }

/* Small copies have small pieces, so that all lanes have some. */
static void cut(const ring_set *s, job *j)
{
    size_t n = j->copy->n_bytes, even = over(n / (size_t)(2 * s->n_lanes) + 1, SMALLEST_PIECE) * SMALLEST_PIECE, rounds;
    j->piece_bytes = even < s->piece_bytes ? even : s->piece_bytes;
    j->n_round = j->piece_bytes < TAPERED_PIECE ? 0 : (size_t)s->n_lanes;
    j->small_bytes = j->piece_bytes / 4;
    rounds = j->n_round * j->small_bytes;
    if (n <= rounds)
        j->n_pieces = over(n, j->small_bytes);
    else if (n <= 3 * rounds)
        j->n_pieces = j->n_round + over(n - rounds, 2 * j->small_bytes);
    else
        j->n_pieces = 2 * j->n_round + over(n - 3 * rounds, j->piece_bytes);
}

static uint64_t bytes_taken(const job *j)
{
    size_t n = __atomic_load_n(&j->next, __ATOMIC_RELAXED);
    if (n >= j->n_pieces)
        return j->copy->n_bytes;
    return j->copy->direction == SHARE_IN ? begin_of(j, n) : j->copy->n_bytes - begin_of(j, j->n_pieces - n);
}

static void begin(ring_set *s, job *j)
{
    pthread_mutex_lock(&s->lock);
    s->job = j;
    __atomic_add_fetch(&s->n_jobs, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&s->go);
    pthread_mutex_unlock(&s->lock);
}

static void run(ring_set *s, job *j)
{
    pthread_mutex_lock(&s->lock);
    __atomic_store_n(&j->may_run, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&s->go);
    pthread_mutex_unlock(&s->lock);
}

static int is_done(job *j) { return all_taken(j) && !__atomic_load_n(&j->n_in, __ATOMIC_ACQUIRE); }

static void end(ring_set *s, job *j)
{
    uint64_t end_ns = 0;
    while (!is_done(j))
        if (!may_look(&end_ns))
            break;
    pthread_mutex_lock(&s->lock);
    while (!is_done(j))
        pthread_cond_wait(&s->told, &s->lock);
    s->job = NULL;
    pthread_mutex_unlock(&s->lock);
}

/* Half of the lanes have no more pieces. */
static int is_nearly_issued(const ring_set *s, job *j) { return all_taken(j) && j->n_issuing <= s->n_lanes / 2; }

/* 1: lanes rest, or will before their next piece. 0: half of them have no more pieces; the others go on without a turn. */
static int rests(ring_set *s, job *j)
{
    pthread_mutex_lock(&s->lock);
    while (!is_nearly_issued(s, j) && j->may_run)
        pthread_cond_wait(&s->told, &s->lock);
    if (is_nearly_issued(s, j)) {
        __atomic_store_n(&j->is_ending, 1, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&s->go);
    }
    pthread_mutex_unlock(&s->lock);
    return !j->is_ending;
}

/* The link is given on when the last pieces are with the driver or about to be: the next program's first piece comes behind them. It
 * takes a while to be told, and the lanes of one program end one after the other. */
static void drive(ring_set *s, job *j)
{
    uint64_t before = 0;
    for (;;) {
        share_turn_wait(j->turn);
        run(s, j);
        if (!rests(s, j))
            break;
        share_turn_give(j->turn, bytes_taken(j) - before);
        before = bytes_taken(j);
        share_turn_ask(j->turn, j->copy->n_bytes - before);
    }
    share_turn_give(j->turn, bytes_taken(j) - before);
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
