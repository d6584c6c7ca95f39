/* SPDX-License-Identifier: MIT */
/* bfs.c - breadth-first search of a graph, or least costs of its vertices, by tasks that spawn tasks.
 *
 * The papers' second application (DIDC'14, section 4), where a task is a vertex: --opt chunk=1. A task with a larger
 * chunk continues by itself for some steps (bfs_bodies.c). In any order of tasks, distances end equal to the reference,
 * which goes level by level, or takes vertices by distance (Dijkstra) when arcs have costs.
 *
 * Input: a graph (METIS, list of arcs, CSR). Without --input, a made-up one as in the papers: 2K vertices, at most four
 * arcs out of each, levels of at most 128. Refuses a source that is not a vertex, and costs that may add up to 2^32. */
#include "bfs_bodies.h"
#include "bfs_case.h"
#include "noise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VERTICES (1u << 26)
#define MAX_COST 10u
#define MOST_ARCS 4u      /* of a made-up vertex */
#define MOST_BREADTH 128u /* of a made-up level */
#define MIN_LIST 16
#define THREADS 512u
#define FEW_THREADS 128u /* for small tasks */

extern const app app_bfs;

typedef struct bfs_case {
    app_case c;
    bfs_params params;
    input_graph g;
    uint32_t *costs; /* one an arc, or NULL                                                        */
    int64_t source, seed;
    void *zeros;             /* initial content of the queue */
    uint32_t *result, *want; /* host; want NULL until there is a reference */
} bfs_case;

static void free_case(app_case *base)
{
    bfs_case *x = (bfs_case *)base;
    if (!x)
        return;
    heddle_graph_free(x->c.graph);
    if (x->c.ctx) {
        heddle_mem_free(x->c.ctx, (void *)(uintptr_t)x->params.rows);
        heddle_mem_free(x->c.ctx, (void *)(uintptr_t)x->params.columns);
        heddle_mem_free(x->c.ctx, (void *)(uintptr_t)x->params.costs);
        heddle_mem_free(x->c.ctx, x->params.dist);
        heddle_mem_free(x->c.ctx, x->params.cursors);
    }
    free(x->g.begin);
    free(x->g.column);
    free(x->costs);
    free(x->zeros);
    free(x->result);
    free(x->want);
    free(x);
}

const input_graph *bfs_graph_of(const app_case *c, uint32_t *source)
{
    const bfs_case *x = (const bfs_case *)c;
    *source = (uint32_t)x->source;
    return &x->g;
}

/* ---- a made-up graph ---------------------------------------------------------------------------- */

/* The number of vertices in the level after one of `breadth`. */
static uint64_t next_breadth(uint64_t seed, uint64_t level, uint64_t breadth, uint64_t left)
{
    uint64_t most = MOST_ARCS * breadth < MOST_BREADTH ? MOST_ARCS * breadth : MOST_BREADTH;
    uint64_t n = most - noise_u64(seed, level) % (most / 4 + 1);
    return n < left ? n : left;
}

/* Vertices begin ... middle - 1 are a level, those up to end - 1 the next. Each vertex of the next level gets an arc
 * from the level. The level's vertices then get more arcs within the two levels, which keeps breadths as they are. */
static void make_level(input_graph *g, uint64_t seed, uint64_t begin, uint64_t middle, uint64_t end)
{
    uint64_t child = middle, breadth = middle - begin, next = end - middle;
    for (uint64_t v = begin; v < middle; v++) {
        uint64_t n_free = MOST_ARCS;
        for (; child < end && begin + (child - middle) * breadth / next == v; child++, n_free--)
            g->column[g->n_arcs++] = (uint32_t)child;
        for (uint64_t k = noise_u64(seed + 1, v) % (n_free + 1); k > 0; k--) {
            uint64_t to = begin + noise_u64(seed + 2, MOST_ARCS * v + k - 1) % (end - begin);
            if (to != v)
                g->column[g->n_arcs++] = (uint32_t)to;
        }
        g->begin[v + 1] = (uint32_t)g->n_arcs;
    }
}

static int make_graph(bfs_case *x, uint64_t n, char *error)
{
    const uint64_t seed = 16 * (uint64_t)x->seed;
    uint64_t begin = 0, middle = 1, end;
    x->g.n = n;
    x->g.begin = app_alloc(n + 1, sizeof *x->g.begin, "the graph", error);
    x->g.column = app_alloc(MOST_ARCS * n, sizeof *x->g.column, "the graph", error);
    if (!x->g.begin || !x->g.column)
        return -1;
    x->g.begin[0] = 0;
    for (; begin < n; begin = middle, middle = end) {
        end = middle + next_breadth(seed, begin, middle - begin, n - middle);
        make_level(&x->g, seed, begin, middle, end);
    }
    return 0;
}

