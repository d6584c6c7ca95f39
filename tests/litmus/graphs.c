/* SPDX-License-Identifier: MIT */
/* graphs.c - builds, runs serially and checks the graphs of graphs.h. */
#include "graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/plan.h"

void (*litmus_mark)(heddle_task_desc *d, uint32_t task);

static void *get(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p) {
        printf("out of memory\n");
        exit(1);
    }
    return p;
}

static void must(heddle_status s, const hd_error *e)
{
    if (s != HEDDLE_OK) {
        printf("a graph could not be made: %s: %s\n", heddle_status_text(s), e->text);
        exit(1);
    }
}

static void begin_graph(litmus_graph *g, uint32_t n_tasks, uint32_t n_cells)
{
    hd_error e;
    memset(g, 0, sizeof *g);
    g->n_cells = n_cells;
    g->args = get(n_tasks, sizeof *g->args);
    g->owner = get(1, sizeof(hd_graph));
    must(hd_graph_init(g->owner, &litmus, &e), &e);
}

/* The range of a cell; its address serves as a key only. */
static heddle_range range_of(uint32_t cell, heddle_mode mode)
{
    return heddle_range_of((const void *)(uintptr_t)(0x10000u + (uint64_t)cell * LITMUS_CELL * 4u), LITMUS_CELL * 4u, 1,
                           0, mode);
}

static void add(litmus_graph *g, uint32_t out, uint32_t inout, const uint32_t *in, uint32_t n_in, uint32_t urgent)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    heddle_range ranges[1 + LITMUS_WIDE_IN];
    litmus_wide_args *t = &g->args[g->n_tasks];
    int wide = n_in > LITMUS_IN;
    hd_error e;
    uint32_t i;
    t->self = g->n_tasks++;
    t->out = out;
    t->inout = inout;
    t->n_in = n_in;
    ranges[0] = range_of(out, inout ? HEDDLE_MODE_INOUT : HEDDLE_MODE_OUT);
    for (i = 0; i < n_in; i++) {
        t->in[i] = in[i];
        ranges[i + 1] = range_of(in[i], HEDDLE_MODE_IN);
    }
    d.body = wide ? litmus_wide : litmus_mix;
    d.args = t; /* a narrow record is the start of a wide one */
    d.arg_bytes = wide ? sizeof(litmus_wide_args) : sizeof(litmus_args);
    d.ranges = ranges;
    d.n_ranges = n_in + 1u;
    d.urgent = urgent;
    if (litmus_mark)
        litmus_mark(&d, t->self);
    must(hd_graph_add(g->owner, &d, NULL, &e), &e);
}

static void end_graph(litmus_graph *g)
{
    hd_graph *graph = g->owner;
    hd_error e;
    must(hd_graph_freeze(graph, &e), &e);
    g->blob = graph->blob;
    g->blob_bytes = hd_graph_blob(graph)->n_bytes;
}

void litmus_free(litmus_graph *g)
{
    hd_graph_clear(g->owner);
    free(g->owner);
    free(g->args);
}

void litmus_plan_make(litmus_plan *p, const litmus_graph *g, uint32_t n_workers)
{
    hd_plan plan;
    hd_steps *s = get(1, sizeof *s);
    hd_error e;
    must(hd_plan_make(&plan, g->owner, n_workers, HD_PLAN_PATH, NULL, HD_PLAN_HOP_NS, &e), &e);
    must(hd_steps_make(s, &plan, g->owner, &e), &e);
    hd_plan_clear(&plan);
    *p = (litmus_plan){s->steps, s->lists, s->edges, s->n_steps, s->n_edges, s};
}

void litmus_plan_free(litmus_plan *p)
{
    hd_steps_clear(p->owner);
    free(p->owner);
    memset(p, 0, sizeof *p);
}

void litmus_wavefront(litmus_graph *g, uint32_t rows, uint32_t cols)
{
    uint32_t r, c;
    begin_graph(g, rows * cols, rows * cols);
    for (r = 0; r < rows; r++)
        for (c = 0; c < cols; c++) {
            uint32_t in[2], n = 0, at = r * cols + c;
            if (r)
                in[n++] = at - cols;
            if (c)
                in[n++] = at - 1u;
            add(g, at, 0, in, n, r == c); /* the diagonal is urgent */
        }
    end_graph(g);
}

/* A blocked LU factorisation in place: diagonal, column, row and update tasks. */
void litmus_lu(litmus_graph *g, uint32_t b)
{
    uint32_t i, j, k, in[2];
    begin_graph(g, b * b * b, b * b);
    for (k = 0; k < b; k++) {
        add(g, k * b + k, 1, NULL, 0, 1);
        for (i = k + 1u; i < b; i++) {
            in[0] = k * b + k;
            add(g, i * b + k, 1, in, 1, 0);
            add(g, k * b + i, 1, in, 1, 0);
        }
        for (i = k + 1u; i < b; i++)
            for (j = k + 1u; j < b; j++) {
                in[0] = i * b + k;
                in[1] = k * b + j;
                add(g, i * b + j, 1, in, 2, 0);
            }
    }
    end_graph(g);
}

