/* SPDX-License-Identifier: MIT */
/* pool.c - a pool on a GPU, as launches: a thread of the library launches what has been sent since its last launch, a block for each
 * task (core/batch.h). No kernel stays on the GPU, and nothing polls.
 *
 * A sent task is posted in host memory. Once all tasks that it waits for are told, it is ready: in a list of those with as large a
 * team, since a launch has blocks of one size. The thread launches ready tasks into streams that have nothing to do, so that a long
 * task holds up what is behind it in no stream; if all streams are busy, more tasks gather for the next launch. Between sending and
 * telling, the library makes no other call of CUDA.
 *
 * A task that runs gets its fate by a copy. The copy may come after the task's end; the slot is then dirty, and its fate is cleared
 * before the next task is launched from it. */
#include "backend/cuda/pool.h"

#include "heddle/core/batch.h"
#include "heddle/core/send.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define N_STREAMS 32u
#define N_CLASSES 6u    /* teams of 32, 64, 128, 256, 512, 992 threads */
#define SPIN_NS 200000u /* of the thread without work, before it sleeps until a task is sent */
#define NAP_NS 5000u    /* while tasks wait for others, or for a stream */

static const uint32_t class_threads[N_CLASSES] = {32, 64, 128, 256, 512, 992};

/* Where a slot's task is. */
enum { SENT, WAITS, READY, LAUNCHED };

