/* SPDX-License-Identifier: MIT */
/* traced.c - what is under way in the queues of devices, for the trace of a fleet's jobs (jobs.h, engine/loop/chart.h). An op is kept from when
 * it is put into its queue until the driver has seen its point pass, and is then noted.
 *
 * An op ends when its queue passes its point, as the accelerator tells (passed_at), else when the driver sees that. It begins when it was
 * there, the one before it in its queue had ended, and all that it waited for had. What an op has waited for has ended before, whatever was
 * seen: so it is noted before.
 *
 * Ops of a device that was lost are not noted. Without memory an op is counted as missing. */
#include "engine/multi/jobs.h"

#define N_ENDS 64u /* points of a queue of which the time is known; older ones ended long ago */

typedef struct traced_op {
    hd_chart_part part;
    hd_chart_job job;
    uint64_t number, first_wait; /* of its point; counted from the first wait that the queue ever had */
    uint32_t n_waits;
} traced_op;

typedef struct traced_queue {
    hd_list ops, waits; /* traced_op, hd_seg_point: of ops under way */
    uint64_t head;      /* ops before it have been noted */
    uint64_t n_gone;    /* waits that are no longer kept */
    uint64_t ended;     /* the last point that was seen */
    uint64_t ends_ns[N_ENDS];
} traced_queue;

struct hd_traced {
    hd_chart *chart;
    uint32_t n_queues;
    traced_queue *queues;
    uint64_t n_jobs; /* since it began */
    uint64_t begin_ns, end_ns;
};

/* ---- new and delete ------------------------------------------------------------------------------------------------------------- */

static hd_chart_unit charted(const void *self, uint32_t i)
{
    return (hd_chart_unit){((const hd_jobs *)self)->devices[i].unit->name, 0, HD_CHART_JOBS_PHASES};
}

void hd_traced_delete(hd_jobs *j)
{
    hd_traced *t = j->traced;
    uint32_t q;
    if (!t)
        return;
    for (q = 0; t->queues && q < t->n_queues; q++) {
        hd_list_clear(&t->queues[q].ops);
        hd_list_clear(&t->queues[q].waits);
    }
    hd_delete(t->queues, t->queues ? t->n_queues * sizeof *t->queues : 0);
    hd_chart_delete(t->chart);
    hd_delete(t, sizeof *t);
    j->traced = NULL;
}

heddle_status hd_traced_new(hd_jobs *j, uint32_t n_trace)
{
    const hd_chart_form form = {n_trace, j->n_devices, "jobs", "jobs", "bodies", charted, 1};
    hd_traced *t;
    uint32_t q;
    if (j->traced)
        return HEDDLE_OK;
    t = j->traced = hd_new(sizeof *t);
    if (!t)
        return HEDDLE_ENOMEM;
    t->n_queues = j->n_devices * HD_N_ROLES;
    t->queues = hd_new(t->n_queues * sizeof *t->queues);
    t->chart = t->queues ? hd_chart_new(&form, j) : NULL;
    if (!t->chart) {
        hd_traced_delete(j);
        return HEDDLE_ENOMEM;
    }
    for (q = 0; q < t->n_queues; q++) {
        t->queues[q].ended = j->devices[q / HD_N_ROLES].seen[q % HD_N_ROLES];
        (void)hd_jobs_time_of(j, (hd_seg_point){q, 0}, 0);
    }
    t->begin_ns = heddle_host_clock_ns();
    return HEDDLE_OK;
}

/* ---- jobs ----------------------------------------------------------------------------------------------------------------------- */

/* What is under way from before is shown from the begin on. */
static void begin(hd_traced *t)
{
    hd_chart_clear(t->chart);
    t->begin_ns = heddle_host_clock_ns();
    t->end_ns = 0;
    t->n_jobs = 0;
}

void hd_traced_job(hd_jobs *j, hd_request *r)
{
    int is_first;
    if (!j->traced)
        return;
    (void)pthread_mutex_lock(&j->mutex);
    is_first = j->was_awaited;
    j->was_awaited = 0;
    (void)pthread_mutex_unlock(&j->mutex);
    if (is_first)
        begin(j->traced);
    r->number = j->traced->n_jobs++;
}

