/* SPDX-License-Identifier: MIT */
/* env.c - environment variables: each fills the field that the program left zero, the error of a bad value names the
 * variable, and all of them are listed. */
#include "base/base.h"
#include "check.h"

#include <string.h>

/* variable, value, the field's offset, its new value; or refused */
typedef struct row {
    const char *name, *value;
    size_t at;
    uint32_t becomes;
    int refused;
} row;
#define GOOD(name, value, field, becomes)                         \
    {                                                             \
        name, value, offsetof(heddle_config, field), (becomes), 0 \
    }
#define BAD(name, value)     \
    {                        \
        name, value, 0, 0, 1 \
    }

static const row rows[] = {
    GOOD("HEDDLE_BACKEND", "serial", backend, HEDDLE_SERIAL),
    GOOD("HEDDLE_BACKEND", "cpu", backend, HEDDLE_CPU),
    GOOD("HEDDLE_BACKEND", "cuda", backend, HEDDLE_CUDA),
    GOOD("HEDDLE_BACKEND", "auto", backend, HEDDLE_AUTO),
    GOOD("HEDDLE_BACKEND", "", backend, HEDDLE_AUTO),
    BAD("HEDDLE_BACKEND", "CPU"),
    BAD("HEDDLE_BACKEND", "cpu "),
    BAD("HEDDLE_BACKEND", "2"),
    GOOD("HEDDLE_POLICY", "lrr", expert.policy, HEDDLE_POLICY_LRR),
    GOOD("HEDDLE_POLICY", "grr", expert.policy, HEDDLE_POLICY_GRR),
    GOOD("HEDDLE_POLICY", "lf", expert.policy, HEDDLE_POLICY_LF),
    GOOD("HEDDLE_POLICY", "share", expert.policy, HEDDLE_POLICY_SHARE),
    GOOD("HEDDLE_POLICY", "rr", expert.policy, HEDDLE_POLICY_RR),
    GOOD("HEDDLE_POLICY", "ts", expert.policy, HEDDLE_POLICY_TS),
    GOOD("HEDDLE_POLICY", "al", expert.policy, HEDDLE_POLICY_AL),
    GOOD("HEDDLE_POLICY", "default", expert.policy, HEDDLE_POLICY_DEFAULT),
    BAD("HEDDLE_POLICY", "fifo"),
    GOOD("HEDDLE_SCHEDULE", "auto", schedule, HEDDLE_SCHEDULE_AUTO),
    GOOD("HEDDLE_SCHEDULE", "", schedule, HEDDLE_SCHEDULE_AUTO),
    GOOD("HEDDLE_SCHEDULE", "static", schedule, HEDDLE_SCHEDULE_STATIC),
    GOOD("HEDDLE_SCHEDULE", "dynamic", schedule, HEDDLE_SCHEDULE_DYNAMIC),
    GOOD("HEDDLE_SCHEDULE", "levels", schedule, HEDDLE_SCHEDULE_LEVELS),
    GOOD("HEDDLE_SCHEDULE", "levels+sync", schedule, HEDDLE_SCHEDULE_LEVELS_SYNC),
    GOOD("HEDDLE_SCHEDULE", "graph", schedule, HEDDLE_SCHEDULE_GRAPH),
    GOOD("HEDDLE_SCHEDULE", "graph+pdl", schedule, HEDDLE_SCHEDULE_GRAPH_PDL),
    GOOD("HEDDLE_SCHEDULE", "taskgraph", schedule, HEDDLE_SCHEDULE_TASKGRAPH),
    GOOD("HEDDLE_SCHEDULE", "rings", schedule, HEDDLE_SCHEDULE_RINGS),
    GOOD("HEDDLE_SCHEDULE", "ticket", schedule, HEDDLE_SCHEDULE_TICKET),
    GOOD("HEDDLE_SCHEDULE", "iqs", schedule, HEDDLE_SCHEDULE_IQS),
    GOOD("HEDDLE_SCHEDULE", "scheduler", schedule, HEDDLE_SCHEDULE_SCHEDULER),
    GOOD("HEDDLE_SCHEDULE", "central", schedule, HEDDLE_SCHEDULE_CENTRAL),
    BAD("HEDDLE_SCHEDULE", "graph pdl"),
    BAD("HEDDLE_SCHEDULE", "1"),
    BAD("HEDDLE_SCHEDULE", "plans"),
    GOOD("HEDDLE_BY_BODY", "2", expert.by_body, 2),
    BAD("HEDDLE_BY_BODY", "3"),
    BAD("HEDDLE_BY_BODY", "yes"),
    GOOD("HEDDLE_IDLE", "latency", idle, HEDDLE_IDLE_LATENCY),
    GOOD("HEDDLE_IDLE", "polite", idle, HEDDLE_IDLE_POLITE),
    GOOD("HEDDLE_IDLE", "default", idle, HEDDLE_IDLE_DEFAULT),
    BAD("HEDDLE_IDLE", "rude"),
    GOOD("HEDDLE_LOCAL", "16", expert.n_local, 16),
    GOOD("HEDDLE_STACK", "524288", stack_bytes, 512 << 10),
    BAD("HEDDLE_STACK", "524289"),
    GOOD("HEDDLE_LOCAL", "1073741824", expert.n_local, 1u << 30),
    BAD("HEDDLE_LOCAL", "1073741825"),
    GOOD("HEDDLE_DEVICE", "3", device, 3),
    BAD("HEDDLE_DEVICE", "1024"),
    GOOD("HEDDLE_WORKERS", "12", n_workers, 12),
    GOOD("HEDDLE_WORKERS", "0", n_workers, 0),
    GOOD("HEDDLE_WORKERS", "4096", n_workers, 4096),
    GOOD("HEDDLE_WORKERS", "0008", n_workers, 8),
    BAD("HEDDLE_WORKERS", "4097"),
    BAD("HEDDLE_WORKERS", "-1"),
    BAD("HEDDLE_WORKERS", " -18446744073709551615"), /* 1, to strtoull */
    BAD("HEDDLE_WORKERS", "+2"),
    BAD("HEDDLE_WORKERS", " 2"),
    BAD("HEDDLE_WORKERS", "2 "),
    BAD("HEDDLE_WORKERS", "0x2"),
    BAD("HEDDLE_WORKERS", "two"),
    BAD("HEDDLE_WORKERS", "2.5"),
    BAD("HEDDLE_WORKERS", "18446744073709551618"),
    BAD("HEDDLE_WORKERS", "99999999999999999999999999"),
    GOOD("HEDDLE_TEAM_SIZE", "8", team_size, 8),
    BAD("HEDDLE_TEAM_SIZE", "1025"),
    GOOD("HEDDLE_TRACE", "1000", n_trace, 1000),
    BAD("HEDDLE_TRACE", "67108865"),
    GOOD("HEDDLE_TIME_LIMIT_MS", "250", time_limit_ms, 250),
    BAD("HEDDLE_TIME_LIMIT_MS", "4294967296"),
    GOOD("HEDDLE_RING", "16", expert.n_ring, 16),
    BAD("HEDDLE_RING", "1048577"),
    GOOD("HEDDLE_SPIN_US", "7", expert.spin_us, 7),
    BAD("HEDDLE_SPIN_US", "1000001"),
    GOOD("HEDDLE_NO_PIN", "1", no_pin, 1),
    BAD("HEDDLE_NO_PIN", "2"),
};

