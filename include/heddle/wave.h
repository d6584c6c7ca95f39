/* SPDX-License-Identifier: MIT */
/* heddle/wave.h - wavefronts: loops over a field of rows and columns in which a cell needs its neighbours above and to the
 * left (PeerWave: Belviranli's thesis, chapter 6). The body is one cell; the loop is the library's.
 *
 *     // the header that the cells and the program include
 *     typedef struct { int match, mismatch, gap; } my_params;
 *     typedef struct { int best; uint32_t i, j; } my_found;
 *     #define MY_WAVES(X) X(my_cell, 0)
 *     HEDDLE_ENUM(my, MY_WAVES)
 *     HEDDLE_DECLARE(my)
 *
 *     // the file of cells: compiled as C, or by nvcc. Types: params, row, column, cell; bytes for the row below; neighbours
 *     HEDDLE_CELL(my_cell, my_params, params, char, char, int, 4, HEDDLE_N | HEDDLE_W | HEDDLE_NW)
 *     {
 *         int both = in->nw + (in->x == in->y ? params->match : params->mismatch);
 *         int one = (in->n > in->w ? in->n : in->w) + params->gap;
 *         int cell = both > one ? both : one;
 *         return cell > 0 ? cell : 0;
 *     }
 *     HEDDLE_FINDS(my_cell, my_found)
 *     HEDDLE_FIND(my_cell, cell, row, column, found) { ... *found = this cell ... }
 *     HEDDLE_MERGE(my_cell, a, b) { ... *a = the better of both ... }
 *     HEDDLE_WAVES(my, my_params, MY_WAVES)
 *
 *     // the program
 *     heddle_wave_desc d = HEDDLE_WAVE_INIT;
 *     d.body = my_cell; d.rows = n; d.cols = m; d.x = a; d.y = b; d.found = found;    // memory of the context
 *     heddle_wave_new(ctx, &my, &d, &graph);
 *     heddle_graph_run(ctx, graph, &params, sizeof params);
 *
 * A wave is a graph without a list of tasks: it is run, submitted, waited for, cancelled, traced and freed like any other.
 * Workers take bands of rows in order and hand their lowest rows on cell by cell, without a barrier. All backends give
 * the same bytes.
 *
 * A cell is pure: it reads `in`, `params` and what these point to, and nothing that another cell writes. It is also called for
 * places outside of the field, where its result is dropped. There in->x is some row's and in->y is arbitrary, so a cell that
 * looks something up must make sure to stay in its table. What cells find is merged in any order, and HEDDLE_MERGE must
 * not depend on that order, as sums of floating-point numbers do. */
#ifndef HEDDLE_WAVE_H
#define HEDDLE_WAVE_H

#include "heddle/task.h"
#include "heddle/core/lone.h"
#if defined(__CUDACC__) || defined(HEDDLE_EMULATED_BLOCK)
#include "heddle/core/strip.h"
#endif

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* Minimum and maximum: as `a < b ? a : b`, but either one of a number and a NaN. One instruction on GPUs, where that
 * expression takes two, and the second waits long for the first. */
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

/* The type of rows or columns without data: x or y is NULL then. */
typedef struct heddle_nothing {
    uint8_t none[3]; /* a size that no other type here has */
} heddle_nothing;

/* In a cell declared with HEDDLE_FAILS beside its neighbours: fails the cell with `code` (0 counts as 1; the first of several
 * calls counts), and the run with EBODY and a sentence: "cell my_cell at row 12, column 30 of item 0 failed with code 7". For
 * sweeps the sentence also names the sweep, counted from 1. Outside of the field nothing fails. The cell still returns a
 * value, with which other cells go on.
 *
 * The run reports the failure that plain loops over sweeps, items, rows and columns would meet first: the same on all backends
 * and under all schedules, whatever the timing. So bands before a failure in this order go on; bands after it stop. The
 * results of a failed run have no meaning, and its last_col_count may stop rising: cancel a wave that waits for it. Cells
 * declared without HEDDLE_FAILS pay nothing. */
#define heddle_cell_fail(in, code)                                                           \
    ((void)sizeof(char[sizeof *(in)->failed_ == 8u ? 1 : -1] /* HEDDLE_FAILS is missing */), \
     hd_cell_fail(*(in)->failed_, (code)))
