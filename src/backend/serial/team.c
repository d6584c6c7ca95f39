/* SPDX-License-Identifier: MIT */
/* team.c - lanes as threads.
 *
 * One mutex and one condition serve everything: this is for finding errors, not for speed. A barrier completes when
 * all lanes that are still inside the body have arrived; a lane that leaves while others wait, or arrives after one
 * has left, is the error looked for. The rest then go on, so that the run ends and can be reported. */
#include "backend/serial/team.h"

#include <pthread.h>
#include <string.h>

typedef struct lane_thread {
    pthread_t thread;
    hd_lanes *lanes;
    uint32_t index;
} lane_thread;

struct hd_lanes {
    hd_team team; /* first: bodies see its address */
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    uint32_t n_lanes, n_started, n_inside, n_arrived;
    uint32_t round;   /* barriers completed */
    uint32_t body_no; /* bodies started; UINT32_MAX: the threads end */
    uint32_t last_left, last_waiting;
    int n_left, mismatch;
    uint32_t left, waited;
    const heddle_body_info *body;
    const heddle_lane *lane;
    const void *app, *args;
    lane_thread threads[];
};

/* With the mutex: all lanes inside have arrived. */
static void complete(hd_lanes *l)
{
    l->n_arrived = 0;
    l->round++;
    pthread_cond_broadcast(&l->moved);
}

static void note(hd_lanes *l, uint32_t left, uint32_t waited)
{
    if (l->mismatch)
        return;
    l->mismatch = 1;
    l->left = left;
    l->waited = waited;
}

static void barrier(hd_team *team, uint32_t lane)
{
    hd_lanes *l = (hd_lanes *)(void *)team;
    uint32_t round;
    pthread_mutex_lock(&l->mutex);
    round = l->round;
    l->last_waiting = lane;
    if (l->n_left)
        note(l, l->last_left, lane);
    if (++l->n_arrived == l->n_inside)
        complete(l);
    while (round == l->round)
        pthread_cond_wait(&l->moved, &l->mutex);
    pthread_mutex_unlock(&l->mutex);
}

static void leave(hd_lanes *l, uint32_t lane)
{
    pthread_mutex_lock(&l->mutex);
    l->n_inside--;
    l->n_left++;
    l->last_left = lane;
    if (l->n_arrived)
        note(l, lane, l->last_waiting);
    if (l->n_inside && l->n_arrived == l->n_inside)
        complete(l);
    if (!l->n_inside)
        pthread_cond_broadcast(&l->moved);
    pthread_mutex_unlock(&l->mutex);
}

static void run_lane(hd_lanes *l, uint32_t index)
{
    heddle_lane lane = *l->lane;
    lane.index = index;
    lane.count = l->n_lanes;
    lane.team = &l->team;
    lane.failed = NULL;
    l->body->run(&lane, l->app, l->args);
    leave(l, index);
}

static void *thread_main(void *arg)
{
    lane_thread *t = arg;
    hd_lanes *l = t->lanes;
    uint32_t seen = 0;
    for (;;) {
        pthread_mutex_lock(&l->mutex);
        while (l->body_no == seen)
            pthread_cond_wait(&l->moved, &l->mutex);
        seen = l->body_no;
        pthread_mutex_unlock(&l->mutex);
        if (seen == UINT32_MAX)
            return NULL;
        run_lane(l, t->index);
    }
}

static uint64_t bytes_of(uint32_t n_lanes) { return sizeof(hd_lanes) + n_lanes * sizeof(lane_thread); }

hd_lanes *hd_lanes_new(uint32_t n_lanes)
{
    hd_lanes *l = hd_new(bytes_of(n_lanes));
    if (!l)
        return NULL;
    l->team.barrier = barrier;
    l->n_lanes = n_lanes;
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->moved, NULL);
    for (l->n_started = 1; l->n_started < n_lanes; l->n_started++) {
        lane_thread *t = &l->threads[l->n_started];
        t->lanes = l;
        t->index = l->n_started;
        if (pthread_create(&t->thread, NULL, thread_main, t)) {
            hd_lanes_free(l);
            return NULL;
        }
    }
    return l;
}

void hd_lanes_free(hd_lanes *l)
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
    hd_delete(l, bytes_of(l->n_lanes));
}

int hd_lanes_run(hd_lanes *l, const heddle_body_info *body, const heddle_lane *lane, const void *app, const void *args,
                 uint32_t *left, uint32_t *waited)
{
    pthread_mutex_lock(&l->mutex);
    l->body = body;
    l->lane = lane;
    l->app = app;
    l->args = args;
    l->n_inside = l->n_lanes;
    l->n_arrived = 0;
    l->n_left = l->mismatch = 0;
    l->body_no = l->body_no + 1 == UINT32_MAX ? 1 : l->body_no + 1;
    pthread_cond_broadcast(&l->moved);
    pthread_mutex_unlock(&l->mutex);
    run_lane(l, 0);
    pthread_mutex_lock(&l->mutex);
    while (l->n_inside)
        pthread_cond_wait(&l->moved, &l->mutex);
    *left = l->left;
    *waited = l->waited;
    pthread_mutex_unlock(&l->mutex);
    return l->mismatch ? -1 : 0;
}
