/* SPDX-License-Identifier: MIT */
/* loop_summary.c - see loop_summary.h. */
#include "loop_summary.h"

#include "answer.h" /* json_string, json_f64 */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static heddle_status read_units(loop_summary *s, const app_looping *l)
{
    static const heddle_fleet_unit no_name = HEDDLE_UNIT_INIT;
    static const heddle_loop_unit none = HEDDLE_LOOP_UNIT_INIT;
    heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; i < s->stats.n_units && !status; i++) {
        heddle_fleet_unit name = no_name;
        s->units[i] = none;
        status = heddle_fleet_get_unit(l->fleet, i, &name);
        memcpy(s->names[i], name.name, sizeof s->names[i]);
        if (!status)
            status = heddle_loop_get_unit(l->loop, i, &s->units[i]);
    }
    return status;
}

/* A wavefront's rows are told as indices, and its strides as slices. */
static heddle_status read_strides(loop_summary *s, const app_looping *l)
{
    static const heddle_loop_unit none = HEDDLE_LOOP_UNIT_INIT;
    heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; i < s->stats.n_units && !status; i++) {
        heddle_wavefront_unit u = HEDDLE_WAVEFRONT_UNIT_INIT;
        heddle_loop_unit *to = &s->units[i];
        status = heddle_wavefront_get_unit(l->front, i, &u);
        memcpy(s->names[i], u.name, sizeof s->names[i]);
        *to = none;
        to->n_indices = u.n_rows;
        to->n_slices = u.n_strides;
        to->busy_ns = u.busy_ns;
        to->end_ns = u.end_ns;
        to->bytes_in = u.bytes_in;
        to->bytes_out = u.bytes_out;
        to->each_ns = u.row_ns;
        to->is_left_out = u.is_left_out;
        to->is_lost = u.is_lost;
        s->stats.n_indices += u.n_rows;
    }
    return status;
}

static heddle_status read_stats(loop_summary *s, const app_looping *l)
{
    heddle_wavefront_stats f = HEDDLE_WAVEFRONT_STATS_INIT;
    if (!l->front)
        return heddle_loop_get_stats(l->loop, &s->stats);
    if (heddle_wavefront_get_stats(l->front, &f) != HEDDLE_OK)
        return HEDDLE_EINVAL;
    s->stats.time_ns = f.time_ns;
    s->stats.first_ns = f.first_ns;
    s->stats.n_slices = f.n_strides;
    s->stats.n_again = f.n_again;
    s->stats.bytes_in = f.bytes_in;
    s->stats.bytes_out = f.bytes_out;
    s->stats.n_units = f.n_units;
    s->stats.n_lost = f.n_lost;
    return HEDDLE_OK;
}

int loop_summary_of(loop_summary *s, const app_looping *l)
{
    static const heddle_loop_stats no_stats = HEDDLE_LOOP_STATS_INIT;
    heddle_status status;
    *s = (loop_summary){.stats = no_stats, .is_front = l->front != NULL};
    status = read_stats(s, l);
    if (status)
        return cli_heddle_bad(NULL, status);
    s->names = calloc(s->stats.n_units + 1u, sizeof *s->names);
    s->units = calloc(s->stats.n_units + 1u, sizeof *s->units);
    if (!s->names || !s->units)
        return cli_bad("out of memory");
    status = l->front ? read_strides(s, l) : read_units(s, l);
    return status ? cli_heddle_bad(NULL, status) : CLI_OK;
}

void loop_summary_free(loop_summary *s)
{
    free(s->names);
    free(s->units);
    *s = (loop_summary){.names = NULL};
}

static const char *indices(const loop_summary *s) { return s->is_front ? "rows" : "indices"; }
static const char *slices(const loop_summary *s) { return s->is_front ? "strides" : "slices"; }
static double ratio(double a, double b) { return b > 0 ? a / b : 0; }
/* Indices a second while slices were under way. */
static double rate(const heddle_loop_unit *u) { return ratio((double)u->n_indices, (double)u->busy_ns / 1e9); }
/* Units count a short last tile as a whole one. */
static double share(const loop_summary *s, const heddle_loop_unit *u)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < s->stats.n_units; i++)
        all += s->units[i].n_indices;
    return ratio((double)u->n_indices, (double)all);
}
/* 1: all units ended together. */
static double balance(const loop_summary *s) { return ratio((double)s->stats.first_ns, (double)s->stats.time_ns); }
static const char *state(const heddle_loop_unit *u) { return u->is_lost ? "lost" : u->is_left_out ? "left out" : ""; }

