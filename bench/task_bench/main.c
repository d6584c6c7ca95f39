/* SPDX-License-Identifier: MIT */
/* main.c - Task Bench on threads: one program per library, which answers the driver (task_bench.py):
 *
 *     verify WORDS   ->  tasks=...                        one run that counts each task; exit status 2 if one did not run
 *                                                         once, or received a wrong input
 *     time WORDS     ->  tasks=... total=<ns> run=... rerun=...    one run after a warm-up, checked by its tasks
 *     peak WORDS     ->  ns=...                           a kernel iteration, while all workers run kernels only
 *
 * WORDS are those of tb_read. As in the original, total includes all of a library's work from the first created task to
 * the last one done. */
#include "graph.h"
#include "subject.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static tb_problem problem;
static tb_params params;
static shape now;
static struct task {
    uint32_t step, point;
} * tasks;
static unsigned char *n_run; /* of each task, while verifying */
static uint32_t n_wrong;

/* Each task of a run has words of its own: a race would show as a wrong input, which a common word counts. */
static void body(uint32_t id)
{
    const uint32_t bad = tb_execute(&params, tasks[id].step, tasks[id].point, 0, 1);
    if (bad)
        __atomic_fetch_add(&n_wrong, bad, __ATOMIC_RELAXED);
}

static void body_counted(uint32_t id)
{
    body(id);
    n_run[id]++;
}

void (*bench_body)(uint32_t id) = body;

/* ---- the graph ---- */

static void *must(void *p)
{
    if (!p)
        child_fail("out of memory", "task_bench");
    return p;
}

static void make_memory(void)
{
    const uint64_t n_cells = (uint64_t)problem.graph.width * problem.graph.fields;
    params = (tb_params){.graph = problem.graph, .kernel = problem.kernel};
    params.n_pairs = problem.output_bytes / sizeof(tb_pair);
    params.outputs = must(calloc(n_cells, problem.output_bytes));
    params.sink = must(calloc(problem.graph.width, sizeof *params.sink));
    if (problem.kernel.type == TB_MEMORY_BOUND)
        params.scratch = must(calloc(problem.graph.width, problem.kernel.scratch_bytes));
    now.n_cells = (uint32_t)n_cells;
    now.cells = must(calloc(n_cells, sizeof *now.cells));
}

static void add_task(step *s, uint32_t *in, uint32_t *n_in, uint32_t at, uint32_t point)
{
    const tb_graph *g = &problem.graph;
    uint32_t *mine = in + *n_in;
    s->first_in = *n_in;
    s->n_in = tb_inputs(g, at, point, mine);
    s->inout = tb_cell(g, at, point);
    for (uint32_t i = 0; i < s->n_in; i++)
        mine[i] = tb_cell(g, at - 1u, mine[i]);
    *n_in += s->n_in;
}

static void make_shape(void)
{
    const tb_graph *g = &problem.graph;
    const uint32_t n = tb_n_tasks(g);
    const uint64_t most_in = (uint64_t)n * tb_n_candidates(g) + 1u;
    uint32_t id = 0, n_in = 0, *in;
    step *steps = must(malloc(n * sizeof *steps));
    if (tb_n_candidates(g) > MAX_IN || most_in > UINT32_MAX)
        child_fail("too many inputs", tb_pattern_name(g->pattern));
    in = must(malloc(most_in * sizeof *in));
    tasks = must(malloc(n * sizeof *tasks));
    n_run = must(calloc(n, 1));
    for (uint32_t at = 0; at < g->steps; at++) {
        for (uint32_t k = 0; k < tb_width(g, at); k++, id++) {
            tasks[id] = (struct task){at, tb_first(g, at) + k};
            add_task(&steps[id], in, &n_in, at, tasks[id].point);
        }
    }
    now.steps = steps;
    now.in = in;
    now.n_steps = n;
    now.n_workers = problem.n_workers;
}

