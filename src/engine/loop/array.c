/* SPDX-License-Identifier: MIT */
/* array.c - arrays of a fleet: rows with a home in the host's memory, pinned where the fleet has GPUs. Between loops the home has the
 * newest bytes: a loop that ends has brought home what it wrote. */
#include "engine/loop/fleet.h"

#include <stdio.h>

#define MOST_BYTES (1ull << 56) /* more than processes have addresses; sums over the arrays of a loop do not overflow */

/* Pins the array's memory. Without that, copies go through buffers of the driver: slower, and no error. What others have pinned is theirs to
 * unpin. */
static void pin(heddle_array *a, uint64_t n_bytes)
{
    heddle_ctx *ctx = a->fleet->pins;
    const uint64_t begin = heddle_host_clock_ns();
    hd_error e;
    const heddle_status s = ctx->backend->host_pin(ctx->device, a->host, n_bytes, &e);
    a->is_pinned = s == HEDDLE_OK;
    if (a->is_pinned)
        (void)snprintf(a->how, sizeof a->how, "pinned in %.1f ms", (double)(heddle_host_clock_ns() - begin) / 1e6);
    else if (s == HEDDLE_EINVAL)
        (void)snprintf(a->how, sizeof a->how, "was pinned before, or a part of it, at no cost here");
    else
        (void)snprintf(a->how, sizeof a->how, "not pinned, so copies go through buffers of the driver: %.90s", e.text);
}

static heddle_status check(const heddle_array_desc *d, const char *call)
{
    const uint64_t stride = d->stride_bytes ? d->stride_bytes : d->row_bytes;
    if (!d->n_rows || !d->row_bytes)
        return hd_say(NULL, HEDDLE_ERANGE, "%s: %llu rows of %llu bytes", call, (unsigned long long)d->n_rows,
                      (unsigned long long)d->row_bytes);
    if (stride < d->row_bytes)
        return hd_say(NULL, HEDDLE_ERANGE, "%s: rows of %llu bytes, %llu apart", call, (unsigned long long)d->row_bytes,
                      (unsigned long long)stride);
    if (d->n_rows > MOST_BYTES / stride)
        return hd_say(NULL, HEDDLE_ERANGE, "%s: %llu rows, %llu bytes apart, are more than memory can hold", call,
                      (unsigned long long)d->n_rows, (unsigned long long)stride);
    return HEDDLE_OK;
}

static heddle_status get_memory(heddle_array *a, const heddle_array_desc *d, const char *call)
{
    const uint64_t n_bytes = a->n_rows * a->stride;
    a->host = d->host;
    if (!a->host) {
        a->host = hd_new_sparse(n_bytes);
        if (!a->host)
            return hd_say(NULL, HEDDLE_ENOMEM, "%s: no memory for %llu rows of %llu bytes", call,
                          (unsigned long long)a->n_rows, (unsigned long long)a->stride);
        a->own_bytes = n_bytes;
    }
    if (a->fleet->pins && d->is_staged)
        (void)snprintf(
            a->how, sizeof a->how,
            "staged, as asked: not pinned; copies go through buffers of the driver, which is slower and holds "
            "up the device's thread");
    else if (a->fleet->pins)
        pin(a, n_bytes);
    return HEDDLE_OK;
}

heddle_status hd_array_make(heddle_fleet *f, const heddle_array_desc *d, heddle_array **out, const char *call)
{
    heddle_array *a;
    heddle_status s;
    HD_TRY(check(d, call));
    a = hd_new(sizeof *a);
    if (!a)
        return hd_say(NULL, HEDDLE_ENOMEM, "%s: out of memory", call);
    a->fleet = f;
    a->segment = HD_NONE;
    a->n_rows = d->n_rows;
    a->row_bytes = d->row_bytes;
    a->stride = d->stride_bytes ? d->stride_bytes : d->row_bytes;
    s = get_memory(a, d, call);
    if (s != HEDDLE_OK) {
        hd_delete(a, sizeof *a);
        return s;
    }
    *out = a;
    return HEDDLE_OK;
}

