/* SPDX-License-Identifier: MIT */
/* pool_policy.c - how a batch of a pool's tasks goes to the GPU (pool_launches.h).
 *
 *     launches    A grid, a block a task, as soon as a stream has nothing to do.
 *     batch       The same with one stream, and no more tasks than the GPU holds at once.
 *     kernels     A kernel for each task. What it copies is copied by calls of CUDA in its stream, before and behind it.
 *     taskgraph   A CUDA graph with a kernel node for each task. Its nodes do not depend on one another: a task that waits for others
 *                 goes when they have ended, because they may fail. A stream keeps its graph: a batch of as many tasks only gets new
 *                 parameters.
 *     fused       One grid of all tasks that are ready when the program waits. Its blocks are as wide as the widest team, so that the
 *                 other tasks leave threads idle. A task of several blocks has a grid of its own. */
#include "backend/cuda/pool_launches.h"

#include "heddle/pool.h"

#include <string.h>

static const char doing[] = "launching tasks of a pool";

/* ---- parameters ------------------------------------------------------------------------------------------------------ */

static uint32_t class_of(const hd_pool_launcher *p, uint32_t slot) { return p->notes[slot].class; }

/* For stream s's batch; n_blocks: of its only task, or 0. */
static hd_batch_words words_in(const hd_loaded *l, uint32_t s, uint32_t n_blocks)
{
    const hd_pool *words = &l->pool->words;
    const hd_pool_launcher *p = hd_launcher_of(l);
    return (hd_batch_words){.posted = p->posted,
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
                            .n_host = words->n_host,
                            .n_tasks = p->streams[s].n_last,
                            .n_blocks = n_blocks};
}

static uint32_t blocks_of(const hd_pool_launcher *p, uint32_t slot)
{
    return p->notes[slot].is_wide ? p->posted[slot].n_blocks : 0u;
}

/* One task of stream s's batch. */
static hd_pool_grid grid_of(const hd_loaded *l, uint32_t s, uint32_t slot)
{
    return (hd_pool_grid){.words = words_in(l, s, blocks_of(hd_launcher_of(l), slot)), .slot = slot};
}

/* ---- a launch -------------------------------------------------------------------------------------------------------- */

/* Teams of class k. */
static heddle_status launch_grid(hd_loaded *l, uint32_t s, uint32_t n_blocks, uint32_t k, void *grid, hd_error *e)
{
    hd_pool_launcher *p = hd_launcher_of(l);
    void *params[] = {grid};
    const CUlaunchConfig c = {.gridDimX = n_blocks,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = hd_pool_class_threads[k],
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .sharedMemBytes = l->shared_bytes,
                              .hStream = p->streams[s].stream};
    const CUresult r = l->device->driver.cuLaunchKernelEx(&c, p->function, params, NULL);
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(&l->device->driver, e, r, doing);
}

static heddle_status launch_batch(hd_loaded *l, uint32_t s, hd_error *e)
{
    const hd_pool_launcher *p = hd_launcher_of(l);
    const hd_pool_stream *at = &p->streams[s];
    const uint32_t n_blocks = blocks_of(p, at->last[0]);
    hd_pool_batch b = {.words = words_in(l, s, n_blocks)};
    memcpy(b.slot, at->last, at->n_last * sizeof *b.slot);
    return launch_grid(l, s, n_blocks ? n_blocks : at->n_last, class_of(p, at->last[0]), &b, e);
}

/* Copies a task's ranges of one mode, in its stream. */
static heddle_status copy(const hd_loaded *l, uint32_t s, uint32_t slot, uint32_t mode, hd_error *e)
{
    const hd_pool_launcher *p = hd_launcher_of(l);
    const hd_copy *c = hd_posted_copies(l, slot), *end = c + hd_n_copies(p->posted[slot].flags);
    uint8_t *at = p->streams[s].stage;
    for (; c < end; at += hd_copy_room(c->n_bytes), c++) {
        void *host = (void *)(uintptr_t)c->host;
        const int is_in = mode == HD_COPY_IN;
        if (is_in)
            memcpy(hd_posted_args(l, slot) + (c->at_mode >> HD_COPY_MODES), &at, sizeof at);
        if (c->at_mode & mode)
            HD_CUDA_TRY(cudaMemcpyAsync(is_in ? at : host, is_in ? host : at, c->n_bytes,
                                        is_in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, p->streams[s].stream),
                        e, "copying for a task of a pool");
    }
    return HEDDLE_OK;
}

