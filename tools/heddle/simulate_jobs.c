/* SPDX-License-Identifier: MIT */
/* simulate_jobs.c - `heddle simulate GPUS --jobs APP`: jobs over GPUs that are not here; a row a map, and what each GPU did. */
#include "simulate_spec.h"

#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GPUS = 64 };

const char simulate_jobs_help[] =
    "With --jobs APP, FLEET is up to 64 GPUs: [N*]NAME[:KEY=VALUE,...]. Keys:\n"
    "  rate    operations a second; default: matmul 51e12, hotspot 1428e9 (cells), ep 3e5 (grains)\n"
    "  speed   the part of it that this one has; default 1\n"
    "  weight  speed by data sheet; default: the rate\n"
    "  pool    bytes for arrays; default 0, as much as is wanted\n"
    "  in, out bytes a second from the host and to it; default 55e9, 50e9\n"
    "  port    bytes a second to other GPUs, each way; default 380e9; 0: they do not reach one another\n"
    "  latency TIME of a copy; default 2.9us\n"
    "Jobs (--loop), as KEY=VALUE,...:\n"
    "  n       rows and columns, default 8192; of ep grains, default 65536\n"
    "  steps   jobs of hotspot and ep, one after another; default 1\n"
    "  map     settle, fixed, free, static, all; default settle\n"
    "  tasks, columns   slices of a job; parts of the columns of matmul, each with so many; default: as is good\n"
    "  blocks, blocks_2, panels   of matmul: C is cut into blocks x blocks_2, for which panels come; default: by the "
    "pools\n"
    "  keep    0: all data go home after each job, and come anew for the next; default 1\n"
    "  memory  bytes a second of the host's memory, for all GPUs together; default 134e9; 0: no limit\n"
    "  op, body, hop   TIME that the host needs to give an op; fixed cost of a body; from the end of what an op waits "
    "for to its\n"
    "          begin; default 2.5us, 1.4us, 4.6us\n"
    "Example: heddle simulate \"gpu gpu:speed=0.5\" --jobs matmul --loop n=16384,map=all\n";

typedef struct gpu_words { /* of one word */
    heddle_simulated_gpu gpu;
    double speed;
    uint64_t latency_ns;
} gpu_words;

#define OF_GPU(name, kind, field, times)                    \
    {                                                       \
        (name), (kind), offsetof(gpu_words, field), (times) \
    }
static const spec_key gpu_keys[] = {OF_GPU("rate", VALUE_NUMBER, gpu.rate, 1e-9),
                                    OF_GPU("speed", VALUE_NUMBER, speed, 1),
                                    OF_GPU("weight", VALUE_NUMBER, gpu.weight, 1),
                                    OF_GPU("pool", VALUE_BYTES, gpu.pool_bytes, 1),
                                    OF_GPU("in", VALUE_NUMBER, gpu.in.bytes_ns, 1e-9),
                                    OF_GPU("out", VALUE_NUMBER, gpu.out.bytes_ns, 1e-9),
                                    OF_GPU("port", VALUE_NUMBER, gpu.port.bytes_ns, 1e-9),
                                    OF_GPU("latency", VALUE_TIME, latency_ns, 1),
                                    {NULL, VALUE_NUMBER, 0, 0}};
#define OF_JOBS(name, kind, field, times)                                \
    {                                                                    \
        (name), (kind), offsetof(heddle_jobs_simulation, field), (times) \
    }
