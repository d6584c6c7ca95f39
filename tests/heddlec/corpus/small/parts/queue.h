/* SPDX-License-Identifier: MIT */
/* A queue of jobs, for several_files.c. */
#ifndef QUEUE_H
#define QUEUE_H
#define QUEUE_MAX 64
typedef struct {
    int argument;
    long result;
} job;
typedef struct {
    job jobs[QUEUE_MAX];
    int n;
} queue;
void queue_init(queue *q);
void queue_put(queue *q, int argument);
void queue_run(queue *q);
const char *queue_mode(void);
#endif
