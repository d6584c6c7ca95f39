/* SPDX-License-Identifier: MIT */
/* profile.c - the profile file of a fleet: how quick each kind of units was with a loop, so that the next process need not find out. Its
 * form is that of a tuning file. A file that cannot be read or written changes nothing else. */
#include "engine/loop/fleet.h"

#include "backend/tuning.h"

#include <stdio.h>

/* 0: the kind has no unit. */
static int key_of(const heddle_loop *l, uint32_t kind, hd_tuning_key *out)
{
    char settings[HD_TUNING_WORD];
    uint64_t i = 0;
    while (i < l->fleet->units.n && hd_unit_at(l->fleet, i)->kind != kind)
        i++;
    if (i == l->fleet->units.n)
        return 0;
    (void)snprintf(settings, sizeof settings, "loop %.40s/%.40s tile=%llu by %llu", l->table->name,
                   l->table->bodies[l->desc.body].name, (unsigned long long)l->desc.tile,
                   (unsigned long long)l->desc.n_2);
    hd_tuning_key_plain(out, hd_unit_at(l->fleet, i)->kind_name, settings);
    return 1;
}

void hd_profile_find(heddle_loop *l)
{
    hd_tuning_key key;
    char text[HD_TUNING_WORD];
    hd_error note;
    uint32_t k;
    for (k = 0; l->fleet->profile_file && k < l->fleet->n_kinds; k++) {
        hd_split_model m = {0, 0, 1, 0};
        if (key_of(l, k, &key) && hd_tuning_find(l->fleet->profile_file, &key, text, &note) &&
            sscanf(text, "%lf ns and %lf ns a tile, at most %lf", &m.t0_ns, &m.each_ns, &m.most_ns) >= 2 &&
            m.t0_ns >= 0 && m.each_ns > 0)
            l->models[k] = m;
    }
}

void hd_profile_keep(const heddle_loop *l)
{
    hd_tuning_key key;
    char text[HD_TUNING_WORD];
    hd_error e;
    uint32_t k;
    for (k = 0; l->fleet->profile_file && l->time_ns && k < l->fleet->n_kinds; k++) {
        if (!l->models[k].n_seen || !key_of(l, k, &key))
            continue;
        (void)snprintf(text, sizeof text, "%.0f ns and %.3f ns a tile, at most %.3f ns", l->models[k].t0_ns,
                       l->models[k].each_ns, l->models[k].most_ns);
        (void)hd_tuning_keep(l->fleet->profile_file, &key, text, l->time_ns, &e);
    }
}
