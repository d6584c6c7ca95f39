/* SPDX-License-Identifier: MIT */
/* order.h - policies: in which order tasks get the link. Pure functions: no I/O, no clock, no memory of earlier calls.
 *
 * A task is what a program will still do: copy in, compute, copy out. Daemon and tests call the one entry point; a class, and the
 * bound on overtaking, are the caller's (arbiter.h). */
#ifndef SHARE_ORDER_H
#define SHARE_ORDER_H

#include <stdint.h>

/* name, word, help */
#define SHARE_POLICIES(X)                                          \
    X(NONE, "none", "copies are made fast, and nobody waits")      \
    X(STRINGS, "strings", "calls in the order in which they came") \
    X(FIFO, "fifo", "programs in the order in which their tasks began")

#define SHARE_POLICY(name, word, help) SHARE_POLICY_##name,
typedef enum share_policy { SHARE_POLICIES(SHARE_POLICY) SHARE_N_POLICIES } share_policy;
#undef SHARE_POLICY

typedef struct share_task {
    uint64_t s_ns, p_ns, r_ns; /* copies in, kernels, copies out */
    uint64_t mem_bytes;
    uint32_t age;      /* less is earlier: of the call for `strings`, else of the task */
    uint32_t class_;   /* of wire.h */
    uint32_t is_known; /* its times are more than a guess */
} share_task;

/* How long each channel is still taken. */
typedef struct share_state {
    uint64_t s_ns, p_ns, r_ns;
} share_state;

/* order[0 .. n): indices of the tasks, the first one first. Of equals the one that stands first. 0, or -1: the policy
 * does not take so many. */
int share_order(share_policy policy, const share_task *tasks, uint32_t n, const share_state *now, uint32_t *order);

const char *share_policy_word(share_policy policy);
const char *share_policy_help(share_policy policy);
/* 0, or -1: there is no such policy. */
int share_policy_of(const char *word, share_policy *policy);

#endif
