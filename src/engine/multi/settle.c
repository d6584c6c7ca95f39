/* SPDX-License-Identifier: MIT */
/* settle.c - shares of devices. They begin by weights. Bodies' times are added up over jobs, of all kinds of the family, until they say more than
 * the error of the times: then shares are judged. If a device ended more than 5 % after the mean twice in a row, shares are made anew by the
 * speeds that were measured. The rows that have to move for that must cost less time than jobs to come are expected to gain. After each
 * change shares have to be uneven twice as often, so that chance changes little.
 *
 * A sum has that error once, since a body begins where the one before ended, and once more for each that began apart. So a long job is judged by
 * itself, of short ones many, and of such as the host gives one by one only what is clear.
 *
 * Of map free, where devices take over what others have, they end evenly. There once is enough, and it is judged what the shares, by the
 * speeds that were measured, would have taken. */
#include "engine/multi/line_inside.h"

#define LATE 1.05
#define TWICE 2u
#define MOST_DOUBLED 10u
#define PAYS_WITHIN 8u
#define LINK 20e9 /* bytes/s: a device brings rows at least so quickly */

/* Bounds by speeds; a device that is lost has none. */
static void share_out(const hd_line_kind *k, const double *speed, uint64_t *bounds)
{
    const hd_line *l = k->line;
    double sum = 0, before = 0;
    uint32_t d;
    for (d = 0; d < l->n_devices; d++)
        sum += hd_is_here(l, d) ? speed[d] : 0;
    for (d = 0; d < l->n_devices; d++) {
        bounds[d] = (uint64_t)((double)k->config.n * (sum > 0 ? before / sum : 0) + 0.5);
        before += hd_is_here(l, d) ? speed[d] : 0;
    }
    bounds[l->n_devices] = k->config.n;
    for (d = l->n_devices; d-- > 0 && !hd_is_here(l, d);) /* rounding leaves it nothing */
        bounds[d] = k->config.n;
}

static void sum_anew(const hd_line_kind *k)
{
    memset(k->family->sums, 0, k->line->n_devices * sizeof *k->family->sums);
    k->family->n_summed = 0;
}

static void add_up(const hd_line_kind *k, const hd_line_share *shares)
{
    hd_line_family *f = k->family;
    uint32_t d;
    for (d = 0; d < k->line->n_devices; d++) {
        f->sums[d].n_grains += shares[d].n_grains;
        f->sums[d].busy_ns += shares[d].busy_ns;
        f->sums[d].n_apart += shares[d].n_apart;
    }
    f->n_summed++;
}

void hd_settle_begin(hd_line_kind *k)
{
    double equal[HD_LINE_MOST_DEVICES];
    uint32_t d;
    for (d = 0; d < k->line->n_devices; d++)
        equal[d] = 1;
    share_out(k, k->config.map == HEDDLE_MAP_STATIC ? equal : k->line->weights, k->family->bounds);
    sum_anew(k);
    k->family->n_late = 0;
}

/* The time of a job's bodies on the device that had the most; *mean: over those that had any. */
static double last_of(const hd_line_kind *k, double *mean)
{
    const hd_line_family *f = k->family;
    double sum = 0, most = 0;
    uint32_t d, n = 0;
    for (d = 0; d < k->line->n_devices; d++) {
        const double t = (double)f->sums[d].busy_ns / (double)f->n_summed;
        n += f->sums[d].n_grains > 0;
        sum += t;
        most = t > most ? t : most;
    }
    *mean = n ? sum / n : 0;
    return most;
}

/* One that had nothing is as quick as weights say, compared with one that had something. */
static void measure(const hd_line_kind *k, double *speed)
{
    const hd_line *l = k->line;
    const hd_line_share *sums = k->family->sums;
    double per_weight = 0;
    uint32_t d;
    for (d = 0; d < l->n_devices; d++) {
        speed[d] = sums[d].busy_ns ? (double)sums[d].n_grains / (double)sums[d].busy_ns : 0;
        if (speed[d] > 0)
            per_weight = speed[d] / l->weights[d];
    }
    for (d = 0; d < l->n_devices; d++)
        speed[d] = speed[d] > 0 ? speed[d] : per_weight * l->weights[d];
}

/* The same of shares as they are, by the speeds that were measured; *mean: of shares by these. */
static double last_of_shares(const hd_line_kind *k, double *mean)
{
    double speed[HD_LINE_MOST_DEVICES] = {0}, sum = 0, most = 0;
    uint32_t d;
    measure(k, speed);
    for (d = 0; d < k->line->n_devices; d++) {
        const double n = (double)(k->family->bounds[d + 1u] - k->family->bounds[d]);
        sum += hd_is_here(k->line, d) ? speed[d] : 0;
        most = speed[d] > 0 && n / speed[d] > most ? n / speed[d] : most;
    }
    *mean = sum > 0 ? (double)k->config.n / sum : most;
    return most;
}

