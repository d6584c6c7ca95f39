/* SPDX-License-Identifier: MIT */
/* input_graph.c - readers of graphs: see input.h. */
#include "input.h"
#include "input_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GRAPH_MAX_ARCS ((uint64_t)INT32_MAX)

/* Allocates n vertices and n_arcs arcs, all rows empty. */
static int graph_room(input_file *r, input_graph *g, uint64_t n, uint64_t n_arcs)
{
    g->n = n;
    g->n_arcs = 0;
    if (n > GRAPH_MAX_ARCS || n_arcs > GRAPH_MAX_ARCS)
        return input_refuse(r, "%" PRIu64 " vertices and %" PRIu64 " arcs are too many: 2^31 - 1 is the most", n,
                            n_arcs);
    g->begin = calloc((size_t)n + 1, sizeof *g->begin);
    g->column = malloc(((size_t)n_arcs + 1) * sizeof *g->column);
    return g->begin && g->column ? 0 : input_refuse(r, "out of memory for %" PRIu64 " arcs", n_arcs);
}

/* Ends each reader of graphs: returns rc, and frees everything when rc is not 0. */
static int graph_end(input_file *r, input_graph *g, int rc)
{
    if (rc) {
        free(g->begin);
        free(g->column);
        g->begin = g->column = NULL;
        return -1;
    }
    free(r->bytes);
    return 0;
}

/* The next line that is not a comment; empty lines count. 0 at the end. */
static int graph_line(input_file *r, char comment, input_span *line)
{
    while (input_line(r, line))
        if (line->at == line->end || *line->at != comment)
            return 1;
    return 0;
}

static int metis_head(input_file *r, uint64_t *n, uint64_t *n_edges)
{
    input_span line, w, more;
    char shown[INPUT_SHOWN];
    if (!graph_line(r, '%', &line))
        return input_refuse(r, "no line of sizes");
    if (!input_word(&line, &w) || !input_count(w, n) || !input_word(&line, &w) || !input_count(w, n_edges))
        return input_refuse(r, "not two counts: vertices, edges");
    if (input_word(&line, &w) && (!input_only_of(w, "0") || input_word(&line, &more)))
        return input_refuse(r, "format '%s': weights are not read", input_show(w, shown));
    if (*n == 0 || *n > r->n - r->at + 1)
        return input_refuse(r, "%" PRIu64 " vertices are promised, there are not so many lines", *n);
    if (*n_edges > (r->n - r->at + 1) / 4) /* each is listed twice, in at least two bytes */
        return input_refuse(r, "%" PRIu64 " edges are promised, the %" PRIu64 " bytes left cannot hold them", *n_edges,
                            r->n - r->at);
    return 0;
}

static int metis_row(input_file *r, input_graph *g, uint64_t v, input_span line, uint64_t most)
{
    input_span w;
    char shown[INPUT_SHOWN];
    while (input_word(&line, &w)) {
        uint64_t to;
        if (!input_count(w, &to) || to == 0 || to > g->n)
            return input_refuse(r, "neighbour '%s' is not in 1 ... %" PRIu64, input_show(w, shown), g->n);
        if (to == v + 1)
            return input_refuse(r, "vertex %" PRIu64 " is its own neighbour", to);
        if (g->n_arcs == most)
            return input_refuse(r, "more than the %" PRIu64 " edges promised", most / 2);
        g->column[g->n_arcs++] = (uint32_t)(to - 1);
    }
    g->begin[v + 1] = (uint32_t)g->n_arcs;
    return 0;
}

static int metis_rows(input_file *r, input_graph *g, uint64_t n_edges)
{
    input_span line, word;
    for (uint64_t v = 0; v < g->n; v++) {
        if (!graph_line(r, '%', &line))
            return input_refuse(r, "%" PRIu64 " vertices are promised, %" PRIu64 " are there", g->n, v);
        if (metis_row(r, g, v, line, 2 * n_edges))
            return -1;
    }
    while (graph_line(r, '%', &line))
        if (input_word(&line, &word))
            return input_refuse(r, "more than the %" PRIu64 " vertices promised", g->n);
    if (g->n_arcs == 2 * n_edges)
        return 0;
    r->line = 0;
    return input_refuse(r, "%" PRIu64 " edges are promised, each in two lines; %" PRIu64 " neighbours are there",
                        n_edges, g->n_arcs);
}

