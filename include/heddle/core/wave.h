/* SPDX-License-Identifier: MIT */
/* core/wave.h - the words that bands of a wavefront hand on, and a band's place in the run.
 *
 * A field of rows and columns is cut into *bands* of rows. A band hands its lowest row to the band in the south column
 * by column, as words {tag, value}: the value is its own flag. A word is written by one relaxed store and polled by
 * relaxed loads. A load that sees the tag has the value, because a word of 64 bits is written as one. So the path on
 * which all bands wait has no release, and nothing is reset: tags count on, over bands and runs.
 *
 *      position   index of a word in its row of words. A column's word is LAG positions after the column, so that the words
 *                 that the producer writes in one step are consecutive.
 *      granule    32 positions, which are waited for together and have one tag.
 *      near row   a ring in block-shared memory, from a warp to the next one of its block; the reader stores how far it
 *                 has read in a credit word.
 *      far row    in device memory, from the last warp of a block to another block. An item has one, for all its blocks.
 *                 A band writes no position before it has read that position itself; no other band reads what it overwrites.
 *      outer row  in memory that several devices reach, mostly the host's: from the last band of a wave to the first band of
 *                 another, which has the rows below. All its words have one tag, the number of the run.
 *
 * Under dispatch order workers take parts (groups of bands) one after another. So a band waits only for parts that run
 * or have ended: they need not all be resident at once. The host's threads run the same protocol a lane at a time. */
#ifndef HEDDLE_CORE_WAVE_H
#define HEDDLE_CORE_WAVE_H

#include "heddle/core/layout.h"
#include "heddle/core/notes.h"
#include "heddle/core/stop.h"

#if defined(HEDDLE_MODEL) && !defined(HEDDLE_EMULATE) /* few enough to be explored */
#define HD_WAVE_GRANULE 4u
#define HD_WAVE_LOOKS 1u
#else
#define HD_WAVE_GRANULE 32u
#define HD_WAVE_LOOKS 256u /* fruitless polls between two looks at the stop word */
#endif
#if defined(HEDDLE_MODEL)
#define HD_WAVE_RING 64u /* the least possible: full soon */
#define HD_WAVE_STRIDE 1u
#else
#define HD_WAVE_RING 128u /* positions of a near row */
/* Granules between two looks at the stop word of a band that need not wait: about a tenth of a millisecond on a thread, and a
 * third of one on a GPU, where a look takes as long as two steps. */
#define HD_WAVE_STRIDE (HD_HOSTED ? 32u : 128u)
#endif
/* Words of an outer row before the one of column 0: more than any band is behind. Even, so that two words that may be written at once
 * are aligned. */
#if defined(HEDDLE_MODEL) && !defined(HEDDLE_EMULATE)
#define HD_OUTER_PAD 4u
#else
#define HD_OUTER_PAD 512u
#endif
#define HD_CELL_WORDS 8u   /* largest cell, in words: one value for each of several sweeps */
#define HD_FOUND_BYTES 64u /* largest result of cells */

/* What cells of a kind find: nothing, a result of the user's code, or the best cell by rank. */
#define HD_FINDS_NOTHING 0
#define HD_FINDS_OWN 1
#define HD_FINDS_BEST 2
#define HD_RANK_LEAST (-(1 << 24)) /* ranks are above it, and below its negative */
#define HD_CODE_LEAST (-(1 << 29)) /* the same for codes, a rank times 32 and a place (core/strip_step.h) */
#define HD_CODE_NONE (-(1 << 30))  /* stays below HD_CODE_LEAST with any code added */

/* Neighbours that a cell reads; any set but the empty one. */
#define HEDDLE_N 1
#define HEDDLE_W 2
#define HEDDLE_NW 4
#define HEDDLE_NE 8
/* In a sweep in place: the values that the sweep before left at this place, to the east and to the south. */
#define HEDDLE_OLD_C 16
#define HEDDLE_OLD_E 32
#define HEDDLE_OLD_S 64
/* Not a neighbour, but declared with them: a cell can fail. */
#define HEDDLE_FAILS 128

