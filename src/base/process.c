/* SPDX-License-Identifier: MIT */
/* process.c - detects forks. The parent's threads do not exist in a forked child: a pool of workers is useless there, and
 * waiting for them would never end. */
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
