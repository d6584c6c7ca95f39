/* SPDX-License-Identifier: MIT */
/* work.h - a thread as a worker of one run. */
#ifndef HD_WORK_H
#define HD_WORK_H

#include "heddle/core/baselines/scheduler.h"
#include "heddle/task.h"

/* The state of a worker, on a cache line of its own; other threads read it. */
typedef struct hd_cpu_now {
    hd_now now;
    uint8_t pad[HD_LINE - sizeof(hd_now)];
} hd_cpu_now;

/* Takes part in a run as worker `id` until it is over, with `shared` as block-shared memory. scheduler: NULL, or, under
 * dispatch scheduler, the state for scheduling between tasks. Returns 1 to the last worker out, which sees what all workers
 * wrote; for the others, r is gone. */
int hd_cpu_work(const hd_run *r, const heddle_body_info *bodies, uint32_t id, void *shared, hd_cpu_now *now,
                hd_scheduler *scheduler);
/* The same for the scheduler's own thread. */
int hd_cpu_schedule(const hd_run *r, hd_scheduler *scheduler);

/* Called when a worker found nothing for the n-th time in a row. scheduler: as above. */
void hd_cpu_wait(const hd_run *r, hd_scheduler *scheduler, uint32_t n);

#endif
