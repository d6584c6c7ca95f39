/* SPDX-License-Identifier: MIT */
/* heddle/wave.h - wavefronts: loops over a field of rows and columns whose cells need their neighbours above and to the left
 * (PeerWave: Belviranli's thesis, chapter 6). The body is one cell; the loop is the library's.
 *
 *     // the head that both the cells and the program include
 *     typedef struct { int match, mismatch, gap; } my_params;
 *     typedef struct { int best; uint32_t i, j; } my_found;
 *     #define MY_WAVES(X) X(my_cell, 0)
 *     HEDDLE_ENUM(my, MY_WAVES)
 *     HEDDLE_DECLARE(my)
 *
 *     // the file of cells: compiled as C, or by nvcc as CUDA. Types: params, row, column, cell; bytes for the row below; neighbours
 *     HEDDLE_CELL(my_cell, my_params, params, char, char, int, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
 *     {
 *         int both = in->nw + (in->x == in->y ? params->match : params->mismatch);
 *         int one = (in->n > in->w ? in->n : in->w) + params->gap;
 *         int cell = both > one ? both : one;
 *         return cell > 0 ? cell : 0;
 *     }
 *     HEDDLE_FINDS(my_cell, my_found)
 *  *     HEDDLE_FIND(my_cell, cell, row, column, found) { ... *found = this cell ... }
 *     HEDDLE_MERGE(my_cell, a, b) { ... *a = the better of both ... }
 *     HEDDLE_WAVES(my, my_params, MY_WAVES)
 *
 *     // the program
 *     heddle_wave_desc d = HEDDLE_WAVE_INIT;
 *     d.body = my_cell; d.rows = n; d.cols = m; d.x = a; d.y = b; d.found = found;    // memory of the context
 *     heddle_wave_new(ctx, &my, &d, &graph);
 *     heddle_graph_run(ctx, graph, &params, sizeof params);
 *
 * A wave is a graph that nobody writes down: it is run, submitted, waited for, cancelled, traced and freed as any other.
 * Workers take bands of rows in order and hand their lowest rows on cell by cell; there is no barrier and no list of
 * tasks. All backends give the same bytes.
 *
 * A cell is pure: it reads `in` and `params`, what these point to, and nothing that another cell writes. It is called for places
 * outside of the field, too, and what it returns there is dropped. There in->x is some row's, and in->y is anything: a
 * cell that looks something up must not leave its table. What cells find is joined in any order, so HEDDLE_MERGE must
 * not care for it: with sums of floating-point numbers it does. */
#ifndef HEDDLE_WAVE_H
#define HEDDLE_WAVE_H

#include "heddle/task.h"
#include "heddle/core/lone.h"
#if defined(__CUDACC__) || defined(HEDDLE_EMULATED_BLOCK)
#include "heddle/core/strip.h"
#endif

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* The smaller, the larger: as `a < b ? a : b`, but of a number and a NaN either one. One instruction on GPUs, where that
 * expression is two, the second of which waits long for the first. */
HEDDLE_FN float heddle_min_float(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return fminf(a, b);
#else
    return a < b ? a : b;
#endif
}
HEDDLE_FN float heddle_max_float(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return fmaxf(a, b);
#else
    return a > b ? a : b;
#endif
}

/* For rows or columns of which there is nothing to know: x or y is NULL then. */
typedef struct heddle_nothing {
    uint8_t none[3]; /* a size that no other type here has */
} heddle_nothing;

/* The body follows. It sees `params` under the name given, and `in`:
 *     in->n, w, nw, ne    the neighbours, as declared (HEDDLE_N, _W, _NW, _NE: each set but the empty one); of those above only the first south_bytes bytes are there
 *     in->x, y            what the user has for this row, and for this column
 *     in->i, j            the place of the cell, from 0
 * and returns the cell. Cells have 4, 8, 12 or 16 bytes, rows and columns up to 16. south_bytes (4, 8, 12, 16): how much of a
 * cell, from its first byte, the row below needs. */
