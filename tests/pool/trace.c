/* SPDX-License-Identifier: MIT */
/* trace.c - traced pools: random programs of all kinds of tasks, spawned by several threads, some cancelled or failing. Each task has
 * one record, with the times in their order, also of tasks that wait for others; numbers by body are those of the records; the files
 * show each task once. Few records: the last ones are kept. HEDDLE_PROGRAMS: how many (60). */
#include "pool/bodies.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#if POOL_JSON
#include "read_json.h"
#endif

#define MOST_TASKS 300u
#define MOST_THREADS 3u
#define MOST_ALL (MOST_TASKS * MOST_THREADS)
#define NODES 64u /* of a tree: its cells */

/* What was spawned; its number is its `user`. */
typedef struct task {
    heddle_handle handle;
    uint32_t body, team_size, n_blocks, n_after, after[3]; /* after: numbers of tasks not seen yet */
    uint32_t canceled, code;
} task;

typedef struct program {
    heddle_pool *pool;
    heddle_backend backend;
    uint32_t n_threads, n_tasks, seed;
    uint32_t cells[NODES + MOST_ALL], ran[NODES + MOST_ALL], blocks[32], gate, began;
    task tasks[MOST_ALL];
    heddle_pool_record records[MOST_ALL]; /* by number */
} program;

typedef struct spawner {
    program *g;
    uint64_t seed;
    uint32_t first, n;
} spawner;

static char folder[] = "/tmp/heddle_pool_XXXXXX", path[64];

/* ---- spawning --------------------------------------------------------------------------------------------------------- */

/* Earlier tasks of this thread, which sees no end before it has spawned all of its own. */
static void draw_after(spawner *s, uint32_t k, heddle_pool_task *t, heddle_handle *after)
{
    task *at = &s->g->tasks[k];
    while (at->n_after < 3 && k > s->first && check_below(&s->seed, 3) == 0) {
        const uint32_t before = s->first + (uint32_t)check_below(&s->seed, k - s->first);
        at->after[at->n_after] = before;
        after[at->n_after++] = s->g->tasks[before].handle;
    }
    t->after = after;
    t->n_after = at->n_after;
}

static void spawn(spawner *s, uint32_t k)
{
    task *at = &s->g->tasks[k];
    const uint32_t kind = (uint32_t)check_below(&s->seed, 10);
    const pooled_mix_args mix = {NODES + k, 1, {NODES + k, 0, 0, 0}, kind == 2 ? 5u : 0u};
    const pooled_block_args block = {0, 0};
    const pooled_tree_args tree = {0, 1, 2, 0, kind & 1u};
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    heddle_handle after[3];
    const int is_tree = kind < 2 && !pooled_has_no_spawns(s->g->backend);
    t.body = at->body = kind == 3 ? pooled_block : is_tree ? pooled_tree : pooled_mix;
    t.args = kind == 3 ? (const void *)&block : is_tree ? (const void *)&tree : (const void *)&mix;
    t.arg_bytes = kind == 3 ? sizeof block : is_tree ? sizeof tree : sizeof mix;
    t.n_blocks = at->n_blocks = kind == 3 ? 2u + (uint32_t)check_below(&s->seed, 30) : 1u;
    t.team_size = at->team_size = 32u * (1u + (uint32_t)check_below(&s->seed, 4));
    t.user = k;
    t.urgent = check_below(&s->seed, 9) == 0;
    at->code = kind == 2 ? 5u : 0u;
    draw_after(s, k, &t, after);
    CHECK_OK(NULL, heddle_pool_spawn_task(s->g->pool, &t, &at->handle));
    at->canceled = kind == 4;
    if (at->canceled)
        CHECK_OK(NULL, heddle_pool_cancel(s->g->pool, at->handle));
}

static void *run_spawner(void *arg)
{
    spawner *s = arg;
    heddle_pool_end end;
    uint32_t k;
    for (k = s->first; k < s->first + s->n; k++)
        spawn(s, k);
    for (k = s->first; k < s->first + s->n; k++)
        if (check_below(&s->seed, 2))
            (void)heddle_pool_wait(s->g->pool, s->g->tasks[k].handle, HEDDLE_FOREVER, &end);
    return NULL;
}

