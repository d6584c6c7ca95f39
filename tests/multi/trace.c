/* SPDX-License-Identifier: MIT */
/* trace.c - traces of jobs on virtual devices, which know when each thing ends. Every slice of every job has its body once. A row does one
 * thing at a time, bytes are those of the figures, and a body begins when the rows that it reads have come. Jobs of sequences, as jobs, by the
 * list and by record. A full row, a device that is lost, a fleet of cores, pictures, and what is refused. */
#include "multi/cases.h"
#include "multi/lazy.h"

#include "read_trace.h"

#include <stdlib.h>

#define ROWS 60u
#define N_TRACE 5000u
#define MOST_EVENTS 20000u
#define MOST_JOBS 200u
#define PATH "multi_trace.json"

typedef enum row { IN, BODIES, HOME, PEERS, N_KINDS } row;
static const char *const row_names[N_KINDS] = {"link in", "bodies", "link out", "peers"};
static const jobbed_job jobs[] = {{jobbed_spread, 0, 0, 1, 5, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0},
                                  {jobbed_spread, 1, 0, 0, 9, 0, 0, 1, 2, UINT64_MAX, 7, 1, 0},
                                  {jobbed_product, 1, 0, 2, 9, 0, 0, ROWS, 2, UINT64_MAX, 3, 2, 0},
                                  {jobbed_total, 2, 0, 3, 0, 0, 0, 1, 2, UINT64_MAX, 0, 1, 0}};
#define N_JOBS (sizeof jobs / sizeof *jobs)

typedef struct event {
    uint32_t device;
    row row;
    int is_within;
    char body[48];
    uint64_t begin_ns, end_ns, first, end, first_2, end_2, job, n_bytes, n_runs;
} event;

static event events[MOST_EVENTS];
static uint32_t n_events;

/* ---- reading ------------------------------------------------------------------------------------------------------------------- */

static uint64_t number(const json_t *args, const char *key, uint64_t without)
{
    return json_object_get(args, key) ? integer(args, key) : without;
}

static void read_row(const char *name, event *ev)
{
    const char *comma = strstr(name, ", ");
    uint32_t k = 0;
    CHECK_MSG(comma, "%s", name);
    while (k < N_KINDS && strcmp(comma + 2, row_names[k]) != 0)
        k++;
    CHECK_MSG(k < N_KINDS, "%s", name);
    ev->row = (row)k;
    ev->device = (uint32_t)strtoul(strpbrk(name, "0123456789"), NULL, 10);
}

/* The name says what the arguments say. */
static void check_name(const event *ev, const json_t *o)
{
    char want[128], job[32] = "";
    if (ev->job != UINT64_MAX)
        (void)snprintf(job, sizeof job, ", job %llu", (unsigned long long)ev->job);
    if (ev->n_runs)
        (void)snprintf(want, sizeof want, "%llu runs of a sequence", (unsigned long long)ev->n_runs);
    else if (ev->row == BODIES)
        (void)snprintf(want, sizeof want, "%s%s: %llu to %llu", ev->body, job, (unsigned long long)ev->first,
                       (unsigned long long)ev->end - 1u);
    else
        (void)snprintf(want, sizeof want, "rows %llu to %llu of array %llu%s", (unsigned long long)ev->first,
                       (unsigned long long)ev->end - 1u, (unsigned long long)integer(get(o, "args"), "array"), job);
    CHECK_MSG(!strcmp(text(o, "name"), want), "%s, not %s", text(o, "name"), want);
}

static void check_kind(const event *ev)
{
    static const char *const kinds[N_KINDS] = {"copies in", NULL, "copies home", "copies from others"};
    const char *want = ev->is_within ? "copies within" : kinds[ev->row];
    CHECK_MSG(want ? !strcmp(ev->body, want) : !strncmp(ev->body, "jobbed_", 7) || ev->n_runs, "%s", ev->body);
    CHECK((ev->row == BODIES) == !ev->n_bytes);
}

static void read_event(const char *name, const json_t *o, void *user)
{
    const json_t *args = get(o, "args");
    event *ev = &events[n_events++];
    (void)user;
    CHECK(n_events < MOST_EVENTS);
    memset(ev, 0, sizeof *ev);
    read_row(name, ev);
    (void)snprintf(ev->body, sizeof ev->body, "%s", text(args, "body"));
    ev->is_within = ev->row == PEERS && !strncmp(text(args, "from"), name, strlen(text(args, "from")));
    ev->begin_ns = ns(o, "ts");
    ev->end_ns = ev->begin_ns + ns(o, "dur");
    ev->first = integer(args, "begin");
    ev->end = integer(args, "end");
    ev->first_2 = number(args, "begin_2", 0);
    ev->end_2 = number(args, "end_2", 0);
    ev->job = number(args, "job", UINT64_MAX);
    ev->n_bytes = number(args, "bytes", 0);
    ev->n_runs = number(args, "runs", 0);
    check_kind(ev);
    check_name(ev, o);
}

