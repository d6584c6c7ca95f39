/* SPDX-License-Identifier: MIT */
/* line_give.c - which slice is given to which device next; what goes home after it, and to make room (line.h).
 *
 * Map free is the loop engine's way "cut" for jobs: a device takes what is in its share, from the front; one that has nothing takes over from
 * the end of the share that would end last. What was given cannot be taken back, so only a part is given ahead. A device takes no slice that
 * would end after all that the others could do meanwhile. The bytes that a slice has where it is count as time. */
#include "engine/multi/line_inside.h"

#include <math.h>

#define MOST_GIVEN 32u  /* slices under way on a device: the host must be ahead of short ones */
#define MOST_CROWDED 3u /* where the pool is nearly full: what the next two need is there or on its way */
#define CROWDED 8u      /* an eighth of the pool is left */
#define FREE_AHEAD 2u   /* slices that anybody may take: a device has one more than it runs */
#define AHEAD_PART 3u
#define LINK 20e9 /* bytes/s: a device brings rows at least so quickly */

/* ---- choosing --------------------------------------------------------------------------------------------------------------- */

int hd_line_is_crowded(const hd_line *l, uint32_t d)
{
    return l->pool_bytes[d] - hd_segments_used(l->segments, d) < l->pool_bytes[d] / CROWDED;
}

int hd_line_is_short(const hd_line *l)
{
    uint32_t d;
    for (d = 0; d < l->n_devices; d++)
        if (hd_is_here(l, d) && hd_line_is_crowded(l, d))
            return 1;
    return 0;
}

/* Bytes that would come to the device, also of what is only written. */
uint64_t hd_line_missing(const hd_line *l, uint32_t d, const hd_line_slice *p)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    uint32_t i;
    hd_kind_uses(p->job->kind, &p->block, uses, comes_home);
    for (i = 0; i < p->job->kind->config.n_uses; i++)
        uses[i].mode = HEDDLE_MODE_IN;
    return hd_segments_missing(l->segments, d, uses, p->job->kind->config.n_uses);
}

/* The first free slice in the queue; where room is short, of so many free ones the one for which the least has to come. */
static hd_line_slice **choose(const hd_line *l, const hd_line_device *from, uint32_t d, int is_short)
{
    hd_line_slice **at = from->queue.at, **best = NULL;
    const uint64_t most = is_short ? HD_WINDOW_SHORT : HD_WINDOW;
    uint64_t i, least = UINT64_MAX, n = 0, n_free = 0;
    for (i = from->head; i < from->queue.n && n < most && n_free < HD_WINDOW; i++) {
        uint64_t comes;
        if (!at[i])
            continue;
        n++;
        if (!hd_line_order_is_free(&l->order, at[i]))
            continue;
        n_free++;
        if (!is_short || at[i]->n_passed >= HD_WINDOW_SHORT)
            return &at[i];
        comes = hd_line_missing(l, d, at[i]);
        if (comes < least) {
            least = comes;
            best = &at[i];
        }
    }
    return best;
}

/* Those before it were free, too, and are passed over. */
static void take_out(hd_line_device *from, hd_line_slice **taken)
{
    hd_line_slice **at = from->queue.at;
    uint64_t i;
    for (i = from->head; &at[i] != taken; i++)
        if (at[i])
            at[i]->n_passed++;
    *taken = NULL;
    while (from->head < from->queue.n && !at[from->head])
        from->head++;
    if (from->head == from->queue.n)
        from->head = from->queue.n = 0;
}

/* ---- giving ----------------------------------------------------------------------------------------------------------------- */