static void check_row(const row *r)
{
    heddle_config c = HEDDLE_CONFIG_INIT, plain = HEDDLE_CONFIG_INIT;
    hd_error e;
    heddle_status s;
    e.text[0] = 0;
    CHECK(setenv(r->name, r->value, 1) == 0);
    s = hd_env_fill(&c, &e);
    CHECK(unsetenv(r->name) == 0);
    if (r->refused) {
        CHECK_MSG(s == HEDDLE_EINVAL, "%s='%s' is %s", r->name, r->value, heddle_status_text(s));
        CHECK_MSG(strstr(e.text, r->name) && strstr(e.text, r->value), "%s", e.text);
        return;
    }
    CHECK_MSG(s == HEDDLE_OK, "%s='%s': %s", r->name, r->value, e.text);
    CHECK_MSG(!memcmp((char *)&c + r->at, &r->becomes, 4), "%s='%s'", r->name, r->value);
    memcpy((char *)&c + r->at, (char *)&plain + r->at, 4);
    CHECK_MSG(!memcmp(&c, &plain, sizeof c), "%s='%s' changes another field", r->name, r->value);
}

static int known(const char *name)
{
    heddle_env_info i;
    uint32_t k;
    for (k = 0; heddle_env_get(k, &i); k++)
        if (!strcmp(i.name, name))
            return 1;
    return 0;
}

