/* SPDX-License-Identifier: MIT */
/* app.h - what every application of apps/ offers to the command line, the tests and the benches.
 *
 * An app NAME has task bodies (`*_bodies.c`, compiled as C or CUDA) and a header with their records and list
 * (`*_bodies.h`). Its third file prepares inputs, builds the graph and checks the result. Apps include public headers
 * of heddle only, which proves that the API suffices.
 *
 * The app defines the problem: its data, a reference, a check, the answer. A scenario defines how one engine of heddle
 * solves it: the work put on a context (build) and the inputs restored (reset). The engine runs it. Scenarios are named
 * APP/ENGINE, as in lu/graph; the app's name alone means its first.
 *
 * Life of a case: prepare -> build -> (run -> [read -> reference -> check] -> reset)* -> free. Functions that return
 * int return 0 on success; otherwise c->error (or the `error` passed to prepare, APP_ERROR bytes) holds one sentence
 * without a final newline. */
#ifndef APP_H
#define APP_H

#include "heddle.h"
#include "heddle/multi.h"
#include "heddle/pool.h"
#include "heddle/task.h"

#define APP_ERROR 512

/* The user's request: sizes (0 = the app's default, or the input's size), --opt pairs, --input files. */
typedef struct app_pair {
    const char *key, *value;
} app_pair;
/* How tasks are spawned into a pool (app_pool), and how jobs are cut; zeros: one after another by one thread, as n and b say. */
typedef struct app_spawning {
    uint64_t n_tasks;   /* not 0: the size is what so many tasks of b take                          */
    uint32_t team_size; /* 0: the pool's                                                           */
    uint32_t n_blocks;  /* of a task, each of which takes b; 0 counts as 1                           */
    uint32_t n_threads; /* that spawn; 0 counts as 1                                               */
    uint64_t at_once;   /* tasks in lock step: so many are spawned when those before have ended; 0: all */
    uint32_t scale;     /* a task's side, in 128ths of b; 0 counts as 128                            */
    int copies;         /* a task's rows of all arrays are in host memory, and go with the task     */
    int irregular;      /* teams of 32, 64, 128 and 256 in equal shares, and a side to match (parts.h) */
    /* Of jobs (app_jobs) n_tasks is how many slices there are by the first index, and */
    uint32_t n_tasks_2;  /* by the second one, of each of these; 0: 1 */
    uint64_t pool_bytes; /* of each device, for arrays; 0: as much as there is */
    heddle_map map;      /* unless HEDDLE_MAP says another one */
} app_spawning;
typedef struct app_request {
    uint64_t n[2], b[2]; /* rows, columns of the problem and of a block                            */
    const app_pair *opts;
    size_t n_opts;
    const char *const *inputs;
    size_t n_inputs;
    app_spawning spawning;
} app_request;

/* One option of an app, for `heddle info APP` and to refuse any other. */
typedef struct app_option {
    const char *key, *value, *help; /* value: the default                                         */
} app_option;

/* Receives answers, under the keys of the data folder's expected.json. */
typedef struct app_sink {
    void *self;
    void (*u64)(void *self, const char *key, uint64_t v);
    void (*i64)(void *self, const char *key, int64_t v);
    void (*f64)(void *self, const char *key, double v);
    void (*text)(void *self, const char *key, const char *v);
    /* width 0: one list; else a list of lists of `width` numbers */
    void (*i64s)(void *self, const char *key, const int64_t *v, size_t n, size_t width);
} app_sink;

/* Independent tasks, each with its own record (tasks.h). */
struct app_case;
typedef struct app_tasks {
    uint32_t body;    /* of all tasks, */
    uint32_t *bodies; /* or, not NULL: of each; malloc */
    void *args;       /* n records of arg_bytes each; malloc */
    size_t arg_bytes;
    uint64_t n;
    int (*spawn)(struct app_case *c); /* of a pool: NULL, or spawns n tasks that have no records here */
    /* Of a pool, of tasks apart (app.apart): NULL, or n tasks, with all their attributes; malloc. Their records are in `records`, their
     * copies in `copies`; malloc. */
    heddle_pool_task *each;
    void *records;
    heddle_pool_copy *copies;
} app_tasks;
static inline uint32_t app_task_body(const app_tasks *t, uint64_t i) { return t->bodies ? t->bodies[i] : t->body; }

