/* SPDX-License-Identifier: MIT */
/* figures.h - the figures, and what their files share. A figure writes its rows and goals; for what it cannot have it
 * writes skipped rows. */
#ifndef FIGURES_H
#define FIGURES_H

#include "subject.h"

enum { MOST_SETTINGS = 64, N_SAMPLES = 7 };

/* figures_hops.c */
void figure_hop(bench *b);
void figure_kept(bench *b);
void figure_free(bench *b);
void figure_wave(bench *b);
/* The bare hand-over between two SMs: writes its rows and returns the mean over the pairs; 0 if not possible. */
double handover_us(bench *b);
/* figures_tasks.c */
void figure_efficiency(bench *b);
void figure_uneven(bench *b);
void figure_overhead(bench *b);
/* figures_task_bench.c */
void figure_task_bench(bench *b);
/* figures_apps.c */
void figure_apps_small(bench *b);
void figure_apps_medium(bench *b);
void figure_apps_large(bench *b);
void figure_lu(bench *b);
/* figures_spawn.c */
void figure_spawn(bench *b);
void figure_uts(bench *b);
/* figures_spawn_apps.c */
void figure_heat2d(bench *b);
void figure_bfs(bench *b);
void figure_slu(bench *b);

/* Reads settings; leaves out those with a failed verification on this shape, and writes a row for each. */
size_t settings_verified(bench *b, const char *figure, const shape *s, const char *list, setting *out);
/* Times a shape under a setting with tasks of each_ns (0: their own length). Writes the row (time + add) * scale, and
 * scores the time in us; a skipped row only, if the figure is late. */
typedef struct measure {
    const char *figure, *variant, *unit;
    double add, scale;
} measure;
double measure_shape(bench *b, const measure *m, const shape *s, const setting *at, uint32_t each_ns, scores *to);

#endif
