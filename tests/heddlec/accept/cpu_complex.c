/* SPDX-License-Identifier: MIT */
/* construct: complex numbers in tasks, by value, in structs and arrays, with functions of complex.h (`--backend cpu`)
 * generated: as they stand
 * flags: --region=parallel
 * gpu: no, the bodies are C */
#include <complex.h>
#include <stdio.h>

typedef double complex number;
struct wave {
    number a[2];
    float _Complex f;
};

static number power(number z, int n)
{
    number w = 1;
    for (int i = 0; i < n; i++)
        w *= z;
    return w + I;
}

int main(void)
{
    number x[4] = {1, I, 2 - I, 3}, sum = 0, *p = x;
    struct wave w = {{1, I}, 2};
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; i++) {
        number own = i + I;
#pragma omp task depend(inout : sum) firstprivate(own, w)
        {
            number q[2] = {own, 1};
            sum += power(p[i], 3) * own + w.a[1] + conjf(w.f);
            sum += q[1] * creal(own);
        }
    }
    printf("%g %g\n", creal(sum), cimag(sum));
    return 0;
}
