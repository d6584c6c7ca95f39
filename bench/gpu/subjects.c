/* SPDX-License-Identifier: MIT */
/* subjects.c - the table of subjects, one row each. An engine or another system has a runner of its own; what heddle
 * can do is heddle_runner with a mode. */
#include "live.h"
#include "raw_runners.h"
#include "subject.h"

#define WORKERS(name, rank, schedule, policy)                                                 \
    {                                                                                         \
        name, rank, &heddle_runner, { HEDDLE_SCHEDULE_##schedule, HEDDLE_POLICY_##policy, 0 } \
    }
#define NO_MODE                                        \
    {                                                  \
        HEDDLE_SCHEDULE_AUTO, HEDDLE_POLICY_DEFAULT, 0 \
    }
#define LAUNCHES(name, rank, schedule, by_body)                                                    \
    {                                                                                              \
        name, rank, &heddle_runner, { HEDDLE_SCHEDULE_##schedule, HEDDLE_POLICY_DEFAULT, by_body } \
    }

const subject subject_table[] = {
    WORKERS("static", RANK_PLAN, STATIC, DEFAULT),
    WORKERS("lf", RANK_DYNAMIC, RINGS, LF),
    WORKERS("lrr", RANK_DYNAMIC, RINGS, LRR),
    WORKERS("grr", RANK_DYNAMIC, RINGS, GRR),
    WORKERS("share", RANK_DYNAMIC, RINGS, SHARE),
    WORKERS("rr", RANK_DYNAMIC, RINGS, RR),
    WORKERS("ts", RANK_DYNAMIC, RINGS, TS),
    WORKERS("al", RANK_DYNAMIC, RINGS, AL),
    WORKERS("scheduler/rr", RANK_DYNAMIC, SCHEDULER, RR),
    WORKERS("scheduler/ts", RANK_DYNAMIC, SCHEDULER, TS),
    WORKERS("scheduler/al", RANK_DYNAMIC, SCHEDULER, AL),
    WORKERS("scheduler/lf", RANK_DYNAMIC, SCHEDULER, LF),
    WORKERS("scheduler/lrr", RANK_DYNAMIC, SCHEDULER, LRR),
    WORKERS("scheduler/grr", RANK_DYNAMIC, SCHEDULER, GRR),
    WORKERS("central", RANK_CENTRAL, CENTRAL, DEFAULT),
    WORKERS("dynamic", RANK_DYNAMIC, DYNAMIC, DEFAULT),
    WORKERS("iqs/lrr", RANK_DYNAMIC, IQS, LRR),
    WORKERS("iqs/grr", RANK_DYNAMIC, IQS, GRR),
    WORKERS("iqs/lf", RANK_DYNAMIC, IQS, LF),
    LAUNCHES("levels", RANK_BASELINE, LEVELS, 2),
    LAUNCHES("levels/by-body", RANK_BASELINE, LEVELS, 1),
    LAUNCHES("graph", RANK_BASELINE, GRAPH, 2),
    LAUNCHES("graph/by-body", RANK_BASELINE, GRAPH, 1),
    LAUNCHES("graph+pdl", RANK_BASELINE, GRAPH_PDL, 2),
    LAUNCHES("graph+pdl/by-body", RANK_BASELINE, GRAPH_PDL, 1),
    LAUNCHES("taskgraph", RANK_BASELINE, TASKGRAPH, 0),
    WORKERS(SUBJECT_WAVE, RANK_WAVE, WAVE, DEFAULT),
    {"auto", RANK_AUTO, &heddle_runner, NO_MODE},
    LAUNCHES("levels+sync/by-body", RANK_SYNC, LEVELS_SYNC, 1),
    {SUBJECT_BLOCKS, RANK_RAW, &blocks_runner, NO_MODE},
    {SUBJECT_GETRF, RANK_RAW, &getrf_runner, NO_MODE},
    {SUBJECT_COPY, RANK_RAW, &copy_runner, NO_MODE},
    {NULL, RANK_RAW, NULL, NO_MODE},
};
