/* SPDX-License-Identifier: MIT */
/* loop.c - heddle_loop_new and _free, and running. */
#include "engine/loop/fleet.h"

#include <inttypes.h>
#include <stdio.h>

#define TILE 1024u
#define TILE_ROWS 8u
#define TILE_COLUMNS 256u
#define LINK_BYTES (16ull << 20)
#define ALONE_NS 30000.0 /* a loop that takes a core less is over before other threads have woken */

#define SAY HD_SAY_NEW

/* ---- what is asked for ------------------------------------------------------------------------------------------------ */

/* Spans count their tiles, of both indices together. */
static heddle_status check_tiles(const heddle_loop_desc *d)
{
    const uint64_t n = (d->n - 1u) / d->tile + 1u, n_2 = d->n_2 ? (d->n_2 - 1u) / d->tile_2 + 1u : 1u;
    if (n <= INT64_MAX / n_2)
        return HEDDLE_OK;
    return SAY(HEDDLE_ERANGE,
               "%" PRIu64 " tiles of the first index and %" PRIu64 " of the second; together they may be 2^63 - 1", n,
               n_2);
}

static heddle_status read_desc(heddle_loop_desc *to, const heddle_loop_desc *from)
{
    *to = (heddle_loop_desc)HEDDLE_LOOP_INIT;
    if (from->size < sizeof(size_t) || from->size > 4096)
        return SAY(HEDDLE_EINVAL, "set the description up with HEDDLE_LOOP_INIT");
    memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    HD_TRY(hd_env_fill_struct(&hd_loop_env, to, NULL));
    if ((uint32_t)to->split >= HEDDLE_N_SPLITS)
        return SAY(HEDDLE_EINVAL, "there is no way to divide number %u", (unsigned)to->split);
    if (!to->n || to->n > INT64_MAX || to->n_2 > INT64_MAX || to->tile > INT64_MAX || to->tile > to->n + UINT32_MAX ||
        to->tile_2 > INT64_MAX)
        return SAY(HEDDLE_ERANGE,
                   "%" PRIu64 " indices in tiles of %" PRIu64 ", %" PRIu64 " in tiles of %" PRIu64
                   "; a loop has 1 to 2^63 - 1, and so has a tile",
                   to->n, to->tile, to->n_2, to->tile_2);
    to->tile = to->tile ? to->tile : to->n_2 ? TILE_ROWS : TILE;
    to->tile_2 = to->tile_2 ? to->tile_2 : TILE_COLUMNS;
    to->team_size = to->team_size ? to->team_size : 256u;
    if (to->n_trace > HEDDLE_LOOP_MOST_TRACE)
        return SAY(HEDDLE_ERANGE, "a trace of %u events a row; %u are the most", to->n_trace, HEDDLE_LOOP_MOST_TRACE);
    if (to->team_size % 32u || to->team_size > 1024u)
        return SAY(HEDDLE_EINVAL, "a team of %u threads; a multiple of 32 up to 1024 is expected", to->team_size);
    if ((to->n_accesses && !to->accesses) || (to->n_reductions && !to->reductions))
        return SAY(HEDDLE_EINVAL, "accesses or reductions are NULL");
    return check_tiles(to);
}

static heddle_status check_table(const heddle_table *t, const heddle_loop_desc *d)
{
    if (t->size != sizeof *t || t->core_version != HEDDLE_CORE_VERSION)
        return SAY(HEDDLE_EVERSION, "the table was compiled against another version of heddle");
    if (!t->has_loops)
        return SAY(HEDDLE_EINVAL, "table %s is not one of loops: HEDDLE_LOOP_TABLE makes one", t->name);
    if (d->body >= t->n_bodies)
        return SAY(HEDDLE_EINVAL, "table %s has no body %u", t->name, d->body);
    if (t->bodies[d->body].arg_bytes != sizeof(heddle_span))
        return SAY(HEDDLE_EINVAL, "body %s was not made with HEDDLE_LOOP", t->bodies[d->body].name);
    if (t->bodies[d->body].shared_bytes > HD_CORE_SHARED)
        return SAY(HEDDLE_ERANGE, "body %s wants %u bytes of block-shared memory; %u are the most",
                   t->bodies[d->body].name, t->bodies[d->body].shared_bytes, HD_CORE_SHARED);
    if (t->params_bytes > HD_SPAN_PARAMS_MOST)
        return SAY(HEDDLE_ERANGE, "params of %u bytes; %u are the most", t->params_bytes, HD_SPAN_PARAMS_MOST);
    return HEDDLE_OK;
}

