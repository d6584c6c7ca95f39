/* SPDX-License-Identifier: MIT */
/* block_pool.cpp - a resident pool on a GPU, from the host's threads that send to the warps that run bodies: core/wire.h, courier.h,
 * crew.h, serve.h as they are. There are three kinds of cases:
 *
 *     wire    threads of the host write lines, couriers take them, and a taker (core/ticket.h) tells the host of each
 *     serve   two blocks of one team; the warps of the second begin as couriers
 *     crew    a block of several teams, some of them wide; one warp schedules, one is a courier
 *     crews   two such blocks, of one warp for teams
 *
 * But for `wire` the kernel may end when there is nothing to do, and is started again as the host does it. Warps that
 * schedule and couriers have eight lanes, a team's warp is one thread. Fences stand alone here, as on a GPU.
 *
 * What must hold: each task runs once, with its own record, after those that it comes after; it sees what they wrote, and the host
 * sees what it wrote when it is told. Then the host uses slots and places again. No line is overlooked, and the kernel ends. */
#define MODEL_FENCES
#define HD_CHUNK 4u
#define HD_GROUPS 2u
#define HD_COURIERS 2u
#define HD_CREW_LINGER 0u
#define HD_SEATS 8u
#define __builtin_memcpy __tsan_memcpy /* in core, too */
#include <stddef.h>
extern "C" void *__tsan_memcpy(void *to, const void *from, size_t n_bytes);
#include "block.h"

#include <stdio.h>
#include <string.h>

#include "heddle/core/serve.h"

#define MAX_SENT 9u
#define MAX_BLOCKS 3u
#define MAX_WARPS 2u /* of a team */
#define MAX_TEAMS 4u /* warps of teams */
#define N_HOST 16u
#define N_SLOTS 16u /* places of the ring */
#define N_LINES 8u
#define MAX_WORDS 10u /* of a record */
#define COPY_BYTES 16u
#define N_STORE 128u /* none of them is used: no body spawns */
#define GENERATION 5u
#define N_THREADS 8u /* of a warp: they copy a record, or look at two lines */
#define NEVER (1ull << 40)
#define KERNEL_BARRIER 7u

enum kind { WIRE, SERVE, CREW, CREWS };
enum what { URGENT = 1, SECOND = 2, FAILS = 4, SLOW = 8, HELD = 16, COPIES = 32, SKIPPED = 64 };

/* A task that the host sends. */
struct sent {
    uint32_t slot, n_words; /* of its record */
    uint32_t what = 0;
    uint32_t after = 0; /* bit mask of earlier ones */
    uint32_t n_blocks = 1, n_warps = 1;
};

struct pool_case {
    const char *name;
    enum kind kind;
    uint32_t n_preempt, n_weak;
    uint32_t place;    /* where the wire begins */
    uint32_t n_lines;  /* a chunk for each courier, or more */
    uint32_t n_size;   /* couriers of `wire`, warps of a crew's teams */
    uint32_t restless; /* the kernel ends as soon as there is nothing to do */
    uint32_t n_sent;
    sent tasks[MAX_SENT];
    uint64_t hold = NEVER, step = 1;
};

enum role {
    HOST,
    SECOND_HOST,
    THREAD,
    COURIER,
    SECOND_COURIER,
    TEAM,
    TAKER = TEAM + MAX_TEAMS,
    SCHEDULES,
    SECOND_SCHEDULES,
    N_ROLES
};

static const pool_case *c;
static uint32_t n_roles, n_kernel; /* n_kernel: warps of the kernel */
static uint8_t roles[MODEL_MAX_FIBERS];

/* Watched memory. Blocks of one team and a crew are never there at once. */
static struct memory {
    union {
        hd_crew crew[2];
        struct {
            hd_block block[2];
            hd_serving serving[2];
        } lone;
    };
    hd_task tasks[N_HOST];
    hd_after after[N_HOST], named[N_HOST]; /* on the device, on the host */
    uint8_t large[N_HOST][64], stage[2][COPY_BYTES];
    uint32_t far[N_HOST][4]; /* host memory that is copied */
    hd_copy copies[N_HOST], far_copies[N_HOST];
    hd_told told[N_HOST];
    hd_couriers couriers;
    hd_tally tallies[2];
    hd_end how_ended;
} m __attribute__((aligned(128)));

static hd_spawn_buffer_if<1> own[2];
static hd_wire_line lines[N_LINES] __attribute__((aligned(64)));
static hd_control control;
static hd_cursor cursors[4];
static uint32_t store[2 * N_STORE], slots[N_SLOTS], kinds[2], taken, asked, stays, news[N_HOST], news_end,
    urgent[N_HOST];