/* Launches g, one task or none, which tells the task before it. */
static heddle_status launch_telling(hd_loaded *l, uint32_t s, uint32_t n_blocks, uint32_t k, hd_pool_grid *g,
                                    hd_error *e)
{
    hd_pool_stream *at = &hd_launcher_of(l)->streams[s];
    g->before = at->untold;
    at->untold.number = 0;
    return launch_grid(l, s, n_blocks, k, g, e);
}

/* A task with copies, which has one block. */
static heddle_status launch_copied(hd_loaded *l, uint32_t s, uint32_t slot, hd_pool_grid *g, hd_error *e)
{
    const hd_pool_launcher *p = hd_launcher_of(l);
    const hd_posted *task = &p->posted[slot];
    g->leaves = 1;
    HD_TRY(copy(l, s, slot, HD_COPY_IN, e));
    HD_TRY(launch_telling(l, s, 1, class_of(p, slot), g, e));
    HD_TRY(copy(l, s, slot, HD_COPY_OUT, e));
    hd_launcher_of(l)->streams[s].untold = (hd_untold){slot + 1u, task->generation, task->flags};
    return HEDDLE_OK;
}

static heddle_status launch_alone(hd_loaded *l, uint32_t s, hd_error *e)
{
    const hd_pool_launcher *p = hd_launcher_of(l);
    const uint32_t slot = p->streams[s].last[0], n_blocks = blocks_of(p, slot);
    hd_pool_grid g = grid_of(l, s, slot);
    if (hd_n_copies(p->posted[slot].flags) && !(p->posted[slot].flags & HD_POSTED_CANCELED))
        return launch_copied(l, s, slot, &g, e);
    return launch_telling(l, s, n_blocks ? n_blocks : 1u, class_of(p, slot), &g, e);
}

int hd_pool_policy_settle(hd_loaded *l)
{
    const hd_pool_launcher *p = hd_launcher_of(l);
    uint32_t s, any = 0;
    hd_error e;
    for (s = 0; p->policy->copies && s < p->policy->n_streams; s++) {
        hd_pool_grid g = {.words = words_in(l, s, 0), .slot = HD_NONE};
        if (!p->streams[s].untold.number)
            continue;
        any = 1;
        if (launch_telling(l, s, 1, 0, &g, &e) != HEDDLE_OK)
            hd_pool_lose(l, e.text);
    }
    return (int)any;
}

static heddle_status launch_fused(hd_loaded *l, uint32_t s, hd_error *e)
{
    const hd_pool_launcher *p = hd_launcher_of(l);
    const hd_pool_stream *at = &p->streams[s];
    hd_pool_grid g = {.words = words_in(l, s, 0), .slots = at->list};
    uint32_t i, k, widest = p->usual;
    if (blocks_of(p, at->last[0]))
        return launch_alone(l, s, e);
    for (i = 0; i < at->n_last; i++) {
        k = class_of(p, at->last[i]);
        widest = k > widest ? k : widest;
    }
    HD_CUDA_TRY(cudaMemcpyAsync(at->list, at->last, at->n_last * sizeof *at->last, cudaMemcpyHostToDevice, at->stream),
                e, doing);
    return launch_grid(l, s, at->n_last, widest, &g, e);
}

/* ---- a CUDA graph ---------------------------------------------------------------------------------------------------- */

static CUDA_KERNEL_NODE_PARAMS node_of(const hd_loaded *l, uint32_t slot, void **params)
{
    const hd_pool_launcher *p = hd_launcher_of(l);
    const uint32_t n_blocks = blocks_of(p, slot);
    return (CUDA_KERNEL_NODE_PARAMS){.func = p->function,
                                     .gridDimX = n_blocks ? n_blocks : 1u,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = hd_pool_class_threads[class_of(p, slot)],
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .sharedMemBytes = l->shared_bytes,
                                     .kernelParams = params};
}

static void free_graph(hd_pool_stream *at)
{
    if (at->run)
        (void)cudaGraphExecDestroy(at->run);
    if (at->graph)
        (void)cudaGraphDestroy(at->graph);
    at->run = NULL;
    at->graph = NULL;
    at->n_nodes = 0;
}

/* Gives node i the i-th task; adds it to a graph that is being made. */
static heddle_status put_node(hd_loaded *l, uint32_t s, uint32_t i, hd_error *e)
{
    const hd_driver *d = &l->device->driver;
    hd_pool_stream *at = &hd_launcher_of(l)->streams[s];
    hd_pool_grid g = grid_of(l, s, at->last[i]);
    void *params[] = {&g}; /* copied by the call */
    const CUDA_KERNEL_NODE_PARAMS k = node_of(l, at->last[i], params);
    const CUresult r = at->run ? d->cuGraphExecKernelNodeSetParams(at->run, at->nodes[i], &k)
                               : d->cuGraphAddKernelNode(&at->nodes[i], at->graph, NULL, 0, &k);
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(d, e, r, doing);
}

