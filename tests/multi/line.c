/* SPDX-License-Identifier: MIT */
/* line.c - the line of jobs (src/engine/multi/line.h) when a device is lost before its slices were seen done: which of them are given again, and
 * that the bytes are those of jobs one after the other, or are lost. Also that each slice gets its turn, and in which order. Two devices are played: what is put is done at once, but the line hears
 * of it only if the case says so. */
#include "check.h"
#include "engine/multi/line_inside.h"

#include <string.h>

#define N_ARRAYS 2u
#define N_ROWS 8u
#define ROW 256u
#define POOL (64u << 10)
#define MOST_JOBS 3u

enum { A, B };
#define IN HEDDLE_MODE_IN
#define OUT HEDDLE_MODE_OUT
#define INOUT HEDDLE_MODE_INOUT

/* A job of one slice, which touches rows of A and of B. */
typedef struct job {
    heddle_mode mode[N_ARRAYS]; /* 0: it does not */
    uint64_t end_row[N_ARRAYS];
} job;

typedef struct test {
    const char *what;
    uint32_t n_jobs;
    job jobs[MOST_JOBS];
    uint32_t tells;             /* a bit for each device: the line hears how far it is before the loss */
    uint32_t again;             /* a bit for each job */
    uint32_t is_lost[N_ARRAYS]; /* rows of it are lost */
} test;

typedef struct rig {
    const test *t;
    hd_line *line;
    hd_given given;
    hd_line_kind *kinds[MOST_JOBS];
    uint64_t n_given[2 * HD_N_ROLES];
    uint8_t pools[2][POOL], home[N_ARRAYS][N_ROWS * ROW], serial[N_ARRAYS][N_ROWS * ROW];
    uint32_t n_ended;
    heddle_status ends; /* how jobs end */
} rig;

/* ---- jobs ------------------------------------------------------------------------------------------------------------- */

static uint32_t uses_of_job(const job *j, hd_seg_use *out)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < N_ARRAYS; a++)
        if (j->mode[a]) {
            const hd_seg_rect r = {0, j->end_row[a], 0, ROW};
            out[n++] = (hd_seg_use){a, j->mode[a], r, r, 0};
        }
    return n;
}

static void uses_of(const void *self, const hd_grains *block, hd_seg_use *out, uint8_t *comes_home)
{
    (void)block;
    memset(comes_home, 0, uses_of_job(self, out));
}

/* Row by row: at[a] is where the array's first row is. */
static void run_body(const job *j, uint32_t number, uint8_t *const *at, const uint64_t *strides)
{
    uint8_t sum = (uint8_t)(17 * (number + 1));
    for (uint32_t a = 0; a < N_ARRAYS; a++)
        for (uint64_t row = 0; (j->mode[a] & IN) && row < j->end_row[a]; row++)
            sum = (uint8_t)(3 * sum + at[a][row * strides[a]]);
    for (uint32_t a = 0; a < N_ARRAYS; a++)
        for (uint64_t row = 0; (j->mode[a] & OUT) && row < j->end_row[a]; row++)
            memset(at[a] + row * strides[a], sum + (int)row, ROW);
}

static void run_serially(rig *r)
{
    static const uint64_t strides[N_ARRAYS] = {ROW, ROW};
    uint8_t *const at[N_ARRAYS] = {r->serial[A], r->serial[B]};
    for (uint32_t i = 0; i < r->t->n_jobs; i++)
        run_body(&r->t->jobs[i], i, at, strides);
}

/* ---- plans ------------------------------------------------------------------------------------------------------------ */

static uint8_t *memory(rig *r, uint32_t of, uint32_t array) { return of == HD_HOME ? r->home[array] : r->pools[of]; }

static void put_move(rig *r, const hd_seg_op *o)
{
    for (uint64_t i = 0; i < o->rect.end_row - o->rect.row; i++)
        memcpy(memory(r, o->to, o->array) + o->to_at + i * o->to_stride,
               memory(r, o->from, o->array) + o->from_at + i * o->from_stride, o->rect.end_byte - o->rect.byte);
}

