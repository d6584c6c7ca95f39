/* SPDX-License-Identifier: MIT */
/* memory.c - makes every allocation of the library fail, one at a time. The call returns ENOMEM with a sentence, its
 * object stays good or can be freed, nothing leaks, no file is left behind. The JSON reader's own allocations fail,
 * too. */
#include "base/base.h"
#include "fault/bodies.h"

#include <dirent.h>
#include <jansson.h>
#include <unistd.h>

static char dir[] = "/tmp/heddle_memory_XXXXXX";
static const char *path_of(const char *name)
{
    static char path[4][320];
    static uint32_t turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

/* All that one walk through the library holds; the first failing call ends it. */
typedef struct walk {
    heddle_backend backend;
    heddle_ctx *ctx;
    heddle_graph *graph, *from_file[2];
    heddle_job *job;
    void *mem;
    uint64_t cell[N_CELLS];
    uint32_t gate;
    const char *call; /* the call in progress */
    heddle_status status;
} walk;

/* Makes a call unless one failed before. */
#define STEP(w, f)              \
    do {                        \
        if ((w)->status == 0) { \
            (w)->call = #f;     \
            (w)->status = (f);  \
        }                       \
    } while (0)

static heddle_status add_crowds(heddle_graph *g)
{
    /* Readers of all cells, writers of some, readers again: joins, and edges beyond the inline ones. */
    uint32_t i, phase;
    fault_big_args a = {0, {0}};
    for (phase = 0; phase < 4; phase++)
        for (i = 0; i < 40; i++) {
            heddle_range whole = HEDDLE_IN(fault_key(0), N_CELLS * 8), part = HEDDLE_INOUT(fault_key(i % N_CELLS), 8);
            heddle_range block = HEDDLE_INOUT_2D(fault_key(i % 8), 16, 3, 64 + 8 * (i % 5));
            HD_TRY(heddle_graph_add(g, fault_big, &a, sizeof a, phase == 1 ? &whole : i % 3 ? &part : &block, 1, NULL));
        }
    return HEDDLE_OK;
}

static heddle_status add_watched(heddle_graph *g, heddle_task *out)
{
    heddle_task_desc d = HEDDLE_TASK_INIT;
    fault_step_args a = {5, 1};
    d.body = fault_step;
    d.args = &a;
    d.arg_bytes = sizeof a;
    d.flags = HEDDLE_TASK_WATCH;
    return heddle_graph_add_task(g, &d, out);
}

static void on_done(void *arg, heddle_task t)
{
    (void)arg;
    (void)t;
}

static void build(walk *w)
{
    heddle_task first = 0, last = 0, lone = 0;
    STEP(w, heddle_graph_new(w->ctx, &fault, &w->graph));
    STEP(w, fault_add_step(w->graph, 1, 1, &first));
    STEP(w, add_crowds(w->graph));
    STEP(w, fault_add_chain(w->graph, 3, 300)); /* beyond the initial capacity */
    STEP(w, add_watched(w->graph, &lone));
    STEP(w, fault_add_step(w->graph, 2, 1, &last));
    STEP(w, heddle_graph_add_edge(w->graph, last, lone));
    STEP(w, heddle_graph_add_edge(w->graph, lone, first));
    STEP(w, heddle_graph_on_done(w->graph, lone, on_done, NULL));
    STEP(w, heddle_graph_mark_urgent(w->graph));
    STEP(w, heddle_graph_freeze(w->graph));
}

static heddle_config config_of(const walk *w)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = w->backend;
    c.n_workers = 3;
    c.n_trace = 1000;
    c.team_size = w->backend == HEDDLE_SERIAL ? 2 : 0;
    c.tuning_file = "no such file";
    return c;
}

static void run(walk *w)
{
    fault_params params = {w->cell, &w->gate};
    heddle_config c = config_of(w);
    STEP(w, heddle_graph_run(w->ctx, w->graph, &params, sizeof params));
    STEP(w, heddle_ctx_reconfigure(w->ctx, &c));
    STEP(w, heddle_graph_run(w->ctx, w->graph, &params, sizeof params));
    STEP(w, heddle_graph_submit(w->ctx, w->graph, &params, sizeof params, &w->job));
    STEP(w, heddle_job_wait(w->job, HEDDLE_FOREVER));
}

static void look(walk *w)
{
    heddle_graph_info info = HEDDLE_GRAPH_INFO_INIT;
    heddle_stats st = HEDDLE_STATS_INIT;
    heddle_worker_stats of_worker;
    heddle_body_stats of_body;
    heddle_event ev[4];
    size_t n;
    STEP(w, heddle_graph_get_info(w->graph, &info));
    STEP(w, heddle_graph_get_stats(w->graph, &st));
    STEP(w, heddle_graph_get_worker_stats(w->graph, 0, &of_worker));
    STEP(w, heddle_graph_get_body_stats(w->graph, fault_step, &of_body));
    STEP(w, heddle_graph_get_events(w->graph, ev, 4, &n));
}

static void files(walk *w)
{
    STEP(w, heddle_graph_write_dot(w->graph, path_of("graph.dot")));
    STEP(w, heddle_graph_write_json(w->graph, path_of("graph.json")));
    STEP(w, heddle_graph_write_trace(w->graph, path_of("trace.json")));
    STEP(w, heddle_graph_write_timeline(w->graph, path_of("line.svg"), "title"));
    STEP(w, heddle_graph_read_json(w->ctx, &fault, path_of("graph.json"), &w->from_file[0]));
    STEP(w, heddle_graph_read_json(w->ctx, NULL, path_of("graph.json"), &w->from_file[1]));
}

