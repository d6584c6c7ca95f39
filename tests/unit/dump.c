/* SPDX-License-Identifier: MIT */
/* Graph files: a file that is read and written again is the same, and what is read is what the graph holds. Each kind
 * of malformed file is refused with its sentence; memory failures leave neither memory nor a file behind. */
#include "synthetic.h"

#include <jansson.h>

static char *folder, path[64], other[64];

static void write_file(const char *text)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, strlen(text), f) == strlen(text) && fclose(f) == 0);
}

/* Builds the graph of a file with the bodies of synthetic_table. */
static void graph_of(hd_graph *g, const hd_file_graph *f)
{
    uint64_t i, k;
    CHECK(hd_graph_init(g, &synthetic_table, NULL) == HEDDLE_OK);
    for (i = 0; i < f->n_tasks; i++) {
        const hd_file_task *t = &f->tasks[i];
        heddle_task_desc d = HEDDLE_TASK_INIT;
        while (strcmp(synthetic_bodies[d.body].name, f->names[t->body]))
            CHECK(++d.body < SYNTHETIC_BODIES);
        d.args = f->args + t->args_at;
        d.arg_bytes = t->arg_bytes;
        d.urgent = t->urgent;
        d.cost_ns = t->cost_ns;
        CHECK(hd_graph_add(g, &d, NULL, NULL) == HEDDLE_OK);
    }
    for (i = 0; i < f->n_tasks; i++)
        for (k = 0; k < f->tasks[i].n_after; k++)
            CHECK(hd_graph_after(g, (uint32_t)i, f->after[f->tasks[i].after_at + k], NULL) == HEDDLE_OK);
    CHECK(hd_graph_freeze(g, NULL) == HEDDLE_OK);
}

static void compare(const synthetic *s, const hd_file_graph *f)
{
    uint32_t t, i;
    CHECK(f->n_tasks == s->n);
    for (t = 0; t < s->n; t++) {
        const hd_file_task *is = &f->tasks[t];
        const hd_task *was = hd_graph_task(&s->g, t);
        CHECK(strcmp(f->names[is->body], synthetic_bodies[was->body].name) == 0);
        CHECK(is->cost_ns == was->cost_ns && is->spin_ns == was->cost_ns);
        CHECK(is->urgent == !!(was->flags & HD_TASK_URGENT));
        CHECK(is->arg_bytes == was->arg_bytes);
        CHECK(memcmp(f->args + is->args_at, hd_graph_args(&s->g, was), was->arg_bytes) == 0);
        CHECK(is->n_after == was->n_in);
        for (i = 0; i < is->n_after; i++)
            CHECK(s->has[f->after[is->after_at + i] * s->n + t]);
    }
}

static void round_trip(uint32_t n, uint32_t n_edges, uint64_t *seed)
{
    synthetic s;
    hd_file_graph f;
    hd_graph again;
    char *first, *second;
    synthetic_graph(&s, n, n_edges, seed);
    CHECK(hd_graph_write_json(&s.g, path, NULL) == HEDDLE_OK);
    CHECK_MSG(hd_file_graph_read(&f, path, NULL) == HEDDLE_OK, "%s", hd_thread_error()->text);
    compare(&s, &f);
    graph_of(&again, &f);
    CHECK(hd_graph_write_json(&again, other, NULL) == HEDDLE_OK);
    first = synthetic_text(path, NULL);
    second = synthetic_text(other, NULL);
    CHECK(strcmp(first, second) == 0);
    free(first);
    free(second);
    unlink(path);
    unlink(other);
    hd_graph_clear(&again);
    hd_file_graph_clear(&f);
    synthetic_free(&s);
}

/* Many readers, then many writers: the file contains heddle's joins as tasks. */
static void joins(void)
{
    hd_graph g;
    hd_file_graph f;
    heddle_range r = HEDDLE_IN((void *)64, 8);
    heddle_task_desc d = HEDDLE_TASK_INIT;
    uint64_t i, n_joins = 0;
    CHECK(hd_graph_init(&g, &synthetic_table, NULL) == HEDDLE_OK);
    d.body = 1;
    d.ranges = &r;
    d.n_ranges = 1;
    for (i = 0; i < 1000; i++) {
        r.mode = i == 0 || i == 500 ? HEDDLE_MODE_OUT : HEDDLE_MODE_IN;
        CHECK(hd_graph_add(&g, &d, NULL, NULL) == HEDDLE_OK);
    }
    CHECK(hd_graph_freeze(&g, NULL) == HEDDLE_OK);
    CHECK(hd_graph_write_json(&g, path, NULL) == HEDDLE_OK);
    CHECK(hd_file_graph_read(&f, path, NULL) == HEDDLE_OK);
    CHECK(f.n_tasks == g.n_tasks);
    for (i = 0; i < f.n_tasks; i++)
        n_joins += strcmp(f.names[f.tasks[i].body], "join") == 0 && f.tasks[i].spin_ns == 0;
    CHECK_MSG(n_joins == g.n_joins, "%llu, not %llu", (unsigned long long)n_joins, (unsigned long long)g.n_joins);
    unlink(path);
    hd_file_graph_clear(&f);
    hd_graph_clear(&g);
}

