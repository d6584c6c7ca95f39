/* SPDX-License-Identifier: MIT */
/* emu.c - the fibers, warps, barriers and copies of emu.h. One host thread runs all fibers. Compiled without
 * sanitizers, which cannot follow a change of stacks. */
#include "emu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define MAX_BLOCKS 32u
#define MAX_THREADS 512u
#define MAX_WARPS (MAX_THREADS / EMU_WARP)
#define STACK_BYTES 49152u
#define STACK_SHIFT 832u /* stacks start at different offsets in the cache */
#define MAX_SHARED 32768u
#define MAX_NAMES 8u
#define MAX_COPIES 32u
#define GUARD_BYTES 128u
#define POISON 0xab
#define ROUND_PS 1000000u /* emulated time in which each thread goes on once */
#define HOST_STEPS 64u

typedef enum state { READY, NAPS, IN_WARP, AT_BARRIER, ENDED } state;
typedef enum kind { NOTHING, SYNC, BALLOT, SHUFFLE, BARRIER_SYNC, BARRIER_ARRIVE } kind;
static const char *const kind_names[] = {"nothing", "syncwarp",  "ballot",
                                         "shuffle", "a barrier", "a barrier (arrives)"};

typedef struct copy {
    void *to;
    const void *from;
    uint32_t n_bytes;
} copy;

typedef struct thread {
    jmp_buf at;
    ucontext_t start;
    int started;
    state state;
    uint32_t x, n_names, n_copies;
    uint64_t wakes;
    struct block *block;
    const char *site;
    copy copies[MAX_COPIES];
} thread;

/* A step of the warp gathers its threads; the results of one stay until the next is complete. */
typedef struct warp {
    kind kind;
    uint32_t here, turn, which, n; /* here: bits of threads; which, n: the barrier and its count */
    uint32_t ballot[2], ended;
    uint64_t value[2][EMU_WARP];
} warp;

typedef struct barrier {
    uint32_t arrived, expected, turn, came, waits; /* came, waits: bits of warps */
    uint32_t any[2];
} barrier;

typedef struct name {
    uint32_t at, n_bytes;
} name;

typedef struct block {
    uint32_t id, n_ready, n_naps, speed, n_names, used;
    uint64_t wakes; /* earliest time at which a nap ends */
    uint16_t ready[MAX_THREADS], naps[MAX_THREADS];
    thread *threads;
    warp warps[MAX_WARPS];
    barrier barriers[EMU_BARRIERS];
    name names[MAX_NAMES];
    unsigned char *memory; /* variables, then the arena */
} block;

emu_index emu_thread, emu_block, emu_block_size, emu_grid_size;
uint32_t emu_left = 0xffffffffu;

static const emu_launch *launch;
static block blocks[MAX_BLOCKS];
static thread *threads;
static char *stacks;
static thread *now; /* NULL outside a launch */
static jmp_buf home;
static uint64_t random_state, n_steps, clock_ps, step_ps;
static uint32_t grain; /* at most so many points between two switches */
static uint32_t n_left;

/* ---- chance -------------------------------------------------------------------------------------- */

static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 24);
}
uint32_t emu_below(uint32_t n) { return (uint32_t)((uint64_t)next_random() * n >> 32); }

/* Random; all magnitudes up to 2^bits are equally likely. */
static uint32_t some(uint32_t bits) { return emu_below(1u << emu_below(bits + 1u)); }

/* ---- failures ------------------------------------------------------------------------------------ */

static const char *place_of(const char *site)
{
    const char *slash = site, *c;
    for (c = site; *c && *c != '|'; c++)
        if (*c == '/')
            slash = c + 1;
    return slash;
}

/* Napping counts as ready: such a thread goes on soon. */
static int stand_alike(const thread *a, const thread *b)
{
    return (a->state == b->state || (a->state <= NAPS && b->state <= NAPS)) && a->site == b->site;
}

static void print_stand(const block *b, const thread *t, uint32_t alike)
{
    static const char *const states[] = {"goes on", "goes on", "waits for its warp", "waits at a barrier", "has ended"};
    const warp *w = &b->warps[t->x / EMU_WARP];
    printf("  block %u warp %2u threads %08x: %s", b->id, t->x / EMU_WARP, alike, states[t->state]);
    if (t->site)
        printf(", %s", place_of(t->site));
    if (t->state == AT_BARRIER)
        printf(", barrier %u: %u of %u threads have come", w->which, b->barriers[w->which].arrived,
               b->barriers[w->which].expected);
    if (t->state == IN_WARP)
        printf(", %s: threads %08x have come", kind_names[w->kind], w->here);
    printf("\n");
}