struct app;
typedef struct app_case {
    const struct app *app;
    const struct app_scenario *scenario;    /* the app's first; may be replaced before build */
    uint64_t n[2], b[2];                    /* as resolved by prepare                                                */
    heddle_ctx *ctx;                        /* set by build                                                          */
    heddle_graph *graph;                    /* set by build, unless there is a pool; freed by free                   */
    heddle_pool *pool;                      /* the same, of a scenario with app_pool                                 */
    app_tasks tasks;                        /* of an app that has that scenario; set by prepare                      */
    app_spawning spawning;                  /* as requested                                                          */
    const char *devices;                    /* of a scenario of a fleet; NULL: those of ctx, else HEDDLE_DEVICES   */
    const struct heddle_accelerator *joins; /* the same: is added to that fleet, which closes it; NULL: none */
    uint32_t time_limit_ms;                 /* the same, of a run; 0: none                                           */
    uint32_t n_trace;                       /* the same: events kept of each row of its trace; 0: no trace           */
    struct app_looping *looping;            /* the same, set by build (loop.h)                                       */
    const void *record; /* the record of params, for heddle_graph_run; set by build                          */
    size_t record_bytes;
    char error[APP_ERROR];
} app_case; /* each app's own struct begins with one */

/* A number that an engine reports about the work of a case. */
typedef struct app_fact {
    const char *key;   /* in JSON; NULL: not in JSON */
    const char *words; /* in a report, # standing for the value: "# tasks" */
    uint64_t value;
} app_fact;
enum { APP_FACTS = 8 }; /* at most */

typedef struct app_engine {
    const char *name, *summary;
    heddle_schedule schedule; /* required; AUTO: any. An engine that requires one has no blocks */
    /* Runs the case's work once and waits for its end. */
    int (*run)(app_case *c);
    /* Returns the number of facts; fewer before the first run than after it. */
    size_t (*facts)(const app_case *c, app_fact out[APP_FACTS]);
    /* Of app_loop and app_jobs: makes what runs, of the form in c->looping (loop.h). */
    int (*make)(app_case *c);
} app_engine;

/* apps/graph.c: tasks and their dependences, added one by one, run by heddle_graph_run. */
extern const app_engine app_graph;
/* The facts of a graph that belongs to no case. */
size_t app_graph_facts(heddle_graph *g, app_fact out[APP_FACTS]);
/* heddle_graph_run of the case's graph; both engines use it. */
int app_graph_run(app_case *c);
/* apps/pool.c: tasks spawned one by one (heddle/pool.h). The case has no graph. */
extern const app_engine app_pool;
/* apps/loop.c: a loop over the devices of a fleet (heddle/loop.h). The case has no graph, and its context may be NULL. */
extern const app_engine app_loop;
/* apps/jobs.c: the same loop as jobs: its data stays on the devices (heddle/multi.h). The same. */
extern const app_engine app_jobs;
/* apps/wavefront.c: a wave over the devices of a fleet (heddle/wavefront.h). The same. */
extern const app_engine app_wavefront;
static inline int app_engine_has_fleet(const app_engine *e)
{
    return e == &app_loop || e == &app_jobs || e == &app_wavefront;
}
/* apps/wave.c: a body of one cell or of a tile, run over bands of rows (heddle/wave.h, tile.h). */
extern const app_engine app_wave;

typedef struct app_scenario {
    const app_engine *engine;
    /* Allocates memory on ctx, copies inputs, adds the work (a graph is not frozen). Called once per case. Engines of a fleet: ctx may be NULL. */
    int (*build)(app_case *c, heddle_ctx *ctx);
    /* Restores the inputs, so that the case can run again. */
    int (*reset)(app_case *c);
    /* Calls the bodies in program order in plain nested loops, on the memory of build (serial and cpu backends): the
     * baseline for one worker. NULL where there are no tiles. */
    int (*tiles)(app_case *c);
} app_scenario;

typedef struct app {
    const char *name;
    const char *summary;       /* one line                                                    */
    const char *formats;       /* what --input takes, or "none"; further lines begin with 9 blanks */
    const app_option *options; /* ends with key NULL                                          */
    const heddle_table *table;
    const heddle_table *cells; /* of its app_wave and app_wavefront scenarios; NULL: it has none */
    const heddle_table *loops; /* of its app_loop and app_jobs scenarios; NULL: it has none */
    /* Of its app_pool scenario: the same bodies for tasks apart, each of which has a record of the app's for itself alone. NULL: it has
     * none, and takes nothing of app_spawning but a team size. set_apart allocates memory, of the pool what goes with tasks, and
     * describes the tasks in c->tasks.each. */
    const heddle_table *apart;
    int (*set_apart)(app_case *c, heddle_ctx *ctx, heddle_pool *pool);
    const app_scenario *scenarios; /* ends with engine NULL                                       */
    uint64_t n[2], b[2];           /* defaults: Juggler's task counts; n[1] 0: not rows and columns; b[0] 0: no blocks,
                                      and a request for some is refused */
    /* Checks the request and reads inputs into host memory. NULL on failure. */
    app_case *(*prepare)(const app_request *q, char *error);
    /* Copies results to host memory. */
    int (*read)(app_case *c);
    /* Plain serial loops over the whole problem, on the host, independent of the bodies. The case keeps the result; a
     * second call costs nothing. */
    int (*reference)(app_case *c);
    /* Compares the results of read with the reference. 0 = equal within the app's tolerance. */
    int (*check)(app_case *c);
    /* Valid after read. */
    void (*answer)(app_case *c, const app_sink *s);
    void (*free)(app_case *c); /* NULL is allowed                                                 */
} app;

