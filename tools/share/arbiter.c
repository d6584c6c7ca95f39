/* SPDX-License-Identifier: MIT */
/* arbiter.c - the state machine of turns (arbiter.h). Every event ends in `settle` for the direction that it touched. */
#include "arbiter.h"

#include <string.h>

/* Of a link that nothing is known of. */
#define GUESS_NS 10000
#define GUESS_NS_EACH 0.025
enum { LEASE_NS = 50000000, LEASE_TIMES = 4, PART_BYTES = 32 << 20 };
#define MOST_LEASE_NS 1000000000000u

void share_arbiter_init(share_arbiter *a, const share_rules *rules)
{
    memset(a, 0, sizeof *a);
    a->rules = *rules;
    for (int l = 0; l < SHARE_MOST_LINKS; l++)
        for (int w = 0; w < SHARE_N_CHANNELS; w++)
            share_line_guess(&a->links[l][w].turns, GUESS_NS, GUESS_NS_EACH, PART_BYTES),
                share_line_guess(&a->links[l][w].gates, GUESS_NS, GUESS_NS_EACH, PART_BYTES);
}

static void decide(share_arbiter *a, share_decided what, const share_ask *ask)
{
    share_decision d = {what, ask->client, ask->link, ask->way, ask->seq, ask->slot};
    if (a->n_decisions < SHARE_MOST_DECISIONS)
        a->decisions[a->n_decisions++] = d;
}

static share_ask *find(share_arbiter *a, uint32_t client, uint32_t seq)
{
    for (uint32_t i = 0; i < a->n_asks; i++)
        if (a->asks[i].client == client && a->asks[i].seq == seq)
            return &a->asks[i];
    return NULL;
}

static share_ask *holder(share_arbiter *a, uint32_t link, uint32_t way)
{
    for (uint32_t i = 0; i < a->n_asks; i++)
        if (a->asks[i].state == SHARE_HOLDS && a->asks[i].link == link && a->asks[i].way == way)
            return &a->asks[i];
    return NULL;
}

const share_ask *share_arbiter_find(const share_arbiter *a, uint32_t client, uint32_t seq)
{
    return find((share_arbiter *)(uintptr_t)a, client, seq);
}

uint32_t share_arbiter_count(const share_arbiter *a, uint32_t client)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n_asks; i++)
        n += a->asks[i].client == client;
    return n;
}

const share_ask *share_arbiter_holder(const share_arbiter *a, uint32_t link, uint32_t way)
{
    return holder((share_arbiter *)(uintptr_t)a, link, way);
}

static void take_out(share_arbiter *a, share_ask *ask)
{
    size_t at = (size_t)(ask - a->asks);
    memmove(ask, ask + 1, (a->n_asks - at - 1) * sizeof *ask);
    a->n_asks--;
}

/* ---- ranks ---- */

static int is_due(const share_arbiter *a, const share_ask *ask, uint64_t now_ns)
{
    return ask->state == SHARE_WAITS &&
           (ask->n_overtaken >= a->rules.row || now_ns - ask->since_ns >= a->rules.patience_ns);
}

typedef struct candidates {
    share_ask *asks[SHARE_MOST_ASKS];
    uint32_t n;
} candidates;

static uint64_t ns_of(const share_arbiter *a, uint32_t link, uint32_t way, uint64_t n_bytes)
{
    return n_bytes ? (uint64_t)share_line_at(&a->links[link][way].turns, (double)n_bytes) : 0;
}

static uint64_t above(uint64_t x, uint64_t y) { return x > y ? x - y : 0; }

