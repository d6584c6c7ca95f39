/* SPDX-License-Identifier: MIT */
/* simulated.c - a case of the figures of MESI-CUDA's scheduling, in virtual time, and the least time of a measured one, which a simulation
 * knows, too. Machines of the paper have links of 10 GB/s and a thread that needs 5 us for each op; the others are about a host with H200s. */
#include "mesi.h"

#include "cli.h"

#include <string.h>

static heddle_simulated_gpu gpu_of(const mesi_case *c, uint32_t i)
{
    const mesi_machine *m = c->machine;
    heddle_simulated_gpu g = {.rate = m->rate[c->app][i], .weight = m->weight[i]};
    g.in = m->is_paper ? (heddle_simulated_link){10, 10000} : (heddle_simulated_link){55, 2900};
    g.out = m->is_paper ? g.in : (heddle_simulated_link){50, 2900};
    g.port = m->is_paper ? (heddle_simulated_link){10, 10000} : (heddle_simulated_link){380, 2900};
    g.port.bytes_ns = m->has_peers ? g.port.bytes_ns : 0;
    return g;
}

static heddle_jobs_simulation simulation_of(const mesi_case *c)
{
    heddle_jobs_simulation d = HEDDLE_JOBS_SIMULATION_INIT;
    d.job = c->app;
    d.n = c->n;
    d.n_steps = c->n_steps;
    d.map = c->way.map;
    d.n_tasks = c->way.n_tasks == UINT32_MAX ? c->machine->n_gpus : c->way.n_tasks;
    d.keeps = c->way.keeps;
    d.n_devices = c->machine->n_gpus;
    d.memory_ns = c->machine->is_paper ? 25 : 134;
    if (d.n_tasks) /* a job of the paper is the whole product */
        d.panels = 1;
    if (c->machine->is_paper) {
        d.op_ns = d.body_ns = 5000;
        d.hop_ns = 10000;
    }
    return d;
}

int mesi_simulate(const mesi_case *c, mesi_result *out)
{
    heddle_jobs_simulation d = simulation_of(c);
    heddle_simulated_jobs r = HEDDLE_SIMULATED_JOBS_INIT;
    heddle_simulated_gpu gpus[MESI_MOST_GPUS];
    heddle_simulated_gpu_use uses[MESI_MOST_GPUS];
    heddle_status status;
    for (uint32_t i = 0; i < d.n_devices; i++)
        gpus[i] = gpu_of(c, i);
    d.devices = gpus;
    status = heddle_simulate_jobs(&d, &r, uses);
    if (status)
        return cli_heddle_bad(NULL, status);
    *out = (mesi_result){.ms = (double)r.time_ns / 1e6, .bound_ms = r.bound_ns / 1e6, .source = "simulated"};
    for (uint32_t i = 0; i < d.n_devices; i++) {
        const uint64_t bytes[] = {uses[i].bytes_in, uses[i].bytes_out, uses[i].bytes_peers, uses[i].bytes_sent};
        memcpy(out->links.bytes[out->links.n++], bytes, sizeof bytes);
    }
    out->over_model = mesi_over_model(c, &out->links, c->machine->has_peers);
    return CLI_OK;
}

/* ---- bounds of what is measured ---- */

#define EP_GRAIN (UINT64_C(1) << 18) /* pairs, of which a row of results goes home */

/* Simulations count matmul's additions and multiplications, and ep's grains. */
static double per_unit(heddle_simulated_job app)
{
    return app == HEDDLE_SIMULATED_JOB_MATMUL ? 2 : app == HEDDLE_SIMULATED_JOB_EP ? 1.0 / (double)EP_GRAIN : 1;
}

/* Parts of a GPU share its link. All devices reach one another. */
static heddle_simulated_gpu device_of(const mesi_ask *a, const mesi_case *c, const mesi_gpus *g)
{
    const double part = (double)g->n_gpus / g->n_devices;
    return (heddle_simulated_gpu){.rate = part * g->rate * per_unit(c->app),
                                  .pool_bytes = g->pool_bytes,
                                  .in = {part * a->one.in, 0},
                                  .out = {part * a->one.out, 0},
                                  .port = {part * a->one.in, 0}};
}

double mesi_bound_ms(const mesi_ask *a, const mesi_case *c, const mesi_gpus *g)
{
    const mesi_machine here = {.n_gpus = g->n_devices};
    mesi_case there = *c;
    heddle_simulated_gpu gpus[BY_HAND_MOST_GPUS];
    heddle_simulated_jobs r = HEDDLE_SIMULATED_JOBS_INIT;
    heddle_jobs_simulation d;
    if (!a->has_copies || !g->n_gpus || g->n_devices > BY_HAND_MOST_GPUS || g->rate <= 0)
        return 0;
    there.machine = &here;
    if (c->app == HEDDLE_SIMULATED_JOB_EP)
        there.n = (c->n + EP_GRAIN - 1) / EP_GRAIN;
    d = simulation_of(&there);
    for (uint32_t i = 0; i < g->n_devices; i++)
        gpus[i] = device_of(a, c, g);
    d.devices = gpus;
    d.memory_ns = g->n_gpus == 1 ? a->one.both : a->all.both;
    return heddle_simulate_jobs(&d, &r, NULL) == HEDDLE_OK ? r.bound_ns / 1e6 : 0;
}