static void print_warp(const block *b, const thread *t)
{
    uint32_t i, k, alike, said = 0;
    for (i = 0; i < EMU_WARP; i++) {
        if (said >> i & 1u)
            continue;
        for (k = i, alike = 0; k < EMU_WARP; k++)
            alike |= (uint32_t)stand_alike(&t[i], &t[k]) << k;
        print_stand(b, &t[i], alike);
        said |= alike;
    }
}

static void print_block(const block *b)
{
    uint32_t i;
    for (i = 0; i < launch->n_threads; i += EMU_WARP)
        print_warp(b, &b->threads[i]);
}

void emu_fail(const char *format, ...)
{
    va_list list;
    uint32_t i;
    printf("FAILED: %s%s", launch ? launch->what : "", launch ? ": " : "");
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    if (launch && now)
        printf("  in thread %u of block %u%s%s\n", now->x, now->block->id, now->site ? ", last seen at " : "",
               now->site ? place_of(now->site) : "");
    if (launch)
        printf("  seed %llu, after %llu switches\n", (unsigned long long)launch->seed, (unsigned long long)n_steps);
    for (i = 0; launch && threads && i < launch->n_blocks; i++)
        print_block(&blocks[i]);
    fflush(stdout);
    exit(1);
}

/* ---- fibers --------------------------------------------------------------------------------------- */

static void land(thread *t, uint32_t i)
{
    memcpy(t->copies[i].to, t->copies[i].from, t->copies[i].n_bytes);
    t->copies[i] = t->copies[--t->n_copies];
}

static void leave(void)
{
    if (_setjmp(now->at) == 0)
        _longjmp(home, 1);
}

static void pass_on(state s, const char *site)
{
    now->state = s;
    now->site = site;
    leave();
}

void emu_switch(const char *site)
{
    if (now)
        pass_on(READY, site);
}

static void thread_main(void)
{
    warp *w = &now->block->warps[now->x / EMU_WARP];
    launch->code(launch->arg);
    while (now->n_copies)
        land(now, 0);
    w->ended |= 1u << now->x % EMU_WARP;
    if (w->here)
        emu_fail("thread %u ends where others of its warp are at %s", now->x, kind_names[w->kind]);
    pass_on(ENDED, NULL);
}

static void make_ready(block *b, thread *t)
{
    t->state = READY;
    b->ready[b->n_ready++] = (uint16_t)t->x;
}

static void put_to_sleep(block *b, thread *t)
{
    t->state = NAPS;
    b->naps[b->n_naps++] = (uint16_t)t->x;
    if (t->wakes < b->wakes)
        b->wakes = t->wakes;
}

static void wake_sleepers(block *b)
{
    uint32_t i, n = 0;
    if (clock_ps < b->wakes)
        return;
    b->wakes = UINT64_MAX;
    for (i = 0; i < b->n_naps; i++) {
        thread *t = &b->threads[b->naps[i]];
        if (t->wakes <= clock_ps) {
            make_ready(b, t);
            continue;
        }
        b->naps[n++] = b->naps[i];
        if (t->wakes < b->wakes)
            b->wakes = t->wakes;
    }
    b->n_naps = n;
}

/* Resumes thread t until it switches. */
static void resume(thread *t)
{
    now = t;
    emu_thread.x = t->x;
    emu_block.x = t->block->id;
    emu_left = emu_below(grain);
    if (t->n_copies && emu_below(4) == 0)
        land(t, emu_below(t->n_copies));
    if (_setjmp(home))
        return;
    if (t->started)
        _longjmp(t->at, 1);
    t->started = 1;
    setcontext(&t->start);
    abort();
}

void emu_nap(uint32_t ns, const char *site)
{
    if (!now)
        return;
    now->wakes = clock_ps + emu_below(2u * ns + 1u) * 1000ull + step_ps;
    pass_on(NAPS, site);
}

uint64_t emu_clock(void)
{
    emu_point(EMU_SITE(clock));
    return clock_ps / 1000u;
}

/* ---- barriers ------------------------------------------------------------------------------------- */

/* Makes the other threads of a warp ready; the running one goes on anyway. */
static void wake_warp(block *b, uint32_t w)
{
    uint32_t i;
    for (i = w * EMU_WARP; i < (w + 1u) * EMU_WARP; i++)
        if (&b->threads[i] != now)
            make_ready(b, &b->threads[i]);
}

