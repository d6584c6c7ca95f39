/* SPDX-License-Identifier: MIT */
/* Plans. Their steps alone, with workers in any order, keep every edge and come to an end. No edge is kept that the
 * lists imply, and none is dropped that they do not. Plans are good where the optimum is known; what is no plan is
 * refused; memory failures leave nothing behind. */
#include "graph/plan.h"
#include "synthetic.h"

#define HOP 700u
static char *folder, path[64];

static hd_plan plan_of(const hd_graph *g, uint32_t n_workers, hd_plan_style style, const uint32_t *cost_ns)
{
    hd_plan p;
    CHECK(hd_plan_make(&p, g, n_workers, style, cost_ns, HOP, NULL) == HEDDLE_OK);
    CHECK_MSG(hd_plan_check(&p, g, NULL) == HEDDLE_OK, "%s", hd_thread_error()->text);
    CHECK(p.n_workers == n_workers && p.n_tasks == g->n_tasks);
    return p;
}

/* The worker of each task; the caller frees it. */
static uint32_t *owners(const hd_plan *p)
{
    uint32_t *owner = malloc((p->n_tasks + 1) * sizeof *owner), w, i;
    for (w = 0; w < p->n_workers; w++)
        for (i = p->lists[w]; i < p->lists[w + 1]; i++)
            owner[p->order[i]] = w;
    return owner;
}

/* ---- executing steps --------------------------------------------------------------------------------------------- */

static const uint32_t *successors(const hd_steps *s, const hd_step *step, uint32_t i)
{
    return i < HD_STEP_SUCC ? &step->first[i] : &s->edges[step->succ + (i - HD_STEP_SUCC)];
}

static void check_record(const hd_graph *g, const hd_step *s)
{
    const hd_task *t = hd_graph_task(g, s->task);
    CHECK(s->body == t->body && s->flags == t->flags && s->arg_bytes == t->arg_bytes && s->args_at == t->args_at);
    CHECK(t->arg_bytes > HD_INLINE_ARGS || memcmp(s->args, t->args, t->arg_bytes) == 0);
}

/* Executes steps of all workers, in random order among those with a step that has been counted often enough. */
static void execute(const synthetic *x, const hd_steps *s, uint64_t *seed)
{
    uint32_t *at = malloc(s->n_workers * sizeof *at), *count = calloc(x->n + 1, sizeof *count), n_run = 0, i, k, w;
    uint8_t *done = calloc(x->n + 1, 1);
    memcpy(at, s->lists, s->n_workers * sizeof *at);
    for (n_run = 0; n_run < x->n; n_run++) {
        const hd_step *step = NULL;
        w = (uint32_t)check_below(seed, s->n_workers);
        for (i = 0; i < s->n_workers && !step; i++, w = (w + 1) % (uint32_t)s->n_workers)
            if (s->steps[at[w]].task != HD_NONE && count[s->steps[at[w]].task] == s->steps[at[w]].need)
                step = &s->steps[at[w]++];
        CHECK_MSG(step, "%u of %u tasks, then nobody can go on", n_run, x->n);
        check_record(&x->g, step);
        for (k = 0; k < x->n; k++)
            CHECK_MSG(!x->has[k * x->n + step->task] || done[k], "%u ran before %u", step->task, k);
        for (k = 0; k < step->n_succ; k++)
            count[*successors(s, step, k)]++;
        CHECK(!done[step->task]);
        done[step->task] = 1;
    }
    for (w = 0; w < s->n_workers; w++)
        CHECK(s->steps[at[w]].task == HD_NONE);
    free(at);
    free(count);
    free(done);
}

/* Is the edge from -> to needed? No, if there is another edge from at or behind `from` in its list to at or before `to`
 * in its list: of two such edges only the tighter one stays. */
static int is_needed(const synthetic *x, const hd_steps *s, const uint32_t *owner, uint32_t from, uint32_t to)
{
    uint32_t a, b;
    if (owner[from] == owner[to])
        return 0;
    for (a = 0; a < x->n; a++)
        for (b = 0; b < x->n; b++)
            if (x->has[a * x->n + b] && (a != from || b != to) && owner[a] == owner[from] && owner[b] == owner[to] &&
                s->step_of[a] >= s->step_of[from] && s->step_of[b] <= s->step_of[to])
                return 0;
    return 1;
}

