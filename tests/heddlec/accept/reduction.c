/* SPDX-License-Identifier: MIT */
/* construct: `reduction` on inner loops: + * min max & | ^ && ||, several variables and types
 * generated: a partial result a thread, combined by halves in block-shared memory */
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

struct result {
    int sum, product, least, most, all, any;
    unsigned bits_and, bits_or, bits_xor;
    int64_t big;
    double mean;
    float top;
    int minus;
};

static void reduce(const int *x, int n, struct result *r)
{
    int sum = 1, product = 1, least = INT_MAX, most = INT_MIN, all = 1, any = 0, minus = 0;
    unsigned bits_and = ~0u, bits_or = 0, bits_xor = 0x5a;
    int64_t big = -1;
    double mean = 0;
    float top = -FLT_MAX;
#pragma omp parallel for reduction(+ : sum, big) reduction(* : product) reduction(min : least) reduction(max : most)
    for (int i = 0; i < n; i++) {
        sum += x[i];
        big += (int64_t)x[i] * 1000000007;
        product *= x[i] % 2 ? 1 : -1;
        least = x[i] < least ? x[i] : least;
        if (x[i] > most)
            most = x[i];
    }
#pragma omp parallel for reduction(& : bits_and) reduction(| : bits_or) reduction(^ : bits_xor)
    for (int i = 0; i < n; i++) {
        bits_and &= (unsigned)x[i] | 0x40;
        bits_or |= (unsigned)x[i];
        bits_xor ^= (unsigned)x[i] << (i % 8);
    }
#pragma omp parallel for reduction(&& : all) reduction(|| : any) reduction(- : minus)
    for (int i = 0; i < n; i++) {
        all = all && x[i] > 0;
        any = any || x[i] == 17;
        minus -= x[i];
    }
#pragma omp parallel reduction(+ : mean) reduction(max : top)
    {
#pragma omp for
        for (int i = 0; i < n; i++) {
            mean += 0.25 * x[i];
            top = x[i] * 0.5f > top ? x[i] * 0.5f : top;
        }
    }
    r->sum = sum;
    r->product = product;
    r->least = least;
    r->most = most;
    r->all = all;
    r->any = any;
    r->bits_and = bits_and;
    r->bits_or = bits_or;
    r->bits_xor = bits_xor;
    r->big = big;
    r->mean = mean / n;
    r->top = top;
    r->minus = minus;
}

int main(void)
{
    int x[333];
    struct result r[3];
    for (int i = 0; i < 333; i++)
        x[i] = i * 31 % 97 + 1;
#pragma omp target parallel map(to : x) map(from : r)
#pragma omp single
    for (int k = 0; k < 3; k++) {
#pragma omp task
        reduce(x + 100 * k, 111 + k, &r[k]);
    }
    for (int k = 0; k < 3; k++)
        printf("%d %d %d %d %d %d %u %u %u %lld %.6f %.3f %d\n", r[k].sum, r[k].product, r[k].least, r[k].most,
               r[k].all, r[k].any, r[k].bits_and, r[k].bits_or, r[k].bits_xor, (long long)r[k].big, r[k].mean,
               (double)r[k].top, r[k].minus);
    return 0;
}
