/* SPDX-License-Identifier: MIT */
/* cudagraph.c - launches as a CUDA graph, made once and replayed.
 *
 * The graph is built from explicit nodes, not captured: the launches of one level, one per body, become parallel branches.
 *
 * Programmatic edges form a chain of all kernels, also those of one level. Each kernel lets the next one start once all its
 * own blocks have started. Before it touches data, it waits until the previous grid is complete and its writes are visible.
 * One predecessor is enough: a grid completes when all its blocks have ended, and each block has waited for the grid before,
 * so all earlier grids are complete, too. This holds only if every block waits, whatever it does afterwards. Kernels compiled
 * for an older architecture have no such wait and are refused. */
#include "backend/cuda/launches.h"

#include <string.h>

/* CUDA 12 has two variants; the plain name lacks edge data. */
#if CUDART_VERSION >= 13000
#define add_edges cudaGraphAddDependencies
#else
#define add_edges cudaGraphAddDependencies_v2
#endif

#define OLDEST_PTX 90     /* the first architecture with programmatic launches */
#define MANY_EDGES 64u    /* between two levels; more go through an empty node */
#define EDGES_AT_ONCE 64u /* per call of the driver */

static const char doing[] = "making a CUDA graph";

static heddle_status add_kernel(const hd_launch_form *f, cudaGraph_t graph, const hd_launch *x,
                                const cudaGraphNode_t *before, size_t n_before, cudaGraphNode_t *out, hd_error *e)
{
    const hd_driver *d = &f->loaded->device->driver;
    hd_level level = hd_level_of(f, x->first);
    void *params[] = {&level}; /* copied by the call */
    CUDA_KERNEL_NODE_PARAMS k;
    CUresult r;
    memset(&k, 0, sizeof k);
    k.func = hd_function_of(f, x->body);
    k.gridDimX = x->n;
    k.blockDimX = f->form.team_size;
    k.gridDimY = k.gridDimZ = k.blockDimY = k.blockDimZ = 1;
    k.sharedMemBytes = x->shared_bytes;
    k.kernelParams = params;
    r = d->cuGraphAddKernelNode(out, graph, before, n_before, &k);
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(d, e, r, doing);
}

/* ---- levels ------------------------------------------------------------------------------------------------------- */

/* The number of launches in the level that begins with launch i. */
static uint64_t level_size(const hd_launches *todo, uint64_t i)
{
    uint64_t n = 1;
    while (i + n < todo->n && todo->at[i + n].level == todo->at[i].level)
        n++;
    return n;
}

/* nodes: one per launch. Each depends on the whole previous level. */
static heddle_status add_levels(const hd_launch_form *f, cudaGraph_t graph, cudaGraphNode_t *nodes, hd_error *e)
{
    const cudaGraphNode_t *before = NULL;
    cudaGraphNode_t between;
    uint64_t i, k, n, n_before = 0;
    for (i = 0; i < f->todo.n; i += n) {
        n = level_size(&f->todo, i);
        if (n > 1 && n * n_before > MANY_EDGES) {
            HD_CUDA_TRY(cudaGraphAddEmptyNode(&between, graph, before, n_before), e, doing);
            before = &between;
            n_before = 1;
        }
        for (k = i; k < i + n; k++)
            HD_TRY(add_kernel(f, graph, &f->todo.at[k], before, n_before, &nodes[k], e));
        before = &nodes[i];
        n_before = n;
    }
    return HEDDLE_OK;
}

static heddle_status check_ptx(const hd_launch_form *f, CUfunction function, hd_error *e)
{
    const hd_driver *d = &f->loaded->device->driver;
    int ptx = 0;
    CUresult r = d->cuFuncGetAttribute(&ptx, CU_FUNC_ATTRIBUTE_PTX_VERSION, function);
    if (r != CUDA_SUCCESS)
        return hd_driver_say(d, e, r, doing);
    if (ptx < OLDEST_PTX)
        return hd_say(e, HEDDLE_ENODEV,
                      "table %s was compiled for sm_%d: schedule graph+pdl needs code for sm_%d or later",
                      f->loaded->graph->table->name, ptx, OLDEST_PTX);
    return HEDDLE_OK;
}

