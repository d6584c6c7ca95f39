/* SPDX-License-Identifier: MIT */
/* put.c - puts the ops of plans into the queues of accelerators. A queue waits for points of others on the device, if the accelerators are of
 * one make; else the host waits before it puts the op.
 *
 * A device that refuses an op is lost. All other ops of the plan are put all the same, because the directory counts on them: those of the lost
 * device are left out, and nobody waits for its points.
 *
 * A time limit is for a device that works. So it is known which ops under way wait for others. */
#include "engine/multi/jobs.h"

#include <stdio.h>

static hd_jobs_device *device_of(const hd_jobs *j, uint32_t queue) { return &j->devices[queue / HD_N_ROLES]; }

void hd_put_lose(hd_jobs_device *d)
{
    uint32_t role;
    d->is_lost = 1;
    (void)snprintf(d->trouble, sizeof d->trouble, "%.199s", hd_thread_error()->text);
    __atomic_store_n(&d->unit->health, HD_UNIT_LOST, __ATOMIC_RELEASE);
    for (role = 0; role < HD_N_ROLES; role++)
        d->passed[role] = d->seen[role] = UINT64_MAX;
}

/* ---- waits ------------------------------------------------------------------------------------------------------------------ */

heddle_status hd_put_ask(hd_jobs_device *d, uint32_t role)
{
    uint32_t code = 0;
    uint64_t index = 0, number = d->seen[role];
    const heddle_status s = d->unit->acc.passed(d->unit->acc.self, role, &number, &code, &index);
    if (number > d->seen[role]) {
        d->seen[role] = number;
        d->since_ns = heddle_host_clock_ns();
    }
    if (s == HEDDLE_EBODY && !d->failures[role].code)
        d->failures[role] = (hd_jobs_failure){code ? code : 1u, index, d->seen[role]};
    return s == HEDDLE_EBODY || s == HEDDLE_EBUSY ? HEDDLE_OK : s;
}

static void ask_all(hd_jobs *j)
{
    uint32_t q;
    for (q = 0; q < j->n_devices * HD_N_ROLES; q++) {
        hd_jobs_device *d = device_of(j, q);
        const uint32_t role = q % HD_N_ROLES;
        if (d->given[role] > d->seen[role] && hd_put_ask(d, role) != HEDDLE_OK)
            hd_put_lose(d);
    }
}

/* Meanwhile others may reach their limits: of the device that is waited for, or of one that it waits for. */
static void wait_here(hd_jobs *j, const hd_jobs_device *other, uint32_t role, uint64_t number)
{
    uint32_t n = 0;
    while (other->seen[role] < number) {
        const uint64_t now = heddle_host_clock_ns();
        ask_all(j);
        hd_put_check_limits(j, now);
        HD_PAUSE(n++);
    }
}

/* The first wait of an op that is under way; waits->n: there is none. */
static uint64_t first_wait(hd_jobs_device *d, uint32_t role)
{
    const hd_put_wait *w = d->waits[role].at;
    uint64_t *first = &d->first_wait[role];
    while (*first < d->waits[role].n && w[*first].number <= d->seen[role])
        ++*first;
    return *first;
}

/* Without memory the op counts as one that waits for nothing. */
static void note_wait(hd_jobs_device *d, uint32_t role, uint64_t op, hd_seg_point w)
{
    hd_list *l = &d->waits[role];
    hd_put_wait *at = l->at;
    if (l->n == l->cap && first_wait(d, role) > 0) {
        l->n -= d->first_wait[role];
        memmove(at, at + d->first_wait[role], l->n * sizeof *at);
        d->first_wait[role] = 0;
    }
    if (!hd_list_room(l, 1, sizeof *at))
        ((hd_put_wait *)l->at)[l->n++] = (hd_put_wait){op, w};
}

/* The op with that number in the queue waits for a point. */
static heddle_status put_wait(hd_jobs *j, hd_jobs_device *d, uint32_t role, uint64_t op, hd_seg_point w)
{
    hd_jobs_device *other = device_of(j, w.queue);
    const heddle_accelerator *a = &d->unit->acc, *b = &other->unit->acc;
    const uint32_t other_role = w.queue % HD_N_ROLES;
    if (other->seen[other_role] >= w.number)
        return HEDDLE_OK;
    if (a->follow == b->follow) {
        note_wait(d, role, op, w);
        return a->follow(a->self, role, b->self, other_role, w.number);
    }
    wait_here(j, other, other_role, w.number);
    return HEDDLE_OK;
}

/* ---- limits ----------------------------------------------------------------------------------------------------------------- */

