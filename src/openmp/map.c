/* SPDX-License-Identifier: MIT */
/* map.c - see map.h.
 *
 * A program that maps and unmaps the same objects in a loop would allocate on the device each time, which takes longer than a
 * small copy. So up to SPARES copies of unmapped objects are kept for objects of exactly their size. All are freed when there
 * is no memory for a new copy. */
#include "openmp/map.h"

#include <stdlib.h>
#include <string.h>

#define SPARES 64u
#define OBJECT(m, i) (((hd_omp_object **)(m)->objects.at)[i])

typedef struct spare {
    void *copy;
    uint64_t n_bytes;
} spare;
#define SPARE(m, i) ((spare *)(m)->spare.at + (i))

/* ---- finding ------------------------------------------------------------------------------------------------------ */

/* The number of objects that begin at or below p. */
static uint64_t n_up_to(const hd_omp_map *m, uint64_t p)
{
    uint64_t low = 0, high = m->objects.n;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (OBJECT(m, middle)->begin <= p)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

hd_omp_object *hd_omp_map_find(hd_omp_map *m, uint64_t p)
{
    hd_omp_object *o = m->met;
    uint64_t n;
    if (o && p >= o->begin && p < o->end)
        return o;
    n = n_up_to(m, p);
    o = n ? OBJECT(m, n - 1) : NULL;
    if (!o || p > o->end)
        return NULL;
    return m->met = o;
}

hd_omp_object *hd_omp_map_meets(hd_omp_map *m, uint64_t begin, uint64_t end)
{
    uint64_t n = n_up_to(m, begin);
    if (n && OBJECT(m, n - 1)->end > begin)
        return OBJECT(m, n - 1);
    return n < m->objects.n && OBJECT(m, n)->begin < end ? OBJECT(m, n) : NULL;
}

/* ---- copies ------------------------------------------------------------------------------------------------------- */

int hd_omp_map_drop_spares(hd_omp_map *m)
{
    int had = m->spare.n != 0;
    while (m->spare.n)
        m->by.drop(m->by.self, SPARE(m, --m->spare.n)->copy);
    return had;
}

static void take_spare(hd_omp_map *m, uint64_t i)
{
    m->spare.n--;
    memmove(SPARE(m, i), SPARE(m, i + 1), (m->spare.n - i) * sizeof(spare));
}

static heddle_status new_copy(hd_omp_map *m, uint64_t n_bytes, void **out)
{
    heddle_status s;
    uint64_t i;
    for (i = 0; i < m->spare.n; i++)
        if (SPARE(m, i)->n_bytes == n_bytes) {
            *out = SPARE(m, i)->copy;
            take_spare(m, i);
            return HEDDLE_OK;
        }
    s = m->by.make(m->by.self, n_bytes, out);
    if (s != HEDDLE_ENOMEM || !hd_omp_map_drop_spares(m))
        return s;
    return m->by.make(m->by.self, n_bytes, out);
}

static void old_copy(hd_omp_map *m, void *copy, uint64_t n_bytes)
{
    if (m->spare.n >= SPARES) { /* drops the oldest */
        m->by.drop(m->by.self, SPARE(m, 0)->copy);
        take_spare(m, 0);
    }
    hd_omp_room(&m->spare, 1, sizeof(spare));
    *SPARE(m, m->spare.n++) = (spare){copy, n_bytes};
}

heddle_status hd_omp_map_write(const hd_omp_map *m, const hd_omp_object *o, uint64_t begin, uint64_t end)
{
    begin = begin > o->begin ? begin : o->begin;
    end = end < o->end ? end : o->end;
    if (begin >= end)
        return HEDDLE_OK;
    return m->by.write(m->by.self, hd_omp_map_copy(o, begin), (const void *)(uintptr_t)begin, end - begin);
}

heddle_status hd_omp_map_read(const hd_omp_map *m, const hd_omp_object *o, uint64_t begin, uint64_t end)
{
    begin = begin > o->begin ? begin : o->begin;
    end = end < o->end ? end : o->end;
    if (begin >= end)
        return HEDDLE_OK;
    return m->by.read(m->by.self, (void *)(uintptr_t)begin, hd_omp_map_copy(o, begin), end - begin);
}

/* ---- counting ----------------------------------------------------------------------------------------------------- */

static void insert(hd_omp_map *m, hd_omp_object *o)
{
    uint64_t at = n_up_to(m, o->begin);
    hd_omp_room(&m->objects, 1, sizeof o);
    memmove(&OBJECT(m, at + 1), &OBJECT(m, at), (m->objects.n - at) * sizeof o);
    OBJECT(m, at) = o;
    m->objects.n++;
}

heddle_status hd_omp_map_up(hd_omp_map *m, uint64_t begin, uint64_t end, const char *name,
                            const heddle_omp_place *place, hd_omp_object **out)
{
    hd_omp_object *o = hd_omp_map_meets(m, begin, end);
    void *copy;
    heddle_status s;
    *out = o;
    if (o) {
        if (begin < o->begin || end > o->end)
            return HEDDLE_EINVAL;
        o->count++;
        return HEDDLE_OK;
    }
    s = new_copy(m, end - begin, &copy);
    if (s != HEDDLE_OK)
        return s;
    *out = o = hd_omp_new(sizeof *o);
    *o = (hd_omp_object){begin, end, copy, 1, name, place, 0};
    insert(m, o);
    return HEDDLE_OK;
}

static void forget(hd_omp_map *m, hd_omp_object *o)
{
    uint64_t at = n_up_to(m, o->begin);
    memmove(&OBJECT(m, at - 1), &OBJECT(m, at), (m->objects.n - at) * sizeof o);
    m->objects.n--;
    old_copy(m, o->copy, o->end - o->begin);
    if (m->met == o)
        m->met = NULL;
    free(o);
}

void hd_omp_map_down(hd_omp_map *m, hd_omp_object *o)
{
    if (--o->count == 0)
        forget(m, o);
}

void hd_omp_map_clear(hd_omp_map *m)
{
    while (m->objects.n)
        forget(m, OBJECT(m, m->objects.n - 1));
    (void)hd_omp_map_drop_spares(m);
    hd_omp_free(&m->objects);
    hd_omp_free(&m->spare);
}