static void put_body(rig *r, uint32_t number)
{
    const job *j = &r->t->jobs[number];
    uint8_t *at[N_ARRAYS];
    uint64_t strides[N_ARRAYS];
    uint32_t n = 0;
    for (uint32_t a = 0; a < N_ARRAYS; a++)
        if (j->mode[a]) {
            at[a] = r->pools[r->given.device] + r->given.plan.places[n].at;
            strides[a] = r->given.plan.places[n++].stride;
        }
    run_body(j, number, at, strides);
}

static void put_plan(rig *r, uint32_t number)
{
    for (uint64_t i = 0; i < r->given.plan.ops.n; i++) {
        const hd_seg_op *o = (const hd_seg_op *)r->given.plan.ops.at + i;
        r->n_given[o->point.queue] = o->point.number;
        if (o->is_body)
            put_body(r, number);
        else
            put_move(r, o);
    }
}

/* Gives what can be given; a bit for each job. */
static uint32_t give_all(rig *r)
{
    uint32_t jobs = 0;
    int given = 1;
    while (given) {
        CHECK(hd_line_give(r->line, &r->given, &given, 0) == HEDDLE_OK);
        if (!given)
            break;
        put_plan(r, (uint32_t)(uintptr_t)r->given.job_user);
        jobs |= 1u << (uintptr_t)r->given.job_user;
    }
    return jobs;
}

static void tell(rig *r, uint32_t device)
{
    for (uint32_t q = HD_N_ROLES * device; q < HD_N_ROLES * (device + 1u); q++)
        CHECK(hd_line_passed(r->line, (hd_seg_point){q, r->n_given[q]}, 0) == HEDDLE_OK);
}

/* ---- a case ------------------------------------------------------------------------------------------------------------ */

static void note_end(void *user, hd_line_job *j, void *job_user, heddle_status status)
{
    (void)j;
    (void)job_user;
    CHECK(status == ((rig *)user)->ends);
    ((rig *)user)->n_ended++;
}

static void open_rig(rig *r, const test *t)
{
    static const uint64_t pools[2] = {POOL, POOL};
    static const double weights[2] = {1, 1};
    const hd_line_config c = {2, weights, pools, NULL, 2, 0, note_end, r, NULL};
    uint32_t array;
    memset(r, 0, sizeof *r);
    r->t = t;
    CHECK(hd_line_new(&r->line, &c) == HEDDLE_OK);
    for (uint32_t a = 0; a < N_ARRAYS; a++) {
        CHECK(hd_segments_add(hd_line_segments(r->line), N_ROWS, ROW, ROW, &array) == HEDDLE_OK && array == a);
        for (uint32_t i = 0; i < N_ROWS * ROW; i++)
            r->home[a][i] = r->serial[a][i] = (uint8_t)(i / ROW + 100 * a);
    }
}

/* Job i goes to device i % 2: the one with less under way. */
static void start_all(rig *r)
{
    for (uint32_t i = 0; i < r->t->n_jobs; i++) {
        const hd_line_kind_config c = {.n = 1,
                                       .n_2 = 1,
                                       .map = HEDDLE_MAP_FREE,
                                       .n_tasks = 1,
                                       .n_tasks_2 = 1,
                                       .n_uses = (r->t->jobs[i].mode[A] != 0) + (r->t->jobs[i].mode[B] != 0),
                                       .uses = uses_of,
                                       .self = &r->t->jobs[i]};
        hd_line_job *j;
        CHECK(hd_kind_new(r->line, &c, &r->kinds[i]) == HEDDLE_OK);
        CHECK(hd_line_start(r->line, r->kinds[i], (void *)(uintptr_t)i, &j) == HEDDLE_OK);
        CHECK(give_all(r) == 1u << i && r->given.device == i % 2u);
    }
}

static void compare(rig *r, uint32_t a)
{
    for (uint64_t row = 0; row < N_ROWS; row++) {
        const hd_seg_rect rect = {row, row + 1, 0, ROW};
        const heddle_status s = hd_segments_fetch(hd_line_segments(r->line), a, &rect, &r->given.plan);
        put_plan(r, 0);
        CHECK_MSG(s == HEDDLE_OK || (s == HEDDLE_EDEVICE && r->t->is_lost[a]), "%s: array %u", r->t->what, a);
        CHECK_MSG(s == HEDDLE_EDEVICE || !memcmp(r->home[a] + row * ROW, r->serial[a] + row * ROW, ROW),
                  "%s: array %u, row %u is %u, not %u", r->t->what, a, (unsigned)row, r->home[a][row * ROW],
                  r->serial[a][row * ROW]);
    }
}

