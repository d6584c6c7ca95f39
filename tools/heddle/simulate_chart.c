/* SPDX-License-Identifier: MIT */
/* simulate_chart.c - rows of at least a pixel. A slice of three pixels or more is a box with a gap behind it; shorter ones run together,
 * so that the file stays small. Numbers are printed by integers: the picture is the same in every locale. */
#include "simulate_chart.h"

#include "cli.h"

#include <stdlib.h>

#define LEFT_PX 90u
#define PLOT_PX 1100u
#define TOP_PX 40u
#define ROWS_PX 760u
#define THICKEST_PX 32u
#define MOST_ROWS 1000u /* of larger fleets the first ones */
#define BOX_PX 3u

static const char *const colours[] = {"#2c7fb8", "#d95f0e", "#31a354", "#756bb1",
                                      "#dd1c77", "#636363", "#8c6d31", "#17becf"};
enum { N_COLOURS = sizeof colours / sizeof colours[0] };

static uint32_t kind_of(const simulate_spec *s, uint32_t unit)
{
    uint32_t k = 0;
    for (; k + 1 < s->d.n_kinds && unit >= s->kinds[k].n_units; k++)
        unit -= s->kinds[k].n_units;
    return k;
}

static uint32_t column(uint64_t ns, uint64_t time_ns)
{
    return (uint32_t)((double)ns * PLOT_PX / (double)(time_ns ? time_ns : 1));
}

/* The end of a run in a row's path. */
typedef struct run {
    uint32_t from, to;
    int is_open;
} run;

static void close_run(FILE *out, run *r)
{
    if (r->is_open)
        fprintf(out, "M%u 0h%u", r->from, r->to > r->from ? r->to - r->from : 1);
    r->is_open = 0;
}

static void add(FILE *out, run *r, uint32_t from, uint32_t to)
{
    const int is_box = to >= from + BOX_PX;
    if (r->is_open && !is_box && from <= r->to + 1) {
        r->to = to > r->to ? to : r->to;
        return;
    }
    close_run(out, r);
    *r = (run){from, is_box ? to - 1 : to, 1};
    if (is_box)
        close_run(out, r);
}

/* Slices come in the order of their ends, so those of a unit are in order, too. */
static void row(FILE *out, const simulate_slices *slices, const uint32_t *next, uint32_t first, uint64_t time_ns)
{
    run r = {0, 0, 0};
    for (uint32_t i = first; i < slices->n; i = next[i])
        add(out, &r, column(slices->at[i].began_ns, time_ns), column(slices->at[i].ended_ns, time_ns));
    close_run(out, &r);
}

static void rows(FILE *out, const simulate_spec *s, const heddle_simulated *r, const simulate_slices *slices,
                 uint32_t *firsts, uint32_t *next, uint32_t n_rows)
{
    const uint32_t milli = n_rows * THICKEST_PX <= ROWS_PX ? THICKEST_PX * 1000 : ROWS_PX * 1000 / n_rows;
    const uint32_t pitch = milli > 1000 ? milli : 1000;
    for (uint32_t i = 0; i < n_rows; i++)
        firsts[i] = (uint32_t)slices->n;
    for (size_t i = slices->n; i-- > 0;)
        if (slices->at[i].unit < n_rows) {
            next[i] = firsts[slices->at[i].unit];
            firsts[slices->at[i].unit] = (uint32_t)i;
        }
    for (uint32_t i = 0; i < n_rows; i++) {
        const uint32_t k = kind_of(s, i), y = TOP_PX * 1000 + i * pitch + pitch / 2;
        fprintf(out, "<path transform=\"translate(%u %u.%03u)\" stroke=\"%s\" stroke-width=\"%u.%03u\" d=\"M0 0",
                LEFT_PX, y / 1000, y % 1000, colours[k % N_COLOURS], pitch * 8 / 10 / 1000, pitch * 8 / 10 % 1000);
        row(out, slices, next, firsts[i], r->time_ns);
        fprintf(out, "\"/>\n");
        if (pitch >= 11000)
            fprintf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">%s %u</text>\n", LEFT_PX - 6, y / 1000 + 4,
                    s->kind_names[k], i);
    }
}

void simulate_chart(FILE *out, const simulate_spec *s, const heddle_simulated *r, const simulate_slices *slices)
{
    const uint32_t n_rows = r->n_units < MOST_ROWS ? r->n_units : MOST_ROWS;
    uint32_t *firsts = calloc(n_rows + slices->n + 1, sizeof *firsts);
    cli_text text;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n",
            LEFT_PX + PLOT_PX + 10, TOP_PX + (n_rows > ROWS_PX ? n_rows : ROWS_PX) + 20);
    fprintf(out,
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%u\" y=\"20\">%s, %s load: %s on %u "
            "units</text>\n",
            LEFT_PX, heddle_split_name(s->d.split), heddle_shape_name(s->d.shape), cli_duration(&text, r->time_ns),
            r->n_units);
    if (firsts)
        rows(out, s, r, slices, firsts, firsts + n_rows, n_rows);
    fprintf(out, "</svg>\n");
    free(firsts);
}
