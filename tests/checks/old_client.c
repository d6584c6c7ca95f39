/* SPDX-License-Identifier: MIT */
/* old_client.c - a program compiled against an older heddle.h; its structs with a size have fewer fields (old_client.sh
 * makes such headers). Each struct ends at the end of a page with nothing mapped behind it, so any access beyond it
 * ends the program. OLD_STRUCTS, from the script, names the structs; each needs a function here. */
#include "heddle.h"
#include "heddle/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct nothing {
} nothing;
#define OLD_BODIES(X) X(old_body, 0)
HEDDLE_ENUM(old, OLD_BODIES)
HEDDLE_BODY(old_body, nothing, params, nothing, t) {}
HEDDLE_TABLE(old, nothing, OLD_BODIES)

static heddle_ctx *ctx;
static heddle_graph *graph;

static void must(int holds, const char *what)
{
    if (holds)
        return;
    printf("%s: %s\n", what, heddle_error_text(ctx));
    exit(1);
}

/* Copies a struct to the end of the accessible memory. */
static void *at_edge(const void *from, size_t n_bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(p != MAP_FAILED && !mprotect(p + page, page, PROT_NONE), "memory");
    return memcpy(p + page - n_bytes, from, n_bytes);
}
/* Initialized with today's initialisers, which have a value for each field. */
#define AT_EDGE(type)             \
    type copy_ = {sizeof(copy_)}; \
    type *s = at_edge(&copy_, sizeof copy_)
#define KEPT_SIZE(s) must((s)->size == sizeof *(s), "the size is another")

static void use_heddle_config(void)
{
    AT_EDGE(heddle_config);
    must(heddle_ctx_open(&ctx, s) == HEDDLE_OK, "heddle_ctx_open");
    must(heddle_ctx_reconfigure(ctx, s) == HEDDLE_OK, "heddle_ctx_reconfigure");
    must(heddle_ctx_get_config(ctx, s) == HEDDLE_OK, "heddle_ctx_get_config");
    KEPT_SIZE(s);
    must(heddle_graph_new(ctx, &old, &graph) == HEDDLE_OK, "heddle_graph_new");
}

static void use_heddle_task_desc(void)
{
    AT_EDGE(heddle_task_desc);
    must(heddle_graph_add_task(graph, s, NULL) == HEDDLE_OK, "heddle_graph_add_task");
    KEPT_SIZE(s);
}

static void use_heddle_graph_info(void)
{
    AT_EDGE(heddle_graph_info);
    must(heddle_graph_get_info(graph, s) == HEDDLE_OK, "heddle_graph_get_info");
    KEPT_SIZE(s);
}

static void use_heddle_stats(void)
{
    AT_EDGE(heddle_stats);
    must(heddle_graph_run(ctx, graph, NULL, 0) == HEDDLE_OK, "heddle_graph_run");
    must(heddle_graph_get_stats(graph, s) == HEDDLE_OK, "heddle_graph_get_stats");
    KEPT_SIZE(s);
}

static void use_heddle_device(void)
{
    AT_EDGE(heddle_device);
    heddle_status said = heddle_device_get(HEDDLE_AUTO, 0, s);
    must(said == HEDDLE_OK || said == HEDDLE_ENODEV, "heddle_device_get");
    KEPT_SIZE(s);
}

int main(void)
{
    use_heddle_config(); /* the others need its context */
#define USE(type)                              \
    if (strcmp(#type, "heddle_config") != 0) { \
        use_##type();                          \
        printf(" %zu", sizeof(type));          \
    } else                                     \
        printf(" %zu", sizeof(type));
    OLD_STRUCTS(USE)
    printf("\n");
    heddle_graph_free(graph);
    heddle_ctx_close(ctx);
    return 0;
}
