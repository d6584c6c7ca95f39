/* SPDX-License-Identifier: MIT */
/* data.c - mapped memory: of a region, and around regions.
 *
 * The host's code of a region is written as if it ran where the tasks run. So what a region maps is kept in step in both
 * directions: before a run the host's bytes go to the device if the host may have written them, after a run they come
 * back when the host wants to read (heddle_omp_sync) or the object's count becomes 0; and only if a task was given a
 * pointer into the object since. A region of the host always copies both ways: for it, the host's memory is the truth. */
#include "openmp/inside.h"

static heddle_ctx *ctx_of(void *self) { return ((hd_omp_device *)self)->ctx; }

static heddle_status make(void *self, uint64_t n_bytes, void **out)
{
    return heddle_mem_new(ctx_of(self), n_bytes, out);
}

static void drop(void *self, void *copy) { heddle_mem_free(ctx_of(self), copy); }

static heddle_status write_copy(void *self, void *copy, const void *host, uint64_t n_bytes)
{
    return heddle_mem_write(ctx_of(self), copy, host, n_bytes);
}

static heddle_status read_copy(void *self, void *host, const void *copy, uint64_t n_bytes)
{
    return heddle_mem_read(ctx_of(self), host, copy, n_bytes);
}

hd_omp_map hd_omp_mapped = {.by = {NULL, make, drop, write_copy, read_copy}};

/* ---- the way out -------------------------------------------------------------------------------------------------- */

static void must(heddle_status s, const heddle_omp_place *place, const char *what, const char *name)
{
    if (s != HEDDLE_OK)
        hd_omp_die(place, "%s %s: %s", what, name, heddle_errmsg(ctx_of(hd_omp_mapped.by.self)));
}

static const char *named(const char *name) { return name ? name : "an object"; }

static hd_omp_object *up(uint64_t begin, uint64_t end, const char *name, const heddle_omp_place *place)
{
    hd_omp_object *o;
    heddle_status s = hd_omp_map_up(&hd_omp_mapped, begin, end, named(name), place, &o);
    if (s == HEDDLE_EINVAL)
        hd_omp_die(
            place,
            "%s (%llu bytes at %#llx) is mapped in part only: %s, mapped by line %u of %s, has %llu bytes at %#llx",
            named(name), (unsigned long long)(end - begin), (unsigned long long)begin, o->name,
            o->place ? o->place->line : 0, o->place ? o->place->file : "?", (unsigned long long)(o->end - o->begin),
            (unsigned long long)o->begin);
    must(s, place, "mapping", named(name));
    return o;
}

/* ---- in a region -------------------------------------------------------------------------------------------------- */

#define USE(r, i) ((hd_omp_use *)(r)->uses.at + (i))

static int of_host(const hd_omp_region *r) { return !(r->frame.flags & HEDDLE_OMP_TARGET); }

void hd_omp_data_use(hd_omp_region *r, const void *p, uint64_t n_bytes, uint32_t how, const char *name,
                     uint32_t is_slots)
{
    uint64_t begin = (uint64_t)(uintptr_t)p, end = begin + n_bytes;
    hd_omp_object *o;
    hd_omp_mapped.by.self = r->frame.device;
    o = up(begin, end, name, r->frame.place);
    hd_omp_room(&r->uses, 1, sizeof(hd_omp_use));
    *USE(r, r->uses.n++) = (hd_omp_use){
        begin, end, how, is_slots, (how & HEDDLE_OMP_TO) && (o->count == 1 || (how & HEDDLE_OMP_ALWAYS) || of_host(r)),
    };
}

void heddle_omp_map(const void *p, uint64_t n_bytes, uint32_t how, const char *name)
{
    hd_omp_region *r = hd_omp_here;
    if (r && p && n_bytes && hd_omp_region_maps(r))
        hd_omp_data_use(r, p, n_bytes, how, name, 0);
}

void heddle_omp_host_wrote(void)
{
    hd_omp_region *r = hd_omp_here;
    uint64_t i;
    for (i = 0; r && i < r->uses.n; i++)
        USE(r, i)->pending |= USE(r, i)->how & HEDDLE_OMP_TO;
}

void hd_omp_data_host_wrote_slot(hd_omp_region *r, const void *p)
{
    uint64_t i, at = (uint64_t)(uintptr_t)p;
    for (i = 0; i < r->uses.n; i++)
        if (USE(r, i)->is_slots && at >= USE(r, i)->begin && at < USE(r, i)->end)
            USE(r, i)->pending = 1;
}

static hd_omp_object *object_of(const heddle_omp_global *g)
{
    uint64_t begin = (uint64_t)(uintptr_t)*g->address;
    return begin ? hd_omp_map_meets(&hd_omp_mapped, begin, begin + g->n_bytes) : NULL;
}

/* One that the program has mapped, if only in part, is there already; it is the region's as well. */
static void map_global(hd_omp_region *r, const heddle_omp_global *g)
{
    hd_omp_object *o = object_of(g);
    if (o)
        hd_omp_data_use(r, (void *)(uintptr_t)o->begin, o->end - o->begin, HEDDLE_OMP_TOFROM, g->name, 0);
    else if (*g->address && g->n_bytes)
        hd_omp_data_use(r, *g->address, g->n_bytes, HEDDLE_OMP_TOFROM, g->name, 0);
}

void hd_omp_data_globals(hd_omp_region *r)
{
    const heddle_omp_program *p = r->frame.program;
    hd_omp_object *o;
    uint32_t i;
    for (i = 0; i < p->n_globals; i++) {
        if (p->globals[i].n_pointers)
            continue; /* shown, not mapped */
        if (!r->frame.has_globals)
            map_global(r, &p->globals[i]);
        if ((o = object_of(&p->globals[i])))
            o->newer = 1; /* bodies find it without a pointer */
    }
    r->frame.has_globals = 1;
}