/* The slice is one of a device's share: its windows have room for all of that, if the pool has. */
static void set_hulls(const hd_line_slice *p, uint32_t d, hd_seg_use *uses)
{
    const hd_line_kind *k = p->job->kind;
    const hd_grains share = hd_cut_share(k, d);
    hd_seg_use whole[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    uint32_t i;
    if (p->block.begin < share.begin || p->block.end > share.end || k->family->owners || !hd_cut_fits(k, d, &share))
        return;
    hd_kind_uses(k, &share, whole, comes_home);
    for (i = 0; i < k->config.n_uses; i++)
        uses[i].hull = whole[i].rect;
}

static heddle_status check_use(hd_line *l, const hd_line_slice *p, const hd_seg_use *uses, uint32_t i)
{
    hd_seg_rect first;
    if (!hd_segments_is_lost(l->segments, uses[i].array, &uses[i].rect, &first))
        return HEDDLE_OK;
    l->loss = (hd_line_loss){p->job, p->job->user, i, first};
    return HEDDLE_EDEVICE;
}

static heddle_status check_lost(hd_line *l, const hd_line_slice *p, const hd_seg_use *uses)
{
    uint32_t i;
    for (i = 0; i < p->job->kind->config.n_uses; i++)
        if (uses[i].mode & HEDDLE_MODE_IN)
            HD_TRY(check_use(l, p, uses, i));
    return HEDDLE_OK;
}

static void note_body(hd_line_slice *p, const hd_seg_plan *plan)
{
    const hd_seg_op *o = (const hd_seg_op *)plan->ops.at + (plan->ops.n - 1u);
    const hd_seg_point *waits = plan->waits.at;
    uint32_t i;
    p->body = o->point;
    p->number = plan->body;
    memset(p->waits, 0, sizeof p->waits);
    for (i = 0; i < o->n_waits && i < HD_SLICE_WAITS_KEPT; i++)
        p->waits[i] = waits[o->first_wait + i];
}

static int goes_home(const hd_seg_use *uses, const uint8_t *comes_home, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++)
        if (comes_home[i] && (uses[i].mode & HEDDLE_MODE_OUT))
            return 1;
    return 0;
}

static void note_given(hd_line *l, hd_line_slice *p, uint32_t d, uint64_t now_ns)
{
    hd_line_device *x = hd_line_device_at(l, d);
    hd_line_share *share = &p->job->shares[d];
    p->state = HD_SLICE_GIVEN;
    p->device = d;
    p->begin_ns = now_ns;
    p->next_given = NULL;
    if (x->last_given)
        x->last_given->next_given = p;
    else
        x->given = p;
    x->last_given = p;
    x->n_given++;
    x->is_untidy = 1;
    l->n_under_way++;
    l->n_waiting--;
    p->job->n_waiting--;
    p->job->kind->counts.n_slices++;
    share->n_parts++;
    share->n_grains += p->block.end - p->block.begin;
    if (p->job->kind->family->owners)
        p->job->kind->family->owners[p->task] = d;
}

/* A job's slices take turns between the device's queues for bodies, and so those of the next job find the same rows in the same queue. */
static hd_seg_role queue_of(const hd_line *l, const hd_line_slice *p, uint32_t d)
{
    return p->job->shares[d].n_parts % l->n_body_queues ? HD_QUEUE_BODIES_2 : HD_QUEUE_BODIES;
}

static heddle_status give(hd_line *l, hd_line_device *from, hd_line_slice **at, uint32_t d, hd_given *out,
                          uint64_t now_ns)
{
    hd_line_slice *p = *at;
    const hd_line_kind *k = p->job->kind;
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    hd_kind_uses(k, &p->block, uses, comes_home);
    set_hulls(p, d, uses);
    hd_line_device_at(l, d)->came = hd_line_is_crowded(l, d) ? hd_line_missing(l, d, p) : 0;
    HD_TRY(check_lost(l, p, uses));
    HD_TRY(hd_segments_give(l->segments, d, queue_of(l, p, d), uses, k->config.n_uses, &out->plan));
    note_body(p, &out->plan);
    p->goes_home = goes_home(uses, comes_home, k->config.n_uses);
    take_out(from, at);
    hd_line_order_give(&l->order, p);
    note_given(l, p, d, now_ns);
    out->job = p->job;
    out->job_user = p->job->user;
    out->device = d;
    out->block = p->block;
    return HEDDLE_OK;
}

/* Would something have to leave for the first free slice? Then the one that needs the least is taken. */
static int is_tight(const hd_line *l, const hd_line_device *from, uint32_t d)
{
    const uint64_t room = l->pool_bytes[d] - hd_segments_used(l->segments, d);
    hd_line_slice **first;
    if (room >= l->pool_bytes[d] / 2u)
        return 0;
    first = choose(l, from, d, 0);
    return first && hd_line_missing(l, d, *first) > room;
}

/* Of a slice of the job, or of the last one of its family; 0: not known. */
static double slice_ns(const hd_line_job *j, uint32_t d)
{
    const hd_line_share *s = j->shares[d].n_ended ? &j->shares[d] : &j->kind->family->latest[d];
    return s->n_ended ? (double)s->busy_ns / (double)s->n_ended : 0;
}

/* Until the device has ended what it was given. */
static double left_ns(const hd_line *l, const hd_line_job *j, uint32_t d)
{
    const hd_line_device *x = hd_line_device_at(l, d);
    const hd_line_slice *p = x->given;
    uint64_t since;
    double n = 0, ns;
    while (p && p->state != HD_SLICE_GIVEN)
        p = p->next_given;
    since = p && p->begin_ns > x->last_ns ? p->begin_ns : x->last_ns;
    for (; p; p = p->next_given)
        n++;
    ns = n * slice_ns(j, d) - (l->now_ns > since ? (double)(l->now_ns - since) : 0);
    return n > 0 && ns > 0 ? ns : 0;
}

