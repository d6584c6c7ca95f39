/* SPDX-License-Identifier: MIT */
/* devices.c - queues, memories and the oracle (devices.h). */
#include "devices.h"

#include "engine/multi/directory.h"

#include <string.h>

#define NUMBERS 4096u /* bytes of an array, at most: the low part of a version */

static uint64_t place(const played_array *a, uint64_t row, uint64_t byte) { return row * a->row_bytes + byte; }
static uint32_t version_of(uint32_t version, const played_array *a, uint64_t row, uint64_t byte)
{
    return version * NUMBERS + (uint32_t)place(a, row, byte);
}

static uint32_t *words(uint64_t n)
{
    uint32_t *p = malloc(n * sizeof *p + 1);
    CHECK(p);
    for (uint64_t i = 0; i < n; i++)
        p[i] = GARBAGE;
    return p;
}

/* ---- coming and going ------------------------------------------------------------------------------------------------ */

void play_open(play *p, hd_next_use_fn next_use, void *user)
{
    const hd_segments_config c = {p->n_devices, p->pool_bytes, p->reach, next_use, user};
    CHECK(hd_segments_new(&p->s, &c) == HEDDLE_OK);
    for (uint32_t i = 0; i < p->n_devices; i++) {
        p->pools[i] = words(p->pool_bytes[i]);
        p->foreseen[i] = words(p->pool_bytes[i]);
    }
    for (uint32_t i = 0; i < MOST_QUEUES; i++)
        p->queues[i].lazy = (uint32_t)below(p, 4);
}

static void empty(played_queue *q)
{
    for (uint64_t i = 0; i < q->n; i++) {
        free(q->ops[i].expected);
        q->ops[i].expected = NULL;
    }
}

void play_close(play *p)
{
    hd_segments_delete(p->s);
    hd_seg_plan_clear(&p->plan);
    for (uint32_t i = 0; i < p->n_devices; i++) {
        free(p->pools[i]);
        free(p->foreseen[i]);
    }
    for (uint32_t i = 0; i < MOST_QUEUES; i++) {
        empty(&p->queues[i]);
        free(p->queues[i].ops);
    }
    for (uint32_t i = 0; i < MOST_ARRAYS; i++) {
        free(p->arrays[i].home);
        free(p->arrays[i].newest);
        free(p->arrays[i].foreseen);
    }
    for (uint64_t i = 0; i < p->n_bodies; i++) {
        free(p->bodies[i].found);
        free(p->bodies[i].before);
    }
    free(p->bodies);
}

/* The host writes. */
static void write_home(play *p, played_array *a, const hd_seg_rect *r)
{
    p->version++;
    for (uint64_t row = r->row; row < r->end_row; row++)
        for (uint64_t byte = r->byte; byte < r->end_byte; byte++)
            a->home[row * a->stride + byte] = a->foreseen[row * a->stride + byte] = a->newest[place(a, row, byte)] =
                version_of(p->version, a, row, byte);
}

void play_add(play *p, uint32_t array, uint64_t n_rows, uint64_t row_bytes, uint64_t stride)
{
    played_array *a = &p->arrays[array];
    const hd_seg_rect all = {0, n_rows, 0, row_bytes};
    CHECK(n_rows * row_bytes <= NUMBERS);
    *a = (played_array){.is_there = 1, .n_rows = n_rows, .row_bytes = row_bytes, .stride = stride};
    a->home = words(n_rows * stride);
    a->newest = words(n_rows * row_bytes);
    a->foreseen = words(n_rows * stride);
    CHECK(hd_segments_add(p->s, n_rows, row_bytes, stride, &a->id) == HEDDLE_OK);
    write_home(p, a, &all);
}

static void end_body(play *p, played_body *b)
{
    b->is_open = 0;
    hd_segments_ended(p->s, b->number);
}

static int has_array(const played_body *b, uint32_t id)
{
    for (uint32_t i = 0; i < b->n_uses; i++)
        if (b->uses[i].array == id)
            return 1;
    return 0;
}