/* What is left of a client's task. Kernels run since its last copy, or since they have the GPU; when copies out wait, they have ended. */
static share_task task_of(const share_arbiter *a, uint32_t client, uint32_t link, const uint64_t *waiting,
                          uint64_t now_ns)
{
    const share_expected *e = &a->clients[client].expected;
    const uint64_t *copied = a->clients[client].copied;
    uint64_t in = above(e->in_bytes, copied[0]), out = above(e->out_bytes, copied[1]);
    uint64_t run_ns = in || waiting[SHARE_KERNELS] ? 0 : waiting[1] ? UINT64_MAX : now_ns - a->clients[client].moved_ns;
    return (share_task){.s_ns = ns_of(a, link, 0, in > waiting[0] ? in : waiting[0]),
                        .p_ns = above(e->p_ns, run_ns),
                        .r_ns = ns_of(a, link, 1, out > waiting[1] ? out : waiting[1]),
                        .mem_bytes = e->mem_bytes,
                        .age = a->clients[client].task_age,
                        .class_ = a->clients[client].class_,
                        .place = a->clients[client].place,
                        .is_known = e->is_known};
}

enum { STALE_NS = 100000000 };

/* A task that has begun takes its channels though nothing of it waits, unless it shows no sign of what was expected. */
static int is_under_way(const share_arbiter *a, uint32_t client, uint32_t link, uint64_t now_ns)
{
    const share_expected *e = &a->clients[client].expected;
    return a->clients[client].has_begun && a->clients[client].link == link && e->is_known &&
           now_ns - a->clients[client].moved_ns < 2 * e->p_ns + STALE_NS;
}

/* Bytes of a client's copies that wait for either way of a link, or have it, and how many gates of kernels wait. 0: there is nothing. */
static int sum_waiting(const share_arbiter *a, uint32_t client, uint32_t link, uint64_t *waiting)
{
    int n = 0;
    waiting[0] = waiting[1] = waiting[SHARE_KERNELS] = 0;
    for (uint32_t i = 0; i < a->n_asks; i++) {
        const share_ask *x = &a->asks[i];
        if (x->client == client && x->link == link && x->state != SHARE_FAR)
            waiting[x->way] += x->way == SHARE_KERNELS ? x->state == SHARE_WAITS : x->n_bytes, n++;
    }
    return n > 0;
}

/* Whether a window has no room for all that may be in it: those of a class that are known and have not begun. */
static int leaves_some_out(const share_arbiter *a, const share_task *tasks, uint32_t n)
{
    uint32_t in_class[SHARE_N_CLASSES] = {0}, most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (tasks[i].is_known && !tasks[i].place && ++in_class[tasks[i].class_] > most)
            most = in_class[tasks[i].class_];
    return a->rules.policy == SHARE_POLICY_EXACT && most > a->rules.row;
}

static void rank_link(share_arbiter *a, uint32_t link, uint64_t now_ns)
{
    share_task tasks[SHARE_MOST_CLIENTS];
    uint32_t of[SHARE_MOST_CLIENTS], order[SHARE_MOST_CLIENTS], n = 0;
    const share_state now = {
        .mem_bytes = a->mem_bytes[link], .row = a->rules.row, .slack_percent = SHARE_SLACK_PERCENT};
    for (uint32_t i = 0; i < SHARE_MOST_CLIENTS; i++) {
        uint64_t waiting[SHARE_N_CHANNELS];
        a->rank[link][i] = SHARE_NO_RANK;
        if (a->clients[i].is_here && (a->clients[i].uses >> link & 1) &&
            (sum_waiting(a, i, link, waiting) || is_under_way(a, i, link, now_ns))) {
            tasks[n] = task_of(a, i, link, waiting, now_ns);
            of[n++] = i;
        }
    }
    if (share_rank(a->rules.policy, tasks, n, &now, &a->places, order))
        share_order(SHARE_POLICY_FIFO, tasks, n, &now, order);
    for (uint32_t i = 0; i < n; i++) {
        a->rank[link][of[order[i]]] = i;
        a->clients[of[i]].place = tasks[i].place;
    }
    for (int w = 0; w < SHARE_N_WAYS; w++)
        a->links[link][w].ranked_ns = share_line_at(&a->links[link][w].turns, PART_BYTES);
    a->is_stale &= ~(1u << link);
    a->is_crowded = (a->is_crowded & ~(1u << link)) | (uint32_t)leaves_some_out(a, tasks, n) << link;
}

