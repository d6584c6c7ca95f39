/* SPDX-License-Identifier: MIT */
/* shows: in_reduction of an array section: a histogram
 * manner: blog post */
#include <stdio.h>

#define BINS 8
#define N 4096

int main(void)
{
    static unsigned char pixels[N];
    long hist[BINS] = {0};
    for (int i = 0; i < N; i++)
        pixels[i] = (i * i + 7 * i) % 256;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : hist [0:BINS])
    for (int b = 0; b < N; b += 256) {
#pragma omp task in_reduction(+ : hist [0:BINS]) firstprivate(b)
        for (int i = b; i < b + 256; i++)
            hist[pixels[i] / 32]++;
    }
    for (int b = 0; b < BINS; b++)
        printf("%d-%d: %ld\n", 32 * b, 32 * b + 31, hist[b]);
    return 0;
}
