/* SPDX-License-Identifier: MIT */
/* team.c - a block's threads as threads of the host.
 *
 * One mutex and one condition variable serve everything: this finds errors, speed does not matter. A barrier completes when
 * all threads inside the body have arrived. The error to find is a thread that leaves while others wait, or arrives after one
 * has left. The remaining threads then continue, so that the run ends and can be reported. */
#include "backend/serial/team.h"
#include "backend/inside.h"

#include <pthread.h>
#include <string.h>

typedef struct thread_of_team {
    pthread_t thread;
    hd_team_of_threads *threads;
    uint32_t index;
} thread_of_team;

struct hd_team_of_threads {
    hd_emulated_team team; /* first: bodies see its address */
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    uint32_t team_size, n_started, n_inside, n_arrived;
    uint32_t round;   /* barriers completed */
    uint32_t body_no; /* bodies started; UINT32_MAX: the threads end */
    uint32_t last_left, last_waiting;
    int n_left, mismatch;
    uint32_t left, waited;
    const heddle_body_info *body;
    const heddle_thread *thread;
    const void *params, *args;
    const hd_inside *inside; /* of the thread that called hd_team_of_threads_run */
    thread_of_team threads[];
};

/* The caller holds the mutex; all threads inside have arrived. */
static void complete(hd_team_of_threads *l)
{
    l->n_arrived = 0;
    l->round++;
    pthread_cond_broadcast(&l->moved);
}

static void note(hd_team_of_threads *l, uint32_t left, uint32_t waited)
{
    if (l->mismatch)
        return;
    l->mismatch = 1;
    l->left = left;
    l->waited = waited;
}

static void barrier(hd_emulated_team *team, uint32_t thread)
{
    hd_team_of_threads *l = (hd_team_of_threads *)(void *)team;
    uint32_t round;
    pthread_mutex_lock(&l->mutex);
    round = l->round;
    l->last_waiting = thread;
    if (l->n_left)
        note(l, l->last_left, thread);
    if (++l->n_arrived == l->n_inside)
        complete(l);
    while (round == l->round)
        pthread_cond_wait(&l->moved, &l->mutex);
    pthread_mutex_unlock(&l->mutex);
}

static void leave(hd_team_of_threads *l, uint32_t thread)
{
    pthread_mutex_lock(&l->mutex);
    l->n_inside--;
    l->n_left++;
    l->last_left = thread;
    if (l->n_arrived)
        note(l, thread, l->last_waiting);
    if (l->n_inside && l->n_arrived == l->n_inside)
        complete(l);
    if (!l->n_inside)
        pthread_cond_broadcast(&l->moved);
    pthread_mutex_unlock(&l->mutex);
}

static void run_thread(hd_team_of_threads *l, uint32_t index)
{
    heddle_thread thread = *l->thread;
    thread.index = index;
    thread.team_size = l->team_size;
    thread.emulated = &l->team;
    thread.failed = NULL;
    thread.notes = index == 0 ? thread.notes : NULL;
    hd_inside_as(l->inside);
    l->body->run(&thread, l->params, l->args);
    leave(l, index);
}

static void *thread_main(void *arg)
{
    thread_of_team *t = arg;
    hd_team_of_threads *l = t->threads;
    uint32_t seen = 0;
    for (;;) {
        pthread_mutex_lock(&l->mutex);
        while (l->body_no == seen)
            pthread_cond_wait(&l->moved, &l->mutex);
        seen = l->body_no;
        pthread_mutex_unlock(&l->mutex);
        if (seen == UINT32_MAX)
            return NULL;
        run_thread(l, t->index);
    }
}

static uint64_t bytes_of(uint32_t team_size) { return sizeof(hd_team_of_threads) + team_size * sizeof(thread_of_team); }

hd_team_of_threads *hd_team_of_threads_new(uint32_t team_size)
{
    hd_team_of_threads *l = hd_new(bytes_of(team_size));
    if (!l)
        return NULL;
    l->team.barrier = barrier;
    l->team_size = team_size;
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->moved, NULL);
    for (l->n_started = 1; l->n_started < team_size; l->n_started++) {
        thread_of_team *t = &l->threads[l->n_started];
        t->threads = l;
        t->index = l->n_started;
        if (pthread_create(&t->thread, NULL, thread_main, t)) {
            hd_team_of_threads_free(l);
            return NULL;
        }
    }
    return l;
}

void hd_team_of_threads_free(hd_team_of_threads *l)
{
    uint32_t i;
    if (!l)
        return;
    pthread_mutex_lock(&l->mutex);
    l->body_no = UINT32_MAX;
    pthread_cond_broadcast(&l->moved);
    pthread_mutex_unlock(&l->mutex);
    for (i = 1; i < l->n_started; i++)
        pthread_join(l->threads[i].thread, NULL);
    pthread_cond_destroy(&l->moved);
    pthread_mutex_destroy(&l->mutex);
    hd_delete(l, bytes_of(l->team_size));
}

int hd_team_of_threads_run(hd_team_of_threads *l, const heddle_body_info *body, const heddle_thread *thread,
                           const void *params, const void *args, uint32_t *left, uint32_t *waited)
{
    pthread_mutex_lock(&l->mutex);
    l->body = body;
    l->thread = thread;
    l->params = params;
    l->args = args;
    l->inside = hd_inside_now();
    l->n_inside = l->team_size;
    l->n_arrived = 0;
    l->n_left = l->mismatch = 0;
    l->body_no = l->body_no + 1 == UINT32_MAX ? 1 : l->body_no + 1;
    pthread_cond_broadcast(&l->moved);
    pthread_mutex_unlock(&l->mutex);
    run_thread(l, 0);
    pthread_mutex_lock(&l->mutex);
    while (l->n_inside)
        pthread_cond_wait(&l->moved, &l->mutex);
    *left = l->left;
    *waited = l->waited;
    pthread_mutex_unlock(&l->mutex);
    return l->mismatch ? -1 : 0;
}