/* Sweeps. k sweeps in place go over a field together, as a wave of rows + k by columns + k cells of k + 1 values each:
 *
 *     S(p, q) = { u[0](p, q), u[1](p - 1, q - 1), ... u[k](p - k, q - k) }
 *
 * where u[0] is the field and u[t] the result of sweep t. S(p - 1, q), S(p, q - 1) and S(p - 1, q - 1) hold all that
 * S(p, q) needs. A cell reads the field at (p, q), and writes it at (p - k, q - k). That place was read k rows and
 * columns before, so no copy of the field is kept. More sweeps than k are *passes*, each an item after the one before:
 * it reads that one's results, and waits for words that count its granules (hd_wave.gone).
 *
 * A wave may be a stride of a field: rows begin .. end - 1, all columns. Its border in the north is the lowest row of S that the
 * stride above has: an outer row. Nothing comes from the south: sweep t of a stride goes over rows begin - t .. end - t - 1. So that
 * all its passes have as many rows, those of the first stride begin above the field, with rows that nobody reads. */
#if defined(HEDDLE_MODEL) && !defined(HEDDLE_EMULATE)
#define HD_WAVE_FAR_ROWS 2u
#define HD_WAVE_TELLS 1u
#else
#define HD_WAVE_FAR_ROWS 8u /* used in turns by the passes of a field */
#define HD_WAVE_TELLS 8u    /* granules between two reports of a band's progress */
#endif
/* Loops over the sweeps that go together are unrolled: their number is a constant. */
#if defined(__CUDACC__)
#define HD_UNROLL_SWEEPS _Pragma("unroll")
#else
#define HD_UNROLL_SWEEPS _Pragma("GCC unroll 8")
#endif
/* Which cells of a step may be on the field's rim, or outside of it. */
#define HD_EDGES_NONE 0
#define HD_EDGES_ROWS 1
#define HD_EDGES_COLUMNS 2
#define HD_EDGES_ALL (HD_EDGES_ROWS | HD_EDGES_COLUMNS)

/* One field of a wave. Indices count elements of their arrays. */
typedef struct hd_wave_item {
    uint64_t x_at, y_at;          /* data of its rows, of its columns                                */
    uint64_t cells_at, row_cells; /* its first cell, and from a row to the next                      */
    uint64_t band_cells;          /* kept skewed: from a band of the layout to the next; 0: by rows */
    uint64_t north_at, west_at;   /* its borders, if they are arrays                                 */
    uint64_t last_row_at, last_col_at;
    uint64_t words_at; /* its far row                                                                */
    uint64_t found_at; /* results of its bands; after all have ended, the first is the item's */
    uint32_t rows, cols, n_bands, n_parts;
    uint32_t tag; /* its first band begins with tag hd_wave_words.base + this + 1                */
    uint32_t
        row_at; /* a stride of a field: its first row's number in the field, modulo 2^32. Cells are told numbers in the field */
    /* Of sweeps, else 0. rows (of the last stride) and cols are `sweeps` more than the field's. The first absent_rows rows are above
     * the field; the next field_rows are read. whole_rows: of the field, of which it may be a stride. */
    uint32_t sweeps, absent_rows, field_rows, field_cols, whole_rows;
    uint32_t before, frees;        /* item of the pass before, of the last user of its far row; or HD_NONE */
    uint32_t field, sweeps_before; /* the desc's field that it is a pass of; sweeps in earlier passes */
} hd_wave_item;

/* Outer rows, one for each pass (hd_outer_words each), from a wave to the one below. */
typedef struct hd_outer {
    uint32_t
        run; /* the tag of all words of this run, which the wave above begins after it was set: not 0, nor that of an earlier run */
    uint32_t pad_to_line[15];
} hd_outer; /* the words follow */

