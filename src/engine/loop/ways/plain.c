/* SPDX-License-Identifier: MIT */
/* plain.c - ways that a line tells: guided, hguided, factoring, linear, exponential. As published, but that no block is shorter
 * than the unit's least slice; guided has no such bound, since a least block is what later ways added to it. */
#include "engine/loop/ways.h"

#define FEWEST 1u

/* Polychronopoulos and Kuck 1987: what is left over the number of units. */
static uint64_t guided(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    (void)unit, (void)now_ns;
    return (hd_unclaimed(s) + s->n_present - 1) / s->n_present;
}

static uint64_t at_least(const hd_split *s, uint32_t unit)
{
    return s->units[unit].is.least > FEWEST ? s->units[unit].is.least : FEWEST;
}

/* Maat, EngineCL: speeds are told beforehand. */
static uint64_t hguided(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    (void)now_ns;
    return hd_part(hd_unclaimed(s), s->units[unit].is.weight, 2 * s->weight, at_least(s, unit));
}

/* Hummel 1992, weighted and adaptive: speeds are measured. Blocks are the least until all kinds are known. */
static uint64_t factoring(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    (void)now_ns;
    if (s->n_unknown)
        return at_least(s, unit);
    return hd_part(hd_unclaimed(s), s->units[unit].rate, 2 * s->rate, at_least(s, unit));
}

/* Tse et al. (Monte-Carlo): blocks that grow by a constant, or by a factor. Both start with the least slice. */
static uint64_t next_block(hd_split *s, uint32_t unit, uint64_t factor)
{
    uint64_t *block = s->units[unit].way;
    const uint64_t now = *block ? *block : at_least(s, unit), left = hd_unclaimed(s);
    *block = now > left ? now : factor ? now * factor : now + at_least(s, unit); /* never beyond 2^64 */
    return now;
}

static uint64_t linear(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    (void)now_ns;
    return next_block(s, unit, 0);
}

static uint64_t exponential(hd_split *s, uint32_t unit, uint64_t now_ns)
{
    (void)now_ns;
    return next_block(s, unit, 2);
}

const hd_way_to_divide hd_way_GUIDED = {.is_single = 1, .claim = guided};
const hd_way_to_divide hd_way_HGUIDED = {.is_single = 1, .claim = hguided};
const hd_way_to_divide hd_way_FACTORING = {.is_single = 1, .claim = factoring};
const hd_way_to_divide hd_way_LINEAR = {.is_single = 1, .claim = linear, .unit_bytes = sizeof(uint64_t)};
const hd_way_to_divide hd_way_EXPONENTIAL = {.is_single = 1, .claim = exponential, .unit_bytes = sizeof(uint64_t)};
