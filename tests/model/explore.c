/* SPDX-License-Identifier: MIT */
/* explore.c - the explorer of explore.h: choices, fibers, memory, cells.
 *
 * Exhaustive within its bounds and deterministic: a schedule is a list of choices, and the same list gives the same
 * schedule. It refuses tests that exceed its fixed tables, with a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "explore.h"

#define MAX_WORDS 192u
#define MAX_STORES 2048u
#define MAX_CHOICES 4096u
#define MAX_STEPS 4000u  /* accesses of one schedule; more is a live-lock                        */
#define MAX_RESTLESS 48u /* accesses of one fiber without pause, sleep or body: it may be spinning */
#define STACK_BYTES 65536u
#define TIME_STEP 65536u /* distance of two stores in time, so that others fit in between */

/* Vector clock and view of a fiber, or those that a releasing store publishes. */
typedef struct knowledge {
    uint32_t clock[MODEL_MAX_FIBERS]; /* last event known of each fiber */
    uint32_t seen[MAX_WORDS];         /* for each word: time of the oldest store that may still be read */
} knowledge;

typedef struct store {
    struct store *later; /* next in modification order                                             */
    uint32_t value, time;
    uint32_t is_rmw;  /* no store may come between it and the one before */
    uint32_t carries; /* `known` is valid */
    knowledge known;
} store;

typedef struct word {
    uint32_t *p;
    store *first, *newest;
} word;

typedef enum state { READY, POLLS, NAPS, SLEEPS, MEETS, SYNCS, ENDED } state;

typedef struct fiber {
    jmp_buf at;
    ucontext_t start;
    int started;
    state state;
    knowledge known, past;   /* past: when it last left a barrier */
    knowledge fenced, might; /* at its last release fence; what an acquire fence would let it know */
    int has_fenced;
    uint32_t group, lane, n_lanes, meeting;
    uint32_t permit;
    uint32_t barrier, round;
    uint32_t restless;
    uint32_t n_reads; /* words read since the last pause, and the time of what was read               */
    uint32_t read_word[MAX_WORDS], read_time[MAX_WORDS];
    char stack[STACK_BYTES] __attribute__((aligned(16)));
} fiber;

typedef struct group {
    uint32_t arrived, meeting;
    const char *what; /* the step that the lanes come to */
    uint32_t values[2][MODEL_MAX_FIBERS];
    knowledge known[2];
} group;

typedef struct barrier {
    uint32_t arrived, expected, round;
    uint32_t came; /* bit i: fiber i has come to this round */
    knowledge known[2];
} barrier;

typedef struct permit {
    int there;
    knowledge known;
} permit;

typedef struct cell {
    uint32_t writer, write_clock;
    uint32_t read_clock[MODEL_MAX_FIBERS];
} cell;

typedef struct step {
    const char *what, *site, *remark;
    uint32_t fiber, before, after;
} step;

typedef struct choice {
    uint32_t n, taken;
} choice;

static const model_test *test;
static fiber fibers[MODEL_MAX_FIBERS];
static fiber *now; /* NULL outside a schedule: accesses go to plain memory */
static jmp_buf out;
static int failed;

static choice choices[MAX_CHOICES];
static uint32_t n_choices, depth, preempts_left, stale_left;

static word words[MAX_WORDS];
static uint32_t n_words;
static struct {
    uint32_t *p;
    uint32_t index, schedule;
} places[256]; /* hash of word addresses, valid for one schedule */
static uint32_t schedule_number;
static store stores[MAX_STORES];
static uint32_t n_stores;

static group groups[MODEL_MAX_FIBERS];
static barrier barriers[MODEL_MAX_BARRIERS];
static permit permits[MODEL_MAX_PERMITS];
static cell cells[MODEL_MAX_CELLS];
static knowledge agreed; /* what stores in one order have let know; only `seen` counts */
static uint32_t n_cells; /* one more than the highest touched in this schedule */
static step steps[MAX_STEPS];
static uint32_t n_steps;