static void check_lost(rig *r, uint32_t a)
{
    const hd_seg_rect all = {0, N_ROWS, 0, ROW};
    CHECK_MSG((uint32_t)hd_segments_is_lost(hd_line_segments(r->line), a, &all, NULL) == r->t->is_lost[a],
              "%s: array %u", r->t->what, a);
    compare(r, a);
}

static void check_case(const test *t)
{
    static rig r;
    uint32_t again, n = 0;
    open_rig(&r, t);
    start_all(&r);
    for (uint32_t d = 0; d < 2u; d++)
        if (t->tells >> d & 1u)
            tell(&r, d);
    memset(r.pools[0], 0xee, POOL);
    CHECK(hd_line_lost(r.line, 0) == HEDDLE_OK);
    for (again = give_all(&r); r.n_ended < t->n_jobs; again |= give_all(&r)) {
        CHECK_MSG(n++ < 100, "%s: a slice is never given", t->what);
        tell(&r, 1);
    }
    CHECK_MSG(again == t->again && hd_line_is_empty(r.line), "%s: %x", t->what, again);
    run_serially(&r);
    check_lost(&r, A);
    check_lost(&r, B);
    for (uint32_t i = 0; i < t->n_jobs; i++)
        hd_kind_delete(r.kinds[i]);
    hd_seg_plan_clear(&r.given.plan);
    hd_line_delete(r.line);
}

/* ---- turns of slices --------------------------------------------------------------------------------------------------- */

/* A kind of jobs with many tasks that all touch the same rows, or each its own. */
typedef struct wide {
    uint32_t array;
    heddle_mode mode;
    int is_apart; /* a grain is a row */
} wide;

static void uses_of_wide(const void *self, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home)
{
    const wide *w = self;
    const hd_seg_rect r = {w->is_apart ? b->begin : 0, w->is_apart ? b->end : N_ROWS, 0, ROW};
    *out = (hd_seg_use){w->array, w->mode, r, r, 0};
    *comes_home = 0;
}

static void open_wide(rig *r, const uint64_t *pools, const double *weights, uint32_t n_devices)
{
    const hd_line_config c = {n_devices, weights, pools, NULL, 2, 0, note_end, r, NULL};
    uint32_t array;
    memset(r, 0, sizeof *r);
    CHECK(hd_line_new(&r->line, &c) == HEDDLE_OK);
    for (uint32_t a = 0; a < N_ARRAYS; a++)
        CHECK(hd_segments_add(hd_line_segments(r->line), N_ROWS, ROW, ROW, &array) == HEDDLE_OK && array == a);
}

static hd_line_job *start_wide(rig *r, uint32_t i, const wide *w, heddle_map map, uint32_t n)
{
    const hd_line_kind_config c = {
        .n = n, .n_2 = 1, .map = map, .n_tasks = n, .n_tasks_2 = 1, .n_uses = 1, .uses = uses_of_wide, .self = w};
    hd_line_job *j;
    if (!r->kinds[i])
        CHECK(hd_kind_new(r->line, &c, &r->kinds[i]) == HEDDLE_OK);
    CHECK(hd_line_start(r->line, r->kinds[i], (void *)(uintptr_t)i, &j) == HEDDLE_OK);
    return j;
}

/* Gives a slice; which kind's it is, or HD_NONE. */
static uint32_t give_wide(rig *r)
{
    int given = 1;
    while (given) {
        CHECK(hd_line_give(r->line, &r->given, &given, 0) == HEDDLE_OK);
        for (uint64_t i = 0; given && i < r->given.plan.ops.n; i++) {
            const hd_seg_op *o = (const hd_seg_op *)r->given.plan.ops.at + i;
            r->n_given[o->point.queue] = o->point.number;
        }
        if (given && r->given.job)
            return (uint32_t)(uintptr_t)r->given.job_user;
    }
    return HD_NONE;
}

static void close_wide(rig *r)
{
    for (uint32_t i = 0; i < MOST_JOBS; i++)
        hd_kind_delete(r->kinds[i]);
    hd_seg_plan_clear(&r->given.plan);
    hd_line_delete(r->line);
}

