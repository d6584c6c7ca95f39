/* SPDX-License-Identifier: MIT */
/* core/strip.h - cells on a GPU: a warp is a band. nvcc (and the emulator of blocks) only.
 *
 * A lane has R neighbouring rows in registers and takes C columns a step, one step behind the lane before it. It gets
 * the row above its own by one shuffle a column. With a neighbour to the north-east each row is a column behind the row
 * above. Warps of a block are consecutive bands, each a few granules behind the one before.
 *
 * K, made by HEDDLE_CELL, names the types and has the functions; a step is straight-line code of the user's cell. Cells
 * outside of the field, which only the edges of a band have, are computed like others and dropped. */
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
#define HD_APART __attribute__((noinline))

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

/* N consecutive things, aligned to the largest power of two that divides their size, at most 16 bytes. */
template <typename T, int N> struct hd_some {
    enum { bytes = N * sizeof(T), lowest = bytes & -bytes, aligned = lowest < 16 ? lowest : 16 };
    __align__(aligned) T at[N];
};
template <typename T, int N> static __device__ __forceinline__ hd_some<T, N> hd_load_some(const T *from)
{
    return *(const hd_some<T, N> *)from;
}

/* A cell from words that the host wrote. */
template <typename T> static __device__ __forceinline__ T hd_cell_of(const uint32_t *words)
{
    T v;
    HD_UNROLL
    for (int w = 0; w < (int)sizeof(T) / 4; w++)
        hd_set_word_at(&v, w, words[w]);
    return v;
}

/* The best cell that a lane has met. In a step a cell's *code* is its rank and, in the low bits, its place: the smaller
 * the column, then the row, the larger. So one number orders both, and the best of a step is a maximum. */
template <bool is_wanted, int R, int C> struct hd_strip_best {
    enum { n = R * C, places = n <= 2 ? 2 : n <= 4 ? 4 : n <= 8 ? 8 : n <= 16 ? 16 : 32 };
    static_assert(n <= 32, "a code has room for 32 places");
    int code, at;  /* of the best cell, and its step */
    int least;     /* codes above it have a larger rank */
    int add[C][R]; /* added to a rank times places; for a row outside of the field so low that it never wins */
};
template <int R, int C> struct hd_strip_best<false, R, C> {
};

/* The first failure among a lane's cells, if cells can fail. */
template <bool is_wanted> struct hd_strip_failure {
    hd_wave_failure first;
};
template <> struct hd_strip_failure<false> {
};

/* Sweeps: the field's values for the cells of a step. */
template <typename V, bool is_wanted, int R, int C> struct hd_strip_start {
    V at[C][R];
};
template <typename V, int R, int C> struct hd_strip_start<V, false, R, C> {
};

template <typename K, int R, int C> struct hd_strip {
    typedef typename K::cell cell;
    enum {
        east = K::neighbours & HEDDLE_NE ? 1 : 0,
        skew = C + R * east,        /* columns that a lane is behind the lane before */
        lag = 31 * skew + R * east, /* ... and the row handed on behind lane 0's */
        near = lag + 2 * 32 <= 128   ? 128
               : lag + 2 * 32 <= 256 ? 256
                                     : 512, /* columns of y kept in shared memory */
        words = sizeof(cell) / 4,
        south = K::south / 4,
        together = HD_LAYOUT_TOGETHER(sizeof(cell), R *C), /* kept skewed */
        pieces = K::sweeps != 0 || words == 1 ? 1
                 : words == 2                 ? 2
                                              : 4, /* of a granule, each a line or less of a row */
        piece_columns = (int)HD_WAVE_GRANULE / pieces,
        ranks = K::finds == HD_FINDS_BEST && !east, /* the best cell is found step by step, not cell by cell ... */
        finds = K::finds != HD_FINDS_NOTHING && !ranks
    };
    typename K::row x[R];
    cell h[R];             /* last cell of each row */
    cell h1[east ? R : 1]; /* and the one before */
    cell top[2];           /* of the row above: likewise */
    /* Inputs of the next step, loaded during this one: the lane above's lowest row, what lane 0 has above it, and y. */
    uint32_t above[C][south];
    hd_some<uint32_t, C * south> border;
    hd_some<typename K::column, C> column;
    typename K::column y[east ? R : 1];
    typename K::found found[R]; /* of each row, so that find need not order two places */
    hd_strip_best<ranks != 0, R, C> best;
    hd_strip_start<typename K::value, K::sweeps != 0, R, C> start; /* of the next step */
    hd_strip_failure<K::fails != 0> failure;
};

/* A warp's shared memory. */
template <typename K, int R, int C> struct hd_strip_shared {
    typedef hd_strip<K, R, C> strip;
    __align__(16) hd_pair_word ring[HD_WAVE_RING][strip::south];    /* from the warp before to this one */
    __align__(16) uint32_t stage[2][HD_WAVE_GRANULE][strip::south]; /* a granule of the row above */
    __align__(16) typename K::column column[2 * strip::near];       /* twice, so that a lane's are consecutive */
    uint32_t credit;                                                /* granules of `ring` that were read */
    /* The band's first place, of cells kept skewed, or by rows; NULL: not kept so. In shared memory to save a register. */
    typename K::cell *skewed;
    uint32_t *kept;
    uint64_t row_words; /* kept by rows: from a row to the next */
    uint32_t is_there;  /* in an item's first band: the border words of the last look are there */
};

/* Sweeps: a warp's part of the field in shared memory, two granules of all its rows. Column c is at c modulo 32: lanes'
 * columns are skewed, so lanes use different banks. The last sweep's values replace the field's. */
template <typename V, bool is_wanted, int R> struct hd_strip_field {
    enum { bytes = 2 * 32 * R * 32 * sizeof(V) };
    V at[2][32 * R][32];
};
/* Without sweeps, if cells are kept by rows: of each row the line of memory that has begun, and what the next columns
 * add, at most a line. A word is at its address modulo two lines, so that a line is aligned here as in memory. */
#define HD_ROW_LINE 32u /* words: the memory's unit, and a warp's */
template <typename V, int R> struct hd_strip_field<V, false, R> {
    enum { bytes = 0 };
    __align__(16) uint32_t at[32 * R][2 * HD_ROW_LINE];
};
template <typename K, int R, int C> struct hd_strip_near {
    typedef hd_strip_field<typename K::value, K::sweeps != 0, R> field;
    enum {
        field_bytes = field::bytes,
        bytes = sizeof(hd_strip_shared<K, R, C>) + field_bytes,
        kept_bytes = K::sweeps != 0 ? 0 : sizeof(field)
    };
};

/* Small parameters are held in registers, others are read from memory. */
template <typename P, bool few = sizeof(P) <= 64> struct hd_held {
    P own;
    __device__ __forceinline__ hd_held(const P *p) : own(*p) {}
    __device__ __forceinline__ const P *get() const { return &own; }
};
template <typename P> struct hd_held<P, false> {
    const P *far;
    __device__ __forceinline__ hd_held(const P *p) : far(p) {}
    __device__ __forceinline__ const P *get() const { return far; }
};

/* Where a band's words go, and their tag. */
typedef struct hd_outlet {
    hd_pair_word *row; /* NULL: no band reads them */
    uint32_t mask;     /* of positions: a ring, or all */
    uint32_t tag;
} hd_outlet;

/* A lane and its way. Steps are too short to load words of the wave again, so their values are here. */
template <typename K, int R, int C> struct hd_strip_walk {
    const heddle_thread *thread;
    const typename K::params *params;
    const hd_wave *wave;
    const hd_wave_item *item;
    uint32_t rows, cols; /* of the item */
    uint32_t row;        /* the lane's first */
    int n_rows;          /* rows of the lane that are in the field: 0 .. R */
    uint32_t index;      /* of the band in its item */
    uint32_t lane;
    const typename K::column *y;   /* NULL: zeros */
    const typename K::cell *north; /* of an item's first band; NULL: constant */
    typename K::cell *last_row;    /* where the lane leaves the first last_cols cells of the last row */
    uint32_t last_cols;            /* 0: not wanted, or not this lane's */
    /* Sweeps: the field, the distance of its rows, its size without the rim, and the word that later passes wait for. */
    typename K::value *field;
    uint64_t row_cells;
    uint32_t inner_rows, inner_cols, sweeps;
    uint32_t *gone; /* NULL: no pass waits */
    hd_strip_shared<K, R, C> *near;
    typename hd_strip_near<K, R, C>::field *stage; /* of the field, of kept rows */
    const hd_pair_word *from;                      /* words of the band before, NULL: there is none */
    uint32_t from_mask, from_tag;
    uint32_t *credit; /* stored by the next warp, or NULL */
    hd_outlet to;
};

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* What a step is compiled for. */
enum {
    HD_STEP_INNER, /* all columns are in the field, and no cell is kept; with sweeps: and no row is on the rim */
    HD_STEP_KEEP,  /* ... and cells are kept, by rows; with sweeps: rows may be on the rim */
    HD_STEP_SKEW,  /* ... skewed */
    HD_STEP_RIM,   /* some lanes are before their first column or after their last, and no cell is kept. All bands wait
                      for these steps. With sweeps: columns may be on the rim, or outside of the field */
    HD_STEP_LAST,  /* ... and one has the last row, which is left */
    HD_STEP_EDGE   /* anything */
};

