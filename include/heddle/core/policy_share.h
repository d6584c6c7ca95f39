/* SPDX-License-Identifier: MIT */
/* core/policy_share.h - as lf, and a worker that has nothing asks; a busy one gives it a task out of its own ring. Local as
 * lf, without its imbalance (with lf alone one of two workers can end up with nearly all of an LU). Not of the paper. */
#ifndef HEDDLE_CORE_POLICY_SHARE_H
#define HEDDLE_CORE_POLICY_SHARE_H

#include "heddle/core/policy_lf.h"

#define HD_POLICY_SHARE 4u
#define HD_TRAITS_SHARE (HD_KEEPS | HD_SHARES)

#define hd_share_first hd_lf_first

#endif
