/* SPDX-License-Identifier: MIT */
/* foreign.c - an accelerator of somebody else, which takes small copies only, or none of rows with a stride: it gets what it takes, and all
 * loops give the bytes of plain ones. Traces of one without marks, with marks that are wrong, and with such that fail. */
#include "loop/cases.h"

#define MEMORY (32u << 20)

typedef struct device {
    uint64_t most_copy_bytes;
    int takes_strides;
    uint64_t n_copies, n_bad;
    heddle_failure failure;
    uint64_t n_marks, n_asked;
    int marks_fail, times_fail, gets_lost;
    void *newest;     /* memory; if it gets lost there is no other, and close frees it */
    uint32_t keeps;   /* 1: the next copy home is kept, and its queue is busy, */
    uint32_t kept_in; /* which is this one, */
    heddle_copy kept; /* until it is done: by the test, or after so long */
    uint64_t kept_for_ns, kept_since_ns;
} device;

static void *mem_new(void *self, uint64_t n_bytes)
{
    device *d = self;
    return d->newest = malloc(n_bytes);
}

static void mem_free(void *self, void *p, uint64_t n_bytes)
{
    (void)self;
    (void)n_bytes;
    free(p);
}

static void do_copy(const heddle_copy *c)
{
    uint64_t i;
    for (i = 0; i < c->n_rows; i++)
        memcpy((char *)c->to + i * c->to_stride, (const char *)c->from + i * c->from_stride, c->row_bytes);
}

static heddle_status copy(void *self, uint32_t queue, const heddle_copy *c)
{
    device *d = self;
    d->n_copies++;
    d->n_bad += !c->n_rows || !c->row_bytes || (c->n_rows > 1 && !d->takes_strides) ||
                (d->most_copy_bytes && c->n_rows * c->row_bytes > d->most_copy_bytes);
    if (c->is_in || !d->keeps || d->kept.n_rows) {
        do_copy(c);
        return HEDDLE_OK;
    }
    d->kept = *c;
    d->kept_in = queue;
    d->kept_since_ns = heddle_host_clock_ns();
    return HEDDLE_OK;
}

static heddle_status span(void *self, uint32_t queue, const heddle_span_work *w)
{
    static _Alignas(128) uint8_t shared[HEDDLE_REDUCE_BYTES + 16384];
    device *d = self;
    heddle_thread thread = heddle_thread_alone(&d->failure, shared);
    hd_span_launch l;
    uint64_t t;
    (void)queue;
    hd_span_cut(&l, w->begin, w->end, w->begin_2, w->end_2, w->tile, w->tile_2);
    for (t = 0; t < l.n_tiles; t++) {
        const heddle_span s = hd_span_tile(&l, t);
        w->table->bodies[w->body].run(&thread, w->params, &s);
    }
    return HEDDLE_OK;
}

static heddle_status ask(void *self, uint32_t queue, uint32_t *code, uint64_t *index)
{
    device *d = self;
    (void)code;
    (void)index;
    if (d->kept_for_ns && d->kept.n_rows && heddle_host_clock_ns() - d->kept_since_ns > d->kept_for_ns) {
        do_copy(&d->kept);
        d->kept.n_rows = d->keeps = 0;
    }
    return d->kept.n_rows && d->kept_in == queue ? HEDDLE_EBUSY : HEDDLE_OK;
}

static void close_device(void *self, int is_lost)
{
    const device *d = self;
    CHECK(is_lost == d->gets_lost);
    if (is_lost)
        free(d->newest);
}

static heddle_status mark(void *self, uint32_t queue, heddle_phase phase)
{
    device *d = self;
    CHECK(queue < 2 && phase < HEDDLE_N_PHASES);
    d->n_marks++;
    return d->marks_fail ? HEDDLE_EDEVICE : HEDDLE_OK;
}

/* A clock that is far off. */
static heddle_status marked(void *self, uint32_t queue, heddle_phase phase, uint64_t *begin_ns, uint64_t *end_ns)
{
    device *d = self;
    CHECK(queue < 2 && phase != HEDDLE_PHASE_NONE && phase < HEDDLE_N_PHASES);
    d->n_asked++;
    *begin_ns = phase == HEDDLE_PHASE_BODIES ? UINT64_MAX : 0;
    *end_ns = phase == HEDDLE_PHASE_BODIES ? 0 : UINT64_MAX;
    return d->times_fail ? HEDDLE_EDEVICE : HEDDLE_OK;
}

static heddle_accelerator table_of(device *d)
{
    heddle_accelerator a = HEDDLE_ACCELERATOR_INIT;
    a.self = d;
    a.name = "foreign";
    a.memory_bytes = MEMORY;
    a.most_copy_bytes = d->most_copy_bytes;
    a.n_queues = 2;
    a.takes_strides = (uint32_t)d->takes_strides;
    a.mem_new = mem_new;
    a.mem_free = mem_free;
    a.copy = copy;
    a.span = span;
    a.poll = ask;
    a.close = close_device;
    a.mark = mark;
    a.marked = marked;
    return a;
}

