/* SPDX-License-Identifier: MIT */
/* line_next.c - what slices that have not been given will touch, and when (line.h). */
#include "engine/multi/line_inside.h"

#define JOBS_AHEAD 8u /* jobs that have not been opened, and are looked at for what will be used */
#define FAR_PART 16u  /* of a pool */

static int touches(const hd_line_kind *k, const hd_grains *b, uint32_t array, const hd_seg_rect *rect, int only_writers)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    uint32_t i;
    hd_kind_uses(k, b, uses, comes_home);
    for (i = 0; i < k->config.n_uses; i++)
        if (uses[i].array == array && hd_seg_rect_meets(&uses[i].rect, rect) &&
            (!only_writers || (uses[i].mode & HEDDLE_MODE_OUT)))
            return 1;
    return 0;
}

static int job_touches(const hd_line_job *j, int is_open, uint32_t array, const hd_seg_rect *rect, int only_writers)
{
    const hd_grains all = {0, j->kind->config.n, 0, j->kind->config.n_2};
    uint32_t i;
    if (!touches(j->kind, &all, array, rect, only_writers))
        return 0;
    for (i = 0; is_open && i < j->n_parts; i++)
        if (j->parts[i].state == HD_SLICE_WAITS && touches(j->kind, &j->parts[i].block, array, rect, only_writers))
            return 1;
    return !is_open;
}

int hd_line_touches(const hd_line *l, uint32_t array, const hd_seg_rect *rect, int only_writers)
{
    const hd_line_job *j;
    int is_open = 1;
    for (j = l->first; j; j = j->next) {
        is_open &= j != l->unopened;
        if ((!is_open || j->n_waiting) && job_touches(j, is_open, array, rect, only_writers))
            return 1;
    }
    return 0;
}

/* The same of jobs that have not been opened: of each what the device would have. */
static uint64_t next_job(const hd_line *l, uint32_t device, uint32_t array, const hd_seg_rect *rect, uint64_t n)
{
    const hd_line_job *j = l->unopened;
    const uint64_t end = n + JOBS_AHEAD;
    for (; j && n < end; j = j->next, n++) {
        const hd_line_kind *k = j->kind;
        const hd_grains all = {0, k->config.n, 0, k->config.n_2};
        const hd_grains block = k->config.n_tasks ? all : hd_cut_share(k, device);
        if (block.begin < block.end && touches(k, &block, array, rect, 0))
            return n;
    }
    return UINT64_MAX;
}

/* Where room is short, slices for which much more has to come than for the device's last one wait until there are no others. */
static int is_far(const hd_line *l, uint32_t d, const hd_line_slice *p)
{
    const uint64_t came = hd_line_device_at(l, d)->came;
    return hd_line_is_crowded(l, d) && hd_line_missing(l, d, p) > came + l->pool_bytes[d] / FAR_PART;
}

/* Where room is short, free slices for which less has to come are given before the first one of the queue. Is one of them touching the rect? */
static int is_near(const hd_line *l, uint32_t d, const hd_line_device *from, uint32_t array, const hd_seg_rect *rect)
{
    hd_line_slice **at = from->queue.at;
    const hd_line_slice *first = from->head < from->queue.n ? at[from->head] : NULL;
    uint64_t i, comes, n = 0;
    if (!first || !hd_line_is_crowded(l, d))
        return 0;
    comes = hd_line_missing(l, d, first);
    for (i = from->head + 1u; i < from->queue.n && n < HD_WINDOW_SHORT; i++) {
        n += at[i] != NULL;
        if (at[i] && hd_line_order_is_free(&l->order, at[i]) &&
            touches(at[i]->job->kind, &at[i]->block, array, rect, 0) && hd_line_missing(l, d, at[i]) < comes &&
            !is_far(l, d, at[i]))
            return 1;
    }
    return 0;
}

/* For the directory: how many slices of the device come before one that touches the rect. Slices that anybody may take count as its own. */
uint64_t hd_line_next_use(void *line, uint32_t device, uint32_t array, const hd_seg_rect *rect)
{
    const hd_line *l = line;
    const hd_line_device *queues[] = {hd_line_device_at(l, device), hd_line_commons(l)};
    uint64_t n = 0, i;
    int is_touched = 0;
    uint32_t q;
    for (q = 0; q < 2u; q++) {
        if (is_near(l, device, queues[q], array, rect))
            return 0;
        for (i = queues[q]->head; i < queues[q]->queue.n && n < HD_WINDOW; i++) {
            const hd_line_slice *p = ((hd_line_slice **)queues[q]->queue.at)[i];
            if (!p)
                continue;
            n++;
            if (!touches(p->job->kind, &p->block, array, rect, 0))
                continue;
            if (!is_far(l, device, p))
                return n - 1u;
            is_touched = 1;
        }
    }
    return is_touched ? HD_WINDOW : next_job(l, device, array, rect, n);
}