static uint32_t self(void) { return (uint32_t)(now - fibers); }

/* ---- the counterexample --------------------------------------------------------------------- */

/* The file's name without folders, and the length of "FILE:LINE". */
static const char *site_place(const char *site, int *length)
{
    const char *bar = strchr(site, '|'), *at = bar;
    while (at > site && at[-1] != '/')
        at--;
    *length = (int)(bar - at);
    return at;
}

static void print_step(uint32_t i)
{
    const step *s = &steps[i];
    const fiber *f = &fibers[s->fiber];
    printf("  %4u  fiber %u", i, s->fiber);
    if (f->n_lanes > 1)
        printf(" (worker %u lane %u)", f->group, f->lane);
    if (s->site) {
        int length;
        const char *place = site_place(s->site, &length);
        printf("  %-14.*s %s %s", length, place, s->what, strchr(s->site, '|') + 1);
    } else {
        printf("  %s", s->what);
    }
    if (s->before != s->after)
        printf("  0x%x -> 0x%x", s->before, s->after);
    else
        printf("  0x%x", s->after);
    printf("%s%s\n", s->remark ? "  " : "", s->remark ? s->remark : "");
}

static void print_fibers(void)
{
    static const char *const names[] = {"could go on",         "polls",           "naps",     "sleeps",
                                        "waits for its lanes", "is at a barrier", "has ended"};
    uint32_t i;
    for (i = 0; i < test->n_fibers; i++)
        printf("  fiber %u %s\n", i, names[fibers[i].state]);
}

static void print_schedule(void)
{
    uint32_t i;
    for (i = 0; i < n_steps; i++)
        print_step(i);
    print_fibers();
}

void model_fail(const char *format, ...)
{
    va_list list;
    printf("%s: ", test->name);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    print_schedule();
    failed = 1;
    if (!now)
        exit(1); /* end() is called outside the fibers: nothing to jump out of */
    _longjmp(out, 1);
}

static void note(const char *what, const char *site, uint32_t before, uint32_t after, const char *remark)
{
    step *s = &steps[n_steps];
    if (n_steps + 1u == MAX_STEPS)
        model_fail("no end after %u steps: a live-lock", MAX_STEPS);
    s->what = what;
    s->site = site;
    s->remark = remark;
    s->fiber = now ? self() : 0u;
    s->before = before;
    s->after = after;
    n_steps++;
}

void model_note(const char *what, uint32_t value) { note(what, NULL, value, value, NULL); }

static void refuse(const char *what)
{
    printf("%s: beyond the explorer's tables: %s\n", test->name, what);
    exit(1);
}

/* ---- choices --------------------------------------------------------------------------------- */

/* Picks one of n > 1 ways to go on: the recorded choice while there is one, then the first way. */
static uint32_t choose(uint32_t n)
{
    if (depth == n_choices) {
        if (n_choices == MAX_CHOICES)
            refuse("choices");
        choices[n_choices].n = n;
        choices[n_choices++].taken = 0;
    }
    if (choices[depth].n != n) {
        printf("%s: not deterministic: choice %u had %u ways, now %u\n", test->name, depth, choices[depth].n, n);
        exit(1);
    }
    return choices[depth++].taken;
}

/* Moves on to the next schedule in depth-first order; returns 0 after the last. */
static int next_schedule(void)
{
    while (n_choices && choices[n_choices - 1u].taken + 1u == choices[n_choices - 1u].n)
        n_choices--;
    if (!n_choices)
        return 0;
    choices[n_choices - 1u].taken++;
    return 1;
}

/* ---- fibers ---------------------------------------------------------------------------------- */

static int has_news(const fiber *f)
{
    uint32_t i;
    for (i = 0; i < f->n_reads; i++)
        if (words[f->read_word[i]].newest->time != f->read_time[i])
            return 1;
    return 0;
}

