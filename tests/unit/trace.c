/* SPDX-License-Identifier: MIT */
/* Traces, parsed back: each event is a slice with its times. Each edge between traced tasks is a flow from inside the
 * one slice to the begin of the other. Also edges through joins, graphs with too many edges, dropped events, bodies of
 * no time, refusals and missing memory. */
#include "read_json.h"
#include "synthetic.h"

static char *folder, path[64];

static json_t *trace_of(const synthetic *s)
{
    json_t *root;
    CHECK_MSG(hd_write_trace(&s->o, path, NULL) == HEDDLE_OK, "%s", hd_thread_error()->text);
    root = json_of_file(path);
    unlink(path);
    return root;
}

/* The event of a task, or NULL. */
static const hd_event *event_of(const synthetic *s, uint32_t task, uint32_t *worker)
{
    uint32_t i;
    for (*worker = 0; *worker < s->o.n_workers; ++*worker)
        for (i = 0; i < s->tallies[*worker].n_events; i++)
            if (s->events[*worker * s->o.n_trace + i].task == task)
                return &s->events[*worker * s->o.n_trace + i];
    return NULL;
}

static void check_slice(const synthetic *s, const json_t *x)
{
    const json_t *args = get(x, "args");
    uint32_t worker, task = (uint32_t)integer(args, "task");
    const hd_event *ev = event_of(s, task, &worker);
    const uint32_t body = hd_graph_task(&s->g, task)->body;
    CHECK(ev && integer(x, "tid") == worker && integer(x, "pid") == 0);
    CHECK(ns(x, "ts") == ev->begin - s->o.begin_ns);
    CHECK(ns(x, "dur") == (ev->end > ev->begin ? ev->end - ev->begin : 1));
    CHECK(ns(args, "idle_us") == ev->idle && ns(args, "queue_us") == ev->queue && ns(args, "dep_us") == ev->dep);
    CHECK(!strcmp(text(x, "name"), synthetic_bodies[body].name) && !strcmp(text(x, "cat"), "task"));
}

/* The task of the worker's slice that contains the time. */
static uint32_t task_at(const synthetic *s, uint64_t worker, uint64_t at)
{
    uint32_t i;
    CHECK(worker < s->o.n_workers);
    for (i = 0; i < s->tallies[worker].n_events; i++) {
        const hd_event *ev = &s->events[worker * s->o.n_trace + i];
        uint64_t begin = ev->begin - s->o.begin_ns, end = ev->end - s->o.begin_ns;
        if (at >= begin && (at < end || at == begin))
            return ev->task;
    }
    CHECK_MSG(0, "nothing runs on worker %llu at %llu", (unsigned long long)worker, (unsigned long long)at);
    return 0;
}

/* Counts flows into found[from * n + to]. Each start is followed by its finish. Returns the number of flows. */
static uint64_t flows(const synthetic *s, const json_t *root, uint8_t *found)
{
    const json_t *events = get(root, "traceEvents");
    uint64_t i, n = 0;
    for (i = 0; i < json_array_size(events); i++) {
        const json_t *a = json_array_get(events, i), *b = json_array_get(events, i + 1);
        uint32_t from, to;
        if (strcmp(text(a, "ph"), "s"))
            continue;
        CHECK(!strcmp(text(b, "ph"), "f") && !strcmp(text(b, "bp"), "e") && integer(a, "id") == integer(b, "id"));
        CHECK(!strcmp(text(a, "cat"), text(b, "cat")) && !strcmp(text(a, "name"), text(b, "name")));
        CHECK(integer(a, "id") == ++n && ns(a, "ts") <= ns(b, "ts"));
        from = task_at(s, integer(a, "tid"), ns(a, "ts"));
        to = task_at(s, integer(b, "tid"), ns(b, "ts"));
        found[from * s->n + to]++;
    }
    return n;
}

static void check_totals(const synthetic *s, const json_t *root)
{
    const json_t *h = get(root, "heddle");
    heddle_stats stats = HEDDLE_STATS_INIT;
    CHECK(hd_report_stats(&s->o, &stats, NULL) == HEDDLE_OK);
    CHECK(!strcmp(text(h, "backend"), "cpu") && !strcmp(text(h, "schedule"), "rings") &&
          !strcmp(text(h, "version"), "0.1.0"));
    CHECK(integer(h, "workers") == stats.n_workers && integer(h, "tasks") == stats.n_tasks);
    CHECK(integer(h, "events") == stats.n_events && integer(h, "dropped") == stats.n_dropped);
    CHECK(ns(h, "run_us") == stats.run_ns && ns(h, "path_us") == stats.path_ns);
    CHECK(!strcmp(text(root, "displayTimeUnit"), "ns"));
}

static void random_run(uint64_t *seed)
{
    synthetic s;
    json_t *root;
    uint8_t *found;
    uint64_t i, n_slices = 0, n_names = 0, n_events = 0;
    uint32_t n = 1 + (uint32_t)check_below(seed, 60), a, b, w;
    synthetic_graph(&s, n, (uint32_t)check_below(seed, 4 * n), seed);
    synthetic_run(&s, 1 + (uint32_t)check_below(seed, 4), check_below(seed, 3) ? n : 1 + n / 8, seed);
    root = trace_of(&s);
    check_totals(&s, root);
    for (i = 0; i < json_array_size(get(root, "traceEvents")); i++) {
        const json_t *x = json_array_get(get(root, "traceEvents"), i);
        if (!strcmp(text(x, "ph"), "X")) {
            check_slice(&s, x);
            n_slices++;
        }
        n_names += !strcmp(text(x, "ph"), "M") && !strcmp(text(x, "name"), "thread_name");
    }
    for (w = 0; w < s.o.n_workers; w++)
        n_events += s.tallies[w].n_events;
    CHECK(n_slices == n_events && n_names == s.o.n_workers);
    found = calloc(n, n);
    flows(&s, root, found);
    for (a = 0; a < n; a++)
        for (b = 0; b < n; b++)
            CHECK(found[a * n + b] == (s.has[a * n + b] && event_of(&s, a, &w) && event_of(&s, b, &w)));
    free(found);
    json_decref(root);
    synthetic_free(&s);
}

