/* SPDX-License-Identifier: MIT */
/* Graph files, broken at random: seeds of the format with bytes changed, pieces cut out, doubled, moved or replaced by
 * words of the format. The reader stays within the file's bounds, or refuses it with a sentence that names it. Nothing
 * is left allocated; what was read becomes a graph, or has a cycle. The same seed gives the same files. Ends after a
 * number of files or after ten seconds. */
#include "fuzz/mutate.h"
#include "unit/synthetic.h"

#include <jansson.h>
#include <sys/mman.h>

#define N_FILES 100000u
#define TIME_LIMIT_NS 10000000000u

static const char *const seeds[] = {
    "{\"tasks\":[{\"id\":0,\"us\":3.5,\"after\":[],\"body\":\"a\"},{\"id\":1,\"us\":2,\"after\":[0],\"body\":\"b\"},"
    "{\"id\":2,\"us\":1e3,\"after\":[0,1],\"body\":\"a\",\"priority\":1,\"args\":\"00ff17\"}]}",
    "{\"tasks\":[{\"id\":9,\"after\":[7,8]},{\"id\":8,\"after\":[7]},{\"id\":7}]}",
    "{\"tasks\":[\n{\"id\":1,\"after\":[2]},\n{\"id\":2,\"after\":[3]},\n{\"id\":3,\"args\":\"\"}\n]}",
    "{\"tasks\":[{\"id\":4611686018427387904,\"us\":0,\"body\":\"\\u00e9\\n\\\"\"},{\"id\":0,\"us\":0.001,\"after\":"
    "[4611686018427387904,4611686018427387904]}],\"note\":{\"x\":[[[]]]}}",
    "{\"tasks\":[{\"id\":1,\"after\":[3]},{\"id\":2,\"after\":[1]},{\"id\":3,\"after\":[2]}]}",
};
static const char *const words[] = {"null",
                                    "true",
                                    "-1",
                                    "1e308",
                                    "-0.0",
                                    "9223372036854775807",
                                    "18446744073709551616",
                                    "[",
                                    "]",
                                    "{",
                                    "}",
                                    ",",
                                    ":",
                                    "\"",
                                    "\\u0000",
                                    "\\ud800",
                                    "\xff",
                                    "\xc3\xa9",
                                    "\"id\":",
                                    "\"after\":[",
                                    "\"us\":",
                                    "\"args\":\"zz\"",
                                    "\"body\":\"\"",
                                    "NaN",
                                    "{\"id\":5}",
                                    "0.5",
                                    "3600000001",
                                    "\"tasks\":"};

static char path[64]; /* of a file in memory, because disks are slow */
static int in_memory;
static uint64_t n_read, n_refused, n_cycles;
static volatile uint8_t sum; /* of arguments, so that they are read */

static void check_bounds(const hd_file_graph *f)
{
    uint64_t i, k;
    CHECK(f->n_tasks > 0 && f->n_names > 0);
    for (i = 0; i < f->n_tasks; i++) {
        const hd_file_task *t = &f->tasks[i];
        CHECK(t->body < f->n_names && f->names[t->body][0] && t->spin_ns <= 3600000000000u);
        for (k = 0; k < t->n_after; k++)
            CHECK(f->after[t->after_at + k] < f->n_tasks && f->after[t->after_at + k] != i);
        for (k = 0; k < t->arg_bytes; k++)
            sum += f->args[t->args_at + k];
    }
}

/* The file's edges must make a graph, or have a cycle. */
static void build(const hd_file_graph *f)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    heddle_status s;
    hd_graph g;
    uint64_t i, k;
    d.body = 1; /* a body without arguments */
    CHECK(hd_graph_init(&g, &synthetic_table, NULL) == HEDDLE_OK);
    for (i = 0; i < f->n_tasks; i++)
        CHECK(hd_graph_add(&g, &d, NULL, NULL) == HEDDLE_OK);
    for (i = 0; i < f->n_tasks; i++)
        for (k = 0; k < f->tasks[i].n_after; k++)
            CHECK(hd_graph_after(&g, (uint32_t)i, f->after[f->tasks[i].after_at + k], NULL) == HEDDLE_OK);
    s = hd_graph_freeze(&g, NULL);
    CHECK(s == HEDDLE_OK || s == HEDDLE_ECYCLE);
    n_cycles += s == HEDDLE_ECYCLE;
    hd_graph_clear(&g);
}

static void try_file(const char *text, size_t n)
{
    hd_file_graph f;
    hd_error e;
    heddle_status s;
    CHECK(ftruncate(in_memory, 0) == 0 && pwrite(in_memory, text, n, 0) == (ssize_t)n);
    s = hd_file_graph_read(&f, path, &e);
    if (s == HEDDLE_OK) {
        n_read++;
        check_bounds(&f);
        build(&f);
        hd_file_graph_clear(&f);
    } else {
        n_refused++;
        CHECK_MSG(s == HEDDLE_EPARSE || s == HEDDLE_ECYCLE, "%s", e.text);
        CHECK_MSG(!strncmp(e.text, path, strlen(path)) && e.text[strlen(path)] == ':', "%s", e.text);
    }
    CHECK(hd_held_bytes() == 0);
}

int main(void)
{
    uint64_t seed = check_seed(15), i, k, end = heddle_host_clock_ns() + TIME_LIMIT_NS;
    char text[MOST_BYTES];
    size_t n;
    in_memory = memfd_create("graph.json", 0);
    CHECK(in_memory >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", in_memory);
    json_object_seed(1);
    for (i = 0; i < N_FILES && heddle_host_clock_ns() < end; i++) {
        const char *first = seeds[i % (sizeof seeds / sizeof *seeds)];
        n = strlen(first);
        memcpy(text, first, n);
        for (k = check_below(&seed, 5); k > 0; k--)
            mutate(text, &n, words, sizeof words / sizeof *words, &seed);
        try_file(text, n);
    }
    close(in_memory);
    printf("%llu files: %llu read, of which %llu have a cycle; %llu refused\n", (unsigned long long)i,
           (unsigned long long)n_read, (unsigned long long)n_cycles, (unsigned long long)n_refused);
    CHECK(n_read > i / 10 && n_refused > i / 10 && n_cycles > 0); /* otherwise the test covers nothing */
    return 0;
}