static int can_go_on(const fiber *f)
{
    switch (f->state) {
    case READY: return 1;
    case POLLS:
    case NAPS: return has_news(f);
    case SLEEPS: return permits[f->permit].there;
    case MEETS: return groups[f->group].meeting != f->meeting;
    case SYNCS: return barriers[f->barrier].round != f->round;
    default: return 0;
    }
}

static uint32_t list_others(fiber **list)
{
    uint32_t i, n = 0;
    for (i = 0; i < test->n_fibers; i++)
        if (&fibers[i] != now && can_go_on(&fibers[i]))
            list[n++] = &fibers[i];
    return n;
}

__attribute__((noreturn)) static void enter(fiber *f)
{
    now = f;
    if (f->started)
        _longjmp(f->at, 1);
    f->started = 1;
    setcontext(&f->start);
    abort();
}

static void switch_to(fiber *next)
{
    if (_setjmp(now->at) == 0)
        enter(next);
}

/* Before an access another fiber may go first. A fiber that goes on and on without pausing yields: otherwise a spin
 * without a pause would hide what comes after it. */
static void point(void)
{
    fiber *others[MODEL_MAX_FIBERS];
    uint32_t n, c;
    if (!(n = list_others(others)))
        return;
    if (++now->restless > MAX_RESTLESS) {
        now->restless = 0;
        switch_to(others[n > 1u && !test->in_order ? choose(n) : 0u]);
        return;
    }
    if (!preempts_left)
        return;
    c = choose(n + 1u);
    if (!c)
        return;
    preempts_left--;
    switch_to(others[c - 1u]);
}

/* Moves to the front the fibers that may follow the blocked running fiber without a preemption: another lane of its
 * group if one can go on, else one lane of each group. Without this rule, lanes that block at every collective step
 * would give too many schedules. Returns how many there are. */
static uint32_t put_free_first(fiber **list, uint32_t n)
{
    uint32_t i, k, n_free = 0;
    if (test->in_order)
        return n ? 1u : 0u;
    for (i = 0; i < n; i++) {
        fiber *f = list[i];
        for (k = 0; k < n_free && list[k]->group != f->group; k++)
            ;
        if (k < n_free)
            continue;
        list[i] = list[n_free];
        list[n_free++] = f;
        if (f->group == now->group) {
            list[n_free - 1u] = list[0];
            list[0] = f;
            return 1;
        }
    }
    return n_free;
}

/* When all others are blocked, fibers that nap go on in turns. */
static fiber *next_napper(void)
{
    uint32_t i;
    for (i = 1; i <= test->n_fibers; i++) {
        fiber *f = &fibers[(self() + i) % test->n_fibers];
        if (f->state == NAPS)
            return f;
    }
    return NULL;
}

/* The running fiber cannot go on (or has ended). */
static void give_way(void)
{
    fiber *others[MODEL_MAX_FIBERS];
    uint32_t n = list_others(others), n_free = put_free_first(others, n), i;
    if (n) {
        n = preempts_left ? n : n_free;
        i = n > 1u ? choose(n) : 0u;
        preempts_left -= i >= n_free;
        switch_to(others[i]);
        return;
    }
    if ((others[0] = next_napper())) {
        if (others[0] != now)
            switch_to(others[0]);
        return;
    }
    for (i = 0; i < test->n_fibers; i++)
        if (fibers[i].state != ENDED)
            model_fail("deadlock: all that have not ended are blocked");
    if (_setjmp(now->at) == 0)
        _longjmp(out, 1);
}

static void fiber_main(void)
{
    for (;;) {
        test->fiber(self());
        now->state = ENDED;
        give_way();
    }
}

/* ---- knowledge -------------------------------------------------------------------------------- */

static void learn(knowledge *k, const knowledge *from)
{
    uint32_t i;
    for (i = 0; i < test->n_fibers; i++)
        if (k->clock[i] < from->clock[i])
            k->clock[i] = from->clock[i];
    if (test->n_stale)
        for (i = 0; i < n_words; i++)
            if (k->seen[i] < from->seen[i])
                k->seen[i] = from->seen[i];
}

