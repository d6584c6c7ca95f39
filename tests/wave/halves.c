/* SPDX-License-Identifier: MIT */
/* halves.c - borders with a count. Two waves in two contexts run at the same time on the halves of a field: the right
 * one reads the left one's last column while it comes. Together they leave what a plain loop leaves. Also, a host
 * thread that raises counts slowly feeds a wave. A wave that waits for ever stops at its time limit, or is canceled and
 * then runs well. Bad counts are refused. --cuda: both waves share a GPU, with few blocks each. HEDDLE_WAVES: how many. */
#include "check.h"
#include "wave/halves.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 400u /* rows, columns of a half */

static uint64_t row; /* of random numbers */
static heddle_backend backend = HEDDLE_CPU;
static const mix_params params = {77};

typedef struct field {
    uint32_t rows, cols, left; /* left: columns of the left half */
    uint32_t *x, *y, *north, *west, *want;
} field;

/* A half on its context; the other half reads its memory, too. */
typedef struct half {
    heddle_ctx *ctx;
    heddle_graph *graph;
    heddle_job *job;
    heddle_wave_desc desc;
    uint32_t at; /* its first column in the field */
} half;

static uint32_t *random_words(uint64_t n)
{
    uint32_t *p = malloc(n * 4u);
    CHECK(p);
    for (uint64_t i = 0; i < n; i++)
        p[i] = (uint32_t)check_random(&row);
    return p;
}

static uint32_t want_at(const field *f, int64_t i, int64_t j)
{
    if (i < 0 && j < 0)
        return 0;
    return i < 0 ? f->north[j] : j < 0 ? f->west[i] : f->want[(uint64_t)i * f->cols + (uint64_t)j];
}

static void make_field(field *f)
{
    f->rows = 1u + (uint32_t)check_below(&row, MOST);
    f->left = 1u + (uint32_t)check_below(&row, MOST);
    f->cols = f->left + 1u + (uint32_t)check_below(&row, MOST);
    f->x = random_words(f->rows);
    f->y = random_words(f->cols);
    f->north = random_words(f->cols);
    f->west = random_words(f->rows);
    f->want = random_words((uint64_t)f->rows * f->cols);
    for (int64_t i = 0; i < f->rows; i++)
        for (int64_t j = 0; j < f->cols; j++)
            f->want[i * f->cols + j] = half_of(params.by, want_at(f, i - 1, j), want_at(f, i, j - 1),
                                               want_at(f, i - 1, j - 1), f->x[i], f->y[j]);
}

static void free_field(field *f)
{
    free(f->x);
    free(f->y);
    free(f->north);
    free(f->west);
    free(f->want);
}

static void *on_device(heddle_ctx *ctx, const void *from, uint64_t n_words)
{
    void *p;
    CHECK_OK(ctx, heddle_mem_new(ctx, n_words * 4u, &p));
    if (from)
        CHECK_OK(ctx, heddle_mem_write(ctx, p, from, n_words * 4u));
    return p;
}

/* Columns at .. at + cols - 1, with all borders but the west one. */
static void make_half(half *h, const field *f, uint32_t at, uint32_t cols, const heddle_config *config)
{
    const heddle_wave_desc none = HEDDLE_WAVE_INIT;
    memset(h, 0, sizeof *h);
    CHECK_OK(NULL, heddle_ctx_open(&h->ctx, config));
    h->at = at;
    h->desc = none;
    h->desc.body = half_cell;
    h->desc.rows = f->rows;
    h->desc.cols = cols;
    h->desc.x = on_device(h->ctx, f->x, f->rows);
    h->desc.y = on_device(h->ctx, f->y + at, cols);
    h->desc.north.array = on_device(h->ctx, f->north + at, cols);
    h->desc.corner = at ? &f->north[at - 1u] : NULL;
    h->desc.cells = on_device(h->ctx, NULL, (uint64_t)f->rows * cols);
    h->desc.tile_cols = 1u + (uint32_t)check_below(&row, 200);
}

static void free_half(half *h)
{
    void *memory[] = {(void *)(uintptr_t)h->desc.x, (void *)(uintptr_t)h->desc.y,
                      (void *)(uintptr_t)h->desc.north.array, h->desc.cells};
    heddle_graph_free(h->graph);
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        heddle_mem_free(h->ctx, memory[i]);
    heddle_ctx_close(h->ctx);
}

