/* SPDX-License-Identifier: MIT */
/* pool.cpp - pools through core's kernel with workers (core/serve.h, crew.h) in the emulator; the test is the host.
 *
 *     emulate_pool [CASES]        HEDDLE_SEED: run only that case
 *
 * A case is a program like those of pool/same.c: tasks on a few cells, each after the last ones on its cells. Some have several
 * blocks, some are trees, some fail or are cancelled, some are held for a while, and some have copies of host memory. The host sends when slots are free, unit by
 * unit and out of order; it sees ends, uses slots again, asks the kernel to end, and starts it again, at times with another number of
 * workers. In half of the cases a worker has one team, in the others several, of one warp and more, and no task spawns. Each task runs as often as it must, after those before it, and is told once; the sums balance only when no task is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "kernels.h"

#include "pool/bodies.h"

#define STEPS_OF_TASK 1000000u
#define STEPS_OF_RUN 20000000u
#define N_CELLS 12u
#define TREE_NODES (1u + POOLED_WIDTH + POOLED_WIDTH * POOLED_WIDTH)
#define FIRST_CELL TREE_NODES /* cells before it are of trees; behind the cells there is one for each task */
#define N_LINES 128u
#define STAGE_BYTES 512u
#define MOST_COPIES 2u
#define MOST_SENT 64u /* lines that are not whole yet */

namespace
{
enum { UNSENT, SENT, SEEN };

struct task {
    uint32_t body, state, slot, n_blocks, refs, canceled, urgent, team, held;
    uint32_t want; /* how it must end: HD_STOP_..., 0: DONE or CANCELED */
    uint32_t code;
    uint64_t begin, end; /* if it has run */
    std::vector<uint32_t> after;
    std::vector<uint8_t> args;
    std::vector<hd_copy> copies;
    std::vector<uint8_t> host, want_host; /* the memory that these name, and what it must be at the end */
};

struct late_unit { /* not yet written */
    uint32_t line, unit;
    hd_unit value;
};

struct test_case {
    uint64_t random;
    words_config config;
    uint32_t most_workers, most_warps;
    uint32_t n_warps; /* of a worker with several teams; 0: it has one */
    char what[200];
    hd_graph graph;
    words w;
    hd_wire wire;
    std::vector<hd_wire_line> lines;
    std::vector<uint8_t> side;
    std::vector<hd_after> after;
    std::vector<hd_copy> copies, far_copies; /* the device's, the host's */
    std::vector<uint8_t> stage;
    std::vector<late_unit> late;
    std::vector<task> tasks;
    std::vector<uint32_t> slot_task, generation; /* of a slot: its task + 1 */
    hd_couriers couriers;
    uint32_t taken, asked, stays, n_stays, next, n_sent, n_seen, news_at, n_news;
    pooled_params params;
    std::vector<uint32_t> cells, ran, blocks, want_cells, want_ran, want_blocks;
};
} // namespace

static uint32_t below(test_case *c, uint32_t n) { return (uint32_t)check_below(&c->random, n); }

/* ---- the program ------------------------------------------------------------------------------------ */

static void give(task *t, uint32_t body, const void *args, size_t n, uint32_t want)
{
    t->body = body;
    t->want = want;
    t->args.assign((const uint8_t *)args, (const uint8_t *)args + n);
}

/* On some cells, after the last tasks there. A task that is cancelled may run or not, so it has no cells. */
static void make_mix(test_case *c, task *t, uint32_t id, std::vector<uint32_t> &last)
{
    pooled_mix_args a = {TREE_NODES + id, 1u + below(c, 3), {0, 0, 0, 0}, below(c, 15) ? 0u : 1u + below(c, 9)};
    const uint32_t from = below(c, N_CELLS);
    uint32_t i;
    t->canceled = below(c, 15) == 0;
    a.n_cells = t->canceled ? 0u : a.n_cells;
    for (i = 0; i < a.n_cells; i++) {
        const uint32_t cell = (from + i) % N_CELLS;
        a.cell[i] = FIRST_CELL + cell;
        if (last[cell])
            t->after.push_back(last[cell] - 1u);
        last[cell] = id + 1u;
    }
    t->code = a.code;
    give(t, pooled_mix, &a, sizeof a, t->canceled ? 0u : a.code ? HD_STOP_FAILED : HD_STOP_DONE);
}