/* A case for the scenario, with all that the request says of spawning. NULL with the sentence. The functions of case->app are those that
 * its user calls; a case that consists of parts has another app than a. */
app_case *app_new(const app *a, const app_scenario *s, const app_request *q, char *error);

/* All apps, ending with NULL; and one by name, NULL if unknown. */
extern const app *const app_list[];
const app *app_find(const char *name);
/* The app's scenario with that engine (NULL: the first), NULL if it has none. */
const app_scenario *app_scenario_of(const app *a, const char *engine);

/* Helpers for prepare (apps/app.c). All return 0, or -1 with the sentence in `error`. */
/* The whole of prepare: a zeroed case of n_bytes with its app set, filled by load; freed when load returns -1. */
typedef int (*app_load_fn)(app_case *c, const app_request *q, char *error);
app_case *app_prepare(const app *a, size_t n_bytes, app_load_fn load, const app_request *q, char *error);
/* For an app that allocates its case itself: sets the app and the first scenario. */
void app_begin(app_case *c, const app *a);
/* Refuses options that are not in the table and inputs beyond n_inputs_max. */
int app_check_request(const app *a, const app_request *q, size_t n_inputs_max, char *error);
/* The value of an option, or its default. Refuses an integer outside the range. */
int app_opt_i64(const app *a, const app_request *q, const char *key, int64_t min, int64_t max, int64_t *out,
                char *error);
int app_opt_f64(const app *a, const app_request *q, const char *key, double min, double max, double *out, char *error);
const char *app_opt_text(const app *a, const app_request *q, const char *key);
/* Option body: which version of its bodies an app runs. auto: tuned on the cuda backend, else portable. */
typedef enum app_body { APP_BODY_AUTO, APP_BODY_PORTABLE, APP_BODY_TUNED } app_body;
#define APP_OPTION_BODY                                                                          \
    {                                                                                            \
        "body", "auto", "auto, portable or tuned: plain loops, or what is fast on thread blocks" \
    }
int app_opt_body(const app *a, const app_request *q, app_body *out,
                 char *error); /* auto, if the app lacks the option */
/* Whether bodies run tuned on ctx. */
uint32_t app_is_tuned(const heddle_ctx *ctx, app_body body);
/* n and b from the request or defaults (n_input: the input's size, 0 = none), 1 <= b, b clipped to n. Refuses sizes
 * beyond max_n and more than 2^30 tasks (rows/b * cols/b * factor). */
int app_sizes(const app *a, const app_request *q, const uint64_t n_input[2], uint64_t max_n, uint64_t factor,
              uint64_t n[2], uint64_t b[2], char *error);
/* Sets c->error from heddle_error_text(c->ctx); returns -1. */
int app_heddle_error(app_case *c, const char *doing);
/* The same from the sentence of this thread, where calls on pools, fleets and loops leave it. */
int app_failed(app_case *c);
/* Writes zeros to n_bytes at `at`, so that no old result can pass. 0, or -1 with c->error. */
int app_clear(app_case *c, void *at, uint64_t n_bytes);
/* For build: makes c->graph; sets the block-shared bytes of its first n_bodies bodies. 0, or -1 with c->error. */
int app_new_graph(app_case *c, const heddle_table *table);
int app_choose_shared(app_case *c, uint32_t n_bodies, uint32_t n_bytes);
/* SHA-256 of n bytes as 64 hexadecimal digits and a 0; "" in a build without libcrypto. */
void app_sha256(const void *p, size_t n, char hex[65]);
static inline uint64_t app_smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }
/* malloc of count * size bytes. NULL, with a sentence in error, when the product overflows or memory is short. */
void *app_alloc(uint64_t count, uint64_t size, const char *what, char *error);

/* Helpers for loops over much data (apps/spread.c). */
/* Calls fn for items begin .. end - 1, on several threads when n items of item_cells cells each are worth it. */
typedef void (*app_part_fn)(void *self, uint64_t begin, uint64_t end);
void app_spread(uint64_t n, uint64_t item_cells, app_part_fn fn, void *self);
/* The number of threads worth using for n_cells on this machine. */
uint64_t app_threads(uint64_t n_cells);
/* *least = v if v is less, atomically; for parallel searches for the first of something. */
void app_least(uint64_t *least, uint64_t v);

#endif
