/* SPDX-License-Identifier: MIT */
/* pool_resident.c - a pool as a kernel that stays on the GPU while there is work (core/serve.h). Tasks get there by lines in pinned
 * memory (core/wire.h), without a call of CUDA.
 *
 * The kernel ends by itself when there has been nothing to do for linger_us, after hold_us, or when it is asked. The pool's thread
 * notices that. If lines are left it starts the kernel again; else it sleeps, and the next thread that sends starts it.
 *
 * While a stream waits for a task the kernel stays. Streams share queues of the hardware: another launch could stand behind the wait,
 * and the task would never run. So before the wait is put into the stream, the host asks the kernel to stay, and awaits its answer.
 *
 * The blocks have several teams each (core/crew.h), as many as registers and shared memory allow. Or, if bodies spawn or have barriers
 * of their own, they have one, the widest seen since the pool was last asleep. A task with a wider one waits, before its line is
 * written, until the kernel has ended, so that the next start has wider blocks. */
#include "backend/arena.h"
#include "backend/cuda/pool_table.h"
#include "backend/words.h"
#include "heddle/core/wire.h"
#include "heddle/pool.h"

#include <stdio.h>
#include <string.h>

#define LINES_LEAST 4096u
#define LINGER_US 200u
#define HOLD_US 10000u
#define ARENA_DEFAULT 1024u /* per worker, where bodies spawn */
#define NAP_NS 20000u       /* while the kernel runs */
#define EAGER_NS 200000u    /* after its start, without naps */

/* In device memory beside the words of the run. */
typedef struct device_words {
    hd_pool pool;
    hd_cursor urgent_at;
    hd_couriers couriers;
    uint32_t news_end;
} device_words;

typedef struct resident {
    hd_run run; /* n_workers: the most that there can be; a start has those of its class */
    hd_wire wire;
    hd_pool_table *table; /* of mode table; or NULL */
    uint8_t *block;       /* device: words of the run */
    device_words *device;
    uint32_t *urgent;
    hd_copy *copies;
    uint8_t *stage;
    CUfunction function;
    cudaStream_t stream;
    hd_end *end;                         /* pinned */
    uint32_t n_workers[HD_POOL_CLASSES]; /* 0: too wide for the kernel's registers */
    uint32_t n_threads[HD_POOL_CLASSES]; /* of a block */
    uint32_t shared_bytes;               /* likewise */
    uint32_t narrowest, narrow_threads;  /* the class of the pool's team_size, and its threads */
    uint32_t class;  /* atomic, of the kernel's blocks; changes with the pool's mutex, while no kernel runs */
    uint32_t n_wide; /* atomic: senders of wider teams than the narrowest, and held tasks, which such may wait for */
    uint32_t run_number;
    int running, n_holds;
    uint32_t stay;   /* the number of the last stay */
    hd_list awaited; /* handles of the tasks that streams wait for */
    uint64_t began;
    uint8_t pad[HD_LINE];
    hd_places places;
} resident;

static inline resident *resident_of(const hd_loaded *l) { return l->pool->mode; }

/* ---- the kernel -------------------------------------------------------------------------------------------------------- */

/* Lines before the place that this word holds are complete, or are about to be. */
static const uint32_t *next_place(const resident *x) { return x->table ? &x->table->whole : &x->places.next; }

static int lines_are_left(const resident *x) { return hd_wire_is_left(&x->wire, next_place(x)); }

static void ask(const resident *x, uint32_t what) { __atomic_store_n(x->wire.asked, what, __ATOMIC_RELAXED); }
/* For the rest the caller holds the mutex. If it is to stay, it ends later. */
static void ask_to_end(const resident *x)
{
    if (!x->awaited.n)
        ask(x, HD_ASKED_END);
}

