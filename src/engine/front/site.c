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

/* Cores work on one wave after the other. So does a part of a GPU: together the waves of all parts have as many workers as fit. */
static uint32_t lanes_of(const hd_fleet_unit *u) { return u->is_core || u->n_parts > 1 ? 1u : HD_FRONT_LANES; }

static heddle_status open_site(heddle_wavefront *w, hd_fleet_unit *u, uint32_t n_cores)
{
    hd_site *s = &w->sites[w->n_sites];
    const heddle_config c = config_of(u, n_cores ? n_cores : 1u);
    const uint32_t n_lanes = lanes_of(u);
    s->unit = u;
    s->is_host = u->is_core;
    s->weight = u->is_core ? n_cores : u->acc.weight;
    if (u->is_core && !w->fleet->is_serial)
        (void)snprintf(s->name, sizeof s->name, "cpu:%u", n_cores);
    else
        memcpy(s->name, u->name, sizeof s->name);
    if (u->ctx && u->ctx->backend->takes)
        HD_TRY(u->ctx->backend->takes(w->table, hd_thread_error()));
    w->n_sites++;
    for (; s->n_lanes < n_lanes; s->n_lanes++)
        HD_TRY(heddle_ctx_open(&s->lanes[s->n_lanes], &c));
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
        while (w->sites[i].n_lanes)
            heddle_ctx_close(w->sites[i].lanes[--w->sites[i].n_lanes]);
    hd_delete(w->sites, n * sizeof *w->sites);
    hd_delete(w->order, n * sizeof *w->order);
}

static uint64_t least_common(uint64_t a, uint64_t b)
{
    uint64_t n = a;
    while (n % b)
        n += a;
    return n;
}

uint64_t hd_sites_band_rows(const heddle_wavefront *w)
{
    uint64_t n = HD_LONE;
    uint32_t i, k;
    for (i = 0; i < w->n_sites; i++)
        for (k = 0; k < w->info->n_shapes && w->sites[i].unit->ctx; k++)
            n = least_common(n, 32ull * w->info->shapes[k].rows);
    return n;
}

void hd_site_busy(hd_site *s)
{
    if (!s->n_flying++)
        s->since_ns = heddle_host_clock_ns();
}

void hd_site_idle(hd_site *s, uint64_t now_ns)
{
    if (!--s->n_flying)
        s->busy_ns += now_ns - s->since_ns;
}

void hd_site_ask(hd_site *s)
{
    heddle_status status;
    if (s->is_host)
        return;
    status = hd_unit_health(s->unit) == HD_UNIT_SILENT ? hd_manager_ask(s->unit) : HEDDLE_EBUSY;
    if (status == HEDDLE_OK)
        hd_unit_is_back(s->unit);
    else if (status != HEDDLE_EBUSY)
        hd_site_lose(s);
    s->is_lost = hd_unit_is_lost(s->unit);
    if (hd_unit_health(s->unit) == HD_UNIT_SILENT)
        (void)snprintf(s->trouble, sizeof s->trouble, "%s does not answer", s->name);
}

void hd_site_lose(hd_site *s)
{
    s->is_lost = 1;
    (void)snprintf(s->trouble, sizeof s->trouble, "%.199s", hd_thread_error()->text);
    if (!s->is_host)
        __atomic_store_n(&s->unit->health, HD_UNIT_LOST, __ATOMIC_RELEASE);
}
