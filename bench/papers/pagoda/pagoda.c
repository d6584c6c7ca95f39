/* SPDX-License-Identifier: MIT */
/* pagoda.c - `heddle bench --figures pagoda [-n TASKS] [--opt figures=LIST] [--out DIR]`: narrow tasks spawned from the CPU, as in figures
 * of Pagoda (TOPC 6(4), 2019), as DIR/pagoda-NAME.tsv and .svg:
 *
 *     apps       figures 6 and 10: its applications, each in every mode of a pool, over a pool of CPU threads; data on the device. slu by
 *                handles, with about as many tasks
 *     copies     figure 6 with copies: inputs and results in host memory, which go with tasks
 *     irregular  figure 8: teams of 32, 64, 128 and 256 threads, and sides to match
 *     mm, conv   figure 11: products of matrices, and a convolution, by threads of a team and by the side of a task
 *     response   figure 9: the time until a result is seen, of tasks that come one by one and of batches of one grid
 *     sms        figure 7: the resident pool on a quarter, half, three quarters and all of the multiprocessors, over kernels on all
 *     lockstep   figure 10: the resident pool when the host waits for as many tasks as the GPU holds before it spawns more, over batches
 *     shared     table 5: dct and mm with and without block-shared memory, over kernels with it, and the warps in use
 *     shares     table 4: the share of copies and of computing in the time of kernels
 *     links      not in the paper: how near the resident pool is to what the link, the bodies and spawning allow
 *     chunks     likewise: the resident pool with copies over copy, kernel, copy for chunks of the best size
 *     auto       likewise: what mode auto chooses, beside resident and launches; data on the device
 *     slu        likewise: slu by handles over slu in waves that the host waits for, on the BOTS pattern of 146 x 146 blocks (fewer if TASKS
 *                are) and on two matrices of the folder HEDDLE_DATA
 *
 * Without a GPU: a pool of threads over one thread. Figures have 32,768 tasks of 128 threads, or TASKS, a multiple of 32; mm and conv an
 * eighth of it, since their largest tasks are large; response has half of it. Each way is compared with the serial reference, with a
 * 64th of the tasks, before it is timed. What is not possible is a row `skipped` with the reason; means are of what all ways could run. The widest
 * teams are those that the pool allows, whatever its registers. */
#include "pagoda.h"
#include "papers.h"

#include <string.h>

#define TASKS 32768u
#define SIZED_PART 8u /* of the tasks of figure 11 */
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* slu has 1/11 of a task for each cube of blocks, about. */
static uint64_t slu_rows(uint64_t n_tasks)
{
    uint64_t side = 2;
    while ((side + 1) * (side + 1) * (side + 1) <= 11 * n_tasks)
        side++;
    return 32 * side;
}

/* 146 for 32,768 tasks: there are 8.7 times as many. */
static uint64_t bots_rows(uint64_t n_tasks) { return slu_rows(87 * n_tasks / 10); }

#define APP(of) .name = (of), .app = (of)
static const subject apps[] = {{APP("beam")},
                               {APP("conv")},
                               {APP("dct")},
                               {APP("des3"), .b = {0, 4096}},
                               {APP("fbank")},
                               {APP("mandel")},
                               {APP("mm")},
                               {APP("mix")},
                               {APP("slu"), .rows = slu_rows, .opt = {"order", "handles"}}};
enum { NARROW = COUNT(apps) - 1 }; /* all but slu */

/* Teams of 32 threads to the most that there can be, on tasks of several sides. */
#define SIZED(called, of, rows, side, threads)                                       \
    {                                                                                \
        .name = (called), .app = (of), .b = {(rows), (side)}, .team_size = (threads) \
    }