/* No kernel runs. */
static void start_kernel(hd_loaded *l)
{
    resident *x = resident_of(l);
    hd_run run = x->run;
    hd_wire wire = x->wire;
    void *params[] = {&run, &wire};
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig c = {.gridDimX = x->n_workers[x->class],
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = x->n_threads[x->class],
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .sharedMemBytes = x->shared_bytes,
                        .hStream = x->stream,
                        .attrs = &cooperative,
                        .numAttrs = 1};
    CUresult r;
    hd_error e;
    wire.lines = x->table ? x->table->lines : wire.lines;
    run.n_workers = c.gridDimX;
    run.crowded = c.gridDimX > (uint32_t)l->device->n_sms;
    ask(x, x->awaited.n ? x->stay : HD_ASKED_NOTHING);
    x->run_number++;
    __atomic_add_fetch(&l->pool->words.n_starts, 1, __ATOMIC_RELAXED);
    x->running = 1;
    x->began = heddle_host_clock_ns();
    r = l->device->driver.cuLaunchKernelEx(&c, x->function, params, NULL);
    if (r == CUDA_SUCCESS)
        return;
    (void)hd_driver_say(&l->device->driver, &e, r, "starting the workers of a pool");
    hd_pool_lose(l, e.text);
}

/* Has the kernel of the last start ended? */
static int has_ended(hd_loaded *l)
{
    resident *x = resident_of(l);
    const hd_end *end = x->end;
    if (HD_LOAD(&end->run, ACQUIRE, SYS) != x->run_number)
        return 0;
    x->running = 0;
    if (end->stop != HD_STOP_DONE)
        l->pool->is_over = 1;
    return 1;
}

/* ---- stays ----------------------------------------------------------------------------------------------------------------- */

/* Has the task of that handle ended? Its slot may have another one since. */
static int has_passed(const hd_loaded *l, uint64_t handle)
{
    const uint32_t state = HD_LOAD(&l->pool->words.told[(uint32_t)handle].state, ACQUIRE, SYS);
    return (int32_t)(state - hd_told_of((uint32_t)(handle >> 32), HD_TOLD_LATE)) > 0;
}

/* Forgets awaited tasks that have ended. After the last one the kernel may end, and does, if somebody has asked for it. */
static void drop_awaited(const hd_loaded *l, resident *x)
{
    uint64_t *at = x->awaited.at, i;
    if (!x->awaited.n)
        return;
    for (i = x->awaited.n; i-- > 0;)
        if (has_passed(l, at[i]))
            at[i] = at[--x->awaited.n];
    if (!x->awaited.n)
        ask(x, x->n_holds || l->pool->ends ? HD_ASKED_END : HD_ASKED_NOTHING);
}

static heddle_status stay(hd_loaded *l, uint64_t handle, hd_error *e)
{
    hd_cuda_pool *p = l->pool;
    resident *x = resident_of(l);
    int is_over;
    if (!p->words.n_seats || x->table)
        return HEDDLE_EBUSY; /* another kernel may have to be started, with wider blocks; or tasks begin when the program waits */
    pthread_mutex_lock(&p->mutex);
    if (hd_list_room(&x->awaited, 1, sizeof handle)) {
        pthread_mutex_unlock(&p->mutex);
        return hd_say(e, HEDDLE_ENOMEM, "letting a stream wait for a task: out of memory");
    }
    ((uint64_t *)x->awaited.at)[x->awaited.n] = handle;
    if (!x->awaited.n++) {
        x->stay = x->stay < HD_ASKED_END ? HD_ASKED_END + 1u : x->stay + 1u;
        ask(x, x->stay);
    }
    pthread_cond_signal(&p->woken);
    while (x->awaited.n && !p->is_over && HD_LOAD(x->wire.stays, ACQUIRE, SYS) != x->stay)
        hd_pool_nap(p, NAP_NS);
    is_over = p->is_over;
    pthread_mutex_unlock(&p->mutex);
    return is_over ? hd_say(e, HEDDLE_EDEVICE, "letting a stream wait for a task: the pool has stopped") : HEDDLE_OK;
}

/* ---- the thread ---------------------------------------------------------------------------------------------------------- */

/* Starts the kernel, or sleeps. */
static void start_or_sleep(hd_loaded *l)
{
    hd_cuda_pool *p = l->pool;
    resident *x = resident_of(l);
    drop_awaited(l, x);
    if (!x->n_holds && (lines_are_left(x) || x->awaited.n)) {
        start_kernel(l);
        return;
    }
    if ((x->n_holds || hd_wire_may_sleep(&x->wire, next_place(x), &p->sleeps)) && !p->ends)
        pthread_cond_wait(&p->woken, &p->mutex);
    __atomic_store_n(&p->sleeps, 0, __ATOMIC_RELAXED);
}

