/* SPDX-License-Identifier: MIT */
/* graphs.c - bfs on odd graphs: a source without arcs, one vertex, self loops, double arcs, paths, stars with rows that
 * are cut, cliques. By hops and by costs, with tasks of one vertex and of many, with lists that overflow at once and
 * never, on one thread and several. Distances are compared with passes over all arcs. One graph in three formats gives
 * one answer. Under a sanitizer a part of the ways to search are taken. Readers and prepare must refuse bad input. */
#include "apps/answered.h"

#include <string.h>
#include <unistd.h>

#define MOST_VERTICES 700u

static char folder[] = "/tmp/heddle-graphs-XXXXXX";
static uint32_t n_arcs, arcs[300000][2], n_vertices, n_checked;

static void begin_graph(uint32_t n)
{
    CHECK(n <= MOST_VERTICES);
    n_vertices = n;
    n_arcs = 0;
}

static void add_arc(uint32_t from, uint32_t to)
{
    CHECK(n_arcs < sizeof arcs / sizeof *arcs);
    arcs[n_arcs][0] = from;
    arcs[n_arcs++][1] = to;
}

static const char *write_bytes(const char *name, const void *bytes, size_t n)
{
    static char path[128];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
    return path;
}

/* As CSR, the only format with vertices without arcs, self loops and double arcs. */
static const char *write_csr(void)
{
    static int32_t words[3 + MOST_VERTICES + sizeof arcs / sizeof *arcs];
    int32_t *begin = words + 2, *column = begin + n_vertices + 1;
    uint32_t k = 0;
    words[0] = (int32_t)n_vertices;
    words[1] = (int32_t)n_arcs;
    for (uint32_t v = 0; v < n_vertices; v++) {
        begin[v] = (int32_t)k;
        for (uint32_t i = 0; i < n_arcs; i++)
            if (arcs[i][0] == v)
                column[k++] = (int32_t)arcs[i][1];
    }
    begin[n_vertices] = (int32_t)k;
    return write_bytes("graph.csr", words, (3 + n_vertices + (size_t)n_arcs) * 4);
}

/* ---- a case -------------------------------------------------------------------------------------- */

/* The levels answered are as many as listed, and each reached vertex is on one. */
static void check_levels(const answered *a)
{
    int64_t sum = 0;
    for (size_t i = 0; i < a->n; i++)
        sum += a->list[i];
    CHECK(!a->list || (a->n == (size_t)answered_of(a, "levels") && sum == answered_of(a, "reached")));
}

static void run_case(const app_request *q, heddle_ctx *ctx, answered *out)
{
    const app *a = app_find("bfs");
    char error[APP_ERROR];
    app_case *c = a->prepare(q, error);
    CHECK_MSG(c, "%s", error);
    CHECK_MSG(!c->scenario->build(c, ctx) && !a->reference(c), "%s", c->error);
    for (uint32_t run = 0; run < 3; run++) {
        CHECK_MSG(!run || !c->scenario->reset(c), "%s", c->error);
        CHECK_MSG(run == 2 ? !c->scenario->tiles(c) : !heddle_graph_run(ctx, c->graph, c->record, c->record_bytes),
                  "%s, %s", c->error, heddle_error_text(ctx));
        CHECK_MSG(!a->read(c) && !a->check(c), "%s", c->error);
    }
    answered_take(out, c);
    check_levels(out);
    a->free(c);
    n_checked++;
}

typedef struct searched {
    int64_t levels, reached, sum;
} searched;

/* Levels by passes over all arcs until nothing changes: slow, but independent of queues. */
static searched plain_search(uint32_t source)
{
    uint32_t depth[MOST_VERTICES];
    searched a = {0, 0, 0};
    memset(depth, 0xff, sizeof depth);
    depth[source] = 0;
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t i = 0; i < n_arcs; i++)
            if (depth[arcs[i][0]] != UINT32_MAX && depth[arcs[i][0]] + 1 < depth[arcs[i][1]]) {
                depth[arcs[i][1]] = depth[arcs[i][0]] + 1;
                changed = 1;
            }
    }
    for (uint32_t v = 0; v < n_vertices; v++)
        if (depth[v] != UINT32_MAX) {
            a.reached++;
            a.sum += depth[v];
            a.levels = (int64_t)depth[v] + 1 > a.levels ? (int64_t)depth[v] + 1 : a.levels;
        }
    return a;
}

/* ---- graphs --------------------------------------------------------------------------------------- */

static void path_graph(uint32_t n)
{
    begin_graph(n);
    for (uint32_t v = 0; v + 1 < n; v++) {
        add_arc(v, v + 1);
        add_arc(v + 1, v);
    }
}