static void forget(knowledge *k)
{
    memset(k->clock, 0, sizeof k->clock);
    memset(k->seen, 0, sizeof k->seen);
}

/* Publishes what the running fiber knows; its later events are not part of that. */
static void teach(knowledge *to)
{
    learn(to, &now->known);
    now->known.clock[self()]++;
}

void model_fence(int order)
{
    if (!now)
        return;
    if (order & MODEL_ACQUIRE)
        learn(&now->known, &now->might);
    if (order & MODEL_RELEASE) {
        now->has_fenced = 1;
        teach(&now->fenced);
    }
}

/* After a store or a read-modify-write in one order. */
static void agree(int order)
{
    uint32_t i;
    for (i = 0; i < n_words && (order & MODEL_SEQ_CST) == MODEL_SEQ_CST; i++) {
        if (agreed.seen[i] < now->known.seen[i])
            agreed.seen[i] = now->known.seen[i];
        now->known.seen[i] = agreed.seen[i];
    }
}

/* ---- words ------------------------------------------------------------------------------------ */

static store *new_store(uint32_t value, uint32_t time)
{
    store *s = &stores[n_stores];
    if (n_stores++ == MAX_STORES)
        refuse("stores");
    s->later = NULL;
    s->value = value;
    s->time = time;
    s->is_rmw = s->carries = 0;
    return s;
}

/* If a fiber that owned the word wrote it plainly, no earlier store can be read any more. */
static void begin_again(word *w)
{
    if (*w->p != w->newest->value)
        w->first = w->newest = new_store(*w->p, w->newest->time + TIME_STEP);
}

static uint32_t word_of(uint32_t *p)
{
    uint32_t at = (uint32_t)((uintptr_t)p >> 2) * 0x9e3779b1u >> 24;
    while (places[at].schedule == schedule_number && places[at].p != p)
        at = (at + 1u) & 255u;
    if (places[at].schedule != schedule_number) {
        if (n_words == MAX_WORDS)
            refuse("words");
        places[at].schedule = schedule_number;
        places[at].p = p;
        places[at].index = n_words;
        words[n_words].p = p;
        words[n_words].first = words[n_words].newest = new_store(*p, TIME_STEP);
        n_words++;
    }
    begin_again(&words[places[at].index]);
    return places[at].index;
}

/* Records for the next pause that this word was read, and up to which store. */
static void note_read(uint32_t w, uint32_t time)
{
    uint32_t i;
    for (i = 0; i < now->n_reads && now->read_word[i] != w; i++)
        ;
    now->read_word[i] = w;
    now->read_time[i] = time;
    now->n_reads += i == now->n_reads;
}

/* The store that a relaxed load of w reads: the newest, or, while stale reads are left, any that is not older than this
 * fiber's view. `refused` excludes a value: for a failing compare-and-swap, the expected one. */
static store *pick_store(uint32_t w, const uint32_t *refused)
{
    store *may[16], *s;
    uint32_t n = 0, i;
    if (!stale_left)
        return words[w].newest;
    for (s = words[w].first; s; s = s->later)
        if (s->time >= now->known.seen[w] && s != words[w].newest && !(refused && s->value == *refused) && n < 16u)
            may[n++] = s;
    i = n ? choose(n + 1u) : 0u;
    if (!i)
        return words[w].newest;
    stale_left--;
    return may[n - i];
}

static void read_store(uint32_t w, const store *s, int order)
{
    if (now->known.seen[w] < s->time)
        now->known.seen[w] = s->time;
    if ((order & MODEL_ACQUIRE) && s->carries)
        learn(&now->known, &s->known);
    if (test->fences && s->carries)
        learn(&now->might, &s->known);
}

