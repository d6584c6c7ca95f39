/* SPDX-License-Identifier: MIT */
/* cases.c - implements cases.h. Input is a function of seed, array and place: so that plain loops need no arrays of the fleet. */
#include "front/cases.h"

#include <stdlib.h>
#include <string.h>

uint32_t front_most_rows = 900;

enum { OF_X, OF_Y, OF_NORTH, OF_WEST, OF_CELLS };

static uint32_t input(uint64_t seed, uint32_t array, uint64_t at)
{
    uint64_t row = seed * 1000003u + array * 7919u + at * 2654435761u + 1u;
    return (uint32_t)check_random(&row);
}

static uint32_t cell_words(uint32_t body) { return front.waves[body].cell_bytes / 4u; }
static int is_sweep(const front_case *c) { return c->body == front_sweep; }

front_case front_random(uint64_t *seed, uint32_t body)
{
    front_case c = {.body = body, .split = HEDDLE_SPLIT_CUT};
    c.rows = 1u + (uint32_t)check_below(seed, check_below(seed, 4) ? front_most_rows : 70u);
    c.cols = 1u + (uint32_t)check_below(seed, check_below(seed, 3) ? 260 : 20);
    c.sweeps = is_sweep(&c) ? 1u + (uint32_t)check_below(seed, 8) : 0u;
    c.seed = check_random(seed);
    c.has_borders = !is_sweep(&c) && check_below(seed, 2);
    c.keeps = is_sweep(&c) || check_below(seed, 2);
    c.fail_row = c.fail_col = UINT32_MAX;
    return c;
}

/* ---- on a fleet -------------------------------------------------------------------------------------------------------- */

static heddle_status array(heddle_fleet *f, uint64_t n, uint64_t bytes, uint64_t gap, heddle_array **out)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    d.n_rows = n;
    d.row_bytes = bytes;
    d.stride_bytes = bytes + gap;
    return heddle_array_new(f, &d, out);
}

static heddle_status arrays(front_rig *r, heddle_fleet *f)
{
    const front_case *c = r->c;
    const uint64_t cell = 4u * r->cell_words;
    heddle_status s = HEDDLE_OK;
    if (!is_sweep(c)) {
        s = s ? s : array(f, c->rows, 4, 0, &r->x);
        s = s ? s : array(f, c->cols, 2, 0, &r->y);
        s = s ? s : array(f, c->cols, cell, 0, &r->last_row);
        s = s ? s : array(f, c->rows, cell, 0, &r->last_col);
    }
    if (c->has_borders) {
        s = s ? s : array(f, c->cols, cell, 0, &r->north);
        s = s ? s : array(f, c->rows, cell, 0, &r->west);
    }
    return s || !c->keeps ? s : array(f, c->rows, c->cols * cell, c->seed % 3u * cell, &r->cells);
}

heddle_status front_open(front_rig *r, heddle_fleet *f, const front_case *c)
{
    heddle_wavefront_desc d = HEDDLE_WAVEFRONT_INIT;
    heddle_status s;
    memset(r, 0, sizeof *r);
    r->c = c;
    r->cell_words = cell_words(c->body);
    s = arrays(r, f);
    if (s)
        return s;
    d.body = c->body;
    d.rows = c->rows;
    d.cols = c->cols;
    d.sweeps = c->sweeps;
    d.x = r->x;
    d.y = r->y;
    d.north = r->north;
    d.west = r->west;
    d.cells = r->cells;
    d.last_row = r->last_row;
    d.last_col = r->last_col;
    d.found = c->body == front_mix ? (void *)&r->found : c->body == front_best ? (void *)&r->best : NULL;
    d.split = c->split;
    d.time_limit_ms = c->time_limit_ms;
    d.n_trace = c->n_trace;
    return heddle_wavefront_new(f, &front, &d, &r->w);
}

void front_close(front_rig *r)
{
    heddle_array *all[] = {r->x, r->y, r->north, r->west, r->cells, r->last_row, r->last_col};
    heddle_wavefront_free(r->w);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        heddle_array_free(all[i]);
}

static void fill_words(heddle_array *a, uint64_t n_words, uint64_t seed, uint32_t which)
{
    uint32_t *p = a ? heddle_array_host(a) : NULL;
    for (uint64_t i = 0; p && i < n_words; i++)
        p[i] = input(seed, which, i);
}

static uint64_t stride_words(const front_case *c) { return (c->cols + c->seed % 3u) * cell_words(c->body); }

void front_fill(front_rig *r)
{
    const front_case *c = r->c;
    uint16_t *y = r->y ? heddle_array_host(r->y) : NULL;
    uint32_t *cells = r->cells ? heddle_array_host(r->cells) : NULL;
    fill_words(r->x, c->rows, c->seed, OF_X);
    for (uint32_t j = 0; y && j < c->cols; j++)
        y[j] = (uint16_t)input(c->seed, OF_Y, j);
    fill_words(r->north, (uint64_t)c->cols * r->cell_words, c->seed, OF_NORTH);
    fill_words(r->west, (uint64_t)c->rows * r->cell_words, c->seed, OF_WEST);
    for (uint64_t i = 0; cells && i < c->rows; i++)
        for (uint64_t j = 0; j < (uint64_t)c->cols * r->cell_words; j++)
            cells[i * stride_words(c) + j] = input(c->seed, OF_CELLS, i * c->cols * r->cell_words + j);
    r->params = (front_params){(uint32_t)c->seed, c->fail_row, c->fail_col};
}

static void put(front_bytes *b, const void *from, size_t n)
{
    b->at = realloc(b->at, b->n + n + 1u);
    CHECK(b->at);
    memcpy(b->at + b->n, from, n);
    b->n += n;
}

