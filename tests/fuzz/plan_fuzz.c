/* SPDX-License-Identifier: MIT */
/* Plan files, broken at random. The reader accepts a file, which then is a plan of the graph or is refused as such; or
 * it refuses the file at once with a sentence that names it and a line. Nothing is left allocated. The same seed gives
 * the same files. Ends after a number of files or after ten seconds. */
#include "fuzz/mutate.h"
#include "graph/plan.h"
#include "unit/synthetic.h"

#include <sys/mman.h>

#define N_FILES 200000u
#define N_TASKS 6u
#define TIME_LIMIT_NS 10000000000u

static const char *const seeds[] = {
    "{\"workers\":2,\"tasks\":6,\"lists\":[\n[0,1,2],\n[3,4,5]\n]}\n",
    "{\"lists\":[[5,3,1],[],[0,2,4]],\"tasks\":6,\"workers\":3}",
    " { \"tasks\" : 6 , \"lists\" : [ [ 0 , 1 , 2 , 3 , 4 , 5 ] ] , \"workers\" : 1 } ",
    "{\"workers\":7,\"tasks\":6,\"lists\":[[5],[4],[3],[2],[1],[0],[]]}",
};
static const char *const words[] = {
    "null", "-1", "1.5", "1e3", "4294967296", "18446744073709551616", "[",          "]",          "{", "}", ",", ":",
    "\"",   "[]", "[0]", "\n",  "\xff",       "\"workers\":",         "\"tasks\":", "\"lists\":", "0"};

static char path[64]; /* of a file in memory, because disks are slow */
static int in_memory;
static uint64_t n_plans, n_cycles, n_others, n_refused;

/* 0 -> 1 -> 5, 2 -> 3. */
static void make_graph(hd_graph *g)
{
    const uint32_t edges[][2] = {{0, 1}, {1, 5}, {2, 3}};
    heddle_task_desc d = HEDDLE_TASK_INIT;
    uint32_t i;
    d.body = 1; /* a body without arguments */
    CHECK(hd_graph_init(g, &synthetic_table, NULL) == HEDDLE_OK);
    for (i = 0; i < N_TASKS; i++)
        CHECK(hd_graph_add(g, &d, NULL, NULL) == HEDDLE_OK);
    for (i = 0; i < 3; i++)
        CHECK(hd_graph_after(g, edges[i][1], edges[i][0], NULL) == HEDDLE_OK);
    CHECK(hd_graph_freeze(g, NULL) == HEDDLE_OK);
}

static void try_plan(const hd_plan *p, const hd_graph *g)
{
    hd_steps s;
    heddle_status st = hd_plan_check(p, g, NULL);
    CHECK(st == HEDDLE_OK || st == HEDDLE_ECYCLE || st == HEDDLE_EINVAL);
    n_plans += st == HEDDLE_OK;
    n_cycles += st == HEDDLE_ECYCLE;
    n_others += st == HEDDLE_EINVAL;
    if (st != HEDDLE_OK)
        return;
    CHECK(hd_steps_make(&s, p, g, NULL) == HEDDLE_OK);
    hd_steps_clear(&s);
}

static void try_file(const char *text, size_t n, const hd_graph *g)
{
    uint64_t held = hd_held_bytes();
    heddle_status s;
    hd_plan p;
    hd_error e;
    CHECK(ftruncate(in_memory, 0) == 0 && pwrite(in_memory, text, n, 0) == (ssize_t)n);
    s = hd_plan_read(&p, path, &e);
    if (s == HEDDLE_OK) {
        try_plan(&p, g);
        hd_plan_clear(&p);
    } else {
        n_refused++;
        CHECK_MSG(s == HEDDLE_EPARSE, "%s", e.text);
        CHECK_MSG(!strncmp(e.text, path, strlen(path)) && e.text[strlen(path)] == ':', "%s", e.text);
        CHECK_MSG(strtoul(e.text + strlen(path) + 1, NULL, 10) > 0, "%s", e.text);
    }
    CHECK(hd_held_bytes() == held);
}

int main(void)
{
    uint64_t seed = check_seed(16), i, k, end = heddle_host_clock_ns() + TIME_LIMIT_NS;
    char text[MOST_BYTES];
    hd_graph g;
    size_t n;
    in_memory = memfd_create("plan.json", 0);
    CHECK(in_memory >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", in_memory);
    make_graph(&g);
    for (i = 0; i < N_FILES && heddle_host_clock_ns() < end; i++) {
        const char *first = seeds[i % (sizeof seeds / sizeof *seeds)];
        n = strlen(first);
        memcpy(text, first, n);
        for (k = check_below(&seed, 4); k > 0; k--)
            mutate(text, &n, words, sizeof words / sizeof *words, &seed);
        try_file(text, n, &g);
    }
    hd_graph_clear(&g);
    close(in_memory);
    printf("%llu files: %llu plans, %llu with a cycle, %llu of other tasks; %llu refused\n", (unsigned long long)i,
           (unsigned long long)n_plans, (unsigned long long)n_cycles, (unsigned long long)n_others,
           (unsigned long long)n_refused);
    CHECK(n_plans > i / 10 && n_refused > i / 10 && n_others > 0 && n_cycles > 0); /* else it tests nothing */
    return 0;
}
