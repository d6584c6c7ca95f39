/* SPDX-License-Identifier: MIT */
/* cmd_share.c - `heddle share`: starts and ends the daemon, shows what it does, runs programs under it. What stands behind the
 * program's name is the program's, so it reads its own words. */
#include "commands.h"

#include "cli.h"
#include "share_words.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void share_help(FILE *out)
{
    fputs(
        "  heddle share start [--policy POLICY] [--row N] [--patience TIME] [--kernels free|ordered]\n"
        "                     [--mps auto|on|off] [--ahead BYTES] [--trace FILE] [--foreground]\n"
        "  heddle share run [--class high|normal|low] [--mem BYTES] [--mem-wait TIME] [--ahead BYTES] [--require]\n"
        "                   [--] PROGRAM [ARG]...\n"
        "  heddle share status [--json] [--watch]\n"
        "  heddle share profile [--] PROGRAM [ARG]...\n"
        "  heddle share record [--out FILE] [--] PROGRAM [ARG]...\n"
        "  heddle share replay FILE... [--policy POLICY|all] [--row N[..N]] [--orders N] [--seed N] [--rate GB/S]\n"
        "                      [--slack PERCENT] [--wrong SIGMA] [--unknown] [--json]\n"
        "  heddle share stop\n"
        "\n"
        "--row: how often a program may be overtaken; --patience: how long it waits behind others at most.\n"
        "--kernels ordered: kernels of different programs do not run at the same time.\n"
        "--mps on: programs run under MPS, where a fault of one ends all; auto: where it can be had.\n"
        "--mem: what the program will need of the GPU's memory; it waits until all fit. When not told, what it had\n"
        "on earlier runs with the same arguments; 0: it does not wait for its place.\n"
        "--ahead: copies in of pageable memory return when their bytes stand in so much pinned memory. `start` says\n"
        "it for all programs that say nothing else (0: none).\n"
        "--mem-wait: how long an allocation waits for memory of others. Times are ms, or have ms or s behind the "
        "number.\n"
        "--mem and --ahead take K, M and G behind the number. Without a daemon `run` says so and starts the program\n"
        "plainly; with --require that is an error. `heddle info` lists the variables of these options.\n"
        "\n"
        "profile prints what the tasks of a program cost; record writes them as a trace (share-trace.json) for replay. "
        "Both see\n"
        "copies of 1 MiB and more, and kernels. The program waits for each of these copies, also for asynchronous "
        "ones,\n"
        "and before each for its kernels. A daemon that runs learns them.\n"
        "\n"
        "replay simulates tables or traces of tasks, with programs of each file apart, under policies and rows, for so "
        "many orders of arrival. A table "
        "has a\n"
        "line a task: program, MB in (as 7x27,3 or -), ms of kernels, MB out. --wrong: estimates are wrong by a\n"
        "log-normal factor; --unknown: nothing is known of any program.\n\n",
        out);
    for (int i = 0; i < SHARE_N_POLICIES; i++)
        fprintf(out, "  --policy %-10s %s%s\n", share_policy_word((share_policy)i), share_policy_help((share_policy)i),
                i == SHARE_POLICY_EXACT ? " (when not told)" : "");
}

/* "40G" in bytes. */
static int read_bytes(const char *text, uint64_t least, uint64_t *n)
{
    static const char units[] = "KMG";
    size_t length = text ? strlen(text) : 0;
    const char *unit = length ? strchr(units, text[length - 1]) : NULL;
    unsigned shift = unit && *unit ? 10u * (unsigned)(unit - units + 1) : 0;
    char digits[24];
    if (!length || length >= sizeof digits)
        return -1;
    memcpy(digits, text, length + 1);
    if (shift)
        digits[length - 1] = 0;
    if (cli_parse_u64(digits, least, UINT64_MAX >> shift, n))
        return -1;
    *n <<= shift;
    return 0;
}

static int set_number(const char *variable, uint64_t n)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    return setenv(variable, text, 1);
}

