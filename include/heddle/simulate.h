/* SPDX-License-Identifier: MIT */
/* heddle/simulate.h - how a loop would be divided over a fleet that is not here, or jobs over its GPUs: simulations of events in virtual
 * time. Jobs have the second half of this file.
 *
 * The decisions are made by the code that divides real loops (heddle/loop.h). What is simulated is the rest: units with speeds and fixed
 * costs, the links to them, uneven loads, and units that slow down, die, hang or come late. The same description and seed give the
 * same result.
 *
 * A slice of n grains takes t0 + (work of the grains + ramp) / rate, and at least the work of its dearest grain * width / rate. The
 * work of a grain is 1 in the mean, and differs by the load's shape. Behind another slice of the same unit only a part of t0 is seen. A unit behind a link first gets the slice's bytes, and sends
 * bytes back afterwards; a link carries one transfer each way at a time. A unit with one slice at a time stops when it is told to,
 * also in the middle of a grain. */
#ifndef HEDDLE_SIMULATE_H
#define HEDDLE_SIMULATE_H

#include "heddle/multi.h"

/* The work of grain i of n, against the mean. */
#define HEDDLE_SHAPE_MAP(X)                                                          \
    X(EVEN, 0, "even", "the same for all")                                           \
    X(RAMP, 1, "ramp", "from 0 to twice the mean")                                   \
    X(FALLING, 2, "falling", "from twice the mean to 0")                             \
    X(ROUGH, 3, "rough", "4096 parts, log-normal with sigma 0.7")                    \
    X(PEAK, 4, "peak", "20 times as much for 4 % of the grains, near the end")       \
    X(DENSE, 5, "dense", "100 times as much for 4 % of the grains, in the middle")   \
    X(FRONT, 6, "front", "50 times as much for 3 % of the grains, at the beginning") \
    X(HILL, 7, "hill", "next to nothing for a fifth at each end, a hill between (rows of the Mandelbrot set)")

typedef enum heddle_shape {
#define HEDDLE_X(name, value, text, help) HEDDLE_SHAPE_##name = (value),
    HEDDLE_SHAPE_MAP(HEDDLE_X)
#undef HEDDLE_X
        HEDDLE_N_SHAPES = 8
} heddle_shape;

/* Some units that are alike. */
typedef struct heddle_simulated_kind {
    uint32_t n_units;
    uint32_t model;       /* kinds with the same number share what is learnt of their speed; below 2^20 */
    double rate;          /* grains a nanosecond, > 0                                           */
    double t0_ns;         /* fixed cost of a slice                                              */
    double ramp;          /* grains: rate over block size is that of n / (n + ramp)             */
    double width;         /* grains that it works on at once: a slice takes at least as long as its dearest grain */
    uint32_t most_flying; /* slices under way at once; 0: 1                                     */
    uint32_t link;        /* 0: none; else which of the links, counted from 1                   */
    uint64_t least, most; /* grains of a slice; 0: 1, no limit                                  */
    double weight;        /* as if from a data sheet; 0: the rate                               */
    uint32_t may_hang;    /* 1: its slices may be given to others while it is at work on them   */
    /* Trouble, of each of these units; times from the start, 0: none. */
    uint64_t slow_ns, die_ns, hang_ns, join_ns;
    double slow_to; /* the part of its rate that is left from slow_ns on */
} heddle_simulated_kind;

typedef struct heddle_simulated_link {
    double bytes_ns; /* bytes a nanosecond, each way */
    uint64_t latency_ns;
} heddle_simulated_link;

