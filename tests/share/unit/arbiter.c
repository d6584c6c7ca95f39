/* SPDX-License-Identifier: MIT */
/* arbiter.c - random clients against the state machine of turns. They ask, end, stop without a word, leave in the middle, and
 * send what was never granted. After every event: a direction has at most one holder, a GPU holders of one client, and one while anybody waits; nobody
 * is overtaken more than `row` times, nor at all once it has waited for `patience`; of the others the better class goes first. Overtaking is counted here, too. When all have left, nothing is held. */
#include "arbiter.h"

#include "check.h"

#include <string.h>

enum { N_CLIENTS = 12, N_LINKS = 2, N_EVENTS = 200000, MOST_OPEN = 3 };

typedef struct wish {
    uint32_t seq, link, way;
    int slot, has_go, has_arrived;
    uint64_t since_ns, came;                      /* it waits since then; its place among all that did */
    uint32_t task_order, call_order, n_overtaken; /* less came earlier */
} wish;
typedef struct player {
    int number; /* -1: not here */
    wish open[MOST_OPEN];
    int n_open;
    uint32_t class_, task, task_order, call[SHARE_N_CHANNELS], call_order[SHARE_N_CHANNELS]; /* order 0: none yet */
    int has_begun, has_computed; /* the task: on any link; on a GPU */
} player;

static share_arbiter a;
static player players[N_CLIENTS];
static uint64_t now, state;
static uint32_t seq;
static uint32_t last_order;
static uint64_t n_came, n_go, n_yield, n_lost_seen, n_due, n_late, n_joined;

static player *player_of(uint32_t client)
{
    for (int i = 0; i < N_CLIENTS; i++)
        if (players[i].number == (int)client)
            return &players[i];
    return NULL;
}

static int waits(const wish *x) { return !x->has_go && (x->slot < 0 || x->has_arrived); }
static int is_late(const wish *x) { return now - x->since_ns >= a.rules.patience_ns; }
static int is_due(const wish *x) { return x->n_overtaken >= a.rules.row || is_late(x); }

static int came_first(const wish *x, const wish *y)
{
    int by_calls = a.rules.policy == SHARE_POLICY_STRINGS;
    uint32_t of_x = by_calls ? x->call_order : x->task_order, of_y = by_calls ? y->call_order : y->task_order;
    return of_x != of_y ? of_x < of_y : x->came < y->came;
}

/* It comes in beside kernels of its own program, and passes nobody. */
static int joins(const player *p, const wish *y)
{
    for (int i = 0; i < p->n_open; i++) {
        const wish *z = &p->open[i];
        if (z != y && z->has_go && z->link == y->link && z->way == y->way && y->way == SHARE_KERNELS &&
            share_arbiter_find(&a, (uint32_t)p->number, z->seq))
            return 1;
    }
    return 0;
}

/* y was let go before x. */
static void pass(wish *x, uint32_t class_of_x, const wish *y, uint32_t class_of_y, int begins)
{
    if (is_due(x))
        CHECK_MSG(is_due(y) && !came_first(x, y), "seq %u passes %u, which is due", y->seq, x->seq);
    else
        CHECK_MSG(is_due(y) || class_of_y <= class_of_x, "seq %u passes %u of a better class", y->seq, x->seq);
    x->n_overtaken += begins && came_first(x, y);
    CHECK_MSG(x->n_overtaken <= a.rules.row, "overtaken %u times", x->n_overtaken);
    n_due += x->n_overtaken == a.rules.row;
}

/* y is let go, and its task may begin by that: all others that wait for the same channel are passed. */
static void look_at_passed(player *p, const wish *y)
{
    int begins = !p->has_begun || (y->way == SHARE_KERNELS && !p->has_computed);
    n_late += is_late(y);
    for (int i = 0; i < N_CLIENTS; i++)
        for (int k = 0; players[i].number >= 0 && k < players[i].n_open; k++) {
            wish *x = &players[i].open[k];
            if (x != y && waits(x) && x->link == y->link && x->way == y->way)
                pass(x, players[i].class_, y, p->class_, begins);
        }
    p->has_begun = 1;
    p->has_computed |= y->way == SHARE_KERNELS;
}