static void test_list(void)
{
    heddle_env_info i;
    size_t k;
    uint32_t n;
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++)
        CHECK_MSG(known(rows[k].name), "%s is not listed", rows[k].name);
    CHECK(setenv("HEDDLE_RING", "12", 1) == 0);
    for (n = 0; heddle_env_get(n, &i); n++) {
        CHECK(!strncmp(i.name, "HEDDLE_", 7) && strlen(i.help) > 10);
        CHECK((i.value != NULL) == !strcmp(i.name, "HEDDLE_RING") && (!i.value || !strcmp(i.value, "12")));
    }
    CHECK(n == 33 && !heddle_env_get(UINT32_MAX, &i));
    CHECK(unsetenv("HEDDLE_RING") == 0);
}

static void test_text(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    CHECK(!setenv("HEDDLE_TUNING_FILE", "", 1) && hd_env_fill(&c, NULL) == HEDDLE_OK && !c.tuning_file);
    CHECK(!setenv("HEDDLE_TUNING_FILE", "a file", 1) && hd_env_fill(&c, NULL) == HEDDLE_OK);
    CHECK(!strcmp(c.tuning_file, "a file"));
    c.tuning_file = "another";
    CHECK(hd_env_fill(&c, NULL) == HEDDLE_OK && !strcmp(c.tuning_file, "another"));
    CHECK(!unsetenv("HEDDLE_TUNING_FILE"));
}

/* The program's value has priority; then the variable is not even read. */
static void test_program_first(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    c.n_workers = 5;
    c.backend = HEDDLE_CPU;
    c.expert.policy = HEDDLE_POLICY_GRR;
    CHECK(!setenv("HEDDLE_WORKERS", "7", 1) && !setenv("HEDDLE_BACKEND", "nonsense", 1) &&
          !setenv("HEDDLE_POLICY", "lf", 1));
    CHECK(hd_env_fill(&c, NULL) == HEDDLE_OK);
    CHECK(c.n_workers == 5 && c.backend == HEDDLE_CPU && c.expert.policy == HEDDLE_POLICY_GRR);
    CHECK(!unsetenv("HEDDLE_WORKERS") && !unsetenv("HEDDLE_BACKEND") && !unsetenv("HEDDLE_POLICY"));
}

static void test_open(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    CHECK(!setenv("HEDDLE_BACKEND", "cpu", 1) && !setenv("HEDDLE_WORKERS", "3", 1) &&
          !setenv("HEDDLE_POLICY", "lrr", 1));
    CHECK_OK(NULL, heddle_ctx_open(&ctx, NULL));
    CHECK_OK(ctx, heddle_ctx_get_config(ctx, &c));
    CHECK(c.backend == HEDDLE_CPU && c.n_workers == 3 && c.expert.policy == HEDDLE_POLICY_LRR);
    heddle_ctx_close(ctx);
    CHECK(!setenv("HEDDLE_WORKERS", "many", 1));
    CHECK(heddle_ctx_open(&ctx, NULL) == HEDDLE_EINVAL && !ctx && strstr(heddle_error_text(NULL), "HEDDLE_WORKERS"));
    CHECK(!unsetenv("HEDDLE_WORKERS") && !unsetenv("HEDDLE_BACKEND") && !unsetenv("HEDDLE_POLICY"));
}