static int make_costs(bfs_case *x, char *error)
{
    x->costs = app_alloc(x->g.n_arcs, sizeof *x->costs, "the costs", error);
    if (!x->costs)
        return -1;
    if (x->g.n >= UINT32_MAX / MAX_COST) {
        snprintf(error, APP_ERROR, "bfs: sums of costs over %" PRIu64 " vertices may pass 2^32", x->g.n);
        return -1;
    }
    for (uint64_t k = 0; k < x->g.n_arcs; k++)
        x->costs[k] = 1 + (uint32_t)(noise_u64(16 * (uint64_t)x->seed + 3, k) % MAX_COST);
    return 0;
}

/* ---- options ------------------------------------------------------------------------------------- */

static int options_of(bfs_case *x, const app_request *q, int64_t *cost, char *error)
{
    int64_t chunk, list, hops, most;
    if (app_opt_i64(&app_bfs, q, "source", 0, INT32_MAX, &x->source, error) ||
        app_opt_i64(&app_bfs, q, "chunk", 1, BFS_MOST_CHUNK, &chunk, error) ||
        app_opt_i64(&app_bfs, q, "list", MIN_LIST, BFS_MOST_CHUNK * BFS_MOST_TASKS, &list, error) ||
        app_opt_i64(&app_bfs, q, "hops", -1, INT32_MAX, &hops, error) ||
        app_opt_i64(&app_bfs, q, "cost", 0, 1, cost, error) ||
        app_opt_i64(&app_bfs, q, "seed", 0, INT32_MAX, &x->seed, error))
        return -1;
    most = chunk * BFS_MOST_TASKS;
    x->params.chunk = (uint32_t)chunk;
    x->params.list = (uint32_t)(list < most ? list : most);
    x->params.hops = hops >= 0 ? (uint32_t)hops : chunk == 1 ? 0 : 8;
    return 0;
}

static int graph_of(bfs_case *x, const app_request *q, char *error)
{
    uint64_t n = q->n[0] ? q->n[0] : app_bfs.n[0];
    if (!q->n_inputs && n > MAX_VERTICES) {
        snprintf(error, APP_ERROR, "%" PRIu64 " vertices are too many: bfs makes up %u at most", n, MAX_VERTICES);
        return -1;
    }
    if (q->n_inputs ? input_graph_any(q->inputs[0], &x->g, error) : make_graph(x, n, error))
        return -1;
    if (q->n_inputs && q->n[0] && q->n[0] != x->g.n) {
        snprintf(error, APP_ERROR, "-n asks for %" PRIu64 " vertices, but the input has %" PRIu64, q->n[0], x->g.n);
        return -1;
    }
    return 0;
}

static int load(app_case *base, const app_request *q, char *error)
{
    bfs_case *x = (bfs_case *)base;
    int64_t cost;
    if (app_check_request(&app_bfs, q, 1, error) || options_of(x, q, &cost, error) || graph_of(x, q, error))
        return -1;
    if ((uint64_t)x->source >= x->g.n) {
        snprintf(error, APP_ERROR, "option source: %" PRId64 " is no vertex, they are 0 ... %" PRIu64, x->source,
                 x->g.n - 1);
        return -1;
    }
    base->n[0] = x->g.n;
    base->b[0] = x->params.chunk;
    base->n[1] = base->b[1] = 1;
    base->record = &x->params;
    base->record_bytes = sizeof x->params;
    x->result = app_alloc(x->g.n, sizeof *x->result, "the distances", error);
    return x->result && (!cost || !make_costs(x, error)) ? 0 : -1;
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_bfs, sizeof(bfs_case), load, q, error);
}

/* ---- on a context --------------------------------------------------------------------------------- */

/* Copies n_bytes to the context; n_bytes 0 still allocates one word. NULL on failure. */
static void *put(bfs_case *x, const void *from, uint64_t n_bytes, const char *doing)
{
    void *p;
    if (heddle_mem_new(x->c.ctx, n_bytes ? n_bytes : 4, &p) != HEDDLE_OK) {
        app_heddle_error(&x->c, doing);
        return NULL;
    }
    if (!n_bytes || heddle_mem_write(x->c.ctx, p, from, n_bytes) == HEDDLE_OK)
        return p;
    app_heddle_error(&x->c, doing);
    heddle_mem_free(x->c.ctx, p);
    return NULL;
}

