/* SPDX-License-Identifier: MIT */
/* sibling.c - the order among the children of one body against the order that follows from their bytes: a spawn buffer
 * without workers, random children, and the handles that each child waits for. No required order is missing. No pair is
 * ordered without a reason while there is room; without room each child that names ranges follows the last. */
#include "same/spec.h"

#define ARENA (HD_MAX_CHILDREN + HD_EXTRA)
#define N_GRAPH 3u /* tasks of the graph: children have the numbers after these */
#define ARG_ROOM ((SPEC_ARG_BYTES + 15u) / 16u)
#define WORDS ((ARENA + 63u) / 64u)

typedef struct rig { /* a worker with a spawn buffer; nothing is run */
    hd_run run;
    hd_control control;
    hd_task tasks[N_GRAPH + ARENA];
    hd_after after[ARENA];
    hd_sibling sibling[2 * HD_SIBLINGS];
    uint32_t bodies[2 * SPEC_BODIES], free[ARENA], failed, n_forks;
    uint8_t args[ARENA * ARG_ROOM * 16u];
    hd_spawn_buffer spawn_buffer;
    heddle_thread thread;
    heddle_handle handle[HD_MAX_CHILDREN];
    uint64_t reach[ARENA][WORDS]; /* of each spawn: those before it on any path */
    uint32_t spawn_of[ARENA];     /* of each slot */
} rig;

typedef struct tally {
    uint64_t n_children, n_serial, n_full_list, n_full_table, n_joins;
} tally;

static void rig_run(rig *x)
{
    uint32_t i;
    x->run.tasks = x->tasks;
    x->run.args = x->args;
    x->run.control = &x->control;
    x->run.bodies = x->bodies;
    x->run.after = x->after;
    x->run.sibling = x->sibling;
    x->run.n_tasks = N_GRAPH;
    x->run.n_arena = ARENA;
    x->run.n_bodies = SPEC_BODIES;
    x->run.child_args = ARG_ROOM;
    for (i = 0; i < SPEC_BODIES; i++)
        x->bodies[2 * i] = spec_arg_bytes[i];
}

/* Slots come in a random order, each with a generation of its own. */
static rig *rig_new(uint64_t *seed, uint32_t n_room)
{
    rig *x = calloc(1, sizeof *x);
    uint32_t i, n = n_room + hd_extra_of(n_room);
    CHECK(x);
    rig_run(x);
    for (i = 0; i < ARENA; i++) {
        uint32_t j = (uint32_t)check_below(seed, i + 1);
        x->free[i] = x->free[j];
        x->free[j] = N_GRAPH + i;
        x->tasks[N_GRAPH + i].links.done_word = (uint32_t)check_random(seed) << HD_DONE_WORD_BITS;
    }
    for (i = 0; i < n; i++)
        x->spawn_of[x->free[n - 1 - i] - N_GRAPH] = i;
    x->spawn_buffer.run = &x->run;
    x->spawn_buffer.worker = 1;
    x->spawn_buffer.free = x->free + n;
    x->spawn_buffer.n_room = n_room;
    x->spawn_buffer.fork = x->spawn_buffer.pinned = HD_NONE;
    x->thread.team_size = 1;
    x->thread.task = 2;
    x->thread.fail = &x->control.fail;
    x->thread.failed = &x->failed;
    x->thread.spawn_buffer = &x->spawn_buffer;
    if (check_below(seed, 2))
        heddle_task_continue(&x->thread, 0, NULL, 0);
    x->n_forks = x->spawn_buffer.n_extra;
    return x;
}

static void rig_free(rig *x)
{
    uint32_t i;
    for (i = 0; i < HD_SIBLINGS; i++)
        CHECK_MSG(x->sibling[i].span.row_bytes == 0, "what another worker remembers is overwritten");
    free(x);
}

/* ---- dependences of a task ------------------------------------------------------------------------------------- */

static int reaches(const rig *x, uint32_t k, uint32_t earlier)
{
    return (int)(x->reach[k][earlier / 64] >> earlier % 64 & 1);
}