typedef struct note {
    uint32_t generation; /* of the slot's task */
    uint8_t where, class, is_dirty, is_wide;
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

struct hd_cuda_pool {
    hd_pool words;
    hd_posted *posted; /* pinned */
    uint8_t *args;     /* pinned: larger records, args_bytes each; or NULL */
    uint8_t *pinned;   /* the block of told, news, live, posted */
    uint32_t args_bytes;
    hd_fail *fates; /* device */
    uint32_t *closed, *news_end;
    hd_stream_words *stream_words;
    note *notes;
    uint64_t (*after)[HD_MAX_AFTER];
    CUfunction function;
    stream streams[N_STREAMS];
    cudaStream_t side; /* fates */
    hd_fail *no_fate;  /* pinned: HD_STOP_... to copy */
    uint32_t sent;     /* atomic: the slot sent last + 1, linked to those before; 0 = none */
    uint32_t sleeps;   /* atomic: the launching thread sleeps, or is about to */
    uint8_t pad[HD_LINE];
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t woken;
    pthread_t launcher;
    list waiting, ready[N_CLASSES], wide;
    int has_launcher, ends, is_over;
};
typedef struct hd_cuda_pool cuda_pool;

/* ---- lists ---------------------------------------------------------------------------------------------------------- */

static void put(cuda_pool *p, list *l, uint32_t slot)
{
    p->notes[slot].next = HD_NONE;
    *(l->n++ ? &p->notes[l->last].next : &l->first) = slot;
    l->last = slot;
}

static uint32_t get(cuda_pool *p, list *l)
{
    const uint32_t slot = l->first;
    l->first = p->notes[slot].next;
    l->n--;
    return slot;
}

static void put_ready(cuda_pool *p, uint32_t slot)
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

/* How the task of that handle has ended; 0: it has not. */
static uint32_t how_ended(const cuda_pool *p, uint64_t handle)
{
    const uint32_t v = HD_LOAD(&p->words.told[(uint32_t)handle].state, ACQUIRE, SYS), how = v & HD_TOLD_HOW;
    return v >> HD_TOLD_BITS == handle >> 32 && how != HD_TOLD_LATE ? how : 0u;
}

/* Have all tasks ended that this one waits for? If one of them ended badly, it is cancelled. */
static int is_free_to_go(cuda_pool *p, uint32_t slot)
{
    note *at = &p->notes[slot];
    uint32_t i, how;
    for (i = 0; i < at->n_after; i++) {
        how = how_ended(p, p->after[slot][i]);
        if (!how)
            return 0;
        if (how != HD_STOP_DONE)
            p->posted[slot].flags |= HD_POSTED_CANCELED;
    }
    return 1;
}

/* Takes over what has been sent: the list begins with the last one. */
static void take_sent(cuda_pool *p)
{
    uint32_t slot = __atomic_exchange_n(&p->sent, 0, __ATOMIC_SEQ_CST), turned = 0, next;
    for (; slot; slot = next) {
        next = p->notes[slot - 1u].next;
        p->notes[slot - 1u].next = turned;
        turned = slot;
    }
    for (slot = turned; slot; slot = next) {
        next = p->notes[slot - 1u].next;
        if (p->notes[slot - 1u].n_after) {
            p->notes[slot - 1u].where = WAITS;
            put(p, &p->waiting, slot - 1u);
        } else {
            put_ready(p, slot - 1u);
        }
    }
}

static void free_waiting(cuda_pool *p)
{
    uint32_t n;
    for (n = p->waiting.n; n > 0; n--) {
        const uint32_t slot = get(p, &p->waiting);
        if (is_free_to_go(p, slot))
            put_ready(p, slot);
        else
            put(p, &p->waiting, slot);
    }
}

/* ---- launching -------------------------------------------------------------------------------------------------------- */

static int is_idle(const cuda_pool *p, uint32_t s)
{
    const hd_live *live = &p->words.live[s];
    return HD_LOAD(&live->ended[0], ACQUIRE, SYS) + HD_LOAD(&live->ended[1], ACQUIRE, SYS) == p->streams[s].n_sent;
}

static uint32_t idle_stream(const cuda_pool *p)
{
    uint32_t s;
    for (s = 0; s < N_STREAMS && !is_idle(p, s); s++)
        ;
    return s < N_STREAMS ? s : HD_NONE;
}

static void lose(hd_loaded *l, const char *text)
{
    if (!l->lost)
        snprintf(l->complaint, sizeof l->complaint, "%s", text);
    l->lost = 1;
    l->pool->is_over = 1;
}

/* A cancelled task's fate may have come after its end. */
static heddle_status clean(hd_loaded *l, uint32_t slot, hd_error *e)
{
    cuda_pool *p = l->pool;
    if (!p->notes[slot].is_dirty)
        return HEDDLE_OK;
    p->notes[slot].is_dirty = 0;
    HD_CUDA_TRY(cudaMemsetAsync(&p->fates[slot], 0, sizeof(hd_fail), p->side), e, "clearing a task's fate");
    HD_CUDA_TRY(cudaStreamSynchronize(p->side), e, "clearing a task's fate");
    return HEDDLE_OK;
}

/* Launches up to HD_POOL_BATCH_MOST tasks of the list, or its first task with all of its blocks. */
static heddle_status launch(hd_loaded *l, list *from, uint32_t n_threads, uint32_t s, hd_error *e)
{
    cuda_pool *p = l->pool;
    stream *at = &p->streams[s];
    const int is_wide = from == &p->wide;
    hd_pool_batch b = {p->posted,
                       p->args,
                       l->params,
                       p->fates,
                       p->closed,
                       p->words.told,
                       p->words.news,
                       p->news_end,
                       &p->stream_words[s],
                       &p->words.live[s],
                       p->args_bytes,
                       p->words.n_host,
                       0,
                       (uint32_t)is_wide,
                       {0}};
    void *params[] = {&b};
    CUlaunchConfig c;
    CUresult r;
    for (at->n_last = 0; from->n && at->n_last < (is_wide ? 1u : HD_POOL_BATCH_MOST); at->n_last++) {
        const uint32_t slot = get(p, from);
        HD_TRY(clean(l, slot, e));
        p->notes[slot].where = LAUNCHED;
        at->last[at->n_last] = b.slot[at->n_last] = slot;
    }
    b.n = is_wide ? p->posted[b.slot[0]].n_blocks : at->n_last;
    at->n_sent += at->n_last;
    memset(&c, 0, sizeof c);
    c.gridDimX = b.n;
    c.blockDimX = is_wide ? class_threads[p->notes[b.slot[0]].class] : n_threads;
    c.gridDimY = c.gridDimZ = c.blockDimY = c.blockDimZ = 1;
    c.sharedMemBytes = l->shared_bytes;
    c.hStream = at->stream;
    r = l->device->driver.cuLaunchKernelEx(&c, p->function, params, NULL);
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(&l->device->driver, e, r, "launching tasks of a pool");
}

/* Launches what is ready while streams are idle. 1: something was launched. */
static int launch_ready(hd_loaded *l)
{
    int any = 0;
    cuda_pool *p = l->pool;
    hd_error e;
    uint32_t k, s;
    for (k = 0; k <= N_CLASSES; k++) {
        list *from = k < N_CLASSES ? &p->ready[k] : &p->wide;
        while (from->n) {
            s = idle_stream(p);
            if (s == HD_NONE)
                return any;
            if (launch(l, from, k < N_CLASSES ? class_threads[k] : 0, s, &e) != HEDDLE_OK) {
                lose(l, e.text);
                return any;
            }
            any = 1;
        }
    }
    return any;
}

/* A kernel that has failed makes every call fail: notices it while nothing is told. */
static void check_device(hd_loaded *l)
{
    hd_error e;
    const cudaError_t r = cudaStreamQuery(l->pool->side);
    if (r == cudaSuccess || r == cudaErrorNotReady) {
        (void)cudaGetLastError();
        return;
    }
    (void)hd_cuda_say(&e, r, "the GPU failed while it ran tasks");
    lose(l, e.text);
}

static int is_quiet(const cuda_pool *p)
{
    uint32_t s;
    if (p->waiting.n)
        return 0;
    for (s = 0; s < N_STREAMS; s++)
        if (!is_idle(p, s))
            return 0;
    return 1;
}

/* The caller holds the mutex; nothing can be launched now. Sleeps once there has been nothing to do for some time. */
static void rest(cuda_pool *p, uint64_t *since)
{
    const uint64_t now = heddle_host_clock_ns();
    *since = *since ? *since : now;
    if (now - *since > SPIN_NS && is_quiet(p)) {
        __atomic_store_n(&p->sleeps, 1, __ATOMIC_SEQ_CST);
        while (!p->ends && !__atomic_load_n(&p->sent, __ATOMIC_SEQ_CST))
            pthread_cond_wait(&p->woken, &p->mutex);
        __atomic_store_n(&p->sleeps, 0, __ATOMIC_RELAXED);
        *since = 0;
        return;
    }
    pthread_mutex_unlock(&p->mutex);
    if (now - *since > SPIN_NS)
        (void)nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    else
        HD_PAUSE(0);
    pthread_mutex_lock(&p->mutex);
}

static void *launcher_main(void *arg)
{
    hd_loaded *l = arg;
    cuda_pool *p = l->pool;
    uint64_t since = 0;
    uint32_t n = 0;
    (void)cudaSetDevice(l->device->index);
    pthread_mutex_lock(&p->mutex);
    while (!p->ends && !p->is_over) {
        take_sent(p);
        free_waiting(p);
        if (launch_ready(l))
            since = 0;
        if (++n % 4096u == 0)
            check_device(l);
        rest(p, &since);
    }
    p->is_over = 1;
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* ---- sending ------------------------------------------------------------------------------------------------------------ */

static uint32_t class_of(uint32_t team_size)
{
    uint32_t k = 0;
    while (class_threads[k] < team_size)
        k++;
    return k;
}

static void post(cuda_pool *p, const hd_sent *s)
{
    hd_posted *to = &p->posted[s->slot];
    note *at = &p->notes[s->slot];
    *to = (hd_posted){s->generation, s->body, s->flags, s->n_blocks, s->team_size, s->arg_bytes, {0, 0}, {0}};
    if (s->arg_bytes)
        memcpy(s->arg_bytes <= HD_INLINE_ARGS ? to->args : p->args + (uint64_t)s->slot * p->args_bytes, s->args,
               s->arg_bytes);
    at->generation = s->generation;
    at->where = SENT;
    at->class = (uint8_t)class_of(s->team_size);
    at->is_wide = s->n_blocks > 1;
    at->n_after = (uint16_t)s->n_after;
    if (s->n_after)
        memcpy(p->after[s->slot], s->after, s->n_after * sizeof *s->after);
}

void hd_cuda_pool_send(hd_loaded *l, const hd_sent *tasks, uint32_t n)
{
    cuda_pool *p = l->pool;
    uint32_t i, before;
    for (i = 0; i < n; i++) {
        post(p, &tasks[i]);
        if (i)
            p->notes[tasks[i].slot].next = tasks[i - 1u].slot + 1u;
    }
    before = __atomic_load_n(&p->sent, __ATOMIC_RELAXED);
    do
        p->notes[tasks[0].slot].next = before;
    while (!__atomic_compare_exchange_n(&p->sent, &before, tasks[n - 1u].slot + 1u, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED));
    if (!__atomic_load_n(&p->sleeps, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&p->mutex);
    pthread_cond_signal(&p->woken);
    pthread_mutex_unlock(&p->mutex);
}

void hd_cuda_pool_stop_task(hd_loaded *l, uint32_t slot, uint32_t why)
{
    cuda_pool *p = l->pool;
    pthread_mutex_lock(&p->mutex);
    if (p->notes[slot].where != LAUNCHED) {
        p->posted[slot].flags |= HD_POSTED_CANCELED;
    } else if (!p->is_over) {
        (void)cudaSetDevice(l->device->index);
        p->notes[slot].is_dirty = 1;
        p->no_fate->stop = why;
        (void)cudaMemcpyAsync(&p->fates[slot].stop, &p->no_fate->stop, 4, cudaMemcpyHostToDevice, p->side);
        (void)cudaStreamSynchronize(p->side);
    }
    pthread_mutex_unlock(&p->mutex);
}

/* ---- a pool --------------------------------------------------------------------------------------------------------------- */

const hd_pool *hd_cuda_pool_words(const hd_loaded *l) { return &l->pool->words; }

/* Places the pinned words; at NULL only measures. */
static uint64_t cut(cuda_pool *p, uint8_t *at)
{
    const uint64_t n = p->words.n_host;
    uint64_t n_bytes = 0;
#define PART(field, type, count)                           \
    p->field = at ? (type *)(void *)(at + n_bytes) : NULL; \
    n_bytes += ((uint64_t)(count) * sizeof(type) + HD_LINE - 1) / HD_LINE * HD_LINE
    PART(words.told, hd_told, n);
    PART(words.news, uint32_t, n);
    PART(words.live, hd_live, N_STREAMS);
    PART(no_fate, hd_fail, 1);
    PART(posted, hd_posted, n);
    PART(args, uint8_t, n * p->args_bytes);
#undef PART
    return n_bytes;
}

static uint32_t largest_record(const heddle_table *t)
{
    uint32_t i, most = 0;
    for (i = 0; i < t->n_bodies; i++)
        most = t->bodies[i].arg_bytes > most ? t->bodies[i].arg_bytes : most;
    return most > HD_INLINE_ARGS ? (most + 15u) / 16u * 16u : 0;
}

static heddle_status make_memory(hd_loaded *l, hd_error *e)
{
    static const char opening[] = "opening a pool";
    cuda_pool *p = l->pool;
    const uint64_t n = p->words.n_host;
    uint64_t n_bytes;
    p->args_bytes = largest_record(l->graph->table);
    n_bytes = cut(p, NULL);
    HD_CUDA_TRY(cudaHostAlloc((void **)&p->pinned, n_bytes, cudaHostAllocDefault), e, opening);
    memset(p->pinned, 0, n_bytes);
    (void)cut(p, p->pinned);
    HD_CUDA_TRY(cudaMalloc((void **)&p->fates, n * sizeof(hd_fail)), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->closed, n * 4), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->news_end, 4), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->stream_words, N_STREAMS * sizeof(hd_stream_words)), e, opening);
    HD_CUDA_TRY(cudaMalloc(&l->params, l->graph->table->params_bytes + 1u), e, opening);
    HD_CUDA_TRY(cudaMemset(p->fates, 0, n * sizeof(hd_fail)), e, opening);
    HD_CUDA_TRY(cudaMemset(p->closed, 0, n * 4), e, opening);
    HD_CUDA_TRY(cudaMemset(p->news_end, 0, 4), e, opening);
    HD_CUDA_TRY(cudaMemset(p->stream_words, 0, N_STREAMS * sizeof(hd_stream_words)), e, opening);
    p->notes = hd_new_sparse(n * sizeof *p->notes);
    p->after = hd_new_sparse(n * sizeof *p->after);
    if (!p->notes || !p->after)
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: no memory for %u slots", p->words.n_host);
    return HEDDLE_OK;
}

