/* SPDX-License-Identifier: MIT */
/* peers.h - the thesis' kernels (sections 6.3 to 6.5) on the device, as listed there, over any cell of cells.h. A block
 * has one thread per row of a tile, and a block barrier after each diagonal of cells.
 *
 *     peers      block b takes bands b, b + P, b + 2P ... with P blocks; one flag per tile shows that the tile above is done
 *     barriers   all blocks meet at a barrier after each diagonal of tiles; the tiles are divided again each time
 *
 * Both use square tiles or hyper-tiles (geometry.h). Differences from the listing make it correct, or quicker:
 *
 *   - A flag is stored with release and loaded with acquire. The listing has neither, so it does not order data and flag.
 *   - Each band has its own flags, and a flag holds the number of the run: so no flag is ever reset.
 *   - Neighbours in the band come through shared memory and registers (section 6.3.4), and the row above is loaded per tile;
 *     in the listing each cell loads everything from memory.
 *
 * All blocks must be resident, as the thesis requires; the launch ensures it. Each wait ends after peer_job.limit_ns:
 * then all blocks leave, and *stop is not 0. */
#ifndef PEERWAVE_PEERS_H
#define PEERWAVE_PEERS_H

#include "job.h"

#if defined(__CUDA_ARCH__)
#define PEER_CLOCK() ((uint64_t)clock64())
#else
#define PEER_CLOCK() heddle_clock_ns()
#endif

enum { PEER_LOOKS = 256 };

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Inputs of a cell. */
template <class T> struct peer_seen {
    T n, w, nw, old_c, old_e, old_s;
    int32_t x, y;
    uint32_t i, j;
};

static __device__ __forceinline__ void peer_put(int32_t *to, int32_t v) { *to = v; }
static __device__ __forceinline__ void peer_put(uint32_t *to, int32_t v) { *to = (uint32_t)v; }
static __device__ __forceinline__ void peer_put(heddle_nothing *, int32_t) {}

/* Adapts a body of HEDDLE_CELL or HEDDLE_SWEEP. outside: the cells above and left of the field; the corner is 0. */
#define PEER_OF_CELL(name, outside_cell)                                                               \
    struct name##_of_peers {                                                                           \
        typedef name##_value_t_ value;                                                                 \
        enum { is_sweep = 0 };                                                                         \
        static __device__ __forceinline__ value outside() { return (value)(outside_cell); }            \
        static __device__ __forceinline__ value step(const peer_params *p, const peer_seen<value> *at) \
        {                                                                                              \
            name##_in_ in = {};                                                                        \
            in.n = at->n;                                                                              \
            in.w = at->w;                                                                              \
            in.nw = at->nw;                                                                            \
            peer_put(&in.x, at->x);                                                                    \
            peer_put(&in.y, at->y);                                                                    \
            in.i = at->i;                                                                              \
            in.j = at->j;                                                                              \
            return name##_cell_(p, &in);                                                               \
        }                                                                                              \
    };
#define PEER_OF_SWEEP(name)                                                                                 \
    struct name##_of_peers {                                                                                \
        typedef name##_value_t_ value;                                                                      \
        enum { is_sweep = 1 };                                                                              \
        static __device__ __forceinline__ value outside() { return 0; }                                     \
        static __device__ __forceinline__ value step(const peer_params *p, const peer_seen<value> *at)      \
        {                                                                                                   \
            name##_sweep_in_ in = {};                                                                       \
            in.n = at->n;                                                                                   \
            in.w = at->w;                                                                                   \
            in.old_c = at->old_c;                                                                           \
            in.old_e = at->old_e;                                                                           \
            in.old_s = at->old_s;                                                                           \
            in.i = at->i;                                                                                   \
            in.j = at->j;                                                                                   \
            const bool is_rim = at->i == 0 || at->j == 0 || at->i + 1u == p->rows || at->j + 1u == p->cols; \
            return is_rim ? at->old_c : name##_sweep_(p, &in);                                              \
        }                                                                                                   \
    };

/* ---- a tile ------------------------------------------------------------------------------------------------------ */

/* A thread in its band: its place, and in `at` what it keeps from diagonal to diagonal. */
template <class K> struct peer_row {
    typedef typename K::value value;
    peer_seen<value> at;
    value *field; /* the plane's field */
    uint32_t band, plane, row;
    int has_row;   /* the row is in the field */
    int64_t south; /* offset from a cell to the next column's south cell, for sweeps */
};

/* Block-shared memory. */
template <class T> struct peer_shared {
    uint32_t *leaves; /* not 0: the limit has passed */
    T *cells;         /* this diagonal, the one before, and the row above the tile */
};

