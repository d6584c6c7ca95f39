/* SPDX-License-Identifier: MIT */
/* peerwave.c - `heddle bench --figures peerwave [--out DIR]`: the figures of PeerWave (Belviranli's thesis, chapter 6),
 * each as DIR/peerwave-NAME.tsv and .svg:
 *
 *      idle                       slots without a tile under barriers: by formula, and measured (6.1, 6.3)
 *      times-256, -512, -1024     barriers and peers in square tiles and in hyper-tiles of that height and width (6.9)
 *      width                      peers in hyper-tiles by width, and by the model (6.10)
 *      speedup                    over barriers in hyper-tiles of 1,024 (6.11)
 *      corner                     idle time of a block, at the corners and between (6.12)
 *      tile                       the time of a tile (6.13a)
 *      misses                     sectors missed in the L2 cache, by ncu (6.13b)
 *      throughput                 bytes that cells need, over time (6.14)
 *      sync                       time that blocks spend on flags and barriers (table 6.1)
 *      wave                       heddle's wave beside all of them
 *
 * Applications are the thesis' six, on fields of its size (-n for others), and heat2d. Its kernels are rewritten over
 * the cells of waves (peers.h), so all ways run one body. Each way is checked before it is timed. What is not possible
 * is a row `skipped` with the reason. Without a GPU, heddle's waves and tiles run alone, on threads and smaller fields.
 *
 * --opt seconds=N: skips ways that have not begun by then (160). --opt apps=sw,heat: these only. */
#include "lab.h"
#include "model.h"
#include "ncu.h"
#include "papers.h"