#define SIZES(app, rows, side)                                                                                      \
    SIZED("side " #side ", 32", app, rows, side, 32), SIZED("64", app, rows, side, 64),                             \
        SIZED("128", app, rows, side, 128), SIZED("256", app, rows, side, 256), SIZED("512", app, rows, side, 512), \
        SIZED("widest", app, rows, side, HEDDLE_POOL_MOST_THREADS)
static const subject products[] = {SIZES("mm", 1, 32), SIZES("mm", 1, 64), SIZES("mm", 1, 128)};
static const subject pictures[] = {SIZES("conv", 32, 32), SIZES("conv", 64, 64), SIZES("conv", 128, 128),
                                   SIZES("conv", 256, 256)};
_Static_assert(COUNT(pictures) <= MOST_SUBJECTS, "figures have room for as many");

static const subject matrices[] = {{APP("slu"), .rows = bots_rows},
                                   {"bcsstk13", "slu", .input = "sparse-lu/bcsstk13.mtx"},
                                   {"cryg2500", "slu", .input = "sparse-lu/cryg2500.mtx"}};
static const subject sharers[] = {{APP("dct"), .team_size = 64}, {APP("mm"), .team_size = 256}};

#define BARS(of, n) .subjects = (of), .n_subjects = (n), .make = pagoda_bars
#define NARROW_BARS BARS(apps, NARROW)
static const figure all_figures[] = {
    {"apps", "Narrow tasks from the CPU", BARS(apps, COUNT(apps)), .choose = pagoda_all, .part = 1},
    {"copies", "Narrow tasks that bring their data", NARROW_BARS, .choose = pagoda_all, .spawning.copies = 1,
     .part = 1},
    {"irregular", "Irregular narrow tasks", NARROW_BARS, .choose = pagoda_listed,
     .modes = "kernels fused launches resident", .spawning.irregular = 1, .part = 1},
    {"mm", "Products of matrices, by side and threads", BARS(products, COUNT(products)), .choose = pagoda_listed,
     .modes = "kernels resident", .part = SIZED_PART},
    {"conv", "A convolution, by side and threads", BARS(pictures, COUNT(pictures)), .choose = pagoda_listed,
     .modes = "kernels resident", .part = SIZED_PART},
    {"response", "Response time of irregular tasks that come at a steady rate", .subjects = apps, .n_subjects = NARROW,
     .choose = pagoda_one_by_one, .make = pagoda_response, .spawning.irregular = 1, .part = 2},
    {"lockstep", "Tasks spawned one after another, and in lock step", NARROW_BARS, .choose = pagoda_lockstep,
     .part = 1},
    {"sms", "The resident pool on a part of the GPU", NARROW_BARS, .choose = pagoda_fourths, .part = 1},
    {"shared", "Block-shared memory, or none", BARS(sharers, COUNT(sharers)), .choose = pagoda_shared, .part = 1,
     .has_warps = 1},
    {"shares", "Copies and computing, a kernel for each task", .subjects = apps, .n_subjects = NARROW,
     .choose = pagoda_copied, .make = pagoda_shares, .part = 1},
    {"links", "Tasks that bring their data, and what the link allows", .subjects = apps, .n_subjects = NARROW,
     .choose = pagoda_linked, .make = pagoda_links, .part = 1},
    {"chunks", "Tasks that bring their data, and chunks of the best size", .subjects = apps, .n_subjects = NARROW,
     .choose = pagoda_chunked, .make = pagoda_chunks, .spawning.copies = 1, .part = 1},
    {"auto", "Mode auto of a pool, and what it chooses from", .subjects = apps, .n_subjects = COUNT(apps),
     .choose = pagoda_modes, .make = pagoda_auto, .part = 1},
    {"slu", "Sparse LU by handles, and in waves", BARS(matrices, COUNT(matrices)), .choose = pagoda_orders, .part = 1}};

/* ---- options ---- */

/* *list: which figures, NULL: all. */
static int find_list(const options *o, const char **list)
{
    *list = NULL;
    for (size_t i = 0; i < o->request.n_opts; i++) {
        if (strcmp(o->request.opts[i].key, "figures") != 0)
            return cli_bad("--opt %s: of --figures pagoda there is figures", o->request.opts[i].key);
        *list = o->request.opts[i].value;
    }
    return CLI_OK;
}

static int unknown(const char *list)
{
    char names[256] = "";
    for (size_t i = 0, at = 0; i < COUNT(all_figures) && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s",
                               i == 0                       ? ""
                               : i + 1 < COUNT(all_figures) ? ", "
                                                            : " and ",
                               all_figures[i].name);
    return cli_bad("--opt figures=%s: of %s", list, names);
}

/* Figure i, with its part of n tasks. */
static int make_one(figures *f, size_t i, uint64_t n)
{
    f->now = &all_figures[i];
    n /= f->now->part;
    f->n_tasks = n < PAGODA_LEAST_TASKS ? PAGODA_LEAST_TASKS : n;
    f->n_ways = 0;
    f->now->choose(f);
    return f->now->make(f);
}

static int make_figures(figures *f, const char *list)
{
    const uint64_t n = f->n_tasks;
    size_t n_made = 0, at;
    for (size_t i = 0; i < COUNT(all_figures); i++) {
        if (list && !figure_listed(list, all_figures[i].name, &at))
            continue;
        if (make_one(f, i, n))
            return CLI_BAD;
        n_made++;
    }
    return n_made ? CLI_OK : unknown(list);
}

int figures_pagoda(const options *o)
{
    figures f = {.o = o, .n_tasks = o->request.n[0] ? o->request.n[0] : TASKS, .files.dir = o->out ? o->out : "."};
    const char *list;
    int status;
    if (find_list(o, &list))
        return CLI_BAD;
    if (f.n_tasks % PAGODA_LEAST_TASKS)
        return cli_bad("--figures pagoda: %llu tasks; a multiple of %u is expected", (unsigned long long)f.n_tasks,
                       PAGODA_LEAST_TASKS);
    status = make_figures(&f, list);
    return status ? status : f.wrong ? CLI_WRONG : CLI_OK;
}
