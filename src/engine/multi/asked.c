/* SPDX-License-Identifier: MIT */
/* asked.c - questions to the directory that change nothing (segment.h). */
#include "engine/multi/directory.h"

uint64_t hd_segments_stride(const hd_segments *s, uint32_t array) { return hd_seg_array_of(s, array)->stride; }

int hd_segments_is_done(const hd_segments *s, hd_seg_point p) { return hd_seg_point_is_done(&s->clocks, p); }

uint64_t hd_segments_n_left(const hd_segments *s, uint32_t device) { return s->devices[device].n_left; }