static hd_cursor urgent_at;
static hd_live live[2];
static hd_fail fates[N_HOST];
static hd_pool pool;
static hd_run run;
static hd_wire wire;
static hd_places places;

/* Of the host's threads. */
static uint32_t sleeps, lock_word, run_number;
static int running, ends, is_over;
static uint32_t n_told, n_ran[MAX_SENT];

/* Cells: what a warp of a task's block has written. */
static uint32_t out_of(uint32_t n, uint32_t block, uint32_t warp)
{
    return (n * MAX_BLOCKS + block) * MAX_WARPS + warp;
}
/* A word of a task's record. */
static uint32_t word_of(uint32_t n, uint32_t i) { return i ? (n + 1u) * 1000u + i : n; }

/* ---- the bodies ---------------------------------------------------------------------------------- */

static void check_record(uint32_t n, const uint32_t *words)
{
    for (uint32_t i = 0; i < c->tasks[n].n_words; i++)
        if (words[i] != word_of(n, i) && !(c->tasks[n].what & COPIES && i < 4u))
            model_fail("word %u of the record of task %u is %u", i, n, words[i]);
}

static void check_inputs(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; c->tasks[n].after >> i & 1u && k < c->tasks[i].n_blocks * c->tasks[i].n_warps; k++)
            model_read_cell(out_of(i, k / c->tasks[i].n_warps, k % c->tasks[i].n_warps), "an input");
}

/* Its pointer, in words 2 and 3, is to a copy, which the body changes. */
static void use_copy(const uint32_t *words, uint32_t n)
{
    uint32_t *copy = *(uint32_t *const *)(const void *)(words + 2);
    if (copy == m.far[c->tasks[n].slot] || copy[0] != word_of(n, 7))
        model_fail("task %u has no copy of its memory, but %u", n, copy[0]);
    copy[0]++;
}

namespace
{
struct bodies {
    void operator()(const heddle_thread *thread, uint32_t, const void *, const void *args) const
    {
        const uint32_t n = *(const uint32_t *)args, warp = thread->index / 32u;
        const sent *s = &c->tasks[n];
        model_note("runs task", n);
        check_record(n, (const uint32_t *)args);
        check_inputs(n);
        if (thread->team_size != 32u * s->n_warps || thread->n_blocks != s->n_blocks || thread->task != s->slot ||
            warp >= s->n_warps || n_ran[n] >> (thread->block * MAX_WARPS + warp) & 1u)
            model_fail("task %u runs again, or as another: warp %u of %u, block %u of %u", n, warp,
                       thread->team_size / 32u, thread->block, thread->n_blocks);
        n_ran[n] |= 1u << (thread->block * MAX_WARPS + warp);
        model_write_cell(out_of(n, thread->block, warp), "an output");
        if (s->what & SLOW)
            warp_nap(MODEL_SITE(body));
        hd_team_meet(thread);
        for (uint32_t k = 0; k < s->n_warps; k++)
            model_read_cell(out_of(n, thread->block, k), "what the team wrote before it met");
        if (s->what & COPIES && warp == 0)
            use_copy((const uint32_t *)args, n);
        if (s->what & FAILS)
            (void)hd_thread_fail(thread, 3);
    }
};
} // namespace

/* ---- the host ------------------------------------------------------------------------------------ */

static void lock(void)
{
    while (!HD_CAS(&lock_word, 0u, 1u, ACQUIRE, SYS))
        HD_PAUSE(0);
}
static void unlock(void) { HD_STORE(&lock_word, 0u, RELEASE, SYS); }

static int is_kernel(uint32_t role) { return role >= COURIER; }

/* With the lock. */
static void start_kernel(void)
{
    HD_STORE(&asked, HD_ASKED_NOTHING, RELAXED, SYS);
    run_number++;
    running = 1;
    model_note("starts the kernel", run_number);
    for (uint32_t i = 0; i < n_roles; i++)
        if (is_kernel(roles[i]))
            warp_give(i);
}

/* As in src/backend/cuda/pool_resident.c, from here on to be_thread. */
static void rouse(void)
{
    lock();
    if (HD_LOAD(&sleeps, RELAXED, SYS) && !running) {
        HD_STORE(&sleeps, 0u, RELAXED, SYS);
        start_kernel();
    }
    warp_give(MODEL_MAX_FIBERS);
    unlock();
}

static void write_line(const hd_sent *s, uint64_t handle)
{
    const uint32_t place = hd_wire_reserve(&places, 1);
    if (!hd_wire_seems_free(&wire, &places, place))
        while (!hd_wire_is_free(&wire, &places, place)) {
            if (hd_wire_must_rouse(&sleeps))
                rouse();
            HD_PAUSE(0);
        }
    hd_wire_write(&wire, place, s, &handle, 0, 1);
    if (hd_wire_must_rouse(&sleeps))
        rouse();
}

