/* SPDX-License-Identifier: MIT */
/* uts.c - unbalanced tree search (Olivier, Huan, Liu, Prins, Dinan, Sadayappan, Tseng: UTS, LCPC 2006): the number of
 * nodes and leaves, and the depth, of a tree known only by walking it. Trees are bitwise those of the authors' program
 * with its SHA-1 generator: geometric ones of three shapes, binomial, and hybrid ones.
 *
 * Refuses parameters of infinite trees. Those of a named tree can be changed one by one. */
#include "app.h"
#include "uts_bodies.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 1000           /* of a geometric tree's parameter; the cyclic shape makes trees five times as deep */
#define SERIAL_MOST (1ull << 23) /* nodes up to which a search checks the published counts */
#define PI 3.141592653589793

extern const app app_uts;

/* ---- trees -------------------------------------------------------------------------------------- */

typedef enum kind { GEOMETRIC, BINOMIAL, HYBRID } kind;
typedef enum shape { LINEAR, CYCLIC, FIXED } shape;
static const char *const kinds[] = {"geometric", "binomial", "hybrid", NULL};
static const char *const shapes[] = {"linear", "cyclic", "fixed", NULL};

typedef struct counts {
    uint64_t nodes, leaves, depth;
} counts;

/* b0: children of the root, and the mean for nodes of a geometric tree; depth: where that ends; q, m: a node of a
 * binomial tree has m children with probability q, else none. */
typedef struct tree {
    const char *name;
    int kind, shape;
    int64_t depth, m, seed;
    double b0, q;
    counts published; /* nodes 0: not published                                                    */
} tree;

static const tree trees[] = {
    {"T1", GEOMETRIC, FIXED, 10, 0, 19, 4, 0, {4130071, 3305118, 10}},
    {"T2", GEOMETRIC, CYCLIC, 16, 0, 502, 6, 0, {4117769, 2342762, 81}},
    {"T3", BINOMIAL, FIXED, 0, 8, 42, 2000, 0.124875, {4112897, 3599034, 1572}},
    {"T4", HYBRID, LINEAR, 16, 4, 1, 6, 0.234375, {4132453, 3108986, 134}},
    {"T5", GEOMETRIC, LINEAR, 20, 0, 34, 4, 0, {4147582, 2181318, 20}},
    {"T1L", GEOMETRIC, FIXED, 13, 0, 29, 4, 0, {102181082, 81746377, 13}},
    {"T2L", GEOMETRIC, CYCLIC, 23, 0, 220, 7, 0, {96793510, 53791152, 67}},
    {"T3L", BINOMIAL, FIXED, 0, 5, 7, 2000, 0.200014, {111345631, 89076904, 17844}},
    {"T1XL", GEOMETRIC, FIXED, 15, 0, 29, 4, 0, {1635119272, 1308100063, 15}},
};
#define N_TREES (sizeof trees / sizeof *trees)

typedef struct uts_case {
    app_case base;
    tree tree;
    uts_params params;
    uts_row *rows;
    uts_node root;
    int64_t chunk;
    counts found, expected;
    int has_expected;
} uts_case;

/* ---- the distributions, by the authors' formulas ------------------------------------------------------ */

static double mean_children(const tree *t, uint32_t depth)
{
    if (depth == 0)
        return t->b0;
    switch (t->shape) {
    case FIXED: return depth < (uint64_t)t->depth ? t->b0 : 0;
    case CYCLIC: return depth > 5 * (uint64_t)t->depth ? 0 : pow(t->b0, sin(2 * PI * depth / (double)t->depth));
    default: return t->b0 * (1 - (double)depth / (double)t->depth);
    }
}

static int is_binomial(const tree *t, uint32_t depth)
{
    return t->kind == BINOMIAL || (t->kind == HYBRID && depth >= 0.5 * (double)t->depth);
}

/* Children of a node with the 31-bit number h. */
static uint32_t children(const tree *t, uint32_t depth, uint32_t h)
{
    const double u = h / 2147483648.0;
    double n;
    if (is_binomial(t, depth))
        n = depth == 0 ? floor(t->b0) : u < t->q ? (double)t->m : 0;
    else
        n = floor(log(1 - u) / log(1 - 1 / (1 + mean_children(t, depth))));
    return depth == 0 && is_binomial(t, 0) ? (uint32_t)n : n > UTS_MOST_CHILDREN ? UTS_MOST_CHILDREN : (uint32_t)n;
}