/* Whether the window is to take in another task. Ticks see to that, while a copy goes on: the link shall not wait for a plan. */
static int slides(const share_arbiter *a, uint32_t link) { return (a->is_stale & a->is_crowded) >> link & 1; }

/* All that wait for a channel, and its holders. */
static void gather(share_arbiter *a, uint32_t link, uint32_t way, candidates *c, uint64_t now_ns)
{
    c->n = 0;
    for (uint32_t i = 0; i < a->n_asks; i++)
        if (a->asks[i].link == link && a->asks[i].way == way && a->asks[i].state != SHARE_FAR)
            c->asks[c->n++] = &a->asks[i];
    if (c->n && (a->is_stale >> link & 1))
        rank_link(a, link, now_ns);
}

/* Ages may wrap. */
static int is_older(uint32_t age, uint32_t other) { return (int32_t)(age - other) < 0; }

/* Of calls under `strings`, else of tasks: which of two came first. */
static int came_first(const share_arbiter *a, const share_ask *x, const share_ask *y)
{
    int by_calls = a->rules.policy == SHARE_POLICY_STRINGS;
    uint32_t age_x = by_calls ? x->call_age : x->task_age, age_y = by_calls ? y->call_age : y->task_age;
    return age_x != age_y ? is_older(age_x, age_y) : x->arrived < y->arrived;
}

static int is_better(const share_arbiter *a, const share_ask *x, const share_ask *y, uint64_t now_ns)
{
    int due_x = is_due(a, x, now_ns), due_y = is_due(a, y, now_ns);
    uint32_t class_x = a->clients[x->client].class_, class_y = a->clients[y->client].class_;
    uint32_t rank_x = a->rank[x->link][x->client], rank_y = a->rank[y->link][y->client];
    if (due_x != due_y)
        return due_x;
    if (!due_x && class_x != class_y)
        return class_x < class_y;
    if (due_x || rank_x == rank_y || a->rules.policy == SHARE_POLICY_STRINGS)
        return came_first(a, x, y);
    return rank_x < rank_y;
}

/* ---- turns ---- */

static share_line *line_of(share_arbiter *a, const share_ask *ask)
{
    return ask->slot < 0 ? &a->links[ask->link][ask->way].turns : &a->links[ask->link][ask->way].gates;
}

uint64_t share_arbiter_estimate(const share_arbiter *a, const share_ask *ask, uint64_t n_bytes)
{
    if (ask->way == SHARE_KERNELS)
        return ask->expected.is_known ? ask->expected.p_ns : 0;
    return (uint64_t)share_line_at(line_of((share_arbiter *)(uintptr_t)a, ask), (double)n_bytes);
}

/* Nobody sees how far a kernel is. One that is not known may take as long as others have patience. */
static uint64_t lease_of_kernels(const share_arbiter *a, const share_ask *ask)
{
    uint64_t ns = share_arbiter_estimate(a, ask, 0);
    ns = ns > MOST_LEASE_NS / LEASE_TIMES ? MOST_LEASE_NS : ns * LEASE_TIMES;
    return ns > a->rules.patience_ns ? ns : a->rules.patience_ns;
}

static uint64_t lease(share_arbiter *a, const share_ask *ask)
{
    uint64_t step = ask->slot < 0 && ask->n_bytes > PART_BYTES ? (uint64_t)PART_BYTES : ask->n_bytes;
    double ns = share_line_at(line_of(a, ask), (double)step) * LEASE_TIMES;
    if (ask->way == SHARE_KERNELS)
        return LEASE_NS + lease_of_kernels(a, ask);
    return LEASE_NS + (ns > MOST_LEASE_NS ? MOST_LEASE_NS : (uint64_t)ns);
}