template <int STEP> static __device__ __forceinline__ int hd_is_column(int j, uint32_t cols)
{
    return STEP >= HD_STEP_RIM ? (uint32_t)j < cols : 1;
}

/* The cells of a step and their inputs. Column c of row r is column at + c, with a neighbour to the north-east r + 1
 * columns less. after[c]: the rows' last cells before column c; after1: those before them. */
template <typename K, int R, int C> struct hd_strip_cells {
    enum { east = hd_strip<K, R, C>::east };
    typename K::cell top[C + 2]; /* of the row above, from two columns before the first */
    typename K::cell after[C + 1][R], after1[C + 1][R];
    typename K::cell at[C][R];
    typename K::column y[C + (east ? R : 0)]; /* backwards, so that row r of column c has y[C - 1 - c + r] */
    hd_strip_start<typename K::value, K::sweeps != 0, R, C> start;
    int most; /* largest code */
};

template <int STEP, typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_cell(const typename K::params *params, const hd_strip_walk<K, R, C> &a,
                                                     hd_strip<K, R, C> *s, hd_strip_cells<K, R, C> *m, int r, int c,
                                                     int at)
{
    enum { east = hd_strip<K, R, C>::east };
    const int j = at + c - (r + 1) * east, is_cell = hd_is_column<STEP>(j, a.cols);
    const int stays =
        !is_cell; /* outside of the field a lane keeps its cell: before the first column the one to the west */
    const typename K::cell last = m->after[c][r], last1 = m->after1[c][r];
    typename K::in in;
    in.w = last;
    if (r == 0) {
        in.nw = m->top[c + 1 - east];
        in.n = m->top[c + 2 - east];
        in.ne = m->top[c + 2];
    } else {
        in.nw = east ? m->after1[c][r - 1] : m->after[c][r - 1];
        in.n = east ? m->after[c][r - 1] : m->at[c][r - 1];
        in.ne = m->after[c + 1][r - 1];
    }
    in.x = s->x[r];
    in.y = m->y[C - 1 - c + r * east];
    in.i = a.row + (uint32_t)r;
    in.j = (uint32_t)j;
    if constexpr (K::sweeps != 0)
        K::start(&in, &m->start.at[c][r], a.inner_rows, a.inner_cols,
                 STEP == HD_STEP_EDGE   ? HD_EDGES_ALL
                 : STEP == HD_STEP_KEEP ? HD_EDGES_ROWS
                 : STEP == HD_STEP_RIM  ? HD_EDGES_COLUMNS
                                        : HD_EDGES_NONE);
    uint32_t failed[K::fails + 1] = {0};
    if constexpr (K::fails != 0)
        in.failed_ = &failed;
    m->at[c][r] = K::step(params, &in);
    m->after[c + 1][r] = stays ? last : m->at[c][r];
    m->after1[c + 1][r] = stays ? last1 : last;
    if constexpr (K::fails != 0)
        if (failed[0] && is_cell && in.i < a.rows) {
            const hd_wave_failure f = hd_failure_of(a.item, in.i, in.j, failed);
            hd_failure_join(&s->failure.first, &f);
        }
    if (hd_strip<K, R, C>::finds && is_cell)
        K::find(&m->at[c][r], in.i, in.j, &s->found[r]);
    if constexpr (hd_strip<K, R, C>::ranks != 0) {
        const int code = K::rank(&m->after[c + 1][r]) * hd_strip_best<true, R, C>::places + s->best.add[c][r];
        m->most = code > m->most ? code : m->most;
    }
    if (STEP == HD_STEP_EDGE && east && (uint32_t)j == a.cols) { /* the row below has it to its north-east */
        m->after[c + 1][r] = hd_cell_of<typename K::cell>(a.wave->east_cell);
        m->after1[c + 1][r] = last;
    }
}

/* Is one of the cells better than all before? Earlier steps have smaller columns, so of equals the first stays. For the
 * same reason a lane after its last column finds nothing new. */
template <int STEP, typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_rank(hd_strip<K, R, C> *s, int most, int at)
{
    const int is_better = most > s->best.least && (STEP < HD_STEP_RIM || at >= 0);
    s->best.code = is_better ? most : s->best.code;
    s->best.least = is_better ? most | (hd_strip_best<true, R, C>::places - 1) : s->best.least;
    s->best.at = is_better ? at : s->best.at;
}

/* The last row's cells go to the user's array. It is the lowest row of its lane; other lanes have no columns of it. No
 * branch: steps on both sides of one would not overlap. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_leave_last(const hd_strip_walk<K, R, C> &a,
                                                           const typename K::cell (&cells)[C][R], int at)
{
    HD_UNROLL
    for (int c = 0; c < C; c++) {
        const int j = at + c - a.n_rows * hd_strip<K, R, C>::east;
        typename K::cell last = cells[c][0];
        HD_UNROLL
        for (int r = 1; r < R; r++)
            last = r < a.n_rows ? cells[c][r] : last;
        if ((uint32_t)j < a.last_cols)
            a.last_row[j] = last;
    }
}

/* Kept by rows: where a lane's words are in shared memory. Numbers of words wrap around. */
typedef struct hd_strip_kept {
    uint32_t *room;
    uint32_t first, next; /* number of the first row's word at column 0; from a row to the next */
} hd_strip_kept;

template <typename K, int R, int C>
static __device__ __forceinline__ hd_strip_kept hd_strip_kept_of(const hd_strip_walk<K, R, C> &a)
{
    enum { east = hd_strip<K, R, C>::east * hd_strip<K, R, C>::words };
    hd_strip_kept kept = {NULL, 0, 0};
    if constexpr (K::sweeps == 0) {
        const uint32_t row_words = (uint32_t)a.near->row_words;
        kept.room = a.stage->at[a.lane * R];
        kept.first = (uint32_t)((uintptr_t)a.near->kept / 4u) + a.lane * R * row_words - east;
        kept.next = row_words - east;
    }
    return kept;
}

/* Keeps the cells of a step by rows. Cells outside of the field are put where no cell belongs, and stay there. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_keep(const hd_strip_kept &kept, const typename K::cell (&cells)[C][R],
                                                     int at)
{
    enum { words = hd_strip<K, R, C>::words };
    const uint32_t word = kept.first + (uint32_t)at * words;
    HD_UNROLL
    for (uint32_t r = 0; r < R; r++)
        HD_UNROLL
    for (uint32_t k = 0; k < C * words; k++)
        kept.room[r * 2u * HD_ROW_LINE + ((word + k + r * kept.next) & (2u * HD_ROW_LINE - 1u))] =
            hd_word_at(cells[k / words][r], (int)(k % words));
}

/* Keeps the cells of a step skewed; cells outside of the field in places without a cell. */
template <int STEP, typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_leave_skewed(const hd_strip_walk<K, R, C> &a,
                                                             const typename K::cell (&cells)[C][R], int at)
{
    enum { together = hd_strip<K, R, C>::together };
    const uint32_t position = (uint32_t)(at + (int)a.lane * hd_strip<K, R, C>::skew);
    typename K::cell *to = a.near->skewed + (uint64_t)position * (32 * R) + a.lane * together;
    if (STEP == HD_STEP_EDGE && position >= a.cols + hd_strip<K, R, C>::lag)
        return;
    HD_UNROLL
    for (int k = 0; k < R * C; k += together) {
        hd_some<typename K::cell, together> some;
        HD_UNROLL
        for (int n = 0; n < together; n++)
            some.at[n] = cells[(k + n) / R][(k + n) % R];
        *(hd_some<typename K::cell, together> *)(to + k * 32) = some;
    }
}

/* Sweeps: loads the field's values for a step with first column `at`. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_bring(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s, uint32_t g,
                                                      int at)
{
    HD_UNROLL
    for (int r = 0; r < R; r++) {
        const hd_some<typename K::value, C> some =
            hd_load_some<typename K::value, C>(&a.stage->at[g & 1u][a.lane * R + (uint32_t)r][(uint32_t)at & 31u]);
        HD_UNROLL
        for (int c = 0; c < C; c++)
            s->start.at[c][r] = some.at[c];
    }
}

/* ... and puts what sweep T leaves in their place. */
template <int T, typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_put_of(const hd_strip_walk<K, R, C> &a,
                                                       const typename K::cell (&cells)[C][R], uint32_t g, int at)
{
    HD_UNROLL
    for (int r = 0; r < R; r++) {
        hd_some<typename K::value, C> some;
        HD_UNROLL
        for (int c = 0; c < C; c++)
            some.at[c] = cells[c][r].at[T];
        *(hd_some<typename K::value, C> *)&a.stage->at[g & 1u][a.lane * R + (uint32_t)r][(uint32_t)at & 31u] = some;
    }
}