/* The least h, flipped by `flip`, with at least k children; UTS_RANDOM + 1 if there is none. */
static uint32_t least_with(const tree *t, uint32_t depth, uint32_t flip, uint32_t k)
{
    uint32_t low = 0, high = UTS_RANDOM + 1u;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (children(t, depth, middle ^ flip) >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void set_row(const tree *t, uint32_t depth, uts_row *row)
{
    row->flip = is_binomial(t, depth) ? UTS_RANDOM : 0;
    for (row->n = 0; row->n < UTS_MOST_CHILDREN; row->n++) {
        row->limit[row->n] = least_with(t, depth, row->flip, row->n + 1);
        if (row->limit[row->n] > UTS_RANDOM)
            return;
    }
}

/* Depths up to the first from which on all are alike. */
static uint32_t count_rows(const tree *t)
{
    if (t->kind == BINOMIAL)
        return 2;
    return (uint32_t)(t->kind == GEOMETRIC && t->shape == CYCLIC ? 5 * t->depth + 2 : t->depth + 1);
}

static void set_root(uts_case *c)
{
    const uint32_t seed[5] = {0, 0, 0, 0, (uint32_t)c->tree.seed};
    sha1_words(seed, 5, c->root.state);
    c->root.depth = 0;
    c->root.from = 0;
    c->root.n = (uint16_t)children(&c->tree, 0, c->root.state[4] & UTS_RANDOM);
}

/* ---- requests ----------------------------------------------------------------------------------- */

/* The index of an option's value among names; `old` if it is not given, -1 if it is not among them. */
static int choose(const app_request *q, const char *key, const char *const *names, int old, char *error)
{
    const char *text = app_opt_text(&app_uts, q, key);
    for (int i = 0; names[i]; i++)
        if (!strcmp(text, names[i]))
            return i;
    if (!*text)
        return old;
    snprintf(error, APP_ERROR, "option %s: '%.64s' is not %s, %s or %s", key, text, names[0], names[1], names[2]);
    return -1;
}

static int set_i64(const app_request *q, const char *key, int64_t min, int64_t max, int64_t *v, char *error)
{
    return *app_opt_text(&app_uts, q, key) ? app_opt_i64(&app_uts, q, key, min, max, v, error) : 0;
}

static int set_f64(const app_request *q, const char *key, double min, double max, double *v, char *error)
{
    return *app_opt_text(&app_uts, q, key) ? app_opt_f64(&app_uts, q, key, min, max, v, error) : 0;
}

static const tree *find_tree(const app_request *q, char *error)
{
    const char *text = app_opt_text(&app_uts, q, "tree");
    char known[128] = "";
    size_t at = 0;
    for (size_t i = 0; i < N_TREES; i++) {
        if (!strcmp(text, trees[i].name))
            return &trees[i];
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", trees[i].name);
    }
    snprintf(error, APP_ERROR, "option tree: '%.64s' is not one of %s", text, known);
    return NULL;
}

static int has_end(const tree *t, char *error)
{
    const double mean = t->q * (double)t->m;
    if (t->kind != GEOMETRIC && mean >= 1) {
        snprintf(error, APP_ERROR, "a node has %g children on average (q times m): such a tree has no end", mean);
        return -1;
    }
    if (t->kind != BINOMIAL && t->depth < 1) {
        snprintf(error, APP_ERROR, "option depth: a geometric tree is at least 1 deep");
        return -1;
    }
    return 0;
}

static int get_tree(const app_request *q, tree *t, char *error)
{
    const tree *named = find_tree(q, error);
    tree plain;
    if (!named)
        return -1;
    *t = plain = *named;
    if ((t->kind = choose(q, "type", kinds, t->kind, error)) < 0 ||
        (t->shape = choose(q, "shape", shapes, t->shape, error)) < 0 ||
        set_i64(q, "depth", 1, MAX_DEPTH, &t->depth, error) || set_f64(q, "b0", 0, UINT16_MAX, &t->b0, error) ||
        set_f64(q, "q", 0, 1, &t->q, error) || set_i64(q, "m", 0, UTS_MOST_CHILDREN, &t->m, error) ||
        set_i64(q, "seed", 0, INT32_MAX, &t->seed, error))
        return -1;
    if (t->kind != plain.kind || t->shape != plain.shape || t->depth != plain.depth || t->b0 != plain.b0 ||
        t->q != plain.q || t->m != plain.m || t->seed != plain.seed)
        t->published.nodes = 0;
    return has_end(t, error);
}

static int load(app_case *base, const app_request *q, char *error)
{
    uts_case *c = (uts_case *)base;
    if (app_check_request(&app_uts, q, 0, error) || get_tree(q, &c->tree, error) ||
        app_opt_i64(&app_uts, q, "chunk", 1, UTS_MAX_CHUNK, &c->chunk, error))
        return -1;
    if (q->n[0] > 1 || q->n[1] > 1) {
        snprintf(error, APP_ERROR, "uts has no size; its options say which tree it is");
        return -1;
    }
    c->params.n_rows = count_rows(&c->tree);
    c->rows = app_alloc(c->params.n_rows, sizeof *c->rows, "the distributions", error);
    if (!c->rows)
        return -1;
    for (uint32_t d = 0; d < c->params.n_rows; d++)
        set_row(&c->tree, d, &c->rows[d]);
    set_root(c);
    base->n[0] = base->b[0] = 1;
    base->record = &c->params;
    base->record_bytes = sizeof c->params;
    return 0;
}

static void free_case(app_case *base)
{
    uts_case *c = (uts_case *)base;
    if (!c)
        return;
    heddle_graph_free(base->graph);
    if (base->ctx) {
        heddle_mem_free(base->ctx, (void *)(uintptr_t)c->params.rows);
        heddle_mem_free(base->ctx, c->params.cells);
    }
    free(c->rows);
    free(c);
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_uts, sizeof(uts_case), load, q, error);
}

/* ---- the graph ---------------------------------------------------------------------------------- */

static heddle_status add_tasks(uts_case *c)
{
    uts_batch_2 first = {1, {c->root}};
    heddle_graph *g;
    heddle_status s = heddle_graph_new(c->base.ctx, &uts, &c->base.graph);
    g = c->base.graph;
    for (uint32_t body = 0; s == HEDDLE_OK && body < uts_n_bodies; body++)
        s = heddle_graph_set_shared_bytes(g, body, UTS_SHARED_BYTES(c->params.chunk));
    return s != HEDDLE_OK ? s : heddle_graph_add(g, uts_2, &first, sizeof first, NULL, 0, NULL);
}

static int build(app_case *base, heddle_ctx *ctx)
{
    uts_case *c = (uts_case *)base;
    const size_t n_bytes = c->params.n_rows * sizeof *c->rows;
    void *rows;
    base->ctx = ctx;
    if (tally_new(base, &c->params.cells))
        return -1;
    if (heddle_mem_new(ctx, n_bytes, &rows) != HEDDLE_OK)
        return app_heddle_error(base, "memory for the distributions");
    c->params.rows = rows;
    c->params.chunk = (uint32_t)c->chunk;
    if (heddle_mem_write(ctx, rows, c->rows, n_bytes) != HEDDLE_OK || add_tasks(c) != HEDDLE_OK)
        return app_heddle_error(base, "making the graph");
    return 0;
}

static int reset(app_case *base) { return tally_clear(base, ((uts_case *)base)->params.cells); }

/* Adds the root, which is no task's child. */
static int read(app_case *base)
{
    uts_case *c = (uts_case *)base;
    uint64_t sum[TALLY_WORDS], most[TALLY_WORDS];
    if (tally_read(base, c->params.cells, sum, most))
        return -1;
    c->found.nodes = sum[UTS_NODES] + 1;
    c->found.leaves = sum[UTS_LEAVES] + (c->root.n == 0);
    c->found.depth = most[UTS_DEPTH];
    return 0;
}

/* ---- reference and check ---------------------------------------------------------------------------- */

/* A stack of nodes with children still to be made. */
typedef struct stack {
    uts_node *node;
    uint64_t n, n_room;
} stack;

static uts_node *push(stack *s, char *error)
{
    if (s->n == s->n_room) {
        uint64_t n_room = 2 * s->n_room + 64;
        uts_node *more = realloc(s->node, n_room * sizeof *more);
        if (!more) {
            snprintf(error, APP_ERROR, "out of memory for a stack of %" PRIu64 " nodes", n_room);
            return NULL;
        }
        s->node = more;
        s->n_room = n_room;
    }
    return &s->node[s->n++];
}

/* Counts the children of a node with a digest at a depth. */
typedef uint32_t (*children_fn)(const uts_case *c, uint32_t depth, const uint32_t state[5]);

/* By logarithms, as the authors do. */
static uint32_t by_formula(const uts_case *c, uint32_t depth, const uint32_t state[5])
{
    return children(&c->tree, depth, state[4] & UTS_RANDOM);
}

/* By limits, as the bodies do. */
static uint32_t by_rows(const uts_case *c, uint32_t depth, const uint32_t state[5])
{
    return uts_children(c->rows, c->params.n_rows, depth, state);
}

/* Makes the newest node's next child, or pops the node when it has no more. */
static int step(uts_case *c, stack *s, children_fn count, counts *found)
{
    uts_node *parent = &s->node[s->n - 1], child;
    if (parent->from == parent->n) {
        s->n--;
        return 0;
    }
    uts_make(parent, parent->from++, &child);
    child.n = (uint16_t)count(c, child.depth, child.state);
    found->nodes++;
    found->leaves += child.n == 0;
    found->depth = child.depth > found->depth ? child.depth : found->depth;
    if (child.n && !(parent = push(s, c->base.error)))
        return -1;
    if (child.n)
        *parent = child;
    return 0;
}

static int search(uts_case *c, children_fn count, counts *found)
{
    stack s = {NULL, 0, 0};
    uts_node *root = push(&s, c->base.error);
    int failed = !root;
    if (root)
        *root = c->root;
    *found = (counts){1, c->root.n == 0, 0};
    while (!failed && s.n)
        failed = step(c, &s, count, found);
    free(s.node);
    return failed ? -1 : 0;
}

static int compare(app_case *c, const counts *a, const counts *b, const char *which)
{
    if (a->nodes == b->nodes && a->leaves == b->leaves && a->depth == b->depth)
        return 0;
    snprintf(c->error, APP_ERROR,
             "%" PRIu64 " nodes, %" PRIu64 " leaves, depth %" PRIu64 "; %s: %" PRIu64 ", %" PRIu64 ", %" PRIu64,
             a->nodes, a->leaves, a->depth, which, b->nodes, b->leaves, b->depth);
    return -1;
}

/* Trees that take many seconds to search serially are checked against the published counts. */
static int reference(app_case *base)
{
    uts_case *c = (uts_case *)base;
    if (c->has_expected)
        return 0;
    c->expected = c->tree.published;
    if (c->tree.published.nodes < SERIAL_MOST && search(c, by_formula, &c->expected))
        return -1;
    c->has_expected = 1;
    return c->tree.published.nodes ? compare(base, &c->expected, &c->tree.published, "published") : 0;
}

static int check(app_case *base)
{
    const uts_case *c = (const uts_case *)base;
    return compare(base, &c->found, &c->expected, "expected");
}

static int tiles(app_case *base)
{
    uts_case *c = (uts_case *)base;
    counts found;
    if (search(c, by_rows, &found))
        return -1;
    c->params.cells->v[UTS_NODES] = found.nodes - 1;
    c->params.cells->v[UTS_LEAVES] = found.leaves - (c->root.n == 0);
    c->params.cells->v[UTS_DEPTH] = found.depth;
    return 0;
}

static void answer(app_case *base, const app_sink *s)
{
    const uts_case *c = (const uts_case *)base;
    s->u64(s->self, "nodes_total", c->found.nodes);
    s->u64(s->self, "leaves_total", c->found.leaves);
    s->u64(s->self, "depth_max", c->found.depth);
}

static const app_option options[] = {
    {"tree", "T1", "T1, T2, T3, T4, T5, T1L, T2L, T3L or T1XL of the authors"},
    {"type", "", "geometric, binomial or hybrid; empty, here and below: as that tree"},
    {"shape", "", "of a geometric tree: linear, cyclic or fixed"},
    {"depth", "", "where a geometric tree ends"},
    {"b0", "", "children of the root"},
    {"q", "", "probability that a node of a binomial tree has children"},
    {"m", "", "how many it has then"},
    {"seed", "", "of the root"},
    {"chunk", "64", "nodes that a task holds"},
    {NULL, NULL, NULL},
};

static const app_scenario scenarios[] = {{&app_graph, build, reset, tiles}, {.engine = NULL}};

const app app_uts = {
    .name = "uts",
    .summary = "unbalanced tree search: tasks that spawn tasks",
    .formats = "none",
    .options = options,
    .table = &uts,
    .scenarios = scenarios,
    .n = {1, 0},
    .b = {0, 0},
    .prepare = prepare,
    .read = read,
    .reference = reference,
    .check = check,
    .answer = answer,
    .free = free_case,
};
