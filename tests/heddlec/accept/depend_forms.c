/* SPDX-License-Identifier: MIT */
/* construct: `depend` on `*p`, `s.f`, `p->f`, a whole array, `a[l:]`, `a[:n]`, `a[:]`, several clauses and lists
 * generated: a range of the lvalue's or section's bytes
 * gcc: no, it compares first bytes only, and `a[8:]` lies in `a` */
#include <stdio.h>

struct cell {
    int key;
    double value[4];
};

int main(void)
{
    int one = 1, *p = &one;
    int a[16] = {0};
    struct cell s = {1, {1, 2, 3, 4}}, *q = &s;
    double r = 0;
#pragma omp target parallel map(tofrom : one, a, s, r)
#pragma omp single
    {
#pragma omp task shared(one) depend(out : *p)
        one = 4;
#pragma omp task shared(one, s) depend(in : *p) depend(out : s.key)
        s.key = one * 2;
#pragma omp task shared(s) depend(in : q->key) depend(inout : s.value)
        s.value[1] = s.key + s.value[2];
#pragma omp task depend(out : a)
        for (int i = 0; i < 16; i++)
            a[i] = i;
#pragma omp task depend(inout : a [8:])
        for (int i = 8; i < 16; i++)
            a[i] *= 2;
#pragma omp task depend(inout : a[:8])
        for (int i = 0; i < 8; i++)
            a[i] += 100;
#pragma omp task shared(r, s) depend(in : a[:], s.value) depend(inout : r)
        for (int i = 0; i < 16; i++)
            r += a[i] * s.value[i % 4];
    }
    printf("%d %d %g %g\n", one, s.key, s.value[1], r);
    return 0;
}
