/* SPDX-License-Identifier: MIT */
/* target_data.c - mapped memory outside of regions: OpenMP's target enter data, exit data and update. Inside a region, its
 * pending tasks are run first. */
#include "openmp/inside.h"

/* A device that maps, with the map locked for this thread; NULL: nothing to do. */
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
    o = hd_omp_data_up(begin, end, name, place);
    if ((how & HEDDLE_OMP_TO) && (o->count == 1 || (how & HEDDLE_OMP_ALWAYS)))
        hd_omp_data_must(hd_omp_map_write(&hd_omp_mapped, o, begin, end), place, "mapping", o->name);
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
        hd_omp_data_must(hd_omp_map_read(&hd_omp_mapped, o, begin, end), place, "copying back",
                         name ? name : "an object");
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
            hd_omp_data_must(hd_omp_map_write(&hd_omp_mapped, o, begin, end), place, "updating", o->name);
        else
            hd_omp_data_must(hd_omp_map_read(&hd_omp_mapped, o, begin, end), place, "updating", o->name);
        begin = o->end;
        if (begin >= end)
            break;
    }
    hd_omp_leave_alone();
}
