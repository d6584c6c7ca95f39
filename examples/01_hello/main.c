/* SPDX-License-Identifier: MIT */
/* 01_hello - two tasks, and one thing they share: the second reads what the first writes, so it runs after it. */
#include "heddle/task.h"

#include <stdio.h>

/* The record that all tasks of a run share has pointers, a task's own record has offsets from them: so one graph serves
 * any memory. */
typedef struct hello_params {
    int *cells;
} hello_params;
typedef struct hello_args {
    uint64_t cell;
    int a, b;
} hello_args;

#define HELLO_BODIES(X) X(hello_multiply, 0) X(hello_say, 0)
HEDDLE_ENUM(hello, HELLO_BODIES)

HEDDLE_BODY(hello_multiply, hello_params, params, hello_args, args)
{
    if (thread->index == 0) /* on a GPU a body is run by many threads at once */
        params->cells[args->cell] = args->a * args->b;
}

HEDDLE_BODY(hello_say, hello_params, params, hello_args, args)
{
    if (thread->index == 0)
        printf("hello: %d times %d is %d\n", args->a, args->b, params->cells[args->cell]);
}

HEDDLE_TABLE(hello, hello_params, HELLO_BODIES)

static heddle_status hello_run(heddle_ctx *ctx, heddle_graph *graph, void *cell)
{
    hello_params params = {cell};
    hello_args args = {0, 6, 7};
    heddle_status s;

    /* In program order; the ranges decide what may not change places. */
    s = heddle_graph_add(graph, hello_multiply, &args, sizeof args, HEDDLE_RANGES(HEDDLE_OUT(cell, sizeof(int))), NULL);
    if (s == HEDDLE_OK)
        s = heddle_graph_add(graph, hello_say, &args, sizeof args, HEDDLE_RANGES(HEDDLE_IN(cell, sizeof(int))), NULL);
    if (s == HEDDLE_OK)
        s = heddle_graph_run(ctx, graph, &params, sizeof params);
    return s;
}

int main(void)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx = NULL;
    heddle_graph *graph = NULL;
    void *cell = NULL;
    heddle_status s;

    config.backend = HEDDLE_CPU;
    s = heddle_ctx_open(&ctx, &config);
    if (s == HEDDLE_OK)
        s = heddle_graph_new(ctx, &hello, &graph);
    if (s == HEDDLE_OK)
        s = heddle_mem_new(ctx, sizeof(int), &cell);
    if (s == HEDDLE_OK)
        s = hello_run(ctx, graph, cell);
    if (s != HEDDLE_OK)
        fprintf(stderr, "hello: %s: %s\n", heddle_status_text(s), heddle_error_text(ctx));
    heddle_graph_free(graph);
    heddle_mem_free(ctx, cell);
    heddle_ctx_close(ctx);
    return s == HEDDLE_OK ? 0 : 1;
}
