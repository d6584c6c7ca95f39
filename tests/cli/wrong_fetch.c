/* SPDX-License-Identifier: MIT */
/* wrong_fetch.c - a library to be loaded before heddle (LD_PRELOAD): when something has come home of an array, its first number is
 * another one, far too large. So a test sees whether a wrong answer is noticed. */
#include "heddle/fleet.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { MOST = 64, HIGHEST = 3, VALUE = 0x7a }; /* of the first number's bytes */

static struct {
    const heddle_array *array;
    unsigned char *host;
} seen[MOST];
static unsigned n_seen;

static void *real(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (!f)
        abort();
    return f;
}

heddle_status heddle_array_new(heddle_fleet *f, const heddle_array_desc *d, heddle_array **out)
{
    heddle_status (*make)(heddle_fleet *, const heddle_array_desc *, heddle_array **);
    heddle_status s;
    *(void **)&make = real("heddle_array_new");
    s = make(f, d, out);
    if (s == HEDDLE_OK) {
        seen[n_seen % MOST].array = *out;
        seen[n_seen++ % MOST].host = d->host;
    }
    return s;
}

heddle_status heddle_array_fetch(heddle_array *a, uint64_t row, uint64_t n_rows)
{
    heddle_status (*fetch)(heddle_array *, uint64_t, uint64_t);
    heddle_status s;
    *(void **)&fetch = real("heddle_array_fetch");
    s = fetch(a, row, n_rows);
    for (unsigned i = n_seen; i-- > 0 && i + MOST >= n_seen;) /* the newest with that address */
        if (seen[i % MOST].array == a) {
            seen[i % MOST].host[HIGHEST] = VALUE;
            break;
        }
    return s;
}
