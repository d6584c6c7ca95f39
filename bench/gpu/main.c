/* SPDX-License-Identifier: MIT */
/* main.c - bench_gpu: the figures of the cuda backend, in one program. Each figure verifies first and times second.
 * What its goals need comes first, and may use all the time that is left. Other comparisons end with the figure's share
 * of the time, and become skipped rows. At its end a figure prints how many rows it left out. Exit status: 0 measured
 * (whatever the figures), 1 a wrong result or a run that ended badly, 2 cannot run.
 *
 *     bench_gpu [--out DIR] [--only NAME,NAME] [--budget SECONDS] [--backend cuda|cpu] [--quick] [--list]
 *
 * Writes DIR/figures.tsv (columns: bench.h; lines with # describe the machine) and prints the rows. --backend cpu tests
 * the program on threads with small sizes: its numbers are meaningless for a GPU. */
#include "figures.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct figure {
    const char *name, *help;
    double weight; /* its share of the time; 0: only when named */
    void (*run)(bench *b);
} figure;

static const figure figures[] = {
    {"hop", "what passing a task to another SM takes", 8, figure_hop},
    {"kept", "what a task takes that stays where its predecessor was", 2, figure_kept},
    {"wave", "72 x 72 wavefront, us a level over the work", 6, figure_wave},
    {"free", "200,000 independent empty tasks", 4, figure_free},
    {"efficiency", "share of the bound by length of tasks", 16, figure_efficiency},
    {"uneven", "log-normal tasks, with and without a profile", 14, figure_uneven},
    {"overhead", "10 us tasks on a full card", 4, figure_overhead},
    {"task-bench", "Task Bench: smallest useful tasks of eleven patterns, uneven tasks", 20, figure_task_bench},
    {"apps-s", "seven apps in L2", 28, figure_apps_small},
    {"lu", "lu at n = 2048 to 4096", 10, figure_lu},
    {"apps-m", "seven apps of 1 GB", 60, figure_apps_medium},
    {"spawn", "spawn and run empty children; spawn to start elsewhere", 10, figure_spawn},
    {"uts", "unbalanced tree search: T1L, T1, T3", 14, figure_uts},
    {"heat2d", "8192 x 8192 in 4096 tasks, beside one queue and launches", 24, figure_heat2d},
    {"bfs", "breadth-first search, beside one queue and searches by level", 20, figure_bfs},
    {"slu", "sparse LU of two matrices, beside launches", 20, figure_slu},
    {"apps-l", "seven apps of 16 GB: about four minutes; when named", 0, figure_apps_large},
};
enum { N_FIGURES = sizeof figures / sizeof *figures };

typedef struct request {
    const char *out, *only;
    double budget;
    int quick, list;
    heddle_backend backend;
} request;

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "bench_gpu: %s: %s\n", what, why);
    return 2;
}

/* Is the name in the list? */
static int is_named(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
        if ((at == list || at[-1] == ',') && (at[n] == '\0' || at[n] == ','))
            return 1;
    return 0;
}

static int is_wanted(const request *q, const figure *f) { return q->only ? is_named(q->only, f->name) : f->weight > 0; }

static int check_names(const char *only)
{
    char words[256], *rest = words, *word;
    snprintf(words, sizeof words, "%s", only);
    while ((word = strsep(&rest, ",")) != NULL) {
        int known = 0;
        for (size_t i = 0; i < N_FIGURES; i++)
            known |= !strcmp(figures[i].name, word);
        if (!known)
            return complain(word, "no such figure; --list names them");
    }
    return 0;
}

static int read_backend(request *q, const char *value)
{
    q->backend = HEDDLE_CUDA;
    if (!strcmp(value, "cuda"))
        return 0;
    q->backend = HEDDLE_CPU;
    q->quick = 1;
    return strcmp(value, "cpu") ? complain(value, "cuda or cpu is expected") : 0;
}

