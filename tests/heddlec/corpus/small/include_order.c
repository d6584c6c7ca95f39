/* SPDX-License-Identifier: MIT */
/* shows: omp.h first, stdlib.h and stdint.h behind it, options by getopt
 * manner: makefile project
 * args: -n 12 -v
 * flags: -O2 -Wall -DVERSION=1 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <unistd.h>

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 29;
    return x;
}

int main(int argc, char *argv[])
{
    int n = 4, verbose = 0, c;
    while ((c = getopt(argc, argv, "n:v")) != -1) {
        if (c == 'n')
            n = atoi(optarg);
        else if (c == 'v')
            verbose = VERSION;
        else
            exit(EXIT_FAILURE);
    }
    uint64_t *h = calloc(n, sizeof(uint64_t)), all = 0;
    double scale = atof("2.5");
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task
        h[i] = mix((uint64_t)(i * scale));
    }
    for (int i = 0; i < n; i++)
        all ^= h[i];
    if (verbose)
        printf("n = %d, scale = %g\n", n, scale);
    printf("%016llx\n", (unsigned long long)all);
    free(h);
    return 0;
}
