/* SPDX-License-Identifier: MIT */
/* address.c - memory of the fake driver, and its entry points: what kind of memory an address is in. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct range {
    char *begin;
    size_t n_bytes;
    int kind, device, is_ours;
    CUcontext context; /* its end frees the memory; NULL: no end does */
    struct range *next;
} range;

static range *ranges;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int remember(int device, void *p, size_t n_bytes, int kind, int is_ours)
{
    range *r = calloc(1, sizeof *r);
    if (!r)
        return -1;
    *r = (range){.begin = p, .n_bytes = n_bytes, .kind = kind, .device = device, .is_ours = is_ours};
    pthread_mutex_lock(&lock);
    r->next = ranges, ranges = r;
    pthread_mutex_unlock(&lock);
    return 0;
}

void *fake_allocate(int device, size_t n_bytes, int kind)
{
    void *p = n_bytes ? mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (p == MAP_FAILED)
        return NULL;
    if (remember(device, p, n_bytes, kind, 1)) {
        munmap(p, n_bytes);
        return NULL;
    }
    return p;
}

int fake_kind(const void *p, size_t n_bytes)
{
    const char *c = p;
    int kind = FAKE_PAGEABLE;
    pthread_mutex_lock(&lock);
    for (range *r = ranges; r; r = r->next)
        if (c >= r->begin && c < r->begin + r->n_bytes)
            kind = c + n_bytes <= r->begin + r->n_bytes ? r->kind : -1;
    pthread_mutex_unlock(&lock);
    return kind;
}

size_t fake_release(void *p)
{
    size_t n = 0;
    range *found = NULL;
    pthread_mutex_lock(&lock);
    for (range **at = &ranges; *at && !found; at = &(*at)->next)
        if ((*at)->begin == p) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (found) {
        n = found->n_bytes;
        if (found->kind == FAKE_DEVICE || found->kind == FAKE_MANAGED)
            fake_take_memory(found->device, -(int64_t)n);
        if (found->is_ours)
            munmap(p, n);
        free(found);
    }
    return n;
}

static void own(CUdeviceptr p)
{
    CUcontext c = NULL;
    cuCtxGetCurrent(&c);
    pthread_mutex_lock(&lock);
    for (range *r = ranges; r; r = r->next)
        if (r->begin == (char *)(uintptr_t)p)
            r->context = c;
    pthread_mutex_unlock(&lock);
}

/* It stays mapped: streams may still write there. */
void fake_release_of(CUcontext c)
{
    pthread_mutex_lock(&lock);
    for (range **at = &ranges, *r; (r = *at);)
        if (r->context == c) {
            *at = r->next;
            fake_take_memory(r->device, -(int64_t)r->n_bytes);
            free(r);
        } else
            at = &r->next;
    pthread_mutex_unlock(&lock);
}

static CUresult memory_of(CUdevice d, CUdeviceptr *p, size_t n, int kind)
{
    void *m;
    if (!p || !n)
        return CUDA_ERROR_INVALID_VALUE;
    if (fake_take_memory(d, (int64_t)n))
        return CUDA_ERROR_OUT_OF_MEMORY;
    m = fake_allocate(d, n, kind);
    if (!m) {
        fake_take_memory(d, -(int64_t)n);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *p = (CUdeviceptr)(uintptr_t)m;
    return CUDA_SUCCESS;
}

static CUresult device_memory(CUdeviceptr *p, size_t n, int kind)
{
    CUdevice d;
    CUresult r = cuCtxGetDevice(&d);
    return r == CUDA_SUCCESS ? memory_of(d, p, n, kind) : r;
}

CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n)
{
    CUresult r;
    ENTER(cuMemAlloc_v2);
    r = device_memory(p, n, FAKE_DEVICE);
    if (r == CUDA_SUCCESS)
        own(*p);
    return r;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned element)
{
    CUresult r;
    (void)element;
    ENTER(cuMemAllocPitch_v2);
    r = device_memory(p, (width + 511) / 512 * 512 * height, FAKE_DEVICE);
    if (r == CUDA_SUCCESS) {
        *pitch = (width + 511) / 512 * 512;
        own(*p);
    }
    return r;
}

