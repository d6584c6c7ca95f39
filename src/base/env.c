/* SPDX-License-Identifier: MIT */
/* env.c - every HEDDLE_* variable the library reads, in one table. A variable fills a field of the config that the
 * program left zero; a bad value is an error that names the variable. */
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* field, variable, largest value, help */
#define NUMBERS(X)                                                                                      \
    X(device, "HEDDLE_DEVICE", 1023, "index of the device in its backend")                              \
    X(n_workers, "HEDDLE_WORKERS", 4096, "worker threads; 0 = one per core")                            \
    X(n_lanes, "HEDDLE_LANES", 1024, "lanes of an emulated block (serial backend)")                     \
    X(n_trace, "HEDDLE_TRACE", 1u << 26, "trace events kept per worker; 0 = no trace")                  \
    X(time_limit_ms, "HEDDLE_TIME_LIMIT_MS", 0x7fffffff, "a longer run is stopped; 0 = no limit")       \
    X(n_ring, "HEDDLE_RING", 1u << 20, "slots of a worker's ready ring (rounded up to a power of two)") \
    X(spin_us, "HEDDLE_SPIN_US", 1000000, "idle polling before a thread parks, in microseconds")        \
    X(no_pin, "HEDDLE_NO_PIN", 1, "1 = leave worker threads unpinned")

typedef struct variable {
    const char *name, *help;
} variable;

static const variable variables[] = {{"HEDDLE_BACKEND", "backend when the program names none: auto, serial, cpu, cuda"},
                                     {"HEDDLE_POLICY", "which worker gets a freed task: lrr, grr, lf, share"},
#define X(field, name, max, help) {name, help},
                                     NUMBERS(X)
#undef X
};

HEDDLE_API int heddle_env_get(uint32_t index, heddle_env_info *out)
{
    if (index >= sizeof variables / sizeof variables[0])
        return 0;
    out->name = variables[index].name;
    out->help = variables[index].help;
    out->value = getenv(variables[index].name);
    return 1;
}

HEDDLE_API const char *heddle_backend_name(heddle_backend b)
{
    switch (b) {
#define HEDDLE_X(name, value, text, help) \
    case HEDDLE_##name: return text;
        HEDDLE_BACKEND_MAP(HEDDLE_X)
#undef HEDDLE_X
    default: return NULL;
    }
}

HEDDLE_API const char *heddle_policy_name(heddle_policy p)
{
    switch (p) {
#define HEDDLE_X(name, value, text, help) \
    case HEDDLE_POLICY_##name: return text;
        HEDDLE_POLICY_MAP(HEDDLE_X)
#undef HEDDLE_X
    default: return NULL;
    }
}

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

static heddle_status fill_backend(heddle_config *cfg, hd_error *e)
{
    const char *text = getenv("HEDDLE_BACKEND");
    int b;
    if (cfg->backend != HEDDLE_AUTO || !text || !*text)
        return HEDDLE_OK;
    for (b = 0; b < HEDDLE_N_BACKENDS; b++)
        if (!strcmp(text, heddle_backend_name((heddle_backend)b))) {
            cfg->backend = (heddle_backend)b;
            return HEDDLE_OK;
        }
    return hd_say(e, HEDDLE_EINVAL, "HEDDLE_BACKEND=%s: auto, serial, cpu or cuda is expected", text);
}

static heddle_status fill_policy(heddle_config *cfg, hd_error *e)
{
    const char *text = getenv("HEDDLE_POLICY");
    int p;
    if (cfg->policy != HEDDLE_POLICY_DEFAULT || !text || !*text)
        return HEDDLE_OK;
    for (p = 0; p < HEDDLE_N_POLICIES; p++)
        if (!strcmp(text, heddle_policy_name((heddle_policy)p))) {
            cfg->policy = (heddle_policy)p;
            return HEDDLE_OK;
        }
    return hd_say(e, HEDDLE_EINVAL, "HEDDLE_POLICY=%s: lrr, grr, lf or share is expected", text);
}

heddle_status hd_env_fill(heddle_config *cfg, hd_error *e)
{
    HD_TRY(fill_backend(cfg, e));
    HD_TRY(fill_policy(cfg, e));
#define X(field, name, max, help) HD_TRY(fill_number(&cfg->field, name, max, e));
    NUMBERS(X)
#undef X
    return HEDDLE_OK;
}
