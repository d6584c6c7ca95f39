/* SPDX-License-Identifier: MIT */
/* replay.h - what would have been under another policy: a simulation of programs on one GPU with three channels.
 *
 * Programs arrive at once, in an order; each makes its calls one after the other. A channel that is free serves the waiting call
 * of the best rank to its end; under `none` all calls on a channel share it. Ranks come from share_order, which sees what is
 * left of each task, true or wrong, and nothing of memory: loads have none. As in the daemon, a task that was overtaken `row` times goes first. */
#ifndef SHARE_REPLAY_H
#define SHARE_REPLAY_H

#include "load.h"

typedef struct share_replay_how {
    share_policy policy;
    uint32_t row, slack_percent;
    double wrong;   /* estimates are wrong by a log-normal factor of this sigma; 0: right */
    uint64_t seed;  /* of the order of arrival, and of what is wrong */
    int is_unknown; /* nothing is known of any program */
    /* NULL, or called for each call that has ended. */
    void (*see)(void *seer, uint32_t program, share_channel channel, double begin_ns, double end_ns);
    void *seer;
} share_replay_how;

typedef struct share_replay_result {
    double makespan_ns, mean_end_ns;
    double idle_ns[SHARE_N_CHANNELS]; /* between the first and the last call on it */
    double planning_ns;               /* in share_order */
    uint64_t n_plans, most_overtaken;
} share_replay_result;

/* 0, or -1: the policy refuses the row, or there is no memory. */
int share_replay(const share_load *load, const share_replay_how *how, share_replay_result *result);
/* *least: when the last program ends in the best order if each were one task: no order of programs does better; 0: there
 * are more than SHARE_MOST_ROW programs. 0, or -1: there is no memory. */
int share_replay_least(const share_load *load, uint64_t *least);

#endif
