/* SPDX-License-Identifier: MIT */
/* told.c - what is told of a wavefront's last run. */
#include "engine/front/front.h"

static void tell_site(heddle_wavefront *w, const hd_site *s)
{
    hd_how_add(&w->how, "%s: %.1f %% of the rows in %llu strides", s->name,
               100.0 * (double)s->n_rows / (double)w->desc.rows, (unsigned long long)s->n_strides);
    if (*s->trouble)
        hd_how_add(&w->how, "; lost: %s", s->trouble);
    else if (s->is_lost)
        hd_how_add(&w->how, "; lost in an earlier run");
    else if (s->is_left_out)
        hd_how_add(&w->how, "; left out: a quicker unit would wait for it in each column");
    hd_how_add(&w->how, "\n");
}

void hd_front_tell(heddle_wavefront *w, heddle_status status)
{
    uint64_t i;
    w->how.n = 0;
    hd_how_add(&w->how, "wavefront %s, divided by %s: %s after %.3f ms\n", w->table->bodies[w->desc.body].name,
               heddle_split_name(w->desc.split), heddle_status_text(status),
               (double)(heddle_host_clock_ns() - w->start_ns) / 1e6);
    for (i = 0; i < w->n_sites; i++)
        tell_site(w, &w->sites[i]);
    for (i = 0; status == HEDDLE_OK && i < w->n_begun; i++) {
        const hd_stride *s = hd_stride_at(w, i);
        hd_how_add(&w->how, "rows %llu to %llu on %s: from %.3f to %.3f ms\n", (unsigned long long)s->begin,
                   (unsigned long long)s->end - 1u, w->sites[s->site].name, (double)(s->began_ns - w->start_ns) / 1e6,
                   (double)(s->ended_ns - w->start_ns) / 1e6);
    }
}

static heddle_status check(const heddle_wavefront *w, const void *out, const char *call)
{
    return hd_how_check(w ? &w->turn : NULL, "wavefront", out, call);
}

HEDDLE_API heddle_status heddle_wavefront_get_unit(const heddle_wavefront *w, uint32_t unit, heddle_wavefront_unit *out)
{
    heddle_wavefront_unit full = HEDDLE_WAVEFRONT_UNIT_INIT;
    const hd_site *s;
    HD_TRY(check(w, out, "heddle_wavefront_get_unit"));
    if (unit >= w->n_sites)
        return hd_say(NULL, HEDDLE_ENODEV, "heddle_wavefront_get_unit: there is no unit %u", unit);
    s = &w->sites[unit];
    memcpy(full.name, s->name, sizeof full.name);
    full.n_rows = s->n_rows;
    full.n_strides = s->n_strides;
    full.busy_ns = s->busy_ns;
    full.end_ns = s->last_ns > w->start_ns ? s->last_ns - w->start_ns : 0;
    full.bytes_in = s->bytes_in;
    full.bytes_out = s->bytes_out;
    full.row_ns = s->row_ns;
    full.is_left_out = (uint32_t)s->is_left_out;
    full.is_lost = (uint32_t)s->is_lost;
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_wavefront_get_stats(const heddle_wavefront *w, heddle_wavefront_stats *out)
{
    heddle_wavefront_stats full = HEDDLE_WAVEFRONT_STATS_INIT;
    heddle_wavefront_unit u = HEDDLE_WAVEFRONT_UNIT_INIT;
    uint32_t i;
    HD_TRY(check(w, out, "heddle_wavefront_get_stats"));
    full.time_ns = full.first_ns = w->time_ns;
    full.n_units = w->n_sites;
    full.n_again = w->n_again;
    for (i = 0; i < w->n_sites; i++) {
        HD_TRY(heddle_wavefront_get_unit(w, i, &u));
        full.n_strides += u.n_strides;
        full.bytes_in += u.bytes_in;
        full.bytes_out += u.bytes_out;
        full.n_lost += u.is_lost;
        if (u.n_strides && !u.is_lost && u.end_ns < full.first_ns)
            full.first_ns = u.end_ns;
    }
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}

HEDDLE_API const char *heddle_wavefront_how(const heddle_wavefront *w)
{
    return w ? hd_how_text(&w->turn, &w->how) : "";
}