/* The spawn that a handle names. */
static uint32_t named(const rig *x, heddle_handle h)
{
    uint32_t slot = (uint32_t)h - N_GRAPH;
    CHECK(hd_is_handle(&x->run, h) && x->tasks[N_GRAPH + slot].links.done_word >> HD_DONE_WORD_BITS == h >> 32);
    return x->spawn_of[slot];
}

/* Collects the predecessors of the complete spawn k. */
static void gather(rig *x, uint32_t k)
{
    const hd_task *t = &x->tasks[hd_spawn_buffer_task(&x->spawn_buffer, k)];
    uint32_t i, w, most = k < x->spawn_buffer.n_room ? HD_MAX_AFTER + 1 : HD_MAX_AFTER;
    CHECK_MSG(t->n_in <= most, "spawn %u waits for %u", k, t->n_in);
    CHECK((x->spawn_buffer.out[k] & ~HD_OUT_URGENT) == (t->n_in ? HD_OUT_WAITS : HD_OUT_READY));
    for (i = 0; i < t->n_in; i++) {
        uint32_t p = named(x, x->after[hd_spawn_buffer_task(&x->spawn_buffer, k) - N_GRAPH].handle[i]);
        CHECK_MSG(p != k, "spawn %u waits for itself", k);
        CHECK(x->spawn_buffer.out[p] != 0); /* it was handed on before */
        x->reach[k][p / 64] |= 1ull << p % 64;
        for (w = 0; w < WORDS; w++)
            x->reach[k][w] |= x->reach[p][w];
    }
    for (i = 1; i < t->n_in; i++)
        for (w = 0; w < i; w++)
            CHECK_MSG(x->after[hd_spawn_buffer_task(&x->spawn_buffer, k) - N_GRAPH].handle[i] !=
                          x->after[hd_spawn_buffer_task(&x->spawn_buffer, k) - N_GRAPH].handle[w],
                      "spawn %u waits twice for the same", k);
}

/* Joins needed for the children remembered when room runs out at child t. Each join stands for up to HD_MAX_AFTER
 * tasks; all but the first have the previous join among them. */
static uint32_t n_joins_for(const rig *x, uint32_t t)
{
    const hd_sibling *known = x->sibling + HD_SIBLINGS;
    uint32_t i, j, n = 0;
    for (i = 0; i < x->spawn_buffer.n_siblings; i++) {
        int counts = known[i].task != t && !hd_is_after(&x->run, t, hd_handle_of(&x->run, known[i].task));
        for (j = 0; j < i; j++)
            counts &= known[j].task != known[i].task;
        n += (uint32_t)counts;
    }
    return n == 0 ? 0 : n <= HD_MAX_AFTER ? 1 : 1 + (n - 2) / (HD_MAX_AFTER - 1);
}

/* Room has run out at the last child. */
static void gather_joins(rig *x, tally *sum)
{
    uint32_t i, n = n_joins_for(x, hd_spawn_buffer_task(&x->spawn_buffer, x->spawn_buffer.n_spawned - 1));
    CHECK_MSG(x->spawn_buffer.n_extra - x->n_forks == n, "%u joins, not %u", x->spawn_buffer.n_extra - x->n_forks, n);
    for (i = x->n_forks; i < x->spawn_buffer.n_extra; i++) {
        const hd_task *t = &x->tasks[hd_spawn_buffer_task(&x->spawn_buffer, x->spawn_buffer.n_room + i)];
        CHECK(t->body == HD_BODY_JOIN && t->flags & HD_TASK_PINNED && t->n_in > 0 && t->links.parent == HD_NONE);
        gather(x, x->spawn_buffer.n_room + i);
    }
    sum->n_joins += i - x->n_forks;
}

/* ---- random children ------------------------------------------------------------------------------------------- */