static void start_or_sleep(void)
{
    if (hd_wire_is_left(&wire, &places.next)) {
        start_kernel();
        return;
    }
    if (hd_wire_may_sleep(&wire, &places.next, &sleeps) && !ends) {
        unlock();
        warp_wait(MODEL_MAX_FIBERS);
        lock();
    }
    HD_STORE(&sleeps, 0u, RELAXED, SYS);
}

static void look_after_kernel(void)
{
    if (ends)
        HD_STORE(&asked, HD_ASKED_END, RELAXED, SYS);
    if (HD_LOAD(&m.how_ended.run, ACQUIRE, SYS) == run_number) {
        running = 0;
        if (m.how_ended.stop != HD_STOP_DONE)
            model_fail("the kernel ends with %u", m.how_ended.stop);
        return;
    }
    unlock();
    HD_PAUSE(0);
    lock();
}

static void be_thread(void)
{
    lock();
    while (!ends || running)
        if (running)
            look_after_kernel();
        else
            start_or_sleep();
    unlock();
    is_over = 1;
    for (uint32_t i = 0; i < n_roles; i++)
        if (is_kernel(roles[i]))
            warp_give(i);
}

static uint64_t handle_of(uint32_t n) { return (uint64_t)(GENERATION + n) << 32 | c->tasks[n].slot; }

static void make_record(uint32_t n, uint32_t *words)
{
    for (uint32_t i = 0; i < c->tasks[n].n_words; i++)
        words[i] = word_of(n, i);
    if (c->tasks[n].what & COPIES) {
        const uint64_t at = (uint64_t)(uintptr_t)m.far[c->tasks[n].slot];
        m.far[c->tasks[n].slot][0] = word_of(n, 7);
        memcpy(words + 2, &at, sizeof at);
    }
}

static void send(uint32_t n, uint32_t held)
{
    const sent *s = &c->tasks[n];
    const hd_copy copy = {(uint64_t)(uintptr_t)m.far[s->slot], COPY_BYTES,
                          8u << HD_COPY_MODES | HD_COPY_IN | HD_COPY_OUT};
    uint32_t words[MAX_WORDS];
    uint64_t after[MAX_SENT];
    hd_sent t = {};
    t.flags = HD_TASK_PINNED | HD_TASK_NOTIFY | (s->what & URGENT ? HD_TASK_URGENT : 0u) |
              (s->what & COPIES ? 1u << HD_TASK_COPIES : 0u) | (c->kind >= CREW ? s->n_warps << HD_TASK_TEAM : 0u);
    t.n_blocks = s->n_blocks;
    t.team_size = 32u * s->n_warps;
    t.arg_bytes = 4u * s->n_words;
    t.args = words;
    t.after = after;
    t.copies = &copy;
    t.held = held;
    for (uint32_t i = 0; i < n; i++)
        if (s->after >> i & 1u)
            after[t.n_after++] = handle_of(i);
    make_record(n, words);
    model_note(held == HD_RELEASED ? "releases task" : "sends task", n);
    write_line(&t, handle_of(n));
}

static void check_outputs(uint32_t n)
{
    const sent *s = &c->tasks[n];
    if (s->what & SKIPPED || c->kind == WIRE)
        return;
    for (uint32_t k = 0; k < s->n_blocks * s->n_warps; k++)
        if (n_ran[n] >> (k / s->n_warps * MAX_WARPS + k % s->n_warps) & 1u)
            model_read_cell(out_of(n, k / s->n_warps, k % s->n_warps), "an output, after the end");
    if (s->what & COPIES && m.far[s->slot][0] != word_of(n, 7) + 1u)
        model_fail("the copy of task %u is not back", n);
}

/* Waits until task n is told, and sees what it wrote. */
static void await(uint32_t n)
{
    const sent *s = &c->tasks[n];
    hd_told *told = &m.told[s->slot];
    const uint32_t want = s->what & SKIPPED ? HD_STOP_CANCELED : s->what & FAILS ? HD_STOP_FAILED : HD_STOP_DONE;
    uint32_t v;
    while ((v = HD_LOAD(&told->state, ACQUIRE, SYS)) >> HD_TOLD_BITS != GENERATION + n)
        HD_PAUSE(0);
    if ((v & HD_TOLD_HOW) != want)
        model_fail("task %u has ended as %u", n, v & HD_TOLD_HOW);
    if (want == HD_STOP_FAILED && told->code != 3)
        model_fail("task %u: code %u", n, told->code);
    check_outputs(n);
    n_told |= 1u << n;
}