/* Returns how many edges between different workers were dropped. */
static uint32_t check_edges(const synthetic *x, const hd_plan *p, const hd_steps *s)
{
    uint32_t *owner = owners(p), t, k, n_dropped = 0, from;
    uint8_t *kept = calloc((size_t)x->n + 1, x->n);
    for (t = 0; t < x->n; t++)
        for (k = 0; k < s->steps[s->step_of[t]].n_succ; k++) {
            uint32_t to = *successors(s, &s->steps[s->step_of[t]], k);
            CHECK(x->has[t * x->n + to] && !kept[t * x->n + to]);
            kept[t * x->n + to] = 1;
        }
    for (t = 0; t < x->n; t++)
        for (k = from = 0; from < x->n; from++) {
            if (!x->has[from * x->n + t])
                continue;
            CHECK_MSG(kept[from * x->n + t] == is_needed(x, s, owner, from, t), "edge %u -> %u", from, t);
            n_dropped += owner[from] != owner[t] && !kept[from * x->n + t];
            k += kept[from * x->n + t];
            CHECK(from + 1 < x->n || k == s->steps[s->step_of[t]].need);
        }
    free(owner);
    free(kept);
    return n_dropped;
}

static uint32_t random_steps(uint64_t *seed)
{
    uint32_t n = 1 + (uint32_t)check_below(seed, 60), n_workers = 1 + (uint32_t)check_below(seed, 9), n_dropped, i;
    uint32_t *cost = check_below(seed, 2) ? malloc(n * sizeof *cost) : NULL;
    synthetic x;
    hd_plan p;
    hd_steps s;
    synthetic_graph(&x, n, (uint32_t)check_below(seed, 6 * n), seed);
    for (i = 0; cost && i < n; i++)
        cost[i] = (uint32_t)check_below(seed, 5000);
    p = plan_of(&x.g, n_workers, check_below(seed, 2) ? HD_PLAN_PATH : HD_PLAN_DEPTH, cost);
    CHECK(hd_steps_make(&s, &p, &x.g, NULL) == HEDDLE_OK);
    CHECK(s.n_steps == n + n_workers && s.n_workers == n_workers && s.n_tasks == n);
    execute(&x, &s, seed);
    n_dropped = check_edges(&x, &p, &s);
    hd_steps_clear(&s);
    hd_plan_clear(&p);
    synthetic_free(&x);
    free(cost);
    return n_dropped;
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* A random plan is refused exactly when edges and lists together have a cycle. Returns whether they have. */
static int random_lists(uint64_t *seed)
{
    uint32_t n = 2 + (uint32_t)check_below(seed, 12), n_workers = 1 + (uint32_t)check_below(seed, 4), i, k, j;
    uint8_t reach[16][16] = {{0}};
    int cyclic = 0;
    heddle_status s;
    synthetic x;
    hd_plan p;
    hd_error e;
    synthetic_graph(&x, n, (uint32_t)check_below(seed, n), seed);
    CHECK(hd_plan_room(&p, n_workers, n, NULL) == HEDDLE_OK);
    for (i = 0; i < n; i++) {
        k = (uint32_t)check_below(seed, i + 1);
        p.order[i] = p.order[k];
        p.order[k] = i;
    }
    for (i = 1; i <= n_workers; i++)
        p.lists[i] = i < n_workers ? p.lists[i - 1] + (uint32_t)check_below(seed, n - p.lists[i - 1] + 1) : n;
    for (i = 0; i < n; i++)
        for (k = 0; k < n; k++)
            reach[i][k] = x.has[i * n + k];
    for (i = 0; i < n_workers; i++)
        for (k = p.lists[i]; k + 1 < p.lists[i + 1]; k++)
            reach[p.order[k]][p.order[k + 1]] = 1;
    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
            for (k = 0; k < n; k++)
                reach[i][k] |= reach[i][j] && reach[j][k];
    for (i = 0; i < n; i++)
        cyclic |= reach[i][i];
    s = hd_plan_check(&p, &x.g, &e);
    CHECK_MSG(s == (cyclic ? HEDDLE_ECYCLE : HEDDLE_OK), "%s", e.text);
    CHECK(!cyclic || strstr(e.text, "cycle"));
    hd_plan_clear(&p);
    synthetic_free(&x);
    return cyclic;
}

static void refused(const hd_plan *p, const hd_graph *g, const char *says)
{
    hd_error e;
    CHECK(hd_plan_check(p, g, &e) == HEDDLE_EINVAL);
    CHECK_MSG(strstr(e.text, says), "%s", e.text);
}

static void no_plans(uint64_t *seed)
{
    synthetic x, y;
    hd_plan p, q;
    hd_error e;
    synthetic_graph(&x, 9, 5, seed);
    synthetic_graph(&y, 8, 5, seed);
    p = plan_of(&x.g, 3, HD_PLAN_PATH, NULL);
    refused(&p, &y.g, "a plan of 9 tasks");
    CHECK(hd_plan_copy(&q, &p, NULL) == HEDDLE_OK);
    CHECK(memcmp(p.order, q.order, 9 * sizeof *p.order) == 0 && memcmp(p.lists, q.lists, 4 * sizeof *p.lists) == 0);
    q.order[3] = q.order[7];
    refused(&q, &x.g, "twice");
    q.order[3] = 9;
    refused(&q, &x.g, "has task 9");
    q.order[3] = p.order[3];
    q.lists[3] = 8;
    refused(&q, &x.g, "add up");
    q.lists[3] = 9;
    q.lists[1] = 10;
    refused(&q, &x.g, "worker");
    q.lists[1] = p.lists[1];
    CHECK(hd_plan_check(&q, &x.g, NULL) == HEDDLE_OK);
    q.n_workers = 0;
    refused(&q, &x.g, "0 workers");
    q.n_workers = 3;
    hd_plan_clear(&q);
    CHECK(hd_plan_make(&q, &x.g, 0, HD_PLAN_PATH, NULL, 0, &e) == HEDDLE_ERANGE && strstr(e.text, "0 workers"));
    CHECK(hd_plan_make(&q, &x.g, HD_PLAN_MAX_WORKERS + 1, HD_PLAN_PATH, NULL, 0, NULL) == HEDDLE_ERANGE);
    hd_plan_clear(&p);
    synthetic_free(&x);
    synthetic_free(&y);
}

/* ---- quality ----------------------------------------------------------------------------------------------------- */

/* A graph built by hand: first tasks, then edges, then freeze. */
static void plain(hd_graph *g, uint32_t n)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    CHECK(hd_graph_init(g, &synthetic_table, NULL) == HEDDLE_OK);
    for (d.body = 1; n > 0; n--)
        CHECK(hd_graph_add(g, &d, NULL, NULL) == HEDDLE_OK);
}
static void edge(hd_graph *g, uint32_t from, uint32_t to) { CHECK(hd_graph_after(g, to, from, NULL) == HEDDLE_OK); }
static void freeze(hd_graph *g) { CHECK(hd_graph_freeze(g, NULL) == HEDDLE_OK); }

