/* SPDX-License-Identifier: MIT */
/* stage.h - chunks of tasks as a program without a pool runs them. For each there is a copy of inputs to the GPU, one grid, and a copy of
 * results back. They go over several streams, so that both directions of the link and the bodies work at once. */
#ifndef PAGODA_STAGE_H
#define PAGODA_STAGE_H

#include "heddle.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STAGE_ERROR = 160, STAGE_SPANS = 16, STAGE_STREAMS = 4 };

/* Host memory that goes with a chunk, and its place in the stage's memory. n_bytes 0: there is none. */
typedef struct stage_span {
    char *host;
    uint64_t n_bytes, at;
    heddle_mode mode;
} stage_span;

typedef struct stage_chunk {
    heddle_graph *graph; /* of independent tasks: one grid of schedule levels */
    stage_span span[STAGE_SPANS];
} stage_chunk;

/* What runs their graphs; the record of params is of zeros, as tasks apart do not read it. */
typedef struct stage_runner {
    heddle_ctx *ctx;
    const void *params;
    size_t params_bytes;
} stage_runner;

typedef struct stage stage;

/* Memory where bodies run, of zeros. NULL: why not is in error. stage_close in any other case. */
stage *stage_open(uint32_t device, uint64_t n_bytes, char error[STAGE_ERROR]);
void *stage_memory(const stage *s);
void stage_close(stage *s);

/* These return 0, or -1 with error. Chunks, their graphs and the runner must live as long as the stage. */
int stage_load(stage *s, const stage_runner *r, const stage_chunk *chunks, uint64_t n, char error[STAGE_ERROR]);
/* All chunks, over so many streams in turn, and waits for them. */
int stage_run(stage *s, uint32_t n_streams, char error[STAGE_ERROR]);

#ifdef __cplusplus
}
#endif

#endif