static void serve(hd_loaded *l)
{
    hd_cuda_pool *p = l->pool;
    resident *x = resident_of(l);
    if (!x->running) {
        start_or_sleep(l);
        return;
    }
    drop_awaited(l, x);
    if (p->ends)
        ask_to_end(x);
    if (!has_ended(l))
        hd_pool_nap(p, heddle_host_clock_ns() - x->began < EAGER_NS ? 0u : NAP_NS);
}

static int is_idle(hd_loaded *l) { return !resident_of(l)->running; }

static void hold(hd_loaded *l, int begins)
{
    resident *x = resident_of(l);
    x->n_holds += begins ? 1 : -1;
    if (begins)
        ask_to_end(x);
    else
        pthread_cond_signal(&l->pool->woken);
}

/* ---- sending -------------------------------------------------------------------------------------------------------------- */

/* The pool's thread sleeps: this one starts the kernel, with the narrowest blocks if no wider team is about to be sent, or
 * may wait for a held task. */
static void rouse(hd_loaded *l)
{
    hd_cuda_pool *p = l->pool;
    resident *x = resident_of(l);
    uint32_t was;
    pthread_mutex_lock(&p->mutex);
    was = x->class; /* not earlier: another sender may be about to widen it */
    if (__atomic_load_n(&p->sleeps, __ATOMIC_RELAXED) && !x->running && !x->n_holds) {
        __atomic_store_n(&p->sleeps, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&x->class, x->narrowest, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&x->n_wide, __ATOMIC_SEQ_CST))
            __atomic_store_n(&x->class, was, __ATOMIC_SEQ_CST);
        (void)cudaSetDevice(l->device->index);
        start_kernel(l);
    }
    pthread_cond_signal(&p->woken);
    pthread_mutex_unlock(&p->mutex);
}

/* Makes the blocks of the next start wide enough for class k, which this thread has counted in n_wide. */
static void widen(hd_loaded *l, uint32_t k)
{
    hd_cuda_pool *p = l->pool;
    resident *x = resident_of(l);
    pthread_mutex_lock(&p->mutex);
    while (x->class < k && !p->is_over) {
        if (!x->running) {
            __atomic_store_n(&x->class, k, __ATOMIC_SEQ_CST);
            break;
        }
        ask_to_end(x);
        hd_pool_nap(p, NAP_NS);
    }
    pthread_mutex_unlock(&p->mutex);
}

/* Before tasks of a team wider than the narrowest are sent, and after it; or before a task is held, and after its release. */
static void begin_wide(hd_loaded *l, const hd_sent *like, int is_wide)
{
    resident *x = resident_of(l);
    const uint32_t k = is_wide ? hd_pool_class(like->team_size) : 0u;
    if (is_wide || like->held == HD_HELD)
        __atomic_add_fetch(&x->n_wide, 1, __ATOMIC_SEQ_CST);
    if (is_wide && __atomic_load_n(&x->class, __ATOMIC_SEQ_CST) < k)
        widen(l, k);
}
static void end_wide(resident *x, const hd_sent *like, int is_wide)
{
    if (is_wide || like->held == HD_RELEASED)
        __atomic_sub_fetch(&x->n_wide, 1, __ATOMIC_SEQ_CST);
}

/* The line of that place, and those before it, may be written once the ones before them in the ring were taken. */
static void await_line(hd_loaded *l, uint32_t place)
{
    resident *x = resident_of(l);
    uint32_t n = 0;
    while (!hd_wire_is_free(&x->wire, &x->places, place) && !__atomic_load_n(&l->pool->is_over, __ATOMIC_RELAXED)) {
        if (hd_wire_must_rouse(&l->pool->sleeps))
            rouse(l);
        HD_PAUSE(n++);
    }
}

