/* SPDX-License-Identifier: MIT */
/* region.c - a region does the same as its statements in sequence, on the serial and the cpu backend. */
#include "openmp/tasks.h"

#include "base/base.h"

#include <stdlib.h>
#include <unistd.h>

/* A program keeps the backend that it had when its first region began. */
static heddle_omp_program on_serial = TASKS_PROGRAM, on_cpu = TASKS_PROGRAM, *program;

static void begin(uint32_t flags) { heddle_omp_begin(program, &tasks_place, flags, 0); }

/* ---- LU --------------------------------------------------------------------------------------------------------- */

#define BLOCKS 7
#define SIDE 6

typedef struct matrix {
    double at[BLOCKS][BLOCKS][SIDE * SIDE];
} matrix;

static void fill(matrix *m)
{
    uint64_t state = 7, i, j, k;
    for (i = 0; i < BLOCKS; i++)
        for (j = 0; j < BLOCKS; j++)
            for (k = 0; k < SIDE * SIDE; k++)
                m->at[i][j][k] =
                    (double)check_below(&state, 1000) / 1000 + (i == j && k % (SIDE + 1) == 0 ? 10.0 * SIDE : 0);
}

/* As generated code does: creates a task, or runs the statement itself outside a region. */
static void block(uint32_t kind, double *row, double *col, double *inner)
{
    block_args here = {row, col, inner, SIDE}, *t = (block_args *)heddle_omp_task(kind, kind == task_lu0);
    if (!t) {
        heddle_thread thread = {.team_size = 1};
        tasks.bodies[kind].run(&thread, NULL, &here);
        return;
    }
    *t = here;
    if (row)
        heddle_omp_depend(HEDDLE_MODE_IN, row, SIDE * SIDE * sizeof *row);
    if (col)
        heddle_omp_depend(HEDDLE_MODE_IN, col, SIDE * SIDE * sizeof *col);
    heddle_omp_depend(HEDDLE_MODE_INOUT, inner, SIDE * SIDE * sizeof *inner);
}

static void decompose(matrix *m)
{
    int i, j, k;
    for (k = 0; k < BLOCKS; k++) {
        block(task_lu0, NULL, NULL, m->at[k][k]);
        for (j = k + 1; j < BLOCKS; j++)
            block(task_fwd, m->at[k][k], NULL, m->at[k][j]);
        for (i = k + 1; i < BLOCKS; i++)
            block(task_bdiv, m->at[k][k], NULL, m->at[i][k]);
        for (i = k + 1; i < BLOCKS; i++)
            for (j = k + 1; j < BLOCKS; j++)
                block(task_bmod, m->at[i][k], m->at[k][j], m->at[i][j]);
    }
}

static void test_lu(void)
{
    static matrix alone, graph;
    heddle_omp_times t;
    fill(&alone);
    fill(&graph);
    CHECK(!heddle_omp_inside());
    decompose(&alone);
    begin(HEDDLE_OMP_TARGET);
    CHECK(heddle_omp_inside());
    heddle_omp_map(&graph, sizeof graph, HEDDLE_OMP_TOFROM, "graph");
    decompose(&graph);
    heddle_omp_end();
    CHECK(!heddle_omp_inside());
    CHECK(!memcmp(&alone, &graph, sizeof alone));
    CHECK(heddle_omp_last_run(&t) && t.n_tasks == 7 * (7 + 1) * (2 * 7 + 1) / 6);
}

/* ---- points of a region ------------------------------------------------------------------------------------------ */

static void test_sync(void)
{
    uint64_t cell = 1, k;
    begin(0);
    for (k = 0; k < 5; k++)
        make_step(&cell, k, 0);
    CHECK(cell == 1);
    heddle_omp_sync();
    CHECK(cell == ((((1 * 3 + 0) * 3 + 1) * 3 + 2) * 3 + 3) * 3 + 4);
    cell = 2;
    heddle_omp_host_wrote();
    make_step(&cell, 1, 0);
    heddle_omp_sync();
    heddle_omp_sync();
    CHECK(cell == 7);
    heddle_omp_end();
    CHECK(cell == 7);
}

