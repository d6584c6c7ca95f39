/* SPDX-License-Identifier: MIT */
/* accelerator_call.c - functions of the host that put work into a queue of a GPU or of a part of it (heddle/fleet.h, `call`).
 *
 * Spans of a part are launched with its share of the blocks. What a library launches is not known, so calls of a part go into a stream
 * of a green context, which has a share of the multiprocessors. It goes on where the queue stands, and the queue waits for it. Parts of
 * the same size have different multiprocessors, as far as they are numbered differently. All parts share the GPU's memory and its link.
 *
 * A green context has as many multiprocessors as the hardware divides: of 132, a quarter has 32, since they come by eights.
 *
 * Refused are calls of parts for which there is no green context: the driver has none, or a part would be smaller than what it divides. Such a
 * part has no `call`. */
#include "backend/cuda/accelerator.h"

/* The largest number of multiprocessors by which there are n_parts equal groups. Groups come in the same order each time. */
static CUresult find_group(const hd_part *p, CUdevResource *group)
{
    const hd_driver *d = &p->device->driver;
    const uint64_t n_bytes = p->n_parts * sizeof *group;
    CUdevResource all, *groups = hd_new(n_bytes);
    uint32_t n_sms = (uint32_t)p->device->n_sms / p->n_parts, n_groups = 0;
    CUdevice device;
    CUresult r = groups ? d->cuDeviceGet(&device, p->device->index) : CUDA_ERROR_OUT_OF_MEMORY;
    if (r == CUDA_SUCCESS)
        r = d->cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM);
    for (; r == CUDA_SUCCESS && n_groups < p->n_parts && n_sms; n_sms--) {
        n_groups = p->n_parts;
        r = d->cuDevSmResourceSplitByCount(groups, &n_groups, &all, NULL, 0, n_sms);
    }
    if (r == CUDA_SUCCESS && n_groups < p->n_parts)
        r = CUDA_ERROR_NOT_SUPPORTED;
    if (r == CUDA_SUCCESS)
        *group = groups[p->part % p->n_parts];
    hd_delete(groups, groups ? n_bytes : 0);
    return r;
}

static CUresult make_context(hd_part *p)
{
    const hd_driver *d = &p->device->driver;
    CUdevResource group;
    CUdevResourceDesc desc;
    CUdevice device;
    CUresult r = find_group(p, &group);
    if (r == CUDA_SUCCESS)
        r = d->cuDevResourceGenerateDesc(&desc, &group, 1);
    if (r == CUDA_SUCCESS)
        r = d->cuDeviceGet(&device, p->device->index);
    if (r == CUDA_SUCCESS)
        r = d->cuGreenCtxCreate(&p->calls.green, desc, device, CU_GREEN_CTX_DEFAULT_STREAM);
    return r;
}

/* An event belongs to the context in which it is recorded. */
static CUresult make_events(hd_part *p)
{
    const hd_driver *d = &p->device->driver;
    CUcontext green, left;
    cudaError_t first = cudaSuccess, second = cudaSuccess;
    uint32_t q;
    CUresult r = d->cuCtxFromGreenCtx(&green, p->calls.green);
    for (q = 0; q < HD_PART_QUEUES && first == cudaSuccess; q++)
        first = cudaEventCreateWithFlags(&p->calls.begin[q], cudaEventDisableTiming);
    if (r == CUDA_SUCCESS)
        r = d->cuCtxPushCurrent(green);
    if (r != CUDA_SUCCESS)
        return r;
    for (q = 0; q < HD_PART_QUEUES && second == cudaSuccess; q++)
        second = cudaEventCreateWithFlags(&p->calls.end[q], cudaEventDisableTiming);
    r = d->cuCtxPopCurrent(&left);
    return first != cudaSuccess || second != cudaSuccess ? CUDA_ERROR_OUT_OF_MEMORY : r;
}

static CUresult make_streams(hd_part *p)
{
    const hd_driver *d = &p->device->driver;
    CUresult r = CUDA_SUCCESS;
    uint32_t q;
    for (q = 0; q < HD_PART_QUEUES && r == CUDA_SUCCESS; q++)
        r = d->cuGreenCtxStreamCreate(&p->calls.streams[q], p->calls.green, CU_STREAM_NON_BLOCKING, 0);
    return r;
}

int hd_part_calls_begin(hd_part *p)
{
    CUresult r = CUDA_SUCCESS;
    if (p->n_parts == 1)
        return 1;
    r = make_context(p);
    if (r == CUDA_SUCCESS)
        r = make_streams(p);
    if (r == CUDA_SUCCESS)
        r = make_events(p);
    if (r != CUDA_SUCCESS)
        hd_part_calls_end(p);
    return r == CUDA_SUCCESS;
}

void hd_part_calls_end(hd_part *p)
{
    uint32_t q;
    for (q = 0; q < HD_PART_QUEUES; q++) {
        if (p->calls.streams[q])
            (void)cudaStreamDestroy(p->calls.streams[q]);
        if (p->calls.begin[q])
            (void)cudaEventDestroy(p->calls.begin[q]);
        if (p->calls.end[q])
            (void)cudaEventDestroy(p->calls.end[q]);
    }
    if (p->calls.green)
        (void)p->device->driver.cuGreenCtxDestroy(p->calls.green);
    p->calls = (hd_part_calls){0};
}

static cudaError_t go_on(cudaStream_t stream, cudaEvent_t event, cudaStream_t behind)
{
    const cudaError_t r = cudaEventRecord(event, behind);
    return r == cudaSuccess ? cudaStreamWaitEvent(stream, event, 0) : r;
}

static heddle_status call_part(hd_part *p, uint32_t queue, heddle_call_fn fn, void *user, const heddle_span_work *w)
{
    const hd_part_calls *c = &p->calls;
    heddle_status s;
    HD_CUDA_TRY(go_on(c->streams[queue], c->begin[queue], p->streams[queue]), NULL,
                "putting a call into a part's stream");
    s = fn(user, c->streams[queue], w);
    HD_CUDA_TRY(go_on(p->streams[queue], c->end[queue], c->streams[queue]), NULL,
                "waiting for a call in a part's stream");
    return s;
}

/* A resident kernel of a pool makes way, as it does for a span. */
heddle_status hd_part_call(void *self, uint32_t queue, heddle_call_fn fn, void *user, const heddle_span_work *w)
{
    hd_part *p = self;
    heddle_span_work work = *w;
    heddle_status s;
    work.device = (uint32_t)p->device->index;
    hd_cuda_pools_hold(p->device, 1);
    s = hd_cuda_use(p->device, NULL);
    if (s == HEDDLE_OK)
        s = p->calls.green ? call_part(p, queue, fn, user, &work) : fn(user, p->streams[queue], &work);
    hd_cuda_pools_hold(p->device, 0);
    return s == HEDDLE_OK ? HEDDLE_OK : hd_part_lose(p, s);
}
