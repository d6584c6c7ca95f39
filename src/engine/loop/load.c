/* SPDX-License-Identifier: MIT */
/* load.c - loads have a density in each of 4096 cells; work between two grains is a difference of two sums. */
#include "engine/loop/load.h"

#include <math.h>

#define ROUGH_SIGMA 0.7
#define PEAK_AT 0.9
#define PEAK_HALF 0.02
#define PEAK_TIMES 20.0
#define DENSE_AT 0.5
#define DENSE_HALF 0.02
#define DENSE_TIMES 100.0
#define FRONT_UPTO 0.03
#define FRONT_TIMES 50.0
#define HILL_FOOT 0.3   /* half of its width */
#define HILL_LEAST 0.01 /* of its top */

uint64_t hd_random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In (0, 1). */
static double uniform(uint64_t *state) { return ((double)(hd_random_next(state) >> 11) + 0.5) / 9007199254740992.0; }

double hd_random_normal(uint64_t *state)
{
    const double r = sqrt(-2 * log(uniform(state)));
    return r * cos(6.283185307179586 * uniform(state));
}

static double density(heddle_shape shape, double at, uint64_t *state)
{
    switch (shape) {
    case HEDDLE_SHAPE_RAMP: return at;
    case HEDDLE_SHAPE_FALLING: return 1 - at;
    case HEDDLE_SHAPE_ROUGH: return exp(ROUGH_SIGMA * hd_random_normal(state));
    case HEDDLE_SHAPE_PEAK: return fabs(at - PEAK_AT) < PEAK_HALF ? PEAK_TIMES : 1;
    case HEDDLE_SHAPE_DENSE: return fabs(at - DENSE_AT) < DENSE_HALF ? DENSE_TIMES : 1;
    case HEDDLE_SHAPE_HILL: return fmax(1 - fabs(at - 0.5) / HILL_FOOT, HILL_LEAST);
    case HEDDLE_SHAPE_FRONT: return at < FRONT_UPTO ? FRONT_TIMES : 1;
    default: return 1;
    }
}

void hd_load_make(hd_load *l, uint64_t n, heddle_shape shape, uint64_t seed)
{
    double sum = 0, before = 0;
    l->n = (double)n;
    for (uint32_t i = 0; i < HD_N_CELLS; i++)
        sum += l->density[i] = density(shape, (i + 0.5) / HD_N_CELLS, &seed);
    for (uint32_t i = 0; i < HD_N_CELLS; i++) {
        l->density[i] *= HD_N_CELLS / sum;
        l->upto[i] = before;
        before += l->density[i];
    }
    l->upto[HD_N_CELLS] = before;
    l->density[HD_N_CELLS] = 0;
}

static double work_upto(const hd_load *l, double grain)
{
    const double x = grain * HD_N_CELLS / l->n;
    const uint32_t cell = x < HD_N_CELLS ? (uint32_t)x : HD_N_CELLS;
    return (l->upto[cell] + (x - cell) * l->density[cell]) * l->n / HD_N_CELLS;
}

double hd_load_work(const hd_load *l, uint64_t begin, uint64_t end)
{
    return work_upto(l, (double)end) - work_upto(l, (double)begin);
}

double hd_load_dearest(const hd_load *l, uint64_t begin, uint64_t end)
{
    const double step = fmax(1, l->n / HD_N_CELLS);
    double most = 0;
    for (double at = (double)begin; at < (double)end; at += step)
        most = fmax(most, work_upto(l, at + step) - work_upto(l, at));
    return most / step;
}
