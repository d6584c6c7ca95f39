/* SPDX-License-Identifier: MIT */
/* list.h - tasks that a region created and has not run: tasks, argument bytes, dependences, in three flat buffers that are
 * reused between regions. Creating a task advances three numbers. */
#ifndef HD_OMP_LIST_H
#define HD_OMP_LIST_H

#include "openmp/say.h"

#define HD_OMP_UNIT 16u /* alignment of argument records */

typedef struct hd_omp_task {
    uint32_t kind; /* n_kinds: a barrier */
    int32_t priority;
    uint32_t args;  /* unit */
    uint32_t first; /* first dependence; the last precedes the next task's first */
} hd_omp_task;

typedef struct hd_omp_unit {
    _Alignas(HD_OMP_UNIT) unsigned char bytes[HD_OMP_UNIT];
} hd_omp_unit;

/* A range; what = row_bytes << 3 | has rows << 2 | mode. A block takes two entries: the second has the number of rows in base
 * and their stride in what. Memory dominates the cost of creating a task, and most ranges have one row. */
typedef struct hd_omp_dep {
    uint64_t base, what;
} hd_omp_dep;
#define HD_OMP_ROWS 4u
#define HD_OMP_MAX_BYTES ((1ull << 61) - 1)

typedef struct hd_omp_list {
    hd_omp_buffer tasks, args, deps; /* hd_omp_task, hd_omp_unit, hd_omp_dep */
    uint32_t n_barriers;
    uint32_t has_epochs; /* each task's first dependence is reserved for the epoch: barriers may come */
} hd_omp_list;

#define HD_OMP_TASK(l, i) ((hd_omp_task *)(l)->tasks.at + (i))
#define HD_OMP_DEP(l, i) ((hd_omp_dep *)(l)->deps.at + (i))
#define HD_OMP_ARGS(l, t) ((void *)((hd_omp_unit *)(l)->args.at + (t)->args))

static inline hd_omp_dep hd_omp_line(heddle_mode mode, uint64_t base, uint64_t n_bytes)
{
    if (__builtin_expect(n_bytes > HD_OMP_MAX_BYTES, 0))
        hd_omp_list_far(n_bytes);
    return (hd_omp_dep){base, n_bytes << 3 | (uint64_t)mode};
}

/* Appends a dependence to the last task. */
static inline void hd_omp_list_line(hd_omp_list *l, heddle_mode mode, uint64_t base, uint64_t n_bytes)
{
    hd_omp_room(&l->deps, 1, sizeof(hd_omp_dep));
    *HD_OMP_DEP(l, l->deps.n++) = hd_omp_line(mode, base, n_bytes);
}

static inline void hd_omp_list_block(hd_omp_list *l, heddle_mode mode, uint64_t base, uint64_t row_bytes,
                                     uint64_t n_rows, uint64_t stride)
{
    hd_omp_list_line(l, mode, base, row_bytes);
    if (n_rows <= 1)
        return;
    HD_OMP_DEP(l, l->deps.n - 1)->what |= HD_OMP_ROWS;
    hd_omp_room(&l->deps, 1, sizeof(hd_omp_dep));
    *HD_OMP_DEP(l, l->deps.n++) = (hd_omp_dep){n_rows, stride};
}

/* Reads a range at *at and advances *at. */
static inline heddle_range hd_omp_list_read(const hd_omp_list *l, uint64_t *at)
{
    const hd_omp_dep *d = HD_OMP_DEP(l, (*at)++), one = {1, 0}, *rows = &one;
    if (d->what & HD_OMP_ROWS)
        rows = HD_OMP_DEP(l, (*at)++);
    return heddle_range_of((const void *)(uintptr_t)d->base, d->what >> 3, rows->base, rows->what,
                           (heddle_mode)(d->what & 3u));
}

/* Appends a task and returns its argument record. It is zeroed, padding included, so that records can be compared as
 * bytes. */
static inline void *hd_omp_list_add(hd_omp_list *l, uint32_t kind, int32_t priority, uint32_t arg_bytes)
{
    static const hd_omp_unit zeros = {{0}};
    uint64_t units = (arg_bytes + HD_OMP_UNIT - 1ull) / HD_OMP_UNIT, at = l->args.n;
    hd_omp_room(&l->tasks, 1, sizeof(hd_omp_task));
    hd_omp_room(&l->args, units, sizeof(hd_omp_unit));
    if (__builtin_expect((at | l->deps.n) >> 32, 0))
        hd_omp_list_full();
    *HD_OMP_TASK(l, l->tasks.n) = (hd_omp_task){kind, priority, (uint32_t)at, (uint32_t)l->deps.n};
    l->tasks.n++;
    l->args.n += units;
    if (l->has_epochs)
        hd_omp_list_line(l, HEDDLE_MODE_IN, 0, 1);
    for (; units > 0; units--)
        ((hd_omp_unit *)l->args.at)[at + units - 1] = zeros;
    return (hd_omp_unit *)l->args.at + at;
}

/* The end of task i's dependences. */
static inline uint64_t hd_omp_list_end(const hd_omp_list *l, uint64_t i)
{
    return i + 1 < l->tasks.n ? HD_OMP_TASK(l, i + 1)->first : l->deps.n;
}

static inline void hd_omp_list_clear(hd_omp_list *l)
{
    l->tasks.n = l->args.n = l->deps.n = 0;
    l->n_barriers = 0;
}

/* Appends a section's ranges (section.c); none if a dimension has no elements. Rows of one stride are one range; further
 * dimensions become several. Beyond HD_OMP_MAX_PIECES, or if lengths exceed extents, it is one contiguous range from first to
 * last byte, which may order more than needed. */
#define HD_OMP_MAX_PIECES 4096u
#define HD_OMP_MAX_DIMS 8u
void hd_omp_list_section(hd_omp_list *l, heddle_mode mode, const void *base, uint64_t element_bytes, uint32_t n_dims,
                         const heddle_omp_dim *dims);
/* The same as a key, for the other two ways of matching: the first byte; or a number common to equal sections. */
void hd_omp_list_start(hd_omp_list *l, heddle_mode mode, const void *base, uint64_t element_bytes, uint32_t n_dims,
                       const heddle_omp_dim *dims);
void hd_omp_list_exact(hd_omp_list *l, heddle_mode mode, const void *base, uint64_t element_bytes, uint32_t n_dims,
                       const heddle_omp_dim *dims);

#endif