static void hear(const share_decision *d)
{
    player *p = player_of(d->client);
    if (!p || d->what == SHARE_TO_ASK || d->what == SHARE_TO_PASS)
        return;
    n_yield += d->what == SHARE_TO_YIELD;
    for (int i = 0; i < p->n_open; i++)
        if (p->open[i].seq == d->seq && d->what == SHARE_TO_GO) {
            CHECK(!p->open[i].has_go);
            CHECK(p->open[i].slot < 0 || p->open[i].has_arrived || a.rules.policy == SHARE_POLICY_NONE);
            if (a.rules.policy != SHARE_POLICY_NONE && !joins(p, &p->open[i]))
                look_at_passed(p, &p->open[i]);
            p->open[i].has_go = 1;
            n_go++;
        }
}

static void check_way(uint32_t link, uint32_t way)
{
    int n_holders = 0, n_waiting = 0;
    uint32_t holder = 0;
    for (uint32_t i = 0; i < a.n_asks; i++) {
        const share_ask *x = &a.asks[i];
        if (x->link != link || x->way != way)
            continue;
        if (x->state == SHARE_HOLDS && way == SHARE_KERNELS && n_holders) {
            CHECK_MSG(x->client == holder, "clients %u and %u compute", x->client, holder);
            n_joined++;
        } else
            n_holders += x->state == SHARE_HOLDS;
        holder = x->state == SHARE_HOLDS ? x->client : holder;
        n_waiting += x->state == SHARE_WAITS;
    }
    CHECK(n_holders <= 1);
    CHECK_MSG(n_holders == 1 || n_waiting == 0, "link %u way %u idle while %d wait", link, way, n_waiting);
}

static void hear_all(void)
{
    for (uint32_t i = 0; i < a.n_decisions; i++)
        hear(&a.decisions[i]);
    CHECK(a.n_decisions < SHARE_MOST_DECISIONS);
    a.n_decisions = 0;
    for (uint32_t l = 0; l < N_LINKS; l++)
        for (uint32_t w = 0; w < SHARE_N_CHANNELS; w++)
            check_way(l, w);
}

/* The task and the call that an ask of the player belongs to. */
static void count_orders(player *p, wish *x, uint32_t task, uint32_t call)
{
    if (!p->task_order || p->task != task)
        p->task = task, p->task_order = ++last_order, p->has_begun = p->has_computed = 0;
    if (!p->call_order[x->way] || p->call[x->way] != call)
        p->call[x->way] = call, p->call_order[x->way] = ++last_order;
    x->task_order = p->task_order, x->call_order = p->call_order[x->way];
}

static void comes(wish *x)
{
    x->since_ns = now;
    x->came = ++n_came;
}

static void ask(player *p)
{
    wish *x = &p->open[p->n_open];
    uint32_t task = (uint32_t)check_below(&state, 8);
    share_ask q = {.client = (uint32_t)p->number, .slot = -1, .n_bytes = check_below(&state, 64u << 20) + 1};
    if (p->n_open == MOST_OPEN)
        return;
    *x = (wish){.seq = ++seq,
                .link = (uint32_t)check_below(&state, N_LINKS),
                .way = (uint32_t)check_below(&state, 3),
                .slot = -1};
    if (x->way == SHARE_KERNELS || check_below(&state, 4) == 0)
        x->slot = p->n_open;
    q.link = x->link, q.way = x->way, q.seq = x->seq, q.slot = x->slot,
    q.call = check_below(&state, 3) ? x->seq : x->seq - 1;
    q.expected =
        (share_expected){check_below(&state, 1u << 30), check_below(&state, 1u << 30), check_below(&state, 50000000),
                         (uint32_t)check_below(&state, 3) > 0, check_below(&state, 1u << 30)};
    p->n_open++;
    count_orders(p, x, task, q.call);
    if (x->slot < 0)
        comes(x);
    share_arbiter_ask(&a, &q, task, now);
}

/* The first that has been granted, or that never will be wanted. */
static void end(player *p)
{
    for (int i = 0; i < p->n_open; i++)
        if (p->open[i].has_go || check_below(&state, 50) == 0) {
            share_arbiter_end(&a, (uint32_t)p->number, p->open[i].seq, check_below(&state, 1u << 26), now);
            p->open[i] = p->open[--p->n_open];
            return;
        }
    share_arbiter_end(&a, (uint32_t)p->number, seq + 1000, 1, now); /* nobody's */
}

static void arrive(player *p)
{
    for (int i = 0; i < p->n_open; i++)
        if (p->open[i].slot >= 0 && !p->open[i].has_arrived) {
            p->open[i].has_arrived = 1;
            comes(&p->open[i]);
            share_arbiter_arrive(&a, (uint32_t)p->number, p->open[i].seq, now);
            return;
        }
}

