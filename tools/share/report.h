/* SPDX-License-Identifier: MIT */
/* report.h - the daemon's state for `heddle share status`: as JSON, or as lines for people. */
#ifndef SHARE_REPORT_H
#define SHARE_REPORT_H

#include "idle.h"
#include "memory.h"
#include "peer.h"

typedef struct share_card {
    uint8_t uuid[16];
    uint64_t memory_bytes;
    uint64_t computed_ns; /* a program that is gone may have had kernels on it until then */
} share_card;

typedef struct share_report_input {
    const share_card *cards;
    uint32_t n_cards;
    const share_arbiter *arbiter;
    const share_memory *memory;
    const share_idle *idle;
    share_peer *const *peer_of; /* by client; NULL: none */
    uint64_t begin_ns, now_ns;
    const char *unseen;         /* the last program that used CUDA unseen, or empty */
    uint32_t n_unseen, n_known; /* n_known: tasks in the history */
    const char *mps;            /* its folder; empty: programs run without */
} share_report_input;
/* To be freed; NULL: no memory. */
char *share_report(const share_report_input *in, int is_json);

/* What a program does that has a channel, or waits for it. */
extern const char *const share_work_words[SHARE_N_CHANNELS], *const share_wait_words[SHARE_N_CHANNELS];

#endif
