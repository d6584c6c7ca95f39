/* SPDX-License-Identifier: MIT */
/* distance.c - see distance.h. If intervals do not overlap, the clocks have drifted faster than is assumed, or one was set: then
 * the newer interval alone is true. */
#include "engine/pool/distance.h"

static int64_t drift_of(uint64_t from_ns, uint64_t to_ns)
{
    return (int64_t)((from_ns < to_ns ? to_ns - from_ns : from_ns - to_ns) / HD_DRIFT_PART);
}

void hd_distance_meet(hd_distance *d, const hd_distance *other)
{
    const int64_t drift = drift_of(d->at_ns, other->at_ns);
    const int64_t least = other->least - drift > d->least ? other->least - drift : d->least;
    const int64_t most = other->most + drift < d->most ? other->most + drift : d->most;
    if (!other->at_ns || least > most)
        return;
    d->least = least;
    d->most = most;
}

void hd_distance_see(hd_distance *d, uint64_t spawned_ns, uint64_t begin, uint64_t end, uint64_t seen_ns)
{
    hd_distance now = {(int64_t)(spawned_ns - begin) - drift_of(spawned_ns, seen_ns), (int64_t)(seen_ns - end),
                       seen_ns};
    if (now.least > now.most) /* the GPU's clock was faster than it may be, or a timer's step */
        now.most = now.least;
    hd_distance_meet(&now, d);
    *d = now;
}

int64_t hd_distance_of(const hd_distance *d, uint64_t spawned_ns, uint64_t begin, uint64_t end, uint64_t seen_ns)
{
    const int64_t least = (int64_t)(spawned_ns - begin), most = (int64_t)(seen_ns - end),
                  middle = hd_distance_middle(d);
    const int64_t early = middle < most ? middle : most;
    return early > least ? early : least;
}
