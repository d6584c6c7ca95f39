/* SPDX-License-Identifier: MIT */
/* construct: tasks that write one shared variable in any order: a warning
 * generated: as written; a variable declared in the loop, an atomic, a dependence and a wait are no reason for it
 * flags: --region=parallel
 * warns: HC212
 * tsan: no */
#include <stdio.h>

int main(void)
{
    int x[8], col = 0, sum = 0, last = 0, kept = 0, once = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 8; i++) {
            int own = i;
#pragma omp task shared(x, own, col) firstprivate(i)
            {
                col = 7; /* said */
                x[i] = own = i;
            }
#pragma omp task shared(sum)
#pragma omp atomic
            sum += 2;
#pragma omp task shared(last) depend(inout : last) firstprivate(i)
            last = i;
        }
        for (int i = 0; i < 8; i++) {
#pragma omp task shared(kept)
            kept++;
#pragma omp taskwait
        }
#pragma omp taskloop shared(once)
        for (int i = 0; i < 4; i++)
            once = 3; /* said */
    }
    printf("%d %d %d %d %d %d\n", x[7], col, sum, last, kept, once);
    return 0;
}
