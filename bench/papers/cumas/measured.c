/* SPDX-License-Identifier: MIT */
/* measured.c - the subjects on a GPU. Of each mix the programs run alone first, all in one start: that gives the times by which no order can be
 * better, and tells the daemon what each program does. Then each subject has a start, with as many rounds as orders of arrival. */
#include "cumas.h"
#include "room.h"
#include "used.h"

#include <stdlib.h>
#include <string.h>

typedef struct measuring {
    const cumas_ask *ask;
    cumas_measured *to;
    room room;
    uint64_t begin_ns;
    uint32_t at; /* of the mixes */
    mix mix;
    double alone_s;  /* the longest start of a mix's programs alone; 0: there was none */
    double beside_s; /* that of this mix's programs beside one another */
} measuring;

static double left_s(const measuring *m) { return m->ask->seconds - 1e-9 * (double)(cli_now_ns() - m->begin_ns); }

/* Balanced rows are less in question, and come after all others. */
static uint32_t orders_of(const measuring *m)
{
    return m->at ? (2 * m->ask->n_orders + CUMAS_A_SET - 1) / CUMAS_A_SET : m->ask->n_orders;
}

/* room_run's, or 1 when there is too little time left. *longest_s: of the starts of this kind; 0: there was none. */
static int run(measuring *m, room_start *how, const mix_rounds *rounds, double *longest_s, char *why)
{
    uint64_t begin_ns = cli_now_ns();
    double took_s;
    int status;
    const double left = left_s(m), enough = *longest_s > 0 ? 3 * *longest_s + 10 : 0.4 * left + 1;
    if (left < 1.2 * *longest_s + 1) {
        snprintf(why, MIX_ERROR, "no time left");
        return 1;
    }
    /* A start that hangs is not to take all of it. */
    how->limit_s = enough < left ? enough : left;
    status = room_run(&m->room, &m->mix, how, rounds, why);
    took_s = 1e-9 * (double)(cli_now_ns() - begin_ns);
    if (status < 0 && took_s >= how->limit_s && how->limit_s < enough)
        status = 1; /* it need not hang */
    m->to->failed |= status < 0;
    if (!status && took_s > *longest_s)
        *longest_s = took_s;
    return status;
}

/* ---- alone ---- */

static double median(const mix_rounds *r, uint32_t program, double (*of)(const mix_part *))
{
    double sorted[CUMAS_MOST_ORDERS];
    uint32_t n = 0;
    for (uint32_t round = 0; round < r->n && n < CUMAS_MOST_ORDERS; round++)
        if (mix_part_of(r, program, round)->is_here)
            figure_put(sorted, n++, of(mix_part_of(r, program, round)));
    return figure_middle(sorted, n);
}
static double in_of(const mix_part *p) { return p->in_ms; }
static double kernels_of(const mix_part *p) { return p->kernels_ms; }
static double out_of(const mix_part *p) { return p->out_ms; }

static uint64_t ns_of(double ms) { return ms < 1e-3 ? 0 : (uint64_t)(ms * 1e6); }

/* The flow shop's optimum; 0: there are too many programs, or no memory. */
static double best_of(const cumas_measured *to, uint32_t at)
{
    share_task tasks[MIX_MOST_PROGRAMS] = {0};
    uint32_t order[MIX_MOST_PROGRAMS], n = to->mixes[at].n_programs;
    share_state now = {.row = SHARE_MOST_ROW};
    uint64_t sum;
    for (uint32_t i = 0; i < n; i++)
        tasks[i] = (share_task){.s_ns = ns_of(to->mixes[at].in_ms[i]),
                                .p_ns = ns_of(to->mixes[at].kernels_ms[i]),
                                .r_ns = ns_of(to->mixes[at].out_ms[i]),
                                .is_known = 1};
    if (share_order(SHARE_POLICY_EXACT, tasks, n, &now, order))
        return 0;
    return (double)share_ends(tasks, order, n, &now, &sum) / 1e6;
}