front_bytes front_take(const front_rig *r)
{
    const front_case *c = r->c;
    const size_t cell = 4u * r->cell_words;
    front_bytes b = {NULL, 0};
    for (uint64_t i = 0; r->cells && i < c->rows; i++)
        put(&b, (uint32_t *)heddle_array_host(r->cells) + i * stride_words(c), c->cols * cell);
    if (r->last_row)
        put(&b, heddle_array_host(r->last_row), c->cols * cell);
    if (r->last_col)
        put(&b, heddle_array_host(r->last_col), c->rows * cell);
    if (c->body == front_mix)
        put(&b, &r->found, sizeof r->found);
    if (c->body == front_best)
        put(&b, &r->best, sizeof r->best);
    return b;
}

/* ---- by plain loops ------------------------------------------------------------------------------------------------------ */

static void plain_sweeps(const front_case *c, uint32_t *u)
{
    const uint64_t n = c->cols;
    for (uint32_t s = 0; s < c->sweeps; s++)
        for (uint64_t i = 1; i + 1u < c->rows; i++)
            for (uint64_t j = 1; j + 1u < n; j++) {
                uint32_t *p = u + i * n + j;
                *p = front_of((uint32_t)c->seed, *(p - n), p[-1], p[0], p[1], p[n], (uint32_t)i, (uint32_t)j);
            }
}

/* Word k of the cell (i, j), which may be outside. */
static uint32_t plain_at(const front_case *c, const uint32_t *u, int64_t i, int64_t j, uint32_t k)
{
    const uint32_t words = cell_words(c->body);
    if (i >= 0 && j >= 0)
        return j < c->cols ? u[((uint64_t)i * c->cols + (uint64_t)j) * words + k] : 0;
    if (!c->has_borders || (i < 0 && (j < 0 || j >= c->cols)))
        return 0;
    return i < 0 ? input(c->seed, OF_NORTH, (uint64_t)j * words + k) : input(c->seed, OF_WEST, (uint64_t)i * words + k);
}

static void plain_cell(const front_case *c, uint32_t *u, uint32_t i, uint32_t j)
{
    const uint32_t words = cell_words(c->body), has_place = c->body != front_best;
    uint32_t *to = u + ((uint64_t)i * c->cols + j) * words;
    to[0] = front_of((uint32_t)c->seed, plain_at(c, u, (int64_t)i - 1, j, 0), plain_at(c, u, i, (int64_t)j - 1, 0),
                     plain_at(c, u, (int64_t)i - 1, c->body == front_east ? (int64_t)j + 1 : (int64_t)j - 1, 0),
                     input(c->seed, OF_X, i), (uint16_t)input(c->seed, OF_Y, j), has_place ? i : 0, has_place ? j : 0);
    if (words == 3) {
        to[1] = plain_at(c, u, i, (int64_t)j - 1, 1) + to[0];
        to[2] = j;
    }
}

static void find_mix(const front_case *c, const uint32_t *u, front_found *f)
{
    memset(f, 0, sizeof *f);
    for (uint32_t i = 0; i < c->rows; i++)
        for (uint32_t j = 0; j < c->cols; j++) {
            const uint32_t v = u[((uint64_t)i * c->cols + j) * 3u];
            f->sum += v;
            if (v > f->most || (!i && !j)) {
                f->most = v;
                f->row = i;
                f->column = j;
            }
        }
}

static void find_best(const front_case *c, const uint32_t *u, heddle_best *b)
{
    memset(b, 0, sizeof *b);
    for (uint32_t j = 0; j < c->cols; j++)
        for (uint32_t i = 0; i < c->rows; i++) {
            const heddle_best one = {(int32_t)(u[(uint64_t)i * c->cols + j] >> 22), 1, i, j};
            if (heddle_is_better(&one, b))
                *b = one;
        }
}

static void take_plain(const front_case *c, const uint32_t *u, front_bytes *b)
{
    const uint64_t cell = 4u * cell_words(c->body), n = c->cols, words = cell / 4u;
    front_found found;
    heddle_best best;
    if (c->keeps)
        put(b, u, c->rows * n * cell);
    if (is_sweep(c))
        return;
    put(b, u + (c->rows - 1u) * n * words, n * cell);
    for (uint64_t i = 0; i < c->rows; i++)
        put(b, u + (i * n + n - 1u) * words, cell);
    find_mix(c, u, &found);
    if (c->body == front_mix)
        put(b, &found, sizeof found);
    find_best(c, u, &best);
    if (c->body == front_best)
        put(b, &best, sizeof best);
}

front_bytes front_plain(const front_case *c)
{
    const uint64_t n_words = (uint64_t)c->rows * c->cols * cell_words(c->body);
    uint32_t *u = calloc(n_words * 3u, 4); /* find_mix looks at every third word */
    front_bytes b = {NULL, 0};
    CHECK(u);
    for (uint64_t i = 0; is_sweep(c) && i < n_words; i++)
        u[i] = input(c->seed, OF_CELLS, i);
    if (is_sweep(c))
        plain_sweeps(c, u);
    else
        for (uint32_t i = 0; i < c->rows; i++)
            for (uint32_t j = 0; j < c->cols; j++)
                plain_cell(c, u, i, j);
    take_plain(c, u, &b);
    free(u);
    return b;
}

void front_compare(front_bytes want, front_bytes got, const front_case *c, const char *how)
{
    size_t i = 0;
    CHECK(want.n == got.n);
    while (i < want.n && want.at[i] == got.at[i])
        i++;
    CHECK_MSG(i == want.n, "byte %zu of %zu: %s, body %u, %u x %u, %u sweeps, split %s", i, want.n, how, c->body,
              c->rows, c->cols, c->sweeps, heddle_split_name(c->split));
    free(want.at);
    free(got.at);
}