void play_drop(play *p, uint32_t array)
{
    play_run_all(p); /* the host frees home */
    for (uint32_t q = 0; q < HD_N_ROLES * p->n_devices; q++)
        play_tell(p, q);
    for (uint64_t i = 0; i < p->n_bodies; i++)
        if (p->bodies[i].is_open && has_array(&p->bodies[i], p->arrays[array].id))
            end_body(p, &p->bodies[i]);
    hd_segments_drop(p->s, p->arrays[array].id);
    free(p->arrays[array].home);
    free(p->arrays[array].newest);
    free(p->arrays[array].foreseen);
    p->arrays[array] = (played_array){0};
}

static played_array *array_of(play *p, uint32_t id)
{
    for (uint32_t i = 0; i < MOST_ARRAYS; i++)
        if (p->arrays[i].is_there && p->arrays[i].id == id)
            return &p->arrays[i];
    CHECK(!"an array of this number");
    return NULL;
}

/* ---- the oracle ------------------------------------------------------------------------------------------------------ */

static uint64_t n_of(const hd_seg_rect *r) { return (r->end_row - r->row) * (r->end_byte - r->byte); }

static uint32_t *note(const played_array *a, const hd_seg_rect *r, uint32_t *out)
{
    for (uint64_t row = r->row; row < r->end_row; row++) {
        memcpy(out, &a->newest[place(a, row, r->byte)], (r->end_byte - r->byte) * sizeof *out);
        out += r->end_byte - r->byte;
    }
    return out;
}

int play_has_lost(const play *p, uint32_t array, const hd_seg_rect *r)
{
    const played_array *a = &p->arrays[array];
    for (uint64_t row = r->row; row < r->end_row; row++)
        for (uint64_t byte = r->byte; byte < r->end_byte; byte++)
            if (a->newest[place(a, row, byte)] == LOST)
                return 1;
    return 0;
}

static void set_newest(played_array *a, const hd_seg_rect *r, uint32_t version)
{
    for (uint64_t row = r->row; row < r->end_row; row++)
        for (uint64_t byte = r->byte; byte < r->end_byte; byte++)
            a->newest[place(a, row, byte)] = version_of(version, a, row, byte);
}

/* ---- what will be ---------------------------------------------------------------------------------------------------- */

static uint32_t *foreseen(play *p, uint32_t memory, uint32_t array)
{
    return memory == HD_HOME ? array_of(p, array)->foreseen : p->foreseen[memory];
}

static void foresee_move(play *p, const hd_seg_op *o)
{
    const uint32_t *from = foreseen(p, o->from, o->array) + o->from_at;
    uint32_t *to = foreseen(p, o->to, o->array) + o->to_at;
    for (uint64_t i = 0; i < o->rect.end_row - o->rect.row; i++)
        memcpy(to + i * o->to_stride, from + i * o->from_stride, (o->rect.end_byte - o->rect.byte) * sizeof *to);
}

static void foresee_write(play *p, const played_op *o, uint32_t use)
{
    const played_array *a = array_of(p, o->uses[use].array);
    const hd_seg_rect *r = &o->uses[use].rect;
    uint32_t *at = p->foreseen[o->op.point.queue / HD_N_ROLES] + o->places[use].at;
    for (uint64_t row = r->row; row < r->end_row; row++, at += o->places[use].stride)
        for (uint64_t byte = r->byte; byte < r->end_byte; byte++)
            at[byte - r->byte] = version_of(o->version, a, row, byte);
}

/* ---- ops come into queues -------------------------------------------------------------------------------------------- */

static played_op *put(play *p, const hd_seg_op *op)
{
    played_queue *q = &p->queues[op->point.queue];
    played_op *o;
    CHECK(op->point.queue < HD_N_ROLES * p->n_devices && op->point.number == q->n + 1);
    CHECK(!p->is_lost[op->point.queue / HD_N_ROLES] && op->n_waits <= MOST_QUEUES);
    if (q->n == q->cap) {
        q->cap = q->cap ? 2 * q->cap : 8;
        q->ops = realloc(q->ops, q->cap * sizeof *q->ops);
        CHECK(q->ops);
    }
    o = &q->ops[q->n++];
    o->op = *op;
    o->n_uses = o->version = o->is_suspect = 0;
    o->expected = NULL;
    memcpy(o->waits, (const hd_seg_point *)p->plan.waits.at + op->first_wait, op->n_waits * sizeof *o->waits);
    for (uint32_t i = 0; i < op->n_waits; i++) /* for what was given before, by other queues */
        CHECK(o->waits[i].queue != op->point.queue && o->waits[i].number <= p->queues[o->waits[i].queue].n &&
              !p->is_lost[o->waits[i].queue / HD_N_ROLES]);
    return o;
}