typedef struct heddle_simulation {
    size_t size; /* set by HEDDLE_SIMULATION_INIT */
    heddle_split split;
    heddle_shape shape;
    uint64_t n_grains;
    double bytes_in, bytes_out; /* a grain                                                               */
    const heddle_simulated_kind *kinds;
    uint32_t n_kinds, n_links;
    const heddle_simulated_link *links;
    uint64_t seed;
    double noise;       /* relative deviation of each slice's times, such as 0.003                       */
    double behind;      /* part of t0 that is seen behind another slice                                  */
    uint64_t notice_ns; /* after which a unit's death is noticed                                         */
    uint32_t n_runs;    /* each knows the speeds that the one before has seen; the last is told; 0: 1    */
    /* Each slice of the last run that was kept, when it has ended; NULL: nobody asks. */
    void (*ended)(void *arg, uint32_t unit, uint64_t begin, uint64_t end, uint64_t began_ns, uint64_t ended_ns);
    void *arg;
} heddle_simulation;
#define HEDDLE_SIMULATION_INIT                                                                                    \
    {                                                                                                             \
        sizeof(heddle_simulation), HEDDLE_SPLIT_CUT, HEDDLE_SHAPE_EVEN, 0, 0, 0, NULL, 0, 0, NULL, 1, 0.003, 0.1, \
            200000, 1, NULL, NULL                                                                                 \
    }

