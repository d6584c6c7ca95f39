/* SPDX-License-Identifier: MIT */
/* subject.h - what is timed on threads: one list of steps, given to every library in the same form.
 *
 * A subject is one library behind the functions below (heddle.c, openmp.c, starpu.c, serial.c). A bench links each
 * subject with child.c and a file of its own, which makes steps and answers a driver's lines (overhead/main.c,
 * task_bench/main.c). All subjects walk the same steps, make one task per step, and call the same body through the same
 * pointer, so that only the library differs. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdint.h>
#include <stdio.h>

/* One task: reads n_in cells, numbered by shape.in[first_in] and following, and updates one. */
typedef struct step {
    uint32_t first_in, n_in, inout;
} step;
#define MAX_IN 1024u /* inputs of a step */

#define MAX_RERUNS 101u
typedef struct shape {
    const step *steps;
    const uint32_t *in; /* the inputs of all steps, in sequence */
    uint64_t *cells;    /* keys for the library, data for a hashing body */
    uint32_t n_steps, n_cells, n_workers;
    uint32_t n_reruns; /* further runs wanted of a graph that can run again; at most MAX_RERUNS     */
} shape;

/* Times of one run, in ns; what a library cannot separate stays 0. */
typedef struct times {
    double total;      /* from nothing to all tasks done and the graph freed */
    double add_freeze; /* making the graph                                                          */
    double run;        /* the graph's first run */
    double rerun;      /* a later run (median) */
} times;

/* The body of every task. */
extern void (*bench_body)(uint32_t id);
double bench_now(void); /* CLOCK_MONOTONIC in ns */

/* One run of all tasks. 0, or -1 after a sentence on stderr. */
int subject_run(const shape *s, times *out);

/* Optional for a subject: weak, so that a missing one is NULL. */
#define OPTIONAL __attribute__((weak))
/* Prepares for a shape: threads, handles, whatever a program does once; not timed. Returns as subject_run. */
OPTIONAL int subject_open(const shape *s);
OPTIONAL void subject_close(void);
/* Prints further facts of the shape's graph as " key=value" pairs. Returns as subject_run. */
OPTIONAL int subject_info(const shape *s, FILE *out);

/* ---- the program around a subject: child.c calls these of the bench's own file ---- */

/* Prints the answer to one line of the driver, without the newline. Calls child_fail if it cannot. */
void child_answer(const char *line);
/* Frees what the lines left. */
void child_close(void);
/* Ends the program with a sentence and status 2. */
void child_fail(const char *why, const char *what) __attribute__((noreturn));

#endif