void hd_omp_data_to(hd_omp_region *r)
{
    uint64_t i;
    for (i = 0; i < r->uses.n; i++) {
        hd_omp_use *u = USE(r, i);
        const hd_omp_object *o = u->pending ? hd_omp_map_meets(&hd_omp_mapped, u->begin, u->end) : NULL;
        u->pending = 0;
        if (o)
            must(hd_omp_map_write(&hd_omp_mapped, o, u->begin, u->end), NULL, "copying to the device:", o->name);
    }
}

static void copy_back(const hd_omp_use *u, const hd_omp_object *o)
{
    must(hd_omp_map_read(&hd_omp_mapped, o, u->begin, u->end), NULL, "copying back from the device:", o->name);
}

void hd_omp_data_back(hd_omp_region *r, int all)
{
    uint64_t i;
    hd_omp_object *o;
    if (!hd_omp_region_maps(r))
        return;
    for (i = 0; i < r->uses.n; i++) {
        const hd_omp_use *u = USE(r, i);
        o = hd_omp_map_meets(&hd_omp_mapped, u->begin, u->end);
        if (o && o->newer && (all || (u->how & HEDDLE_OMP_FROM)))
            copy_back(u, o);
    }
    for (i = 0; i < r->uses.n; i++) { /* only now: an object may be mapped in several parts */
        o = hd_omp_map_meets(&hd_omp_mapped, USE(r, i)->begin, USE(r, i)->end);
        if (o && (USE(r, i)->how & HEDDLE_OMP_FROM))
            o->newer = 0;
    }
}

static int goes_back(const hd_omp_region *r, const hd_omp_use *u, const hd_omp_object *o)
{
    if (r->on_host || u->is_slots || !(u->how & HEDDLE_OMP_FROM))
        return 0;
    return (u->how & HEDDLE_OMP_ALWAYS) || (o->newer && (o->count == 1 || of_host(r)));
}

/* Last mapped, first out: an object that is mapped in parts goes with the use that made it. */
void hd_omp_data_end(hd_omp_region *r)
{
    while (r->uses.n > r->frame.first_use) {
        hd_omp_use *u = USE(r, --r->uses.n);
        hd_omp_object *o = hd_omp_map_meets(&hd_omp_mapped, u->begin, u->end);
        if (!o)
            continue;
        if (goes_back(r, u, o))
            copy_back(u, o);
        hd_omp_map_down(&hd_omp_mapped, o);
    }
}

/* ---- around regions ------------------------------------------------------------------------------------------------ */

/* A mapping device, with the map for this thread alone; NULL: there is nothing to do. */
static hd_omp_device *open_map(const heddle_omp_program *program, const heddle_omp_place *place)
{
    hd_omp_device *d;
    hd_omp_enter_alone();
    if (hd_omp_here)
        heddle_omp_sync();
    d = hd_omp_device_of(program, place);
    if (hd_omp_device_maps(d, program)) {
        hd_omp_mapped.by.self = d;
        return d;
    }
    hd_omp_leave_alone();
    return NULL;
}

void heddle_omp_enter(const heddle_omp_program *program, const heddle_omp_place *place, const void *p, uint64_t n_bytes,
                      uint32_t how, const char *name)
{
    uint64_t begin = (uint64_t)(uintptr_t)p, end = begin + n_bytes;
    hd_omp_object *o;
    if (!p || !n_bytes || !open_map(program, place))
        return;
    o = up(begin, end, name, place);
    if ((how & HEDDLE_OMP_TO) && (o->count == 1 || (how & HEDDLE_OMP_ALWAYS)))
        must(hd_omp_map_write(&hd_omp_mapped, o, begin, end), place, "mapping", o->name);
    hd_omp_leave_alone();
}

void heddle_omp_exit(const heddle_omp_program *program, const heddle_omp_place *place, const void *p, uint64_t n_bytes,
                     uint32_t how, const char *name)
{
    uint64_t begin = (uint64_t)(uintptr_t)p, end = begin + n_bytes;
    hd_omp_object *o;
    if (!p || !n_bytes || !open_map(program, place))
        return;
    o = hd_omp_map_meets(&hd_omp_mapped, begin, end);
    if (o && (how & HEDDLE_OMP_DELETE))
        o->count = 1;
    if (o && (how & HEDDLE_OMP_FROM) && (o->count == 1 || (how & HEDDLE_OMP_ALWAYS)))
        must(hd_omp_map_read(&hd_omp_mapped, o, begin, end), place, "copying back", named(name));
    if (o)
        hd_omp_map_down(&hd_omp_mapped, o);
    hd_omp_leave_alone();
}

void heddle_omp_update(const heddle_omp_program *program, const heddle_omp_place *place, const void *p,
                       uint64_t n_bytes, uint32_t how)
{
    uint64_t begin = (uint64_t)(uintptr_t)p, end = begin + n_bytes;
    hd_omp_object *o;
    if (!p || !n_bytes || !open_map(program, place))
        return;
    while ((o = hd_omp_map_meets(&hd_omp_mapped, begin, end))) {
        if (how & HEDDLE_OMP_TO)
            must(hd_omp_map_write(&hd_omp_mapped, o, begin, end), place, "updating", o->name);
        else
            must(hd_omp_map_read(&hd_omp_mapped, o, begin, end), place, "updating", o->name);
        begin = o->end;
        if (begin >= end)
            break;
    }
    hd_omp_leave_alone();
}