/* When it is sent: does it run, and what does it leave? An end that was seen does not count. */
static void expect_mix(test_case *c, task *t)
{
    pooled_mix_args a;
    uint32_t i;
    memcpy(&a, t->args.data(), sizeof a);
    for (uint32_t k : t->after)
        if (c->tasks[k].state == SENT && c->tasks[k].want != HD_STOP_DONE)
            t->want = HD_STOP_CANCELED;
    if (t->want == HD_STOP_CANCELED || t->canceled)
        return;
    c->want_ran[a.task]++;
    for (i = 0; i < a.n_cells; i++)
        c->want_cells[a.cell[i]] = c->want_cells[a.cell[i]] * 31u + a.task + 1u;
}

static void make_blocks(test_case *c, task *t)
{
    pooled_block_args a = {(uint32_t)c->blocks.size(), 0};
    t->n_blocks = 2u + below(c, 20);
    give(t, pooled_block, &a, sizeof a, HD_STOP_DONE);
    c->blocks.resize(c->blocks.size() + t->n_blocks, 0u);
    c->want_blocks.resize(c->blocks.size(), t->n_blocks);
}

static void expect_tree(test_case *c, const pooled_tree_args *a, uint32_t node, uint32_t depth)
{
    uint32_t i;
    c->want_ran[node]++;
    c->want_cells[node] += a->joins;
    for (i = 0; depth && i < a->width; i++)
        expect_tree(c, a, node * POOLED_WIDTH + 1u + i, depth - 1u);
}

static void make_tree(test_case *c, task *t)
{
    pooled_tree_args a = {0, below(c, 3), 1u + below(c, POOLED_WIDTH), 0, below(c, 2)};
    give(t, pooled_tree, &a, sizeof a, HD_STOP_DONE);
    expect_tree(c, &a, 0, a.depth);
}

static void make_large(test_case *c, task *t, uint32_t cell)
{
    pooled_large_args a;
    uint32_t i;
    a.task = cell;
    for (i = 0; i < 47; i++)
        c->want_cells[cell] += a.by[i] = below(c, 1000);
    give(t, pooled_large, &a, sizeof a, HD_STOP_DONE);
}

static void make_sum(test_case *c, task *t, uint32_t cell)
{
    pooled_mix_args a = {below(c, 100), 1, {cell, 0, 0, 0}, 0};
    give(t, pooled_sum, &a, sizeof a, HD_STOP_DONE);
    c->want_cells[cell] = a.task * (64u * 63u / 2u);
}

/* Bytes of host memory become other bytes there, at any alignment; or an input becomes an output beside it. */
static void make_copy(test_case *c, task *t)
{
    const uint32_t at = below(c, 2) ? 16u : 16u + below(c, 20), n = 1u + below(c, STAGE_BYTES / 2u - 16u),
                   both = below(c, 2);
    const uint32_t to = both ? at : at + n + below(c, 20);
    pooled_copy_args a = {nullptr, nullptr, n, 0};
    uint32_t i;
    t->host.resize(2u * STAGE_BYTES + 100u);
    for (uint8_t &b : t->host)
        b = (uint8_t)below(c, 256);
    t->want_host = t->host;
    for (i = 0; i < n; i++)
        t->want_host[to + i] = (uint8_t)(t->host[at + i] * 3u + 1u);
    t->copies.push_back(
        {(uint64_t)(uintptr_t)&t->host[at], n,
         (uint32_t)offsetof(pooled_copy_args, in) << HD_COPY_MODES | HD_COPY_IN | (both ? HD_COPY_OUT : 0u)});
    if (!both)
        t->copies.push_back({(uint64_t)(uintptr_t)&t->host[to], n,
                             (uint32_t)offsetof(pooled_copy_args, out) << HD_COPY_MODES | HD_COPY_OUT});
    give(t, pooled_copy, &a, sizeof a, HD_STOP_DONE);
}

