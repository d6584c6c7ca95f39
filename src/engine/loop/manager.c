/* SPDX-License-Identifier: MIT */
/* manager.c - the manager of an accelerator. Of each slice it puts the copies in and the span into a queue, and polls. When the bodies have
 * ended well, it asks whether the slice is still its own, and only then puts the copies out into the queue: a device that is lost
 * never writes home later. With several queues, copies in, bodies and copies out of different slices overlap. */
#include "engine/loop/fleet.h"

#define HOME_NS 1000000000ull

typedef enum slot_state { SLOT_FREE, SLOT_RUNNING, SLOT_LEAVING } slot_state;

typedef struct slot {
    slot_state state;
    hd_slice slice;
    uint64_t began_ns, kept_ns, shown_ns; /* shown: up to here by the trace */
    uint64_t n_in, n_out;                 /* bytes that were copied */
    uint8_t *at;
} slot;

typedef struct manager {
    heddle_loop *loop;
    hd_fleet_unit *unit;
    hd_share *run;
    int has_marks;      /* the loop is traced, and the accelerator tells of phases */
    uint64_t before_ns; /* when its last slice ended */
    uint64_t turn_ns;   /* when the last look at all slots began */
    uint64_t over_ns;   /* when nothing else was left to do; 0: something is */
    slot slots[HD_MOST_FLYING];
    uint8_t params[HD_SPAN_PARAMS_MOST];
    void *base[HD_MOST_PIECES];
} manager;

/* ---- copies ---------------------------------------------------------------------------------------------------------- */

static void skip(heddle_copy *c, uint64_t to_bytes, uint64_t from_bytes)
{
    c->to = (uint8_t *)c->to + to_bytes;
    c->from = (const uint8_t *)c->from + from_bytes;
}

/* A row, in parts of so many bytes. */
static heddle_status copy_row(const heddle_accelerator *a, uint32_t queue, heddle_copy c, uint64_t most)
{
    uint64_t left = c.row_bytes;
    c.n_rows = 1;
    for (; left; left -= c.row_bytes) {
        c.row_bytes = left < most ? left : most;
        HD_TRY(a->copy(a->self, queue, &c));
        skip(&c, c.row_bytes, c.row_bytes);
    }
    return HEDDLE_OK;
}

heddle_status hd_copy_put(hd_fleet_unit *u, uint32_t queue, heddle_copy c)
{
    const heddle_accelerator *a = &u->acc;
    const uint64_t most = a->most_copy_bytes ? a->most_copy_bytes : UINT64_MAX;
    uint64_t rows, left;
    if (c.row_bytes == c.to_stride && c.row_bytes == c.from_stride) {
        c.row_bytes *= c.n_rows; /* one row */
        c.n_rows = 1;
    }
    rows = a->takes_strides ? most / c.row_bytes : 0;
    for (left = c.n_rows; left; left -= c.n_rows) {
        c.n_rows = rows < left ? rows : left;
        if (c.n_rows <= 1) {
            c.n_rows = 1;
            HD_TRY(copy_row(a, queue, c, most));
        } else {
            HD_TRY(a->copy(a->self, queue, &c));
        }
        skip(&c, c.n_rows * c.to_stride, c.n_rows * c.from_stride);
    }
    return HEDDLE_OK;
}

/* A patch between its home and the accelerator, where byte 0 of the array would be at `base`. */
static heddle_status move(manager *m, uint32_t queue, const heddle_array *a, const hd_patch *r, uintptr_t base,
                          int is_in)
{
    uint8_t *home = a->host + r->at, *there = (uint8_t *)(base + r->at);
    const heddle_copy c = {is_in ? there : home, is_in ? home : there, r->n_rows, r->row_bytes, r->stride, r->stride,
                           (uint32_t)is_in};
    *(is_in ? &m->run->bytes_in : &m->run->bytes_out) += c.n_rows * c.row_bytes;
    *(is_in ? &m->slots[queue].n_in : &m->slots[queue].n_out) += c.n_rows * c.row_bytes;
    return hd_copy_put(m->unit, queue, c);
}

