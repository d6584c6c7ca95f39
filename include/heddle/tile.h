/* SPDX-License-Identifier: MIT */
/* heddle/tile.h - wavefronts whose body is a tile, for what does not come down to one cell (heddle/wave.h): sums of areas,
 * where a whole block of cells is added up at once, or tiles that a team computes in a way of its own.
 *
 *     // the head that both the bodies and the program include
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
 * A worker goes along a band tile by tile, all its threads in each. Fields stay the user's, in params: of the desc a wave of
 * tiles has rows, cols, items, border north as an array, band_rows, tile_cols and n_warps, and nothing else.
 *
 * Under another schedule than wave, tiles are tasks of a graph, which need the one to the left and the one above; then nothing
 * is waited for inside. On a GPU that takes HEDDLE_WAVE_TILES, as for cells. */
#ifndef HEDDLE_TILE_H
#define HEDDLE_TILE_H

#include "heddle/wave.h"
#include "heddle/core/tile.h"

/* ---- in a body ------------------------------------------------------------------------------------------------------ */

/* A tile as its body sees it. The last ones of a band or field have fewer columns or rows than others. */
typedef struct heddle_tile {
    uint32_t row, col;               /* of the field: the tile's first                                  */
    uint32_t rows, cols;             /* of the tile                                                     */
    uint32_t field_rows, field_cols; /* of the field                                                    */
    uint32_t item;                   /* which of the fields                                             */
    uint32_t band;                   /* counted from the field's first row                              */
    uint32_t sweep;                  /* 0                                                               */
    /* What a body leaves to the next tile of its band, carry_bytes, aligned to 128: on a GPU block-shared memory under schedule
     * wave. Zeros in a band's first tile. */
    void *carry;
    uint32_t is_near; /* 1: there it is, 0: in memory that all workers have                    */
    /* The library's. */
    const uint8_t *north_;
    uint8_t *south_, *spare_;
    hd_tile_near *near_;
    uint32_t *flag_, *flag_above_; /* NULL: nobody waits for this one; none is waited for               */
    uint32_t base_, at_;
    uint32_t seen_;          /* tiles of the band above, of which it is known that they were handed on       */
    uint32_t waits_, hands_; /* 1: that is still to be done                                             */
    uint32_t is_over_;       /* the run has been stopped; lane 0 knows first                            */
} heddle_tile;

/* Has the band above been seen to have handed this tile on? The same on all threads. */
HD_FN int hd_tile_is_seen(const heddle_tile *tile) { return tile->seen_ > tile->at_; }

/* All threads. What was acquired once holds for all tiles that had been counted by then. A run that has been stopped has bands
 * whose rows nobody has written, or still reads: this one gets a place of its own for both. */
HD_FN void hd_tile_meet_north(const heddle_thread *thread, heddle_tile *tile)
{
    if (thread->index == 0)
        tile->near_->seen = hd_tile_wait(thread->fail, tile->flag_above_, tile->base_, tile->at_ + 1u);
    heddle_team_barrier(thread);
    tile->seen_ = tile->near_->seen;
    if (!hd_tile_is_seen(tile)) {
        tile->north_ = tile->south_ = tile->spare_;
        tile->is_over_ = 1;
    }
}

/* All threads: the lowest row of the band above, in this tile's columns; heddle_wave_north(...)[0] is of column tile->col. Waits
 * until it is there, so call it as late as it can be; it is no barrier for the threads. In a field's first band: the border of
 * the desc, or NULL. Good until the tile is handed on; after that a band further down writes there. When the run has been stopped
 * what stands there has no meaning. */
HD_FN const void *heddle_wave_north(const heddle_thread *thread, heddle_tile *tile)
{
    if (tile->waits_ && !hd_tile_is_seen(tile))
        hd_tile_meet_north(thread, tile);
    tile->waits_ = 0;
    return tile->north_;
}

/* Would heddle_wave_north wait? The same on all threads. Who knows that it does not may load the row early, so that it comes
 * while the tile is computed. */
HD_FN int heddle_wave_would_wait(const heddle_tile *tile) { return tile->waits_ && !hd_tile_is_seen(tile); }