static void end_round(block *b, barrier *a)
{
    uint32_t w;
    for (w = 0; w < MAX_WARPS; w++)
        if (a->waits >> w & 1u)
            wake_warp(b, w);
    a->turn++;
    a->arrived = a->came = a->waits = 0;
    a->any[a->turn & 1u] = 0;
}

/* A whole warp has come to its barrier. Returns 1 if it goes on. */
static int arrive(block *b, warp *w, uint32_t ballot)
{
    const uint32_t id = (uint32_t)(w - b->warps);
    const int syncs = w->kind == BARRIER_SYNC;
    barrier *a = &b->barriers[w->which];
    if (a->arrived && a->expected != w->n)
        emu_fail("barrier %u is for %u threads here, and for %u elsewhere", w->which, w->n, a->expected);
    if (a->came >> id & 1u)
        emu_fail("warp %u comes to barrier %u twice in a round", id, w->which);
    a->expected = w->n;
    a->came |= 1u << id;
    a->waits |= (uint32_t)syncs << id;
    a->arrived += EMU_WARP;
    a->any[a->turn & 1u] |= ballot;
    if (a->arrived > a->expected)
        emu_fail("barrier %u: %u threads have come, %u are expected", w->which, a->arrived, a->expected);
    if (a->arrived == a->expected) {
        if (!syncs)
            wake_warp(b, id);
        end_round(b, a);
        return 1;
    }
    if (!syncs)
        wake_warp(b, id);
    return !syncs;
}

/* ---- warps ----------------------------------------------------------------------------------------- */

static void check_together(const warp *w, kind k, uint32_t which, uint32_t n, const char *site)
{
    if (w->ended)
        emu_fail("threads of a warp part: thread %u is at %s, %s, others have ended", now->x, kind_names[k],
                 place_of(site));
    if (w->here && (w->kind != k || w->which != which || w->n != n))
        emu_fail("threads of a warp part: thread %u is at %s (%u, %u), %s, threads %08x are at %s (%u, %u)", now->x,
                 kind_names[k], which, n, place_of(site), w->here, kind_names[w->kind], w->which, w->n);
}

/* All threads of the warp have come: the step `turn` is complete. */
static void finish_step(block *b, warp *w)
{
    const kind k = w->kind;
    uint32_t i, ballot = 0, turn = w->turn;
    for (i = 0; i < EMU_WARP; i++)
        ballot |= (uint32_t)(w->value[turn & 1u][i] != 0) << i;
    w->ballot[turn & 1u] = ballot;
    w->turn++;
    w->here = 0;
    if (k != BARRIER_SYNC && k != BARRIER_ARRIVE) {
        wake_warp(b, (uint32_t)(w - b->warps));
        return;
    }
    for (i = 0; i < EMU_WARP; i++)
        b->threads[(uint32_t)(w - b->warps) * EMU_WARP + i].state = AT_BARRIER;
    if (!arrive(b, w, ballot))
        pass_on(AT_BARRIER, now->site);
}

/* The running thread joins its warp's step; returns the parity of the step, which finds its results. */
static uint32_t meet(kind k, uint64_t value, uint32_t which, uint32_t n, const char *site)
{
    block *b = now->block;
    warp *w = &b->warps[now->x / EMU_WARP];
    const uint32_t turn = w->turn;
    check_together(w, k, which, n, site);
    now->site = site;
    w->kind = k;
    w->which = which;
    w->n = n;
    w->value[turn & 1u][now->x % EMU_WARP] = value;
    w->here |= 1u << now->x % EMU_WARP;
    if (w->here == 0xffffffffu)
        finish_step(b, w);
    else
        pass_on(IN_WARP, site);
    return turn & 1u;
}

static warp *own_warp(void) { return &now->block->warps[now->x / EMU_WARP]; }

void emu_warp_sync(const char *site)
{
    (void)meet(SYNC, 0, 0, 0, site);
    emu_point(site);
}

uint32_t emu_ballot(int flag, const char *site)
{
    const uint32_t turn = meet(BALLOT, flag != 0, 0, 0, site), result = own_warp()->ballot[turn];
    emu_point(site);
    return result;
}

uint64_t emu_shuffle64(uint64_t v, uint32_t from, const char *site)
{
    const uint32_t turn = meet(SHUFFLE, v, 0, 0, site);
    v = own_warp()->value[turn][from % EMU_WARP];
    emu_point(site);
    return v;
}
uint32_t emu_shuffle(uint32_t v, uint32_t from, const char *site) { return (uint32_t)emu_shuffle64(v, from, site); }

