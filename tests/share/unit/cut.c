/* SPDX-License-Identifier: MIT */
/* cut.c - copies of all sizes are cut into chunks without a gap, and these into pieces that the ring has room for, small ones at one end; and
 * stores past the caches write the bytes of memcpy, and no others. */
#include "check.h"
#include "cut.h"
#include "nontemporal.h"

#include <stdlib.h>
#include <string.h>

static uint64_t state;

static void check_pieces(const share_cut *c)
{
    size_t chunk = 0;
    for (size_t p = 0; p < c->n_pieces; p++) {
        const size_t first = share_cut_first(c, p), end = share_cut_first(c, p + 1),
                     at_end = c->is_out ? c->n_pieces - 1 - p : p;
        CHECK(first == chunk && end > first && end - first <= (size_t)1 << SHARE_CUT_RAMP);
        if (p + 1 < c->n_pieces && p > 0) /* but for the one that takes what is left */
            CHECK(end - first == (size_t)1 << (at_end < SHARE_CUT_RAMP ? at_end : SHARE_CUT_RAMP));
        for (; chunk < end; chunk++)
            CHECK(share_cut_piece(c, chunk) == p);
    }
    CHECK(chunk == c->n_chunks &&
          share_cut_first(c, c->is_out ? c->n_pieces - 1 : 1) == (c->is_out ? c->n_chunks - 1 : 1));
}

static void of_cuts(void)
{
    for (int i = 0; i < 20000; i++) {
        share_cut c;
        const size_t chunk_bytes = 1 + check_below(&state, i % 2 ? 5 : 100000),
                     n = 1 + check_below(&state, 200 * chunk_bytes);
        size_t at = 0;
        share_cut_new(&c, n, chunk_bytes, i % 3 == 0);
        check_pieces(&c);
        for (size_t k = 0; k < c.n_chunks; k++) {
            CHECK(share_cut_at(&c, k) == at && share_cut_at(&c, k + 1) > at &&
                  share_cut_at(&c, k + 1) - at <= chunk_bytes);
            at = share_cut_at(&c, k + 1);
        }
        CHECK(at == n);
    }
}

static void of_stores(void)
{
    enum { MOST = 5000, EDGE = 200 };
    static unsigned char from[MOST], to[MOST + 2 * EDGE], want[MOST + 2 * EDGE];
    for (int i = 0; i < 20000; i++) {
        const size_t n = check_below(&state, i % 4 ? MOST / 8 : MOST), skip = check_below(&state, 70),
                     off = check_below(&state, 70);
        for (size_t k = 0; k < n + off && k < MOST; k++)
            from[k] = (unsigned char)check_below(&state, 256);
        memset(to, i, sizeof to);
        memset(want, i, sizeof want);
        if (off + n > MOST)
            continue;
        memcpy(want + EDGE + skip, from + off, n);
        share_copy_nontemporal(to + EDGE + skip, from + off, n);
        CHECK(!memcmp(to, want, sizeof to));
    }
}

int main(void)
{
    state = check_seed(31);
    of_cuts();
    of_stores();
    return 0;
}
