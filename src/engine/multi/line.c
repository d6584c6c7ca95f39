/* SPDX-License-Identifier: MIT */
/* line.c - jobs in the order of their starts, and what is given next (line.h). */
#include "engine/multi/line_inside.h"

#define MOST_GIVEN 32u  /* slices under way on a device: the host must be ahead of short ones */
#define MOST_CROWDED 3u /* where the pool is nearly full: what the next two need is there or on its way */
#define CROWDED 8u      /* an eighth of the pool is left */
#define TASKS_EACH 8u   /* of a device, if anybody may take them */
#define JOBS_AHEAD 8u   /* jobs that have not been opened, and are looked at for what will be used */
#define FREE_AHEAD 2u   /* slices that anybody may take: a device has one more than it runs */

/* ---- new and delete ------------------------------------------------------------------------------------------------------- */

static hd_line_device *device_at(const hd_line *l, uint32_t d) { return &l->devices[d]; }
static hd_line_device *commons(const hd_line *l) { return &l->devices[l->n_devices]; }

void hd_kind_uses(const hd_line_kind *k, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home)
{
    uint32_t i;
    k->config.uses(k->config.self, b, out, comes_home);
    for (i = 0; i < k->config.n_uses; i++)
        out[i].hull = out[i].rect;
}

/* ---- next use -------------------------------------------------------------------------------------------------------------- */

static int meets(const hd_seg_rect *a, const hd_seg_rect *b)
{
    return a->row < b->end_row && b->row < a->end_row && a->byte < b->end_byte && b->byte < a->end_byte;
}

static int touches(const hd_line_kind *k, const hd_grains *b, uint32_t array, const hd_seg_rect *rect, int only_writers)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    uint32_t i;
    hd_kind_uses(k, b, uses, comes_home);
    for (i = 0; i < k->config.n_uses; i++)
        if (uses[i].array == array && meets(&uses[i].rect, rect) && (!only_writers || (uses[i].mode & HEDDLE_MODE_OUT)))
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

/* For the directory: how many slices of the device come before one that touches the rect. Slices that anybody may take count as its own. */
static uint64_t next_use(void *line, uint32_t device, uint32_t array, const hd_seg_rect *rect)
{
    const hd_line *l = line;
    const hd_line_device *queues[] = {device_at(l, device), commons(l)};
    uint64_t n = 0, i;
    uint32_t q;
    for (q = 0; q < 2u; q++)
        for (i = queues[q]->head; i < queues[q]->queue.n && n < HD_WINDOW; i++) {
            const hd_line_slice *p = ((hd_line_slice **)queues[q]->queue.at)[i];
            if (!p)
                continue;
            if (touches(p->job->kind, &p->block, array, rect, 0))
                return n;
            n++;
        }
    return next_job(l, device, array, rect, n);
}

heddle_status hd_line_new(hd_line **out, const hd_line_config *c)
{
    const hd_segments_config s = {c->n_devices, c->pool_bytes, c->reach, next_use, NULL};
    hd_segments_config with_user = s;
    hd_line *l = hd_new(sizeof *l);
    *out = l;
    if (!l)
        return HEDDLE_ENOMEM;
    l->ended = c->ended;
    l->user = c->user;
    l->lost_array = HD_NONE;
    l->n_devices = c->n_devices;
    l->weights = hd_new(c->n_devices * sizeof *l->weights);
    l->pool_bytes = hd_new(c->n_devices * sizeof *l->pool_bytes);
    l->devices = hd_new((c->n_devices + 1u) * sizeof *l->devices);
    with_user.user = l;
    if (l->weights && l->pool_bytes && l->devices && hd_segments_new(&l->segments, &with_user) == HEDDLE_OK) {
        memcpy(l->weights, c->weights, c->n_devices * sizeof *l->weights);
        memcpy(l->pool_bytes, c->pool_bytes, c->n_devices * sizeof *l->pool_bytes);
        return HEDDLE_OK;
    }
    hd_line_delete(l);
    *out = NULL;
    return HEDDLE_ENOMEM;
}

static void free_job(const hd_line *l, hd_line_job *j)
{
    uint32_t i;
    hd_delete(j->shares, l->n_devices * sizeof *j->shares);
    for (i = 0; i < j->n_parts; i++)
        hd_list_clear(&j->parts[i].home);
    hd_delete(j->parts, j->n_room * sizeof *j->parts);
    hd_delete(j, sizeof *j);
}

