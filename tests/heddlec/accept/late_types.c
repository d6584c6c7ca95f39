/* SPDX-License-Identifier: MIT */
/* construct: tasks whose values have types that are declared behind other functions with tasks; `sleep`, `exit` in a task
 * generated: each record stands before the function that creates the task; sleeping is waiting
 * flags: --region=parallel */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int early(int x)
{
    int y = 0;
#pragma omp task firstprivate(x) shared(y)
    {
        usleep(1000);
        y = x + 1;
    }
#pragma omp taskwait
    return y;
}

typedef struct late {
    int a;
    double b[3];
} late;
enum kind { FIRST, SECOND };

static double sum_of(late l, enum kind k)
{
    double sum = 0;
#pragma omp task shared(sum) firstprivate(l, k)
    {
        if (l.a < 0)
            exit(3);
        sum = l.a + l.b[2] + k;
    }
#pragma omp taskwait
    return sum;
}

int main(void)
{
    late l = {3, {1, 2, 3}};
    printf("%d %g\n", early(2), sum_of(l, FIRST));
#pragma omp parallel
#pragma omp single
    printf("%d %g\n", early(4), sum_of(l, SECOND));
    return 0;
}
