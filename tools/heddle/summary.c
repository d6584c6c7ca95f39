/* SPDX-License-Identifier: MIT */
/* summary.c - makes a summary from the library's statistics, and prints its two forms. */
#include "summary.h"

#include "answer.h" /* json_string, json_f64 */
#include "cli.h"
#include "heddle/task.h" /* number of bodies */

#include <inttypes.h>
#include <stdlib.h>

/* ---- from the library ---- */

static heddle_status fill_workers(summary *s, heddle_graph *g, uint32_t n)
{
    heddle_status status = HEDDLE_OK;
    s->workers = calloc(n + 1u, sizeof *s->workers);
    if (!s->workers)
        return HEDDLE_ENOMEM;
    s->n_workers = n;
    for (uint32_t w = 0; w < n && !status; w++)
        status = heddle_graph_get_worker_stats(g, w, &s->workers[w]);
    return status;
}

static heddle_status fill_bodies(summary *s, heddle_graph *g, uint32_t n)
{
    heddle_status status = HEDDLE_OK;
    s->bodies = calloc(n + 1u, sizeof *s->bodies);
    if (!s->bodies)
        return HEDDLE_ENOMEM;
    for (uint32_t b = 0; b < n && !status; b++) {
        status = heddle_graph_get_body_stats(g, b, &s->bodies[s->n_bodies]);
        s->n_bodies += s->bodies[s->n_bodies].n_tasks > 0;
    }
    return status;
}

int summary_of_run(summary *s, const heddle_ctx *ctx, heddle_graph *g)
{
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_status status = heddle_graph_get_stats(g, &stats);
    *s = (summary){.n_tasks = stats.n_tasks,
                   .run_ns = stats.run_ns,
                   .path_ns = stats.path_ns,
                   .n_events = stats.n_events,
                   .n_dropped = stats.n_dropped};
    if (!status)
        status = fill_workers(s, g, stats.n_workers);
    if (!status)
        status = fill_bodies(s, g, heddle_graph_get_table(g)->n_bodies);
    if (!status)
        return CLI_OK;
    return s->workers && s->bodies ? cli_heddle_bad(ctx, status) : cli_bad("out of memory");
}

void summary_free(summary *s)
{
    free(s->workers);
    free(s->bodies);
    free(s->names);
    *s = (summary){.n_workers = 0};
}

/* ---- derived figures ---- */

typedef struct load {
    uint64_t body_ns, min, max;
    double utilisation, mean;
} load;

