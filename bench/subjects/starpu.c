/* SPDX-License-Identifier: MIT */
/* starpu.c - StarPU tasks on data handles, without everything that StarPU lets one leave out: void data (no copies, no
 * memory nodes), no performance models, codelets filled by hand, a task's number as its bare argument.
 *
 * Registering the handles is done once and not timed, in StarPU's favour. The environment sets the scheduler
 * (STARPU_SCHED), the shape the number of workers. */
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

/* One codelet for each number of cells that a task reads, up to what StarPU holds in a task itself; the updated cell
 * comes last. Larger tasks have lists of their own. */
static struct starpu_codelet codelets[STARPU_NMAXBUFS],
    longer = {.cpu_funcs = {body}, .nbuffers = STARPU_VARIABLE_NBUFFERS};

static void make_codelets(void)
{
    for (int n = 0; n < STARPU_NMAXBUFS; n++) {
        codelets[n].cpu_funcs[0] = body;
        codelets[n].nbuffers = n + 1;
        for (int i = 0; i < n; i++)
            codelets[n].modes[i] = STARPU_R;
        codelets[n].modes[n] = STARPU_RW;
    }
}

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
    make_codelets();
    for (n_handles = 0; n_handles < s->n_cells; n_handles++)
        starpu_void_data_register(&handles[n_handles]);
    return 0;
}

/* StarPU frees both lists with the task. */
static void use_lists(struct starpu_task *task, uint32_t n)
{
    task->cl = &longer;
    task->nbuffers = (int)n;
    task->dyn_handles = malloc(n * sizeof *task->dyn_handles);
    task->dyn_modes = malloc(n * sizeof *task->dyn_modes);
    for (uint32_t i = 0; i < n; i++)
        task->dyn_modes[i] = i + 1 < n ? STARPU_R : STARPU_RW;
}

static int submit(const shape *s, uint32_t id)
{
    const step *t = s->steps + id;
    const uint32_t *in = s->in + t->first_in;
    struct starpu_task *task = starpu_task_create();
    starpu_data_handle_t *to = task->handles;
    task->cl_arg = (void *)(uintptr_t)id;
    if (t->n_in < STARPU_NMAXBUFS) {
        task->cl = &codelets[t->n_in];
    } else {
        use_lists(task, t->n_in + 1u);
        to = task->dyn_handles;
    }
    for (uint32_t i = 0; i < t->n_in; i++)
        to[i] = handles[in[i]];
    to[t->n_in] = handles[t->inout];
    return starpu_task_submit(task);
}

int subject_run(const shape *s, times *out)
{
    double begin = bench_now();
    for (uint32_t id = 0; id < s->n_steps; id++) {
        if (submit(s, id)) {
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
