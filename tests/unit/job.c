/* SPDX-License-Identifier: MIT */
/* A job of a kind that is no graph: it is started, waited for until a deadline, canceled, watched, and concluded once.
 * A time limit ends it with a sentence that names the waiting workers. A failed start leaves it idle. A backend refuses
 * an unknown kind of work. */
#include "backend/backend.h"
#include "check.h"
#include "run/run.h"

#include <string.h>
#include <time.h>

/* Work that ends after `left` more polls, or when it is stopped. */
typedef struct fake {
    uint32_t left, n_started, n_stopped, why, stop, code;
    uint32_t deaf; /* ignores stop */
    heddle_status refuses;
    uint64_t came_i;
    uint32_t came_item, n_came;
} fake;

static heddle_status fake_start(void *self, int help, uint64_t limit_ns, hd_error *e)
{
    fake *f = self;
    (void)help;
    (void)limit_ns;
    if (f->refuses)
        return hd_say(e, f->refuses, "refused");
    f->n_started++;
    f->why = 0;
    return HEDDLE_OK;
}

static heddle_status fake_wait(void *self, uint64_t deadline_ns)
{
    fake *f = self;
    for (;;) {
        const uint32_t left = __atomic_load_n(&f->left, __ATOMIC_RELAXED);
        if ((__atomic_load_n(&f->why, __ATOMIC_ACQUIRE) && !f->deaf) || left == 0)
            return HEDDLE_OK;
        __atomic_store_n(&f->left, left - (left != UINT32_MAX), __ATOMIC_RELAXED);
        if (heddle_host_clock_ns() >= deadline_ns)
            return HEDDLE_EBUSY;
    }
}

/* May run on the time limit's own thread. */
static void fake_stop(void *self, uint32_t why)
{
    fake *f = self;
    __atomic_add_fetch(&f->n_stopped, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&f->why, why, __ATOMIC_RELEASE);
}

/* Two workers are in items, a third one waits for another, a fourth is absent. */
static int fake_doing(void *self, uint32_t worker, hd_doing *out)
{
    static const hd_doing all[] = {
        {3, HD_NONE, 0, 0, 1}, {5, HD_NONE, 0, 0, 1}, {HD_NONE, 9, 1, 2, 1}, {7, HD_NONE, 0, 0, 0}};
    (void)self;
    if (worker >= 4)
        return 0;
    *out = all[worker];
    return 1;
}

static void fake_result(void *self, hd_outcome *out)
{
    const fake *f = self;
    memset(out, 0, sizeof *out);
    out->stop = f->why ? f->why : f->stop ? f->stop : HD_STOP_DONE;
    out->code = f->code;
    out->task = 3;
}

static const char *fake_complaint(void *self)
{
    (void)self;
    return "";
}

static const char *fake_name(void *self, uint32_t item)
{
    (void)self;
    return item == 9 ? "last" : "tile";
}

static uint32_t fake_most_children(void *self, uint32_t item) { return (void)self, item; }
static void fake_say(void *self, uint32_t item, char *to, size_t n)
{
    snprintf(to, n, "%s %u of the wave", fake_name(self, item), item);
}

static void fake_came(void *self, uint64_t i, uint32_t item)
{
    fake *f = self;
    f->n_came++;
    f->came_i = i;
    f->came_item = item;
}

static const hd_job_kind fake_kind = {.start = fake_start,
                                      .wait = fake_wait,
                                      .stop = fake_stop,
                                      .doing = fake_doing,
                                      .result = fake_result,
                                      .complaint = fake_complaint,
                                      .name = fake_name,
                                      .say = fake_say,
                                      .most_children = fake_most_children,
                                      .came = fake_came};

typedef struct rig {
    struct heddle_ctx ctx;
    fake f;
    hd_job job;
} rig;

static void open_rig(rig *r)
{
    memset(r, 0, sizeof *r);
    hd_job_init(&r->job, &fake_kind, &r->f, &r->ctx);
}

static void close_rig(rig *r)
{
    hd_job_clear(&r->job);
    hd_alarms_close(r->ctx.alarms);
}

static heddle_job *submit(rig *r)
{
    heddle_job *h = hd_new(sizeof *h);
    h->of = &r->job;
    CHECK(hd_job_start(&r->job, h, 0) == HEDDLE_OK);
    return h;
}

