/* SPDX-License-Identifier: MIT */
/* directory.h - the books of the directory (segment.h), which its files share: arrays, bands, cells, copies, windows.
 *
 * An array is a row of bands (intervals of bytes), a band a column of cells (intervals of rows). A cell has a copy at home, which is the
 * first one, and in each window that it lies in. No cell lies partly in a window: arrays are cut at the edges of windows, too. A copy in a
 * window begins with the marks of the window's extent: what is written there first waits for those that had the memory before. */
#ifndef HD_MULTI_DIRECTORY_H
#define HD_MULTI_DIRECTORY_H

#include "engine/multi/slab.h"
#include "engine/multi/segment.h"

#define HD_SOON 16u /* what is used by one of the next so many slices stays, and need not go home, before it has to */

typedef struct hd_seg_window {
    hd_slab_extent *extent; /* its marks: of what had the memory before */
    hd_seg_rect rect;
    uint64_t at, stride; /* of the rect's first byte, in the pool */
    uint64_t used;       /* the last call that needs it           */
    hd_seg_point body;   /* the last one that was given it */
    uint32_t device, array;
    int may_be_dirty; /* it got bytes that were not valid at home; a hint for what leaves first */
    /* When it leaves, as known since it was looked at last, and its places in the two lists of its device. */
    uint64_t next_use, rank_used;
    int rank_dirty, is_touched;
    uint64_t of_heap, of_touched;
} hd_seg_window;

typedef struct hd_seg_copy {
    hd_seg_window *window; /* NULL: home */
    hd_seg_point ready;    /* what wrote it last */
    uint64_t sources;      /* until that is done: devices that its bytes depend on, a bit each */
    uint32_t is_valid;
    uint32_t depth; /* until that is done: moves one after the other that it comes by, with those of other readers */
    uint64_t
        stale_by; /* not valid, but its bytes are still there: what was the first to write others, by number in the log; else 0 */
    uint64_t marks[]; /* its readers since then; of home: all that touched it. In a new copy: the extent's */
} hd_seg_copy;

typedef struct hd_seg_cell {
    uint64_t row, end_row;
    hd_list copies; /* of hd_segments.copy_bytes each */
    int was_lost;   /* scratch of hd_segments_lost */
} hd_seg_cell;

typedef struct hd_seg_band {
    uint64_t byte, end_byte;
    hd_list cells;  /* hd_seg_cell */
    uint64_t found; /* the cell that was found last */
} hd_seg_band;

typedef struct hd_seg_array {
    uint64_t n_rows, row_bytes, stride;
    hd_list bands; /* hd_seg_band; none: no array has this number */
} hd_seg_array;

typedef struct hd_seg_device {
    hd_slab slab;
    hd_list windows; /* hd_seg_window *, as a heap: the first one leaves first               */
    hd_list touched; /* those that have been used since they were put in their places */
    uint64_t n_left, n_left_tidied;
    int is_lost;
} hd_seg_device;

/* What was given since the first body that may have to be given again. The host's writes are ended at once. AGAIN: nothing of it has
 * happened, and the caller gives it again, under a new number. */
typedef enum hd_seg_state { HD_SEG_OPEN, HD_SEG_ENDED, HD_SEG_AGAIN } hd_seg_state;
typedef struct hd_seg_entry {
    uint64_t first_touch;
    uint32_t n_touches;
    hd_seg_state state;
    hd_seg_point point;
} hd_seg_entry;
typedef struct hd_seg_touch { /* zero: of an array that is not there any more */
    uint32_t array;
    heddle_mode mode;
    hd_seg_rect rect;
} hd_seg_touch;

struct hd_segments {
    hd_clocks clocks;
    hd_seg_device *devices;
    uint32_t n_devices;
    uint8_t *reach; /* [reader][owner] */
    hd_next_use_fn next_use;
    void *user;
    hd_list arrays;           /* hd_seg_array */
    hd_list runs;             /* scratch of hd_seg_move */
    hd_list order;            /* hd_seg_window *: scratch of hd_leaving_order */
    hd_list entries, touches; /* the log, from first_entry on, which has the number first_number */
    uint64_t first_entry, first_number;
    uint64_t *moved; /* [from][to], home being the last */
    uint64_t copy_bytes, time, n_cells, n_cells_joined;
    int has_lost;
};

