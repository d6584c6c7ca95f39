/* SPDX-License-Identifier: MIT */
/* fleet.h - what the files of this folder share.
 *
 * A fleet has units: cores, and accelerators with memory of their own. Each has a thread. A core's runs bodies in the host's memory. An
 * accelerator's is its manager: it puts copies and spans into queues, and polls them. A loop or wavefront that was started is the fleet's
 * present one, or waits in a list (turns.h). The threads run the present loop: each asks the loop's split for slices until there are none
 * for it. A loop that is too short to be shared is run by the thread that starts it.
 *
 * Locks. fleet.mutex guards the list and the threads inside the present run. loop.asking guards the loop's split, and is a leaf. */
#ifndef HD_LOOP_FLEET_H
#define HD_LOOP_FLEET_H

#include "backend/tuning.h"
#include "engine/loop/chart.h"
#include "engine/loop/split.h"
#include "engine/loop/turns.h"
#include "engine/loop/virtual.h"
#include "run/run.h"

#include <pthread.h>

typedef struct hd_orphan {
    void *memory;
    uint64_t n_bytes;
} hd_orphan;

/* A silent unit has slices of an ended loop that others have run meanwhile. It takes part again once it answers. */
enum { HD_UNIT_WELL, HD_UNIT_SILENT, HD_UNIT_LOST };

typedef struct hd_fleet_unit {
    heddle_fleet *fleet;
    uint32_t index, kind; /* units of one kind have one model in the split */
    char name[64];
    char kind_name[96];
    int is_core, is_virtual;
    uint32_t cpu;           /* its thread is pinned there; HD_NONE: nowhere */
    char pci[32];           /* a GPU's place; "": not known */
    heddle_accelerator acc; /* unless it is a core */
    heddle_ctx *ctx;        /* a GPU's; parts of one GPU have contexts of their own */
    uint32_t n_parts;       /* of that GPU, of which this is one */
    uint8_t *buffer;        /* the accelerator's memory for slices under way */
    uint64_t buffer_bytes;
    hd_list orphans; /* hd_orphan: memory of freed loops, to be freed when it answers again; guarded by fleet.mutex */
    uint32_t health; /* atomic: HD_UNIT_... */
    hd_turn_asked asked;
    pthread_t thread;
    int has_thread;
} hd_fleet_unit;

struct hd_jobs;
/* What arrays and loops ask of the jobs of their fleet. NULL where there are none. */
typedef struct hd_jobs_calls {
    void (*close)(struct hd_jobs *jobs);
    heddle_status (*fetch)(struct hd_jobs *jobs, heddle_array *a, uint64_t row, uint64_t n_rows);
    heddle_status (*wrote)(struct hd_jobs *jobs, heddle_array *a, uint64_t row, uint64_t n_rows);
    void (*drop)(struct hd_jobs *jobs, heddle_array *a);
    void (*rest)(struct hd_jobs *j); /* waits until jobs have ended, and nothing of theirs is under way */
} hd_jobs_calls;

struct heddle_fleet {
    heddle_fleet_config config;
    char *profile_file; /* a copy, or NULL */
    uint64_t profile_bytes;
    int is_serial, has_cores;
    hd_list units; /* hd_fleet_unit *: threads know where theirs is */
    uint32_t n_kinds;
    heddle_ctx *pins; /* a GPU's context, which pins host memory; or NULL */
    pthread_mutex_t mutex;
    pthread_cond_t ended;      /* a run has */
    hd_fleet_turn *now, *last; /* the present run; the last one in the list that begins with it */
    pthread_t driver;
    int has_driver;
    hd_turn_asked driver_asked;
    int had_loops;                /* no unit is added any more: threads may walk the list */
    uint32_t n_forks;             /* hd_process_forks at opening */
    struct hd_jobs *jobs;         /* NULL: there was none yet */
    const hd_jobs_calls *on_jobs; /* for this floor, which is below that of jobs */
    int is_closing;
};