/* ---- units ------------------------------------------------------------------------------------------------------------ */

/* Memory of an accelerator for whole arrays. */
static heddle_status get_all(heddle_loop *l, hd_fleet_unit *u, hd_share *r)
{
    uint64_t i;
    r->all = hd_new((l->pieces.n + 1u) * sizeof *r->all);
    if (!r->all)
        return SAY(HEDDLE_ENOMEM, "out of memory");
    for (i = 0; i < l->pieces.n; i++) {
        const hd_piece *p = hd_piece_at(l, i);
        const uint64_t n_bytes = p->array->n_rows * p->array->stride;
        if (!hd_piece_is_whole(p))
            continue;
        r->all[i] = u->acc.mem_new(u->acc.self, n_bytes);
        if (!r->all[i])
            return SAY(HEDDLE_ENOMEM,
                       "access %u: %s has no memory for all of the array, %" PRIu64 " rows of %" PRIu64
                       " bytes that take %" PRIu64 "; it has %" PRIu64,
                       p->access, u->name, p->array->n_rows, p->array->row_bytes, n_bytes, u->acc.memory_bytes);
    }
    return HEDDLE_OK;
}

static void free_all(heddle_loop *l, hd_fleet_unit *u, hd_share *r)
{
    uint64_t i;
    for (i = 0; r->all && i < l->pieces.n; i++)
        if (r->all[i])
            hd_orphan_add(u, r->all[i], hd_piece_at(l, i)->array->n_rows * hd_piece_at(l, i)->array->stride);
    hd_delete(r->all, r->all ? (l->pieces.n + 1u) * sizeof *r->all : 0);
}

/* Grains that keep all threads of an accelerator busy: a slice of fewer takes as long. Or so many that its link is busy for long. */
static uint64_t least_of(const heddle_loop *l, const heddle_accelerator *a, uint64_t most)
{
    const heddle_loop_desc *d = &l->desc;
    const uint64_t columns = d->n_2 ? (d->n_2 - 1u) / d->tile_2 + 1u : 1u, n_tiles = a->n_threads / d->team_size;
    const uint64_t travels = hd_layout_travels(l), linked = travels ? LINK_BYTES / travels : l->n_grains;
    uint64_t least = (n_tiles + columns - 1u) / columns;
    least = least < linked ? least : linked;
    least = least < most ? least : most;
    return least ? least : 1;
}

static uint64_t least_bytes(const heddle_loop *l, uint64_t piece)
{
    return hd_layout_offset(l, 1, piece + 1u) - hd_layout_offset(l, 1, piece);
}

/* The least slice takes so much; the sentence names the array that needs the most of it. */
static heddle_status say_no_slot(const heddle_loop *l, const hd_fleet_unit *u, uint64_t has, uint64_t least)
{
    char name[HD_PIECE_NAME];
    uint64_t i, most = 0;
    for (i = 1; i < l->pieces.n; i++)
        most = least_bytes(l, i) > least_bytes(l, most) ? i : most;
    return SAY(HEDDLE_ENOMEM,
               "%s: %s has %" PRIu64 " bytes for a slice; the least one, %" PRIu64 " indices, takes %" PRIu64
               ", %" PRIu64 " of them for its rows of %" PRIu64 " bytes",
               hd_piece_name(hd_piece_at(l, most), name), u->name, has, hd_at_most(l->desc.tile, l->desc.n), least,
               least_bytes(l, most), hd_piece_at(l, most)->array->row_bytes);
}

