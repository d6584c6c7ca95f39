/* SPDX-License-Identifier: MIT */
/* core/strip.h - cells on a GPU: a warp is a band. nvcc (and the emulator of blocks) only.
 *
 * A lane has R neighbouring rows in registers and takes C columns a step, a step behind the lane before it: what it needs of
 * the row above its own comes by one shuffle a column. With a neighbour to the north-east each row is a column behind the
 * one above. Warps of a block are consecutive bands, each a few granules behind the one before.
 *
 * K, made by HEDDLE_CELL, names the types and has the functions; a step is straight-line code of the user's cell. Cells
 * outside of the field are computed like others at the edges of a band and dropped: only there are there any. */
#ifndef HEDDLE_CORE_STRIP_H
#define HEDDLE_CORE_STRIP_H

#include "heddle/core/block.h"
#include "heddle/core/wave.h"

#if defined(HEDDLE_MODEL)
#define HD_UNROLL
#define HD_UNROLL_BY(n)
#define HD_ROLL
#else
#define HD_UNROLL _Pragma("unroll")
#define HD_UNROLL_BY(n) _Pragma(HD_TEXT_(unroll n))
#define HD_ROLL _Pragma("unroll 1")
#endif
#define HD_TEXT_(x) #x

/* ---- words ------------------------------------------------------------------------------------------------------ */

template <typename T> static __device__ __forceinline__ uint32_t hd_word_at(const T &v, int i)
{
    uint32_t w;
    __builtin_memcpy(&w, (const char *)&v + 4 * i, 4);
    return w;
}
template <typename T> static __device__ __forceinline__ void hd_set_word_at(T *v, int i, uint32_t w)
{
    __builtin_memcpy((char *)v + 4 * i, &w, 4);
}

template <typename K, int R, int C> struct hd_strip {
    typedef typename K::cell cell;
    enum {
        east = K::neighbours & HEDDLE_NE ? 1 : 0,
        skew = C + R * east,        /* a lane's columns are so far behind those of the lane before */
        lag = 31 * skew + R * east, /* ... and what the last lane hands on behind the first lane's */
        near = lag + 2 * 32 <= 128   ? 128
               : lag + 2 * 32 <= 256 ? 256
                                     : 512, /* columns of y that are kept near */
        words = sizeof(cell) / 4,
        south = K::south / 4
    };
    typename K::row x[R];
    cell h[R];             /* of each row the last cell */
    cell h1[east ? R : 1]; /* and the one before */
    cell top[2];           /* of the row above: likewise */
    uint32_t bot[C][south];
    typename K::column y[east ? R : 1];
    typename K::found found;
};

/* What a warp has near. */
template <typename K, int R, int C> struct hd_strip_shared {
    typedef hd_strip<K, R, C> strip;
    hd_pair_word ring[HD_WAVE_RING][strip::south];                  /* from the warp before to this one */
    __align__(16) uint32_t stage[2][HD_WAVE_GRANULE][strip::south]; /* a granule of the row above */
    __align__(16) typename K::column column[2 * strip::near];       /* twice, so that a lane's are consecutive */
    uint32_t credit;                                                /* granules of `ring` that were read */
};

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* Where a band stands in its item, for one lane. */
typedef struct hd_band {
    uint32_t rows, cols, row; /* of the item; the lane's first row */
} hd_band;

/* What a step is compiled for. */
enum {
    HD_STEP_INNER,
    HD_STEP_KEEP,
    HD_STEP_EDGE
}; /* all cells are the field's; and they are kept; whatever there is */

/* Is the cell of row r and column j one of the field? */
template <int STEP> static __device__ __forceinline__ int hd_is_cell(const hd_band *b, int r, int j)
{
    return STEP != HD_STEP_EDGE || ((uint32_t)j < b->cols && b->row + (uint32_t)r < b->rows);
}

/* Cell (i, j) goes where the user wants it. */
template <int STEP, typename T>
static __device__ __forceinline__ void hd_cell_leave(const hd_wave *wave, const hd_wave_item *item, uint32_t i,
                                                     uint32_t j, const T &cell)
{
    if (STEP == HD_STEP_KEEP || wave->cells)
        ((T *)wave->cells)[item->cells_at + i * item->row_cells + j] = cell;
    if (STEP == HD_STEP_EDGE && wave->last_row && i == item->rows - 1u)
        ((T *)wave->last_row)[item->last_row_at + j] = cell;
}