static void make_rows(void *self, uint64_t begin, uint64_t end)
{
    const bfs_case *x = ((void **)self)[0];
    bfs_row *rows = ((void **)self)[1];
    for (uint64_t v = begin; v < end; v++)
        rows[v] = bfs_row_of(x->g.begin[v], x->g.begin[v + 1], x->g.column, x->costs);
}

static int put_rows(bfs_case *x)
{
    bfs_row *rows = app_alloc(x->g.n, sizeof *rows, "the rows", x->c.error);
    void *self[2] = {x, rows};
    if (!rows)
        return -1;
    app_spread(x->g.n, 8, make_rows, self);
    x->params.rows = put(x, rows, x->g.n * sizeof *rows, "memory for the rows");
    free(rows);
    return x->params.rows ? 0 : -1;
}

/* Cursors, the queue's slots, a word per vertex: one block, zeroed before each run. */
static uint64_t queue_bytes(const bfs_case *x)
{
    return sizeof(bfs_cursors) + (x->params.mask + 1 + x->g.n) * sizeof(uint32_t);
}

static int reset(app_case *base)
{
    bfs_case *x = (bfs_case *)base;
    const uint64_t n_bytes = x->g.n * sizeof(uint32_t);
    memset(x->result, 0xff, n_bytes);
    x->result[x->source] = 0;
    if (heddle_mem_write(base->ctx, x->params.dist, x->result, n_bytes) == HEDDLE_OK &&
        heddle_mem_write(base->ctx, x->params.cursors, x->zeros, queue_bytes(x)) == HEDDLE_OK)
        return 0;
    return app_heddle_error(base, "clearing the distances");
}

static int put_queue(bfs_case *x)
{
    uint64_t n_places = 1;
    while (n_places < x->g.n)
        n_places *= 2;
    x->params.mask = (uint32_t)(n_places - 1);
    x->zeros = calloc(queue_bytes(x), 1);
    if (!x->zeros) {
        snprintf(x->c.error, APP_ERROR, "out of memory for the queue");
        return -1;
    }
    x->params.cursors = put(x, x->zeros, queue_bytes(x), "memory for the queue");
    x->params.queue = (uint32_t *)(x->params.cursors + 1);
    x->params.waits = x->params.queue + n_places;
    return x->params.cursors ? 0 : -1;
}

static int memory(bfs_case *x)
{
    const uint64_t n_bytes = x->g.n_arcs * sizeof(uint32_t);
    if (put_rows(x) || put_queue(x))
        return -1;
    x->params.columns = put(x, x->g.column, n_bytes, "memory for the arcs");
    x->params.dist = put(x, x->result, x->g.n * sizeof(uint32_t), "memory for the distances");
    if (!x->params.columns || !x->params.dist)
        return -1;
    if (x->costs && !(x->params.costs = put(x, x->costs, n_bytes, "memory for the costs")))
        return -1;
    return reset(&x->c);
}

static int add_first(bfs_case *x)
{
    const bfs_args args = {BFS_FIRST, (uint32_t)x->source, 0, 0};
    heddle_graph *g = x->c.graph;
    if (heddle_graph_set_shared_bytes(g, bfs_part, (uint32_t)BFS_SHARED_BYTES(x->params.list)) != HEDDLE_OK ||
        heddle_graph_set_team_size(g, x->params.chunk < BFS_CHUNK ? FEW_THREADS : THREADS) != HEDDLE_OK)
        return app_heddle_error(&x->c, "choosing memory and threads of a block");
    if (heddle_graph_add(g, bfs_part, &args, sizeof args, NULL, 0, NULL) != HEDDLE_OK)
        return app_heddle_error(&x->c, "adding a task");
    return 0;
}

static int build(app_case *base, heddle_ctx *ctx)
{
    bfs_case *x = (bfs_case *)base;
    base->ctx = ctx;
    if (memory(x))
        return -1;
    if (app_new_graph(base, base->app->table))
        return -1;
    return add_first(x);
}

static int read_back(app_case *base)
{
    bfs_case *x = (bfs_case *)base;
    if (heddle_mem_read(base->ctx, x->result, x->params.dist, x->g.n * sizeof(uint32_t)) != HEDDLE_OK)
        return app_heddle_error(base, "reading the distances");
    return 0;
}

