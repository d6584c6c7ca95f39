/* SPDX-License-Identifier: MIT */
/* pool_launches.c - a pool as launches: the pool's thread launches what has been sent since its last launch, a block for each task
 * (core/batch.h). No kernel stays on the GPU, and nothing polls.
 *
 * A sent task is posted in host memory. Once all tasks that it waits for are told, it is ready: in a list of those with as large a
 * team, if a launch has blocks of one size. The thread launches ready tasks into streams that have nothing to do, so that a long
 * task holds up what is behind it in no stream; if all streams are busy, more tasks gather for the next launch. Between sending and
 * telling, the library makes no other call of CUDA, but for copies of tasks in mode kernels.
 *
 * More modes, for comparison, differ in how much goes at once, into how many streams, and when: their policies (pool_policy.c). */
#include "backend/cuda/pool_launches.h"

#include "heddle/pool.h"

#include <stdio.h>
#include <string.h>

#define SPIN_NS 200000u /* of the thread without work, before it sleeps until a task is sent */
#define NAP_NS 5000u    /* while tasks wait for others, or for a stream */

/* Where a slot's task is. */
enum { SENT, HELD, WAITS, READY, LAUNCHED };

/* ---- lists ---------------------------------------------------------------------------------------------------------- */

static void put(hd_pool_launcher *p, hd_pool_list *l, uint32_t slot)
{
    p->notes[slot].next = HD_NONE;
    *(l->n++ ? &p->notes[l->last].next : &l->first) = slot;
    l->last = slot;
}

static uint32_t get(hd_pool_launcher *p, hd_pool_list *l)
{
    const uint32_t slot = l->first;
    l->first = p->notes[slot].next;
    l->n--;
    return slot;
}

static void put_ready(hd_pool_launcher *p, uint32_t slot)
{
    hd_pool_note *at = &p->notes[slot];
    hd_pool_list *l = &p->ready[p->policy->is_mixed ? 0 : at->class];
    if (at->is_wide && !p->policy->takes_wide)
        l = &p->wide;
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
    hd_pool_launcher *p = hd_launcher_of(l);
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

static void take_one(hd_pool_launcher *p, uint32_t slot)
{
    hd_pool_note *at = &p->notes[slot];
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
static void take_sent(hd_pool_launcher *p)
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
    hd_pool_launcher *p = hd_launcher_of(l);
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
           hd_launcher_of(l)->streams[s].n_sent;
}

/* A stream for the next launch, or HD_NONE. */
static uint32_t free_stream(const hd_loaded *l)
{
    hd_pool_launcher *p = hd_launcher_of(l);
    uint32_t s;
    if (p->policy->in_turn)
        return p->next++ % p->policy->n_streams;
    for (s = 0; s < p->policy->n_streams && !is_stream_idle(l, s); s++)
        ;
    return s < p->policy->n_streams ? s : HD_NONE;
}

/* Launches up to `most` tasks of the list; one if they are wide and not among others. */
static heddle_status launch(hd_loaded *l, hd_pool_list *from, uint32_t s, hd_error *e)
{
    hd_pool_launcher *p = hd_launcher_of(l);
    hd_pool_stream *at = &p->streams[s];
    const uint32_t most = from == &p->wide ? 1u : p->most;
    for (at->n_last = 0; from->n && at->n_last < most; at->n_last++) {
        const uint32_t slot = get(p, from);
        hd_pool_clean(l, slot);
        p->notes[slot].where = LAUNCHED;
        at->last[at->n_last] = slot;
    }
    at->n_sent += at->n_last;
    return p->policy->launch(l, s, e);
}

/* Launches what is ready while streams are idle. 1: something was launched. */
static int launch_ready(hd_loaded *l)
{
    hd_pool_launcher *p = hd_launcher_of(l);
    int any = 0;
    hd_error e;
    uint32_t k, s;
    for (k = 0; k <= HD_POOL_CLASSES; k++) {
        hd_pool_list *from = k < HD_POOL_CLASSES ? &p->ready[k] : &p->wide;
        while (from->n) {
            s = free_stream(l);
            if (s == HD_NONE)
                return any;
            if (launch(l, from, s, &e) != HEDDLE_OK) {
                hd_pool_lose(l, e.text);
                return any;
            }
            any = 1;
        }
    }
    return any;
}

static int is_any_ready(const hd_pool_launcher *p)
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
    const hd_pool_launcher *p = hd_launcher_of(l);
    uint32_t s;
    if (p->policy->is_lazy)
        return 1; /* what is there goes when the program waits */
    for (s = 0; s < p->policy->n_streams; s++)
        if (!is_stream_idle(l, s))
            return 0;
    free_waiting(l);
    return !is_any_ready(p);
}