static void come_or_go(player *p)
{
    if (p->number >= 0) {
        share_arbiter_leave(&a, (uint32_t)p->number, now);
        p->number = -1;
        return;
    }
    *p = (player){.class_ = (uint32_t)check_below(&state, SHARE_N_CLASSES)};
    p->number = share_arbiter_join(&a, p->class_);
    CHECK(p->number >= 0);
    for (uint32_t l = 0; l < N_LINKS; l++)
        share_arbiter_use(&a, (uint32_t)p->number, l);
}

static void let_time_pass(void)
{
    uint64_t next = share_arbiter_next(&a), lost = 0;
    now += check_below(&state, 3000000);
    if (check_below(&state, 40) == 0 && next != SHARE_NEVER && next > now)
        now = next;
    if (check_below(&state, 2))
        share_arbiter_beat(&a, 0, 0, (uint32_t)check_random(&state), now);
    share_arbiter_tick(&a, now);
    CHECK_MSG(share_arbiter_next(&a) > now, "time stands still");
    for (int l = 0; l < N_LINKS; l++)
        for (int w = 0; w < SHARE_N_CHANNELS; w++)
            lost += a.links[l][w].n_lost;
    n_lost_seen = lost;
}

static void play(share_policy policy, uint32_t row, uint64_t patience_ns)
{
    share_rules rules = {policy, row, patience_ns, 1};
    share_arbiter_init(&a, &rules);
    for (int i = 0; i < N_CLIENTS; i++)
        players[i].number = -1;
    for (int e = 0; e < N_EVENTS / (CHECK_IS_SLOW ? 4 : 1); e++) {
        player *p = &players[check_below(&state, N_CLIENTS)];
        uint64_t what = check_below(&state, 100);
        if (what == 0 || (p->number < 0 && what < 20))
            come_or_go(p);
        else if (p->number >= 0 && what < 40)
            ask(p);
        else if (p->number >= 0 && what < 50)
            arrive(p);
        else if (p->number >= 0 && what < 90)
            end(p);
        else
            let_time_pass();
        hear_all();
    }
    for (int i = 0; i < N_CLIENTS; i++)
        if (players[i].number >= 0)
            come_or_go(&players[i]);
    CHECK(a.n_asks == 0);
    CHECK(share_arbiter_next(&a) == SHARE_NEVER);
    a.n_decisions = 0;
}

/* ---- by hand ---- */

static share_decision last_of(share_decided what)
{
    share_decision found = {.client = 99};
    for (uint32_t i = 0; i < a.n_decisions; i++)
        if (a.decisions[i].what == what)
            found = a.decisions[i];
    a.n_decisions = 0;
    return found;
}

static void want(uint32_t client, uint32_t number, uint32_t task, uint64_t at)
{
    share_ask q = {.client = client, .seq = number, .call = number, .slot = -1, .n_bytes = 1u << 26};
    share_arbiter_ask(&a, &q, task, at);
}

static void begin(share_policy policy, uint32_t row, const uint32_t *classes, int n)
{
    share_rules rules = {policy, row, 1000000000u, 1};
    share_arbiter_init(&a, &rules);
    for (int i = 0; i < n; i++) {
        CHECK(share_arbiter_join(&a, classes[i]) == i);
        share_arbiter_use(&a, (uint32_t)i, 0);
    }
}

/* Two make each other ask; one that is left passes. */
static void of_two(void)
{
    static const uint32_t classes[] = {SHARE_NORMAL, SHARE_NORMAL};
    begin(SHARE_POLICY_FIFO, 12, classes, 1);
    CHECK(last_of(SHARE_TO_ASK).client == 99);
    CHECK(share_arbiter_join(&a, SHARE_NORMAL) == 1);
    share_arbiter_use(&a, 1, 0);
    CHECK(last_of(SHARE_TO_ASK).client == 1);
    share_arbiter_leave(&a, 1, 5);
    CHECK(last_of(SHARE_TO_PASS).client == 0);
}

