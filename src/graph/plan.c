/* SPDX-License-Identifier: MIT */
/* plan.c - list scheduling: assigns tasks to workers, in order; and checks whether given lists can run at all.
 *
 * The planner simulates the run. Time moves from one task's end to the next; while a worker is idle, the best ready task is
 * given to a worker. A hand-over between two workers takes hop_ns. A task takes its cost and half a hop, about what fetching
 * it costs the worker that ran its predecessor. A join takes nothing.
 *
 * Only three workers are considered for a task: the idle one with the least number, and those of the two predecessors that
 * ended last. On any other worker the task's data arrives no sooner. Sorting settles the priority of tasks before the
 * simulation; the ready set is then one bit per rank. Planning therefore costs a few words and two climbs of a tree of
 * workers per task, and one step per edge.
 *
 * An unknown cost counts as eight hops. If it counted as little, no task would be worth a hand-over, and one worker would get
 * them all: the worse mistake. */
#include "graph/plan.h"

#include <string.h>

#define UNKNOWN_HOPS 8u
#define SLACK 4u /* up to 1/SLACK of a hop later counts as equally soon */

/* ---- ready tasks, idle workers ------------------------------------------------------------------------------------ */

/* A set of numbers with a fast minimum: one bit per number, one bit per word of those, and so on. */
typedef struct bits {
    uint64_t *level[6]; /* 64^6 is more than HEDDLE_MAX_TASKS */
    uint64_t n_words[6];
    int n_levels;
} bits;

static void bits_clear(bits *b)
{
    int k;
    for (k = 0; k < b->n_levels; k++)
        hd_delete(b->level[k], b->n_words[k] * sizeof *b->level[k]);
}

static int bits_room(bits *b, uint64_t n)
{
    int missing = 0;
    do {
        n = n / 64 + 1;
        b->n_words[b->n_levels] = n;
        b->level[b->n_levels] = hd_new(n * sizeof *b->level[0]);
        missing |= !b->level[b->n_levels++];
    } while (n > 1);
    return missing ? -1 : 0;
}

static int bits_any(const bits *b) { return b->level[b->n_levels - 1][0] != 0; }

static void bits_put(bits *b, uint64_t i)
{
    int k;
    for (k = 0; k < b->n_levels; k++, i /= 64) {
        uint64_t *word = &b->level[k][i / 64], had = *word;
        *word |= 1ull << i % 64;
        if (had)
            break;
    }
}

static void bits_drop(bits *b, uint64_t i)
{
    int k;
    for (k = 0; k < b->n_levels; k++, i /= 64)
        if (b->level[k][i / 64] &= ~(1ull << i % 64))
            break;
}

/* The set must not be empty. */
static uint32_t bits_least(const bits *b)
{
    uint64_t at = 0;
    int k;
    for (k = b->n_levels; k-- > 0;)
        at = 64 * at + (uint64_t)__builtin_ctzll(b->level[k][at]);
    return (uint32_t)at;
}

/* ---- the worker that ends first ----------------------------------------------------------------------------------- */

#define WORKER_BITS 16 /* HD_PLAN_MAX_WORKERS fits */
#define TIME_BITS (64 - WORKER_BITS)
#define NEVER ((1ull << TIME_BITS) - 1)

/* A tournament tree of one time per worker: each node is the lesser of its two children. A word holds a time above a worker's
 * number, so one comparison orders both, and ties go to the lower worker. */
typedef struct tree {
    uint64_t *at; /* root at 1, leaves from n_leaves */
    uint64_t n_leaves;
} tree;

static uint64_t word_of(uint64_t ns, uint64_t worker) { return ns << WORKER_BITS | worker; }
static uint64_t first_ns(const tree *t) { return t->at[1] >> WORKER_BITS; }
static uint32_t first_worker(const tree *t) { return (uint32_t)(t->at[1] & ((1u << WORKER_BITS) - 1)); }

/* Sets all workers to NEVER. */
static int tree_room(tree *t, uint32_t n_workers)
{
    uint64_t i;
    t->n_leaves = hd_power_of_two(n_workers);
    t->at = hd_new(2 * t->n_leaves * sizeof *t->at);
    if (!t->at)
        return -1;
    for (i = 0; i < t->n_leaves; i++)
        t->at[t->n_leaves + i] = word_of(NEVER, i);
    for (i = t->n_leaves - 1; i > 0; i--)
        t->at[i] = t->at[2 * i];
    return 0;
}