static const spec_key job_keys[] = {OF_JOBS("n", VALUE_COUNT, n, 1),
                                    OF_JOBS("steps", VALUE_U32, n_steps, 1),
                                    OF_JOBS("map", VALUE_MAP, map, 1),
                                    OF_JOBS("tasks", VALUE_U32, n_tasks, 1),
                                    OF_JOBS("columns", VALUE_U32, n_tasks_2, 1),
                                    OF_JOBS("blocks", VALUE_U32, blocks, 1),
                                    OF_JOBS("blocks_2", VALUE_U32, blocks_2, 1),
                                    OF_JOBS("panels", VALUE_U32, panels, 1),
                                    OF_JOBS("keep", VALUE_U32, keeps, 1),
                                    OF_JOBS("memory", VALUE_NUMBER, memory_ns, 1e-9),
                                    OF_JOBS("op", VALUE_NS, op_ns, 1),
                                    OF_JOBS("body", VALUE_NS, body_ns, 1),
                                    OF_JOBS("hop", VALUE_NS, hop_ns, 1),
                                    {NULL, VALUE_NUMBER, 0, 0}};

typedef struct jobs_spec {
    heddle_jobs_simulation d;
    heddle_simulated_gpu gpus[MOST_GPUS];
    char names[MOST_GPUS][SPEC_NAME];
} jobs_spec;

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static int find_app(jobs_spec *s, const char *app)
{
    cli_guess guess = {.word = app};
    for (uint32_t i = 0; i < HEDDLE_N_SIMULATED_JOBS; i++) {
        s->d.job = (heddle_simulated_job)i;
        if (!strcmp(app, heddle_simulated_job_name(s->d.job)))
            return CLI_OK;
        cli_guess_offer(&guess, heddle_simulated_job_name(s->d.job));
    }
    return cli_bad("--jobs %s: matmul, hotspot or ep is expected%s", app, cli_guess_tail(&guess));
}

static int read_gpus(jobs_spec *s, char *word)
{
    static const double rates[HEDDLE_N_SIMULATED_JOBS] = {51e3, 1428, 3e-4};
    gpu_words w = {{.rate = rates[s->d.job], .in.bytes_ns = 55, .out.bytes_ns = 50, .port.bytes_ns = 380}, 1, 2900};
    char *values = spec_cut_name(word), *star = strchr(word, '*'), *name = star ? star + 1 : word;
    uint64_t n = 1;
    if (star)
        *star = '\0';
    if (star && cli_parse_u64(word, 1, MOST_GPUS, &n))
        return cli_bad("%s*%s: a number of GPUs from 1 to %d is expected", word, name, MOST_GPUS);
    if (s->d.n_devices + n > MOST_GPUS)
        return cli_bad("at most %d GPUs are possible", MOST_GPUS);
    if (spec_set_values(NULL, &w, gpu_keys, values, 0))
        return CLI_BAD;
    w.gpu.rate *= w.speed;
    w.gpu.in.latency_ns = w.gpu.out.latency_ns = w.gpu.port.latency_ns = w.latency_ns;
    for (; n; n--, s->d.n_devices++) {
        if (spec_take_name(s->names[s->d.n_devices], name))
            return CLI_BAD;
        s->gpus[s->d.n_devices] = w.gpu;
    }
    return CLI_OK;
}

static int read_jobs(jobs_spec *s, char *word) { return spec_set_values(NULL, &s->d, job_keys, word, 0); }

static int read_words(jobs_spec *s, const char *text, int (*read)(jobs_spec *s, char *word))
{
    char *copy = strdup(text ? text : ""), *rest = NULL, *word;
    int status = copy ? CLI_OK : cli_bad("out of memory");
    for (word = copy ? strtok_r(copy, " \t\n", &rest) : NULL; word && !status; word = strtok_r(NULL, " \t\n", &rest))
        status = read(s, word);
    free(copy);
    return status;
}

static int read_all(jobs_spec *s, const char *app, const char *gpus, const char *words)
{
    static const heddle_jobs_simulation defaults = HEDDLE_JOBS_SIMULATION_INIT;
    s->d = defaults;
    s->d.memory_ns = 134;
    if (find_app(s, app))
        return CLI_BAD;
    s->d.n = s->d.job == HEDDLE_SIMULATED_JOB_EP ? 65536 : 8192;
    s->d.devices = s->gpus;
    if (read_words(s, words, read_jobs) || read_words(s, gpus, read_gpus))
        return CLI_BAD;
    return s->d.n_devices ? CLI_OK : cli_bad("a fleet has at least one GPU, as in \"4*gpu\"");
}

