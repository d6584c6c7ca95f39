/* SPDX-License-Identifier: MIT */
/* cut.c - the slices of a job, and which device has which.
 *
 * settle, static: a device has a share, an interval of grains. A share is one slice, unless much of what it touches is elsewhere: then it is cut,
 * so that the first slices run while the others' rows are on their way; or unless only its ends need rows of neighbours: then these come first; or unless it needs more than a part of the pool: then slices are
 * so small that the next two fit beside the one that runs. Others are cut into a number of equal tasks.
 *
 * free: tasks, too, and each is in the share that has its middle; others may take it from there (line_give.c). fixed: a task has the device
 * that has run it in the first job.
 *
 * When a device is lost, any other one may take its slices. Such as are too large for one of these are cut anew. */
#include "engine/multi/line_inside.h"

#define COMES_BYTES (32ull << 20) /* of a slice: a link is busy with it for most of a millisecond */
#define MOST_PARTS 16u            /* of a share, for the sake of overlap */
#define OF_POOL 4u                /* a slice needs at most so little of the pool, if that can be */
#define GIVE_NS 10000u            /* the host needs to give the ops of a share that is cut into ends and the rest */
#define TASKS_EACH 8u             /* of a device, if anybody may take them */
#define LEAST_GRAINS 8u           /* of a share that is cut so */

static uint64_t over(uint64_t x, uint64_t by) { return by ? (x + by - 1u) / by : 0; }

hd_grains hd_cut_share(const hd_line_kind *k, uint32_t device)
{
    return (hd_grains){k->family->bounds[device], k->family->bounds[device + 1u], 0, k->config.n_2};
}

/* ---- how many ----------------------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const hd_line_kind *k, const hd_grains *b)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    uint64_t n = 0;
    uint32_t i;
    hd_kind_uses(k, b, uses, comes_home);
    for (i = 0; i < k->config.n_uses; i++)
        n += hd_segments_room(k->line->segments, &uses[i]);
    return n;
}

static uint64_t missing(const hd_line_kind *k, uint32_t device, const hd_grains *b)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    hd_kind_uses(k, b, uses, comes_home);
    return hd_segments_missing(k->line->segments, device, uses, k->config.n_uses);
}

int hd_cut_fits(const hd_line_kind *k, uint32_t device, const hd_grains *block)
{
    const uint64_t pool = k->line->pool_bytes[device];
    return bytes_of(k, block) <= pool - pool / 8u;
}

/* Slices of a share that are each small enough: what all slices read is in each of them. */
static uint64_t parts_by_room(const hd_line_kind *k, uint32_t device, const hd_grains *share)
{
    const uint64_t grains = share->end - share->begin, room = k->line->pool_bytes[device] / OF_POOL;
    const hd_grains one = {share->begin, share->begin + 1u, 0, k->config.n_2};
    const uint64_t least = bytes_of(k, &one);
    if (hd_cut_fits(k, device, share))
        return 1;
    return room > least ? over((bytes_of(k, share) - least), (room - least)) : grains;
}

static uint64_t parts_of(const hd_line_kind *k, uint32_t device)
{
    const hd_grains share = hd_cut_share(k, device);
    const uint64_t grains = share.end - share.begin;
    uint64_t n, by_link;
    if (!grains)
        return 0;
    n = parts_by_room(k, device, &share);
    by_link = hd_at_most(missing(k, device, &share) / COMES_BYTES, MOST_PARTS);
    n = n > by_link ? n : by_link;
    return n ? hd_at_most(n, grains) : 1;
}

/* The least slice that a job can be cut into; one in the middle, by both indices, has all of its halo. */
static hd_grains least_block(const hd_line_kind *k, int in_the_middle)
{
    const hd_line_kind_config *c = &k->config;
    const uint64_t size = over(c->n, c->n_tasks ? c->n_tasks : c->n), size_2 = over(c->n_2, c->n_tasks_2);
    const uint64_t begin = in_the_middle ? (c->n - size) / 2u : 0, begin_2 = in_the_middle ? (c->n_2 - size_2) / 2u : 0;
    return (hd_grains){begin, begin + size, begin_2, begin_2 + size_2};
}

static uint64_t most_room(const hd_line_kind *k, const hd_grains *b)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    uint64_t n = 0;
    uint32_t i;
    hd_kind_uses(k, b, uses, comes_home);
    for (i = 0; i < k->config.n_uses; i++)
        n += hd_segments_most_room(k->line->segments, &uses[i]);
    return n;
}

uint64_t hd_kind_least_room(const hd_line_kind *k, hd_grains *block)
{
    const hd_grains first = least_block(k, 0), middle = least_block(k, 1);
    const uint64_t room = most_room(k, &first), room_2 = most_room(k, &middle);
    *block = room > room_2 ? first : middle;
    return room > room_2 ? room : room_2;
}