/* By rows, and in these by time. */
static int compare(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

/* Of two that ended at one time the later one is empty, which the file shows as a nanosecond. */
static uint64_t end_of(const event *ev) { return ev->end_ns - ev->begin_ns > 1 ? ev->end_ns : ev->begin_ns; }

static void read_all(heddle_multi *m)
{
    uint32_t i;
    CHECK_OK(NULL, heddle_multi_write_trace(m, PATH));
    n_events = 0;
    trace_read(PATH, read_event, NULL);
    qsort(events, n_events, sizeof *events, compare);
    for (i = 1; i < n_events; i++)
        if (events[i - 1].device == events[i].device && events[i - 1].row == events[i].row)
            CHECK_MSG(end_of(&events[i - 1]) <= events[i].begin_ns, "device %u, %s: %llu is behind %llu",
                      events[i].device, row_names[events[i].row], (unsigned long long)events[i - 1].end_ns,
                      (unsigned long long)events[i].begin_ns);
}

/* ---- what must hold ------------------------------------------------------------------------------------------------------------ */

/* Jobs have the numbers from 0 to n - 1, and each has all indices once. */
static void check_jobs(uint64_t n_jobs)
{
    static uint64_t cells[MOST_JOBS];
    uint64_t i;
    CHECK(n_jobs <= MOST_JOBS);
    memset(cells, 0, sizeof cells);
    for (i = 0; i < n_events; i++) {
        const event *ev = &events[i];
        if (ev->row != BODIES)
            continue;
        CHECK_MSG(ev->job < n_jobs, "job %llu", (unsigned long long)ev->job);
        cells[ev->job] += (ev->end - ev->first) * (ev->end_2 ? ev->end_2 - ev->first_2 : ROWS);
    }
    for (i = 0; i < n_jobs; i++)
        CHECK_MSG(cells[i] == ROWS * ROWS, "job %llu: %llu indices", (unsigned long long)i,
                  (unsigned long long)cells[i]);
}

static heddle_multi_device figures(heddle_multi *m, uint32_t device)
{
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    CHECK_OK(NULL, heddle_multi_get_device(m, device, &d));
    return d;
}

static void check_figures(heddle_multi *m, uint32_t device, const heddle_multi_device *before)
{
    const heddle_multi_device d = figures(m, device);
    uint64_t n_bytes[N_KINDS] = {0}, n_slices = 0;
    uint32_t i;
    for (i = 0; i < n_events; i++) {
        if (events[i].device != device)
            continue;
        n_bytes[events[i].row] += events[i].is_within ? 0 : events[i].n_bytes;
        n_slices += events[i].row == BODIES;
    }
    CHECK_MSG(n_slices == d.n_slices - before->n_slices, "device %u: %llu slices, not %llu", device,
              (unsigned long long)n_slices, (unsigned long long)(d.n_slices - before->n_slices));
    CHECK(n_bytes[IN] == d.bytes_in - before->bytes_in && n_bytes[HOME] == d.bytes_out - before->bytes_out);
    CHECK(n_bytes[PEERS] == d.bytes_peers - before->bytes_peers);
}

/* What comes from other devices was sent by them; of two devices each has what the other one sent. */
static void check_sent(heddle_multi *m, uint32_t n_devices)
{
    uint64_t sent = 0, came = 0;
    for (uint32_t d = 0; d < n_devices; d++) {
        sent += figures(m, d).bytes_sent;
        came += figures(m, d).bytes_peers;
    }
    CHECK(sent == came && sent > 0);
    for (uint32_t d = 0; d < n_devices; d++)
        CHECK(figures(m, d).bytes_sent <= came - figures(m, d).bytes_peers);
}

/* A body of jobbed_spread reads a row more on either side. What came for its job, in these rows, was there before. Where devices have several
 * slices of a job, only rows that no other one reads tell. */
static void check_order(int has_one_slice)
{
    uint32_t i, k, n = 0;
    for (i = 0; i < n_events; i++)
        for (k = 0; k < n_events && events[i].row == BODIES && !strcmp(events[i].body, "jobbed_spread"); k++) {
            const event *b = &events[i], *c = &events[k];
            const uint64_t first = has_one_slice ? b->first - (b->first > 0) : b->first + 1u,
                           end = has_one_slice ? b->end + 1u : b->end - 1u;
            if (c->device != b->device || c->job != b->job || (c->row != IN && c->row != PEERS) || c->first >= end ||
                c->end <= first)
                continue;
            n++;
            CHECK_MSG(c->end_ns <= b->begin_ns, "job %llu: rows come until %llu, and are read from %llu",
                      (unsigned long long)b->job, (unsigned long long)c->end_ns, (unsigned long long)b->begin_ns);
        }
    CHECK(n > 0);
}

/* ---- jobs ---------------------------------------------------------------------------------------------------------------------- */

static void open_traced(jobbed_rig *r, const char *devices, uint64_t pool_bytes, heddle_map map, uint32_t n_trace,
                        uint64_t *seed)
{
    jobbed_open(r, devices, pool_bytes, ROWS, seed);
    r->desc.map = map;
    r->n_trace = n_trace;
}

static void start_all(jobbed_rig *r, heddle_multi *const *kinds, uint32_t n_kinds, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        const jobbed_params p = jobbed_params_of(r, &jobs[i % n_kinds]);
        CHECK_OK(NULL, heddle_multi_start(kinds[i % n_kinds], &p, sizeof p));
        jobbed_plain(r, &jobs[i % n_kinds]);
    }
}

