/* SPDX-License-Identifier: MIT */
/* trace.c - traced loops on virtual devices, which know when each thing ends: every slice goes in, is run and goes home, in this order, and a
 * queue does one thing at a time. So does a device, and its link in each direction. Copies take as long as link and latency say,
 * rows of phases have what the queues have, and nothing is missing. Last, ends that are seen in another order, made up. */
#include "engine/loop/fleet.h"
#include "loop/cases.h"
#include "read_trace.h"

#define LINK 1e8
#define LATENCY 1e-4
#define N_UNITS 2u
#define N_QUEUES 3u
#define N_TRACE 4000u /* each slice of a device in one queue has room */
#define MOST_EVENTS (N_UNITS * (N_QUEUES + N_KINDS) * N_TRACE)

typedef enum kind { IN, BODIES, HOME, N_KINDS } kind;
static const char *const row_of[N_KINDS] = {"link in", "bodies", "link out"};

typedef struct event {
    uint32_t unit, queue; /* queue: N_QUEUES and more are rows of kinds */
    kind kind;
    uint64_t begin_ns, end_ns, first, last, n_bytes;
} event;

static event events[MOST_EVENTS];
static uint32_t n_events;

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static void read_row(const char *name, event *ev)
{
    char row[32];
    uint32_t k;
    if (sscanf(name, "virtual:%u, queue %u", &ev->unit, &ev->queue) == 2)
        return;
    CHECK_MSG(sscanf(name, "virtual:%u, %31[a-z ]", &ev->unit, row) == 2, "%s", name);
    for (k = 0; k < N_KINDS && strcmp(row, row_of[k]) != 0; k++)
        ;
    CHECK_MSG(k < N_KINDS, "%s", name);
    ev->queue = N_QUEUES + k;
}

static kind kind_of(const char *name, const char *body)
{
    CHECK_MSG(!strcmp(name, "copies in") || !strcmp(name, body) || !strcmp(name, "results go home"), "%s", name);
    return !strcmp(name, body) ? BODIES : *name == 'c' ? IN : HOME;
}

static void read_event(const char *row, const json_t *o, void *body)
{
    const json_t *args = get(o, "args");
    event *ev = &events[n_events++];
    CHECK(n_events < MOST_EVENTS);
    memset(ev, 0, sizeof *ev);
    read_row(row, ev);
    ev->kind = kind_of(text(o, "name"), body);
    CHECK(ev->queue < N_QUEUES || ev->queue == N_QUEUES + (uint32_t)ev->kind);
    ev->begin_ns = ns(o, "ts");
    ev->end_ns = ev->begin_ns + ns(o, "dur");
    ev->first = integer(args, "begin");
    ev->last = integer(args, "end");
    ev->n_bytes = ev->kind == BODIES ? 0 : integer(args, "bytes");
}

