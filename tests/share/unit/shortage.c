/* SPDX-License-Identifier: MIT */
/* shortage.c - every allocation of the planners, the simulator, the readers of files, profile and the daemon is made to fail, one at a time. The
 * call returns -1, with its sentence where it has one, and keeps nothing; with memory again it gives what it gave before. Ranks of the daemon
 * go on: without a plan a free link still goes to one that waits. A daemon that lacks memory for its history or its trace serves without, and leaves the
 * history's file as it was.
 *
 * The linker has the program's allocations come here (--wrap). */
#include "arbiter.h"
#include "history.h"
#include "replay.h"
#include "report.h"

#include "check.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HEDDLE_HAVE_JANSSON
#include <jansson.h>
#endif

enum { MOST_LIVE = 4096 };

static void *live[MOST_LIVE];
static uint64_t n_calls, fail_at;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);
FILE *__real_open_memstream(char **text, size_t *n);
FILE *__wrap_open_memstream(char **text, size_t *n);

static int fails(void)
{
    if (++n_calls != fail_at)
        return 0;
    errno = ENOMEM;
    return 1;
}

static void *keep(void *p)
{
    for (int i = 0; p && i < MOST_LIVE; i++)
        if (!live[i]) {
            live[i] = p;
            return p;
        }
    CHECK(!p);
    return p;
}

static void drop(const void *p)
{
    for (int i = 0; p && i < MOST_LIVE; i++)
        if (live[i] == p)
            live[i] = NULL;
}

void *__wrap_malloc(size_t n) { return fails() ? NULL : keep(__real_malloc(n)); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : keep(__real_calloc(n, size)); }

void *__wrap_realloc(void *p, size_t n)
{
    if (fails())
        return NULL;
    drop(p);
    return keep(__real_realloc(p, n));
}

void __wrap_free(void *p)
{
    drop(p);
    __real_free(p);
}

/* What it allocates inside the C library is not seen: the text is not counted. */
FILE *__wrap_open_memstream(char **text, size_t *n) { return fails() ? NULL : __real_open_memstream(text, n); }

static uint32_t n_live(void)
{
    uint32_t n = 0;
    for (int i = 0; i < MOST_LIVE; i++)
        n += live[i] != NULL;
    return n;
}

/* `what` returns -1 as long as one of its allocations fails; `again` looks at what it did when none did. Returns how many failed. */
static uint64_t each_fails(int (*what)(void))
{
    uint32_t before = n_live();
    int said = -1;
    uint64_t at;
    for (at = 1; said; at++) {
        n_calls = 0, fail_at = at;
        said = what();
        CHECK_MSG(said == (n_calls >= at ? -1 : 0), "allocation %llu of %llu: %d", (unsigned long long)at,
                  (unsigned long long)n_calls, said);
        CHECK_MSG(n_live() == before, "allocation %llu: something is kept", (unsigned long long)at);
    }
    fail_at = 0;
    return at - 2;
}

/* ---- planners ---- */

static share_task tasks[16];
static uint32_t n_tasks;
static share_policy policy;
static share_state now = {.row = 12, .slack_percent = SHARE_SLACK_PERCENT};

static void make_tasks(uint32_t n, uint64_t *state)
{
    n_tasks = n;
    for (uint32_t i = 0; i < n; i++)
        tasks[i] = (share_task){.s_ns = 1 + check_below(state, 1000),
                                .p_ns = 1 + check_below(state, 1000),
                                .r_ns = 1 + check_below(state, 1000),
                                .age = i,
                                .is_known = 1};
}

static uint32_t order[16], right_order[16];

static int plan(void)
{
    int failed = share_order(policy, tasks, n_tasks, &now, order);
    CHECK(failed || !memcmp(order, right_order, sizeof order));
    return failed;
}

static int rank(void)
{
    share_task mine[16];
    uint32_t places = 0;
    memcpy(mine, tasks, sizeof mine);
    if (!share_rank(policy, mine, n_tasks, &now, &places, order))
        return 0;
    CHECK(!places); /* nobody has a place that was not planned */
    return -1;
}

/* Fronts that are longer than the room which exact begins with: there it asks for more. */
static void make_long_fronts(uint64_t *state)
{
    for (int i = 0; i < 200; i++) {
        make_tasks(12, state);
        n_calls = 0;
        CHECK(!share_order(SHARE_POLICY_EXACT, tasks, n_tasks, &now, order));
        if (n_calls > 3)
            return;
    }
    CHECK_MSG(0, "no long front was found");
}

