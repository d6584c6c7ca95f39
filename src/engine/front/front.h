/* SPDX-License-Identifier: MIT */
/* front.h - what the files of this folder share: a wavefront over a fleet.
 *
 * A *site* is a unit of the fleet that can run waves. It has *lanes*: contexts of which each runs waves. A stride is some
 * rows of the field as one wave of a lane. A site with memory of its own copies what the stride reads in, runs the wave, and copies its
 * results home; cores work on the arrays themselves. Copies in, waves and copies home of a site's strides overlap.
 *
 * Waves are started from the top of the field downwards. So the topmost wave under way waits for nobody, and all others wait, inside
 * of them, only for the one above. A site starts a wave only when its waves above have no part left that no worker has begun: so no
 * wave can take workers from one that it needs.
 *
 * One thread does all this (engine/loop/turns.h): the caller of heddle_wavefront_run, or the fleet's driver. The fleet's units are idle
 * meanwhile. */
#ifndef HD_FRONT_H
#define HD_FRONT_H

#include "engine/loop/fleet.h"
#include "engine/wave.h"
#include "heddle/wavefront.h"

#define HD_FRONT_LANES 3u
enum { HD_FRONT_IN, HD_FRONT_HOME, HD_FRONT_WAYS }; /* a site copies for one stride at a time in each way */

typedef struct hd_site {
    hd_fleet_unit *unit; /* of the cores: the first */
    heddle_ctx *lanes[HD_FRONT_LANES];
    uint32_t n_lanes;
    char name[64];
    double weight;     /* by data sheet */
    double row_ns;     /* of all columns; 0: not known */
    uint64_t n_runs;   /* that it had strides in */
    uint64_t n_missed; /* for which it has been left out now */
    int is_host;       /* works on the arrays themselves */
    /* of a run: */
    int is_left_out, is_lost;
    uint32_t n_prepared, n_flying;  /* strides that it was given; those of them that have begun and not ended */
    uint64_t copies[HD_FRONT_WAYS]; /* 1 + the stride for which it copies; 0: none */
    uint64_t n_rows, n_strides, busy_ns, since_ns, last_ns, bytes_in, bytes_out; /* since_ns: when it became busy */
    char trouble[200];                                                           /* what has happened to it, or "" */
} hd_site;

typedef enum hd_stride_state {
    HD_STRIDE_IDLE,
    HD_STRIDE_BEGUN, /* waits until it can copy in */
    HD_STRIDE_COMES, /* what it reads is on the way */
    HD_STRIDE_READY, /* waits until its wave may be started */
    HD_STRIDE_RUNS,
    HD_STRIDE_DONE,   /* waits until it can copy home */
    HD_STRIDE_LEAVES, /* what it leaves is on the way home */
    HD_STRIDE_ENDED
} hd_stride_state;

typedef struct hd_stride {
    uint32_t site, lane;
    uint64_t begin, end; /* rows */
    heddle_graph *graph;
    heddle_job *job;
    uint8_t *memory; /* of the accelerator */
    uint64_t n_bytes;
    uint64_t x_at, y_at, north_at, west_at, cells_at, last_row_at, last_col_at, found_at; /* in it */
    heddle_array *outer;                /* what it hands on to the stride below; NULL: there is none */
    int is_read;                        /* by a wave that does not answer: it is not freed */
    uint8_t *found;                     /* of the host */
    uint8_t corner[4u * HD_CELL_WORDS]; /* of begin > 0 and an array in the west: as the wave has it */
    hd_slice slice;                     /* as the split knows it */
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
    uint64_t grain, n_grains;                 /* rows of a grain; the last one has the rest, too */
    uint32_t n_passes;
    hd_site *sites;
    uint32_t n_sites;
    uint32_t *order;  /* of the sites: the quickest is asked first */
    hd_list strides;  /* hd_stride: of this run from the top; behind them those that the last run had */
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
/* Cells of a unit of the field, of which a stride has some: of a row. */
static inline uint64_t hd_front_unit_cells(const heddle_wavefront *w) { return w->desc.cols; }

/* site.c: opens the sites of the fleet. Closes them. */
heddle_status hd_sites_open(heddle_wavefront *w);
void hd_sites_close(heddle_wavefront *w);
/* Is it there, and does it take part? */
static inline int hd_site_is_in(const hd_site *s) { return !s->is_lost && !s->is_left_out; }
/* Before a run: is its unit there? Runs before may have lost it. One that fell silent may answer again. */
void hd_site_ask(hd_site *s);
/* It is lost, with this thread's sentence. */
void hd_site_lose(hd_site *s);
/* A stride of the site begins, or has ended. */
void hd_site_busy(hd_site *s);
void hd_site_idle(hd_site *s, uint64_t now_ns);
/* All sites have whole bands in so many rows. */
uint64_t hd_sites_band_rows(const heddle_wavefront *w);

/* stride.c: has each accelerator memory for the least stride? ENOMEM. */
heddle_status hd_strides_check_room(const heddle_wavefront *w);
/* Makes stride i (rows, site, lane, and the stride above are known). Frees it. */
heddle_status hd_stride_make(heddle_wavefront *w, uint64_t i);
void hd_stride_free(heddle_wavefront *w, hd_stride *s);
/* It was made with a corner that is not the one of this run: a wave has it as a constant. */
int hd_stride_is_stale(const heddle_wavefront *w, const hd_stride *s);
/* Begins it; moves it on, if it can be (*moved). An error ends it. */
void hd_stride_begin(heddle_wavefront *w, hd_stride *s);
heddle_status hd_stride_look(heddle_wavefront *w, uint64_t i, int *moved);
/* Ends it as soon as that can be; its site is lost if it does not answer. */
void hd_stride_stop(heddle_wavefront *w, uint64_t i);

/* cut.c: what a site takes for a row; of one that is not known, by one that is: as data sheets compare them. */
double hd_front_row_ns(const heddle_wavefront *w, uint32_t site);
/* Puts the sites in order. Leaves slow ones out. */
void hd_front_order(heddle_wavefront *w);
void hd_front_leave_out(heddle_wavefront *w);
/* A stride to be: grains, counted from the first that is not done. */
typedef struct hd_cut {
    uint32_t site;
    uint64_t begin, end;
} hd_cut;
/* Cuts n grains into strides (hd_cut), from the top. hd_front_least_copy: bytes of a stride's cells, if there are several rounds; tests
 * have less. */
extern uint64_t hd_front_least_copy;
heddle_status hd_front_cut(const heddle_wavefront *w, uint64_t n, hd_list *to);

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
