/* SPDX-License-Identifier: MIT */
/* api.c - the OpenMP functions that a translated program calls, without an OpenMP library. Outside a region there is
 * one thread; inside, thread 0 of as many as there are workers. Locks work among the program's own threads. */
#include "openmp/tasks.h"

#include <pthread.h>

static heddle_omp_program program = TASKS_PROGRAM;

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
int omp_get_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
void omp_set_num_threads(int n);
void omp_set_schedule(int kind, int chunk);
void omp_get_schedule(int *kind, int *chunk);
int omp_get_num_devices(void);
int omp_get_initial_device(void);
int omp_is_initial_device(void);
void omp_set_default_device(int device);
int omp_get_default_device(void);
double omp_get_wtime(void);
double omp_get_wtick(void);
void omp_init_lock(void *lock);
void omp_set_lock(void *lock);
void omp_unset_lock(void *lock);
int omp_test_lock(void *lock);
void omp_destroy_lock(void *lock);
void omp_init_nest_lock(void *lock);
void omp_set_nest_lock(void *lock);
void omp_unset_nest_lock(void *lock);
int omp_test_nest_lock(void *lock);

static void test_threads(void)
{
    int n = heddle_omp_n_workers(&program);
    CHECK(omp_get_thread_num() == 0 && omp_get_num_threads() == 1 && !omp_in_parallel() && omp_get_level() == 0);
    CHECK(omp_get_max_threads() == n && omp_get_num_procs() >= 1);
    CHECK(omp_get_team_size(0) == 1 && omp_get_team_size(1) == -1);
    heddle_omp_begin(&program, &tasks_place, 0, 0);
    CHECK(omp_get_thread_num() == 0 && omp_get_num_threads() == n && omp_in_parallel() && omp_get_level() == 1);
    CHECK(omp_get_team_size(1) == n && omp_get_ancestor_thread_num(1) == 0 && omp_get_ancestor_thread_num(2) == -1);
    heddle_omp_end();
    CHECK(!omp_in_parallel());
    omp_set_num_threads(7);
    CHECK(omp_get_max_threads() == (n < 7 ? n : 7) && omp_get_num_threads() == 1);
    heddle_omp_set_threads(1);
    CHECK(omp_get_max_threads() == 1);
    heddle_omp_begin(&program, &tasks_place, 0, 0);
    CHECK(omp_get_num_threads() == 1);
    heddle_omp_end();
    heddle_omp_begin(&program, &tasks_place, 0, 2);
    CHECK(omp_get_num_threads() == (n < 2 ? n : 2));
    heddle_omp_end();
}

static void test_rest(void)
{
    int kind = 0, chunk = 0;
    double before = omp_get_wtime();
    omp_set_schedule(2, 40);
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == 2 && chunk == 40);
    omp_set_default_device(3);
    CHECK(omp_get_default_device() == 3 && omp_is_initial_device());
    CHECK(omp_get_num_devices() == omp_get_initial_device());
    CHECK((omp_get_num_devices() > 0) == (heddle_backend_is_present(HEDDLE_CUDA) != 0));
    while (omp_get_wtime() <= before)
        continue;
    CHECK(omp_get_wtick() > 0 && omp_get_wtime() < before + 3600);
}

static uint32_t lock[2], nest[4], count, nest_count;

static void *counts(void *arg)
{
    int i;
    (void)arg;
    for (i = 0; i < 20000; i++) {
        omp_set_lock(lock);
        count++;
        omp_unset_lock(lock);
        omp_set_nest_lock(nest);
        omp_set_nest_lock(nest);
        nest_count++;
        omp_unset_nest_lock(nest);
        nest_count++;
        omp_unset_nest_lock(nest);
    }
    return NULL;
}

static void *tries(void *arg)
{
    *(int *)arg = omp_test_lock(lock) + omp_test_nest_lock(nest);
    return NULL;
}

static int tried_by_another(void)
{
    pthread_t t;
    int got = -1;
    CHECK(pthread_create(&t, NULL, tries, &got) == 0 && pthread_join(t, NULL) == 0);
    return got;
}

static void test_locks(void)
{
    pthread_t t;
    omp_init_lock(lock);
    omp_init_nest_lock(nest);
    CHECK(pthread_create(&t, NULL, counts, NULL) == 0);
    (void)counts(NULL);
    CHECK(pthread_join(t, NULL) == 0);
    CHECK(count == 40000 && nest_count == 80000);
    CHECK(omp_test_lock(lock) && omp_test_nest_lock(nest) == 1 && omp_test_nest_lock(nest) == 2);
    CHECK(tried_by_another() == 0);
    omp_unset_lock(lock);
    omp_unset_nest_lock(nest);
    CHECK(tried_by_another() == 1 && !omp_test_lock(lock));
    omp_unset_nest_lock(nest);
    omp_unset_lock(lock);
    CHECK(tried_by_another() == 2);
    omp_destroy_lock(lock);
}

int main(void)
{
    program.backend = HEDDLE_CPU;
    test_threads();
    test_rest();
    test_locks();
    return 0;
}