static void put_move(play *p, const hd_seg_op *op)
{
    played_op *o = put(p, op);
    const played_array *a = array_of(p, op->array);
    CHECK(op->rect.end_row <= a->n_rows && op->rect.end_byte <= a->row_bytes && n_of(&op->rect) > 0);
    CHECK(op->point.queue ==
          (op->to == HD_HOME ? hd_seg_queue(op->from, HD_QUEUE_OUT) : hd_seg_queue(op->to, HD_QUEUE_IN)));
    CHECK(op->to == HD_HOME || op->from == HD_HOME || op->from == op->to || p->reach[op->to * p->n_devices + op->from]);
    o->n_expected = n_of(&op->rect);
    o->expected = words(o->n_expected);
    (void)note(a, &op->rect, o->expected);
    foresee_move(p, op);
}

static uint32_t *note_all(play *p, const hd_seg_use *uses, uint32_t n, heddle_mode mode, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        if (uses[i].mode & mode)
            out = note(array_of(p, uses[i].array), &uses[i].rect, out);
    return out;
}

static void keep_body(play *p, const played_op *o)
{
    played_body *b;
    p->bodies = realloc(p->bodies, (p->n_bodies + 1) * sizeof *b);
    CHECK(p->bodies);
    b = &p->bodies[p->n_bodies++];
    *b = (played_body){
        .number = p->plan.body, .point = o->op.point, .n_uses = o->n_uses, .version = o->version, .is_open = 1};
    b->found = words(o->n_expected);
    b->before = words(o->n_expected);
    CHECK(p->n_bodies < 2 || b[-1].number < b->number);
    memcpy(b->uses, o->uses, o->n_uses * sizeof *b->uses);
    b->n_found = (uint64_t)(note_all(p, b->uses, b->n_uses, HEDDLE_MODE_IN, b->found) - b->found);
    (void)note_all(p, b->uses, b->n_uses, HEDDLE_MODE_OUT, b->before);
}

static void put_body(play *p, const hd_seg_op *op, const hd_seg_use *uses, uint32_t n, uint32_t version)
{
    played_op *o = put(p, op);
    o->n_uses = n;
    o->version = version;
    o->n_expected = 0;
    memcpy(o->uses, uses, n * sizeof *uses);
    memcpy(o->places, p->plan.places, n * sizeof *o->places);
    for (uint32_t i = 0; i < n; i++)
        o->n_expected += n_of(&uses[i].rect);
    o->expected = words(o->n_expected);
    (void)note_all(p, uses, n, HEDDLE_MODE_IN, o->expected);
    keep_body(p, o);
    for (uint32_t i = 0; i < n; i++)
        if (uses[i].mode & HEDDLE_MODE_OUT) {
            set_newest(array_of(p, uses[i].array), &uses[i].rect, o->version);
            foresee_write(p, o, i);
        }
}

/* Returns the body's op, if there is one. */
static const hd_seg_op *put_moves(play *p)
{
    for (uint64_t i = 0; i < p->plan.ops.n; i++) {
        const hd_seg_op *op = (const hd_seg_op *)p->plan.ops.at + i;
        if (op->is_body) {
            CHECK(i + 1 == p->plan.ops.n);
            return op;
        }
        put_move(p, op);
    }
    return NULL;
}

/* ---- ops are done ---------------------------------------------------------------------------------------------------- */

/* A memory and where the rect is in it. */
typedef struct part {
    uint32_t *at;
    uint64_t stride, n_rows, n_bytes;
} part;

