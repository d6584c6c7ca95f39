/* SPDX-License-Identifier: MIT */
/* options.c - one table of options. Each has a setter that checks its value and names what it expected; nothing is
 * guessed or clipped. `--name VALUE` and `--name=VALUE` are the same, and so are `-n V` and `-nV`; after `--` all are
 * words. */
#include "options.h"

#include "cli.h"

#include "heddle/multi.h"

#include <stdlib.h>
#include <string.h>

typedef struct option {
    const char *name;  /* with its dashes */
    const char *value; /* its value, NULL: none; in brackets: optional */
    unsigned commands;
    int (*set)(options *o, const char *name, char *value);
    const char *help;
} option;

/* ---- setters ---- */

static int set_u64(const char *name, const char *value, uint64_t min, uint64_t max, uint64_t *out)
{
    if (cli_parse_u64(value, min, max, out) == 0)
        return CLI_OK;
    return cli_bad("%s %s: a whole number from %llu to %llu is expected", name, value, (unsigned long long)min,
                   (unsigned long long)max);
}

static int set_u32(const char *name, const char *value, uint64_t min, uint64_t max, uint32_t *out)
{
    uint64_t v = 0;
    int status = set_u64(name, value, min, max, &v);
    *out = (uint32_t)v;
    return status;
}

/* ROWS or ROWSxCOLS. */
static int set_size(const char *name, char *value, uint64_t out[2])
{
    const uint64_t max = UINT64_MAX >> 1;
    char *x = strchr(value, 'x');
    int bad;
    if (x)
        *x = '\0';
    bad = cli_parse_u64(value, 1, max, &out[0]) || (x && cli_parse_u64(x + 1, 1, max, &out[1]));
    if (x)
        *x = 'x';
    else
        out[1] = out[0];
    return bad ? cli_bad("%s %s: ROWS or ROWSxCOLS is expected, whole numbers from 1 to %llu", name, value,
                         (unsigned long long)max)
               : CLI_OK;
}

static int set_n(options *o, const char *name, char *value) { return set_size(name, value, o->request.n); }
static int set_b(options *o, const char *name, char *value) { return set_size(name, value, o->request.b); }

static int set_opt(options *o, const char *name, char *value)
{
    app_pair *pair = (app_pair *)o->request.opts + o->request.n_opts;
    char *equals = strchr(value, '=');
    if (!equals || equals == value)
        return cli_bad("%s %s: KEY=VALUE is expected", name, value);
    *equals = '\0';
    pair->key = value;
    pair->value = equals + 1;
    o->request.n_opts++;
    return CLI_OK;
}

static int set_input(options *o, const char *name, char *value)
{
    (void)name;
    ((const char **)o->request.inputs)[o->request.n_inputs++] = value;
    return CLI_OK;
}

/* A choice by name. */
typedef struct choice {
    const char *kind; /* "policy" */
    unsigned n;
    const char *(*text)(unsigned index);
} choice;

static const char *backend_text(unsigned i) { return heddle_backend_name((heddle_backend)i); }
static const char *policy_text(unsigned i) { return heddle_policy_name((heddle_policy)i); }
static const char *schedule_text(unsigned i) { return heddle_schedule_name((heddle_schedule)i); }
static const choice backends = {"backend", HEDDLE_N_BACKENDS, backend_text};
static const choice policies = {"policy", HEDDLE_N_POLICIES, policy_text};
static const char *pool_mode_text(unsigned i) { return heddle_pool_mode_name((heddle_pool_mode)i); }
static const choice pool_modes = {"mode", HEDDLE_N_POOL_MODES, pool_mode_text};
static const char *split_text(unsigned i) { return heddle_split_name((heddle_split)i); }
static const choice splits = {"way to divide", HEDDLE_N_SPLITS, split_text};
static const char *map_text(unsigned i) { return heddle_map_name((heddle_map)i); }
static const choice maps = {"map", HEDDLE_N_MAPS, map_text};
static const choice schedules = {"schedule", HEDDLE_N_SCHEDULES, schedule_text};

