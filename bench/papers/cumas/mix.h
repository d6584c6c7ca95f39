/* SPDX-License-Identifier: MIT */
/* mix.h - programs that are to run side by side, and what they said of it: a line a round (apps/cumas/program.h). */
#ifndef CUMAS_MIX_H
#define CUMAS_MIX_H

#include <stdint.h>
#include <stdio.h>

enum { MIX_MOST_PROGRAMS = 16, MIX_ERROR = 512, MIX_SITS_OUT = -1 };

/* A line of its text: a program and its options. `#` begins a remark. */
typedef struct mix {
    uint32_t n;
    struct {
        char name[32], options[128];
    } programs[MIX_MOST_PROGRAMS];
} mix;

/* A program in a round. */
typedef struct mix_part {
    int place;               /* which one it is to begin; or MIX_SITS_OUT */
    int is_here;             /* its line was read */
    double begin_ms, end_ms; /* on the machine's clock */
    double in_ms, kernels_ms, out_ms;
} mix_part;

typedef struct mix_rounds {
    uint32_t n_programs, n;
    mix_part *parts; /* mix_part_of */
} mix_rounds;

/* 0, or -1 with a sentence. */
int mix_read(mix *m, const char *text, char why[MIX_ERROR]);

/* All sit out. 0, or -1: no memory. */
int mix_rounds_new(mix_rounds *r, uint32_t n_programs, uint32_t n);
void mix_rounds_free(mix_rounds *r);
/* round: from 0 on. */
mix_part *mix_part_of(const mix_rounds *r, uint32_t program, uint32_t round);
/* Each round in another order of arrival; the same seed gives the same orders. */
void mix_arrive(mix_rounds *r, uint64_t seed);
/* Each round one program alone, in turn. */
void mix_alone(mix_rounds *r);

/* Takes the lines of a program. 0, or -1 with a sentence: a line is missing or is none, or a result was wrong. */
int mix_take(const mix_rounds *r, const mix *m, uint32_t program, FILE *lines, char why[MIX_ERROR]);
/* The first begin. */
double mix_first_ms(const mix_rounds *r, uint32_t round);
/* From the first begin to the last end. */
double mix_makespan_ms(const mix_rounds *r, uint32_t round);
/* From the first begin to the ends, on average. */
double mix_mean_end_ms(const mix_rounds *r, uint32_t round);

#endif