/* An option of bytes: its variable is set. */
static int set_bytes(const char *name, const char *word, uint64_t least, uint64_t most, const char *variable)
{
    uint64_t n = 0;
    if (!word)
        return CLI_BAD;
    if (read_bytes(word, least, &n) || n > most)
        return cli_bad("%s: '%s' is no number of bytes, as 40G", name, word);
    return set_number(variable, n) ? CLI_BAD : CLI_OK;
}

/* "10s", "200ms" or "200" in milliseconds. */
static int read_ms(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *n)
{
    size_t length = text ? strlen(text) : 0, unit = length;
    char digits[24];
    while (unit > 0 && (text[unit - 1] < '0' || text[unit - 1] > '9'))
        unit--;
    uint64_t ms = text && !strcmp(text + unit, "s") ? 1000 : 1;
    if (!text)
        return CLI_BAD;
    snprintf(digits, sizeof digits, "%.*s", (int)(unit < sizeof digits ? unit : 0), text);
    if ((ms == 1 && text[unit] && strcmp(text + unit, "ms")) ||
        cli_parse_u64(digits, (least + ms - 1) / ms, most / ms, n))
        return cli_bad("%s: '%s' is no time from %llu to %llu ms, as 200ms or 10s", option, text,
                       (unsigned long long)least, (unsigned long long)most);
    *n *= ms;
    return CLI_OK;
}

static int set_ahead(const char *word) { return set_bytes("--ahead", word, 0, SHARE_MOST_AHEAD, "HEDDLE_SHARE_AHEAD"); }

/* ---- start ---- */

typedef enum mps_mode { MPS_AUTO, MPS_ON, MPS_OFF, N_MPS_MODES } mps_mode;

typedef struct start_options {
    share_rules rules;
    mps_mode mps;
    int foreground;
    const char *trace;
} start_options;

static int read_kernels(const char *option, const char *word, start_options *o)
{
    if (!word || (strcmp(word, "free") && strcmp(word, "ordered")))
        return word ? cli_bad("%s: '%s' is none of free, ordered", option, word) : CLI_BAD;
    o->rules.orders_kernels = !strcmp(word, "ordered");
    return CLI_OK;
}

static int read_mps(const char *option, const char *word, start_options *o)
{
    static const char *const words[N_MPS_MODES] = {"auto", "on", "off"};
    for (int i = 0; word && i < N_MPS_MODES; i++)
        if (!strcmp(word, words[i])) {
            o->mps = (mps_mode)i;
            return CLI_OK;
        }
    return word ? cli_bad("%s: '%s' is none of auto, on, off", option, word) : CLI_BAD;
}

static int read_row(const char *option, const char *word, start_options *o)
{
    uint64_t n = 0;
    int status = share_read_number(option, word, 1, 64, &n);
    o->rules.row = (uint32_t)n;
    return status;
}

static int read_patience(const char *option, const char *word, start_options *o)
{
    uint64_t n = 0;
    int status = read_ms(option, word, 1, 3600000, &n);
    o->rules.patience_ns = n * 1000000u;
    return status;
}

static int read_policy(const char *option, const char *word, start_options *o)
{
    return share_read_policy(option, word, &o->rules.policy);
}

static int read_trace(const char *option, const char *word, start_options *o)
{
    (void)option; /* the file is named */
    o->trace = word;
    return word ? cli_check_output(word) : CLI_BAD;
}

/* Options of `start` that have a value and a variable; an option goes before its variable. */
static const struct {
    const char *option, *variable;
    int (*read)(const char *name, const char *word, start_options *o);
} start_words[] = {
    {"--policy", "HEDDLE_SHARE_POLICY", read_policy},       {"--row", "HEDDLE_SHARE_ROW", read_row},
    {"--patience", "HEDDLE_SHARE_PATIENCE", read_patience}, {"--trace", "HEDDLE_SHARE_TRACE", read_trace},
    {"--kernels", "HEDDLE_SHARE_KERNELS", read_kernels},    {"--mps", "HEDDLE_SHARE_MPS", read_mps}};
