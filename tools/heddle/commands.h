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

/* The app of that name; CLI_BAD with a sentence that offers the nearest. */
int find_app(const char *name, const app **out);

#endif
