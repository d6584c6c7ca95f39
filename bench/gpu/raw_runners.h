/* SPDX-License-Identifier: MIT */
/* raw_runners.h - subjects without heddle: the bare card, and libraries for an app's job. Each runs one kind of problem
 * and refuses all others. */
#ifndef RAW_RUNNERS_H
#define RAW_RUNNERS_H

#include "subject.h"

extern const runner blocks_runner; /* independent empty tasks: the blocks of one launch */
extern const runner getrf_runner;  /* lu: cuSOLVER without pivoting                     */
extern const runner copy_runner;   /* sat: a copy of its input within the device        */

#endif