template <class T> static __device__ peer_shared<T> peer_share(unsigned char *room)
{
    peer_shared<T> s;
    s.leaves = (uint32_t *)room;
    s.cells = (T *)(room + 4u * PEER_SLOT_WORDS);
    return s;
}

template <class T> static __device__ __forceinline__ T *peer_cell(const peer_job *job, T *field, uint32_t i, int64_t j)
{
    return field + peer_at(&job->params.layout, i, (uint32_t)j);
}

/* The value before this sweep; 0 outside the field. */
template <class T> static __device__ __forceinline__ T peer_old(const peer_job *job, T *field, uint32_t i, int64_t j)
{
    return i < job->tiling.rows && j >= 0 && j < job->tiling.cols ? *peer_cell(job, field, i, j) : T(0);
}

/* A finished cell, or a border value. */
template <class K>
static __device__ typename K::value peer_done(const peer_job *job, typename K::value *field, int64_t i, int64_t j)
{
    if (i < 0 && j < 0)
        return 0;
    return i < 0 || j < 0 ? K::outside() : j < job->tiling.cols ? *peer_cell(job, field, (uint32_t)i, j) : 0;
}

static __device__ __forceinline__ int32_t peer_letter(const peer_job *job, int32_t j)
{
    return job->y && (uint32_t)j < job->tiling.cols ? job->y[j] : 0;
}

/* Prepares this thread's row of a band for a tile; `col` is its first column there. */
template <class K>
static __device__ void peer_begin(const peer_job *job, peer_row<K> *r, uint32_t band, uint32_t plane, int32_t col)
{
    const peer_layout *l = &job->params.layout;
    const uint32_t height = job->tiling.height;
    r->band = band;
    r->plane = plane;
    r->row = band * height + threadIdx.x;
    r->has_row = r->row < job->tiling.rows;
    r->field = (typename K::value *)job->cells + plane * job->plane_cells;
    r->south = threadIdx.x + 1u < height
                   ? 2 * (int64_t)height + 1
                   : (((int64_t)l->stride + 1 - (int64_t)threadIdx.x) << l->shift) - (int64_t)threadIdx.x;
    if (!r->has_row)
        return;
    r->at.i = r->row;
    r->at.x = job->x ? job->x[(uint64_t)plane * job->tiling.rows + r->row] : 0;
    r->at.y = peer_letter(job, col);
    r->at.w = peer_done<K>(job, r->field, r->row, col > 0 ? col - 1 : -1);
    r->at.nw = peer_done<K>(job, r->field, (int64_t)r->row - 1, col > 0 ? col - 1 : -1);
    if (K::is_sweep) {
        r->at.old_c = peer_old(job, r->field, r->row, col);
        r->at.old_e = peer_old(job, r->field, r->row, col + 1);
        r->at.old_s = peer_old(job, r->field, r->row + 1u, col);
    }
}

/* Moves on to the next column after the cell of column `col` has been stored. */
template <class K>
static __device__ __forceinline__ void peer_advance(const peer_job *job, peer_row<K> *r, int32_t col,
                                                    const typename K::value *cell)
{
    r->at.y = peer_letter(job, col + 1);
    if (K::is_sweep) {
        const bool has_south = r->row + 1u < job->tiling.rows && (uint32_t)(col + 1) < job->tiling.cols;
        r->at.old_c = r->at.old_e;
        r->at.old_e = (uint32_t)(col + 2) < job->tiling.cols ? cell[2u * job->tiling.height] : 0;
        r->at.old_s = has_south ? cell[r->south] : 0;
    }
}

/* Loads the row above; for a hyper-tile also the diagonal before, which the threads hold in `w`. */
template <class K>
static __device__ void peer_fetch(const peer_job *job, const peer_row<K> *r, peer_shared<typename K::value> *s,
                                  uint32_t first)
{
    const int64_t above = (int64_t)r->band * job->tiling.height - 1;
    const uint32_t height = job->tiling.height;
    for (uint32_t c = threadIdx.x; c < job->tiling.width; c += height)
        s->cells[2u * height + c] = peer_done<K>(job, r->field, above, (int64_t)first + c);
    if (!job->tiling.is_square)
        s->cells[((first + 1u) & 1u) * height + threadIdx.x] = r->at.w;
    __syncthreads();
}

