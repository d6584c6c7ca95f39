/* SPDX-License-Identifier: MIT */
/* pool_launches.c - a pool as launches: the pool's thread launches what has been sent since its last launch, a block for each task
 * (core/batch.h). No kernel stays on the GPU, and nothing polls.
 *
 * A sent task is posted in host memory. Once all tasks that it waits for are told, it is ready: in a list of those with as large a
 * team, since a launch has blocks of one size. The thread launches ready tasks into streams that have nothing to do, so that a long
 * task holds up what is behind it in no stream; if all streams are busy, more tasks gather for the next launch. Between sending and
 * telling, the library makes no other call of CUDA.
 *
 * Two more modes, for comparison, differ in how much goes into a launch, and in how many streams. */
#include "backend/cuda/pool.h"

#include "heddle/core/batch.h"
#include "heddle/pool.h"

#include <stdio.h>
#include <string.h>

#define MOST_STREAMS 32u
#define SPIN_NS 200000u /* of the thread without work, before it sleeps until a task is sent */
#define NAP_NS 5000u    /* while tasks wait for others, or for a stream */

/* Where a slot's task is. */
enum { SENT, HELD, WAITS, READY, LAUNCHED };

typedef struct note {
    uint32_t generation; /* of the slot's task */
    uint8_t where, class, is_wide, is_held;
    uint16_t n_after;
    uint32_t next; /* in the list of sent tasks, of waiting ones, or of ready ones */
} note;

typedef struct list {
    uint32_t first, last, n; /* slots */
} list;

typedef struct stream {
    cudaStream_t stream;
    uint32_t n_sent; /* tasks launched in it, modulo 2^32 */
    uint32_t n_last; /* of the last launch, with its slots */
    uint32_t last[HD_POOL_BATCH_MOST];
} stream;

/* Guarded by the pool's mutex, but for `sent` and the posts of tasks that are about to be sent. */
typedef struct launches {
    hd_posted *posted;           /* pinned */
    uint32_t *closed, *news_end; /* device */
    hd_stream_words *stream_words;
    note *notes;
    uint64_t (*after)[HD_MAX_AFTER];
    CUfunction function;
    stream streams[MOST_STREAMS];
    uint32_t n_streams, next; /* next: if they are used in turn */
    uint32_t most;            /* tasks of a launch */
    int in_turn;              /* whether they have something to do or not */
    uint64_t since;           /* there has been nothing to do; 0: there has */
    list waiting, ready[HD_POOL_CLASSES], wide;
    uint8_t pad[HD_LINE];
    uint32_t sent; /* atomic: the slot sent last + 1, linked to those before; 0 = none */
} launches;

static inline launches *launches_of(const hd_loaded *l) { return l->pool->mode; }

/* ---- lists ---------------------------------------------------------------------------------------------------------- */

static void put(launches *p, list *l, uint32_t slot)
{
    p->notes[slot].next = HD_NONE;
    *(l->n++ ? &p->notes[l->last].next : &l->first) = slot;
    l->last = slot;
}

static uint32_t get(launches *p, list *l)
{
    const uint32_t slot = l->first;
    l->first = p->notes[slot].next;
    l->n--;
    return slot;
}

static void put_ready(launches *p, uint32_t slot)
{
    note *at = &p->notes[slot];
    list *l = at->is_wide ? &p->wide : &p->ready[at->class];
    at->where = READY;
    if (!(p->posted[slot].flags & HD_TASK_URGENT) || !l->n) {
        put(p, l, slot);
        return;
    }
    at->next = l->first;
    l->first = slot;
    l->n++;
}

/* Have all tasks ended that this one waits for? If one of them ended badly, it is cancelled. */
static int is_free_to_go(const hd_loaded *l, uint32_t slot)
{
    launches *p = launches_of(l);
    uint32_t i, how;
    for (i = 0; i < p->notes[slot].n_after; i++) {
        how = hd_pool_how_ended(l->pool, p->after[slot][i]);
        if (!how)
            return 0;
        if (how != HD_STOP_DONE)
            p->posted[slot].flags |= HD_POSTED_CANCELED;
    }
    return 1;
}

