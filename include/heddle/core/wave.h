/* SPDX-License-Identifier: MIT */
/* core/wave.h - what the bands of a wavefront tell one another, and where a band stands.
 *
 * A field of rows and columns is cut into *bands* of rows. What the band to the south needs of a band's lowest row goes
 * there column by column, as words {tag, value}: the value is its own flag. A word is written by one relaxed store and
 * polled by relaxed loads; whoever sees the tag has the value, because a word of 64 bits is written as one. So no release
 * stands on the path on which all bands wait, and nothing is reset: tags count on, over bands and runs.
 *
 *     position   the place of a word in its row of words; a column's word stands LAG positions behind the column, so that
 *                what one step of the producer writes lies together
 *     granule    32 positions, which are waited for together and have one tag
 *     near row   a ring in block-shared memory, from a warp to the next one of its block, with a word back that says how
 *                far it was read
 *     far row    in device memory, from the last warp of a block to another block. An item has one, for all its blocks: a
 *                band writes no position before it has read that position itself, and nobody else reads what is there
 *
 * Parts (groups of bands) are taken in order by workers (hd_run.in_order), so whoever waits, waits for a part that runs
 * or has ended: nothing need be resident at once. The host's threads run the same protocol a lane at a time. */
#ifndef HEDDLE_CORE_WAVE_H
#define HEDDLE_CORE_WAVE_H

#include "heddle/core/layout.h"
#include "heddle/core/stop.h"

#if defined(HEDDLE_MODEL) && !defined(HEDDLE_EMULATE) /* few enough to be explored */
#define HD_WAVE_GRANULE 4u
#define HD_WAVE_LOOKS 1u
#else
#define HD_WAVE_GRANULE 32u
#define HD_WAVE_LOOKS 256u /* fruitless polls between two looks at the stop word */
#endif
#if defined(HEDDLE_MODEL)
#define HD_WAVE_RING 64u /* the least: full soon */
#else
#define HD_WAVE_RING 128u /* positions of a near row */
#endif
#define HD_CELL_WORDS 8u   /* the largest cell: of several sweeps, a value of each */
#define HD_FOUND_BYTES 64u /* of what cells find at most */

/* What cells of a kind find: nothing, what the user's code says, the best of them by rank. */
#define HD_FINDS_NOTHING 0
#define HD_FINDS_OWN 1
#define HD_FINDS_BEST 2
#define HD_RANK_LEAST (-(1 << 24)) /* ranks lie above, and below its opposite */
#define HD_CODE_LEAST (-(1 << 29)) /* of a rank times 32 and a place (core/strip.h); likewise */
#define HD_CODE_NONE (-(1 << 30))  /* so that it is less with any such added */

/* Neighbours that a cell reads; each set of these is allowed but the empty one. */
#define HEDDLE_N 1
#define HEDDLE_W 2
#define HEDDLE_NW 4
#define HEDDLE_NE 8
/* Of a sweep in place: what the sweep before has left at this place, to the east and to the south. */
#define HEDDLE_OLD_C 16
#define HEDDLE_OLD_E 32
#define HEDDLE_OLD_S 64

/* Sweeps. k sweeps in place go over a field together, as an ordinary wave of rows + k by columns + k cells of k + 1 values each,
 *
 *     S(p, q) = { u_0(p, q), u_1(p - 1, q - 1), ... u_k(p - k, q - k) }
 *
 * where u_0 is the field and u_t what sweep t makes of it: all that S(p, q) needs stands in S(p - 1, q), S(p, q - 1) and
 * S(p - 1, q - 1). A cell reads the field at (p, q), and writes it at (p - k, q - k), which was read k rows and columns
 * before, so nothing else of the field is kept. More sweeps than k are *passes*, each an item behind the one before: it
 * reads what that has left, and waits for words that say how far it is (hd_wave.gone). */
#if defined(HEDDLE_MODEL) && !defined(HEDDLE_EMULATE)
#define HD_WAVE_FAR_ROWS 2u
#define HD_WAVE_TELLS 1u
#else
#define HD_WAVE_FAR_ROWS 8u /* that passes of a field take turns with */
#define HD_WAVE_TELLS 8u    /* granules after which a band says again how far it is */
#endif
/* Loops over the sweeps that go together have no end that is not known. */
#if defined(__CUDACC__)
#define HD_UNROLL_SWEEPS _Pragma("unroll")
#else
#define HD_UNROLL_SWEEPS _Pragma("GCC unroll 8")
#endif
/* Which cells of a step may be of the field's rim, or outside of it. */
#define HD_EDGES_NONE 0
#define HD_EDGES_ROWS 1
#define HD_EDGES_COLUMNS 2
#define HD_EDGES_ALL (HD_EDGES_ROWS | HD_EDGES_COLUMNS)

