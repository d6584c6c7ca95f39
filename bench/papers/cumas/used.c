/* SPDX-License-Identifier: MIT */
/* used.c - implements used.h. The daemon writes a line an event. Of events of its process 1 those with a duration are spans; each GPU has three
 * rows there. The line that names the process says what times count from. */
#include "used.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, ROW_KERNELS = 1, ROW_OUT = 2 };

static int add(used *u, used_row row, used_span s)
{
    const size_t n = u->n[row];
    if (!(n & (n - 1))) { /* room is a power of two */
        used_span *more = realloc(u->spans[row], (n ? 2 * n : 1) * sizeof *more);
        if (!more)
            return -1;
        u->spans[row] = more;
    }
    u->spans[row][u->n[row]++] = s;
    return 0;
}

static int take(used *u, const char *line, double begin_us)
{
    const char *at = strstr(line, "\"pid\":1,\"tid\":");
    unsigned row;
    double us, long_us;
    if (!at || sscanf(at, "\"pid\":1,\"tid\":%u,\"ts\":%lf,\"dur\":%lf", &row, &us, &long_us) != 3 ||
        (row % ROWS != ROW_KERNELS && row % ROWS != ROW_OUT))
        return 0;
    us += begin_us;
    return add(u, row % ROWS == ROW_OUT ? USED_OUT : USED_KERNELS, (used_span){us / 1e3, (us + long_us) / 1e3});
}

static int by_begin(const void *a, const void *b)
{
    const double x = ((const used_span *)a)->begin_ms, y = ((const used_span *)b)->begin_ms;
    return (x > y) - (x < y);
}

int used_read(used *u, const char *trace)
{
    FILE *in = fopen(trace, "r");
    char line[1024];
    double begin_us = -1;
    int failed = 0;
    memset(u, 0, sizeof *u);
    while (in && !failed && fgets(line, sizeof line, in)) {
        const char *at = strstr(line, "\"begin_ns\":");
        if (begin_us >= 0)
            failed = take(u, line, begin_us);
        else if (at)
            begin_us = strtod(at + strlen("\"begin_ns\":"), NULL) / 1e3;
    }
    if (in)
        fclose(in);
    for (int row = 0; row < USED_N_ROWS; row++)
        if (u->n[row])
            qsort(u->spans[row], u->n[row], sizeof *u->spans[row], by_begin);
    return failed || begin_us < 0 ? -1 : 0;
}

void used_free(used *u)
{
    for (int row = 0; row < USED_N_ROWS; row++)
        free(u->spans[row]);
    memset(u, 0, sizeof *u);
}

double used_idle_ms(const used *u, used_row row, double from_ms, double to_ms)
{
    double idle = -1, end = 0;
    for (size_t i = 0; i < u->n[row]; i++) {
        const used_span *s = &u->spans[row][i];
        if (s->begin_ms < from_ms || s->begin_ms >= to_ms)
            continue;
        if (idle < 0)
            idle = 0;
        else if (s->begin_ms > end)
            idle += s->begin_ms - end;
        end = s->end_ms > end ? s->end_ms : end;
    }
    return idle;
}
