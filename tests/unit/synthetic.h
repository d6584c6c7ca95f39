/* SPDX-License-Identifier: MIT */
/* synthetic.h - graphs and outcomes of runs made up by a test, without a runtime: known edges, known times. And what
 * tests of written files need: a folder of their own, a file's text. */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include "check.h"
#include "graph/graph.h"
#include "run/report.h"

#include <string.h>
#include <unistd.h>

#define SYNTHETIC_BODIES 5u
static const heddle_body_info synthetic_bodies[SYNTHETIC_BODIES] = {{"alpha", NULL, 8, 0},
                                                                    {"beta", NULL, 0, 0},
                                                                    {"a \"quoted\\\" <&> \xc3\xa9\n", NULL, 100, 0},
                                                                    {"never", NULL, 0, 0},
                                                                    {"delta", NULL, 64, 0}};
static const heddle_table synthetic_table = {
    sizeof(heddle_table), HEDDLE_CORE_VERSION, "made & up", 0, SYNTHETIC_BODIES, synthetic_bodies, NULL};

/* A graph of n tasks: has[from * n + to] says where edges are. rank[] gives an order that is not program order. */
typedef struct synthetic {
    hd_graph g;
    uint32_t n;
    uint8_t *has;
    hd_outcome o;
    hd_tally *tallies;
    hd_event *events;
} synthetic;

static inline void synthetic_add(hd_graph *g, uint32_t body, int32_t priority, uint32_t cost_ns, uint64_t *seed)
{
    uint8_t args[128];
    heddle_task_desc d = HEDDLE_TASK_INIT;
    uint32_t i;
    for (i = 0; i < sizeof args; i++)
        args[i] = (uint8_t)check_random(seed);
    d.body = body;
    d.args = args;
    d.arg_bytes = synthetic_bodies[body].arg_bytes;
    d.priority = priority;
    d.cost_ns = cost_ns;
    CHECK_MSG(hd_graph_add(g, &d, NULL, NULL) == HEDDLE_OK, "%s", hd_thread_error()->text);
}

/* Edges only between tasks of growing rank, a random permutation: so there is no cycle, and edges run both ways. */
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

static inline uint64_t synthetic_ready_at(const synthetic *s, uint32_t t, const uint64_t *end)
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

/* Runs task t on worker w from `ready` on, or later; the trace keeps it if there is room. */
static inline uint64_t synthetic_run_task(synthetic *s, uint32_t t, uint32_t w, uint64_t ready, uint64_t *seed)
{
    hd_tally *tally = &s->tallies[w];
    hd_event *ev = &s->events[(uint64_t)w * s->o.n_trace + tally->n_events];
    uint64_t *left = &((uint64_t *)s->has)[0], end;
    (void)left;
    hd_event now;
    now.queue = (uint32_t)check_below(seed, 50);
    now.idle = (uint32_t)(ready - s->o.begin_ns) % 70000;
    now.begin = ready + now.queue;
    now.end = end = now.begin + 200 + check_below(seed, 20000);
    now.dep = (uint32_t)check_below(seed, 90);
    now.task = t;
    tally->n_tasks++;
    if (tally->n_events < s->o.n_trace) {
        *ev = now;
        tally->n_events++;
    } else {
        tally->n_dropped++;
    }
    return end + now.dep;
}

#endif
