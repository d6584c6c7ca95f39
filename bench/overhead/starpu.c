/* SPDX-License-Identifier: MIT */
/* starpu.c - StarPU tasks on data handles, with everything left out that StarPU lets one leave out: void data (no
 * copies, no memory nodes), no performance models, codelets filled by hand, a task's number as its bare argument.
 *
 * Registering the handles is done once and not timed, to StarPU's advantage. The scheduler comes from the environment
 * (STARPU_SCHED), the number of workers from the shape. */
#include "subject.h"

#include <starpu.h>
#include <stdlib.h>

static starpu_data_handle_t *handles;
static uint32_t n_handles;
static int is_open;

static void body(void *buffers[], void *id)
{
    (void)buffers;
    bench_body((uint32_t)(uintptr_t)id);
}

/* One codelet for each number of cells a task reads; the updated cell comes last. */
static struct starpu_codelet codelets[3] = {
    {.cpu_funcs = {body}, .nbuffers = 1, .modes = {STARPU_RW}},
    {.cpu_funcs = {body}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}},
    {.cpu_funcs = {body}, .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_RW}},
};

int subject_open(const shape *s)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = (int)s->n_workers;
    conf.ncuda = conf.nopencl = 0;
    handles = calloc(s->n_cells, sizeof(starpu_data_handle_t));
    if (!handles || starpu_init(&conf)) {
        fprintf(stderr, "starpu: cannot start\n");
        return -1;
    }
    is_open = 1;
    for (n_handles = 0; n_handles < s->n_cells; n_handles++)
        starpu_void_data_register(&handles[n_handles]);
    return 0;
}

static int submit(const step *t, uint32_t id)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = &codelets[t->n_in];
    task->cl_arg = (void *)(uintptr_t)id;
    for (uint32_t i = 0; i < t->n_in; i++)
        task->handles[i] = handles[t->in[i]];
    task->handles[t->n_in] = handles[t->inout];
    return starpu_task_submit(task);
}

int subject_run(const shape *s, times *out)
{
    double begin = bench_now();
    for (uint32_t id = 0; id < s->n_steps; id++) {
        if (submit(s->steps + id, id)) {
            fprintf(stderr, "starpu: a task was refused\n");
            return -1;
        }
    }
    starpu_task_wait_for_all();
    out->total = bench_now() - begin;
    return 0;
}

void subject_close(void)
{
    if (!is_open)
        return;
    for (uint32_t i = 0; i < n_handles; i++)
        starpu_data_unregister(handles[i]);
    free(handles);
    starpu_shutdown();
    is_open = 0;
}
