/* SPDX-License-Identifier: MIT */
/* plan.c - list scheduling: which worker shall run which tasks in which order; and whether given lists can be run at all.
 *
 * A simulation of the run. Time moves from one end of a task to the next; whenever a worker is free, the best of the
 * ready tasks is given to a worker. A hand-over between two workers takes hop_ns, a task takes its cost and half a hop,
 * which is about what taking a task costs a worker that had the one before it; a join takes nothing.
 *
 * Only three workers are looked at for a task: the one that is free first, and those of the two predecessors that ended
 * last. To any other, the task comes as late as to the first of these. So planning takes a heap operation or two a task
 * and one step an edge, whatever the number of workers.
 *
 * Costs that nobody knows count as eight hops: tasks too small to be worth a hand-over would all be given to one worker,
 * which is the worse mistake. */
#include "graph/plan.h"

#include <string.h>

#define UNKNOWN_HOPS 8u
#define SLACK 4u /* a quarter of a hop later is as soon */

/* ---- heaps -------------------------------------------------------------------------------------------------------- */

/* The least key first; of equal ones the least id. */
typedef struct item {
    uint64_t key;
    uint32_t id;
} item;

typedef struct heap {
    item *at;
    uint32_t n, *where; /* where: the place of each id, for heaps whose keys grow; or NULL */
} heap;

static int before(item a, item b) { return a.key != b.key ? a.key < b.key : a.id < b.id; }

static void set(heap *h, uint32_t i, item x)
{
    h->at[i] = x;
    if (h->where)
        h->where[x.id] = i;
}

/* Puts x where the free place i is, or below it. */
static void sink(heap *h, uint32_t i, item x)
{
    uint32_t child;
    for (; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && before(h->at[child + 1], h->at[child]))
            child++;
        if (!before(h->at[child], x))
            break;
        set(h, i, h->at[child]);
    }
    set(h, i, x);
}

static void put(heap *h, uint64_t key, uint32_t id)
{
    item x = {key, id};
    uint32_t i = h->n++;
    for (; i > 0 && before(x, h->at[(i - 1) / 2]); i = (i - 1) / 2)
        set(h, i, h->at[(i - 1) / 2]);
    set(h, i, x);
}

static uint32_t take(heap *h)
{
    uint32_t id = h->at[0].id;
    item last = h->at[--h->n];
    if (h->n)
        sink(h, 0, last);
    return id;
}

/* ---- the simulation ----------------------------------------------------------------------------------------------- */

/* What is known of a task's predecessors. They end in order of time, so the last two workers are all that matters. */
typedef struct arrival {
    uint64_t last_ns, other_ns;   /* the last end; the last one on another worker than that */
    uint32_t last, other, n_left; /* their workers, or HD_NONE; predecessors that have not ended */
} arrival;

typedef struct maker {
    const hd_graph *g;
    const uint32_t *cost_ns; /* or NULL */
    uint64_t hop_ns, now_ns, n_tasks, n_started, n_ended;
    uint32_t n_workers;
    uint64_t *path;    /* more goes first: cost from each task to the end; style depth: hd_depth_ranks */
    arrival *arrivals; /* one a task */
    uint32_t *started; /* tasks in the order in which they were given to workers */
    uint32_t *owner;   /* the worker of each task */
    heap ready, going; /* tasks by rank; tasks by their end */
    heap workers;      /* by the time when they have done what they were given */
} maker;

static uint64_t cost_of(const maker *m, uint32_t t)
{
    const hd_task *task = hd_graph_task(m->g, t);
    uint64_t known = m->cost_ns ? m->cost_ns[t] : task->cost_ns;
    if (task->body == HD_BODY_JOIN)
        return 0;
    if (!known)
        known = m->cost_ns ? 1 : UNKNOWN_HOPS * m->hop_ns + 1;
    return known + m->hop_ns / 2;
}

/* Longest paths to the end. started and owner serve as scratch. */
static void find_paths(maker *m)
{
    uint64_t i = hd_graph_order(m->g, m->started, m->owner);
    uint32_t k;
    while (i-- > 0) {
        const hd_task *task = hd_graph_task(m->g, m->started[i]);
        uint64_t most = 0;
        for (k = 0; k < task->n_succ; k++) {
            uint64_t path = m->path[hd_graph_edge(m->g, task, k).task];
            most = path > most ? path : most;
        }
        m->path[m->started[i]] = most + cost_of(m, m->started[i]);
    }
}

/* Smaller is sooner: joins at once, for others wait behind them; then urgent tasks; then by `path`. */
static void make_ready(maker *m, uint32_t t)
{
    const uint64_t most = (1ull << 62) - 1;
    const hd_task *task = hd_graph_task(m->g, t);
    uint64_t key = m->path[t] < most ? most - m->path[t] : 0;
    if (!(task->flags & HD_TASK_URGENT))
        key |= 1ull << 62;
    put(&m->ready, task->body == HD_BODY_JOIN ? 0 : key, t);
}