static int find_choice(const choice *c, const char *name, const char *value, unsigned *out)
{
    cli_guess guess = {.word = value};
    for (*out = 0; *out < c->n; (*out)++) {
        if (!strcmp(value, c->text(*out)))
            return CLI_OK;
        cli_guess_offer(&guess, c->text(*out));
    }
    return cli_bad("%s: unknown %s '%s'%s (heddle info lists them)", name, c->kind, value, cli_guess_tail(&guess));
}

#define CHOICE(function, table, field, type)                       \
    static int function(options *o, const char *name, char *value) \
    {                                                              \
        unsigned index = 0;                                        \
        int status = find_choice(&(table), name, value, &index);   \
        o->config.field = (type)index;                             \
        return status;                                             \
    }
CHOICE(set_backend, backends, backend, heddle_backend)
CHOICE(set_policy, policies, expert.policy, heddle_policy)
CHOICE(set_schedule, schedules, schedule, heddle_schedule)

/* Pools read the variable when they are opened. A number is of bytes, of pools in which devices keep arrays of jobs. */
static int set_pool(options *o, const char *name, char *value)
{
    unsigned mode;
    if (*value >= '0' && *value <= '9') {
        o->is_jobs = 1;
        return set_u64(name, value, 1, UINT64_MAX, &o->request.spawning.pool_bytes);
    }
    o->pool = 1;
    return find_choice(&pool_modes, name, value, &mode) || setenv("HEDDLE_POOL_MODE", value, 1) ? CLI_BAD : CLI_OK;
}

/* So do loops; and fleets, which know what names a device. */
static int set_one_split(options *o, const char *name, char *value)
{
    unsigned split;
    o->is_loop = o->has_split = 1;
    return find_choice(&splits, name, value, &split) || setenv("HEDDLE_SPLIT", value, 1) ? CLI_BAD : CLI_OK;
}

static int set_map(options *o, const char *name, char *value)
{
    unsigned map;
    o->is_jobs = 1;
    return find_choice(&maps, name, value, &map) || setenv("HEDDLE_MAP", value, 1) ? CLI_BAD : CLI_OK;
}

static int set_static(options *o, const char *name, char *value)
{
    (void)name;
    (void)value;
    o->is_jobs = 1;
    return setenv("HEDDLE_MAP", heddle_map_name(HEDDLE_MAP_STATIC), 1) ? cli_bad("out of memory") : CLI_OK;
}

static int set_safe(options *o, const char *name, char *value)
{
    (void)name;
    (void)value;
    o->is_jobs = 1;
    return setenv("HEDDLE_SAFE", "1", 1) ? cli_bad("out of memory") : CLI_OK;
}

static int set_devices(options *o, const char *name, char *value)
{
    if (!value[strspn(value, " ")])
        return cli_bad("%s needs a value: words that name devices", name);
    o->is_loop = o->devices = 1;
    return setenv("HEDDLE_DEVICES", value, 1) ? cli_bad("out of memory") : CLI_OK;
}