struct heddle_array {
    heddle_fleet *fleet;
    uint64_t n_rows, row_bytes, stride;
    uint8_t *host;
    uint64_t own_bytes; /* allocated by the library, or 0 */
    int is_pinned;
    uint32_t n_loops; /* that have it */
    uint32_t segment; /* its number in the jobs' directory; HD_NONE: no job has had it */
    int is_freed;     /* by the user, while loops had it */
    char how[160];
};

/* Rows of bytes of an array: the first one from byte `at` of it on, the others a stride apart. */
typedef struct hd_patch {
    uint64_t at, row_bytes, n_rows, stride;
} hd_patch;

/* What a function says of each grain: its patches are those from starts[grain] to starts[grain + 1] - 1. */
typedef struct hd_map {
    hd_list patches, starts; /* hd_patch, uint64_t */
    uint64_t n_bytes;        /* of all */
} hd_map;

/* An array as a loop has it. One side of it follows the first index: its rows, or (COLUMNS) the bytes of each row. */
typedef struct hd_piece {
    heddle_array *array;
    heddle_access_kind kind;
    uint32_t access; /* the first one that it was made for: its number, for sentences */
    int is_found;    /* that number is a reduction's */
    int reads, writes, has_halo;
    uint64_t first, end;           /* rows or bytes that belong to indices: first .. end - 1 */
    uint64_t n_each;               /* of a grain */
    uint64_t before, after, n_all; /* more on either side; that there are */
    uint64_t first_byte, end_byte; /* ROWS, BOTH: of each row, those that belong to the second index */
    uint64_t n_each_2;             /* BOTH, RECT: bytes of a tile of the second index */
    uint64_t before_2, after_2;    /* that there are on either side of these, and are read */
    heddle_access_fn fn;           /* PARTS */
    void *user;
    hd_map in, out;
    uint64_t n_rows, n_columns; /* RECT: fixed, from `first`, from first_byte on; or 0 */
} hd_piece;

/* A pointer in the record of params, to row 0 of a piece. */
typedef struct hd_field {
    size_t offset, stride; /* stride: of the bytes from row to row; 0: there is no such field */
    uint32_t piece;
} hd_field;

typedef struct hd_found { /* a reduction */
    heddle_reduction desc;
    heddle_array *partials; /* a row for each grain */
} hd_found;

/* What a unit does in a run. */
typedef struct hd_share {
    uint64_t bytes_in, bytes_out, host_ns;
    uint64_t most;       /* grains of a slice, for which its buffer has room */
    uint64_t slot_bytes; /* of a queue */
    void **all;          /* of each piece that is whole: the accelerator's memory for the array */
    int is_ready;        /* the accelerator has what is read at any index */
    char trouble[200];   /* what has happened to it, or "" */
} hd_share;

/* Of a kind that is left out. */
typedef struct hd_absence {
    double idle_ns;     /* the time of the runs that have left it out, since it ran last */
    double after_times; /* it is tried again when that is so many times what a trial may cost */
    int is_tried;       /* by the present run */
} hd_absence;

/* Grains that were not done. */
typedef struct hd_left {
    uint64_t begin, end;
    uint32_t is_spoilt;
} hd_left;

struct heddle_loop {
    heddle_fleet *fleet;
    const heddle_table *table;
    heddle_loop_desc desc;
    uint64_t n_grains;
    hd_list pieces, fields, founds; /* hd_piece, hd_field, hd_found */
    uint8_t *params;                /* a copy, for the host: pointers as cores want them */
    uint32_t params_bytes;
    hd_share *runs;         /* one a unit */
    hd_split_model *models; /* one a kind: what the last runs have taught */
    hd_absence *absences;   /* one a kind */
    int has_resting;        /* units of such kinds; the first one of a kind is there, and looks whether it is needed */
    hd_split_unit *split_units;
    /* of a run: */
    hd_fleet_turn turn;
    pthread_mutex_t asking;
    hd_split *split;
    int is_canceled;
    int is_alone; /* it is short: the calling thread runs all of it, as one core */
    /* guarded by asking: */
    uint32_t fail_code;
    uint64_t fail_index;
    char fail_unit[64];
    hd_list
        spoilt; /* hd_slice: what it writes is half written, of the last one by fail_unit, and is read, too, or may still be written */
    int may_come_late; /* the latter, of the last one */
    hd_list left;      /* hd_left: of the last run, in order */
    uint64_t start_ns, time_ns;
    hd_list how;             /* text */
    hd_chart *chart;         /* what slices did when; NULL: it is not traced */
    hd_split_counts *counts; /* one a unit, of the last run */
};