#define HEDDLE_CELL(name, params_type, params, row_type, column_type, cell_type, south_bytes, neighbours)            \
    typedef params_type name##_wave_params_;                                                                         \
    typedef row_type name##_row_t_;                                                                                  \
    typedef column_type name##_column_t_;                                                                            \
    typedef cell_type name##_cell_t_;                                                                                \
    typedef cell_type name##_value_t_;                                                                               \
    typedef struct name##_in_ {                                                                                      \
        cell_type n, w, nw, ne;                                                                                      \
        row_type x;                                                                                                  \
        column_type y;                                                                                               \
        uint32_t i, j;                                                                                               \
    } name##_in_;                                                                                                    \
    enum { name##_neighbours_ = (neighbours), name##_south_ = (south_bytes), name##_sweeps_ = 0 };                   \
    HD_STATIC_ASSERT(sizeof(cell_type) % 4 == 0 && sizeof(cell_type) <= 16, "a cell has 4, 8, 12 or 16 bytes");      \
    HD_STATIC_ASSERT((south_bytes) > 0 && (south_bytes) % 4 == 0 && (south_bytes) <= sizeof(cell_type),              \
                     "the row below gets whole words of a cell");                                                    \
    HD_STATIC_ASSERT(sizeof(row_type) <= 16 && sizeof(column_type) <= 16, "rows and columns have 16 bytes at most"); \
    HD_STATIC_ASSERT((neighbours) > 0 && (neighbours) < 16, "a cell has neighbours: HEDDLE_N, _W, _NW, _NE");        \
    HD_BODY_FN void name##_start_(name##_in_ *in, const name##_value_t_ *start, uint32_t rows, uint32_t cols,        \
                                  int edges)                                                                         \
    {                                                                                                                \
        (void)in, (void)start, (void)rows, (void)cols, (void)edges;                                                  \
    }                                                                                                                \
    HD_LONE_ROWS_(name)                                                                                              \
    HD_BODY_FN cell_type name##_cell_(const params_type *params HEDDLE_UNUSED, const name##_in_ *in)

#define HD_RANKS_NOTHING_(name)                             \
    HD_BODY_FN int name##_rank_(const name##_cell_t_ *cell) \
    {                                                       \
        (void)cell;                                         \
        return 0;                                           \
    }