/* 300 readers, then 300 writers of parts of what was read, through joins. */
static void through_joins(void)
{
    synthetic s;
    heddle_task_desc d = HEDDLE_TASK_INIT;
    heddle_range r;
    json_t *root;
    uint8_t *found;
    uint32_t i, from, to, n_in = 0;
    memset(&s, 0, sizeof s);
    CHECK(hd_graph_init(&s.g, &synthetic_table, NULL) == HEDDLE_OK);
    d.body = 1;
    d.ranges = &r;
    d.n_ranges = 1;
    for (i = 0; i < 600; i++) {
        r = i < 300 ? HEDDLE_IN((void *)4096, 300) : HEDDLE_OUT((void *)(uintptr_t)(4096 + i - 300), 1);
        CHECK(hd_graph_add(&s.g, &d, NULL, NULL) == HEDDLE_OK);
    }
    CHECK(hd_graph_freeze(&s.g, NULL) == HEDDLE_OK);
    synthetic_run_in_order(&s);
    CHECK_MSG(s.g.n_joins > 0, "the test needs a graph with joins");
    root = trace_of(&s);
    found = calloc(s.n, s.n);
    CHECK(flows(&s, root, found) > 0);
    for (to = 0; to < s.n; to++)
        for (from = 0; from < s.n; from++)
            if (found[from * s.n + to]) {
                CHECK(from < to && found[from * s.n + to] == 1);
                n_in++;
            }
    CHECK(n_in >= 300); /* each writer's last reader */
    free(found);
    json_decref(root);
    synthetic_free(&s);
}

/* Each of 520 tasks precedes each of 520 others: only the last predecessor is drawn. */
static void many_edges(uint64_t *seed)
{
    synthetic s;
    json_t *root;
    uint8_t *found;
    uint32_t half = 520, a, b;
    memset(&s, 0, sizeof s);
    CHECK(hd_graph_init(&s.g, &synthetic_table, NULL) == HEDDLE_OK);
    for (a = 0; a < 2 * half; a++)
        synthetic_add(&s.g, 1, 0, 0, seed);
    for (a = 0; a < half; a++)
        for (b = half; b < 2 * half; b++)
            CHECK(hd_graph_after(&s.g, b, a, NULL) == HEDDLE_OK);
    CHECK(hd_graph_freeze(&s.g, NULL) == HEDDLE_OK);
    synthetic_run_in_order(&s);
    root = trace_of(&s);
    found = calloc(s.n, s.n);
    CHECK(flows(&s, root, found) == half);
    for (b = half; b < 2 * half; b++)
        CHECK(found[(half - 1) * s.n + b] == 1);
    CHECK(!strcmp(text(get(root, "heddle"), "flows"), "last predecessors"));
    free(found);
    json_decref(root);
    synthetic_free(&s);
}

/* A timer with coarse steps: bodies begin and end at the same time, the first one before the run begins. */
static void no_time(uint64_t *seed)
{
    synthetic s;
    json_t *root;
    uint64_t i, n = 0;
    uint8_t found[9] = {0};
    memset(&s, 0, sizeof s);
    s.n = 3;
    CHECK(hd_graph_init(&s.g, &synthetic_table, NULL) == HEDDLE_OK);
    for (i = 0; i < 3; i++)
        synthetic_add(&s.g, 0, 0, 0, seed);
    CHECK(!hd_graph_after(&s.g, 1, 0, NULL) && !hd_graph_after(&s.g, 2, 1, NULL));
    CHECK(hd_graph_freeze(&s.g, NULL) == HEDDLE_OK);
    synthetic_room(&s, 1, 3);
    for (i = 0; i < 3; i++)
        s.events[i] = (hd_event){s.o.begin_ns + 32 * i, s.o.begin_ns + 32 * i, (uint32_t)i, 0, 0, 0};
    s.tallies[0].n_events = s.tallies[0].n_tasks = 3;
    s.o.end_ns = s.o.begin_ns + 64;
    root = trace_of(&s);
    for (i = 0; i < json_array_size(get(root, "traceEvents")); i++)
        if (!strcmp(text(json_array_get(get(root, "traceEvents"), i), "ph"), "X")) {
            check_slice(&s, json_array_get(get(root, "traceEvents"), i));
            n++;
        }
    CHECK(n == 3 && flows(&s, root, found) == 2 && found[1] == 1 && found[3 + 2] == 1);
    json_decref(root);
    s.events[0].begin -= 40;
    s.events[0].end -= 40;
    root = trace_of(&s);
    json_decref(root);
    synthetic_free(&s);
}

int main(void)
{
    uint64_t seed = check_seed(13), i;
    folder = synthetic_mkdir();
    snprintf(path, sizeof path, "%s/trace.json", folder);
    for (i = 0; i < 100; i++)
        random_run(&seed);
    through_joins();
    many_edges(&seed);
    no_time(&seed);
    synthetic_refusals(hd_write_trace, path, &seed);
    CHECK(hd_held_bytes() == 0);
    synthetic_rmdir(folder);
    return 0;
}
