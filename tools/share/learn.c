/* SPDX-License-Identifier: MIT */
/* learn.c - tasks at hand and the history (learn.h). */
#include "learn.h"

#include "digest.h"

#include <string.h>

enum {
    MOST_NUMBERED = 64, /* later tasks of a program are remembered by their first copy alone */
    MOST_TIMES = 64
};

void share_learn_join(share_learner *l, uint32_t client, uint64_t program, uint64_t command)
{
    memset(&l->clients[client], 0, sizeof l->clients[client]);
    l->clients[client].program = program, l->clients[client].command = command;
}

static void remember(share_learner *l, uint32_t client)
{
    share_past *told = &l->clients[client].told;
    if (told->program) {
        share_past any = *told;
        any.task = SHARE_ANY_TASK;
        if (told->task <= MOST_NUMBERED)
            share_history_learn(&l->history, told);
        share_history_learn(&l->history, &any);
    }
    told->program = 0;
}

void share_learn_leave(share_learner *l, uint32_t client) { remember(l, client); }

/* The same program on another GPU is another one. */
static uint64_t on_gpu(uint64_t program, const uint8_t *uuid) { return program ? share_digest(program, uuid, 16) : 0; }

/* What p would be with so many bytes to begin with. Sizes that are no likely guide count as never seen. */
static share_expected scaled(const share_past *p, uint64_t first_bytes)
{
    double by = p ? (double)first_bytes / (double)p->first_bytes : 0;
    if (by * MOST_TIMES < 1 || by > MOST_TIMES)
        return (share_expected){.is_known = 0};
    return (share_expected){.in_bytes = (uint64_t)((double)p->in_bytes * by),
                            .out_bytes = (uint64_t)((double)p->out_bytes * by),
                            .p_ns = (uint64_t)((double)p->p_ns * by),
                            .is_known = 1};
}

share_expected share_learn_expect(const share_learner *l, uint32_t client, const uint8_t *uuid, uint32_t task,
                                  uint64_t first_bytes)
{
    uint64_t program = on_gpu(l->clients[client].program, uuid);
    const share_past *p = share_history_find(&l->history, program, task, first_bytes);
    if (!p)
        p = share_history_find(&l->history, program, SHARE_ANY_TASK, first_bytes);
    if (p)
        return (share_expected){.in_bytes = p->in_bytes, .out_bytes = p->out_bytes, .p_ns = p->p_ns, .is_known = 1};
    return scaled(share_history_nearest(&l->history, program, task, first_bytes), first_bytes);
}

uint64_t share_learn_peak_of(const share_learner *l, uint32_t client, const uint8_t *uuid)
{
    return share_history_peak(&l->history, on_gpu(l->clients[client].command, uuid));
}

void share_learn_peak(share_learner *l, uint32_t client, const uint8_t *uuid, uint64_t n_bytes)
{
    share_history_learn_peak(&l->history, on_gpu(l->clients[client].command, uuid), n_bytes);
}

void share_learn_task(share_learner *l, uint32_t client, const uint8_t *uuid, const share_past *p)
{
    share_past *told = &l->clients[client].told;
    uint32_t is_alone = p->task == told->task && p->p_ns == told->p_ns ? told->is_alone : p->is_alone;
    if (p->task != told->task)
        remember(l, client);
    *told = *p;
    told->program = on_gpu(l->clients[client].program, uuid);
    told->is_alone = is_alone;
}