static uint32_t count_lines_with(const char *text, const char *what)
{
    uint32_t n = 0;
    while ((text = strstr(text, what))) {
        n++;
        text += strlen(what);
    }
    return n;
}

static void dot(uint64_t *seed)
{
    synthetic s;
    char *text, edge[48];
    uint32_t a, b, n_edges = 0;
    synthetic_graph(&s, 40, 200, seed);
    CHECK(hd_graph_write_dot(&s.g, path, NULL) == HEDDLE_OK);
    text = synthetic_text(path, NULL);
    for (a = 0; a < s.n; a++)
        for (b = 0; b < s.n; b++) {
            snprintf(edge, sizeof edge, "\nt%u -> t%u;\n", a, b);
            CHECK(!!strstr(text, edge) == s.has[a * s.n + b]);
            n_edges += s.has[a * s.n + b];
        }
    CHECK(count_lines_with(text, " -> ") == n_edges && count_lines_with(text, "[label=\"") == s.n);
    CHECK(strncmp(text, "digraph ", 8) == 0 && strcmp(text + strlen(text) - 2, "}\n") == 0);
    CHECK(strstr(text, "a \\\"quoted\\\\\\\" <&>"));
    free(text);
    unlink(path);
    synthetic_free(&s);
}

/* What users may write by hand: any ids, later tasks in "after", missing fields, fractions. */
static void by_hand(void)
{
    hd_file_graph f;
    write_file("{\"comment\":[1,{}],\"tasks\":[\n {\"id\":9223372036854775807,\"us\":0.5,\"after\":[7,0,7]},\n"
               " {\"id\":7,\"body\":\"x\",\"us\":3600e6,\"priority\":-2147483648},\n {\"id\":0,\"args\":\"00fFA9\"}]}");
    CHECK_MSG(hd_file_graph_read(&f, path, NULL) == HEDDLE_OK, "%s", hd_thread_error()->text);
    CHECK(f.n_tasks == 3 && f.n_names == 2 && !strcmp(f.names[0], "task") && !strcmp(f.names[1], "x"));
    CHECK(f.tasks[0].n_after == 3 && f.tasks[0].spin_ns == 500 && f.tasks[0].cost_ns == 500);
    CHECK(f.after[0] == 1 && f.after[1] == 2 && f.after[2] == 1);
    CHECK(f.tasks[1].spin_ns == 3600000000000u && f.tasks[1].cost_ns == UINT32_MAX);
    CHECK(f.tasks[1].urgent == 0 && f.tasks[1].n_after == 0 && f.tasks[1].body == 1);
    CHECK(f.tasks[2].body == 0 && f.tasks[2].spin_ns == 0 && f.tasks[2].arg_bytes == 3);
    CHECK(memcmp(f.args + f.tasks[2].args_at, "\x00\xff\xa9", 3) == 0);
    hd_file_graph_clear(&f);
    unlink(path);
}

