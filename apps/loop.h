/* SPDX-License-Identifier: MIT */
/* loop.h - what scenarios APP/loop, APP/jobs and APP/wavefront share: the fleet, arrays in the host memory of the case, the loop, jobs or
 * wavefront. An app says which rows a body touches and what it finds; building, running, resetting and freeing are here. Functions that return int return 0, or -1 with the
 * sentence. */
#ifndef APP_LOOP_H
#define APP_LOOP_H

#include "app.h"
#include "heddle/multi.h"
#include "heddle/wavefront.h"

enum { APP_MOST_ROWS = 6, APP_MOST_FOUND = 3 };

/* An array of a loop. */
typedef struct app_rows {
    void *host; /* memory of the case, which stays; rows side by side */
    uint64_t n_rows, row_bytes;
    heddle_mode mode;
    size_t field;           /* of its pointer in the record */
    uint64_t before, after; /* rows more that an index reads */
    int is_all;             /* any index reads all of it */
    /* Of jobs: an index touches a rectangle, as HEDDLE_RECT says. */
    int is_rect;
    size_t stride;         /* of the field that gets the bytes from row to row */
    uint64_t column_bytes; /* of a column, in which the next are counted: */
    uint64_t first, n_of, first_2, n_columns;
} app_rows;

/* What an app's build fills in. */
typedef struct app_loop_form {
    app_rows rows[APP_MOST_ROWS];
    uint32_t n_rows;
    heddle_reduction found[APP_MOST_FOUND];
    uint32_t n_found;
    heddle_loop_desc desc; /* begins as HEDDLE_LOOP_INIT; accesses and reductions are those above */
    uint64_t n_runs;       /* of the loop in a run of the case, each within its time limit; 0 counts as 1 */
    uint32_t swaps[2];     /* rows of the form that change places after each of these; equal: none do */
    void (*turn)(app_case *c, uint64_t run); /* NULL, or called before each: it may change the record */
    /* Of jobs. Run i is of kind i % n_kinds; 0: one kind, or two if rows are swapped. */
    uint64_t n_kinds;
    void (*kind)(const app_case *c, uint64_t kind,
                 app_rows rows[APP_MOST_ROWS]); /* NULL, or says what differs in this kind */
    int (*cut)(app_case *c); /* NULL, or changes the form when the fleet is open: what is below, n_runs, n_kinds */
    heddle_call_fn call;     /* as in heddle_multi_desc */
    void *call_user;
    uint32_t n_tasks, n_tasks_2; /* unless the user says */
} app_loop_form;

/* A case's part of it. */
typedef struct app_looping {
    heddle_fleet *fleet;
    heddle_array *arrays[APP_MOST_ROWS];
    uint32_t n_arrays;
    heddle_loop *loop;    /* of a scenario with app_loop; */
    heddle_loop *swapped; /* the same with rows in each other's place, if rows are swapped; */
    heddle_multi **kinds; /* with app_jobs: n_kinds; */
    uint64_t n_kinds;
    heddle_sequence *sequence; /* of these, or NULL; */
    uint64_t jobs_ns, home_ns; /* of the last run of these: until all had ended, and until results were home; */
    heddle_wavefront *front;   /* with app_wavefront */
    app_loop_form form;
} app_looping;

/* For build: makes c->looping, with the fleet of c->devices or ctx, and what joins it. */
int app_fleet_open(app_case *c, heddle_ctx *ctx);
/* An array of the fleet at the case's own memory. NULL with the sentence. */
heddle_array *app_front_array(app_case *c, void *host, uint64_t n_rows, uint64_t row_bytes);
/* The wavefront of the app's table `cells`; a stride's time limit is the case's. */
int app_front_new(app_case *c, const heddle_wavefront_desc *d);
/* A form without rows and results, of n indices, run once. */
app_loop_form app_loop_of(uint64_t n);
void app_loop_add_rows(app_loop_form *f, app_rows rows);
void app_loop_add_found(app_loop_form *f, heddle_reduction r);
/* For build: opens the fleet, makes arrays, and the loop or jobs of the app's table `loops`; clears what they write. c->record is the
 * record of params. A team size that the user wants replaces the form's. */
int app_loop_open(app_case *c, heddle_ctx *ctx, const app_loop_form *f);
/* A scenario's reset: clears what the loop writes and finds. */
int app_loop_reset(app_case *c);
/* For engines: the description of the loop with the accesses of these rows, for which there is room at `accesses`. is_swapped: rows of the
 * form are in each other's place. */
heddle_loop_desc app_loop_desc(const app_case *c, const app_rows *rows, int is_swapped,
                               heddle_access accesses[APP_MOST_ROWS]);
/* For read: what the last run of the loop wrote may be read; at once if there is no loop. */
int app_loop_fetch(app_case *c);
/* For free, before the memory of the rows. */
void app_loop_close(app_case *c);

#endif