/* Without dependences only barriers give the order: each phase adds to all cells what the next one needs. */
static void test_barriers(uint32_t flags)
{
    uint64_t cell[64] = {0}, sum = 0, phase, i;
    begin(flags);
    heddle_omp_barrier();
    for (phase = 0; phase < 9; phase++) {
        for (i = 0; i < 64; i++) {
            step_args *t = (step_args *)heddle_omp_task(task_step, (int)(i & 1));
            *t = (step_args){&cell[(i * 7 + phase) % 64], phase};
        }
        heddle_omp_barrier();
        heddle_omp_barrier();
    }
    *(add_args *)heddle_omp_task(task_add, 0) = (add_args){&sum, cell, 64};
    heddle_omp_end();
    for (i = phase = 0; phase < 9; phase++)
        i = i * 3 + phase;
    CHECK_MSG(sum == 64 * i, "%llu, not %llu", (unsigned long long)sum, (unsigned long long)(64 * i));
}

static void test_barriers_and_ranges(void)
{
    static uint64_t cell[40];
    uint64_t want[40] = {0}, state = 3, i, k;
    memset(cell, 0, sizeof cell);
    begin(HEDDLE_OMP_BARRIERS);
    for (k = 0; k < 3000; k++) {
        i = check_below(&state, 40);
        if (k % 100 == 99)
            heddle_omp_barrier();
        make_step(&cell[i], k, 0);
        want[i] = want[i] * 3 + k;
    }
    heddle_omp_barrier();
    heddle_omp_end();
    CHECK(!memcmp(cell, want, sizeof cell));
}

static void test_slots(void)
{
    uint64_t *one, *two, *large, *again, i, seen = 0;
    begin(0);
    one = (uint64_t *)heddle_omp_slot(8);
    large = (uint64_t *)heddle_omp_slot(1 << 20);
    two = (uint64_t *)heddle_omp_slot(8);
    CHECK(one && two && large && one != two && *one == 0 && *two == 0 && large[(1 << 17) - 1] == 0);
    *one = 5;
    make_step(one, 1, 0);
    make_step(two, 2, 0);
    for (i = 0; i < 4; i++)
        make_step(&large[i], i, 0);
    *(add_args *)heddle_omp_task(task_add, 0) = (add_args){&seen, large, 4};
    heddle_omp_depend(HEDDLE_MODE_IN, large, 32);
    heddle_omp_sync();
    CHECK(*one == 16 && *two == 2 && seen == 6);
    heddle_omp_end();
    begin(0);
    again = (uint64_t *)heddle_omp_slot(8);
    CHECK(*again == 0 && (again == one || again == two || again == large));
    heddle_omp_end();
}

/* A nested region completes its tasks at its end, and the outer one continues. */
static void inner(uint64_t *cell, const heddle_omp_program *p)
{
    static const heddle_omp_place place = {"inner.c", 7};
    uint64_t *own;
    heddle_omp_begin(p, &place, HEDDLE_OMP_BARRIERS, 64);
    own = (uint64_t *)heddle_omp_slot(8);
    make_step(own, 4, 0);
    heddle_omp_barrier();
    *(add_args *)heddle_omp_task(task_add, 0) = (add_args){cell, own, 1};
    heddle_omp_end();
    CHECK(heddle_omp_inside());
}

static void test_nested(void)
{
    static heddle_omp_program other[HEDDLE_N_BACKENDS];
    uint64_t cell = 1;
    other[program->backend] = *program;
    begin(0);
    make_step(&cell, 1, 0);
    inner(&cell, program);
    CHECK(cell == 8);
    make_step(&cell, 1, 0);
    inner(&cell, &other[program->backend]);
    CHECK(cell == 29);
    make_step(&cell, 0, 0);
    heddle_omp_end();
    CHECK(cell == 87 && !heddle_omp_inside());
}

/* Urgent tasks go first on a single worker; of several, one may still sleep on tasks that it was given. */
static void test_priority(void)
{
    uint64_t clock = 0, begin_at[64], end_at[64], i, order = 0;
    if (program->backend != HEDDLE_CPU)
        return;
    heddle_omp_begin(program, &tasks_place, HEDDLE_OMP_BARRIERS, 1);
    *(stamp_args *)heddle_omp_task(task_stamp, 0) = (stamp_args){&clock, &begin_at[0], &end_at[0]};
    heddle_omp_barrier();
    for (i = 0; i < 64; i++)
        *(stamp_args *)heddle_omp_task(task_stamp, i >= 32) = (stamp_args){&clock, &begin_at[i], &end_at[i]};
    heddle_omp_end();
    for (i = 0; i < 32; i++)
        order += begin_at[32 + i] < begin_at[i];
    CHECK_MSG(order == 32, "only %llu of 32 urgent tasks ran before their neighbours", (unsigned long long)order);
}