#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_SIZES = 3, N_METHODS = 4, THESIS_BLOCKS = 15, MOST_WAYS = 64, N_COLOURS = 10 };
static const uint32_t sizes[N_SIZES] = {256, 512, 1024};
static const uint32_t widths[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
enum { N_WIDTHS = sizeof widths / sizeof *widths };
static const char *const methods[N_METHODS] = {"barriers", "peers", "barriers, hyper-tiles", "peers, hyper-tiles"};

typedef struct figures {
    const options *o;
    lab l;
    char where[200];
    uint32_t rows, cols;
    figure_files files;
    peer_way ways[MOST_WAYS];
    size_t n_ways;
    measured *all;               /* [app][way] */
    char no_app[PEER_APPS][200]; /* the reason why an app is missing */
    /* Indices into ways. */
    size_t equal[N_SIZES][N_METHODS], few[N_METHODS], wide[N_WIDTHS], wave, row_only, app_tiles;
    size_t barriers_begin, barriers_end, tasks_begin, tasks_end;
} figures;

static const measured *of(const figures *f, size_t app, size_t way) { return &f->all[app * MOST_WAYS + way]; }
static double median(const measured *m) { return figure_middle(m->ms, m->n); }

/* ---- ways ---- */

static size_t add_way(figures *f, const peer_way *w)
{
    f->ways[f->n_ways] = *w;
    return f->n_ways++;
}

static size_t add_kernel(figures *f, int method, uint32_t height, uint32_t width, uint32_t n_blocks)
{
    peer_way w = {"", PEER_KERNEL, method < 2, method % 2 == 0, height, width, n_blocks, HEDDLE_SCHEDULE_AUTO};
    if (height == width)
        snprintf(w.name, sizeof w.name, "%s %u%s", methods[method], width,
                 n_blocks == THESIS_BLOCKS ? ", 15 blocks"
                 : n_blocks                ? ", all blocks"
                                           : "");
    else
        snprintf(w.name, sizeof w.name, "%s %u x %u", methods[method], height, width);
    return add_way(f, &w);
}

static size_t add_heddle(figures *f, const char *name, peer_kind kind, heddle_schedule schedule, uint32_t width)
{
    peer_way w = {"", kind, 0, 0, 0, width, 0, schedule};
    snprintf(w.name, sizeof w.name, width ? "%s %u" : "%s", name, width);
    return add_way(f, &w);
}

static void add_schedules(figures *f)
{
    static const heddle_schedule gpu[] = {HEDDLE_SCHEDULE_LEVELS, HEDDLE_SCHEDULE_GRAPH, HEDDLE_SCHEDULE_GRAPH_PDL};
    static const heddle_schedule cpu[] = {HEDDLE_SCHEDULE_STATIC, HEDDLE_SCHEDULE_TICKET};
    static const uint32_t cols[] = {256, 1024, 4096};
    const int is_gpu = f->l.backend == HEDDLE_CUDA;
    for (size_t s = 0; s < (is_gpu ? sizeof gpu / sizeof *gpu : sizeof cpu / sizeof *cpu); s++)
        for (size_t c = 0; c < sizeof cols / sizeof *cols; c++)
            add_heddle(f, heddle_schedule_name(is_gpu ? gpu[s] : cpu[s]), PEER_SCHEDULE, is_gpu ? gpu[s] : cpu[s],
                       cols[c]);
}

/* heddle's wave comes first, since it is the quickest: if time runs out, ways of the thesis are skipped. Barriers at
 * their best have as many blocks as are resident, unlike the thesis. */
static void list_ways(figures *f)
{
    static const struct {
        uint32_t height, width;
    } others[] = {{1024, 64}, {1024, 256}, {512, 64}, {512, 256}, {256, 64}, {256, 256}, {128, 64}, {128, 128}};
    f->wave = add_heddle(f, "wave", PEER_WAVE, HEDDLE_SCHEDULE_WAVE, 0);
    f->row_only = add_heddle(f, "wave, last row only", PEER_ROW_ONLY, HEDDLE_SCHEDULE_WAVE, 0);
    f->app_tiles = add_heddle(f, "wave of tiles", PEER_APP_TILES, HEDDLE_SCHEDULE_WAVE, 0);
    for (size_t s = N_SIZES; s-- > 0;)
        for (int k = 0; k < N_METHODS; k++)
            f->equal[s][k] = add_kernel(f, k, sizes[s], sizes[s], 0);
    for (size_t i = 0; i < N_WIDTHS; i++)
        f->wide[i] = widths[i] == 1024 ? f->equal[N_SIZES - 1][3] : add_kernel(f, 3, 1024, widths[i], 0);
    f->barriers_begin = f->n_ways;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_kernel(f, 2, others[i].height, others[i].width, ALL_BLOCKS);
    f->barriers_end = f->tasks_begin = f->n_ways;
    add_schedules(f);
    f->tasks_end = f->n_ways;
    for (int k = 0; k < N_METHODS; k++)
        f->few[k] = add_kernel(f, k, 1024, 1024, THESIS_BLOCKS);
}

/* ---- measuring ---- */

static int is_wanted(const figures *f, const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < f->o->request.n_opts; i++) {
        const char *at = f->o->request.opts[i].value;
        if (strcmp(f->o->request.opts[i].key, "apps") != 0)
            continue;
        for (; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
            if (!strncmp(at, name, n) && (at[n] == '\0' || at[n] == ','))
                return 1;
        return 0;
    }
    return 1;
}

/* Fifteen blocks take nine times as long: only one application and one run use them. */
static size_t runs_of(const figures *f, size_t app, size_t way)
{
    const size_t n = figure_runs(f->o);
    if (f->ways[way].n_blocks == THESIS_BLOCKS)
        return app == PEER_SW;
    return app == PEER_INTHIST && n > 3 ? 3 : n;
}

static void measure_app(figures *f, size_t app)
{
    char *why = f->no_app[app];
    if (!is_wanted(f, peer_problems[app].name)) {
        snprintf(why, 200, "--opt apps leaves it out");
        return;
    }
    if ((f->l.backend == HEDDLE_CUDA && lab_try(&f->l, (peer_app)app, why)) ||
        lab_load(&f->l, (peer_app)app, f->rows, f->cols, why)) {
        (void)cli_bad("%s: %s", peer_problems[app].name, why);
        return;
    }
    for (size_t w = 0; w < f->n_ways; w++) {
        measured *m = &f->all[app * MOST_WAYS + w];
        const size_t n = runs_of(f, app, w);
        if (n)
            lab_measure(&f->l, &f->ways[w], n, m);
        else
            snprintf(m->why, sizeof m->why, "sw shows it");
    }
    lab_unload(&f->l);
}

/* ---- bars by application ---- */

/* The value that a figure shows of a way; 0: none. */
typedef double (*shown_fn)(const figures *f, size_t app, size_t way);

static double shown_ms(const figures *f, size_t app, size_t way) { return median(of(f, app, way)); }
static double shown_speedup(const figures *f, size_t app, size_t way)
{
    const double ms = median(of(f, app, way));
    return ms > 0 ? median(of(f, app, f->equal[N_SIZES - 1][2])) / ms : 0;
}
static double shown_tile_us(const figures *f, size_t app, size_t way)
{
    const measured *m = of(f, app, way);
    const launch_result *r = &m->result;
    return m->n && r->total.n_tiles ? 1e-3 * r->ns_of_tick * (double)r->total.busy / (double)r->total.n_tiles : 0;
}
static double shown_sync_ms(const figures *f, size_t app, size_t way)
{
    const measured *m = of(f, app, way);
    return m->n ? 1e-6 * m->result.ns_of_tick * (double)m->result.total.sync / m->n_blocks : 0;
}
/* Bytes: a cell is written; a pixel, or the value of the sweep before, is read. */
static double shown_rate(const figures *f, size_t app, size_t way)
{
    const peer_problem *p = &peer_problems[app];
    const double ms = median(of(f, app, way)), n_sweeps = p->n_sweeps ? p->n_sweeps : 1;
    const double bytes = 4.0 + (p->n_sweeps ? 4.0 : p->has_pixels ? 1.0 : 0.0);
    return ms > 0 ? bytes * f->rows * f->cols * p->n_planes * n_sweeps / ms * 1e-6 : 0;
}

typedef struct bars {
    const char *name, *title, *unit;
    const char *column; /* NULL: no column besides the median */
    shown_fn shown;
} bars;

static void print_way(figures *f, const bars *b, size_t app, size_t way)
{
    FILE *out = f->files.tsv.out;
    const measured *m = of(f, app, way);
    fprintf(out, "%s\t%s", peer_problems[app].name, f->ways[way].name);
    if (f->no_app[app][0] || !m->n) {
        fprintf(out, "\tskipped\t%s\n", f->no_app[app][0] ? f->no_app[app] : m->why);
        return;
    }
    if (b->column)
        fprintf(out, "\t%.6g", b->shown(f, app, way));
    fprintf(out, "\t%.6g\t%.6g\t%.6g\n", median(m), m->ms[0], m->ms[m->n - 1]);
}

static int figure_bars(figures *f, const bars *b, const size_t *ways, size_t n)
{
    const char *groups[PEER_APPS], *series[MOST_WAYS];
    double value[PEER_APPS * MOST_WAYS];
    int any = 0;
    chart c = {.title = b->title, .note = f->where, .unit = b->unit};
    if (figure_begin(&f->files))
        return CLI_BAD;
    fprintf(f->files.tsv.out, "# %s\napp\tway\t%s%smedian_ms\tleast_ms\tmost_ms\n", f->where,
            b->column ? b->column : "", b->column ? "\t" : "");
    for (size_t i = 0; i < PEER_APPS * n; i++) {
        const size_t app = i / n, way = ways[i % n];
        groups[app] = peer_problems[app].name;
        series[i % n] = f->ways[way].name;
        value[i] = b->shown(f, app, way);
        any |= value[i] > 0;
        print_way(f, b, app, way);
    }
    chart_fill(&c, PEER_APPS, groups, n, series, value);
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, b->name, any && n <= N_COLOURS);
}