/* Waits until task i is told, and those before n that come after it. */
static void await_all_of(uint32_t i, uint32_t n)
{
    for (uint32_t k = i; k < n; k++)
        if ((k == i || c->tasks[k].after >> i & 1u) && !(n_told >> k & 1u))
            await(k);
}

/* A slot is used again after its last task, which the same thread has sent. */
static void send_all(uint32_t second)
{
    for (uint32_t n = 0; n < c->n_sent; n++) {
        const sent *s = &c->tasks[n];
        if ((s->what & SECOND) / SECOND != second)
            continue;
        for (uint32_t i = 0; i < n; i++)
            if (c->tasks[i].slot == s->slot)
                await_all_of(i, n);
        send(n, s->what & HELD ? HD_HELD : 0u);
    }
    for (uint32_t n = 0; n < c->n_sent; n++)
        if (c->tasks[n].what & HELD && (c->tasks[n].what & SECOND) / SECOND == second)
            send(n, HD_RELEASED);
}

static void be_host(void)
{
    send_all(0);
    for (uint32_t n = c->n_sent; n-- > 0;)
        if (!(n_told >> n & 1u))
            await(n);
    if (c->kind == WIRE)
        return;
    lock();
    ends = 1;
    warp_give(MODEL_MAX_FIBERS);
    unlock();
}

/* ---- the kernel ------------------------------------------------------------------------------------ */

/* Ends tasks in the place of teams. */
static void take_all(void)
{
    for (uint32_t k = 0; k < c->n_sent; k++) {
        uint32_t what, t;
        while (!(what = hd_place_take(&run, k)))
            HD_PAUSE(0);
        t = what == HD_PLACE_URGENT ? hd_urgent_take(&run, 1) : what - 1u;
        const hd_task *task = &m.tasks[t];
        const uint32_t n = *(const uint32_t *)hd_args_at(&run, task), v = task->links.done_word, flags = task->flags;
        if (n >= c->n_sent || c->tasks[n].slot != t || n_ran[n]++ || v != (GENERATION + n) << HD_DONE_WORD_BITS ||
            task->n_in || task->cost_ns != c->tasks[n].n_blocks || task->arg_bytes != 4u * c->tasks[n].n_words)
            model_fail("slot %u has the record of task %u, again or another's", t, n);
        check_record(n, (const uint32_t *)hd_args_at(&run, task));
        HD_FENCE_FOR_HOST();
        hd_pool_tell(&run, t, v >> HD_DONE_WORD_BITS, flags, 0);
    }
    (void)hd_stop(&control.fail, HD_STOP_DONE);
}

static void bring_lines(void)
{
    hd_courier k = {threadIdx.x / 32u, 0, 0, 0, 0, 0, c->n_size, 0, 0};
    hd_tiring t = {0, 0, c->place, 0, 0};
    uint32_t slot = 0;
    hd_courier_begin(&m.couriers, k);
    hd_courier_work(run, wire, k, &slot, &t);
}

/* The block that a warp belongs to. */
static uint32_t block_of(uint32_t role)
{
    if (c->kind == CREW)
        return 0;
    return role == COURIER || role == SECOND_SCHEDULES || role == TEAM + 1u ||
           (c->kind == SERVE && role == SECOND_COURIER);
}

/* What the threads of a block do one after another before they meet. */
static void come_to_crew(uint32_t b)
{
    for (uint32_t i = HD_SEATS; i-- > 0;) {
        warp_thread.x = WARP_BLOCK * b + i;
        hd_crew_come(run, &m.crew[b]);
    }
}
static void come_to_block(uint32_t b)
{
    hd_block *block = &m.lone.block[b];
    for (uint32_t i = 32; i-- > 0;) {
        warp_thread.x = WARP_BLOCK * b + i;
        warp_block_size.x = 32;
        hd_spawn_buffer_begin_all(run, &own[b]);
    }
    warp_block_size.x = 64;
    block->ended = block->failed = 0;
    hd_worker_begin(&run, &block->worker, b);
    hd_block_came(run, block->worker.run);
    m.lone.serving[b].stage = nullptr;
    m.lone.serving[b].barrier = 0;
    own[b].run.pool = &pool;
}

static void be_team(void) { hd_crew_warp<bodies>(run, &m.crew[blockIdx.x], nullptr); }
static void schedule(void) { hd_crew_schedule(&m.crew[blockIdx.x], hd_below(c->n_size + 1u) & ~1u); }
static void bring_to_crew(void) { hd_crew_bring(run, wire, run.n_workers - 1u - blockIdx.x); }
static void leave_crew(hd_crew *crew)
{
    hd_turn none = hd_turn_begin();
    hd_block_leave(run, crew->worker.run, hd_worker_end(&run, &crew->worker, &none));
}
static void serve_couriers(void) { hd_couriers_serve(run, wire); }
static void serve_team(void)
{
    hd_serve_team<bodies>(run, &m.lone.block[blockIdx.x], &m.lone.serving[blockIdx.x], nullptr,
                          &own[blockIdx.x].spawn_buffer);
}
static void serve_schedule(void)
{
    hd_serve_schedule(run, &m.lone.block[blockIdx.x], &m.lone.serving[blockIdx.x], &own[blockIdx.x], 32);
}