static heddle_status make_streams(cuda_pool *p, hd_error *e)
{
    uint32_t s;
    for (s = 0; s < N_STREAMS; s++)
        HD_CUDA_TRY(cudaStreamCreateWithFlags(&p->streams[s].stream, cudaStreamNonBlocking), e, "making a stream");
    HD_CUDA_TRY(cudaStreamCreateWithFlags(&p->side, cudaStreamNonBlocking), e, "making a stream");
    return HEDDLE_OK;
}

/* The largest team that the kernel's registers allow. */
static heddle_status find_kernel(hd_loaded *l, hd_error *e)
{
    uint32_t k;
    heddle_status s = HEDDLE_OK;
    for (k = N_CLASSES; k-- > 0;) {
        s = hd_kernel_find(&l->pool->function, NULL, l, HD_FAMILY_POOL, 0, class_threads[k], l->shared_bytes, e);
        if (s != HEDDLE_ERANGE)
            break;
    }
    l->pool->words.most_threads = s == HEDDLE_OK ? class_threads[k] : 0;
    return s;
}

static heddle_status make(hd_loaded *l, hd_error *e)
{
    HD_TRY(hd_cuda_use(l->device, e));
    HD_TRY(find_kernel(l, e));
    HD_TRY(make_memory(l, e));
    return make_streams(l->pool, e);
}

