/* SPDX-License-Identifier: MIT */
/* raw_runners.h - subjects without heddle: what the card does by itself, and libraries that do the same job as an app. Each
 * runs one kind of problem and refuses all others. */
#ifndef RAW_RUNNERS_H
#define RAW_RUNNERS_H

#include "subject.h"

extern const runner blocks_runner; /* independent empty tasks: the blocks of one launch */
extern const runner getrf_runner;  /* lu: cuSOLVER without pivoting                     */
extern const runner copy_runner;   /* sat: a copy of its input within the device        */

#endif
