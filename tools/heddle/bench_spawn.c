/* SPDX-License-Identifier: MIT */
/* bench_spawn.c - `heddle bench spawn`: rates and latencies of a pool beside the bare ones: on a GPU a word to a waiting kernel and back,
 * and a kernel for each task; on threads a word to another thread and back, under a mutex. Tasks have 128 threads on a GPU, unless a row
 * says another number.
 *
 * Rows: what, tasks, median, least, most, runs, unit, mode. --tasks is the number of empty tasks, from which the others follow. Modes
 * that are there for comparison have only the rows of tasks that take time, unless --pool names one; what the rows of a steady load
 * tell is told of resident pools and of threads. */
#include "bench_spawn.h"
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#define N 262144u     /* empty tasks */
#define N_BUSY 32768u /* tasks that take time, and handles that are kept, at most */
#define TRIPS 2001u

/* ---- a pool ---- */

/* Mode auto may be launches. */
static int is_steady(const spawning *b, heddle_pool_mode mode) { return !b->is_gpu || mode == HEDDLE_POOL_RESIDENT; }

/* is_whole: also empty tasks, and one task. */
static int time_open(spawning *b, heddle_pool_mode mode, int is_whole)
{
    static const uint32_t us[] = {0, 5, 20};
    if (is_whole && (spawning_rates(b) || spawning_trips(b)))
        return CLI_BAD;
    for (size_t i = 0; i < sizeof us / sizeof *us; i++)
        if (spawning_busy(b, us[i]))
            return CLI_BAD;
    if (is_whole && spawning_slot(b))
        return CLI_BAD;
    if (is_steady(b, mode))
        return spawning_half_load(b) || (b->is_gpu && spawning_beside(b)) ? CLI_BAD : CLI_OK;
    return CLI_OK;
}

static int time_pool(spawning *b, heddle_pool_mode mode, int is_whole)
{
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    int status;
    c.mode = mode;
    b->mode = b->is_gpu ? heddle_pool_mode_name(mode) : b->mode;
    b->is_lazy = mode == HEDDLE_POOL_FUSED || mode == HEDDLE_POOL_MODE_TABLE;
    cli_progress("spawning into a pool, %s", b->mode);
    fprintf(b->table, "%s\n  %-54s %10s %10s %10s\n", b->mode, "", "median", "min", "max");
    status = spawning_open(b, &spawned_bench, &c);
    if (!status)
        status = time_open(b, mode, is_whole);
    spawning_close(b);
    if (!status && is_steady(b, mode))
        status = spawning_warps(b, mode) || (b->is_gpu && spawning_holds(b, mode)) ? CLI_BAD : CLI_OK;
    return status;
}

static int is_wanted(const options *o, heddle_pool_mode mode)
{
    const char *wanted = o->pool ? getenv("HEDDLE_POOL_MODE") : NULL;
    return wanted ? !strcmp(wanted, heddle_pool_mode_name(mode)) : mode != HEDDLE_POOL_AUTO;
}

static int time_modes(spawning *b, const options *o)
{
    for (int mode = HEDDLE_POOL_AUTO; mode < HEDDLE_N_POOL_MODES; mode++)
        if (is_wanted(o, (heddle_pool_mode)mode) &&
            time_pool(b, (heddle_pool_mode)mode, o->pool || mode <= HEDDLE_POOL_LAUNCHES))
            return CLI_BAD;
    return CLI_OK;
}

/* ---- the command ---- */

/* What runs tasks. */
static uint32_t count_units(const spawning *b, const heddle_config *is)
{
    heddle_device d = HEDDLE_DEVICE_INIT;
    if (!b->is_gpu)
        return is->backend == HEDDLE_CPU ? is->n_workers : 1u;
    return heddle_device_get(HEDDLE_CUDA, is->device, &d) ? 1u : d.n_units;
}

static int open_bench(spawning *b, const options *o)
{
    heddle_config c = o->config, is = HEDDLE_CONFIG_INIT;
    const uint64_t n = o->request.spawning.n_tasks;
    size_t room;
    heddle_status s = heddle_ctx_open(&b->ctx, &c);
    if (!s)
        s = heddle_ctx_get_config(b->ctx, &is);
    if (s)
        return cli_heddle_bad(b->ctx, s);
    b->mode = heddle_backend_name(is.backend);
    b->is_gpu = is.backend == HEDDLE_CUDA;
    b->n = n ? (uint32_t)n : N;
    b->n_busy = b->n < N_BUSY ? b->n : N_BUSY;
    b->n_trips = b->n < TRIPS ? b->n : TRIPS;
    b->n_runs = (uint32_t)o->runs;
    b->n_units = count_units(b, &is);
    room = 3u * (TRIPS + o->runs) + b->n;
    b->args = calloc(b->n, sizeof *b->args);
    b->handles = calloc(b->n_busy, sizeof *b->handles);
    b->times = calloc(room, sizeof *b->times);
    return b->args && b->handles && b->times ? CLI_OK : cli_bad("out of memory");
}

static int print(const options *o, cli_buffer *rows, cli_buffer *table)
{
    return o->tsv ? cli_buffer_write(rows, o->tsv) || cli_buffer_print(table) : cli_buffer_print(rows);
}

int bench_spawn(const options *o)
{
    cli_buffer rows = {.text = NULL}, table = {.text = NULL};
    spawning b = {.ctx = NULL};
    int status;
    if (o->n_words > 1)
        return cli_bad("bench spawn takes no names of apps");
    if (cli_check_output(o->tsv))
        return CLI_BAD;
    status = cli_buffer_open(&rows) || cli_buffer_open(&table) || open_bench(&b, o) ? CLI_BAD : CLI_OK;
    b.rows = rows.out;
    b.table = table.out;
    if (!status) {
        fputs("what\ttasks\tmedian\tleast\tmost\truns\tunit\tmode\n", b.rows);
        status = b.is_gpu ? time_modes(&b, o) : time_pool(&b, HEDDLE_POOL_AUTO, 1);
    }
    if (!status)
        status = print(o, &rows, &table) ? CLI_BAD : CLI_OK;
    heddle_ctx_close(b.ctx);
    free(b.args);
    free(b.handles);
    free(b.times);
    cli_buffer_free(&rows);
    cli_buffer_free(&table);
    return status;
}
