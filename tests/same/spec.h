/* SPDX-License-Identifier: MIT */
/* spec.h - random graphs. A spec describes a graph; the order that must hold follows from its bytes alone, by comparing
 * all pairs of tasks, and never from the graph that heddle built.
 *
 * All kinds are mixed: contiguous ranges that overlap in part, 2-D blocks, crowds of readers and writers of one stretch
 * (so that joins appear), explicit edges in both directions (checked: no cycle), urgent and watched tasks, argument
 * records from 0 to 300 bytes, tasks without ranges. */
#ifndef SPEC_H
#define SPEC_H

#include "bytes.h"
#include "heddle/task.h"

#define SPEC_TASKS 400u /* at most */
#define SPEC_RANGES 4u
#define SPEC_EDGES 64u
#define SPEC_BODIES 13u
#define SPEC_ARG_BYTES 300u
#define SPEC_WORDS ((SPEC_TASKS + 63) / 64)

typedef struct spec_set { /* of tasks */
    uint64_t word[SPEC_WORDS];
} spec_set;

static inline void spec_put(spec_set *s, uint32_t t) { s->word[t / 64] |= 1ull << t % 64; }
static inline int spec_has(const spec_set *s, uint32_t t) { return (int)(s->word[t / 64] >> t % 64 & 1); }
static inline void spec_join(spec_set *s, const spec_set *more)
{
    uint32_t i;
    for (i = 0; i < SPEC_WORDS; i++)
        s->word[i] |= more->word[i];
}

typedef struct spec_task {
    heddle_range range[SPEC_RANGES];
    uint32_t n_ranges, body, flags, cost_ns, pause, place;
    uint32_t urgent;
    uint8_t args[SPEC_ARG_BYTES];
    bytes reads, writes; /* inout: both */
    spec_set must;       /* direct predecessors: conflicting bytes, explicit edges */
    spec_set may;        /* further ones allowed where blocks of different strides are near */
    spec_set asked;      /* explicit edges only */
    spec_set all;        /* predecessors on any path of must and may */
} spec_task;

typedef struct spec {
    uint64_t origin, n_bytes; /* of the arena: keys of ranges */
    uint32_t n_tasks, n_edges;
    struct {
        uint32_t later, earlier;
    } edge[SPEC_EDGES];
    int mark_urgent;
    spec_task task[SPEC_TASKS];
} spec;

static const uint32_t spec_arg_bytes[SPEC_BODIES] = {0, 1, 4, 8, 16, 40, 63, 64, 65, 100, 128, 200, 300};

/* Style of the tasks of one spec. */
typedef struct spec_style {
    uint32_t blocks;       /* 0: contiguous ranges only */
    uint32_t write_of_ten; /* share of ranges written */
    uint32_t crowds;       /* phases of many readers or writers of one stretch */
    uint32_t n_ranges;     /* at most */
    uint32_t pauses;       /* one task in so many pauses, 0 = none */
} spec_style;

static inline void spec_fill_args(spec_task *t, uint64_t *seed)
{
    uint32_t i;
    for (i = 0; i < spec_arg_bytes[t->body]; i++)
        t->args[i] = (uint8_t)check_random(seed);
}

static inline heddle_mode spec_mode(uint64_t *seed, uint32_t write_of_ten)
{
    return check_below(seed, 10) < write_of_ten ? (heddle_mode)(2 + check_below(seed, 2)) : HEDDLE_MODE_IN;
}

static inline void spec_ranges(spec *s, spec_task *t, const spec_style *style, uint32_t i, uint64_t *seed)
{
    /* In a crowd, phases of 24 tasks read or write a stretch: the whole of it, or one of its eighths. */
    uint32_t phase = i / 24 % 3, k;
    if (style->crowds && check_below(seed, 8)) {
        uint64_t eighth = s->n_bytes / 8, whole = phase == 1 || (phase == 0 && check_below(seed, 6) == 0);
        t->n_ranges = 1;
        t->range[0] =
            heddle_range_of((const void *)(uintptr_t)(s->origin + (whole ? 0 : check_below(seed, 8) * eighth)),
                            whole ? s->n_bytes : eighth, 1, 0, spec_mode(seed, phase == 1 ? 1 : 9));
        return;
    }
    t->n_ranges = (uint32_t)check_below(seed, style->n_ranges + 1);
    for (k = 0; k < t->n_ranges; k++) {
        t->range[k] = bytes_random_range(seed, s->origin, s->n_bytes, (int)style->blocks);
        t->range[k].mode = spec_mode(seed, style->write_of_ten);
    }
}

static inline void spec_new_task(spec *s, const spec_style *style, uint32_t i, uint64_t *seed)
{
    spec_task *t = &s->task[i];
    uint32_t k;
    memset(t, 0, sizeof *t);
    t->body = (uint32_t)check_below(seed, SPEC_BODIES);
    t->urgent = check_below(seed, 6) ? 0 : (uint32_t)check_below(seed, 5);
    t->flags = check_below(seed, 8) ? 0 : HEDDLE_TASK_WATCH;
    t->cost_ns = check_below(seed, 2) ? (uint32_t)check_below(seed, 1000) : 0;
    t->pause = style->pauses && !check_below(seed, style->pauses) ? 1 + (uint32_t)check_below(seed, 4) : 0;
    spec_fill_args(t, seed);
    spec_ranges(s, t, style, i, seed);
    for (k = 0; k < t->n_ranges; k++) {
        if (t->range[k].mode & HEDDLE_MODE_IN)
            bytes_add(&t->reads, &t->range[k], s->origin);
        if (t->range[k].mode & HEDDLE_MODE_OUT)
            bytes_add(&t->writes, &t->range[k], s->origin);
    }
}

