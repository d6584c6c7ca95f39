/* SPDX-License-Identifier: MIT */
/* heddle/loop.h - one loop over all cores and all GPUs at once: the body written once, shared out so that all end together.
 *
 *     // the header that the body and the program include
 *     typedef struct { const float *spot, *strike; float *call; } my_params;
 *     #define MY_LOOPS(X) X(my_price, 0)
 *     HEDDLE_ENUM(my, MY_LOOPS)
 *     HEDDLE_DECLARE(my)
 *
 *     // the file of bodies: compiled as C, or by nvcc
 *     HEDDLE_LOOP(my_price, my_params, params, s)
 *     {
 *         HEDDLE_SPAN (i, s)
 *             params->call[i] = price(params->spot[i], params->strike[i]);
 *     }
 *     HEDDLE_LOOP_TABLE(my, my_params, MY_LOOPS)
 *
 *     // the program; spot, strike, call are arrays of the fleet f (heddle/fleet.h)
 *     heddle_access accesses[] = {HEDDLE_ROWS(spot, HEDDLE_MODE_IN, offsetof(my_params, spot), 0, 0),
 *                                 HEDDLE_ROWS(strike, HEDDLE_MODE_IN, offsetof(my_params, strike), 0, 0),
 *                                 HEDDLE_ROWS(call, HEDDLE_MODE_OUT, offsetof(my_params, call), 0, 0)};
 *     heddle_loop_desc d = HEDDLE_LOOP_INIT;
 *     d.body = my_price; d.n = n; d.accesses = accesses; d.n_accesses = 3;
 *     heddle_loop_new(f, &my, &d, &loop);
 *     heddle_loop_run(loop, &params, sizeof params);
 *
 * A body gets a span of indices, and its threads share them out (HEDDLE_SPAN). It is called for whole tiles; on a core, in loops of one
 * index without reductions, also for parts of them. It writes only what the loop's accesses name for their indices. So each device gives the same bytes, whichever indices it is given.
 *
 * Only declared bytes travel. The pointers that accesses name are set by the library, differently for each device, so that
 * row r of an array is always at pointer + r * stride, wherever it lies. So bodies use the same indices everywhere.
 *
 * What this costs in memory of a device: for ROWS and BOTH, the rows of the slices under way, each as long as the stride. For ALL,
 * COLUMNS and PARTS, the whole array, from heddle_loop_new on, even if little of it travels.
 *
 * (HDSS: Belviranli's thesis, chapter 3. What is called a block there is a slice here.) */
#ifndef HEDDLE_LOOP_H
#define HEDDLE_LOOP_H

#include "heddle/core/chunk.h"
#include "heddle/fleet.h"
#include "heddle/task.h"

/* ---- bodies --------------------------------------------------------------------------------------------------------- */

/* A body of loops. The code that follows sees `thread`, `params` and the span (heddle_span, heddle/core/chunk.h) under the names
 * given. */
#define HEDDLE_LOOP(name, params_type, params, s) HEDDLE_BODY(name, params_type, params, heddle_span, s)
/* for (uint64_t i = begin; i < end; i++), divided among the threads. */
#define HEDDLE_SPAN(i, s) for (uint64_t i = (s)->begin + thread->index; i < (s)->end; i += thread->team_size)
/* All pairs; neighbouring threads have neighbouring j. */
#define HEDDLE_SPAN_2D(i, j, s)                      \
    for (uint64_t i = (s)->begin; i < (s)->end; i++) \
        for (uint64_t j = (s)->begin_2 + thread->index; j < (s)->end_2; j += thread->team_size)
/* Fails the loop: it ends with EBODY, and the sentence names the index and the code (0 counts as 1). The first failure of a device
 * is kept. This call returns; the body should return too. (heddle_task_fail names the first index of the tile.) */
HD_FN void heddle_span_fail(const heddle_thread *thread, uint64_t index, uint32_t code)
{
    if (thread->failed)
        *thread->failed = 1u;
    if (hd_fail_at(thread->fail, (uint32_t)index, code))
        HD_STORE(&thread->fail->high, (uint32_t)(index >> 32), RELAXED, DEV);
}