/* A file, its status, and the sentence after the path. */
static const struct {
    const char *text;
    heddle_status status;
    const char *says;
} refused[] = {
    {"", HEDDLE_EPARSE, ":1: "},
    {"{\"tasks\":[\n{\"id\":1},\n{\"id\":2,}]}", HEDDLE_EPARSE, ":3: "},
    {"{\"tasks\":[\n\n{\"id\":1,\"id\":2}]}", HEDDLE_EPARSE, ":3: "},
    {"{\"tasks\":[{\"id\":1}]} x", HEDDLE_EPARSE, ":1: "},
    {"{\"tasks\":[{\"id\":1,\"us\":NaN}]}", HEDDLE_EPARSE, ":1: "},
    {"{\"tasks\":[{\"id\":1,\"us\":1e999}]}", HEDDLE_EPARSE, ":1: "},
    {"{\"tasks\":[{\"id\":9223372036854775808}]}", HEDDLE_EPARSE, ":1: "},
    {"{\"tasks\":[{\"id\":1,\"body\":\"\xff\"}]}", HEDDLE_EPARSE, ":1: "},
    {"[]", HEDDLE_EPARSE, ": is not an object with an array \"tasks\""},
    {"{}", HEDDLE_EPARSE, ": is not an object with an array \"tasks\""},
    {"{\"tasks\":{}}", HEDDLE_EPARSE, ": is not an object with an array \"tasks\""},
    {"{\"tasks\":[]}", HEDDLE_EPARSE, ": has no tasks"},
    {"{\"tasks\":[{\"id\":1},7]}", HEDDLE_EPARSE, ": task 1: is not an object"},
    {"{\"tasks\":[{\"id\":1},{\"us\":1}]}", HEDDLE_EPARSE, ": task 1: has no id"},
    {"{\"tasks\":[{\"id\":-1}]}", HEDDLE_EPARSE, ": task 0: id is not an integer from 0 on"},
    {"{\"tasks\":[{\"id\":1.0}]}", HEDDLE_EPARSE, ": task 0: id is not an integer from 0 on"},
    {"{\"tasks\":[{\"id\":\"1\"}]}", HEDDLE_EPARSE, ": task 0: id is not an integer from 0 on"},
    {"{\"tasks\":[{\"id\":4},{\"id\":5},{\"id\":4}]}", HEDDLE_EPARSE, ": task 2: id 4 is that of task 0 too"},
    {"{\"tasks\":[{\"id\":1,\"us\":-0.001}]}", HEDDLE_EPARSE, ": task 0: us is not a number from 0 on"},
    {"{\"tasks\":[{\"id\":1,\"us\":\"1\"}]}", HEDDLE_EPARSE, ": task 0: us is not a number from 0 on"},
    {"{\"tasks\":[{\"id\":1,\"us\":3600000001}]}", HEDDLE_EPARSE, ": task 0: us is longer than an hour"},
    {"{\"tasks\":[{\"id\":1,\"priority\":2147483648}]}", HEDDLE_EPARSE, ": task 0: priority is not an integer of"},
    {"{\"tasks\":[{\"id\":1,\"urgent\":2}]}", HEDDLE_EPARSE, ": task 0: urgent is neither 0 nor 1"},
    {"{\"tasks\":[{\"id\":1,\"urgent\":true}]}", HEDDLE_EPARSE, ": task 0: urgent is neither 0 nor 1"},
    {"{\"tasks\":[{\"id\":1,\"priority\":1.5}]}", HEDDLE_EPARSE, ": task 0: priority is not an integer of"},
    {"{\"tasks\":[{\"id\":1,\"body\":3}]}", HEDDLE_EPARSE, ": task 0: body is not a name"},
    {"{\"tasks\":[{\"id\":1,\"body\":\"\"}]}", HEDDLE_EPARSE, ": task 0: body is not a name"},
    {"{\"tasks\":[{\"id\":1,\"after\":1}]}", HEDDLE_EPARSE, ": task 0: after is not an array"},
    {"{\"tasks\":[{\"id\":1,\"after\":[2]}]}", HEDDLE_EPARSE, ": task 0: after has id 2, which no task has"},
    {"{\"tasks\":[{\"id\":1,\"after\":[null]}]}", HEDDLE_EPARSE, ": task 0: after has an entry that is no id"},
    {"{\"tasks\":[{\"id\":1,\"after\":[1]}]}", HEDDLE_ECYCLE, ": task 0: comes after itself"},
    {"{\"tasks\":[{\"id\":1,\"args\":7}]}", HEDDLE_EPARSE, ": task 0: args is not a string of pairs"},
    {"{\"tasks\":[{\"id\":1,\"args\":\"abc\"}]}", HEDDLE_EPARSE, ": task 0: args is not a string of pairs"},
    {"{\"tasks\":[{\"id\":1,\"args\":\"0g\"}]}", HEDDLE_EPARSE, ": task 0: args has a character that is no hexa"},
    {"{\"tasks\":[{\"id\":1,\"args\":\"\\u0010\\u0011\"}]}", HEDDLE_EPARSE, ": task 0: args has a character"},
    {"{\"tasks\":[{\"id\":1,\"afer\":[]}]}", HEDDLE_EPARSE, ": task 0: unknown key \"afer\""},
};

