/* SPDX-License-Identifier: MIT */
/* pool.h - a pool on a GPU, as launches. backend.c puts these functions into the backend's struct; backend.h specifies them. */
#ifndef HD_CUDA_POOL_H
#define HD_CUDA_POOL_H

#include "backend/cuda/cuda.h"

struct hd_sent;

heddle_status hd_cuda_pool_load(hd_loaded **out, hd_device *d, const hd_work *work, hd_error *e);
void hd_cuda_pool_unload(hd_loaded *l);
heddle_status hd_cuda_pool_start(hd_loaded *l, const void *params, hd_error *e);
heddle_status hd_cuda_pool_wait(hd_loaded *l, uint64_t deadline_ns);
void hd_cuda_pool_stop(hd_loaded *l);
int hd_cuda_pool_doing(const hd_loaded *l, uint32_t worker, hd_doing *out);
const struct hd_pool *hd_cuda_pool_words(const hd_loaded *l);
void hd_cuda_pool_send(hd_loaded *l, const struct hd_sent *tasks, uint32_t n);
void hd_cuda_pool_stop_task(hd_loaded *l, uint32_t slot, uint32_t why);

#endif
