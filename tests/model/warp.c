/* SPDX-License-Identifier: MIT */
/* warp.c - the warps of warp.h, and the hooks of -fsanitize=thread (tsan.h). Compiled without that option itself. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "explore.h"
#include "warp.h"

#define MAX_WARPS 4u
#define STACK_BYTES 16384u
#define MAX_LOADS 4u    /* loads in a row after which a warp may be spinning */
#define MAX_LOOKS 4u    /* likewise */
#define MANY WARP_WIDTH /* stands for more than one thread */

/* In order of execution. Steps of the whole warp come last, so that a thread that writes alone catches up first. */
typedef enum kind {
    NOTHING,
    STORE,
    ADD,
    EXCHANGE,
    CAS,
    LOAD,
    LOOK,
    PAUSE,
    NAP,
    REST,
    BALLOT,
    SHUFFLE,
    SYNC,
    BARRIER
} kind;
static const char *const kind_names[] = {"end",   "store", "add",  "exchange", "cas",     "load",     "look",
                                         "pause", "nap",   "rest", "ballot",   "shuffle", "syncwarp", "barrier"};

/* What a thread waits to do. Of a barrier: value is its number, expected the count, order whether it syncs. */
typedef struct want {
    kind kind;
    uint32_t *p;
    uint32_t value, expected;
    int order;
    const char *site;
} want;

typedef struct thread {
    jmp_buf at;
    ucontext_t start;
    int started;
    want want;
    uint32_t result;
    char stack[STACK_BYTES] __attribute__((aligned(16)));
} thread;

typedef struct warp {
    jmp_buf at;
    void (*code)(void);
    int is_used;
    uint32_t n, first, epoch; /* epoch: steps of the whole warp so far */
    uint32_t waiting;         /* bit i: thread i has a want */
    uint32_t n_loads;         /* loads in a row */
    uint32_t n_looks;         /* the same of looks, whatever else is loaded */
    int has_stored;           /* since it last rested */
    thread threads[WARP_WIDTH];
} warp;

/* Last touch of 4 bytes within a warp: warp + 1, thread (or MANY), epoch. */
typedef struct touch {
    uint32_t warp, thread, epoch;
} touch;

warp_index warp_thread;
static warp warps[MAX_WARPS];
static warp *now; /* NULL in a fiber that is a single thread */
static int is_running;

static struct {
    unsigned char *begin;
    size_t n_bytes;
    int apart;
    warp_care care[WARP_MAX_WATCHED / 4u];
    uint32_t flag[WARP_MAX_WATCHED / 4u]; /* the first of a flag's two cells */
    touch read[WARP_MAX_WATCHED / 4u], written[WARP_MAX_WATCHED / 4u];
} watched;

/* ---- threads ------------------------------------------------------------------------------------ */

static uint32_t index_in(const warp *w) { return warp_thread.x - w->first; }

static void thread_main(void)
{
    for (;;) {
        now->code();
        now->threads[index_in(now)].want.kind = NOTHING;
        if (_setjmp(now->threads[index_in(now)].at) == 0)
            _longjmp(now->at, 1);
    }
}

/* Resumes thread i of the running warp until it wants something or has ended. */
static void resume(warp *w, uint32_t i)
{
    thread *t = &w->threads[i];
    now = w;
    warp_thread.x = w->first + i;
    if (_setjmp(w->at))
        return;
    if (t->started)
        _longjmp(t->at, 1);
    t->started = 1;
    setcontext(&t->start);
    abort();
}

static uint32_t ask(want wanted)
{
    thread *t = &now->threads[index_in(now)];
    t->want = wanted;
    if (_setjmp(t->at) == 0)
        _longjmp(now->at, 1);
    return t->result;
}

/* ---- what they want ------------------------------------------------------------------------------ */

static uint32_t do_access(const want *a)
{
    switch (a->kind) {
    case LOAD:
    case LOOK: return model_load(a->p, a->order, a->site);
    case STORE: model_store(a->p, a->value, a->order, a->site); return 0;
    case ADD: return model_add(a->p, a->value, a->order, a->site);
    case EXCHANGE: return model_exchange(a->p, a->value, a->order, a->site);
    case CAS: return (uint32_t)model_cas(a->p, a->expected, a->value, a->order, a->site);
    case PAUSE: model_pause(a->site); return 0;
    case REST:
    case NAP: model_nap(a->site); return 0;
    default: abort();
    }
}

