/* SPDX-License-Identifier: MIT */
/* openmp.c - programs translated by heddlec, on a GPU: all cases of mapped memory, workers' own memory, ways of
 * running, and refusals. Each case is a process of its own; this one never touches the GPU. */
#include "openmp/data_cases.h"

/* Uses every worker's own memory; all workers compete for the lock. */
static void case_workers(void)
{
    uint64_t good[3000], i;
    words_total = 0;
    set(words_table, 0);
    begin(HEDDLE_OMP_TARGET);
    heddle_omp_map(good, sizeof good, HEDDLE_OMP_FROM, "good");
    for (i = 0; i < 3000; i++) {
        *(words_args *)heddle_omp_task(words_own, 0) = (words_args){.to = &good[i], .by = i};
        if (i % 10 == 0)
            *(words_args *)heddle_omp_task(words_global, 0) = (words_args){.by = i};
    }
    heddle_omp_end();
    for (i = 0; i < 3000; i++)
        CHECK_MSG(good[i] == 1, "task %llu met another one's memory", (unsigned long long)i);
    CHECK(words_total == 10 * (299 * 300 / 2));
    ALL(words_table, words_total);
}

/* A graph with barriers and 20,000 tasks. */
static void case_large(void)
{
    uint64_t i, round;
    set(a, 1);
    begin(HEDDLE_OMP_TARGET | HEDDLE_OMP_BARRIERS);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
    for (round = 0; round < 20; round++) {
        for (i = 0; i < WORDS; i++)
            mix_n(&a[i], NULL, round, 1);
        heddle_omp_barrier();
    }
    heddle_omp_end();
    for (i = 1, round = 0; round < 20; round++)
        i = i * 3 + round;
    ALL(a, i);
}

/* Asks for more threads per block than its registers may allow: then heddle takes fewer. */
static void case_many_threads(void)
{
    set(a, 1);
    heddle_omp_begin(&program, &here, HEDDLE_OMP_TARGET, 5000);
    heddle_omp_map(a, WORDS_BYTES, HEDDLE_OMP_TOFROM, "a");
    mix(a, NULL, 0);
    heddle_omp_end();
    ALL(a, 3);
}

static void case_levels(void)
{
    setenv("HEDDLE_SCHEDULE", "levels", 1);
    program.stack_bytes = 0;
    case_sync();
    case_large();
}

static void case_levels_with_stack(void)
{
    setenv("HEDDLE_SCHEDULE", "levels", 1);
    case_sync();
}

static void case_profile(void)
{
    char path[] = "/tmp/heddle_openmp_tuning_XXXXXX";
    int f = mkstemp(path);
    CHECK(f >= 0);
    close(f);
    unlink(path);
    setenv("HEDDLE_TUNING_FILE", path, 1);
    case_many();
    unlink(path);
}

/* On the CPU tasks use the host's memory in place: nothing is unmapped. */
static void case_cpu_by_environment(void)
{
    setenv("HEDDLE_BACKEND", "cpu", 1);
    program.backend = HEDDLE_AUTO;
    case_unmapped();
}

/* If the GPU can read all host memory, nothing needs to be mapped; otherwise the run is refused. */
static void case_system_memory(void)
{
    program.memory = HEDDLE_OMP_MEMORY_SYSTEM;
    case_unmapped();
    case_workers();
}

static void check_system_memory(void)
{
    ending e;
    ends_of(&e, case_system_memory);
    CHECK_MSG(e.status == 0 || (e.status == 1 && strstr(e.text, "cannot read the host's memory")), "%d: %s", e.status,
              e.text);
}

static void has_gpu(void) { exit(heddle_backend_is_present(HEDDLE_CUDA) ? 0 : 77); }

int main(void)
{
    ending e;
    ends_of(&e, has_gpu);
    if (e.status == 77)
        SKIP("no GPU here");
    program.backend = HEDDLE_CUDA;
    data_cases();
    ENDS_WELL(case_workers);
    ENDS_WELL(case_large);
    ENDS_WELL(case_many_threads);
    ENDS_WELL(case_levels);
    ENDS(case_levels_with_stack, 1, "program.c:41: heddle: ", "schedule levels has no workers");
    ENDS_WELL(case_profile);
    ENDS_WELL(case_cpu_by_environment);
    check_system_memory();
    return 0;
}
