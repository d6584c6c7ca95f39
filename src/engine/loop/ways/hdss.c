/* SPDX-License-Identifier: MIT */
/* hdss.c - Belviranli's thesis, section 3.3.2. An adaptive phase of growing blocks finds the speed of each unit; then the completion
 * phase gives each unit its share of what is left, by these speeds, which stay as they are.
 *
 * Adaptive phase: the first block is the unit's least slice (the thesis: 128 iterations times a factor, which should be a multiple of
 * the device's threads). A speed is stable when a block changed it by less than 1 %. Else blocks double; from four blocks on the
 * curve a ln x + b is fitted to the speeds by least squares, and the next block is where it is flat. A stable unit keeps the size of
 * its last block. The phase ends when all units are stable, or 20 % of the loop is spent.
 *
 * How the stopping rule is read. Printed is: the point where the slope of the curve equals a / 0.01. The slope is a / x, so that would
 * be a block of 0.01 iterations, for every device. Here the curve is flat where doubling the block changes the speed by less than 1 %:
 * a ln 2 = 0.01 (a ln x + b). That gives jumps as those of the thesis' figure 3.11. A block at least doubles, grows 1024-fold at
 * most, and is at most the unit's even share of the 20 %, so that one block cannot spend the phase.
 *
 * Completion phase: R w / sum of w, as printed. It has no least block. */
#include "engine/loop/ways.h"

#include <math.h>

#define STABLE 0.01
#define MOST_ADAPTIVE 0.2
#define POINTS_OF_FIT 4u
#define MOST_GROWTH 1024.0
#define MOST_LOG 40.0

typedef struct block {
    double size, rate;      /* of the last one: grains a nanosecond */
    double n, x, xx, y, xy; /* sums: x = ln size, y = rate */
    int is_stable;
} block;

typedef struct all {
    int is_complete; /* in the completion phase */
} all;

static block *of(const hd_split *s, uint32_t unit) { return s->units[unit].way; }

/* The size at which the fitted curve is flat; 0: it does not rise. */
static double flat_at(const block *b)
{
    const double below = b->n * b->xx - b->x * b->x;
    const double slope = below > 0 ? (b->n * b->xy - b->x * b->y) / below : 0;
    const double base = (b->y - slope * b->x) / b->n;
    const double at = slope > 0 ? (slope * log(2) / STABLE - base) / slope : 0;
    return slope > 0 ? exp(at < 0 ? 0 : at > MOST_LOG ? MOST_LOG : at) : 0;
}

static void ended(hd_split *s, uint32_t unit, uint64_t n, double ns)
{
    block *b = of(s, unit);
    const double rate = (double)n / (ns > 1 ? ns : 1), x = log((double)n), y = rate;
    double wanted;
    if (((all *)s->way_all)->is_complete && b->rate > 0)
        return;
    b->is_stable |= b->rate > 0 && fabs(rate - b->rate) < STABLE * b->rate;
    b->rate = rate;
    b->n += 1;
    b->x += x;
    b->xx += x * x;
    b->y += y;
    b->xy += x * y;
    if (b->is_stable) {
        b->size = (double)n;
        return;
    }
    wanted = b->n >= POINTS_OF_FIT ? flat_at(b) : 0;
    wanted = wanted > 2.0 * (double)n ? wanted : 2.0 * (double)n;
    b->size = wanted < MOST_GROWTH * (double)n ? wanted : MOST_GROWTH * (double)n;
}

static int all_stable(const hd_split *s)
{
    for (uint32_t i = 0; i < s->n_units; i++)
        if (s->units[i].presence == HD_PRESENT && !of(s, i)->is_stable)
            return 0;
    return 1;
}

static uint64_t adaptive(const hd_split *s, uint32_t unit)
{
    const double most = (double)s->n * MOST_ADAPTIVE / s->n_present, size = of(s, unit)->size;
    const double wanted = size > 0 ? size : (double)s->units[unit].is.least, n = wanted < most ? wanted : most;
    return n > 1 ? (uint64_t)n : 1;
}

static uint64_t complete(const hd_split *s, uint32_t unit)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->n_units; i++)
        sum += s->units[i].presence == HD_PRESENT ? of(s, i)->rate : 0;
    return of(s, unit)->rate > 0 ? (uint64_t)ceil((double)hd_unclaimed(s) * of(s, unit)->rate / sum)
                                 : adaptive(s, unit);
}

/* A unit that is new in the completion phase gets one block that is measured. */
static uint64_t claim(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    all *a = s->way_all;
    uint64_t n;
    (void)now_ns;
    a->is_complete |= all_stable(s) || (double)s->cursor > (double)s->n * MOST_ADAPTIVE;
    n = a->is_complete ? complete(s, unit) : adaptive(s, unit);
    return n ? n : 1;
}

const hd_way_to_divide hd_way_HDSS = {sizeof(all), sizeof(block), 1, claim, NULL, ended, NULL};