enum { N_START_WORDS = sizeof start_words / sizeof start_words[0] };

static int read_variables(start_options *o)
{
    int status = CLI_OK;
    for (int i = 0; i < N_START_WORDS && !status; i++) {
        const char *word = getenv(start_words[i].variable);
        status = word ? start_words[i].read(start_words[i].variable, word, o) : CLI_OK;
    }
    return status;
}

static int check_rules(const share_rules *r)
{
    if (r->policy == SHARE_POLICY_NONE && r->orders_kernels)
        return cli_bad("--kernels ordered needs a policy: under none nobody waits");
    if (r->policy == SHARE_POLICY_DP_PRINTED)
        return cli_bad("--policy %s is for heddle share replay only", share_policy_word(r->policy));
    return share_check_row(r->policy, r->row);
}

static int start_option(start_options *o, int argc, char **argv, int *i)
{
    const char *name = argv[*i];
    for (int k = 0; k < N_START_WORDS; k++)
        if (!strcmp(name, start_words[k].option))
            return start_words[k].read(name, share_value_of(argc, argv, i), o);
    if (!strcmp(name, "--ahead"))
        return set_ahead(share_value_of(argc, argv, i));
    if (strcmp(name, "--foreground"))
        return share_unknown("start", name);
    o->foreground = 1;
    return CLI_OK;
}

static int read_start(start_options *o, int argc, char **argv)
{
    int status = read_variables(o);
    for (int i = 0; i < argc && !status; i++)
        status = start_option(o, argc, argv, &i);
    return status ? status : check_rules(&o->rules);
}

/* A path that holds in another folder, too. */
static const char *from_root(const char *path, char *whole, size_t n_bytes)
{
    if (path[0] == '/' || !getcwd(whole, n_bytes) || strlen(whole) + strlen(path) + 2 > n_bytes)
        return path;
    return strcat(strcat(whole, "/"), path);
}

/* A daemon has no terminal, and holds no folder. */
static int detach(void)
{
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child > 0) {
        printf("heddle share runs (process %d)\n", (int)child);
        fflush(stdout);
        _exit(CLI_OK);
    }
    setsid();
    if (chdir("/") || !freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout) ||
        !freopen("/dev/null", "w", stderr))
        _exit(CLI_BAD);
    return 0;
}

/* Its price is said whenever it is on. */
static int begin_mps(mps_mode mode, share_mps *m)
{
    share_why why;
    m->folder[0] = 0;
    if (mode == MPS_OFF)
        return CLI_OK;
    if (share_mps_start(m, &why)) {
        if (mode == MPS_ON)
            return cli_bad("--mps on: %s", why.text);
        printf("programs run without MPS: %s\n", why.text);
    } else
        printf("programs run under MPS (%s): a fault of one of them ends all; with --mps off it does not\n", m->folder);
    fflush(stdout);
    return CLI_OK;
}

static int serve(int fd, const start_options *o)
{
    share_mps mps;
    share_why why;
    int status = begin_mps(o->mps, &mps);
    if (status) {
        share_daemon_close(fd);
        return status;
    }
    if (!o->foreground && detach())
        status = cli_bad("a process cannot be had: %s", strerror(errno));
    else if (share_daemon_serve(fd, &o->rules, o->trace, mps.folder, &why))
        status = share_refused(&why);
    share_mps_stop(&mps);
    return status;
}

static int start(int argc, char **argv)
{
    start_options o = {.rules = {SHARE_POLICY_EXACT, 12, 2000000000u, 0}};
    char whole[4096];
    share_why why;
    int status = read_start(&o, argc, argv), fd;
    if (status)
        return status;
    if (o.trace)
        o.trace = from_root(o.trace, whole, sizeof whole);
    fd = share_daemon_open(&why);
    if (fd < 0)
        return share_refused(&why);
    if (share_daemon_history(&why))
        share_refused(&why);
    return serve(fd, &o);
}

/* ---- run ---- */