static heddle_fleet *open_fleet(const char *others, const heddle_accelerator *a)
{
    heddle_fleet *f = NULL;
    CHECK_OK(NULL, heddle_fleet_open(&f, others, NULL));
    CHECK_OK(NULL, heddle_fleet_add(f, a));
    return f;
}

static void check_case(heddle_fleet *f, const device *d, uint32_t body)
{
    const int is_2d = body == looped_matrix || body == looped_both;
    const looped_case c = {body, 300, is_2d ? 40u : 0u, 7, 16, HEDDLE_SPLIT_GUIDED, 3};
    const looped_bytes want = looped_plain(&c), got = looped_run(f, &c);
    CHECK_MSG(want.n == got.n && !memcmp(want.at, got.at, want.n), "body %u, copies of %llu bytes, strides %d", body,
              (unsigned long long)d->most_copy_bytes, d->takes_strides);
    free(want.at);
    free(got.at);
}

/* Returns how many copies there were. */
static uint64_t check_device(uint64_t most_copy_bytes, int takes_strides)
{
    device d;
    heddle_accelerator a;
    heddle_fleet *f;
    uint32_t body;
    memset(&d, 0, sizeof d);
    d.most_copy_bytes = most_copy_bytes;
    d.takes_strides = takes_strides;
    a = table_of(&d);
    f = open_fleet("cpu:1", &a);
    for (body = 0; body < looped_fail; body++)
        check_case(f, &d, body);
    heddle_fleet_close(f);
    CHECK_MSG(!d.n_bad, "%llu copies of %llu are not of the kind that it takes", (unsigned long long)d.n_bad,
              (unsigned long long)d.n_copies);
    CHECK(!d.n_marks && !d.n_asked); /* the loops were not traced */
    return d.n_copies;
}

/* ---- traces ---------------------------------------------------------------------------------------------------------------- */

/* No event is outside of the run. */
static void check_times(const char *path, uint64_t run_ns)
{
    char line[1024];
    FILE *f = fopen(path, "r");
    CHECK(f);
    while (fgets(line, sizeof line, f)) {
        double us = 0, long_us = 0;
        const char *at = strstr(line, "\"ts\":");
        if (at)
            CHECK_MSG(sscanf(at, "\"ts\":%lf,\"dur\":%lf", &us, &long_us) == 2 &&
                          us + long_us <= (double)run_ns / 1e3 + 1,
                      "%s", line);
    }
    CHECK(!fclose(f));
}

/* Runs a traced loop on this device alone; the trace is in the file. Returns its slices. */
static int run_traced(const heddle_accelerator *a, const char *path)
{
    const looped_case c = {looped_price, 20000, 0, 50, 1, HEDDLE_SPLIT_GUIDED, 5};
    heddle_fleet *f = open_fleet("virtual:fail=1", a);
    heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
    heddle_loop_stats stats = HEDDLE_LOOP_STATS_INIT;
    looped_rig r;
    CHECK_OK(NULL, looped_open_more(&r, f, &c, 0, 1000));
    looped_fill(&r, &c);
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    CHECK_OK(NULL, heddle_loop_write_trace(r.loop, path));
    CHECK_OK(NULL, heddle_loop_get_unit(r.loop, 1, &u));
    CHECK(u.n_slices > 0);
    CHECK_OK(NULL, heddle_loop_get_stats(r.loop, &stats));
    check_times(path, stats.time_ns);
    looped_close(&r);
    heddle_fleet_close(f);
    return (int)u.n_slices;
}

/* In how many events the file has slices go in, be run, and go home. */
static void check_events(const char *path, int n_in, int n_bodies, int n_home, int has_links)
{
    CHECK(looped_count_in(path, "\"name\":\"copies in\"") == n_in);
    CHECK(looped_count_in(path, "\"name\":\"looped_price\"") == n_bodies);
    CHECK(looped_count_in(path, "\"name\":\"results go home\"") == n_home);
    CHECK(looped_count_in(path, "foreign, link in") == has_links && looped_count_in(path, "foreign, queue 1") == 1);
    CHECK(!remove(path));
}

static void check_traces(void)
{
    static const char path[] = "loop_foreign.json";
    device d;
    heddle_accelerator a;
    int n;
    memset(&d, 0, sizeof d);
    a = table_of(&d);
    n = run_traced(&a, path);
    CHECK(d.n_marks > 0 && d.n_asked > 0);
    check_events(path, 2 * n, 2 * n, 2 * n, 1);
    d.times_fail = 1;
    (void)run_traced(&a, path);
    check_events(path, 0, 0, 0, 1);
    d.n_marks = d.n_asked = 0;
    a.size = offsetof(heddle_accelerator, mark); /* as a program that was compiled before there were marks */
    n = run_traced(&a, path);
    CHECK(!d.n_marks && !d.n_asked);
    check_events(path, 0, n, n, 0);
}

