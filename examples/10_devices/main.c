/* SPDX-License-Identifier: MIT */
/* main.c - 10_devices [DEVICES]: sorts out which numbers are prime, on a core and a device that is lost on the way. */
#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 200000 };

static void must(heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error_text(NULL));
    exit(1);
}

/* What each device did; the numbers differ from run to run. */
static void tell_of_units(heddle_fleet *f, heddle_loop *loop)
{
    heddle_fleet_unit u = HEDDLE_UNIT_INIT;
    heddle_loop_unit did = HEDDLE_LOOP_UNIT_INIT;
    for (uint32_t i = 0; heddle_fleet_get_unit(f, i, &u) == HEDDLE_OK; i++) {
        must(heddle_loop_get_unit(loop, i, &did));
        fprintf(stderr, "%s: %llu indices in %llu slices%s\n", u.name, (unsigned long long)did.n_indices,
                (unsigned long long)did.n_slices, did.is_lost ? ", and then it was lost" : "");
    }
}

int main(int argc, char **argv)
{
    primes_params params = {NULL};
    heddle_array_desc rows = HEDDLE_ARRAY_INIT;
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_fleet *f;
    heddle_array *array;
    heddle_loop *loop;
    int n_primes = 0;
    must(heddle_fleet_open(&f, argc > 1 ? argv[1] : "virtual:speed=0.5,link=1e9,fail=12 cpu:1", NULL));
    rows.n_rows = N;
    rows.row_bytes = 1;
    must(heddle_array_new(f, &rows, &array));
    heddle_access access = HEDDLE_ROWS(array, HEDDLE_MODE_OUT, offsetof(primes_params, is_prime), 0, 0);
    d.body = primes_find;
    d.n = N;
    d.tile = 100;
    d.accesses = &access;
    d.n_accesses = 1;
    must(heddle_loop_new(f, &primes, &d, &loop));
    must(heddle_loop_run(loop, &params, sizeof params));
    for (int i = 0; i < N; i++)
        n_primes += ((const uint8_t *)heddle_array_host(array))[i];
    tell_of_units(f, loop);
    printf("%d primes below %d\n", n_primes, N);
    heddle_loop_free(loop);
    heddle_array_free(array);
    heddle_fleet_close(f);
    return 0;
}
