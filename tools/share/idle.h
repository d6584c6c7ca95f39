/* SPDX-License-Identifier: MIT */
/* idle.h - how long a direction of a link was idle between two turns, the second of which had been waited for: from the time when the
 * last bytes of one program were over until the first of the next were given to the driver. Clients write both times on their
 * pages. They are shown, and nothing else: a client may write what it wants. */
#ifndef SHARE_IDLE_H
#define SHARE_IDLE_H

#include "peer.h"

enum { SHARE_IDLE_KEPT = 512 };

typedef struct share_idle_way {
    uint32_t before, before_seq, next, next_seq; /* clients and turns; next_seq 0: nobody had waited */
    uint32_t ns[SHARE_IDLE_KEPT];                /* the last ones, in a ring */
    uint64_t n;
} share_idle_way;

typedef struct share_idle {
    share_idle_way ways[SHARE_MOST_LINKS][SHARE_N_WAYS];
} share_idle;

/* To be called before a turn's end is told to the arbiter, and after: *mine is a copy of the ask, in state SHARE_HOLDS. */
void share_idle_ends(share_idle *i, share_peer *const *peer_of, const share_ask *mine);
void share_idle_ended(share_idle *i, const share_arbiter *a, const share_ask *mine);
/* Of those that are kept, this part in a thousand was not longer. */
uint64_t share_idle_ns(const share_idle_way *w, uint32_t part);

#endif