void hd_array_drop(heddle_array *a)
{
    if (!a)
        return;
    if (a->segment != HD_NONE)
        a->fleet->on_jobs->drop(a->fleet->jobs, a);
    if (a->is_pinned)
        a->fleet->pins->backend->host_unpin(a->fleet->pins->device, a->host);
    hd_delete_sparse(a->own_bytes ? a->host : NULL, a->own_bytes);
    hd_delete(a, sizeof *a);
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

HEDDLE_API heddle_status heddle_array_new(heddle_fleet *f, const heddle_array_desc *d, heddle_array **out)
{
    heddle_array_desc full = HEDDLE_ARRAY_INIT;
    if (!f || !d || !out)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_array_new: %s is NULL",
                      !f   ? "the fleet"
                      : !d ? "the description"
                           : "out");
    *out = NULL;
    if (d->size < sizeof(size_t) || d->size > 4096)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_array_new: set the description up with HEDDLE_ARRAY_INIT");
    memcpy(&full, d, d->size < sizeof full ? d->size : sizeof full);
    return hd_array_make(f, &full, out, "heddle_array_new");
}

HEDDLE_API void heddle_array_free(heddle_array *a)
{
    if (!a || hd_fleet_is_forked(a->fleet))
        return;
    if (a->n_loops)
        a->is_freed = 1;
    else
        hd_array_drop(a);
}

HEDDLE_API void *heddle_array_host(heddle_array *a) { return a ? a->host : NULL; }
HEDDLE_API const char *heddle_array_how(const heddle_array *a) { return a ? a->how : ""; }

/* Does a loop or wavefront that has begun, or waits for its turn, have the array? The caller holds the mutex. */
static int is_in_use(const heddle_array *a, int only_writers)
{
    const hd_fleet_turn *t = a->fleet->now;
    while (t && !t->kind->has(t->self, a, only_writers))
        t = t->next;
    return t != NULL;
}

static heddle_status check_call(const heddle_array *a, uint64_t row, uint64_t n_rows, const char *call)
{
    if (!a)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the array is NULL", call);
    if (row > a->n_rows || n_rows > a->n_rows - row)
        return hd_say(NULL, HEDDLE_ERANGE, "%s: %llu rows from row %llu on; the array has %llu", call,
                      (unsigned long long)n_rows, (unsigned long long)row, (unsigned long long)a->n_rows);
    return hd_fleet_check_process(a->fleet, call);
}

HEDDLE_API heddle_status heddle_array_fetch(heddle_array *a, uint64_t row, uint64_t n_rows)
{
    HD_TRY(check_call(a, row, n_rows, "heddle_array_fetch"));
    (void)pthread_mutex_lock(&a->fleet->mutex);
    while (is_in_use(a, 1))
        (void)pthread_cond_wait(&a->fleet->ended, &a->fleet->mutex);
    (void)pthread_mutex_unlock(&a->fleet->mutex);
    return a->segment == HD_NONE ? HEDDLE_OK : a->fleet->on_jobs->fetch(a->fleet->jobs, a, row, n_rows);
}

heddle_status hd_array_leave_jobs(heddle_array *a, int writes)
{
    if (!a || a->segment == HD_NONE)
        return HEDDLE_OK;
    HD_TRY(a->fleet->on_jobs->fetch(a->fleet->jobs, a, 0, a->n_rows));
    return writes ? a->fleet->on_jobs->wrote(a->fleet->jobs, a, 0, a->n_rows) : HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_array_wrote(heddle_array *a, uint64_t row, uint64_t n_rows)
{
    int is_busy;
    HD_TRY(check_call(a, row, n_rows, "heddle_array_wrote"));
    (void)pthread_mutex_lock(&a->fleet->mutex);
    is_busy = is_in_use(a, 0);
    (void)pthread_mutex_unlock(&a->fleet->mutex);
    if (is_busy)
        return hd_say(NULL, HEDDLE_EBUSY, "heddle_array_wrote: a running loop or wavefront has the array");
    return a->segment == HD_NONE ? HEDDLE_OK : a->fleet->on_jobs->wrote(a->fleet->jobs, a, row, n_rows);
}