/* A task has its first turn, on the link or on the GPU: those that came before and wait there have been overtaken. */
static void overtake(share_arbiter *a, const candidates *c, const share_ask *ask)
{
    for (uint32_t i = 0; i < c->n; i++)
        c->asks[i]->n_overtaken += c->asks[i]->state == SHARE_WAITS && came_first(a, c->asks[i], ask);
}

static void begin_task(share_arbiter *a, const share_ask *ask)
{
    a->clients[ask->client].has_begun = 1;
    a->clients[ask->client].link = ask->link;
    if (!share_policy_is_batch(a->rules.policy))
        a->clients[ask->client].place = ++a->places ? a->places : ++a->places;
    a->is_stale |= a->is_crowded & 1u << ask->link;
}

static void hold(share_arbiter *a, share_ask *ask, uint64_t now_ns)
{
    ask->state = SHARE_HOLDS;
    ask->since_ns = now_ns;
    ask->lease_ns = now_ns + lease(a, ask);
    a->clients[ask->client].moved_ns = now_ns;
    a->links[ask->link][ask->way].n_turns++;
    decide(a, SHARE_TO_GO, ask);
}

static void grant(share_arbiter *a, const candidates *c, share_ask *ask, uint64_t now_ns)
{
    int computes = ask->way == SHARE_KERNELS && !a->clients[ask->client].has_computed;
    a->links[ask->link][ask->way].since_ns = now_ns;
    hold(a, ask, now_ns);
    if (!a->clients[ask->client].has_begun || computes)
        overtake(a, c, ask);
    if (!a->clients[ask->client].has_begun)
        begin_task(a, ask);
    a->clients[ask->client].has_computed |= computes;
}

/* What a program launched for a task comes in when that task, or a later one of its own, has the GPU. When it is to yield, only what
 * was launched before: kernels that hold the GPU may wait for nothing else. */
static int may_join(const share_ask *ask, const share_ask *held)
{
    return ask->state == SHARE_WAITS && ask->client == held->client && !is_older(held->task_age, ask->task_age) &&
           !(held->is_yielding && is_older(held->yields_age, ask->call_age));
}

static void join(share_arbiter *a, const candidates *c, const share_ask *held, uint64_t now_ns)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (may_join(c->asks[i], held))
            hold(a, c->asks[i], now_ns);
}

/* The best of those who wait, or -1; *held: the holder (of several the one of the latest task), or -1. */
static int best_waiting(const share_arbiter *a, const candidates *c, uint64_t now_ns, int *held)
{
    int best = -1;
    *held = -1;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->asks[i]->state == SHARE_HOLDS)
            *held = *held < 0 || is_older(c->asks[*held]->task_age, c->asks[i]->task_age) ? (int)i : *held;
        else if (best < 0 || is_better(a, c->asks[i], c->asks[best], now_ns))
            best = (int)i;
    return best;
}

static void tell_deck(share_arbiter *a, share_ask *ask)
{
    if (!ask->is_on_deck && ask->slot < 0)
        decide(a, SHARE_TO_DECK, ask);
    ask->is_on_deck = 1;
}

static void tell_yield(share_arbiter *a, share_ask *ask)
{
    if (!ask->is_yielding && (ask->slot < 0 || ask->way == SHARE_KERNELS))
        decide(a, SHARE_TO_YIELD, ask);
    if (!ask->is_yielding)
        ask->yields_age = a->age;
    ask->is_yielding = 1;
}

static void settle(share_arbiter *a, uint32_t link, uint32_t way, uint64_t now_ns)
{
    static candidates c;
    int best, held;
    gather(a, link, way, &c, now_ns);
    best = best_waiting(a, &c, now_ns, &held);
    if (best >= 0 && held < 0) {
        grant(a, &c, c.asks[best], now_ns);
        best = best_waiting(a, &c, now_ns, &held);
    }
    if (best >= 0 && way == SHARE_KERNELS) {
        join(a, &c, c.asks[held], now_ns);
        best = best_waiting(a, &c, now_ns, &held);
    }
    if (best < 0 || slides(a, link)) /* ranks come first */
        return;
    tell_deck(a, c.asks[best]);
    for (uint32_t i = 0; i < c.n; i++)
        if (c.asks[i]->state == SHARE_HOLDS && is_better(a, c.asks[best], c.asks[i], now_ns))
            tell_yield(a, c.asks[i]);
}

