/* SPDX-License-Identifier: MIT */
/* launch.h - times each kernel of a program, for `heddle share profile` (HEDDLE_SHARE_TIMED=1). Launches then wait for their kernels,
 * so the program runs otherwise than else, and a time has some microseconds too many. Launches inside captures are not timed. */
#ifndef SHARE_LAUNCH_H
#define SHARE_LAUNCH_H

#include "driver.h"

#include <stdio.h>

extern int share_launch_is_timed;
/* Before a launch: all that the stream holds has ended. 0: it is not timed. */
uint64_t share_launch_begin(const share_driver *real, CUstream s);
/* Behind it: how long it took, or 0. */
uint64_t share_launch_end(const share_driver *real, CUfunction f, uint64_t n_blocks, uint32_t block_threads, CUstream s,
                          uint64_t begin_ns);
/* A list in JSON of kernels by name, block and grid. */
void share_launch_print(FILE *out);

#endif
