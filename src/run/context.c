/* SPDX-License-Identifier: MIT */
/* context.c - contexts: opening, closing, reconfiguring, memory. */
#include "backend/schedule.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORKERS 4096u
#define MAX_THREADS 1024u
#define MAX_TRACE (1u << 26)

static uint32_t n_open; /* open contexts; closing the last one frees kept memory */

static heddle_status check_choices(const heddle_config *c, hd_error *e)
{
    if ((unsigned)c->backend >= HEDDLE_N_BACKENDS)
        return hd_say(e, HEDDLE_EINVAL, "backend %d is unknown", (int)c->backend);
    if ((unsigned)c->schedule >= HEDDLE_N_SCHEDULES)
        return hd_say(e, HEDDLE_EINVAL, "schedule %d is unknown", (int)c->schedule);
    if ((unsigned)c->idle >= HEDDLE_N_IDLES)
        return hd_say(e, HEDDLE_EINVAL, "idle mode %d is unknown", (int)c->idle);
    return HEDDLE_OK;
}

static heddle_status check_counts(const heddle_config *c, hd_error *e)
{
    if (c->n_workers > MAX_WORKERS)
        return hd_say(e, HEDDLE_ERANGE, "%u workers; the limit is %u", c->n_workers, MAX_WORKERS);
    if (c->team_size > MAX_THREADS)
        return hd_say(e, HEDDLE_ERANGE, "%u threads; the limit is %u", c->team_size, MAX_THREADS);
    if (c->n_trace > MAX_TRACE)
        return hd_say(e, HEDDLE_ERANGE, "%u trace events a worker; the limit is %u", c->n_trace, MAX_TRACE);
    if (c->n_arena > 1u << 26)
        return hd_say(e, HEDDLE_ERANGE, "an arena of %u slots; the limit is %u", c->n_arena, 1u << 26);
    if (c->stack_bytes > 512u << 10)
        return hd_say(e, HEDDLE_ERANGE, "a call stack of %u bytes a thread; the limit is %u", c->stack_bytes,
                      512u << 10);
    return HEDDLE_OK;
}

static heddle_status check_expert(const heddle_expert *x, hd_error *e)
{
    size_t i;
    if ((unsigned)x->policy >= HEDDLE_N_POLICIES)
        return hd_say(e, HEDDLE_EINVAL, "policy %d is unknown", (int)x->policy);
    if (x->by_body > 2)
        return hd_say(e, HEDDLE_EINVAL, "by_body is %u; 0, 1 or 2 is expected", x->by_body);
    if (x->n_ring > 1u << 20)
        return hd_say(e, HEDDLE_ERANGE, "rings of %u slots; the limit is %u", x->n_ring, 1u << 20);
    if (x->n_local > 1u << 30)
        return hd_say(e, HEDDLE_ERANGE, "%u tasks kept in a row; the limit is %u", x->n_local, 1u << 30);
    for (i = 0; i < sizeof x->reserved / sizeof x->reserved[0]; i++)
        if (x->reserved[i])
            return hd_say(e, HEDDLE_EINVAL, "a reserved field is not zero: set the config up with HEDDLE_CONFIG_INIT");
    return HEDDLE_OK;
}

/* Checks the team size against the backend, which is known by now. */
static heddle_status check_team(const heddle_config *c, hd_error *e)
{
    if (c->backend == HEDDLE_CUDA && c->team_size % 32 != 0)
        return hd_say(e, HEDDLE_EINVAL, "%u threads: a block of a GPU has a multiple of 32", c->team_size);
    if (c->backend == HEDDLE_CPU && c->team_size > 1)
        return hd_say(e, HEDDLE_EINVAL, "%u threads: backend cpu has one a worker; serial emulates a block",
                      c->team_size);
    return HEDDLE_OK;
}

static heddle_status check_backend(heddle_config *c, int was_auto, hd_error *e)
{
    HD_TRY(hd_schedule_settle(c, was_auto, e));
    return check_team(c, e);
}

static heddle_status read_config(heddle_config *out, const heddle_config *given, hd_error *e)
{
    static const heddle_config defaults = HEDDLE_CONFIG_INIT;
    *out = defaults;
    if (given && given->size < sizeof given->size)
        return hd_say(e, HEDDLE_EINVAL, "the config's size is %llu: set it up with HEDDLE_CONFIG_INIT",
                      (unsigned long long)given->size);
    if (given)
        memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    out->size = sizeof *out;
    return HEDDLE_OK;
}