static void make_program(test_case *c)
{
    const uint32_t n = 1u + below(c, 8u << below(c, 6));
    std::vector<uint32_t> last(N_CELLS, 0u);
    uint32_t id;
    c->tasks.resize(n);
    c->want_ran.assign(TREE_NODES + n, 0u);
    c->want_cells.assign(FIRST_CELL + N_CELLS + n, 0u);
    for (id = 0; id < n; id++) {
        task *t = &c->tasks[id];
        const uint32_t kind = below(c, 12);
        t->n_blocks = 1;
        t->urgent = below(c, 6) == 0;
        t->team = 32u * (1u + below(c, c->most_warps));
        switch (kind) {
        case 0: make_blocks(c, t); break;
        case 1:
            if (!c->n_warps)
                make_tree(c, t);
            else
                make_mix(c, t, id, last);
            break;
        case 2: make_large(c, t, FIRST_CELL + N_CELLS + id); break;
        case 3: make_sum(c, t, FIRST_CELL + N_CELLS + id); break;
        case 4: make_copy(c, t); break;
        default: make_mix(c, t, id, last); break;
        }
    }
    c->ran.assign(c->want_ran.size(), 0u);
    c->cells.assign(c->want_cells.size(), 0u);
    c->blocks.push_back(0u); /* not empty */
    c->params = {c->cells.data(), c->ran.data(), c->blocks.data(), nullptr, nullptr};
}

/* ---- the host ----------------------------------------------------------------------------------------- */

static uint64_t handle_of(const test_case *c, const task *t)
{
    return (uint64_t)c->generation[t->slot] << 32 | t->slot;
}

/* The tasks before it that have not been seen; those keep their slots until it has ended. */
static void name_before(test_case *c, task *t, uint64_t *handles, uint32_t *n)
{
    std::vector<uint32_t> kept;
    for (uint32_t k : t->after) {
        task *before = &c->tasks[k];
        if (before->state != SENT)
            continue;
        before->refs++;
        handles[(*n)++] = handle_of(c, before);
        kept.push_back(k);
    }
    t->after = kept;
}

static void put_line(test_case *c, const hd_sent *s, uint64_t handle)
{
    hd_wire one = c->wire;
    hd_wire_line line;
    uint32_t k;
    one.lines = &line;
    one.n_lines = 1;
    hd_wire_write(&one, c->next, s, &handle, 0, 1);
    for (k = 0; k < HD_WIRE_UNITS; k++)
        c->late.push_back({c->next & (N_LINES - 1u), k, line.unit[k]});
    c->next++;
}

static int has_line(const test_case *c)
{
    return c->late.size() <= MOST_SENT * HD_WIRE_UNITS && (int32_t)(c->next - c->taken) < (int32_t)N_LINES;
}

static void send(test_case *c, uint32_t id, uint32_t slot)
{
    task *t = &c->tasks[id];
    hd_sent s = {};
    uint64_t handles[HD_MAX_AFTER];
    if (t->body == pooled_mix)
        expect_mix(c, t);
    c->slot_task[slot] = id + 1u;
    t->slot = slot;
    t->state = SENT;
    s.body = t->body;
    s.flags = HD_TASK_PINNED | (t->urgent ? HD_TASK_URGENT : 0u) | t->team / 32u << HD_TASK_TEAM | HD_TASK_NOTIFY |
              (uint32_t)t->copies.size() << HD_TASK_COPIES;
    s.copies = t->copies.data();
    s.n_blocks = t->n_blocks;
    s.team_size = t->team;
    s.arg_bytes = (uint32_t)t->args.size();
    s.args = t->args.data();
    name_before(c, t, handles, &s.n_after);
    s.after = handles;
    t->held = s.n_after == 0u && below(c, 5) == 0 ? HD_HELD : 0u;
    s.held = t->held;
    put_line(c, &s, handle_of(c, t));
    c->n_sent++;
}

static void release_some(test_case *c)
{
    hd_sent s = {};
    const uint32_t id = c->n_sent ? below(c, c->n_sent) : 0u;
    if (!c->n_sent || !c->tasks[id].held || !has_line(c))
        return;
    c->tasks[id].held = 0;
    s.held = HD_RELEASED;
    put_line(c, &s, handle_of(c, &c->tasks[id]));
}

/* Writes one of the units that are still to be written; near the oldest, so that the couriers come to the next chunk. */
static void write_unit(test_case *c)
{
    const uint32_t n = (uint32_t)c->late.size(), k = n ? below(c, n < 40u ? n : 40u) : 0u;
    if (!n)
        return;
    c->lines[c->late[k].line].unit[c->late[k].unit] = c->late[k].value;
    c->late.erase(c->late.begin() + k);
}