/* ---- report ---- */

static void print_unit(const loop_summary *s, uint32_t i, FILE *out)
{
    const heddle_loop_unit *u = &s->units[i];
    cli_text busy, end, in, back;
    fprintf(out, "%-12s %6.1f %% %8" PRIu64 " %10s %10s %12.4g %10s %10s %6" PRIu64 " %10" PRIu64 "%s%s\n", s->names[i],
            100 * share(s, u), u->n_slices, cli_duration(&busy, u->busy_ns), cli_duration(&end, u->end_ns), rate(u),
            cli_bytes(&in, u->bytes_in), cli_bytes(&back, u->bytes_out), u->n_cuts, u->n_again, *state(u) ? "  " : "",
            state(u));
}

void loop_summary_print(const loop_summary *s, FILE *out)
{
    const heddle_loop_stats *t = &s->stats;
    cli_text time, first, in, back;
    fprintf(out, "\n%-12s %8s %8s %10s %10s %12s %10s %10s %6s %10s\n", "unit", "share", slices(s), "busy", "end",
            s->is_front ? "rows/s" : "indices/s", "in", "out", "cuts", "again");
    for (uint32_t i = 0; i < t->n_units; i++)
        print_unit(s, i, out);
    fprintf(out,
            "\nall            %" PRIu64 " %s in %" PRIu64 " %s, %" PRIu64 " cuts, %" PRIu64
            " %s again; %s in, %s out\n",
            t->n_indices, indices(s), t->n_slices, slices(s), t->n_cuts, t->n_again,
            s->is_front ? "strides" : "indices", cli_bytes(&in, t->bytes_in), cli_bytes(&back, t->bytes_out));
    fprintf(out, "balance        %.3f: the first unit ended after %s, all after %s\n", balance(s),
            cli_duration(&first, t->first_ns), cli_duration(&time, t->time_ns));
    if (t->n_lost)
        fprintf(out, "lost           %" PRIu32 " of %" PRIu32 " units\n", t->n_lost, t->n_units);
}

/* ---- JSON ---- */

static void json_number(FILE *out, const char *key, double v, const char *after)
{
    fprintf(out, "\"%s\": ", key);
    json_f64(out, v);
    fputs(after, out);
}

static void json_unit(const loop_summary *s, uint32_t i, FILE *out)
{
    const heddle_loop_unit *u = &s->units[i];
    fputs("{\"unit\": ", out);
    json_string(out, s->names[i]);
    fprintf(out,
            ", \"%s\": %" PRIu64 ", \"%s\": %" PRIu64 ", \"cuts\": %" PRIu64 ", \"again\": %" PRIu64
            ", \"bytes_in\": %" PRIu64 ", \"bytes_out\": %" PRIu64 ", \"left_out\": %s, \"lost\": %s, ",
            indices(s), u->n_indices, slices(s), u->n_slices, u->n_cuts, u->n_again, u->bytes_in, u->bytes_out,
            u->is_left_out ? "true" : "false", u->is_lost ? "true" : "false");
    json_number(out, "share", share(s, u), ", ");
    json_number(out, "busy_ms", (double)u->busy_ns / 1e6, ", ");
    json_number(out, "host_ms", (double)u->host_ns / 1e6, ", ");
    json_number(out, "end_ms", (double)u->end_ns / 1e6, ", ");
    json_number(out, "rate", rate(u), ", ");
    json_number(out, "start_ns", u->start_ns, ", ");
    json_number(out, "each_ns", u->each_ns, "}");
}

void loop_summary_json(const loop_summary *s, FILE *out)
{
    const heddle_loop_stats *t = &s->stats;
    fprintf(out,
            "{\"%s\": %" PRIu64 ", \"%s\": %" PRIu64 ", \"cuts\": %" PRIu64 ", \"again\": %" PRIu64
            ", \"bytes_in\": %" PRIu64 ", \"bytes_out\": %" PRIu64 ", \"lost\": %" PRIu32 ", ",
            indices(s), t->n_indices, slices(s), t->n_slices, t->n_cuts, t->n_again, t->bytes_in, t->bytes_out,
            t->n_lost);
    json_number(out, "time_ms", (double)t->time_ns / 1e6, ", ");
    json_number(out, "first_ms", (double)t->first_ns / 1e6, ", ");
    json_number(out, "balance", balance(s), ", \"units\": [");
    for (uint32_t i = 0; i < t->n_units; i++) {
        fputs(i ? ", " : "", out);
        json_unit(s, i, out);
    }
    fputs("]}", out);
}
