/* SPDX-License-Identifier: MIT */
/* settle.c - shares of devices. They begin by weights. A device may end two jobs in a row more than 5 % after the mean. Then shares are made
 * anew by the speeds that were measured. The rows that have to move for that must cost less time than jobs to come are expected to gain.
 * After each change twice as many jobs have to end late, so that chance changes little.
 *
 * Of map free, where devices take over what others have, they end evenly. There one job is enough in which the shares, by the speeds
 * that were measured, would have ended late. */
#include "engine/multi/line_inside.h"

#define LATE 1.05
#define SHORT_NS 5000.0 /* begins and ends of bodies are not known better */
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
        bounds[d] = (uint64_t)((double)k->config.n * (before / sum) + 0.5);
        before += hd_is_here(l, d) ? speed[d] : 0;
    }
    bounds[l->n_devices] = k->config.n;
    for (d = l->n_devices; d-- > 0 && !hd_is_here(l, d);) /* rounding leaves it nothing */
        bounds[d] = k->config.n;
}

void hd_settle_begin(hd_line_kind *k)
{
    double equal[HD_LINE_MOST_DEVICES];
    uint32_t d;
    for (d = 0; d < k->line->n_devices; d++)
        equal[d] = 1;
    share_out(k, k->config.map == HEDDLE_MAP_STATIC ? equal : k->line->weights, k->bounds);
    k->n_late = 0;
}

/* The time of the job's bodies on the device that had the most; *mean: over those that had any. */
static double last_of(const hd_line_kind *k, double *mean)
{
    double sum = 0, most = 0;
    uint32_t d, n = 0;
    for (d = 0; d < k->line->n_devices; d++) {
        const double t = (double)k->shares[d].busy_ns;
        n += k->shares[d].n_grains > 0;
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
    double per_weight = 0;
    uint32_t d;
    for (d = 0; d < l->n_devices; d++) {
        speed[d] = k->shares[d].busy_ns ? (double)k->shares[d].n_grains / (double)k->shares[d].busy_ns : 0;
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
        const double n = (double)(k->bounds[d + 1u] - k->bounds[d]);
        sum += hd_is_here(k->line, d) ? speed[d] : 0;
        most = speed[d] > 0 && n / speed[d] > most ? n / speed[d] : most;
    }
    *mean = sum > 0 ? (double)k->config.n / sum : most;
    return most;
}

/* Late jobs in a row after which shares are changed. */
static uint64_t late_jobs(const hd_line_kind *k)
{
    const uint64_t n_moves = k->counts.n_moves < MOST_DOUBLED ? k->counts.n_moves : MOST_DOUBLED;
    return (uint64_t)(k->config.map == HEDDLE_MAP_FREE ? 1u : TWICE) << n_moves;
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
        n += o->bounds == k->bounds ? o->counts.n_jobs - o->n_ended : 0;
    n = n > k->n_uneven ? n : k->n_uneven;
    return (double)(n > PAYS_WITHIN ? n : PAYS_WITHIN);
}

static void move_bounds(hd_line *l, hd_line_kind *k, double last_ns)
{
    double speed[HD_LINE_MOST_DEVICES] = {0}, sum = 0;
    uint64_t bounds[HD_LINE_MOST_DEVICES + 1u];
    uint32_t d;
    measure(k, speed);
    for (d = 0; d < l->n_devices; d++)
        sum += hd_is_here(l, d) ? speed[d] : 0;
    share_out(k, speed, bounds);
    if (!memcmp(k->bounds, bounds, (l->n_devices + 1u) * sizeof *bounds))
        return;
    if ((last_ns - (double)k->config.n / sum) * jobs_to_pay(k) < (double)moved(k, bounds) / LINK * 1e9)
        return;
    memcpy(k->bounds, bounds, (l->n_devices + 1u) * sizeof *bounds);
    k->n_uneven = 0;
    l->n_changes++;
    k->counts.n_moves++;
}

/* Of a job that was cut before the last change nothing is learnt. */
void hd_settle_ended(hd_line *l, const hd_line_job *j)
{
    hd_line_kind *k = j->kind;
    double mean, last;
    memcpy(k->shares, j->shares, l->n_devices * sizeof *k->shares);
    memcpy(k->latest, j->shares, l->n_devices * sizeof *k->latest);
    k->n_ended++;
    if (j->status != HEDDLE_OK || (k->config.map != HEDDLE_MAP_SETTLE && k->config.map != HEDDLE_MAP_FREE) ||
        k->is_steady || l->n_devices < 2 || j->n_changes != l->n_changes)
        return;
    last = k->config.map == HEDDLE_MAP_FREE ? last_of_shares(k, &mean) : last_of(k, &mean);
    k->n_late = last > mean * LATE && last > mean + SHORT_NS ? k->n_late + 1u : 0;
    k->n_uneven += k->n_late > 0;
    if (k->n_late < late_jobs(k))
        return;
    k->n_late = 0;
    move_bounds(l, k, last);
}
