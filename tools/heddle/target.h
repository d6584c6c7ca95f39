/* SPDX-License-Identifier: MIT */
/* target.h - what several commands ask of their command line: which app or graph file is meant, and what the config must
 * be like for a trace and for plans. */
#ifndef TARGET_H
#define TARGET_H

#include "options.h"

/* The app of that name; CLI_BAD with a sentence that offers the nearest. */
int find_app(const char *name, const app **out);
/* The one app or graph file that the words name; `command` is for the sentence. */
int find_target(const options *o, const char *command, const app **a, const char **file);

/* Room for the events of one run, shared out over the workers there will be; HEDDLE_TRACE goes before (0). */
uint32_t trace_room(const heddle_config *config);
/* Whether the config leaves room for workers that follow lists; and, on a GPU, that it runs so. */
int has_workers(const heddle_config *config);
void ask_for_workers(heddle_config *config);

#endif