static part part_of(play *p, uint32_t memory, uint32_t array, const hd_seg_rect *r, uint64_t at, uint64_t stride)
{
    const played_array *a = array_of(p, array);
    const part x = {(memory == HD_HOME ? a->home : p->pools[memory]) + at, stride, r->end_row - r->row,
                    r->end_byte - r->byte};
    const uint64_t end = at + (x.n_rows - 1) * stride + x.n_bytes;
    CHECK(end <= (memory == HD_HOME ? a->n_rows * a->stride : p->pool_bytes[memory]) && x.n_bytes <= stride);
    return x;
}

/* 1: all is as expected. */
static int compare(const part *x, const uint32_t *expected)
{
    int same = 1;
    for (uint64_t i = 0; i < x->n_rows; i++)
        same &= !memcmp(x->at + i * x->stride, expected + i * x->n_bytes, x->n_bytes * sizeof *expected);
    return same;
}

static void do_move(play *p, const played_op *o)
{
    const hd_seg_op *op = &o->op;
    const part from = part_of(p, op->from, op->array, &op->rect, op->from_at, op->from_stride);
    const part to = part_of(p, op->to, op->array, &op->rect, op->to_at, op->to_stride);
    CHECK_MSG(compare(&from, o->expected) || o->is_suspect, "moved %d -> %d by queue %u", (int)op->from, (int)op->to,
              op->point.queue);
    for (uint64_t i = 0; i < from.n_rows; i++)
        memcpy(to.at + i * to.stride, from.at + i * from.stride, from.n_bytes * sizeof *to.at);
}

static int body_finds(play *p, const played_op *o)
{
    const uint32_t *expected = o->expected;
    const uint32_t device = o->op.point.queue / HD_N_ROLES;
    int same = 1;
    for (uint32_t i = 0; i < o->n_uses; i++)
        if (o->uses[i].mode & HEDDLE_MODE_IN) {
            const hd_seg_use *u = &o->uses[i];
            const part x = part_of(p, device, u->array, &u->rect, o->places[i].at, o->places[i].stride);
            same &= compare(&x, expected);
            expected += n_of(&u->rect);
        }
    return same;
}

static void body_writes(play *p, const played_op *o, const hd_seg_use *u, const hd_seg_place *at, int is_right)
{
    const played_array *a = array_of(p, u->array);
    const part x = part_of(p, o->op.point.queue / HD_N_ROLES, u->array, &u->rect, at->at, at->stride);
    for (uint64_t i = 0; i < x.n_rows; i++)
        for (uint64_t k = 0; k < x.n_bytes; k++)
            x.at[i * x.stride + k] = is_right ? version_of(o->version, a, u->rect.row + i, u->rect.byte + k) : GARBAGE;
}

static void do_body(play *p, const played_op *o)
{
    const int is_right = body_finds(p, o);
    CHECK_MSG(is_right || o->is_suspect, "body %llu of queue %u reads what is not the newest",
              (unsigned long long)o->op.point.number, o->op.point.queue);
    for (uint32_t i = 0; i < o->n_uses; i++)
        if (o->uses[i].mode & HEDDLE_MODE_OUT)
            body_writes(p, o, &o->uses[i], &o->places[i], is_right);
}

static void run_next(play *p, uint32_t queue)
{
    played_queue *q = &p->queues[queue];
    played_op *o = &q->ops[q->n_passed++];
    if (o->op.is_body)
        do_body(p, o);
    else
        do_move(p, o);
    free(o->expected);
    o->expected = NULL;
    p->n_done++;
}

static int can_run(const play *p, uint32_t queue)
{
    const played_queue *q = &p->queues[queue];
    const played_op *o = &q->ops[q->n_passed];
    if (q->n_passed == q->n)
        return 0;
    for (uint32_t i = 0; i < o->op.n_waits; i++)
        if (p->queues[o->waits[i].queue].n_passed < o->waits[i].number)
            return 0;
    return 1;
}

void play_run(play *p, uint64_t n)
{
    while (n-- > 0) {
        const uint32_t q = (uint32_t)below(p, HD_N_ROLES * p->n_devices);
        if (below(p, 4) >= p->queues[q].lazy && can_run(p, q))
            run_next(p, q);
    }
}

