/* SPDX-License-Identifier: MIT */
/* peer.h - whether the bytes of copies from one GPU's memory into another's arrive. */
#ifndef HD_CUDA_PEER_H
#define HD_CUDA_PEER_H

#include "backend/cuda/cuda.h"

/* Can the GPU copy from the other one's memory? The first call for two GPUs opens the way in both directions, and sends data; from then
 * on CUDA's usual copies take that way. The answer is kept for the process, unless there was no memory to find it out: then it is
 * HEDDLE_PEER_NO for now. */
heddle_peer hd_cuda_peer(hd_device *to, hd_device *from);

#endif
