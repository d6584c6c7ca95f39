/* SPDX-License-Identifier: MIT */
/* narrow.h - what apps of narrow tasks share: many small, independent tasks on arrays. Inputs are copied to the context once, and
 * each task fills its part of one array of results. Memory, scenarios, reference and check are here; an app adds its
 * arrays, its record and what a result is. */
#ifndef NARROW_H
#define NARROW_H

#include "tasks.h"

enum { NARROW_INPUTS = 3, NARROW_COPIES = NARROW_INPUTS + 1 };

/* Rows with bytes go with a task that has copies: row_bytes of each, or those between rows_at[row] and rows_at[row + 1]. An array
 * with neither is shared by all tasks, and stays where bodies run. */
typedef struct narrow_array {
    void *host, *at; /* on the host; where bodies run, set by narrow_begin */
    uint64_t n_bytes;
    uint64_t row_bytes;
    const uint64_t *rows_at;
    uint64_t reach; /* rows before and after its own that a task needs, too */
} narrow_array;

struct narrow;
/* An app's record: where its pointers to the arrays are, in bytes from its beginning. */
typedef struct narrow_form {
    size_t record_bytes, in[NARROW_INPUTS], out;
    /* Makes record and tile those of a task that sees its own rows alone. NULL: its first row becomes row 0. */
    void (*cut)(const struct narrow *n, void *record, tile_rect *t);
} narrow_form;

typedef struct narrow {
    app_case c;
    narrow_array in[NARROW_INPUTS]; /* those with n_bytes are used */
    narrow_array out;
    uint64_t n_results, result_bytes; /* how many, and of one */
    void *want;                       /* host; NULL until there is a reference */
    const narrow_form *form;
    void *record;
    app plain; /* the app without block-shared memory, if that was asked for */
} narrow;      /* each app's own case begins with one */

/* For load, each 0 (or memory) on success, -1 (or NULL) with the sentence. The record is the case's; its pointers are set later. */
void narrow_set(narrow *n, void *record, const narrow_form *form);
void *narrow_input(narrow *n, uint32_t k, uint64_t count, uint64_t size, const char *what, char *error);
/* The same with memory that the caller got by malloc. */
void narrow_adopt(narrow *n, uint32_t k, void *host, uint64_t n_bytes);
/* Floats from -1 to 1, of a stream of noise. */
int narrow_noise(narrow *n, uint32_t k, uint64_t count, uint64_t seed, char *error);
int narrow_results(narrow *n, uint64_t count, uint64_t size, char *error);
/* Option shared of an app that has it: no: the case's bodies are those of `plain`. */
int narrow_shared(narrow *n, const app_request *q, const heddle_table *plain, char *error);
#define NARROW_OPTION_SHARED                                                                                           \
    {                                                                                                                  \
        "shared", "yes", "whether many threads of a task work in block-shared memory; no: not with --copies and so on" \
    }

/* For build: memory on ctx, inputs, record, results cleared. */
int narrow_begin(app_case *c, heddle_ctx *ctx);
/* An app's set_apart. */
int narrow_apart(app_case *c, heddle_ctx *ctx, heddle_pool *pool);
/* Graph and pool of the tasks that load has cut: two scenarios, for an app that has a third. */
int narrow_build_graph(app_case *c, heddle_ctx *ctx);
int narrow_build_pool(app_case *c, heddle_ctx *ctx);
int narrow_reset(app_case *c);
#define NARROW_SCENARIOS                                            \
    {&app_graph, narrow_build_graph, narrow_reset, app_tasks_loop}, \
    {                                                               \
        &app_pool, narrow_build_pool, narrow_reset, app_tasks_loop  \
    }
extern const app_scenario narrow_scenarios[];

/* Members of an app. */
int narrow_read(app_case *c);
void narrow_free(app_case *c);

/* The reference: fill(c, begin, end) computes n_items items of about item_cells steps each into `want`, which has
 * want_bytes for each result and begins as zeros. */
int narrow_reference(app_case *c, uint64_t want_bytes, uint64_t n_items, uint64_t item_cells, app_part_fn fill);
/* Equal whole numbers. */
int narrow_equal(app_case *c);
/* Results are float, those of the reference double, and differ by no more than allowed(c, want). */
typedef double (*narrow_allowed_fn)(const app_case *c, double want);
int narrow_near(app_case *c, narrow_allowed_fn allowed);
/* The sum of results that are float, the least and the largest. */
void narrow_answer_floats(app_case *c, const app_sink *s);

#endif
