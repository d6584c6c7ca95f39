/* SPDX-License-Identifier: MIT */
/* predict.c - the time of a wave: the model of the thesis (section 6.4), with parameters measured in the wave's first run.
 *
 * A band has n = (cols + lag) / w tiles, and begins s = lag / w + 1 tiles after the band above. P workers take bands in
 * order, so band b + P begins max(n, P s) tiles after band b. The thesis has P for P s (6.2), which counts bands twice as
 * soon as workers take more than one.
 *
 * A run records when each band began and ended. In the model, such a run takes a known number of tile times, with tiles as
 * wide as a hand-over; so it gives the time of a tile. The quickest band gives the part of it that columns take. */
#include "engine/wave.h"

#include <math.h>
#include <stdlib.h>

/* ---- the model ------------------------------------------------------------------------------------------------------ */

/* (w * column_ns + hand_ns) * (over / w + once) nanoseconds. */
typedef struct terms {
    double over, once;
} terms;

/* is_chained: a band waits for the band above, and its worker is free by then. */
static terms terms_of(const heddle_wave_model *m, int is_chained)
{
    const double turns = is_chained ? 0 : floor((m->bands - 1) / m->workers);
    const double behind = m->bands - 1 - turns * m->workers;
    const terms t = {(turns + 1) * (m->cols + m->lag) + behind * m->lag, behind};
    return t;
}

/* From this width on, bands wait for the band above, not for a worker. */
static double chained_from(const heddle_wave_model *m)
{
    const double w = (m->cols + m->lag - m->workers * m->lag) / m->workers;
    return m->bands <= m->workers || w < 1 ? 1 : w < m->cols ? w : m->cols;
}

static int is_none(const heddle_wave_model *m) { return !(m->bands >= 1 && m->workers > 0 && m->cols >= 1); }

HEDDLE_API double heddle_wave_model_ns(const heddle_wave_model *m, double w)
{
    terms t;
    if (is_none(m) || !(w > 0))
        return 0;
    t = terms_of(m, m->bands <= m->workers || m->workers * (m->lag / w + 1) >= (m->cols + m->lag) / w);
    return (w * m->column_ns + m->hand_ns) * (t.over / w + t.once);
}

HEDDLE_API double heddle_wave_model_idle(const heddle_wave_model *m, double w)
{
    const double all = heddle_wave_model_ns(m, w) * m->workers;
    const double busy = m->bands * (m->cols + m->lag) * m->column_ns;
    return all > busy ? 1 - busy / all : 0;
}

/* The width between `from` and `to` at which the terms are least. */
static double least(const heddle_wave_model *m, terms t, double from, double to)
{
    const double below = t.once * m->column_ns, w = below > 0 ? sqrt(m->hand_ns * t.over / below) : to;
    return w < from ? from : w < to ? w : to;
}

HEDDLE_API double heddle_wave_model_width(const heddle_wave_model *m)
{
    double from, before, behind;
    if (is_none(m))
        return 0;
    from = chained_from(m);
    before = least(m, terms_of(m, 0), 1, from);
    behind = least(m, terms_of(m, 1), from, m->cols);
    return heddle_wave_model_ns(m, before) <= heddle_wave_model_ns(m, behind) ? before : behind;
}

/* ---- measurements of a run ------------------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The largest number of bands in progress at one time. Stamps are begin, end, begin, ... */
static uint32_t most_at_once(const uint64_t *stamps, uint64_t n_bands, uint64_t *scratch)
{
    uint64_t *begins = scratch, *ends = scratch + n_bands, b, e = 0, most = 0;
    for (b = 0; b < n_bands; b++) {
        begins[b] = stamps[2 * b];
        ends[b] = stamps[2 * b + 1];
    }
    qsort(begins, n_bands, sizeof *begins, ascending);
    qsort(ends, n_bands, sizeof *ends, ascending);
    for (b = 0; b < n_bands; b++) {
        while (ends[e] <= begins[b] && e < b)
            e++;
        if (b + 1 - e > most)
            most = b + 1 - e;
    }
    return (uint32_t)most;
}

