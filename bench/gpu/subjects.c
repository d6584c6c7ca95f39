/* SPDX-License-Identifier: MIT */
/* subjects.c - the table of what is compared: a row a subject. An engine or another system is a row with a runner of its
 * own; what heddle can do is a row with heddle_runner and a mode. */
#include "live.h"
#include "raw_runners.h"
#include "subject.h"

#define PERSISTENT(name, rank, dispatch, policy)                                                 \
    {                                                                                            \
        name, rank, &heddle_runner,                                                              \
        {                                                                                        \
            HEDDLE_EXECUTOR_PERSISTENT, HEDDLE_DISPATCH_##dispatch, HEDDLE_POLICY_##policy, 0, 0 \
        }                                                                                        \
    }
#define NO_MODE                                                                    \
    {                                                                              \
        HEDDLE_EXECUTOR_AUTO, HEDDLE_DISPATCH_DEFAULT, HEDDLE_POLICY_DEFAULT, 0, 0 \
    }
#define LAUNCHES(name, executor, by_body)                                                          \
    {                                                                                              \
        name, RANK_BASELINE, &heddle_runner,                                                       \
        {                                                                                          \
            HEDDLE_EXECUTOR_##executor, HEDDLE_DISPATCH_DEFAULT, HEDDLE_POLICY_DEFAULT, by_body, 0 \
        }                                                                                          \
    }

const subject subject_table[] = {
    PERSISTENT("plan", RANK_PLAN, PLAN, DEFAULT),
    PERSISTENT("lf", RANK_DYNAMIC, DISTRIBUTED, LF),
    PERSISTENT("lrr", RANK_DYNAMIC, DISTRIBUTED, LRR),
    PERSISTENT("grr", RANK_DYNAMIC, DISTRIBUTED, GRR),
    PERSISTENT("share", RANK_DYNAMIC, DISTRIBUTED, SHARE),
    PERSISTENT("rr", RANK_DYNAMIC, DISTRIBUTED, RR),
    PERSISTENT("ts", RANK_DYNAMIC, DISTRIBUTED, TS),
    PERSISTENT("al", RANK_DYNAMIC, DISTRIBUTED, AL),
    PERSISTENT("scheduler/rr", RANK_DYNAMIC, SCHEDULER, RR),
    PERSISTENT("scheduler/ts", RANK_DYNAMIC, SCHEDULER, TS),
    PERSISTENT("scheduler/al", RANK_DYNAMIC, SCHEDULER, AL),
    PERSISTENT("scheduler/lf", RANK_DYNAMIC, SCHEDULER, LF),
    PERSISTENT("scheduler/lrr", RANK_DYNAMIC, SCHEDULER, LRR),
    PERSISTENT("scheduler/grr", RANK_DYNAMIC, SCHEDULER, GRR),
    PERSISTENT("central", RANK_CENTRAL, CENTRAL, DEFAULT),
    PERSISTENT("ticket", RANK_DYNAMIC, TICKET, DEFAULT),
    PERSISTENT("iqs/lrr", RANK_DYNAMIC, IQS, LRR),
    PERSISTENT("iqs/grr", RANK_DYNAMIC, IQS, GRR),
    PERSISTENT("iqs/lf", RANK_DYNAMIC, IQS, LF),
    LAUNCHES("levels", LEVELS, 2),
    LAUNCHES("levels/by-body", LEVELS, 1),
    LAUNCHES("cudagraph", CUDAGRAPH, 2),
    LAUNCHES("cudagraph/by-body", CUDAGRAPH, 1),
    LAUNCHES("cudagraph+pdl", CUDAGRAPH_PDL, 2),
    LAUNCHES("cudagraph+pdl/by-body", CUDAGRAPH_PDL, 1),
    LAUNCHES("taskgraph", TASKGRAPH, 0),
    {"auto", RANK_AUTO, &heddle_runner, {HEDDLE_EXECUTOR_AUTO, HEDDLE_DISPATCH_DEFAULT, HEDDLE_POLICY_DEFAULT, 0, 0}},
    {"levels/by-body/sync",
     RANK_SYNC,
     &heddle_runner,
     {HEDDLE_EXECUTOR_LEVELS, HEDDLE_DISPATCH_DEFAULT, HEDDLE_POLICY_DEFAULT, 1, 1}},
    {SUBJECT_BLOCKS, RANK_RAW, &blocks_runner, NO_MODE},
    {SUBJECT_GETRF, RANK_RAW, &getrf_runner, NO_MODE},
    {SUBJECT_COPY, RANK_RAW, &copy_runner, NO_MODE},
    {NULL, RANK_RAW, NULL, NO_MODE},
};
