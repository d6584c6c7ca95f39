/* SPDX-License-Identifier: MIT */
/* shows: breadth-first search by levels: tasks of chunks, next level by atomic capture
 * manner: graph benchmark */
#include <stdio.h>
#include <string.h>

#define V 200
#define DEGREE 3
#define CHUNK 16

static int edge[V][DEGREE], level[V], frontier[V], next[V], next_n;

static void expand(int from, int to, int depth)
{
    for (int f = from; f < to; f++)
        for (int e = 0; e < DEGREE; e++) {
            int w = edge[frontier[f]][e], fresh = 0, at;
#pragma omp critical
            if (level[w] < 0) {
                level[w] = depth;
                fresh = 1;
            }
            if (fresh) {
#pragma omp atomic capture
                at = next_n++;
                next[at] = w;
            }
        }
}

int main(void)
{
    int n = 1, depth = 0;
    long sum = 0;
    for (int v = 0; v < V; v++) {
        level[v] = -1;
        for (int e = 0; e < DEGREE; e++)
            edge[v][e] = (v * (e + 2) + 5 * e + 1) % V;
    }
    level[0] = 0;
    frontier[0] = 0;
#pragma omp parallel
#pragma omp single
    while (n > 0) {
        depth++;
        next_n = 0;
        for (int c = 0; c < n; c += CHUNK) {
            int end = c + CHUNK < n ? c + CHUNK : n;
#pragma omp task firstprivate(c, end, depth)
            expand(c, end, depth);
        }
#pragma omp taskwait
        n = next_n;
        memcpy(frontier, next, n * sizeof(int));
    }
    for (int v = 0; v < V; v++)
        sum += level[v];
    printf("depth %d, sum of levels %ld\n", depth - 1, sum);
    return 0;
}
