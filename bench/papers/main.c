/* SPDX-License-Identifier: MIT */
/* main.c - `heddle-figures --figures NAME [OPTION]...`: the list of the papers, and the choice of one. `heddle bench
 * --figures` starts this program with its own options, so both behave the same. All options of `heddle bench` are read;
 * those that a paper does not use have no effect. */
#include "papers.h"

#include "cli.h"

#include <string.h>
#include <sys/stat.h>

static const struct paper {
    const char *name;
    int (*figures)(const options *o);
} papers[] = {{"juggler", figures_juggler}, {"didc14", figures_didc14}, {"peerwave", figures_peerwave},
              {"pagoda", figures_pagoda},   {"hdss", figures_hdss},     {"mesi", figures_mesi},
              {"cumas", figures_cumas}};
enum { N_PAPERS = sizeof papers / sizeof *papers };

static int unknown_paper(const char *name)
{
    char names[256] = "";
    size_t at = 0;
    for (size_t i = 0; i < N_PAPERS; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s",
                               i == 0              ? ""
                               : i + 1 == N_PAPERS ? " or "
                                                   : ", ",
                               papers[i].name);
    return cli_bad("--figures %s: %s is expected", name, names);
}

static int make_figures(const options *o)
{
    const struct paper *p = papers;
    while (p < papers + N_PAPERS && strcmp(o->figures, p->name) != 0)
        p++;
    if (p == papers + N_PAPERS)
        return unknown_paper(o->figures);
    if (o->n_words)
        return cli_bad("bench --figures takes no names of apps: a figure has its own");
    mkdir(o->out ? o->out : ".", 0777); /* it may exist; if it cannot be created, writing fails later */
    return p->figures(o);
}

static int print_help(void)
{
    puts("usage: heddle-figures --figures NAME [OPTION]...\n"
         "Makes the figures of a paper; `heddle bench --figures NAME` is the same.\n");
    options_print(stdout, FOR_BENCH);
    return CLI_OK;
}

int main(int argc, char **argv)
{
    options o;
    int status;
    cli_catch_signals();
    status = options_read(&o, FOR_BENCH, argc - 1, argv + 1);
    if (!status && o.help)
        status = print_help();
    else if (!status && !o.figures)
        status = cli_bad("heddle-figures needs --figures NAME");
    else if (!status) {
        cli_progress_start();
        status = make_figures(&o);
        cli_progress_stop();
    }
    options_free(&o);
    return fflush(stdout) || ferror(stdout) ? cli_bad("standard output: writing failed") : status;
}
