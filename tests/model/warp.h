/* SPDX-License-Identifier: MIT */
/* warp.h - warps for the explorer: 32 threads that run the same code in one fiber.
 *
 * The threads of a warp go on one after another, in the order of their numbers, until each of them is at an access to a
 * shared word, at a pause, or at a step of the whole warp (ballot, shuffle, barrier). Accesses are done first; those
 * loads of the same word that are there together are one; a warp that loads again and again naps. When all that is left
 * are steps of the warp, all threads must be at the same one: threads of a warp that take different ways to an
 * instruction that wants all of them are an error. So every interleaving of warps is explored, and one of the threads
 * within each, which is the one that a GPU nearly always takes.
 *
 * Memory of the block that is not atomic is watched: code compiled with -fsanitize=thread calls a function at each
 * access, and warp.c has these functions. Two accesses, one a write, must be ordered by barriers or words (the
 * explorer's cells, one for each 4 bytes), and those by two threads of a warp by a step of the whole warp. */
#ifndef MODEL_WARP_H
#define MODEL_WARP_H

#include <stddef.h>
#include <stdint.h>

#define WARP_WIDTH 32u
#define WARP_MAX_WATCHED 2048u /* bytes */

/* The running thread's number in its block. */
typedef struct warp_index {
    uint32_t x;
} warp_index;
extern warp_index warp_thread;

/* The accesses to 4 bytes that are watched; or not. */
typedef enum warp_care {
    WARP_PLAIN,
    WARP_WORD, /* not: shared words, which are also read by who does not mind an old value           */
    WARP_FLAG, /* single threads may write at the same time, because they write the same; to a warp
                * that reads it an old value or a new one is the same                                */
    WARP_LATE  /* written alone, not: a mark for who reads it after a barrier; others do not mind it */
} warp_care;

/* Before an exploration. care: what of each 4 bytes of the block; apart: thread 0 of a warp loads by itself, so that it may
 * see what the others do not. */
void warp_watch(void *block, size_t n_bytes, warp_care (*care)(size_t at), int apart);
/* Before each schedule, when the block is as it shall be; and after it. */
void warp_begin(void);
void warp_end(void);
/* In a fiber: its warp, of one thread or of WARP_WIDTH, runs `code`. */
void warp_run(uint32_t n_threads, uint32_t first_thread, void (*code)(void));

/* ---- called by the threads --------------------------------------------------------------------- */

uint32_t warp_load(uint32_t *p, int order, const char *site);
void warp_store(uint32_t *p, uint32_t v, int order, const char *site);
uint32_t warp_add(uint32_t *p, uint32_t v, int order, const char *site);
uint32_t warp_exchange(uint32_t *p, uint32_t v, int order, const char *site);
int warp_cas(uint32_t *p, uint32_t expected, uint32_t v, int order, const char *site);
void warp_pause(const char *site);
void warp_nap(const char *site);

uint32_t warp_width(void);
uint32_t warp_ballot(int flag);
uint32_t warp_shuffle(uint32_t v, uint32_t from);
void warp_sync(void);
void warp_barrier(uint32_t which, uint32_t expected, int syncs);

#endif
