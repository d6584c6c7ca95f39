/* SPDX-License-Identifier: MIT */
/* arbiter.c - the state machine of turns (arbiter.h). Every event ends in `settle` for the direction that it touched. */
#include "arbiter.h"

#include <string.h>

enum { LEASE_NS = 50000000, LEASE_TIMES = 4, PART_BYTES = 32 << 20 };

void share_arbiter_init(share_arbiter *a, const share_rules *rules)
{
    memset(a, 0, sizeof *a);
    a->rules = *rules;
    for (int l = 0; l < SHARE_MOST_LINKS; l++)
        for (int w = 0; w < SHARE_N_WAYS; w++)
            a->links[l][w].ns_per_byte = 0.2;
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
    uint32_t rank[SHARE_MOST_ASKS];
    uint32_t n;
} candidates;

static share_task task_of(const share_arbiter *a, const share_ask *ask)
{
    share_task t = a->clients[ask->client].told;
    t.age = a->rules.policy == SHARE_POLICY_STRINGS ? ask->call_age : a->clients[ask->client].task_age;
    t.class_ = a->clients[ask->client].class_;
    return t;
}

/* All that wait for a direction, and its holder, with the policy's rank. (Scratch is static: the daemon has one thread.) */
static void gather(share_arbiter *a, uint32_t link, uint32_t way, candidates *c)
{
    static share_task tasks[SHARE_MOST_ASKS];
    static uint32_t order[SHARE_MOST_ASKS];
    const share_state now = {.row = a->rules.row};
    c->n = 0;
    for (uint32_t i = 0; i < a->n_asks; i++) {
        share_ask *ask = &a->asks[i];
        if (ask->link == link && ask->way == way && ask->state != SHARE_FAR) {
            tasks[c->n] = task_of(a, ask);
            c->asks[c->n++] = ask;
        }
    }
    if (share_order(a->rules.policy, tasks, c->n, &now, order))
        share_order(SHARE_POLICY_FIFO, tasks, c->n, &now, order);
    for (uint32_t i = 0; i < c->n; i++)
        c->rank[order[i]] = i;
}

static int is_better(const share_arbiter *a, const candidates *c, uint32_t i, uint32_t j, uint64_t now_ns)
{
    const share_ask *x = c->asks[i], *y = c->asks[j];
    int due_x = is_due(a, x, now_ns), due_y = is_due(a, y, now_ns);
    uint32_t class_x = a->clients[x->client].class_, class_y = a->clients[y->client].class_;
    if (due_x != due_y)
        return due_x;
    if (due_x)
        return x->arrived < y->arrived;
    return class_x != class_y ? class_x < class_y : c->rank[i] < c->rank[j];
}

/* ---- turns ---- */

static uint64_t lease(const share_arbiter *a, const share_ask *ask)
{
    uint64_t step = ask->slot < 0 && ask->n_bytes > PART_BYTES ? (uint64_t)PART_BYTES : ask->n_bytes;
    double ns = (double)step * a->links[ask->link][ask->way].ns_per_byte * LEASE_TIMES;
    return LEASE_NS + (ns > 1e12 ? (uint64_t)1e12 : (uint64_t)ns);
}

static void grant(share_arbiter *a, const candidates *c, share_ask *ask, uint64_t now_ns)
{
    for (uint32_t i = 0; i < c->n; i++)
        c->asks[i]->n_overtaken += c->asks[i]->arrived < ask->arrived;
    ask->state = SHARE_HOLDS;
    ask->since_ns = now_ns;
    ask->lease_ns = now_ns + lease(a, ask);
    a->links[ask->link][ask->way].n_turns++;
    decide(a, SHARE_TO_GO, ask);
}

/* The best of those who wait, or -1; *held: the holder, or -1. */
static int best_waiting(const share_arbiter *a, const candidates *c, uint64_t now_ns, int *held)
{
    int best = -1;
    *held = -1;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->asks[i]->state == SHARE_HOLDS)
            *held = (int)i;
        else if (best < 0 || is_better(a, c, i, (uint32_t)best, now_ns))
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
    if (!ask->is_yielding && ask->slot < 0)
        decide(a, SHARE_TO_YIELD, ask);
    ask->is_yielding = 1;
}