static load load_of(const summary *s)
{
    load l = {.min = UINT64_MAX};
    for (uint32_t w = 0; w < s->n_workers; w++) {
        uint64_t n = s->workers[w].n_tasks;
        l.body_ns += s->workers[w].body_ns;
        l.min = n < l.min ? n : l.min;
        l.max = n > l.max ? n : l.max;
    }
    l.mean = s->n_workers ? (double)s->n_tasks / s->n_workers : 0;
    if (s->n_workers && s->run_ns)
        l.utilisation = (double)l.body_ns / ((double)s->run_ns * s->n_workers);
    if (l.min == UINT64_MAX)
        l.min = 0;
    return l;
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

/* ---- report ---- */

static void print_bodies(const summary *s, FILE *out)
{
    int width = 6;
    for (uint32_t b = 0; b < s->n_bodies; b++) {
        int n = snprintf(NULL, 0, "%s", s->bodies[b].name);
        width = n > width ? n : width;
    }
    fprintf(out, "\n%-*s %9s %10s %10s %10s %10s\n", width, "body", "tasks", "min", "median", "max", "total");
    for (uint32_t b = 0; b < s->n_bodies; b++) {
        const heddle_body_stats *t = &s->bodies[b];
        cli_text min, median, max, total;
        fprintf(out, "%-*s %9" PRIu64 " %10s %10s %10s %10s\n", width, t->name, t->n_tasks,
                cli_duration(&min, t->min_ns), cli_duration(&median, t->median_ns), cli_duration(&max, t->max_ns),
                cli_duration(&total, t->total_ns));
    }
}

static void print_workers(const summary *s, FILE *out)
{
    fprintf(out, "\n%-6s %9s %10s %10s %10s %10s\n", "worker", "tasks", "busy", "idle", "queue", "dependence");
    for (uint32_t w = 0; w < s->n_workers; w++) {
        const heddle_worker_stats *t = &s->workers[w];
        cli_text busy, idle, queue, dep;
        fprintf(out, "%-6" PRIu32 " %9" PRIu64 " %10s %10s %10s %10s\n", w, t->n_tasks, cli_duration(&busy, t->body_ns),
                cli_duration(&idle, t->idle_ns), cli_duration(&queue, t->queue_ns), cli_duration(&dep, t->dep_ns));
    }
}

void summary_print(const summary *s, FILE *out)
{
    load l = load_of(s);
    cli_text path;
    print_bodies(s, out);
    print_workers(s, out);
    fprintf(out, "\nutilisation    %.1f %% of the workers' time in bodies\n", 100 * l.utilisation);
    fprintf(out,
            "load           %" PRIu64 " to %" PRIu64 " tasks a worker, deviation %" PRIu64 " (%.1f %% of the mean)\n",
            l.min, l.max, l.max - l.min, l.mean > 0 ? 100 * (double)(l.max - l.min) / l.mean : 0.0);
    if (s->path_ns)
        fprintf(out, "critical path  %s by measured times, parallelism %.1f (all bodies / path)\n",
                cli_duration(&path, s->path_ns), ratio(l.body_ns, s->path_ns));
    else
        fprintf(out, "critical path  not known\n");
    fprintf(out, "trace          %" PRIu64 " events kept, %" PRIu64 " dropped%s\n", s->n_events, s->n_dropped,
            s->n_dropped ? ": times cover the kept ones only; HEDDLE_TRACE makes room for more" : "");
}

/* ---- JSON ---- */

static void field_ms(FILE *out, const char *key, uint64_t ns)
{
    fprintf(out, ", \"%s\": ", key);
    json_f64(out, (double)ns / 1e6);
}

static void field_f64(FILE *out, const char *key, double v)
{
    fprintf(out, ", \"%s\": ", key);
    json_f64(out, v);
}

static void json_bodies(const summary *s, FILE *out)
{
    for (uint32_t b = 0; b < s->n_bodies; b++) {
        const heddle_body_stats *t = &s->bodies[b];
        fprintf(out, "%s{\"body\": ", b ? ", " : "");
        json_string(out, t->name);
        fprintf(out, ", \"tasks\": %" PRIu64, t->n_tasks);
        field_ms(out, "min_ms", t->min_ns);
        field_ms(out, "median_ms", t->median_ns);
        field_ms(out, "max_ms", t->max_ns);
        field_ms(out, "total_ms", t->total_ns);
        fputc('}', out);
    }
}

static void json_workers(const summary *s, FILE *out)
{
    for (uint32_t w = 0; w < s->n_workers; w++) {
        const heddle_worker_stats *t = &s->workers[w];
        fprintf(out, "%s{\"tasks\": %" PRIu64, w ? ", " : "", t->n_tasks);
        field_ms(out, "busy_ms", t->body_ns);
        field_ms(out, "idle_ms", t->idle_ns);
        field_ms(out, "queue_ms", t->queue_ns);
        field_ms(out, "dependence_ms", t->dep_ns);
        fputc('}', out);
    }
}

void summary_json(const summary *s, FILE *out)
{
    load l = load_of(s);
    fprintf(out, "{\"events\": %" PRIu64 ", \"dropped\": %" PRIu64, s->n_events, s->n_dropped);
    fprintf(out, ", \"min_task_load\": %" PRIu64 ", \"max_task_load\": %" PRIu64, l.min, l.max);
    field_f64(out, "utilisation", l.utilisation);
    field_ms(out, "path_ms", s->path_ns);
    field_f64(out, "parallelism", ratio(l.body_ns, s->path_ns));
    fputs(", \"bodies\": [", out);
    json_bodies(s, out);
    fputs("], \"workers\": [", out);
    json_workers(s, out);
    fputs("]}", out);
}
