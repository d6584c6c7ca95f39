/* SPDX-License-Identifier: MIT */
/* replay.c - puts the ops of a kept run into the queues again (sequence.h): one after another, or as a record of many runs that the accelerators
 * made, with one call.
 *
 * A record serves later starts of the sequence, too, if their runs are like those that it was made of. Its runs lie behind one another
 * without a gap; between two calls all queues wait for one another. So one record has many runs, and another one a single run, for the
 * rest. */
#include "engine/multi/sequence.h"

#include <inttypes.h>
#include <stdio.h>

#define RECORD_OPS 128u  /* of a record, about: it takes some 20 us an op to make one on two GPUs */
#define LEAST_RUNS 4u    /* of fewer no record is made */
#define CALLS_AHEAD 2u   /* the next replay is there when one ends */
#define MOST_POINTS 128u /* of a queue, put and not passed */
#define TURN_OPS 256u    /* between two looks at the queues */

/* ---- one op ----------------------------------------------------------------------------------------------------------------- */

/* What hd_put_op wants of a body. */
typedef struct hand {
    hd_request request;
    hd_given given;
    uint64_t first_number; /* in the trace, of the run's first job */
} hand;

static void set_hand(hand *h, const heddle_sequence *s, const hd_kept *k, const hd_kept_op *o)
{
    const hd_sequence_job *x = o->entry == HD_NONE ? NULL : hd_sequence_at(s, o->entry);
    h->given.job_user = x ? &h->request : NULL;
    h->request.number = x ? h->first_number + o->entry : 0;
    if (!o->op.is_body)
        return;
    h->request.multi = x->multi;
    h->request.params = x->params;
    h->given.block = o->block;
    memcpy(h->given.plan.places, (const hd_seg_place *)k->places.at + o->first_place,
           o->n_places * sizeof(hd_seg_place));
}

/* ---- by the list ------------------------------------------------------------------------------------------------------------ */

static void put_shifted(hd_jobs *j, const hd_kept *k, const hd_kept_op *o, uint64_t n, const hand *h)
{
    hd_seg_point waits[HD_LINE_MOST_DEVICES * HD_N_ROLES];
    hd_seg_op op = o->op;
    uint32_t i;
    op.point.number += n * hd_kept_number(&k->counts, op.point.queue);
    for (i = 0; i < op.n_waits; i++) {
        waits[i] = ((const hd_seg_point *)k->waits.at)[op.first_wait + i];
        waits[i].number += n * hd_kept_number(&k->counts, waits[i].queue);
    }
    if (hd_put_op(j, &op, waits, &h->given) != HEDDLE_OK)
        hd_put_lose(&j->devices[op.point.queue / HD_N_ROLES]);
}

/* All of a run, but for a device that is lost. */
static void put_run(hd_jobs *j, heddle_sequence *s)
{
    const hd_kept *k = hd_sequence_kept(s);
    hand h;
    uint64_t i;
    memset(&h, 0, sizeof h);
    h.first_number = hd_traced_run(j, s->list.n);
    s->n_left--;
    s->n_begun++;
    s->n_by_list++;
    for (i = 0; i < k->ops.n; i++) {
        const hd_kept_op *o = hd_kept_at(k, i);
        set_hand(&h, s, k, o);
        if (!j->devices[o->op.point.queue / HD_N_ROLES].is_lost)
            put_shifted(j, k, o, s->n_by_list, &h);
    }
}

static int has_room(const hd_jobs *j, const hd_kept *k)
{
    uint32_t q;
    for (q = 0; q < k->n_queues; q++) {
        const hd_jobs_device *d = &j->devices[q / HD_N_ROLES];
        const uint64_t given = d->given[q % HD_N_ROLES], passed = d->passed[q % HD_N_ROLES];
        if (given > passed && given - passed + hd_kept_number(&k->counts, q) > MOST_POINTS)
            return 0;
    }
    return 1;
}

static int list_turn(hd_jobs *j, heddle_sequence *s)
{
    const hd_kept *k = hd_sequence_kept(s);
    uint64_t n;
    for (n = 0; n < TURN_OPS && s->n_left && s->end == HEDDLE_OK && !s->has_lost && has_room(j, k); n += k->ops.n) {
        put_run(j, s);
        (void)hd_jobs_tell_losses(j);
    }
    if (!s->n_left || s->end != HEDDLE_OK || s->has_lost)
        s->phase = HD_SEQUENCE_ENDS;
    return n > 0;
}

/* ---- making a record -------------------------------------------------------------------------------------------------------- */

static int takes_part(const hd_kept *k, uint32_t device)
{
    uint32_t role, n = 0;
    for (role = 0; role < HD_N_ROLES; role++)
        n += hd_kept_number(&k->counts, device * HD_N_ROLES + role) > 0;
    return n > 0;
}

