/* SPDX-License-Identifier: MIT */
/* cmd_run.c - `heddle run APP|FILE.json`: runs, checks, reports. Output files are known to be writable before the run
 * begins, and show the last of the repeated runs. */
#include "commands.h"

#include "answer.h"
#include "cli.h"
#include "jobs_summary.h"
#include "loop_summary.h"
#include "pool_summary.h"
#include "summary.h"
#include "work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FLEET_TRACE (1u << 16) /* events kept of a row: a core, or a queue or phase of another device */

/* Collected for the report. */
typedef struct outcome {
    work w;
    uint64_t *run_ns; /* of each repeat, sorted at the end */
    uint64_t n_runs;
    const char *check, *sentence; /* "ok", "failed", "skipped", and why */
    answer answer;
    summary summary; /* only with --stats, of a graph, a pool or a loop: */
    pool_summary pool;
    loop_summary loop;
    jobs_summary jobs;
} outcome;

/* ---- running ---- */

/* One run with its check. */
static int run_once(outcome *out, const options *o)
{
    int status;
    cli_progress_steps(out->n_runs, o->repeat > 1 ? o->repeat : 0); /* no bar for a single step */
    if (work_run(&out->w, &out->run_ns[out->n_runs]))
        return CLI_BAD;
    out->n_runs++;
    out->check = "skipped";
    if (o->no_check)
        return out->w.app && out->w.c->app->read(out->w.c) ? cli_bad("%s", out->w.c->error) : CLI_OK;
    status = work_check(&out->w, &out->sentence);
    if (status != CLI_BAD)
        out->check = status == CLI_WRONG ? "failed" : out->sentence ? "skipped" : "ok";
    return status;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Stops repeating at the first failed check. */
static int run_all(outcome *out, const options *o)
{
    int status = CLI_OK;
    out->run_ns = calloc(o->repeat, sizeof *out->run_ns);
    if (!out->run_ns)
        return cli_bad("out of memory");
    while (!status && out->n_runs < o->repeat) {
        if (out->n_runs > 0 && work_reset(&out->w))
            return CLI_BAD;
        status = run_once(out, o);
    }
    qsort(out->run_ns, out->n_runs, sizeof *out->run_ns, by_size);
    return status;
}

/* ---- output ---- */

static int check_outputs(const options *o)
{
    return cli_check_output(o->trace) || cli_check_output(o->timeline) || cli_check_output(o->dot) ||
                   cli_check_output(o->dump_graph)
               ? CLI_BAD
               : CLI_OK;
}

static int write_of_pool(const options *o, heddle_pool *pool, const char *title)
{
    heddle_status s = HEDDLE_OK;
    if (o->trace)
        s = heddle_pool_write_trace(pool, o->trace);
    if (!s && o->timeline)
        s = heddle_pool_write_timeline(pool, o->timeline, title);
    return s ? cli_heddle_bad(NULL, s) : CLI_OK;
}

static heddle_status write_trace(const app_looping *l, const char *path)
{
    if (l->kinds)
        return heddle_multi_write_trace(l->kinds[0], path);
    return l->front ? heddle_wavefront_write_trace(l->front, path) : heddle_loop_write_trace(l->loop, path);
}

static heddle_status write_timeline(const app_looping *l, const char *path, const char *title)
{
    if (l->kinds)
        return heddle_multi_write_timeline(l->kinds[0], path, title);
    return l->front ? heddle_wavefront_write_timeline(l->front, path, title)
                    : heddle_loop_write_timeline(l->loop, path, title);
}

static int write_of_fleet(const options *o, const work *w)
{
    const app_looping *l = work_loop(w);
    heddle_status s = HEDDLE_OK;
    char title[96];
    snprintf(title, sizeof title, "%s, divided by %s among %" PRIu32 " units", w->app->name,
             work_split(w->c->scenario->engine), work_n_units(w));
    if (o->trace)
        s = write_trace(l, o->trace);
    if (!s && o->timeline)
        s = write_timeline(l, o->timeline, title);
    return s ? cli_heddle_bad(NULL, s) : CLI_OK;
}

static int write_outputs(const options *o, const work *w)
{
    heddle_status s = HEDDLE_OK;
    char title[96];
    snprintf(title, sizeof title, "%s on %s, %" PRIu32 " workers", w->app ? w->app->name : w->file,
             heddle_backend_name(w->config.backend), w->config.n_workers);
    if (work_loop(w))
        return write_of_fleet(o, w);
    if (!w->graph)
        return write_of_pool(o, w->c->pool, title);
    if (o->trace)
        s = heddle_graph_write_trace(w->graph, o->trace);
    if (!s && o->timeline)
        s = heddle_graph_write_timeline(w->graph, o->timeline, title);
    if (!s && o->dot)
        s = heddle_graph_write_dot(w->graph, o->dot);
    if (!s && o->dump_graph)
        s = heddle_graph_write_json(w->graph, o->dump_graph);
    return s ? cli_heddle_bad(w->ctx, s) : CLI_OK;
}

static uint64_t median(const outcome *out) { return out->run_ns[out->n_runs / 2]; }

static void print_runs(const outcome *out, FILE *f)
{
    cli_text mid, min, max;
    fprintf(f, "run %s", cli_duration(&mid, median(out)));
    if (out->n_runs > 1)
        fprintf(f, " (median of %" PRIu64 ", %s to %s)", out->n_runs, cli_duration(&min, out->run_ns[0]),
                cli_duration(&max, out->run_ns[out->n_runs - 1]));
    fputc('\n', f);
}

/* A line with the engine's name: "graph    20 tasks, 31 edges". */
static void print_facts(const work *w, FILE *f)
{
    fprintf(f, "\n  %-8s", w->app ? w->c->scenario->engine->name : app_graph.name);
    for (const app_fact *a = w->facts; a < w->facts + w->n_facts; a++) {
        const char *mark = strchr(a->words, '#');
        fprintf(f, "%s%.*s%" PRIu64 "%s", a == w->facts ? " " : ", ", (int)(mark - a->words), a->words, a->value,
                mark + 1);
    }
    fputc('\n', f);
}

static void print_size(const app_case *c, FILE *f)
{
    fprintf(f, "  size     %" PRIu64, c->n[0]);
    if (c->app->n[1])
        fprintf(f, " x %" PRIu64, c->n[1]);
    if (c->app->b[0] && c->b[0])
        fprintf(f, ", blocks of %" PRIu64 " x %" PRIu64, c->b[0], c->b[1]);
    fputc('\n', f);
}

/* Backend and workers; the units of a fleet. */
static void print_where(const work *w, FILE *f)
{
    heddle_fleet_unit u = HEDDLE_UNIT_INIT;
    if (!work_loop(w)) {
        fprintf(f, "  backend  %s, %" PRIu32 " worker%s", heddle_backend_name(w->config.backend), w->config.n_workers,
                w->config.n_workers == 1 ? "" : "s");
        return;
    }
    fputs("  devices ", f);
    for (uint32_t i = 0; heddle_fleet_get_unit(work_loop(w)->fleet, i, &u) == HEDDLE_OK; i++)
        fprintf(f, " %s", u.name);
}

/* Further lines are indented like the first. */
static void print_how(const char *lines, FILE *f)
{
    for (const char *head = "how"; *lines; head = "") {
        const size_t n = strcspn(lines, "\n");
        fprintf(f, "\n  %-8s %.*s", head, (int)n, lines);
        lines += n + (lines[n] != 0);
    }
}

static void print_report(const outcome *out, const options *o, FILE *f)
{
    const work *w = &out->w;
    char name[64];
    cli_text build, freeze;
    fprintf(f, "%s - %s\n", work_name(w, name), w->app ? w->app->summary : "a graph of spinning bodies");
    if (w->app)
        print_size(w->c, f);
    print_where(w, f);
    print_how(work_how(w), f);
    print_facts(w, f);
    fprintf(f, "  time     build %s, ", cli_duration(&build, w->build_ns));
    if (w->graph)
        fprintf(f, "freeze %s, ", cli_duration(&freeze, w->info.freeze_ns));
    print_runs(out, f);
    for (size_t i = 0; i < out->answer.n; i++)
        fprintf(f, "  %-8s %s = %s\n", i ? "" : "answer", out->answer.items[i].key, out->answer.items[i].json);
    fprintf(f, "  check    %s%s%s\n", out->check, out->sentence ? ": " : "", out->sentence ? out->sentence : "");
    if (o->stats && w->graph)
        summary_print(&out->summary, f);
    else if (o->stats && work_jobs(w))
        jobs_summary_print(&out->jobs, f);
    else if (o->stats && work_loop(w))
        loop_summary_print(&out->loop, f);
    else if (o->stats)
        pool_summary_print(&out->pool, f);
}

static void json_ms(FILE *f, const char *key, uint64_t ns, const char *after)
{
    fprintf(f, "\"%s\": ", key);
    json_f64(f, (double)ns / 1e6);
    fputs(after, f);
}

static void json_times(const outcome *out, FILE *f)
{
    fputs("  \"times_ms\": {", f);
    json_ms(f, "prepare", out->w.prepare_ns, ", ");
    json_ms(f, "build", out->w.build_ns, ", ");
    json_ms(f, "add", out->w.info.add_ns, ", ");
    json_ms(f, "freeze", out->w.info.freeze_ns, ", ");
    json_ms(f, "run", median(out), ", ");
    json_ms(f, "run_min", out->run_ns[0], ", ");
    json_ms(f, "run_max", out->run_ns[out->n_runs - 1], "},\n");
}

static void json_answer(const outcome *out, FILE *f)
{
    fputs("  \"answer\": {", f);
    for (size_t i = 0; i < out->answer.n; i++) {
        fputs(i ? ", " : "", f);
        json_string(f, out->answer.items[i].key);
        fprintf(f, ": %s", out->answer.items[i].json);
    }
    fputs("}", f);
}

/* Where and how a work was run: backend, schedule and policy; of a loop "fleet", its way to divide or of jobs the map, and "-". */
static void json_where(const work *w, FILE *f)
{
    const app_looping *l = work_loop(w);
    heddle_fleet_unit u = HEDDLE_UNIT_INIT;
    if (!l) {
        fprintf(f, "  \"backend\": \"%s\",\n  \"schedule\": \"%s\",\n  \"policy\": \"%s\",\n",
                heddle_backend_name(w->config.backend), work_schedule(&w->config), work_policy(&w->config));
        return;
    }
    fprintf(f, "  \"backend\": \"fleet\",\n  \"schedule\": \"%s\",\n  \"policy\": \"-\",\n  \"devices\": [",
            work_split(w->c->scenario->engine));
    for (uint32_t i = 0; heddle_fleet_get_unit(l->fleet, i, &u) == HEDDLE_OK; i++) {
        fputs(i ? ", " : "", f);
        json_string(f, u.name);
    }
    fputs("],\n", f);
}

static void json_stats(const outcome *out, FILE *f)
{
    fputs("  \"stats\": ", f);
    if (out->w.graph)
        summary_json(&out->summary, f);
    else if (work_jobs(&out->w))
        jobs_summary_json(&out->jobs, f);
    else if (work_loop(&out->w))
        loop_summary_json(&out->loop, f);
    else
        pool_summary_json(&out->pool, f);
    fputs(",\n", f);
}

static void print_json(const outcome *out, const options *o, FILE *f)
{
    const work *w = &out->w;
    char name[64];
    fputs("{\n  \"app\": ", f);
    json_string(f, work_name(w, name));
    if (w->app)
        fprintf(f, ",\n  \"n\": [%" PRIu64 ", %" PRIu64 "],\n  \"b\": [%" PRIu64 ", %" PRIu64 "],\n", w->c->n[0],
                w->c->n[1], w->c->b[0], w->c->b[1]);
    else
        fputs(",\n  \"n\": null,\n  \"b\": null,\n", f);
    json_where(w, f);
    fputs("  \"how\": ", f);
    json_string(f, work_how(w));
    fputs(",\n", f);
    fprintf(f, "  \"workers\": %" PRIu32 ",\n", work_loop(w) ? work_n_units(w) : w->config.n_workers);
    for (const app_fact *a = w->facts; a < w->facts + w->n_facts; a++)
        if (a->key)
            fprintf(f, "  \"%s\": %" PRIu64 ",\n", a->key, a->value);
    fprintf(f, "  \"repeat\": %" PRIu64 ",\n", out->n_runs);
    json_times(out, f);
    fprintf(f, "  \"check\": \"%s\",\n", out->check);
    if (o->stats)
        json_stats(out, f);
    json_answer(out, f);
    fputs("\n}\n", f);
}

static int gather(outcome *out, const options *o)
{
    app_sink sink = answer_sink(&out->answer);
    if (out->w.app)
        out->w.c->app->answer(out->w.c, &sink);
    if (out->answer.failed)
        return cli_bad("out of memory");
    if (!o->stats)
        return CLI_OK;
    if (out->w.graph)
        return summary_of_run(&out->summary, out->w.ctx, out->w.graph);
    if (work_jobs(&out->w))
        return jobs_summary_of(&out->jobs, work_loop(&out->w));
    if (work_loop(&out->w))
        return loop_summary_of(&out->loop, work_loop(&out->w));
    return pool_summary_of(&out->pool, out->w.c->pool, out->w.app->table->n_bodies);
}

/* Prints standard output last: a reader of the report finds the files written. */
static int tell(outcome *out, const options *o)
{
    cli_buffer text;
    int status = gather(out, o) || write_outputs(o, &out->w) || cli_buffer_open(&text) ? CLI_BAD : CLI_OK;
    if (status)
        return status;
    if (o->json)
        print_json(out, o, text.out);
    else
        print_report(out, o, text.out);
    status = cli_buffer_print(&text);
    cli_buffer_free(&text);
    return status;
}

/* Sets the config that a plan requires. */
static int follow_plan(const options *o, heddle_config *config)
{
    if (!o->plan)
        return CLI_OK;
    if (config->schedule != HEDDLE_SCHEDULE_AUTO && config->schedule != HEDDLE_SCHEDULE_STATIC)
        return cli_bad("--plan: schedule %s does not follow one", heddle_schedule_name(config->schedule));
    config->schedule = HEDDLE_SCHEDULE_STATIC;
    return CLI_OK;
}

static int read_plan(const work *w, const char *path)
{
    heddle_status s = path ? heddle_graph_read_plan(w->graph, path) : HEDDLE_OK;
    return s ? cli_heddle_bad(w->ctx, s) : CLI_OK;
}

static int is_of(const target *t, const app_engine *engine) { return !t->file && t->scenario->engine == engine; }
static int is_of_fleet(const target *t) { return !t->file && app_engine_has_fleet(t->scenario->engine); }

/* What a graph can show of itself, and a pool or a loop cannot. */
static int check_scenario(const options *o, const target *t)
{
    const char *option = o->dot ? "--dot" : o->dump_graph ? "--dump-graph" : o->plan ? "--plan" : NULL;
    if (option && (is_of(t, &app_pool) || is_of_fleet(t)))
        return cli_bad("%s: %s/%s has no graph to tell of", option, t->app->name, t->scenario->engine->name);
    return CLI_OK;
}

/* Makes room for a trace if one is wanted. Pools read the variable when they are opened. */
static int want_trace(const options *o, const target *t, heddle_config *config)
{
    const int wanted = o->stats || o->trace || o->timeline;
    if (is_of_fleet(t)) {
        config->n_trace = o->trace || o->timeline ? FLEET_TRACE : 0;
        return CLI_OK;
    }
    if (is_of(t, &app_pool))
        return wanted && pool_trace_room() ? cli_bad("out of memory") : CLI_OK;
    if (wanted || (t->file && !o->no_check))
        config->n_trace = trace_room(config);
    return CLI_OK;
}

int cmd_run(const options *o)
{
    outcome out = {.check = "skipped"};
    heddle_config config = o->config;
    target t;
    int status, told;
    if (find_target(o, "run", &t) || check_scenario(o, &t) || follow_plan(o, &config) || check_outputs(o))
        return CLI_BAD;
    status = want_trace(o, &t, &config);
    if (!status)
        status = open_target(&out.w, &t, o, &config);
    if (!status)
        status = read_plan(&out.w, o->plan);
    if (!status)
        status = run_all(&out, o);
    if (status != CLI_BAD) {
        told = tell(&out, o);
        if (status == CLI_WRONG)
            cli_bad("%s: the check failed: %s", t.app ? t.app->name : t.file, out.sentence);
        status = told ? told : status;
    }
    summary_free(&out.summary);
    pool_summary_free(&out.pool);
    loop_summary_free(&out.loop);
    jobs_summary_free(&out.jobs);
    answer_free(&out.answer);
    free(out.run_ns);
    work_close(&out.w);
    return status;
}
