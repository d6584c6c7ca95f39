/* SPDX-License-Identifier: MIT */
/* cmd_info.c - `heddle info [APP | --links]`: what is available, an app's options, what the machine's links can do. */
#include "commands.h"

#include "cli.h"
#ifdef HEDDLE_HAVE_SHARE
#include "share.h"
#endif

#include "heddle/loop.h"
#include "heddle/multi.h"
#include "heddle/pool.h"
#include "heddle/wave.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A name and its meaning. */
typedef struct named {
    const char *name, *help;
} named;
#define HEDDLE_X(name, value, text, help) {text, help},
static const named backends[] = {HEDDLE_BACKEND_MAP(HEDDLE_X)};
static const named policies[] = {HEDDLE_POLICY_MAP(HEDDLE_X)};
static const named schedules[] = {HEDDLE_SCHEDULE_MAP(HEDDLE_X)};
static const named pool_modes[] = {HEDDLE_POOL_MODE_MAP(HEDDLE_X)};
static const named splits[] = {HEDDLE_SPLIT_MAP(HEDDLE_X)};
static const named maps[] = {HEDDLE_MAP_MAP(HEDDLE_X)};
#undef HEDDLE_X

static void print_backends(FILE *out)
{
    fputs("\nbackends\n", out);
    for (unsigned b = 0; b < HEDDLE_N_BACKENDS; b++) {
        int here = b == HEDDLE_AUTO || heddle_backend_is_present((heddle_backend)b);
        fprintf(out, "  %-8s %s%s\n", backends[b].name, backends[b].help,
                here ? "" : " (not in this build, or no device)");
    }
}

static void print_choices(FILE *out, const char *title, const named *list, size_t n)
{
    fprintf(out, "\n%s\n", title);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %-13s %s\n", list[i].name, list[i].help);
}

/* Prints what may keep a persistent kernel from running. */
static void print_hindrances(FILE *out, const heddle_device *d)
{
    fprintf(out, "           multi-process service %s, %s, %s\n", d->has_mps ? "on: SMs may be shared" : "off",
            d->is_mig ? "a MIG slice" : "no MIG slice",
            d->has_time_limit ? "a display's time limit stops kernels of some seconds" : "no display time limit");
}

/* Rounded down for display. */
static uint64_t mebibytes(uint64_t n_bytes) { return n_bytes >> 20 << 20; }

static void print_gpu(FILE *out, heddle_backend b, uint32_t device)
{
    heddle_device d = HEDDLE_DEVICE_INIT;
    cli_text free_bytes, total, l2, shared;
    if (heddle_device_get(b, device, &d))
        return;
    fprintf(out, "           %s, %" PRIu32 " SMs, compute capability %" PRIu32 ".%" PRIu32 "\n", d.name, d.n_units,
            d.major, d.minor);
    fprintf(out, "           memory %s, %s free, L2 %s, shared memory of a block up to %s\n",
            cli_bytes(&total, mebibytes(d.total_bytes)), cli_bytes(&free_bytes, mebibytes(d.free_bytes)),
            cli_bytes(&l2, d.l2_bytes), cli_bytes(&shared, d.shared_bytes));
    fprintf(out, "           CUDA: driver %" PRIu32 ".%" PRIu32 ", runtime %" PRIu32 ".%" PRIu32 "\n", d.driver / 1000,
            d.driver % 1000 / 10, d.runtime / 1000, d.runtime % 1000 / 10);
    print_hindrances(out, &d);
}

/* The device of a backend's default context; prints why if the backend does not open. */
static void print_device(FILE *out, heddle_backend b)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    config.backend = b;
    fprintf(out, "  %-8s ", heddle_backend_name(b));
    if (heddle_ctx_open(&ctx, &config)) {
        fprintf(out, "cannot be opened: %s\n", heddle_error_text(NULL));
        return;
    }
    if (!heddle_ctx_get_config(ctx, &config) && config.n_workers)
        fprintf(out, "device %" PRIu32 ": %" PRIu32 " worker%s\n", config.device, config.n_workers,
                config.n_workers == 1 ? "" : "s");
    else
        fprintf(out, "device %" PRIu32 ": as many workers as the graph's bodies leave room for\n", config.device);
    print_gpu(out, b, config.device);
    heddle_ctx_close(ctx);
}

static void print_machine(FILE *out)
{
    static const char *const levels[] = {"L1d", "L2", "L3"};
    heddle_machine m;
    heddle_machine_get(&m);
    fputs("\ndevices\n", out);
    for (unsigned b = HEDDLE_SERIAL; b < HEDDLE_N_BACKENDS; b++)
        if (heddle_backend_is_present((heddle_backend)b))
            print_device(out, (heddle_backend)b);
    fprintf(out, "\nmachine\n  cores    %" PRIu32 " with %" PRIu32 " hardware threads, as seen by %s\n  caches  ",
            m.n_cores, m.n_threads, m.has_hwloc ? "hwloc" : "the system");
    for (int i = 0; i < 3; i++) {
        cli_text bytes;
        fprintf(out, " %s %s%s", levels[i], m.cache_bytes[i] ? cli_bytes(&bytes, m.cache_bytes[i]) : "unknown",
                i < 2 ? "," : "\n");
    }
}

static void print_limits(FILE *out)
{
    fprintf(out, "\nlimits\n  %u tasks in a graph, %u bytes of arguments a task\n", HEDDLE_MAX_TASKS,
            HEDDLE_MAX_ARG_BYTES);
}

