/* SPDX-License-Identifier: MIT */
/* peerwave_rows.c - the figures of PeerWave from made-up times in place of a GPU's: all files are written, and values
 * computed from several rows are right. */
#include "check.h"
#include "lab.h"
#include "ncu.h"
#include "papers.h"

#include <string.h>
#include <unistd.h>

/* ---- a lab and ncu without a GPU ---- */

int lab_open(lab *l, const options *o)
{
    memset(l, 0, sizeof *l);
    l->o = o;
    l->backend = HEDDLE_CUDA;
    l->n_units = 132;
    return CLI_OK;
}
void lab_close(lab *l) { (void)l; }
int lab_try(lab *l, peer_app app, char why[200])
{
    (void)l;
    snprintf(why, 200, "%s", app == PEER_HEAT ? "the GPU has a cold" : "");
    return app == PEER_HEAT ? CLI_BAD : CLI_OK;
}
int lab_load(lab *l, peer_app app, uint32_t rows, uint32_t cols, char why[200])
{
    (void)why;
    l->app = app;
    l->rows = rows;
    l->cols = cols;
    return CLI_OK;
}
void lab_unload(lab *l) { (void)l; }
int lab_run_kernel(lab *l, const peer_way *w, measured *m)
{
    (void)l, (void)w, (void)m;
    return -1;
}

/* Barriers 40 ms, peers 20, square tiles twice that; 16 columns are the quickest. A wave 5, its tiles 4; tasks from 10. */
static double ms_of(const peer_way *w)
{
    if (w->kind == PEER_WAVE)
        return 5;
    if (w->kind == PEER_APP_TILES)
        return 4;
    if (w->kind == PEER_SCHEDULE)
        return 10.0 + (double)(w->width >> 10);
    if (w->kind != PEER_KERNEL)
        return 3;
    return (w->is_barrier ? 40.0 : w->width == 16 ? 15.0 : 20.0) * (w->is_square ? 2 : 1);
}

void lab_measure(lab *l, const peer_way *w, size_t n_runs, measured *m)
{
    memset(m, 0, sizeof *m);
    if (w->kind == PEER_APP_TILES && l->app != PEER_SAT && l->app != PEER_INTHIST) {
        snprintf(m->why, sizeof m->why, "it is a wave of cells");
        return;
    }
    for (size_t i = 0; i < n_runs; i++)
        figure_put(m->ms, m->n++, ms_of(w) + 0.5 * (double)i);
    m->n_blocks = w->n_blocks ? w->n_blocks : 45;
    m->result.ns_of_tick = 0.5;
    m->result.total.n_tiles = 1000;
    m->result.total.busy = 2000000;
    m->result.total.sync = 90000;
    m->result.total.corner = 180000;
    m->result.total.between = w->is_barrier ? 360000 : 0;
}

void ncu_count(ncu_counts *out, const options *o, uint64_t deadline_ns)
{
    (void)o, (void)deadline_ns;
    memset(out, 0, sizeof *out);
    out->n = NCU_LAUNCHES;
    for (int i = 0; i < NCU_LAUNCHES; i++)
        out->misses[i] = 1e6 * (i + 1);
}

/* ---- */

/* The file must have the line. */
static void has(const char *name, const char *line)
{
    char path[64], text[1024];
    int found = 0;
    FILE *in;
    snprintf(path, sizeof path, "peerwave-%s.tsv", name);
    in = fopen(path, "r");
    CHECK_MSG(in, "%s is not there", path);
    while (!found && fgets(text, sizeof text, in))
        found = !strncmp(text, line, strlen(line)) && text[strlen(line)] == '\n';
    fclose(in);
    CHECK_MSG(found, "%s has no line \"%s\"", path, line);
}

static void is_drawn(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "peerwave-%s.svg", name);
    CHECK_MSG(access(path, R_OK) == 0, "%s is not there", path);
}

int main(void)
{
    static const char *const drawn[] = {"idle",   "times-256", "times-512",  "times-1024", "width", "speedup",
                                        "corner", "tile",      "throughput", "sync",       "wave",  "misses"};
    char folder[] = "/tmp/peerwave_rows.XXXXXX";
    options o;
    memset(&o, 0, sizeof o);
    o.runs = 3;
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    CHECK(figures_peerwave(&o) == CLI_OK);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        is_drawn(drawn[i]);
    has("times-256", "sw\tbarriers 256\t80.5\t80\t81");
    has("times-1024", "heat\tbarriers 1024\tskipped\tthe GPU has a cold");
    has("speedup", "dtw\tpeers, hyper-tiles 1024\t1.97561\t20.5\t20\t21"); /* 40.5 / 20.5 */
    has("width", "sw\t16\t15.5\t0.62393\tleast");
    has("corner", "sw\tbarriers 256\t45\t0.002\t0.004\t80.5");
    has("sync", "sw\tpeers 1024\t0.001\t40.5\t40\t41");
    has("tile", "sw\tpeers 1024\t1\t40.5\t40\t41");
    has("idle", "barriers 1024\t45 x 45\t45\t1980\t2025\t97.78\t27");
    has("wave", "sat\twave of tiles\tbarriers, hyper-tiles of 1024\tbarriers, hyper-tiles 1024\t4.5\t40.5\t9");
    has("wave", "sw\twave\tCUDA graph, programmatic\tgraph+pdl 256\t5.5\t10.5\t1.909");
    has("wave", "# peers, best width: geometric mean over 5 applications, without heat2d: 3.054");
    has("misses", "dtw\tbarriers\t5000000\t0");
    has("ways", "dtw\tpeers 1024, 15 blocks\tskipped\tsw shows it");
    has("throughput", "sat\tbarriers 1024\t131.886\t80.5\t80\t81");
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        char path[64];
        snprintf(path, sizeof path, "peerwave-%s.tsv", drawn[i]);
        (void)remove(path);
        snprintf(path, sizeof path, "peerwave-%s.svg", drawn[i]);
        (void)remove(path);
    }
    (void)remove("peerwave-ways.tsv");
    CHECK_MSG(rmdir(folder) == 0, "%s has files that nobody knows", folder);
    return 0;
}
