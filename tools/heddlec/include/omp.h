/* SPDX-License-Identifier: MIT */
/* omp.h - the functions of OpenMP 4.5 as in its specification, for analysis on machines with a compiler that has none.
 * It comes behind all other folders, so a compiler's omp.h has precedence. Programs are linked with their own OpenMP
 * library or with none; locks are only used through pointers here. */
#ifndef HEDDLEC_OMP_H
#define HEDDLEC_OMP_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct omp_lock_t {
    void *state;
} omp_lock_t;
typedef struct omp_nest_lock_t {
    void *state[2];
} omp_nest_lock_t;

typedef enum omp_sched_t {
    omp_sched_static = 1,
    omp_sched_dynamic = 2,
    omp_sched_guided = 3,
    omp_sched_auto = 4
} omp_sched_t;

typedef enum omp_proc_bind_t {
    omp_proc_bind_false = 0,
    omp_proc_bind_true = 1,
    omp_proc_bind_master = 2,
    omp_proc_bind_close = 3,
    omp_proc_bind_spread = 4
} omp_proc_bind_t;

typedef enum omp_lock_hint_t {
    omp_lock_hint_none = 0,
    omp_lock_hint_uncontended = 1,
    omp_lock_hint_contended = 2,
    omp_lock_hint_nonspeculative = 4,
    omp_lock_hint_speculative = 8
} omp_lock_hint_t;

/* Threads and teams. */
extern void omp_set_num_threads(int n_threads);
extern int omp_get_num_threads(void);
extern int omp_get_max_threads(void);
extern int omp_get_thread_num(void);
extern int omp_get_num_procs(void);
extern int omp_in_parallel(void);
extern void omp_set_dynamic(int is_dynamic);
extern int omp_get_dynamic(void);
extern int omp_get_cancellation(void);
extern void omp_set_nested(int is_nested);
extern int omp_get_nested(void);
extern void omp_set_schedule(omp_sched_t kind, int chunk);
extern void omp_get_schedule(omp_sched_t *kind, int *chunk);
extern int omp_get_thread_limit(void);
extern void omp_set_max_active_levels(int max_levels);
extern int omp_get_max_active_levels(void);
extern int omp_get_level(void);
extern int omp_get_ancestor_thread_num(int level);
extern int omp_get_team_size(int level);
extern int omp_get_active_level(void);
extern int omp_in_final(void);

/* Places. */
extern omp_proc_bind_t omp_get_proc_bind(void);
extern int omp_get_num_places(void);
extern int omp_get_place_num_procs(int place);
extern void omp_get_place_proc_ids(int place, int *ids);
extern int omp_get_place_num(void);
extern int omp_get_partition_num_places(void);
extern void omp_get_partition_place_nums(int *places);

/* Devices. */
extern void omp_set_default_device(int device);
extern int omp_get_default_device(void);
extern int omp_get_num_devices(void);
extern int omp_get_num_teams(void);
extern int omp_get_team_num(void);
extern int omp_is_initial_device(void);
extern int omp_get_initial_device(void);
extern int omp_get_max_task_priority(void);

/* Locks. */
extern void omp_init_lock(omp_lock_t *lock);
extern void omp_init_nest_lock(omp_nest_lock_t *lock);
extern void omp_init_lock_with_hint(omp_lock_t *lock, omp_lock_hint_t hint);
extern void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_lock_hint_t hint);
extern void omp_destroy_lock(omp_lock_t *lock);
extern void omp_destroy_nest_lock(omp_nest_lock_t *lock);
extern void omp_set_lock(omp_lock_t *lock);
extern void omp_set_nest_lock(omp_nest_lock_t *lock);
extern void omp_unset_lock(omp_lock_t *lock);
extern void omp_unset_nest_lock(omp_nest_lock_t *lock);
extern int omp_test_lock(omp_lock_t *lock);
extern int omp_test_nest_lock(omp_nest_lock_t *lock);

/* Time. */
extern double omp_get_wtime(void);
extern double omp_get_wtick(void);

/* Memory of devices. */
extern void *omp_target_alloc(__SIZE_TYPE__ n_bytes, int device);
extern void omp_target_free(void *at, int device);
extern int omp_target_is_present(void *at, int device);
extern int omp_target_memcpy(void *to, void *from, __SIZE_TYPE__ n_bytes, __SIZE_TYPE__ to_at, __SIZE_TYPE__ from_at,
                             int to_device, int from_device);
extern int omp_target_memcpy_rect(void *to, void *from, __SIZE_TYPE__ element_bytes, int n_dims,
                                  const __SIZE_TYPE__ *volume, const __SIZE_TYPE__ *to_at, const __SIZE_TYPE__ *from_at,
                                  const __SIZE_TYPE__ *to_extents, const __SIZE_TYPE__ *from_extents, int to_device,
                                  int from_device);
extern int omp_target_associate_ptr(void *host, void *device_at, __SIZE_TYPE__ n_bytes, __SIZE_TYPE__ at, int device);
extern int omp_target_disassociate_ptr(void *host, int device);

#ifdef __cplusplus
}
#endif

#endif
