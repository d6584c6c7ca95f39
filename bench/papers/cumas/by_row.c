/* SPDX-License-Identifier: MIT */
/* by_row.c - figures 4.8 and 4.9: the makespan of five sets of orders of arrival by ROW, and how long the GPU and copies out are idle meanwhile. The
 * sets are A to E; fewer orders make fewer sets. Measured idle times are those that the daemon of heddle share saw, under each of its policies. */
#include "cumas.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
static const uint32_t rows[] = {2, 4, 6, 8, 10, 12};
static const struct {
    const char *name;
    share_policy policy;
    uint32_t most; /* bf beyond that takes seconds for each batch */
} policies[] = {{"strings", SHARE_POLICY_STRINGS, 12},
                {"fifo", SHARE_POLICY_FIFO, 12},
                {"dp", SHARE_POLICY_DP, 12},
                {"bf", SHARE_POLICY_BF, 8},
                {"exact", SHARE_POLICY_EXACT, 12}};
enum { N_ROWS = COUNT(rows), N_POLICIES = COUNT(policies) };

/* Of one mix. */
typedef struct by_row {
    double mean[N_ROWS * N_POLICIES], idle[N_ROWS * N_POLICIES * 2];
} by_row;

typedef void put_fn(FILE *out, const char *mix, const char *policy, uint32_t row, const cumas_outcome *o);

static void put_set(FILE *out, const char *how, const char *mix, const char *set, const char *policy, uint32_t row,
                    const double *ms, uint32_t n)
{
    double least, most;
    cumas_range(ms, n, &least, &most);
    fprintf(out, "%s\t%s\t%s\t%s\t%u\t%u\t%.4g\t%.4g\t%.4g\n", how, mix, set, policy, row, n, cumas_mean(ms, n), least,
            most);
}

static void put_sets(FILE *out, const char *how, const char *mix, const char *policy, uint32_t row,
                     const cumas_outcome *o)
{
    for (uint32_t i = 0; i + CUMAS_A_SET <= o->n; i += CUMAS_A_SET) {
        char set[] = "A";
        set[0] = (char)('A' + i / CUMAS_A_SET % 26);
        put_set(out, how, mix, set, policy, row, o->ms + i, CUMAS_A_SET);
    }
    if (o->n)
        put_set(out, how, mix, "all", policy, row, o->ms, o->n);
}

static void put_times(FILE *out, const char *mix, const char *policy, uint32_t row, const cumas_outcome *o)
{
    put_sets(out, "simulated", mix, policy, row, o);
}

static void put_known(FILE *out, const double *ms, uint32_t n)
{
    if (n)
        fprintf(out, "\t%.4g", cumas_mean(ms, n));
    else
        fputs("\t-", out);
}

static void put_idle_row(FILE *out, const char *how, const char *mix, const char *policy, uint32_t row,
                         const cumas_outcome *o)
{
    fprintf(out, "%s\t%s\t%s\t%u\t%u", how, mix, policy, row, o->n);
    put_known(out, o->idle_gpu_ms, o->n_idle_gpu);
    put_known(out, o->idle_out_ms, o->n_idle_out);
    fputc('\n', out);
}

static void put_idle(FILE *out, const char *mix, const char *policy, uint32_t row, const cumas_outcome *o)
{
    put_idle_row(out, "simulated", mix, policy, row, o);
}

static int simulate_mix(const cumas_ask *a, const cumas_kind *k, put_fn *put, FILE *out, by_row *b)
{
    static cumas_outcome o;
    share_load load;
    int status = cumas_load(k, a->rate, &load);
    memset(b, 0, sizeof *b);
    for (size_t i = 0; i < N_ROWS * N_POLICIES && !status; i++) {
        const size_t p = i % N_POLICIES, row = rows[i / N_POLICIES];
        const share_replay_how how = {policies[p].policy, (uint32_t)row, SHARE_SLACK_PERCENT, 0, 1, 0, NULL, NULL};
        if (row > policies[p].most)
            continue;
        status = cumas_simulate(&load, &how, a->n_orders, &o);
        b->mean[i] = cumas_mean(o.ms, o.n);
        b->idle[2 * i] = cumas_mean(o.idle_gpu_ms, o.n);
        b->idle[2 * i + 1] = cumas_mean(o.idle_out_ms, o.n);
        put(out, k->name, policies[p].name, (uint32_t)row, &o);
    }
    share_load_free(&load);
    return status;
}

