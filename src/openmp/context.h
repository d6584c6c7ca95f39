/* SPDX-License-Identifier: MIT */
/* context.h - heddle's contexts of this process: one a backend, opened at first need, closed when the process exits. */
#ifndef HD_OMP_CONTEXT_H
#define HD_OMP_CONTEXT_H

#include "openmp/map.h"

typedef struct hd_omp_device {
    heddle_ctx *ctx;
    heddle_config config; /* as opened */
    uint32_t n_workers;   /* it has now; 0: as many as are resident at once */
    void *stack, *locks;  /* in the context's memory */
    uint64_t stack_bytes, n_locks;
    void *views;          /* likewise: globals with pointers, see views.c */
    unsigned char *shown; /* what was written there last */
    uint64_t view_bytes;
    uint32_t shows_nothing; /* nothing was written there yet */
    uint32_t most_threads;  /* that the registers of bodies allow, 0 = as far as is known all */
} hd_omp_device;

/* The mapped memory of this process, on the device that by.self names. Empty without a GPU. */
extern hd_omp_map hd_omp_mapped;

/* The program is what this library was compiled for, or the way out. */
void hd_omp_check_program(const heddle_omp_program *p, const heddle_omp_place *place);
/* Where the environment and the program want its tasks to run. */
hd_omp_device *hd_omp_device_of(const heddle_omp_program *p, const heddle_omp_place *place);
/* CPU threads, whatever the environment wants. */
hd_omp_device *hd_omp_device_cpu(const heddle_omp_place *place);
/* Do the program's tasks see copies there, instead of the host's memory? HEDDLE_OMP_COPIES and tests make it so on
 * every backend. */
extern int hd_omp_copies_everywhere;
static inline int hd_omp_device_maps(const hd_omp_device *d, const heddle_omp_program *p)
{
    return p->memory == HEDDLE_OMP_MEMORY_MAP && (d->config.backend == HEDDLE_CUDA || hd_omp_copies_everywhere);
}
/* Workers that a run with so many threads can have there at most. */
uint32_t hd_omp_device_workers(const hd_omp_device *d, uint32_t team_size);
/* From now on at most so many workers, 0: as opened. */
void hd_omp_device_limit(hd_omp_device *d, uint32_t most);
/* Room for the stacks of n_workers and for the locks, which are 0. */
void hd_omp_device_room(hd_omp_device *d, const heddle_omp_program *p, uint32_t n_workers);
/* The context that was opened last; NULL: none yet. */
const hd_omp_device *hd_omp_device_last(void);
/* While a run is in flight, leaving the process closes nothing. */
void hd_omp_device_busy(int busy);

#endif