/* Fills zero fields from the environment, and checks what does not depend on the backend. */
static heddle_status complete(heddle_config *c, hd_error *e)
{
    HD_TRY(hd_env_fill(c, e));
    HD_TRY(check_choices(c, e));
    HD_TRY(check_counts(c, e));
    return check_expert(&c->expert, e);
}

/* The best backend here; but a team size that its blocks cannot have selects the emulated block. */
static const hd_backend *best_for(const heddle_config *c)
{
    const hd_backend *b = hd_backend_best();
    return c->team_size > 1 && (b->kind != HEDDLE_CUDA || c->team_size % 32) ? hd_backend_of(HEDDLE_SERIAL) : b;
}

static heddle_status find_backend(heddle_backend kind, uint32_t device, const hd_backend **out, hd_error *e)
{
    const hd_backend *b = hd_backend_of(kind);
    if (!b)
        return hd_say(e, HEDDLE_ENODEV, "backend %s is not compiled into this library", heddle_backend_name(kind));
    if (device >= b->count())
        return hd_say(e, HEDDLE_ENODEV, "backend %s has %u devices here; device %u was asked for",
                      heddle_backend_name(kind), b->count(), device);
    *out = b;
    return HEDDLE_OK;
}

static heddle_status choose(heddle_config *c, const hd_backend **out, hd_error *e)
{
    int was_auto = c->backend == HEDDLE_AUTO;
    if (was_auto)
        c->backend = best_for(c)->kind;
    HD_TRY(find_backend(c->backend, c->device, out, e));
    return check_backend(c, was_auto, e);
}

/* Replaces the path by the context's own copy; "" counts as none. */
static heddle_status own_tuning_file(heddle_config *c, hd_error *e)
{
    const char *given = c->tuning_file;
    size_t n_bytes = given ? strlen(given) + 1 : 0;
    char *copy = n_bytes > 1 ? hd_new(n_bytes) : NULL;
    c->tuning_file = copy;
    if (n_bytes > 1 && !copy)
        return hd_say(e, HEDDLE_ENOMEM, "the path of a tuning_file: out of memory");
    if (copy)
        memcpy(copy, given, n_bytes);
    return HEDDLE_OK;
}

static void drop_tuning_file(heddle_config *c)
{
    if (c->tuning_file)
        hd_delete((void *)(uintptr_t)c->tuning_file, strlen(c->tuning_file) + 1);
    c->tuning_file = NULL;
}

HEDDLE_API heddle_status heddle_ctx_open(heddle_ctx **out, const heddle_config *cfg)
{
    heddle_ctx *ctx;
    heddle_config c, asked;
    const hd_backend *b = NULL;
    heddle_status s;
    if (!out)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_ctx_open: out is NULL");
    *out = NULL;
    HD_TRY(read_config(&c, cfg, NULL));
    HD_TRY(complete(&c, NULL));
    asked = c;
    HD_TRY(choose(&c, &b, NULL));
    ctx = hd_new(sizeof *ctx);
    if (!ctx)
        return hd_say(NULL, HEDDLE_ENOMEM, "opening a context: out of memory");
    ctx->asked = asked;
    ctx->asked.tuning_file = NULL; /* the user may free it, and only a GPU needs it */
    ctx->backend = b;
    ctx->may_move = ctx->asked.backend == HEDDLE_AUTO && b->takes;
    hd_process_watch();
    ctx->n_forks = hd_process_forks;
    s = own_tuning_file(&c, NULL);
    if (s == HEDDLE_OK)
        s = b->open(&ctx->device, &c, NULL);
    ctx->config = c;
    if (s != HEDDLE_OK) {
        drop_tuning_file(&c);
        hd_delete(ctx, sizeof *ctx);
        return s;
    }
    __atomic_add_fetch(&n_open, 1, __ATOMIC_RELAXED);
    *out = ctx;
    return HEDDLE_OK;
}

HEDDLE_API void heddle_ctx_close(heddle_ctx *ctx)
{
    if (!ctx)
        return;
    if (hd_ctx_may_wait(ctx, "heddle_ctx_close") == HEDDLE_EINVAL)
        return;
    if (!hd_ctx_forked(ctx))
        hd_alarms_close(ctx->alarms);
    if (!hd_ctx_lost(ctx)) /* else a worker is still inside a body: the device is leaked */
        ctx->backend->close(ctx->device);
    drop_tuning_file(&ctx->config);
    hd_list_clear(&ctx->pool_trials);
    hd_delete(ctx, sizeof *ctx);
    if (__atomic_sub_fetch(&n_open, 1, __ATOMIC_RELAXED) == 0)
        hd_alloc_trim();
}

