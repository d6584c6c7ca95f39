/* SPDX-License-Identifier: MIT */
/* main.c - 11_foreign: a loop on a core and on an accelerator that the library does not know. */
#include "bodies.h"
#include "device.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 300000 };

static void must(heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error_text(NULL));
    exit(1);
}

static heddle_array *array_of_numbers(heddle_fleet *f)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_array *a;
    d.n_rows = N;
    d.row_bytes = sizeof(uint32_t);
    must(heddle_array_new(f, &d, &a));
    return a;
}

static heddle_loop *counting(heddle_fleet *f, heddle_array *number, heddle_array *steps_taken, int64_t *most)
{
    heddle_access accesses[] = {HEDDLE_ROWS(number, HEDDLE_MODE_IN, offsetof(steps_params, number), 0, 0),
                                HEDDLE_ROWS(steps_taken, HEDDLE_MODE_OUT, offsetof(steps_params, steps), 0, 0)};
    heddle_reduction largest = {HEDDLE_MAX, HEDDLE_I64, 1, offsetof(steps_params, most), most};
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_loop *loop;
    d.body = steps_count;
    d.n = N;
    d.accesses = accesses;
    d.n_accesses = 2;
    d.reductions = &largest;
    d.n_reductions = 1;
    must(heddle_loop_new(f, &steps, &d, &loop));
    return loop;
}

int main(void)
{
    steps_params params = {NULL, NULL, NULL};
    int64_t most = 0;
    int at = 0;
    const device_config config = {
        .memory_bytes = 64u << 20, .most_copy_bytes = 250u << 20, .link = 4e9, .start_ns = 1e5};
    heddle_accelerator device;
    heddle_fleet *f;
    if (!device_open(&config, &device)) {
        fprintf(stderr, "the device cannot be had\n");
        return 1;
    }
    must(heddle_fleet_open(&f, "cpu:1", NULL));
    must(heddle_fleet_add(f, &device));
    heddle_array *number = array_of_numbers(f), *taken = array_of_numbers(f);
    for (int i = 0; i < N; i++)
        ((uint32_t *)heddle_array_host(number))[i] = (uint32_t)i + 1u;
    heddle_loop *loop = counting(f, number, taken, &most);
    for (int run = 0; run < 3; run++)
        must(heddle_loop_run(loop, &params, sizeof params));
    fprintf(stderr, "%s", heddle_loop_how(loop)); /* the shares differ from run to run */
    while (((const uint32_t *)heddle_array_host(taken))[at] != most)
        at++;
    printf("%d takes %d steps, as many as no smaller number and none up to %d\n", at + 1, (int)most, N);
    heddle_loop_free(loop);
    heddle_array_free(number);
    heddle_array_free(taken);
    heddle_fleet_close(f);
    return 0;
}
