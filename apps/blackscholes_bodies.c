/* SPDX-License-Identifier: MIT */
/* blackscholes_bodies.c - the body of blackscholes: an option an index, in single precision, as PARSEC and the CUDA samples have it. The
 * normal distribution is formula 26.2.17 of Abramowitz and Stegun, with an error below 7.5e-8. */
#include "blackscholes_bodies.h"
#include "exact_math.h"
#include "vectors.h"

#include <math.h>

HEDDLE_FN float below(float d)
{
    const float size = fabsf(d), k = 1.0f / (1.0f + 0.2316419f * size);
    const float series =
        k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228040f * exact_expf(-0.5f * size * size) * series;
    return d > 0 ? 1.0f - tail : tail;
}

HEDDLE_FN void price(const blackscholes_record *p, uint64_t i)
{
    const float spot = p->spot[i], strike = p->strike[i], years = p->years[i];
    const float spread = p->volatility * sqrtf(years);
    const float d1 = (exact_logf(spot / strike) + (p->rate + 0.5f * p->volatility * p->volatility) * years) / spread;
    const float below1 = below(d1), below2 = below(d1 - spread);
    const float paid = strike * exact_expf(-p->rate * years);
    p->call[i] = spot * below1 - paid * below2;
    p->put[i] = paid * (1.0f - below2) - spot * (1.0f - below1);
}

HEDDLE_FN void price_all(const blackscholes_record *params, uint64_t begin, uint64_t end)
{
    const blackscholes_record p = *params; /* results cannot change it */
    for (uint64_t i = begin; i < end; i++)
        price(&p, i);
}
VECTORS_QUICK(price_all, (const blackscholes_record *p, uint64_t begin, uint64_t end), (p, begin, end))

HEDDLE_LOOP(blackscholes_price, blackscholes_record, params, s)
{
#if HEDDLE_ON_HOST
    if (thread->team_size == 1u) {
        price_all_quick(params, s->begin, s->end);
        return;
    }
#endif
    HEDDLE_SPAN (i, s)
        price(params, i);
}

HEDDLE_LOOP_TABLE(blackscholes, blackscholes_record, BLACKSCHOLES_BODIES)