typedef struct heddle_simulated {
    size_t size;       /* set by HEDDLE_SIMULATED_INIT                                                    */
    uint64_t time_ns;  /* from the start to the last end                                                  */
    uint64_t first_ns; /* to the first last end of a unit that had slices and was not lost                */
    double ideal_ns;   /* all work over all speeds, of the units that are there at each time, and links   */
    double best_ns;    /* the same for the best kind's unit alone                                         */
    uint64_t n_slices, n_cuts, n_again, n_events;
    uint32_t n_units, n_left_out, n_lost;
} heddle_simulated;
#define HEDDLE_SIMULATED_INIT                                     \
    {                                                             \
        sizeof(heddle_simulated), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* What a unit did. Units are numbered in the order of the kinds. */
typedef struct heddle_simulated_unit {
    uint64_t n_grains, n_slices, n_cuts, n_again, busy_ns, end_ns;
    uint32_t kind, is_left_out, is_lost, is_suspected;
} heddle_simulated_unit;

/* ---- jobs over several GPUs (heddle/multi.h) ----------------------------------------------------------------------------------
 *
 * What is given to which device, and which bytes move, is decided by the code that runs real jobs. What is simulated is the rest. A device
 * has three queues: bodies, copies into it, copies home. Each does its ops in order. A copy to or from the host takes its latency. Then
 * it has the rate of the link. If all copies together would need more than the host's memory has, they share it. Copies between devices have
 * ports in the same way. One thread gives all ops, one after another. The same description gives the same result. */
#define HEDDLE_SIMULATED_JOBS_MAP(X)                                                              \
    X(MATMUL, 0, "matmul", "C = A B of n x n floats: blocks of C, for each of which panels come") \
    X(HOTSPOT, 1, "hotspot", "steps over n x n floats: two arrays in turn, and one that is read") \
    X(EP, 2, "ep", "n grains without data, 96 bytes of results each")

typedef enum heddle_simulated_job {
#define HEDDLE_X(name, value, text, help) HEDDLE_SIMULATED_JOB_##name = (value),
    HEDDLE_SIMULATED_JOBS_MAP(HEDDLE_X)
#undef HEDDLE_X
        HEDDLE_N_SIMULATED_JOBS = 3
} heddle_simulated_job;

typedef struct heddle_simulated_gpu {
    double
        rate; /* operations a nanosecond, > 0. Of matmul: additions and multiplications; hotspot: cells; ep: grains */
    double
        weight; /* as if from a data sheet; 0: the rate                                                               */
    uint64_t
        pool_bytes; /* for arrays; 0: as much as is wanted                                                                */
    heddle_simulated_link in,
        out; /* from the host, to it; latency: of each copy                                              */
    heddle_simulated_link
        port; /* to other devices, each way; bytes_ns 0: it reaches none                                  */
} heddle_simulated_gpu;

typedef struct heddle_jobs_simulation {
    size_t size; /* set by HEDDLE_JOBS_SIMULATION_INIT */
    heddle_simulated_job job;
    uint64_t n;         /* rows and columns; of ep: grains                                                       */
    uint32_t n_steps;   /* of hotspot and ep: jobs, one a step; 0: 1                                             */
    uint32_t n_tasks;   /* slices of a job; 0: as many as are good                                               */
    uint32_t n_tasks_2; /* of matmul: parts of its columns, each of which has so many slices; 0: 1               */
    heddle_map map;
    uint32_t blocks, blocks_2, panels; /* of matmul: C is cut into blocks x blocks_2, n into panels; 0: by the pools */
    uint32_t keeps;                    /* 0: after each job all goes home, and comes anew for the next one       */
    const heddle_simulated_gpu *devices;
    uint32_t n_devices;
    double memory_ns; /* bytes a nanosecond, of all copies from and to the host together; 0: no limit            */
    double op_ns;     /* the thread that gives ops needs for each                                                */
    double body_ns;   /* fixed cost of a body on its device                                                      */
    double hop_ns;    /* from the end of what an op waits for, in another queue, to its begin                    */
} heddle_jobs_simulation;
#define HEDDLE_JOBS_SIMULATION_INIT                                                                                   \
    {                                                                                                                 \
        sizeof(heddle_jobs_simulation), HEDDLE_SIMULATED_JOB_MATMUL, 0, 1, 0, 0, HEDDLE_MAP_SETTLE, 0, 0, 0, 1, NULL, \
            0, 0, 2500, 1400, 4600                                                                                    \
    }

typedef struct heddle_simulated_jobs {
    size_t size;      /* set by HEDDLE_SIMULATED_JOBS_INIT                                                            */
    uint64_t time_ns; /* from the first start until all results are at home                                           */
    uint64_t
        steps_ns; /* until the last body has ended                                                                */
    /* About the least that is possible: the longest of operations over all rates, bytes over links, and bytes over host memory. Added is
     * what comes before the first body, and goes after the last one. Of hotspot that is all data: its first steps may begin sooner. */
    double bound_ns, rates_ns, links_ns, memory_ns, first_ns, last_ns;
    uint64_t bytes_in, bytes_out,
        bytes_peers;      /* from the host, to it, between devices                                */
    uint64_t bytes_steps; /* of bytes_out: before results were asked for                          */
    uint64_t least_in;    /* the bytes that have to come from the host                            */
    uint64_t n_jobs, n_slices, n_ops,
        n_moves;                       /* n_moves: shares that were changed                                    */
    uint64_t giver_ns;                 /* the thread was busy                                                  */
    uint32_t blocks, blocks_2, panels; /* of matmul                                                            */
} heddle_simulated_jobs;
#define HEDDLE_SIMULATED_JOBS_INIT                                                                   \
    {                                                                                                \
        sizeof(heddle_simulated_jobs), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

typedef struct heddle_simulated_gpu_use {
    uint64_t busy_ns, n_slices, n_left;                    /* of bodies; windows that had to leave for others */
    uint64_t bytes_in, bytes_out, bytes_peers, bytes_sent; /* from the host, to it, from other devices, to them */
} heddle_simulated_gpu_use;

#ifdef __cplusplus
extern "C" {
#endif

/* units: as many as the kinds have together, or NULL; links: bytes in and out of each link, two numbers each, or NULL. EINVAL: a
 * description that is none; EDEVICE: no unit was left; ETIMEDOUT: the loop would never end, because a unit hangs of which nobody
 * may take slices; ENOMEM. *out is what happened until then. */
HEDDLE_API heddle_status heddle_simulate(const heddle_simulation *d, heddle_simulated *out,
                                         heddle_simulated_unit *units, uint64_t *link_bytes);
/* NULL for a number outside the table. */
HEDDLE_API const char *heddle_shape_name(heddle_shape s);
/* uses: one a device, or NULL. EINVAL: a description that is none; ERANGE: a slice needs more than a pool; ENOMEM. */
HEDDLE_API heddle_status heddle_simulate_jobs(const heddle_jobs_simulation *d, heddle_simulated_jobs *out,
                                              heddle_simulated_gpu_use *uses);
HEDDLE_API const char *heddle_simulated_job_name(heddle_simulated_job j);

#ifdef __cplusplus
}
#endif
#endif