static void settle(share_arbiter *a, uint32_t link, uint32_t way, uint64_t now_ns)
{
    static candidates c;
    int best, held;
    gather(a, link, way, &c);
    best = best_waiting(a, &c, now_ns, &held);
    if (best >= 0 && held < 0) {
        grant(a, &c, c.asks[best], now_ns);
        best = best_waiting(a, &c, now_ns, &held);
    }
    if (best < 0)
        return;
    tell_deck(a, c.asks[best]);
    if (is_better(a, &c, (uint32_t)best, (uint32_t)held, now_ns))
        tell_yield(a, c.asks[held]);
}

/* What is known of the link's speed: the last turns count most. */
static void learn(share_arbiter *a, const share_ask *ask, uint64_t n_bytes, uint64_t now_ns)
{
    double *rate = &a->links[ask->link][ask->way].ns_per_byte;
    a->links[ask->link][ask->way].busy_ns += now_ns - ask->since_ns;
    a->links[ask->link][ask->way].n_bytes += n_bytes;
    if (n_bytes >= 1u << 20)
        *rate += 0.125 * ((double)(now_ns - ask->since_ns) / (double)n_bytes - *rate);
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

static void wait_for_turn(share_arbiter *a, share_ask *ask, uint64_t now_ns)
{
    ask->state = SHARE_WAITS;
    ask->since_ns = now_ns;
    ask->arrived = ++a->n_arrived;
    settle(a, ask->link, ask->way, now_ns);
}

void share_arbiter_ask(share_arbiter *a, const share_ask *ask, uint32_t task, uint64_t now_ns)
{
    share_ask *mine;
    if (a->n_asks == SHARE_MOST_ASKS || find(a, ask->client, ask->seq) || a->rules.policy == SHARE_POLICY_NONE) {
        decide(a, SHARE_TO_GO, ask);
        return;
    }
    if (task != a->clients[ask->client].task || !a->clients[ask->client].task_age) {
        a->clients[ask->client].task = task;
        a->clients[ask->client].task_age = ++a->age;
    }
    mine = &a->asks[a->n_asks++];
    *mine = *ask;
    mine->state = SHARE_FAR;
    mine->n_overtaken = 0, mine->is_on_deck = mine->is_yielding = mine->is_late = 0, mine->beat = 0;
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
static int is_wanted(const share_arbiter *a, uint32_t link, uint32_t way)
{
    for (uint32_t i = 0; i < a->n_asks; i++)
        if (a->asks[i].state == SHARE_WAITS && a->asks[i].link == link && a->asks[i].way == way)
            return 1;
    return 0;
}

static void tick_way(share_arbiter *a, uint32_t link, uint32_t way, uint64_t now_ns)
{
    share_ask *ask = holder(a, link, way);
    if (!is_wanted(a, link, way))
        return;
    if (ask && now_ns >= ask->lease_ns) {
        a->links[link][way].n_lost++;
        a->links[link][way].busy_ns += now_ns - ask->since_ns;
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
    for (uint32_t l = 0; l < SHARE_MOST_LINKS; l++)
        for (uint32_t w = 0; w < SHARE_N_WAYS; w++)
            tick_way(a, l, w, now_ns);
}

uint64_t share_arbiter_next(const share_arbiter *a)
{
    uint64_t next = SHARE_NEVER;
    for (uint32_t i = 0; i < a->n_asks; i++) {
        const share_ask *ask = &a->asks[i];
        uint64_t at = SHARE_NEVER;
        if (ask->state == SHARE_HOLDS && is_wanted(a, ask->link, ask->way))
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
        if (a->clients[i].is_here && (a->clients[i].uses >> link & 1) && a->rules.policy != SHARE_POLICY_NONE)
            decide(a, n > 1 ? SHARE_TO_ASK : SHARE_TO_PASS, &user);
    }
}

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
            settle(a, l, 0, now_ns);
            settle(a, l, 1, now_ns);
        }
}
