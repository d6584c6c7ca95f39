/* SPDX-License-Identifier: MIT */
/* timeline.c - a run as an SVG picture: a row per worker, a colour per body, idle time white, time to the right.
 *
 * Time is divided into columns of half a pixel. Each cell of a row and a column has one code: the colour of the body that
 * took most of the column, and one of four strengths by how much of it was busy. Tasks far below a pixel thus show as a
 * shade. Neighbouring columns of one code become one line of a path. If there are too many lines, the shades at the ends of
 * tasks are dropped first, then columns are widened. The file stays below a megabyte for any number of events and workers.
 *
 * If rows have names, these are to the right of rows that are thick enough.
 *
 * Of a wave a row is one of the bands that a worker runs at a time, and a stretch of a band that has waited is so much paler.
 *
 * Numbers are printed by integer arithmetic, so the picture is the same in every locale. A row is grey where events were
 * dropped, and the legend says how many are missing. */
#include "run/report.h"
#include "graph/dump.h"

#include <stdio.h>
#include <string.h>

#define PLOT_PX 1100u
#define LEFT_PX 64u
#define WIDTH_PX 1200u
#define NAMES_PX 140u     /* more, if rows have names */
#define MOST_ROW_NAME 20u /* characters */
#define LINE_MILLI 13000u /* of a text, in thousandths of a pixel */
#define ROWS_PX 760u      /* height of all rows together, if there are many; at least a pixel each */
#define MOST_ROWS_PX 1000u
#define THICKEST_PX 32u   /* of a row, if there are few */
#define MOST_RUNS 120000u /* lines of about 7 bytes */
#define MOST_CODES (1u << 27)
#define N_STRENGTHS 4u
#define MOST_LEGEND 24u
#define MOST_NAME 40u /* characters */
#define MOST_TITLE 95u
#define UNKNOWN "#d8dee4"
#define SEPARATED 5u                              /* columns of a task from which on its end is marked */
#define N_CODES (1u + HD_N_COLOURS * N_STRENGTHS) /* 0: idle */

typedef struct column {
    uint64_t busy_ns, votes; /* votes: running lead of `body` over the others */
    uint32_t body;
    uint8_t ends;   /* a long task ends here: drawn weaker, to separate it from the next */
    uint8_t middle; /* middle of a task, which must stay visible without shades */
} column;

typedef struct picture {
    const hd_outcome *o;
    hd_file *f;
    heddle_stats stats;
    uint64_t span_ns; /* width of the plot */
    uint64_t column_ns, n_columns;
    int hard;               /* columns are drawn in full strength or not at all */
    uint64_t cap_columns;   /* columns of the first, finest attempt */
    column *row;            /* scratch of one row, cap_columns */
    uint8_t *codes;         /* n_columns per worker */
    uint64_t *counts;       /* tasks drawn, by body */
    uint64_t used[N_CODES]; /* lines of each code */
    uint64_t row_milli;     /* pitch of rows in thousandths of a pixel */
    uint32_t top_px;        /* of the plot */
} picture;

/* ---- columns ------------------------------------------------------------------------------------------------------ */

/* Majority vote: a body that took more than half of the column wins; otherwise the winner is not far behind. */
static void vote(column *c, uint32_t body, uint64_t ns)
{
    c->busy_ns += ns;
    if (c->body == body) {
        c->votes += ns;
    } else if (ns > c->votes) {
        c->body = body;
        c->votes = ns - c->votes;
    } else {
        c->votes -= ns;
    }
}

/* The end of an event; at least 1 ns after its begin, so that every task is drawn. */
static uint64_t end_of(const picture *p, const hd_event *ev)
{
    uint64_t begin = hd_since(p->o, ev->begin), end = hd_since(p->o, ev->end);
    return end > begin ? end : begin + 1;
}

