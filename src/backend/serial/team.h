/* SPDX-License-Identifier: MIT */
/* team.h - an emulated block: its threads are host threads with real barriers. ThreadSanitizer then finds missing barriers
 * and races without a GPU, and a thread that misses a barrier is named. */
#ifndef HD_EMULATED_H
#define HD_EMULATED_H

#include "base/base.h"
#include "heddle/task.h"

typedef struct hd_team_of_threads hd_team_of_threads;

/* Creates team_size threads, including the caller's. NULL: out of memory or threads. */
hd_team_of_threads *hd_team_of_threads_new(uint32_t team_size);
void hd_team_of_threads_free(hd_team_of_threads *l);
/* Runs one body on all threads; each gets a copy of `thread` with its own index. Returns -1 when a thread left the body while
 * another waited at a barrier, with such a pair in *left and *waited; else 0. */
int hd_team_of_threads_run(hd_team_of_threads *l, const heddle_body_info *body, const heddle_thread *thread,
                           const void *params, const void *args, uint32_t *left, uint32_t *waited);

#endif
