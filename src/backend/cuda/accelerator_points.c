/* SPDX-License-Identifier: MIT */
/* accelerator_points.c - queues of GPUs that wait for one another without the host; copies between GPUs
 * (heddle/fleet.h, from `point` on).
 *
 * A point is an event in the queue's stream. A queue has a ring of events; a point that is older than the ring stands for the oldest one
 * in it, which lies behind it. So waits for old points are longer than they need be, but right. Whether points are passed is asked from
 * the oldest on, mostly with one call.
 *
 * When points were passed is known if that was asked for: the ring's events have times then.
 *
 * Failures. A body's words are written while other bodies run, and are whole when its kernel has ended. When the host sees a code, the
 * kernels that had begun by then lie at most one point behind those that are passed after that. So a failure is told when that one is passed, too; until then
 * no later point is told. The words are made ready again when the stream is empty: kernels that are in it may still write. A span that comes before that
 * waits for it here, since it would be skipped; meanwhile no time limit holds. What the stream waits for was put before. Of a failure that has only
 * the lower half of its index the rest follows from the lowest index of the spans in question. It is right unless these are 2^32 apart.
 *
 * GPUs are known by the device's number: CUDA's runtime has one context of a GPU in a process, the primary one, which all its parts and openings
 * share. So parts of a GPU reach one another, and a copy between them is one within the GPU. */
#include "backend/cuda/accelerator.h"

#include "backend/cuda/peer.h"

static heddle_status say_out_of_order(const hd_part *p, uint64_t number, uint64_t last)
{
    return hd_say(NULL, HEDDLE_EINVAL, "%s: point %llu of a queue, of which %llu were put", p->name,
                  (unsigned long long)number, (unsigned long long)last);
}

/* ---- events ----------------------------------------------------------------------------------------------------------- */

void hd_part_points_begin(hd_part *p, uint32_t queue) { p->points[queue].begin = HD_NO_SPAN; }

void hd_part_points_end(hd_part *p, uint32_t queue)
{
    uint32_t i;
    for (i = 0; i < HD_PART_POINTS; i++)
        if (p->points[queue].events[i])
            (void)cudaEventDestroy(p->points[queue].events[i]);
}

static cudaError_t make_events(hd_part_points *q)
{
    cudaError_t r = cudaSuccess;
    uint32_t i;
    for (i = 0; i < HD_PART_POINTS && !q->events[HD_PART_POINTS - 1u] && r == cudaSuccess; i++)
        if (!q->events[i])
            r = cudaEventCreateWithFlags(&q->events[i], cudaEventDisableTiming);
    return r;
}

/* For the point to be put: once around the ring from timed_from on, events that have no times give way to such that have. */
static cudaError_t make_timed(hd_part_points *q, uint64_t number)
{
    cudaEvent_t *event = &q->events[number % HD_PART_POINTS], timed = NULL;
    cudaError_t r;
    if (!q->timed_from || number >= q->timed_from + HD_PART_POINTS)
        return cudaSuccess;
    r = cudaEventCreate(&timed);
    if (r == cudaSuccess) {
        (void)cudaEventDestroy(*event); /* of a point that is out of the ring from now on */
        *event = timed;
    }
    return r;
}

/* The point itself, or the oldest one in the ring. */
static uint64_t in_ring(const hd_part_points *q, uint64_t number)
{
    const uint64_t oldest = q->last > HD_PART_POINTS ? q->last - HD_PART_POINTS + 1u : 1u;
    return number > oldest ? number : oldest;
}

static cudaError_t look(hd_part_points *q)
{
    cudaError_t r = cudaSuccess;
    while (q->passed < q->last) {
        const uint64_t next = in_ring(q, q->passed + 1u);
        r = cudaEventQuery(q->events[next % HD_PART_POINTS]);
        if (r != cudaSuccess)
            break;
        q->passed = next;
    }
    if (r != cudaErrorNotReady)
        return r;
    (void)cudaGetLastError(); /* "not ready" counts as an error, which the next call would find */
    return cudaSuccess;
}

static heddle_status point(void *self, uint32_t queue, uint64_t number)
{
    hd_part *p = self;
    hd_part_points *q = &p->points[queue];
    cudaError_t r;
    if (number != q->last + 1u)
        return say_out_of_order(p, number, q->last);
    r = cudaSetDevice(p->device->index);
    if (r == cudaSuccess)
        r = make_events(q);
    if (r == cudaSuccess)
        r = make_timed(q, number);
    if (r == cudaSuccess)
        r = cudaEventRecord(q->events[number % HD_PART_POINTS], p->streams[queue]);
    if (r != cudaSuccess)
        return hd_part_lose(p, hd_cuda_say(NULL, r, "putting a point into a queue"));
    q->last = number;
    q->begins[number % HD_PART_POINTS] = q->begin;
    q->begin = HD_NO_SPAN;
    return HEDDLE_OK;
}

static heddle_status follow(void *self, uint32_t queue, void *other, uint32_t other_queue, uint64_t number)
{
    hd_part *p = self;
    const hd_part *o = other;
    const hd_part_points *q = &o->points[other_queue];
    cudaError_t r;
    if (number > q->last)
        return say_out_of_order(o, number, q->last);
    if (number <= q->passed || (p == o && queue == other_queue))
        return HEDDLE_OK;
    r = cudaSetDevice(p->device->index);
    if (r == cudaSuccess)
        r = cudaStreamWaitEvent(p->streams[queue], q->events[in_ring(q, number) % HD_PART_POINTS], 0);
    return r == cudaSuccess ? HEDDLE_OK : hd_part_lose(p, hd_cuda_say(NULL, r, "having a queue wait for another one"));
}