/* The n-th of those that take part. */
static uint32_t part(const hd_jobs *j, const hd_kept *k, uint32_t n)
{
    uint32_t d;
    for (d = 0; d < j->n_devices; d++)
        if (takes_part(k, d) && n-- == 0)
            return d;
    return HD_NONE;
}

/* The functions of all that take part; NULL: some cannot record, or they are of several makes. */
static const heddle_accelerator *recorder(const hd_jobs *j, const hd_kept *k, void **selves, uint32_t *n)
{
    const heddle_accelerator *all = NULL, *a;
    uint32_t d;
    for (*n = 0; (d = part(j, k, *n)) != HD_NONE; ++*n) {
        a = &j->devices[d].unit->acc;
        selves[*n] = a->self;
        all = all ? all : a;
        if (!a->record_begin || a->record_begin != all->record_begin)
            return NULL;
    }
    return all;
}

/* A point's number in the record, of which this is run n; 0: it lies before. */
static uint64_t number_in(const hd_kept *k, hd_seg_point p, uint64_t n)
{
    const uint64_t base = hd_kept_number(&k->base, p.queue),
                   number = p.number + n * hd_kept_number(&k->counts, p.queue);
    return number > base ? number - base : 0;
}

static heddle_status record_op(hd_jobs *j, const hd_kept *k, const hd_kept_op *o, uint64_t n, const hand *h)
{
    const heddle_accelerator *a = &j->devices[o->op.point.queue / HD_N_ROLES].unit->acc;
    const uint32_t role = o->op.point.queue % HD_N_ROLES;
    uint32_t i;
    for (i = 0; i < o->op.n_waits; i++) {
        const hd_seg_point w = ((const hd_seg_point *)k->waits.at)[o->op.first_wait + i];
        const uint64_t number = number_in(k, w, n);
        if (number)
            HD_TRY(a->follow(a->self, role, j->devices[w.queue / HD_N_ROLES].unit->acc.self, w.queue % HD_N_ROLES,
                             number));
    }
    HD_TRY(hd_put_work(j, &o->op, &h->given));
    return a->point(a->self, role, number_in(k, o->op.point, n));
}

static heddle_status record_runs(hd_jobs *j, const heddle_sequence *s, uint64_t n_runs)
{
    const hd_kept *k = &s->recorded;
    hand h;
    uint64_t i, n;
    memset(&h, 0, sizeof h);
    for (n = 0; n < n_runs; n++)
        for (i = 0; i < k->ops.n; i++) {
            set_hand(&h, s, k, hd_kept_at(k, i));
            HD_TRY(record_op(j, k, hd_kept_at(k, i), n, &h));
        }
    return HEDDLE_OK;
}

static heddle_status make_record(hd_jobs *j, heddle_sequence *s, uint64_t n_runs, hd_sequence_record *out)
{
    void *selves[HD_LINE_MOST_DEVICES];
    uint32_t n;
    const heddle_accelerator *a = recorder(j, &s->recorded, selves, &n);
    heddle_status status, end;
    *out = (hd_sequence_record){0};
    HD_TRY(a->record_begin(selves, n));
    status = record_runs(j, s, n_runs);
    end = a->record_end(selves, n, &out->recorded);
    if (status == HEDDLE_OK && end == HEDDLE_OK) {
        out->n_runs = n_runs;
        return HEDDLE_OK;
    }
    if (out->recorded)
        a->record_free(out->recorded);
    out->recorded = NULL;
    return status != HEDDLE_OK ? status : end;
}

/* The first of those that made the records. */
static const heddle_accelerator *maker(const heddle_sequence *s)
{
    return &s->jobs->devices[part(s->jobs, &s->recorded, 0)].unit->acc;
}

void hd_replay_free(heddle_sequence *s)
{
    if (s->many.n_runs)
        maker(s)->record_free(s->many.recorded);
    if (s->one.n_runs)
        maker(s)->record_free(s->one.recorded);
    s->many = s->one = (hd_sequence_record){0};
}

static void swap_recorded(heddle_sequence *s)
{
    hd_kept *k = hd_sequence_kept(s);
    const hd_kept was = s->recorded;
    s->recorded = *k;
    *k = was;
}

static uint64_t runs_of_record(const heddle_sequence *s)
{
    const uint64_t most = hd_at_most(RECORD_OPS / s->recorded.ops.n, s->n_left);
    return most > 1u ? s->n_left / ((s->n_left + most - 1u) / most) : 1u;
}

