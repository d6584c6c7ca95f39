/* SPDX-License-Identifier: MIT */
/* pipeline.cu - the pipeline of hand.h with the CUDA runtime. A stream has buffers for one chunk of each array, with its halo; chunks go to
 * streams in turn, and order within a stream is all that guards the buffers. Tiles and teams are those of the app's loop. What tiles find
 * stays on the GPU, where one kernel adds it up when all streams are through.
 *
 * Refused are results other than sums of 8 bytes. */
#include "hand.h"

#include "cuda_try.h"

#include "blackscholes_bodies.h"
#include "boxfilter_bodies.h"
#include "ep_bodies.h"
#include "exact_math.h"
#include "histogram_bodies.h"
#include "mandel_loop_bodies.h"
#include "mandel_tile.h"
#include "vectors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

/* Only bodies are needed: the apps define their tables. Names of their own functions meet, so each file has a namespace. */
#undef HEDDLE_LOOP_TABLE
#define HEDDLE_LOOP_TABLE(table, params_type, list)
namespace of_blackscholes
{
#include "blackscholes_bodies.c"
}
namespace of_histogram
{
#include "histogram_bodies.c"
}
namespace of_boxfilter
{
#include "boxfilter_bodies.c"
}
namespace of_ep
{
#include "ep_bodies.c"
}
namespace of_mandel
{
#include "mandel_loop_bodies.c"
#undef GROUP
} // namespace of_mandel

#define TRY(call) CUDA_TRY(call, "a pipeline", error, HAND_ERROR)

enum { MOST_STREAMS = 8, USUAL_TEAM = 256, ADDING_TEAM = 256, ROUNDS = 8 };

/* ---- kernels ---- */

/* Rows of tiles begin ... , each of n_columns tiles, up to index end. */
struct chunk_work {
    uint64_t begin, end, n_2, tile, tile_2, n_columns;
    alignas(16) unsigned char record[HAND_RECORD];
};

template <typename Body> static __global__ void run_chunk(const __grid_constant__ chunk_work c)
{
    extern __shared__ __align__(128) unsigned char room[];
    const heddle_thread thread = heddle_block_thread(nullptr, room, blockDim.x, blockIdx.x);
    const uint64_t n = (c.end - c.begin + c.tile - 1) / c.tile * c.n_columns;
    for (uint64_t t = blockIdx.x; t < n; t += gridDim.x) {
        const uint64_t row = t / c.n_columns, column = t % c.n_columns, begin = c.begin + row * c.tile;
        const heddle_span s = {begin, min(begin + c.tile, c.end), column * c.tile_2,
                               min((column + 1) * c.tile_2, c.n_2), begin / c.tile};
        Body()(&thread, c.record, &s);
        __syncthreads();
    }
}

#define BODY(app, name, record_type)                                                                                \
    struct app##_body {                                                                                             \
        __device__ void operator()(const heddle_thread *t, const unsigned char *record, const heddle_span *s) const \
        {                                                                                                           \
            of_##app::name##_body_(t, reinterpret_cast<const record_type *>(record), s);                            \
        }                                                                                                           \
    };
BODY(blackscholes, blackscholes_price, blackscholes_record)
BODY(histogram, histogram_count, histogram_record)
BODY(boxfilter, boxfilter_mean, boxfilter_record)
BODY(ep, ep_deviates, ep_record)
BODY(mandel, mandel_rows, mandel_record)

