/* SPDX-License-Identifier: MIT */
/* kept.c - what a run of a sequence has put into the queues: kept op by op, and compared with what another run has put there (sequence.h). */
#include "engine/multi/sequence.h"

static uint64_t *number_at(const hd_list *of, uint32_t queue) { return (uint64_t *)of->at + queue; }

int hd_kept_begin(hd_kept *k, const hd_jobs *j)
{
    uint32_t q;
    k->n_queues = j->n_devices * HD_N_ROLES;
    k->ops.n = k->waits.n = k->places.n = k->base.n = k->counts.n = 0;
    k->is_short = hd_list_room(&k->base, k->n_queues, sizeof(uint64_t)) ||
                  hd_list_room(&k->counts, k->n_queues, sizeof(uint64_t));
    if (k->is_short)
        return -1;
    for (q = 0; q < k->n_queues; q++) {
        *number_at(&k->base, q) = j->devices[q / HD_N_ROLES].given[q % HD_N_ROLES];
        *number_at(&k->counts, q) = 0;
    }
    return 0;
}

void hd_kept_clear(hd_kept *k)
{
    hd_list_clear(&k->ops);
    hd_list_clear(&k->waits);
    hd_list_clear(&k->places);
    hd_list_clear(&k->base);
    hd_list_clear(&k->counts);
}

static void add_op(hd_kept *k, const hd_seg_plan *plan, const hd_seg_op *o, const hd_given *given)
{
    const hd_request *r = given->job_user; /* NULL: what makes room has no body */
    hd_kept_op *to = hd_kept_at(k, k->ops.n++);
    memset(to, 0, sizeof *to);
    to->op = *o;
    to->op.first_wait = (uint32_t)k->waits.n;
    to->first_place = k->places.n;
    to->entry = r ? r->entry : HD_NONE;
    if (o->is_body) {
        to->block = given->block;
        to->n_places = (uint32_t)r->multi->loop->pieces.n;
    }
    if (o->n_waits)
        memcpy((hd_seg_point *)k->waits.at + k->waits.n, (const hd_seg_point *)plan->waits.at + o->first_wait,
               o->n_waits * sizeof(hd_seg_point));
    k->waits.n += o->n_waits;
    memcpy((hd_seg_place *)k->places.at + k->places.n, plan->places, to->n_places * sizeof(hd_seg_place));
    k->places.n += to->n_places;
    ++*number_at(&k->counts, o->point.queue);
}

void hd_kept_add(hd_kept *k, const hd_seg_plan *plan, const hd_given *given)
{
    uint64_t i;
    if (hd_list_room(&k->ops, plan->ops.n, sizeof(hd_kept_op)) ||
        hd_list_room(&k->waits, plan->waits.n, sizeof(hd_seg_point)) ||
        hd_list_room(&k->places, HD_SEGMENTS_MOST_USES, sizeof(hd_seg_place)))
        k->is_short = 1;
    for (i = 0; i < plan->ops.n && !k->is_short; i++)
        add_op(k, plan, (const hd_seg_op *)plan->ops.at + i, given);
}

/* ---- alike ------------------------------------------------------------------------------------------------------------------ */

static int has_same_waits(const hd_kept *a, const hd_kept_op *x, const hd_kept *b, const hd_kept_op *y)
{
    const hd_seg_point *v = (const hd_seg_point *)a->waits.at + x->op.first_wait;
    const hd_seg_point *w = (const hd_seg_point *)b->waits.at + y->op.first_wait;
    uint32_t i;
    if (x->op.n_waits != y->op.n_waits)
        return 0;
    for (i = 0; i < x->op.n_waits; i++)
        if (v[i].queue != w[i].queue ||
            v[i].number - hd_kept_number(&a->base, v[i].queue) != w[i].number - hd_kept_number(&b->base, w[i].queue))
            return 0;
    return 1;
}

static int is_same_move(const hd_seg_op *x, const hd_seg_op *y)
{
    return x->array == y->array && x->from == y->from && x->to == y->to &&
           !memcmp(&x->rect, &y->rect, sizeof x->rect) && x->from_at == y->from_at &&
           x->from_stride == y->from_stride && x->to_at == y->to_at && x->to_stride == y->to_stride;
}

static int is_same_body(const hd_kept *a, const hd_kept_op *x, const hd_kept *b, const hd_kept_op *y)
{
    return x->entry == y->entry && !memcmp(&x->block, &y->block, sizeof x->block) && x->n_places == y->n_places &&
           (!x->n_places ||
            !memcmp((const hd_seg_place *)a->places.at + x->first_place,
                    (const hd_seg_place *)b->places.at + y->first_place, x->n_places * sizeof(hd_seg_place)));
}

static int is_same(const hd_kept *a, const hd_kept_op *x, const hd_kept *b, const hd_kept_op *y)
{
    return x->op.is_body == y->op.is_body &&
           x->op.point.number - hd_kept_number(&a->base, x->op.point.queue) ==
               y->op.point.number - hd_kept_number(&b->base, y->op.point.queue) &&
           has_same_waits(a, x, b, y) && (x->op.is_body ? is_same_body(a, x, b, y) : is_same_move(&x->op, &y->op));
}

/* The next op of the queue, from *at on. */
static const hd_kept_op *next_of(const hd_kept *k, uint32_t queue, uint64_t *at)
{
    while (*at < k->ops.n && hd_kept_at(k, *at)->op.point.queue != queue)
        ++*at;
    return *at < k->ops.n ? hd_kept_at(k, (*at)++) : NULL;
}

static int is_queue_alike(const hd_kept *a, const hd_kept *b, uint32_t queue)
{
    uint64_t at_a = 0, at_b = 0;
    const hd_kept_op *x, *y;
    do {
        x = next_of(a, queue, &at_a);
        y = next_of(b, queue, &at_b);
        if (!x != !y || (x && !is_same(a, x, b, y)))
            return 0;
    } while (x);
    return 1;
}

int hd_kept_are_alike(const hd_kept *a, const hd_kept *b)
{
    uint32_t q;
    if (a->is_short || b->is_short || a->ops.n != b->ops.n || a->n_queues != b->n_queues || !a->ops.n)
        return 0;
    for (q = 0; q < a->n_queues; q++)
        if (!is_queue_alike(a, b, q))
            return 0;
    return 1;
}

/* ---- what it says ----------------------------------------------------------------------------------------------------------- */

int hd_kept_stays(const hd_kept *k)
{
    uint64_t i;
    for (i = 0; i < k->ops.n; i++)
        if (!hd_kept_at(k, i)->op.is_body &&
            (hd_kept_at(k, i)->op.from == HD_HOME || hd_kept_at(k, i)->op.to == HD_HOME))
            return 0;
    return 1;
}

void hd_kept_depends(const hd_kept *k, uint32_t n_devices, uint64_t *depends)
{
    uint64_t i;
    int changed = 1;
    for (i = 0; i <= n_devices; i++)
        depends[i] = i < n_devices ? 1ull << i : 0;
    while (changed)
        for (i = changed = 0; i < k->ops.n; i++) {
            const hd_seg_op *o = &hd_kept_at(k, i)->op;
            const uint32_t from = o->from == HD_HOME ? n_devices : o->from, to = o->to == HD_HOME ? n_devices : o->to;
            if (o->is_body || (depends[from] | depends[to]) == depends[to])
                continue;
            depends[to] |= depends[from];
            changed = 1;
        }
}