/* Is the queue at an op that waits for nothing? */
static int is_at_work(const hd_jobs *j, hd_jobs_device *d, uint32_t role)
{
    const hd_put_wait *w = d->waits[role].at;
    const uint64_t now = d->seen[role] + 1u;
    uint64_t i;
    if (d->given[role] < now)
        return 0;
    for (i = first_wait(d, role); i < d->waits[role].n && w[i].number == now; i++)
        if (device_of(j, w[i].what.queue)->seen[w[i].what.queue % HD_N_ROLES] < w[i].what.number)
            return 0;
    return 1;
}

static int works(const hd_jobs *j, hd_jobs_device *d)
{
    uint32_t role;
    for (role = 0; role < HD_N_ROLES; role++)
        if (is_at_work(j, d, role))
            return 1;
    return 0;
}

/* It may have begun long after the last look. */
static void note_work(const hd_jobs *j, hd_jobs_device *d)
{
    const int worked = d->worked;
    d->worked = works(j, d);
    if (!worked || !d->worked)
        d->since_ns = heddle_host_clock_ns();
}

void hd_put_check_limits(hd_jobs *j, uint64_t asked_ns)
{
    uint32_t i;
    for (i = 0; i < j->n_devices; i++) {
        hd_jobs_device *d = &j->devices[i];
        if (d->is_lost)
            continue;
        note_work(j, d);
        if (!j->time_limit_ms || asked_ns < d->since_ns + j->time_limit_ms * 1000000ull)
            continue;
        (void)hd_say(NULL, HEDDLE_EDEVICE, "%s had a slice for longer than the time limit of %u ms", d->unit->name,
                     j->time_limit_ms);
        hd_put_lose(d);
    }
}

/* ---- moves ------------------------------------------------------------------------------------------------------------------ */

static uint8_t *address(const hd_jobs *j, const hd_seg_op *o, uint32_t memory, uint64_t at)
{
    return memory == HD_HOME ? hd_jobs_array(j, o->array)->host + at : j->devices[memory].pool + at;
}

/* A virtual device's memory is closed but for what an op may touch. */
static void open_rows(const hd_jobs_device *d, uint8_t *at, uint64_t n_rows, uint64_t row_bytes, uint64_t stride,
                      int is_open)
{
    uint64_t i;
    for (i = 0; d->unit->is_virtual && i < n_rows; i++)
        (is_open ? hd_virtual_open : hd_virtual_hide)(at + i * stride, row_bytes);
}

static void open_move(const hd_jobs *j, const hd_seg_op *o, const heddle_copy *c, int is_open)
{
    if (o->from != HD_HOME)
        open_rows(&j->devices[o->from], (uint8_t *)(uintptr_t)c->from, c->n_rows, c->row_bytes, c->from_stride,
                  is_open);
    if (o->to != HD_HOME)
        open_rows(&j->devices[o->to], c->to, c->n_rows, c->row_bytes, c->to_stride, is_open);
}

static heddle_status put_move(hd_jobs *j, hd_jobs_device *d, uint32_t role, const hd_seg_op *o)
{
    const heddle_accelerator *a = &d->unit->acc;
    const uint64_t n_rows = o->rect.end_row - o->rect.row, n_bytes = o->rect.end_byte - o->rect.byte;
    const heddle_copy c = {address(j, o, o->to, o->to_at),
                           address(j, o, o->from, o->from_at),
                           n_rows,
                           n_bytes,
                           o->to_stride,
                           o->from_stride,
                           (uint32_t)(o->from == HD_HOME)};
    heddle_status s;
    if (o->from != HD_HOME && j->devices[o->from].is_lost)
        return HEDDLE_OK; /* nobody reads what it would have moved */
    open_move(j, o, &c, 1);
    if (o->from != HD_HOME && o->to != HD_HOME)
        s = a->copy_peer(a->self, role, &c, j->devices[o->from].unit->acc.self);
    else
        s = hd_copy_put(d->unit, role, c);
    open_move(j, o, &c, 0);
    return s;
}

/* ---- bodies ----------------------------------------------------------------------------------------------------------------- */

static void point_params(const hd_jobs_device *d, const hd_given *g, uint8_t *params)
{
    const hd_request *r = g->job_user;
    const heddle_loop *l = r->multi->loop;
    void *base[HD_MOST_PIECES];
    uint64_t strides[HD_MOST_PIECES], i;
    memcpy(params, r->params, l->params_bytes);
    for (i = 0; i < l->pieces.n; i++) {
        const hd_seg_rect rect = hd_piece_rect(hd_piece_at(l, i), &g->block);
        const hd_seg_place *p = &g->plan.places[i];
        strides[i] = p->stride;
        base[i] = (void *)((uintptr_t)d->pool + p->at - rect.row * p->stride - rect.byte);
    }
    hd_layout_point(l, params, base, strides);
}