/* Where byte 0 of a piece's array would be. */
static uintptr_t base_of(const manager *m, const slot *s, uint64_t i)
{
    const hd_piece *p = hd_piece_at(m->loop, i);
    if (hd_piece_is_whole(p))
        return (uintptr_t)m->run->all[i];
    return (uintptr_t)s->at + hd_layout_offset(m->loop, m->run->most, i) - hd_layout_first(p, &s->slice);
}

/* What the slice reads goes in, or what it writes goes home. */
static heddle_status move_piece(manager *m, uint32_t queue, uint64_t i, int is_in)
{
    const slot *s = &m->slots[queue];
    const hd_piece *p = hd_piece_at(m->loop, i);
    const uintptr_t base = base_of(m, s, i);
    hd_patches w = hd_patches_of(p, &s->slice, is_in);
    hd_patch r;
    while (hd_patches_next(&w, &r))
        HD_TRY(move(m, queue, p->array, &r, base, is_in));
    return HEDDLE_OK;
}

/* ---- traces ------------------------------------------------------------------------------------------------------------ */

static heddle_status mark(const manager *m, uint32_t queue, heddle_phase phase)
{
    return m->has_marks ? m->unit->acc.mark(m->unit->acc.self, queue, phase) : HEDDLE_OK;
}

static hd_chart_part part_of(const manager *m, uint32_t queue, heddle_phase phase, uint64_t n_bytes)
{
    const hd_slice *s = &m->slots[queue].slice;
    return (hd_chart_part){phase, n_bytes, hd_grain_begin(m->loop, s->begin), hd_grain_begin(m->loop, s->end), queue,
                           0,     0};
}

static void show_from(const manager *m, hd_chart_part p, uint64_t begin_ns, uint64_t end_ns)
{
    p.begin_ns = begin_ns;
    p.end_ns = end_ns;
    hd_chart_note(m->loop->chart, m->unit->index, &p);
}

/* A phase that has ended by now. The slice's phases follow one another. */
static void show_marked(manager *m, uint32_t queue, heddle_phase phase, uint64_t n_bytes, uint64_t now_ns)
{
    const hd_chart_part p = part_of(m, queue, phase, n_bytes);
    hd_chart_note_marked(m->loop->chart, m->unit->index, &m->unit->acc, &p, &m->slots[queue].shown_ns, now_ns);
}

static void show_in(manager *m, uint32_t queue, uint64_t now_ns)
{
    slot *s = &m->slots[queue];
    s->shown_ns = s->began_ns;
    if (m->has_marks && s->n_in)
        show_marked(m, queue, HEDDLE_PHASE_IN, s->n_in, now_ns);
}

/* Without marks the bodies are shown from when the slice was given. */
static void show_bodies(manager *m, uint32_t queue, uint64_t now_ns)
{
    const slot *s = &m->slots[queue];
    show_in(m, queue, now_ns);
    if (m->has_marks)
        show_marked(m, queue, HEDDLE_PHASE_BODIES, 0, now_ns);
    else
        show_from(m, part_of(m, queue, HEDDLE_PHASE_BODIES, 0), s->began_ns, now_ns);
}

static void show_home(manager *m, uint32_t queue, uint64_t now_ns)
{
    const slot *s = &m->slots[queue];
    if (!m->has_marks)
        show_from(m, part_of(m, queue, HEDDLE_PHASE_HOME, s->n_out), s->kept_ns, now_ns);
    else if (s->n_out)
        show_marked(m, queue, HEDDLE_PHASE_HOME, s->n_out, now_ns);
}

/* ---- a slice ---------------------------------------------------------------------------------------------------------- */

typedef void expose_fn(void *p, uint64_t n_bytes);

static void expose_piece(const manager *m, const slot *s, uint64_t i, int is_in, expose_fn *how)
{
    const uintptr_t base = base_of(m, s, i);
    hd_patches w = hd_patches_of(hd_piece_at(m->loop, i), &s->slice, is_in);
    hd_patch r;
    uint64_t k;
    while (hd_patches_next(&w, &r))
        if (r.row_bytes == r.stride)
            how((void *)(base + r.at), r.n_rows * r.stride);
        else
            for (k = 0; k < r.n_rows; k++)
                how((void *)(base + r.at + k * r.stride), r.row_bytes);
}

