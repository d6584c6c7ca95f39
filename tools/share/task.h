/* SPDX-License-Identifier: MIT */
/* task.h - the tasks of this process: copies in, then kernels, then copies out. A call against that order begins the next one, and so
 * does what follows a synchronise. What a task with large copies did is told to the daemon, which remembers it for later runs.
 *
 * How long its kernels took is seen where the program waits for them. With asynchronous copies it is not seen. */
#ifndef SHARE_TASK_H
#define SHARE_TASK_H

#include <stdint.h>

/* A large copy begins; gpu: the client's number, or -1. */
void share_task_copy(int gpu, int way, uint64_t n_bytes, int is_async);
/* It has ended, and took so long. */
void share_task_copied(int way, uint64_t ns);
/* Costs a load and an addition when the task computes already. */
void share_task_launch(void);
/* All kernels of the task have ended. */
void share_task_computed(void);
/* The program has waited for the GPU. */
void share_task_synchronised(void);

#endif
