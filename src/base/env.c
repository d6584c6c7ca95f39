/* SPDX-License-Identifier: MIT */
/* env.c - every HEDDLE_* variable that the library reads: one table for each struct with such fields. A variable fills a
 * field that the program left zero; a bad value is an error that names the variable. A further struct with knobs adds its own
 * table to `tables`. */
#include "base/base.h"
#include "heddle/multi.h"
#include "heddle/pool.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEDDLE_X(name, value, text, help) text,
static const char *const backend_names[HEDDLE_N_BACKENDS] = {HEDDLE_BACKEND_MAP(HEDDLE_X)};
static const char *const policy_names[HEDDLE_N_POLICIES] = {HEDDLE_POLICY_MAP(HEDDLE_X)};
static const char *const schedule_names[HEDDLE_N_SCHEDULES] = {HEDDLE_SCHEDULE_MAP(HEDDLE_X)};
static const char *const idle_names[HEDDLE_N_IDLES] = {HEDDLE_IDLE_MAP(HEDDLE_X)};
static const char *const pool_mode_names[HEDDLE_N_POOL_MODES] = {HEDDLE_POOL_MODE_MAP(HEDDLE_X)};
static const char *const split_names[HEDDLE_N_SPLITS] = {HEDDLE_SPLIT_MAP(HEDDLE_X)};
static const char *const map_names[HEDDLE_N_MAPS] = {HEDDLE_MAP_MAP(HEDDLE_X)};
#undef HEDDLE_X
#define COUNT(names) (sizeof(names) / sizeof(names)[0])

_Static_assert(sizeof(heddle_backend) == sizeof(uint32_t), "choices are read as numbers");

/* config field, variable, help; texts of a choice, or largest value */
#define CHOICE(field, names, name, help)                                                    \
    {                                                                                       \
        name, help, HD_ENV_CHOICE, offsetof(heddle_config, field), COUNT(names) - 1u, names \
    }
#define NUMBER(field, name, max, help)                                       \
    {                                                                        \
        name, help, HD_ENV_NUMBER, offsetof(heddle_config, field), max, NULL \
    }
#define TEXT(field, name, help)                                          \
    {                                                                    \
        name, help, HD_ENV_TEXT, offsetof(heddle_config, field), 0, NULL \
    }

static const hd_env_variable config_variables[] = {
    CHOICE(backend, backend_names, "HEDDLE_BACKEND", "backend when the program names none: auto, serial, cpu, cuda"),
    NUMBER(device, "HEDDLE_DEVICE", 1023, "index of the device in its backend"),
    NUMBER(n_workers, "HEDDLE_WORKERS", 4096, "threads, or thread blocks; 0 = one per core, all that fit"),
    NUMBER(team_size, "HEDDLE_TEAM_SIZE", 1024, "threads of a block (cuda); threads of an emulated block (serial)"),
    CHOICE(schedule, schedule_names, "HEDDLE_SCHEDULE",
           "how graphs are run: auto, static, dynamic, levels, graph, graph+pdl, wave; for comparison: levels+sync, "
           "taskgraph, "
           "ticket, rings, iqs, scheduler, central"),
    CHOICE(idle, idle_names, "HEDDLE_IDLE", "what a worker does that has no task: latency, polite"),
    NUMBER(n_trace, "HEDDLE_TRACE", 1u << 26, "trace events kept per worker; 0 = no trace"),
    NUMBER(time_limit_ms, "HEDDLE_TIME_LIMIT_MS", 0x7fffffff, "a longer run is stopped; 0 = no limit"),
    NUMBER(no_pin, "HEDDLE_NO_PIN", 1, "1 = leave worker threads unpinned"),
    NUMBER(n_arena, "HEDDLE_ARENA", 1u << 26, "slots for tasks that bodies make"),
    NUMBER(stack_bytes, "HEDDLE_STACK", 512u << 10, "bytes of call stack of a GPU's thread, for bodies that recurse"),
    TEXT(tuning_file, "HEDDLE_TUNING_FILE", "file in which the cuda backend remembers what it chose for a graph"),
    CHOICE(expert.policy, policy_names, "HEDDLE_POLICY",
           "rings, iqs, scheduler: which worker gets a freed task: lrr, grr, lf, share, rr, ts, al"),
    NUMBER(expert.n_ring, "HEDDLE_RING", 1u << 20, "slots of a worker's ready ring (rounded up to a power of two)"),
    NUMBER(expert.n_local, "HEDDLE_LOCAL", 1u << 30, "tasks kept in a row before a worker looks into its ring"),
    NUMBER(expert.by_body, "HEDDLE_BY_BODY", 2, "launches: 1 = one a body and level, 2 = one a level"),
    NUMBER(expert.spin_us, "HEDDLE_SPIN_US", 1000000, "idle polling before a thread parks, in microseconds")};