/* The one-worker baseline: a queue of the vertices that were lowered. */
static int tiles(app_case *base)
{
    bfs_case *x = (bfs_case *)base;
    const uint64_t n = x->g.n;
    uint32_t *queue = app_alloc(n, sizeof *queue, "the queue", base->error);
    uint8_t *waits = calloc(n, 1);
    uint64_t head = 0, n_queued = 1;
    int rc = queue && waits ? 0 : -1;
    if (rc)
        snprintf(base->error, APP_ERROR, "out of memory for the queue");
    else
        queue[0] = (uint32_t)x->source;
    for (; !rc && n_queued; n_queued--, head++) {
        const uint32_t v = queue[head % n];
        waits[v] = 0;
        for (uint32_t k = x->g.begin[v]; k < x->g.begin[v + 1]; k++) {
            const uint32_t to = x->g.column[k], d = x->params.dist[v] + (x->costs ? x->costs[k] : 1);
            if (d >= x->params.dist[to])
                continue;
            x->params.dist[to] = d;
            if (!waits[to])
                queue[(head + n_queued++) % n] = to;
            waits[to] = 1;
        }
    }
    free(queue);
    free(waits);
    return rc;
}

/* ---- reference ------------------------------------------------------------------------------------ */

/* Level by level. */
static void levels(const bfs_case *x, uint32_t *dist, uint32_t *order)
{
    uint64_t begin = 0, end = 1, n = 1;
    order[0] = (uint32_t)x->source;
    for (uint32_t level = 1; begin < end; level++, begin = end, end = n)
        for (uint64_t i = begin; i < end; i++)
            for (uint32_t k = x->g.begin[order[i]]; k < x->g.begin[order[i] + 1]; k++) {
                const uint32_t to = x->g.column[k];
                if (dist[to] != BFS_FAR)
                    continue;
                dist[to] = level;
                order[n++] = to;
            }
}

/* By distance. Costs are small, so waiting vertices stand in MAX_COST + 1 lists, by distance modulo that. next, before:
 * a vertex's neighbours in its list. */
typedef struct waiting {
    uint32_t first[MAX_COST + 1], *next, *before;
} waiting;

static void wait_in(waiting *w, uint32_t v, uint32_t dist)
{
    uint32_t *first = &w->first[dist % (MAX_COST + 1)];
    w->next[v] = *first;
    w->before[v] = BFS_NONE;
    if (*first != BFS_NONE)
        w->before[*first] = v;
    *first = v;
}

static void wait_no_more(waiting *w, uint32_t v, uint32_t dist)
{
    if (w->before[v] != BFS_NONE)
        w->next[w->before[v]] = w->next[v];
    else
        w->first[dist % (MAX_COST + 1)] = w->next[v];
    if (w->next[v] != BFS_NONE)
        w->before[w->next[v]] = w->before[v];
}

static void settle_vertex(const bfs_case *x, waiting *w, uint32_t *dist, uint32_t v)
{
    for (uint32_t k = x->g.begin[v]; k < x->g.begin[v + 1]; k++) {
        const uint32_t to = x->g.column[k], d = dist[v] + x->costs[k];
        if (d >= dist[to])
            continue;
        if (dist[to] != BFS_FAR)
            wait_no_more(w, to, dist[to]);
        dist[to] = d;
        wait_in(w, to, d);
    }
}

static void by_distance(const bfs_case *x, uint32_t *dist, uint32_t *room)
{
    waiting w;
    uint32_t n_empty = 0;
    w.next = room;
    w.before = room + x->g.n;
    memset(w.first, 0xff, sizeof w.first);
    wait_in(&w, (uint32_t)x->source, 0);
    for (uint32_t d = 0; n_empty <= MAX_COST; d++) {
        uint32_t *first = &w.first[d % (MAX_COST + 1)];
        n_empty = *first == BFS_NONE ? n_empty + 1 : 0;
        while (*first != BFS_NONE) {
            const uint32_t v = *first;
            wait_no_more(&w, v, d);
            settle_vertex(x, &w, dist, v);
        }
    }
}

static int reference(app_case *base)
{
    bfs_case *x = (bfs_case *)base;
    uint32_t *room;
    if (x->want)
        return 0;
    x->want = app_alloc(x->g.n, sizeof *x->want, "the reference", base->error);
    room = app_alloc(2 * x->g.n, sizeof *room, "the reference", base->error);
    if (x->want && room) {
        memset(x->want, 0xff, x->g.n * sizeof *x->want);
        x->want[x->source] = 0;
        if (x->costs)
            by_distance(x, x->want, room);
        else
            levels(x, x->want, room);
    }
    free(room);
    return x->want && room ? 0 : -1;
}

static int check(app_case *base)
{
    const bfs_case *x = (const bfs_case *)base;
    for (uint64_t v = 0; v < x->g.n; v++)
        if (x->result[v] != x->want[v]) {
            snprintf(base->error, APP_ERROR,
                     "vertex %" PRIu64 " is at distance %" PRId32 ", in the reference at %" PRId32, v,
                     (int32_t)x->result[v], (int32_t)x->want[v]);
            return -1;
        }
    return 0;
}

