/* SPDX-License-Identifier: MIT */
/* trouble.c - devices that are lost, hang or slow down at every k-th action; bodies that fail; loops that are cancelled, wait for one
 * another, or have nobody left: what is not done then is told. Whatever ends well has the bytes of plain loops.
 *
 * HEDDLE_ACTIONS: up to which action (40). --cuda: with a GPU in the fleet. */
#include "loop/cases.h"

#include <inttypes.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *gpu = "";

static heddle_fleet *open_fleet(const char *format, uint32_t k)
{
    char words[256], all[320];
    heddle_fleet *f = NULL;
    (void)snprintf(words, sizeof words, format, k);
    (void)snprintf(all, sizeof all, "%s %s", words, strcmp(words, "serial") ? gpu : "");
    CHECK_OK(NULL, heddle_fleet_open(&f, all, NULL));
    return f;
}

static void open_rig(looped_rig *r, const char *words, const looped_case *c)
{
    heddle_fleet *f = NULL;
    CHECK_OK(NULL, heddle_fleet_open(&f, words, NULL));
    CHECK_OK(NULL, looped_open(r, f, c));
}

static void close_rig(looped_rig *r)
{
    looped_close(r);
    heddle_fleet_close(r->fleet);
}

static void check_bytes(const looped_rig *r, const looped_case *c, const char *what, uint32_t k)
{
    const looped_bytes want = looped_plain(c), got = looped_take(r);
    CHECK_MSG(want.n == got.n && !memcmp(want.at, got.at, want.n), "%s at action %u, body %u", what, k, c->body);
    free(want.at);
    free(got.at);
}

/* ---- lost, hanging, slow ----------------------------------------------------------------------------------------------- */

static int is_lost(const heddle_fleet *f, uint32_t unit)
{
    heddle_fleet_unit u = HEDDLE_UNIT_INIT;
    CHECK_OK(NULL, heddle_fleet_get_unit(f, unit, &u));
    return (int)u.is_lost;
}

/* Results that the loop also reads were on their way home. */
static int was_spoilt(heddle_status s, uint32_t body)
{
    return s == HEDDLE_EDEVICE && (body == looped_turn || body == looped_columns || body == looped_parts) &&
           strstr(heddle_error_text(NULL), "also reads");
}

static uint32_t n_late; /* runs that ended so: */

/* Results are on their way home, for all that is known: the device hangs. */
static int may_come_late(heddle_status s, const char *what)
{
    return s == HEDDLE_EDEVICE && !strcmp(what, "hang") &&
           strstr(heddle_error_text(NULL), "may still write the results");
}

/* The lines tell of cuts, and of what others ran again. */
static void check_told(const looped_rig *r)
{
    heddle_loop_stats stats = HEDDLE_LOOP_STATS_INIT;
    const char *how = heddle_loop_how(r->loop);
    CHECK_OK(NULL, heddle_loop_get_stats(r->loop, &stats));
    CHECK_MSG((stats.n_cuts > 0) == (strstr(how, " cuts: units with nothing left") != NULL), "%s", how);
    CHECK_MSG((stats.n_again > 0) == (strstr(how, " indices that it had begun") != NULL), "%s", how);
}

/* A second run goes on without the device. Returns 1 if it was lost. */
static int lose_at(const char *what, uint32_t k, uint32_t body, uint64_t n, heddle_split way)
{
    const looped_case c = {body, n, 0, 50, 1, way, 5 + k};
    char words[128];
    heddle_fleet *f;
    looped_rig r;
    heddle_status s;
    int run, lost;
    (void)snprintf(words, sizeof words, "virtual:%s=%%u cpu:1", what);
    f = open_fleet(words, k);
    CHECK_OK(NULL, looped_open(&r, f, &c));
    for (run = 0; run < 2; run++) {
        looped_fill(&r, &c);
        s = heddle_loop_run(r.loop, &r.params, sizeof r.params);
        CHECK_MSG(s == HEDDLE_OK || was_spoilt(s, body) || may_come_late(s, what), "%s", heddle_error_text(NULL));
        if (s == HEDDLE_OK)
            check_bytes(&r, &c, what, k);
        n_late += may_come_late(s, what);
        check_told(&r);
    }
    lost = is_lost(f, 0);
    CHECK(!lost || strstr(heddle_loop_how(r.loop), "lost"));
    looped_close(&r);
    heddle_fleet_close(f);
    return lost;
}