static size_t flexible(const figures *f, size_t app)
{
    size_t best = f->wide[0];
    for (size_t i = 0; i < N_WIDTHS; i++) {
        const double ms = median(of(f, app, f->wide[i])), least = median(of(f, app, best));
        if (ms > 0 && (least <= 0 || ms < least))
            best = f->wide[i];
    }
    return best;
}

/* Figure 6.9 for one size of tiles, beside two more: hyper-tiles of one other width, and heddle's. */
static int figure_times(figures *f, size_t size)
{
    char name[48], title[96];
    size_t ways[N_METHODS + 3];
    const bars b = {name, title, "ms a run", NULL, shown_ms};
    memcpy(ways, f->equal[size], sizeof f->equal[size]);
    ways[N_METHODS] = f->wide[4];
    ways[N_METHODS + 1] = f->wave;
    ways[N_METHODS + 2] = f->app_tiles;
    snprintf(name, sizeof name, "peerwave-times-%u", sizes[size]);
    snprintf(title, sizeof title, "Figure 6.9: tiles of %u x %u", sizes[size], sizes[size]);
    return figure_bars(f, &b, ways, N_METHODS + 3);
}

static int figure_speedup(figures *f)
{
    static const bars b = {"peerwave-speedup", "Figure 6.11: over barriers in hyper-tiles of 1024", "times as quick",
                           "speed_up", shown_speedup};
    const size_t ways[] = {f->equal[N_SIZES - 1][3], f->wide[5], f->wide[4], f->wide[3], f->wave, f->app_tiles};
    return figure_bars(f, &b, ways, sizeof ways / sizeof *ways);
}