/* All passes but the last have as many sweeps as go together. */
template <typename K, int R, int C, int T = K::sweeps>
static __device__ __forceinline__ void hd_strip_put(const hd_strip_walk<K, R, C> &a,
                                                    const typename K::cell (&cells)[C][R], uint32_t g, int at)
{
    if (T == 1 || a.sweeps == (uint32_t)T)
        hd_strip_put_of<T>(a, cells, g, at);
    else if constexpr (T > 1)
        hd_strip_put<K, R, C, T - 1>(a, cells, g, at);
}

/* Gathers the inputs of a step. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_gather(const hd_strip_walk<K, R, C> &a, const hd_strip<K, R, C> *s,
                                                       hd_strip_cells<K, R, C> *m)
{
    typedef hd_strip<K, R, C> strip;
    __builtin_memset(m->top, 0, sizeof m->top); /* only the words handed on are ever there */
    m->top[0] = s->top[1];
    m->top[1] = s->top[0];
    HD_UNROLL
    for (int c = 0; c < C; c++) {
        HD_UNROLL
        for (int w = 0; w < strip::south; w++)
            hd_set_word_at(&m->top[c + 2], w, a.lane == 0 ? s->border.at[c * strip::south + w] : s->above[c][w]);
        m->y[C - 1 - c] = s->column.at[c];
    }
    HD_UNROLL
    for (int r = 0; r < R; r++) {
        if (strip::east)
            m->y[C - 1 + (r + 1) * strip::east] = s->y[strip::east ? r : 0];
        m->after[0][r] = s->h[r];
        m->after1[0][r] = s->h1[strip::east ? r : 0];
    }
}

/* ... keeps what the next step needs of it. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_carry(hd_strip<K, R, C> *s, const hd_strip_cells<K, R, C> &m)
{
    typedef hd_strip<K, R, C> strip;
    s->top[1] = m.top[C];
    s->top[0] = m.top[C + 1];
    HD_UNROLL
    for (int r = 0; r < R; r++) {
        s->h[r] = m.after[C][r];
        if (strip::east) {
            s->h1[strip::east ? r : 0] = m.after1[C][r];
            s->y[strip::east ? r : 0] = m.y[r];
        }
    }
}

/* ... and loads the next step's inputs. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_fetch(hd_strip<K, R, C> *s, const uint32_t *border,
                                                      const typename K::column *column)
{
    typedef hd_strip<K, R, C> strip;
    s->border = hd_load_some<uint32_t, C * strip::south>(border);
    if (strip::east) { /* lanes are at unaligned places */
        HD_UNROLL
        for (int c = 0; c < C; c++)
            s->column.at[c] = column[c];
    } else
        s->column = hd_load_some<typename K::column, C>(column);
}

/* Hands a cell of a lane's lowest row to the lane below; the last lane's goes to the band below. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_down(hd_strip<K, R, C> *s, const typename K::cell &cell, int c)
{
    HD_UNROLL
    for (int w = 0; w < hd_strip<K, R, C>::south; w++)
        s->above[c][w] = __shfl_up_sync(0xffffffffu, hd_word_at(cell, w), 1);
}

/* Stores a step's words for the band in the south, if this lane hands on; two at a time where they are so aligned. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_hand(const hd_strip_cells<K, R, C> &m, hd_pair_word *out, int hands,
                                                     uint32_t tag)
{
    enum { south = hd_strip<K, R, C>::south, n = C * south, pairs = n % 2 == 0 ? n : 0 };
    HD_UNROLL
    for (int k = 0; k < pairs; k += 2)
        if (hands)
            HD_BORDER_STORE_TWO(out + k, hd_wave_word(hd_word_at(m.after[k / south + 1][R - 1], k % south), tag),
                                hd_wave_word(hd_word_at(m.after[(k + 1) / south + 1][R - 1], (k + 1) % south), tag));
    HD_UNROLL
    for (int k = pairs; k < n; k++)
        if (hands)
            HD_BORDER_STORE(out + k, hd_wave_word(hd_word_at(m.after[k / south + 1][R - 1], k % south), tag));
}

/* C columns, from `at` on. Diagonal by diagonal, because a compiler keeps cells in the order in which they are written, and
 * those of a diagonal do not depend on one another. `down`: where the band's words go, if the lane hands them on. */
template <int STEP, typename K, int R, int C>
static __device__ __forceinline__ void
hd_strip_step(const typename K::params *params, const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s,
              const uint32_t *border, const typename K::column *column, uint32_t g, int at, hd_pair_word *down,
              int hands, uint32_t tag, const hd_strip_kept &kept)
{
    hd_strip_cells<K, R, C> m;
    hd_strip_gather(a, s, &m);
    if constexpr (K::sweeps != 0) {
        m.start = s->start;
        hd_strip_bring(a, s, g, at + C); /* after the granule's last step there is none: dropped */
    }
    if constexpr (hd_strip<K, R, C>::ranks != 0)
        m.most = s->best.least;
    hd_strip_fetch(s, border, column);
    HD_UNROLL
    for (int d = 0; d < R + C - 1; d++)
        HD_UNROLL
    for (int r = 0; r < R; r++) {
        const int c = d - r;
        if (c < 0 || c >= C)
            continue;
        hd_strip_cell<STEP>(params, a, s, &m, r, c, at);
        if (r == R - 1)
            hd_strip_down(s, m.after[c + 1][r], c);
    }
    hd_strip_carry(s, m);
    hd_strip_hand(m, down, hands, tag);
    if constexpr (hd_strip<K, R, C>::ranks != 0)
        hd_strip_rank<STEP>(s, m.most, at);
    if constexpr (K::sweeps != 0)
        hd_strip_put(a, m.at, g, at);
    if constexpr (K::sweeps == 0 && K::keeps != 0) {
        if (STEP == HD_STEP_LAST || STEP == HD_STEP_EDGE)
            hd_strip_leave_last(a, m.at, at);
        if (STEP == HD_STEP_KEEP || (STEP == HD_STEP_EDGE && a.near->kept))
            hd_strip_keep<K, R, C>(kept, m.at, at);
        if (STEP == HD_STEP_SKEW || (STEP == HD_STEP_EDGE && a.near->skewed))
            hd_strip_leave_skewed<STEP>(a, m.at, at);
    }
}

/* ---- a granule ----------------------------------------------------------------------------------------------------- */

/* The data of a lane's columns in granule g. */
template <typename K, int R, int C>
static __device__ __forceinline__ const typename K::column *hd_strip_columns(const hd_strip_walk<K, R, C> &a,
                                                                             uint32_t g)
{
    typedef hd_strip<K, R, C> strip;
    return a.near->column + ((g * HD_WAVE_GRANULE - a.lane * strip::skew - strip::east) & (strip::near - 1u));
}

/* 32 columns of lane 0, from column c0; or one of the pieces of them, where cells may be kept by rows. */
template <int STEP, typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_granule(const typename K::params *params,
                                                        const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s,
                                                        uint32_t g, uint32_t piece = 0)
{
    typedef hd_strip<K, R, C> strip;
    enum {
        keeps = K::sweeps == 0 && (STEP == HD_STEP_KEEP || STEP == HD_STEP_EDGE),
        steps = (keeps ? (int)strip::piece_columns : 32) / C
    };
    const int k0 = strip::pieces == 1 ? 0 : (int)piece * steps;
    const int c0 = (int)(g * HD_WAVE_GRANULE), at = c0 - (int)a.lane * strip::skew;
    const hd_strip_kept kept = keeps ? hd_strip_kept_of(a) : hd_strip_kept();
    const uint32_t *border = &a.near->stage[g & 1u][0][0], tag = a.to.tag + g;
    const typename K::column *y = hd_strip_columns(a, g);
    const int hands =
        a.lane == 31u && a.to.row; /* a flag, not a NULL pointer, which would be tested again in each step */
    hd_pair_word *down = a.to.row + (uint64_t)(((uint32_t)c0 & a.to.mask) + (uint32_t)k0 * C) * strip::south;
    /* Unrolling more is no quicker, and crowds the instruction cache; at edges it takes more registers than all else. */
    HD_UNROLL_BY((K::sweeps != 0 ? 2 : STEP == HD_STEP_EDGE ? 1 : STEP == HD_STEP_INNER || STEP == HD_STEP_RIM ? 4 : 2))
    for (int k = k0; k < k0 + steps; k++) {
        const int next = k + 1 < 32 / C ? k + 1 : k; /* the last reads its own again */
        hd_strip_step<STEP>(params, a, s, border + next * C * strip::south, y + next * C, g, at + k * C, down, hands,
                            tag, kept);
        down += C * strip::south;
    }
}

/* ---- a band ------------------------------------------------------------------------------------------------------- */

