/* SPDX-License-Identifier: MIT */
/* room.c - implements room.h. Programs write into files of the room, which are read when all have ended. */
#include "room.h"

#include "cli.h"
#include "place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 40, NO_GPU = 77 };
#define GRACE_NS 2000000000u /* from the first failure until the others are killed */

static int because(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int because(char *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, MIX_ERROR, format, args);
    va_end(args);
    return -1;
}

static void nap_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* ---- files ---- */

typedef struct path {
    char text[ROOM_NAME];
} path;

static path path_of(const room *r, const char *what, uint32_t i)
{
    path p;
    snprintf(p.text, sizeof p.text, "%s/%s.%u", r->folder, what, i);
    return p;
}

static path named(const room *r, const char *what)
{
    path p;
    snprintf(p.text, sizeof p.text, "%s/%s", r->folder, what);
    return p;
}

/* Folders of a room are nested three deep. */
static void remove_folder(const char *name)
{
    DIR *d = opendir(name);
    for (struct dirent *e; d && (e = readdir(d));) {
        char inner[512];
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (snprintf(inner, sizeof inner, "%s/%s", name, e->d_name) < (int)sizeof inner && unlink(inner))
            remove_folder(inner);
    }
    if (d)
        closedir(d);
    rmdir(name);
}

/* The last line that is not empty, without its end. */
static void last_line(const char *name, char *line, size_t n_bytes)
{
    FILE *in = fopen(name, "r");
    char next[256];
    line[0] = 0;
    while (in && fgets(next, sizeof next, in)) {
        next[strcspn(next, "\n")] = 0;
        if (next[0])
            snprintf(line, n_bytes, "%s", next);
    }
    if (in)
        fclose(in);
}

/* ---- processes ---- */

/* In a child: other threads may have held locks when it began, so that it takes none. */
static int redirect(const char *name, int flags, int to)
{
    int fd = open(name, flags, 0600);
    int failed = fd < 0 || dup2(fd, to) < 0;
    if (fd >= 0 && fd != to)
        close(fd);
    return failed;
}

/* A child that writes into the files out.i and err.i. 0: there is none. */
static pid_t start(const room *r, char *const *words, uint32_t i)
{
    static const char cannot[] = "it cannot be started\n";
    path out = path_of(r, "out", i), err = path_of(r, "err", i);
    pid_t parent = getpid(), child = fork();
    if (child)
        return child > 0 ? child : 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || redirect("/dev/null", O_RDONLY, STDIN_FILENO) ||
        redirect(out.text, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO) ||
        redirect(err.text, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO))
        _exit(127);
    execvp(words[0], words);
    (void)!write(STDERR_FILENO, cannot, sizeof cannot - 1);
    _exit(127);
}

typedef struct group {
    pid_t pids[MIX_MOST_PROGRAMS]; /* 0: it has ended */
    int statuses[MIX_MOST_PROGRAMS];
    uint32_t n, n_left;
    int failed; /* the first one that did not end well; -1: none */
} group;

static void look(group *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (g->pids[i] && waitpid(g->pids[i], &g->statuses[i], WNOHANG) == g->pids[i]) {
            g->pids[i] = 0;
            g->n_left--;
            if (g->statuses[i] && g->failed < 0)
                g->failed = (int)i;
        }
}

/* Not counted as failures. */
static void kill_group(group *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (g->pids[i]) {
            kill(g->pids[i], SIGKILL);
            waitpid(g->pids[i], &g->statuses[i], 0);
            g->pids[i] = g->statuses[i] = 0;
        }
    g->n_left = 0;
}

/* 0, or -1: it took too long. */
static int wait_for(group *g, double limit_s)
{
    uint64_t end = cli_now_ns() + (uint64_t)(limit_s * 1e9);
    int had_failed = 0;
    for (look(g); g->n_left; nap_ms(2), look(g)) {
        if (g->failed >= 0 && !had_failed) {
            had_failed = 1;
            end = cli_now_ns() + GRACE_NS < end ? cli_now_ns() + GRACE_NS : end;
        }
        if (cli_now_ns() > end) {
            kill_group(g);
            return had_failed ? 0 : -1;
        }
    }
    return 0;
}

static int say_status(const room *r, const char *name, int status, uint32_t i, char *why)
{
    char said[300];
    last_line(path_of(r, "err", i).text, said, sizeof said);
    if (WIFSIGNALED(status))
        return because(why, "%s was ended by signal %d%s%s", name, WTERMSIG(status), said[0] ? ": " : "", said);
    return because(why, "%s ended with status %d%s%s", name, WEXITSTATUS(status), said[0] ? ": " : "", said);
}

/* One command, to its end. */
static int run_words(const room *r, char *const *words, double limit_s, int *status)
{
    group g = {.n = 1, .n_left = 1, .failed = -1};
    g.pids[0] = start(r, words, MIX_MOST_PROGRAMS);
    if (!g.pids[0] || wait_for(&g, limit_s))
        return -1;
    *status = g.statuses[0];
    return 0;
}

/* ---- the room ---- */