HEDDLE_FN void hd_cell_fail(uint32_t *failed, uint32_t code) { failed[0] = failed[0] ? failed[0] : code ? code : 1u; }

/* The body follows. It sees `params` under the name given, and `in`:
 *     in->n, w, nw, ne    the neighbours, as declared (HEDDLE_N, _W, _NW, _NE: each set but the empty one, and beside them
 *                         HEDDLE_FAILS); those above have only their first south_bytes bytes
 *     in->x, y            the user's data of this row, and of this column
 *     in->i, j            the place of the cell, from 0
 * and returns the cell. Cells have 4, 8, 12 or 16 bytes, rows and columns up to 16. south_bytes (4, 8, 12, 16): how many bytes
 * of a cell, from its first on, the row below needs. */
#define HEDDLE_CELL(name, params_type, params, row_type, column_type, cell_type, south_bytes, neighbours)            \
    typedef params_type name##_wave_params_;                                                                         \
    typedef row_type name##_row_t_;                                                                                  \
    typedef column_type name##_column_t_;                                                                            \
    typedef cell_type name##_cell_t_;                                                                                \
    typedef cell_type name##_value_t_;                                                                               \
    enum {                                                                                                           \
        name##_neighbours_ = (neighbours) & ~HEDDLE_FAILS,                                                           \
        name##_fails_ = ((neighbours)&HEDDLE_FAILS) != 0,                                                            \
        name##_south_ = (south_bytes),                                                                               \
        name##_sweeps_ = 0                                                                                           \
    };                                                                                                               \
    typedef struct name##_in_ {                                                                                      \
        cell_type n, w, nw, ne;                                                                                      \
        row_type x;                                                                                                  \
        column_type y;                                                                                               \
        uint32_t i, j;                                                                                               \
        uint32_t (*failed_)[name##_fails_ + 1]; /* the library's */                                                  \
    } name##_in_;                                                                                                    \
    HD_STATIC_ASSERT(sizeof(cell_type) % 4 == 0 && sizeof(cell_type) <= 16, "a cell has 4, 8, 12 or 16 bytes");      \
    HD_STATIC_ASSERT((south_bytes) > 0 && (south_bytes) % 4 == 0 && (south_bytes) <= sizeof(cell_type),              \
                     "the row below gets whole words of a cell");                                                    \
    HD_STATIC_ASSERT(sizeof(row_type) <= 16 && sizeof(column_type) <= 16, "rows and columns have 16 bytes at most"); \
    HD_STATIC_ASSERT(((neighbours) & ~HEDDLE_FAILS) > 0 && ((neighbours) & ~HEDDLE_FAILS) < 16,                      \
                     "a cell has neighbours: HEDDLE_N, _W, _NW, _NE");                                               \
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

