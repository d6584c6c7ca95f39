/* SPDX-License-Identifier: MIT */
/* estimates.c - figures 4.11 and 4.12: how near estimates come. Copies: the line of estimate.h, learnt from every other size, at the sizes between.
 * Simulated copies take 10 us and the rate of the link, and up to 3 % more or less; measured ones are of pinned memory, both ways. Kernels: up to
 * eight times the blocks that were learnt. Simulated kernels take 4 us and rounds of blocks; these are what is learnt, while `heddle share profile` counts blocks. Measured are the kernels of the programs, learnt at an
 * eighth and a quarter of their bytes: one size would not tell what is fixed. Those whose launches grow with the size are left out, as in the thesis. */
#include "cumas.h"

#include "estimate.h"
#include "link.h"

#include <math.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { N_SIZES = 13, LARGEST = 64 << 20 }; /* from 1 MiB: smaller ones do not wait */

/* ---- 4.11 ---- */

typedef struct copies {
    double bytes[N_SIZES], ms[N_SIZES];
} copies;

/* Each is 1.41 times as large as the one before. */
static double size_of(uint32_t i) { return floor(LARGEST * pow(2, ((double)i - (N_SIZES - 1)) / 2)); }

/* The same for the same number: within 1. */
static double noise(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return (double)(z >> 11) / 4503599627370496.0 - 1;
}

static void simulate_copies(double rate, uint64_t seed, copies *c)
{
    for (uint32_t i = 0; i < N_SIZES; i++) {
        c->bytes[i] = size_of(i);
        c->ms[i] = (10000 + c->bytes[i] / rate) * (1 + 0.03 * noise(seed * N_SIZES + i)) / 1e6;
    }
}

static int measure_copies(int is_in, copies *c, char *why)
{
    for (uint32_t i = 0; i < N_SIZES; i++) {
        const uint64_t n = (uint64_t)size_of(i);
        link_flow f = {is_in ? LINK_HOST : 0, is_in ? 0 : LINK_HOST, n, 0, 0};
        if (link_time(&f, 1, n, why))
            return -1;
        c->bytes[i] = (double)n, c->ms[i] = f.ms;
    }
    return 0;
}

static void put_copies(FILE *out, const char *how, const char *way, const copies *c, double *estimates)
{
    share_line line = {0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < N_SIZES; i += 2)
        share_line_learn(&line, c->bytes[i], c->ms[i] * 1e6);
    for (uint32_t i = 0; i < N_SIZES; i++) {
        estimates[i] = share_line_at(&line, c->bytes[i]) / 1e6;
        fprintf(out, "%s\t%s\t%s\t%.0f\t%.5g\t%.5g\t%.2f\n", how, way, i % 2 ? "between" : "learnt", c->bytes[i],
                c->ms[i], estimates[i], 100 * fabs(estimates[i] / c->ms[i] - 1));
    }
}

static void draw_copies(const copies *c, const double *estimates, const char *note, FILE *out)
{
    static const char *const groups[N_SIZES] = {"", "", "", "", "4", "", "8", "", "16", "", "32", "", "64 MiB"};
    static const char *const series[] = {"time", "estimate"};
    double value[2 * N_SIZES];
    chart k = {.title = "Copies in and their estimates", .note = note, .unit = "ms", .at = c->bytes, .at_unit = "size"};
    for (uint32_t i = 0; i < N_SIZES; i++)
        value[2 * i] = c->ms[i], value[2 * i + 1] = estimates[i];
    chart_fill(&k, N_SIZES, groups, COUNT(series), series, value);
    chart_print(&k, out);
}

int cumas_make_copies(const cumas_ask *a, const cumas_measured *m)
{
    static const char *const ways[] = {"out", "in"};
    figure_files f = {.dir = a->out};
    char why[LINK_ERROR] = "";
    copies c;
    double estimates[N_SIZES];
    const char *note = "simulated";
    (void)m;
    if (figure_begin(&f))
        return CLI_BAD;
    fputs("how\tway\tpoint\tbytes\tms\testimate_ms\terror_percent\n", f.tsv.out);
    for (int i = 0; i < 2; i++) {
        simulate_copies(a->rate, (uint64_t)i, &c);
        put_copies(f.tsv.out, "simulated", ways[i], &c, estimates);
    }
    for (int i = 0; i < 2 && !why[0]; i++) {
        copies seen;
        if (measure_copies(i, &seen, why)) {
            fprintf(f.tsv.out, "measured\t%s\t-\t-\tskipped\t-\t%s\n", ways[i], why);
            continue;
        }
        c = seen, note = "measured";
        put_copies(f.tsv.out, "measured", ways[i], &c, estimates);
    }
    draw_copies(&c, estimates, note, f.svg.out);
    return figure_end_or_drop(&f, "cumas-4.11", 1, CLI_OK);
}

/* ---- 4.12 ---- */

/* Resident: so many run at once. */
static uint64_t rounds(uint64_t n_blocks, uint32_t resident) { return (n_blocks + resident - 1) / resident; }