/* The fate of a released task may be its own. */
static void clean(hd_loaded *l, const hd_sent *like, const uint64_t *handles, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n && like->held != HD_RELEASED; i++)
        hd_pool_clean(l, (uint32_t)handles[i]);
}

/* Returns the place of the first. */
static uint32_t write_lines(hd_loaded *l, const hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n)
{
    resident *x = resident_of(l);
    const uint32_t place = hd_wire_reserve(&x->places, n);
    if (!hd_wire_seems_free(&x->wire, &x->places, place + n - 1u))
        await_line(l, place + n - 1u);
    hd_wire_write(&x->wire, place, like, handles, stride, n);
    return place;
}

/* In their order: a line is complete with the next one. */
static void write_in_turn(hd_loaded *l, const hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n)
{
    resident *x = resident_of(l);
    hd_pool_table *t = x->table;
    uint32_t i, place;
    pthread_mutex_lock(&t->mutex);
    place = write_lines(l, like, handles, stride, n);
    for (i = 0; i < n; i++)
        hd_pool_table_put(l, t, &x->wire, place + i);
    pthread_mutex_unlock(&t->mutex);
}

static void send(hd_loaded *l, const hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n)
{
    resident *x = resident_of(l);
    const int is_wide = like->team_size > x->narrow_threads;
    if (__atomic_load_n(&l->pool->n_dirty, __ATOMIC_RELAXED))
        clean(l, like, handles, n);
    if (is_wide || like->held)
        begin_wide(l, like, is_wide);
    if (x->table)
        write_in_turn(l, like, handles, stride, n);
    else
        (void)write_lines(l, like, handles, stride, n);
    if (hd_wire_must_rouse(&l->pool->sleeps))
        rouse(l);
    if (is_wide || like->held)
        end_wide(x, like, is_wide);
}

static void flush(hd_loaded *l)
{
    resident *x = resident_of(l);
    if (!x->table)
        return;
    pthread_mutex_lock(&x->table->mutex);
    hd_pool_table_flush(l, x->table, &x->wire, x->places.next);
    pthread_mutex_unlock(&x->table->mutex);
    if (hd_wire_must_rouse(&l->pool->sleeps) && lines_are_left(x))
        rouse(l);
}

static int on_gpu(hd_loaded *l, uint32_t slot)
{
    (void)l, (void)slot;
    return 1;
}

static uint32_t task_of(hd_loaded *l, uint32_t worker)
{
    return HD_LOAD(&resident_of(l)->run.now[worker].task, RELAXED, SYS);
}

/* ---- making it -------------------------------------------------------------------------------------------------------------- */

static heddle_status find(hd_loaded *l, resident *x, uint32_t n_threads, uint32_t n_seats, int *per_sm, hd_error *e)
{
    return hd_kernel_find(&x->function, per_sm, l, HD_FAMILY_POOL, HD_POOL_WORKERS, n_threads,
                          n_seats * l->shared_bytes, e);
}

/* All blocks that are resident at once, so many a multiprocessor, or as few as the context asks for, but two. */
static uint32_t n_blocks(const hd_loaded *l, int per_sm)
{
    const uint32_t most = (uint32_t)(per_sm * l->device->n_sms), asked = l->device->config.n_workers;
    return !asked || asked > most || most < 2u ? most : asked < 2u ? 2u : asked;
}

/* A team to a block: how many blocks of each class are resident at once. */
static heddle_status find_lone(hd_loaded *l, resident *x, const hd_pool_work *w, hd_error *e)
{
    uint32_t k;
    heddle_status s = HEDDLE_OK;
    x->narrowest = hd_pool_class(w->team_size);
    x->shared_bytes = l->shared_bytes;
    for (k = x->narrowest; k < HD_POOL_CLASSES; k++) {
        int per_sm = 0;
        x->n_threads[k] = hd_pool_class_threads[k] + 32u;
        s = find(l, x, x->n_threads[k], 1, &per_sm, e);
        if (s == HEDDLE_OK)
            x->n_workers[k] = n_blocks(l, per_sm);
        if (s != HEDDLE_OK || x->n_workers[k] < 2u)
            break;
        l->pool->words.most_threads = hd_pool_class_threads[k];
    }
    return s;
}

