/* SPDX-License-Identifier: MIT */
/* pool.c - heddle_pool_new and _free, and what is known of a pool. */
#include "engine/pool/trace.h"

#include <time.h>
#include <unistd.h>

#define SPIN_NS 20000u     /* before the first sleep */
#define LEAST_NAP_NS 5000u /* the system adds some 50 us */
#define MOST_NAP_NS 1000000u

/* ---- checks for every call ---------------------------------------------------------------------------------------- */

heddle_status hd_pool_usable_slowly(const heddle_pool *p, const char *call)
{
    if (!p)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the pool is NULL", call);
    if (hd_ctx_forked(p->ctx))
        return hd_say(NULL, HEDDLE_EDEVICE, "%s: the pool belongs to the process that forked this one", call);
    if (hd_is_inside(p->ctx->device))
        return hd_say(NULL, HEDDLE_EINVAL, "%s: called by a body of this context", call);
    if (hd_ctx_lost(p->ctx))
        return hd_say(NULL, HEDDLE_EDEVICE,
                      "%s: the context is lost: a task ran past its time limit and did not return", call);
    return HEDDLE_OK;
}

heddle_status hd_pool_runs(heddle_pool *p)
{
    if (hd_ctx_lost(p->ctx))
        return hd_pool_usable(p, "a pool");
    hd_pool_flush(p);
    if (p->backend->wait(p->loaded, 0) == HEDDLE_EBUSY)
        return HEDDLE_OK;
    if (p->backend->complaint && *p->backend->complaint(p->loaded)) {
        __atomic_store_n(&p->ctx->lost, 1, __ATOMIC_RELAXED);
        return hd_say(NULL, HEDDLE_EDEVICE, "%s", p->backend->complaint(p->loaded));
    }
    return hd_say(
        NULL, HEDDLE_ENOMEM,
        "a pool: every slot of the arena holds a task that needs more slots for its children; open the context "
        "with a larger n_arena than %u",
        p->ctx->config.n_arena);
}

heddle_status hd_say_full(const heddle_pool *p)
{
    return hd_say(NULL, HEDDLE_EBUSY, "a pool: all %u slots are in use", p->n_slots);
}

void hd_pool_rest(uint64_t since_ns)
{
    const uint64_t waited = heddle_host_clock_ns() - since_ns, nap = waited / 16;
    struct timespec t = {0, LEAST_NAP_NS};
    if (waited < SPIN_NS) {
        HD_PAUSE(0);
        return;
    }
    if (nap > LEAST_NAP_NS)
        t.tv_nsec = nap < MOST_NAP_NS ? (long)nap : MOST_NAP_NS;
    (void)nanosleep(&t, NULL);
}

/* ---- opening ------------------------------------------------------------------------------------------------------- */

static heddle_status read_config(heddle_pool_config *to, const heddle_pool_config *from)
{
    *to = (heddle_pool_config)HEDDLE_POOL_CONFIG_INIT;
    if (from && (from->size < sizeof(size_t) || from->size > 4096))
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_new: set the config up with HEDDLE_POOL_CONFIG_INIT");
    if (from)
        memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    to->size = sizeof *to;
    HD_TRY(hd_env_fill_struct(&hd_pool_env, to, NULL));
    if (to->n_slots > HEDDLE_POOL_MOST_SLOTS)
        return hd_say(NULL, HEDDLE_ERANGE, "heddle_pool_new: %u slots; %u are the most", to->n_slots,
                      HEDDLE_POOL_MOST_SLOTS);
    if ((uint32_t)to->mode >= HEDDLE_N_POOL_MODES)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_new: there is no mode %u", (unsigned)to->mode);
    if (to->n_trace > HEDDLE_POOL_MOST_TRACE)
        return hd_say(NULL, HEDDLE_ERANGE, "heddle_pool_new: records of %u tasks; %u are the most", to->n_trace,
                      HEDDLE_POOL_MOST_TRACE);
    if (to->team_size % 32u || to->team_size > HEDDLE_POOL_MOST_THREADS)
        return hd_say(NULL, to->team_size % 32u ? HEDDLE_EINVAL : HEDDLE_ERANGE,
                      "heddle_pool_new: a team of %u threads; a multiple of 32 up to %u is expected", to->team_size,
                      HEDDLE_POOL_MOST_THREADS);
    to->n_slots = hd_power_of_two(to->n_slots ? to->n_slots : 65536u);
    to->n_slots = to->n_slots < 32u ? 32u : to->n_slots;
    to->team_size = to->team_size ? to->team_size : 128u;
    if (to->most_copies > HEDDLE_POOL_MOST_COPIES)
        return hd_say(NULL, HEDDLE_ERANGE, "heddle_pool_new: %u copies of a task; %u are the most", to->most_copies,
                      HEDDLE_POOL_MOST_COPIES);
    to->most_copies = to->most_copies ? to->most_copies : 4u;
    to->copy_bytes = to->copy_bytes ? to->copy_bytes : 65536u;
    return HEDDLE_OK;
}