/* Figures that need only the four methods at 1,024. */
static int figures_of_methods(figures *f)
{
    static const bars all[] = {
        {"peerwave-tile", "Figure 6.13a: time of a tile, 1024 x 1024", "us", "tile_us", shown_tile_us},
        {"peerwave-throughput", "Figure 6.14: bytes that cells need, over time", "GB/s", "gb_s", shown_rate},
        {"peerwave-sync", "Table 6.1: flags and barriers, average block", "ms", "sync_ms", shown_sync_ms},
    };
    int status = CLI_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && !status; i++)
        status = figure_bars(f, &all[i], f->equal[N_SIZES - 1], N_METHODS);
    return status;
}

/* ---- 6.1, 6.3: idle slots ---- */

/* Lines for n x n square tiles, by formula. */
static void print_formula(figures *f, const uint32_t *workers, size_t n_workers, const double *sides, size_t n_sides,
                          double *value)
{
    for (size_t i = 0; i < n_sides * n_workers; i++) {
        const uint32_t n = (uint32_t)sides[i / n_workers], p = workers[i % n_workers];
        const peer_tiling t = {n, n, 1, 1, 1, 1};
        uint64_t n_tiles, idle = model_idle_slots(&t, p, &n_tiles);
        value[i] = 100.0 * (double)idle / (double)(idle + n_tiles);
        fprintf(f->files.tsv.out, "formula\t%u x %u\t%u\t%llu\t%llu\t%.4g\n", n, n, p, (unsigned long long)idle,
                (unsigned long long)n_tiles, 100.0 * (double)idle / (double)n_tiles);
    }
}

/* Idle time over busy time; equals idle slots over tiles if all tiles take the same time. */
static void print_measured(figures *f, size_t way)
{
    const measured *m = of(f, PEER_SW, way);
    const peer_way *w = &f->ways[way];
    const peer_tally *t = &m->result.total;
    peer_tiling tiling = {f->rows, f->cols, 1, w->height, w->width, (uint32_t)w->is_square};
    uint64_t n_tiles, idle;
    fprintf(f->files.tsv.out, "%s\t%u x %u", w->name, peer_bands(&tiling), peer_tiles(&tiling));
    if (!m->n) {
        fprintf(f->files.tsv.out, "\tskipped\t%s\n", f->no_app[PEER_SW][0] ? f->no_app[PEER_SW] : m->why);
        return;
    }
    idle = model_idle_slots(&tiling, m->n_blocks, &n_tiles);
    fprintf(f->files.tsv.out, "\t%u\t%llu\t%llu\t%.4g\t%.4g\n", m->n_blocks, (unsigned long long)idle,
            (unsigned long long)n_tiles, 100.0 * (double)idle / (double)n_tiles,
            t->busy ? 100.0 * (double)(t->corner + t->between) / (double)t->busy : 0.0);
}

static int figure_idle(figures *f)
{
    enum { N_SIDES = 9, N_WORKERS = 4 };
    static const char *const names[] = {"4 blocks", "15 blocks", "30 blocks", "132 blocks"};
    static const char *const groups[N_SIDES] = {"8", "16", "32", "45", "64", "90", "128", "180", "256"};
    static const double sides[N_SIDES] = {8, 16, 32, 45, 64, 90, 128, 180, 256};
    static const uint32_t workers[N_WORKERS] = {4, 15, 30, 132};
    double value[N_SIDES * N_WORKERS];
    chart c = {
        .title = "Figure 6.3: idle slots under barriers", .note = "by formula; square tiles", .unit = "% of all slots"};
    if (figure_begin(&f->files))
        return CLI_BAD;
    fprintf(f->files.tsv.out, "# %s; sw\nway\ttiles\tblocks\tidle_slots\tn_tiles\tidle_percent\tmeasured_percent\n",
            f->where);
    print_formula(f, workers, N_WORKERS, sides, N_SIDES, value);
    for (size_t s = 0; s < N_SIZES; s++) {
        print_measured(f, f->equal[s][0]);
        print_measured(f, f->equal[s][2]);
    }
    print_measured(f, f->few[0]);
    print_measured(f, f->few[2]);
    chart_fill(&c, N_SIDES, groups, N_WORKERS, names, value);
    c.at = sides;
    c.at_unit = "tiles along a side";
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "peerwave-idle", 1);
}