/* Computes tile t of the threads' band. Diagonal d of the band has column d - i in its row i. */
template <class K>
static __device__ __forceinline__ void peer_tile(const peer_job *job, peer_row<K> *r, peer_shared<typename K::value> *s,
                                                 uint32_t t)
{
    const peer_tiling *g = &job->tiling;
    const uint32_t lane = threadIdx.x, height = g->height, first = t * g->width;
    const uint32_t n = g->width + (g->is_square ? height - 1u : 0u);
    const uint32_t begin = g->is_square ? first : 0u;
    const uint32_t end = g->is_square && first + g->width < g->cols ? first + g->width : g->cols;
    const uint32_t n_cols = r->has_row ? end - begin : 0u;
    const bool comes = r->has_row && !g->is_square; /* before the row's first column */
    const uint64_t diagonal = r->band * job->params.layout.stride + first;
    typename K::value *cell = r->field + (diagonal << job->params.layout.shift) + lane;
    peer_fetch(job, r, s, first);
    for (uint32_t d = first; d < first + n; d++, cell += height) {
        const int32_t col = (int32_t)d - (int32_t)lane;
        if ((uint32_t)col - begin < n_cols) {
            r->at.n = s->cells[lane ? ((d + 1u) & 1u) * height + lane - 1u : 2u * height + (uint32_t)col - first];
            r->at.j = (uint32_t)col;
            r->at.w = K::step(&job->params, &r->at);
            r->at.nw = r->at.n;
            *cell = r->at.w;
            s->cells[(d & 1u) * height + lane] = r->at.w;
            peer_advance(job, r, col, cell);
        } else if (comes && col < 0) {
            peer_advance(job, r, col, cell);
        }
        __syncthreads();
    }
}

/* ---- waiting, by thread 0 ---------------------------------------------------------------------------------------- */

/* Waits until *word is at least v (numbers may wrap). Time up to the last look but one is idle, the rest is sync. */
static __device__ void peer_wait(const peer_job *job, uint32_t *word, uint32_t v, int is_corner, peer_tally *tally,
                                 uint32_t *leaves)
{
    const uint64_t begin = PEER_CLOCK();
    uint64_t last = begin;
    for (uint32_t n = 1; (int32_t)(HEDDLE_ATOMIC_LOAD(word, RELAXED, DEV) - v) < 0; n++) {
        if (n % PEER_LOOKS == 0) {
            if (heddle_clock_ns() - tally->begin_ns > job->limit_ns)
                HEDDLE_ATOMIC_STORE(job->stop, 1u, RELAXED, DEV);
            *leaves = HEDDLE_ATOMIC_LOAD(job->stop, RELAXED, DEV);
            if (*leaves)
                return;
        }
        last = PEER_CLOCK();
    }
    (void)HEDDLE_ATOMIC_LOAD(word, ACQUIRE, DEV);
    *(is_corner ? &tally->corner : &tally->between) += last - begin;
    tally->sync += PEER_CLOCK() - last;
}

static __device__ int peer_is_corner(const peer_job *job, uint32_t diagonal)
{
    uint32_t n;
    (void)peer_on_diagonal(&job->tiling, diagonal, &n);
    return n * job->tiling.n_planes < job->n_blocks;
}

/* ---- both ways --------------------------------------------------------------------------------------------------- */

/* Computes a tile and measures its time. */
template <class K>
static __device__ void peer_timed(const peer_job *job, peer_row<K> *r, peer_shared<typename K::value> *s, uint32_t t,
                                  peer_tally *tally)
{
    const uint64_t begin = PEER_CLOCK();
    peer_tile(job, r, s, t);
    tally->busy += PEER_CLOCK() - begin;
    tally->n_tiles++;
}

/* Raises the flags, from j on, of the tiles below that wait for tile t; returns the next one. */
static __device__ uint32_t peer_hand(const peer_job *job, uint32_t *flags, uint32_t j, uint32_t t, peer_tally *tally)
{
    const uint64_t begin = PEER_CLOCK();
    for (; j < peer_waiting(&job->tiling) && peer_need(&job->tiling, j) <= t; j++)
        HEDDLE_ATOMIC_STORE(flags + j, job->run, RELEASE, DEV);
    tally->sync += PEER_CLOCK() - begin;
    return j;
}