/* A pool is a run of a graph without tasks. Its blob says how much block-shared memory bodies have. */
static heddle_status make_graph(heddle_pool *p, const heddle_table *table)
{
    uint32_t i, most = p->config.shared_bytes;
    HD_TRY(heddle_graph_new(p->ctx, table, &p->graph));
    HD_TRY(heddle_graph_freeze(p->graph));
    for (i = 0; i < table->n_bodies; i++)
        most = table->bodies[i].shared_bytes > most ? table->bodies[i].shared_bytes : most;
    hd_graph_blob(&p->graph->g)->shared_bytes = HEDDLE_REDUCE_BYTES + most;
    return HEDDLE_OK;
}

uint32_t hd_pool_shared_bytes(const heddle_pool *p)
{
    return hd_graph_blob(&p->graph->g)->shared_bytes - HEDDLE_REDUCE_BYTES;
}

static void make_posts(heddle_pool *p)
{
    static uint32_t n_pools;
    const uint32_t serial = __atomic_fetch_add(&n_pools, 1, __ATOMIC_RELAXED), n = p->n_slots / p->n_posts;
    uint32_t i, k;
    for (i = 0; i < p->n_slots; i++) {
        /* Each pool begins elsewhere, so that a handle of another pool is noticed. Told words, which are 0, are before the first tasks'. */
        p->marks[i] = hd_told_of((1u + serial * 0x9e3779b1u) % (UINT32_MAX >> (HD_TOLD_BITS + 1u)), HD_MARK_FREE);
        p->free[i] = i / n * n + (n - 1u - i % n); /* the first is on top */
    }
    for (k = 0; k < p->n_posts; k++) {
        p->posts[k].first = p->posts[k].scan = k * n;
        p->posts[k].n = p->posts[k].n_free = n;
    }
}

static heddle_status make_room(heddle_pool *p, const void *params)
{
    const uint32_t params_bytes = p->graph->g.table->params_bytes;
    p->slots = hd_new_sparse((uint64_t)p->n_slots * sizeof *p->slots);
    p->marks = hd_new_sparse((uint64_t)p->n_slots * sizeof *p->marks);
    p->free = hd_new_sparse((uint64_t)p->n_slots * sizeof *p->free);
    p->afters = hd_new_sparse((uint64_t)p->n_slots * sizeof *p->afters);
    p->params = hd_new(params_bytes + 1u);
    if (!p->slots || !p->marks || !p->free || !p->afters || !p->params)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_pool_new: no memory for %u slots", p->n_slots);
    if (params_bytes)
        memcpy(p->params, params, params_bytes);
    make_posts(p);
    return hd_trace_new(p);
}

static heddle_status load_as(heddle_pool *p, heddle_pool_mode mode)
{
    const heddle_pool_config *c = &p->config;
    const hd_pool_work work = {&p->graph->g,   p->n_slots, mode,           c->team_size,
                               c->linger_us,   c->hold_us, c->most_copies, (c->copy_bytes + 15u) / 16u * 16u,
                               c->n_trace != 0};
    const hd_watcher none = {NULL, NULL};
    HD_TRY(hd_backend_load(p->backend, &p->loaded, p->ctx->device, &(hd_work){HD_WORK_POOL, &work}, none,
                           hd_thread_error()));
    p->words = p->backend->pool_words(p->loaded);
    return HEDDLE_OK;
}

static heddle_status load(heddle_pool *p)
{
    const heddle_pool_mode mode = hd_auto_begin(p);
    heddle_status s = load_as(p, mode);
    if (hd_auto_suits(p, mode, s))
        return s;
    if (s == HEDDLE_OK)
        p->backend->unload(p->loaded);
    p->loaded = NULL;
    s = load_as(p, HEDDLE_POOL_AUTO);
    (void)hd_auto_suits(p, HEDDLE_POOL_AUTO, s);
    return s;
}

static heddle_status start(heddle_pool *p)
{
    HD_TRY(load(p));
    return p->backend->start(p->loaded, p->params, 0, UINT64_MAX, hd_thread_error());
}

static void each_mutex(heddle_pool *p, int (*act)(pthread_mutex_t *))
{
    (void)act(&p->grace);
    (void)act(&p->bad_mutex);
    (void)act(&p->news);
    (void)act(&p->keeper_mutex);
    (void)act(&p->events_mutex);
    (void)act(&p->order.mutex);
    (void)act(&p->host.mutex);
    (void)act(&p->calling);
}
static int init_mutex(pthread_mutex_t *m) { return pthread_mutex_init(m, NULL); }