/* Every value has a name of its own; values outside the table have none. */
#define TEST_NAMES(type, n, function)                                                     \
    do {                                                                                  \
        int i, k;                                                                         \
        for (i = 0; i < (n); i++)                                                         \
            for (k = 0; k < i; k++)                                                       \
                CHECK(function((type)i) && strcmp(function((type)i), function((type)k))); \
        CHECK(!function((type)(n)) && !function((type)-1));                               \
    } while (0)

static void test_names(void)
{
    CHECK(!strcmp(heddle_backend_name(HEDDLE_SERIAL), "serial") && !strcmp(heddle_backend_name(HEDDLE_AUTO), "auto"));
    CHECK(!strcmp(heddle_policy_name(HEDDLE_POLICY_GRR), "grr"));
    CHECK(!strcmp(heddle_schedule_name(HEDDLE_SCHEDULE_GRAPH_PDL), "graph+pdl"));
    TEST_NAMES(heddle_backend, HEDDLE_N_BACKENDS, heddle_backend_name);
    TEST_NAMES(heddle_policy, HEDDLE_N_POLICIES, heddle_policy_name);
    TEST_NAMES(heddle_schedule, HEDDLE_N_SCHEDULES, heddle_schedule_name);
    TEST_NAMES(heddle_idle, HEDDLE_N_IDLES, heddle_idle_name);
}

/* The sentence lists the valid values. */
static void test_sentence(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    hd_error e;
    CHECK(!setenv("HEDDLE_IDLE", "rude", 1));
    CHECK(hd_env_fill(&c, &e) == HEDDLE_EINVAL);
    CHECK_MSG(!strcmp(e.text, "HEDDLE_IDLE=rude: default, latency or polite is expected"), "%s", e.text);
    CHECK(!unsetenv("HEDDLE_IDLE"));
}

/* A struct and a table of the test's own. */
typedef struct knobs {
    uint32_t depth;
    const char *path;
    enum { KNOBS_NONE, KNOBS_FEW, KNOBS_MANY } many;
} knobs;

static void test_other_struct(void)
{
    static const char *const manies[] = {"none", "few", "many"};
    static const hd_env_variable variables[] = {
        {"HEDDLE_TEST_DEPTH", "", HD_ENV_NUMBER, offsetof(knobs, depth), 9, NULL},
        {"HEDDLE_TEST_PATH", "", HD_ENV_TEXT, offsetof(knobs, path), 0, NULL},
        {"HEDDLE_TEST_MANY", "", HD_ENV_CHOICE, offsetof(knobs, many), 2, manies}};
    static const hd_env_table table = {variables, 3};
    knobs k = {0, NULL, KNOBS_NONE};
    hd_error e;
    CHECK(hd_env_fill_struct(&table, &k, &e) == HEDDLE_OK && !k.depth && !k.path && k.many == KNOBS_NONE);
    CHECK(!setenv("HEDDLE_TEST_DEPTH", "7", 1) && !setenv("HEDDLE_TEST_MANY", "many", 1));
    CHECK(!setenv("HEDDLE_TEST_PATH", "here", 1));
    CHECK(hd_env_fill_struct(&table, &k, &e) == HEDDLE_OK && k.depth == 7 && k.many == KNOBS_MANY);
    CHECK(!strcmp(k.path, "here"));
    k = (knobs){3, "there", KNOBS_FEW}; /* the program's value has priority */
    CHECK(hd_env_fill_struct(&table, &k, &e) == HEDDLE_OK && k.depth == 3 && k.many == KNOBS_FEW);
    CHECK(!strcmp(k.path, "there"));
    k.depth = 0;
    CHECK(!setenv("HEDDLE_TEST_DEPTH", "10", 1));
    CHECK(hd_env_fill_struct(&table, &k, &e) == HEDDLE_EINVAL);
    CHECK_MSG(!strcmp(e.text, "HEDDLE_TEST_DEPTH=10: a number from 0 to 9 is expected"), "%s", e.text);
    k.many = KNOBS_NONE;
    CHECK(!unsetenv("HEDDLE_TEST_DEPTH") && !setenv("HEDDLE_TEST_MANY", "most", 1));
    CHECK(hd_env_fill_struct(&table, &k, &e) == HEDDLE_EINVAL && k.many == KNOBS_NONE);
    CHECK_MSG(!strcmp(e.text, "HEDDLE_TEST_MANY=most: none, few or many is expected"), "%s", e.text);
    CHECK(!unsetenv("HEDDLE_TEST_MANY") && !unsetenv("HEDDLE_TEST_PATH"));
}