static int make_records(hd_jobs *j, heddle_sequence *s)
{
    heddle_status status;
    hd_replay_free(s);
    swap_recorded(s);
    status = make_record(j, s, 1, &s->one);
    if (status == HEDDLE_OK && runs_of_record(s) > 1u)
        status = make_record(j, s, runs_of_record(s), &s->many);
    if (status == HEDDLE_OK)
        return 1;
    (void)snprintf(s->why, sizeof s->why, "%.199s", hd_thread_error()->text);
    hd_replay_free(s);
    swap_recorded(s);
    return 0;
}

static const char *why_list(const hd_jobs *j, const heddle_sequence *s, const hd_kept *k)
{
    void *selves[HD_LINE_MOST_DEVICES];
    uint32_t n;
    if (s->most == HEDDLE_REPLAY_LIST)
        return "as was asked for";
    if (!hd_kept_stays(k))
        return "rows come from the host, or go there";
    if (!recorder(j, k, selves, &n))
        return "not all devices can record";
    return s->n_left < LEAST_RUNS ? "too few are left" : NULL;
}

hd_sequence_phase hd_replay_begin(hd_jobs *j, heddle_sequence *s)
{
    const hd_kept *k = hd_sequence_kept(s);
    const char *why = why_list(j, s, k);
    s->launch_ns = heddle_host_clock_ns();
    if (why)
        (void)snprintf(s->why, sizeof s->why, "%s", why);
    else if ((s->one.n_runs && hd_kept_are_alike(&s->recorded, k)) || make_records(j, s))
        return HD_SEQUENCE_RECORDS;
    return HD_SEQUENCE_LIST;
}

/* ---- by record -------------------------------------------------------------------------------------------------------------- */

static uint64_t under_way(const hd_sequence_record *r) { return r->n_put - r->n_replays; }

int hd_replay_is_over(const heddle_sequence *s) { return s->has_lost || (!under_way(&s->many) && !under_way(&s->one)); }

/* A record's accelerators are of one make: which of them is lost, only they know. If none says so, it is the first one. */
static void lose_some(hd_jobs *j, heddle_sequence *s)
{
    const hd_error first = *hd_thread_error();
    uint32_t i, d, n = 0;
    for (i = 0; (d = part(j, &s->recorded, i)) != HD_NONE; i++) {
        const heddle_accelerator *a = &j->devices[d].unit->acc;
        uint32_t code;
        uint64_t index;
        const heddle_status status = a->poll(a->self, HD_QUEUE_BODIES, &code, &index);
        if (status == HEDDLE_OK || status == HEDDLE_EBUSY || status == HEDDLE_EBODY)
            continue;
        hd_put_lose(&j->devices[d]);
        n++;
    }
    *hd_thread_error() = first;
    if (!n)
        hd_put_lose(&j->devices[part(j, &s->recorded, 0)]);
    (void)hd_jobs_tell_losses(j);
}

/* They are one call: what happened within them is not known. */
static void trace_replays(hd_jobs *j, const heddle_sequence *s, uint64_t n_runs)
{
    uint32_t i, d;
    (void)hd_traced_run(j, n_runs * s->list.n);
    for (i = 0; (d = part(j, &s->recorded, i)) != HD_NONE; i++)
        hd_traced_replays(j, d, s->launch_ns, n_runs);
}

static int look_at_record(hd_jobs *j, heddle_sequence *s, hd_sequence_record *r)
{
    uint64_t n = r->n_replays, index = 0;
    uint32_t which = 0, code = 0;
    heddle_status status;
    hd_jobs_device *d;
    if (!under_way(r) || s->has_lost)
        return 0;
    status = maker(s)->replayed(r->recorded, &n, &which, &code, &index);
    if (status != HEDDLE_OK && status != HEDDLE_EBODY) {
        lose_some(j, s);
        return 1;
    }
    if (status == HEDDLE_EBODY) {
        d = &j->devices[part(j, &s->recorded, which)];
        d->failures[HD_QUEUE_BODIES] = (hd_jobs_failure){code ? code : 1u, index, 0};
        hd_jobs_fail(j, d, HD_QUEUE_BODIES);
    }
    if (n == r->n_replays)
        return 0;
    if (j->traced)
        trace_replays(j, s, (n - r->n_replays) * r->n_runs);
    r->n_replays = n;
    s->launch_ns = heddle_host_clock_ns();
    return 1;
}

/* A replay may take as long as its slices, one after another. */
static void check_limit(hd_jobs *j, heddle_sequence *s)
{
    const uint64_t n_ops = s->recorded.ops.n * (under_way(&s->many) ? s->many.n_runs : 1u),
                   now = heddle_host_clock_ns();
    uint32_t i, d;
    if (!j->time_limit_ms || hd_replay_is_over(s) || now - s->launch_ns < n_ops * j->time_limit_ms * 1000000ull)
        return;
    for (i = 0; (d = part(j, &s->recorded, i)) != HD_NONE; i++) {
        (void)hd_say(NULL, HEDDLE_EDEVICE, "%s had replays for longer than the time limit of their slices",
                     j->devices[d].unit->name);
        hd_put_lose(&j->devices[d]);
    }
    (void)hd_jobs_tell_losses(j);
}