void hd_line_delete(hd_line *l)
{
    uint32_t d;
    if (!l)
        return;
    while (l->first) {
        hd_line_job *j = l->first;
        l->first = j->next;
        free_job(l, j);
    }
    for (d = 0; l->devices && d <= l->n_devices; d++)
        hd_list_clear(&l->devices[d].queue);
    hd_line_order_clear(&l->order);
    hd_segments_delete(l->segments);
    hd_delete(l->weights, l->n_devices * sizeof *l->weights);
    hd_delete(l->pool_bytes, l->n_devices * sizeof *l->pool_bytes);
    hd_delete(l->devices, (l->n_devices + 1u) * sizeof *l->devices);
    hd_delete(l, sizeof *l);
}

hd_segments *hd_line_segments(hd_line *l) { return l->segments; }

static uint64_t n_owners(const hd_line_kind *k) { return (uint64_t)k->config.n_tasks * k->config.n_tasks_2; }

/* 0 tasks: shares are cut as is good at the time. */
static void set_tasks(hd_line_kind_config *k, uint32_t n_devices)
{
    if (!k->n_tasks && (k->map == HEDDLE_MAP_FIXED || k->map == HEDDLE_MAP_FREE))
        k->n_tasks = TASKS_EACH * n_devices;
    if (!k->n_tasks && k->n_tasks_2 > 1u)
        k->n_tasks = n_devices;
    k->n_tasks = k->n_tasks < k->n ? k->n_tasks : (uint32_t)k->n;
    k->n_tasks_2 = k->n_tasks_2 < k->n_2 ? k->n_tasks_2 : (uint32_t)k->n_2;
}

/* Another kind that has the same bounds and owners; or could have. */
static hd_line_kind *relative(const hd_line *l, const hd_line_kind *k)
{
    const hd_line_kind_config *c = &k->config;
    hd_line_kind *o;
    for (o = l->kinds; o; o = o->next)
        if (o != k && c->family && o->config.family == c->family && o->config.n == c->n && o->config.n_2 == c->n_2 &&
            o->config.map == c->map && o->config.n_tasks == c->n_tasks && o->config.n_tasks_2 == c->n_tasks_2)
            return o;
    return NULL;
}

static int get_shares(hd_line *l, hd_line_kind *k)
{
    const hd_line_kind *like = relative(l, k);
    k->shares = hd_new(l->n_devices * sizeof *k->shares);
    if (like) {
        k->bounds = like->bounds;
        k->owners = like->owners;
        return k->shares ? 0 : -1;
    }
    k->bounds = hd_new((l->n_devices + 1u) * sizeof *k->bounds);
    if (k->config.map == HEDDLE_MAP_FIXED && (k->owners = hd_new(n_owners(k) * sizeof *k->owners)))
        memset(k->owners, 0xff, n_owners(k) * sizeof *k->owners);
    if (!k->shares || !k->bounds || (k->config.map == HEDDLE_MAP_FIXED && !k->owners))
        return -1;
    hd_settle_begin(k);
    return 0;
}

heddle_status hd_kind_new(hd_line *l, const hd_line_kind_config *kind, hd_line_kind **out)
{
    hd_line_kind *k = hd_new(sizeof *k);
    *out = k;
    if (!k)
        return HEDDLE_ENOMEM;
    k->line = l;
    k->config = *kind;
    set_tasks(&k->config, l->n_devices);
    if (get_shares(l, k)) {
        hd_kind_delete(k);
        *out = NULL;
        return HEDDLE_ENOMEM;
    }
    k->next = l->kinds;
    l->kinds = k;
    return HEDDLE_OK;
}

void hd_kind_delete(hd_line_kind *k)
{
    hd_line_kind **at;
    if (!k)
        return;
    for (at = &k->line->kinds; *at; at = &(*at)->next)
        if (*at == k) {
            *at = k->next;
            break;
        }
    if (!relative(k->line, k)) {
        hd_delete(k->bounds, k->bounds ? (k->line->n_devices + 1u) * sizeof *k->bounds : 0);
        hd_delete(k->owners, k->owners ? n_owners(k) * sizeof *k->owners : 0);
    }
    hd_delete(k->shares, k->shares ? k->line->n_devices * sizeof *k->shares : 0);
    hd_delete(k, sizeof *k);
}

void hd_kind_count(const hd_line_kind *k, hd_kind_counts *out) { *out = k->counts; }

void hd_kind_share(const hd_line_kind *k, uint32_t device, uint64_t *n_grains, uint64_t *n_slices, uint64_t *busy_ns)
{
    *n_grains = k->shares[device].n_grains;
    *n_slices = k->shares[device].n_parts;
    *busy_ns = k->shares[device].busy_ns;
}

