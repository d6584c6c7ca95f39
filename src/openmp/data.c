/* SPDX-License-Identifier: MIT */
/* data.c - mapped memory of a region.
 *
 * A region's host code is written as if it ran where the tasks run, so mapped data is kept consistent in both directions.
 * Before a run, the host's bytes are copied to the device if the host may have written them. After a run, bytes are copied
 * back when the host wants to read (heddle_omp_sync), or when the object's count becomes 0; but only if a task has been given
 * a pointer into the object since. A region of the host always copies both ways: its data lives in host memory. */
#include "openmp/inside.h"

#include <stdio.h>

/* ---- errors ------------------------------------------------------------------------------------------------------- */

void hd_omp_data_must(heddle_status s, const heddle_omp_place *place, const char *what, const char *name)
{
    if (s != HEDDLE_OK)
        hd_omp_die(place, "%s %s: %s", what, name, heddle_error_text(((hd_omp_device *)hd_omp_mapped.by.self)->ctx));
}

static const char *named(const char *name) { return name ? name : "an object"; }

hd_omp_object *hd_omp_data_up(uint64_t begin, uint64_t end, const char *name, const heddle_omp_place *place)
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
    hd_omp_data_must(s, place, "mapping", named(name));
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
    o = hd_omp_data_up(begin, end, name, r->frame.place);
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

/* Maps a global. An object that the program has already mapped, even in part, becomes the region's as well. */
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
            continue; /* has a view instead (views.c) */
        if (!r->frame.has_globals)
            map_global(r, &p->globals[i]);
        if ((o = object_of(&p->globals[i])))
            o->newer = 1; /* bodies reach it without a pointer */
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
            hd_omp_data_must(hd_omp_map_write(&hd_omp_mapped, o, u->begin, u->end), NULL,
                             "copying to the device:", o->name);
    }
}

static void copy_back(const hd_omp_use *u, const hd_omp_object *o)
{
    hd_omp_data_must(hd_omp_map_read(&hd_omp_mapped, o, u->begin, u->end), NULL,
                     "copying back from the device:", o->name);
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
        if (o && o->newer && !u->pending && (all || (u->how & HEDDLE_OMP_FROM)))
            copy_back(u, o); /* pending: the host's bytes were not sent, so the copy has no data */
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

/* Unmaps in reverse order: an object mapped in parts goes with the use that made it. */
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

/* ---- pointers of tasks --------------------------------------------------------------------------------------------- */

/* Tasks of a kind refer to the same few objects at the same place: each place remembers its last object. */
static hd_omp_object *find(hd_omp_object **hint, uint64_t p)
{
    if (*hint && p >= (*hint)->begin && p < (*hint)->end)
        return *hint;
    return *hint = hd_omp_map_find(&hd_omp_mapped, p);
}

static void say_unmapped(const hd_omp_region *r, const heddle_omp_kind *k, const char *name, uint64_t value)
{
    static int said;
    char who[256];
    if (k)
        snprintf(who, sizeof who, "task %s (%s:%u) is given %s", k->name, k->place.file, k->place.line, name);
    else
        snprintf(who, sizeof who, "tasks read %s", name);
    if (r->frame.flags & HEDDLE_OMP_TARGET)
        hd_omp_die(NULL, "%s = %#llx, which is in no mapped object: map it, or set HEDDLE_BACKEND=cpu", who,
                   (unsigned long long)value);
    if (!said++)
        hd_omp_tell(NULL,
                    "%s = %#llx, which is in no mapped object: this region runs on CPU threads instead, and so do "
                    "others of which the same is true",
                    who, (unsigned long long)value);
}

hd_omp_object *hd_omp_object_of(const hd_omp_region *r, hd_omp_object **hint, const heddle_omp_kind *k,
                                const char *name, uint64_t value)
{
    hd_omp_object *o = find(hint, value);
    if (!o)
        say_unmapped(r, k, name, value);
    return o;
}