int input_metis(const char *path, input_graph *g, char *error)
{
    input_file r;
    uint64_t n = 0, n_edges = 0;
    memset(g, 0, sizeof *g);
    if (input_read(&r, path, error) || metis_head(&r, &n, &n_edges))
        return -1;
    return graph_end(&r, g, graph_room(&r, g, n, 2 * n_edges) || metis_rows(&r, g, n_edges));
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Reads the list's pairs of numbers, one after another. */
static int arcs_read(input_file *r, uint64_t *pairs, uint64_t *n_arcs)
{
    input_span line, w[2], rest, word;
    while (graph_line(r, '#', &line)) {
        rest = line;
        if (!input_word(&rest, &word))
            continue;
        if (!input_words(line, w, 2) || !input_count(w[0], &pairs[2 * *n_arcs]) ||
            !input_count(w[1], &pairs[2 * *n_arcs + 1]))
            return input_refuse(r, "not two vertices: from, to");
        ++*n_arcs;
    }
    r->line = 0;
    return *n_arcs ? 0 : input_refuse(r, "no arc is there");
}

/* Removes duplicates from n sorted numbers; returns how many are left. */
static uint64_t unique(uint64_t *v, uint64_t n)
{
    uint64_t kept = 0;
    for (uint64_t k = 0; k < n; k++)
        if (kept == 0 || v[k] != v[kept - 1])
            v[kept++] = v[k];
    return kept;
}

/* Replaces numbers by their index among the n `names`, and sorts arcs into rows in their order. */
static void arcs_to_rows(input_graph *g, uint64_t *pairs, uint64_t n_arcs, const uint64_t *names)
{
    uint64_t k;
    for (k = 0; k < 2 * n_arcs; k++) {
        const uint64_t *at = bsearch(&pairs[k], names, (size_t)g->n, sizeof *names, by_number);
        pairs[k] = (uint64_t)(at - names);
    }
    for (k = 0; k < n_arcs; k++)
        g->begin[pairs[2 * k] + 1]++;
    for (k = 0; k < g->n; k++)
        g->begin[k + 1] += g->begin[k];
    for (k = 0; k < n_arcs; k++)
        g->column[g->begin[pairs[2 * k]]++] = (uint32_t)pairs[2 * k + 1];
    for (k = g->n; k > 0; k--)
        g->begin[k] = g->begin[k - 1];
    g->begin[0] = 0;
    g->n_arcs = n_arcs;
}

static int arcs_graph(input_file *r, input_graph *g, uint64_t *pairs, uint64_t *names)
{
    uint64_t n_arcs = 0, n;
    if (arcs_read(r, pairs, &n_arcs))
        return -1;
    memcpy(names, pairs, (size_t)(2 * n_arcs) * sizeof *names);
    qsort(names, (size_t)(2 * n_arcs), sizeof *names, by_number);
    n = unique(names, 2 * n_arcs);
    if (graph_room(r, g, n, n_arcs))
        return -1;
    arcs_to_rows(g, pairs, n_arcs, names);
    return 0;
}

int input_arcs(const char *path, input_graph *g, char *error)
{
    input_file r;
    uint64_t *pairs, *names, room;
    int rc;
    memset(g, 0, sizeof *g);
    if (input_read(&r, path, error))
        return -1;
    room = 2 * (r.n / 4 + 1); /* an arc takes four bytes, except the last */
    pairs = malloc((size_t)room * sizeof *pairs);
    names = malloc((size_t)room * sizeof *names);
    if (!pairs || !names)
        rc = input_refuse(&r, "out of memory for its arcs");
    else
        rc = arcs_graph(&r, g, pairs, names);
    free(pairs);
    free(names);
    return graph_end(&r, g, rc);
}

/* Word k of the file. */
static uint32_t csr_word(const input_file *r, uint64_t k)
{
    const unsigned char *p = (const unsigned char *)r->bytes + 4 * k;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int csr_graph(input_file *r, input_graph *g, uint64_t n, uint64_t m)
{
    uint64_t k;
    if (graph_room(r, g, n, m))
        return -1;
    for (k = 0; k <= n; k++) {
        g->begin[k] = csr_word(r, 2 + k);
        if (g->begin[k] > m || g->begin[k] < (k ? g->begin[k - 1] : 0) || (k == 0 && g->begin[k]) ||
            (k == n && g->begin[k] != m))
            return input_refuse(
                r, "row %" PRIu64 " begins at %" PRIu32 ": rows must follow one another from 0 to %" PRIu64, k,
                g->begin[k], m);
    }
    for (k = 0; k < m; k++) {
        g->column[k] = csr_word(r, 3 + n + k);
        if (g->column[k] >= n)
            return input_refuse(r, "arc %" PRIu64 " leads to %" PRIu32 ", vertices are 0 ... %" PRIu64, k, g->column[k],
                                n - 1);
    }
    g->n_arcs = m;
    return 0;
}

int input_csr(const char *path, input_graph *g, char *error)
{
    input_file r;
    uint64_t n, m;
    memset(g, 0, sizeof *g);
    if (input_read(&r, path, error))
        return -1;
    if (r.n < 8)
        return input_refuse(&r, "has %" PRIu64 " bytes, the two sizes alone take 8", r.n);
    n = csr_word(&r, 0);
    m = csr_word(&r, 1);
    if (n == 0 || r.n != 4 * (3 + n + m))
        return input_refuse(&r,
                            "%" PRIu64 " vertices and %" PRIu64 " arcs take %" PRIu64 " bytes, %" PRIu64 " are there",
                            n, m, 4 * (3 + n + m), r.n);
    return graph_end(&r, g, csr_graph(&r, g, n, m));
}

static int path_ends(const char *path, const char *end)
{
    size_t n = strlen(path), k = strlen(end);
    return n >= k && !strcmp(path + n - k, end);
}

int input_graph_any(const char *path, input_graph *g, char *error)
{
    if (path_ends(path, ".graph") || path_ends(path, ".metis"))
        return input_metis(path, g, error);
    return path_ends(path, ".csr") ? input_csr(path, g, error) : input_arcs(path, g, error);
}