static int read_arguments(request *q, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(name, "--quick")) {
            q->quick = 1;
            continue;
        }
        if (!strcmp(name, "--list")) {
            q->list = 1;
            continue;
        }
        i++;
        if (!value)
            return complain(name, "unknown, or it needs a value");
        if (!strcmp(name, "--out"))
            q->out = value;
        else if (!strcmp(name, "--only"))
            q->only = value;
        else if (!strcmp(name, "--budget") && atof(value) > 0)
            q->budget = atof(value);
        else if (strcmp(name, "--backend") || read_backend(q, value))
            return complain(name, "unknown, or its value is wrong");
    }
    return q->only ? check_names(q->only) : 0;
}

/* ---- the machine ---- */

static int open_machine(bench *b)
{
    heddle_machine m;
    if (!heddle_backend_is_present(b->backend))
        return complain(heddle_backend_name(b->backend), "not here");
    if (b->backend == HEDDLE_CUDA) {
        if (raw_open(&b->card, 0) || raw_ticks_per_ns(&b->ticks_per_ns))
            return complain("the card", raw_error());
        if (raw_copy_rate(&b->copy_rate) || raw_fma_rate(&b->fma_rate))
            return complain("the card's rates", raw_error());
        return 0;
    }
    heddle_machine_get(&m);
    snprintf(b->card.name, sizeof b->card.name, "cpu backend, for trying out");
    b->card.n_sms = (int)(m.n_threads > 1 ? m.n_threads : 2);
    b->ticks_per_ns = 1;
    return 0;
}

static void print_machine(const bench *b)
{
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%MZ", &utc);
    fprintf(b->rows, "# date %s, heddle %d.%d.%d, %s\n", date, HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR,
            HEDDLE_VERSION_PATCH, getenv("COMMIT") ? getenv("COMMIT") : "commit not told");
    fprintf(b->rows, "# %s, %d SMs at %.0f MHz when busy, driver %d, runtime %d\n", b->card.name, b->card.n_sms,
            1e3 * b->ticks_per_ns, b->card.driver, b->card.runtime);
    fprintf(b->rows, "# device copy %.3g TB/s (read and written counted), fp32 %.3g TFLOP/s\n", b->copy_rate * 1e-12,
            2 * b->fma_rate * 1e-12);
    fprintf(b->rows, "figure\tsubject\tvariant\tvalue\tunit\tn_runs\tspread\tnote\n");
}

/* ---- running ---- */

static void run_figures(bench *b, const request *q)
{
    double weight = 0;
    b->end = bench_now() + q->budget;
    for (size_t i = 0; i < N_FIGURES; i++)
        weight += is_wanted(q, &figures[i]) ? figures[i].weight + 1 : 0;
    for (size_t i = 0; i < N_FIGURES; i++) {
        double begin = bench_now(), share = figures[i].weight + 1;
        if (!is_wanted(q, &figures[i]))
            continue;
        b->deadline = begin + (b->end - begin) * share / weight;
        b->n_late = 0;
        weight -= share;
        figures[i].run(b);
        if (b->n_late)
            bench_value(b, (row){"bench", "left out for lack of time", figures[i].name, "rows", NULL}, b->n_late);
        bench_value(b, (row){"bench", "time taken", figures[i].name, "s", NULL}, bench_now() - begin);
    }
}

static int run(bench *b, const request *q)
{
    char path[1024];
    int status = open_machine(b);
    if (status)
        return status;
    mkdir(q->out, 0777); /* it may exist already */
    snprintf(path, sizeof path, "%s/figures.tsv", q->out);
    b->rows = fopen(path, "w");
    if (!b->rows)
        return complain(path, "cannot be written");
    print_machine(b);
    run_figures(b, q);
    if (ferror(b->rows) | fclose(b->rows))
        return complain(path, "writing failed");
    return b->n_failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    request q = {".", NULL, 300, 0, 0, HEDDLE_CUDA};
    bench b = {.backend = HEDDLE_CUDA};
    int status = read_arguments(&q, argc, argv);
    if (status)
        return status;
    for (size_t i = 0; q.list && i < N_FIGURES; i++)
        printf("%-12s %s\n", figures[i].name, figures[i].help);
    if (q.list)
        return 0;
    b.backend = q.backend;
    b.quick = q.quick;
    return run(&b, &q);
}
