/* SPDX-License-Identifier: MIT */
/* region.c - regions, tasks and dependences: the calls of heddle/openmp.h that generated code makes before tasks run, or
 * while earlier ones run. */
#include "openmp/inside.h"
#include "heddle/task.h"

#include <stdlib.h>
#include <string.h>

static hd_omp_region the_region; /* used by the thread in it */

/* ---- how many threads ---------------------------------------------------------------------------------------------- */

static int asked; /* 0: not requested yet */

int hd_omp_ask(int n) { return asked = n > 0 ? n : asked; }

static uint32_t asked_threads(void)
{
    const char *text = hd_omp_env("OMP_NUM_THREADS");
    long n = asked || !text ? asked : strtol(text, NULL, 10);
    return n > 0 && n < 1 << 20 ? (uint32_t)n : 0;
}

uint32_t hd_omp_bounded(uint32_t n)
{
    uint32_t most = hd_omp_here ? hd_omp_here->most : asked_threads();
    return most && most < n ? most : n;
}

/* ---- begin and end ------------------------------------------------------------------------------------------------ */

/* Copies from the frame. */
static void take_frame(hd_omp_region *r)
{
    const heddle_omp_program *p = r->frame.program;
    r->kinds = p->kinds;
    r->n_kinds = p->n_kinds;
    r->match = p->match;
    r->most_held = hd_omp_most_held(r);
}

static uint32_t threads_of(uint32_t n_threads)
{
    uint32_t n = ((n_threads ? n_threads : 256u) + 31u) / 32u * 32u;
    return n > 1024u ? 1024u : n;
}

static void push_frame(hd_omp_region *r)
{
    hd_omp_room(&r->frames, 1, sizeof r->frame);
    ((hd_omp_frame *)r->frames.at)[r->frames.n++] = r->frame;
}

static void check_barriers(const heddle_omp_program *p, const heddle_omp_place *place)
{
    if (p->table->n_bodies == p->n_kinds)
        hd_omp_die(place, "table %s has no body that does nothing behind those of its %u kinds of tasks, for barriers",
                   p->table->name, p->n_kinds);
}

/* This thread's region, or a new one. Frames of two programs cannot share a list, nor can tasks with and without an epoch. */
static hd_omp_region *open_region(const heddle_omp_program *program, uint32_t barriers, uint32_t n_threads)
{
    hd_omp_region *r = hd_omp_here;
    if (!r) {
        the_region.on_host = the_region.list.has_epochs = the_region.takes_turns = 0;
        the_region.most = n_threads ? n_threads : asked_threads();
        the_region.since_ns = hd_omp_clock();
        return &the_region;
    }
    if (program != r->frame.program || (barriers && !r->list.has_epochs))
        heddle_omp_sync();
    push_frame(r);
    return r;
}

/* The region's own code must not overlap its tasks in three cases. It shares thread number 0 with a worker, it is a team of
 * one, or its atomics and criticals hold among tasks only. */
static void take_turns(hd_omp_region *r, uint32_t flags)
{
    if (r->frame.device->n_workers > 1 && !(flags & (HEDDLE_OMP_NUMBERS | HEDDLE_OMP_ALONE | HEDDLE_OMP_EXCLUDES)))
        return;
    r->takes_turns = 1;
    hd_omp_land(r);
}

void heddle_omp_begin(const heddle_omp_program *program, const heddle_omp_place *place, uint32_t flags,
                      uint32_t n_threads)
{
    hd_omp_region *r;
    hd_omp_device *d;
    uint32_t barriers = flags & HEDDLE_OMP_BARRIERS, has_globals;
    hd_omp_enter_alone();
    d = hd_omp_device_of(program, place);
    if (barriers)
        check_barriers(program, place);
    r = open_region(program, barriers, n_threads);
    if (!hd_omp_here)
        hd_omp_device_limit(d, flags & HEDDLE_OMP_NUMBERS || d->config.backend != HEDDLE_CUDA ? r->most : 0);
    has_globals = hd_omp_here && r->frame.program == program && r->frame.has_globals;
    r->frame =
        (hd_omp_frame){program, place, d, flags, threads_of(n_threads), has_globals, r->uses.n, hd_omp_slots_count()};
    r->list.has_epochs |= barriers;
    take_frame(r);
    take_turns(r, flags);
    hd_omp_here = r;
}