/* One column of a lane's rows; `at` is that of the row above, whose cell is `top`. The cells are left in `cells`. 1: one of them
 * is to be looked at. */
template <int STEP, typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_column(const typename K::params *params, const hd_wave *wave,
                                                      const hd_wave_item *item, const hd_band *b, hd_strip<K, R, C> *s,
                                                      const typename K::cell &top, const typename K::column &y, int at,
                                                      typename K::cell (&cells)[R])
{
    enum { east = hd_strip<K, R, C>::east };
    typename K::in in;
    int look = 0;
    in.n = east ? s->top[0] : top;
    in.nw = s->top[east];
    in.ne = top;
    if (east) {
        s->top[1] = s->top[0];
        HD_UNROLL
        for (int r = R - 1; r > 0; r--)
            s->y[r] = s->y[r - 1];
        s->y[0] = y;
    }
    s->top[0] = top;
    HD_UNROLL
    for (int r = 0; r < R; r++) {
        const int j = at - (r + 1) * east;
        const typename K::cell last = s->h[r], last1 = s->h1[east ? r : 0];
        in.w = last;
        in.x = s->x[r];
        in.y = east ? s->y[r] : y;
        in.i = b->row + (uint32_t)r;
        in.j = (uint32_t)j;
        cells[r] = K::step(params, &in);
        if (STEP != HD_STEP_EDGE || (uint32_t)j < b->cols) {
            s->h[r] = cells[r];
            if (east)
                s->h1[r] = last;
        } else if (east && (uint32_t)j == b->cols) { /* the row below has a neighbour to the north-east there */
            __builtin_memcpy(&s->h[r], wave->east_cell, sizeof s->h[r]);
            s->h1[r] = last;
        }
        if (STEP != HD_STEP_INNER && hd_is_cell<STEP>(b, r, j))
            hd_cell_leave<STEP>(wave, item, in.i, in.j, cells[r]);
        if (K::finds)
            look |= hd_is_cell<STEP>(b, r, j) && K::look(&cells[r], &s->found);
        in.nw = east ? last1 : last;
        in.n = east ? last : s->h[r];
        in.ne = s->h[r];
    }
    return look;
}

/* The cells of a step, one of which is to be looked at. Seldom: so a loop, of a copy that may lie in memory. */
template <int STEP, typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_find(const hd_band *b, hd_strip<K, R, C> *s,
                                                     const typename K::cell (&cells)[C][R], int at)
{
    typename K::cell copy[C * R];
    HD_UNROLL
    for (int k = 0; k < C * R; k++)
        copy[k] = cells[k / R][k % R];
    HD_ROLL
    for (int k = 0; k < C * R; k++) {
        const int r = k % R, j = at + k / R - (r + 1) * hd_strip<K, R, C>::east;
        if (hd_is_cell<STEP>(b, r, j))
            K::find(&copy[k], b->row + (uint32_t)r, (uint32_t)j, &s->found);
    }
}

/* C columns: top is what lane 0 has above it, at the column of the row above the lane's. */
template <int STEP, typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_step(const typename K::params *params, const hd_wave *wave,
                                                     const hd_wave_item *item, const hd_band *b, hd_strip<K, R, C> *s,
                                                     const uint32_t *border, const typename K::column *y, int at)
{
    typedef hd_strip<K, R, C> strip;
    typename K::cell top[C], cells[C][R];
    int look = 0;
    __builtin_memset(top, 0, sizeof top); /* only what is handed on of it is ever there */
    HD_UNROLL
    for (int c = 0; c < C; c++)
        HD_UNROLL
    for (int w = 0; w < strip::south; w++) {
        const uint32_t above = __shfl_up_sync(0xffffffffu, s->bot[c][w], 1);
        hd_set_word_at(&top[c], w, (threadIdx.x & 31u) == 0 ? border[c * strip::south + w] : above);
    }
    HD_UNROLL
    for (int c = 0; c < C; c++) {
        look |= hd_strip_column<STEP>(params, wave, item, b, s, top[c], y[c], at + c, cells[c]);
        HD_UNROLL
        for (int w = 0; w < strip::south; w++)
            s->bot[c][w] = hd_word_at(s->h[R - 1], w);
    }
    if (K::finds && look)
        hd_strip_find<STEP>(b, s, cells, at);
}