/* Has a task been sent that may go at once, or does the program wait for those that may not? */
static int is_wanted(hd_pool_launcher *p)
{
    return __atomic_load_n(p->policy->is_lazy ? &p->wanted : &p->sent, __ATOMIC_SEQ_CST) != 0;
}

/* Nothing can be launched now. Sleeps once there has been nothing to do for some time. */
static void rest(hd_loaded *l)
{
    hd_cuda_pool *pool = l->pool;
    hd_pool_launcher *p = hd_launcher_of(l);
    const uint64_t now = heddle_host_clock_ns();
    p->since = p->since ? p->since : now;
    if (now - p->since <= SPIN_NS || !is_quiet(l)) {
        hd_pool_nap(pool, now - p->since > SPIN_NS ? NAP_NS : 0u);
        return;
    }
    __atomic_store_n(&pool->sleeps, 1, __ATOMIC_SEQ_CST);
    while (!pool->ends && !is_wanted(p) && (p->policy->is_lazy || !is_any_ready(p)))
        pthread_cond_wait(&pool->woken, &pool->mutex);
    __atomic_store_n(&pool->sleeps, 0, __ATOMIC_RELAXED);
    p->since = 0;
}

static void serve(hd_loaded *l)
{
    hd_pool_launcher *p = hd_launcher_of(l);
    if (!p->policy->is_lazy || __atomic_exchange_n(&p->wanted, 0, __ATOMIC_SEQ_CST)) {
        take_sent(p);
        free_waiting(l);
        if (launch_ready(l) || hd_pool_policy_settle(l))
            p->since = 0;
    }
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
    hd_pool_launcher *p = hd_launcher_of(l);
    hd_posted *to = &p->posted[s->slot];
    hd_pool_note *at = &p->notes[s->slot];
    *to = (hd_posted){s->generation, s->body, s->flags, s->n_blocks, s->team_size, s->arg_bytes, {0, 0}, {0}};
    if (s->arg_bytes)
        memcpy(hd_posted_args(l, s->slot), s->args, s->arg_bytes);
    if (hd_n_copies(s->flags))
        memcpy(hd_posted_copies(l, s->slot), s->copies, hd_n_copies(s->flags) * sizeof *s->copies);
    at->generation = s->generation;
    at->where = SENT;
    at->class = (uint8_t)hd_pool_class(s->team_size);
    at->is_wide = s->n_blocks > 1;
    at->is_held = s->held == HD_HELD;
    at->n_after = (uint16_t)s->n_after;
    if (s->n_after)
        memcpy(p->after[s->slot], s->after, s->n_after * sizeof *s->after);
}

