/* SPDX-License-Identifier: MIT */
/* construct: pragmas from macros (`_Pragma`), macros inside clauses
 * generated: the text is preprocessed first */
#include <stdio.h>

#define STR(x) #x
#define PRAGMA(x) _Pragma(STR(x))
#define TASK(i) PRAGMA(omp task depend(inout : BLOCK(i)) firstprivate(i))
#define BLOCK(i) data [(i)*W:W]
#define DEPENDS(i) depend(in : BLOCK(i)) depend(inout : sum)
#define W 8
#define EACH(i, n) for (int i = 0; i < (n); i++)

static int data[5 * W], sum;

int main(void)
{
#pragma omp target parallel map(tofrom : data, sum)
#pragma omp single
    EACH(i, 5)
    {
        TASK(i)
        EACH(k, W)
        data[i * W + k] = i * k;
#pragma omp task DEPENDS(i)
        EACH(k, W)
        sum += data[i * W + k];
    }
    printf("%d\n", sum);
    return 0;
}
