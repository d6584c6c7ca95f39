/* SPDX-License-Identifier: MIT */
/* construct: several declarators, typedefs of arrays and functions, casts, `const`, `volatile`, initialised locals in bodies
 * generated: as they stand */
#include <stdint.h>
#include <stdio.h>

typedef int row[6];
typedef const row *rows;

static inline int pick(const int *restrict p, unsigned k) { return p[k & 5u]; }

static long mix(row *m, int n)
{
    long sum = 0, *at = &sum, first[2] = {1}, (*view)[2] = &first;
    volatile int twice = 2;
    const row *const fixed = (rows)m;
    int i, *p = m[0], **pp = &p, q = 0, r[2][2] = {{1, 2}, {3}};
    for (i = 0; i < n; i++)
        *at += (*pp)[i] * twice + (*view)[i % 2] + fixed[1][i] + r[i % 2][1];
    q = (int)(uint8_t)(sum >> 1) + pick(*pp, (unsigned)n);
    return sum + q;
}

int main(void)
{
    row m[2] = {{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}};
    long out[3];
#pragma omp target parallel map(to : m) map(from : out)
#pragma omp single
    for (int k = 0; k < 3; k++) {
#pragma omp task
        out[k] = mix(m, 3 + k);
    }
    printf("%ld %ld %ld\n", out[0], out[1], out[2]);
    return 0;
}
