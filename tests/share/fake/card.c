/* SPDX-License-Identifier: MIT */
/* card.c - what processes share of the fake card: when each engine is free, and how much memory each process has. A process
 * that died gives its memory back when the next one counts. */
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROCESSES = 256 };

typedef struct card {
    uint64_t free_at[FAKE_MOST_DEVICES][FAKE_N_ENGINES];
    struct {
        int32_t pid;
        int64_t bytes[FAKE_MOST_DEVICES];
    } processes[MOST_PROCESSES];
} card;

static card *the_card;
static int fd = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_card(void)
{
    const char *path = getenv("FAKE_CUDA_FILE");
    void *p;
    fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd >= 0 && ftruncate(fd, sizeof(card)))
        abort();
    p = mmap(NULL, sizeof(card), PROT_READ | PROT_WRITE, fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        abort();
    the_card = p;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

void fake_engine(int device, int engine, uint64_t ns)
{
    uint64_t *word, before, begin, now = now_ns();
    pthread_once(&once, open_card);
    if (!ns)
        return;
    word = &the_card->free_at[device][engine];
    before = __atomic_load_n(word, __ATOMIC_RELAXED);
    do
        begin = before > now ? before : now;
    while (!__atomic_compare_exchange_n(word, &before, begin + ns, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    sleep_until(begin + ns);
}

uint64_t fake_copy_ns(size_t n_bytes, int is_pageable)
{
    uint64_t rate = fake_number("FAKE_CUDA_RATE", 0);
    if (is_pageable)
        rate = fake_number("FAKE_CUDA_PAGEABLE", rate);
    return rate ? n_bytes * 1000u / rate : 0;
}

/* The process's line, or a free one; those of dead processes are free. Called with both locks. */
static int line_of(int32_t pid)
{
    int empty = -1;
    for (int i = 0; i < MOST_PROCESSES; i++) {
        int32_t p = the_card->processes[i].pid;
        if (p == pid)
            return i;
        if (p && kill(p, 0) && errno == ESRCH) {
            the_card->processes[i].pid = p = 0;
            for (int d = 0; d < FAKE_MOST_DEVICES; d++)
                the_card->processes[i].bytes[d] = 0;
        }
        if (!p && empty < 0)
            empty = i;
    }
    if (empty >= 0)
        the_card->processes[empty].pid = pid;
    return empty;
}

static int64_t sum(int device)
{
    int64_t n = 0;
    for (int i = 0; i < MOST_PROCESSES; i++)
        n += the_card->processes[i].pid ? the_card->processes[i].bytes[device] : 0;
    return n;
}

static void hold(void)
{
    pthread_once(&once, open_card);
    pthread_mutex_lock(&lock);
    if (fd >= 0)
        flock(fd, LOCK_EX);
}

static void let_go(void)
{
    if (fd >= 0)
        flock(fd, LOCK_UN);
    pthread_mutex_unlock(&lock);
}

int fake_take_memory(int device, int64_t n_bytes)
{
    int line, status = -1;
    hold();
    line = line_of((int32_t)getpid());
    if (line >= 0 && (n_bytes <= 0 || sum(device) + n_bytes <= (int64_t)fake_number("FAKE_CUDA_MEMORY", 1u << 30))) {
        the_card->processes[line].bytes[device] += n_bytes;
        status = 0;
    }
    let_go();
    return status;
}

uint64_t fake_memory_used(int device)
{
    int64_t n;
    hold();
    line_of((int32_t)getpid());
    n = sum(device);
    let_go();
    return (uint64_t)n;
}
