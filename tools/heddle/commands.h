/* SPDX-License-Identifier: MIT */
/* commands.h - the commands. Each takes its options, already read, and returns the exit status. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "target.h"

int cmd_info(const options *o);
int cmd_run(const options *o);
int cmd_bench(const options *o);
int cmd_trace(const options *o);
int cmd_simulate(const options *o);
int cmd_plan(const options *o);
/* cmd_share.c: takes the words behind its name itself; the text of its help. */
int cmd_share(int argc, char **argv);
void share_help(FILE *out);
/* info_links.c: cmd_info with --links. */
int info_links(void);
/* bench_spawn.c: cmd_bench for the word spawn. */
int bench_spawn(const options *o);
/* plan_wave.c: cmd_plan for a wave that has been laid out. */
int plan_wave(work *w, const options *o);

#endif
