/* SPDX-License-Identifier: MIT */
/* errors.c - errors end the program with status 1 and a sentence that names the region's place. Each case is a process
 * of its own, also one for each failing allocation. */
#include "openmp/tasks.h"

#include "base/base.h"
#include "openmp/ends.h"
#include "openmp/inside.h"

#include <pthread.h>

static heddle_omp_program program = TASKS_PROGRAM;

static void begin(uint32_t flags) { heddle_omp_begin(&program, &tasks_place, flags, 0); }

static void body_fails(void)
{
    uint64_t cell = 0;
    begin(0);
    make_step(&cell, 1, 0);
    *(fail_args *)heddle_omp_task(task_fail, 0) = (fail_args){21};
    heddle_omp_end();
}

static void unknown_kind(void)
{
    begin(0);
    (void)heddle_omp_task(task_nothing, 0);
}

static void bad_range(void)
{
    uint64_t cell = 0;
    begin(0);
    make_step(&cell, 1, 0);
    heddle_omp_depend(HEDDLE_MODE_IN, &cell, UINT64_MAX - 8);
    heddle_omp_end();
}

static void too_many_dims(void)
{
    uint64_t cell = 0;
    heddle_omp_dim d[9] = {{0, 1, 1}};
    begin(0);
    make_step(&cell, 1, 0);
    heddle_omp_depend_section(HEDDLE_MODE_IN, &cell, 8, 9, d);
}

static void other_version(void)
{
    program.version++;
    begin(0);
}

static void other_size(void)
{
    program.size -= 8;
    begin(0);
}

static void other_globals(void)
{
    program.n_globals = 1;
    begin(0);
}

static void other_args(void)
{
    static heddle_omp_kind kinds[task_nothing];
    memcpy(kinds, tasks_kinds, sizeof kinds);
    kinds[task_add].arg_bytes += 8;
    program.kinds = kinds;
    begin(0);
}

static void no_body_for_barriers(void)
{
    static heddle_omp_kind kinds[tasks_n_bodies];
    memcpy(kinds, tasks_kinds, sizeof tasks_kinds);
    kinds[task_nothing] = (heddle_omp_kind){"nothing:9", {"tasks.c", 9}, 1, 0, NULL, 0};
    program.kinds = kinds;
    program.n_kinds = tasks_n_bodies;
    begin(0);
    heddle_omp_end();
    begin(HEDDLE_OMP_BARRIERS);
}

static void unknown_backend(void)
{
    setenv("HEDDLE_BACKEND", "gpu", 1);
    begin(0);
}

static void absent_backend(void)
{
    if (heddle_backend_is_present(HEDDLE_CUDA)) {
        fprintf(stderr, "program.c:41: heddle: cuda is here\n");
        exit(1);
    }
    program.backend = HEDDLE_CUDA;
    begin(0);
}

static void bad_number(void)
{
    setenv("HEDDLE_WORKERS", "many", 1);
    begin(0);
}

static void slot_outside(void) { (void)heddle_omp_slot(8); }

/* ---- no memory --------------------------------------------------------------------------------------------------- */

static void small_program(void)
{
    uint64_t cell[200], i, *slot;
    begin(HEDDLE_OMP_BARRIERS);
    slot = (uint64_t *)heddle_omp_slot(100000);
    for (i = 0; i < 200; i++)
        make_step(&cell[i], 1, 0);
    begin(0);
    make_step(slot, 1, 0);
    heddle_omp_end();
    heddle_omp_end();
}

static void program_of_batches(void)
{
    uint64_t cell[20] = {0}, i;
    hd_omp_batch_tasks = 16;
    begin(HEDDLE_OMP_BARRIERS);
    for (i = 0; i < 40; i++) {
        make_step(&cell[i % 20], 1, 0);
        if (i % 9 == 0)
            heddle_omp_barrier();
    }
    heddle_omp_end();
}

static uint64_t which;

