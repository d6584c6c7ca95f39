/* SPDX-License-Identifier: MIT */
/* heddle/tile.h - wavefronts with a tile as their body, for what does not reduce to one cell (heddle/wave.h): sums of areas,
 * which add up a whole block of cells at once, or tiles that a team computes in a way of its own.
 *
 *     // the header that the bodies and the program include
 *     typedef struct { const uint32_t *in; uint32_t *out; uint64_t stride; } my_params;
 *     #define MY_TILES(X) X(my_sums, 0)
 *     HEDDLE_ENUM(my, MY_TILES)
 *     HEDDLE_DECLARE(my)
 *
 *     // the file of bodies: bytes that a column hands to the band below, bytes that a band keeps from tile to tile
 *     HEDDLE_TILE(my_sums, my_params, params, tile, 4, 0)
 *     {
 *         const uint32_t *north = (const uint32_t *)heddle_wave_north(thread, tile);    // NULL: there is nothing above
 *         uint32_t *south = (uint32_t *)heddle_wave_south(thread, tile);
 *         HEDDLE_EACH(c, tile->cols) {
 *             uint32_t sum = north ? north[c] : 0;
 *             for (uint32_t r = 0; r < tile->rows; r++) {
 *                 uint64_t at = (tile->row + r) * params->stride + tile->col + (uint32_t)c;
 *                 params->out[at] = sum += params->in[at];
 *             }
 *             south[c] = sum;
 *         }
 *     }
 *     HEDDLE_TILES(my, my_params, MY_TILES)
 *
 *     // the program
 *     heddle_wave_desc d = HEDDLE_WAVE_INIT;
 *     d.body = my_sums; d.rows = n; d.cols = m; d.band_rows = 32; d.tile_cols = 1024;
 *     heddle_wave_new(ctx, &my, &d, &graph);
 *     heddle_graph_run(ctx, graph, &params, sizeof params);
 *
 * A worker runs a band tile by tile, with all its threads in each. The fields are the user's, in params. Of the desc a wave of
 * tiles takes rows, cols, items, border north as an array, band_rows, tile_cols and n_warps, and nothing else.
 *
 * Under another schedule than wave, tiles are tasks of a graph, each after the one to the left and the one above; then no
 * tile waits inside. On a GPU that needs HEDDLE_WAVE_TILES, as for cells. */
#ifndef HEDDLE_TILE_H
#define HEDDLE_TILE_H

#include "heddle/wave.h"
#include "heddle/core/tile.h"

/* ---- in a body ------------------------------------------------------------------------------------------------------ */

/* A tile as its body sees it. The last tiles of a band or field may have fewer columns or rows. */
typedef struct heddle_tile {
    uint32_t row, col;               /* of the tile's first cell in the field                           */
    uint32_t rows, cols;             /* of the tile                                                     */
    uint32_t field_rows, field_cols; /* of the field                                                    */
    uint32_t item;                   /* which of the fields                                             */
    uint32_t band;                   /* counted from the field's first row                              */
    uint32_t sweep;                  /* 0                                                               */
    /* What a body leaves to the next tile of its band: carry_bytes, aligned to 128, zeros in a band's first tile. On a GPU
     * block-shared memory under schedule wave. */
    void *carry;
    uint32_t is_near; /* 1: carry is the worker's own memory; 0: memory of all workers         */
    /* The library's. */
    const uint8_t *north_;
    uint8_t *south_, *spare_;
    hd_tile_near *near_;
    uint32_t *flag_, *flag_above_; /* NULL: no band waits for this one; it waits for none               */
    uint32_t base_, at_;
    uint32_t seen_;          /* tiles that the band above is known to have handed on                    */
    uint32_t waits_, hands_; /* 1: still to do                                                          */
    uint32_t is_over_;       /* the band is over; thread 0 knows first                                  */
    uint32_t fails_;
    const hd_tile_wave *wave_;
} heddle_tile;

/* Is it known that the band above has handed this tile on? The same on all threads. */
HD_FN int hd_tile_is_seen(const heddle_tile *tile) { return tile->seen_ > tile->at_; }

