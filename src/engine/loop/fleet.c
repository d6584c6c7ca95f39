/* SPDX-License-Identifier: MIT */
/* fleet.c - heddle_fleet_open and _close: words become units. */
#include "engine/loop/fleet.h"

#include "engine/loop/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* One fleet of a process has cores: two would each believe that they are idle. */
static int cores_are_taken;

/* ---- devices ---------------------------------------------------------------------------------------------------------- */

static heddle_status add_virtual(heddle_fleet *f, const hd_word *w)
{
    const hd_virtual_config *v = &w->virt;
    char name[64], kind[96];
    heddle_accelerator a;
    hd_fleet_unit *u;
    uint32_t i;
    for (i = 0; i < w->n_times; i++) {
        HD_TRY(hd_virtual_new(v, &a));
        (void)snprintf(name, sizeof name, "virtual:%llu", (unsigned long long)f->units.n);
        (void)snprintf(kind, sizeof kind, "virtual speed=%g link=%g latency=%g", v->speed, v->link, v->latency);
        HD_TRY(hd_unit_add(f, name, kind, &a, &u));
        u->is_virtual = 1;
    }
    return HEDDLE_OK;
}

static heddle_status open_gpu(heddle_ctx **out, uint32_t device)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = HEDDLE_CUDA;
    c.device = device;
    return heddle_ctx_open(out, &c);
}

/* Units of the fleet that are that GPU, or parts of it. */
static uint32_t n_of_gpu(const heddle_fleet *f, const char *pci)
{
    uint32_t n = 0;
    uint64_t i;
    for (i = 0; i < f->units.n; i++)
        n += hd_unit_at(f, i)->ctx && !strcmp(hd_unit_at(f, i)->pci, pci);
    return n;
}

static heddle_status add_gpu(heddle_fleet *f, uint32_t device, uint32_t n_parts)
{
    heddle_device d = HEDDLE_DEVICE_INIT;
    heddle_accelerator a;
    heddle_ctx *ctx;
    hd_fleet_unit *u;
    char name[64], kind[96];
    heddle_status s;
    HD_TRY(open_gpu(&ctx, device));
    (void)snprintf(name, sizeof name, n_parts > 1 ? "cuda:%u/%u" : "cuda:%u", device, n_parts);
    (void)heddle_device_get(HEDDLE_CUDA, device, &d);
    (void)snprintf(kind, sizeof kind, "%.80s/%u", d.name, n_parts);
    s = ctx->backend->accelerator
            ? ctx->backend->accelerator(ctx->device, n_of_gpu(f, d.pci), n_parts, &a, hd_thread_error())
            : hd_say(NULL, HEDDLE_ENODEV, "devices: %s cannot take part in a fleet", name);
    if (s == HEDDLE_OK)
        s = hd_unit_add(f, name, kind, &a, &u);
    if (s != HEDDLE_OK) {
        heddle_ctx_close(ctx);
        return s;
    }
    u->ctx = ctx;
    u->n_parts = n_parts;
    memcpy(u->pci, d.pci, sizeof u->pci);
    f->pins = f->pins ? f->pins : ctx;
    return HEDDLE_OK;
}

static heddle_status add_gpus(heddle_fleet *f, const hd_word *w)
{
    const hd_backend *b = hd_backend_of(HEDDLE_CUDA);
    const uint32_t n = b ? b->count() : 0, first = w->which == HD_WORD_ALL ? 0 : w->which,
                   last = w->which == HD_WORD_ALL ? n : w->which + 1u;
    uint32_t i, k;
    if (last > n)
        return hd_say(NULL, HEDDLE_ENODEV, "devices: there is no cuda:%u: %u GPUs are here%s", w->which, n,
                      b ? "" : ", and heddle was built without CUDA");
    for (i = first; i < last; i++)
        for (k = 0; k < w->n_times; k++)
            HD_TRY(add_gpu(f, i, w->n_parts));
    return HEDDLE_OK;
}

static heddle_status add_cores(heddle_fleet *f, uint32_t n_wanted)
{
    hd_machine m;
    char name[64];
    hd_fleet_unit *u;
    uint32_t i, n, n_others = (uint32_t)f->units.n;
    hd_machine_look(&m);
    n = n_wanted != HD_WORD_ALL ? n_wanted : m.pub.n_cores > n_others ? m.pub.n_cores - n_others : 1;
    for (i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "cpu:%u", i);
        HD_TRY(hd_unit_add(f, name, "core", NULL, &u));
    }
    return HEDDLE_OK;
}

