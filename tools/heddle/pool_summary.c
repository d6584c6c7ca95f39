/* SPDX-License-Identifier: MIT */
/* pool_summary.c - see pool_summary.h. */
#include "pool_summary.h"

#include "answer.h" /* json_string, json_f64 */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>

int pool_summary_of(pool_summary *s, heddle_pool *pool, uint32_t n_bodies)
{
    static const heddle_pool_stats no_stats = HEDDLE_POOL_STATS_INIT;
    static const heddle_pool_body_stats none = HEDDLE_POOL_BODY_STATS_INIT;
    heddle_status status;
    *s = (pool_summary){.stats = no_stats, .bodies = calloc(n_bodies + 1u, sizeof *s->bodies)};
    if (!s->bodies)
        return cli_bad("out of memory");
    status = heddle_pool_get_stats(pool, &s->stats);
    for (uint32_t b = 0; b < n_bodies && !status; b++) {
        s->bodies[s->n_bodies] = none;
        status = heddle_pool_get_body_stats(pool, b, &s->bodies[s->n_bodies]);
        s->n_bodies += s->bodies[s->n_bodies].n_tasks > 0;
    }
    return status ? cli_heddle_bad(NULL, status) : CLI_OK;
}

void pool_summary_free(pool_summary *s)
{
    free(s->bodies);
    s->bodies = NULL;
}

static uint64_t n_dropped(const pool_summary *s) { return s->stats.n_ended - s->stats.n_records; }

/* The three times of a body: their names in reports and in JSON. */
static const struct {
    const char *words, *key;
} times[] = {{"spawned to begun", "start"}, {"in the body", "run"}, {"ended to seen", "seen"}};

static const heddle_pool_times *time_of(const heddle_pool_body_stats *b, size_t i)
{
    return i == 0 ? &b->start : i == 1 ? &b->body : &b->seen;
}

/* ---- report ---- */

static void print_body(const heddle_pool_body_stats *b, FILE *out)
{
    fprintf(out,
            "\n%s: %" PRIu64 " task%s, %" PRIu64 " ok, %" PRIu64 " failed, %" PRIu64 " cancelled, %" PRIu64
            " late, %" PRIu64 " without room\n",
            b->name, b->n_tasks, b->n_tasks == 1 ? "" : "s", b->n_ok, b->n_failed, b->n_canceled, b->n_late,
            b->n_no_room);
    fprintf(out, "%-18s %10s %10s %10s %10s %10s\n", "", "mean", "median", "p99", "max", "total");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const heddle_pool_times *t = time_of(b, i);
        cli_text mean, median, p99, max, total;
        fprintf(out, "  %-16s %10s %10s %10s %10s %10s\n", times[i].words, cli_duration(&mean, t->mean_ns),
                cli_duration(&median, t->median_ns), cli_duration(&p99, t->p99_ns), cli_duration(&max, t->max_ns),
                cli_duration(&total, t->total_ns));
    }
}

void pool_summary_print(const pool_summary *s, FILE *out)
{
    cli_text full, observed;
    for (uint32_t b = 0; b < s->n_bodies; b++)
        print_body(&s->bodies[b], out);
    fprintf(out, "\nslots          %" PRIu32 " in use at most; %" PRIu64 " calls found none, and waited for %s\n",
            s->stats.most_slots, s->stats.n_full, cli_duration(&full, s->stats.full_ns));
    fprintf(out, "warps in use   %.1f, the mean over %s\n", s->stats.warps_in_use,
            cli_duration(&observed, s->stats.observed_ns));
    if (s->stats.n_starts)
        fprintf(out, "kernel starts  %" PRIu32 "\n", s->stats.n_starts);
    fprintf(out, "trace          %" PRIu64 " records kept, %" PRIu64 " dropped%s\n", s->stats.n_records, n_dropped(s),
            n_dropped(s) ? ": the oldest; HEDDLE_POOL_TRACE makes room for more" : "");
}

/* ---- JSON ---- */

static void json_ms(FILE *out, const char *key, uint64_t ns, const char *after)
{
    fprintf(out, "\"%s\": ", key);
    json_f64(out, (double)ns / 1e6);
    fputs(after, out);
}

static void json_times(const char *key, const heddle_pool_times *t, FILE *out)
{
    fprintf(out, ", \"%s\": {\"tasks\": %" PRIu64 ", ", key, t->n);
    json_ms(out, "mean_ms", t->mean_ns, ", ");
    json_ms(out, "min_ms", t->min_ns, ", ");
    json_ms(out, "median_ms", t->median_ns, ", ");
    json_ms(out, "p99_ms", t->p99_ns, ", ");
    json_ms(out, "max_ms", t->max_ns, ", ");
    json_ms(out, "total_ms", t->total_ns, "}");
}

static void json_body(const heddle_pool_body_stats *b, FILE *out)
{
    fputs("{\"body\": ", out);
    json_string(out, b->name);
    fprintf(out,
            ", \"tasks\": %" PRIu64 ", \"ok\": %" PRIu64 ", \"failed\": %" PRIu64 ", \"canceled\": %" PRIu64
            ", \"late\": %" PRIu64 ", \"no_room\": %" PRIu64,
            b->n_tasks, b->n_ok, b->n_failed, b->n_canceled, b->n_late, b->n_no_room);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        json_times(times[i].key, time_of(b, i), out);
    fputs("}", out);
}

void pool_summary_json(const pool_summary *s, FILE *out)
{
    fprintf(out,
            "{\"records\": %" PRIu64 ", \"dropped\": %" PRIu64 ", \"most_slots\": %" PRIu32 ", \"calls_full\": %" PRIu64
            ", \"kernel_starts\": %" PRIu32 ", ",
            s->stats.n_records, n_dropped(s), s->stats.most_slots, s->stats.n_full, s->stats.n_starts);
    json_ms(out, "full_ms", s->stats.full_ns, ", ");
    json_ms(out, "observed_ms", s->stats.observed_ns, ", ");
    json_ms(out, "body_ms", s->stats.body_ns, ", \"warps_in_use\": ");
    json_f64(out, s->stats.warps_in_use);
    fputs(", \"bodies\": [", out);
    for (uint32_t b = 0; b < s->n_bodies; b++) {
        fputs(b ? ", " : "", out);
        json_body(&s->bodies[b], out);
    }
    fputs("]}", out);
}
