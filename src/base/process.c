/* SPDX-License-Identifier: MIT */
/* process.c - which process this is. Threads do not follow into a forked child, so what is worked by threads is of no use
 * there, and whoever waits for them waits for ever. */
#include "base/base.h"

#include <pthread.h>

static uint32_t generation;

static void in_child(void) { generation++; }
static void watch(void) { (void)pthread_atfork(NULL, NULL, in_child); }

uint32_t hd_process_generation(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch);
    return generation;
}
