/* SPDX-License-Identifier: MIT */
/* data_cases.h - mapped memory where tasks see copies: cases that hold on a GPU, and on CPU threads if tasks there are
 * made to see copies. Each case is a process of its own. */
#ifndef OPENMP_DATA_CASES_H
#define OPENMP_DATA_CASES_H

#include "gpu/openmp_bodies.h"
#include "openmp/ends.h"

static uint64_t words_total, words_table[WORDS];
static words_part words_parts_of[2];
static void *const words_total_at = &words_total, *const words_table_at = words_table,
                   *const words_parts_at = words_parts_of;
static const heddle_omp_pointer part_pointers[] = {{(uint32_t)offsetof(words_part, to), "parts.to"}};
static const heddle_omp_global words_globals[] = {
    {"total", &words_total_at, sizeof words_total, 0, NULL, 0},
    {"table", &words_table_at, sizeof words_table, 0, NULL, 0},
    {"parts", &words_parts_at, sizeof words_parts_of, sizeof *words_parts_of, part_pointers, 1}};
static const heddle_omp_pointer words_pointers[] = {{(uint32_t)offsetof(words_args, to), "to"},
                                                    {(uint32_t)offsetof(words_args, from), "from"},
                                                    {(uint32_t)offsetof(words_args, end), "end"}};
static const heddle_omp_kind words_kinds[] = {{"mix:1", {"words.c", 1}, sizeof(words_args), 3, words_pointers, 0},
                                              {"global:2", {"words.c", 2}, sizeof(words_args), 3, words_pointers, 0},
                                              {"own:3", {"words.c", 3}, sizeof(words_args), 3, words_pointers, 0},
                                              {"parts:4", {"words.c", 4}, sizeof(words_args), 3, words_pointers, 0}};
static heddle_omp_program program = {.size = sizeof program,
                                     .version = HEDDLE_OMP_VERSION,
                                     .table = &words,
                                     .kinds = words_kinds,
                                     .n_kinds = words_nothing,
                                     .globals = words_globals,
                                     .n_globals = 3,
                                     .stack_bytes = 1024,
                                     .n_locks = 2};
static const heddle_omp_place here = {"program.c", 41}, around = {"program.c", 30};

/* Objects with gaps, so that a pointer past the end of one does not point to the next. */
static struct {
    uint64_t a[WORDS], gap, b[WORDS], more_gap, c[WORDS];
} memory;
static uint64_t *const a = memory.a, *const b = memory.b, *const c = memory.c;
#define WORDS_BYTES (WORDS * sizeof(uint64_t))

static void begin(uint32_t flags) { heddle_omp_begin(&program, &here, flags, 64); }

static void set(uint64_t *x, uint64_t value)
{
    int i;
    for (i = 0; i < WORDS; i++)
        x[i] = value;
}

static void check_all(const uint64_t *x, uint64_t value, int line)
{
    int i;
    for (i = 0; i < WORDS; i++)
        CHECK_MSG(x[i] == value, "line %d: [%d] is %llu, not %llu", line, i, (unsigned long long)x[i],
                  (unsigned long long)value);
}
#define ALL(x, value) check_all(x, value, __LINE__)

static void mix_n(uint64_t *to, const uint64_t *from, uint64_t by, uint64_t n)
{
    *(words_args *)heddle_omp_task(words_mix, 0) = (words_args){to, from, to + n, by, n};
    heddle_omp_depend(HEDDLE_MODE_INOUT, to, n * sizeof *to);
    if (from)
        heddle_omp_depend(HEDDLE_MODE_IN, from, n * sizeof *from);
}

static void mix(uint64_t *to, const uint64_t *from, uint64_t by) { mix_n(to, from, by, WORDS); }

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static void case_directions(void)
{
    set(a, 1);
    set(b, 2);
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TO, "a");
    heddle_omp_map(b, WORDS_BYTES, HEDDLE_OMP_TOFROM, "b");
    heddle_omp_map(c, WORDS_BYTES, HEDDLE_OMP_ALLOC, "c");
    heddle_omp_map(NULL, 8, HEDDLE_OMP_TOFROM, "nothing");
    heddle_omp_map(c, 0, HEDDLE_OMP_TOFROM, "nothing");
    set(a, 10); /* before the first run, so it is copied */
    mix(a, NULL, 5);
    mix(b, a, 0);
    set(c, 77);
    heddle_omp_end();
    ALL(a, 10);
    ALL(b, 2 * 3 + 10 * 3 + 5);
    ALL(c, 77);
}

