/* SPDX-License-Identifier: MIT */
/* parts.h - a case that consists of cases, its parts, which share a pool or a graph and take turns. Each has its own inputs and
 * checks its own results. mix has a part for each of its apps. Any app of narrow tasks has four when its tasks are irregular: a
 * quarter of the tasks with teams of 32, of 64, of 128 and of 256 threads each. The side of a picture or matrix, or the length of a
 * signal, grows with the team, and is the one asked for at 128 threads. */
#ifndef PARTS_H
#define PARTS_H

#include "app.h"

enum { PARTS = 4 };

typedef struct parts {
    app_case c;
    app_case *part[PARTS];
} parts; /* a case of parts begins with one */

/* Members of an app, for all parts. */
int parts_read(app_case *c);
int parts_reference(app_case *c);
int parts_check(app_case *c);
void parts_answer(app_case *c, const app_sink *s);
int parts_reset(app_case *c); /* of a scenario */
void parts_free(app_case *c);
/* -1, with the sentence of a part. */
int parts_failed(app_case *c, const app_case *part);

/* An app's set_apart: the tasks of the parts in turn, `run` of each. The body of part k is k, if each has its own. */
int parts_apart(app_case *c, heddle_ctx *ctx, heddle_pool *pool, uint64_t run, int own_bodies);

/* The request with the size that follows from the number of tasks, the scale and the blocks of a task. */
app_request parts_request(const app *a, const app_request *q);

#endif