static void spawn(rig *x, const spec *s, uint32_t i)
{
    const spec_task *t = &s->task[i];
    heddle_handle after[SPEC_TASKS];
    heddle_child c = {0};
    uint32_t k;
    for (k = 0; k < i; k++)
        if (spec_has(&t->asked, k))
            after[c.n_after++] = x->handle[k];
    c.body = t->body;
    c.args = t->args;
    c.arg_bytes = spec_arg_bytes[t->body];
    c.after = after;
    c.ranges = t->range;
    c.n_ranges = t->n_ranges;
    c.urgent = t->urgent;
    c.out = i % 2 ? &x->handle[i] : NULL;
    heddle_task_spawn_child(&x->thread, &c);
    if (!c.out)
        x->handle[i] = hd_handle_of(&x->run, hd_spawn_buffer_task(&x->spawn_buffer, i));
    CHECK_MSG(!x->failed, "child %u is refused: %u", i, x->control.fail.code);
    CHECK(named(x, x->handle[i]) == i);
    CHECK(!memcmp(hd_args_at(&x->run, &x->tasks[(uint32_t)x->handle[i]]), t->args, c.arg_bytes));
}

static uint32_t size_of(const spec_set *a, const spec_set *b)
{
    uint32_t i, n = 0;
    for (i = 0; i < SPEC_WORDS; i++)
        n += (uint32_t)__builtin_popcountll(a->word[i] | b->word[i]);
    return n;
}

/* Child i must follow all that it has to; before room ran out it must follow nothing without a reason. */
static void check_child(const rig *x, const spec *s, uint32_t i, int serial)
{
    const spec_task *t = &s->task[i];
    uint32_t e;
    for (e = 0; e < i; e++) {
        int is = reaches(x, i, e), all = serial && t->n_ranges && s->task[e].n_ranges;
        CHECK_MSG(is || !spec_has(&t->must, e), "child %u may start before child %u has ended", i, e);
        CHECK_MSG(is || !all, "child %u does not follow child %u", i, e);
        CHECK_MSG(!is || serial || spec_has(&t->all, e), "child %u waits for child %u for no reason", i, e);
    }
}

/* Spawns all children; room may run out only when a list or the table is full. */
static void check_spec(const spec *s, uint64_t *seed, tally *sum)
{
    rig *x = rig_new(seed, s->n_tasks);
    uint32_t i, n_ranges = 0, was = 0, n_most = 0;
    for (i = 0; i < s->n_tasks; i++) {
        uint32_t n = size_of(&s->task[i].must, &s->task[i].may);
        spawn(x, s, i);
        n_most = n > n_most ? n : n_most;
        n_ranges += s->task[i].n_ranges;
        if (x->spawn_buffer.serial && !was) {
            CHECK_MSG(n_most > HD_MAX_AFTER || n_ranges > HD_SIBLINGS, "no room for child %u", i);
            sum->n_full_list += n_ranges <= HD_SIBLINGS;
            sum->n_full_table += n_ranges > HD_SIBLINGS;
            gather_joins(x, sum);
        }
        CHECK(n_ranges <= HD_SIBLINGS || s->task[i].n_ranges == 0 || x->spawn_buffer.serial ||
              x->spawn_buffer.n_siblings < n_ranges);
        was = x->spawn_buffer.serial;
        gather(x, i);
        check_child(x, s, i, was != 0);
    }
    sum->n_serial += was != 0;
    sum->n_children += i;
    rig_free(x);
}

