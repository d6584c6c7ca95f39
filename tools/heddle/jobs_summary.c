/* SPDX-License-Identifier: MIT */
/* jobs_summary.c - see jobs_summary.h. */
#include "jobs_summary.h"

#include "answer.h" /* json_string, json_f64 */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>

static heddle_status add_kind(jobs_summary *s, const heddle_multi *m)
{
    heddle_multi_stats one = HEDDLE_MULTI_STATS_INIT;
    const heddle_status status = heddle_multi_get_stats(m, &one);
    s->stats.n_jobs += one.n_jobs;
    s->stats.n_slices += one.n_slices;
    s->stats.n_again += one.n_again;
    s->stats.n_moves += one.n_moves;
    s->stats.host_ns = one.host_ns;
    s->stats.n_devices = one.n_devices;
    return status;
}

static heddle_status read_devices(jobs_summary *s, heddle_multi *m)
{
    static const heddle_multi_device none = HEDDLE_MULTI_DEVICE_INIT;
    heddle_status status = HEDDLE_OK;
    for (uint32_t i = 0; i < s->stats.n_devices && !status; i++) {
        s->devices[i] = none;
        status = heddle_multi_get_device(m, i, &s->devices[i]);
    }
    return status;
}

int jobs_summary_of(jobs_summary *s, const app_looping *l)
{
    static const heddle_multi_stats no_stats = HEDDLE_MULTI_STATS_INIT;
    heddle_status status = HEDDLE_OK;
    *s = (jobs_summary){.stats = no_stats, .jobs_ns = l->jobs_ns, .home_ns = l->home_ns};
    for (uint64_t i = 0; i < l->n_kinds && !status; i++)
        status = add_kind(s, l->kinds[i]);
    if (status)
        return cli_heddle_bad(NULL, status);
    s->devices = calloc(s->stats.n_devices + 1u, sizeof *s->devices);
    if (!s->devices)
        return cli_bad("out of memory");
    status = read_devices(s, l->kinds[0]);
    return status ? cli_heddle_bad(NULL, status) : CLI_OK;
}

void jobs_summary_free(jobs_summary *s)
{
    free(s->devices);
    *s = (jobs_summary){.devices = NULL};
}

/* ---- report ---- */

static void print_device(const heddle_multi_device *d, FILE *out)
{
    cli_text pool, used, in, home, peers, sent;
    fprintf(out, "%-12s %8" PRIu64 " %10s %10s %10s %10s %10s %10s %8" PRIu64 "%s\n", d->name, d->n_slices,
            cli_bytes(&in, d->bytes_in), cli_bytes(&home, d->bytes_out), cli_bytes(&peers, d->bytes_peers),
            cli_bytes(&sent, d->bytes_sent), cli_bytes(&used, d->used_bytes), cli_bytes(&pool, d->pool_bytes),
            d->n_left, d->is_lost ? "  lost" : "");
}

void jobs_summary_print(const jobs_summary *s, FILE *out)
{
    const heddle_multi_stats *t = &s->stats;
    cli_text jobs, home, host, table;
    fprintf(out, "\n%-12s %8s %10s %10s %10s %10s %10s %10s %8s\n", "device", "slices", "in", "home", "peers", "sent",
            "used", "pool", "left");
    for (uint32_t i = 0; i < t->n_devices; i++)
        print_device(&s->devices[i], out);
    fprintf(out,
            "\nall            %" PRIu64 " jobs in %" PRIu64 " slices, %" PRIu64 " again; shares changed %" PRIu64
            " times\n",
            t->n_jobs, t->n_slices, t->n_again, t->n_moves);
    fprintf(out, "time           jobs ended after %s, results were home after %s; the driver had work for %s\n",
            cli_duration(&jobs, s->jobs_ns), cli_duration(&home, s->home_ns), cli_duration(&host, t->host_ns));
    if (t->n_devices)
        fprintf(out, "table          %s of the host\n", cli_bytes(&table, s->devices[0].table_bytes));
}

/* ---- JSON ---- */

static void json_device(const heddle_multi_device *d, FILE *out)
{
    fputs("{\"device\": ", out);
    json_string(out, d->name);
    fprintf(out,
            ", \"slices\": %" PRIu64 ", \"bytes_in\": %" PRIu64 ", \"bytes_out\": %" PRIu64
            ", \"bytes_peers\": %" PRIu64 ", \"bytes_sent\": %" PRIu64 ", \"used\": %" PRIu64 ", \"pool\": %" PRIu64
            ", \"left\": %" PRIu64 ", \"lost\": %s}",
            d->n_slices, d->bytes_in, d->bytes_out, d->bytes_peers, d->bytes_sent, d->used_bytes, d->pool_bytes,
            d->n_left, d->is_lost ? "true" : "false");
}

static void json_ms(FILE *out, const char *key, uint64_t ns)
{
    fprintf(out, "\"%s\": ", key);
    json_f64(out, (double)ns / 1e6);
    fputs(", ", out);
}

void jobs_summary_json(const jobs_summary *s, FILE *out)
{
    const heddle_multi_stats *t = &s->stats;
    fprintf(out, "{\"jobs\": %" PRIu64 ", \"slices\": %" PRIu64 ", \"again\": %" PRIu64 ", \"moves\": %" PRIu64 ", ",
            t->n_jobs, t->n_slices, t->n_again, t->n_moves);
    json_ms(out, "jobs_ms", s->jobs_ns);
    json_ms(out, "home_ms", s->home_ns);
    json_ms(out, "host_ms", t->host_ns);
    fprintf(out, "\"table_bytes\": %" PRIu64 ", \"devices\": [", t->n_devices ? s->devices[0].table_bytes : 0);
    for (uint32_t i = 0; i < t->n_devices; i++) {
        fputs(i ? ", " : "", out);
        json_device(&s->devices[i], out);
    }
    fputs("]}", out);
}
