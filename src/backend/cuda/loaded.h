/* SPDX-License-Identifier: MIT */
/* loaded.h - the functions that backend.c puts into the backend's struct; backend.h specifies them. */
#ifndef HD_CUDA_LOADED_H
#define HD_CUDA_LOADED_H

#include "backend/cuda/cuda.h"

/* describe.c */
heddle_status hd_cuda_describe(uint32_t device, heddle_device *out, hd_error *e);

heddle_status hd_cuda_load(hd_loaded **out, hd_device *d, const hd_work *work, hd_watcher watcher, hd_error *e);
void hd_cuda_unload(hd_loaded *l);
void hd_cuda_changed(hd_loaded *l, uint32_t task);
heddle_status hd_cuda_start(hd_loaded *l, const void *params, int help, uint64_t limit_ns, hd_error *e);
heddle_status hd_cuda_wait(hd_loaded *l, uint64_t deadline_ns);
void hd_cuda_stop(hd_loaded *l, uint32_t why);
void hd_cuda_result(const hd_loaded *l, hd_outcome *out);
int hd_cuda_doing(const hd_loaded *l, uint32_t worker, hd_doing *out);
uint32_t hd_cuda_waiting(hd_loaded *l, hd_doing *out, uint32_t n_max);
const char *hd_cuda_complaint(const hd_loaded *l);
heddle_status hd_cuda_enqueue(hd_loaded *l, const void *params, void *stream, hd_error *e);
void hd_cuda_synced(hd_loaded *l, hd_outcome *out);

#endif