static void make_spec(spec *s, uint64_t *seed)
{
    static const uint32_t sizes[] = {8, 24, 24, 64, 150, HD_MAX_CHILDREN}, writes[] = {1, 3, 5, 9};
    spec_style style = {0};
    uint32_t i, n, later;
    style.blocks = (uint32_t)check_below(seed, 2);
    style.write_of_ten = writes[check_below(seed, 4)];
    style.crowds = !check_below(seed, 6);
    style.n_ranges = 1 + (uint32_t)check_below(seed, SPEC_RANGES);
    s->origin = check_below(seed, 4) ? 1 + (check_random(seed) >> 9) : UINT64_MAX - BYTES_MAX + 1;
    s->n_bytes = 128u << check_below(seed, 5);
    s->n_tasks = 1 + (uint32_t)check_below(seed, sizes[check_below(seed, sizeof sizes / sizeof sizes[0])]);
    s->n_edges = 0;
    for (i = 0; i < s->n_tasks; i++) {
        spec_new_task(s, &style, i, seed);
        spec_order(s, i);
    }
    if (s->n_tasks <= HD_MAX_AFTER || check_below(seed, 3))
        return;
    later = HD_MAX_AFTER + (uint32_t)check_below(seed, s->n_tasks - HD_MAX_AFTER);
    for (i = 0, n = (uint32_t)check_below(seed, HD_MAX_AFTER + 1); i < n; i++)
        spec_edge(s, later, (uint32_t)check_below(seed, later / HD_MAX_AFTER) + i * (later / HD_MAX_AFTER));
}

static void test_random(uint64_t *seed)
{
    spec *s = malloc(sizeof *s);
    tally sum = {0};
    uint32_t i;
    CHECK(s);
    for (i = 0; i < 3000; i++) {
        make_spec(s, seed);
        check_spec(s, seed, &sum);
    }
    printf("%llu children; out of room %llu (list %llu, table %llu), joins %llu\n", (unsigned long long)sum.n_children,
           (unsigned long long)sum.n_serial, (unsigned long long)sum.n_full_list, (unsigned long long)sum.n_full_table,
           (unsigned long long)sum.n_joins);
    CHECK(sum.n_serial > 300 && sum.n_full_list > 100 && sum.n_full_table > 10 && sum.n_joins > sum.n_serial);
    CHECK(sum.n_serial < 1500);
    free(s);
}

/* ---- by hand ---------------------------------------------------------------------------------------------------- */

static heddle_range cell(uint64_t i, uint64_t n, heddle_mode mode)
{
    return heddle_range_of((const void *)(uintptr_t)(4096 + i), n, 1, 0, mode);
}

static void spawn_ranges(rig *x, const heddle_range *r, uint32_t n, const heddle_handle *after, uint32_t n_after)
{
    uint32_t i = x->spawn_buffer.n_spawned;
    heddle_child c = {0};
    c.ranges = r;
    c.n_ranges = n;
    c.after = after;
    c.n_after = n_after;
    c.out = &x->handle[i];
    heddle_task_spawn_child(&x->thread, &c);
}

/* As many children as ranges are remembered, each with one; one more child has no conflict, and yet there is no room. */
static void test_joins(uint64_t *seed)
{
    rig *x = rig_new(seed, HD_SIBLINGS + 2);
    tally sum = {0};
    uint32_t i, e;
    for (i = 0; i < HD_SIBLINGS + 2; i++) {
        heddle_range r = cell(i, 1, i % 2 ? HEDDLE_MODE_IN : HEDDLE_MODE_OUT);
        spawn_ranges(x, &r, 1, NULL, 0);
        CHECK((x->spawn_buffer.serial != 0) == (i >= HD_SIBLINGS));
        if (i == HD_SIBLINGS)
            gather_joins(x, &sum);
        gather(x, i);
        for (e = 0; e < i; e++)
            CHECK(reaches(x, i, e) == (i >= HD_SIBLINGS));
    }
    CHECK(sum.n_joins == 10);
    rig_free(x);
}

/* A child that names as many others as possible, and conflicts with one more; then another such child. */
static void test_full_list(uint64_t *seed)
{
    rig *x = rig_new(seed, HD_MAX_AFTER + 3);
    heddle_range r = cell(0, 64, HEDDLE_MODE_IN), all = cell(0, 64, HEDDLE_MODE_OUT);
    tally sum = {0};
    uint32_t i;
    for (i = 0; i <= HD_MAX_AFTER; i++) {
        spawn_ranges(x, i < HD_MAX_AFTER ? NULL : &r, i == HD_MAX_AFTER, NULL, 0);
        gather(x, i);
    }
    for (; i < HD_MAX_AFTER + 3; i++) {
        spawn_ranges(x, &all, 1, x->handle, HD_MAX_AFTER);
        if (i == HD_MAX_AFTER + 1)
            gather_joins(x, &sum);
        gather(x, i);
        CHECK(reaches(x, i, 0) && reaches(x, i, HD_MAX_AFTER - 1) && reaches(x, i, i - 1));
        CHECK(x->tasks[(uint32_t)x->handle[i]].n_in == HD_MAX_AFTER + 1);
    }
    CHECK(sum.n_joins == 1);
    rig_free(x);
}