/* When worker w could begin a task. */
static uint64_t begin_on(const maker *m, const arrival *a, uint32_t w)
{
    uint64_t at = m->workers.at[m->workers.where[w]].key, data = 0;
    if (a->last == w)
        data = a->other != HD_NONE && a->other_ns + m->hop_ns > a->last_ns ? a->other_ns + m->hop_ns : a->last_ns;
    else if (a->last != HD_NONE)
        data = a->last_ns + m->hop_ns;
    at = at > data ? at : data;
    return at > m->now_ns ? at : m->now_ns;
}

/* Where data of the task lies, if it can begin there nearly as soon as anywhere. */
static uint32_t choose(const maker *m, uint32_t t)
{
    const arrival *a = &m->arrivals[t];
    uint32_t place = hd_graph_task(m->g, t)->flags >> HD_TASK_PLACE, first = m->workers.at[0].id, near = a->last;
    if (place)
        return (place - 1) % m->n_workers;
    if (near == HD_NONE)
        return first;
    if (a->other != HD_NONE && begin_on(m, a, a->other) < begin_on(m, a, near))
        near = a->other;
    return begin_on(m, a, near) <= begin_on(m, a, first) + m->hop_ns / SLACK ? near : first;
}

static void start(maker *m, uint32_t t)
{
    uint32_t w = choose(m, t);
    uint64_t end = begin_on(m, &m->arrivals[t], w) + cost_of(m, t);
    item x = {end, w};
    m->owner[t] = w;
    m->started[m->n_started++] = t;
    sink(&m->workers, m->workers.where[w], x);
    put(&m->going, end, t);
}

static void end(maker *m, uint32_t t)
{
    const hd_task *task = hd_graph_task(m->g, t);
    uint32_t i, w = m->owner[t];
    m->n_ended++;
    for (i = 0; i < task->n_succ; i++) {
        uint32_t s = hd_graph_edge(m->g, task, i).task;
        arrival *a = &m->arrivals[s];
        if (a->last != w) {
            a->other = a->last;
            a->other_ns = a->last_ns;
        }
        a->last = w;
        a->last_ns = m->now_ns;
        if (--a->n_left == 0)
            make_ready(m, s);
    }
}

static void simulate(maker *m)
{
    uint32_t t;
    for (t = 0; t < m->n_workers; t++)
        put(&m->workers, 0, t);
    for (t = 0; t < m->n_tasks; t++) {
        m->arrivals[t] = (arrival){0, 0, HD_NONE, HD_NONE, hd_graph_task(m->g, t)->n_in};
        if (!m->arrivals[t].n_left)
            make_ready(m, t);
    }
    while (m->n_ended < m->n_tasks) {
        while (m->ready.n && m->workers.at[0].key <= m->now_ns)
            start(m, take(&m->ready));
        m->now_ns = m->going.at[0].key;
        while (m->going.n && m->going.at[0].key == m->now_ns)
            end(m, take(&m->going));
    }
}

/* Sorts what was started by worker, keeping the order of time. */
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
    hd_delete(m->started, m->n_tasks * sizeof *m->started);
    hd_delete(m->owner, m->n_tasks * sizeof *m->owner);
    hd_delete(m->ready.at, m->n_tasks * sizeof(item));
    hd_delete(m->going.at, m->n_tasks * sizeof(item));
    hd_delete(m->workers.at, m->n_workers * sizeof(item));
    hd_delete(m->workers.where, m->n_workers * sizeof(uint32_t));
}

static int maker_room(maker *m)
{
    m->path = hd_new(m->n_tasks * sizeof *m->path);
    m->arrivals = hd_new(m->n_tasks * sizeof *m->arrivals);
    m->started = hd_new(m->n_tasks * sizeof *m->started);
    m->owner = hd_new(m->n_tasks * sizeof *m->owner);
    m->ready.at = hd_new(m->n_tasks * sizeof(item));
    m->going.at = hd_new(m->n_tasks * sizeof(item));
    m->workers.at = hd_new(m->n_workers * sizeof(item));
    m->workers.where = hd_new(m->n_workers * sizeof(uint32_t));
    if (m->path && m->arrivals && m->started && m->owner && m->ready.at && m->going.at && m->workers.at &&
        m->workers.where)
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
    if (style == HD_PLAN_PATH)
        find_paths(&m);
    else if (hd_depth_ranks(g, n_workers, m.path))
        s = hd_say(e, HEDDLE_ENOMEM, "planning a graph: out of memory");
    if (s == HEDDLE_OK) {
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

/* The lists on their way: worker w is before order[at[w]]. */
typedef struct walk {
    const hd_plan *p;
    const hd_graph *g;
    uint32_t *owner, *left;        /* of each task: its worker; predecessors not met yet */
    uint32_t *at, *awake, n_awake; /* workers whose next task has just become ready */
} walk;

static void walk_clear(walk *k)
{
    hd_delete(k->owner, k->p->n_tasks * sizeof *k->owner);
    hd_delete(k->left, k->p->n_tasks * sizeof *k->left);
    hd_delete(k->at, k->p->n_workers * sizeof *k->at);
    hd_delete(k->awake, k->p->n_workers * sizeof *k->awake);
}

/* The lists lie one after another and have every task once. */
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

/* Worker w runs as far as it can. */
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