static void take_one(launches *p, uint32_t slot)
{
    note *at = &p->notes[slot];
    if (at->is_held) {
        at->where = HELD;
    } else if (at->n_after) {
        at->where = WAITS;
        put(p, &p->waiting, slot);
    } else {
        put_ready(p, slot);
    }
}

/* Takes over what has been sent: the list begins with the last one. */
static void take_sent(launches *p)
{
    uint32_t slot = __atomic_exchange_n(&p->sent, 0, __ATOMIC_SEQ_CST), turned = 0, next;
    for (; slot; slot = next) {
        next = p->notes[slot - 1u].next;
        p->notes[slot - 1u].next = turned;
        turned = slot;
    }
    for (slot = turned; slot; slot = next) {
        next = p->notes[slot - 1u].next;
        take_one(p, slot - 1u);
    }
}

static void free_waiting(const hd_loaded *l)
{
    launches *p = launches_of(l);
    uint32_t n;
    for (n = p->waiting.n; n > 0; n--) {
        const uint32_t slot = get(p, &p->waiting);
        if (is_free_to_go(l, slot))
            put_ready(p, slot);
        else
            put(p, &p->waiting, slot);
    }
}

/* ---- launching -------------------------------------------------------------------------------------------------------- */

static int is_stream_idle(const hd_loaded *l, uint32_t s)
{
    const hd_live *live = &l->pool->words.live[s];
    return HD_LOAD(&live->ended[0], ACQUIRE, SYS) + HD_LOAD(&live->ended[1], ACQUIRE, SYS) ==
           launches_of(l)->streams[s].n_sent;
}

/* A stream for the next launch, or HD_NONE. */
static uint32_t free_stream(const hd_loaded *l)
{
    launches *p = launches_of(l);
    uint32_t s;
    if (p->in_turn)
        return p->next++ % p->n_streams;
    for (s = 0; s < p->n_streams && !is_stream_idle(l, s); s++)
        ;
    return s < p->n_streams ? s : HD_NONE;
}

/* A batch in stream s, without tasks. */
static hd_pool_batch batch_in(const hd_loaded *l, uint32_t s)
{
    const hd_pool *words = &l->pool->words;
    const launches *p = launches_of(l);
    return (hd_pool_batch){.posted = p->posted,
                           .args = l->pool->args,
                           .params = l->params,
                           .fates = l->pool->fates,
                           .closed = p->closed,
                           .told = words->told,
                           .news = words->news,
                           .news_end = p->news_end,
                           .stream = &p->stream_words[s],
                           .live = &words->live[s],
                           .stamps = words->stamps,
                           .stamp_words = words->stamp_words,
                           .args_bytes = l->pool->args_bytes,
                           .n_host = words->n_host};
}

/* Launches up to `most` tasks of the list, or its first task with all of its blocks. */
static heddle_status launch(hd_loaded *l, list *from, uint32_t n_threads, uint32_t s, hd_error *e)
{
    launches *p = launches_of(l);
    stream *at = &p->streams[s];
    const int is_wide = from == &p->wide;
    hd_pool_batch b = batch_in(l, s);
    void *params[] = {&b};
    CUlaunchConfig c;
    CUresult r;
    for (at->n_last = 0; from->n && at->n_last < (is_wide ? 1u : p->most); at->n_last++) {
        const uint32_t slot = get(p, from);
        hd_pool_clean(l, slot);
        p->notes[slot].where = LAUNCHED;
        at->last[at->n_last] = b.slot[at->n_last] = slot;
    }
    b.is_wide = (uint32_t)is_wide;
    b.n = is_wide ? p->posted[b.slot[0]].n_blocks : at->n_last;
    at->n_sent += at->n_last;
    memset(&c, 0, sizeof c);
    c.gridDimX = b.n;
    c.blockDimX = is_wide ? hd_pool_class_threads[p->notes[b.slot[0]].class] : n_threads;
    c.gridDimY = c.gridDimZ = c.blockDimY = c.blockDimZ = 1;
    c.sharedMemBytes = l->shared_bytes;
    c.hStream = at->stream;
    r = l->device->driver.cuLaunchKernelEx(&c, p->function, params, NULL);
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(&l->device->driver, e, r, "launching tasks of a pool");
}

