/* SPDX-License-Identifier: MIT */
/* construct: `static const` tables, at file scope and in functions, used by bodies
 * generated: constant data of the device's text */
#include <stdio.h>

static const int primes[] = {2, 3, 5, 7, 11, 13};
static const double weight[2][3] = {{0.5, 1.5, 2.5}, {[1] = 9}};
static const struct rule {
    char name[4];
    int gain;
} rules[] = {{"ab", 4}, {.gain = 6, .name = "cd"}};
const int offset = 100;

static double look(int i)
{
    static const char letters[] = "heddle";
    const int local[3] = {i, i + 1, i + 2};
    return primes[i % 6] + weight[i % 2][i % 3] + rules[i % 2].gain + letters[i % 6] + local[i % 3] + offset +
           rules[1].name[0];
}

int main(void)
{
    double x[12];
#pragma omp target parallel map(from : x)
#pragma omp single
    for (int i = 0; i < 12; i++) {
#pragma omp task
        x[i] = look(i);
    }
    for (int i = 0; i < 12; i++)
        printf("%g ", x[i]);
    printf("\n");
    return 0;
}
