/* SPDX-License-Identifier: MIT */
/* cmd_plan.c - `heddle plan APP|FILE.json`: runs it once, traced, and writes what each worker did, in order, as a plan
 * that `heddle run --plan` follows; with --costs, a new plan computed from the tasks' times. For APP/wave it only
 * reports how the wave would run (plan_wave.c). */
#include "commands.h"

#include "cli.h"
#include "work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The default path of the plan: NAME.plan.json in the current folder. NULL without memory; the caller frees it. */
static char *default_path(const app *a, const char *file)
{
    const char *name = a ? a->name : strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    size_t n = strlen(name);
    char *path = malloc(n + sizeof ".plan.json");
    if (n > 5 && !strcmp(name + n - 5, ".json"))
        n -= 5;
    if (path)
        sprintf(path, "%.*s.plan.json", (int)n, name);
    return path;
}

static int tell(const work *w, const char *path, uint64_t run_ns, int costs)
{
    cli_buffer text;
    cli_text run;
    heddle_stats stats = HEDDLE_STATS_INIT;
    heddle_status s = heddle_graph_get_stats(w->graph, &stats);
    int status;
    if (s)
        return cli_heddle_bad(w->ctx, s);
    status = cli_buffer_open(&text);
    if (status)
        return status;
    fprintf(text.out, "%s: %" PRIu64 " tasks for %" PRIu32 " worker%s, %s a run of %s\n", path, w->info.n_tasks,
            stats.n_workers, stats.n_workers == 1 ? "" : "s", costs ? "planned with the times of" : "as recorded from",
            cli_duration(&run, run_ns));
    status = cli_buffer_print(&text);
    cli_buffer_free(&text);
    return status;
}

static int plan(work *w, const options *o, const char *path)
{
    uint64_t run_ns;
    heddle_status s;
    if (work_run(w, &run_ns))
        return CLI_BAD;
    cli_progress("%s: planning", w->app ? w->app->name : w->file);
    s = o->costs ? heddle_graph_replan(w->graph, 0) : heddle_graph_record_plan(w->graph);
    if (!s)
        s = heddle_graph_write_plan(w->graph, path);
    return s ? cli_heddle_bad(w->ctx, s) : tell(w, path, run_ns, o->costs);
}

static int plan_of_wave(const target *t, const options *o)
{
    work w = {.app = NULL};
    int status;
    if (o->out || o->costs)
        return cli_bad("%s/%s is run by schedule %s, which follows no plan: -o and --costs are for tasks", t->app->name,
                       t->scenario->engine->name, heddle_schedule_name(t->scenario->engine->schedule));
    status = open_target(&w, t, o, &o->config);
    if (!status)
        status = plan_wave(&w, o);
    work_close(&w);
    return status;
}

int cmd_plan(const options *o)
{
    work w = {.app = NULL};
    heddle_config config = o->config;
    target t;
    char *path = NULL;
    int status;
    if (find_target(o, "plan", &t))
        return CLI_BAD;
    if (t.scenario && (t.scenario->engine == &app_pool || app_engine_has_fleet(t.scenario->engine)))
        return cli_bad("%s/%s has no graph, and so no plan", t.app->name, t.scenario->engine->name);
    if (t.scenario && t.scenario->engine->schedule) /* only the engine of waves requires one */
        return plan_of_wave(&t, o);
    if (o->column_ns || o->hand_ns)
        return cli_bad("--column-ns and --hand-ns are for waves, as in sw/wave");
    if (!has_workers(&config))
        return cli_bad("schedule %s has no workers to plan for", heddle_schedule_name(config.schedule));
    ask_for_workers(&config);
    config.n_trace = trace_room(&config);
    if (!o->out && !(path = default_path(t.app, t.file)))
        return cli_bad("out of memory");
    status = cli_check_output(o->out ? o->out : path);
    if (!status)
        status = open_target(&w, &t, o, &config);
    if (!status)
        status = plan(&w, o, o->out ? o->out : path);
    work_close(&w);
    free(path);
    return status;
}