static void take_alone(measuring *m, const mix_rounds *rounds)
{
    cumas_measured *to = m->to;
    for (uint32_t i = 0; i < m->mix.n; i++) {
        snprintf(to->mixes[m->at].names[i], sizeof to->mixes[m->at].names[i], "%s", m->mix.programs[i].name);
        to->mixes[m->at].in_ms[i] = median(rounds, i, in_of);
        to->mixes[m->at].kernels_ms[i] = median(rounds, i, kernels_of);
        to->mixes[m->at].out_ms[i] = median(rounds, i, out_of);
    }
    to->mixes[m->at].n_programs = m->mix.n;
    to->mixes[m->at].best_ms = best_of(to, m->at);
}

enum { FEW_ROUNDS = 3 };

/* A task is known by its number, so that each program has as many rounds alone as beside others. */
static uint32_t rounds_alone(const measuring *m) { return m->ask->needs & CUMAS_BESIDE ? orders_of(m) : FEW_ROUNDS; }

static int run_alone(measuring *m, char *why)
{
    room_start how = {.policy = share_policy_word(SHARE_POLICY_NONE), .row = 12};
    mix_rounds rounds;
    int status;
    if (mix_rounds_new(&rounds, m->mix.n, m->mix.n * rounds_alone(m)))
        return -1;
    mix_alone(&rounds);
    room_forget(&m->room);
    status = run(m, &how, &rounds, &m->alone_s, why);
    if (!status) {
        take_alone(m, &rounds);
        if (room_keep(&m->room)) {
            snprintf(why, MIX_ERROR, "the daemon learnt nothing");
            status = -1;
        }
    }
    mix_rounds_free(&rounds);
    return status;
}

/* ---- beside one another ---- */

static void take(cumas_outcome *o, const mix_rounds *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        o->ms[i] = mix_makespan_ms(r, i);
        o->mean_end_ms[i] = mix_mean_end_ms(r, i);
    }
    o->n = r->n;
}

static void put_idle(double *idle_ms, uint32_t *n, double ms)
{
    if (ms >= 0)
        idle_ms[(*n)++] = ms;
}

/* Of rounds in which the daemon saw some. */
static void take_idle(const room *from, cumas_outcome *o, const mix_rounds *r)
{
    char trace[ROOM_NAME];
    used u;
    room_trace(from, trace);
    if (!used_read(&u, trace))
        for (uint32_t i = 0; i < r->n; i++) {
            const double begin = mix_first_ms(r, i), end = begin + mix_makespan_ms(r, i);
            put_idle(o->idle_gpu_ms, &o->n_idle_gpu, used_idle_ms(&u, USED_KERNELS, begin, end));
            put_idle(o->idle_out_ms, &o->n_idle_out, used_idle_ms(&u, USED_OUT, begin, end));
        }
    used_free(&u);
}

static void run_subject(measuring *m, cumas_subject_id id)
{
    const cumas_subject *s = &cumas_subjects[id];
    cumas_outcome *o = &m->to->mixes[m->at].subjects[id];
    mix_rounds *rounds = &m->to->mixes[m->at].first[id];
    room_start how = {.policy = s->bits & CUMAS_PLAIN ? NULL : share_policy_word(s->policy),
                      .row = s->row,
                      .with_mps = s->bits & CUMAS_WITH_MPS};
    if (s->bits & CUMAS_ESTIMATES)
        return;
    cli_progress("%s: %s", cumas_kinds[m->at].name, s->name);
    if (mix_rounds_new(rounds, m->mix.n, orders_of(m))) {
        snprintf(o->why, sizeof o->why, "no memory");
        return;
    }
    mix_arrive(rounds, 1);
    if (run(m, &how, rounds, &m->beside_s, o->why))
        return;
    take(o, rounds);
    if (how.policy)
        take_idle(&m->room, o, rounds);
}

