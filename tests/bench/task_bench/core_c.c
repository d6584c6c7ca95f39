/* SPDX-License-Identifier: MIT */
/* core_c.c - implements core_c.h: two graphs per program, with heddle's own patterns (bench/task_bench) named by its
 * two arguments. A task compares its inputs with the pattern, counts itself, and ends the program with status 1 if
 * something is wrong; so does the report if a task is missing. */
#include "core_c.h"

#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, WIDTH = 9, N_GRAPHS = 2, MAGIC = 0x5c };

static tb_graph graphs[N_GRAPHS];
static unsigned n_run[N_GRAPHS][STEPS * WIDTH];

static void wrong(const char *what)
{
    fprintf(stderr, "core_c: %s\n", what);
    exit(1);
}

/* ---- inputs of a point: intervals of one point each -------------------------------------------------------------- */

typedef struct list {
    uint32_t n, points[WIDTH];
} list;

/* As in the original: by the set alone, ignoring the step before. */
interval_list_t task_graph_dependencies(task_graph_t graph, long set, long point)
{
    const tb_graph *g = &graphs[graph.graph_index];
    list *l = calloc(1, sizeof *l);
    if (!l)
        abort();
    for (uint32_t k = 0; k < tb_n_candidates(g); k++) {
        const int64_t input = tb_candidate(g, (uint32_t)set, (uint32_t)point, k);
        if (input >= 0 && input < WIDTH)
            l->points[l->n++] = (uint32_t)input;
    }
    return (interval_list_t){l};
}
void interval_list_destroy(interval_list_t l) { free(l.impl); }
long interval_list_num_intervals(interval_list_t l) { return ((list *)l.impl)->n; }
interval_t interval_list_interval(interval_list_t l, long i)
{
    const long point = ((list *)l.impl)->points[i];
    return (interval_t){point, point};
}

/* ---- graphs ---- */

long task_graph_offset_at_timestep(task_graph_t graph, long step)
{
    return step < 0 ? 0 : tb_first(&graphs[graph.graph_index], (uint32_t)step);
}
long task_graph_width_at_timestep(task_graph_t graph, long step)
{
    return step < 0 ? 0 : tb_width(&graphs[graph.graph_index], (uint32_t)step);
}
long task_graph_dependence_set_at_timestep(task_graph_t graph, long step)
{
    return tb_set(&graphs[graph.graph_index], (uint32_t)step);
}

void task_graph_prepare_scratch(char *scratch, size_t scratch_bytes) { memset(scratch, MAGIC, scratch_bytes); }

void task_graph_execute_point_scratch(task_graph_t graph, long step, long point, char *output, size_t output_bytes,
                                      const char **inputs, const size_t *input_bytes, size_t n_inputs, char *scratch,
                                      size_t scratch_bytes)
{
    const tb_graph *g = &graphs[graph.graph_index];
    const tb_pair mine = {step, point};
    uint32_t expected[WIDTH];
    if (n_inputs != tb_inputs(g, (uint32_t)step, (uint32_t)point, expected))
        wrong("a task got too few inputs, or too many");
    for (size_t i = 0; i < n_inputs; i++) {
        const tb_pair want = {step - 1, expected[i]};
        if (input_bytes[i] != sizeof want || memcmp(inputs[i], &want, sizeof want))
            wrong("a task received what it should not have");
    }
    if (output_bytes != sizeof mine || scratch_bytes != graph.scratch_bytes_per_task || *scratch != MAGIC)
        wrong("output or scratch memory is not what it was told");
    memcpy(output, &mine, sizeof mine);
    n_run[graph.graph_index][step * WIDTH + point]++;
}

/* ---- the program ---- */

app_t app_create(int argc, char **argv)
{
    for (int i = 0; i < N_GRAPHS; i++) {
        char words[96];
        tb_problem p = tb_default();
        const char *bad;
        snprintf(words, sizeof words, "steps=%d width=%d pattern=%s", STEPS, WIDTH, argc == 3 ? argv[i + 1] : "");
        bad = tb_read(&p, words);
        if (bad)
            wrong(bad);
        graphs[i] = p.graph;
    }
    return (app_t){graphs};
}

task_graph_list_t app_task_graphs(app_t app) { return (task_graph_list_t){app.impl}; }
long task_graph_list_num_task_graphs(task_graph_list_t l) { return l.impl ? N_GRAPHS : 0; }
task_graph_t task_graph_list_task_graph(task_graph_list_t l, long i)
{
    (void)l;
    return (task_graph_t){.graph_index = i,
                          .timesteps = STEPS,
                          .max_width = WIDTH,
                          .output_bytes_per_task = sizeof(tb_pair),
                          .scratch_bytes_per_task = 64,
                          .nb_fields = 2 + (int)i};
}

void app_display(app_t app) { (void)app; }

/* All tasks must have run equally often; places without a task never. */
void app_report_timing(app_t app, double seconds)
{
    (void)app;
    if (!(seconds > 0))
        wrong("no time passed");
    for (int i = 0; i < N_GRAPHS; i++)
        for (uint32_t step = 0; step < STEPS; step++)
            for (uint32_t k = 0; k < WIDTH; k++) {
                const uint32_t first = tb_first(&graphs[i], step), end = first + tb_width(&graphs[i], step);
                if (n_run[i][step * WIDTH + k] != (k >= first && k < end ? n_run[0][0] : 0u))
                    wrong("a task did not run, or ran too often");
            }
    printf("right: each task %u times\n", n_run[0][0]);
}