static void case_sync(void)
{
    set(a, 1);
    begin(HEDDLE_OMP_TARGET | HEDDLE_OMP_BARRIERS);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
    mix(a, NULL, 1);
    heddle_omp_barrier();
    mix(a, NULL, 0);
    heddle_omp_sync();
    ALL(a, 12);
    a[0] = 20;
    heddle_omp_host_wrote();
    mix(a, NULL, 0);
    heddle_omp_sync();
    CHECK(a[0] == 60 && a[1] == 36);
    a[1] = 5; /* not announced: the copy stays as it was */
    mix(a, NULL, 0);
    heddle_omp_end();
    CHECK(a[0] == 180 && a[1] == 108);
}

static void case_slots(void)
{
    uint64_t *x, *y;
    int round;
    for (round = 0; round < 3; round++) {
        begin(HEDDLE_OMP_TARGET);
        x = (uint64_t *)heddle_omp_slot(8);
        *x = 4;
        mix_n(x, NULL, 1, 1);
        heddle_omp_sync();
        CHECK(*x == 13);
        y = (uint64_t *)heddle_omp_slot(200000);
        *y = 2;
        mix_n(y, x, 0, 1);
        heddle_omp_sync();
        CHECK(*x == 13 && *y == 19);
        heddle_omp_end();
    }
}

static void case_globals(void)
{
    uint64_t i, good = 0;
    words_total = 5;
    set(words_table, 1);
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(&good, sizeof good, HEDDLE_OMP_FROM, "good");
    for (i = 0; i < 50; i++)
        *(words_args *)heddle_omp_task(words_global, 0) = (words_args){.by = i};
    *(words_args *)heddle_omp_task(words_own, 0) = (words_args){.to = &good, .by = 9};
    heddle_omp_end();
    CHECK(words_total == 5 + 1225 && good == 1);
    ALL(words_table, 1226);
    heddle_omp_enter(&program, &around, words_table, sizeof words_table, HEDDLE_OMP_TO, "table");
    begin(HEDDLE_OMP_TARGET);
    *(words_args *)heddle_omp_task(words_global, 0) = (words_args){.by = 4};
    heddle_omp_end();
    CHECK(words_total == 5 + 1225 + 4);
    ALL(words_table, 1226); /* mapped around the region: copied back at the end of that map */
    heddle_omp_exit(&program, &around, words_table, sizeof words_table, HEDDLE_OMP_FROM, "table");
    ALL(words_table, 1230);
}

static void add_parts(uint64_t by)
{
    begin(HEDDLE_OMP_TARGET);
    *(words_args *)heddle_omp_task(words_parts, 0) = (words_args){.by = by};
    heddle_omp_end();
}

/* Pointers in a global lead to copies, also if they change between runs, and afterwards are as they were. */
static void case_pointer_globals(void)
{
    set(a, 1);
    set(b, 2);
    words_parts_of[1] = (words_part){WORDS, a};
    heddle_omp_enter(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_TO, "a");
    heddle_omp_enter(&program, &around, b, WORDS_BYTES, HEDDLE_OMP_TO, "b");
    add_parts(5);
    add_parts(1);
    words_parts_of[0] = (words_part){WORDS - 10, b + 10};
    words_parts_of[1].to = NULL;
    add_parts(7);
    CHECK(words_parts_of[0].to == b + 10 && !words_parts_of[1].to);
    heddle_omp_exit(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_FROM, "a");
    heddle_omp_exit(&program, &around, b, WORDS_BYTES, HEDDLE_OMP_FROM, "b");
    ALL(a, 7);
    CHECK(b[9] == 2 && b[10] == 9 && b[WORDS - 1] == 9);
    begin(0);
    heddle_omp_map(b, WORDS_BYTES, HEDDLE_OMP_TOFROM, "b");
    *(words_args *)heddle_omp_task(words_parts, 0) = (words_args){.by = 3};
    heddle_omp_end(); /* the region has its own map */
    CHECK(b[9] == 2 && b[10] == 12);
}

