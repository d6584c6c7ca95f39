/* SPDX-License-Identifier: MIT */
/* rows.h - shared by the figures of all papers: a figure's two files, its rows and its drawing, and the sorted numbers
 * of repeated runs. */
#ifndef ROWS_H
#define ROWS_H

#include "options.h"

#include "cli.h"

enum { FIGURE_RUNS = 101 }; /* of one kind, at most */

typedef struct figure_files {
    const char *dir;
    cli_buffer tsv, svg;
} figure_files;

int figure_begin(figure_files *f);
/* Writes DIR/NAME.tsv and DIR/NAME.svg and prints their paths. with_svg 0: there is nothing to draw. */
int figure_end(figure_files *f, const char *name, int with_svg);
/* The same; but with a status other than CLI_OK nothing is written, both are freed, and CLI_BAD is returned. */
int figure_end_or_drop(figure_files *f, const char *name, int with_svg, int status);

/* Writes and prints DIR/NAME.svg alone. */
int figure_end_drawing(figure_files *f, const char *name);

/* Whether a word is in a list; blanks or commas are between the words. *at: where. */
int figure_listed(const char *list, const char *word, size_t *at);

/* Inserts into n sorted values. */
void figure_put(double *sorted, size_t n, double value);
double figure_middle(const double *sorted, size_t n);
/* The requested number of runs, as far as there is room. */
size_t figure_runs(const options *o);
/* --opt seconds=TEXT: *end_ns is when nothing may begin any more; NULL: never. CLI_OK, or CLI_BAD with the sentence printed. */
int figure_seconds(const char *text, uint64_t *end_ns);
extern const char figure_late[]; /* why something was left out */

#endif