static void wake(hd_cuda_pool *pool)
{
    if (!__atomic_load_n(&pool->sleeps, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->woken);
    pthread_mutex_unlock(&pool->mutex);
}

/* A held task is ready, whether it was taken over before or not. */
static void release(hd_loaded *l, uint32_t slot)
{
    hd_cuda_pool *pool = l->pool;
    pthread_mutex_lock(&pool->mutex);
    take_sent(hd_launcher_of(l));
    put_ready(hd_launcher_of(l), slot);
    pthread_cond_signal(&pool->woken);
    pthread_mutex_unlock(&pool->mutex);
}

static void send(hd_loaded *l, const hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n)
{
    hd_pool_launcher *p = hd_launcher_of(l);
    uint32_t i, before;
    if (like->held == HD_RELEASED) {
        release(l, (uint32_t)handles[0]);
        return;
    }
    for (i = 0; i < n; i++) {
        const hd_sent s = hd_sent_like(like, handles[i], i * stride);
        post(l, &s);
        if (i)
            p->notes[s.slot].next = (uint32_t)handles[i - 1u] + 1u;
    }
    before = __atomic_load_n(&p->sent, __ATOMIC_RELAXED);
    do
        p->notes[(uint32_t)handles[0]].next = before;
    while (!__atomic_compare_exchange_n(&p->sent, &before, (uint32_t)handles[n - 1u] + 1u, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED));
    if (!p->policy->is_lazy)
        wake(l->pool);
}

static void flush(hd_loaded *l)
{
    hd_pool_launcher *p = hd_launcher_of(l);
    if (!p->policy->is_lazy)
        return;
    __atomic_store_n(&p->wanted, 1, __ATOMIC_SEQ_CST);
    wake(l->pool);
}

static int on_gpu(hd_loaded *l, uint32_t slot)
{
    hd_pool_launcher *p = hd_launcher_of(l);
    if (p->notes[slot].where == LAUNCHED)
        return 1;
    p->posted[slot].flags |= HD_POSTED_CANCELED;
    return 0;
}

/* A stream is what a worker is elsewhere: the first task of its launch that has not ended. A slot may have another task by now, which
 * still waits. */
static uint32_t task_of(hd_loaded *l, uint32_t worker)
{
    const hd_pool_launcher *p = hd_launcher_of(l);
    const hd_pool_stream *at = &p->streams[worker];
    uint32_t i;
    for (i = 0; i < at->n_last; i++) {
        const hd_pool_note *task = &p->notes[at->last[i]];
        if (task->where == LAUNCHED && !hd_pool_how_ended(l->pool, (uint64_t)task->generation << 32 | at->last[i]))
            return at->last[i];
    }
    return HD_NONE;
}

/* ---- making it --------------------------------------------------------------------------------------------------------- */

static heddle_status make_memory(hd_loaded *l, hd_pool_launcher *p, hd_error *e)
{
    static const char opening[] = "opening a pool";
    hd_cuda_pool *pool = l->pool;
    const uint64_t n = pool->words.n_host;
    uint8_t *more;
    HD_TRY(hd_pool_pin(pool, n * sizeof *p->posted, &more, e));
    p->posted = (hd_posted *)(void *)more;
    pool->words.slot_bytes.pinned += sizeof *p->posted;
    pool->words.slot_bytes.device += sizeof *p->closed;
    pool->words.slot_bytes.host += sizeof *p->notes + sizeof *p->after;
    HD_CUDA_TRY(cudaMalloc((void **)&pool->fates, n * sizeof(hd_fail)), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->closed, n * 4), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->news_end, 4), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->stream_words, HD_POOL_STREAMS * sizeof(hd_stream_words)), e, opening);
    HD_CUDA_TRY(cudaMemset(pool->fates, 0, n * sizeof(hd_fail)), e, opening);
    HD_CUDA_TRY(cudaMemset(p->closed, 0, n * 4), e, opening);
    HD_CUDA_TRY(cudaMemset(p->news_end, 0, 4), e, opening);
    HD_CUDA_TRY(cudaMemset(p->stream_words, 0, HD_POOL_STREAMS * sizeof(hd_stream_words)), e, opening);
    p->notes = hd_new_sparse(n * sizeof *p->notes);
    p->after = hd_new_sparse(n * sizeof *p->after);
    if (p->policy->copies)
        p->copies = hd_new_sparse(n * pool->words.most_copies * sizeof *p->copies);
    if (!p->notes || !p->after || (p->policy->copies && !p->copies))
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: no memory for %u slots", pool->words.n_host);
    return HEDDLE_OK;
}

