/* SPDX-License-Identifier: MIT */
/* notes.c - reports on a run that the environment asks for: a line on stderr, its trace, its timeline. A file that cannot be
 * written gives a message, and does not end the program. */
#include "openmp/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lengths that look wrong --------------------------------------------------------------------------------------- */

/* Section lengths are often wrong in programs that only ran where the first byte counts, since it goes unnoticed there. A
 * cheap sign: two dependences begin at one address and end at different ones. */
typedef struct seen {
    uint64_t base, end;
    uint32_t task, used;
} seen;

static uint64_t end_of(const heddle_range *r)
{
    uint64_t rows = r->n_rows > 1 ? (r->n_rows - 1) * r->stride_bytes : 0;
    return (uint64_t)(uintptr_t)r->base + rows + r->row_bytes;
}

/* The first entry of this base, or the free place for it. */
static seen *find(seen *table, uint64_t mask, uint64_t base)
{
    uint64_t i = (base * 0x9e3779b97f4a7c15ull >> 20) & mask;
    while (table[i].used && table[i].base != base)
        i = (i + 1) & mask;
    return &table[i];
}

typedef struct suspects {
    uint64_t n;
    uint32_t first[2]; /* tasks */
} suspects;

static void look_at(suspects *out, seen *table, uint64_t mask, heddle_range r, uint32_t task)
{
    seen *s = find(table, mask, (uint64_t)(uintptr_t)r.base);
    if (!s->used) {
        *s = (seen){(uint64_t)(uintptr_t)r.base, end_of(&r), task, 1};
    } else if (s->end != end_of(&r)) {
        if (!out->n++) {
            out->first[0] = s->task;
            out->first[1] = task;
        }
    }
}

static suspects find_suspects(const hd_omp_list *l)
{
    uint64_t size = 64, i, k, end;
    suspects out = {0, {0, 0}};
    seen *table;
    while (size < l->deps.n * 2)
        size *= 2;
    table = hd_omp_new(size * sizeof *table);
    for (i = 0; i < l->tasks.n; i++) {
        end = hd_omp_list_end(l, i);
        for (k = HD_OMP_TASK(l, i)->first; k < end;)
            look_at(&out, table, size - 1, hd_omp_list_read(l, &k), (uint32_t)i);
    }
    free(table);
    return out;
}

static void tell_suspects(const hd_omp_region *r)
{
    suspects s;
    const heddle_omp_kind *a, *b;
    if (r->match != HEDDLE_OMP_OVERLAP)
        return;
    s = find_suspects(&r->list);
    if (!s.n || HD_OMP_TASK(&r->list, s.first[0])->kind >= r->n_kinds)
        return;
    a = &r->kinds[HD_OMP_TASK(&r->list, s.first[0])->kind];
    b = &r->kinds[HD_OMP_TASK(&r->list, s.first[1])->kind];
    hd_omp_tell(NULL,
                "%llu dependences begin where another one does, and end elsewhere; the first are of %s (%s:%u) and of "
                "%s (%s:%u). If lengths of sections are wrong there, tasks wait for more than they must",
                (unsigned long long)s.n, a->name, a->place.file, a->place.line, b->name, b->place.file, b->place.line);
}

/* A costly sign: two tasks of one pragma, where what one writes begins inside what the other writes and ends behind it.
 * Libraries that compare first bytes run such tasks in parallel. */
#define MOST_WRITES 4096u
#define MOST_LOOKS 32 /* first runs of graphs that are checked; programs with many small graphs lose no time */

typedef struct written {
    uint32_t kind, number; /* kind of the task; number of the dependence in it */
    uint64_t begin, end;
} written;

