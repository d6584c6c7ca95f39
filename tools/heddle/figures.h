/* SPDX-License-Identifier: MIT */
/* figures.h - what the figures of the papers share: their files, and times in order of size. */
#ifndef FIGURES_H
#define FIGURES_H

#include "options.h"

#include "cli.h"

enum { FIGURE_RUNS = 101 }; /* of one kind, at most */

/* `bench --figures juggler` and `didc14`; the exit status. */
int figures_juggler(const options *o);
int figures_didc14(const options *o);

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
