/* SPDX-License-Identifier: MIT */
/* accelerator.c - a GPU, or one of some equal parts of it, as an accelerator of a fleet (heddle/fleet.h).
 *
 * A queue is a stream. Its pinned words say what a body of its spans did wrong (core/chunk.h); they are read when the stream is empty.
 * A span is one launch. Of a whole GPU it has several times as many blocks as that holds at once: multiprocessors are not equally quick, and
 * those that are ahead take more. Spans of parts are not kept apart by the hardware: each part takes its share of the blocks that the GPU holds
 * at once, and of the memory that was free at first.
 *
 * The fleet calls from a thread of its own, beside calls of others for the same device. Each call makes the device current.
 *
 * How queues wait for one another is in accelerator_points.c, calls of the host's functions are in accelerator_call.c, records of what is
 * put into queues in accelerator_record.c.
 *
 * Refused are: more parts than the GPU has multiprocessors; a table that was compiled without kernels of loops; params of more than
 * HD_SPAN_PARAMS_MOST bytes; a span that does not begin with a tile.
 *
 * In a traced loop the phases of a slice lie between events in the stream (accelerator_clock.c has their times). A phase begins when the one
 * before has ended: copies that wait for the link are shown as copies.
 *
 * After an error the context may be broken, and calls that free would wait for a kernel that never ends. So memory and streams of a
 * part that is lost are left. */
#include "backend/cuda/accelerator.h"

#include <stdio.h>

#define USUAL_TEAM 256u
#define ROUNDS 8u /* of blocks. ep took a tenth less in 8 slices than in one, and an eighth less in 128 */
#define SPARE_BYTES (512ull << 20) /* of a GPU, for kernels, call stacks and graphs */
/* A multiprocessor has 128 lanes for floats at some 1.8 GHz; a core has two units of 8 at some 3.5 GHz. */
#define CORES_OF_SM 4.0
#define THREADS_OF_SM 2048u /* at once, if a kernel needs few registers */

/* ---- memory and copies ---------------------------------------------------------------------------------------------------- */

static void *mem_new(void *self, uint64_t n_bytes) { return hd_cuda_mem_new(((hd_part *)self)->device, n_bytes); }

static void mem_free(void *self, void *p, uint64_t n_bytes)
{
    hd_part *x = self;
    (void)n_bytes;
    if (!x->is_broken)
        hd_cuda_mem_free(x->device, p);
}

static heddle_status copy(void *self, uint32_t queue, const heddle_copy *c)
{
    hd_part *p = self;
    cudaError_t r = cudaSetDevice(p->device->index);
    if (r == cudaSuccess)
        r = hd_cuda_copy_rows(c, c->is_in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, p->streams[queue]);
    return r == cudaSuccess ? HEDDLE_OK : hd_part_lose(p, hd_cuda_say(NULL, r, "copying rows of a loop"));
}

/* ---- spans ---------------------------------------------------------------------------------------------------------------- */

static heddle_status find(const hd_part *p, hd_part_kernel *k, hd_error *e)
{
    const hd_device *d = p->device;
    int per_sm = 0;
    k->shared_bytes = HEDDLE_REDUCE_BYTES + k->table->bodies[k->body].shared_bytes;
    HD_TRY(hd_kernel_of(&k->function, &per_sm, d, k->table, HD_FAMILY_LOOP, k->body, k->team_size, k->shared_bytes, e));
    k->most_blocks = ((uint32_t)per_sm * (uint32_t)d->n_sms + p->n_parts - 1u) / p->n_parts;
    if (p->n_parts == 1u)
        k->most_blocks *= ROUNDS;
    return HEDDLE_OK;
}

/* Whole warps, because barriers count in these. */
static uint32_t team_of(const heddle_span_work *w)
{
    return w->team_size ? (w->team_size + 31u) / 32u * 32u : USUAL_TEAM;
}

