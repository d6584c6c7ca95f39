/* SPDX-License-Identifier: MIT */
/* host_copy.c - implements host_copy.h. Threads stay from run to run, and each first writes the pages that it will copy, which a machine
 * with several memories then puts near it. A thread that cannot be started leaves its part to the others. */
#include "host_copy.h"

#include "cli.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 7, MOST_THREADS = 1024 };

typedef struct team {
    uint8_t *from, *to;
    uint64_t n_bytes;
    uint32_t n;     /* members; known before the first phase */
    uint32_t phase; /* atomic: 1 writes pages, later ones copy; RUNS + 2: leave */
    uint32_t done;  /* atomic: members, but the first, that have ended the phase */
} team;

typedef struct member {
    team *t;
    uint32_t index;
} member;

static void work(const team *t, uint32_t index, uint32_t phase)
{
    const uint64_t begin = t->n_bytes / t->n * index, end = index + 1 == t->n ? t->n_bytes : begin + t->n_bytes / t->n;
    if (phase > 1) {
        memcpy(t->to + begin, t->from + begin, end - begin);
        return;
    }
    memset(t->from + begin, 1, end - begin);
    memset(t->to + begin, 2, end - begin);
}

static void *follow(void *self)
{
    const member *m = self;
    for (uint32_t phase = 1; phase < RUNS + 2; phase++) {
        while (__atomic_load_n(&m->t->phase, __ATOMIC_ACQUIRE) < phase)
            sched_yield();
        work(m->t, m->index, phase);
        __atomic_fetch_add(&m->t->done, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* Nanoseconds of that phase. */
static uint64_t lead(team *t, uint32_t phase)
{
    const uint64_t begin_ns = cli_now_ns();
    __atomic_store_n(&t->phase, phase, __ATOMIC_RELEASE);
    work(t, 0, phase);
    while (__atomic_load_n(&t->done, __ATOMIC_ACQUIRE) < phase * (t->n - 1))
        sched_yield();
    return cli_now_ns() - begin_ns;
}

static uint64_t least_ns(team *t, uint32_t n_threads)
{
    pthread_t threads[MOST_THREADS];
    member members[MOST_THREADS];
    uint64_t least = UINT64_MAX;
    for (t->n = 1; t->n < n_threads && t->n < MOST_THREADS; t->n++) {
        members[t->n] = (member){t, t->n};
        if (pthread_create(&threads[t->n], NULL, follow, &members[t->n]))
            break;
    }
    for (uint32_t phase = 1; phase < RUNS + 2; phase++) {
        const uint64_t ns = lead(t, phase);
        least = phase > 1 && ns < least ? ns : least;
    }
    for (uint32_t i = 1; i < t->n; i++)
        pthread_join(threads[i], NULL);
    return least;
}

double host_copy_rate(uint32_t n_threads, uint64_t n_bytes)
{
    team t = {.from = malloc(n_bytes), .to = malloc(n_bytes), .n_bytes = n_bytes};
    double rate = 0;
    if (t.from && t.to)
        rate = 1e9 * (double)n_bytes / (double)least_ns(&t, n_threads);
    free(t.from);
    free(t.to);
    return rate;
}