/* Seats of a block, at most one a warp: as many as shared memory has room for without a block less. */
static uint32_t find_seats(hd_loaded *l, resident *x, uint32_t n_threads, int per_sm)
{
    uint32_t n = n_threads / 32u - 1u;
    hd_error e;
    int now;
    for (; n > 1u; n--)
        if (find(l, x, n_threads, n, &now, &e) == HEDDLE_OK && now == per_sm)
            break;
    return n;
}

/* Several teams to a block: its warps are those that the kernel was compiled for. */
static heddle_status find_crew(hd_loaded *l, resident *x, const hd_pool_work *w, hd_error *e)
{
    const uint32_t k = HD_POOL_CLASSES - 1u, team_warps = w->team_size / 32u;
    hd_pool *p = &l->pool->words;
    uint32_t n_warps;
    int per_sm = 0;
    x->narrowest = k;
    HD_TRY(find(l, x, 64u, 1, &per_sm, e));
    HD_TRY(hd_kernel_most_threads(&x->n_threads[k], l, x->function, e));
    HD_TRY(find(l, x, x->n_threads[k], 1, &per_sm, e));
    n_warps = x->n_threads[k] / 32u - 2u; /* one schedules, and some blocks have a courier */
    x->n_workers[k] = n_blocks(l, per_sm);
    p->most_threads = 32u * n_warps;
    p->n_seats = find_seats(l, x, x->n_threads[k], per_sm);
    p->seat_shared = l->shared_bytes;
    p->team_warps = team_warps < n_warps ? team_warps : n_warps;
    p->n_stages = n_warps / p->team_warps;
    x->shared_bytes = p->n_seats * p->seat_shared;
    return HEDDLE_OK;
}

static int has_crews(const heddle_table *t)
{
    uint32_t i, n = 0;
    for (i = 0; i < t->n_bodies; i++)
        n += t->bodies[i].n_children != 0;
    return t->pool_warps && !n;
}

/* Finds the kernel, and how many of its blocks are resident at once. */
static heddle_status find_kernel(hd_loaded *l, resident *x, const hd_pool_work *w, hd_error *e)
{
    const heddle_table *t = l->graph->table;
    const heddle_status s = has_crews(t) ? find_crew(l, x, w, e) : find_lone(l, x, w, e);
    x->class = x->narrowest;
    x->narrow_threads = hd_pool_class_threads[x->narrowest];
    if (x->n_workers[x->narrowest] >= 2u)
        return HEDDLE_OK;
    return s != HEDDLE_OK ? s : hd_say(e, HEDDLE_ENODEV, "table %s: no two workers are resident at once", t->name);
}

static void size_run(hd_loaded *l, resident *x)
{
    const uint32_t asked = l->device->config.n_arena;
    hd_run *r = &x->run;
    r->n_workers = l->pool->words.n_workers = x->n_workers[x->narrowest];
    r->dispatch = HD_DISPATCH_TICKET;
    r->n_local = 1;
    r->polite = l->device->config.idle == HEDDLE_IDLE_POLITE;
    r->end = x->end;
    r->params = l->params;
    hd_arena_size(r, l->graph, l->pool->words.n_host, asked ? asked : ARENA_DEFAULT * r->n_workers);
    r->n_slots = hd_arena_ring(r);
}

/* Pinned: the words of the wire, behind those of all pools; at NULL only measures. */
static uint64_t cut_pinned(resident *x, uint32_t n_host, uint32_t n_teams, uint8_t *at)
{
    uint64_t n_bytes = 0;
#define PART(to, type, count)                        \
    to = at ? (type *)(void *)(at + n_bytes) : NULL; \
    n_bytes += ((uint64_t)(count) * sizeof(type) + HD_LINE - 1) / HD_LINE * HD_LINE
    PART(x->wire.lines, hd_wire_line, x->wire.n_lines);
    PART(x->wire.after, hd_after, n_host);
    PART(x->wire.copies, hd_copy, (uint64_t)n_host * x->wire.n_copies);
    PART(x->wire.taken, uint32_t, 1);
    PART(x->wire.asked, uint32_t, 1);
    PART(x->wire.stays, uint32_t, 1);
    PART(x->end, hd_end, 1);
    PART(x->run.now, hd_now, n_teams);
#undef PART
    return n_bytes;
}

