/* SPDX-License-Identifier: MIT */
/* Timelines, read back: the picture is balanced XML. Its lines, decoded, colour exactly the columns in which tasks ran,
 * in the colour of the body. A million events stay below a megabyte on few and on very many workers. Also odd names and
 * titles, dropped events, runs of no time, refusals and missing memory. */
#include "synthetic.h"

#include "graph/dump.h"

#include <math.h>

static char *folder, path[64];

/* ---- the picture as a table of columns --------------------------------------------------------------------------- */

typedef struct grid {
    uint64_t n_columns, n_rows;
    double column_ns;
    uint8_t *colour, *strength; /* 0: idle; else 1 + index, 1..4 */
} grid;

/* Tags must close in order, quotes and entities be complete. */
static void check_xml(const char *at)
{
    const char *open[16];
    size_t depth = 0, n;
    while (*at) {
        if (*at == '&')
            CHECK_MSG(!strncmp(at, "&amp;", 5) || !strncmp(at, "&lt;", 4) || !strncmp(at, "&gt;", 4), "%.20s", at);
        CHECK_MSG((unsigned char)*at >= 0x20 || *at == '\n', "byte %d", *at);
        if (*at++ != '<')
            continue;
        n = strcspn(at, " />");
        if (*at == '/') {
            n = strcspn(at + 1, ">");
            CHECK_MSG(depth && !strncmp(open[--depth], at + 1, n), "closes %.10s", at);
        } else {
            CHECK(n && depth < 16);
            open[depth++] = at;
        }
        for (; *at && *at != '>'; at++)
            if (*at == '"')
                CHECK((at = strchr(at + 1, '"')) != NULL);
        depth -= at[-1] == '/';
    }
    CHECK(depth == 0);
}

static uint8_t colour_index(const char *hex)
{
    uint32_t i;
    for (i = 0; i < HD_N_COLOURS; i++)
        if (!strncmp(hd_colour(i), hex, 7))
            return (uint8_t)(i + 1);
    CHECK_MSG(0, "no colour %.7s", hex);
    return 0;
}

static void fill(grid *v, uint64_t x, uint64_t y, uint64_t n, uint8_t colour, uint8_t strength)
{
    uint64_t i;
    CHECK_MSG(y < v->n_rows && n > 0 && x + n <= v->n_columns, "%llu+%llu of %llu, row %llu", (unsigned long long)x,
              (unsigned long long)n, (unsigned long long)v->n_columns, (unsigned long long)y);
    for (i = x; i < x + n; i++) {
        CHECK(!v->colour[y * v->n_columns + i]); /* lines do not overlap */
        v->colour[y * v->n_columns + i] = colour;
        v->strength[y * v->n_columns + i] = strength;
    }
}

/* <path stroke="#rrggbb"[ opacity=".."] d="M1 0h2m3 0h4M.."/> */
static const char *read_path(grid *v, const char *at)
{
    uint8_t colour = colour_index(at), strength = 4;
    uint64_t x = 0, y = 0;
    at += 8;
    if (!strncmp(at, " opacity=\".", 11))
        strength = at[11] == '3' ? 1 : at[11] == '5' ? 2 : 3;
    for (at = strstr(at, "d=\"") + 3; *at != '"';) {
        char kind = *at, *end;
        uint64_t n = strtoull(at + 1, &end, 10);
        at = end;
        if (kind == 'h')
            fill(v, x, y, n, colour, strength);
        else
            CHECK((kind == 'M' || kind == 'm') && *at == ' ');
        x = kind == 'M' ? n : x + n;
        if (kind == 'M')
            y = strtoull(at, &end, 10);
        else if (kind == 'm')
            CHECK(strtoull(at, &end, 10) == 0);
        at = kind == 'h' ? at : end;
    }
    return at;
}

static void read_grid(grid *v, const char *svg, uint64_t span_ns)
{
    const char *at = strstr(svg, "preserveAspectRatio=\"none\" viewBox=\"0 0 ");
    char *end;
    double columns;
    CHECK(at && (at = strstr(at, "0 0 ")));
    columns = strtod(at + 4, &end);
    v->n_rows = strtoull(end, NULL, 10);
    v->column_ns = round((double)span_ns / columns);
    CHECK(fabs((double)span_ns / v->column_ns - columns) < 2e-3);
    v->n_columns = (uint64_t)ceil((double)span_ns / v->column_ns);
    v->colour = calloc(v->n_rows, v->n_columns);
    v->strength = calloc(v->n_rows, v->n_columns);
    while ((at = strstr(at, "<path stroke=\"")))
        at = read_path(v, at + 14);
}

