/* SPDX-License-Identifier: MIT */
/* shares.c - table 4 of Pagoda: the share of copies in the time of a kernel for each task, which is what the time without copies is less
 * than that with them, in the same run; and the rest, computing. */
#include "pagoda.h"

enum { WITHOUT, WITH, WAYS, COPIES = 0, COMPUTING, SHARES };

static const char *const names[SHARES] = {"copies", "computing"};

/* In per cent. */
static void put_shares(const timing *t, double *share)
{
    const double without = figure_middle(t[WITHOUT].ms, t[WITHOUT].n), with = figure_middle(t[WITH].ms, t[WITH].n);
    share[COMPUTING] = without < with ? 100 * without / with : 100;
    share[COPIES] = 100 - share[COMPUTING];
}

static void time_subject(figures *f, const subject *s, double *share)
{
    FILE *out = f->files.tsv.out;
    timing t[WAYS];
    for (int k = 0; k < WAYS; k++)
        pagoda_time(f, s, &f->ways[k], &t[k]);
    fprintf(out, "%s\t%llu\t", s->app, (unsigned long long)f->n_tasks);
    if (!t[WITH].n || !t[WITHOUT].n) {
        fprintf(out, "skipped\t%s\n", t[WITH].n ? t[WITHOUT].why : t[WITH].why);
        return;
    }
    put_shares(t, share);
    fprintf(out, "%.5g\t%.5g\t%.1f\t%.1f\n", figure_middle(t[WITH].ms, t[WITH].n),
            figure_middle(t[WITHOUT].ms, t[WITHOUT].n), share[COPIES], share[COMPUTING]);
}

int pagoda_shares(figures *f)
{
    const size_t n = f->now->n_subjects;
    const char *groups[MOST_SUBJECTS];
    double share[MOST_SUBJECTS * SHARES] = {0};
    char note[160];
    chart c = {.title = f->now->title, .note = note, .unit = "per cent of the time", .stacked = 1};
    if (figure_begin(&f->files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%llu tasks, %s with copies and with data on the device; medians of %zu runs",
             (unsigned long long)f->n_tasks, f->ways[0].name, figure_runs(f->o));
    pagoda_head(f, note, "app\ttasks\tcopies_ms\tno_copies_ms\tcopies_percent\tcomputing_percent");
    for (size_t i = 0; i < n; i++) {
        groups[i] = f->now->subjects[i].name;
        time_subject(f, &f->now->subjects[i], &share[i * SHARES]);
    }
    chart_fill(&c, n, groups, SHARES, names, share);
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "pagoda-shares", 1);
}
