/* SPDX-License-Identifier: MIT */
/* simulate_apps.c - the apps of simulated jobs, and the least time that each needs.
 *
 * matmul: C is cut into blocks x blocks_2 blocks, one after the other, every second row of them backwards. For each block panels of A and B
 * come, and each is a job. Slices of a job are rows of the block. By itself C is one block if all fits;
 * else the fewest blocks that leave a tenth of the pools for panels.
 * hotspot: a job is a step from one array to the other, with a row more above and below.
 * ep: each grain writes a row of results, which goes home. */
#include "engine/multi/simulated.h"

#include <math.h>

#define FLOAT 4u
#define EP_BYTES 96u
#define LEAST_PANEL 64u
#define MOST_GRAINS 8192u
#define PANELS 16u /* where all fits: the first body begins after a sixteenth of A and B */
#define ROOM_OF_PANEL 0.25

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }
static uint64_t over(uint64_t x, uint64_t by) { return (x + by - 1u) / by; }

double hd_sim_work(const hd_sim_kind *k, const hd_grains *b)
{
    const uint64_t rows = hd_at_most(b->end * k->grain, k->n_rows) - b->begin * k->grain;
    const uint64_t bytes = hd_at_most(b->end_2 * k->grain_2, k->n_bytes) - b->begin_2 * k->grain_2;
    return k->work * (double)rows * ((double)bytes / (double)k->n_bytes);
}

static int get_kinds(hd_sim_app *a, uint64_t n)
{
    a->kinds = hd_new(n * sizeof *a->kinds);
    a->n_kinds = a->kinds ? n : 0;
    return a->kinds ? 0 : -1;
}

static void set_size(hd_sim_kind *k, uint64_t n_rows, uint64_t n_bytes, double work)
{
    k->n_rows = n_rows;
    k->grain = over(n_rows, MOST_GRAINS);
    k->n_bytes = n_bytes;
    k->grain_2 = n_bytes;
    k->work = work;
}

/* ---- what devices have together ----------------------------------------------------------------------------------------------- */

typedef struct together {
    double rate, in, out;
    uint64_t least_pool;
    int has_peers;
} together;

static together sum_of(const heddle_jobs_simulation *d)
{
    together t = {0, 0, 0, UINT64_MAX, d->n_devices > 1};
    uint32_t i;
    for (i = 0; i < d->n_devices; i++) {
        const heddle_simulated_gpu *g = &d->devices[i];
        t.rate += g->rate;
        t.in += g->in.bytes_ns;
        t.out += g->out.bytes_ns;
        t.least_pool = g->pool_bytes && g->pool_bytes < t.least_pool ? g->pool_bytes : t.least_pool;
        t.has_peers &= g->port.bytes_ns > 0;
    }
    return t;
}

/* Both ways, over links and from memory. */
static double carried_ns(const heddle_jobs_simulation *d, const together *t, double in, double out)
{
    const double links = larger(in / t->in, out / t->out);
    return d->memory_ns > 0 ? larger(links, (in + out) / d->memory_ns) : links;
}

static void set_bound(hd_sim_app *a, const heddle_jobs_simulation *d, double work, double in, double out, double first,
                      double last_ns)
{
    const together t = sum_of(d);
    heddle_simulated_jobs *b = &a->bound;
    b->rates_ns = work / t.rate;
    b->links_ns = larger(in / t.in, out / t.out);
    b->memory_ns = d->memory_ns > 0 ? (in + out) / d->memory_ns : 0;
    b->first_ns = carried_ns(d, &t, first, 0);
    b->last_ns = last_ns;
    b->bound_ns = larger(b->rates_ns, larger(b->links_ns, b->memory_ns)) + b->first_ns + b->last_ns;
    b->least_in = (uint64_t)in;
}

/* ---- matmul --------------------------------------------------------------------------------------------------------------------- */

/* All of B beside a device's rows of A and C. */
static int fits(const heddle_jobs_simulation *d, const together *t)
{
    const double all = (double)d->n * (double)d->n * FLOAT;
    return all + 2 * all / d->n_devices <= 0.8 * (double)t->least_pool;
}