static void free_grid(grid *v)
{
    free(v->colour);
    free(v->strength);
}

static char *svg_of(const synthetic *s, const char *title, size_t *n_bytes)
{
    char *svg;
    CHECK_MSG(hd_write_timeline(&s->o, path, title, NULL) == HEDDLE_OK, "%s", hd_thread_error()->text);
    svg = synthetic_text(path, n_bytes);
    unlink(path);
    check_xml(svg);
    return svg;
}

/* ---- against the events ------------------------------------------------------------------------------------------ */

/* Busy time per body in one column of a row. */
static double busy(const synthetic *s, uint32_t row, double from, double to, double *by_body, int *ends)
{
    double sum = 0;
    uint32_t i;
    memset(by_body, 0, SYNTHETIC_BODIES * sizeof *by_body);
    *ends = 0;
    for (i = 0; i < s->tallies[row].n_events; i++) {
        const hd_event *ev = &s->events[(uint64_t)row * s->o.n_trace + i];
        double begin = (double)(ev->begin - s->o.begin_ns), end = (double)(ev->end - s->o.begin_ns);
        double both = fmin(end, to) - fmax(begin, from);
        if (both <= 0)
            continue;
        by_body[hd_graph_task(&s->g, ev->task)->body] += both;
        sum += both;
        *ends |= end <= to;
    }
    return sum;
}

static void check_column(const synthetic *s, const grid *v, uint32_t row, uint64_t at)
{
    double by_body[SYNTHETIC_BODIES], sum;
    uint8_t colour = v->colour[row * v->n_columns + at], strength = v->strength[row * v->n_columns + at];
    uint32_t b;
    int ends;
    sum = busy(s, row, (double)at * v->column_ns, (double)(at + 1) * v->column_ns, by_body, &ends);
    CHECK_MSG((sum > 0) == (colour > 0), "row %u column %llu", row, (unsigned long long)at);
    for (b = 0; b < SYNTHETIC_BODIES; b++)
        if (by_body[b] > 0.5 * sum)
            CHECK(colour == 1 + b);
    if (sum > 0 && !ends)
        CHECK(fabs(strength - 4 * sum / v->column_ns) <= 0.5001 || (strength == 1 && 4 * sum < v->column_ns));
}

static void random_run(uint64_t *seed)
{
    synthetic s;
    grid v;
    char *svg;
    uint32_t n = 1 + (uint32_t)check_below(seed, 90), w;
    uint64_t at;
    synthetic_graph(&s, n, (uint32_t)check_below(seed, 2 * n), seed);
    synthetic_run(&s, 1 + (uint32_t)check_below(seed, 6), n, seed);
    svg = svg_of(&s, "a run", NULL);
    read_grid(&v, svg, s.o.end_ns - s.o.begin_ns);
    CHECK(v.n_rows == s.o.n_workers && v.n_columns <= 2200);
    for (w = 0; w < v.n_rows; w++)
        for (at = 0; at < v.n_columns; at++)
            check_column(&s, &v, w, at);
    free_grid(&v);
    free(svg);
    synthetic_free(&s);
}

