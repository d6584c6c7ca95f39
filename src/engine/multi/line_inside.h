/* SPDX-License-Identifier: MIT */
/* line_inside.h - what the files of the line share (line.h): jobs, slices, and the order among slices that have not been given. */
#ifndef HD_MULTI_LINE_INSIDE_H
#define HD_MULTI_LINE_INSIDE_H

#include "engine/multi/line.h"
#include "graph/range.h"

#define HD_WINDOW 64u         /* slices that are looked at, or wait, beyond the first one */
#define HD_WINDOW_SHORT 2048u /* where room is short: a block's slices of many jobs are taken one after the other */

typedef enum hd_slice_state {
    HD_SLICE_WAITS,
    HD_SLICE_GIVEN,
    HD_SLICE_ENDED,
    HD_SLICE_DONE
} hd_slice_state; /* ENDED: the body has */

#define HD_SLICE_WAITS_KEPT 6u
typedef struct hd_line_slice { /* a slice of a job */
    hd_line_job *job;
    hd_grains block;
    uint32_t task, device; /* its number in the job; device: HD_NONE before it is known */
    uint32_t node;         /* in the order */
    uint32_t n_passed;     /* others that were given before it although it was free */
    hd_slice_state state;
    hd_seg_point waits[HD_SLICE_WAITS_KEPT]; /* of the body, that were not seen to pass */
    hd_seg_point body;
    uint64_t number; /* of the body, in the directory */
    hd_list home;    /* hd_seg_point: of what it wrote and goes home, once that was planned */
    int goes_home;
    uint32_t next_home; /* use that is looked at next for that */
    uint64_t begin_ns;  /* when its body could begin, as far as was seen */
    struct hd_line_slice *next_given;
} hd_line_slice;

struct hd_line_job {
    hd_line_kind *kind;
    void *user;
    hd_line_slice *parts;
    uint32_t n_parts, n_waiting, n_left; /* not given; not done */
    uint64_t n_room;                     /* of parts */
    struct hd_line_share *shares;        /* of each device */
    uint64_t n_changes;                  /* of bounds, when it was opened */
    heddle_status status;
    hd_line_job *next;
};

/* What a device did in a job. */
typedef struct hd_line_share {
    uint64_t n_grains, n_parts, n_ended, busy_ns; /* ended: of the parts */
    uint64_t n_apart;                             /* of these: bodies that did not begin where the one before ended */
} hd_line_share;

/* What all kinds of jobs of a family have. */
typedef struct hd_line_family {
    uint64_t *bounds;      /* shares: device d has grains bounds[d] .. bounds[d + 1] - 1 of the first index */
    uint32_t *owners;      /* FIXED: of each task; HD_NONE: not known */
    hd_line_share *latest; /* of each device, in the job that ended last */
    hd_line_share *sums;   /* of each device, in the n_summed jobs since shares were last judged */
    uint64_t n_summed;
    uint32_t n_late;   /* times in a row that they were found uneven */
    uint64_t n_uneven; /* jobs that were, since bounds were changed */
    uint32_t n_moves;  /* how often they were */
} hd_line_family;

struct hd_line_kind {
    hd_line *line;
    hd_line_kind_config config;
    hd_line_family *family;
    hd_line_share *shares; /* of each device, in the job that ended last */
    uint64_t n_ended;
    int is_steady;        /* shares stay as they are, and so does how they are cut */
    uint64_t long_shares; /* a bit of each device: its share is long enough to be cut for its neighbours' sake */
    hd_kind_counts counts;
    hd_line_kind *next; /* of the line */
};

static inline uint64_t hd_n_owners(const hd_line_kind *k) { return (uint64_t)k->config.n_tasks * k->config.n_tasks_2; }

/* The order among slices that have not been given: by ranges, as among tasks of graphs. A node is a slice, or a join of many. */
typedef struct hd_line_order {
    hd_ranges *ranges;
    hd_list nodes, edges, before; /* node, edge, uint32_t */
    uint32_t n_waiting;           /* nodes that wait */
} hd_line_order;
/* order.c. -1 without memory; the order must be reset then. */
int hd_line_order_add(hd_line_order *o, const hd_segments *s, hd_line_slice *p, const hd_seg_use *uses, uint32_t n);
int hd_line_order_is_free(const hd_line_order *o, const hd_line_slice *p);
void hd_line_order_give(hd_line_order *o, const hd_line_slice *p); /* those that waited only for it are free */
/* It is not given. Those that waited for it wait for those before it. */
void hd_line_order_drop(hd_line_order *o, const hd_line_slice *p);
void hd_line_order_reset(hd_line_order *o); /* forgets all */
void hd_line_order_clear(hd_line_order *o);

