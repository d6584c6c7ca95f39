/* SPDX-License-Identifier: MIT */
/* bench.h - what all figures of bench_gpu share: the rows they write, samples, the time they may take.
 *
 * A row is figure, subject, variant, value, unit, n_runs, spread, note. Value is the median over n_runs; spread is the
 * largest less the least, as a share of the median. Value is `skipped` for what was not measured, `failed` for what
 * went wrong; the note then gives the reason. Rows of figure `goal` give a goal and what was reached. */
#ifndef BENCH_H
#define BENCH_H

#include "heddle.h"
#include "raw.h"

#include <stdio.h>

enum { BENCH_SAMPLES = 64, BENCH_TEXT = 320 };

typedef struct sample {
    double value[BENCH_SAMPLES];
    uint32_t n; /* 0: nothing measured */
} sample;

typedef struct bench {
    heddle_backend backend;
    FILE *rows;
    raw_card card;
    double ticks_per_ns;        /* of the clock that timed_spin reads */
    double copy_rate, fma_rate; /* bytes, multiply-adds per second; 0 = unknown */
    double deadline, end;       /* on bench_now's clock: end of the figure's share, of all time */
    int extra;                  /* work in progress is for comparison only: ends with the share */
    int n_late;                 /* rows left out by this figure for lack of time */
    int quick;                  /* small sizes, to test that all works */
    int n_failed;               /* wrong results, runs that ended badly                                      */
    int refused;                /* the last sentence is a refusal, not an error */
    char error[BENCH_TEXT];     /* the last sentence                                                         */
} bench;

double bench_now(void); /* seconds */
/* Is it too late? Work for a goal may use all the time, other work the figure's share. */
int bench_late(const bench *b);
/* Refuses for lack of time; returns -1. */
int bench_no_time(bench *b);
/* Keep a sentence; return -1. bench_say: an error; bench_refuse: not possible here. */
int bench_say(bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
int bench_refuse(bench *b, const char *sentence);
/* If s is a failure, keeps the library's sentence as an error or a refusal; else returns 0. */
int bench_heddle(bench *b, const heddle_ctx *ctx, heddle_status s, const char *doing);
/* Adds to a sample; ignored when it is full. */
void sample_add(sample *s, double value);
double sample_median(const sample *s);
double sample_spread(const sample *s);

/* Rows. Values are multiplied by `scale`. */
typedef struct row {
    const char *figure, *subject, *variant, *unit, *note;
} row;
void bench_row(bench *b, row r, const sample *s, double scale);
void bench_value(bench *b, row r, double value);
/* `skipped` or `failed`, with the last sentence as its note. */
void bench_missing(bench *b, row r);
/* A goal: reached <= limit (sign < 0) or >= limit. 0 for either: unknown. */
void bench_goal(bench *b, const char *measure, const char *unit, double reached, int sign, double limit);
/* where: the setting that reached it, for the note. */
void bench_goal_where(bench *b, const char *measure, const char *unit, double reached, int sign, double limit,
                      const char *where);

#endif