static heddle_status take_cores(heddle_fleet *f)
{
    if (!f->has_cores && __atomic_exchange_n(&cores_are_taken, 1, __ATOMIC_ACQUIRE))
        return hd_say(NULL, HEDDLE_EBUSY, "devices: another fleet of this process has the cores");
    f->has_cores = 1;
    return HEDDLE_OK;
}

/* ---- words ------------------------------------------------------------------------------------------------------------ */

/* Cores come last: how many are left depends on the others. */
static heddle_status add_word(heddle_fleet *f, const hd_word *w, uint32_t *n_cores)
{
    switch (w->kind) {
    case HD_WORD_SERIAL: f->is_serial = 1; return HEDDLE_OK;
    case HD_WORD_CPU:
        *n_cores = w->which == HD_WORD_ALL || *n_cores == HD_WORD_ALL ? HD_WORD_ALL : *n_cores + w->n_times * w->which;
        return HEDDLE_OK;
    case HD_WORD_CUDA: return add_gpus(f, w);
    case HD_WORD_VIRTUAL: return add_virtual(f, w);
    }
    return HEDDLE_OK;
}

static heddle_status add_words(heddle_fleet *f, const char *devices)
{
    hd_word w;
    uint32_t n_cores = 0;
    int more;
    while ((more = hd_word_read(&devices, &w)) > 0)
        HD_TRY(add_word(f, &w, &n_cores));
    if (more < 0)
        return HEDDLE_EINVAL;
    if (f->is_serial) {
        hd_fleet_unit *u;
        if (f->units.n || n_cores)
            return hd_say(NULL, HEDDLE_EINVAL, "devices: serial is a fleet of its own");
        return hd_unit_add(f, "serial", "core", NULL, &u);
    }
    if (n_cores) {
        HD_TRY(take_cores(f));
        HD_TRY(add_cores(f, n_cores));
    }
    return f->units.n ? HEDDLE_OK : hd_say(NULL, HEDDLE_ENODEV, "devices: none of these is here");
}

/* ---- opening ---------------------------------------------------------------------------------------------------------- */

static heddle_status read_config(heddle_fleet *f, const heddle_fleet_config *from)
{
    heddle_fleet_config *to = &f->config;
    *to = (heddle_fleet_config)HEDDLE_FLEET_INIT;
    if (from && (from->size < sizeof(size_t) || from->size > 4096))
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_fleet_open: set the config up with HEDDLE_FLEET_INIT");
    if (from)
        memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    to->size = sizeof *to;
    HD_TRY(hd_env_fill_struct(&hd_fleet_env, to, NULL));
    if (!to->profile_file)
        return HEDDLE_OK;
    f->profile_bytes = strlen(to->profile_file) + 1u;
    f->profile_file = hd_new(f->profile_bytes);
    if (!f->profile_file)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_fleet_open: out of memory");
    memcpy(f->profile_file, to->profile_file, f->profile_bytes);
    return HEDDLE_OK;
}

/* ---- pinning ---------------------------------------------------------------------------------------------------------- */

/* Units that are cores have bodies to run; the others have managers. There are at most as many as cores. */
typedef struct places {
    hd_machine machine;
    uint32_t n_managers, n_bodies;
    const char *pci[HD_MAX_CPUS];
    hd_cpus near[HD_MAX_CPUS];
    hd_place managers[HD_MAX_CPUS];
    uint32_t bodies[HD_MAX_CPUS];
} places;

static void place_all(const heddle_fleet *f, places *p)
{
    uint32_t i, manager = 0, body = 0;
    for (i = 0; i < f->units.n; i++)
        if (hd_unit_at(f, i)->is_core)
            p->n_bodies++;
        else
            p->pci[p->n_managers++] = hd_unit_at(f, i)->pci;
    hd_machine_near(p->pci, p->n_managers, p->near);
    for (i = 0; i < p->n_managers; i++)
        p->managers[i].near = &p->near[i];
    hd_place_choose(p->machine.cpu, p->machine.pub.n_cores, p->managers, p->n_managers, p->bodies, p->n_bodies);
    for (i = 0; i < f->units.n; i++)
        hd_unit_at(f, i)->cpu = hd_unit_at(f, i)->is_core ? p->bodies[body++] : p->managers[manager++].cpu;
}

