/* SPDX-License-Identifier: MIT */
/* bench.c - implements bench.h. Rows are written at once, so that a later failure loses no results. */
#include "bench.h"

#include <stdarg.h>
#include <time.h>

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int bench_late(const bench *b) { return bench_now() > (b->extra ? b->deadline : b->end); }

int bench_no_time(bench *b)
{
    b->n_late++;
    return bench_refuse(b, "no time left");
}

int bench_say(bench *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(b->error, sizeof b->error, format, args);
    va_end(args);
    for (char *c = b->error; *c; c++)
        if (*c == '\t' || *c == '\n')
            *c = ' ';
    b->refused = 0;
    return -1;
}

int bench_refuse(bench *b, const char *sentence)
{
    bench_say(b, "%s", sentence);
    b->refused = 1;
    return -1;
}

int bench_heddle(bench *b, const heddle_ctx *ctx, heddle_status s, const char *doing)
{
    if (s == HEDDLE_OK)
        return 0;
    bench_say(b, "%s: %s", doing, heddle_error_text(ctx));
    b->refused = s == HEDDLE_EINVAL || s == HEDDLE_ENOMEM || s == HEDDLE_ENODEV || s == HEDDLE_ERANGE;
    return -1;
}

/* ---- samples ---- */

void sample_add(sample *s, double value)
{
    uint32_t at;
    if (s->n == BENCH_SAMPLES)
        return;
    for (at = s->n++; at > 0 && s->value[at - 1] > value; at--)
        s->value[at] = s->value[at - 1];
    s->value[at] = value;
}

double sample_median(const sample *s) { return s->n ? s->value[s->n / 2] : 0; }

double sample_spread(const sample *s)
{
    double median = sample_median(s);
    return median > 0 ? (s->value[s->n - 1] - s->value[0]) / median : 0;
}

/* ---- rows ---- */

static void print_row(bench *b, row r, const char *value, uint32_t n, double spread)
{
    const char *note = r.note ? r.note : "";
    fprintf(b->rows, "%s\t%s\t%s\t%s\t%s\t%u\t%.3f\t%s\n", r.figure, r.subject, r.variant, value, r.unit, n, spread,
            note);
    fflush(b->rows);
    printf("%-13s %-34s %-26s %12s %-9s %s\n", r.figure, r.subject, r.variant, value, r.unit, note);
    fflush(stdout);
}

void bench_row(bench *b, row r, const sample *s, double scale)
{
    char value[32];
    snprintf(value, sizeof value, "%.5g", scale * sample_median(s));
    print_row(b, r, value, s->n, sample_spread(s));
}

void bench_value(bench *b, row r, double value)
{
    sample s = {{value}, 1};
    bench_row(b, r, &s, 1);
}

void bench_missing(bench *b, row r)
{
    r.note = b->error;
    b->n_failed += !b->refused;
    print_row(b, r, b->refused ? "skipped" : "failed", 0, 0);
}

void bench_goal_where(bench *b, const char *measure, const char *unit, double reached, int sign, double limit,
                      const char *where)
{
    char to_reach[48], note[160];
    int known = reached > 0 && limit > 0, ok = sign < 0 ? reached <= limit : reached >= limit;
    row r = {"goal", measure, to_reach, unit, note};
    snprintf(note, sizeof note, "%s%s%s", ok ? "yes" : "no", where ? ": " : "", where ? where : "");
    snprintf(to_reach, sizeof to_reach, "%s %.4g", sign < 0 ? "<=" : ">=", limit);
    if (known) {
        bench_value(b, r, reached);
    } else {
        bench_refuse(b, "not measured");
        bench_missing(b, r);
    }
}

void bench_goal(bench *b, const char *measure, const char *unit, double reached, int sign, double limit)
{
    bench_goal_where(b, measure, unit, reached, sign, limit, NULL);
}
