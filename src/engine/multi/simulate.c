/* SPDX-License-Identifier: MIT */
/* simulate.c - jobs in virtual time (heddle/simulate.h): the line of jobs (line.h) gives ops to queues that are only counted.
 *
 * A queue is at the first of its ops. An op waits for its points, and then takes a fixed time: latency, or a body's work. A copy then
 * has a rate, which it shares with others. Rates are made anew whenever a copy begins or ends to be carried. The thread that gives ops is
 * one more actor: it takes a time for each, and looks at the queues in between. So events are few enough for a plain search of the next. */
#include "engine/multi/simulated.h"

#include <math.h>

#define LOCAL_RATE 1000.0   /* bytes a nanosecond, of copies within a device */
#define FETCHES 16u         /* the host asks for the result in so many parts */
#define ENOUGH (1ull << 44) /* of a pool without limit */

typedef enum phase { PHASE_NONE, PHASE_FIXED, PHASE_CARRIED } phase;

typedef struct sim_op {
    uint64_t first_wait; /* in waits of all */
    uint32_t n_waits, from, to;
    int is_body;
    double given_ns, fixed_ns, bytes;
} sim_op;

typedef struct sim_queue {
    hd_list ops; /* sim_op */
    uint64_t done, seen;
    phase phase;
    int was_blocked;            /* its first op had to wait for another queue */
    double end_ns, bytes, rate; /* end: of the phase; bytes: that are left */
} sim_queue;

typedef struct sim_jobs {
    const heddle_jobs_simulation *d;
    hd_sim_app app;
    hd_line *line;
    hd_given given;
    sim_queue *queues;
    hd_list waits; /* hd_seg_point */
    uint32_t n_queues;
    double now, giver_ns, carried_since; /* giver: when it is free */
    int giver_sleeps, is_changed;
    uint32_t n_fetched; /* parts of the result */
    int is_fetched[FETCHES];
    uint64_t n_started, n_ended;
    double busy_giver;
    heddle_simulated_gpu_use *uses;
    heddle_simulated_jobs sum; /* begins as the app's bound */
} sim_jobs;

HEDDLE_API const char *heddle_simulated_job_name(heddle_simulated_job job)
{
    static const char *const names[] = {
#define HEDDLE_X(name, value, text, help) [value] = (text),
        HEDDLE_SIMULATED_JOBS_MAP(HEDDLE_X)
#undef HEDDLE_X
    };
    return (unsigned)job < HEDDLE_N_SIMULATED_JOBS ? names[(unsigned)job] : NULL;
}

static sim_op *first_op(const sim_queue *q) { return (sim_op *)q->ops.at + q->done; }

/* ---- copies at the same time ------------------------------------------------------------------------------------------------ */

static int is_by_host(const sim_op *o) { return o->from == HD_HOME || o->to == HD_HOME; }

/* The most that a copy alone can have. */
static double rate_alone(const sim_jobs *x, const sim_op *o)
{
    if (o->from == HD_HOME)
        return x->d->devices[o->to].in.bytes_ns;
    if (o->to == HD_HOME)
        return x->d->devices[o->from].out.bytes_ns;
    return o->from == o->to ? LOCAL_RATE : x->d->devices[o->to].port.bytes_ns;
}

/* Readers of a device share its port. */
static void share_ports(sim_jobs *x)
{
    uint32_t readers[HD_LINE_MOST_DEVICES] = {0}, i;
    for (i = 0; i < x->n_queues; i++)
        if (x->queues[i].phase == PHASE_CARRIED && !is_by_host(first_op(&x->queues[i])))
            readers[first_op(&x->queues[i])->from]++;
    for (i = 0; i < x->n_queues; i++) {
        sim_queue *q = &x->queues[i];
        const sim_op *o = q->phase == PHASE_CARRIED ? first_op(q) : NULL;
        double part;
        if (!o || is_by_host(o) || o->from == o->to)
            continue;
        part = x->d->devices[o->from].port.bytes_ns / readers[o->from];
        q->rate = part < q->rate ? part : q->rate;
    }
}

