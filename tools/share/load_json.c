/* SPDX-License-Identifier: MIT */
/* load_json.c - reads traces of tasks (load.h). Without jansson they are refused. */
#include "load.h"

#ifdef HEDDLE_HAVE_JANSSON

#include <jansson.h>
#include <string.h>

static int read_time(share_load *load, share_channel channel, const json_t *x)
{
    json_int_t ns = json_integer_value(x);
    return json_is_integer(x) && ns >= 0 ? share_load_call_new(load, channel, (uint64_t)ns) : -1;
}

/* Nothing, or a list of times. */
static int read_times(share_load *load, share_channel channel, const json_t *list)
{
    if (list && !json_is_array(list))
        return -1;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (read_time(load, channel, json_array_get(list, i)))
            return -1;
    return 0;
}

static int read_task(share_load *load, const json_t *task)
{
    const char *program = json_string_value(json_object_get(task, "program"));
    const json_t *kernels = json_object_get(task, "kernels_ns");
    return program && *program && !share_load_task_new(load, program) &&
                   !read_times(load, SHARE_S, json_object_get(task, "in_ns")) &&
                   (!kernels || !read_time(load, SHARE_P, kernels)) &&
                   !read_times(load, SHARE_R, json_object_get(task, "out_ns"))
               ? 0
               : -1;
}

static int read_tasks(const json_t *root, share_load *load, share_why *why)
{
    const json_t *tasks = json_object_get(root, "tasks");
    if (json_integer_value(json_object_get(root, "heddle_share")) != 1 || !json_is_array(tasks))
        return share_because(why, "this is no trace of heddle share: it has no \"heddle_share\": 1 with \"tasks\"");
    for (size_t i = 0; i < json_array_size(tasks); i++)
        if (read_task(load, json_array_get(tasks, i)))
            return share_because(why, "task %zu lacks a program, or has times that are none", i);
    return 0;
}

/* A whole number from 0 on; -1: it is none. */
static int read_number(const json_t *object, const char *name, uint64_t most, uint64_t *n)
{
    const json_t *x = json_object_get(object, name);
    *n = (uint64_t)json_integer_value(x);
    return json_is_integer(x) && json_integer_value(x) >= 0 && *n <= most ? 0 : -1;
}

static int read_kernel(share_load *load, const json_t *x)
{
    const char *name = json_string_value(json_object_get(x, "name"));
    share_load_kernel k = {.n = 0};
    uint64_t block;
    if (!name || strlen(name) >= sizeof k.name || read_number(x, "block", UINT32_MAX, &block) ||
        read_number(x, "blocks", UINT64_MAX / 64, &k.n_blocks) || read_number(x, "n", UINT32_MAX, &k.n) ||
        read_number(x, "ns", UINT64_MAX, &k.ns))
        return -1;
    strcpy(k.name, name);
    k.block_threads = (uint32_t)block;
    return share_load_kernel_new(load, &k);
}

static int read_kernels(const json_t *root, share_load *load, share_why *why)
{
    const json_t *kernels = json_object_get(root, "kernels");
    if (kernels && !json_is_array(kernels))
        return share_because(why, "\"kernels\" is no list");
    for (size_t i = 0; i < json_array_size(kernels); i++)
        if (read_kernel(load, json_array_get(kernels, i)))
            return share_because(why, "kernel %zu lacks its name, block, blocks, number of launches or time", i);
    return 0;
}

int share_load_read_json(const char *text, size_t n_bytes, share_load *load, share_why *why)
{
    json_error_t error;
    json_t *root = json_loadb(text, n_bytes, JSON_REJECT_DUPLICATES, &error);
    int failed;
    if (!root)
        return share_because(why, "line %d: %s", error.line, error.text);
    failed = read_tasks(root, load, why) || read_kernels(root, load, why) ? -1 : 0;
    json_decref(root);
    return failed;
}

#else

int share_load_read_json(const char *text, size_t n_bytes, share_load *load, share_why *why)
{
    (void)text, (void)n_bytes, (void)load;
    return share_because(why, "traces need jansson, and this heddle was built without it");
}

#endif
