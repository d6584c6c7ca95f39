/* SPDX-License-Identifier: MIT */
/* notes.c - HEDDLE_OMP_VERBOSE, HEDDLE_OMP_TRACE and HEDDLE_OMP_TIMELINE: the messages, the files, and the errors if a
 * file cannot be written. Also the warning about lengths that order more than they should, which comes unasked. */
#include "openmp/tasks.h"

#include "openmp/ends.h"
#include "openmp/inside.h"

static heddle_omp_program program = TASKS_PROGRAM;
static char dir[] = "/tmp/heddle_openmp_XXXXXX";

static void one_region(uint32_t line)
{
    static heddle_omp_place place[100];
    uint64_t cell[4] = {0}, i;
    place[line] = (heddle_omp_place){"some/where/program.c", line};
    heddle_omp_begin(&program, &place[line], HEDDLE_OMP_BARRIERS, 0);
    for (i = 0; i < 8; i++)
        make_step(&cell[i % 4], i, 0);
    *(add_args *)heddle_omp_task(task_add, 0) = (add_args){&cell[0], &cell[2], 1};
    heddle_omp_depend(HEDDLE_MODE_INOUT, &cell[0], 8);
    heddle_omp_depend(HEDDLE_MODE_IN, &cell[2], 16);
    heddle_omp_barrier(); /* nothing follows, so no edges */
    heddle_omp_end();
}

/* Each length reaches into the next cell; cells are three words apart. */
static void long_lengths(void)
{
    static heddle_omp_place place = {"some/where/program.c", 56};
    uint64_t cell[32] = {0}, i;
    heddle_omp_begin(&program, &place, 0, 0);
    for (i = 0; i < 8; i++) {
        *(add_args *)heddle_omp_task(task_add, 0) = (add_args){&cell[3 * i], &cell[31], 1};
        heddle_omp_depend(HEDDLE_MODE_IN, &cell[31], 8);
        heddle_omp_depend(HEDDLE_MODE_INOUT, &cell[3 * i], 32);
    }
    heddle_omp_end();
}

/* Sections of parts and of the whole, as where results are merged. */
static void nested_lengths(void)
{
    static heddle_omp_place place = {"some/where/program.c", 78};
    uint64_t cell[5] = {0}, i;
    heddle_omp_begin(&program, &place, 0, 0);
    for (i = 0; i < 7; i++) {
        uint64_t *first = &cell[i < 4 ? i : i < 6 ? 2 * i - 8 : 0];
        *(add_args *)heddle_omp_task(task_add, 0) = (add_args){first, &cell[4], 1};
        heddle_omp_depend(HEDDLE_MODE_INOUT, first, i < 4 ? 8 : i < 6 ? 16 : 32);
    }
    heddle_omp_end();
}

static void two_regions(void)
{
    one_region(12);
    one_region(34);
}

/* Each batch is a run. */
static void region_of_batches(void)
{
    uint64_t cell = 0, i;
    hd_omp_batch_tasks = 16;
    heddle_omp_begin(&program, &tasks_place, 0, 0);
    for (i = 0; i < 26; i++)
        make_step(&cell, i, 0);
    heddle_omp_end();
}

static void set(const char *variable, const char *name)
{
    char text[512];
    snprintf(text, sizeof text, "%s/%s", dir, name);
    setenv(variable, text, 1);
}

/* The file must contain the word; removes the file. */
static void check_file(const char *name, const char *word)
{
    static char text[1 << 20];
    char path[512];
    FILE *f;
    size_t n;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "r");
    CHECK_MSG(f, "%s is not there", path);
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    fclose(f);
    CHECK_MSG(strstr(text, word), "%s has no \"%s\"", path, word);
    CHECK(unlink(path) == 0);
}

int main(void)
{
    program.backend = HEDDLE_CPU;
    CHECK(mkdtemp(dir));
    ENDS_WELL(two_regions);
    setenv("HEDDLE_OMP_VERBOSE", "0", 1);
    ENDS_WELL(two_regions);
    setenv("HEDDLE_OMP_VERBOSE", "1", 1);
    ENDS(two_regions, 0, "program.c:12: heddle: 9 tasks, 7 edges, 3 levels on cpu", "program.c:34: heddle: 9 tasks",
         "1 dependences begin where another one does, and end elsewhere", "step:1 (tasks.c:", "add:2 (tasks.c:");
    ENDS(region_of_batches, 0, "program.c:41: heddle: 16 tasks, 15 edges, 16 levels on cpu",
         "program.c:41: heddle: 8 tasks, 7 edges", "program.c:41: heddle: 2 tasks, 1 edges");
    program.match = HEDDLE_OMP_START;
    ENDS(two_regions, 0, "program.c:12: heddle: 9 tasks, 6 edges");
    program.match = HEDDLE_OMP_OVERLAP;
    unsetenv("HEDDLE_OMP_VERBOSE");
    ENDS_WELL(nested_lengths);
    ENDS(long_lengths, 0, "dependence 2 of task add:2 names 32 bytes, the last 8 of which another such task",
         "--depend=start");
    set("HEDDLE_OMP_TRACE", "t.json");
    set("HEDDLE_OMP_TIMELINE", "x-%r.svg");
    ENDS_WELL(two_regions);
    check_file("t.json", "task_add");
    check_file("x-program.c-12.svg", "<svg");
    check_file("x-program.c-34.svg", "<svg");
    set("HEDDLE_OMP_TRACE", "no/such/folder.json");
    ENDS(two_regions, 0, "program.c:34: heddle: HEDDLE_OMP_TRACE: ", "folder.json");
    check_file("x-program.c-12.svg", "<svg");
    check_file("x-program.c-34.svg", "<svg");
    CHECK(rmdir(dir) == 0);
    return 0;
}