static void meet(void) { warp_barrier(KERNEL_BARRIER, n_kernel, 1); }

static int is_team(uint32_t role) { return role >= TEAM && role < TEAM + MAX_TEAMS; }

/* All warps of a block meet. */
static void meet_in_crew(uint32_t b) { warp_barrier(KERNEL_BARRIER - 1u - b, c->n_size + 2u, 1); }

static void run_crew(uint32_t role)
{
    const uint32_t b = block_of(role), schedules = role == SCHEDULES || role == SECOND_SCHEDULES;
    const uint32_t warp = schedules ? c->n_size + 1u : !is_team(role) ? 0u : c->kind == CREW ? role - TEAM + 1u : 1u;
    if (schedules)
        come_to_crew(b);
    meet_in_crew(b);
    warp_run(is_team(role) ? 1u : N_THREADS, WARP_BLOCK * b + 32u * warp,
             schedules       ? schedule
             : is_team(role) ? be_team
                             : bring_to_crew);
    meet_in_crew(b);
    if (schedules)
        leave_crew(&m.crew[b]);
}

/* Roles TEAM and SCHEDULES are the first block, both couriers the second. */
static void run_block(uint32_t role)
{
    const uint32_t b = block_of(role), schedules = role == SCHEDULES || role == SECOND_COURIER,
                   first = WARP_BLOCK * b + 32u * schedules;
    warp_thread.x = first;
    if (schedules) {
        come_to_block(b);
        warp_thread.x = first;
    }
    meet();
    if (b)
        warp_run(N_THREADS, first, serve_couriers);
    if (b)
        warp_barrier(KERNEL_BARRIER - 2u, 2, 1); /* of the block */
    if (schedules)
        warp_run(N_THREADS, first, serve_schedule);
    else
        warp_run(1, first, serve_team);
}

/* A warp, until the pool is over. Kernels of a stream run one after another. */
static void be_kernel(uint32_t fiber, uint32_t role)
{
    for (;;) {
        warp_wait(fiber);
        if (is_over)
            break;
        (c->kind == SERVE ? run_block : run_crew)(role);
        meet();
    }
}

static void fiber(uint32_t id)
{
    const uint32_t role = roles[id];
    warp_run(1, 8u * WARP_BLOCK, [] {}); /* a thread of the host, for now */
    switch (role) {
    case HOST: be_host(); break;
    case SECOND_HOST: send_all(1); break;
    case THREAD: be_thread(); break;
    default:
        if (c->kind != WIRE)
            be_kernel(id, role);
        else if (role == TAKER)
            take_all();
        else
            warp_run(N_THREADS, 32u * (role - COURIER), bring_lines);
    }
}

/* ---- a case ------------------------------------------------------------------------------------------ */

static warp_care care_of(size_t at)
{
    if (c->kind == SERVE && at < sizeof m.lone.block)
        switch (at % sizeof(hd_block)) {
        case offsetof(hd_block, ended): return WARP_WORD;
        case offsetof(hd_block, failed): return WARP_FLAG;
        default: break;
        }
    if (at - offsetof(memory, tasks) < sizeof m.tasks &&
        (at - offsetof(memory, tasks)) % sizeof(hd_task) == offsetof(hd_task, links.waiters))
        return WARP_LOCKED; /* by the done word */
    return WARP_PLAIN;
}

static void make_pool(void)
{
    memset(&pool, 0, sizeof pool);
    pool.fates = fates;
    pool.told = m.told;
    pool.news = news;
    pool.news_end = &news_end;
    pool.urgent = urgent;
    pool.urgent_at = &urgent_at;
    pool.live = live;
    pool.n_host = N_HOST;
    pool.n_workers = run.n_workers;
    pool.live_apart = 1;
    pool.most_threads = 64;
    pool.most_copies = 1;
    pool.copies = m.copies;
    pool.stage = &m.stage[0][0];
    pool.stage_bytes = COPY_BYTES;
    pool.n_seats = c->kind >= CREW ? c->n_size : 0u;
    pool.n_stages = c->kind == CREW ? c->n_size - 1u : 0u;
    pool.team_warps = 1;
}