/* There are more threads than cores: managers are not pinned; threads of cores are, if there are as many hardware threads. */
static void place_bodies(const heddle_fleet *f, const hd_machine *m)
{
    uint32_t i, n = 0;
    for (i = 0; i < f->units.n; i++)
        n += (uint32_t)hd_unit_at(f, i)->is_core;
    for (i = n <= m->pub.n_threads ? (uint32_t)f->units.n : 0; i-- > 0;)
        if (hd_unit_at(f, i)->is_core)
            hd_unit_at(f, i)->cpu = m->cpu[--n];
}

static heddle_status place_threads(heddle_fleet *f)
{
    places *p;
    if (f->config.no_pin)
        return HEDDLE_OK;
    p = hd_new(sizeof *p);
    if (!p)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_fleet_open: out of memory");
    hd_machine_look(&p->machine);
    if (f->units.n <= p->machine.pub.n_cores)
        place_all(f, p);
    else
        place_bodies(f, &p->machine);
    hd_delete(p, sizeof *p);
    return HEDDLE_OK;
}

static heddle_status start_threads(heddle_fleet *f)
{
    uint64_t i;
    HD_TRY(place_threads(f));
    for (i = 0; i < f->units.n; i++)
        HD_TRY(hd_unit_start(hd_unit_at(f, i)));
    return HEDDLE_OK;
}

void hd_fleet_init_cond(pthread_cond_t *c)
{
    pthread_condattr_t a;
    (void)pthread_condattr_init(&a);
    (void)pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    (void)pthread_cond_init(c, &a);
    (void)pthread_condattr_destroy(&a);
}

heddle_status hd_fleet_check_new(const char *call, const heddle_fleet *f, const heddle_table *table, const void *desc,
                                 const void *out)
{
    if (f && table && desc && out)
        return hd_fleet_check_process(f, call);
    return hd_say(NULL, HEDDLE_EINVAL, "%s: %s is NULL", call,
                  !f       ? "the fleet"
                  : !table ? "the table"
                  : !desc  ? "the description"
                           : "out");
}

HEDDLE_API heddle_status heddle_fleet_open(heddle_fleet **out, const char *devices, const heddle_fleet_config *config)
{
    heddle_fleet *f = out ? hd_new(sizeof *f) : NULL;
    const char *by_env;
    heddle_status s;
    if (!f)
        return out ? hd_say(NULL, HEDDLE_ENOMEM, "heddle_fleet_open: out of memory")
                   : hd_say(NULL, HEDDLE_EINVAL, "heddle_fleet_open: out is NULL");
    *out = NULL;
    hd_process_watch();
    f->n_forks = hd_process_forks;
    (void)pthread_mutex_init(&f->mutex, NULL);
    (void)pthread_cond_init(&f->driver_asked.changed, NULL);
    hd_fleet_init_cond(&f->ended);
    s = read_config(f, config);
    by_env = f->config.devices;
    if (s == HEDDLE_OK)
        s = add_words(f, devices ? devices : by_env ? by_env : "cuda:* cpu:*");
    if (s == HEDDLE_OK && !f->is_serial)
        s = start_threads(f);
    if (s != HEDDLE_OK)
        heddle_fleet_close(f);
    else
        *out = f;
    return s;
}

HEDDLE_API void heddle_fleet_close(heddle_fleet *f)
{
    uint64_t i;
    if (!f || hd_fleet_is_forked(f))
        return;
    (void)pthread_mutex_lock(&f->mutex);
    while (f->now)
        (void)pthread_cond_wait(&f->ended, &f->mutex);
    hd_turns_close(f);
    (void)pthread_mutex_unlock(&f->mutex);
    hd_driver_stop(f);
    if (f->jobs)
        f->on_jobs->close(f->jobs);
    for (i = 0; i < f->units.n; i++) /* one may be about to wake another */
        hd_unit_join(hd_unit_at(f, i));
    for (i = 0; i < f->units.n; i++)
        hd_unit_free(hd_unit_at(f, i));
    hd_list_clear(&f->units);
    hd_delete(f->profile_file, f->profile_bytes);
    if (f->has_cores)
        __atomic_store_n(&cores_are_taken, 0, __ATOMIC_RELEASE);
    (void)pthread_cond_destroy(&f->ended);
    (void)pthread_cond_destroy(&f->driver_asked.changed);
    (void)pthread_mutex_destroy(&f->mutex);
    hd_delete(f, sizeof *f);
}