/* n x n tasks, each after those above and to the left. */
static void wavefront(hd_graph *g, uint32_t n)
{
    uint32_t i, j;
    plain(g, n * n);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            if (i)
                edge(g, (i - 1) * n + j, i * n + j);
            if (j)
                edge(g, i * n + j - 1, i * n + j);
        }
    freeze(g);
}

/* The end of all work: each list in order, `hop` more for an edge between workers. The plan has been checked. */
static uint64_t makespan(const hd_plan *p, const hd_graph *g, const uint32_t *cost_ns, uint64_t hop)
{
    uint32_t *owner = owners(p), *left = calloc(g->n_tasks + 1, sizeof *left), *at = malloc(p->n_workers * sizeof *at);
    uint64_t *ready = calloc(g->n_tasks + 1, sizeof *ready), *free_at = calloc(p->n_workers, sizeof *free_at), most = 0;
    uint32_t w, t, i, n_run = 0;
    for (t = 0; t < g->n_tasks; t++)
        left[t] = hd_graph_task(g, t)->n_in;
    memcpy(at, p->lists, p->n_workers * sizeof *at);
    for (w = 0; n_run < g->n_tasks; w = (w + 1) % p->n_workers)
        while (at[w] < p->lists[w + 1] && !left[t = p->order[at[w]]]) {
            free_at[w] = (ready[t] > free_at[w] ? ready[t] : free_at[w]) + cost_ns[t];
            most = free_at[w] > most ? free_at[w] : most;
            for (i = 0; i < hd_graph_task(g, t)->n_succ; i++) {
                uint32_t s = hd_graph_edge(g, hd_graph_task(g, t), i).task;
                uint64_t come = free_at[w] + (owner[s] == w ? 0 : hop);
                ready[s] = come > ready[s] ? come : ready[s];
                left[s]--;
            }
            at[w]++;
            n_run++;
        }
    free(owner);
    free(left);
    free(at);
    free(ready);
    free(free_at);
    return most;
}

