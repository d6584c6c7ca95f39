/* SPDX-License-Identifier: MIT */
/* lavamd.cu - forces and potential between charged particles in boxes: each acts on those of its own box and of the 26 around,
 * by a potential of charge x exp(-a r^2). A block has a box. Results: potential and force of each particle, and of each box
 * the sum of potentials and the strongest force. */
#include "program.h"

#include "noise.h"

#include <math.h>
#include <string.h>

#define PARTICLES 100 /* of a box; its side is 1 */
#define THREADS 128
#define NEIGHBOURS 27
#define FALL 0.5 /* a */

typedef struct box {
    int n_neighbours, neighbours[NEIGHBOURS]; /* itself is one */
} box;
typedef struct place {
    double x, y, z, unused;
} place;
typedef struct pull {
    double potential, x, y, z;
} pull;

static uint32_t n_boxes, wide, deep; /* wide x wide x deep */
static box *boxes, *device_boxes;
static place *places, *device_places;
static double *charges, *device_charges;
static pull *before, *pulls, *device_pulls; /* what was there goes in, and the rest is added */
static double *sums, *strongest, *device_sums, *device_strongest;

/* What a particle feels of another. */
static inline __host__ __device__ void feel(pull *f, const place *me, const place *other, double charge)
{
    const double x = me->x - other->x, y = me->y - other->y, z = me->z - other->z;
    const double potential = charge * exp(-FALL * (x * x + y * y + z * z)), slope = 2 * FALL * potential;
    f->potential += potential;
    f->x += slope * x, f->y += slope * y, f->z += slope * z;
}

static __device__ void add_up(const double *potential, const double *strength, double *sum, double *most)
{
    *sum = 0, *most = 0;
    for (int i = 0; i < PARTICLES; i++) {
        *sum += potential[i];
        *most = strength[i] > *most ? strength[i] : *most;
    }
}

static __global__ void interact(const box *b, const place *p, const double *charge, pull *to, double *sum, double *most,
                                uint32_t steps)
{
    __shared__ place near[PARTICLES];
    __shared__ double q[PARTICLES], potential[PARTICLES], strength[PARTICLES];
    const uint32_t me = threadIdx.x, first = blockIdx.x * PARTICLES;
    const box *mine = &b[blockIdx.x];
    pull f = {0, 0, 0, 0};
    place here = {0, 0, 0, 0};
    program_lengthen(steps);
    if (me < PARTICLES)
        f = to[first + me], here = p[first + me];
    for (int k = 0; k < mine->n_neighbours; k++) {
        const uint32_t from = (uint32_t)mine->neighbours[k] * PARTICLES;
        __syncthreads();
        if (me < PARTICLES)
            near[me] = p[from + me], q[me] = charge[from + me];
        __syncthreads();
        if (me < PARTICLES)
            for (int i = 0; i < PARTICLES; i++)
                feel(&f, &here, &near[i], q[i]);
    }
    if (me < PARTICLES) {
        to[first + me] = f;
        potential[me] = f.potential;
        strength[me] = sqrt(f.x * f.x + f.y * f.y + f.z * f.z);
    }
    __syncthreads();
    if (me == 0)
        add_up(potential, strength, &sum[blockIdx.x], &most[blockIdx.x]);
}

static uint64_t n_particles(void) { return (uint64_t)n_boxes * PARTICLES; }

static void shape(double bytes)
{
    const double wanted = bytes / (sizeof(box) + PARTICLES * (sizeof(place) + sizeof(double) + sizeof(pull)));
    wide = (uint32_t)round(cbrt(wanted));
    wide = wide ? wide : 1;
    deep = (uint32_t)round(wanted / wide / wide);
    deep = deep ? deep : 1;
    n_boxes = wide * wide * deep;
    boxes = PROGRAM_NEW(host, box, n_boxes), places = PROGRAM_NEW(host, place, n_particles());
    charges = PROGRAM_NEW(host, double, n_particles()), before = PROGRAM_NEW(host, pull, n_particles());
    pulls = PROGRAM_NEW(result, pull, n_particles());
    sums = PROGRAM_NEW(result, double, n_boxes), strongest = PROGRAM_NEW(result, double, n_boxes);
    device_boxes = PROGRAM_NEW(device, box, n_boxes), device_places = PROGRAM_NEW(device, place, n_particles());
    device_charges = PROGRAM_NEW(device, double, n_particles()),
    device_pulls = PROGRAM_NEW(device, pull, n_particles());
    device_sums = PROGRAM_NEW(device, double, n_boxes), device_strongest = PROGRAM_NEW(device, double, n_boxes);
}

