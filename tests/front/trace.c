/* SPDX-License-Identifier: MIT */
/* trace.c - traced wavefronts on virtual devices and cores. Each stride goes in, is run and goes home, in this order, each in its row, and
 * once; a row does one thing at a time; copies have the bytes that the units have, and take as long as link and latency say; strides cover
 * the field; a wave ends behind that of the stride before. Runs that fail, and rows that are full, leave a trace, too. The picture names the
 * rows. --cuda: a half of a GPU is the first device. */
#include "front/cases.h"
#include "read_trace.h"

#define LINK 1e8
#define LATENCY 1e-4
#define A_VIRTUAL "virtual:link=1e8,latency=1e-4"
#define N_TRACE 64u
#define MOST_UNITS 3u
#define MOST_EVENTS (3u * MOST_UNITS * N_TRACE)

typedef enum kind { IN, WAVE, HOME, N_KINDS } kind;
static const char *const row_of[N_KINDS] = {"link in", "waves", "link out"};
static const char *const name_of[N_KINDS] = {"copies in", NULL, "results go home"};

typedef struct event {
    uint32_t unit;
    kind kind;
    uint64_t begin_ns, end_ns, first, last, n_bytes;
} event;

static event events[MOST_EVENTS];
static uint32_t n_events;
static const char *first = A_VIRTUAL; /* device */
static int is_cores(uint32_t unit) { return unit == MOST_UNITS - 1u; }

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static void read_row(const char *row, event *ev)
{
    char rest[32];
    uint32_t n;
    if (sscanf(row, "cpu:%u%31s", &n, rest) == 1) {
        ev->unit = MOST_UNITS - 1u;
        ev->kind = WAVE;
        return;
    }
    CHECK_MSG((sscanf(row, "virtual:%u, %31[a-z ]", &ev->unit, rest) == 2 && !is_cores(ev->unit)) ||
                  sscanf(row, "cuda:0/2, %31[a-z ]", rest) == 1,
              "%s", row);
    while (ev->kind < N_KINDS && strcmp(rest, row_of[ev->kind]) != 0)
        ev->kind++;
    CHECK_MSG(ev->kind < N_KINDS, "%s", row);
}

static void read_event(const char *row, const json_t *o, void *body)
{
    const json_t *args = get(o, "args");
    event *ev = &events[n_events++];
    CHECK(n_events < MOST_EVENTS);
    memset(ev, 0, sizeof *ev);
    read_row(row, ev);
    CHECK_MSG(!strcmp(text(o, "name"), ev->kind == WAVE ? body : name_of[ev->kind]), "%s", text(o, "name"));
    ev->begin_ns = ns(o, "ts");
    ev->end_ns = ev->begin_ns + ns(o, "dur");
    ev->first = integer(args, "begin");
    ev->last = integer(args, "end");
    ev->n_bytes = ev->kind == WAVE ? 0 : integer(args, "bytes");
}

