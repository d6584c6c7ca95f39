/* SPDX-License-Identifier: MIT */
/* plan_wave.c - `heddle plan APP/wave`: lays a wave out without running it and prints its shape and bands. The model of
 * waves (heddle/wave.h) then gives the best width of tiles, its time, and the workers' idle time. Options set the costs
 * of a column and of a hand-over; otherwise they are guessed, but for bodies of tiles. */
#include "commands.h"

#include "cli.h"
#include "heddle/wave.h"

#include <inttypes.h>

/* Defaults: an H200, for bodies as short as Smith-Waterman's, and one core of a server. */
#define GPU_COLUMN_NS 65
#define GPU_HAND_NS 400
#define CPU_COLUMN_NS 100
#define CPU_HAND_NS 1000

/* Bands in flight: one block per multiprocessor. */
static double workers_of(const work *w, const heddle_wave_geometry *g)
{
    heddle_device device = HEDDLE_DEVICE_INIT;
    double n = w->config.n_workers;
    if (n == 0 && heddle_device_get(w->config.backend, w->config.device, &device) == HEDDLE_OK)
        n = device.n_units;
    n *= g->n_warps;
    return n < 1 ? 1 : n < g->model.bands ? n : g->model.bands;
}

static void fill_costs(heddle_wave_model *m, const options *o, int is_gpu)
{
    m->column_ns = o->column_ns ? o->column_ns : is_gpu ? GPU_COLUMN_NS : CPU_COLUMN_NS;
    m->hand_ns = o->hand_ns ? o->hand_ns : is_gpu ? GPU_HAND_NS : CPU_HAND_NS;
}

static void print_width(FILE *f, const char *what, const heddle_wave_model *m, double width)
{
    cli_text time;
    fprintf(f, "  %-8s %.0f columns a tile: %s, workers %.0f %% idle\n", what, width,
            cli_duration(&time, (uint64_t)heddle_wave_model_ns(m, width)), 100 * heddle_wave_model_idle(m, width));
}

/* What a tile costs nobody guesses: bodies differ too much. */
static int is_guessed(const options *o, const heddle_wave_geometry *g)
{
    return !g->is_tile || (o->column_ns && o->hand_ns);
}

static void print_wave(FILE *f, const options *o, const heddle_wave_geometry *g)
{
    const heddle_wave_model *m = &g->model;
    cli_text own, borders;
    if (g->is_tile)
        fprintf(f, "  tiles    %" PRIu32 " rows by %" PRIu32 " columns\n", g->band_rows, g->hand_cols);
    else if (g->lane_rows)
        fprintf(f, "  shape    %" PRIu32 " rows a lane, %" PRIu32 " columns a step, %" PRIu32 " warps a block\n",
                g->lane_rows, g->step_columns, g->n_warps);
    else
        fprintf(f, "  shape    threads, a band each\n");
    fprintf(f, "  bands    %.0f of %" PRIu32 " rows by %.0f columns, %.0f at a time\n", m->bands, g->band_rows, m->cols,
            m->workers);
    if (g->own_bytes)
        fprintf(f, "  memory   %s beside the data, %s of it for borders\n", cli_bytes(&own, g->own_bytes),
                cli_bytes(&borders, g->border_bytes));
    if (!is_guessed(o, g)) {
        fprintf(f, "  time     not predicted: nothing is known of its tiles before --column-ns and --hand-ns say it\n");
        return;
    }
    fprintf(f, "  costs    a column %.0f ns (%s), a hand-over %.0f ns (%s)\n", m->column_ns,
            o->column_ns ? "--column-ns" : "a guess", m->hand_ns, o->hand_ns ? "--hand-ns" : "a guess");
    print_width(f, "as it is", m, g->hand_cols);
    print_width(f, "best", m, heddle_wave_model_width(m));
}

int plan_wave(work *w, const options *o)
{
    heddle_wave_geometry g;
    cli_buffer text;
    char name[64];
    int status;
    const heddle_status s = heddle_wave_get_geometry(w->graph, &g);
    if (s)
        return cli_heddle_bad(w->ctx, s);
    g.model.workers = workers_of(w, &g);
    fill_costs(&g.model, o, g.lane_rows != 0);
    status = cli_buffer_open(&text);
    if (status)
        return status;
    fprintf(text.out, "%s on %s, not run\n", work_name(w, name), heddle_backend_name(w->config.backend));
    print_wave(text.out, o, &g);
    status = cli_buffer_print(&text);
    cli_buffer_free(&text);
    return status;
}