static void make_run(void)
{
    memset(&run, 0, sizeof run);
    run.tasks = m.tasks;
    run.after = m.after;
    run.store = store;
    run.bodies = kinds;
    run.n_store = N_STORE;
    run.tallies = m.tallies;
    run.control = &control;
    run.cursors = cursors;
    run.slots = slots;
    run.end = &m.how_ended;
    run.pool = &pool;
    run.n_workers = c->kind == CREW ? 1u : 2u;
    run.dispatch = HD_DISPATCH_TICKET;
    run.n_slots = N_SLOTS;
    run.n_arena = N_HOST;
    run.n_bodies = 1;
    run.n_local = 1;
    run.polite = 1;
    wire = {lines,       &m.large[0][0],           m.named, m.far_copies, &taken, &asked, &stays,
            &m.couriers, c->restless ? 0u : NEVER, c->hold, c->n_lines,   64,     1};
}

/* Lines of the last round are there. */
static void begin(void)
{
    memset(&m, 0, sizeof m);
    memset(own, 0, sizeof own);
    memset(lines, 0, sizeof lines);
    memset(&control, 0, sizeof control);
    memset(cursors, 0, sizeof cursors);
    memset(slots, 0, sizeof slots);
    memset(news, 0, sizeof news);
    memset(urgent, 0, sizeof urgent);
    memset(&urgent_at, 0, sizeof urgent_at);
    memset(live, 0, sizeof live);
    memset(fates, 0, sizeof fates);
    memset(n_ran, 0, sizeof n_ran);
    memset(warp_copies, 0, sizeof warp_copies);
    warp_n_units = 1;
    warp_units[0].tag = c->place;
    m.couriers.place = taken = places.next = places.seen = c->place;
    asked = stays = news_end = sleeps = lock_word = run_number = n_told = 0;
    running = ends = is_over = 0;
    control.fresh = N_HOST;
    hd_rearm(&run, 1);
    warp_begin();
}

static void end(void)
{
    warp_end();
    block_check_barriers();
    for (uint32_t n = 0; n < c->n_sent; n++) {
        const sent *s = &c->tasks[n];
        uint32_t want = c->kind == WIRE ? 1u : 0u;
        for (uint32_t k = 0; c->kind != WIRE && k < s->n_blocks * s->n_warps; k++)
            want |= 1u << (k / s->n_warps * MAX_WARPS + k % s->n_warps);
        if (s->what & FAILS && s->n_blocks > 1u) /* the others may not have begun */
            want = n_ran[n] & want ? n_ran[n] & want : want;
        if (n_ran[n] != (s->what & SKIPPED ? 0u : want))
            model_fail("task %u ran as %u", n, n_ran[n]);
    }
    for (uint32_t n = 0; n < c->n_sent; n++)
        if (!news[n])
            model_fail("only %u ends are news", n);
    if (c->kind == WIRE)
        return;
    if (taken != places.next || m.couriers.place != taken)
        model_fail("taken %u of %u, and the next run begins at %u", taken, places.next, m.couriers.place);
    if (live[0].ended[0] + live[1].ended[0] != c->n_sent)
        model_fail("%u tasks have ended", live[0].ended[0] + live[1].ended[0]);
    for (uint32_t k = 0; k < N_SLOTS; k++)
        if (slots[k])
            model_fail("place %u is not empty", k);
}

static void choose_roles(const uint8_t *order)
{
    const uint32_t n_couriers = c->kind == WIRE ? c->n_size : c->kind == CREW ? 1u : 2u;
    const uint32_t n_teams = c->kind == WIRE ? 0u : c->kind == SERVE ? 1u : c->kind == CREW ? c->n_size : 2u;
    uint32_t n_second = 0;
    for (uint32_t n = 0; n < c->n_sent; n++)
        n_second += (c->tasks[n].what & SECOND) != 0;
    n_roles = n_kernel = 0;
    for (uint32_t i = 0; i < N_ROLES; i++) {
        const uint32_t role = order[i];
        if ((role == SECOND_HOST && !n_second) || (role == THREAD && c->kind == WIRE) ||
            (role == SECOND_COURIER && n_couriers < 2u) || (is_team(role) && role - TEAM >= n_teams) ||
            (role == SECOND_SCHEDULES && c->kind != CREWS) || (role == TAKER && c->kind != WIRE) ||
            (role == SCHEDULES && c->kind == WIRE))
            continue;
        roles[n_roles++] = (uint8_t)role;
        n_kernel += (uint32_t)is_kernel(role);
    }
}