static int compare_written(const void *a, const void *b)
{
    const written *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static uint32_t find_written(const hd_omp_region *r, written *out)
{
    const hd_omp_list *l = &r->list;
    uint32_t n = 0;
    for (uint64_t i = 0; i < l->tasks.n && n < MOST_WRITES; i++) {
        const hd_omp_task *t = HD_OMP_TASK(l, i);
        uint64_t k = t->first + (l->has_epochs != 0), end = t->kind < r->n_kinds ? hd_omp_list_end(l, i) : 0;
        for (uint32_t number = 1; k < end && n < MOST_WRITES; number++) {
            heddle_range range = hd_omp_list_read(l, &k);
            if (range.mode != HEDDLE_MODE_IN && range.n_rows == 1)
                out[n++] = (written){t->kind, number, (uint64_t)(uintptr_t)range.base, end_of(&range)};
        }
    }
    qsort(out, n, sizeof *out, compare_written);
    return n;
}

static int reaches_into(const written *a, const written *b)
{
    return a->kind == b->kind && a->number == b->number && a->begin < b->begin && b->begin < a->end && a->end < b->end;
}

/* Warns once per process. */
static void tell_long(const hd_omp_region *r)
{
    static int n_looks;
    written *all;
    uint32_t n, i = 0;
    if (r->match != HEDDLE_OMP_OVERLAP || n_looks >= MOST_LOOKS)
        return;
    n_looks++;
    all = hd_omp_new(MOST_WRITES * sizeof *all);
    n = find_written(r, all);
    while (i + 1 < n && !reaches_into(&all[i], &all[i + 1]))
        i++;
    if (i + 1 < n) {
        n_looks = MOST_LOOKS;
        hd_omp_tell(
            &r->kinds[all[i].kind].place,
            "dependence %u of task %s names %llu bytes, the last %llu of which another such task writes, too: these "
            "tasks run one after the other. If the length is wrong, correct it, or let heddlec compare first bytes "
            "alone, --depend=start",
            all[i].number, r->kinds[all[i].kind].name, (unsigned long long)(all[i].end - all[i].begin),
            (unsigned long long)(all[i].end - all[i + 1].begin));
    }
    free(all);
}

/* ---- a line per run -------------------------------------------------------------------------------------------------- */

static void tell_run(const hd_omp_device *d, heddle_graph *g, const heddle_omp_times *t)
{
    heddle_graph_info i = HEDDLE_GRAPH_INFO_INIT;
    heddle_stats s = HEDDLE_STATS_INIT;
    const char *how = heddle_graph_describe_run(g);
    uint64_t load_ns;
    (void)heddle_graph_get_info(g, &i);
    (void)heddle_graph_get_stats(g, &s);
    load_ns = t->reused ? 0 : s.load_ns < t->run_ns ? s.load_ns : t->run_ns; /* a cached graph is already loaded */
    hd_omp_tell(NULL,
                "%llu tasks, %llu edges, %llu levels on %s%s%s: created in %.3f ms, %s in %.3f ms, loaded in %.3f ms, "
                "run in %.3f ms",
                (unsigned long long)t->n_tasks, (unsigned long long)i.n_edges, (unsigned long long)i.n_levels,
                heddle_backend_name(d->config.backend), *how ? ", " : "", how, (double)t->create_ns / 1e6,
                t->reused ? "known graph" : "a graph", (double)(t->add_ns + t->freeze_ns) / 1e6, (double)load_ns / 1e6,
                (double)(t->run_ns - load_ns) / 1e6);
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

/* "%r" in a file name is replaced by the region: "lu.c-41". */
static void name_file(char *out, size_t n_bytes, const char *pattern, const heddle_omp_place *place)
{
    const char *mark = strstr(pattern, "%r"), *file = place->file ? strrchr(place->file, '/') : NULL;
    file = file ? file + 1 : place->file ? place->file : "region";
    if (mark)
        snprintf(out, n_bytes, "%.*s%s-%u%s", (int)(mark - pattern), pattern, file, place->line, mark + 2);
    else
        snprintf(out, n_bytes, "%s", pattern);
}

static heddle_status write_timeline(heddle_graph *g, const char *path)
{
    return heddle_graph_write_timeline(g, path, NULL);
}

static void write_file(const char *variable, heddle_status (*how)(heddle_graph *, const char *), const hd_omp_region *r,
                       const hd_omp_device *d, heddle_graph *g)
{
    const char *pattern = hd_omp_env(variable);
    char path[4096];
    if (!pattern)
        return;
    name_file(path, sizeof path, pattern, r->frame.place);
    if (how(g, path) != HEDDLE_OK)
        hd_omp_tell(NULL, "%s: %s", variable, heddle_error_text(d->ctx));
}

static int is_verbose(void)
{
    const char *verbose = hd_omp_env("HEDDLE_OMP_VERBOSE");
    return verbose && strcmp(verbose, "0") != 0;
}

void hd_omp_note_list(const hd_omp_region *r, int is_new)
{
    if (is_new)
        tell_long(r);
    if (is_verbose())
        tell_suspects(r);
}

void hd_omp_note(const hd_omp_region *r, const hd_omp_device *d, heddle_graph *g, const heddle_omp_times *t)
{
    if (is_verbose())
        tell_run(d, g, t);
    write_file("HEDDLE_OMP_TRACE", heddle_graph_write_trace, r, d, g);
    write_file("HEDDLE_OMP_TIMELINE", write_timeline, r, d, g);
}