/* What bands of an item tell one another. 0 between runs. DEV */
typedef struct hd_item_words {
    uint32_t done; /* parts that have ended                                             */
    uint32_t west; /* rows of the border in the west that a band has seen counted        */
    uint32_t east; /* rows of the last column that bands have counted for others        */
} hd_item_words;

/* A wave as its bodies see it; written before a run and read-only during one, except what pointers point to. */
typedef struct hd_wave {
    const hd_wave_item *items;
    const uint8_t *x, *y;
    uint8_t *cells;               /* kept cells, NULL: none                                      */
    uint8_t *field;               /* that sweeps go over, NULL: there are none                   */
    const uint8_t *north, *west;  /* arrays, NULL: constants                                     */
    uint8_t *last_row, *last_col; /* NULL: not wanted                                            */
    /* One word for each item, or NULL. Of a border: cells of the item's that are there, raised by others during the
     * run. Of the last column: rows that have left their cell, raised by the wave. SYS */
    const uint32_t *north_count, *west_count;
    uint32_t *last_col_count;
    hd_outer *above, *below; /* a stride: what the wave above hands on, and where this one does; NULL: nothing. SYS */
    uint64_t outer_cols;     /* of outer rows (hd_outer_words) */
    uint8_t *found;          /* results, one for each band; NULL: not wanted                */
    uint8_t *found_each, *result; /* results, for each item, for all; NULL: not wanted           */
    hd_pair_word *far;            /* far rows                                                    */
    struct hd_wave_words *words;
    hd_item_words *of_items;          /* one for each item                                         */
    uint32_t *gone;                   /* of each band: tag of the last granule with all cells in the field. DEV */
    struct hd_wave_failure *failures; /* first failure of each band; NULL: cells cannot fail */
    uint32_t north_cell[HD_CELL_WORDS], west_cell[HD_CELL_WORDS], east_cell[HD_CELL_WORDS], corner[HD_CELL_WORDS];
    uint64_t n_far; /* words of far rows                                          */
    uint32_t n_gone;
    uint32_t n_items;
    uint32_t n_tags; /* of a run                                                    */
    /* Of a measured run: when each band began and ended, two words for each; NULL: not measured. Bodies write it; only
     * the host reads it. */
    uint64_t *stamps;
    uint32_t lag, n_fields;
    uint32_t lane_rows, step_columns, n_warps, band_rows;
} hd_wave;

/* A cell or tile that has failed. Plain loops over sweeps, items, rows and columns would meet failures in an order, and
 * the first of them is the run's, whatever the timing. So a band that fails goes on to its end, because a higher row
 * may fail to the east. There it publishes its first (hd_wave_fail), and bands with only later cells stop when they
 * look. No band that goes on waits for one that has stopped. The bands that it needs come before it. The band that
 * reads from it stops before it only for a failure in it, published when it needs no band any more. The end of the last
 * part ends the run (hd_wave_conclude). */
typedef struct hd_wave_failure {
    uint32_t sweep; /* counted from 1; 0: there are no sweeps */
    uint32_t item;  /* of the desc's */
    uint32_t row, column;
    uint32_t code; /* 0: nothing has failed */
} hd_wave_failure;

/* What the bands of a stopped run were at. */
#define HD_HALT_ABOVE 0u  /* waits for the band above */
#define HD_HALT_BELOW 1u  /* waits until the band below has read what it would overwrite */
#define HD_HALT_BORDER 2u /* waits for a border: one with a count, or an outer row */
#define HD_HALT_PASS 3u   /* waits for the pass before */
#define HD_HALT_WORKS 4u  /* waits for nothing */
#define HD_HALT_KINDS 5u

