/* SPDX-License-Identifier: MIT */
/* shim.h - the third machine under core/atom.h: the explorer of explore.h.
 *
 * Included by core/atom.h when HEDDLE_MODEL is defined (this folder must be on the include path). Each access is a
 * scheduling point, carries its memory order, and names its place in the source for the counterexample. Scopes are
 * dropped: the model has one device. */
#ifndef MODEL_SHIM_H
#define MODEL_SHIM_H

#include "explore.h"

#define MODEL_TEXT_(x) #x
#define MODEL_TEXT(x) MODEL_TEXT_(x)
/* "FILE:LINE|EXPRESSION"; explore.c cuts it up when it prints. */
#define MODEL_SITE(p) __FILE__ ":" MODEL_TEXT(__LINE__) "|" #p

#define HD_UNIT_STORE(p, u) model_unit_store((p), (u), MODEL_SITE(p))
#define HD_UNIT_LOAD(p) model_unit_load((p), MODEL_SITE(p))

/* Only a GPU needs fences. Under MODEL_FENCES this is one; else the accesses beside them carry the order (core/atom.h). */
#if defined(MODEL_FENCES)
#define MODEL_FENCED_ACQUIRE MODEL_RELAXED
#define MODEL_FENCED_RELEASE MODEL_RELAXED
#define MODEL_FENCED_ACQ_REL MODEL_RELAXED
#define HD_FENCE_RELEASE() model_fence(MODEL_RELEASE)
#define HD_FENCE_FOR_HOST() model_fence(MODEL_RELEASE)
#define HD_FENCE_ACQUIRE() model_fence(MODEL_ACQUIRE)
#define HD_FENCE_HOST() model_fence(MODEL_ACQUIRE)
#else
#define MODEL_FENCED_ACQUIRE MODEL_ACQUIRE
#define MODEL_FENCED_RELEASE MODEL_RELEASE
#define MODEL_FENCED_ACQ_REL MODEL_ACQ_REL
#define HD_FENCE_RELEASE() ((void)0)
#define HD_FENCE_FOR_HOST() ((void)0)
#define HD_FENCE_ACQUIRE() ((void)0)
#endif
#define HD_PAIR_LOAD(p, order) model_load((p), MODEL_##order, MODEL_SITE(p))
#define HD_PAIR_ADD_FIRST(p, v) (hd_warp_lane() == 0 ? HD_PAIR_ADD((p), (v), RELAXED) : 0)
#define HD_PAIR_STORE(p, v, order) model_store((p), (v), MODEL_##order, MODEL_SITE(p))
#define HD_PAIR_ADD(p, v, order) model_add((p), (v), MODEL_##order, MODEL_SITE(p))
#define HD_PAIR_CAS(p, e, v, order) model_cas((p), (e), (v), MODEL_##order, MODEL_SITE(p))
#define HD_BORDER_LOAD(p) HD_PAIR_LOAD(p, RELAXED)
#define HD_OUTER_LOAD(p) HD_BORDER_LOAD(p)
#define HD_BORDER_STORE(p, v) HD_PAIR_STORE(p, v, RELAXED)

#define HD_LOAD(p, order, scope) model_load((p), MODEL_##order, MODEL_SITE(p))
#define HD_STORE(p, v, order, scope) model_store((p), (v), MODEL_##order, MODEL_SITE(p))
#define HD_COUNT(p, order, scope) ((void)model_add((p), 1u, MODEL_##order, MODEL_SITE(p)))
#define HD_ADD(p, v, order, scope) model_add((p), (v), MODEL_##order, MODEL_SITE(p))
#define HD_SUB(p, v, order, scope) model_add((p), 0u - (v), MODEL_##order, MODEL_SITE(p))
#define HD_EXCH(p, v, order, scope) model_exchange((p), (v), MODEL_##order, MODEL_SITE(p))
#define HD_CAS(p, e, v, order, scope) model_cas((p), (e), (v), MODEL_##order, MODEL_SITE(p))
#if defined(MODEL_NAPS) /* a waiting worker may also wait for its turn by the clock */
#define HD_PAUSE(n) ((void)(n), model_nap(MODEL_SITE(pause)))
#else
#define HD_PAUSE(n) ((void)(n), model_pause(MODEL_SITE(pause)))
#endif
#define HD_YIELD(n) HD_PAUSE(n)

#endif
