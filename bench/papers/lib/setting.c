/* SPDX-License-Identifier: MIT */
/* setting.c - see setting.h. */
#include "setting.h"

heddle_config way_config(const way *w, heddle_backend backend, const heddle_config *asked)
{
    heddle_config c = *asked;
    c.backend = backend;
    c.executor = backend == HEDDLE_CUDA ? w->executor : HEDDLE_EXECUTOR_AUTO;
    c.dispatch = w->dispatch;
    c.policy = w->policy;
    c.by_body = w->by_body;
    c.sync = w->sync;
    if (w->n_workers)
        c.n_workers = w->n_workers;
    return c;
}