static void forget(heddle_pool *p)
{
    hd_host_free(p);
    if (p->loaded)
        p->backend->unload(p->loaded);
    heddle_graph_free(p->graph);
    hd_order_free(p);
    hd_events_free(p);
    if (p->fd >= 0)
        (void)close(p->fd);
    hd_delete(p->params, p->params ? p->params_bytes : 0);
    hd_trace_delete(p);
    hd_delete_sparse(p->slots, (uint64_t)p->n_slots * sizeof *p->slots);
    hd_delete_sparse(p->marks, (uint64_t)p->n_slots * sizeof *p->marks);
    hd_delete_sparse(p->free, (uint64_t)p->n_slots * sizeof *p->free);
    hd_delete_sparse(p->afters, (uint64_t)p->n_slots * sizeof *p->afters);
    pthread_cond_destroy(&p->keeper_wanted);
    each_mutex(p, pthread_mutex_destroy);
    hd_delete(p, sizeof *p);
}

/* A thread keeps a place in one ring only: in two, a task of one pool could wait for one of the other. */
static heddle_status check_alone(const heddle_ctx *ctx)
{
    if (ctx->backend->kind != HEDDLE_CPU || !ctx->n_pools)
        return HEDDLE_OK;
    return hd_say(NULL, HEDDLE_EBUSY, "heddle_pool_new: the context's threads have an open pool; open another context");
}

static heddle_status make(heddle_pool *p, const heddle_table *table, const void *params)
{
    const heddle_status s = make_graph(p, table);
    if (s != HEDDLE_OK)
        return hd_say(NULL, s, "%s", p->ctx->error.text);
    p->backend = p->ctx->backend; /* a new graph may move a context to threads */
    HD_TRY(check_alone(p->ctx));
    p->params_bytes = p->graph->g.table->params_bytes + 1u;
    HD_TRY(make_room(p, params));
    return start(p);
}

static heddle_status check_new(heddle_ctx *ctx, const heddle_table *table, const void *params, size_t params_bytes,
                               heddle_pool **out)
{
    HD_TRY(hd_ctx_check(ctx) == HEDDLE_OK ? HEDDLE_OK
                                          : hd_say(NULL, HEDDLE_EDEVICE, "heddle_pool_new: no usable context"));
    if (!out || !table)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_new: %s is NULL", out ? "table" : "out");
    if (hd_is_inside(ctx->device))
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_new: called by a body of this context");
    if (table->size == sizeof *table && table->core_version == HEDDLE_CORE_VERSION) {
        if (table->waves)
            return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_new: table %s is one of waves", table->name);
        if (!table->has_pools)
            return hd_say(NULL, HEDDLE_EINVAL,
                          "heddle_pool_new: table %s is for graphs only: HEDDLE_POOL_TABLE makes one for pools",
                          table->name);
        if (params_bytes != table->params_bytes || (params_bytes && !params))
            return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_new: params of %zu bytes%s; table %s takes %u",
                          params_bytes, params ? "" : ", NULL", table->name, table->params_bytes);
    }
    return HEDDLE_OK; /* heddle_graph_new says that the version is another */
}

HEDDLE_API heddle_status heddle_pool_new(heddle_ctx *ctx, const heddle_table *table, const void *params,
                                         size_t params_bytes, const heddle_pool_config *config, heddle_pool **out)
{
    heddle_pool_config c;
    heddle_pool *p;
    heddle_status s;
    if (out)
        *out = NULL;
    HD_TRY(check_new(ctx, table, params, params_bytes, out));
    HD_TRY(read_config(&c, config));
    p = hd_new(sizeof *p);
    if (!p)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_pool_new: out of memory");
    p->ctx = ctx;
    p->config = c;
    p->n_slots = c.n_slots;
    p->n_posts = c.n_slots < 32u * HD_POSTS ? 1u : HD_POSTS;
    p->post_bits = (uint32_t)__builtin_ctz(c.n_slots / p->n_posts);
    p->fd = -1;
    each_mutex(p, init_mutex);
    pthread_cond_init(&p->keeper_wanted, NULL);
    s = make(p, table, params);
    if (s != HEDDLE_OK) {
        forget(p);
        return s;
    }
    ctx->n_pools++;
    *out = p;
    return HEDDLE_OK;
}