/* An error of mark is a loss. */
static void check_failing_marks(void)
{
    const looped_case c = {looped_price, 20000, 0, 50, 1, HEDDLE_SPLIT_GUIDED, 5};
    device d;
    heddle_accelerator a;
    heddle_fleet *f;
    looped_rig r;
    memset(&d, 0, sizeof d);
    d.marks_fail = d.gets_lost = 1;
    a = table_of(&d);
    f = open_fleet("virtual:fail=1", &a);
    CHECK_OK(NULL, looped_open_more(&r, f, &c, 0, 1000));
    looped_fill(&r, &c);
    CHECK(heddle_loop_run(r.loop, &r.params, sizeof r.params) == HEDDLE_EDEVICE);
    CHECK(d.n_marks == 1 && !d.n_copies);
    looped_close(&r);
    heddle_fleet_close(f);
}

/* ---- results that are late ----------------------------------------------------------------------------------------------------- */

static void check_told(looped_rig *r, heddle_status s, device *d)
{
    heddle_loop_left left = HEDDLE_LOOP_LEFT_INIT;
    heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
    CHECK_MSG(s == HEDDLE_EDEVICE && strstr(heddle_error_text(NULL), "foreign does not answer, and may still write"),
              "%s: %s", heddle_status_text(s), heddle_error_text(NULL));
    CHECK_OK(NULL, heddle_loop_get_left(r->loop, 0, &left));
    CHECK((char *)heddle_array_host(r->c) + left.begin * sizeof(float) == (char *)d->kept.to && !left.is_spoilt);
    do_copy(&d->kept);
    d->kept.n_rows = d->keeps = 0;
    do {
        CHECK_OK(NULL, heddle_loop_run(r->loop, &r->params, sizeof r->params));
        CHECK_OK(NULL, heddle_loop_get_unit(r->loop, 1, &u));
    } while (!u.n_slices);
}

static void open_late(looped_rig *r, device *d, const looped_case *c, uint32_t time_limit_ms)
{
    heddle_accelerator a;
    memset(d, 0, sizeof *d);
    a = table_of(d);
    CHECK_OK(NULL, looped_open_more(r, open_fleet("cpu:1", &a), c, time_limit_ms, 0));
}

/* Until the device has kept results. */
static heddle_status run_late(looped_rig *r, device *d, const looped_case *c)
{
    heddle_status s;
    d->kept_since_ns = 0;
    d->keeps = 1;
    do { /* on a busy machine the core may be done before the device has begun */
        looped_fill(r, c);
        s = heddle_loop_run(r->loop, &r->params, sizeof r->params);
    } while (!d->kept_since_ns);
    return s;
}

static void close_late(looped_rig *r)
{
    heddle_fleet *f = r->fleet;
    looped_close(r);
    heddle_fleet_close(f);
}

/* Results of a slice are on their way home when others have run all, also that slice. What is at home may still be written over, until they have
 * arrived, and the device takes part again. With a time limit the device is lost before. */
static void check_late_home(uint32_t time_limit_ms)
{
    const looped_case c = {looped_price, 300000, 0, 50, 1, HEDDLE_SPLIT_CUT, 5};
    device d;
    looped_rig r;
    heddle_status s;
    open_late(&r, &d, &c, time_limit_ms);
    d.gets_lost = time_limit_ms > 0;
    s = run_late(&r, &d, &c);
    if (time_limit_ms)
        CHECK_MSG(s == HEDDLE_OK && strstr(heddle_loop_how(r.loop), "time limit"), "%s", heddle_loop_how(r.loop));
    else
        check_told(&r, s, &d);
    close_late(&r);
}

/* They arrive within a second of that: the loop ends well. Others run a slice of a silent device after 1.6 s at the earliest. */
static void check_held_up(void)
{
    const looped_case c = {looped_price, 300000, 0, 50, 1, HEDDLE_SPLIT_CUT, 5};
    heddle_loop_stats stats = HEDDLE_LOOP_STATS_INIT;
    device d;
    looped_rig r;
    open_late(&r, &d, &c, 0);
    d.kept_for_ns = 2300000000u;
    do {
        CHECK_OK(NULL, run_late(&r, &d, &c));
        CHECK_OK(NULL, heddle_loop_get_stats(r.loop, &stats));
    } while (!stats.n_again); /* on a busy machine they may arrive first */
    close_late(&r);
}

int main(void)
{
    uint64_t n = 0;
    for (int strides = 0; strides < 2; strides++) {
        n += check_device(0, strides);
        n += check_device(4096, strides);
        n += check_device(90, strides); /* no multiple of a row, and less than many */
    }
    check_traces();
    check_failing_marks();
    check_late_home(0);
    check_late_home(2000);
    check_held_up();
    printf("%llu copies\n", (unsigned long long)n);
    CHECK(n > 0);
    return 0;
}
