/* SPDX-License-Identifier: MIT */
/* data.c - mapped memory on CPU threads with tasks that see copies, as on a GPU. */
#include "openmp/data_cases.h"

#include "openmp/context.h"

int main(void)
{
    hd_omp_copies_everywhere = 1;
    program.backend = HEDDLE_CPU;
    data_cases();
    return 0;
}