heddle_status hd_cuda_pool_load(hd_loaded **out, hd_device *d, const hd_work *work, hd_error *e)
{
    const hd_pool_work *w = work->desc;
    hd_loaded *l = hd_new(sizeof *l);
    heddle_status s;
    *out = NULL;
    if (l)
        l->pool = hd_new(sizeof *l->pool);
    if (!l || !l->pool) {
        hd_delete(l, sizeof *l);
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: out of memory");
    }
    l->device = d;
    l->graph = w->graph;
    l->shared_bytes = hd_graph_blob(w->graph)->shared_bytes;
    l->pool->words.n_host = w->n_host;
    l->pool->words.n_workers = N_STREAMS;
    l->pool->words.no_spawns = 1;
    pthread_mutex_init(&l->pool->mutex, NULL);
    pthread_cond_init(&l->pool->woken, NULL);
    s = make(l, e);
    if (s == HEDDLE_OK)
        *out = l;
    else
        hd_cuda_pool_unload(l);
    return s;
}

void hd_cuda_pool_unload(hd_loaded *l)
{
    cuda_pool *p = l->pool;
    const uint64_t n = p->words.n_host;
    uint32_t s;
    (void)cudaSetDevice(l->device->index);
    for (s = 0; s < N_STREAMS; s++)
        if (p->streams[s].stream)
            (void)cudaStreamDestroy(p->streams[s].stream);
    if (p->side)
        (void)cudaStreamDestroy(p->side);
    (void)cudaFree(p->fates);
    (void)cudaFree(p->closed);
    (void)cudaFree(p->news_end);
    (void)cudaFree(p->stream_words);
    (void)cudaFree(l->params);
    (void)cudaFreeHost(p->pinned);
    hd_delete_sparse(p->notes, n * sizeof *p->notes);
    hd_delete_sparse(p->after, n * sizeof *p->after);
    pthread_cond_destroy(&p->woken);
    pthread_mutex_destroy(&p->mutex);
    hd_delete(p, sizeof *p);
    hd_delete(l, sizeof *l);
}

