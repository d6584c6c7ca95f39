/* SPDX-License-Identifier: MIT */
/* shows: forces by a task a body, then positions, arrays of structs, sqrt
 * manner: student's project */
#include <math.h>
#include <stdio.h>

#define BODIES 24
#define STEPS 10

typedef struct {
    double x[3], v[3], f[3], m;
} body;

static body b[BODIES];

static void force(int i)
{
    for (int k = 0; k < 3; k++)
        b[i].f[k] = 0;
    for (int j = 0; j < BODIES; j++) {
        double d[3], r2 = 1e-3;
        if (i == j)
            continue;
        for (int k = 0; k < 3; k++) {
            d[k] = b[j].x[k] - b[i].x[k];
            r2 += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++)
            b[i].f[k] += b[i].m * b[j].m * d[k] / (r2 * sqrt(r2));
    }
}

static void move(int i, double dt)
{
    for (int k = 0; k < 3; k++) {
        b[i].v[k] += dt * b[i].f[k] / b[i].m;
        b[i].x[k] += dt * b[i].v[k];
    }
}

int main(void)
{
    double p[3] = {0, 0, 0};
    for (int i = 0; i < BODIES; i++)
        b[i] = (body){{i % 3, i % 4 * 0.5, i % 5 * 0.25}, {0, 0, 0}, {0, 0, 0}, 1.0 + i % 2};
#pragma omp parallel
#pragma omp single
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < BODIES; i++) {
#pragma omp task firstprivate(i)
            force(i);
        }
#pragma omp taskwait
        for (int i = 0; i < BODIES; i++) {
#pragma omp task firstprivate(i)
            move(i, 0.001);
        }
#pragma omp taskwait
    }
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++)
            p[k] += b[i].m * b[i].v[k];
    int still = fabs(p[0]) < 1e-9 && fabs(p[1]) < 1e-9 && fabs(p[2]) < 1e-9;
    printf("momentum is %s\n", still ? "kept" : "lost");
    return 0;
}
