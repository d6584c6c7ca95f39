/* SPDX-License-Identifier: MIT */
/* warp.h - warps for the explorer: up to 32 threads that run the same code in one fiber.
 *
 * The threads of a warp run one after another, by number. Each runs up to an access to a shared word, a pause, or a
 * step of the whole warp (ballot, shuffle, barrier). Accesses are executed first; simultaneous loads of one word are
 * one load; a warp that loads again and again naps. When only steps of the warp are left, all threads must be at the
 * same one: it is an error if threads diverge at an instruction that needs the whole warp. So every interleaving of
 * warps is explored, but only one of the threads within each: the one that a GPU nearly always takes.
 *
 * Memory of the block that is not atomic is watched: code compiled with -fsanitize=thread calls hooks of warp.c at each
 * access. Barriers or words must order every two accesses, one a write (by the explorer's cells, one for each 4 bytes).
 * Between such accesses by two threads of one warp there must be a step of the whole warp. */
#ifndef MODEL_WARP_H
#define MODEL_WARP_H

#include <stddef.h>
#include <stdint.h>

#define WARP_WIDTH 32u
#define WARP_MAX_WATCHED 15360u /* bytes */

/* The running thread's number in its block. */
typedef struct warp_index {
    uint32_t x;
} warp_index;
extern warp_index warp_thread;

/* How accesses to 4 bytes are watched. */
typedef enum warp_care {
    WARP_PLAIN,
    WARP_WORD,  /* not watched: shared words, also read where an old value is harmless                     */
    WARP_FLAG,  /* single threads may write it at once, because they write the same; for a warp that reads
                * it, an old value is as good as a new one                                                */
    WARP_LATE,  /* writes of 4 bytes are not watched: a mark read after a barrier, harmless to others      */
    WARP_LOCKED /* a lock guards it, also between threads of a warp. Reads of more than 4 bytes are not watched: it is
                 * copied along with its neighbours, and not used there                                  */
} warp_care;

/* Called before an exploration. care: how each 4 bytes of the block are watched; apart: thread 0 of a warp loads
 * separately, so that it may see other values than the rest. */
void warp_watch(void *block, size_t n_bytes, warp_care (*care)(size_t at), int apart);
/* Called before each schedule, once the block is initialized; and after it. */
void warp_begin(void);
void warp_end(void);
/* Called by a fiber: runs `code` in a warp of that many threads, at most WARP_WIDTH. A single one is a thread of the host, or stands
 * for a warp. */
void warp_run(uint32_t n_threads, uint32_t first_thread, void (*code)(void));

/* ---- called by the threads --------------------------------------------------------------------- */

uint32_t warp_load(uint32_t *p, int order, const char *site);
void warp_store(uint32_t *p, uint32_t v, int order, const char *site);
uint32_t warp_add(uint32_t *p, uint32_t v, int order, const char *site);
uint32_t warp_exchange(uint32_t *p, uint32_t v, int order, const char *site);
/* Lanes that look at words side by side: it is no sign of a warp that spins. */
uint32_t warp_look(uint32_t *p, int order, const char *site);
int warp_cas(uint32_t *p, uint32_t expected, uint32_t v, int order, const char *site);
void warp_pause(const char *site);
void warp_nap(const char *site);
/* Naps if the warp has stored nothing since it last rested. */
void warp_rest(const char *site);

uint32_t warp_width(void);
uint32_t warp_ballot(int flag);
uint32_t warp_shuffle(uint32_t v, uint32_t from);
void warp_sync(void);
void warp_barrier(uint32_t which, uint32_t expected, int syncs);
/* Of a single thread: model_wait, model_give. */
void warp_wait(uint32_t permit);
void warp_give(uint32_t permit);

#endif