static void test_program_parts(void)
{
    uint64_t good[300], i;
    tasks_total = 0;
    memset(tasks_table, 0, sizeof tasks_table);
    begin(0);
    for (i = 0; i < 300; i++) {
        *(step_args *)heddle_omp_task(task_own, 0) = (step_args){&good[i], i};
        *(step_args *)heddle_omp_task(task_total, 0) = (step_args){NULL, i};
    }
    heddle_omp_end();
    CHECK(tasks_total == 300 * 299 / 2 && tasks_table[3] == 19 * 3 + 16 * (18 * 19 / 2));
    for (i = 0; i < 300; i++)
        CHECK(good[i] == 1);
    CHECK(heddle_omp_n_workers(program) >= 1);
}

/* Outside regions nothing happens; maps have no effect here. */
static void test_outside(void)
{
    uint64_t cell = 3;
    CHECK(heddle_omp_task(task_step, 0) == NULL);
    heddle_omp_depend(HEDDLE_MODE_IN, &cell, 8);
    heddle_omp_barrier();
    heddle_omp_sync();
    heddle_omp_host_wrote();
    heddle_omp_map(&cell, 8, HEDDLE_OMP_TOFROM, "cell");
    heddle_omp_end();
    heddle_omp_enter(program, &tasks_place, &cell, 8, HEDDLE_OMP_TO, "cell");
    heddle_omp_update(program, &tasks_place, &cell, 8, HEDDLE_OMP_FROM);
    heddle_omp_exit(program, &tasks_place, &cell, 8, HEDDLE_OMP_FROM, "cell");
    CHECK(cell == 3 && !heddle_omp_inside());
    begin(HEDDLE_OMP_BARRIERS);
    heddle_omp_depend(HEDDLE_MODE_IN, &cell, 8); /* of no task */
    heddle_omp_depend(HEDDLE_MODE_IN, NULL, 0);
    heddle_omp_barrier();
    heddle_omp_end();
}

/* ---- many -------------------------------------------------------------------------------------------------------- */

static uint64_t resident_pages(void)
{
    unsigned long long all = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%llu %llu", &all, &resident) == 2);
    fclose(f);
    return resident;
}

static void one_small_region(uint64_t *cell)
{
    uint64_t i, *slot;
    begin(HEDDLE_OMP_BARRIERS);
    slot = (uint64_t *)heddle_omp_slot(40000);
    for (i = 0; i < 200; i++)
        make_step(i % 7 ? &cell[i % 16] : &slot[i], i, 0);
    heddle_omp_barrier();
    make_step(&cell[0], 1, 0);
    heddle_omp_end();
}

static void test_repeated(void)
{
    static uint64_t cell[16];
    uint64_t i, held = 0, pages HEDDLE_UNUSED = 0;
    for (i = 0; i < 1000; i++) {
        one_small_region(cell);
        if (i == 99) {
            held = hd_held_bytes();
            pages = resident_pages();
        }
    }
    CHECK_MSG(hd_held_bytes() == held, "%llu bytes, then %llu", (unsigned long long)held,
              (unsigned long long)hd_held_bytes());
#if !defined(HEDDLE_ASAN) /* which keeps freed memory */
    CHECK_MSG(resident_pages() < pages + 256, "%llu pages, then %llu", (unsigned long long)pages,
              (unsigned long long)resident_pages());
#endif
}

/* ---- the same again ---------------------------------------------------------------------------------------------- */

#define N_CELLS 40

typedef struct crowd {
    uint64_t cell[N_CELLS], sum[N_CELLS];
} crowd;

/* All cells are written, read by all tasks, written again: joins that heddle inserts shift the numbers of later tasks.
 * wide: how many cells the readers read. */
