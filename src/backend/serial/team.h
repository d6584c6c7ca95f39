/* SPDX-License-Identifier: MIT */
/* team.h - an emulated block: threads as threads, with real barriers, so that ThreadSanitizer finds a missing barrier
 * or a race between threads on a machine without a GPU, and a thread that misses a barrier is named. */
#ifndef HD_EMULATED_H
#define HD_EMULATED_H

#include "base/base.h"
#include "heddle/task.h"

typedef struct hd_team_of_threads hd_team_of_threads;

/* team_size threads, the caller's included. NULL: out of memory or threads. */
hd_team_of_threads *hd_team_of_threads_new(uint32_t team_size);
void hd_team_of_threads_free(hd_team_of_threads *l);
/* Runs one body on all threads; `thread` is copied for each, with its own index. 0, or -1 when some thread left the body
 * while another waited at a barrier: *left and *waited are then such a pair. */
int hd_team_of_threads_run(hd_team_of_threads *l, const heddle_body_info *body, const heddle_thread *thread,
                           const void *params, const void *args, uint32_t *left, uint32_t *waited);

#endif