/* What it costs that the slice is run by one device and not by the other: bytes that are there, and not here. */
static double extra_ns(const hd_line *l, const hd_line_slice *p, uint32_t here, uint32_t there)
{
    const uint64_t comes = hd_line_missing(l, here, p), has = hd_line_missing(l, there, p);
    return comes > has ? (double)(comes - has) / LINK * 1e9 : 0;
}

/* Would the others end all that nobody has before this one ends one more? Then this one leaves it: it would be the last. owner: the device that
 * has the slice in its share; HD_NONE: none has. */
static int is_too_slow(const hd_line *l, const hd_line_slice *p, uint32_t d, uint32_t owner)
{
    const hd_line_job *j = p->job;
    double end = left_ns(l, j, d) + slice_ns(j, d), slices = j->n_waiting, rate = 0, least = HUGE_VAL, others;
    uint32_t k, quickest = d;
    for (k = 0; k < l->n_devices; k++) {
        const double ns = k != d && hd_is_here(l, k) ? slice_ns(j, k) : 0;
        if (!(ns > 0))
            continue;
        slices += left_ns(l, j, k) / ns;
        rate += 1 / ns;
        quickest = ns < least ? k : quickest;
        least = ns < least ? ns : least;
    }
    if (!(rate > 0) || owner == HD_NONE)
        return rate > 0 && slices / rate + least < end;
    others = slices / rate + least;
    if (owner == d)
        return others < end && others + extra_ns(l, p, quickest, d) < end;
    return others < end + extra_ns(l, p, d, owner);
}

static int is_free_map(const hd_line_slice *p) { return p->job->kind->config.map == HEDDLE_MAP_FREE; }

/* The last free slice of the job that the device has next; *n: how many it has of that. */
static hd_line_slice **tail_of(const hd_line *l, const hd_line_device *x, uint64_t *n)
{
    hd_line_slice **at = x->queue.at, **last = NULL;
    const hd_line_job *job = NULL;
    uint64_t i;
    *n = 0;
    for (i = x->head; i < x->queue.n && *n < HD_WINDOW; i++) {
        if (!at[i])
            continue;
        job = job ? job : at[i]->job;
        if (at[i]->job != job)
            break;
        ++*n;
        if (is_free_map(at[i]) && hd_line_order_is_free(&l->order, at[i]))
            last = &at[i];
    }
    return last;
}

/* A slice from the end of what another device has, of the one that would end last. */
static hd_line_slice **take_over(const hd_line *l, uint32_t d, hd_line_device **from)
{
    hd_line_slice **best = NULL;
    double most = 0;
    uint32_t k;
    for (k = 0; k < l->n_devices; k++) {
        uint64_t n;
        hd_line_slice **at = k == d ? NULL : tail_of(l, hd_line_device_at(l, k), &n);
        double left;
        if (!at)
            continue;
        left = (double)n * (slice_ns((*at)->job, k) > 0 ? slice_ns((*at)->job, k) : 1.0);
        if (left <= most)
            continue;
        most = left;
        best = at;
        *from = hd_line_device_at(l, k);
    }
    return best;
}

/* Of its share a device may have a third as many slices under way as wait, which others may take. */
static uint64_t ahead_of(const hd_line_device *x)
{
    const uint64_t part = (x->queue.n - x->head) / AHEAD_PART;
    return part > FREE_AHEAD ? part : FREE_AHEAD;
}

/* A slice for the device; NULL: there is none now. leaves: the device leaves some to quicker ones. */
static hd_line_slice **look(const hd_line *l, uint32_t d, int leaves, hd_line_device **from)
{
    const int is_short = hd_line_is_crowded(l, d);
    const uint32_t n = hd_line_device_at(l, d)->n_given, most = is_short ? MOST_CROWDED : MOST_GIVEN;
    hd_line_slice **at = NULL;
    *from = hd_line_device_at(l, d);
    if (n < most)
        at = choose(l, *from, d, is_short || is_tight(l, *from, d));
    if (at && is_free_map(*at) && (n >= ahead_of(*from) || (leaves && is_too_slow(l, *at, d, d))))
        return NULL;
    if (at || n >= FREE_AHEAD)
        return at;
    at = take_over(l, d, from);
    if (at)
        return leaves && is_too_slow(l, *at, d, (*at)->device) ? NULL : at;
    *from = hd_line_commons(l);
    at = choose(l, *from, d, is_short || is_tight(l, *from, d));
    return at && leaves && is_too_slow(l, *at, d, HD_NONE) ? NULL : at;
}