/* The position that this lane reads in granule g. Lanes beyond the last column read the last one again. */
template <typename K, int R, int C>
static __device__ __forceinline__ uint32_t hd_border_position(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    const uint32_t c = g * HD_WAVE_GRANULE + a.lane, last = a.cols - 1u + hd_strip<K, R, C>::east;
    return (c < last ? c : last) + hd_strip<K, R, C>::lag;
}

/* The cell above column c of the item's first band; other bands end with their last column. */
template <typename K, int R, int C>
static __device__ __forceinline__ typename K::cell hd_north_cell(const hd_strip_walk<K, R, C> &a, uint32_t c)
{
    if (c < a.cols && a.north)
        return a.north[c];
    return hd_cell_of<typename K::cell>(c < a.cols ? a.wave->north_cell : a.wave->east_cell);
}

/* What a lane has loaded for the next granule, during this one; in an item's first band the words are the border's. */
template <typename K, int R, int C> struct hd_strip_looks {
    hd_pair_word words[hd_strip<K, R, C>::south];
    uint32_t credit;
};

/* The item's word of an array with one word for each item. */
template <typename K, int R, int C>
static __device__ __forceinline__ uint32_t *hd_strip_count(const hd_strip_walk<K, R, C> &a, const uint32_t *counts)
{
    return (uint32_t *)counts + (a.item - a.wave->items);
}

/* All lanes of an item's first band: is the northern border there as far as granule g needs it? */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_north_is_there(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    const uint32_t end = (g + 1u) * HD_WAVE_GRANULE, need = end < a.cols ? end : a.cols;
    const uint32_t *count = a.wave->north_count;
    return !count || __all_sync(0xffffffffu, HD_LOAD(hd_strip_count(a, count), ACQUIRE, SYS) >= need);
}

template <typename K, int R, int C>
static __device__ __forceinline__ void hd_look(const hd_strip_walk<K, R, C> &a, uint32_t g,
                                               hd_strip_looks<K, R, C> *looks)
{
    typedef hd_strip<K, R, C> strip;
    const hd_pair_word *at = a.from + (uint64_t)(hd_border_position(a, g) & a.from_mask) * strip::south;
    if (a.credit)
        looks->credit = HD_LOAD(a.credit, RELAXED, BLOCK);
    if (a.from) {
        HD_UNROLL
        for (int w = 0; w < strip::south; w++)
            looks->words[w] = HD_BORDER_LOAD(at + w);
        return;
    }
    const int is_there = hd_north_is_there(a, g);
    a.near->is_there = (uint32_t)is_there;
    if (!is_there)
        return;
    const typename K::cell v = hd_north_cell(a, g * HD_WAVE_GRANULE + a.lane);
    HD_UNROLL
    for (int w = 0; w < strip::south; w++)
        looks->words[w] = hd_word_at(v, w);
}

/* The band's place. Where cells cannot fail, no state is kept for it. */
template <typename K, int R, int C>
static __device__ __forceinline__ hd_wave_place hd_strip_place(const hd_strip_walk<K, R, C> &a)
{
    if constexpr (K::fails != 0)
        return hd_wave_place_of(a.wave, a.item, a.index * 32u * R);
    return hd_wave_place();
}

/* All lanes: is there nothing left to do for the band? Checked in one of n_looks calls; n counts them from 0. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_is_over(const hd_strip_walk<K, R, C> &a, uint32_t n, uint32_t n_looks)
{
    if (n % n_looks != n_looks - 1u)
        return 0;
    if constexpr (K::fails != 0) {
        const hd_wave_place at = hd_strip_place(a);
        return hd_ballot(hd_wave_is_over(a.thread, &at)) != 0;
    }
    return hd_ballot(HD_LOAD(&a.thread->fail->stop, RELAXED, DEV) != HD_STOP_NOT) != 0;
}

/* All lanes of a band that is over before granule g, or while it waits there. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_halt(const hd_strip_walk<K, R, C> &a, uint32_t kind, uint32_t g)
{
    if (a.lane == 0)
        hd_wave_halt(a.thread, a.wave->words, kind, a.item->found_at + a.index, g * HD_WAVE_GRANULE);
    return 0;
}

/* All lanes: waits for the words of granule g, and until the next warp has read what granule g overwrites. 0: the band
 * is over. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_granule_wait(const hd_strip_walk<K, R, C> &a, uint32_t g,
                                                      hd_strip_looks<K, R, C> *looks)
{
    typedef hd_strip<K, R, C> strip;
    const int need = (int)(HD_WAVE_GRANULE * (g + 1u)) - (int)HD_WAVE_RING - (int)strip::lag;
    const int has_words = a.from && g * HD_WAVE_GRANULE < a.cols + strip::east;
    const uint32_t tag = a.from_tag + hd_border_position(a, g) / HD_WAVE_GRANULE;
    for (uint32_t n = 0;; n++) {
        int go = !a.credit || (int)(looks->credit * HD_WAVE_GRANULE) >= need;
        go &= a.from || a.near->is_there;
        HD_UNROLL
        for (int w = 0; w < strip::south; w++)
            go &= !has_words || hd_wave_tag(looks->words[w]) == tag;
        if (__all_sync(0xffffffffu, go)) {
            hd_note_waited(a.thread, n);
            return 1;
        }
        hd_note_waits(a.thread, n);
        if (hd_strip_is_over(a, n, HD_WAVE_LOOKS))
            return hd_strip_halt(a,
                                 a.credit && (int)(looks->credit * HD_WAVE_GRANULE) < need ? HD_HALT_BELOW
                                 : a.from                                                  ? HD_HALT_ABOVE
                                                                                           : HD_HALT_BORDER,
                                 g);
        if (!a.from) /* the border's writer may be slow */
            hd_wave_pause(n);
        hd_look(a, g, looks);
    }
}

/* The cell to the west of row i; for the row above the first one: the corner. */
template <typename K>
static __device__ __forceinline__ typename K::cell hd_west_cell(const hd_wave *wave, const hd_wave_item *item,
                                                                uint32_t i)
{
    if (i == HD_NONE)
        return hd_cell_of<typename K::cell>(wave->corner);
    if (wave->west && i < item->rows)
        return ((const typename K::cell *)wave->west)[item->west_at + i];
    return hd_cell_of<typename K::cell>(wave->west_cell);
}

/* Prepares a lane before its first column. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_begin(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s)
{
    typedef hd_strip<K, R, C> strip;
    HD_UNROLL
    for (int r = 0; r < R; r++) {
        const uint32_t i = a.row + (uint32_t)r;
        s->x[r] = typename K::row();
        if (a.wave->x)
            s->x[r] = ((const typename K::row *)a.wave->x)[a.item->x_at + (i < a.rows ? i : a.rows - 1u)];
        s->h[r] = s->h1[strip::east ? r : 0] = hd_west_cell<K>(a.wave, a.item, i);
        s->y[strip::east ? r : 0] = typename K::column();
    }
    s->top[0] = s->top[1] = hd_west_cell<K>(a.wave, a.item, a.row - 1u);
    HD_UNROLL
    for (int c = 0; c < C; c++)
        hd_strip_down(s, s->h[R - 1], c);
    __builtin_memset(s->found, 0, sizeof s->found);
    if constexpr (K::fails != 0)
        s->failure.first = hd_wave_failure();
    if constexpr (strip::ranks != 0) {
        s->best.code = s->best.least = HD_CODE_LEAST;
        s->best.at = 0;
        HD_UNROLL
        for (int c = 0; c < C; c++)
            HD_UNROLL
        for (int r = 0; r < R; r++)
            s->best.add[c][r] = r < a.n_rows ? R * C - 1 - (c * R + r) : HD_CODE_NONE;
    }
}

/* Starts the copy of this lane's column data of granule g into shared memory; HD_COPY_WAIT ends it. Not through a register: a
 * step would wait for it, because the machine waits for loads by one of six counters, which steps' loads use, too. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_column_fetch(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    typedef typename K::column column;
    enum { near = hd_strip<K, R, C>::near, bytes = sizeof(column) };
    const uint32_t c = g * HD_WAVE_GRANULE + a.lane;
    column *to = &a.near->column[c & (near - 1u)];
    const column *from = a.y + (c < a.cols ? c : a.cols - 1u);
    if (!a.y)
        to[0] = to[near] = column();
    else if constexpr (bytes % 4 == 0) {
        HD_UNROLL
        for (int i = 0; i < bytes; i += 4) {
            HD_COPY4((char *)to + i, (const char *)from + i);
            HD_COPY4((char *)(to + near) + i, (const char *)from + i);
        }
    } else
        to[0] = to[near] = *from;
}

/* All lanes: brings what granule g needs into shared memory. 0: the band is over. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_granule_enter(const hd_strip_walk<K, R, C> &a, uint32_t g,
                                                       hd_strip<K, R, C> *s, hd_strip_looks<K, R, C> *looks)
{
    typedef hd_strip<K, R, C> strip;
    uint32_t *stage = a.near->stage[g & 1u][a.lane];
    hd_wave_note(a.thread, a.item, g);
    if (!hd_granule_wait(a, g, looks))
        return 0;
    if (hd_strip_is_over(a, g, HD_WAVE_STRIDE))
        return hd_strip_halt(a, HD_HALT_WORKS, g);
    HD_UNROLL
    for (int w = 0; w < strip::south; w++)
        stage[w] = (uint32_t)looks->words[w];
    HD_COPY_WAIT();
    hd_warp_sync();
    hd_strip_fetch(s, &a.near->stage[g & 1u][0][0], hd_strip_columns(a, g));
    if (a.lane == 0)
        hd_mark(&a.near->credit, g + 1u);
    hd_look(a, g + 1u, looks); /* after the last column these are the last one's words again */
    if constexpr (K::sweeps == 0)
        hd_column_fetch(a, g + 1u);
    return 1;
}

