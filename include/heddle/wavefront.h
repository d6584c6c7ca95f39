/* SPDX-License-Identifier: MIT */
/* heddle/wavefront.h - one wavefront over all devices of a fleet: a wave (heddle/wave.h) that is cut into strides.
 *
 *     heddle_fleet_open(&f, "cuda:*", NULL);
 *     heddle_array_new(f, &d, &a);                     // rows elements; filled through heddle_array_host
 *     heddle_wavefront_desc w = HEDDLE_WAVEFRONT_INIT;
 *     w.body = my_cell; w.rows = n; w.cols = m; w.x = a; w.y = b; w.found = &found;
 *     heddle_wavefront_new(f, &my, &w, &wavefront);    // my: a table of HEDDLE_WAVES, as it is
 *     heddle_wavefront_run(wavefront, &params, sizeof params);
 *
 * A stride is some rows, with all columns. It is one wave of one device. The stride above hands on its lowest row while both run, word
 * by word: a stride follows the one above some columns behind. These words are in the host's pinned memory, which all devices
 * reach: no copy and no call of the host.
 *
 * The units of a wavefront are the fleet's accelerators that can run waves (GPUs, virtual devices), and all its cores together as
 * one. An accelerator may have several strides under way: it copies one in while it runs others, and copies another one home. All
 * fleets give the same bytes.
 *
 * Dividing (heddle_split). A stride cannot be shared once it runs, because its height is fixed. So there are no slices and no tails:
 *     cut (the default)   strides for all units in turn, as high as their speeds in the last runs, else by data sheets; units that are
 *                         far slower than the quickest are left out, since each column waits for all units. Where cells are copied, a
 *                         unit has up to 8 strides, of some 64 MB or more; elsewhere as many as it takes for a stride to have no more
 *                         rows than the unit goes over at once, and one if it is alone
 *     static, axel        a stride for each unit; axel always by data sheets
 *     others              a unit that is done takes the next stride, as high as that way says
 *
 * Refused: bodies of tiles (heddle/tile.h). A stride has whole bands (heddle/wave.h): fields of less are not divided.
 *
 * Threads, errors: as for loops (heddle/loop.h). Wavefronts and loops of a fleet run one after another, in the order of their starts.
 *
 * (HDSS: Belviranli's thesis, section 3.3.3; there a stride is cut into blocks, which the host gives away one by one.) */
#ifndef HEDDLE_WAVEFRONT_H
#define HEDDLE_WAVEFRONT_H

#include "heddle/fleet.h"
#include "heddle/loop.h"
#include "heddle/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heddle_wavefront heddle_wavefront;

/* Arrays are the fleet's, with a row for each element but `cells`, and stay the user's. Fields as in heddle_wave_desc. */
typedef struct heddle_wavefront_desc {
    size_t size;                        /* HEDDLE_WAVEFRONT_INIT                                    */
    uint32_t body;                      /* of the table                                             */
    uint32_t sweeps;                    /* of a cell of sweeps; 0: 1                                */
    uint64_t rows, cols;                /* of the field                                             */
    heddle_array *x, *y;                /* data of rows, of columns; NULL: heddle_nothing           */
    heddle_array *cells;                /* rows of cols cells: kept, or swept over; NULL: nowhere   */
    heddle_array *north, *west;         /* cells outside: cols, rows of them. NULL: these constants */
    const void *north_cell, *west_cell; /* a cell of the host each, copied; NULL: zeros             */
    const void *corner, *east;          /* as in heddle_wave_desc                                   */
    heddle_array *last_row, *last_col;  /* cols, rows cells; NULL: not wanted                       */
    void *found;                        /* host memory; written when the run has ended well; NULL: not wanted */
    heddle_split split;                 /*                                           HEDDLE_SPLIT   */
    uint32_t time_limit_ms;             /* of a stride, from the end of the one above: its unit is lost then. 0: none */
    uint32_t n_trace;                   /* events kept of each row, at most HEDDLE_LOOP_MOST_TRACE; 0: no trace */
} heddle_wavefront_desc;
#define HEDDLE_WAVEFRONT_INIT                  \
    {                                          \
        .size = sizeof(heddle_wavefront_desc), \
    }

/* EINVAL: no table of waves, an array that is missing, another fleet's, or of other rows than the field needs. ERANGE: sizes. ENODEV: no
 * unit of the fleet can run waves. ENOMEM: a unit has no memory for the least stride; the sentence has both numbers. What else a
 * wave refuses, its run says. */