/* Ranks that stand on a rate which was off by more than a quarter are asked for anew. */
static void learn_rate(share_arbiter *a, const share_ask *ask, double n_bytes, double ns)
{
    double part_ns, ranked_ns = a->links[ask->link][ask->way].ranked_ns;
    share_line_learn(line_of(a, ask), n_bytes, ns);
    part_ns = share_line_at(&a->links[ask->link][ask->way].turns, PART_BYTES);
    if (part_ns > 1.25 * ranked_ns || part_ns < 0.75 * ranked_ns)
        a->is_stale |= 1u << ask->link;
}

/* Time in which several gates of a program hold a GPU counts once. */
static uint64_t count_time(share_arbiter *a, const share_ask *ask, uint64_t now_ns)
{
    uint64_t *since_ns = &a->links[ask->link][ask->way].since_ns, ns = now_ns - *since_ns;
    a->links[ask->link][ask->way].busy_ns += ns;
    *since_ns = now_ns;
    return ns;
}

static void learn(share_arbiter *a, const share_ask *ask, uint64_t n_bytes, uint64_t now_ns)
{
    uint32_t client = ask->client;
    uint64_t ns = count_time(a, ask, now_ns);
    a->clients[client].moved_ns = now_ns;
    if (share_policy_is_batch(a->rules.policy))
        a->is_stale |= 1u << ask->link; /* the next batch may be due */
    if (ask->way == SHARE_KERNELS) {
        a->clients[client].computed_ns += ask->task_age == a->clients[client].task_age ? ns : 0;
        return;
    }
    a->links[ask->link][ask->way].n_bytes += n_bytes;
    a->clients[client].copied[ask->way] += n_bytes;
    if (n_bytes >= 1u << 20 && n_bytes <= (uint64_t)1 << 50)
        learn_rate(a, ask, (double)n_bytes, (double)(now_ns - ask->since_ns));
}

void share_arbiter_end(share_arbiter *a, uint32_t client, uint32_t seq, uint64_t n_bytes, uint64_t now_ns)
{
    share_ask *ask = find(a, client, seq);
    uint32_t link, way;
    if (!ask)
        return;
    link = ask->link, way = ask->way;
    if (ask->state == SHARE_HOLDS)
        learn(a, ask, n_bytes, now_ns);
    take_out(a, ask);
    settle(a, link, way, now_ns);
}

static void count_call(share_arbiter *a, share_ask *ask)
{
    uint32_t way = ask->way;
    if (a->clients[ask->client].last_call[way] != ask->call || !a->clients[ask->client].last_call_age[way]) {
        a->clients[ask->client].last_call[way] = ask->call;
        a->clients[ask->client].last_call_age[way] = ++a->age;
    }
    ask->call_age = a->clients[ask->client].last_call_age[way];
}

static void forget_ranks(share_arbiter *a, uint32_t client)
{
    for (int l = 0; l < SHARE_MOST_LINKS; l++)
        a->rank[l][client] = SHARE_NO_RANK;
}

static void new_task(share_arbiter *a, const share_ask *ask, uint32_t task, uint64_t now_ns)
{
    uint32_t i = ask->client;
    a->clients[i].task = task;
    a->clients[i].task_age = ++a->age ? a->age : ++a->age;
    a->clients[i].expected = ask->expected;
    a->clients[i].link = ask->link;
    a->clients[i].place = 0;
    a->clients[i].has_begun = a->clients[i].has_computed = 0;
    a->clients[i].computed_ns = 0;
    a->clients[i].copied[0] = a->clients[i].copied[1] = 0;
    a->clients[i].moved_ns = now_ns;
    forget_ranks(a, i);
}

