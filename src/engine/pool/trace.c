/* SPDX-License-Identifier: MIT */
/* trace.c - gathers what a traced pool tells: a note when a task is spawned, its stamp when its end is seen. */
#include "engine/pool/trace.h"

#include <sys/syscall.h>
#include <unistd.h>

/* ---- a trace ------------------------------------------------------------------------------------------------------- */

heddle_status hd_trace_new(heddle_pool *p)
{
    struct hd_pool_trace *t;
    if (!p->config.n_trace)
        return HEDDLE_OK;
    t = hd_new(sizeof *t);
    p->trace = t;
    if (!t)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_pool_new: out of memory");
    pthread_mutex_init(&t->mutex, NULL);
    t->opened_ns = heddle_host_clock_ns();
    t->n_bodies = p->graph->g.table->n_bodies;
    t->n_kept = p->config.n_trace;
    t->notes = hd_new_sparse((uint64_t)p->n_slots * sizeof *t->notes);
    t->bodies = hd_new_sparse((uint64_t)t->n_bodies * sizeof *t->bodies);
    t->kept = hd_new_sparse((uint64_t)t->n_kept * sizeof *t->kept);
    if (t->notes && t->bodies && t->kept)
        return HEDDLE_OK;
    return hd_say(NULL, HEDDLE_ENOMEM, "heddle_pool_new: no memory for records of %u tasks", t->n_kept);
}

void hd_trace_delete(heddle_pool *p)
{
    struct hd_pool_trace *t = p->trace;
    if (!t)
        return;
    hd_delete_sparse(t->notes, (uint64_t)p->n_slots * sizeof *t->notes);
    hd_delete_sparse(t->bodies, (uint64_t)t->n_bodies * sizeof *t->bodies);
    hd_delete_sparse(t->kept, (uint64_t)t->n_kept * sizeof *t->kept);
    pthread_mutex_destroy(&t->mutex);
    hd_delete(t, sizeof *t);
}

heddle_status hd_trace_is_there(const heddle_pool *p, const char *call)
{
    HD_TRY(hd_pool_usable(p, call));
    return p->trace
               ? HEDDLE_OK
               : hd_say(NULL, HEDDLE_EINVAL, "%s: the pool was opened without a trace (config n_trace is 0)", call);
}

/* ---- a task --------------------------------------------------------------------------------------------------------- */

static uint32_t thread_number(void)
{
    static _Thread_local uint32_t number;
    if (!number)
        number = (uint32_t)syscall(SYS_gettid);
    return number;
}

void hd_trace_spawned(heddle_pool *p, uint32_t i, const hd_sent *s)
{
    p->words->stamps[i] = (hd_stamp){0, 0, 0, 0, 0}; /* a task that is cancelled may end without one */
    p->trace->notes[i] = (hd_spawn_note){heddle_host_clock_ns(), thread_number(), s->team_size, s->n_blocks, 0};
}

static uint64_t gap(uint64_t from, uint64_t to) { return to > from ? to - from : 0; }

static void count(hd_body_times *b, heddle_status s)
{
    b->n++;
    b->n_ok += s == HEDDLE_OK;
    b->n_failed += s == HEDDLE_EBODY;
    b->n_canceled += s == HEDDLE_ECANCELED;
    b->n_late += s == HEDDLE_ETIMEDOUT;
    b->n_no_room += s == HEDDLE_ENOMEM;
}

/* `shift` makes times of the workers the host's. */
static void add_times(struct hd_pool_trace *t, const heddle_pool_record *r, uint64_t shift)
{
    hd_body_times *b = &t->bodies[r->body];
    hd_histogram_add(&b->start, gap(r->spawned_ns, r->begin_ns + shift));
    hd_histogram_add(&b->body, gap(r->begin_ns, r->end_ns));
    hd_histogram_add(&b->seen, gap(r->end_ns + shift, r->seen_ns));
    t->body_ns += r->body_ns;
    t->warp_ns += (double)r->body_ns * (r->team_size / 32u);
}