/* The fewest blocks that leave a tenth of the pools, as square as can be. */
static void choose_blocks(hd_sim_app *a, const heddle_jobs_simulation *d, const together *t)
{
    const double c = (double)d->n * (double)d->n * FLOAT / d->n_devices;
    const double least = ceil(c / (0.9 * (double)t->least_pool));
    uint32_t p, q, best = UINT32_MAX;
    a->bound.blocks = a->bound.blocks_2 = 1;
    if (fits(d, t))
        return;
    for (p = 1; p <= 1024u; p++) {
        q = (uint32_t)ceil(least / p);
        if (p + q > best || q > 1024u || (p + q == best && p > q))
            continue;
        best = p + q;
        a->bound.blocks = p;
        a->bound.blocks_2 = q;
    }
}

/* Several panels fit into what a block of C leaves. */
static uint32_t choose_panels(const hd_sim_app *a, const heddle_jobs_simulation *d, const together *t)
{
    const double n = (double)d->n, rows = n / a->bound.blocks / d->n_devices, columns = n / a->bound.blocks_2;
    const double left = (double)t->least_pool - rows * columns * FLOAT, all = (rows + columns) * n * FLOAT;
    const double most = larger(1, n / LEAST_PANEL);
    double panels = PANELS;
    if (t->least_pool != UINT64_MAX && left > 0)
        panels = larger(panels, ceil(all / (ROOM_OF_PANEL * left)));
    return (uint32_t)smaller(panels, most);
}

static void cut_matmul(hd_sim_app *a, const heddle_jobs_simulation *d)
{
    const together t = sum_of(d);
    if (d->blocks) {
        a->bound.blocks = d->blocks;
        a->bound.blocks_2 = d->blocks_2 ? d->blocks_2 : 1;
    } else {
        choose_blocks(a, d, &t);
    }
    a->bound.panels = d->panels ? d->panels : choose_panels(a, d, &t);
}

static hd_seg_rect part(uint64_t n, uint64_t i, uint64_t of, uint64_t j, uint64_t of_2)
{
    return (hd_seg_rect){n * i / of, n * (i + 1u) / of, n * j / of_2 * FLOAT, n * (j + 1u) / of_2 * FLOAT};
}

static void set_panel(hd_sim_kind *k, const hd_sim_app *a, const heddle_jobs_simulation *d, uint64_t i, uint64_t j,
                      uint64_t panel)
{
    const uint64_t p = a->bound.blocks, q = a->bound.blocks_2, s = a->bound.panels;
    const hd_seg_rect c = part(d->n, i, p, j, q), x = part(d->n, i, p, panel, s), y = part(d->n, panel, s, j, q);
    const uint32_t by_bytes = d->n_tasks_2 > 1;
    k->n_uses = 3;
    k->uses[0] = (hd_sim_use){0, HEDDLE_MODE_IN, x, 1, 0, 0, 0};
    k->uses[1] = (hd_sim_use){1, HEDDLE_MODE_IN, y, 0, by_bytes, 0, 0};
    k->uses[2] = (hd_sim_use){2, panel ? HEDDLE_MODE_INOUT : HEDDLE_MODE_OUT, c, 1, by_bytes, 0, 0};
    set_size(k, c.end_row - c.row, c.end_byte - c.byte,
             2.0 * (double)((c.end_byte - c.byte) / FLOAT) * (double)(y.end_row - y.row));
    if (by_bytes)
        k->grain_2 = 64u * FLOAT;
}

/* Each block of A is read for each column of blocks, and of B for each row of them, and by each device if they do not reach one another. */
static void bound_matmul(hd_sim_app *a, const heddle_jobs_simulation *d)
{
    const together t = sum_of(d);
    const double n = (double)d->n, all = n * n * FLOAT, p = a->bound.blocks, q = a->bound.blocks_2, s = a->bound.panels;
    const double copies = t.has_peers ? 1 : d->n_devices, in = (q + p * copies) * all;
    const double first = all / s / q * copies; /* a panel of B */
    const double work = 2 * n * n * n, last = work / (p * q * s) / t.rate;
    set_bound(a, d, work, in, all, first, larger(0, carried_ns(d, &t, 0, all / (p * q)) - last));
}