/* Of programs in order of arrival the first one goes on with its task; of calls each has its place. */
static void of_policies(void)
{
    static const uint32_t classes[] = {SHARE_NORMAL, SHARE_NORMAL, SHARE_NORMAL};
    for (int calls = 0; calls < 2; calls++) {
        begin(calls ? SHARE_POLICY_STRINGS : SHARE_POLICY_FIFO, 12, classes, 3);
        want(0, 1, 1, 10);
        want(1, 2, 1, 20);
        want(2, 3, 1, 30);
        a.n_decisions = 0;
        share_arbiter_end(&a, 0, 1, 1, 40);
        CHECK(last_of(SHARE_TO_GO).client == 1);
        want(0, 4, 1, 50); /* the same task: it is the oldest */
        share_arbiter_end(&a, 1, 2, 1, 60);
        CHECK(last_of(SHARE_TO_GO).client == (calls ? 2u : 0u));
    }
}

/* Programs that are known go in the best order; one that is not keeps its place; bf and dp place a batch at a time. */
static void of_plans(void)
{
    static const uint32_t classes[] = {SHARE_NORMAL, SHARE_NORMAL, SHARE_NORMAL, SHARE_NORMAL};
    static const share_policy policies[] = {SHARE_POLICY_EXACT, SHARE_POLICY_DP, SHARE_POLICY_BF};
    for (int i = 0; i < 6; i++) {
        int is_known = i < 3;
        uint32_t went;
        begin(policies[i % 3], 9, classes, 4);
        want(0, 1, 1, 10); /* the holder; the others wait */
        for (uint32_t c = 1; c < 4; c++) {
            share_ask q = {.client = c, .seq = 10 + c, .call = c, .slot = -1, .n_bytes = 1u << 28};
            q.expected =
                (share_expected){1u << 28, c == 2 ? 1u << 28 : 0, c == 3 ? 50000000 : 0, (uint32_t)is_known, 0};
            share_arbiter_ask(&a, &q, 1, 10 + c);
        }
        a.n_decisions = 0;
        share_arbiter_end(&a, 0, 1, 1u << 26, 5000000);
        went = last_of(SHARE_TO_GO).client;
        CHECK_MSG(went == (is_known ? 3u : 1u), "%s: %u", share_policy_word(policies[i % 3]),
                  went); /* its kernels take longest */
        share_arbiter_end(&a, is_known ? 3 : 1, is_known ? 13 : 11, 1u << 28, 10000000);
        CHECK(last_of(SHARE_TO_GO).client == 2u);
    }
}

/* Of more programs than the row has, the next one comes into the window when one has begun. Those that only copy in have one makespan in any
 * order, so the shortest of the window goes first. The plan is made while a copy goes on. */
static void of_windows(void)
{
    static const uint32_t classes[5] = {SHARE_NORMAL, SHARE_NORMAL, SHARE_NORMAL, SHARE_NORMAL, SHARE_NORMAL};
    static const uint64_t megabytes[5] = {64, 256, 128, 64, 32};
    static const uint32_t order[] = {2, 3, 1, 4}; /* the first one was overtaken twice then */
    begin(SHARE_POLICY_EXACT, 2, classes, 5);
    want(0, 1, 1, 10); /* the holder; the others wait */
    for (uint32_t c = 1; c < 5; c++) {
        share_ask q = {.client = c, .seq = 10 + c, .call = c, .slot = -1, .n_bytes = megabytes[c] << 20};
        q.expected = (share_expected){.in_bytes = megabytes[c] << 20, .is_known = 1};
        share_arbiter_ask(&a, &q, 1, 10 + c);
    }
    for (uint32_t i = 0, last = 0; i < 4; last = order[i++]) {
        uint64_t at = 1000 + 20000000u * i;
        a.n_decisions = 0;
        share_arbiter_end(&a, last, last ? 10 + last : 1, megabytes[last] << 20, at);
        CHECK(share_arbiter_holder(&a, 0, 0)->client == order[i]);
        CHECK(last_of(SHARE_TO_DECK).client == 99 || i >= 2);
        CHECK((share_arbiter_next(&a) <= at) == (i < 2)); /* as long as there are more than two */
        share_arbiter_tick(&a, at);
        CHECK(share_arbiter_next(&a) > at);
        CHECK(i == 3 || share_arbiter_find(&a, order[i + 1], 10 + order[i + 1])->is_on_deck);
    }
}

