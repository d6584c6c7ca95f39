/* SPDX-License-Identifier: MIT */
/* simulate_spec.h - the words by which `heddle simulate` is told of fleets, links and loops (its help has them all). */
#ifndef SIMULATE_SPEC_H
#define SIMULATE_SPEC_H

#include "heddle/simulate.h"

#include <stdio.h>

enum { SPEC_MOST = 64, SPEC_NAME = 24 }; /* kinds, or links; bytes of a name */

/* What a key sets, and how its value is written. */
typedef enum spec_value_kind {
    VALUE_NUMBER, /* to a double */
    VALUE_COUNT,  /* a whole number, to 64 bits; U32: to 32 */
    VALUE_U32,
    VALUE_BYTES, /* a number, to 64 bits */
    VALUE_TIME,  /* a time, to 64 bits; NS: to a double */
    VALUE_NS,
    VALUE_SLOW,
    VALUE_LINK,
    VALUE_SHAPE,
    VALUE_MAP /* of jobs; HEDDLE_N_MAPS: all */
} spec_value_kind;

typedef struct spec_key {
    const char *name; /* NULL: behind the last one */
    spec_value_kind kind;
    size_t field; /* offset in the record */
    double times; /* of numbers: to the unit of the field */
} spec_key;

typedef struct simulate_spec {
    heddle_simulation d; /* points into this struct */
    heddle_simulated_kind kinds[SPEC_MOST];
    char kind_names[SPEC_MOST][SPEC_NAME];
    heddle_simulated_link links[SPEC_MOST];
    char link_names[SPEC_MOST][SPEC_NAME];
    double time_ns; /* that the loop should take, ideally; 0: speeds are as told */
} simulate_spec;

extern const char simulate_help[];

/* fleet: "[N*]NAME[:KEY=VALUE,...] ..."; links and loop may be NULL. CLI_OK, or CLI_BAD with the sentence printed. */
int simulate_spec_read(simulate_spec *s, const char *fleet, const char *links, const char *loop);

/* KEY=VALUE,... in `text`, which is written to, into the record's fields. ideal_ns: what 100 % of time are; 0: nobody knows. s: has the
 * links; NULL if no key is of that kind. */
int spec_set_values(simulate_spec *s, void *record, const spec_key *keys, char *text, double ideal_ns);
/* Copies a name of at most SPEC_NAME bytes. */
int spec_take_name(char *to, const char *name);
/* Cuts "NAME:VALUES" in two; the values may be missing. */
char *spec_cut_name(char *word);

/* simulate_jobs.c: `heddle simulate GPUS --jobs APP`. words: as of --loop, or NULL. */
int simulate_jobs(FILE *out, const char *app, const char *gpus, const char *words);
extern const char simulate_jobs_help[];

#endif