/* Launches what is ready while streams are idle. 1: something was launched. */
static int launch_ready(hd_loaded *l)
{
    launches *p = launches_of(l);
    int any = 0;
    hd_error e;
    uint32_t k, s;
    for (k = 0; k <= HD_POOL_CLASSES; k++) {
        list *from = k < HD_POOL_CLASSES ? &p->ready[k] : &p->wide;
        while (from->n) {
            s = free_stream(l);
            if (s == HD_NONE)
                return any;
            if (launch(l, from, k < HD_POOL_CLASSES ? hd_pool_class_threads[k] : 0, s, &e) != HEDDLE_OK) {
                hd_pool_lose(l, e.text);
                return any;
            }
            any = 1;
        }
    }
    return any;
}

static int is_any_ready(const launches *p)
{
    uint32_t k;
    for (k = 0; k < HD_POOL_CLASSES; k++)
        if (p->ready[k].n)
            return 1;
    return p->wide.n != 0;
}

/* Is there nothing to do? A stream may have become idle since the last look at what waits. If all are, what still waits comes after
 * held tasks. */
static int is_quiet(const hd_loaded *l)
{
    const launches *p = launches_of(l);
    uint32_t s;
    for (s = 0; s < p->n_streams; s++)
        if (!is_stream_idle(l, s))
            return 0;
    free_waiting(l);
    return !is_any_ready(p);
}

/* Nothing can be launched now. Sleeps once there has been nothing to do for some time. */
static void rest(hd_loaded *l)
{
    hd_cuda_pool *pool = l->pool;
    launches *p = launches_of(l);
    const uint64_t now = heddle_host_clock_ns();
    p->since = p->since ? p->since : now;
    if (now - p->since <= SPIN_NS || !is_quiet(l)) {
        hd_pool_nap(pool, now - p->since > SPIN_NS ? NAP_NS : 0u);
        return;
    }
    __atomic_store_n(&pool->sleeps, 1, __ATOMIC_SEQ_CST);
    while (!pool->ends && !is_any_ready(p) && !__atomic_load_n(&p->sent, __ATOMIC_SEQ_CST))
        pthread_cond_wait(&pool->woken, &pool->mutex);
    __atomic_store_n(&pool->sleeps, 0, __ATOMIC_RELAXED);
    p->since = 0;
}

static void serve(hd_loaded *l)
{
    launches *p = launches_of(l);
    take_sent(p);
    free_waiting(l);
    if (launch_ready(l))
        p->since = 0;
    rest(l);
}

/* All tasks have ended before a pool is stopped. */
static int is_idle(hd_loaded *l)
{
    (void)l;
    return 1;
}

/* ---- sending ------------------------------------------------------------------------------------------------------------ */

static void post(const hd_loaded *l, const hd_sent *s)
{
    launches *p = launches_of(l);
    hd_posted *to = &p->posted[s->slot];
    note *at = &p->notes[s->slot];
    *to = (hd_posted){s->generation, s->body, s->flags, s->n_blocks, s->team_size, s->arg_bytes, {0, 0}, {0}};
    if (s->arg_bytes)
        memcpy(s->arg_bytes <= HD_INLINE_ARGS ? to->args : l->pool->args + (uint64_t)s->slot * l->pool->args_bytes,
               s->args, s->arg_bytes);
    at->generation = s->generation;
    at->where = SENT;
    at->class = (uint8_t)hd_pool_class(s->team_size);
    at->is_wide = s->n_blocks > 1;
    at->is_held = s->held == HD_HELD;
    at->n_after = (uint16_t)s->n_after;
    if (s->n_after)
        memcpy(p->after[s->slot], s->after, s->n_after * sizeof *s->after);
}