static void wait_for_turn(share_arbiter *a, share_ask *ask, uint64_t now_ns)
{
    ask->state = SHARE_WAITS;
    ask->since_ns = now_ns;
    ask->arrived = ++a->n_arrived;
    if (a->rank[ask->link][ask->client] == SHARE_NO_RANK)
        a->is_stale |= 1u << ask->link;
    settle(a, ask->link, ask->way, now_ns);
}

void share_arbiter_ask(share_arbiter *a, const share_ask *ask, uint32_t task, uint64_t now_ns)
{
    share_ask *mine;
    if (a->n_asks == SHARE_MOST_ASKS || find(a, ask->client, ask->seq) || a->rules.policy == SHARE_POLICY_NONE) {
        decide(a, SHARE_TO_GO, ask);
        return;
    }
    if (task != a->clients[ask->client].task || !a->clients[ask->client].task_age)
        new_task(a, ask, task, now_ns);
    mine = &a->asks[a->n_asks++];
    *mine = *ask;
    mine->state = SHARE_FAR;
    mine->n_overtaken = 0, mine->task_age = a->clients[ask->client].task_age;
    mine->is_on_deck = mine->is_yielding = mine->is_late = 0, mine->beat = 0;
    count_call(a, mine);
    if (mine->slot < 0)
        wait_for_turn(a, mine, now_ns);
}

/* Those who wait stand in the order in which they came: a gate goes behind them now. */
void share_arbiter_arrive(share_arbiter *a, uint32_t client, uint32_t seq, uint64_t now_ns)
{
    share_ask *ask = find(a, client, seq), mine;
    if (!ask || ask->state != SHARE_FAR)
        return;
    mine = *ask;
    take_out(a, ask);
    ask = &a->asks[a->n_asks++];
    *ask = mine;
    wait_for_turn(a, ask, now_ns);
}

/* ---- time ---- */

void share_arbiter_beat(share_arbiter *a, uint32_t link, uint32_t way, uint32_t beat, uint64_t now_ns)
{
    share_ask *ask = holder(a, link, way);
    if (!ask || ask->beat == beat)
        return;
    ask->beat = beat;
    ask->lease_ns = now_ns + lease(a, ask);
}

static uint64_t patience_end(const share_arbiter *a, const share_ask *ask)
{
    return a->rules.patience_ns > SHARE_NEVER - ask->since_ns ? SHARE_NEVER : ask->since_ns + a->rules.patience_ns;
}

/* Without anybody who waits a lost turn would help nobody. */
int share_arbiter_is_wanted(const share_arbiter *a, uint32_t link, uint32_t way)
{
    for (uint32_t i = 0; i < a->n_asks; i++)
        if (a->asks[i].state == SHARE_WAITS && a->asks[i].link == link && a->asks[i].way == way)
            return 1;
    return 0;
}

void share_arbiter_moved(share_arbiter *a, uint32_t client, uint32_t seq, uint64_t now_ns)
{
    share_ask *ask = find(a, client, seq);
    if (ask && ask->state == SHARE_HOLDS)
        ask->lease_ns = now_ns + lease(a, ask);
}

/* A holder beyond its lease, or NULL. */
static share_ask *lost(share_arbiter *a, uint32_t link, uint32_t way, uint64_t now_ns)
{
    for (uint32_t i = 0; i < a->n_asks; i++) {
        share_ask *ask = &a->asks[i];
        if (ask->state == SHARE_HOLDS && ask->link == link && ask->way == way && now_ns >= ask->lease_ns)
            return ask;
    }
    return NULL;
}

static void tick_way(share_arbiter *a, uint32_t link, uint32_t way, uint64_t now_ns)
{
    share_ask *ask;
    if (!share_arbiter_is_wanted(a, link, way))
        return;
    while ((ask = lost(a, link, way, now_ns))) {
        a->links[link][way].n_lost++;
        count_time(a, ask, now_ns);
        tell_yield(a, ask);
        take_out(a, ask);
    }
    settle(a, link, way, now_ns);
}

