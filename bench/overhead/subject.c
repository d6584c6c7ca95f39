/* SPDX-License-Identifier: MIT */
/* subject.c - the program around a subject: makes the steps, answers the driver's lines, checks nothing itself (the
 * driver compares digests). Refuses unknown words and sizes beyond 2^30 tasks by a sentence and exit status 2. */
#include "subject.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_TASKS (1u << 30)

static shape now;

static void body_empty(uint32_t id) { (void)id; }

/* Mixes what the task may read into what it writes: any other order of two conflicting tasks gives another digest. The
 * pause, uneven but the same everywhere, gives wrong orders a chance to happen. */
static void body_hash(uint32_t id)
{
    const step *t = now.steps + id;
    uint64_t h = now.cells[t->inout] + id + 1;
    for (uint32_t i = 0; i < t->n_in; i++)
        h = (h ^ now.cells[t->in[i]]) * 0x9e3779b97f4a7c15u + (h >> 29);
    for (volatile uint32_t pause = (id * 2654435761u) >> 25; pause > 0; pause--)
        ;
    now.cells[t->inout] = h * 0xd6e8feb86659fd93u + (h >> 32);
}

void (*bench_body)(uint32_t id) = body_empty;

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fail(const char *why, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

/* ---- the cases --------------------------------------------------------------------------------- */

static step *add_step(step *at, uint32_t n_in, uint32_t in0, uint32_t in1, uint32_t inout)
{
    at->n_in = n_in;
    at->in[0] = in0;
    at->in[1] = in1;
    at->inout = inout;
    return at + 1;
}

/* Smith-Waterman's shape: a cell needs its upper and its left neighbour. */
static step *make_wavefront(step *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            uint32_t here = i * n + j, up = here - n, left = here - 1;
            if (i && j)
                at = add_step(at, 2, up, left, here);
            else
                at = add_step(at, i || j, i ? up : left, 0, here);
        }
    }
    return at;
}

/* Blocked LU without pivoting: lu0, fwd, bdiv, bmod. */
static step *make_lu(step *at, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        at = add_step(at, 0, 0, 0, k * n + k);
        for (uint32_t j = k + 1; j < n; j++)
            at = add_step(at, 1, k * n + k, 0, k * n + j);
        for (uint32_t i = k + 1; i < n; i++)
            at = add_step(at, 1, k * n + k, 0, i * n + k);
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = k + 1; j < n; j++)
                at = add_step(at, 2, i * n + k, k * n + j, i * n + j);
    }
    return at;
}

/* n tasks after the first one, or after one another: the same tasks and edges, but one long list of successors. */
static step *make_fan(step *at, uint32_t n)
{
    at = add_step(at, 0, 0, 0, 0);
    for (uint32_t i = 1; i <= n; i++)
        at = add_step(at, 1, 0, 0, i);
    return at;
}

static step *make_chain(step *at, uint32_t n)
{
    at = add_step(at, 0, 0, 0, 0);
    for (uint32_t i = 1; i <= n; i++)
        at = add_step(at, 1, i - 1, 0, i);
    return at;
}

typedef struct kind {
    const char *name;
    step *(*make)(step *at, uint32_t n);
    uint64_t power; /* tasks and cells are at most (n + 1)^power */
} kind;
static const kind kinds[] = {
    {"wavefront", make_wavefront, 2}, {"lu", make_lu, 3}, {"fan", make_fan, 1}, {"chain", make_chain, 1}};

static const kind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds + i;
    fail("unknown case", name);
    return NULL;
}

static void *must(void *p)
{
    if (!p)
        fail("out of memory", "steps");
    return p;
}

static void make_shape(const char *name, uint32_t n, uint32_t n_workers)
{
    const kind *k = kind_of(name);
    uint64_t bound = 1, n_cells = k->power == 1 ? (uint64_t)n + 1 : (uint64_t)n * n;
    step *steps;
    for (uint64_t i = 0; i < k->power && bound < MAX_TASKS; i++)
        bound *= (uint64_t)n + 1;
    if (n < 1 || bound >= MAX_TASKS || n_workers < 1)
        fail("size out of range", name);
    steps = must(malloc(bound * sizeof *steps));
    now.n_steps = (uint32_t)(k->make(steps, n) - steps);
    now.steps = must(realloc(steps, now.n_steps * sizeof *steps));
    now.n_cells = (uint32_t)n_cells;
    now.cells = must(calloc(n_cells, sizeof *now.cells));
    now.n_workers = n_workers;
}

static void drop_shape(void)
{
    if (now.steps && subject_close)
        subject_close();
    free((void *)now.steps);
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

/* The driver has just woken this process: a first run, or some more of a short one, warms caches and clocks. */
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
        fail("refused", verb);
    putchar('\n');
    fflush(stdout);
}

int main(void)
{
    char line[128], last[128] = "", verb[16], name[16];
    while (fgets(line, sizeof line, stdin)) {
        unsigned n, n_workers;
        if (sscanf(line, "%15s %15s %u %u", verb, name, &n, &n_workers) != 4)
            fail("expected: verb case n workers", line);
        if (strcmp(strchr(line, ' '), last)) { /* another shape than the last line's */
            drop_shape();
            strcpy(last, strchr(line, ' '));
            make_shape(name, n, n_workers);
            if (subject_open && subject_open(&now))
                return 2;
        }
        answer(verb);
    }
    drop_shape();
    return 0;
}
