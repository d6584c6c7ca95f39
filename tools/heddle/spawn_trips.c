/* SPDX-License-Identifier: MIT */
/* spawn_trips.c - of `heddle bench spawn`: one task at a time, beside a word to a waiting kernel or thread and back. */
#include "bench_spawn.h"

#include <pthread.h>

#define RESTS 301u            /* trips after a rest, at most */
#define MOST_LOOKS (1u << 27) /* some seconds */

/* ---- one task ------------------------------------------------------------------------------------------------------------ */

/* rest_us: between two tasks, so that the GPU has been given back. */
static int time_task(spawning *b, const char *what, long rest_us, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (rest_us)
            spawning_sleep_us(rest_us);
        b->times[i] = spawning_now_us();
        if (spawning_one(b))
            return CLI_BAD;
        b->times[i] = spawning_now_us() - b->times[i];
    }
    spawning_tails(b, what, 1, n);
    return CLI_OK;
}

/* From the spawn until the host sees the word that the body writes first. */
static int time_start(spawning *b, uint32_t *word, uint32_t i)
{
    const spawn_mark_args args = {word, i + 1u};
    heddle_handle h;
    heddle_status s;
    uint32_t n = 0;
    b->times[i] = spawning_now_us();
    s = heddle_pool_spawn(b->pool, spawn_mark, &args, sizeof args, SPAWN_TEAM, &h);
    while (!s && HEDDLE_ATOMIC_LOAD(word, RELAXED, SYS) != i + 1u && n < MOST_LOOKS)
        heddle_pause(n++);
    b->times[i] = spawning_now_us() - b->times[i];
    if (n == MOST_LOOKS)
        return cli_bad("a task does not start");
    return spawning_said(s ? s : heddle_pool_wait(b->pool, h, HEDDLE_FOREVER, NULL));
}

static int time_starts(spawning *b)
{
    void *word;
    int status;
    if (b->is_lazy)
        return CLI_OK;
    status = spawning_said(heddle_pool_mem_new(b->pool, sizeof(uint32_t), &word));
    for (uint32_t i = 0; !status && i < b->n_trips; i++)
        status = time_start(b, word, i);
    if (!status)
        spawning_tails(b, "one task: spawn to start seen", 1, b->n_trips);
    return status;
}

/* ---- a word to a thread and back ---- */

typedef struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t asked, answered, n;
} mailbox;

static void *answer_words(void *arg)
{
    mailbox *m = arg;
    pthread_mutex_lock(&m->mutex);
    while (m->answered < m->n) {
        while (m->asked == m->answered)
            pthread_cond_wait(&m->changed, &m->mutex);
        m->answered = m->asked;
        pthread_cond_broadcast(&m->changed);
    }
    pthread_mutex_unlock(&m->mutex);
    return NULL;
}

static int thread_trips(double *us, uint32_t n)
{
    mailbox m = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, n};
    pthread_t thread;
    if (pthread_create(&thread, NULL, answer_words, &m))
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        us[i] = spawning_now_us();
        pthread_mutex_lock(&m.mutex);
        m.asked++;
        pthread_cond_broadcast(&m.changed);
        while (m.answered != m.asked)
            pthread_cond_wait(&m.changed, &m.mutex);
        pthread_mutex_unlock(&m.mutex);
        us[i] = spawning_now_us() - us[i];
    }
    return pthread_join(thread, NULL);
}

static int time_bare_launches(spawning *b)
{
    for (uint32_t i = 0; i < b->n_trips; i++) {
        b->times[i] = spawning_now_us();
        if (spawn_launch_and_wait())
            return cli_bad("a kernel cannot be launched");
        b->times[i] = spawning_now_us() - b->times[i];
    }
    spawning_tails(b, "one kernel: launch to synchronised", 1, b->n_trips);
    return CLI_OK;
}

int spawning_trips(spawning *b)
{
    if (time_task(b, "one task: spawn to wait returned", 0, b->n_trips) || time_starts(b) ||
        time_task(b, "one task after a rest of 1 ms", 1000, b->n_trips < RESTS ? b->n_trips : RESTS))
        return CLI_BAD;
    if ((b->is_gpu ? spawn_bare_trips : thread_trips)(b->times, b->n_trips))
        return cli_bad("nobody answers a word");
    spawning_tails(b, b->is_gpu ? "bare: a word to the GPU and back" : "bare: a word to a thread and back", 1,
                   b->n_trips);
    return b->is_gpu ? time_bare_launches(b) : CLI_OK;
}
