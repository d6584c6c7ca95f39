/* SPDX-License-Identifier: MIT */
/* graphs.c - the cases of the model test, chosen for contention.
 *
 * Bounds are set for a second or two per case; HEDDLE_MODEL_DEEPER adds to them. */
#include "graphs.h"
#include "heddle/core/policy.h"

#define LRR HD_POLICY_LRR
#define GRR HD_POLICY_GRR
#define LF HD_POLICY_LF
#define SHARE HD_POLICY_SHARE
#define RR HD_POLICY_RR
#define TS HD_POLICY_TS
#define AL HD_POLICY_AL

#define TICKET .dispatch = HD_DISPATCH_TICKET
#define PLAN .dispatch = HD_DISPATCH_PLAN, .lists
#define IQS .dispatch = HD_DISPATCH_IQS
#define CENTRAL .dispatch = HD_DISPATCH_CENTRAL
#define SCHED .dispatch = HD_DISPATCH_SCHEDULER

#define CHAIN "0>1 1>2"
#define DIAMOND "0>1 0>2 1>3 2>3" /* two workers count the end */
#define CROSS "0>2 0>3 1>4 1>5"   /* two roots, each with two successors: two push into one ring at once */
#define WEAVE "0>2 1>2 0>3 1>3"   /* two roots; both count two ends */
#define JOIN3 "0>3 1>3 2>3"       /* many to one                                                         */
#define FAN "0>1 0>2 0>3 0>4"     /* one task frees four at once */
#define WIDE "0>1 0>2 0>3 0>4 0>5 0>6 0>7 0>8 0>9 0>10 0>11 0>12 0>13 0>14 0>15 0>16 0>17 0>18"
#define THREE "0>3 1>3 1>4 2>4 0>5 2>5" /* three roots, three ends, each pair of roots frees one            */