/* ---- a granule ----------------------------------------------------------------------------------------------------- */

/* Where a band's words go, and what tag they get. */
typedef struct hd_outlet {
    hd_pair_word *row; /* NULL: nobody takes them */
    uint32_t mask;     /* of positions: a ring, or all */
    uint32_t tag;
} hd_outlet;

/* 32 columns of lane 0, from column c0. */
template <int STEP, typename K, int R, int C>
static __device__ __forceinline__ void
hd_strip_granule(const typename K::params *params, const hd_wave *wave, const hd_wave_item *item, const hd_band *b,
                 hd_strip<K, R, C> *s, hd_strip_shared<K, R, C> *near, uint32_t g, hd_outlet to)
{
    typedef hd_strip<K, R, C> strip;
    const uint32_t lane = threadIdx.x & 31u;
    const int c0 = (int)(g * HD_WAVE_GRANULE), at = c0 - (int)lane * strip::skew;
    const uint32_t *border = &near->stage[g & 1u][0][0];
    const typename K::column *y = near->column + ((uint32_t)(at - strip::east) & (strip::near - 1u));
    hd_pair_word *out = to.row ? to.row + (uint64_t)((uint32_t)c0 & to.mask) * strip::south : (hd_pair_word *)0;
    HD_UNROLL_BY((STEP == HD_STEP_EDGE ? 1 : 4)) /* more would be no quicker, and crowds the instruction cache */
    for (int k = 0; k < 32 / C; k++) {
        hd_strip_step<STEP>(params, wave, item, b, s, border + k * C * strip::south, y + k * C, at + k * C);
        if (lane == 31u && out)
            HD_UNROLL
        for (int c = 0; c < C; c++)
            HD_UNROLL
        for (int w = 0; w < strip::south; w++)
            HD_BORDER_STORE(out + (k * C + c) * strip::south + w, hd_wave_word(s->bot[c][w], to.tag));
    }
}

/* ---- a band ------------------------------------------------------------------------------------------------------- */

/* A warp and what it goes along. */
template <typename K, int R, int C> struct hd_strip_walk {
    const heddle_thread *thread;
    const typename K::params *params;
    const hd_wave *wave;
    const hd_wave_item *item;
    hd_band band;
    uint32_t index;      /* of the band in its item */
    uint32_t lane, edge; /* edge: all of its granules are; it has rows that are none of the field */
    hd_strip_shared<K, R, C> *near;
    const hd_pair_word *from;              /* words of the band before, NULL: there is none */
    uint32_t from_mask, from_tag, is_near; /* is_near: `from` is a ring of this block */
    uint32_t *credit_back;                 /* what the warp before is told, or NULL */
    const uint32_t *credit;                /* what the warp behind tells, or NULL */
    hd_outlet to;
};

/* The words of position p that this lane reads. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_border_look(const hd_strip_walk<K, R, C> &a, uint32_t p,
                                                      hd_pair_word (&out)[hd_strip<K, R, C>::south])
{
    const hd_pair_word *at = a.from + (uint64_t)(p & a.from_mask) * hd_strip<K, R, C>::south;
    HD_UNROLL
    for (int w = 0; w < hd_strip<K, R, C>::south; w++)
        out[w] = a.is_near ? HD_BORDER_LOAD_NEAR(at + w) : HD_BORDER_LOAD(at + w);
}

/* Which position this lane reads in granule g: those beyond the last column have none, and read the last one again. */
template <typename K, int R, int C>
static __device__ __forceinline__ uint32_t hd_border_position(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    const uint32_t c = g * HD_WAVE_GRANULE + a.lane, last = a.band.cols - 1u + hd_strip<K, R, C>::east;
    return (c < last ? c : last) + hd_strip<K, R, C>::lag;
}

