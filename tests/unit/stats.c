/* SPDX-License-Identifier: MIT */
/* Statistics of a run: a diamond with numbers worked out by hand. Random runs against plain sums, and a longest path
 * found by relaxing all edges until nothing changes. Runs without a trace, with dropped events, without memory. */
#include "synthetic.h"

/* Tasks 0 -> {1, 2} -> 3 on two workers. */
static void diamond(void)
{
    static const hd_event events[2][3] = {
        {{1100, 1400, 0, 90, 10, 5}, {1410, 2000, 1, 0, 5, 10}, {2020, 2120, 3, 0, 10, 80}},
        {{1450, 2450, 2, 400, 20, 30}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}}};
    static const hd_tally tallies[2] = {{3, 2, 1, 7, 8, 1, 3, 0, 6, 0, 0, 0}, {1, 0, 3, 0, 1, 4, 1, 0, 5, 0, 0, 0}};
    hd_outcome o = {.n_workers = 2,
                    .n_trace = 3,
                    .begin_ns = 1000,
                    .end_ns = 3000,
                    .tallies = tallies,
                    .events = &events[0][0],
                    .backend = "cpu",
                    .schedule = HEDDLE_SCHEDULE_IQS,
                    .policy = HEDDLE_POLICY_LRR,
                    .team_size = 3,
                    .how = "",
                    .is_trying = 1,
                    .cost = {77, 5, 6}};
    heddle_stats s = HEDDLE_STATS_INIT;
    heddle_worker_stats w;
    heddle_body_stats b;
    hd_graph g;
    uint64_t seed = 1;
    uint32_t t;
    CHECK(hd_graph_init(&g, &synthetic_table, NULL) == HEDDLE_OK);
    for (t = 0; t < 4; t++)
        synthetic_add(&g, t == 3 ? 0 : 1, 0, 0, &seed);
    CHECK(!hd_graph_after(&g, 1, 0, NULL) && !hd_graph_after(&g, 2, 0, NULL));
    CHECK(!hd_graph_after(&g, 3, 1, NULL) && !hd_graph_after(&g, 3, 2, NULL));
    CHECK(hd_graph_freeze(&g, NULL) == HEDDLE_OK);
    hd_graph_legend(&o.legend, &g);
    CHECK(hd_report_stats(&o, &s, NULL) == HEDDLE_OK);
    CHECK(s.size == sizeof s && s.load_ns == 77 && s.plan_ns == 5 && s.kernel_ns == 6 && s.is_trying == 1 &&
          s.schedule == HEDDLE_SCHEDULE_IQS && s.policy == HEDDLE_POLICY_LRR && s.team_size == 3 && s.run_ns == 2000 &&
          s.n_workers == 2);
    CHECK(s.n_tasks == 4 && s.n_tasks_min == 1 && s.n_tasks_max == 3 && s.n_events == 4 && s.n_dropped == 0);
    CHECK(s.n_kept == 2 && s.n_pushed == 4 && s.n_full == 7 && s.n_spilled == 9 && s.n_parks == 5);
    CHECK(s.n_given == 11);
    CHECK(s.body_ns == 300 + 590 + 100 + 1000 && s.queue_ns == 45 && s.dep_ns == 125);
    CHECK(s.idle_ns == 90 + 400 + (3000 - 2200) + (3000 - 2480));
    CHECK(s.path_ns == 300 + 1000 + 100);
    CHECK(s.utilisation > 0.49749 && s.utilisation < 0.49751);
    CHECK(hd_report_worker(&o, 1, &w, NULL) == HEDDLE_OK);
    CHECK(w.n_tasks == 1 && w.body_ns == 1000 && w.idle_ns == 920 && w.queue_ns == 20 && w.dep_ns == 30);
    CHECK(hd_report_body(&o, 1, &b, NULL) == HEDDLE_OK);
    CHECK(!strcmp(b.name, "beta") && b.n_tasks == 3 && b.min_ns == 300 && b.median_ns == 590 && b.max_ns == 1000);
    CHECK(b.total_ns == 1890);
    CHECK(hd_report_body(&o, 3, &b, NULL) == HEDDLE_OK);
    CHECK(!strcmp(b.name, "never") && b.n_tasks == 0 && b.min_ns == 0 && b.median_ns == 0 && b.total_ns == 0);
    hd_graph_clear(&g);
}

/* ---- a run without a graph ---- */

static uint32_t wave_kind_of(const void *self, const hd_event *ev)
{
    (void)self;
    return ev->task % 3; /* 2: unknown kind */
}

static const char *wave_kind_name(const void *self, uint32_t kind)
{
    static const char *const names[] = {"even tile", "odd tile", "border"};
    (void)self;
    return names[kind];
}