/* Each row names one of the later members: otherwise compilers warn of missing initializers. */
/* clang-format off */
const graph_case graph_cases[] = {
    /* name, edges, tasks, workers, slots, policy, bounds */
    {"chain.lf",        CHAIN,     3, 2, 2, LF,    4, 3, 2, .n_lanes = 1},
    {"diamond.lrr",     DIAMOND,   4, 2, 2, LRR,   3, 2, 2, .n_lanes = 1},
    {"diamond.grr",     DIAMOND,   4, 2, 2, GRR,   3, 2, 2, .n_lanes = 1},
    {"diamond.lf",      DIAMOND,   4, 2, 2, LF,    3, 2, 2, .n_lanes = 1},
    {"cross.lrr",       CROSS,     6, 2, 4, LRR,   3, 2, 2, .n_lanes = 1},
    {"cross.grr",       CROSS,     6, 2, 4, GRR,   3, 2, 2, .n_lanes = 1},
    {"cross.lf",        CROSS,     6, 2, 4, LF,    3, 2, 2, .n_lanes = 1},
    {"weave.lrr",       WEAVE,     4, 2, 2, LRR,   3, 2, 2, .n_lanes = 1},
    {"weave.grr",       WEAVE,     4, 2, 2, GRR,   3, 2, 2, .n_lanes = 1},
    {"weave.lf",        WEAVE,     4, 2, 2, LF,    3, 2, 2, .n_lanes = 1},
    {"empty",           "",        0, 2, 2, LRR,   4, 3, 2, .n_runs = 2},
    {"chain.alone",     CHAIN,     3, 1, 1, LRR,   0, 0, 0, .order = "0 1 2", .fits = 1},
    /* Full rings: tasks go to the next worker's ring, then into the worker's own list. */
    {"full.one",        FAN,       5, 2, 1, LRR,   3, 2, 2, .n_lanes = 1},
    {"full.cross",      CROSS,     6, 2, 1, GRR,   3, 2, 2, .n_lanes = 1},
    {"full.two",        "0>2 0>3 0>4 1>5 1>6 1>7",  8, 2, 2, LRR,   3, 2, 2, .n_lanes = 1},
    {"full.lf",         "0>2 0>3 0>4 1>5 1>6 1>7",  8, 2, 1, LF,    3, 2, 2, .n_lanes = 1},
    {"full.quarter",    WIDE,     19, 2, 8, LRR,   2, 1, 1, .n_lanes = 1}, /* heads published late          */
    {"list.alone",      FAN,       5, 1, 1, LRR,   0, 0, 0, .order = "0 1 4 3 2"},
    /* Urgent tasks and joins. */
    {"urgent.alone",    "0>1 0>2 0>3",  4, 1, 4, LRR,   0, 0, 0, .urgent = 1u << 2, .order = "0 2 1 3"},
    {"urgent.alone.lf", "0>1 0>2 0>3",  4, 1, 4, LF,    0, 0, 0, .urgent = 1u << 2, .order = "0 2 1 3"},
    {"urgent.weave",    WEAVE,     4, 2, 2, LRR,   3, 2, 2, .urgent = 1u << 2},
    {"urgent.lf",       CROSS,     6, 2, 2, LF,    3, 2, 2, .urgent = 1u << 3 | 1u << 4},
    {"join",            "0>2 1>2 2>3 2>4",  5, 2, 2, LRR,   3, 2, 2, .joins = 1u << 2},
    {"join.lf",         "0>2 1>2 2>3 2>4",  5, 2, 2, LF,    3, 2, 2, .joins = 1u << 2},
    /* Cursors, counters and run numbers wrap; one run follows another. */
    {"wrap.ring",       CROSS,     6, 2, 2, GRR,   2, 1, 1, .ring_at = 0x7ffffffe},
    {"wrap.count",      WEAVE,     4, 2, 2, LRR,   2, 1, 1, .n_runs = 2, .first_run = 0x7fffffff},
    {"wrap.count3",     JOIN3,     4, 2, 2, LF,    2, 1, 1, .n_runs = 2, .first_run = 0x55555555},
    {"wrap.run",        DIAMOND,   4, 2, 2, LF,    2, 1, 1, .n_runs = 3, .first_run = 0xffffffff},
    {"again.lrr",       CHAIN,     3, 2, 1, LRR,   3, 2, 1, .n_runs = 2},
    {"again.lf",        DIAMOND,   4, 2, 2, LF,    3, 2, 1, .n_runs = 2},
    {"again.parks",     CHAIN,     3, 2, 2, LRR,   3, 2, 1, .n_runs = 2, .parks = 1},
    /* Threads: a push, the end, a failure or a cancel wakes parked workers. */
    {"parks.chain",     CHAIN,     3, 2, 2, LRR,   3, 2, 2, .parks = 1},
    {"parks.alone",     "",        1, 2, 2, LRR,   4, 3, 2, .parks = 1},
    {"parks.diamond",   DIAMOND,   4, 2, 2, LRR,   3, 2, 2, .parks = 1},
    {"parks.lf",        DIAMOND,   4, 2, 2, LF,    3, 2, 2, .parks = 1},
    {"parks.urgent",    "0>1 0>2",  3, 2, 2, LRR,   3, 2, 2, .parks = 1, .urgent = 1u << 2},
    {"parks.full",      FAN,       5, 2, 1, LRR,   3, 2, 2, .parks = 1},
    /* Tasks go to workers that ask. */
    {"share.fan",       FAN,       5, 2, 4, SHARE, 3, 2, 2, .n_lanes = 1},
    {"share.cross",     CROSS,     6, 2, 2, SHARE, 3, 2, 2, .n_lanes = 1},
    {"share.weave",     WEAVE,     4, 2, 2, SHARE, 3, 2, 2, .n_lanes = 1},
    {"share.full",      "0>2 0>3 0>4 1>2 1>3 1>4",  5, 2, 1, SHARE, 2, 2, 1, .n_lanes = 1},
    {"share.again",     DIAMOND,   4, 2, 2, SHARE, 2, 1, 1, .n_runs = 2},
    {"share.parks",     FAN,       5, 2, 2, SHARE, 3, 2, 1, .parks = 1},
    {"share.cancel",    FAN,       5, 2, 2, SHARE, 2, 1, 1, .parks = 1, .cancels = 1},
    {"share.three",     FAN,       5, 3, 2, SHARE, 1, 1, 1, .n_lanes = 1},
    {"share.lanes",     "0>2 0>3 0>4 1>2 1>3 1>4",  5, 2, 1, SHARE, 1, 1, 1, .n_lanes = 2},
    /* Policies that search the queues. */
    {"rr.full",         FAN,       5, 2, 1, RR,    3, 2, 2, .n_lanes = 1},
    {"rr.three",        FAN,       5, 3, 1, RR,    2, 1, 1, .n_lanes = 1},
    {"ts.fan",          FAN,       5, 2, 4, TS,    3, 2, 1, .n_lanes = 1},
    {"ts.weave",        WEAVE,     4, 2, 2, TS,    3, 2, 1, .n_lanes = 1},
    {"ts.full",         FAN,       5, 2, 1, TS,    3, 2, 1, .parks = 1},
    {"ts.lanes",        FAN,       5, 2, 4, TS, 1, 1, 1, .n_lanes = 2},
    {"ts.placed",       CROSS,     6, 2, 8, TS,    2, 1, 1, .places = "2:0 3:1 4:0 5:1"},
    {"al.fan",          FAN,       5, 2, 4, AL,    3, 2, 1, .n_lanes = 1},
    {"al.cross",        CROSS,     6, 2, 2, AL,    2, 1, 1, .parks = 1},
    {"al.lanes",        FAN,       5, 2, 4, AL, 1, 1, 1, .n_lanes = 2},
    {"al.three",        THREE,     6, 3, 4, AL,    1, 1, 1, .n_lanes = 1},
    {"iqs.ts",          CROSS,     6, 2, 8, TS,    2, 1, 1, IQS},
    {"iqs.al",          CROSS,     6, 2, 8, AL,    2, 1, 1, IQS},
    {"iqs.ts.lanes",    FAN,       5, 2, 8, TS,    2, 1, 1, IQS, .n_lanes = 2},
    /* The kept task does not keep the ring waiting: 2 and its successors are kept, 3 is in the ring. */
    {"local.many",      "0>1 0>2 1>3 3>4",  5, 1, 4, LF,    0, 0, 0, .order = "0 1 3 4 2"},
    {"local.one",       "0>1 0>2 1>3 3>4",  5, 1, 4, LF,    0, 0, 0, .n_local = 1, .order = "0 1 2 3 4"},
    /* Runs that stop before their end. */
    {"fails",           CROSS,     6, 2, 2, LRR,   3, 2, 2, .failing = 1},
    {"fails.twice",     "",        2, 2, 2, LRR,   4, 3, 2, .failing = 1, .failing_too = 2},
    {"fails.parks",     CHAIN,     3, 2, 2, LRR,   3, 2, 2, .failing = 2, .parks = 1},
    {"fails.last",      CHAIN,     3, 2, 2, LRR,   3, 2, 2, .failing = 3, .parks = 1},
    {"cancel",          DIAMOND,   4, 2, 2, LRR,   3, 2, 2, .cancels = 1},
    {"cancel.parks",    CHAIN,     3, 2, 2, LRR,   3, 2, 2, .cancels = 1, .parks = 1},
    /* Three workers. */
    {"three.lrr",       THREE,     6, 3, 2, LRR,   2, 1, 1, .n_lanes = 1},
    {"three.lf",        THREE,     6, 3, 2, LF,    2, 1, 1, .n_lanes = 1},
    {"three.join",      JOIN3,     4, 3, 2, GRR,   2, 1, 1, .n_lanes = 1},
    {"three.parks",     DIAMOND,   4, 3, 1, LRR,   2, 1, 1, .parks = 1},
    /* Two workers of two lanes. */
    {"lanes.fan",       FAN,       5, 2, 2, LRR,   2, 1, 1, .n_lanes = 2},
    {"lanes.even",      "0>4 0>1 0>2 0>5 1>4 2>5",  6, 2, 4, LRR,   1, 1, 1, .n_lanes = 2, .fits = 1, .share = 2},
    {"lanes.fails",     FAN,       5, 2, 2, LF,    2, 1, 1, .n_lanes = 2, .failing = 3},
    {"lanes.diamond",   DIAMOND,   4, 2, 2, LF,    2, 1, 1, .n_lanes = 2},
    {"lanes.weave",     WEAVE,     4, 2, 2, GRR,   2, 1, 1, .n_lanes = 2},
    {"lanes.weave.lf",  WEAVE,     4, 2, 2, LF,    2, 1, 1, .n_lanes = 2},
    {"lanes.full",      FAN,       5, 2, 1, LF, 1, 1, 1, .n_lanes = 2},
    {"lanes.urgent",    FAN,       5, 2, 1, LF, 1, 1, 1, .n_lanes = 2, .urgent = 1u << 3 | 1u << 4},
    {"lanes.alone",     FAN,       5, 1, 1, LRR,   3, 2, 1, .n_lanes = 2},
    {"lanes.alone.lf",  FAN,       5, 1, 1, LF,    3, 2, 1, .n_lanes = 2},
    /* Tasks bound to workers: freed by another worker or their own, as roots, urgent, beside a worker that asks. */
    {"placed.cross",    CROSS,     6, 2, 8, LRR,   3, 2, 1, .places = "2:0 3:1 4:0 5:1"},
    {"placed.weave.lf", WEAVE,     4, 2, 4, LF,    3, 2, 2, .places = "2:0 3:0"},
    {"placed.chain",    CHAIN,     3, 2, 4, LF,    4, 3, 2, .places = "0:0 1:1 2:0"},
    {"placed.roots",    JOIN3,     4, 2, 4, SHARE, 3, 2, 1, .places = "0:1 1:1 2:0 3:1"},
    {"placed.share",    FAN,       5, 2, 8, SHARE, 3, 2, 1, .places = "1:0 2:0 3:0 4:0"},
    {"placed.many",     "",       17, 2, 32, SHARE, 2, 1, 1, .places = "1:1 3:0 5:1"},
    {"placed.urgent",   CROSS,     6, 2, 8, LF,    3, 2, 1, .places = "2:1 4:0", .urgent = 1u << 2 | 1u << 5},
    {"placed.parks",    DIAMOND,   4, 2, 4, SHARE, 3, 2, 1, .places = "0:1 1:1 2:0 3:1", .parks = 1},
    {"placed.again",    CHAIN,     3, 2, 4, LRR,   3, 2, 1, .places = "0:0 1:1 2:0", .n_runs = 2},
    {"placed.lanes",    FAN,       5, 2, 8, LF,    2, 1, 1, .places = "1:1 2:0 4:1", .n_lanes = 2},
    {"placed.three",    DIAMOND,   4, 3, 4, LF,    2, 1, 1, .places = "1:2 2:1 3:0"},
    /* One ring for all workers. */
    {"ticket.chain",    CHAIN,     3, 2, 4, LRR,   4, 3, 2, TICKET},
    {"ticket.diamond",  DIAMOND,   4, 2, 4, LRR,   3, 2, 2, TICKET},
    {"ticket.cross",    CROSS,     6, 2, 8, LRR,   3, 2, 2, TICKET},
    {"ticket.weave",    WEAVE,     4, 2, 4, LRR,   3, 2, 2, TICKET},
    {"ticket.join",     "0>2 1>2 2>3 2>4",  5, 2, 8, LRR,   3, 2, 2, TICKET, .joins = 1u << 2},
    {"ticket.empty",    "",        0, 2, 2, LRR,   4, 3, 2, TICKET, .n_runs = 2},
    {"ticket.again",    DIAMOND,   4, 2, 4, LRR,   3, 2, 1, TICKET, .n_runs = 2},
    {"ticket.wrap",     WEAVE,     4, 2, 4, LRR,   2, 1, 1, TICKET, .n_runs = 2, .first_run = 0x7fffffff},
    {"ticket.fails",    CROSS,     6, 2, 8, LRR,   3, 2, 2, TICKET, .failing = 1},
    {"ticket.cancel",   DIAMOND,   4, 2, 4, LRR,   3, 2, 1, TICKET, .cancels = 1},
    {"ticket.three",    THREE,     6, 3, 8, LRR,   2, 1, 1, TICKET},
    {"ticket.lanes",    FAN,       5, 2, 8, LRR,   2, 1, 1, TICKET, .n_lanes = 2},
    {"ticket.lanes.w",  WEAVE,     4, 2, 4, LRR,   2, 1, 1, TICKET, .n_lanes = 2},
    /* Plans: lists made beforehand. */
    {"plan.spread",     "0>1 0>2 1>3 2>3", 4, 3, 2, LF,    2, 1, 1, PLAN = "0 3|1|2"},
    {"plan.chain",      CHAIN,     3, 2, 2, LRR,   4, 3, 2, PLAN = "0 2|1"},
    {"plan.diamond",    DIAMOND,   4, 2, 2, LRR,   4, 3, 2, PLAN = "0 1|2 3"},
    {"plan.weave",      WEAVE,     4, 2, 2, LRR,   4, 3, 2, PLAN = "0 2|1 3"},
    {"plan.cross",      CROSS,     6, 2, 2, LRR,   4, 3, 2, PLAN = "0 4 5|1 2 3"},
    {"plan.idle",       CHAIN,     3, 2, 2, LRR,   4, 3, 2, PLAN = "0 1 2|"},
    {"plan.join",       "0>2 1>2 2>3 2>4",  5, 2, 2, LRR,   3, 2, 2, PLAN = "0 3|1 2 4", .joins = 1u << 2},
    {"plan.again",      WEAVE,     4, 2, 2, LRR,   3, 2, 1, PLAN = "0 3|1 2", .n_runs = 2},
    {"plan.thrice",     CHAIN,     3, 2, 2, LRR,   3, 2, 1, PLAN = "0 2|1", .n_runs = 3},
    {"plan.wrap",       JOIN3,     4, 2, 2, LRR,   3, 2, 1, PLAN = "0 1|2 3", .n_runs = 2, .first_run = 0x7fffffff},
    {"plan.fails",      CROSS,     6, 2, 2, LRR,   3, 2, 2, PLAN = "0 4 5|1 2 3", .failing = 2},
    {"plan.cancel",     DIAMOND,   4, 2, 2, LRR,   3, 2, 2, PLAN = "0 1|2 3", .cancels = 1},
    {"plan.three",      THREE,     6, 3, 2, LRR,   2, 1, 1, PLAN = "0 3|1 4|2 5"},
    {"plan.lanes",      FAN,       5, 2, 2, LRR,   2, 1, 1, PLAN = "0|1 2 3 4", .n_lanes = 2},
    {"plan.lanes.w",    WEAVE,     4, 2, 2, LRR,   2, 1, 1, PLAN = "0 3|1 2", .n_lanes = 2},
    /* Juggler's queues. */
    {"iqs.chain",       CHAIN,     3, 2, 4, LRR,   4, 3, 2, IQS},
    {"iqs.diamond.lrr", DIAMOND,   4, 2, 4, LRR,   3, 2, 2, IQS},
    {"iqs.diamond.grr", DIAMOND,   4, 2, 4, GRR,   3, 2, 2, IQS},
    {"iqs.diamond.lf",  DIAMOND,   4, 2, 4, LF,    3, 2, 2, IQS},
    {"iqs.cross.lrr",   CROSS,     6, 2, 8, LRR,   3, 2, 1, IQS},
    {"iqs.cross.lf",    CROSS,     6, 2, 8, LF,    3, 2, 1, IQS},
    {"iqs.weave",       WEAVE,     4, 2, 4, GRR,   3, 2, 2, IQS},
    {"iqs.fan",         FAN,       5, 2, 8, LF,    3, 2, 2, IQS},
    {"iqs.join",        "0>2 1>2 2>3 2>4",  5, 2, 8, LRR,   3, 2, 2, IQS, .joins = 1u << 2},
    {"iqs.again",       CROSS,     6, 2, 8, LF,    2, 1, 1, IQS, .n_runs = 2},
    {"iqs.thrice",      CHAIN,     3, 2, 4, LRR,   2, 1, 1, IQS, .n_runs = 3},
    {"iqs.wrap",        CROSS,     6, 2, 8, GRR,   2, 1, 1, IQS, .ring_at = 0xfffffffe, .n_runs = 2},
    {"iqs.fails",       CROSS,     6, 2, 8, LRR,   3, 2, 1, IQS, .failing = 1},
    {"iqs.cancel",      DIAMOND,   4, 2, 4, LRR,   2, 2, 1, IQS, .cancels = 1},
    {"iqs.three",       THREE,     6, 3, 8, GRR,   2, 1, 1, IQS},
    {"iqs.third",       "0>2 0>3 0>4 1>5 1>6",  7, 3, 8, LRR,   2, 1, 1, IQS}, /* two workers insert into the third's queue */
    {"iqs.lanes",       FAN,       5, 2, 8, LF,    2, 1, 1, IQS, .n_lanes = 2},
    {"iqs.lanes.w",     WEAVE,     4, 2, 4, LRR,   2, 1, 1, IQS, .n_lanes = 2},
    /* One queue under a lock. */
    {"central.chain",   CHAIN,     3, 2, 4, LRR,   3, 2, 2, CENTRAL},
    {"central.diamond", DIAMOND,   4, 2, 4, LRR,   3, 2, 1, CENTRAL},
    {"central.cross",   CROSS,     6, 2, 8, LRR,   3, 2, 1, CENTRAL},
    {"central.weave",   WEAVE,     4, 2, 4, LRR,   3, 2, 1, CENTRAL},
    {"central.fan",     FAN,       5, 2, 8, LRR,   3, 2, 1, CENTRAL},
    {"central.join",    "0>2 1>2 2>3 2>4",  5, 2, 8, LRR,   3, 2, 1, CENTRAL, .joins = 1u << 2},
    {"central.empty",   "",        0, 2, 2, LRR,   4, 3, 2, CENTRAL, .n_runs = 2},
    {"central.again",   DIAMOND,   4, 2, 4, LRR,   2, 1, 1, CENTRAL, .n_runs = 2},
    {"central.wrap",    WEAVE,     4, 2, 4, LRR,   2, 1, 1, CENTRAL, .n_runs = 2, .first_run = 0x7fffffff},
    {"central.round",   "0>1 1>2 2>3 3>4 4>5 2>6 6>7", 8, 2, 2, LRR, 1, 1, 1, CENTRAL}, /* slots are reused */
    {"central.fails",   CROSS,     6, 2, 8, LRR,   3, 2, 1, CENTRAL, .failing = 1},
    {"central.cancel",  DIAMOND,   4, 2, 4, LRR,   2, 2, 1, CENTRAL, .cancels = 1},
    {"central.three",   THREE,     6, 3, 8, LRR,   1, 1, 1, CENTRAL},
    {"central.lanes",   FAN,       5, 2, 8, LRR,   2, 1, 1, CENTRAL, .n_lanes = 2},
    {"central.lanes.w", WEAVE,     4, 2, 4, LRR,   2, 1, 1, CENTRAL, .n_lanes = 2},
    /* One scheduler, and workers. */
    {"sched.alone",     CROSS,     6, 1, 4, LRR,   0, 0, 0, SCHED, .order = "0 1 2 3 4 5"},
    {"sched.alone.2",   DIAMOND,   4, 1, 1, LRR,   0, 0, 0, SCHED, .n_runs = 2},
    {"sched.chain",     CHAIN,     3, 2, 4, LRR,   2, 1, 1, SCHED},
    {"sched.diamond",   DIAMOND,   4, 2, 4, LRR,   1, 1, 1, SCHED},
    {"sched.cross.lf",  CROSS,     6, 2, 8, LF,    1, 0, 1, SCHED},
    {"sched.cross.ts",  CROSS,     6, 2, 8, HD_POLICY_TS,  1, 0, 1, SCHED},
    {"sched.cross.al",  CROSS,     6, 2, 8, HD_POLICY_AL,  1, 0, 1, SCHED},
    {"sched.weave",     WEAVE,     4, 2, 4, GRR,   1, 1, 1, SCHED},
    {"sched.full",      FAN,       5, 2, 1, LRR,   1, 0, 1, SCHED}, /* tasks without room are handed out later */
    {"sched.roots",     "0>5 1>5 2>5 3>5 4>5",  6, 2, 2, LRR,   1, 1, 1, SCHED},
    {"sched.join",      "0>2 1>2 2>3 2>4",  5, 2, 8, LRR,   1, 1, 1, SCHED, .joins = 1u << 2},
    {"sched.empty",     "",        0, 2, 2, LRR,   2, 1, 1, SCHED, .n_runs = 2},
    {"sched.again",     DIAMOND,   4, 2, 2, LRR,   0, 0, 1, SCHED, .n_runs = 2},
    {"sched.wrap",      WEAVE,     4, 2, 4, LRR,   0, 0, 1, SCHED, .n_runs = 2, .ring_at = 0xfffffffe,
                                                              .first_run = 0x7fffffff},
    {"sched.fails",     CROSS,     6, 2, 8, LRR,   1, 1, 1, SCHED, .failing = 1},
    {"sched.cancel",    DIAMOND,   4, 2, 4, LRR,   1, 0, 1, SCHED, .cancels = 1},
    {"sched.three",     THREE,     6, 3, 8, LRR,   0, 0, 0, SCHED},
    {"sched.lanes",     FAN,       5, 2, 2, LRR,   0, 0, 1, SCHED, .n_lanes = 2},
    {"sched.lanes.w",   WEAVE,     4, 2, 4, LF,    0, 0, 1, SCHED, .n_lanes = 2},
};
/* clang-format on */
const uint32_t n_graph_cases = sizeof graph_cases / sizeof graph_cases[0];
