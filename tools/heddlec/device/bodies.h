/* SPDX-License-Identifier: MIT */
/* bodies.h - emits the text of task bodies. */
#ifndef HEDDLEC_BODIES_H
#define HEDDLEC_BODIES_H

#include "analysis/program.h"

/* The argument record of a task, in the common part of C and C++: struct hd_<task>_args. For a taskloop these fields
 * follow the captures. Per loop k = 0, 1, ... from the outside: `T hd_low_<k>`, its variable's first value (T its
 * type), int64_t hd_step_<k>, its increment (negative when it counts down), int64_t hd_n_<k>, its iterations. Then
 * int64_t hd_lb, hd_ub, the task's iterations of the flattened space, counted from 0, and int64_t hd_last, 1 for the
 * task with the last iteration. */
void hc_emit_record(const hc_task *t, hc_buf *out);
/* PROG.heddle.bodies.c: task bodies and what they call, compiled as C or CUDA. prog: the program's name, an identifier;
 * head: text before everything else, NULL: none. */
void hc_emit_bodies(hc_program *p, const char *prog, const hc_buf *head, hc_buf *out);
/* For the tables; valid after hc_emit_bodies. */
uint64_t hc_stack_bytes(const hc_program *p); /* of a worker, for variables that its threads share */
uint32_t hc_n_locks(const hc_program *p);     /* words for critical */
/* The tables of heddle/openmp.h, at the end of PROG.heddle.bodies.c, as they need its types and records. */
void hc_emit_tables(hc_program *p, const char *prog, hc_buf *out);

#endif
