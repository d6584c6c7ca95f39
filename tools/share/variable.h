/* SPDX-License-Identifier: MIT */
/* variable.h - the variables that `heddle share run` sets and programs may have: one table for the interposer, the command
 * and `heddle info`. A value that is no number, or out of range, counts as not set. */
#ifndef SHARE_VARIABLE_H
#define SHARE_VARIABLE_H

#include "wire.h"

#include <stdint.h>

#define SHARE_AHEAD_AS_DAEMON UINT64_MAX /* not set: as the daemon was told */
#define SHARE_MOST_AHEAD ((uint64_t)1 << 50)

/* name, variable, value when not set, least, most, help */
#define SHARE_SETTINGS(X)                                                                                             \
    X(LARGE, "HEDDLE_SHARE_LARGE", 1u << 20, 1, UINT64_MAX, "bytes from which a copy waits and goes through rings")   \
    X(LANES, "HEDDLE_SHARE_LANES", 0, 0, 16, "threads that carry a copy of pageable memory; 0 = by the cores")        \
    X(PIECE, "HEDDLE_SHARE_PIECE", 2u << 20, 4096, 1u << 28, "bytes of a piece in a ring")                            \
    X(PART, "HEDDLE_SHARE_PART", 32u << 20, 4096, UINT64_MAX, "bytes of pinned memory copied before others may come") \
    X(STAGE, "HEDDLE_SHARE_STAGE", 1, 0, 1, "0 = copies of pageable memory stay the driver's")                        \
    X(MEM, "HEDDLE_SHARE_MEM", SHARE_BY_HISTORY, 0, UINT64_MAX,                                                       \
      "bytes of GPU memory that the program will need; 0 = not told; not set = as much as on earlier runs")           \
    X(AHEAD, "HEDDLE_SHARE_AHEAD", SHARE_AHEAD_AS_DAEMON, 0, SHARE_MOST_AHEAD,                                        \
      "bytes of pinned memory from which copies in go on when their calls have returned; 0 = none")                   \
    X(MEM_WAIT, "HEDDLE_SHARE_MEM_WAIT", 10000, 0, 86400000, "ms that an allocation waits for memory of others")

#define SHARE_SET(name, variable, otherwise, least, most, help) SHARE_SET_##name,
typedef enum share_set { SHARE_SETTINGS(SHARE_SET) SHARE_N_SETTINGS } share_set;
#undef SHARE_SET

/* Reads them all, before any thread asks: a program may change its environment later. */
void share_setting_load(void);
uint64_t share_setting(share_set which);
/* HEDDLE_SHARE_CLASS: high, normal (when not set), low; a number of wire.h. */
uint32_t share_setting_class(void);
/* HEDDLE_SHARE=off: the program is left alone. */
int share_setting_is_off(void);
/* The i-th variable; 0: there are not so many. */
int share_setting_at(uint32_t i, const char **variable, const char **help);

#endif
