/* SPDX-License-Identifier: MIT */
/* shows: a sentence from tasks in order by a token variable, taskwait for its end
 * manner: summer school's slides */
#include <stdio.h>

int main()
{
    int token = 0;
#pragma omp parallel
    {
#pragma omp single
        {
            printf("A ");
#pragma omp task depend(inout : token)
            {
                printf("race ");
            }
#pragma omp task depend(inout : token)
            {
                printf("car ");
            }
#pragma omp taskwait
            printf("is fun to watch\n");
        }
    }
    return 0;
}