/* Block k adds number k of all tiles. */
template <typename T> static __global__ void add_up(const T *from, T *to, uint64_t n_tiles)
{
    __shared__ T part[ADDING_TEAM];
    T sum = 0;
    for (uint64_t t = threadIdx.x; t < n_tiles; t += ADDING_TEAM)
        sum += from[t * gridDim.x + blockIdx.x];
    part[threadIdx.x] = sum;
    for (int half = ADDING_TEAM / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        to[blockIdx.x] = part[0];
}

using chunk_kernel = void (*)(const chunk_work);
static chunk_kernel kernel_of(const char *app)
{
    const struct {
        const char *name;
        chunk_kernel kernel;
    } all[] = {{"blackscholes", run_chunk<blackscholes_body>},
               {"histogram", run_chunk<histogram_body>},
               {"boxfilter", run_chunk<boxfilter_body>},
               {"ep", run_chunk<ep_body>},
               {"mandel", run_chunk<mandel_body>}};
    for (const auto &k : all)
        if (!strcmp(k.name, app))
            return k.kernel;
    return nullptr;
}

/* ---- memory ---- */

struct pipeline {
    const hand *h;
    uint64_t chunk, n_tiles; /* n_tiles: of the loop, by the first index */
    uint32_t n_streams, team, n_blocks, shared_bytes;
    chunk_kernel kernel;
    cudaStream_t streams[MOST_STREAMS];
    cudaEvent_t ended[MOST_STREAMS];
    char *buffers[MOST_STREAMS][APP_MOST_ROWS];
    char *found[APP_MOST_FOUND];                              /* of all tiles */
    hand_number *sums[APP_MOST_FOUND], *home[APP_MOST_FOUND]; /* on the GPU, and pinned */
};

int pipeline_pin(const hand *h, char error[HAND_ERROR])
{
    TRY(cudaSetDevice(0));
    for (uint32_t i = 0; i < h->form.n_rows; i++) {
        const app_rows *r = &h->form.rows[i];
        TRY(cudaHostRegister(r->host, r->n_rows * r->row_bytes, cudaHostRegisterPortable));
    }
    return 0;
}

void pipeline_unpin(const hand *h)
{
    for (uint32_t i = 0; i < h->form.n_rows; i++)
        (void)cudaHostUnregister(h->form.rows[i].host);
    (void)cudaGetLastError(); /* of arrays that were not pinned */
}

static int open_stream(pipeline *p, uint32_t s, char *error)
{
    TRY(cudaStreamCreateWithFlags(&p->streams[s], cudaStreamNonBlocking));
    TRY(cudaEventCreateWithFlags(&p->ended[s], cudaEventDisableTiming));
    for (uint32_t i = 0; i < p->h->form.n_rows; i++) {
        const app_rows *r = &p->h->form.rows[i];
        TRY(cudaMalloc(&p->buffers[s][i], (p->chunk + r->before + r->after) * r->row_bytes));
    }
    return 0;
}

static int open_found(pipeline *p, uint32_t i, char *error)
{
    const heddle_reduction *r = &p->h->form.found[i];
    if (r->op != HEDDLE_SUM || (r->type != HEDDLE_F64 && r->type != HEDDLE_I64)) {
        snprintf(error, HAND_ERROR, "a pipeline takes sums of 8 bytes only");
        return -1;
    }
    TRY(cudaMalloc(&p->found[i], p->n_tiles * r->n * sizeof(hand_number)));
    TRY(cudaMalloc(&p->sums[i], r->n * sizeof(hand_number)));
    TRY(cudaMallocHost(&p->home[i], r->n * sizeof(hand_number)));
    return 0;
}

/* ROUNDS times as many blocks as the GPU holds at once: multiprocessors are not equally quick. */
static int choose_blocks(pipeline *p, char *error)
{
    int per_sm = 0, n_sms = 0;
    p->kernel = kernel_of(p->h->app);
    p->team = p->h->form.desc.team_size ? p->h->form.desc.team_size : USUAL_TEAM;
    p->shared_bytes = HEDDLE_REDUCE_BYTES + p->h->body->shared_bytes;
    TRY(p->kernel ? cudaSuccess : cudaErrorNotSupported);
    TRY(cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, 0));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, p->kernel, static_cast<int>(p->team), p->shared_bytes));
    p->n_blocks = static_cast<uint32_t>(ROUNDS * per_sm * n_sms);
    return 0;
}

int pipeline_open(pipeline **out, const hand *h, uint64_t chunk, uint32_t n_streams, char error[HAND_ERROR])
{
    pipeline *p = *out = new pipeline();
    int status;
    p->h = h;
    p->chunk = chunk;
    p->n_streams = std::min<uint32_t>(n_streams, MOST_STREAMS);
    p->n_tiles = hand_pieces(h, h->form.desc.tile);
    TRY(cudaSetDevice(0));
    status = choose_blocks(p, error);
    for (uint32_t s = 0; s < p->n_streams && !status; s++)
        status = open_stream(p, s, error);
    for (uint32_t i = 0; i < h->form.n_found && !status; i++)
        status = open_found(p, i, error);
    return status;
}

void pipeline_close(pipeline *p)
{
    if (!p)
        return;
    for (uint32_t s = 0; s < p->n_streams; s++) {
        for (char *b : p->buffers[s])
            (void)cudaFree(b);
        if (p->streams[s])
            (void)cudaStreamDestroy(p->streams[s]);
        if (p->ended[s])
            (void)cudaEventDestroy(p->ended[s]);
    }
    for (uint32_t i = 0; i < APP_MOST_FOUND; i++) {
        (void)cudaFree(p->found[i]);
        (void)cudaFree(p->sums[i]);
        (void)cudaFreeHost(p->home[i]);
    }
    (void)cudaGetLastError();
    delete p;
}

/* ---- a run ---- */

static void set_pointer(chunk_work *c, size_t field, char *at) { memcpy(c->record + field, &at, sizeof at); }