/* ---- another backend ----------------------------------------------------------------------------------------------- */

/* Moves from a GPU to threads, as auto would have chosen had it known the table. */
static heddle_status move_to_threads(heddle_ctx *ctx)
{
    heddle_config c = ctx->asked;
    const hd_backend *b = hd_backend_of(c.team_size > 1 ? HEDDLE_SERIAL : HEDDLE_CPU);
    hd_device *d = NULL;
    c.backend = b->kind;
    HD_TRY(check_backend(&c, 0, &ctx->error));
    HD_TRY(b->open(&d, &c, &ctx->error));
    ctx->backend->close(ctx->device);
    drop_tuning_file(&ctx->config);
    ctx->backend = b;
    ctx->device = d;
    ctx->config = c;
    return HEDDLE_OK;
}

heddle_status hd_ctx_suit(heddle_ctx *ctx, const heddle_table *table)
{
    const int may_move = ctx->may_move;
    hd_error why;
    ctx->may_move = 0; /* from now on the device may hold a graph */
    if (!ctx->backend->takes || ctx->backend->takes(table, &why) == HEDDLE_OK)
        return HEDDLE_OK;
    if (may_move && move_to_threads(ctx) == HEDDLE_OK)
        return HEDDLE_OK;
    return hd_say(&ctx->error, HEDDLE_ENODEV, "%s", why.text);
}

/* ---- another way of running --------------------------------------------------------------------------------------- */

/* A context keeps its device, because its memory is there. */
static heddle_status check_device(heddle_ctx *ctx, const heddle_config *c)
{
    const heddle_config *now = &ctx->config;
    if (c->backend != now->backend || c->device != now->device)
        return hd_say(&ctx->error, HEDDLE_EINVAL,
                      "backend %s, device %u: the context is one of backend %s, device %u, and stays so; open another",
                      heddle_backend_name(c->backend), c->device, heddle_backend_name(now->backend), now->device);
    return HEDDLE_OK;
}

/* Also concludes runs that have ended. */
static heddle_status check_idle(heddle_ctx *ctx)
{
    heddle_graph *g;
    if (ctx->n_pools)
        return hd_say(&ctx->error, HEDDLE_EBUSY,
                      "heddle_ctx_reconfigure: the context has %u open pools; free them first", ctx->n_pools);
    for (g = ctx->graphs; g; g = g->next) {
        HD_TRY(hd_graph_usable(g, "heddle_ctx_reconfigure"));
        hd_job_settle(&g->job);
    }
    return hd_ctx_check(ctx);
}

static heddle_status read_anew(heddle_ctx *ctx, heddle_config *out, const heddle_config *given)
{
    HD_TRY(read_config(out, given, &ctx->error));
    out->backend = out->backend ? out->backend : ctx->config.backend;
    out->device = out->device ? out->device : ctx->config.device;
    HD_TRY(complete(out, &ctx->error));
    HD_TRY(check_device(ctx, out));
    return check_backend(out, 0, &ctx->error);
}

/* Opens a device under the new config first, and unloads graphs from the old one only if all went well. */
HEDDLE_API heddle_status heddle_ctx_reconfigure(heddle_ctx *ctx, const heddle_config *cfg)
{
    heddle_config c;
    hd_device *d = NULL;
    heddle_graph *g;
    heddle_status s;
    HD_TRY(hd_ctx_check(ctx));
    HD_TRY(hd_ctx_may_wait(ctx, "heddle_ctx_reconfigure"));
    HD_TRY(read_anew(ctx, &c, cfg));
    HD_TRY(check_idle(ctx));
    HD_TRY(own_tuning_file(&c, &ctx->error));
    s = ctx->backend->open(&d, &c, &ctx->error);
    if (s != HEDDLE_OK) {
        drop_tuning_file(&c);
        return s;
    }
    for (g = ctx->graphs; g; g = g->next)
        hd_graph_unload(g);
    ctx->backend->close(ctx->device);
    drop_tuning_file(&ctx->config);
    ctx->device = d;
    ctx->config = c;
    return HEDDLE_OK;
}

HEDDLE_API const char *heddle_error_text(const heddle_ctx *ctx)
{
    return ctx ? ctx->error.text : hd_thread_error()->text;
}