static uint32_t next_random(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

/* 10 to 400 tasks over fewer cells, which are written again and again: all kinds of conflict, joins, long records, many
 * successors. */
void litmus_random(litmus_graph *g, uint64_t seed)
{
    uint64_t s = seed * 0x9e3779b97f4a7c15u + 1u;
    uint32_t n = 10u + next_random(&s, 391), n_cells = 2u + next_random(&s, n), most, i, k;
    most = 1u + next_random(&s, LITMUS_WIDE_IN);
    begin_graph(g, n, n_cells);
    for (i = 0; i < n; i++) {
        uint32_t in[LITMUS_WIDE_IN], n_in = 0, out = next_random(&s, n_cells), want = next_random(&s, most + 1u);
        for (k = 0; k < want; k++) {
            uint32_t cell = next_random(&s, 3) ? next_random(&s, n_cells) : 0u;
            if (cell != out)
                in[n_in++] = cell;
        }
        add(g, out, next_random(&s, 2), in, n_in, next_random(&s, 8) == 0);
    }
    end_graph(g);
}

void litmus_independent(litmus_graph *g, uint32_t n)
{
    uint32_t i;
    begin_graph(g, n, n);
    for (i = 0; i < n; i++)
        add(g, i, 0, NULL, 0, 0);
    end_graph(g);
}

/* ---- checks -------------------------------------------------------------------------------------- */

void litmus_oracle(const litmus_graph *g, uint32_t salt, uint32_t *cells)
{
    uint32_t t, i, words[LITMUS_CELL];
    for (i = 0; i < g->n_cells * LITMUS_CELL; i++)
        cells[i] = LITMUS_BLANK;
    for (t = 0; t < g->n_tasks; t++) {
        const litmus_wide_args *a = &g->args[t];
        litmus_args head;
        memcpy(&head, a, sizeof head);
        for (i = 0; i < LITMUS_CELL; i++)
            words[i] = litmus_word(cells, salt, &head, a->in, i);
        memcpy(cells + a->out * LITMUS_CELL, words, sizeof words);
    }
}

/* State of a cell while the tasks are checked in program order. */
typedef struct cell_state {
    uint32_t writer, last_read; /* task + 1; latest end stamp of its readers since, HD_NONE = one did not run */
} cell_state;

typedef struct checking {
    const litmus_graph *g;
    const uint32_t *ran, *begin, *end;
    cell_state *cells;
    char text[160];
} checking;

/* Task t needs what is in the cell. */
static int bad_read(checking *c, uint32_t t, uint32_t cell)
{
    uint32_t w = c->cells[cell].writer;
    if (w && (!c->ran[w - 1u] || c->end[w - 1u] >= c->begin[t])) {
        snprintf(c->text, sizeof c->text, "task %u began before task %u, whose output it uses, had ended", t, w - 1u);
        return 1;
    }
    return 0;
}

static int bad_write(checking *c, uint32_t t, uint32_t cell)
{
    if (c->cells[cell].last_read && c->cells[cell].last_read >= c->begin[t]) {
        snprintf(c->text, sizeof c->text, "task %u began while cell %u, which it writes, was being read", t, cell);
        return 1;
    }
    return bad_read(c, t, cell);
}

static int bad_task(checking *c, uint32_t t)
{
    const litmus_wide_args *a = &c->g->args[t];
    uint32_t k;
    for (k = 0; k < a->n_in; k++)
        if (bad_read(c, t, a->in[k]))
            return 1;
    if (bad_write(c, t, a->out))
        return 1;
    for (k = 0; k < a->n_in; k++)
        if (c->cells[a->in[k]].last_read < c->end[t])
            c->cells[a->in[k]].last_read = c->end[t];
    return 0;
}

const char *litmus_check(const litmus_graph *g, const uint32_t *ran, const uint32_t *begin, const uint32_t *end,
                         int stopped)
{
    static checking c;
    uint32_t t, k, bad = 0;
    c.g = g;
    c.ran = ran;
    c.begin = begin;
    c.end = end;
    c.cells = get(g->n_cells, sizeof *c.cells);
    for (t = 0; t < g->n_tasks && !bad; t++) {
        if (ran[t] > 1u || (!ran[t] && !stopped)) {
            snprintf(c.text, sizeof c.text, "task %u ran %u times", t, ran[t]);
            bad = 1;
        } else if (ran[t]) {
            bad = (uint32_t)bad_task(&c, t);
        } else {
            for (k = 0; k < g->args[t].n_in; k++) /* later writers wait for this reader */
                c.cells[g->args[t].in[k]].last_read = HD_NONE;
        }
        /* Later tasks that ran depend on this one, whether it ran or not. */
        c.cells[g->args[t].out].writer = t + 1u;
        c.cells[g->args[t].out].last_read = 0;
    }
    free(c.cells);
    return bad ? c.text : NULL;
}