/* Two that do not fit into the GPU together stand apart, in a batch of three. Without bounds they would stand side by side. */
static void of_memory(share_policy policy, uint64_t gpu_bytes)
{
    static const uint32_t classes[4] = {SHARE_NORMAL, SHARE_NORMAL, SHARE_NORMAL, SHARE_NORMAL};
    static const share_expected expected[] = {{400u << 20, 200u << 20, 30000000, 1, 60},
                                              {1600u << 20, 160u << 20, 10000000, 1, 30},
                                              {480u << 20, 120u << 20, 35000000, 1, 60}};
    uint32_t went[3];
    begin(policy, 3, classes, 4);
    share_arbiter_gpu(&a, 0, gpu_bytes);
    want(0, 1, 1, 10); /* the holder; the others wait */
    for (uint32_t c = 1; c < 4; c++) {
        share_ask q = {.client = c, .seq = 10 + c, .call = c, .slot = -1, .expected = expected[c - 1]};
        q.n_bytes = q.expected.in_bytes;
        share_arbiter_ask(&a, &q, 1, 10 + c);
    }
    share_arbiter_end(&a, 0, 1, 1u << 20, 20);
    for (uint32_t i = 0; i < 3; i++) {
        went[i] = share_arbiter_holder(&a, 0, 0)->client;
        share_arbiter_end(&a, went[i], 10 + went[i], 1, 30 + i);
    }
    CHECK_MSG((went[1] == 2) == (gpu_bytes == 100), "%s: %u", share_policy_word(policy), went[1]);
}

/* A better class takes the turn at the next piece; a worse one is not overtaken for ever. */
static void of_classes(void)
{
    static const uint32_t classes[] = {SHARE_LOW, SHARE_LOW, SHARE_HIGH};
    uint32_t number = 10, n = 0;
    begin(SHARE_POLICY_FIFO, 3, classes, 3);
    want(0, 1, 1, 10);
    want(1, 2, 1, 20);
    CHECK(last_of(SHARE_TO_YIELD).client == 99);
    want(2, number, 1, 30);
    CHECK(last_of(SHARE_TO_YIELD).client == 0);
    share_arbiter_end(&a, 0, 1, 1, 40);
    for (; last_of(SHARE_TO_GO).client == 2 && n < 100; n++) {
        want(2, number + 1, number + 1, 50 + n);
        a.n_decisions = 0;
        share_arbiter_end(&a, 2, number++, 1, 60 + n);
    }
    CHECK_MSG(n == 3, "overtaken %u times", n);
}

/* A holder that does not move loses its turn; one that does keeps it. */
static void of_leases(void)
{
    static const uint32_t classes[] = {SHARE_NORMAL, SHARE_NORMAL};
    uint64_t at;
    begin(SHARE_POLICY_FIFO, 12, classes, 2);
    want(0, 1, 1, 0);
    share_arbiter_tick(&a, 100000000000u);
    CHECK(share_arbiter_holder(&a, 0, 0)->client == 0); /* nobody waits */
    want(1, 2, 1, 100000000000u);
    at = share_arbiter_next(&a);
    share_arbiter_beat(&a, 0, 0, 7, at > 100000000000u ? at : 100000000000u);
    share_arbiter_tick(&a, 100000000001u);
    CHECK(share_arbiter_holder(&a, 0, 0)->client == 0);
    a.n_decisions = 0;
    share_arbiter_tick(&a, 200000000000u);
    CHECK(last_of(SHARE_TO_GO).client == 1);
    share_arbiter_end(&a, 0, 1, 1, 200000000001u); /* too late, and nobody's */
    CHECK(share_arbiter_holder(&a, 0, 0)->client == 1);
}

/* A gate of kernels that its stream has come to. */
static void compute(uint32_t client, uint32_t number, uint32_t task, uint64_t at)
{
    share_ask q = {.client = client, .way = SHARE_KERNELS, .seq = number, .call = number, .slot = (int)number};
    share_arbiter_ask(&a, &q, task, at);
    share_arbiter_arrive(&a, client, number, at);
}

static int has_gpu(uint32_t client, uint32_t number)
{
    const share_ask *x = share_arbiter_find(&a, client, number);
    return x && x->state == SHARE_HOLDS;
}

/* Kernels of a task in several streams have the GPU together; those of its next task come behind others, as all do once it is to yield.
 * The time counts once. */