/* All are waited for, and matrices go home. */
static void end_all(jobbed_rig *r, heddle_multi *const *kinds, uint32_t n_kinds)
{
    uint32_t i;
    for (i = 0; i < n_kinds; i++)
        CHECK_OK(NULL, heddle_multi_wait(kinds[i], HEDDLE_FOREVER));
    for (i = 0; i < JOBBED_MATRICES; i++)
        jobbed_compare(r, i, 0, ROWS, "traced");
}

/* The trace of a second batch has nothing of the first. */
static void check_program(const char *devices, uint32_t n_devices, uint64_t pool_bytes, heddle_map map, uint64_t *seed)
{
    heddle_multi *kinds[N_JOBS];
    heddle_multi_device before[4];
    jobbed_rig r;
    uint32_t i, d, batch;
    open_traced(&r, devices, pool_bytes, map, N_TRACE, seed);
    for (i = 0; i < N_JOBS; i++)
        CHECK_OK(NULL, jobbed_make(&r, &jobs[i], &kinds[i]));
    for (batch = 0; batch < 2; batch++) {
        for (d = 0; d < n_devices; d++)
            before[d] = figures(kinds[0], d);
        start_all(&r, kinds, N_JOBS, 24u + batch);
        end_all(&r, kinds, N_JOBS);
        read_all(kinds[batch]);
        check_jobs(24u + batch);
        for (d = 0; d < n_devices; d++)
            check_figures(kinds[0], d, &before[d]);
        if (!pool_bytes)
            check_order(0);
    }
    printf("%s, map %s: %u events\n", devices, heddle_map_name(map), n_events);
    for (i = 0; i < N_JOBS; i++)
        heddle_multi_free(kinds[i]);
    jobbed_close(&r);
}

/* Kinds without a trace are in that of another one. Of a full row the first events are there. */
static void check_full(uint64_t *seed)
{
    heddle_multi *kinds[2];
    jobbed_rig r;
    uint32_t i;
    open_traced(&r, "2*virtual:", 0, HEDDLE_MAP_STATIC, 0, seed);
    CHECK_OK(NULL, jobbed_make(&r, &jobs[0], &kinds[0]));
    r.n_trace = 3;
    CHECK_OK(NULL, jobbed_make(&r, &jobs[1], &kinds[1]));
    start_all(&r, kinds, 2, 20);
    end_all(&r, kinds, 2);
    read_all(kinds[0]);
    for (i = 0; i < n_events; i++)
        CHECK_MSG(events[i].row != BODIES || events[i].job < 3, "job %llu", (unsigned long long)events[i].job);
    CHECK_MSG(n_events <= 2u * N_KINDS * 3u && n_events >= 6, "%u events", n_events);
    heddle_multi_free(kinds[0]);
    heddle_multi_free(kinds[1]);
    jobbed_close(&r);
}