void play_rush(play *p, hd_seg_point until)
{
    played_queue *q = &p->queues[until.queue];
    CHECK(until.number <= q->n);
    while (q->n_passed < until.number) {
        const uint64_t at = q->n_passed;
        for (uint32_t i = 0; i < q->ops[at].op.n_waits; i++)
            play_rush(p, q->ops[at].waits[i]);
        CHECK(q->n_passed == at); /* no circle */
        run_next(p, until.queue);
    }
}

void play_run_all(play *p)
{
    const uint32_t from = (uint32_t)below(p, HD_N_ROLES * p->n_devices);
    for (uint32_t i = 0; i < HD_N_ROLES * p->n_devices; i++) {
        const uint32_t q = (from + i) % (HD_N_ROLES * p->n_devices);
        play_rush(p, (hd_seg_point){q, p->queues[q].n});
    }
}

void play_tell(play *p, uint32_t queue)
{
    const uint64_t n_passed = p->queues[queue].n_passed;
    hd_segments_done(p->s, (hd_seg_point){queue, n_passed});
    for (uint64_t i = 0; i < p->n_bodies; i++) {
        played_body *b = &p->bodies[i];
        if (b->is_open && b->point.queue == queue && b->point.number <= n_passed && below(p, 4))
            end_body(p, b);
    }
}

/* The host waits for what it was told to wait for, and for nothing else. */
static void wait(play *p)
{
    for (uint32_t i = 0; i < p->plan.n_host_waits; i++) {
        const hd_seg_point until = ((const hd_seg_point *)p->plan.waits.at)[p->plan.first_host_wait + i];
        if (below(p, 2))
            play_run(p, below(p, 20));
        play_rush(p, until);
        if (below(p, 2))
            play_tell(p, until.queue);
    }
}

/* ---- calls ----------------------------------------------------------------------------------------------------------- */

static uint64_t index_of(const play *p, uint32_t id) { return (uint64_t)(array_of((play *)p, id) - p->arrays); }

/* Rows need at most this in a window of their own: they have room beside all others then. */
static uint64_t most_bytes(const play *p, const hd_seg_use *u)
{
    const played_array *a = &p->arrays[index_of(p, u->array)];
    return hd_slab_round(HD_SLAB_UNIT - 1 + (u->rect.end_row - u->rect.row - 1) * a->stride + a->row_bytes);
}

static void check_given(const play *p, const hd_seg_use *uses, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const hd_seg_place *at = &p->plan.places[i];
        const played_array *a = &p->arrays[index_of(p, uses[i].array)];
        CHECK(at->stride == a->stride || (uses[i].is_packed && at->stride % 16 == 0));
        CHECK((at->at - uses[i].rect.row * at->stride - uses[i].rect.byte) % HD_SLAB_UNIT == 0);
    }
}

static heddle_status give(play *p, uint32_t device, const hd_seg_use *uses, uint32_t n, uint32_t version)
{
    const heddle_status status =
        hd_segments_give(p->s, device, below(p, 2) ? HD_QUEUE_BODIES : HD_QUEUE_BODIES_2, uses, n, &p->plan);
    const hd_seg_op *body = put_moves(p);
    const uint64_t pool = p->pool_bytes[device] / HD_SLAB_UNIT * HD_SLAB_UNIT;
    uint64_t most = 0;
    int has_lost = p->is_lost[device];
    for (uint32_t i = 0; i < n; i++) {
        most += most_bytes(p, &uses[i]);
        has_lost |=
            (uses[i].mode & HEDDLE_MODE_IN) && play_has_lost(p, (uint32_t)index_of(p, uses[i].array), &uses[i].rect);
    }
    CHECK((status == HEDDLE_EDEVICE) == has_lost);
    CHECK((status == HEDDLE_OK) == (body != NULL));
    CHECK_MSG(status != HEDDLE_ERANGE || (p->plan.need_bytes > pool && p->plan.ops.n == 0 && most > pool),
              "%llu of %llu", (unsigned long long)p->plan.need_bytes, (unsigned long long)pool);
    CHECK(status == HEDDLE_OK || p->plan.ops.n == 0 || status == HEDDLE_ENOMEM);
    if (!body)
        return status;
    check_given(p, uses, n);
    put_body(p, body, uses, n, version);
    return status;
}