void heddle_omp_end(void)
{
    hd_omp_region *r = hd_omp_here;
    if (!r)
        return;
    hd_omp_run(r);
    if (r->frames.n)
        hd_omp_data_back(r, 0); /* the outer region continues, and may read what tasks wrote */
    hd_omp_data_end(r);
    hd_omp_slots_end(r->frame.n_slots);
    if (r->frames.n) {
        r->frame = ((hd_omp_frame *)r->frames.at)[--r->frames.n];
        take_frame(r);
        return;
    }
    hd_omp_here = NULL;
    hd_omp_leave_alone();
}

int heddle_omp_inside(void) { return hd_omp_here != NULL; }

void heddle_omp_sync(void)
{
    hd_omp_region *r = hd_omp_here;
    if (!r)
        return;
    hd_omp_run(r);
    hd_omp_data_back(r, 0);
}

/* ---- tasks -------------------------------------------------------------------------------------------------------- */

_Noreturn static void unknown_kind(const hd_omp_region *r, uint32_t kind)
{
    hd_omp_die(NULL, "a task of kind %u; this program has %u", kind, r->n_kinds);
}

void *heddle_omp_task(uint32_t kind, int priority)
{
    hd_omp_region *r = hd_omp_here;
    if (!r)
        return NULL;
    if (__builtin_expect(kind >= r->n_kinds, 0))
        unknown_kind(r, kind);
    if (__builtin_expect(r->list.tasks.n >= r->most_held, 0))
        hd_omp_hand_over(r);
    return hd_omp_list_add(&r->list, kind, priority, r->kinds[kind].arg_bytes);
}

void heddle_omp_barrier(void)
{
    hd_omp_region *r = hd_omp_here;
    hd_omp_list *l;
    uint32_t arg_bytes;
    if (!r)
        return;
    l = &r->list;
    if (!l->has_epochs) { /* not announced by HEDDLE_OMP_BARRIERS: waiting is more than needed */
        heddle_omp_sync();
        return;
    }
    if (!l->tasks.n || HD_OMP_TASK(l, l->tasks.n - 1)->kind == r->n_kinds)
        return;
    arg_bytes = r->frame.program->table->bodies[r->n_kinds].arg_bytes;
    memset(hd_omp_list_add(l, r->n_kinds, 0, arg_bytes), 0, arg_bytes);
    l->n_barriers++;
}

/* ---- dependences --------------------------------------------------------------------------------------------------- */

void heddle_omp_depend(heddle_mode mode, const void *base, uint64_t n_bytes)
{
    hd_omp_region *r = hd_omp_here;
    heddle_omp_dim bytes = {0, (int64_t)n_bytes, (int64_t)n_bytes};
    if (!r || !n_bytes)
        return;
    if (r->match == HEDDLE_OMP_OVERLAP)
        hd_omp_list_line(&r->list, mode, (uint64_t)(uintptr_t)base, n_bytes);
    else
        heddle_omp_depend_section(mode, base, 1, 1, &bytes);
}

void heddle_omp_depend_section(heddle_mode mode, const void *base, uint64_t element_bytes, uint32_t n_dims,
                               const heddle_omp_dim *dims)
{
    hd_omp_region *r = hd_omp_here;
    if (!r)
        return;
    switch (r->match) {
    case HEDDLE_OMP_START: hd_omp_list_start(&r->list, mode, base, element_bytes, n_dims, dims); break;
    case HEDDLE_OMP_EXACT: hd_omp_list_exact(&r->list, mode, base, element_bytes, n_dims, dims); break;
    default: hd_omp_list_section(&r->list, mode, base, element_bytes, n_dims, dims);
    }
}

/* ---- queries --------------------------------------------------------------------------------------------------------- */

int heddle_omp_n_workers(const heddle_omp_program *program)
{
    hd_omp_device *d;
    uint32_t n;
    hd_omp_enter_alone();
    d = hd_omp_device_of(program, NULL);
    n = hd_omp_bounded(hd_omp_device_workers(d, hd_omp_here ? hd_omp_here->frame.team_size : threads_of(0)));
    hd_omp_leave_alone();
    return (int)n;
}

int heddle_omp_final(int change)
{
    static _Thread_local int depth;
    depth += change;
    return depth > 0;
}

int heddle_omp_team_size(const heddle_omp_program *program)
{
    return hd_omp_here && !(hd_omp_here->frame.flags & HEDDLE_OMP_ALONE) ? heddle_omp_n_workers(program) : 1;
}

double heddle_omp_wtime(void) { return (double)hd_omp_clock() / 1e9; }
