/* SPDX-License-Identifier: MIT */
/* unit.c - units of a fleet and their threads. */
#include "engine/loop/fleet.h"

#include "base/machine.h"

#include <stdio.h>

#define BUFFER_BYTES (192ull << 20)
#define LEAST_BUFFER (1ull << 16)

/* ---- threads --------------------------------------------------------------------------------------------------------- */

int hd_unit_turn(heddle_loop *l, hd_fleet_unit *u) { return u->is_core ? hd_core_run(l, u) : hd_manager_run(l, u); }

static void *unit_main(void *unit)
{
    hd_fleet_unit *u = unit;
    hd_fleet_turn *t;
    if (u->cpu != HD_NONE)
        hd_machine_pin(u->cpu);
    while ((t = hd_turns_enter(u->fleet, &u->asked))) {
        const int naps = hd_unit_turn(t->self, u);
        hd_turns_leave(u->fleet, naps ? &u->asked : NULL);
    }
    return NULL;
}

heddle_status hd_unit_start(hd_fleet_unit *u)
{
    u->has_thread = !pthread_create(&u->thread, NULL, unit_main, u);
    return u->has_thread ? HEDDLE_OK : hd_say(NULL, HEDDLE_ENOMEM, "a fleet: no thread for %s", u->name);
}

/* ---- making one ------------------------------------------------------------------------------------------------------- */

static uint32_t kind_of(heddle_fleet *f, const char *kind)
{
    uint64_t i;
    for (i = 0; i < f->units.n; i++)
        if (!strcmp(hd_unit_at(f, i)->kind_name, kind))
            return hd_unit_at(f, i)->kind;
    return f->n_kinds++;
}

uint32_t hd_unit_first(const heddle_fleet *f, uint32_t unit)
{
    uint32_t i;
    for (i = 0; i < f->units.n; i++)
        if (hd_unit_at(f, i)->kind == hd_unit_at(f, unit)->kind && !hd_unit_is_lost(hd_unit_at(f, i)))
            return i;
    return unit;
}

/* As much as is wanted, or half of that, and so on. */
static heddle_status get_buffer(hd_fleet_unit *u)
{
    const heddle_fleet_config *c = &u->fleet->config;
    const uint64_t quarter = u->acc.memory_bytes / 4u;
    uint64_t n = c->buffer_bytes ? c->buffer_bytes : BUFFER_BYTES;
    n = !c->buffer_bytes && n > quarter ? quarter : n;
    for (; n >= LEAST_BUFFER || (n && n == c->buffer_bytes); n /= 2)
        if ((u->buffer = u->acc.mem_new(u->acc.self, n))) {
            u->buffer_bytes = n;
            return HEDDLE_OK;
        }
    return hd_say(NULL, HEDDLE_ENOMEM, "a fleet: %s has no memory for slices: %llu bytes of %llu were refused", u->name,
                  (unsigned long long)LEAST_BUFFER, (unsigned long long)u->acc.memory_bytes);
}

void hd_unit_join(hd_fleet_unit *u)
{
    if (u->has_thread)
        (void)pthread_join(u->thread, NULL);
    u->has_thread = 0;
}

void hd_unit_free(hd_fleet_unit *u)
{
    int is_lost;
    hd_unit_join(u);
    is_lost = hd_unit_is_lost(u) && !(hd_unit_health(u) == HD_UNIT_SILENT && hd_manager_ask(u) == HEDDLE_OK);
    if (!u->is_core && !is_lost)
        hd_orphans_free(u);
    hd_list_clear(&u->orphans);
    if (u->buffer && !is_lost)
        u->acc.mem_free(u->acc.self, u->buffer, u->buffer_bytes);
    if (!u->is_core)
        u->acc.close(u->acc.self, is_lost);
    heddle_ctx_close(u->ctx);
    (void)pthread_cond_destroy(&u->asked.changed);
    hd_delete(u, sizeof *u);
}

heddle_status hd_unit_add(heddle_fleet *f, const char *name, const char *kind, const heddle_accelerator *acc,
                          hd_fleet_unit **out)
{
    hd_fleet_unit *u = hd_new(sizeof *u);
    heddle_status s;
    *out = NULL;
    if (!u || hd_list_room(&f->units, 1, sizeof u)) {
        if (acc)
            acc->close(acc->self, 0);
        hd_delete(u, sizeof *u);
        return hd_say(NULL, HEDDLE_ENOMEM, "a fleet: no memory for %s", name);
    }
    hd_fleet_init_cond(&u->asked.changed);
    u->fleet = f;
    u->is_core = !acc;
    u->cpu = HD_NONE;
    (void)snprintf(u->name, sizeof u->name, "%s", name);
    (void)snprintf(u->kind_name, sizeof u->kind_name, "%s", kind);
    u->kind = kind_of(f, u->kind_name);
    u->index = (uint32_t)f->units.n;
    ((hd_fleet_unit **)f->units.at)[f->units.n++] = u;
    *out = u;
    if (!acc)
        return HEDDLE_OK;
    u->acc = *acc;
    s = get_buffer(u);
    if (s != HEDDLE_OK)
        hd_unit_drop(u);
    return s;
}

void hd_unit_drop(hd_fleet_unit *u)
{
    u->fleet->units.n--;
    hd_unit_free(u);
}