/* Computes the r-th band of all planes; bands at the same place in all planes are adjacent. */
template <class K>
static __device__ int peer_band(const peer_job *job, peer_shared<typename K::value> *s, uint32_t r, peer_tally *tally)
{
    const peer_tiling *g = &job->tiling;
    const uint32_t n_flags = peer_waiting(g), band = r / g->n_planes;
    uint32_t *flags = job->flags + (uint64_t)r * n_flags, *above = flags - (uint64_t)g->n_planes * n_flags, j = 0;
    peer_row<K> row = {};
    for (uint32_t t = 0; t < peer_tiles(g); t++) {
        if (threadIdx.x == 0 && band > 0 && t < n_flags)
            peer_wait(job, above + t, job->run, peer_is_corner(job, t + band * peer_behind(g)), tally, s->leaves);
        __syncthreads();
        if (*s->leaves)
            return 0;
        if (t == 0)
            peer_begin(job, &row, band, r % g->n_planes, g->is_square ? 0 : -(int32_t)threadIdx.x);
        peer_timed(job, &row, s, t, tally);
        if (threadIdx.x == 0)
            j = peer_hand(job, flags, j, t, tally);
    }
    return 1;
}

template <class K>
static __device__ void peer_peers(const peer_job *job, peer_shared<typename K::value> *s, peer_tally *tally)
{
    const uint32_t n = peer_bands(&job->tiling) * job->tiling.n_planes;
    for (uint32_t r = blockIdx.x; r < n && peer_band<K>(job, s, r, tally); r += job->n_blocks)
        ;
}

/* Waits until all blocks have come k + 1 times. */
static __device__ int peer_barrier(const peer_job *job, uint32_t k, uint32_t *leaves, peer_tally *tally)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint64_t begin = PEER_CLOCK();
        HEDDLE_ATOMIC_COUNT(job->arrived, RELEASE, DEV);
        tally->sync += PEER_CLOCK() - begin;
        peer_wait(job, job->arrived, (k + 1u) * job->n_blocks, peer_is_corner(job, k), tally, leaves);
    }
    __syncthreads();
    return !*leaves;
}

template <class K>
static __device__ void peer_barriers(const peer_job *job, peer_shared<typename K::value> *s, peer_tally *tally)
{
    const peer_tiling *g = &job->tiling;
    peer_row<K> row = {};
    for (uint32_t k = 0; k < peer_diagonals(g); k++) {
        uint32_t n;
        const uint32_t first = peer_on_diagonal(g, k, &n);
        for (uint32_t i = blockIdx.x; i < n * g->n_planes; i += job->n_blocks) {
            const uint32_t band = first + i / g->n_planes, t = k - band * peer_behind(g);
            const int32_t col = (int32_t)(t * g->width) - (g->is_square ? 0 : (int32_t)threadIdx.x);
            peer_begin(job, &row, band, i % g->n_planes, col);
            peer_timed(job, &row, s, t, tally);
        }
        if (!peer_barrier(job, k, s->leaves, tally))
            return;
    }
}

/* The code of a block; room: peer_shared_bytes. */
template <class K> static __device__ void peer_block(const peer_job *job, unsigned char *room)
{
    peer_shared<typename K::value> s = peer_share<typename K::value>(room);
    peer_tally tally = {};
    const uint64_t begin = PEER_CLOCK();
    tally.begin_ns = heddle_clock_ns();
    if (threadIdx.x == 0)
        *s.leaves = 0;
    __syncthreads();
    if (job->is_barrier)
        peer_barriers<K>(job, &s, &tally);
    else
        peer_peers<K>(job, &s, &tally);
    tally.ticks = PEER_CLOCK() - begin;
    tally.end_ns = heddle_clock_ns();
    if (threadIdx.x == 0)
        job->tallies[blockIdx.x] = tally;
}

/* ---- is it right? ------------------------------------------------------------------------------------------------ */

/* Distance of a cell from the value that its finished neighbours give. If it is 0 for all cells of a field, every cell
 * is right, by induction. Valid for the first sweep only: the field must begin as peer_start. */
template <class K> static __device__ double peer_distance(const peer_job *job, uint32_t plane, uint32_t i, uint32_t j)
{
    typename K::value *field = (typename K::value *)job->cells + plane * job->plane_cells;
    peer_seen<typename K::value> at = {};
    double is, should;
    at.n = peer_done<K>(job, field, (int64_t)i - 1, j);
    at.w = peer_done<K>(job, field, i, (int64_t)j - 1);
    at.nw = peer_done<K>(job, field, (int64_t)i - 1, (int64_t)j - 1);
    at.old_c = (typename K::value)peer_start(i, j);
    at.old_e = (typename K::value)peer_start(i, j + 1u);
    at.old_s = (typename K::value)peer_start(i + 1u, j);
    at.x = job->x ? job->x[(uint64_t)plane * job->tiling.rows + i] : 0;
    at.y = peer_letter(job, (int32_t)j);
    at.i = i;
    at.j = j;
    is = (double)*peer_cell(job, field, i, j);
    should = (double)K::step(&job->params, &at);
    return is > should ? is - should : should - is;
}

#endif