static void make_box(uint64_t i)
{
    const int x = (int)(i % wide), y = (int)(i / wide % wide), z = (int)(i / wide / wide);
    box *b = &boxes[i];
    memset(b, 0, sizeof *b);
    for (int k = 0; k < NEIGHBOURS; k++) {
        const int at_x = x + k % 3 - 1, at_y = y + k / 3 % 3 - 1, at_z = z + k / 9 - 1;
        if (at_x >= 0 && at_y >= 0 && at_z >= 0 && at_x < (int)wide && at_y < (int)wide && at_z < (int)deep)
            b->neighbours[b->n_neighbours++] = (at_z * (int)wide + at_y) * (int)wide + at_x;
    }
    for (uint64_t p = i * PARTICLES; p < (i + 1) * PARTICLES; p++) {
        const place at = {x + noise_unit(90, p), y + noise_unit(91, p), z + noise_unit(92, p), 0};
        const pull none = {0, 0, 0, 0};
        places[p] = at, before[p] = none;
        charges[p] = noise_unit(93, p);
    }
}
static void fill(void) { program_fill(n_boxes, make_box); }

static void compute(void)
{
    program_copy_in(device_boxes, boxes, n_boxes * sizeof(box));
    program_copy_in(device_places, places, n_particles() * sizeof(place));
    program_copy_in(device_charges, charges, n_particles() * sizeof(double));
    program_copy_in(device_pulls, before, n_particles() * sizeof(pull));
    PROGRAM_LAUNCH(interact, n_boxes, THREADS, device_boxes, device_places, device_charges, device_pulls, device_sums,
                   device_strongest);
    program_copy_out(pulls, device_pulls, n_particles() * sizeof(pull));
    program_copy_out(sums, device_sums, n_boxes * sizeof(double));
    program_copy_out(strongest, device_strongest, n_boxes * sizeof(double));
}

/* By the boxes' places, without their lists. */
static int is_wrong(uint64_t i)
{
    const int64_t own = (int64_t)(i / PARTICLES), x = own % wide, y = own / wide % wide, z = own / wide / wide;
    pull f = {0, 0, 0, 0};
    for (int64_t c = z ? z - 1 : 0; c <= z + 1 && c < deep; c++)
        for (int64_t b = y ? y - 1 : 0; b <= y + 1 && b < wide; b++)
            for (int64_t a = x ? x - 1 : 0; a <= x + 1 && a < wide; a++)
                for (int64_t p = ((c * wide + b) * wide + a) * PARTICLES, end = p + PARTICLES; p < end; p++)
                    feel(&f, &places[i], &places[p], charges[p]);
    return !program_is_near(pulls[i].potential, f.potential, 1e-10) || !program_is_near(pulls[i].x, f.x, 1e-10) ||
           !program_is_near(pulls[i].y, f.y, 1e-10) || !program_is_near(pulls[i].z, f.z, 1e-10);
}
static int is_wrong_box(uint64_t i)
{
    double sum = 0, most = 0;
    for (uint64_t p = i * PARTICLES; p < (i + 1) * PARTICLES; p++) {
        const double strength = sqrt(pulls[p].x * pulls[p].x + pulls[p].y * pulls[p].y + pulls[p].z * pulls[p].z);
        sum += pulls[p].potential, most = fmax(most, strength);
    }
    return !program_is_near(sums[i], sum, 1e-10) || !program_is_near(strongest[i], most, 1e-10);
}
static uint64_t check(void)
{
    return program_wrong("particles", n_particles(), 60000, is_wrong) +
           program_wrong("boxes", n_boxes, 500, is_wrong_box);
}

const program program_this = {"lavaMD", "Forces between particles in boxes", 43, shape, fill, compute, check};