/* Behind a cell that finds nothing. */
#define HEDDLE_FINDS_NOTHING(name)                                                                           \
    typedef uint32_t name##_found_t_;                                                                        \
    enum { name##_finds_ = HD_FINDS_NOTHING };                                                               \
    HD_BODY_FN void name##_find_(const name##_cell_t_ *cell, uint32_t i, uint32_t j, name##_found_t_ *found) \
    {                                                                                                        \
        (void)cell, (void)i, (void)j, (void)found;                                                           \
    }                                                                                                        \
    HD_BODY_FN void name##_merge_(name##_found_t_ *a, const name##_found_t_ *b) { (void)a, (void)b; }        \
    HD_RANKS_NOTHING_(name)
/* Behind a cell of which the best is wanted, a heddle_best: rank first, then the smaller column, then the smaller row. The
 * body that follows returns the rank of `cell`, an int between -2^24 and 2^24. */
typedef struct heddle_best {
    int32_t rank;
    uint32_t is_found; /* 1: there was a cell                                                            */
    uint32_t row, column;
} heddle_best;
HEDDLE_FN int heddle_is_better(const heddle_best *a, const heddle_best *b)
{
    if (a->is_found != b->is_found || a->rank != b->rank)
        return a->is_found && (!b->is_found || a->rank > b->rank);
    return a->column != b->column ? a->column < b->column : a->row < b->row;
}
#define HEDDLE_FINDS_BEST(name, cell)                                                                        \
    HD_BODY_FN int name##_rank_(const name##_cell_t_ *cell);                                                 \
    typedef heddle_best name##_found_t_;                                                                     \
    enum { name##_finds_ = HD_FINDS_BEST };                                                                  \
    HD_BODY_FN void name##_find_(const name##_cell_t_ *cell, uint32_t i, uint32_t j, name##_found_t_ *found) \
    {                                                                                                        \
        const int rank = name##_rank_(cell);                                                                 \
        if (!found->is_found || rank > found->rank) {                                                        \
            found->rank = rank;                                                                              \
            found->is_found = 1;                                                                             \
            found->row = i;                                                                                  \
            found->column = j;                                                                               \
        }                                                                                                    \
    }                                                                                                        \
    HD_BODY_FN void name##_merge_(name##_found_t_ *a, const name##_found_t_ *b)                              \
    {                                                                                                        \
        if (heddle_is_better(b, a))                                                                          \
            *a = *b;                                                                                         \
    }                                                                                                        \
    HD_BODY_FN int name##_rank_(const name##_cell_t_ *cell)
/* Behind a cell that finds something: a struct of whole words, HD_FOUND_BYTES at most, that begins as zeros. Then the next two. */
#define HEDDLE_FINDS(name, found_type)                                                    \
    typedef found_type name##_found_t_;                                                   \
    enum { name##_finds_ = HD_FINDS_OWN };                                                \
    HD_RANKS_NOTHING_(name)                                                               \
    HD_STATIC_ASSERT(sizeof(found_type) % 4 == 0 && sizeof(found_type) <= HD_FOUND_BYTES, \
                     "what cells find has whole words, 64 bytes at most");
/* Changes what was found, if the cell does. Called once for each cell of the field, so it is short: first for the first
 * column of a row, last for its last, with what was found in that row. */
#define HEDDLE_FIND(name, cell, row, column, found)                                      \
    HD_BODY_FN void name##_find_(const name##_cell_t_ *cell, uint32_t row HEDDLE_UNUSED, \
                                 uint32_t column HEDDLE_UNUSED, name##_found_t_ *found)
/* *a becomes what both have found, of which either may be nothing (zeros); they are joined in any order. */
#define HEDDLE_MERGE(name, a, b) HD_BODY_FN void name##_merge_(name##_found_t_ *a, const name##_found_t_ *b)

/* ---- sweeps ------------------------------------------------------------------------------------------------------- */

/* A cell of a sweep in place, as Gauss and Seidel have it: desc.sweeps of them go over desc.cells, and each reads what it has made
 * itself to the north and to the west, and what the sweep before has left elsewhere. The rim of the field, its first
 * and last row and column, is read and stays as it is. The body follows and returns the cell. It sees
 *     in->n, w                    this sweep's, likewise as declared
 *     in->old_c, old_e, old_s     the sweep's before: of this place, to the east, to the south (HEDDLE_OLD_C, _OLD_E, _OLD_S)
 *     in->i, j                    the place of the cell
 * Values have whole words. So many sweeps as `together` says go over the field at once, which is read and written
 * once for all of them: the more, the more registers. Together with the one that is read they have 32 bytes at most. */
#define HEDDLE_SWEEP(name, params_type, params, value_type, together, neighbours)                                      \
    typedef params_type name##_wave_params_;                                                                           \
    typedef heddle_nothing name##_row_t_;                                                                              \
    typedef heddle_nothing name##_column_t_;                                                                           \
    typedef value_type name##_value_t_;                                                                                \
    typedef struct name##_cell_t_ {                                                                                    \
        value_type at[(together) + 1];                                                                                 \
    } name##_cell_t_;                                                                                                  \
    typedef struct name##_in_ {                                                                                        \
        name##_cell_t_ n, w, nw, ne;                                                                                   \
        heddle_nothing x, y;                                                                                           \
        uint32_t i, j;                                                                                                 \
        value_type start;                                                                                              \
        uint32_t rows, cols; /* of the field, without its rim */                                                       \
        int edges;                                                                                                     \
    } name##_in_;                                                                                                      \
    typedef struct name##_sweep_in_ {                                                                                  \
        value_type n, w, old_c, old_e, old_s;                                                                          \
        uint32_t i, j;                                                                                                 \
    } name##_sweep_in_;                                                                                                \
    enum { name##_neighbours_ = (neighbours), name##_sweeps_ = (together), name##_south_ = sizeof(name##_cell_t_) };   \
    HD_STATIC_ASSERT(sizeof(value_type) % 4 == 0, "a value has whole words");                                          \
    HD_STATIC_ASSERT((together) > 0 && sizeof(name##_cell_t_) <= 4u * HD_CELL_WORDS,                                   \
                     "of sweeps that go together there is one or more, and values of one more have 32 bytes at most"); \
    HD_STATIC_ASSERT(((neighbours) & (HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)) != 0,                               \
                     "a cell of a sweep has old neighbours: HEDDLE_OLD_C, _OLD_E, _OLD_S");                            \
    HD_STATIC_ASSERT(((neighbours) & ~(HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)) == 0,        \
                     "of this sweep there are HEDDLE_N and _W");                                                       \
    HD_BODY_FN void name##_start_(name##_in_ *in, const name##_value_t_ *start, uint32_t rows, uint32_t cols,          \
                                  int edges)                                                                           \
    {                                                                                                                  \
        in->start = *start;                                                                                            \
        in->rows = rows;                                                                                               \
        in->cols = cols;                                                                                               \
        in->edges = edges;                                                                                             \
    }                                                                                                                  \
    HD_LONE_PLANES_(name)                                                                                              \
    HD_BODY_FN value_type name##_sweep_(const params_type *params, const name##_sweep_in_ *in);                        \
    HD_SWEEPS_TOGETHER_(name, params_type)                                                                             \
    HEDDLE_FINDS_NOTHING(name)                                                                                         \
    HD_BODY_FN value_type name##_sweep_(const params_type *params HEDDLE_UNUSED, const name##_sweep_in_ *in)

/* Of all sweeps a cell, each a row and a column behind the one before (core/wave.h). On the rim a sweep has what the one before
 * has; outside of it there is anything, and nobody reads it. */
#define HD_SWEEPS_TOGETHER_(name, params_type)                                              \
    HD_BODY_FN name##_cell_t_ name##_cell_(const params_type *params, const name##_in_ *in) \
    {                                                                                       \
        name##_cell_t_ cell;                                                                \
        uint32_t t;                                                                         \
        cell.at[0] = in->start;                                                             \
        HD_UNROLL_SWEEPS                                                                    \
        for (t = 1; t <= name##_sweeps_; t++) {                                             \
            name##_sweep_in_ one;                                                           \
            name##_value_t_ value;                                                          \
            int is_inner; /* by no branch */                                                \
            one.n = in->n.at[t];                                                            \
            one.w = in->w.at[t];                                                            \
            one.old_c = in->nw.at[t - 1u];                                                  \
            one.old_e = in->n.at[t - 1u];                                                   \
            one.old_s = in->w.at[t - 1u];                                                   \
            one.i = in->i - t;                                                              \
            one.j = in->j - t;                                                              \
            value = name##_sweep_(params, &one);                                            \
            is_inner = (!(in->edges & HD_EDGES_ROWS) | (one.i - 1u < in->rows)) &           \
                       (!(in->edges & HD_EDGES_COLUMNS) | (one.j - 1u < in->cols));         \
            cell.at[t] = is_inner ? value : one.old_c;                                      \
        }                                                                                   \
        return cell;                                                                        \
    }

/* ---- the table ---------------------------------------------------------------------------------------------------- */

/* How a wave can run on a GPU: number, rows of a lane, columns of a step (1, 2, 4, 8). Each is code of its own in the kernel. Define it
 * before this header is included to have others. */
#ifndef HEDDLE_WAVE_SHAPES
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2) X(name, 1, 8, 2)
#endif