static int file_has(const char *path, const char *word)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    CHECK(f && fclose(f) == 0);
    text[n] = 0;
    return strstr(text, word) != NULL;
}

/* Names come from the legend. Without edges there is no longest path and no flow; all else is as usual. */
static void without_edges(void)
{
    static const hd_event row[3] = {{1100, 1400, 0, 0, 0, 0}, {1500, 1600, 1, 0, 0, 0}, {1700, 1750, 2, 0, 0, 0}};
    static const hd_tally tally = {.n_tasks = 3, .n_events = 3};
    static const char path[] = "stats_without_edges";
    hd_outcome o;
    heddle_stats s = HEDDLE_STATS_INIT;
    heddle_body_stats b;
    hd_error e;
    memset(&o, 0, sizeof o);
    o.n_workers = 1;
    o.n_trace = 3;
    o.begin_ns = 1000;
    o.end_ns = 2000;
    o.tallies = &tally;
    o.events = row;
    o.backend = "cpu";
    o.schedule = HEDDLE_SCHEDULE_RINGS;
    o.legend.title = "a wave";
    o.legend.row = "stripe";
    o.legend.n_kinds = 2;
    o.legend.kind_of = wave_kind_of;
    o.legend.kind_name = wave_kind_name;
    CHECK(hd_report_stats(&o, &s, NULL) == HEDDLE_OK && s.path_ns == 0 && s.body_ns == 450 && s.n_events == 3);
    CHECK(hd_report_body(&o, 1, &b, NULL) == HEDDLE_OK && !strcmp(b.name, "odd tile") && b.total_ns == 100);
    CHECK(hd_report_body(&o, 2, &b, &e) == HEDDLE_EINVAL && strstr(e.text, "a wave has 2 bodies"));
    CHECK_MSG(hd_write_trace(&o, path, &e) == HEDDLE_OK, "%s", e.text);
    CHECK(file_has(path, "\"odd tile\"") && file_has(path, "\"border\"") && file_has(path, "\"stripe 0\""));
    CHECK(!file_has(path, "\"ph\":\"s\""));
    CHECK_MSG(hd_write_timeline(&o, path, NULL, &e) == HEDDLE_OK, "%s", e.text);
    CHECK(file_has(path, "<title>a wave</title>") && file_has(path, "even tile") && file_has(path, ">stripe<"));
    CHECK(!file_has(path, "border") && file_has(path, "on 1 stripe "));
    CHECK(remove(path) == 0);
}

/* ---- bands of a wave ---- */

static void band_of(const void *self, const hd_event *ev, hd_stretch *out)
{
    (void)self;
    *out = (hd_stretch){3, 0, 16 + ev->queue, ev->dep, ev->dep + 1023u};
}

static uint32_t one_kind(const void *self, const hd_event *ev)
{
    (void)self;
    (void)ev;
    return 0;
}

/* A worker with two bands at a time: what they wait is idle, times are means over the two, each has a row of its own. */
static void stretches(void)
{
    static const hd_event row[3] = {{1100, 1600, 5u | HD_EVENT_STRETCH, 0, 1, 0},
                                    {1000, 1400, 5u | HD_EVENT_STRETCH, 100, 0, 0},
                                    {1500, 1900, 5u | HD_EVENT_STRETCH, 400, 0, 4096}};
    static const hd_tally tally = {.n_tasks = 1, .n_events = 3};
    static const char path[] = "stats_stretches";
    hd_outcome o = {.n_workers = 1, .n_trace = 3, .begin_ns = 1000, .end_ns = 2000, .tallies = &tally, .events = row};
    heddle_stats s = HEDDLE_STATS_INIT;
    heddle_worker_stats w;
    heddle_body_stats b;
    heddle_event ev[3];
    size_t n;
    o.backend = "cuda";
    o.schedule = HEDDLE_SCHEDULE_WAVE;
    o.legend = (hd_legend){.title = "a wave", .row = "warp", .n_lanes = 2, .stretch_of = band_of, .n_kinds = 1};
    o.legend.kind_of = one_kind;
    o.legend.kind_name = wave_kind_name;
    CHECK(hd_report_stats(&o, &s, NULL) == HEDDLE_OK && s.body_ns == 400 && s.idle_ns == 600 && s.wait_ns == 250);
    CHECK(s.utilisation > 0.3999 && s.utilisation < 0.4001 && s.queue_ns == 0 && s.dep_ns == 0 && s.path_ns == 0);
    CHECK(hd_report_worker(&o, 0, &w, NULL) == HEDDLE_OK && w.n_tasks == 1 && w.body_ns == 400 && w.idle_ns == 600);
    CHECK(hd_report_body(&o, 0, &b, NULL) == HEDDLE_OK && b.n_tasks == 3 && b.min_ns == 0 && b.median_ns == 300 &&
          b.max_ns == 500 && b.total_ns == 800);
    CHECK(hd_report_events(&o, ev, 3, &n, NULL) == HEDDLE_OK && n == 3);
    CHECK(ev[2].task == 5 && ev[2].idle_ns == 400 && ev[2].queue_ns == 0 && ev[2].dep_ns == 0);
    CHECK(hd_write_trace(&o, path, NULL) == HEDDLE_OK && file_has(path, "\"warp 1\"") && !file_has(path, "\"warp 2\""));
    CHECK(file_has(path, "\"name\":\"band 17\",\"cat\":\"task\",\"pid\":0,\"tid\":1,\"ts\":0.100,\"dur\":0.500"));
    CHECK(file_has(path, "\"band\":16,\"first_column\":4096,\"last_column\":5119,\"waited_us\":0.400"));
    CHECK(file_has(path, "\"workers\":1,\"lanes\":2"));
    CHECK(hd_write_timeline(&o, path, NULL, NULL) == HEDDLE_OK && file_has(path, "on 2 warps "));
    CHECK(file_has(path, "waited 250 ns") && file_has(path, ">1</text>") && remove(path) == 0);
}