static void run_spawners(program *g, uint64_t seed)
{
    spawner s[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    uint32_t k;
    for (k = 0; k < g->n_threads; k++) {
        s[k] = (spawner){g, check_random(&seed), g->n_tasks, 1u + (uint32_t)check_below(&seed, MOST_TASKS)};
        g->n_tasks += s[k].n;
    }
    for (k = 1; k < g->n_threads; k++)
        CHECK(pthread_create(&threads[k], NULL, run_spawner, &s[k]) == 0);
    (void)run_spawner(&s[0]);
    for (k = 1; k < g->n_threads; k++)
        pthread_join(threads[k], NULL);
    (void)heddle_pool_wait_all(g->pool, HEDDLE_FOREVER); /* a bad end is no mistake here */
}

/* ---- records ---------------------------------------------------------------------------------------------------------- */

/* On a GPU times may be off by the error that is said. */
static void check_record(const program *g, const heddle_pool_record *r)
{
    const task *t = &g->tasks[r->user];
    CHECK(r->handle == t->handle && r->body == t->body && r->team_size == t->team_size && r->n_blocks == t->n_blocks);
    CHECK(r->spawned_ns <= r->seen_ns && r->thread && !r->reserved);
    CHECK(r->status == HEDDLE_OK || (r->status == HEDDLE_EBODY && r->code == t->code) || r->status == HEDDLE_ECANCELED);
    if (r->worker == HEDDLE_POOL_NOT_RUN) {
        CHECK(r->status == HEDDLE_ECANCELED && !r->begin_ns && !r->end_ns && !r->body_ns);
        return;
    }
    CHECK(g->backend == HEDDLE_CUDA || r->error_ns == 0);
    CHECK_MSG(r->spawned_ns <= r->begin_ns && r->begin_ns <= r->end_ns && r->end_ns <= r->seen_ns + r->error_ns,
              "task %u: %llu, %llu to %llu, %llu", (unsigned)r->user, (unsigned long long)r->spawned_ns,
              (unsigned long long)r->begin_ns, (unsigned long long)r->end_ns, (unsigned long long)r->seen_ns);
    CHECK(r->body_ns <= r->n_blocks * (r->end_ns - r->begin_ns));
}

static void check_order(const program *g)
{
    uint32_t k, i;
    for (k = 0; k < g->n_tasks; k++)
        for (i = 0; i < g->tasks[k].n_after; i++) {
            const heddle_pool_record *r = &g->records[k], *before = &g->records[g->tasks[k].after[i]];
            if (r->worker == HEDDLE_POOL_NOT_RUN)
                continue;
            CHECK_MSG(before->status == HEDDLE_OK && before->end_ns <= r->begin_ns + r->error_ns + before->error_ns,
                      "task %u began at %llu, task %u ended at %llu", k, (unsigned long long)r->begin_ns,
                      g->tasks[k].after[i], (unsigned long long)before->end_ns);
        }
}

static void check_records(program *g)
{
    heddle_pool_record *all = calloc(g->n_tasks, sizeof *all);
    uint64_t seen = 0;
    size_t n, i;
    CHECK_OK(NULL, heddle_pool_get_records(g->pool, NULL, 0, &n));
    CHECK_MSG(n == g->n_tasks, "%zu records, %u tasks", n, g->n_tasks);
    CHECK_OK(NULL, heddle_pool_get_records(g->pool, all, n, &n));
    for (i = 0; i < n; i++) {
        CHECK(all[i].user < g->n_tasks && all[i].seen_ns >= seen);
        CHECK_MSG(!g->records[all[i].user].handle, "task %u has two records", (unsigned)all[i].user);
        g->records[all[i].user] = all[i];
        seen = all[i].seen_ns;
        check_record(g, &all[i]);
    }
    check_order(g);
    free(all);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The times of bodies are of one clock, so they are known exactly. */
static void check_times(const heddle_pool_times *t, uint64_t *exact, uint64_t n)
{
    uint64_t sum = 0, i, median;
    qsort(exact, n, sizeof *exact, by_size);
    for (i = 0; i < n; i++)
        sum += exact[i];
    CHECK(t->n == n && t->total_ns == sum && t->mean_ns == (n ? sum / n : 0));
    if (!n)
        return;
    median = exact[(n + 1) / 2 - 1];
    CHECK(t->min_ns == exact[0] && t->max_ns == exact[n - 1]);
    CHECK(t->median_ns >= median && t->median_ns <= median + median / 25u);
    CHECK(t->median_ns <= t->p99_ns && t->p99_ns <= t->max_ns);
}

static void check_body(const program *g, uint32_t body, heddle_pool_body_stats *sum)
{
    heddle_pool_body_stats s = HEDDLE_POOL_BODY_STATS_INIT;
    uint64_t n = 0, n_ok = 0, n_failed = 0, n_canceled = 0, n_ran = 0, exact[MOST_ALL];
    uint32_t k;
    CHECK_OK(NULL, heddle_pool_get_body_stats(g->pool, body, &s));
    for (k = 0; k < g->n_tasks; k++) {
        const heddle_pool_record *r = &g->records[k];
        if (r->body != body)
            continue;
        n++;
        n_ok += r->status == HEDDLE_OK;
        n_failed += r->status == HEDDLE_EBODY;
        n_canceled += r->status == HEDDLE_ECANCELED;
        if (r->worker != HEDDLE_POOL_NOT_RUN)
            exact[n_ran++] = r->end_ns - r->begin_ns;
    }
    CHECK(s.n_tasks == n && s.n_ok == n_ok && s.n_failed == n_failed && s.n_canceled == n_canceled);
    CHECK(!s.n_late && !s.n_no_room && !strcmp(s.name, pooled_table()->bodies[body].name));
    CHECK(s.start.n == n_ran && s.seen.n == n_ran);
    check_times(&s.body, exact, n_ran);
    sum->n_tasks += n;
    sum->n_failed += n_failed;
    sum->n_canceled += n_canceled;
}

static void check_stats(const program *g)
{
    heddle_pool_stats s = HEDDLE_POOL_STATS_INIT;
    heddle_pool_body_stats sum = HEDDLE_POOL_BODY_STATS_INIT;
    uint64_t body_ns = 0, first = UINT64_MAX, last = 0;
    double warp_ns = 0;
    uint32_t k;
    CHECK_OK(NULL, heddle_pool_get_stats(g->pool, &s));
    for (k = 0; k < pooled_table()->n_bodies; k++)
        check_body(g, k, &sum);
    for (k = 0; k < g->n_tasks; k++) {
        const heddle_pool_record *r = &g->records[k];
        body_ns += r->body_ns;
        warp_ns += (double)r->body_ns * (r->team_size / 32u);
        first = r->spawned_ns < first ? r->spawned_ns : first;
        last = r->seen_ns > last ? r->seen_ns : last;
    }
    CHECK(s.n_spawned == g->n_tasks && s.n_ended == g->n_tasks && s.n_records == g->n_tasks);
    CHECK(sum.n_tasks == s.n_ended && sum.n_failed == s.n_failed && sum.n_canceled == s.n_canceled);
    CHECK(s.body_ns == body_ns && s.observed_ns == last - first);
    CHECK(s.warps_in_use >= 0.999 * warp_ns / (double)(last - first) &&
          s.warps_in_use <= 1.001 * warp_ns / (double)(last - first));
}

/* ---- files -------------------------------------------------------------------------------------------------------------- */

#if POOL_JSON
static uint32_t number_of(const program *g, const json_t *args)
{
    const uint64_t k = strtoull(text(args, "user"), NULL, 0);
    CHECK(k < g->n_tasks && strtoull(text(args, "handle"), NULL, 0) == g->records[k].handle);
    return (uint32_t)k;
}

static void check_slice(const program *g, const json_t *x, uint64_t *last_end, uint8_t *shown)
{
    const json_t *args = get(x, "args");
    const heddle_pool_record *r = &g->records[number_of(g, args)];
    const uint64_t tid = integer(x, "tid");
    CHECK(!shown[r->user]++ && r->worker != HEDDLE_POOL_NOT_RUN && integer(args, "worker") == r->worker);
    CHECK(!strcmp(text(x, "name"), pooled_table()->bodies[r->body].name) && integer(x, "pid") == 0);
    CHECK(integer(args, "team") == r->team_size && integer(args, "blocks") == r->n_blocks);
    CHECK(!strcmp(text(args, "status"), heddle_status_text(r->status)));
    CHECK(ns(x, "dur") == (r->end_ns > r->begin_ns ? r->end_ns - r->begin_ns : 1));
    CHECK_MSG(tid < 4096 && last_end[tid] <= ns(x, "ts"), "slices of row %u overlap", (unsigned)tid);
    last_end[tid] = ns(x, "ts") + r->end_ns - r->begin_ns;
}

/* Flows lead from a spawn to a slice. Each start is followed by its finish. */
static void check_flow(const json_t *a, const json_t *b)
{
    CHECK(!strcmp(text(b, "ph"), "f") && integer(a, "id") == integer(b, "id") && ns(a, "ts") <= ns(b, "ts"));
    CHECK(integer(a, "pid") == 1 && integer(b, "pid") == 0);
}

static void check_trace(const program *g)
{
    uint64_t *last_end = calloc(4096, sizeof *last_end), n_ran = 0, n_spawns = 0, n_flows = 0, n_slices = 0, i;
    uint8_t *shown = calloc(g->n_tasks, 1);
    const json_t *events;
    json_t *root;
    CHECK_OK(NULL, heddle_pool_write_trace(g->pool, path));
    root = json_of_file(path);
    events = get(root, "traceEvents");
    for (i = 0; i < g->n_tasks; i++)
        n_ran += g->records[i].worker != HEDDLE_POOL_NOT_RUN;
    for (i = 0; i < json_array_size(events); i++) {
        const json_t *x = json_array_get(events, i);
        const int is_slice = !strcmp(text(x, "ph"), "X"), is_spawn = is_slice && !strcmp(text(x, "cat"), "spawn");
        n_spawns += is_spawn != 0;
        n_slices += is_slice && !is_spawn;
        if (is_slice && !is_spawn)
            check_slice(g, x, last_end, shown);
        if (strcmp(text(x, "ph"), "s"))
            continue;
        check_flow(x, json_array_get(events, i + 1));
        n_flows++;
    }
    CHECK(n_slices == n_ran && n_flows == n_ran && n_spawns == g->n_tasks);
    CHECK(integer(get(root, "heddle"), "tasks") == n_ran && integer(get(root, "heddle"), "dropped") == 0);
    CHECK(g->backend != HEDDLE_CUDA || strstr(text(get(root, "heddle"), "note"), "times of the GPU"));
    json_decref(root);
    free(last_end);
    free(shown);
}
#else
static void check_trace(const program *g) { CHECK_OK(NULL, heddle_pool_write_trace(g->pool, path)); }
#endif

static void check_timeline(const program *g)
{
    static char words[1u << 20];
    FILE *f;
    size_t n;
    CHECK_OK(NULL, heddle_pool_write_timeline(g->pool, path, "tasks of a <test>"));
    f = fopen(path, "r");
    CHECK(f != NULL);
    n = fread(words, 1, sizeof words - 1, f);
    words[n] = 0;
    fclose(f);
    CHECK(!strncmp(words, "<svg", 4) && strstr(words, "</svg>") && strstr(words, "tasks of a &lt;test&gt;"));
    CHECK(strstr(words, "pooled_mix") || g->n_tasks < 30);
}

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

static void run_program(heddle_backend b, heddle_ctx *ctx, uint64_t seed, uint32_t n_threads)
{
    program *g = pooled_new(b, sizeof *g);
    const pooled_params params = {g->cells, g->ran, g->blocks, &g->gate, &g->began};
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    c.n_trace = MOST_ALL;
    c.n_slots = 1024;
    g->backend = b;
    g->n_threads = n_threads;
    CHECK_OK(NULL, heddle_pool_new(ctx, pooled_table(), &params, sizeof params, &c, &g->pool));
    check_trace(g); /* of no tasks */
    run_spawners(g, seed);
    check_records(g);
    check_stats(g);
    check_trace(g);
    check_timeline(g);
    heddle_pool_free(g->pool);
    pooled_free(b, g);
}

/* After a reset statistics tell of later tasks alone. */
static void check_anew(program *g, const heddle_pool_task *t)
{
    heddle_pool_stats s = HEDDLE_POOL_STATS_INIT;
    heddle_pool_body_stats body = HEDDLE_POOL_BODY_STATS_INIT;
    heddle_pool_record r[8];
    size_t n, k;
    for (k = 0; k < 4; k += 3) {
        CHECK_OK(NULL, heddle_pool_reset_stats(g->pool));
        for (n = 0; n < k; n++)
            CHECK_OK(NULL, heddle_pool_spawn_task(g->pool, t, NULL));
        CHECK_OK(NULL, heddle_pool_wait_all(g->pool, HEDDLE_FOREVER));
        CHECK_OK(NULL, heddle_pool_get_stats(g->pool, &s));
        CHECK_OK(NULL, heddle_pool_get_body_stats(g->pool, pooled_mix, &body));
        CHECK_OK(NULL, heddle_pool_get_records(g->pool, r, 8, &n));
        CHECK(s.n_spawned == k && s.n_ended == k && s.n_failed + s.n_canceled + s.n_children + s.n_full == 0);
        CHECK(n == k && s.n_records == k && (s.observed_ns != 0) == (k != 0) && s.most_slots <= k);
        CHECK(body.n_tasks == k && body.n_ok == k && body.body.n == k && body.start.n == k);
    }
}

/* Fewer records than tasks, without handles and at many slots: the last ones. */
static void check_few(heddle_backend b, heddle_ctx *ctx)
{
    program *g = pooled_new(b, sizeof *g);
    const pooled_params params = {g->cells, g->ran, g->blocks, &g->gate, &g->began};
    heddle_pool_config c = HEDDLE_POOL_CONFIG_INIT;
    heddle_pool_stats s = HEDDLE_POOL_STATS_INIT;
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    heddle_pool_record r[8];
    const pooled_mix_args a = {1, 0, {0, 0, 0, 0}, 0};
    uint64_t i;
    size_t n;
    c.n_trace = 7;
    c.n_slots = 32;
    CHECK_OK(NULL, heddle_pool_new(ctx, pooled_table(), &params, sizeof params, &c, &g->pool));
    t.body = pooled_mix;
    t.args = &a;
    t.arg_bytes = sizeof a;
    for (i = 0; i < 100; i++) {
        t.user = i;
        CHECK_OK(NULL, heddle_pool_spawn_task(g->pool, &t, NULL));
        if (i % 50 == 49)
            CHECK_OK(NULL, heddle_pool_wait_all(g->pool, HEDDLE_FOREVER));
    }
    CHECK_OK(NULL, heddle_pool_get_records(g->pool, r, 8, &n));
    CHECK_OK(NULL, heddle_pool_get_stats(g->pool, &s));
    CHECK(n == 7 && s.n_records == 7 && s.n_ended == 100);
    for (i = 0; i < n; i++)
        CHECK(r[i].user >= 50 && r[i].status == HEDDLE_OK && r[i].end_ns);
    CHECK_OK(NULL, heddle_pool_write_trace(g->pool, path));
    check_anew(g, &t);
    heddle_pool_free(g->pool);
    pooled_free(b, g);
}

static void run_some(heddle_backend b, uint32_t n_workers, uint32_t n_programs, uint64_t *seed)
{
    heddle_ctx *ctx = pooled_context(b, n_workers);
    uint32_t i;
    for (i = 0; i < n_programs; i++)
        run_program(b, ctx, check_random(seed), 1u + i % MOST_THREADS);
    check_few(b, ctx);
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_PROGRAMS");
    uint64_t seed = check_seed(20261127);
    const uint32_t n = asked ? (uint32_t)strtoul(asked, NULL, 0) : 60u;
    const int is_gpu = pooled_wants_gpu(argc, argv);
    uint32_t w;
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    for (w = 0; is_gpu && pooled_set_mode(w); w++)
        run_some(HEDDLE_CUDA, 0, n / 3u, &seed);
    if (!is_gpu)
        run_some(HEDDLE_SERIAL, 0, n / 6u, &seed);
    for (w = 1; !is_gpu && w <= 4; w++)
        run_some(HEDDLE_CPU, w, n / 4u, &seed);
    unlink(path);
    rmdir(folder);
    return 0;
}