#define HD_MOST_PIECES 32u

static inline hd_fleet_unit *hd_unit_at(const heddle_fleet *f, uint64_t i)
{
    return ((hd_fleet_unit **)f->units.at)[i];
}
static inline hd_piece *hd_piece_at(const heddle_loop *l, uint64_t i) { return (hd_piece *)l->pieces.at + i; }
static inline uint64_t hd_grain_begin(const heddle_loop *l, uint64_t grain)
{
    return grain >= l->n_grains ? l->desc.n : grain * l->desc.tile;
}
static inline uint32_t hd_unit_health(const hd_fleet_unit *u) { return __atomic_load_n(&u->health, __ATOMIC_ACQUIRE); }
static inline int hd_unit_is_lost(const hd_fleet_unit *u) { return hd_unit_health(u) != HD_UNIT_WELL; }
/* Slices of a loop that an accelerator has at once: one comes, one runs, one leaves. Each has a queue. */
#define HD_MOST_FLYING 3u
static inline uint32_t hd_unit_flying(const hd_fleet_unit *u)
{
    return u->acc.n_queues < HD_MOST_FLYING ? u->acc.n_queues : HD_MOST_FLYING;
}

/* layout.c: what a slice touches, and where that is. */
/* Grains of the first and of the second index; an end beyond the last one: all. */
typedef struct hd_area_grains {
    uint64_t begin, end, begin_2, end_2;
} hd_area_grains;
/* Bytes byte .. end_byte - 1 of rows row .. end_row - 1. */
typedef struct hd_area {
    uint64_t row, end_row, byte, end_byte;
} hd_area;
/* What they touch of the piece's array; of PARTS all of it counts. */
hd_area hd_piece_area(const hd_piece *p, const hd_area_grains *g);
/* Does an accelerator have memory for all of the array? Else a slot has the rows of a slice. */
static inline int hd_piece_is_whole(const hd_piece *p)
{
    return p->kind != HEDDLE_ACCESS_ROWS && p->kind != HEDDLE_ACCESS_BOTH;
}
/* A walk over the patches that a slice reads, or writes. None of an array that is read at any index. */
typedef struct hd_patches {
    hd_patch now; /* the next one; 0 rows: there is none */
    const hd_patch *rest, *end;
} hd_patches;
hd_patches hd_patches_of(const hd_piece *p, const hd_slice *s, int is_in);
int hd_patches_next(hd_patches *w, hd_patch *out);
/* Bytes that travel for a grain, in the mean. */
uint64_t hd_layout_travels(const heddle_loop *l);
/* The byte of the array that a slice's place in a slot begins with. */
uint64_t hd_layout_first(const hd_piece *p, const hd_slice *s);
/* Grains of a slice for which `bytes` are enough; *least: the bytes of one grain. */
uint64_t hd_layout_most(const heddle_loop *l, uint64_t bytes, uint64_t *least);
/* The place of piece i in a slot for at most that many grains; i = the number of pieces: the size of a slot. */
uint64_t hd_layout_offset(const heddle_loop *l, uint64_t most, uint64_t i);
/* Sets the pointers of a record of params: row 0 of piece i would be at base[i]. strides: from row to row; NULL: those of the arrays. */
void hd_layout_point(const heddle_loop *l, uint8_t *params, void *const *base, const uint64_t *strides);