/* ---- 6.10: the width ---- */

/* A diagonal's and a hand-over's time in ms, from the run itself. */
static model_costs costs_of(const figures *f, size_t app, size_t way)
{
    const measured *m = of(f, app, way);
    const launch_result *r = &m->result;
    const double n = (double)r->total.n_tiles, ms = 1e-6 * r->ns_of_tick;
    const model_costs c = {ms * (double)r->total.busy / n / f->ways[way].width, ms * (double)r->total.sync / n,
                           m->n_blocks};
    return c;
}

static void print_widths(figures *f, size_t app, double *value)
{
    const size_t told = f->wide[5], best = flexible(f, app);
    const peer_tiling t = {f->rows, f->cols, peer_problems[app].n_planes, 1024, 1, 0};
    const int is_known = of(f, app, told)->n && !f->no_app[app][0];
    model_costs costs = {0, 0, 1};
    if (is_known)
        costs = costs_of(f, app, told);
    for (size_t i = 0; i < N_WIDTHS; i++) {
        const measured *m = of(f, app, f->wide[i]);
        const double model = is_known ? model_time(&t, &costs, widths[i]) : 0;
        value[2 * i] = median(m);
        value[2 * i + 1] = model;
        if (m->n)
            fprintf(f->files.tsv.out, "%s\t%u\t%.6g\t%.6g\t%s\n", peer_problems[app].name, widths[i], median(m), model,
                    f->wide[i] == best ? "least" : "-");
        else
            fprintf(f->files.tsv.out, "%s\t%u\tskipped\t%s\n", peer_problems[app].name, widths[i],
                    f->no_app[app][0] ? f->no_app[app] : m->why);
    }
    if (is_known)
        fprintf(f->files.tsv.out, "# %s: equation 6.4 says %.0f columns (a diagonal %.4g us, a hand-over %.4g us)\n",
                peer_problems[app].name, model_width(&t, &costs), 1e3 * costs.diagonal, 1e3 * costs.hand_over);
}

static int figure_width(figures *f)
{
    static const char *const series[] = {"measured", "equation 6.3"};
    char labels[N_WIDTHS][12];
    const char *groups[N_WIDTHS];
    double value[2 * N_WIDTHS], sw[2 * N_WIDTHS] = {0}, at[N_WIDTHS];
    chart c = {.title = "Figure 6.10: peers in hyper-tiles of 1024 rows, sw", .note = f->where, .unit = "ms a run"};
    if (figure_begin(&f->files))
        return CLI_BAD;
    fprintf(f->files.tsv.out, "# %s; costs are those of the run at %u columns\napp\twidth\tmedian_ms\tmodel_ms\tbest\n",
            f->where, widths[5]);
    for (size_t app = 0; app < PEER_APPS; app++)
        print_widths(f, app, app == PEER_SW ? sw : value);
    for (size_t i = 0; i < N_WIDTHS; i++) {
        snprintf(labels[i], sizeof labels[i], "%u", widths[i]);
        groups[i] = labels[i];
        at[i] = log2(widths[i]) - 2;
    }
    chart_fill(&c, N_WIDTHS, groups, 2, series, sw);
    c.at = at;
    c.at_unit = "columns of a tile";
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "peerwave-width", sw[0] > 0);
}

/* ---- 6.12: idle at the corners, and between ---- */

static int print_idle(figures *f, size_t app, size_t way, double *value)
{
    const measured *m = of(f, app, way);
    const double ms = m->n ? 1e-6 * m->result.ns_of_tick / m->n_blocks : 0;
    value[0] = ms * (double)m->result.total.corner;
    value[1] = ms * (double)m->result.total.between;
    fprintf(f->files.tsv.out, "%s\t%s", peer_problems[app].name, f->ways[way].name);
    if (m->n && !f->no_app[app][0])
        fprintf(f->files.tsv.out, "\t%u\t%.6g\t%.6g\t%.6g\n", m->n_blocks, value[0], value[1], median(m));
    else
        fprintf(f->files.tsv.out, "\tskipped\t%s\n", f->no_app[app][0] ? f->no_app[app] : m->why);
    return m->n > 0;
}