heddle_status play_give(play *p, uint32_t device, const hd_seg_use *uses, uint32_t n)
{
    return give(p, device, uses, n, ++p->version);
}

heddle_status play_fetch(play *p, uint32_t array, const hd_seg_rect *rect)
{
    const played_array *a = &p->arrays[array];
    const heddle_status status = hd_segments_fetch(p->s, a->id, rect, &p->plan);
    uint32_t *expected = words(n_of(rect));
    part home;
    (void)put_moves(p);
    CHECK((status == HEDDLE_EDEVICE) == play_has_lost(p, array, rect));
    if (status == HEDDLE_OK) {
        wait(p);
        home = part_of(p, HD_HOME, a->id, rect, rect->row * a->stride + rect->byte, a->stride);
        (void)note(a, rect, expected);
        CHECK_MSG(compare(&home, expected), "home is not the newest");
    }
    free(expected);
    return status;
}

heddle_status play_wrote(play *p, uint32_t array, const hd_seg_rect *rect)
{
    const heddle_status status = hd_segments_wrote(p->s, p->arrays[array].id, rect, &p->plan);
    (void)put_moves(p);
    if (status != HEDDLE_OK)
        return status;
    wait(p);
    write_home(p, &p->arrays[array], rect);
    return status;
}

heddle_status play_tidy(play *p, uint32_t device)
{
    const heddle_status status = hd_segments_tidy(p->s, device, &p->plan);
    (void)put_moves(p);
    return status;
}

/* ---- a device is lost ------------------------------------------------------------------------------------------------ */

/* The version that the byte had before the body wrote it; 0: the body does not. */
static uint32_t before_of(play *p, const played_body *b, const played_array *a, uint64_t row, uint64_t byte)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < b->n_uses; i++) {
        const hd_seg_rect *r = &b->uses[i].rect;
        if (!(b->uses[i].mode & HEDDLE_MODE_OUT))
            continue;
        if (array_of(p, b->uses[i].array) == a && r->row <= row && row < r->end_row && r->byte <= byte &&
            byte < r->end_byte)
            return b->before[at + (row - r->row) * (r->end_byte - r->byte) + byte - r->byte];
        at += n_of(r);
    }
    return 0;
}

static int is_again(const play *p, const played_body *b) { return b->is_open && hd_segments_is_again(p->s, b->number); }

/* What the version is instead of, if the body that wrote it is given again; else 0. It may have been given several times. */
static uint32_t undone(play *p, const played_array *a, uint64_t row, uint64_t byte, uint32_t version)
{
    for (uint64_t i = p->n_bodies; i-- > 0;)
        if (version == version_of(p->bodies[i].version, a, row, byte))
            return is_again(p, &p->bodies[i]) ? before_of(p, &p->bodies[i], a, row, byte) : 0;
    return 0;
}

/* The newest but for bodies that are given again. */
static uint32_t right_of(play *p, const played_array *a, uint64_t row, uint64_t byte)
{
    uint32_t now = a->newest[place(a, row, byte)], before = now;
    while (before) {
        now = before;
        before = undone(p, a, row, byte, now);
    }
    return now;
}

/* Is an op that may not be done, as far as the directory knows, to write it at home? */
static int is_on_its_way(const play *p, const played_array *a, uint64_t row, uint64_t byte)
{
    for (uint32_t q = 0; q < HD_N_ROLES * p->n_devices; q++)
        for (uint64_t i = p->s->clocks.done[q]; i < p->queues[q].n; i++) {
            const hd_seg_op *o = &p->queues[q].ops[i].op;
            if (!o->is_body && o->to == HD_HOME && o->array == a->id && o->rect.row <= row && row < o->rect.end_row &&
                o->rect.byte <= byte && byte < o->rect.end_byte)
                return 1;
        }
    return 0;
}

