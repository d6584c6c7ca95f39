/* SPDX-License-Identifier: MIT */
/* task.h - the tasks of this process: copies in, then kernels, then copies out. A call against that order begins the next one, and so
 * does what follows a synchronise. What a task with large copies did is told to the daemon, which remembers it for later runs.
 *
 * How long its kernels took is seen where the program waits for them. With asynchronous copies it is not seen, unless kernels are timed
 * one by one (launch.h). */
#ifndef SHARE_TASK_H
#define SHARE_TASK_H

#include "abi.h"

#include <stdint.h>

/* A large copy begins; gpu: the client's number, or -1. */
void share_task_copy(int gpu, int way, uint64_t n_bytes, int is_async);
/* It has ended, and took so long. */
void share_task_copied(int way, uint64_t ns);
/* A copy in of the task returned before it was made: how long kernels behind it take is not seen until share_task_landed says that the
 * last such copy has ended, and when it had not yet (0: nobody looked). */
void share_task_ahead(void);
void share_task_landed(uint64_t last_ns);
/* +1: a capture begins; -1: one has ended. Whether any is under way: launches meanwhile may be captured, and count as no kernels that run. */
void share_task_capture(int more);
int share_task_captures(void);
/* Into this stream. Costs two loads and an addition when the task computes in it already. */
void share_task_launch(CUstream s);
/* A kernel that was timed took so long. */
void share_task_kernel(uint64_t ns);
/* All kernels of the task have ended. */
void share_task_computed(void);
/* The program has waited for the GPU, for whatever of it. */
void share_task_synchronised(void);
/* All that this stream had has ended, or (NULL) all streams had. is_joined: an event behind it came, which comes behind all that CUDA orders
 * before. The program computes no more when that was all it launched: into one stream, or it is waited for all. */
void share_task_waited(CUstream s, int is_joined);

#endif
