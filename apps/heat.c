/* SPDX-License-Identifier: MIT */
/* heat.c - in-place Gauss-Seidel sweeps over a field of temperatures, in row-major order, the border fixed. Two apps
 * differ by their defaults: heat, as in Juggler, and heat2d, as in the papers before it (8192 x 8192 cells in 4096
 * tasks). A third, sor, differs by its cell: a sweep of over-relaxation.
 *
 * A task is a sweep over a tile. It reads the last row of the tile above and the last column of the tile to the left,
 * which have done this sweep. It also reads the first row below and the first column to the right, which have not. With
 * these ranges sweep s + 1 follows sweep s through the field, a tile behind. As a wave (heddle/wave.h) several sweeps
 * cross the field at once, each a row and a column behind the one before. */
#include "field.h"
#include "heat_bodies.h"
#include "heat_wave_bodies.h"
#include "loop.h"
#include "sor_wave_bodies.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const app app_heat, app_heat2d, app_sor;

typedef struct heat_case {
    field f;
    app_body body;
    uint32_t sweep, cell; /* bodies in the app's tables */
    heat_record record;
    sor_params params; /* of sor as a wave */
} heat_case;

/* Rows and columns of a part, the unit in which the tuned version sweeps a tile. */
static void find_part(const uint64_t b[2], uint64_t part[2])
{
    part[1] = b[1] < HEAT_PART_COLS ? b[1] : HEAT_PART_COLS;
    part[0] = b[0] < HEAT_PART_ROWS || (b[0] < HEAT_MAX_SHARED && HEAT_SHARED(b[0], part[1]) <= HEAT_MAX_SHARED)
                  ? b[0]
                  : HEAT_PART_ROWS;
}

static app_case *prepare(const app *a, const app_request *q, char *error)
{
    app_case *c = field_prepare(a, q, 1, sizeof(heat_case), error);
    if (c && app_opt_body(a, q, &((heat_case *)c)->body, error)) {
        field_free((field *)c);
        return NULL;
    }
    return c;
}

static app_case *prepare_sor(const app_request *q, char *error)
{
    app_case *c = field_prepare(&app_sor, q, 1, sizeof(heat_case), error);
    heat_case *h = (heat_case *)c;
    double omega;
    if (c && app_opt_f64(&app_sor, q, "omega", 0, 2, &omega, error)) {
        field_free((field *)c);
        return NULL;
    }
    if (!c)
        return NULL;
    h->record.omega = h->params.omega = (float)omega;
    h->body = APP_BODY_PORTABLE;
    h->sweep = sor_sweep;
    h->cell = sor_cell;
    return c;
}

static app_case *prepare_heat(const app_request *q, char *error) { return prepare(&app_heat, q, error); }
static app_case *prepare_heat2d(const app_request *q, char *error) { return prepare(&app_heat2d, q, error); }

static int add(heat_case *h, uint64_t i, uint64_t j)
{
    tile_rect t = field_tile(&h->f, i, j);
    heddle_range r[5];
    size_t n = field_beside(&h->f, h->record.x, i, j, r);
    r[n++] = field_cells(&h->f, h->record.x, &t, HEDDLE_MODE_INOUT);
    if (heddle_graph_add(h->f.c.graph, h->sweep, &t, sizeof t, r, n, NULL) != HEDDLE_OK)
        return app_heddle_error(&h->f.c, "adding a task");
    return 0;
}

static int build(app_case *c, heddle_ctx *ctx)
{
    heat_case *h = (heat_case *)c;
    uint64_t part[2];
    c->ctx = ctx;
    if (field_mem_new(&h->f, &h->record.x) || field_put(&h->f, h->record.x))
        return -1;
    h->record.stride = (int64_t)c->n[1];
    c->record = &h->record;
    c->record_bytes = sizeof h->record;
    find_part(c->b, part);
    h->record.tuned = app_is_tuned(ctx, h->body) ? (uint32_t)part[0] : 0;
    if (heddle_graph_new(ctx, c->app->table, &c->graph) != HEDDLE_OK ||
        (h->record.tuned &&
         heddle_graph_set_shared_bytes(c->graph, h->sweep, (uint32_t)HEAT_SHARED(part[0], part[1])) != HEDDLE_OK))
        return app_heddle_error(c, "making the graph");
    for (int64_t s = 0; s < h->f.sweeps; s++)
        for (uint64_t i = 0; i < field_tiles(&h->f, 0); i++)
            for (uint64_t j = 0; j < field_tiles(&h->f, 1); j++)
                if (add(h, i, j))
                    return -1;
    return 0;
}

