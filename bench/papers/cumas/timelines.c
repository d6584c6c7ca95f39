/* SPDX-License-Identifier: MIT */
/* timelines.c - figure 4.2: one order of arrival under three policies, on one axis of time. Simulated: each call on its channel. Measured: begin
 * and end of each program. */
#include "cumas.h"

#include <string.h>

enum { MOST_EVENTS = 512, N_PANELS = 3 };

typedef struct line {
    heddle_event events[MOST_EVENTS]; /* worker: the channel, body: the program */
    size_t n;
    uint64_t end_ns;
} line;

static void see(void *seer, uint32_t program, share_channel channel, double begin_ns, double end_ns)
{
    line *l = seer;
    heddle_event *e = &l->events[l->n];
    if (l->n == MOST_EVENTS)
        return;
    l->n++;
    memset(e, 0, sizeof *e);
    e->worker = (uint32_t)channel, e->body = program;
    e->begin_ns = (uint64_t)begin_ns, e->end_ns = (uint64_t)end_ns;
    l->end_ns = e->end_ns > l->end_ns ? e->end_ns : l->end_ns;
}

static const cumas_subject_id shown[N_PANELS] = {CUMAS_STRINGS, CUMAS_FIFO, CUMAS_EXACT_12};

static int simulate(const share_load *load, line *lines)
{
    for (int i = 0; i < N_PANELS; i++) {
        const cumas_subject *s = &cumas_subjects[shown[i]];
        const share_replay_how how = {.policy = s->policy, .row = s->row, .seed = 1, .see = see, .seer = &lines[i]};
        cumas_outcome o;
        lines[i].n = 0, lines[i].end_ns = 0;
        if (cumas_simulate(load, &how, 1, &o))
            return CLI_BAD;
    }
    return CLI_OK;
}

static void put_simulated(const share_load *load, const line *lines, FILE *out)
{
    static const char *const channels[] = {"in", "kernels", "out"};
    for (int i = 0; i < N_PANELS; i++)
        for (size_t k = 0; k < lines[i].n; k++) {
            const heddle_event *e = &lines[i].events[k];
            fprintf(out, "simulated\t%s\t%s\t%s\t%.4f\t%.4f\n", cumas_subjects[shown[i]].name, load->programs[e->body],
                    channels[e->worker], (double)e->begin_ns / 1e6, (double)e->end_ns / 1e6);
        }
}

/* The first round. */
static void put_measured(const cumas_measured *m, uint32_t id, FILE *out)
{
    const mix_rounds *r = &m->mixes[0].first[id];
    double first;
    if (!m->mixes[0].subjects[id].n)
        return;
    first = mix_first_ms(r, 0);
    for (uint32_t i = 0; i < r->n_programs; i++) {
        const mix_part *p = mix_part_of(r, i, 0);
        fprintf(out, "measured\t%s\t%s\tall\t%.4f\t%.4f\n", cumas_subjects[id].name, m->mixes[0].names[i],
                p->begin_ms - first, p->end_ms - first);
    }
}

static void draw(const share_load *load, const line *lines, FILE *out)
{
    static const char *const titles[] = {"calls in the order in which they came",
                                         "programs in the order in which they came", "the best order"};
    const char *names[SHARE_MOST_TASKS];
    panel panels[N_PANELS];
    for (uint32_t i = 0; i < load->n_programs; i++)
        names[i] = load->programs[i];
    for (int i = 0; i < N_PANELS; i++)
        panels[i] = (panel){titles[i], lines[i].events, lines[i].n, SHARE_N_CHANNELS, lines[i].end_ns};
    chart_print_panels("Copies in, kernels, copies out of twelve programs (simulated)", "channels", names,
                       load->n_programs, panels, N_PANELS, out);
}

int cumas_make_timelines(const cumas_ask *a, const cumas_measured *m)
{
    static line lines[N_PANELS];
    figure_files f = {.dir = a->out};
    share_load load;
    int status;
    if (cumas_load(&cumas_kinds[0], a->rate, &load))
        return CLI_BAD;
    if (figure_begin(&f)) {
        share_load_free(&load);
        return CLI_BAD;
    }
    status = simulate(&load, lines);
    fputs("how\tpolicy\tprogram\tchannel\tbegin_ms\tend_ms\n", f.tsv.out);
    put_simulated(&load, lines, f.tsv.out);
    for (int i = 0; m && i < N_PANELS; i++)
        put_measured(m, shown[i], f.tsv.out);
    draw(&load, lines, f.svg.out);
    share_load_free(&load);
    return figure_end_or_drop(&f, "cumas-4.2", 1, status);
}
