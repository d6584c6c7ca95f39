/* SPDX-License-Identifier: MIT */
/* target.h - what several commands ask of their command line: which scenario of an app or which graph file is meant, and
 * what the config must be like for plans. */
#ifndef TARGET_H
#define TARGET_H

#include "options.h"
#include "work.h"

/* An app, or a graph file; the other is NULL. */
typedef struct target {
    const app *app;
    const app_scenario *scenario; /* of the app */
    const char *file;
} target;

/* APP/ENGINE, or APP for the scenario that the schedule is made for, else its first. CLI_BAD with a sentence that offers the
 * nearest. */
int find_scenario(const char *name, heddle_schedule schedule, const app **a, const app_scenario **s);
/* The app alone. */
int find_app(const char *name, const app **out);
/* The one scenario or graph file that the words name; `command` is for the sentence. */
int find_target(const options *o, const char *command, target *out);

/* work_open, of either. */
int open_target(work *w, const target *t, const options *o, const heddle_config *config);

/* Whether the config leaves room for workers, of whom a plan can be made; and that it runs by them. */
int has_workers(const heddle_config *config);
void ask_for_workers(heddle_config *config);

#endif
