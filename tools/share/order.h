/* SPDX-License-Identifier: MIT */
/* order.h - policies: in which order tasks get the link. Pure functions: no I/O, no clock, no memory of earlier calls.
 *
 * A task is what a program will still do: copy in, compute, copy out; a program has one at a time. Daemon, simulator and tests
 * call the one entry point; the bound on overtaking is the caller's (arbiter.h). A better class goes before all else. Of a
 * class the planners (dp, bf, exact) leave tasks that have a place where they are, and put those that are known behind them.
 * A task that is not known keeps its place in the order of arrival. Refused: a row of 0, or beyond what a policy takes; more
 * tasks than SHARE_MOST_TASKS. */
#ifndef SHARE_ORDER_H
#define SHARE_ORDER_H

#include <stdint.h>

/* name, word, the most rows that it takes, help. The last one is for the simulator only. */
#define SHARE_POLICIES(X)                                                                                     \
    X(NONE, "none", 64, "copies are made fast, and nobody waits")                                             \
    X(STRINGS, "strings", 64, "calls in the order in which they came")                                        \
    X(FIFO, "fifo", 64, "programs in the order in which their tasks began")                                   \
    X(DP, "dp", 16, "batches of --row tasks, each in a good order (dynamic programming, one order a subset)") \
    X(BF, "bf", 9, "batches of --row tasks, each in the best of all orders; at most 9")                       \
    X(EXACT, "exact", 16,                                                                                     \
      "the best order of the --row tasks that compete; planned anew when a task comes or a program leaves")   \
    X(DP_PRINTED, "dp-printed", 16, "as dp, with the costs that the thesis prints; for replay only")

#define SHARE_POLICY(name, word, most, help) SHARE_POLICY_##name,
typedef enum share_policy { SHARE_POLICIES(SHARE_POLICY) SHARE_N_POLICIES } share_policy;
#undef SHARE_POLICY

enum { SHARE_MOST_ROW = 16, SHARE_MOST_TASKS = 128, SHARE_SLACK_PERCENT = 2 };

typedef struct share_task {
    uint64_t s_ns, p_ns, r_ns; /* copies in, kernels, copies out: what is left of them */
    uint64_t mem_bytes;        /* for dp and bf: GPU memory that it needs */
    uint32_t age;              /* less is earlier: of the call for `strings`, else of the task */
    uint32_t place;            /* not 0: it has begun, or was put into a batch; less is earlier */
    uint32_t class_;           /* less is better */
    uint32_t is_known;         /* its times are more than a guess */
} share_task;

typedef struct share_state {
    uint64_t s_ns, p_ns, r_ns; /* how long each channel is still taken */
    uint64_t mem_bytes;        /* of the GPU; 0: dp and bf take no care of it */
    uint32_t row;              /* tasks that are planned together */
    uint32_t slack_percent;    /* exact: orders that end so much later are as good; of them the one of least mean end */
} share_state;

/* order[0 .. n): indices of the tasks, the first one first. Of equals the one that stands first. 0, or -1: refused, or
 * there is no memory; nothing was written then that counts. */
int share_order(share_policy policy, const share_task *tasks, uint32_t n, const share_state *now, uint32_t *order);

/* As share_order, for those who serve tasks as they come. dp and bf give places to the next batch when the last one has been copied
 * in, or as soon as there is a whole one; they plan nobody else. *places: the last place given. Under the other policies a
 * task gets its place from the caller, when it begins. */
int share_rank(share_policy policy, share_task *tasks, uint32_t n, const share_state *now, uint32_t *places,
               uint32_t *order);
int share_policy_is_batch(share_policy policy);
const char *share_policy_word(share_policy policy);
const char *share_policy_help(share_policy policy);
uint32_t share_policy_most_row(share_policy policy);
/* 0, or -1: there is no such policy. */
int share_policy_of(const char *word, share_policy *policy);

/* Where tasks in this order end: the flow shop of three channels, each of which serves them in this order. A task passes
 * a channel that it does not need. Returns the last end; *sum: of the ends of all. */
uint64_t share_ends(const share_task *tasks, const uint32_t *order, uint32_t n, const share_state *now, uint64_t *sum);

#endif
