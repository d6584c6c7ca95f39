/* SPDX-License-Identifier: MIT */
/* hand.h - loops of apps as a programmer would write them without the library: on one core, with OpenMP, and as a pipeline on a GPU. They call
 * the same bodies on the same memory, and the app checks what they leave. */
#ifndef HDSS_HAND_H
#define HDSS_HAND_H

#include "loop.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HAND_ERROR = 160, HAND_RECORD = 256, HAND_FOUND = 256, HAND_ROOM = 16 << 10 };

/* A loop. */
typedef struct hand {
    const char *app;
    app_loop_form form; /* arrays, results, sizes */
    const heddle_body_info *body;
    uint8_t record[HAND_RECORD]; /* of params, without pointers */
    size_t record_bytes;
} hand;

/* Of a case that is open as a loop, or as jobs. Nonzero: it has no room. */
int hand_of(hand *h, const app_case *c);
/* Begin, of a run: results are zero. */
void hand_begin(const hand *h);

/* ---- cores (plain.c, openmp.c) ---- */

/* A number that a loop adds up. */
typedef union hand_number {
    int64_t i64;
    double f64;
} hand_number;

/* What a thread has for itself; rings and sums of its part. */
typedef struct hand_thread {
    uint8_t room[HAND_ROOM] __attribute__((aligned(128)));
    uint8_t record[HAND_RECORD] __attribute__((aligned(16)));
    hand_number now[APP_MOST_FOUND][HAND_FOUND], sum[APP_MOST_FOUND][HAND_FOUND];
} hand_thread;

void hand_thread_begin(const hand *h, hand_thread *t);
/* Calls the body for piece number k of so many indices, and adds up what it finds. */
void hand_call(const hand *h, hand_thread *t, uint64_t piece, uint64_t k);
/* Adds the thread's sums to the results; one thread at a time. */
void hand_thread_end(const hand *h, const hand_thread *t);
uint64_t hand_pieces(const hand *h, uint64_t piece);

typedef enum hand_schedule { HAND_LOOP, HAND_STATIC, HAND_DYNAMIC, HAND_GUIDED, HAND_SCHEDULES } hand_schedule;
/* One run by one core, without OpenMP. */
void hand_loop(const hand *h, uint64_t piece);
/* One run by a parallel loop over pieces: schedule(static, 1), (dynamic, 1) or (guided, 1). -1: built without OpenMP. */
int hand_openmp(const hand *h, hand_schedule schedule, uint64_t piece, uint32_t n_threads);

/* ---- a GPU (pipeline.cu) ---- */

typedef struct pipeline pipeline;
/* Pins the arrays of the loop, or ends that. Functions that return int return nonzero, with the sentence, if that is not possible. */
int pipeline_pin(const hand *h, char error[HAND_ERROR]);
void pipeline_unpin(const hand *h);
/* On GPU 0: n_streams buffers for chunks of so many indices, whole tiles. pipeline_close must follow in any case. */
int pipeline_open(pipeline **out, const hand *h, uint64_t chunk, uint32_t n_streams, char error[HAND_ERROR]);
void pipeline_close(pipeline *p);
/* A run: each chunk is copied in, computed and copied out in its stream; then results are added up on the GPU. Ends when all is at home. */
int pipeline_run(pipeline *p, char error[HAND_ERROR]);

#ifdef __cplusplus
}
#endif

#endif