/* All threads: where this tile's lowest row goes. Waits as heddle_wave_north does: until then the band above may still read
 * what stands there. In the field's last band nobody reads it. */
HD_FN void *heddle_wave_south(const heddle_thread *thread, heddle_tile *tile)
{
    (void)heddle_wave_north(thread, tile);
    return tile->south_;
}

/* All threads: the band below may go on with what stands in heddle_wave_south, and north is no longer looked at. The rest of the
 * tile comes after. A body that returns hands on at the latest. */
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

/* ---- the loop --------------------------------------------------------------------------------------------------------- */

/* Tiles that are tasks carry through device memory. On a GPU that is known when a kernel is compiled. */
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

/* All threads: nothing has been carried yet. */
HD_FN void hd_tile_clear(const heddle_thread *thread, const heddle_tile *tile, uint32_t n_bytes)
{
    uint32_t i;
    for (i = thread->index; i < n_bytes / 4u; i += thread->team_size)
        ((uint32_t *)tile->carry)[i] = 0;
    heddle_team_barrier(thread);
}

/* Who waits for whom: nobody where tiles are tasks. */
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
HD_FN heddle_tile hd_tile_begin(const heddle_thread *thread, const hd_tile_part *p)
{
    const hd_tile_wave *wave = p->wave;
    const hd_tile_item *item = wave->items + p->item;
    const int is_task = hd_tile_is_task(thread, p);
    heddle_tile t;
    __builtin_memset(&t, 0, sizeof t);
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
    if (p->first == 0 && wave->carry_bytes)
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
    t->is_over_ = thread->index == 0 && HD_LOAD(&thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT;
}

/* All threads, behind each tile: what it carries is there for all of them. 0: the run has been stopped. */
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
    t->at_++;
    return !*is_over;
}

/* All threads: a part. */
#define HD_TILE_GO_(name)                                     \
    heddle_tile tile = hd_tile_begin(thread, part);           \
    while (tile.at_ < part->end) {                            \
        hd_tile_enter(thread, &tile, part);                   \
        name##_tile_(thread, params, &tile);                  \
        if (!hd_tile_leave(thread, &tile))                    \
            return;                                           \
    }                                                         \
    if (thread->index == 0 && !hd_tile_is_task(thread, part)) \
        hd_tile_part_end(part->wave);

/* ---- making the table --------------------------------------------------------------------------------------------------- */

/* The body follows. It sees `thread`, and `params` and `tile` under the names given, and is run by all threads of a team
 * (heddle/task.h). south_bytes: what a column hands to the band below, a multiple of 4; carry_bytes: what a band keeps, a multiple
 * of 4, in block-shared memory. */
#define HEDDLE_TILE(name, params_type, params, tile, south_bytes, carry_bytes)                                       \
    typedef params_type name##_wave_params_;                                                                         \
    enum { name##_south_ = (south_bytes), name##_carry_ = (carry_bytes) };                                           \
    HD_STATIC_ASSERT((south_bytes) > 0 && (south_bytes) % 4 == 0 && (carry_bytes) >= 0 && (carry_bytes) % 4 == 0,    \
                     "a column hands on whole words, and a band carries whole words");                               \
    HD_BODY_FN void name##_tile_(const heddle_thread *thread HEDDLE_UNUSED, const params_type *params HEDDLE_UNUSED, \
                                 heddle_tile *tile HEDDLE_UNUSED)

#define HD_TILE_BODY_(name, shared) \
    HEDDLE_BODY(name, name##_wave_params_, params, hd_tile_part, part) { HD_TILE_GO_(name) }
#define HD_TILE_INFO_(name, shared) \
    {0, (uint32_t)name##_south_, 0, 0, 0, HEDDLE_N, HD_WAVE_KERNELS_, 0, NULL, 1u, (uint32_t)name##_carry_, 0u},

/* The table of bodies of tiles: X(name, 0) for each. */
#define HEDDLE_TILES(table, params_type, LIST)                              \
    LIST(HD_TILE_BODY_)                                                     \
    static const heddle_wave_info table##_waves_[] = {LIST(HD_TILE_INFO_)}; \
    HD_TABLE_(table, params_type, LIST, table##_waves_, HD_WAVE_KERNELS_)

#endif