/* What the slice may touch in a virtual device's memory is opened, hidden or closed. Bodies of other slices must not find it open. */
static void expose(const manager *m, const slot *s, expose_fn *how)
{
    uint64_t i;
    for (i = 0; m->unit->is_virtual && i < m->loop->pieces.n; i++) {
        expose_piece(m, s, i, 1, how);
        expose_piece(m, s, i, 0, how);
    }
}

static heddle_status put_span(manager *m, uint32_t queue, const hd_slice *s)
{
    const heddle_loop *l = m->loop;
    const heddle_accelerator *a = &m->unit->acc;
    const heddle_span_work w = {.table = l->table,
                                .body = l->desc.body,
                                .team_size = l->desc.team_size,
                                .params = m->params,
                                .params_bytes = l->params_bytes,
                                .n_dims = l->desc.n_2 ? 2 : 1,
                                .begin = hd_grain_begin(l, s->begin),
                                .end = hd_grain_begin(l, s->end),
                                .end_2 = l->desc.n_2 ? l->desc.n_2 : 1,
                                .tile = l->desc.tile,
                                .tile_2 = l->desc.tile_2};
    memcpy(m->params, l->params, l->params_bytes);
    hd_layout_point(l, m->params, m->base, NULL);
    return a->span(a->self, queue, &w);
}

static heddle_status begin(manager *m, uint32_t queue)
{
    slot *s = &m->slots[queue];
    uint64_t i;
    expose(m, s, hd_virtual_open);
    HD_TRY(mark(m, queue, HEDDLE_PHASE_IN));
    for (i = 0; i < m->loop->pieces.n; i++) {
        m->base[i] = (void *)base_of(m, s, i);
        HD_TRY(move_piece(m, queue, i, 1));
    }
    HD_TRY(mark(m, queue, HEDDLE_PHASE_BODIES));
    HD_TRY(put_span(m, queue, &s->slice));
    HD_TRY(mark(m, queue, HEDDLE_PHASE_NONE));
    expose(m, s, hd_virtual_hide); /* a virtual device has run it by now */
    return HEDDLE_OK;
}

static heddle_status put_results(manager *m, uint32_t queue)
{
    uint64_t i;
    expose(m, &m->slots[queue], hd_virtual_open);
    HD_TRY(mark(m, queue, HEDDLE_PHASE_HOME));
    for (i = 0; i < m->loop->pieces.n; i++)
        HD_TRY(move_piece(m, queue, i, 0));
    HD_TRY(mark(m, queue, HEDDLE_PHASE_NONE));
    expose(m, &m->slots[queue], hd_virtual_hide);
    return HEDDLE_OK;
}

/* ---- its turn --------------------------------------------------------------------------------------------------------- */

static void leave(manager *m, uint32_t queue, int is_done)
{
    slot *s = &m->slots[queue];
    const int went_home = s->state == SLOT_LEAVING;
    expose(m, s, hd_virtual_close);
    s->state = SLOT_FREE;
    if (!is_done)
        return;
    if (!hd_tell_ended(m->loop, m->unit->index, &s->slice, s->began_ns > m->before_ns ? s->began_ns : m->before_ns))
        hd_tell_half_home(m->loop, m->unit, &s->slice, 0);
    m->before_ns = heddle_host_clock_ns();
    if (went_home)
        show_home(m, queue, m->before_ns);
}

/* Its bodies have ended well. */
static heddle_status go_home(manager *m, uint32_t queue)
{
    slot *s = &m->slots[queue];
    s->state = SLOT_LEAVING;
    s->kept_ns = heddle_host_clock_ns();
    show_bodies(m, queue, s->kept_ns);
    return put_results(m, queue);
}

static heddle_status check_limit(const manager *m, const slot *s)
{
    const uint32_t limit_ms = m->loop->desc.time_limit_ms;
    if (!limit_ms || heddle_host_clock_ns() - s->began_ns < limit_ms * 1000000ull)
        return HEDDLE_OK;
    return hd_say(NULL, HEDDLE_EDEVICE, "%s had a slice for longer than the time limit of %u ms", m->unit->name,
                  limit_ms);
}

