/* SPDX-License-Identifier: MIT */
/* heddle.c - heddle as a subject, through its public interface only. A task's ranges are its cells, three exact ones in
 * the middle of the graph. */
#include "subject.h"

#include "heddle.h"
#include "heddle/task.h"

#include <stdlib.h>
#include <string.h>

typedef struct empty_params {
    void (*body)(uint32_t id);
} empty_params;
typedef struct empty_args {
    uint32_t id;
} empty_args;

#define EMPTY_BODIES(X) X(empty_task, 0)
HEDDLE_ENUM(empty, EMPTY_BODIES)
HEDDLE_BODY(empty_task, empty_params, params, empty_args, t) { params->body(t->id); }
HEDDLE_TABLE(empty, empty_params, EMPTY_BODIES)

static heddle_ctx *ctx;

static int failed(heddle_status s)
{
    if (s != HEDDLE_OK)
        fprintf(stderr, "heddle: %s\n", heddle_error_text(ctx));
    return s != HEDDLE_OK;
}

int subject_open(const shape *s)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    config.backend = HEDDLE_CPU;
    config.n_workers = s->n_workers;
    return failed(heddle_ctx_open(&ctx, &config)) ? -1 : 0;
}

void subject_close(void)
{
    heddle_ctx_close(ctx);
    ctx = NULL;
}

static heddle_status add_task(heddle_graph *g, const shape *s, uint32_t id)
{
    const step *t = s->steps + id;
    const uint32_t *in = s->in + t->first_in;
    empty_args args = {id};
    heddle_range ranges[MAX_IN + 1u];
    uint32_t n = 0;
    for (; n < t->n_in; n++)
        ranges[n] = HEDDLE_IN(s->cells + in[n], sizeof *s->cells);
    ranges[n++] = HEDDLE_INOUT(s->cells + t->inout, sizeof *s->cells);
    return heddle_graph_add(g, empty_task, &args, sizeof args, ranges, n, NULL);
}

static heddle_status make_graph(const shape *s, heddle_graph **g)
{
    heddle_status e = heddle_graph_new(ctx, &empty, g);
    for (uint32_t id = 0; id < s->n_steps && e == HEDDLE_OK; id++)
        e = add_task(*g, s, id);
    return e == HEDDLE_OK ? heddle_graph_freeze(*g) : e;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static heddle_status time_reruns(const shape *s, heddle_graph *g, double *median)
{
    empty_params params = {bench_body};
    double t[MAX_RERUNS];
    heddle_status e = HEDDLE_OK;
    for (uint32_t i = 0; i < s->n_reruns && e == HEDDLE_OK; i++) {
        double begin = bench_now();
        e = heddle_graph_run(ctx, g, &params, sizeof params);
        t[i] = bench_now() - begin;
    }
    qsort(t, s->n_reruns, sizeof *t, by_size);
    *median = t[s->n_reruns / 2];
    return e;
}

/* `total` includes freeing, since the others have released their tasks when they are done. The reruns come between, and
 * are not included. */
int subject_run(const shape *s, times *out)
{
    empty_params params = {bench_body};
    heddle_graph *g = NULL;
    double begin = bench_now(), frozen, done, freeing;
    heddle_status e = make_graph(s, &g);
    frozen = bench_now();
    if (e == HEDDLE_OK)
        e = heddle_graph_run(ctx, g, &params, sizeof params);
    done = bench_now();
    if (e == HEDDLE_OK && s->n_reruns)
        e = time_reruns(s, g, &out->rerun);
    if (failed(e))
        return -1;
    freeing = bench_now();
    heddle_graph_free(g);
    out->total = done - begin + bench_now() - freeing;
    out->add_freeze = frozen - begin;
    out->run = done - frozen;
    return 0;
}

/* The system's figure of memory in bytes: resident now ("VmRSS:"), or at most ("VmHWM:"); 0 = unknown. */
static uint64_t resident_bytes(const char *which)
{
    char line[128];
    uint64_t kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, which, strlen(which)))
            kib = strtoull(line + strlen(which), NULL, 10);
    if (f)
        fclose(f);
    return kib * 1024;
}

/* `resident` is the most that building added to the process's memory, `peak` the figure of heddle. */
int subject_info(const shape *s, FILE *out)
{
    heddle_graph_info i = HEDDLE_GRAPH_INFO_INIT;
    heddle_graph *g = NULL;
    uint64_t before = resident_bytes("VmRSS:"), most;
    if (failed(make_graph(s, &g)))
        return -1;
    most = resident_bytes("VmHWM:"); /* before the query, which computes levels */
    if (failed(heddle_graph_get_info(g, &i)))
        return -1;
    heddle_graph_free(g);
    fprintf(out, "n_tasks=%llu n_joins=%llu n_edges=%llu blob=%llu peak=%llu resident=%llu",
            (unsigned long long)i.n_tasks, (unsigned long long)i.n_joins, (unsigned long long)i.n_edges,
            (unsigned long long)i.blob_bytes, (unsigned long long)i.peak_bytes, (unsigned long long)(most - before));
    return 0;
}