/* Words that change from run to run. */
typedef struct hd_wave_words {
    uint32_t base;         /* tags of this run are above it                                          */
    uint32_t done;         /* items that have ended; of tiles (core/tile.h): parts                   */
    uint32_t measured;     /* the base of the measured run                                           */
    uint32_t failed;       /* 1 + the band with the first failure so far; 0: none. DEV               */
    hd_wave_failure first; /* of the last run that failed                                            */
    uint32_t pad;
    /* Of a stopped run, for each kind from HD_HALT_ABOVE on: the first band at it, plus 1, and its column; 0: none. DEV */
    hd_pair_word halted[HD_HALT_KINDS];
    uint32_t pad_to_line[12];
} hd_wave_words;

/* A band's place among all: before its first cell. words NULL: cells cannot fail. */
typedef struct hd_wave_place {
    hd_wave_words *words;
    const hd_wave_failure *failures;
    uint32_t sweep, item, row;
} hd_wave_place;

/* The argument record of a part: bands band .. band + n_bands - 1 of an item. Under schedule wave a part goes along whole
 * bands. Under others, parts are tiles: a tile goes along a piece of its bands, and the next one goes on where it stopped. */
typedef struct hd_wave_part {
    const hd_wave *wave;
    uint32_t item, band, n_bands;
    uint32_t begins;                /* a tile: there is no state to load yet                                      */
    uint32_t shape;                 /* on a GPU: how its cells are shared out                                    */
    uint32_t tag;                   /* its first band begins with tag hd_wave_words.base + this + 1              */
    uint32_t first, end;            /* granules of a tile, counted in the item's first band (hd_wave_span)       */
    uint8_t *carry;                 /* state that tiles of these bands pass on; NULL: the part is no tile        */
    const hd_wave_convert *convert; /* converts a piece from `band` rows and `first` columns on; NULL: cells */
    uint32_t cols, pad;             /* columns of the item, for readers of the trace                             */
} hd_wave_part;

/* The largest tag; a value has as many bits. */
#define HD_WAVE_TAG_MOST (((hd_pair_word)1 << HD_HALF_BITS) - 1u)

HD_FN hd_pair_word hd_wave_word(uint32_t value, uint32_t tag) { return (hd_pair_word)tag << HD_HALF_BITS | value; }
HD_FN uint32_t hd_wave_tag(hd_pair_word word) { return (uint32_t)(word >> HD_HALF_BITS); }
HD_FN uint32_t hd_wave_value(hd_pair_word word) { return (uint32_t)(word & HD_WAVE_TAG_MOST); }

