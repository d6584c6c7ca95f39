/* SPDX-License-Identifier: MIT */
/* site.c - the sites of a wavefront: a context for each unit of the fleet that can run waves. */
#include "engine/front/front.h"

#include <stdio.h>

/* A virtual device is a thread here: only its copies take time. */
static heddle_config config_of(const hd_fleet_unit *u, uint32_t n_cores)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_device d = HEDDLE_DEVICE_INIT;
    c.schedule = u->fleet->is_serial ? HEDDLE_SCHEDULE_AUTO : HEDDLE_SCHEDULE_WAVE;
    c.backend = u->ctx ? HEDDLE_CUDA : u->fleet->is_serial ? HEDDLE_SERIAL : HEDDLE_CPU;
    c.n_workers = u->ctx ? 0 : n_cores;
    c.no_pin = u->is_virtual ? 1u : u->fleet->config.no_pin;
    if (!u->ctx)
        return c;
    c.device = u->ctx->config.device;
    if (u->n_parts > 1 && heddle_device_get(HEDDLE_CUDA, c.device, &d) == HEDDLE_OK)
        c.n_workers = d.n_units / u->n_parts;
    return c;
}

static heddle_status open_site(heddle_wavefront *w, hd_fleet_unit *u, uint32_t n_cores)
{
    hd_site *s = &w->sites[w->n_sites];
    const heddle_config c = config_of(u, n_cores ? n_cores : 1u);
    s->unit = u;
    s->is_host = u->is_core;
    s->weight = u->is_core ? n_cores : u->acc.weight;
    if (u->is_core && !w->fleet->is_serial)
        (void)snprintf(s->name, sizeof s->name, "cpu:%u", n_cores);
    else
        memcpy(s->name, u->name, sizeof s->name);
    if (u->ctx && u->ctx->backend->takes)
        HD_TRY(u->ctx->backend->takes(w->table, hd_thread_error()));
    HD_TRY(heddle_ctx_open(&s->ctx, &c));
    w->n_sites++;
    return HEDDLE_OK;
}

static heddle_status open_units(heddle_wavefront *w)
{
    hd_fleet_unit *core = NULL;
    uint32_t n_cores = 0;
    uint64_t i;
    for (i = 0; i < w->fleet->units.n; i++) {
        hd_fleet_unit *u = hd_unit_at(w->fleet, i);
        if (u->is_core) {
            core = core ? core : u;
            n_cores++;
        } else if ((u->ctx || u->is_virtual) && !hd_unit_is_lost(u))
            HD_TRY(open_site(w, u, 0));
    }
    return core ? open_site(w, core, n_cores) : HEDDLE_OK;
}

heddle_status hd_sites_open(heddle_wavefront *w)
{
    const uint64_t n = w->fleet->units.n;
    w->sites = hd_new(n * sizeof *w->sites);
    w->order = hd_new(n * sizeof *w->order);
    if (!w->sites || !w->order)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_wavefront_new: out of memory");
    HD_TRY(open_units(w));
    return w->n_sites ? HEDDLE_OK
                      : hd_say(NULL, HEDDLE_ENODEV,
                               "heddle_wavefront_new: no unit of the fleet can run waves: GPUs and cores can");
}

void hd_sites_close(heddle_wavefront *w)
{
    const uint64_t n = w->fleet->units.n;
    uint32_t i;
    for (i = 0; i < w->n_sites; i++)
        heddle_ctx_close(w->sites[i].ctx);
    hd_delete(w->sites, n * sizeof *w->sites);
    hd_delete(w->order, n * sizeof *w->order);
}

void hd_site_lose(hd_site *s)
{
    s->is_lost = 1;
    (void)snprintf(s->trouble, sizeof s->trouble, "%.199s", hd_thread_error()->text);
    if (!s->is_host)
        __atomic_store_n(&s->unit->health, HD_UNIT_LOST, __ATOMIC_RELEASE);
}