/* accesses.c: makes pieces, fields and founds of the description. */
heddle_status hd_accesses_read(heddle_loop *l);
/* What sentences call it: "access 2", "reduction 0". */
#define HD_PIECE_NAME 24u
const char *hd_piece_name(const hd_piece *p, char name[HD_PIECE_NAME]);
void hd_accesses_clear(heddle_loop *l);
/* map.c: asks the piece's function about each grain. Clear it also after a failure. */
heddle_status hd_map_make(const heddle_loop *l, hd_piece *p);
void hd_map_clear(hd_piece *p);
#define HD_SAY_NEW(status, ...) hd_say(NULL, status, "heddle_loop_new: " __VA_ARGS__)

/* Has the last run left out the unit's kind? */
static inline int hd_loop_left_out(const heddle_loop *l, uint32_t unit)
{
    return l->absences[hd_unit_at(l->fleet, unit)->kind].idle_ns > 0;
}

/* asking.c: the loop's split, under its lock. */
hd_take hd_ask(heddle_loop *l, uint32_t unit, hd_slice *out);
/* For a thread that was told HD_TAKE_LATER for the n-th time in a row: a pause. 1: none; a nap would be better. */
int hd_ask_pause(heddle_loop *l, uint32_t n);
/* The same with a nap, for a thread that cannot leave the run meanwhile: something of it is under way. */
void hd_ask_rest(heddle_loop *l, uint32_t n);
int hd_tell_ended(heddle_loop *l, uint32_t unit, const hd_slice *s, uint64_t began_ns);
/* A core has stopped at a grain, or run all. */
void hd_tell_stopped(heddle_loop *l, uint32_t unit, const hd_slice *s, uint64_t at, uint64_t began_ns);
hd_due hd_ask_due(heddle_loop *l, uint32_t unit, const hd_slice *s);
int hd_tell_keep(heddle_loop *l, uint32_t unit, const hd_slice *s);
/* A body has failed: the loop ends. */
void hd_tell_failed(heddle_loop *l, hd_fleet_unit *u, uint32_t code, uint64_t index);
/* The unit is lost, for the rest of the fleet's life; this thread's sentence says why. */
void hd_tell_lost(heddle_loop *l, hd_fleet_unit *u);
/* The loop is over, and the unit does not answer; this thread's sentence says so. It answers again. */
void hd_tell_silent(heddle_loop *l, hd_fleet_unit *u);
void hd_tell_back(heddle_loop *l, hd_fleet_unit *u);
/* The slice is given to others although its results went home, or half of them. If the loop also reads them, the slice cannot be run
 * again, and the loop ends. is_silent: the unit may still write the rest, over what others have written since; the slice is not done then. */
void hd_tell_half_home(heddle_loop *l, hd_fleet_unit *u, const hd_slice *s, int is_silent);
int hd_is_over(heddle_loop *l);
/* Does it read rows that it writes? Then an index cannot be run again once its results are home. */
int hd_loop_reads_results(const heddle_loop *l);

/* core.c: all that the unit has to do in this loop; 1: for now, nothing is under way. */
int hd_core_run(heddle_loop *l, hd_fleet_unit *u);
/* manager.c: the same for an accelerator. */
int hd_manager_run(heddle_loop *l, hd_fleet_unit *u);
/* Puts a copy into a queue of the accelerator, in pieces that it takes. */
heddle_status hd_copy_put(hd_fleet_unit *u, uint32_t queue, heddle_copy c);
/* ending.c: combines what was found by tiles, which is at home. */
void hd_founds_combine(const heddle_loop *l);
/* Is nothing under way on the accelerator? HEDDLE_EBUSY; an error: it is lost. */
heddle_status hd_manager_ask(hd_fleet_unit *u);

/* Did the process that opened the fleet fork this one? It has none of the fleet's threads, and locks may never be free. */
static inline int hd_fleet_is_forked(const heddle_fleet *f) { return f->n_forks != hd_process_forks; }
/* turns.c: EDEVICE then. */
heddle_status hd_fleet_check_process(const heddle_fleet *f, const char *call);
/* fleet.c: of waits with a limit, which go by the clock that nobody sets. */
void hd_fleet_init_cond(pthread_cond_t *c);
/* What loops, wavefronts and jobs are made of. EINVAL: one of these is NULL; EDEVICE: in a forked process. */
heddle_status hd_fleet_check_new(const char *call, const heddle_fleet *f, const heddle_table *table, const void *desc,
                                 const void *out);