static void draw(const char *title, const char *note, const char *const *series, size_t n_series, const double *value,
                 FILE *out)
{
    static const char *const groups[] = {"2", "4", "6", "8", "10", "12"};
    double at[N_ROWS];
    chart c = {.title = title, .note = note, .unit = "ms", .at = at, .at_unit = "ROW"};
    for (size_t i = 0; i < N_ROWS; i++)
        at[i] = rows[i];
    chart_fill(&c, N_ROWS, groups, n_series, series, value);
    chart_print(&c, out);
}

static void put_measured(const cumas_measured *m, FILE *out)
{
    for (uint32_t at = 0; m && at < CUMAS_N_MIXES; at++)
        for (uint32_t id = 0; id < CUMAS_N_SUBJECTS; id++)
            put_sets(out, "measured", cumas_kinds[at].name, cumas_subjects[id].name, cumas_subjects[id].row,
                     &m->mixes[at].subjects[id]);
}

int cumas_make_rows(const cumas_ask *a, const cumas_measured *m)
{
    static const char *const series[] = {"strings", "fifo", "dp", "bf", "exact"};
    figure_files f = {.dir = a->out};
    by_row b[CUMAS_N_MIXES];
    int status = CLI_OK;
    if (figure_begin(&f))
        return CLI_BAD;
    fputs("how\tmix\tset\tpolicy\trow\torders\tms\tleast_ms\tmost_ms\n", f.tsv.out);
    for (uint32_t at = 0; at < CUMAS_N_MIXES && !status; at++)
        status = simulate_mix(a, &cumas_kinds[at], put_times, f.tsv.out, &b[at]);
    put_measured(m, f.tsv.out);
    if (!status)
        draw("The makespan of twelve programs", "simulated; the table's sizes, means over all orders of arrival",
             series, N_POLICIES, b[0].mean, f.svg.out);
    return figure_end_or_drop(&f, "cumas-4.8", 1, status);
}

/* Where a daemon saw it. */
static void put_measured_idle(const cumas_measured *m, FILE *out)
{
    for (uint32_t at = 0; m && at < CUMAS_N_MIXES; at++)
        for (uint32_t id = 0; id < CUMAS_N_SUBJECTS; id++) {
            const cumas_outcome *o = &m->mixes[at].subjects[id];
            if (o->n_idle_gpu || o->n_idle_out)
                put_idle_row(out, "measured", cumas_kinds[at].name, cumas_subjects[id].name, cumas_subjects[id].row, o);
        }
}

int cumas_make_idle(const cumas_ask *a, const cumas_measured *m)
{
    static const char *const series[] = {"strings, GPU", "strings, out", "fifo, GPU", "fifo, out",  "dp, GPU",
                                         "dp, out",      "bf, GPU",      "bf, out",   "exact, GPU", "exact, out"};
    figure_files f = {.dir = a->out};
    by_row b[CUMAS_N_MIXES];
    int status = CLI_OK;
    if (figure_begin(&f))
        return CLI_BAD;
    fputs("how\tmix\tpolicy\trow\torders\tgpu_ms\tout_ms\n", f.tsv.out);
    for (uint32_t at = 0; at < CUMAS_N_MIXES && !status; at++)
        status = simulate_mix(a, &cumas_kinds[at], put_idle, f.tsv.out, &b[at]);
    put_measured_idle(m, f.tsv.out);
    if (!status)
        draw("How long the GPU and copies out are idle",
             "simulated; between the first and the last use, the table's sizes", series, COUNT(series), b[0].idle,
             f.svg.out);
    return figure_end_or_drop(&f, "cumas-4.9", 1, status);
}