static void print_environment(FILE *out)
{
    heddle_env_info env;
#ifdef HEDDLE_HAVE_SHARE
    const char *name, *help;
#endif
    fputs("\nenvironment\n", out);
    for (uint32_t i = 0; heddle_env_get(i, &env); i++)
        fprintf(out, "  %-21s %-10s %s\n", env.name, env.value ? env.value : "not set", env.help);
#ifdef HEDDLE_HAVE_SHARE
    for (uint32_t i = 0; share_setting_at(i, &name, &help); i++)
        fprintf(out, "  %-21s %-10s %s\n", name, getenv(name) ? getenv(name) : "not set", help);
#endif
}

static void print_apps(FILE *out)
{
    fputs("\napps\n", out);
    for (size_t i = 0; app_list[i]; i++)
        fprintf(out, "  %-12s %s\n", app_list[i]->name, app_list[i]->summary);
}

/* The names that `heddle run` and `bench` take; an app's name alone means the first. */
static void print_scenarios(FILE *out)
{
    fputs("\nscenarios\n", out);
    for (size_t i = 0; app_list[i]; i++)
        for (const app_scenario *s = app_list[i]->scenarios; s->engine; s++)
            fprintf(out, "  %s/%s\n", app_list[i]->name, s->engine->name);
}

static void print_all(FILE *out)
{
    fprintf(out, "heddle %d.%d.%d\n", HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH);
    print_backends(out);
    print_choices(out, "schedules", schedules, HEDDLE_N_SCHEDULES);
    print_choices(out, "modes of pools on a GPU", pool_modes, HEDDLE_N_POOL_MODES);
    print_choices(out, "ways to divide loops", splits, HEDDLE_N_SPLITS);
    print_choices(out, "maps of jobs", maps, HEDDLE_N_MAPS);
    print_choices(out, "policies", policies, HEDDLE_N_POLICIES);
    print_machine(out);
    print_limits(out);
    print_environment(out);
    print_scenarios(out);
    print_apps(out);
}

static void print_neighbours(FILE *out, uint32_t set)
{
    static const char *const all[] = {"N", "W", "NW", "NE", "old C", "old E", "old S"};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (set & 1u << i)
            fprintf(out, " %s", all[i]);
}

static void print_cell(FILE *out, const heddle_wave_info *w)
{
    fprintf(out, "%" PRIu32 " bytes from", w->cell_bytes);
    print_neighbours(out, w->neighbours);
    if (w->sweeps)
        fprintf(out, ", %" PRIu32 " sweeps together", w->sweeps);
    else
        fprintf(out, ", finds %" PRIu32 " bytes", w->found_bytes);
    fprintf(out, "; shapes%s", w->n_shapes ? "" : " of threads only");
    for (uint32_t s = 0; s < w->n_shapes; s++)
        fprintf(out, " %" PRIu32 "x%" PRIu32, w->shapes[s].rows, w->shapes[s].columns);
}

/* A wave's cells, and the shapes (rows of a lane by columns of a step) that a GPU can use; or its tiles. */
static void print_cells(FILE *out, const heddle_table *cells)
{
    for (uint32_t i = 0; i < cells->n_bodies; i++) {
        const heddle_wave_info *w = &cells->waves[i];
        const char *what = w->is_tile ? "\ntiles    " : "\ncells    ";
        fprintf(out, "%s%s: ", i ? "\n         " : what, cells->bodies[i].name);
        if (w->is_tile)
            fprintf(out, "a column hands on %" PRIu32 " bytes, a band carries %" PRIu32, w->south_bytes,
                    w->carry_bytes);
        else
            print_cell(out, w);
    }
}

static void print_app(FILE *out, const app *a)
{
    fprintf(out, "%s - %s\n\n", a->name, a->summary);
    if (a->b[0])
        fprintf(out, "size     %" PRIu64 "x%" PRIu64 " (-n), blocks of %" PRIu64 "x%" PRIu64 " (-b), when not given\n",
                a->n[0], a->n[1], a->b[0], a->b[1]);
    else
        fprintf(out, "size     %" PRIu64 " (-n), when not given; no blocks\n", a->n[0]);
    fprintf(out, "input    %s\nbodies  ", a->formats);
    for (uint32_t i = 0; i < a->table->n_bodies; i++)
        fprintf(out, " %s", a->table->bodies[i].name);
    for (uint32_t i = 0; a->loops && a->loops != a->table && i < a->loops->n_bodies; i++)
        fprintf(out, " %s", a->loops->bodies[i].name);
    if (a->cells)
        print_cells(out, a->cells);
    for (const app_scenario *s = a->scenarios; s->engine; s++)
        fprintf(out, "%s%s/%s: %s", s == a->scenarios ? "\nrun      " : "\n         ", a->name, s->engine->name,
                s->engine->summary);
    fprintf(out, "\n\noptions (--opt KEY=VALUE)%s\n", a->options->key ? "" : ": none");
    for (const app_option *o = a->options; o->key; o++)
        fprintf(out, "  %-12s %s (default: %s)\n", o->key, o->help, *o->value ? o->value : "none");
}

int cmd_info(const options *o)
{
    cli_buffer text;
    const app *a = NULL;
    int status;
    if (o->n_words > 1)
        return cli_bad("info takes one app at most");
    if (o->measure_links)
        return o->n_words ? cli_bad("info takes an app or --links, not both") : info_links();
    if (o->n_words == 1 && find_app(o->words[0], &a))
        return CLI_BAD;
    status = cli_buffer_open(&text);
    if (status)
        return status;
    if (a)
        print_app(text.out, a);
    else
        print_all(text.out);
    status = cli_buffer_print(&text);
    cli_buffer_free(&text);
    return status;
}
