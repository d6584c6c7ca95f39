/* SPDX-License-Identifier: MIT */
/* virtual.h - a device that its manager's thread plays: memory of its own, a link with rate and latency, a speed below a core's, and
 * faults on request. Loops can so be tested where there are no GPUs. */
#ifndef HD_LOOP_VIRTUAL_H
#define HD_LOOP_VIRTUAL_H

#include "engine/loop/words.h"
#include "heddle/fleet.h"

#define HD_CORE_SHARED 16384u /* block-shared bytes of a body on a core, or on a device that one plays */

heddle_status hd_virtual_new(const hd_virtual_config *c, heddle_accelerator *out);
/* Memory of the device is open to bodies, or closed: bytes that no access has declared are closed. Under AddressSanitizer a touch of closed
 * memory is an error; elsewhere it holds a pattern. What is hidden is closed, but keeps its bytes. */
void hd_virtual_open(void *p, uint64_t n_bytes);
void hd_virtual_hide(void *p, uint64_t n_bytes);
void hd_virtual_close(void *p, uint64_t n_bytes);

#endif
