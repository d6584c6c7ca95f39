/* SPDX-License-Identifier: MIT */
/* main.c - 12_jobs [DEVICES]: 200 steps of heat in a plate, over two devices that a thread plays, or those that are named. */
#include "bodies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 512, STEPS = 200 };

static void must(heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error_text(NULL));
    exit(1);
}

static heddle_array *new_plate(heddle_fleet *f)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_array *a;
    d.n_rows = SIDE;
    d.row_bytes = SIDE * sizeof(float);
    must(heddle_array_new(f, &d, &a));
    memset(heddle_array_host(a), 0, SIDE * SIDE * sizeof(float));
    return a;
}

/* A kind of jobs: a step from one plate to the other. */
static heddle_multi *new_step(heddle_fleet *f, heddle_array *from, heddle_array *to)
{
    const heddle_access accesses[] = {
        HEDDLE_ROWS(from, HEDDLE_MODE_IN, offsetof(plate_params, from), 1, 1), /* and a row on either side */
        HEDDLE_ROWS(to, HEDDLE_MODE_OUT, offsetof(plate_params, to), 0, 0)};
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_multi *m;
    d.body = plate_step;
    d.n = d.n_2 = SIDE;
    d.accesses = accesses;
    d.n_accesses = 2;
    must(heddle_multi_new(f, &plate, &d, NULL, &m));
    return m;
}

/* How many of so many steps' bytes went over links. */
static void tell(heddle_multi *m)
{
    heddle_multi_device d = HEDDLE_MULTI_DEVICE_INIT;
    uint64_t host = 0, peers = 0;
    for (uint32_t i = 0; heddle_multi_get_device(m, i, &d) == HEDDLE_OK; i++) {
        host += d.bytes_in + d.bytes_out;
        peers += d.bytes_peers;
    }
    fprintf(stderr, "from and to the host: %" PRIu64 " bytes; between devices: %" PRIu64 "\n", host, peers);
}

int main(int argc, char **argv)
{
    const plate_params params = {NULL, NULL, SIDE, SIDE};
    heddle_fleet *f;
    must(heddle_fleet_open(&f, argc > 1 ? argv[1] : "2*virtual:", NULL));
    heddle_array *a = new_plate(f), *b = new_plate(f);
    for (int j = 0; j < SIDE; j++)
        ((float *)heddle_array_host(a))[j] = 100; /* the upper border is hot */
    heddle_multi *there = new_step(f, a, b), *back = new_step(f, b, a);

    for (int i = 0; i < STEPS / 2; i++) { /* all are started at once */
        must(heddle_multi_start(there, &params, sizeof params));
        must(heddle_multi_start(back, &params, sizeof params));
    }
    must(heddle_array_fetch(a, 0, 20)); /* waits for what these rows need, and brings them home */

    const float *row = (const float *)heddle_array_host(a) + 10 * SIDE;
    printf("row 10 after %d steps: %.3f %.3f ... %.3f\n", STEPS, row[1], row[2], row[SIDE / 2]);
    must(heddle_multi_wait(there, HEDDLE_FOREVER));
    must(heddle_multi_wait(back, HEDDLE_FOREVER));
    tell(there);
    heddle_multi_free(there);
    heddle_multi_free(back);
    heddle_array_free(a);
    heddle_array_free(b);
    heddle_fleet_close(f);
    return 0;
}