uint64_t hd_traced_run(hd_jobs *j, uint64_t n_jobs)
{
    if (!j->traced)
        return 0;
    j->traced->n_jobs += n_jobs;
    return j->traced->n_jobs - n_jobs;
}

/* ---- ops that are put ----------------------------------------------------------------------------------------------------------- */

static void describe_body(traced_op *x, const hd_given *g)
{
    const heddle_loop *l = ((const hd_request *)g->job_user)->multi->loop;
    x->part.phase = HEDDLE_PHASE_BODIES;
    x->part.begin = hd_grain_begin(l, g->block.begin);
    x->part.end = hd_grain_begin(l, g->block.end);
    x->job.body = l->table->bodies[l->desc.body].name;
    if (!l->desc.n_2)
        return;
    x->job.begin_2 = g->block.begin_2 * l->desc.tile_2;
    x->job.end_2 = hd_at_most(g->block.end_2 * l->desc.tile_2, l->desc.n_2);
}

static void describe_move(traced_op *x, const hd_seg_op *o)
{
    x->part.phase = o->from == HD_HOME ? HEDDLE_PHASE_IN : o->to == HD_HOME ? HEDDLE_PHASE_HOME : HD_CHART_PEERS;
    x->part.n_bytes = hd_seg_rect_bytes(&o->rect);
    x->part.begin = o->rect.row;
    x->part.end = o->rect.end_row;
    x->job.array = o->array;
    x->job.from = o->from;
}

/* Forgets what has been noted, when that is most of it. */
static void shorten(traced_queue *q)
{
    traced_op *ops = q->ops.at;
    const uint64_t n_waits = q->head == q->ops.n ? q->waits.n : ops[q->head].first_wait - q->n_gone;
    if (q->head < N_ENDS || q->head <= q->ops.n / 2u)
        return;
    q->ops.n -= q->head;
    memmove(ops, ops + q->head, q->ops.n * sizeof *ops);
    q->head = 0;
    if (!n_waits)
        return;
    q->waits.n -= n_waits;
    memmove(q->waits.at, (hd_seg_point *)q->waits.at + n_waits, q->waits.n * sizeof(hd_seg_point));
    q->n_gone += n_waits;
}

void hd_traced_put(hd_jobs *j, const hd_seg_op *o, const hd_seg_point *waits, const hd_given *given, uint64_t put_ns)
{
    traced_queue *q = &j->traced->queues[o->point.queue];
    traced_op x;
    memset(&x, 0, sizeof x);
    x.job.job = given && given->job_user ? ((const hd_request *)given->job_user)->number : UINT64_MAX;
    x.part.begin_ns = put_ns;
    x.number = o->point.number;
    x.n_waits = o->n_waits;
    if (o->is_body)
        describe_body(&x, given);
    else
        describe_move(&x, o);
    shorten(q);
    if (hd_list_room(&q->ops, 1, sizeof x) || hd_list_room(&q->waits, o->n_waits, sizeof *waits)) {
        hd_chart_drop(j->traced->chart, o->point.queue / HD_N_ROLES, x.part.phase);
        return;
    }
    x.first_wait = q->n_gone + q->waits.n;
    ((traced_op *)q->ops.at)[q->ops.n++] = x;
    if (o->n_waits)
        memcpy((hd_seg_point *)q->waits.at + q->waits.n, waits, o->n_waits * sizeof *waits);
    q->waits.n += o->n_waits;
}

/* ---- ops that have ended -------------------------------------------------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* When a queue was seen to pass the point; 0: long ago. */
static uint64_t end_of(const traced_queue *q, uint64_t number)
{
    return number && number <= q->ended && number + N_ENDS > q->ended ? q->ends_ns[number % N_ENDS] : 0;
}

/* When the last of what it waited for had ended. */
static uint64_t waits_end(const hd_traced *t, const traced_queue *q, const traced_op *x)
{
    const hd_seg_point *w = (const hd_seg_point *)q->waits.at + (x->first_wait - q->n_gone);
    uint64_t end = 0;
    uint32_t i;
    for (i = 0; i < x->n_waits; i++)
        end = later(end, end_of(&t->queues[w[i].queue], w[i].number));
    return end;
}