/* 1: there was one to be put, and room for it. */
static int put_replay(hd_jobs *j, heddle_sequence *s)
{
    hd_sequence_record *r = s->many.n_runs && s->n_left >= s->many.n_runs ? &s->many : &s->one;
    const hd_sequence_record *other = r == &s->many ? &s->one : &s->many;
    if (!s->n_left || s->end != HEDDLE_OK || s->has_lost || under_way(other) || under_way(r) >= CALLS_AHEAD)
        return 0;
    if (!under_way(r))
        s->launch_ns = heddle_host_clock_ns();
    if (maker(s)->replay(r->recorded) != HEDDLE_OK) {
        lose_some(j, s);
        return 1;
    }
    r->n_put++;
    s->n_left -= r->n_runs;
    s->n_begun += r->n_runs;
    s->n_by_record += r->n_runs;
    s->n_calls++;
    return 1;
}

static int record_turn(hd_jobs *j, heddle_sequence *s)
{
    int moved = look_at_record(j, s, &s->many);
    moved |= look_at_record(j, s, &s->one);
    check_limit(j, s);
    while (put_replay(j, s))
        moved = 1;
    if (!s->n_left || s->end != HEDDLE_OK || s->has_lost)
        s->phase = HD_SEQUENCE_ENDS;
    return moved;
}

int hd_replay_turn(hd_jobs *j, heddle_sequence *s)
{
    return s->phase == HD_SEQUENCE_LIST ? list_turn(j, s) : record_turn(j, s);
}

/* ---- a device was lost ------------------------------------------------------------------------------------------------------ */

/* The first rows that are lost of what the sequence's jobs touch; NULL: none are. */
static const hd_piece *lost_piece(hd_jobs *j, const heddle_sequence *s, uint64_t *entry, hd_seg_rect *first)
{
    uint64_t i;
    for (*entry = 0; *entry < s->list.n; ++*entry) {
        const heddle_loop *l = hd_sequence_at(s, *entry)->multi->loop;
        for (i = 0; i < l->pieces.n; i++) {
            const heddle_array *a = hd_piece_at(l, i)->array;
            const hd_seg_rect all = {0, a->n_rows, 0, a->row_bytes};
            if (hd_segments_is_lost(hd_line_segments(j->line), a->segment, &all, first))
                return hd_piece_at(l, i);
        }
    }
    return NULL;
}

static void say_lost(hd_jobs *j, const heddle_sequence *s, const hd_jobs_device *d, hd_error *e)
{
    hd_seg_rect first;
    uint64_t entry;
    const hd_piece *p = lost_piece(j, s, &entry, &first);
    if (!p)
        (void)hd_say(e, HEDDLE_EDEVICE, "%s was lost while jobs of a sequence were replayed: %.120s", d->unit->name,
                     d->trouble);
    else
        (void)hd_say(
            e, HEDDLE_EDEVICE,
            "%s was lost while jobs of a sequence were replayed, and with it what they wrote: access %u of %s has "
            "lost " HD_ROWS_FORMAT ". %.120s",
            d->unit->name, p->access, hd_multi_name(hd_sequence_at(s, entry)->multi), HD_ROWS_OF(p->array, first),
            d->trouble);
}

void hd_replay_lost(hd_jobs *j, heddle_sequence *s)
{
    const hd_kept *k = hd_sequence_replayed(s);
    uint64_t depends[HD_LINE_MOST_DEVICES + 1u], all = 0;
    hd_error e;
    uint32_t d;
    hd_kept_depends(k, j->n_devices, depends);
    for (d = 0; d < j->n_devices; d++)
        all |= takes_part(k, d) ? 1ull << d : 0;
    for (d = 0; s->n_by_record && d <= j->n_devices; d++) /* what the others have done by then is not known either */
        depends[d] |= all;
    hd_segments_spread(hd_line_segments(j->line), depends);
    for (d = 0; d < j->n_devices && (!j->devices[d].is_lost || j->devices[d].is_told); d++)
        ;
    if (s->n_by_record)
        hd_replay_free(s);
    s->is_telling = 1;
    (void)hd_jobs_tell_losses(j);
    say_lost(j, s, &j->devices[d], &e);
    hd_keep_first(&s->end, &s->end_error, HEDDLE_EDEVICE, &e);
    *hd_thread_error() = e;
    hd_jobs_drop_needing(j, NULL);
}