typedef struct hd_line_device {
    hd_list queue; /* hd_line_slice *: that wait, in the order of their jobs; NULL: was given */
    uint64_t head; /* the first of them that may not be NULL */
    hd_line_slice *given, *last_given;
    uint32_t n_given;
    uint64_t last_ns;       /* when its last body ended */
    uint64_t came;          /* bytes that had to come for the slice that it was given last, if room was short */
    int is_lost, is_untidy; /* untidy: it was given a slice since hd_segments_tidy */
} hd_line_device;

struct hd_line {
    void (*ended)(void *user, hd_line_job *job, void *job_user, heddle_status status);
    void (*dropped)(void *user, void *job_user);
    void *user;
    uint32_t n_body_queues; /* of each device */
    double error_ns;        /* of times */
    double *weights;
    uint64_t *pool_bytes;
    uint32_t n_devices;
    hd_segments *segments;
    hd_line_device *devices; /* and behind them one with a queue of slices that any of them may take */
    hd_line_order order;
    hd_line_job *first, *last; /* those that have not ended */
    hd_line_job *unopened;     /* the first of these */
    uint32_t n_waiting;        /* slices of opened jobs that have not been given */
    uint64_t n_under_way;
    uint64_t now_ns;    /* of the last hd_line_give */
    uint64_t n_changes; /* of bounds, of all kinds */
    hd_line_kind *kinds;
    hd_line_loss loss;
};

static inline int hd_is_here(const hd_line *l, uint32_t d) { return !l->devices[d].is_lost; }
static inline hd_line_device *hd_line_device_at(const hd_line *l, uint32_t d) { return &l->devices[d]; }
/* Slices that any device may take. */
static inline hd_line_device *hd_line_commons(const hd_line *l) { return &l->devices[l->n_devices]; }

/* line.c: uses of a block, with hulls as large as the rects; frees a job; puts those of its slices that wait into queues, and into the order if
 * is_in_order; opens the jobs that may be. */
void hd_kind_uses(const hd_line_kind *k, const hd_grains *b, hd_seg_use *out, uint8_t *comes_home);
void hd_line_free_job(const hd_line *l, hd_line_job *j);
heddle_status hd_line_add_parts(hd_line *l, hd_line_job *j, int is_in_order);
heddle_status hd_line_open_jobs(hd_line *l);
/* line_give.c: little of the device's pool is left; of the pool of any device; bytes that would come to the device for the slice, also of
 * what is only written. */
int hd_line_is_crowded(const hd_line *l, uint32_t d);
int hd_line_is_short(const hd_line *l);
uint64_t hd_line_missing(const hd_line *l, uint32_t d, const hd_line_slice *p);
/* line_next.c: for the directory (hd_next_use_fn). */
uint64_t hd_line_next_use(void *line, uint32_t device, uint32_t array, const hd_seg_rect *rect);
/* line_ends.c: finishes slices of which body and results have ended. */
void hd_line_finish_some(hd_line *l);

/* cut.c: for a kind of which nobody says how many tasks its jobs have: 0, if shares are cut as is good at the time, or so many that each fits. */
void hd_cut_choose(hd_line_kind *k);
/* Makes the job's slices and says which device has which. ENOMEM. */
heddle_status hd_cut_job(hd_line *l, hd_line_job *j);
/* Slices that wait, and that any device may take, become so small that they fit into each pool that is left. ENOMEM: nothing has changed. */
heddle_status hd_cut_again(const hd_line *l, hd_line_job *j);
/* The block of all that the device has of a job of this kind. */
hd_grains hd_cut_share(const hd_line_kind *k, uint32_t device);
/* Does the device's pool hold all that the block touches, with some to spare? */
int hd_cut_fits(const hd_line_kind *k, uint32_t device, const hd_grains *block);

/* settle.c: first shares, by weights. A job has ended: changes shares of its kind if that pays. */
void hd_settle_begin(hd_line_kind *k);
void hd_settle_ended(hd_line *l, const hd_line_job *j);

#endif
