/* SPDX-License-Identifier: MIT */
/* cmd_info.c - `heddle info [APP]`: what is here, and what an app takes. */
#include "commands.h"

#include "cli.h"

#include <inttypes.h>
#include <string.h>

static void print_backends(FILE *out)
{
    static const char *const help[] = {
#define HEDDLE_X(name, value, text, help) help,
        HEDDLE_BACKEND_MAP(HEDDLE_X)
#undef HEDDLE_X
    };
    fputs("\nbackends\n", out);
    for (unsigned b = 0; b < HEDDLE_N_BACKENDS; b++) {
        int here = b == HEDDLE_AUTO || heddle_has_backend((heddle_backend)b);
        fprintf(out, "  %-8s %s%s\n", heddle_backend_name((heddle_backend)b), help[b],
                here ? "" : " (not in this build, or no device)");
    }
}

static void print_policies(FILE *out)
{
    static const char *const help[] = {
#define HEDDLE_X(name, value, text, help) help,
        HEDDLE_POLICY_MAP(HEDDLE_X)
#undef HEDDLE_X
    };
    fputs("\npolicies\n", out);
    for (unsigned p = 0; p < HEDDLE_N_POLICIES; p++)
        fprintf(out, "  %-8s %s\n", heddle_policy_name((heddle_policy)p), help[p]);
}

/* What the context of a backend's only device would be; a backend that does not open says why. */
static void print_device(FILE *out, heddle_backend b)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    config.backend = b;
    fprintf(out, "  %-8s ", heddle_backend_name(b));
    if (heddle_open(&ctx, &config)) {
        fprintf(out, "cannot be opened: %s\n", heddle_errmsg(NULL));
        return;
    }
    if (!heddle_get_config(ctx, &config))
        fprintf(out, "device %" PRIu32 ": %" PRIu32 " worker%s\n", config.device, config.n_workers,
                config.n_workers == 1 ? "" : "s");
    heddle_close(ctx);
}

static void print_machine(FILE *out)
{
    static const char *const levels[] = {"L1d", "L2", "L3"};
    heddle_machine m;
    heddle_get_machine(&m);
    fputs("\ndevices\n", out);
    for (unsigned b = HEDDLE_SERIAL; b < HEDDLE_N_BACKENDS; b++)
        if (heddle_has_backend((heddle_backend)b))
            print_device(out, (heddle_backend)b);
    fprintf(out, "\nmachine\n  cores    %" PRIu32 " with %" PRIu32 " hardware threads, as seen by %s\n  caches  ",
            m.n_cores, m.n_threads, m.has_hwloc ? "hwloc" : "the system");
    for (int i = 0; i < 3; i++) {
        cli_text bytes;
        fprintf(out, " %s %s%s", levels[i], m.cache_bytes[i] ? cli_bytes(&bytes, m.cache_bytes[i]) : "unknown",
                i < 2 ? "," : "\n");
    }
}

static void print_limits(FILE *out)
{
    fprintf(out, "\nlimits\n  %u tasks in a graph, %u bytes of arguments a task\n", HEDDLE_MAX_TASKS,
            HEDDLE_MAX_ARG_BYTES);
}

static void print_environment(FILE *out)
{
    heddle_env_info env;
    fputs("\nenvironment\n", out);
    for (uint32_t i = 0; heddle_env_get(i, &env); i++)
        fprintf(out, "  %-21s %-10s %s\n", env.name, env.value ? env.value : "not set", env.help);
}

static void print_apps(FILE *out)
{
    fputs("\napps\n", out);
    for (size_t i = 0; app_list[i]; i++)
        fprintf(out, "  %-8s %s\n", app_list[i]->name, app_list[i]->summary);
}

static void print_all(FILE *out)
{
    fprintf(out, "heddle %d.%d.%d\n", HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH);
    print_backends(out);
    print_policies(out);
    print_machine(out);
    print_limits(out);
    print_environment(out);
    print_apps(out);
}

static void print_app(FILE *out, const app *a)
{
    fprintf(out, "%s - %s\n\n", a->name, a->summary);
    fprintf(out, "size     %" PRIu64 "x%" PRIu64 " (-n), blocks of %" PRIu64 "x%" PRIu64 " (-b), when not given\n",
            a->n[0], a->n[1], a->b[0], a->b[1]);
    fprintf(out, "input    %s\nbodies  ", a->formats);
    for (uint32_t i = 0; i < a->table->n_bodies; i++)
        fprintf(out, " %s", a->table->bodies[i].name);
    fprintf(out, "\n\noptions (--opt KEY=VALUE)%s\n", a->options->key ? "" : ": none");
    for (const app_option *o = a->options; o->key; o++)
        fprintf(out, "  %-12s %s (default: %s)\n", o->key, o->help, *o->value ? o->value : "none");
}

int cmd_info(const options *o)
{
    cli_buffer text;
    const app *a = NULL;
    int status;
    if (o->n_words > 1)
        return cli_bad("info takes one app at most");
    if (o->n_words == 1 && find_app(o->words[0], &a))
        return CLI_BAD;
    status = cli_buffer_open(&text);
    if (status)
        return status;
    if (a)
        print_app(text.out, a);
    else
        print_all(text.out);
    status = cli_buffer_print(&text);
    cli_buffer_free(&text);
    return status;
}
