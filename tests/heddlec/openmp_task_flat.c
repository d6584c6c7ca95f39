/* SPDX-License-Identifier: MIT */
/* openmp_task_flat.c - openmp_task.c with loops in the form that a GPU has. */
#define HEDDLE_OMP_FLAT
#include "openmp_task.c"