/* Of ns of an event: what it did not wait. A stretch of a band does not tell when it waited, so all of it is paler. */
static uint64_t busy_part(const hd_event *ev, uint64_t ns)
{
    const uint64_t of = hd_event_ns(ev);
    return hd_event_waited(ev) ? (uint64_t)((double)ns * (double)hd_event_busy(ev) / (double)(of ? of : 1)) : ns;
}

static void put_event(picture *p, const hd_event *ev, uint32_t body)
{
    uint64_t begin = hd_since(p->o, ev->begin), end = end_of(p, ev), at;
    uint64_t first = begin / p->column_ns, last = (end - 1) / p->column_ns;
    for (at = first; at <= last; at++) {
        uint64_t from = at * p->column_ns, to = from + p->column_ns;
        uint64_t ns = (end < to ? end : to) - (begin > from ? begin : from);
        vote(&p->row[at], body, busy_part(ev, ns));
    }
    p->row[last].ends |= last - first >= SEPARATED;
    p->row[first + (last - first) / 2].middle = 1;
}

static uint64_t strength_of(const picture *p, const column *c)
{
    uint64_t strength = (c->busy_ns * N_STRENGTHS + p->column_ns / 2) / p->column_ns;
    if (p->hard)
        return c->middle || c->busy_ns * 2 >= p->column_ns ? N_STRENGTHS : 0;
    strength = strength < 1 ? 1 : strength > N_STRENGTHS ? N_STRENGTHS : strength;
    return c->ends && strength > 1 ? 2 : strength;
}

static uint8_t code_of(const picture *p, const column *c)
{
    uint64_t strength = c->busy_ns ? strength_of(p, c) : 0;
    return strength ? (uint8_t)(c->body % HD_N_COLOURS * N_STRENGTHS + strength) : 0;
}

static void code_row(picture *p, uint32_t row)
{
    const uint32_t worker = row / hd_n_lanes(p->o), lane = row % hd_n_lanes(p->o);
    uint8_t *codes = p->codes + row * p->n_columns;
    uint64_t at;
    uint32_t i;
    memset(p->row, 0, p->n_columns * sizeof *p->row);
    for (i = 0; i < hd_n_events(p->o, worker); i++) {
        const hd_event *ev = &hd_events_of(p->o, worker)[i];
        uint32_t body = hd_kind_of(p->o, ev);
        if (body < p->o->legend.n_kinds && hd_lane_of(p->o, ev) == lane)
            put_event(p, ev, body);
    }
    for (at = 0; at < p->n_columns; at++) {
        codes[at] = code_of(p, &p->row[at]);
        if (codes[at] && (at == 0 || codes[at] != codes[at - 1]))
            p->used[codes[at]]++;
    }
}

/* Codes all rows with columns of column_ns. Returns the number of lines to draw. */
static uint64_t code_rows(picture *p)
{
    uint64_t n = 0;
    uint32_t w, c;
    p->n_columns = (p->span_ns + p->column_ns - 1) / p->column_ns;
    memset(p->used, 0, sizeof p->used);
    for (w = 0; w < hd_n_rows(p->o); w++)
        code_row(p, w);
    for (c = 1; c < N_CODES; c++)
        n += p->used[c];
    return n;
}

/* Chooses the columns. Without shades the picture is accurate if tasks are longer than columns; that is then tried before
 * widening. */
static void fit(picture *p)
{
    for (;;) {
        uint64_t n = code_rows(p);
        if (n > MOST_RUNS && p->stats.body_ns / p->column_ns >= p->stats.n_events) {
            p->hard = 1;
            n = code_rows(p);
        }
        if (n <= MOST_RUNS || p->n_columns == 1)
            return;
        p->hard = 0;
        p->column_ns += n > 3 * MOST_RUNS ? p->column_ns : p->column_ns / 4 + 1;
    }
}

static void count_events(picture *p)
{
    uint32_t w, i;
    p->span_ns = p->stats.run_ns ? p->stats.run_ns : 1;
    for (w = 0; w < p->o->n_workers; w++)
        for (i = 0; i < hd_n_events(p->o, w); i++) {
            const hd_event *ev = &hd_events_of(p->o, w)[i];
            uint32_t body = hd_kind_of(p->o, ev);
            if (end_of(p, ev) > p->span_ns)
                p->span_ns = end_of(p, ev); /* clocks of host and device may differ slightly */
            if (body < p->o->legend.n_kinds)
                p->counts[body]++;
        }
}