static void measure_mix(measuring *m)
{
    char why[MIX_ERROR] = "no memory";
    int failed;
    cli_progress("%s: each alone", cumas_kinds[m->at].name);
    m->beside_s = 0;
    failed = mix_read(&m->mix, cumas_kinds[m->at].programs, why) || run_alone(m, why);
    if (failed)
        snprintf(m->to->mixes[m->at].why, MIX_ERROR, "alone: %.400s", why);
    for (uint32_t id = 0; id < CUMAS_N_SUBJECTS; id++)
        if (!failed && m->ask->needs & CUMAS_BESIDE)
            run_subject(m, (cumas_subject_id)id);
        else if (failed)
            snprintf(m->to->mixes[m->at].subjects[id].why, MIX_ERROR, "alone: %.400s", why);
}

/* ---- other sizes ---- */

static const double times_the_bytes[CUMAS_N_SIZES] = {[CUMAS_AN_EIGHTH] = 0.125, [CUMAS_A_QUARTER] = 0.25};

/* MB that a program of the first mix copies in. */
static double mb_in(const share_load *load, double rate, const char *name)
{
    double ns = 0;
    for (uint32_t t = 0; t < load->n_tasks; t++)
        for (uint32_t k = 0; k < load->tasks[t].n_calls && !strcmp(load->programs[load->tasks[t].program], name); k++) {
            const share_call *c = &load->calls[load->tasks[t].first_call + k];
            ns += c->channel == SHARE_S ? (double)c->ns : 0;
        }
    return ns * rate / 1e6; /* ns x GB/s are bytes */
}

static int resize(measuring *m, double times)
{
    share_load load;
    if (cumas_load(&cumas_kinds[0], m->ask->rate, &load))
        return -1;
    for (uint32_t i = 0; i < m->mix.n; i++)
        snprintf(m->mix.programs[i].options, sizeof m->mix.programs[i].options, "--mb %.2f",
                 mb_in(&load, m->ask->rate, m->mix.programs[i].name) * times);
    share_load_free(&load);
    return 0;
}

static void measure_size(measuring *m, cumas_size size)
{
    room_start how = {.policy = share_policy_word(SHARE_POLICY_NONE), .row = 12};
    char *why = m->to->sizes[size].why;
    double longest_s = 0; /* other sizes take other times */
    mix_rounds rounds;
    if (mix_read(&m->mix, cumas_kinds[0].programs, why))
        return;
    if (resize(m, times_the_bytes[size]) || mix_rounds_new(&rounds, m->mix.n, m->mix.n * FEW_ROUNDS)) {
        snprintf(why, MIX_ERROR, "no memory");
        return;
    }
    mix_alone(&rounds);
    for (uint32_t i = 0, failed = (uint32_t)run(m, &how, &rounds, &longest_s, why); i < m->mix.n && !failed; i++)
        m->to->sizes[size].kernels_ms[i] = median(&rounds, i, kernels_of);
    mix_rounds_free(&rounds);
}

cumas_measured *cumas_measure(const cumas_ask *a)
{
    measuring m = {.ask = a, .to = calloc(1, sizeof *m.to), .begin_ns = cli_now_ns()};
    if (!m.to)
        return NULL;
    if (room_open(&m.room, a->programs, m.to->why))
        return m.to;
    measure_mix(&m);
    for (uint32_t size = 0; size < CUMAS_N_SIZES && a->needs & CUMAS_SIZES; size++)
        measure_size(&m, (cumas_size)size);
    m.at = 1;
    if (a->needs & CUMAS_BESIDE)
        measure_mix(&m);
    room_close(&m.room);
    return m.to;
}

void cumas_measured_free(cumas_measured *m)
{
    for (uint32_t at = 0; m && at < CUMAS_N_MIXES; at++)
        for (uint32_t id = 0; id < CUMAS_N_SUBJECTS; id++)
            mix_rounds_free(&m->mixes[at].first[id]);
    free(m);
}
