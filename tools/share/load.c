/* SPDX-License-Identifier: MIT */
/* load.c - tasks and their calls, as they are read (load.h). */
#include "load.h"

#include <stdlib.h>
#include <string.h>

void share_load_free(share_load *load)
{
    free(load->tasks);
    free(load->calls);
    free(load->kernels);
    memset(load, 0, sizeof *load);
}

static int program_of(share_load *load, const char *name)
{
    for (uint32_t i = 0; i < load->n_programs; i++)
        if (!strcmp(load->programs[i], name))
            return (int)i;
    if (load->n_programs == SHARE_MOST_TASKS || strlen(name) >= SHARE_NAME_BYTES)
        return -1;
    strcpy(load->programs[load->n_programs], name);
    return (int)load->n_programs++;
}

/* Doubles an array each time its number comes to a power of two. */
static int has_room(share_load *load, void **array, uint32_t n, size_t size)
{
    void *more;
    if (n & (n - 1))
        return 1;
    if (n >= SHARE_MOST_CALLS)
        return 0;
    more = realloc(*array, (n ? 2 * (size_t)n : 1) * size);
    if (more)
        *array = more;
    load->lacks_memory |= !more;
    return more != NULL;
}

static int task_of(share_load *load, int program)
{
    void *tasks = load->tasks;
    int ok = program >= 0 && has_room(load, &tasks, load->n_tasks, sizeof *load->tasks);
    load->tasks = tasks;
    if (ok)
        load->tasks[load->n_tasks++] = (share_load_task){(uint32_t)program, load->n_calls, 0};
    return ok ? 0 : -1;
}

int share_load_task_new(share_load *load, const char *program) { return task_of(load, program_of(load, program)); }

int share_load_call_new(share_load *load, share_channel channel, uint64_t ns)
{
    void *calls = load->calls;
    int ok = ns <= SHARE_MOST_NS && has_room(load, &calls, load->n_calls, sizeof *load->calls);
    load->calls = calls;
    if (!ok)
        return -1;
    if (ns) {
        load->calls[load->n_calls++] = (share_call){channel, ns};
        load->tasks[load->n_tasks - 1].n_calls++;
    }
    return 0;
}

int share_load_append(share_load *load, const share_load *more)
{
    uint32_t first = load->n_programs;
    if (more->n_programs > SHARE_MOST_TASKS - first)
        return -1;
    memcpy(load->programs[first], more->programs, more->n_programs * sizeof more->programs[0]);
    load->n_programs += more->n_programs;
    for (uint32_t i = 0; i < more->n_tasks; i++) {
        const share_load_task *t = &more->tasks[i];
        if (task_of(load, (int)(first + t->program)))
            return -1;
        for (uint32_t k = t->first_call; k < t->first_call + t->n_calls; k++)
            if (share_load_call_new(load, more->calls[k].channel, more->calls[k].ns))
                return -1;
    }
    return 0;
}

int share_load_kernel_new(share_load *load, const share_load_kernel *k)
{
    void *kernels = load->kernels;
    int ok = k->n && k->ns <= SHARE_MOST_NS && has_room(load, &kernels, load->n_kernels, sizeof *k);
    load->kernels = kernels;
    if (ok)
        load->kernels[load->n_kernels++] = *k;
    return ok ? 0 : -1;
}
