/* SPDX-License-Identifier: MIT */
/* arbiter.h - turns on the directions of links, and on GPUs: a state machine without I/O and without a clock. Events go in with their
 * time; decisions come out, in order, and are the caller's to carry out.
 *
 * Promised: a direction has at most one holder, a GPU holders of one client; it has one while anybody waits for it; of the tasks that came later at most `row`
 * begin while one waits, and after `patience_ns` none; a class goes before the policy's rank; what a
 * client had is free when it leaves. A holder that shows no progress loses its turn.
 *
 * A task's kernels may be behind several gates, one a stream. They hold the GPU together, with those of earlier tasks of their program:
 * kernels of one could else wait for those of another, which would wait for the GPU.
 *
 * Ranks are the policy's. They are asked for anew when a task comes, its program leaves, or copies take other times than expected; what is left of a best order when its
 * first task has begun is a best order still. Where more tasks wait than `exact` plans together, one that begins makes room for another: the next
 * tick asks, and share_arbiter_next says that it is due at once. */
#ifndef SHARE_ARBITER_H
#define SHARE_ARBITER_H

#include "estimate.h"
#include "order.h"
#include "wire.h"

enum { SHARE_MOST_CLIENTS = 128, SHARE_MOST_LINKS = 16, SHARE_MOST_ASKS = 2048, SHARE_MOST_DECISIONS = 8192 };
#define SHARE_NEVER UINT64_MAX
#define SHARE_NO_RANK UINT32_MAX

typedef struct share_rules {
    share_policy policy;
    uint32_t row; /* at least 1 */
    uint64_t patience_ns;
    int orders_kernels; /* a GPU is a channel of its own */
} share_rules;

typedef enum share_decided {
    SHARE_TO_ASK,  /* others use this GPU, too: copies are to ask, or (way SHARE_KERNELS) kernels */
    SHARE_TO_PASS, /* they need not */
    SHARE_TO_DECK, /* next in line */
    SHARE_TO_GO,   /* a turn, or a gate, is granted */
    SHARE_TO_YIELD /* after the piece at hand the turn is over; of kernels, after those that were launched */
} share_decided;

typedef struct share_decision {
    share_decided what;
    uint32_t client, link, way, seq;
    int slot; /* of a gate; -1: a turn */
} share_decision;

/* What the task of an ask will do in all. */
typedef struct share_expected {
    uint64_t in_bytes, out_bytes, p_ns;
    uint32_t is_known;  /* 0: nothing is; of each way only the copy at hand counts */
    uint64_t mem_bytes; /* that its program needs of the GPU */
} share_expected;

typedef enum share_ask_state { SHARE_FAR, SHARE_WAITS, SHARE_HOLDS } share_ask_state;
/* One copy that wants a direction, or kernels that want the GPU. */
typedef struct share_ask {
    uint32_t client, link, way, seq, call; /* way: a channel */
    int slot;                              /* of a gate; -1: a turn */
    share_ask_state state;                 /* FAR: a gate that its stream has not come to */
    uint64_t n_bytes;
    share_expected expected; /* looked at when the task is new */
    uint64_t arrived;        /* its place in the order of arrival */
    uint64_t since_ns;       /* it waits, or holds, since then */
    uint32_t n_overtaken;    /* so many later tasks began while it waited */
    uint32_t call_age, task_age;
    int is_on_deck, is_yielding, is_late;
    uint32_t yields_age; /* of the last call when it was told so */
    uint64_t lease_ns;   /* until then it must have moved */
    uint32_t beat;
} share_ask;

