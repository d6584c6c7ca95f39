/* SPDX-License-Identifier: MIT */
/* core_cpu.c - the trials of trials.h on threads. ThreadSanitizer checks the host's memory orders and finds data races
 * between the roles; and the trials themselves are tested before they go to a GPU. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* There may be fewer cores than roles: a waiting thread yields. */
#include "heddle/core/atom.h"
#include <sched.h>
#undef HD_PAUSE
#define HD_PAUSE(n) ((void)(n), (void)sched_yield())

#include "trials.h"

#define N_MESSAGES (512u * LITMUS_DATA)

uint64_t heddle_host_clock_ns(void) { return 0; }

typedef struct member {
    pthread_t thread;
    litmus_group *group;
    const hd_task *tasks;
    uint32_t kind, who;
} member;

static void *member_main(void *arg)
{
    member *m = arg;
    litmus_take_part(m->group, m->tasks, m->kind, m->who, 0, N_MESSAGES);
    return NULL;
}

static int run_kind(uint32_t kind, const char *name)
{
    static litmus_group group;
    static hd_task tasks[LITMUS_DATA];
    member members[LITMUS_PRODUCERS + 1u];
    uint32_t i, n = litmus_members(kind);
    memset(&group, 0, sizeof group);
    for (i = 0; i < LITMUS_DATA; i++)
        tasks[i].n_in = 2;
    for (i = 0; i < n; i++) {
        members[i] = (member){0, &group, tasks, kind, i};
        if (pthread_create(&members[i].thread, NULL, member_main, &members[i])) {
            printf("a thread could not be started\n");
            exit(1);
        }
    }
    for (i = 0; i < n; i++)
        pthread_join(members[i].thread, NULL);
    printf("%s: %u trials, %u bad\n", name, litmus_trials(kind, N_MESSAGES), group.bad);
    return group.bad != 0;
}

int main(void)
{
    static const char *const names[] = {LITMUS_NAMES};
    uint32_t kind;
    int bad = 0;
    for (kind = 0; kind < LITMUS_KINDS; kind++)
        bad |= run_kind(kind, names[kind]);
    return bad;
}