/* ---- opening jobs ----------------------------------------------------------------------------------------------------------- */

heddle_status hd_line_start(hd_line *l, hd_line_kind *k, void *user, hd_line_job **out)
{
    hd_line_job *j = hd_new(sizeof *j);
    if (!j || !(j->shares = hd_new(l->n_devices * sizeof *j->shares))) {
        hd_delete(j, sizeof *j);
        return HEDDLE_ENOMEM;
    }
    j->kind = k;
    j->user = user;
    if (l->last)
        l->last->next = j;
    else
        l->first = j;
    l->last = j;
    l->unopened = l->unopened ? l->unopened : j;
    k->counts.n_jobs++;
    *out = j;
    return HEDDLE_OK;
}

/* Are its slices in the order? Those of others are opened only when none waits, so that nothing has to be compared. */
static int is_ordered(const hd_line_job *j) { return j->kind->config.n_tasks > 0; }

/* FIXED: are there tasks without a device? The job that is opened first says which each has. */
static int is_unmapped(const hd_line_kind *k)
{
    uint64_t i;
    for (i = 0; k->owners && i < n_owners(k); i++)
        if (k->owners[i] == HD_NONE)
            return 1;
    return 0;
}

static int may_open(const hd_line *l, const hd_line_job *j)
{
    if (j->kind->config.is_alone || (l->first != j && l->first->kind->config.is_alone))
        return l->first == j;
    return !l->n_waiting ||
           (is_ordered(j) && !is_unmapped(j->kind) && l->order.n_waiting == l->n_waiting && l->n_waiting < HD_WINDOW);
}

static int put(hd_line_device *d, hd_line_slice *p)
{
    if (hd_list_room(&d->queue, 1, sizeof p))
        return -1;
    ((hd_line_slice **)d->queue.at)[d->queue.n++] = p;
    return 0;
}

static int join_order(hd_line *l, hd_line_slice *p)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    hd_kind_uses(p->job->kind, &p->block, uses, comes_home);
    return hd_line_order_add(&l->order, l->segments, p, uses, p->job->kind->config.n_uses);
}

static heddle_status add_parts(hd_line *l, hd_line_job *j, int is_in_order)
{
    uint32_t i;
    for (i = 0; i < j->n_parts; i++) {
        hd_line_slice *p = &j->parts[i];
        if (p->state != HD_SLICE_WAITS)
            continue;
        if ((is_in_order && join_order(l, p)) || put(p->device == HD_NONE ? commons(l) : device_at(l, p->device), p))
            return HEDDLE_ENOMEM;
        l->n_waiting++;
    }
    return HEDDLE_OK;
}

static heddle_status open_job(hd_line *l, hd_line_job *j)
{
    HD_TRY(hd_cut_job(l, j));
    l->unopened = j->next;
    j->n_changes = l->n_changes;
    return add_parts(l, j, is_ordered(j));
}

static heddle_status open_jobs(hd_line *l)
{
    while (l->unopened && may_open(l, l->unopened))
        HD_TRY(open_job(l, l->unopened));
    return HEDDLE_OK;
}

/* ---- choosing --------------------------------------------------------------------------------------------------------------- */

static int is_crowded(const hd_line *l, uint32_t d)
{
    return l->pool_bytes[d] - hd_segments_used(l->segments, d) < l->pool_bytes[d] / CROWDED;
}

/* Bytes that would come to the device, also of what is only written. */
static uint64_t missing(const hd_line *l, uint32_t d, const hd_line_slice *p)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    uint32_t i;
    hd_kind_uses(p->job->kind, &p->block, uses, comes_home);
    for (i = 0; i < p->job->kind->config.n_uses; i++)
        uses[i].mode = HEDDLE_MODE_IN;
    return hd_segments_missing(l->segments, d, uses, p->job->kind->config.n_uses);
}

