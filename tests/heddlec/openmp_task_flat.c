/* SPDX-License-Identifier: MIT */
/* openmp_task_flat.c - openmp_task.c with loops in a GPU's form. */
#define HEDDLE_OMP_FLAT
#include "openmp_task.c"