static void check_losses(uint32_t n_actions)
{
    static const struct {
        uint32_t body;
        uint64_t n;
    } bodies[] = {{looped_price, 20000},
                  {looped_turn, 20000},
                  {looped_find, 20000},
                  {looped_columns, 2000},
                  {looped_parts, 2000}};
    const uint32_t n_bodies = sizeof bodies / sizeof *bodies;
    uint32_t k, b, n_lost = 0, n_hung = 0;
    for (k = 1; k <= n_actions; k++)
        for (b = 0; b < n_bodies; b++)
            n_lost += (uint32_t)lose_at("fail", k, bodies[b].body, bodies[b].n, HEDDLE_SPLIT_CUT);
    for (k = 1; k <= n_actions; k += 7)
        n_hung += (uint32_t)lose_at("hang", k, looped_price, 3000000,
                                    HEDDLE_SPLIT_CUT); /* long enough for the device to get something */
    printf("lost %u times of %u, after hanging %u times of %u\n", n_lost, n_bodies * n_actions, n_hung,
           (n_actions + 6) / 7);
    CHECK(n_lost > 0 && n_hung > 0 && n_late < (n_actions + 6) / 7); /* each ran twice */
}

/* Of two equal devices one is ten times as slow from its eighth slice or so on. It gets less and less, and has a tenth of the loop when both
 * have ended together. In a way that does not look at speeds it has half. */