/* The store after which a new one goes: the newest, or an earlier one not overwritten in this fiber's view. */
static store *pick_place(uint32_t w)
{
    store *may[16], *s;
    uint32_t n = 0, i;
    if (!stale_left)
        return words[w].newest;
    for (s = words[w].first; s->later; s = s->later)
        if (s->time >= now->known.seen[w] && !s->later->is_rmw && s->later->time - s->time > 1u && n < 16u)
            may[n++] = s;
    i = n ? choose(n + 1u) : 0u;
    if (!i)
        return words[w].newest;
    stale_left--;
    return may[n - i];
}

/* The running fiber stores, right after `before` in modification order. */
static store *put_store(uint32_t w, store *before, uint32_t value, int order, int is_rmw)
{
    store *s = before->later ? new_store(value, before->time + (before->later->time - before->time) / 2u)
                             : new_store(value, before->time + TIME_STEP);
    s->later = before->later;
    before->later = s;
    if (!s->later) {
        words[w].newest = s;
        *words[w].p = value;
    }
    s->is_rmw = (uint32_t)is_rmw;
    now->known.seen[w] = s->time;
    if (is_rmw && before->carries) {
        s->known = before->known;
        s->carries = 1;
    }
    if (order & MODEL_RELEASE || now->has_fenced) {
        if (!s->carries)
            forget(&s->known);
        s->carries = 1;
    }
    if (now->has_fenced)
        learn(&s->known, &now->fenced);
    if (order & MODEL_RELEASE) {
        teach(&s->known);
    } else if (order & MODEL_MARK) {
        s->known = now->past;
        s->carries = 1;
    }
    return s;
}

uint32_t model_load(uint32_t *p, int order, const char *site)
{
    uint32_t w;
    store *s;
    if (!now)
        return *p;
    point();
    w = word_of(p);
    s = pick_store(w, NULL);
    read_store(w, s, order);
    note_read(w, s->time);
    note("load", site, s->value, s->value, s == words[w].newest ? NULL : "(old)");
    return s->value;
}

void model_store(uint32_t *p, uint32_t v, int order, const char *site)
{
    uint32_t w;
    store *s;
    if (!now) {
        *p = v;
        return;
    }
    point();
    w = word_of(p);
    s = put_store(w, pick_place(w), v, order, 0);
    agree(order);
    note("store", site, v, v, s->later ? "(before others)" : NULL);
}

/* A read-modify-write reads the newest store. No other place is possible: core never mixes read-modify-writes and plain
 * stores on one word within a run. */
static uint32_t exchange(uint32_t *p, uint32_t v, uint32_t add, int order, const char *what, const char *site)
{
    uint32_t w, old;
    store *s;
    if (!now) {
        old = *p;
        *p = v + (add ? old : 0u);
        return old;
    }
    point();
    w = word_of(p);
    s = words[w].newest;
    old = s->value;
    read_store(w, s, order);
    put_store(w, s, v + (add ? old : 0u), order, 1);
    agree(order);
    note(what, site, old, v + (add ? old : 0u), NULL);
    return old;
}

uint32_t model_add(uint32_t *p, uint32_t v, int order, const char *site)
{
    return exchange(p, v, 1, order, "add", site);
}

uint32_t model_exchange(uint32_t *p, uint32_t v, int order, const char *site)
{
    return exchange(p, v, 0, order, "exchange", site);
}

int model_cas(uint32_t *p, uint32_t expected, uint32_t v, int order, const char *site)
{
    uint32_t w;
    store *s;
    if (!now) {
        int same = *p == expected;
        *p = same ? v : *p;
        return same;
    }
    point();
    w = word_of(p);
    s = pick_store(w, &expected);
    if (s == words[w].newest && s->value == expected) {
        read_store(w, s, order);
        put_store(w, s, v, order, 1);
        note("cas", site, expected, v, NULL);
        return 1;
    }
    read_store(w, s, MODEL_RELAXED);
    note_read(w, s->time);
    note("cas", site, s->value, s->value, "(fails)");
    return 0;
}