static void case_unmapped_global(void)
{
    words_parts_of[1] = (words_part){WORDS, a};
    add_parts(1);
}

/* One object in two parts; pointers to its middle, past its end, and NULL. */
static void case_parts(void)
{
    set(a, 1);
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
    heddle_omp_map(a + 10, 10 * sizeof *a, HEDDLE_OMP_TOFROM, "a");
    mix_n(a + 5, NULL, 1, 10);
    mix_n(a + WORDS, NULL, 0, 0);
    heddle_omp_end();
    CHECK(a[4] == 1 && a[5] == 4 && a[14] == 4 && a[15] == 1);
}

/* A nested region has maps of its own. */
static void case_nested(void)
{
    set(a, 1);
    set(b, 1);
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
    mix(a, NULL, 0);
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(b, WORDS_BYTES, HEDDLE_OMP_TOFROM, "b");
    mix(b, a, 0);
    heddle_omp_end();
    ALL(a, 3);
    ALL(b, 6);
    mix(a, NULL, 1);
    heddle_omp_end();
    ALL(a, 10);
}

/* ---- around regions ---------------------------------------------------------------------------------------------- */

static void case_target_data(void)
{
    int round;
    set(a, 1);
    heddle_omp_enter(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
    set(a, 50); /* the device does not see it */
    for (round = 0; round < 3; round++) {
        begin(HEDDLE_OMP_TARGET);
        heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
        mix(a, NULL, 0);
        heddle_omp_end();
        ALL(a, 50);
    }
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
    heddle_omp_sync(); /* the region's own code accesses it next */
    ALL(a, 27);
    a[0] = 1;
    heddle_omp_host_wrote();
    mix(a, NULL, 0);
    heddle_omp_end();
    CHECK(a[0] == 1 && a[1] == 27);
    heddle_omp_exit(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_FROM, "a");
    CHECK(a[0] == 3 && a[1] == 81);
}

static void case_update(void)
{
    set(a, 1);
    heddle_omp_update(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_TO); /* not mapped: no effect */
    heddle_omp_enter(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_TO, "a");
    set(a, 2);
    heddle_omp_update(&program, &around, a + 100, 10 * sizeof *a, HEDDLE_OMP_TO);
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TO, "a");
    mix(a, NULL, 0);
    heddle_omp_end();
    ALL(a, 2);
    heddle_omp_update(&program, &around, a + 95, 10 * sizeof *a, HEDDLE_OMP_FROM);
    CHECK(a[94] == 2 && a[95] == 3 && a[99] == 3 && a[100] == 6 && a[104] == 6 && a[105] == 2);
    heddle_omp_exit(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_RELEASE, "a");
    CHECK(a[0] == 2);
    heddle_omp_exit(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_FROM, "a"); /* not mapped any more */
    CHECK(a[0] == 2);
}

/* Counts: the last exit copies, or one with ALWAYS; DELETE ignores the count. */
static void case_counts(void)
{
    set(a, 1);
    heddle_omp_enter(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_TO, "a");
    heddle_omp_enter(&program, &around, a + 1, 8, HEDDLE_OMP_TO, "a");
    set(a, 5);
    heddle_omp_enter(&program, &around, a, 80, HEDDLE_OMP_TO | HEDDLE_OMP_ALWAYS, "a");
    heddle_omp_exit(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_FROM, "a");
    CHECK(a[9] == 5 && a[10] == 5);
    heddle_omp_exit(&program, &around, a + 8, 32, HEDDLE_OMP_FROM | HEDDLE_OMP_ALWAYS, "a");
    CHECK(a[9] == 5 && a[10] == 1 && a[11] == 1 && a[12] == 5);
    heddle_omp_exit(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_FROM, "a");
    CHECK(a[0] == 5 && a[12] == 1);
    heddle_omp_enter(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_TO, "a");
    heddle_omp_enter(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_TO, "a");
    set(a, 8);
    heddle_omp_exit(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_DELETE, "a");
    heddle_omp_exit(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_FROM, "a");
    ALL(a, 8);
}