/* Moves a slot on if what is in its queue is done. *moved: it has. */
static heddle_status look(manager *m, uint32_t queue, int *moved)
{
    slot *s = &m->slots[queue];
    const heddle_accelerator *a = &m->unit->acc;
    uint32_t code = 0;
    uint64_t index = 0;
    const heddle_status status = a->poll(a->self, queue, &code, &index);
    if (status == HEDDLE_EBUSY)
        return check_limit(m, s);
    *moved = 1;
    if (status == HEDDLE_EBODY) {
        hd_tell_failed(m->loop, m->unit, code, index);
        show_bodies(m, queue, heddle_host_clock_ns());
        leave(m, queue, 1);
        return HEDDLE_OK;
    }
    if (status != HEDDLE_OK)
        return status;
    if (s->state == SLOT_LEAVING)
        leave(m, queue, 1);
    else if (!hd_tell_keep(m->loop, m->unit->index, &s->slice))
        leave(m, queue, 0);
    else
        return go_home(m, queue);
    return HEDDLE_OK;
}

/* Fills a free slot. */
static heddle_status fill(manager *m, uint32_t queue, hd_take *take)
{
    slot *s = &m->slots[queue];
    *take = hd_ask(m->loop, m->unit->index, &s->slice);
    if (*take != HD_TAKE_SLICE)
        return HEDDLE_OK;
    s->began_ns = heddle_host_clock_ns();
    s->n_in = s->n_out = 0;
    s->state = SLOT_RUNNING;
    return begin(m, queue);
}

/* One look at all slots. *n_flying: that are not free; *take: what was answered last. */
static heddle_status turn(manager *m, uint32_t *n_flying, hd_take *take, int *moved)
{
    uint32_t q;
    m->turn_ns = heddle_host_clock_ns();
    *n_flying = 0;
    *take = HD_TAKE_SLICE;
    for (q = 0; q < hd_unit_flying(m->unit); q++) {
        if (m->slots[q].state != SLOT_FREE)
            HD_TRY(look(m, q, moved));
        if (m->slots[q].state == SLOT_FREE && *take == HD_TAKE_SLICE) {
            HD_TRY(fill(m, q, take));
            *moved |= *take == HD_TAKE_SLICE;
        }
        *n_flying += m->slots[q].state != SLOT_FREE;
    }
    if (*moved)
        m->run->host_ns += heddle_host_clock_ns() - m->turn_ns;
    return HEDDLE_OK;
}

/* Nothing else is left to do. Results on their way home take milliseconds, so a device that was only held up soon answers; else it reaches its
 * limit, where there is one. It has been asked after that time: this thread may have been held up, too. */
static int awaits_home(manager *m)
{
    uint32_t q;
    m->over_ns = m->over_ns ? m->over_ns : m->turn_ns;
    if (!m->loop->desc.time_limit_ms && m->turn_ns - m->over_ns > HOME_NS)
        return 0;
    for (q = 0; q < hd_unit_flying(m->unit); q++)
        if (m->slots[q].state == SLOT_LEAVING)
            return 1;
    return 0;
}

/* Or until it has had nothing to do for a while: *naps is 1. */
static heddle_status until_over(manager *m, int *naps)
{
    uint32_t n_flying, n_idle = 0;
    hd_take take;
    for (;;) {
        int moved = 0;
        HD_TRY(turn(m, &n_flying, &take, &moved));
        if (!n_flying && take == HD_TAKE_OVER)
            return HEDDLE_OK;
        n_idle = moved ? 0 : n_idle + 1;
        if (!n_flying) {
            *naps = hd_ask_pause(m->loop, n_idle);
            if (*naps)
                return HEDDLE_OK;
            continue;
        }
        if (n_idle < 4096u) {
            HD_PAUSE(0);
            continue;
        }
        hd_ask_rest(m->loop, n_idle);
        if (hd_is_over(m->loop) && !awaits_home(m))
            return hd_say(NULL, HEDDLE_EBUSY, "%s does not answer; others have run what it had", m->unit->name);
    }
}