/* ---- the required order ---------------------------------------------------------------------------------------- */

static inline int spec_conflict(const spec_task *a, const spec_task *b)
{
    return bytes_meet(&a->writes, &b->writes) || bytes_meet(&a->writes, &b->reads) || bytes_meet(&a->reads, &b->writes);
}

static inline int spec_near(const spec_task *a, const spec_task *b)
{
    uint32_t i, k;
    for (i = 0; i < a->n_ranges; i++)
        for (k = 0; k < b->n_ranges; k++)
            if (((a->range[i].mode | b->range[k].mode) & HEDDLE_MODE_OUT) && bytes_inexact(&a->range[i], &b->range[k]))
                return 1;
    return 0;
}

static inline void spec_order(spec *s, uint32_t t)
{
    spec_task *b = &s->task[t];
    uint32_t i;
    for (i = 0; i < t; i++) {
        if (spec_conflict(&s->task[i], b))
            spec_put(&b->must, i);
        else if (spec_near(&s->task[i], b))
            spec_put(&b->may, i);
        else
            continue;
        spec_put(&b->all, i);
        spec_join(&b->all, &s->task[i].all);
    }
}

/* Adds the edge earlier -> later unless that closes a cycle. */
static inline void spec_edge(spec *s, uint32_t later, uint32_t earlier)
{
    uint32_t i;
    if (later == earlier || spec_has(&s->task[earlier].all, later) || s->n_edges == SPEC_EDGES)
        return;
    s->edge[s->n_edges].later = later;
    s->edge[s->n_edges++].earlier = earlier;
    spec_put(&s->task[later].must, earlier);
    spec_put(&s->task[later].asked, earlier);
    for (i = 0; i < s->n_tasks; i++)
        if (i == later || spec_has(&s->task[i].all, later)) {
            spec_put(&s->task[i].all, earlier);
            spec_join(&s->task[i].all, &s->task[earlier].all);
        }
}

/* ---- a spec ----------------------------------------------------------------------------------------------------- */

static inline uint32_t spec_size(uint64_t *seed)
{
    uint64_t kind = check_below(seed, 40);
    return (uint32_t)(kind == 0  ? check_below(seed, SPEC_TASKS + 1)
                      : kind < 6 ? check_below(seed, 120)
                                 : check_below(seed, 32));
}

static inline void spec_make(spec *s, uint64_t *seed)
{
    static const uint32_t ranges[] = {1, 2, 2, 3, 4}, writes[] = {1, 3, 5, 9}, pauses[] = {0, 0, 40, 10, 3};
    spec_style style;
    uint32_t i, n_edges;
    style.blocks = (uint32_t)check_below(seed, 2);
    style.write_of_ten = writes[check_below(seed, 4)];
    style.crowds = !check_below(seed, 6);
    style.n_ranges = ranges[check_below(seed, 5)];
    style.pauses = pauses[check_below(seed, 5)];
    s->origin = 1 + (check_random(seed) >> 9);
    s->n_bytes = 128u << check_below(seed, 4);
    s->n_tasks = spec_size(seed) + (style.crowds ? 60 : 0);
    s->n_tasks = s->n_tasks > SPEC_TASKS ? SPEC_TASKS : s->n_tasks;
    s->n_edges = 0;
    s->mark_urgent = !check_below(seed, 4);
    for (i = 0; i < s->n_tasks; i++) {
        spec_new_task(s, &style, i, seed);
        spec_order(s, i);
    }
    n_edges = s->n_tasks > 1 && !check_below(seed, 3) ? (uint32_t)check_below(seed, SPEC_EDGES) : 0;
    for (i = 0; i < n_edges; i++)
        spec_edge(s, (uint32_t)check_below(seed, s->n_tasks), (uint32_t)check_below(seed, s->n_tasks));
}

/* Binds some of the tasks to workers, with small numbers and large ones. */
static inline void spec_place(spec *s, uint64_t *seed)
{
    uint32_t i, one_in = 1 + (uint32_t)check_below(seed, 4);
    for (i = 0; i < s->n_tasks; i++)
        if (!check_below(seed, one_in))
            s->task[i].place = 1 + (uint32_t)(check_below(seed, 8) ? check_below(seed, 6) : check_random(seed) >> 40);
}

/* The worker, of n, that runs a task bound to `place`; the library keeps 13 bits of the number. */
static inline uint32_t spec_worker(uint32_t place, uint32_t n) { return (place - 1) % 8191 % n; }

/* Adds the tasks and edges to a graph of a table with SPEC_BODIES bodies; number[i] is what heddle calls task i. */
static inline void spec_add(const spec *s, heddle_graph *g, heddle_task *number)
{
    uint32_t i;
    for (i = 0; i < s->n_tasks; i++) {
        const spec_task *t = &s->task[i];
        heddle_task_desc d = HEDDLE_TASK_INIT;
        d.body = t->body;
        d.args = t->args;
        d.arg_bytes = spec_arg_bytes[t->body];
        d.ranges = t->range;
        d.n_ranges = t->n_ranges;
        d.urgent = t->urgent;
        d.flags = t->flags;
        d.cost_ns = t->cost_ns;
        d.place = t->place;
        CHECK_OK(NULL, heddle_graph_add_task(g, &d, &number[i]));
    }
    for (i = 0; i < s->n_edges; i++)
        CHECK_OK(NULL, heddle_graph_add_edge(g, number[s->edge[i].later], number[s->edge[i].earlier]));
    if (s->mark_urgent)
        CHECK_OK(NULL, heddle_graph_mark_urgent(g));
}

#endif
