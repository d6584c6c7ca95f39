/* SPDX-License-Identifier: MIT */
/* team.h - an emulated block: lanes as threads, with real barriers, so that ThreadSanitizer finds a missing barrier
 * or a race between lanes on a machine without a GPU, and a lane that misses a barrier is named. */
#ifndef HD_TEAM_H
#define HD_TEAM_H

#include "base/base.h"
#include "heddle/task.h"

typedef struct hd_lanes hd_lanes;

/* n_lanes threads, the caller's included. NULL: out of memory or threads. */
hd_lanes *hd_lanes_new(uint32_t n_lanes);
void hd_lanes_free(hd_lanes *l);
/* Runs one body on all lanes; `lane` is copied for each, with its own index. 0, or -1 when some lane left the body
 * while another waited at a barrier: *left and *waited are then such a pair. */
int hd_lanes_run(hd_lanes *l, const heddle_body_info *body, const heddle_lane *lane, const void *app, const void *args,
                 uint32_t *left, uint32_t *waited);

#endif
