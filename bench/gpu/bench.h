/* SPDX-License-Identifier: MIT */
/* bench.h - what all figures of bench_gpu share: the rows they write, samples, the time they may take.
 *
 * A row is figure, subject, variant, value, unit, n_runs, spread, note. Value is the median over n_runs; spread is the
 * largest less the least, as a share of the median. What was not measured has the value `skipped`, what went wrong
 * `failed`, and the note says why. Rows whose figure is `goal` say what was reached of what. */
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
    double ticks_per_ns;        /* of the clock that timed_spin watches                                       */
    double copy_rate, fma_rate; /* bytes, multiply-adds a second; 0 = not known                               */
    double deadline, end;       /* on bench_now's clock: of this figure's share of the time, of all time      */
    int extra;                  /* what goes on is only for comparison: it ends with the share                */
    int n_late;                 /* rows that this figure has left out for lack of time                        */
    int quick;                  /* small sizes: to see that all works                                        */
    int n_failed;               /* wrong results, runs that ended badly                                      */
    int refused;                /* what the last sentence tells was refused, not wrong                       */
    char error[BENCH_TEXT];     /* the last sentence                                                         */
} bench;

double bench_now(void); /* seconds */
/* What a goal needs goes on to the end of all time, other things to that of their figure's share. */
int bench_late(const bench *b);
/* Refuses for lack of time; -1. */
int bench_no_time(bench *b);
/* Keep a sentence; return -1. bench_say: something went wrong; bench_refuse: it cannot be had here. */
int bench_say(bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
int bench_refuse(bench *b, const char *sentence);
/* The library's sentence, when s is a failure, as one or the other; 0 when it is none. */
int bench_heddle(bench *b, const heddle_ctx *ctx, heddle_status s, const char *doing);
/* Adds to a sample; beyond its room nothing. */
void sample_add(sample *s, double value);
double sample_median(const sample *s);
double sample_spread(const sample *s);

/* Rows. `scale` is what the values are multiplied by. */
typedef struct row {
    const char *figure, *subject, *variant, *unit, *note;
} row;
void bench_row(bench *b, row r, const sample *s, double scale);
void bench_value(bench *b, row r, double value);
/* `skipped` or `failed`, with the last sentence as its note. */
void bench_missing(bench *b, row r);
/* What was reached of a figure: reached <= limit (sign < 0) or >= limit. 0 for either: not known. */
void bench_goal(bench *b, const char *measure, const char *unit, double reached, int sign, double limit);
/* where: the setting that reached it, for the note. */
void bench_goal_where(bench *b, const char *measure, const char *unit, double reached, int sign, double limit,
                      const char *where);

#endif
