/* SPDX-License-Identifier: MIT */
/* profile.c - the profile file of a fleet: how quick each kind of units was with a loop or a wavefront, so that the next process need not
 * find out. Its form is that of a tuning file. A file that cannot be read or written changes nothing else. */
#include "engine/loop/fleet.h"

#include <stdio.h>

int hd_profile_read(const heddle_fleet *f, const char *device, const char *settings, char text[HD_TUNING_WORD])
{
    hd_tuning_key key;
    hd_error note;
    hd_tuning_key_plain(&key, device, settings);
    return f->profile_file && hd_tuning_find(f->profile_file, &key, text, &note);
}

void hd_profile_write(const heddle_fleet *f, const char *device, const char *settings, const char *text,
                      uint64_t run_ns)
{
    hd_tuning_key key;
    hd_error e;
    hd_tuning_key_plain(&key, device, settings);
    if (f->profile_file)
        (void)hd_tuning_keep(f->profile_file, &key, text, run_ns, &e);
}

/* ---- of loops ------------------------------------------------------------------------------------------------------------- */

/* NULL: the kind has no unit. */
static const char *device_of(const heddle_loop *l, uint32_t kind)
{
    uint64_t i = 0;
    while (i < l->fleet->units.n && hd_unit_at(l->fleet, i)->kind != kind)
        i++;
    return i < l->fleet->units.n ? hd_unit_at(l->fleet, i)->kind_name : NULL;
}

static void settings_of(const heddle_loop *l, char out[HD_TUNING_WORD])
{
    (void)snprintf(out, HD_TUNING_WORD, "loop %.40s/%.40s tile=%llu by %llu", l->table->name,
                   l->table->bodies[l->desc.body].name, (unsigned long long)l->desc.tile,
                   (unsigned long long)l->desc.n_2);
}

void hd_profile_find(heddle_loop *l)
{
    char settings[HD_TUNING_WORD], text[HD_TUNING_WORD];
    uint32_t k;
    settings_of(l, settings);
    for (k = 0; k < l->fleet->n_kinds; k++) {
        const char *device = device_of(l, k);
        hd_split_model m = {0, 0, 1, 0};
        if (device && hd_profile_read(l->fleet, device, settings, text) &&
            sscanf(text, "%lf ns and %lf ns a tile, at most %lf", &m.t0_ns, &m.each_ns, &m.most_ns) >= 2 &&
            m.t0_ns >= 0 && m.each_ns > 0)
            l->models[k] = m;
    }
}

void hd_profile_keep(const heddle_loop *l)
{
    char settings[HD_TUNING_WORD], text[HD_TUNING_WORD];
    uint32_t k;
    settings_of(l, settings);
    for (k = 0; l->time_ns && k < l->fleet->n_kinds; k++) {
        const char *device = device_of(l, k);
        const hd_split_model *m = &l->models[k];
        (void)snprintf(text, sizeof text, "%.0f ns and %.3f ns a tile, at most %.3f ns", m->t0_ns, m->each_ns,
                       m->most_ns);
        if (device && m->n_seen)
            hd_profile_write(l->fleet, device, settings, text, l->time_ns);
    }
}