static void set_time(tree *t, uint32_t worker, uint64_t ns)
{
    uint64_t i = t->n_leaves + worker, x = word_of(ns, worker), y;
    for (t->at[i] = x; i > 1; t->at[i] = x) {
        y = t->at[i ^ 1];
        x = y < x ? y : x;
        i /= 2;
    }
}

/* ---- the simulation ----------------------------------------------------------------------------------------------- */

/* A task's predecessors so far. They end in order of time, so only the last two workers matter. */
typedef struct arrival {
    uint64_t last_ns, other_ns;   /* the last end; the last end on another worker */
    uint32_t last, other, n_left; /* their workers, or HD_NONE; predecessors still running */
    uint32_t rank;                /* its place among all tasks; the least rank goes first */
} arrival;

/* Tasks given to a worker that have not ended, in order. */
typedef struct hand {
    uint64_t ns;          /* when all of them will have ended */
    uint32_t first, last; /* tasks, or HD_NONE */
} hand;

typedef struct maker {
    const hd_graph *g;
    const uint32_t *cost_ns; /* or NULL */
    uint64_t hop_ns, now_ns, n_tasks, n_started, n_ended;
    uint32_t n_workers;
    int coarse;        /* bits dropped from every time so that sums fit into TIME_BITS */
    uint64_t *path;    /* priority, larger first: cost to the end, or hd_depth_ranks; then the task's end */
    arrival *arrivals; /* one per task */
    uint32_t *by_rank; /* all tasks, by rank */
    uint32_t *started; /* tasks in the order they were given out */
    uint32_t *owner;   /* the worker of each task */
    uint32_t *behind;  /* the next task of the same hand, or HD_NONE */
    hand *hands;       /* one per worker */
    bits ready, idle;  /* ranks; workers */
    tree ends;         /* per worker: when its first task ends */
} maker;

static uint64_t cost_of(const maker *m, uint32_t t)
{
    const hd_task *task = hd_graph_task(m->g, t);
    uint64_t known = m->cost_ns ? m->cost_ns[t] : task->cost_ns;
    if (task->body == HD_BODY_JOIN)
        return 0;
    if (!known)
        known = m->cost_ns ? 1 : UNKNOWN_HOPS * m->hop_ns + 1;
    return (known >> m->coarse) + m->hop_ns / 2;
}

/* Bounds times: no task ends later than all tasks and one hop each in sequence. Times beyond TIME_BITS get a coarser unit. */
static void choose_scale(maker *m)
{
    uint64_t most = m->hop_ns, ns;
    uint32_t t;
    for (t = 0; t < m->n_tasks; t++) {
        ns = m->cost_ns ? m->cost_ns[t] : hd_graph_task(m->g, t)->cost_ns;
        most = ns > most ? ns : most;
    }
    while ((most >> m->coarse) >= NEVER / (16 * (m->n_tasks + 1)))
        m->coarse++;
    m->hop_ns >>= m->coarse;
}

/* path[t] = cost of t + the longest path of its successors, which must be set. Returns 0 if a successor precedes t in program
 * order. */
static int find_path(maker *m, uint32_t t)
{
    const hd_task *task = hd_graph_task(m->g, t);
    uint64_t most = 0;
    uint32_t k, later = HD_NONE;
    for (k = 0; k < task->n_succ; k++) {
        uint32_t s = hd_graph_edge(m->g, task, k).task;
        later = s < later ? s : later;
        most = m->path[s] > most ? m->path[s] : most;
    }
    m->path[t] = most + cost_of(m, t);
    return later > t;
}

/* Longest paths to the end, in reverse program order. An explicit edge may run against that order; a topological order then
 * serves instead. Uses started and owner as scratch. */
static void find_paths(maker *m)
{
    uint64_t i = m->n_tasks;
    while (i > 0 && find_path(m, (uint32_t)i - 1))
        i--;
    if (!i)
        return;
    for (i = hd_graph_order(m->g, m->started, m->owner); i-- > 0;)
        (void)find_path(m, m->started[i]);
}