/* 4 us, and rounds of blocks. */
static double kernel_ms(uint32_t blocks, uint32_t resident, double round_us)
{
    return (4 + round_us * (double)rounds(blocks, resident)) / 1e3;
}

enum { FACTORS = 3 }; /* 2, 4 and 8 times the blocks that were learnt */

/* To be drawn: of each kernel by factor. */
typedef struct errors {
    uint32_t n;
    const char *names[MIX_MOST_PROGRAMS];
    double percent[MIX_MOST_PROGRAMS * FACTORS];
} errors;

static void put_kernel(FILE *out, const char *how, const char *name, uint32_t factor, double ms, double estimate,
                       double *percent)
{
    *percent = 100 * fabs(estimate / ms - 1);
    fprintf(out, "%s\t%s\t%u\t%.5g\t%.5g\t%.2f\n", how, name, factor, ms, estimate, *percent);
}

/* blocks: that are learnt. */
static void simulate_kernels(FILE *out, errors *e)
{
    static const struct {
        const char *name;
        uint32_t blocks, resident;
        double round_us;
    } kernels[] = {{"b+tree", 6000, 528, 11},     {"backprop", 16384, 1056, 9}, {"BlackScholes", 12288, 1056, 120},
                   {"hotspot", 18769, 1056, 7},   {"lavaMD", 1728, 264, 1700},  {"particlefilter", 2944, 1056, 40},
                   {"pathfinder", 1400, 1056, 8}, {"vectorAdd", 32768, 1056, 3}};
    for (size_t i = 0; i < COUNT(kernels); i++) {
        share_kernels learnt = {.n = 0};
        const uint32_t resident = kernels[i].resident;
        const double us = kernels[i].round_us;
        share_kernels_learn(&learnt, i + 1, 256, rounds(kernels[i].blocks, resident),
                            kernel_ms(kernels[i].blocks, resident, us) * 1e6);
        e->names[e->n] = kernels[i].name;
        for (uint32_t k = 0; k < FACTORS; k++) {
            const uint32_t factor = 2u << k, blocks = kernels[i].blocks * factor;
            put_kernel(out, "simulated", kernels[i].name, factor, kernel_ms(blocks, resident, us),
                       share_kernels_at(&learnt, i + 1, 256, rounds(blocks, resident)) / 1e6,
                       &e->percent[e->n * FACTORS + k]);
        }
        e->n++;
    }
}

static int grows(const char *name)
{
    static const char *const those[] = {"gaussian", "lud", "nw"};
    size_t k = 0;
    while (k < COUNT(those) && strcmp(those[k], name) != 0)
        k++;
    return k < COUNT(those);
}

/* Amounts are eighths of the mix. */
static void measured_kernels(const cumas_measured *m, FILE *out, errors *e)
{
    for (uint32_t i = 0; m && i < m->mixes[0].n_programs; i++) {
        const double eighth_ms = m->sizes[CUMAS_AN_EIGHTH].kernels_ms[i],
                     quarter_ms = m->sizes[CUMAS_A_QUARTER].kernels_ms[i];
        share_line line = {0, 0, 0, 0, 0};
        if (grows(m->mixes[0].names[i]) || eighth_ms <= 0 || quarter_ms <= 0)
            continue;
        share_line_learn(&line, 1, eighth_ms * 1e6);
        share_line_learn(&line, 2, quarter_ms * 1e6);
        e->names[e->n] = m->mixes[0].names[i];
        put_kernel(out, "measured", m->mixes[0].names[i], 8, m->mixes[0].kernels_ms[i], share_line_at(&line, 8) / 1e6,
                   &e->percent[e->n++ * FACTORS + 2]);
    }
    if (m && (m->why[0] || m->mixes[0].why[0]))
        fprintf(out, "measured\t-\t8\tskipped\t-\t%s\n", m->why[0] ? m->why : m->mixes[0].why);
    for (uint32_t size = 0; m && size < CUMAS_N_SIZES; size++)
        if (m->sizes[size].why[0])
            fprintf(out, "measured\t-\t8\tskipped\t-\t%s\n", m->sizes[size].why);
}

static void draw_kernels(const errors *e, const char *note, FILE *out)
{
    static const char *const series[FACTORS] = {"2 times the blocks", "4 times", "8 times"};
    chart c = {.title = "Estimates of kernels", .note = note, .unit = "error, %"};
    chart_fill(&c, e->n, e->names, FACTORS, series, e->percent);
    chart_print(&c, out);
}

int cumas_make_kernels(const cumas_ask *a, const cumas_measured *m)
{
    figure_files f = {.dir = a->out};
    errors told = {.n = 0}, seen = {.n = 0};
    if (figure_begin(&f))
        return CLI_BAD;
    fputs("how\tkernel\tfactor\tms\testimate_ms\terror_percent\n", f.tsv.out);
    simulate_kernels(f.tsv.out, &told);
    measured_kernels(m, f.tsv.out, &seen);
    draw_kernels(seen.n ? &seen : &told,
                 seen.n ? "measured; from an eighth and a quarter of the bytes"
                        : "simulated; from an eighth of the blocks",
                 f.svg.out);
    return figure_end_or_drop(&f, "cumas-4.12", 1, CLI_OK);
}