static int figure_corner(figures *f)
{
    enum { N_SHOWN = PEER_APPS * N_METHODS };
    static const char *const short_names[] = {"B", "P", "BH", "PH"}, *const series[] = {"corner", "between"};
    char labels[N_SHOWN][16];
    const char *groups[N_SHOWN];
    double value[2 * N_SHOWN], other[2];
    int any = 0;
    chart c = {.title = "Figure 6.12: idle time of an average block, tiles of 256 x 256", .unit = "ms", .stacked = 1};
    char note[300];
    if (figure_begin(&f->files))
        return CLI_BAD;
    snprintf(note, sizeof note, "%s; B: barriers, P: peers, H: hyper-tiles; of each application in this order",
             f->where);
    c.note = note;
    fprintf(f->files.tsv.out, "# %s\napp\tway\tblocks\tcorner_ms\tbetween_ms\tmedian_ms\n", f->where);
    for (size_t i = 0; i < N_SHOWN; i++) {
        const size_t app = i / N_METHODS, k = i % N_METHODS;
        any |= print_idle(f, app, f->equal[0][k], &value[2 * i]);
        (void)print_idle(f, app, f->equal[N_SIZES - 1][k], other);
        snprintf(labels[i], sizeof labels[i], "%.8s", k ? short_names[k] : peer_problems[app].name);
        groups[i] = labels[i];
    }
    for (size_t k = 0; k < N_METHODS; k++)
        (void)print_idle(f, PEER_SW, f->few[k], other);
    chart_fill(&c, N_SHOWN, groups, 2, series, value);
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "peerwave-corner", any);
}

/* ---- heddle beside them ---- */

static double least_of(const figures *f, size_t app, size_t begin, size_t end, const char *prefix, const char **name)
{
    double least = 0;
    for (size_t w = begin; w < end; w++) {
        const double ms = median(of(f, app, w));
        const char *way = f->ways[w].name;
        const size_t n = strlen(prefix);
        if (ms <= 0 || strncmp(way, prefix, n) != 0 || (n && way[n] != ' ') || (least > 0 && ms >= least))
            continue;
        least = ms;
        *name = way;
    }
    return least;
}

/* Baselines, as multiples of the wave's time. */
enum { N_BASES = 7 };
static const char *const bases[N_BASES] = {
    "barriers, hyper-tiles of 1024", "barriers, best tiles", "levels",           "CUDA graph",
    "CUDA graph, programmatic",      "peers, 1024",          "peers, best width"};

static void find_bases(const figures *f, size_t app, double ms[N_BASES], const char *names[N_BASES])
{
    const size_t last = N_SIZES - 1;
    size_t best = flexible(f, app);
    memset(ms, 0, N_BASES * sizeof *ms);
    for (size_t i = 0; i < N_BASES; i++)
        names[i] = "-";
    ms[0] = median(of(f, app, f->equal[last][2]));
    names[0] = f->ways[f->equal[last][2]].name;
    ms[1] = least_of(f, app, f->barriers_begin, f->barriers_end, "", &names[1]);
    for (size_t s = 0; s < N_SIZES; s++) {
        const double equal = median(of(f, app, f->equal[s][2]));
        if (equal > 0 && (ms[1] <= 0 || equal < ms[1])) {
            ms[1] = equal;
            names[1] = f->ways[f->equal[s][2]].name;
        }
    }
    ms[2] = least_of(f, app, f->tasks_begin, f->tasks_end, heddle_schedule_name(HEDDLE_SCHEDULE_LEVELS), &names[2]);
    ms[3] = least_of(f, app, f->tasks_begin, f->tasks_end, heddle_schedule_name(HEDDLE_SCHEDULE_GRAPH), &names[3]);
    ms[4] = least_of(f, app, f->tasks_begin, f->tasks_end, heddle_schedule_name(HEDDLE_SCHEDULE_GRAPH_PDL), &names[4]);
    ms[5] = median(of(f, app, f->equal[last][3]));
    names[5] = f->ways[f->equal[last][3]].name;
    ms[6] = median(of(f, app, best));
    names[6] = f->ways[best].name;
}

/* The wave to compare with: of the same cells, or of the application's own tiles if that is quicker. */
static size_t best_wave(const figures *f, size_t app)
{
    const double tiles = median(of(f, app, f->app_tiles)), cells = median(of(f, app, f->wave));
    return tiles > 0 && (cells <= 0 || tiles < cells) ? f->app_tiles : f->wave;
}