/* The caller holds the trace's lock. */
static void add(struct hd_pool_trace *t, heddle_pool_record *r, int is_apart)
{
    r->seen_ns = heddle_host_clock_ns(); /* under the lock, so that records are in its order */
    if (is_apart && r->worker != HEDDLE_POOL_NOT_RUN)
        hd_distance_see(&t->distance, r->spawned_ns, r->begin_ns, r->end_ns, r->seen_ns);
    count(&t->bodies[r->body], r->status);
    if (r->worker != HEDDLE_POOL_NOT_RUN)
        add_times(t, r, hd_trace_shift(&t->distance, r));
    t->first_ns = t->n_seen && t->first_ns < r->spawned_ns ? t->first_ns : r->spawned_ns;
    t->last_ns = r->seen_ns;
    t->kept[t->n_seen++ % t->n_kept] = (hd_kept){*r, t->distance};
}

void hd_trace_ended(heddle_pool *p, uint32_t i, heddle_status status, uint32_t code)
{
    const hd_slot *s = &p->slots[i];
    const hd_spawn_note *note = &p->trace->notes[i];
    const hd_stamp *at = &p->words->stamps[i];
    heddle_pool_record r = {.handle = hd_slot_handle(p, i),
                            .user = s->user,
                            .body = s->body,
                            .team_size = note->team_size,
                            .n_blocks = note->n_blocks,
                            .status = status,
                            .code = code,
                            .thread = note->thread,
                            .worker = at->end ? at->worker : HEDDLE_POOL_NOT_RUN,
                            .spawned_ns = note->spawned_ns,
                            .begin_ns = at->begin,
                            .end_ns = at->end,
                            .body_ns = at->busy};
    pthread_mutex_lock(&p->trace->mutex);
    add(p->trace, &r, p->words->clock_apart);
    pthread_mutex_unlock(&p->trace->mutex);
}

/* ---- numbers -------------------------------------------------------------------------------------------------------- */

void hd_trace_stats(heddle_pool *p, heddle_pool_stats *out)
{
    struct hd_pool_trace *t = p->trace;
    pthread_mutex_lock(&t->mutex);
    out->n_records = t->n_seen < t->n_kept ? t->n_seen : t->n_kept;
    out->observed_ns = gap(t->first_ns, t->last_ns);
    out->body_ns = t->body_ns;
    out->warps_in_use = out->observed_ns ? t->warp_ns / (double)out->observed_ns : 0;
    pthread_mutex_unlock(&t->mutex);
}

void hd_trace_reset(heddle_pool *p)
{
    struct hd_pool_trace *t = p->trace;
    pthread_mutex_lock(&t->mutex);
    memset(t->bodies, 0, t->n_bodies * sizeof *t->bodies);
    t->n_seen = t->first_ns = t->last_ns = t->body_ns = 0;
    t->warp_ns = 0;
    pthread_mutex_unlock(&t->mutex);
}

static heddle_pool_times times_of(const hd_histogram *h)
{
    return (heddle_pool_times){.n = h->n,
                               .total_ns = h->sum,
                               .mean_ns = h->n ? h->sum / h->n : 0,
                               .min_ns = h->least,
                               .median_ns = hd_histogram_quantile(h, 1, 2),
                               .p99_ns = hd_histogram_quantile(h, 99, 100),
                               .max_ns = h->most};
}

HEDDLE_API heddle_status heddle_pool_get_body_stats(heddle_pool *p, uint32_t body, heddle_pool_body_stats *out)
{
    heddle_pool_body_stats s = HEDDLE_POOL_BODY_STATS_INIT;
    const hd_body_times *b;
    HD_TRY(hd_trace_is_there(p, "heddle_pool_get_body_stats"));
    if (!out || body >= p->trace->n_bodies)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_get_body_stats: body %u, into %p: table %s has %u bodies", body,
                      (void *)out, p->graph->g.table->name, p->trace->n_bodies);
    b = &p->trace->bodies[body];
    s.name = hd_body_name(p->graph->g.table, body);
    pthread_mutex_lock(&p->trace->mutex);
    s.n_tasks = b->n;
    s.n_ok = b->n_ok;
    s.n_failed = b->n_failed;
    s.n_canceled = b->n_canceled;
    s.n_late = b->n_late;
    s.n_no_room = b->n_no_room;
    s.start = times_of(&b->start);
    s.body = times_of(&b->body);
    s.seen = times_of(&b->seen);
    pthread_mutex_unlock(&p->trace->mutex);
    hd_copy_known(out, &s, sizeof s);
    return HEDDLE_OK;
}