/* With the pinned block and the run's sizes. */
static void count_slot(const resident *x, hd_pool *p)
{
    const uint32_t lines = x->wire.n_lines / p->n_host * (uint32_t)sizeof *x->wire.lines;
    hd_slot_bytes *b = &p->slot_bytes;
    b->pinned += lines + (uint32_t)(sizeof *x->wire.after + x->wire.n_copies * sizeof *x->wire.copies);
    b->device += hd_words_slot_bytes(&x->run) + (uint32_t)(sizeof *x->urgent + p->most_copies * sizeof *x->copies);
    if (x->table)
        b->device += lines + (uint32_t)sizeof *x->table->told;
}

static heddle_status make_pinned(hd_loaded *l, resident *x, hd_error *e)
{
    hd_cuda_pool *p = l->pool;
    const uint32_t n = p->words.n_host;
    const hd_now none = {HD_NONE, HD_NONE, 0, 0, 0, {0, 0, 0}};
    uint8_t *more;
    uint32_t i, n_teams;
    p->words.n_workers = x->n_workers[x->narrowest];
    n_teams = hd_pool_n_teams(&p->words);
    x->wire.n_copies = p->words.most_copies;
    x->wire.n_lines = n > LINES_LEAST ? n : LINES_LEAST;
    HD_TRY(hd_pool_pin(p, cut_pinned(x, n, n_teams, NULL), &more, e));
    (void)cut_pinned(x, n, n_teams, more);
    x->wire.args = p->args;
    x->wire.args_bytes = p->args_bytes;
    for (i = 0; i < n_teams; i++)
        x->run.now[i] = none;
    return HEDDLE_OK;
}

static heddle_status make_device(hd_loaded *l, resident *x, hd_error *e)
{
    static const char opening[] = "opening a pool";
    hd_cuda_pool *p = l->pool;
    uint64_t cleared, n_bytes = hd_words_bytes(&x->run, NULL, &cleared);
    HD_CUDA_TRY(cudaMalloc((void **)&x->block, n_bytes), e, opening);
    hd_words_cut(&x->run, NULL, x->block);
    HD_CUDA_TRY(cudaMalloc((void **)&x->device, sizeof *x->device), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&x->urgent, p->words.n_host * 4ull), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->fates, x->run.n_arena * sizeof(hd_fail)), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&x->copies, (uint64_t)p->words.n_host * p->words.most_copies * sizeof(hd_copy)), e,
                opening);
    HD_CUDA_TRY(cudaMalloc((void **)&x->stage, (uint64_t)x->run.n_workers * p->words.n_stages * p->words.stage_bytes),
                e, opening);
    HD_CUDA_TRY(cudaMemset(x->block, 0, cleared), e, opening);
    HD_CUDA_TRY(cudaMemset(x->device, 0, sizeof *x->device), e, opening);
    HD_CUDA_TRY(cudaMemset(x->urgent, 0, p->words.n_host * 4ull), e, opening);
    HD_CUDA_TRY(cudaMemset(p->fates, 0, x->run.n_arena * sizeof(hd_fail)), e, opening);
    return HEDDLE_OK;
}

/* The first words that are not zero. */
static heddle_status fill_device(hd_loaded *l, resident *x, hd_error *e)
{
    static const char opening[] = "opening a pool";
    hd_cuda_pool *p = l->pool;
    hd_pool words = p->words;
    hd_control *first = hd_new(sizeof *first);
    uint32_t *bodies = hd_new(x->run.n_bodies * 8ull);
    cudaError_t r = cudaErrorMemoryAllocation;
    words.fates = p->fates;
    words.told = x->table ? x->table->told : words.told;
    words.live = x->table ? x->table->live : words.live;
    words.urgent = x->urgent;
    words.copies = x->copies;
    words.stage = x->stage;
    words.urgent_at = &x->device->urgent_at;
    words.news_end = &x->device->news_end;
    x->wire.couriers = &x->device->couriers;
    x->run.pool = &x->device->pool;
    if (first && bodies) {
        first->run = 1;
        first->fresh = p->words.n_host;
        hd_arena_fill_bodies(bodies, l->graph);
        r = cudaMemcpy(x->run.control, first, sizeof *first, cudaMemcpyHostToDevice);
        if (r == cudaSuccess)
            r = cudaMemcpy((void *)(uintptr_t)x->run.bodies, bodies, x->run.n_bodies * 8ull, cudaMemcpyHostToDevice);
        if (r == cudaSuccess)
            r = cudaMemcpy(&x->device->pool, &words, sizeof words, cudaMemcpyHostToDevice);
    }
    hd_delete(first, sizeof *first);
    hd_delete(bodies, x->run.n_bodies * 8ull);
    HD_CUDA_TRY(r, e, opening);
    return HEDDLE_OK;
}