static const hd_env_table config_table = {config_variables, COUNT(config_variables)};

#define POOL_NUMBER(field, name, max, help)                                       \
    {                                                                             \
        name, help, HD_ENV_NUMBER, offsetof(heddle_pool_config, field), max, NULL \
    }
static const hd_env_variable pool_variables[] = {
    POOL_NUMBER(n_slots, "HEDDLE_POOL_SLOTS", HEDDLE_POOL_MOST_SLOTS, "slots of a pool (rounded up to a power of two)"),
    POOL_NUMBER(team_size, "HEDDLE_POOL_TEAM_SIZE", HEDDLE_POOL_MOST_THREADS,
                "threads of a pool's task that names none"),
    POOL_NUMBER(time_limit_ms, "HEDDLE_POOL_TIME_LIMIT_MS", 0x7fffffff, "a pool's task that runs longer is stopped"),
    {"HEDDLE_POOL_MODE",
     "how a pool's tasks get to a GPU: auto, resident, launches, kernels, batch, taskgraph, fused, table",
     HD_ENV_CHOICE, offsetof(heddle_pool_config, mode), COUNT(pool_mode_names) - 1u, pool_mode_names},
    POOL_NUMBER(linger_us, "HEDDLE_POOL_LINGER_US", 10000000, "a pool's kernel ends after so long without a task"),
    POOL_NUMBER(hold_us, "HEDDLE_POOL_HOLD_US", 10000000, "a pool's kernel makes room for others after so long"),
    POOL_NUMBER(shared_bytes, "HEDDLE_POOL_SHARED_BYTES", 1u << 24,
                "block-shared memory that a task of a pool may have"),
    POOL_NUMBER(most_copies, "HEDDLE_POOL_COPIES", HEDDLE_POOL_MOST_COPIES, "copies that a task of a pool may have"),
    POOL_NUMBER(copy_bytes, "HEDDLE_POOL_COPY_BYTES", 1u << 30, "device memory for the copies of a pool's worker"),
    POOL_NUMBER(n_trace, "HEDDLE_POOL_TRACE", HEDDLE_POOL_MOST_TRACE, "ended tasks of which a pool keeps records")};
const hd_env_table hd_pool_env = {pool_variables, COUNT(pool_variables)};

static const hd_env_variable fleet_variables[] = {
    {"HEDDLE_DEVICES", "devices of a fleet: cuda:* cpu:* 4*cuda:0/4 virtual:speed=0.5", HD_ENV_TEXT,
     offsetof(heddle_fleet_config, devices), 0, NULL},
    {"HEDDLE_FLEET_PROFILE", "file in which fleets remember how quick loops were", HD_ENV_TEXT,
     offsetof(heddle_fleet_config, profile_file), 0, NULL}};
const hd_env_table hd_fleet_env = {fleet_variables, COUNT(fleet_variables)};

static const hd_env_variable loop_variables[] = {
    {"HEDDLE_SPLIT",
     "how loops are divided: cut, static, guided, hguided, hdss, axel, qilin, linear, exponential, factoring",
     HD_ENV_CHOICE, offsetof(heddle_loop_desc, split), COUNT(split_names) - 1u, split_names}};
const hd_env_table hd_loop_env = {loop_variables, COUNT(loop_variables)};

#define MULTI_NUMBER(field, name, max, help)                                     \
    {                                                                            \
        name, help, HD_ENV_NUMBER, offsetof(heddle_multi_desc, field), max, NULL \
    }
static const hd_env_variable multi_variables[] = {
    {"HEDDLE_MAP", "which device has which slices of a job: settle, fixed, free, static", HD_ENV_CHOICE,
     offsetof(heddle_multi_desc, map), COUNT(map_names) - 1u, map_names},
    MULTI_NUMBER(n_tasks, "HEDDLE_TASKS", HEDDLE_MULTI_MOST_TASKS, "slices of a job; 0 = as many as are good"),
    MULTI_NUMBER(is_safe, "HEDDLE_SAFE", 1, "1 = what a job wrote goes home at its end")};
const hd_env_table hd_multi_env = {multi_variables, COUNT(multi_variables)};

static const hd_env_table *const tables[] = {&config_table, &hd_pool_env, &hd_fleet_env, &hd_loop_env, &hd_multi_env};

/* Former names of variables, still accepted; a present name takes precedence. */
static const struct {
    const char *name, *old;
} renamed[] = {{"HEDDLE_TEAM_SIZE", "HEDDLE_LANES"},
               {"HEDDLE_TUNING_FILE", "HEDDLE_PROFILE"},
               {"HEDDLE_SCHEDULE", "HEDDLE_DISPATCH"},
               {"HEDDLE_SCHEDULE", "HEDDLE_EXECUTOR"}};
