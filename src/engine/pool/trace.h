/* SPDX-License-Identifier: MIT */
/* trace.h - what is known of the tasks of a traced pool (config n_trace): times of all that were seen to end, by body, and records
 * of the last ones. One lock guards it, taken once a task when its end is seen; a pool without a trace has none of this. */
#ifndef HD_POOL_TRACE_H
#define HD_POOL_TRACE_H

#include "base/histogram.h"
#include "engine/pool/distance.h"
#include "engine/pool/pool.h"

/* What the host notes of a slot's task when it is spawned; guarded by its post's lock. */
typedef struct hd_spawn_note {
    uint64_t spawned_ns;
    uint32_t thread, team_size, n_blocks, pad;
} hd_spawn_note;

/* A record as it is kept: with the workers' clock, and what was known of that clock when the end was seen. */
typedef struct hd_kept {
    heddle_pool_record record; /* begin_ns and end_ns are of the workers' clock */
    hd_distance distance;
} hd_kept;

/* Of a body. */
typedef struct hd_body_times {
    uint64_t n, n_ok, n_failed, n_canceled, n_late, n_no_room;
    hd_histogram start, body, seen;
} hd_body_times;

struct hd_pool_trace {
    uint64_t opened_ns;
    hd_spawn_note *notes;      /* of each slot */
    uint32_t n_bodies, n_kept; /* n_kept: room for records */
    pthread_mutex_t mutex;     /* guards the rest */
    hd_body_times *bodies;
    hd_kept *kept;              /* a ring: end k is in place k % n_kept */
    uint64_t n_seen;            /* ends */
    uint64_t first_ns, last_ns; /* spawned, seen */
    uint64_t body_ns;
    double warp_ns;
    hd_distance distance;
};

/* Makes the workers' times in a record the host's, by addition. On threads it is 0: nothing is known of a distance. */
static inline uint64_t hd_trace_shift(const hd_distance *d, const heddle_pool_record *r)
{
    return d->at_ns ? (uint64_t)hd_distance_of(d, r->spawned_ns, r->begin_ns, r->end_ns, r->seen_ns) : 0u;
}

/* Copies what is kept, in the order in which ends were seen. Times are of the host's clock since the pool was opened; what later
 * tasks tell of the GPU's clock is used for earlier ones. *out: *n records, freed by hd_trace_free_records; NULL if n is 0. *n_seen:
 * all ends so far. */
heddle_status hd_trace_records(heddle_pool *p, heddle_pool_record **out, uint64_t *n, uint64_t *n_seen);
void hd_trace_free_records(heddle_pool_record *records, uint64_t n);
/* EINVAL with a sentence: there is no trace. */
heddle_status hd_trace_is_there(const heddle_pool *p, const char *call);

#endif