void child_close(void)
{
    if (now.steps && subject_close)
        subject_close();
    free((void *)now.steps);
    free((void *)now.in);
    free(now.cells);
    free(tasks);
    free(n_run);
    free(params.outputs);
    free(params.scratch);
    free(params.sink);
    memset(&now, 0, sizeof now);
    memset(&params, 0, sizeof params);
    tasks = NULL;
    n_run = NULL;
}

/* Only kernels and their lengths differ: the graph, and the library's threads, can stay. */
static int is_same_graph(const tb_problem *p)
{
    return now.steps && !memcmp(&p->graph, &problem.graph, sizeof p->graph) &&
           p->output_bytes == problem.output_bytes && p->n_workers == problem.n_workers &&
           p->kernel.scratch_bytes == problem.kernel.scratch_bytes &&
           (p->kernel.type == TB_MEMORY_BOUND) == (problem.kernel.type == TB_MEMORY_BOUND);
}

static void open_problem(const tb_problem *p)
{
    const int is_same = is_same_graph(p);
    if (!is_same)
        child_close();
    problem = *p;
    params.kernel = p->kernel;
    if (is_same)
        return;
    make_memory();
    make_shape();
    if (subject_open && subject_open(&now))
        exit(2);
}

/* ---- the answers ---- */

/* Clears the outputs: those of the run before would pass for this run's. */
static void run_once(times *t, uint32_t n_reruns)
{
    memset(params.outputs, 0xff, now.n_cells * (size_t)problem.output_bytes);
    memset(t, 0, sizeof *t);
    now.n_reruns = n_reruns;
    n_wrong = 0;
    if (subject_run(&now, t))
        exit(2);
    if (n_wrong)
        child_fail("tasks received what they should not have", tb_pattern_name(problem.graph.pattern));
}

static void answer_verify(void)
{
    times t;
    memset(n_run, 0, now.n_steps);
    bench_body = body_counted;
    run_once(&t, 0);
    bench_body = body;
    for (uint32_t id = 0; id < now.n_steps; id++)
        if (n_run[id] != 1)
            child_fail("a task did not run once", tb_pattern_name(problem.graph.pattern));
    printf("tasks=%u", now.n_steps);
}

static void answer_time(void)
{
    times t;
    run_once(&t, 0);
    run_once(&t, 3);
    printf("tasks=%u total=%.0f run=%.0f rerun=%.0f", now.n_steps, t.total, t.run, t.rerun);
}

static void *kernels(void *ns)
{
    double begin = bench_now();
    tb_run_kernel(&params, 0, (uint32_t) * (double *)ns, 0, 1);
    *(double *)ns = bench_now() - begin;
    return NULL;
}

/* The slowest worker's time: that of a step with one kernel per worker. */
static void answer_peak(void)
{
    pthread_t threads[64];
    double ns[64], most = 0;
    const uint32_t n = problem.n_workers;
    if (n > 64u || n > problem.graph.width || !problem.kernel.iterations)
        child_fail("needs 1 to 64 workers, a column for each, and iterations", "peak");
    for (uint32_t i = 0; i < n; i++) {
        ns[i] = i;
        if (pthread_create(&threads[i], NULL, kernels, &ns[i]))
            child_fail("no thread", "peak");
    }
    for (uint32_t i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        most = ns[i] > most ? ns[i] : most;
    }
    printf("ns=%.6g", most / problem.kernel.iterations);
}

void child_answer(const char *line)
{
    char verb[16];
    int n_read = 0;
    tb_problem p = tb_default();
    const char *bad = sscanf(line, "%15s%n", verb, &n_read) == 1 ? tb_read(&p, line + n_read) : "expected: a verb";
    if (bad)
        child_fail(bad, "task_bench");
    open_problem(&p);
    if (!strcmp(verb, "verify"))
        answer_verify();
    else if (!strcmp(verb, "time"))
        answer_time();
    else if (!strcmp(verb, "peak"))
        answer_peak();
    else
        child_fail("expected: verify, time or peak", verb);
}