/* Sweeps, all lanes: waits until bands first and last of `before` have finished `need` of n granules. Returns how many
 * they have finished; 0: the band is over. */
template <typename K, int R, int C>
static __device__ __forceinline__ uint32_t hd_gone_wait(const hd_strip_walk<K, R, C> &a, const hd_wave_item *before,
                                                        uint32_t first, uint32_t last, uint32_t need, uint32_t n)
{
    const hd_wave *wave = a.wave;
    const uint32_t band = threadIdx.x & 1u ? last : first, tag = hd_wave_first_tag(wave, before, band, n);
    for (uint32_t k = 0;; k++) {
        const uint32_t told = HD_LOAD(wave->gone + before->found_at + band, FENCED_ACQUIRE, DEV);
        const uint32_t gone = hd_wave_gone(told, tag);
        if (__all_sync(0xffffffffu, gone >= need)) {
            const uint32_t one = hd_shuffle(gone, 0), other = hd_shuffle(gone, 1);
            HD_FENCE_ACQUIRE();
            hd_warp_sync();
            hd_note_waited(a.thread, k);
            return one < other ? one : other;
        }
        hd_note_waits(a.thread, k);
        if (hd_strip_is_over(a, k, HD_WAVE_LOOKS))
            return 0;
        hd_wave_pause(k);
    }
}

/* All lanes: waits until the pass before has left what granule g reads of the field. Before a pass begins: also until the last
 * user of its far row has read it all. *ready: granules below need not wait, because each wait empties the cache. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_pass_wait(const hd_strip_walk<K, R, C> &a, uint32_t g, uint32_t *ready)
{
    typedef hd_strip<K, R, C> strip;
    if (g < *ready)
        return 1;
    if (a.item->frees != HD_NONE && a.index == 0 && g == 0) {
        const hd_wave_item *before = a.wave->items + a.item->frees;
        const uint32_t n = hd_wave_granules(before->cols, strip::lag, 0), last = before->n_bands - 1u;
        if (!hd_gone_wait(a, before, last, last, n, n))
            return 0;
    }
    *ready = HD_NONE;
    if (a.item->before == HD_NONE)
        return 1;
    const hd_wave_item *before = a.wave->items + a.item->before;
    const uint32_t n = hd_wave_granules(before->cols, strip::lag, 0), need = hd_wave_need(before, g, strip::lag, n);
    const uint32_t below = a.index + 1u < before->n_bands ? a.index + 1u : a.index;
    const uint32_t gone = hd_gone_wait(a, before, a.index, below, need, n);
    if (gone < n)
        *ready = g + 1u + gone - need;
    return gone != 0;
}

/* All lanes: every HD_WAVE_TELLS granules, and after the last, stores how many granules the band has finished. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_pass_tell(const hd_strip_walk<K, R, C> &a, uint32_t g, uint32_t end)
{
    if (!a.gone || ((g + 1u) % HD_WAVE_TELLS != 0 && g + 1u != end))
        return;
    hd_warp_sync();
    if (a.lane == 0)
        HD_STORE(a.gone, a.to.tag + g, RELEASE, DEV);
}

/* Sweeps: are all of a granule's columns, in all rows of a band, in the field? Then a row takes three instructions, not
 * fifteen. row, column: where the band and its first lane begin, in a field of rows by cols. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_field_has_all(int row, int column, uint32_t rows, uint32_t cols)
{
    enum { skewed = 31 * hd_strip<K, R, C>::skew };
    return row >= 0 && (uint32_t)row + 32u * R <= rows && column >= skewed &&
           (uint32_t)column + HD_WAVE_GRANULE <= cols;
}

/* Copies the field's values to shared memory, row by row. `from`: the first lane's first row; j: this lane's column. */
template <bool has_all, typename K, int R, int C>
static __device__ __forceinline__ void hd_field_copy(typename K::value *to, const typename K::value *from,
                                                     uint64_t row_cells, uint32_t n_rows, uint32_t j, uint32_t cols)
{
    typedef typename K::value value;
    HD_UNROLL_BY(2)
    for (uint32_t l = 0; l < 32u; l++, to += 32 * R, from -= hd_strip<K, R, C>::skew, j -= hd_strip<K, R, C>::skew) {
        value *cell = to + (j & 31u);
        HD_UNROLL
        for (uint32_t r = 0; r < R; r++, from += row_cells)
            if (has_all || (l * R + r < n_rows && j < cols)) {
                HD_UNROLL
                for (uint32_t w = 0; w < sizeof(value); w += 4)
                    HD_COPY4((char *)(cell + 32u * r) + w, (const char *)from + w);
            }
    }
}

/* All lanes: starts the copy of the field's values for granule g into shared memory; HD_COPY_WAIT ends it. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_field_fetch(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    const uint32_t row = a.row - a.lane * R, rows = a.item->field_rows, cols = a.item->field_cols;
    const uint32_t column = g * HD_WAVE_GRANULE, j = column + a.lane, n_rows = row >= rows ? 0 : rows - row;
    typename K::value *to = a.stage->at[g & 1u][0];
    const typename K::value *from = a.field + row * a.row_cells + j;
    if (hd_field_has_all<K, R, C>((int)row, (int)column, rows, cols))
        hd_field_copy<true, K, R, C>(to, from, a.row_cells, n_rows, j, cols);
    else
        hd_field_copy<false, K, R, C>(to, from, a.row_cells, n_rows, j, cols);
}

/* Copies values in shared memory to the field, except its rim. i, j: their place in the field without the rim; `at`:
 * their column in shared memory. The rows of some lanes at a time, because to the compiler a store may hit the address
 * of the next load. */
template <bool has_all, typename K, int R, int C>
static __device__ __forceinline__ void hd_field_put(typename K::value *to, const typename K::value *from,
                                                    uint64_t row_cells, uint32_t i, uint32_t j, uint32_t at,
                                                    uint32_t rows, uint32_t cols)
{
    enum { skew = hd_strip<K, R, C>::skew, some = 2 };
    for (uint32_t l = 0; l < 32u; l += some, from += 32 * R * some, at -= some * skew) {
        typename K::value values[some * R];
        HD_UNROLL
        for (uint32_t k = 0; k < some * R; k++)
            values[k] = from[32u * k + ((at - k / R * skew) & 31u)];
        HD_UNROLL
        for (uint32_t k = 0; k < some * R; k++, to += row_cells, i++) {
            if (has_all || (i < rows && j < cols))
                *to = values[k];
            if (k % R == R - 1u) {
                to -= skew;
                j -= skew;
            }
        }
    }
}