static uint32_t *equal_costs(uint32_t n, uint32_t ns)
{
    uint32_t *cost = malloc((n + 1) * sizeof *cost), i;
    for (i = 0; i < n; i++)
        cost[i] = ns;
    return cost;
}

static uint32_t longest_list(const hd_plan *p)
{
    uint32_t w, most = 0;
    for (w = 0; w < p->n_workers; w++)
        most = p->lists[w + 1] - p->lists[w] > most ? p->lists[w + 1] - p->lists[w] : most;
    return most;
}

/* Whatever a task takes: a chain stays on its worker, independent tasks are divided evenly. */
static void simple_shapes(void)
{
    uint32_t ns[] = {0, 100, 700, 50000}, i, k, *cost;
    hd_graph chain, many;
    hd_plan p;
    plain(&chain, 300);
    for (i = 0; i + 1 < 300; i++)
        edge(&chain, i, i + 1);
    freeze(&chain);
    plain(&many, 1000);
    freeze(&many);
    for (k = 0; k < 4; k++) {
        cost = ns[k] ? equal_costs(1000, ns[k]) : NULL;
        p = plan_of(&chain, 8, HD_PLAN_PATH, cost);
        CHECK(longest_list(&p) == 300);
        hd_plan_clear(&p);
        for (i = 1; i < 30; i += 7) {
            p = plan_of(&many, i, k % 2 ? HD_PLAN_PATH : HD_PLAN_DEPTH, cost);
            CHECK_MSG(longest_list(&p) == (1000 + i - 1) / i, "%u of 1000 on one of %u", longest_list(&p), i);
            hd_plan_clear(&p);
        }
        free(cost);
    }
    hd_graph_clear(&chain);
    hd_graph_clear(&many);
}

/* With as many workers as rows nearly every task follows its row, and the time is near that of one row per worker. If a
 * hand-over takes much longer than a task, fewer workers may be better. */
static void wavefronts(void)
{
    enum { N = 24 };
    const uint32_t ns[] = {0, 100, 300, 1000, 5000};
    uint32_t k, t, n_row, *owner, *cost;
    uint64_t span, rows;
    hd_graph g;
    hd_plan p, by_row;
    wavefront(&g, N);
    CHECK(hd_plan_room(&by_row, N, N * N, NULL) == HEDDLE_OK);
    for (t = 0; t < N * N; t++)
        by_row.order[t] = t;
    for (t = 1; t <= N; t++)
        by_row.lists[t] = t * N;
    for (k = 0; k < 5; k++) {
        cost = equal_costs(N * N, ns[k]);
        p = plan_of(&g, N, HD_PLAN_PATH, ns[k] ? cost : NULL);
        owner = owners(&p);
        for (t = n_row = 0; t < N * N; t++)
            n_row += t % N && owner[t] == owner[t - 1];
        for (t = 0; t < N * N; t++)
            cost[t] = (ns[k] ? ns[k] : 8 * HOP) + HOP / 2;
        span = makespan(&p, &g, cost, HOP);
        rows = makespan(&by_row, &g, cost, HOP);
        CHECK_MSG(n_row >= N * (N - 1) * 95 / 100, "%u of %u in their row", n_row, N * (N - 1));
        CHECK_MSG(span <= rows * (ns[k] && ns[k] < HOP ? 140 : 100) / 100, "tasks of %u ns: %llu ns, by rows %llu",
                  ns[k], (unsigned long long)span, (unsigned long long)rows);
        free(owner);
        free(cost);
        hd_plan_clear(&p);
    }
    hd_plan_clear(&by_row);
    hd_graph_clear(&g);
}

/* Random costs, some of them much larger than others; returns their sum. */
static uint64_t uneven_costs(uint32_t *cost, uint32_t n, uint64_t *seed)
{
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < n; i++)
        sum += cost[i] = 1000u << check_below(seed, 5);
    return sum;
}

/* Independent tasks: the longest go first, so that short ones even out the rest. */
static void uneven(uint64_t *seed)
{
    enum { N = 500 };
    uint32_t cost[N], n_workers;
    uint64_t sum;
    hd_graph g;
    hd_plan p;
    plain(&g, N);
    freeze(&g);
    for (n_workers = 2; n_workers < 40; n_workers += 5) {
        sum = uneven_costs(cost, N, seed);
        p = plan_of(&g, n_workers, HD_PLAN_PATH, cost);
        CHECK(makespan(&p, &g, cost, HOP) <= sum / n_workers + 2000);
        hd_plan_clear(&p);
    }
    hd_graph_clear(&g);
}