/* Rows longer than a list, and leaves that all lead to a second centre. */
static void star_graph(uint32_t n)
{
    begin_graph(n);
    for (uint32_t v = 2; v < n; v++) {
        add_arc(0, v);
        add_arc(v, 1);
        add_arc(1, v);
    }
}

static void clique_graph(uint32_t n)
{
    begin_graph(n);
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t to = 0; to < n; to++) /* self loops, too */
            add_arc(v, to);
}

static void random_graph(uint32_t n, uint32_t m, uint64_t seed)
{
    begin_graph(n);
    for (uint32_t i = 0; i < m; i++) {
        add_arc((uint32_t)check_below(&seed, n), (uint32_t)check_below(&seed, n));
        if (i % 7 == 0)
            add_arc(arcs[n_arcs - 1][0], arcs[n_arcs - 1][1]); /* twice */
    }
}

/* chunk, list, hops, cost. */
static const char *const ways[][4] = {{"32", "1024", "-1", "0"}, {"1", "32", "-1", "0"},   {"1", "16", "5", "0"},
                                      {"7", "40", "0", "0"},     {"64", "2048", "2", "0"}, {"2", "16", "1", "0"},
                                      {"32", "1024", "-1", "1"}, {"1", "32", "0", "1"},    {"3", "17", "3", "1"}};

/* Every way of searching must give the answer of the first way by costs. */
static void check_costs(const answered *got, const answered *first, const searched *want)
{
    const int64_t sum = answered_of(got, "sum_cost_reached");
    CHECK(answered_of(got, "max_cost") >= want->levels - 1 && sum >= want->sum && sum <= 10 * want->sum);
    CHECK(answered_of(first, "sum_cost_reached") == sum && !strcmp(first->text, got->text));
}

static void run_graph(uint32_t source, heddle_ctx *ctx)
{
    static uint64_t seed = 35;
    char text[16];
    const char *input = write_csr();
    const searched want = plain_search(source);
    answered got = {0}, first = {0};
    snprintf(text, sizeof text, "%u", source);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!check_takes(&seed))
            continue;
        const char *const *w = ways[i];
        const app_pair opts[] = {{"source", text}, {"chunk", w[0]}, {"list", w[1]}, {"hops", w[2]}, {"cost", w[3]}};
        const app_request q = {{0, 0}, {0, 0}, opts, 5, &input, 1, {0}};
        const int by_cost = *w[3] == '1';
        answered *out = by_cost && !first.n_numbers ? &first : &got;
        run_case(&q, ctx, out);
        CHECK_MSG(answered_of(out, "reached") == want.reached, "%u vertices, chunk %s", n_vertices, w[0]);
        if (by_cost)
            check_costs(out, &first, &want);
        else
            CHECK_MSG(answered_of(out, "levels") == want.levels && answered_of(out, "sum_depth_reached") == want.sum,
                      "%u vertices, chunk %s", n_vertices, w[0]);
    }
    answered_free(&first);
    answered_free(&got);
}

static void run_graphs(heddle_ctx *ctx)
{
    begin_graph(1);
    run_graph(0, ctx);
    add_arc(0, 0);
    run_graph(0, ctx);
    path_graph(300);
    run_graph(0, ctx);
    run_graph(150, ctx);
    star_graph(700);
    run_graph(0, ctx);
    run_graph(1, ctx);
    run_graph(5, ctx);
    clique_graph(90);
    run_graph(89, ctx);
    random_graph(600, 500, 1);
    run_graph(599, ctx);
    random_graph(500, 4000, 2);
    run_graph(3, ctx);
    random_graph(40, 30, 3);
    add_arc(1, 2);
    n_vertices = 41; /* the last has no arcs */
    run_graph(40, ctx);
}

static void test_backends(void)
{
    static const uint32_t threads[] = {1, 3, 8};
    for (size_t i = 0; i < 2 + sizeof threads / sizeof *threads; i++) {
        heddle_config cfg = HEDDLE_CONFIG_INIT;
        heddle_ctx *ctx;
        cfg.backend = i < 2 ? HEDDLE_CPU : HEDDLE_SERIAL;
        cfg.n_workers = i < 2 ? 1 + 3 * (uint32_t)i : 0;
        cfg.team_size = i < 2 ? 0 : threads[i - 2];
        CHECK_OK(NULL, heddle_ctx_open(&ctx, &cfg));
        run_graphs(ctx);
        heddle_ctx_close(ctx);
    }
}

/* ---- formats --------------------------------------------------------------------------------------- */