/* How often in a row shares have to be uneven before they are changed. */
static uint64_t times_late(const hd_line_kind *k)
{
    const uint32_t n = k->family->n_moves;
    return (uint64_t)(k->config.map == HEDDLE_MAP_FREE ? 1u : TWICE) << (n < MOST_DOUBLED ? n : MOST_DOUBLED);
}

/* Bytes that devices would have to bring. */
static uint64_t moved(hd_line_kind *k, const uint64_t *bounds)
{
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint8_t comes_home[HD_SEGMENTS_MOST_USES];
    uint64_t most = 0;
    uint32_t d;
    for (d = 0; d < k->line->n_devices; d++) {
        const hd_grains b = {bounds[d], bounds[d + 1u], 0, k->config.n_2};
        uint64_t n;
        if (b.begin == b.end)
            continue;
        hd_kind_uses(k, &b, uses, comes_home);
        n = hd_segments_missing(k->line->segments, d, uses, k->config.n_uses);
        most = n > most ? n : most;
    }
    return most;
}

/* Jobs within which a change has to pay: eight, or as many as wait in the line, or as have ended unevenly for want of it. */
static double jobs_to_pay(const hd_line_kind *k)
{
    const hd_line_kind *o;
    uint64_t n = 0;
    for (o = k->line->kinds; o; o = o->next)
        n += o->family == k->family ? o->counts.n_jobs - o->n_ended : 0;
    n = n > k->family->n_uneven ? n : k->family->n_uneven;
    return (double)(n > PAYS_WITHIN ? n : PAYS_WITHIN);
}

static void move_bounds(hd_line *l, hd_line_kind *k, double last_ns)
{
    double speed[HD_LINE_MOST_DEVICES] = {0}, sum = 0;
    uint64_t bounds[HD_LINE_MOST_DEVICES + 1u];
    hd_line_family *f = k->family;
    uint32_t d;
    measure(k, speed);
    for (d = 0; d < l->n_devices; d++)
        sum += hd_is_here(l, d) ? speed[d] : 0;
    share_out(k, speed, bounds);
    if (!memcmp(f->bounds, bounds, (l->n_devices + 1u) * sizeof *bounds))
        return;
    if ((last_ns - (double)k->config.n / sum) * jobs_to_pay(k) < (double)moved(k, bounds) / LINK * 1e9)
        return;
    memcpy(f->bounds, bounds, (l->n_devices + 1u) * sizeof *bounds);
    f->n_uneven = 0;
    f->n_moves++;
    l->n_changes++;
    k->counts.n_moves++;
}

/* Of a job's time on a device. */
static double error_of(const hd_line_kind *k)
{
    const hd_line_family *f = k->family;
    uint64_t most = 0;
    uint32_t d;
    for (d = 0; d < k->line->n_devices; d++)
        most = f->sums[d].n_apart > most ? f->sums[d].n_apart : most;
    return k->line->error_ns * (1.0 + (double)most) / (double)f->n_summed;
}

/* Shares are judged if the sums are long enough for that. */
static void judge(hd_line *l, hd_line_kind *k)
{
    hd_line_family *f = k->family;
    const double error = error_of(k);
    double mean;
    const double last = k->config.map == HEDDLE_MAP_FREE ? last_of_shares(k, &mean) : last_of(k, &mean);
    const int is_late = last > mean * LATE + error;
    if (!is_late && mean * (LATE - 1.0) < error)
        return;
    f->n_late = is_late ? f->n_late + 1u : 0;
    f->n_uneven += is_late ? f->n_summed : 0;
    if (f->n_late >= times_late(k)) {
        f->n_late = 0;
        move_bounds(l, k, last);
    }
    sum_anew(k);
}

int hd_kind_learns(const hd_line_kind *k)
{
    return k->line->n_devices > 1 && (k->config.map == HEDDLE_MAP_SETTLE || k->config.map == HEDDLE_MAP_FREE);
}

/* Of a job that was cut before the last change nothing is learnt. */
void hd_settle_ended(hd_line *l, const hd_line_job *j)
{
    hd_line_kind *k = j->kind;
    memcpy(k->shares, j->shares, l->n_devices * sizeof *k->shares);
    memcpy(k->family->latest, j->shares, l->n_devices * sizeof *k->shares);
    k->n_ended++;
    if (!hd_kind_learns(k) || k->is_steady || j->status != HEDDLE_OK || j->n_changes != l->n_changes)
        return;
    add_up(k, j->shares);
    judge(l, k);
}
