/* SPDX-License-Identifier: MIT */
/* nontemporal.c - stores past the caches write the bytes of memcpy, and no others. */
#include "check.h"
#include "nontemporal.h"

#include <stdlib.h>
#include <string.h>

static uint64_t state;

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
    of_stores();
    return 0;
}