/* What those have that cannot use more than `level`, is not there for the others: the level of these. */
static double level_above(const sim_jobs *x, double level)
{
    double left = x->d->memory_ns;
    uint32_t n = 0, i;
    for (i = 0; i < x->n_queues; i++) {
        const sim_queue *q = &x->queues[i];
        if (q->phase != PHASE_CARRIED || !is_by_host(first_op(q)))
            continue;
        left -= q->rate <= level ? q->rate : 0;
        n += q->rate > level;
    }
    return n ? left / n : HUGE_VAL;
}

static void share_memory(sim_jobs *x)
{
    double level, next = 0;
    uint32_t i;
    if (!(x->d->memory_ns > 0))
        return;
    do {
        level = next;
        next = level_above(x, level);
    } while (next > level && next < HUGE_VAL);
    for (i = 0; i < x->n_queues; i++) {
        sim_queue *q = &x->queues[i];
        if (q->phase == PHASE_CARRIED && is_by_host(first_op(q)) && q->rate > next)
            q->rate = next;
    }
}

static void set_rates(sim_jobs *x)
{
    uint32_t i;
    for (i = 0; i < x->n_queues; i++) {
        sim_queue *q = &x->queues[i];
        if (q->phase != PHASE_CARRIED)
            continue;
        q->bytes -= q->rate * (x->now - x->carried_since);
        q->rate = rate_alone(x, first_op(q));
    }
    share_ports(x);
    share_memory(x);
    for (i = 0; i < x->n_queues; i++)
        if (x->queues[i].phase == PHASE_CARRIED)
            x->queues[i].end_ns = x->now + fmax(0, x->queues[i].bytes) / x->queues[i].rate;
    x->carried_since = x->now;
    x->is_changed = 0;
}

/* ---- queues ------------------------------------------------------------------------------------------------------------------ */

static int is_free(const sim_jobs *x, const sim_op *o)
{
    const hd_seg_point *w = (const hd_seg_point *)x->waits.at + o->first_wait;
    uint32_t i;
    for (i = 0; i < o->n_waits; i++)
        if (x->queues[w[i].queue].done < w[i].number)
            return 0;
    return 1;
}

static int has_op(const sim_queue *q) { return q->done < q->ops.n; }

static void begin_first(sim_jobs *x, uint32_t queue)
{
    sim_queue *q = &x->queues[queue];
    const sim_op *o;
    if (q->phase != PHASE_NONE || !has_op(q) || first_op(q)->given_ns > x->now)
        return;
    o = first_op(q);
    if (!is_free(x, o)) {
        q->was_blocked = 1;
        return;
    }
    q->phase = PHASE_FIXED;
    q->end_ns = x->now + o->fixed_ns + (q->was_blocked ? x->d->hop_ns : 0);
    q->was_blocked = 0;
    if (o->is_body)
        x->uses[queue / HD_N_ROLES].busy_ns += (uint64_t)o->fixed_ns;
}

static void pass(sim_jobs *x, sim_queue *q)
{
    if (first_op(q)->is_body)
        x->sum.steps_ns = (uint64_t)x->now;
    q->done++;
    q->phase = PHASE_NONE;
    if (x->giver_sleeps) { /* it sees it */
        x->giver_sleeps = 0;
        x->giver_ns = fmax(x->giver_ns, x->now);
    }
}

static void end_phase(sim_jobs *x, sim_queue *q)
{
    const sim_op *o = first_op(q);
    if (q->phase == PHASE_FIXED && !o->is_body) {
        q->phase = PHASE_CARRIED;
        q->bytes = o->bytes;
        q->rate = 0;
        x->is_changed = 1;
        return;
    }
    x->is_changed |= q->phase == PHASE_CARRIED;
    pass(x, q);
}

/* ---- giving ------------------------------------------------------------------------------------------------------------------- */

static double latency_of(const sim_jobs *x, const hd_seg_op *o)
{
    if (o->from == HD_HOME)
        return (double)x->d->devices[o->to].in.latency_ns;
    if (o->to == HD_HOME)
        return (double)x->d->devices[o->from].out.latency_ns;
    return o->from == o->to ? 0 : (double)x->d->devices[o->to].port.latency_ns;
}

static double body_ns(const sim_jobs *x, uint32_t device)
{
    const hd_sim_kind *k = x->given.job_user;
    return x->d->body_ns + hd_sim_work(k, &x->given.block) / x->d->devices[device].rate;
}

