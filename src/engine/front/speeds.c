/* SPDX-License-Identifier: MIT */
/* speeds.c - what the fleet's profile file (engine/loop/profile.c) has of wavefronts: for each kind of sites the time for a unit of the field.
 * The key has what that depends on: the cell, how many cells a unit has, sweeps, and whether cells are kept. All cores are one site; its name
 * has their number. */
#include "engine/front/front.h"

#include <stdio.h>

static const char *device_of(const hd_site *s) { return s->is_host ? s->name : s->unit->kind_name; }

static void settings_of(const heddle_wavefront *w, char out[HD_TUNING_WORD])
{
    (void)snprintf(out, HD_TUNING_WORD, "wavefront %.36s/%.36s cells=%llu%s sweeps=%u", w->table->name,
                   w->table->bodies[w->desc.body].name, (unsigned long long)hd_front_unit_cells(w),
                   w->desc.cells ? " kept" : "", hd_front_sweeps(w));
}

void hd_front_find_speeds(heddle_wavefront *w)
{
    char settings[HD_TUNING_WORD], text[HD_TUNING_WORD];
    settings_of(w, settings);
    for (uint32_t i = 0; i < w->n_sites; i++) {
        double ns = 0;
        if (hd_profile_read(w->fleet, device_of(&w->sites[i]), settings, text) && sscanf(text, "%lf ns", &ns) == 1 &&
            ns > 0)
            w->sites[i].row_ns = ns;
    }
}

void hd_front_keep_speeds(const heddle_wavefront *w)
{
    char settings[HD_TUNING_WORD], text[HD_TUNING_WORD];
    settings_of(w, settings);
    for (uint32_t i = 0; i < w->n_sites; i++) {
        const hd_site *s = &w->sites[i];
        (void)snprintf(text, sizeof text, "%.3f ns a unit", s->row_ns);
        if (s->row_ns > 0 && s->n_runs)
            hd_profile_write(w->fleet, device_of(s), settings, text, w->time_ns);
    }
}