/* ---- ranks -------------------------------------------------------------------------------------------------------- */

#define DIGIT 11
#define N_DIGITS (1u << DIGIT)

/* Smaller goes first: joins, since other tasks wait behind them; then urgent tasks; then by `path`. */
static uint64_t key_of(const maker *m, uint32_t t, uint64_t longest)
{
    const hd_task *task = hd_graph_task(m->g, t);
    if (task->body == HD_BODY_JOIN)
        return 0;
    return 1 + longest - m->path[t] + (task->flags & HD_TASK_URGENT ? 0 : longest + 1);
}

/* One stable pass of a radix sort, from `from` to `to`. */
static void sort_digit(const uint64_t *key, const uint32_t *from, uint32_t *to, uint64_t n, int shift)
{
    uint64_t at[N_DIGITS + 1] = {0}, i;
    for (i = 0; i < n; i++)
        at[(key[i] >> shift) % N_DIGITS + 1]++;
    for (i = 0; i < N_DIGITS; i++)
        at[i + 1] += at[i];
    for (i = 0; i < n; i++)
        to[at[(key[from[i]] >> shift) % N_DIGITS]++] = from[i];
}

/* Sets by_rank and all ranks; path becomes the key. Uses started as scratch. */
static void rank_all(maker *m)
{
    uint64_t longest = 0, i;
    uint32_t *from = m->by_rank, *to = m->started, *last;
    int shift;
    for (i = 0; i < m->n_tasks; i++)
        longest = m->path[i] > longest ? m->path[i] : longest;
    longest = longest < NEVER / 4 ? longest : NEVER / 4;
    for (i = 0; i < m->n_tasks; i++) {
        m->path[i] = m->path[i] < longest ? m->path[i] : longest;
        m->path[i] = key_of(m, (uint32_t)i, longest);
        from[i] = (uint32_t)i;
    }
    for (shift = 0; shift < 64 && (2 * longest + 2) >> shift; shift += DIGIT) {
        sort_digit(m->path, from, to, m->n_tasks, shift);
        last = from;
        from = to;
        to = last;
    }
    m->by_rank = from;
    m->started = to;
    for (i = 0; i < m->n_tasks; i++)
        m->arrivals[from[i]].rank = (uint32_t)i;
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

/* The time at which worker w could begin a task. */
static uint64_t begin_on(const maker *m, const arrival *a, uint32_t w)
{
    uint64_t at = m->hands[w].ns, data = 0;
    if (a->last == w)
        data = a->other != HD_NONE && a->other_ns + m->hop_ns > a->last_ns ? a->other_ns + m->hop_ns : a->last_ns;
    else if (a->last != HD_NONE)
        data = a->last_ns + m->hop_ns;
    at = at > data ? at : data;
    return at > m->now_ns ? at : m->now_ns;
}

/* A predecessor's worker if it can begin nearly as soon as any other; else the idle worker with the least number. On a GPU,
 * the first workers have a multiprocessor each. */
static uint32_t choose(const maker *m, uint32_t t)
{
    const arrival *a = &m->arrivals[t];
    uint32_t place = hd_graph_task(m->g, t)->flags >> HD_TASK_PLACE, first = bits_least(&m->idle), near = a->last;
    if (place)
        return (place - 1) % m->n_workers;
    if (near == HD_NONE)
        return first;
    if (a->other != HD_NONE && begin_on(m, a, a->other) < begin_on(m, a, near))
        near = a->other;
    return begin_on(m, a, near) <= begin_on(m, a, first) + m->hop_ns / SLACK ? near : first;
}

/* Prefetches the words that the task's end will touch: its first successors'. */
static void fetch(const maker *m, const hd_task *task)
{
    uint32_t i;
    for (i = 0; i < task->n_succ && i < HD_INLINE_SUCC; i++)
        __builtin_prefetch(&m->arrivals[task->first[i].task]);
}

static void start(maker *m, uint32_t t)
{
    uint32_t w = choose(m, t);
    hand *h = &m->hands[w];
    uint64_t end = begin_on(m, &m->arrivals[t], w) + cost_of(m, t);
    fetch(m, hd_graph_task(m->g, t));
    m->owner[t] = w;
    m->started[m->n_started++] = t;
    m->path[t] = end;
    m->behind[t] = HD_NONE;
    if (h->first == HD_NONE) {
        h->first = t;
        set_time(&m->ends, w, end);
        bits_drop(&m->idle, w);
    } else {
        m->behind[h->last] = t;
    }
    h->last = t;
    h->ns = end;
}

static void arrive(maker *m, uint32_t t, uint32_t w)
{
    arrival *a = &m->arrivals[t];
    if (a->last != w) {
        a->other = a->last;
        a->other_ns = a->last_ns;
    }
    a->last = w;
    a->last_ns = m->now_ns;
    if (--a->n_left == 0) {
        __builtin_prefetch(hd_graph_task(m->g, t));
        bits_put(&m->ready, a->rank);
    }
}

/* Ends the first task of worker w. */
static void end(maker *m, uint32_t w)
{
    hand *h = &m->hands[w];
    const hd_task *task = hd_graph_task(m->g, h->first);
    uint32_t i;
    m->n_ended++;
    h->first = m->behind[h->first];
    set_time(&m->ends, w, h->first == HD_NONE ? NEVER : m->path[h->first]);
    if (h->first == HD_NONE)
        bits_put(&m->idle, w);
    for (i = 0; i < task->n_succ; i++)
        arrive(m, hd_graph_edge(m->g, task, i).task, w);
}

static void simulate(maker *m)
{
    uint32_t t;
    for (t = 0; t < m->n_workers; t++) {
        m->hands[t] = (hand){0, HD_NONE, HD_NONE};
        bits_put(&m->idle, t);
    }
    for (t = 0; t < m->n_tasks; t++) {
        arrival *a = &m->arrivals[t];
        *a = (arrival){0, 0, HD_NONE, HD_NONE, hd_graph_task(m->g, t)->n_in, a->rank};
        if (!a->n_left)
            bits_put(&m->ready, a->rank);
    }
    while (m->n_ended < m->n_tasks) {
        while (bits_any(&m->ready) && bits_any(&m->idle)) {
            t = bits_least(&m->ready);
            bits_drop(&m->ready, t);
            start(m, m->by_rank[t]);
        }
        m->now_ns = first_ns(&m->ends);
        while (first_ns(&m->ends) == m->now_ns && m->n_ended < m->n_started)
            end(m, first_worker(&m->ends));
    }
}

/* Sorts the started tasks by worker, keeping the order of time. */
static void write_lists(const maker *m, hd_plan *out)
{
    uint64_t i;
    uint32_t w;
    for (i = 0; i < m->n_tasks; i++)
        out->lists[m->owner[i]]++;
    for (w = 1; w <= m->n_workers; w++)
        out->lists[w] += out->lists[w - 1];
    for (i = m->n_tasks; i-- > 0;)
        out->order[--out->lists[m->owner[m->started[i]]]] = m->started[i];
}

static void maker_clear(maker *m)
{
    hd_delete(m->path, m->n_tasks * sizeof *m->path);
    hd_delete(m->arrivals, m->n_tasks * sizeof *m->arrivals);
    hd_delete(m->by_rank, m->n_tasks * sizeof *m->by_rank);
    hd_delete(m->started, m->n_tasks * sizeof *m->started);
    hd_delete(m->owner, m->n_tasks * sizeof *m->owner);
    hd_delete(m->behind, m->n_tasks * sizeof *m->behind);
    hd_delete(m->hands, m->n_workers * sizeof *m->hands);
    hd_delete(m->ends.at, 2 * m->ends.n_leaves * sizeof *m->ends.at);
    bits_clear(&m->ready);
    bits_clear(&m->idle);
}

static int maker_room(maker *m)
{
    m->path = hd_new(m->n_tasks * sizeof *m->path);
    m->arrivals = hd_new(m->n_tasks * sizeof *m->arrivals);
    m->by_rank = hd_new(m->n_tasks * sizeof *m->by_rank);
    m->started = hd_new(m->n_tasks * sizeof *m->started);
    m->owner = hd_new(m->n_tasks * sizeof *m->owner);
    m->behind = hd_new(m->n_tasks * sizeof *m->behind);
    m->hands = hd_new(m->n_workers * sizeof *m->hands);
    if (m->path && m->arrivals && m->by_rank && m->started && m->owner && m->behind && m->hands &&
        !tree_room(&m->ends, m->n_workers) && !bits_room(&m->ready, m->n_tasks) && !bits_room(&m->idle, m->n_workers))
        return 0;
    maker_clear(m);
    return -1;
}

heddle_status hd_plan_make(hd_plan *out, const hd_graph *g, uint32_t n_workers, hd_plan_style style,
                           const uint32_t *cost_ns, uint32_t hop_ns, hd_error *e)
{
    maker m;
    heddle_status s;
    memset(&m, 0, sizeof m);
    m.g = g;
    m.cost_ns = cost_ns;
    m.hop_ns = hop_ns;
    m.n_tasks = g->n_tasks;
    m.n_workers = n_workers;
    s = hd_plan_room(out, n_workers, g->n_tasks, e);
    if (s == HEDDLE_OK && maker_room(&m)) {
        hd_plan_clear(out);
        s = hd_say(e, HEDDLE_ENOMEM, "planning a graph: out of memory");
    }
    if (s != HEDDLE_OK)
        return s;
    choose_scale(&m);
    if (style == HD_PLAN_PATH)
        find_paths(&m);
    else if (hd_depth_ranks(g, m.path))
        s = hd_say(e, HEDDLE_ENOMEM, "planning a graph: out of memory");
    if (s == HEDDLE_OK) {
        rank_all(&m);
        simulate(&m);
        write_lists(&m, out);
    } else {
        hd_plan_clear(out);
    }
    maker_clear(&m);
    return s;
}

/* ---- plans -------------------------------------------------------------------------------------------------------- */

heddle_status hd_plan_room(hd_plan *out, uint32_t n_workers, uint64_t n_tasks, hd_error *e)
{
    memset(out, 0, sizeof *out);
    if (!n_workers || n_workers > HD_PLAN_MAX_WORKERS)
        return hd_say(e, HEDDLE_ERANGE, "a plan for %u workers; 1 to %u are possible", n_workers, HD_PLAN_MAX_WORKERS);
    out->n_workers = n_workers;
    out->n_tasks = n_tasks;
    out->lists = hd_new((n_workers + 1ull) * sizeof *out->lists);
    out->order = hd_new(n_tasks * sizeof *out->order);
    if (out->lists && out->order)
        return HEDDLE_OK;
    hd_plan_clear(out);
    return hd_say(e, HEDDLE_ENOMEM, "a plan of %llu tasks: out of memory", (unsigned long long)n_tasks);
}

heddle_status hd_plan_copy(hd_plan *out, const hd_plan *p, hd_error *e)
{
    HD_TRY(hd_plan_room(out, p->n_workers, p->n_tasks, e));
    memcpy(out->lists, p->lists, (p->n_workers + 1ull) * sizeof *p->lists);
    memcpy(out->order, p->order, p->n_tasks * sizeof *p->order);
    return HEDDLE_OK;
}

void hd_plan_clear(hd_plan *p)
{
    hd_delete(p->lists, (p->n_workers + 1ull) * sizeof *p->lists);
    hd_delete(p->order, p->n_tasks * sizeof *p->order);
    memset(p, 0, sizeof *p);
}

/* ---- checks ------------------------------------------------------------------------------------------------------- */

/* A replay of the lists: worker w is about to run order[at[w]]. */
typedef struct walk {
    const hd_plan *p;
    const hd_graph *g;
    uint32_t *owner, *left;        /* per task: its worker; predecessors not run yet */
    uint32_t *at, *awake, n_awake; /* workers with a next task that just became ready */
} walk;

static void walk_clear(walk *k)
{
    hd_delete(k->owner, k->p->n_tasks * sizeof *k->owner);
    hd_delete(k->left, k->p->n_tasks * sizeof *k->left);
    hd_delete(k->at, k->p->n_workers * sizeof *k->at);
    hd_delete(k->awake, k->p->n_workers * sizeof *k->awake);
}

/* Checks that the lists are contiguous and contain every task once. */
static heddle_status check_form(walk *k, hd_error *e)
{
    const hd_plan *p = k->p;
    uint32_t w, i, t;
    if (p->lists[0] != 0 || p->lists[p->n_workers] != p->n_tasks)
        return hd_say(e, HEDDLE_EINVAL, "a plan whose lists do not add up to its tasks");
    memset(k->owner, 0xff, p->n_tasks * sizeof *k->owner);
    for (w = 0; w < p->n_workers; w++) {
        if (p->lists[w] > p->lists[w + 1] || p->lists[w + 1] > p->n_tasks)
            return hd_say(e, HEDDLE_EINVAL, "a plan whose list of worker %u ends before it begins", w);
        for (i = p->lists[w]; i < p->lists[w + 1]; i++) {
            t = p->order[i];
            if (t >= p->n_tasks)
                return hd_say(e, HEDDLE_EINVAL, "the plan has task %u; the graph has %llu tasks", t,
                              (unsigned long long)p->n_tasks);
            if (k->owner[t] != HD_NONE)
                return hd_say(e, HEDDLE_EINVAL,
                              "the plan has task %u twice, on workers %u and %u, so another is missing", t, k->owner[t],
                              w);
            k->owner[t] = w;
        }
    }
    return HEDDLE_OK;
}

static int is_next(const walk *k, uint32_t w, uint32_t t)
{
    return k->at[w] < k->p->lists[w + 1] && k->p->order[k->at[w]] == t;
}

/* Runs worker w's list as far as it can; returns the number of tasks run. */
static uint64_t advance(walk *k, uint32_t w)
{
    uint64_t n = 0;
    uint32_t i, s, next;
    for (; k->at[w] < k->p->lists[w + 1] && !k->left[k->p->order[k->at[w]]]; n++) {
        const hd_task *task = hd_graph_task(k->g, k->p->order[k->at[w]++]);
        for (i = 0; i < task->n_succ; i++) {
            s = hd_graph_edge(k->g, task, i).task;
            next = k->owner[s];
            if (--k->left[s] == 0 && next != w && is_next(k, next, s))
                k->awake[k->n_awake++] = next;
        }
    }
    return n;
}

static heddle_status check_order(walk *k, hd_error *e)
{
    uint64_t n_run = 0;
    uint32_t w, t;
    for (t = 0; t < k->p->n_tasks; t++)
        k->left[t] = hd_graph_task(k->g, t)->n_in;
    for (w = 0; w < k->p->n_workers; w++)
        k->at[w] = k->p->lists[w];
    for (w = 0; w < k->p->n_workers; w++) {
        n_run += advance(k, w);
        while (k->n_awake)
            n_run += advance(k, k->awake[--k->n_awake]);
    }
    for (w = 0; n_run < k->p->n_tasks; w++)
        if (k->at[w] < k->p->lists[w + 1])
            return hd_say(e, HEDDLE_ECYCLE,
                          "the plan's lists and the graph's edges form a cycle: worker %u could never begin task %u", w,
                          k->p->order[k->at[w]]);
    return HEDDLE_OK;
}

heddle_status hd_plan_check(const hd_plan *p, const hd_graph *g, hd_error *e)
{
    walk k;
    heddle_status s;
    if (!p->n_workers || p->n_tasks != g->n_tasks)
        return hd_say(e, HEDDLE_EINVAL, "a plan of %llu tasks for %u workers; the graph has %llu tasks",
                      (unsigned long long)p->n_tasks, p->n_workers, (unsigned long long)g->n_tasks);
    memset(&k, 0, sizeof k);
    k.p = p;
    k.g = g;
    k.owner = hd_new(p->n_tasks * sizeof *k.owner);
    k.left = hd_new(p->n_tasks * sizeof *k.left);
    k.at = hd_new(p->n_workers * sizeof *k.at);
    k.awake = hd_new(p->n_workers * sizeof *k.awake);
    if (k.owner && k.left && k.at && k.awake) {
        s = check_form(&k, e);
        s = s == HEDDLE_OK ? check_order(&k, e) : s;
    } else
        s = hd_say(e, HEDDLE_ENOMEM, "checking a plan: out of memory");
    walk_clear(&k);
    return s;
}
