/* SPDX-License-Identifier: MIT */
/* handle.c - checks on handles for every public call: is the context usable, is a run in flight. The other files of src/run
 * use this one; it uses none of them. */
#include "backend/inside.h"
#include "run/run.h"

heddle_status hd_ctx_check(heddle_ctx *ctx)
{
    if (!ctx)
        return hd_say(NULL, HEDDLE_EINVAL, "the context is NULL");
    if (hd_ctx_forked(ctx))
        return hd_say(
            &ctx->error, HEDDLE_EDEVICE,
            "the context belongs to the process that forked this one: its workers are not here; open another");
    if (hd_ctx_lost(ctx))
        return hd_say(&ctx->error, HEDDLE_EDEVICE,
                      "the context is lost: a task ran past the time limit of %u ms and did not return; close it",
                      ctx->config.time_limit_ms);
    return HEDDLE_OK;
}

heddle_status hd_ctx_may_wait(heddle_ctx *ctx, const char *call)
{
    if (hd_ctx_forked(ctx))
        return hd_ctx_check(ctx);
    if (hd_is_inside(ctx->device))
        return hd_say(&ctx->error, HEDDLE_EINVAL,
                      "%s: called by a body or a callback of this context, which would wait for itself", call);
    return HEDDLE_OK;
}

heddle_status hd_graph_usable(heddle_graph *g, const char *call)
{
    int runs;
    if (!g)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the graph is NULL", call);
    HD_TRY(hd_ctx_check(g->ctx));
    pthread_mutex_lock(&g->job.mutex);
    runs = g->job.running;
    pthread_mutex_unlock(&g->job.mutex);
    if (!runs ||
        g->ctx->backend->wait(hd_graph_now(g)->loaded, 0) != HEDDLE_EBUSY) /* waiting may report watched tasks */
        return HEDDLE_OK;
    return hd_say(&g->ctx->error, HEDDLE_EBUSY, "%s: a run of this graph is in flight", call);
}
