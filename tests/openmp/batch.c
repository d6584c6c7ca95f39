/* SPDX-License-Identifier: MIT */
/* batch.c - regions of more tasks than a batch: their results, on serial and on threads, with batches of a few tasks.
 * Tasks begin while others are created, but not where they must not. Also the memory of two million tasks. */
#include "openmp/tasks.h"

#include "openmp/ends.h"
#include "openmp/inside.h"

#include <sys/resource.h>

static heddle_omp_program on_serial = TASKS_PROGRAM, on_cpu = TASKS_PROGRAM, *program;

static void begin(uint32_t flags) { heddle_omp_begin(program, &tasks_place, flags, 0); }

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* Each task needs the result of the one before, also across two batches. */
static void test_chain(uint64_t batch)
{
    uint64_t cell = 1, want = 1, i;
    hd_omp_batch_tasks = batch;
    begin(0);
    for (i = 0; i < 500; i++) {
        make_step(&cell, i, 0);
        want = want * 3 + i;
    }
    heddle_omp_end();
    CHECK(cell == want);
}

#define N_ONES 200000

/* Two chains with tasks that still run when the next batch comes. */
static uint64_t ones[N_ONES];

static void make_slow(uint64_t *cell)
{
    *(add_args *)heddle_omp_task(task_add, 0) = (add_args){cell, ones, N_ONES};
    heddle_omp_depend(HEDDLE_MODE_INOUT, cell, sizeof *cell);
}

static void test_slow_chain(void)
{
    uint64_t i, n;
    hd_omp_batch_tasks = 4;
    for (i = 0; i < N_ONES; i++)
        ones[i] = 1;
    for (n = 1; n < 12; n++) {
        uint64_t cell[2] = {0, 0}, sum[2] = {0, 0};
        begin(0);
        for (i = 0; i < n; i++) {
            make_slow(&cell[i % 2]);
            make_step(&cell[(i + 1) % 2], i, 0);
            sum[i % 2] += N_ONES;
            sum[(i + 1) % 2] = sum[(i + 1) % 2] * 3 + i;
        }
        heddle_omp_end();
        CHECK(!memcmp(cell, sum, sizeof cell));
    }
}

/* Under schedule static: workers leave a run when their own lists are done. */
static void by_lists(void)
{
    setenv("HEDDLE_SCHEDULE", "static", 1);
    test_slow_chain();
}

/* ---- random regions ---------------------------------------------------------------------------------------------- */

#define ROWS 6
#define COLUMNS 5

typedef struct field {
    uint64_t cell[ROWS][COLUMNS], sum[COLUMNS];
} field;

static field got, want;

static void step(uint64_t *state, uint64_t by)
{
    uint64_t i = check_below(state, ROWS), k = check_below(state, COLUMNS);
    make_step(&got.cell[i][k], by, (int)check_below(state, 2));
    want.cell[i][k] = want.cell[i][k] * 3 + by;
}

/* Reads some cells of a row, and names them as a section of two dimensions. */
static void gather(uint64_t *state)
{
    uint64_t i = check_below(state, ROWS), k = check_below(state, COLUMNS), n = 1 + check_below(state, COLUMNS - k), j;
    const heddle_omp_dim dims[2] = {{(int64_t)i, 1, ROWS}, {(int64_t)k, (int64_t)n, COLUMNS}};
    *(add_args *)heddle_omp_task(task_add, 0) = (add_args){&got.sum[k], &got.cell[i][k], n};
    heddle_omp_depend_section(HEDDLE_MODE_IN, got.cell, sizeof(uint64_t), 2, dims);
    heddle_omp_depend(HEDDLE_MODE_INOUT, &got.sum[k], sizeof(uint64_t));
    for (j = 0; j < n; j++)
        want.sum[k] += want.cell[i][k + j];
}

/* No dependence: only barriers keep its order. */
static void loose_step(uint64_t *state, uint64_t by)
{
    uint64_t i = check_below(state, ROWS), k = check_below(state, COLUMNS);
    heddle_omp_barrier();
    *(step_args *)heddle_omp_task(task_step, 0) = (step_args){&got.cell[i][k], by};
    heddle_omp_barrier();
    want.cell[i][k] = want.cell[i][k] * 3 + by;
}

/* A nested region with a variable of its own. */
static void inner(uint64_t *state, uint64_t by)
{
    uint64_t *own, k = check_below(state, COLUMNS);
    begin(check_below(state, 2) ? HEDDLE_OMP_BARRIERS : 0);
    own = (uint64_t *)heddle_omp_slot(sizeof *own);
    *own = 2;
    make_step(own, by, 0);
    *(add_args *)heddle_omp_task(task_add, 0) = (add_args){&got.sum[k], own, 1};
    heddle_omp_depend(HEDDLE_MODE_IN, own, sizeof *own);
    heddle_omp_depend(HEDDLE_MODE_INOUT, &got.sum[k], sizeof(uint64_t));
    heddle_omp_end();
    want.sum[k] += 6 + by;
    CHECK(!memcmp(&got, &want, sizeof got));
}

/* The host reads and writes after a sync. */
static void look(uint64_t by)
{
    heddle_omp_sync();
    CHECK(!memcmp(&got, &want, sizeof got));
    got.cell[0][0] = want.cell[0][0] = by;
    heddle_omp_host_wrote();
}

