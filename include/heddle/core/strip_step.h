/* SPDX-License-Identifier: MIT */
/* core/strip_step.h - steps of a band on a GPU, and granules of them: straight-line code of the user's cell. nvcc (and the
 * emulator of blocks) only.
 *
 * A lane has R neighbouring rows in registers and takes C columns a step, one step behind the lane before it. It gets
 * the row above its own by one shuffle a column. With a neighbour to the north-east each row is a column behind the row
 * above. Cells outside of the field, which only the edges of a band have, are computed like others and dropped.
 *
 * K, made by HEDDLE_CELL, names the types and has the functions. */
#ifndef HEDDLE_CORE_STRIP_STEP_H
#define HEDDLE_CORE_STRIP_STEP_H

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
    /* Outer rows: the words of column 0 that an item's first band reads, or NULL, and their tag; the tag that an item's last band
     * writes, or 0. */
    const hd_pair_word *above;
    uint32_t above_tag, below_tag;
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
    uint32_t row_at; /* the number that cells are told of row 0 */
    uint32_t *gone;  /* NULL: no pass waits */
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
    in.i = a.row_at + a.row + (uint32_t)r;
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
        if (failed[0] && is_cell && r < a.n_rows) {
            const hd_wave_failure f = hd_failure_of(a.item, a.row + (uint32_t)r, (uint32_t)j, failed);
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
    const uint32_t *border = &a.near->stage[g & 1u][0][0];
    const uint32_t tag = a.near->below_tag ? a.near->below_tag : a.to.tag + g;
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

#endif