static inline hd_seg_array *hd_seg_array_of(const hd_segments *s, uint32_t array)
{
    return (hd_seg_array *)s->arrays.at + array;
}
static inline int hd_is_array(const hd_segments *s, uint32_t array)
{
    return array < s->arrays.n && hd_seg_array_of(s, array)->bands.n > 0;
}
static inline hd_seg_band *hd_seg_band_at(const hd_seg_array *a, uint64_t i) { return (hd_seg_band *)a->bands.at + i; }
static inline hd_seg_cell *hd_seg_cell_at(const hd_seg_band *b, uint64_t i) { return (hd_seg_cell *)b->cells.at + i; }
static inline hd_seg_copy *hd_seg_copy_at(const hd_segments *s, const hd_seg_cell *c, uint64_t i)
{
    return (hd_seg_copy *)((char *)c->copies.at + i * s->copy_bytes);
}
/* The copy in the window (NULL: home), or NULL. */
static inline hd_seg_copy *hd_seg_copy_in(const hd_segments *s, const hd_seg_cell *c, const hd_seg_window *w)
{
    for (uint64_t i = 0; i < c->copies.n; i++)
        if (hd_seg_copy_at(s, c, i)->window == w)
            return hd_seg_copy_at(s, c, i);
    return NULL;
}

static inline uint32_t hd_memory_of(const hd_seg_copy *copy) { return copy->window ? copy->window->device : HD_HOME; }

static inline int hd_seg_rect_contains(const hd_seg_rect *r, const hd_seg_rect *part)
{
    return r->row <= part->row && part->end_row <= r->end_row && r->byte <= part->byte && part->end_byte <= r->end_byte;
}
/* What both have, if they meet. */
static inline hd_seg_rect hd_seg_rect_common(const hd_seg_rect *a, const hd_seg_rect *b)
{
    return (hd_seg_rect){a->row > b->row ? a->row : b->row, a->end_row < b->end_row ? a->end_row : b->end_row,
                         a->byte > b->byte ? a->byte : b->byte, a->end_byte < b->end_byte ? a->end_byte : b->end_byte};
}

/* ---- cells.c --------------------------------------------------------------------------------------------------------- */

/* One cell, which home has. -1 without memory, and nothing is left of it. */
int hd_seg_cells_open(hd_segments *s, hd_seg_array *a);
void hd_seg_cells_close(hd_segments *s, hd_seg_array *a);
/* Cuts cells at the edges of the rect. ENOMEM: some are cut. */
heddle_status hd_seg_cells_cut(hd_segments *s, hd_seg_array *a, const hd_seg_rect *rect);
/* Joins neighbours that are in the same state, in all arrays. */
void hd_seg_cells_join(hd_segments *s);
/* Adds a copy that is not valid. */
heddle_status hd_seg_cell_enter(hd_segments *s, hd_seg_cell *c, hd_seg_window *w);
void hd_seg_cell_leave(hd_segments *s, hd_seg_cell *c, hd_seg_copy *gone);

/* All cells that meet a rect, band by band. */
typedef struct hd_seg_walk {
    hd_seg_band *band, *end_band;
    hd_seg_cell *cell, *end_cell;
    hd_seg_rect rect;
} hd_seg_walk;
hd_seg_walk hd_seg_walk_begin(const hd_seg_array *a, const hd_seg_rect *rect);
void hd_seg_walk_band(hd_seg_walk *w); /* on to the first cell of the band */
static inline hd_seg_cell *hd_seg_walk_next(hd_seg_walk *w)
{
    while (w->cell == w->end_cell || w->cell->row >= w->rect.end_row) {
        if (++w->band >= w->end_band || w->band->byte >= w->rect.end_byte)
            return NULL;
        hd_seg_walk_band(w);
    }
    return w->cell++;
}
/* The rect of the cell that came last. */
static inline hd_seg_rect hd_seg_walk_rect(const hd_seg_walk *w)
{
    return (hd_seg_rect){w->cell[-1].row, w->cell[-1].end_row, w->band->byte, w->band->end_byte};
}

/* ---- move.c ---------------------------------------------------------------------------------------------------------- */