/* Follows a cell that finds nothing. */
#define HEDDLE_FINDS_NOTHING(name)                                                                           \
    typedef uint32_t name##_found_t_;                                                                        \
    enum { name##_finds_ = HD_FINDS_NOTHING };                                                               \
    HD_BODY_FN void name##_find_(const name##_cell_t_ *cell, uint32_t i, uint32_t j, name##_found_t_ *found) \
    {                                                                                                        \
        (void)cell, (void)i, (void)j, (void)found;                                                           \
    }                                                                                                        \
    HD_BODY_FN void name##_merge_(name##_found_t_ *a, const name##_found_t_ *b) { (void)a, (void)b; }        \
    HD_RANKS_NOTHING_(name)
/* Follows a cell if the best one is wanted, as a heddle_best: the highest rank, then the smaller column, then the smaller row.
 * The body that follows returns the rank of `cell`, an int between -2^24 and 2^24. */
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
/* Follows a cell that finds something: a struct of whole words, HD_FOUND_BYTES at most, initially zeros. HEDDLE_FIND and
 * HEDDLE_MERGE come next. */
#define HEDDLE_FINDS(name, found_type)                                                    \
    typedef found_type name##_found_t_;                                                   \
    enum { name##_finds_ = HD_FINDS_OWN };                                                \
    HD_RANKS_NOTHING_(name)                                                               \
    HD_STATIC_ASSERT(sizeof(found_type) % 4 == 0 && sizeof(found_type) <= HD_FOUND_BYTES, \
                     "what cells find has whole words, 64 bytes at most");
/* Adds one cell to *found, which has what its row has found so far. Called once for each cell of the field, so keep it short;
 * along a row it is called in the order of columns. */
#define HEDDLE_FIND(name, cell, row, column, found)                                      \
    HD_BODY_FN void name##_find_(const name##_cell_t_ *cell, uint32_t row HEDDLE_UNUSED, \
                                 uint32_t column HEDDLE_UNUSED, name##_found_t_ *found)
/* *a becomes what *a and *b have found together; either may be nothing (zeros). Merges come in any order. */
#define HEDDLE_MERGE(name, a, b) HD_BODY_FN void name##_merge_(name##_found_t_ *a, const name##_found_t_ *b)

/* ---- sweeps ------------------------------------------------------------------------------------------------------- */

/* A cell of a sweep in place (Gauss-Seidel). desc.sweeps sweeps go over desc.cells; each reads its own values to the north
 * and west, and the previous sweep's elsewhere. The rim of the field, its first and last row and column, is read and never
 * written. The body follows and returns the cell. It sees
 *     in->n, w                    this sweep's values, as declared (HEDDLE_N, _W)
 *     in->old_c, old_e, old_s     the previous sweep's: here, to the east, to the south (HEDDLE_OLD_C, _OLD_E, _OLD_S)
 *     in->i, j                    the place of the cell
 * and may fail (heddle_cell_fail) when HEDDLE_FAILS is among its neighbours.
 * Values have whole words. `together` sweeps go over the field at once, which is read and written once for all of them;
 * more sweeps take more registers. together + 1 values have 32 bytes at most. */
#define HEDDLE_SWEEP(name, params_type, params, value_type, together, neighbours)                                      \
    typedef params_type name##_wave_params_;                                                                           \
    typedef heddle_nothing name##_row_t_;                                                                              \
    typedef heddle_nothing name##_column_t_;                                                                           \
    typedef value_type name##_value_t_;                                                                                \
    typedef struct name##_cell_t_ {                                                                                    \
        value_type at[(together) + 1];                                                                                 \
    } name##_cell_t_;                                                                                                  \
    enum {                                                                                                             \
        name##_neighbours_ = (neighbours) & ~HEDDLE_FAILS,                                                             \
        name##_fails_ = ((neighbours)&HEDDLE_FAILS) != 0,                                                              \
        name##_south_ = sizeof(name##_cell_t_),                                                                        \
        name##_sweeps_ = (together)                                                                                    \
    };                                                                                                                 \
    typedef struct name##_in_ {                                                                                        \
        name##_cell_t_ n, w, nw, ne;                                                                                   \
        heddle_nothing x, y;                                                                                           \
        uint32_t i, j;                                                                                                 \
        value_type start;                                                                                              \
        uint32_t rows, cols; /* of the field, without its rim */                                                       \
        int edges;                                                                                                     \
        uint32_t (*failed_)[name##_fails_ + 1];                                                                        \
    } name##_in_;                                                                                                      \
    typedef struct name##_sweep_in_ {                                                                                  \
        value_type n, w, old_c, old_e, old_s;                                                                          \
        uint32_t i, j;                                                                                                 \
        uint32_t (*failed_)[name##_fails_ + 1]; /* the library's */                                                    \
    } name##_sweep_in_;                                                                                                \
    HD_STATIC_ASSERT(sizeof(value_type) % 4 == 0, "a value has whole words");                                          \
    HD_STATIC_ASSERT((together) > 0 && sizeof(name##_cell_t_) <= 4u * HD_CELL_WORDS,                                   \
                     "of sweeps that go together there is one or more, and values of one more have 32 bytes at most"); \
    HD_STATIC_ASSERT(((neighbours) & (HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S)) != 0,                               \
                     "a cell of a sweep has old neighbours: HEDDLE_OLD_C, _OLD_E, _OLD_S");                            \
    HD_STATIC_ASSERT(                                                                                                  \
        ((neighbours) & ~(HEDDLE_N | HEDDLE_W | HEDDLE_OLD_C | HEDDLE_OLD_E | HEDDLE_OLD_S | HEDDLE_FAILS)) == 0,      \
        "of this sweep there are HEDDLE_N and _W");                                                                    \
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

/* One cell of each sweep, a row and a column behind that of the previous sweep (core/wave.h). On the rim a sweep takes the
 * previous one's value; values outside of the rim are arbitrary and never read. */
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
            uint32_t failed[name##_fails_ + 1];                                             \
            int is_inner; /* without a branch */                                            \
            one.n = in->n.at[t];                                                            \
            one.w = in->w.at[t];                                                            \
            one.old_c = in->nw.at[t - 1u];                                                  \
            one.old_e = in->n.at[t - 1u];                                                   \
            one.old_s = in->w.at[t - 1u];                                                   \
            one.i = in->i - t;                                                              \
            one.j = in->j - t;                                                              \
            failed[0] = 0;                                                                  \
            if (name##_fails_)                                                              \
                one.failed_ = &failed;                                                      \
            value = name##_sweep_(params, &one);                                            \
            is_inner = (!(in->edges & HD_EDGES_ROWS) | (one.i - 1u < in->rows)) &           \
                       (!(in->edges & HD_EDGES_COLUMNS) | (one.j - 1u < in->cols));         \
            if (name##_fails_ && is_inner && failed[0] && !(*in->failed_)[0]) {             \
                (*in->failed_)[0] = failed[0];                                              \
                (*in->failed_)[name##_fails_] = t;                                          \
            }                                                                               \
            cell.at[t] = is_inner ? value : one.old_c;                                      \
        }                                                                                   \
        return cell;                                                                        \
    }

/* ---- the table ---------------------------------------------------------------------------------------------------- */

/* The shapes of a wave on a GPU: number, rows of a lane, columns of a step (1, 2, 4, 8). Each adds code to the kernel. To have
 * other shapes, define this macro before including the header. */
#ifndef HEDDLE_WAVE_SHAPES
#define HEDDLE_WAVE_SHAPES(X, name) X(name, 0, 4, 2) X(name, 1, 8, 2)
#endif

typedef struct heddle_wave_shape {
    uint32_t rows, columns; /* of a lane, of a step                                                   */
    uint32_t lag;           /* positions that a band is behind the previous one (core/wave.h)         */
    uint32_t warp_bytes;    /* of block-shared memory                                                 */
    uint32_t kept_bytes;    /* ... and more of it where cells are kept by rows                        */
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
    uint32_t sweeps;               /* of a cell of sweeps: how many go together; cell_bytes is a value's */
    uint32_t row_align, column_align;
    uint32_t fails;                   /* 1: cells can fail                                                         */
    uint32_t cell_align, found_align; /* of a cell (of sweeps: a value) and of what cells find    */
    void (*merge)(void *a, const void *b); /* joins two results of cells, on the host; NULL: they find nothing */
} heddle_wave_info;

#if defined(__CUDACC__) || defined(HEDDLE_EMULATED_BLOCK)
#define HD_WAVE_SHAPE_(name, number, rows, columns)                    \
    {rows,                                                             \
     columns,                                                          \
     (uint32_t)hd_strip<name##_kind_, rows, columns>::lag,             \
     (uint32_t)hd_strip_near<name##_kind_, rows, columns>::bytes,      \
     (uint32_t)hd_strip_near<name##_kind_, rows, columns>::kept_bytes, \
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
            sweeps = name##_sweeps_,                                                                                 \
            fails = name##_fails_,                                                                                   \
            keeps = !(HD_WAVE_KERNELS_ & HD_KERNELS_FOUND_ONLY)                                                      \
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
                                                                 HD_LONE_NEWER_OF_(name),                   \
                                                                 name##_finds_ ? name##_lone_merge_ : NULL, \
                                                                 name##_finds_ == HD_FINDS_BEST,            \
                                                                 (uint32_t)name##_sweeps_,                  \
                                                                 (uint32_t)name##_fails_};                  \
    HD_WAVE_TYPED_(name)                                                                                    \
    HEDDLE_BODY(name, name##_wave_params_, params, hd_wave_part, part)                                      \
    {                                                                                                       \
        if (part->convert)                                                                                  \
            hd_wave_convert_piece(thread, part->convert, part->band, part->first, sizeof(name##_cell_t_));  \
        else {                                                                                              \
            HD_WAVE_GO_(name);                                                                              \
        }                                                                                                   \
    }

/* With HEDDLE_WAVE_TILES nvcc also compiles the kernels of schedules for tasks: four times the code. */
#if defined(HEDDLE_WAVE_TILES)
#define HD_WAVE_TASKS_ HD_KERNELS_TASKS
#else
#define HD_WAVE_TASKS_ 0
#endif
/* With HEDDLE_WAVE_FOUND_ONLY defined before this header, the waves of a file leave only what is found: heddle_wave_new refuses
 * cells, last rows and last columns. Kernels then take a quarter fewer registers, so more warps fit on a multiprocessor: for
 * scores of many small fields. */
#if defined(HEDDLE_WAVE_FOUND_ONLY)
#define HD_WAVE_LEAVES_ HD_KERNELS_FOUND_ONLY
#else
#define HD_WAVE_LEAVES_ 0
#endif
/* With HEDDLE_WAVE_TRACE a traced run on a GPU notes what bands do, stretch by stretch (heddle_wave_stretch), by a kernel of its
 * own: twice the code. Without it a traced run notes an event for each part of a wave. Threads note stretches always. */
#if defined(HEDDLE_WAVE_TRACE)
#define HD_WAVE_TRACE_ HD_KERNELS_TRACE
#else
#define HD_WAVE_TRACE_ 0
#endif
#define HD_WAVE_KERNELS_ (HD_KERNELS_WAVES | HD_WAVE_TASKS_ | HD_WAVE_LEAVES_ | HD_WAVE_TRACE_)

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
     (uint32_t)name##_sweeps_,                               \
     (uint32_t) __alignof__(name##_row_t_),                  \
     (uint32_t) __alignof__(name##_column_t_),               \
     (uint32_t)name##_fails_,                                \
     (uint32_t) __alignof__(name##_value_t_),                \
     (uint32_t) __alignof__(name##_found_t_),                \
     name##_finds_ ? name##_lone_merge_ : NULL},

/* The table of waves: X(name, 0) for each. */
#define HEDDLE_WAVES(table, params_type, LIST)                              \
    LIST(HD_WAVE_BODY_)                                                     \
    static const heddle_wave_info table##_waves_[] = {LIST(HD_WAVE_INFO_)}; \
    HD_TABLE_(table, params_type, LIST, table##_waves_, HD_WAVE_KERNELS_)

/* ---- the wave ------------------------------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif

/* Cells outside of the field: an array in the context's memory, or one cell in the host's, which is copied. Both NULL: zeros.
 *
 * count: the array is filled while the wave runs. A word for each item, 0 when a run begins, counts the item's cells that are
 * there, from its first on. The producer raises it after writing the cells, by a release of scope SYS (HEDDLE_ATOMIC_STORE, a
 * copy after the copy of the cells, last_col_count of another wave). The wave reads no cell before it is counted, and polls
 * the word only in bands that wait for such cells. The word may lie in any memory that workers can read: the context's,
 * another device's, or pinned memory of the host. The user resets it between runs; the library never does. A waiting wave
 * holds workers, or a part of the GPU: its producer must not need these. The serial backend refuses counts, because nothing
 * could stop a wave that waits there. */
typedef struct heddle_wave_border {
    const void *array;
    const void *constant;
    const uint32_t *count; /* NULL: all of the array is there when a run begins */
} heddle_wave_border;

/* One field of several; places are in elements of the desc's arrays. */
typedef struct heddle_wave_item {
    uint64_t rows, cols;
    uint64_t x_at, y_at;        /* of its first row and column                                       */
    uint64_t cells_at;          /* its first cell                                                    */
    uint64_t north_at, west_at; /* into border arrays                                                */
    uint64_t last_row_at, last_col_at;
} heddle_wave_item;

/* Arrays are in the context's memory unless said otherwise, and stay the user's. */
typedef struct heddle_wave_desc {
    size_t size;               /* HEDDLE_WAVE_INIT                                                   */
    uint32_t body;             /* of the table                                                       */
    uint64_t rows, cols;       /* of the field; with items: 0                                        */
    const void *x, *y;         /* data of rows and columns: rows, cols elements; NULL: heddle_nothing */
    void *cells;               /* where cells are kept; NULL: nowhere                                */
    uint64_t row_cells;        /* by rows: from a row to the next; 0: cols                           */
    heddle_wave_border north;  /* cols cells, those above the first row                              */
    heddle_wave_border west;   /* rows cells, those to the left of the first column                  */
    const void *corner, *east; /* one cell of the host each: north-west of the first, north-east of the last column */
    void *last_row, *last_col; /* cols, rows cells; NULL: not wanted                                 */
    void *found;               /* one: what all cells have found; NULL: not wanted                   */
    void *found_each;          /* n_items: what each item's cells have found, with or without found; NULL: not
                                  wanted. One field is one item */
    const heddle_wave_item *items; /* of the host, copied; NULL: one field                            */
    uint32_t n_items;
    /* How a GPU runs bands; 0: chosen. Rows of a lane and columns of a step are a shape of the table (HEDDLE_WAVE_SHAPES). Each
     * of the n_warps warps of a block runs a band of cells. Threads have one way. */
    uint32_t lane_rows, step_columns, n_warps;
    /* If the context's config names another schedule than wave, that schedule runs the wave as a graph of tiles (on threads
     * dynamic is auto, and so wave). A tile is this many columns (rounded up to 32; 0: 512) of the bands of a part. It is
     * skewed: it waits only for the one to its left and the one above. On a GPU the table must be compiled with
     * HEDDLE_WAVE_TILES. */
    uint32_t tile_cols;
    uint32_t band_rows; /* of a tile body: rows of a band; 0: 64 */
    uint32_t sweeps;    /* over `cells`, in place, by a cell of sweeps; 0: 1. It has no other array, and no border */
    /* How cells stand in `cells`: HEDDLE_LAYOUT_ROWS, or HEDDLE_LAYOUT_SKEWED, as heddle_wave_get_layout describes. Sweeps have
     * rows only. */
    uint32_t layout;
    uint64_t n_cells; /* room of the array `cells`; 0: not checked */
    /* A word for each item, which the user sets to 0 before each run: counts the rows of last_col that are there, band by band,
     * by a release of scope SYS. Another wave, on threads or a GPU, may take both as its border west while this one runs.
     * NULL: not wanted. */
    uint32_t *last_col_count;
    /* A stride: this wave has rows row_at .. row_at + rows - 1 of a field of whole_rows rows (0: it has all). Cells and what they find
     * are told rows of the field. Waves of all strides leave what one wave leaves. They may run at the same time, each on its own
     * device: a stride follows the one above some columns behind. A stride is one field, not several items, and a body of a cell.
     *
     * below: where the stride's lowest row is handed on, word by word. above: the same memory, of the stride above; NULL in the
     * first stride. heddle_wave_outer_bytes of memory that both devices reach (pinned memory of the host), zeros at first,
     * aligned to 128 bytes. Its first word (uint32_t) is the number of the run: before each run of the stride above, and before the
     * one below is begun, the user sets it to one that this memory has not had, other than 0. A waiting wave holds workers, as one with a counted
     * border does; on the serial backend the stride above has ended. All strides but the last have a multiple of the rows of a band
     * (heddle_wave_geometry; threads: 64; a GPU: 32 times the rows of a lane).
     *
     * Of sweeps: `cells` begins with row row_at, and the `sweeps` rows before it belong to it, too (but in the first stride). Of
     * them the first and the last column are read. The stride leaves rows row_at - sweeps .. row_at + rows - sweeps - 1, the last one
     * all down to the end; so rows is more than `sweeps`. */
    uint64_t row_at, whole_rows;
    void *above, *below;
} heddle_wave_desc;
#define HEDDLE_WAVE_INIT                  \
    {                                     \
        .size = sizeof(heddle_wave_desc), \
    }

/* Makes a wave: a graph, freed by heddle_graph_free. The desc, items and single cells are copied; memory of the context that
 * they name must stay as long as the graph.
 * EINVAL, with a sentence each: a field without rows or columns; a body that is not in the table, or a table without waves; x
 * or y missing where the cell reads it; an array that is not aligned as its type, or `cells` not aligned to the largest power
 * of two that divides the cell's size, 16 at most; a field that does not fit n_cells, or overlaps with another; sweeps of a
 * cell without old neighbours; settings that the body does not use; a shape that the table does not have. ERANGE: more than
 * 2^31 rows or columns; cells beyond the last address; warps or bands for which no block of the GPU has room; more parts or
 * tags than there can be. ENODEV: a schedule for which the table has no kernel; counts on the serial backend.
 * ENOMEM: the sentence says how many bytes the wave needs for what bands hand on, and how many are free. On failure *out is
 * NULL.
 *
 * With schedule auto (on threads also dynamic) the first runs try what the desc leaves open: shapes, warps of a block, and
 * tiles under schedules for tasks, if the table has their kernels and the desc no counts. The quickest way is kept, the others
 * are freed; heddle_stats.is_trying and heddle_graph_describe_run report it. Each try is a run like any other, with the same
 * bytes. A way for which there is no memory is left out. heddle_graph_enqueue ends the search with the best so far. Calls
 * that read the graph's tasks see the wave as it was made first; tasks in events are those of the way that ran. */
HEDDLE_API heddle_status heddle_wave_new(heddle_ctx *ctx, const heddle_table *table, const heddle_wave_desc *desc,
                                         heddle_graph **out);

/* Bytes of `above` and `below` of a stride of cols columns (sweeps: as in the desc). 0: there is no such cell. */
HEDDLE_API uint64_t heddle_wave_outer_bytes(const heddle_table *table, uint32_t body, uint64_t cols, uint32_t sweeps);

/* The layout in which the wave of this desc would keep the cells of an item in this context (core/layout.h); item 0 if the desc
 * has no items. Call it before allocating `cells`, which needs heddle_wave_cells(&layout) cells for each item, at its
 * cells_at. The layout depends on the context's backend, the body, desc.layout, the item's size and row_cells; skewed on a
 * GPU also on the shape: lane_rows and step_columns of the desc, else those chosen for this GPU. A skewed `cells` is aligned
 * to 16 bytes, or less where layout.together cells have less, and cells_at is a multiple of `together`.
 * heddle_wave_index and heddle_wave_place, in C and on a GPU, map cells to places and back.
 * Errors: those of heddle_wave_new for these fields. */
HEDDLE_API heddle_status heddle_wave_get_layout(heddle_ctx *ctx, const heddle_table *table,
                                                const heddle_wave_desc *desc, uint32_t item, heddle_wave_layout *out);

/* Copies the cells of a field of `body` from one layout to another. `from` and `to` each have heddle_wave_cells of their
 * layout, and do not overlap. Places without a cell stay unchanged. The context's workers copy where the data are; the call
 * returns when the copy is complete. A layout of NULL: by rows, without a gap between them.
 * EINVAL: fields of different sizes, an invalid layout, both layouts NULL, a body of tiles or sweeps. Also the errors of
 * heddle_graph_run. */
HEDDLE_API heddle_status heddle_wave_convert(heddle_ctx *ctx, const heddle_table *table, uint32_t body,
                                             const heddle_wave_layout *from_layout, const void *from,
                                             const heddle_wave_layout *to_layout, void *to);

/* Input of the thesis's model of a wave (section 6.4). Columns are those of a band; times are nanoseconds of one worker. */
typedef struct heddle_wave_model {
    double bands;     /* that follow one another                                                          */
    double cols;      /* of a band                                                                        */
    double lag;       /* columns that a band is behind what the one above has handed on                   */
    double workers;   /* that run bands at a time; less than 1 where several fields share them            */
    double column_ns; /* a column of a band: the thesis's diagonal                                        */
    double hand_ns;   /* a hand-over: a tile's time beside its columns                                    */
} heddle_wave_model;

/* For hyper-tiles of tile_cols columns, more than 0. Pure: any thread, no context. A model of 0 bands or workers gives 0.
 * _ns: how long a run takes (equations 6.1 to 6.3, with one change: in 6.2 the bands of P workers are P (lag / w + 1) tiles
 *      behind one another, not P). Exact for tiles that begin when those to the left and above have ended.
 * _idle: the fraction of the workers' time, 0 to 1, in which they have no column.
 * _width: the width with the least _ns (6.4, for _ns as it is here), between 1 and cols. */
HEDDLE_API double heddle_wave_model_ns(const heddle_wave_model *model, double tile_cols);
HEDDLE_API double heddle_wave_model_idle(const heddle_wave_model *model, double tile_cols);
HEDDLE_API double heddle_wave_model_width(const heddle_wave_model *model);

/* How a wave is laid out, known before it runs. */
typedef struct heddle_wave_geometry {
    uint32_t lane_rows, step_columns; /* of a GPU's shape; on threads 0 */
    uint32_t n_warps;                 /* bands that a worker runs at a time */
    uint32_t band_rows;
    uint32_t hand_cols;      /* columns after which a band hands on */
    heddle_wave_model model; /* bands, cols and lag; workers and times are 0 */
    uint64_t border_bytes;   /* of the context's memory: the rows by which bands hand on from one worker to another */
    uint64_t own_bytes; /* all that the wave has there beside the user's data: these rows, words of parts and bands.
                                Both are 0 for bodies of tiles */
    uint32_t is_tile;   /* 1: a body of a tile: hand_cols are a tile's, lane_rows and step_columns 0, n_warps 1 */
} heddle_wave_geometry;
/* EINVAL: the graph is no wave, or a wave of cells that runs as a graph of tiles. EBUSY: a run of it is in flight. */
HEDDLE_API heddle_status heddle_wave_get_geometry(heddle_graph *graph, heddle_wave_geometry *out);

/* The model of a wave of cells, measured in its first successful run by when each band began and ended; nothing is run for it.
 * bands, cols: of one field, on average if there are several. workers: the most bands under way at a time, divided by the
 * number of fields. column_ns: of the quickest band. hand_ns: the rest of the run's time, in equal parts for the tiles that
 * the model runs one after the other; so it includes waiting of any kind.
 * EINVAL: the graph is no wave of cells that schedule wave runs, or has not run yet. EBUSY: a run of it is in flight. */
HEDDLE_API heddle_status heddle_wave_get_model(heddle_graph *graph, heddle_wave_model *out);
/* What a traced run (config n_trace) notes of a band: a stretch of 1/64 of its columns, in whole hand-overs (cells) or tiles. On a
 * GPU the table must be compiled with HEDDLE_WAVE_TRACE. A stretch's first column is that of the band's first row; rows below are
 * some columns behind. Times count from the start of the run.
 *
 * waited_ns: how much of the stretch the band has not gone on, because something was not there: words of the band above, room
 * for those below, a counted border, what the pass before leaves. In statistics and traces this is idle, not body time. */
typedef struct heddle_wave_stretch {
    uint32_t worker, lane; /* lane: which of the bands that the worker runs at a time                     */
    uint32_t item, pass;   /* pass: of sweeps, else 0                                                     */
    uint32_t band;         /* of the item                                                                 */
    uint64_t first_column, last_column;
    uint64_t begin_ns, end_ns, waited_ns;
} heddle_wave_stretch;
/* The kept stretches of the last run, by worker and by when they ended: at most n_max into out (NULL with 0), *n_out = all that
 * were kept. In heddle_graph_get_events they are events of their parts, with what they waited as idle_ns. EINVAL: the graph has
 * not run. EBUSY: a run of it is in flight. */
HEDDLE_API heddle_status heddle_wave_get_stretches(heddle_graph *graph, heddle_wave_stretch *out, size_t n_max,
                                                   size_t *n_out);
/* *ns: how long the model says a run takes with hyper-tiles of tile_cols columns; 0: hand_cols of heddle_wave_geometry, as the
 * wave is now. ERANGE: more than 2^31. Other errors: as heddle_wave_get_model. */
HEDDLE_API heddle_status heddle_wave_predict(heddle_graph *graph, uint64_t tile_cols, uint64_t *ns);

#ifdef __cplusplus
}
#endif

#endif