/* One thread of a band that is over before this tile, or waits there. */
HD_FN void hd_tile_halt(const heddle_thread *thread, const heddle_tile *tile, uint32_t kind)
{
    const hd_tile_wave *wave = tile->wave_;
    hd_wave_halt(thread, wave->words, kind, (uint64_t)wave->items[tile->item].flag_at + tile->band, tile->col);
}

/* All threads: waits for the band above. One acquire covers all tiles counted by then. In a stopped run the row above may be
 * unwritten, and the row to write may still be read: then a spare row of this band stands for both. */
HD_FN void hd_tile_meet_north(const heddle_thread *thread, heddle_tile *tile)
{
    if (thread->index == 0) {
        const hd_wave_place at = hd_tile_place(tile->wave_, tile->item, tile->row, tile->fails_ != 0);
        tile->near_->seen = hd_tile_wait(thread, &at, tile->flag_above_, tile->base_, tile->at_ + 1u);
        if (tile->near_->seen <= tile->at_)
            hd_tile_halt(thread, tile, HD_HALT_ABOVE);
    }
    heddle_team_barrier(thread);
    tile->seen_ = tile->near_->seen;
    if (!hd_tile_is_seen(tile)) {
        tile->north_ = tile->south_ = tile->spare_;
        tile->is_over_ = 1;
    }
}

/* All threads: the lowest row of the band above, in this tile's columns; element 0 is of column tile->col. Waits until the row
 * is there, so call it as late as possible; it is no barrier for the threads. In a field's first band: the border of the
 * desc, or NULL. Valid until the tile is handed on; then a band further down writes there. In a stopped run its content
 * has no meaning. */
HD_FN const void *heddle_wave_north(const heddle_thread *thread, heddle_tile *tile)
{
    if (tile->waits_ && !hd_tile_is_seen(tile))
        hd_tile_meet_north(thread, tile);
    tile->waits_ = 0;
    return tile->north_;
}

/* Would heddle_wave_north wait? The same on all threads. If not, a body may load the row early, while it computes the tile. */
HD_FN int heddle_wave_would_wait(const heddle_tile *tile) { return tile->waits_ && !hd_tile_is_seen(tile); }

/* All threads: where to store this tile's lowest row. Waits as heddle_wave_north does: until then the band above may still
 * read what stands there. No band reads that of the field's last band. */
HD_FN void *heddle_wave_south(const heddle_thread *thread, heddle_tile *tile)
{
    (void)heddle_wave_north(thread, tile);
    return tile->south_;
}

/* All threads: publishes the row in heddle_wave_south to the band below; the body reads north no more. The rest of the tile may
 * follow. A tile not handed on before is handed on when the body returns. */
HD_FN void heddle_wave_hand(const heddle_thread *thread, heddle_tile *tile)
{
    (void)heddle_wave_north(thread, tile);
    if (!tile->hands_)
        return;
    tile->hands_ = 0;
    heddle_team_barrier(thread);
    if (thread->index == 0 && tile->flag_ && !tile->is_over_)
        hd_tile_raise(tile->flag_, tile->base_ + tile->at_ + 1u);
}

/* Fails the tile with `code` (0 counts as 1), and the run with EBODY and a sentence: "tile my_sums at row 64, column 512 of
 * item 0 failed with code 7". The body may go on or return. Any threads may call it; the least code counts.
 *
 * In a body declared by HEDDLE_TILE_FAILS, under schedule wave or on the serial backend, the run keeps the first failure in
 * order of items, rows and columns. The timing does not matter: bands before it go on to their ends, others stop. In other
 * bodies, which pay nothing for this, and under other schedules, the failure that comes first in time ends the run at once.
 * What a failed run leaves has no meaning. */
HD_FN void heddle_tile_fail(const heddle_thread *thread, const heddle_tile *tile, uint32_t code)
{
    const hd_wave_failure f = {0, tile->item, tile->row, tile->col, code ? code : 1u};
    uint32_t *failed = &tile->near_->failed[tile->at_ & 1u], least;
    if (tile->is_near && tile->fails_) {
        do
            least = HD_LOAD(failed, RELAXED, DEV);
        while ((!least || f.code < least) && !HD_CAS(failed, least, f.code, RELAXED, DEV));
    } else if (hd_thread_fail(thread, f.code))
        tile->wave_->words->first = f;
}

/* ---- the loop --------------------------------------------------------------------------------------------------------- */

