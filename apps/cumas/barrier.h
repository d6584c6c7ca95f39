/* SPDX-License-Identifier: MIT */
/* barrier.h - programs that begin at the same time: a page of shared memory on which n processes meet any number of times.
 *
 * The page is a file of one page, made by whichever process comes first. A name without a slash is a file of /dev/shm. A
 * page serves one start of n processes; remove the file before the next one. A process that ends early marks the page, so
 * that the others end with a sentence instead of waiting; for one that was killed they wait as long as they are told. */
#ifndef CUMAS_BARRIER_H
#define CUMAS_BARRIER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BARRIER_ERROR 320

/* Joins the page as one of n processes. 0, or -1 with a sentence in error. Once in a process. */
int barrier_join(const char *name, uint32_t n, double patience_s, char error[BARRIER_ERROR]);
/* Waits until all n have come. Returns the time at which all of them go on, a little in the future; 0, with a sentence in
 * error, if that did not happen. */
uint64_t barrier_meet(char error[BARRIER_ERROR]);
/* This process meets the others no more; those that still wait for it are told. */
void barrier_leave(void);

/* CLOCK_MONOTONIC in ns, which all processes of a machine read alike. */
uint64_t barrier_now(void);
/* Sleeps until shortly before that time, then spins. */
void barrier_wait_until(uint64_t ns);

#ifdef __cplusplus
}
#endif
#endif