/* Nothing is lost that home still has. After an earlier loss that need not be so: what was on its way home then is not trusted. */
static void hear(void *user, uint32_t array, const hd_seg_rect *r)
{
    play *p = user;
    played_array *a = array_of(p, array);
    for (uint64_t row = r->row; row < r->end_row; row++)
        for (uint64_t byte = r->byte; byte < r->end_byte; byte++) {
            CHECK(a->newest[place(a, row, byte)] != LOST);
            CHECK_MSG(p->n_lost || a->home[row * a->stride + byte] != right_of(p, a, row, byte) ||
                          is_on_its_way(p, a, row, byte),
                      "home has row %llu", (unsigned long long)row);
            a->newest[place(a, row, byte)] = LOST;
        }
}

static const hd_seg_copy *valid_of(const play *p, const hd_seg_cell *c)
{
    for (uint64_t i = 0; i < c->copies.n; i++)
        if (hd_seg_copy_at(p->s, c, i)->is_valid)
            return hd_seg_copy_at(p->s, c, i);
    return NULL;
}

static uint32_t foreseen_at(const play *p, const hd_seg_window *w, const played_array *a, uint64_t row, uint64_t byte)
{
    return w ? p->foreseen[w->device][w->at + (row - w->rect.row) * w->stride + byte - w->rect.byte]
             : a->foreseen[row * a->stride + byte];
}

/* What is valid now is the newest. */
static void take_over(play *p, played_array *a, const hd_seg_rect *r, const hd_seg_window *w)
{
    for (uint64_t row = r->row; row < r->end_row; row++)
        for (uint64_t byte = r->byte; byte < r->end_byte; byte++) {
            uint32_t *now = &a->newest[place(a, row, byte)];
            const uint32_t version = foreseen_at(p, w, a, row, byte);
            CHECK_MSG(version == right_of(p, a, row, byte), "row %llu is valid with version %u instead of %u",
                      (unsigned long long)row, version / NUMBERS, *now / NUMBERS);
            p->n_undone += version != *now;
            *now = version;
        }
}

static void take_over_array(play *p, played_array *a)
{
    const hd_seg_rect all = {0, a->n_rows, 0, a->row_bytes};
    hd_seg_walk walk = hd_seg_walk_begin(hd_seg_array_of(p->s, a->id), &all);
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk));) {
        const hd_seg_rect r = hd_seg_walk_rect(&walk);
        if (valid_of(p, c))
            take_over(p, a, &r, valid_of(p, c)->window);
        else
            CHECK(a->newest[place(a, r.row, r.byte)] == LOST);
    }
}

static uint32_t other_device(play *p)
{
    const uint32_t from = (uint32_t)below(p, p->n_devices);
    for (uint32_t i = 0; i < p->n_devices; i++)
        if (!p->is_lost[(from + i) % p->n_devices])
            return (from + i) % p->n_devices;
    return from;
}

/* In the order in which they were given first, which is that of their versions. */
static void sort_by_version(const play *p, uint64_t *again, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++)
        for (uint64_t k = i; k > 0 && p->bodies[again[k - 1]].version > p->bodies[again[k]].version; k--) {
            const uint64_t other = again[k];
            again[k] = again[k - 1];
            again[k - 1] = other;
        }
}

/* One that cannot be given again ends all; then others, in later losses, need not find what they found. */
static void give_again(play *p, const uint64_t *again, uint64_t n)
{
    int goes_on = below(p, 4) != 0;
    for (uint64_t i = 0; i < n; i++) {
        const played_body b = p->bodies[again[i]];
        goes_on = goes_on && give(p, other_device(p), b.uses, b.n_uses, b.version) == HEDDLE_OK;
        p->has_dropped |= !goes_on;
        if (!goes_on)
            return;
        CHECK_MSG(p->has_dropped || !memcmp(p->bodies[p->n_bodies - 1].found, b.found, b.n_found * sizeof *b.found),
                  "what body %llu reads is not as it was", (unsigned long long)b.number);
        p->n_again++;
        play_run(p, below(p, 4));
    }
}

