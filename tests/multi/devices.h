/* SPDX-License-Identifier: MIT */
/* devices.h - devices played for the directory of pieces (src/engine/multi/segment.h): pools and homes of arrays as small buffers,
 * queues that do their ops late and in any order that their waits allow, and an oracle of the newest bytes.
 *
 * A byte is played by a word, its version: each write of a byte gives it one that no other byte has had. When an op is given, the newest
 * versions of what it reads are noted; when it is done, it must find them. So it is seen as soon as an order of the queues shows it when
 * a wait is missing, memory is used again too early, or a copy is stale.
 *
 * When a device is lost, what is valid must be the newest, or what that was before bodies that are to be given again. These are given on
 * other devices: each must find what it found the first time. Or they are not, and the bytes from before are there. */
#ifndef DEVICES_H
#define DEVICES_H

#include "check.h"
#include "engine/multi/segment.h"

#define MOST_DEVICES 5u
#define MOST_QUEUES (HD_N_ROLES * MOST_DEVICES)
#define MOST_ARRAYS 3u
#define LOST 0xffffffffu    /* the newest version is lost  */
#define GARBAGE 0xfffffffeu /* in memory: nobody's version */

typedef struct played_op {
    hd_seg_op op;
    hd_seg_point waits[MOST_QUEUES];
    uint32_t n_uses, version, is_suspect; /* suspect: given before a device was lost */
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    hd_seg_place places[HD_SEGMENTS_MOST_USES];
    uint32_t *expected; /* of a move's rect, or of all rects that the body reads */
    uint64_t n_expected;
} played_op;

/* What was given, for the case that it must be given again. */
typedef struct played_body {
    uint64_t number;
    hd_seg_point point;
    uint32_t n_uses, version, is_open;
    hd_seg_use uses[HD_SEGMENTS_MOST_USES];
    uint32_t *found, *before; /* newest versions: of all that it reads; of all that it writes, before it did */
    uint64_t n_found;
} played_body;

typedef struct played_queue {
    played_op *ops;
    uint64_t n, cap, n_passed; /* op i is point i + 1 */
    uint32_t lazy;             /* of 4 */
} played_queue;

typedef struct played_array {
    uint32_t id, is_there;
    uint64_t n_rows, row_bytes, stride;
    uint32_t *home, *newest, *foreseen; /* foreseen: home when all that was given is done */
} played_array;

typedef struct play {
    hd_segments *s;
    hd_seg_plan plan;
    uint32_t n_devices, n_arrays, version;
    uint64_t pool_bytes[MOST_DEVICES], random, n_done;
    uint8_t reach[MOST_DEVICES * MOST_DEVICES];
    uint32_t *pools[MOST_DEVICES], *foreseen[MOST_DEVICES];
    int is_lost[MOST_DEVICES];
    played_queue queues[MOST_QUEUES];
    played_array arrays[MOST_ARRAYS];
    played_body *bodies;
    uint64_t n_bodies, n_again, n_undone; /* given again; bytes that are as before */
    uint32_t n_lost;
    int has_dropped;
} play;

static inline uint64_t below(play *p, uint64_t n) { return check_below(&p->random, n); }

/* n_devices, pool_bytes, reach and random are set. */
void play_open(play *p, hd_next_use_fn next_use, void *user);
void play_close(play *p);
void play_add(play *p, uint32_t array, uint64_t n_rows, uint64_t row_bytes, uint64_t stride);
void play_drop(play *p, uint32_t array);

/* These call the directory, and put what comes into the queues. They check what can be foreseen of the status. */
heddle_status play_give(play *p, uint32_t device, const hd_seg_use *uses, uint32_t n);
heddle_status play_fetch(play *p, uint32_t array, const hd_seg_rect *rect);
heddle_status play_wrote(play *p, uint32_t array, const hd_seg_rect *rect);
heddle_status play_tidy(play *p, uint32_t device);
void play_lose(play *p, uint32_t device); /* and gives again what must be, or not */
int play_has_lost(const play *p, uint32_t array, const hd_seg_rect *rect);

/* Queues go on: n ops, one after another in any order; or just what a point needs; or all. */
void play_run(play *p, uint64_t n);
void play_rush(play *p, hd_seg_point until);
void play_run_all(play *p);
/* The directory is told how far the queue is; some bodies that are done have ended then. */
void play_tell(play *p, uint32_t queue);

/* What must hold of the books at any time: windows lie apart in the pool and fill it, cells fill their array, copies lie in windows. */
void play_check_books(const play *p);

#endif