static heddle_status launch_graph(hd_loaded *l, uint32_t s, hd_error *e)
{
    hd_pool_stream *at = &hd_launcher_of(l)->streams[s];
    uint32_t i;
    if (at->n_nodes != at->n_last) {
        free_graph(at);
        HD_CUDA_TRY(cudaGraphCreate(&at->graph, 0), e, doing);
    }
    for (i = 0; i < at->n_last; i++)
        HD_TRY(put_node(l, s, i, e));
    if (!at->run)
        HD_CUDA_TRY(cudaGraphInstantiate(&at->run, at->graph, 0), e, doing);
    at->n_nodes = at->n_last;
    HD_CUDA_TRY(cudaGraphLaunch(at->run, at->stream), e, doing);
    return HEDDLE_OK;
}

/* ---- the policies ---------------------------------------------------------------------------------------------------- */

static const hd_pool_policy policies[HEDDLE_N_POOL_MODES] = {
    [HEDDLE_POOL_LAUNCHES] = {.what = "launches",
                              .variant = HD_POOL_BATCH,
                              .n_streams = HD_POOL_STREAMS,
                              .most = HD_POOL_BATCH_MOST,
                              .launch = launch_batch},
    [HEDDLE_POOL_BATCH] = {.what = "launches",
                           .variant = HD_POOL_BATCH,
                           .n_streams = 1,
                           .most = HD_POOL_BATCH_MOST,
                           .is_filled = 1,
                           .launch = launch_batch},
    [HEDDLE_POOL_KERNELS] = {.what = "kernels",
                             .variant = HD_POOL_GRID,
                             .n_streams = HD_POOL_STREAMS,
                             .most = 1,
                             .in_turn = 1,
                             .copies = 1,
                             .launch = launch_alone},
    [HEDDLE_POOL_TASKGRAPH] = {.what = "CUDA graphs",
                               .variant = HD_POOL_GRID,
                               .n_streams = HD_POOL_STREAMS,
                               .most = HD_POOL_BATCH_MOST,
                               .is_mixed = 1,
                               .takes_wide = 1,
                               .launch = launch_graph},
    [HEDDLE_POOL_FUSED] =
        {.what = "grids", .variant = HD_POOL_GRID, .n_streams = 1, .is_mixed = 1, .is_lazy = 1, .launch = launch_fused},
};

const hd_pool_policy *hd_pool_policy_of(uint32_t mode)
{
    return &policies[policies[mode].launch ? mode : HEDDLE_POOL_LAUNCHES];
}

heddle_status hd_pool_policy_make(hd_loaded *l, uint32_t s, hd_error *e)
{
    static const char opening[] = "opening a pool";
    hd_pool_launcher *p = hd_launcher_of(l);
    hd_pool_stream *at = &p->streams[s];
    const uint64_t n_bytes = p->most * sizeof *at->last;
    HD_CUDA_TRY(cudaStreamCreateWithFlags(&at->stream, cudaStreamNonBlocking), e, "making a stream");
    HD_CUDA_TRY(cudaHostAlloc((void **)&at->last, n_bytes, cudaHostAllocDefault), e, opening);
    if (p->policy->copies)
        HD_CUDA_TRY(cudaMalloc((void **)&at->stage, l->pool->words.stage_bytes), e, opening);
    if (p->policy->launch == launch_fused)
        HD_CUDA_TRY(cudaMalloc((void **)&at->list, n_bytes), e, opening);
    if (p->policy->launch != launch_graph)
        return HEDDLE_OK;
    at->nodes = hd_new(p->most * sizeof *at->nodes);
    return at->nodes ? HEDDLE_OK : hd_say(e, HEDDLE_ENOMEM, "opening a pool: out of memory");
}

void hd_pool_policy_free(hd_loaded *l, uint32_t s)
{
    const hd_pool_launcher *p = hd_launcher_of(l);
    hd_pool_stream *at = &hd_launcher_of(l)->streams[s];
    free_graph(at);
    hd_delete(at->nodes, p->most * sizeof *at->nodes);
    (void)cudaFree(at->list);
    (void)cudaFree(at->stage);
    (void)cudaFreeHost(at->last);
    if (at->stream)
        (void)cudaStreamDestroy(at->stream);
}
