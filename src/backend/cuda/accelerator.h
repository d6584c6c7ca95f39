/* SPDX-License-Identifier: MIT */
/* accelerator.h - a GPU or a part of it as an accelerator of a fleet: what its files accelerator*.c share. */
#ifndef HD_CUDA_ACCELERATOR_H
#define HD_CUDA_ACCELERATOR_H

#include "backend/cuda/pool.h"
#include "heddle/core/chunk.h"
#include "heddle/fleet.h"

#define HD_PART_QUEUES 4u
#define HD_PART_FOUND 16u
#define HD_PART_POINTS 256u /* of a queue that have an event of their own */
#define HD_NO_SPAN UINT64_MAX

/* A kernel that was found. */
typedef struct hd_part_kernel {
    const heddle_table *table;
    uint32_t body, team_size;
    uint32_t shared_bytes, most_blocks; /* most_blocks: of a launch */
    CUfunction function;
} hd_part_kernel;

/* Of a queue, on a line of its own. */
typedef struct hd_part_words {
    hd_fail fail;
    uint8_t pad[HD_LINE - sizeof(hd_fail)];
} hd_part_words;

/* Events around the phases of a queue's slice. They are made when a loop is traced. */
typedef struct hd_part_marks {
    cudaEvent_t begin[HEDDLE_N_PHASES], end[HEDDLE_N_PHASES];
    heddle_phase phase; /* of what is being put into the queue */
} hd_part_marks;

/* Of a part (accelerator_clock.c). It is made when something is traced. */
typedef struct hd_part_clock {
    cudaStream_t stream;    /* nothing else is put into it */
    cudaEvent_t base, next; /* next: of a try that may give a better base */
    uint64_t base_ns;       /* of the host's clock; 0: there is no base */
} hd_part_clock;

/* Points of a queue. Point n has event n % HD_PART_POINTS, until point n + HD_PART_POINTS has it. */
typedef struct hd_part_points {
    cudaEvent_t events[HD_PART_POINTS]; /* made with the first point; the last one: all are there */
    uint64_t last, passed, told;        /* numbers: put; known to be passed; that the caller knows of */
    uint64_t
        begins[HD_PART_POINTS]; /* the lowest index of the spans between the point before and this one; or HD_NO_SPAN */
    uint64_t begin;             /* the same of the spans behind the last point */
    uint64_t tell_at;           /* a body has failed, which is told when this point is passed; 0: none has */
    uint64_t timed_from;        /* events of points from this one on have times; 0: none have */
    int has_told;               /* of that failure */
} hd_part_points;

/* Where calls of a part are put (accelerator_call.c). NULL: into the queue's stream. */
typedef struct hd_part_calls {
    CUgreenCtx green;
    CUstream streams[HD_PART_QUEUES];
    cudaEvent_t begin[HD_PART_QUEUES], end[HD_PART_QUEUES]; /* where the queue stood; where the call's work ends */
} hd_part_calls;

/* While it is recorded. */
typedef struct hd_part_capture {
    uint64_t last[HD_PART_QUEUES];   /* points that were put before */
    uint64_t lowest[HD_PART_QUEUES]; /* index of spans */
    int was_broken;
} hd_part_capture;

typedef struct hd_part {
    hd_device *device;
    char name[64];
    uint32_t part, n_parts;
    uint32_t n_found;     /* since it was opened */
    int is_broken;        /* the context may be */
    hd_part_words *words; /* pinned; one for each queue */
    uint32_t *stopped;    /* of the GPU; likewise, each on a line of its own: spans that come are not to be run */
    cudaStream_t streams[HD_PART_QUEUES];
    hd_part_marks marks[HD_PART_QUEUES];
    hd_part_points points[HD_PART_QUEUES];
    hd_part_clock clock;
    hd_part_calls calls;
    hd_part_capture capture;
    hd_part_kernel kernels[HD_PART_FOUND]; /* the last ones found */
} hd_part;

/* To the fleet every error is a loss, but refusals leave the context whole. */
static inline heddle_status hd_part_lose(hd_part *p, heddle_status s)
{
    p->is_broken |= s == HEDDLE_EDEVICE;
    return s;
}

/* A span that begins with that index was put into the queue. */
static inline void hd_part_began(hd_part *p, uint32_t queue, uint64_t begin)
{
    hd_part_points *q = &p->points[queue];
    q->begin = begin < q->begin ? begin : q->begin;
    p->capture.lowest[queue] = begin < p->capture.lowest[queue] ? begin : p->capture.lowest[queue];
}

/* The queue is empty: what has failed in it counts no more. */
static inline void hd_part_unfail(hd_part *p, uint32_t queue)
{
    p->words[queue].fail = hd_span_unfailed();
    (void)cudaSetDevice(p->device->index);
    (void)cudaMemsetAsync(p->stopped + queue * (HD_LINE / 4u), 0, sizeof *p->stopped, p->streams[queue]);
}

/* The stream is empty: did a body fail that was not told of? */
heddle_status hd_part_failure(hd_part *p, uint32_t queue, uint32_t *code, uint64_t *index);
/* The GPU is current, and a span is about to be put: after a failure that was told the queue is emptied, so that the span is run. */
heddle_status hd_part_go_on(hd_part *p, uint32_t queue);
void hd_part_points_begin(hd_part *p, uint32_t queue);
void hd_part_points_end(hd_part *p, uint32_t queue);
/* Sets point, passed, follow, reaches, copy_peer and passed_at. */
void hd_part_points_functions(heddle_accelerator *out);
/* The GPU is current. Finds a base, if there is none that serves; it may fail to find one without an error. */
cudaError_t hd_part_clock_find(hd_part_clock *c);
/* When the event was passed. Not in order: there is no base, or the event is not passed or was made without times. */
cudaError_t hd_part_clock_of(const hd_part_clock *c, cudaEvent_t event, uint64_t *ns);
void hd_part_clock_end(hd_part_clock *c);
/* The GPU is current. 0: it takes no calls. */
int hd_part_calls_begin(hd_part *p);
void hd_part_calls_end(hd_part *p);
heddle_status hd_part_call(void *self, uint32_t queue, heddle_call_fn fn, void *user, const heddle_span_work *w);
/* accelerator_record.c: sets record_begin, record_end, replay, replayed and record_free. */
void hd_part_record_functions(heddle_accelerator *out);

#endif
