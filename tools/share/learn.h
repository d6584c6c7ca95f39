/* SPDX-License-Identifier: MIT */
/* learn.h - what the daemon knows of each client's task at hand: it looks up what such a task did on earlier runs, and remembers what
 * this one does. A task that goes beyond what the program did on earlier runs is taken for one like the last that began with as many bytes:
 * programs that iterate are known from their second round on. A task may begin with other bytes than any of
 * its number did. It is expected to be like the most similar one of these, made larger or smaller. A client may tell of a task several times; the last word counts, and goes into the history when the next
 * task is told of, or the client leaves. */
#ifndef SHARE_LEARN_H
#define SHARE_LEARN_H

#include "arbiter.h"
#include "history.h"

typedef struct share_learner {
    share_history history;
    struct {
        uint64_t program, command; /* digests of the executable, and of that with its arguments; 0: not known */
        share_past told;           /* of the task at hand; program 0: nothing */
    } clients[SHARE_MOST_CLIENTS];
} share_learner;

void share_learn_join(share_learner *l, uint32_t client, uint64_t program, uint64_t command);
void share_learn_leave(share_learner *l, uint32_t client);
/* uuid: of the GPU. */
share_expected share_learn_expect(const share_learner *l, uint32_t client, const uint8_t *uuid, uint32_t task,
                                  uint64_t first_bytes);
/* The most memory of this GPU that the client's program had on earlier runs with the same arguments, or 0; what the client had, when it leaves. */
uint64_t share_learn_peak_of(const share_learner *l, uint32_t client, const uint8_t *uuid);
void share_learn_peak(share_learner *l, uint32_t client, const uint8_t *uuid, uint64_t n_bytes);
/* p: program is not read. Told again with the same time, its kernels are no other ones: what ran beside them was said before. */
void share_learn_task(share_learner *l, uint32_t client, const uint8_t *uuid, const share_past *p);

#endif