static void check_half(const half *h, const field *f, const char *how)
{
    const uint64_t n_cells = h->desc.rows * h->desc.cols;
    uint32_t *got = malloc(n_cells * 4u);
    CHECK(got);
    CHECK_OK(h->ctx, heddle_mem_read(h->ctx, got, h->desc.cells, n_cells * 4u));
    for (uint64_t k = 0; k < n_cells; k++)
        CHECK_MSG(got[k] == f->want[k / h->desc.cols * f->cols + h->at + k % h->desc.cols],
                  "%s: cell (%llu, %llu) of the half from column %u on, %u x %u", how,
                  (unsigned long long)(k / h->desc.cols), (unsigned long long)(k % h->desc.cols), h->at, f->rows,
                  f->cols);
    free(got);
}

static heddle_config some_config(int is_tasks)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.backend = backend;
    c.n_workers = backend == HEDDLE_CUDA ? 8u : 1u + (uint32_t)check_below(&row, 3);
    c.schedule = is_tasks ? HEDDLE_SCHEDULE_TICKET : HEDDLE_SCHEDULE_WAVE;
    return c;
}

static void submit(half *h)
{
    CHECK_OK(h->ctx, heddle_graph_submit(h->ctx, h->graph, &params, sizeof params, &h->job));
}

static void finish(half *h)
{
    CHECK_OK(h->ctx, heddle_job_wait(h->job, HEDDLE_FOREVER));
    heddle_job_free(h->job);
}

static void set_count(heddle_ctx *ctx, uint32_t *count, uint32_t n)
{
    CHECK_OK(ctx, heddle_mem_write(ctx, count, &n, sizeof n));
}

/* ---- two waves --------------------------------------------------------------------------------------------------- */

/* On threads the right half may start first, and either may run as tiles: each has workers of its own. */
static void run_both(half *left, half *right, const field *f, uint32_t *count, int right_first)
{
    uint32_t n;
    set_count(left->ctx, count, 0);
    submit(right_first ? right : left);
    submit(right_first ? left : right);
    finish(left);
    finish(right);
    check_half(left, f, "both");
    check_half(right, f, "both");
    CHECK_OK(left->ctx, heddle_mem_read(left->ctx, &n, count, sizeof n));
    CHECK(n == f->rows);
}

static void test_both(void)
{
    const int on_threads = backend == HEDDLE_CPU;
    const heddle_config a = some_config(on_threads && !check_below(&row, 3)),
                        b = some_config(on_threads && !check_below(&row, 3));
    uint32_t *count, *column, *west;
    half left, right;
    field f;
    make_field(&f);
    make_half(&left, &f, 0, f.left, &a);
    make_half(&right, &f, f.left, f.cols - f.left, &b);
    west = on_device(left.ctx, f.west, f.rows);
    column = on_device(left.ctx, NULL, f.rows);
    count = on_device(left.ctx, NULL, 1);
    left.desc.west.array = west;
    left.desc.last_col = column;
    left.desc.last_col_count = count;
    right.desc.west.array = column;
    right.desc.west.count = count;
    CHECK_OK(left.ctx, heddle_wave_new(left.ctx, &halves, &left.desc, &left.graph));
    CHECK_OK(right.ctx, heddle_wave_new(right.ctx, &halves, &right.desc, &right.graph));
    for (int i = 0; i < 3; i++)
        run_both(&left, &right, &f, count, on_threads && check_below(&row, 2));
    free_half(&right);
    heddle_mem_free(left.ctx, west);
    heddle_mem_free(left.ctx, column);
    heddle_mem_free(left.ctx, count);
    free_half(&left);
    free_field(&f);
}

/* ---- a wave and the host ----------------------------------------------------------------------------------------- */

/* A border that the host writes piece by piece: the cells, then the count. */
typedef struct feed {
    heddle_ctx *ctx;
    uint32_t *cells, *count, n;
    const uint32_t *from;
    uint64_t row;
} feed;

static void *feed_slowly(void *self)
{
    feed *s = self;
    for (uint32_t at = 0, more; at < s->n; at += more) {
        more = 1u + (uint32_t)check_below(&s->row, s->n / 4u + 1u);
        more = more < s->n - at ? more : s->n - at;
        usleep((useconds_t)check_below(&s->row, 300));
        memcpy(s->cells + at, s->from + at, more * 4u);
        HEDDLE_ATOMIC_STORE(s->count, at + more, RELEASE, SYS);
    }
    return NULL;
}

