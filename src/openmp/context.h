/* SPDX-License-Identifier: MIT */
/* context.h - heddle's contexts of this process: one per backend, opened when first needed, closed at exit. */
#ifndef HD_OMP_CONTEXT_H
#define HD_OMP_CONTEXT_H

#include "openmp/map.h"

typedef struct hd_omp_device {
    heddle_ctx *ctx;
    heddle_config config; /* as opened */
    uint32_t n_workers;   /* present limit; 0: as many as are resident at once */
    void *stack, *locks;  /* in the context's memory */
    uint64_t stack_bytes, n_locks;
    void *views;          /* in the context's memory: globals with pointers, see views.c */
    unsigned char *shown; /* host copy of the bytes last written to views */
    uint64_t view_bytes;
    uint32_t shows_nothing; /* nothing has been written to views yet */
    uint32_t most_threads;  /* threads that the registers of bodies allow, 0 = no known limit */
} hd_omp_device;

/* Mapped memory of this process, on the device by.self. Empty without a GPU. */
extern hd_omp_map hd_omp_mapped;

/* Checks that the program fits this library; exits with a message if not. */
void hd_omp_check_program(const heddle_omp_program *p, const heddle_omp_place *place);
/* The device for the program's tasks, by environment and program. */
hd_omp_device *hd_omp_device_of(const heddle_omp_program *p, const heddle_omp_place *place);
/* CPU threads, whatever the environment says. */
hd_omp_device *hd_omp_device_cpu(const heddle_omp_place *place);
/* Do the program's tasks use copies on that device instead of the host's memory? HEDDLE_OMP_COPIES and tests force it on
 * every backend. */
extern int hd_omp_copies_everywhere;
static inline int hd_omp_device_maps(const hd_omp_device *d, const heddle_omp_program *p)
{
    return p->memory == HEDDLE_OMP_MEMORY_MAP && (d->config.backend == HEDDLE_CUDA || hd_omp_copies_everywhere);
}
/* The most workers that a run with team_size threads can have there. */
uint32_t hd_omp_device_workers(const hd_omp_device *d, uint32_t team_size);
/* Limits the workers from now on; 0: as opened. */
void hd_omp_device_limit(hd_omp_device *d, uint32_t most);
/* Allocates stacks for n_workers, and locks, set to 0. */
void hd_omp_device_room(hd_omp_device *d, const heddle_omp_program *p, uint32_t n_workers);
/* The context used last; NULL: none yet. */
const hd_omp_device *hd_omp_device_last(void);
/* While busy (a run is in flight), leaving the process closes nothing. */
void hd_omp_device_busy(int busy);

#endif