static int refuse_body(app_case *c)
{
    c->b[0] = c->b[1] = 0;
    if (c->app == &app_sor || ((heat_case *)c)->body == APP_BODY_AUTO)
        return 0;
    snprintf(c->error, APP_ERROR, "option body chooses how tiles are computed, and %s/%s has none", c->app->name,
             c->scenario->engine->name);
    return -1;
}

static void set_cell_record(heat_case *h)
{
    static const heddle_nothing no_params;
    const int is_sor = h->f.c.app == &app_sor;
    h->f.c.record = is_sor ? (const void *)&h->params : &no_params;
    h->f.c.record_bytes = is_sor ? sizeof h->params : sizeof no_params;
}

static int build_wave(app_case *c, heddle_ctx *ctx)
{
    heat_case *h = (heat_case *)c;
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    c->ctx = ctx;
    if (refuse_body(c) || field_mem_new(&h->f, &h->record.x) || field_put(&h->f, h->record.x))
        return -1;
    set_cell_record(h);
    d.body = h->cell;
    d.rows = c->n[0];
    d.cols = c->n[1];
    d.cells = h->record.x;
    d.sweeps = (uint32_t)h->f.sweeps;
    return heddle_wave_new(ctx, c->app->cells, &d, &c->graph) == HEDDLE_OK ? 0 : app_heddle_error(c, "making the wave");
}

static int reset(app_case *c) { return field_put((field *)c, ((heat_case *)c)->record.x); }

/* Over a fleet the result is swept over where it is. */
static int reset_front(app_case *c)
{
    field *f = (field *)c;
    memcpy(f->result, f->start, c->n[0] * c->n[1] * sizeof *f->start);
    return 0;
}

static int build_front(app_case *c, heddle_ctx *ctx)
{
    heat_case *h = (heat_case *)c;
    heddle_wavefront_desc d = HEDDLE_WAVEFRONT_INIT;
    if (refuse_body(c) || reset_front(c) || app_fleet_open(c, ctx))
        return -1;
    set_cell_record(h);
    d.body = h->cell;
    d.rows = c->n[0];
    d.cols = c->n[1];
    d.sweeps = (uint32_t)h->f.sweeps;
    d.cells = app_front_array(c, h->f.result, d.rows, d.cols * sizeof(float));
    return d.cells ? app_front_new(c, &d) : -1;
}

static int read_back(app_case *c) { return c->looping ? 0 : field_get((field *)c, ((heat_case *)c)->record.x); }

/* A plain sweep by any number of threads. Threads take bands of rows in pieces from left to right; a piece is ready
 * when the one above it is done. */
#define BAND 64u
#define PIECE 2048u

typedef struct plain_sweep {
    float *x;
    int is_sor;
    float omega;
    uint64_t rows, cols, n_bands, n_pieces, first; /* first: the first band that is not done */
    uint32_t *state; /* per band: twice its finished pieces, + 1 while a piece is in work */
    pthread_mutex_t mutex;
} plain_sweep;

/* With the mutex held: a band with a ready piece, else n_bands. */
static uint64_t ready_band(plain_sweep *s)
{
    uint64_t i;
    while (s->first < s->n_bands && s->state[s->first] == 2 * s->n_pieces)
        s->first++;
    for (i = s->first; i < s->n_bands; i++) {
        uint32_t above = i ? s->state[i - 1] / 2 : (uint32_t)s->n_pieces;
        if (s->state[i] % 2 == 0 && s->state[i] / 2 < above)
            return i;
        if (s->state[i] == 0) /* no band below has begun either */
            break;
    }
    return s->n_bands;
}

static void sweep_piece(const plain_sweep *s, uint64_t band, uint64_t piece)
{
    uint64_t row = 1 + band * BAND, col = 1 + piece * PIECE;
    uint64_t row_end = row + BAND < s->rows - 1 ? row + BAND : s->rows - 1;
    uint64_t col_end = col + PIECE < s->cols - 1 ? col + PIECE : s->cols - 1;
    for (uint64_t r = row; r < row_end; r++)
        for (uint64_t c = col; c < col_end; c++) {
            float *at = s->x + r * s->cols + c;
            const float mean = 0.25f * (*(at - s->cols) + at[s->cols] + at[1] + at[-1]);
            *at = s->is_sor ? *at + s->omega * (mean - *at) : mean;
        }
}