static int explore_case(const uint8_t *order, uint32_t most, uint32_t deeper, int weak)
{
    model_test t = {c->name, 0, 0, 0, 1, begin, fiber, end, 1};
    block_order o = {};
    int failed;
    choose_roles(order);
    make_run();
    make_pool();
    t.n_fibers = n_roles;
    block_clock_step = c->step;
    warp_threads_of_block = 1u + N_THREADS;
    warp_block_size.x = c->kind >= CREW ? HD_SEATS : 64u;
    warp_watch(&m, sizeof m, care_of, 0);
    o.n_preempt = c->n_preempt + deeper < most ? c->n_preempt + deeper : most;
    failed = block_explore(t, &o);
    o.n_preempt = c->n_weak + deeper < most ? c->n_weak + deeper : most;
    o.n_stale = 1;
    failed = failed || (weak && block_explore(t, &o));
    block_clock_step = 0;
    warp_threads_of_block = WARP_LANES + WARP_WIDTH;
    return failed;
}

/* clang-format off */
static const pool_case cases[] = {
    {"wire.one",      WIRE, 2, 2, 0, 4, 1, 0, 1, {{0, 7}}},
    {"wire.round",    WIRE, 1, 1, 2, 4, 1, 0, 7, {{0, 2}, {1, 7}, {2, 3}, {3, 1}, {4, 1}, {5, 1}, {6, 1}}},
    {"wire.again",    WIRE, 1, 1, 3, 4, 1, 0, 5, {{0, 7}, {1, 7}, {0, 10}, {1, 2}, {0, 9}}},
    {"wire.wraps",    WIRE, 1, 1, 0u - 3u, 4, 1, 0, 5, {{0, 7}, {1, 7}, {0, 7}, {1, 2}, {0, 1}}},
    {"wire.hosts",    WIRE, 1, 1, 2, 4, 1, 0, 4, {{0, 7}, {1, 7, SECOND}, {0, 8}, {1, 7, SECOND}}},
    {"wire.turns",    WIRE, 0, 0, 0, 4, 1, 0, 8, {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1, SECOND}, {5, 1, SECOND}, {6, 1, SECOND}, {7, 1, SECOND}}},
    {"wire.others",   WIRE, 0, 0, 7, 8, 2, 0, 9, {{0, 1}, {1, 1, SECOND}, {2, 1, SECOND}, {3, 1, SECOND}, {4, 1, SECOND}, {5, 1, SECOND},
                                                  {6, 1, SECOND}, {7, 1, SECOND}, {8, 1, SECOND}}},
    {"wire.couriers", WIRE, 1, 1, 3, 8, 2, 0, 3, {{0, 7}, {1, 9}, {2, 7, URGENT}}},
    {"wire.far",      WIRE, 1, 1, 0, 8, 2, 0, 6, {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}},
    {"serve.one",     SERVE, 1, 0, 0, 8, 0, 0, 1, {{0, 7}}},
    {"serve.ends",    SERVE, 1, 1, 0, 8, 0, 1, 2, {{0, 7}, {1, 2}}},
    {"serve.after",   SERVE, 1, 0, 3, 8, 0, 0, 3, {{0, 7}, {1, 9, 0, 1}, {2, 2, 0, 3}}},
    {"serve.again",   SERVE, 1, 0, 3, 8, 0, 1, 3, {{0, 7}, {0, 9}, {0, 2}}},
    {"serve.fails",   SERVE, 1, 0, 3, 8, 0, 0, 3, {{0, 7, FAILS}, {1, 9, SKIPPED, 1}, {0, 3}}},
    {"serve.blocks",  SERVE, 1, 0, 0, 8, 0, 0, 2, {{0, 7, 0, 0, 3}, {1, 2, URGENT}}},
    {"serve.held",    SERVE, 1, 0, 3, 8, 0, 0, 2, {{0, 7, HELD}, {1, 2, 0, 1}}},
    {"serve.hosts",   SERVE, 1, 0, 0, 8, 0, 1, 2, {{0, 7}, {1, 2, SECOND}}},
    {"serve.holds",   SERVE, 1, 0, 0, 8, 0, 0, 2, {{0, 7, SLOW}, {1, 2}}, 0, 1},
    {"serve.patient", SERVE, 1, 0, 0, 8, 0, 0, 2, {{0, 7, SLOW}, {1, 2}}, 0, 3000000},
    {"serve.stops",   SERVE, 1, 0, 3, 8, 0, 1, 2, {{0, 7}, {1, 2}}},
    {"serve.chain",   SERVE, 1, 0, 3, 8, 0, 1, 2, {{0, 7}, {1, 2, 0, 1}}},
    {"serve.late",    SERVE, 1, 0, 3, 8, 0, 0, 5, {{0, 7}, {1, 2, 0, 1}, {2, 1}, {3, 1}, {4, 1}}},
    {"crew.one",      CREW, 1, 0, 0, 4, 2, 0, 1, {{0, 7}}},
    {"crew.two",      CREW, 1, 0, 0, 4, 2, 0, 2, {{0, 7, SLOW}, {1, 2}}},
    {"crew.both",     CREW, 1, 0, 0, 4, 2, 0, 2, {{0, 7}, {1, 2}}},
    {"crew.ends",     CREW, 1, 1, 0, 4, 2, 1, 2, {{0, 7}, {1, 2}}},
    {"crew.hosts",    CREW, 1, 0, 0, 4, 2, 1, 2, {{0, 7}, {1, 2, SECOND}}},
    {"crew.again",    CREW, 1, 0, 2, 4, 2, 1, 3, {{0, 7}, {0, 9}, {0, 2}}},
    {"crew.after",    CREW, 1, 0, 2, 4, 2, 0, 3, {{0, 7}, {1, 9, 0, 1}, {2, 2, 0, 3}}},
    {"crew.fails",    CREW, 1, 0, 3, 4, 2, 0, 3, {{0, 7, FAILS}, {1, 9, SKIPPED, 1}, {0, 3}}},
    {"crew.chain",    CREW, 1, 0, 3, 4, 2, 1, 2, {{0, 7}, {1, 2, 0, 1}}},
    {"crew.wide",     CREW, 1, 0, 0, 4, 2, 0, 2, {{0, 7, SLOW}, {1, 2, 0, 0, 1, 2}}},
    {"crew.wides",    CREW, 1, 0, 0, 4, 3, 0, 3, {{0, 7, 0, 0, 1, 2}, {1, 2, 0, 0, 1, 2}, {2, 2, SLOW}}},
    {"crew.pairs",    CREW, 1, 0, 0, 4, 4, 0, 2, {{0, 7, SLOW, 0, 1, 2}, {1, 2, SLOW, 0, 1, 2}}},
    {"crew.hurry",    CREW, 1, 0, 0, 4, 2, 1, 3, {{0, 7}, {1, 2, URGENT}, {2, 2}}},
    {"crew.urgent",   CREW, 1, 0, 0, 4, 2, 0, 3, {{0, 7, SLOW}, {1, 2}, {2, 2, URGENT}}},
    {"crew.blocks",   CREW, 1, 0, 0, 4, 2, 0, 2, {{0, 7, SLOW, 0, 3}, {1, 2}}},
    {"crew.drops",    CREW, 1, 0, 0, 4, 2, 0, 2, {{0, 7, FAILS, 0, 3}, {1, 2, SKIPPED, 1, 2}}},
    {"crew.copies",   CREW, 1, 0, 0, 4, 2, 0, 2, {{0, 7, COPIES | SLOW}, {1, 5, COPIES}}},
    {"crews.two",     CREWS, 1, 0, 0, 8, 1, 0, 2, {{0, 7}, {1, 2}}},
    {"crews.ends",    CREWS, 1, 0, 3, 8, 1, 1, 3, {{0, 7}, {1, 2, 0, 1}, {1, 1}}},
    {"crews.holds",   CREWS, 1, 1, 0, 8, 1, 0, 3, {{0, 7}, {1, 2, 0, 1}, {2, 1, 0, 2}}, 0, 1},
    {"crews.drops",   CREWS, 1, 0, 0, 8, 1, 0, 2, {{0, 7, FAILS, 0, 3}, {0, 2}}},
    {"crews.blocks",  CREWS, 1, 0, 0, 8, 1, 0, 2, {{0, 7, SLOW, 0, 3}, {1, 2, URGENT}}},
};
/* clang-format on */