static void sort_out(play *p, uint32_t device)
{
    uint64_t *again = malloc(p->n_bodies * sizeof *again + 1), n = 0;
    CHECK(again);
    for (uint64_t i = 0; i < p->n_bodies; i++)
        if (is_again(p, &p->bodies[i]))
            again[n++] = i;
    for (uint64_t i = 0; i < n; i++)
        p->bodies[again[i]].is_open = 0;
    for (uint64_t i = 0; i < p->n_bodies; i++)
        if (p->bodies[i].is_open && p->bodies[i].point.queue / HD_N_ROLES == device)
            end_body(p, &p->bodies[i]);
    sort_by_version(p, again, n);
    give_again(p, again, n);
    free(again);
}

void play_lose(play *p, uint32_t device)
{
    hd_segments_lost(p->s, device, hear, p);
    p->is_lost[device] = 1;
    p->n_lost++;
    for (uint32_t i = 0; i < MOST_ARRAYS; i++)
        if (p->arrays[i].is_there)
            take_over_array(p, &p->arrays[i]);
    for (uint64_t i = 0; i < p->pool_bytes[device]; i++)
        p->pools[device][i] = GARBAGE;
    for (uint32_t q = 0; q < HD_N_ROLES * p->n_devices; q++)
        for (uint64_t i = p->queues[q].n_passed; i < p->queues[q].n; i++)
            p->queues[q].ops[i].is_suspect = 1;
    for (uint32_t q = HD_N_ROLES * device; q < HD_N_ROLES * (device + 1); q++)
        p->queues[q].n_passed = p->queues[q].n;
    sort_out(p, device);
}

/* ---- books ----------------------------------------------------------------------------------------------------------- */

static void check_pool(const play *p, uint32_t device)
{
    const hd_seg_device *d = &p->s->devices[device];
    uint64_t at = 0, used = 0, n_taken = 0;
    for (const hd_slab_extent *b = d->slab.first; b; b = b->next) {
        CHECK(b->at == at && b->n_bytes > 0);
        at += b->n_bytes;
        used += b->is_free ? 0 : b->n_bytes;
        n_taken += !b->is_free;
    }
    CHECK(at == d->slab.n_bytes && at <= p->pool_bytes[device] && used == hd_segments_used(p->s, device));
    CHECK(n_taken == d->windows.n);
    for (uint64_t i = 0; i < d->windows.n; i++) {
        const hd_seg_window *w = ((hd_seg_window **)d->windows.at)[i];
        const uint64_t rows = w->rect.end_row - w->rect.row,
                       end = w->at + (rows - 1) * w->stride + w->rect.end_byte - w->rect.byte;
        CHECK(!w->extent->is_free && w->extent->at <= w->at && end <= w->extent->at + w->extent->n_bytes);
    }
}

static void check_cell(const play *p, const hd_seg_cell *c, const hd_seg_rect *r)
{
    for (uint64_t i = 0; i < c->copies.n; i++) {
        const hd_seg_copy *copy = hd_seg_copy_at(p->s, c, i);
        CHECK((copy->window == NULL) == (i == 0));
        CHECK(!copy->window || hd_seg_rect_contains(&copy->window->rect, r));
        CHECK(hd_seg_copy_in(p->s, c, copy->window) == copy);
    }
}

static uint64_t check_array(const play *p, const played_array *x)
{
    const hd_seg_array *a = hd_seg_array_of(p->s, x->id);
    const hd_seg_rect all = {0, a->n_rows, 0, a->row_bytes};
    hd_seg_walk walk = hd_seg_walk_begin(a, &all);
    uint64_t n_cells = 0, n_bytes = 0;
    for (hd_seg_cell *c; (c = hd_seg_walk_next(&walk)); n_cells++) {
        const hd_seg_rect r = hd_seg_walk_rect(&walk);
        CHECK(r.row < r.end_row && r.byte < r.end_byte);
        n_bytes += n_of(&r);
        check_cell(p, c, &r);
    }
    CHECK(n_bytes == n_of(&all));
    return n_cells;
}

void play_check_books(const play *p)
{
    uint64_t n_cells = 0;
    for (uint32_t i = 0; i < p->n_devices; i++)
        check_pool(p, i);
    for (uint32_t i = 0; i < MOST_ARRAYS; i++)
        n_cells += p->arrays[i].is_there ? check_array(p, &p->arrays[i]) : 0;
    CHECK(n_cells == p->s->n_cells);
}