/* All lanes: is the run over before its end? Looked at once in a while. */
static __device__ __forceinline__ int hd_wave_stopped(const heddle_thread *thread, uint32_t n)
{
    return n % HD_WAVE_LOOKS == HD_WAVE_LOOKS - 1u &&
           hd_ballot(HD_LOAD(&thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT);
}

/* All lanes: waits until the words of granule g are there; `seen` are those that were looked at before. 0: the run has been stopped. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_border_wait(const hd_strip_walk<K, R, C> &a, uint32_t g,
                                                     hd_pair_word (&seen)[hd_strip<K, R, C>::south])
{
    const uint32_t p = hd_border_position(a, g), tag = a.from_tag + p / HD_WAVE_GRANULE;
    for (uint32_t n = 0;; n++) {
        int there = 1;
        HD_UNROLL
        for (int w = 0; w < hd_strip<K, R, C>::south; w++)
            there &= hd_wave_tag(seen[w]) == tag;
        if (__all_sync(0xffffffffu, there))
            return 1;
        if (hd_wave_stopped(a.thread, n))
            return 0;
        hd_border_look(a, p, seen);
    }
}

/* All lanes: waits until the warp behind has read what granule g overwrites. 0: the run has been stopped. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_credit_wait(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    const int need = (int)(HD_WAVE_GRANULE * (g + 1u)) - (int)HD_WAVE_RING - (int)hd_strip<K, R, C>::lag;
    for (uint32_t n = 0; a.credit && need > 0; n++) {
        if (__all_sync(0xffffffffu, (int)(hd_word(a.credit) * HD_WAVE_GRANULE) >= need))
            break;
        if (hd_wave_stopped(a.thread, n))
            return 0;
    }
    return 1;
}

/* The cell above column c of the item's first band. */
template <typename K>
static __device__ __forceinline__ typename K::cell hd_north_cell(const hd_wave *wave, const hd_wave_item *item,
                                                                 uint32_t c)
{
    typename K::cell v;
    if (c >= item->cols)
        __builtin_memcpy(&v, wave->east_cell, sizeof v);
    else if (wave->north)
        v = ((const typename K::cell *)wave->north)[item->north_at + c];
    else
        __builtin_memcpy(&v, wave->north_cell, sizeof v);
    return v;
}

/* What is to the west of row i; of the row above the first one: the corner. */
template <typename K>
static __device__ __forceinline__ typename K::cell hd_west_cell(const hd_wave *wave, const hd_wave_item *item,
                                                                uint32_t i)
{
    typename K::cell v;
    if (i == HD_NONE)
        __builtin_memcpy(&v, wave->corner, sizeof v);
    else if (wave->west && i < item->rows)
        v = ((const typename K::cell *)wave->west)[item->west_at + i];
    else
        __builtin_memcpy(&v, wave->west_cell, sizeof v);
    return v;
}

/* A lane before its first column. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_begin(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s)
{
    typedef hd_strip<K, R, C> strip;
    HD_UNROLL
    for (int r = 0; r < R; r++) {
        const uint32_t i = a.band.row + (uint32_t)r;
        s->x[r] = typename K::row();
        if (a.wave->x)
            s->x[r] = ((const typename K::row *)a.wave->x)[a.item->x_at + (i < a.band.rows ? i : a.band.rows - 1u)];
        s->h[r] = s->h1[strip::east ? r : 0] = hd_west_cell<K>(a.wave, a.item, i);
        s->y[strip::east ? r : 0] = typename K::column();
    }
    s->top[0] = s->top[1] = hd_west_cell<K>(a.wave, a.item, a.band.row - 1u);
    HD_UNROLL
    for (int c = 0; c < C; c++)
        HD_UNROLL
    for (int w = 0; w < strip::south; w++)
        s->bot[c][w] = hd_word_at(s->h[R - 1], w);
    __builtin_memset(&s->found, 0, sizeof s->found);
}

/* All lanes: what granule g needs stands near. 0: the run has been stopped. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_granule_enter(const hd_strip_walk<K, R, C> &a, uint32_t g,
                                                       hd_pair_word (&seen)[hd_strip<K, R, C>::south],
                                                       typename K::column *next)
{
    typedef hd_strip<K, R, C> strip;
    const uint32_t c0 = g * HD_WAVE_GRANULE, at = (c0 + a.lane) & (strip::near - 1u);
    const int in = a.from && c0 < a.band.cols + strip::east;
    if (in && !hd_border_wait(a, g, seen))
        return 0;
    if (in) {
        HD_UNROLL
        for (int w = 0; w < strip::south; w++)
            a.near->stage[g & 1u][a.lane][w] = (uint32_t)seen[w];
    } else {
        const typename K::cell v = hd_north_cell<K>(a.wave, a.item, c0 + a.lane);
        HD_UNROLL
        for (int w = 0; w < strip::south; w++)
            a.near->stage[g & 1u][a.lane][w] = hd_word_at(v, w);
    }
    a.near->column[at] = a.near->column[at + strip::near] = *next;
    hd_warp_sync();
    if (a.credit_back && a.lane == 0)
        hd_mark(a.credit_back, g + 1u);
    if (a.from && c0 + HD_WAVE_GRANULE < a.band.cols + strip::east)
        hd_border_look(a, hd_border_position(a, g + 1u), seen);
    const uint32_t c = c0 + HD_WAVE_GRANULE + a.lane;
    if (c < a.band.cols && a.wave->y)
        *next = ((const typename K::column *)a.wave->y)[a.item->y_at + c];
    return hd_credit_wait(a, g);
}

/* All lanes: granules first .. end - 1 of a band. 0: the run has been stopped. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_go(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s, uint32_t first,
                                                  uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    const uint32_t c = first * HD_WAVE_GRANULE + a.lane;
    hd_pair_word seen[strip::south];
    hd_outlet to = a.to;
    typename K::column next = typename K::column();
    if (c < a.band.cols && a.wave->y)
        next = ((const typename K::column *)a.wave->y)[a.item->y_at + c];
    __builtin_memset(seen, 0, sizeof seen); /* a tag that no word has */
    for (uint32_t g = first; g < end; g++) {
        if (!hd_granule_enter(a, g, seen, &next))
            return 0;
        to.tag = a.to.tag + g;
        if (a.edge || g * HD_WAVE_GRANULE < strip::lag || (g + 1u) * HD_WAVE_GRANULE > a.band.cols)
            hd_strip_granule<HD_STEP_EDGE>(a.params, a.wave, a.item, &a.band, s, a.near, g, to);
        else if (a.wave->cells)
            hd_strip_granule<HD_STEP_KEEP>(a.params, a.wave, a.item, &a.band, s, a.near, g, to);
        else
            hd_strip_granule<HD_STEP_INNER>(a.params, a.wave, a.item, &a.band, s, a.near, g, to);
    }
    return 1;
}