static void picture_clear(picture *p)
{
    hd_delete(p->row, p->cap_columns * sizeof *p->row);
    hd_delete(p->codes, p->cap_columns * hd_n_rows(p->o));
    hd_delete(p->counts, p->o->legend.n_kinds * sizeof *p->counts);
}

static int picture_room(picture *p)
{
    p->column_ns = (p->span_ns + 2 * PLOT_PX - 1) / (2 * PLOT_PX);
    while (p->span_ns / p->column_ns * hd_n_rows(p->o) > MOST_CODES)
        p->column_ns *= 2;
    p->cap_columns = (p->span_ns + p->column_ns - 1) / p->column_ns;
    p->row = hd_new(p->cap_columns * sizeof *p->row);
    p->codes = hd_new(p->cap_columns * hd_n_rows(p->o));
    return p->row && p->codes ? 0 : -1;
}

static uint64_t row_milli(uint64_t n_workers)
{
    uint64_t milli = ROWS_PX * 1000 / n_workers;
    if (milli > 3000) /* whole pixels give sharp edges */
        return milli > THICKEST_PX * 1000 ? THICKEST_PX * 1000 : milli / 1000 * 1000;
    if (milli < 1000)
        return n_workers < MOST_ROWS_PX ? 1000 : MOST_ROWS_PX * 1000 / n_workers;
    return milli;
}

static heddle_status picture_init(picture *p, const hd_outcome *o, hd_error *e)
{
    memset(p, 0, sizeof *p);
    p->o = o;
    HD_TRY(hd_report_stats(o, &p->stats, e));
    p->counts = hd_new(o->legend.n_kinds * sizeof *p->counts);
    if (p->counts)
        count_events(p);
    if (!p->counts || picture_room(p)) {
        picture_clear(p);
        return hd_say(e, HEDDLE_ENOMEM, "a timeline: out of memory");
    }
    fit(p);
    p->row_milli = row_milli(hd_n_rows(o));
    return HEDDLE_OK;
}

/* ---- words -------------------------------------------------------------------------------------------------------- */

/* Prints at most `most` characters, escaped for XML. XML forbids control characters and two others. */
static void print_text(hd_file *f, const char *text, uint32_t most)
{
    uint32_t n, shown;
    for (shown = 0; *text && shown < most; shown++, text += n ? n : 1) {
        n = hd_utf8_bytes(text);
        if (n == 0 || (unsigned char)*text < 0x20 || !strncmp(text, "\xef\xbf\xbe", 3) ||
            !strncmp(text, "\xef\xbf\xbf", 3))
            hd_file_print(f, "?");
        else if (*text == '&' || *text == '<' || *text == '>')
            hd_file_print(f, "%s", *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : "&gt;");
        else
            hd_file_print(f, "%.*s", (int)n, text);
    }
    if (*text)
        hd_file_print(f, "\xe2\x80\xa6");
}