/* A renamed variable: the old name still works, the new one has priority and is in the sentence. */
static void test_old_names(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    hd_error e;
    CHECK(setenv("HEDDLE_LANES", "96", 1) == 0 && setenv("HEDDLE_PROFILE", "here.tsv", 1) == 0);
    CHECK(hd_env_fill(&c, &e) == HEDDLE_OK && c.team_size == 96 && !strcmp(c.tuning_file, "here.tsv"));
    CHECK(setenv("HEDDLE_TEAM_SIZE", "64", 1) == 0 && setenv("HEDDLE_TUNING_FILE", "there.tsv", 1) == 0);
    c = (heddle_config)HEDDLE_CONFIG_INIT;
    CHECK(hd_env_fill(&c, &e) == HEDDLE_OK && c.team_size == 64 && !strcmp(c.tuning_file, "there.tsv"));
    CHECK(unsetenv("HEDDLE_TEAM_SIZE") == 0 && setenv("HEDDLE_LANES", "many", 1) == 0);
    c = (heddle_config)HEDDLE_CONFIG_INIT;
    CHECK(hd_env_fill(&c, &e) == HEDDLE_EINVAL && !strncmp(e.text, "HEDDLE_TEAM_SIZE=many: ", 23));
    CHECK(unsetenv("HEDDLE_LANES") == 0 && unsetenv("HEDDLE_PROFILE") == 0 && unsetenv("HEDDLE_TUNING_FILE") == 0);
}

/* The old names of schedules, under the old variables. */
static void test_old_schedules(void)
{
    static const struct {
        const char *name, *value;
        heddle_schedule becomes;
    } old[] = {{"HEDDLE_DISPATCH", "plan", HEDDLE_SCHEDULE_STATIC},
               {"HEDDLE_DISPATCH", "distributed", HEDDLE_SCHEDULE_RINGS},
               {"HEDDLE_EXECUTOR", "cudagraph", HEDDLE_SCHEDULE_GRAPH},
               {"HEDDLE_EXECUTOR", "cudagraph+pdl", HEDDLE_SCHEDULE_GRAPH_PDL},
               {"HEDDLE_EXECUTOR", "levels", HEDDLE_SCHEDULE_LEVELS}};
    size_t i;
    for (i = 0; i < sizeof old / sizeof old[0]; i++) {
        heddle_config c = HEDDLE_CONFIG_INIT;
        CHECK(setenv(old[i].name, old[i].value, 1) == 0);
        CHECK_MSG(hd_env_fill(&c, NULL) == HEDDLE_OK && c.schedule == old[i].becomes, "%s=%s", old[i].name,
                  old[i].value);
        CHECK(unsetenv(old[i].name) == 0);
    }
}

int main(void)
{
    heddle_env_info i;
    size_t k;
    for (k = 0; heddle_env_get((uint32_t)k, &i); k++)
        CHECK(unsetenv(i.name) == 0);
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++)
        check_row(&rows[k]);
    test_list();
    test_text();
    test_program_first();
    test_open();
    test_names();
    test_sentence();
    test_other_struct();
    test_old_names();
    test_old_schedules();
    return 0;
}
