/* SPDX-License-Identifier: MIT */
/* tally.c - the host's part of tally.h: memory, zeros, sums. */
#include "tally.h"
#include "app.h"

#include <stdlib.h>
#include <string.h>

#define CELLS_BYTES (TALLY_CELLS * sizeof(tally_cell))

int tally_clear(app_case *c, tally_cell *cells)
{
    void *zeros = calloc(TALLY_CELLS, sizeof(tally_cell));
    int failed = !zeros || heddle_mem_write(c->ctx, cells, zeros, CELLS_BYTES) != HEDDLE_OK;
    free(zeros);
    return failed ? app_heddle_error(c, "clearing the counts") : 0;
}

int tally_new(app_case *c, tally_cell **out)
{
    void *cells = NULL;
    if (heddle_mem_new(c->ctx, CELLS_BYTES, &cells) != HEDDLE_OK)
        return app_heddle_error(c, "memory for the counts");
    *out = cells;
    return tally_clear(c, cells);
}

static void add_cell(const tally_cell *cell, uint64_t *sum, uint64_t *most)
{
    for (int k = 0; k < TALLY_WORDS; k++) {
        sum[k] += cell->v[k];
        most[k] = cell->v[k] > most[k] ? cell->v[k] : most[k];
    }
}

int tally_read(app_case *c, const tally_cell *cells, uint64_t sum[TALLY_WORDS], uint64_t most[TALLY_WORDS])
{
    tally_cell *all = app_alloc(TALLY_CELLS, sizeof *all, "the counts", c->error);
    if (!all)
        return -1;
    if (heddle_mem_read(c->ctx, all, cells, CELLS_BYTES) != HEDDLE_OK) {
        free(all);
        return app_heddle_error(c, "reading the counts");
    }
    memset(sum, 0, TALLY_WORDS * sizeof *sum);
    memset(most, 0, TALLY_WORDS * sizeof *most);
    for (uint32_t i = 0; i < TALLY_CELLS; i++)
        add_cell(&all[i], sum, most);
    free(all);
    return 0;
}
