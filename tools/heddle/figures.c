/* SPDX-License-Identifier: MIT */
/* figures.c - see figures.h; and `bench --figures` itself. */
#include "figures.h"
#include "commands.h"

#include <string.h>
#include <sys/stat.h>

int figure_begin(figure_files *f) { return cli_buffer_open(&f->tsv) || cli_buffer_open(&f->svg) ? CLI_BAD : CLI_OK; }

static int write_file(figure_files *f, cli_buffer *b, const char *name, const char *ending)
{
    char path[1024];
    int status;
    snprintf(path, sizeof path, "%s/%s.%s", f->dir, name, ending);
    status = cli_buffer_write(b, path);
    cli_buffer_free(b);
    if (!status)
        printf("%s\n", path);
    return status;
}

int figure_end(figure_files *f, const char *name, int with_svg)
{
    int status = write_file(f, &f->tsv, name, "tsv");
    if (with_svg)
        return write_file(f, &f->svg, name, "svg") || status ? CLI_BAD : CLI_OK;
    cli_buffer_free(&f->svg);
    return status;
}

void figure_put(double *sorted, size_t n, double value)
{
    for (; n > 0 && sorted[n - 1] > value; n--)
        sorted[n] = sorted[n - 1];
    sorted[n] = value;
}

double figure_middle(const double *sorted, size_t n) { return n ? sorted[n / 2] : 0; }

size_t figure_runs(const options *o) { return o->runs < FIGURE_RUNS ? (size_t)o->runs : FIGURE_RUNS; }

int cmd_figures(const options *o)
{
    const int is_juggler = !strcmp(o->figures, "juggler");
    if (!is_juggler && strcmp(o->figures, "didc14") != 0)
        return cli_bad("--figures %s: juggler or didc14 is expected", o->figures);
    if (o->n_words)
        return cli_bad("bench --figures takes no names of apps: a figure has its own");
    mkdir(o->out ? o->out : ".", 0777); /* where it is there already, all is well; else writing will say so */
    return is_juggler ? figures_juggler(o) : figures_didc14(o);
}