/* ---- answer ---------------------------------------------------------------------------------------- */

/* Totals over the vertices that were reached. */
typedef struct reached {
    uint64_t n, n_arcs, sum;
    uint32_t far;
} reached;

static reached reached_of(const bfs_case *x)
{
    reached r = {0, 0, 0, 0};
    for (uint64_t v = 0; v < x->g.n; v++) {
        if (x->result[v] == BFS_FAR)
            continue;
        r.n++;
        r.n_arcs += x->g.begin[v + 1] - x->g.begin[v];
        r.sum += x->result[v];
        r.far = x->result[v] > r.far ? x->result[v] : r.far;
    }
    return r;
}

static void answer_graph(const bfs_case *x, const app_sink *s)
{
    uint64_t n_loops = 0, most = 0, at = 0;
    for (uint64_t v = 0; v < x->g.n; v++) {
        const uint64_t degree = x->g.begin[v + 1] - x->g.begin[v];
        at = degree > most ? v : at;
        most = degree > most ? degree : most;
        for (uint32_t k = x->g.begin[v]; k < x->g.begin[v + 1]; k++)
            n_loops += x->g.column[k] == v;
    }
    s->u64(s->self, "nodes", x->g.n);
    s->u64(s->self, "arcs_stored", x->g.n_arcs);
    s->u64(s->self, "self_loops", n_loops);
    s->u64(s->self, "max_out_degree", most);
    s->u64(s->self, "argmax_out_degree", at);
    s->u64(s->self, "source", (uint64_t)x->source);
}

static void answer_levels(const bfs_case *x, const app_sink *s, const reached *r)
{
    int64_t *n = calloc((size_t)r->far + 1, sizeof *n);
    s->u64(s->self, "levels", (uint64_t)r->far + 1);
    if (!n)
        return;
    for (uint64_t v = 0; v < x->g.n; v++)
        if (x->result[v] != BFS_FAR)
            n[x->result[v]]++;
    s->i64s(s->self, "nodes_per_level", n, (size_t)r->far + 1, 0);
    free(n);
}

static void answer(app_case *base, const app_sink *s)
{
    const bfs_case *x = (const bfs_case *)base;
    const reached r = reached_of(x);
    char hex[65];
    answer_graph(x, s);
    s->u64(s->self, "reached", r.n);
    s->u64(s->self, "arcs_out_of_reached", r.n_arcs);
    app_sha256(x->result, x->g.n * sizeof *x->result, hex);
    if (x->costs) {
        s->u64(s->self, "max_cost", r.far);
        s->u64(s->self, "sum_cost_reached", r.sum);
    } else {
        answer_levels(x, s, &r);
        s->u64(s->self, "sum_depth_reached", r.sum);
    }
    if (hex[0])
        s->text(s->self, x->costs ? "cost_sha256_int32le_unreached_-1" : "depth_sha256_int32le_unreached_-1", hex);
}

static const app_option options[] = {
    {"source", "0", "vertex to begin at"},
    {"chunk", "32", "vertices of a task at most; 1: each vertex is a task of its own"},
    {"list", "1024", "arcs that a task keeps for its next step, the rest becomes tasks; at most 32 full tasks' worth"},
    {"hops", "-1", "steps that a task goes on by itself; -1: 8, and none when chunk is 1"},
    {"cost", "0", "1: arcs have costs of 1 ... 10, and paths of least cost are looked for"},
    {"seed", "1", "of the graph that is made up when there is no input, and of costs"},
    {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {{&app_graph, build, reset, tiles}, {.engine = NULL}};

#define FORMATS                                                                                              \
    "a graph, by the end of its file's name; its vertices count from 0, also in source and answers\n"        \
    "         .graph, .metis  METIS: vertices and edges, then for each vertex a line of its neighbours,\n"   \
    "                         which count from 1; no weights; lines that begin with % are comments\n"        \
    "         .csr            little-endian 32-bit numbers: n vertices, m arcs, the n + 1 places where\n"    \
    "                         rows of arcs begin (from 0 to m), the m vertices that arcs lead to\n"          \
    "         any other       arcs, a line each: from, to; lines that begin with # are comments. Vertices\n" \
    "                         have any numbers below 2^63, which become 0, 1, ... in ascending order"

const app app_bfs = {
    .name = "bfs",
    .summary = "breadth-first search of a graph: tasks that spawn tasks",
    .formats = FORMATS,
    .options = options,
    .table = &bfs,
    .scenarios = scenarios,
    .n = {2048, 0},
    .b = {0, 0},
    .prepare = prepare,
    .read = read_back,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