static uint32_t n_characters(const char *text)
{
    uint32_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

typedef struct unit {
    const char *name;
    uint64_t ns;
} unit;

static unit unit_of(uint64_t ns)
{
    static const unit units[] = {{"s", 1000000000u}, {"ms", 1000000u}, {"\xc2\xb5s", 1000u}, {"ns", 1u}};
    uint32_t i = 0;
    while (i < 3 && ns < units[i].ns)
        i++;
    return units[i];
}

static void print_duration(hd_file *f, uint64_t ns)
{
    unit u = unit_of(ns);
    uint64_t milli = ns / u.ns * 1000 + ns % u.ns * 1000 / u.ns;
    hd_print_milli(f, milli < 100000 ? (milli + 5) / 10 * 10 : (milli + 50) / 100 * 100);
    hd_file_print(f, " %s", u.name);
}

static void print_caption(picture *p)
{
    const heddle_stats *s = &p->stats;
    hd_file_print(p->f, "<text x=\"%u\" y=\"55\" font-size=\"13\" fill=\"#57606a\">makespan ", LEFT_PX);
    print_duration(p->f, s->run_ns);
    hd_file_print(p->f, " \xc2\xb7 utilisation %s", s->n_dropped ? "at least " : "");
    hd_print_milli(p->f, (uint64_t)(s->utilisation * 1000 + 0.5) * 100);
    hd_file_print(p->f, " %%");
    if (p->o->legend.n_items || p->o->legend.stretch_of) {
        hd_file_print(p->f, " \xc2\xb7 %s ", p->o->legend.n_items ? "longest path" : "waited");
        print_duration(p->f, p->o->legend.n_items ? s->path_ns : s->wait_ns);
    }
    hd_file_print(p->f, " \xc2\xb7 %llu task%s on %u %s%s \xc2\xb7 %s, %s", (unsigned long long)s->n_tasks,
                  s->n_tasks == 1 ? "" : "s", hd_n_rows(p->o), p->o->legend.row, hd_n_rows(p->o) == 1 ? "" : "s",
                  p->o->backend, hd_way_name(p->o));
    if (p->o->legend.note)
        hd_file_print(p->f, " \xc2\xb7 %s", p->o->legend.note);
    hd_file_print(p->f, "</text>\n");
}

/* Position of the next legend entry. */
typedef struct place {
    uint32_t x, y;
} place;

/* Prints a legend entry: a square, a name, a number; wraps at the line's end. With f NULL only advances. */
static void print_entry(hd_file *f, place *at, const char *colour, const char *name, uint64_t count)
{
    uint32_t n = n_characters(name), width;
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)count);
    width = 18 + ((n > MOST_NAME ? MOST_NAME + 1 : n) + (uint32_t)strlen(number)) * 15 / 2 +
            24; /* an estimate, without fonts */
    if (at->x > LEFT_PX && at->x + width > LEFT_PX + PLOT_PX) {
        at->x = LEFT_PX;
        at->y += 22;
    }
    if (f) {
        hd_file_print(f, "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" rx=\"2\" fill=\"%s\"/>", at->x, at->y - 11,
                      colour);
        hd_file_print(f, "<text x=\"%u\" y=\"%u\">", at->x + 18, at->y);
        print_text(f, name, MOST_NAME);
        hd_file_print(f, " <tspan fill=\"#57606a\">%s</tspan></text>\n", number);
    }
    at->x += width;
}

/* Prints the bodies that ran, with counts. Returns the last baseline; with f NULL prints nothing. */
static uint32_t print_legend(const picture *p, hd_file *f)
{
    place at = {LEFT_PX, 83};
    uint32_t body, n = 0;
    uint64_t others = 0;
    for (body = 0; body < p->o->legend.n_kinds; body++)
        if (p->counts[body] && n++ < MOST_LEGEND)
            print_entry(f, &at, hd_colour(body), hd_kind_name(p->o, body), p->counts[body]);
        else
            others += p->counts[body];
    if (n > MOST_LEGEND)
        print_entry(f, &at, "none", "other bodies", others);
    if (p->stats.n_dropped)
        print_entry(f, &at, UNKNOWN, "not recorded (buffer full)", p->stats.n_dropped);
    return at.y;
}

/* ---- the plot ----------------------------------------------------------------------------------------------------- */

static uint32_t plot_px(const picture *p) { return (uint32_t)((p->row_milli * hd_n_rows(p->o) + 999) / 1000); }

/* The least 1, 2 or 5 times a power of ten that is not below `least`. */
static uint64_t round_step(uint64_t least)
{
    uint64_t ten = 1;
    while (ten * 10 <= least)
        ten *= 10;
    return ten >= least ? ten : 2 * ten >= least ? 2 * ten : 5 * ten >= least ? 5 * ten : 10 * ten;
}