/* One child with more ranges than are remembered: it has no predecessor, and the next child follows it. */
static void test_one_child(uint64_t *seed)
{
    rig *x = rig_new(seed, 2);
    heddle_range r[HD_SIBLINGS + 1], other = cell(100000, 1, HEDDLE_MODE_IN);
    uint32_t i;
    for (i = 0; i <= HD_SIBLINGS; i++)
        r[i] = cell(2 * i, 1, HEDDLE_MODE_IN);
    spawn_ranges(x, r, HD_SIBLINGS + 1, NULL, 0);
    spawn_ranges(x, &other, 1, NULL, 0);
    gather(x, 0);
    gather(x, 1);
    CHECK(x->spawn_buffer.n_extra == x->n_forks && x->tasks[(uint32_t)x->handle[0]].n_in == 0 && reaches(x, 1, 0));
    rig_free(x);
}

/* A chain of writes to the same bytes is remembered once, so it may have any length. */
static void test_covered(uint64_t *seed)
{
    rig *x = rig_new(seed, HD_MAX_CHILDREN);
    uint32_t i;
    for (i = 0; i < HD_MAX_CHILDREN; i++) {
        heddle_range r = i % 2 ? heddle_range_of((const void *)(uintptr_t)64, 8, 4, 32, HEDDLE_MODE_OUT)
                               : heddle_range_of((const void *)(uintptr_t)64, 8, 4, 32, HEDDLE_MODE_INOUT);
        spawn_ranges(x, &r, 1, NULL, 0);
        CHECK(x->spawn_buffer.n_siblings == 1 && x->tasks[(uint32_t)x->handle[i]].n_in == (i > 0));
        CHECK(i == 0 || x->after[(uint32_t)x->handle[i] - N_GRAPH].handle[0] == x->handle[i - 1]);
    }
    CHECK(!x->spawn_buffer.serial);
    rig_free(x);
}

static void test_refused(uint64_t *seed)
{
    const heddle_range bad[] = {
        heddle_range_of((const void *)64, 0, 1, 0, HEDDLE_MODE_IN),
        heddle_range_of((const void *)64, 8, 2, 7, HEDDLE_MODE_IN),
        heddle_range_of((const void *)64, 8, 1ull << 32, 8, HEDDLE_MODE_IN),
        heddle_range_of((const void *)UINTPTR_MAX, 2, 1, 0, HEDDLE_MODE_OUT),
        heddle_range_of((const void *)64, 8, 3, 1ull << 63, HEDDLE_MODE_OUT),
        heddle_range_of((const void *)64, 8, 1, 0, (heddle_mode)0),
        heddle_range_of((const void *)64, 8, 1, 0, (heddle_mode)9),
    };
    uint32_t i;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rig *x = rig_new(seed, 2);
        spawn_ranges(x, &bad[i], 1, NULL, 0);
        CHECK(x->failed && x->control.fail.stop == HD_STOP_SPAWN && x->control.fail.code == HD_SPAWN_RANGE);
        CHECK(x->control.fail.task == 2 && x->spawn_buffer.n_siblings == 0);
        rig_free(x);
    }
}

int main(void)
{
    uint64_t seed = check_seed(20260205);
    test_joins(&seed);
    test_full_list(&seed);
    test_one_child(&seed);
    test_covered(&seed);
    test_refused(&seed);
    test_random(&seed);
    return 0;
}
