/* SPDX-License-Identifier: MIT */
/* stage_none.c - stage.h in a build without CUDA: the stage is host memory, and one chunk comes after another. */
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 256u

struct stage {
    char *memory;
    const stage_runner *runner;
    const stage_chunk *chunks;
    uint64_t n;
};

stage *stage_open(uint32_t device, uint64_t n_bytes, char error[STAGE_ERROR])
{
    const uint64_t room = (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    stage *s = malloc(sizeof *s);
    char *memory = s ? aligned_alloc(ALIGNMENT, room) : NULL;
    (void)device;
    if (!memory) {
        snprintf(error, STAGE_ERROR, "out of memory for chunks of tasks");
        free(s);
        return NULL;
    }
    memset(memory, 0, room);
    *s = (stage){.memory = memory};
    return s;
}

void *stage_memory(const stage *s) { return s->memory; }

void stage_close(stage *s)
{
    free(s->memory);
    free(s);
}

int stage_load(stage *s, const stage_runner *r, const stage_chunk *chunks, uint64_t n, char error[STAGE_ERROR])
{
    (void)error;
    s->runner = r;
    s->chunks = chunks;
    s->n = n;
    return 0;
}

static int run_one(const stage *s, const stage_chunk *c)
{
    const stage_runner *r = s->runner;
    heddle_status status;
    for (int k = 0; k < STAGE_SPANS; k++)
        if (c->span[k].n_bytes && c->span[k].mode != HEDDLE_MODE_OUT)
            memcpy(s->memory + c->span[k].at, c->span[k].host, c->span[k].n_bytes);
    status = heddle_graph_run(r->ctx, c->graph, r->params, r->params_bytes);
    for (int k = 0; k < STAGE_SPANS; k++)
        if (c->span[k].n_bytes && c->span[k].mode != HEDDLE_MODE_IN)
            memcpy(c->span[k].host, s->memory + c->span[k].at, c->span[k].n_bytes);
    return status == HEDDLE_OK ? 0 : -1;
}

int stage_run(stage *s, uint32_t n_streams, char error[STAGE_ERROR])
{
    (void)n_streams;
    for (uint64_t i = 0; i < s->n; i++)
        if (run_one(s, &s->chunks[i])) {
            snprintf(error, STAGE_ERROR, "%s", heddle_error_text(s->runner->ctx));
            return -1;
        }
    return 0;
}