static heddle_status put_op(sim_jobs *x, const hd_seg_op *o)
{
    sim_queue *q = &x->queues[o->point.queue];
    sim_op *to;
    if (hd_list_room(&q->ops, 1, sizeof *to) || hd_list_room(&x->waits, o->n_waits, sizeof(hd_seg_point)))
        return HEDDLE_ENOMEM;
    x->giver_ns += x->d->op_ns;
    x->busy_giver += x->d->op_ns;
    to = (sim_op *)q->ops.at + q->ops.n++;
    *to = (sim_op){x->waits.n,      o->n_waits,  o->from, o->to,
                   (int)o->is_body, x->giver_ns, 0,       (double)hd_seg_rect_bytes(&o->rect)};
    to->fixed_ns = o->is_body ? body_ns(x, o->point.queue / HD_N_ROLES) : latency_of(x, o);
    if (o->n_waits)
        memcpy((hd_seg_point *)x->waits.at + x->waits.n, (hd_seg_point *)x->given.plan.waits.at + o->first_wait,
               o->n_waits * sizeof(hd_seg_point));
    x->waits.n += o->n_waits;
    x->sum.n_ops++;
    return HEDDLE_OK;
}

/* Also of a call that failed: its ops have been given. */
static heddle_status put_plan(sim_jobs *x, heddle_status s)
{
    uint64_t i;
    for (i = 0; i < x->given.plan.ops.n && s == HEDDLE_OK; i++)
        s = put_op(x, (hd_seg_op *)x->given.plan.ops.at + i);
    return s;
}

static uint64_t bytes_home(const sim_jobs *x)
{
    uint64_t n = 0;
    uint32_t d;
    for (d = 0; d < x->d->n_devices; d++)
        n += hd_segments_moved(hd_line_segments(x->line), d, HD_HOME);
    return n;
}

static hd_seg_rect all_of(const sim_jobs *x, uint32_t array)
{
    return (hd_seg_rect){0, x->app.n_rows[array], 0, x->app.row_bytes[array]};
}

static hd_seg_rect part_of(const sim_jobs *x, uint32_t i)
{
    const uint64_t n = x->app.n_rows[x->app.result];
    hd_seg_rect part = all_of(x, x->app.result);
    part.row = n * i / FETCHES;
    part.end_row = n * (i + 1u) / FETCHES;
    return part;
}

/* The next part of the result of which all slices that write it have been given; FETCHES: there is none. */
static uint32_t next_part(const sim_jobs *x)
{
    uint32_t i;
    if (x->n_started < x->app.n_jobs)
        return FETCHES;
    for (i = 0; i < FETCHES; i++) {
        const hd_seg_rect part = part_of(x, i);
        if (!x->is_fetched[i] && (part.row == part.end_row || !hd_line_touches(x->line, x->app.result, &part, 1)))
            return i;
    }
    return FETCHES;
}

static heddle_status fetch(sim_jobs *x)
{
    const uint32_t i = next_part(x);
    const hd_seg_rect part = part_of(x, i);
    x->giver_sleeps = i == FETCHES;
    if (i == FETCHES)
        return HEDDLE_OK;
    if (!x->n_fetched)
        x->sum.bytes_steps = bytes_home(x);
    x->n_fetched++;
    x->is_fetched[i] = 1;
    return part.row == part.end_row
               ? HEDDLE_OK
               : put_plan(x, hd_segments_fetch(hd_line_segments(x->line), x->app.result, &part, &x->given.plan));
}

/* Nothing is under way. All that devices have is stale from now on. */
static heddle_status forget(sim_jobs *x)
{
    uint32_t i;
    for (i = 0; i < x->app.n_arrays; i++) {
        const hd_seg_rect all = all_of(x, i);
        HD_TRY(hd_segments_wrote(hd_line_segments(x->line), i, &all, &x->given.plan));
    }
    return HEDDLE_OK;
}

/* All jobs at once; if nothing is kept, one after another. */
static heddle_status start_jobs(sim_jobs *x)
{
    while (x->n_started < x->app.n_jobs && (x->d->keeps || x->n_started == x->n_ended)) {
        hd_sim_kind *k = &x->app.kinds[x->n_started % x->app.n_kinds];
        hd_line_job *job;
        if (!x->d->keeps && x->n_started)
            HD_TRY(forget(x));
        HD_TRY(hd_line_start(x->line, k->kind, k, &job));
        x->n_started++;
    }
    return HEDDLE_OK;
}

