/* SPDX-License-Identifier: MIT */
/* line_ends.c - ends of bodies, slices and jobs; jobs that are dropped; slices that are given again after a loss (line.h). */
#include "engine/multi/line_inside.h"

/* ---- ends ------------------------------------------------------------------------------------------------------------------- */

static void end_job(hd_line *l, hd_line_job *j)
{
    hd_line_job **at = &l->first, *before = NULL;
    while (*at != j) {
        before = *at;
        at = &before->next;
    }
    *at = j->next;
    if (l->last == j)
        l->last = before;
    if (l->unopened == j)
        l->unopened = j->next;
    hd_settle_ended(l, j);
    l->ended(l->user, j, j->user, j->status);
    hd_line_free_job(l, j);
}

static int is_home(const hd_line *l, const hd_line_slice *p)
{
    uint64_t i;
    if (p->goes_home && p->next_home < p->job->kind->config.n_uses)
        return 0;
    for (i = 0; i < p->home.n; i++)
        if (!hd_segments_is_done(l->segments, ((const hd_seg_point *)p->home.at)[i]))
            return 0;
    return 1;
}

static void finish(hd_line *l, hd_line_device *d, hd_line_slice *p)
{
    hd_line_job *j = p->job;
    d->given = p->next_given;
    if (!d->given)
        d->last_given = NULL;
    d->n_given--;
    l->n_under_way--;
    p->state = HD_SLICE_DONE;
    hd_segments_ended(l->segments, p->number);
    hd_list_clear(&p->home);
    if (!--j->n_left)
        end_job(l, j);
}

/* Its body has ended: it began when the one before had ended, what it waited for had passed, and it had been put. Bodies of two queues overlap:
 * what counts is how long the device had some. */
static void note_time(hd_line_device *d, hd_line_slice *p, uint64_t now_ns)
{
    const uint64_t begin = p->begin_ns > d->last_ns ? p->begin_ns : d->last_ns;
    hd_line_share *share = &p->job->shares[p->device];
    share->n_ended++;
    share->n_apart += p->begin_ns > d->last_ns;
    share->busy_ns += now_ns > begin ? now_ns - begin : 0;
    d->last_ns = now_ns > d->last_ns ? now_ns : d->last_ns;
}

static void note_wait(hd_line_slice *x, hd_seg_point p, uint64_t now_ns)
{
    uint32_t i;
    for (i = 0; i < HD_SLICE_WAITS_KEPT; i++)
        if (x->waits[i].number && x->waits[i].queue == p.queue && x->waits[i].number <= p.number) {
            x->waits[i].number = 0;
            x->begin_ns = now_ns > x->begin_ns ? now_ns : x->begin_ns;
        }
}

static void note_waits(hd_line *l, hd_seg_point p, uint64_t now_ns)
{
    uint32_t d;
    hd_line_slice *x;
    for (d = 0; d < l->n_devices; d++)
        for (x = hd_line_device_at(l, d)->given; x; x = x->next_given)
            note_wait(x, p, now_ns);
}

/* Moves home of a slice may have been put by another device. */
void hd_line_finish_some(hd_line *l)
{
    uint32_t i;
    for (i = 0; i < l->n_devices; i++)
        while (hd_line_device_at(l, i)->given && hd_line_device_at(l, i)->given->state == HD_SLICE_ENDED &&
               is_home(l, hd_line_device_at(l, i)->given))
            finish(l, hd_line_device_at(l, i), hd_line_device_at(l, i)->given);
}

heddle_status hd_line_passed(hd_line *l, hd_seg_point p, uint64_t now_ns)
{
    hd_line_device *d = hd_line_device_at(l, p.queue / HD_N_ROLES);
    hd_line_slice *x;
    hd_segments_done(l->segments, p);
    note_waits(l, p, now_ns);
    if (hd_queue_is_of_bodies(p.queue))
        for (x = d->given; x; x = x->next_given)
            if (x->state == HD_SLICE_GIVEN && x->body.queue == p.queue && x->body.number <= p.number) {
                x->state = HD_SLICE_ENDED;
                note_time(d, x, now_ns);
            }
    hd_line_finish_some(l);
    return HEDDLE_OK;
}

static void clear_queues(hd_line *l)
{
    uint32_t d;
    for (d = 0; d <= l->n_devices; d++)
        l->devices[d].queue.n = l->devices[d].head = 0;
    l->n_waiting = 0;
    hd_line_order_reset(&l->order);
}

/* Its slices that wait are not given any more, also not when a loss puts all that waits in order anew. */
static void drop_job(hd_line *l, hd_line_job *j, heddle_status status)
{
    uint32_t i;
    for (i = 0; i < j->n_parts; i++)
        if (j->parts[i].state == HD_SLICE_WAITS)
            j->parts[i].state = HD_SLICE_DONE;
    if (j->status == HEDDLE_OK && l->dropped)
        l->dropped(l->user, j->user);
    j->status = j->status == HEDDLE_OK ? status : j->status;
    j->n_left -= j->n_waiting;
    l->n_waiting -= j->n_waiting;
    j->n_waiting = 0;
    if (!j->n_left)
        end_job(l, j);
}

static void forget_slices(hd_line *l, const hd_line_job *j)
{
    uint64_t i;
    uint32_t d;
    for (d = 0; d <= l->n_devices; d++)
        for (i = l->devices[d].head; i < l->devices[d].queue.n; i++) {
            hd_line_slice **at = (hd_line_slice **)l->devices[d].queue.at + i;
            if (*at && (*at)->job == j) {
                hd_line_order_drop(&l->order, *at);
                *at = NULL;
            }
        }
}

static void drop_from(hd_line *l, hd_line_job *j, heddle_status status)
{
    for (hd_line_job *next; j; j = next) {
        next = j->next;
        forget_slices(l, j);
        drop_job(l, j, status);
    }
}