static heddle_status passed_at(void *self, uint32_t queue, uint64_t number, uint64_t *ns)
{
    hd_part *p = self;
    hd_part_points *q = &p->points[queue];
    cudaError_t r = cudaSetDevice(p->device->index);
    if (!number && !q->timed_from)
        q->timed_from = q->last + 1u;
    if (!number || number < q->timed_from || number != in_ring(q, number))
        return HEDDLE_ENODEV;
    if (r == cudaSuccess)
        r = hd_part_clock_find(&p->clock);
    if (r == cudaSuccess)
        r = hd_part_clock_of(&p->clock, q->events[number % HD_PART_POINTS], ns);
    (void)cudaGetLastError();
    return r == cudaSuccess ? HEDDLE_OK : HEDDLE_ENODEV;
}

/* ---- failures --------------------------------------------------------------------------------------------------------- */

/* The lowest index of all spans behind point `after`. */
static uint64_t lowest(const hd_part_points *q, uint64_t after)
{
    uint64_t least = q->begin, n;
    for (n = in_ring(q, after + 1u); n <= q->last; n++)
        if (q->begins[n % HD_PART_POINTS] < least)
            least = q->begins[n % HD_PART_POINTS];
    return least;
}

static heddle_status tell(hd_part *p, uint32_t queue, uint32_t *code, uint64_t *index)
{
    hd_part_points *q = &p->points[queue];
    const hd_fail *f = &p->words[queue].fail;
    q->has_told = 1;
    *code = f->code;
    *index = hd_span_failed_at(f, lowest(q, q->told));
    return HEDDLE_EBODY;
}

static void forget(hd_part *p, uint32_t queue)
{
    hd_part_unfail(p, queue);
    p->points[queue].tell_at = 0;
    p->points[queue].has_told = 0;
}

heddle_status hd_part_failure(hd_part *p, uint32_t queue, uint32_t *code, uint64_t *index)
{
    hd_part_points *q = &p->points[queue];
    heddle_status s = HEDDLE_OK;
    if (p->words[queue].fail.code) {
        s = q->has_told ? HEDDLE_OK : tell(p, queue, code, index);
        forget(p, queue);
    }
    q->passed = q->told = q->last;
    q->begin = HD_NO_SPAN;
    return s;
}

heddle_status hd_part_go_on(hd_part *p, uint32_t queue)
{
    uint32_t code;
    uint64_t index;
    cudaError_t r;
    if (!p->points[queue].has_told)
        return HEDDLE_OK;
    r = cudaStreamSynchronize(p->streams[queue]);
    if (r != cudaSuccess)
        return hd_cuda_say(NULL, r, "waiting for bodies behind one that has failed");
    return hd_part_failure(p, queue, &code, &index); /* was told */
}

/* A code is there: which point must be passed before it is told? */
static cudaError_t find_tell_at(hd_part_points *q)
{
    const cudaError_t r = look(q);
    const int all_ended = q->passed == q->last && q->begin == HD_NO_SPAN;
    q->tell_at = q->passed + !all_ended;
    return r;
}

static heddle_status passed(void *self, uint32_t queue, uint64_t *number, uint32_t *code, uint64_t *index)
{
    hd_part *p = self;
    hd_part_points *q = &p->points[queue];
    heddle_status s = HEDDLE_OK;
    cudaError_t r = cudaSetDevice(p->device->index);
    if (r == cudaSuccess)
        r = look(q);
    if (r == cudaSuccess && !q->tell_at && HD_LOAD(&p->words[queue].fail.code, ACQUIRE, SYS))
        r = find_tell_at(q);
    if (r != cudaSuccess)
        return hd_part_lose(p, hd_cuda_say(NULL, r, "the GPU failed while it ran a loop"));
    if (!q->tell_at || q->has_told)
        q->told = q->passed;
    else if (q->passed >= q->tell_at)
        s = tell(p, queue, code, index);
    *number = q->told;
    if (q->has_told && s == HEDDLE_OK && q->passed == q->last && q->begin == HD_NO_SPAN)
        forget(p, queue);
    return s;
}

/* ---- copies and calls ------------------------------------------------------------------------------------------------- */

static int reaches(void *self, void *other)
{
    const hd_part *p = self, *o = other;
    return hd_cuda_peer(p->device, o->device) == HEDDLE_PEER_VERIFIED;
}

static heddle_status copy_peer(void *self, uint32_t queue, const heddle_copy *c, void *other)
{
    hd_part *p = self;
    const hd_part *o = other;
    cudaError_t r;
    if (!reaches(self, other))
        return hd_say(NULL, HEDDLE_EINVAL, "%s does not reach the memory of %s", p->name, o->name);
    r = cudaSetDevice(p->device->index);
    if (r == cudaSuccess)
        r = hd_cuda_copy_rows(c, cudaMemcpyDefault, p->streams[queue]);
    return r == cudaSuccess ? HEDDLE_OK : hd_part_lose(p, hd_cuda_say(NULL, r, "copying rows between GPUs"));
}

void hd_part_points_functions(heddle_accelerator *out)
{
    out->point = point;
    out->passed = passed;
    out->follow = follow;
    out->reaches = reaches;
    out->copy_peer = copy_peer;
    out->passed_at = passed_at;
}
