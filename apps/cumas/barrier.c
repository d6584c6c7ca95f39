/* SPDX-License-Identifier: MIT */
/* barrier.c - a page on which processes meet (barrier.h). Its words only grow. The process that completes a meeting writes
 * the time at which all go on, then counts the meeting. Waiting is by short sleeps, so that a process that waits takes
 * nothing from those that still compute. */
#include "barrier.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE_BYTES 4096
#define NAP_NS 100000       /* between two looks */
#define AHEAD_NS 2000000ull /* from the meeting to the time at which all go on: longer than a nap */

typedef struct page { /* begins as zeros */
    uint32_t n;       /* processes, as the first one said */
    uint32_t joined, arrived, met, left;
    uint64_t go_ns;
} page;

static page *shared;
static uint32_t n_met;
static uint64_t patience_ns;
static char path[200];

uint64_t barrier_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void nap(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    nanosleep(&t, NULL);
}

void barrier_wait_until(uint64_t ns)
{
    uint64_t now = barrier_now();
    if (now + 1000000 < ns)
        nap(ns - now - 1000000);
    while (barrier_now() < ns)
        ;
}

static page *map(char *error)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *at = MAP_FAILED;
    if (file >= 0 && ftruncate(file, PAGE_BYTES) == 0) /* a new one consists of zeros, another is what it was */
        at = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED)
        snprintf(error, BARRIER_ERROR, "the barrier %s cannot be opened: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return at == MAP_FAILED ? NULL : at;
}

int barrier_join(const char *name, uint32_t n, double patience_s, char error[BARRIER_ERROR])
{
    uint32_t none = 0, before;
    page *p;
    snprintf(path, sizeof path, "%s%s", strchr(name, '/') ? "" : "/dev/shm/", name);
    p = map(error);
    if (!p)
        return -1;
    if (!__atomic_compare_exchange_n(&p->n, &none, n, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) && none != n) {
        snprintf(error, BARRIER_ERROR, "the barrier %s is for %u programs, not for %u", path, none, n);
        return -1;
    }
    before = __atomic_fetch_add(&p->joined, 1, __ATOMIC_RELAXED);
    if (before >= n) {
        snprintf(error, BARRIER_ERROR, "the barrier %s has its %u programs already; remove the file before a new start",
                 path, n);
        return -1;
    }
    shared = p;
    patience_ns = (uint64_t)(patience_s * 1e9);
    return 0;
}

/* The last of a meeting. */
static void complete(void)
{
    __atomic_store_n(&shared->go_ns, barrier_now() + AHEAD_NS, __ATOMIC_RELAXED);
    __atomic_store_n(&shared->met, n_met + 1, __ATOMIC_RELEASE);
}

static void say_missing(uint32_t has_left, char *error)
{
    if (has_left)
        snprintf(error, BARRIER_ERROR, "another program of the barrier %s has ended early", path);
    else
        snprintf(error, BARRIER_ERROR, "only %u of %u programs came to the barrier %s within %.0f s",
                 __atomic_load_n(&shared->arrived, __ATOMIC_RELAXED) - n_met * shared->n, shared->n, path,
                 (double)patience_ns / 1e9);
}

uint64_t barrier_meet(char error[BARRIER_ERROR])
{
    const uint64_t end = barrier_now() + patience_ns;
    if (__atomic_add_fetch(&shared->arrived, 1, __ATOMIC_ACQ_REL) == shared->n * (n_met + 1))
        complete();
    for (;;) {
        /* Read first: a process that leaves at the end has seen the last meeting, and then this process sees it, too. */
        const uint32_t left = __atomic_load_n(&shared->left, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&shared->met, __ATOMIC_ACQUIRE) != n_met)
            break;
        if (left || barrier_now() > end) {
            say_missing(left, error);
            return 0;
        }
        nap(NAP_NS);
    }
    n_met++;
    return __atomic_load_n(&shared->go_ns, __ATOMIC_RELAXED);
}

void barrier_leave(void)
{
    if (shared)
        __atomic_store_n(&shared->left, 1, __ATOMIC_RELEASE);
}