/* One array of a slice's results. Those that are lost may be written by a slice that is given again, and go home with that. */
static heddle_status send_home(hd_line *l, hd_line_slice *p, hd_given *out)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    const uint32_t i = p->next_home++;
    hd_kind_uses(p->job->kind, &p->block, uses, comes_home);
    if (!comes_home[i] || !(uses[i].mode & HEDDLE_MODE_OUT))
        return HEDDLE_OK;
    if (check_use(l, p, uses, i) != HEDDLE_OK)
        return hd_line_touches(l, uses[i].array, &uses[i].rect, 1) ? HEDDLE_OK : HEDDLE_EDEVICE;
    HD_TRY(hd_segments_fetch(l->segments, uses[i].array, &uses[i].rect, &out->plan));
    if (!out->plan.n_host_waits)
        return HEDDLE_OK;
    if (hd_list_room(&p->home, out->plan.n_host_waits, sizeof(hd_seg_point)))
        return HEDDLE_ENOMEM;
    memcpy((hd_seg_point *)p->home.at + p->home.n, (hd_seg_point *)out->plan.waits.at + out->plan.first_host_wait,
           out->plan.n_host_waits * sizeof(hd_seg_point));
    p->home.n += out->plan.n_host_waits;
    return HEDDLE_OK;
}

/* The next slice with results that have to go home, after its body has ended. */
static heddle_status bring_home(hd_line *l, hd_given *out, int *given)
{
    uint32_t d;
    hd_line_slice *p;
    for (d = 0; d < l->n_devices; d++)
        for (p = hd_line_device_at(l, d)->given; p; p = p->next_given)
            if (p->state == HD_SLICE_ENDED && p->goes_home && p->next_home < p->job->kind->config.n_uses) {
                *given = 1;
                out->job = p->job;
                out->job_user = p->job->user;
                out->device = d;
                out->block = p->block;
                out->plan.ops.n = 0;
                return send_home(l, p, out);
            }
    return HEDDLE_OK;
}

/* Moves home before room is needed; joins cells. Without memory that is tried again. */
static void tidy(hd_line *l, hd_given *out, int *given)
{
    uint32_t d;
    for (d = 0; d < l->n_devices && !*given; d++) {
        if (!hd_line_device_at(l, d)->is_untidy)
            continue;
        hd_line_device_at(l, d)->is_untidy = hd_segments_tidy(l->segments, d, &out->plan) != HEDDLE_OK;
        *given = out->plan.ops.n > 0;
        out->job = NULL;
        out->job_user = NULL;
        out->device = d;
    }
}

/* A slice, and a device for it; HD_NONE: there is none. The device with the least under way comes first. */
static uint32_t find(const hd_line *l, int leaves, hd_line_slice ***at, hd_line_device **from)
{
    uint32_t k, best = HD_NONE;
    for (k = 0; k < l->n_devices; k++) {
        hd_line_device *f;
        hd_line_slice **a;
        if (!hd_is_here(l, k) ||
            (best != HD_NONE && hd_line_device_at(l, k)->n_given >= hd_line_device_at(l, best)->n_given))
            continue;
        a = look(l, k, leaves, &f);
        if (a) {
            best = k;
            *at = a;
            *from = f;
        }
    }
    return best;
}

void hd_line_put(hd_line *l, const hd_given *given, uint64_t now_ns)
{
    const hd_seg_plan *p = &given->plan;
    if (p->ops.n && ((const hd_seg_op *)p->ops.at)[p->ops.n - 1u].is_body)
        hd_line_device_at(l, given->device)->last_given->begin_ns = now_ns;
}

heddle_status hd_line_give(hd_line *l, hd_given *out, int *given, uint64_t now_ns)
{
    uint32_t best;
    hd_line_slice **at = NULL;
    hd_line_device *from = NULL;
    *given = 0;
    l->now_ns = now_ns;
    out->plan.ops.n = 0;    /* also where no plan is made before something fails */
    hd_line_finish_some(l); /* what went home may have been there at once */
    tidy(l, out, given);
    if (!*given)
        HD_TRY(bring_home(l, out, given));
    if (*given)
        return HEDDLE_OK;
    HD_TRY(hd_line_open_jobs(l));
    best = find(l, 1, &at, &from);
    if (best == HD_NONE && !l->n_under_way) /* they would leave them to one another: each looked at another one */
        best = find(l, 0, &at, &from);
    if (best == HD_NONE)
        return HEDDLE_OK;
    *given = 1;
    return give(l, from, at, best, out, now_ns);
}