static void open_context(walk *w)
{
    heddle_config c = config_of(w);
    STEP(w, heddle_ctx_open(&w->ctx, &c));
    STEP(w, heddle_mem_new(w->ctx, 1000, &w->mem));
}

static void check_failed(walk *w)
{
    const char *text = heddle_error_text(w->ctx);
    CHECK_MSG(w->status == HEDDLE_ENOMEM, "%s: %s (%s)", w->call, heddle_status_text(w->status), text);
    CHECK_MSG(strstr(text, "memory"), "%s: \"%s\"", w->call, text);
}

static void free_all(walk *w)
{
    heddle_job_free(w->job);
    heddle_graph_free(w->from_file[0]);
    heddle_graph_free(w->from_file[1]);
    heddle_graph_free(w->graph);
    heddle_mem_free(w->ctx, w->mem);
    heddle_ctx_close(w->ctx);
}

static uint32_t n_files(void)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    uint32_t n = 0;
    CHECK(d);
    while ((e = readdir(d)))
        if (e->d_name[0] != '.') {
            n++;
            CHECK_MSG(!strstr(e->d_name, "tmp"), "%s is left behind", e->d_name);
            unlink(path_of(e->d_name));
        }
    closedir(d);
    return n;
}

/* Makes allocation n fail. Returns 0 if the walk has fewer allocations, so that nothing failed. */
static int try_one(heddle_backend backend, uint64_t n)
{
    walk w;
    uint64_t held;
    void *probe;
    memset(&w, 0, sizeof w);
    w.backend = backend;
    w.gate = 1;
    hd_alloc_trim();
    held = hd_held_bytes();
    hd_fail_alloc_at(n);
    open_context(&w);
    build(&w);
    run(&w);
    look(&w);
    files(&w);
    probe = hd_new(1);
    hd_fail_alloc_at(0);
    hd_delete(probe, 1);
    CHECK_MSG(w.status || !probe, "failure %llu was swallowed", (unsigned long long)n);
    if (w.status) {
        check_failed(&w);
        if (w.ctx)
            fault_check_usable(w.ctx);
    }
    free_all(&w);
    hd_alloc_trim();
    CHECK_MSG(hd_held_bytes() == held, "%s leaks %lld bytes", w.call, (long long)(hd_held_bytes() - held));
    CHECK(n_files() == 4 || w.status);
    return w.status != 0;
}

static void test_all(heddle_backend backend)
{
    uint64_t n = 1;
    while (try_one(backend, n))
        n++;
    printf("%s: %llu allocations failed in turn\n", heddle_backend_name(backend), (unsigned long long)n - 1);
    CHECK(n > 50);
}

/* ---- jansson's ------------------------------------------------------------------------------------------------- */

static uint64_t json_fail_at, json_blocks;

static void *json_new(size_t n)
{
    void *p = json_fail_at && --json_fail_at == 0 ? NULL : malloc(n);
    json_blocks += p != NULL;
    return p;
}
static void json_free(void *p)
{
    json_blocks -= p != NULL;
    free(p);
}

static void write_some_json(heddle_ctx *ctx)
{
    heddle_graph *g;
    CHECK_OK(ctx, heddle_graph_new(ctx, &fault, &g));
    CHECK_OK(ctx, fault_add_chain(g, 3, 12));
    CHECK_OK(ctx, heddle_graph_write_json(g, path_of("graph.json")));
    heddle_graph_free(g);
}

static void test_jansson(void)
{
    heddle_ctx *ctx = fault_open(HEDDLE_SERIAL, 0);
    heddle_graph *g = NULL;
    uint64_t n, held, n_failed = 0;
    const char *said;
    heddle_status s;
    write_some_json(ctx);
    held = hd_held_bytes();
    json_set_alloc_funcs(json_new, json_free);
    for (n = 1; !g; n++) {
        json_fail_at = n;
        s = heddle_graph_read_json(ctx, NULL, path_of("graph.json"), &g);
        /* jansson often reports its own lack of memory as a malformed file; the sentence then names the place. */
        said = heddle_error_text(ctx);
        CHECK_MSG(s == HEDDLE_ENOMEM || (s == HEDDLE_EPARSE && said[strlen(said) - 1] != ' ') || (s == HEDDLE_OK && g),
                  "failure %llu: %s: %s", (unsigned long long)n, heddle_status_text(s), said);
        n_failed += s != HEDDLE_OK;
        CHECK_MSG(json_blocks == 0, "failure %llu: jansson keeps %llu blocks", (unsigned long long)n,
                  (unsigned long long)json_blocks);
        CHECK(g || hd_held_bytes() == held);
    }
    json_set_alloc_funcs(malloc, free);
    printf("jansson: %llu allocations failed in turn\n", (unsigned long long)n_failed);
    CHECK(n_failed > 20);
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
    (void)n_files();
}

int main(void)
{
    CHECK(mkdtemp(dir));
    test_all(HEDDLE_SERIAL);
    test_all(HEDDLE_CPU);
    test_jansson();
    CHECK(rmdir(dir) == 0);
    return 0;
}
