/* SPDX-License-Identifier: MIT */
/* host.c - host memory that tasks read and write: what of it is pinned, and what a task's copies of it become.
 *
 * A GPU sees pinned memory only. A copy of other memory goes through a pinned block: what the task reads is copied there by the call that
 * spawns it, what it has written is copied back by the call that sees its end. Blocks are kept for later tasks, by size. Copies of
 * pinned memory are left to the worker (core/copy.h) or need none: the body works there.
 *
 * If memory that is not pinned is large, and the worker makes no copy of it, the block is device memory, and the same calls copy by
 * copy engines. The body would otherwise read it over the bus. Without such a block it gets a pinned one. */
#include "engine/pool/pool.h"

#define LEAST_BLOCK_BITS 8u
#define MOST_BLOCK_BITS 40u
#define SLAB (1ull << 20)  /* pinned at once: pinning takes long */
#define LARGE (1ull << 20) /* from here on calls of CUDA are made */

typedef struct region {
    uint64_t begin, end;
    int is_own; /* allocated here */
} region;

/* Device memory for a large copy. */
typedef struct device_block {
    void *at;
    uint64_t n_bytes;
    int is_free;
} device_block;

#define REGION(h, i) ((region *)(h)->regions.at + (i))
#define DEVICE(h, i) ((device_block *)(h)->device.at + (i))

/* ---- pinned memory; the caller holds the lock ------------------------------------------------------------------------ */

