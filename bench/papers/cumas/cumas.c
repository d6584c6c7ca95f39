/* SPDX-License-Identifier: MIT */
/* cumas.c - `heddle bench --figures cumas [--opt figures=LIST] [--opt orders=N] [--opt programs=FOLDER] [--opt seconds=N] [--opt rate=GB/S] [--out
 * DIR]`: CuMAS (Belviranli's thesis, 2016, chapter 4) as heddle share does it, as DIR/cumas-NAME.tsv and .svg:
 *
 *     mixes    the makespan of twelve programs under each policy, and without heddle share, over the best possible.
 *     4.1      The parts of each program's time: copies in, kernels, copies out.
 *     4.2      Calls as they came, programs as they came, and the best order, on one axis of time.
 *     4.8      The makespan by ROW, of five sets of five orders of arrival.
 *     4.9      How long the GPU and copies out are idle, by ROW.
 *     4.10     How long policies plan, by the number of tasks.
 *     random   Policies over the least makespan of 200 random sets of ten tasks.
 *     4.11     Estimates of copies.
 *     4.12     Estimates of kernels at eight times the blocks that were learnt.
 *
 * The first column says how a row came about. Simulated rows are there always: times of tests/share/data, copies at N GB/s (55) each way. Measured
 * ones need a GPU and the programs of apps/cumas, in FOLDER (apps/cumas beside this program). There are N orders of arrival (25; of the mix
 * `balanced` two fifths), within N seconds (580); what there is no time for is a row `skipped` with the reason, as is what fails, which makes
 * the exit status 1. All results of all programs are checked in each round. */
#include "cumas.h"

#include "papers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { ORDERS = 25 };
#define SECONDS 580
#define RATE 55

#define CUMAS_SUBJECT(id, name, policy, row, bits) {name, SHARE_POLICY_##policy, row, bits},
const cumas_subject cumas_subjects[CUMAS_N_SUBJECTS] = {CUMAS_SUBJECTS(CUMAS_SUBJECT)};

/* Made of the files of these names. */
extern const char cumas_table_tasks[], cumas_balanced_tasks[], cumas_table_mix[], cumas_balanced_mix[];
const cumas_kind cumas_kinds[CUMAS_N_MIXES] = {{"table", cumas_table_tasks, cumas_table_mix},
                                               {"balanced", cumas_balanced_tasks, cumas_balanced_mix}};

double cumas_mean(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    return n ? sum / n : 0;
}

void cumas_range(const double *values, uint32_t n, double *least, double *most)
{
    *least = *most = values[0];
    for (uint32_t i = 1; i < n; i++) {
        *least = values[i] < *least ? values[i] : *least;
        *most = values[i] > *most ? values[i] : *most;
    }
}

/* ---- the table of subjects ---- */

/* Of both mixes, to be drawn. */
typedef struct bars {
    double mean[CUMAS_N_MIXES * CUMAS_N_SUBJECTS], least[CUMAS_N_MIXES * CUMAS_N_SUBJECTS],
        most[CUMAS_N_MIXES * CUMAS_N_SUBJECTS];
} bars;

static void put_outcome(FILE *out, const char *how, uint32_t at, uint32_t id, const cumas_outcome *o, double best,
                        bars *b)
{
    const cumas_subject *s = &cumas_subjects[id];
    const size_t cell = at * CUMAS_N_SUBJECTS + id;
    double least, most, ms = cumas_mean(o->ms, o->n);
    fprintf(out, "%s\t%s\t%s\t", how, cumas_kinds[at].name, s->name);
    fprintf(out, s->row ? "%u\t" : "-\t", s->row);
    if (!o->n) {
        fprintf(out, "0\tskipped\t-\t-\t-\t-\t%s\n", o->why);
        return;
    }
    cumas_range(o->ms, o->n, &least, &most);
    fprintf(out, "%u\t%.4g\t%.4g\t%.4g\t%.4f\t%.4g\t\n", o->n, ms, least, most, best > 0 ? ms / best : 0,
            cumas_mean(o->mean_end_ms, o->n));
    if (best > 0)
        b->mean[cell] = ms / best, b->least[cell] = least / best, b->most[cell] = most / best;
}

