/* SPDX-License-Identifier: MIT */
/* registry.c - the compiled-in backends, and the best one here. */
#include "backend/backend.h"

extern const hd_backend hd_serial_backend, hd_cpu_backend;
#if HEDDLE_HAVE_CUDA
extern const hd_backend hd_cuda_backend;
#endif

/* Best first. */
static const hd_backend *const backends[] = {
#if HEDDLE_HAVE_CUDA
    &hd_cuda_backend,
#endif
    &hd_cpu_backend, &hd_serial_backend};
#define N_BACKENDS (sizeof backends / sizeof backends[0])

const hd_backend *hd_backend_of(heddle_backend kind)
{
    size_t i;
    for (i = 0; i < N_BACKENDS; i++)
        if (backends[i]->kind == kind)
            return backends[i];
    return NULL;
}

const hd_backend *hd_backend_best(void)
{
    size_t i;
    for (i = 0; i + 1 < N_BACKENDS; i++)
        if (backends[i]->count())
            return backends[i];
    return backends[i];
}

heddle_status hd_backend_load(const hd_backend *b, hd_loaded **out, hd_device *d, const hd_work *work,
                              hd_watcher watcher, hd_error *e)
{
    static const char *const names[HD_N_WORKS] = {"graphs", "pools"};
    *out = NULL;
    if (work->kind < HD_N_WORKS && b->works >> work->kind & 1u)
        return b->load(out, d, work, watcher, e);
    return hd_say(e, HEDDLE_ENODEV, "backend %s cannot run %s", heddle_backend_name(b->kind),
                  work->kind < HD_N_WORKS ? names[work->kind] : "work of this kind");
}