static void open_places(const hd_jobs_device *d, const hd_given *g, int is_open)
{
    const heddle_multi *m = ((const hd_request *)g->job_user)->multi;
    uint64_t i;
    for (i = 0; d->unit->is_virtual && i < m->loop->pieces.n; i++) {
        const hd_seg_rect r = hd_piece_rect(hd_piece_at(m->loop, i), &g->block);
        open_rows(d, d->pool + g->plan.places[i].at, r.end_row - r.row, r.end_byte - r.byte, g->plan.places[i].stride,
                  is_open);
    }
}

static heddle_status put_body(hd_jobs_device *d, uint32_t role, const hd_given *g)
{
    const heddle_multi *m = ((const hd_request *)g->job_user)->multi;
    const heddle_loop *l = m->loop;
    const heddle_accelerator *a = &d->unit->acc;
    uint8_t params[HD_SPAN_PARAMS_MOST] __attribute__((aligned(16)));
    const uint64_t n_2 = l->desc.n_2 ? l->desc.n_2 : 1;
    const heddle_span_work w = {.table = l->table,
                                .body = l->desc.body,
                                .team_size = l->desc.team_size,
                                .params = params,
                                .params_bytes = l->params_bytes,
                                .n_dims = l->desc.n_2 ? 2 : 1,
                                .begin = hd_grain_begin(l, g->block.begin),
                                .end = hd_grain_begin(l, g->block.end),
                                .begin_2 = l->desc.n_2 ? g->block.begin_2 * l->desc.tile_2 : 0,
                                .end_2 = l->desc.n_2 ? hd_at_most(g->block.end_2 * l->desc.tile_2, n_2) : 1,
                                .tile = l->desc.tile,
                                .tile_2 = l->desc.tile_2};
    heddle_status s;
    point_params(d, g, params);
    open_places(d, g, 1);
    s = m->desc.call ? a->call(a->self, role, m->desc.call, m->desc.call_user, &w) : a->span(a->self, role, &w);
    open_places(d, g, 0);
    return s;
}

/* ---- plans ------------------------------------------------------------------------------------------------------------------ */

void hd_put_count(hd_jobs *j, const hd_seg_op *o, uint64_t n)
{
    hd_jobs_device *d = device_of(j, o->point.queue);
    const uint64_t n_bytes = n * hd_seg_rect_bytes(&o->rect);
    if (o->is_body)
        d->n_slices += n;
    else if (o->from == HD_HOME)
        d->bytes_in += n_bytes;
    else if (o->to == HD_HOME)
        d->bytes_out += n_bytes;
    else if (o->from != o->to) {
        d->bytes_peers += n_bytes;
        j->devices[o->from].bytes_sent += n_bytes;
    }
}

heddle_status hd_put_work(hd_jobs *j, const hd_seg_op *o, const hd_given *given)
{
    hd_jobs_device *d = device_of(j, o->point.queue);
    const uint32_t role = o->point.queue % HD_N_ROLES;
    return o->is_body ? put_body(d, role, given) : put_move(j, d, role, o);
}

heddle_status hd_put_op(hd_jobs *j, const hd_seg_op *o, const hd_seg_point *waits, const hd_given *given)
{
    hd_jobs_device *d = device_of(j, o->point.queue);
    const uint32_t role = o->point.queue % HD_N_ROLES;
    const uint64_t put_ns = j->traced ? heddle_host_clock_ns() : 0;
    uint32_t i;
    note_work(j, d);
    for (i = 0; i < o->n_waits && !d->is_lost; i++)
        HD_TRY(put_wait(j, d, role, o->point.number, waits[i]));
    if (d->is_lost) /* at its limit, while the host waited for another one */
        return HEDDLE_OK;
    HD_TRY(hd_put_work(j, o, given));
    hd_put_count(j, o, 1);
    if (j->traced)
        hd_traced_put(j, o, waits, given, put_ns);
    d->given[role] = o->point.number;
    return d->unit->acc.point(d->unit->acc.self, role, o->point.number);
}

void hd_put_plan(hd_jobs *j, const hd_seg_plan *plan, const hd_given *given)
{
    uint64_t i;
    if (j->keeps && given)
        hd_kept_add(j->keeps, plan, given);
    for (i = 0; i < plan->ops.n; i++) {
        const hd_seg_op *o = (const hd_seg_op *)plan->ops.at + i;
        const hd_seg_point *waits = (const hd_seg_point *)plan->waits.at + o->first_wait;
        hd_jobs_device *d = device_of(j, o->point.queue);
        if (!d->is_lost && hd_put_op(j, o, waits, given) != HEDDLE_OK)
            hd_put_lose(d);
    }
}
