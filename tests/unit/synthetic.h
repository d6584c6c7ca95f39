/* SPDX-License-Identifier: MIT */
/* synthetic.h - graphs and outcomes of runs made by a test without a runtime, with known edges and times. Also helpers
 * for tests that write files: a temporary folder, a file's text. */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include "check.h"
#include "graph/graph.h"
#include "run/report.h"

#include <string.h>
#include <unistd.h>

#define SYNTHETIC_BODIES 5u
static const heddle_body_info synthetic_bodies[SYNTHETIC_BODIES] = {{"alpha", NULL, 8, 0, 0},
                                                                    {"beta", NULL, 0, 0, 0},
                                                                    {"a \"quoted\\\" <&> \xc3\xa9\n", NULL, 100, 0, 0},
                                                                    {"never", NULL, 0, 0, 0},
                                                                    {"delta", NULL, 64, 0, 0}};
static const heddle_table synthetic_table = {sizeof(heddle_table),
                                             HEDDLE_CORE_VERSION,
                                             "made & up",
                                             0,
                                             SYNTHETIC_BODIES,
                                             synthetic_bodies,
                                             NULL,
                                             1,
                                             NULL,
                                             0,
                                             0,
                                             0};

/* A graph of n tasks, with its edges in has[from * n + to]; and how it was run. */
typedef struct synthetic {
    hd_graph g;
    uint32_t n;
    uint8_t *has;
    hd_outcome o;
    hd_tally *tallies;
    hd_event *events;
} synthetic;

static inline void synthetic_add(hd_graph *g, uint32_t body, uint32_t urgent, uint32_t cost_ns, uint64_t *seed)
{
    uint8_t args[128];
    heddle_task_desc d = HEDDLE_TASK_INIT;
    uint32_t i;
    for (i = 0; i < sizeof args; i++)
        args[i] = (uint8_t)check_random(seed);
    d.body = body;
    d.args = args;
    d.arg_bytes = synthetic_bodies[body].arg_bytes;
    d.urgent = urgent;
    d.cost_ns = cost_ns;
    CHECK_MSG(hd_graph_add(g, &d, NULL, NULL) == HEDDLE_OK, "%s", hd_thread_error()->text);
}

/* Edges lead only to tasks of higher rank in a random permutation: so there is no cycle, and edges run both ways. */
static inline void synthetic_graph(synthetic *s, uint32_t n, uint32_t n_edges, uint64_t *seed)
{
    uint32_t *rank = malloc(n * sizeof *rank), i;
    memset(s, 0, sizeof *s);
    s->n = n;
    s->has = calloc((size_t)n, n);
    CHECK(hd_graph_init(&s->g, &synthetic_table, NULL) == HEDDLE_OK);
    for (i = 0; i < n; i++) {
        uint32_t body = (uint32_t)check_below(seed, 4), j = (uint32_t)check_below(seed, i + 1);
        synthetic_add(&s->g, body == 3 ? 4 : body, check_below(seed, 4) == 0, (uint32_t)check_below(seed, 9999), seed);
        rank[i] = rank[j];
        rank[j] = i;
    }
    for (i = 0; i < n_edges && n > 1; i++) {
        uint32_t a = (uint32_t)check_below(seed, n), b = (uint32_t)check_below(seed, n);
        if (rank[a] >= rank[b])
            continue;
        s->has[a * n + b] = 1;
        CHECK(hd_graph_after(&s->g, b, a, NULL) == HEDDLE_OK);
    }
    free(rank);
    CHECK_MSG(hd_graph_freeze(&s->g, NULL) == HEDDLE_OK, "%s", hd_thread_error()->text);
}

/* The end of t's last predecessor; 0 if one has not run. */
static inline uint64_t synthetic_ready(const synthetic *s, uint32_t t, const uint64_t *end)
{
    uint64_t at = s->o.begin_ns;
    uint32_t i;
    for (i = 0; i < s->n; i++)
        if (s->has[i * s->n + t]) {
            if (!end[i])
                return 0;
            at = end[i] > at ? end[i] : at;
        }
    return at;
}

/* Runs task t on worker w, free at *left; its predecessors have ended at `ready`. Returns the end of t. */
static inline uint64_t synthetic_task(synthetic *s, uint32_t t, uint32_t w, uint64_t ready, uint64_t *left,
                                      uint64_t *seed)
{
    hd_tally *tally = &s->tallies[w];
    hd_event ev;
    ev.task = t;
    ev.idle = ready > *left ? (uint32_t)(ready - *left) : 0;
    ev.queue = (uint32_t)check_below(seed, 50);
    ev.begin = *left + ev.idle + ev.queue;
    ev.end = ev.begin + 200 + check_below(seed, 20000);
    ev.dep = (uint32_t)check_below(seed, 90);
    *left = ev.end + ev.dep;
    tally->n_tasks++;
    if (tally->n_events < s->o.n_trace)
        s->events[(uint64_t)w * s->o.n_trace + tally->n_events++] = ev;
    else
        tally->n_dropped++;
    return ev.end;
}