/* What was not seen to end is not shown. The rest goes on. */
static void check_loss(uint64_t *seed)
{
    heddle_multi *kinds[2];
    jobbed_rig r;
    uint32_t i, n = 0;
    open_traced(&r, "virtual: virtual:fail=30", 0, HEDDLE_MAP_STATIC, N_TRACE, seed);
    r.desc.is_safe = 1;
    for (i = 0; i < 2; i++)
        CHECK_OK(NULL, jobbed_make(&r, &jobs[i], &kinds[i]));
    start_all(&r, kinds, 2, 30);
    end_all(&r, kinds, 2);
    read_all(kinds[0]);
    for (i = 0; i < n_events; i++)
        n += events[i].device == 1 && events[i].row == BODIES;
    CHECK_MSG(n > 0 && n < 30 && figures(kinds[0], 1).is_lost, "%u bodies", n);
    heddle_multi_free(kinds[0]);
    heddle_multi_free(kinds[1]);
    jobbed_close(&r);
}

/* ---- sequences ----------------------------------------------------------------------------------------------------------------- */

static heddle_sequence_stats run_steps(jobbed_rig *r, heddle_multi **kinds, heddle_replay most, uint32_t n)
{
    heddle_sequence_stats t = HEDDLE_SEQUENCE_STATS_INIT;
    heddle_sequence *s;
    uint32_t i;
    CHECK_OK(NULL, heddle_sequence_new(r->fleet, &s));
    for (i = 0; i < 2; i++) {
        const jobbed_params p = jobbed_params_of(r, &jobs[i]);
        jobbed_job one = jobs[i];
        one.n_tasks = 0; /* a slice of each device */
        CHECK_OK(NULL, jobbed_make(r, &one, &kinds[i]));
        CHECK_OK(NULL, heddle_sequence_add(s, kinds[i], &p, sizeof p));
    }
    CHECK_OK(NULL, heddle_sequence_set_replay(s, most));
    CHECK_OK(NULL, heddle_sequence_start(s, n));
    CHECK_OK(NULL, heddle_sequence_wait(s, HEDDLE_FOREVER));
    for (i = 0; i < 2u * n; i++)
        jobbed_plain(r, &jobs[i % 2u]);
    jobbed_compare(r, 0, 0, ROWS, "a traced sequence");
    read_all(kinds[0]);
    CHECK_OK(NULL, heddle_sequence_get_stats(s, &t));
    heddle_sequence_free(s);
    return t;
}

static void check_list(heddle_replay most, uint64_t *seed)
{
    static const heddle_multi_device none = HEDDLE_MULTI_DEVICE_INIT;
    heddle_multi *kinds[2];
    jobbed_rig r;
    heddle_sequence_stats t;
    uint32_t d;
    open_traced(&r, "3*virtual:", 0, HEDDLE_MAP_STATIC, N_TRACE, seed);
    t = run_steps(&r, kinds, most, 40);
    CHECK(most == HEDDLE_REPLAY_NONE ? !t.n_by_list : t.n_by_list > 20);
    check_jobs(80);
    check_order(1);
    for (d = 0; d < 3; d++)
        check_figures(kinds[0], d, &none);
    check_sent(kinds[0], 3);
    heddle_multi_free(kinds[0]);
    heddle_multi_free(kinds[1]);
    jobbed_close(&r);
}

/* Runs of a record are one event of each device. */
static void check_records(uint64_t *seed)
{
    const lazy_config c = {3, check_random(seed), 1, 0, 0};
    heddle_multi *kinds[2];
    lazy_counts counts;
    jobbed_rig r;
    heddle_sequence_stats t;
    uint64_t n_runs[8] = {0};
    uint32_t i, n_shown = 0;
    jobbed_open(&r, "cpu:1", 0, ROWS, seed);
    lazy_add(r.fleet, &c, &counts);
    r.desc.map = HEDDLE_MAP_STATIC;
    r.n_trace = N_TRACE;
    t = run_steps(&r, kinds, HEDDLE_REPLAY_RECORDS, 60);
    CHECK(t.n_by_record > 30);
    for (i = 0; i < n_events; i++)
        n_runs[events[i].device % 8u] += events[i].n_runs;
    for (i = 0; i < 8; i++) {
        CHECK_MSG(!n_runs[i] || n_runs[i] == t.n_by_record, "%llu runs", (unsigned long long)n_runs[i]);
        n_shown += n_runs[i] > 0;
    }
    CHECK_MSG(n_shown == 1 || n_shown == 3, "%u devices", n_shown);
    heddle_multi_free(kinds[0]);
    heddle_multi_free(kinds[1]);
    jobbed_close(&r);
}

/* ---- files --------------------------------------------------------------------------------------------------------------------- */

static int has(const char *path, const char *what)
{
    static char all[1u << 20];
    FILE *f = fopen(path, "r");
    size_t n;
    CHECK(f);
    n = fread(all, 1, sizeof all - 1u, f);
    all[n] = 0;
    (void)fclose(f);
    return strstr(all, what) != NULL;
}

