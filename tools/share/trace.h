/* SPDX-License-Identifier: MIT */
/* trace.h - what the daemon saw, as events for Perfetto: a row each for copies in, kernels and copies out of a GPU, and one for each
 * program with its waiting. Turns of a task are joined by arrows. What was expected stands beside what was measured.
 *
 * The file is an array that is written as things happen, a line an event; Perfetto takes it without its end, too. Times count from begin_ns,
 * on the machine's monotonic clock, which the name of the first process has beside it. Kernels are known from what programs
 * tell at the end of a task. A trace that is NULL takes everything and writes nothing. */
#ifndef SHARE_TRACE_H
#define SHARE_TRACE_H

#include "arbiter.h"
#include "history.h"

typedef struct share_trace share_trace;

/* NULL: it cannot be written. */
share_trace *share_trace_open(const char *path, uint64_t now_ns);
void share_trace_close(share_trace *t);

void share_trace_client(share_trace *t, uint32_t client, int32_t pid, const char *name);
void share_trace_leave(share_trace *t, uint32_t client);
/* An ask, a gate that its stream has come to, what was decided about it, its end. */
void share_trace_ask(share_trace *t, const share_ask *ask, uint64_t now_ns);
void share_trace_go(share_trace *t, const share_decision *d, uint64_t now_ns);
void share_trace_end(share_trace *t, const share_ask *ask, uint32_t task, uint64_t n_bytes, uint64_t expected_ns,
                     uint64_t now_ns);
/* Kernels of a task have ended. */
void share_trace_kernels(share_trace *t, uint32_t client, uint32_t link, const share_past *p,
                         const share_expected *expected, uint64_t now_ns);

#endif