/* Granules of a band, by its positions: its columns, `lag` more, and one more for a neighbour to the north-east. */
HD_FN uint32_t hd_wave_granules(uint32_t cols, uint32_t lag, uint32_t east)
{
    return (uint32_t)(((uint64_t)cols + lag + east + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE);
}

/* Words of an outer row. cols: of the field, and as many more as sweeps go together. */
HD_FN uint64_t hd_outer_words(uint64_t cols, uint32_t south_words)
{
    return (HD_OUTER_PAD + cols + 2u * HD_WAVE_GRANULE) / 2u * 2u * south_words;
}

/* The words of column 0 in the outer row of a pass. */
HD_FN hd_pair_word *hd_outer_row(hd_outer *rows, uint32_t pass, uint64_t cols, uint32_t south_words)
{
    return (hd_pair_word *)(void *)(rows + 1) + pass * hd_outer_words(cols, south_words) + HD_OUTER_PAD * south_words;
}

/* Before granule g a band notes that it comes there (core/notes.h). Those behind the last column belong to its last stretch. */
HD_FN void hd_wave_note(const heddle_thread *thread, const hd_wave_item *item, uint32_t g)
{
    if (thread->notes)
        hd_note_at(thread, g, (item->cols - 1u) / HD_WAVE_GRANULE + 1u, HD_WAVE_GRANULE);
}

/* A part's granules first .. end - 1 of n in a band; none: first >= end. A tile is skewed. In each band it is as much
 * further to the left as the band is behind the one before. So it needs only what the tile above made of that band
 * ("hyper-tiles"). `lag`: positions. */
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

/* Rows or columns of a field without its rim. */
HD_FN uint32_t hd_wave_inner(uint32_t n) { return n > 2u ? n - 2u : 0u; }

/* Sweeps: rows of the field behind its first one that have been left when the pass has ended. */
HD_FN uint32_t hd_wave_left_rows(const hd_wave_item *item)
{
    const uint32_t all = hd_wave_inner(item->whole_rows), end = item->row_at + item->rows - item->sweeps - 1u;
    return end < all ? end : all;
}

/* Granules, of the n of a band, that must be finished before all columns of granule g of the next pass are in the
 * field. */
HD_FN uint32_t hd_wave_need(const hd_wave_item *before, uint32_t g, uint32_t lag, uint32_t n)
{
    const uint64_t most = ((uint64_t)g + 1u) * HD_WAVE_GRANULE + before->sweeps + lag;
    const uint64_t need = (most + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE;
    return need < n ? (uint32_t)need : n;
}

/* The bands of the pass before that must have finished them, for band `band` of `item`: those that leave its rows in the field. Passes
 * of a stride are higher by as many rows as the one before leaves behind; else they are not. */
typedef struct hd_wave_bands {
    uint32_t first, last;
} hd_wave_bands;
HD_FN hd_wave_bands hd_wave_bands_before(const hd_wave_item *item, const hd_wave_item *before, uint32_t band,
                                         uint32_t band_rows)
{
    const uint32_t behind = before->sweeps - (before->row_at - item->row_at), most = before->n_bands - 1u;
    const uint32_t last = band + (band_rows - 1u + behind) / band_rows; /* the next one, except with very low bands */
    hd_wave_bands b;
    b.first = band < most ? band : most;
    b.last = last < most ? last : most;
    return b;
}

/* Place of the band with first row `row`; with sweeps its first cell is in the row before. */
HD_FN hd_wave_place hd_wave_place_of(const hd_wave *wave, const hd_wave_item *item, uint32_t row)
{
    hd_wave_place at;
    at.words = wave->failures ? wave->words : (hd_wave_words *)0;
    at.failures = wave->failures;
    at.sweep = item->sweeps ? item->sweeps_before + 1u : 0u;
    at.item = item->field;
    at.row = item->row_at + row;
    if (item->sweeps) /* rows of a first stride may be above the field */
        at.row = (int32_t)at.row > 0 ? at.row - 1u : 0u;
    return at;
}

/* The failure of the item's cell (i, j), with code failed[0]. With sweeps: of the first failed sweep of those that go together,
 * failed[1], which is as far behind; sweeps that this pass does not have do not count. */
HD_FN hd_wave_failure hd_failure_of(const hd_wave_item *item, uint32_t i, uint32_t j, const uint32_t *failed)
{
    const uint32_t t = item->sweeps ? failed[1] : 0u;
    hd_wave_failure f;
    f.sweep = item->sweeps ? item->sweeps_before + t : 0u;
    f.item = item->field;
    f.row = item->row_at + i - t;
    f.column = j - t;
    f.code = t <= item->sweeps ? failed[0] : 0u;
    return f;
}

/* The tag of a band's granule 0. */
HD_FN uint32_t hd_wave_first_tag(const hd_wave *wave, const hd_wave_item *item, uint32_t band, uint32_t n)
{
    return wave->words->base + item->tag + band * n + 1u;
}

/* Granules that a band has finished, by the tag it stored last; first_tag: that of its first granule. Tags of earlier
 * runs are smaller. */
HD_FN uint32_t hd_wave_gone(uint32_t told, uint32_t first_tag) { return told < first_tag ? 0u : told - first_tag + 1u; }

/* Is f before g? */
HD_FN int hd_failure_is_before(const hd_wave_failure *f, const hd_wave_failure *g)
{
    return f->sweep != g->sweep ? f->sweep < g->sweep
           : f->item != g->item ? f->item < g->item
           : f->row != g->row   ? f->row < g->row
                                : f->column < g->column;
}

/* Sets *first to f, if f is before it. */
HD_FN void hd_failure_join(hd_wave_failure *first, const hd_wave_failure *f)
{
    if (f->code && (!first->code || hd_failure_is_before(f, first)))
        *first = *f;
}

/* One lane: publishes a band's failure, if it is the first so far. band: its own index in `failures`. */
HD_FN void hd_wave_fail(hd_wave_words *words, hd_wave_failure *failures, uint32_t band, const hd_wave_failure *f)
{
    uint32_t first;
    failures[band] = *f;
    do {
        first = HD_LOAD(&words->failed, ACQUIRE, DEV);
        if (first && !hd_failure_is_before(f, &failures[first - 1u]))
            return;
    } while (!HD_CAS(&words->failed, first, band + 1u, RELEASE, DEV));
}

/* Is there a failure before all cells of a band? */
HD_FN int hd_wave_is_behind(const hd_wave_place *at)
{
    const uint32_t first = HD_LOAD(&at->words->failed, FENCED_ACQUIRE, DEV);
    const hd_wave_failure begin = {at->sweep, at->item, at->row, 0, 0};
    if (!first)
        return 0;
    HD_FENCE_ACQUIRE();
    return hd_failure_is_before(&at->failures[first - 1u], &begin);
}

/* Is there nothing left to do for a band? */
HD_FN int hd_wave_is_over(const heddle_thread *thread, const hd_wave_place *at)
{
    return HD_LOAD(&thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT || (at->words && hd_wave_is_behind(at));
}

/* One lane of a band that is over: if the run has been stopped, stores what the band was at. band: among all of the wave. */
HD_FN void hd_wave_halt(const heddle_thread *thread, hd_wave_words *words, uint32_t kind, uint64_t band,
                        uint32_t column)
{
    const hd_pair_word at = hd_wave_word(column, (uint32_t)band + 1u);
    hd_pair_word least;
    if (HD_LOAD(&thread->fail->stop, RELAXED, DEV) == HD_STOP_NOT)
        return;
    do
        least = HD_PAIR_LOAD(&words->halted[kind], RELAXED);
    while ((!least || at < least) && !HD_PAIR_CAS(&words->halted[kind], least, at, RELAXED));
}

/* One lane of those that ended the last part and acquired what all left: if bands have failed, fails the run. 1: it did. */
HD_FN int hd_wave_conclude(const heddle_thread *thread, hd_wave_words *words, const hd_wave_failure *failures)
{
    if (!words->failed)
        return 0;
    words->first = failures[words->failed - 1u];
    words->failed = 0;
    (void)hd_thread_fail(thread, words->first.code);
    return 1;
}

/* The n-th fruitless poll of a word: waiting lanes must not hold up those that they wait for. */
HD_FN void hd_wave_pause(uint32_t n)
{
#if HD_HOSTED
    if (n > HD_WAVE_LOOKS)
        heddle_host_yield();
#endif
    if (n > HD_WAVE_LOOKS / 4u)
        HD_PAUSE(n);
}

/* After the n-th fruitless look. 0: the band is over. */
HD_FN int hd_wave_rests(const heddle_thread *thread, const hd_wave_place *at, uint32_t n)
{
    hd_note_waits(thread, n);
    if (n % HD_WAVE_LOOKS == HD_WAVE_LOOKS - 1u && hd_wave_is_over(thread, at))
        return 0;
    hd_wave_pause(n);
    return 1;
}

/* Counted cells. Waits until `need` of them are there, and acquires what was written before they were counted. NULL:
 * all are there. 0: the waiting band is over. */
HD_FN int hd_count_wait(const heddle_thread *thread, const hd_wave_place *at, const uint32_t *count, uint32_t need)
{
    uint32_t n;
    for (n = 0; count && HD_LOAD((uint32_t *)(uintptr_t)count, ACQUIRE, SYS) < need; n++)
        if (!hd_wave_rests(thread, at, n))
            return 0;
    hd_note_waited(thread, n);
    return 1;
}

/* Are a band's rows first .. end - 1 of the border in the west there? The count may be in another device's or the host's memory, where
 * each look takes a microsecond, and looks of hundreds of bands a thousand. So one band looks at it: the one with the
 * next rows. It leaves what it has seen in the item's words, where the others look. */
HD_FN int hd_west_is_there(hd_item_words *words, const uint32_t *count, uint32_t first, uint32_t end)
{
    const uint32_t seen = HD_LOAD(&words->west, ACQUIRE, DEV);
    uint32_t n;
    if (seen < first || seen >= end)
        return seen >= end;
    n = HD_LOAD((uint32_t *)(uintptr_t)count, ACQUIRE, SYS);
    if (n < end)
        return 0;
    HD_STORE(&words->west, n, RELEASE, DEV);
    return 1;
}

/* Waits for them. 0: the band is over. */
HD_FN int hd_west_await(const heddle_thread *thread, const hd_wave_place *at, hd_item_words *words,
                        const uint32_t *count, uint32_t first, uint32_t end)
{
    uint32_t n;
    for (n = 0; count && !hd_west_is_there(words, count, first, end); n++)
        if (!hd_wave_rests(thread, at, n))
            return 0;
    hd_note_waited(thread, n);
    return 1;
}

/* Rows first .. end - 1 have left their cells of the last column. Bands end in any order, but a count covers all rows
 * above. So a band waits until those have been counted, by the item's words. That is soon, because it needed these rows itself. */
HD_FN void hd_east_raise(const heddle_thread *thread, const hd_wave_place *at, hd_item_words *words, uint32_t *count,
                         uint32_t first, uint32_t end)
{
    uint32_t n;
    if (!count)
        return;
    for (n = 0; HD_LOAD(&words->east, ACQUIRE, DEV) < first; n++)
        if (!hd_wave_rests(thread, at, n))
            return;
    hd_note_waited(thread, n);
    HD_STORE(count, end, RELEASE, SYS);
    HD_STORE(&words->east, end, RELEASE, DEV);
}

/* One lane of a band: stamps its begin or its end, in the measured run only. Twice a band, so other runs do not notice. */
HD_FN void hd_wave_stamp(const hd_wave *wave, const hd_wave_item *item, uint32_t band, uint32_t is_end)
{
    if (wave->stamps && wave->words->base == wave->words->measured)
        wave->stamps[2u * (item->found_at + band) + is_end] = hd_clock();
}

/* hd_wave_words.base of the run after the one that has `base`. *wraps: tags run out, so they begin at 0 again, and all
 * words of far rows must be cleared. */
HD_FN uint32_t hd_wave_base_after(const hd_wave *wave, uint32_t base, int *wraps)
{
    base += wave->n_tags;
    *wraps = base > (uint32_t)HD_WAVE_TAG_MOST - wave->n_tags;
    return *wraps ? 0u : base;
}

/* All lanes that ended the last item, `lane` of `n_lanes`: prepares the words for the next run. */
HD_FN void hd_wave_next_run(const hd_wave *wave, uint32_t lane, uint32_t n_lanes)
{
    int wraps;
    const uint32_t base = hd_wave_base_after(wave, wave->words->base, &wraps);
    uint64_t i;
    for (i = lane; wraps && i < wave->n_far; i += n_lanes)
        wave->far[i] = 0;
    for (i = lane; wraps && i < wave->n_gone; i += n_lanes)
        wave->gone[i] = 0;
    hd_warp_sync(); /* all lanes have read the words */
    if (lane == 0) {
        wave->words->base = base;
        wave->words->done = 0;
    }
}

#endif