static int by_stride(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

/* By strides, and of a stride in, wave and home. */
static void read_trace(const front_rig *r, char *body)
{
    static const char path[] = "front_trace.json";
    CHECK_OK(NULL, heddle_wavefront_write_trace(r->w, path));
    n_events = 0;
    trace_read(path, read_event, body);
    qsort(events, n_events, sizeof *events, by_stride);
}

/* ---- what must hold --------------------------------------------------------------------------------------------------------- */

/* Of a stride its events, which follow one another. Returns behind them. */
static const event *check_stride(const event *ev, uint64_t first)
{
    const event *const begin = ev, *const all = events + n_events;
    for (; ev < all && ev->first == begin->first; ev++) {
        CHECK_MSG(ev->first == first && ev->last == begin->last && ev->unit == begin->unit, "%llu to %llu",
                  (unsigned long long)ev->first, (unsigned long long)ev->last);
        CHECK(is_cores(ev->unit) || ev->kind == (kind)(ev - begin));
        CHECK_MSG(ev == begin || ev[-1].end_ns <= ev->begin_ns, "kind %d begins at %llu, the one before ends at %llu",
                  (int)ev->kind, (unsigned long long)ev->begin_ns, (unsigned long long)ev[-1].end_ns);
    }
    CHECK_MSG(ev - begin == (is_cores(begin->unit) ? 1 : N_KINDS), "%td events of a stride", ev - begin);
    return ev;
}

/* Returns how many strides there are. */
static uint32_t check_strides(uint64_t n_units)
{
    const event *ev = events;
    uint64_t at = 0;
    uint32_t n = 0;
    for (; ev < events + n_events; n++) {
        const event *const begin = ev;
        ev = check_stride(ev, at);
        at = begin->last;
    }
    CHECK_MSG(at == n_units, "strides end at %llu", (unsigned long long)at);
    return n;
}

static void check_rows(void)
{
    for (uint32_t i = 0; i < n_events; i++)
        for (uint32_t k = i + 1u; k < n_events; k++) {
            const event *a = &events[i], *b = &events[k];
            if (a->unit == b->unit && a->kind == b->kind)
                CHECK_MSG(a->end_ns <= b->begin_ns || b->end_ns <= a->begin_ns, "unit %u, kind %d", a->unit,
                          (int)a->kind);
        }
}

/* Of virtual devices. All copies of a phase are one event; each of them has the latency. Between two of them the device may wait for the host. Sweeps go home
 * in one copy. */
static void check_rate(int is_sweep)
{
    for (uint32_t i = 0; i < n_events; i++) {
        const event *ev = &events[i];
        const double least = LATENCY * 1e9 + (double)ev->n_bytes / LINK * 1e9,
                     got = (double)(ev->end_ns - ev->begin_ns);
        CHECK_MSG(ev->kind == WAVE || (*first == 'c' && ev->unit == 0) ||
                      (got >= least - 2.0 && (!is_sweep || ev->kind == IN || got <= least + 2.0)),
                  "%llu bytes take %.0f ns, not %.0f", (unsigned long long)ev->n_bytes, got, least);
    }
}

static void check_sums(const front_rig *r, uint32_t n_units)
{
    for (uint32_t unit = 0; unit < n_units; unit++) {
        heddle_wavefront_unit u = HEDDLE_WAVEFRONT_UNIT_INIT;
        uint64_t n = 0, n_in = 0, n_out = 0, n_strides = 0;
        CHECK_OK(NULL, heddle_wavefront_get_unit(r->w, unit, &u));
        for (uint32_t i = 0; i < n_events; i++)
            if (events[i].unit == unit) {
                n_in += events[i].kind == IN ? events[i].n_bytes : 0;
                n_out += events[i].kind == HOME ? events[i].n_bytes : 0;
                n += events[i].kind == WAVE ? events[i].last - events[i].first : 0;
                n_strides += events[i].kind == WAVE;
                CHECK(events[i].end_ns <= u.end_ns);
            }
        CHECK_MSG(n == u.n_rows && n_strides == u.n_strides && n_in == u.bytes_in && n_out == u.bytes_out,
                  "unit %u: %llu of %llu, %llu of %llu bytes in, %llu of %llu out", unit, (unsigned long long)n,
                  (unsigned long long)u.n_rows, (unsigned long long)n_in, (unsigned long long)u.bytes_in,
                  (unsigned long long)n_out, (unsigned long long)u.bytes_out);
    }
}

/* A wave ends behind the one before, since its last row needs that one's. The host may see both ends at once. */
static void check_waves(void)
{
    const event *before = NULL;
    for (uint32_t i = 0; i < n_events; i++)
        if (events[i].kind == WAVE) {
            CHECK(!before || before->begin_ns <= events[i].end_ns);
            before = &events[i];
        }
}

/* ---- wavefronts ------------------------------------------------------------------------------------------------------------- */

static heddle_fleet *open_fleet(const char *more)
{
    char words[128];
    heddle_fleet *f = NULL;
    (void)snprintf(words, sizeof words, "%s " A_VIRTUAL " %s", first, more);
    CHECK_OK(NULL, heddle_fleet_open(&f, words, NULL));
    return f;
}

static void check_case(front_case c, char *body)
{
    heddle_fleet *f = open_fleet("cpu:2");
    front_rig r;
    c.n_trace = N_TRACE;
    CHECK_OK(NULL, front_open(&r, f, &c));
    for (int run = 0; run < 2; run++) {
        uint32_t n;
        front_fill(&r);
        CHECK_OK(NULL, heddle_wavefront_start(r.w, &r.params, sizeof r.params));
        CHECK_OK(NULL, heddle_wavefront_wait(r.w, HEDDLE_FOREVER));
        front_compare(front_plain(&c), front_take(&r), &c, "traced");
        read_trace(&r, body);
        n = check_strides(c.rows);
        CHECK_MSG(n >= MOST_UNITS, "%u strides", n);
        check_rows();
        check_rate(c.sweeps > 0);
        check_sums(&r, MOST_UNITS);
        check_waves();
        printf("%s, %s: %u strides, %u events\n", body, heddle_split_name(c.split), n, n_events);
    }
    front_close(&r);
    heddle_fleet_close(f);
}

static uint32_t count_in(const char *path, const char *what)
{
    char line[4096];
    uint32_t n = 0;
    FILE *f = fopen(path, "r");
    CHECK(f);
    while (fgets(line, sizeof line, f))
        n += strstr(line, what) != NULL;
    CHECK(!fclose(f));
    return n;
}

static void check_picture(void)
{
    static const char path[] = "front_trace.svg";
    static const char *const want[] = {">virtual:0, link in<",  ">virtual:0, waves<",
                                       ">virtual:1, link out<", ">cpu:2<",
                                       ">divided among three<", "results go home"};
    const front_case c = {.body = front_mix,
                          .rows = 90,
                          .cols = 900,
                          .seed = 4,
                          .split = HEDDLE_SPLIT_STATIC,
                          .n_trace = N_TRACE,
                          .fail_row = UINT32_MAX};
    heddle_fleet *f = open_fleet("cpu:2");
    front_rig r;
    CHECK_OK(NULL, front_open(&r, f, &c));
    front_fill(&r);
    CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
    CHECK_OK(NULL, heddle_wavefront_write_timeline(r.w, path, "divided among three"));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK_MSG(count_in(path, want[i]) > 0, "the picture has no %s", want[i]);
    CHECK(!remove(path));
    front_close(&r);
    heddle_fleet_close(f);
}

/* A cell of the last stride fails: what was seen to end is there, and nothing that has not ended. With room for one event a row the rest is
 * dropped. */
static void check_failing(void)
{
    front_case c = {.body = front_frail,
                    .rows = 150,
                    .cols = 960,
                    .seed = 9,
                    .split = HEDDLE_SPLIT_STATIC,
                    .n_trace = N_TRACE,
                    .fail_row = 149,
                    .fail_col = 959};
    heddle_fleet *f = open_fleet("");
    front_rig r;
    CHECK_OK(NULL, front_open(&r, f, &c));
    front_fill(&r);
    CHECK(heddle_wavefront_run(r.w, &r.params, sizeof r.params) == HEDDLE_EBODY);
    read_trace(&r, "front_frail");
    CHECK_MSG(n_events >= 2 && n_events <= 4 && events[n_events - 1u].kind == IN, "%u events", n_events);
    front_close(&r);
    c.fail_row = UINT32_MAX;
    c.split = HEDDLE_SPLIT_GUIDED;
    c.n_trace = 1;
    CHECK_OK(NULL, front_open(&r, f, &c));
    front_fill(&r);
    CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
    read_trace(&r, "front_frail");
    CHECK_MSG(n_events == 6, "%u events", n_events);
    front_close(&r);
    heddle_fleet_close(f);
}

int main(int argc, char **argv)
{
    const int cuda = argc > 1 && !strcmp(argv[1], "--cuda");
    const front_case mix = {.body = front_mix,
                            .rows = 200,
                            .cols = 1500,
                            .seed = 3,
                            .has_borders = 1,
                            .keeps = 1,
                            .split = HEDDLE_SPLIT_STATIC,
                            .fail_row = UINT32_MAX};
    front_case guided = mix;
    const front_case sweep = {.body = front_sweep,
                              .rows = 200,
                              .cols = 1500,
                              .sweeps = 4,
                              .seed = 3,
                              .keeps = 1,
                              .split = HEDDLE_SPLIT_STATIC};
    guided.split = HEDDLE_SPLIT_GUIDED;
    if (cuda && !heddle_backend_is_present(HEDDLE_CUDA))
        SKIP("no GPU");
    first = cuda ? "cuda:0/2" : first;
    check_case(mix, "front_mix");
    check_case(guided, "front_mix");
    check_case(sweep, "front_sweep");
    if (cuda)
        return 0;
    check_picture();
    check_failing();
    return 0;
}