/* Arcs 0-1, 0-2, 1-2, 2-4; vertex 3 exists in METIS only. The list of arcs has other numbers in the same order. */
static void test_formats(void)
{
    static const int32_t rows[] = {4, 8, 0, 2, 4, 7, 8, 1, 2, 0, 2, 0, 1, 3, 2};
    static const char metis[] = "% a comment\n4 4 0\n2 3\n 1 3\n% another\n1 2 4\n3\n";
    static const char list[] = "# from to\n5 70\n5\t900\n70 5\n70 900\n\n900 5\n900 70\n900 100000\n100000 900\r\n";
    static const char *const names[] = {"a.csr", "a.graph", "a.txt"};
    const void *const bytes[] = {rows, metis, list};
    const size_t n_bytes[] = {sizeof rows, sizeof metis - 1, sizeof list - 1};
    answered a = {0};
    heddle_ctx *ctx;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, NULL));
    for (int i = 0; i < 3; i++) {
        const char *input = write_bytes(names[i], bytes[i], n_bytes[i]);
        const app_request q = {{0, 0}, {0, 0}, NULL, 0, &input, 1, {0}};
        run_case(&q, ctx, &a);
        CHECK_MSG(answered_of(&a, "levels") == 3 && answered_of(&a, "reached") == 4, "%s", names[i]);
        CHECK_MSG(answered_of(&a, "sum_depth_reached") == 4, "%s", names[i]);
    }
    answered_free(&a);
    heddle_ctx_close(ctx);
}

static void refused(const char *name, const char *text, size_t n, const char *word)
{
    char error[APP_ERROR] = "";
    const char *input = write_bytes(name, text, n);
    const app_request q = {{0, 0}, {0, 0}, NULL, 0, &input, 1, {0}};
    CHECK_MSG(!app_find("bfs")->prepare(&q, error), "%s is taken: %s", name, text);
    CHECK_MSG(strstr(error, word) && strstr(error, name), "\"%s\" does not say %s", error, word);
}

static void test_refused(void)
{
    static const char *const files[][3] = {{"b.graph", "", "no line of sizes"},
                                           {"b.graph", "3\n", "two counts"},
                                           {"b.graph", "2 1 1\n2 5\n1 5\n", "weights"},
                                           {"b.graph", "9 1\n2\n1\n", "not so many lines"},
                                           {"b.graph", "2 900\n2\n1\n", "cannot hold"},
                                           {"b.graph", "2 1\n3\n1\n", ":2: neighbour '3'"},
                                           {"b.graph", "2 1\n2\n2\n", "its own neighbour"},
                                           {"b.graph", "2 1\n2\n1 1\n", "more than the 1 edges"},
                                           {"b.graph", "2 1\n2\n1\n1\n", "more than the 2 vertices"},
                                           {"b.graph", "3 1\n2\n1\n", "2 are there"},
                                           {"b.graph", "2 1\n2\n\n", "1 neighbours are there"},
                                           {"b.txt", "# only this\n\n", "no arc"},
                                           {"b.txt", "1 2\n1 2 3\n", ":2: not two vertices"},
                                           {"b.txt", "1 -2\n", "not two vertices"}};
    static const int32_t early[] = {2, 1, 0, 1}, far[] = {2, 1, 0, 1, 1, 2}, back[] = {2, 2, 0, 3, 2, 0, 1};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        refused(files[i][0], files[i][1], strlen(files[i][1]), files[i][2]);
    refused("b.csr", (const char *)early, 6, "alone take 8");
    refused("b.csr", (const char *)early, sizeof early, "bytes, 16 are there");
    refused("b.csr", (const char *)far, sizeof far, "leads to 2");
    refused("b.csr", (const char *)back, sizeof back, "row 1 begins at 3");
}

static void option_refused(const char *key, const char *value, const char *word)
{
    char error[APP_ERROR] = "";
    const app_pair opt = {key, value};
    const app_request q = {{50, 0}, {0, 0}, &opt, 1, NULL, 0, {0}};
    CHECK(!app_find("bfs")->prepare(&q, error));
    CHECK_MSG(strstr(error, word), "\"%s\" does not say %s", error, word);
}

static void sweep_folder(void)
{
    static const char *const names[] = {"graph.csr", "a.csr", "a.graph", "a.txt", "b.graph", "b.txt", "b.csr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK(!unlink(path));
    }
    CHECK(!rmdir(folder));
}

int main(void)
{
    CHECK(mkdtemp(folder));
    test_backends();
    test_formats();
    test_refused();
    option_refused("source", "50", "is no vertex");
    option_refused("chunk", "0", "chunk");
    option_refused("chunk", "65", "chunk");
    option_refused("list", "3", "list");
    CHECK(n_checked >=
          5 * 11 * sizeof ways / sizeof *ways / (CHECK_IS_SLOW ? CHECK_TAKES + 2 : 1)); /* it takes them by chance */
    sweep_folder();
    return 0;
}