/* n tasks of four bodies without edges, dealt to the workers; tasks and gaps are `ns` long on average. */
static void big_run(synthetic *s, uint32_t n, uint32_t n_workers, uint64_t ns, uint64_t *seed)
{
    static const uint32_t body[4] = {0, 1, 2, 4};
    uint64_t *left = calloc(n_workers, sizeof *left);
    uint32_t t, w;
    memset(s, 0, sizeof *s);
    CHECK(hd_graph_init(&s->g, &synthetic_table, NULL) == HEDDLE_OK);
    for (t = 0; t < n; t++) {
        static const uint8_t args[128];
        heddle_task_desc d = HEDDLE_TASK_INIT;
        d.body = body[check_below(seed, 4)];
        d.args = args;
        d.arg_bytes = synthetic_bodies[d.body].arg_bytes;
        CHECK(hd_graph_add(&s->g, &d, NULL, NULL) == HEDDLE_OK);
    }
    CHECK(hd_graph_freeze(&s->g, NULL) == HEDDLE_OK);
    synthetic_room(s, n_workers, (n + n_workers - 1) / n_workers);
    for (t = 0; t < n; t++) {
        uint64_t begin = s->o.begin_ns + left[w = t % n_workers] + check_below(seed, 2 * ns);
        uint64_t end = begin + 1 + check_below(seed, 2 * ns);
        s->events[(uint64_t)w * s->o.n_trace + s->tallies[w].n_events++] = (hd_event){begin, end, t, 0, 0, 0};
        s->tallies[w].n_tasks++;
        left[w] = end - s->o.begin_ns;
        s->o.end_ns = end > s->o.end_ns ? end : s->o.end_ns;
    }
    free(left);
}

static void big_runs(uint64_t *seed)
{
    static const uint32_t n_workers[] = {2, 132, 1000, 5000};
    uint32_t i;
    for (i = 0; i < 4; i++) {
        synthetic s;
        grid v;
        char *svg;
        size_t n_bytes;
        uint64_t k, n_coloured = 0;
        big_run(&s, 1000000, n_workers[i], 3000, seed);
        svg = svg_of(&s, "a million tasks", &n_bytes);
        CHECK_MSG(n_bytes < 1000000, "%u workers: %zu bytes", n_workers[i], n_bytes);
        read_grid(&v, svg, s.o.end_ns - s.o.begin_ns);
        for (k = 0; k < v.n_rows * v.n_columns; k++)
            n_coloured += v.colour[k] > 0;
        printf("%u workers: %zu bytes, %llu of %llu cells\n", n_workers[i], n_bytes, (unsigned long long)n_coloured,
               (unsigned long long)(v.n_rows * v.n_columns));
        CHECK(v.n_rows == n_workers[i] && n_coloured * 4 > v.n_rows * v.n_columns);
        free_grid(&v);
        free(svg);
        synthetic_free(&s);
    }
}

/* Long tasks on many workers: too many lines for shades, but each task still has a line. */
static void crowded(uint64_t *seed)
{
    synthetic s;
    grid v;
    char *svg;
    size_t n_bytes;
    uint32_t w, i;
    big_run(&s, 90000, 1000, 30000, seed);
    svg = svg_of(&s, "crowded", &n_bytes);
    CHECK(n_bytes < 1000000);
    read_grid(&v, svg, s.o.end_ns - s.o.begin_ns);
    for (w = 0; w < v.n_rows; w++)
        for (i = 0; i < s.tallies[w].n_events; i++) {
            const hd_event *ev = &s.events[(uint64_t)w * s.o.n_trace + i];
            double middle = ((double)(ev->begin - s.o.begin_ns) + (double)(ev->end - s.o.begin_ns)) / 2;
            uint64_t at = (uint64_t)(middle / v.column_ns);
            const uint8_t *c = &v.colour[w * v.n_columns + at];
            CHECK(c[0] || (at && c[-1])); /* the column of an event's middle is coloured, or the one before */
        }
    free_grid(&v);
    free(svg);
    synthetic_free(&s);
}

static void words(uint64_t *seed)
{
    synthetic s;
    char *svg;
    synthetic_graph(&s, 50, 20, seed);
    synthetic_run(&s, 2, 50, seed);
    svg = svg_of(&s, NULL, NULL);
    CHECK(strstr(svg, ">made &amp; up</text>") && strstr(svg, "a \"quoted\\\" &lt;&amp;&gt; \xc3\xa9?"));
    CHECK(strstr(svg, ">alpha <") && !strstr(svg, "never") && !strstr(svg, "not recorded"));
    CHECK(strstr(svg, "makespan ") && strstr(svg, "utilisation ") && strstr(svg, "50 tasks on 2 workers"));
    free(svg);
    svg = svg_of(&s, "<bad> \x01 \xff \xef\xbf\xbf & \xe2\x82\xac", NULL);
    CHECK(strstr(svg, ">&lt;bad&gt; ? ? ? &amp; \xe2\x82\xac</text>"));
    free(svg);
    synthetic_free(&s);
}

