/* SPDX-License-Identifier: MIT */
/* views.c - globals with pointers, as bodies see them: views, copies with device addresses. Bodies only read such variables,
 * so the host's bytes stay authoritative: nothing is mapped or copied back. A program's views are contiguous in one block of
 * device memory, which is written when its bytes differ from the last run's. */
#include "openmp/inside.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64u

static uint64_t room_of(const heddle_omp_global *g)
{
    return g->n_pointers && *g->address ? (g->n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : 0;
}

/* The offset of global i in the block; for i = n_globals the block's size. */
static uint64_t begin_of(const heddle_omp_program *p, uint32_t i)
{
    uint64_t at = 0;
    while (i-- > 0)
        at += room_of(&p->globals[i]);
    return at;
}

/* Translates the pointers of one element; to NULL: only checks. 0: one is in no mapped object. */
static int walk_element(const hd_omp_region *r, const heddle_omp_global *g, uint64_t at, unsigned char *to)
{
    const unsigned char *from = (const unsigned char *)*g->address + at;
    hd_omp_object *hint = NULL, *o;
    uint64_t value;
    void *copy;
    uint32_t i;
    for (i = 0; i < g->n_pointers; i++) {
        memcpy(&value, from + g->pointers[i].at, sizeof value);
        if (!value)
            continue;
        o = hd_omp_object_of(r, &hint, NULL, g->pointers[i].name, value);
        if (!o)
            return 0;
        copy = hd_omp_map_copy(o, value);
        if (to)
            memcpy(to + at + g->pointers[i].at, &copy, sizeof copy);
        o->newer = 1;
    }
    return 1;
}

static int walk(const hd_omp_region *r, const heddle_omp_global *g, unsigned char *to)
{
    uint64_t at;
    for (at = 0; room_of(g) && at < g->n_bytes; at += g->element_bytes)
        if (!walk_element(r, g, at, to))
            return 0;
    return 1;
}

int hd_omp_views_check(hd_omp_region *r)
{
    const heddle_omp_program *p = r->frame.program;
    uint32_t i;
    for (i = 0; i < p->n_globals; i++)
        if (!walk(r, &p->globals[i], NULL))
            return 0;
    return 1;
}

static unsigned char *make_views(const hd_omp_region *r, uint64_t n_bytes)
{
    const heddle_omp_program *p = r->frame.program;
    unsigned char *block = hd_omp_new(n_bytes), *at = block;
    uint32_t i;
    for (i = 0; i < p->n_globals; i++) {
        const heddle_omp_global *g = &p->globals[i];
        if (room_of(g)) {
            memcpy(at, *g->address, g->n_bytes);
            (void)walk(r, g, at);
        }
        at += room_of(g);
    }
    return block;
}

static void must(const hd_omp_device *d, heddle_status s)
{
    if (s != HEDDLE_OK)
        hd_omp_die(NULL, "%s", heddle_error_text(d->ctx));
}

static void make_room(hd_omp_device *d, uint64_t n_bytes)
{
    heddle_mem_free(d->ctx, d->views);
    free(d->shown);
    d->views = NULL;
    must(d, heddle_mem_new(d->ctx, n_bytes, &d->views));
    d->shown = hd_omp_new(n_bytes);
    d->view_bytes = n_bytes;
    d->shows_nothing = 1;
}

void hd_omp_views_show(const hd_omp_region *r, hd_omp_device *d)
{
    const heddle_omp_program *p = r->frame.program;
    uint64_t n_bytes = begin_of(p, p->n_globals);
    unsigned char *block;
    if (!n_bytes || !hd_omp_region_maps(r))
        return;
    if (n_bytes > d->view_bytes)
        make_room(d, n_bytes);
    block = make_views(r, n_bytes);
    if (d->shows_nothing || memcmp(d->shown, block, n_bytes) != 0)
        must(d, heddle_mem_write(d->ctx, d->views, block, n_bytes));
    d->shows_nothing = 0;
    memcpy(d->shown, block, n_bytes);
    free(block);
}

const void *hd_omp_view(const hd_omp_region *r, const hd_omp_device *d, uint32_t i)
{
    const heddle_omp_program *p = r->frame.program;
    int is_shown = room_of(&p->globals[i]) && hd_omp_region_maps(r);
    return is_shown ? (const unsigned char *)d->views + begin_of(p, i) : NULL;
}