static int same_load(const want *a, const want *b)
{
    return (a->kind == LOAD && b->kind == LOAD && a->p == b->p && a->order == b->order) ||
           (a->kind >= PAUSE && a->kind <= REST && b->kind >= PAUSE && b->kind <= REST);
}

/* A part of the warp may have read older values than the rest, so it naps: a pause could block it for ever. */
static void calm_pause(const warp *w, want *a)
{
    uint32_t i;
    for (i = 0; i < w->n && a->kind == PAUSE; i++)
        if (w->threads[i].want.kind != PAUSE)
            a->kind = NAP;
}

/* A warp that does nothing but load, or look at lines, naps. is_first: thread of those that load at once. */
static void spin_no_longer(warp *w, const want *a, int is_first)
{
    w->n_loads = a->kind == LOAD ? w->n_loads + 1u : 0u;
    w->n_looks = a->kind == LOAD ? w->n_looks : a->kind == LOOK ? w->n_looks + (uint32_t)is_first : 0u;
    if (w->n_loads > MAX_LOADS || w->n_looks > MAX_LOOKS) {
        w->n_looks = 0;
        model_nap(a->site);
    }
}

/* Executes the wants of the kinds from .. to; threads with the same load share one. Returns the mask of the threads
 * served, which go on next; 0 = none. */
static uint32_t do_accesses(warp *w, kind from, kind to)
{
    uint32_t i, k, done = 0;
    for (i = 0; i < w->n; i++) {
        thread *t = &w->threads[i];
        if (!(w->waiting & ~done & 1u << i) || t->want.kind < from || t->want.kind > to)
            continue;
        calm_pause(w, &t->want);
        warp_thread.x = w->first + i;
        spin_no_longer(w, &t->want, !done);
        w->has_stored |= t->want.kind <= CAS;
        if (t->want.kind != REST || !w->has_stored)
            t->result = do_access(&t->want);
        if (t->want.kind == REST)
            w->has_stored = 0;
        done |= 1u << i;
        for (k = i + 1u; k < w->n && !(watched.apart && i == 0 && t->want.kind == LOAD); k++)
            if (w->waiting >> k & 1u && same_load(&w->threads[k].want, &t->want)) {
                w->threads[k].result = t->result;
                done |= 1u << k;
            }
    }
    return done;
}

static void check_together(const warp *w)
{
    const want *a = &w->threads[0].want;
    uint32_t i;
    for (i = 1; i < w->n; i++) {
        const want *b = &w->threads[i].want;
        if (a->kind != b->kind || (a->kind == BARRIER && (a->value != b->value || a->expected != b->expected)))
            model_fail("threads of a warp part: thread 0 is at %s %u, thread %u at %s %u", kind_names[a->kind],
                       a->value, i, kind_names[b->kind], b->value);
    }
}

/* Executes a step of the whole warp, at which all its threads are. */
static void do_together(warp *w)
{
    thread *t = w->threads;
    uint32_t i, ballot = 0;
    check_together(w);
    w->n_loads = 0;
    w->epoch++;
    if (t[0].want.kind == BARRIER)
        model_barrier(t[0].want.value, w->n, t[0].want.expected, t[0].want.order);
    for (i = 0; i < w->n; i++)
        ballot |= (uint32_t)(t[i].want.value != 0) << i;
    for (i = 0; i < w->n; i++)
        t[i].result = t[i].want.kind == SHUFFLE ? t[t[i].want.expected % w->n].want.value : ballot;
}

/* Resumes the threads in `free`. Returns whether any thread has not ended. */
static int go_on(warp *w, uint32_t free)
{
    uint32_t i, n_ended = 0;
    w->waiting &= ~free;
    for (i = 0; i < w->n; i++) {
        if (free >> i & 1u)
            resume(w, i);
        n_ended += w->threads[i].want.kind == NOTHING;
        w->waiting |= (uint32_t)(w->threads[i].want.kind != NOTHING) << i;
    }
    return n_ended < w->n;
}