/* ---- printing ----------------------------------------------------------------------------------------------------------- */

static void print_row(FILE *out, const jobs_spec *s, const heddle_simulated_jobs *r)
{
    const double time = r->time_ns ? (double)r->time_ns : 1;
    fprintf(
        out, "%s\t%s\t%u\t%u\t%.3f\t%.4f\t%.4f\t%.6g\t%.6g\t%.6g\t%.6g\t%" PRIu64 "\t%" PRIu64 "\t%.3f\tsimulated\n",
        heddle_simulated_job_name(s->d.job), heddle_map_name(s->d.map), s->d.n_devices, s->d.n_tasks, time / 1e6,
        r->bound_ns / time, r->rates_ns / time, (double)r->bytes_in / 1e6, (double)r->least_in / 1e6,
        (double)r->bytes_out / 1e6, (double)r->bytes_peers / 1e6, r->n_slices, r->n_moves, (double)r->giver_ns / time);
    fprintf(out,
            "# at least %.3f ms: rates %.3f, links %.3f, the host's memory %.3f, before the first body %.3f, after the "
            "last %.3f\n",
            r->bound_ns / 1e6, r->rates_ns / 1e6, r->links_ns / 1e6, r->memory_ns / 1e6, r->first_ns / 1e6,
            r->last_ns / 1e6);
    if (s->d.job == HEDDLE_SIMULATED_JOB_MATMUL)
        fprintf(out, "# %u x %u blocks of C, %u panels each\n", r->blocks, r->blocks_2, r->panels);
}

static void print_gpus(FILE *out, const jobs_spec *s, const heddle_simulated_jobs *r,
                       const heddle_simulated_gpu_use *uses)
{
    for (uint32_t i = 0; i < s->d.n_devices; i++)
        fprintf(out,
                "# %s %u: busy %.4f of the time, %" PRIu64
                " slices; MB in %.6g, out %.6g, from others %.6g, to them %.6g; %" PRIu64 " pieces had to leave\n",
                s->names[i], i, (double)uses[i].busy_ns / (double)(r->time_ns ? r->time_ns : 1), uses[i].n_slices,
                (double)uses[i].bytes_in / 1e6, (double)uses[i].bytes_out / 1e6, (double)uses[i].bytes_peers / 1e6,
                (double)uses[i].bytes_sent / 1e6, uses[i].n_left);
}

static int simulate_map(FILE *out, jobs_spec *s, uint32_t map)
{
    heddle_simulated_jobs r = HEDDLE_SIMULATED_JOBS_INIT;
    heddle_simulated_gpu_use uses[MOST_GPUS];
    heddle_status status;
    s->d.map = (heddle_map)map;
    cli_progress("%s", heddle_map_name(s->d.map));
    status = heddle_simulate_jobs(&s->d, &r, uses);
    if (status)
        return cli_heddle_bad(NULL, status);
    print_row(out, s, &r);
    print_gpus(out, s, &r, uses);
    return CLI_OK;
}

int simulate_jobs(FILE *out, const char *app, const char *gpus, const char *words)
{
    static jobs_spec s;
    const jobs_spec none = {0};
    uint32_t map, end;
    int status;
    s = none;
    if (read_all(&s, app, gpus, words))
        return CLI_BAD;
    fprintf(out, "job\tmap\tgpus\ttasks\tms\tefficiency\tof_rates\tin_mb\tleast_in_mb\tout_mb\tpeers_"
                 "mb\tslices\tmoves\tgiver\tsource\n");
    map = (uint32_t)s.d.map == HEDDLE_N_MAPS ? 0 : (uint32_t)s.d.map;
    end = (uint32_t)s.d.map == HEDDLE_N_MAPS ? HEDDLE_N_MAPS : map + 1;
    for (status = CLI_OK; map < end && !status; map++)
        status = simulate_map(out, &s, map);
    return status;
}