static heddle_status add_chain(const hd_launch_form *f, cudaGraph_t graph, cudaGraphNode_t *nodes, hd_error *e)
{
    cudaGraphEdgeData edge;
    uint64_t i;
    memset(&edge, 0, sizeof edge);
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
    for (i = 0; i < f->todo.n; i++) {
        HD_TRY(check_ptx(f, hd_function_of(f, f->todo.at[i].body), e));
        HD_TRY(add_kernel(f, graph, &f->todo.at[i], NULL, 0, &nodes[i], e));
        if (i)
            HD_CUDA_TRY(add_edges(graph, &nodes[i - 1], &nodes[i], &edge, 1), e, doing);
    }
    return HEDDLE_OK;
}

/* ---- a node a task ------------------------------------------------------------------------------------------------ */

static heddle_status add_successors(const hd_graph *g, uint32_t t, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                    hd_error *e)
{
    const hd_task *task = hd_graph_task(g, t);
    cudaGraphNode_t from[EDGES_AT_ONCE], to[EDGES_AT_ONCE];
    uint32_t i, n = 0;
    for (i = 0; i < task->n_succ; i++) {
        from[n] = nodes[t];
        to[n++] = nodes[hd_graph_edge(g, task, i).task];
        if (n < EDGES_AT_ONCE && i + 1 < task->n_succ)
            continue;
        HD_CUDA_TRY(add_edges(graph, from, to, NULL, n), e, doing);
        n = 0;
    }
    return HEDDLE_OK;
}

/* nodes: one per task. */
static heddle_status add_tasks(const hd_launch_form *f, cudaGraph_t graph, cudaGraphNode_t *nodes, hd_error *e)
{
    const hd_graph *g = f->loaded->graph;
    uint64_t i;
    uint32_t t, k;
    for (i = 0; i < f->todo.n; i++) {
        hd_launch one = f->todo.at[i];
        one.n = 1;
        for (k = 0; k < f->todo.at[i].n; k++, one.first++)
            HD_TRY(add_kernel(f, graph, &one, NULL, 0, &nodes[f->todo.list[one.first]], e));
    }
    for (t = 0; t < g->n_tasks; t++)
        if (hd_graph_task(g, t)->body == HD_BODY_JOIN)
            HD_CUDA_TRY(cudaGraphAddEmptyNode(&nodes[t], graph, NULL, 0), e, doing);
    for (t = 0; t < g->n_tasks; t++)
        HD_TRY(add_successors(g, t, graph, nodes, e));
    return HEDDLE_OK;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static heddle_status add_all(const hd_launch_form *f, cudaGraph_t graph, cudaGraphNode_t *nodes, hd_error *e)
{
    switch (f->form.schedule) {
    case HEDDLE_SCHEDULE_GRAPH_PDL: return add_chain(f, graph, nodes, e);
    case HEDDLE_SCHEDULE_TASKGRAPH: return add_tasks(f, graph, nodes, e);
    default: return add_levels(f, graph, nodes, e);
    }
}

static heddle_status instantiate(hd_launch_form *f, cudaGraph_t graph, hd_error *e)
{
    cudaStream_t stream = f->loaded->device->side; /* not behind a run */
    HD_CUDA_TRY(cudaGraphInstantiate(&f->exec, graph, 0), e, doing);
    HD_CUDA_TRY(cudaGraphUpload(f->exec, stream), e, doing);
    HD_CUDA_TRY(cudaStreamSynchronize(stream), e, doing);
    return HEDDLE_OK;
}

heddle_status hd_cudagraph_make(hd_launch_form *f, hd_error *e)
{
    uint64_t n = f->form.schedule == HEDDLE_SCHEDULE_TASKGRAPH ? f->loaded->graph->n_tasks : f->todo.n;
    cudaGraphNode_t *nodes;
    cudaGraph_t graph;
    heddle_status s;
    if (n > HD_MAX_NODES)
        return hd_say(e, HEDDLE_ERANGE, "schedule %s: %llu nodes are more than a CUDA graph is made for here (%u)",
                      heddle_schedule_name(f->form.schedule), (unsigned long long)n, HD_MAX_NODES);
    if (!f->todo.n)
        return HEDDLE_OK; /* no bodies to run */
    HD_CUDA_TRY(cudaGraphCreate(&graph, 0), e, doing);
    nodes = hd_new(n * sizeof(cudaGraphNode_t));
    s = nodes ? add_all(f, graph, nodes, e) : hd_say(e, HEDDLE_ENOMEM, "making a CUDA graph: out of memory");
    if (s == HEDDLE_OK)
        s = instantiate(f, graph, e);
    (void)cudaGraphDestroy(graph);
    hd_delete(nodes, n * sizeof(cudaGraphNode_t));
    return s;
}