static heddle_status suit_unit(heddle_loop *l, hd_fleet_unit *u, hd_share *r, hd_split_unit *s)
{
    uint64_t least;
    *s = (hd_split_unit){u->kind, 1, 1, l->n_grains, 1.0, 0, 0};
    if (u->is_core)
        return HEDDLE_OK;
    if (u->ctx && u->ctx->backend->takes)
        HD_TRY(u->ctx->backend->takes(l->table, hd_thread_error()));
    r->slot_bytes = u->buffer_bytes / hd_unit_flying(u) / 256u * 256u;
    r->most = hd_layout_most(l, r->slot_bytes, &least);
    if (!r->most)
        return say_no_slot(l, u, r->slot_bytes, least);
    s->most_flying = hd_unit_flying(u);
    s->most = r->most;
    s->least = least_of(l, &u->acc, r->most);
    s->weight = u->acc.weight;
    s->copies = hd_layout_travels(l) > LINK_BYTES / l->n_grains;
    s->may_hang = 1;
    return get_all(l, u, r);
}

static heddle_status suit_units(heddle_loop *l)
{
    const uint64_t n = l->fleet->units.n;
    uint64_t i;
    l->runs = hd_new(n * sizeof *l->runs);
    l->split_units = hd_new(n * sizeof *l->split_units);
    l->counts = hd_new(n * sizeof *l->counts);
    l->models = hd_new(l->fleet->n_kinds * sizeof *l->models);
    l->absences = hd_new(l->fleet->n_kinds * sizeof *l->absences);
    l->params = hd_new(HD_SPAN_PARAMS_MOST);
    if (!l->runs || !l->split_units || !l->counts || !l->models || !l->absences || !l->params)
        return SAY(HEDDLE_ENOMEM, "out of memory");
    for (i = 0; i < n; i++)
        HD_TRY(suit_unit(l, hd_unit_at(l->fleet, i), &l->runs[i], &l->split_units[i]));
    return hd_left_reserve(l);
}

/* ---- turns and trace -------------------------------------------------------------------------------------------------- */

static int has(const void *self, const heddle_array *a, int only_writes)
{
    const heddle_loop *l = self;
    uint64_t i = 0;
    while (i < l->pieces.n && (hd_piece_at(l, i)->array != a || (only_writes && !hd_piece_at(l, i)->writes)))
        i++;
    return i < l->pieces.n;
}

/* A kind that the last run has left out: to wake many threads for nothing takes as long as a short loop. */
static int rests(const void *self, uint32_t unit)
{
    const heddle_loop *l = self;
    return hd_loop_left_out(l, unit) && hd_unit_first(l->fleet, unit) != unit;
}

/* The split was made at the start; runs before this one may have lost units since. */
static void lose_units(heddle_loop *l)
{
    uint32_t i;
    pthread_mutex_lock(&l->asking);
    for (i = 0; i < l->fleet->units.n; i++)
        if (hd_unit_is_lost(hd_unit_at(l->fleet, i)))
            hd_split_lost(l->split, i, l->start_ns);
    pthread_mutex_unlock(&l->asking);
}

static void begin(void *self)
{
    heddle_loop *l = self;
    uint32_t i;
    l->start_ns = heddle_host_clock_ns();
    lose_units(l);
    l->has_resting = 0;
    for (i = 0; i < l->fleet->units.n; i++)
        l->has_resting |= rests(l, i);
}

static int is_over(void *self) { return hd_is_over(self); }
static void end(void *self) { hd_loop_end(self); }

static const hd_turn_kind turn_kind = {.has = has, .begin = begin, .rests = rests, .is_over = is_over, .end = end};

static hd_chart_unit charted(const void *self, uint32_t i)
{
    const hd_fleet_unit *u = hd_unit_at(((const heddle_loop *)self)->fleet, i);
    return u->is_core ? (hd_chart_unit){u->name, 0, 0}
                      : (hd_chart_unit){u->name, hd_unit_flying(u), u->acc.mark ? HD_CHART_PHASES : 0};
}

static hd_chart *new_chart(const heddle_loop *l)
{
    const hd_chart_form form = {.n_trace = l->desc.n_trace,
                                .n_units = (uint32_t)l->fleet->units.n,
                                .title = l->table->bodies[l->desc.body].name,
                                .way = heddle_split_name(l->desc.split),
                                .bodies = "bodies",
                                .unit = charted};
    return hd_chart_new(&form, l);
}

/* ---- new and free ----------------------------------------------------------------------------------------------------- */

