/* SPDX-License-Identifier: MIT */
/* parts.c - figure 4.1: copies in, kernels and copies out of each program alone. */
#include "cumas.h"

#include <string.h>

enum { N_PARTS = 3 };

typedef struct parts {
    uint32_t n;
    const char *names[SHARE_MOST_TASKS];
    double ms[SHARE_MOST_TASKS * N_PARTS];
} parts;

static void simulated_parts(const share_load *load, parts *p)
{
    p->n = load->n_programs;
    memset(p->ms, 0, sizeof p->ms);
    for (uint32_t i = 0; i < p->n; i++)
        p->names[i] = load->programs[i];
    for (uint32_t t = 0; t < load->n_tasks; t++)
        for (uint32_t k = 0; k < load->tasks[t].n_calls; k++) {
            const share_call *c = &load->calls[load->tasks[t].first_call + k];
            p->ms[load->tasks[t].program * N_PARTS + c->channel] += (double)c->ns / 1e6;
        }
}

static void measured_parts(const cumas_measured *m, parts *p)
{
    p->n = m ? m->mixes[0].n_programs : 0;
    for (uint32_t i = 0; i < p->n; i++) {
        p->names[i] = m->mixes[0].names[i];
        p->ms[i * N_PARTS + SHARE_S] = m->mixes[0].in_ms[i];
        p->ms[i * N_PARTS + SHARE_P] = m->mixes[0].kernels_ms[i];
        p->ms[i * N_PARTS + SHARE_R] = m->mixes[0].out_ms[i];
    }
}

static void put(FILE *out, const char *how, const parts *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const double *ms = &p->ms[i * N_PARTS], sum = ms[0] + ms[1] + ms[2];
        fprintf(out, "%s\t%s\t%.4g\t%.4g\t%.4g\t%.4f\n", how, p->names[i], ms[SHARE_S], ms[SHARE_P], ms[SHARE_R],
                sum > 0 ? (ms[SHARE_S] + ms[SHARE_R]) / sum : 0);
    }
}

static void draw(const parts *p, const char *note, FILE *out)
{
    static const char *const series[] = {"copies in", "kernels", "copies out"};
    double share[SHARE_MOST_TASKS * N_PARTS];
    char short_names[SHARE_MOST_TASKS][16]; /* longer ones would touch */
    const char *groups[SHARE_MOST_TASKS];
    chart c = {.title = "Where a program's time goes", .note = note, .unit = "% of the time", .stacked = 1};
    for (uint32_t i = 0; i < p->n * N_PARTS; i++) {
        const double *ms = &p->ms[i / N_PARTS * N_PARTS], sum = ms[0] + ms[1] + ms[2];
        share[i] = sum > 0 ? 100 * p->ms[i] / sum : 0;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        snprintf(short_names[i], sizeof short_names[i], "%.*s%s", strlen(p->names[i]) > 12 ? 8 : 12, p->names[i],
                 strlen(p->names[i]) > 12 ? "." : "");
        groups[i] = short_names[i];
    }
    chart_fill(&c, p->n, groups, N_PARTS, series, share);
    chart_print(&c, out);
}

int cumas_make_parts(const cumas_ask *a, const cumas_measured *m)
{
    figure_files f = {.dir = a->out};
    share_load load;
    parts told, seen;
    if (cumas_load(&cumas_kinds[0], a->rate, &load))
        return CLI_BAD;
    if (figure_begin(&f)) {
        share_load_free(&load);
        return CLI_BAD;
    }
    simulated_parts(&load, &told);
    measured_parts(m, &seen);
    fputs("how\tprogram\tin_ms\tkernels_ms\tout_ms\tcopies_of_all\n", f.tsv.out);
    put(f.tsv.out, "simulated", &told);
    put(f.tsv.out, "measured", &seen);
    draw(seen.n ? &seen : &told, seen.n ? "measured, each alone" : "by bytes of the table, at the rate of the link",
         f.svg.out);
    share_load_free(&load);
    return figure_end_or_drop(&f, "cumas-4.1", 1, CLI_OK);
}