/* Sweeps go over as many extra columns as there are sweeps; x->cols includes them. */
static double positions(const hd_wave *w, const hd_wave_item *x) { return (double)x->cols + w->lag; }

/* Nanoseconds per column in the quickest band; the others also waited. */
static double column_ns(const hd_wave *w, const hd_wave_item *items, const uint64_t *stamps)
{
    double ns, found = HUGE_VAL;
    uint32_t i, b;
    for (i = 0; i < w->n_items; i++)
        for (b = 0; b < items[i].n_bands; b++) {
            const uint64_t *s = stamps + 2 * (items[i].found_at + b);
            ns = (double)(s[1] - s[0]) / positions(w, &items[i]);
            found = ns < found ? ns : found;
        }
    return found;
}

/* From the first begin to the last end. */
static double span_ns(const uint64_t *stamps, uint64_t n_bands)
{
    uint64_t first = UINT64_MAX, last = 0, b;
    for (b = 0; b < n_bands; b++) {
        first = stamps[2 * b] < first ? stamps[2 * b] : first;
        last = stamps[2 * b + 1] > last ? stamps[2 * b + 1] : last;
    }
    return (double)(last - first);
}

/* The part of the model that is known before a run. *n_bands: of all items. */
static heddle_wave_model model_before(const hd_wave *w, const hd_wave_item *items, uint64_t *n_bands)
{
    const uint32_t lag = (w->lag + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE; /* granules */
    heddle_wave_model m = {0, 0, lag * HD_WAVE_GRANULE, 0, 0, 0};
    uint32_t i;
    *n_bands = 0;
    for (i = 0; i < w->n_items; i++) {
        *n_bands += items[i].n_bands;
        m.cols += (double)items[i].cols * items[i].n_bands;
    }
    m.cols /= (double)*n_bands;
    m.bands = ceil((double)*n_bands / w->n_fields);
    return m;
}

heddle_wave_model hd_wave_model_of(const hd_wave *w, const hd_wave_item *items, const uint64_t *stamps,
                                   uint64_t *scratch)
{
    uint64_t n;
    double column, tile;
    heddle_wave_model m = model_before(w, items, &n);
    m.workers = (double)most_at_once(stamps, n, scratch) / w->n_fields;
    /* Any value serves here, since the run's time is proportional to a tile's. */
    m.hand_ns = 1;
    tile = span_ns(stamps, n) / heddle_wave_model_ns(&m, HD_WAVE_GRANULE);
    column = column_ns(w, items, stamps);
    m.column_ns = column < tile / HD_WAVE_GRANULE ? column : tile / HD_WAVE_GRANULE;
    m.hand_ns = tile - m.column_ns * HD_WAVE_GRANULE;
    return m;
}

/* A host copy of an array in the context's memory, freed by the caller. NULL: *s has the error, possibly an earlier one. */
static void *copy_of(heddle_graph *g, const char *call, const void *from, uint64_t n_bytes, heddle_status *s)
{
    void *copy = *s == HEDDLE_OK ? hd_new(n_bytes) : NULL;
    if (*s == HEDDLE_OK && !copy)
        *s = hd_say(&g->ctx->error, HEDDLE_ENOMEM, "%s: out of memory", call);
    if (*s == HEDDLE_OK)
        *s = heddle_mem_read(g->ctx, copy, from, n_bytes);
    return copy;
}

/* Far rows stand last in the wave's memory. */
static uint64_t own_bytes(const heddle_graph *g, const hd_wave *wave)
{
    return hd_wave_lines((uint64_t)((uintptr_t)(wave->far + wave->n_far) - (uintptr_t)g->own));
}

static heddle_status get_geometry(heddle_graph *graph, heddle_wave_geometry *out)
{
    const char *call = "heddle_wave_get_geometry";
    heddle_status s = HEDDLE_OK;
    hd_wave wave;
    hd_wave_item *items;
    uint64_t n_bands, item_bytes;
    HD_TRY(hd_wave_read(graph, call, &wave));
    item_bytes = wave.n_items * sizeof *items;
    items = copy_of(graph, call, wave.items, item_bytes, &s);
    if (s == HEDDLE_OK)
        *out = (heddle_wave_geometry){.lane_rows = wave.lane_rows,
                                      .step_columns = wave.step_columns,
                                      .n_warps = wave.n_warps,
                                      .band_rows = wave.band_rows,
                                      .hand_cols = HD_WAVE_GRANULE,
                                      .model = model_before(&wave, items, &n_bands),
                                      .border_bytes = wave.n_far * sizeof *wave.far,
                                      .own_bytes = own_bytes(graph, &wave)};
    hd_delete(items, item_bytes);
    return s;
}

HEDDLE_API heddle_status heddle_wave_get_geometry(heddle_graph *graph, heddle_wave_geometry *out)
{
    HD_TRY(hd_graph_usable(graph, "heddle_wave_get_geometry"));
    if (!out)
        return hd_say(&graph->ctx->error, HEDDLE_EINVAL, "heddle_wave_get_geometry: out is NULL");
    return hd_tile_is_wave(graph) ? hd_tile_get_geometry(graph, out) : get_geometry(graph, out);
}

static heddle_status read_model(heddle_graph *g, const char *call, heddle_wave_model *out)
{
    heddle_status s = HEDDLE_OK;
    hd_wave wave;
    hd_wave_words words;
    hd_wave_item *items;
    uint64_t *stamps, *scratch, n_bands = 0, item_bytes, stamp_bytes;
    HD_TRY(hd_wave_read(g, call, &wave));
    HD_TRY(heddle_mem_read(g->ctx, &words, wave.words, sizeof words));
    if (words.base == words.measured)
        return hd_say(&g->ctx->error, HEDDLE_EINVAL, "%s: the wave has not run yet, so nothing of it is measured",
                      call);
    item_bytes = wave.n_items * sizeof *items;
    items = copy_of(g, call, wave.items, item_bytes, &s);
    if (s == HEDDLE_OK)
        (void)model_before(&wave, items, &n_bands);
    stamp_bytes = n_bands * 2u * sizeof *stamps;
    stamps = copy_of(g, call, wave.stamps, stamp_bytes, &s);
    scratch = copy_of(g, call, wave.stamps, stamp_bytes, &s);
    if (s == HEDDLE_OK)
        *out = hd_wave_model_of(&wave, items, stamps, scratch);
    hd_delete(scratch, stamp_bytes);
    hd_delete(stamps, stamp_bytes);
    hd_delete(items, item_bytes);
    return s;
}

HEDDLE_API heddle_status heddle_wave_get_model(heddle_graph *graph, heddle_wave_model *out)
{
    HD_TRY(hd_graph_usable(graph, "heddle_wave_get_model"));
    if (!out)
        return hd_say(&graph->ctx->error, HEDDLE_EINVAL, "heddle_wave_get_model: out is NULL");
    return read_model(graph, "heddle_wave_get_model", out);
}

HEDDLE_API heddle_status heddle_wave_predict(heddle_graph *graph, uint64_t tile_cols, uint64_t *ns)
{
    heddle_wave_model model;
    HD_TRY(hd_graph_usable(graph, "heddle_wave_predict"));
    if (!ns)
        return hd_say(&graph->ctx->error, HEDDLE_EINVAL, "heddle_wave_predict: ns is NULL");
    if (tile_cols > HD_WAVE_MOST)
        return hd_say(&graph->ctx->error, HEDDLE_ERANGE,
                      "heddle_wave_predict: tiles of %llu columns; 2^31 are the most", (unsigned long long)tile_cols);
    HD_TRY(read_model(graph, "heddle_wave_predict", &model));
    *ns = (uint64_t)heddle_wave_model_ns(&model, tile_cols ? (double)tile_cols : HD_WAVE_GRANULE);
    return HEDDLE_OK;
}