/* All lanes: stores what the last sweep left of granule g in the field. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_field_leave(const hd_strip_walk<K, R, C> &a, uint32_t g)
{
    const int row = (int)(a.row - a.lane * R - a.sweeps), column = (int)(g * HD_WAVE_GRANULE - a.sweeps);
    const uint32_t i = (uint32_t)row - 1u, j = (uint32_t)column + a.lane - 1u,
                   at = (uint32_t)column + a.sweeps + a.lane;
    typename K::value *to = a.field + (int64_t)row * (int64_t)a.row_cells + column + (int)a.lane;
    const typename K::value *from = a.stage->at[g & 1u][0];
    hd_warp_sync();
    if (hd_field_has_all<K, R, C>(row - 1, column - 1, a.inner_rows, a.inner_cols))
        hd_field_put<true, K, R, C>(to, from, a.row_cells, i, j, at, a.inner_rows, a.inner_cols);
    else
        hd_field_put<false, K, R, C>(to, from, a.row_cells, i, j, at, a.inner_rows, a.inner_cols);
}

/* All lanes: starts to fetch the field for granule g. 0: the band is over. A tile waits for no pass: the graph did. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_pass_enter(const hd_strip_walk<K, R, C> &a, uint32_t g, uint32_t *ready)
{
    if (a.thread->in_order && !hd_pass_wait(a, g, ready))
        return hd_strip_halt(a, HD_HALT_PASS, g);
    hd_field_fetch(a, g);
    return 1;
}

/* All lanes: granules of sweeps. Those between `head` and `whole` have no rim to the west or east. A band in the midst
 * of the field has none to the north or south. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_sweep(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s,
                                                     uint32_t first, uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    const hd_held<typename K::params> params(a.params);
    hd_strip_looks<K, R, C> looks = {};
    const uint32_t head = (strip::lag + K::sweeps + HD_WAVE_GRANULE) / HD_WAVE_GRANULE;
    const uint32_t whole = a.inner_cols + 2u < (uint32_t)C ? 0u : (a.inner_cols + 2u - C) / HD_WAVE_GRANULE;
    const uint32_t row = a.row - a.lane * R;
    const int is_amidst = row > K::sweeps && row + 32u * R <= a.inner_rows;
    uint32_t ready = 0, g = first, next = first; /* next: granule for which the field is fetched */
    hd_look(a, first, &looks);
    for (;; next++) {
        if (next > first && !hd_granule_enter(a, g, s, &looks))
            break;
        if (next < end && !hd_pass_enter(a, next, &ready))
            break;
        if (next == first)
            continue;
        hd_strip_bring(a, s, g, (int)(g * HD_WAVE_GRANULE) - (int)a.lane * strip::skew);
        if (g >= head && g < whole && is_amidst)
            hd_strip_granule<HD_STEP_INNER>(params.get(), a, s, g);
        else if (is_amidst)
            hd_strip_granule<HD_STEP_RIM>(params.get(), a, s, g);
        else if (g >= head && g < whole)
            hd_strip_granule<HD_STEP_KEEP>(params.get(), a, s, g);
        else
            hd_strip_granule<HD_STEP_EDGE>(params.get(), a, s, g);
        hd_field_leave(a, g);
        if (a.thread->in_order)
            hd_pass_tell(a, g, end);
        if (++g >= end)
            break;
    }
    HD_COPY_WAIT(); /* the next user of this memory must not meet these copies */
    return g >= end;
}

/* Kept by rows, all lanes: stores the line of each row of the band that ends with this piece, 16 bytes a lane.
 * `column`: the first lane's after the piece; row i is hd_row_behind words behind it. */
template <typename K, int R, int C> static __device__ __forceinline__ uint32_t hd_row_behind(uint32_t i)
{
    typedef hd_strip<K, R, C> strip;
    return (i / R * strip::skew + (i % R + 1u) * strip::east) * strip::words;
}

/* Of a line, this lane has words `at` .. at + 3 of a row; it stores those from `first` up to `end`, the row's. */
static __device__ __forceinline__ void hd_row_put_some(uint32_t *to, const hd_some<uint32_t, 4> &some, int64_t at,
                                                       int64_t first, int64_t end)
{
    HD_UNROLL
    for (int w = 0; w < 4; w++)
        if (at + w >= first && at + w < end)
            to[w] = some.at[w];
}

/* Lines with all words in the field (has_all), or not: then only the words of granules first .. end - 1. The rows of
 * some lanes at a time, because to the compiler a store may hit the address of the next load. */
template <bool has_all, typename K, int R, int C>
static __device__ __forceinline__ void hd_rows_put(const hd_strip_walk<K, R, C> &a, uint32_t column, uint32_t first,
                                                   uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    enum { words = strip::words, added = strip::piece_columns * words, some = has_all && R % 2 == 0 ? 2 : 1 };
    const uint64_t row_words = a.near->row_words, line_mask = HD_ROW_LINE - 1u;
    const uint32_t quarter = a.lane % 8u * 4u, n_rows = a.rows - a.index * 32u * R;
    const uint64_t begin = (uintptr_t)a.near->kept / 4u;
    uint32_t i = a.lane / 8u;
    uint64_t row = begin + i * row_words, front = row + (uint64_t)column * words;
    HD_ROLL
    for (uint32_t k = 0; k < 8u * R; k += some) {
        hd_some<uint32_t, 4> values[some];
        uint64_t at[some];
        HD_UNROLL
        for (uint32_t b = 0; b < some; b++) {
            at[b] = ((front + 4u * b * row_words - hd_row_behind<K, R, C>(i + 4u * b)) & ~line_mask) - HD_ROW_LINE +
                    quarter;
            values[b] = *(const hd_some<uint32_t, 4> *)&a.stage->at[i + 4u * b][at[b] & (2u * HD_ROW_LINE - 1u)];
        }
        HD_UNROLL
        for (uint32_t b = 0; b < some; b++) {
            const uint32_t behind = hd_row_behind<K, R, C>(i + 4u * b);
            const uint64_t now = front + 4u * b * row_words - behind;
            uint32_t *to = (uint32_t *)(uintptr_t)(at[b] * 4u);
            if (added != HD_ROW_LINE && (now & ~line_mask) == ((now - added) & ~line_mask))
                continue; /* no line ends with this piece */
            if (has_all)
                *(hd_some<uint32_t, 4> *)to = values[b];
            else if (i < n_rows) {
                const int64_t least = (int64_t)first * HD_WAVE_GRANULE * words - behind;
                const int64_t most = (int64_t)end * HD_WAVE_GRANULE * words - behind, all = (int64_t)a.cols * words;
                hd_row_put_some(to, values[b], (int64_t)(at[b] - row), least > 0 ? least : 0, most < all ? most : all);
            }
        }
        i += 4u * some;
        row += 4u * some * row_words;
        front += 4u * some * row_words;
    }
}

template <typename K, int R, int C>
static __device__ __forceinline__ void hd_rows_leave(const hd_strip_walk<K, R, C> &a, uint32_t g, uint32_t piece,
                                                     uint32_t first, uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    const uint32_t column = g * HD_WAVE_GRANULE + (piece + 1u) * strip::piece_columns;
    const int64_t most = (int64_t)(column - first * HD_WAVE_GRANULE) * strip::words;
    hd_warp_sync(); /* all lanes' cells are in shared memory */
    if (column <= a.cols && (a.index + 1u) * 32u * R <= a.rows &&
        most >= (int64_t)hd_row_behind<K, R, C>(32u * R - 1u) + 2u * HD_ROW_LINE)
        hd_rows_put<true>(a, column, first, end);
    else
        hd_rows_put<false>(a, column, first, end);
    hd_warp_sync(); /* ... and may be overwritten */
}

/* After granule end - 1, all lanes: stores the lines that have begun, as if one more granule had ended them. A function
 * of its own, with few arguments: inside of hd_strip_go it takes 30 registers from all steps. */
template <typename K, int R, int C>
static __device__ HD_APART void hd_rows_finish(hd_strip_shared<K, R, C> *near,
                                               typename hd_strip_near<K, R, C>::field *stage, uint32_t rows,
                                               uint32_t cols, uint32_t index, uint32_t first, uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    hd_strip_walk<K, R, C> a = {};
    a.near = near;
    a.stage = stage;
    a.rows = rows;
    a.cols = cols;
    a.index = index;
    a.lane = threadIdx.x & 31u;
    HD_ROLL
    for (uint32_t piece = 1; piece <= strip::pieces; piece++)
        hd_rows_put<false>(a, end * HD_WAVE_GRANULE + piece * strip::piece_columns, first, end);
    hd_warp_sync(); /* the next user of this memory must not meet these reads */
}

/* What a band leaves beside what it hands on. */
typedef struct hd_strip_leaves {
    int by_rows, skewed; /* its cells are kept */
    int last_row;        /* it has the last row, which is wanted */
} hd_strip_leaves;

/* Called once before a band's granules. A load inside of them, after hd_look, would wait for the far words that hd_look has asked
 * for: the machine waits for both by the same counter. That is some 300 clocks of each granule. */
template <typename K, int R, int C>
static __device__ __forceinline__ hd_strip_leaves hd_strip_leaves_of(const hd_strip_walk<K, R, C> &a)
{
    hd_strip_leaves leaves = {0, 0, 0};
    if constexpr (K::keeps != 0) {
        leaves.by_rows = a.near->kept != (uint32_t *)0;
        leaves.skewed = a.near->skewed != (typename K::cell *)0;
        leaves.last_row = a.wave->last_row && a.index + 1u == a.item->n_bands;
    }
    return leaves;
}

/* A piece of granule g. Returns 1 if it was all pieces. Granules between `head` and `whole` have only columns of the field. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_piece(const typename K::params *params, const hd_strip_walk<K, R, C> &a,
                                                     hd_strip<K, R, C> *s, const hd_strip_leaves &leaves, uint32_t g,
                                                     uint32_t piece, uint32_t head, uint32_t whole)
{
    const int is_inner = g >= head && g < whole, is_kept = leaves.by_rows || leaves.skewed;
    const int is_edge = !is_inner && (is_kept || hd_strip<K, R, C>::east);
    if (is_inner && !is_kept) /* first, because each branch costs ten clocks */
        hd_strip_granule<HD_STEP_INNER>(params, a, s, g);
    else if (is_edge)
        hd_strip_granule<HD_STEP_EDGE>(params, a, s, g, piece);
    else if (leaves.by_rows)
        hd_strip_granule<HD_STEP_KEEP>(params, a, s, g, piece);
    else if (leaves.skewed)
        hd_strip_granule<HD_STEP_SKEW>(params, a, s, g);
    else if (leaves.last_row)
        hd_strip_granule<HD_STEP_LAST>(params, a, s, g);
    else
        hd_strip_granule<HD_STEP_RIM>(params, a, s, g);
    return !is_edge && !leaves.by_rows;
}