/* Has the cell no valid copy? */
int hd_seg_cell_is_lost(const hd_segments *s, const hd_seg_cell *c);
/* The next op waits until the copy is ready, and, if it writes it, until nobody reads it. */
void hd_seg_copy_need(hd_segments *s, const hd_seg_copy *copy, int writes);
/* What a reader's bytes depend on then. */
uint64_t hd_seg_copy_sources(const hd_segments *s, const hd_seg_copy *copy);
/* The op fills the copy: from now on it is valid. */
void hd_seg_copy_fill(hd_segments *s, hd_seg_copy *copy, hd_seg_point p, uint64_t sources);
/* The op, or the host, will write the bytes: no copy has them now. by: its number in the log. */
void hd_seg_cell_stale(const hd_segments *s, const hd_seg_cell *c, uint64_t by);
/* Room for one op with its waits. -1 without memory. */
int hd_seg_plan_room(hd_segments *s, hd_seg_plan *plan);
/* Gives the queue an op that waits for what is needed; there is room for it. */
hd_seg_op *hd_seg_plan_give(hd_segments *s, hd_seg_plan *plan, uint32_t queue);

/* Moves cells of the rect, of which each is whole or not concerned: for each the copy that `pick` chooses, NULL for those that stay. Into
 * the window, where there are copies to be filled; NULL: home. */
typedef hd_seg_copy *(*hd_seg_pick)(const hd_segments *s, const hd_seg_cell *c, const hd_seg_window *w);
heddle_status hd_seg_move(hd_segments *s, uint32_t array, const hd_seg_rect *rect, hd_seg_pick pick,
                          const hd_seg_window *picked_by, hd_seg_window *to, hd_seg_plan *plan);
/* The window gets all of the rect that it lacks. */
heddle_status hd_seg_move_in(hd_segments *s, hd_seg_window *w, const hd_seg_rect *rect, hd_seg_plan *plan);
/* Home gets what is valid nowhere but in the window; what it lacks of the rect. */
heddle_status hd_seg_move_dirty(hd_segments *s, hd_seg_window *w, hd_seg_plan *plan);
heddle_status hd_seg_move_home(hd_segments *s, uint32_t array, const hd_seg_rect *rect, hd_seg_plan *plan);

/* ---- log.c ----------------------------------------------------------------------------------------------------------- */

/* Room for one entry. -1 without memory. */
int hd_seg_log_room(hd_segments *s, uint32_t n_touches);
/* There is room. Returns the number. */
uint64_t hd_seg_log_add(hd_segments *s, const hd_seg_use *uses, uint32_t n, hd_seg_point p, hd_seg_state state);
/* first_number or later. */
hd_seg_entry *hd_seg_log_at(const hd_segments *s, uint64_t number);
static inline uint64_t hd_seg_log_end(const hd_segments *s)
{
    return s->first_number + (s->entries.n - s->first_entry);
}
/* The array's number may become another one's. */
void hd_seg_log_drop(hd_segments *s, uint32_t array);

/* ---- leaving.c ------------------------------------------------------------------------------------------------------- */

/* Puts a window among those of its device, or takes it out. -1 without memory. */
int hd_leaving_add(hd_segments *s, hd_seg_window *w);
void hd_leaving_remove(hd_segments *s, hd_seg_window *w);
/* The window is used, or has become clean: its place will be looked at. */
void hd_leaving_touch(hd_segments *s, hd_seg_window *w);
/* The first to leave of those that this call does not need, or NULL. */
hd_seg_window *hd_leaving_first(hd_segments *s, uint32_t device);
/* All of the device in s->order. -1 without memory. */
int hd_leaving_order(hd_segments *s, uint32_t device);

/* ---- window.c -------------------------------------------------------------------------------------------------------- */

/* The windows of the uses. Others leave if they must. ERANGE: the pool is too small, and nothing has changed. */
heddle_status hd_seg_windows_for(hd_segments *s, uint32_t device, const hd_seg_use *uses, uint32_t n,
                                 hd_seg_window **out, hd_seg_plan *plan);
/* Its memory is free; what is valid only there is lost. */
void hd_seg_window_leave(hd_segments *s, hd_seg_window *w);
/* All windows of the device, with its pool; cells have no copies there any more. */
void hd_seg_windows_forget(hd_seg_device *d);

#endif