/* Blocks until a word read since the last pause has a newer store than the one read. Afterwards the fiber's view of
 * those words is up to date, even if it did not block: a poller sees a store after finite time. */
static void pause_as(state how, const char *site)
{
    uint32_t i;
    if (!has_news(now)) {
        note(how == NAPS ? "naps at" : "blocks at", site, 0, 0, NULL);
        now->state = how;
        give_way();
        now->state = READY;
    }
    for (i = 0; i < now->n_reads; i++)
        if (now->known.seen[now->read_word[i]] < words[now->read_word[i]].newest->time)
            now->known.seen[now->read_word[i]] = words[now->read_word[i]].newest->time;
    now->n_reads = 0;
    now->restless = 0;
}

void model_pause(const char *site) { pause_as(POLLS, site); }
void model_nap(const char *site) { pause_as(NAPS, site); }

/* ---- sleeping and meeting ---------------------------------------------------------------------- */

void model_wait(uint32_t which)
{
    permit *p = &permits[which];
    point();
    now->restless = 0;
    note("sleeps at", NULL, which, which, p->there ? "(not at all)" : NULL);
    if (!p->there) {
        now->state = SLEEPS;
        now->permit = which;
        give_way();
        now->state = READY;
    }
    learn(&now->known, &p->known);
    forget(&p->known);
    p->there = 0;
    now->n_reads = 0;
}

void model_give(uint32_t which)
{
    point();
    note("wakes", NULL, which, which, NULL);
    permits[which].there = 1;
    teach(&permits[which].known);
}

void model_join(uint32_t which, uint32_t lane, uint32_t n_lanes)
{
    now->group = which;
    now->lane = lane;
    now->n_lanes = n_lanes;
}

uint32_t model_lane(void) { return now->lane; }
uint32_t model_n_lanes(void) { return now->n_lanes; }

const uint32_t *model_meet(uint32_t value, int orders, const char *what)
{
    group *g = &groups[now->group];
    uint32_t meeting = g->meeting, side = meeting & 1u;
    now->restless = 0;
    if (g->arrived && strcmp(g->what, what) != 0)
        model_fail("fiber %u is at a %s, others of its lanes are at a %s", self(), what, g->what);
    g->what = what;
    g->values[side][now->lane] = value;
    if (orders)
        teach(&g->known[side]);
    note(what, NULL, value, value, NULL);
    if (++g->arrived == now->n_lanes) {
        g->arrived = 0;
        g->meeting++;
        forget(&g->known[side ^ 1u]);
    } else {
        now->state = MEETS;
        now->meeting = meeting;
        give_way();
        now->state = READY;
    }
    if (orders)
        learn(&now->known, &g->known[side]);
    return g->values[side];
}

/* ---- barriers of a block ------------------------------------------------------------------------ */

static void check_arrival(const barrier *b, uint32_t which, uint32_t n_threads, uint32_t expected)
{
    if (b->came >> self() & 1u)
        model_fail("fiber %u comes to barrier %u twice in one round", self(), which);
    if (b->arrived && b->expected != expected)
        model_fail("barrier %u is to have %u threads, and %u", which, b->expected, expected);
    if (b->arrived + n_threads > expected)
        model_fail("barrier %u is to have %u threads, and %u come", which, expected, b->arrived + n_threads);
}

void model_barrier(uint32_t which, uint32_t n_threads, uint32_t expected, int syncs)
{
    barrier *b = &barriers[which];
    uint32_t side;
    point();
    side = b->round & 1u;
    now->restless = 0;
    note(syncs ? "syncs at" : "arrives at", NULL, which, which, NULL);
    check_arrival(b, which, n_threads, expected);
    b->expected = expected;
    b->came |= 1u << self();
    teach(&b->known[side]);
    now->barrier = which;
    now->round = b->round;
    b->arrived += n_threads;
    if (b->arrived == expected) {
        b->arrived = b->came = 0;
        b->round++;
        forget(&b->known[side ^ 1u]);
    } else if (syncs) {
        now->state = SYNCS;
        give_way();
        now->state = READY;
    }
    if (!syncs)
        return;
    learn(&now->known, &b->known[side]);
    now->past = now->known;
}