static void check_picture(heddle_multi *m)
{
    static const char path[] = "multi_trace.svg";
    CHECK_OK(NULL, heddle_multi_write_timeline(m, path, "a title"));
    CHECK(has(path, "<svg") && has(path, "a title") && has(path, "virtual:0, link in") &&
          has(path, "virtual:1, peers") && has(path, "jobbed_spread") && has(path, "copies home"));
    CHECK(!remove(path));
}

/* Cores run jobs as loops, which have traces of their own. */
static void check_cores(uint64_t *seed)
{
    heddle_multi *kind;
    jobbed_rig r;
    open_traced(&r, "cpu:2", 0, HEDDLE_MAP_SETTLE, N_TRACE, seed);
    CHECK_OK(NULL, jobbed_make(&r, &jobs[0], &kind));
    start_all(&r, &kind, 1, 2);
    CHECK_OK(NULL, heddle_multi_wait(kind, HEDDLE_FOREVER));
    CHECK_OK(NULL, heddle_multi_write_trace(kind, PATH));
    CHECK(has(PATH, "\"cpu:") && has(PATH, "jobbed_spread"));
    CHECK(!remove(PATH));
    heddle_multi_free(kind);
    jobbed_close(&r);
}

static void check_refused(heddle_multi *m, const char *path, heddle_status want, const char *sentence)
{
    CHECK(heddle_multi_write_trace(m, path) == want && strstr(heddle_error_text(NULL), "heddle_multi_write_trace"));
    CHECK_MSG(strstr(heddle_error_text(NULL), sentence), "%s", heddle_error_text(NULL));
    CHECK(heddle_multi_write_timeline(m, path, NULL) == want);
    CHECK_MSG(strstr(heddle_error_text(NULL), sentence), "%s", heddle_error_text(NULL));
}

/* A job cannot end before its copies have. If this thread was held up for so long, once more. */
static void check_running(jobbed_rig *r, heddle_multi *m)
{
    const jobbed_params p = jobbed_params_of(r, &jobs[0]);
    heddle_status s = HEDDLE_OK;
    int i;
    for (i = 0; i < 20 && s != HEDDLE_EBUSY; i++) {
        CHECK_OK(NULL, heddle_multi_start(m, &p, sizeof p));
        s = heddle_multi_write_trace(m, PATH);
        CHECK_OK(NULL, heddle_multi_wait(m, HEDDLE_FOREVER));
    }
    CHECK_MSG(s == HEDDLE_EBUSY, "%s", heddle_status_text(s));
    (void)remove(PATH);
}

static void check_calls(uint64_t *seed)
{
    heddle_multi *plain, *traced;
    jobbed_rig r;
    open_traced(&r, "2*virtual:latency=2e-3", 0, HEDDLE_MAP_STATIC, 0, seed);
    CHECK_OK(NULL, jobbed_make(&r, &jobs[0], &plain));
    check_refused(NULL, PATH, HEDDLE_EINVAL, "the job is NULL");
    check_refused(plain, NULL, HEDDLE_EINVAL, "path is NULL");
    check_refused(plain, PATH, HEDDLE_EINVAL, "has no trace: set n_trace");
    r.n_trace = HEDDLE_LOOP_MOST_TRACE + 1u;
    CHECK(jobbed_make(&r, &jobs[0], &traced) == HEDDLE_ERANGE);
    r.n_trace = N_TRACE;
    CHECK_OK(NULL, jobbed_make(&r, &jobs[0], &traced));
    check_refused(traced, PATH, HEDDLE_EINVAL, "and run it");
    check_running(&r, traced);
    start_all(&r, &traced, 1, 4);
    end_all(&r, &traced, 1);
    check_picture(plain);
    CHECK(heddle_multi_write_trace(traced, "no/such/folder/file") == HEDDLE_EIO);
    heddle_multi_free(plain);
    heddle_multi_free(traced);
    jobbed_close(&r);
}

int main(void)
{
    uint64_t seed = check_seed(37);
    check_program("2*virtual:", 2, 0, HEDDLE_MAP_SETTLE, &seed);
    check_program("virtual:link=1e8,latency=1e-4 virtual:speed=0.5 virtual:peers=0", 3, 0, HEDDLE_MAP_FREE, &seed);
    check_program("2*virtual:", 2, 40000, HEDDLE_MAP_FIXED, &seed);
    check_full(&seed);
    check_loss(&seed);
    check_list(HEDDLE_REPLAY_NONE, &seed);
    check_list(HEDDLE_REPLAY_LIST, &seed);
    check_records(&seed);
    check_cores(&seed);
    check_calls(&seed);
    return 0;
}