static int is_slow_told(void)
{
    const looped_case c = {looped_price, 2000000, 0, 100, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_loop_unit slow = HEDDLE_LOOP_UNIT_INIT, other = HEDDLE_LOOP_UNIT_INIT;
    looped_rig r;
    int is_told;
    open_rig(&r, "virtual:link=40e6,slow=30 virtual:link=40e6", &c);
    looped_fill(&r, &c);
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    check_bytes(&r, &c, "slow", 30);
    check_told(&r);
    CHECK_OK(NULL, heddle_loop_get_unit(r.loop, 0, &slow));
    CHECK_OK(NULL, heddle_loop_get_unit(r.loop, 1, &other));
    CHECK_MSG(!is_lost(r.fleet, 0), "%s", heddle_loop_how(r.loop));
    is_told = slow.n_slices > 8 && slow.n_indices < c.n / 4 && (double)slow.end_ns < 2.0 * (double)other.end_ns;
    if (!is_told)
        printf("%s\n", heddle_loop_how(r.loop));
    close_rig(&r);
    return is_told;
}

/* On a busy machine a device's thread may be held up. */
static void check_slow(void)
{
    int n = 0;
    while (n < 5 && !is_slow_told())
        n++;
    CHECK(n < 5);
}

/* Lost under each way to divide. */
static void check_ways(void)
{
    uint32_t way, k, n_lost = 0;
    for (way = 0; way < HEDDLE_N_SPLITS; way++)
        for (k = 1; k <= 16u; k += 3)
            n_lost += (uint32_t)lose_at("fail", k, k % 2u ? looped_price : looped_turn, 300000, (heddle_split)way);
    CHECK_MSG(n_lost > HEDDLE_N_SPLITS, "%u", n_lost);
}

/* No slice but the last is shorter than what the device runs side by side: 2,560 threads in teams of 256 are 10 tiles. */
static void check_least(void)
{
    const looped_case c = {looped_price, 100000, 0, 50, 1, HEDDLE_SPLIT_HGUIDED, 5};
    heddle_loop_slice slices[200];
    uint64_t i, n = 0;
    looped_rig r;
    heddle_fleet *f = NULL;
    CHECK_OK(NULL, heddle_fleet_open(&f, "virtual:least=2560", NULL));
    CHECK_OK(NULL, looped_open_more(&r, f, &c, 0, 1000));
    looped_fill(&r, &c);
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    CHECK_OK(NULL, heddle_loop_get_slices(r.loop, slices, 200, &n));
    CHECK(n > 1 && n <= 200);
    for (i = 0; i < n; i++)
        CHECK_MSG(slices[i].end - slices[i].begin >= 500 || slices[i].end == c.n, "%" PRIu64 " to %" PRIu64,
                  slices[i].begin, slices[i].end);
    close_rig(&r);
}

/* A device that answers after some tenths of a second: the cores do not wait for it. When it has answered, it takes part again. */
static void check_silent(void)
{
    const looped_case c = {looped_price, 3000000, 0, 100, 1, HEDDLE_SPLIT_CUT, 5};
    const struct timespec long_enough = {2, 0};
    heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
    looped_rig r;
    int time, n_runs, is_silent;
    open_rig(&r, "virtual:latency=0.1 cpu:1", &c);
    for (time = 0; time < 2; time++) {
        /* On a busy machine the core may be done before the device's thread wakes, or take as long as that. */
        for (n_runs = is_silent = 0; n_runs < 500 && !is_silent; n_runs++) {
            looped_fill(&r, &c);
            CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
            check_bytes(&r, &c, "a silent device", 0);
            CHECK_OK(NULL, heddle_loop_get_unit(r.loop, 0, &u));
            is_silent = u.bytes_in > 0 && is_lost(r.fleet, 0);
        }
        CHECK_MSG(is_silent, "time %d: %s", time, heddle_loop_how(r.loop));
        (void)nanosleep(&long_enough, NULL);
    }
    close_rig(&r);
}

/* A device that never answers, and nobody knows how long it should take. */
static void check_limit(void)
{
    const looped_case c = {looped_price, 20000, 0, 50, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_fleet *f = NULL;
    looped_rig r;
    CHECK_OK(NULL, heddle_fleet_open(&f, "virtual:hang=1", NULL));
    CHECK_OK(NULL, looped_open_more(&r, f, &c, 400, 0));
    CHECK_OK(NULL, heddle_loop_start(r.loop, &r.params, sizeof r.params));
    CHECK(heddle_loop_wait(r.loop, 1) == HEDDLE_EBUSY && !*heddle_loop_how(r.loop));
    CHECK(heddle_array_wrote(r.a, 0, 1) == HEDDLE_EBUSY && heddle_array_wrote(r.c, 0, 1) == HEDDLE_EBUSY);
    CHECK_MSG(strstr(heddle_error_text(NULL), "a running loop or wavefront has the array"), "%s",
              heddle_error_text(NULL));
    CHECK_OK(NULL, heddle_array_wrote(r.turned, 0, 1)); /* which it does not have */
    CHECK(heddle_loop_wait(r.loop, HEDDLE_FOREVER) == HEDDLE_EDEVICE);
    CHECK_MSG(strstr(heddle_loop_how(r.loop), "time limit of 400 ms"), "%s", heddle_loop_how(r.loop));
    CHECK_OK(NULL, heddle_array_wrote(r.a, 0, 1));
    close_rig(&r);
}

/* Of a loop that brings a whole array first, that copy has the limit, too. 0: the device's thread was held up, and others had run all before. */
static int has_limit_of_all(void)
{
    const looped_case c = {looped_find, 20000, 0, 50, 1, HEDDLE_SPLIT_STATIC, 5};
    heddle_fleet *f = NULL;
    looped_rig r;
    int has;
    CHECK_OK(NULL, heddle_fleet_open(&f, "cpu:1 virtual:hang=1", NULL));
    CHECK_OK(NULL, looped_open_more(&r, f, &c, 100, 0));
    looped_fill(&r, &c);
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    has = strstr(heddle_loop_how(r.loop), "time limit of 100 ms") != NULL;
    CHECK_MSG(has || strstr(heddle_loop_how(r.loop), "does not answer"), "%s", heddle_loop_how(r.loop));
    check_bytes(&r, &c, "a limit", 1);
    close_rig(&r);
    return has;
}

static void check_limit_of_all(void)
{
    int n = 0;
    while (!has_limit_of_all())
        CHECK(++n < 10);
}

/* A loop that stands in line while the one before it loses a device. */
static void check_in_line(void)
{
    looped_case c = {looped_price, 20000, 0, 50, 1, HEDDLE_SPLIT_STATIC, 5};
    for (int i = 0; i < HEDDLE_N_SPLITS; i++) {
        heddle_fleet *f = NULL;
        looped_rig first, second;
        c.split = (heddle_split)i;
        CHECK_OK(NULL, heddle_fleet_open(&f, "cpu:2 virtual:fail=3", NULL));
        CHECK_OK(NULL, looped_open(&first, f, &c));
        CHECK_OK(NULL, looped_open(&second, f, &c));
        looped_fill(&first, &c);
        looped_fill(&second, &c);
        CHECK_OK(NULL, heddle_loop_start(first.loop, &first.params, sizeof first.params));
        CHECK_OK(NULL, heddle_loop_start(second.loop, &second.params, sizeof second.params));
        CHECK_OK(NULL, heddle_loop_wait(first.loop, HEDDLE_FOREVER));
        CHECK_OK(NULL, heddle_loop_wait(second.loop, HEDDLE_FOREVER));
        check_bytes(&first, &c, heddle_split_name(c.split), 3);
        check_bytes(&second, &c, heddle_split_name(c.split), 3);
        looped_close(&first);
        close_rig(&second);
    }
}

/* ---- what is left ------------------------------------------------------------------------------------------------------ */

enum { DONE, LEFT, SPOILT };

/* Of a loop that turns numbers: those that are done have been turned once, others are as they were, and of spoilt ones nothing is known. */
static void check_turned(const looped_rig *r, const looped_case *c, const looped_bytes *before, uint64_t begin,
                         uint64_t end, int state)
{
    const looped_bytes want = looped_plain(c), got = looped_take(r);
    const size_t row = LOOPED_EACH * sizeof(uint64_t), at = r->c_bytes + begin * row, n = (end - begin) * row;
    CHECK(at + n <= got.n && want.n == got.n);
    if (state != SPOILT)
        CHECK_MSG(!memcmp(got.at + at, (state == DONE ? &want : before)->at + at, n),
                  "indices %" PRIu64 " to %" PRIu64 ", of state %d", begin, end, state);
    free(want.at);
    free(got.at);
}

/* Returns how many indices are left; *n_spoilt: intervals. */
static uint64_t check_left(const looped_rig *r, const looped_case *c, const looped_bytes *before, uint64_t *n_spoilt)
{
    heddle_loop_left x = HEDDLE_LOOP_LEFT_INIT;
    uint64_t i, at = 0, n = 0;
    heddle_status s;
    *n_spoilt = 0;
    for (i = 0; (s = heddle_loop_get_left(r->loop, i, &x)) == HEDDLE_OK; i++) {
        CHECK(x.begin >= at && x.begin < x.end && x.end <= c->n && x.begin % c->tile == 0);
        CHECK(x.end % c->tile == 0 || x.end == c->n);
        check_turned(r, c, before, at, x.begin, DONE);
        check_turned(r, c, before, x.begin, x.end, x.is_spoilt ? SPOILT : LEFT);
        *n_spoilt += x.is_spoilt;
        n += x.end - x.begin;
        at = x.end;
    }
    CHECK_MSG(s == HEDDLE_ERANGE, "%s", heddle_error_text(NULL));
    check_turned(r, c, before, at, c->n, DONE);
    return n;
}

/* Nobody is left, or results were on their way home: all intervals that are not done are told, and only these. Returns how many
 * intervals are spoilt. */
static uint64_t check_last(const char *devices, uint32_t k)
{
    const looped_case c = {looped_turn, 20030, 0, 50, 1, HEDDLE_SPLIT_GUIDED, 5};
    heddle_fleet *f = open_fleet(devices, k);
    looped_bytes before;
    looped_rig r;
    uint64_t n_left, n_spoilt;
    heddle_status s;
    CHECK_OK(NULL, looped_open(&r, f, &c));
    looped_fill(&r, &c);
    before = looped_take(&r);
    s = heddle_loop_run(r.loop, &r.params, sizeof r.params);
    CHECK_MSG(s == HEDDLE_OK || s == HEDDLE_EDEVICE, "%s", heddle_error_text(NULL));
    n_left = check_left(&r, &c, &before, &n_spoilt);
    CHECK((s == HEDDLE_OK) == (n_left == 0));
    free(before.at);
    close_rig(&r);
    return n_spoilt;
}

/* Two runs of a fleet that has lost all: the second one does nothing. */
static void check_nobody(void)
{
    const looped_case c = {looped_price, 20000, 0, 50, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_loop_left x = HEDDLE_LOOP_LEFT_INIT;
    looped_rig r;
    int run;
    open_rig(&r, "virtual:fail=9 virtual:fail=11", &c);
    CHECK(heddle_loop_get_left(r.loop, 0, &x) == HEDDLE_ERANGE); /* it has not run */
    looped_fill(&r, &c);
    for (run = 0; run < 2; run++) {
        CHECK(heddle_loop_run(r.loop, &r.params, sizeof r.params) == HEDDLE_EDEVICE);
        CHECK_MSG(strstr(heddle_error_text(NULL), "no device is left"), "%s", heddle_error_text(NULL));
        CHECK_OK(NULL, heddle_loop_get_left(r.loop, 0, &x));
        CHECK(!x.is_spoilt && (!run || (x.begin == 0 && x.end == c.n)));
    }
    CHECK_MSG(strstr(heddle_error_text(NULL), "0 of 20000 indices are done, and 1 intervals are not, 0 to 19999"), "%s",
              heddle_error_text(NULL));
    CHECK(heddle_loop_get_left(NULL, 0, &x) == HEDDLE_EINVAL && heddle_loop_get_left(r.loop, 0, NULL) == HEDDLE_EINVAL);
    close_rig(&r);
}

static void check_ranges(void)
{
    uint64_t n_spoilt = 0;
    uint32_t k;
    for (k = 1; k <= 40u; k++) {
        n_spoilt += check_last("virtual:fail=%u", k);
        n_spoilt += check_last("2*virtual:fail=%u", k);
        n_spoilt += check_last("virtual:fail=%u cpu:1", k);
    }
    CHECK(n_spoilt > 0);
    check_nobody();
}

/* ---- a GPU that breaks --------------------------------------------------------------------------------------------------- */

/* A body that traps ends its GPU's context. One fleet runs it; another one was opened before, in the same process. */
typedef struct trapping {
    const char *devices, *others; /* others: or NULL */
    uint32_t n_trapped;           /* of the fleet's first units */
} trapping;

static const trapping trappings[] = {
    {"cuda:0 cpu:2", NULL, 1},        {"2*cuda:0/2 cpu:2", NULL, 2}, {"cuda:0/2 cpu:2", "cuda:0/2", 1},
    {"cuda:0 cuda:1 cpu:2", NULL, 1}, {"cuda:0 cpu:2", "cuda:1", 1},
};

/* The cores finish the loop, and run the next one. */
static void trap(looped_rig *r, const looped_case *c, const trapping *t)
{
    for (uint32_t run = 0; run < 2; run++) {
        looped_fill(r, c);
        r->params.fail_at = 1000;
        CHECK_OK(NULL, heddle_loop_run(r->loop, &r->params, sizeof r->params));
        check_bytes(r, c, "after a trap", 0);
        CHECK(is_lost(r->fleet, 0));
        printf("%s, run %u of the trap: %s", t->devices, run, heddle_loop_how(r->loop));
    }
    for (uint32_t unit = 1; unit < t->n_trapped; unit++)
        CHECK(is_lost(r->fleet, unit));
}

/* What another fleet can still do, is printed; if its loop ends well, it has the right bytes. */
static void run_others(looped_rig *r, const looped_case *c, const char *devices, const char *when)
{
    heddle_status s;
    looped_fill(r, c);
    r->params.fail_at = UINT64_MAX;
    s = heddle_loop_run(r->loop, &r->params, sizeof r->params);
    printf("%s, %s: %s: %s\n", devices, when, heddle_status_text(s), s ? heddle_error_text(NULL) : "");
    if (s == HEDDLE_OK)
        check_bytes(r, c, when, 0);
}

/* A fleet that is opened after the trap. */
static void open_anew(const char *devices)
{
    heddle_fleet *f = NULL;
    const heddle_status s = heddle_fleet_open(&f, devices, NULL);
    printf("%s, opened after the trap: %s: %s\n", devices, heddle_status_text(s), s ? heddle_error_text(NULL) : "");
    heddle_fleet_close(f);
}

static void trap_beside(const trapping *t)
{
    const looped_case c = {looped_trap, 3000000, 0, 100, 1, HEDDLE_SPLIT_CUT, 5};
    looped_rig trapped, others;
    if (t->others) {
        open_rig(&others, t->others, &c);
        run_others(&others, &c, t->others, "before the trap");
    }
    open_rig(&trapped, t->devices, &c);
    trap(&trapped, &c, t);
    if (t->others)
        run_others(&others, &c, t->others, "after the trap");
    close_rig(&trapped); /* does not hang */
    if (t->others)
        close_rig(&others);
    open_anew("cuda:0");
}

static int has_second_gpu(void)
{
    heddle_device d = HEDDLE_DEVICE_INIT;
    return heddle_device_get(HEDDLE_CUDA, 1, &d) == HEDDLE_OK;
}

static int needs_second_gpu(const trapping *t)
{
    return strstr(t->devices, "cuda:1") || (t->others && strstr(t->others, "cuda:1"));
}

/* In a child, because the fault stays with the process, and before this process asks for a GPU, which a child cannot take over. */
static void check_trap(const trapping *t)
{
    int status = 0;
    pid_t child;
    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    if (!child) {
        (void)alarm(30);
        if (!heddle_backend_is_present(HEDDLE_CUDA))
            _exit(77);
        if (needs_second_gpu(t) && !has_second_gpu())
            printf("%s, others %s: not tried, there is one GPU\n", t->devices, t->others ? t->others : "none");
        else
            trap_beside(t);
        fflush(stdout);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP("no GPU here");
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the child's status is %d", t->devices, status);
}

/* ---- failing bodies ---------------------------------------------------------------------------------------------------- */

static void check_failing(const char *devices)
{
    const looped_case c = {looped_fail, 30000, 0, 100, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_fleet *f = open_fleet(devices, 0);
    heddle_loop_left left = HEDDLE_LOOP_LEFT_INIT;
    looped_rig r;
    int run;
    CHECK_OK(NULL, looped_open(&r, f, &c));
    for (run = 0; run < 3; run++) {
        looped_fill(&r, &c);
        if (run != 1) {
            r.params.fail_at = 12345;
            r.params.fail_at_too = run ? 29999 : UINT64_MAX;
            CHECK(heddle_loop_run(r.loop, &r.params, sizeof r.params) == HEDDLE_EBODY);
            CHECK_MSG(heddle_loop_get_left(r.loop, 0, &left) == HEDDLE_EINVAL, "%s", heddle_error_text(NULL));
            CHECK_MSG(heddle_loop_wait(r.loop, 0) == HEDDLE_EBODY && strstr(heddle_error_text(NULL), "code 7") &&
                          (strstr(heddle_error_text(NULL), "index 12345 ") ||
                           strstr(heddle_error_text(NULL), "index 29999 ")),
                      "%s", heddle_error_text(NULL));
            continue;
        }
        CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params)); /* it can be run again */
        check_bytes(&r, &c, "after a failure", 0);
    }
    close_rig(&r);
}

/* A child has none of the parent's threads: it is told so, and frees nothing. */
static void check_fork(void)
{
    const looped_case c = {looped_price, 2000, 0, 50, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_fleet *f = open_fleet("virtual: cpu:1", 0);
    heddle_loop_stats stats = HEDDLE_LOOP_STATS_INIT;
    looped_rig r;
    int status = 0;
    pid_t child;
    CHECK_OK(NULL, looped_open(&r, f, &c));
    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    if (!child) {
        const heddle_status s = heddle_loop_run(r.loop, &r.params, sizeof r.params);
        (void)alarm(20);
        if (heddle_loop_wait(r.loop, HEDDLE_FOREVER) != HEDDLE_EDEVICE)
            _exit(4);
        if (heddle_loop_get_stats(r.loop, &stats) != HEDDLE_EDEVICE || *heddle_loop_how(r.loop) ||
            heddle_loop_write_trace(r.loop, "loop_trouble_fork.json") != HEDDLE_EDEVICE)
            _exit(5);
        heddle_loop_cancel(r.loop);
        heddle_loop_free(r.loop);
        heddle_fleet_close(f);
        _exit(s == HEDDLE_EDEVICE && strstr(heddle_error_text(NULL), "forked") ? 0 : 3);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close_rig(&r);
}

/* ---- traces ------------------------------------------------------------------------------------------------------------- */

/* A trace with room for one event a row says what is missing; slices are counted all the same. */
static void check_few(heddle_fleet *f, const looped_case *c)
{
    static const char json[] = "loop_trouble_few.json";
    heddle_loop_stats stats = HEDDLE_LOOP_STATS_INIT;
    char tasks[64];
    looped_rig r;
    CHECK_OK(NULL, looped_open_more(&r, f, c, 0, 1));
    looped_fill(&r, c);
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    CHECK_OK(NULL, heddle_loop_get_stats(r.loop, &stats));
    CHECK_OK(NULL, heddle_loop_write_trace(r.loop, json));
    (void)snprintf(tasks, sizeof tasks, "\"tasks\":%d,", (int)stats.n_slices);
    CHECK_MSG(looped_count_in(json, tasks) == 1 && looped_count_in(json, "\"dropped\":0,") == 0, "%s", tasks);
    CHECK(!remove(json));
    looped_close(&r);
}

/* Slices of the core are one event, those of the device three, each in two rows. */
static void check_trace(void)
{
    static const char json[] = "loop_trouble.json", svg[] = "loop_trouble.svg";
    const looped_case c = {looped_price, 20000, 0, 50, 1, HEDDLE_SPLIT_GUIDED, 5};
    heddle_fleet *f = NULL;
    heddle_loop_stats stats = HEDDLE_LOOP_STATS_INIT;
    heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
    looped_rig r;
    CHECK_OK(NULL, heddle_fleet_open(&f, "virtual: cpu:1", NULL));
    CHECK_OK(NULL, looped_open_more(&r, f, &c, 0, 1000));
    looped_fill(&r, &c);
    CHECK(heddle_loop_write_timeline(r.loop, svg, NULL) == HEDDLE_EINVAL); /* it has not run */
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    CHECK_OK(NULL, heddle_loop_write_trace(r.loop, json));
    CHECK_OK(NULL, heddle_loop_write_timeline(r.loop, svg, NULL));
    CHECK_OK(NULL, heddle_loop_get_stats(r.loop, &stats));
    CHECK_OK(NULL, heddle_loop_get_unit(r.loop, 0, &u));
    CHECK_MSG(looped_count_in(json, "\"begin\":") == (int)(stats.n_slices + 5 * u.n_slices),
              "%d events, %d slices, %d in queues", looped_count_in(json, "\"begin\":"), (int)stats.n_slices,
              (int)u.n_slices);
    CHECK(looped_count_in(json, "virtual:0, queue 1") > 0 && looped_count_in(svg, "<rect") > 0);
    CHECK(looped_count_in(svg, ">virtual:0, link in<") == 1 && looped_count_in(svg, ">cpu:0<") == 1);
    CHECK(looped_count_in(svg, " on 7 rows ") == 1 && looped_count_in(json, "\"dropped\":0,") == 1);
    check_few(f, &c);
    CHECK(!remove(json) && !remove(svg));
    looped_close(&r);
    CHECK_OK(NULL, looped_open(&r, f, &c));
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    CHECK(heddle_loop_write_trace(r.loop, json) == HEDDLE_EINVAL); /* it has no trace */
    close_rig(&r);
}

/* ---- cancelling, waiting, turns ---------------------------------------------------------------------------------------- */

static void *cancel(void *loop)
{
    heddle_loop_cancel(loop);
    return NULL;
}

static void check_cancel(void)
{
    const looped_case c = {looped_turn, 1000000, 0, 10, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_fleet *f = open_fleet("virtual:speed=0.1 cpu:1", 0);
    looped_bytes before;
    looped_rig r;
    int run, n_canceled = 0;
    CHECK_OK(NULL, looped_open(&r, f, &c));
    looped_fill(&r, &c);
    before = looped_take(&r);
    for (run = 0; run < 8; run++) {
        pthread_t t;
        heddle_status s;
        uint64_t n_left, n_spoilt;
        looped_fill(&r, &c);
        CHECK_OK(NULL, heddle_loop_start(r.loop, &r.params, sizeof r.params));
        CHECK(heddle_loop_start(r.loop, &r.params, sizeof r.params) == HEDDLE_EBUSY);
        CHECK(!pthread_create(&t, NULL, cancel, r.loop));
        s = heddle_loop_wait(r.loop, HEDDLE_FOREVER);
        (void)pthread_join(t, NULL);
        CHECK_MSG(s == HEDDLE_OK || s == HEDDLE_ECANCELED, "%s", heddle_error_text(NULL));
        n_left = check_left(&r, &c, &before, &n_spoilt);
        CHECK((s == HEDDLE_OK) == (n_left == 0) && !n_spoilt);
        n_canceled += s == HEDDLE_ECANCELED;
    }
    free(before.at);
    CHECK(n_canceled > 0);
    heddle_loop_cancel(r.loop); /* nothing runs */
    looped_fill(&r, &c);
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    check_bytes(&r, &c, "after cancelling", 0);
    close_rig(&r);
}

typedef struct canceler {
    heddle_loop *loop;
    uint32_t is_over; /* atomic */
} canceler;

static void *cancel_often(void *user)
{
    canceler *c = user;
    while (!__atomic_load_n(&c->is_over, __ATOMIC_ACQUIRE))
        heddle_loop_cancel(c->loop);
    return NULL;
}

/* At any time of a run: also when it is starting, or ends. */
static void check_cancel_often(void)
{
    const looped_case c = {looped_price, 20000, 0, 10, 1, HEDDLE_SPLIT_CUT, 5};
    canceler x = {NULL, 0};
    looped_rig r;
    pthread_t t;
    int run, n_canceled = 0;
    open_rig(&r, "virtual: cpu:1", &c);
    looped_fill(&r, &c);
    x.loop = r.loop;
    CHECK(!pthread_create(&t, NULL, cancel_often, &x));
    for (run = 0; run < 1000; run++) {
        const heddle_status s = heddle_loop_run(r.loop, &r.params, sizeof r.params);
        CHECK_MSG(s == HEDDLE_OK || s == HEDDLE_ECANCELED, "%s", heddle_error_text(NULL));
        n_canceled += s == HEDDLE_ECANCELED;
    }
    __atomic_store_n(&x.is_over, 1, __ATOMIC_RELEASE);
    (void)pthread_join(t, NULL);
    CHECK(n_canceled > 0);
    close_rig(&r);
}

/* Two loops are started at once; the second one turns what the first one has turned. */
static void check_turns(void)
{
    const looped_case c = {looped_turn, 50000, 0, 64, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_fleet *f = open_fleet("virtual: cpu:1", 0);
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_loop *again = NULL;
    heddle_access access = HEDDLE_ROWS(NULL, HEDDLE_MODE_INOUT, offsetof(looped_params, turned), 0, 0);
    looped_rig r;
    uint64_t *want, *got, i, k;
    CHECK_OK(NULL, looped_open(&r, f, &c));
    access.array = r.turned;
    access.n_each = LOOPED_EACH;
    d.body = looped_turn;
    d.n = c.n;
    d.accesses = &access;
    d.n_accesses = 1;
    CHECK_OK(NULL, heddle_loop_new(f, &looped, &d, &again));
    looped_fill(&r, &c);
    got = heddle_array_host(r.turned);
    want = malloc(c.n * LOOPED_EACH * sizeof *want);
    CHECK(want != NULL);
    memcpy(want, got, c.n * LOOPED_EACH * sizeof *want);
    for (k = 0; k < 2; k++)
        for (i = 0; i < c.n * LOOPED_EACH; i++)
            want[i] = want[i] * 6364136223846793005u + i / LOOPED_EACH + i % LOOPED_EACH;
    CHECK_OK(NULL, heddle_loop_start(r.loop, &r.params, sizeof r.params));
    CHECK_OK(NULL, heddle_loop_start(again, &r.params, sizeof r.params));
    CHECK_OK(NULL, heddle_array_fetch(r.turned, 0, c.n));
    CHECK(!memcmp(want, got, c.n * LOOPED_EACH * sizeof *want));
    CHECK_OK(NULL, heddle_array_wrote(r.turned, 0, c.n));
    CHECK_OK(NULL, heddle_loop_wait(again, HEDDLE_FOREVER));
    CHECK_OK(NULL, heddle_loop_wait(r.loop, HEDDLE_FOREVER));
    heddle_array_free(r.turned); /* the loops keep it */
    r.turned = NULL;
    heddle_loop_free(again);
    free(want);
    close_rig(&r);
}

int main(int argc, char **argv)
{
    const char *text = getenv("HEDDLE_ACTIONS");
    if (argc > 1 && !strcmp(argv[1], "--cuda")) {
        for (size_t i = 0; i < sizeof trappings / sizeof *trappings; i++)
            check_trap(&trappings[i]);
        gpu = "cuda:0";
    }
    check_losses(text ? (uint32_t)atoi(text) : 40u);
    check_ways();
    check_slow();
    check_least();
    check_silent();
    check_limit();
    check_limit_of_all();
    check_in_line();
    check_ranges();
    check_failing("serial");
    check_failing("cpu:2");
    check_failing("virtual: cpu:1");
    check_failing("2*virtual:");
    check_fork();
    check_trace();
    check_cancel();
    check_cancel_often();
    check_turns();
    puts("trouble is survived");
    return 0;
}