uint32_t model_barrier_left(uint32_t which) { return barriers[which].arrived; }

/* ---- cells ------------------------------------------------------------------------------------- */

static void check_written(const cell *c, const char *what)
{
    if (c->write_clock > now->known.clock[c->writer])
        model_fail("race: fiber %u touches %s, which fiber %u wrote, with no order between them", self(), what,
                   c->writer);
}

/* Returns cell i, which is cleared before the next schedule. */
static cell *touched(uint32_t i)
{
    if (i >= n_cells)
        n_cells = i + 1u;
    now->restless = 0;
    return &cells[i];
}

void model_read_cell(uint32_t i, const char *what)
{
    cell *c = touched(i);
    if (i < MODEL_QUIET_CELLS)
        note("reads data", NULL, i, i, NULL);
    check_written(c, what);
    c->read_clock[self()] = now->known.clock[self()];
}

void model_write_cell(uint32_t i, const char *what)
{
    cell *c = touched(i);
    uint32_t f;
    if (i < MODEL_QUIET_CELLS)
        note("writes data", NULL, i, i, NULL);
    check_written(c, what);
    for (f = 0; f < test->n_fibers; f++)
        if (c->read_clock[f] > now->known.clock[f])
            model_fail("race: fiber %u writes %s, which fiber %u reads, with no order between them", self(), what, f);
    c->writer = self();
    c->write_clock = now->known.clock[self()];
}

/* ---- one schedule, and all --------------------------------------------------------------------- */

static void clear_fiber(fiber *f)
{
    f->state = READY;
    forget(&f->known);
    forget(&f->past);
    forget(&f->fenced);
    forget(&f->might);
    f->has_fenced = 0;
    f->known.clock[f - fibers] = 1;
    f->group = (uint32_t)(f - fibers);
    f->lane = f->n_reads = f->restless = 0;
    f->n_lanes = 1;
}

static void clear(uint32_t n_preempt)
{
    uint32_t i;
    depth = n_words = n_stores = n_steps = 0;
    schedule_number++;
    preempts_left = n_preempt;
    stale_left = test->n_stale;
    for (i = 0; i < test->n_fibers; i++)
        clear_fiber(&fibers[i]);
    memset(groups, 0, sizeof groups);
    memset(barriers, 0, sizeof barriers);
    memset(permits, 0, sizeof permits);
    forget(&agreed);
    memset(cells, 0, n_cells * sizeof cells[0]);
    n_cells = 0;
}

static void run_schedule(uint32_t n_preempt)
{
    clear(n_preempt);
    test->begin();
    if (_setjmp(out) == 0)
        enter(&fibers[test->n_fibers > 1u && !test->in_order ? choose(test->n_fibers) : 0u]);
    now = NULL;
    if (!failed)
        test->end();
}

static void make_fiber(fiber *f)
{
    f->started = 0;
    getcontext(&f->start);
    f->start.uc_stack.ss_sp = f->stack;
    f->start.uc_stack.ss_size = STACK_BYTES;
    f->start.uc_link = NULL;
    makecontext(&f->start, fiber_main, 0);
}

/* Few preemptions first: that finds the shortest counterexample, and finds it soon. */
int model_explore(const model_test *t, uint64_t *n_schedules)
{
    uint32_t i, bound;
    test = t;
    failed = 0;
    for (i = 0; i < t->n_fibers; i++)
        make_fiber(&fibers[i]);
    *n_schedules = 0;
    for (bound = 0; bound <= t->n_preempt; bound++) {
        n_choices = 0;
        do {
            run_schedule(bound);
            ++*n_schedules;
        } while (!failed && next_schedule());
        if (failed)
            return 1;
    }
    return 0;
}
