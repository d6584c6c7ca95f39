/* SPDX-License-Identifier: MIT */
/* levels.c - a graph as launches: every task with a body is in exactly one, every edge (through joins, too) leads from
 * an earlier level to a later one. No level could be earlier; no launch is superfluous. Events become rows: every event
 * once, in order, without overlap on a row, on at most as many rows as blocks were on an SM at once. */
#include "backend/levels.h"
#include "unit/synthetic.h"

#define N_MAX 60u

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static int is_join(const hd_graph *g, uint32_t t) { return hd_graph_task(g, t)->body == HD_BODY_JOIN; }

/* The most tasks with a body on a path that ends before t, found by repetition until nothing changes. */
static void longest_before(const hd_graph *g, uint32_t *level)
{
    uint32_t t, i, changed = 1;
    memset(level, 0, g->n_tasks * 4);
    while (changed)
        for (t = changed = 0; t < g->n_tasks; t++)
            for (i = 0; i < hd_graph_task(g, t)->n_succ; i++) {
                uint32_t to = hd_graph_edge(g, hd_graph_task(g, t), i).task, x = level[t] + !is_join(g, t);
                if (x > level[to]) {
                    level[to] = x;
                    changed = 1;
                }
            }
}

static void check_levels(const hd_graph *g, uint32_t *expected)
{
    uint32_t *level = malloc((g->n_tasks + 1) * 4), n_levels, most = 0, t;
    longest_before(g, expected);
    CHECK(hd_graph_levels(g, level, &n_levels, NULL) == HEDDLE_OK);
    for (t = 0; t < g->n_tasks; t++) {
        CHECK_MSG(level[t] == expected[t], "task %u: level %u, not %u", t, level[t], expected[t]);
        most = expected[t] + !is_join(g, t) > most ? expected[t] + !is_join(g, t) : most;
    }
    CHECK_MSG(n_levels == most, "%u levels, not %u", n_levels, most);
    free(level);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void check_launch(const hd_graph *g, const hd_launches *l, const hd_launch *x, const uint32_t *level,
                         uint32_t by_body)
{
    uint32_t i, bytes = 0, body = hd_graph_task(g, l->list[x->first])->body, several = 0;
    for (i = x->first; i < x->first + x->n; i++) {
        uint32_t t = l->list[i], own = hd_graph_task(g, t)->body;
        CHECK(!is_join(g, t) && level[t] == x->level);
        CHECK(i == x->first || t > l->list[i - 1]); /* in the order of adding */
        several |= own != body;
        bytes = g->uses[own].shared_bytes > bytes ? g->uses[own].shared_bytes : bytes;
    }
    CHECK(x->n > 0 && x->n <= l->widest && x->shared_bytes == HEDDLE_REDUCE_BYTES + bytes);
    CHECK(by_body != 1 || !several);
    CHECK_MSG(x->body == (several || by_body == 2 ? HD_NONE : body), "body %u, by_body %u", x->body, by_body);
}

static void check_launches(const hd_graph *g, const uint32_t *level, uint32_t by_body)
{
    uint8_t *seen = calloc(g->n_tasks + 1, 1);
    uint64_t i, n = 0;
    uint32_t at = 0, t;
    hd_launches l;
    CHECK(hd_launches_make(&l, g, by_body, NULL) == HEDDLE_OK);
    for (i = 0; i < l.n; i++) {
        const hd_launch *x = &l.at[i], *last = i ? x - 1 : NULL;
        CHECK(x->first == at);
        at += x->n;
        check_launch(g, &l, x, level, by_body);
        CHECK(!last || last->level < x->level || (by_body == 1 && last->level == x->level && last->body < x->body));
    }
    CHECK(at == l.n_list);
    for (i = 0; i < l.n_list; i++)
        CHECK(!seen[l.list[i]]++);
    for (t = 0; t < g->n_tasks; t++)
        n += !is_join(g, t);
    CHECK(n == l.n_list);
    hd_launches_clear(&l);
    free(seen);
}

static void check_graph(const hd_graph *g)
{
    uint32_t *level = malloc((g->n_tasks + 1) * 4), by_body;
    check_levels(g, level);
    for (by_body = 0; by_body < 3; by_body++)
        check_launches(g, level, by_body);
    free(level);
}

/* Rounds of tasks that mostly write a cell each, or else read all, so that there are joins. */
static uint64_t random_ranges(uint64_t *seed)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    uint64_t n_joins;
    uint32_t i, n = 1 + (uint32_t)check_below(seed, 4 * N_MAX);
    hd_graph g;
    CHECK(hd_graph_init(&g, &synthetic_table, NULL) == HEDDLE_OK);
    for (i = 0; i < n; i++) {
        uint64_t cell = check_below(seed, 24), reads = i / 40 % 2, all = check_below(seed, 10) < (reads ? 8 : 1);
        heddle_range r = heddle_range_of((void *)(uintptr_t)(4096 + (all ? 0 : 8 * cell)), all ? 192 : 8, 1, 0,
                                         reads ? HEDDLE_MODE_IN : HEDDLE_MODE_OUT);
        d.ranges = &r;
        d.n_ranges = 1;
        d.body = 1;
        CHECK(hd_graph_add(&g, &d, NULL, NULL) == HEDDLE_OK);
    }
    CHECK(hd_graph_freeze(&g, NULL) == HEDDLE_OK);
    check_graph(&g);
    n_joins = g.n_joins;
    hd_graph_clear(&g);
    return n_joins;
}