/* Before the table: a thread of a GPU has at most n registers for this body, 24 to 255. With fewer, a multiprocessor holds more blocks at once:
 * 65536 are shared out to its threads, in units of 8. What a body cannot keep in them goes to memory. Cores do not care. */
#if defined(__CUDACC__) || defined(HEDDLE_EMULATED_BLOCK)
#define HEDDLE_LOOP_REGISTERS(name, n) \
    struct name##_alone_;              \
    constexpr int hd_registers_of(const name##_alone_ *) { return n; }
#else
#define HEDDLE_LOOP_REGISTERS(name, n) HD_STATIC_ASSERT((n) >= 24 && (n) <= 255, "registers of a thread: 24 to 255");
#endif

#define HEDDLE_LOOP_TABLE(table, params_type, LIST) HD_TABLE_(table, params_type, LIST, NULL, HD_KERNELS_LOOPS)

/* ---- the loop ------------------------------------------------------------------------------------------------------- */

/* How a loop is divided. */
#define HEDDLE_SPLIT_MAP(X)                                                                                       \
    X(CUT, 0, "cut",                                                                                              \
      "claims by measured speed, run in slices; who has nothing left takes the tail of the one that ends last")   \
    X(STATIC, 1, "static", "one interval a unit, as long as its weight")                                          \
    X(GUIDED, 2, "guided", "what is left over the number of units (Polychronopoulos and Kuck, 1987)")             \
    X(HGUIDED, 3, "hguided", "half of the unit's share of what is left, by weight (Maat, EngineCL)")              \
    X(HDSS, 4, "hdss",                                                                                            \
      "the thesis: growing blocks until speeds are known, then what is left by these (section 3.3.2)")            \
    X(AXEL, 5, "axel", "one interval a unit by data-sheet weights")                                               \
    X(QILIN, 6, "qilin", "one interval a unit by a linear fit; the first 30 %, in equal parts, are the training") \
    X(LINEAR, 7, "linear", "blocks that grow by a constant")                                                      \
    X(EXPONENTIAL, 8, "exponential", "blocks that double")                                                        \
    X(FACTORING, 9, "factoring", "half of the unit's share of what is left, by measured speed (Hummel 1992; adaptive)")

typedef enum heddle_split {
#define HEDDLE_X(name, value, text, help) HEDDLE_SPLIT_##name = (value),
    HEDDLE_SPLIT_MAP(HEDDLE_X)
#undef HEDDLE_X
        HEDDLE_N_SPLITS = 10
} heddle_split;

typedef enum heddle_access_kind {
    HEDDLE_ACCESS_ROWS,    /* rows that follow the first index */
    HEDDLE_ACCESS_ALL,     /* all of the array, at any index: mode IN only */
    HEDDLE_ACCESS_COLUMNS, /* of every row, columns that follow the first index */
    HEDDLE_ACCESS_BOTH, /* rows that follow the first index, and of each the columns that follow the second one, from 0 to n_2 */
    HEDDLE_ACCESS_PARTS, /* what a function names */
    HEDDLE_ACCESS_RECT /* of jobs (heddle/multi.h): some rows or those that follow the first index, and of each some columns or those that follow the second one */
} heddle_access_kind;

/* PARTS: names what indices begin .. end - 1 touch of the array, in bytes of the array's home (heddle_array_host). Writes at most `most`
 * ranges, and returns how many there are. If that is more, it is called again with room for as many. The mode of a range is the access's,
 * or a part of it. heddle_loop_new calls the function for each tile in turn, in its own thread, and keeps the answers; runs do not call
 * it. A slice has the ranges of its tiles, with a copy for each that does not continue the one before. */
#define HEDDLE_ACCESS_MOST_RANGES (1u << 20) /* of a tile */
typedef uint64_t (*heddle_access_fn)(void *user, uint64_t begin, uint64_t end, heddle_range *out, uint64_t most);

/* What the body touches of an array. Index i has n_each rows (COLUMNS: columns), from number first + i * n_each on. It may also read some
 * before and after these, as far as the array has any. BOTH: the second index has columns in the same way. Mode OUT: the body writes
 * all of these bytes; those that it leaves are undefined afterwards. */
typedef struct heddle_access {
    heddle_array *array;
    heddle_mode mode;
    heddle_access_kind kind;
    size_t field;           /* offset, in the loop's params, of the pointer to the array's row 0 */
    uint64_t before, after; /* rows or columns more on either side; mode IN only                 */
    uint64_t n_each, first; /* n_each 0: 1                                                       */
    uint64_t column_bytes;  /* COLUMNS, BOTH: of a column; rows consist of whole columns         */
    uint64_t before_2, after_2, n_each_2, first_2; /* BOTH: of columns and the second index      */
    heddle_access_fn fn;                           /* PARTS */
    void *user;                                    /* its first argument */
    uint64_t n_rows,
        n_columns; /* RECT: rows first .. first + n_rows - 1; 0: as BOTH. Columns the same from first_2 on */
    size_t
        stride; /* offset, in the params, of a uint64_t that is set to the bytes from row to row; 0: there is none, and they are the array's */
} heddle_access;
#define HEDDLE_ROWS(array, mode, field, before, after)                                                            \
    {                                                                                                             \
        (array), (mode), HEDDLE_ACCESS_ROWS, (field), (before), (after), 1, 0, 0, 0, 0, 1, 0, NULL, NULL, 0, 0, 0 \
    }
#define HEDDLE_ALL(array, field)                                                                            \
    {                                                                                                       \
        (array), HEDDLE_MODE_IN, HEDDLE_ACCESS_ALL, (field), 0, 0, 1, 0, 0, 0, 0, 1, 0, NULL, NULL, 0, 0, 0 \
    }
#define HEDDLE_COLUMNS(array, mode, field, column_bytes, before, after)                                             \
    {                                                                                                               \
        (array), (mode), HEDDLE_ACCESS_COLUMNS, (field), (before), (after), 1, 0, (column_bytes), 0, 0, 1, 0, NULL, \
            NULL, 0, 0, 0                                                                                           \
    }
#define HEDDLE_BOTH(array, mode, field, before, after, column_bytes, before_2, after_2)                               \
    {                                                                                                                 \
        (array), (mode), HEDDLE_ACCESS_BOTH, (field), (before), (after), 1, 0, (column_bytes), (before_2), (after_2), \
            1, 0, NULL, NULL, 0, 0, 0                                                                                 \
    }
#define HEDDLE_PARTS(array, mode, field, fn, user)                                                      \
    {                                                                                                   \
        (array), (mode), HEDDLE_ACCESS_PARTS, (field), 0, 0, 1, 0, 0, 0, 0, 1, 0, (fn), (user), 0, 0, 0 \
    }
/* first, n_rows, first_2, n_columns, stride: as in heddle_access. */
#define HEDDLE_RECT(array, mode, field, stride, column_bytes, first, n_rows, first_2, n_columns)                  \
    {                                                                                                             \
        (array), (mode), HEDDLE_ACCESS_RECT, (field), 0, 0, 1, (first), (column_bytes), 0, 0, 1, (first_2), NULL, \
            NULL, (n_rows), (n_columns), (stride)                                                                 \
    }

typedef enum heddle_number { HEDDLE_I64, HEDDLE_U32, HEDDLE_F64, HEDDLE_F32 } heddle_number;

/* n numbers that are combined over the loop. The body writes those of its tile: `pointer + s->tile * n`. Each tile's are undefined
 * before, and all are written. Tiles are combined in their order, so that every fleet gives the same bytes. In loops of two
 * dimensions tile_2 must be n_2 or more. */
typedef struct heddle_reduction {
    heddle_op op;
    heddle_number type;
    uint32_t n;
    size_t field; /* offset, in the loop's params, of that pointer                               */
    void *result; /* host memory for n numbers; written when the loop has ended well             */
} heddle_reduction;

#define HEDDLE_LOOP_MOST_TRACE (1u << 20)
typedef struct heddle_loop_desc {
    size_t size; /* set by HEDDLE_LOOP_INIT                                                        */
    uint32_t body;
    uint64_t n;                    /* of the first index, by which the loop is divided                           */
    uint64_t n_2;                  /* of the second; 0: there is none                                            */
    uint64_t tile;                 /* indices of a call of the body; 0: 1024, in two dimensions 8                */
    uint64_t tile_2;               /* 0: 256                                                                     */
    const heddle_access *accesses; /* copied, as reductions are                                    */
    uint32_t n_accesses;
    uint32_t n_reductions;
    const heddle_reduction *reductions;
    heddle_split split; /*                                                HEDDLE_SPLIT         */
    uint32_t team_size; /* threads of a block on GPUs; 0: 256                                  */
    uint32_t
        time_limit_ms; /* of a slice on an accelerator, which is lost then; 0: by prediction only, which needs a first end */
    uint32_t n_trace; /* events kept of each row, at most HEDDLE_LOOP_MOST_TRACE; 0: no trace */
} heddle_loop_desc;
#define HEDDLE_LOOP_INIT                                                                     \
    {                                                                                        \
        sizeof(heddle_loop_desc), 0, 0, 0, 0, 0, NULL, 0, 0, NULL, HEDDLE_SPLIT_CUT, 0, 0, 0 \
    }

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heddle_loop heddle_loop;

/* EINVAL: the table is not one of loops, or an access is not possible. The array is another fleet's; it is written, and accessed in another
 * way, too, or another access has an array with some of its memory; what has a halo is written; the field is outside of params; there are
 * too few rows or columns, or rows are not of whole columns; BOTH needs a second index, PARTS a function. A range is outside of the array,
 * or has a mode that the access lacks; one tile writes what another one touches (as far as heddle_range can tell; indices of one tile are
 * not compared).
 * ERANGE: sizes; 2^63 tiles; more than HEDDLE_ACCESS_MOST_RANGES ranges, or 2^31 tiles to name ranges of. ENOMEM: a device has no room for the least
 * slice, or for a whole array; the sentence has both numbers. */
HEDDLE_API heddle_status heddle_loop_new(heddle_fleet *f, const heddle_table *table, const heddle_loop_desc *d,
                                         heddle_loop **out);
/* Waits for its run. */
HEDDLE_API void heddle_loop_free(heddle_loop *l);

/* Runs the loop; it may be run again. params is copied. EBODY: a body failed. ECANCELED. EDEVICE: no device is left. Or, without a time
 * limit, results that an accelerator writes home are not there a second after all else is done, also of a loop that was cancelled.
 * heddle_loop_get_left tells which. */
HEDDLE_API heddle_status heddle_loop_run(heddle_loop *l, const void *params, size_t params_bytes);
/* Starts a run, which heddle_loop_wait ends. Loops and wavefronts of a fleet run one after another, in the order of their starts. EBUSY: its last run has not
 * been waited for. A loop that takes less than 30 us on one core, by its earlier runs, is run within this call if no other one is running. */
HEDDLE_API heddle_status heddle_loop_start(heddle_loop *l, const void *params, size_t params_bytes);
/* EBUSY after timeout_ms (HEDDLE_FOREVER: waits for the end), else how the run ended. Any thread. */
HEDDLE_API heddle_status heddle_loop_wait(heddle_loop *l, uint32_t timeout_ms);
/* No slice begins any more. Any thread. */
HEDDLE_API void heddle_loop_cancel(heddle_loop *l);

/* Of the last run. */
typedef struct heddle_loop_stats {
    size_t size;       /* set by HEDDLE_LOOP_STATS_INIT                                         */
    uint64_t time_ns;  /* from the start to the last end                                        */
    uint64_t first_ns; /* from the start until the first unit had nothing left                  */
    uint64_t n_indices, n_slices, n_cuts, n_again;
    uint64_t bytes_in, bytes_out;
    uint32_t n_units, n_lost;
} heddle_loop_stats;
#define HEDDLE_LOOP_STATS_INIT                                  \
    {                                                           \
        sizeof(heddle_loop_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }
/* What one unit did in it. */
typedef struct heddle_loop_unit {
    size_t size; /* set by HEDDLE_LOOP_UNIT_INIT                                                   */
    uint64_t n_indices, n_slices,
        n_cuts;       /* indices of its tiles, of which the last counts as whole; tails that it took from others */
    uint64_t n_again; /* indices that it was given and others ran              */
    uint64_t busy_ns, host_ns; /* with slices under way; of these, its thread was busy with calls or bodies */
    uint64_t end_ns;           /* since the start                                       */
    uint64_t bytes_in, bytes_out;
    double start_ns, each_ns; /* the model: a slice of m indices takes start + m * each */
    uint32_t is_left_out, is_lost;
} heddle_loop_unit;
#define HEDDLE_LOOP_UNIT_INIT                                           \
    {                                                                   \
        sizeof(heddle_loop_unit), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }
HEDDLE_API heddle_status heddle_loop_get_stats(const heddle_loop *l, heddle_loop_stats *out);
/* ENODEV past the last unit of the fleet. */
HEDDLE_API heddle_status heddle_loop_get_unit(const heddle_loop *l, uint32_t unit, heddle_loop_unit *out);
/* How the last run was divided, and what happened on the way: lines. Valid until the next run. */
HEDDLE_API const char *heddle_loop_how(const heddle_loop *l);
/* Indices that a run which ended with EDEVICE or ECANCELED has not done. What they write may be at home in part. The same is told of results
 * that a device which does not answer may still write home, until it takes part in a run again, or the fleet is closed. */
typedef struct heddle_loop_left {
    size_t size;         /* set by HEDDLE_LOOP_LEFT_INIT                                           */
    uint64_t begin, end; /* of the first index; of whole tiles                                     */
    uint32_t
        is_spoilt; /* they also read what they write, and that may have been written over: to run them again gives other results. Of
                            others, what they read is as it was */
} heddle_loop_left;
#define HEDDLE_LOOP_LEFT_INIT             \
    {                                     \
        sizeof(heddle_loop_left), 0, 0, 0 \
    }
/* The intervals 0, 1, 2 and so on of the last run, from the lowest on; all other indices are done, and their results at home. ERANGE past the last
 * one; none is left after a run that ended well. EINVAL: a body has failed; EBUSY: it is running. */
HEDDLE_API heddle_status heddle_loop_get_left(const heddle_loop *l, uint64_t index, heddle_loop_left *out);
/* What units did in the last run of a loop with n_trace: a row a core, and one for each queue of other devices. Those that tell of phases
 * (heddle_accelerator) show copies in, bodies and copies out apart, and have three rows more: the link in either direction, and the
 * bodies. Perfetto's JSON; a picture, title NULL: the body's name. EINVAL: there is no trace; EIO. */
HEDDLE_API heddle_status heddle_loop_write_trace(const heddle_loop *l, const char *path);
HEDDLE_API heddle_status heddle_loop_write_timeline(const heddle_loop *l, const char *path, const char *title);
/* A slice of the last run of a loop with n_trace: indices of its tiles, and when the unit was at work on them, since the start of the run. That
 * is the time of its bodies; of a device that does not tell of phases, with the copies in. */
typedef struct heddle_loop_slice {
    uint64_t begin, end, begin_ns, end_ns, unit;
} heddle_loop_slice;
/* All that were kept, unit by unit; a unit's in the order of each queue. Writes the first `most` of them to out, and how many there are to *n.
 * EINVAL: there is no trace; EBUSY. */
HEDDLE_API heddle_status heddle_loop_get_slices(const heddle_loop *l, heddle_loop_slice *out, uint64_t most,
                                                uint64_t *n);
/* The names used in options and variables; NULL for a number outside the table. */
HEDDLE_API const char *heddle_split_name(heddle_split s);

#ifdef __cplusplus
}
#endif
#endif