/* The first free slice in the queue; where room is short, the one for which the least has to come. */
static hd_line_slice **choose(const hd_line *l, const hd_line_device *from, uint32_t d, int is_short)
{
    hd_line_slice **at = from->queue.at, **best = NULL;
    uint64_t i, least = UINT64_MAX, n = 0;
    for (i = from->head; i < from->queue.n && n < HD_WINDOW; i++) {
        uint64_t comes;
        if (!at[i])
            continue;
        n++;
        if (!hd_line_order_is_free(&l->order, at[i]))
            continue;
        if (!is_short || at[i]->n_passed >= HD_WINDOW)
            return &at[i];
        comes = missing(l, d, at[i]);
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

/* The slice is one of a device's share: its windows have room for all of that. */
static void set_hulls(const hd_line_slice *p, uint32_t d, hd_seg_use *uses)
{
    const hd_line_kind *k = p->job->kind;
    const hd_grains share = hd_cut_share(k, d);
    hd_seg_use whole[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    uint32_t i;
    if (p->block.begin < share.begin || p->block.end > share.end || k->owners)
        return;
    hd_kind_uses(k, &share, whole, comes_home);
    for (i = 0; i < k->config.n_uses; i++)
        uses[i].hull = whole[i].rect;
}

static heddle_status check_use(hd_line *l, const hd_seg_use *use)
{
    hd_seg_rect first;
    if (!hd_segments_is_lost(l->segments, use->array, &use->rect, &first))
        return HEDDLE_OK;
    l->lost_array = use->array;
    l->lost_rect = first;
    return HEDDLE_EDEVICE;
}

static heddle_status check_lost(hd_line *l, const hd_seg_use *uses, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++)
        if (uses[i].mode & HEDDLE_MODE_IN)
            HD_TRY(check_use(l, &uses[i]));
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
    hd_line_device *x = device_at(l, d);
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
    if (p->job->kind->owners)
        p->job->kind->owners[p->task] = d;
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
    HD_TRY(check_lost(l, uses, k->config.n_uses));
    HD_TRY(hd_segments_give(l->segments, d, uses, k->config.n_uses, &out->plan));
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
    return first && missing(l, d, *first) > room;
}

/* Of a slice of the job; 0: not known. */
static double slice_ns(const hd_line_job *j, uint32_t d)
{
    return j->shares[d].n_ended ? (double)j->shares[d].busy_ns / (double)j->shares[d].n_ended : 0;
}

/* Would another device end all that nobody has before this one ends one more? Then this one leaves it: it would be the last. */
static int is_too_slow(const hd_line *l, const hd_line_job *j, uint32_t d)
{
    const double end = (device_at(l, d)->n_given + 1.0) * slice_ns(j, d);
    uint32_t k;
    for (k = 0; k < l->n_devices; k++)
        if (k != d && hd_is_here(l, k) && slice_ns(j, k) > 0 &&
            (device_at(l, k)->n_given + (double)j->n_waiting) * slice_ns(j, k) < end)
            return 1;
    return 0;
}

/* A slice for the device; NULL: there is none now. leaves: the device leaves some to quicker ones. */
static hd_line_slice **look(const hd_line *l, uint32_t d, int leaves, hd_line_device **from)
{
    const int is_short = is_crowded(l, d);
    const uint32_t n = device_at(l, d)->n_given, most = is_short ? MOST_CROWDED : MOST_GIVEN;
    hd_line_slice **at = NULL;
    *from = device_at(l, d);
    if (n < most)
        at = choose(l, *from, d, is_short || is_tight(l, *from, d));
    if (at || n >= FREE_AHEAD)
        return at;
    *from = commons(l);
    at = choose(l, *from, d, is_short || is_tight(l, *from, d));
    return at && leaves && is_too_slow(l, (*at)->job, d) ? NULL : at;
}

static void finish_some(hd_line *l);

/* One array of a slice's results. Those that are lost may be written by a slice that is given again, and go home with that. */
static heddle_status send_home(hd_line *l, hd_line_slice *p, hd_given *out)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    const uint32_t i = p->next_home++;
    hd_kind_uses(p->job->kind, &p->block, uses, comes_home);
    if (!comes_home[i] || !(uses[i].mode & HEDDLE_MODE_OUT))
        return HEDDLE_OK;
    if (check_use(l, &uses[i]) != HEDDLE_OK)
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
        for (p = device_at(l, d)->given; p && p->state == HD_SLICE_ENDED; p = p->next_given)
            if (p->goes_home && p->next_home < p->job->kind->config.n_uses) {
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
        if (!device_at(l, d)->is_untidy)
            continue;
        device_at(l, d)->is_untidy = hd_segments_tidy(l->segments, d, &out->plan) != HEDDLE_OK;
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
        if (!hd_is_here(l, k) || (best != HD_NONE && device_at(l, k)->n_given >= device_at(l, best)->n_given))
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

heddle_status hd_line_give(hd_line *l, hd_given *out, int *given, uint64_t now_ns)
{
    uint32_t best;
    hd_line_slice **at = NULL;
    hd_line_device *from = NULL;
    *given = 0;
    out->plan.ops.n = 0; /* also where no plan is made before something fails */
    finish_some(l);      /* what went home may have been there at once */
    tidy(l, out, given);
    if (!*given)
        HD_TRY(bring_home(l, out, given));
    if (*given)
        return HEDDLE_OK;
    HD_TRY(open_jobs(l));
    best = find(l, 1, &at, &from);
    if (best == HD_NONE && !l->n_under_way) /* they would leave them to one another: each looked at another one */
        best = find(l, 0, &at, &from);
    if (best == HD_NONE)
        return HEDDLE_OK;
    *given = 1;
    return give(l, from, at, best, out, now_ns);
}

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
    free_job(l, j);
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

/* Its body has ended: it began when the one before had ended and what it waited for had passed, as far as was seen. */
static void note_time(hd_line_device *d, hd_line_slice *p, uint64_t now_ns)
{
    const uint64_t begin = p->begin_ns > d->last_ns ? p->begin_ns : d->last_ns;
    p->job->shares[p->device].n_ended++;
    if (now_ns > begin)
        p->job->shares[p->device].busy_ns += now_ns - begin;
    d->last_ns = now_ns;
}

static void note_wait(hd_line_slice *x, hd_seg_point p, uint64_t now_ns)
{
    uint32_t i;
    for (i = 0; i < HD_SLICE_WAITS_KEPT; i++)
        if (x->waits[i].number && x->waits[i].queue == p.queue && x->waits[i].number <= p.number) {
            x->waits[i].number = 0;
            x->begin_ns = now_ns;
        }
}

static void note_waits(hd_line *l, hd_seg_point p, uint64_t now_ns)
{
    uint32_t d;
    hd_line_slice *x;
    for (d = 0; d < l->n_devices; d++)
        for (x = device_at(l, d)->given; x; x = x->next_given)
            note_wait(x, p, now_ns);
}

/* Moves home of a slice may have been put by another device. */
static void finish_some(hd_line *l)
{
    uint32_t i;
    for (i = 0; i < l->n_devices; i++)
        while (device_at(l, i)->given && device_at(l, i)->given->state == HD_SLICE_ENDED &&
               is_home(l, device_at(l, i)->given))
            finish(l, device_at(l, i), device_at(l, i)->given);
}

heddle_status hd_line_passed(hd_line *l, hd_seg_point p, uint64_t now_ns)
{
    hd_line_device *d = device_at(l, p.queue / HD_N_ROLES);
    hd_line_slice *x;
    hd_segments_done(l->segments, p);
    note_waits(l, p, now_ns);
    if (p.queue % HD_N_ROLES == HD_QUEUE_BODIES)
        for (x = d->given; x && x->body.number <= p.number; x = x->next_given)
            if (x->state == HD_SLICE_GIVEN) {
                x->state = HD_SLICE_ENDED;
                note_time(d, x, now_ns);
            }
    finish_some(l);
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

/* Its slices that wait are not given any more. */
static void drop_job(hd_line *l, hd_line_job *j, heddle_status status)
{
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
                hd_line_order_give(&l->order, *at); /* nobody waits for it */
                *at = NULL;
            }
        }
}

void hd_line_drop(hd_line *l, const hd_line_kind *k, heddle_status status)
{
    hd_line_job *j = l->first, *next;
    int is_dropped = !k;
    for (; j; j = next) {
        next = j->next;
        is_dropped |= j->kind == k;
        if (!is_dropped)
            continue;
        forget_slices(l, j);
        drop_job(l, j, status);
    }
    if (!k) /* a job that was only half in the order, for want of memory, leaves nothing behind */
        clear_queues(l);
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
    return add_parts(l, j, 1);
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
    device_at(l, device)->is_lost = 1;
    hd_segments_lost(l->segments, device, NULL, NULL);
    for (d = 0; d < l->n_devices; d++)
        sift_given(l, device_at(l, d));
    clear_queues(l);
    if (!n_here(l))
        return HEDDLE_EDEVICE;
    for (k = l->kinds; k; k = k->next)
        hd_settle_begin(k);
    for (j = l->first; j && j != l->unopened; j = j->next)
        HD_TRY(wait_again(l, j));
    return HEDDLE_OK;
}

int hd_line_lost_rows(const hd_line *l, uint32_t *array, hd_seg_rect *rect)
{
    *array = l->lost_array;
    *rect = l->lost_rect;
    return l->lost_array != HD_NONE;
}

uint64_t hd_line_n_under_way(const hd_line *l) { return l->n_under_way; }
int hd_line_is_empty(const hd_line *l) { return !l->first; }