static void test_end(void)
{
    heddle_job *h;
    rig r;
    open_rig(&r);
    CHECK(hd_job_is_over(&r.job) && !r.job.has_result);
    r.f.left = 3;
    h = submit(&r);
    CHECK(heddle_job_test(h) == HEDDLE_EBUSY && hd_job_is_running(&r.job));
    CHECK(heddle_job_wait(h, HEDDLE_FOREVER) == HEDDLE_OK && r.job.has_result && !hd_job_is_running(&r.job));
    CHECK(heddle_job_test(h) == HEDDLE_OK && r.f.n_started == 1);
    heddle_job_cancel(h); /* too late: nothing is stopped */
    CHECK(r.f.n_stopped == 0 && heddle_job_test(h) == HEDDLE_OK);
    heddle_job_free(h);
    close_rig(&r);
}

static void test_deadline(void)
{
    heddle_job *h;
    rig r;
    open_rig(&r);
    r.f.left = UINT32_MAX;
    h = submit(&r);
    CHECK(heddle_job_wait(h, 2) == HEDDLE_EBUSY && strstr(r.ctx.error.text, "goes on after 2 ms"));
    CHECK(r.f.n_stopped == 0 && hd_job_is_running(&r.job));
    heddle_job_cancel(h);
    CHECK(r.f.n_stopped == 1 && r.f.why == HD_STOP_CANCELED);
    CHECK(heddle_job_wait(h, HEDDLE_FOREVER) == HEDDLE_ECANCELED && strstr(r.ctx.error.text, "cancelled"));
    heddle_job_free(h);
    close_rig(&r);
}

static void test_limit(void)
{
    static const char *const words[] = {"limit of 2 ms", "worker 0 in tile 3 of the wave", "worker 1 in tile 5",
                                        "worker 2 waits for task 9 (last), 1 of its 2"};
    size_t i;
    rig r;
    open_rig(&r);
    r.ctx.config.time_limit_ms = 2;
    r.f.left = UINT32_MAX;
    CHECK(hd_job_start(&r.job, NULL, 0) == HEDDLE_OK);
    CHECK(hd_job_wait(&r.job, UINT64_MAX) == HEDDLE_ETIMEDOUT && r.f.why == HD_STOP_TIMEOUT);
    for (i = 0; i < sizeof words / sizeof *words; i++)
        CHECK_MSG(strstr(r.ctx.error.text, words[i]) != NULL, "no '%s' in: %s", words[i], r.ctx.error.text);
    CHECK(!strstr(r.ctx.error.text, "worker 3"));
    r.f.left = 0; /* and again, well */
    CHECK(hd_job_start(&r.job, NULL, 0) == HEDDLE_OK && hd_job_wait(&r.job, UINT64_MAX) == HEDDLE_OK);
    close_rig(&r);
}

static void nap_ms(uint32_t ms) { nanosleep(&(struct timespec){0, (long)ms * 1000000}, NULL); }

static void await_stop(const rig *r)
{
    uint32_t ms;
    for (ms = 0; ms < 10000 && !__atomic_load_n(&r->f.n_stopped, __ATOMIC_RELAXED); ms++)
        nap_ms(1);
    CHECK_MSG(ms < 10000, "nobody stopped it");
}

/* The limit holds without a waiting thread, and a run that ended in time has ended well, however late it is checked. */
static void test_limit_alone(void)
{
    rig r;
    open_rig(&r);
    r.ctx.config.time_limit_ms = 2;
    r.f.left = UINT32_MAX;
    CHECK(hd_job_start(&r.job, NULL, 0) == HEDDLE_OK);
    await_stop(&r);
    CHECK(__atomic_load_n(&r.f.why, __ATOMIC_ACQUIRE) == HD_STOP_TIMEOUT);
    CHECK(hd_job_wait(&r.job, UINT64_MAX) == HEDDLE_ETIMEDOUT);
    CHECK_MSG(strstr(r.ctx.error.text, "worker 1 in tile 5") != NULL, "%s", r.ctx.error.text);
    r.f.left = r.f.n_stopped = 0;
    CHECK(hd_job_start(&r.job, NULL, 0) == HEDDLE_OK);
    nap_ms(20);
    CHECK(hd_job_wait(&r.job, UINT64_MAX) == HEDDLE_OK && r.f.n_stopped == 0);
    close_rig(&r);
}

