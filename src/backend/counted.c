/* SPDX-License-Identifier: MIT */
/* counted.c - see counted.h. */
#include "backend/counted.h"
#include "heddle/core/atom.h"

uint32_t hd_counted(const hd_graph *g, const uint32_t *count, uint32_t run, hd_doing *out, uint32_t n_max)
{
    uint32_t t, n = 0;
    for (t = 0; t < g->n_tasks && n < n_max; t++) {
        uint32_t need = hd_graph_task(g, t)->n_in, seen = HD_LOAD(&count[t], RELAXED, DEV) - (run - 1u) * need;
        if (seen > 0 && seen < need)
            out[n++] = (hd_doing){HD_NONE, t, seen, need, 1};
    }
    return n;
}
