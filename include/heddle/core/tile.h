/* SPDX-License-Identifier: MIT */
/* core/tile.h - how the bands of a wave hand tiles on to one another (heddle/tile.h).
 *
 * What a tile hands to the one below may have any size, so it carries no tags: it is a row in device memory. Each band
 * has one flag, which counts the tiles that it has handed on. All lanes of a band's team write their share of the row
 * and meet; one lane stores the count with release. One lane of the band below polls it with acquire, then its team
 * meets. Counts go on over runs: a run begins with each flag at the number of runs before it times the tiles of a band.
 *
 * An item has two rows, and band b writes row b & 1: while it writes, the row of the band above is still read. Two are
 * enough. At a tile's columns band b + 2 writes the row of band b, and only after band b + 1 has handed that tile on.
 * Band b + 1 did so after it had seen b's count for the tile, so after b's writes there, and after its own reads. Only
 * b + 1 reads what b wrote. So a band also waits for the one above before it writes, and hands on only what it has
 * waited for.
 *
 * Bands are taken in order, as parts of cells are (core/wave.h), and fail in order. A band that fails reports it and
 * ends, because all tiles to the east in its band come after it; later bands end when they look. The lane that ends the
 * last part sets the flags to what they would be without a failure. */
#ifndef HEDDLE_CORE_TILE_H
#define HEDDLE_CORE_TILE_H

#include "heddle/core/wave.h"

/* One field of a wave; places in bytes. */
typedef struct hd_tile_item {
    uint64_t north_at;                     /* its border                                    */
    uint64_t south_at;                     /* its two rows                                  */
    uint64_t south_bytes;                  /* from one row to the other                     */
    uint32_t rows, cols, n_bands, n_tiles; /* n_tiles: of a band            */
    uint32_t flag_at;                      /* its first band's flag                             */
    uint32_t pad;
} hd_tile_item;

/* A wave as its bodies see it; written before a run and read-only during one, except what pointers point to. */
typedef struct hd_tile_wave {
    const hd_tile_item *items;
    const uint8_t *north; /* above the first bands, NULL: none                                     */
    uint8_t *south;
    uint8_t *spare;            /* for each band a tile's place instead of both rows, after it gave up waiting */
    uint32_t *flags;           /* HD_LINE apart                                                              */
    hd_wave_words *words;      /* base: runs that have ended                                            */
    hd_wave_failure *failures; /* of each band                                                     */
    uint32_t element_bytes, carry_bytes; /* handed on by a column; left by a tile to the next */
    uint32_t band_rows, tile_cols;
    uint32_t n_parts, n_flags, n_items;
    uint64_t spare_bytes; /* of a band */
} hd_tile_wave;

/* The argument record of a part: tiles first .. end - 1 of a band. carry: where tiles that are tasks leave the next
 * one's input; NULL: the part is a band, and carries it in the memory of its worker. */
typedef struct hd_tile_part {
    const hd_tile_wave *wave;
    uint32_t item, band, first, end;
    uint8_t *carry;
    uint32_t cols, tile_cols; /* for readers of the trace */
} hd_tile_part;

/* Memory of a worker beside the carry, for what lane 0 tells the other lanes: the flag of the band above when last
 * read; and for two tiles in turn, whether the band is over, and whether it has failed. */
typedef struct hd_tile_near {
    uint32_t seen;
    uint32_t is_over[2];
    uint32_t failed[2]; /* least code that a thread of the tile failed with, 0: none did. DEV */
    uint32_t pad[27];
} hd_tile_near;

HD_FN uint32_t *hd_tile_flag(const hd_tile_wave *wave, const hd_tile_item *item, uint32_t band)
{
    return wave->flags + (uint64_t)(item->flag_at + band) * (HD_LINE / 4u);
}

/* The row that a band hands on. */
HD_FN uint8_t *hd_tile_row(const hd_tile_wave *wave, const hd_tile_item *item, uint32_t band)
{
    return wave->south + item->south_at + (band & 1u) * item->south_bytes;
}

HD_FN uint8_t *hd_tile_spare(const hd_tile_wave *wave, const hd_tile_item *item, uint32_t band)
{
    return wave->spare + (item->flag_at + band) * wave->spare_bytes;
}

/* A band's place among all, before its first tile. Not used where tiles cannot fail. */
HD_FN hd_wave_place hd_tile_place(const hd_tile_wave *wave, uint32_t item, uint32_t row, int fails)
{
    hd_wave_place at;
    at.words = fails ? wave->words : (hd_wave_words *)0;
    at.failures = wave->failures;
    at.sweep = 0;
    at.item = item;
    at.row = row;
    return at;
}

/* One lane: waits until a flag stands n beyond `base`, and returns by how much it does; less than n: the band is over.
 * On a GPU only this lane polls, on a line of its own, so it does not pause: a pause would add up from band to band. */
HD_FN uint32_t hd_tile_wait(const heddle_thread *thread, const hd_wave_place *at, uint32_t *flag, uint32_t base,
                            uint32_t n)
{
    uint32_t k, seen;
    for (k = 0; (seen = HD_LOAD(flag, FENCED_ACQUIRE, DEV) - base) < n; k++) {
        hd_note_waits(thread, k);
        if (k % HD_WAVE_LOOKS == HD_WAVE_LOOKS - 1u && hd_wave_is_over(thread, at))
            break;
#if HD_HOSTED
        hd_wave_pause(k);
#endif
    }
    HD_FENCE_ACQUIRE();
    hd_note_waited(thread, k);
    return seen;
}

/* One lane, when its team has written what it hands on, and met. */
HD_FN void hd_tile_raise(uint32_t *flag, uint32_t count) { HD_STORE(flag, count, RELEASE, DEV); }

/* One lane, after a failure: raises flags of bands that have not handed all tiles on. */
HD_FN void hd_tile_raise_all(const hd_tile_wave *wave)
{
    uint32_t item, band;
    for (item = 0; item < wave->n_items; item++)
        for (band = 0; band < wave->items[item].n_bands; band++)
            HD_STORE(hd_tile_flag(wave, &wave->items[item], band), (wave->words->base + 1u) * wave->items[item].n_tiles,
                     RELAXED, DEV);
}

/* One lane: a part has ended. */
HD_FN void hd_tile_part_end(const heddle_thread *thread, const hd_tile_wave *wave, int fails)
{
    if (HD_ADD(&wave->words->done, 1u, ACQ_REL, DEV) + 1u != wave->n_parts)
        return;
    if (fails && hd_wave_conclude(thread, wave->words, wave->failures))
        hd_tile_raise_all(wave);
    wave->words->base++;
    wave->words->done = 0;
}

#endif