/* A held task is ready, whether it was taken over before or not. */
static void release(hd_loaded *l, uint32_t slot)
{
    hd_cuda_pool *pool = l->pool;
    pthread_mutex_lock(&pool->mutex);
    take_sent(launches_of(l));
    put_ready(launches_of(l), slot);
    pthread_cond_signal(&pool->woken);
    pthread_mutex_unlock(&pool->mutex);
}

static void send(hd_loaded *l, const hd_sent *tasks, uint32_t n)
{
    hd_cuda_pool *pool = l->pool;
    launches *p = launches_of(l);
    uint32_t i, before;
    if (tasks[0].held == HD_RELEASED) {
        release(l, tasks[0].slot);
        return;
    }
    for (i = 0; i < n; i++) {
        post(l, &tasks[i]);
        if (i)
            p->notes[tasks[i].slot].next = tasks[i - 1u].slot + 1u;
    }
    before = __atomic_load_n(&p->sent, __ATOMIC_RELAXED);
    do
        p->notes[tasks[0].slot].next = before;
    while (!__atomic_compare_exchange_n(&p->sent, &before, tasks[n - 1u].slot + 1u, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED));
    if (!__atomic_load_n(&pool->sleeps, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->woken);
    pthread_mutex_unlock(&pool->mutex);
}

static int on_gpu(hd_loaded *l, uint32_t slot)
{
    launches *p = launches_of(l);
    if (p->notes[slot].where == LAUNCHED)
        return 1;
    p->posted[slot].flags |= HD_POSTED_CANCELED;
    return 0;
}

/* A stream is what a worker is elsewhere: the first task of its launch that has not ended. */
static uint32_t task_of(hd_loaded *l, uint32_t worker)
{
    const launches *p = launches_of(l);
    const stream *at = &p->streams[worker];
    uint32_t i;
    for (i = 0; i < at->n_last; i++)
        if (!hd_pool_how_ended(l->pool, (uint64_t)p->notes[at->last[i]].generation << 32 | at->last[i]))
            return at->last[i];
    return HD_NONE;
}

/* ---- making it --------------------------------------------------------------------------------------------------------- */

static heddle_status make_memory(hd_loaded *l, launches *p, hd_error *e)
{
    static const char opening[] = "opening a pool";
    hd_cuda_pool *pool = l->pool;
    const uint64_t n = pool->words.n_host;
    uint8_t *more;
    HD_TRY(hd_pool_pin(pool, n * sizeof *p->posted, &more, e));
    p->posted = (hd_posted *)(void *)more;
    HD_CUDA_TRY(cudaMalloc((void **)&pool->fates, n * sizeof(hd_fail)), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->closed, n * 4), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->news_end, 4), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->stream_words, MOST_STREAMS * sizeof(hd_stream_words)), e, opening);
    HD_CUDA_TRY(cudaMemset(pool->fates, 0, n * sizeof(hd_fail)), e, opening);
    HD_CUDA_TRY(cudaMemset(p->closed, 0, n * 4), e, opening);
    HD_CUDA_TRY(cudaMemset(p->news_end, 0, 4), e, opening);
    HD_CUDA_TRY(cudaMemset(p->stream_words, 0, MOST_STREAMS * sizeof(hd_stream_words)), e, opening);
    p->notes = hd_new_sparse(n * sizeof *p->notes);
    p->after = hd_new_sparse(n * sizeof *p->after);
    if (!p->notes || !p->after)
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: no memory for %u slots", pool->words.n_host);
    return HEDDLE_OK;
}