HEDDLE_API heddle_status heddle_wavefront_new(heddle_fleet *f, const heddle_table *table,
                                              const heddle_wavefront_desc *d, heddle_wavefront **out);
/* Waits for its run. */
HEDDLE_API void heddle_wavefront_free(heddle_wavefront *w);

/* Runs it, on the calling thread; it may be run again. params is copied. Waves of a division are kept for the next run, which most often has
 * the same. EBUSY: its last run has not been waited for.
 * EBODY: a cell failed; the sentence names the first that plain loops would meet, of sweeps the first of those that were seen. ECANCELED. ENOMEM: a unit has no room for its stride, which may have many rows; the
 * sentence has the bytes. EDEVICE: no unit is left, or one was lost when sweeps had changed cells at home from its rows on, which
 * nobody can do again. */
HEDDLE_API heddle_status heddle_wavefront_run(heddle_wavefront *w, const void *params, size_t params_bytes);
/* Starts a run, which heddle_wavefront_wait ends; a thread of the fleet drives it when all that was started before has ended. In a serial fleet
 * it is run within this call. EINVAL: params; EBUSY: its last run has not been waited for; ENOMEM: no thread. */
HEDDLE_API heddle_status heddle_wavefront_start(heddle_wavefront *w, const void *params, size_t params_bytes);
/* EBUSY after timeout_ms (HEDDLE_FOREVER: waits for the end), else how the run ended, as heddle_wavefront_run says. Any thread. */
HEDDLE_API heddle_status heddle_wavefront_wait(heddle_wavefront *w, uint32_t timeout_ms);
/* Ends a run soon (ECANCELED), also one that has not begun. Any thread. */
HEDDLE_API void heddle_wavefront_cancel(heddle_wavefront *w);

/* Of the last run; EBUSY while there is one. */
typedef struct heddle_wavefront_stats {
    size_t size;                 /* set by HEDDLE_WAVEFRONT_STATS_INIT                     */
    uint64_t time_ns, first_ns;  /* from the start to the last end; to the first unit's */
    uint64_t n_strides, n_again; /* strides that were run, and run again after a loss */
    uint64_t bytes_in, bytes_out;
    uint32_t n_units, n_lost;
} heddle_wavefront_stats;
#define HEDDLE_WAVEFRONT_STATS_INIT                            \
    {                                                          \
        sizeof(heddle_wavefront_stats), 0, 0, 0, 0, 0, 0, 0, 0 \
    }
/* What one unit did in it. */
typedef struct heddle_wavefront_unit {
    size_t size;   /* set by HEDDLE_WAVEFRONT_UNIT_INIT              */
    char name[64]; /* "cuda:0/4", "virtual:1", "cpu:6", "serial"        */
    uint64_t n_rows, n_strides;
    uint64_t busy_ns, end_ns; /* with strides, waiting for those above included; its last end, since the start */
    uint64_t bytes_in, bytes_out;
    double row_ns; /* of all columns; 0: not known. A unit below a slower one is quicker than that */
    uint32_t is_left_out, is_lost;
} heddle_wavefront_unit;
#define HEDDLE_WAVEFRONT_UNIT_INIT                                    \
    {                                                                 \
        sizeof(heddle_wavefront_unit), {0}, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }
HEDDLE_API heddle_status heddle_wavefront_get_stats(const heddle_wavefront *w, heddle_wavefront_stats *out);
/* ENODEV past the last unit. */
HEDDLE_API heddle_status heddle_wavefront_get_unit(const heddle_wavefront *w, uint32_t unit,
                                                   heddle_wavefront_unit *out);
/* How the last run was divided, and what happened on the way: lines. Valid until the next run. */
HEDDLE_API const char *heddle_wavefront_how(const heddle_wavefront *w);
/* What units did in the last run of a wavefront with n_trace, as heddle_loop_write_trace has it for loops: a row for all cores, in which a
 * stride is a bar; of each other device a row for its waves, and two for its link, copies in and out. EINVAL: there is no trace; EBUSY: it is
 * running; EIO. */
HEDDLE_API heddle_status heddle_wavefront_write_trace(const heddle_wavefront *w, const char *path);
HEDDLE_API heddle_status heddle_wavefront_write_timeline(const heddle_wavefront *w, const char *path,
                                                         const char *title);

#ifdef __cplusplus
}
#endif
#endif