CUresult cuMemAllocManaged(CUdeviceptr *p, size_t n, unsigned flags)
{
    (void)flags;
    ENTER(cuMemAllocManaged);
    return device_memory(p, n, FAKE_MANAGED);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *h, size_t n, const void *prop, unsigned long long flags)
{
    const CUmemAllocationProp *of = prop;
    (void)flags;
    ENTER(cuMemCreate);
    if (of->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        return memory_of(of->location.id, h, n, FAKE_DEVICE);
    *h = (CUmemGenericAllocationHandle)(uintptr_t)fake_allocate(0, n, FAKE_PINNED);
    return *h ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult give_back(CUdeviceptr p)
{
    return fake_release((void *)(uintptr_t)p) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle h)
{
    ENTER(cuMemRelease);
    return give_back(h);
}

CUresult cuMemFree_v2(CUdeviceptr p)
{
    CUresult r;
    ENTER(cuMemFree_v2);
    r = cuCtxSynchronize();
    return r == CUDA_SUCCESS ? give_back(p) : r;
}

#define ASYNC_MEMORY(name, name_free, is_per_thread)                                                             \
    CUresult name(CUdeviceptr *p, size_t n, CUstream s)                                                          \
    {                                                                                                            \
        ENTER(name);                                                                                             \
        return fake_stream_of(s, is_per_thread) ? device_memory(p, n, FAKE_DEVICE) : CUDA_ERROR_INVALID_CONTEXT; \
    }                                                                                                            \
    CUresult name_free(CUdeviceptr p, CUstream s)                                                                \
    {                                                                                                            \
        CUresult r;                                                                                              \
        ENTER(name_free);                                                                                        \
        r = fake_finish(fake_stream_of(s, is_per_thread));                                                       \
        return r == CUDA_SUCCESS ? give_back(p) : r;                                                             \
    }
ASYNC_MEMORY(cuMemAllocAsync, cuMemFreeAsync, 0)
ASYNC_MEMORY(cuMemAllocAsync_ptsz, cuMemFreeAsync_ptsz, 1)

/* It has one pool: the device. */
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t n, CUmemoryPool pool, CUstream s)
{
    (void)pool;
    ENTER(cuMemAllocFromPoolAsync);
    return fake_stream_of(s, 0) ? device_memory(p, n, FAKE_DEVICE) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *p, size_t n, CUmemoryPool pool, CUstream s)
{
    (void)pool;
    ENTER(cuMemAllocFromPoolAsync_ptsz);
    return fake_stream_of(s, 1) ? device_memory(p, n, FAKE_DEVICE) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    CUdevice d;
    CUresult r;
    ENTER(cuMemGetInfo_v2);
    r = cuCtxGetDevice(&d);
    if (r == CUDA_SUCCESS) {
        *total = fake_number("FAKE_CUDA_MEMORY", 1u << 30);
        *free_bytes = *total - fake_memory_used(d);
    }
    return r;
}

CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d)
{
    (void)d;
    ENTER(cuDeviceTotalMem_v2);
    *n = fake_number("FAKE_CUDA_MEMORY", 1u << 30);
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags)
{
    CUdevice d;
    void *m;
    CUresult r;
    (void)flags;
    ENTER(cuMemHostAlloc);
    r = cuCtxGetDevice(&d);
    if (r != CUDA_SUCCESS)
        return r;
    m = fake_allocate(d, n, FAKE_PINNED);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *p = m;
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *p)
{
    ENTER(cuMemFreeHost);
    return fake_release(p) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostRegister_v2(void *p, size_t n, unsigned flags)
{
    (void)flags;
    ENTER(cuMemHostRegister_v2);
    if (fake_kind(p, n) != FAKE_PAGEABLE)
        return CUDA_ERROR_INVALID_VALUE;
    return remember(0, p, n, FAKE_PINNED, 0) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *p)
{
    ENTER(cuMemHostUnregister);
    return fake_release(p) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *d, void *p, unsigned flags)
{
    (void)flags;
    ENTER(cuMemHostGetDevicePointer_v2);
    if (fake_kind(p, 1) != FAKE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    *d = (CUdeviceptr)(uintptr_t)p;
    return CUDA_SUCCESS;
}

/* Of memory that it does not know everything is 0. */
CUresult cuPointerGetAttributes(unsigned n, int *attributes, void **values, CUdeviceptr p)
{
    int kind = fake_kind((const void *)(uintptr_t)p, 1);
    ENTER(cuPointerGetAttributes);
    for (unsigned i = 0; i < n; i++)
        if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
            *(unsigned *)values[i] = kind == FAKE_PAGEABLE ? 0
                                     : kind == FAKE_PINNED ? CU_MEMORYTYPE_HOST
                                                           : CU_MEMORYTYPE_DEVICE;
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
            *(unsigned *)values[i] = kind == FAKE_MANAGED;
        else
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}
