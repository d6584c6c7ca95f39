/* SPDX-License-Identifier: MIT */
/* commands.h - the commands, and the finding of an app by its name. Each takes options that were read for it and
 * returns the exit status. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "options.h"

int cmd_info(const options *o);
int cmd_run(const options *o);
int cmd_bench(const options *o);
int cmd_trace(const options *o);
int cmd_plan(const options *o);

/* The app of that name; CLI_BAD with a sentence that offers the nearest. */
int find_app(const char *name, const app **out);

/* cmd_run.c: the one app or graph file that the words name; `command` is for the sentence. */
int find_target(const options *o, const char *command, const app **a, const char **file);
/* cmd_plan.c: whether the config leaves room for workers that follow lists; and, on a GPU, that it runs so. */
int has_workers(const heddle_config *config);
void ask_for_workers(heddle_config *config);

#endif