static void put_best(FILE *out, const char *how, uint32_t at, double best)
{
    fprintf(out, "%s\t%s\tbest possible\t-\t1\t%.4g\t%.4g\t%.4g\t1\t-\t\n", how, cumas_kinds[at].name, best, best,
            best);
}

static int put_simulated(const cumas_ask *a, FILE *out, uint32_t at, bars *b)
{
    share_load load;
    uint64_t least;
    double best;
    int status = cumas_load(&cumas_kinds[at], a->rate, &load);
    if (status)
        return status;
    if (share_replay_least(&load, &least)) {
        share_load_free(&load);
        return cli_bad("no memory for the simulation");
    }
    best = (double)least / 1e6;
    put_best(out, "simulated", at, best);
    for (uint32_t id = 0; id < CUMAS_N_SUBJECTS && !status; id++) {
        cumas_outcome o = {.n = 0};
        status = cumas_simulate_subject(&load, &cumas_subjects[id], a->n_orders, &o);
        if (o.n)
            put_outcome(out, "simulated", at, id, &o, best, b);
    }
    share_load_free(&load);
    return status;
}

static void put_measured(const cumas_measured *m, FILE *out, uint32_t at, bars *b)
{
    if (m->mixes[at].best_ms > 0)
        put_best(out, "measured", at, m->mixes[at].best_ms);
    for (uint32_t id = 0; id < CUMAS_N_SUBJECTS; id++)
        if (!(cumas_subjects[id].bits & CUMAS_ESTIMATES))
            put_outcome(out, "measured", at, id, &m->mixes[at].subjects[id], m->mixes[at].best_ms, b);
}

static void draw_mixes(const bars *b, int is_measured, FILE *out)
{
    static const char *const groups[] = {"table", "balanced"};
    static const char *const series[] = {"exact",
                                         "fifo",
                                         "strings",
                                         "none",
                                         "time slices",
                                         "MPS",
                                         "exact, row 8",
                                         "dp",
                                         "exact, MPS",
                                         "exact, estimates wrong",
                                         "exact, nothing known"};
    chart c = {.title = "Twelve programs side by side",
               .note = is_measured ? "measured; over the best possible: mean, least and most of all orders of arrival"
                                   : "simulated; over the best possible: mean, least and most of all orders of arrival",
               .unit = "makespan over the best",
               .low = b->least,
               .high = b->most};
    chart_fill(&c, COUNT(groups), groups, COUNT(series), series, b->mean);
    chart_print(&c, out);
}

int cumas_make_mixes(const cumas_ask *a, const cumas_measured *m)
{
    figure_files f = {.dir = a->out};
    bars simulated = {{0}, {0}, {0}}, measured = {{0}, {0}, {0}};
    int status = CLI_OK, is_measured = m && !m->why[0];
    if (figure_begin(&f))
        return CLI_BAD;
    if (!is_measured)
        fprintf(f.tsv.out, "# nothing is measured: %s\n", m ? m->why : "no memory");
    fputs("how\tmix\tsubject\trow\torders\tms\tleast_ms\tmost_ms\tof_best\tmean_end_ms\twhy\n", f.tsv.out);
    for (uint32_t at = 0; at < CUMAS_N_MIXES && !status; at++) {
        status = put_simulated(a, f.tsv.out, at, &simulated);
        if (is_measured)
            put_measured(m, f.tsv.out, at, &measured);
    }
    draw_mixes(is_measured ? &measured : &simulated, is_measured, f.svg.out);
    return figure_end_or_drop(&f, "cumas-mixes", 1, status);
}

/* ---- options ---- */

