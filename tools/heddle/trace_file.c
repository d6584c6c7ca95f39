/* SPDX-License-Identifier: MIT */
/* trace_file.c - reads a trace written by heddle (Chrome trace events and an object "heddle" beside them) back into a
 * summary. Refuses other programs' files and impossible events: a time that is not a number, is negative or too large;
 * an unknown worker. A build without jansson reads none and says so. */
#include "summary.h"

#include "cli.h"

#if HEDDLE_HAVE_JANSSON
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKERS = 1 << 16, MAX_LANES = 32 };

/* A slice of the trace: one task, or a stretch of a band of a wave. */
typedef struct slice {
    const char *body;
    uint64_t ns;
} slice;

typedef struct reader {
    const char *path;
    json_t *root, *head;
    slice *slices;
    size_t n_slices, names_bytes;
    uint64_t n_lanes; /* rows of a worker, which share its time */
} reader;

/* Microseconds as a JSON number into ns; -1 if it is not a valid time. */
static int read_us(const json_t *v, uint64_t *ns)
{
    double us = json_is_number(v) ? json_number_value(v) : -1;
    if (!(us >= 0 && us < 9e12)) /* rejects NaN too */
        return -1;
    *ns = (uint64_t)llround(us * 1000);
    return 0;
}

static int read_count(const reader *r, const char *key, uint64_t max, uint64_t *out)
{
    const json_t *v = json_object_get(r->head, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) > max)
        return cli_bad("%s: \"heddle\": \"%s\" is not a number from 0 to %" PRIu64, r->path, key, max);
    *out = (uint64_t)json_integer_value(v);
    return CLI_OK;
}

static int load_file(reader *r)
{
    json_error_t error;
    FILE *in = fopen(r->path, "r");
    if (!in)
        return cli_bad("%s: cannot be read: %s", r->path, strerror(errno));
    r->root = json_loadf(in, 0, &error);
    fclose(in);
    if (!r->root)
        return cli_bad("%s:%d: %s", r->path, error.line > 0 ? error.line : 1, error.text);
    r->head = json_object_get(r->root, "heddle");
    if (!json_is_object(r->head) || !json_is_array(json_object_get(r->root, "traceEvents")))
        return cli_bad("%s: no trace of heddle: \"traceEvents\" or \"heddle\" is missing", r->path);
    return CLI_OK;
}

static int read_head(reader *r, summary *s)
{
    uint64_t n_workers = 0;
    if (read_count(r, "workers", MAX_WORKERS, &n_workers) || read_count(r, "tasks", INT64_MAX, &s->n_tasks) ||
        read_count(r, "dropped", INT64_MAX, &s->n_dropped))
        return CLI_BAD;
    if (read_us(json_object_get(r->head, "run_us"), &s->run_ns) ||
        read_us(json_object_get(r->head, "path_us"), &s->path_ns))
        return cli_bad("%s: \"heddle\": \"run_us\" or \"path_us\" is no time", r->path);
    r->n_lanes = 1; /* so in files of graphs, and in older ones */
    if (json_object_get(r->head, "lanes") && read_count(r, "lanes", MAX_LANES, &r->n_lanes))
        return CLI_BAD;
    s->n_workers = (uint32_t)n_workers;
    s->workers = calloc(n_workers + 1, sizeof *s->workers);
    return s->workers ? CLI_OK : cli_bad("out of memory");
}

/* Subtracts from *ns what a stretch has waited; returns 0, or what is wrong with it. *is_task: it begins its part. */
static const char *read_stretch(const reader *r, const json_t *event, uint64_t *ns, int *is_task)
{
    const json_t *args = json_object_get(event, "args"), *first = json_object_get(args, "first_column");
    const uint64_t tid = (uint64_t)json_integer_value(json_object_get(event, "tid"));
    uint64_t waited_ns;
    if (read_us(json_object_get(args, "waited_us"), &waited_ns) || waited_ns > *ns)
        return "\"waited_us\" is no time of it";
    *ns -= waited_ns;
    *is_task = tid % r->n_lanes == 0 && json_is_integer(first) && json_integer_value(first) == 0;
    return NULL;
}

/* Adds one slice to its worker's sums and the list of slices; returns 0, or what is wrong with it. */
static const char *read_slice(reader *r, summary *s, const json_t *event)
{
    const json_t *args = json_object_get(event, "args"), *tid = json_object_get(event, "tid");
    const char *body = json_string_value(json_object_get(args, "body"));
    const char *name = body ? body : json_string_value(json_object_get(event, "name"));
    uint64_t ts, ns, queue_ns = 0, dep_ns = 0;
    heddle_worker_stats *w;
    const char *wrong = NULL;
    int is_task = 1;
    if (!name)
        return "has no name";
    if (!json_is_integer(tid) || json_integer_value(tid) < 0 ||
        (uint64_t)json_integer_value(tid) >= s->n_workers * r->n_lanes)
        return "\"tid\" is no worker of this run";
    if (read_us(json_object_get(event, "ts"), &ts) || read_us(json_object_get(event, "dur"), &ns))
        return "\"ts\" or \"dur\" is no time";
    if (json_object_get(args, "waited_us"))
        wrong = read_stretch(r, event, &ns, &is_task);
    else if (read_us(json_object_get(args, "queue_us"), &queue_ns) || read_us(json_object_get(args, "dep_us"), &dep_ns))
        wrong = "\"queue_us\" or \"dep_us\" is no time";
    if (wrong)
        return wrong;
    w = &s->workers[(uint64_t)json_integer_value(tid) / r->n_lanes];
    w->n_tasks += is_task != 0;
    w->body_ns += ns;
    w->queue_ns += queue_ns;
    w->dep_ns += dep_ns;
    r->slices[r->n_slices++] = (slice){name, ns};
    r->names_bytes += strlen(name) + 1;
    return NULL;
}