/* Shared memory as graphs may set it; tasks of bodies 0, 1, 2 and 4. */
static void random_graph(uint64_t *seed)
{
    uint32_t n = 1 + (uint32_t)check_below(seed, N_MAX), n_edges = (uint32_t)check_below(seed, 4 * N_MAX), b;
    synthetic s;
    synthetic_graph(&s, n, n_edges, seed);
    for (b = 0; b < SYNTHETIC_BODIES; b++)
        s.g.uses[b].shared_bytes = (uint32_t)check_below(seed, 3) * 512;
    check_graph(&s.g);
    synthetic_free(&s);
}

static void test_launches(uint64_t *seed)
{
    uint64_t n_joins = 0;
    uint32_t i;
    hd_graph empty;
    for (i = 0; i < 300; i++)
        random_graph(seed);
    for (i = 0; i < 100; i++)
        n_joins += random_ranges(seed);
    CHECK_MSG(n_joins > 50, "only %llu joins were met", (unsigned long long)n_joins);
    CHECK(hd_graph_init(&empty, &synthetic_table, NULL) == HEDDLE_OK);
    CHECK(hd_graph_freeze(&empty, NULL) == HEDDLE_OK);
    check_graph(&empty);
    hd_graph_clear(&empty);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

#define N_SMS 7u
#define N_EVENTS 400u

/* Tasks on places of SMs 0, 3, 6, ...; some have not happened. Returns the places used. */
static uint32_t random_events(hd_event *ev, uint32_t *n_happened, uint64_t *seed)
{
    uint64_t free_at[N_SMS][4];
    uint32_t n_used[N_SMS] = {0}, i, n_places = 0;
    *n_happened = 0;
    for (i = 0; i < N_EVENTS; i++) {
        uint32_t sm = (uint32_t)check_below(seed, N_SMS - 2), p;
        memset(&ev[i], 0, sizeof ev[i]);
        if (check_below(seed, 10) == 0)
            continue;
        for (p = 0; p < n_used[sm] && p < 3 && check_below(seed, 3); p++)
            ;
        ev[i].begin = (p < n_used[sm] ? free_at[sm][p] : 1000) + check_below(seed, 3) * 32;
        ev[i].end = free_at[sm][p] = ev[i].begin + check_below(seed, 5) * 32;
        ev[i].task = i;
        ev[i].queue = 3 * sm;
        n_used[sm] += p == n_used[sm];
        ++*n_happened;
    }
    for (i = 0; i < N_SMS; i++)
        n_places += n_used[i] ? n_used[i] : 1;
    return n_places;
}

static void check_row(const hd_rows *r, uint32_t row, const hd_event *was, uint8_t *seen)
{
    const hd_event *ev = &r->events[(uint64_t)row * r->n_trace];
    uint64_t since = r->begin_ns;
    uint32_t i, sm = HD_NONE;
    CHECK(r->tallies[row].n_events <= r->n_trace && r->tallies[row].n_events == r->tallies[row].n_tasks);
    for (i = 0; i < r->tallies[row].n_events; i++) {
        uint32_t t = ev[i].task;
        CHECK(!seen[t]++ && ev[i].begin == was[t].begin && ev[i].end == was[t].end);
        CHECK(sm == HD_NONE || was[t].queue == sm);
        sm = was[t].queue;
        CHECK_MSG(ev[i].begin >= since && ev[i].idle == ev[i].begin - since, "task %u begins before the last ends", t);
        CHECK(ev[i].queue == 0 && ev[i].dep == 0 && ev[i].end <= r->end_ns);
        since = ev[i].end;
    }
}

static void random_rows(uint64_t *seed)
{
    static hd_event was[N_EVENTS], ev[N_EVENTS];
    uint8_t seen[N_EVENTS] = {0};
    uint32_t n_happened, n_places = random_events(was, &n_happened, seed), row, i;
    uint64_t first = UINT64_MAX, last = 0;
    hd_rows r;
    memcpy(ev, was, sizeof ev);
    CHECK(hd_rows_make(&r, ev, N_EVENTS, N_SMS, NULL) == HEDDLE_OK);
    CHECK_MSG(r.n_rows >= N_SMS && r.n_rows <= n_places, "%u rows, %u places", r.n_rows, n_places);
    for (i = 0; i < N_EVENTS; i++)
        if (was[i].begin) {
            first = was[i].begin < first ? was[i].begin : first;
            last = was[i].end > last ? was[i].end : last;
        }
    CHECK(r.begin_ns == first && r.end_ns == last);
    for (row = 0; row < r.n_rows; row++)
        check_row(&r, row, was, seen);
    for (i = 0; i < N_EVENTS; i++)
        CHECK(seen[i] == (was[i].begin != 0));
    hd_rows_clear(&r);
}

static void test_rows(uint64_t *seed)
{
    hd_event crowd[100];
    uint32_t i;
    hd_rows r;
    for (i = 0; i < 300; i++)
        random_rows(seed);
    CHECK(hd_rows_make(&r, crowd, 0, N_SMS, NULL) == HEDDLE_OK);
    CHECK(r.n_rows == N_SMS && r.n_trace == 1 && r.begin_ns == 0 && r.end_ns == 0);
    hd_rows_clear(&r);
    for (i = 0; i < 100; i++)
        crowd[i] = (hd_event){10, 20, i, 0, 5, 0};
    CHECK(hd_rows_make(&r, crowd, 100, 1, NULL) == HEDDLE_OK);
    CHECK(r.n_rows == 64); /* more at once than an SM has places: they share rows */
    hd_rows_clear(&r);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void test_memory(uint64_t *seed)
{
    static hd_event was[N_EVENTS], ev[N_EVENTS];
    heddle_status s = HEDDLE_ENOMEM;
    uint64_t held, n;
    uint32_t n_happened;
    synthetic g;
    hd_launches l;
    hd_rows r;
    hd_error e;
    (void)random_events(was, &n_happened, seed);
    synthetic_graph(&g, 20, 40, seed);
    held = hd_held_bytes();
    for (n = 1; s != HEDDLE_OK; n++) {
        hd_fail_alloc_at(n);
        s = hd_launches_make(&l, &g.g, 1, &e);
        hd_fail_alloc_at(0);
        CHECK(s == HEDDLE_OK || (s == HEDDLE_ENOMEM && hd_held_bytes() == held && !l.list && !l.at));
    }
    CHECK(n > 5);
    hd_launches_clear(&l);
    for (n = 1, s = HEDDLE_ENOMEM; s != HEDDLE_OK; n++) {
        memcpy(ev, was, sizeof ev);
        hd_fail_alloc_at(n);
        s = hd_rows_make(&r, ev, N_EVENTS, N_SMS, &e);
        hd_fail_alloc_at(0);
        CHECK(s == HEDDLE_OK || (s == HEDDLE_ENOMEM && hd_held_bytes() == held && !r.events && !r.tallies));
    }
    CHECK(n > 3);
    hd_rows_clear(&r);
    CHECK(hd_held_bytes() == held);
    synthetic_free(&g);
}

int main(void)
{
    uint64_t seed = check_seed(20);
    test_launches(&seed);
    test_rows(&seed);
    test_memory(&seed);
    return 0;
}