static void refusals(void)
{
    hd_file_graph f;
    hd_error e;
    size_t i;
    for (i = 0; i < sizeof refused / sizeof *refused; i++) {
        write_file(refused[i].text);
        CHECK_MSG(hd_file_graph_read(&f, path, &e) == refused[i].status, "%s", refused[i].text);
        CHECK_MSG(strncmp(e.text, path, strlen(path)) == 0, "%s", e.text);
        CHECK_MSG(strncmp(e.text + strlen(path), refused[i].says, strlen(refused[i].says)) == 0, "%s gives: %s",
                  refused[i].text, e.text);
        CHECK(f.tasks == NULL && f.n_tasks == 0);
    }
    unlink(path);
    CHECK(hd_file_graph_read(&f, path, &e) == HEDDLE_EIO && strstr(e.text, "cannot be read"));
    CHECK(hd_file_graph_read(&f, folder, &e) == HEDDLE_EIO && strstr(e.text, "cannot be read"));
}

/* args at the limit, and one byte beyond; bodies beyond 65534. */
static void limits(void)
{
    hd_file_graph f;
    FILE *out;
    uint32_t i, beyond;
    for (beyond = 0; beyond < 2; beyond++) {
        CHECK((out = fopen(path, "w")));
        fprintf(out, "{\"tasks\":[{\"id\":1,\"args\":\"%0*d\"}]}", (int)(2 * (HEDDLE_MAX_ARG_BYTES + beyond)), 0);
        fclose(out);
        CHECK(hd_file_graph_read(&f, path, NULL) == (beyond ? HEDDLE_EPARSE : HEDDLE_OK));
        hd_file_graph_clear(&f);
        CHECK((out = fopen(path, "w")));
        fprintf(out, "{\"tasks\":[{\"id\":0,\"body\":\"0\"}");
        for (i = 1; i < HD_BODY_JOIN - 1 + beyond; i++)
            fprintf(out, ",{\"id\":%u,\"body\":\"%u\"}", i, i);
        fprintf(out, "]}");
        fclose(out);
        CHECK(hd_file_graph_read(&f, path, NULL) == (beyond ? HEDDLE_EPARSE : HEDDLE_OK));
        CHECK(beyond || (f.n_names == HD_BODY_JOIN - 1 && !strcmp(f.names[777], "777")));
        hd_file_graph_clear(&f);
    }
    unlink(path);
}

/* Each of heddle's allocations fails once: ENOMEM, nothing stays allocated, no file is left. */
static void out_of_memory(uint64_t *seed)
{
    synthetic s;
    hd_file_graph f;
    uint64_t held, n;
    int which, failed;
    synthetic_graph(&s, 30, 100, seed);
    CHECK(hd_graph_write_json(&s.g, path, NULL) == HEDDLE_OK);
    held = hd_held_bytes();
    for (which = 0; which < 3; which++)
        for (n = 1, failed = 1; failed; n++) {
            heddle_status st;
            hd_fail_alloc_at(n);
            st = which == 0   ? hd_graph_write_json(&s.g, other, NULL)
                 : which == 1 ? hd_graph_write_dot(&s.g, other, NULL)
                              : hd_file_graph_read(&f, path, NULL);
            failed = st != HEDDLE_OK;
            hd_fail_alloc_at(0);
            CHECK(!failed || st == HEDDLE_ENOMEM);
            CHECK(failed ? access(other, F_OK) != 0 || which == 2 : n > 1);
            if (!failed && which == 2)
                hd_file_graph_clear(&f);
            unlink(other);
            CHECK_MSG(hd_held_bytes() == held, "%d, allocation %llu", which, (unsigned long long)n);
        }
    unlink(path);
    synthetic_free(&s);
}

static void unwritable(uint64_t *seed)
{
    synthetic s;
    hd_error e;
    synthetic_graph(&s, 5, 3, seed);
    CHECK(hd_graph_write_json(&s.g, "/nowhere/at/all.json", &e) == HEDDLE_EIO &&
          strstr(e.text, "/nowhere/at/all.json"));
    CHECK(hd_graph_write_dot(&s.g, "/nowhere/at/all.dot", &e) == HEDDLE_EIO && strstr(e.text, "/nowhere/at/all.dot"));
    synthetic_free(&s);
}

int main(void)
{
    uint64_t seed = check_seed(11), i;
    folder = synthetic_mkdir();
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(other, sizeof other, "%s/b", folder);
    json_object_seed(1); /* jansson's own seed, so that a failure can be repeated */
    for (i = 0; i < 60; i++)
        round_trip(1 + (uint32_t)check_below(&seed, 80), (uint32_t)check_below(&seed, 500), &seed);
    joins();
    dot(&seed);
    by_hand();
    refusals();
    limits();
    out_of_memory(&seed);
    unwritable(&seed);
    CHECK(hd_held_bytes() == 0);
    synthetic_rmdir(folder);
    return 0;
}
