/* SPDX-License-Identifier: MIT */
/* bodies.c - implements bodies.h. */
#include "bodies.h"

HEDDLE_BODY(tb_task, tb_params, params, tb_args, t)
{
    if (tb_execute(params, t->step, t->point, thread->index, thread->team_size))
        heddle_task_fail(thread, t->step);
}

HEDDLE_TABLE(task_bench, tb_params, TASK_BENCH_BODIES)
