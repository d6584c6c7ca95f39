/* SPDX-License-Identifier: MIT */
/* work.h - a thread as a worker of one run. */
#ifndef HD_WORK_H
#define HD_WORK_H

#include "heddle/core/baselines/scheduler.h"
#include "heddle/task.h"

/* What a worker is about, on a line of its own; other threads read task and what it waits for. */
typedef struct hd_cpu_now {
    hd_now now;
    uint8_t pad[HD_LINE - sizeof(hd_now)];
} hd_cpu_now;

/* Takes part in the run of dispatch r->dispatch as worker `id` until it is over, with `shared` as block-shared memory.
 * scheduler: NULL, or, dispatch scheduler, what this worker is between its tasks.
 * 1: it was the last one out. Then it sees what all workers wrote; to the others r is gone. */
int hd_cpu_work(const hd_run *r, const heddle_body_info *bodies, uint32_t id, void *shared, hd_cpu_now *now,
                hd_scheduler *scheduler);
/* Takes part as the scheduler. As above. */
int hd_cpu_schedule(const hd_run *r, hd_scheduler *scheduler);

/* A worker has found nothing for the n-th time in a row. scheduler: as above. */
void hd_cpu_wait(const hd_run *r, hd_scheduler *scheduler, uint32_t n);

#endif