/* One field of those that a wave goes over. Places are in elements of what they are in. */
typedef struct hd_wave_item {
    uint64_t x_at, y_at;          /* what is known of its rows, of its columns                       */
    uint64_t cells_at, row_cells; /* its first cell, and from a row to the next                      */
    uint64_t band_cells;          /* kept skewed: from a band of the layout to the next; 0: by rows */
    uint64_t north_at, west_at;   /* its borders, where they are arrays                              */
    uint64_t last_row_at, last_col_at;
    uint64_t words_at; /* its far row                                                                */
    uint64_t found_at; /* what its bands have found; when all have ended, the first is what all have */
    uint32_t rows, cols, n_bands, n_parts;
    uint32_t tag; /* of its first band's first granule, beyond hd_wave_words.base                    */
    /* Of sweeps, else 0. rows and cols are `sweeps` more than the field's. */
    uint32_t sweeps, field_rows, field_cols;
    uint32_t before, frees; /* the items of the pass before, and of the one whose far row it takes; or HD_NONE */
} hd_wave_item;

/* A wave as its bodies see it; written before a run, read only while it goes on, but for what `words` points to. */
typedef struct hd_wave {
    const hd_wave_item *items;
    const uint8_t *x, *y;
    uint8_t *cells;               /* kept cells, NULL: none                                      */
    uint8_t *field;               /* that sweeps go over, NULL: there are none                   */
    const uint8_t *north, *west;  /* arrays, NULL: constants                                     */
    uint8_t *last_row, *last_col; /* NULL: not wanted                                            */
    /* A word an item, or NULL. Of borders: how many cells of the item's are there, raised by others while the wave runs; of the
     * last column: how many rows have left theirs, raised by the wave. SYS */
    const uint32_t *north_count, *west_count;
    uint32_t *last_col_count;
    uint8_t *found;               /* of each band; NULL: it is not wanted                        */
    uint8_t *found_each, *result; /* of each item, of all; NULL: it is not wanted                */
    hd_pair_word *far;            /* far rows                                                    */
    struct hd_wave_words *words;
    uint32_t *done; /* of each item: parts that have ended. DEV                                   */
    uint32_t *gone; /* of each band: the tag of the last granule whose cells all are in the field. DEV */
    uint32_t north_cell[HD_CELL_WORDS], west_cell[HD_CELL_WORDS], east_cell[HD_CELL_WORDS], corner[HD_CELL_WORDS];
    uint64_t n_far; /* words of far rows                                          */
    uint32_t n_gone;
    uint32_t n_items;
    uint32_t n_tags; /* of a run                                                    */
} hd_wave;

/* What changes from run to run. */
typedef struct hd_wave_words {
    uint32_t base; /* tags of this run begin behind it                                               */
    uint32_t done; /* items that have ended; of tiles (core/tile.h) parts                            */
    uint32_t pad[30];
} hd_wave_words;

/* The argument record of a part: bands band .. band + n_bands - 1 of an item. A part that goes along all of a band is run by
 * schedule wave; tiles, which others run, go along a piece of it and leave off where the next goes on. */
typedef struct hd_wave_part {
    const hd_wave *wave;
    uint32_t item, band, n_bands;
    uint32_t begins;                /* a tile: nothing has been carried yet                                       */
    uint32_t shape;                 /* on a GPU: how its cells are shared out                                    */
    uint32_t tag;                   /* of its first band's first granule, beyond hd_wave_words.base               */
    uint32_t first, end;            /* granules of a tile, counted in the item's first band (hd_wave_span)       */
    uint8_t *carry;                 /* where tiles of these bands leave off; NULL: the part is none              */
    const hd_wave_convert *convert; /* no cells, but a piece from `band` rows and `first` columns on; NULL: cells */
} hd_wave_part;

/* The largest tag; as many bits are a value's. */
#define HD_WAVE_TAG_MOST (((hd_pair_word)1 << HD_HALF_BITS) - 1u)

HD_FN hd_pair_word hd_wave_word(uint32_t value, uint32_t tag) { return (hd_pair_word)tag << HD_HALF_BITS | value; }
HD_FN uint32_t hd_wave_tag(hd_pair_word word) { return (uint32_t)(word >> HD_HALF_BITS); }
HD_FN uint32_t hd_wave_value(hd_pair_word word) { return (uint32_t)(word & HD_WAVE_TAG_MOST); }

/* Granules of a band: as many as its positions, which are its columns, `lag` more, and one more for a neighbour to the
 * north-east. */
