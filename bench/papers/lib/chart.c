/* SPDX-License-Identifier: MIT */
/* chart.c - implements chart.h. */
#include "chart.h"

#include <math.h>

enum { WIDTH = 960, LEFT = 70, PLOT = 860, TOP = 96, HEIGHT = 320, PANEL = 264, GAP = 44 };

static const char *const colours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2",
                                      "#edc948", "#9c755f", "#8c8c8c", "#d37295", "#a0cbe8", "#86bc86"};
enum { N_COLOURS = sizeof colours / sizeof *colours };

static void begin(FILE *out, int height, const char *title, const char *note)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"12\" fill=\"#1f2328\">\n"
            "<title>%s</title><rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"28\" font-size=\"17\" font-weight=\"600\">%s</text>\n"
            "<text x=\"%d\" y=\"48\" fill=\"#57606a\">%s</text>\n",
            WIDTH, height, WIDTH, height, title, WIDTH, height, LEFT, title, LEFT, note);
}

/* In two rows if one is too short. */
static void legend(FILE *out, const char *const *names, size_t n)
{
    double x = LEFT;
    int y = 62;
    for (size_t i = 0; i < n; i++) {
        size_t length = 0;
        while (names[i][length])
            length++;
        if (x > LEFT && x + 16 + 7.2 * (double)length > WIDTH) {
            x = LEFT;
            y += 16;
        }
        fprintf(
            out,
            "<rect x=\"%.0f\" y=\"%d\" width=\"11\" height=\"11\" fill=\"%s\"/><text x=\"%.0f\" y=\"%d\">%s</text>\n",
            x, y, colours[i % N_COLOURS], x + 16, y + 10, names[i]);
        x += 34 + 7.2 * (double)length;
    }
}

/* Rounds `least` up to 1, 2 or 5 times a power of ten. */
static double round_step(double least)
{
    double ten = pow(10, floor(log10(least)));
    return ten >= least ? ten : 2 * ten >= least ? 2 * ten : 5 * ten >= least ? 5 * ten : 10 * ten;
}

/* ---- groups and series ---- */

static double most_of(const chart *c)
{
    double most = 0, v = 0;
    for (size_t i = 0; i < c->n_groups * c->n_series; i++) {
        v = (c->stacked && i % c->n_series ? v : 0) + (c->high ? c->high[i] : c->value[i]);
        most = v > most ? v : most;
    }
    return most > 0 ? most : 1;
}

static double y_of(double v, double top) { return TOP + HEIGHT * (1 - v / top); }

/* Draws horizontal lines with their numbers; returns the value at the top of the plot. */
static double upright_axis(const chart *c, FILE *out)
{
    double step = round_step(most_of(c) / 6), top = step * ceil(most_of(c) / step);
    for (double v = 0; v < top + step / 2; v += step)
        fprintf(out,
                "<path stroke=\"#d8dee4\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, y_of(v, top), PLOT, LEFT - 6, y_of(v, top) + 4, v);
    fprintf(out, "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            TOP + HEIGHT / 2, c->unit);
    return top;
}

static void print_bars(const chart *c, double top, FILE *out)
{
    double group = (double)PLOT / (double)c->n_groups, bar = 0.8 * group / (double)c->n_series;
    for (size_t g = 0; g < c->n_groups; g++) {
        double left = LEFT + group * ((double)g + 0.1);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", left + 0.4 * group,
                TOP + HEIGHT + 18, c->groups[g]);
        for (size_t s = 0; s < c->n_series; s++) {
            size_t at = g * c->n_series + s;
            double x = left + bar * (double)s, y = y_of(c->value[at], top);
            const char *colour = colours[s % N_COLOURS];
            if (c->value[at] <= 0 && !(c->high && c->high[at] > 0))
                continue;
            if (c->high)
                fprintf(out,
                        "<path stroke=\"%s\" stroke-width=\"2\" d=\"M%.1f %.1fV%.1f\"/><circle cx=\"%.1f\" cy=\"%.1f\" "
                        "r=\"3.5\" fill=\"%s\"/>\n",
                        colour, x + bar / 2, y_of(c->low[at], top), y_of(c->high[at], top), x + bar / 2, y, colour);
            else
                fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y,
                        0.92 * bar, TOP + HEIGHT - y, colour);
        }
    }
}

static void print_stacks(const chart *c, double top, FILE *out)
{
    double group = (double)PLOT / (double)c->n_groups;
    for (size_t g = 0; g < c->n_groups; g++) {
        double left = LEFT + group * ((double)g + 0.1), below = 0;
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", left + 0.4 * group,
                TOP + HEIGHT + 18, c->groups[g]);
        for (size_t s = 0; s < c->n_series; s++) {
            double v = c->value[g * c->n_series + s];
            if (v <= 0)
                continue;
            below += v;
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", left,
                    y_of(below, top), 0.8 * group, y_of(0, top) - y_of(v, top), colours[s % N_COLOURS]);
        }
    }
}

