/* SPDX-License-Identifier: MIT */
/* spread.c - host loops over many items, divided among threads. An item's work depends on the item alone, so the
 * results are those of one thread. */
#include "app.h"

#include <pthread.h>
#include <unistd.h>

#define MOST_THREADS 64

typedef struct part {
    app_part_fn fn;
    void *self;
    uint64_t begin, end;
} part;

static void *run_part(void *self)
{
    part *p = self;
    p->fn(p->self, p->begin, p->end);
    return NULL;
}

uint64_t app_threads(uint64_t n_cells)
{
    const uint64_t least = 1u << 22; /* cells worth a thread: some milliseconds */
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t most = n < 1 ? 1 : n < MOST_THREADS ? (uint64_t)n : MOST_THREADS;
    return n_cells / least < 1 ? 1 : n_cells / least < most ? n_cells / least : most;
}

void app_spread(uint64_t n, uint64_t item_cells, app_part_fn fn, void *self)
{
    pthread_t threads[MOST_THREADS];
    part parts[MOST_THREADS];
    uint64_t n_threads = app_threads(n * item_cells), i, n_started = 0;
    n_threads = n_threads < n ? n_threads : n ? n : 1;
    for (i = 0; i < n_threads; i++)
        parts[i] = (part){fn, self, n / n_threads * i + (i < n % n_threads ? i : n % n_threads),
                          n / n_threads * (i + 1) + (i + 1 < n % n_threads ? i + 1 : n % n_threads)};
    while (n_started + 1 < n_threads && !pthread_create(&threads[n_started], NULL, run_part, &parts[n_started]))
        n_started++;
    for (i = n_started; i < n_threads; i++) /* the last part, and those with no thread */
        run_part(&parts[i]);
    for (i = 0; i < n_started; i++)
        pthread_join(threads[i], NULL);
}

void app_least(uint64_t *least, uint64_t v)
{
    uint64_t now = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (v < now && !__atomic_compare_exchange_n(least, &now, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}