static void send_next(test_case *c)
{
    const uint32_t n = (uint32_t)c->slot_task.size(), slot = below(c, n);
    if (c->n_sent != c->tasks.size() && !c->slot_task[slot] && has_line(c))
        send(c, c->n_sent, slot);
}

static void cancel_some(test_case *c)
{
    for (uint32_t id = 0; id < c->n_sent; id++) {
        task *t = &c->tasks[id];
        const uint32_t v = t->state == SENT ? c->w.pool.told[t->slot].state : 0u;
        if (t->state != SENT || !t->canceled || v >> HD_TOLD_BITS == c->generation[t->slot])
            continue;
        t->canceled = 0;
        c->w.pool.fates[t->slot].stop = HD_STOP_CANCELED;
        return;
    }
}

static void check_end(test_case *c, uint32_t id, uint32_t how)
{
    const task *t = &c->tasks[id];
    const uint32_t code = c->w.pool.told[t->slot].code;
    if (t->want ? how != t->want : how != HD_STOP_DONE && how != HD_STOP_CANCELED && how != HD_STOP_FAILED)
        emu_fail("%s: task %u has ended with %u, not %u", c->what, id, how, t->want);
    if (t->want == HD_STOP_FAILED && code != t->code)
        emu_fail("%s: task %u has code %u, not %u", c->what, id, code, t->code);
    if (t->host != t->want_host)
        emu_fail("%s: task %u has ended, and its host memory is not as it must be", c->what, id);
}

/* A task that ran has a stamp: within the run, after those before it; its body took no longer than there was time, in all blocks. */
static void check_stamp(test_case *c, uint32_t id)
{
    task *t = &c->tasks[id];
    hd_stamp *s = &c->w.pool.stamps[t->slot];
    const uint32_t how = c->w.pool.told[t->slot].state & HD_TOLD_HOW;
    if (how != HD_STOP_CANCELED && !s->end)
        emu_fail("%s: task %u has ended with %u, and no stamp", c->what, id, how);
    if (t->want == HD_STOP_CANCELED && s->end)
        emu_fail("%s: task %u did not run, and has a stamp", c->what, id);
    if (s->end && (s->begin > s->end || s->worker >= c->most_workers || s->busy > t->n_blocks * (s->end - s->begin)))
        emu_fail("%s: task %u: from %llu to %llu, busy for %llu", c->what, id, (unsigned long long)s->begin,
                 (unsigned long long)s->end, (unsigned long long)s->busy);
    t->begin = s->begin;
    t->end = s->end;
    *s = {};
    for (uint32_t k : t->after)
        if (t->end && c->tasks[k].state == SEEN && c->tasks[k].end > t->begin)
            emu_fail("%s: task %u began before task %u had ended", c->what, id, k);
}

/* Sees ends; a slot that no unfinished task names is free. */
static void see(test_case *c)
{
    for (uint32_t slot = 0; slot < c->slot_task.size(); slot++) {
        const uint32_t id = c->slot_task[slot] - 1u, v = c->w.pool.told[slot].state;
        if (id == HD_NONE)
            continue;
        task *t = &c->tasks[id];
        if (t->state == SENT && v >> HD_TOLD_BITS == c->generation[slot]) {
            check_end(c, id, v & HD_TOLD_HOW);
            if (c->config.is_stamped)
                check_stamp(c, id);
            t->state = SEEN;
            c->n_seen++;
            for (uint32_t k : t->after)
                c->tasks[k].refs--;
        }
        if (t->state == SEEN && !t->refs) {
            c->slot_task[slot] = 0;
            c->generation[slot] = (c->generation[slot] + 1u) & HD_WIRE_GENERATION;
            c->w.pool.fates[slot] = {}; /* it may have been cancelled when it had ended */
        }
    }
}

/* The words of news in order; each end once. */
static void read_news(test_case *c)
{
    uint32_t *at = &c->w.pool.news[c->news_at & (c->config.n_host - 1u)];
    if (!*at)
        return;
    *at = 0;
    c->news_at++;
    c->n_news++;
}