/* A turn of the thread that gives: it looks at the queues, and gives one slice. */
static heddle_status turn(sim_jobs *x)
{
    uint32_t i;
    int given;
    heddle_status s;
    for (i = 0; i < x->n_queues; i++) {
        sim_queue *q = &x->queues[i];
        if (q->seen == q->done)
            continue;
        q->seen = q->done;
        HD_TRY(hd_line_passed(x->line, (hd_seg_point){i, q->done}, (uint64_t)x->now));
    }
    HD_TRY(start_jobs(x));
    s = hd_line_give(x->line, &x->given, &given, (uint64_t)x->now);
    if (!given && s == HEDDLE_OK)
        return fetch(x);
    s = put_plan(x, s);
    if (given && s == HEDDLE_OK)
        hd_line_put(x->line, &x->given, (uint64_t)x->giver_ns);
    return s;
}

/* ---- time --------------------------------------------------------------------------------------------------------------------- */

static int is_at_rest(const sim_jobs *x)
{
    uint32_t i;
    for (i = 0; i < x->n_queues; i++)
        if (has_op(&x->queues[i]))
            return 0;
    return 1;
}

static double next_ns(const sim_jobs *x)
{
    double next = x->giver_sleeps ? HUGE_VAL : x->giver_ns;
    uint32_t i;
    for (i = 0; i < x->n_queues; i++) {
        const sim_queue *q = &x->queues[i];
        if (q->phase != PHASE_NONE)
            next = fmin(next, q->end_ns);
        else if (has_op(q) && first_op(q)->given_ns > x->now)
            next = fmin(next, first_op(q)->given_ns);
    }
    return next;
}

static heddle_status step(sim_jobs *x)
{
    uint32_t i;
    for (i = 0; i < x->n_queues; i++)
        if (x->queues[i].phase != PHASE_NONE && x->queues[i].end_ns <= x->now)
            end_phase(x, &x->queues[i]);
    if (!x->giver_sleeps && x->giver_ns <= x->now)
        HD_TRY(turn(x));
    for (i = 0; i < x->n_queues; i++)
        begin_first(x, i);
    if (x->is_changed)
        set_rates(x);
    return HEDDLE_OK;
}

static heddle_status run(sim_jobs *x)
{
    while (x->n_fetched < FETCHES || !is_at_rest(x) || !hd_line_is_empty(x->line)) {
        const double next = next_ns(x);
        heddle_status s;
        if (!(next < HUGE_VAL))
            return hd_say(NULL, HEDDLE_ETIMEDOUT, "the simulated jobs do not end: queues wait for one another");
        x->now = fmax(x->now, next);
        s = step(x);
        if (s != HEDDLE_OK)
            return s == HEDDLE_ERANGE ? hd_say(NULL, s, "a slice needs %llu bytes, more than a pool has",
                                               (unsigned long long)x->given.plan.need_bytes)
                                      : hd_say(NULL, s, "simulated jobs: %s", heddle_status_text(s));
    }
    return HEDDLE_OK;
}

/* ---- the line ------------------------------------------------------------------------------------------------------------------ */

static void ended(void *user, hd_line_job *job, void *kind, heddle_status s)
{
    (void)job, (void)kind, (void)s;
    ((sim_jobs *)user)->n_ended++;
}

static void find_uses(const void *kind, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home)
{
    const hd_sim_kind *k = kind;
    uint32_t i;
    for (i = 0; i < k->n_uses; i++) {
        const hd_sim_use *u = &k->uses[i];
        hd_seg_rect r = u->rect;
        if (u->by_rows) {
            const uint64_t begin = b->begin * k->grain, end = hd_at_most(b->end * k->grain, k->n_rows);
            r.row += begin - hd_at_most(u->halo, begin);
            r.end_row = u->rect.row + hd_at_most(end + u->halo, k->n_rows);
        }
        if (u->by_bytes) {
            r.byte += b->begin_2 * k->grain_2;
            r.end_byte = u->rect.byte + hd_at_most(b->end_2 * k->grain_2, k->n_bytes);
        }
        out[i] = (hd_seg_use){u->array, u->mode, r, r, 1};
        comes_home[i] = u->comes_home;
    }
}