/* An array's part of a chunk; sets the pointer to where row 0 would be. */
static int bring(const pipeline *p, uint32_t s, uint32_t i, chunk_work *c, char *error)
{
    const app_rows *r = &p->h->form.rows[i];
    const uint64_t first = c->begin > r->before ? c->begin - r->before : 0,
                   end = std::min(c->end + r->after, r->n_rows);
    set_pointer(c, r->field, p->buffers[s][i] - first * r->row_bytes);
    if (r->mode != HEDDLE_MODE_OUT)
        TRY(cudaMemcpyAsync(p->buffers[s][i], static_cast<char *>(r->host) + first * r->row_bytes,
                            (end - first) * r->row_bytes, cudaMemcpyHostToDevice, p->streams[s]));
    return 0;
}

static int take_home(const pipeline *p, uint32_t s, uint32_t i, const chunk_work *c, char *error)
{
    const app_rows *r = &p->h->form.rows[i];
    if (r->mode != HEDDLE_MODE_IN)
        TRY(cudaMemcpyAsync(static_cast<char *>(r->host) + c->begin * r->row_bytes, p->buffers[s][i],
                            (c->end - c->begin) * r->row_bytes, cudaMemcpyDeviceToHost, p->streams[s]));
    return 0;
}

static int put_chunk(const pipeline *p, uint32_t s, chunk_work *c, char *error)
{
    const uint64_t n = (c->end - c->begin + c->tile - 1) / c->tile * c->n_columns;
    for (uint32_t i = 0; i < p->h->form.n_rows; i++)
        if (bring(p, s, i, c, error))
            return -1;
    p->kernel<<<static_cast<uint32_t>(std::min<uint64_t>(n, p->n_blocks)), p->team, p->shared_bytes, p->streams[s]>>>(
        *c);
    TRY(cudaGetLastError());
    for (uint32_t i = 0; i < p->h->form.n_rows; i++)
        if (take_home(p, s, i, c, error))
            return -1;
    return 0;
}

static int put_sums(const pipeline *p, char *error)
{
    cudaStream_t stream = p->streams[0];
    for (uint32_t s = 1; s < p->n_streams; s++) {
        TRY(cudaEventRecord(p->ended[s], p->streams[s]));
        TRY(cudaStreamWaitEvent(stream, p->ended[s], 0));
    }
    for (uint32_t i = 0; i < p->h->form.n_found; i++) {
        const heddle_reduction *r = &p->h->form.found[i];
        if (r->type == HEDDLE_F64)
            add_up<<<r->n, ADDING_TEAM, 0, stream>>>(reinterpret_cast<const double *>(p->found[i]), &p->sums[i]->f64,
                                                     p->n_tiles);
        else
            add_up<<<r->n, ADDING_TEAM, 0, stream>>>(reinterpret_cast<const int64_t *>(p->found[i]), &p->sums[i]->i64,
                                                     p->n_tiles);
        TRY(cudaGetLastError());
        TRY(cudaMemcpyAsync(p->home[i], p->sums[i], r->n * sizeof(hand_number), cudaMemcpyDeviceToHost, stream));
    }
    return 0;
}

static chunk_work begin_work(const pipeline *p)
{
    const heddle_loop_desc *d = &p->h->form.desc;
    chunk_work c = {};
    c.n_2 = d->n_2 ? d->n_2 : 1;
    c.tile = d->tile;
    c.tile_2 = d->n_2 ? d->tile_2 : 1;
    c.n_columns = (c.n_2 + c.tile_2 - 1) / c.tile_2;
    memcpy(c.record, p->h->record, p->h->record_bytes);
    for (uint32_t i = 0; i < p->h->form.n_found; i++)
        set_pointer(&c, p->h->form.found[i].field, p->found[i]);
    return c;
}

int pipeline_run(pipeline *p, char error[HAND_ERROR])
{
    chunk_work c = begin_work(p);
    uint32_t s = 0;
    for (uint64_t at = 0; at < p->h->form.desc.n; at += p->chunk, s = (s + 1) % p->n_streams) {
        c.begin = at;
        c.end = std::min(at + p->chunk, p->h->form.desc.n);
        if (put_chunk(p, s, &c, error))
            return -1;
    }
    if (p->h->form.n_found && put_sums(p, error))
        return -1;
    for (s = 0; s < p->n_streams; s++)
        TRY(cudaStreamSynchronize(p->streams[s]));
    for (uint32_t i = 0; i < p->h->form.n_found; i++)
        memcpy(p->h->form.found[i].result, p->home[i], p->h->form.found[i].n * sizeof(hand_number));
    return 0;
}