static void check_balance(const test_case *c)
{
    uint32_t ended = 0, begun = c->n_sent, k;
    for (k = 0; k < c->most_workers; k++) {
        ended += hd_live_at(&c->w.pool, k)->ended[0];
        begun += hd_live_at(&c->w.pool, k)->created[0];
    }
    if (ended != begun)
        return;
    for (const task &t : c->tasks)
        if (t.state == SENT && c->w.pool.told[t.slot].state >> HD_TOLD_BITS != c->generation[t.slot])
            emu_fail("%s: the sums balance, and a task is left", c->what);
}

/* The host asks for something else: the end, a stay, or nothing. */
static void ask(test_case *c)
{
    const uint32_t what = below(c, 8);
    if (c->asked > HD_ASKED_END)
        c->asked = what ? HD_ASKED_NOTHING : HD_ASKED_END;
    else
        c->asked = what ? ++c->n_stays + HD_ASKED_END : HD_ASKED_END;
}

static void beside(void *arg, uint64_t)
{
    test_case *c = static_cast<test_case *>(arg);
    uint32_t n = below(c, 6), k;
    for (k = 0; k < n; k++)
        send_next(c);
    n = below(c, 20);
    for (k = 0; k < n; k++)
        release_some(c);
    for (k = 0; k < n; k++)
        write_unit(c);
    if (below(c, 4) == 0)
        cancel_some(c);
    if (below(c, 2))
        see(c);
    read_news(c);
    check_balance(c);
    if (below(c, 40) == 0)
        ask(c);
}

/* ---- a case ----------------------------------------------------------------------------------------- */

static void kernel_code(void *arg)
{
    const test_case *c = static_cast<const test_case *>(arg);
    if (c->n_warps)
        hd_pool_workers<kernel_bodies<0>>(c->w.run, c->wire);
    else
        hd_pool_workers<kernel_bodies<1>>(c->w.run, c->wire);
}

static void choose(test_case *c)
{
    words_config *f = &c->config;
    f->dispatch = HD_DISPATCH_TICKET;
    c->most_workers = f->n_workers = 2u + below(c, 4);
    c->most_warps = 1u + below(c, 3);
    c->n_warps = below(c, 2) ? c->most_warps + 1u + below(c, 4) : 0u; /* some have a courier */
    f->n_seats = c->n_warps ? HD_SEATS : 0u;
    f->n_host = 4u << below(c, 4);
    f->n_arena = 2000;
    f->n_local = 1;
    f->polite = below(c, 4) == 0;
    f->crowded = below(c, 4) == 0;
    f->has_now = below(c, 3) == 0;
    f->is_stamped = below(c, 3) == 0;
    f->first_run = below(c, 3) ? 1u : 0u - below(c, 3);
    c->next = c->couriers.place = c->taken = below(c, 2) ? 0u : 0u - below(c, 300);
}

static void make_case(test_case *c)
{
    hd_error e;
    choose(c);
    make_program(c);
    if (hd_graph_init(&c->graph, &pooled, &e) != HEDDLE_OK || hd_graph_freeze(&c->graph, &e) != HEDDLE_OK)
        emu_fail("%s", e.text);
    hd_graph_blob(&c->graph)->shared_bytes = HEDDLE_REDUCE_BYTES + 256u;
    words_make(&c->w, &c->graph, &c->config, &c->params);
    c->lines.assign(N_LINES, hd_wire_line());
    for (hd_wire_line &line : c->lines) /* of a round long ago */
        for (hd_unit &u : line.unit)
            u.tag = c->next;
    c->side.assign((size_t)c->config.n_host * sizeof(pooled_large_args) + 16u, 0);
    c->after.resize(c->config.n_host);
    c->copies.resize(MOST_COPIES * c->config.n_host);
    c->far_copies.resize(MOST_COPIES * c->config.n_host);
    c->w.pool.n_stages = 1u + below(c, c->n_warps + 1u);
    c->w.pool.team_warps = 1u + below(c, c->most_warps);
    c->w.pool.n_seats = c->n_warps ? 1u + below(c, HD_SEATS) : 0u;
    c->w.pool.seat_shared = hd_graph_blob(&c->graph)->shared_bytes;
    c->stage.resize((size_t)STAGE_BYTES * c->w.pool.n_stages * c->most_workers + 16u);
    c->w.pool.copies = c->copies.data();
    c->w.pool.most_copies = MOST_COPIES;
    c->w.pool.stage = reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(c->stage.data()) + 15u) / 16u * 16u);
    c->w.pool.stage_bytes = STAGE_BYTES;
    c->slot_task.assign(c->config.n_host, 0u);
    c->generation.assign(c->config.n_host, 1u);
    c->wire = {c->lines.data(),
               c->side.data(),
               c->after.data(),
               c->far_copies.data(),
               &c->taken,
               &c->asked,
               &c->stays,
               &c->couriers,
               200u + below(c, 3000),
               20000u + below(c, 100000),
               N_LINES,
               (uint32_t)sizeof(pooled_large_args),
               MOST_COPIES};
}

