/* SPDX-License-Identifier: MIT */
/* chart.h - small charts as SVG: bars or sticks by group and series, lines, and runs of several kinds as timelines on
 * one axis of time. Texts must not need escapes in XML. */
#ifndef CHART_H
#define CHART_H

#include "cli.h"

typedef struct chart {
    const char *title, *note, *unit; /* unit: of the upright axis */
    size_t n_groups, n_series;
    const char *const *groups;
    const char *const *series;
    const double *value;      /* [group][series]; 0 or less: nothing is drawn */
    const double *low, *high; /* the same, for sticks; else NULL                                       */
    const double *at;         /* lines: each group's place on the horizontal axis; else NULL */
    const char *at_unit;
    int stacked; /* bars: a group's series are stacked */
} chart;

/* Sets the content, which must live until it is printed. */
void chart_fill(chart *c, size_t n_groups, const char *const *groups, size_t n_series, const char *const *series,
                const double *value);
void chart_print(const chart *c, FILE *out);

/* One run of a timeline: its events, and the names of its bodies. */
typedef struct panel {
    const char *title;
    const heddle_event *events;
    size_t n_events;
    uint32_t n_rows;
    uint64_t run_ns;
} panel;

/* Prints panels one below the other; all have the axis of the longest run. */
void chart_print_panels(const char *title, const char *row_name, const char *const *bodies, size_t n_bodies,
                        const panel *panels, size_t n_panels, FILE *out);

#endif