static void print_lines(const chart *c, double top, FILE *out)
{
    double most = 1;
    for (size_t g = 0; g < c->n_groups; g++)
        most = c->at[g] > most ? c->at[g] : most;
    for (size_t s = 0; s < c->n_series; s++) {
        const char *colour = colours[s % N_COLOURS];
        int pen = 0;
        fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
        for (size_t g = 0; g < c->n_groups; g++) {
            double v = c->value[g * c->n_series + s];
            if (v > 0)
                fprintf(out, "%c%.1f %.1f", pen++ ? 'L' : 'M', LEFT + PLOT * c->at[g] / most, y_of(v, top));
        }
        fprintf(out, "%s\"/>\n", pen ? "" : "M0 0");
    }
    for (size_t g = 0; g < c->n_groups; g++)
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + PLOT * c->at[g] / most,
                TOP + HEIGHT + 18, c->groups[g]);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + PLOT / 2, TOP + HEIGHT + 38,
            c->at_unit);
}

void chart_fill(chart *c, size_t n_groups, const char *const *groups, size_t n_series, const char *const *series,
                const double *value)
{
    c->n_groups = n_groups;
    c->groups = groups;
    c->n_series = n_series;
    c->series = series;
    c->value = value;
}

void chart_print(const chart *c, FILE *out)
{
    double top;
    begin(out, TOP + HEIGHT + 52, c->title, c->note);
    legend(out, c->series, c->n_series);
    top = upright_axis(c, out);
    if (c->at)
        print_lines(c, top, out);
    else if (c->stacked)
        print_stacks(c, top, out);
    else
        print_bars(c, top, out);
    fprintf(out, "</svg>\n");
}

/* ---- timelines ---- */

/* Of an axis of time: us, or ms when it is long. */
static int is_long(double span) { return span >= 1e8; }
static const char *unit_of(double span) { return is_long(span) ? "ms" : "us"; }
static double in_unit(double span, double ns) { return (is_long(span) ? 1e-6 : 1e-3) * ns; }

static void print_body(const panel *p, uint32_t body, double span, int top, FILE *out)
{
    double pitch = (double)PANEL / (double)(p->n_rows ? p->n_rows : 1);
    fprintf(out, "<path fill=\"%s\" d=\"", colours[body % N_COLOURS]);
    for (size_t i = 0; i < p->n_events; i++) {
        const heddle_event *e = &p->events[i];
        if (e->body != body)
            continue;
        fprintf(out, "M%.2f %.2fh%.2fv%.2fH%.2fz", LEFT + PLOT * (double)e->begin_ns / span, top + pitch * e->worker,
                fmax(PLOT * (double)(e->end_ns - e->begin_ns) / span, 0.05), 0.9 * pitch,
                LEFT + PLOT * (double)e->begin_ns / span);
    }
    fprintf(out, "\"/>\n");
}

static void print_panel(const panel *p, const char *row_name, size_t n_bodies, double span, int top, FILE *out)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\" font-weight=\"600\">%s: %.1f %s</text>\n", LEFT, top - 8, p->title,
            in_unit(span, (double)p->run_ns), unit_of(span));
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f6f8fa\"/>\n", LEFT, top, PLOT, PANEL);
    fprintf(out, "<text transform=\"translate(40 %d) rotate(-90)\" text-anchor=\"middle\">%u %s</text>\n",
            top + PANEL / 2, p->n_rows, row_name);
    for (uint32_t body = 0; body < n_bodies; body++)
        print_body(p, body, span, top, out);
    fprintf(out, "<path stroke=\"#d1242f\" d=\"M%.2f %dv%d\"/>\n", LEFT + PLOT * (double)p->run_ns / span, top, PANEL);
}

static void time_axis(double span, int y, FILE *out)
{
    double end = in_unit(span, span), step = round_step(end / 8);
    for (double at = 0; at <= end; at += step)
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", LEFT + PLOT * at / end, y, at);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + PLOT / 2, y + 18, unit_of(span));
}

void chart_print_panels(const char *title, const char *row_name, const char *const *bodies, size_t n_bodies,
                        const panel *panels, size_t n_panels, FILE *out)
{
    double span = 1;
    int bottom = TOP + (int)n_panels * (PANEL + GAP);
    for (size_t i = 0; i < n_panels; i++)
        span = (double)panels[i].run_ns > span ? (double)panels[i].run_ns : span;
    begin(out, bottom + 40, title, "each task a bar in the row where it ran; all panels have one axis of time");
    legend(out, bodies, n_bodies);
    for (size_t i = 0; i < n_panels; i++)
        print_panel(&panels[i], row_name, n_bodies, span, TOP + 18 + (int)i * (PANEL + GAP), out);
    time_axis(span, bottom + 10, out);
    fprintf(out, "</svg>\n");
}