static heddle_status kernel_of(hd_part *p, const heddle_span_work *w, const hd_part_kernel **out, hd_error *e)
{
    hd_part_kernel wanted = {w->table, w->body, team_of(w), 0, 0, NULL}, *k;
    uint32_t i;
    for (i = 0; i < p->n_found && i < HD_PART_FOUND; i++) {
        k = &p->kernels[i];
        if (k->table == w->table && k->body == w->body && k->team_size == wanted.team_size) {
            *out = k;
            return HEDDLE_OK;
        }
    }
    HD_TRY(find(p, &wanted, e));
    k = &p->kernels[p->n_found++ % HD_PART_FOUND];
    *k = wanted;
    *out = k;
    return HEDDLE_OK;
}

static heddle_status check(const heddle_span_work *w, hd_error *e)
{
    if (!w->table->stubs || w->body >= w->table->n_bodies)
        return hd_say(e, HEDDLE_ENODEV, "table %s has no kernel for body %u", w->table->name, w->body);
    if (w->params_bytes > HD_SPAN_PARAMS_MOST)
        return hd_say(e, HEDDLE_ERANGE, "table %s: a loop's params have %u bytes; a launch takes at most %u",
                      w->table->name, w->params_bytes, HD_SPAN_PARAMS_MOST);
    if (!w->tile || w->begin % w->tile || (w->n_dims == 2 && !w->tile_2))
        return hd_say(e, HEDDLE_EINVAL, "table %s: a span begins at index %llu, and its tiles have %llu indices",
                      w->table->name, (unsigned long long)w->begin, (unsigned long long)w->tile);
    if (w->n_dims == 2 && w->begin_2 % w->tile_2)
        return hd_say(e, HEDDLE_EINVAL, "table %s: a span begins at index %llu of the second, and its tiles have %llu",
                      w->table->name, (unsigned long long)w->begin_2, (unsigned long long)w->tile_2);
    return HEDDLE_OK;
}

static void describe_span(const hd_part *p, uint32_t queue, const heddle_span_work *w, hd_span_launch *out)
{
    if (w->n_dims == 2)
        hd_span_cut(out, w->begin, w->end, w->begin_2, w->end_2, w->tile, w->tile_2);
    else
        hd_span_cut(out, w->begin, w->end, 0, 1, w->tile, 1);
    out->body = w->body;
    out->fail = &p->words[queue].fail;
    out->stopped = p->stopped + queue * (HD_LINE / 4u);
    if (w->params_bytes)
        memcpy(out->params, w->params, w->params_bytes);
}

static heddle_status launch(const hd_part *p, const hd_part_kernel *k, hd_span_launch *l, cudaStream_t stream,
                            hd_error *e)
{
    const hd_driver *d = &p->device->driver;
    void *params[] = {l};
    CUlaunchConfig c;
    CUresult r;
    memset(&c, 0, sizeof c);
    c.gridDimX = l->n_tiles < k->most_blocks ? (uint32_t)l->n_tiles : k->most_blocks;
    c.blockDimX = k->team_size;
    c.gridDimY = c.gridDimZ = c.blockDimY = c.blockDimZ = 1;
    c.sharedMemBytes = k->shared_bytes;
    c.hStream = stream;
    r = d->cuLaunchKernelEx(&c, k->function, params, NULL);
    return r == CUDA_SUCCESS ? HEDDLE_OK : hd_driver_say(d, e, r, "launching a span of a loop");
}