static void forget(heddle_loop *l)
{
    const uint64_t n = l->fleet->units.n;
    uint64_t i;
    for (i = 0; l->runs && i < n; i++)
        free_all(l, hd_unit_at(l->fleet, i), &l->runs[i]);
    hd_accesses_clear(l);
    hd_list_clear(&l->how);
    hd_list_clear(&l->spoilt);
    hd_list_clear(&l->left);
    hd_chart_delete(l->chart);
    hd_delete(l->runs, n * sizeof *l->runs);
    hd_delete(l->split_units, n * sizeof *l->split_units);
    hd_delete(l->counts, n * sizeof *l->counts);
    hd_delete(l->models, l->fleet->n_kinds * sizeof *l->models);
    hd_delete(l->absences, l->fleet->n_kinds * sizeof *l->absences);
    hd_delete(l->params, HD_SPAN_PARAMS_MOST);
    (void)pthread_mutex_destroy(&l->asking);
    hd_delete(l, sizeof *l);
}

heddle_status hd_loop_make(heddle_fleet *f, const heddle_table *table, const heddle_loop_desc *d, int is_run,
                           heddle_loop **out)
{
    heddle_loop *l;
    heddle_loop_desc full;
    heddle_status s;
    HD_TRY(hd_fleet_check_new("heddle_loop_new", f, table, d, out));
    *out = NULL;
    HD_TRY(read_desc(&full, d));
    HD_TRY(check_table(table, &full));
    l = hd_new(sizeof *l);
    if (!l)
        return SAY(HEDDLE_ENOMEM, "out of memory");
    (void)pthread_mutex_init(&l->asking, NULL);
    l->turn = (hd_fleet_turn){.fleet = f, .kind = &turn_kind, .self = l};
    l->fleet = f;
    l->table = table;
    l->desc = full;
    l->params_bytes = table->params_bytes;
    l->n_grains = (full.n - 1u) / full.tile + 1u;
    s = hd_accesses_read(l);
    l->desc.accesses = NULL; /* the caller's */
    l->desc.reductions = NULL;
    if (s == HEDDLE_OK && is_run)
        s = suit_units(l);
    if (s == HEDDLE_OK && is_run && full.n_trace && !(l->chart = new_chart(l)))
        s = SAY(HEDDLE_ENOMEM, "no memory for a trace of %u events a row", full.n_trace);
    if (s != HEDDLE_OK) {
        forget(l);
        return s;
    }
    if (is_run)
        hd_profile_find(l);
    f->had_loops = 1;
    *out = l;
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_loop_new(heddle_fleet *f, const heddle_table *table, const heddle_loop_desc *d,
                                         heddle_loop **out)
{
    return hd_loop_make(f, table, d, 1, out);
}

HEDDLE_API void heddle_loop_free(heddle_loop *l)
{
    if (!l || hd_fleet_is_forked(l->fleet))
        return;
    (void)heddle_loop_wait(l, HEDDLE_FOREVER);
    if (l->models)
        hd_profile_keep(l);
    forget(l);
}

/* ---- runs ------------------------------------------------------------------------------------------------------------- */

/* Cores find arrays at home. */
static void set_params(heddle_loop *l, const void *params)
{
    void *base[HD_MOST_PIECES];
    uint64_t i;
    if (l->params_bytes)
        memcpy(l->params, params, l->params_bytes);
    for (i = 0; i < l->pieces.n; i++)
        base[i] = hd_piece_at(l, i)->array->host;
    hd_layout_point(l, l->params, base, NULL);
}

/* alone: the unit that runs all of it, as one claim; or NULL. */
static heddle_status make_split(heddle_loop *l, const hd_fleet_unit *alone)
{
    const heddle_fleet *f = l->fleet;
    const heddle_split way = alone ? HEDDLE_SPLIT_STATIC : l->desc.split;
    const hd_split_config c = {l->n_grains, way, (uint32_t)f->units.n, f->n_kinds, l->split_units, l->models};
    hd_split *s, *before;
    uint32_t i;
    if (hd_split_new(&s, &c) != HEDDLE_OK)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_loop_start: out of memory");
    for (i = 0; i < f->units.n; i++)
        if (hd_unit_is_lost(hd_unit_at(f, i)) || (alone && hd_unit_at(f, i) != alone))
            hd_split_lost(s, i, heddle_host_clock_ns());
    pthread_mutex_lock(&l->asking); /* another thread may cancel */
    before = l->split;
    l->split = s;
    pthread_mutex_unlock(&l->asking);
    hd_split_delete(before);
    return HEDDLE_OK;
}

static void clear_run(heddle_loop *l)
{
    uint64_t i;
    l->is_canceled = l->is_alone = l->may_come_late = 0;
    l->fail_code = 0;
    hd_chart_clear(l->chart);
    l->spoilt.n = l->left.n = 0;
    l->turn.status = HEDDLE_OK;
    for (i = 0; i < l->fleet->units.n; i++) {
        hd_share *r = &l->runs[i];
        r->bytes_in = r->bytes_out = r->host_ns = 0;
        r->is_ready = 0;
        *r->trouble = 0;
    }
}

/* The first core, if it would run all of the loop before other threads have woken; else NULL. Nothing is known before the first run. */
static hd_fleet_unit *unit_alone(const heddle_loop *l)
{
    uint64_t i = 0;
    const hd_split_model *m;
    while (i < l->fleet->units.n && !hd_unit_at(l->fleet, i)->is_core)
        i++;
    if (i == l->fleet->units.n || l->fleet->is_serial)
        return NULL;
    m = &l->models[hd_unit_at(l->fleet, i)->kind];
    return m->n_seen && m->t0_ns + (double)l->n_grains * m->each_ns < ALONE_NS ? hd_unit_at(l->fleet, i) : NULL;
}

/* The calling thread has entered the run, which nobody else is in. */
static void run_caller(heddle_loop *l, hd_fleet_unit *u)
{
    while (hd_unit_turn(l, u))
        ;
    hd_turns_leave(l->fleet, NULL);
}

/* The calling thread does the unit's work. 0: the fleet is running another loop. */
static int run_alone(heddle_loop *l, hd_fleet_unit *u)
{
    l->is_alone = 1;
    if (!hd_turns_enter_alone(&l->turn)) {
        l->is_alone = 0;
        return 0;
    }
    run_caller(l, u);
    return 1;
}

/* A serial fleet has no thread: its unit runs here. */
static void run_here(heddle_loop *l)
{
    hd_fleet_unit *u = hd_unit_at(l->fleet, 0);
    hd_turns_enter_own(&l->turn);
    run_caller(l, u);
}

static heddle_status leave_jobs(const heddle_loop *l)
{
    uint64_t i;
    for (i = 0; i < l->pieces.n; i++)
        HD_TRY(hd_array_leave_jobs(hd_piece_at(l, i)->array, hd_piece_at(l, i)->writes));
    hd_fleet_rest_jobs(l->fleet);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_loop_start(heddle_loop *l, const void *params, size_t params_bytes)
{
    hd_fleet_unit *alone;
    if (!l)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_loop_start: the loop is NULL");
    HD_TRY(hd_turns_check_start(&l->turn, "heddle_loop_start", l->table, params, params_bytes));
    HD_TRY(leave_jobs(l));
    clear_run(l);
    set_params(l, params);
    alone = unit_alone(l);
    HD_TRY(make_split(l, alone));
    if (alone && run_alone(l, alone))
        return HEDDLE_OK;
    if (alone)
        HD_TRY(make_split(l, NULL));
    hd_turns_add(&l->turn, l->fleet->is_serial);
    if (l->fleet->is_serial)
        run_here(l);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_loop_wait(heddle_loop *l, uint32_t timeout_ms)
{
    if (!l)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_loop_wait: the loop is NULL");
    return hd_turns_wait(&l->turn, "heddle_loop_wait", timeout_ms);
}

HEDDLE_API heddle_status heddle_loop_run(heddle_loop *l, const void *params, size_t params_bytes)
{
    HD_TRY(heddle_loop_start(l, params, params_bytes));
    return heddle_loop_wait(l, HEDDLE_FOREVER);
}

HEDDLE_API void heddle_loop_cancel(heddle_loop *l)
{
    if (!l || hd_fleet_is_forked(l->fleet))
        return;
    (void)pthread_mutex_lock(&l->asking);
    if (l->split) {
        l->is_canceled = 1;
        hd_split_cancel(l->split);
    }
    (void)pthread_mutex_unlock(&l->asking);
}
