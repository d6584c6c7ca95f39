/* SPDX-License-Identifier: MIT */
/* backend.c - the cuda backend's interface: opening and closing one NVIDIA GPU, its memory, and the table of functions. It
 * uses the other files of the folder; none of them uses it.
 *
 * All work goes into a non-blocking stream of the context, which does not wait for the default stream. Several contexts and
 * other work of the process thus run side by side. Only plain device memory is used. */
#include "backend/cuda/cuda.h"
#include "backend/cuda/loaded.h"
#include "backend/cuda/peer.h"
#include "backend/cuda/pool.h"
#include "backend/schedule.h"

static uint32_t count(void)
{
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess) { /* no driver, no device: not an error here */
        (void)cudaGetLastError();
        return 0;
    }
    return (uint32_t)n;
}

static void close_device(hd_device *d)
{
    if (!d)
        return;
    (void)cudaSetDevice(d->index);
    hd_cuda_copies(d, 0);
    if (d->stream)
        (void)cudaStreamDestroy(d->stream);
    if (d->side)
        (void)cudaStreamDestroy(d->side);
    pthread_mutex_destroy(&d->pools_mutex);
    hd_delete(d, sizeof *d);
}

static heddle_status look(hd_device *d, hd_error *e)
{
    int shared, cooperative;
#define ASK(field, which) \
    HD_CUDA_TRY(cudaDeviceGetAttribute(&(field), cudaDevAttr##which, d->index), e, "asking what the GPU can do")
    ASK(d->n_sms, MultiProcessorCount);
    ASK(d->major, ComputeCapabilityMajor);
    ASK(d->minor, ComputeCapabilityMinor);
    ASK(shared, MaxSharedMemoryPerBlockOptin);
    ASK(cooperative, CooperativeLaunch);
#undef ASK
    d->max_shared_bytes = (uint64_t)shared;
    if (d->major * 10 + d->minor < 75 || !cooperative)
        return hd_say(e, HEDDLE_ENODEV, "GPU %d has compute capability %d.%d; 7.5 or newer is needed", d->index,
                      d->major, d->minor);
    return HEDDLE_OK;
}

static heddle_status prepare(hd_device *d, hd_error *e)
{
    HD_TRY(hd_cuda_use(d, e));
    HD_TRY(hd_driver_find(&d->driver, e));
    HD_TRY(look(d, e));
    HD_CUDA_TRY(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking), e, "making a stream");
    HD_CUDA_TRY(cudaStreamCreateWithFlags(&d->side, cudaStreamNonBlocking), e, "making a stream");
    return HEDDLE_OK;
}

/* The limit belongs to the process: it is only raised. */
static heddle_status raise_stack(uint64_t n_bytes, hd_error *e)
{
    size_t now = 0;
    HD_CUDA_TRY(cudaDeviceGetLimit(&now, cudaLimitStackSize), e, "asking for the size of call stacks");
    if (n_bytes > now)
        HD_CUDA_TRY(cudaDeviceSetLimit(cudaLimitStackSize, n_bytes), e, "giving threads larger call stacks");
    return HEDDLE_OK;
}

static heddle_status open_device(hd_device **out, heddle_config *cfg, hd_error *e)
{
    const hd_way *way = hd_way_of(cfg->schedule, HEDDLE_CUDA);
    hd_device *d = hd_new(sizeof *d);
    heddle_status s;
    *out = NULL;
    if (!d)
        return hd_say(e, HEDDLE_ENOMEM, "cuda backend: out of memory");
    d->index = (int)cfg->device;
    pthread_mutex_init(&d->pools_mutex, NULL);
    hd_cuda_copies(d, 1);
    s = prepare(d, e);
    if (s == HEDDLE_OK)
        s = raise_stack(cfg->stack_bytes, e);
    if (s != HEDDLE_OK) {
        close_device(d);
        return s;
    }
    if (way->takes & HD_TAKES_POLICY && !cfg->expert.policy)
        cfg->expert.policy = way->policy;
    d->config = *cfg;
    *out = d;
    return HEDDLE_OK;
}

static heddle_status peer(uint32_t device, uint32_t from, heddle_peer *out, hd_error *e)
{
    heddle_config c = HEDDLE_CONFIG_INIT, c_from = HEDDLE_CONFIG_INIT;
    hd_device *to = NULL, *other = NULL;
    heddle_status s;
    c.device = device;
    c_from.device = from;
    s = open_device(&to, &c, e);
    if (s == HEDDLE_OK)
        s = open_device(&other, &c_from, e);
    if (s == HEDDLE_OK)
        *out = hd_cuda_peer(to, other);
    close_device(other);
    close_device(to);
    return s;
}

static heddle_status takes(const heddle_table *t, hd_error *e)
{
    if (t->stubs)
        return HEDDLE_OK;
    return hd_say(
        e, HEDDLE_ENODEV,
        "table %s was compiled as C, so its bodies have no GPU code: compile its file with nvcc (heddle_add_bodies "
        "does), or open the context with backend cpu",
        t->name);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Works during a run, as on other backends: the output of a watched task can be read while the run goes on. */
static heddle_status mem_write(hd_device *d, void *dst, const void *host, size_t n_bytes, hd_error *e)
{
    return hd_cuda_copy(d, dst, host, n_bytes, cudaMemcpyHostToDevice, e);
}

static heddle_status mem_read(hd_device *d, void *host, const void *src, size_t n_bytes, hd_error *e)
{
    return hd_cuda_copy(d, host, src, n_bytes, cudaMemcpyDeviceToHost, e);
}

/* ---- work of either kind ------------------------------------------------------------------------------------------ */

static heddle_status load(hd_loaded **out, hd_device *d, const hd_work *work, hd_watcher watcher, hd_error *e)
{
    return work->kind == HD_WORK_POOL ? hd_cuda_pool_load(out, d, work, e) : hd_cuda_load(out, d, work, watcher, e);
}

static void unload(hd_loaded *l)
{
    if (l->pool)
        hd_cuda_pool_unload(l);
    else
        hd_cuda_unload(l);
}

static heddle_status start(hd_loaded *l, const void *params, int help, uint64_t limit_ns, hd_error *e)
{
    return l->pool ? hd_cuda_pool_start(l, params, e) : hd_cuda_start(l, params, help, limit_ns, e);
}

static heddle_status wait(hd_loaded *l, uint64_t deadline_ns)
{
    return l->pool ? hd_cuda_pool_wait(l, deadline_ns) : hd_cuda_wait(l, deadline_ns);
}

static void stop(hd_loaded *l, uint32_t why)
{
    if (l->pool)
        hd_cuda_pool_stop(l);
    else
        hd_cuda_stop(l, why);
}

static int doing(const hd_loaded *l, uint32_t worker, hd_doing *out)
{
    return l->pool ? hd_cuda_pool_doing(l, worker, out) : hd_cuda_doing(l, worker, out);
}

const hd_backend hd_cuda_backend = {
    .version = HD_BACKEND_VERSION,
    .kind = HEDDLE_CUDA,
    .works = 1u << HD_WORK_GRAPH | 1u << HD_WORK_POOL,
    .count = count,
    .describe = hd_cuda_describe,
    .peer = peer,
    .open = open_device,
    .takes = takes,
    .close = close_device,
    .mem_new = hd_cuda_mem_new,
    .mem_free = hd_cuda_mem_free,
    .mem_write = mem_write,
    .mem_read = mem_read,
    .load = load,
    .unload = unload,
    .changed = hd_cuda_changed,
    .start = start,
    .wait = wait,
    .stop = stop,
    .result = hd_cuda_result,
    .doing = doing,
    .pool_words = hd_cuda_pool_words,
    .pool_send = hd_cuda_pool_send,
    .pool_flush = hd_cuda_pool_flush,
    .pool_stop_task = hd_cuda_pool_stop_task,
    .pool_how = hd_cuda_pool_how,
    .pool_pin = hd_cuda_pool_pin,
    .pool_unpin = hd_cuda_pool_unpin,
    .pool_event = hd_cuda_pool_event,
    .pool_stream_wait = hd_cuda_pool_stream_wait,
    .accelerator = hd_cuda_accelerator,
    .host_pin = hd_cuda_host_pin,
    .host_unpin = hd_cuda_host_unpin,
    .waiting = hd_cuda_waiting,
    .complaint = hd_cuda_complaint,
    .enqueue = hd_cuda_enqueue,
    .synced = hd_cuda_synced,
};
