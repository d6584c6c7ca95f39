/* SPDX-License-Identifier: MIT */
/* line.c - lines, kinds of jobs, and jobs that are opened when their turn has come (line.h). */
#include "engine/multi/line_inside.h"

void hd_kind_uses(const hd_line_kind *k, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home)
{
    uint32_t i;
    k->config.uses(k->config.self, b, out, comes_home);
    for (i = 0; i < k->config.n_uses; i++)
        out[i].hull = out[i].rect;
}

/* ---- new and delete ------------------------------------------------------------------------------------------------------- */

heddle_status hd_line_new(hd_line **out, const hd_line_config *c)
{
    hd_line *l = hd_new(sizeof *l);
    const hd_segments_config s = {c->n_devices, c->pool_bytes, c->reach, hd_line_next_use, l};
    *out = l;
    if (!l)
        return HEDDLE_ENOMEM;
    l->ended = c->ended;
    l->dropped = c->dropped;
    l->user = c->user;
    l->n_devices = c->n_devices;
    l->n_body_queues = c->n_body_queues;
    l->error_ns = c->error_ns;
    l->weights = hd_new(c->n_devices * sizeof *l->weights);
    l->pool_bytes = hd_new(c->n_devices * sizeof *l->pool_bytes);
    l->devices = hd_new((c->n_devices + 1u) * sizeof *l->devices);
    if (l->weights && l->pool_bytes && l->devices && hd_segments_new(&l->segments, &s) == HEDDLE_OK) {
        memcpy(l->weights, c->weights, c->n_devices * sizeof *l->weights);
        memcpy(l->pool_bytes, c->pool_bytes, c->n_devices * sizeof *l->pool_bytes);
        return HEDDLE_OK;
    }
    hd_line_delete(l);
    *out = NULL;
    return HEDDLE_ENOMEM;
}

void hd_line_free_job(const hd_line *l, hd_line_job *j)
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
        hd_line_free_job(l, j);
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

static void set_tasks(hd_line_kind *k)
{
    hd_line_kind_config *c = &k->config;
    c->n_tasks_2 = (uint32_t)hd_at_most(c->n_tasks_2, c->n_2);
    if (c->n_tasks)
        c->n_tasks = (uint32_t)hd_at_most(c->n_tasks, c->n);
    else
        hd_cut_choose(k);
}

/* Another kind of the same family; or that could be. */
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

static void delete_family(const hd_line_kind *k)
{
    const uint32_t n = k->line->n_devices;
    hd_line_family *f = k->family;
    if (!f)
        return;
    hd_delete(f->bounds, f->bounds ? (n + 1u) * sizeof *f->bounds : 0);
    hd_delete(f->owners, f->owners ? hd_n_owners(k) * sizeof *f->owners : 0);
    hd_delete(f->latest, f->latest ? n * sizeof *f->latest : 0);
    hd_delete(f->sums, f->sums ? n * sizeof *f->sums : 0);
    hd_delete(f, sizeof *f);
}

static int new_family(hd_line_kind *k)
{
    const uint32_t n = k->line->n_devices;
    hd_line_family *f = k->family = hd_new(sizeof *f);
    if (!f)
        return -1;
    f->bounds = hd_new((n + 1u) * sizeof *f->bounds);
    f->latest = hd_new(n * sizeof *f->latest);
    f->sums = hd_new(n * sizeof *f->sums);
    if (k->config.map == HEDDLE_MAP_FIXED && (f->owners = hd_new(hd_n_owners(k) * sizeof *f->owners)))
        memset(f->owners, 0xff, hd_n_owners(k) * sizeof *f->owners);
    if (!f->bounds || !f->latest || !f->sums || (k->config.map == HEDDLE_MAP_FIXED && !f->owners))
        return -1;
    hd_settle_begin(k);
    return 0;
}

static int get_shares(hd_line *l, hd_line_kind *k)
{
    const hd_line_kind *like = relative(l, k);
    k->shares = hd_new(l->n_devices * sizeof *k->shares);
    if (!k->shares)
        return -1;
    if (!like)
        return new_family(k);
    k->family = like->family;
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
    set_tasks(k);
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
    if (!relative(k->line, k))
        delete_family(k);
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
    for (i = 0; k->family->owners && i < hd_n_owners(k); i++)
        if (k->family->owners[i] == HD_NONE)
            return 1;
    return 0;
}

static int may_open(const hd_line *l, const hd_line_job *j)
{
    const uint32_t window = l->n_waiting < HD_WINDOW || !hd_line_is_short(l) ? HD_WINDOW : HD_WINDOW_SHORT;
    if (j->kind->config.is_alone || (l->first != j && l->first->kind->config.is_alone))
        return l->first == j;
    return !l->n_waiting ||
           (is_ordered(j) && !is_unmapped(j->kind) && l->order.n_waiting == l->n_waiting && l->n_waiting < window);
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

heddle_status hd_line_add_parts(hd_line *l, hd_line_job *j, int is_in_order)
{
    uint32_t i;
    for (i = 0; i < j->n_parts; i++) {
        hd_line_slice *p = &j->parts[i];
        if (p->state != HD_SLICE_WAITS)
            continue;
        if ((is_in_order && join_order(l, p)) ||
            put(p->device == HD_NONE ? hd_line_commons(l) : hd_line_device_at(l, p->device), p))
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
    return hd_line_add_parts(l, j, is_ordered(j));
}

heddle_status hd_line_open_jobs(hd_line *l)
{
    while (l->unopened && may_open(l, l->unopened))
        HD_TRY(open_job(l, l->unopened));
    return HEDDLE_OK;
}