/* Each device has room for each task, with some to spare. */
static int do_tasks_fit(const hd_line_kind *k)
{
    hd_grains block;
    const uint64_t room = hd_kind_least_room(k, &block);
    uint32_t d;
    for (d = 0; d < k->line->n_devices; d++)
        if (room > k->line->pool_bytes[d] - k->line->pool_bytes[d] / 8u)
            return 0;
    return 1;
}

void hd_cut_choose(hd_line_kind *k)
{
    hd_line_kind_config *c = &k->config;
    const uint32_t n = k->line->n_devices, most = (uint32_t)hd_at_most(c->n, HEDDLE_MULTI_MOST_TASKS);
    const int anybodys = c->map == HEDDLE_MAP_FIXED || c->map == HEDDLE_MAP_FREE;
    if (!anybodys && c->n_tasks_2 <= 1u)
        return;
    c->n_tasks = (uint32_t)hd_at_most(anybodys ? TASKS_EACH * n : n, most);
    while (c->n_tasks < most && !do_tasks_fit(k))
        c->n_tasks = (uint32_t)hd_at_most(2ull * c->n_tasks, most);
}

/* ---- making them --------------------------------------------------------------------------------------------------------- */

static int get_parts(hd_line_job *j, uint64_t n)
{
    j->parts = n ? hd_new(n * sizeof *j->parts) : NULL;
    j->n_parts = 0;
    j->n_room = n;
    return n && !j->parts ? -1 : 0;
}

static void add_part(hd_line_job *j, const hd_grains *b, uint32_t device)
{
    hd_line_slice *p = &j->parts[j->n_parts];
    p->job = j;
    p->block = *b;
    p->task = j->n_parts++;
    p->device = device;
    p->node = HD_NONE;
}

/* Does it take long enough? A share that did stays one unless it takes half as long, so that jobs are alike. */
static int is_long(hd_line_kind *k, uint32_t device)
{
    const uint64_t bit = 1ull << device, least = (uint64_t)GIVE_NS * k->line->n_devices;
    const int was = (k->long_shares & bit) != 0;
    if (!k->is_steady && was != (k->shares[device].busy_ns >= (was ? least / 2u : least)))
        k->long_shares ^= bit;
    return (k->long_shares & bit) != 0;
}

/* Does only a grain at an end need what is elsewhere, such as a row of a neighbour? *inner: all but such grains. */
static int has_border(hd_line_kind *k, uint32_t device, const hd_grains *share, hd_grains *inner)
{
    const hd_grains low = {share->begin, share->begin + 1u, 0, k->config.n_2};
    const hd_grains high = {share->end - 1u, share->end, 0, k->config.n_2};
    *inner = *share;
    if (share->end - share->begin < LEAST_GRAINS || !is_long(k, device))
        return 0;
    inner->begin += missing(k, device, &low) != 0;
    inner->end -= missing(k, device, &high) != 0;
    return (inner->begin != share->begin || inner->end != share->end) && !missing(k, device, inner);
}

/* Grains at the ends first: what others need of them is on its way to them while the rest is at work. */
static void add_border(hd_line_job *j, uint32_t device, const hd_grains *share, const hd_grains *inner)
{
    const hd_grains low = {share->begin, inner->begin, 0, share->end_2};
    const hd_grains high = {inner->end, share->end, 0, share->end_2};
    if (low.begin < low.end)
        add_part(j, &low, device);
    if (high.begin < high.end)
        add_part(j, &high, device);
    add_part(j, inner, device);
}

static int cut_shares(hd_line *l, hd_line_job *j)
{
    hd_line_kind *s = j->kind;
    uint64_t n = 0, k, parts;
    uint32_t d;
    for (d = 0; d < l->n_devices; d++)
        n += parts_of(s, d) + 2u;
    if (get_parts(j, n))
        return -1;
    for (d = 0; d < l->n_devices; d++) {
        const hd_grains share = hd_cut_share(s, d);
        const uint64_t grains = share.end - share.begin;
        hd_grains inner;
        parts = parts_of(s, d);
        if (parts == 1 && has_border(s, d, &share, &inner)) {
            add_border(j, d, &share, &inner);
            continue;
        }
        for (k = 0; k < parts; k++) {
            const hd_grains b = {share.begin + grains * k / parts, share.begin + grains * (k + 1u) / parts, 0,
                                 s->config.n_2};
            add_part(j, &b, d);
        }
    }
    return 0;
}

/* The device that has the middle of the block in its share. */
static uint32_t owner_of(const hd_line_kind *k, const hd_grains *b)
{
    const uint64_t middle = b->begin + (b->end - b->begin) / 2u;
    uint32_t d = 0;
    while (d + 1u < k->line->n_devices && middle >= k->family->bounds[d + 1u])
        d++;
    return d;
}