heddle_status hd_cuda_pool_start(hd_loaded *l, const void *params, hd_error *e)
{
    const uint32_t n_bytes = l->graph->table->params_bytes;
    HD_TRY(hd_cuda_use(l->device, e));
    if (n_bytes)
        HD_CUDA_TRY(cudaMemcpy(l->params, params, n_bytes, cudaMemcpyHostToDevice), e, "opening a pool");
    if (pthread_create(&l->pool->launcher, NULL, launcher_main, l))
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: the thread that launches could not be started");
    l->pool->has_launcher = 1;
    return HEDDLE_OK;
}

heddle_status hd_cuda_pool_wait(hd_loaded *l, uint64_t deadline_ns)
{
    cuda_pool *p = l->pool;
    int over;
    pthread_mutex_lock(&p->mutex);
    over = p->is_over || !p->has_launcher;
    pthread_mutex_unlock(&p->mutex);
    if (!over && !p->ends)
        return HEDDLE_EBUSY;
    if (p->has_launcher && p->ends && deadline_ns == UINT64_MAX) {
        pthread_join(p->launcher, NULL);
        p->has_launcher = 0;
    }
    return HEDDLE_OK;
}

void hd_cuda_pool_stop(hd_loaded *l)
{
    cuda_pool *p = l->pool;
    pthread_mutex_lock(&p->mutex);
    p->ends = 1;
    pthread_cond_signal(&p->woken);
    pthread_mutex_unlock(&p->mutex);
}

/* A stream is what a worker is elsewhere: the first task of its launch that has not ended. */
int hd_cuda_pool_doing(const hd_loaded *l, uint32_t worker, hd_doing *out)
{
    cuda_pool *p = l->pool;
    stream *at = &p->streams[worker];
    hd_doing d = {HD_NONE, HD_NONE, 0, 0, 1};
    uint32_t i;
    if (worker >= N_STREAMS)
        return 0;
    pthread_mutex_lock(&p->mutex);
    for (i = 0; i < at->n_last && d.task == HD_NONE; i++)
        if (!how_ended(p, (uint64_t)p->notes[at->last[i]].generation << 32 | at->last[i]))
            d.task = at->last[i];
    pthread_mutex_unlock(&p->mutex);
    *out = d;
    return 1;
}
