/* SPDX-License-Identifier: MIT */
/* main.c - 09_loop [N]: smooths a signal of N values on every core and every GPU. */
#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>

static void must(heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error_text(NULL));
    exit(1);
}

static heddle_array *array_of_floats(heddle_fleet *f, uint64_t n)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_array *a;
    d.n_rows = n;
    d.row_bytes = sizeof(float);
    must(heddle_array_new(f, &d, &a));
    return a;
}

int main(int argc, char **argv)
{
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    smooth_params params = {NULL, NULL, NULL, n};
    double energy = 0;
    heddle_fleet *f;
    heddle_loop *loop;
    must(heddle_fleet_open(&f, NULL, NULL));
    heddle_array *in = array_of_floats(f, n), *out = array_of_floats(f, n);
    for (uint64_t i = 0; i < n; i++)
        ((float *)heddle_array_host(in))[i] = (float)(i % 7);

    heddle_access accesses[] = {
        HEDDLE_ROWS(in, HEDDLE_MODE_IN, offsetof(smooth_params, in), 1, 1), /* and a row on either side */
        HEDDLE_ROWS(out, HEDDLE_MODE_OUT, offsetof(smooth_params, out), 0, 0)};
    heddle_reduction sum = {HEDDLE_SUM, HEDDLE_F64, 1, offsetof(smooth_params, energy), &energy};
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    d.body = smooth_signal;
    d.n = n;
    d.accesses = accesses;
    d.n_accesses = 2;
    d.reductions = &sum;
    d.n_reductions = 1;
    must(heddle_loop_new(f, &smooth, &d, &loop));
    for (int run = 0; run < 3; run++) /* from the second run on the library knows how quick each device is */
        must(heddle_loop_run(loop, &params, sizeof params));

    const float *smoothed = heddle_array_host(out);
    printf("%.2f %.2f %.2f ... %.2f, energy %.0f\n", smoothed[0], smoothed[1], smoothed[6], smoothed[n - 1], energy);
    heddle_loop_free(loop);
    heddle_array_free(in);
    heddle_array_free(out);
    heddle_fleet_close(f);
    return 0;
}
