/* SPDX-License-Identifier: MIT */
/* context.c - open, close, memory. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORKERS 4096u
#define MAX_TRACE (1u << 26)

static uint32_t n_open; /* contexts of this process; the last one to close gives kept memory back */

heddle_status hd_ctx_check(heddle_ctx *ctx)
{
    if (!ctx)
        return hd_say(NULL, HEDDLE_EINVAL, "the context is NULL");
    if (hd_ctx_lost(ctx))
        return hd_say(&ctx->error, HEDDLE_EDEVICE,
                      "the context is lost: a task ran past the time limit and did not return; close it");
    return HEDDLE_OK;
}

static heddle_status check_config(const heddle_config *c)
{
    if ((unsigned)c->backend >= HEDDLE_N_BACKENDS)
        return hd_say(NULL, HEDDLE_EINVAL, "backend %d is unknown", (int)c->backend);
    if ((unsigned)c->policy >= HEDDLE_N_POLICIES)
        return hd_say(NULL, HEDDLE_EINVAL, "policy %d is unknown", (int)c->policy);
    if (c->n_workers > MAX_WORKERS)
        return hd_say(NULL, HEDDLE_ERANGE, "%u workers; the limit is %u", c->n_workers, MAX_WORKERS);
    if (c->n_lanes > 1024)
        return hd_say(NULL, HEDDLE_ERANGE, "%u lanes; the limit is 1024", c->n_lanes);
    if (c->n_trace > MAX_TRACE)
        return hd_say(NULL, HEDDLE_ERANGE, "%u trace events a worker; the limit is %u", c->n_trace, MAX_TRACE);
    if (c->n_ring > 1u << 20)
        return hd_say(NULL, HEDDLE_ERANGE, "rings of %u slots; the limit is %u", c->n_ring, 1u << 20);
    if (c->n_lanes > 1 && c->backend != HEDDLE_SERIAL && c->backend != HEDDLE_AUTO)
        return hd_say(NULL, HEDDLE_EINVAL, "%u lanes: only the serial backend emulates a block", c->n_lanes);
    return HEDDLE_OK;
}

static heddle_status read_config(heddle_config *out, const heddle_config *given)
{
    static const heddle_config defaults = HEDDLE_CONFIG_INIT;
    *out = defaults;
    if (given && given->size < sizeof given->size)
        return hd_say(NULL, HEDDLE_EINVAL, "the config's size is %llu: set it up with HEDDLE_CONFIG_INIT",
                      (unsigned long long)given->size);
    if (given)
        memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    out->size = sizeof *out;
    HD_TRY(hd_env_fill(out, NULL));
    return check_config(out);
}

static heddle_status choose(heddle_config *c, const hd_backend **out)
{
    const hd_backend *b;
    if (c->backend == HEDDLE_AUTO && c->n_lanes > 1)
        c->backend = HEDDLE_SERIAL;
    b = c->backend == HEDDLE_AUTO ? hd_backend_best() : hd_backend_of(c->backend);
    if (!b)
        return hd_say(NULL, HEDDLE_ENODEV, "backend %s is not compiled into this library",
                      heddle_backend_name(c->backend));
    if (c->device >= b->count())
        return hd_say(NULL, HEDDLE_ENODEV, "backend %s has %u devices here; device %u was asked for",
                      heddle_backend_name(b->kind), b->count(), c->device);
    c->backend = b->kind;
    *out = b;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_open(heddle_ctx **out, const heddle_config *cfg)
{
    heddle_ctx *ctx;
    heddle_config c;
    const hd_backend *b = NULL;
    heddle_status s;
    if (!out)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_open: out is NULL");
    *out = NULL;
    HD_TRY(read_config(&c, cfg));
    HD_TRY(choose(&c, &b));
    ctx = hd_new(sizeof *ctx);
    if (!ctx)
        return hd_say(NULL, HEDDLE_ENOMEM, "opening a context: out of memory");
    ctx->backend = b;
    s = b->open(&ctx->device, &c, NULL);
    ctx->config = c;
    if (s != HEDDLE_OK) {
        hd_delete(ctx, sizeof *ctx);
        return s;
    }
    __atomic_add_fetch(&n_open, 1, __ATOMIC_RELAXED);
    *out = ctx;
    return HEDDLE_OK;
}

HEDDLE_API void heddle_close(heddle_ctx *ctx)
{
    if (!ctx)
        return;
    if (!hd_ctx_lost(ctx)) /* else a worker is still inside a body: its device stays behind */
        ctx->backend->close(ctx->device);
    hd_delete(ctx, sizeof *ctx);
    if (__atomic_sub_fetch(&n_open, 1, __ATOMIC_RELAXED) == 0)
        hd_give_back();
}

HEDDLE_API const char *heddle_errmsg(const heddle_ctx *ctx) { return ctx ? ctx->error.text : hd_thread_error()->text; }

HEDDLE_API heddle_status heddle_get_config(const heddle_ctx *ctx, heddle_config *out)
{
    if (!ctx || !out)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_get_config: an argument is NULL");
    *out = ctx->config;
    return HEDDLE_OK;
}

HEDDLE_API int heddle_has_backend(heddle_backend kind)
{
    const hd_backend *b = kind == HEDDLE_AUTO ? hd_backend_best() : hd_backend_of(kind);
    return b && b->count() > 0;
}

HEDDLE_API heddle_status heddle_mem_new(heddle_ctx *ctx, size_t n_bytes, void **out)
{
    void *p = NULL;
    HD_TRY(hd_ctx_check(ctx));
    if (!out)
        return hd_say(&ctx->error, HEDDLE_EINVAL, "heddle_mem_new: out is NULL");
    *out = NULL;
    if (!n_bytes)
        return hd_say(&ctx->error, HEDDLE_ERANGE, "heddle_mem_new: 0 bytes");
    if (ctx->backend->mem_new)
        p = ctx->backend->mem_new(ctx->device, n_bytes);
    else if ((p = hd_new(n_bytes + HD_LINE < n_bytes ? UINT64_MAX : n_bytes + HD_LINE))) {
        *(uint64_t *)p = n_bytes + HD_LINE; /* its size, a line before what the user sees */
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
    if (!ctx || !p)
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