static void print_bases(figures *f, size_t app, double *value, double *logs, size_t *n_logs)
{
    double ms[N_BASES];
    const char *names[N_BASES];
    const size_t wave = best_wave(f, app);
    const double wave_ms = median(of(f, app, wave));
    find_bases(f, app, ms, names);
    for (size_t i = 0; i < N_BASES; i++) {
        value[i] = wave_ms > 0 ? ms[i] / wave_ms : 0;
        fprintf(f->files.tsv.out, "%s\t%s\t%s", peer_problems[app].name, f->ways[wave].name, bases[i]);
        if (value[i] <= 0) {
            fprintf(f->files.tsv.out, "\tskipped\t%s\n",
                    f->l.backend == HEDDLE_CUDA ? "not measured" : "there is no GPU");
            continue;
        }
        fprintf(f->files.tsv.out, "\t%s\t%.6g\t%.6g\t%.4g\n", names[i], wave_ms, ms[i], value[i]);
        if (app != PEER_HEAT2D) {
            logs[i] += log(value[i]);
            n_logs[i]++;
        }
    }
}

static int figure_wave(figures *f)
{
    const char *groups[PEER_APPS + 1];
    double value[(PEER_APPS + 1) * N_BASES], logs[N_BASES] = {0};
    size_t n_logs[N_BASES] = {0};
    int any = 0;
    chart c = {.title = "heddle's wave: how many times as long others take", .note = f->where, .unit = "times"};
    if (figure_begin(&f->files))
        return CLI_BAD;
    fprintf(f->files.tsv.out, "# %s\napp\twave\tbeside\tway\twave_ms\tway_ms\ttimes\n", f->where);
    for (size_t app = 0; app < PEER_APPS; app++) {
        groups[app] = peer_problems[app].name;
        print_bases(f, app, &value[app * N_BASES], logs, n_logs);
    }
    groups[PEER_APPS] = "geometric mean";
    for (size_t i = 0; i < N_BASES; i++) {
        value[PEER_APPS * N_BASES + i] = n_logs[i] ? exp(logs[i] / (double)n_logs[i]) : 0;
        any |= n_logs[i] > 0;
        if (n_logs[i])
            fprintf(f->files.tsv.out, "# %s: geometric mean over %zu applications, without heat2d: %.4g\n", bases[i],
                    n_logs[i], value[PEER_APPS * N_BASES + i]);
    }
    chart_fill(&c, PEER_APPS + 1, groups, N_BASES, bases, value);
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "peerwave-wave", any);
}

/* All ways with their times, for further analysis; too many to draw on a GPU. */
static int figure_all(figures *f)
{
    size_t ways[MOST_WAYS];
    const bars b = {"peerwave-ways", "All ways", "ms a run", NULL, shown_ms};
    for (size_t w = 0; w < f->n_ways; w++)
        ways[w] = w;
    if (f->l.backend == HEDDLE_CUDA)
        return figure_bars(f, &b, ways, f->n_ways);
    /* On threads: all that exist. */
    ways[0] = f->wave;
    ways[1] = f->row_only;
    ways[2] = f->app_tiles;
    for (size_t w = f->tasks_begin; w < f->tasks_end; w++)
        ways[3 + w - f->tasks_begin] = w;
    return figure_bars(f, &b, ways, 3 + f->tasks_end - f->tasks_begin);
}

/* ---- 6.13b: the L2 cache ---- */

/* The program for ncu: runs each method once, unchecked. */
static int run_launches(figures *f)
{
    measured m;
    char why[200] = "";
    for (size_t i = 0; i < NCU_LAUNCHES; i++) {
        const peer_app app = (peer_app)(i / N_METHODS);
        memset(&m, 0, sizeof m);
        if (i % N_METHODS == 0 && lab_load(&f->l, app, f->rows, f->cols, why))
            return cli_bad("%s: %s", peer_problems[app].name, why);
        if (lab_run_kernel(&f->l, &f->ways[f->equal[N_SIZES - 1][i % N_METHODS]], &m))
            return cli_bad("%s: %s", peer_problems[app].name, m.why);
    }
    return CLI_OK;
}

