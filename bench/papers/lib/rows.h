/* SPDX-License-Identifier: MIT */
/* rows.h - what the figures of all papers share: the two files of a figure, its rows and its drawing, and the numbers of
 * repeated runs in order of size. */
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

/* Into n values that are sorted. */
void figure_put(double *sorted, size_t n, double value);
double figure_middle(const double *sorted, size_t n);
/* Runs that were asked for, as far as there is room. */
size_t figure_runs(const options *o);

#endif