static int run_option(int argc, char **argv, int *i)
{
    const char *name = argv[*i], *word = share_value_of(argc, argv, i);
    uint64_t n = 0;
    if (!word)
        return CLI_BAD;
    if (!strcmp(name, "--class")) {
        if (strcmp(word, "high") && strcmp(word, "normal") && strcmp(word, "low"))
            return cli_bad("--class: '%s' is none of high, normal, low", word);
        return setenv("HEDDLE_SHARE_CLASS", word, 1) ? CLI_BAD : CLI_OK;
    }
    if (!strcmp(name, "--mem"))
        return set_bytes(name, word, 0, UINT64_MAX - 1, "HEDDLE_SHARE_MEM");
    if (!strcmp(name, "--ahead"))
        return set_ahead(word);
    if (strcmp(name, "--mem-wait"))
        return share_unknown("run", name);
    return read_ms(name, word, 0, 86400000, &n) || set_number("HEDDLE_SHARE_MEM_WAIT", n) ? CLI_BAD : CLI_OK;
}

/* HEDDLE_SHARE_REQUIRE: 0 and 1. */
static int read_require(int *require)
{
    const char *word = getenv("HEDDLE_SHARE_REQUIRE");
    uint64_t n = 0;
    int status = word ? share_read_number("HEDDLE_SHARE_REQUIRE", word, 0, 1, &n) : CLI_OK;
    *require = n != 0;
    return status;
}

/* Options, up to the program: its place among the words, or -1. */
static int read_run(int argc, char **argv, int *require)
{
    int i;
    if (read_require(require))
        return -1;
    for (i = 0; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        if (!strcmp(argv[i], "--require"))
            *require = 1;
        else if (run_option(argc, argv, &i))
            return -1;
    }
    if (i < argc)
        return i;
    cli_bad("share run takes a program: heddle share run -- ./program");
    return -1;
}

/* Other interposers stay behind ours. */
static int preload(const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    size_t n = strlen(library) + (others ? strlen(others) : 0) + 2;
    char *both = malloc(n);
    int failed;
    if (!both)
        return -1;
    snprintf(both, n, "%s%s%s", library, others && *others ? ":" : "", others ? others : "");
    failed = setenv("LD_PRELOAD", both, 1);
    free(both);
    return failed;
}

/* Asks whether a program may come: 0, and the folder of MPS, if there is one. Programs find it by a variable; what the user told them
 * stays. A daemon that says nothing may be stopped: the program may come, and goes alone if it then still does not answer. */
static int ask_to_run(share_why *why)
{
    cli_buffer folder;
    int failed = cli_buffer_open(&folder) ? share_because(why, "there is no memory")
                                          : share_request(SHARE_RUN, 0, folder.out, why) < 0;
    if (!failed && !fflush(folder.out) && folder.text[0] && setenv("CUDA_MPS_PIPE_DIRECTORY", folder.text, 0))
        failed = share_because(why, "there is no memory");
    cli_buffer_free(&folder);
    return failed;
}

static int run(int argc, char **argv)
{
    int require = 0, at = read_run(argc, argv, &require);
    char library[4096];
    share_why why;
    if (at < 0)
        return CLI_BAD;
    if (share_program_check(argv[at], &why) || share_library_path(library, sizeof library, &why))
        return share_refused(&why);
    if (!ask_to_run(&why)) {
        if (preload(library))
            return cli_bad("no memory");
    } else if (require)
        return share_refused(&why);
    else
        cli_bad("%s; %s starts plainly", why.text, argv[at]);
    execvp(argv[at], argv + at);
    return cli_bad("%s: %s", argv[at], strerror(errno));
}

/* ---- record, profile ---- */

/* Its status as a shell has it; -1: it could not be started. */
static int run_and_wait(char **argv)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[0], argv);
        cli_bad("%s: %s", argv[0], strerror(errno));
        _exit(127);
    }
    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Runs the program with a trace of it in `path`, which is made anew. */