/* What the device that is lost had in the first job has another one in the next, and in the one that was under way. */
static void check_fixed(void)
{
    static const uint64_t pools[2] = {POOL, POOL};
    static const double weights[2] = {1, 1};
    static const wide rows = {A, OUT, 1};
    static rig r;
    uint32_t n = 0;
    open_wide(&r, pools, weights, 2);
    start_wide(&r, 0, &rows, HEDDLE_MAP_FIXED, 4);
    while (give_wide(&r) == 0)
        ;
    tell(&r, 0);
    tell(&r, 1);
    start_wide(&r, 0, &rows, HEDDLE_MAP_FIXED, 4);
    while (give_wide(&r) == 0)
        ;
    CHECK(r.n_ended == 1 && hd_line_lost(r.line, 0) == HEDDLE_OK);
    start_wide(&r, 0, &rows, HEDDLE_MAP_FIXED, 4);
    for (tell(&r, 1); give_wide(&r) == 0; n++)
        tell(&r, 1);
    CHECK_MSG(n == 2 + 4 && r.n_ended == 3, "%u slices of jobs after a loss", n);
    close_wide(&r);
}

/* The first device has three of four slices. The other one, which has ended its own, does not begin the next job, which reads all. */
static void check_order(void)
{
    static const uint64_t pools[2] = {POOL, POOL};
    static const double weights[2] = {3, 1};
    static const wide writes = {A, OUT, 1}, reads = {A, IN, 0};
    static rig r;
    uint32_t n_of_first = 0;
    open_wide(&r, pools, weights, 2);
    start_wide(&r, 0, &writes, HEDDLE_MAP_SETTLE, 4);
    start_wide(&r, 1, &reads, HEDDLE_MAP_SETTLE, 4);
    for (uint32_t i = 0; i < 8; i++) {
        CHECK_MSG(give_wide(&r) == i / 4, "slice %u", i);
        n_of_first += r.given.device == 0;
    }
    CHECK_MSG(n_of_first == 6, "%u", n_of_first);
    close_wide(&r);
}

/* A slice for which others would have to leave is passed over while there are some for which nothing has to come, but not for ever. */
static void check_passed(void)
{
    static const uint64_t pools[1] = {3072};
    static const double weights[1] = {1};
    static const wide there = {A, IN, 0}, elsewhere = {B, IN, 0};
    static rig r;
    uint32_t n = 0;
    open_wide(&r, pools, weights, 1);
    start_wide(&r, 0, &there, HEDDLE_MAP_FREE, 1);
    CHECK(give_wide(&r) == 0);
    tell(&r, 0);
    start_wide(&r, 1, &elsewhere, HEDDLE_MAP_FREE, 1);
    start_wide(&r, 2, &there, HEDDLE_MAP_FREE, 4000);
    for (; give_wide(&r) == 2; n++)
        tell(&r, 0);
    CHECK_MSG(n == HD_WINDOW_SHORT, "passed over by %u", n);
    for (uint32_t i = n; i < 4000; i++) {
        tell(&r, 0);
        CHECK(give_wide(&r) == 2);
    }
    close_wide(&r);
}

/* Of a job that is dropped, slices that waited stay away when a device is lost. */
static void check_dropped(void)
{
    static const uint64_t pools[2] = {POOL, POOL};
    static const double weights[2] = {1, 1};
    static const wide rows = {A, OUT, 1};
    static rig r;
    uint32_t n = 0;
    open_wide(&r, pools, weights, 2);
    r.ends = HEDDLE_ECANCELED;
    start_wide(&r, 0, &rows, HEDDLE_MAP_SETTLE, 8);
    CHECK(give_wide(&r) == 0 && r.given.device == 0 && give_wide(&r) == 0 && r.given.device == 1);
    hd_line_drop(r.line, r.kinds[0], HEDDLE_ECANCELED);
    CHECK(hd_line_lost(r.line, 0) == HEDDLE_OK);
    for (tell(&r, 1); give_wide(&r) == 0; n++)
        tell(&r, 1);
    CHECK_MSG(n == 1 && r.n_ended == 1 && hd_line_is_empty(r.line), "%u slices of a dropped job after a loss", n);
    close_wide(&r);
}

/* Rows of A, all of B. */
static void uses_with_all(const void *self, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home)
{
    const hd_seg_rect own = {b->begin, b->end, 0, ROW}, all = {0, N_ROWS, 0, ROW};
    (void)self;
    out[0] = (hd_seg_use){A, OUT, own, own, 0};
    out[1] = (hd_seg_use){B, IN, all, all, 0};
    comes_home[0] = comes_home[1] = 0;
}

