/* SPDX-License-Identifier: MIT */
/* options.h - the command line, read into one struct by one table, which also generates the text of `heddle help`. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "app.h"

#include <stdio.h>

/* Which commands an option belongs to. */
enum { FOR_INFO = 1, FOR_RUN = 2, FOR_BENCH = 4, FOR_TRACE = 8, FOR_PLAN = 16, FOR_SIMULATE = 32, FOR_SHARE = 64 };

/* `bench` measures this besides the backends: the app's plain loop over its tiles. */
enum { SUBJECT_TILES = HEDDLE_N_BACKENDS };

typedef struct options {
    app_request request; /* owns its arrays; the strings are argv's */
    heddle_config config;
    const char **words; /* arguments that are not options: apps, files */
    size_t n_words;
    char **args; /* all arguments as given, after the name of heddle-figures; ends with NULL */
    const char *trace, *timeline, *dot, *dump_graph, *tsv, *plan, *figures;
    const char *split, *loop, *links, *jobs; /* of simulate */
    const char *out;                         /* of plan and bench --figures: the output path */
    uint64_t repeat, runs;
    uint32_t column_ns, hand_ns; /* of plan APP/wave: costs, 0 = not given */
    unsigned backends, policies; /* of bench: bit sets, 0 = not given                                     */
    int no_check, json, stats, costs, help;
    int measure_links;          /* of info: --links */
    int pool, is_loop, devices; /* --pool MODE was given; --devices, or --split of run and bench; --devices */
    int has_split, is_jobs;     /* --split was given; what only jobs take */
} options;

/* Reads argv[0 .. argc) as options of `command`. CLI_OK, or CLI_BAD with the sentence printed; options_free in
 * both cases. */
int options_read(options *o, unsigned command, int argc, char **argv);
void options_free(options *o);
/* Prints the options of a command, a line each. */
void options_print(FILE *out, unsigned command);

#endif