static void own_memory_fails(void)
{
    hd_omp_fail_alloc_at(which);
    small_program();
}

static void heddle_memory_fails(void)
{
    hd_fail_alloc_at(which);
    small_program();
}

static void own_memory_of_batches_fails(void)
{
    hd_omp_fail_alloc_at(which);
    program_of_batches();
}

static void heddle_memory_of_batches_fails(void)
{
    hd_fail_alloc_at(which);
    program_of_batches();
}

/* Makes each allocation fail in turn, until all have. Returns how many there were. */
static uint64_t each_allocation(void (*run)(void))
{
    ending e;
    for (which = 1;; which++) {
        ends_of(&e, run);
        if (e.status == 0)
            return which - 1;
        CHECK_MSG(e.status == 1 && strstr(e.text, "program.c:41: heddle: ") && strstr(e.text, "memory"),
                  "allocation %llu: status %d: %s", (unsigned long long)which, e.status, e.text);
        CHECK_MSG(which < 1000, "%s", "no end");
    }
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static uint64_t ticks[256][2], ticking;

static void make_stamps(uint64_t from, uint64_t to)
{
    for (; from < to; from++)
        *(stamp_args *)heddle_omp_task(task_stamp, 0) = (stamp_args){&ticking, &ticks[from][0], &ticks[from][1]};
}

/* The third task of the second batch fails; this is found when the third batch is full. */
static void body_of_batch_fails(void)
{
    hd_omp_batch_tasks = 16;
    begin(0);
    make_stamps(0, 18);
    *(fail_args *)heddle_omp_task(task_fail, 0) = (fail_args){22};
    make_stamps(0, 256);
    exit(0);
}

/* A task of the last batch fails; this is found at the end. */
static void body_of_last_batch_fails(void)
{
    hd_omp_batch_tasks = 16;
    begin(0);
    *(fail_args *)heddle_omp_task(task_fail, 0) = (fail_args){23};
    make_stamps(0, 16);
    heddle_omp_end();
}

static void body_of_batch_leaves(void)
{
    hd_omp_batch_tasks = 16;
    begin(0);
    *(fail_args *)heddle_omp_task(task_fail, 0) = (fail_args){FAIL_LEAVES};
    make_stamps(0, 17);
    for (;;)
        heddle_omp_sync();
}

static void leaves_beside_batch(void)
{
    hd_omp_batch_tasks = 64;
    begin(0);
    make_stamps(0, 65);
    exit(3);
}

/* Each run has the whole limit, and ends the program with the sentence although no thread waits for it. */
static void batch_takes_too_long(void)
{
    uint64_t sum = 0, i;
    setenv("HEDDLE_TIME_LIMIT_MS", "1", 1);
    hd_omp_batch_tasks = 64;
    begin(0);
    for (i = 0; i < 65; i++) {
        *(step_args *)heddle_omp_task(task_sleep, 0) = (step_args){&sum, 10};
        heddle_omp_depend(HEDDLE_MODE_INOUT, &sum, sizeof sum);
    }
    heddle_omp_end();
}

/* ---- the process ------------------------------------------------------------------------------------------------- */

/* Exits in the middle of a region: contexts are closed without a wait. */
static void leaves_in_region(void)
{
    uint64_t cell = 0;
    begin(0);
    make_step(&cell, 1, 0);
    heddle_omp_sync();
    make_step(&cell, 1, 0);
    exit(3);
}

/* A child of a process with contexts has none of their threads. */
static void child_leaves(void)
{
    uint64_t cell = 0;
    int status;
    pid_t pid;
    begin(0);
    make_step(&cell, 1, 0);
    heddle_omp_end();
    pid = fork();
    if (pid == 0)
        exit(5);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

/* A body exits on whatever thread: no thread waits for the run. */
static void body_leaves(void)
{
    uint64_t i;
    begin(0);
    for (i = 0; i < 100; i++)
        *(fail_args *)heddle_omp_task(task_fail, 0) = (fail_args){i == 50 ? FAIL_LEAVES : 0};
    heddle_omp_end();
}

static void *other_thread(void *arg)
{
    uint64_t *cell = arg;
    int i;
    for (i = 0; i < 200; i++) {
        CHECK(!heddle_omp_inside() && !heddle_omp_task(task_step, 0));
        begin(HEDDLE_OMP_BARRIERS);
        make_step(cell, 1, 0);
        heddle_omp_barrier();
        make_step(cell, 0, 0);
        heddle_omp_end();
    }
    return NULL;
}

/* Threads with regions of their own take turns. */
static void threads_take_turns(void)
{
    pthread_t other;
    uint64_t cell[2] = {0, 0};
    CHECK(pthread_create(&other, NULL, other_thread, &cell[0]) == 0);
    other_thread(&cell[1]);
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(cell[0] == cell[1] && cell[0] != 0);
}

int main(void)
{
    uint64_t own, heddles;
    program.backend = HEDDLE_CPU;
    ENDS(body_fails, 1, "program.c:41: heddle: task 1 (task_fail) failed with code 21\n");
    ENDS(unknown_kind, 1, "program.c:41: heddle: a task of kind 11; this program has 11");
    ENDS(bad_range, 1,
         "program.c:41: heddle: a dependence of 18446744073709551607 bytes reaches past the address space");
    ENDS(too_many_dims, 1, "program.c:41: heddle: a dependence of 9 dimensions");
    ENDS(other_version, 1, "program.c:41: heddle: ", "version 2", "this library has 1");
    ENDS(other_size, 1, "program.c:41: heddle: ", "version 1");
    ENDS(other_globals, 1, "program.c:41: heddle: table tasks has 12 bodies");
    ENDS(other_args, 1, "program.c:41: heddle: tasks add:2 have argument records of 32 bytes, their body takes 24");
    ENDS(no_body_for_barriers, 1, "program.c:41: heddle: ", "no body that does nothing");
    ENDS(absent_backend, 1, "program.c:41: heddle: ", "cuda");
    ENDS(bad_number, 1, "program.c:41: heddle: HEDDLE_WORKERS=many");
    ENDS(slot_outside, 1, "heddle: a variable of a region was asked for outside");
    program.backend = HEDDLE_AUTO;
    ENDS(unknown_backend, 1, "program.c:41: heddle: HEDDLE_BACKEND=gpu");
    program.backend = HEDDLE_SERIAL;
    own = each_allocation(own_memory_fails);
    heddles = each_allocation(heddle_memory_fails);
    printf("%llu and %llu allocations failed\n", (unsigned long long)own, (unsigned long long)heddles);
    CHECK(own >= 8 && heddles >= 10);
    own = each_allocation(own_memory_of_batches_fails);
    heddles = each_allocation(heddle_memory_of_batches_fails);
    printf("%llu and %llu of batches\n", (unsigned long long)own, (unsigned long long)heddles);
    program.backend = HEDDLE_CPU;
    CHECK(own >= 8 && heddles >= 10);
    CHECK(each_allocation(own_memory_of_batches_fails) >= 8);
    CHECK(each_allocation(heddle_memory_of_batches_fails) >= 10);
    ENDS(body_of_batch_fails, 1, "program.c:41: heddle: task 2 (task_fail) failed with code 22\n");
    ENDS(body_of_last_batch_fails, 1, "program.c:41: heddle: task 0 (task_fail) failed with code 23\n");
    ENDS(body_of_batch_leaves, 9, "");
    ENDS(leaves_beside_batch, 3, NULL);
    ENDS(batch_takes_too_long, 1, "program.c:41: heddle: the run passed its limit of 1 ms");
    ENDS(leaves_in_region, 3, NULL);
    ENDS(child_leaves, 0, ""); /* a sanitizer may report the missing threads */
    ENDS(body_leaves, 9, "");
    ENDS_WELL(threads_take_turns);
    return 0;
}
