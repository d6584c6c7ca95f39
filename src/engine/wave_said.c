/* SPDX-License-Identifier: MIT */
/* wave_said.c - sentences on waves of cells and of tiles that failed, or were stopped: which cell, and where bands were. */
#include "engine/wave.h"

#include <stdio.h>

/* All tasks of a wave have one body. */
int hd_wave_say_failure(heddle_graph *g, const hd_wave_words *words, const char *kind, uint32_t code, char *to,
                        size_t n)
{
    const char *name = g->g.table->bodies[hd_graph_task(&g->g, 0)->body].name;
    hd_wave_words w;
    char sweep[32] = "";
    if (heddle_mem_read(g->ctx, &w, words, sizeof w) != HEDDLE_OK || w.first.code != code)
        return 0; /* a body called heddle_task_fail */
    if (w.first.sweep)
        snprintf(sweep, sizeof sweep, " in sweep %u", w.first.sweep);
    snprintf(to, n, "%s %.64s at row %u, column %u of item %u failed%s with code %u", kind, name, w.first.row,
             w.first.column, w.first.item, sweep, code);
    return 1;
}

static int say_band(char *to, size_t n, uint32_t kind, const hd_item_at *at, uint32_t band, uint32_t column)
{
    char pass[24] = "";
    if (at->pass)
        snprintf(pass, sizeof pass, " in pass %u", at->pass);
    if (kind == HD_HALT_WORKS)
        return snprintf(to, n, "; band %u of item %u%s works at column %u", band, at->field, pass, column);
    if (kind == HD_HALT_BORDER || kind == HD_HALT_PASS)
        return snprintf(to, n, "; band %u of item %u%s waits at column %u for %s", band, at->field, pass, column,
                        kind == HD_HALT_PASS ? "the pass before" : "a border");
    return snprintf(to, n, "; band %u of item %u%s waits at column %u for band %u", band, at->field, pass, column,
                    kind == HD_HALT_ABOVE ? band - 1u : band + 1u);
}

/* Finds the item of band `band` of all: items stand in the order of their bands. 0: memory cannot be read. */
static int find_band(heddle_graph *g, uint64_t band, uint32_t n_items, hd_item_reader *read, hd_item_at *out)
{
    uint32_t first = 0, end, mid;
    for (end = n_items; end - first > 1u;) {
        mid = first + (end - first) / 2u;
        if (!read(g, mid, out))
            return 0;
        *(out->first_band <= band ? &first : &end) = mid;
    }
    return read(g, first, out);
}

void hd_wave_say_halt(heddle_graph *g, const hd_wave_words *words, uint32_t n_items, hd_item_reader *read, char *to,
                      size_t n)
{
    hd_wave_words w;
    hd_item_at at;
    uint64_t band;
    size_t end = 0;
    uint32_t kind;
    *to = 0;
    if (heddle_mem_read(g->ctx, &w, words, sizeof w) != HEDDLE_OK)
        return;
    for (kind = 0; kind < HD_HALT_KINDS && end < n; kind++) {
        band = hd_wave_tag(w.halted[kind]) - 1u;
        if (w.halted[kind] && find_band(g, band, n_items, read, &at))
            end += (size_t)say_band(to + end, n - end, kind, &at, (uint32_t)(band - at.first_band),
                                    hd_wave_value(w.halted[kind]));
    }
}