static void run_threads(warp *w)
{
    uint32_t done = 0xffffffffu;
    while (go_on(w, done)) {
        done = do_accesses(w, STORE, CAS);
        if (!done)
            done = do_accesses(w, LOAD, LOOK);
        if (!done)
            done = do_accesses(w, PAUSE, REST);
        if (!done) {
            do_together(w);
            done = 0xffffffffu;
        }
    }
}

static void make_threads(warp *w, uint32_t n, uint32_t first, void (*code)(void))
{
    uint32_t i;
    w->n = n;
    w->first = first;
    w->code = code;
    w->waiting = w->n_loads = w->n_looks = 0;
    w->has_stored = 0;
    w->epoch++; /* what the last warp in its place has touched is another's */
    for (i = 0; i < n; i++) {
        thread *t = &w->threads[i];
        t->want.kind = NOTHING;
        if (t->started)
            continue;
        getcontext(&t->start);
        t->start.uc_stack.ss_sp = t->stack;
        t->start.uc_stack.ss_size = STACK_BYTES;
        t->start.uc_link = NULL;
        makecontext(&t->start, thread_main, 0);
    }
}

static warp *free_warp(void)
{
    uint32_t i;
    for (i = 0; i < MAX_WARPS; i++)
        if (!warps[i].is_used)
            return &warps[i];
    printf("more warps than warp.c has room for\n");
    exit(1);
}

void warp_run(uint32_t n_threads, uint32_t first_thread, void (*code)(void))
{
    warp *w;
    if (n_threads == 1u) {
        now = NULL;
        warp_thread.x = first_thread;
        code();
        return;
    }
    w = free_warp();
    w->is_used = 1;
    make_threads(w, n_threads, first_thread, code);
    run_threads(w);
    w->is_used = 0;
    now = NULL;
    warp_thread.x = first_thread;
}

/* ---- what threads call: a single one executes the access itself and is restored afterwards ------------- */

static uint32_t access_word(want a)
{
    uint32_t self = warp_thread.x, result;
    if (now)
        return ask(a);
    result = do_access(&a);
    now = NULL;
    warp_thread.x = self;
    return result;
}

uint32_t warp_load(uint32_t *p, int order, const char *site) { return access_word((want){LOAD, p, 0, 0, order, site}); }
uint32_t warp_look(uint32_t *p, int order, const char *site) { return access_word((want){LOOK, p, 0, 0, order, site}); }
void warp_store(uint32_t *p, uint32_t v, int order, const char *site)
{
    (void)access_word((want){STORE, p, v, 0, order, site});
}
uint32_t warp_add(uint32_t *p, uint32_t v, int order, const char *site)
{
    return access_word((want){ADD, p, v, 0, order, site});
}
uint32_t warp_exchange(uint32_t *p, uint32_t v, int order, const char *site)
{
    return access_word((want){EXCHANGE, p, v, 0, order, site});
}
int warp_cas(uint32_t *p, uint32_t expected, uint32_t v, int order, const char *site)
{
    return (int)access_word((want){CAS, p, v, expected, order, site});
}
void warp_pause(const char *site) { (void)access_word((want){PAUSE, NULL, 0, 0, 0, site}); }
void warp_rest(const char *site) { (void)access_word((want){REST, NULL, 0, 0, 0, site}); }
void warp_nap(const char *site) { (void)access_word((want){NAP, NULL, 0, 0, 0, site}); }

uint32_t warp_width(void) { return now ? now->n : 1u; }
uint32_t warp_ballot(int flag)
{
    return now ? ask((want){BALLOT, NULL, flag != 0, 0, 0, NULL}) : (uint32_t)(flag != 0);
}
uint32_t warp_shuffle(uint32_t v, uint32_t from) { return now ? ask((want){SHUFFLE, NULL, v, from, 0, NULL}) : v; }
void warp_sync(void)
{
    if (now)
        (void)ask((want){SYNC, NULL, 0, 0, 0, NULL});
}