static int figure_misses(figures *f)
{
    static const char *const groups[] = {"sw", "dtw", "sat", "inthist", "heat", "sor"};
    double value[NCU_LAUNCHES];
    ncu_counts counts = {.why = "there is no GPU"};
    chart c = {.title = "Figure 6.13b: sectors read that the L2 cache lacked", .unit = "million sectors of 32 bytes"};
    if (figure_begin(&f->files))
        return CLI_BAD;
    if (f->l.backend == HEDDLE_CUDA)
        ncu_count(&counts, f->o, f->l.deadline_ns);
    fprintf(f->files.tsv.out, "# %s; by ncu, fields of %u x %u\napp\tway\tread_sectors_missed\tdram_bytes\n", f->where,
            NCU_SIDE, NCU_SIDE);
    for (size_t i = 0; i < NCU_LAUNCHES; i++) {
        value[i] = 1e-6 * counts.misses[i];
        if (counts.n)
            fprintf(f->files.tsv.out, "%s\t%s\t%.0f\t%.0f\n", groups[i / N_METHODS], methods[i % N_METHODS],
                    counts.misses[i], counts.bytes[i]);
        else
            fprintf(f->files.tsv.out, "%s\t%s\tskipped\t%s\n", groups[i / N_METHODS], methods[i % N_METHODS],
                    counts.why);
    }
    c.note = "tiles of 1024 x 1024, by ncu";
    chart_fill(&c, NCU_LAUNCHES / N_METHODS, groups, N_METHODS, methods, value);
    chart_print(&c, f->files.svg.out);
    return figure_end(&f->files, "peerwave-misses", counts.n > 0);
}

/* ---- the command ---- */

static const char *option(const options *o, const char *key)
{
    for (size_t i = 0; i < o->request.n_opts; i++)
        if (!strcmp(o->request.opts[i].key, key))
            return o->request.opts[i].value;
    return NULL;
}

static int describe(figures *f)
{
    const options *o = f->o;
    const char *seconds = option(o, "seconds");
    uint64_t n_seconds = 160;
    if (seconds && cli_parse_u64(seconds, 1, 100000, &n_seconds))
        return cli_bad("--opt seconds=%s: a whole number from 1 to 100000 is expected", seconds);
    for (size_t i = 0; i < o->request.n_opts; i++)
        if (strcmp(o->request.opts[i].key, "seconds") != 0 && strcmp(o->request.opts[i].key, "apps") != 0 &&
            strcmp(o->request.opts[i].key, "ncu") != 0)
            return cli_bad("--opt %s: of --figures peerwave there are seconds and apps", o->request.opts[i].key);
    f->rows = (uint32_t)(o->request.n[0] ? o->request.n[0] : f->l.backend == HEDDLE_CUDA ? 46080 : 2304);
    f->cols = o->request.n[1] ? (uint32_t)o->request.n[1] : f->rows;
    if (o->request.n[0] > 65536 || o->request.n[1] > 65536)
        return cli_bad("-n: fields of --figures peerwave have 65536 rows and columns at most");
    f->l.deadline_ns = cli_now_ns() + n_seconds * 1000000000u;
    f->files.dir = o->out ? o->out : ".";
    snprintf(f->where, sizeof f->where, "%s; %u x %u, inthist with %u bins; medians of %zu runs",
             f->l.backend == HEDDLE_CUDA ? "backend cuda" : "no GPU here: backend cpu", f->rows, f->cols,
             peer_problems[PEER_INTHIST].n_planes, figure_runs(o));
    list_ways(f);
    return CLI_OK;
}

static int print_all(figures *f)
{
    int status = figure_idle(f);
    for (size_t s = 0; s < N_SIZES && !status; s++)
        status = figure_times(f, s);
    return status || figure_width(f) || figure_speedup(f) || figure_corner(f) || figures_of_methods(f) ||
                   figure_wave(f) || figure_all(f) || figure_misses(f)
               ? CLI_BAD
               : CLI_OK;
}

int figures_peerwave(const options *o)
{
    figures *f = calloc(1, sizeof *f);
    int status =
        f && (f->all = calloc((size_t)PEER_APPS * MOST_WAYS, sizeof *f->all)) ? CLI_OK : cli_bad("out of memory");
    if (!status) {
        f->o = o;
        status = lab_open(&f->l, o);
    }
    if (!status) {
        status = describe(f);
        if (!status && option(o, "ncu"))
            status = run_launches(f);
        else if (!status) {
            for (size_t app = 0; app < PEER_APPS; app++)
                measure_app(f, app);
            status = print_all(f);
        }
        status = status ? status : f->l.wrong ? CLI_WRONG : CLI_OK;
        lab_close(&f->l);
    }
    free(f ? f->all : NULL);
    free(f);
    return status;
}