/* All lanes: granules first .. end - 1 of a band. 0: the band is over. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_go(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s, uint32_t first,
                                                  uint32_t end)
{
    typedef hd_strip<K, R, C> strip;
    const hd_held<typename K::params> params(a.params);
    const hd_strip_leaves leaves = hd_strip_leaves_of(a);
    hd_strip_looks<K, R, C> looks = {}; /* a tag that no word has */
    const uint32_t head = (strip::lag + HD_WAVE_GRANULE - 1u) / HD_WAVE_GRANULE;
    /* granules before the last columns */
    const uint32_t whole = leaves.last_row ? 0u : (a.cols - 1u) / HD_WAVE_GRANULE;
    uint32_t g = first;
    hd_column_fetch(a, first);
    hd_look(a, first, &looks);
    for (; g < end && hd_granule_enter(a, g, s, &looks); g++) {
        HD_ROLL
        for (uint32_t piece = 0; piece < strip::pieces; piece++) {
            if (hd_strip_piece(params.get(), a, s, leaves, g, piece, head, whole))
                break;
            if (leaves.by_rows)
                hd_rows_leave(a, g, piece, first, end);
        }
    }
    if (g >= end && leaves.by_rows)
        hd_rows_finish(a.near, a.stage, a.rows, a.cols, a.index, first, end);
    HD_COPY_WAIT(); /* the next user of this memory must not meet these copies */
    return g >= end;
}

/* The value of the lane `by` further on. */
template <typename T> static __device__ __forceinline__ T hd_shuffle_down(const T &v, uint32_t by)
{
    T out;
    HD_UNROLL
    for (uint32_t w = 0; w < sizeof(T) / 4u; w++)
        hd_set_word_at(&out, (int)w, __shfl_down_sync(0xffffffffu, hd_word_at(v, (int)w), by));
    return out;
}

/* All lanes: joins the results of all lanes on lane 0. */
template <typename K> static __device__ __forceinline__ void hd_found_join(typename K::found *found)
{
    HD_UNROLL
    for (uint32_t by = 16; by; by /= 2) {
        const typename K::found other = hd_shuffle_down(*found, by);
        K::merge(found, &other);
    }
}

/* The result of a lane. */
template <typename K, int R, int C>
static __device__ __forceinline__ typename K::found hd_strip_found(const hd_strip_walk<K, R, C> &a,
                                                                   hd_strip<K, R, C> *s)
{
    typename K::found found;
    __builtin_memset(&found, 0, sizeof found);
    if constexpr (hd_strip<K, R, C>::ranks != 0) {
        enum { places = hd_strip_best<true, R, C>::places };
        const int place = R * C - 1 - (s->best.code & (places - 1));
        if (s->best.code > HD_CODE_LEAST) {
            found.rank = (s->best.code - (s->best.code & (places - 1))) / places;
            found.is_found = 1;
            found.row = a.row + (uint32_t)(place % R);
            found.column = (uint32_t)(s->best.at + place / R);
        }
    } else
        HD_UNROLL
    for (int r = 0; r < R; r++)
        if (r < a.n_rows)
            K::merge(&found, &s->found[r]);
    return found;
}

/* All lanes, for a counted border in the west: waits for the band's part of it. 0: the band is over. */
template <typename K, int R, int C> static __device__ __forceinline__ int hd_west_wait(const hd_strip_walk<K, R, C> &a)
{
    const uint32_t end = (a.index + 1u) * 32u * R;
    const hd_wave_place at = hd_strip_place(a);
    uint32_t is_there = 1;
    if (!a.wave->west_count)
        return 1;
    if (a.lane == 0)
        is_there =
            (uint32_t)hd_count_wait(a.thread, &at, hd_strip_count(a, a.wave->west_count), end < a.rows ? end : a.rows);
    is_there = hd_shuffle(is_there, 0);
    hd_warp_sync(); /* all lanes need what lane 0 acquired */
    return is_there != 0;
}

/* All lanes: ends a band. Its lanes still have the cells of their last column; with a neighbour to the north-east in
 * h1, because h has the value to the east. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_end(const hd_strip_walk<K, R, C> &a, hd_strip<K, R, C> *s)
{
    enum { east = hd_strip<K, R, C>::east };
    if (K::keeps && a.wave->last_col) {
        typename K::cell *last_col = (typename K::cell *)a.wave->last_col + a.item->last_col_at + a.row;
        HD_UNROLL
        for (int r = 0; r < R; r++)
            if (r < a.n_rows)
                last_col[r] = east ? s->h1[east ? r : 0] : s->h[r];
    }
    if constexpr (K::fails != 0) {
        hd_wave_failure first = s->failure.first;
        for (uint32_t by = 16; by; by /= 2) {
            const hd_wave_failure other = hd_shuffle_down(first, by);
            hd_failure_join(&first, &other);
        }
        if (a.lane == 0 && first.code)
            hd_wave_fail(a.wave->words, a.wave->failures, (uint32_t)a.item->found_at + a.index, &first);
    }
    if constexpr (K::finds != HD_FINDS_NOTHING)
        if (a.wave->found) {
            typename K::found found = hd_strip_found(a, s);
            hd_found_join<K>(&found);
            if (a.lane == 0)
                ((typename K::found *)a.wave->found)[a.item->found_at + a.index] = found;
        }
}

/* All lanes of a warp: joins the results of all bands of an item. */
template <typename K> static __device__ __forceinline__ void hd_found_item(const hd_wave *wave, uint32_t item)
{
    typename K::found *of_bands = (typename K::found *)wave->found + wave->items[item].found_at, found;
    __builtin_memset(&found, 0, sizeof found);
    for (uint32_t i = threadIdx.x & 31u; i < wave->items[item].n_bands; i += 32u)
        K::merge(&found, &of_bands[i]);
    hd_found_join<K>(&found);
    if ((threadIdx.x & 31u) != 0)
        return;
    of_bands[0] = found;
    if (wave->found_each)
        ((typename K::found *)wave->found_each)[item] = found;
}

/* ... of all items. */
template <typename K> static __device__ __forceinline__ void hd_found_all(const hd_wave *wave)
{
    typename K::found found;
    __builtin_memset(&found, 0, sizeof found);
    for (uint32_t i = threadIdx.x & 31u; i < wave->n_items; i += 32u)
        K::merge(&found, (const typename K::found *)wave->found + wave->items[i].found_at);
    hd_found_join<K>(&found);
    if ((threadIdx.x & 31u) == 0)
        *(typename K::found *)wave->result = found;
}

/* All lanes of a warp: counts one more of n as ended. Was it the last? Then all lanes have what the others left. Only
 * the last acquires, because that empties the SM's cache, which other warps use. */
static __device__ __forceinline__ int hd_is_last(uint32_t *done, uint32_t n)
{
    uint32_t last = 0;
    if ((threadIdx.x & 31u) == 0) {
        HD_FENCE_RELEASE();
        last = HD_ADD(done, 1u, FENCED_ACQ_REL, DEV) + 1u == n;
        if (last)
            HD_FENCE_ACQUIRE();
    }
    last = hd_shuffle(last, 0);
    hd_warp_sync();
    return last != 0;
}

/* All threads: the warp that ends the last part of an item joins the results of its bands. The one that ends the last
 * item joins those of all, and prepares the words for the next run. */
template <typename K>
static __device__ __forceinline__ void hd_part_end(const heddle_thread *thread, const hd_wave_part *p)
{
    const hd_wave *wave = p->wave;
    if (thread->index >= 32u || !hd_is_last(&wave->done[p->item], wave->items[p->item].n_parts))
        return;
    if (thread->index == 0)
        wave->done[p->item] = 0;
    if constexpr (K::finds != HD_FINDS_NOTHING)
        if (wave->found)
            hd_found_item<K>(wave, p->item);
    if (!hd_is_last(&wave->words->done, wave->n_items))
        return;
    if constexpr (K::finds != HD_FINDS_NOTHING)
        if (wave->result)
            hd_found_all<K>(wave);
    if constexpr (K::fails != 0)
        if (thread->index == 0)
            (void)hd_wave_conclude(thread, wave->words, wave->failures);
    hd_wave_next_run(wave, thread->index, 32u);
}

/* All lanes of a warp that has left its cells of the last column: raises the count. It keeps no state of the band for
 * this, because each word would be a register in all steps. */