static heddle_status make_kinds(sim_jobs *x)
{
    uint64_t i;
    uint32_t u;
    for (i = 0; i < x->app.n_kinds; i++) {
        hd_sim_kind *k = &x->app.kinds[i];
        const hd_line_kind_config c = {(k->n_rows + k->grain - 1u) / k->grain,
                                       (k->n_bytes + k->grain_2 - 1u) / k->grain_2,
                                       x->d->map,
                                       x->d->n_tasks,
                                       x->d->n_tasks_2 ? x->d->n_tasks_2 : 1,
                                       k->n_uses,
                                       find_uses,
                                       k,
                                       !x->d->keeps || k->uses[0].comes_home,
                                       k->n_rows};
        for (u = 0; u < k->n_uses && !x->d->keeps; u++)
            k->uses[u].comes_home = (k->uses[u].mode & HEDDLE_MODE_OUT) != 0;
        HD_TRY(hd_kind_new(x->line, &c, &k->kind));
    }
    return HEDDLE_OK;
}

static int make_line(sim_jobs *x)
{
    double weights[HD_LINE_MOST_DEVICES];
    uint64_t pools[HD_LINE_MOST_DEVICES];
    uint8_t reach[HD_LINE_MOST_DEVICES * HD_LINE_MOST_DEVICES];
    const uint32_t n = x->d->n_devices;
    const hd_line_config c = {n, weights, pools, reach, 1, 0, ended, x, NULL};
    uint32_t a, b;
    for (a = 0; a < n; a++) {
        const heddle_simulated_gpu *g = &x->d->devices[a];
        weights[a] = g->weight > 0 ? g->weight : g->rate;
        pools[a] = g->pool_bytes ? g->pool_bytes : ENOUGH;
        for (b = 0; b < n; b++)
            reach[a * n + b] = a == b || (g->port.bytes_ns > 0 && x->d->devices[b].port.bytes_ns > 0);
    }
    x->queues = hd_new(n * HD_N_ROLES * sizeof *x->queues);
    x->n_queues = x->queues ? n * HD_N_ROLES : 0;
    x->uses = hd_new(n * sizeof *x->uses);
    return x->queues && x->uses && hd_line_new(&x->line, &c) == HEDDLE_OK ? 0 : -1;
}

static heddle_status make(sim_jobs *x)
{
    uint32_t i, array;
    HD_TRY(hd_sim_app_open(&x->app, x->d));
    x->sum = x->app.bound;
    if (make_line(x))
        return hd_say(NULL, HEDDLE_ENOMEM, "no memory to simulate %u devices", x->d->n_devices);
    for (i = 0; i < x->app.n_arrays; i++)
        if (hd_segments_add(hd_line_segments(x->line), x->app.n_rows[i], x->app.row_bytes[i], x->app.row_bytes[i],
                            &array) != HEDDLE_OK)
            return hd_say(NULL, HEDDLE_ENOMEM, "no memory for a simulated array");
    return make_kinds(x) == HEDDLE_OK ? HEDDLE_OK : hd_say(NULL, HEDDLE_ENOMEM, "no memory for simulated jobs");
}

static void clear(sim_jobs *x)
{
    uint64_t i;
    for (i = 0; i < x->n_queues; i++)
        hd_list_clear(&x->queues[i].ops);
    if (x->line)
        for (i = 0; i < x->app.n_kinds; i++)
            hd_kind_delete(x->app.kinds[i].kind);
    hd_line_delete(x->line);
    hd_seg_plan_clear(&x->given.plan);
    hd_list_clear(&x->waits);
    hd_delete(x->queues, x->n_queues * sizeof *x->queues);
    hd_delete(x->uses, x->uses ? x->d->n_devices * sizeof *x->uses : 0);
    hd_sim_app_close(&x->app);
}

/* ---- answers ------------------------------------------------------------------------------------------------------------------- */