static int is_task(const json_t *event)
{
    const char *ph = json_string_value(json_object_get(event, "ph"));
    const char *cat = json_string_value(json_object_get(event, "cat"));
    return ph && cat && !strcmp(ph, "X") && !strcmp(cat, "task");
}

static int read_slices(reader *r, summary *s)
{
    const json_t *events = json_object_get(r->root, "traceEvents"), *event;
    size_t n = json_array_size(events), i;
    r->slices = calloc(n + 1, sizeof *r->slices);
    if (!r->slices)
        return cli_bad("out of memory");
    for (i = 0; i < n; i++) {
        const char *wrong = NULL;
        event = json_array_get(events, i);
        if (is_task(event))
            wrong = read_slice(r, s, event);
        if (wrong)
            return cli_bad("%s: event %zu: %s", r->path, i, wrong);
    }
    s->n_events = r->n_slices;
    return CLI_OK;
}

/* A worker's idle time is the rest. */
static void fill_idle(const reader *r, summary *s)
{
    for (uint32_t i = 0; i < s->n_workers; i++) {
        heddle_worker_stats *w = &s->workers[i];
        uint64_t used_ns;
        w->body_ns /= r->n_lanes;
        w->queue_ns /= r->n_lanes;
        w->dep_ns /= r->n_lanes;
        used_ns = w->body_ns + w->queue_ns + w->dep_ns;
        w->idle_ns = used_ns < s->run_ns ? s->run_ns - used_ns : 0;
    }
}

static int by_body_and_time(const void *a, const void *b)
{
    const slice *x = a, *y = b;
    int order = strcmp(x->body, y->body);
    return order ? order : (x->ns > y->ns) - (x->ns < y->ns);
}

/* After sorting, the slices of one body are adjacent, in the order of their times. */
static heddle_body_stats body_of(const slice *first, size_t n, char *name)
{
    heddle_body_stats t = {.name = name,
                           .n_tasks = n,
                           .min_ns = first[0].ns,
                           .median_ns = first[(n - 1) / 2].ns,
                           .max_ns = first[n - 1].ns};
    for (size_t i = 0; i < n; i++)
        t.total_ns += first[i].ns;
    return t;
}

static int fill_bodies(reader *r, summary *s)
{
    size_t at = 0, n;
    char *name;
    s->bodies = calloc(r->n_slices + 1, sizeof *s->bodies);
    s->names = malloc(r->names_bytes + 1);
    if (!s->bodies || !s->names)
        return cli_bad("out of memory");
    qsort(r->slices, r->n_slices, sizeof *r->slices, by_body_and_time);
    for (name = s->names; at < r->n_slices; at += n) {
        for (n = 1; at + n < r->n_slices && !strcmp(r->slices[at].body, r->slices[at + n].body); n++)
            ;
        strcpy(name, r->slices[at].body);
        s->bodies[s->n_bodies++] = body_of(&r->slices[at], n, name);
        name += strlen(name) + 1;
    }
    return CLI_OK;
}

/* Describes the run, for the first lines of a report. */
static void print_head(const reader *r, const summary *s, FILE *out)
{
    const char *backend = json_string_value(json_object_get(r->head, "backend"));
    const char *schedule = json_string_value(json_object_get(r->head, "schedule"));
    cli_text run;
    fprintf(out, "%s\n", r->path);
    fprintf(out, "  backend  %s, %" PRIu32 " worker%s, schedule %s\n", backend ? backend : "?", s->n_workers,
            s->n_workers == 1 ? "" : "s", schedule ? schedule : "?");
    fprintf(out, "  run      %" PRIu64 " tasks in %s\n", s->n_tasks, cli_duration(&run, s->run_ns));
}

int summary_of_trace(summary *s, const char *path, FILE *head)
{
    reader r = {.path = path};
    int status;
    *s = (summary){.n_workers = 0};
    status = load_file(&r) || read_head(&r, s) || read_slices(&r, s) || fill_bodies(&r, s) ? CLI_BAD : CLI_OK;
    if (!status) {
        fill_idle(&r, s);
        print_head(&r, s, head);
    }
    free(r.slices);
    json_decref(r.root);
    return status;
}
#else
int summary_of_trace(summary *s, const char *path, FILE *head)
{
    (void)head;
    *s = (summary){.n_workers = 0};
    return cli_bad("%s: cannot be read: this build of heddle reads no JSON (it was made without jansson)", path);
}
#endif
