/* SPDX-License-Identifier: MIT */
/* records.c - the records that a traced pool keeps, on the host's clock. */
#include "engine/pool/trace.h"

/* Copies the kept ones, the oldest first. */
static hd_kept *copy(struct hd_pool_trace *t, uint64_t *n, uint64_t *n_seen)
{
    uint64_t i, most;
    hd_kept *to;
    pthread_mutex_lock(&t->mutex);
    *n_seen = t->n_seen;
    *n = t->n_seen < t->n_kept ? t->n_seen : t->n_kept;
    most = *n;
    to = hd_new(most * sizeof *to);
    for (i = 0; to && i < most; i++)
        to[i] = t->kept[(t->n_seen - most + i) % t->n_kept];
    pthread_mutex_unlock(&t->mutex);
    return to;
}

/* Each distance was found from the tasks before it; now those after it tell, too. */
static void look_back(hd_kept *kept, uint64_t n)
{
    uint64_t i;
    for (i = n; i-- > 1;)
        hd_distance_meet(&kept[i - 1u].distance, &kept[i].distance);
}

static heddle_pool_record record_of(const hd_kept *k, uint64_t opened_ns)
{
    heddle_pool_record r = k->record;
    uint64_t shift;
    r.spawned_ns -= opened_ns;
    r.seen_ns -= opened_ns;
    if (r.worker == HEDDLE_POOL_NOT_RUN)
        return r;
    shift = hd_trace_shift(&k->distance, &k->record) - opened_ns;
    r.begin_ns += shift;
    r.end_ns += shift;
    r.error_ns = hd_distance_error(&k->distance);
    return r;
}

heddle_status hd_trace_records(heddle_pool *p, heddle_pool_record **out, uint64_t *n, uint64_t *n_seen)
{
    hd_kept *kept = copy(p->trace, n, n_seen);
    uint64_t i;
    *out = hd_new(*n * sizeof **out);
    if (!kept || !*out) {
        hd_trace_free_records(*out, *n);
        hd_delete(kept, *n * sizeof *kept);
        *out = NULL;
        return hd_say(NULL, HEDDLE_ENOMEM, "records of a pool: no memory for %llu tasks", (unsigned long long)*n);
    }
    if (p->words->clock_apart)
        look_back(kept, *n);
    for (i = 0; i < *n; i++)
        (*out)[i] = record_of(&kept[i], p->trace->opened_ns);
    hd_delete(kept, *n * sizeof *kept);
    return HEDDLE_OK;
}

void hd_trace_free_records(heddle_pool_record *records, uint64_t n) { hd_delete(records, n * sizeof *records); }

HEDDLE_API heddle_status heddle_pool_get_records(heddle_pool *p, heddle_pool_record *out, size_t n_max, size_t *n_out)
{
    heddle_pool_record *records;
    uint64_t n, n_seen;
    if (n_out)
        *n_out = 0;
    HD_TRY(hd_trace_is_there(p, "heddle_pool_get_records"));
    if (!n_out || (n_max && !out))
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_get_records: n_out, or out with n_max > 0, is NULL");
    HD_TRY(hd_trace_records(p, &records, &n, &n_seen));
    if (n_max)
        memcpy(out, records, (n < n_max ? n : n_max) * sizeof *out);
    *n_out = n;
    hd_trace_free_records(records, n);
    return HEDDLE_OK;
}