/* Starts the kernel again and again, until all tasks were seen. Returns the number of starts. */
static uint32_t run_all(test_case *c, uint64_t seed)
{
    uint32_t n_starts = 0;
    while (c->n_seen < c->tasks.size()) {
        emu_launch l = {};
        c->asked = 0;
        c->w.run.n_workers = 2u + below(c, c->most_workers - 1u);
        l.n_blocks = c->w.run.n_workers;
        l.n_threads = 32u * ((c->n_warps ? c->n_warps : c->most_warps) + 1u);
        l.shared_bytes = (c->n_warps ? c->w.pool.n_seats : 1u) * c->w.pool.seat_shared;
        l.seed = seed + n_starts;
        l.since_ns = n_starts * 1000000000ull;
        l.n_steps = STEPS_OF_RUN + STEPS_OF_TASK * c->tasks.size();
        l.what = c->what;
        l.code = kernel_code;
        l.arg = c;
        l.beside = beside;
        n_switches += emu_run(&l);
        if (c->w.end.stop != HD_STOP_DONE)
            emu_fail("%s: a run ends with %u", c->what, c->w.end.stop);
        if (c->asked > HD_ASKED_END && c->stays == c->asked)
            emu_fail("%s: a run ends although it has said that it stays", c->what);
        if (c->taken != c->couriers.place)
            emu_fail("%s: taken %u, and the next run begins at %u", c->what, c->taken, c->couriers.place);
        see(c);
        n_starts++;
    }
    return n_starts;
}

static void check_case(test_case *c)
{
    uint32_t k;
    c->blocks.resize(c->want_blocks.size());
    for (k = 0; k < c->tasks.size(); k++)
        read_news(c);
    if (c->n_news != c->tasks.size())
        emu_fail("%s: %u of the ends are news", c->what, c->n_news);
    for (const task &t : c->tasks)
        if (t.want == 0u) { /* it may have run */
            const pooled_mix_args *a = reinterpret_cast<const pooled_mix_args *>(t.args.data());
            c->want_ran[a->task] = c->ran[a->task] <= 1u ? c->ran[a->task] : 1u;
        }
    if (c->ran != c->want_ran)
        for (k = 0; k < c->ran.size(); k++)
            if (c->ran[k] != c->want_ran[k])
                emu_fail("%s: task %u ran %u times, not %u", c->what, k, c->ran[k], c->want_ran[k]);
    if (c->cells != c->want_cells || c->blocks != c->want_blocks)
        emu_fail("%s: the %s differ", c->what, c->cells != c->want_cells ? "cells" : "blocks");
}

static void run_case(uint64_t seed, uint32_t)
{
    test_case *c = new test_case();
    uint32_t n_starts;
    c->random = seed * 0x9e3779b97f4a7c15u;
    kernel_table = &pooled;
    make_case(c);
    snprintf(c->what, sizeof c->what, "HEDDLE_SEED=%llu: %zu tasks, %u slots, %u workers, teams of %u warps, of %u",
             (unsigned long long)seed, c->tasks.size(), c->config.n_host, c->most_workers, c->most_warps, c->n_warps);
    n_starts = run_all(c, seed);
    check_case(c);
    n_tasks_run += c->tasks.size();
    if (getenv("HEDDLE_VERBOSE"))
        printf("%s, %u starts\n", c->what, n_starts);
    words_free(&c->w);
    hd_graph_clear(&c->graph);
    delete c;
}

int main(int argc, char **argv)
{
    kernel_cases(argc, argv, HD_DISPATCH_TICKET, run_case, 200u); /* they are short */
    return 0;
}