static uint64_t path_by_relaxing(const synthetic *s)
{
    uint64_t *own = calloc(s->n, sizeof *own), *end = calloc(s->n, sizeof *end), most = 0;
    uint32_t w, i, a, b, changed = 1;
    for (w = 0; w < s->o.n_workers; w++)
        for (i = 0; i < s->tallies[w].n_events; i++) {
            const hd_event *ev = &s->events[w * s->o.n_trace + i];
            own[ev->task] = end[ev->task] = ev->end - ev->begin;
        }
    while (changed)
        for (changed = 0, a = 0; a < s->n; a++)
            for (b = 0; b < s->n; b++)
                if (s->has[a * s->n + b] && end[a] + own[b] > end[b]) {
                    end[b] = end[a] + own[b];
                    changed = 1;
                }
    for (a = 0; a < s->n; a++)
        most = end[a] > most ? end[a] : most;
    free(own);
    free(end);
    return most;
}

/* heddle_event's list against the records, and the bodies' sums against that list. */
static void events(const synthetic *s, const heddle_stats *stats)
{
    size_t n, n_all, i, rank_low, rank_high, seen = 0;
    heddle_event *ev;
    heddle_body_stats b;
    uint32_t body;
    CHECK(hd_report_events(&s->o, NULL, 0, &n_all, NULL) == HEDDLE_OK && n_all == stats->n_events);
    ev = calloc(n_all + 1, sizeof *ev);
    CHECK(hd_report_events(&s->o, ev, n_all / 2, &n, NULL) == HEDDLE_OK && n == n_all);
    CHECK(ev[n_all / 2].end_ns == 0);
    CHECK(hd_report_events(&s->o, ev, n_all, &n, NULL) == HEDDLE_OK);
    for (i = 0; i < n; i++) {
        CHECK(ev[i].body == hd_graph_task(&s->g, ev[i].task)->body && ev[i].end_ns <= stats->run_ns);
        CHECK(i == 0 || ev[i].worker > ev[i - 1].worker ||
              (ev[i].worker == ev[i - 1].worker && ev[i].begin_ns >= ev[i - 1].end_ns));
    }
    for (body = 0; body < SYNTHETIC_BODIES; body++) {
        uint64_t total = 0;
        CHECK(hd_report_body(&s->o, body, &b, NULL) == HEDDLE_OK);
        for (i = n = rank_low = rank_high = 0; i < n_all; i++) {
            uint64_t ns = ev[i].end_ns - ev[i].begin_ns;
            if (ev[i].body != body)
                continue;
            n++;
            total += ns;
            rank_low += ns < b.median_ns;
            rank_high += ns <= b.median_ns;
            CHECK(b.min_ns <= ns && ns <= b.max_ns);
        }
        CHECK(b.n_tasks == n && b.total_ns == total);
        CHECK(n == 0 || (rank_low <= (n - 1) / 2 && rank_high > (n - 1) / 2));
        seen += n;
    }
    CHECK(seen == n_all);
    free(ev);
}

static uint64_t idle_of_events(const synthetic *s, uint32_t worker)
{
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < s->tallies[worker].n_events; i++)
        sum += s->events[worker * s->o.n_trace + i].idle;
    return sum;
}