static feed make_feed(heddle_ctx *ctx, const uint32_t *from, uint32_t n)
{
    feed s = {ctx, on_device(ctx, NULL, n), on_device(ctx, NULL, 1), n, from, 0};
    s.row = check_random(&row);
    memset(s.cells, 0x5a, n * 4u);
    *s.count = 0;
    return s;
}

static void free_feed(feed *s)
{
    heddle_mem_free(s->ctx, s->cells);
    heddle_mem_free(s->ctx, s->count);
}

/* Nobody raises the counts: the wave ends at its limit, or by a cancel. */
static void run_in_vain(half *h, int by_hand)
{
    heddle_status s;
    submit(h);
    if (by_hand) {
        usleep((useconds_t)check_below(&row, 3000));
        heddle_job_cancel(h->job);
    }
    s = heddle_job_wait(h->job, HEDDLE_FOREVER);
    CHECK_MSG(s == (by_hand ? HEDDLE_ECANCELED : HEDDLE_ETIMEDOUT), "%d", (int)s);
    heddle_job_free(h->job);
}

static void test_fed(void)
{
    heddle_config c = some_config(!check_below(&row, 3));
    const int by_hand = check_below(&row, 2) != 0;
    pthread_t threads[2];
    feed north, west;
    void *whole;
    half h;
    field f;
    c.time_limit_ms = by_hand ? 0u : 30u;
    make_field(&f);
    make_half(&h, &f, 0, f.cols, &c);
    north = make_feed(h.ctx, f.north, f.cols);
    west = make_feed(h.ctx, f.west, f.rows);
    whole = (void *)(uintptr_t)h.desc.north.array;
    h.desc.north.array = north.cells;
    h.desc.north.count = north.count;
    h.desc.west.array = west.cells;
    h.desc.west.count = west.count;
    CHECK_OK(h.ctx, heddle_wave_new(h.ctx, &halves, &h.desc, &h.graph));
    run_in_vain(&h, by_hand);
    if (by_hand) {
        submit(&h);
        CHECK(!pthread_create(&threads[0], NULL, feed_slowly, &north));
        CHECK(!pthread_create(&threads[1], NULL, feed_slowly, &west));
        finish(&h);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        check_half(&h, &f, "fed");
    }
    h.desc.north.array = whole;
    free_feed(&north);
    free_feed(&west);
    free_half(&h);
    free_field(&f);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refuse(heddle_ctx *ctx, const heddle_wave_desc *d, const char *why)
{
    heddle_graph *g;
    CHECK_MSG(heddle_wave_new(ctx, &halves, d, &g) != HEDDLE_OK && !g, "%s", why);
    CHECK_MSG(strstr(heddle_error_text(ctx), why), "%s, not %s", heddle_error_text(ctx), why);
}

static void test_refused(void)
{
    uint32_t words[16] = {0};
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = HEDDLE_SERIAL;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    d.rows = d.cols = 4;
    d.x = d.y = words;
    d.north.count = words;
    refuse(ctx, &d, "border north has a count, and no array");
    d.north.array = words;
    refuse(ctx, &d, "the serial backend cannot be stopped while it waits");
    d.north.count = (const uint32_t *)(const void *)((const char *)words + 1);
    refuse(ctx, &d, "not aligned to 4 bytes");
    d.north.count = NULL;
    d.last_col_count = words;
    refuse(ctx, &d, "last_col_count, and last_col is NULL");
    heddle_ctx_close(ctx);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("HEDDLE_WAVES");
    const uint64_t first = check_seed(1), n = asked ? strtoull(asked, NULL, 0) : 60u;
    if (argc > 1 && !strcmp(argv[1], "--cuda"))
        backend = HEDDLE_CUDA;
    if (!heddle_backend_is_present(backend))
        SKIP("no GPU");
    test_refused();
    for (uint64_t seed = first; seed < first + n; seed++) {
        row = seed;
        test_both();
        if (backend == HEDDLE_CPU)
            test_fed();
    }
    printf("%llu times two halves\n", (unsigned long long)n);
    return 0;
}
