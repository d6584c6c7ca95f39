/* SPDX-License-Identifier: MIT */
/* waves.h - heat2d by waves of tiles that a GPU launches itself: today's form of the papers' dynamic parallelism
 * (Kepler-DP in Belviranli's thesis, section 5.2.4). A C interface, implemented with CUDA (waves.cu), or by a refusal
 * without it (waves_none.c). */
#ifndef WAVES_H
#define WAVES_H

#include "heat_bodies.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WAVES_ERROR = 256 };

typedef struct waves {
    const heat_record *record; /* its field is in device memory */
    const tile_rect *tiles;    /* wave k has begin[k] ... begin[k + 1] - 1 */
    const uint32_t *begin;
    uint32_t n_waves, team_size, shared_bytes, device;
} waves;

/* Runs all waves once; *ms: the time between stamps around them. 0, or -1 with a sentence in error. */
int waves_run(const waves *w, double *ms, char error[WAVES_ERROR]);

#ifdef __cplusplus
}
#endif
#endif