static void random_run(uint64_t *seed)
{
    synthetic s;
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_worker_stats w, sum = {0, 0, 0, 0, 0};
    uint32_t n = 1 + (uint32_t)check_below(seed, 90), i;
    synthetic_graph(&s, n, (uint32_t)check_below(seed, 3 * n), seed);
    synthetic_run(&s, 1 + (uint32_t)check_below(seed, 5), check_below(seed, 3) ? n : 1 + n / 8, seed);
    CHECK(hd_report_stats(&s.o, &stats, NULL) == HEDDLE_OK);
    CHECK(stats.n_tasks == n && stats.n_events + stats.n_dropped == n);
    CHECK(stats.path_ns == path_by_relaxing(&s));
    for (i = 0; i < s.o.n_workers; i++) {
        CHECK(hd_report_worker(&s.o, i, &w, NULL) == HEDDLE_OK);
        CHECK(w.n_tasks >= stats.n_tasks_min && w.n_tasks <= stats.n_tasks_max);
        if (s.tallies[i].n_dropped)
            CHECK(w.idle_ns == idle_of_events(&s, i));
        else /* except for the worker's late start, each moment of the run counts as one of the four */
            CHECK(w.body_ns + w.idle_ns + w.queue_ns + w.dep_ns + (w.n_tasks ? i : 0) == stats.run_ns);
        sum.n_tasks += w.n_tasks;
        sum.body_ns += w.body_ns;
        sum.idle_ns += w.idle_ns;
    }
    CHECK(sum.n_tasks == stats.n_tasks && sum.body_ns == stats.body_ns && sum.idle_ns == stats.idle_ns);
    events(&s, &stats);
    synthetic_free(&s);
}

static void untraced(uint64_t *seed)
{
    synthetic s;
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_body_stats b;
    size_t n = 9;
    synthetic_graph(&s, 20, 40, seed);
    synthetic_run(&s, 3, 0, seed);
    memset(s.tallies, 0, 3 * sizeof *s.tallies);
    s.tallies[1].n_tasks = 20;
    CHECK(hd_report_stats(&s.o, &stats, NULL) == HEDDLE_OK);
    CHECK(stats.n_tasks == 20 && stats.n_tasks_min == 0 && stats.n_tasks_max == 20 && stats.run_ns > 0);
    CHECK(stats.body_ns + stats.idle_ns + stats.queue_ns + stats.dep_ns + stats.path_ns == 0);
    CHECK(hd_report_body(&s.o, 0, &b, NULL) == HEDDLE_OK && b.n_tasks == 0);
    CHECK(hd_report_events(&s.o, NULL, 0, &n, NULL) == HEDDLE_OK && n == 0);
    synthetic_free(&s);
}

static void refusals(uint64_t *seed)
{
    synthetic s;
    hd_error e;
    heddle_worker_stats w;
    heddle_body_stats b;
    size_t n;
    synthetic_graph(&s, 4, 4, seed);
    synthetic_run(&s, 2, 4, seed);
    CHECK(hd_report_worker(&s.o, 2, &w, &e) == HEDDLE_EINVAL && strstr(e.text, "worker 2"));
    CHECK(hd_report_worker(&s.o, 0, NULL, &e) == HEDDLE_EINVAL);
    CHECK(hd_report_body(&s.o, SYNTHETIC_BODIES, &b, &e) == HEDDLE_EINVAL && strstr(e.text, "body 5"));
    CHECK(hd_report_body(&s.o, HD_BODY_JOIN, &b, &e) == HEDDLE_EINVAL);
    CHECK(hd_report_events(&s.o, NULL, 1, &n, &e) == HEDDLE_EINVAL);
    CHECK(hd_report_events(&s.o, NULL, 0, NULL, &e) == HEDDLE_EINVAL);
    synthetic_free(&s);
}

static void out_of_memory(uint64_t *seed)
{
    synthetic s;
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_body_stats b;
    uint64_t held, n;
    heddle_status st = HEDDLE_ENOMEM;
    synthetic_graph(&s, 30, 60, seed);
    synthetic_run(&s, 2, 30, seed);
    held = hd_held_bytes();
    for (n = 1; st != HEDDLE_OK; n++) {
        hd_fail_alloc_at(n);
        st = hd_report_stats(&s.o, &stats, NULL);
        hd_fail_alloc_at(0);
        CHECK((st == HEDDLE_OK) == (n == 5) && (n == 5 || (st == HEDDLE_ENOMEM && stats.n_tasks == 0)));
        CHECK(hd_held_bytes() == held);
    }
    hd_fail_alloc_at(1);
    CHECK(hd_report_body(&s.o, 0, &b, NULL) == HEDDLE_ENOMEM && hd_held_bytes() == held);
    hd_fail_alloc_at(0);
    synthetic_free(&s);
}

int main(void)
{
    uint64_t seed = check_seed(12), i;
    diamond();
    without_edges();
    stretches();
    for (i = 0; i < 200; i++)
        random_run(&seed);
    untraced(&seed);
    refusals(&seed);
    out_of_memory(&seed);
    CHECK(hd_held_bytes() == 0);
    return 0;
}