typedef struct share_arbiter {
    share_rules rules;
    struct {
        int is_here;
        uint32_t class_, uses;   /* uses: bit set of links */
        uint32_t task, task_age; /* age 0: it has none yet */
        share_expected expected; /* of the task */
        uint32_t link, place;    /* where the task began, and as which one; place 0: not yet */
        int has_begun;           /* a turn was granted to the task */
        int has_computed;        /* one on the GPU */
        uint64_t computed_ns;    /* so long had it the GPU */
        uint64_t copied[SHARE_N_WAYS], moved_ns;
        uint32_t last_call[SHARE_N_CHANNELS], last_call_age[SHARE_N_CHANNELS];
    } clients[SHARE_MOST_CLIENTS];
    struct {
        share_line turns, gates; /* how long copies take, by bytes */
        double ranked_ns;        /* so long would a part take when ranks were last asked for */
        uint64_t since_ns;       /* its holder's time was counted up to here */
        uint64_t busy_ns, n_turns, n_lost, n_bytes;
    } links[SHARE_MOST_LINKS][SHARE_N_CHANNELS];
    uint64_t mem_bytes[SHARE_MOST_LINKS]; /* of the GPUs */
    share_ask asks[SHARE_MOST_ASKS];      /* in the order of arrival */
    uint32_t n_asks, age, places;
    uint32_t rank[SHARE_MOST_LINKS][SHARE_MOST_CLIENTS]; /* SHARE_NO_RANK: not asked for yet */
    uint32_t is_stale;   /* bit set of links: ranks are asked for before they are used */
    uint32_t is_crowded; /* bit set of links: when they were last asked for, the window of `exact` left tasks out */
    uint64_t n_arrived;
    share_decision decisions[SHARE_MOST_DECISIONS];
    uint32_t n_decisions;
} share_arbiter;

void share_arbiter_init(share_arbiter *a, const share_rules *rules);
/* A number, or -1: there are too many. */
int share_arbiter_join(share_arbiter *a, uint32_t class_);
void share_arbiter_leave(share_arbiter *a, uint32_t client, uint64_t now_ns);
/* A link's GPU has so much memory. Until it is said, dp and bf take no care of it. */
void share_arbiter_gpu(share_arbiter *a, uint32_t link, uint64_t mem_bytes);
/* From now on the client uses this link. */
void share_arbiter_use(share_arbiter *a, uint32_t client, uint32_t link);
/* A turn, which waits at once, or (slot >= 0) a gate, which does once share_arbiter_arrive says so. Too many: it is granted
 * and not counted. */
void share_arbiter_ask(share_arbiter *a, const share_ask *ask, uint32_t task, uint64_t now_ns);
void share_arbiter_arrive(share_arbiter *a, uint32_t client, uint32_t seq, uint64_t now_ns);
/* Nothing when it is not known (any more). */
void share_arbiter_end(share_arbiter *a, uint32_t client, uint32_t seq, uint64_t n_bytes, uint64_t now_ns);
/* The holder's count of pieces; another one than before renews its lease. */
void share_arbiter_beat(share_arbiter *a, uint32_t link, uint32_t way, uint32_t beat, uint64_t now_ns);
/* Kernels of this ask have ended: its lease is renewed. */
void share_arbiter_moved(share_arbiter *a, uint32_t client, uint32_t seq, uint64_t now_ns);
/* Time has passed: leases, patience. */
void share_arbiter_tick(share_arbiter *a, uint64_t now_ns);
/* When to call it next. */
uint64_t share_arbiter_next(const share_arbiter *a);
/* An ask that is not over, or NULL. */
const share_ask *share_arbiter_find(const share_arbiter *a, uint32_t client, uint32_t seq);
/* How many a client has. */
uint32_t share_arbiter_count(const share_arbiter *a, uint32_t client);
/* How long so many bytes of this ask will take. */
uint64_t share_arbiter_estimate(const share_arbiter *a, const share_ask *ask, uint64_t n_bytes);
/* Whether anybody waits for a channel. */
int share_arbiter_is_wanted(const share_arbiter *a, uint32_t link, uint32_t way);
/* The ask that holds a channel (of a GPU the first one), or NULL. */
const share_ask *share_arbiter_holder(const share_arbiter *a, uint32_t link, uint32_t way);

#endif
