/* SPDX-License-Identifier: MIT */
/* segment.h - the directory of pieces of arrays: which memory has the newest bytes of what, and what is to be moved so that a body can
 * run on a device. A state machine without clock, threads or devices; it only keeps books. Calls are made by one thread at a time.
 *
 * It answers with plans. A plan is a list of ops, moves and at most one body, each with its queue and the points that it waits for
 * (points.h). The caller puts the ops into their queues, in the order of the plan, and makes each wait for its points on the device.
 * Nothing waits on the host: the directory describes what will be when all that was given is done. Every wait is for an op that was
 * given earlier, so that queues cannot wait for one another in a circle.
 *
 * - Home: the host's memory, where all of an array has a place.
 * - Cell: a part of an array that is in the same state everywhere. Arrays are cut at the edges of what bodies touch, so that overlapping
 *   reads (halos) are exact. hd_segments_tidy joins cells that have become equal.
 * - Window: an extent of a device's pool that holds a rectangle of an array. Windows of one array may overlap; a write makes the copies of
 *   what it touches stale everywhere else: at home, on other devices, and in other windows of the same device.
 * - Source of a move: another window of the device, else the device in reach from which the bytes would be there first, counted in moves
 *   that come before, else home. If only a device out of reach has them, they go home first. So all devices in reach of one another get each byte
 *   over one link of the host.
 *
 * Guarantees. A body finds the newest bytes of all that it reads, in the order of the calls. Memory is not written before all that
 * touches it is done. The only valid bytes of something go home before their memory is used for something else. What one call needs of a
 * pool it gets at once: windows of other calls leave (those with the farthest next use first), and at worst all of them do. So a body
 * that has room alone always gets its turn, and one that has not is refused before anything has changed.
 *
 * Also if a call fails, the ops of its plan are given, and must be put into their queues. After ENOMEM the directory is as good as
 * before: the same call may be made again. */
#ifndef HD_MULTI_SEGMENT_H
#define HD_MULTI_SEGMENT_H

#include "engine/multi/points.h"

#define HD_SEGMENTS_MOST_DEVICES 64u
#define HD_ARRAY_BITS 40u /* an array of jobs has fewer than 2^40 bytes */
#define HD_SEGMENTS_MOST_USES 32u

typedef struct hd_segments hd_segments;

/* Bytes byte .. end_byte - 1 of rows row .. end_row - 1. */
typedef struct hd_seg_rect {
    uint64_t row, end_row, byte, end_byte;
} hd_seg_rect;
static inline uint64_t hd_seg_rect_bytes(const hd_seg_rect *r)
{
    return (r->end_row - r->row) * (r->end_byte - r->byte);
}
static inline int hd_seg_rect_meets(const hd_seg_rect *a, const hd_seg_rect *b)
{
    return a->row < b->end_row && b->row < a->end_row && a->byte < b->end_byte && b->byte < a->end_byte;
}

/* What a body touches of an array. */
typedef struct hd_seg_use {
    uint32_t array;
    heddle_mode
        mode; /* IN, OUT (all bytes are written, none is read), INOUT                                             */
    hd_seg_rect rect;
    hd_seg_rect
        hull; /* contains rect: what the device will need of the array in all. If no window has the rect, one for the hull is made,
                     unless another one would have to leave for it; then one for the rect                                 */
    uint32_t
        is_packed; /* 1: the rows may have another stride than at home (a multiple of 16)                             */
} hd_seg_use;

typedef struct hd_seg_op {
    hd_seg_point point;
    uint32_t first_wait, n_waits; /* in the plan's waits */
    uint32_t is_body;
    /* Of a move: from and to are devices or HD_HOME, the same within a device. Where the rect's first byte is: in the device's pool, or in
     * the array at home (row * stride + byte). */
    uint32_t array, from, to;
    hd_seg_rect rect;
    uint64_t from_at, from_stride, to_at, to_stride;
} hd_seg_op;

/* Where the first byte of a use's rect is in the pool. An address in it is a multiple of 16 where the one at home is, if the array's
 * stride is one, too; so is that of row 0, byte 0, as a body would compute it. */
typedef struct hd_seg_place {
    uint64_t at, stride;
} hd_seg_place;

/* Zeroed before its first call. Each call begins it anew. */
typedef struct hd_seg_plan {
    hd_list ops, waits; /* of hd_seg_op, hd_seg_point */
    uint32_t first_host_wait,
        n_host_waits; /* in waits: what the host has to see done. The ops' waits lie before them */
    hd_seg_place places[HD_SEGMENTS_MOST_USES];
    uint64_t body;       /* its number, which rises from body to body */
    uint64_t need_bytes; /* after ERANGE: what the uses need of the pool, in all */
} hd_seg_plan;
void hd_seg_plan_clear(hd_seg_plan *p);

/* When the device will use some of the rect next, as a number that rises along its work; UINT64_MAX: that is not known. The number of
 * a rect may become another one when the device has used some of it, else it should stay: it is not asked for each time. It is asked while
 * the device's next body is given, and that body counts as to come. */
typedef uint64_t (*hd_next_use_fn)(void *user, uint32_t device, uint32_t array, const hd_seg_rect *rect);
typedef void (*hd_seg_rect_fn)(void *user, uint32_t array, const hd_seg_rect *rect);

typedef struct hd_segments_config {
    uint32_t n_devices;
    const uint64_t *pool_bytes; /* of each device; used in units of 256 */
    const uint8_t *reach; /* [reader][owner]: can the reader's queue IN copy from the owner's memory? NULL: all can */
    hd_next_use_fn next_use; /* may be NULL */
    void *user;
} hd_segments_config;

