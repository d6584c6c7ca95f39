/* SPDX-License-Identifier: MIT */
/* ahead.c - a product of matrices in a pool of an eighth of its data, as the line (src/engine/multi/line.h) gives it to a device: jobs are panels, each of
 * 2 x 2 blocks of C, and all are started at once. The panels that a body needs come while those before it run, and each comes about as
 * often as a block of C needs it. */
#include "check.h"
#include "engine/multi/line.h"

#define SIDE 512u /* rows and columns of fp32 */
#define BLOCK (SIDE / 2u)
#define PANEL 20u
#define PANELS ((SIDE + PANEL - 1u) / PANEL)
#define BYTES (4ull * SIDE * SIDE)
#define POOL (3 * BYTES / 8)
#define MOST_UNDER_WAY 8u

enum { A, B, C, N_ARRAYS };

typedef struct rig {
    hd_line *line;
    hd_given given;
    hd_line_kind *kinds[PANELS];
    uint32_t panels[PANELS];
    hd_seg_point bodies[MOST_UNDER_WAY]; /* the oldest first */
    uint64_t in[MOST_UNDER_WAY];         /* for each, the last copy in before it */
    uint32_t n_under_way, n_ended;
    hd_grains block; /* of the slice given last */
    uint32_t n_blocks, n_slices, n_late;
} rig;

static void uses_of(const void *self, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home)
{
    const uint64_t k = *(const uint32_t *)self * PANEL, end_k = k + PANEL < SIDE ? k + PANEL : SIDE;
    const uint64_t row = b->begin * BLOCK, end_row = b->end * BLOCK, column = b->begin_2 * BLOCK,
                   end_column = b->end_2 * BLOCK;
    const hd_seg_rect rects[N_ARRAYS] = {{row, end_row, 4 * k, 4 * end_k},
                                         {k, end_k, 4 * column, 4 * end_column},
                                         {row, end_row, 4 * column, 4 * end_column}};
    for (uint32_t i = 0; i < N_ARRAYS; i++) {
        out[i] =
            (hd_seg_use){i, i == C ? k ? HEDDLE_MODE_INOUT : HEDDLE_MODE_OUT : HEDDLE_MODE_IN, rects[i], rects[i], 1};
        comes_home[i] = 0;
    }
}

static void note_end(void *user, hd_line_job *j, void *job_user, heddle_status status)
{
    (void)j, (void)job_user;
    CHECK(status == HEDDLE_OK);
    ((rig *)user)->n_ended++;
}

static void open_rig(rig *r)
{
    static const uint64_t pool = POOL;
    static const double weight = 1;
    const hd_line_config c = {1, &weight, &pool, NULL, 2, 0, note_end, r, NULL};
    uint32_t array;
    CHECK(hd_line_new(&r->line, &c) == HEDDLE_OK);
    for (uint32_t i = 0; i < N_ARRAYS; i++)
        CHECK(hd_segments_add(hd_line_segments(r->line), SIDE, 4 * SIDE, 4 * SIDE, &array) == HEDDLE_OK && array == i);
    for (uint32_t i = 0; i < PANELS; i++) {
        const hd_line_kind_config kind = {.n = 2,
                                          .n_2 = 2,
                                          .map = HEDDLE_MAP_SETTLE,
                                          .n_tasks = 2,
                                          .n_tasks_2 = 2,
                                          .n_uses = N_ARRAYS,
                                          .uses = uses_of,
                                          .self = &r->panels[i],
                                          .family = 1};
        hd_line_job *j;
        r->panels[i] = i;
        CHECK(hd_kind_new(r->line, &kind, &r->kinds[i]) == HEDDLE_OK);
        CHECK(hd_line_start(r->line, r->kinds[i], NULL, &j) == HEDDLE_OK);
    }
}

static void close_rig(rig *r)
{
    for (uint32_t i = 0; i < PANELS; i++)
        hd_kind_delete(r->kinds[i]);
    hd_seg_plan_clear(&r->given.plan);
    hd_line_delete(r->line);
}

static int waits_for_body(const rig *r, const hd_seg_op *o)
{
    const hd_seg_point *w = (const hd_seg_point *)r->given.plan.waits.at + o->first_wait;
    for (uint32_t i = 0; i < o->n_waits; i++)
        if (hd_queue_is_of_bodies(w[i].queue))
            return 1;
    return 0;
}

/* Waits for bodies that have ended are not in plans. */
static void note_slice(rig *r)
{
    const hd_grains *b = &r->given.block;
    const int is_next = r->n_slices && b->begin == r->block.begin && b->begin_2 == r->block.begin_2;
    const hd_seg_op *o = r->given.plan.ops.at;
    uint64_t i, in = 0;
    for (i = 0; i < r->given.plan.ops.n; i++) {
        in = o[i].point.queue == HD_QUEUE_IN ? o[i].point.number : in;
        r->n_late += is_next && !o[i].is_body && o[i].to == 0 && waits_for_body(r, &o[i]);
    }
    CHECK(r->n_under_way < MOST_UNDER_WAY);
    r->in[r->n_under_way] = in;
    r->bodies[r->n_under_way++] = o[i - 1u].point;
    r->block = *b;
    r->n_slices++;
    r->n_blocks += !is_next;
}

static void give_all(rig *r)
{
    int given = 1;
    while (given) {
        CHECK(hd_line_give(r->line, &r->given, &given, 0) == HEDDLE_OK);
        if (given && r->given.job)
            note_slice(r);
    }
}

/* The oldest body ends; so has what it waited for, and what went home before it. */
static void end_one(rig *r)
{
    const hd_seg_point in = {HD_QUEUE_IN, r->in[0]};
    CHECK(r->n_under_way);
    CHECK(!in.number || hd_line_passed(r->line, in, 0) == HEDDLE_OK);
    CHECK(hd_line_passed(r->line, r->bodies[0], 0) == HEDDLE_OK);
    r->n_under_way--;
    for (uint32_t i = 0; i < r->n_under_way; i++) {
        r->bodies[i] = r->bodies[i + 1u];
        r->in[i] = r->in[i + 1u];
    }
}

int main(void)
{
    static rig r;
    uint64_t in;
    open_rig(&r);
    for (give_all(&r); r.n_ended < PANELS; give_all(&r))
        end_one(&r);
    in = hd_segments_moved(hd_line_segments(r.line), HD_HOME, 0);
    printf("%u slices in %u blocks, %u copies late, %.3f of the bytes\n", r.n_slices, r.n_blocks, r.n_late,
           (double)in / (4.0 * BYTES));
    CHECK(r.n_slices == 4 * PANELS && r.n_blocks == 4);
    CHECK_MSG(r.n_late <= 4, "%u copies wait for the body before", r.n_late);
    CHECK((double)in <= 1.1 * 4.0 * BYTES);
    close_rig(&r);
    return 0;
}
