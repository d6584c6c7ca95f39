/* SPDX-License-Identifier: MIT */
/* told.c - what is told of a loop's last run. */
#include "engine/loop/fleet.h"

#include <stdarg.h>
#include <stdio.h>

void hd_how_add(hd_list *how, const char *format, ...)
{
    va_list args;
    int n;
    if (hd_list_room(how, 320, 1))
        return; /* without memory the text ends here */
    va_start(args, format);
    n = vsnprintf((char *)how->at + how->n, 320, format, args);
    va_end(args);
    how->n += (uint64_t)(n < 0 ? 0 : n < 320 ? n : 319);
}

static heddle_status check(const heddle_loop *l, const void *out, const char *call)
{
    if (!l || !out || *(const size_t *)out < sizeof(size_t))
        return hd_say(NULL, HEDDLE_EINVAL, "%s: %s", call, l ? "set *out up with its INIT" : "the loop is NULL");
    if (hd_turns_state(l) == HD_LOOP_STARTED)
        return hd_say(NULL, HEDDLE_EBUSY, "%s: the loop is running", call);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_loop_get_unit(const heddle_loop *l, uint32_t unit, heddle_loop_unit *out)
{
    heddle_loop_unit full = HEDDLE_LOOP_UNIT_INIT;
    const hd_split_counts *c;
    const hd_share *r;
    const hd_split_model *m;
    HD_TRY(check(l, out, "heddle_loop_get_unit"));
    if (unit >= l->fleet->units.n)
        return hd_say(NULL, HEDDLE_ENODEV, "heddle_loop_get_unit: there is no unit %u", unit);
    c = &l->counts[unit];
    r = &l->runs[unit];
    m = &l->models[hd_unit_at(l->fleet, unit)->kind];
    full.n_indices = c->n_grains * l->desc.tile;
    full.n_slices = c->n_slices;
    full.n_cuts = c->n_cuts;
    full.n_again = c->n_again * l->desc.tile;
    full.busy_ns = c->busy_ns;
    full.host_ns = r->host_ns;
    full.end_ns = c->last_ns > l->start_ns ? c->last_ns - l->start_ns : 0;
    full.bytes_in = r->bytes_in;
    full.bytes_out = r->bytes_out;
    full.start_ns = m->t0_ns;
    full.each_ns = m->each_ns / (double)l->desc.tile;
    full.is_left_out = !c->n_grains;
    full.is_lost =
        (uint32_t)(l->is_alone ? hd_unit_is_lost(hd_unit_at(l->fleet, unit)) : c->is_lost || c->is_suspected);
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_loop_get_stats(const heddle_loop *l, heddle_loop_stats *out)
{
    heddle_loop_stats full = HEDDLE_LOOP_STATS_INIT;
    uint32_t i;
    HD_TRY(check(l, out, "heddle_loop_get_stats"));
    full.time_ns = full.first_ns = l->time_ns;
    full.n_units = (uint32_t)l->fleet->units.n;
    for (i = 0; i < full.n_units; i++) {
        heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
        HD_TRY(heddle_loop_get_unit(l, i, &u));
        full.n_indices += u.n_indices;
        full.n_slices += u.n_slices;
        full.n_cuts += u.n_cuts;
        full.n_again += u.n_again;
        full.bytes_in += u.bytes_in;
        full.bytes_out += u.bytes_out;
        full.n_lost += u.is_lost;
        if (u.n_slices && !u.is_lost && u.end_ns < full.first_ns)
            full.first_ns = u.end_ns;
    }
    full.n_indices = full.n_indices < l->desc.n ? full.n_indices : l->desc.n; /* the last tile may be short */
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}

HEDDLE_API const char *heddle_loop_how(const heddle_loop *l)
{
    return l && hd_turns_state(l) != HD_LOOP_STARTED && l->how.n ? (const char *)l->how.at : "";
}