static int try_program(const room *r, char *why)
{
    char program[1100], rounds[] = "--rounds", one[] = "1", mb[] = "--mb", few[] = "1";
    char *words[] = {program, mb, few, rounds, one, NULL};
    int status = 0;
    snprintf(program, sizeof program, "%s/vectorAdd", r->programs);
    if (access(program, X_OK))
        return because(why, "there are no programs in %.400s", r->programs);
    if (run_words(r, words, 60, &status))
        return because(why, "vectorAdd does not end");
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_GPU)
        return because(why, "no GPU here");
    return status ? say_status(r, "vectorAdd", status, MIX_MOST_PROGRAMS, why) : 0;
}

int room_open(room *r, const char *programs, char why[MIX_ERROR])
{
    const char *tmp = getenv("TMPDIR");
    memset(r, 0, sizeof *r);
    if ((size_t)snprintf(r->folder, sizeof r->folder, "%s/heddle-cumas.XXXXXX", tmp && *tmp ? tmp : "/tmp") >=
        sizeof r->folder)
        return because(why, "TMPDIR is too long for the name of a socket in it");
    if (strlen(programs) >= sizeof r->programs)
        return because(why, "the path of the programs is too long");
    strcpy(r->programs, programs);
    if (cli_beside("heddle", r->heddle, sizeof r->heddle))
        return because(why, "the command heddle is not beside this program");
    if (!mkdtemp(r->folder)) {
        r->folder[0] = 0;
        return because(why, "a folder in TMPDIR: %s", strerror(errno));
    }
    mkdir(named(r, "cache").text, 0700);
    mkdir(named(r, "cache/heddle").text, 0700);
    setenv("XDG_RUNTIME_DIR", r->folder, 1);
    setenv("XDG_CACHE_HOME", named(r, "cache").text, 1);
    unsetenv("HEDDLE_SHARE");
    if (!try_program(r, why))
        return 0;
    room_close(r);
    return -1;
}

/* ---- the daemons ---- */

static void end_daemon(room *r)
{
    group g = {.pids = {r->daemon}, .n = 1, .n_left = 1, .failed = -1};
    if (!r->daemon)
        return;
    nap_ms(50); /* until it has seen that its last clients left */
    kill(r->daemon, SIGTERM);
    wait_for(&g, 5);
    r->daemon = 0;
}

static int start_daemon(room *r, const room_start *how, char *why)
{
    path trace = named(r, "trace");
    char row[16], *words[] = {r->heddle,  "share",
                              "start",    "--foreground",
                              "--mps",    "off", /* else as the environment says */
                              "--policy", (char *)(uintptr_t)how->policy,
                              "--row",    row,
                              "--trace",  trace.text,
                              NULL};
    int fd = -1, status;
    snprintf(row, sizeof row, "%u", how->row);
    unlink(named(r, "cache/heddle/share-history").text);
    if (link(named(r, "learnt").text, named(r, "cache/heddle/share-history").text) && errno != ENOENT)
        return because(why, "what was learnt: %s", strerror(errno));
    r->daemon = start(r, words, MIX_MOST_PROGRAMS);
    for (int i = 0; r->daemon && fd < 0 && i < 1000; i++) {
        if (waitpid(r->daemon, &status, WNOHANG) == r->daemon) {
            r->daemon = 0;
            return say_status(r, "heddle share start", status, MIX_MOST_PROGRAMS, why);
        }
        nap_ms(5);
        fd = share_place_connect();
    }
    if (fd < 0)
        return because(why, "heddle share start: no daemon");
    close(fd);
    return 0;
}

static void end_mps(room *r)
{
    char *words[] = {"sh", "-c", "echo quit | nvidia-cuda-mps-control", NULL};
    int status;
    if (r->has_mps)
        run_words(r, words, 10, &status);
    unsetenv("CUDA_MPS_PIPE_DIRECTORY");
    unsetenv("CUDA_MPS_LOG_DIRECTORY");
    r->has_mps = 0;
}

static int start_mps(room *r, char *why)
{
    char *words[] = {"nvidia-cuda-mps-control", "-d", NULL};
    int status = 0;
    mkdir(named(r, "mps").text, 0700);
    mkdir(named(r, "mpslog").text, 0700);
    setenv("CUDA_MPS_PIPE_DIRECTORY", named(r, "mps").text, 1);
    setenv("CUDA_MPS_LOG_DIRECTORY", named(r, "mpslog").text, 1);
    if (run_words(r, words, 10, &status) || status) {
        end_mps(r);
        return because(why, "MPS cannot be started");
    }
    r->has_mps = 1;
    nap_ms(500);
    return 0;
}

static void end_daemons(room *r)
{
    end_daemon(r);
    end_mps(r);
}

void room_close(room *r)
{
    if (!r->folder[0])
        return;
    end_daemons(r);
    remove_folder(r->folder);
    r->folder[0] = 0;
}

int room_keep(const room *r)
{
    room_forget(r);
    return rename(named(r, "cache/heddle/share-history").text, named(r, "learnt").text);
}

void room_forget(const room *r) { unlink(named(r, "learnt").text); }

void room_trace(const room *r, char name[ROOM_NAME]) { strcpy(name, named(r, "trace").text); }

