/* SPDX-License-Identifier: MIT */
/* links.c - bytes of each device's links, printed, and over those of the model (mesi.h). */
#include "mesi.h"

#define FLOAT 4.0

static uint64_t sum_of(const mesi_links *l, mesi_direction d)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < l->n; i++)
        sum += l->bytes[i][d];
    return sum;
}

void mesi_put_sums(const mesi_links *l, FILE *out)
{
    for (int d = MESI_IN; d < MESI_SENT; d++)
        fprintf(out, d ? "\t%.6g" : "%.6g", 1e-6 * (double)sum_of(l, (mesi_direction)d));
}

void mesi_put_each(const mesi_links *l, FILE *out)
{
    for (int d = MESI_IN; d < MESI_N_DIRECTIONS; d++) {
        fputs(d ? "\t" : "", out);
        for (uint32_t i = 0; i < l->n; i++)
            fprintf(out, i ? "+%.6g" : "%.6g", 1e-6 * (double)l->bytes[i][d]);
    }
}

/* ---- the model ---- */

/* Bytes: that each device needs; that are shared out as the result is; the result; of rows at borders between devices, on one side. */
typedef struct needs {
    double shared, own, result, borders;
} needs;

static needs needs_of(const mesi_case *c, uint32_t n_devices)
{
    const double row = FLOAT * (double)c->n, all = row * (double)c->n, times = c->way.keeps ? 1 : c->n_steps;
    switch (c->app) {
    case HEDDLE_SIMULATED_JOB_MATMUL: return (needs){all, all, all, 0};
    case HEDDLE_SIMULATED_JOB_HOTSPOT:
        return (needs){0, 2 * all * times, all * times, (n_devices - 1.0) * row * c->n_steps};
    default: return (needs){0, 0, 0, 0};
    }
}

static double larger_ratio(double most, double a, double b) { return b > 0 && a / b > most ? a / b : most; }

double mesi_over_model(const mesi_case *c, const mesi_links *l, int has_peers)
{
    const needs need = needs_of(c, l->n);
    const double in = (double)sum_of(l, MESI_IN), out = (double)sum_of(l, MESI_OUT);
    const double copies = has_peers ? 1 : l->n, by_host = has_peers ? 0 : 2 * need.borders;
    double most = larger_ratio(0, in, need.own + need.shared * copies + by_host);
    most = larger_ratio(most, out, need.result + by_host);
    for (uint32_t i = 0; i < l->n && out > 0; i++) {
        const uint64_t *b = l->bytes[i];
        const double part = (double)b[MESI_OUT] / out;
        most = larger_ratio(most, (double)(b[MESI_IN] + b[MESI_PEERS]), need.shared + part * need.own + need.borders);
    }
    return most;
}