/* ---- other calls ------------------------------------------------------------------------------------------------------ */

/* How many of the five functions with which queues wait for one another. */
static uint32_t n_of_points(const heddle_accelerator *a)
{
    return (uint32_t)(a->point != NULL) + (a->passed != NULL) + (a->follow != NULL) + (a->reaches != NULL) +
           (a->copy_peer != NULL);
}

/* And of the five that record. */
static uint32_t n_of_records(const heddle_accelerator *a)
{
    return (uint32_t)(a->record_begin != NULL) + (a->record_end != NULL) + (a->replay != NULL) + (a->replayed != NULL) +
           (a->record_free != NULL);
}

static heddle_status check_groups(const heddle_accelerator *a)
{
    if (!a->mark != !a->marked)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_fleet_add: %s has one of mark and marked", a->name);
    if (n_of_points(a) % 5u || (a->call && !a->point))
        return hd_say(
            NULL, HEDDLE_EINVAL,
            "heddle_fleet_add: %s has some of point, passed, follow, reaches and copy_peer, but not all, or call alone",
            a->name);
    if (n_of_records(a) % 5u || (a->replay && !a->point))
        return hd_say(
            NULL, HEDDLE_EINVAL,
            "heddle_fleet_add: %s has some of record_begin, record_end, replay, replayed and record_free, but "
            "not all, or no points",
            a->name);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_fleet_add(heddle_fleet *f, const heddle_accelerator *a)
{
    heddle_accelerator full = HEDDLE_ACCELERATOR_INIT;
    hd_fleet_unit *u;
    heddle_status s;
    if (!f || !a || f->is_serial)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_fleet_add: %s",
                      !f   ? "the fleet is NULL"
                      : !a ? "the accelerator is NULL"
                           : "a serial fleet has no other device");
    if (a->size < offsetof(heddle_accelerator, close) + sizeof a->close || a->size > 4096)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_fleet_add: set the accelerator up with HEDDLE_ACCELERATOR_INIT");
    memcpy(&full, a, a->size < sizeof full ? a->size : sizeof full);
    if (!full.name || !full.mem_new || !full.mem_free || !full.copy || !full.span || !full.poll || !full.close)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_fleet_add: the accelerator lacks its name or a function");
    HD_TRY(check_groups(&full));
    if (!full.n_queues || full.n_queues > HEDDLE_MOST_QUEUES || !(full.weight > 0))
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_fleet_add: %s has %u queues (1 to %u) and weight %g", full.name,
                      full.n_queues, HEDDLE_MOST_QUEUES, full.weight);
    if (f->had_loops)
        return hd_say(NULL, HEDDLE_EBUSY, "heddle_fleet_add: the fleet has had loops");
    s = hd_unit_add(f, full.name, full.name, &full, &u);
    if (s == HEDDLE_OK && (s = hd_unit_start(u)) != HEDDLE_OK)
        hd_unit_drop(u);
    return s;
}

HEDDLE_API heddle_status heddle_fleet_get_unit(const heddle_fleet *f, uint32_t index, heddle_fleet_unit *out)
{
    heddle_fleet_unit full = HEDDLE_UNIT_INIT;
    const hd_fleet_unit *u;
    if (!f || !out || out->size < sizeof(size_t))
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_fleet_get_unit: %s",
                      f ? "set *out up with HEDDLE_UNIT_INIT" : "the fleet is NULL");
    if (index >= f->units.n)
        return hd_say(NULL, HEDDLE_ENODEV, "heddle_fleet_get_unit: there is no unit %u", index);
    u = hd_unit_at(f, index);
    memcpy(full.name, u->name, sizeof full.name);
    full.memory_bytes = u->is_core ? 0 : u->acc.memory_bytes;
    full.ctx = u->ctx;
    full.is_lost = (uint32_t)hd_unit_is_lost(u);
    full.cpu = u->cpu;
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}
