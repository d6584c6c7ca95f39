/* SPDX-License-Identifier: MIT */
/* main.c - the command `heddle`: dispatches to commands, prints help, returns the exit status (cli.h). */
#include "commands.h"

#include "cli.h"
#include "simulate_spec.h"

#include <string.h>

typedef struct command {
    const char *name;
    unsigned options;             /* FOR_... */
    int (*run)(const options *o); /* NULL: share, which reads its own words */
    const char *usage, *help;
} command;

static const command commands[] = {
    {"info", FOR_INFO, cmd_info, "heddle info [APP | --links]",
     "Shows what is here: backends, cores, caches, limits, environment; or what an app takes, or links can do."},
    {"run", FOR_RUN, cmd_run, "heddle run APP[/ENGINE]|FILE.json [OPTION]...",
     "Runs an app, or a graph file whose bodies spin, and checks the result."},
    {"plan", FOR_PLAN, cmd_plan, "heddle plan APP[/ENGINE]|FILE.json [OPTION]...",
     "Runs once and writes who ran what in which order, for `heddle run --plan`."},
    {"bench", FOR_BENCH, cmd_bench, "heddle bench APP[/ENGINE]...|all|spawn [OPTION]...",
     "Verifies, then times apps on backends and policies in turn, or the spawning of tasks; prints TSV."},
    {"simulate", FOR_SIMULATE, cmd_simulate, "heddle simulate FLEET [OPTION]...",
     "Simulates how a loop is divided over a fleet: \"gpu 15*core\", or jobs over GPUs; prints TSV."},
    {"trace", FOR_TRACE, cmd_trace, "heddle trace FILE", "Summarises a trace that `heddle run --trace` wrote."},
#ifdef HEDDLE_HAVE_SHARE
    {"share", FOR_SHARE, NULL, "heddle share start|run|status|stop ...",
     "Runs CUDA programs side by side, unchanged; they take turns on the link to the GPU."},
#endif
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    cli_guess guess = {.word = name};
    for (size_t i = 0; i < N_COMMANDS; i++)
        cli_guess_offer(&guess, commands[i].name);
    cli_guess_offer(&guess, "help");
    return cli_bad("unknown command '%s'%s", name, cli_guess_tail(&guess));
}

static int print_usage(void)
{
    puts("usage: heddle COMMAND ...\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        printf("  %-46s %s\n", commands[i].usage, commands[i].help);
    printf("  %-46s %s\n  %-46s %s\n\nApps:", "heddle help [COMMAND]", "Shows the options of a command.",
           "heddle --version", "Shows the version.");
    for (size_t i = 0; app_list[i]; i++)
        printf(" %s", app_list[i]->name);
    puts("");
    return CLI_OK;
}

static int print_help(const command *c)
{
    printf("usage: %s\n%s\n\n", c->usage, c->help);
#ifdef HEDDLE_HAVE_SHARE
    if (!c->run) {
        share_help(stdout);
        return CLI_OK;
    }
#endif
    options_print(stdout, c->options);
    if (c->options == FOR_SIMULATE)
        printf("\n%s\n%s", simulate_help, simulate_jobs_help);
    return CLI_OK;
}

static int help(int argc, char **argv)
{
    const command *c = argc > 0 ? find_command(argv[0]) : NULL;
    if (argc > 1)
        return cli_bad("help takes one command");
    if (argc == 0)
        return print_usage();
    return c ? print_help(c) : unknown_command(argv[0]);
}

static int run_command(const command *c, int argc, char **argv)
{
    options o;
    int status;
#ifdef HEDDLE_HAVE_SHARE
    if (!c->run)
        return argc == 1 && !strcmp(argv[0], "--help") ? print_help(c) : cmd_share(argc, argv);
#endif
    status = options_read(&o, c->options, argc, argv);
    if (!status && o.help)
        status = print_help(c);
    else if (!status) {
        cli_progress_start();
        status = c->run(&o);
        cli_progress_stop();
    }
    options_free(&o);
    return status;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    const command *c = find_command(name);
    int status;
    if (!c || c->run)
        cli_catch_signals(); /* a program that share starts would have them ignored */
    if (c)
        status = run_command(c, argc - 2, argv + 2);
    else if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
        status = help(argc > 2 ? argc - 2 : 0, argv + 2);
    else if (!strcmp(name, "--version"))
        status = printf("heddle %d.%d.%d\n", HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH) < 0;
    else
        status = unknown_command(name);
    return fflush(stdout) || ferror(stdout) ? cli_bad("standard output: writing failed") : status;
}
