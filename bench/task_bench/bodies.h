/* SPDX-License-Identifier: MIT */
/* bodies.h - Task Bench's task as a body of heddle: a team checks its inputs, writes its output and runs the kernel. A
 * wrong input ends the run with EBODY and the step as code. */
#ifndef TASK_BENCH_BODIES_H
#define TASK_BENCH_BODIES_H

#include "heddle/task.h"
#include "point.h"

typedef struct tb_args {
    uint32_t step, point;
} tb_args;

#define TASK_BENCH_BODIES(X) X(tb_task, 0)
HEDDLE_ENUM(task_bench, TASK_BENCH_BODIES)
HEDDLE_DECLARE(task_bench)

#endif
