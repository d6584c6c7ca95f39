/* SPDX-License-Identifier: MIT */
/* told.c - what jobs tell: figures of a kind of jobs and of devices, and lines on the last job. */
#include "engine/multi/jobs.h"

#include <inttypes.h>

/* The driver changes what is read here only while jobs are under way. */
int hd_multi_is_at_rest(const heddle_multi *m)
{
    uint32_t n;
    (void)pthread_mutex_lock(&m->jobs->mutex);
    n = m->jobs->n_jobs;
    (void)pthread_mutex_unlock(&m->jobs->mutex);
    return !n;
}

/* The driver tells, since it changes what is read. out: of the request. A heddle_call_fn that asks is in the driver's thread. */
static heddle_status ask(heddle_multi *m, heddle_status (*call)(hd_jobs *j, hd_request *r), uint32_t device, void *out,
                         const char *name)
{
    hd_request r = {.multi = m, .device = device, .out = out};
    HD_TRY(hd_fleet_check_process(m->fleet, name));
    if (pthread_equal(pthread_self(), m->jobs->thread))
        return call(m->jobs, &r);
    return hd_jobs_call(m->jobs, call, &r);
}

static heddle_status count_jobs(hd_jobs *j, hd_request *r)
{
    heddle_multi_stats *full = r->out;
    hd_kind_counts c;
    hd_kind_count(r->multi->kind, &c);
    full->n_jobs = c.n_jobs;
    full->n_slices = c.n_slices;
    full->n_again = c.n_again;
    full->n_moves = c.n_moves;
    full->time_ns = r->multi->time_ns;
    full->host_ns = __atomic_load_n(&j->host_ns, __ATOMIC_RELAXED);
    full->n_devices = j->n_devices;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_multi_get_stats(const heddle_multi *m, heddle_multi_stats *out)
{
    heddle_multi_stats full = HEDDLE_MULTI_STATS_INIT;
    if (!m || !out || out->size < sizeof(size_t))
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_multi_get_stats: %s",
                      m ? "set *out up with HEDDLE_MULTI_STATS_INIT" : "the job is NULL");
    if (m->jobs) {
        HD_TRY(ask((heddle_multi *)m, count_jobs, 0, &full, "heddle_multi_get_stats"));
    } else {
        full.time_ns = m->time_ns;
        full.n_jobs = m->n_here;
    }
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}

static heddle_status count_device(hd_jobs *j, hd_request *r)
{
    const hd_jobs_device *d = &j->devices[r->device];
    const hd_segments *s = hd_line_segments(j->line);
    heddle_multi_device *full = r->out;
    hd_segments_counts c;
    hd_segments_count(s, &c);
    memcpy(full->name, d->unit->name, sizeof full->name);
    full->pool_bytes = d->pool_bytes;
    full->used_bytes = hd_segments_used(s, r->device);
    full->bytes_in = d->bytes_in;
    full->bytes_out = d->bytes_out;
    full->bytes_peers = d->bytes_peers;
    full->bytes_sent = d->bytes_sent;
    full->n_slices = d->n_slices;
    full->n_left = hd_segments_n_left(s, r->device);
    full->table_bytes = c.table_bytes;
    full->is_lost = (uint32_t)d->is_lost;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_multi_get_device(heddle_multi *m, uint32_t device, heddle_multi_device *out)
{
    heddle_multi_device full = HEDDLE_MULTI_DEVICE_INIT;
    if (!m || !out || out->size < sizeof(size_t))
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_multi_get_device: %s",
                      m ? "set *out up with HEDDLE_MULTI_DEVICE_INIT" : "the job is NULL");
    if (!m->jobs || device >= m->jobs->n_devices)
        return hd_say(NULL, HEDDLE_ENODEV, "heddle_multi_get_device: there is no device %u for jobs", device);
    HD_TRY(ask(m, count_device, device, &full, "heddle_multi_get_device"));
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}

/* ---- lines --------------------------------------------------------------------------------------------------------------------- */

/* That devices had in the last job: a part of columns counts its rows, too. */
static double all_grains(const heddle_multi *m)
{
    uint64_t n_grains, n_slices, busy_ns, sum = 0;
    uint32_t d;
    for (d = 0; d < m->jobs->n_devices; d++) {
        hd_kind_share(m->kind, d, &n_grains, &n_slices, &busy_ns);
        sum += n_grains;
    }
    return (double)sum;
}

static void tell_device(heddle_multi *m, uint32_t d)
{
    const hd_jobs_device *x = &m->jobs->devices[d];
    uint64_t n_grains, n_slices, busy_ns;
    const double all = all_grains(m);
    hd_kind_share(m->kind, d, &n_grains, &n_slices, &busy_ns);
    hd_how_add(&m->how, "%s: %.1f %% of the tiles in %" PRIu64 " slices, %.3g ms", x->unit->name,
               all > 0 ? 100.0 * (double)n_grains / all : 0.0, n_slices, (double)busy_ns / 1e6);
    if (x->is_lost)
        hd_how_add(&m->how, "; lost: %s", x->trouble);
    hd_how_add(&m->how, "\n");
}

static heddle_status tell_job(hd_jobs *j, hd_request *r)
{
    heddle_multi *m = r->multi;
    uint32_t d;
    hd_how_add(&m->how, "map %s over %u devices\n", heddle_map_name(m->desc.map), j->n_devices);
    for (d = 0; d < j->n_devices; d++)
        tell_device(m, d);
    return HEDDLE_OK;
}

HEDDLE_API const char *heddle_multi_how(heddle_multi *m)
{
    if (!m || hd_fleet_is_forked(m->fleet))
        return "";
    if (!m->jobs)
        return m->desc.call ? "no device for jobs: a call of the host\n" : heddle_loop_how(m->loop);
    m->how.n = 0;
    if (hd_multi_is_at_rest(m))
        (void)ask(m, tell_job, 0, NULL, "heddle_multi_how");
    else
        hd_how_add(&m->how, "jobs are under way\n");
    return m->how.at ? m->how.at : "";
}