/* EINVAL: no devices, or more than HD_SEGMENTS_MOST_DEVICES. ENOMEM. */
heddle_status hd_segments_new(hd_segments **out, const hd_segments_config *config);
void hd_segments_delete(hd_segments *s);
/* Home has all of the new array. EINVAL: it is empty, the stride is below row_bytes, or it has 2^62 bytes. */
heddle_status hd_segments_add(hd_segments *s, uint64_t n_rows, uint64_t row_bytes, uint64_t stride, uint32_t *array);
/* Forgets the array, and what was not moved home. Its memory on devices is free once the ops on it are done. If home is to be freed, see
 * hd_segments_wrote first. */
void hd_segments_drop(hd_segments *s, uint32_t array);

/* A body on the device, in one of its two queues for bodies: moves, and its op, which is the last one. Uses may overlap, unless both write. What one reads and another one
 * writes may be in one window, so that the body sees its own writes, or in two.
 * EINVAL: uses that are not possible. ERANGE: they need more than the pool. EDEVICE: the device is lost, or bytes to be read are. */
heddle_status hd_segments_give(hd_segments *s, uint32_t device, hd_seg_role role, const hd_seg_use *uses, uint32_t n,
                               hd_seg_plan *plan);
/* The host will read the rect: moves home, and what the host has to see done first. EDEVICE: some of it is lost. */
heddle_status hd_segments_fetch(hd_segments *s, uint32_t array, const hd_seg_rect *rect, hd_seg_plan *plan);
/* The host will write all of the rect: what it has to see done first. No other copy is valid from now on. */
heddle_status hd_segments_wrote(hd_segments *s, uint32_t array, const hd_seg_rect *rect, hd_seg_plan *plan);
/* The queue has passed the point, and all before it. */
void hd_segments_done(hd_segments *s, hd_seg_point p);
/* Replays: what a plan's ops have done is done again, without plans. Pieces are as after the plan if they are as before it at its begin.
 *
 * hold: 1: from now on no point counts as done, so that plans do not depend on how quickly devices are; 0: those that are do so again. */
void hd_segments_hold(hd_segments *s, int is_held);
/* The queue has passed points up to that one, some of which were given by nobody. */
void hd_segments_skip(hd_segments *s, hd_seg_point p);
/* What is under way depends on more devices than was known: a copy on device d on those of the set depends[d], a bit each; at home on
 * depends[number of devices]. */
void hd_segments_spread(hd_segments *s, const uint64_t *depends);
/* The caller will not give the body again, whatever is lost. To be called for each body at its time: until then it is remembered, with
 * all that was given later. */
void hd_segments_ended(hd_segments *s, uint64_t body);
/* From time to time, also with a device that is not full. If a pool is more than 90 % full, and windows had to leave since the last
 * time: what leaves next is moved home if it is nowhere else, until what is free or would leave at once is 20 %; but nothing that is used soon. Joins cells that have become equal,
 * when their number has doubled. */
heddle_status hd_segments_tidy(hd_segments *s, uint32_t device, hd_seg_plan *plan);

/* A device is lost: its pool with all that was valid only there, and what was under way on other devices and depends on it. From now on the
 * points of the device's queues count as passed: ops that wait for them no longer do so, and find any bytes. A move from the lost device
 * need not move anything, but it waits for its other points, and is passed in its turn.
 *
 * Of the bodies that have not ended, some are to be given again (hd_segments_is_again), in the order in which they were given first: those of which
 * results are gone; but not if something that stays has been written by a later body, or the host, where they read or write, as they would
 * come too late; nor if rows that they read and write in place are there as they left them. All is as if these bodies had not been given: older bytes
 * that only they have written since, and that are still in some memory, are valid again. `tell` (or NULL) hears of what is now valid nowhere. It cannot be read
 * before the host or a body has written it. */
void hd_segments_lost(hd_segments *s, uint32_t device, hd_seg_rect_fn tell, void *user);
/* Asked after a loss, before the next call that changes anything. */
int hd_segments_is_again(const hd_segments *s, uint64_t body);
/* Is some of the rect lost? *first (or NULL): a part that is. */
int hd_segments_is_lost(hd_segments *s, uint32_t array, const hd_seg_rect *rect, hd_seg_rect *first);

/* From row to row at home. */
uint64_t hd_segments_stride(const hd_segments *s, uint32_t array);
/* What a window for the use's rect takes of a pool. */
uint64_t hd_segments_room(const hd_segments *s, const hd_seg_use *use);
/* The same of as many rows and bytes elsewhere in the array, where alignment may need a little more. */
uint64_t hd_segments_most_room(const hd_segments *s, const hd_seg_use *use);
int hd_segments_is_done(const hd_segments *s, hd_seg_point p);
/* Windows of the device that had to leave. */
uint64_t hd_segments_n_left(const hd_segments *s, uint32_t device);

/* Bytes that would have to come to the device: to choose a body by. */
uint64_t hd_segments_missing(hd_segments *s, uint32_t device, const hd_seg_use *uses, uint32_t n);
/* Bytes that all plans have moved from one memory to another: devices, or HD_HOME. */
uint64_t hd_segments_moved(const hd_segments *s, uint32_t from, uint32_t to);

typedef struct hd_segments_counts {
    uint64_t n_windows, n_cells, n_left; /* windows that had to leave, from the beginning */
    uint64_t table_bytes;                /* memory of the host for these books */
} hd_segments_counts;
void hd_segments_count(const hd_segments *s, hd_segments_counts *out);
/* Bytes of the pool that windows have. */
uint64_t hd_segments_used(const hd_segments *s, uint32_t device);

#endif