/* A wait keeps its own deadline, even if the limit has passed and the work does not stop. */
static void test_deaf(void)
{
    uint64_t begin = heddle_host_clock_ns();
    heddle_job *h;
    rig r;
    open_rig(&r);
    r.ctx.config.time_limit_ms = 10;
    r.f.left = UINT32_MAX;
    r.f.deaf = 1;
    h = submit(&r);
    CHECK(heddle_job_wait(h, 50) == HEDDLE_EBUSY && strstr(r.ctx.error.text, "goes on after 50 ms"));
    await_stop(&r);
    CHECK(r.f.n_stopped == 1 && heddle_job_test(h) == HEDDLE_EBUSY);
    CHECK_MSG(heddle_host_clock_ns() - begin < 4000000000u, "a wait of 50 ms took %llu ms",
              (unsigned long long)(heddle_host_clock_ns() - begin) / 1000000u);
    __atomic_store_n(&r.f.left, 0u, __ATOMIC_RELAXED);
    CHECK(heddle_job_wait(h, HEDDLE_FOREVER) == HEDDLE_ETIMEDOUT);
    heddle_job_free(h);
    close_rig(&r);
}

static void test_failures(void)
{
    heddle_job *h;
    rig r;
    open_rig(&r);
    r.f.refuses = HEDDLE_ENOMEM;
    CHECK(hd_job_start(&r.job, NULL, 0) == HEDDLE_ENOMEM && hd_job_is_over(&r.job) && !r.job.has_result);
    r.f.refuses = HEDDLE_OK;
    r.f.stop = HD_STOP_FAILED;
    r.f.code = 42;
    h = submit(&r);
    CHECK(heddle_job_wait(h, HEDDLE_FOREVER) == HEDDLE_EBODY);
    CHECK_MSG(!strcmp(r.ctx.error.text, "tile 3 of the wave failed with code 42"), "%s", r.ctx.error.text);
    CHECK(heddle_job_wait_task(h, 0, 0) == HEDDLE_EINVAL && strstr(r.ctx.error.text, "none of a graph's"));
    heddle_job_free(h);
    close_rig(&r);
}

static void test_watch(void)
{
    heddle_job *h;
    rig r;
    open_rig(&r);
    CHECK(hd_job_watch(&r.job, 2) == 0);
    r.f.left = UINT32_MAX;
    h = submit(&r);
    CHECK(hd_job_wait_item(h, 1, 0) == HEDDLE_EBUSY);
    hd_job_came(&r.job, 1, 77);
    CHECK(r.f.n_came == 1 && r.f.came_i == 1 && r.f.came_item == 77);
    CHECK(hd_job_wait_item(h, 1, 0) == HEDDLE_OK && hd_job_wait_item(h, 0, 0) == HEDDLE_EBUSY);
    heddle_job_cancel(h);
    CHECK(hd_job_wait_item(h, 0, UINT64_MAX) == HEDDLE_ECANCELED);
    heddle_job_free(h);
    r.f.left = UINT32_MAX; /* items done in the last run do not count in this one */
    h = submit(&r);
    CHECK(hd_job_wait_item(h, 1, 0) == HEDDLE_EBUSY);
    heddle_job_cancel(h);
    heddle_job_free(h);
    close_rig(&r);
}

static void test_work(void)
{
    const hd_work work = {HD_N_WORKS, NULL};
    hd_watcher nobody = {NULL, NULL};
    hd_loaded *l = (hd_loaded *)(void *)&nobody;
    hd_error e;
    CHECK(hd_backend_load(hd_backend_of(HEDDLE_SERIAL), &l, NULL, &work, nobody, &e) == HEDDLE_ENODEV && !l);
    CHECK_MSG(!strcmp(e.text, "backend serial cannot run work of this kind"), "%s", e.text);
}

int main(void)
{
    test_end();
    test_deadline();
    test_limit();
    test_limit_alone();
    test_deaf();
    test_failures();
    test_watch();
    test_work();
    return 0;
}