static heddle_status open_matmul(hd_sim_app *a, const heddle_jobs_simulation *d)
{
    uint64_t i, j, panel, at = 0;
    uint32_t x;
    cut_matmul(a, d);
    if (a->bound.blocks > d->n || a->bound.blocks_2 > d->n || a->bound.panels > d->n)
        return hd_say(NULL, HEDDLE_EINVAL, "matmul of n = %llu cannot be cut so often", (unsigned long long)d->n);
    a->n_arrays = 3;
    a->result = 2;
    for (x = 0; x < 3u; x++) {
        a->n_rows[x] = d->n;
        a->row_bytes[x] = d->n * FLOAT;
    }
    a->n_jobs = (uint64_t)a->bound.blocks * a->bound.blocks_2 * a->bound.panels;
    if (get_kinds(a, a->n_jobs))
        return hd_say(NULL, HEDDLE_ENOMEM, "no memory to simulate %llu jobs", (unsigned long long)a->n_jobs);
    for (i = 0; i < a->bound.blocks; i++)
        for (j = 0; j < a->bound.blocks_2; j++)
            for (panel = 0; panel < a->bound.panels; panel++)
                set_panel(&a->kinds[at++], a, d, i, i % 2u ? a->bound.blocks_2 - 1u - j : j, panel);
    bound_matmul(a, d);
    return HEDDLE_OK;
}

/* ---- hotspot ---------------------------------------------------------------------------------------------------------------------- */

static void set_step(hd_sim_kind *k, const heddle_jobs_simulation *d, uint32_t from)
{
    const hd_seg_rect all = {0, d->n, 0, d->n * FLOAT};
    k->n_uses = 3;
    k->uses[0] = (hd_sim_use){from, HEDDLE_MODE_IN, all, 1, 0, 1, 0};
    k->uses[1] = (hd_sim_use){1u - from, HEDDLE_MODE_OUT, all, 1, 0, 0, 0};
    k->uses[2] = (hd_sim_use){2, HEDDLE_MODE_IN, all, 1, 0, 0, 0};
    set_size(k, d->n, d->n * FLOAT, (double)d->n);
}

static heddle_status open_hotspot(hd_sim_app *a, const heddle_jobs_simulation *d)
{
    const together t = sum_of(d);
    const double row = (double)d->n * FLOAT, all = row * (double)d->n, halos = 2.0 * (d->n_devices - 1u) * row;
    const double by_host = t.has_peers ? 0 : halos * ((double)d->n_steps - 1);
    uint32_t x;
    a->n_arrays = 3;
    a->n_jobs = d->n_steps;
    a->result = d->n_steps % 2u;
    for (x = 0; x < 3u; x++) {
        a->n_rows[x] = d->n;
        a->row_bytes[x] = (uint64_t)row;
    }
    if (get_kinds(a, 2))
        return hd_say(NULL, HEDDLE_ENOMEM, "no memory to simulate steps");
    set_step(&a->kinds[0], d, 0);
    set_step(&a->kinds[1], d, 1);
    set_bound(a, d, (double)d->n * (double)d->n * d->n_steps, 2 * all + by_host, all + by_host, 2 * all,
              carried_ns(d, &t, 0, all));
    a->bound.bound_ns = larger(a->bound.rates_ns, carried_ns(d, &t, by_host, by_host)) + a->bound.first_ns +
                        a->bound.last_ns; /* nothing else is carried during steps */
    return HEDDLE_OK;
}

/* ---- ep ----------------------------------------------------------------------------------------------------------------------------- */

static heddle_status open_ep(hd_sim_app *a, const heddle_jobs_simulation *d)
{
    const hd_seg_rect all = {0, d->n, 0, EP_BYTES};
    a->n_arrays = 1;
    a->n_jobs = d->n_steps;
    a->n_rows[0] = d->n;
    a->row_bytes[0] = EP_BYTES;
    if (get_kinds(a, 1))
        return hd_say(NULL, HEDDLE_ENOMEM, "no memory to simulate a job");
    a->kinds[0].n_uses = 1;
    a->kinds[0].uses[0] = (hd_sim_use){0, HEDDLE_MODE_OUT, all, 1, 0, 0, 1};
    set_size(&a->kinds[0], d->n, EP_BYTES, 1);
    set_bound(a, d, (double)d->n * d->n_steps, 0, (double)d->n * EP_BYTES * d->n_steps, 0, 0);
    return HEDDLE_OK;
}

heddle_status hd_sim_app_open(hd_sim_app *a, const heddle_jobs_simulation *d)
{
    switch (d->job) {
    case HEDDLE_SIMULATED_JOB_MATMUL: return open_matmul(a, d);
    case HEDDLE_SIMULATED_JOB_HOTSPOT: return open_hotspot(a, d);
    default: return open_ep(a, d);
    }
}

void hd_sim_app_close(hd_sim_app *a) { hd_delete(a->kinds, a->n_kinds * sizeof *a->kinds); }
