/* SPDX-License-Identifier: MIT */
/* subject.h - what is timed: one task graph, offered in the same words to every library.
 *
 * A subject is one library behind three functions; subject.c makes a program of it that answers the driver, one line
 * for each line it reads:
 *
 *     verify CASE N WORKERS   ->  digest=<hexadecimal>           the cells after a run whose bodies hash
 *     time CASE N WORKERS     ->  n_tasks=... total=<ns> ...     one run with empty bodies, after a warm-up
 *     info CASE N WORKERS     ->  what else the subject knows of that graph (only some do)
 *
 * All subjects walk the same list of steps, make one task a step, and run the same body through the same pointer, so
 * that what differs is the library. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdint.h>
#include <stdio.h>

/* One task: reads `n_in` cells, updates one. Cells are keys for the library, and data for the hashing body. */
typedef struct step {
    uint32_t in[2], inout, n_in;
} step;

#define MAX_RERUNS 101u
typedef struct shape {
    const step *steps;
    uint64_t *cells;
    uint32_t n_steps, n_cells, n_workers;
    uint32_t n_reruns; /* further runs wanted of a graph that can run again; at most MAX_RERUNS     */
} shape;

/* What one run took, in ns; what a library cannot tell apart stays 0. */
typedef struct times {
    double total;      /* everything: from nothing to all tasks done, and the graph given back      */
    double add_freeze; /* making the graph                                                          */
    double run;        /* its first run                                                             */
    double rerun;      /* one of its further runs (median)                                          */
} times;

/* The body of every task. */
extern void (*bench_body)(uint32_t id);
double bench_now(void); /* CLOCK_MONOTONIC in ns */

/* One run of all tasks. 0, or -1 after a sentence on stderr. */
int subject_run(const shape *s, times *out);

/* These a subject may leave out. Weak, so that what is missing is NULL. */
#define OPTIONAL __attribute__((weak))
/* Prepares for a shape: threads, handles, whatever a program does once; not timed. As subject_run. */
OPTIONAL int subject_open(const shape *s);
OPTIONAL void subject_close(void);
/* Prints " key=value" pairs of what else is known of the shape's graph. As subject_run. */
OPTIONAL int subject_info(const shape *s, FILE *out);

#endif