/* So many tasks of nearly the longest cost that their sum overflows the simulation's unscaled words: the work is still
 * divided evenly. */
static void longest_costs(void)
{
    enum { N = 220000, WORKERS = 2 };
    uint32_t *cost = malloc(N * sizeof *cost), i, w;
    uint64_t sum[WORKERS] = {0}, off;
    hd_graph g;
    hd_plan p;
    plain(&g, N);
    freeze(&g);
    for (i = 0; i < N; i++)
        cost[i] = UINT32_MAX - i * 7919u % 1000000000u;
    p = plan_of(&g, WORKERS, HD_PLAN_PATH, cost);
    for (w = 0; w < WORKERS; w++)
        for (i = p.lists[w]; i < p.lists[w + 1]; i++)
            sum[w] += cost[p.order[i]];
    off = sum[0] > sum[1] ? sum[0] - sum[1] : sum[1] - sum[0];
    CHECK_MSG(off <= UINT32_MAX, "%llu and %llu ns", (unsigned long long)sum[0], (unsigned long long)sum[1]);
    free(cost);
    hd_plan_clear(&p);
    hd_graph_clear(&g);
}

/* Random graphs with uneven costs stay within the bound of list scheduling: longest path plus evenly divided work, with
 * a hop on each edge of the path. */
static void bounded(uint64_t *seed)
{
    enum { N = 400 };
    uint32_t cost[N], i, w, k;
    uint64_t sum, n_workers, bound;
    heddle_task_desc d = HEDDLE_TASK_INIT;
    hd_graph g;
    hd_plan p;
    d.body = 1;
    for (k = 0; k < 20; k++) {
        CHECK(hd_graph_init(&g, &synthetic_table, NULL) == HEDDLE_OK);
        sum = uneven_costs(cost, N, seed);
        n_workers = 2 + check_below(seed, 30);
        for (i = 0; i < N; i++) {
            d.cost_ns = cost[i] + HOP / 2 + HOP; /* for the path only; the plan gets other costs */
            CHECK(hd_graph_add(&g, &d, NULL, NULL) == HEDDLE_OK);
        }
        for (i = 0; i < 2 * N; i++) {
            w = (uint32_t)check_below(seed, N - 1);
            edge(&g, w, w + 1 + (uint32_t)check_below(seed, N - 1 - w));
        }
        freeze(&g);
        CHECK(hd_graph_rank(&g, NULL) == HEDDLE_OK);
        p = plan_of(&g, (uint32_t)n_workers, HD_PLAN_PATH, cost);
        for (i = 0; i < N; i++)
            cost[i] += HOP / 2;
        bound = g.path_cost_ns + (sum + N * HOP / 2) / n_workers;
        CHECK_MSG(makespan(&p, &g, cost, HOP) <= bound, "%u workers", p.n_workers);
        hd_plan_clear(&p);
        hd_graph_clear(&g);
    }
}

/* Bound tasks are on their workers, modulo the number of workers; urgent ones come first. */
static void hints(void)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    uint32_t i, w, *owner;
    hd_graph g;
    hd_plan p;
    d.body = 1;
    CHECK(hd_graph_init(&g, &synthetic_table, NULL) == HEDDLE_OK);
    for (i = 0; i < 100; i++) {
        d.place = i % 3 ? 0 : i + 1;
        d.urgent = i >= 90;
        CHECK(hd_graph_add(&g, &d, NULL, NULL) == HEDDLE_OK);
    }
    freeze(&g);
    p = plan_of(&g, 7, HD_PLAN_PATH, NULL);
    owner = owners(&p);
    for (i = 0; i < 100; i += 3)
        CHECK(owner[i] == i % 7);
    free(owner);
    for (w = i = 0; w < 7; w++)
        for (; p.lists[w] < p.lists[w + 1] && p.order[p.lists[w]] >= 90; p.lists[w]++)
            i++;
    CHECK_MSG(i == 10, "%u urgent tasks at the begin of lists", i);
    hd_plan_clear(&p);
    hd_graph_clear(&g);
}

/* ---- a stencil through a small cache ---- */

enum { SIDE = 32, SWEEPS = 8, TILES = SIDE * SIDE, ROOM = 400 };

/* Tiles in the cache, ordered by their last use. */
typedef struct cache {
    uint32_t tile[ROOM], n, n_missed;
} cache;