/* Patience ends once: from then on time changes nothing for this one. */
static void mark_late(share_arbiter *a, uint64_t now_ns)
{
    for (uint32_t i = 0; i < a->n_asks; i++)
        if (a->asks[i].state == SHARE_WAITS && now_ns >= patience_end(a, &a->asks[i]))
            a->asks[i].is_late = 1;
}

void share_arbiter_tick(share_arbiter *a, uint64_t now_ns)
{
    mark_late(a, now_ns);
    for (uint32_t l = 0; l < SHARE_MOST_LINKS; l++) {
        if (slides(a, l))
            rank_link(a, l, now_ns);
        for (uint32_t w = 0; w < SHARE_N_CHANNELS; w++)
            tick_way(a, l, w, now_ns);
    }
}

uint64_t share_arbiter_next(const share_arbiter *a)
{
    uint64_t next = a->is_stale & a->is_crowded ? 0 : SHARE_NEVER;
    for (uint32_t i = 0; i < a->n_asks; i++) {
        const share_ask *ask = &a->asks[i];
        uint64_t at = SHARE_NEVER;
        if (ask->state == SHARE_HOLDS && share_arbiter_is_wanted(a, ask->link, ask->way))
            at = ask->lease_ns;
        else if (ask->state == SHARE_WAITS && !ask->is_late)
            at = patience_end(a, ask);
        next = at < next ? at : next;
    }
    return next;
}

/* ---- clients ---- */

int share_arbiter_join(share_arbiter *a, uint32_t class_)
{
    for (int i = 0; i < SHARE_MOST_CLIENTS; i++)
        if (!a->clients[i].is_here) {
            memset(&a->clients[i], 0, sizeof a->clients[i]);
            a->clients[i].is_here = 1;
            forget_ranks(a, (uint32_t)i);
            a->clients[i].class_ = class_;
            return i;
        }
    return -1;
}

/* Users of a link are told when there come to be two, and when there is one again. */
static void count_users(share_arbiter *a, uint32_t link)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SHARE_MOST_CLIENTS; i++)
        n += a->clients[i].is_here && (a->clients[i].uses >> link & 1);
    for (uint32_t i = 0; i < SHARE_MOST_CLIENTS; i++) {
        share_ask user = {.client = i, .link = link, .slot = -1};
        if (!a->clients[i].is_here || !(a->clients[i].uses >> link & 1) || a->rules.policy == SHARE_POLICY_NONE)
            continue;
        decide(a, n > 1 ? SHARE_TO_ASK : SHARE_TO_PASS, &user);
        user.way = SHARE_KERNELS;
        if (a->rules.orders_kernels)
            decide(a, n > 1 ? SHARE_TO_ASK : SHARE_TO_PASS, &user);
    }
}

void share_arbiter_gpu(share_arbiter *a, uint32_t link, uint64_t mem_bytes) { a->mem_bytes[link] = mem_bytes; }

void share_arbiter_use(share_arbiter *a, uint32_t client, uint32_t link)
{
    a->clients[client].uses |= 1u << link;
    count_users(a, link);
}

void share_arbiter_leave(share_arbiter *a, uint32_t client, uint64_t now_ns)
{
    uint32_t uses = a->clients[client].uses;
    a->clients[client].is_here = 0;
    for (uint32_t i = a->n_asks; i-- > 0;)
        if (a->asks[i].client == client)
            take_out(a, &a->asks[i]);
    for (uint32_t l = 0; l < SHARE_MOST_LINKS; l++)
        if (uses >> l & 1) {
            count_users(a, l);
            a->is_stale |= 1u << l;
            for (uint32_t w = 0; w < SHARE_N_CHANNELS; w++)
                settle(a, l, w, now_ns);
        }
}