/* Tiles that are tasks carry through device memory. On a GPU in_order is a constant of the kernel. */
HD_FN int hd_tile_is_task(const heddle_thread *thread, const hd_tile_part *p)
{
#if HD_HOSTED
    (void)thread;
    return p->carry != NULL;
#else
    (void)p;
    return !thread->in_order;
#endif
}

/* All threads: clears the carry; the barrier also publishes the cleared `failed`. */
HD_FN void hd_tile_clear(const heddle_thread *thread, const heddle_tile *tile, uint32_t n_bytes)
{
    uint32_t i;
    for (i = thread->index; i < n_bytes / 4u; i += thread->team_size)
        ((uint32_t *)tile->carry)[i] = 0;
    heddle_team_barrier(thread);
}

/* Flags and rows of a band; tiles that are tasks have none. */
HD_FN void hd_tile_neighbours(heddle_tile *t, const hd_tile_part *p, const hd_tile_item *item)
{
    const hd_tile_wave *wave = p->wave;
    t->base_ = wave->words->base * item->n_tiles;
    if (p->band)
        t->flag_above_ = hd_tile_flag(wave, item, p->band - 1u);
    if (p->band + 1u < item->n_bands)
        t->flag_ = hd_tile_flag(wave, item, p->band);
    t->spare_ = hd_tile_spare(wave, item, p->band);
}

/* All threads, before the first tile of a part. */
HD_FN heddle_tile hd_tile_begin(const heddle_thread *thread, const hd_tile_part *p, uint32_t fails)
{
    const hd_tile_wave *wave = p->wave;
    const hd_tile_item *item = wave->items + p->item;
    const int is_task = hd_tile_is_task(thread, p);
    heddle_tile t;
    __builtin_memset(&t, 0, sizeof t);
    t.wave_ = wave;
    t.fails_ = fails;
    t.near_ = (hd_tile_near *)heddle_team_shared(thread);
    t.carry = is_task ? (void *)p->carry : (void *)(t.near_ + 1);
    t.is_near = !is_task;
    t.item = p->item;
    t.band = p->band;
    t.row = p->band * wave->band_rows;
    t.rows = item->rows - t.row < wave->band_rows ? item->rows - t.row : wave->band_rows;
    t.field_rows = item->rows;
    t.field_cols = item->cols;
    t.at_ = p->first;
    if (!is_task)
        hd_tile_neighbours(&t, p, item);
    if (!is_task && thread->index == 0)
        hd_note_band(thread, 0);
    if (fails && thread->index == 0)
        t.near_->failed[0] = t.near_->failed[1] = 0;
    if ((fails && !is_task) || (p->first == 0 && wave->carry_bytes))
        hd_tile_clear(thread, &t, wave->carry_bytes);
    return t;
}

/* All threads, before each tile: where it is. */
HD_FN void hd_tile_enter(const heddle_thread *thread, heddle_tile *t, const hd_tile_part *p)
{
    const hd_tile_wave *wave = p->wave;
    const hd_tile_item *item = wave->items + p->item;
    uint64_t at;
    t->col = t->at_ * wave->tile_cols;
    t->cols = item->cols - t->col < wave->tile_cols ? item->cols - t->col : wave->tile_cols;
    at = (uint64_t)t->col * wave->element_bytes;
    t->south_ = hd_tile_row(wave, item, t->band) + at;
    t->north_ = t->band       ? hd_tile_row(wave, item, t->band - 1u) + at
                : wave->north ? wave->north + item->north_at + at
                              : NULL;
    t->waits_ = t->flag_above_ != NULL;
    t->hands_ = 1;
    if (thread->index == 0) {
        const hd_wave_place place = hd_tile_place(wave, t->item, t->row, t->fails_ != 0);
        hd_note_at(thread, t->at_, item->n_tiles, wave->tile_cols);
        t->is_over_ = (uint32_t)hd_wave_is_over(thread, &place);
        if (t->is_over_)
            hd_tile_halt(thread, t, HD_HALT_WORKS);
    }
}