static void use(cache *c, uint32_t tile)
{
    uint32_t i;
    for (i = 0; i < c->n && c->tile[i] != tile; i++)
        continue;
    if (i == c->n) {
        c->n_missed++;
        if (c->n < ROOM)
            c->n++;
        i = c->n - 1;
    }
    memmove(c->tile + 1, c->tile, i * sizeof *c->tile);
    c->tile[0] = tile;
}

/* Sweep s reads one of two fields and writes the other. */
static uint32_t missed(const hd_plan *p)
{
    static cache c;
    uint32_t i;
    memset(&c, 0, sizeof c);
    for (i = 0; i < SWEEPS * TILES; i++) {
        uint32_t t = p->order[i] % TILES, from = p->order[i] / TILES % 2 * TILES;
        use(&c, from + t);
        if (t >= SIDE)
            use(&c, from + t - SIDE);
        if (t + SIDE < TILES)
            use(&c, from + t + SIDE);
        use(&c, TILES - from + t);
    }
    return c.n_missed;
}

static void stencil_edges(hd_graph *g)
{
    uint32_t t, at;
    for (t = TILES; t < SWEEPS * TILES; t++) {
        at = t % TILES;
        edge(g, t - TILES, t);
        if (at % SIDE)
            edge(g, t - TILES - 1, t);
        if (at % SIDE + 1 < SIDE)
            edge(g, t - TILES + 1, t);
        if (at >= SIDE)
            edge(g, t - TILES - SIDE, t);
        if (at + SIDE < TILES)
            edge(g, t - TILES + SIDE, t);
    }
}

/* Style depth takes a block of tiles through all sweeps while the cache holds it. */
static void locality(void)
{
    uint32_t by_style[2], style;
    hd_graph g;
    hd_plan p;
    plain(&g, SWEEPS * TILES);
    stencil_edges(&g);
    freeze(&g);
    for (style = 0; style < 2; style++) {
        p = plan_of(&g, 1, style ? HD_PLAN_DEPTH : HD_PLAN_PATH, NULL);
        by_style[style] = missed(&p);
        hd_plan_clear(&p);
    }
    CHECK_MSG(by_style[0] >= 2 * (SWEEPS - 1) * TILES && by_style[1] < by_style[0] * 2 / 5,
              "path missed %u tiles, depth %u", by_style[0], by_style[1]);
    hd_graph_clear(&g);
}

/* Chains of tasks that were added in turn; one chain has no edges. On one worker style depth runs chain after chain, in
 * program order. Style path runs the long chains before the single tasks. */
static void styles(void)
{
    enum { CHAINS = 6, LENGTH = 10 };
    uint32_t i, n_single = 0, last = 0;
    hd_graph g;
    hd_plan p;
    plain(&g, CHAINS * LENGTH);
    for (i = CHAINS; i < CHAINS * LENGTH; i++)
        if (i % CHAINS != 3)
            edge(&g, i - CHAINS, i);
    freeze(&g);
    p = plan_of(&g, 1, HD_PLAN_DEPTH, NULL);
    for (i = 0; i < CHAINS * LENGTH; i++)
        if (p.order[i] % CHAINS == 3) { /* all of its tasks are roots */
            CHECK(p.order[i] >= last);
            last = p.order[i];
            n_single++;
        } else
            CHECK(p.order[i] < CHAINS || p.order[i] == p.order[i - 1] + CHAINS);
    CHECK(n_single == LENGTH);
    hd_plan_clear(&p);
    p = plan_of(&g, 1, HD_PLAN_PATH, NULL);
    for (i = 0; i < (CHAINS - 1) * (LENGTH - 1); i++)
        CHECK(p.order[i] % CHAINS != 3);
    hd_plan_clear(&p);
    hd_graph_clear(&g);
}

/* A join does not wait behind tasks that take time, because other tasks wait for it. */
static void join_at_once(void)
{
    hd_graph g;
    hd_plan p;
    plain(&g, 4);
    CHECK(hd_graph_add_join(&g, NULL) == HEDDLE_OK);
    edge(&g, 0, 1);
    edge(&g, 1, 2);
    edge(&g, 0, 4);
    edge(&g, 4, 3);
    freeze(&g);
    p = plan_of(&g, 1, HD_PLAN_PATH, NULL);
    CHECK(p.order[0] == 0 && p.order[1] == 4);
    hd_plan_clear(&p);
    hd_graph_clear(&g);
}

