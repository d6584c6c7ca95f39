/* SPDX-License-Identifier: MIT */
/* pointers.c - replaces host addresses in argument records by those of the copies. */
#include "openmp/inside.h"

#include <string.h>

#define HINTS 8u

static uint64_t load(const unsigned char *args, const heddle_omp_pointer *p)
{
    uint64_t value;
    memcpy(&value, args + p->at, sizeof value);
    return value;
}

/* Translates all pointers, or only checks whether it could. 0: one is unknown. */
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

/* 1: no task of this region follows addresses that it loads from memory. */
static int none_follows(const hd_omp_region *r)
{
    static int said;
    uint64_t i;
    for (i = 0; i < r->list.tasks.n; i++) {
        const uint32_t kind = HD_OMP_TASK(&r->list, i)->kind;
        if (kind >= r->n_kinds || !r->kinds[kind].follows_pointers)
            continue;
        if (!said++)
            hd_omp_tell(NULL,
                        "task %s (%s:%u) follows pointers that lie in memory, which are addresses of the host: this "
                        "region runs on CPU threads, and so do others of which the same is true",
                        r->kinds[kind].name, r->kinds[kind].place.file, r->kinds[kind].place.line);
        return 0;
    }
    return 1;
}

/* A region of the host continues after an unknown pointer and then needs unchanged records, so it checks first. */
int hd_omp_pointers(hd_omp_region *r)
{
    if (!(r->frame.flags & HEDDLE_OMP_TARGET) && !none_follows(r))
        return 0;
    return hd_omp_views_check(r) && (r->frame.flags & HEDDLE_OMP_TARGET || walk(r, 0)) && walk(r, 1);
}