typedef struct heddle_wave_shape {
    uint32_t rows, columns; /* of a lane, of a step                                                   */
    uint32_t lag;           /* positions that a band is behind the one before (core/wave.h)            */
    uint32_t warp_bytes;    /* of block-shared memory                                                 */
    uint32_t carry_bytes;   /* what a warp leaves from tile to tile                                   */
} heddle_wave_shape;

/* What the library knows of the cells of a body. */
typedef struct heddle_wave_info {
    uint32_t cell_bytes, south_bytes, row_bytes, column_bytes, found_bytes; /* found_bytes 0: nothing  */
    uint32_t neighbours;
    uint32_t kernels;  /* HD_KERNELS_...                                                              */
    uint32_t n_shapes; /* 0: it was compiled as C                                                     */
    const heddle_wave_shape *shapes;
    uint32_t is_tile, carry_bytes; /* a body of a tile (heddle/tile.h), which has only these, south_bytes and kernels */
    uint32_t sweeps;               /* of a cell of sweeps: that go together; cell_bytes are a value's  */
} heddle_wave_info;

#if defined(__CUDACC__) || defined(HEDDLE_EMULATED_BLOCK)
#define HD_WAVE_SHAPE_(name, number, rows, columns)                       \
    {rows, columns, (uint32_t)hd_strip<name##_kind_, rows, columns>::lag, \
     (uint32_t)hd_strip_near<name##_kind_, rows, columns>::bytes,         \
     (uint32_t)hd_strip_carry_of<name##_kind_, rows, columns>::bytes},
#define HD_WAVE_TYPED_(name)                                                                                         \
    struct name##_kind_ {                                                                                            \
        typedef name##_wave_params_ params;                                                                          \
        typedef name##_row_t_ row;                                                                                   \
        typedef name##_column_t_ column;                                                                             \
        typedef name##_cell_t_ cell;                                                                                 \
        typedef name##_value_t_ value;                                                                               \
        typedef name##_found_t_ found;                                                                               \
        typedef name##_in_ in;                                                                                       \
        enum {                                                                                                       \
            neighbours = name##_neighbours_,                                                                         \
            south = name##_south_,                                                                                   \
            finds = name##_finds_,                                                                                   \
            sweeps = name##_sweeps_                                                                                  \
        };                                                                                                           \
        static __device__ __forceinline__ void start(in *i, const value *v, uint32_t rows, uint32_t cols, int edges) \
        {                                                                                                            \
            name##_start_(i, v, rows, cols, edges);                                                                  \
        }                                                                                                            \
        static __device__ __forceinline__ cell step(const params *p, const in *i) { return name##_cell_(p, i); }     \
        static __device__ __forceinline__ void find(const cell *c, uint32_t i, uint32_t j, found *f)                 \
        {                                                                                                            \
            name##_find_(c, i, j, f);                                                                                \
        }                                                                                                            \
        static __device__ __forceinline__ void merge(found *a, const found *b) { name##_merge_(a, b); }              \
        static __device__ __forceinline__ int rank(const cell *c) { return name##_rank_(c); }                        \
    };                                                                                                               \
    static const heddle_wave_shape name##_shapes_[] = {HEDDLE_WAVE_SHAPES(HD_WAVE_SHAPE_, name)};                    \
    enum { name##_n_shapes_ = sizeof(name##_shapes_) / sizeof(name##_shapes_[0]) };
#else
#define HD_WAVE_TYPED_(name)                                     \
    static const heddle_wave_shape *const name##_shapes_ = NULL; \
    enum { name##_n_shapes_ = 0 };
#endif

#if HD_HOSTED
#define HD_WAVE_GO_(name) hd_lone_part(thread, params, part, &name##_lone_type_, heddle_team_shared(thread))
#else
#define HD_WAVE_CASE_(name, number, rows, columns)                                                    \
    case number:                                                                                      \
        hd_strip_part<name##_kind_, rows, columns>(thread, params, part, heddle_team_shared(thread)); \
        break;
#define HD_WAVE_GO_(name)                       \
    switch (part->shape) {                      \
        HEDDLE_WAVE_SHAPES(HD_WAVE_CASE_, name) \
    default: break;                             \
    }
#endif

#define HD_WAVE_BODY_(name, shared)                                                                         \
    HD_LONE_TYPED(name)                                                                                     \
    HEDDLE_UNUSED static void name##_lone_merge_(void *a, const void *b)                                    \
    {                                                                                                       \
        name##_merge_((name##_found_t_ *)a, (const name##_found_t_ *)b);                                    \
    }                                                                                                       \
    HEDDLE_UNUSED static const hd_lone_type name##_lone_type_ = {(uint32_t)sizeof(name##_cell_t_),          \
                                                                 (uint32_t)name##_south_ / 4u,              \
                                                                 (uint32_t)sizeof(name##_row_t_),           \
                                                                 (uint32_t)sizeof(name##_column_t_),        \
                                                                 (uint32_t)sizeof(name##_found_t_),         \
                                                                 name##_neighbours_ & HEDDLE_NE ? 2u : 1u,  \
                                                                 name##_lone_granule_,                      \
                                                                 name##_finds_ ? name##_lone_merge_ : NULL, \
                                                                 name##_finds_ == HD_FINDS_BEST,            \
                                                                 (uint32_t)name##_sweeps_};                 \
    HD_WAVE_TYPED_(name)                                                                                    \
    HEDDLE_BODY(name, name##_wave_params_, params, hd_wave_part, part)                                      \
    {                                                                                                       \
        if (part->convert)                                                                                  \
            hd_wave_convert_piece(thread, part->convert, part->band, part->first, sizeof(name##_cell_t_));  \
        else {                                                                                              \
            HD_WAVE_GO_(name);                                                                              \
        }                                                                                                   \
    }

/* With HEDDLE_WAVE_TILES nvcc makes the kernels of schedules for tasks, too: four times the code. */
#if defined(HEDDLE_WAVE_TILES)
#define HD_WAVE_KERNELS_ (HD_KERNELS_WAVES | HD_KERNELS_TASKS)
#else
#define HD_WAVE_KERNELS_ HD_KERNELS_WAVES
#endif

#define HD_WAVE_INFO_(name, shared)                          \
    {(uint32_t)sizeof(name##_value_t_),                      \
     (uint32_t)name##_south_,                                \
     (uint32_t)sizeof(name##_row_t_),                        \
     (uint32_t)sizeof(name##_column_t_),                     \
     name##_finds_ ? (uint32_t)sizeof(name##_found_t_) : 0u, \
     (uint32_t)name##_neighbours_,                           \
     HD_WAVE_KERNELS_,                                       \
     (uint32_t)name##_n_shapes_,                             \
     name##_shapes_,                                         \
     0u,                                                     \
     0u,                                                     \
     (uint32_t)name##_sweeps_},

/* The table of waves: X(name, 0) for each. */
#define HEDDLE_WAVES(table, params_type, LIST)                              \
    LIST(HD_WAVE_BODY_)                                                     \
    static const heddle_wave_info table##_waves_[] = {LIST(HD_WAVE_INFO_)}; \
    HD_TABLE_(table, params_type, LIST, table##_waves_, HD_WAVE_KERNELS_)

/* ---- the wave ------------------------------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif

/* Where cells come from that lie outside of the field: an array of the context's memory, or one cell of the host's, which is copied.
 * Both NULL: zeros.
 *
 * count: the array comes while the wave runs. A word for each item, 0 when a run begins, says how many of the item's cells, from
 * its first on, are there; whoever writes them raises it afterwards, by a release of scope SYS (HEDDLE_ATOMIC_STORE, a copy behind the
 * copy of the cells, last_col_count of another wave). The wave reads no cell before it is counted, and the word only in
 * bands that wait for such cells. It may lie in any memory that workers can read: the context's, another device's, or
 * pinned memory of the host. The library never sets it back: between two runs that is the user's. A wave that waits has
 * workers, or a part of the GPU: what it waits for must not need these. Not on the serial backend, where nobody could stop it. */
typedef struct heddle_wave_border {
    const void *array;
    const void *constant;
    const uint32_t *count; /* NULL: all of the array is there when a run begins */
} heddle_wave_border;

/* One field of several, in elements of the arrays of the desc. */
typedef struct heddle_wave_item {
    uint64_t rows, cols;
    uint64_t x_at, y_at;        /* of its first row and column                                       */
    uint64_t cells_at;          /* its first cell                                                    */
    uint64_t north_at, west_at; /* into border arrays                                                */
    uint64_t last_row_at, last_col_at;
} heddle_wave_item;

/* All memory is the context's, and stays the user's. */
typedef struct heddle_wave_desc {
    size_t size;              /* HEDDLE_WAVE_INIT                                                   */
    uint32_t body;            /* of the table                                                       */
    uint64_t rows, cols;      /* of the field; with items: 0                                        */
    const void *x, *y;        /* what is known of rows and columns: arrays of rows and cols elements; NULL: zeros... */
    void *cells;              /* where cells are kept; NULL: nowhere                                */
    uint64_t row_cells;       /* by rows: from a row to the next; 0: cols                           */
    heddle_wave_border north; /* cols cells, those above the first row                              */
    heddle_wave_border west;  /* rows cells, those to the left of the first column                  */
    const void *corner,
        *east; /* one cell of the host: above and to the left of the first; to the north-east of the last column */
    void *last_row, *last_col; /* cols, rows cells: where they are wanted; NULL: they are not        */
    void *found;               /* what cells have found, one; NULL: it is not wanted                 */
    void *found_each;          /* what those of each item have, n_items of them, in their order; NULL: likewise. Beside
                                      found, or without it. One field is one item */
    const heddle_wave_item *items; /* of the host, copied; NULL: one field                            */
    uint32_t n_items;
    /* How a GPU goes over bands; 0: chosen. Rows of a lane and columns of a step, which the table must have
     * (HEDDLE_WAVE_SHAPES), and warps of a block: as many bands are a part. Threads have one way. */
    uint32_t lane_rows, step_columns, n_warps;
    /* Where the context's config names another schedule than wave, the wave is a graph of tiles that this schedule runs (on
     * threads dynamic is auto, and so wave). A tile is what a part's bands have of so many columns (rounded up to 32; 0: 512),
     * skewed, so that it waits for the one to its left and the one above. On a GPU the table must be compiled with
     * HEDDLE_WAVE_TILES. */
    uint32_t tile_cols;
    uint32_t band_rows; /* of a body of a tile: rows that a worker goes along with; 0: 64 */
    uint32_t
        sweeps; /* of a cell of sweeps: how many go over `cells`, in place; 0: 1. There is nothing else at hand, and no border */
    /* How cells stand in `cells`: HEDDLE_LAYOUT_ROWS, or HEDDLE_LAYOUT_SKEWED, as heddle_wave_get_layout says. Not of
     * sweeps. */
    uint32_t layout;
    uint64_t n_cells; /* that the array `cells` has; 0: as many as it takes, which is not looked at */
    /* A word for each item, that the user sets to 0 before each run: how many rows of last_col are there, band by band, raised by a
     * release of scope SYS. Another wave, on threads or a GPU, takes both as its border west while this one runs. NULL: nobody
     * asks before the end. */
    uint32_t *last_col_count;
} heddle_wave_desc;
#define HEDDLE_WAVE_INIT                  \
    {                                     \
        .size = sizeof(heddle_wave_desc), \
    }

/* A wave as a graph; freed by heddle_graph_free. */
HEDDLE_API heddle_status heddle_wave_new(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *desc,
                                         heddle_graph **out);

/* How the cells of an item would be kept by the wave of this desc in this context (core/layout.h): item 0 of a desc without
 * items. Asked before `cells` is there, because that has to have heddle_wave_cells(&layout) cells, of each item at its
 * cells_at. It depends on the context's backend, the body, desc.layout, the item's size and row_cells; on a GPU, skewed, also on
 * the shape: lane_rows and step_columns where the desc has them, else what is chosen for this GPU. Skewed, `cells` is aligned
 * to 16 bytes, or less where layout.together cells have less, and cells_at is a multiple of `together`.
 * heddle_wave_index and heddle_wave_place, in C and on a GPU, say which cell stands where.
 * Errors: as heddle_wave_new has for these fields. Any thread that may use the context. */
HEDDLE_API heddle_status heddle_wave_get_layout(heddle_ctx *ctx, const heddle_table *table,
                                                const heddle_wave_desc *desc, uint32_t item, heddle_wave_layout *out);

/* Copies the cells of a field from one layout to another: of `body`, from `from` to `to`, each as large as heddle_wave_cells says
 * of its layout; they do not overlap. Places without a cell stay as they are. The context's workers do it, where the data are, and
 * it is done when the call returns. A layout of NULL: by rows, without a gap between them.
 * EINVAL: fields of different sizes, layouts that are none, both NULL, a body that is none of cells; and what
 * heddle_graph_run has. */
HEDDLE_API heddle_status heddle_wave_convert(heddle_ctx *ctx, const heddle_table *table, uint32_t body,
                                             const heddle_wave_layout *from_layout, const void *from,
                                             const heddle_wave_layout *to_layout, void *to);

#ifdef __cplusplus
}
#endif

#endif