/* What the lane `by` behind has found. */
template <typename T> static __device__ __forceinline__ T hd_shuffle_down(const T &v, uint32_t by)
{
    T out;
    HD_UNROLL
    for (uint32_t w = 0; w < sizeof(T) / 4u; w++)
        hd_set_word_at(&out, (int)w, __shfl_down_sync(0xffffffffu, hd_word_at(v, (int)w), by));
    return out;
}

/* All lanes: on lane 0 what all of them have found. */
template <typename K> static __device__ __forceinline__ void hd_found_join(typename K::found *found)
{
    HD_UNROLL
    for (uint32_t by = 16; by; by /= 2) {
        const typename K::found other = hd_shuffle_down(*found, by);
        K::merge(found, &other);
    }
}

/* All lanes: a band is through. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_end(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s)
{
    typedef hd_strip<K, R, C> strip;
    typename K::cell *last = (typename K::cell *)a.wave->last_col;
    HD_UNROLL
    for (int r = 0; r < R; r++)
        if (last && a.band.row + (uint32_t)r < a.band.rows)
            last[a.item->last_col_at + a.band.row + (uint32_t)r] = strip::east ? s->h1[strip::east ? r : 0] : s->h[r];
    if constexpr (K::finds != 0)
        if (a.wave->found) {
            hd_found_join<K>(&s->found);
            if (a.lane == 0)
                ((typename K::found *)a.wave->found)[a.item->found_at + a.index] = s->found;
        }
}

/* All lanes of a warp: what all bands have found. */
template <typename K> static __device__ __forceinline__ void hd_found_all(const hd_wave *wave)
{
    const typename K::found *of_bands = (const typename K::found *)wave->found;
    typename K::found found;
    __builtin_memset(&found, 0, sizeof found);
    for (uint32_t i = threadIdx.x & 31u; i < wave->n_bands; i += 32u)
        K::merge(&found, &of_bands[i]);
    hd_found_join<K>(&found);
    if ((threadIdx.x & 31u) == 0)
        *(typename K::found *)wave->result = found;
}