static inline void synthetic_room(synthetic *s, uint32_t n_workers, uint32_t n_trace)
{
    s->tallies = calloc(n_workers, sizeof *s->tallies);
    s->events = n_trace ? calloc((size_t)n_workers * n_trace, sizeof *s->events) : NULL;
    memset(&s->o, 0, sizeof s->o);
    s->o.n_workers = n_workers;
    s->o.n_trace = n_trace;
    s->o.begin_ns = s->o.end_ns = 1000000007u;
    s->o.tallies = s->tallies;
    s->o.events = s->events;
    s->o.backend = "cpu";
    s->o.schedule = HEDDLE_SCHEDULE_RINGS;
    s->o.how = "";
    hd_graph_legend(&s->o.legend, &s->g);
}

/* A greedy schedule of the graph on n_workers; each keeps n_trace events. */
static inline void synthetic_run(synthetic *s, uint32_t n_workers, uint32_t n_trace, uint64_t *seed)
{
    uint64_t *end = calloc(s->n, sizeof *end), *left = calloc(n_workers, sizeof *left), ready;
    uint32_t n_run = 0, t, w, i;
    synthetic_room(s, n_workers, n_trace);
    for (w = 0; w < n_workers; w++)
        left[w] = s->o.begin_ns + w;
    while (n_run < s->n)
        for (t = 0; t < s->n; t++) {
            if (end[t] || !(ready = synthetic_ready(s, t, end)))
                continue;
            for (w = 0, i = 1; i < n_workers; i++)
                w = left[i] < left[w] ? i : w;
            end[t] = synthetic_task(s, t, w, ready, &left[w], seed);
            n_run++;
        }
    for (w = 0; w < n_workers; w++)
        s->o.end_ns = left[w] > s->o.end_ns ? left[w] : s->o.end_ns;
    s->o.end_ns += 123;
    free(end);
    free(left);
}

/* For a graph without has[]: runs its tasks one after another on one worker, 100 ns each; joins are not run. */
static inline void synthetic_run_in_order(synthetic *s)
{
    uint32_t t;
    s->n = (uint32_t)s->g.n_tasks;
    synthetic_room(s, 1, s->n);
    for (t = 0; t < s->n; t++)
        if (hd_graph_task(&s->g, t)->body != HD_BODY_JOIN) {
            uint64_t begin = s->o.begin_ns + 100u * t;
            s->events[s->tallies[0].n_events++] = (hd_event){begin, begin + 100, t, 0, 0, 0};
        }
    s->tallies[0].n_tasks = s->tallies[0].n_events;
    s->o.end_ns = s->o.begin_ns + 100u * s->n;
}

static inline void synthetic_free(synthetic *s)
{
    hd_graph_clear(&s->g);
    free(s->has);
    free(s->tallies);
    free(s->events);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Makes an empty folder; synthetic_rmdir fails the test if a file was left in it. */
static inline char *synthetic_mkdir(void)
{
    static char path[] = "/tmp/heddle-test-XXXXXX";
    CHECK(mkdtemp(path));
    return path;
}
static inline void synthetic_rmdir(const char *path) { CHECK_MSG(rmdir(path) == 0, "%s is not empty", path); }

/* Reads a whole file and appends a 0; the caller frees the text. */
static inline char *synthetic_text(const char *path, size_t *n_bytes)
{
    FILE *f = fopen(path, "rb");
    char *text;
    long n;
    CHECK_MSG(f, "%s", path);
    CHECK(fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0);
    text = malloc((size_t)n + 1);
    CHECK(text && fread(text, 1, (size_t)n, f) == (size_t)n);
    text[n] = 0;
    fclose(f);
    if (n_bytes)
        *n_bytes = (size_t)n;
    return text;
}

/* Tests a writer of a report (trace, timeline). It must refuse a NULL path, one that cannot be created, and a run
 * without a trace. Each of its allocations fails once, and leaves neither a file nor memory behind. */
typedef heddle_status (*synthetic_writer)(const hd_outcome *o, const char *path, hd_error *e);

static inline void synthetic_refusals(synthetic_writer writer, const char *path, uint64_t *seed)
{
    synthetic s;
    hd_error e;
    uint64_t held, n;
    heddle_status st = HEDDLE_ENOMEM;
    synthetic_graph(&s, 10, 10, seed);
    synthetic_run(&s, 2, 10, seed);
    CHECK(writer(&s.o, NULL, &e) == HEDDLE_EINVAL && strstr(e.text, "NULL"));
    CHECK(writer(&s.o, "/nowhere/at/all", &e) == HEDDLE_EIO && strstr(e.text, "/nowhere/at/all"));
    held = hd_held_bytes();
    for (n = 1; st != HEDDLE_OK; n++) {
        hd_fail_alloc_at(n);
        st = writer(&s.o, path, NULL);
        hd_fail_alloc_at(0);
        CHECK(st == HEDDLE_ENOMEM ? access(path, F_OK) != 0 : st == HEDDLE_OK && n > 5);
        CHECK(hd_held_bytes() == held);
    }
    unlink(path);
    s.o.events = NULL;
    CHECK(writer(&s.o, path, &e) == HEDDLE_EINVAL && strstr(e.text, "not traced"));
    synthetic_free(&s);
}

#endif