/* Former names of schedules. */
static const struct {
    const char *name, *old;
} renamed_schedules[] = {
    {"static", "plan"}, {"rings", "distributed"}, {"graph", "cudagraph"}, {"graph+pdl", "cudagraph+pdl"}};

const char *hd_schedule_now(const char *text)
{
    size_t i;
    for (i = 0; i < COUNT(renamed_schedules); i++)
        if (!strcmp(text, renamed_schedules[i].old))
            return renamed_schedules[i].name;
    return text;
}

/* The value of a variable under its present or a former name; NULL or "" when unset. */
static const char *value_of(const char *name)
{
    const char *text = getenv(name);
    size_t i;
    for (i = 0; i < COUNT(renamed) && (!text || !*text); i++)
        if (!strcmp(name, renamed[i].name))
            text = getenv(renamed[i].old);
    return text;
}

HEDDLE_API int heddle_env_get(uint32_t index, heddle_env_info *out)
{
    size_t i;
    for (i = 0; i < COUNT(tables); index -= tables[i++]->n)
        if (index < tables[i]->n) {
            const hd_env_variable *v = &tables[i]->variables[index];
            *out = (heddle_env_info){v->name, v->help, value_of(v->name)};
            return 1;
        }
    return 0;
}

HEDDLE_API const char *heddle_backend_name(heddle_backend b)
{
    return (size_t)b < COUNT(backend_names) ? backend_names[b] : NULL;
}

HEDDLE_API const char *heddle_policy_name(heddle_policy p)
{
    return (size_t)p < COUNT(policy_names) ? policy_names[p] : NULL;
}

HEDDLE_API const char *heddle_schedule_name(heddle_schedule s)
{
    return (size_t)s < COUNT(schedule_names) ? schedule_names[s] : NULL;
}

HEDDLE_API const char *heddle_pool_mode_name(heddle_pool_mode m)
{
    return (size_t)m < COUNT(pool_mode_names) ? pool_mode_names[m] : NULL;
}

HEDDLE_API const char *heddle_idle_name(heddle_idle i) { return (size_t)i < COUNT(idle_names) ? idle_names[i] : NULL; }

static heddle_status read_number(const hd_env_variable *v, const char *text, uint32_t *out, hd_error *e)
{
    char *end;
    unsigned long long n;
    errno = 0;
    n = strtoull(text, &end, 10);
    if (errno || *end || text[0] < '0' || text[0] > '9' || n > v->max) /* strtoull accepts blanks and signs */
        return hd_say(e, HEDDLE_EINVAL, "%s=%s: a number from 0 to %u is expected", v->name, text, v->max);
    *out = (uint32_t)n;
    return HEDDLE_OK;
}

/* "lrr, grr, lf or share is expected". */
static heddle_status refuse_choice(const hd_env_variable *v, const char *text, hd_error *e)
{
    char known[160];
    size_t at = 0;
    uint32_t i;
    for (i = 0; i <= v->max && at < sizeof known; i++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s",
                               !i           ? ""
                               : i < v->max ? ", "
                                            : " or ",
                               v->texts[i]);
    return hd_say(e, HEDDLE_EINVAL, "%s=%s: %s is expected", v->name, text, known);
}

static heddle_status read_choice(const hd_env_variable *v, const char *text, uint32_t *out, hd_error *e)
{
    const char *now = v->texts == schedule_names ? hd_schedule_now(text) : text;
    uint32_t i;
    for (i = 0; i <= v->max; i++)
        if (!strcmp(now, v->texts[i])) {
            *out = i;
            return HEDDLE_OK;
        }
    return refuse_choice(v, text, e);
}

/* Numbers and choices: an enumeration is as wide as a number. */
static heddle_status fill_number(const hd_env_variable *v, const char *text, void *field, hd_error *e)
{
    uint32_t n;
    memcpy(&n, field, sizeof n);
    if (n)
        return HEDDLE_OK;
    HD_TRY(v->kind == HD_ENV_CHOICE ? read_choice(v, text, &n, e) : read_number(v, text, &n, e));
    memcpy(field, &n, sizeof n);
    return HEDDLE_OK;
}

static void fill_text(const char *text, void *field)
{
    const char *given;
    memcpy(&given, field, sizeof given);
    if (!given)
        memcpy(field, &text, sizeof text);
}

heddle_status hd_env_fill_struct(const hd_env_table *t, void *record, hd_error *e)
{
    size_t i;
    for (i = 0; i < t->n; i++) {
        const hd_env_variable *v = &t->variables[i];
        const char *text = value_of(v->name);
        void *field = (char *)record + v->field;
        if (!text || !*text)
            continue;
        if (v->kind == HD_ENV_TEXT)
            fill_text(text, field);
        else
            HD_TRY(fill_number(v, text, field, e));
    }
    return HEDDLE_OK;
}

heddle_status hd_env_fill(heddle_config *cfg, hd_error *e) { return hd_env_fill_struct(&config_table, cfg, e); }
