/* SPDX-License-Identifier: MIT */
/* trace_file.c - a trace written by heddle (Chrome trace events and an object "heddle" beside them), read back into a
 * summary. Refuses files of others, and events that cannot be true: a time that is no number, is negative, or ends
 * after the ages; a worker that is not there. A build without jansson reads none and says so. */
#include "summary.h"

#include "cli.h"

#if HEDDLE_HAVE_JANSSON
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKERS = 1 << 16 };

/* A slice of the trace: one task. */
typedef struct slice {
    const char *body;
    uint64_t ns;
} slice;

typedef struct reader {
    const char *path;
    json_t *root, *head;
    slice *slices;
    size_t n_slices, names_bytes;
} reader;

/* Microseconds as a JSON number into ns; -1 when it is none or cannot be a time. */
static int read_us(const json_t *v, uint64_t *ns)
{
    double us = json_is_number(v) ? json_number_value(v) : -1;
    if (!(us >= 0 && us < 9e12)) /* NaN too */
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

static int read_head(const reader *r, summary *s)
{
    uint64_t n_workers = 0;
    if (read_count(r, "workers", MAX_WORKERS, &n_workers) || read_count(r, "tasks", INT64_MAX, &s->n_tasks) ||
        read_count(r, "dropped", INT64_MAX, &s->n_dropped))
        return CLI_BAD;
    if (read_us(json_object_get(r->head, "run_us"), &s->run_ns) ||
        read_us(json_object_get(r->head, "path_us"), &s->path_ns))
        return cli_bad("%s: \"heddle\": \"run_us\" or \"path_us\" is no time", r->path);
    s->n_workers = (uint32_t)n_workers;
    s->workers = calloc(n_workers + 1, sizeof *s->workers);
    return s->workers ? CLI_OK : cli_bad("out of memory");
}

/* One slice into its worker's sums and the list of slices; 0, or what is wrong with it. */
static const char *read_slice(reader *r, summary *s, const json_t *event)
{
    const json_t *args = json_object_get(event, "args"), *tid = json_object_get(event, "tid");
    const char *name = json_string_value(json_object_get(event, "name"));
    uint64_t ts, ns, queue_ns, dep_ns;
    heddle_worker_stats *w;
    if (!name)
        return "has no name";
    if (!json_is_integer(tid) || json_integer_value(tid) < 0 || json_integer_value(tid) >= s->n_workers)
        return "\"tid\" is no worker of this run";
    if (read_us(json_object_get(event, "ts"), &ts) || read_us(json_object_get(event, "dur"), &ns))
        return "\"ts\" or \"dur\" is no time";
    if (read_us(json_object_get(args, "queue_us"), &queue_ns) || read_us(json_object_get(args, "dep_us"), &dep_ns))
        return "\"queue_us\" or \"dep_us\" is no time";
    w = &s->workers[json_integer_value(tid)];
    w->n_tasks++;
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

/* A worker idles when it does nothing else. */
static void fill_idle(summary *s)
{
    for (uint32_t i = 0; i < s->n_workers; i++) {
        heddle_worker_stats *w = &s->workers[i];
        uint64_t used_ns = w->body_ns + w->queue_ns + w->dep_ns;
        w->idle_ns = used_ns < s->run_ns ? s->run_ns - used_ns : 0;
    }
}

static int by_body_and_time(const void *a, const void *b)
{
    const slice *x = a, *y = b;
    int order = strcmp(x->body, y->body);
    return order ? order : (x->ns > y->ns) - (x->ns < y->ns);
}

/* Slices of one body lie together after sorting, in the order of their times. */
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

/* What the run was, for the first lines of a report. */
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
        fill_idle(s);
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