static void note(hd_jobs *j, uint32_t queue, traced_op *x, uint64_t begin_ns, uint64_t end_ns)
{
    x->part.begin_ns = later(later(x->part.begin_ns, j->traced->begin_ns), begin_ns);
    x->part.end_ns = later(x->part.begin_ns + 1u, end_ns);
    hd_chart_note_job(j->traced->chart, queue / HD_N_ROLES, &x->part, &x->job);
}

/* The op has ended: so has what it waited for. These are fewer steps down than there are ops under way. */
static void end_waits(hd_jobs *j, const traced_queue *q, const traced_op *x, uint64_t now_ns)
{
    uint32_t i;
    for (i = 0; i < x->n_waits; i++) {
        const hd_seg_point w = ((const hd_seg_point *)q->waits.at)[x->first_wait - q->n_gone + i];
        hd_traced_passed(j, w, now_ns);
    }
}

static void end_next(hd_jobs *j, uint32_t queue, uint64_t now_ns)
{
    traced_queue *q = &j->traced->queues[queue];
    const uint64_t number = q->ended + 1u;
    traced_op *x = q->head < q->ops.n ? (traced_op *)q->ops.at + q->head : NULL;
    uint64_t begin = end_of(q, q->ended), end;
    if (x && x->number != number)
        x = NULL;
    if (x)
        end_waits(j, q, x, now_ns);
    if (x)
        begin = later(begin, waits_end(j->traced, q, x));
    end = later(begin + 1u, hd_jobs_time_of(j, (hd_seg_point){queue, number},
                                            now_ns)); /* no event is empty, so that none overlap */
    q->ended = number;
    q->ends_ns[number % N_ENDS] = end;
    j->traced->end_ns = later(j->traced->end_ns, end);
    if (!x)
        return;
    note(j, queue, x, begin, end);
    q->head++;
}

void hd_traced_passed(hd_jobs *j, hd_seg_point p, uint64_t now_ns)
{
    while (!j->devices[p.queue / HD_N_ROLES].is_lost && j->traced->queues[p.queue].ended < p.number)
        end_next(j, p.queue, now_ns);
}

void hd_traced_replays(hd_jobs *j, uint32_t device, uint64_t begin_ns, uint64_t n_runs)
{
    const uint64_t now = heddle_host_clock_ns();
    const hd_chart_part p = {HEDDLE_PHASE_BODIES, 0, 0, 0, 0, begin_ns, now};
    const hd_chart_job x = {"replays", UINT64_MAX, 0, 0, n_runs, 0, 0};
    j->traced->end_ns = now;
    hd_chart_note_job(j->traced->chart, device, &p, &x);
}

/* ---- calls ------------------------------------------------------------------------------------------------------------------------ */

/* What the loop of a fleet of cores shows, or all that has been noted. */
static heddle_status find(heddle_multi *m, const hd_chart **out, const char *call)
{
    hd_traced *t;
    *out = m && !m->jobs ? m->loop->chart : NULL;
    if (!m || !m->jobs)
        return HEDDLE_OK;
    HD_TRY(hd_fleet_check_process(m->fleet, call));
    if (!hd_multi_is_at_rest(m))
        return hd_say(NULL, HEDDLE_EBUSY, "%s: jobs are under way", call);
    m->fleet->on_jobs->rest(m->jobs);
    t = m->jobs->traced;
    if (!t)
        return HEDDLE_OK;
    hd_chart_end(t->chart, t->begin_ns, t->end_ns > t->begin_ns ? t->end_ns - t->begin_ns : 0);
    *out = t->chart;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_multi_write_trace(heddle_multi *m, const char *path)
{
    static const char call[] = "heddle_multi_write_trace";
    const hd_chart *c;
    HD_TRY(find(m, &c, call));
    return hd_chart_write_trace(c, m ? &m->loop->turn : NULL, "job", path, call);
}

HEDDLE_API heddle_status heddle_multi_write_timeline(heddle_multi *m, const char *path, const char *title)
{
    static const char call[] = "heddle_multi_write_timeline";
    const hd_chart *c;
    HD_TRY(find(m, &c, call));
    return hd_chart_write_timeline(c, m ? &m->loop->turn : NULL, "job", path, title, call);
}