/* orphans.c: frees memory of the accelerator: at once; when it answers again, if it is silent; never, if it is lost, since that would
 * wait. */
void hd_orphan_add(hd_fleet_unit *u, void *memory, uint64_t n_bytes);
void hd_orphans_free(hd_fleet_unit *u);
/* A silent unit answers again. */
void hd_unit_is_back(hd_fleet_unit *u);

/* unit.c: adds a unit to the fleet, which takes over the accelerator (NULL: it is a core); starts its thread; waits until that has ended, of a
 * fleet that is being closed; waits, and frees it. */
heddle_status hd_unit_add(heddle_fleet *f, const char *name, const char *kind, const heddle_accelerator *acc,
                          hd_fleet_unit **out);
heddle_status hd_unit_start(hd_fleet_unit *u);
void hd_unit_join(hd_fleet_unit *u);
void hd_unit_free(hd_fleet_unit *u);
/* Takes it out of the fleet again. It is the last one. */
void hd_unit_drop(hd_fleet_unit *u);
/* The first unit of its kind that is not lost; itself, if all of them are. */
uint32_t hd_unit_first(const heddle_fleet *f, uint32_t unit);
/* One turn of a unit, on the calling thread. 1: it has nothing to do for now, and should nap outside the run. */
int hd_unit_turn(heddle_loop *l, hd_fleet_unit *u);
/* told.c: adds to the lines that tell how a run was divided; up to 319 bytes. */
void hd_how_add(hd_list *how, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* May it be told into *out, a struct that begins with its size? EINVAL: t is NULL; EBUSY: it is running. `what` is "loop" or "wavefront". */
heddle_status hd_how_check(const hd_fleet_turn *t, const char *what, const void *out, const char *call);
/* The lines; "" while it runs. */
const char *hd_how_text(const hd_fleet_turn *t, const hd_list *how);
/* left.c: gets memory; finds what a run that ends has not done, in the split and in spoilt slices; so many indices. */
heddle_status hd_left_reserve(heddle_loop *l);
void hd_left_note(heddle_loop *l);
uint64_t hd_left_n_indices(const heddle_loop *l);
static inline const hd_left *hd_left_at(const heddle_loop *l, uint64_t i) { return (const hd_left *)l->left.at + i; }
/* ending.c: the end of a run, by the last thread that leaves it. */
void hd_loop_end(heddle_loop *l);

/* profile.c: what the fleet's file says of a device under these settings. 0: nothing, or there is no file. Has it say that. */
int hd_profile_read(const heddle_fleet *f, const char *device, const char *settings, char text[HD_TUNING_WORD]);
void hd_profile_write(const heddle_fleet *f, const char *device, const char *settings, const char *text,
                      uint64_t run_ns);
/* Speeds of the loop that earlier processes have measured; keeps those of this one. */
void hd_profile_find(heddle_loop *l);
void hd_profile_keep(const heddle_loop *l);

/* loop.c: heddle_loop_new. is_run 0: only the description, which jobs have; such a loop cannot be run. */
heddle_status hd_loop_make(heddle_fleet *f, const heddle_table *table, const heddle_loop_desc *d, int is_run,
                           heddle_loop **out);

/* array.c */
/* A loop or wavefront is about to touch the array: it is brought home, and if that writes it, no device has it any more. NULL: nothing. */
heddle_status hd_array_leave_jobs(heddle_array *a, int writes);
/* For what begins to use the fleet's accelerators: waits until its jobs have ended. */
static inline void hd_fleet_rest_jobs(const heddle_fleet *f)
{
    if (f->jobs)
        f->on_jobs->rest(f->jobs);
}
heddle_status hd_array_make(heddle_fleet *f, const heddle_array_desc *d, heddle_array **out, const char *call);
void hd_array_drop(heddle_array *a);

#endif
