/* SPDX-License-Identifier: MIT */
/* shim.h - the machine under core/atom.h that emu.h emulates: for core it is a GPU. Included by core/atom.h when
 * HEDDLE_MODEL is defined and this folder is on the include path. Orders and scopes are dropped. Works in C and C++,
 * since bodies may be either. */
#ifndef EMULATE_SHIM_H
#define EMULATE_SHIM_H

#include "emu.h"

#define HD_LOAD(p, order, scope) emu_load32((p), EMU_SITE(p))
#define HD_STORE(p, v, order, scope) emu_store32((p), (v), EMU_SITE(p))
#define HD_COUNT(p, order, scope) ((void)emu_add32((p), 1u, EMU_SITE(p)))
#define HD_ADD(p, v, order, scope) emu_add32((p), (v), EMU_SITE(p))
#define HD_SUB(p, v, order, scope) emu_add32((p), 0u - (v), EMU_SITE(p))
#define HD_EXCH(p, v, order, scope) emu_exchange32((p), (v), EMU_SITE(p))
#define HD_CAS(p, e, v, order, scope) emu_cas32((p), (e), (v), EMU_SITE(p))
#define HD_PAUSE(n) emu_nap(32u << ((n) < 4u ? (n) : 4u), EMU_SITE(pause))
#define HD_YIELD(n) emu_nap(128u << ((n) < 6u ? (n) : 6u), EMU_SITE(rest))

/* Words of two halves (hd_pair_word). */
#if defined(HD_HALF_BITS) && HD_HALF_BITS == 16
#define EMU_PAIR(name) emu_##name##32
#else
#define EMU_PAIR(name) emu_##name##64
#endif
#define HD_PAIR_ADD_FIRST(p, v) (hd_warp_lane() == 0 ? EMU_PAIR(add)((p), (v), EMU_SITE(p)) : 0)
#define HD_PAIR_LOAD(p, order) EMU_PAIR(load)((p), EMU_SITE(p))
#define HD_PAIR_STORE(p, v, order) EMU_PAIR(store)((p), (v), EMU_SITE(p))
#define HD_PAIR_ADD(p, v, order) EMU_PAIR(add)((p), (v), EMU_SITE(p))
#define HD_PAIR_CAS(p, e, v, order) EMU_PAIR(cas)((p), (e), (v), EMU_SITE(p))
#define HD_BORDER_LOAD(p) EMU_PAIR(load)((p), EMU_SITE(p))
#define HD_OUTER_LOAD(p) HD_BORDER_LOAD(p)
#define HD_BORDER_STORE(p, v) EMU_PAIR(store)((p), (v), EMU_SITE(p))
#define HD_BORDER_STORE_TWO(p, v, w) (HD_BORDER_STORE((p), (v)), HD_BORDER_STORE((p) + 1, (w)))
#define HD_UNIT_LOAD(p) (emu_point(EMU_SITE(p)), *(p))
#define HD_UNIT_STORE(p, u) ((void)(*(p) = (u))) /* the host beside the kernel */
#define HD_FENCE_HOST() emu_point(EMU_SITE(fence))
#define HD_FENCE_FOR_HOST() emu_point(EMU_SITE(fence))
#define HD_FENCE_RELEASE() emu_point(EMU_SITE(fence))
#define HD_FENCE_ACQUIRE() emu_point(EMU_SITE(fence))
#define HD_COPY16(to, from) emu_copy((to), (from), 16u, EMU_SITE(to))
#define HD_COPY4(to, from) emu_copy((to), (from), 4u, EMU_SITE(to))
#define HD_COPY_WAIT() emu_copy_wait(EMU_SITE(copies))

/* core/port.h defines these for the explorer, where lanes only schedule. Here they are a GPU's. */
#undef HD_HOSTED
#define HD_HOSTED 0
#define hd_warp_lane() (emu_thread.x & 31u)
#define hd_warp_width() 32u
#define hd_ballot(flag) emu_ballot((flag) != 0, EMU_SITE(ballot))
#define hd_shuffle(v, from) emu_shuffle((v), (from), EMU_SITE(shuffle))
#define hd_warp_sync() emu_warp_sync(EMU_SITE(warp_sync))
#define hd_all_lane() (emu_thread.x)
#define hd_all_width() (emu_block_size.x)
#define hd_all_sync() emu_bar_sync(0, emu_block_size.x, EMU_SITE(syncthreads))
#define hd_clock() emu_clock()

#endif
