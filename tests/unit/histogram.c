/* SPDX-License-Identifier: MIT */
/* Histograms against sorted lists: quantiles of random numbers of all sizes; the ends of the range. */
#include "base/histogram.h"
#include "check.h"

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_quantile(const hd_histogram *h, const uint64_t *sorted, uint64_t n, uint64_t part, uint64_t whole)
{
    const uint64_t k = (n * part + whole - 1) / whole, exact = sorted[k ? k - 1 : 0];
    const uint64_t said = hd_histogram_quantile(h, part, whole);
    CHECK_MSG(said >= exact && said - exact <= exact / 32u, "%llu of %llu among %llu: %llu, exactly %llu",
              (unsigned long long)part, (unsigned long long)whole, (unsigned long long)n, (unsigned long long)said,
              (unsigned long long)exact);
}

static void random_numbers(uint64_t *seed)
{
    hd_histogram *h = calloc(1, sizeof *h);
    const uint64_t n = 1 + check_below(seed, 500), bits = check_below(seed, 64);
    uint64_t *v = malloc(n * sizeof *v), sum = 0, i;
    for (i = 0; i < n; i++) {
        v[i] = check_random(seed) >> (63u - bits) >> check_below(seed, 4);
        sum += v[i];
        hd_histogram_add(h, v[i]);
    }
    qsort(v, n, sizeof *v, by_size);
    CHECK(h->n == n && h->sum == sum && h->least == v[0] && h->most == v[n - 1]);
    check_quantile(h, v, n, 1, 2);
    check_quantile(h, v, n, 99, 100);
    check_quantile(h, v, n, 1, 1);
    check_quantile(h, v, n, 1, 1000);
    free(v);
    free(h);
}

int main(void)
{
    uint64_t seed = check_seed(7), i;
    hd_histogram *h = calloc(1, sizeof *h);
    CHECK(hd_histogram_quantile(h, 1, 2) == 0);
    hd_histogram_add(h, 0);
    CHECK(h->least == 0 && h->most == 0 && hd_histogram_quantile(h, 1, 1) == 0);
    hd_histogram_add(h, UINT64_MAX);
    CHECK(h->least == 0 && hd_histogram_quantile(h, 1, 1) == UINT64_MAX && hd_histogram_quantile(h, 1, 2) == 0);
    free(h);
    for (i = 0; i < 2000; i++)
        random_numbers(&seed);
    return 0;
}