/* The pool that is left has room for what all slices read, which is more than a quarter of it, and for five rows: a slice of all eight becomes two. */
static void check_halves(void)
{
    static const uint64_t pools[2] = {POOL, (N_ROWS + 5u) * ROW * 8u / 7u};
    static const double weights[2] = {1e6, 1};
    static const hd_line_kind_config c = {
        .n = N_ROWS, .n_2 = 1, .map = HEDDLE_MAP_SETTLE, .n_tasks_2 = 1, .n_uses = 2, .uses = uses_with_all};
    static rig r;
    hd_line_job *j;
    uint32_t n = 0;
    open_wide(&r, pools, weights, 2);
    CHECK(hd_kind_new(r.line, &c, &r.kinds[0]) == HEDDLE_OK);
    CHECK(hd_line_start(r.line, r.kinds[0], NULL, &j) == HEDDLE_OK);
    while (give_wide(&r) == 0)
        ;
    CHECK(hd_line_lost(r.line, 0) == HEDDLE_OK);
    for (tell(&r, 1); give_wide(&r) == 0; n++)
        tell(&r, 1);
    CHECK_MSG(n == 2 && r.n_ended == 1, "%u slices after a loss", n);
    close_wide(&r);
}

#define WIDE_TASKS 8u

/* A grain of the second index is some bytes of each row, and reads more on both sides. */
static void uses_of_columns(const void *self, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home)
{
    const uint64_t begin = b->begin_2 * ROW, end = (b->end_2 + 2u) * ROW;
    const hd_seg_rect r = {0, N_ROWS, begin - (begin < 2u * ROW ? begin : 2u * ROW),
                           end < WIDE_TASKS * ROW ? end : WIDE_TASKS * ROW};
    (void)self;
    *out = (hd_seg_use){N_ARRAYS, IN, r, r, 1};
    *comes_home = 0;
}

/* No slice needs more room than the least one is said to need. */
static void check_least(void)
{
    static const uint64_t pool = POOL;
    static const double weight = 1;
    static const hd_line_kind_config c = {
        .n = 1, .n_2 = WIDE_TASKS, .n_tasks = 1, .n_tasks_2 = WIDE_TASKS, .n_uses = 1, .uses = uses_of_columns};
    static rig r;
    hd_grains block = {0, 1, 0, 0};
    hd_seg_use use;
    uint8_t comes_home;
    uint32_t array;
    uint64_t least;
    open_wide(&r, &pool, &weight, 1);
    CHECK(hd_segments_add(hd_line_segments(r.line), N_ROWS, WIDE_TASKS * ROW, WIDE_TASKS * ROW, &array) == HEDDLE_OK);
    CHECK(array == N_ARRAYS && hd_kind_new(r.line, &c, &r.kinds[0]) == HEDDLE_OK);
    least = hd_kind_least_room(r.kinds[0], &block);
    for (uint32_t i = 0; i < WIDE_TASKS; i++) {
        block = (hd_grains){0, 1, i, i + 1u};
        uses_of_columns(NULL, &block, &use, &comes_home);
        CHECK_MSG(hd_segments_room(hd_line_segments(r.line), &use) <= least, "task %u needs more than %u bytes", i,
                  (unsigned)least);
    }
    close_wide(&r);
}

static void note_how(void *user, hd_line_job *j, void *job_user, heddle_status status)
{
    (void)j;
    ((rig *)user)->n_ended |= (status == HEDDLE_EBODY ? 1u : 16u) << (uintptr_t)job_user;
}