int block_test_pool(uint32_t most, uint32_t deeper)
{
    static const uint8_t orders[][N_ROLES] = {
        {HOST, SECOND_HOST, THREAD, COURIER, SECOND_COURIER, TEAM, TEAM + 1, TEAM + 2, TEAM + 3, TAKER, SCHEDULES,
         SECOND_SCHEDULES},
        {SECOND_SCHEDULES, SCHEDULES, TAKER, TEAM + 3, TEAM + 2, TEAM + 1, TEAM, SECOND_COURIER, COURIER, THREAD,
         SECOND_HOST, HOST},
        {SECOND_SCHEDULES, SCHEDULES, HOST, SECOND_HOST, THREAD, SECOND_COURIER, COURIER, TEAM, TEAM + 1, TEAM + 2,
         TEAM + 3, TAKER},
    };
    for (const pool_case &one : cases) {
        if (strncmp(one.name, block_case, strlen(block_case)) != 0)
            continue;
        const uint64_t before = block_n_schedules;
        c = &one;
        for (uint32_t i = 0; i < 2u + (c->kind == CREWS); i++)
            if (explore_case(orders[i], most, deeper, c->kind != CREWS || i == 2u))
                return 1;
        if (*block_case)
            printf("%-16s %llu schedules\n", c->name, (unsigned long long)(block_n_schedules - before));
    }
    return 0;
}
