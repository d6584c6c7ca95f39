/* SPDX-License-Identifier: MIT */
/* once.c - ways that give each unit one interval: static, by the speeds of earlier loops if these are known, else by weights; axel, by
 * data-sheet weights; qilin, by a linear fit of a training run.
 *
 * Qilin trains with 30 % of the loop in a run of its own, which its figures do not count. With models from earlier loops, these are
 * the training, and all of the loop is divided by them. Without, the first 30 % of the loop is: equal parts, in four blocks that grow,
 * because the fit needs several lengths. Units that are done with their part wait until all are. That costs what training costs.
 *
 * Units that are lost before they asked, and units that join, make the others' intervals longer or shorter. When all that are here
 * had their interval and something is left, it is divided anew. */
#include "engine/loop/ways.h"

#define N_BLOCKS 4u /* of a unit's training: 1, 2, 3 and 4 tenths of its part */
#define TENTHS 10u
#define TRAINING 0.3

typedef struct interval {
    uint32_t n_rounds; /* that it had its interval in */
    uint32_t n_blocks; /* of its training */
    hd_samples training;
    double t0_ns, each_ns;
} interval;

typedef struct all {
    uint32_t round;
    uint64_t part; /* of a unit, of the training */
    int is_trained;
} all;

static interval *of(const hd_split *s, uint32_t unit) { return s->units[unit].way; }

typedef double (*weight_fn)(const hd_split *s, uint32_t unit);

static double by_weight(const hd_split *s, uint32_t unit) { return s->units[unit].is.weight; }
static double by_model(const hd_split *s, uint32_t unit)
{
    return s->has_models ? 1 / hd_model_of(s, unit)->each_ns : by_weight(s, unit);
}

static int is_due(const hd_split *s, uint32_t unit)
{
    return s->units[unit].presence == HD_PRESENT && of(s, unit)->n_rounds <= ((all *)s->way_all)->round;
}

/* Its share of what is left among those that have not had theirs. */
static uint64_t share(hd_split *s, uint32_t unit, weight_fn weight)
{
    all *a = s->way_all;
    double sum = 0;
    uint64_t n;
    uint32_t n_due = 0;
    for (uint32_t i = 0; i < s->n_units; i++)
        if (is_due(s, i)) {
            sum += weight(s, i);
            n_due++;
        }
    if (!n_due) { /* a new round, in which all are */
        a->round++;
        return share(s, unit, weight);
    }
    if (!is_due(s, unit))
        return 0;
    of(s, unit)->n_rounds = a->round + 1;
    n = hd_part(hd_unclaimed(s), weight(s, unit), sum, 0);
    return n_due == 1 ? hd_unclaimed(s) : n;
}

static uint64_t by_data_sheet(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    (void)now_ns;
    return share(s, unit, by_weight);
}

static uint64_t by_speed(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    (void)now_ns;
    return share(s, unit, by_model);
}

/* ---- qilin ----------------------------------------------------------------------------------------------------------- */

/* All that are here have run their part, but for what they were lost with. */
static int is_trained(const hd_split *s)
{
    for (uint32_t i = 0; i < s->n_units; i++) {
        const hd_claimant *u = &s->units[i];
        if (u->presence == HD_PRESENT && (of(s, i)->n_blocks < N_BLOCKS || u->n_flying || u->end > u->begin))
            return 0;
    }
    return 1;
}

/* Units divide what is left so that the fixed cost and the grains of each take the same time: by rates, since that cost is paid once and
 * is small beside an interval. */
static double by_training(const hd_split *s, uint32_t unit)
{
    const interval *mine = of(s, unit);
    return mine->each_ns > 0 ? 1 / mine->each_ns : hd_is_known(s, unit) ? 1 / hd_model_of(s, unit)->each_ns : 0;
}

static uint64_t train(hd_split *s, uint32_t unit)
{
    interval *mine = of(s, unit);
    const all *a = s->way_all;
    const uint64_t block = a->part * (mine->n_blocks + 1) / TENTHS;
    if (mine->n_blocks == N_BLOCKS)
        return 0;
    mine->n_blocks++;
    return block ? block : 1;
}

static uint64_t by_fit(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    all *a = s->way_all;
    (void)now_ns;
    if (s->has_models)
        return share(s, unit, by_model);
    if (!a->part)
        a->part = (uint64_t)((double)s->n * TRAINING / s->n_present) + 1;
    a->is_trained |= is_trained(s);
    return a->is_trained ? share(s, unit, by_training) : train(s, unit);
}

static void trained(hd_split *s, uint32_t unit, uint64_t n, double ns)
{
    interval *mine = of(s, unit);
    hd_split_model m = {mine->t0_ns, mine->each_ns, 0, 0};
    if (((all *)s->way_all)->is_trained)
        return;
    hd_samples_add(&mine->training, (double)n, ns, 0);
    hd_samples_fit(&mine->training, &m);
    mine->t0_ns = m.t0_ns;
    mine->each_ns = m.each_ns;
    s->changes += mine->n_blocks == N_BLOCKS; /* others may have waited for it */
}

const hd_way_to_divide hd_way_STATIC = {sizeof(all), sizeof(interval), 1, by_speed, NULL, NULL, NULL};
const hd_way_to_divide hd_way_AXEL = {sizeof(all), sizeof(interval), 1, by_data_sheet, NULL, NULL, NULL};
const hd_way_to_divide hd_way_QILIN = {sizeof(all), sizeof(interval), 1, by_fit, NULL, trained, NULL};