static void crowd_tasks(crowd *c, uint64_t by, uint64_t wide)
{
    uint64_t phase, i;
    for (phase = 0; phase < 4; phase++)
        for (i = 0; i < N_CELLS; i++) {
            if (phase % 2 == 0) {
                make_step(&c->cell[i], by + i, 0);
                continue;
            }
            *(add_args *)heddle_omp_task(task_add, 0) = (add_args){&c->sum[i], c->cell, wide};
            heddle_omp_depend(HEDDLE_MODE_IN, c->cell, wide * sizeof(uint64_t));
            heddle_omp_depend(HEDDLE_MODE_INOUT, &c->sum[i], sizeof(uint64_t));
        }
}

static void crowd_want(crowd *c, uint64_t by, uint64_t wide)
{
    uint64_t phase, i, k;
    for (phase = 0; phase < 4; phase++)
        for (i = 0; i < N_CELLS; i++) {
            if (phase % 2 == 0)
                c->cell[i] = c->cell[i] * 3 + by + i;
            for (k = 0; phase % 2 && k < wide; k++)
                c->sum[i] += c->cell[k];
        }
}

/* Returns whether the graph was known. */
static int crowd_region(crowd *got, crowd *want, uint64_t by, uint64_t wide)
{
    heddle_omp_times t;
    begin(HEDDLE_OMP_BARRIERS);
    crowd_tasks(got, by, wide);
    heddle_omp_end();
    crowd_want(want, by, wide);
    CHECK(!memcmp(got, want, sizeof *got));
    CHECK(heddle_omp_last_run(&t) && t.n_tasks == 4 * N_CELLS);
    return (int)t.reused;
}

/* New records are zeros: heddle compares the padding between fields, too. */
static void test_records(void)
{
    static const step_args zeros;
    step_args *t;
    int round;
    for (round = 0; round < 8; round++) {
        begin(0);
        t = (step_args *)heddle_omp_task(task_total, 0);
        CHECK(!memcmp(t, &zeros, sizeof zeros) && (uintptr_t)t % 16 == 0);
        t->cell = (uint64_t *)(uintptr_t)-1;
        t->by = 77;
        heddle_omp_end();
    }
}

static void test_the_same_again(void)
{
    static crowd got, want;
    uint64_t round, wide;
    memset(&got, 0, sizeof got);
    memset(&want, 0, sizeof want);
    CHECK(!crowd_region(&got, &want, 1, 20));
    CHECK(crowd_region(&got, &want, 1, 20));  /* with the same arguments */
    CHECK(crowd_region(&got, &want, 2, 20));  /* with others */
    CHECK(!crowd_region(&got, &want, 2, 21)); /* other dependences */
    CHECK(crowd_region(&got, &want, 3, 20) && crowd_region(&got, &want, 3, 21));
    for (round = 0; round < 3; round++) /* more graphs than are kept */
        for (wide = 1; wide < 10; wide++)
            CHECK(!crowd_region(&got, &want, round, wide));
    CHECK(!crowd_region(&got, &want, 3, 20) && crowd_region(&got, &want, 4, 20));
    got.cell[3] = want.cell[3] = 9; /* the region reads the current values */
    CHECK(crowd_region(&got, &want, 4, 20));
}

static void test_million(void)
{
    static uint64_t cell[1000];
    uint64_t want[1000] = {0}, i;
    memset(cell, 0, sizeof cell);
    begin(0);
    for (i = 0; i < 1000000; i++) {
        make_step(&cell[i % 1000], i, 0);
        want[i % 1000] = want[i % 1000] * 3 + i;
    }
    heddle_omp_end();
    CHECK(!memcmp(cell, want, sizeof cell));
}

static void test_all(void)
{
    test_lu();
    test_sync();
    test_barriers(HEDDLE_OMP_BARRIERS);
    test_barriers(0);
    test_barriers_and_ranges();
    test_slots();
    test_nested();
    test_priority();
    test_program_parts();
    test_outside();
    test_repeated();
    test_records();
    test_the_same_again();
    test_lu();
}

int main(void)
{
    on_serial.backend = HEDDLE_SERIAL;
    on_cpu.backend = HEDDLE_CPU;
    program = &on_serial;
    test_all();
    program = &on_cpu;
    test_all();
    test_million();
    return 0;
}