HEDDLE_API void heddle_pool_free(heddle_pool *p)
{
    if (!p || hd_ctx_forked(p->ctx) || hd_is_inside(p->ctx->device))
        return;
    while (!hd_ctx_lost(p->ctx) && hd_pool_runs(p) == HEDDLE_OK) {
        hd_promises_break(p); /* each time: a function that hears of an end may make some */
        if (heddle_pool_wait_all(p, 100) != HEDDLE_EBUSY)
            break;
    }
    hd_keeper_stop(p);
    if (hd_ctx_lost(p->ctx)) /* workers may still write here */
        return;
    hd_auto_end(p);
    p->backend->stop(p->loaded, HD_STOP_DONE);
    (void)p->backend->wait(p->loaded, UINT64_MAX);
    p->ctx->n_pools--;
    forget(p);
}

/* ---- what is known ------------------------------------------------------------------------------------------------- */

HEDDLE_API heddle_status heddle_pool_get_info(heddle_pool *p, heddle_pool_info *out)
{
    heddle_pool_info i = HEDDLE_POOL_INFO_INIT;
    HD_TRY(hd_pool_usable(p, "heddle_pool_get_info"));
    if (!out)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_get_info: out is NULL");
    i.n_slots = p->n_slots;
    i.n_workers = hd_pool_n_teams(p->words);
    i.most_threads = p->words->most_threads;
    i.shared_bytes = hd_pool_shared_bytes(p);
    i.how = p->is_tried ? p->how : p->backend->pool_how ? p->backend->pool_how(p->loaded) : "";
    i.slot_pinned_bytes = p->words->slot_bytes.pinned;
    i.slot_device_bytes = p->words->slot_bytes.device;
    i.slot_bytes = sizeof *p->slots + sizeof *p->marks + sizeof *p->free + sizeof *p->afters +
                   (p->trace ? sizeof *p->trace->notes : 0u) + p->words->slot_bytes.host + i.slot_pinned_bytes +
                   i.slot_device_bytes;
    hd_copy_known(out, &i, sizeof i);
    return HEDDLE_OK;
}

/* Tasks that bodies have spawned since the pool was opened. */
static uint64_t n_children(const heddle_pool *p)
{
    uint64_t n = 0;
    uint32_t k;
    for (k = 0; k < p->words->n_workers; k++) {
        const hd_live *live = hd_live_at(p->words, k);
        n += HD_LOAD(&live->created[0], RELAXED, SYS);
        n += HD_LOAD(&live->created[1], RELAXED, SYS);
    }
    return n;
}

HEDDLE_API heddle_status heddle_pool_get_stats(heddle_pool *p, heddle_pool_stats *out)
{
    heddle_pool_stats s = HEDDLE_POOL_STATS_INIT;
    uint32_t k;
    HD_TRY(hd_pool_usable(p, "heddle_pool_get_stats"));
    if (!out)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_get_stats: out is NULL");
    for (k = 0; k < p->n_posts; k++) {
        hd_post *post = &p->posts[k];
        hd_post_lock(post);
        s.n_spawned += post->n_spawned[0] + post->n_spawned[1] - post->n_uncounted;
        s.n_ended += post->n_ended;
        s.n_failed += post->n_failed;
        s.n_canceled += post->n_canceled;
        s.most_slots += post->most_used;
        hd_post_unlock(post);
    }
    s.n_children = n_children(p) - __atomic_load_n(&p->children_before, __ATOMIC_RELAXED);
    s.n_starts =
        __atomic_load_n(&p->words->n_starts, __ATOMIC_RELAXED) - __atomic_load_n(&p->starts_before, __ATOMIC_RELAXED);
    s.n_full = __atomic_load_n(&p->n_full, __ATOMIC_RELAXED);
    s.full_ns = __atomic_load_n(&p->full_ns, __ATOMIC_RELAXED);
    if (p->trace)
        hd_trace_stats(p, &s);
    hd_copy_known(out, &s, sizeof s);
    return HEDDLE_OK;
}

static void reset_post(hd_post *post)
{
    hd_post_lock(post);
    post->n_uncounted = post->n_spawned[0] + post->n_spawned[1];
    post->n_ended = post->n_failed = post->n_canceled = 0;
    post->most_used = post->n - post->n_free;
    hd_post_unlock(post);
}

HEDDLE_API heddle_status heddle_pool_reset_stats(heddle_pool *p)
{
    uint32_t k;
    HD_TRY(hd_pool_usable(p, "heddle_pool_reset_stats"));
    for (k = 0; k < p->n_posts; k++)
        reset_post(&p->posts[k]);
    __atomic_store_n(&p->children_before, n_children(p), __ATOMIC_RELAXED);
    __atomic_store_n(&p->starts_before, __atomic_load_n(&p->words->n_starts, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    __atomic_store_n(&p->n_full, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&p->full_ns, 0, __ATOMIC_RELAXED);
    if (p->trace)
        hd_trace_reset(p);
    return HEDDLE_OK;
}