/* Of three jobs in one queue a body fails that lies behind point n_before: a job ends well if it has no body behind that, and none before it has. */
static void check_failed(uint32_t n_before, uint32_t ends)
{
    static const uint64_t pool = POOL;
    static const double weight = 1;
    static const wide all[2] = {{A, INOUT, 0}, {B, INOUT, 0}};
    static rig r;
    const hd_line_config c = {1, &weight, &pool, NULL, 1, 0, note_how, &r, NULL};
    uint32_t array;
    memset(&r, 0, sizeof r);
    CHECK(hd_line_new(&r.line, &c) == HEDDLE_OK);
    for (uint32_t a = 0; a < N_ARRAYS; a++)
        CHECK(hd_segments_add(hd_line_segments(r.line), N_ROWS, ROW, ROW, &array) == HEDDLE_OK);
    for (uint32_t i = 0; i < 3; i++) {
        (void)start_wide(&r, i, &all[i % 2u], HEDDLE_MAP_SETTLE, 1);
        CHECK(give_wide(&r) == i);
    }
    CHECK(hd_line_fail(r.line, (hd_seg_point){HD_QUEUE_BODIES, n_before}, HEDDLE_EBODY) == (n_before < 3u));
    tell(&r, 0);
    CHECK_MSG(r.n_ended == ends, "a body behind point %u has failed: %x", n_before, r.n_ended);
    close_wide(&r);
}

/* A job between two others is dropped. The last one still comes after the first: also the row of it that the second device has, for which the
 * first device has yet to be given a slice. */
static void check_between(void)
{
    static const uint64_t pools[2] = {POOL, POOL};
    static const double weights[2] = {1, 1};
    static const wide rows = {A, OUT, 1}, all = {A, OUT, 0};
    static rig r;
    uint8_t unwritten[N_ARRAYS] = {0, 0};
    hd_line_job *between;
    open_wide(&r, pools, weights, 2);
    (void)start_wide(&r, 0, &rows, HEDDLE_MAP_SETTLE, 3);
    between = start_wide(&r, 1, &all, HEDDLE_MAP_SETTLE, 1);
    (void)start_wide(&r, 2, &rows, HEDDLE_MAP_SETTLE, 2);
    CHECK(give_wide(&r) == 0 && r.given.device == 0);
    r.ends = HEDDLE_EDEVICE;
    hd_line_drop_needing(r.line, between, unwritten, HEDDLE_EDEVICE);
    CHECK(r.n_ended == 1 && give_wide(&r) == 0 && r.given.device == 1);
    r.ends = HEDDLE_OK;
    tell(&r, 1);
    CHECK_MSG(give_wide(&r) == 0, "a row of the last job is written before the first one's");
    CHECK(give_wide(&r) == 2 && give_wide(&r) == 2 && give_wide(&r) == HD_NONE);
    close_wide(&r);
}

#define ALL            \
    {                  \
        N_ROWS, N_ROWS \
    }
int main(void)
{
    static const test tests[] = {
        {"rows that are written", 1, {{{OUT, IN}, ALL}}, 0, 1, {0, 0}},
        {"rows in place", 1, {{{INOUT, 0}, ALL}}, 0, 1, {0, 0}},
        {"rows in place, twice", 2, {{{INOUT, 0}, ALL}, {{INOUT, 0}, ALL}}, 0, 3, {0, 0}},
        {"rows in place that have gone on", 2, {{{INOUT, 0}, ALL}, {{INOUT, 0}, ALL}}, 2, 0, {0, 0}},
        {"rows in place, some of which have arrived", 2, {{{INOUT, 0}, ALL}, {{IN, OUT}, {2, 8}}}, 2, 0, {1, 0}},
        {"rows that were written again", 2, {{{OUT, 0}, ALL}, {{OUT, 0}, ALL}}, 0, 0, {0, 0}},
        {"rows that were written again, and done", 2, {{{OUT, 0}, ALL}, {{OUT, 0}, ALL}}, 2, 0, {0, 0}},
        {"some rows that were written again", 2, {{{OUT, 0}, ALL}, {{OUT, 0}, {5, 0}}}, 0, 0, {1, 0}},
        {"rows in place that were written again", 2, {{{INOUT, 0}, ALL}, {{OUT, 0}, ALL}}, 0, 0, {0, 0}},
        {"what was read was written again", 2, {{{IN, OUT}, ALL}, {{OUT, 0}, ALL}}, 0, 0, {0, 1}},
        {"three, in turn", 3, {{{IN, OUT}, ALL}, {{OUT, IN}, ALL}, {{IN, OUT}, ALL}}, 0, 7, {0, 0}},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        check_case(&tests[i]);
    check_fixed();
    check_order();
    check_passed();
    check_dropped();
    check_halves();
    check_between();
    check_least();
    check_failed(0, 0x07);
    check_failed(1, 0x16);
    check_failed(2, 0x34);
    check_failed(3, 0x70);
    return 0;
}