/* The number of regions that begin at or before an address. */
static uint64_t regions_before(const hd_host_memory *h, uint64_t at)
{
    uint64_t low = 0, high = h->regions.n;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (REGION(h, middle)->begin <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int is_pinned(const hd_host_memory *h, uint64_t at, uint64_t n_bytes)
{
    const uint64_t i = regions_before(h, at);
    return i && REGION(h, i - 1)->end - at >= n_bytes && REGION(h, i - 1)->end >= at;
}

/* Pins memory and notes it. */
static heddle_status pin(heddle_pool *p, void *at, uint64_t n_bytes, int is_own)
{
    hd_host_memory *h = &p->host;
    const uint64_t begin = (uint64_t)(uintptr_t)at, i = regions_before(h, begin);
    if ((i && REGION(h, i - 1)->end > begin) || (i < h->regions.n && REGION(h, i)->begin < begin + n_bytes))
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: %p is pinned already, or a part of the %llu bytes there", at,
                      (unsigned long long)n_bytes);
    if (hd_list_room(&h->regions, 1, sizeof(region)))
        return hd_say(NULL, HEDDLE_ENOMEM, "a pool: no memory for one more pinned range");
    if (p->backend->pool_pin)
        HD_TRY(p->backend->pool_pin(p->loaded, at, n_bytes, hd_thread_error()));
    memmove(REGION(h, i + 1), REGION(h, i), (h->regions.n++ - i) * sizeof(region));
    *REGION(h, i) = (region){begin, begin + n_bytes, is_own};
    return HEDDLE_OK;
}

static void unpin(heddle_pool *p, uint64_t i)
{
    hd_host_memory *h = &p->host;
    const region r = *REGION(h, i);
    void *at = (void *)(uintptr_t)r.begin;
    if (p->backend->pool_unpin)
        p->backend->pool_unpin(p->loaded, at);
    if (r.is_own)
        hd_delete_sparse(at, r.end - r.begin);
    memmove(REGION(h, i), REGION(h, i + 1), (--h->regions.n - i) * sizeof(region));
}

static heddle_status new_pinned(heddle_pool *p, uint64_t n_bytes, void **out)
{
    heddle_status s;
    *out = hd_new_sparse(n_bytes);
    if (!*out)
        return hd_say(NULL, HEDDLE_ENOMEM, "a pool: no memory for %llu bytes", (unsigned long long)n_bytes);
    s = pin(p, *out, n_bytes, 1);
    if (s == HEDDLE_OK)
        return HEDDLE_OK;
    hd_delete_sparse(*out, n_bytes);
    *out = NULL;
    return s;
}

/* The region that begins at this address, of that kind, or HD_NONE. */
static uint64_t find(const hd_host_memory *h, const void *at, int is_own)
{
    const uint64_t begin = (uint64_t)(uintptr_t)at, i = regions_before(h, begin);
    return i && REGION(h, i - 1)->begin == begin && REGION(h, i - 1)->is_own == is_own ? i - 1 : HD_NONE;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------ */

static uint32_t block_bits(uint64_t n_bytes)
{
    uint32_t bits = LEAST_BLOCK_BITS;
    while (1ull << bits < n_bytes)
        bits++;
    return bits;
}

/* Free blocks of one size are linked through their first bytes. */
static void put_block(hd_host_memory *h, uint32_t bits, void *block)
{
    *(void **)block = h->free[bits];
    h->free[bits] = block;
}

static heddle_status take_block(heddle_pool *p, uint32_t bits, void **out)
{
    hd_host_memory *h = &p->host;
    const uint64_t n_bytes = 1ull << bits, slab = n_bytes > SLAB ? n_bytes : SLAB;
    uint64_t at;
    void *fresh;
    if (!h->free[bits]) {
        HD_TRY(new_pinned(p, slab, &fresh));
        for (at = 0; at < slab; at += n_bytes)
            put_block(h, bits, (uint8_t *)fresh + at);
    }
    *out = h->free[bits];
    h->free[bits] = *(void **)*out;
    return HEDDLE_OK;
}

/* A block of device memory, or NULL. It is at most twice as large as it must be. */
static void *take_device(heddle_pool *p, uint64_t n_bytes)
{
    hd_host_memory *h = &p->host;
    uint64_t i;
    void *at;
    n_bytes = (n_bytes + LARGE - 1) / LARGE * LARGE;
    for (i = 0; i < h->device.n; i++)
        if (DEVICE(h, i)->is_free && DEVICE(h, i)->n_bytes >= n_bytes && DEVICE(h, i)->n_bytes <= 2 * n_bytes) {
            DEVICE(h, i)->is_free = 0;
            return DEVICE(h, i)->at;
        }
    if (!p->backend->mem_new || hd_list_room(&h->device, 1, sizeof(device_block)))
        return NULL;
    at = p->backend->mem_new(p->ctx->device, n_bytes);
    if (at)
        *DEVICE(h, h->device.n++) = (device_block){at, n_bytes, 0};
    return at;
}

static void put_device(hd_host_memory *h, const void *at)
{
    uint64_t i;
    for (i = 0; i < h->device.n; i++)
        if (DEVICE(h, i)->at == at)
            DEVICE(h, i)->is_free = 1;
}

/* ---- a task's copies ---------------------------------------------------------------------------------------------------- */

typedef struct bounce {
    void *host, *block;
    uint64_t n_bytes;
    uint32_t bits;
    int is_out, is_on_device;
} bounce;

struct hd_bounces {
    uint32_t n;
    bounce at[HEDDLE_POOL_MOST_COPIES];
};

/* Without the results the pool cannot go on. */
static void copy_back(heddle_pool *p, const bounce *b)
{
    hd_error e;
    if (!b->is_on_device)
        memcpy(b->host, b->block, b->n_bytes);
    else if (p->backend->mem_read(p->ctx->device, b->host, b->block, b->n_bytes, &e) != HEDDLE_OK)
        __atomic_store_n(&p->ctx->lost, 1, __ATOMIC_RELAXED);
}

static heddle_status copy_there(heddle_pool *p, const bounce *b)
{
    if (b->is_on_device)
        return p->backend->mem_write(p->ctx->device, b->block, b->host, b->n_bytes, hd_thread_error());
    memcpy(b->block, b->host, b->n_bytes);
    return HEDDLE_OK;
}

void hd_bounces_end(heddle_pool *p, hd_bounces *b, int is_well)
{
    uint32_t i;
    if (!b)
        return;
    for (i = 0; is_well && i < b->n; i++)
        if (b->at[i].is_out)
            copy_back(p, &b->at[i]);
    pthread_mutex_lock(&p->host.mutex);
    for (i = 0; i < b->n; i++)
        if (b->at[i].is_on_device)
            put_device(&p->host, b->at[i].block);
        else
            put_block(&p->host, b->at[i].bits, b->at[i].block);
    pthread_mutex_unlock(&p->host.mutex);
    hd_delete(b, sizeof *b);
}

static heddle_status take_bounce(heddle_pool *p, bounce *b, int may_be_on_device)
{
    b->block = may_be_on_device ? take_device(p, b->n_bytes) : NULL;
    b->is_on_device = b->block != NULL;
    return b->block ? HEDDLE_OK : take_block(p, b->bits, &b->block);
}

/* Memory that is not pinned: *at becomes a block, for what the task reads with that in it. */
static heddle_status bounce_copy(heddle_pool *p, const heddle_pool_copy *c, hd_copied *copied, int may_be_on_device,
                                 void **at)
{
    heddle_status s;
    bounce *to;
    if (!copied->bounces)
        copied->bounces = hd_new(sizeof *copied->bounces);
    if (!copied->bounces)
        return hd_say(NULL, HEDDLE_ENOMEM, "a pool: no memory for the copies of a task");
    to = &copied->bounces->at[copied->bounces->n];
    *to = (bounce){c->host, NULL, c->n_bytes, block_bits(c->n_bytes), (c->mode & HEDDLE_MODE_OUT) != 0, 0};
    pthread_mutex_lock(&p->host.mutex);
    s = take_bounce(p, to, may_be_on_device);
    pthread_mutex_unlock(&p->host.mutex);
    if (s != HEDDLE_OK)
        return s;
    copied->bounces->n++;
    *at = to->block;
    return c->mode & HEDDLE_MODE_IN ? copy_there(p, to) : HEDDLE_OK;
}

/* *at becomes where the task sees the range of c: there, or a block. */
static heddle_status place(heddle_pool *p, const heddle_pool_copy *c, hd_copied *copied, int may_be_on_device,
                           void **at)
{
    int is_seen = 1;
    *at = c->host;
    if (p->words->pinned_only) {
        pthread_mutex_lock(&p->host.mutex);
        is_seen = is_pinned(&p->host, (uint64_t)(uintptr_t)c->host, c->n_bytes);
        pthread_mutex_unlock(&p->host.mutex);
    }
    return is_seen ? HEDDLE_OK : bounce_copy(p, c, copied, may_be_on_device, at);
}

/* Has the worker's memory room for the copy of c? *used: the room that others have. */
static int is_staged(const heddle_pool *p, const heddle_pool_task *t, const heddle_pool_copy *c, const hd_copied *to,
                     uint64_t used)
{
    const uint64_t room = c->n_bytes < UINT32_MAX - 16u ? hd_copy_room((uint32_t)c->n_bytes) : UINT64_MAX;
    return !c->in_place && t->n_blocks <= 1 && room <= p->words->stage_bytes - used &&
           to->n_staged < p->words->most_copies;
}

/* Describes the copy of c, which the task sees at `at`, for the worker. */
static void stage(const heddle_pool_copy *c, const void *at, hd_copied *to, uint64_t *used)
{
    const uint32_t mode = (c->mode & HEDDLE_MODE_IN ? HD_COPY_IN : 0u) | (c->mode & HEDDLE_MODE_OUT ? HD_COPY_OUT : 0u);
    to->staged[to->n_staged++] =
        (hd_copy){(uint64_t)(uintptr_t)at, (uint32_t)c->n_bytes, c->at << HD_COPY_MODES | mode};
    *used += hd_copy_room((uint32_t)c->n_bytes);
}

/* The task's next copy. */
static heddle_status begin_copy(heddle_pool *p, const heddle_pool_task *t, const heddle_pool_copy *c, hd_copied *to,
                                uint64_t *used)
{
    const int staged = is_staged(p, t, c, to, *used);
    void *at;
    HD_TRY(place(p, c, to, !staged && !c->in_place && c->n_bytes >= LARGE, &at));
    memcpy(to->args + c->at, &at, sizeof at);
    if (staged)
        stage(c, at, to, used);
    return HEDDLE_OK;
}

heddle_status hd_copies_begin(heddle_pool *p, const heddle_pool_task *t, const uint8_t *args, hd_copied *to)
{
    heddle_status s = HEDDLE_OK;
    uint64_t used = 0;
    size_t i;
    to->n_staged = 0;
    to->bounces = NULL;
    to->n_bytes = t->arg_bytes;
    to->args = to->n_bytes <= sizeof to->room ? to->room : hd_new(to->n_bytes);
    if (!to->args)
        return hd_say(NULL, HEDDLE_ENOMEM, "a pool: no memory for the arguments of a task with copies");
    memcpy(to->args, args, to->n_bytes);
    for (i = 0; s == HEDDLE_OK && i < t->n_copies; i++)
        s = begin_copy(p, t, &t->copies[i], to, &used);
    if (s != HEDDLE_OK)
        hd_copies_end(p, to, 0);
    return s;
}

void hd_copies_end(heddle_pool *p, hd_copied *c, int was_sent)
{
    if (c->args != c->room)
        hd_delete(c->args, c->n_bytes);
    if (!was_sent)
        hd_bounces_end(p, c->bounces, 0);
}

/* ---- the calls ------------------------------------------------------------------------------------------------------------ */

HEDDLE_API heddle_status heddle_pool_mem_new(heddle_pool *p, uint64_t n_bytes, void **out)
{
    heddle_status s;
    if (out)
        *out = NULL;
    HD_TRY(hd_pool_usable(p, "heddle_pool_mem_new"));
    if (!out || !n_bytes)
        return hd_say(NULL, out ? HEDDLE_ERANGE : HEDDLE_EINVAL, "heddle_pool_mem_new: %s",
                      out ? "0 bytes" : "out is NULL");
    pthread_mutex_lock(&p->host.mutex);
    s = new_pinned(p, n_bytes, out);
    pthread_mutex_unlock(&p->host.mutex);
    return s;
}

HEDDLE_API heddle_status heddle_pool_pin(heddle_pool *p, void *at, uint64_t n_bytes)
{
    heddle_status s;
    HD_TRY(hd_pool_usable(p, "heddle_pool_pin"));
    if (!at || !n_bytes)
        return hd_say(NULL, at ? HEDDLE_ERANGE : HEDDLE_EINVAL, "heddle_pool_pin: %s",
                      at ? "0 bytes" : "the address is NULL");
    pthread_mutex_lock(&p->host.mutex);
    s = pin(p, at, n_bytes, 0);
    pthread_mutex_unlock(&p->host.mutex);
    return s;
}

static heddle_status forget(heddle_pool *p, void *at, int is_own, const char *call)
{
    uint64_t i;
    HD_TRY(hd_pool_usable(p, call));
    pthread_mutex_lock(&p->host.mutex);
    i = find(&p->host, at, is_own);
    if (i != HD_NONE)
        unpin(p, i);
    pthread_mutex_unlock(&p->host.mutex);
    return i != HD_NONE ? HEDDLE_OK : hd_say(NULL, HEDDLE_EINVAL, "%s: %p is no such memory of this pool", call, at);
}

HEDDLE_API heddle_status heddle_pool_mem_free(heddle_pool *p, void *at)
{
    return at ? forget(p, at, 1, "heddle_pool_mem_free") : HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_pool_unpin(heddle_pool *p, void *at) { return forget(p, at, 0, "heddle_pool_unpin"); }

void hd_host_free(heddle_pool *p)
{
    while (p->host.regions.n)
        unpin(p, p->host.regions.n - 1);
    while (p->host.device.n)
        p->backend->mem_free(p->ctx->device, DEVICE(&p->host, --p->host.device.n)->at);
    hd_list_clear(&p->host.regions);
    hd_list_clear(&p->host.device);
}