static heddle_status make_streams(launches *p, hd_error *e)
{
    uint32_t s;
    for (s = 0; s < p->n_streams; s++)
        HD_CUDA_TRY(cudaStreamCreateWithFlags(&p->streams[s].stream, cudaStreamNonBlocking), e, "making a stream");
    return HEDDLE_OK;
}

/* The largest team that the kernel's registers allow. */
static heddle_status find_kernel(hd_loaded *l, launches *p, hd_error *e)
{
    uint32_t k;
    heddle_status s = HEDDLE_OK;
    for (k = HD_POOL_CLASSES; k-- > 0;) {
        s = hd_kernel_find(&p->function, NULL, l, HD_FAMILY_POOL, HD_POOL_BATCH, hd_pool_class_threads[k],
                           l->shared_bytes, e);
        if (s != HEDDLE_ERANGE)
            break;
    }
    l->pool->words.most_threads = s == HEDDLE_OK ? hd_pool_class_threads[k] : 0;
    return s;
}

/* Blocks of the usual team that the GPU holds at once, or as many as a launch can have. */
static heddle_status most_at_once(hd_loaded *l, launches *p, uint32_t team_size, hd_error *e)
{
    int per_sm = 0;
    HD_TRY(hd_kernel_find(&p->function, &per_sm, l, HD_FAMILY_POOL, HD_POOL_BATCH, team_size, l->shared_bytes, e));
    if ((uint32_t)per_sm * (uint32_t)l->device->n_sms < p->most)
        p->most = (uint32_t)per_sm * (uint32_t)l->device->n_sms;
    return HEDDLE_OK;
}

static heddle_status choose(hd_loaded *l, launches *p, const hd_pool_work *work, hd_error *e)
{
    p->n_streams = work->mode == HEDDLE_POOL_BATCH ? 1u : MOST_STREAMS;
    p->most = work->mode == HEDDLE_POOL_KERNELS ? 1u : HD_POOL_BATCH_MOST;
    p->in_turn = work->mode == HEDDLE_POOL_KERNELS;
    l->pool->words.n_workers = p->n_streams;
    if (work->mode == HEDDLE_POOL_BATCH)
        HD_TRY(most_at_once(l, p, work->team_size, e));
    snprintf(l->pool->how, sizeof l->pool->how, "%s of up to %u tasks, %u stream%s",
             p->in_turn ? "kernels" : "launches", p->most, p->n_streams, p->n_streams > 1 ? "s" : "");
    return HEDDLE_OK;
}

static heddle_status make(hd_loaded *l, const hd_pool_work *work, hd_error *e)
{
    launches *p = l->pool->mode = hd_new(sizeof *p);
    if (!p)
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: out of memory");
    l->pool->words.no_spawns = l->pool->words.by_sm = 1;
    HD_TRY(choose(l, p, work, e));
    HD_TRY(find_kernel(l, p, e));
    HD_TRY(make_memory(l, p, e));
    return make_streams(p, e);
}

static void free_mode(hd_loaded *l)
{
    launches *p = launches_of(l);
    const uint64_t n = l->pool->words.n_host;
    uint32_t s;
    if (!p)
        return;
    for (s = 0; s < p->n_streams; s++)
        if (p->streams[s].stream)
            (void)cudaStreamDestroy(p->streams[s].stream);
    (void)cudaFree(p->closed);
    (void)cudaFree(p->news_end);
    (void)cudaFree(p->stream_words);
    hd_delete_sparse(p->notes, n * sizeof *p->notes);
    hd_delete_sparse(p->after, n * sizeof *p->after);
    hd_delete(p, sizeof *p);
    l->pool->mode = NULL;
}

const hd_pool_way hd_pool_launches = {.make = make,
                                      .free_mode = free_mode,
                                      .send = send,
                                      .serve = serve,
                                      .is_idle = is_idle,
                                      .on_gpu = on_gpu,
                                      .task_of = task_of};
