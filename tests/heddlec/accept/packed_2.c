/* SPDX-License-Identifier: MIT */
/* construct: `#pragma pack` of 2 and more around types that tasks use, which nvcc compiles wrongly (HC174)
 * generated: the same around the types of the bodies; none around argument records
 * flags: --region=parallel
 * gpu: no */
#include <stdio.h>
#pragma pack(push, 1)
struct mark {
    char kind;
    int at;
    double value;
};
#pragma pack(pop)
typedef struct plain {
    char kind;
    struct mark mark;
    long n;
} plain;
#pragma pack(2)
typedef struct half {
    char kind;
    long n;
} half;

static long sum(struct mark m, plain *p, half h)
{
    long r = 0;
    char c = 1;
#pragma omp task shared(r) firstprivate(c, m, h)
    r = c + m.at + (long)m.value + p->n + p->mark.at + h.n + (long)(sizeof m + sizeof *p + sizeof h);
#pragma omp taskwait
    return r;
}

int main(void)
{
    struct mark m = {1, 200, 3.5};
    plain p = {2, {3, 400, 5}, 600};
    half h = {7, 8000};
    long r = 0;
#pragma omp parallel
#pragma omp single
    r = sum(m, &p, h);
    printf("%ld %zu %zu %zu\n", r, sizeof m, sizeof p, sizeof h);
    return 0;
}