static int run_recorded(int argc, char **argv, int at, const char *path, int *status)
{
    char library[4096];
    share_why why;
    if (at == argc)
        return cli_bad("a program is to stand behind --, as in -- ./program");
    if (share_program_check(argv[at], &why) || share_library_path(library, sizeof library, &why))
        return share_refused(&why);
    unlink(path);
    if (setenv("HEDDLE_SHARE_RECORD", path, 1) || preload(library))
        return cli_bad("no memory");
    *status = run_and_wait(argv + at);
    if (*status < 0)
        return cli_bad("a process cannot be had: %s", strerror(errno));
    if (access(path, F_OK))
        return cli_bad("%s made no large copies, and waited for no kernels: there is nothing to record", argv[at]);
    return CLI_OK;
}

static int record(int argc, char **argv)
{
    const char *path = "share-trace.json";
    char whole[4096];
    int i = 0, status = 0;
    if (i < argc && !strcmp(argv[i], "--out") && !(path = share_value_of(argc, argv, &i)))
        return CLI_BAD;
    i += i > 0;
    if (i < argc && !strcmp(argv[i], "--"))
        i++;
    else if (i < argc && argv[i][0] == '-')
        return share_unknown("record", argv[i]);
    path = from_root(path, whole, sizeof whole);
    if (cli_check_output(path) || run_recorded(argc, argv, i, path, &status))
        return CLI_BAD;
    return status;
}

/* A folder without folders in it: of a program with several processes there are several traces. */
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder));)
        unlinkat(dirfd(folder), e->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* The trace stands in a folder that only this user may enter: another one cannot put a file or a link where it will be. */
static int profile(int argc, char **argv)
{
    char folder[] = "/tmp/heddle-profile.XXXXXX", path[sizeof folder + sizeof "/trace.json"];
    int i = argc > 0 && !strcmp(argv[0], "--"), status = 0, failed;
    share_why why;
    if (i < argc && argv[i][0] == '-')
        return share_unknown("profile", argv[i]);
    if (!mkdtemp(folder))
        return cli_bad("%s: %s", folder, strerror(errno));
    snprintf(path, sizeof path, "%s/trace.json", folder);
    setenv("HEDDLE_SHARE_TIMED", "1", 1);
    failed = run_recorded(argc, argv, i, path, &status);
    if (!failed && share_profile_file(path, stdout, &why))
        failed = share_refused(&why);
    remove_folder(folder);
    return failed ? failed : status;
}

/* ---- status, stop ---- */

static int show(int json)
{
    cli_buffer text;
    share_why why;
    int status = cli_buffer_open(&text);
    if (!status)
        status = share_request(SHARE_STATUS, json, text.out, &why) ? share_refused(&why) : cli_buffer_print(&text);
    cli_buffer_free(&text);
    return status;
}

static int status_of(int argc, char **argv)
{
    int json = 0, watch = 0, status;
    for (int i = 0; i < argc; i++)
        if (!strcmp(argv[i], "--json"))
            json = 1;
        else if (!strcmp(argv[i], "--watch"))
            watch = 1;
        else
            return share_unknown("status", argv[i]);
    for (;;) {
        if (watch && !json && isatty(STDOUT_FILENO))
            fputs("\033[H\033[2J", stdout);
        status = show(json);
        if (status || !watch || fflush(stdout))
            return status;
        sleep(1);
    }
}

static int stop(int argc, char **argv)
{
    share_why why;
    if (argc)
        return share_unknown("stop", argv[0]);
    return share_request(SHARE_STOP, 0, stdout, &why) ? share_refused(&why) : CLI_OK;
}

int cmd_share(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } verbs[] = {{"start", start},   {"run", run},         {"status", status_of},
                 {"record", record}, {"profile", profile}, {"replay", share_replay_command},
                 {"stop", stop}};
    for (size_t i = 0; argc > 0 && i < sizeof verbs / sizeof verbs[0]; i++)
        if (!strcmp(argv[0], verbs[i].name))
            return verbs[i].run(argc - 1, argv + 1);
    return cli_bad("share takes start, run, status, profile, record, replay or stop; see heddle help share");
}
