/* SPDX-License-Identifier: MIT */
/* app.h - what every application of apps/ offers to the command line, the tests and the benches.
 *
 * An app is a file of bodies (NAME_bodies.c, compiled as C or CUDA), a head with their records and list
 * (NAME_bodies.h), and a file that prepares inputs, builds the graph, checks (NAME.c). Only public headers of
 * heddle are used: that proves that the API is enough.
 *
 * Two parts. The app owes what the problem is: its data, a reference, a check, the answer, whoever solves it. A scenario
 * owes how one engine of heddle solves it: what is laid down on a context (build), and the inputs put back (reset); the
 * engine itself runs it. Scenarios are named APP/ENGINE, as in lu/graph; the app's name alone means its first.
 *
 * Life of a case: prepare -> build -> (run -> [read -> reference -> check] -> reset)* -> free.
 * Functions that return int give 0 for success; else c->error (or the `error` given to prepare, APP_ERROR
 * bytes) holds one sentence without a final newline. */
#ifndef APP_H
#define APP_H

#include "heddle.h"
#include "heddle/task.h"

#define APP_ERROR 512

/* What was asked for: sizes (0 = the app's default, or the input's size), --opt pairs, --input files. */
typedef struct app_pair {
    const char *key, *value;
} app_pair;
typedef struct app_request {
    uint64_t n[2], b[2]; /* rows, columns of the problem and of a block                            */
    const app_pair *opts;
    size_t n_opts;
    const char *const *inputs;
    size_t n_inputs;
} app_request;

/* One option of an app, for `heddle info APP` and for refusing others. */
typedef struct app_option {
    const char *key, *value, *help; /* value: the default                                         */
} app_option;

/* Where answers go, under the keys of the data folder's expected.json. */
typedef struct app_sink {
    void *self;
    void (*u64)(void *self, const char *key, uint64_t v);
    void (*i64)(void *self, const char *key, int64_t v);
    void (*f64)(void *self, const char *key, double v);
    void (*text)(void *self, const char *key, const char *v);
    /* width 0: one list; else a list of lists of `width` numbers */
    void (*i64s)(void *self, const char *key, const int64_t *v, size_t n, size_t width);
} app_sink;

struct app;
typedef struct app_case {
    const struct app *app;
    const struct app_scenario *scenario; /* the first, unless another is put here before build    */
    uint64_t n[2], b[2];                 /* as resolved by prepare                                                */
    heddle_ctx *ctx;                     /* set by build                                                          */
    heddle_graph *graph;                 /* set by build; freed by free                                           */
    const void *record; /* the record of params, for heddle_graph_run; set by build                          */
    size_t record_bytes;
    char error[APP_ERROR];
} app_case; /* each app's own struct begins with one */

/* A number that an engine tells of what was laid down. */
typedef struct app_fact {
    const char *key;   /* in JSON; NULL: not there                                                */
    const char *words; /* in a report, # standing for the value: "# tasks"                        */
    uint64_t value;
} app_fact;
enum { APP_FACTS = 8 }; /* at most */

typedef struct app_engine {
    const char *name, *summary;
    heddle_schedule schedule; /* the one that it is made for; AUTO: any. What has one has no blocks */
    /* Runs what was laid down, once, and waits for its end. */
    int (*run)(app_case *c);
    /* How many; fewer before the first run than after it. */
    size_t (*facts)(const app_case *c, app_fact out[APP_FACTS]);
} app_engine;

/* apps/graph.c: tasks and their dependences, added one after the other, run by heddle_graph_run. */
extern const app_engine app_graph;
/* The facts of a graph that is no case's. */
size_t app_graph_facts(heddle_graph *g, app_fact out[APP_FACTS]);
/* heddle_graph_run of the case's graph, which is how both run. */
int app_graph_run(app_case *c);
/* apps/wave.c: a body of one cell or of a tile, gone over by bands of rows (heddle/wave.h, tile.h). */
extern const app_engine app_wave;

typedef struct app_scenario {
    const app_engine *engine;
    /* Memory on ctx, inputs copied in, the work laid down: of a graph its tasks, not frozen. Called once a case. */
    int (*build)(app_case *c, heddle_ctx *ctx);
    /* Puts the inputs back, so that it can run again. */
    int (*reset)(app_case *c);
    /* The bodies called in program order by plain nested loops, on the memory of build (serial and cpu
     * backends): what one worker is compared with. NULL where there are no tiles. */
    int (*tiles)(app_case *c);
} app_scenario;