static int is_shared(const hd_line_kind *k) { return k->config.map != HEDDLE_MAP_FIXED; }

static int cut_tasks(hd_line_job *j)
{
    const hd_line_kind *k = j->kind;
    const uint64_t n_1 = k->config.n_tasks, n_2 = k->config.n_tasks_2;
    uint64_t t, u;
    if (get_parts(j, n_1 * n_2))
        return -1;
    for (t = 0; t < n_1; t++)
        for (u = 0; u < n_2; u++) {
            const hd_grains b = {k->config.n * t / n_1, k->config.n * (t + 1u) / n_1, k->config.n_2 * u / n_2,
                                 k->config.n_2 * (u + 1u) / n_2};
            add_part(j, &b,
                     is_shared(k)        ? owner_of(k, &b)
                     : k->family->owners ? k->family->owners[t * n_2 + u]
                                         : HD_NONE);
        }
    return 0;
}

heddle_status hd_cut_job(hd_line *l, hd_line_job *j)
{
    if (j->kind->config.n_tasks ? cut_tasks(j) : cut_shares(l, j))
        return HEDDLE_ENOMEM;
    j->n_waiting = j->n_left = j->n_parts;
    return HEDDLE_OK;
}

/* ---- after a loss ------------------------------------------------------------------------------------------------------- */

/* Part i of n of a block. */
static hd_grains part_of(const hd_grains *b, uint64_t i, uint64_t n)
{
    const uint64_t grains = b->end - b->begin;
    return (hd_grains){b->begin + grains * i / n, b->begin + grains * (i + 1u) / n, b->begin_2, b->end_2};
}

static int all_fit(const hd_line_kind *k, uint32_t device, const hd_grains *b, uint64_t n)
{
    uint64_t i;
    for (i = 0; i < n; i++) {
        const hd_grains part = part_of(b, i, n);
        if (!hd_cut_fits(k, device, &part))
            return 0;
    }
    return 1;
}

/* Of a slice that any device may take: so many that each of them fits into every pool that is left. What slices have beside their own rows
 * differs from one to the next, so it is tried. */
static uint64_t parts_anywhere(const hd_line *l, const hd_line_slice *p)
{
    const uint64_t grains = p->block.end - p->block.begin;
    uint64_t n = 1;
    uint32_t d;
    if (p->state != HD_SLICE_WAITS || p->device != HD_NONE)
        return 1;
    for (d = 0; d < l->n_devices; d++)
        while (hd_is_here(l, d) && n < grains && !all_fit(p->job->kind, d, &p->block, n))
            n = hd_at_most(2u * n, grains);
    return n;
}

static hd_line_slice *moved(hd_line_slice *p, const hd_line_job *j, hd_line_slice *to)
{
    return p && p->job == j ? to + (p - j->parts) : p;
}

/* The job's slices move to where there is room for more, also in the lists of those that were given. */
static int get_more(const hd_line *l, hd_line_job *j, uint64_t n)
{
    hd_line_slice *to = hd_new(n * sizeof *to), **at;
    uint32_t d;
    if (!to)
        return -1;
    memcpy(to, j->parts, j->n_parts * sizeof *to);
    for (d = 0; d < l->n_devices; d++) {
        hd_line_device *x = hd_line_device_at(l, d);
        for (at = &x->given; *at; at = &(*at)->next_given)
            *at = moved(*at, j, to);
        x->last_given = moved(x->last_given, j, to);
    }
    hd_delete(j->parts, j->n_room * sizeof *j->parts);
    j->parts = to;
    j->n_room = n;
    return 0;
}

static void cut_up(hd_line_job *j, hd_line_slice *p, uint64_t n)
{
    const hd_grains all = p->block;
    uint64_t k;
    p->block = part_of(&all, 0, n);
    for (k = 1; k < n; k++) {
        const hd_grains b = part_of(&all, k, n);
        add_part(j, &b, HD_NONE);
        j->n_waiting++;
        j->n_left++;
    }
}

heddle_status hd_cut_again(const hd_line *l, hd_line_job *j)
{
    const uint32_t n_parts = j->n_parts;
    uint64_t n = 0;
    uint32_t i;
    if (j->kind->config.n_tasks) /* each device has room for each task */
        return HEDDLE_OK;
    for (i = 0; i < n_parts; i++)
        n += parts_anywhere(l, &j->parts[i]);
    if (n > n_parts && get_more(l, j, n))
        return HEDDLE_ENOMEM;
    for (i = 0; n > n_parts && i < n_parts; i++)
        cut_up(j, &j->parts[i], parts_anywhere(l, &j->parts[i]));
    return HEDDLE_OK;
}
