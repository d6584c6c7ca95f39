/* SPDX-License-Identifier: MIT */
/* cmd_simulate.c - `heddle simulate FLEET`: how a loop would be divided over a fleet that is not here, by one way or several; a row
 * each. With --jobs, how jobs would be spread over its GPUs (simulate_jobs.c). */
#include "commands.h"

#include "cli.h"
#include "simulate_chart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int find_way(const char *word, heddle_split *out)
{
    cli_guess guess = {.word = word};
    for (uint32_t w = 0; w < HEDDLE_N_SPLITS; w++) {
        *out = (heddle_split)w;
        if (!strcmp(word, heddle_split_name(*out)))
            return CLI_OK;
        cli_guess_offer(&guess, heddle_split_name(*out));
    }
    return cli_bad("unknown way to divide '%s'%s", word, cli_guess_tail(&guess));
}

/* A bit set of ways from names with commas, or all. */
static int read_ways(const char *names, unsigned *ways)
{
    char *copy = strdup(names), *rest = NULL, *word;
    int status = copy ? CLI_OK : cli_bad("out of memory");
    *ways = 0;
    for (word = copy ? strtok_r(copy, ",", &rest) : NULL; word && !status; word = strtok_r(NULL, ",", &rest)) {
        heddle_split way = HEDDLE_SPLIT_CUT;
        if (!strcmp(word, "all"))
            *ways = (1u << HEDDLE_N_SPLITS) - 1;
        else if (!(status = find_way(word, &way)))
            *ways |= 1u << way;
    }
    free(copy);
    return !status && !*ways ? cli_bad("--split: names of ways are expected, with commas between, or all") : status;
}

static void note_slice(void *arg, uint32_t unit, uint64_t begin, uint64_t end, uint64_t began_ns, uint64_t ended_ns)
{
    simulate_slices *s = arg;
    (void)begin, (void)end;
    if (s->n == s->cap && !s->failed) {
        const size_t cap = s->cap ? 2 * s->cap : 4096;
        simulate_slice *more = realloc(s->at, cap * sizeof *more);
        s->failed = !more;
        s->at = more ? more : s->at;
        s->cap = more ? cap : s->cap;
    }
    if (!s->failed)
        s->at[s->n++] = (simulate_slice){unit, began_ns, ended_ns};
}

static void print_row(FILE *out, const simulate_spec *s, const heddle_simulated *r, const char *how)
{
    const double time = r->time_ns ? (double)r->time_ns : 1;
    fprintf(out, "%s\t%.3f\t%.3f\t%.3f\t%.2f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u\t%s\n",
            heddle_split_name(s->d.split), r->ideal_ns / time, (double)r->first_ns / time, time / 1e6,
            r->best_ns / time, r->n_slices, r->n_cuts, r->n_again, r->n_left_out, r->n_lost, how);
}

static void print_links(FILE *out, const simulate_spec *s, const uint64_t *bytes)
{
    for (uint32_t l = 0; l < s->d.n_links; l++)
        fprintf(out, "# link %s: %" PRIu64 " bytes in, %" PRIu64 " out\n", s->link_names[l], bytes[2 * l],
                bytes[2 * l + 1]);
}

static void print_kinds(FILE *out, const simulate_spec *s, const heddle_simulated *r,
                        const heddle_simulated_unit *units)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < s->d.n_kinds; k++) {
        uint64_t n_grains = 0, n_slices = 0, busy = 0;
        const uint32_t n = s->kinds[k].n_units;
        for (uint32_t i = 0; i < n; i++, at++) {
            n_grains += units[at].n_grains;
            n_slices += units[at].n_slices;
            busy += units[at].busy_ns;
        }
        fprintf(out, "# %u*%s: %.4f of the grains, %" PRIu64 " slices, busy %.4f of the time\n", n, s->kind_names[k],
                (double)n_grains / (double)(s->d.n_grains ? s->d.n_grains : 1), n_slices,
                (double)busy / n / (double)(r->time_ns ? r->time_ns : 1));
    }
}

