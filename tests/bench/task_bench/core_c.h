/* SPDX-License-Identifier: MIT */
/* core_c.h - stands in for the original Task Bench's header of this name: the calls and types that
 * bench/task_bench/original.c uses, with the original's names and layout, so that tests can compile and run the driver. */
#ifndef CORE_C_H
#define CORE_C_H

#include <stddef.h>
#include <stdint.h>

typedef struct kernel_t {
    int type;
    long iterations;
    int samples;
    double imbalance, fraction_mem;
} kernel_t;

typedef struct interval_t {
    long start, end; /* both inclusive */
} interval_t;

typedef struct interval_list_t {
    void *impl;
} interval_list_t;

typedef struct task_graph_t {
    long graph_index, timesteps, max_width;
    int dependence;
    long radix, period;
    double fraction_connected;
    kernel_t kernel;
    size_t output_bytes_per_task, scratch_bytes_per_task;
    int nb_fields;
} task_graph_t;

typedef struct task_graph_list_t {
    void *impl;
} task_graph_list_t;

typedef struct app_t {
    void *impl;
} app_t;

void interval_list_destroy(interval_list_t list);
long interval_list_num_intervals(interval_list_t list);
interval_t interval_list_interval(interval_list_t list, long index);

long task_graph_offset_at_timestep(task_graph_t graph, long step);
long task_graph_width_at_timestep(task_graph_t graph, long step);
long task_graph_dependence_set_at_timestep(task_graph_t graph, long step);
interval_list_t task_graph_dependencies(task_graph_t graph, long set, long point);
void task_graph_execute_point_scratch(task_graph_t graph, long step, long point, char *output, size_t output_bytes,
                                      const char **inputs, const size_t *input_bytes, size_t n_inputs, char *scratch,
                                      size_t scratch_bytes);
void task_graph_prepare_scratch(char *scratch, size_t scratch_bytes);

long task_graph_list_num_task_graphs(task_graph_list_t list);
task_graph_t task_graph_list_task_graph(task_graph_list_t list, long index);

app_t app_create(int argc, char **argv);
task_graph_list_t app_task_graphs(app_t app);
void app_display(app_t app);
void app_report_timing(app_t app, double seconds);

#endif