void warp_barrier(uint32_t which, uint32_t expected, int syncs)
{
    uint32_t self = warp_thread.x;
    if (now) {
        (void)ask((want){BARRIER, NULL, which, expected, syncs, NULL});
        return;
    }
    model_barrier(which, 1, expected, syncs);
    now = NULL;
    warp_thread.x = self;
}

void warp_wait(uint32_t permit)
{
    uint32_t self = warp_thread.x;
    model_wait(permit);
    now = NULL;
    warp_thread.x = self;
}

void warp_give(uint32_t permit)
{
    uint32_t self = warp_thread.x;
    model_give(permit);
    now = NULL;
    warp_thread.x = self;
}

/* ---- plain memory ---------------------------------------------------------------------------------- */

void warp_end(void)
{
    is_running = 0;
    now = NULL;
}

void warp_watch(void *block, size_t n_bytes, warp_care (*care)(size_t at), int apart)
{
    uint32_t flags = WARP_MAX_WATCHED / 4u;
    size_t i;
    if (n_bytes > WARP_MAX_WATCHED) {
        printf("a block of %zu bytes is more than warp.c has room for\n", n_bytes);
        exit(1);
    }
    watched.begin = block;
    watched.n_bytes = n_bytes;
    watched.apart = apart;
    for (i = 0; i < n_bytes / 4u; i++) {
        watched.care[i] = care(4u * i);
        watched.flag[i] = flags;
        flags += watched.care[i] == WARP_FLAG ? 2u : 0u;
    }
    for (i = 0; i < MAX_WARPS * WARP_WIDTH; i++)
        warps[i / WARP_WIDTH].threads[i % WARP_WIDTH].started = 0;
    warp_end();
}

void warp_begin(void)
{
    uint32_t i;
    for (i = 0; i < MAX_WARPS; i++)
        warps[i].is_used = warps[i].epoch = 0;
    memset(watched.read, 0, sizeof watched.read);
    memset(watched.written, 0, sizeof watched.written);
    is_running = 1;
}

static int other_thread(const touch *t)
{
    return t->warp == (uint32_t)(now - warps) + 1u && t->epoch == now->epoch && t->thread != index_in(now);
}

static void note_touch(touch *t)
{
    t->thread = other_thread(t) ? MANY : index_in(now);
    t->warp = (uint32_t)(now - warps) + 1u;
    t->epoch = now->epoch;
}

static void check_in_warp(size_t i, int writes)
{
    if (other_thread(&watched.written[i]) || (writes && other_thread(&watched.read[i])))
        model_fail("race: two threads of a warp touch bytes %zu of the block with no step of the warp between", 4u * i);
    note_touch(writes ? &watched.written[i] : &watched.read[i]);
}

/* Checks the cell of 4 bytes; a flag has one cell for each of two threads. */
static void touch_cell(size_t i, int writes)
{
    const uint32_t cell = MODEL_QUIET_CELLS + (uint32_t)i, flags = MODEL_QUIET_CELLS + watched.flag[i];
    if (watched.care[i] != WARP_FLAG) {
        (writes ? model_write_cell : model_read_cell)(cell, "memory of the block");
    } else if (writes) {
        model_write_cell(flags + (warp_thread.x & 1u), "a flag of the block");
    } else {
        model_read_cell(flags, "a flag of the block");
        model_read_cell(flags + 1u, "a flag of the block");
    }
}

static int is_let_be(warp_care care, size_t n_bytes, int writes)
{
    switch (care) {
    case WARP_WORD: return 1;
    case WARP_LATE: return writes && n_bytes == 4u;
    case WARP_LOCKED: return !writes && n_bytes > 4u;
    case WARP_FLAG: return now && !writes;
    default: return 0;
    }
}

static void touch_memory(const void *p, size_t n_bytes, int writes)
{
    const size_t at = (size_t)((const unsigned char *)p - watched.begin);
    size_t i;
    if (!is_running || at >= watched.n_bytes)
        return;
    for (i = at / 4u; i <= (at + n_bytes - 1u) / 4u; i++) {
        if (is_let_be(watched.care[i], n_bytes, writes))
            continue;
        if (now && watched.care[i] != WARP_LOCKED)
            check_in_warp(i, writes);
        touch_cell(i, writes);
    }
}

#include "tsan.h"