/* A resident kernel of a pool makes way, as it does for a run of a graph. */
static heddle_status span(void *self, uint32_t queue, const heddle_span_work *w)
{
    hd_part *p = self;
    const hd_part_kernel *k = NULL;
    hd_span_launch l;
    heddle_status s = check(w, NULL);
    if (s != HEDDLE_OK)
        return hd_part_lose(p, s);
    describe_span(p, queue, w, &l);
    s = hd_cuda_use(p->device, NULL);
    if (s == HEDDLE_OK)
        s = hd_part_go_on(p, queue);
    hd_part_began(p, queue, w->begin);
    hd_cuda_pools_hold(p->device, 1);
    if (s == HEDDLE_OK)
        s = kernel_of(p, w, &k, NULL);
    if (s == HEDDLE_OK && l.n_tiles)
        s = launch(p, k, &l, p->streams[queue], NULL);
    hd_cuda_pools_hold(p->device, 0);
    return s == HEDDLE_OK ? HEDDLE_OK : hd_part_lose(p, s);
}

static heddle_status ask(void *self, uint32_t queue, uint32_t *code, uint64_t *index)
{
    hd_part *p = self;
    cudaError_t r = cudaSetDevice(p->device->index);
    if (r == cudaSuccess)
        r = cudaStreamQuery(p->streams[queue]);
    if (r == cudaSuccess)
        return hd_part_failure(p, queue, code, index);
    if (r != cudaErrorNotReady)
        return hd_part_lose(p, hd_cuda_say(NULL, r, "the GPU failed while it ran a loop"));
    (void)cudaGetLastError(); /* "not ready" counts as an error, which the next call would find */
    return HEDDLE_EBUSY;
}

/* ---- marks ------------------------------------------------------------------------------------------------------------------ */

static cudaError_t make_events(hd_part_marks *m)
{
    cudaError_t r = cudaSuccess;
    uint32_t i;
    for (i = HEDDLE_PHASE_IN; i < HEDDLE_N_PHASES && r == cudaSuccess; i++) {
        if (!m->begin[i])
            r = cudaEventCreate(&m->begin[i]);
        if (r == cudaSuccess && !m->end[i])
            r = cudaEventCreate(&m->end[i]);
    }
    return r;
}

static void destroy_events(hd_part_marks *m)
{
    uint32_t i;
    for (i = 0; i < HEDDLE_N_PHASES; i++) {
        if (m->begin[i])
            (void)cudaEventDestroy(m->begin[i]);
        if (m->end[i])
            (void)cudaEventDestroy(m->end[i]);
    }
}

static heddle_status mark(void *self, uint32_t queue, heddle_phase phase)
{
    hd_part *p = self;
    hd_part_marks *m = &p->marks[queue];
    const cudaStream_t stream = p->streams[queue];
    cudaError_t r = cudaSetDevice(p->device->index);
    if (r == cudaSuccess)
        r = make_events(m);
    if (r == cudaSuccess && phase == HEDDLE_PHASE_IN)
        r = hd_part_clock_find(&p->clock);
    if (r == cudaSuccess && m->phase != HEDDLE_PHASE_NONE)
        r = cudaEventRecord(m->end[m->phase], stream);
    if (r == cudaSuccess && phase != HEDDLE_PHASE_NONE)
        r = cudaEventRecord(m->begin[phase], stream);
    m->phase = phase;
    return r == cudaSuccess ? HEDDLE_OK : hd_part_lose(p, hd_cuda_say(NULL, r, "marking the phases of a slice"));
}

static heddle_status marked(void *self, uint32_t queue, heddle_phase phase, uint64_t *begin_ns, uint64_t *end_ns)
{
    const hd_part *p = self;
    const hd_part_marks *m = &p->marks[queue];
    cudaError_t r = cudaSetDevice(p->device->index);
    if (!p->clock.base_ns)
        return HEDDLE_ENODEV;
    if (r == cudaSuccess)
        r = hd_part_clock_of(&p->clock, m->begin[phase], begin_ns);
    if (r == cudaSuccess)
        r = hd_part_clock_of(&p->clock, m->end[phase], end_ns);
    return r == cudaSuccess ? HEDDLE_OK : hd_cuda_say(NULL, r, "asking when a phase of a slice was");
}

/* ---- opening and closing ---------------------------------------------------------------------------------------------------- */

