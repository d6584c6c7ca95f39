/* SPDX-License-Identifier: MIT */
/* main.c - the cost of a task: makes the steps of wavefronts, blocked LU, fans and chains, and answers the driver:
 *
 *     verify CASE N WORKERS   ->  digest=<hexadecimal>           the cells after a run with hashing bodies
 *     time CASE N WORKERS     ->  n_tasks=... total=<ns> ...     one run with empty bodies, after a warm-up
 *     info CASE N WORKERS     ->  what else the subject knows of that graph (only some do)
 *
 * Checks nothing itself: the driver compares digests. Unknown words and sizes beyond 2^30 tasks give a sentence and
 * exit status 2. */
#include "subject.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TASKS (1u << 30)

static shape now;

static void body_empty(uint32_t id) { (void)id; }

/* Mixes what the task may read into what it writes: another order of two conflicting tasks gives another digest. The
 * pause, uneven but reproducible, gives wrong orders a chance to occur. */
static void body_hash(uint32_t id)
{
    const step *t = now.steps + id;
    uint64_t h = now.cells[t->inout] + id + 1;
    for (uint32_t i = 0; i < t->n_in; i++)
        h = (h ^ now.cells[now.in[t->first_in + i]]) * 0x9e3779b97f4a7c15u + (h >> 29);
    for (volatile uint32_t pause = (id * 2654435761u) >> 25; pause > 0; pause--)
        ;
    now.cells[t->inout] = h * 0xd6e8feb86659fd93u + (h >> 32);
}

void (*bench_body)(uint32_t id) = body_empty;

/* ---- the cases --------------------------------------------------------------------------------- */

/* Steps under construction; each has room for two inputs. */
typedef struct list {
    step *steps;
    uint32_t *in, n;
} list;

static void add_step(list *to, uint32_t n_in, uint32_t in0, uint32_t in1, uint32_t inout)
{
    to->steps[to->n] = (step){2u * to->n, n_in, inout};
    to->in[2u * to->n] = in0;
    to->in[2u * to->n + 1u] = in1;
    to->n++;
}

/* Smith-Waterman's shape: a cell needs its north and west neighbours. */
static void make_wavefront(list *to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            uint32_t here = i * n + j, up = here - n, left = here - 1;
            if (i && j)
                add_step(to, 2, up, left, here);
            else
                add_step(to, i || j, i ? up : left, 0, here);
        }
    }
}

/* Blocked LU without pivoting: lu0, fwd, bdiv, bmod. */
static void make_lu(list *to, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        add_step(to, 0, 0, 0, k * n + k);
        for (uint32_t j = k + 1; j < n; j++)
            add_step(to, 1, k * n + k, 0, k * n + j);
        for (uint32_t i = k + 1; i < n; i++)
            add_step(to, 1, k * n + k, 0, i * n + k);
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = k + 1; j < n; j++)
                add_step(to, 2, i * n + k, k * n + j, i * n + j);
    }
}

/* n tasks after the first one, or after one another: the same tasks and edges, but one long list of successors. */
static void make_fan(list *to, uint32_t n)
{
    add_step(to, 0, 0, 0, 0);
    for (uint32_t i = 1; i <= n; i++)
        add_step(to, 1, 0, 0, i);
}

static void make_chain(list *to, uint32_t n)
{
    add_step(to, 0, 0, 0, 0);
    for (uint32_t i = 1; i <= n; i++)
        add_step(to, 1, i - 1, 0, i);
}

typedef struct kind {
    const char *name;
    void (*make)(list *to, uint32_t n);
    uint64_t power; /* tasks and cells are at most (n + 1)^power */
} kind;
static const kind kinds[] = {
    {"wavefront", make_wavefront, 2}, {"lu", make_lu, 3}, {"fan", make_fan, 1}, {"chain", make_chain, 1}};

static const kind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds + i;
    child_fail("unknown case", name);
}

static void *must(void *p)
{
    if (!p)
        child_fail("out of memory", "steps");
    return p;
}

static void make_shape(const char *name, uint32_t n, uint32_t n_workers)
{
    const kind *k = kind_of(name);
    uint64_t bound = 1, n_cells = k->power == 1 ? (uint64_t)n + 1 : (uint64_t)n * n;
    list made = {NULL, NULL, 0};
    for (uint64_t i = 0; i < k->power && bound < MAX_TASKS; i++)
        bound *= (uint64_t)n + 1;
    if (n < 1 || bound >= MAX_TASKS || n_workers < 1)
        child_fail("size out of range", name);
    made.steps = must(malloc(bound * sizeof *made.steps));
    made.in = must(malloc(2 * bound * sizeof *made.in));
    k->make(&made, n);
    now.n_steps = made.n;
    now.steps = must(realloc(made.steps, made.n * sizeof *made.steps));
    now.in = must(realloc(made.in, 2 * (size_t)made.n * sizeof *made.in));
    now.n_cells = (uint32_t)n_cells;
    now.cells = must(calloc(n_cells, sizeof *now.cells));
    now.n_workers = n_workers;
}

void child_close(void)
{
    if (now.steps && subject_close)
        subject_close();
    free((void *)now.steps);
    free((void *)now.in);
    free(now.cells);
    memset(&now, 0, sizeof now);
}

/* ---- the answers -------------------------------------------------------------------------------- */

static void run_once(times *t, uint32_t n_reruns)
{
    memset(t, 0, sizeof *t);
    now.n_reruns = n_reruns;
    if (subject_run(&now, t))
        exit(2);
}

static void answer_verify(void)
{
    times t;
    uint64_t digest = 0;
    memset(now.cells, 0, now.n_cells * sizeof *now.cells);
    bench_body = body_hash;
    run_once(&t, 0);
    bench_body = body_empty;
    for (uint32_t i = 0; i < now.n_cells; i++)
        digest = (digest ^ now.cells[i]) * 0x100000001b3u + (digest >> 31);
    printf("digest=%016llx", (unsigned long long)digest);
}

/* The driver has just woken this process: warms up caches and clocks by a first run, by more if runs are short. */
static void answer_time(void)
{
    times t;
    uint32_t n_warm = 1 + 30000 / now.n_steps, n_reruns = 1 + 500000 / now.n_steps;
    for (uint32_t i = 0; i < n_warm; i++)
        run_once(&t, 0);
    run_once(&t, n_reruns > MAX_RERUNS ? MAX_RERUNS : n_reruns);
    printf("n_tasks=%u total=%.0f", now.n_steps, t.total);
    if (t.run > 0)
        printf(" add_freeze=%.0f run=%.0f rerun=%.0f", t.add_freeze, t.run, t.rerun);
}

static void answer(const char *verb)
{
    if (!strcmp(verb, "verify"))
        answer_verify();
    else if (!strcmp(verb, "time"))
        answer_time();
    else if (strcmp(verb, "info") || !subject_info || subject_info(&now, stdout))
        child_fail("refused", verb);
}

void child_answer(const char *line)
{
    static char last[128]; /* without the verb */
    char verb[16], name[16];
    unsigned n, n_workers;
    if (strlen(line) >= sizeof last || sscanf(line, "%15s %15s %u %u", verb, name, &n, &n_workers) != 4)
        child_fail("expected: verb case n workers", line);
    if (strcmp(strchr(line, ' '), last)) { /* not the last line's shape */
        child_close();
        strcpy(last, strchr(line, ' '));
        make_shape(name, n, n_workers);
        if (subject_open && subject_open(&now))
            exit(2);
    }
    answer(verb);
}