/* Task 2 follows 0 and 1, which end together; the worker of 1 is taken by 3, which has a longer path behind it. */
static void second_best(void)
{
    uint32_t *owner;
    hd_graph g;
    hd_plan p;
    plain(&g, 5);
    edge(&g, 0, 2);
    edge(&g, 1, 2);
    edge(&g, 1, 3);
    edge(&g, 3, 4);
    freeze(&g);
    p = plan_of(&g, 3, HD_PLAN_PATH, NULL);
    owner = owners(&p);
    CHECK(owner[0] != owner[1] && owner[3] == owner[1] && owner[2] == owner[0]);
    free(owner);
    hd_plan_clear(&p);
    hd_graph_clear(&g);
}

/* ---- files, memory ----------------------------------------------------------------------------------------------- */

static void write_file(const char *text)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, strlen(text), f) == strlen(text) && fclose(f) == 0);
}

static void round_trip(uint32_t n, uint32_t n_workers, uint64_t *seed)
{
    synthetic x;
    hd_plan p, q;
    synthetic_graph(&x, n, n, seed);
    p = plan_of(&x.g, n_workers, HD_PLAN_PATH, NULL);
    CHECK(hd_plan_write(&p, path, NULL) == HEDDLE_OK);
    CHECK_MSG(hd_plan_read(&q, path, NULL) == HEDDLE_OK, "%s", hd_thread_error()->text);
    CHECK(q.n_workers == n_workers && q.n_tasks == n);
    CHECK(memcmp(p.order, q.order, n * sizeof *p.order) == 0);
    CHECK(memcmp(p.lists, q.lists, (n_workers + 1) * sizeof *p.lists) == 0);
    unlink(path);
    hd_plan_clear(&p);
    hd_plan_clear(&q);
    synthetic_free(&x);
}

static const char *const bad_files[][2] = {
    {"", ":1: '{' is expected"},
    {"[]", ":1: '{' is expected, not '['"},
    {"{}", ":1: '\"' is expected, not '}'"},
    {"{\"workers\":1,\n\"tasks\":0}", ":2: \"workers\", \"tasks\" and \"lists\" are not all there"},
    {"{\"workers\":1,\n\"workers\":1}", ":2: \"workers\" comes twice"},
    {"{\"worker\":1}", ":1: a plan has the keys"},
    {"{\"workers and all that follows\":1}", ":1: a plan has the keys"},
    {"{\"workers\":1.0}", ":1: '}' is expected, not '.'"},
    {"{\"workers\":-1}", ":1: a whole number is expected"},
    {"{\"workers\":65537}", ":1: a number beyond 65536"},
    {"{\"workers\":99999999999999999999999}", ":1: a number beyond 65536"},
    {"{\"tasks\":1073741824}", ":1: a number beyond 1073741823"},
    {"{\"lists\":[[1073741823]]}", ":1: a number beyond 1073741822"},
    {"{\"lists\":[0]}", ":1: '[' is expected, not '0'"},
    {"{\"lists\":[[0,]]}", ":1: a whole number is expected"},
    {"{\"lists\":[[0\n1]]}", ":2: ']' is expected, not '1'"},
    {"{\"lists\":[[0],]}", ":1: '[' is expected, not ']'"},
    {"{\"workers\":1,\"tasks\":1,\"lists\":[[0]]", ":1: '}' is expected"},
    {"{\"workers\":1,\"tasks\":1,\"lists\":[[0]]}\n x", ":2: something follows"},
    {"{\"workers\":2,\"tasks\":1,\"lists\":[[0]]}", ":1: 1 lists of 1 tasks for 2 workers and 1 tasks"},
    {"{\"workers\":1,\"tasks\":2,\"lists\":[[0]]}", ":1: 1 lists of 1 tasks for 1 workers and 2 tasks"},
    {"{\"workers\":0,\"tasks\":0,\"lists\":[]}", ":1: 0 lists"},
};