static heddle_status make_streams(hd_loaded *l, hd_error *e)
{
    const hd_pool_launcher *p = hd_launcher_of(l);
    uint32_t s;
    for (s = 0; s < p->policy->n_streams; s++)
        HD_TRY(hd_pool_policy_make(l, s, e));
    return HEDDLE_OK;
}

/* The largest team that the kernel's registers allow. */
static heddle_status find_kernel(hd_loaded *l, hd_pool_launcher *p, hd_error *e)
{
    uint32_t k;
    heddle_status s = HEDDLE_OK;
    for (k = HD_POOL_CLASSES; k-- > 0;) {
        s = hd_kernel_find(&p->function, NULL, l, HD_FAMILY_POOL, p->policy->variant, hd_pool_class_threads[k],
                           l->shared_bytes, e);
        if (s != HEDDLE_ERANGE)
            break;
    }
    l->pool->words.most_threads = s == HEDDLE_OK ? hd_pool_class_threads[k] : 0;
    p->usual = p->usual < k ? p->usual : k;
    return s;
}

/* Blocks of the usual team that the GPU holds at once, or as many as a launch can have. */
static heddle_status most_at_once(hd_loaded *l, hd_pool_launcher *p, uint32_t team_size, hd_error *e)
{
    int per_sm = 0;
    HD_TRY(hd_kernel_find(&p->function, &per_sm, l, HD_FAMILY_POOL, p->policy->variant, team_size, l->shared_bytes, e));
    if ((uint32_t)per_sm * (uint32_t)l->device->n_sms < p->most)
        p->most = (uint32_t)per_sm * (uint32_t)l->device->n_sms;
    return HEDDLE_OK;
}

static heddle_status choose(hd_loaded *l, hd_pool_launcher *p, const hd_pool_work *work, hd_error *e)
{
    const hd_pool_policy *y = p->policy = hd_pool_policy_of(work->mode);
    p->most = y->most ? y->most : work->n_host;
    p->usual = hd_pool_class(work->team_size);
    l->pool->words.n_workers = y->n_streams;
    l->pool->words.most_copies = y->copies ? work->most_copies : 0;
    l->pool->words.stage_bytes = y->copies ? work->stage_bytes : 0;
    if (y->is_filled)
        HD_TRY(most_at_once(l, p, work->team_size, e));
    snprintf(l->pool->how, sizeof l->pool->how, "%s of up to %u tasks, %u stream%s", y->what, p->most, y->n_streams,
             y->n_streams > 1 ? "s" : "");
    return HEDDLE_OK;
}

static heddle_status make(hd_loaded *l, const hd_pool_work *work, hd_error *e)
{
    hd_pool_launcher *p = l->pool->mode = hd_new(sizeof *p);
    if (!p)
        return hd_say(e, HEDDLE_ENOMEM, "opening a pool: out of memory");
    l->pool->words.no_spawns = l->pool->words.by_sm = 1;
    HD_TRY(choose(l, p, work, e));
    HD_TRY(find_kernel(l, p, e));
    HD_TRY(make_memory(l, p, e));
    return make_streams(l, e);
}

static void free_mode(hd_loaded *l)
{
    hd_pool_launcher *p = hd_launcher_of(l);
    const uint64_t n = l->pool->words.n_host;
    uint32_t s;
    if (!p)
        return;
    for (s = 0; s < HD_POOL_STREAMS; s++)
        hd_pool_policy_free(l, s);
    (void)cudaFree(p->closed);
    (void)cudaFree(p->news_end);
    (void)cudaFree(p->stream_words);
    hd_delete_sparse(p->notes, n * sizeof *p->notes);
    hd_delete_sparse(p->after, n * sizeof *p->after);
    hd_delete_sparse(p->copies, n * l->pool->words.most_copies * sizeof *p->copies);
    hd_delete(p, sizeof *p);
    l->pool->mode = NULL;
}

const hd_pool_way hd_pool_launches = {.make = make,
                                      .free_mode = free_mode,
                                      .send = send,
                                      .flush = flush,
                                      .serve = serve,
                                      .is_idle = is_idle,
                                      .on_gpu = on_gpu,
                                      .task_of = task_of};