/* Simulates one way; prints its row and what belongs to it. */
static int simulate_way(FILE *out, simulate_spec *s, uint64_t *n_events)
{
    uint64_t n_units = 0, bytes[2 * SPEC_MOST];
    heddle_simulated r = HEDDLE_SIMULATED_INIT;
    heddle_simulated_unit *units;
    heddle_status status;
    for (uint32_t k = 0; k < s->d.n_kinds; k++)
        n_units += s->kinds[k].n_units;
    units = calloc(n_units ? n_units : 1, sizeof *units);
    if (!units)
        return cli_bad("out of memory");
    status = heddle_simulate(&s->d, &r, units, bytes);
    if (status && status != HEDDLE_EDEVICE && status != HEDDLE_ETIMEDOUT) {
        free(units);
        return cli_heddle_bad(NULL, status);
    }
    print_row(out, s, &r, status ? heddle_error_text(NULL) : "ok");
    print_links(out, s, bytes);
    print_kinds(out, s, &r, units);
    *n_events += r.n_events;
    free(units);
    return CLI_OK;
}

static int draw(simulate_spec *s, const char *path)
{
    simulate_slices slices = {NULL, 0, 0, 0};
    heddle_simulated r = HEDDLE_SIMULATED_INIT;
    cli_buffer text;
    int status = cli_buffer_open(&text);
    s->d.ended = note_slice;
    s->d.arg = &slices;
    if (!status) {
        (void)heddle_simulate(&s->d, &r, NULL, NULL); /* it has been done: as far as it went */
        status = slices.failed ? cli_bad("out of memory") : CLI_OK;
    }
    if (!status) {
        simulate_chart(text.out, s, &r, &slices);
        status = cli_buffer_write(&text, path);
    }
    cli_buffer_free(&text);
    free(slices.at);
    return status;
}

static int simulate_all(FILE *out, simulate_spec *s, unsigned ways)
{
    uint64_t n_events = 0, took = cli_now_ns();
    int status = CLI_OK;
    fprintf(out, "way\tefficiency\tbalance\tms\tbest_alone\tslices\tcuts\tagain\tleft_out\tlost\thow\n");
    for (uint32_t w = 0; w < HEDDLE_N_SPLITS && !status; w++)
        if (ways >> w & 1) {
            s->d.split = (heddle_split)w;
            cli_progress("%s", heddle_split_name(s->d.split));
            status = simulate_way(out, s, &n_events);
        }
    took = cli_now_ns() - took;
    fprintf(out, "# %" PRIu64 " events, %.2f million a second\n", n_events,
            (double)n_events * 1e3 / (double)(took ? took : 1));
    return status;
}

static int cmd_jobs(const options *o)
{
    cli_buffer text;
    int status;
    if (o->split || o->timeline || o->links)
        return cli_bad("--jobs goes with --loop only");
    status = cli_buffer_open(&text);
    if (!status)
        status = simulate_jobs(text.out, o->jobs, o->words[0], o->loop);
    if (!status)
        status = cli_buffer_print(&text);
    cli_buffer_free(&text);
    return status;
}

int cmd_simulate(const options *o)
{
    static simulate_spec s;
    unsigned ways = 1u << HEDDLE_SPLIT_CUT;
    cli_buffer text;
    int status;
    if (o->n_words != 1)
        return cli_bad("simulate takes one fleet: heddle simulate \"gpu 15*core\"");
    if (o->jobs)
        return cmd_jobs(o);
    if (o->split && read_ways(o->split, &ways))
        return CLI_BAD;
    if (o->timeline && (ways & (ways - 1)))
        return cli_bad("--timeline draws one way to divide: --split names several");
    if (cli_check_output(o->timeline) || simulate_spec_read(&s, o->words[0], o->links, o->loop))
        return CLI_BAD;
    status = cli_buffer_open(&text);
    if (!status)
        status = simulate_all(text.out, &s, ways);
    if (!status && o->timeline)
        status = draw(&s, o->timeline);
    if (!status)
        status = cli_buffer_print(&text);
    cli_buffer_free(&text);
    return status;
}