/* May the host write units in one piece? */
static heddle_status check_processor(hd_error *e)
{
#if HD_HAS_UNITS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx"))
        return HEDDLE_OK;
#endif
    return hd_say(e, HEDDLE_ENODEV,
                  "a resident pool needs a processor that stores 16 bytes in one piece (x86-64 with AVX)");
}

static void say_how(hd_loaded *l, const resident *x)
{
    const char *what = x->table ? "table" : "resident";
    const uint32_t n_seats = l->pool->words.n_seats;
    if (n_seats)
        snprintf(l->pool->how, sizeof l->pool->how, "%s, %u blocks of %u warps for up to %u teams each", what,
                 x->run.n_workers, l->pool->words.most_threads / 32u, n_seats);
    else
        snprintf(l->pool->how, sizeof l->pool->how, "%s, %u workers of %u threads", what, x->run.n_workers,
                 hd_pool_class_threads[x->narrowest]);
}

static heddle_status make(hd_loaded *l, const hd_pool_work *w, hd_error *e)
{
    resident *x = l->pool->mode = hd_new(sizeof *x);
    if (!x)
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: out of memory");
    l->pool->words.most_copies = w->most_copies;
    l->pool->words.stage_bytes = w->stage_bytes;
    l->pool->words.n_stages = 1;
    HD_TRY(check_processor(e));
    HD_TRY(find_kernel(l, x, w, e));
    HD_TRY(make_pinned(l, x, e));
    size_run(l, x);
    /* The two counts of a worker would not fit together; a late task is marked by the host, where ends are copied to. */
    l->pool->words.no_spawns = l->pool->words.no_limits = w->mode == HEDDLE_POOL_MODE_TABLE;
    if (w->mode == HEDDLE_POOL_MODE_TABLE)
        HD_TRY(hd_pool_table_new(l, &x->wire, &x->table, e));
    count_slot(x, &l->pool->words);
    HD_TRY(make_device(l, x, e));
    HD_TRY(fill_device(l, x, e));
    x->wire.linger_ns = 1000ull * (w->linger_us ? w->linger_us : LINGER_US);
    x->wire.hold_ns = 1000ull * (w->hold_us ? w->hold_us : HOLD_US);
    HD_CUDA_TRY(cudaStreamCreateWithFlags(&x->stream, cudaStreamNonBlocking), e, "making a stream");
    say_how(l, x);
    return HEDDLE_OK;
}

static void free_mode(hd_loaded *l)
{
    resident *x = resident_of(l);
    if (!x)
        return;
    if (x->stream)
        (void)cudaStreamDestroy(x->stream);
    hd_pool_table_delete(x->table);
    hd_list_clear(&x->awaited);
    (void)cudaFree(x->block);
    (void)cudaFree(x->device);
    (void)cudaFree(x->urgent);
    (void)cudaFree(x->copies);
    (void)cudaFree(x->stage);
    hd_delete(x, sizeof *x);
    l->pool->mode = NULL;
}

const hd_pool_way hd_pool_resident = {.make = make,
                                      .free_mode = free_mode,
                                      .send = send,
                                      .flush = flush,
                                      .serve = serve,
                                      .is_idle = is_idle,
                                      .on_gpu = on_gpu,
                                      .task_of = task_of,
                                      .hold = hold,
                                      .stay = stay};