HEDDLE_API heddle_status heddle_ctx_get_config(const heddle_ctx *ctx, heddle_config *out)
{
    if (!ctx || !out || out->size < sizeof out->size)
        return hd_say(
            NULL, HEDDLE_EINVAL,
            "heddle_ctx_get_config: an argument is NULL, or the struct was not set up with HEDDLE_CONFIG_INIT");
    hd_copy_known(out, &ctx->config, sizeof ctx->config);
    return HEDDLE_OK;
}

HEDDLE_API int heddle_backend_is_present(heddle_backend kind)
{
    const hd_backend *b = kind == HEDDLE_AUTO ? hd_backend_best() : hd_backend_of(kind);
    return b && b->count() > 0;
}

HEDDLE_API heddle_status heddle_device_get(heddle_backend kind, uint32_t device, heddle_device *out)
{
    const hd_backend *b;
    heddle_device all = HEDDLE_DEVICE_INIT;
    if (!out || out->size < sizeof out->size)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_device_get: out is NULL or not set up with HEDDLE_DEVICE_INIT");
    HD_TRY(find_backend(kind == HEDDLE_AUTO ? hd_backend_best()->kind : kind, device, &b, NULL));
    if (!b->describe)
        return hd_say(NULL, HEDDLE_ENODEV, "backend %s has no device of its own to tell about",
                      heddle_backend_name(b->kind));
    HD_TRY(b->describe(device, &all, NULL));
    hd_copy_known(out, &all, sizeof all);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_device_get_peer(heddle_backend kind, uint32_t device, uint32_t from, heddle_peer *out)
{
    const hd_backend *b = NULL;
    if (!out)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_device_get_peer: out is NULL");
    HD_TRY(find_backend(kind == HEDDLE_AUTO ? hd_backend_best()->kind : kind, device, &b, NULL));
    HD_TRY(find_backend(b->kind, from, &b, NULL));
    if (!b->peer)
        return hd_say(NULL, HEDDLE_ENODEV, "backend %s has no devices that could reach one another",
                      heddle_backend_name(b->kind));
    return b->peer(device, from, out, NULL);
}

HEDDLE_API heddle_status heddle_mem_new(heddle_ctx *ctx, size_t n_bytes, void **out)
{
    void *p = NULL;
    if (out)
        *out = NULL;
    HD_TRY(hd_ctx_check(ctx));
    if (!out)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_mem_new: out is NULL");
    if (!n_bytes)
        return hd_say(&ctx->error, HEDDLE_ERANGE, "heddle_mem_new: 0 bytes");
    ctx->may_move = 0;
    if (ctx->backend->mem_new)
        p = ctx->backend->mem_new(ctx->device, n_bytes);
    else if ((p = hd_new(n_bytes + HD_LINE < n_bytes ? UINT64_MAX : n_bytes + HD_LINE))) {
        *(uint64_t *)p = n_bytes + HD_LINE; /* its size, one line before the user's block */
        p = (uint8_t *)p + HD_LINE;
    }
    if (!p)
        return hd_say(&ctx->error, HEDDLE_ENOMEM, "heddle_mem_new: no memory for %llu bytes",
                      (unsigned long long)n_bytes);
    *out = p;
    return HEDDLE_OK;
}

HEDDLE_API void heddle_mem_free(heddle_ctx *ctx, void *p)
{
    uint64_t *block;
    if (!ctx || !p || hd_ctx_lost(ctx)) /* a body may still use it, and freeing could wait for that body */
        return;
    if (ctx->backend->mem_free) {
        ctx->backend->mem_free(ctx->device, p);
        return;
    }
    block = (uint64_t *)(void *)((uint8_t *)p - HD_LINE);
    hd_delete(block, *block);
}

HEDDLE_API heddle_status heddle_mem_write(heddle_ctx *ctx, void *dst, const void *host, size_t n_bytes)
{
    HD_TRY(hd_ctx_check(ctx));
    if (n_bytes && (!dst || !host))
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_mem_write: an address is NULL");
    if (ctx->backend->mem_write)
        return ctx->backend->mem_write(ctx->device, dst, host, n_bytes, &ctx->error);
    if (n_bytes)
        memcpy(dst, host, n_bytes);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_mem_read(heddle_ctx *ctx, void *host, const void *src, size_t n_bytes)
{
    HD_TRY(hd_ctx_check(ctx));
    if (n_bytes && (!src || !host))
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_mem_read: an address is NULL");
    if (ctx->backend->mem_read)
        return ctx->backend->mem_read(ctx->device, host, src, n_bytes, &ctx->error);
    if (n_bytes)
        memcpy(host, src, n_bytes);
    return HEDDLE_OK;
}
