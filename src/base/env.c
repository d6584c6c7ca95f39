/* SPDX-License-Identifier: MIT */
/* env.c - every HEDDLE_* variable the library reads, in one table. A variable fills a field of the config that the
 * program left zero; a bad value is an error that names the variable. */
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* field, variable, largest value, help */
#define NUMBERS(X)                                                                                        \
    X(device, "HEDDLE_DEVICE", 1023, "index of the device in its backend")                                \
    X(n_workers, "HEDDLE_WORKERS", 4096, "threads, or thread blocks; 0 = one per core, all that fit")     \
    X(n_lanes, "HEDDLE_LANES", 1024, "threads of a block (cuda); lanes of an emulated block (serial)")    \
    X(n_trace, "HEDDLE_TRACE", 1u << 26, "trace events kept per worker; 0 = no trace")                    \
    X(time_limit_ms, "HEDDLE_TIME_LIMIT_MS", 0x7fffffff, "a longer run is stopped; 0 = no limit")         \
    X(n_ring, "HEDDLE_RING", 1u << 20, "slots of a worker's ready ring (rounded up to a power of two)")   \
    X(n_arena, "HEDDLE_ARENA", 1u << 26, "slots for tasks that bodies make")                              \
    X(n_local, "HEDDLE_LOCAL", 1u << 30, "tasks kept in a row before a worker looks into its ring")       \
    X(steal, "HEDDLE_STEAL", 1, "1 = dispatch distributed: a worker that has nothing steals tasks")       \
    X(spin_us, "HEDDLE_SPIN_US", 1000000, "idle polling before a thread parks, in microseconds")          \
    X(no_pin, "HEDDLE_NO_PIN", 1, "1 = leave worker threads unpinned")                                    \
    X(by_body, "HEDDLE_BY_BODY", 2, "levels and CUDA graphs: 1 = a launch a body and level, 2 = a level") \
    X(sync, "HEDDLE_SYNC", 1, "1 = executor levels waits for the GPU after each launch")

/* field, variable, help */
#define CHOICES(X)                                                                                \
    X(backend, "HEDDLE_BACKEND", "backend when the program names none: auto, serial, cpu, cuda")  \
    X(policy, "HEDDLE_POLICY", "which worker gets a freed task: lrr, grr, lf, share, rr, ts, al") \
    X(idle, "HEDDLE_IDLE", "what a worker does that has no task: latency, polite")                \
    X(executor, "HEDDLE_EXECUTOR",                                                                \
      "how a graph runs on a GPU: persistent, levels, cudagraph, cudagraph+pdl, taskgraph")       \
    X(dispatch, "HEDDLE_DISPATCH", "who hands tasks to whom: distributed, ticket, plan, iqs, scheduler, central")

/* field, variable, help */
#define TEXTS(X) X(profile, "HEDDLE_PROFILE", "file in which the cuda backend remembers what it chose for a graph")

/* The texts of each choice, by number. */
#define HEDDLE_X(name, value, text, help) text,
static const char *const backend_names[HEDDLE_N_BACKENDS] = {HEDDLE_BACKEND_MAP(HEDDLE_X)};
static const char *const policy_names[HEDDLE_N_POLICIES] = {HEDDLE_POLICY_MAP(HEDDLE_X)};
static const char *const executor_names[HEDDLE_N_EXECUTORS] = {HEDDLE_EXECUTOR_MAP(HEDDLE_X)};
static const char *const dispatch_names[HEDDLE_N_DISPATCHES] = {HEDDLE_DISPATCH_MAP(HEDDLE_X)};
static const char *const idle_names[HEDDLE_N_IDLES] = {HEDDLE_IDLE_MAP(HEDDLE_X)};
#undef HEDDLE_X
#define COUNT(names) (sizeof(names) / sizeof(names)[0])

typedef struct variable {
    const char *name, *help;
} variable;

static const variable variables[] = {
#define X(field, name, help) {name, help},
    CHOICES(X)
#undef X
#define X(field, name, max, help) {name, help},
        NUMBERS(X)
#undef X
#define X(field, name, help) {name, help},
            TEXTS(X)
#undef X
};

HEDDLE_API int heddle_env_get(uint32_t index, heddle_env_info *out)
{
    if (index >= COUNT(variables))
        return 0;
    out->name = variables[index].name;
    out->help = variables[index].help;
    out->value = getenv(variables[index].name);
    return 1;
}

HEDDLE_API const char *heddle_backend_name(heddle_backend b)
{
    return (size_t)b < COUNT(backend_names) ? backend_names[b] : NULL;
}

HEDDLE_API const char *heddle_policy_name(heddle_policy p)
{
    return (size_t)p < COUNT(policy_names) ? policy_names[p] : NULL;
}

HEDDLE_API const char *heddle_executor_name(heddle_executor e)
{
    return (size_t)e < COUNT(executor_names) ? executor_names[e] : NULL;
}

HEDDLE_API const char *heddle_dispatch_name(heddle_dispatch d)
{
    return (size_t)d < COUNT(dispatch_names) ? dispatch_names[d] : NULL;
}

HEDDLE_API const char *heddle_idle_name(heddle_idle i) { return (size_t)i < COUNT(idle_names) ? idle_names[i] : NULL; }

static heddle_status fill_number(uint32_t *field, const char *name, uint32_t max, hd_error *e)
{
    const char *text = getenv(name);
    char *end;
    unsigned long long v;
    if (*field || !text || !*text)
        return HEDDLE_OK;
    errno = 0;
    v = strtoull(text, &end, 10);
    if (errno || *end || text[0] < '0' || text[0] > '9' || v > max) /* strtoull would take blanks and signs */
        return hd_say(e, HEDDLE_EINVAL, "%s=%s: a number from 0 to %u is expected", name, text, max);
    *field = (uint32_t)v;
    return HEDDLE_OK;
}

/* "lrr, grr, lf or share is expected". */
static heddle_status refuse_choice(const char *name, const char *text, const char *const *names, size_t n, hd_error *e)
{
    char known[160];
    size_t at = 0, i;
    for (i = 0; i < n && at < sizeof known; i++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", !i ? "" : i + 1 < n ? ", " : " or ", names[i]);
    return hd_say(e, HEDDLE_EINVAL, "%s=%s: %s is expected", name, text, known);
}

/* The index of the variable's value among the names, when the field is 0. */
static heddle_status fill_choice(uint32_t *field, const char *name, const char *const *names, size_t n, hd_error *e)
{
    const char *text = getenv(name);
    size_t i;
    if (*field || !text || !*text)
        return HEDDLE_OK;
    for (i = 0; i < n; i++)
        if (!strcmp(text, names[i])) {
            *field = (uint32_t)i;
            return HEDDLE_OK;
        }
    return refuse_choice(name, text, names, n, e);
}

static void fill_text(const char **field, const char *name)
{
    const char *text = getenv(name);
    if (!*field && text && *text)
        *field = text;
}

heddle_status hd_env_fill(heddle_config *cfg, hd_error *e)
{
    uint32_t choice;
#define X(field, name, help)                                                    \
    choice = (uint32_t)cfg->field;                                              \
    HD_TRY(fill_choice(&choice, name, field##_names, COUNT(field##_names), e)); \
    cfg->field = (heddle_##field)choice;
    CHOICES(X)
#undef X
#define X(field, name, max, help) HD_TRY(fill_number(&cfg->field, name, max, e));
    NUMBERS(X)
#undef X
#define X(field, name, help) fill_text(&cfg->field, name);
    TEXTS(X)
#undef X
    return HEDDLE_OK;
}