/* Reads a comma-separated list into a bit set. */
static int set_list(const char *name, char *value, int (*find)(const char *, const char *, unsigned *), unsigned *bits)
{
    char *rest, *word;
    for (word = strtok_r(value, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        unsigned index = 0;
        if (find(name, word, &index))
            return CLI_BAD;
        *bits |= 1u << index;
    }
    return *bits ? CLI_OK : cli_bad("%s: a list of names is expected, with commas between", name);
}

static int find_subject(const char *name, const char *value, unsigned *out)
{
    *out = SUBJECT_TILES;
    if (!strcmp(value, "tiles"))
        return CLI_OK;
    if (!strcmp(value, "auto"))
        return cli_bad("%s auto: a bench names what it compares: tiles, serial, cpu, cuda", name);
    return find_choice(&backends, name, value, out);
}

static int find_listed_policy(const char *name, const char *value, unsigned *out)
{
    if (!strcmp(value, heddle_policy_name(HEDDLE_POLICY_DEFAULT)))
        return cli_bad("%s %s: a bench names what it compares (heddle info lists the policies)", name, value);
    return find_choice(&policies, name, value, out);
}

static int set_backends(options *o, const char *name, char *value)
{
    return set_list(name, value, find_subject, &o->backends);
}
static int set_policies(options *o, const char *name, char *value)
{
    return set_list(name, value, find_listed_policy, &o->policies);
}

static int set_workers(options *o, const char *name, char *value)
{
    return set_u32(name, value, 1, 4096, &o->config.n_workers);
}
/* Of the context, and of a pool. */
static int set_team_size(options *o, const char *name, char *value)
{
    const int status = set_u32(name, value, 1, 1024, &o->config.team_size);
    o->request.spawning.team_size = o->config.team_size;
    return status;
}
static int set_tasks(options *o, const char *name, char *value)
{
    return set_u64(name, value, 1, 1u << 30, &o->request.spawning.n_tasks);
}
static int set_tasks_2(options *o, const char *name, char *value)
{
    o->is_jobs = 1;
    return set_u32(name, value, 1, 1u << 20, &o->request.spawning.n_tasks_2);
}
static int set_blocks(options *o, const char *name, char *value)
{
    return set_u32(name, value, 1, 1u << 16, &o->request.spawning.n_blocks);
}
static int set_threads(options *o, const char *name, char *value)
{
    return set_u32(name, value, 1, 1024, &o->request.spawning.n_threads);
}
static int set_at_once(options *o, const char *name, char *value)
{
    return set_u64(name, value, 1, 1u << 30, &o->request.spawning.at_once);
}
/* In a config 0 means "as the environment says"; here it means none, approximated by 24 days. */
static int set_time_limit(options *o, const char *name, char *value)
{
    int status = set_u32(name, value, 0, INT32_MAX, &o->config.time_limit_ms);
    if (o->config.time_limit_ms == 0)
        o->config.time_limit_ms = INT32_MAX;
    return status;
}
static int set_column_ns(options *o, const char *name, char *value)
{
    return set_u32(name, value, 1, 1000000000, &o->column_ns);
}
static int set_hand_ns(options *o, const char *name, char *value)
{
    return set_u32(name, value, 1, 1000000000, &o->hand_ns);
}
static int set_repeat(options *o, const char *name, char *value)
{
    return set_u64(name, value, 1, 1000000, &o->repeat);
}
static int set_runs(options *o, const char *name, char *value) { return set_u64(name, value, 1, 10000, &o->runs); }

static int set_device(options *o, const char *name, char *value)
{
    return set_u32(name, value, 0, 1023, &o->config.device);
}
/* In a config 0 means auto; so it does here. */
static int set_by_body(options *o, const char *name, char *value)
{
    return set_u32(name, value ? value : "1", 0, 2, &o->config.expert.by_body);
}

#define SETTER(function, field, type, text)                        \
    static int function(options *o, const char *name, char *value) \
    {                                                              \
        (void)name;                                                \
        (void)value;                                               \
        o->field = (type)(text);                                   \
        return CLI_OK;                                             \
    }
SETTER(set_no_check, no_check, int, 1)
SETTER(set_copies, request.spawning.copies, int, 1)
SETTER(set_irregular, request.spawning.irregular, int, 1)
SETTER(set_json, json, int, 1)
SETTER(set_stats, stats, int, 1)
SETTER(set_help, help, int, 1)
SETTER(set_trace, trace, const char *, value)
SETTER(set_timeline, timeline, const char *, value)
SETTER(set_dot, dot, const char *, value)
SETTER(set_dump_graph, dump_graph, const char *, value)
SETTER(set_plan, plan, const char *, value)
SETTER(set_out, out, const char *, value)
SETTER(set_costs, costs, int, 1)
SETTER(set_tsv, tsv, const char *, value)
SETTER(set_split, split, const char *, value)
SETTER(set_loop, loop, const char *, value)
SETTER(set_links, links, const char *, value)
SETTER(set_jobs, jobs, const char *, value)
SETTER(set_measure_links, measure_links, int, 1)
SETTER(set_figures, figures, const char *, value)

enum { RUNS = FOR_RUN | FOR_BENCH | FOR_PLAN, ALL = RUNS | FOR_INFO | FOR_TRACE | FOR_SIMULATE };

static const option table[] = {
    {"-n", "ROWS[xCOLS]", RUNS, set_n, "size of the problem"},
    {"-b", "ROWS[xCOLS]", RUNS, set_b, "size of a block"},
    {"--opt", "KEY=VALUE", RUNS, set_opt, "an option of the app (heddle info APP lists them)"},
    {"--input", "FILE", RUNS, set_input, "an input of the app, as often as it takes inputs"},
    {"--backend", "NAME", FOR_RUN | FOR_PLAN, set_backend, "auto, serial, cpu, cuda"},
    {"--device", "N", RUNS, set_device, "which GPU, by number; default 0"},
    {"--backends", "LIST", FOR_BENCH, set_backends, "of tiles, serial, cpu, cuda; default: all that are here"},
    {"--workers", "W", RUNS, set_workers, "threads, or blocks of a GPU; default: one per core, all that fit"},
    {"--team-size", "T", RUNS, set_team_size, "threads of a task (cuda), of an emulated block (serial)"},
    {"--lanes", "T", RUNS, set_team_size, NULL}, /* its earlier name */
    {"--schedule", "NAME", RUNS, set_schedule, "how the graph runs (heddle info lists them); bench: only this one"},
    {"--pool", "MODE|BYTES", FOR_RUN | FOR_BENCH, set_pool,
     "APP/pool, in that mode on a GPU: auto, resident, launches, kernels, batch, taskgraph, fused, table; or APP/jobs, "
     "with that "
     "much memory of a device for arrays"},
    {"--tasks", "N", FOR_RUN | FOR_BENCH, set_tasks,
     "of a pool, instead of -n: as large a problem as takes N tasks; of jobs: slices of a job, by the first index"},
    {"--tasks-2", "N", FOR_RUN | FOR_BENCH, set_tasks_2, "of jobs: each of these in N, by the second index"},
    {"--blocks", "N", FOR_RUN | FOR_BENCH, set_blocks, "of a task of a pool, each of which takes -b"},
    {"--copies", NULL, FOR_RUN | FOR_BENCH, set_copies,
     "of a pool: inputs and results go with tasks, from and to the host"},
    {"--threads", "N", FOR_RUN | FOR_BENCH, set_threads, "of the host, that spawn a pool's tasks"},
    {"--at-once", "N", FOR_RUN | FOR_BENCH, set_at_once,
     "tasks of a pool in lock step: so many are spawned when those before have ended"},
    {"--irregular", NULL, FOR_RUN | FOR_BENCH, set_irregular,
     "a pool's tasks have teams of 32, 64, 128, 256, and a side to match"},
    {"--devices", "WORDS", FOR_RUN | FOR_BENCH, set_devices,
     "APP/loop, APP/jobs or APP/wavefront, over these: \"cuda:* cpu:*\", 4*cuda:0/4, virtual:speed=0.5, serial"},
    {"--split", "NAME", FOR_RUN | FOR_BENCH, set_one_split,
     "APP/loop or APP/wavefront, divided in that way (heddle info lists them)"},
    {"--map", "NAME", FOR_RUN | FOR_BENCH, set_map,
     "APP/jobs: which device has which slices: settle, fixed, free, static"},
    {"--static", NULL, FOR_RUN | FOR_BENCH, set_static, "APP/jobs, --map static: equal shares"},
    {"--safe", NULL, FOR_RUN | FOR_BENCH, set_safe,
     "APP/jobs: what a job wrote goes home at its end, so a lost device takes nothing along"},
    {"--policy", "NAME", FOR_RUN | FOR_PLAN, set_policy, "rings, iqs, scheduler: where freed tasks go"},
    {"--policies", "LIST", FOR_BENCH, set_policies, "of those that heddle info lists; default: all"},
    {"--by-body", "[=0|1|2]", FOR_RUN | FOR_BENCH, set_by_body,
     "launches: one a body and level (1, plain), a level (2)"},
    {"--time-limit", "MS", RUNS, set_time_limit, "stop a longer run; default 600000, cuda 60000; 0 = none"},
    {"--repeat", "R", FOR_RUN, set_repeat, "run R times, each checked; the median is shown"},
    {"--runs", "R", FOR_BENCH, set_runs, "timed runs of each subject, default 5"},
    {"--plan", "FILE", FOR_RUN, set_plan, "follow a plan that heddle plan wrote (schedule static)"},
    {"-o", "FILE", FOR_PLAN, set_out, "where the plan goes; default NAME.plan.json"},
    {"--costs", NULL, FOR_PLAN, set_costs, "plan anew from how long each task took, instead of what was done"},
    {"--column-ns", "NS", FOR_PLAN, set_column_ns, "of APP/wave: what a column of a band takes; default: a guess"},
    {"--hand-ns", "NS", FOR_PLAN, set_hand_ns, "of APP/wave: what a hand-over takes; default: a guess"},
    {"--no-check", NULL, FOR_RUN, set_no_check, "do not compare with the serial reference"},
    {"--json", NULL, FOR_RUN, set_json, "print one JSON object"},
    {"--stats", NULL, FOR_RUN, set_stats, "show bodies, workers and the critical path; of a pool, times of its tasks"},
    {"--trace", "FILE", FOR_RUN, set_trace, "write the last run as Chrome trace events (Perfetto)"},
    {"--timeline", "FILE", FOR_RUN | FOR_SIMULATE, set_timeline, "draw the last run as SVG"},
    {"--split", "NAMES", FOR_SIMULATE, set_split, "ways to divide, with commas between, or all; default cut"},
    {"--loop", "WORDS", FOR_SIMULATE, set_loop, "the loop: n=1e9,shape=ramp,time=20ms; or jobs: n=32768,tasks=8"},
    {"--jobs", "APP", FOR_SIMULATE, set_jobs,
     "matmul, hotspot, ep: jobs over GPUs, whose data stay there, instead of a loop"},
    {"--links", "WORDS", FOR_SIMULATE, set_links, "links of the fleet: pcie:rate=55e9,latency=5us"},
    {"--links", NULL, FOR_INFO, set_measure_links,
     "measure the links between GPUs, and to the host's memory; print only these"},
    {"--dot", "FILE", FOR_RUN, set_dot, "write the graph for Graphviz"},
    {"--dump-graph", "FILE", FOR_RUN, set_dump_graph, "write the graph as JSON"},
    {"--tsv", "FILE", FOR_BENCH, set_tsv, "write the TSV there and print a short table"},
    {"--figures", "NAME", FOR_BENCH, set_figures,
     "juggler, didc14, peerwave, pagoda, hdss, mesi, cumas: the figures of those papers, as TSV and SVG"},
    {"--out", "DIR", FOR_BENCH, set_out, "where the figures go; default ."},
    {"-h", NULL, ALL, set_help, NULL},
    {"--help", NULL, ALL, set_help, "show the options of the command"},
};
enum { N_TABLE = sizeof table / sizeof table[0] };

/* ---- reading ---- */

/* Finds the option that an argument names; *value: the part attached to it (behind '=' or the letter), or NULL. */
static const option *find(char *arg, unsigned command, char **value)
{
    size_t i;
    *value = NULL;
    for (i = 0; i < N_TABLE; i++) {
        const option *t = &table[i];
        size_t n = strlen(t->name);
        if (!(t->commands & command) || strncmp(arg, t->name, n) != 0)
            continue;
        if (arg[n] == '\0')
            return t;
        if (arg[1] != '-' || arg[n] == '=') {
            *value = arg + n + (arg[1] == '-');
            return t;
        }
    }
    return NULL;
}

static int bad_option(const char *arg, unsigned command)
{
    cli_guess guess = {.word = arg};
    size_t i;
    for (i = 0; i < N_TABLE; i++) {
        if (!(table[i].commands & command) && !strcmp(table[i].name, arg))
            return cli_bad("%s is no option of this command", arg);
        if (table[i].commands & command)
            cli_guess_offer(&guess, table[i].name);
    }
    return cli_bad("unknown option '%s'%s", arg, cli_guess_tail(&guess));
}

/* Reads one option with its value; *at is the index of the argument, moved past a separate value. */
static int read_option(options *o, unsigned command, int argc, char **argv, int *at)
{
    char *arg = argv[*at], *value;
    const option *t = find(arg, command, &value);
    if (!t)
        return bad_option(arg, command);
    if (!t->value)
        return value ? cli_bad("%s takes no value", t->name) : t->set(o, t->name, NULL);
    if (!value && t->value[0] == '[')
        return t->set(o, t->name, NULL);
    if (!value && *at + 1 < argc)
        value = argv[++*at];
    return value ? t->set(o, t->name, value) : cli_bad("%s needs a value: %s", t->name, t->value);
}

/* Setters write into arguments (set_size, set_opt, set_list), so the program started with them needs copies. */
static int copy_args(options *o, int argc, char **argv)
{
    size_t n = argc > 0 ? (size_t)argc : 0;
    o->args = calloc(n + 2, sizeof *o->args);
    for (size_t i = 0; o->args && i <= n; i++)
        if (!(o->args[i] = strdup(i ? argv[i - 1] : "heddle-figures")))
            return -1;
    return o->args ? 0 : -1;
}

int options_read(options *o, unsigned command, int argc, char **argv)
{
    static const heddle_config defaults = HEDDLE_CONFIG_INIT;
    size_t n = argc > 0 ? (size_t)argc : 1; /* no list exceeds the command line */
    int i, only_words = 0;
    *o = (options){.config = defaults, .repeat = 1, .runs = 5};
    o->request.opts = calloc(n, sizeof(app_pair));
    o->request.inputs = calloc(n, sizeof(char *));
    o->words = calloc(n, sizeof(char *));
    if (!o->request.opts || !o->request.inputs || !o->words || copy_args(o, argc, argv))
        return cli_bad("out of memory");
    for (i = 0; i < argc; i++) {
        if (only_words || argv[i][0] != '-' || !argv[i][1])
            o->words[o->n_words++] = argv[i];
        else if (!strcmp(argv[i], "--"))
            only_words = 1;
        else if (read_option(o, command, argc, argv, &i))
            return CLI_BAD;
    }
    return CLI_OK;
}

void options_free(options *o)
{
    free((void *)o->request.opts);
    free((void *)o->request.inputs);
    free(o->words);
    for (size_t i = 0; o->args && o->args[i]; i++)
        free(o->args[i]);
    free(o->args);
}

void options_print(FILE *out, unsigned command)
{
    size_t i;
    for (i = 0; i < N_TABLE; i++)
        if ((table[i].commands & command) && table[i].help) {
            int n = fprintf(out, "  %s %s", table[i].name, table[i].value ? table[i].value : "");
            fprintf(out, "%*s%s\n", n < 24 ? 24 - n : 1, "", table[i].help);
        }
}
