/* SPDX-License-Identifier: MIT */
/* shows: a search that cancels its taskgroup when the key is found
 * manner: OpenMP 4.0's examples */
#include <stdio.h>
#include <omp.h>

#define N 4000
#define BLOCK 250

int main(void)
{
    static int v[N];
    int found = -1;
    for (int i = 0; i < N; i++)
        v[i] = (i * 17) % N;
    fprintf(stderr, "cancellation: %d\n", omp_get_cancellation());
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
    for (int b = 0; b < N; b += BLOCK) {
#pragma omp task firstprivate(b) shared(found)
        for (int i = b; i < b + BLOCK; i++)
            if (v[i] == 1234) {
#pragma omp atomic write
                found = i;
#pragma omp cancel taskgroup
            }
    }
    printf("found at %d: %s\n", found, v[found] == 1234 ? "right" : "wrong");
    return 0;
}