static const struct {
    const char *name;
    int (*make)(const cumas_ask *a, const cumas_measured *m);
    int needs;
} figures[] = {{"mixes", cumas_make_mixes, CUMAS_ALONE | CUMAS_BESIDE},
               {"4.1", cumas_make_parts, CUMAS_ALONE},
               {"4.2", cumas_make_timelines, CUMAS_ALONE | CUMAS_BESIDE},
               {"4.8", cumas_make_rows, CUMAS_ALONE | CUMAS_BESIDE},
               {"4.9", cumas_make_idle, CUMAS_ALONE | CUMAS_BESIDE},
               {"4.10", cumas_make_planning, 0},
               {"4.11", cumas_make_copies, 0},
               {"4.12", cumas_make_kernels, CUMAS_ALONE | CUMAS_SIZES},
               {"random", cumas_make_random, 0}};

static int is_listed(const cumas_ask *a, size_t i)
{
    size_t at;
    return !a->list || figure_listed(a->list, figures[i].name, &at);
}

static int read_number(const char *key, const char *text, uint64_t least, uint64_t most, uint64_t *n)
{
    return cli_parse_u64(text, least, most, n) ? cli_bad("--opt %s=%s: a number from %llu to %llu is expected", key,
                                                         text, (unsigned long long)least, (unsigned long long)most)
                                               : CLI_OK;
}

static int take_option(cumas_ask *a, const char *key, const char *value)
{
    uint64_t n = 0;
    int status = CLI_OK;
    if (!strcmp(key, "figures"))
        a->list = value;
    else if (!strcmp(key, "programs"))
        a->programs = value;
    else if (!strcmp(key, "orders")) {
        status = read_number(key, value, 1, CUMAS_MOST_ORDERS / 3, &n);
        a->n_orders = (uint32_t)n;
    } else if (!strcmp(key, "seconds")) {
        status = read_number(key, value, 1, 100000, &n);
        a->seconds = (double)n;
    } else if (!strcmp(key, "rate")) {
        status = read_number(key, value, 1, 100000, &n);
        a->rate = (double)n;
    } else
        status = cli_bad("--opt %s: of --figures cumas there are figures, orders, programs, seconds and rate", key);
    return status;
}

/* The folder apps/cumas of the build that this program is in. */
static int find_programs(char *folder, size_t n_bytes)
{
    ssize_t n = readlink("/proc/self/exe", folder, n_bytes - 1);
    char *slash;
    if (n <= 0)
        return -1;
    folder[n] = 0;
    slash = strrchr(folder, '/');
    return (size_t)snprintf(slash, n_bytes - (size_t)(slash - folder), "/apps/cumas") >=
           n_bytes - (size_t)(slash - folder);
}

static int make(cumas_ask *a)
{
    size_t n_listed = 0;
    cumas_measured *m = NULL;
    int status = CLI_OK;
    for (size_t i = 0; i < COUNT(figures); i++) {
        n_listed += (size_t)is_listed(a, i);
        a->needs |= is_listed(a, i) ? figures[i].needs : 0;
    }
    if (!n_listed)
        return cli_bad("--opt figures=%s: of mixes, random, 4.1, 4.2 and 4.8 to 4.12", a->list);
    if (a->needs)
        m = cumas_measure(a);
    for (size_t i = 0; i < COUNT(figures) && !status; i++)
        if (is_listed(a, i))
            status = figures[i].make(a, m);
    if (!status && m && m->failed)
        status = CLI_WRONG;
    cumas_measured_free(m);
    return status;
}

int figures_cumas(const options *o)
{
    char folder[1024] = ".";
    cumas_ask a = {NULL, folder, o->out ? o->out : ".", ORDERS, 0, SECONDS, RATE};
    if (find_programs(folder, sizeof folder))
        return cli_bad("the path of this program is too long");
    for (size_t i = 0; i < o->request.n_opts; i++)
        if (take_option(&a, o->request.opts[i].key, o->request.opts[i].value))
            return CLI_BAD;
    return make(&a);
}
