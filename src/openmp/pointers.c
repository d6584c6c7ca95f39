/* SPDX-License-Identifier: MIT */
/* pointers.c - host addresses in argument records become those of the copies. */
#include "openmp/inside.h"

#include <stdio.h>
#include <string.h>

#define HINTS 8u

static uint64_t load(const unsigned char *args, const heddle_omp_pointer *p)
{
    uint64_t value;
    memcpy(&value, args + p->at, sizeof value);
    return value;
}

/* Tasks of a kind name the same few objects at the same place, so each place has its last one looked at first. */
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

/* Translates all pointers, or only looks whether it could. 0: one is unknown. */
static int walk(hd_omp_region *r, int translate)
{
    hd_omp_object *hints[HINTS] = {NULL};
    uint64_t i;
    uint32_t j;
    for (i = 0; i < r->list.tasks.n; i++) {
        const hd_omp_task *t = HD_OMP_TASK(&r->list, i);
        const heddle_omp_kind *k = t->kind < r->n_kinds ? &r->kinds[t->kind] : NULL;
        unsigned char *args = HD_OMP_ARGS(&r->list, t);
        for (j = 0; k && j < k->n_pointers; j++) {
            uint64_t value = load(args, &k->pointers[j]);
            hd_omp_object *o = value ? hd_omp_object_of(r, &hints[j % HINTS], k, k->pointers[j].name, value) : NULL;
            void *copy = o ? hd_omp_map_copy(o, value) : NULL;
            if (value && !o)
                return 0;
            if (translate && o) {
                memcpy(args + k->pointers[j].at, &copy, sizeof copy);
                o->newer = 1;
            }
        }
    }
    return 1;
}

/* Only a region of the host goes on after an unknown pointer, and needs its records whole then. */
int hd_omp_pointers(hd_omp_region *r)
{
    return hd_omp_views_check(r) && (r->frame.flags & HEDDLE_OMP_TARGET || walk(r, 0)) && walk(r, 1);
}
