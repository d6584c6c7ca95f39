/* SPDX-License-Identifier: MIT */
/* core/tile.h - what the bands of a wave tell one another whose bodies are of tiles (heddle/tile.h).
 *
 * What a tile hands to the one below has any size, so it carries no tags: it lies in a row in device memory, and each band
 * has one flag, which counts the tiles that it has handed on. All lanes of a band's team write their share of the row and
 * meet; one lane stores the count, which releases. One lane of the band below polls it, which acquires, and its team meets.
 * Counts go on over runs: a run begins where a flag stands at the number of runs before it times the tiles of a band.
 *
 * An item has two rows, and band b writes row b & 1: what the band above wrote is still read while this one writes. Two are
 * enough. At a tile's columns band b + 2 writes the row that band b wrote, and only after it has seen that band b + 1 has handed
 * that tile on; b + 1 did so after it had seen b's count for the tile, so after b had written there, and after it had read what
 * it needed of it. Nobody but b + 1 reads what b wrote. So a band waits for the one above before it writes, too, and hands on
 * only what it has waited for.
 *
 * Bands are taken in order, as parts of cells are (core/wave.h). */
#ifndef HEDDLE_CORE_TILE_H
#define HEDDLE_CORE_TILE_H

#include "heddle/core/wave.h"

/* One field of those that a wave goes over; places in bytes. */
typedef struct hd_tile_item {
    uint64_t north_at;                     /* its border                                    */
    uint64_t south_at;                     /* its two rows                                  */
    uint64_t south_bytes;                  /* from the one to the other                     */
    uint32_t rows, cols, n_bands, n_tiles; /* n_tiles: of a band            */
    uint32_t flag_at;                      /* its first band's flag                             */
    uint32_t pad;
} hd_tile_item;

/* A wave as its bodies see it; written before a run, read only while it goes on, but for what pointers point to. */
typedef struct hd_tile_wave {
    const hd_tile_item *items;
    const uint8_t *north; /* above the first bands, NULL: nothing                                  */
    uint8_t *south;
    uint8_t *spare;       /* a tile's place for each band: for both rows, when it has given up waiting   */
    uint32_t *flags;      /* HD_LINE apart                                                              */
    hd_wave_words *words; /* base: runs that have ended well                                       */
    uint32_t element_bytes, carry_bytes; /* what a column hands on; what a tile leaves to the next */
    uint32_t band_rows, tile_cols;
    uint32_t n_parts, n_flags;
    uint64_t spare_bytes; /* of a band */
} hd_tile_wave;

/* The argument record of a part: tiles first .. end - 1 of a band. carry: where tiles that are tasks leave what the next one
 * needs; NULL: the part is a band, and carries it in the memory of its worker. */
typedef struct hd_tile_part {
    const hd_tile_wave *wave;
    uint32_t item, band, first, end;
    uint8_t *carry;
} hd_tile_part;

/* Memory of a worker beside the carry, in which lane 0 tells the others what it knows: how far the flag of the band above stood;
 * and behind a tile, in turns, whether the run has been stopped. */
typedef struct hd_tile_near {
    uint32_t seen;
    uint32_t is_over[2];
    uint32_t pad[29];
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

/* One lane: waits until a flag stands n beyond `base`, and returns how far it does; less than n: the run has been stopped. On a
 * GPU the lane alone looks, at a line of its own, so it need not pause: others would wait for it in turn. */
HD_FN uint32_t hd_tile_wait(hd_fail *fail, uint32_t *flag, uint32_t base, uint32_t n)
{
    uint32_t k, seen;
    for (k = 0; (seen = HD_LOAD(flag, FENCED_ACQUIRE, DEV) - base) < n; k++) {
        if (k % HD_WAVE_LOOKS == HD_WAVE_LOOKS - 1u && HD_LOAD(&fail->stop, RELAXED, DEV) != HD_STOP_NOT)
            break;
#if HD_HOSTED
        hd_wave_pause(k);
#endif
    }
    HD_FENCE_ACQUIRE();
    return seen;
}

/* One lane, when its team has written what it hands on, and met. */
HD_FN void hd_tile_raise(uint32_t *flag, uint32_t count) { HD_STORE(flag, count, RELEASE, DEV); }

/* One lane: a part has ended. */
HD_FN void hd_tile_part_end(const hd_tile_wave *wave)
{
    if (HD_ADD(&wave->words->done, 1u, ACQ_REL, DEV) + 1u != wave->n_parts)
        return;
    wave->words->base++;
    wave->words->done = 0;
}

#endif