HD_FN uint32_t hd_wave_granules(uint32_t cols, uint32_t lag, uint32_t east)
{
    return (uint32_t)(((uint64_t)cols + lag + east + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE);
}

/* What a part has of a band, granules first .. end - 1 of n; none: first >= end. A tile is skewed: in each band it is as much
 * further to the left as the band is behind the one before, and so it needs of that band what the tile above it made, and no
 * more ("hyper-tiles"). `lag`: positions. */
HD_FN void hd_wave_span(const hd_wave_part *p, uint32_t band, uint32_t lag, uint32_t n, uint32_t *first, uint32_t *end)
{
    const uint32_t behind = band * ((lag + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE);
    *first = 0;
    *end = n;
    if (!p->carry)
        return;
    *first = p->first > behind ? p->first - behind : 0u;
    if (p->end < behind + n)
        *end = p->end > behind ? p->end - behind : 0u;
}

/* Rows or columns of a field that are none of its rim. */
HD_FN uint32_t hd_wave_inner(uint32_t n) { return n > 2u ? n - 2u : 0u; }

/* Granules that a band has to be through with, of the n that it has, for all columns of granule g of the pass behind it to be in
 * the field. */
HD_FN uint32_t hd_wave_need(const hd_wave_item *before, uint32_t g, uint32_t lag, uint32_t n)
{
    const uint64_t most = ((uint64_t)g + 1u) * HD_WAVE_GRANULE + before->sweeps + lag;
    const uint64_t need = (most + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE;
    return need < n ? (uint32_t)need : n;
}

/* The tag of a band's granule 0. */
HD_FN uint32_t hd_wave_first_tag(const hd_wave *wave, const hd_wave_item *item, uint32_t band, uint32_t n)
{
    return wave->words->base + item->tag + band * n + 1u;
}

/* How many granules a band is through with, by what it has told last; first_tag: that of its first. Tags of earlier runs are
 * less. */
HD_FN uint32_t hd_wave_gone(uint32_t told, uint32_t first_tag) { return told < first_tag ? 0u : told - first_tag + 1u; }

/* The n-th fruitless look at a word: what others wait for is not to be held up by those who wait. */
HD_FN void hd_wave_pause(uint32_t n)
{
#if HD_HOSTED
    if (n > HD_WAVE_LOOKS)
        heddle_host_yield();
#endif
    if (n > HD_WAVE_LOOKS / 4u)
        HD_PAUSE(n);
}

/* Counted cells. Waits until `need` of them are there; what was written before they were counted is known then. NULL: all
 * are. 0: the run has been stopped. */
HD_FN int hd_count_wait(const heddle_thread *thread, const uint32_t *count, uint32_t need)
{
    uint32_t n;
    for (n = 0; count && HD_LOAD((uint32_t *)(uintptr_t)count, ACQUIRE, SYS) < need; n++) {
        if (n % HD_WAVE_LOOKS == HD_WAVE_LOOKS - 1u && HD_LOAD(&thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT)
            return 0;
        hd_wave_pause(n);
    }
    return 1;
}

/* Rows first .. end - 1 have left their cells of the last column. Bands end in any order, and a count says that all rows above are
 * there, too: so a band waits until those have been counted, which is so soon, because it needed them itself. */
HD_FN void hd_count_raise(const heddle_thread *thread, uint32_t *count, uint32_t first, uint32_t end)
{
    if (count && hd_count_wait(thread, count, first))
        HD_STORE(count, end, RELEASE, SYS);
}

/* hd_wave_words.base of the run behind the one that has `base`. *wraps: tags run out, so they begin anew, and no word may be
 * left in a far row that has one. */
HD_FN uint32_t hd_wave_base_after(const hd_wave *wave, uint32_t base, int *wraps)
{
    base += wave->n_tags;
    *wraps = base > (uint32_t)HD_WAVE_TAG_MOST - wave->n_tags;
    return *wraps ? 0u : base;
}

/* All lanes of those who have ended the last item, `lane` of `n_lanes`: the words are ready for the next run. */
HD_FN void hd_wave_next_run(const hd_wave *wave, uint32_t lane, uint32_t n_lanes)
{
    int wraps;
    const uint32_t base = hd_wave_base_after(wave, wave->words->base, &wraps);
    uint64_t i;
    for (i = lane; wraps && i < wave->n_far; i += n_lanes)
        wave->far[i] = 0;
    for (i = lane; wraps && i < wave->n_gone; i += n_lanes)
        wave->gone[i] = 0;
    hd_warp_sync(); /* all have read where the words stood */
    if (lane == 0) {
        wave->words->base = base;
        wave->words->done = 0;
    }
}

#endif