static void random_region(uint64_t *state)
{
    uint64_t n = check_below(state, 400), i;
    hd_omp_batch_tasks = 1 + check_below(state, 40);
    begin(HEDDLE_OMP_BARRIERS | (check_below(state, 4) ? 0 : HEDDLE_OMP_ALONE));
    for (i = 0; i < n; i++)
        switch (check_below(state, 60)) {
        case 0: look(i); break;
        case 1: inner(state, i); break;
        case 2: loose_step(state, i); break;
        case 3: heddle_omp_barrier(); break;
        default: check_below(state, 3) ? step(state, i) : gather(state);
        }
    heddle_omp_end();
    CHECK(!memcmp(&got, &want, sizeof got));
}

static void test_random(void)
{
    uint64_t state = check_seed(11), i;
    for (i = 0; i < 100; i++)
        random_region(&state);
}

/* A repeated region with full batches and a rest for its end. */
static void test_again(void)
{
    uint64_t cell = 0, k, i, sum = 0;
    hd_omp_batch_tasks = 16;
    for (k = 0; k < 20; k++) {
        begin(0);
        for (i = 0; i < 16 + k / 4 * 3; i++) {
            make_step(&cell, k, 0);
            sum = sum * 3 + k;
        }
        heddle_omp_end();
        CHECK(cell == sum);
    }
}

/* ---- when tasks begin -------------------------------------------------------------------------------------------- */

static uint64_t load(const uint64_t *cell) { return __atomic_load_n(cell, __ATOMIC_ACQUIRE); }

/* Creates tasks until a batch is handed over. Returns 1 if its first task has run then, or with `waits` within 20 s. */
static int first_runs(uint32_t flags, uint32_t n_threads, int waits)
{
    uint64_t clock = 0, at[9][2], end = heddle_host_clock_ns() + 20000000000ull, i;
    int ran;
    hd_omp_batch_tasks = 8;
    heddle_omp_begin(program, &tasks_place, flags, n_threads);
    for (i = 0; i < 9; i++)
        *(stamp_args *)heddle_omp_task(task_stamp, 0) = (stamp_args){&clock, &at[i][0], &at[i][1]};
    while (waits && !load(&clock) && heddle_host_clock_ns() < end)
        continue;
    ran = waits ? load(&clock) != 0 : load(&clock) == 16;
    heddle_omp_end();
    CHECK(clock == 18);
    return ran;
}

static void test_when(void)
{
    static const uint32_t together[] = {0, HEDDLE_OMP_BARRIERS};
    static const uint32_t turns[] = {HEDDLE_OMP_NUMBERS, HEDDLE_OMP_ALONE, HEDDLE_OMP_EXCLUDES};
    uint32_t i;
    for (i = 0; i < 2; i++)
        CHECK(first_runs(together[i], 0, 1));
    for (i = 0; i < 3; i++)
        CHECK(first_runs(turns[i], 0, 0));
    CHECK(first_runs(0, 1, 0));
}

/* A nested region that must not overlap others waits for the running tasks. */
static void test_turns_inside(void)
{
    uint64_t cell = 0, i;
    hd_omp_batch_tasks = 20;
    begin(0);
    for (i = 0; i < 21; i++)
        make_slow(&cell);
    begin(HEDDLE_OMP_NUMBERS);
    CHECK(cell == 20 * N_ONES);
    heddle_omp_end();
    CHECK(cell == 21 * N_ONES);
    heddle_omp_end();
}

/* After a wait a region holds back as many tasks as at its beginning; the serial backend runs a full batch at once. */
static void test_held(void)
{
    uint64_t cell = 0, i, k;
    hd_omp_batch_tasks = 16;
    begin(0);
    for (k = 0; k < 3; k++) {
        cell = 1;
        for (i = 0; i < 17; i++) {
            CHECK(program == &on_cpu || cell == 1);
            make_step(&cell, 0, 0);
        }
        CHECK(program == &on_cpu || cell == 43046721);
        heddle_omp_sync();
        CHECK(cell == 129140163);
    }
    heddle_omp_end();
}

/* Tasks that see copies are not split into batches: the host may write data that the first task has a copy of. */
static void test_copies(void)
{
    uint64_t cell[40] = {0}, i;
    hd_omp_batch_tasks = 8;
    hd_omp_copies_everywhere = 1;
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(cell, sizeof cell, HEDDLE_OMP_TOFROM, "cell");
    for (i = 0; i < 40; i++) {
        cell[i] = i;
        make_step(&cell[i], 1, 0);
    }
    CHECK(cell[0] == 0);
    heddle_omp_end();
    hd_omp_copies_everywhere = 0;
    for (i = 0; i < 40; i++)
        CHECK(cell[i] == 3 * i + 1);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void two_million(void)
{
    static uint64_t cell[1000];
    struct rusage u;
    uint64_t i;
    begin(0);
    for (i = 0; i < 2000000; i++)
        make_step(&cell[i % 1000], 1, 0);
    heddle_omp_end();
    getrusage(RUSAGE_SELF, &u);
#if !defined(HEDDLE_ASAN) && !defined(HEDDLE_TSAN)
    CHECK_MSG(u.ru_maxrss < 64 * 1024, "%ld KB", u.ru_maxrss);
#endif
}

static void test_all(void)
{
    uint64_t batch;
    for (batch = 1; batch < 600; batch = batch * 2 + 1)
        test_chain(batch);
    test_slow_chain();
    test_random();
    test_again();
    test_held();
    test_turns_inside();
    test_copies();
}

int main(void)
{
    on_serial.backend = HEDDLE_SERIAL;
    on_cpu.backend = HEDDLE_CPU;
    setenv("HEDDLE_WORKERS", "3", 1); /* even on one core */
    program = &on_cpu;
    ENDS_WELL(two_million);
    ENDS_WELL(by_lists);
    test_all();
    test_when();
    program = &on_serial;
    test_all();
    return 0;
}
