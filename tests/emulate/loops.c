/* SPDX-License-Identifier: MIT */
/* loops.c - the bodies of all scenarios APP/loop, tile by tile, on emulated blocks of 3, 8 and 40 threads, and of as many as
 * a tuned version is for: each writes and finds the bytes
 * of a lone thread, for which the bodies have code of their own. Under ThreadSanitizer: no race between threads. */
#include "backend/serial/team.h"
#include "check.h"
#include "loop.h"

#include <string.h>

typedef struct subject {
    const char *app;
    uint64_t n[2], b[2];
    app_pair opt;
    uint32_t tuned; /* threads that its tuned version is for; 0: it has none, or takes any */
} subject;

static const subject subjects[] = {
    {"blackscholes", {1001, 0}, {0, 0}, {"tile", "300"}, 0}, {"boxfilter", {41, 300}, {9, 280}, {"reach", "6"}, 0},
    {"boxfilter", {12, 30}, {5, 7}, {"reach", "20"}, 0},     {"ep", {10007, 0}, {0, 0}, {"tile", "1"}, 0},
    {"histogram", {30011, 0}, {0, 0}, {"tile", "8"}, 0},     {"mandel", {9, 77}, {2, 50}, {"most", "40"}, 0},
    {"hotspot", {21, 77}, {9, 40}, {"steps", "1"}, 0},       {"hotspot", {17, 256}, {8, 132}, {"steps", "1"}, 0},
    {"matmul", {140, 150}, {0, 0}, {"k", "21"}, 256},        {"matmul", {150, 256}, {140, 130}, {"k", "24"}, 256},
    {"matmul", {128, 132}, {0, 0}, {"parts", "8"}, 256},     {"matmul", {130, 132}, {0, 0}, {"type", "int32"}, 256},
};

/* What is found has a row a tile. */
typedef struct findings {
    uint8_t *at[APP_MOST_FOUND];
    size_t n_bytes[APP_MOST_FOUND];
} findings;

static uint64_t n_tiles(const heddle_loop_desc *d) { return (d->n + d->tile - 1) / d->tile; }

static void set_pointer(void *record, size_t field, const void *to) { memcpy((char *)record + field, &to, sizeof to); }

static void point(const app_case *c, void *record, findings *f)
{
    const app_loop_form *form = &c->looping->form;
    for (uint32_t i = 0; i < form->n_rows; i++)
        set_pointer(record, form->rows[i].field, form->rows[i].host);
    for (uint32_t i = 0; i < form->n_found; i++) {
        f->n_bytes[i] = n_tiles(&form->desc) * form->found[i].n * 8u;
        if (!f->at[i])
            f->at[i] = calloc(1, f->n_bytes[i]);
        CHECK(f->at[i]);
        set_pointer(record, form->found[i].field, f->at[i]);
    }
}

static void call(const heddle_body_info *body, const void *record, const heddle_span *s, hd_team_of_threads *team)
{
    static _Alignas(128) unsigned char shared[HEDDLE_REDUCE_BYTES + 16384];
    heddle_failure failure = {0};
    const heddle_thread thread = heddle_thread_alone(&failure, shared);
    uint32_t left, waited;
    memset(shared, 0x5a, sizeof shared);
    if (!team)
        body->run(&thread, record, s);
    else
        CHECK(!hd_team_of_threads_run(team, body, &thread, record, s, &left, &waited));
    CHECK(!failure.code);
}

static void call_all(const app_case *c, const void *record, hd_team_of_threads *team)
{
    const heddle_loop_desc *d = &c->looping->form.desc;
    const uint64_t n_2 = d->n_2 ? d->n_2 : 1, tile_2 = d->n_2 ? d->tile_2 : 1;
    for (uint64_t t = 0; t < n_tiles(d); t++)
        for (uint64_t j = 0; j < n_2; j += tile_2) {
            const heddle_span s = {t * d->tile, app_smaller((t + 1) * d->tile, d->n), j, app_smaller(j + tile_2, n_2),
                                   t};
            call(&c->app->loops->bodies[d->body], record, &s, team);
        }
}

/* Runs all tiles, as often as the case does; team NULL: by a lone thread. */
static findings run(app_case *c, hd_team_of_threads *team)
{
    const app_loop_form *form = &c->looping->form;
    void *record = malloc(c->record_bytes);
    findings f = {{NULL}, {0}};
    CHECK(record && !c->scenario->reset(c));
    CHECK(form->n_runs < 2 || form->swaps[0] == form->swaps[1]);
    for (uint64_t i = 0; i == 0 || i < form->n_runs; i++) {
        if (form->turn)
            form->turn(c, i);
        memcpy(record, c->record, c->record_bytes);
        point(c, record, &f);
        call_all(c, record, team);
    }
    free(record);
    return f;
}

/* Of the first array that the loop writes; NULL: it writes none. */
static const app_rows *results(const app_case *c, uint32_t from)
{
    const app_loop_form *form = &c->looping->form;
    for (uint32_t i = from; i < form->n_rows; i++)
        if (form->rows[i].mode != HEDDLE_MODE_IN)
            return &form->rows[i];
    return NULL;
}

static uint8_t *copy_results(const app_case *c, size_t *n)
{
    uint8_t *all = NULL;
    const app_rows *r;
    *n = 0;
    for (uint32_t i = 0; (r = results(c, i)); i = (uint32_t)(r - c->looping->form.rows) + 1) {
        all = realloc(all, *n + r->n_rows * r->row_bytes);
        CHECK(all);
        memcpy(all + *n, r->host, r->n_rows * r->row_bytes);
        *n += r->n_rows * r->row_bytes;
    }
    return all;
}

static void check_team(app_case *c, uint32_t team_size, const findings *want, const uint8_t *want_rows, size_t n)
{
    hd_team_of_threads *team = hd_team_of_threads_new(team_size);
    findings got;
    uint8_t *rows;
    CHECK(team);
    got = run(c, team);
    rows = copy_results(c, &n);
    CHECK_MSG(!n || !memcmp(rows, want_rows, n), "%s on %u threads writes other bytes", c->app->name, team_size);
    for (uint32_t i = 0; i < c->looping->form.n_found; i++) {
        CHECK_MSG(!memcmp(got.at[i], want->at[i], got.n_bytes[i]), "%s on %u threads finds other bytes", c->app->name,
                  team_size);
        free(got.at[i]);
    }
    free(rows);
    hd_team_of_threads_free(team);
}

static void check_subject(const subject *s)
{
    const uint32_t teams[] = {3, 8, 40, s->tuned};
    const app_request q = {{s->n[0], s->n[1]}, {s->b[0], s->b[1]}, &s->opt, 1, NULL, 0, {0}};
    const app *a = app_find(s->app);
    char error[APP_ERROR];
    app_case *c = app_new(a, app_scenario_of(a, "loop"), &q, error);
    findings want;
    uint8_t *rows;
    size_t n;
    CHECK_MSG(c, "%s: %s", s->app, error);
    c->devices = "serial";
    CHECK_MSG(!c->scenario->build(c, NULL), "%s: %s", s->app, c->error);
    want = run(c, NULL);
    rows = copy_results(c, &n);
    for (size_t i = 0; i < sizeof teams / sizeof *teams && teams[i]; i++)
        check_team(c, teams[i], &want, rows, n);
    for (uint32_t i = 0; i < c->looping->form.n_found; i++)
        free(want.at[i]);
    free(rows);
    a->free(c);
}

int main(void)
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        check_subject(&subjects[i]);
    return 0;
}
