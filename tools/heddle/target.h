/* SPDX-License-Identifier: MIT */
/* target.h - shared by several commands: which scenario of an app or graph file the command line names, and the config
 * that plans require. */
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

/* APP/ENGINE, or APP for the scenario that the options ask for (--pool, --map, --devices, --split, --schedule), else its first. CLI_BAD with a sentence that
 * offers the nearest name. */
int find_scenario(const options *o, const char *name, const app **a, const app_scenario **s);
/* The app alone. */
int find_app(const char *name, const app **out);
/* The one scenario or graph file that the words name; the sentence mentions `command`. */
int find_target(const options *o, const char *command, target *out);

/* work_open of either. */
int open_target(work *w, const target *t, const options *o, const heddle_config *config);

/* Whether the config allows workers, which plans need; ask_for_workers sets it so. */
int has_workers(const heddle_config *config);
void ask_for_workers(heddle_config *config);

#endif