/* Thirty bodies with long names: 24 have an entry, the others share one; all entries are inside the picture. */
static void long_legend(void)
{
    static heddle_body_info bodies[30];
    const heddle_table table = {sizeof table, HEDDLE_CORE_VERSION, "long", 0, 30, bodies, NULL, 1, NULL, 0, 0, 0};
    heddle_task_desc d = HEDDLE_TASK_INIT;
    synthetic s;
    char *svg;
    const char *at;
    uint32_t n = 0;
    memset(&s, 0, sizeof s);
    for (d.body = 0; d.body < 30; d.body++)
        bodies[d.body].name = d.body % 2 ? "b" : "a_body_with_a_name_that_is_longer_than_forty_characters";
    CHECK(hd_graph_init(&s.g, &table, NULL) == HEDDLE_OK);
    for (d.body = 0; d.body < 30; d.body++)
        CHECK(hd_graph_add(&s.g, &d, NULL, NULL) == HEDDLE_OK);
    CHECK(hd_graph_freeze(&s.g, NULL) == HEDDLE_OK);
    synthetic_run_in_order(&s);
    svg = svg_of(&s, NULL, NULL);
    for (at = svg; (at = strstr(at, "width=\"12\"")); at++, n++) {
        const char *rect = at;
        while (strncmp(rect, "<rect x=\"", 9))
            rect--;
        CHECK(strtoul(rect + 9, NULL, 10) >= 64 && strtoul(rect + 9, NULL, 10) < 1100);
    }
    CHECK(n == 25 && strstr(svg, "other bodies <tspan fill=\"#57606a\">6</tspan>"));
    CHECK(strstr(svg, ">a_body_with_a_name_that_is_longer_than_f\xe2\x80\xa6 <"));
    free(svg);
    synthetic_free(&s);
}

static void dropped(uint64_t *seed)
{
    synthetic s;
    char *svg, number[40];
    uint32_t w, n = 0, n_rows = 0;
    const char *at;
    synthetic_graph(&s, 90, 20, seed);
    synthetic_run(&s, 4, 12, seed);
    for (w = 0; w < 4; w++) {
        n += s.tallies[w].n_dropped;
        n_rows += s.tallies[w].n_dropped > 0;
    }
    CHECK(n > 0);
    svg = svg_of(&s, "dropped", NULL);
    snprintf(number, sizeof number, ">%u</tspan>", n);
    CHECK((at = strstr(svg, "not recorded")) && strstr(at, number) && strstr(svg, "at least"));
    for (at = svg; (at = strstr(at, "height=\"1\"/>")); at++)
        n_rows--;
    CHECK(n_rows == 0);
    free(svg);
    synthetic_free(&s);
}

/* No time, one nanosecond, a year; an event that seems to end after the run. */
static void odd_times(uint64_t *seed)
{
    static const uint64_t span[] = {0, 1, 999, 1000, 86400u * 365u * 1000000000ull};
    synthetic s;
    uint32_t i;
    synthetic_graph(&s, 1, 0, seed);
    synthetic_room(&s, 1, 1);
    s.tallies[0].n_events = s.tallies[0].n_tasks = 1;
    for (i = 0; i < sizeof span / sizeof *span; i++) {
        s.events[0] = (hd_event){s.o.begin_ns, s.o.begin_ns + span[i], 0, 0, 0, 0};
        s.o.end_ns = s.o.begin_ns + span[i] / 2;
        free(svg_of(&s, "odd", NULL));
    }
    s.tallies[0].n_events = 0;
    free(svg_of(&s, "nothing was run", NULL));
    synthetic_free(&s);
}

static heddle_status untitled(const hd_outcome *o, const char *file, hd_error *e)
{
    return hd_write_timeline(o, file, NULL, e);
}

int main(void)
{
    uint64_t seed = check_seed(14), i;
    folder = synthetic_mkdir();
    snprintf(path, sizeof path, "%s/timeline.svg", folder);
    for (i = 0; i < 40; i++)
        random_run(&seed);
    big_runs(&seed);
    crowded(&seed);
    words(&seed);
    long_legend();
    dropped(&seed);
    odd_times(&seed);
    synthetic_refusals(untitled, path, &seed);
    CHECK(hd_held_bytes() == 0);
    synthetic_rmdir(folder);
    return 0;
}