/* ---- a start ---- */

/* The places of a program, with commas between. NULL: no memory. */
static char *places_of(const mix_rounds *rounds, uint32_t program)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return NULL;
    for (uint32_t round = 0; round < rounds->n; round++) {
        int place = mix_part_of(rounds, program, round)->place;
        fprintf(out, place == MIX_SITS_OUT ? "%s-" : "%s%d", round ? "," : "", place);
    }
    return fclose(out) ? NULL : text;
}

typedef struct words {
    char *word[MOST_WORDS + 1];
    size_t n;
} words;

static void add(words *w, const char *word)
{
    if (w->n < MOST_WORDS)
        w->word[w->n++] = (char *)(uintptr_t)word;
}

/* The program's path and numbers are written into `text`. */
typedef struct call_text {
    char program[1100], options[128], n[4][24];
    path page;
} call_text;

static void write_call(const room *r, const mix *m, const room_start *how, const mix_rounds *rounds, uint32_t i,
                       words *w, call_text *t)
{
    const char *const under[] = {r->heddle, "share", "run", "--require", "--"};
    const char *const told[] = {"--rounds",   t->n[0], "--programs", t->n[1],
                                "--patience", t->n[2], "--barrier",  t->page.text};
    t->page = named(r, "page");
    snprintf(t->program, sizeof t->program, "%s/%s", r->programs, m->programs[i].name);
    snprintf(t->options, sizeof t->options, "%s", m->programs[i].options);
    snprintf(t->n[0], sizeof t->n[0], "%u", rounds->n);
    snprintf(t->n[1], sizeof t->n[1], "%u", m->n);
    snprintf(t->n[2], sizeof t->n[2], "%.0f", how->limit_s + 1);
    for (size_t k = 0; how->policy && k < sizeof under / sizeof *under; k++)
        add(w, under[k]);
    add(w, t->program);
    for (char *rest = t->options, *word; (word = strsep(&rest, " "));)
        if (*word)
            add(w, word);
    for (size_t k = 0; k < sizeof told / sizeof *told; k++)
        add(w, told[k]);
}

static pid_t start_program(const room *r, const mix *m, const room_start *how, const mix_rounds *rounds, uint32_t i)
{
    char *places = places_of(rounds, i);
    words w = {.n = 0};
    call_text t;
    pid_t p;
    if (!places)
        return 0;
    write_call(r, m, how, rounds, i, &w, &t);
    add(&w, "--places");
    add(&w, places);
    w.word[w.n] = NULL;
    p = start(r, w.word, i);
    free(places);
    return p;
}

static int take_all(const room *r, const mix *m, const mix_rounds *rounds, char *why)
{
    int failed = 0;
    for (uint32_t i = 0; i < m->n && !failed; i++) {
        FILE *in = fopen(path_of(r, "out", i).text, "r");
        failed = in ? mix_take(rounds, m, i, in, why)
                    : because(why, "what %s said: %s", m->programs[i].name, strerror(errno));
        if (in)
            fclose(in);
    }
    return failed;
}

/* The others of a barrier end with a sentence when one has failed. */
static int is_follower(const room *r, uint32_t i)
{
    char said[300];
    last_line(path_of(r, "err", i).text, said, sizeof said);
    return strstr(said, "another program of the barrier") != NULL;
}

static uint32_t culprit(const room *r, const group *g)
{
    uint32_t i = (uint32_t)g->failed;
    if (!is_follower(r, i))
        return i;
    for (i = 0; i < g->n; i++)
        if (g->statuses[i] && !is_follower(r, i))
            return i;
    return (uint32_t)g->failed;
}

/* Status 1 is that of wrong results; the lines tell of which round. */
static int judge(const room *r, const mix *m, const mix_rounds *rounds, const group *g, char *why)
{
    uint32_t i = g->failed < 0 ? 0 : culprit(r, g);
    int status = g->statuses[i];
    if (!status || (WIFEXITED(status) && WEXITSTATUS(status) == 1))
        if (take_all(r, m, rounds, why))
            return -1;
    return status ? say_status(r, m->programs[i].name, status, i, why) : 0;
}

static int run_programs(const room *r, const mix *m, const room_start *how, const mix_rounds *rounds, char *why)
{
    group g = {.n = m->n, .failed = -1};
    unlink(named(r, "page").text);
    for (uint32_t i = 0; i < m->n; i++) {
        g.pids[i] = start_program(r, m, how, rounds, i);
        g.n_left += g.pids[i] != 0;
    }
    if (g.n_left < m->n) {
        kill_group(&g);
        return because(why, "a process cannot be had");
    }
    if (wait_for(&g, how->limit_s))
        return because(why, "the programs did not end within %.0f s", how->limit_s);
    return judge(r, m, rounds, &g, why);
}

int room_run(room *r, const mix *m, const room_start *how, const mix_rounds *rounds, char why[MIX_ERROR])
{
    int status = how->with_mps && start_mps(r, why) ? 1 : 0;
    if (!status && how->policy)
        status = start_daemon(r, how, why);
    if (!status)
        status = run_programs(r, m, how, rounds, why);
    end_daemons(r);
    return status;
}
