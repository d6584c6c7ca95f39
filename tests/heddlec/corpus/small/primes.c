/* SPDX-License-Identifier: MIT */
/* shows: chunks counted by tasks with a helper and an atomic
 * manner: tutorial */
#include <stdio.h>
#include <stdbool.h>

static bool is_prime(unsigned n)
{
    if (n < 2)
        return false;
    for (unsigned d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return true;
}

int main(void)
{
    const unsigned limit = 10000, chunk = 500;
    unsigned primes = 0;
#pragma omp parallel default(none) shared(primes) firstprivate(limit, chunk)
#pragma omp single
    for (unsigned from = 0; from < limit; from += chunk) {
#pragma omp task default(none) shared(primes) firstprivate(from, chunk)
        {
            unsigned mine = 0;
            for (unsigned n = from; n < from + chunk; n++)
                mine += is_prime(n);
#pragma omp atomic
            primes += mine;
        }
    }
    printf("%u primes below %u\n", primes, limit);
    return 0;
}