static void of_planners(void)
{
    static const share_policy of[] = {SHARE_POLICY_EXACT, SHARE_POLICY_DP, SHARE_POLICY_DP_PRINTED};
    uint64_t state = check_seed(31), n = 0;
    for (int i = 0; i < 3; i++) {
        policy = of[i];
        if (policy == SHARE_POLICY_EXACT)
            make_long_fronts(&state);
        else
            make_tasks(8, &state);
        CHECK(!share_order(policy, tasks, n_tasks, &now, right_order));
        n = each_fails(plan);
        CHECK_MSG(n == (policy == SHARE_POLICY_EXACT ? 4 : 1), "%s: %llu", share_policy_word(policy),
                  (unsigned long long)n);
        CHECK(each_fails(rank) == n);
    }
    policy = SHARE_POLICY_BF; /* it needs none */
    now.row = 6;
    make_tasks(6, &state);
    CHECK(!share_order(policy, tasks, n_tasks, &now, right_order) && each_fails(plan) == 0);
    now.row = 12;
}

/* ---- the daemon's ranks ---- */

static share_arbiter arbiter;

static void of_ranks(share_policy with)
{
    const share_rules rules = {.policy = with, .row = 9, .patience_ns = 2000000000u};
    const share_expected known = {1 << 20, 1 << 20, 1000000, 1, 0};
    int client[4];
    share_arbiter_init(&arbiter, &rules);
    for (uint32_t i = 0; i < 4; i++) {
        client[i] = share_arbiter_join(&arbiter, SHARE_NORMAL);
        share_arbiter_use(&arbiter, (uint32_t)client[i], 0);
    }
    n_calls = 0, fail_at = 1;
    for (uint32_t i = 0; i < 4; i++) {
        share_ask a = {.client = (uint32_t)client[i],
                       .seq = i + 1,
                       .call = i + 1,
                       .slot = -1,
                       .n_bytes = 1 << 20,
                       .expected = known};
        share_arbiter_ask(&arbiter, &a, 1, 1000 + i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const share_ask *h = share_arbiter_holder(&arbiter, 0, 0);
        CHECK_MSG(h, "the link is idle while %u wait", 4 - i);
        fail_at = n_calls + 1;
        share_arbiter_end(&arbiter, h->client, h->seq, 1 << 20, 2000 + i);
        arbiter.n_decisions = 0;
    }
    CHECK_MSG(n_calls || with == SHARE_POLICY_BF, "nothing was planned");
    CHECK(!share_arbiter_holder(&arbiter, 0, 0) && !n_live());
    fail_at = 0;
}

/* ---- files ---- */

static char folder[] = "/tmp/share-shortage.XXXXXX", path[64];
static share_why why;
static const char *sentence; /* what a failure says */

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

static int said(int failed)
{
    CHECK_MSG(!failed || strstr(why.text, sentence), "says '%s'", why.text);
    why.text[0] = 0;
    return failed;
}

static int replay(void)
{
    char *const paths[] = {path};
    const share_replay_options o = {.paths = paths,
                                    .n_paths = 1,
                                    .policies = 1u << SHARE_POLICY_EXACT | 1u << SHARE_POLICY_DP |
                                                1u << SHARE_POLICY_FIFO | 1u << SHARE_POLICY_BF,
                                    .row_first = 3,
                                    .row_last = 3,
                                    .n_orders = 2,
                                    .slack_percent = 2,
                                    .gb_per_s = 50};
    FILE *out = fopen("/dev/null", "w");
    int failed = share_replay_file(&o, out, &why);
    fclose(out);
    return said(failed);
}

static int profile(void)
{
    FILE *out = fopen("/dev/null", "w");
    int failed = share_profile_file(path, out, &why);
    fclose(out);
    return said(failed);
}

static void of_files(void)
{
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/tasks", folder);
    write_file("a 7x27 0.5 -\nb 2x27,3.25 9 40\nc 20 15 20\na 10 1 1\n");
    sentence = "emory";
    CHECK(each_fails(replay) > 20);
    CHECK(each_fails(profile) > 5);
#ifdef HEDDLE_HAVE_JANSSON
    write_file("{\"heddle_share\": 1, \"tasks\": [{\"program\": \"a\", \"in_ns\": [5, 7], \"kernels_ns\": 9},"
               " {\"program\": \"b\", \"out_ns\": [1000000]}], \"kernels\": [{\"name\": \"k\", \"block\": 32,"
               " \"blocks\": 7, \"n\": 2, \"ns\": 99}]}");
    CHECK(each_fails(profile) > 5); /* without those of jansson itself */
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    sentence = ""; /* it has its own for them */
    CHECK(each_fails(profile) > 30);
    json_set_alloc_funcs(__real_malloc, __real_free);
#endif
}

static share_history history;

static int read_history(void)
{
    int failed = share_history_read(&history, path, &why);
    CHECK_MSG(!access(path, F_OK), "a good file was set aside: %s", why.text);
    return said(failed);
}

static int write_history(void)
{
    struct stat before, after;
    int failed;
    CHECK(!stat(path, &before));
    failed = share_history_write(&history, path, &why);
    CHECK(!stat(path, &after) && (before.st_ino == after.st_ino) == (failed != 0));
    return said(failed);
}

static void of_history(void)
{
    write_file("heddle share history 3\nend 0\n");
    sentence = "memory";
    CHECK(each_fails(read_history) == 1);
    CHECK(each_fails(write_history) == 1);
    unlink(path);
}

/* ---- the daemon ---- */

static int report(void)
{
    static share_peer *const nobody[SHARE_MOST_CLIENTS];
    static const share_memory memory;
    static const share_idle idle;
    const share_report_input in = {
        .arbiter = &arbiter, .memory = &memory, .idle = &idle, .peer_of = nobody, .unseen = "", .mps = ""};
    char *text = share_report(&in, 0);
    CHECK(!text || strstr(text, "policy bf"));
    free(text);
    return text ? 0 : -1;
}

/* From its begin to its end: it is asked to end before it waits for the first time. */
static int serve(void)
{
    const share_rules rules = {.policy = SHARE_POLICY_EXACT, .row = 9, .patience_ns = 2000000000u};
    sigset_t term;
    int ends[2], failed;
    CHECK(!pipe(ends) && !sigemptyset(&term) && !sigaddset(&term, SIGTERM) && !sigprocmask(SIG_BLOCK, &term, NULL));
    raise(SIGTERM);
    failed = share_daemon_serve(ends[0], &rules, path, "", &why);
    close(ends[1]);
    if (failed)
        close(ends[0]);
    return said(failed);
}

/* Of the daemon's three the first one is needed. */
static void of_daemon(void)
{
    static const char kept[] = "heddle share history 2\npeak\t0000000000000007\t100\t3\nend 1\n";
    char text[sizeof kept] = "", file[64];
    snprintf(file, sizeof file, "%s/heddle/share-history", folder);
    CHECK(!setenv("XDG_RUNTIME_DIR", folder, 1) && !setenv("XDG_CACHE_HOME", folder, 1));
    snprintf(path, sizeof path, "%s/heddle", folder);
    CHECK(!mkdir(path, 0700));
    snprintf(path, sizeof path, "%s", file);
    write_file(kept);
    snprintf(path, sizeof path, "%s/trace", folder);
    sentence = "memory for the daemon";
    for (uint64_t at = 1; at <= 4; at++) {
        FILE *f;
        n_calls = 0, fail_at = at;
        CHECK_MSG(serve() == (at == 1 ? -1 : 0), "allocation %llu", (unsigned long long)at);
        CHECK_MSG(n_calls == (at == 1 ? 1 : 3) && !n_live(), "allocation %llu of %llu", (unsigned long long)at,
                  (unsigned long long)n_calls);
        CHECK_MSG(!access(path, F_OK) == (at == 2 || at == 4), "allocation %llu: the trace", (unsigned long long)at);
        unlink(path);
        f = fopen(file, "r");
        CHECK(f && fread(text, 1, sizeof text, f) == sizeof kept - 1 && !strcmp(text, kept) && !fclose(f));
    }
    fail_at = 0;
    unlink(file);
    snprintf(path, sizeof path, "%s/heddle", folder);
    CHECK(!rmdir(path) && !rmdir(folder));
}

int main(void)
{
    of_planners();
    of_ranks(SHARE_POLICY_EXACT);
    of_ranks(SHARE_POLICY_DP);
    of_ranks(SHARE_POLICY_BF);
    of_files();
    of_history();
    CHECK(each_fails(report) == 1);
    of_daemon();
    puts("right");
    return 0;
}
