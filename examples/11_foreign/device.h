/* SPDX-License-Identifier: MIT */
/* device.h - an accelerator that another process plays. Call it before threads are made: it forks. */
#ifndef FOREIGN_DEVICE_H
#define FOREIGN_DEVICE_H

#include "heddle/loop.h"

/* memory_bytes: of the device; link: bytes a second. 0: it cannot be had. */
int device_open(uint64_t memory_bytes, double link, heddle_accelerator *out);

#endif