static void of_kernels(void)
{
    static const uint32_t classes[] = {SHARE_NORMAL, SHARE_NORMAL, SHARE_HIGH};
    begin(SHARE_POLICY_FIFO, 12, classes, 3);
    CHECK(last_of(SHARE_TO_ASK).way == SHARE_KERNELS);
    compute(0, 1, 1, 1000);
    compute(1, 2, 1, 1000);
    compute(0, 3, 1, 2000);
    CHECK(has_gpu(0, 1) && !has_gpu(1, 2) && has_gpu(0, 3));
    share_arbiter_end(&a, 0, 1, 0, 5000);
    CHECK(has_gpu(0, 3) && !has_gpu(1, 2));
    a.n_decisions = 0;
    compute(2, 5, 1, 6000); /* better than all */
    CHECK(last_of(SHARE_TO_YIELD).seq == 3);
    compute(0, 6, 1, 6500); /* launched after that */
    CHECK(!has_gpu(0, 6));
    share_arbiter_end(&a, 0, 3, 0, 7000);
    CHECK(has_gpu(2, 5) && a.links[0][SHARE_KERNELS].busy_ns == 6000);
    share_arbiter_leave(&a, 2, 8000);
    CHECK(has_gpu(0, 6) && !has_gpu(1, 2)); /* of the older task */
    compute(0, 4, 2, 9000);
    CHECK(!has_gpu(0, 4));
    share_arbiter_end(&a, 0, 6, 0, 9000);
    CHECK(has_gpu(1, 2) && !has_gpu(0, 4));
}

/* Kernels that do not end lose the GPU when others have no more patience, or when they take longer than the program's do; and keep it while
 * one after the other ends. */
static void of_kernel_leases(void)
{
    static const uint32_t classes[] = {SHARE_NORMAL, SHARE_NORMAL};
    share_ask known = {.client = 0, .way = SHARE_KERNELS, .seq = 7, .call = 7, .slot = 7};
    begin(SHARE_POLICY_FIFO, 12, classes, 2);
    compute(0, 1, 1, 0);
    compute(1, 2, 1, 0);
    share_arbiter_tick(&a, 1000000000u);
    CHECK(has_gpu(0, 1));
    share_arbiter_moved(&a, 0, 1, 1000000000u);
    share_arbiter_tick(&a, 1100000000u);
    CHECK(has_gpu(0, 1));
    a.n_decisions = 0;
    share_arbiter_tick(&a, 2200000000u);
    CHECK(last_of(SHARE_TO_GO).client == 1 && has_gpu(1, 2) && a.links[0][SHARE_KERNELS].n_lost == 1);
    share_arbiter_end(&a, 1, 2, 0, 3000000000u);
    known.expected = (share_expected){.p_ns = 1000000000u, .is_known = 1};
    share_arbiter_ask(&a, &known, 2, 3000000000u);
    share_arbiter_arrive(&a, 0, 7, 3000000000u);
    compute(1, 3, 2, 3000000000u);
    share_arbiter_tick(&a, 6900000000u);
    CHECK(has_gpu(0, 7)); /* four times as long */
    share_arbiter_tick(&a, 7100000000u);
    CHECK(has_gpu(1, 3));
}

int main(void)
{
    state = check_seed(20);
    of_two();
    of_policies();
    of_plans();
    of_windows();
    for (uint64_t gpu_bytes = 0; gpu_bytes <= 100;
         gpu_bytes += 50) { /* none is said; one that has less than a task needs; one that has enough */
        of_memory(SHARE_POLICY_DP, gpu_bytes);
        of_memory(SHARE_POLICY_BF, gpu_bytes);
    }
    of_classes();
    of_leases();
    of_kernels();
    of_kernel_leases();
    play(SHARE_POLICY_FIFO, 12, 2000000000u);
    play(SHARE_POLICY_FIFO, 1, 20000000);
    play(SHARE_POLICY_STRINGS, 4, 5000000);
    play(SHARE_POLICY_EXACT, 5, 20000000);
    play(SHARE_POLICY_EXACT, 12, 2000000000u);
    play(SHARE_POLICY_DP, 6, 20000000);
    play(SHARE_POLICY_BF, 4, 20000000);
    printf("%llu turns, %llu taken back, leases lost in the last play %llu, at the bound %llu times, beyond patience "
           "%llu\n",
           (unsigned long long)n_go, (unsigned long long)n_yield, (unsigned long long)n_lost_seen,
           (unsigned long long)n_due, (unsigned long long)n_late);
    CHECK(n_go > 1000 && n_yield > 100 && n_due > 100 && n_late > 100 && n_lost_seen > 0 && n_joined > 100);
    play(SHARE_POLICY_NONE, 12, 2000000000u);
    return 0;
}