/* By rows, and in these by time. */
static int compare(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    if (x->queue != y->queue)
        return x->queue < y->queue ? -1 : 1;
    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static void read_trace(const heddle_loop *l, char *body)
{
    static const char path[] = "loop_trace.json";
    CHECK_OK(NULL, heddle_loop_write_trace(l, path));
    n_events = 0;
    trace_read(path, read_event, body);
    qsort(events, n_events, sizeof *events, compare);
}

/* ---- what must hold --------------------------------------------------------------------------------------------------------- */

static int same_row(const event *a, const event *b) { return a->unit == b->unit && a->queue == b->queue; }

static void check_rows(void)
{
    uint32_t i;
    for (i = 1; i < n_events; i++)
        if (same_row(&events[i - 1], &events[i]))
            CHECK_MSG(events[i - 1].end_ns <= events[i].begin_ns, "unit %u, row %u: %llu is behind %llu",
                      events[i].unit, events[i].queue, (unsigned long long)events[i - 1].end_ns,
                      (unsigned long long)events[i].begin_ns);
}

/* In, bodies and home of a slice lie side by side in its queue. */
static void check_order(void)
{
    uint32_t i;
    for (i = 0; i < n_events; i++) {
        const event *ev = &events[i], *before = ev - 1;
        if (ev->queue >= N_QUEUES)
            continue;
        if (ev->kind == IN)
            CHECK(i == 0 || !same_row(before, ev) || before->kind == HOME);
        else
            CHECK_MSG(i > 0 && same_row(before, ev) && before->kind + 1 == ev->kind && before->first == ev->first &&
                          before->last == ev->last,
                      "event %u, kind %d", i, (int)ev->kind);
    }
    for (i = 0; i < n_events; i++)
        CHECK(events[i].queue >= N_QUEUES || events[i].kind == HOME ||
              (i + 1 < n_events && same_row(&events[i], &events[i + 1])));
}

/* A device does one thing of a kind at a time, also if different queues want it. */
static void check_devices(void)
{
    uint32_t i, k;
    for (i = 0; i < n_events; i++)
        for (k = i + 1; k < n_events && events[i].queue < N_QUEUES; k++) {
            const event *a = &events[i], *b = &events[k];
            if (b->queue < N_QUEUES && a->unit == b->unit && a->kind == b->kind)
                CHECK_MSG(a->end_ns <= b->begin_ns || b->end_ns <= a->begin_ns,
                          "kind %d of unit %u: %llu to %llu, and %llu to %llu", (int)a->kind, a->unit,
                          (unsigned long long)a->begin_ns, (unsigned long long)a->end_ns,
                          (unsigned long long)b->begin_ns, (unsigned long long)b->end_ns);
        }
}

static void check_rate(void)
{
    uint32_t i;
    for (i = 0; i < n_events; i++) {
        const double want = LATENCY * 1e9 + (double)events[i].n_bytes / LINK * 1e9;
        const double got = (double)(events[i].end_ns - events[i].begin_ns);
        CHECK_MSG(events[i].kind == BODIES || fabs(got - want) <= 2.0, "%llu bytes take %.0f ns, not %.0f",
                  (unsigned long long)events[i].n_bytes, got, want);
    }
}

typedef struct sums {
    uint64_t n, ns, n_bytes, n_indices;
} sums;

static sums sum_of(uint32_t unit, kind k, int in_queues)
{
    sums s = {0, 0, 0, 0};
    uint32_t i;
    for (i = 0; i < n_events; i++) {
        const event *ev = &events[i];
        if (ev->unit != unit || ev->kind != k || (ev->queue < N_QUEUES) != in_queues)
            continue;
        s.n++;
        s.ns += ev->end_ns - ev->begin_ns;
        s.n_bytes += ev->n_bytes;
        s.n_indices += ev->last - ev->first;
    }
    return s;
}

/* Returns the unit's indices. */
static uint64_t check_sums(const heddle_loop *l, uint32_t unit)
{
    heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
    uint32_t k;
    CHECK_OK(NULL, heddle_loop_get_unit(l, unit, &u));
    for (k = 0; k < N_KINDS; k++) {
        const sums queues = sum_of(unit, (kind)k, 1), row = sum_of(unit, (kind)k, 0);
        CHECK_MSG(!memcmp(&queues, &row, sizeof row), "unit %u, kind %u: %llu events and %llu", unit, k,
                  (unsigned long long)queues.n, (unsigned long long)row.n);
        CHECK_MSG(row.n == u.n_slices && row.n_indices == u.n_indices, "unit %u, kind %u: %llu events, %llu slices",
                  unit, k, (unsigned long long)row.n, (unsigned long long)u.n_slices);
        CHECK(row.n_bytes == (k == IN ? u.bytes_in : k == HOME ? u.bytes_out : 0));
    }
    return u.n_indices;
}

/* ---- loops ------------------------------------------------------------------------------------------------------------------ */

/* They are the bodies of the trace, and of each index once. */
static void check_slices(const heddle_loop *l, uint64_t n_indices)
{
    static heddle_loop_slice slices[N_UNITS * N_TRACE];
    uint64_t n, i, sum = 0, n_bodies = 0;
    CHECK_OK(NULL, heddle_loop_get_slices(l, NULL, 0, &n));
    CHECK(n > 0 && n <= N_UNITS * N_TRACE);
    CHECK_OK(NULL, heddle_loop_get_slices(l, slices, n, &n));
    for (i = 0; i < n; i++) {
        sum += slices[i].end - slices[i].begin;
        CHECK(slices[i].unit < N_UNITS && slices[i].begin_ns <= slices[i].end_ns);
    }
    for (i = 0; i < n_events; i++)
        n_bodies += events[i].kind == BODIES && events[i].queue < N_QUEUES;
    CHECK_MSG(sum == n_indices && n == n_bodies, "%llu slices of %llu indices", (unsigned long long)n,
              (unsigned long long)sum);
    CHECK(heddle_loop_get_slices(l, NULL, 1, &n) == HEDDLE_EINVAL &&
          heddle_loop_get_slices(l, slices, 1, NULL) == HEDDLE_EINVAL);
}

/* An array that is read and written: a copy in and one home for each slice. */
static void check_turned(heddle_split split)
{
    const looped_case c = {looped_turn, 60000, 0, 50, 1, split, 5};
    char words[128];
    heddle_fleet *f = NULL;
    looped_rig r;
    uint64_t n = 0;
    uint32_t unit;
    int run;
    (void)snprintf(words, sizeof words, "%u*virtual:speed=0.5,link=%g,latency=%g", N_UNITS, LINK, LATENCY);
    CHECK_OK(NULL, heddle_fleet_open(&f, words, NULL));
    CHECK_OK(NULL, looped_open_more(&r, f, &c, 0, N_TRACE));
    for (run = 0; run < 2; run++) {
        looped_fill(&r, &c);
        CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
        read_trace(r.loop, "looped_turn");
        check_rows();
        check_order();
        check_devices();
        check_rate();
        for (unit = 0, n = 0; unit < N_UNITS; unit++)
            n += check_sums(r.loop, unit);
        CHECK_MSG(n == c.n, "%llu indices", (unsigned long long)n);
        check_slices(r.loop, c.n);
    }
    printf("%s: %u events\n", heddle_split_name(split), n_events);
    looped_close(&r);
    heddle_fleet_close(f);
}

/* Bodies of three queues that overlap, the second of which was seen late: their row has them by ends, and each begins behind the other.
 * The queues' own rows have what was said. */
static void check_overlaps(heddle_loop *l)
{
    static const uint64_t said[3][2] = {{1000, 2000}, {1200, 1800}, {1500, 2600}};
    static const uint64_t want[3][2] = {{1200, 1800}, {1800, 2000}, {2000, 2600}};
    uint32_t i;
    hd_chart_clear(l->chart);
    for (i = 0; i < 3; i++)
        hd_chart_note(
            l->chart, 0,
            &(hd_chart_part){HEDDLE_PHASE_BODIES, 0, i, i + 1, i, l->start_ns + said[i][0], l->start_ns + said[i][1]});
    read_trace(l, "looped_matrix");
    CHECK(n_events == 6);
    for (i = 0; i < 3; i++) {
        CHECK(events[i].begin_ns == said[i][0] && events[i].end_ns == said[i][1]);
        CHECK_MSG(events[3 + i].begin_ns == want[i][0] && events[3 + i].end_ns == want[i][1], "%llu to %llu",
                  (unsigned long long)events[3 + i].begin_ns, (unsigned long long)events[3 + i].end_ns);
    }
}

/* What is read at any index goes in before the first slice. */
static void check_whole(void)
{
    const looped_case c = {looped_matrix, 300, 40, 7, 16, HEDDLE_SPLIT_GUIDED, 5};
    heddle_fleet *f = NULL;
    looped_rig r;
    CHECK_OK(NULL, heddle_fleet_open(&f, "virtual:", NULL));
    CHECK_OK(NULL, looped_open_more(&r, f, &c, 0, N_TRACE));
    looped_fill(&r, &c);
    CHECK_OK(NULL, heddle_loop_run(r.loop, &r.params, sizeof r.params));
    read_trace(r.loop, "looped_matrix");
    check_rows();
    CHECK(n_events > 1 && events[0].queue == 0 && events[0].kind == IN && events[0].first == 0 &&
          events[0].last == c.n);
    CHECK_MSG(events[0].n_bytes == c.n_2 * sizeof *r.params.all, "%llu bytes", (unsigned long long)events[0].n_bytes);
    check_overlaps(r.loop);
    looped_close(&r);
    heddle_fleet_close(f);
}

int main(void)
{
    check_turned(HEDDLE_SPLIT_CUT);
    check_turned(HEDDLE_SPLIT_GUIDED);
    check_turned(HEDDLE_SPLIT_HDSS);
    check_whole();
    return 0;
}