void hd_line_drop(hd_line *l, const hd_line_kind *k, heddle_status status)
{
    hd_line_job *j = l->first;
    while (k && j && j->kind != k)
        j = j->next;
    drop_from(l, j, status);
    if (!k) /* a job that was only half in the order, for want of memory, leaves nothing behind */
        clear_queues(l);
}

static int has_behind(const hd_line *l, const hd_line_job *j, hd_seg_point p)
{
    const hd_line_slice *x = l->devices[p.queue / HD_N_ROLES].given;
    for (; x; x = x->next_given)
        if (x->job == j && x->body.queue == p.queue && x->body.number > p.number)
            return 1;
    return 0;
}

int hd_line_fail(hd_line *l, hd_seg_point p, heddle_status status)
{
    hd_line_job *j = l->first;
    while (j && !has_behind(l, j, p))
        j = j->next;
    drop_from(l, j, status);
    return j != NULL;
}

/* Of all that a job touches. */
static void all_uses(const hd_line_kind *k, hd_seg_use *uses)
{
    const hd_grains all = {0, k->config.n, 0, k->config.n_2};
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    hd_kind_uses(k, &all, uses, comes_home);
}

int hd_kind_needs(const hd_line_kind *k, const uint8_t *unwritten)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint32_t i;
    all_uses(k, uses);
    for (i = 0; i < k->config.n_uses; i++)
        if ((uses[i].mode & HEDDLE_MODE_IN) && unwritten[uses[i].array])
            return 1;
    return 0;
}

void hd_kind_leaves(const hd_line_kind *k, uint8_t *unwritten)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint32_t i;
    all_uses(k, uses);
    for (i = 0; i < k->config.n_uses; i++)
        if (uses[i].mode & HEDDLE_MODE_OUT)
            unwritten[uses[i].array] = 1;
}

void hd_line_drop_needing(hd_line *l, hd_line_job *j, uint8_t *unwritten, heddle_status status)
{
    const hd_line_job *first = j;
    for (hd_line_job *next; j; j = next) {
        next = j->next;
        if (j != first && !hd_kind_needs(j->kind, unwritten))
            continue;
        hd_kind_leaves(j->kind, unwritten);
        forget_slices(l, j);
        drop_job(l, j, status);
    }
}

/* ---- a device is lost --------------------------------------------------------------------------------------------------------- */

static void take_back(hd_line *l, hd_line_slice *p)
{
    p->state = HD_SLICE_WAITS;
    hd_list_clear(&p->home);
    p->next_home = 0;
    p->job->n_waiting++;
    p->job->kind->counts.n_again++;
    l->n_under_way--;
}

/* It is not given again: later slices have written over its results, or these are elsewhere, or they are lost for good. Moves home may have
 * been those of the lost device. */
static void keep(const hd_line *l, hd_line_slice *p)
{
    if (!hd_is_here(l, p->device))
        p->state = HD_SLICE_ENDED;
    p->next_home = 0;
    hd_list_clear(&p->home);
}

/* Those of its slices that are not given again stay. */
static void sift_given(hd_line *l, hd_line_device *d)
{
    hd_line_slice *p = d->given, *next;
    d->given = d->last_given = NULL;
    d->n_given = 0;
    for (; p; p = next) {
        next = p->next_given;
        if (hd_segments_is_again(l->segments, p->number)) {
            take_back(l, p);
            continue;
        }
        keep(l, p);
        p->next_given = NULL;
        *(d->last_given ? &d->last_given->next_given : &d->given) = p;
        d->last_given = p;
        d->n_given++;
    }
}

/* All that waits is put in order anew: slices of several jobs may be among those that are given again. */
static heddle_status wait_again(hd_line *l, hd_line_job *j)
{
    uint32_t i;
    for (i = 0; i < j->n_parts; i++) {
        hd_line_slice *p = &j->parts[i];
        p->node = HD_NONE;
        if (p->state == HD_SLICE_WAITS && p->device != HD_NONE && !hd_is_here(l, p->device))
            p->device = HD_NONE; /* anybody's */
    }
    HD_TRY(hd_cut_again(l, j));
    return hd_line_add_parts(l, j, 1);
}

/* FIXED: nobody has the tasks of a device that is lost, until the next job gives them out. */
static void forget_owner(const hd_line_kind *k, uint32_t device)
{
    uint64_t i;
    for (i = 0; k->family->owners && i < hd_n_owners(k); i++)
        if (k->family->owners[i] == device)
            k->family->owners[i] = HD_NONE;
}

static uint32_t n_here(const hd_line *l)
{
    uint32_t d, n = 0;
    for (d = 0; d < l->n_devices; d++)
        n += (uint32_t)hd_is_here(l, d);
    return n;
}

heddle_status hd_line_lost(hd_line *l, uint32_t device)
{
    hd_line_job *j;
    hd_line_kind *k;
    uint32_t d;
    hd_line_device_at(l, device)->is_lost = 1;
    hd_segments_lost(l->segments, device, NULL, NULL);
    for (d = 0; d < l->n_devices; d++)
        sift_given(l, hd_line_device_at(l, d));
    clear_queues(l);
    if (!n_here(l))
        return HEDDLE_EDEVICE;
    for (k = l->kinds; k; k = k->next) {
        hd_settle_begin(k);
        forget_owner(k, device);
    }
    for (j = l->first; j && j != l->unopened; j = j->next)
        HD_TRY(wait_again(l, j));
    return HEDDLE_OK;
}

const hd_line_loss *hd_line_loss_of(const hd_line *l) { return &l->loss; }

int hd_line_is_empty(const hd_line *l) { return !l->first; }
