/* SPDX-License-Identifier: MIT */
/* process.c - which process this is. Threads do not follow into a forked child, so what is worked by threads is of no use
 * there, and whoever waits for them waits for ever. */
#include "base/base.h"

#include <pthread.h>

uint32_t hd_process_forks;

static void in_child(void) { hd_process_forks++; }
static void watch(void) { (void)pthread_atfork(NULL, NULL, in_child); }

void hd_process_watch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch);
}