static void files(uint64_t *seed)
{
    hd_plan p;
    hd_error e;
    uint32_t i;
    for (i = 1; i < 40; i++)
        round_trip(i, 1 + (uint32_t)check_below(seed, 12), seed);
    write_file(" {\"lists\": [ [ 2 , 0 ] ,\t[] , [1]\r\n], \"tasks\" :003, \"workers\":3 }\n\n");
    CHECK_MSG(hd_plan_read(&p, path, NULL) == HEDDLE_OK, "%s", hd_thread_error()->text);
    CHECK(p.n_workers == 3 && p.n_tasks == 3 && p.order[0] == 2 && p.order[1] == 0 && p.order[2] == 1);
    CHECK(p.lists[0] == 0 && p.lists[1] == 2 && p.lists[2] == 2 && p.lists[3] == 3);
    hd_plan_clear(&p);
    for (i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        write_file(bad_files[i][0]);
        CHECK_MSG(hd_plan_read(&p, path, &e) == HEDDLE_EPARSE, "%s", bad_files[i][0]);
        CHECK_MSG(!strncmp(e.text, path, strlen(path)), "%s", e.text);
        CHECK_MSG(!strncmp(e.text + strlen(path), bad_files[i][1], strlen(bad_files[i][1])), "%s: %s", bad_files[i][0],
                  e.text);
    }
    unlink(path);
    CHECK(hd_plan_read(&p, path, &e) == HEDDLE_EIO && strstr(e.text, "cannot be read"));
    CHECK(hd_plan_read(&p, folder, &e) == HEDDLE_EIO && strstr(e.text, "cannot be read"));
}

/* Makes all calls once; each stops at the first failure. */
static heddle_status all_calls(const hd_graph *g)
{
    hd_plan p, q, r;
    hd_steps s;
    heddle_status st = hd_plan_make(&p, g, 5, HD_PLAN_PATH, NULL, HOP, NULL);
    if (st != HEDDLE_OK)
        return st;
    st = hd_plan_check(&p, g, NULL);
    if (st == HEDDLE_OK && (st = hd_plan_copy(&q, &p, NULL)) == HEDDLE_OK)
        hd_plan_clear(&q);
    if (st == HEDDLE_OK && (st = hd_steps_make(&s, &p, g, NULL)) == HEDDLE_OK)
        hd_steps_clear(&s);
    if (st == HEDDLE_OK)
        st = hd_plan_write(&p, path, NULL);
    if (st == HEDDLE_OK && (st = hd_plan_read(&r, path, NULL)) == HEDDLE_OK)
        hd_plan_clear(&r);
    hd_plan_clear(&p);
    return st;
}

static void memory(uint64_t *seed)
{
    heddle_status st = HEDDLE_ENOMEM;
    uint64_t held, n;
    synthetic x;
    synthetic_graph(&x, 50, 100, seed);
    held = hd_held_bytes();
    for (n = 1; st != HEDDLE_OK; n++) {
        hd_fail_alloc_at(n);
        st = all_calls(&x.g);
        hd_fail_alloc_at(0);
        CHECK(st == HEDDLE_ENOMEM || (st == HEDDLE_OK && n > 30));
        CHECK_MSG(hd_held_bytes() == held, "allocation %llu failed", (unsigned long long)n);
    }
    unlink(path);
    synthetic_free(&x);
}

/* No tasks, one task: plans, steps and files of them. */
static void small(uint64_t *seed)
{
    hd_graph g;
    hd_plan p;
    hd_steps s;
    plain(&g, 0);
    freeze(&g);
    p = plan_of(&g, 3, HD_PLAN_PATH, NULL);
    CHECK(hd_steps_make(&s, &p, &g, NULL) == HEDDLE_OK);
    CHECK(s.n_steps == 3 && s.steps[0].task == HD_NONE && s.steps[2].task == HD_NONE && s.lists[2] == 2);
    hd_steps_clear(&s);
    hd_plan_clear(&p);
    CHECK(all_calls(&g) == HEDDLE_OK);
    unlink(path);
    hd_graph_clear(&g);
    round_trip(1, 1, seed);
}

int main(void)
{
    uint64_t seed = check_seed(20260214), held = hd_held_bytes();
    uint32_t i, n_dropped = 0, n_cyclic = 0;
    folder = synthetic_mkdir();
    snprintf(path, sizeof path, "%s/plan.json", folder);
    for (i = 0; i < 600; i++)
        n_dropped += random_steps(&seed);
    for (i = 0; i < 2000; i++)
        n_cyclic += (uint32_t)random_lists(&seed);
    printf("%u edges between workers were dropped; %u of 2000 lists have a cycle\n", n_dropped, n_cyclic);
    CHECK(n_dropped > 500 && n_cyclic > 300 && n_cyclic < 1700);
    no_plans(&seed);
    simple_shapes();
    wavefronts();
    uneven(&seed);
    longest_costs();
    bounded(&seed);
    hints();
    styles();
    locality();
    join_at_once();
    second_best();
    files(&seed);
    memory(&seed);
    small(&seed);
    CHECK(hd_held_bytes() == held);
    synthetic_rmdir(folder);
    return 0;
}
