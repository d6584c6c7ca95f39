/* SPDX-License-Identifier: MIT */
/* wave_rig.c - implements wave_rig.h. */
#include "wave_rig.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS 5

heddle_ctx *ctx;
heddle_schedule schedule;

void must(heddle_status s, const char *what)
{
    if (s == HEDDLE_OK)
        return;
    printf("# %s: %s\n", what, heddle_error_text(ctx));
    exit(1);
}

void *to_device(const void *from, size_t n_bytes)
{
    void *p;
    must(heddle_mem_new(ctx, n_bytes, &p), "making memory");
    if (from)
        must(heddle_mem_write(ctx, p, from, n_bytes), "copying");
    return p;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Nanoseconds a column without waiting, times 1024. */
static uint64_t work_of(const heddle_wave_stretch *s)
{
    return (s->end_ns - s->begin_ns - s->waited_ns) * 1024u / (s->last_column - s->first_column + 1u);
}

/* Keeps those between the first and the last of each band. Returns how many. */
static size_t keep_steady(heddle_wave_stretch *s, size_t n, uint64_t cols)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (s[i].first_column && s[i].last_column + 1u < cols)
            s[kept++] = s[i];
    return kept;
}

/* Of n stretches, at least one. */
static steady share_of(const heddle_wave_stretch *s, size_t n)
{
    uint64_t *work = malloc(n * sizeof *work);
    double all = 0, waited = 0, columns = 0, quick;
    if (!work)
        exit(1);
    for (size_t i = 0; i < n; i++) {
        work[i] = work_of(&s[i]);
        all += (double)(s[i].end_ns - s[i].begin_ns);
        waited += (double)s[i].waited_ns;
        columns += (double)(s[i].last_column - s[i].first_column + 1u);
    }
    qsort(work, n, sizeof *work, by_value);
    quick = (double)work[n / 10u] / 1024.0 * columns;
    free(work);
    return (steady){all > 0 ? waited / all : 0, all > quick ? (all - quick) / all : 0};
}

steady steady_of(heddle_graph *g, uint64_t cols)
{
    heddle_wave_stretch *s;
    steady part = {0, 0};
    size_t n;
    must(heddle_wave_get_stretches(g, NULL, 0, &n), "reading stretches");
    s = malloc((n + 1u) * sizeof *s);
    if (!s)
        exit(1);
    must(heddle_wave_get_stretches(g, s, n, &n), "reading stretches");
    n = keep_steady(s, n, cols);
    if (n)
        part = share_of(s, n);
    free(s);
    return part;
}

/* Runs once more; returns the time, 0 if it failed. */
static uint64_t run_once(heddle_graph *g, const void *params, size_t n_bytes, heddle_stats *stats)
{
    if (heddle_graph_run(ctx, g, params, n_bytes) != HEDDLE_OK)
        return 0;
    must(heddle_graph_get_stats(g, stats), "statistics");
    return stats->run_ns ? stats->run_ns : 1;
}

uint64_t measure(const heddle_table *table, const heddle_wave_desc *d, const void *params, size_t n_bytes,
                 const char **how)
{
    static char chosen[1024];
    uint64_t ns[RUNS], last;
    heddle_graph *g;
    heddle_stats stats = HEDDLE_STATS_INIT;
    if (heddle_wave_new(ctx, table, d, &g) != HEDDLE_OK) {
        *how = heddle_error_text(ctx);
        return 0;
    }
    do
        last = run_once(g, params, n_bytes, &stats);
    while (last && stats.is_trying);
    for (int i = 0; last && i < RUNS; i++)
        ns[i] = last = run_once(g, params, n_bytes, &stats);
    snprintf(chosen, sizeof chosen, "%s", last && schedule == HEDDLE_SCHEDULE_AUTO ? heddle_graph_describe_run(g) : "");
    heddle_graph_free(g);
    *how = last ? chosen : heddle_error_text(ctx);
    if (!last)
        return 0;
    qsort(ns, RUNS, sizeof ns[0], by_value);
    return ns[RUNS / 2];
}