/* A host region uses the host's memory, whatever is mapped around it. */
static void case_host_region(void)
{
    set(a, 1);
    heddle_omp_enter(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_TO, "a");
    set(a, 2);
    begin(0);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
    mix(a, NULL, 0);
    heddle_omp_end();
    ALL(a, 6);
    heddle_omp_exit(&program, &around, a, WORDS_BYTES, HEDDLE_OMP_RELEASE, "a");
}

/* The second run has a pointer into unmapped memory: the region continues with the host's memory, as the first run left
 * it. */
static void case_falls_back(void)
{
    int round;
    for (round = 0; round < 2; round++) {
        set(a, 1);
        set(b, 1);
        begin(0);
        heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TO, "a");
        mix(a, NULL, 0);
        heddle_omp_sync();
        mix(a, NULL, 1);
        mix(b, a, 0);
        heddle_omp_sync();
        ALL(b, 13);
        mix(b, NULL, 0);
        heddle_omp_end();
        ALL(a, 10);
        ALL(b, 39);
    }
}

/* The first run has such a pointer: what the region mapped was never on the device, and is not copied from there. */
static void case_falls_back_at_once(void)
{
    words_total = 5;
    set(words_table, 7);
    set(a, 1);
    set(b, 2);
    begin(0);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
    mix(b, NULL, 0);
    *(words_args *)heddle_omp_task(words_global, 0) = (words_args){.by = 4};
    heddle_omp_end();
    ALL(a, 1);
    ALL(b, 6);
    CHECK(words_total == 9);
    ALL(words_table, 11);
}

/* A task of this kind follows pointers: in copies it would read host addresses. */
static void case_follows(void)
{
    heddle_omp_kind kinds[sizeof words_kinds / sizeof words_kinds[0]];
    memcpy(kinds, words_kinds, sizeof kinds);
    kinds[words_mix].follows_pointers = 1;
    program.kinds = kinds;
    set(a, 1);
    begin(0);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
    mix(a, NULL, 1);
    heddle_omp_end();
    ALL(a, 4);
}

static void case_many(void)
{
    uint64_t want = 0, round;
    set(a, 0);
    for (round = 0; round < 200; round++) {
        begin(HEDDLE_OMP_TARGET);
        heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
        heddle_omp_map(b, WORDS_BYTES, HEDDLE_OMP_ALLOC, "b");
        mix(a, NULL, round);
        mix(b, a, 0);
        heddle_omp_end();
        want = want * 3 + round;
        ALL(a, want);
    }
}

/* ---- refused ----------------------------------------------------------------------------------------------------- */

static void case_unmapped(void)
{
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TO, "a");
    mix(a, b, 0);
    heddle_omp_end();
}

static void case_partly(void)
{
    heddle_omp_enter(&program, &around, a, 100, HEDDLE_OMP_TO, "a");
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TO, "all of a");
}

static void data_cases(void)
{
    ENDS_WELL(case_directions);
    ENDS_WELL(case_sync);
    ENDS_WELL(case_slots);
    ENDS_WELL(case_globals);
    ENDS_WELL(case_pointer_globals);
    ENDS_WELL(case_parts);
    ENDS_WELL(case_nested);
    ENDS_WELL(case_target_data);
    ENDS_WELL(case_update);
    ENDS_WELL(case_counts);
    ENDS_WELL(case_host_region);
    ENDS_WELL(case_many);
    ENDS(case_falls_back, 0, "program.c:41: heddle: task mix:1 (words.c:1) is given to = 0x", "CPU threads instead");
    ENDS(case_falls_back_at_once, 0, "program.c:41: heddle: task mix:1 (words.c:1) is given to = 0x",
         "CPU threads instead");
    ENDS(case_follows, 0, "program.c:41: heddle: task mix:1 (words.c:1) follows pointers", "runs on CPU threads");
    ENDS(case_unmapped, 1, "program.c:41: heddle: task mix:1 (words.c:1) is given from = 0x", "map it");
    ENDS(case_unmapped_global, 1, "program.c:41: heddle: tasks read parts.to = 0x", "map it");
    ENDS(case_partly, 1, "program.c:41: heddle: all of a (8000 bytes at 0x",
         "a, mapped by line 30 of program.c, has 100");
}

#endif
