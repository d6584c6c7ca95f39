/* SPDX-License-Identifier: MIT */
/* rows.c - implements rows.h. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

int figure_begin(figure_files *f) { return cli_buffer_open(&f->tsv) || cli_buffer_open(&f->svg) ? CLI_BAD : CLI_OK; }

static int write_file(figure_files *f, cli_buffer *b, const char *name, const char *ending)
{
    char path[1024];
    int status;
    if ((size_t)snprintf(path, sizeof path, "%s/%s.%s", f->dir, name, ending) >= sizeof path)
        status = cli_bad("%.60s...: the path is too long", path);
    else
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

int figure_end_or_drop(figure_files *f, const char *name, int with_svg, int status)
{
    if (!status)
        return figure_end(f, name, with_svg);
    cli_buffer_free(&f->tsv);
    cli_buffer_free(&f->svg);
    return CLI_BAD;
}

int figure_end_drawing(figure_files *f, const char *name)
{
    cli_buffer_free(&f->tsv);
    return write_file(f, &f->svg, name, "svg");
}

int figure_listed(const char *list, const char *word, size_t *at)
{
    const size_t n = strlen(word);
    for (*at = 0; list[*at]; *at += strcspn(list + *at, " ,"), *at += strspn(list + *at, " ,"))
        if (strcspn(list + *at, " ,") == n && !memcmp(list + *at, word, n))
            return 1;
    return 0;
}

void figure_put(double *sorted, size_t n, double value)
{
    for (; n > 0 && sorted[n - 1] > value; n--)
        sorted[n] = sorted[n - 1];
    sorted[n] = value;
}

double figure_middle(const double *sorted, size_t n) { return n ? sorted[n / 2] : 0; }

size_t figure_runs(const options *o) { return o->runs < FIGURE_RUNS ? (size_t)o->runs : FIGURE_RUNS; }

const char figure_late[] = "--opt seconds left no time";

int figure_seconds(const char *text, uint64_t *end_ns)
{
    char *end;
    const double seconds = text ? strtod(text, &end) : 1e9;
    if (text && (end == text || *end || !(seconds > 0 && seconds < 1e9)))
        return cli_bad("--opt seconds=%s: a number above 0 is expected", text);
    *end_ns = cli_now_ns() + (uint64_t)(1e9 * seconds);
    return CLI_OK;
}