void emu_check_mask(uint32_t mask, const char *site)
{
    if (mask != 0xffffffffu)
        emu_fail("%s: the emulator knows only steps of all 32 threads, not of %08x", place_of(site), mask);
}

static void check_barrier(uint32_t which, uint32_t n)
{
    if (which >= EMU_BARRIERS || n % EMU_WARP || n == 0 || n > launch->n_threads)
        emu_fail("there is no barrier %u for %u threads", which, n);
}

void emu_bar_sync(uint32_t which, uint32_t n, const char *site)
{
    check_barrier(which, n);
    (void)meet(BARRIER_SYNC, 0, which, n, site);
    emu_point(site);
}

void emu_bar_arrive(uint32_t which, uint32_t n, const char *site)
{
    check_barrier(which, n);
    (void)meet(BARRIER_ARRIVE, 0, which, n, site);
    emu_point(site);
}

int emu_sync_or(int flag, const char *site)
{
    barrier *a = &now->block->barriers[0];
    const uint32_t turn = a->turn & 1u;
    (void)meet(BARRIER_SYNC, flag != 0, 0, launch->n_threads, site);
    return a->any[turn] != 0;
}

/* ---- memory of the block --------------------------------------------------------------------------- */

void *emu_shared(uint32_t n_bytes)
{
    block *b = now->block;
    name *v = &b->names[now->n_names++];
    if (now->n_names > MAX_NAMES)
        emu_fail("more variables of a block than the emulator has room for");
    if (now->n_names > b->n_names) {
        v->at = b->used;
        v->n_bytes = n_bytes;
        b->used += (n_bytes + GUARD_BYTES + 127u) / 128u * 128u;
        b->n_names++;
    }
    if (b->used > MAX_SHARED || v->n_bytes != n_bytes)
        emu_fail("variables of a block: no room, or threads name different ones");
    return b->memory + v->at;
}

void *emu_arena(void) { return now->block->memory + MAX_SHARED; }

static void check_guard(const block *b, uint32_t at, const char *what)
{
    uint32_t i;
    for (i = 0; i < GUARD_BYTES; i++)
        if (b->memory[at + i] != POISON)
            emu_fail("somebody has written behind %s of block %u", what, b->id);
}

static void check_guards(const block *b)
{
    uint32_t i;
    for (i = 0; i < b->n_names; i++)
        check_guard(b, b->names[i].at + b->names[i].n_bytes, "a variable");
    check_guard(b, MAX_SHARED + launch->shared_bytes, "the arena");
}

void emu_copy(void *to, const void *from, uint32_t n_bytes, const char *site)
{
    if (((uintptr_t)to | (uintptr_t)from) & (n_bytes - 1u))
        emu_fail("a copy of %u bytes is not aligned, %s", n_bytes, place_of(site));
    if (now->n_copies == MAX_COPIES)
        land(now, 0);
    now->copies[now->n_copies].to = to;
    now->copies[now->n_copies].n_bytes = n_bytes;
    now->copies[now->n_copies++].from = from;
    emu_point(site);
}

void emu_copy_wait(const char *site)
{
    emu_point(site);
    while (now->n_copies)
        land(now, emu_below(now->n_copies));
    emu_point(site);
}

/* ---- a launch --------------------------------------------------------------------------------------- */

static void make_thread(block *b, uint32_t x)
{
    const uint32_t i = b->id * launch->n_threads + x;
    thread *t = &threads[i];
    memset(t, 0, sizeof *t);
    t->x = x;
    t->block = b;
    getcontext(&t->start);
    t->start.uc_stack.ss_sp = stacks + (size_t)i * (STACK_BYTES + STACK_SHIFT);
    t->start.uc_stack.ss_size = STACK_BYTES;
    t->start.uc_link = NULL;
    makecontext(&t->start, thread_main, 0);
    make_ready(b, t);
}

static void make_block(uint32_t id)
{
    const size_t n_bytes = ((size_t)MAX_SHARED + launch->shared_bytes + GUARD_BYTES + 127u) / 128u * 128u;
    block *b = &blocks[id];
    uint32_t x;
    memset(b, 0, sizeof *b);
    b->id = id;
    b->speed = 1u + emu_below(8);
    b->wakes = UINT64_MAX;
    b->memory = aligned_alloc(128, n_bytes);
    if (!b->memory)
        emu_fail("out of memory");
    memset(b->memory, POISON, n_bytes);
    b->threads = threads + (size_t)id * launch->n_threads;
    for (x = 0; x < launch->n_threads; x++)
        make_thread(b, x);
}