heddle_status hd_manager_ask(hd_fleet_unit *u)
{
    heddle_status s = HEDDLE_OK;
    uint64_t index;
    uint32_t q, code;
    for (q = 0; q < u->acc.n_queues && (s == HEDDLE_OK || s == HEDDLE_EBODY); q++)
        s = u->acc.poll(u->acc.self, q, &code, &index);
    return s == HEDDLE_EBODY ? HEDDLE_OK : s;
}

/* Waits until nothing is under way; of, if there is one, has begun what may take no longer than the limit. EBUSY: the others have run the whole
 * loop before. */
static heddle_status await_rest(manager *m, const slot *of)
{
    uint32_t n_later = 0;
    heddle_status s;
    while ((s = hd_manager_ask(m->unit)) == HEDDLE_EBUSY) {
        hd_ask_rest(m->loop, n_later++);
        if (of)
            HD_TRY(check_limit(m, of));
        if (hd_is_over(m->loop))
            return hd_say(NULL, HEDDLE_EBUSY, "%s does not answer", m->unit->name);
    }
    return s;
}

/* A silent unit comes back when it answers. */
static heddle_status come_back(manager *m)
{
    if (hd_unit_health(m->unit) == HD_UNIT_WELL)
        return HEDDLE_OK;
    HD_TRY(await_rest(m, NULL));
    hd_tell_back(m->loop, m->unit);
    return HEDDLE_OK;
}

static heddle_status put_all(manager *m)
{
    uint64_t i;
    for (i = 0; i < m->loop->pieces.n; i++) {
        const hd_piece *p = hd_piece_at(m->loop, i);
        const hd_patch whole = {0, p->array->row_bytes, p->array->n_rows, p->array->stride};
        if (p->kind != HEDDLE_ACCESS_ALL)
            continue;
        HD_TRY(move(m, 0, p->array, &whole, (uintptr_t)m->run->all[i], 1));
    }
    return HEDDLE_OK;
}

/* Arrays that are read at any index, before the first slice. To the trace it is a slice of all. */
static heddle_status bring_all(manager *m)
{
    slot *s = &m->slots[0];
    s->slice = (hd_slice){0, m->loop->n_grains, 0, 0};
    s->began_ns = heddle_host_clock_ns();
    HD_TRY(mark(m, 0, HEDDLE_PHASE_IN));
    HD_TRY(put_all(m));
    HD_TRY(mark(m, 0, HEDDLE_PHASE_NONE));
    if (!s->n_in)
        return HEDDLE_OK;
    HD_TRY(await_rest(m, s));
    show_in(m, 0, heddle_host_clock_ns());
    return HEDDLE_OK;
}

static heddle_status take_part(manager *m, int *naps)
{
    if (!m->run->is_ready) {
        HD_TRY(come_back(m));
        HD_TRY(bring_all(m));
        m->run->is_ready = 1;
    }
    return until_over(m, naps);
}

/* It is lost, or has fallen silent. What was on its way home is not known to be there, and is told before others may run it. */
static void leave_in_trouble(manager *m, heddle_status s)
{
    uint32_t q;
    for (q = 0; q < hd_unit_flying(m->unit); q++)
        if (m->slots[q].state == SLOT_LEAVING)
            hd_tell_half_home(m->loop, m->unit, &m->slots[q].slice, s == HEDDLE_EBUSY);
    if (s == HEDDLE_EBUSY)
        hd_tell_silent(m->loop, m->unit);
    else
        hd_tell_lost(m->loop, m->unit);
}

int hd_manager_run(heddle_loop *l, hd_fleet_unit *u)
{
    manager m;
    int naps = 0;
    uint32_t q;
    heddle_status s;
    memset(&m, 0, sizeof m);
    m.loop = l;
    m.unit = u;
    m.run = &l->runs[u->index];
    m.has_marks = l->chart && u->acc.mark;
    for (q = 0; q < hd_unit_flying(u); q++)
        m.slots[q].at = u->buffer + q * m.run->slot_bytes;
    s = take_part(&m, &naps);
    if (s != HEDDLE_OK)
        leave_in_trouble(&m, s);
    return naps;
}
