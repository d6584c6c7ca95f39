/* SPDX-License-Identifier: MIT */
/* shows: connected components: each component is walked by tasks that mark nodes, `if` as cut-off by depth
 * manner: BOTS, concom with if
 * args: 500 2 6
 * timed: 1500000 2 12 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int n, *w;
} node;

static node *nodes;
static int *visited, *components, cutoff, linked;

static void cc_par(int i, int cc, int depth)
{
    for (int j = 0; j < nodes[i].n; j++) {
        int n = nodes[i].w[j], was;
#pragma omp atomic capture
        was = visited[n]++;
        if (was == 0) {
#pragma omp task untied firstprivate(n, cc, depth) if (depth < cutoff)
            cc_par(n, cc, depth + 1);
        }
    }
#pragma omp taskwait
#pragma omp atomic
    linked++;
    components[i] = cc;
}

static int find_components(int n)
{
    int cc = 0;
    for (int i = 0; i < n; i++) {
        int was;
#pragma omp atomic capture
        was = visited[i]++;
        if (was == 0) {
#pragma omp task untied firstprivate(i, cc)
            cc_par(i, cc, 0);
            cc++;
        }
#pragma omp taskwait
    }
    return cc;
}

/* Node i is joined to i / 2 in its own run of 1,000 nodes, and to some other there. */
static void build(int n, int extra)
{
    nodes = calloc(n, sizeof(node));
    int *ends = malloc((size_t)n * 2 * (extra + 1) * sizeof(int)), edges = 0;
    unsigned s = 7;
    for (int i = 0; i < n; i++)
        for (int e = 0; e < extra; e++) {
            int run = i - i % 1000, at = i % 1000;
            s = s * 1664525u + 1013904223u;
            int to = e == 0 ? run + at / 2 : run + (int)((s >> 8) % (unsigned)(at + 1));
            ends[2 * edges] = i;
            ends[2 * edges++ + 1] = to;
            nodes[i].n++;
            nodes[to].n++;
        }
    for (int i = 0; i < n; i++) {
        nodes[i].w = malloc((nodes[i].n + 1) * sizeof(int));
        nodes[i].n = 0;
    }
    for (int e = 0; e < edges; e++) {
        int a = ends[2 * e], b = ends[2 * e + 1];
        nodes[a].w[nodes[a].n++] = b;
        nodes[b].w[nodes[b].n++] = a;
    }
    free(ends);
}

static int check(int n)
{
    for (int i = 0; i < n; i++)
        if (components[i] != i / 1000)
            return 0;
    return linked == n;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500, found = 0;
    int extra = argc > 2 ? atoi(argv[2]) : 2;
    cutoff = argc > 3 ? atoi(argv[3]) : 6;
    visited = calloc(n, sizeof(int));
    components = calloc(n, sizeof(int));
    build(n, extra);
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
#pragma omp task untied shared(found)
    found = find_components(n);
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    printf("%d nodes, %d components, %s\n", n, found, check(n) ? "successful" : "UNSUCCESSFUL");
    return 0;
}