/* Sweeps pieces until none is left; the range of items does not matter. */
static void sweep_pieces(void *self, uint64_t begin, uint64_t end)
{
    plain_sweep *s = self;
    (void)begin;
    (void)end;
    pthread_mutex_lock(&s->mutex);
    for (uint64_t band = ready_band(s); s->first < s->n_bands; band = ready_band(s)) {
        uint64_t piece = band < s->n_bands ? s->state[band]++ / 2 : 0;
        pthread_mutex_unlock(&s->mutex);
        if (band < s->n_bands)
            sweep_piece(s, band, piece);
        else
            sched_yield();
        pthread_mutex_lock(&s->mutex);
        if (band < s->n_bands)
            s->state[band]++;
    }
    pthread_mutex_unlock(&s->mutex);
}

static void sweep(plain_sweep *s)
{
    memset(s->state, 0, s->n_bands * sizeof *s->state);
    s->first = 0;
    app_spread(s->rows, s->cols, sweep_pieces, s);
}

static int reference(app_case *c)
{
    field *f = (field *)c;
    uint64_t rows = c->n[0], cols = c->n[1];
    plain_sweep s = {.rows = rows, .cols = cols, .mutex = PTHREAD_MUTEX_INITIALIZER};
    if (f->want)
        return 0;
    s.n_bands = rows > 2 && cols > 2 ? (rows - 2 + BAND - 1) / BAND : 0; /* else all cells are border */
    s.n_pieces = cols > 2 ? (cols - 2 + PIECE - 1) / PIECE : 0;
    s.state = app_alloc(s.n_bands, sizeof *s.state, "the reference", c->error);
    if (!s.state || field_want(f)) {
        free(s.state);
        return -1;
    }
    s.x = f->want;
    s.is_sor = c->app == &app_sor;
    s.omega = ((heat_case *)c)->record.omega;
    for (int64_t k = 0; k < f->sweeps; k++)
        sweep(&s);
    free(s.state);
    return 0;
}

static int tiles(app_case *c)
{
    const heat_case *h = (const heat_case *)c;
    heddle_failure fail = {0};
    _Alignas(128) unsigned char shared[HEDDLE_REDUCE_BYTES];
    heddle_thread thread = heddle_thread_alone(&fail, shared);
    for (int64_t s = 0; s < h->f.sweeps; s++)
        for (uint64_t i = 0; i < field_tiles(&h->f, 0); i++)
            for (uint64_t j = 0; j < field_tiles(&h->f, 1); j++) {
                tile_rect t = field_tile(&h->f, i, j);
                c->app->table->bodies[h->sweep].run(&thread, &h->record, &t);
            }
    return 0;
}

static void free_case(app_case *c)
{
    if (!c)
        return;
    if (c->ctx)
        heddle_mem_free(c->ctx, ((heat_case *)c)->record.x);
    app_loop_close(c);
    field_free((field *)c);
}

#define OPTIONS(sweeps)                                                                                      \
    {                                                                                                        \
        {"sweeps", sweeps, "sweeps over the field, all in one graph"}, APP_OPTION_BODY, { NULL, NULL, NULL } \
    }
static const app_option options[] = OPTIONS("1"), options_2d[] = OPTIONS("4");

static const app_option options_sor[] = {
    {"sweeps", "1", "sweeps over the field, all in one graph"},
    {"omega", "1.5", "how far a cell goes towards the mean of its neighbours, in distances to it: 0 to 2"},
    {NULL, NULL, NULL}};

static const app_scenario scenarios[] = {{&app_graph, build, reset, tiles},
                                         {&app_wave, build_wave, reset, NULL},
                                         {&app_wavefront, build_front, reset_front, NULL},
                                         {.engine = NULL}};

/* Common to the three apps. */
#define HEAT_APP                                                                                          \
    .formats = "one number a line, row-major; a square field unless -n is given", .scenarios = scenarios, \
    .read = read_back, .reference = reference, .check = field_check, .answer = field_answer, .free = free_case

const app app_heat = {
    .name = "heat",
    .summary = "Gauss-Seidel sweeps in place over a field of temperatures (fp32)",
    .options = options,
    .n = {5760, 5760},
    .b = {64, 64},
    .table = &heat,
    .cells = &heat_wave,
    .prepare = prepare_heat,
    HEAT_APP,
};

const app app_heat2d = {
    .name = "heat2d",
    .summary = "the same in large tiles and four sweeps, as in the papers on schedulers inside the GPU",
    .options = options_2d,
    .n = {8192, 8192},
    .b = {256, 256},
    .table = &heat,
    .cells = &heat_wave,
    .prepare = prepare_heat2d,
    HEAT_APP,
};

const app app_sor = {
    .name = "sor",
    .summary = "successive over-relaxation: sweeps in place over a field of temperatures (fp32)",
    .options = options_sor,
    .n = {5760, 5760},
    .b = {64, 64},
    .table = &sor,
    .cells = &sor_wave,
    .prepare = prepare_sor,
    HEAT_APP,
};