typedef struct app {
    const char *name;
    const char *summary;       /* one line                                                    */
    const char *formats;       /* what --input takes, or "none"; further lines begin with 9 blanks */
    const app_option *options; /* ends with key NULL                                          */
    const heddle_table *table;
    const heddle_table *cells;     /* of its scenario of app_wave; NULL: it has none              */
    const app_scenario *scenarios; /* ends with engine NULL                                       */
    uint64_t n[2], b[2];           /* defaults: Juggler's task counts; n[1] 0: not rows and columns; b[0] 0: no blocks,
                                      and a request for some is refused */
    /* Checks the request, reads inputs into host memory. NULL on failure. */
    app_case *(*prepare)(const app_request *q, char *error);
    /* Results to host memory. */
    int (*read)(app_case *c);
    /* Plain serial loops over the whole problem, on the host, independent of the bodies. Kept in the case, so
     * a second call costs nothing. */
    int (*reference)(app_case *c);
    /* Compares what read brought with the reference. 0 = equal within the app's tolerance. */
    int (*check)(app_case *c);
    /* Valid after read. */
    void (*answer)(app_case *c, const app_sink *s);
    void (*free)(app_case *c); /* NULL is allowed                                                 */
} app;

/* All apps, ending with NULL; and one by name, NULL if unknown. */
extern const app *const app_list[];
const app *app_find(const char *name);
/* The app's scenario with that engine (NULL: the first), NULL if it has none. */
const app_scenario *app_scenario_of(const app *a, const char *engine);

/* Helpers for prepare (apps/app.c). All return 0, or -1 with the sentence in `error`. */
/* prepare as a whole: a case of n_bytes, all 0 but for its app, loaded from the request; where load returns -1, freed. */
typedef int (*app_load_fn)(app_case *c, const app_request *q, char *error);
app_case *app_prepare(const app *a, size_t n_bytes, app_load_fn load, const app_request *q, char *error);
/* What prepare does for a case of its own making: its app, and the first scenario. */
void app_begin(app_case *c, const app *a);
/* Refuses options that are not in the table and inputs beyond n_inputs_max. */
int app_check_request(const app *a, const app_request *q, size_t n_inputs_max, char *error);
/* The value of an option, or its default. Integers accept a range; a value outside is refused. */
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
int app_opt_body(const app *a, const app_request *q, app_body *out, char *error);
/* Whether bodies shall run tuned on ctx. */
uint32_t app_is_tuned(const heddle_ctx *ctx, app_body body);
/* n and b from the request or defaults (n_input: the input's size, 0 = none), 1 <= b, b clipped to n; refuses
 * sizes beyond max_n and more than 2^30 tasks (rows/b * cols/b * factor). */
int app_sizes(const app *a, const app_request *q, const uint64_t n_input[2], uint64_t max_n, uint64_t factor,
              uint64_t n[2], uint64_t b[2], char *error);
/* Sets c->error from heddle_error_text(c->ctx); returns -1. */
int app_heddle_error(app_case *c, const char *doing);
/* For build: c->graph for tasks of that table, and block-shared bytes of its first n bodies. 0, or -1 with c->error. */
int app_new_graph(app_case *c, const heddle_table *table);
int app_choose_shared(app_case *c, uint32_t n_bodies, uint32_t n_bytes);
/* 64 hexadecimal digits and a 0 of the SHA-256 of n bytes; "" in a build without libcrypto. */
void app_sha256(const void *p, size_t n, char hex[65]);
static inline uint64_t app_smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }
/* malloc that refuses sizes that overflow: count * size bytes, or NULL with the sentence in error. */
void *app_alloc(uint64_t count, uint64_t size, const char *what, char *error);

/* Helpers for loops over much data (apps/spread.c). */
/* fn for items begin .. end - 1, on several threads at once when n items of item_cells cells each are worth that. */
typedef void (*app_part_fn)(void *self, uint64_t begin, uint64_t end);
void app_spread(uint64_t n, uint64_t item_cells, app_part_fn fn, void *self);
/* How many threads so many cells are worth here. */
uint64_t app_threads(uint64_t n_cells);
/* *least = v if that is less; for parts that look for the first of something. */
void app_least(uint64_t *least, uint64_t v);

#endif