static void print_axis(picture *p)
{
    uint64_t step = round_step(p->span_ns / 11 + 1), t;
    uint32_t bottom = p->top_px + plot_px(p);
    unit u = unit_of(p->span_ns);
    hd_file_print(p->f, "<g font-size=\"12\" fill=\"#57606a\" stroke=\"none\" text-anchor=\"middle\">\n");
    for (t = 0; t <= p->span_ns; t += step) {
        uint64_t x = LEFT_PX * 1000 + (uint64_t)((double)t / (double)p->span_ns * PLOT_PX * 1000);
        hd_file_print(p->f, "<path stroke=\"#d0d7de\" d=\"M");
        hd_print_milli(p->f, x);
        hd_file_print(p->f, " %uv%u\"/><text x=\"", p->top_px, plot_px(p) + 5);
        hd_print_milli(p->f, x);
        hd_file_print(p->f, "\" y=\"%u\">", bottom + 20);
        hd_print_milli(p->f, t / u.ns * 1000 + t % u.ns * 1000 / u.ns);
        hd_file_print(p->f, "</text>\n");
    }
    hd_file_print(p->f, "<text x=\"%u\" y=\"%u\">time in %s</text>\n</g>\n", LEFT_PX + PLOT_PX / 2, bottom + 40,
                  u.name);
}

static int has_names(const picture *p) { return p->o->legend.row_name && p->row_milli >= LINE_MILLI; }

static void print_height(const picture *p, uint64_t row)
{
    hd_print_milli(p->f, p->top_px * 1000 + row * p->row_milli + p->row_milli / 2 + 4000);
}

static void print_names(const picture *p)
{
    char name[64];
    uint32_t row;
    hd_file_print(p->f, "<g font-size=\"12\" fill=\"#57606a\">\n");
    for (row = 0; row < hd_n_rows(p->o); row++) {
        p->o->legend.row_name(p->o->legend.self, row, name, sizeof name);
        hd_file_print(p->f, "<text x=\"%u\" y=\"", LEFT_PX + PLOT_PX + 8);
        print_height(p, row);
        hd_file_print(p->f, "\">");
        print_text(p->f, name, MOST_ROW_NAME);
        hd_file_print(p->f, "</text>\n");
    }
    hd_file_print(p->f, "</g>\n");
}

static void print_rows(picture *p)
{
    uint64_t every = round_step((LINE_MILLI + p->row_milli - 1) / p->row_milli), w;
    uint32_t height = plot_px(p);
    hd_file_print(p->f, "<g font-size=\"12\" fill=\"#57606a\" text-anchor=\"end\">\n");
    for (w = 0; w < hd_n_rows(p->o); w += every) {
        hd_file_print(p->f, "<text x=\"%u\" y=\"", LEFT_PX - 8);
        print_height(p, w);
        hd_file_print(p->f, "\">%llu</text>\n", (unsigned long long)w);
    }
    hd_file_print(p->f, "<text transform=\"translate(20 %u) rotate(-90)\" text-anchor=\"middle\">%s</text>\n</g>\n",
                  p->top_px + height / 2, p->o->legend.row);
}

/* Draws one code in all rows. Units: a column to the right, a row downwards. */
static void print_code(picture *p, uint32_t code)
{
    static const char *const opacity[N_STRENGTHS] = {" opacity=\".3\"", " opacity=\".55\"", " opacity=\".8\"", ""};
    uint64_t at, from, end;
    uint32_t w;
    hd_file_print(p->f, "<path stroke=\"%s\"%s d=\"", hd_colour((code - 1) / N_STRENGTHS),
                  opacity[(code - 1) % N_STRENGTHS]);
    for (w = 0; w < hd_n_rows(p->o); w++) {
        const uint8_t *codes = p->codes + w * p->n_columns, *found;
        for (at = end = 0; (found = memchr(codes + at, (int)code, p->n_columns - at)); end = at) {
            from = (uint64_t)(found - codes);
            for (at = from; at < p->n_columns && codes[at] == code; at++)
                ;
            if (end == 0)
                hd_file_print(p->f, "M%llu %u", (unsigned long long)from, w);
            else
                hd_file_print(p->f, "m%llu 0", (unsigned long long)(from - end));
            hd_file_print(p->f, "h%llu", (unsigned long long)(at - from));
        }
    }
    hd_file_print(p->f, "\"/>\n");
}