static void tell_device(sim_jobs *x, uint32_t d)
{
    const hd_segments *s = hd_line_segments(x->line);
    heddle_simulated_gpu_use *u = &x->uses[d];
    uint32_t e;
    u->bytes_in = hd_segments_moved(s, HD_HOME, d);
    u->bytes_out = hd_segments_moved(s, d, HD_HOME);
    for (e = 0; e < x->d->n_devices; e++) {
        u->bytes_peers += e == d ? 0 : hd_segments_moved(s, e, d);
        u->bytes_sent += e == d ? 0 : hd_segments_moved(s, d, e);
    }
    u->n_slices = x->queues[hd_seg_queue(d, HD_QUEUE_BODIES)].ops.n;
    u->n_left = hd_segments_n_left(s, d);
    x->sum.bytes_in += u->bytes_in;
    x->sum.bytes_out += u->bytes_out;
    x->sum.bytes_peers += u->bytes_peers;
    x->sum.n_slices += u->n_slices;
}

static void tell(sim_jobs *x, heddle_simulated_jobs *out, heddle_simulated_gpu_use *uses)
{
    heddle_simulated_jobs *s = &x->sum;
    hd_kind_counts c;
    uint64_t i;
    uint32_t d;
    for (d = 0; d < x->d->n_devices; d++)
        tell_device(x, d);
    for (i = 0; i < x->app.n_kinds; i++) {
        hd_kind_count(x->app.kinds[i].kind, &c);
        s->n_moves += c.n_moves;
    }
    s->time_ns = (uint64_t)x->now;
    s->n_jobs = x->n_ended;
    s->giver_ns = (uint64_t)x->busy_giver;
    hd_copy_known(out, s, sizeof *s);
    if (uses)
        memcpy(uses, x->uses, x->d->n_devices * sizeof *uses);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------------ */

static int is_positive(double x) { return x > 0 && x < 1e300; }
static int is_cost(double x) { return x >= 0 && x < 1e300; }

static int is_device(const heddle_simulated_gpu *g)
{
    return is_positive(g->rate) && is_cost(g->weight) && is_positive(g->in.bytes_ns) && is_positive(g->out.bytes_ns) &&
           is_cost(g->port.bytes_ns) && (!g->pool_bytes || g->pool_bytes >= 65536u);
}

static heddle_status check(const heddle_jobs_simulation *d)
{
    uint32_t i;
    if ((unsigned)d->job >= HEDDLE_N_SIMULATED_JOBS || (unsigned)d->map >= HEDDLE_N_MAPS)
        return hd_say(NULL, HEDDLE_EINVAL, "simulated jobs: no such app, or map");
    if (!d->n || d->n > (1u << 24))
        return hd_say(NULL, HEDDLE_EINVAL, "simulated jobs: n is from 1 to 2^24");
    if (!d->devices || !d->n_devices || d->n_devices > HD_LINE_MOST_DEVICES)
        return hd_say(NULL, HEDDLE_EINVAL, "simulated jobs: from 1 to %u devices are expected", HD_LINE_MOST_DEVICES);
    for (i = 0; i < d->n_devices; i++)
        if (!is_device(&d->devices[i]))
            return hd_say(NULL, HEDDLE_EINVAL, "simulated jobs: device %u has no rate, link or pool", i);
    if (!is_cost(d->memory_ns) || !is_cost(d->op_ns) || !is_cost(d->body_ns) || !is_cost(d->hop_ns))
        return hd_say(NULL, HEDDLE_EINVAL, "simulated jobs: rates and costs are 0 or more");
    if (d->n_tasks > HEDDLE_MULTI_MOST_TASKS || d->n_tasks_2 > 4096u)
        return hd_say(NULL, HEDDLE_EINVAL, "simulated jobs: too many tasks");
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_simulate_jobs(const heddle_jobs_simulation *d, heddle_simulated_jobs *out,
                                              heddle_simulated_gpu_use *uses)
{
    heddle_jobs_simulation known = HEDDLE_JOBS_SIMULATION_INIT;
    sim_jobs x;
    heddle_status s;
    if (!d || !out)
        return hd_say(NULL, HEDDLE_EINVAL, "a description and room for the result are expected");
    hd_copy_known(&known, d, d->size);
    HD_TRY(check(&known));
    known.n_steps = known.n_steps ? known.n_steps : 1;
    memset(&x, 0, sizeof x);
    x.d = &known;
    s = make(&x);
    if (s == HEDDLE_OK)
        s = run(&x);
    if (s == HEDDLE_OK)
        tell(&x, out, uses);
    clear(&x);
    return s;
}
