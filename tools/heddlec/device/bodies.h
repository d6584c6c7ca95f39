/* SPDX-License-Identifier: MIT */
/* bodies.h - the text of task bodies, for those who want it written. */
#ifndef HEDDLEC_BODIES_H
#define HEDDLEC_BODIES_H

#include "analysis/program.h"

/* The argument record of a task as C that C++ takes, too: struct hd_NAME_args. Behind the captures of a taskloop stand, for loop k = 0, 1, ... from the outside: `T hd_low_K`, the first value of its variable
 * (T its type), int64_t hd_step_K, what is added to it (negative when it counts down), int64_t hd_n_K, its iterations; then
 * int64_t hd_lb, hd_ub, the task's iterations of the flattened space, counted from 0, and int64_t hd_last, 1 for the task
 * that has the last iteration. */
void hc_emit_record(const hc_task *t, hc_buf *out);
/* PROG.heddle.bodies.c: task bodies and what they call, compiled as C or CUDA. prog: the program's name, an identifier; head:
 * what stands before everything, NULL: nothing. */
void hc_emit_bodies(hc_program *p, const char *prog, const hc_buf *head, hc_buf *out);
/* What the tables tell the run-time library; after hc_emit_bodies. */
uint64_t hc_stack_bytes(const hc_program *p); /* of a worker, for variables that its threads share */
uint32_t hc_n_locks(const hc_program *p);     /* words for critical */
/* The tables of heddle/openmp.h, as the end of PROG.heddle.bodies.c, whose types and records they need. */
void hc_emit_tables(hc_program *p, const char *prog, hc_buf *out);

#endif