/* All threads, after a tile that is no task: has it failed? If so, publishes the failure to other bands. */
HD_FN int hd_tile_has_failed(const heddle_thread *thread, const heddle_tile *t)
{
    const hd_wave_failure f = {0, t->item, t->row, t->col, HD_LOAD(&t->near_->failed[t->at_ & 1u], RELAXED, DEV)};
    if (f.code && thread->index == 0)
        hd_wave_fail(t->wave_->words, t->wave_->failures, t->wave_->items[t->item].flag_at + t->band, &f);
    return f.code != 0;
}

/* All threads, after each tile: what it carries is visible to all of them. 0: the band is over. */
HD_FN int hd_tile_leave(const heddle_thread *thread, heddle_tile *t)
{
    uint32_t *is_over = &t->near_->is_over[t->at_ & 1u];
    (void)heddle_wave_north(thread, t);
    if (thread->index == 0)
        *is_over = t->is_over_;
    if (t->hands_)
        heddle_wave_hand(thread, t);
    else
        heddle_team_barrier(thread);
    if (*is_over || (t->is_near && t->fails_ && hd_tile_has_failed(thread, t)))
        return 0;
    t->at_++;
    return 1;
}

/* All threads: runs a part. */
#define HD_TILE_GO_(name)                                          \
    heddle_tile tile = hd_tile_begin(thread, part, name##_fails_); \
    while (tile.at_ < part->end) {                                 \
        hd_tile_enter(thread, &tile, part);                        \
        name##_tile_(thread, params, &tile);                       \
        if (!hd_tile_leave(thread, &tile))                         \
            break;                                                 \
    }                                                              \
    if (thread->index == 0 && !hd_tile_is_task(thread, part)) {    \
        hd_note_end(thread);                                       \
        hd_tile_part_end(thread, part->wave, name##_fails_);       \
    }

/* ---- making the table --------------------------------------------------------------------------------------------------- */

/* The body follows. It sees `thread`, and `params` and `tile` under the names given, and is run by all threads of a team
 * (heddle/task.h). south_bytes: what a column hands to the band below; carry_bytes: what a band keeps from tile to tile, in
 * block-shared memory. Both are multiples of 4. */
#define HEDDLE_TILE(name, params_type, params, tile, south_bytes, carry_bytes) \
    HD_TILE_(name, params_type, params, tile, south_bytes, carry_bytes, 0)
/* The same for a body that reports its first failure (heddle_tile_fail). */
#define HEDDLE_TILE_FAILS(name, params_type, params, tile, south_bytes, carry_bytes) \
    HD_TILE_(name, params_type, params, tile, south_bytes, carry_bytes, 1)
#define HD_TILE_(name, params_type, params, tile, south_bytes, carry_bytes, fails)                                   \
    typedef params_type name##_wave_params_;                                                                         \
    enum { name##_south_ = (south_bytes), name##_carry_ = (carry_bytes), name##_fails_ = (fails) };                  \
    HD_STATIC_ASSERT((south_bytes) > 0 && (south_bytes) % 4 == 0 && (carry_bytes) >= 0 && (carry_bytes) % 4 == 0,    \
                     "a column hands on whole words, and a band carries whole words");                               \
    HD_BODY_FN void name##_tile_(const heddle_thread *thread HEDDLE_UNUSED, const params_type *params HEDDLE_UNUSED, \
                                 heddle_tile *tile HEDDLE_UNUSED)

#define HD_TILE_BODY_(name, shared) \
    HEDDLE_BODY(name, name##_wave_params_, params, hd_tile_part, part) { HD_TILE_GO_(name) }
#define HD_TILE_INFO_(name, shared) \
    {                               \
        0,                          \
        (uint32_t)name##_south_,    \
        0,                          \
        0,                          \
        0,                          \
        HEDDLE_N,                   \
        HD_WAVE_KERNELS_,           \
        0,                          \
        NULL,                       \
        1u,                         \
        (uint32_t)name##_carry_,    \
        0u,                         \
        1u,                         \
        1u,                         \
        (uint32_t)name##_fails_,    \
        1u,                         \
        1u,                         \
        NULL},

/* The table of tile bodies: X(name, 0) for each. */
#define HEDDLE_TILES(table, params_type, LIST)                              \
    LIST(HD_TILE_BODY_)                                                     \
    static const heddle_wave_info table##_waves_[] = {LIST(HD_TILE_INFO_)}; \
    HD_TABLE_(table, params_type, LIST, table##_waves_, HD_WAVE_KERNELS_)

#endif