/* All threads: who ends the last part joins what all bands have found, and makes the words ready for the next run. */
template <typename K>
static __device__ __forceinline__ void hd_part_end(const heddle_thread *thread, const hd_wave_part *p)
{
    const hd_wave *wave = p->wave;
    uint32_t last = 0;
    if (thread->index >= 32u)
        return;
    if (thread->index == 0)
        last = HD_ADD(&wave->words->done, 1u, ACQ_REL, DEV) + 1u == wave->n_parts;
    if (!hd_shuffle(last, 0))
        return;
    hd_warp_sync(); /* all lanes know what lane 0 has acquired */
    if constexpr (K::finds != 0)
        if (wave->result)
            hd_found_all<K>(wave);
    hd_wave_next_run(wave, thread->index, 32u);
}

/* ---- a part --------------------------------------------------------------------------------------------------------- */

template <typename K, int R, int C>
static __device__ __forceinline__ hd_strip_walk<K, R, C>
hd_strip_walk_of(const heddle_thread *thread, const typename K::params *params, const hd_wave_part *p,
                 hd_strip_shared<K, R, C> *near)
{
    typedef hd_strip<K, R, C> strip;
    const uint32_t warp = thread->index / 32u;
    const hd_wave *wave = p->wave;
    const hd_wave_item *item = wave->items + p->item;
    const uint32_t n_granules = hd_wave_granules(item->cols, strip::lag, strip::east);
    const uint32_t base = wave->words->base + p->tag + warp * n_granules + 1u;
    hd_pair_word *far = wave->far + item->words_at * strip::south;
    const uint64_t far_words = (uint64_t)n_granules * HD_WAVE_GRANULE * strip::south;
    hd_strip_walk<K, R, C> a;
    a.thread = thread;
    a.params = params;
    a.wave = wave;
    a.item = item;
    a.lane = thread->index & 31u;
    a.index = p->band + warp;
    a.band.rows = item->rows;
    a.band.cols = item->cols;
    a.band.row = (a.index * 32u + a.lane) * R;
    a.edge = (a.index + 1u) * 32u * R > item->rows || (wave->last_row && a.index + 1u == item->n_bands);
    a.near = near + warp;
    a.is_near = warp > 0;
    a.from = a.index == 0 ? (hd_pair_word *)0 : warp ? &a.near->ring[0][0] : far + ((p->group + 1u) & 1u) * far_words;
    a.from_mask = warp ? HD_WAVE_RING - 1u : 0xffffffffu;
    a.from_tag = base - n_granules;
    a.credit_back = warp ? &a.near->credit : (uint32_t *)0;
    a.to.tag = base;
    const int has_next = a.index + 1u < item->n_bands, next_is_near = warp + 1u < p->n_bands;
    a.credit = has_next && next_is_near ? &a.near[1].credit : (uint32_t *)0;
    a.to.row = !has_next ? (hd_pair_word *)0 : next_is_near ? &a.near[1].ring[0][0] : far + (p->group & 1u) * far_words;
    a.to.mask = next_is_near ? HD_WAVE_RING - 1u : 0xffffffffu;
    return a;
}

/* All threads of a team of whole warps: a part from its beginning to its end. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_part(const heddle_thread *thread, const typename K::params *params,
                                                     const hd_wave_part *p, void *memory)
{
    typedef hd_strip<K, R, C> strip;
    hd_strip_shared<K, R, C> *near = (hd_strip_shared<K, R, C> *)memory;
    const uint32_t warp = thread->index / 32u, n_words = sizeof(near->ring) / 4u * p->n_bands;
    for (uint32_t i = thread->index; i < p->n_bands; i += thread->team_size)
        near[i].credit = 0;
    for (uint32_t i = thread->index; i < n_words; i += thread->team_size)
        ((uint32_t *)near[i / (sizeof(near->ring) / 4u)].ring)[i % (sizeof(near->ring) / 4u)] = 0;
    hd_bar_team(thread->team_size);
    if (warp < p->n_bands) {
        const hd_strip_walk<K, R, C> a = hd_strip_walk_of<K, R, C>(thread, params, p, near);
        strip s;
        hd_strip_begin(a, &s);
        if (hd_strip_go(a, &s, 0u, hd_wave_granules(a.band.cols, strip::lag, strip::east)))
            hd_strip_end(a, &s);
    }
    hd_bar_team(thread->team_size);
    hd_part_end<K>(thread, p);
}

#endif