static void close_part(void *self, int is_lost)
{
    hd_part *p = self;
    uint32_t i;
    if (!is_lost && !p->is_broken) {
        (void)cudaSetDevice(p->device->index);
        for (i = 0; i < HD_PART_QUEUES; i++) {
            destroy_events(&p->marks[i]);
            hd_part_points_end(p, i);
            if (p->streams[i])
                (void)cudaStreamDestroy(p->streams[i]);
        }
        hd_part_clock_end(&p->clock);
        hd_part_calls_end(p);
        if (p->words)
            hd_cuda_words_free(p->device, p->words);
        if (p->stopped)
            hd_cuda_mem_free(p->device, p->stopped);
    }
    hd_delete(p, sizeof *p);
}

static heddle_status make(hd_part *p, heddle_accelerator *out, hd_error *e)
{
    static const char opening[] = "opening a GPU for loops";
    size_t free_bytes = 0, total_bytes = 0;
    uint32_t i;
    HD_TRY(hd_cuda_use(p->device, e));
    HD_CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes), e, opening);
    out->memory_bytes = free_bytes > SPARE_BYTES ? (free_bytes - SPARE_BYTES) / p->n_parts : 0;
    HD_CUDA_TRY(cudaHostAlloc((void **)&p->words, HD_PART_QUEUES * sizeof *p->words, cudaHostAllocDefault), e, opening);
    HD_CUDA_TRY(cudaMalloc((void **)&p->stopped, HD_PART_QUEUES * HD_LINE), e, opening);
    for (i = 0; i < HD_PART_QUEUES; i++) {
        HD_CUDA_TRY(cudaStreamCreateWithFlags(&p->streams[i], cudaStreamNonBlocking), e, opening);
        hd_part_unfail(p, i);
        hd_part_points_begin(p, i);
    }
    out->call = hd_part_calls_begin(p) ? hd_part_call : NULL;
    return HEDDLE_OK;
}

static void name_part(hd_part *p)
{
    if (p->n_parts > 1)
        snprintf(p->name, sizeof p->name, "cuda:%d/%u", p->device->index, p->n_parts);
    else
        snprintf(p->name, sizeof p->name, "cuda:%d", p->device->index);
}

heddle_status hd_cuda_accelerator(hd_device *d, uint32_t part, uint32_t n_parts, heddle_accelerator *out, hd_error *e)
{
    const heddle_accelerator functions = {.size = sizeof functions,
                                          .n_queues = HD_PART_QUEUES,
                                          .takes_strides = 1,
                                          .mem_new = mem_new,
                                          .mem_free = mem_free,
                                          .copy = copy,
                                          .span = span,
                                          .poll = ask,
                                          .close = close_part,
                                          .mark = mark,
                                          .marked = marked};
    heddle_status s;
    hd_part *p;
    if (!n_parts)
        return hd_say(e, HEDDLE_EINVAL, "cuda:%d/0: a GPU has one part or more", d->index);
    if (n_parts > (uint32_t)d->n_sms)
        return hd_say(e, HEDDLE_ENODEV, "cuda:%d/%u: this GPU has %d multiprocessors, and not more parts", d->index,
                      n_parts, d->n_sms);
    p = hd_new(sizeof *p);
    if (!p)
        return hd_say(e, HEDDLE_ENOMEM, "cuda:%d/%u: out of memory", d->index, n_parts);
    p->device = d;
    p->part = part;
    p->n_parts = n_parts;
    name_part(p);
    *out = functions;
    hd_part_points_functions(out);
    hd_part_record_functions(out);
    out->self = p;
    out->name = p->name;
    out->n_threads = (uint64_t)THREADS_OF_SM * (uint64_t)d->n_sms / n_parts;
    out->weight = CORES_OF_SM * d->n_sms / n_parts;
    s = make(p, out, e);
    if (s != HEDDLE_OK)
        close_part(p, 0);
    return s;
}
