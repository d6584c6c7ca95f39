/* SPDX-License-Identifier: MIT */
/* heddle/baselines.h - the papers' ways of distributing tasks, for comparison. Include it before heddle/task.h in a file that
 * makes a table (HEDDLE_TABLE), or compile that file with -DHEDDLE_BASELINES. The table then also has these schedules:
 *
 *     iqs          the queues of Juggler (PPoPP'18, sections 5.2, 5.3, 5.5)
 *     scheduler    one block or thread schedules for the others (DIDC'14, section 3)
 *     central      one queue under a lock (HPG'10; the baseline of DIDC'14)
 *     rings        a ready ring a worker: on a GPU, and on threads with the policies lrr, grr, lf, rr, ts, al
 *
 * Without it a table has only what heddle itself uses: static, dynamic, ticket, rings on threads with policy share, and the
 * launches of a GPU. A run that names another schedule fails with ENODEV. With it nvcc compiles four times as many
 * persistent kernels. */
#ifndef HEDDLE_BASELINES_H
#define HEDDLE_BASELINES_H

#ifdef HEDDLE_TASK_H
#error "include heddle/baselines.h before heddle/task.h"
#endif
#ifndef HEDDLE_BASELINES
#define HEDDLE_BASELINES
#endif

#endif