template <typename K, int R>
static __device__ __forceinline__ void hd_east_raise(const heddle_thread *thread, const hd_wave_part *p)
{
    const uint32_t first = (p->band + thread->index / 32u) * 32u * R, end = first + 32u * R;
    const uint32_t rows = p->wave->items[p->item].rows;
    if (!p->wave->last_col_count)
        return;
    const hd_wave_place at =
        K::fails != 0 ? hd_wave_place_of(p->wave, p->wave->items + p->item, first) : hd_wave_place();
    hd_warp_sync();
    if ((thread->index & 31u) == 0)
        hd_count_raise(thread, &at, p->wave->last_col_count + p->item, first, end < rows ? end : rows);
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
    hd_strip_walk<K, R, C> a;
    a.thread = thread;
    a.params = params;
    a.wave = wave;
    a.item = item;
    a.lane = thread->index & 31u;
    a.index = p->band + warp;
    a.rows = item->rows;
    a.cols = item->cols;
    a.row = (a.index * 32u + a.lane) * R;
    a.n_rows = a.row >= a.rows ? 0 : a.rows - a.row < R ? (int)(a.rows - a.row) : R;
    a.y = wave->y ? (const typename K::column *)wave->y + item->y_at : (const typename K::column *)0;
    a.north = wave->north ? (const typename K::cell *)wave->north + item->north_at : (const typename K::cell *)0;
    a.row_cells = K::sweeps != 0 ? item->row_cells : 0;
    a.field = K::sweeps != 0 ? (typename K::value *)wave->field + item->cells_at : (typename K::value *)0;
    a.inner_rows = hd_wave_inner(item->field_rows);
    a.inner_cols = hd_wave_inner(item->field_cols);
    a.sweeps = item->sweeps;
    a.gone = wave->n_gone ? wave->gone + item->found_at + a.index : (uint32_t *)0;
    a.last_row = wave->last_row ? (typename K::cell *)wave->last_row + item->last_row_at : (typename K::cell *)0;
    a.last_cols = a.last_row && a.row < a.rows && a.row + R >= a.rows ? a.cols : 0;
    a.near = near + warp;
    a.stage = (typename hd_strip_near<K, R, C>::field *)(void *)(near + p->n_bands) + warp;
    a.from = a.index == 0 ? (hd_pair_word *)0 : warp ? &a.near->ring[0][0] : far;
    a.from_mask = warp ? HD_WAVE_RING - 1u : 0xffffffffu;
    a.from_tag = base - n_granules;
    a.to.tag = base;
    const int has_next = a.index + 1u < item->n_bands, next_is_near = warp + 1u < p->n_bands;
    a.credit = has_next && next_is_near ? &a.near[1].credit : (uint32_t *)0;
    a.to.row = !has_next ? (hd_pair_word *)0 : next_is_near ? &a.near[1].ring[0][0] : far;
    a.to.mask = next_is_near ? HD_WAVE_RING - 1u : 0xffffffffu;
    return a;
}

/* All threads: clears the bands' shared memory before any word has come. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_near_begin(const heddle_thread *thread, hd_strip_shared<K, R, C> *near,
                                                     uint32_t n_bands)
{
    const uint32_t n_words = sizeof(near->ring) / 4u * n_bands;
    for (uint32_t i = thread->index; i < n_bands; i += thread->team_size)
        near[i].credit = 0;
    for (uint32_t i = thread->index; i < n_words; i += thread->team_size)
        ((uint32_t *)near[i / (sizeof(near->ring) / 4u)].ring)[i % (sizeof(near->ring) / 4u)] = 0;
}

/* All threads. */
static __device__ __forceinline__ void hd_copy_words(const heddle_thread *thread, void *to, const void *from,
                                                     uint32_t n_bytes)
{
    for (uint32_t i = thread->index; i < n_bytes / 4u; i += thread->team_size)
        ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
}

/* What tiles carry of a band: its shared memory, of all bands of the part; then what its lanes have, word by word. */
template <typename K, int R, int C> struct hd_strip_carry_of {
    enum {
        near_bytes = sizeof(hd_strip_shared<K, R, C>),
        lane_words = (sizeof(hd_strip<K, R, C>) + 3u) / 4u,
        bytes = near_bytes + lane_words * 4 * 32
    };
};

/* All lanes: loads s from what the lanes carried, or stores it there. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_load(hd_strip<K, R, C> *s, const uint32_t *from, uint32_t lane)
{
    HD_UNROLL
    for (int w = 0; w < hd_strip_carry_of<K, R, C>::lane_words; w++)
        hd_set_word_at(s, w, from[w * 32 + lane]);
}
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_store(const hd_strip<K, R, C> &s, uint32_t *to, uint32_t lane)
{
    HD_UNROLL
    for (int w = 0; w < hd_strip_carry_of<K, R, C>::lane_words; w++)
        to[w * 32 + lane] = hd_word_at(s, w);
}

/* All lanes: where the band's cells are kept skewed. */
template <typename K, int R, int C>
static __device__ __forceinline__ typename K::cell *hd_strip_skewed(const hd_strip_walk<K, R, C> &a)
{
    if (!a.wave->cells || !a.item->band_cells)
        return (typename K::cell *)0;
    return (typename K::cell *)a.wave->cells + a.item->cells_at + a.index * a.item->band_cells;
}

/* ... by rows. */
template <typename K, int R, int C>
static __device__ __forceinline__ uint32_t *hd_strip_by_rows(const hd_strip_walk<K, R, C> &a)
{
    if (!a.wave->cells || a.item->band_cells)
        return (uint32_t *)0;
    return (uint32_t *)a.wave->cells +
           (a.item->cells_at + (uint64_t)a.index * (32u * R) * a.item->row_cells) * hd_strip<K, R, C>::words;
}

/* All lanes: the part's granules of their band. 1: the band has ended. */
template <typename K, int R, int C>
static __device__ __forceinline__ int hd_strip_band(const hd_strip_walk<K, R, C> &a, const hd_wave_part *p, int is_tile)
{
    typedef hd_strip<K, R, C> strip;
    const uint32_t n = hd_wave_granules(a.cols, strip::lag, strip::east);
    uint32_t *carry = (uint32_t *)(p->carry + p->n_bands * sizeof(hd_strip_shared<K, R, C>)) +
                      (a.index - p->band) * hd_strip_carry_of<K, R, C>::lane_words * 32u;
    uint32_t first = 0, end = n;
    strip s;
    if (!is_tile && a.lane == 0)
        hd_wave_stamp(a.wave, a.item, a.index, 0);
    if (is_tile)
        hd_wave_span(p, a.index, strip::lag, n, &first, &end);
    else
        hd_note_band(a.thread, a.index - p->band);
    if (first >= end)
        return 0;
    if (K::fails != 0 && hd_strip_is_over(a, 0, 1))
        return 0;
    a.near->skewed = hd_strip_skewed(a);
    a.near->kept = hd_strip_by_rows(a);
    a.near->row_words = a.item->row_cells * strip::words;
    if constexpr (K::sweeps == 0)
        if ((!is_tile || first == 0) && !hd_west_wait(a))
            return hd_strip_halt(a, HD_HALT_BORDER, 0);
    if (!is_tile || first == 0)
        hd_strip_begin(a, &s);
    else
        hd_strip_load(&s, carry, a.lane);
    int is_through;
    if constexpr (K::sweeps != 0)
        is_through = hd_strip_sweep(a, &s, first, end);
    else
        is_through = hd_strip_go(a, &s, first, end);
    if (!is_through)
        return 0;
    if (is_tile && end != n) {
        hd_strip_store(s, carry, a.lane);
        return 0;
    }
    if (!is_tile && a.lane == 0)
        hd_wave_stamp(a.wave, a.item, a.index, 1);
    hd_strip_end(a, &s);
    return 1;
}

/* All threads of a team of whole warps: a part. */
template <typename K, int R, int C>
static __device__ __forceinline__ void hd_strip_part(const heddle_thread *thread, const typename K::params *params,
                                                     const hd_wave_part *p, void *memory)
{
    hd_strip_shared<K, R, C> *near = (hd_strip_shared<K, R, C> *)memory;
    const uint32_t near_bytes = (uint32_t)sizeof(*near) * p->n_bands;
    const int is_tile = !thread->in_order; /* a constant: the other case has no code and no registers */
    if (is_tile && !p->begins)
        hd_copy_words(thread, near, p->carry, near_bytes);
    else
        hd_near_begin(thread, near, p->n_bands);
    hd_bar_team(thread->team_size);
    if (thread->index / 32u < p->n_bands &&
        hd_strip_band(hd_strip_walk_of<K, R, C>(thread, params, p, near), p, is_tile) && K::sweeps == 0)
        hd_east_raise<K, R>(thread, p);
    hd_note_end(thread);
    hd_bar_team(thread->team_size);
    if (is_tile)
        hd_copy_words(thread, p->carry, near, near_bytes);
    hd_part_end<K>(thread, p);
}

#endif