static void begin(const emu_launch *l)
{
    const size_t n = (size_t)l->n_blocks * l->n_threads;
    uint32_t i;
    launch = l;
    now = NULL;
    random_state = (l->seed + 1u) * 0x9e3779b97f4a7c15u | 1u;
    for (i = 0; i < 8; i++)
        (void)next_random();
    n_steps = 0;
    clock_ps = 1000000000 + l->since_ns * 1000u;
    step_ps = ROUND_PS / (uint32_t)n + 1u;
    grain = 1u << emu_below(7);
    emu_block_size.x = l->n_threads;
    emu_grid_size.x = l->n_blocks;
    if (l->n_blocks > MAX_BLOCKS || l->n_threads > MAX_THREADS || l->n_threads % EMU_WARP || !n)
        emu_fail("%u blocks of %u threads: the emulator has no room", l->n_blocks, l->n_threads);
    threads = malloc(n * sizeof *threads);
    stacks = malloc(n * (STACK_BYTES + STACK_SHIFT));
    if (!threads || !stacks)
        emu_fail("out of memory");
    for (i = 0; i < l->n_blocks; i++)
        make_block(i);
    n_left = (uint32_t)n;
}

static void end(void)
{
    uint32_t i, k;
    now = NULL;
    emu_left = 0xffffffffu;
    for (i = 0; i < launch->n_blocks; i++) {
        for (k = 0; k < EMU_BARRIERS; k++)
            if (blocks[i].barriers[k].arrived)
                emu_fail("%u threads are left at barrier %u of block %u", blocks[i].barriers[k].arrived, k, i);
        check_guards(&blocks[i]);
        free(blocks[i].memory);
    }
    free(threads);
    free(stacks);
    threads = NULL;
    launch = NULL;
}

/* If no fiber can go on, time passes until a nap ends. */
static void pass_time(void)
{
    uint64_t wakes = UINT64_MAX;
    uint32_t i;
    for (i = 0; i < launch->n_blocks; i++)
        if (blocks[i].n_ready)
            return;
    for (i = 0; i < launch->n_blocks; i++)
        wakes = blocks[i].wakes < wakes ? blocks[i].wakes : wakes;
    now = NULL;
    if (wakes == UINT64_MAX)
        emu_fail("nobody can go on");
    clock_ps = wakes > clock_ps ? wakes : clock_ps;
    for (i = 0; i < launch->n_blocks; i++)
        wake_sleepers(&blocks[i]);
}

/* Resumes a random ready thread. Now and then it puts that thread to sleep instead, for some time. */
static void step(block *b)
{
    const uint32_t i = emu_below(b->n_ready);
    thread *t = &b->threads[b->ready[i]];
    b->ready[i] = b->ready[--b->n_ready];
    n_steps++;
    clock_ps += step_ps;
    if ((next_random() & 1023u) == 0) {
        t->wakes = clock_ps + (uint64_t)some(14) * step_ps;
        put_to_sleep(b, t);
        return;
    }
    resume(t);
    if (t->state == READY)
        make_ready(b, t);
    else if (t->state == NAPS)
        put_to_sleep(b, t);
    n_left -= t->state == ENDED;
}

static void look_around(void)
{
    if (n_steps > launch->n_steps) {
        now = NULL;
        emu_fail("no end after %llu switches: it hangs", (unsigned long long)launch->n_steps);
    }
    now = NULL;
    emu_left = 0xffffffffu;
    if (launch->beside)
        launch->beside(launch->arg, n_steps);
}

uint64_t emu_run(const emu_launch *l)
{
    uint64_t looks = 0;
    uint32_t k;
    begin(l);
    while (n_left) {
        block *b = &blocks[emu_below(l->n_blocks)];
        if (n_steps >= looks) {
            look_around();
            looks = n_steps + HOST_STEPS;
        }
        wake_sleepers(b);
        if (!b->n_ready || emu_below(8) >= b->speed) {
            pass_time();
            continue;
        }
        if (emu_below(64) == 0)
            b->speed = 1u + emu_below(8);
        for (k = some(8); b->n_ready; k--) {
            step(b);
            if (k == 0)
                break;
        }
    }
    end();
    return n_steps;
}