/* Marks the time after a worker's buffer was full, in all its rows. */
static void print_unknown(picture *p, uint32_t worker)
{
    uint32_t n = hd_n_events(p->o, worker);
    uint64_t since = n ? hd_since(p->o, hd_events_of(p->o, worker)[n - 1].end) : 0;
    uint64_t at = since / p->column_ns;
    if (p->o->tallies[worker].n_dropped && at < p->n_columns)
        hd_file_print(p->f, "<rect x=\"%llu\" y=\"%u\" width=\"%llu\" height=\"%u\"/>\n", (unsigned long long)at,
                      worker * hd_n_lanes(p->o), (unsigned long long)(p->n_columns - at), hd_n_lanes(p->o));
}

/* The inner picture clips the part of the last column beyond the end. */
static void print_plot(picture *p)
{
    uint32_t c, w;
    hd_file_print(p->f, "<svg x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" preserveAspectRatio=\"none\" viewBox=\"0 0 ",
                  LEFT_PX, p->top_px, PLOT_PX, plot_px(p));
    hd_print_milli(p->f, p->span_ns / p->column_ns * 1000 + p->span_ns % p->column_ns * 1000 / p->column_ns);
    hd_file_print(p->f, " %u\">\n<g fill=\"" UNKNOWN "\">\n", hd_n_rows(p->o));
    for (w = 0; w < p->o->n_workers; w++)
        print_unknown(p, w);
    hd_file_print(p->f, "</g>\n<g transform=\"translate(0 .5)\" fill=\"none\" stroke-width=\"%s\">\n",
                  p->row_milli >= 4000 ? ".84" : "1");
    for (c = 1; c < N_CODES; c++)
        if (p->used[c])
            print_code(p, c);
    hd_file_print(p->f, "</g>\n</svg>\n");
}

static void print_all(picture *p, const char *title)
{
    const uint32_t width = WIDTH_PX + (has_names(p) ? NAMES_PX : 0);
    uint32_t height;
    p->top_px = print_legend(p, NULL) + 20;
    height = p->top_px + plot_px(p) + 56;
    hd_file_print(p->f,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
                  "font-family=\"system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\" fill=\"#1f2328\">\n<title>",
                  width, height, width, height);
    print_text(p->f, title, UINT32_MAX);
    hd_file_print(p->f,
                  "</title>\n<rect width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n"
                  "<text x=\"%u\" y=\"33\" font-size=\"20\" font-weight=\"600\">",
                  width, height, LEFT_PX);
    print_text(p->f, title, MOST_TITLE);
    hd_file_print(p->f, "</text>\n");
    print_caption(p);
    hd_file_print(p->f, "<g font-size=\"13\">\n");
    print_legend(p, p->f);
    hd_file_print(p->f, "</g>\n");
    print_axis(p);
    print_rows(p);
    if (has_names(p))
        print_names(p);
    print_plot(p);
    hd_file_print(p->f, "</svg>\n");
}

heddle_status hd_write_timeline(const hd_outcome *o, const char *path, const char *title, hd_error *e)
{
    picture p;
    heddle_status s;
    if (!path || !o->events || !o->n_workers)
        return hd_say(e, HEDDLE_EINVAL, "a timeline: %s",
                      path ? "the run was not traced (n_trace is 0)" : "path is NULL");
    HD_TRY(picture_init(&p, o, e));
    s = hd_file_create(&p.f, path, e);
    if (s == HEDDLE_OK) {
        print_all(&p, title ? title : o->legend.title);
        s = hd_file_commit(p.f, e);
    }
    picture_clear(&p);
    return s;
}
