/* SPDX-License-Identifier: MIT */
/* target.c - see target.h. */
#include "target.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Trace events of a worker, 32 bytes each, of which only those used become real memory. */
enum { MAX_TRACE = 1 << 20, MIN_TRACE = 1 << 16, MIN_GPU_TRACE = 1 << 12, ALL_TRACE = 1 << 23 };

/* ---- what is meant ---- */

int find_app(const char *name, const app **out)
{
    cli_guess guess = {.word = name};
    *out = app_find(name);
    if (*out)
        return CLI_OK;
    for (size_t i = 0; app_list[i]; i++)
        cli_guess_offer(&guess, app_list[i]->name);
    return cli_bad("unknown app '%s'%s", name, cli_guess_tail(&guess));
}

static int is_file(const char *word)
{
    size_t n = strlen(word);
    return strchr(word, '/') || (n > 5 && !strcmp(word + n - 5, ".json"));
}

int find_target(const options *o, const char *command, const app **a, const char **file)
{
    const app_request *q = &o->request;
    *a = NULL;
    *file = NULL;
    if (o->n_words != 1)
        return cli_bad("%s takes one app or one file: heddle %s APP|FILE.json", command, command);
    if (!is_file(o->words[0]))
        return find_app(o->words[0], a);
    *file = o->words[0];
    if (q->n[0] || q->b[0] || q->n_opts || q->n_inputs)
        return cli_bad("-n, -b, --opt and --input belong to apps; %s is a graph", *file);
    return CLI_OK;
}

/* ---- what its config needs ---- */

/* As many workers as there may be, where the config leaves it open. On a GPU sixteen blocks an SM: of the default size
 * no more are resident. */
static uint32_t most_workers(const heddle_config *config, const heddle_device *gpu)
{
    heddle_machine m;
    if (config->n_workers)
        return config->n_workers;
    if (gpu->n_units)
        return 16 * gpu->n_units;
    heddle_get_machine(&m);
    return m.n_threads ? m.n_threads : 1;
}

uint32_t trace_room(const heddle_config *config)
{
    const char *env = getenv("HEDDLE_TRACE");
    heddle_device gpu = HEDDLE_DEVICE_INIT;
    uint32_t n, least;
    if (env && *env && strcmp(env, "0") != 0)
        return 0;
    (void)heddle_device_info(config->backend, config->device, &gpu); /* none: n_units stays 0 */
    n = ALL_TRACE / most_workers(config, &gpu);
    least = gpu.n_units ? MIN_GPU_TRACE : MIN_TRACE;
    return n < least ? least : n > MAX_TRACE ? MAX_TRACE : n;
}

int has_workers(const heddle_config *config)
{
    return config->executor == HEDDLE_EXECUTOR_AUTO || config->executor == HEDDLE_EXECUTOR_PERSISTENT;
}

void ask_for_workers(heddle_config *config)
{
    int gpu = config->backend == HEDDLE_CUDA || (config->backend == HEDDLE_AUTO && heddle_has_backend(HEDDLE_CUDA));
    if (gpu && config->executor == HEDDLE_EXECUTOR_AUTO)
        config->executor = HEDDLE_EXECUTOR_PERSISTENT;
}
