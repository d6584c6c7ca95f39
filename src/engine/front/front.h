/* SPDX-License-Identifier: MIT */
/* front.h - what the files of this folder share: a wavefront over a fleet.
 *
 * A *site* is a unit of the fleet that can run waves, with a context of its own; all cores are one site. A stride is some columns of
 * the field as one wave of a site. A site with memory of its own copies what the stride reads in, runs the wave, and copies its
 * results home; cores work on the arrays themselves.
 *
 * Strides are begun from the left to the right, and a site has one at a time. So the leftmost stride under way waits for
 * nobody, and all others wait, inside their waves, only for the one to their left.
 *
 * One thread does all this (engine/loop/turns.h): the caller of heddle_wavefront_run, or the fleet's driver. The fleet's units are idle
 * meanwhile. */
#ifndef HD_FRONT_H
#define HD_FRONT_H

#include "engine/loop/fleet.h"
#include "engine/wave.h"
#include "heddle/wavefront.h"

typedef struct hd_site {
    hd_fleet_unit *unit; /* of the cores: the first */
    heddle_ctx *ctx;
    char name[64];
    double weight;    /* by data sheet */
    double column_ns; /* of all rows; 0: not known */
    uint64_t n_runs;  /* that it had strides in */
    int is_host;      /* works on the arrays themselves */
    /* of a run: */
    int is_busy, is_left_out, is_lost;
    uint64_t n_columns, n_strides, busy_ns, last_ns, bytes_in, bytes_out;
    char trouble[200]; /* what has happened to it, or "" */
} hd_site;

typedef enum hd_stride_state {
    HD_STRIDE_IDLE,
    HD_STRIDE_COMES, /* what it reads is on the way */
    HD_STRIDE_RUNS,
    HD_STRIDE_LEAVES, /* what it leaves is on the way home */
    HD_STRIDE_ENDED
} hd_stride_state;

typedef struct hd_stride {
    uint32_t site;
    uint64_t begin, end; /* columns */
    heddle_graph *graph;
    heddle_job *job;
    uint8_t *memory; /* of the accelerator */
    uint64_t n_bytes;
    uint64_t x_at, y_at, north_at, west_at, cells_at, last_row_at, found_at; /* in it */
    heddle_array *east; /* its last column, and behind that the words that count its rows; NULL: nobody wants it */
    uint8_t *found;     /* of the host */
    hd_slice slice;     /* as the split knows it */
    hd_stride_state state;
    uint64_t began_ns, ended_ns;
    uint64_t phase_ns, phase_bytes; /* for the trace: since when its phase is under way; what it copies */
} hd_stride;

struct heddle_wavefront {
    heddle_fleet *fleet;
    const heddle_table *table;
    const heddle_wave_info *info;
    heddle_wavefront_desc desc;
    uint8_t constants[4][4u * HD_CELL_WORDS]; /* copies of single cells, to which desc points */
    uint64_t grain, n_grains;                 /* columns of a grain; the last one has the rest, too */
    uint32_t n_passes;
    hd_site *sites;
    uint32_t n_sites;
    uint32_t *order;  /* of the sites: the quickest is asked first */
    hd_list strides;  /* hd_stride: of this run from the left; behind them those that the last run had */
    uint64_t n_begun; /* of them, in this run */
    hd_list how;      /* text */
    uint8_t *params;  /* a copy */
    size_t params_bytes;
    hd_chart *chart; /* what strides did when; NULL: it is not traced */
    hd_fleet_turn turn;
    uint32_t is_canceled; /* atomic */
    uint64_t start_ns, time_ns, n_again;
};

/* Of the description; NULL: there is none. From the first that is written on they are written. */
#define HD_FRONT_ARRAYS 7u
#define HD_FRONT_FIRST_WRITTEN 4u
typedef struct hd_front_arrays {
    heddle_array *at[HD_FRONT_ARRAYS];
} hd_front_arrays;
static inline hd_front_arrays hd_front_arrays_of(const heddle_wavefront_desc *d)
{
    return (hd_front_arrays){{d->x, d->y, d->north, d->west, d->last_row, d->last_col, d->cells}};
}
static inline hd_stride *hd_stride_at(const heddle_wavefront *w, uint64_t i) { return (hd_stride *)w->strides.at + i; }
static inline uint32_t hd_front_sweeps(const heddle_wavefront *w)
{
    return !w->info->sweeps ? 0u : w->desc.sweeps ? w->desc.sweeps : 1u;
}
/* Cells of a unit of the field, of which a stride has some: of a column. */
static inline uint64_t hd_front_unit_cells(const heddle_wavefront *w) { return w->desc.rows; }
static inline uint32_t hd_front_cell_bytes(const heddle_wavefront *w)
{
    return w->info->cell_bytes * (w->info->sweeps + 1u); /* of what a column hands over */
}

/* site.c: opens the sites of the fleet. Closes them. */
heddle_status hd_sites_open(heddle_wavefront *w);
void hd_sites_close(heddle_wavefront *w);
/* Is it there, and does it take part? */
static inline int hd_site_is_in(const hd_site *s) { return !s->is_lost && !s->is_left_out; }
/* It is lost, with this thread's sentence. */
void hd_site_lose(hd_site *s);

/* stride.c: makes stride i (columns, site, and the stride to its left are known). Frees it. */
heddle_status hd_stride_make(heddle_wavefront *w, uint64_t i);
void hd_stride_free(heddle_wavefront *w, hd_stride *s);
/* Begins it; moves it on, if it can be (*moved). An error ends it. */
heddle_status hd_stride_begin(heddle_wavefront *w, hd_stride *s);
heddle_status hd_stride_look(heddle_wavefront *w, hd_stride *s, int *moved);
/* Ends it as soon as that can be; its site is lost if it does not answer. */
void hd_stride_stop(heddle_wavefront *w, hd_stride *s);

/* drive.c: a run. */
heddle_status hd_front_drive(heddle_wavefront *w);

/* start.c: what its turns consist of. */
extern const hd_turn_kind hd_front_turns;

/* shown.c: the trace. NULL without memory. */
hd_chart *hd_front_chart(const heddle_wavefront *w);
/* A stride's phase begins. */
void hd_phase_begin(hd_stride *s);
/* The same for copies, which `put` puts into a queue of the accelerator: between marks, in a run that is traced. */
typedef heddle_status hd_phase_fn(heddle_wavefront *w, hd_stride *s);
heddle_status hd_phase_put(heddle_wavefront *w, hd_stride *s, uint32_t queue, heddle_phase phase, hd_phase_fn *put);
/* The stride's phase was seen to have ended; of copies, in that queue. */
void hd_phase_end(heddle_wavefront *w, hd_stride *s, uint32_t queue, heddle_phase phase);

/* speeds.c: speeds of sites that earlier processes have measured; keeps those of this one. */
void hd_front_find_speeds(heddle_wavefront *w);
void hd_front_keep_speeds(const heddle_wavefront *w);

/* told.c: how the run was divided, as lines. */
void hd_front_tell(heddle_wavefront *w, heddle_status status);

#endif
